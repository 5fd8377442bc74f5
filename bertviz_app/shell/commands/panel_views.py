"""Commands that act on the view of a panel: they find the panel, or make the active one draw as needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QWidget

from bertviz_app.shell.commands.command import Action

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow

_View = TypeVar("_View", bound=QWidget)


def in_panel(
    window: MainWindow,
    view_kind: str,
    view_class: Callable[[], type[_View]],
    act: Callable[[_View], None],
) -> Action:
    """Return an action that calls `act` with the view of a panel that shows that kind of view.

    That is the active panel if it does, else the first that does; where none does the active one is changed.
    `view_class()` imports the class of the view, which the first paint of the window does without.
    """
    panels = window.app_state.panels

    def run() -> None:
        active = panels.active
        if active is None:
            return
        found = next((panel for panel in (active, *panels.panels) if panel.kind.key == view_kind), None)
        if found is None:
            panels.draw_as(active.number, view_kind)
        view = window.main_area.area.cards[(found or active).number].view
        if isinstance(view, view_class()):
            act(view)

    return run
