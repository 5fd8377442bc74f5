"""The checkpoints and devices that there are, and the checkpoint that is being opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source, is_hub_id, list_sources, sources_at
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.types import Check
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.results import FractionDone, Tasks

_Found = tuple[tuple[Source, ...], dict[str, ModelFacts]]


class Available(QObject):
    """Looks on a worker, since torch is loaded for the devices and folders are read for the checkpoints.

    `in_memory`: the checkpoints that are open, by the refs of their sources. `is_searched`: the checkpoints
    of this computer are known, so that one that is not among `sources` is not here.
    """

    devices_changed = Signal()
    sources_changed = Signal()

    def __init__(
        self, engine: Engine, tasks: Tasks, lister: Tasks, failed: Callable[[Exception], None]
    ) -> None:
        """`lister` lists the checkpoints on a worker of its own: a folder on a network may take seconds."""
        super().__init__(tasks)
        self._engine = engine
        self._tasks = tasks
        self._lister = lister
        self._failed = failed
        self.recent: tuple[str, ...] = ()
        self.devices: tuple[Device, ...] = ()
        self.sources: tuple[Source, ...] = ()
        self.in_memory: dict[str, ModelFacts] = {}
        self.is_searched = False

    def set_recent(self, refs: Iterable[str]) -> None:
        """Offer these checkpoints, too, from the next `look_for_sources` on."""
        self.recent = tuple(refs)

    def set_memory(self, gigabytes: int) -> None:
        """Limit the memory of open checkpoints from the next opening on; the least recently used go first."""
        self._engine.memory_limit = gigabytes * 10**9

    def look_for_devices(self) -> None:
        def work(check: Check, progress: FractionDone) -> tuple[Device, ...]:
            preload_torch()
            return self._engine.devices()

        def done(devices: tuple[Device, ...]) -> None:
            self.devices = devices
            self.devices_changed.emit()

        self._tasks.start("devices", work, done, self._failed)

    def look_for_sources(self) -> None:
        """Find out again which checkpoints can be opened, and which are open in memory."""
        engine, refs = self._engine, self.recent
        self._lister.start(
            "sources", lambda check, _: _sources(engine, refs), self._on_sources, self._on_search_failed
        )

    def _on_sources(self, found: _Found) -> None:
        if found != (self.sources, self.in_memory) or not self.is_searched:
            self.sources, self.in_memory = found
            self.is_searched = True
            self.sources_changed.emit()

    def _on_search_failed(self, error: Exception) -> None:
        self.is_searched = True
        self.sources_changed.emit()
        self._failed(error)


def _sources(engine: Engine, refs: tuple[str, ...]) -> _Found:
    """Return what can be opened, at `refs` too, and what is open in memory by the refs of its sources."""
    preload_torch()  # the weights of a notebook's model are measured with torch, and this worker may be first
    listed = list_sources()
    known = {source.ref for source in listed}
    more = [source for source in sources_at(refs) if source.ref not in known]
    return (*listed, *more), engine.opened()


_FETCH, _OPEN = "fetch", "open"
Done = Callable[["Pending", ModelFacts], None]
Failed = Callable[["Pending", Exception], None]


@dataclass(frozen=True)
class Pending:
    """A checkpoint that is being opened; `ref` None: the default one.

    `progress` is from 0 to 1, None while it is not known.
    """

    ref: str | None
    progress: float | None = None


class Opening(QObject):
    """A download takes minutes, so it has a worker of its own: texts are encoded with what is open.

    `changed` is emitted when `pending` or its progress changes.
    """

    changed = Signal()

    def __init__(self, engine: Engine, encoder: Tasks, fetcher: Tasks) -> None:
        super().__init__(encoder)
        self._engine = engine
        self._encoder = encoder
        self._fetcher = fetcher
        self.pending: Pending | None = None
        for tasks in (encoder, fetcher):
            tasks.progressed.connect(self._on_progressed)

    @property
    def is_fetching(self) -> bool:
        """Whether something is fetched; texts can be encoded meanwhile."""
        return self._fetcher.is_busy(_FETCH)

    def start(self, pending: Pending, done: Done, failed: Failed) -> None:
        """Open a checkpoint, and give up one that is being opened; then `done` or `failed`."""
        self.pending = pending
        ref = pending.ref

        def end(error: Exception) -> None:
            self.pending = None
            failed(pending, error)
            self.changed.emit()

        self._fetcher.cancel(_FETCH)
        if ref is None or not is_hub_id(ref.strip()):
            self._open(pending, done, end)
        else:
            self._encoder.cancel(_OPEN)

            def work(check: Check, progress: FractionDone) -> None:
                self._engine.fetch(ref, _fraction(progress), check)

            self._fetcher.start(_FETCH, work, lambda _: self._open(pending, done, end), end)
            self.changed.emit()

    def cancel(self) -> None:
        """Give up what is fetched or opened: neither `done` nor `failed` is called; the one before stays."""
        self.pending = None
        self._fetcher.cancel(_FETCH)
        self._encoder.cancel(_OPEN)
        self.changed.emit()

    def _open(self, pending: Pending, done: Done, failed: Callable[[Exception], None]) -> None:
        def work(check: Check, progress: FractionDone) -> ModelFacts:
            return self._engine.load(pending.ref, _fraction(progress), check)

        def end(facts: ModelFacts) -> None:
            opened, self.pending = self.pending or pending, None
            done(opened, facts)
            self.changed.emit()

        self._encoder.start(_OPEN, work, end, failed)
        self.changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot in (_FETCH, _OPEN) and self.pending is not None:
            self.pending = replace(self.pending, progress=fraction)
            self.changed.emit()


def _fraction(progress: FractionDone) -> Callable[[int, int], None]:
    """Return a function of bytes done and bytes in all that reports their fraction to `progress`."""
    return lambda done, total: progress(done / max(total, 1))
