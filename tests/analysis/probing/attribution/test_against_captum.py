"""Attributions against those of captum, of the same outcomes of the models of `transformers`, in float64."""

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
    ShapleyValueSampling,
)
from torch import Tensor

from bertviz_app import open_model
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.families import write_family
from tests.support.naive_bert import array

pytestmark = pytest.mark.slow  # a second library beside ours

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


@pytest.fixture(params=[(family, target) for family in FAMILIES for target in TARGETS], ids="-".join)
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Both:
    return Both(tmp_path, *request.param)


def close(found: TokenScalars, expected: Doubles) -> None:
    """Assert that float32 is near to captum's float64, by the largest value."""
    largest = np.abs(expected).max()
    assert largest > 1e-3, "an outcome that depends on no token compares nothing"
    np.testing.assert_allclose(found.values, expected, atol=2e-5 * max(1, largest), rtol=2e-4)


def test_saliency(both: Both) -> None:
    gradient = Saliency(both.oracle.of_embeddings).attribute(both.oracle.embeddings(), abs=False)
    close(both.found("saliency"), np.linalg.norm(array(gradient[0]), axis=-1))


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


def test_occlusion(both: Both) -> None:
    """What captum calls feature ablation, of one token at a time."""
    oracle = both.oracle
    fallen = FeatureAblation(oracle.of_ids).attribute(oracle.ids, baselines=oracle.replaced(oracle.mask))
    close(both.found("occlusion"), array(fallen[0]))


def test_shapley_values(both: Both) -> None:
    """Against all orders, and against other random orders: both within four standard errors."""
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
    torch.manual_seed(0)
    estimates = [
        ShapleyValueSampling(oracle.of_ids).attribute(
            oracle.ids, baselines=masked, feature_mask=features, n_samples=6, perturbations_per_eval=4
        )
        for _ in range(10)
    ]
    sampled = array(torch.cat(estimates))
    errors = np.hypot(found.standard_errors, sampled.std(0, ddof=1) / np.sqrt(len(sampled)))
    assert (np.abs(found.values - sampled.mean(0))[inner] < 4 * errors[inner] + 1e-5).all()
    np.testing.assert_allclose(sampled.sum(-1), exact.sum(), atol=1e-6)
