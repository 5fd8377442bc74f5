"""`Rounding`: how far the weights on screen are from those of float32, where they were made with bfloat16."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.inference.engine import Engine, TraceResult, rounding
from bertviz_app.types import Check
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

_SLOT = "rounding"


class Rounding(QObject):
    """Has the text of run A encoded again in float32, and compares the weights.

    `largest` is the largest difference of a weight, None where it is not known: while it is being measured,
    and where that was given up or failed. `is_here`: whether the checkpoint that it would be measured with is
    on this computer.
    """

    changed = Signal()

    def __init__(self, engine: Engine, tasks: Tasks, failed: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._engine = engine
        self._tasks = tasks
        self._failed = failed
        self._result: TraceResult | None = None
        self.largest: float | None = None
        self.is_here = True

    @property
    def is_low(self) -> bool:
        """Whether what is shown was made with bfloat16."""
        return self._result is not None and self._result.trace.provenance.dtype == "bfloat16"

    @property
    def is_comparing(self) -> bool:
        """Whether the difference is being measured."""
        return self._tasks.is_busy(_SLOT)

    @Slot()
    def pause(self) -> None:
        """Stop comparing: another text is coming."""
        if self.is_comparing:
            self._tasks.cancel(_SLOT)
            self.changed.emit()

    def show(self, result: TraceResult, *, is_here: bool) -> None:
        """Compare `result` with float32 if it has less, and its checkpoint `is_here`."""
        if self._result is result:
            return
        self._tasks.cancel(_SLOT)
        self._result, self.largest, self.is_here = result, None, is_here
        if self.is_low and is_here:

            def measure(check: Check, progress: FractionDone) -> float:
                return rounding(self._engine, result.request, result.trace, check)

            self._tasks.start(_SLOT, measure, self._on_measured, self._on_failed)
        self.changed.emit()

    def _on_measured(self, largest: float) -> None:
        self.largest = largest
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        self.changed.emit()
        self._failed(error)
