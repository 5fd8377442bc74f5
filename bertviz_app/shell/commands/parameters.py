"""The commands of the Parameters panel: its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.commands.command import Action, Command
from bertviz_app.shell.commands.panel_views import in_panel
from bertviz_app.viewmodels.panels import ParametersPage
from bertviz_app.views.kit.canvas import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.parameters import ParametersView


def parameter_commands(window: MainWindow) -> list[Command]:
    """Return the commands of parameters; without a Parameters panel the active one becomes one."""

    def page(key: ParametersPage) -> Action:
        return in_panel(window, "parameters", _view_class, lambda view: view.show_page(key))

    return [
        Command(translate("Commands", "Parameters: table of all"), "", page("table")),
        Command(translate("Commands", "Parameters: picture of a matrix"), "", page("picture")),
        Command(translate("Commands", "Parameters: a row times a column"), "", page("product")),
    ]


def _view_class() -> type[ParametersView]:
    from bertviz_app.views.parameters import ParametersView

    return ParametersView
