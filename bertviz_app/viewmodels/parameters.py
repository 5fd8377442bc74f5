"""The weights of a checkpoint as a table, and as pictures of matrices."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from bertviz_app.checkpoint.parameters import (
    LinearProduct,
    ParameterTable,
    StoredParameter,
    group_title,
    title_of,
)
from bertviz_app.errors import Check, Message, SelectionError
from bertviz_app.inference.engine import Engine
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.export import Fact, Numbers
from bertviz_app.viewmodels.panel import DrawnParameter, ParametersChoice, ParametersPage
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.results import Coming, Failed, Ready, Request, Results, RunsOnScreen
from bertviz_app.viewmodels.viewport import Levels, signed_levels

_CELLS_AT_ONCE = 1 << 21
_SAMPLED = 1 << 18


@dataclass(frozen=True)
class Region:
    """Rows and columns, [first, last) of each, and the pixels that they are drawn into."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    height: int
    width: int

    @property
    def steps(self) -> tuple[int, int]:
        """The rows and columns of cells that share a pixel."""
        n_rows, n_columns = self.rows[1] - self.rows[0], self.columns[1] - self.columns[0]
        return -(-n_rows // max(1, self.height)), -(-n_columns // max(1, self.width))

    def block_at(self, row: int, column: int) -> tuple[slice, slice]:
        """Return the cells that share a pixel with this one; at the ends there are fewer."""
        sides = zip((row, column), (self.rows, self.columns), self.steps, strict=True)
        down, across = (
            slice(at := first + (index - first) // step * step, min(at + step, last))
            for index, (first, last), step in sides
        )
        return down, across


@dataclass(frozen=True, eq=False)
class RegionPicture:
    """The signed levels [r, c] of a region, as in a `Pyramid`: each that of the largest cell in a block."""

    region: Region
    levels: Levels


@dataclass(frozen=True, eq=False)
class Matrix:
    """The numbers of a parameter as rows and columns; a vector is one row.

    `arrays`: one, or two whose difference is shown. `limit`: what full colour stands for, the size that 99 of
    100 numbers do not exceed. `lowest`, `highest`: of all numbers.
    """

    arrays: tuple[Floats, ...]
    limit: float
    lowest: float
    highest: float

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.arrays[0].shape
        return n_rows, n_columns

    @property
    def goes_beyond(self) -> bool:
        """Whether numbers are larger than what full colour stands for."""
        return max(-self.lowest, self.highest) > self.limit

    @property
    def n_bytes(self) -> int:
        """The memory that it takes for itself: none, its arrays are those of the models."""
        return 0

    def value(self, row: int, column: int) -> np.float32:
        """Return one number, exact."""
        return np.float32(self.block(slice(row, row + 1), slice(column, column + 1))[0, 0])

    def block(self, rows: slice, columns: slice) -> Floats:
        """Return the numbers of a part."""
        first, *others = (array[rows, columns] for array in self.arrays)
        part: Floats = first - others[0] if others else first
        return part


def matrix_of(arrays: tuple[Floats, ...], check: Check = lambda: None) -> Matrix:
    """Return the matrix of one parameter, or of the difference of two of one shape."""
    # A vector is one row; the weights of a convolution [out, in, n] are [out, in * n].
    flat = tuple(array[None] if array.ndim < 2 else array.reshape(len(array), -1) for array in arrays)
    matrix = Matrix(flat, 1.0, 0.0, 0.0)
    n_rows, n_columns = matrix.shape
    lows, highs, samples = [], [], []
    step = max(1, n_rows * n_columns // _SAMPLED)
    at_once = max(1, _CELLS_AT_ONCE // n_columns)
    for first in range(0, n_rows, at_once):
        check()
        block = matrix.block(slice(first, first + at_once), slice(None))
        lows.append(float(block.min()))
        highs.append(float(block.max()))
        samples.append(np.abs(block).reshape(-1)[::step])
    sizes, largest = np.concatenate(samples), max(-min(lows), max(highs))
    at = int(0.99 * (len(sizes) - 1))
    return Matrix(flat, float(np.partition(sizes, at)[at]) or largest or 1.0, min(lows), max(highs))


def region_picture(matrix: Matrix, region: Region, check: Check = lambda: None) -> RegionPicture:
    """Return the levels of a region; of many cells in one pixel it has that of the one farthest from zero."""
    down, across = region.steps
    (first, last), columns = region.rows, slice(*region.columns)
    n_columns = region.columns[1] - region.columns[0]
    levels = np.empty((-(-(last - first) // down), -(-n_columns // across)), np.uint8)
    at_once = max(1, _CELLS_AT_ONCE // (n_columns * down))
    for start in range(0, len(levels), at_once):
        check()
        rows = slice(first + start * down, min(first + (start + at_once) * down, last))
        found = _farthest(_farthest(matrix.block(rows, columns), down).T, across).T
        levels[start : start + at_once] = signed_levels(np.clip(found / matrix.limit, -1, 1))
    return RegionPicture(region, levels)


def _farthest(block: Floats, step: int) -> Floats:
    """Return, for each `step` rows and for those left over, the number of each column farthest from zero."""
    if step == 1:
        return block
    whole = len(block) // step * step
    rows = block[:whole].reshape(-1, step, block.shape[1])
    parts = [_extreme(rows, 1)] + ([_extreme(block[None, whole:], 1)] if whole < len(block) else [])
    return np.concatenate(parts)


def _extreme(block: Floats, axis: int) -> Floats:
    highest, lowest = block.max(axis), block.min(axis)
    found: Floats = np.where(highest >= -lowest, highest, lowest)
    return found


_KIND = "parameters"
_Value = TypeVar("_Value")
Traces = tuple[Trace, ...]
"""That of a run, or those of the two whose difference is shown."""


@dataclass(frozen=True, eq=False)
class ShownTable:
    """The parameters of a run; of a difference those of run A, and the keys that both runs have alike."""

    table: ParameterTable
    comparable: frozenset[str] | None = None


@dataclass(frozen=True, eq=False)
class ShownMatrix:
    """A matrix, and what its rows are called, where they have names: the pieces of the vocabulary."""

    matrix: Matrix
    row_name: Callable[[int], str] | None = None


class ModelMatrices(QObject):
    """Has tables and products computed on one worker, which may wait for the engine, and pictures on another.

    `slot` names the view that asks; its newest request supersedes the one before. `arrived` is emitted when
    something is there, or cannot be had.
    """

    arrived = Signal()

    def __init__(self, engine: Engine, models: Results, pictures: Results, runs: RunsOnScreen) -> None:
        super().__init__(models)
        self._engine, self._models, self._pictures, self._runs = engine, models, pictures, runs
        for results in (models, pictures):
            results.changed.connect(self._on_result)

    def table(self, traces: Traces, slot: str) -> Ready[ShownTable] | Coming | Failed:
        """Return the table of a run's parameters."""
        at, read = ("table", traces), self.table_reader(traces)
        return self._get(self._models, at, traces, lambda check, _: read(check), f"{slot} table")

    def table_reader(self, traces: Traces) -> Callable[[Check], ShownTable]:
        """Return a function that reads the table of a run's parameters, to be called on a worker."""
        runs = self._runs_of(traces)

        def read(check: Check) -> ShownTable:
            if not runs:
                raise _not_here()
            first, *others = (self._engine.parameters(ref, trace, check).table for ref, trace in runs)
            if not others:
                return ShownTable(first)
            shapes = {entry.key: entry.shape for entry in others[0]}
            alike = (entry.key for entry in first if shapes.get(entry.key) == entry.shape)
            return ShownTable(first, frozenset(alike))

        return read

    def matrix(self, traces: Traces, key: str, slot: str) -> Ready[ShownMatrix] | Coming | Failed:
        """Return the matrix of a parameter, or the difference of both runs' matrices."""

        def compute(check: Check, _: object) -> ShownMatrix:
            models = [self._engine.parameters(ref, trace, check) for ref, trace in runs]
            arrays = tuple(model.values(key) for model in models)
            if len({array.shape for array in arrays}) > 1:
                raise SelectionError(
                    Message(
                        "The two checkpoints have no {0} of the same shape: there is no difference.", key
                    ),
                    Message("Choose run A or run B."),
                )
            return ShownMatrix(matrix_of(arrays, check), models[0].row_name(key))

        runs = self._runs_of(traces)
        return self._get(self._models, ("matrix", traces, key), traces, compute, f"{slot} matrix")

    def picture(
        self, traces: Traces, key: str, matrix: Matrix, region: Region, slot: str
    ) -> Ready[RegionPicture] | Coming | Failed:
        at, work = ("region", traces, key, region), partial(region_picture, matrix, region)
        return self._get(self._pictures, at, traces, lambda check, _: work(check), f"{slot} region")

    def product(
        self, trace: Trace, key: str, token: int, output: int, layer: int | None, slot: str
    ) -> Ready[LinearProduct] | Coming | Failed:
        """Return how one number comes out of a linear map."""

        def compute(check: Check, _: object) -> LinearProduct:
            return self._engine.parameters(runs[0][0], trace, check).product(trace, key, token, output, layer)

        runs = self._runs_of((trace,))
        at = ("product", trace, key, token, output, layer)
        return self._get(self._models, at, (trace,), compute, f"{slot} product")

    def _runs_of(self, traces: Traces) -> list[tuple[str | None, Trace]]:
        """Return (ref, trace) of each run; nothing where one is not on screen or has no checkpoint here."""
        shown = (self._runs.with_checkpoint(trace) for trace in traces)
        found = [(one.request.ref, one.trace) for one in shown if one is not None]
        return found if len(found) == len(traces) else []

    def _get(
        self,
        results: Results,
        key: Hashable,
        traces: Traces,
        compute: Callable[[Check, Any], _Value],
        slot: str,
    ) -> Ready[_Value] | Coming | Failed:
        if not self._runs_of(traces):
            return Failed(_not_here())
        return results.get(Request((_KIND, key), traces, compute), slot)

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        is_own = isinstance(key, tuple) and key[0] == _KIND
        if is_own and not isinstance(self._models.state(key) or self._pictures.state(key), Coming):
            self.arrived.emit()


def _not_here() -> SelectionError:
    return SelectionError(
        Message("The checkpoint of this saved run is not here: its parameters cannot be shown."),
        Message("Open the checkpoint."),
    )


class ShownParameters:
    """The choice made in a panel, and the table, matrix and product for it, requested when first read.

    `slot` names the panel's view: a newer request of the same kind supersedes the one before.
    """

    def __init__(self, matrices: ModelMatrices, selection: Selection, slot: str) -> None:
        self._matrices, self._selection, self._slot = matrices, selection, slot
        self.traces: Traces = ()
        self.layer = 0
        self.choice = ParametersChoice()

    def show(self, traces: Traces, layer: int) -> None:
        """Show the parameters of another run, or of a panel in another layer."""
        self.traces, self.layer = traces, layer

    @property
    def is_difference(self) -> bool:
        return len(self.traces) > 1

    @property
    def trace(self) -> Trace:
        """The trace of the run, of the first of two."""
        return self.traces[0]

    @property
    def token(self) -> int:
        """The token whose input is multiplied: the pinned one, else the first of the text."""
        pinned = self._selection.pinned.query
        return min(1, self.trace.n_tokens - 1) if pinned is None else pinned

    @property
    def table(self) -> Ready[ShownTable] | Coming | Failed:
        return self._matrices.table(self.traces, self._slot)

    def table_reader(self) -> Callable[[Check], ShownTable]:
        """Return a function that reads the table, to be called on a worker."""
        return self._matrices.table_reader(self.traces)

    @property
    def entry(self) -> StoredParameter | None:
        """The chosen parameter; before one is chosen the weights of the queries in the panel's layer."""
        state = self.table
        if not isinstance(state, Ready):
            return None
        key, entries, queries = self.choice.key, state.value.table.entries, ".attention.query.weight"

        def is_chosen(entry: StoredParameter) -> bool:
            # Layers that share their parameters have one entry, named after the first of them.
            return entry.key == key if key else self.layer in entry.layers and entry.key.endswith(queries)

        return next(filter(is_chosen, entries), entries[0])

    @property
    def drawn(self) -> DrawnParameter | None:
        """What the page shows; None before the table is there."""
        entry = self.entry
        return None if entry is None else DrawnParameter(entry.key, self.token, self.output, self._layer)

    @property
    def _layer(self) -> int | None:
        """The layer whose input is multiplied: that of the panel, if it has the chosen parameter."""
        layers = () if self.entry is None else self.entry.layers
        return None if not layers else self.layer if self.layer in layers else layers[0]

    @property
    def output(self) -> int:
        """The chosen row of the matrix, the last one if it has fewer."""
        entry = self.entry
        return 0 if entry is None else min(self.choice.output, entry.shape[0] - 1)

    @property
    def matrix(self) -> Ready[ShownMatrix] | Coming | Failed:
        if (entry := self.entry) is None:
            state = self.table
            return Coming() if isinstance(state, Ready) else state
        return self._matrices.matrix(self.traces, entry.key, self._slot)

    def picture(self, region: Region) -> Ready[RegionPicture] | Coming | Failed:
        """Return the colours of a region of the chosen matrix."""
        entry, state = self.entry, self.matrix
        if entry is None or not isinstance(state, Ready):
            return Coming()
        return self._matrices.picture(self.traces, entry.key, state.value.matrix, region, self._slot)

    @property
    def product(self) -> Ready[LinearProduct] | Coming | Failed | None:
        """How the chosen output is computed for the token; None where nothing is multiplied."""
        token, entry = self.token, self.entry
        if entry is None or not entry.is_linear or self.is_difference or self.trace.n_tokens <= token:
            return None
        return self._matrices.product(self.trace, entry.key, token, self.output, self._layer, self._slot)

    def choose(self, page: ParametersPage | None = None, key: str = "", output: int | None = None) -> None:
        """Show another page, another parameter, or another row of it."""
        found = self.choice if page is None else replace(self.choice, page=page)
        if key and key != found.key:
            found = replace(found, key=key, output=0)
        self.choice = found if output is None else replace(found, output=output)

    def head_of(self, row: int) -> tuple[int, int] | None:
        """Return (head, dimension) that a row of queries, keys or values belongs to."""
        entry = self.entry
        if entry is None or not any(f"attention.{name}." in entry.key for name in ("query", "key", "value")):
            return None
        return divmod(row, self.trace.head_width)


def numbers_of_parameters(shown: ShownParameters) -> Callable[[], Numbers]:
    """Return a function that collects the numbers of the page that is shown, for a file."""
    entry, matrix, product = shown.entry, shown.matrix, shown.product
    facts: dict[str, Fact] = {} if entry is None else {"parameter": entry.name or entry.key}
    if shown.choice.page == "picture" and isinstance(matrix, Ready):
        found = matrix.value.matrix
        return lambda: Numbers(facts, {"values": found.block(slice(None), slice(None))})
    if shown.choice.page == "product" and isinstance(product, Ready):
        linear = product.value
        facts |= {name: getattr(linear, name) for name in ("token", "output", "bias", "computed")}
        arrays: dict[str, NDArray[Any]] = {
            "input": linear.inputs,
            "weights": linear.weights,
            "products": linear.products,
        }
        return lambda: Numbers(facts, arrays)
    read = shown.table_reader()

    def numbers_of_table() -> Numbers:
        rows = read(lambda: None).table
        counts = np.array([entry.n_numbers for entry in rows], np.int64)
        names = tuple(entry.name or entry.key for entry in rows)
        return Numbers({"total": rows.total}, {"counts": counts}, {"names": names}, rows.as_table)

    return numbers_of_table


def title(entry: StoredParameter) -> str:
    """Return what a parameter is and where: "Layer 0 · attention: Queries: weights, W_Q"."""
    translate = QCoreApplication.translate
    name, symbol = title_of(entry.key, translate)
    group = group_title(entry.group, entry.layers, translate)
    return f"{group} · {name}" + (f" {symbol}" if symbol else "")
