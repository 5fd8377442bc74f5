"""The commands of the Steps panel: how one walks through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from bertviz_app.shell.commands.command import Command
from bertviz_app.viewmodels.app_state import AppState

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.steps.view import StepsView


def step_commands(window: MainWindow, app_state: AppState) -> list[Command]:
    """Return the commands that walk; without a Steps panel the active one becomes one."""
    translate, panels = QCoreApplication.translate, app_state.panels

    def walk(act: Callable[[StepsView], None]) -> Callable[[], None]:
        def run() -> None:
            from bertviz_app.views.steps.view import StepsView  # which the first paint needs not

            active = panels.active
            if active is None:
                return
            there = [panel for panel in (active, *panels.panels) if panel.how == "steps"]
            panel = there[0] if there else active
            if not there:
                panels.draw_as(panel.number, "steps")
            view = window.main_area.area.cards[panel.number].view
            if isinstance(view, StepsView):
                act(view)

        return run

    return [
        Command(translate("Commands", "Steps: next"), ".", walk(lambda view: view.walk.step(1))),
        Command(translate("Commands", "Steps: previous"), ",", walk(lambda view: view.walk.step(-1))),
        Command(translate("Commands", "Steps: next layer"), "", walk(lambda view: view.walk.step_section(1))),
        Command(
            translate("Commands", "Steps: previous layer"), "", walk(lambda view: view.walk.step_section(-1))
        ),
        Command(
            translate("Commands", "Steps: follow the next token"), "N", walk(lambda view: view.step_query(1))
        ),
        Command(
            translate("Commands", "Steps: follow the token before"),
            "Shift+N",
            walk(lambda view: view.step_query(-1)),
        ),
        Command(
            translate("Commands", "Steps: as a table, or as pictures"), "T", walk(lambda view: view.turn())
        ),
    ]
