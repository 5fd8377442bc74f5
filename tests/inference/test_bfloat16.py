"""Texts encoded with bfloat16: the request, what the trace states, and the difference from float32."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app.analysis.reporter import SILENT
from bertviz_app.api import open_model
from bertviz_app.errors import AnalysisError, ArgumentError, DeviceError, Message
from bertviz_app.inference import engine
from bertviz_app.inference import opened_checkpoint as devices
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest, rounding
from bertviz_app.inference.opened_checkpoint import Device, device_name, dtype_of, find_device
from bertviz_app.trace.archive import load_trace, save_trace
from tests.support.checkpoints import random_bert, write_bert

TEXT = "the cat ate the fish"
HAS_IT = Device("cpu", "CPU", "2 threads")
REASON = Message("This processor has no instructions for bfloat16 (AMX or AVX512-BF16).")
LACKS_IT = Device("cpu", "CPU", "2 threads", lacks_bfloat16=REASON)


@pytest.fixture(autouse=True)
def _processor_with_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch emulates bfloat16 on any processor, so that the numbers can be tested anywhere."""
    for module in (devices, engine):
        monkeypatch.setattr(module, "available_devices", lambda: (HAS_IT,))


def _requests(folder: Path) -> tuple[TraceRequest, TraceRequest]:
    exact, low = (TraceRequest(str(folder), name, TEXT) for name in ("cpu", "cpu/bfloat16"))
    return exact, low


def test_the_result_and_the_trace_state_it(tiny_bert: Path, tmp_path: Path) -> None:
    made = Engine()
    exact, low = (made.trace(request) for request in _requests(tiny_bert))
    assert (exact.trace.provenance.dtype, low.trace.provenance.dtype) == ("float32", "bfloat16")
    assert (low.device.hardware, low.device.dtype) == ("cpu", "bfloat16")
    assert low.device.label == "CPU, bfloat16"
    assert exact.notices == ()
    assert len(low.notices) == 1
    assert "compute in float32" in low.notices[0]
    for ending in ("npz", "json"):
        save_trace(low.trace, tmp_path / f"trace.{ending}")
    assert load_trace(tmp_path / "trace.npz").provenance == low.trace.provenance
    save_trace(low.trace, tmp_path / "trace.csv")
    assert "dtype,,,,,bfloat16\n" in (tmp_path / "trace.csv").read_text()


def test_the_rounding_is_the_largest_difference_of_a_weight(tiny_bert: Path) -> None:
    made = Engine()
    requests = _requests(tiny_bert)
    exact, low = (made.trace(request).trace for request in requests)
    expected = max(np.abs(low.attention(at) - exact.attention(at)).max() for at in range(low.n_layers))
    assert 0 < expected < 0.05
    assert rounding(made, requests[1], low) == pytest.approx(float(expected))
    assert rounding(made, requests[0], exact) == 0


def test_a_device_without_bfloat16_refuses_with_the_reason(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "available_devices", lambda: (LACKS_IT,))
    with pytest.raises(DeviceError, match="no instructions for bfloat16"):
        Engine().trace(_requests(tiny_bert)[1])


def test_names_of_devices() -> None:
    assert device_name("auto", "bfloat16") == device_name("auto/bfloat16", "bfloat16") == "auto/bfloat16"
    assert device_name("cpu/bfloat16", "float32") == "cpu"
    assert (dtype_of("cpu"), dtype_of("auto/bfloat16")) == ("float32", "bfloat16")
    assert find_device("auto/bfloat16").name == "cpu/bfloat16"
    with pytest.raises(DeviceError, match="float16"):
        device_name("cpu", "float16")


def test_analyses_compute_in_float32(tiny_bert: Path) -> None:
    made = Engine()
    _, low = _requests(tiny_bert)
    trace = made.trace(low).trace
    weights = made.with_model(low, trace, lambda model: model.weights(0), lambda: None)
    assert weights.query.weight.dtype in (torch.float32, np.float32)
    request = AnalysisRequest.of(low, "self-test", {})
    with pytest.raises(AnalysisError, match="bfloat16"):
        made.analyse(request, trace, SILENT)


def test_the_weights_of_16_bits_count_towards_the_limit_of_memory(tiny_bert: Path, tmp_path: Path) -> None:
    other = write_bert(tmp_path / "other", random_bert(3))
    size = 4 * Engine().load(str(tiny_bert)).n_parameters
    for request, is_kept in zip(_requests(tiny_bert), (True, False), strict=True):
        made = Engine(memory_limit=2 * size + 20_000)  # files are larger than their numbers
        first = weakref.ref(made.trace(request).facts)
        made.load(str(other))
        gc.collect()
        assert (first() is not None) == is_kept


def test_the_api_takes_a_dtype(tiny_bert: Path) -> None:
    for dtype in ("bfloat16", torch.bfloat16):
        model = open_model(tiny_bert, dtype=dtype)
        assert model.trace(TEXT).provenance.dtype == "bfloat16"
        assert [trace.provenance.dtype for trace in model.trace_many([TEXT, "fish"])] == ["bfloat16"] * 2
    with pytest.raises(ArgumentError, match="dtype"):
        open_model(tiny_bert, dtype=16)  # type: ignore[arg-type]
