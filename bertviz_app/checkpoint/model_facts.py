"""`ModelFacts`: facts about an open checkpoint, for people to read."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.checkpoint.questions import Questions


@dataclass(frozen=True)
class ModelFacts:
    """Sizes and remarks of one open checkpoint: L layers, H heads, width D.

    `n_positions` is the longest input, `n_segments` 0 for a family without segments. `n_bytes` is the size
    of its files, `origin` a sentence on where it comes from, `remarks` sentences on what is unusual about it.
    `task_heads` are the fields of `Logits` that its task heads fill; `questions` what its files left open.
    `fingerprint` tells its numbers from those of any other checkpoint.
    """

    name: str
    family: str
    n_layers: int
    n_heads: int
    width: int
    vocabulary_size: int
    n_positions: int
    n_segments: int
    n_parameters: int
    n_bytes: int
    origin: str
    has_pooler: bool
    remarks: tuple[str, ...] = ()
    task_heads: tuple[str, ...] = ()
    questions: Questions | None = None
    fingerprint: str = ""
