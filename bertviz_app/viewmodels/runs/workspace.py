"""The checkpoint that is open, the texts, and how they become a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source, is_hub_id, list_sources, sources_at
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.types import Check
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.runs.run import EncodedRun
from bertviz_app.viewmodels.runs.shown import DrawnHeads, Problem, SavedResult, Shown, field_of

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


_FETCH, _OPEN = "fetch", "open"
Done = Callable[["Pending", ModelFacts], None]
Failed = Callable[["Pending", Exception], None]


@dataclass(frozen=True)
class Pending:
    """A checkpoint that is being opened (`ref` None: the default one), to be edited so; None: as it is.

    `progress` is from 0 to 1, None while it is not known.
    """

    ref: str | None
    edits: Edits | None = None
    progress: float | None = None


class Opening(QObject):
    """A download takes minutes, so it has a worker of its own: texts are encoded with what is open.

    `changed` is emitted when `pending`, its progress or `is_busy` changes.
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
            tasks.busy_changed.connect(self._on_busy_changed)

    @property
    def is_busy(self) -> bool:
        """Whether something is opened or fetched."""
        return self.is_fetching or self._encoder.is_busy(_OPEN)

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

    def leave_tokens(self) -> None:
        """Make no edits of tokens to it: another text is typed meanwhile, which has other tokens."""
        if self.pending is not None and self.pending.edits is not None:
            self.pending = replace(self.pending, edits=self.pending.edits.without_tokens())

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

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot in (_FETCH, _OPEN) and self.pending is not None:
            self.pending = replace(self.pending, progress=fraction)
            self.changed.emit()

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        if slot in (_FETCH, _OPEN):
            self.changed.emit()


def _fraction(progress: FractionDone) -> Callable[[int, int], None]:
    """Return a function of bytes done and bytes in all that reports their fraction to `progress`."""
    return lambda done, total: progress(done / max(total, 1))


class Workspace(EncodedRun):
    """Run A: it has the device, opens checkpoints by itself, and may be read from a file.

    Signals say that something changed; the state is read from the properties. `cleared`: the text was
    deleted, which is no mistake: the window shows its start page, and the last result stays.
    """

    facts_changed = Signal()
    device_changed = Signal()
    texts_changed = Signal()
    edits_changed = Signal()
    activity_changed = Signal()
    cleared = Signal()

    edits: Edits = NO_EDITS
    saved: SavedResult | None = None

    def __init__(
        self,
        engine: Engine,
        tasks: Tasks,
        fetcher: Tasks | None = None,
        lister: Tasks | None = None,
        drawn: Callable[[], DrawnHeads] = DrawnHeads,
    ) -> None:
        """`fetcher` downloads and `lister` lists checkpoints, each on a worker of its own.

        `drawn` returns what panels draw just now.
        """
        super().__init__(engine, tasks, "A", drawn)
        self.opening = Opening(engine, tasks, fetcher or tasks)
        for activity in (self.opening.changed, self.encoding.busy_changed, self.encoding.progressed):
            activity.connect(self.activity_changed)
        for signal in (self.texts_changed, self.facts_changed, self.edits_changed):
            signal.connect(self.changed)
        self.text = ""
        self.pair: str | None = None
        self.device = "auto"
        self.facts: ModelFacts | None = None
        self.available = Available(engine, tasks, lister or tasks, self.failed.emit)
        self._ref: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether what is shown belongs to the text, the checkpoint and the device that are requested."""
        if self.shown is None:
            return False
        return self.shown.result is self.saved or self.shown.result.request == self.request

    @property
    def request(self) -> TraceRequest | None:
        if self.facts is None:
            return None
        return TraceRequest(self._ref, self.device, self.text, self.pair, self.edits)

    @property
    def checkpoint(self) -> str:
        return "" if self.facts is None else self.facts.fingerprint or self.facts.name

    @property
    def texts(self) -> tuple[str, str | None]:
        return self.text, self.pair

    @property
    def is_blank(self) -> bool:
        """Whether there is no text to encode."""
        return self.saved is None and not self.text.strip() and self.pair is None

    @property
    def ref(self) -> str | None:
        """The requested checkpoint, None for the default one: the one being opened, or else in use."""
        pending = self.opening.pending
        return self._ref if pending is None else pending.ref

    @property
    def is_busy(self) -> bool:
        """Whether a checkpoint is being opened or a text encoded, or is about to be."""
        return self.encoding.is_busy or self.opening.is_busy

    def open_model(self, ref: str | None, edits: Edits | None = None) -> None:
        """Open another checkpoint (None: the default one); the old one stays until it is there."""
        self.opening.start(Pending(ref, edits), self._on_opened, self._on_open_failed)

    def set_device(self, name: str) -> None:
        """Encode on another device from now on; what was read from a file stays as it is."""
        self.device = name
        self.device_changed.emit()
        if self.saved is None:
            self._encode()

    def set_texts(self, text: str, pair: str | None = None, *, at_once: bool = False) -> None:
        if (text, pair) == (self.text, self.pair):
            return
        self.text, self.pair = text, pair
        # An edited token is named by its position, which is another token's in another text.
        self._keep_edits(self.edits.without_tokens())
        self.opening.leave_tokens()
        if self.problem is not None and self.problem.is_of_opening:
            self._set_problem(None)
        self.texts_changed.emit()
        self.encoding.schedule(at_once=at_once)

    def set_edits(self, edits: Edits) -> None:
        if edits != self.edits:
            self._keep_edits(edits)
            self._encode()

    def _keep_edits(self, edits: Edits) -> None:
        if edits != self.edits:
            self.edits = edits
            self.edits_changed.emit()

    def show_saved(self, saved: SavedResult) -> None:
        """Show what was read from a file, with its texts, until something is encoded."""
        self.encoding.unschedule()
        self.saved = saved
        self.text, self.pair = saved.request.text, saved.request.pair
        self._set_problem(None)
        self.texts_changed.emit()
        self._keep_edits(saved.request.edits)
        self.encoding.prepare(saved, self._on_encoded, self._on_encode_failed)

    def _prepare(self, shown: Shown) -> None:
        self.encoding.prepare(shown.result, self._on_encoded, self._on_encode_failed)

    def leave_saved(self, edits: Edits = NO_EDITS) -> None:
        """Encode the texts of what was read from a file with the checkpoint in use, and with these edits."""
        self.saved = None
        self._keep_edits(edits)
        self._encode()

    @Slot()
    def _encode(self) -> None:
        self.encoding.unschedule()
        request = self.request
        if request is None:
            return
        self.saved = None
        if self.is_blank:
            self.encoding.cancel()
            if self.problem is not None and self.problem.field in ("text", "pair"):
                self._set_problem(None)
            self.cleared.emit()
            return
        self.encoding.encode(request, self._on_encoded, self._on_encode_failed)

    def _on_encoded(self, shown: Shown) -> None:
        self.shown = shown
        if self.problem is not None and not self.problem.is_of_opening:
            self._set_problem(None)
        self.shown_changed.emit()

    def _on_encode_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            # An edit that cannot be made is taken back: each further request would be refused for it, too.
            before = _edits_before(self.shown, self.request)
            if before is not None:
                self._keep_edits(before)
                self.activity_changed.emit()  # what is shown belongs to what is requested again
            self._set_problem(Problem(field_of(error), error))
        else:
            self.failed.emit(error)

    def _on_opened(self, opened: Pending, facts: ModelFacts) -> None:
        # Those of what was read from a file name the heads of its own checkpoint, wherever that is.
        is_other = self.saved is not None or (self.facts is not None and opened.ref != self._ref)
        if opened.edits is not None or is_other:
            self._keep_edits(opened.edits or NO_EDITS)
        self._ref, self.facts = opened.ref, facts
        self._set_problem(None)
        self.facts_changed.emit()
        self._encode()
        self.available.look_for_sources()

    def _on_open_failed(self, pending: Pending, error: Exception) -> None:
        if isinstance(error, AppError):
            self._set_problem(Problem("model", error, is_of_opening=True, ref=pending.ref))
        else:
            self.failed.emit(error)


def _edits_before(shown: Shown | None, request: TraceRequest | None) -> Edits | None:
    """Return the edits of what is shown if `request`, which failed, differs from it in nothing else."""
    if shown is None or request is None:
        return None
    edits = shown.result.request.edits
    return edits if replace(request, edits=edits) == shown.result.request else None
