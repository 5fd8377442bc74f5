"""`Jobs`: a worker thread that runs the newest request of each kind of work; torch is loaded on one."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import logging
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bertviz_app.errors import Cancelled, Check
from bertviz_app.values import dataclass, field

_log = logging.getLogger(__name__)


def n_processors() -> int:
    """Return how many processors this process may use: fewer than there are, inside a container."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WorkerError(Exception):
    """Work ended by raising what is no `Exception`, such as a panic in a library written in Rust."""


@dataclass(frozen=True)
class JobOutcome:
    """How a job ended: `value` is what it returned, unless `error` is set."""

    value: Any = None
    error: Exception | None = None


@dataclass
class _Job:
    slot: str
    work: Callable[[Check], Any]
    done: Callable[[JobOutcome], None]
    cancelled: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        if self.cancelled.is_set():
            raise Cancelled


class Jobs:
    """Runs submitted work on one thread, in the order in which the slots were filled.

    A slot names a kind of work ("encode", "open"). Submitting to a slot cancels the job that runs or waits
    in it. `done` is called on the worker thread, and never after the job was cancelled: `cancel` waits until
    `done` has returned, so it must be short.
    """

    def __init__(self, name: str) -> None:
        self._waiting: dict[str, _Job] = {}
        self._running: _Job | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the worker thread; jobs may be submitted before."""
        self._thread.start()

    def submit(self, slot: str, work: Callable[[Check], Any], done: Callable[[JobOutcome], None]) -> None:
        """Run `work(check)` on the worker, then `done(outcome)` there."""
        with self._changed:
            self._cancel(slot)
            self._waiting[slot] = _Job(slot, work, done)
            self._changed.notify_all()

    def cancel(self, slot: str) -> None:
        """Drop the job that waits in `slot`, and stop the one that runs there at its next check."""
        with self._changed:
            self._cancel(slot)

    def close(self, timeout: float = 5.0) -> bool:
        """Cancel everything and end the thread; return whether it ended within `timeout` seconds."""
        with self._changed:
            self._closed = True
            for slot in [*self._waiting, *([self._running.slot] if self._running else [])]:
                self._cancel(slot)
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _cancel(self, slot: str) -> None:
        for job in (self._waiting.pop(slot, None), self._running):
            if job is not None and job.slot == slot:
                job.cancelled.set()

    def _run(self) -> None:
        while (job := self._next()) is not None:
            self._do(job)
            del job  # with what it leads to: a trace would stay in memory for as long as this thread waits

    def _do(self, job: _Job) -> None:
        outcome = _outcome(job)
        # Under the lock: otherwise a cancel between the test and the call would come too late.
        with self._changed:
            self._running = None
            if outcome is not None and not job.cancelled.is_set():
                try:
                    job.done(outcome)
                except Exception:  # noqa: BLE001 - a listener that raises, or was deleted, must not end the worker
                    _log.exception("calling back after “%s” failed", job.slot)

    def _next(self) -> _Job | None:
        with self._changed:
            while not (self._waiting or self._closed):
                self._changed.wait()
            if self._closed:
                return None
            self._running = self._waiting.pop(next(iter(self._waiting)))
            return self._running


def _outcome(job: _Job) -> JobOutcome | None:
    """Return how `job` ended, or None if it was cancelled."""
    try:
        return JobOutcome(value=job.work(job.check))
    except Cancelled:
        return None
    except Exception as error:  # noqa: BLE001 - any error is reported on the interface thread
        if job.cancelled.is_set():
            _log.debug("cancelled work failed", exc_info=True)
            return None
        return JobOutcome(error=error)
    except BaseException as error:  # noqa: BLE001 - it would end the thread, and nothing would run again
        wrapped = WorkerError(f"{type(error).__name__}: {error}")
        wrapped.__cause__ = error
        return None if job.cancelled.is_set() else JobOutcome(error=wrapped)


_RTLD_NOW_GLOBAL = 0x2 | 0x100
_LIBRARIES = ("libgomp*.so*", "libc10.so", "libtorch_cpu.so", "libtorch_python.so")
_ONE_BY_ONE = threading.Lock()


def preload_torch() -> None:
    """Import torch, with its libraries opened first by calls that release the interpreter's lock.

    `import torch` loads 400 MB of libraries while it holds the lock, which blocks every other thread; a
    ctypes call releases the lock. Does nothing where torch is imported already. Of several threads one does
    it and the others wait: if two opened libraries at once, the second would wait for the loader of the
    system, and hold the interpreter's lock meanwhile.
    """
    if "torch" in sys.modules:
        return
    with _ONE_BY_ONE:
        if "torch" not in sys.modules:
            _import_torch()


def _import_torch() -> None:
    # Threads that wait in a busy loop would take the processor from the window.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with suppress(ImportError):
        spec = importlib.util.find_spec("torch") if sys.platform == "linux" else None
        if folders := spec.submodule_search_locations if spec else None:
            loader = ctypes.CDLL(None)
            loader.dlopen.restype = ctypes.c_void_p
            loader.dlopen.argtypes = (ctypes.c_char_p, ctypes.c_int)
            for pattern in _LIBRARIES:
                for path in sorted(Path(folders[0], "lib").glob(pattern)):
                    loader.dlopen(os.fsencode(path), _RTLD_NOW_GLOBAL)
        import torch

        torch.set_num_threads(min(torch.get_num_threads(), n_processors()))
        if not gc.isenabled():  # as in the window, which collects itself: looking at all of torch takes 90 ms
            gc.freeze()
