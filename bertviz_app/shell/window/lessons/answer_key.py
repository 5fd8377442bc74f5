"""`AnswerKey`: Enter answers a task that is answered by a click: with the token or head of the arrow keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.canvas import guarded

if TYPE_CHECKING:  # built when a lesson opens
    from bertviz_app.viewmodels.learning.player import LessonPlayer


class AnswerKey(QObject):
    """Watches the widgets that get an Enter which nothing else uses; calls `solved` for a right answer."""

    def __init__(self, app_state: AppState, player: LessonPlayer, solved: Callable[[], None]) -> None:
        super().__init__(player)
        self._app_state = app_state
        self._player = player
        self._solved = solved

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_enter = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return event.type() == QEvent.Type.KeyPress and is_enter and self._answer()

    def _answer(self) -> bool:
        """Pick what the arrow keys came to, where the task waits for that; return whether it does."""
        station = self._player.station
        kind = "" if station is None or station.task is None else station.task.kind
        if kind not in ("token", "head") or self._player.is_solved or not self._player.is_ready:
            return False
        panels, active = self._app_state.panels, self._app_state.panels.active
        if kind == "token":
            self._app_state.selection.pick()
        elif active is not None:
            panels.head_picked.emit(active.layer, active.head)
        if self._player.is_solved:
            self._solved()
        return True
