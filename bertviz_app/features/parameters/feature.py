"""What the room of parameters brings: its view of a panel, and its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.features.parameters.commands import ParametersPart
    from bertviz_app.features.parameters.view import ParametersView
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.views.kit.panel_view import PanelTools


def _view(tools: PanelTools) -> ParametersView:
    from bertviz_app.features.parameters.view import ParametersView

    return ParametersView(tools)


def _parts(window: MainWindow) -> list[ParametersPart]:
    from bertviz_app.features.parameters.commands import ParametersPart

    return [ParametersPart(window)]


PARAMETERS = Feature(_parts, {"parameters": _view})
