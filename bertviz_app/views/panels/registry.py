"""The ways to draw a head in a panel, and how each is made."""

from __future__ import annotations

from collections.abc import Callable

from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.steps.view import StepsView
from bertviz_app.views.vectors.view import VectorsView


def make_view(how: str, tools: PanelTools) -> PanelView:
    """Return a new view for one of `viewmodels.panels.HOWS`."""
    return _MAKERS[how](tools)


_MAKERS: dict[str, Callable[[PanelTools], PanelView]] = {
    "lines": lambda tools: LinesView(tools.look, tools.selection, tools.viewport, tools.options),
    "matrix": lambda tools: MatrixView(tools.look, tools.selection, tools.viewport, tools.options),
    "steps": lambda tools: StepsView(tools.look, tools.selection, tools.details),
    "vectors": VectorsView,
}
