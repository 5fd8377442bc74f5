"""The commands of Steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.commands.views import in_panel
from bertviz_app.shell.window.frame import WindowPart
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.steps.views.view import StepsView
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.dialogs.palette import PaletteEntry


class StepsPart(WindowPart):
    """What Steps has in a window besides its view."""

    _window: MainWindow

    def commands(self) -> list[Command]:
        """Return those that walk; without a Steps panel the active one becomes one."""
        group = translate("Commands", "Steps")
        rows: tuple[tuple[str, str, Callable[[StepsView], None]], ...] = (
            (translate("Commands", "Steps: next"), ".", lambda view: view.walk.step(1)),
            (translate("Commands", "Steps: previous"), ",", lambda view: view.walk.step(-1)),
            (translate("Commands", "Steps: next layer"), "", lambda view: view.walk.step_section(1)),
            (translate("Commands", "Steps: previous layer"), "", lambda view: view.walk.step_section(-1)),
            (translate("Commands", "Steps: follow the next token"), "N", lambda view: view.followed.step(1)),
            (
                translate("Commands", "Steps: follow the token before"),
                "Shift+N",
                lambda view: view.followed.step(-1),
            ),
            (translate("Commands", "Steps: play, or pause"), "K", lambda view: view.walk.playing.turn()),
            (translate("Commands", "Steps: play the next stop"), "", lambda view: view.walk.playing.step()),
            (
                translate("Commands", "Steps: why there is this stage"),
                "Y",
                lambda view: view.walk.turn_why(),
            ),
            (
                translate("Commands", "Steps: all products of query and key"),
                "",
                lambda view: view.walk.turn_products(),
            ),
            (translate("Commands", "Steps: as a table, or as pictures"), "T", lambda view: view.walk.turn()),
            (
                translate("Commands", "Steps: as lines of PyTorch, or as pictures"),
                "",
                lambda view: view.walk.turn("code"),
            ),
        )
        return [
            Command(words, key, in_panel(self._window, "steps", act), group=group) for words, key, act in rows
        ]

    def palette_entries(self) -> list[PaletteEntry]:
        from bertviz_app.features.steps.palette import stop_entries

        return stop_entries(self._window.app_state)
