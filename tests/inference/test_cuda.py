"""Numbers, choice of the device and its memory on a GPU with CUDA; skipped where there is none."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app.checkpoint.assemble import placed
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.opened_checkpoint import find_device
from bertviz_app.torch_operations import page_locked
from bertviz_app.trace import Trace
from bertviz_app.trace.memory import TraceMemory
from tests.support.encoder_sizes import small_encoder
from tests.support.peers import random_tokens

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU with CUDA"),
]


def _trace(folder: Path, device: str, n_words: int = 12) -> Trace:
    return Engine().trace(TraceRequest(str(folder), device, "the cat ate the fish " * (n_words // 5))).trace


@pytest.mark.parametrize("n_words", [10, 60])
def test_a_trace_is_that_of_the_cpu(tiny_bert: Path, n_words: int) -> None:
    ours, cpu = (_trace(tiny_bert, device, n_words) for device in ("cuda", "cpu"))
    np.testing.assert_allclose(ours.hidden, cpu.hidden, rtol=0, atol=1e-4)
    for layer in range(cpu.n_layers):
        np.testing.assert_allclose(ours.attention(layer), cpu.attention(layer), rtol=0, atol=1e-5)


def test_auto_takes_the_gpu() -> None:
    assert find_device("auto").name == find_device("cuda").name == "cuda:0"


def test_bfloat16_is_near_float32(tiny_bert: Path) -> None:
    if find_device("cuda").lacks_bfloat16:
        pytest.skip("this GPU has no instructions for bfloat16")
    low, exact = (_trace(tiny_bert, device) for device in ("cuda/bfloat16", "cuda"))
    assert low.provenance.dtype == "bfloat16"
    np.testing.assert_allclose(low.attention(0), exact.attention(0), rtol=0, atol=0.02)


def test_without_memory_the_cpu_encodes_and_a_notice_names_both(tiny_bert: Path) -> None:
    torch.cuda.set_per_process_memory_fraction(1e-6)
    taken: list[torch.Tensor] = []
    try:
        torch.cuda.empty_cache()
        # What cuBLAS keeps of an earlier test's memory leaves room beside it for a model this small.
        with pytest.raises(torch.OutOfMemoryError):
            taken.extend(torch.empty(1024, device="cuda") for _ in count())
        result = Engine().trace(TraceRequest(str(tiny_bert), "cuda", "the cat"))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert result.device.name == "cpu"
    assert any("too little memory" in notice for notice in result.notices)


def test_numbers_that_are_not_finite_are_refused() -> None:
    encoder = placed(small_encoder(), "cuda")
    encoder.layer(1).attention.key.weight.data.fill_(torch.nan)
    with pytest.raises(CheckpointError, match="layer 1 are not finite"):
        record(encoder, random_tokens(6, 50), "a model", memory=TraceMemory(page_locked))
