"""`StationsButton`: shows the number of the station; its menu has the stations, notes and all lessons."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import without_mnemonic


class StationsButton(QPushButton):
    """`chosen(index)`: another station is to be shown."""

    chosen = Signal(int)
    notes_requested = Signal()
    list_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "stations")
        self._menu = QMenu(self)
        self.setMenu(self._menu)

    def show_stations(self, titles: Sequence[str], index: int, done: Collection[int] = ()) -> None:
        """List the stations: the one at `index`, which is shown, in bold, and those that are done checked."""
        self.setText(self.tr("{0} of {1}").format(index + 1, len(titles)))
        words = self.tr("Stations of the lesson")
        self.setToolTip(words)
        self.setAccessibleName(f"{words}: {self.text()}")
        self._menu.clear()
        for number, title in enumerate(titles):
            action = self._menu.addAction(without_mnemonic(f"{number + 1}   {title}"))
            action.setCheckable(True)
            action.setChecked(number in done)
            font = action.font()
            font.setBold(number == index)
            action.setFont(font)
            action.triggered.connect(lambda _=False, number=number: self.chosen.emit(number))
        self._menu.addSeparator()
        self._menu.addAction(self.tr("Teacher's notes …")).triggered.connect(self.notes_requested)
        self._menu.addAction(self.tr("All lessons …")).triggered.connect(self.list_requested)
