"""What one does about the program itself: `ReportDialog`, a report of a problem, and `AboutDialog`."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QPixmap, QTextCursor
from PySide6.QtWidgets import QCheckBox, QDialog, QLabel, QListWidget, QPlainTextEdit, QPushButton, QWidget

from bertviz_app import __version__, paths
from bertviz_app.licences import Component
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.widgets import close_button

_ICON = 64


class ReportDialog(QDialog):
    """Sends nothing. `texts` are what the user typed: they are added only when that is ticked."""

    save_requested = Signal(str)

    def __init__(self, look: Look, report: str, texts: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._added = "\n".join(["", "My text:", *texts, ""])
        self.report = named(QPlainTextEdit(report), title=self.tr("Report of a problem"))
        self.adds_text = QCheckBox(self.tr("Add my text"))
        self.adds_text.setEnabled(bool(texts))
        self.copy, self.save = QPushButton(self.tr("Copy")), QPushButton(self.tr("Save …"))
        self.setWindowTitle(self.tr("Report of a problem"))
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


class AboutDialog(QDialog):
    """Says what the program is, its version, and under which licences everything in it is."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._components: tuple[Component, ...] = ()
        self.parts = named(QListWidget(), title=self.tr("What others wrote in it"))
        self.text = named(QPlainTextEdit(readOnly=True), title=self.tr("Licence"))
        self.text.setFont(look.number_font(10))
        self.setWindowTitle(self.tr("About BertViz App"))
        self.parts.addItem(self.tr("Reading the licences …"))
        self.parts.currentRowChanged.connect(self._on_chosen)
        icon = QLabel()
        size = look.pixels(_ICON)
        picture = QPixmap(str(paths.resources() / "icons" / "application" / "bertviz-app-256.png"))
        icon.setPixmap(picture.scaled(size, size, mode=Qt.TransformationMode.SmoothTransformation))
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
