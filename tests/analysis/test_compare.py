"""Two runs beside each other: alignments and divergences by hand, and against naive ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.analysis import compare
from bertviz_app.analysis.compare import (
    GAP,
    Alignment,
    align,
    by_position,
    difference,
    divergence,
)
from bertviz_app.errors import Cancelled, ComparisonWarning, SelectionError
from bertviz_app.trace import Trace
from tests.support.factories import dense, diagonal, make_tokens, make_trace, trace_of

PIECES = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9)


def _rows(alignment: Alignment) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in alignment.positions]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a b c", "a b c", [(0, 0), (1, 1), (2, 2)]),
        ("a b c", "a x c", [(0, 0), (1, 1), (2, 2)]),
        ("a b c d", "a x y d", [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ("a b c", "a c", [(0, 0), (1, GAP), (2, 1)]),
        ("a c", "a b c", [(0, 0), (GAP, 1), (1, 2)]),
        ("a b c", "a x y c", [(0, 0), (1, GAP), (GAP, 1), (GAP, 2), (2, 3)]),
        # as many pieces, but one moved: more are equal in another order than place by place
        ("s a b c d e", "s b c d e f", [(0, 0), (1, GAP), (2, 1), (3, 2), (4, 3), (5, 4), (GAP, 5)]),
        # as many pieces by chance, with nothing in common
        ("a b", "c d", [(0, GAP), (1, GAP), (GAP, 0), (GAP, 1)]),
        ("a", "b", [(0, GAP), (GAP, 0)]),
    ],
)
def test_tokens_are_aligned(one: str, other: str, expected: list[tuple[int, int]]) -> None:
    assert _rows(align(one.split(), other.split())) == expected


def _longest_by_trying(one: Sequence[str], other: Sequence[str]) -> int:
    for length in range(min(len(one), len(other)), 0, -1):
        parts = {tuple(one[i] for i in chosen) for chosen in combinations(range(len(one)), length)}
        if any(
            tuple(other[i] for i in chosen) in parts for chosen in combinations(range(len(other)), length)
        ):
            return length
    return 0


@given(PIECES, PIECES)
def test_no_alignment_finds_more_equal_pieces(one: list[str], other: list[str]) -> None:
    alignment = align(one, other)
    n_equal = sum(one[a] == other[b] for a, b in alignment.pairs)
    assert n_equal == _longest_by_trying(one, other)


@given(PIECES, PIECES)
def test_each_token_stands_at_one_place_in_its_order(one: list[str], other: list[str]) -> None:
    alignment = align(one, other)
    for column, pieces in ((0, one), (1, other)):
        known = alignment.positions[:, column]
        assert known[known != GAP].tolist() == list(range(len(pieces)))
    assert not (alignment.positions == GAP).all(1).any()
    to_b = dict(alignment.positions[alignment.positions[:, 0] != GAP].tolist())
    assert alignment.to_b.tolist() == [to_b[token] for token in range(len(one))]


def test_runs_look_each_other_up() -> None:
    alignment = align(["a", "b", "c"], ["a", "x", "y", "c"])
    assert alignment.to_b.tolist() == [0, GAP, 3]
    assert alignment.pairs.tolist() == [[0, 0], [2, 3]]


def test_places_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="int32"):
        Alignment(np.zeros((3, 2), np.int64))


def _jensen_shannon(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the divergence as its definition has it: half the sum of two relative entropies."""
    total = 0.0
    for p, q in zip(one, other, strict=True):
        for weight in (p, q):
            if weight > 0:
                total += weight * math.log2(weight / ((p + q) / 2)) / 2
    return total


def _naive(one: Trace, other: Trace, alignment: Alignment) -> list[list[float]]:
    cubes = dense(one), dense(other)
    pairs = [(int(a), int(b)) for a, b in alignment.pairs]
    table: list[list[float]] = []
    for layer in range(min(one.n_layers, other.n_layers)):
        table.append([])
        for head in range(min(one.n_heads, other.n_heads)):
            values = []
            for a, b in pairs:
                row_a = [float(cubes[0][layer, head, a, key]) for key, _ in pairs]
                row_b = [float(cubes[1][layer, head, b, key]) for _, key in pairs]
                rest_a, rest_b = max(0.0, 1 - sum(row_a)), max(0.0, 1 - sum(row_b))
                values.append(_jensen_shannon([*row_a, rest_a], [*row_b, rest_b]))
            table[-1].append(sum(values) / len(values))
    return table


@pytest.mark.parametrize(("n_one", "n_other", "dropped"), [(7, 7, ()), (9, 7, (3, 5)), (7, 9, (4, 6))])
def test_divergences_are_those_of_the_definition(n_one: int, n_other: int, dropped: tuple[int, ...]) -> None:
    longer = make_tokens(max(n_one, n_other))
    remaining = [piece for position, piece in enumerate(longer.pieces) if position not in dropped]
    one, other = make_trace(n_one, seed=1), make_trace(n_other, 3, 2, seed=2)
    pieces = (longer.pieces, remaining) if n_one > n_other else (remaining, longer.pieces)
    alignment = align(*pieces)
    assert len(alignment.pairs) == min(n_one, n_other)
    found = divergence(one, other, alignment)
    assert found.shape == (2, 2)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, _naive(one, other, alignment), rtol=0, atol=2e-6)


def test_divergences_by_hand() -> None:
    """Rows alike diverge by 0 bits, rows with nothing in common by 1; [1, 0] and [1/2, 1/2] by 0.3113."""
    one = diagonal(2, 1, 3)
    other = one.copy()
    other[0, 1] = [[0, 1], [1, 0]]
    other[0, 2] = 0.5
    found = divergence(trace_of(one), trace_of(other), by_position(2))
    np.testing.assert_allclose(found, [[0, 1, 0.311278]], rtol=0, atol=1e-6)


def test_weight_on_keys_without_a_counterpart_counts_as_different() -> None:
    """Both tokens of A look at the one that B lacks; all three of B's rows stay within what is shared."""
    one = np.zeros((1, 1, 3, 3))
    one[..., 1] = 1
    alignment = Alignment(np.array([[0, 0], [1, GAP], [2, 1]], np.int32))
    found = divergence(trace_of(one), trace_of(diagonal(2)), alignment)
    np.testing.assert_allclose(found, [[1]], rtol=0, atol=1e-6)


def test_nothing_shared_is_as_different_as_can_be() -> None:
    alignment = align(["a", "b"], ["c"])
    assert divergence(make_trace(2), make_trace(1), alignment).tolist() == [[1] * 3] * 2


def test_a_run_does_not_diverge_from_itself() -> None:
    trace = make_trace(40, seed=5)
    assert divergence(trace, trace, by_position(40)).max() == 0


def test_divergence_is_alike_both_ways() -> None:
    one, other = make_trace(9, seed=1), make_trace(7, seed=2)
    there = align(one.tokens.pieces, other.tokens.pieces)
    back = align(other.tokens.pieces, one.tokens.pieces)
    np.testing.assert_allclose(divergence(one, other, there), divergence(other, one, back), rtol=0, atol=1e-6)


def test_blocks_change_nothing_and_may_be_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = make_trace(30, seed=1), make_trace(30, seed=2)
    whole = divergence(one, other, by_position(30))
    monkeypatch.setattr(compare, "_CELLS_AT_ONCE", 100)
    checks: list[int] = []
    np.testing.assert_allclose(
        divergence(one, other, by_position(30), lambda: checks.append(1)), whole, rtol=0, atol=1e-6
    )
    assert len(checks) > 20

    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        divergence(one, other, by_position(30), check)


def test_a_difference_has_gaps() -> None:
    one, other = make_trace(4, seed=1), make_trace(3, seed=2)
    alignment = Alignment(np.array([[0, 0], [1, GAP], [2, 1], [3, 2]], np.int32))
    found = difference(one, other, alignment, 1, 2)
    assert np.isnan(found[1]).all()
    assert np.isnan(found[:, 1]).all()
    expected = dense(one)[1, 2][np.ix_([0, 2, 3], [0, 2, 3])] - dense(other)[1, 2]
    np.testing.assert_allclose(found[np.ix_([0, 2, 3], [0, 2, 3])], expected, rtol=0, atol=1e-6)
    with pytest.raises(SelectionError):
        difference(one, other, alignment, 2, 0)


def test_what_is_not_compared_is_named() -> None:
    eight, twelve = make_trace(6, n_layers=3, n_heads=8), make_trace(6, n_layers=2, n_heads=12)
    assert compare.compare(eight, eight).left_out == ()
    with pytest.warns(ComparisonWarning) as caught:
        both = compare.compare(eight, twelve)
    assert [str(one.message) for one in caught] == list(both.left_out)
    assert all(one.filename == __file__ for one in caught)
    assert all(sentence in repr(both) and sentence in both._repr_html_() for sentence in both.left_out)
    assert both.left_out == (
        "Layer 2 of run A is left out: the other run has none.",
        "Heads 8 to 11 of run B are left out: the other run has none.",
    )
    with pytest.warns(ComparisonWarning):
        both = compare.compare(make_trace(6, n_layers=4, n_heads=2), make_trace(6, n_heads=1))
    assert both.left_out == (
        "Layers 2 to 3 of run A are left out: the other run has none.",
        "Head 1 of run A is left out: the other run has none.",
    )
    longer = make_trace(8)
    (sentence,) = compare.compare(make_trace(6), longer).left_out
    n_pairs = len(compare.compare(make_trace(6), longer).alignment.pairs)
    gaps = f"{6 - n_pairs} of run A and {8 - n_pairs} of run B"
    assert sentence == f"Only the {n_pairs} tokens that both runs have are compared; {gaps} are not."
