"""All heads as one picture: their cells, samples and refinement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, Signal, Slot

from bertviz_app.analysis.measures import KEYS, HeadOverview, Measures, heads_by
from bertviz_app.analysis.pairs import strongest_heads
from bertviz_app.errors import Check
from bertviz_app.trace.indexing import area_maximum
from bertviz_app.types import Bools, Bytes, Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.runs.run import Shown
from bertviz_app.viewmodels.runs.workspace import EncodedRun
from bertviz_app.viewmodels.state import PAIR, OverviewChoice
from bertviz_app.viewmodels.viewport import UNIFORM_TIMES

Heads = Sequence[tuple[int, int]]

EDGE, CLEAR = -1, -2
"""Levels of an atlas that are no colour of weights: between two cells, and where there is no cell."""


def least_full(overview: HeadOverview) -> float:
    """Return the number that full colour stands for at least, so that uniform attention is pale.

    See `DrawOptions.scale`. For numbers that are no shares of 1 it is the smallest one above 0.
    """
    if not overview.stamp.is_share:
        return float(np.finfo(np.float32).tiny)
    return min(1.0, UNIFORM_TIMES / overview.n_keys)


def full_colours(overview: HeadOverview, beside: HeadOverview | None) -> Floats:
    """Return the weight of each head [L, H] that has full colour: its largest in this run and `beside`."""
    tops = overview.pictures.max((-2, -1))
    if beside is not None and beside.stamp == overview.stamp:
        layers, heads = (min(sides) for sides in zip(tops.shape, beside.pictures.shape, strict=False))
        others = beside.pictures[:layers, :heads].max((-2, -1))
        tops[:layers, :heads] = np.maximum(tops[:layers, :heads], others)
    full: Floats = np.maximum(tops, np.float32(least_full(overview)))
    return full


def full_colour_of_all(overview: HeadOverview, beside: HeadOverview | None) -> float:
    """Return the number of full colour where all heads have one scale: 1 of shares, else the largest."""
    if overview.stamp.is_share:
        return 1.0
    runs = (overview,) if beside is None or beside.stamp != overview.stamp else (overview, beside)
    return max(least_full(overview), *(float(run.pictures.max()) for run in runs))


class Thumbnails:
    """The pictures of heads as levels of colour, made smaller by maxima, or larger by repeating.

    Those of cross-attention, which are no squares, fill the squares, too. `full` [L, H] or []: the weight
    that has the last of the 256 colours. The levels are cached for each factor by which pictures become
    smaller, so that to move an overview only copies them.
    """

    def __init__(self, pictures: Floats, full: Floats) -> None:
        self._pictures, self._full = pictures, full
        self._levels: dict[tuple[int, int], Bytes] = {}

    def cells(self, heads: Heads, side: int) -> Bytes:
        """Return the thumbnails of some heads, uint8 [heads, side, side]."""
        tall, wide = (-(-n // side) for n in self._pictures.shape[-2:])
        levels = self._levels.get((tall, wide))
        if levels is None:
            shares = area_maximum(self._pictures, (tall, wide)) / self._full[..., None, None]
            levels = np.rint(np.clip(shares, 0, 1) * np.float32(255)).astype(np.uint8)
            self._levels[tall, wide] = levels
        rows, columns = (np.arange(side) * n // side for n in levels.shape[-2:])
        places = np.array(heads, np.intp).reshape(-1, 2)
        chosen: Bytes = levels[places[:, 0], places[:, 1]].take(rows, 1).take(columns, 2)
        return chosen


def atlas(cells: Bytes, spots: Heads, lefts: Sequence[int], tops: Sequence[int]) -> NDArray[np.int16]:
    """Return cells [N, side, side] in one picture, each at one of `spots`, (row, column).

    `lefts`, `tops`: the first pixel of each column and of each row, from 0 on. EDGE stands in the gaps
    between cells, CLEAR where the last row has no more heads.
    """
    side = cells.shape[-1]
    picture = np.full((tops[-1] + side, lefts[-1] + side), EDGE, np.int16)
    for cell, (row, column) in zip(cells, spots, strict=True):
        top, left = tops[row], lefts[column]
        picture[top : top + side, left : left + side] = cell
    n_in_last = sum(row == len(tops) - 1 for row, _ in spots)
    if n_in_last < len(lefts):
        picture[tops[-1] :, lefts[n_in_last] :] = CLEAR
    return picture


def largest(values: Floats) -> float:
    """Return the largest of the values that are known, 0 where none is."""
    return float(np.nan_to_num(values).max())


def level_of(value: float, top: float) -> int:
    """Return which of the 256 colours `value` has, from 0; the last one stands for `top` and more."""
    return round(min(max(value / top, 0.0), 1.0) * 255) if top > 0 else 0


@dataclass(frozen=True)
class HeadOrder:
    """The heads (layer, head) in the order of their cells, and those of them that are `dimmed`.

    By layer and head every head has its cell; by a measure the cells close up where heads are left out.
    """

    heads: tuple[tuple[int, int], ...]
    dimmed: frozenset[tuple[int, int]]
    is_rearranged: bool


def passes(measures: Measures, choice: OverviewChoice) -> Bools:
    """Return bool [L, H], true for heads whose measure is within the limits of the filter, or at one."""
    values = measures[choice.filtered_by or KEYS[0]].astype(np.float64)
    inside = np.ones(values.shape, bool)
    if choice.filtered_by:
        # A field shows ends rounded to four decimals: what is shown as equal passes.
        if choice.least is not None:
            inside &= values >= choice.least - 5e-5
        if choice.most is not None:
            inside &= values <= choice.most + 5e-5
    return inside


def arranged(measures: Measures, choice: OverviewChoice, pair: Floats | None = None) -> HeadOrder:
    """Return the cells of an overview of these measures; `pair` [L, H] are the weights of the pinned pair."""
    inside = passes(measures, choice)
    order = choice.order(has_pair=pair is not None)
    if order == PAIR and pair is not None:
        heads = [(one.layer, one.head) for one in strongest_heads(pair, pair.size)]
    else:
        heads = heads_by(measures, None if order == "" or order == PAIR else order)
    if order:
        return HeadOrder(tuple(at for at in heads if inside[at]), frozenset(), True)
    return HeadOrder(tuple(heads), frozenset(at for at in heads if not inside[at]), False)


GAP = 3
"""Pixels between two cells."""


@dataclass(frozen=True)
class CellGrid:
    """Where the cells of `heads` lie: `columns` a row, each `side` pixels, from (`left`, `top`) on.

    `step`: from one cell to the next, where that is no whole number of pixels, as in an enlarged grid.
    """

    heads: tuple[tuple[int, int], ...]
    columns: int
    side: int
    left: float
    top: float
    step: float = 0.0

    @property
    def pitch(self) -> float:
        """The pixels from one cell to the next."""
        return self.step or self.side + GAP

    @property
    def rows(self) -> int:
        return -(-len(self.heads) // self.columns)

    @property
    def bottom(self) -> float:
        """Where the last row ends, with the gap below it."""
        return self.top + self.rows * self.pitch

    def corner(self, index: int) -> tuple[float, float]:
        """Return the left and the top edge of a cell, at a whole number of pixels from the first one."""
        row, column = divmod(index, self.columns)
        return self.left + round(column * self.pitch), self.top + round(row * self.pitch)

    def enlarged(self, zoom: float, left: float, top: float) -> CellGrid:
        """Return the grid with cells `zoom` times as far apart, the gaps as wide as before."""
        step = self.pitch * zoom
        return CellGrid(self.heads, self.columns, int(step) - GAP, left, top, step)

    def in_sight(self, room: QRectF) -> tuple[range, range]:
        """Return the rows and the columns of which a part is in `room`."""
        of_rows = room.top() - self.top, room.bottom() - self.top, self.rows
        of_columns = room.left() - self.left, room.right() - self.left, self.columns
        rows, columns = (
            range(max(0, int(start // self.pitch)), min(count, int(end // self.pitch) + 1))
            for start, end, count in (of_rows, of_columns)
        )
        return rows, columns

    def head_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the head whose cell is at a point, the gap behind a cell belonging to it."""
        column, row = (
            int((at - start) // self.pitch) for at, start in zip((x, y), (self.left, self.top), strict=True)
        )
        index = row * self.columns + column
        is_inside = 0 <= column < self.columns and 0 <= index < len(self.heads)
        return self.heads[index] if is_inside else None

    def neighbour(self, at: tuple[int, int], columns: int, rows: int) -> tuple[int, int] | None:
        """Return the head a number of cells from `at`, going round at the ends; from none the first."""
        if not self.heads:
            return None
        if at not in self.heads:
            return self.heads[0]
        return self.heads[(self.heads.index(at) + columns + rows * self.columns) % len(self.heads)]


_SLOT = "refine"


class Refinement(QObject):
    """Computes what the overviews of the runs that are shown still lack, see `Shown.layered`.

    Texts and pictures come first: while a worker of `before` is busy, nothing is computed here, and when all
    are idle it goes on where it was. `changed`: an overview has a further layer, or the work was stopped.
    """

    changed = Signal()

    def __init__(
        self,
        tasks: Tasks,
        before: Sequence[Tasks],
        runs: Iterable[EncodedRun],
        panels: Panels,
        failed: Callable[[Exception], None],
    ) -> None:
        """`failed` is called with an error that stopped the work."""
        super().__init__(tasks)
        self._tasks, self._before, self._runs, self._panels = tasks, tuple(before), tuple(runs), panels
        self._failed = failed
        self._working_on: tuple[Shown, int] | None = None
        self._stopped: frozenset[Shown] = frozenset()
        shown_changed = [run.shown_changed for run in self._runs]
        for changed in (*shown_changed, *(worker.busy_changed for worker in before), panels.changed):
            changed.connect(self._update)
        self._update()

    @property
    def is_stopped(self) -> bool:
        """Whether the user stopped the work on what is shown."""
        return any(run.shown in self._stopped for run in self._runs)

    @property
    def is_complete(self) -> bool:
        """Whether all overviews that are shown are of all queries."""
        return not any(_lacks(run.shown) for run in self._runs)

    def stop(self) -> None:
        """Leave the overviews that are shown as they are."""
        self._stopped = frozenset(run.shown for run in self._runs if run.shown is not None)
        self._update()
        self.changed.emit()

    def go_on(self) -> None:
        """Go on with what `stop` left: compute what the overviews lack."""
        self._stopped = frozenset()
        self._update()
        self.changed.emit()

    @Slot()
    def _update(self) -> None:
        """Compute the layer that comes first now; what was begun before goes on when its turn comes."""
        target, active = None, self._panels.active
        lacking = {run.name: run.shown for run in self._runs if run.shown is not None and _lacks(run.shown)}
        if lacking and not self.is_stopped and not any(worker.is_any_busy for worker in self._before):
            of_active = None if active is None else lacking.get(active.run)
            first = of_active or next(iter(lacking.values()))
            assert first.layered is not None
            others = (panel.layer for panel in self._panels.panels)
            looked_at = others if active is None else (active.layer, *others)
            target = first, order_of_work(first.layered.missing or (0,), looked_at)[0]
        if target == self._working_on:
            return
        self._tasks.cancel(_SLOT)
        self._working_on = target
        if target is not None:
            shown, layer = target
            layered = shown.layered
            assert layered is not None

            def work(check: Check, progress: FractionDone) -> HeadOverview:
                layered.finish(layer, check)
                return layered.overview()

            def failed(error: Exception) -> None:
                self.stop()  # the overviews stay as they are: the same error would come again
                self._failed(error)

            self._tasks.start(_SLOT, work, lambda overview: self._on_computed(shown, overview), failed)

    def _on_computed(self, shown: Shown, overview: HeadOverview) -> None:
        self._working_on = None
        for run in self._runs:
            if run.shown is not None and run.shown.layered is shown.layered:
                if overview.sample is not None:
                    run.shown = replace(run.shown, overview=overview)
                    continue
                # Only the last layer changes what other numbers are made of, the sinks: to emit this for each
                # layer would have everything derived from the run computed anew as often.
                numbers = replace(run.shown.numbers, sinks=overview.sinks)
                run.shown = replace(run.shown, overview=overview, numbers=numbers, pictures=())
                run.shown_changed.emit()
        self.changed.emit()
        self._update()


def order_of_work(layers: Iterable[int], looked_at: Iterable[int]) -> list[int]:
    """Return `layers` in the order in which they are computed.

    The visible layers come in their order, then the others, the nearest to the first of these
    first.
    """
    looked = list(dict.fromkeys(looked_at)) or [0]

    def order(layer: int) -> tuple[int, int, int]:
        at = looked.index(layer) if layer in looked else len(looked)
        return at, abs(layer - looked[0]), layer

    return sorted(layers, key=order)


def _lacks(shown: Shown | None) -> bool:
    return shown is not None and shown.layered is not None and shown.overview.sample is not None
