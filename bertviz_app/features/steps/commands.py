"""The commands of Steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as replaced
from typing import TYPE_CHECKING

from bertviz_app.shell.commands.menus import Action, Command
from bertviz_app.shell.commands.views import in_panel
from bertviz_app.shell.window.part import WindowPart
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.steps.views.view import StepsView
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.dialogs.palette import PaletteEntry


class StepsPart(WindowPart):
    """What Steps has in a window besides its view."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._main = window

    def commands(self) -> list[Command]:
        group = translate("Commands", "Steps")
        return [replaced(command, group=group) for command in step_commands(self._main)]

    def palette_entries(self) -> list[PaletteEntry]:
        from bertviz_app.features.steps.palette import stop_entries

        return stop_entries(self._main.app_state)


def step_commands(window: MainWindow) -> list[Command]:
    """Return the commands that walk; without a Steps panel the active one becomes one."""

    def walk(act: Callable[[StepsView], None]) -> Action:
        return in_panel(window, "steps", act)

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
        Command(
            translate("Commands", "Steps: as lines of PyTorch, or as pictures"),
            "",
            walk(lambda view: view.walk.turn("code")),
        ),
    ]
