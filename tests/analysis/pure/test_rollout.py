"""Attention rollout: by hand, against its definition in float64, and the numbers of MiniLM."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.pure import heads as rollout_module
from bertviz_app.analysis.pure.heads import RolloutParameters, rollout
from bertviz_app.analysis.reporter import SILENT, Callbacks
from bertviz_app.errors import AnalysisError, Cancelled
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.factories import dense, make_trace, trace_of

OF_CLS = (0.6978, 0.0265, 0.0179, 0.0134, 0.0141, 0.0181, 0.0117, 0.0206, 0.0194, 0.0146, 0.0431, 0.1028)
"""The row of [CLS] in the last layer of all-MiniLM-L6-v2, computed in float64 by another program."""


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
    np.testing.assert_allclose(_values(trace), expected, atol=1e-7)


def test_it_reports_its_progress_and_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[float] = []
    rollout(Inputs(make_trace(5)), RolloutParameters(), Callbacks(progress=shares.append))
    assert shares == [0.5, 1.0]

    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        rollout(Inputs(make_trace(5)), RolloutParameters(), Callbacks(check=cancel))


def test_a_text_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", 100)
    with pytest.raises(AnalysisError, match="This analysis of 5 tokens"):
        _values(make_trace(5))


def test_the_numbers_of_minilm(minilm: Path) -> None:
    from bertviz_app.api import open_model

    trace = open_model(str(minilm), "cpu").trace("The quick brown fox jumps over the lazy dog.")
    np.testing.assert_allclose(_values(trace)[5, 0], OF_CLS, atol=2e-4)
    assert find_analysis("attention-rollout") is rollout
