"""`StationHead`: the head that the question of a station is about, and whether a panel still shows it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.viewmodels.learning.player import LessonPlayer
from bertviz_app.viewmodels.panels import Panels


class StationHead(QObject):
    """Notices when the learner has gone to another head: the arrow keys do that.

    The answer stays a number of the station's head, so who reads it off another one is wrong without knowing
    why. `missing`: the head, (layer, head), that no panel shows; None when one does, or when
    the task is about no head.
    """

    missing = Signal(object)

    def __init__(self, player: LessonPlayer, panels: Panels, parent: QObject) -> None:
        super().__init__(parent)
        self._player = player
        self._panels = panels
        player.ready.connect(self._check)
        panels.changed.connect(self._check)

    @Slot()
    def show(self) -> None:
        """Show the head in the active panel."""
        if (at := self._missing()) is not None:
            self._panels.show(*at, is_picked=False)

    @Slot()
    def _check(self) -> None:
        self.missing.emit(self._missing())

    def _missing(self) -> tuple[int, int] | None:
        player = self._player
        if player.station is None or not player.is_ready or player.run is None:
            return None
        task = player.station.task
        if task is None or not task.is_about_station_head:
            return None
        shown = {(panel.layer, head) for panel in self._panels.panels for head in panel.shown_heads}
        at = player.run.layer, player.run.head
        return None if at in shown else at
