"""Attention flow: by hand, its bounds, and the numbers of MiniLM."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.pure.heads import FlowParameters, attention_flow
from bertviz_app.analysis.reporter import SILENT
from bertviz_app.errors import AnalysisError, AppError
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from tests.support.factories import diagonal, make_trace, trace_of
from tests.support.naive_bert import S

CLS = (0.146, 0.0773, 0.0762, 0.0752, 0.0752, 0.0759, 0.0756, 0.0767, 0.0759, 0.0755, 0.0803, 0.0902)
"""The row of [CLS] after the last layer of MiniLM, by another program."""


def test_two_layers_by_hand() -> None:
    """Without residuals: token 0 of layer 1 looks 0.3 at 0 and 0.7 at 1; both look at 0 below with 0.6.

    To token 0 flow at most 0.3 through the one and 0.6 through the other, to token 1 0.3 and 0.4.
    """
    attention = np.array([[[[0.6, 0.4], [0.6, 0.4]]], [[[0.3, 0.7], [0.5, 0.5]]]])
    found = attention_flow(Inputs(trace_of(attention)), FlowParameters(query=0, residual=0.0), SILENT)
    flows = np.array([0.3 + 0.6, 0.3 + 0.4])
    np.testing.assert_allclose(found.named["values"], [flows / flows.sum()], atol=1e-6)
    first = attention_flow(Inputs(trace_of(attention)), FlowParameters(layer=0, residual=0.5), SILENT)
    np.testing.assert_allclose(first.named["values"], [[0.8, 0.2], [0.3, 0.7]], atol=1e-6)


def test_long_texts_need_one_query() -> None:
    trace = trace_of(diagonal(60))
    with pytest.raises(AnalysisError, match="up to 48 tokens; this text has 60"):
        attention_flow(Inputs(trace), FlowParameters(), SILENT)
    found = attention_flow(Inputs(trace), FlowParameters(query=59), SILENT)
    np.testing.assert_allclose(found.named["values"][0], np.eye(60)[59], atol=1e-6)


def test_a_text_whose_graph_fills_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(diagonal(5, n_layers=3))
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", 40 * 2 * 5**2)
    with pytest.raises(AnalysisError, match="This analysis of 5 tokens"):
        attention_flow(Inputs(trace), FlowParameters(query=4), SILENT)
    found = attention_flow(Inputs(trace), FlowParameters(query=4, layer=1), SILENT)
    np.testing.assert_allclose(found.named["values"][0], np.eye(5)[4], atol=1e-6)


def test_a_muted_head_carries_nothing() -> None:
    trace = make_trace(5, n_layers=1, n_heads=2)
    fields = ("queries", "keys", "values", "lse")
    alone = replace(trace, **{name: getattr(trace, name)[:, :1] for name in fields})

    def flow_of(of: Trace) -> Floats:
        return attention_flow(Inputs(of), FlowParameters(), SILENT).named["values"]

    np.testing.assert_allclose(flow_of(replace(trace, muted=((0, 1),))), flow_of(alone), atol=1e-6)
    np.testing.assert_array_equal(flow_of(replace(trace, muted=((0, 0), (0, 1)))), np.eye(5))


@pytest.mark.parametrize("parameters", [FlowParameters(query=9), FlowParameters(layer=4)])
def test_what_there_is_not_is_an_error(parameters: FlowParameters) -> None:
    with pytest.raises(AppError, match="There is no"):
        attention_flow(Inputs(trace_of(diagonal(3))), parameters, SILENT)


def test_without_scipy_flow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertviz_app.analysis.pure.heads.find_spec", lambda name: None)
    with pytest.raises(AnalysisError, match="needs SciPy"):
        attention_flow(Inputs(trace_of(diagonal(3))), FlowParameters(), SILENT)


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    found = model.analyse("attention-flow", model.trace(S), query=0)
    np.testing.assert_allclose(found.arrays()["values"][0], CLS, atol=2e-4)
