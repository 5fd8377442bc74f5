"""`RunStates`: for each run its pictures, its selection and its viewport, linked with those of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.aligned_places import difference_order
from bertviz_app.viewmodels.heads.head_sources import DifferenceSource
from bertviz_app.viewmodels.heads.pictures import (
    HeadPicture,
    HeadPictures,
    Pictures,
    picture_of,
    pictures_of_numbers,
)
from bertviz_app.viewmodels.heads.token_places import TokenOrder, order_of
from bertviz_app.viewmodels.options import DrawOptions, Options
from bertviz_app.viewmodels.panels import RUNS
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.weak_slots import slot_of


@dataclass(frozen=True, eq=False)
class RunState:
    """One run as panels see it. The tokens of the difference's selection are those of the alignment."""

    pictures: Pictures
    selection: Selection
    viewport: Viewport


class RunStates(QObject):
    """The state of each of RUNS; selection and viewport of one are carried over to the others."""

    def __init__(self, states: dict[Run, RunState], options: Options, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._states = states
        self._options = options
        self._tokens: dict[Run, RunTokens] = {}
        self._numbers: dict[Run, AttentionNumbers] = {}
        self._to_aligned: dict[Run, dict[int, int]] = {}
        self._is_following = False
        for run, side in states.items():
            side.selection.changed.connect(slot_of(self._select_in_others, run))
            side.viewport.changed.connect(slot_of(self._move_viewports, run))
        options.changed.connect(self._fit_changed)

    def __getitem__(self, run: Run) -> RunState:
        return self._states[run]

    def show(self, run: Run, numbers: AttentionNumbers, ready: tuple[HeadPicture, ...] = ()) -> None:
        """Show the numbers of a trace as run "A" or "B"; some of its pictures may be `ready`."""
        trace = numbers.trace
        # The options may have changed while the worker made them.
        current = self._options.value.makes_picture
        fresh = tuple(picture for picture in ready if picture.options.makes_picture == current)
        self._numbers[run] = numbers
        self._states[run].pictures.show(pictures_of_numbers(numbers), fresh)
        self._tokens[run] = RunTokens(trace)
        self._fit(run)
        self._states[run].selection.keep_within(trace.n_tokens)

    def compare(
        self, numbers: tuple[AttentionNumbers, AttentionNumbers], positions: NDArray[np.int32]
    ) -> None:
        """Show the difference of runs A and B, aligned by `positions` int32 [N, 2] (-1: a gap).

        From now on the heads of both may share their scales.
        """
        of_a, of_b = numbers
        self._states["A"].pictures.show(pictures_of_numbers(of_a, of_b))
        self._states["B"].pictures.show(pictures_of_numbers(of_b, of_a))
        self._states["A-B"].pictures.show(_pictures_of_difference(numbers, positions))
        self._tokens["A-B"] = RunTokens(numbers[0].trace, numbers[1].trace, positions)
        for run, tokens in zip(ENCODED_RUNS, positions.T.tolist(), strict=True):
            self._to_aligned[run] = {token: at for at, token in enumerate(tokens) if token >= 0}
        self._to_aligned["A-B"] = {at: at for at in range(len(positions))}
        self._fit("A-B")
        self._states["A-B"].selection.keep_within(len(positions))
        self._states["A"].selection.keep_partners_within(of_b.trace.n_tokens)
        # From A to the others: theirs are the tokens that are new.
        self._select_in_others("A")
        self._move_viewports("A")

    def end_comparison(self) -> None:
        """There is no run B any more."""
        self._to_aligned.clear()
        for run in ("B", "A-B"):
            self._tokens.pop(run, None)
            self._numbers.pop(run, None)
            self._states[run].pictures.show(None)
            self._states[run].selection.clear()
        self._states["A"].selection.keep_partners_within(0)
        if "A" in self._numbers:
            self._states["A"].pictures.show(pictures_of_numbers(self._numbers["A"]))

    def _fit(self, run: Run) -> None:
        """Show all of another sequence, or of the same one drawn in another order."""
        counts = self._tokens[run].order(self._options.value).counts
        viewport = self._states[run].viewport
        if counts != viewport.counts:
            viewport.fit(*counts)

    def _fit_changed(self) -> None:
        for run in RUNS:
            if run in self._tokens:
                self._fit(run)

    def _select_in_others(self, run: Run) -> None:
        if self._is_following or run not in self._to_aligned:
            return
        self._is_following = True  # the others' signals would come back here
        selection = self._states[run].selection
        for other, to_aligned in self._to_aligned.items():
            if other != run:
                back = {at: token for token, at in to_aligned.items()}
                hovered, pinned = (
                    _carried(pair, self._to_aligned[run], back, is_encoded=other in ENCODED_RUNS)
                    for pair in (selection.hovered, selection.pinned)
                )
                self._states[other].selection.follow(hovered, pinned)
        self._is_following = False

    def _move_viewports(self, run: Run) -> None:
        if self._is_following or run not in self._to_aligned:
            return
        self._is_following = True
        for other in self._to_aligned:
            if other != run:
                self._states[other].viewport.follow(self._states[run].viewport)
        self._is_following = False


class RunTokens:
    """The tokens of one run, or of two aligned ones, in the order in which they are drawn."""

    def __init__(
        self, trace: Trace, other: Trace | None = None, positions: NDArray[np.int32] | None = None
    ) -> None:
        self.trace = trace
        self._other = other
        self._positions = positions

    def order(self, options: DrawOptions) -> TokenOrder:
        """Return how the tokens are drawn with these options."""
        if self._other is None or self._positions is None:
            return order_of(self.trace.tokens, options)
        return difference_order((self.trace, self._other), self._positions, options)


def _pictures_of_difference(
    numbers: tuple[AttentionNumbers, AttentionNumbers], positions: NDArray[np.int32]
) -> HeadPictures:
    """Return the maker of the pictures of the heads that both runs have."""
    traces = numbers[0].trace, numbers[1].trace

    def source(layer: int, head: int, options: DrawOptions) -> DifferenceSource:
        return DifferenceSource(numbers, positions, layer, head, difference_order(traces, positions, options))

    def make(layer: int, head: int, options: DrawOptions, check: Check) -> HeadPicture:
        return picture_of(source(layer, head, options), layer, head, options, check)

    size = min(trace.n_layers for trace in traces), min(trace.n_heads for trace in traces)
    return HeadPictures(traces, size, make, source, kind=numbers[0].kind)


def _carried(pair: Pair, to_aligned: dict[int, int], back: dict[int, int], *, is_encoded: bool) -> Pair:
    """Return `pair` in another run's tokens, without what that run does not have.

    Where that run is encoded, the token that the pair has of it is its query there.
    """
    if pair.partner is not None and is_encoded:
        return Pair(pair.partner, partner=pair.query)
    carried = (
        None if token is None else back.get(to_aligned.get(token, -1)) for token in (pair.query, pair.key)
    )
    return Pair(*carried)
