"""`ModelMatrices`: tables, matrices and products of the parameters of the runs on screen, from workers."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.checkpoint.parameters import LinearProduct, ParameterTable
from bertviz_app.errors import Message, SelectionError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.options import Run
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.parameters.matrix_region import (
    Matrix,
    Region,
    RegionPicture,
    matrix_of,
    region_picture,
)
from bertviz_app.viewmodels.results import Coming, Failed, Ready, Request, Results

_KIND = "parameters"
_Value = TypeVar("_Value")
Traces = tuple[Trace, ...]
"""That of a run, or those of the two whose difference is shown."""


@dataclass(frozen=True, eq=False)
class ShownTable:
    """The parameters of a run; of a difference those of run A, and the keys that both runs have alike."""

    table: ParameterTable
    comparable: frozenset[str] | None = None

    @property
    def n_bytes(self) -> int:
        """The memory of its numbers: it has none."""
        return 0


@dataclass(frozen=True, eq=False)
class ShownMatrix:
    """A matrix, and what its rows are called, where they have names: the pieces of the vocabulary."""

    matrix: Matrix
    row_name: Callable[[int], str] | None = None

    @property
    def n_bytes(self) -> int:
        return 0


class ModelMatrices(QObject):
    """Has tables and products computed on one worker, which may wait for the engine, and pictures on another.

    `slot` names the view that asks; its newest request supersedes the one before. `arrived` is emitted when
    something is there, or cannot be had.
    """

    arrived = Signal()

    def __init__(self, engine: Engine, models: Results, pictures: Results) -> None:
        super().__init__(models)
        self._engine = engine
        self._models = models
        self._pictures = pictures
        self._runs: dict[str, tuple[TraceRequest, Trace]] = {}
        for results in (models, pictures):
            results.changed.connect(self._on_result)

    def show(self, run: Run, request: TraceRequest, trace: Trace) -> None:
        """From now on `run` ("A", "B") is `trace`, the answer to `request`."""
        self._runs[run] = request, trace
        self._hold(run, (trace,))

    def drop(self, run: Run) -> None:
        """Forget a run that is no longer shown, or whose checkpoint is not here."""
        if self._runs.pop(run, None) is not None:
            self._hold(run, ())

    def table(self, traces: Traces, slot: str) -> Ready[ShownTable] | Coming | Failed:
        """Return the table of a run's parameters."""
        read = self.table_reader(traces)
        return self._get(
            self._models, ("table", traces), traces, lambda check, _: read(check), f"{slot} table"
        )

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
                raise _unlike(key)
            return ShownMatrix(matrix_of(arrays, check), models[0].row_name(key))

        runs = self._runs_of(traces)
        return self._get(self._models, ("matrix", traces, key), traces, compute, f"{slot} matrix")

    def picture(
        self, traces: Traces, key: str, matrix: Matrix, region: Region, slot: str
    ) -> Ready[RegionPicture] | Coming | Failed:
        def compute(check: Check, _: object) -> RegionPicture:
            return region_picture(matrix, region, check)

        at = ("region", traces, key, region)
        return self._get(self._pictures, at, traces, compute, f"{slot} region")

    def product(
        self, trace: Trace, key: str, token: int, output: int, layer: int | None, slot: str
    ) -> Ready[LinearProduct] | Coming | Failed:
        """Return how one number comes out of a linear map."""

        def compute(check: Check, _: object) -> LinearProduct:
            parameters = self._engine.parameters(runs[0][0], trace, check)
            return parameters.product(trace, key, token, output, layer)

        runs = self._runs_of((trace,))
        at = ("product", trace, key, token, output, layer)
        return self._get(self._models, at, (trace,), compute, f"{slot} product")

    def has(self, traces: Traces) -> bool:
        """Return whether the checkpoints of these runs are here."""
        return bool(self._runs_of(traces))

    def _runs_of(self, traces: Traces) -> list[tuple[str | None, Trace]]:
        """Return (ref, trace) of each run; nothing where one is not on screen or has no checkpoint here."""
        found: list[tuple[str | None, Trace]] = []
        for trace in traces:
            shown = [request.ref for request, one in self._runs.values() if one is trace]
            if not shown:
                return []
            found.append((shown[0], trace))
        return found

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

    def _hold(self, run: Run, traces: Traces) -> None:
        for results in (self._models, self._pictures):
            results.hold(f"{_KIND} {run}", traces)

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        is_own = isinstance(key, tuple) and key[0] == _KIND
        if is_own and not isinstance(self._models.state(key) or self._pictures.state(key), Coming):
            self.arrived.emit()


def _not_here() -> SelectionError:
    message = Message("The checkpoint of this saved run is not here: its parameters cannot be shown.")
    return SelectionError(message, Message("Open the checkpoint."))


def _unlike(key: str) -> SelectionError:
    message = Message("The two checkpoints have no {0} of the same shape: there is no difference.", key)
    return SelectionError(message, Message("Choose run A or run B."))
