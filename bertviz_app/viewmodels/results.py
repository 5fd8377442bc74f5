"""What the workers compute for a view: the newest request wins, and results come back to the interface.

What is computed of a trace is dropped when no run shows it any more, see `RunsOnScreen`.
"""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import count
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal, Slot

import bertviz_app.trace as traces
from bertviz_app.analysis.compare import Alignment
from bertviz_app.errors import AppError, Cancelled, Check
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.inference.jobs import JobOutcome, Jobs
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.values import dataclass, field, fields, is_dataclass
from bertviz_app.viewmodels.panel import MOST

FractionDone = Callable[[float], None]
"""Tells how much is done, from 0 to 1; may be called on any thread."""


class Tasks(QObject):
    """Hands work to a `Jobs` and calls back on the thread this object lives in.

    A queued call still runs after `disconnect`, so each start draws a ticket, and what arrives with
    an older ticket than the slot's newest is dropped.
    """

    progressed = Signal(str, float)
    busy_changed = Signal(str, bool)
    _arrived = Signal(str, int, object, object, object)
    _advanced = Signal(str, int, float)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._tickets = 0
        self._newest: dict[str, int] = {}
        # Queued whichever thread emits: slots of view models run on this object's thread alone, and `start`
        # has returned before the end of its work is reported, however soon that comes.
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self._advanced.connect(self._on_advanced, Qt.ConnectionType.QueuedConnection)

    def start(
        self,
        slot: str,
        work: Callable[[Check, FractionDone], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Run `work(check, progress)`; then `done(value)` or `failed(error)`, unless a newer one started."""
        was_busy = slot in self._newest
        self._tickets += 1
        ticket = self._newest[slot] = self._tickets
        progress = partial(self._advanced.emit, slot, ticket)
        arrive = partial(self._arrived.emit, slot, ticket, done, failed)
        self._jobs.submit(slot, lambda check: work(check, progress), arrive)
        if not was_busy:
            self.busy_changed.emit(slot, True)

    def cancel(self, slot: str) -> None:
        """Forget what runs in `slot`; neither `done` nor `failed` will be called."""
        if self._newest.pop(slot, None) is not None:
            self._jobs.cancel(slot)
            self.busy_changed.emit(slot, False)

    def close(self) -> None:
        """Report nothing more: what waits for this thread to report it would keep values and listeners alive.

        For when the worker has ended.
        """
        self._newest.clear()
        QCoreApplication.removePostedEvents(self, QEvent.Type.MetaCall.value)

    @property
    def is_any_busy(self) -> bool:
        """Whether anything was started and has not arrived."""
        return bool(self._newest)

    def is_busy(self, slot: str) -> bool:
        """Return whether something was started in `slot` and has not arrived."""
        return slot in self._newest

    @Slot(str, int, float)
    def _on_advanced(self, slot: str, ticket: int, fraction: float) -> None:
        if self._newest.get(slot) == ticket:
            self.progressed.emit(slot, fraction)

    @Slot(str, int, object, object, object)
    def _on_arrived(
        self,
        slot: str,
        ticket: int,
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        outcome: JobOutcome,
    ) -> None:
        if self._newest.get(slot) != ticket:
            return
        # Before the calls: `done` may start the next work of this slot, and must not find the slot busy.
        del self._newest[slot]
        self.busy_changed.emit(slot, False)
        if outcome.error is not None:
            failed(outcome.error)
        else:
            done(outcome.value)


R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

N_BYTES = 256 << 20
"""The memory that cached results may take, in bytes."""

N_LEAST = 48
"""The number of most recently used results that are cached whatever their size.

Views that are on screen together must not evict each other's results: each would have its own computed
again, without end.
"""


@dataclass(frozen=True, eq=False)
class Request(Generic[R_co]):
    """A computation to run on the worker. Requests with equal keys share one cached result.

    `shows_error` is true where the views write an AppError in the place of the result; otherwise it is
    reported with the unexpected errors.
    """

    key: Hashable
    traces: tuple[traces.Trace, ...]
    compute: Callable[[Check, FractionDone], R_co]
    shows_error: bool = True


@dataclass(frozen=True, eq=False)
class Ready(Generic[R_co]):
    """The result is there."""

    value: R_co


@dataclass(frozen=True)
class Coming:
    """The result is being computed, or waits for the worker. `progress` is from 0 to 1, None if unknown."""

    progress: float | None = None


@dataclass(frozen=True, eq=False)
class Failed:
    """There is no result. `error` is a `Cancelled` after `Results.cancel`."""

    error: Exception


@dataclass(eq=False)
class _Running:
    request: Request[Any]
    task: str
    slots: set[str]
    state: Coming = field(default_factory=Coming)


class Results(QObject):
    """Computes on one worker and caches the results, least recently used first to go.

    A slot names who waits, such as a panel: a slot waits for one result, and its newest request supersedes
    the one before. Slots that request the same key share one computation, which ends when none waits.

    A failure is an answer like a result, so that drawing again does not compute again. It is forgotten when
    no slot waits for it any more, and computed anew where the request says `again`.

    All methods are for the interface thread. `Tasks` compares tickets there, so nothing arrives that was
    superseded or cancelled, even if the worker had already finished it.

    `tasks`: those of the worker. `changed(key)` is emitted on progress and when a result or a failure is
    there; `failed` is called with errors that no view shows.
    """

    changed = Signal(object)

    def __init__(
        self,
        tasks: Tasks,
        failed: Callable[[Exception], None] = lambda _: None,
        *,
        n_bytes: int = N_BYTES,
        n_least: int = N_LEAST,
    ) -> None:
        super().__init__(tasks)
        self.tasks, self._failed = tasks, failed
        self._limits = n_bytes, n_least
        self._cached: OrderedDict[Hashable, tuple[Request[Any], Any]] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}
        self._running: dict[Hashable, _Running] = {}
        self._errors: dict[Hashable, tuple[Request[Any], Exception]] = {}
        self._slots: dict[str, Hashable] = {}
        self._held: dict[str, frozenset[traces.Trace]] = {}
        tasks.progressed.connect(self._on_progressed)

    def get(self, request: Request[R], slot: str, *, again: bool = False) -> Ready[R] | Coming | Failed:
        """Return the result, or start to compute it for `slot`; with `again` also if it failed before."""
        key = request.key
        if self._slots.get(slot, key) != key:
            self.release(slot)
        self._slots[slot] = key
        if key in self._cached:
            self._cached.move_to_end(key)
            return Ready(self._cached[key][1])
        if key in self._running:
            self._running[key].slots.add(slot)
            return self._running[key].state
        if key in self._errors and not again:
            return Failed(self._errors[key][1])
        self._errors.pop(key, None)
        # Named after the slot, unless another slot still waits for what this one started before.
        tasks = {running.task for running in self._running.values()}
        task = next(name for n in count() if (name := f"{slot} {n}" if n else slot) not in tasks)
        started = self._running[key] = _Running(request, task, {slot})

        def work(check: Check, progress: FractionDone) -> tuple[R, int]:
            value = request.compute(check, progress)
            return value, size_of(value)  # on the worker: a result may have a thousand parts

        def done(found: tuple[R, int]) -> None:
            del self._running[key]
            self.put(request, *found)
            self.changed.emit(key)

        def failed(error: Exception) -> None:
            del self._running[key]
            self._errors[key] = request, error
            if not (isinstance(error, AppError) and request.shows_error):
                self._failed(error)
            link: BaseException | None = error
            while link is not None:  # the frames of a traceback hold what the work computed with
                link.__traceback__, link = None, link.__cause__ or link.__context__
            self.changed.emit(key)

        self.tasks.start(task, work, done, failed)
        return started.state

    def state(self, key: Hashable) -> Ready[Any] | Coming | Failed | None:
        """Return how a request stands without starting it; None: it was not made, or was forgotten."""
        if key in self._cached:
            return Ready(self._cached[key][1])
        if key in self._running:
            return self._running[key].state
        return Failed(self._errors[key][1]) if key in self._errors else None

    def put(self, request: Request[R], value: R, n_bytes: int | None = None) -> None:
        """Cache a result that was computed elsewhere; `n_bytes` is its size, where that is known."""
        self._cached[request.key] = request, value
        self._cached.move_to_end(request.key)
        self._sizes[request.key] = size_of(value) if n_bytes is None else n_bytes
        self._evict()

    def cache_at_least(self, n_results: int) -> None:
        """Keep at least the `n_results` most recently used results from now on, whatever their size."""
        self._limits = self._limits[0], n_results
        self._evict()

    def is_coming(self, slot: str) -> bool:
        """Return whether a slot waits for a result that is being computed."""
        return self._slots.get(slot) in self._running

    def cancel(self, slot: str) -> None:
        """Stop computing what a slot waits for, for everybody who waits for it."""
        key = self._slots.get(slot)
        if (running := self._running.pop(key, None)) is not None:
            self.tasks.cancel(running.task)
            # A failure, and not nothing: the next drawing of the view would otherwise begin it anew.
            self._errors[key] = running.request, Cancelled()
            self.changed.emit(key)

    def release(self, slot: str) -> None:
        """Note that a slot waits for nothing any more; what nobody waits for is not computed."""
        if (key := self._slots.pop(slot, None)) is None:
            return
        if (running := self._running.get(key)) is not None:
            running.slots.discard(slot)
            if not running.slots:
                del self._running[key]
                self.tasks.cancel(running.task)
        if key not in self._slots.values():
            self._errors.pop(key, None)

    def hold(self, owner: str, traces: tuple[traces.Trace, ...]) -> None:
        """Note which traces `owner` shows now; results of those that nobody shows any more are dropped."""
        before = self._held.get(owner, frozenset())
        self._held[owner] = frozenset(traces)
        for trace in before.difference(*self._held.values()):
            self.drop(trace)

    def drop(self, trace: traces.Trace) -> None:
        """Forget all results of a trace, and stop computing those that are on their way."""
        known = [request for request, _ in (*self._cached.values(), *self._errors.values())]
        known += [running.request for running in self._running.values()]
        gone = {request.key for request in known if trace in request.traces}
        for slot in [slot for slot, key in self._slots.items() if key in gone]:
            self.release(slot)
        for key in gone & self._cached.keys():
            self._forget(key)

    @Slot(str, float)
    def _on_progressed(self, task: str, progress: float) -> None:
        for key, running in list(self._running.items()):
            if running.task == task:
                running.state = Coming(progress)
                self.changed.emit(key)

    def _evict(self) -> None:
        n_bytes, n_least = self._limits
        while len(self._cached) > n_least and sum(self._sizes.values()) > n_bytes:
            self._forget(next(iter(self._cached)))

    def _forget(self, key: Hashable) -> None:
        del self._cached[key]
        del self._sizes[key]


@dataclass(frozen=True, eq=False)
class OnScreen:
    """The trace that `run` shows, and the request that it answers. `is_here`: its checkpoint is at hand."""

    run: Run
    request: TraceRequest
    trace: traces.Trace
    is_here: bool = True


class RunsOnScreen:
    """The traces that runs A and B show: whatever computes more of them reads here which these are."""

    def __init__(self, *caches: Results) -> None:
        """Drop from the `caches` what was computed of a trace as soon as no run shows it."""
        self._caches = caches
        self._runs: dict[Run, OnScreen] = {}
        self._compared: tuple[tuple[traces.Trace, traces.Trace], Alignment] | None = None

    def show(self, run: Run, request: TraceRequest, trace: traces.Trace, *, is_here: bool = True) -> None:
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

    def compare(self, traces: tuple[traces.Trace, traces.Trace], alignment: Alignment) -> None:
        """From now on the difference of these traces, run A's first, is shown."""
        self._compared = traces, alignment

    @property
    def compared(self) -> tuple[tuple[traces.Trace, traces.Trace], Alignment] | None:
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

    def with_checkpoint(self, trace: traces.Trace) -> OnScreen | None:
        """Return the run that shows a trace, None where none does, or its checkpoint is not at hand."""
        return next((one for one in self if one.trace is trace and one.is_here), None)


class Latest(QObject, Generic[R]):
    """The newest answer to what one slot of `results` requests.

    `value` answers `request`, and stays while a newer request is computed; both are None before the first
    answer. `problem`: why the newest request has no answer. `changed`: one of these is another.
    """

    changed = Signal()

    def __init__(self, results: Results, slot: str, parent: QObject | None = None) -> None:
        super().__init__(parent or results)
        self._results, self._slot = results, slot
        self._requested: Request[R] | None = None
        self.request: Request[R] | None = None
        self.value: R | None = None
        self.problem: AppError | None = None
        results.changed.connect(self._on_result)

    @property
    def is_coming(self) -> bool:
        """Whether a newer answer is being computed."""
        return self._results.is_coming(self._slot)

    def is_requested(self, request: Request[Any]) -> bool:
        """Return whether this is what was requested last."""
        return self._requested is not None and request.key == self._requested.key

    def ask(self, request: Request[R]) -> None:
        """Request something, be it once more what failed."""
        if not self.is_requested(request):
            self.problem = None
        self._requested = request
        self._results.hold(self._slot, request.traces)
        self._results.get(request, self._slot, again=True)
        self._on_result(request.key)

    def forget(self) -> None:
        """Request nothing, and have no answer."""
        if self._requested is None:
            return
        self._results.release(self._slot)
        self._results.hold(self._slot, ())
        self._requested = None
        self._become(None, None, None)

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        requested = self._requested
        if requested is None or key != requested.key:
            return
        state = self._results.state(key)
        if isinstance(state, Ready):
            self._become(requested, state.value, None)
        elif isinstance(state, Failed) and isinstance(state.error, AppError):
            self._become(self.request, self.value, state.error)
        elif isinstance(state, Failed) and not isinstance(state.error, Cancelled):
            self._become(None, None, None)  # it is reported, and what was there before answers nothing

    def _become(self, request: Request[R] | None, value: R | None, problem: AppError | None) -> None:
        is_other = value is not self.value or problem is not self.problem
        self.request, self.value, self.problem = request, value, problem
        if is_other:
            self.changed.emit()


def size_of(value: object) -> int:
    """Return the memory of the arrays in a result, in bytes; a trace is not counted, it is shared."""
    n_bytes = getattr(value, "n_bytes", None)
    if isinstance(value, traces.Trace):
        return 0
    if isinstance(n_bytes, int):
        return n_bytes
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple | list):
        return sum(map(size_of, value))
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    if is_dataclass(value):
        return sum(size_of(getattr(value, part.name)) for part in fields(value))
    return 0


_LAYERS, _VECTORS = 128 << 20, 192 << 20
"""Bytes of layer details and of pictures of vectors that are cached, beside what the panels show."""

_log = logging.getLogger(__name__)


class Workers(QObject):
    """One thread each: encoder, analyses, pictures, downloads, overviews of long texts, lists of checkpoints.

    A click on a head must not wait for a forward pass that is under way, nor that for a download or a
    folder. A text that is typed is encoded between two forward passes of an analysis: the engine sees to
    their order.
    """

    def __init__(self, failed: Callable[[Exception], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.failed = failed
        threads = tuple(map(Jobs, ("encoder", "analyses", "pictures", "downloads", "overviews", "listings")))
        tasks = [Tasks(jobs, self) for jobs in threads]
        self._all = tuple(zip(threads, tasks, strict=True))
        self.encoder, self.analyses, self.pictures, self.downloads, self.overviews, self.listings = tasks
        # What is large has a store of its own, so that small results, many of them recent, do not evict it.
        self.layers = Results(self.analyses, failed, n_bytes=_LAYERS, n_least=MOST)
        self.analysed = Results(self.analyses, failed)
        self.heads = Results(self.pictures, failed)
        self.vectors = Results(self.pictures, failed, n_bytes=_VECTORS, n_least=MOST)

    def start(self) -> None:
        """Start the threads; what was requested before is done now."""
        for jobs, _ in self._all:
            jobs.start()

    def close(self) -> None:
        """Cancel what they still do, and end the threads."""
        for jobs, tasks in self._all:
            if not jobs.close():
                _log.debug("a worker did not end in time")
            tasks.close()


Outcome = Literal["none", "running", "passed", "failed", "unavailable"]


@dataclass(frozen=True)
class CheckRow:
    """One check: its name, the difference that was measured, and the largest one that rounding explains."""

    name: str
    value: float
    limit: float

    @property
    def is_passed(self) -> bool:
        """Whether the difference is explained by rounding; one that is no number is not."""
        return self.value <= self.limit


@dataclass(frozen=True)
class TestState:
    """`outcome`, the `rows` of the checks once they are done, and why there are none (`reason`)."""

    outcome: Outcome = "none"
    rows: tuple[CheckRow, ...] = ()
    reason: AppError | None = None

    @property
    def worst(self) -> CheckRow | None:
        """The check that is farthest off, measured by its limit; None before there are any."""
        off = (row.value / row.limit for row in self.rows)
        by = [math.inf if math.isnan(share) else share for share in off]
        return self.rows[by.index(max(by))] if by else None
