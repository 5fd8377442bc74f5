"""Measures of heads: as their names describe them, in batches, in baselines, and in tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from bertviz_app.analysis import measures
from bertviz_app.analysis.measures import (
    BROAD_SHARE,
    COLUMNS,
    KEYS,
    LEAST_QUERIES,
    LEAST_SHARE,
    MEASURES,
    NAME_RULES,
    Extras,
    HeadName,
    MeasureKey,
    Measures,
    PairColumn,
    as_csv,
    head_measures,
    head_names,
    head_overview,
    heads_by,
    save_measures,
)
from bertviz_app.analysis.probing.baselines import EndOfPassError, MeasuringTap, in_random_order
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.api import open_model
from bertviz_app.encoder.encoder import Encoder, encoder_inputs
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import Check
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from tests.support.checkpoint_folders import opened
from tests.support.exactness import of_bound, passes
from tests.support.factories import (
    biased_trace,
    dense,
    diagonal,
    disentangled_trace,
    make_tokens,
    make_trace,
    trace_of,
    windowed_trace,
)
from tests.support.families import write_family
from tests.support.peers import arrays_of, outputs, random_tokens, tensors

SIZES = (1, 2, 3, 12, 64, 65, 130)


def _entropy(weights: Doubles, trace: Trace) -> Doubles:
    bits: Doubles = -(weights * np.log2(np.maximum(weights, 1e-300))).sum(-1).mean(-1)  # 0 where 0
    return bits


def _previous(weights: Doubles, trace: Trace) -> Doubles:
    """The mean over the queries that have a token before them."""
    if trace.n_tokens == 1:
        return np.zeros(weights.shape[:2])
    mean: Doubles = np.diagonal(weights, -1, -2, -1).mean(-1)
    return mean


def _distance(weights: Doubles, trace: Trace) -> Doubles:
    """The mean over queries of the distance to the key."""
    places = np.arange(trace.n_tokens)
    mean: Doubles = (weights * np.abs(places[:, None] - places)).sum(-1).mean(-1)
    return mean


def _same(weights: Doubles, trace: Trace) -> Doubles:
    mean: Doubles = np.trace(weights, axis1=-2, axis2=-1) / trace.n_tokens
    return mean


def _next(weights: Doubles, trace: Trace) -> Doubles:
    if trace.n_tokens == 1:
        return np.zeros(weights.shape[:2])
    mean: Doubles = np.diagonal(weights, 1, -2, -1).mean(-1)
    return mean


def _first(weights: Doubles, trace: Trace) -> Doubles:
    mean: Doubles = weights[..., 0].mean(-1)
    return mean


def _separator(weights: Doubles, trace: Trace) -> Doubles:
    positions = [position for position in np.flatnonzero(trace.tokens.is_special) if position != 0]
    mean: Doubles = weights[..., positions].sum(-1).mean(-1)
    return mean


def _largest(weights: Doubles, trace: Trace) -> Doubles:
    mean: Doubles = weights.max(-1).mean(-1)
    return mean


def _word(weights: Doubles, trace: Trace) -> Doubles:
    """The mean over the queries of whose word there are other tokens."""
    labels = np.array(trace.tokens.labels)
    same = (labels[:, None] == labels) & ~np.eye(len(labels), dtype=bool) & ~trace.tokens.is_special[:, None]
    mean: Doubles = (weights * same).sum((-1, -2)) / max(1, same.any(-1).sum())
    return mean


DEFINITIONS: dict[str, Callable[[Doubles, Trace], Doubles]] = {
    "entropy": _entropy,
    "distance": _distance,
    "same": _same,
    "word": _word,
    "previous": _previous,
    "next": _next,
    "first": _first,
    "separator": _separator,
    "largest": _largest,
}


@pytest.mark.parametrize("n_tokens", SIZES)
def test_a_measure_is_the_mean_that_its_name_describes(n_tokens: int) -> None:
    trace = make_trace(n_tokens, pair=n_tokens > 4)
    weights, found = dense(trace), head_overview(trace).measures
    for name, defined in DEFINITIONS.items():
        assert found[name].dtype == np.float32
        np.testing.assert_allclose(found[name], defined(weights, trace), rtol=2e-6, atol=2e-6, err_msg=name)


@pytest.mark.parametrize(("n_tokens", "n_words"), [(6, 1), (65, 5), (130, 5), (130, 60), (6, 5)])
def test_the_weight_on_the_same_word_is_the_mean_that_its_name_describes(n_tokens: int, n_words: int) -> None:
    trace = make_trace(n_tokens, pair=True)
    trace = replace(trace, tokens=_repeated(trace.tokens, n_words))
    found = head_overview(trace)
    np.testing.assert_allclose(found.measures["word"], _word(dense(trace), trace), rtol=2e-6, atol=2e-6)
    assert found.measures["word"].any() == (n_tokens > n_words + 4)


def test_the_same_word_by_hand() -> None:
    """[CLS] a b a [SEP]: the first a looks at the other for 1/4, the second at the first for 1/2."""
    tokens = replace(make_tokens(5), pieces=("[CLS]", "a", "b", "a", "[SEP]"))
    attention = np.full((1, 1, 5, 5), 1 / 5)
    attention[0, 0, 1] = [1 / 4, 1 / 2, 0, 1 / 4, 0]
    attention[0, 0, 3] = [0, 1 / 2, 0, 1 / 2, 0]
    overview = head_overview(trace_of(attention, tokens))
    assert overview.measures["word"][0, 0] == pytest.approx((1 / 4 + 1 / 2) / 2, abs=1e-6)
    assert overview.n_queries == {
        "entropy": 5,
        "distance": 5,
        "first": 5,
        "separator": 5,
        "same": 5,
        "largest": 5,
        "previous": 4,
        "next": 4,
        "word": 2,
    }


def test_a_measure_counts_the_bias() -> None:
    trace = biased_trace(65)
    weights, found = dense(trace), head_overview(trace)
    for name, defined in DEFINITIONS.items():
        expected = defined(weights, trace)
        np.testing.assert_allclose(found.measures[name], expected, rtol=2e-6, atol=2e-6, err_msg=name)
    assert found.row_error < 1e-5


def test_a_measure_counts_no_key_beyond_a_window() -> None:
    trace = windowed_trace(65, 5)
    weights, found = dense(trace), head_overview(trace)
    bits = -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(-1).mean(-1)
    for name, defined in DEFINITIONS.items():
        expected = bits if name == "entropy" else defined(weights, trace)
        np.testing.assert_allclose(found.measures[name], expected, rtol=2e-6, atol=2e-6, err_msg=name)
    assert not found.pictures[1, :, 0, -1].any()
    assert (found.pictures[0, :, 0, -1] > 0).all()


def test_three_tokens_by_hand() -> None:
    """[CLS] looks everywhere alike, w1 looks back half the time, [SEP] only at itself."""
    attention = np.array([[[[1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 4, 1 / 4], [0, 0, 1]]]])
    overview = head_overview(trace_of(attention))
    by_hand = {
        # log2(3), then 1/2 * 1 + 2 * 1/4 * 2, then 0
        "entropy": (1.584962500721156 + 1.5 + 0.0) / 3,
        # 0, 1 and 2 places away; then 1, 0 and 1; then none
        "distance": ((1 + 2) / 3 + (1 / 2 + 1 / 4) + 0) / 3,
        "same": (1 / 3 + 1 / 4 + 1) / 3,
        # no word is there twice
        "word": 0.0,
        # w1 on [CLS]; [SEP] on w1; nothing is before [CLS]
        "previous": (1 / 2 + 0) / 2,
        # [CLS] on w1; w1 on [SEP]; nothing is after [SEP]
        "next": (1 / 3 + 1 / 4) / 2,
        "first": (1 / 3 + 1 / 2 + 0) / 3,
        "separator": (1 / 3 + 1 / 4 + 1) / 3,
        "largest": (1 / 3 + 1 / 2 + 1) / 3,
    }
    assert {name: float(values[0, 0]) for name, values in overview.measures.items()} == pytest.approx(
        by_hand, abs=1e-6
    )
    np.testing.assert_allclose(overview.pictures, attention, atol=1e-6)
    assert overview.row_error < 1e-6


@pytest.mark.parametrize("key", ["previous", "next"])
def test_a_head_of_neighbours_is_the_same_in_texts_of_any_length(key: str) -> None:
    """Counted as 0, the query without such a neighbour would weigh more in short texts."""
    step = -1 if key == "previous" else 1
    for n_tokens in (2, 7, 119):
        attention = np.zeros((1, 1, n_tokens, n_tokens))
        for query in range(n_tokens):
            attention[..., query, min(max(query + step, 0), n_tokens - 1)] = 1
        assert head_overview(trace_of(attention)).measures[key][0, 0] == pytest.approx(1, abs=1e-6)


def test_the_separators_of_a_pair_are_both_counted() -> None:
    tokens = make_tokens(6, pair=True)
    assert [tokens.pieces[position] for position in (3, 5)] == ["[SEP]", "[SEP]"]
    attention = np.zeros((1, 1, 6, 6))
    attention[..., 3], attention[..., 5], attention[..., 1] = 0.25, 0.5, 0.25
    overview = head_overview(trace_of(attention, tokens))
    assert overview.measures["separator"][0, 0] == pytest.approx(0.75, abs=1e-6)
    assert overview.measures["first"][0, 0] == 0


def test_the_entropy_of_a_head_that_is_sure_is_zero_and_not_minus_zero() -> None:
    trace = trace_of(diagonal(9))
    rounded_up = replace(trace, lse=trace.lse - np.float32(1e-6))
    for sure in (trace, rounded_up):
        entropy = float(head_overview(sure).measures["entropy"][0, 0])
        assert f"{entropy:.2f}" == "0.00"


def test_no_measure_leaves_its_range() -> None:
    for n_tokens in SIZES:
        found = head_measures(make_trace(n_tokens))
        assert list(found) == list(KEYS)
        for measure in MEASURES:
            values = found[measure.key]
            assert values.min() >= 0
            highest = {"bits": np.log2(n_tokens), "tokens": n_tokens - 1, "weight": 1}[measure.unit]
            assert values.max() <= highest * (1 + 1e-6)


def test_the_row_error_is_the_largest_there_is() -> None:
    trace = make_trace(70)
    lse = trace.lse.copy()
    lse[1, 2, 69] -= np.float32(np.log(1.5))
    assert head_overview(trace).row_error < 1e-5
    assert head_overview(replace(trace, lse=lse)).row_error == pytest.approx(0.5, abs=1e-5)


TRACES = [*((make_trace(n), cell) for n, cell in zip(SIZES, (1, 64, 1, 16, 64, 64, 16), strict=True))]
TRACES += [(biased_trace(40), 10), (disentangled_trace(300), 10), (windowed_trace(40, 3), 10)]


@pytest.mark.parametrize(("trace", "cell"), TRACES)
def test_thumbnails_are_area_maxima(trace: Trace, cell: int) -> None:
    pictures = head_overview(trace, cell).pictures
    np.testing.assert_allclose(pictures, _area_maxima(dense(trace), cell), atol=2e-6)


@pytest.mark.parametrize("cells_at_once", [1, 3 * 130 * 3 * 7, 1 << 30])
def test_the_result_does_not_depend_on_the_size_of_the_blocks(
    monkeypatch: pytest.MonkeyPatch, cells_at_once: int
) -> None:
    trace = make_trace(130)
    expected = head_overview(trace)
    monkeypatch.setattr(measures, "_CELLS_AT_ONCE", cells_at_once)
    found = head_overview(trace)
    np.testing.assert_allclose(found.pictures, expected.pictures, atol=1e-6)
    for name in KEYS:
        np.testing.assert_allclose(found.measures[name], expected.measures[name], rtol=1e-6, atol=1e-6)
    assert found.row_error == pytest.approx(expected.row_error, abs=1e-6)


def _repeated(tokens: Tokens, n_words: int) -> Tokens:
    """Return `tokens` with so many words over and over."""
    names = [
        piece if special else f"w{position % n_words}"
        for position, (piece, special) in enumerate(zip(tokens.pieces, tokens.is_special, strict=True))
    ]
    return replace(tokens, pieces=tuple(names))


def _area_maxima(weights: Doubles, cell: int) -> NDArray[np.float64]:
    """Return the maxima over blocks, cell by cell."""
    n_tokens = weights.shape[-1]
    block = -(-n_tokens // cell)
    firsts = range(0, n_tokens, block)
    rows = [[weights[..., i : i + block, j : j + block].max((-2, -1)) for j in firsts] for i in firsts]
    maxima: Doubles = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
    return maxima


def test_several_threads_compute_the_same_numbers() -> None:
    trace = make_trace(70)
    alone, together = (head_overview(trace, n_threads=n_threads) for n_threads in (1, 3))
    np.testing.assert_array_equal(together.pictures, alone.pictures)
    for key, values in alone.measures.items():
        np.testing.assert_array_equal(together.measures[key], values)
    assert together.row_error == alone.row_error
    assert alone.sinks is not None
    assert together.sinks is not None
    np.testing.assert_array_equal(together.sinks, alone.sinks)


ENTROPIES = np.array([[2.0, 10.0, 2.0], [0.25, 100.0, 3.0]], np.float32)


def _measures() -> Measures:
    measures: Measures = {key: np.full((2, 3), 0.5, np.float32) for key in KEYS}
    return measures | {"entropy": ENTROPIES}


def test_by_a_measure_the_largest_is_first_and_ties_keep_their_order() -> None:
    assert heads_by(_measures(), "entropy") == [(1, 1), (0, 1), (1, 2), (0, 0), (0, 2), (1, 0)]


def test_csv_gives_the_same_float32_again() -> None:
    measures = head_measures(make_trace(20))
    rows = list(csv.DictReader(io.StringIO(as_csv(measures, heads_by(measures)))))
    assert tuple(rows[0]) == COLUMNS
    for key in KEYS:
        read = np.array([row[key] for row in rows], np.float64).astype(np.float32).reshape(2, 3)
        np.testing.assert_array_equal(read, measures[key])


def test_saved_json_names_each_measure_and_keeps_the_numbers(tmp_path: Path) -> None:
    measures = head_measures(make_trace(20))
    save_measures(measures, tmp_path / "heads.json", [(1, 2), (0, 1)])
    read = json.loads((tmp_path / "heads.json").read_text(encoding="utf-8"))
    assert [one["key"] for one in read["measures"]] == list(KEYS)
    assert read["measures"][0]["paper"] == MEASURES[0].paper
    assert [(row["layer"], row["head"]) for row in read["heads"]] == [(1, 2), (0, 1)]
    assert np.float32(read["heads"][0]["distance"]) == measures["distance"][1, 2]


def test_a_number_that_is_not_known_is_null_in_json(tmp_path: Path) -> None:
    measures = _measures()
    measures["distance"][0, 1] = np.nan
    pair = PairColumn(0, 1, ("a", "b"), np.full((2, 3), np.nan, np.float32))
    save_measures(measures, tmp_path / "heads.json", [(0, 1)], Extras(pair=pair))
    (row,) = json.loads((tmp_path / "heads.json").read_text(encoding="utf-8"))["heads"]
    assert row["distance"] is None
    assert row[pair.title] is None
    assert row["entropy"] == 10.0


def test_names_and_the_weights_of_a_pair_stand_behind_the_measures(tmp_path: Path) -> None:
    weights = np.array([[0.1, 0.5, 0.2], [0.3, 0.9, 0.0]], np.float32)
    extras = Extras({(0, 1): HeadName(NAME_RULES[0], 0.75)}, PairColumn(7, 2, ("it", "cat"), weights))
    save_measures(_measures(), tmp_path / "heads.csv", [(0, 1), (1, 1)], extras)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "heads.csv").read_text("utf-8"))))
    assert tuple(rows[0]) == (*COLUMNS, "weight_7_2", "name")
    assert [(row["weight_7_2"], row["name"]) for row in rows] == [("0.5", "previous"), ("0.899999976", "")]
    save_measures(_measures(), tmp_path / "heads.json", [(0, 1), (1, 1)], extras)
    read = json.loads((tmp_path / "heads.json").read_text(encoding="utf-8"))
    assert read["pair"] == {
        "query": 7,
        "key": 2,
        "query_token": "it",
        "key_token": "cat",
        "column": "weight_7_2",
    }
    assert read["names"][0] == {"key": "previous", "name": "previous token", "measure": "previous"}
    assert np.float32(read["heads"][1]["weight_7_2"]) == weights[1, 1]
    assert [row["name"] for row in read["heads"]] == ["previous", ""]


T = 9


def _looking_at(keys: list[int], share: float = 1.0) -> Doubles:
    """Return attention [T, T]: query i puts `share` on keys[i], and the rest evenly on all others."""
    n_tokens = len(keys)
    attention = np.full((n_tokens, n_tokens), (1 - share) / (n_tokens - 1))
    attention[np.arange(n_tokens), keys] = share
    return attention


def _name(attention: Doubles, pieces: tuple[str, ...] | None = None) -> tuple[str, object] | None:
    tokens = make_tokens(len(attention))
    tokens = tokens if pieces is None else replace(tokens, pieces=pieces)
    found = head_names(trace_of(attention[None, None], tokens)).get((0, 0))
    return None if found is None else (found.rule.key, found.value)


HEADS = {
    "previous": [max(0, at - 1) for at in range(T)],
    "next": [min(T - 1, at + 1) for at in range(T)],
    "first": [0] * T,
    "separator": [T - 1] * T,
    "same": list(range(T)),
}


def test_a_head_that_puts_all_its_attention_on_one_kind_of_token_has_its_name() -> None:
    for key, keys in HEADS.items():
        assert _name(_looking_at(keys)) == (key, pytest.approx(1.0, abs=1e-6))


def test_half_of_the_attention_is_enough_and_less_is_not() -> None:
    assert LEAST_SHARE == 0.5
    others = [*range(2, T), 1, 1]  # two tokens on: none of the rules
    for share, expected in ((0.52, "previous"), (0.48, None)):
        mixed = share * _looking_at(HEADS["previous"]) + (1 - share) * _looking_at(others)
        mixed[0] = _looking_at(others)[0]
        found = _name(mixed)
        assert (None if found is None else found[0]) == expected
        assert found is None or found[1] == pytest.approx(share, abs=1e-6)


def test_of_two_names_the_head_has_the_one_with_more_weight() -> None:
    """Every token but the first is of one word, so that a head of neighbours looks at its own word, too."""
    pieces = ("[CLS]", *["a"] * (T - 2), "[SEP]")
    attention = _looking_at(HEADS["previous"])
    # previous: all eight queries; same word: the first "a" looks at [CLS], so six of seven
    assert _name(attention, pieces) == ("previous", pytest.approx(1.0, abs=1e-6))
    attention[T - 1] = 1 / T  # now previous is (7 + 1/9) / 8 = 0.889, same word still 6/7 = 0.857
    assert _name(attention, pieces) == ("previous", pytest.approx((7 + 1 / 9) / 8, abs=1e-6))
    attention[T - 1] = _looking_at([0] * T)[0]
    attention[1] = _looking_at([2] * T)[0]  # previous 6/8, same word 7/7
    assert _name(attention, pieces) == ("word", pytest.approx(1.0, abs=1e-6))


def test_the_same_word_needs_several_queries() -> None:
    """Two tokens of one word are two queries: no evidence. Four are."""
    assert LEAST_QUERIES == 4
    once = ("[CLS]", "a", "b", "a", "c", "d", "e", "f", "[SEP]")
    twice = ("[CLS]", "a", "b", "a", "b", "d", "e", "f", "[SEP]")
    partners = [2, 3, 4, 1, 2, 7, 5, 6, 5]
    assert _name(_looking_at(partners), once) is None
    assert _name(_looking_at(partners), twice) == ("word", pytest.approx(1.0, abs=1e-6))


def test_a_head_is_broad_from_three_quarters_of_all_tokens_on() -> None:
    assert BROAD_SHARE == 0.75
    for n_tokens, n_looked_at, expected in ((12, 12, "broad"), (12, 10, "broad"), (12, 8, None)):
        attention = np.zeros((n_tokens, n_tokens))
        attention[:, :n_looked_at] = 1 / n_looked_at
        found = _name(attention)
        assert (None if found is None else found[0]) == expected
        assert found is None or found[1] == pytest.approx(np.log2(n_looked_at), abs=1e-5)


def test_in_a_text_of_few_tokens_nothing_is_plain() -> None:
    """Of four tokens three have a token before them."""
    assert _name(_looking_at([1, 0, 1, 2])) is None
    assert _name(_looking_at([1, 0, 1, 2, 3])) == ("previous", pytest.approx(1.0, abs=1e-6))


def test_every_name_is_of_a_measure_and_has_words() -> None:
    assert {rule.measure for rule in NAME_RULES} <= set(KEYS)
    titles = [rule.title(BERT_NAMES) for rule in NAME_RULES]
    assert titles == ["previous token", "next token", "on [CLS]", "on [SEP]", "itself", "same word", "broad"]


def measured(
    encoder: Encoder, inputs: list[Tokens], keys: tuple[MeasureKey, ...] = KEYS, check: Check | None = None
) -> Floats:
    tap = MeasuringTap(inputs, (encoder.config.n_layers, encoder.config.n_heads), keys, check)
    batch = encoder_inputs(encoder.config, inputs, torch.device("cpu"))
    with torch.inference_mode(), pytest.raises(EndOfPassError):
        encoder(*batch, tap=tap)
    return tap.means()


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "deberta-v2", "longformer", "mobilebert", "convbert", "big_bird"])
def test_each_text_has_the_measures_it_has_alone(family: str, tmp_path: Path) -> None:
    model = write_family(tmp_path, family, "AutoModel")
    encoder = opened(tmp_path).encoder
    for n_tokens in (3, 150):
        inputs = [_without_padding(encoder, n_tokens, seed) for seed in range(2)]
        found = measured(encoder, inputs)
        ours, theirs, exact = list[Floats](), list[Floats](), list[Doubles]()
        for number, tokens in enumerate(inputs):
            trace, ids = record(encoder, tokens, "alone"), tensors(tokens)[0]
            alone, together = (
                head_measures(trace),
                dict(zip(KEYS, np.moveaxis(found[number], -1, 0), strict=True)),
            )
            single, double = passes(model, partial(outputs, model, input_ids=ids))
            for key in KEYS:
                ours += [together[key], alone[key]]
                theirs += [_in_float32(key, _weights(trace, single), trace)] * 2
                exact += [DEFINITIONS[key](_weights(trace, double), trace)] * 2
        assert of_bound(ours, theirs, exact) <= 1


def _weights(trace: Trace, output: Any) -> Doubles:
    return np.stack(arrays_of(trace, output)["attention"]).astype(np.float64)


def _in_float32(key: MeasureKey, weights: Doubles, trace: Trace) -> Floats:
    """Return a measure of weights [L, H, T, T]; a sum of many terms is made in float32, cell by cell."""
    places = np.arange(trace.n_tokens)
    distances = np.abs(places[:, None] - places)
    if key == "distance":
        cells = weights * distances
    elif key == "word":
        cells = (weights * np.sign(distances))[..., 1:, 1:]  # the first token is a special one
    else:
        return DEFINITIONS[key](weights, trace).astype(np.float32)
    sums = cells.astype(np.float32).reshape(*weights.shape[:2], -1).cumsum(-1)[..., -1]
    means: Floats = sums / np.float32(cells.shape[-2])
    return means


def _without_padding(encoder: Encoder, n_tokens: int, seed: int) -> Tokens:
    """Return random tokens of one word, with ids from 5 on: those of padding have no position."""
    tokens, first = random_tokens(n_tokens, 40, seed=seed), np.int32(encoder.config.first_position)
    positions = tokens.position_ids + first
    return replace(
        tokens, ids=tokens.ids + 5, position_ids=positions, pieces=("first", *["same"] * (n_tokens - 1))
    )


def test_words_are_those_of_each_text(tiny_bert: Path) -> None:
    checkpoint = opened(tiny_bert)
    inputs = [checkpoint.tokens(text) for text in ("the cat the fish the", "fish fish cat ate it")]
    assert len(inputs[0]) == len(inputs[1])
    found = measured(checkpoint.encoder, inputs, ("word", "separator"))
    for number, tokens in enumerate(inputs):
        alone = head_measures(record(checkpoint.encoder, tokens, "alone"))
        assert alone["word"].max() > 0
        np.testing.assert_allclose(found[number, ..., 0], alone["word"], atol=1e-6)
        np.testing.assert_allclose(found[number, ..., 1], alone["separator"], atol=1e-6)


def test_texts_of_several_lengths_are_no_batch(tiny_bert: Path) -> None:
    checkpoint = opened(tiny_bert)
    inputs = [checkpoint.tokens("the cat"), checkpoint.tokens("the")]
    with pytest.raises(ValueError, match=r"different lengths in one batch: \[3, 4\]"):
        MeasuringTap(inputs, (2, 4), KEYS)


TEXT = "The cat sat on the mat."


def test_the_baselines_of_the_bundled_model() -> None:
    model = open_model()
    trace = model.trace(TEXT)
    found = model.analyse("head-baselines", trace, orders=2)
    assert isinstance(found, HeadScalars)
    n_tokens = trace.n_tokens
    for key, values in head_measures(trace).items():
        np.testing.assert_array_equal(found.of(key), values)
    assert found.of("entropy_uniform")[0, 0] == pytest.approx(np.log2(n_tokens), rel=1e-5)
    assert found.of("entropy_bound")[0, 0] == pytest.approx(np.log2(n_tokens), rel=1e-6)
    assert found.of("previous_uniform")[0, 0] == pytest.approx(1 / n_tokens, rel=1e-5)
    assert found.of("largest_uniform")[0, 0] == pytest.approx(1 / n_tokens, rel=1e-5)
    distances = np.abs(np.subtract.outer(np.arange(n_tokens), np.arange(n_tokens)))
    assert found.of("distance_uniform")[0, 0] == pytest.approx(distances.mean(), rel=1e-5)
    assert found.of("distance_bound")[0, 0] == pytest.approx(distances.max(1).mean(), rel=1e-5)
    for key in KEYS:
        assert (found.of(key) <= found.of(f"{key}_bound") + 1e-5).all()
        assert (found.of(f"{key}_shuffled") <= found.of(f"{key}_bound") + 1e-5).all()
    again = model.analyse("head-baselines", trace, orders=2)
    assert isinstance(again, HeadScalars)
    np.testing.assert_array_equal(found.values, again.values)


def test_the_order_is_another_and_special_tokens_stay() -> None:
    tokens = open_model().trace(TEXT).tokens
    shuffled = in_random_order(tokens, np.random.default_rng(1))
    assert sorted(shuffled.ids.tolist()) == sorted(tokens.ids.tolist())
    assert shuffled.pieces != tokens.pieces
    assert shuffled.pieces[0] == tokens.pieces[0]
    assert shuffled.pieces[-1] == tokens.pieces[-1]


def test_of_a_pair_no_token_leaves_its_sentence() -> None:
    tokens = open_model().trace("the cat sat on the mat", "a dog ate the fish").tokens
    shuffled = in_random_order(tokens, np.random.default_rng(1))
    for sentence in (0, 1):
        own = tokens.sentences == sentence
        assert sorted(shuffled.ids[own].tolist()) == sorted(tokens.ids[own].tolist())


def test_the_measures_of_a_shuffled_text_are_those_of_its_trace() -> None:
    model = open_model()
    trace = model.trace("cat dog")  # of two words there are two orders
    found = model.analyse("head-baselines", trace, orders=1, seed=1)
    assert isinstance(found, HeadScalars)
    order = in_random_order(trace.tokens, np.random.default_rng(1)).pieces
    text = " ".join(order[1:-1])
    expected = head_measures(model.trace(text))["entropy"]
    np.testing.assert_allclose(found.of("entropy_shuffled"), expected, atol=1e-4)
