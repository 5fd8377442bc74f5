"""`RunsOnScreen`: the traces that are shown, for whoever computes more of them."""

from __future__ import annotations

from collections.abc import Iterator

from bertviz_app.analysis.compare import Alignment
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.results import Results


@dataclass(frozen=True, eq=False)
class OnScreen:
    """The trace that `run` shows, and the request that it answers. `is_here`: its checkpoint is at hand."""

    run: Run
    request: TraceRequest
    trace: Trace
    is_here: bool = True


class RunsOnScreen:
    """The traces that runs A and B show: whatever computes more of them reads here which these are."""

    def __init__(self, *caches: Results) -> None:
        """Drop from the `caches` what was computed of a trace as soon as no run shows it."""
        self._caches = caches
        self._runs: dict[Run, OnScreen] = {}
        self._compared: tuple[tuple[Trace, Trace], Alignment] | None = None

    def show(self, run: Run, request: TraceRequest, trace: Trace, *, is_here: bool = True) -> None:
        """From now on `run` shows `trace`, the answer to `request`."""
        self._runs[run] = OnScreen(run, request, trace, is_here)
        for cache in self._caches:
            cache.hold(f"run {run}", (trace,))

    def drop(self, run: Run) -> None:
        """There is no such run any more."""
        self._compared = None
        if self._runs.pop(run, None) is not None:
            for cache in self._caches:
                cache.hold(f"run {run}", ())

    def compare(self, traces: tuple[Trace, Trace], alignment: Alignment) -> None:
        """From now on the difference of these traces, run A's first, is shown."""
        self._compared = traces, alignment

    @property
    def compared(self) -> tuple[tuple[Trace, Trace], Alignment] | None:
        """The traces of A and B whose difference is shown, with their alignment; None where there is none.

        None, too, while run A is another one already, and run B is still to be encoded beside it.
        """
        shown = tuple(self._runs[run].trace for run in ENCODED_RUNS if run in self._runs)
        return None if self._compared is None or self._compared[0] != shown else self._compared

    def get(self, run: Run) -> OnScreen | None:
        """Return what a run shows, None where there is no such run."""
        return self._runs.get(run)

    def __iter__(self) -> Iterator[OnScreen]:
        """Iterate over what the runs show."""
        return iter(self._runs.values())

    def with_checkpoint(self, trace: Trace) -> OnScreen | None:
        """Return the run that shows a trace, None where none does, or its checkpoint is not at hand."""
        return next((one for one in self if one.trace is trace and one.is_here), None)
