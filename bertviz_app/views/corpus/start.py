"""`CorpusStart`: the Corpus page before there is a corpus: what it does, and how to begin."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.learning.words import ExampleCorpus
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.widgets import BigButton, NumberedSteps, scrolled

_WIDTH = 680
_SHARE = 100  # how much more of the room the middle takes than each side, up to its width


class CorpusStart(QWidget):
    """Three steps, a button for a file, and example sentences; `example_chosen(language)`."""

    file_requested = Signal()
    example_chosen = Signal(str)

    def __init__(self, look: Look, examples: Sequence[ExampleCorpus], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._examples = examples
        self._title = named(QLabel(wordWrap=True), "headline")
        self._text = QLabel(wordWrap=True)
        self._steps = NumberedSteps(3)
        self.file = named(QPushButton(), "primary")
        self._or = named(QLabel(), "secondary")
        self.buttons = [BigButton() for _ in examples]
        self._lay_out()
        self.file.clicked.connect(self.file_requested)
        for example, button in zip(examples, self.buttons, strict=True):
            button.clicked.connect(
                lambda _=False, language=example.language: self.example_chosen.emit(language)
            )
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()
        self.retranslate()

    def _lay_out(self) -> None:
        own = QHBoxLayout()
        own.addWidget(self.file)
        own.addStretch(1)
        examples = QHBoxLayout()
        examples.setSpacing(12)
        for button in self.buttons:
            examples.addWidget(button, 1)
        self._middle = QWidget()
        column = QVBoxLayout(self._middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        for widget in (self._title, self._text, self._steps):
            column.addWidget(widget)
        column.addSpacing(6)
        column.addLayout(own)
        column.addWidget(self._or)
        column.addLayout(examples)
        content = QWidget()
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self._middle, _SHARE)
        middle.addStretch(1)
        rows = QVBoxLayout(content)
        rows.addStretch(2)
        rows.addLayout(middle)
        rows.addStretch(3)
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(scrolled(content))  # large text needs more height than a small window has

    def retranslate(self) -> None:
        self._title.setText(self.tr("What heads do over many sentences"))
        self._text.setText(
            self.tr(
                "One sentence is an example. Here every head of the open checkpoint is measured on every "
                "line of a text file: does a head do the same in all of them, or only in that one?"
            )
        )
        steps = (
            self.tr("Choose a text file with a sentence a line, or drop one here."),
            self.tr(
                "Every line is measured. The table is saved beside the file, and a run that was ended "
                "goes on from there."
            ),
            self.tr("Click a bar to list its sentences, and a sentence to open it in the window."),
        )
        self._steps.write(steps)
        self.file.setText(self.tr("Choose a file …"))
        self.file.setToolTip(self.tr("Texts to measure, or a table that was measured before"))
        self._or.setText(self.tr("Or try an example"))
        titles = {"en": self.tr("{0} English sentences"), "ko": self.tr("{0} Korean sentences")}
        for example, button in zip(self._examples, self.buttons, strict=True):
            button.write(
                titles[example.language].format(example.n_sentences), f"{example.first.rstrip('.')} …"
            )

    def _on_look_changed(self) -> None:
        self._middle.setMaximumWidth(self._look.pixels(_WIDTH))
