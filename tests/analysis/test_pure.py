"""Analyses that need the trace alone, against computations by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.compare import align_tokens, divergence
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.measures import BROAD_SHARE, KEYS, MeasureKey, names_of
from bertviz_app.analysis.parameters import SILENT, NoParameters
from bertviz_app.analysis.pure.heads import (
    PATTERNS,
    _of_head as of_head,
    head_distance,
    head_patterns,
    inter_sentence,
    map_of,
)
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.analysis.vectors import text_cosines, text_vectors
from bertviz_app.api import open_model
from bertviz_app.errors import AnalysisError
from bertviz_app.features.corpora.summary import (
    LEAST_EVIDENCE,
    N_BINS,
    CorpusSummary,
    SummaryBuilder,
    heads_in_order,
)
from bertviz_app.features.methods.decomposition import decompx as rollout_module
from bertviz_app.features.methods.decomposition.decompx import (
    FlowParameters,
    RolloutParameters,
    attention_flow,
    rollout,
)
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from tests.support.exactness import of_bound
from tests.support.factories import dense, diagonal, make_trace, trace_of


def _values(trace: Trace, residual: float = 0.5) -> Doubles:
    found = rollout(Inputs(trace), RolloutParameters(residual), SILENT).arrays()["values"]
    return np.asarray(found, np.float64)


def _naive(trace: Trace, residual: float) -> Doubles:
    """Return the definition, cell by cell: what reaches i from j through every token k of the layer below."""
    attention = dense(trace)
    n_layers, n_heads, n_tokens = attention.shape[:3]
    found = np.zeros((n_layers, n_tokens, n_tokens))
    for layer in range(n_layers):
        for i, j in np.ndindex(n_tokens, n_tokens):
            for k in range(n_tokens):
                mean = sum(attention[layer, head, i, k] for head in range(n_heads)) / n_heads
                direct = (1 - residual) * mean + residual * (i == k)
                below = float(k == j) if layer == 0 else found[layer - 1, k, j]
                found[layer, i, j] += direct * below
    return found


def test_two_layers_by_hand() -> None:
    """The first layer moves everything to token 0, the second exchanges the two tokens."""
    first, second = [[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]
    found = _values(trace_of(np.array([[first], [second]])))
    np.testing.assert_allclose(found[0], [[1.0, 0.0], [0.5, 0.5]], atol=1e-6)
    # Half of a token's own row, half of the other's. The product in the other order is 0.5 everywhere.
    np.testing.assert_allclose(found[1], [[0.75, 0.25], [0.75, 0.25]], atol=1e-6)


@pytest.mark.parametrize("residual", [0.0, 0.5, 0.8, 1.0])
def test_it_is_its_definition(residual: float) -> None:
    trace = make_trace(7, n_layers=3)
    found = _values(trace, residual)
    np.testing.assert_allclose(found, _naive(trace, residual), atol=1e-6)
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-6)


def test_a_muted_head_carries_nothing() -> None:
    attention = make_trace(5, n_layers=1, n_heads=2)
    alone = replace(
        attention, **{name: getattr(attention, name)[:, :1] for name in ("queries", "keys", "values", "lse")}
    )
    np.testing.assert_allclose(_values(replace(attention, muted=((0, 1),))), _values(alone), atol=1e-7)
    np.testing.assert_array_equal(_values(replace(attention, muted=((0, 0), (0, 1))))[0], np.eye(5))


def test_blocks_of_rows_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(33)
    expected = _values(trace)
    monkeypatch.setattr(rollout_module, "_PRODUCTS_AT_ONCE", 1)
    assert of_bound([_values(trace)], [expected], [_naive(trace, 0.5)]) <= 1


CLS = (0.146, 0.0773, 0.0762, 0.0752, 0.0752, 0.0759, 0.0756, 0.0767, 0.0759, 0.0755, 0.0803, 0.0902)
"""The row of [CLS] after the last layer of MiniLM, by another program."""


def test_the_flow_of_two_layers_by_hand() -> None:
    """Without residuals: token 0 of layer 1 looks 0.3 at 0 and 0.7 at 1; both look at 0 below with 0.6.

    To token 0 flow at most 0.3 through the one and 0.6 through the other, to token 1 0.3 and 0.4.
    """
    attention = np.array([[[[0.6, 0.4], [0.6, 0.4]]], [[[0.3, 0.7], [0.5, 0.5]]]])
    found = attention_flow(Inputs(trace_of(attention)), FlowParameters(query=0, residual=0.0), SILENT)
    flows = np.array([0.3 + 0.6, 0.3 + 0.4])
    np.testing.assert_allclose(found.named["values"], [flows / flows.sum()], atol=1e-6)
    first = attention_flow(Inputs(trace_of(attention)), FlowParameters(layer=0, residual=0.5), SILENT)
    np.testing.assert_allclose(first.named["values"], [[0.8, 0.2], [0.3, 0.7]], atol=1e-6)


def test_long_texts_need_one_query() -> None:
    trace = trace_of(diagonal(60))
    with pytest.raises(AnalysisError, match="up to 48 tokens; this text has 60"):
        attention_flow(Inputs(trace), FlowParameters(), SILENT)
    found = attention_flow(Inputs(trace), FlowParameters(query=59), SILENT)
    np.testing.assert_allclose(found.named["values"][0], np.eye(60)[59], atol=1e-6)


def test_a_text_whose_graph_fills_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(diagonal(5, n_layers=3))
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", 40 * 2 * 5**2)
    with pytest.raises(AnalysisError, match="This analysis of 5 tokens"):
        attention_flow(Inputs(trace), FlowParameters(query=4), SILENT)
    found = attention_flow(Inputs(trace), FlowParameters(query=4, layer=1), SILENT)
    np.testing.assert_allclose(found.named["values"][0], np.eye(5)[4], atol=1e-6)


def test_no_flow_goes_through_a_muted_head() -> None:
    trace = make_trace(5, n_layers=1, n_heads=2)
    fields = ("queries", "keys", "values", "lse")
    alone = replace(trace, **{name: getattr(trace, name)[:, :1] for name in fields})

    def flow_of(of: Trace) -> Floats:
        return attention_flow(Inputs(of), FlowParameters(), SILENT).named["values"]

    np.testing.assert_allclose(flow_of(replace(trace, muted=((0, 1),))), flow_of(alone), atol=1e-6)
    np.testing.assert_array_equal(flow_of(replace(trace, muted=((0, 0), (0, 1)))), np.eye(5))


def test_without_scipy_flow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertviz_app.features.methods.decomposition.decompx.find_spec", lambda name: None)
    with pytest.raises(AnalysisError, match="needs SciPy"):
        attention_flow(Inputs(trace_of(diagonal(3))), FlowParameters(), SILENT)


N = 10
PAIR = np.arange(N) >= N // 2
SAME = PAIR[:, None] == PAIR
THREE = SAME & np.isin((np.arange(N) - np.arange(N)[:, None]) % (N // 2), (1, 2, 3))
"""Each token attends to three of the five of its sentence: entropy ln 3, between 0.6 ln 5 and 0.6 ln 10."""


def name(weights: np.ndarray, same: np.ndarray | None = None) -> str:
    return PATTERNS[int(of_head(weights / weights.sum(1, keepdims=True), same)[0])]


@pytest.mark.parametrize(
    ("weights", "same", "expected"),
    [
        (np.ones((N, N)), None, "heterogeneous"),
        (np.ones((N, N)) + 20 * (np.arange(N) == 3), None, "vertical"),
        (np.ones((N, N)) + 9 * np.eye(N, k=-1), None, "diagonal"),
        (np.ones((N, N)) + 60 * (np.arange(N) == 3) + 60 * np.eye(N, k=1), None, "vertical and diagonal"),
        (np.where(SAME, 1.0, 0.01), SAME, "block"),
        (np.where(SAME, 1.0, 0.01), None, "heterogeneous"),
        (THREE.astype(float), SAME, "block"),
        (np.where(SAME, 1.0, 0.5), SAME, "heterogeneous"),
    ],
)
def test_the_pattern_of_a_head(weights: np.ndarray, same: np.ndarray | None, expected: str) -> None:
    assert name(weights, same) == expected


def test_shares_of_a_trace_are_those_of_its_weights() -> None:
    trace = make_trace(9, n_layers=2, n_heads=3)
    result = head_patterns(Inputs(trace), NoParameters(), SILENT)
    weights = trace.attention(1, 2).astype(np.float64)
    assert result.of("vertical")[1, 2] == pytest.approx(np.sort(weights.sum(0))[-2:].sum() / 9, rel=1e-5)
    assert result.of("diagonal")[1, 2] == pytest.approx(
        max(np.trace(weights, at) for at in (-1, 0, 1)) / 9, rel=1e-5
    )
    assert result.of("within")[1, 2] == 1
    assert set(result.of("pattern").ravel()) <= set(range(len(PATTERNS)))


def test_what_crosses_between_sentences_adds_up() -> None:
    trace = make_trace(9, n_layers=2, n_heads=3)
    sentences = np.array([-1, 0, 0, 0, -1, 1, 1, 1, -1], np.int32)
    trace = replace(trace, tokens=replace(trace.tokens, pair="a second one", sentences=sentences))
    result = inter_sentence(Inputs(trace), NoParameters(), SILENT)
    assert result.identity_error is not None
    assert 0 < result.identity_error < 1e-6
    weights = trace.attention(1, 2)
    assert result.of("1 → 2")[1, 2] == pytest.approx(weights[1:4, 5:8].sum(1).mean(), rel=1e-5)
    assert result.of("2 → 1")[1, 2] == pytest.approx(weights[5:8, 1:4].sum(1).mean(), rel=1e-5)
    for first in (0, 3):
        np.testing.assert_allclose(result.values[first : first + 3].sum(0), 1, atol=1e-5)


def test_of_one_sentence_there_is_itself_and_the_special_tokens() -> None:
    result = inter_sentence(Inputs(make_trace(9)), NoParameters(), SILENT)
    assert [scalar.key for scalar in result.scalars] == ["1 → 1", "1 → special"]
    np.testing.assert_allclose(result.values.sum(0), 1, atol=1e-5)


def test_patterns_themselves_have_no_difference() -> None:
    inputs = (Inputs(make_trace(8, seed=seed)) for seed in (1, 2))
    one, other = (head_patterns(each, NoParameters(), SILENT) for each in inputs)
    difference = one.minus(other)
    assert [scalar.key for scalar in difference.scalars] == ["vertical", "diagonal", "within"]
    assert np.array_equal(difference.of("diagonal"), one.of("diagonal") - other.of("diagonal"))


def test_two_heads_by_hand() -> None:
    """Heads that look at other tokens are nearly ln 2 apart in each row; a head is 0 from itself."""
    attention = np.array([[[[1.0, 0], [1, 0]], [[0, 1.0], [1, 0]]]])
    found = head_distance(Inputs(trace_of(attention)), NoParameters(), SILENT)
    p, q = 0.999 + 0.0005, 0.0005
    middle = 0.5
    row = p * np.log(p / middle) + q * np.log(q / middle)  # both rows are as far from their mean
    expected = [[0, row], [row, 0]]
    np.testing.assert_allclose(found.named["values"], expected, atol=1e-6)
    assert row < np.log(2)
    np.testing.assert_allclose(np.abs(found.named["map"][:, 0]), row / 2, atol=1e-6)


def test_a_map_keeps_the_distances_of_a_plane() -> None:
    """Of points in a plane the map is the plane again, turned or mirrored."""
    points = np.array([[0.0, 0], [3, 0], [0, 4], [3, 4]])
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    found = map_of(distances)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found, axis=-1), distances, atol=1e-5)


def test_it_is_that_of_the_comparison_in_bits(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace, other = model.trace("the cat ate"), model.trace("the cat ate", muted=[(0, 1)])
    found = model.analyse("divergence", trace, other)
    assert isinstance(found, HeadScalars)
    (scalar,) = found.scalars
    assert (scalar.quantity.unit, scalar.quantity.lowest, scalar.quantity.highest) == ("bits", 0, 1)
    np.testing.assert_array_equal(
        found.arrays()["values"][0], divergence(trace, other, align_tokens(trace.tokens, other.tokens))
    )
    assert found.arrays()["values"][0][1].max() > 0, "the muted head changes what layer 1 attends to"


def _vector(*numbers: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.array(numbers, np.float32)


def test_each_vector_that_both_texts_have_is_compared() -> None:
    one = replace(make_trace(5, seed=1), sentence_vector=_vector(1, 0, 0))
    other = replace(make_trace(7, seed=2), sentence_vector=_vector(3, 4, 0))
    found = text_cosines(one, other)
    assert list(found) == ["pooled", "cls", "mean", "sentence"]
    assert found["sentence"] == pytest.approx(0.6)
    a, b = (trace.hidden[-1].astype(float).mean(0) for trace in (one, other))
    assert found["mean"] == pytest.approx(float(a @ b) / math.hypot(*a) / math.hypot(*b), abs=1e-6)


def test_vectors_of_different_widths_and_absent_ones_are_not_compared() -> None:
    one = replace(make_trace(5), sentence_vector=_vector(1, 0), pooled=None)
    other = replace(make_trace(5), sentence_vector=_vector(1, 0, 0))
    assert list(text_vectors(one)) == ["cls", "mean", "sentence"]
    assert list(text_cosines(one, other)) == ["cls", "mean"]


N_SENTENCES, SHAPE = 300, (2, 3)


def made_up() -> tuple[np.ndarray, Floats]:
    """Return the numbers of tokens of sentences, and measures of heads that look at one place more often.

    Three of four sentences have enough tokens whose word is there again, see `n_word_of`.
    """
    source = np.random.default_rng(1)
    n_tokens = source.integers(3, 40, N_SENTENCES)
    values = source.random((N_SENTENCES, *SHAPE, len(KEYS)), np.float32) * 0.4
    entropy, distance, previous, word = (
        KEYS.index(key) for key in ("entropy", "distance", "previous", "word")
    )
    values[..., entropy] = source.random((N_SENTENCES, *SHAPE)) * 2
    values[..., distance] = source.random((N_SENTENCES, *SHAPE)) * 70
    values[:, 0, 1, previous] = source.random(N_SENTENCES) * 0.8 + 0.2  # three quarters of them from 0.5 on
    values[:, 1, 0, word] = source.random(N_SENTENCES) * 0.6 + 0.4
    values[:200, 1, 1, entropy] = np.log2(BROAD_SHARE * n_tokens[:200]) + 0.01
    return n_tokens, values


def n_word_of(n_tokens: np.ndarray) -> np.ndarray:
    """Return how many tokens of each sentence have their word elsewhere: 3 are too few for a name."""
    return np.where(np.arange(len(n_tokens)) % 4 == 0, 3, 4 + n_tokens % 5)


def summary_of(n_tokens: np.ndarray, values: Floats, block: int) -> CorpusSummary:
    builder = SummaryBuilder(KEYS, SHAPE)
    for first in range(0, len(values), block):
        part = slice(first, first + block)
        builder.add(n_tokens[part], values[part], n_word_of(n_tokens)[part])
    return builder.summary()


@pytest.mark.parametrize("block", [1, 7, N_SENTENCES])
def test_bars_and_means_are_those_of_all_sentences(block: int) -> None:
    n_tokens, values = made_up()
    summary = summary_of(n_tokens, values, block)
    np.testing.assert_allclose(summary.means, values.mean(0, np.float64).transpose(2, 0, 1), rtol=1e-6)
    for measure, highest in enumerate(summary.highest):
        assert highest in (1, 8, 128)
        edges = np.linspace(0, highest, N_BINS + 1)
        for head in np.ndindex(SHAPE):
            expected, _ = np.histogram(values[(slice(None), *head, measure)], edges)
            np.testing.assert_array_equal(summary.bars[(measure, *head)], expected)
    assert summary.highest[KEYS.index("distance")] == 128
    assert summary.highest[KEYS.index("first")] == 1


def test_a_weight_of_one_is_in_the_last_bar() -> None:
    values = np.ones((4, *SHAPE, len(KEYS)), np.float32)
    summary = summary_of(np.full(4, 9), values, 2)
    assert summary.bars[KEYS.index("first"), 0, 0, -1] == 4
    low, high = summary.range_of(KEYS.index("first"), N_BINS - 1)
    assert low < 1 < high


def test_names_have_the_share_of_the_sentences_that_give_them() -> None:
    n_tokens, values = made_up()
    summary = summary_of(n_tokens, values, 11)
    votes: dict[tuple[int, int], dict[str, int]] = {}
    is_long = np.flatnonzero(n_tokens > 4)
    for sentence in is_long.tolist():
        measures: dict[str, Floats] = {key: values[sentence, ..., at] for at, key in enumerate(KEYS)}
        n_queries: dict[MeasureKey, int] = dict.fromkeys(KEYS, int(n_tokens[sentence]))
        n_queries["word"] = int(n_word_of(n_tokens)[sentence])
        for head, name in names_of(measures, n_queries).items():
            votes.setdefault(head, {}).setdefault(name.rule.key, 0)
            votes[head][name.rule.key] += 1
    assert summary.n_named == len(is_long)
    expected = {}
    for head, found in votes.items():
        key = max(found, key=lambda each: found[each])
        if found[key] / len(is_long) >= LEAST_EVIDENCE:
            expected[head] = key, found[key] / len(is_long)
    assert {head: (name.rule.key, name.share) for head, name in summary.names.items()} == expected
    assert expected[0, 1][0] == "previous"
    assert expected[1, 1][0] == "broad"
    assert (0, 0) not in expected
    assert expected[1, 0][0] == "word"


def test_no_head_is_called_by_the_same_word_where_too_few_tokens_count() -> None:
    n_tokens, values = made_up()
    for n_word in (None, np.full(N_SENTENCES, 3)):
        builder = SummaryBuilder(KEYS, SHAPE)
        builder.add(n_tokens, values, n_word)
        assert (1, 0) not in builder.summary().names


def test_a_table_of_some_measures_names_by_these() -> None:
    n_tokens, values = made_up()
    at = KEYS.index("previous")
    builder = SummaryBuilder(("previous",), SHAPE)
    builder.add(n_tokens, values[..., at : at + 1])
    names = builder.summary().names
    assert {head: name.rule.key for head, name in names.items()} == {(0, 1): "previous"}


def test_heads_are_in_the_order_of_their_means() -> None:
    n_tokens, values = made_up()
    summary = summary_of(n_tokens, values, 50)
    assert heads_in_order(summary, None) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert heads_in_order(summary, KEYS.index("previous"))[0] == (0, 1)
