"""`Pointer`: what is pointed at, pinned and zoomed into, in every run at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from bertviz_app.options import ENCODED_RUNS, RUNS, Run
from bertviz_app.types import Ints
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.state import NOTHING, Pair, Store
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.weak_slots import slot_of


@dataclass(frozen=True)
class _Aligned:
    """The rows of the alignment by the queries of a run, and its columns by the keys; or the other way."""

    queries: dict[int, int]
    keys: dict[int, int]

    @classmethod
    def of(cls, queries: NDArray[np.integer[Any]], keys: NDArray[np.integer[Any]]) -> _Aligned:
        """Return that of the tokens in the rows and columns of an alignment, -1 for a gap."""
        sides = [enumerate(side.tolist()) for side in (queries, keys)]
        return cls(*({token: at for at, token in side if token >= 0} for side in sides))

    def back(self) -> _Aligned:
        """Return the tokens by their rows and columns."""
        return _Aligned(*({at: token for token, at in side.items()} for side in (self.queries, self.keys)))


class Pointer(QObject):
    """The hovered and the pinned pair of runs A and B and of their difference, and the visible part of each.

    While the runs are compared, what is done in one of them is done in the others, through the alignment of
    their tokens; those of the difference are the aligned positions. What is pinned in run A is in the state,
    nothing else is. `changed`: another pair is hovered or pinned, in whichever run. `picked(run, pair)`: a
    pair was clicked, or chosen by Enter; the arrow keys alone pin without picking. `hovered`: the pair under
    the pointer, in the tokens of each run.
    """

    changed = Signal()
    picked = Signal(str, object)

    def __init__(self, store: Store | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent or store)
        self._store = store or Store(self)
        self.hovered = dict.fromkeys(RUNS, NOTHING)
        self._pinned = dict.fromkeys(RUNS, NOTHING)  # of run A: what the others were last derived from
        self._aligned: dict[Run, _Aligned] = {}
        self._tokens: dict[Run, _Aligned] = {}  # the way back
        self._is_zooming = False
        self.selections: dict[Run, Selection] = {run: Selection(self, run) for run in RUNS}
        self.viewports: dict[Run, Viewport] = {run: Viewport(self) for run in RUNS}
        for run, viewport in self.viewports.items():
            viewport.changed.connect(slot_of(self._zoom_others, run))
        self._store.watch(("pinned",), self._on_pinned)
        self._store.settled.connect(self._on_pinned)

    def pinned(self, run: Run) -> Pair:
        """Return the pair that was clicked; none of a run A that is not on screen yet."""
        if run != "A":
            return self._pinned[run]
        return NOTHING if self._store.is_restored else self._store.now.pinned

    def point(self, run: Run, hovered: Pair, pinned: Pair) -> None:
        """Hover and pin a pair of a run, and what it corresponds to in the others."""
        is_hovered_anew, is_pinned_anew = hovered != self.hovered[run], pinned != self.pinned(run)
        # Each alone: a token that the other runs lack would be lost to them with a change of the other pair.
        if is_hovered_anew:
            self._carry(self.hovered, run, hovered)
        if is_pinned_anew:
            self._carry(self._pinned, run, pinned)
        if not (is_hovered_anew or is_pinned_anew):
            return
        if self._pinned["A"] in (self.pinned("A"), self._store.now.pinned):
            self.changed.emit()
        else:
            self._store.change(pinned=self._pinned["A"])

    def align(self, positions: Ints, keys: Ints) -> None:
        """Compare the runs: `positions`, `keys` int32 [N, 2], the aligned queries and keys (-1: a gap).

        What is pointed at, pinned and visible in run A is so in the others from now on.
        """
        for number, run in enumerate(ENCODED_RUNS):
            self._aligned[run] = _Aligned.of(positions[:, number], keys[:, number])
        self._aligned["A-B"] = _Aligned.of(np.arange(len(positions)), np.arange(len(keys)))
        self._tokens = {run: aligned.back() for run, aligned in self._aligned.items()}
        self._carry(self.hovered, "A", self.hovered["A"])
        self._carry(self._pinned, "A", self.pinned("A"))
        self.changed.emit()
        self._zoom_others("A")

    def keep_within(self, run: Run, n_tokens: int, n_keys: int | None = None) -> None:
        """Drop what a new text of a run, of `n_tokens`, does not have; `n_keys`: of keys of another text.

        What is pinned in run A stays whatever run B becomes: `align` finds it there.
        """
        hovered, pinned = (pair.within(n_tokens, n_keys) for pair in (self.hovered[run], self.pinned(run)))
        if run != "A" and pinned != self._pinned[run]:
            self._pinned[run] = pinned
            self.changed.emit()
        self.point(run, hovered, pinned)

    def keep_partners_within(self, n_tokens: int) -> None:
        """Drop tokens of run B that it does not have: it has `n_tokens`, 0 where there is none."""
        hovered, pinned = (
            pair if pair.partner is None or pair.partner < n_tokens else replace(pair, partner=None)
            for pair in (self.hovered["A"], self.pinned("A"))
        )
        self.point("A", hovered, pinned)

    def part(self) -> None:
        """Compare nothing: there is no run B any more."""
        self._aligned.clear()
        for run in ("B", "A-B"):
            self.hovered[run] = self._pinned[run] = NOTHING
        self.changed.emit()
        self.keep_partners_within(0)

    def _carry(self, pairs: dict[Run, Pair], run: Run, pair: Pair) -> None:
        """Note in `pairs`, those hovered or those pinned, that of a run and what the others have of it."""
        pairs[run] = pair
        for other in self._aligned if run in self._aligned else ():
            if other != run:
                # The token that the pair has of a run which is encoded is its query there.
                if pair.partner is not None and other in ENCODED_RUNS:
                    pairs[other] = Pair(pair.partner, partner=pair.query)
                    continue
                to_aligned, tokens = self._aligned[run], self._tokens[other]
                query = to_aligned.queries.get(-1 if pair.query is None else pair.query, -1)
                key = to_aligned.keys.get(-1 if pair.key is None else pair.key, -1)
                pairs[other] = Pair(tokens.queries.get(query), tokens.keys.get(key))

    @Slot()
    def _on_pinned(self) -> None:
        pinned = self.pinned("A")
        if pinned != self._pinned["A"]:  # by undo or by a result, not by `point`
            self._carry(self._pinned, "A", pinned)
        self.changed.emit()

    def _zoom_others(self, run: Run) -> None:
        if self._is_zooming or run not in self._aligned:
            return
        self._is_zooming = True  # the others' signals would come back here
        for other in self._aligned:
            if other != run:
                self.viewports[other].follow(self.viewports[run])
        self._is_zooming = False


class Selection:
    """What is hovered and pinned in one run, for the views of it.

    `shown` is what all of them highlight: the hovered pair, else the pinned one.
    """

    def __init__(self, pointer: Pointer | None = None, run: Run = "A") -> None:
        self.pointer = pointer or Pointer()
        self.run = run

    @property
    def changed(self) -> SignalInstance:
        """Emitted when another pair is hovered or pinned, in whichever run."""
        return self.pointer.changed

    @property
    def shown(self) -> Pair:
        """The pair to show: hovered, else pinned."""
        return self.pointer.hovered[self.run] or self.pointer.pinned(self.run)

    @property
    def hovered(self) -> Pair:
        """The pair under the pointer."""
        return self.pointer.hovered[self.run]

    @property
    def pinned(self) -> Pair:
        """The pair that was clicked."""
        return self.pointer.pinned(self.run)

    @property
    def highlighted(self) -> frozenset[int]:
        """The tokens that are highlighted in the strip and on every axis."""
        return frozenset(token for token in (self.shown.query, self.shown.key) if token is not None)

    def hover(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Highlight a pair, a query alone or a key alone while the pointer is on it."""
        self.pointer.point(self.run, Pair(query, key, partner), self.pinned)

    def leave(self) -> None:
        """Note that the pointer is on no token."""
        self.hover()

    def pin(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Pin a pair, which stays highlighted when the pointer leaves; unpin it if it is pinned already."""
        pair = Pair(query, key, partner)
        self.pointer.point(self.run, self.hovered, NOTHING if pair == self.pinned else pair)
        self.pointer.picked.emit(self.run, pair)

    def walk_to(self, query: int | None = None, key: int | None = None, partner: int | None = None) -> None:
        """Pin the pair that the arrow keys came to, without picking it."""
        self.pointer.point(self.run, self.hovered, Pair(query, key, partner))

    def pick(self) -> None:
        """Pick the pinned pair, as Enter does after the arrow keys."""
        if self.pinned:
            self.pointer.picked.emit(self.run, self.pinned)

    def show(self, pinned: Pair) -> None:
        """Pin a pair and hover none."""
        self.pointer.point(self.run, NOTHING, pinned)

    def clear(self) -> None:
        """Highlight nothing and unpin what is pinned."""
        self.show(NOTHING)
