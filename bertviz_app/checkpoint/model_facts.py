"""`ModelFacts`: facts about an open checkpoint, for people to read."""

from __future__ import annotations

from dataclasses import dataclass

from bertviz_app.checkpoint.questions import Questions
from bertviz_app.trace.provenance import UNKNOWN, Identity


@dataclass(frozen=True)
class ModelFacts:
    """Sizes and remarks of one open checkpoint: L layers, H heads, width D.

    `n_positions` is the longest input, `n_segments` 0 for a family without segments. `n_bytes` is the size
    of its files, `origin` a sentence on where it comes from, `remarks` sentences on what is unusual about it.
    `task_heads` are the fields of `Logits` that its task heads fill; `questions` what its files left open.
    `identity` tells it from any other checkpoint; `ref` is where it was opened, a folder or a file in one.
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
    identity: Identity = UNKNOWN
    ref: str = ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its configuration and weights, "" where it is not known."""
        return self.identity.fingerprint
