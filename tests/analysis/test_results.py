"""Results: their parameters, their files, and where one ranks or compares several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bertviz_app import Model, open_model
from bertviz_app.analysis import compare
from bertviz_app.analysis.compare import (
    GAP,
    Alignment,
    AttentionMatrix,
    DenseMatrix,
    align,
    by_position,
    difference,
    divergence,
)
from bertviz_app.analysis.entry import facts_of
from bertviz_app.analysis.parameters import (
    Choice,
    Index,
    NoParameters,
    Range,
    allowed_values,
    parameters_of,
    read_parameters,
)
from bertviz_app.analysis.picture import Axis, Quantity, counted
from bertviz_app.analysis.predictions import Classes, Filler, Filling, Label, Outcomes, Predictions
from bertviz_app.analysis.results import (
    HeadMatrices,
    HeadScalars,
    LayerRankings,
    NamedArrays,
    Scalar,
    TokenMatrices,
    TokenScalars,
)
from bertviz_app.errors import AnalysisError, Cancelled, ComparisonWarning, Message, SelectionError
from bertviz_app.features.methods.combined import HeadRanking, average_ranks, correlations
from bertviz_app.tables import table_as_csv as as_csv
from bertviz_app.trace import Trace
from tests.support.factories import dense, diagonal, make_tokens, make_trace, trace_of

WEIGHT = Quantity("weight", 0, 1)
GAPS = Alignment(np.array([[0, 0], [1, -1], [2, 1]], np.int32))


@pytest.fixture(scope="module")
def tiny(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


def _floats(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_scalars_of_heads_are_a_row_for_each_head() -> None:
    found = HeadScalars((Scalar("a", WEIGHT), Scalar("b", Quantity("bits", 0))), _floats(2, 2, 2))
    assert [axis.name for axis in found.axes] == ["scalar", "layer", "head"]
    assert as_csv(found.as_table()).splitlines()[:3] == ["layer,head,a,b", "0,0,0,4", "0,1,1,5"]
    np.testing.assert_array_equal(found.of("b"), _floats(2, 2, 2)[1])
    with pytest.raises(KeyError):
        found.of("c")


def test_a_difference_of_scalars_has_a_signed_range() -> None:
    a = HeadScalars((Scalar("a", WEIGHT),), _floats(1, 3, 2))
    b = HeadScalars((Scalar("a", WEIGHT),), np.ones((1, 2, 2), np.float32))
    found = a.minus(b)
    assert found.values.shape == (1, 2, 2)
    assert found.scalars[0].quantity == Quantity("weight", -1, 1)
    assert found.scalars[0].quantity.is_signed
    np.testing.assert_array_equal(found.values[0], [[-1, 0], [1, 2]])


def test_a_difference_of_scalars_is_of_those_that_both_have() -> None:
    a = HeadScalars((Scalar("a", WEIGHT), Scalar("b", WEIGHT), Scalar("c", WEIGHT)), _floats(3, 1, 2))
    b = HeadScalars((Scalar("d", WEIGHT), Scalar("b", WEIGHT)), np.ones((2, 1, 2), np.float32))
    found = a.minus(b)
    assert [scalar.key for scalar in found.scalars] == ["b"]
    np.testing.assert_array_equal(found.values, [[[1, 2]]])
    with pytest.raises(AnalysisError, match="no difference"):
        a.minus(HeadScalars((Scalar("d", WEIGHT),), np.ones((1, 1, 2), np.float32)))


def _matrices(values: np.ndarray[tuple[int, ...], np.dtype[np.float32]], names: str) -> HeadMatrices:
    n_layers, n_heads = values.shape[:2]
    tokens = tuple(names)
    return HeadMatrices(
        n_layers, tokens, tokens, WEIGHT, lambda at, head: DenseMatrix(values[at, head]), n_heads=n_heads
    )


def test_matrices_of_heads_are_a_row_for_each_pair() -> None:
    values = _floats(1, 2, 2, 2)
    found = _matrices(values, "ab")
    assert found.axes[2].labels == ("a", "b")
    np.testing.assert_array_equal(found.arrays()["values"], values)
    lines = as_csv(found.as_table()).splitlines()
    assert lines[0] == "layer,head,query,key,value"
    assert lines[6] == "0,1,0,1,5"


def test_a_difference_of_matrices_has_nan_where_a_run_lacks_the_token() -> None:
    a, b = _floats(1, 1, 3, 3), np.ones((1, 1, 2, 2), np.float32)
    found = _matrices(a, "abc").minus(_matrices(b, "ax"), GAPS)
    assert found.queries == ("a", "b", "c | x")
    nan = np.nan
    expected = [[-1, nan, 1], [nan, nan, nan], [5, nan, 7]]
    np.testing.assert_array_equal(found.source(0, 0).rows(slice(None)), expected)
    np.testing.assert_array_equal(found.source(0, 0).column(2), [1, nan, 7])


def test_a_difference_of_layers_keeps_those_that_both_have() -> None:
    def of(values: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> TokenMatrices:
        return TokenMatrices(len(values), ("a",), ("a",), WEIGHT, lambda layer: DenseMatrix(values[layer]))

    found = of(_floats(3, 1, 1)).minus(of(np.ones((2, 1, 1), np.float32)), by_position(1))
    np.testing.assert_array_equal(found.arrays()["values"], [[[-1]], [[0]]])
    assert as_csv(found.as_table()) == "layer,query,key,value\n0,0,0,-1\n1,0,0,0\n"


def test_numbers_of_tokens_are_aligned_before_they_are_subtracted() -> None:
    a = TokenScalars(("a", "b", "c"), _floats(3), Quantity("norm", 0))
    b = TokenScalars(("a", "c"), np.ones(2, np.float32), Quantity("norm", 0))
    found = a.minus(b, GAPS)
    np.testing.assert_array_equal(found.values, [-1, np.nan, 1])
    assert as_csv(found.as_table()) == "position,token,value\n0,a,-1\n1,b,\n2,c,1\n"
    with_states = TokenScalars(("a", "b"), _floats(2, 2), Quantity("norm", 0), states="layer")
    assert [axis.name for axis in with_states.axes] == ["layer", "token"]
    np.testing.assert_array_equal(with_states.minus(with_states, by_position(2)).values, np.zeros((2, 2)))


def test_rankings_are_a_row_for_each_piece() -> None:
    ids = np.array([[[7, 3]]], np.int32)
    found = LayerRankings(("a",), ids, np.array([[[0.75, 0.25]]], np.float32), {7: "x", 3: "y"})
    expected = "state,position,token,rank,piece,id,probability\n0,0,a,1,x,7,0.75\n0,0,a,2,y,3,0.25\n"
    assert as_csv(found.as_table()) == expected


def _classes(**values: float) -> Predictions:
    labels = tuple(Label(name, value) for name, value in values.items())
    return Predictions((), None, Classes("single_label_classification", labels), ())


def test_outcomes_are_named_by_head_and_label_and_their_memory_grows_with_their_number() -> None:
    one, three = _classes(a=0.5), _classes(a=0.5, b=0.25, c=0.25)
    assert Outcomes(one).axes[0].labels == ("classes a",)
    filler = Filler("cat", 4, 0.5, 1)
    filled = Outcomes(Predictions((Filling(3, True, (filler,), None),)))
    assert filled.axes[0].labels == ("masked 3 cat",)
    assert Outcomes(three).n_bytes == 3 * Outcomes(one).n_bytes > 0


def test_named_arrays_know_the_axes_of_each() -> None:
    axes = {"a": (counted("token", 2),), "b": (counted("token", 2), counted("dimension", 1))}
    found = NamedArrays({"a": _floats(2), "b": _floats(2, 1)}, axes, main="b")
    assert found.other_axes == axes
    assert found.axes == axes["b"]
    np.testing.assert_array_equal(found.arrays()["values"], _floats(2, 1))
    assert as_csv(found.as_table()).splitlines() == [
        "array,index,of,value",
        "a,0,0,0",
        "a,1,1,1",
        "b,0.0,0 · 0,0",
        "b,1.0,1 · 0,1",
    ]
    with pytest.raises(ValueError, match="the axes of a"):
        NamedArrays({"a": _floats(3)}, axes, main="a")
    with pytest.raises(ValueError, match="no array values"):
        NamedArrays({"a": _floats(2)}, axes)


def test_the_matrix_of_a_head_is_its_attention() -> None:
    trace = make_trace(5)
    factors = np.arange(trace.n_tokens, dtype=np.float32)
    plain, scaled = AttentionMatrix(trace, 0, 1), AttentionMatrix(trace, 0, 1, factors)
    np.testing.assert_array_equal(plain.rows(slice(None)), trace.attention(0, 1))
    np.testing.assert_array_equal(scaled.rows(np.array([2, 0])), (trace.attention(0, 1) * factors)[[2, 0]])
    np.testing.assert_array_equal(scaled.column(2), trace.attention(0, 1)[:, 2] * 2)


def test_the_numbers_of_a_result_cannot_be_written_to() -> None:
    found = TokenScalars(tuple("abc"), _floats(3), WEIGHT)
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 1


@dataclass(frozen=True)
class Some:
    share: Annotated[float, Range(0, 1)] = 0.5
    steps: Annotated[int, Range(1, None)] = 50
    mode: Annotated[str, Choice(("mean", "largest"))] = "mean"
    layer: Annotated[int, Index("layer")] = 0
    positions: Annotated[tuple[int, ...] | None, Index("token")] = None
    is_exact: bool = False


def test_values_are_read_from_text_as_from_their_own_types() -> None:
    text = {"share": "0.25", "steps": "7", "mode": "largest", "layer": "3", "positions": "1,4"}
    expected = Some(0.25, 7, "largest", 3, (1, 4), True)
    assert read_parameters(Some, {**text, "is_exact": "yes"}) == expected
    values = {"share": 0.25, "steps": 7, "mode": "largest", "layer": 3, "positions": [1, 4]}
    assert read_parameters(Some, {**values, "is_exact": True}) == expected


def test_numbers_of_numpy_are_numbers() -> None:
    values = {"share": np.float32(0.25), "steps": np.int64(7), "layer": np.uint8(3)}
    assert read_parameters(Some, values) == Some(0.25, 7, layer=3)
    assert type(read_parameters(Some, values).steps) is int
    for positions in (np.array([1, 4]), range(1, 5, 3)):
        assert read_parameters(Some, {"positions": positions}).positions == (1, 4)


WRONG: dict[str, tuple[object, ...]] = {
    "share": ("1.5", "nan", "half", None, True, np.float32("nan")),
    "steps": (math.inf, np.float64("-inf"), "0", 1.5, "1.5"),
    "positions": ({1: 2}, "1,x", (-1,), 1.5),
    "mode": ("sum", 1),
    "layer": (-1,),
    "is_exact": ("perhaps", 1),
}


def test_a_value_that_a_parameter_cannot_be_is_refused_by_name() -> None:
    for name, values in WRONG.items():
        for value in values:
            with pytest.raises(AnalysisError, match=f"“{name}” cannot be"):
                read_parameters(Some, {name: value})


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(AnalysisError, match=r"no parameter “shares”\. It has: share, steps"):
        read_parameters(Some, {"shares": 1})
    with pytest.raises(AnalysisError, match="It has none"):
        read_parameters(NoParameters, {"share": 1})


def test_each_parameter_describes_its_permitted_values() -> None:
    assert [allowed_values(parameter) for parameter in parameters_of(Some)] == [
        "It is a number from 0 to 1.",
        "It is 1 or more.",
        "It is one of: mean, largest.",
        "It is the number of a layer, from 0.",
        "It is the numbers of tokens, from 0, with commas between them.",
        "It is yes or no.",
    ]


def test_a_message_among_the_annotations_is_the_label_of_a_form() -> None:
    @dataclass(frozen=True)
    class Labelled:
        share: Annotated[float, Range(0, 1), Message("Share of the rest")] = 0.5
        is_exact: Annotated[bool, Message("Exactly")] = False
        plain: int = 3

    found = parameters_of(Labelled)
    assert [parameter.label for parameter in found] == ["Share of the rest", "Exactly", "plain"]
    assert [parameter.bound for parameter in found] == [Range(0, 1), None, None]


def test_single_numbers_and_words_are_facts_and_arrays_are_not() -> None:
    changes = HeadScalars((Scalar("change", Quantity("")),), np.zeros((1, 2, 3), np.float32), outcome=0.75)
    assert facts_of(changes) == {"outcome": 0.75}
    assert facts_of(HeadScalars(changes.scalars, changes.values)) == {}
    axes = {"values": (Axis("step", ("0",)),)}
    chosen: dict[str, str | int | float] = {"piece": "fish", "logit": 2.5, "unknown": math.nan}
    named = NamedArrays({"values": np.zeros(1, np.float32)}, axes, chosen, identity_error=1e-7)
    assert facts_of(named) == {"piece": "fish", "logit": 2.5, "unknown": "nan"}


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
        # between equal ones: as many, or one more in one run, whose middle is left alone
        ("a b c", "a x y c", [(0, 0), (GAP, 1), (1, 2), (2, 3)]),
        ("i sat on the", "i put money in the", [(0, 0), (1, 1), (GAP, 2), (2, 3), (3, 4)]),
        ("a b c d e f", "a x c y f", [(0, 0), (1, 1), (2, 2), (3, GAP), (4, 3), (5, 4)]),
        ("a b c", "a x y z c", [(0, 0), (1, GAP), (GAP, 1), (GAP, 2), (GAP, 3), (2, 4)]),
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
def test_no_alignment_finds_more_equal_pieces_and_each_token_stands_at_one_place_in_its_order(
    one: list[str], other: list[str]
) -> None:
    alignment = align(one, other)
    n_equal = sum(one[a] == other[b] for a, b in alignment.pairs)
    assert n_equal == _longest_by_trying(one, other)
    for column, pieces in ((0, one), (1, other)):
        known = alignment.positions[:, column]
        assert known[known != GAP].tolist() == list(range(len(pieces)))
    assert not (alignment.positions == GAP).all(1).any()
    to_b = dict(alignment.positions[alignment.positions[:, 0] != GAP].tolist())
    assert alignment.to_b.tolist() == [to_b[token] for token in range(len(one))]


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


@pytest.mark.parametrize(("most", "is_kept"), [(36, True), (35, False)])
def test_a_small_matrix_is_computed_once(most: int, is_kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "MOST_CACHED", most)
    matrix = AttentionMatrix(make_trace(6), 1, 2)
    some = slice(1, 3)
    assert np.shares_memory(matrix.rows(some), matrix.rows(some)) == is_kept
    np.testing.assert_allclose(matrix.rows(some), dense(make_trace(6))[1, 2, some], atol=1e-6)


def test_a_column_of_a_large_matrix_needs_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "MOST_CACHED", 35)
    monkeypatch.setattr(AttentionMatrix, "computed", lambda *_: pytest.fail("it was computed by rows"))
    trace, factors = make_trace(6), np.arange(6, dtype=np.float32)
    expected = dense(trace)[1, 2, :, 4]
    np.testing.assert_allclose(AttentionMatrix(trace, 1, 2).column(4), expected, atol=1e-6)
    np.testing.assert_allclose(AttentionMatrix(trace, 1, 2, factors).column(4), 4 * expected, atol=1e-6)


def test_matrices_of_all_layers_are_refused_from_the_first_byte_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace, n_bytes = make_trace(6, n_layers=2), 4 * 2 * 6 * 6
    monkeypatch.setattr(compare, "MAX_BYTES", n_bytes)
    assert compare.large_matrices(trace) is None
    monkeypatch.setattr(compare, "MAX_BYTES", n_bytes - 1)
    assert "6 tokens" in str(compare.large_matrices(trace))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("row", range(4))
def test_the_largest_difference_is_found_in_whichever_row_it_is(row: int, sign: int) -> None:
    weights = np.full((2, 3, 4, 4), 0.25)
    weights[1, 2, row] += [0.125 * sign, -0.0625 * sign, -0.0625 * sign, 0]
    even = trace_of(np.full_like(weights, 0.25))
    assert compare.largest_difference(trace_of(weights), even) == pytest.approx(0.125)


def test_a_notebook_draws_the_heads_of_two_runs_where_that_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    both, title = compare.compare(make_trace(6), make_trace(6, seed=1)), "How differently each head attends"
    page = both._repr_html_()
    assert page.count("<svg") == page.count(title) == 1
    monkeypatch.setattr(compare, "MOST_NUMBERS", 6 * 6 * 2 * 3 - 1)
    page = both._repr_html_()
    assert page.count("<svg") == page.count(title) == 0


def test_equal_numbers_share_their_ranks() -> None:
    np.testing.assert_allclose(average_ranks(np.array([3.0, 1.0, 3.0, 7.0])), [2.5, 1, 2.5, 4])


def test_correlations_by_hand() -> None:
    rows = np.array([[1.0, 2, 3], [3.0, 2, 1], [2.0, 2, 2], [1.0, 3, 2]])
    found = correlations(rows)
    np.testing.assert_allclose(found[0], [1, -1, np.nan, 0.5])
    assert np.isnan(found[2, 2]), "equal numbers have no order, not even with themselves"
    np.testing.assert_allclose(found, found.T)


def test_ranks_without_relation_correlate_with_0_and_no_rounding() -> None:
    ranks = np.array([np.arange(1.0, 10), [8.0, 2, 9, 3, 1, 4, 5, 7, 6]])
    assert correlations(ranks)[0, 1] == 0


def test_curves_begin_and_end_where_they_must(tiny: Model) -> None:
    trace = tiny.trace("the cat ate fish")
    found = tiny.analyse("agreement", trace, target="pooled")
    assert isinstance(found, NamedArrays)
    assert trace.pooled is not None
    whole = np.linalg.norm(trace.pooled)
    deletion, insertion = found.named["deletion"], found.named["insertion"]
    np.testing.assert_allclose(deletion[:, 0], whole, rtol=1e-5)
    np.testing.assert_allclose(insertion[:, -1], whole, rtol=1e-5)
    np.testing.assert_allclose(deletion[:, -1], insertion[:, 0], rtol=1e-5)
    drops = tiny.analyse("occlusion", trace, target="pooled").arrays()["values"][1:5]
    np.testing.assert_allclose(deletion[0, 0] - deletion[0, 1], drops.max(), atol=1e-5)
    np.testing.assert_allclose(found.named["scores"][0], drops, atol=1e-6)


def test_methods_neither_agree_nor_disagree_about_one_token(tiny: Model) -> None:
    found = tiny.analyse("agreement", tiny.trace("cat"), target="pooled")
    assert np.isnan(found.arrays()["spearman"]).all()
    alike = {picture.key: picture for picture in found.pictures()}["spearman"]
    assert np.isnan(alike.values).all()


@pytest.mark.parametrize(("chosen", "n_steps"), [({}, 5), ({"steps": 10}, 10), ({"steps": 100}, 20)])
def test_steps_of_a_curve_of_many_tokens_name_how_many_are_masked(
    chosen: dict[str, Any], n_steps: int, tiny: Model
) -> None:
    text = " ".join(["the cat ate fish"] * 5)
    found = tiny.analyse("agreement", tiny.trace(text), target="pooled", **chosen)
    assert isinstance(found, NamedArrays)
    n_methods = len(found.named["spearman"])
    for curve in ("deletion", "insertion"):
        assert found.axes_of[curve][1].labels == tuple(map(str, range(0, 21, 20 // n_steps)))
        assert found.named[curve].shape == (n_methods, n_steps + 1)


@pytest.mark.parametrize(
    ("bytes_of_pair", "left_out"), [(24 * 32 - 1, {"decompx"}), (63, {"decompx", "chefer", "attn-lrp"})]
)
def test_methods_that_a_text_is_too_long_for_are_left_out(
    tiny: Model, monkeypatch: pytest.MonkeyPatch, bytes_of_pair: int, left_out: set[str]
) -> None:
    trace = tiny.trace("the cat ate")
    whole = tiny.analyse("agreement", trace, target="pooled")
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", bytes_of_pair * trace.n_tokens**2)
    found = tiny.analyse("agreement", trace, target="pooled")
    assert isinstance(whole, NamedArrays)
    assert isinstance(found, NamedArrays)
    methods = (whole.axes_of["spearman"][0].labels, found.axes_of["spearman"][0].labels)
    assert set(methods[0]) - set(methods[1]) == left_out
    for key in left_out:
        with pytest.raises(AnalysisError, match="memory"):
            tiny.analyse(key, trace)


def _spearman(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's correlation of numbers without ties, by its textbook formula."""
    ranks = [values.reshape(-1).argsort().argsort() for values in (one, other)]
    count = ranks[0].size
    return 1 - 6 * float(((ranks[0] - ranks[1]) ** 2).sum()) / (count * (count**2 - 1))


@pytest.mark.parametrize("flavour", ["zero", "uniform"])
def test_both_methods_stand_side_by_side_in_the_order_of_the_changes(tiny: Model, flavour: str) -> None:
    trace = tiny.trace("the cat ate the fish")
    found = tiny.analyse("head-ranking", trace, flavour=flavour)
    assert isinstance(found, HeadRanking)
    change = tiny.analyse("head-ablation", trace, flavour=flavour).arrays()["values"][0]
    importance = tiny.analyse("head-importance", trace).arrays()["values"][0]
    np.testing.assert_array_equal(found.of("change"), change)
    np.testing.assert_allclose(found.of("importance"), importance, rtol=1e-6)
    rows = list(found.as_table().rows)
    assert len(rows) == change.size
    sizes = [abs(float(row[2])) for row in rows]  # type: ignore[arg-type]
    assert sizes == sorted(sizes, reverse=True)
    assert [row[4] for row in rows] == list(range(1, len(rows) + 1))
    layer, head = found.order()[0]
    assert abs(change[layer, head]) == np.abs(change).max()
    most = np.unravel_index(importance.argmax(), importance.shape)
    assert found.of("rank by importance")[most] == 1
    assert found.agreement == pytest.approx(_spearman(np.abs(change), importance), abs=1e-6)
    assert found.flavour == flavour
