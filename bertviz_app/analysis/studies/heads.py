"""Analyses of every head of one text, over all texts of a file: measures, patterns, crossings, distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import LEAST_QUERIES, MEASURES, NAME_RULES, head_overview, names_of
from bertviz_app.analysis.parameters import Callbacks, NoParameters, Reporter
from bertviz_app.analysis.pure.heads import measures_of_heads
from bertviz_app.analysis.results import Quantity, Scalar
from bertviz_app.analysis.studies.statistics import HeadStatistics, condensed, statistics_of
from bertviz_app.analysis.studies.study import Measured, Part, study
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.types import Floats

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


def of_each(
    measured: Measured,
    reporter: Reporter,
    values_of: Callable[[Trace, Reporter], tuple[Floats, NDArray[np.int64] | None]],
) -> Part:
    """Return the rows "values" of the numbers [C, L, H] of each text, and the sum of its votes [R, L, H]."""
    rows, votes = [], []
    checks = Callbacks(reporter.check)
    for number, unit in enumerate(measured.units, 1):
        values, of_names = values_of(measured.record(unit.tokens), checks)
        rows.append(values)
        votes += [] if of_names is None else [of_names]
        reporter.progress(number / len(measured.units))
    sums = {"votes": np.sum(votes, axis=0), "n_named": np.array(len(votes), np.int64)} if votes else {}
    return Part(sums, {"values": np.array(rows, np.float32)})


def votes_of(kinds: NDArray[np.intp], n_names: int) -> NDArray[np.int64]:
    """Return [R, L, H], 1 where a head [L, H] has the name of that number; below 0 it has none."""
    found: NDArray[np.int64] = (np.arange(n_names)[:, None, None] == kinds).astype(np.int64)
    return found


_RULES = tuple(rule.key for rule in NAME_RULES)


def _finish_measures(
    model: ModelAccess, part: Part, parameters: NoParameters, reporter: Reporter
) -> HeadStatistics:
    scalars = [
        Scalar(one.key, Quantity(one.unit, 0, 1 if one.unit == "weight" else None)) for one in MEASURES
    ]
    return statistics_of(part, scalars, _RULES)


@study(
    key="head-measures",
    title=Message("Measures of every head"),
    summary=Message("How widely, how far and to which tokens each head attends over all texts of a file."),
    limits=Message(
        "Each text counts once, whatever its length; a name says what most of its attention does."
    ),
    paper=measures_of_heads.paper,
    reads="texts",
    finish=_finish_measures,
    condense=condensed,
)
def measures_over_file(measured: Measured, parameters: NoParameters, reporter: Reporter) -> Part:
    """Return the measures of each text [9, L, H], and which names heads get in it."""

    def of(trace: Trace, checks: Reporter) -> tuple[Floats, NDArray[np.int64] | None]:
        overview = head_overview(trace, check=checks.check)
        values = np.stack([overview.measures[one.key] for one in MEASURES])
        if trace.n_tokens <= LEAST_QUERIES:  # as a summary of the table of measures has it
            return values, None
        kinds = np.full(values.shape[1:], -1)
        for at, name in names_of(overview.measures, overview.n_queries).items():
            kinds[at] = _RULES.index(name.rule.key)
        return values, votes_of(kinds, len(_RULES))

    return of_each(measured, reporter, of)
