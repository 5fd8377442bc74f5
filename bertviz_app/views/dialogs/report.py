"""What one does about the program itself: `ReportDialog`, a report of a problem, and `AboutDialog`."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QPixmap, QTextCursor
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from bertviz_app import __version__, paths
from bertviz_app.licences import Component
from bertviz_app.views.kit.look import Look, named

_ICON = 64


class ReportDialog(QDialog):
    """Sends nothing. `texts` are what the user typed: they are added only when that is ticked."""

    save_requested = Signal(str)

    def __init__(self, look: Look, report: str, texts: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._added = "\n".join(["", "My text:", *texts, ""])
        self.report = QPlainTextEdit(report)
        self.adds_text = QCheckBox(self.tr("Add my text"))
        self.copy = QPushButton(self.tr("Copy"))
        self.save = QPushButton(self.tr("Save …"))
        self.setWindowTitle(self.tr("Report of a problem"))
        self.report.setAccessibleName(self.tr("Report of a problem"))
        self.report.setFont(look.number_font(11))
        self.adds_text.setEnabled(bool(texts))
        self._lay_out()
        self.resize(look.pixels(640), look.pixels(480))
        self.adds_text.toggled.connect(self._on_toggled)
        self.copy.clicked.connect(self._on_copied)
        self.save.clicked.connect(lambda: self.save_requested.emit(self.report.toPlainText()))

    def _lay_out(self) -> None:
        about = self.tr(
            "Nothing is sent anywhere. Read the report, change what you like, and give it to whoever helps "
            "you. What you typed is not in it."
        )
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(self.adds_text)
        row.addStretch(1)
        for button in (self.copy, self.save, close):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addWidget(QLabel(about, wordWrap=True))
        column.addWidget(self.report, 1)
        column.addLayout(row)

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
        self.parts = QListWidget()
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setFont(look.number_font(10))
        self.setWindowTitle(self.tr("About BertViz App"))
        self.parts.setAccessibleName(self.tr("What others wrote in it"))
        self.text.setAccessibleName(self.tr("Licence"))
        self.parts.addItem(self.tr("Reading the licences …"))
        self.parts.currentRowChanged.connect(self._on_chosen)
        self._lay_out(look)
        self.resize(look.pixels(820), look.pixels(560))

    def _lay_out(self, look: Look) -> None:
        icon = QLabel()
        size = look.pixels(_ICON)
        picture = QPixmap(str(paths.resources() / "icons" / "application" / "bertviz-app-256.png"))
        icon.setPixmap(picture.scaled(size, size, mode=Qt.TransformationMode.SmoothTransformation))
        name = named(QLabel(f"BertViz App {__version__}"), "title")
        about = self.tr(
            "Look inside BERT: tokens, every attention head, every number. Under the Apache License 2.0; "
            "what others wrote in it is below, each part under its own licence."
        )
        words = QVBoxLayout()
        words.addWidget(name)
        words.addWidget(QLabel(about, wordWrap=True))
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        body = QHBoxLayout()
        body.setSpacing(12)
        body.addWidget(self.parts, 2)
        body.addWidget(self.text, 3)
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(14)
        column.addLayout(head)
        column.addLayout(body, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)

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
        texts = self._components[row].texts
        shown = "\n\n".join(f"{file}\n\n{text}" for file, text in texts)
        self.text.setPlainText(shown or self.tr("It came without the text of its licence."))
