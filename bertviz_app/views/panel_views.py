"""The ways to draw a head in a panel: how each is made, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.lines import LinesView
from bertviz_app.views.look import Look
from bertviz_app.views.matrix import MatrixView
from bertviz_app.views.panel_view import PanelView


@dataclass(frozen=True)
class PanelTools:
    """What the views of all panels share."""

    look: Look
    selection: Selection
    viewport: Viewport


def make_view(how: str, tools: PanelTools) -> PanelView:
    """Return a new view for one of `viewmodels.panels.HOWS`."""
    return _MAKERS[how](tools)


_MAKERS: dict[str, Callable[[PanelTools], PanelView]] = {
    "lines": lambda tools: LinesView(tools.look, tools.selection, tools.viewport),
    "matrix": lambda tools: MatrixView(tools.look, tools.selection, tools.viewport),
}
