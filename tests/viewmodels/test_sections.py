"""Sections that explain a number: what they say is what the trace and the model have."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.analysis.probing.counterfactuals import swap_effects
from bertviz_app.analysis.results import HeadCircuit, LayerRankings, LogitParts, ScoreParts
from bertviz_app.api import Model, open_model
from bertviz_app.errors import AnalysisError
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.analyses.analyses import Section, sections_of, story_of

TEXT = "The cat sat on the [MASK]."


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model()


@pytest.fixture(scope="module")
def trace(model: Model) -> Trace:
    return model.trace(TEXT)


def by_key(sections: tuple[Section, ...]) -> dict[str, Section]:
    return {section.key: section for section in reversed(sections)}


def total(section: Section) -> float:
    return sum(row.value for row in section.rows)


def _score_of(parts: dict[str, float], n_keys: int = 12) -> ScoreParts:
    """Return the parts of the score of key 10 of `n_keys`, whose weights fall from the first to the last."""
    keys = Axis("key", tuple(f"k{key}" for key in range(n_keys)))
    weights = np.arange(n_keys, 0, -1, dtype=np.float32)
    named = {
        "values": np.array(list(parts.values()), np.float32),
        "parts": np.array(list(parts.values()), np.float32),
        "weights": weights / weights.sum(),
        "scores": np.log(weights),
        "dimensions": np.array([0.5, -2.0, 1.0], np.float32),
    }
    axes = dict.fromkeys(("values", "parts"), (Axis("part", tuple(parts)),))
    axes |= dict.fromkeys(("weights", "scores"), (keys,))
    axes["dimensions"] = (counted("dimension", 3),)
    return ScoreParts(named, axes, {"layer": 0, "head": 0, "query": 0, "key": 10})


def _score_with_writers(layer: int) -> ScoreParts:
    """Return the parts of a score in a layer, written by 2 parts of the query and 3 of the key."""
    score = _score_of({"content": 1.0})
    queries, keys = Axis("query writer", ("q0", "q1")), Axis("key writer", ("k0", "k1", "k2"))
    table = np.array([[1, 2, 4], [8, 16, 32]], np.float32)
    named = {**score.named, "writers": table}
    axes = {**score.axes_of, "writers": (queries, keys)}
    return ScoreParts(named, axes, {**score.facts, "layer": layer})


def _rankings() -> LayerRankings:
    """Return the two likeliest of three pieces, at two tokens of three hidden states."""
    ids = np.array([[[0, 1], [0, 1]], [[1, 2], [1, 0]], [[2, 1], [0, 2]]], np.int32)
    values = np.array([[[0.5, 0.25]] * 2, [[0.6, 0.2]] * 2, [[0.9, 0.05]] * 2], np.float32)
    return LayerRankings(("a", "b"), ids, values, {0: "zero", 1: "one", 2: "two"})


@pytest.mark.parametrize("layer", [0, 4])
def test_why_a_weight(model: Model, trace: Trace, layer: int) -> None:
    result = model.analyse("score-parts", trace, layer=layer, head=2, query=3, key=5)
    sections = by_key(sections_of(result))
    score = float(trace.scores(layer, 2)[3, 5])
    weights = trace.attention(layer, 2)[3]
    competitors = sections["competitors"]
    assert competitors.words[0] == f"{score:.4f}"
    assert competitors.words[1] == f"{weights[5]:.4f}"
    assert competitors.words[2] == str(int((weights > weights[5]).sum()) + 1)
    (marked,) = [row for row in competitors.rows if row.is_marked]
    assert marked.value == pytest.approx(float(weights[5]), rel=1e-5)
    assert marked.label == trace.tokens.pieces[5]
    largest = max(competitors.rows, key=lambda row: row.value)
    assert largest.value == pytest.approx(float(weights.max()), rel=1e-5)
    assert total(sections["dimensions"]) == pytest.approx(score, abs=1e-4)
    names = ("embeddings",) if layer == 0 else ("query writers", "key writers")
    for name in names:
        assert total(sections[name]) == pytest.approx(score, abs=1e-3)
    if layer:
        assert any("head" in row.label or "·" in row.label for row in sections["query writers"].rows)


@pytest.mark.parametrize("key", [1, 5])
def test_the_story_of_a_weight_has_the_numbers_of_the_head(model: Model, trace: Trace, key: int) -> None:
    result = model.analyse("score-parts", trace, layer=3, head=2, query=3, key=key)
    assert isinstance(result, ScoreParts)
    story = [str(sentence) for sentence in story_of(result, "it")]
    scores, weights = trace.scores(3, 2)[3], trace.attention(3, 2)[3]
    pieces = trace.tokens.pieces
    assert f"“{pieces[key]}” scores {scores[key]:.2f}." in story[0]
    best = int(scores.argmax())
    other = best if best != key else int(np.argsort(-scores)[1])
    ratio = max(weights[key], weights[other]) / min(weights[key], weights[other])
    assert f"“{pieces[other]}”" in story[1]
    assert f"is {ratio:.2f}" in story[1] or f"is {ratio:.1e}" in story[1]
    assert f"gets {100 * weights[key]:.0f} %" in story[2]


def test_a_score_of_several_parts_names_each_and_of_one_none() -> None:
    sections = by_key(sections_of(_score_of({"content": 1.0, "position": -3.0})))
    assert [(row.label, row.value) for row in sections["parts"].rows] == [("content", 1), ("position", -3)]
    assert (sections["parts"].top, sections["parts"].words) == (3, ("-2.0000",))
    assert not sections["parts"].is_of_shares
    assert [row.label for row in sections["dimensions"].rows] == ["1", "2", "0"], "all, so no rest"
    assert list(by_key(sections_of(_score_of({"content": 1.0})))) == ["dimensions", "competitors"]


def test_the_parts_of_a_logit_add_up(model: Model, trace: Trace) -> None:
    result = model.analyse("direct-logits", trace)
    sections = by_key(sections_of(result))
    rows = sections["logit"].rows
    assert rows[-1].is_marked
    assert rows[-1].value == pytest.approx(sum(row.value for row in rows[:-1]))
    masked = trace.tokens.pieces.index("[MASK]")
    logits = model.analyse("logits", trace).arrays()["masked"][masked]
    # The analysis of logits computes those of all tokens: another product, whose last digits may differ.
    assert isinstance(result, LogitParts)
    logit = float(result.facts["logit"])
    assert sections["logit"].words[2] == f"{logit:.4f}"
    assert logit == pytest.approx(float(logits.max()), abs=1e-4)
    assert rows[-1].value == pytest.approx(logit, abs=1e-4)
    assert total(sections["logit heads"]) == pytest.approx(rows[0].value, abs=1e-3)
    assert total(sections["logit feed-forward"]) == pytest.approx(rows[1].value, abs=1e-3)


def test_a_word_is_followed_through_the_layers(model: Model, trace: Trace) -> None:
    masked = trace.tokens.pieces.index("[MASK]")
    result = model.analyse("logit-lens", trace, piece="mat")
    assert isinstance(result, LayerRankings)
    assert result.has_followed
    by_layer, *fillers = sections_of(result, masked)
    assert by_layer.words == ("mat", "[MASK]")
    assert len(by_layer.rows) == len(fillers) == trace.n_layers + 1
    np.testing.assert_allclose([row.value for row in by_layer.rows], result.values[:, masked, -1], rtol=1e-6)
    best = model.predict(trace, [masked], top=1).fillings[0]
    assert fillers[0].rows[0].value == pytest.approx(best.fillers[0].probability, abs=1e-4)
    assert all(len(section.rows) == 5 for section in fillers)


def test_one_piece_against_another(model: Model, trace: Trace) -> None:
    masked = trace.tokens.pieces.index("[MASK]")
    result = model.analyse("logit-lens", trace, piece="mat", against="cat")
    assert isinstance(result, LayerRankings)
    assert result.differences is not None
    _, apart, *_ = sections_of(result, masked)
    assert (apart.key, apart.words) == ("difference by layer", ("mat", "cat", "[MASK]"))
    logits = model.analyse("logits", trace).arrays()["masked"][masked]
    mat, cat = (model.trace(word).tokens.ids[1] for word in ("mat", "cat"))
    assert apart.rows[-1].value == pytest.approx(float(logits[mat] - logits[cat]), abs=1e-4)
    table = result.as_table()
    assert table.columns[-1] == "less “cat”"
    assert len(next(iter(table.rows))) == len(table.columns)
    parts = by_key(sections_of(model.analyse("direct-logits", trace, answer="mat", against="cat")))
    assert parts["logit difference"].words[:2] == ("mat", "cat")
    assert parts["logit difference"].rows[-1].value == pytest.approx(apart.rows[-1].value, abs=1e-3)
    with pytest.raises(AnalysisError, match="no piece to set against"):
        model.analyse("logit-lens", trace, against="cat")


def test_writers_of_the_query_and_of_the_key_are_summed_over_the_other() -> None:
    sections = by_key(sections_of(_score_with_writers(1)))
    found = [(row.label, row.value) for row in sections["query writers"].rows]
    assert found == [("q1", 56), ("q0", 7)], "the largest first"
    found = [(row.label, row.value) for row in sections["key writers"].rows]
    assert found == [("k2", 36), ("k1", 18), ("k0", 9)]
    assert sections["query writers"].words == sections["key writers"].words == ("63.0000",)
    pairs = by_key(sections_of(_score_with_writers(0)))["embeddings"].rows
    assert (pairs[0].label, pairs[0].value, len(pairs)) == ("q1 · k2", 32, 6)


def test_of_many_heads_the_twelve_largest_have_a_row_of_their_own() -> None:
    heads = np.arange(20, dtype=np.float32).reshape(2, 10)
    named = {"values": heads, "heads": heads, "feed_forward": np.ones(2, np.float32)}
    named["biases"] = named["feed_forward"]
    by_head = (counted("layer", 2), counted("head", 10))
    axes: dict[str, tuple[Axis, ...]] = {"values": by_head, "heads": by_head}
    axes |= {"feed_forward": by_head[:1], "biases": by_head[:1]}
    facts: dict[str, str | int | float] = {
        "embeddings": 1.0,
        "task head": 0.5,
        "piece": "mat",
        "token": "[MASK]",
        "logit": 195.5,
    }
    rows = by_key(sections_of(LogitParts(named, axes, facts)))["logit heads"].rows
    largest = [f"1·{head}" for head in range(9, -1, -1)]
    assert [row.label for row in rows] == [*largest, "0·9", "0·8", "rest (8)"]
    assert rows[-1].value == sum(range(8))


def test_a_key_beyond_the_largest_takes_the_last_of_their_rows() -> None:
    competitors = by_key(sections_of(_score_of({"content": 1.0})))["competitors"]
    assert [row.label for row in competitors.rows] == ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k10"]
    assert [row.label for row in competitors.rows if row.is_marked] == ["k10"]
    assert competitors.words[2:] == ("11", "12"), "its rank, of so many"
    assert competitors.rows[0].note == f"{np.log(12):.3f}"


def test_a_token_beyond_a_shorter_text_is_its_last() -> None:
    assert sections_of(_rankings(), 7) == sections_of(_rankings(), 1)
    assert sections_of(_rankings(), 7)[0].words == ("zero", "b")


def test_a_circuit_is_of_the_token_that_is_selected(model: Model, trace: Trace) -> None:
    result = model.analyse("head-circuit", trace, layer=1, head=2, most=3)
    assert isinstance(result, HeadCircuit)
    at = trace.tokens.pieces.index("cat")
    looks, writes, pairs, ov, qk = sections_of(result, at)
    row = result.rows[at]
    rank = f"{result.keys.own_ranks[row]:,.0f}"
    assert looks.words == ("cat", "1·2", rank, f"{result.n_pieces:,}")
    for section, ranked in ((looks, result.keys), (writes, result.written)):
        assert [each.value for each in section.rows] == ranked.values[row].tolist()
        assert [each.piece for each in section.rows] == [result.pieces[n] for n in ranked.ids[row].tolist()]
    query, key = (result.pieces[number] for number in result.pair_ids[0].tolist())
    assert pairs.rows[0].label == f"{query} → {key}"
    assert ov.words == (f"{result.ov_positive:+.2f}", str(trace.head_width))
    assert [each.value for each in qk.rows] == pytest.approx(result.values[1, :8].tolist())
    typed = model.analyse("head-circuit", trace, piece="dog", pairs=False)
    keys = [section.key for section in sections_of(typed, at)]
    assert keys == ["circuit typed", "circuit written", "circuit OV", "circuit QK"]
    assert sections_of(typed, at)[0].words[0] == "dog", "whatever token is selected"


def test_exchanges_of_one_text_have_both_outcomes_and_those_of_several_an_interval(
    model: Model, trace: Trace
) -> None:
    (picture,) = model.analyse("counterfactuals", trace, swaps="cat/dog, he/she", target="vector").pictures()
    assert picture.axes[0].labels == ("cat → dog",), "the text has no “he”"
    assert picture.details({"exchange": 0})[0].startswith("outcome 0.0000 → ")
    changes = [*((0, line, 0.0, after) for line, after in enumerate((1, 3, 2, 2.5, 1.5))), (1, 1, 1, 0)]
    (several,) = swap_effects(["a → b", "c → d"], changes, "class").pictures()
    assert several.low is not None
    assert several.high is not None
    assert 0.5 < several.low[0] < several.values[0] == 2 < several.high[0] < 3.5
    assert np.isnan(several.low[1]), "too few for an interval"
    assert several.details({"exchange": 0}) == ["over 5 texts"]
    assert several.details({"exchange": 1}) == ["outcome 1.0000 → 0.0000 (−1.0000)"]
    (distances,) = swap_effects(["a → b"], changes[:5], "vector").pictures()
    assert distances.low is None, "of a distance there is none"


def test_methods_of_attribution_are_compared_in_cells_curves_and_bars(model: Model) -> None:
    result = model.analyse("agreement", model.trace("The cat ate the fish."), target="pooled")
    curves, alike, scores = result.pictures()
    assert [one.mark for one in result.pictures()] == ["curves", "cells", "bars"]
    (_, deletion), (_, insertion) = curves.side_by_side({})
    methods = alike.axes[0].labels
    assert methods[0] == "occlusion"
    assert set(methods) <= set(alike.words), "each has the title of its analysis"
    np.testing.assert_array_equal(alike.values, alike.values.T)
    np.testing.assert_allclose(deletion.values[:, 0], insertion.values[:, -1], rtol=1e-6)
    assert scores.at({"method": 1}).axes[0].name == "token"
