"""`ExploreRow`: what can be added to the one picture of Explore, as a row of switches."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from bertviz_app.views.kit.look import named


class ExploreRow(QWidget):
    """A switch for each thing that can be added: its key is one of KEYS.

    `switched(key, is_on)`: the user turned one on or off.
    """

    switched = Signal(str, bool)
    KEYS = ("inspector", "overview", "steps", "compare", "mask")

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = {
            "inspector": (self.tr("This pair"), self.tr("How the weight of the two words is computed")),
            "overview": (self.tr("All heads"), self.tr("Every head of every layer as a small picture")),
            "steps": (self.tr("Steps"), self.tr("The arithmetic from the text to the last vector")),
            "compare": (self.tr("A second sentence"), self.tr("Another text, beside this one")),
            "mask": (
                self.tr("A mask"),
                self.tr("Hide the clicked word, or the last one: what does the model expect there?"),
            ),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 0)
        row.setSpacing(6)
        row.addWidget(named(QLabel(self.tr("Add:")), "secondary"))
        self.buttons: dict[str, QPushButton] = {}
        for key in self.KEYS:
            text, tip = words[key]
            button = named(QPushButton(f"+ {text}"), "add")
            button.setCheckable(True)
            button.setToolTip(tip)
            button.setAccessibleName(f"{text}. {tip}")
            button.clicked.connect(lambda is_on, key=key: self.switched.emit(key, is_on))
            self.buttons[key] = button
            row.addWidget(button)
        row.addStretch(1)
        self.hide()

    def show_state(self, key: str, *, is_on: bool) -> None:
        """Show whether a thing is there; nothing is emitted."""
        self.buttons[key].setChecked(is_on)

    def offer(self, key: str, *, is_possible: bool) -> None:
        """Enable a switch, or disable it."""
        self.buttons[key].setEnabled(is_possible)
