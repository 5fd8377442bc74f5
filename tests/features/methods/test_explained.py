"""Pictures that explain a number: what they say is what the trace and the model have."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.picture import Axis, Picture, counted, largest_first
from bertviz_app.analysis.results import LayerRankings, Result
from bertviz_app.api import Model, open_model
from bertviz_app.errors import AnalysisError
from bertviz_app.features.corpora.studies.counterfactuals import swap_effects
from bertviz_app.features.methods.circuits import HeadCircuit
from bertviz_app.features.methods.decomposition.stream import LogitParts, ScoreParts
from bertviz_app.trace import Trace

TEXT = "The cat sat on the [MASK]."


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model()


@pytest.fixture(scope="module")
def trace(model: Model) -> Trace:
    return model.trace(TEXT)


def by_key(result: Result) -> dict[str, Picture]:
    return {picture.key: picture for picture in result.pictures()}


def labels(picture: Picture) -> tuple[str, ...]:
    return picture.axes[-1].labels


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
    facts = {"layer": 0, "head": 0, "query": 0, "key": 10}
    return ScoreParts(named, axes, facts, positions=tuple(range(n_keys)), word="k0")


def _score_with_writers(layer: int) -> ScoreParts:
    """Return the parts of a score in a layer, written by 2 parts of the query and 3 of the key."""
    score = _score_of({"content": 1.0})
    queries, keys = Axis("query writer", ("q0", "q1")), Axis("key writer", ("k0", "k1", "k2"))
    table = np.array([[1, 2, 4], [8, 16, 32]], np.float32)
    named = {**score.named, "writers": table}
    axes = {**score.axes_of, "writers": (queries, keys)}
    return ScoreParts(named, axes, {**score.facts, "layer": layer}, positions=score.positions)


def _rankings() -> LayerRankings:
    """Return the two likeliest of three pieces, at two tokens of three hidden states."""
    ids = np.array([[[0, 1], [0, 1]], [[1, 2], [1, 0]], [[2, 1], [0, 2]]], np.int32)
    values = np.array([[[0.5, 0.25]] * 2, [[0.6, 0.2]] * 2, [[0.9, 0.05]] * 2], np.float32)
    return LayerRankings(("a", "b"), ids, values, {0: "zero", 1: "one", 2: "two"})


@pytest.mark.parametrize("layer", [0, 4])
def test_why_a_weight(model: Model, trace: Trace, layer: int) -> None:
    result = model.analyse("score-parts", trace, layer=layer, head=2, query=3, key=5)
    pictures = by_key(result)
    score, weights = float(trace.scores(layer, 2)[3, 5]), trace.attention(layer, 2)[3]
    keys = pictures["keys"]
    rank = int((weights > weights[5]).sum()) + 1
    assert str(keys.meaning).startswith(f"Score {score:.4f} gives weight {weights[5]:.4f}: rank {rank} of ")
    assert keys.marked is not None
    (marked,) = np.flatnonzero(keys.marked).tolist()
    assert keys.values[marked] == pytest.approx(float(weights[5]), rel=1e-5)
    assert labels(keys)[marked] == trace.tokens.pieces[5]
    assert keys.sets({"key": marked}) == {"key": 5}, "a click on a key explains its weight"
    assert keys.values.max() == pytest.approx(float(weights.max()), rel=1e-5)
    names = ("embeddings",) if layer == 0 else ("query writers", "key writers")
    for name in ("dimensions", *names):
        assert pictures[name].values.sum() == pytest.approx(score, abs=1e-3)
    if layer:
        writers = pictures["query writers"]
        heads = [at for at, name in enumerate(labels(writers)) if name.startswith("head ")]
        assert heads, "a head is among the largest writers"
        for at, name in enumerate(labels(writers)):
            found = writers.stands_for({"writer": at})
            named = f"head {found['layer']}.{found['head']}" if found else ""
            assert named == (name if at in heads else ""), "a click shows the head"


@pytest.mark.parametrize("key", [1, 5])
def test_the_story_of_a_weight_has_the_numbers_of_the_head(model: Model, trace: Trace, key: int) -> None:
    result = model.analyse("score-parts", trace, layer=3, head=2, query=3, key=key)
    story = [str(sentence) for sentence in result.story()]
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
    pictures = by_key(_score_of({"content": 1.0, "position": -3.0}))
    parts, dimensions = pictures["parts"], pictures["dimensions"]
    assert dict(zip(labels(parts), parts.values.tolist(), strict=True)) == {"content": 1, "position": -3}
    assert (parts.quantity.is_signed, parts.meaning) == (True, "Together -2.0000, the score.")
    assert labels(dimensions) == ("1", "2", "0"), "the largest first, and all, so no rest"
    assert list(by_key(_score_of({"content": 1.0}))) == ["keys", "dimensions"]


def test_the_parts_of_a_logit_add_up(model: Model, trace: Trace) -> None:
    result = model.analyse("direct-logits", trace)
    kinds = by_key(result)["kinds"]
    *parts, whole = kinds.values.tolist()
    assert whole == pytest.approx(sum(parts), abs=1e-4)
    assert kinds.marked is not None
    assert np.flatnonzero(kinds.marked).tolist() == [len(parts)], "the sum"
    masked = trace.tokens.pieces.index("[MASK]")
    logits = model.analyse("logits", trace).arrays()["masked"][masked]
    # The analysis of logits computes those of all tokens: another product, whose last digits may differ.
    assert isinstance(result, LogitParts)
    logit = float(result.facts["logit"])
    assert f"{logit:.4f}" in result.findings()[0]
    assert whole == pytest.approx(float(logits.max()), abs=1e-4)


def test_the_logits_of_a_token_are_listed_from_the_highest_on_by_their_pieces(
    model: Model, trace: Trace
) -> None:
    masked = trace.tokens.pieces.index("[MASK]")
    picture = by_key(model.analyse("logits", trace))["masked"]
    assert picture.start == {"token": masked}, "at first those of the masked token"
    best = model.predict(trace, [masked]).fillings[0].fillers
    assert picture.text is not None
    assert picture.text[masked].tolist() == [one.piece for one in best]
    assert (np.diff(picture.values[masked]) <= 0).all()


def test_a_word_is_followed_through_the_layers(model: Model, trace: Trace) -> None:
    masked = trace.tokens.pieces.index("[MASK]")
    result = model.analyse("logit-lens", trace, piece="mat")
    assert isinstance(result, LayerRankings)
    followed, cells, likeliest = result.pictures()
    assert (followed.key, followed.title, followed.start["token"]) == (
        "followed",
        "Probability of “mat”",
        masked,
    )
    np.testing.assert_allclose(followed.values[masked, ::-1], result.values[:, masked, -1], rtol=1e-6)
    best = model.predict(trace, [masked], top=1).fillings[0].fillers[0]
    assert cells.values[0, masked] == pytest.approx(best.probability, abs=1e-4), "the last state is on top"
    assert likeliest.values.shape[-1] == 5, "without the piece that is followed"
    chosen = likeliest.sets({"token": masked, "state": 0, "rank": 0})
    assert chosen == {"piece": best.piece, "part": "followed"}


def test_the_piece_of_the_last_layer_is_followed_where_none_is_chosen() -> None:
    cells, likeliest, followed = _rankings().pictures()
    assert likeliest.marked is not None
    assert likeliest.marked[0].tolist() == [[True, False], [False, True], [False, False]]
    np.testing.assert_array_equal(followed.values[0], np.array([0.9, 0.2, np.nan], np.float32))
    assert followed.details({"token": 1, "state": 0}) == ["“zero”"]
    assert cells.text is not None
    assert cells.text[0].tolist() == ["two", "zero"]


def test_one_piece_against_another(model: Model, trace: Trace) -> None:
    masked = trace.tokens.pieces.index("[MASK]")
    result = model.analyse("logit-lens", trace, piece="mat", against="cat")
    assert isinstance(result, LayerRankings)
    apart, *_ = result.pictures()
    assert apart.title == "Logit of “mat” less that of “cat”"
    logits = model.analyse("logits", trace).arrays()["masked"][masked]
    mat, cat = (model.trace(word).tokens.ids[1] for word in ("mat", "cat"))
    assert apart.values[masked, 0] == pytest.approx(float(logits[mat] - logits[cat]), abs=1e-4)
    table = result.as_table()
    assert table.columns[-1] == "less “cat”"
    assert len(next(iter(table.rows))) == len(table.columns)
    parts = model.analyse("direct-logits", trace, answer="mat", against="cat")
    assert parts.findings()[0].startswith("logit of “mat” less that of “cat”")
    assert by_key(parts)["kinds"].values[-1] == pytest.approx(float(apart.values[masked, 0]), abs=1e-3)
    with pytest.raises(AnalysisError, match="no piece to set against"):
        model.analyse("logit-lens", trace, against="cat")


def test_writers_of_the_query_and_of_the_key_are_summed_over_the_other() -> None:
    pictures = by_key(_score_with_writers(1))
    query, key = pictures["query writers"], pictures["key writers"]
    assert (labels(query), query.values.tolist()) == (("q1", "q0"), [56, 7]), "the largest first"
    assert (labels(key), key.values.tolist()) == (("k2", "k1", "k0"), [36, 18, 9])
    assert "Together 63.0000." in str(query.meaning)
    embeddings = by_key(_score_with_writers(0))["embeddings"]
    assert (labels(embeddings)[0], embeddings.values[0], len(embeddings.values)) == ("q1 · k2", 32, 6)


def test_of_many_parts_the_largest_have_a_bar_of_their_own_and_the_others_one() -> None:
    numbers = np.arange(20, dtype=np.float32)
    values, axis, words = largest_first(numbers, counted("dimension", 20))
    assert axis.labels == (*(str(at) for at in range(19, 9, -1)), "rest")
    assert (values[-1], words["rest"]) == (sum(range(10)), "all others (10)")


def test_a_key_beyond_the_largest_takes_the_last_of_their_bars() -> None:
    keys = by_key(_score_of({"content": 1.0}, 14))["keys"]
    assert labels(keys) == (*(f"k{at}" for at in range(9)), "k10")
    assert keys.marked is not None
    assert np.flatnonzero(keys.marked).tolist() == [9]
    assert "rank 11 of 14" in str(keys.meaning)
    assert keys.details({"key": 0}) == [f"score {np.log(14):.3f}"]


def test_a_circuit_is_of_every_token_and_of_the_piece_that_is_typed(model: Model, trace: Trace) -> None:
    result = model.analyse("head-circuit", trace, layer=1, head=2, most=3)
    assert isinstance(result, HeadCircuit)
    at = trace.tokens.pieces.index("cat")
    looks, writes, pairs, singular = result.pictures()
    row = result.rows[at]
    assert looks.details({"token": at}) == (f"“cat” itself has rank {result.keys.own_ranks[row]:,.0f}",)
    for picture, ranked in ((looks, result.keys), (writes, result.written)):
        assert picture.values[at].tolist() == ranked.values[row].tolist()
        assert picture.sets({"token": at, "rank": 1}) == {"piece": result.pieces[int(ranked.ids[row, 1])]}
    query, key = (result.pieces[number] for number in result.pair_ids[0].tolist())
    assert labels(pairs)[0] == f"{query} → {key}"
    assert f"OV {result.ov_positive:+.2f}" in str(singular.meaning)
    assert singular.values[1].tolist() == result.values[1].tolist()
    typed = model.analyse("head-circuit", trace, piece="dog", pairs=False)
    assert list(by_key(typed)) == ["looks for", "writes", "singular values"]
    assert typed.pictures()[0].axes[0].labels == ("dog",), "whatever token is selected"


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
