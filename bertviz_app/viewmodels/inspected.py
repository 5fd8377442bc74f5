"""`Inspected`: the run, the head and the pair of tokens that the inspector explains, with their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import AttentionNumbers, Stamp
from bertviz_app.analysis.compare import AttentionMatrix, MatrixSource
from bertviz_app.analysis.measures import Head, HeadName
from bertviz_app.analysis.pairs import PairNumbers, numbers_of
from bertviz_app.analysis.results import Quantity
from bertviz_app.options import Run
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.heads.stamped_matrix import StampedMatrix
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.selection import Selection

NO_NAMES: Mapping[Head, HeadName] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class StampedPair:
    """One pair as all views show it: `value` of `row` [T] and `column` [T], which are `quantity`.

    nan where `stamp` leaves a token out. `rank` counts from 1 among the `n_keys` of the row; 0 of nan.
    """

    stamp: Stamp
    quantity: Quantity
    value: float
    row: Floats
    column: Floats
    rank: int
    n_keys: int

    @classmethod
    def of(cls, matrix: StampedMatrix, query: int, key: int) -> StampedPair:
        row, column = matrix.row(query), matrix.column(key)
        value = float(row[key])
        rank = 0 if np.isnan(value) else int((row > row[key]).sum()) + 1
        n_keys = int(np.isfinite(row).sum())
        return cls(matrix.stamp, matrix.quantity, value, row, column, rank, n_keys)


@dataclass(frozen=True, eq=False)
class InspectedPair:
    """One query and one key in one head of run "A" or "B".

    `row` [T]: how much the query attends to each token. `column` [T]: how much each token attends to the
    key. `numbers` has the tokens' positions, and how their weight is computed. `shown`: the numbers of the
    kind that all views show. `name`: what the head does on this text, None where no name fits.
    """

    run: Run
    trace: Trace
    layer: int
    head: int
    row: NDArray[np.float32]
    column: NDArray[np.float32]
    numbers: PairNumbers
    shown: StampedPair
    name: HeadName | None = None


class Inspected(QObject):
    """Follows the active panel and the selection of its run; of a difference panel run A is inspected.

    Whatever shows, exports or describes the inspected pair reads `pair`, so that all of them are about the
    same one.
    """

    changed = Signal()

    def __init__(
        self, panels: Panels, selections: dict[Run, Selection], parent: QObject | None = None
    ) -> None:
        """Follow the selections: that of run "A" and, where runs are compared, of run "B"."""
        super().__init__(parent)
        self._panels = panels
        self._selections = selections
        self._shown: dict[Run, tuple[AttentionNumbers, Stamp]] = {}
        self._names: dict[str, Mapping[Head, HeadName]] = {}
        self._weights: tuple[StampedMatrix, MatrixSource] | None = None
        self._matrix: StampedMatrix | None = None
        self._pair: InspectedPair | None = None
        self._is_found = True
        panels.changed.connect(self._update)
        for selection in selections.values():
            selection.changed.connect(self._update)

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
    def run(self) -> Run:
        """The run that is inspected: that of the active panel if it is there, else run A."""
        active = self._panels.active
        return "B" if active is not None and active.run == "B" and "B" in self._shown else "A"

    @property
    def pair(self) -> InspectedPair | None:
        """The pair that is highlighted in the active head, None without such a head.

        Found when it is first read: the pointer may move on before anybody needs its numbers.
        """
        if not self._is_found:
            self._pair, self._is_found = self._find(), True
        return self._pair

    @Slot()
    def _update(self) -> None:
        self._is_found = False
        self.changed.emit()

    def _find(self) -> InspectedPair | None:
        run, panel = self.run, self._panels.active
        shown = self._shown.get(run)
        if panel is None or shown is None:
            return None
        trace = shown[0].trace
        if panel.layer >= trace.n_layers or panel.head >= trace.n_heads:
            return None
        matrix = self._matrix_of(*shown, (panel.layer, panel.head))
        weights = self._weights_of(matrix)
        query, key = self._highlighted(run, weights)
        row, column = _row(weights, query), weights.column(key)
        numbers = numbers_of(trace, panel.layer, panel.head, (query, key), row, column)
        name = self._names[run].get((panel.layer, panel.head))
        stamped = StampedPair.of(matrix, query, key)
        return InspectedPair(run, trace, panel.layer, panel.head, row, column, numbers, stamped, name)

    def _weights_of(self, matrix: StampedMatrix) -> MatrixSource:
        """Return where the weights of a head are read: cached, since each move of the pointer reads them.

        The matrix is the one that is shown, where that is of weights: each is computed from the whole head.
        """
        weights = self._weights
        if weights is None or weights[0] is not matrix:
            numbers = matrix.numbers
            own = matrix.matrix if numbers.result is None else AttentionMatrix(numbers.trace, *matrix.at)
            weights = self._weights = matrix, own
        return weights[1]

    def _matrix_of(self, numbers: AttentionNumbers, stamp: Stamp, at: tuple[int, int]) -> StampedMatrix:
        """Return the reader of the numbers that are shown: cached for the same reason."""
        matrix = self._matrix
        if matrix is None or (matrix.numbers, matrix.stamp, matrix.at) != (numbers, stamp, at):
            matrix = self._matrix = StampedMatrix(numbers, stamp, *at)
        return matrix

    def _highlighted(self, run: Run, weights: MatrixSource) -> tuple[int, int]:
        """Return the highlighted pair; of a lone token with its strongest partner; else the first word's."""
        n_tokens = weights.n_queries
        shown = self._selections[run].shown.within(n_tokens)
        if shown.query is None and shown.key is not None:
            return int(weights.column(shown.key).argmax()), shown.key
        query = min(1, n_tokens - 1) if shown.query is None else shown.query
        if shown.key is not None:
            return query, shown.key
        return query, int(_row(weights, query).argmax())


def _row(weights: MatrixSource, query: int) -> Floats:
    row: Floats = weights.rows(slice(query, query + 1))[0]
    return row
