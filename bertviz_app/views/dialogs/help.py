"""Documents, the glossary, a report of a problem, and what the program is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSignalBlocker, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QDesktopServices,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QPixmap,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFragment,
    QTextTable,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTextBrowser,
    QWidget,
)

from bertviz_app import __version__, paths
from bertviz_app.learning.documents import KINDS, Document, documents, linked, linked_card, text_of_card
from bertviz_app.learning.glossary import Entry, Glossary
from bertviz_app.licences import Component
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_column, in_row, named, styled
from bertviz_app.views.kit.widgets import TitledDialog, close_button, show_words
from bertviz_app.views.kit.words import language, write_prose, write_roots

_PAGE = Qt.ItemDataRole.UserRole
_ABOVE_HEADING, _BELOW, _BETWEEN_LINES, _CODE_INDENT = 14, 9, 2, 16


class DocumentsDialog(Guarded, TitledDialog):
    """Stays open beside the window; Escape closes it. A link to another document opens it here."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent, self.tr("Documents"))
        self.shown: Document | None = None
        find = QLineEdit(placeholderText=self.tr("Find words in the documents …"))
        self.field = named(find, "entry", title=self.tr("Find words in the documents"))
        self.list = named(QListWidget(), title=self.tr("Documents"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page = named(QTextBrowser(openLinks=False), title=self.tr("The chosen document"))
        self.note = named(QLabel(wordWrap=True), "secondary")
        room = parent.size()
        self.page.setFont(look.font(13))
        self.page.document().setDocumentMargin(look.pixels(14))
        left = in_column(self.field, (self.list, 1), self.note, spacing=8)
        in_row(left, (self.page, 1), of=self, margins=12, spacing=16)
        self.resize(min(look.pixels(1000), room.width() - 40), min(look.pixels(640), room.height() - 40))
        self.field.textChanged.connect(self._fill)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.page.anchorClicked.connect(self._on_link)
        self._fill("")
        # As wide as its longest title, so that none is cut.
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
        self.shown, now = document, language()
        self._show(document.text(now), document.path.parent, is_in_english=now not in document.titles)
        for row in range(self.list.count()):
            if self.list.item(row).data(_PAGE) == document:
                self.list.setCurrentRow(row)

    def show_card(self, path: Path) -> None:
        """Show the card of a checkpoint, to which a document has a link."""
        self.shown = None
        self.list.setCurrentRow(-1)
        self._show(text_of_card(path), path.parent, is_in_english=language() != "en")

    def _show(self, text: str, folder: Path, *, is_in_english: bool) -> None:
        """Show a page; its parts stand farther apart than Markdown sets them."""
        self.note.setText(self.tr("This page is in English only.") if is_in_english else "")
        self.page.setSearchPaths([str(folder)])
        self.page.setMarkdown(text)
        document = self.page.document()
        for frame in document.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                table = frame.format().toTableFormat()
                table.setCellPadding(4)
                table.setBorderCollapse(True)
                table.setTopMargin(_BELOW)
                table.setBottomMargin(_BELOW)
                frame.setFormat(table)
        cursor, block = QTextCursor(document), document.begin()
        while block.isValid():
            form, fragments = block.blockFormat(), _fragments_of(block)
            is_code = bool(fragments) and all(each.charFormat().fontFixedPitch() for each in fragments)
            is_in_table = QTextCursor(block).currentTable() is not None
            is_close = is_code or block.textList() is not None or is_in_table
            form.setTopMargin(_ABOVE_HEADING if form.headingLevel() else 0)
            form.setBottomMargin(_BETWEEN_LINES if is_close else _BELOW)
            form.setLeftMargin(_CODE_INDENT if is_code else form.leftMargin())
            cursor.setPosition(block.position())
            cursor.setBlockFormat(form)
            block = block.next()
        write_roots(document)
        self._fit_pictures()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_pictures()

    def _fit_pictures(self) -> None:
        document = self.page.document()
        bar = self.page.verticalScrollBar().sizeHint().width()
        room = self.page.width() - 2 * self.page.frameWidth() - bar - 2 * document.documentMargin()
        cursor = QTextCursor(document)
        block, found = document.begin(), []
        while block.isValid():
            found += _fragments_of(block)
            block = block.next()
        for fragment in found:
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
        titles = {
            "tutorials": self.tr("Tutorials"),
            "how-to": self.tr("How to"),
            "reference": self.tr("Reference"),
            "explanation": self.tr("Explanation"),
        }
        found = [page for page in documents() if page.contains(typed)]
        with QSignalBlocker(self.list):
            self.list.clear()
            for kind in KINDS:
                # What is written in the language in force comes first: the rest is for developers.
                pages = [page for page in found if page.kind == kind]
                pages.sort(key=lambda page: language() not in page.titles)
                if pages:
                    QListWidgetItem(titles[kind], self.list).setFlags(Qt.ItemFlag.NoItemFlags)
                for page in pages:
                    title = page.title(language())
                    if language() not in page.titles:
                        title = self.tr("{0} · English").format(title)
                    QListWidgetItem(f"   {title}", self.list).setData(_PAGE, page)
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
            shown, path = self.shown, url.path()
            document, card = (
                (None, None) if shown is None else (linked(shown, path), linked_card(shown, path))
            )
            if document is not None:
                self.show_document(document)
            elif card is not None:
                self.show_card(card)
            elif path:
                self.note.setText(self.tr("{0} is part of the source, not of the program.").format(path))
            else:
                self.page.scrollToAnchor(url.fragment())
        elif url.scheme() in ("http", "https"):
            QDesktopServices.openUrl(url)


def _fragments_of(block: QTextBlock) -> list[QTextFragment]:
    at, found = block.begin(), []
    while not at.atEnd():
        found.append(at.fragment())
        at += 1
    return found


_WIDTH = 400
_OFFSET = 14  # from the pointer, so that what is explained stays in sight


class EntryPage(QWidget):
    """One entry to read: what it is, an example of the text shown, what it is not, where it is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("clear")
        self._name = named(QLabel(wordWrap=True), "headline")
        self._other_name = named(QLabel(wordWrap=True), "secondary")
        self._parts = {part: _Part() for part in ("text", "example", "is_not", "where")}
        self.lesson = named(QPushButton(), "link")
        self.lesson.hide()
        parts = self._name, self._other_name, *self._parts.values()
        lesson = self.lesson, 0, Qt.AlignmentFlag.AlignLeft
        in_column(*parts, lesson, 1, of=self, margins=(4, 4, 12, 4), spacing=6)

    def show_entry(self, entry: Entry, facts: Mapping[str, str]) -> None:
        now = language()
        self._name.setText(entry.name.in_language(now))
        self._other_name.setText(entry.name.in_language("en" if now == "ko" else "ko"))
        self._parts["text"].write("", entry.text.in_language(now))
        self._parts["example"].write(self.tr("In what you see now"), entry.example_in(now, facts))
        self._parts["is_not"].write(self.tr("What it is not"), entry.is_not.in_language(now))
        self._parts["where"].write(self.tr("Where to see it"), entry.where.in_language(now))

    def clear(self) -> None:
        for label in (self._name, self._other_name):
            label.clear()
        for part in self._parts.values():
            part.write("", "")
        self.lesson.hide()


class _Part(QWidget):
    """A title and a text below it; hidden without a text."""

    def __init__(self) -> None:
        super().__init__()
        self._title = named(QLabel(), "title")
        self._text = QLabel(wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
        in_column(self._title, self._text, of=self, margins=(0, 8, 0, 0), spacing=3)

    def write(self, title: str, text: str) -> None:
        show_words(self._title, title)
        write_prose(self._text, text)
        self.setVisible(bool(text))


class EntryPopup(QFrame):
    """Opens beside what it explains; a click elsewhere or Escape closes it."""

    def __init__(self, look: Look, entry: Entry, facts: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        styled(self, "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page = EntryPage()
        page.show_entry(entry, facts)
        column = in_column(page, of=self, margins=(14, 10, 4, 12))
        width = look.pixels(_WIDTH)
        self.setFixedSize(width, column.heightForWidth(width))
        self.setAccessibleName(entry.name.in_language(language()))

    def open_at(self, position: QPoint) -> None:
        """Open below and right of a position on the screen, or where the screen has room."""
        screen = self.screen().availableGeometry()
        left = min(position.x() + _OFFSET, screen.right() + 1 - self.width())
        below, above = position.y() + _OFFSET, position.y() - _OFFSET - self.height()
        fits = below + self.height() <= screen.bottom() + 1
        corner = QPoint(max(left, screen.left()), max(below if fits else above, screen.top()))
        self.setGeometry(QRect(corner, self.size()))
        self.show()


_KEY = Qt.ItemDataRole.UserRole
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}


class GlossaryDialog(Guarded, TitledDialog):
    """Stays open beside the window, so that the part it explains stays visible; Escape closes it.

    `lesson_requested(station)`: where the entry is taught; `lesson_named` returns its title, "" for none.
    """

    lesson_requested = Signal(str)

    def __init__(
        self, look: Look, glossary: Glossary, facts: Callable[[], Mapping[str, str]], parent: QWidget
    ) -> None:
        """`facts()` returns the numbers of what the window shows now, for the examples."""
        super().__init__(parent, self.tr("Glossary"))
        self._glossary = glossary
        self._facts = facts
        find = QLineEdit(placeholderText=self.tr("Find a term, in English or Korean …"))
        self._field = named(find, "entry", title=self.tr("Find a term"))
        self._list = named(QListWidget(), title=self.tr("Terms"))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        nothing = self.tr("No term fits. Clear the field to see all of them.")
        self._nothing = named(QLabel(nothing, wordWrap=True), "secondary")
        self._page = EntryPage()
        self.lesson_named: Callable[[str], str] = str
        self._page.lesson.clicked.connect(lambda: self.lesson_requested.emit(glossary[self.shown].station))
        room = parent.size()
        left = in_column(self._field, self._nothing, (self._list, 1), spacing=8)
        area = QScrollArea(widgetResizable=True)
        area.setWidget(self._page)
        in_row(left, (area, 1), of=self, margins=12, spacing=16)
        self._list.setFixedWidth(look.pixels(270))
        self._field.setFixedWidth(look.pixels(270))
        self.resize(min(look.pixels(820), room.width() - 40), min(look.pixels(520), room.height() - 40))
        self._field.textChanged.connect(self._fill)
        self._field.installEventFilter(self)
        self._list.currentItemChanged.connect(self.update_example)
        self._fill(self._field.text())

    @property
    def offered(self) -> list[str]:
        """The keys of the entries that fit what was typed, in their order."""
        rows = (self._list.item(row) for row in range(self._list.count()))
        return [key for item in rows if (key := item.data(_KEY)) is not None]

    @property
    def shown(self) -> str:
        """The key of the entry at the right, "" for none."""
        item = self._list.currentItem()
        return "" if item is None else str(item.data(_KEY))

    def show_entry(self, key: str) -> None:
        self._field.clear()
        self._choose(key)

    def _choose(self, key: str) -> None:
        for row in range(self._list.count()):
            if self._list.item(row).data(_KEY) == key:
                self._list.setCurrentRow(row)
                self._list.scrollToItem(self._list.item(row), QListWidget.ScrollHint.PositionAtCenter)

    @Slot(str)
    def _fill(self, typed: str) -> None:
        """List what fits; all of them, theme by theme, if nothing is typed."""
        before, now, other = self.shown, language(), "en" if language() == "ko" else "ko"
        themes = [(one.theme.in_language(now), one.entries) for one in self._glossary.themes]
        self._list.clear()
        for title, entries in [("", self._glossary.found(typed))] if typed.strip() else themes:
            if title:
                QListWidgetItem(title, self._list).setFlags(Qt.ItemFlag.NoItemFlags)
            for entry in entries:
                name = entry.name.in_language(now)
                item = QListWidgetItem(f"   {name}", self._list)
                item.setData(_KEY, entry.key)
                item.setToolTip(f"{name} · {entry.name.in_language(other)}")
        offered = self.offered
        self._nothing.setVisible(not offered)
        if offered:
            self._choose(before if before in offered and not typed.strip() else offered[0])
        else:
            self._page.clear()

    @Slot()
    def update_example(self) -> None:
        """Write the chosen entry with the numbers of what the window shows now."""
        key = self.shown
        if key in self._glossary:
            entry = self._glossary[key]
            self._page.show_entry(entry, self._facts())
            title = self.lesson_named(entry.station) if entry.station else ""
            show_words(self._page.lesson, title[:1].upper() + title[1:])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrows in the field move in the list."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        move = _MOVES.get(Qt.Key(event.key()))
        offered = self.offered
        if move is not None and offered:
            now = offered.index(self.shown) if self.shown in offered else 0
            self._choose(offered[min(max(now + move, 0), len(offered) - 1)])
        return move is not None and bool(offered)


_ICON = 64


class ReportDialog(TitledDialog):
    """Sends nothing. `texts` are what the user typed: they are added only when that is ticked."""

    save_requested = Signal(str)

    def __init__(self, look: Look, report: str, texts: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent, self.tr("Report of a problem"))
        self._added = "\n".join(["", "My text:", *texts, ""])
        self.report = named(QPlainTextEdit(report), title=self.windowTitle())
        self.adds_text = QCheckBox(self.tr("Add my text"))
        self.adds_text.setEnabled(bool(texts))
        self.copy, self.save = QPushButton(self.tr("Copy")), QPushButton(self.tr("Save …"))
        self.report.setFont(look.number_font(11))
        about = self.tr(
            "Nothing is sent anywhere. Read the report, change what you like, and give it to whoever helps "
            "you. What you typed is not in it."
        )
        close = close_button(self, self.tr("Close"))
        head, foot = QLabel(about, wordWrap=True), in_row(self.adds_text, 1, self.copy, self.save, close)
        in_column(head, (self.report, 1), foot, of=self, margins=(20, 20, 20, 16), spacing=12)
        self.resize(look.pixels(640), look.pixels(480))
        self.adds_text.toggled.connect(self._on_toggled)
        self.copy.clicked.connect(self._on_copied)
        self.save.clicked.connect(lambda: self.save_requested.emit(self.report.toPlainText()))

    @Slot(bool)
    def _on_toggled(self, is_added: bool) -> None:
        """Add the text at the end, or remove it where it still stands as it was added."""
        text = self.report.toPlainText()
        if is_added:
            self.report.setPlainText(text + self._added)
            self.report.moveCursor(QTextCursor.MoveOperation.End)
        else:
            self.report.setPlainText(text.replace(self._added, ""))

    @Slot()
    def _on_copied(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(self.tr("Copied"))


class AboutDialog(TitledDialog):
    """Says what the program is, its version, and under which licences everything in it is."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent, self.tr("About BertViz App"))
        self._components: tuple[Component, ...] = ()
        self.parts = named(QListWidget(), title=self.tr("What others wrote in it"))
        self.text = named(QPlainTextEdit(readOnly=True), title=self.tr("Licence"))
        self.text.setFont(look.number_font(10))
        self.parts.addItem(self.tr("Reading the licences …"))
        self.parts.currentRowChanged.connect(self._on_chosen)
        size, smooth = look.pixels(_ICON), Qt.TransformationMode.SmoothTransformation
        picture = QPixmap(str(paths.resources() / "icons" / "application" / "bertviz-app-256.png"))
        icon = QLabel(pixmap=picture.scaled(size, size, mode=smooth))
        name = named(QLabel(f"BertViz App {__version__}"), "title")
        about = self.tr(
            "Look inside BERT: tokens, every attention head, every number. Under the Apache License 2.0; "
            "what others wrote in it is below, each part under its own licence."
        )
        words = in_column(name, QLabel(about, wordWrap=True))
        head = in_row((icon, 0, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=16)
        body = in_row((self.parts, 2), (self.text, 3), spacing=12)
        foot = (close_button(self, self.tr("Close")), 0, Qt.AlignmentFlag.AlignRight)
        in_column(head, (body, 1), foot, of=self, margins=(20, 20, 20, 16), spacing=14)
        self.resize(look.pixels(820), look.pixels(560))

    def show_components(self, components: Sequence[Component]) -> None:
        """List what is in the program, the first one chosen."""
        self._components = tuple(components)
        self.parts.clear()
        self.parts.addItems([f"{each.name} {each.version}: {each.licence}" for each in self._components])
        self.parts.setCurrentRow(0)

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        if not 0 <= row < len(self._components):
            return
        shown = "\n\n".join(f"{file}\n\n{text}" for file, text in self._components[row].texts)
        self.text.setPlainText(shown or self.tr("It came without the text of its licence."))
