"""`task_logits`: the logits of the task heads for a trace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertviz_app.encoder.output.task_heads import TaskHeads
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import Logits, Meaning


def task_logits(
    heads: TaskHeads, trace: Trace, meaning: Meaning, positions: Sequence[int] | None = None
) -> Logits:
    """Return the logits of `heads` for the last hidden state and the pooled vector of `trace`.

    Those for masked tokens are of `positions` alone where these are given: a vocabulary is large.
    """
    with torch.inference_mode():
        hidden = torch.from_numpy(trace.hidden[-1:].copy())  # [1, T, D]
        pooled = None if trace.pooled is None else torch.from_numpy(trace.pooled[None].copy())  # [1, D]
        found = heads(hidden, pooled, None if positions is None else list(positions))
    arrays = {name: _array(tensor) for name, tensor in found._asdict().items()}
    return Logits(meaning=meaning, **arrays)


def _array(tensor: Tensor | None) -> NDArray[np.float32] | None:
    """Return a copy of `tensor` [1, ...] as an array [...]."""
    return None if tensor is None else tensor[0].numpy().copy()
