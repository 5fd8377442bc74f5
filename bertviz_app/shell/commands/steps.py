"""The commands of the Steps panel: how one walks through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bertviz_app.shell.commands.command import Action, Command
from bertviz_app.shell.commands.panel_views import in_panel
from bertviz_app.views.kit.canvas import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.steps.view import StepsView


def step_commands(window: MainWindow) -> list[Command]:
    """Return the commands that walk; without a Steps panel the active one becomes one."""

    def walk(act: Callable[[StepsView], None]) -> Action:
        return in_panel(window, "steps", _view_class, act)

    return [
        Command(translate("Commands", "Steps: next"), ".", walk(lambda view: view.walk.step(1))),
        Command(translate("Commands", "Steps: previous"), ",", walk(lambda view: view.walk.step(-1))),
        Command(translate("Commands", "Steps: next layer"), "", walk(lambda view: view.walk.step_section(1))),
        Command(
            translate("Commands", "Steps: previous layer"), "", walk(lambda view: view.walk.step_section(-1))
        ),
        Command(
            translate("Commands", "Steps: follow the next token"),
            "N",
            walk(lambda view: view.followed.step(1)),
        ),
        Command(
            translate("Commands", "Steps: follow the token before"),
            "Shift+N",
            walk(lambda view: view.followed.step(-1)),
        ),
        Command(
            translate("Commands", "Steps: play, or pause"), "K", walk(lambda view: view.walk.playing.turn())
        ),
        Command(
            translate("Commands", "Steps: play the next stop"),
            "",
            walk(lambda view: view.walk.playing.step()),
        ),
        Command(
            translate("Commands", "Steps: why there is this stage"),
            "Y",
            walk(lambda view: view.walk.turn_why()),
        ),
        Command(
            translate("Commands", "Steps: all products of query and key"),
            "",
            walk(lambda view: view.walk.turn_products()),
        ),
        Command(
            translate("Commands", "Steps: as a table, or as pictures"),
            "T",
            walk(lambda view: view.walk.turn()),
        ),
    ]


def _view_class() -> type[StepsView]:
    from bertviz_app.views.steps.view import StepsView

    return StepsView
