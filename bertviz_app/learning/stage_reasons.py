"""`Reasons`: why each stage of an encoder is there, in English and Korean, with an example of the text shown.

The reasons are in `resources/steps/reasons.json`. Where families differ, a stage has several: the first one
whose condition (`when`) the encoder meets is taken, else the one without a condition.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from bertviz_app import paths
from bertviz_app.json_store import decode
from bertviz_app.learning.words import Words

CONDITIONS = (
    *("rotary", "sinusoids", "linear", "no_pooler", "scaling", "unshifted", "trigrams"),
    *("causal", "blocks"),
)


@dataclass(frozen=True)
class StageReason:
    """Why there is a stage, in two to four sentences; `example` has fields for numbers of the text shown.

    `term`: the key of the entry of the glossary that explains what the stage computes.
    """

    stage: str
    text: Words
    example: Words | None = None
    when: str = ""
    term: str = ""

    def __post_init__(self) -> None:
        if self.when and self.when not in CONDITIONS:
            raise ValueError(f"there is no condition {self.when!r}; there are {', '.join(CONDITIONS)}")


@dataclass(frozen=True)
class Reasons:
    """All reasons, in the order in which the stages are computed."""

    reasons: tuple[StageReason, ...]

    def of(self, stage: str, conditions: Collection[str] = ()) -> StageReason:
        """Return the reason for a stage in an encoder that meets `conditions`. Raises KeyError."""
        of_stage = [reason for reason in self.reasons if reason.stage == stage]
        for reason in of_stage:
            if reason.when in conditions:
                return reason
        for reason in of_stage:
            if not reason.when:
                return reason
        raise KeyError(stage)


@cache
def reasons() -> Reasons:
    """Return the reasons that ship with the program; they are read once. Raises ValueError."""
    path = paths.resources() / "steps" / "reasons.json"
    return decode(Reasons, json.loads(path.read_text(encoding="utf-8")))
