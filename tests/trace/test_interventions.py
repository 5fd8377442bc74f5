"""Weights of a trace with interventions: equal ones, and rows in which some are set, against sums by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.errors import InterventionError, SelectionError
from bertviz_app.text.edits import Edits
from bertviz_app.text.interventions import CellIntervention, HeadIntervention, TokenIntervention
from bertviz_app.trace import Trace
from bertviz_app.trace.interventions import (
    SetRow,
    changes_weights,
    set_rows,
    validate_cells,
    validate_edits,
    validate_heads,
    validate_reach,
)
from tests.support.factories import make_trace, windowed_trace

UNIFORM = HeadIntervention(1, 2, "uniform")


def _set(query: int, key: int, weight: float, layer: int = 1, head: int = 2) -> CellIntervention:
    return CellIntervention(layer, head, query, key, weight)


def test_a_uniform_head_attends_alike_to_every_token() -> None:
    plain = make_trace(7)
    trace = replace(plain, heads=(UNIFORM,))
    np.testing.assert_allclose(trace.attention(1, 2), np.full((7, 7), 1 / 7), atol=1e-7)
    np.testing.assert_array_equal(trace.attention(1, 1), plain.attention(1, 1))
    np.testing.assert_array_equal(trace.attention(0, 2), plain.attention(0, 2))
    np.testing.assert_array_equal(trace.attention()[1, 2], trace.attention(1, 2))


def test_a_uniform_head_with_a_window_attends_alike_to_what_it_reaches() -> None:
    trace = replace(windowed_trace(9, 2), heads=(UNIFORM, HeadIntervention(0, 0, "uniform")))
    distance = np.abs(np.subtract.outer(np.arange(9), np.arange(9)))
    near = (distance <= 2).astype(float)
    np.testing.assert_allclose(trace.attention(1, 2), near / near.sum(1, keepdims=True), atol=1e-7)
    part = trace.attention(1, 2, slice(3, 6), slice(1, 8))
    np.testing.assert_allclose(part, trace.attention(1, 2)[3:6, 1:8], atol=0)


def test_what_is_set_is_there_and_the_others_share_the_rest_in_proportion() -> None:
    plain = make_trace(6)
    trace = replace(plain, cells=(_set(2, 0, 0.25), _set(2, 5, 0.5)))
    before, row = plain.attention(1, 2)[2], trace.attention(1, 2)[2]
    others = [1, 2, 3, 4]
    assert (row[0], row[5]) == (0.25, 0.5)
    np.testing.assert_allclose(row[others], before[others] / before[others].sum() * 0.25, atol=1e-6)
    np.testing.assert_array_equal(
        np.delete(trace.attention(1, 2), 2, 0), np.delete(plain.attention(1, 2), 2, 0)
    )


def test_what_is_set_in_a_uniform_head_leaves_equal_weights() -> None:
    trace = replace(make_trace(5), heads=(UNIFORM,), cells=(_set(1, 3, 0.6),))
    np.testing.assert_allclose(trace.attention(1, 2)[1], [0.1, 0.1, 0.1, 0.6, 0.1], atol=1e-6)
    np.testing.assert_allclose(trace.attention(1, 2)[0], [0.2] * 5, atol=1e-6)


def test_layers_whose_weights_are_not_those_of_their_scores() -> None:
    plain = make_trace(5)
    assert not changes_weights(replace(plain, heads=(HeadIntervention(1, 2, "mean", "a text"),)), 1)
    for changed in (replace(plain, heads=(UNIFORM,)), replace(plain, cells=(_set(1, 3, 0.6),))):
        assert [changes_weights(changed, layer) for layer in (0, 1)] == [False, True]


def test_rows_count_tokens_as_they_are_read_and_leave_out_dropped_ones() -> None:
    edits = Edits(tokens=(TokenIntervention(1, "drop"),), cells=(_set(3, 2, 0.5), _set(3, 4, 0.25)))
    (row,) = set_rows(edits)
    assert row == SetRow(1, 2, 2, (1, 3), (0.5, 0.25))
    assert row.rest == 0.25
    assert set_rows(replace(edits, cells=(_set(3, 1, 0.5), _set(1, 3, 0.5)))) == ()


def test_a_head_that_there_is_not_is_named_with_the_last() -> None:
    for edits in (
        Edits(muted=((2, 0),)),
        Edits(heads=(HeadIntervention(2, 0),)),
        Edits(cells=(_set(0, 0, 1, 2, 0),)),
    ):
        with pytest.raises(SelectionError, match=r"no head 2 · 0: this model's last is 1 · 3\."):
            validate_heads(edits, 2, 4)
        validate_heads(edits, 3, 1)


def test_a_token_that_there_is_not_is_named_with_the_last_written_one() -> None:
    dropped = (TokenIntervention(1, "drop"),)
    with pytest.raises(SelectionError, match=r"no token 6: this text has tokens 0 to 5\."):
        validate_cells(Edits(tokens=dropped, cells=(_set(6, 0, 0.5),)), 5)
    validate_cells(Edits(tokens=dropped, cells=(_set(5, 0, 0.5),)), 5)
    with pytest.raises(InterventionError, match="Token 1 is dropped"):
        validate_cells(Edits(tokens=dropped, cells=(_set(0, 1, 0.5),)), 5)


def test_weights_of_a_row_are_at_most_1_together() -> None:
    validate_cells(Edits(cells=(_set(3, 0, 0.5), _set(3, 1, 0.5))), 5)
    too_much = Edits(tokens=(TokenIntervention(1, "drop"),), cells=(_set(3, 0, 0.5), _set(3, 2, 0.6)))
    with pytest.raises(InterventionError, match=r"in row 3 of head 1 · 2 add up to more than 1"):
        validate_cells(too_much, 5)


def _with(plain: Trace, *cells: CellIntervention) -> Trace:
    return replace(plain, cells=cells)


def test_a_weight_outside_of_the_window_or_without_others_is_refused() -> None:
    windowed = windowed_trace(9, 1)
    validate_reach(_with(windowed, _set(4, 5, 0.5)))
    with pytest.raises(InterventionError, match="Head 1 · 2 does not attend that far"):
        validate_reach(_with(windowed, _set(4, 6, 0.5)))
    with pytest.raises(InterventionError, match="No other weight of this row"):
        validate_reach(_with(windowed, _set(0, 0, 0.5), _set(0, 1, 0.25)))
    validate_reach(_with(make_trace(9), _set(0, 8, 0.5), _set(0, 1, 0.25)))


@pytest.mark.parametrize(
    "changes", [{"muted": ((2, 0),)}, {"heads": (HeadIntervention(0, 3),)}, {"cells": (_set(0, 5, 0.5),)}]
)
def test_an_intervention_elsewhere_is_none_of_the_trace(changes: dict[str, object]) -> None:
    plain = make_trace(5)
    validate_edits(plain)
    with pytest.raises(ValueError, match="none of this trace's"):
        replace(plain, **changes)  # type: ignore[arg-type]  # of any field
