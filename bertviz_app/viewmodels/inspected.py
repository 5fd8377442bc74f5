"""The pair of tokens that is pinned, in every head, and what the inspector says of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import WEIGHTS, AttentionNumbers, Stamp
from bertviz_app.analysis.compare import AttentionMatrix, MatrixSource
from bertviz_app.analysis.measures import Head, HeadName, HeadOverview, PairColumn
from bertviz_app.analysis.pairs import (
    PairHead,
    PairNumbers,
    numbers_of,
    pair_others,
    pair_weights,
    strongest_heads,
)
from bertviz_app.analysis.picture import Quantity
from bertviz_app.options import Run
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.heads.pictures import StampedMatrix
from bertviz_app.viewmodels.panel import Content, Panel, Value
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.state import Pair

NO_NAMES: Mapping[Head, HeadName] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class StampedPair:
    """One pair as all views show it: `value` of `row` [K] and `column` [T], which are `quantity`.

    nan where `stamp` leaves a token out. `rank` counts from 1 among the `n_keys` of the row; 0 of nan.
    """

    stamp: Stamp
    quantity: Quantity
    value: float
    row: Floats
    column: Floats
    rank: int
    n_keys: int


@dataclass(frozen=True, eq=False)
class InspectedPair:
    """One query and one key in one head of run "A" or "B".

    `row` [K]: how much the query attends to each token. `column` [T]: how much each token attends to the
    key. `numbers` has the tokens' positions, and how their weight is computed. `shown`: the numbers of the
    kind that all views show. `name`: what the head does on this text, None where no name fits. `elsewhere`:
    the number that is shown of the other run, of the tokens that correspond to these; None where there is no
    other run, or none of them.
    """

    run: Run
    trace: Trace
    layer: int
    head: int
    row: Floats
    column: Floats
    numbers: PairNumbers
    shown: StampedPair
    name: HeadName | None = None
    elsewhere: float | None = None

    @property
    def labels(self) -> tuple[str, str]:
        """The labels of the query and of the key."""
        trace, numbers = self.trace, self.numbers
        return trace.tokens.labels[numbers.query], trace.key_tokens.labels[numbers.key]


class Inspected(QObject):
    """Follows the active panel and what is pointed at in its run; of a difference panel run A is inspected.

    Whatever shows, exports or describes the inspected pair reads `pair`, so that all of them are about the
    same one.
    """

    changed = Signal()

    def __init__(self, panels: Panels, pointer: Pointer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panels = panels
        self._selections = pointer.selections
        self._shown: dict[Run, tuple[AttentionNumbers, Stamp]] = {}
        self._names: dict[str, Mapping[Head, HeadName]] = {}
        self._readers: tuple[StampedMatrix, MatrixSource] | None = None
        self._pair: InspectedPair | None = None
        self._is_found = True
        panels.changed.connect(self._update)
        pointer.changed.connect(self._update)

    def show(
        self,
        run: Run,
        numbers: AttentionNumbers,
        stamp: Stamp | None = None,
        names: Mapping[Head, HeadName] = NO_NAMES,
    ) -> None:
        """From now on `run` has these numbers, shown as `stamp` says, and some of its heads have names."""
        self._shown[run], self._names[run] = (numbers, stamp or Stamp(numbers.kind)), names
        self._update()

    def drop(self, run: Run) -> None:
        if self._shown.pop(run, None) is not None:
            self._update()

    @property
    def panel(self) -> Panel | None:
        """The panel whose head is inspected."""
        return self._panels.active

    @property
    def run(self) -> Run:
        """The run that is inspected: that of the active panel if it is there, else run A."""
        active = self._panels.active
        return "B" if active is not None and active.run == "B" and "B" in self._shown else "A"

    @property
    def lacks_head(self) -> bool:
        """Whether the active panel names a head that the run does not have, such as a pruned one."""
        panel, shown = self._panels.active, self._shown.get(self.run)
        if panel is None or shown is None:
            return False
        trace = shown[0].trace
        return panel.layer >= trace.n_layers or panel.head not in trace.heads_of(panel.layer)

    @property
    def pair(self) -> InspectedPair | None:
        """The pair that is highlighted in the active head, None without such a head.

        Found when it is first read: the pointer may move on before anybody needs its numbers.
        """
        if self._is_found:
            return self._pair
        self._pair, self._is_found = None, True
        run, panel = self.run, self._panels.active
        shown = self._shown.get(run)
        if panel is None or shown is None or self.lacks_head:
            return None
        (attention, stamp), at = shown, (panel.layer, panel.head)
        trace, readers = attention.trace, self._readers
        # The readers of what is shown and of the weights are cached: each move of the pointer reads both.
        # Where weights are shown, one does for both: each computes the whole head.
        if readers is None or (readers[0].numbers, readers[0].stamp, readers[0].at) != (*shown, at):
            matrix = StampedMatrix(attention, stamp, *at)
            weights = matrix.matrix if attention.result is None else AttentionMatrix(trace, *at)
            readers = self._readers = matrix, weights
        matrix, weights = readers
        query, key = self._highlighted(weights, self._selections[run].shown)
        row, column = weights.rows(slice(query, query + 1))[0], weights.column(key)
        numbers = numbers_of(trace, *at, (query, key), row, column)
        of_query, of_key = matrix.row(query), matrix.column(key)
        value = float(of_query[key])
        rank = 0 if np.isnan(value) else int((of_query > of_query[key]).sum()) + 1
        n_keys = int(np.isfinite(of_query).sum())
        stamped = StampedPair(matrix.stamp, matrix.quantity, value, of_query, of_key, rank, n_keys)
        other: Run = "A" if run == "B" else "B"
        elsewhere, name = None, self._names[run].get(at)
        if (of_other := self._shown.get(other)) is not None:
            there = of_other[0].trace
            pair = self._selections[other].shown.within(there.n_tokens, there.n_keys)
            has_head = at[0] < there.n_layers and at[1] in there.heads_of(at[0])
            if has_head and pair.query is not None and pair.key is not None:
                elsewhere = float(StampedMatrix(*of_other, *at).row(pair.query)[pair.key])
        self._pair = InspectedPair(run, trace, *at, row, column, numbers, stamped, name, elsewhere)
        return self._pair

    @Slot()
    def _update(self) -> None:
        self._is_found = False
        self.changed.emit()

    def at_rest(self) -> tuple[int, int] | None:
        """Return the query and the key that are inspected while the pointer is on none: those pinned."""
        if (pair := self.pair) is None:
            return None
        weights = AttentionMatrix(pair.trace, pair.layer, pair.head)
        return self._highlighted(weights, self._selections[pair.run].pinned)

    def _highlighted(self, weights: MatrixSource, shown: Pair) -> tuple[int, int]:
        """Return the pair itself; of a lone token with its strongest partner; else the first word's."""
        n_tokens = weights.n_queries
        shown = shown.within(n_tokens, weights.n_keys)
        if shown.query is None and shown.key is not None:
            return int(weights.column(shown.key).argmax()), shown.key
        query = min(1, n_tokens - 1) if shown.query is None else shown.query
        if shown.key is not None:
            return query, shown.key
        return query, int(weights.rows(slice(query, query + 1))[0].argmax())


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
        """Return the heads that give the pair most above what others do, or most of other numbers."""
        return strongest_heads(self.column.weights, count, self.column.others)


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
        return " | ".join(dict.fromkeys((self.one.title, self.other.title)))

    @property
    def farthest(self) -> Head | None:
        """The (layer, head) in which the weights are farthest apart; None where all are equal."""
        sizes = np.nan_to_num(np.abs(self.values))
        if not sizes.any():
            return None
        layer, head = divmod(int(sizes.argmax()), sizes.shape[1])
        return layer, head

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

    def __init__(self, pointer: Pointer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selections = pointer.selections
        self._shown: dict[Run, tuple[AttentionNumbers, Stamp]] = {}
        self._found: dict[Run, PairInHeads] = {}
        pointer.changed.connect(self._update)

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
        found: dict[Run, PairInHeads] = {}
        for run, (numbers, stamp) in self._shown.items():
            trace, before = numbers.trace, self._found.get(run)
            pair = self._selections[run].pinned.within(trace.n_tokens, trace.n_keys)
            if (
                pair.query is None
                or pair.key is None
                or not stamp.included(trace.tokens)[pair.query]
                or not stamp.included(trace.key_tokens)[pair.key]
            ):
                continue
            if before is not None and (before.numbers, before.stamp, before.tokens) == (numbers, stamp, pair):
                found[run] = before
                continue
            at, is_plain = (pair.query, pair.key), stamp == WEIGHTS
            labels = trace.tokens.labels[pair.query], trace.key_tokens.labels[pair.key]
            weights = pair_weights(trace, *at) if is_plain else numbers.of_pair(*at, stamp)
            others = pair_others(trace, *at) if is_plain else None
            found[run] = PairInHeads(numbers, PairColumn(*at, labels, weights, others), stamp)
        if found != self._found:
            self._found = found
            self.changed.emit()


PAIRS, HEADS = "similarity-pairs", "similarity-heads"


class HeadsOfPair(QObject):
    """A pair picked in a panel of `PAIRS` is explained in the panel of `HEADS` of its run, or a new one."""

    def __init__(self, panels: Panels, pointer: Pointer) -> None:
        super().__init__(panels)
        self._panels = panels
        pointer.picked.connect(self._explain)

    @Slot(str, object)
    def _explain(self, run: Run, pair: Pair) -> None:
        active = self._panels.active
        if active is None or pair.query is None or pair.partner is None:
            return
        if active.run != run or active.content.analysis != PAIRS:
            return
        at: tuple[tuple[str, Value], ...] = (("token", pair.query), ("partner", pair.partner))
        content = Content(HEADS, tuple(one for one in at if one[1] != 1))  # 1 is the default
        panels = self._panels.panels
        there = [one for one in panels if one.content.analysis == HEADS and one.run == run]
        if there:
            self._panels.choose(there[0].number, content)
        else:
            self._panels.insert(replace(active, heads=(), content=content))
            self._panels.activate(active.number)  # the next pair is picked there
