"""The pinned pair in every head: what it follows, what it is of two runs, and when it is none."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.analysis.measures import head_overview
from bertviz_app.options import Run
from bertviz_app.viewmodels.heads import pinned_pair
from bertviz_app.viewmodels.heads.pinned_pair import PinnedPair
from bertviz_app.viewmodels.selection import Pair, Selection
from tests.support.factories import make_trace

Selections = dict[Run, Selection]


@pytest.fixture
def selections(qapp: QApplication) -> Selections:
    return {"A": Selection(), "B": Selection()}


@pytest.fixture
def pinned(selections: Selections) -> PinnedPair:
    return PinnedPair(selections)


def test_a_pinned_pair_has_its_weight_in_every_head(pinned: PinnedPair, selections: Selections) -> None:
    trace = make_trace(9)
    pinned.show("A", AttentionNumbers(trace))
    selections["A"].pin(7, 2)
    found = pinned.of("A")
    assert found is not None
    assert (found.title, found.tokens, found.numbers.trace) == ("w7 → w2", Pair(7, 2), trace)
    np.testing.assert_array_equal(found.column.weights, trace.attention(rows=slice(7, 8))[:, :, 0, 2])
    strongest = found.strongest()
    assert len(strongest) == 3
    assert strongest[0].weight == found.column.weights.max()
    assert found.fits(head_overview(trace))
    assert not found.fits(head_overview(make_trace(9, 4)))


def test_half_a_pair_is_none(pinned: PinnedPair, selections: Selections) -> None:
    pinned.show("A", AttentionNumbers(make_trace(9)))
    for pair in (Pair(query=3), Pair(key=3), Pair()):
        selections["A"].follow(Pair(), pair)
        assert pinned.of("A") is None


def test_the_pointer_changes_nothing(
    pinned: PinnedPair, selections: Selections, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned.show("A", AttentionNumbers(make_trace(9)))
    selections["A"].pin(7, 2)
    changes: list[None] = []
    pinned.changed.connect(lambda: changes.append(None))
    monkeypatch.setattr(pinned_pair, "pair_weights", lambda *_: pytest.fail("computed again"))
    selections["A"].hover(1, 4)
    selections["A"].leave()
    assert changes == []
    assert pinned.of("A") is not None


def test_another_run_has_other_weights_and_one_without_the_token_none(
    pinned: PinnedPair, selections: Selections
) -> None:
    pinned.show("A", AttentionNumbers(make_trace(9)))
    selections["A"].pin(7, 2)
    other = make_trace(9, seed=1)
    pinned.show("A", AttentionNumbers(other))
    found = pinned.of("A")
    assert found is not None
    assert found.numbers.trace is other
    np.testing.assert_array_equal(found.column.weights, other.attention(rows=slice(7, 8))[:, :, 0, 2])
    pinned.show("A", AttentionNumbers(make_trace(5)))
    assert pinned.of("A") is None


def test_run_b_has_a_pair_of_its_own_until_it_is_dropped(pinned: PinnedPair, selections: Selections) -> None:
    pinned.show("A", AttentionNumbers(make_trace(9)))
    pinned.show("B", AttentionNumbers(make_trace(12, seed=1)))
    selections["A"].pin(7, 2)
    assert pinned.of("B") is None
    selections["B"].follow(Pair(), Pair(10, 2))
    found = pinned.of("B")
    assert found is not None
    assert found.title == "w10 → w2"
    changes: list[None] = []
    pinned.changed.connect(lambda: changes.append(None))
    pinned.drop("B")
    assert pinned.of("B") is None
    assert len(changes) == 1
    pinned.drop("B")
    assert len(changes) == 1


def test_of_two_runs_there_is_the_difference_in_the_heads_of_both(
    pinned: PinnedPair, selections: Selections
) -> None:
    one, other = make_trace(9), make_trace(8, n_layers=3, n_heads=2, seed=1)
    pinned.show("A", AttentionNumbers(one))
    selections["A"].pin(7, 2)
    assert pinned.difference() is None
    pinned.show("B", AttentionNumbers(other))
    selections["B"].follow(Pair(), Pair(query=6))
    assert pinned.difference() is None  # half of it has no counterpart
    selections["B"].follow(Pair(), Pair(6, 2))
    found = pinned.difference()
    assert found is not None
    expected = one.attention()[:, :2, 7, 2] - other.attention()[:2, :, 6, 2]
    np.testing.assert_allclose(found.values, expected, atol=1e-6)
    assert found.title == "w7 → w2 | w6 → w2"
    layer, head = np.unravel_index(np.abs(expected).argmax(), expected.shape)
    assert found.farthest == (int(layer), int(head))
    expected_weights = one.attention()[1, 1, 7, 2], other.attention()[1, 1, 6, 2]
    assert found.weights(1, 1) == pytest.approx(expected_weights, rel=1e-5)


def test_equal_runs_have_no_farthest_head(pinned: PinnedPair, selections: Selections) -> None:
    for run in ("A", "B"):
        pinned.show(run, AttentionNumbers(make_trace(9)))
        selections[run].follow(Pair(), Pair(7, 2))
    found = pinned.difference()
    assert found is not None
    assert (found.title, found.farthest) == ("w7 → w2", None)
