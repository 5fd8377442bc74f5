"""`Arrangement`: where the cards around the panels are and which are closed, so that it can be undone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True)
class Arranged:
    """`docks` is what the docks are restored from, "" while they are as at first."""

    docks: str = ""
    shows_predictions: bool = True


class Arrangement(QObject):
    """The arrangement on screen.

    `begun` is emitted when the window has arranged its cards for the first time, `changed` when the user has
    changed that, `restored` when the window is to take `value` again.
    """

    begun = Signal()
    changed = Signal()
    restored = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = Arranged()

    def begin(self, value: Arranged) -> None:
        """Store the arrangement in which the window opened."""
        self.value = value
        self.begun.emit()

    def note(self, *, docks: str | None = None, shows_predictions: bool | None = None) -> None:
        """Store what the user has changed."""
        value = self.value
        if docks is not None:
            value = replace(value, docks=docks)
        if shows_predictions is not None:
            value = replace(value, shows_predictions=shows_predictions)
        if value != self.value:
            self.value = value
            self.changed.emit()

    def restore(self, value: Arranged) -> None:
        """Ask the window to return to an earlier arrangement."""
        if value != self.value:
            self.value = value
            self.restored.emit()
