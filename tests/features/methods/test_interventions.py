"""What heads do that are muted, patched or zeroed, and the checks of the self-test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

from bertviz_app.analysis.entry import Inputs, facts_of
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.analysis.probing.blocks import AttentionBlocks
from bertviz_app.analysis.results import HeadScalars, NamedArrays, OutcomeMap, TokenMatrices
from bertviz_app.api import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    Model,
    Outcome,
    Predictions,
    StateIntervention,
    TokenIntervention,
    open_model,
)
from bertviz_app.errors import AnalysisError
from bertviz_app.features.methods.interventions import MAX_TOKENS, value_zeroing
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from tests.support.factories import make_trace
from tests.support.families import write_family
from tests.support.peers import EngineModel, NaiveBert, array


@pytest.fixture(scope="module")
def tiny(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


def _of(found: object, key: str) -> Floats:
    assert isinstance(found, HeadScalars)
    return found.of(key)


def test_zero_is_what_muting_does(tiny: Model) -> None:
    trace = tiny.trace("the cat ate")
    change = _of(tiny.analyse("head-ablation", trace, target="pooled"), "change")
    assert trace.pooled is not None
    direction = trace.pooled / np.linalg.norm(trace.pooled)
    for layer, head in np.ndindex(2, 4):
        muted = tiny.trace("the cat ate", muted=[(layer, head)])
        assert muted.pooled is not None
        expected = (muted.pooled - trace.pooled) @ direction
        assert change[layer, head] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("flavour", ["mean", "uniform"])
def test_other_flavours_are_their_definitions(tiny: Model, tiny_bert: Path, flavour: str) -> None:
    trace = tiny.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    change = _of(tiny.analyse("head-ablation", trace, target="pooled", flavour=flavour), "change")
    for layer in range(2):
        values = trace.values[layer, 1].astype(np.float64)
        output = naive.attention(layer)[1].detach().numpy() @ values
        replacement = (output if flavour == "mean" else values).mean(0)
        assert change[layer, 1] == pytest.approx(naive.change_with(layer, 1, replacement), abs=1e-5)


def test_importance_is_the_gradient_by_a_switch(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    switches = torch.ones(2, 4, dtype=torch.float64, requires_grad=True)
    hooks = []
    for layer, block in enumerate(naive.model.encoder.layer):

        def scaled(module: object, inputs: tuple[torch.Tensor], layer: int = layer) -> tuple[torch.Tensor]:
            return (inputs[0] * switches[layer].repeat_interleave(8),)

        hooks.append(block.attention.output.dense.register_forward_pre_hook(scaled))
    pooled = naive.model(**naive.inputs).pooler_output[0]
    direction = pooled.detach() / pooled.detach().norm()
    (gradient,) = torch.autograd.grad(pooled @ direction, switches)
    found = _of(tiny.analyse("head-importance", trace, target="pooled"), "importance")
    np.testing.assert_allclose(found, np.abs(array(gradient)), atol=1e-5)


def test_a_muted_head_changes_nothing(tiny: Model) -> None:
    trace = tiny.trace("the cat ate", muted=[(0, 2)])
    for flavour in ("zero", "uniform"):
        change = _of(tiny.analyse("head-ablation", trace, flavour=flavour), "change")
        assert change[0, 2] == 0
        assert np.count_nonzero(change) == 7
    importance = _of(tiny.analyse("head-importance", trace), "importance")
    assert importance[0, 2] == 0
    assert np.count_nonzero(importance) == 7


TEXT, PAIR = "the cat ate the fish", "it was hungry"
HEADS: list[Intervention] = [
    HeadIntervention(0, 1),
    HeadIntervention(1, 1, "mean", "a mat sat on the hat"),
    HeadIntervention(1, 0, "uniform"),
    CellIntervention(0, 2, 3, 1, 0.8),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("bert")
    write_family(folder, "bert", "AutoModelForPreTraining")
    return open_model(str(folder), "cpu")


def _by_kind(found: tuple[Outcome, ...], kind: str) -> list[Outcome]:
    return [one for one in found if one.kind == kind]


def _probability(found: Predictions, piece: str) -> float:
    return next(one.probability for one in found.fillings[0].fillers if one.piece == piece)


def test_masked_tokens_and_next_sentences(model: Model) -> None:
    mask: Intervention = TokenIntervention(3)
    drop: Intervention = TokenIntervention(2, "drop")
    after = model.trace(TEXT, PAIR, interventions=[mask, drop, *HEADS])
    found = model.outcomes(after)
    with_mask, plain = model.trace(TEXT, PAIR, interventions=[mask]), model.trace(TEXT, PAIR)
    size = model.facts.vocabulary_size
    one, two = model.predict(with_mask, [3], top=size), model.predict(after, [2], top=size)
    masked = _by_kind(found, "masked")
    assert masked
    for each in masked:
        assert each.token == 3
        assert each.before == pytest.approx(_probability(one, each.name), abs=1e-6)
        assert each.after == pytest.approx(_probability(two, each.name), abs=1e-6)
    assert {one.fillings[0].fillers[0].piece, two.fillings[0].fillers[0].piece} == {x.name for x in masked}
    (follows,) = _by_kind(found, "next-sentence")
    before, now = model.predict(plain).next_sentence, model.predict(after).next_sentence
    assert before is not None
    assert now is not None
    assert (follows.before, follows.after) == pytest.approx((before.probability, now.probability), abs=1e-6)
    assert abs(follows.after - follows.before) > 1e-4


def _cosine(one: Floats | None, two: Floats | None) -> float:
    assert one is not None
    assert two is not None
    return float(one @ two / (np.linalg.norm(one) * np.linalg.norm(two)))


def test_vectors_before_and_after_and_beside_a_second_run(model: Model) -> None:
    before, after = model.trace(TEXT), model.trace(TEXT, interventions=HEADS)
    other = model.trace("a mat")
    found = model.outcomes(after, other)
    (vector,) = _by_kind(found, "vector")
    assert (vector.name, vector.before) == ("pooled", 1.0)
    assert vector.after == pytest.approx(_cosine(before.pooled, after.pooled), abs=1e-6)
    (beside,) = _by_kind(found, "other")
    assert beside.before == pytest.approx(_cosine(before.pooled, other.pooled), abs=1e-6)
    assert beside.after == pytest.approx(_cosine(after.pooled, other.pooled), abs=1e-6)
    assert not _by_kind(found, "masked")
    assert not _by_kind(found, "next-sentence")


def test_classes(tmp_path: Path) -> None:
    write_family(tmp_path, "bert", "AutoModelForSequenceClassification", num_labels=3)
    model = open_model(str(tmp_path), "cpu")
    after = model.trace(TEXT, interventions=HEADS)
    one, two = model.predict(model.trace(TEXT)).classes, model.predict(after).classes
    assert one is not None
    assert two is not None
    values = ({label.name: label.value for label in classes.labels} for classes in (one, two))
    before, now = values
    found = _by_kind(model.outcomes(after), "class")
    assert found[0].name == one.labels[0].name
    assert {each.name for each in found} == set(before)
    for each in found:
        assert (each.before, each.after) == pytest.approx((before[each.name], now[each.name]), abs=1e-6)


def test_a_sentence_vector(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    before, after = model.trace("A cat ate the fish"), model.trace("A cat ate the fish", muted=[(5, 2)])
    (vector,) = model.outcomes(after)
    if before.sentence_vector is not None:
        assert vector.name == "sentence"
        assert vector.after == pytest.approx(_cosine(before.sentence_vector, after.sentence_vector), abs=1e-6)
    assert vector.after < 1 - 1e-6


def test_what_the_map_says_is_what_the_intervention_does(tiny: Model) -> None:
    """A cell of the map is the change of the outcome; the state that stays makes exactly that change."""
    trace, other = tiny.trace("the cat ate"), tiny.trace("the hungry fish ate")
    found = tiny.analyse("patching", trace, other, target="pooled", part="hidden")
    assert isinstance(found, OutcomeMap)
    assert trace.pooled is not None
    direction = trace.pooled / np.linalg.norm(trace.pooled)
    for layer, column in ((0, 1), (0, 2), (1, 0)):
        at, source = found.positions[column], found.sources[column]
        put = StateIntervention(layer + 1, at, source, "the hungry fish ate")
        patched = tiny.trace("the cat ate", interventions=[put])
        assert patched.pooled is not None
        change = float((patched.pooled - trace.pooled) @ direction)
        assert change == pytest.approx(float(found.named["values"][layer, column]), abs=1e-5)
        np.testing.assert_allclose(patched.hidden[layer + 1, at], other.hidden[layer + 1, source], atol=1e-6)


def test_a_state_that_was_put_in_stays_while_others_are_tried(tiny: Model) -> None:
    put = StateIntervention(2, 0, 0, "the fish ate")
    patched, other = tiny.trace("the cat ate", interventions=[put]), tiny.trace("the fish ate")
    found = tiny.analyse("patching", patched, other, target="pooled", part="hidden")
    assert np.abs(found.arrays()["values"]).max() < 1e-5, "[CLS] of the last layer is that of B already"
    with pytest.raises(AnalysisError, match="comes from another text"):
        tiny.analyse("patching", other, patched, target="pooled", part="hidden")


def test_what_follows_the_layers_is_refused_for_a_state_of_another_text(tiny: Model) -> None:
    patched = tiny.trace("the cat ate", interventions=[StateIntervention(1, 2, 2, "the fish ate")])
    for key in ("attention-rollout", "globenc", "alti", "decompx", "value-zeroing", "chefer", "score-parts"):
        with pytest.raises(AnalysisError, match="comes from another text"):
            tiny.analyse(key, patched)
    for key in ("head-measures", "norm-attention", "occlusion", "integrated-gradients", "head-ablation"):
        assert np.isfinite(tiny.analyse(key, patched).arrays()["values"]).all(), key
    test = tiny.analyse("self-test", patched)
    assert isinstance(test, NamedArrays)
    assert test.facts["passed"] == test.facts["checks"]


@pytest.mark.parametrize(
    ("text", "positions"), [("the fish ate", [0, 1, 2, 3, 4]), ("the hungry cat ate", [0, 1, 3, 4, 5])]
)
def test_one_head_is_put_in_at_all_aligned_tokens(
    tiny: Model, tiny_bert: Path, text: str, positions: list[int]
) -> None:
    trace, other = tiny.trace("the cat ate"), tiny.trace(text)
    naive = NaiveBert(tiny_bert, trace)
    found = tiny.analyse("patching", trace, other, target="pooled").arrays()["values"]
    for layer in range(2):
        mixed = (other.attention(layer, 2) @ other.values[layer, 2]).astype(np.float64)[positions]
        assert found[layer, 2] == pytest.approx(naive.change_with(layer, 2, mixed), abs=1e-5)


_OUTCOMES: dict[str, dict[str, Any]] = {
    "cosine": {},
    "next-sentence": {},
    "masked, one less the other": {"target": "masked", "answer": "the", "against": "he"},
    "two positions": {"target": "masked", "position": (1, 4)},
}


@pytest.mark.parametrize("name", list(_OUTCOMES))
def test_a_run_patched_with_itself_changes_by_less_than_the_noise_that_is_stated(name: str) -> None:
    model = open_model("bert-mini-en-ko", "cpu")
    text = "She was very happy because it was [MASK]."
    trace, given = model.trace(text), {"target": name} | _OUTCOMES[name]
    found = [model.analyse("patching", trace, trace, part=part, **given) for part in ("heads", "hidden")]
    found.append(model.analyse("path-patching", trace, trace, **given))
    for result in found:
        assert np.abs(result.arrays()["values"]).max() < result.noise < 2e-4
        assert result.noise > 0
        assert facts_of(result)["noise"] == result.noise
    ablated, masked = (model.analyse(key, trace, trace, **given) for key in ("head-ablation", "occlusion"))
    assert ablated.noise == masked.noise == result.noise
    assert facts_of(ablated)["noise"] == facts_of(masked)["noise"] == result.noise
    assert np.mean(np.abs(masked.arrays()["values"]) > masked.noise) > 0.5, "what has an effect stays"


@pytest.mark.parametrize("name", ["masked", "pooled", "sentence"])
def test_the_outcome_of_run_b_and_the_share_of_the_effect(name: str) -> None:
    model = open_model("bert-mini-en-ko", "cpu")
    given: dict[str, Any] = {"target": name} | (
        {"answer": "were", "against": "was"} if name == "masked" else {}
    )
    trace = model.trace("The old cat [MASK] lost.")
    other = model.trace("The new cats [MASK] lost." if name == "masked" else "The new cat [MASK] lost.")
    found = model.analyse("patching", trace, other, part="hidden", **given)
    assert isinstance(found, OutcomeMap)
    whole = float(found.facts["outcome_b"]) - float(found.facts["outcome"])
    shares = found.normalised()
    assert np.allclose(shares, found.arrays()["values"] / whole, rtol=1e-6)
    assert shares.shape == found.arrays()["values"].shape
    # The outcome depends on the last states of these tokens alone: with all of B's it is that of B.
    if name == "sentence":
        assert np.isclose(shares[-1].sum(), 1, atol=1e-3)
    else:
        at = found.positions.index(trace.tokens.pieces.index("[MASK]") if name == "masked" else 0)
        assert np.isclose(shares[-1, at], 1, atol=1e-3)
    path = model.analyse("path-patching", trace, other, **given)
    assert facts_of(path)["outcome_b"] == found.facts["outcome_b"]


@pytest.mark.parametrize(("layers", "n_states"), [("last", 1), ("last four", 4)])
def test_the_vector_of_run_b_is_measured_along_that_of_a(layers: str, n_states: int) -> None:
    """Of a text of another length, whose mean is over other tokens."""
    model = open_model("bert-mini-en-ko", "cpu")
    trace, other = model.trace("The old cat lost."), model.trace("The new dog was lost for two days.")
    found = facts_of(model.analyse("patching", trace, other, target="sentence", layers=layers))
    own, second = (run.hidden[-n_states:].sum(0).mean(0) for run in (trace, other))
    assert np.isclose(float(found["outcome_b"]), own @ second / np.linalg.norm(own), rtol=1e-5)
    assert np.isclose(float(found["outcome"]), np.linalg.norm(own), rtol=1e-5)


def test_there_is_no_share_without_another_outcome() -> None:
    model = open_model("bert-mini-en-ko", "cpu")
    trace = model.trace("The cat ate the [MASK]")
    lacks = model.analyse("patching", trace, model.trace("The cat"), target="masked")
    assert isinstance(lacks, OutcomeMap)
    assert "outcome_b" not in lacks.facts
    with pytest.raises(AnalysisError, match="lacks the predicted token"):
        lacks.normalised()
    with pytest.raises(AnalysisError, match="have the same outcome"):
        cast("OutcomeMap", model.analyse("patching", trace, trace, target="masked")).normalised()


CLS = (0.0968, 0.0758, 0.0658, 0.0855, 0.0969, 0.0912, 0.0489, 0.0443, 0.0938, 0.1805, 0.0599, 0.0606)
"""The row of [CLS] after the last layer of MiniLM, in float64 by another program."""


def test_it_is_its_definition(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat ate fish")
    naive, product = NaiveBert(tiny_bert, trace), np.eye(trace.n_tokens)
    for layer, block in enumerate(naive.model.encoder.layer):
        whole = array(naive.hidden(layer + 1))
        turned = np.zeros((trace.n_tokens, trace.n_tokens))
        for j in range(trace.n_tokens):

            def zeroed(module: object, inputs: object, values: torch.Tensor, j: int = j) -> torch.Tensor:
                found = values.clone()
                found[0, j] = 0
                return found

            hook = block.attention.self.value.register_forward_hook(zeroed)
            with torch.no_grad():
                after: Any = block(naive.hidden(layer)[None])
            hook.remove()
            without = array((after[0] if isinstance(after, tuple) else after)[0])
            lengths = np.linalg.norm(without, axis=-1) * np.linalg.norm(whole, axis=-1)
            turned[:, j] = 1 - (without * whole).sum(-1) / lengths
        product = turned / turned.sum(-1, keepdims=True) @ product
    found = tiny.analyse("value-zeroing", trace)
    assert isinstance(found, TokenMatrices)
    np.testing.assert_allclose(found.source(1).rows(slice(None)), product, atol=1e-4)


def test_a_text_that_would_take_hours_is_refused() -> None:
    trace = make_trace(MAX_TOKENS + 1, n_layers=1, n_heads=1)
    refused = value_zeroing.refuses_trace(trace)
    assert refused is not None
    assert refused.message == "Value zeroing is computed of up to 1024 tokens; this text has 1025."
    assert value_zeroing.refuses_trace(make_trace(5)) is None


def _differences(model: Model, trace: Trace) -> dict[str, tuple[float, float]]:
    found = model.analyse("self-test", trace)
    assert isinstance(found, NamedArrays)
    names = found.axes[0].labels
    passed = (found.named["values"] <= found.named["limits"]).sum()
    assert found.facts == {"passed": int(passed), "checks": len(names)}
    pairs = zip(found.named["values"].tolist(), found.named["limits"].tolist(), strict=True)
    return dict(zip(names, pairs, strict=True))


@pytest.mark.parametrize("wrong", [0.5, np.nan])
@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("keys", {"weights", "parts"}),
        ("values", {"parts"}),
        ("hidden", {"again", "exact", "parts"}),
    ],
)
def test_a_wrong_number_is_found(tiny: Model, name: str, failing: set[str], wrong: float) -> None:
    trace = tiny.trace("the cat ate")
    spoiled = getattr(trace, name).copy()
    spoiled[(1, 1, 1, 1)[: spoiled.ndim]] += np.float32(wrong)
    found = _differences(tiny, replace(trace, **{name: spoiled}))
    # A row of weights that has no numbers has no sum of 1 either.
    expected = failing | ({"rows"} if np.isnan(wrong) and name == "keys" else set())
    assert {key for key, (difference, limit) in found.items() if not difference <= limit} == expected


def test_differences_are_shares_of_the_largest_number_of_a_state(tiny: Model) -> None:
    trace = tiny.trace("the cat ate")
    hidden = trace.hidden.copy()
    before = float(hidden[-1, 1, 1])
    hidden[-1, 1, 1] = 100
    with_large = _differences(tiny, replace(trace, hidden=hidden))
    for name in ("again", "exact"):
        assert with_large[name][0] == pytest.approx((100 - before) / 100, rel=1e-5)


@pytest.mark.parametrize(("family", "layer"), [("bert", 0), ("roberta-prelayernorm", 2)])
def test_parts_that_do_not_add_up_are_a_share_of_the_vectors_that_they_should_add_up_to(
    tmp_path: Path, family: str, layer: int
) -> None:
    """Not of a later layer's, nor of the hidden state after it: the norm on top makes that of the last small.

    The vectors of BERT's first layer are larger here than those of its others.
    """
    write_family(tmp_path / family, family)
    model = EngineModel(tmp_path / family)
    trace = model.trace("the cat ate")
    spoiled = trace.values.copy()
    spoiled[layer, 1, 1, 1] += 0.5
    wrong = replace(trace, values=spoiled)
    point = "attention_sum" if trace.form.is_pre_norm else "attention_norm"
    right = model.analyse("layer-details", trace, layer=layer).arrays()[point]

    def sums(access: ModelAccess) -> Doubles:
        block = AttentionBlocks(Inputs(wrong, access)).at(layer)
        ((_, parts),) = block.blocks(SILENT)
        normed, rest = block.normed(parts)
        found: Doubles = normed.sum(1) + rest
        return found

    apart = np.abs(model.with_model(trace, sums) - right).max()
    scale = np.abs(right).max()
    assert scale > 1
    assert _differences(model, wrong)["parts"][0] == pytest.approx(apart / scale, rel=1e-4)


def test_the_weights_of_one_layer_at_a_time_are_in_memory(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tiny.trace("the cat ate")
    of_layer = 2 * 4 * trace.n_heads * trace.n_tokens**2
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", of_layer)
    assert all(difference <= limit for difference, limit in _differences(tiny, trace).values())
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", of_layer - 1)
    with pytest.raises(AnalysisError, match="memory"):
        _differences(tiny, trace)
