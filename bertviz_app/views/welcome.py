"""The empty window: three examples to click, and where to begin."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.views.style import named

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
        self._title = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), "headline")
        self._hint = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), "secondary")
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(2)
        column.addWidget(self._title)
        column.addWidget(self._hint)
        column.addSpacing(8)
        self.buttons = [named(QPushButton(), "example") for _ in EXAMPLES]
        for button, (text, pair) in zip(self.buttons, EXAMPLES, strict=True):
            button.setText(text if pair is None else f"{text}  |  {pair}")
            button.clicked.connect(lambda _=False, text=text, pair=pair: self.example_chosen.emit(text, pair))
            button.setMinimumWidth(460)
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        self.say()

    def say(self) -> None:
        """Write the words in the language in force."""
        self._title.setText(self.tr("Type a sentence above, or begin with one of these"))
        self._hint.setText(
            self.tr(
                "You will see its tokens and ids, every attention head of every layer, and the [CLS] vector."
            )
        )
