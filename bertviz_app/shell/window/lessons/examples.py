"""`Examples`: the examples of the start page, and one head in one picture."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from bertviz_app.shell.window.frame import WindowFrame
from bertviz_app.shell.window.lessons.lessons import Lessons
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.canvas import language

if TYPE_CHECKING:  # the first paint does not need these
    from bertviz_app.learning.lessons.lesson import Scene
    from bertviz_app.viewmodels.learning.scenes import SceneSetter


class Examples(QObject):
    """Sets the window to a scene; what is needed for that is built at the first use.

    The scene follows the text that is typed, until a lesson is opened.
    """

    def __init__(self, app_state: AppState, frame: WindowFrame, lessons: Lessons) -> None:
        super().__init__(frame)
        self._app_state = app_state
        self._frame = frame
        self._setter: SceneSetter | None = None
        frame.welcome.example_chosen.connect(self.open)
        frame.welcome.plain_requested.connect(self.show_plainly)
        lessons.changed.connect(self._leave)

    def open(self, index: int) -> None:
        """Show an example of the start page."""
        from bertviz_app.learning.lessons.reading import shipped_examples

        self._set_scene(shipped_examples()[index].scene_in(language()))

    def show_plainly(self) -> None:
        """Show one head as lines and nothing around it, or bring everything else back."""
        workspace = self._app_state.workspace
        if workspace.shown is None or workspace.is_blank:
            from bertviz_app.learning.lessons.reading import shipped_examples

            self._set_scene(replace(shipped_examples()[0].scene_in(language()), views=("lines",)))
            self._frame.main_area.docks.show_only(())
            return
        docks, panels = self._frame.main_area.docks, self._app_state.panels
        if docks.is_alone:
            docks.show_only(None)
        else:
            docks.show_only(())
            if panels.active is not None:
                panels.open([replace(panels.active, view_kind="lines")])

    @Slot()
    def _leave(self) -> None:
        """Follow the text no longer: a lesson has scenes of its own."""
        if self._setter is not None:
            self._setter.leave()

    def _set_scene(self, scene: Scene) -> None:
        if self._setter is None:
            from bertviz_app.viewmodels.learning.scenes import SceneSetter

            state = self._app_state
            self._setter = SceneSetter(
                state.workspace, state.comparison, state.panels, state.selection, state.overview
            )
        self._setter.set_scene(scene, language())
