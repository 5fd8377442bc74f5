"""`RunStates`: for each run its pictures, its selection and its viewport, linked with those of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.head_sources import DifferenceSource
from bertviz_app.viewmodels.heads.pictures import (
    HeadPicture,
    HeadPictures,
    Pictures,
    picture_of,
    pictures_of_trace,
)
from bertviz_app.viewmodels.heads.token_places import Places, Reading, asked, read
from bertviz_app.viewmodels.options import DrawOptions, Options
from bertviz_app.viewmodels.panels import RUNS
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport

Tokens = dict[int, int]


@dataclass(frozen=True, eq=False)
class RunState:
    """One run as panels see it. The tokens of the difference's selection are those of the alignment."""

    pictures: Pictures
    selection: Selection
    viewport: Viewport


class RunStates(QObject):
    """The sides of RUNS. What is lit or in sight in one is so in the others, as far as they have it."""

    def __init__(self, sides: dict[str, RunState], options: Options, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sides = sides
        self._options = options
        self._readers: dict[str, Reader] = {}
        self._to_aligned: dict[str, Tokens] = {}
        self._is_following = False
        for run, side in sides.items():
            side.selection.changed.connect(lambda run=run: self._light_others(run))
            side.viewport.changed.connect(lambda run=run: self._move_others(run))
        options.changed.connect(self._fit_changed)

    def __getitem__(self, run: str) -> RunState:
        return self._sides[run]

    def show(self, run: str, trace: Trace, ready: tuple[HeadPicture, ...] = ()) -> None:
        """Show `trace` as run "A" or "B"; some of its pictures may be `ready`."""
        wanted = self._options.value.makes_picture
        fresh = tuple(picture for picture in ready if picture.options.makes_picture == wanted)
        self._sides[run].pictures.show(pictures_of_trace(trace), fresh)
        self._readers[run] = Reader(trace)
        self._fit(run)
        self._sides[run].selection.keep_within(trace.n_tokens)

    def compare(self, traces: tuple[Trace, Trace], places: NDArray[np.int32]) -> None:
        """Show the difference of runs A and B, aligned by `places` int32 [N, 2] (-1: a gap)."""
        self._sides["A-B"].pictures.show(_pictures_of_difference(traces, places))
        self._readers["A-B"] = Reader(traces[0], traces[1], places)
        for run, column in (("A", 0), ("B", 1)):
            tokens = places[:, column].tolist()
            self._to_aligned[run] = {token: at for at, token in enumerate(tokens) if token >= 0}
        self._to_aligned["A-B"] = {at: at for at in range(len(places))}
        self._fit("A-B")
        self._sides["A-B"].selection.keep_within(len(places))
        self._light_others("A")
        self._move_others("A")

    def end_comparison(self) -> None:
        """There is no run B any more."""
        self._to_aligned.clear()
        for run in ("B", "A-B"):
            self._readers.pop(run, None)
            self._sides[run].pictures.show(None)
            self._sides[run].selection.clear()

    def _fit(self, run: str) -> None:
        """Show all of another sequence, or of another reading of it."""
        counts = self._readers[run].reading(self._options.value).counts
        viewport = self._sides[run].viewport
        if counts != viewport.counts:
            viewport.fit(*counts)

    def _fit_changed(self) -> None:
        for run in RUNS:
            if run in self._readers:
                self._fit(run)

    def _light_others(self, run: str) -> None:
        if self._is_following or run not in self._to_aligned:
            return
        self._is_following = True
        selection = self._sides[run].selection
        for other, to_aligned in self._to_aligned.items():
            if other != run:
                back = {at: token for token, at in to_aligned.items()}
                hovered, pinned = (
                    _carried(pair, self._to_aligned[run], back)
                    for pair in (selection.hovered, selection.pinned)
                )
                self._sides[other].selection.follow(hovered, pinned)
        self._is_following = False

    def _move_others(self, run: str) -> None:
        if self._is_following or run not in self._to_aligned:
            return
        self._is_following = True
        for other in self._to_aligned:
            if other != run:
                self._sides[other].viewport.follow(self._sides[run].viewport)
        self._is_following = False


class Reader:
    """Makes readings of one run, or of two aligned ones."""

    def __init__(
        self, trace: Trace, other: Trace | None = None, places: NDArray[np.int32] | None = None
    ) -> None:
        self._trace = trace
        self._other = other
        self._places = places

    def reading(self, options: DrawOptions) -> Reading:
        """Return the reading that `options` ask for."""
        if self._other is None or self._places is None:
            return read(self._trace.tokens, options)
        return difference_reading((self._trace, self._other), self._places, options)


def difference_reading(
    traces: tuple[Trace, Trace], places: NDArray[np.int32], options: DrawOptions
) -> Reading:
    """Return which aligned places are shown: as `options` say of A's token, of B's where A has a gap.

    Words are not joined: their pieces may be aligned differently.
    """
    at_a, at_b = places[:, 0], places[:, 1]
    shown = [asked(trace.tokens, options) for trace in traces]
    sides = []
    for of_a, of_b in zip(*shown, strict=True):
        kept = np.where(at_a >= 0, of_a[np.maximum(at_a, 0)], of_b[np.maximum(at_b, 0)])
        sides.append(kept if kept.any() else np.ones(len(places), bool))
    queries, keys = (_aligned_places(traces, places, np.flatnonzero(kept)) for kept in sides)
    return Reading(queries, keys, len(places))


def _aligned_places(traces: tuple[Trace, Trace], places: NDArray[np.int32], kept: NDArray[np.intp]) -> Places:
    special = [trace.tokens.is_special for trace in traces]
    pairs = places[kept].tolist()
    labels = _both([trace.tokens.labels for trace in traces], pairs)
    names = _both([trace.tokens.pieces for trace in traces], pairs)
    starts = kept.astype(np.int32)
    is_special = np.array([special[0][a] if a >= 0 else special[1][b] for a, b in pairs], bool)
    is_gap = np.array([a < 0 or b < 0 for a, b in pairs], bool)
    return Places(starts, starts + 1, labels, names, is_special, is_gap)


def _both(texts: list[tuple[str, ...]], pairs: list[list[int]]) -> tuple[str, ...]:
    """Return the text of each pair of aligned tokens, both texts where they are not the same."""
    both = []
    for a, b in pairs:
        of_a, of_b = texts[0][a] if a >= 0 else "", texts[1][b] if b >= 0 else ""
        both.append(of_a if of_a == of_b else f"{of_a or '–'} | {of_b or '–'}")
    return tuple(both)


def _pictures_of_difference(traces: tuple[Trace, Trace], places: NDArray[np.int32]) -> HeadPictures:
    """Return what makes the pictures of the heads that both runs have."""

    def make(layer: int, head: int, options: DrawOptions, check: Check) -> HeadPicture:
        reading = difference_reading(traces, places, options)
        source = DifferenceSource(traces, places, layer, head, reading)
        return picture_of(source, layer, head, options, check)

    size = min(trace.n_layers for trace in traces), min(trace.n_heads for trace in traces)
    return HeadPictures(traces, size, make)


def _carried(pair: Pair, to_aligned: Tokens, back: Tokens) -> Pair:
    """Return `pair` in another run's tokens, without what that run does not have."""
    carried = (
        None if token is None else back.get(to_aligned.get(token, -1)) for token in (pair.query, pair.key)
    )
    return Pair(*carried)
