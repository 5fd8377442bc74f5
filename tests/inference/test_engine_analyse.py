"""`Engine.analyse`: what waits for the engine and what does not, and what is refused."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from bertviz_app.analysis import catalogue
from bertviz_app.analysis.entry import Inputs, Needs
from bertviz_app.analysis.pure.heads import RolloutParameters
from bertviz_app.analysis.reporter import SILENT, Callbacks
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.errors import AnalysisError, CheckpointError
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest
from tests.support.factories import make_trace

LIMIT = 60.0  # seconds after which a test gives up, on a machine however busy; none comes near it


def _run(folder: Path) -> TraceRequest:
    return TraceRequest(str(folder), "cpu", "the cat ate")


def test_a_request_has_parameters_of_their_own_types(tiny_bert: Path) -> None:
    request = AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {"residual": "0.25"})
    assert request.parameters == RolloutParameters(0.25)
    assert request == AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {"residual": 0.25})
    with pytest.raises(AnalysisError, match="no analysis"):
        AnalysisRequest.of(_run(tiny_bert), "rollouts", {})
    with pytest.raises(AnalysisError, match="“residual” cannot be"):
        AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {"residual": 7})


def test_what_needs_the_trace_alone_opens_no_checkpoint(tmp_path: Path) -> None:
    request = AnalysisRequest.of(_run(tmp_path / "none"), "attention-rollout", {})
    found = Engine().analyse(request, make_trace(5), SILENT)
    assert isinstance(found, TokenMatrices)
    needing = AnalysisRequest.of(_run(tmp_path / "none"), "norm-attention", {})
    with pytest.raises(CheckpointError):
        Engine().analyse(needing, make_trace(5), SILENT)


def test_a_text_is_encoded_while_an_analysis_of_a_trace_runs(tiny_bert: Path) -> None:
    """The analysis stands at its first check until the text is encoded: a lock would be a deadlock."""
    engine, encoded = Engine(), threading.Event()
    trace = engine.trace(_run(tiny_bert)).trace

    def encode() -> None:
        engine.trace(_run(tiny_bert))
        encoded.set()

    def check() -> None:
        if not encoded.is_set():
            threading.Thread(target=encode).start()
            assert encoded.wait(LIMIT)

    request = AnalysisRequest.of(_run(tiny_bert), "attention-rollout", {})
    engine.analyse(request, trace, Callbacks(check=check))
    assert encoded.is_set()


def test_an_analysis_of_two_runs_is_refused_without_the_second(tiny_bert: Path) -> None:
    request = AnalysisRequest.of(_run(tiny_bert), "divergence", {})
    with pytest.raises(AnalysisError, match="compares two runs"):
        Engine().analyse(request, make_trace(5), SILENT)


def test_what_an_analysis_refuses_is_raised_before_it_runs(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from bertviz_app.analysis.probing.decomposition.blocks import norm_attention

    requests: list[tuple[str, ...]] = []

    def refuse(form: object, task_heads: tuple[str, ...]) -> AnalysisError:
        requests.append(task_heads)
        return AnalysisError("Not of this model.")

    def fail(inputs: Inputs, parameters: object, reporter: object) -> HeadMatrices:
        raise AssertionError("it was run")

    refusing = replace(norm_attention, refuses=refuse, run=fail, needs=Needs.MODEL)
    monkeypatch.setattr(catalogue, "find_analysis", lambda key: refusing)
    engine, run = Engine(), _run(tiny_bert)
    trace = engine.trace(run).trace
    with pytest.raises(AnalysisError, match="Not of this model"):
        engine.analyse(AnalysisRequest.of(run, "norm-attention", {}), trace, SILENT)
    assert requests == [engine.load(str(tiny_bert)).task_heads]
