"""`PinnedPair`: the weight that each head of a run gives the pinned pair of tokens."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.measure_table import PairColumn
from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.analysis.pairs import PairHead, pair_weights, strongest_heads
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.selection import Pair, Selection


@dataclass(frozen=True, eq=False)
class PairInHeads:
    """One pair of tokens of a run, and its weight in every head."""

    trace: Trace
    column: PairColumn

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


class PinnedPair(QObject):
    """Follows what is pinned in run "A" and, where runs are compared, in run "B".

    A query alone or a key alone is no pair. Moving the pointer changes nothing.
    """

    changed = Signal()

    def __init__(self, selections: dict[str, Selection], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selections = selections
        self._traces: dict[str, Trace] = {}
        self._found: dict[str, PairInHeads] = {}
        for selection in selections.values():
            selection.changed.connect(self._update)

    def of(self, run: str) -> PairInHeads | None:
        """Return the pair that is pinned in run "A" or "B", None where there is none."""
        return self._found.get(run)

    def show(self, run: str, trace: Trace) -> None:
        """From now on `run` is `trace`."""
        self._traces[run] = trace
        self._update()

    def drop(self, run: str) -> None:
        """Forget a run that is no longer shown."""
        if self._traces.pop(run, None) is not None:
            self._update()

    def _update(self) -> None:
        found = {
            run: pair
            for run, trace in self._traces.items()
            if (pair := self._pair_in(run, trace, self._selections[run].pinned)) is not None
        }
        if found != self._found:
            self._found = found
            self.changed.emit()

    def _pair_in(self, run: str, trace: Trace, pinned: Pair) -> PairInHeads | None:
        """Return the pair in all heads of a trace; the one that is known already where it is the same."""
        pair = pinned.within(trace.n_tokens)
        if pair.query is None or pair.key is None:
            return None
        before = self._found.get(run)
        if before is not None and before.trace is trace and before.tokens == pair:
            return before
        labels = trace.tokens.labels[pair.query], trace.tokens.labels[pair.key]
        weights = pair_weights(trace, pair.query, pair.key)
        return PairInHeads(trace, PairColumn(pair.query, pair.key, labels, weights))
