"""`DocumentsDialog`: the documents of the program at the left, the chosen one at the right; works offline."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSize, Qt, QUrl, Slot
from PySide6.QtGui import (
    QDesktopServices,
    QImage,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFragment,
    QTextTable,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.documents import KINDS, Document, documents, linked, linked_card, text_of_card
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language

_PAGE = Qt.ItemDataRole.UserRole
_ABOVE_HEADING, _BELOW, _BETWEEN_LINES, _CODE_INDENT = 14, 9, 2, 16


class DocumentsDialog(QDialog):
    """Stays open beside the window; Escape closes it. A link to another document opens it here."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.shown: Document | None = None
        self.field = named(QLineEdit(), "entry")
        self.list = QListWidget()
        self.page = QTextBrowser()
        self.note = named(QLabel(wordWrap=True), "secondary")
        self._lay_out(look, parent.size())
        self.field.textChanged.connect(self._fill)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.page.anchorClicked.connect(self._on_link)
        self.retranslate()

    def _lay_out(self, look: Look, room: QSize) -> None:
        self.page.setOpenLinks(False)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page.setFont(look.font(13))
        self.page.document().setDocumentMargin(look.pixels(14))
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.field)
        left.addWidget(self.list, 1)
        left.addWidget(self.note)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 12, 12, 12)
        row.setSpacing(16)
        row.addLayout(left)
        row.addWidget(self.page, 1)
        self.resize(min(look.pixels(1000), room.width() - 40), min(look.pixels(640), room.height() - 40))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Documents"))
        self.field.setPlaceholderText(self.tr("Find words in the documents …"))
        self.field.setAccessibleName(self.tr("Find words in the documents"))
        self.list.setAccessibleName(self.tr("Documents"))
        self.page.setAccessibleName(self.tr("The chosen document"))
        self._fill("")
        self._fit_titles()
        self._fill(self.field.text())

    def _fit_titles(self) -> None:
        """Make the list as wide as its longest title, so that none is cut."""
        self.list.ensurePolished()
        bar = self.list.verticalScrollBar().sizeHint().width()
        width = self.list.sizeHintForColumn(0) + 2 * self.list.frameWidth() + bar
        for widget in (self.field, self.list, self.note):
            widget.setFixedWidth(width)

    @property
    def offered(self) -> list[Document]:
        rows = (self.list.item(row).data(_PAGE) for row in range(self.list.count()))
        return [page for page in rows if page is not None]

    def show_document(self, document: Document) -> None:
        self.shown = document
        self._show(
            document.text(language()), document.path.parent, is_in_english=language() not in document.titles
        )
        for row in range(self.list.count()):
            if self.list.item(row).data(_PAGE) == document:
                self.list.setCurrentRow(row)

    def show_card(self, path: Path) -> None:
        """Show the card of a checkpoint, to which a document has a link."""
        self.shown = None
        self.list.setCurrentRow(-1)
        self._show(text_of_card(path), path.parent, is_in_english=language() != "en")

    def _show(self, text: str, folder: Path, *, is_in_english: bool) -> None:
        self.note.setText(self.tr("This page is in English only.") if is_in_english else "")
        self.page.setSearchPaths([str(folder)])
        self.page.setMarkdown(text)
        _give_room(self.page.document())
        self._fit_pictures()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make wide pictures as wide as the page is now."""
        super().resizeEvent(event)
        self._fit_pictures()

    def _fit_pictures(self) -> None:
        """Make the pictures that are wider than the page as wide as it."""
        document = self.page.document()
        bar = self.page.verticalScrollBar().sizeHint().width()
        room = self.page.width() - 2 * self.page.frameWidth() - bar - 2 * document.documentMargin()
        cursor = QTextCursor(document)
        for fragment in _fragments(document):
            form = fragment.charFormat()
            if form.isImageFormat():
                picture = form.toImageFormat()
                name = QUrl(picture.name())
                resource = self.page.loadResource(QTextDocument.ResourceType.ImageResource, name)
                picture.setWidth(min(room, QImage.fromData(resource).width()))
                cursor.setPosition(fragment.position())
                cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(picture)

    @Slot(str)
    def _fill(self, typed: str) -> None:
        """List the documents that have all typed words, kind by kind."""
        self.list.blockSignals(True)
        self.list.clear()
        found = [page for page in documents() if page.contains(typed)]
        for kind in KINDS:
            pages = [page for page in found if page.kind == kind]
            if pages:
                heading = QListWidgetItem(_kind_title(kind), self.list)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
            for page in pages:
                title = page.title(language())
                if language() not in page.titles:
                    title = self.tr("{0} · English").format(title)
                item = QListWidgetItem(f"   {title}", self.list)
                item.setData(_PAGE, page)
        self.list.blockSignals(False)
        self.note.setText("" if found else self.tr("No document has these words."))
        if found:
            self.show_document(self.shown if self.shown in found else found[0])

    @Slot()
    def _on_chosen(self) -> None:
        item = self.list.currentItem()
        page = None if item is None else item.data(_PAGE)
        if page is not None and page != self.shown:
            self.show_document(page)

    @Slot(QUrl)
    def _on_link(self, url: QUrl) -> None:
        """Open a document here and an address in the browser; note a file that the program does not have."""
        if not url.scheme():
            document = None if self.shown is None else linked(self.shown, url.path())
            card = None if self.shown is None else linked_card(self.shown, url.path())
            if document is not None:
                self.show_document(document)
            elif card is not None:
                self.show_card(card)
            elif url.path():
                words = self.tr("{0} is part of the source, not of the program.")
                self.note.setText(words.format(url.path()))
            else:
                self.page.scrollToAnchor(url.fragment())
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _fragments(document: QTextDocument) -> list[QTextFragment]:
    """Return the parts of the text, each with one format."""
    block, found = document.begin(), []
    while block.isValid():
        found += _fragments_of(block)
        block = block.next()
    return found


def _fragments_of(block: QTextBlock) -> list[QTextFragment]:
    at, found = block.begin(), []
    while not at.atEnd():
        found.append(at.fragment())
        at += 1
    return found


def _is_code(block: QTextBlock) -> bool:
    """Return whether a block is of code alone: a paragraph may begin with a name in code, too."""
    fragments = _fragments_of(block)
    return bool(fragments) and all(fragment.charFormat().fontFixedPitch() for fragment in fragments)


def _give_room(document: QTextDocument) -> None:
    """Part paragraphs, headings and the cells of tables, which Markdown sets close to each other."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            layout = frame.format().toTableFormat()
            layout.setCellPadding(4)
            layout.setBorderCollapse(True)
            layout.setTopMargin(_BELOW)
            layout.setBottomMargin(_BELOW)
            frame.setFormat(layout)
    cursor, block = QTextCursor(document), document.begin()
    while block.isValid():
        form = block.blockFormat()
        is_code = _is_code(block)
        is_close = is_code or block.textList() is not None or QTextCursor(block).currentTable() is not None
        form.setTopMargin(_ABOVE_HEADING if form.headingLevel() else 0)
        form.setBottomMargin(_BETWEEN_LINES if is_close else _BELOW)
        form.setLeftMargin(_CODE_INDENT if is_code else form.leftMargin())
        cursor.setPosition(block.position())
        cursor.setBlockFormat(form)
        block = block.next()


def _kind_title(kind: str) -> str:
    translate = QCoreApplication.translate
    titles = {
        "tutorials": translate("DocumentsDialog", "Tutorials"),
        "how-to": translate("DocumentsDialog", "How to"),
        "reference": translate("DocumentsDialog", "Reference"),
        "explanation": translate("DocumentsDialog", "Explanation"),
    }
    return titles[kind]
