"""`Available`: the devices of this computer, and the checkpoints that can be opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source, list_sources, sources_at
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.viewmodels.tasks import Tasks

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
        self._tasks.start("devices", lambda check, _: self._find_devices(), self._on_devices, self._failed)

    def look_for_sources(self) -> None:
        """Find out again which checkpoints can be opened, and which are open in memory."""
        engine, refs = self._engine, self.recent
        self._lister.start(
            "sources", lambda check, _: _sources(engine, refs), self._on_sources, self._on_search_failed
        )

    def _find_devices(self) -> tuple[Device, ...]:
        preload_torch()
        return self._engine.devices()

    def _on_devices(self, devices: tuple[Device, ...]) -> None:
        self.devices = devices
        self.devices_changed.emit()

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
