"""`PixelAxis`: where tokens lie on a stretch of pixels, and which of them have room for a label."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bertviz_app.viewmodels.viewport import TokenSpan

_ROUNDING = 1e-6  # what panning adds or takes must not change the step


@dataclass(frozen=True)
class PixelAxis:
    """The tokens of `span`, evenly spread over `length` pixels from `start` on."""

    span: TokenSpan
    start: float
    length: float

    @cached_property  # read thousands of times in a frame
    def pitch(self) -> float:
        """Pixels a token."""
        return self.length / self.span.length if self.span.length else 0.0

    @property
    def end(self) -> float:
        """The position after the last one."""
        return self.start + self.length

    def edge(self, token: float) -> float:
        """Return where token `token` begins, in pixels."""
        return self.start + (token - self.span.first) * self.pitch

    def middle(self, token: float) -> float:
        """Return the middle of token `token`, in pixels."""
        return self.edge(token + 0.5)

    def position(self, pixel: float) -> float:
        """Return the position on the token axis under `pixel`."""
        return self.span.first + (pixel - self.start) / self.pitch if self.pitch else 0.0

    def token(self, pixel: float) -> int | None:
        """Return the token under `pixel`, None outside the stretch."""
        if not self.pitch or not self.start <= pixel < self.end:
            return None
        # Rounding may put the last pixel on the end itself.
        return min(math.floor(self.position(pixel)), self.tokens().stop - 1)

    def tokens(self) -> range:
        """Return the tokens that are at least partly in sight."""
        return range(math.floor(self.span.first), math.ceil(self.span.last))

    def step(self, room: float) -> int:
        """Return the smallest power of two n such that every n-th token has `room` pixels.

        A power of two, so that labels stay where they are while one pans.
        """
        step = 1
        while self.pitch and step * self.pitch < room - _ROUNDING:
            step *= 2
        return step

    def labelled(self, room: float, also: frozenset[int] = frozenset()) -> list[int]:
        """Return the tokens whose labels, `room` pixels each, fit beside each other without overlap.

        Every n-th token, n of `step`; tokens in `also` come first and push their neighbours out.
        """
        if not self.pitch:
            return []
        step = self.step(room)
        tokens = self.tokens()
        labelled = [token for token in tokens[-tokens.start % step :: step] if self.shows(token)]
        return self.joined(labelled, also, room)

    def joined(self, labelled: Iterable[int], also: frozenset[int], room: float) -> list[int]:
        """Return some tokens and those of `also` that are in sight, which push their neighbours out."""
        fixed = [token for token in sorted(also) if self.shows(token)]
        for token in fixed:
            labelled = self.beside(labelled, token, room)
        return sorted([*labelled, *fixed])

    def beside(self, labelled: Iterable[int], token: int, room: float) -> list[int]:
        """Return those of some tokens whose labels, `room` pixels each, do not overlap that of `token`."""
        pitch, room = self.pitch, room - _ROUNDING
        return [other for other in labelled if abs(token - other) * pitch >= room]

    def shows(self, token: int) -> bool:
        """Return whether the middle of a token is in sight."""
        return self.span.first <= token + 0.5 <= self.span.last


def fitted(span: TokenSpan, start: float, room: float, longest_pitch: float) -> PixelAxis:
    """Return an axis that fills `room` pixels from `start`, but gives no token over `longest_pitch`."""
    return PixelAxis(span, start, min(room, span.length * longest_pitch))
