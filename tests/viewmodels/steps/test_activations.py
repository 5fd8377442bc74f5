"""What is said of an activation is true of the function that the encoder applies."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from bertviz_app.encoder.activations import ACTIVATIONS, activation
from bertviz_app.viewmodels.steps.activations import activation_sentence

_X = torch.linspace(-12, 12, 2401, dtype=torch.float64)
_NEGATIVE, _POSITIVE = _X < 0, _X > 0
_CLAIMS: dict[str, Callable[[Tensor], bool]] = {
    "Large negative numbers become almost 0": lambda y: bool((y[_X < -7].abs() < 0.02).all()),
    "large positive ones pass almost unchanged": lambda y: bool(((y - _X)[_X > 7].abs() < 0.02).all()),
    "nothing becomes larger than 10": lambda y: float(y.max()) == 10,
    "Negative numbers become 0": lambda y: bool((y[_NEGATIVE] == 0).all()),
    "positive ones pass unchanged": lambda y: bool((y == _X)[_POSITIVE & (_X <= 6)].all()),
    "positive ones pass unchanged up to 6": lambda y: bool((y[_X > 6] == 6).all()),
    "positive ones are squared": lambda y: torch.allclose(y[_POSITIVE], _X[_POSITIVE] ** 2),
    "Negative numbers become a hundred times smaller": lambda y: torch.allclose(
        y[_NEGATIVE], _X[_NEGATIVE] / 100
    ),
    "between −1 and 1": lambda y: bool((y.abs() <= 1).all()),
    "keeps its sign": lambda y: bool((y.sign() == _X.sign()).all()),
    "between 0 and 1": lambda y: bool(((y >= 0) & (y <= 1)).all()),
    "0 becomes one half": lambda y: bool((y[_X.abs() < 1e-9] == 0.5).all()),
    "those below 0 become almost 0": lambda y: bool((y[_NEGATIVE] < 0.01).all()),
    "Nothing changes": lambda y: bool((y == _X).all()),
}


def _english(context: str, text: str) -> str:
    return text


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_sentence_is_true(name: str) -> None:
    sentence = activation_sentence(_english, name)
    claims = [claim for claim in _CLAIMS if claim in sentence]
    assert claims, sentence
    outputs = activation(name)(_X)
    for claim in claims:
        assert _CLAIMS[claim](outputs), (name, claim)


def test_every_claim_is_made_of_some_activation() -> None:
    sentences = " ".join(activation_sentence(_english, name) for name in ACTIVATIONS)
    assert all(claim in sentences for claim in _CLAIMS)


def test_of_an_unknown_activation_nothing_is_claimed() -> None:
    assert activation_sentence(_english, "new") == "The same function is applied to every number."
