"""The clock of a training, which stops with the run, and the precision of its steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch

from bertviz_app.torch_operations import cpu_multiplies_bfloat16

_LATELY = 20.0  # seconds


@dataclass
class Clock:
    """Seconds of training over all parts of a run, and the recent tokens per second."""

    seconds: float = 0.0
    _last: float = 0.0
    _pace: float = 0.0

    def start(self) -> None:
        self._last = time.perf_counter()

    def leave_out(self, seconds: float) -> None:
        """Do not count `seconds` of the time since the last tick, such as a pause."""
        self._last += seconds

    def tick(self, n_tokens: int) -> float:
        """Return the recent tokens per second; `n_tokens` are those since the last call."""
        now = time.perf_counter()
        passed, self._last = max(now - self._last, 1e-9), now
        self.seconds += passed
        weight = min(1.0, passed / _LATELY) if self._pace else 1.0
        self._pace += weight * (n_tokens / passed - self._pace)
        return self._pace


def precision(name: str, device: torch.device) -> Callable[[], AbstractContextManager[object]]:
    """Return a maker of contexts with a precision; "auto" is bfloat16 where `device` computes in it."""
    is_low = name == "bfloat16" or (name == "auto" and _has_bfloat16(device))
    return (lambda: torch.autocast(device.type, torch.bfloat16)) if is_low else nullcontext


def _has_bfloat16(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return device.type == "cpu" and cpu_multiplies_bfloat16()
