"""What the room of Steps brings: its view of a panel, its commands, and its stops in the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.features.steps.commands import StepsPart
    from bertviz_app.features.steps.views.view import StepsView
    from bertviz_app.shell.window.window import MainWindow
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


STEPS = Feature(_parts, {"steps": _view}, _load)
