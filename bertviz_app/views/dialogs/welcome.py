"""The empty window: three examples to click, and where to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.views.kit.style import named

EXAMPLES: tuple[tuple[str, str | None], ...] = (
    ("A cat ate the fish because it was hungry", None),
    ("고양이가 배가 고파서 생선을 먹었다", None),
    ("The cat sat on the mat", "It was warm there"),
)


class Welcome(QWidget):
    """Shown until there is a first result."""

    example_chosen = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "headline")
        self._hint = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        self.buttons = [named(QPushButton(), "example") for _ in EXAMPLES]
        self.callouts = [Callout(number) for number in (1, 2, 3)]
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addWidget(self._hint)
        column.addSpacing(8)
        for button, (text, pair) in zip(self.buttons, EXAMPLES, strict=True):
            button.setText(text if pair is None else f"{text}  |  {pair}")
            button.clicked.connect(lambda _=False, text=text, pair=pair: self.example_chosen.emit(text, pair))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(28)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addStretch(1)
        for callout in self.callouts:
            row.addWidget(callout)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(3)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self._title.setText(self.tr("Type a sentence above, or begin with one of these"))
        self._hint.setText(
            self.tr(
                "You will see its tokens and ids, every attention head of every layer, and the [CLS] vector."
            )
        )
        callouts = (
            (self.tr("Type"), self.tr("A sentence above, or two with + B. Each key shows what changes.")),
            (
                self.tr("Click a head"),
                self.tr("In the overview at the left. Shift-click adds one beside it."),
            ),
            (self.tr("Point at a token"), self.tr("It lights up everywhere. A click keeps it lit.")),
        )
        for callout, (title, words) in zip(self.callouts, callouts, strict=True):
            callout.write(title, words)
        for button in self.buttons:
            button.setToolTip(self.tr("Show this example"))


class Callout(QFrame):
    """Where to click, in a few words."""

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("callout")
        self._number = named(QLabel(str(number)), "number")
        self._title = named(QLabel(), "title")
        self._words = named(QLabel(wordWrap=True), "secondary")
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._number)
        head.addWidget(self._title, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._words, 1)

    def write(self, title: str, words: str) -> None:
        """Write the texts."""
        self._title.setText(title)
        self._words.setText(words)
