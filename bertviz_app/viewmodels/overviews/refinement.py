"""`Refinement`: has the overviews of long texts computed a layer at a time, visible layers first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.types import Check
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

_SLOT = "refine"


class ShowsRun(Protocol):
    """Who owns what is shown of a run: the workspace of run A, the comparison of run B."""

    shown: Shown | None

    @property
    def shown_changed(self) -> Any:
        """The signal that another result is shown."""


class Refinement(QObject):
    """Computes what the overviews of the runs that are shown still lack, see `Shown.layered`.

    Texts and pictures come first: while a worker of `before` is busy, nothing is computed here, and when all
    are idle it goes on where it was. `changed`: an overview has a further layer, or the work was stopped;
    `failed(error)`: it cannot be done.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(
        self, tasks: Tasks, before: Sequence[Tasks], runs: Mapping[str, ShowsRun], panels: Panels
    ) -> None:
        super().__init__(tasks)
        self._tasks, self._before, self._runs, self._panels = tasks, tuple(before), runs, panels
        self._working_on: tuple[Shown, int] | None = None
        self._stopped: frozenset[Shown] = frozenset()
        for run in runs.values():
            run.shown_changed.connect(self._update)
        for worker in before:
            worker.busy_changed.connect(self._update)
        panels.changed.connect(self._update)
        self._update()

    @property
    def is_stopped(self) -> bool:
        """Whether the user stopped the work on what is shown."""
        return any(run.shown in self._stopped for run in self._runs.values())

    @property
    def is_complete(self) -> bool:
        """Whether all overviews that are shown are of all queries."""
        return not any(_lacks(run.shown) for run in self._runs.values())

    def stop(self) -> None:
        """Leave the overviews that are shown as they are."""
        self._stopped = frozenset(run.shown for run in self._runs.values() if run.shown is not None)
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
        is_waiting = self.is_stopped or any(worker.is_any_busy for worker in self._before)
        target = None if is_waiting else self._next()
        if target is not None and target == self._working_on:
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

            self._tasks.start(_SLOT, work, lambda overview: self._on_computed(shown, overview), self._fail)

    def _next(self) -> tuple[Shown, int] | None:
        active = self._panels.active
        runs = sorted(self._runs, key=lambda run: active is None or run != active.run)
        for run in runs:
            shown = self._runs[run].shown
            if shown is not None and shown.layered is not None and _lacks(shown):
                others = (panel.layer for panel in self._panels.panels)
                looked_at = others if active is None else (active.layer, *others)
                return shown, order_of_work(shown.layered.missing or (0,), looked_at)[0]
        return None

    def _on_computed(self, shown: Shown, overview: HeadOverview) -> None:
        self._working_on = None
        for run in self._runs.values():
            if run.shown is not None and run.shown.layered is shown.layered:
                run.shown = _refined(run.shown, overview)
                # Only the last layer changes what other numbers are made of, the sinks: to emit this for each
                # layer would have everything derived from the run computed anew as often.
                if overview.sample is None:
                    run.shown_changed.emit()
        self.changed.emit()
        self._update()

    def _fail(self, error: Exception) -> None:
        """Leave the overviews as they are: the same error would come again."""
        self.stop()
        self.failed.emit(error)


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


def _refined(shown: Shown, overview: HeadOverview) -> Shown:
    """Return `shown` with another overview; the sinks are known once all layers are."""
    if overview.sample is not None:
        return replace(shown, overview=overview)
    numbers = replace(shown.numbers, sinks=overview.sinks)
    return replace(shown, overview=overview, numbers=numbers, pictures=())
