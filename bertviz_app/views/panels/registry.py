"""The table of the views that a panel can show: how each is made, exported and copied as Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from bertviz_app.viewmodels.export import (
    PanelAsPython,
    parameters_as_python,
    result_as_python,
    steps_as_python,
    vectors_as_python,
    weights_as_python,
)
from bertviz_app.views.analyses.grid import GridView
from bertviz_app.views.analyses.head_map import HeadMapView
from bertviz_app.views.analyses.pieces import PiecesView
from bertviz_app.views.analyses.ranking import RankingView
from bertviz_app.views.analyses.sections import SectionsView
from bertviz_app.views.analyses.table import TableView
from bertviz_app.views.analyses.tokens import BarsView
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.panels.shown_numbers import (
    ShownNumbers,
    parameters_numbers,
    result_numbers,
    steps_numbers,
    vectors_numbers,
    weights_numbers,
)
from bertviz_app.views.parameters.view import ParametersView
from bertviz_app.views.steps.view import StepsView
from bertviz_app.views.vectors.view import VectorsView


@dataclass(frozen=True)
class PanelEntry:
    """How the view of one of `ALL_KINDS` is made, and what it shows as numbers and as lines of Python."""

    make: Callable[[PanelTools], PanelView]
    numbers: ShownNumbers
    python: PanelAsPython


def _lines(tools: PanelTools) -> PanelView:
    return LinesView(tools.look, tools.selection, tools.viewport, tools.options)


def _matrix(tools: PanelTools) -> PanelView:
    return MatrixView(tools.look, tools.selection, tools.viewport, tools.options)


def _steps(tools: PanelTools) -> PanelView:
    return StepsView(tools.look, tools.selection, tools.details)


PANEL_ENTRIES: MappingProxyType[str, PanelEntry] = MappingProxyType(
    {
        "lines": PanelEntry(_lines, weights_numbers, weights_as_python),
        "matrix": PanelEntry(_matrix, weights_numbers, weights_as_python),
        "steps": PanelEntry(_steps, steps_numbers, steps_as_python),
        "vectors": PanelEntry(VectorsView, vectors_numbers, vectors_as_python),
        "parameters": PanelEntry(ParametersView, parameters_numbers, parameters_as_python),
        "ranking": PanelEntry(RankingView, result_numbers, result_as_python),
        "grid": PanelEntry(GridView, result_numbers, result_as_python),
        "bars": PanelEntry(BarsView, result_numbers, result_as_python),
        "headmap": PanelEntry(HeadMapView, result_numbers, result_as_python),
        "reasons": PanelEntry(SectionsView, result_numbers, result_as_python),
        "pieces": PanelEntry(PiecesView, result_numbers, result_as_python),
        "table": PanelEntry(TableView, result_numbers, result_as_python),
    }
)
"""By the key of the kind; `resources/docs/how-to/add_a_panel_view.md` says how to add one."""
