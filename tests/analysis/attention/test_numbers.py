"""Other numbers than weights, and removed special tokens: against what is computed from the trace by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.attention.overview import overview_of
from bertviz_app.analysis.attention.stamp import (
    AttentionNumbers,
    NumbersKind,
    SpecialTokens,
    Stamp,
    sink_layers,
    sinks_of,
)
from bertviz_app.analysis.compare import AttentionMatrix
from bertviz_app.analysis.measures import head_overview
from bertviz_app.analysis.results import HeadMatrices, Quantity, TokenMatrices
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from tests.support.factories import make_trace

NORM = Quantity("norm", 0)


@pytest.fixture
def trace() -> Trace:
    return make_trace(9, n_layers=2, n_heads=3)


def factors(trace: Trace) -> Floats:
    shape = trace.n_layers, trace.n_heads, trace.n_tokens
    return np.random.default_rng(4).uniform(0.1, 3, shape).astype(np.float32)


def norms(trace: Trace) -> AttentionNumbers:
    lengths, pieces = factors(trace), trace.tokens.pieces
    result = HeadMatrices(
        trace.n_layers,
        pieces,
        pieces,
        NORM,
        lambda layer, head: AttentionMatrix(trace, layer, head, lengths[layer, head]),
        n_heads=trace.n_heads,
    )
    return AttentionNumbers(trace, "norm", result)


def residual(trace: Trace) -> AttentionNumbers:
    values = np.random.default_rng(5).uniform(0, 2, (2, 9, 9)).astype(np.float32)
    pieces = trace.tokens.pieces
    return AttentionNumbers(trace, "residual", TokenMatrices.dense(values, pieces, pieces, NORM, 0.0))


def dense_norms(trace: Trace) -> Floats:
    weights = np.stack([trace.attention(layer) for layer in range(trace.n_layers)])
    return weights * factors(trace)[:, :, None]


def test_norms_are_weights_times_lengths(trace: Trace) -> None:
    numbers = norms(trace)
    expected = dense_norms(trace)
    found = np.stack([numbers.rows(layer, slice(2, 5)) for layer in range(2)])
    np.testing.assert_allclose(found, expected[:, :, 2:5], rtol=1e-6)
    pair = numbers.of_pair(3, 6, Stamp("norm"))
    np.testing.assert_allclose(pair, expected[:, :, 3, 6], rtol=1e-6)
    assert numbers.quantity() == NORM


def test_removed_tokens_leave_rows_that_add_up_to_1(trace: Trace) -> None:
    ordinary = ~trace.tokens.is_special
    assert 0 < ordinary.sum() < trace.n_tokens
    expected = dense_norms(trace)
    expected = expected[:, :, 3] / expected[:, :, 3][..., ordinary].sum(-1, keepdims=True)
    stamp = Stamp("norm", "removed")
    np.testing.assert_allclose(norms(trace).of_pair(3, 6, stamp), expected[..., 6], rtol=1e-5)
    assert np.isnan(norms(trace).of_pair(0, 6, stamp)).all()
    assert np.isnan(norms(trace).of_pair(3, 0, stamp)).all()


@pytest.mark.parametrize("special", ["shown", "hidden"])
def test_measures_of_norms_are_of_rows_divided_by_their_sums(trace: Trace, special: SpecialTokens) -> None:
    overview = overview_of(norms(trace), Stamp("norm", special))
    dense = dense_norms(trace).astype(np.float64)
    shares = dense / dense.sum(-1, keepdims=True)
    entropy = -(shares * np.log2(shares)).sum(-1).mean(-1)
    np.testing.assert_allclose(overview.measures["entropy"], entropy, atol=1e-5)
    np.testing.assert_allclose(overview.measures["largest"], shares.max(-1).mean(-1), atol=1e-6)
    shown = np.ones(9, bool) if special == "shown" else ~trace.tokens.is_special
    np.testing.assert_allclose(overview.pictures, dense[:, :, shown][..., shown], rtol=1e-5)
    assert overview.stamp == Stamp("norm", special)


@pytest.mark.parametrize("kind", ["weight", "norm"])
def test_measures_without_special_tokens(trace: Trace, kind: NumbersKind) -> None:
    numbers = AttentionNumbers(trace) if kind == "weight" else norms(trace)
    overview = overview_of(numbers, Stamp(kind, "removed"))
    ordinary = np.flatnonzero(~trace.tokens.is_special)
    dense = np.stack([numbers.rows(layer, slice(None)) for layer in range(2)]).astype(np.float64)
    left = dense[:, :, ordinary][..., ordinary]
    left /= left.sum(-1, keepdims=True)
    np.testing.assert_allclose(overview.pictures, left, rtol=1e-5)
    np.testing.assert_allclose(
        overview.measures["same"], np.einsum("lhii->lh", left) / len(ordinary), atol=1e-6
    )
    assert not overview.measures["first"].any()
    assert not overview.measures["separator"].any()
    followed = np.flatnonzero(np.diff(ordinary) == 1)
    previous = sum(left[:, :, at + 1, at] for at in followed) / len(followed)
    np.testing.assert_allclose(overview.measures["previous"], previous, atol=1e-6)
    assert overview.n_queries["previous"] == len(followed)


def test_weights_of_all_tokens_are_measured_as_ever(trace: Trace) -> None:
    plain, found = head_overview(trace), overview_of(AttentionNumbers(trace), Stamp())
    for key, values in plain.measures.items():
        np.testing.assert_array_equal(found.measures[key], values)


def test_numbers_of_a_layer_have_one_matrix(trace: Trace) -> None:
    numbers = residual(trace)
    overview = overview_of(numbers, Stamp("residual"))
    assert overview.pictures.shape == (2, 1, 9, 9)
    assert numbers.of_pair(1, 2, Stamp("residual")).shape == (2, 1)
    np.testing.assert_array_equal(overview.pictures[1, 0], numbers.rows(1, slice(None))[0])


def test_a_long_text_is_pooled_as_one_block_would_be() -> None:
    trace = make_trace(150, n_layers=1, n_heads=2)
    overview = overview_of(norms(trace), Stamp("norm"))
    dense = dense_norms(trace)
    expected = np.zeros((1, 2, 50, 50), np.float32)
    for row in range(50):
        for column in range(50):
            block = dense[:, :, 3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
            expected[:, :, row, column] = block.max((-2, -1))
    np.testing.assert_allclose(overview.pictures, expected, rtol=1e-6)


def test_a_sink_gathers_much_and_its_values_are_short(trace: Trace) -> None:
    received = np.ones((2, 9), np.float32)
    received[:, 4] = 9.0
    values = trace.values.copy()
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    values /= lengths
    values[1, :, 4] *= 0.5
    from dataclasses import replace

    even = replace(trace, values=values)
    found = sinks_of(even, received)
    expected = np.zeros((2, 9), bool)
    expected[1, 4] = True  # in layer 0 its values are as long as the others'
    np.testing.assert_array_equal(found, expected)
    assert sink_layers(found) == {4: (1,)}
    received[1, 4] = 2.4
    assert not sinks_of(even, received).any()


def test_a_stamp_names_the_analysis() -> None:
    assert Stamp("norm", "removed").facts == {
        "numbers": "norm",
        "special_tokens": "removed",
        "numbers_analysis": "norm-attention",
    }
    assert Stamp().text == "weight, special tokens shown"
