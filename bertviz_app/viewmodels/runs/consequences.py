"""What two runs differ in, and how far that changed the vector of the first token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertviz_app.options import Run
from bertviz_app.text.edits import Intervention, TokenIntervention
from bertviz_app.trace import Trace
from bertviz_app.types import Floats


@dataclass(frozen=True)
class Consequences:
    """`cosine`: between the pooled vectors of both runs, or the last hidden states of the first token.

    `sentence_cosine`: between their sentence vectors, where both have one. None where the widths differ, or
    one has no length. `muted`: the heads (layer, head) that one run alone mutes. `others`: all else that
    one run alone does to a head, a weight, a segment or a position, with that run. `first`: what the first
    token is called.
    """

    has_other_model: bool
    has_other_tokens: bool
    muted: tuple[tuple[int, int], ...]
    is_pooled: bool
    cosine: float | None
    first: str
    sentence_cosine: float | None = None
    others: tuple[tuple[Run, Intervention], ...] = ()

    @property
    def n_differences(self) -> int:
        """In how many ways the runs differ."""
        return sum((self.has_other_model, self.has_other_tokens, bool(self.muted), bool(self.others)))


def consequences(one: Trace, other: Trace) -> Consequences:
    """Return what `other` differs in from `one`, and what came of it."""
    is_pooled = one.pooled is not None and other.pooled is not None
    return Consequences(
        has_other_model=(one.model, one.fingerprint) != (other.model, other.fingerprint),
        has_other_tokens=one.tokens.pieces != other.tokens.pieces,
        muted=tuple(sorted(set(one.muted) ^ set(other.muted))),
        is_pooled=is_pooled,
        cosine=_cosine(_vector(one, is_pooled=is_pooled), _vector(other, is_pooled=is_pooled)),
        first=one.tokens.special_names.first,
        sentence_cosine=_cosine(one.sentence_vector, other.sentence_vector),
        others=(
            *(("A", each) for each in _others(one) if each not in _others(other)),
            *(("B", each) for each in _others(other) if each not in _others(one)),
        ),
    )


def _others(trace: Trace) -> tuple[Intervention, ...]:
    """Return the interventions of a run other than muted heads and replaced pieces."""
    edits = trace.edits
    ids: list[TokenIntervention] = [one for one in edits.tokens if one.kind in ("segment", "position")]
    return (*ids, *edits.heads, *edits.cells)


def _vector(trace: Trace, *, is_pooled: bool) -> Floats:
    if is_pooled:
        assert trace.pooled is not None
        return trace.pooled
    last: Floats = trace.hidden[-1][0]
    return last


def _cosine(one: Floats | None, other: Floats | None) -> float | None:
    if one is None or other is None:
        return None
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    if one.shape != other.shape or not lengths:
        return None
    return float(one.astype(np.float64) @ other.astype(np.float64)) / lengths
