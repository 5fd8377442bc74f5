"""A layer in detail by the engine: of the checkpoint that made the trace, where it was made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.encoder import recorder as module
from bertviz_app.errors import CheckpointError, DeviceError, SelectionError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.text import Edits
from bertviz_app.trace.provenance import NOT_KNOWN
from tests.support.checkpoints import write_bert
from tests.support.factories import make_trace

TEXT = "the cat ate the fish"


def test_they_lead_to_the_next_hidden_state(tiny_bert: Path) -> None:
    engine, request = Engine(), TraceRequest(str(tiny_bert), "cpu", TEXT)
    trace = engine.trace(request).trace
    for layer in range(trace.n_layers):
        details = engine.details(request, trace, layer)
        assert details.layer == layer
        np.testing.assert_array_equal(details.output, trace.hidden[layer + 1])


def test_they_know_what_was_muted(tiny_bert: Path) -> None:
    engine, request = Engine(), TraceRequest(str(tiny_bert), "cpu", TEXT, None, Edits(muted=((1, 2),)))
    trace = engine.trace(request).trace
    details = engine.details(request, trace, 1)
    assert not details.mixed[2].any()
    np.testing.assert_array_equal(details.output, trace.hidden[2])
    assert engine.details(request, trace, 0).mixed.any(axis=(1, 2)).all()


def test_a_checkpoint_that_was_let_go_is_opened_again(tiny_bert: Path, tmp_path: Path) -> None:
    engine, request = Engine(memory_limit=1), TraceRequest(str(tiny_bert), "cpu", TEXT)
    trace = engine.trace(request).trace
    engine.load(str(write_bert(tmp_path / "other")))
    np.testing.assert_array_equal(engine.details(request, trace, 0).output, trace.hidden[1])


def test_what_does_not_belong_together_is_refused(tiny_bert: Path) -> None:
    engine, request = Engine(), TraceRequest(str(tiny_bert), "cpu", TEXT)
    with pytest.raises(SelectionError):
        engine.details(request, engine.trace(request).trace, 2)
    with pytest.raises(CheckpointError, match="another checkpoint"):
        engine.details(request, make_trace(5), 0)


def test_a_trace_of_another_checkpoint_of_the_same_sizes_is_refused() -> None:
    """A base and what was fine-tuned from it differ in their numbers alone."""
    engine, base = Engine(), TraceRequest("bert-mini-en-ko", "cpu", TEXT)
    trace = engine.trace(base).trace
    tuned = TraceRequest("bert-mini-en-ko-sentiment", "cpu", TEXT)
    for compute in (
        lambda: engine.details(tuned, trace, 0),
        lambda: engine.with_model(tuned, trace, lambda model: model.logits(trace), lambda: None),
        lambda: engine.predict(tuned, trace, []),
    ):
        with pytest.raises(CheckpointError, match="another checkpoint than bert-mini-en-ko-sentiment"):
            compute()
    np.testing.assert_array_equal(engine.details(base, trace, 0).output, trace.hidden[1])


def test_of_a_trace_without_a_fingerprint_the_sizes_are_compared(tiny_bert: Path) -> None:
    engine, request = Engine(), TraceRequest(str(tiny_bert), "cpu", TEXT)
    trace = replace(engine.trace(request).trace, provenance=NOT_KNOWN)
    np.testing.assert_array_equal(engine.details(request, trace, 0).output, trace.hidden[1])


def test_too_little_memory_is_a_device_error(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, request = Engine(), TraceRequest(str(tiny_bert), "cpu", TEXT)
    trace = engine.trace(request).trace

    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(module, "layer_details", full)
    with pytest.raises(DeviceError, match="memory"):
        engine.details(request, trace, 0)
