"""The numbers that the cells of the overview show: a measure, or the weights of the pinned pair."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.types import Floats
from bertviz_app.viewmodels.head_atlas import full_colour_of_all, least_full
from bertviz_app.viewmodels.heads.pinned_pair import PairInHeads
from bertviz_app.viewmodels.overview_options import ATTENTION, OverviewChoice
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.overview.marks import largest
from bertviz_app.views.overview.measure_words import with_unit


def shown_values(overview: HeadOverview, pair: PairInHeads | None, choice: OverviewChoice) -> Floats | None:
    """Return the numbers [L, H] of the cells; None where they show attention. `pair`: the one shown."""
    if pair is not None:
        return pair.column.weights
    return None if choice.shows == ATTENTION else overview.measures[choice.shows]


def end_of_bar(
    overview: HeadOverview,
    pair: PairInHeads | None,
    choice: OverviewChoice,
    beside: HeadOverview | None = None,
) -> str:
    """Return what the last colour stands for; `beside`: the run that shares its scale."""
    values = shown_values(overview, pair, choice)
    if values is not None and pair is not None:
        return f"{fixed(float(values.max()))}  {pair.title}"
    if values is None or choice.shows == ATTENTION:
        if not choice.is_per_head:
            return f"{full_colour_of_all(overview, beside):.3g}"
        if not overview.stamp.is_share:
            return QCoreApplication.translate("OverviewView", "the largest norm of each cell")
        own = QCoreApplication.translate("OverviewView", "the head's maximum, ≥ {0}")
        return own.format(f"{least_full(overview):.2g}")
    return with_unit(choice.shows, largest(values))
