"""The checkpoint that a training begins with, and what is said where a training fills the memory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from bertviz_app.checkpoint.folder import tokenizer_files
from bertviz_app.checkpoint.question_table import saved_answers
from bertviz_app.checkpoint.sources.source import parts_of
from bertviz_app.errors import Check, DeviceError, Message, Progress
from bertviz_app.inference.fetching import source_of
from bertviz_app.inference.jobs import preload_torch
from bertviz_app.inference.opened_checkpoint import out_of_memory_as

if TYPE_CHECKING:
    from bertviz_app.features.training.loop import Base


def training_memory() -> AbstractContextManager[None]:
    """Return a context that raises DeviceError where a training fills the memory."""
    message = Message("There is not enough memory to train this model with batches of this size.")
    return out_of_memory_as(DeviceError(message, Message("Take smaller batches, or a smaller model.")))


def open_base(ref: str | None, progress: Progress | None = None, check: Check | None = None) -> Base:
    """Return the checkpoint that `ref` names (None: the default one), on the CPU.

    `progress` is called with the bytes done and the total. Raises CheckpointError, HubError, or whatever
    `check` raises.
    """
    preload_torch()
    from bertviz_app.checkpoint.loader import open_checkpoint
    from bertviz_app.features.training.loop import Base

    source = source_of(ref, progress, check)
    answers = saved_answers(source.folder)
    parts = parts_of(source.folder, source.weights, answers)
    opened = open_checkpoint(source, progress, check)
    return Base(
        opened.facts.name,
        opened.encoder,
        opened.task_heads,
        opened.tokenizer,
        tokenizer_files(parts.tokenizer),
        opened.facts.n_trained_positions,
        answers.lower_case,
    )
