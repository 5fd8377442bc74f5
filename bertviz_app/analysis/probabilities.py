"""Probabilities of logits, in float64."""

from __future__ import annotations

import numpy as np

from bertviz_app.types import Doubles, Floats


def softmax(logits: Floats) -> Doubles:
    """Return the softmax over the last axis of logits [..., N], in float64."""
    powers: Doubles = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
    powers /= powers.sum(-1, keepdims=True)
    return powers


def sigmoid(logits: Floats) -> Doubles:
    """Return a probability for each logit by itself, in float64."""
    half: Doubles = 0.5 * (1 + np.tanh(0.5 * logits.astype(np.float64)))  # which no large number overflows
    return half
