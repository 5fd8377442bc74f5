"""The commands of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.commands.menus import Action, Command
from bertviz_app.shell.commands.views import in_panel
from bertviz_app.shell.window.frame import WindowPart
from bertviz_app.viewmodels.panel import ParametersPage
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


class ParametersPart(WindowPart):
    """What parameters have in a window besides their view."""

    _window: MainWindow

    def commands(self) -> list[Command]:
        """Without a Parameters panel the active one becomes one."""
        group = translate("Commands", "Parameters")

        def page(key: ParametersPage) -> Action:
            return in_panel(self._window, "parameters", lambda view: view.show_page(key))

        return [
            Command(translate("Commands", "Parameters: table of all"), "", page("table"), group=group),
            Command(
                translate("Commands", "Parameters: picture of a matrix"), "", page("picture"), group=group
            ),
            Command(
                translate("Commands", "Parameters: a row times a column"), "", page("product"), group=group
            ),
        ]
