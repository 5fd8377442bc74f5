"""Every identity that a result carries: below its tolerance on MiniLM, and far off for a spoilt trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.reporter import parameters_of
from bertviz_app.api import Model
from bertviz_app.trace import Trace
from tests.support.naive_bert import OTHER, S

ROWS, NORMS, PARTS, COSINE = 1e-6, 1e-5, 5e-5, 1e-6
TOLERANCES = {
    "inter-sentence": ROWS,
    "attention-rollout": ROWS,
    "value-zeroing": ROWS,
    "chefer": ROWS,
    "norm-attention": NORMS,
    "norm-attention-residual": NORMS,
    "mixing-ratio": NORMS,
    "globenc": NORMS,
    "alti": NORMS,
    "score-parts": NORMS,
    "layer-details": NORMS,
    "self-test": NORMS,
    "integrated-gradients": NORMS,
    "shapley": ROWS,
    "decompx": PARTS,
    "similarity-pairs": COSINE,
    "similarity-heads": COSINE,
}
"""In float32: of sums of rows, of norms, of the parts of DecompX, and of what adds up to a cosine."""
OF_HIDDEN = (
    "norm-attention",
    "norm-attention-residual",
    "mixing-ratio",
    "globenc",
    "alti",
    "layer-details",
    "decompx",
    "similarity-pairs",
    "self-test",
)
"""Those that compare with the values and hidden states of the trace."""


@pytest.fixture(scope="module")
def model(minilm: Path) -> Model:
    return open_model(str(minilm), "cpu")


def _error(model: Model, key: str, trace: Trace) -> float:
    analysis = find_analysis(key)
    names = {parameter.name for parameter in parameters_of(analysis.parameters)}
    chosen: dict[str, Any] = {"target": "cosine"} if "target" in names else {}
    other = model.trace(OTHER) if chosen or Needs.SECOND_RUN in analysis.needs else None
    error = model.analyse(key, trace, other, **chosen).identity_error
    assert error is not None
    return error


@pytest.mark.slow
@pytest.mark.parametrize("key", TOLERANCES)
def test_it_is_below_its_tolerance(model: Model, key: str) -> None:
    assert _error(model, key, model.trace(S)) < TOLERANCES[key]


@pytest.mark.slow
@pytest.mark.parametrize("key", OF_HIDDEN)
def test_it_is_computed_and_finds_a_hundredth_that_is_wrong(model: Model, key: str) -> None:
    trace = model.trace(S)
    hidden = trace.hidden.copy()
    hidden[1:] *= np.float32(1.01)
    spoilt = replace(trace, hidden=hidden, values=trace.values * np.float32(1.01))
    assert _error(model, key, spoilt) > 100 * TOLERANCES[key]
