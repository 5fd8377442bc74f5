"""The overview's choices: the order of the cells, which heads are left out, and where cells lie."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.measure_table import Measures
from bertviz_app.analysis.measures import KEYS
from bertviz_app.viewmodels.heads.overview_cells import CellGrid, arranged
from bertviz_app.viewmodels.overview_options import OverviewChoice, OverviewFields, OverviewOptions

ENTROPIES = np.array([[2.0, 10.0, 2.0], [0.25, 100.0, 3.0]], np.float32)
MEASURES: Measures = {**{key: np.full((2, 3), 0.5, np.float32) for key in KEYS}, "entropy": ENTROPIES}
ALL = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))


def test_at_first_all_heads_stand_by_layer_and_head() -> None:
    cells = arranged(MEASURES, OverviewChoice())
    assert (cells.heads, cells.dimmed, cells.is_rearranged) == (ALL, frozenset(), False)


def test_a_filter_dims_heads_in_their_places() -> None:
    cells = arranged(MEASURES, OverviewChoice(filtered_by="entropy", least=2, most=10))
    assert (cells.heads, cells.dimmed) == (ALL, frozenset({(1, 0), (1, 1)}))


def test_rearranged_the_heads_that_a_filter_leaves_out_have_no_cell() -> None:
    cells = arranged(MEASURES, OverviewChoice(ordered_by="entropy", filtered_by="entropy", least=2.5))
    assert (cells.heads, cells.dimmed) == (((1, 1), (0, 1), (1, 2)), frozenset())
    assert cells.is_rearranged


def test_one_may_order_by_one_measure_and_filter_by_another() -> None:
    cells = arranged(MEASURES, OverviewChoice(ordered_by="entropy", filtered_by="next", least=0.51))
    assert cells.heads == ()
    cells = arranged(MEASURES, OverviewChoice(ordered_by="entropy", filtered_by="next", least=0.5))
    assert cells.heads == ((1, 1), (0, 1), (1, 2), (0, 0), (0, 2), (1, 0))


def test_another_filter_forgets_the_ends_of_the_one_before() -> None:
    options, notified = OverviewOptions(), []
    options.changed.connect(lambda: notified.append(options.value))
    options.filter_by("entropy")
    options.change(least=1.0)
    options.filter_by("distance")
    assert (options.value.filtered_by, options.value.least, options.value.most) == ("distance", None, None)
    options.filter_by("distance")
    assert len(notified) == 3


@pytest.mark.parametrize(
    "fields",
    [
        {"shows": "beauty"},
        {"ordered_by": "attention"},
        {"filtered_by": "x"},
        {"least": -1},
        {"most": float("nan")},
    ],
)
def test_what_a_choice_cannot_be_is_refused(fields: OverviewFields) -> None:
    options = OverviewOptions()
    with pytest.raises(ValueError, match="must be"):
        options.change(**fields)
    assert options.value == OverviewChoice()


GRID = CellGrid(ALL[:5], columns=2, side=20, left=30, top=24)


def test_cells_lie_in_rows_with_gaps() -> None:
    assert GRID.rows == 3
    assert [GRID.corner(index) for index in range(3)] == [(30, 24), (53, 24), (30, 47)]
    assert GRID.bottom == 24 + 3 * 23


def test_every_point_of_a_cell_is_that_head_and_others_are_none() -> None:
    for index, at in enumerate(GRID.heads):
        x, y = GRID.corner(index)
        assert {GRID.head_at(x + dx, y + dy) for dx in (0, 10, 19.9) for dy in (0, 10, 19.9)} == {at}
    assert GRID.head_at(53, 70) is None  # behind the last one
    assert GRID.head_at(29, 30) is None
    assert GRID.head_at(30, 23) is None
    assert GRID.head_at(76, 30) is None


def test_neighbours_go_round_at_the_ends() -> None:
    assert GRID.neighbour((0, 0), columns=1, rows=0) == (0, 1)
    assert GRID.neighbour((0, 0), columns=0, rows=1) == (0, 2)
    assert GRID.neighbour((0, 0), columns=-1, rows=0) == (1, 1)
    assert GRID.neighbour((5, 5), columns=1, rows=0) == (0, 0)
    assert CellGrid((), 1, 20, 0, 0).neighbour((0, 0), columns=1, rows=0) is None


WEIGHTS = np.array([[0.25, 0.5, 0.0], [0.75, 0.125, 0.5]], np.float32)


def test_heads_are_ordered_by_the_weight_of_the_pair_while_one_is_pinned() -> None:
    choice = OverviewChoice(ordered_by="pair")
    cells = arranged(MEASURES, choice, WEIGHTS[: len(MEASURES["entropy"]), : MEASURES["entropy"].shape[1]])
    weights = [float(WEIGHTS[at]) for at in cells.heads]
    assert weights == sorted(weights, reverse=True)
    assert cells.is_rearranged
    without = arranged(MEASURES, choice)
    assert list(without.heads) == sorted(without.heads)
    assert not without.is_rearranged
    with pytest.raises(ValueError, match="filtered_by"):
        OverviewChoice(filtered_by="pair")  # type: ignore[arg-type]
