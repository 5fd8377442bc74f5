"""Attributions: gradients, masking and their targets, against captum and by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captum.attr import (
    FeatureAblation,
    InputXGradient,
    IntegratedGradients,
    Saliency,
    ShapleyValues,
)
from torch import Tensor

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.probing.passes import Target, TargetParameters, class_number
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError, AppError
from bertviz_app.features.methods import attribution as masking
from bertviz_app.features.methods.attribution import _baseline
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.families import write_family
from tests.support.peers import EngineModel, NaiveBert, array


@pytest.fixture(scope="module")
def tiny(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


def _found(
    model: Model, key: str, trace: Trace, other: Trace | None = None, **parameters: Any
) -> TokenScalars:
    found = model.analyse(key, trace, other, **parameters)
    assert isinstance(found, TokenScalars)
    return found


def test_chefer_is_its_definition(tiny: Model, tiny_bert: Path) -> None:
    trace = tiny.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    outputs = naive.model(**naive.inputs, output_attentions=True)
    own = torch.tensor(trace.pooled).double()
    gradients = torch.autograd.grad(outputs.pooler_output[0] @ (own / own.norm()), outputs.attentions)
    relevance = np.eye(trace.n_tokens)
    for weights, gradient in zip(outputs.attentions, gradients, strict=True):
        positive = np.maximum(array(weights[0]) * array(gradient[0]), 0).mean(0)
        relevance = relevance + positive @ relevance
    row = (relevance - np.eye(trace.n_tokens))[0]  # the pooled vector is made of the first token's
    found = _found(tiny, "chefer", trace, target="pooled")
    assert found.identity_error == abs(float(found.values.sum(dtype=np.float64)) - 1) < 1e-6
    np.testing.assert_allclose(found.values, row / row.sum(), atol=1e-5)


def test_the_baseline_is_what_the_model_makes_of_padding(tmp_path: Path) -> None:
    """ESM scales its token embeddings by how many are masked: the way begins at the model's own padding."""
    write_family(tmp_path / "esm", "esm", "AutoModelForMaskedLM")
    model = EngineModel(tmp_path / "esm")
    text = "the cat ate"
    trace = model.trace(text, replaced={1: "[MASK]"})
    pad = dict.fromkeys(np.flatnonzero(~trace.tokens.is_special).tolist(), "[PAD]")
    padded = model.trace(text, replaced=pad)

    def work(access: ModelAccess) -> Doubles:
        return array(_baseline(Inputs(trace, access)))

    found = model.with_model(trace, work)
    np.testing.assert_allclose(found, padded.embedding_sum, atol=1e-6)
    assert np.abs(padded.embedding_sum - trace.embedding_sum).max() > 0.01


def _outcome(model: Model, trace: Trace, hidden: tuple[int, ...]) -> float:
    """Return how long the pooled vector is in its present direction with some tokens masked."""
    assert trace.pooled is not None
    direction = trace.pooled / np.linalg.norm(trace.pooled)
    masked = model.trace("the cat ate", replaced=dict.fromkeys(hidden, "[MASK]"))
    assert masked.pooled is not None
    return float(masked.pooled @ direction)


def test_the_seed_chooses_the_orders(tiny: Model) -> None:
    trace = tiny.trace("the cat ate the fish because it was hungry")
    one, same, other = (
        tiny.analyse("shapley", trace, seed=seed, pairs=2).arrays()["values"] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0


def test_the_table_and_the_file_have_the_standard_errors(tiny: Model) -> None:
    found = tiny.analyse("shapley", tiny.trace("the cat"))
    assert found.as_table().columns == ("position", "token", "value", "standard_error")
    assert set(found.arrays()) == {"values", "standard_errors"}


def test_a_token_at_the_ends_of_every_order_has_no_standard_error(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of all or the last of all: both times the same two texts are compared, always."""
    trace = tiny.trace("the cat ate the fish")
    orders = (np.array([0, 1, 2, 3, 4]), np.array([0, 3, 1, 4, 2]), np.array([4, 2, 1, 3, 0]))
    with monkeypatch.context() as patch:
        patch.setattr(masking, "_orders", lambda count, parameters: orders)
        found = tiny.analyse("shapley", trace, target="pooled", pairs=3).arrays()["standard_errors"]
    assert np.isnan(found).tolist() == [False, True, False, False, False, False, False]
    assert (found[2:-1] > 0).all()
    two = tiny.analyse("shapley", tiny.trace("the cat"), target="pooled", pairs=2).arrays()
    assert two["standard_errors"][1:3].max() < 1e-6, "of two tokens both orders are tried: it is exact"


def test_the_standard_error_is_that_of_the_mean_of_a_sample(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two numbers a and b it is |a - b| / 2: their deviation |a - b| / √2, of a sample, divided by √2."""
    trace = tiny.trace("the cat ate the fish")
    tokens = (np.array([0, 1, 2, 3, 4]), np.array([3, 1, 4, 0, 2]))
    of_one = []
    for order in tokens:
        monkeypatch.setattr(masking, "_orders", lambda count, parameters, order=order: [order] * 2)
        found = tiny.analyse("shapley", trace, target="pooled", pairs=2)
        of_one.append(found.arrays()["values"])
        errors = found.arrays()["standard_errors"]
        assert np.isnan(errors[1:-1]).all(), "one order twice says nothing of the others"
        assert errors[[0, -1]].tolist() == [0, 0], "special tokens are always shown"
    monkeypatch.setattr(masking, "_orders", lambda count, parameters: tokens)
    both = tiny.analyse("shapley", trace, target="pooled", pairs=2).arrays()
    expected = np.abs(of_one[0] - of_one[1]) / 2
    assert expected.max() > 1e-3
    np.testing.assert_allclose(both["standard_errors"], expected, rtol=1e-4, atol=1e-6)


def _target_outcome(model: EngineModel, trace: Trace, other: Trace | None = None, **parameters: Any) -> float:
    """Return the outcome of the trace's own tokens."""

    def work(access: ModelAccess) -> float:
        target = Target(Inputs(trace, access, other), TargetParameters(**parameters))
        return float(target.of([trace.tokens])[0])

    return model.with_model(trace, work)


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> EngineModel:
    folder = tmp_path_factory.mktemp("bert") / "bert"
    write_family(folder, "bert", "AutoModelForPreTraining")
    return EngineModel(folder)


def test_logits_are_those_of_the_task_heads(masked: EngineModel) -> None:
    trace = masked.trace("the cat [MASK] the fish", pair="it was hungry")
    logits = masked.logits(trace)
    at = trace.tokens.pieces.index("[MASK]")
    assert logits.masked is not None
    assert logits.next_sentence is not None
    assert _target_outcome(masked, trace, target="masked") == pytest.approx(logits.masked[at].max(), abs=1e-4)
    of_cat = logits.masked[2, masked.trace("cat").tokens.ids[1]]
    assert _target_outcome(masked, trace, target="masked", position=(2,), answer="cat") == pytest.approx(
        of_cat, abs=1e-4
    )
    follows, not_follows = logits.next_sentence
    assert _target_outcome(masked, trace, target="next-sentence") == pytest.approx(
        follows - not_follows, abs=1e-4
    )


def test_vectors_in_their_present_direction(masked: EngineModel) -> None:
    trace, other = masked.trace("the cat"), masked.trace("the fish was hungry")
    assert trace.pooled is not None
    assert _target_outcome(masked, trace, target="pooled") == pytest.approx(
        np.linalg.norm(trace.pooled), rel=1e-5
    )
    mean, second = trace.hidden[-1].mean(0), other.hidden[-1].mean(0)
    assert _target_outcome(masked, trace) == pytest.approx(np.linalg.norm(mean), rel=1e-5)
    cosine = mean @ second / np.linalg.norm(mean) / np.linalg.norm(second)
    assert _target_outcome(masked, trace, other, target="cosine") == pytest.approx(cosine, abs=1e-5)


def test_what_may_be_rounding_is_in_proportion_to_the_numbers_of_the_outcome(masked: EngineModel) -> None:
    trace, spacing = masked.trace("the cat", pair="the fish"), 2.0**-23
    logits = masked.logits(trace).next_sentence
    assert logits is not None
    assert trace.pooled is not None
    of_logits, of_vector = 2 * max(1.0, float(np.abs(logits).max())), float(np.linalg.norm(trace.pooled))
    assert _found(masked, "occlusion", trace, target="next-sentence").quantity.noise == pytest.approx(
        32 * spacing * of_logits
    )
    assert _found(masked, "occlusion", trace, target="pooled").quantity.noise == pytest.approx(
        32 * spacing * of_vector
    )


def test_classes_by_name_and_by_number(tmp_path: Path) -> None:
    labels: dict[str, Any] = {
        "id2label": {0: "bad", 1: "good", 2: "so so"},
        "label2id": {"bad": 0, "good": 1, "so so": 2},
    }
    write_family(tmp_path / "bert", "bert", "AutoModelForSequenceClassification", num_labels=3, **labels)
    model = EngineModel(tmp_path / "bert")
    trace = model.trace("the cat")
    logits = model.logits(trace).classes
    assert logits is not None
    assert _target_outcome(model, trace, target="class") == pytest.approx(logits.max(), abs=1e-5)
    assert _target_outcome(model, trace, target="class", answer="Good") == pytest.approx(logits[1], abs=1e-5)
    assert _target_outcome(model, trace, target="class", answer="2") == pytest.approx(logits[2], abs=1e-5)
    found = _target_outcome(model, trace, target="class", answer="0", against="2")
    assert found == pytest.approx(float(logits[0] - logits[2]), abs=1e-5)
    for wrong in ("3", None), ("0", "3"):
        with pytest.raises(AnalysisError, match="no class “3”"):
            _target_outcome(model, trace, target="class", answer=wrong[0], against=wrong[1])
    with pytest.raises(AnalysisError, match=r"no class “fine”\. There are: bad, good, so so"):
        _target_outcome(model, trace, target="class", answer="fine")


def test_a_number_is_the_class_whose_name_begins_with_it() -> None:
    logits, stars = np.array([0.1, 0.5, 0.2], np.float32), ("1 star", "2 stars", "3 stars")
    assert [class_number(answer, logits, stars) for answer in ("1", "2 Stars", "3", None)] == [0, 1, 2, 1]
    with pytest.raises(AnalysisError, match=r"no class “0”\. There are: 1 star, 2 stars, 3 stars"):
        class_number("0", logits, stars)


def test_an_outcome_may_be_a_difference(masked: EngineModel) -> None:
    """What masking a token changes is the same difference; what raises both logits alike does not count."""
    trace = masked.trace("the cat [MASK] the fish")

    def changes(**parameters: Any) -> Doubles:
        values = masked.analyse("occlusion", trace, target="masked", **parameters).arrays()["values"]
        return np.asarray(values, np.float64)

    cat, fish = changes(answer="cat"), changes(answer="fish")
    both = changes(answer="cat", against="fish")
    assert np.abs(both).max() > 1e-3
    np.testing.assert_allclose(both, cat - fish, atol=1e-4)
    assert not changes(answer="cat", against="cat").any()
    exact = masked.analyse("integrated-gradients", trace, target="masked", answer="cat", against="fish")
    assert exact.identity_error is not None
    assert exact.identity_error < 1e-3


def test_the_logits_of_several_positions_are_added(masked: EngineModel) -> None:
    trace = masked.trace("the cat [MASK] the [MASK]")
    logits = masked.logits(trace).masked
    assert logits is not None
    at = [number for number, piece in enumerate(trace.tokens.pieces) if piece == "[MASK]"]
    own = _target_outcome(masked, trace, target="masked", position=tuple(at))
    assert own == pytest.approx(float(logits[at].max(-1).sum()), abs=1e-4), "each with its likeliest piece"
    fish, cat = masked.trace("fish cat").tokens.ids[1:3]
    found = _target_outcome(masked, trace, target="masked", position=tuple(at), answer="fish", against="cat")
    assert found == pytest.approx(float((logits[at, fish] - logits[at, cat]).sum()), abs=1e-4)
    once = _target_outcome(masked, trace, target="masked", position=(at[0], at[0]))
    assert once == pytest.approx(_target_outcome(masked, trace, target="masked", position=(at[0],)), abs=1e-6)


@pytest.mark.parametrize(("layers", "n_layers"), [("last", 6), ("last four", 6), ("last four", 2)])
def test_a_text_is_pooled_as_the_user_says(tmp_path: Path, layers: str, n_layers: int) -> None:
    write_family(tmp_path / "bert", "bert", "AutoModel", num_hidden_layers=n_layers)
    model = EngineModel(tmp_path / "bert")
    runs = model.trace("the cat ate"), model.trace("the fish")
    states = [NaiveBert(tmp_path / "bert", run).output.hidden_states for run in runs]
    tokens = [one[-1][0] if layers == "last" else sum(one[1:][-4:])[0] for one in states]
    for pooling, rows in {"all": slice(None), "content": slice(1, -1), "first": slice(0, 1)}.items():
        first, second = (array(of_run[rows].mean(0)) for of_run in tokens)
        own = _target_outcome(model, runs[0], pooling=pooling, layers=layers)
        assert own == pytest.approx(float(np.linalg.norm(first)), rel=1e-5)
        cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
        found = _target_outcome(model, *runs, target="cosine", pooling=pooling, layers=layers)
        assert found == pytest.approx(float(cosine), abs=1e-5)


def test_every_method_takes_a_vector_of_four_layers(tmp_path: Path) -> None:
    write_family(tmp_path / "bert", "bert", "AutoModel", num_hidden_layers=6)
    model = EngineModel(tmp_path / "bert")
    trace, other = model.trace("the cat ate"), model.trace("the fish ate")
    chosen: dict[str, Any] = {"pooling": "content", "layers": "last four"}
    for key in (
        *("saliency", "gradient-input", "integrated-gradients", "chefer", "occlusion", "shapley"),
        "attn-lrp",
    ):
        found = model.analyse(key, trace, **chosen).arrays()["values"]
        assert np.abs(found).max() > 0, key
        assert np.abs(found - model.analyse(key, trace, pooling="content").arrays()["values"]).max() > 1e-6, (
            key
        )
    for key in ("head-ablation", "head-importance", "head-ranking", "patching", "path-patching"):
        assert np.abs(model.analyse(key, trace, other, **chosen).arrays()["values"]).max() > 0, key


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"target": "class"}, "has no classes"),
        ({"target": "masked"}, "No token of this text is masked"),
        ({"target": "masked", "position": 99}, "no token 99"),
        ({"target": "masked", "position": (1, 99)}, "no token 99"),
        ({"target": "masked", "position": 1, "against": "xyzzyplugh"}, "piece"),
        ({"pooling": "middle"}, "pooling"),
        ({"target": "masked", "position": 1, "answer": "xyzzyplugh"}, "piece"),
        ({"target": "cosine"}, "compares two runs"),
    ],
)
def test_what_there_is_not_is_refused(masked: EngineModel, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(AppError, match=message):
        masked.analyse("occlusion", masked.trace("the cat"), **parameters)


def test_a_task_of_a_checkpoint_without_its_head_is_refused(tiny: Model) -> None:
    trace = tiny.trace("the cat")
    for target, message in (
        ("masked", "masked tokens"),
        ("next-sentence", "next sentence"),
        ("class", "no classes"),
    ):
        with pytest.raises(AnalysisError, match=message):
            tiny.analyse("saliency", trace, target=target)


FAMILIES = ("bert", "modernbert")
"""Norms after the blocks, learned positions, biases; and norms before them, rotary positions, gates."""
TARGETS = ("sentence", "masked")
TEXTS = {"bert": "The cat ate fish", "modernbert": "The cat"}
"""Of a few pieces each, since captum goes through all orders of them."""
MASKED = 3


class Oracle:
    """A model of `transformers` with the outcomes of a trace, as functions for captum."""

    def __init__(self, folder: Path, trace: Trace, target: str) -> None:
        from transformers import AutoModelForMaskedLM

        self._model: Any = AutoModelForMaskedLM.from_pretrained(folder, attn_implementation="eager")
        self._model = self._model.double().eval()
        self.trace, self._target = trace, target
        self.ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]
        self.inner = torch.from_numpy(~trace.tokens.is_special)[None]
        with torch.no_grad():
            states, logits = self._states(input_ids=self.ids)
        vector = states[0].mean(0)
        self.pad, self.mask = int(self._model.config.pad_token_id), int(trace.tokens.ids[MASKED])
        self._direction, self._answer = vector / vector.norm(), int(logits[0, MASKED].argmax())

    def _states(self, **inputs: Tensor) -> tuple[Tensor, Tensor]:
        output = self._model(**inputs, output_hidden_states=True)
        return output.hidden_states[-1], output.logits

    def _outcome(self, **inputs: Tensor) -> Tensor:
        states, logits = self._states(**inputs)
        of_sentence = self._target == "sentence"
        return states.mean(1) @ self._direction if of_sentence else logits[:, MASKED, self._answer]

    def of_ids(self, ids: Tensor) -> Tensor:
        """Return the outcome [B] of texts [B, T]."""
        with torch.no_grad():
            return self._outcome(input_ids=ids)

    def of_embeddings(self, embeddings: Tensor) -> Tensor:
        """Return the outcome [B] of token embeddings [B, T, W]."""
        return self._outcome(inputs_embeds=embeddings)

    def embeddings(self, instead: int | None = None) -> Tensor:
        """Return the token embeddings [1, T, W], with `instead` in the places that are not special."""
        ids = self.ids if instead is None else self.replaced(instead)
        found: Tensor = self._model.get_input_embeddings()(ids).detach()
        return found.requires_grad_()

    def replaced(self, instead: int) -> Tensor:
        """Return the ids [1, T] with those that are not special replaced."""
        return torch.where(self.inner, instead, self.ids)


class Both:
    """A checkpoint of a family in the program and in `transformers`, and one outcome."""

    def __init__(self, folder: Path, family: str, target: str) -> None:
        write_family(folder, family, "AutoModelForMaskedLM")
        self.model: Model = open_model(str(folder), "cpu")
        self.trace = self.model.trace(TEXTS[family], replaced={MASKED: "[MASK]"})
        self.family = family
        self.oracle = Oracle(folder, self.trace, target)
        self._parameters: dict[str, Any] = {"target": target} | (
            {"position": MASKED} if target == "masked" else {}
        )

    def found(self, key: str, **parameters: Any) -> TokenScalars:
        found = self.model.analyse(key, self.trace, **self._parameters, **parameters)
        assert isinstance(found, TokenScalars)
        return found


@pytest.fixture(
    scope="module", params=[(family, target) for family in FAMILIES for target in TARGETS], ids="-".join
)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    return Both(tmp_path_factory.mktemp("both"), *request.param)


def close(found: TokenScalars, expected: Doubles) -> None:
    """Assert that float32 is near to captum's float64, by the largest value."""
    largest = np.abs(expected).max()
    assert largest > 1e-3, "an outcome that depends on no token compares nothing"
    np.testing.assert_allclose(found.values, expected, atol=2e-5 * max(1, largest), rtol=2e-4)


@pytest.mark.slow
def test_saliency(both: Both) -> None:
    gradient = Saliency(both.oracle.of_embeddings).attribute(both.oracle.embeddings(), abs=False)
    close(both.found("saliency"), np.linalg.norm(array(gradient[0]), axis=-1))


@pytest.mark.slow
def test_gradient_times_input(both: Both) -> None:
    product = InputXGradient(both.oracle.of_embeddings).attribute(both.oracle.embeddings())
    expected = array(product[0].sum(-1))
    if both.family == "modernbert":  # its norm follows the token embeddings at once: their length is lost
        gradient = Saliency(both.oracle.of_embeddings).attribute(both.oracle.embeddings(), abs=False)
        lengths = np.linalg.norm(array(gradient[0]), axis=-1)
        assert np.abs(expected).max() < 1e-3 * lengths.max()
        with pytest.raises(AnalysisError, match="0 for every token"):
            both.found("gradient-input")
        return
    close(both.found("gradient-input"), expected)


@pytest.mark.slow
def test_integrated_gradients(both: Both) -> None:
    """The same points of the same way, from padding: the completeness error is the same as well."""
    oracle = both.oracle
    shares, delta = IntegratedGradients(oracle.of_embeddings).attribute(
        oracle.embeddings(),
        baselines=oracle.embeddings(oracle.pad),
        n_steps=50,
        method="gausslegendre",
        return_convergence_delta=True,
    )
    found = both.found("integrated-gradients")
    close(found, array(shares[0].sum(-1)))
    assert found.identity_error == pytest.approx(abs(float(delta)), abs=1e-4)


@pytest.mark.slow
def test_occlusion(both: Both) -> None:
    """What captum calls feature ablation, of one token at a time."""
    oracle = both.oracle
    fallen = FeatureAblation(oracle.of_ids).attribute(oracle.ids, baselines=oracle.replaced(oracle.mask))
    close(both.found("occlusion"), array(fallen[0]))


@pytest.mark.slow
def test_shapley_values(both: Both) -> None:
    """Against all orders, within four standard errors."""
    oracle = both.oracle
    masked = oracle.replaced(oracle.mask)
    inner = np.flatnonzero(oracle.inner[0].numpy())
    features = torch.zeros_like(oracle.ids)  # the special tokens are one, which is the same in both
    features[0, inner] = torch.arange(1, len(inner) + 1)
    found = both.found("shapley", pairs=20)
    assert found.standard_errors is not None
    every = ShapleyValues(oracle.of_ids).attribute(
        oracle.ids, baselines=masked, feature_mask=features, perturbations_per_eval=4
    )
    exact = array(every)
    assert not found.values[[0, -1]].any()
    assert np.abs(exact[0, inner]).max() > 1e-3
    off = np.abs(found.values - exact[0])[inner]
    assert (off < 4 * found.standard_errors[inner] + 1e-5).all()
    assert found.values.sum() == pytest.approx(exact[0, inner].sum(), abs=1e-4)
    assert found.identity_error is not None
    assert found.identity_error < 1e-5
