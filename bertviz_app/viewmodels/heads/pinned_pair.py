"""`PinnedPair`: the weight that each head of a run gives the pinned pair of tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.attention.stamp import WEIGHTS, AttentionNumbers, Stamp
from bertviz_app.analysis.measures import Head, HeadOverview, PairColumn
from bertviz_app.analysis.pairs import PairHead, pair_weights, strongest_heads
from bertviz_app.options import Run
from bertviz_app.types import Floats
from bertviz_app.viewmodels.selection import Pair, Selection


@dataclass(frozen=True, eq=False)
class PairInHeads:
    """One pair of tokens of a run, and its weight in every head, or another number that views show."""

    numbers: AttentionNumbers
    column: PairColumn
    stamp: Stamp = WEIGHTS

    @property
    def top(self) -> float:
        """What a full bar stands for: 1 of weights, else the largest number."""
        return 1.0 if self.stamp.is_share else max(float(self.column.weights.max()), 1e-30)

    @property
    def tokens(self) -> Pair:
        """The positions of the two tokens."""
        return Pair(self.column.query, self.column.key)

    @property
    def title(self) -> str:
        """The two tokens: "it → cat"."""
        return " → ".join(self.column.labels)

    def fits(self, overview: HeadOverview) -> bool:
        """Return whether it is of as many layers and heads as an overview."""
        return self.column.weights.shape == overview.pictures.shape[:2]

    def strongest(self, count: int = 3) -> list[PairHead]:
        """Return the heads that give the pair most weight, largest first."""
        return strongest_heads(self.column.weights, count)


@dataclass(frozen=True, eq=False)
class PairDifference:
    """The weights of a pair of tokens of run A minus those of its counterpart in run B.

    `values` [L, H]: of the layers and heads that both runs have.
    """

    one: PairInHeads
    other: PairInHeads
    values: Floats

    @property
    def title(self) -> str:
        """The two tokens, "it → cat", or those of both runs where they are written differently."""
        titles = dict.fromkeys((self.one.title, self.other.title))
        return " | ".join(titles)

    @property
    def farthest(self) -> Head | None:
        """The (layer, head) in which the weights are farthest apart; None where all are equal."""
        if not self.values.any():
            return None
        layer, head = np.unravel_index(int(np.abs(self.values).argmax()), self.values.shape)
        return int(layer), int(head)

    def weights(self, layer: int, head: int) -> tuple[float, float]:
        """Return the weight in run A and that in run B."""
        one, other = (float(pair.column.weights[layer, head]) for pair in (self.one, self.other))
        return one, other


class PinnedPair(QObject):
    """Follows what is pinned in run "A" and, where runs are compared, in run "B".

    A query alone or a key alone is no pair, nor are two tokens of which views leave one out. Moving the
    pointer changes nothing.
    """

    changed = Signal()

    def __init__(self, selections: dict[Run, Selection], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selections = selections
        self._shown: dict[Run, tuple[AttentionNumbers, Stamp]] = {}
        self._found: dict[Run, PairInHeads] = {}
        for selection in selections.values():
            selection.changed.connect(self._update)

    def of(self, run: Run) -> PairInHeads | None:
        """Return the pair that is pinned in run "A" or "B", None where there is none."""
        return self._found.get(run)

    def difference(self) -> PairDifference | None:
        """Return run A's weights minus run B's; None where either run has no such pair."""
        one, other = self.of("A"), self.of("B")
        if one is None or other is None or one.stamp != other.stamp:
            return None
        sides = zip(one.column.weights.shape, other.column.weights.shape, strict=True)
        common = tuple(slice(min(pair)) for pair in sides)
        return PairDifference(one, other, one.column.weights[common] - other.column.weights[common])

    def show(self, run: Run, numbers: AttentionNumbers, stamp: Stamp | None = None) -> None:
        """From now on `run` has these numbers, shown as `stamp` says."""
        self._shown[run] = numbers, stamp or Stamp(numbers.kind)
        self._update()

    def drop(self, run: Run) -> None:
        if self._shown.pop(run, None) is not None:
            self._update()

    def _update(self) -> None:
        found = {
            run: pair
            for run, shown in self._shown.items()
            if (pair := self._pair_in(run, *shown, self._selections[run].pinned)) is not None
        }
        if found != self._found:
            self._found = found
            self.changed.emit()

    def _pair_in(self, run: Run, numbers: AttentionNumbers, stamp: Stamp, pinned: Pair) -> PairInHeads | None:
        """Return the pair in all heads of a trace; the one that is known already where it is the same."""
        trace = numbers.trace
        pair = pinned.within(trace.n_tokens)
        if pair.query is None or pair.key is None:
            return None
        included = stamp.included(trace.tokens)
        if not (included[pair.query] and included[pair.key]):
            return None
        before = self._found.get(run)
        if before is not None and (before.numbers, before.stamp, before.tokens) == (numbers, stamp, pair):
            return before
        at = pair.query, pair.key
        labels = trace.tokens.labels[pair.query], trace.tokens.labels[pair.key]
        is_plain = stamp == WEIGHTS
        weights = pair_weights(trace, *at) if is_plain else numbers.of_pair(*at, stamp)
        return PairInHeads(numbers, PairColumn(*at, labels, weights), stamp)
