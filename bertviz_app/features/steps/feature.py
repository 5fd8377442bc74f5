"""What the room of Steps brings: its view of a panel, the map of the model, its commands and stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from bertviz_app.features.steps.commands import StepsPart
    from bertviz_app.features.steps.views.flow_map import FlowMap
    from bertviz_app.features.steps.views.view import StepsView
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.viewmodels.app_state import AppState
    from bertviz_app.views.kit.look import Look
    from bertviz_app.views.kit.panel_view import PanelTools


def _view(tools: PanelTools) -> StepsView:
    from bertviz_app.features.steps.views.view import StepsView

    shared = tools.look, tools.selection, tools.details, tools.matrices, tools.rooms
    return StepsView(*shared, draws_stops=tools.draws_stops)


def _parts(window: MainWindow) -> list[StepsPart]:
    from bertviz_app.features.steps.commands import StepsPart

    return [StepsPart(window)]


def _load() -> None:
    import bertviz_app.features.steps.views.view  # noqa: F401


def _map(app_state: AppState, look: Look, parent: QWidget) -> FlowMap:
    from bertviz_app.features.steps.views.flow_map import Flow, FlowMap

    return FlowMap(look, Flow(app_state.panels, app_state.workspace), parent)


STEPS = Feature(_parts, {"steps": _view}, _load, model_map=_map)
