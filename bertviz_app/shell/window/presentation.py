"""`Presentation`: the window as a class sees it on a projector: the whole screen, large, panels alone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMainWindow

from bertviz_app.shell.settings.appearance import Appearance


class Presentation(QObject):
    """Goes on and off; off, everything is as it was before."""

    changed = Signal()

    def __init__(
        self, window: QMainWindow, appearance: Appearance, set_alone: Callable[[bool], None]
    ) -> None:
        """`set_alone` hides what stands around the panels, or brings it back."""
        super().__init__(window)
        self._window = window
        self._appearance = appearance
        self._set_alone = set_alone
        self._before = Qt.WindowState.WindowNoState
        self.is_on = False

    def toggle(self) -> None:
        """Show the panels large on the whole screen, or be an ordinary window again."""
        if self.is_on:
            self.leave()
        else:
            self._before = self._window.windowState()
            self._set(is_on=True)
            self._window.setWindowState(self._before | Qt.WindowState.WindowFullScreen)

    def leave(self) -> None:
        """Be an ordinary window again."""
        if self.is_on:
            self._set(is_on=False)
            self._window.setWindowState(self._before)

    def _set(self, *, is_on: bool) -> None:
        self.is_on = is_on
        self._set_alone(is_on)
        self._appearance.set_projected(self._window.screen().size().height() if is_on else None)
        self.changed.emit()
