"""`open_base`: a checkpoint, opened as the start of a training. Torch is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.checkpoint.answers import saved_answers
from bertviz_app.checkpoint.folder import tokenizer_files
from bertviz_app.checkpoint.sources.source import parts_of
from bertviz_app.inference.fetching import source_of
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.types import Check, Progress

if TYPE_CHECKING:
    from bertviz_app.training.loop import Base


def open_base(ref: str | None, progress: Progress | None = None, check: Check | None = None) -> Base:
    """Return the checkpoint that `ref` names (None: the default one), on the CPU.

    `progress` is called with the bytes done and the total. Raises CheckpointError, HubError, or whatever
    `check` raises.
    """
    preload_torch()
    from bertviz_app.checkpoint.loader import open_checkpoint
    from bertviz_app.training.loop import Base

    source = source_of(ref, progress, check)
    parts = parts_of(source.folder, source.weights, saved_answers(source.folder))
    opened = open_checkpoint(source, progress, check)
    files = tokenizer_files(parts.tokenizer)
    return Base(
        opened.facts.name,
        opened.encoder,
        opened.task_heads,
        opened.tokenizer,
        files,
        opened.facts.n_trained_positions,
    )
