"""The parts of the card of interventions: switches, numbers before and after, titles and hints."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain


class SwitchRow(QWidget):
    """One intervention, or one set of them, which is on or off and can be removed."""

    def __init__(
        self, text: str, tip: str, is_on: bool, switch: Callable[[bool], None], remove: Callable[[], None]
    ) -> None:
        super().__init__()
        translate = QCoreApplication.translate
        self.switch = QCheckBox()
        self.switch.setChecked(is_on)
        self.switch.setAccessibleName(text)
        self.switch.setToolTip(plain(tip))
        self.switch.toggled.connect(lambda checked: switch(checked))
        self.label = Elided(text, textFormat=Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.label.setToolTip(plain(tip))
        self.label.setEnabled(is_on)
        self.remove = named(QPushButton("✕"), "corner")
        words = translate("InterventionsView", "Remove: {0}").format(text)
        self.remove.setToolTip(plain(words))
        self.remove.setAccessibleName(words)
        self.remove.clicked.connect(lambda: remove())
        self.rename = named(QPushButton("✎"), "corner")
        self.rename.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.switch)
        row.addWidget(self.label, 1)
        row.addWidget(self.rename)
        row.addWidget(self.remove)

    def add_rename(self, rename: Callable[[], None]) -> None:
        """Offer another name."""
        words = QCoreApplication.translate("InterventionsView", "Rename: {0}").format(self.label.text())
        self.rename.setToolTip(plain(words))
        self.rename.setAccessibleName(words)
        self.rename.clicked.connect(lambda: rename())
        self.rename.show()


def add_outcome(grid: QGridLayout, name: str, tip: str, numbers: str) -> None:
    """Add a line to the table of outcomes: what it is, and its value before and after."""
    at = grid.rowCount()
    label = QLabel(name, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)  # as its word wrap has set it: without it a second line has no room
    label.setSizePolicy(policy)
    label.setToolTip(plain(f"{name}\n{tip}"))
    value = named(QLabel(numbers, textFormat=Qt.TextFormat.PlainText), "value")
    value.setAccessibleName(f"{name}: {numbers}")
    grid.addWidget(label, at, 0)
    grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignRight)


def heading(text: str) -> QLabel:
    """Return the title of a part of the card."""
    return named(QLabel(text, textFormat=Qt.TextFormat.PlainText), "heading")


def hint(text: str) -> QLabel:
    """Return a sentence that explains something."""
    return named(QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True), "hint")
