"""The kinds of results: their axes, tables and differences."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.compare import Alignment, AttentionMatrix, DenseMatrix, by_position
from bertviz_app.analysis.predictions import Classes, Effect, Filler, Filling, Label, Outcomes, Predictions
from bertviz_app.analysis.results import (
    HeadMatrices,
    HeadScalars,
    LayerRankings,
    NamedArrays,
    Quantity,
    Scalar,
    TokenMatrices,
    TokenScalars,
    counted,
)
from bertviz_app.errors import AnalysisError
from bertviz_app.tables import table_as_csv as as_csv
from tests.support.factories import make_trace

WEIGHT = Quantity("weight", 0, 1)
GAPS = Alignment(np.array([[0, 0], [1, -1], [2, 1]], np.int32))


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


def test_an_effect_pairs_outcomes_by_name() -> None:
    effect = Effect(_classes(good=0.75, bad=0.25), _classes(bad=0.5, good=0.5))
    np.testing.assert_array_equal(effect.arrays()["values"], [[0.75, 0.5], [0.25, 0.5]])
    lines = as_csv(effect.as_table()).splitlines()
    assert lines == ["head,position,name,before,after", "classes,,good,0.75,0.5", "classes,,bad,0.25,0.5"]
    assert Outcomes(_classes(good=0.75)).axes[0].labels == ("classes good",)


def test_an_effect_has_what_only_one_side_names_and_the_other_side_is_unknown() -> None:
    filler = Filler("cat", 4, 0.5, 1)
    before = Predictions((Filling(3, True, (filler,), None),))
    effect = Effect(before, _classes(good=0.25))
    np.testing.assert_array_equal(effect.arrays()["values"], [[0.5, np.nan], [np.nan, 0.25]])
    outcomes, runs = effect.axes
    assert outcomes.labels == ("masked 3 cat", "classes good")
    assert len(runs) == 2
    assert Effect(Predictions(), Predictions()).arrays()["values"].shape == (0, 2)


def test_the_memory_of_outcomes_grows_with_their_number_and_that_of_an_effect_is_of_both_sides() -> None:
    one, three = _classes(a=0.5), _classes(a=0.5, b=0.25, c=0.25)
    assert Outcomes(three).n_bytes == 3 * Outcomes(one).n_bytes > 0
    assert Effect(one, three).n_bytes == Outcomes(one).n_bytes + Outcomes(three).n_bytes


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


def test_values_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="3 axes"):
        HeadScalars((Scalar("a", WEIGHT),), _floats(2, 2))
    with pytest.raises(ValueError, match="each token"):
        TokenScalars(("a",), _floats(2), WEIGHT)


def test_the_matrix_of_a_head_is_its_attention() -> None:
    trace = make_trace(5)
    factors = np.arange(trace.n_tokens, dtype=np.float32)
    plain, scaled = AttentionMatrix(trace, 0, 1), AttentionMatrix(trace, 0, 1, factors)
    np.testing.assert_array_equal(plain.rows(slice(None)), trace.attention(0, 1))
    np.testing.assert_array_equal(scaled.rows(np.array([2, 0])), (trace.attention(0, 1) * factors)[[2, 0]])
    np.testing.assert_array_equal(scaled.column(2), trace.attention(0, 1)[:, 2] * 2)


@pytest.mark.parametrize(("values", "states"), [(_floats(2, 3), None), (_floats(3), "layer")])
def test_numbers_of_tokens_have_as_many_axes_as_they_name(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float32]], states: str | None
) -> None:
    with pytest.raises(ValueError, match="axes, not"):
        TokenScalars(tuple("abc"), values, WEIGHT, states)


def test_the_numbers_of_a_result_cannot_be_written_to() -> None:
    found = TokenScalars(tuple("abc"), _floats(3), WEIGHT)
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 1
