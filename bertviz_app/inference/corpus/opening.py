"""`open_alone`: opens a checkpoint to measure a corpus, outside an engine."""

from __future__ import annotations

from bertviz_app.inference.fetching import source_of
from bertviz_app.inference.opened_checkpoint import OpenedCheckpoint


def open_alone(ref: str | None) -> OpenedCheckpoint:
    """Return the checkpoint that `ref` names (None: the default one), opened on the CPU."""
    from bertviz_app.checkpoint.loader import open_checkpoint

    source = source_of(ref, None, None)
    return OpenedCheckpoint(open_checkpoint(source), source.ref)
