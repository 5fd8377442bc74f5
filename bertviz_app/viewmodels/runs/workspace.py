"""The runs A and B as what is requested and shown of them, and run A: the text that is typed.

`settled` is what a result of run A changes in the state of the window.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source, is_hub_id, list_sources, sources_at
from bertviz_app.errors import AppError, Check
from bertviz_app.inference.engine import Engine, TraceRequest, TraceResult
from bertviz_app.inference.jobs import preload_torch
from bertviz_app.inference.opened_checkpoint import Device, device_name, dtype_of
from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.timers import OneShot
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.runs.run import (
    DrawnHeads,
    Problem,
    SavedResult,
    Shown,
    field_of,
    pair_in,
    written,
)
from bertviz_app.viewmodels.state import NOTHING, OtherRun, Store, Texts, WindowState

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
        self._engine, self._tasks, self._lister, self._failed = engine, tasks, lister, failed
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
        refs = self.recent

        def work(check: Check, progress: FractionDone) -> _Found:
            preload_torch()  # a notebook's model is measured with torch, and this worker may be first
            listed = list_sources()
            known = {source.ref for source in listed}
            more = [source for source in sources_at(refs) if source.ref not in known]
            return (*listed, *more), self._engine.opened()

        def done(found: _Found) -> None:
            if found != (self.sources, self.in_memory) or not self.is_searched:
                self.sources, self.in_memory = found
                self.is_searched = True
                self.sources_changed.emit()

        def failed(error: Exception) -> None:
            self.is_searched = True
            self.sources_changed.emit()
            self._failed(error)

        self._lister.start("sources", work, done, failed)


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
        self._engine, self._encoder, self._fetcher = engine, encoder, fetcher
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


DEBOUNCE_MS = 70
"""The longest wait for the next key before a text is encoded."""
_SHORT_MS = 20
"""After a pass that is no longer than this there is no wait for the next key."""
_REPEAT_MS = 33
"""A key that is held down repeats so often."""
PATIENCE = 1.0
"""After so many seconds it is shown how much of a text is encoded."""

_OF_PASS = 0.9
"""The share of the layers in that; the rest is the first overview."""

_LONGEST_WAIT = 5
"""So many of these waits at most: who types without a pause, or holds a key down, sees results meanwhile."""


def wait_after(seconds: float) -> int:
    """Return how many milliseconds to wait for the next key where the last pass took `seconds`.

    A pass that takes longer than a key needs to be repeated is waited for as long as it takes: with a shorter
    wait each repetition would start a pass that the next one ends.
    """
    taken = 1000 * seconds
    return round(min(DEBOUNCE_MS, taken if taken > _REPEAT_MS else max(0.0, taken - _SHORT_MS)))


_Made = TypeVar("_Made")
_Done = Callable[[Shown], None]
_Failed = Callable[[Exception], None]


class Encoding(QObject):
    """The work of one run in its `slot` of a worker.

    `due` is emitted when what was scheduled is to be started, `busy_changed` when work begins or ends,
    `progressed` with how much of it is done, from 0 to 1. `progress` is the newest such number, None until
    there is one: for a text after PATIENCE. `is_given_up`: the user cancelled what was requested last.
    """

    busy_changed = Signal()
    progressed = Signal(float)

    def __init__(
        self, engine: Engine, tasks: Tasks, slot: str, drawn: Callable[[], DrawnHeads] = DrawnHeads
    ) -> None:
        """`drawn` returns what panels draw just now."""
        super().__init__(tasks)
        self._engine, self._tasks, self._slot, self.drawn = engine, tasks, slot, drawn
        self._timer = QTimer(self, singleShot=True)
        self.due = self._timer.timeout
        self._last_pass = math.inf  # seconds; unknown until there was one
        self._waiting = QElapsedTimer()
        self._late = OneShot(self, self._on_late)
        self.progress: float | None = None
        self.is_given_up = False
        tasks.busy_changed.connect(self._on_busy_changed)
        tasks.progressed.connect(self._on_progressed)

    @property
    def is_busy(self) -> bool:
        """Whether something is encoded, or is about to be."""
        return self._timer.isActive() or self.is_running

    @property
    def is_running(self) -> bool:
        """Whether something is encoded; `busy_changed` is emitted whenever this changes."""
        return self._tasks.is_busy(self._slot)

    def schedule(self, *, at_once: bool) -> None:
        """Emit `due` in the next turn of the event loop, or after a pause in typing if one comes soon.

        The pause follows the last pass: where that was short every letter is encoded.
        """
        self.progress = None
        if not self._timer.isActive():
            self._waiting.start()
        wait = 0 if at_once else wait_after(self._last_pass)
        left = _LONGEST_WAIT * wait - self._waiting.elapsed()
        self._timer.start(max(0, min(wait, left)))

    def encode(self, request: TraceRequest, done: _Done, failed: _Failed) -> None:
        """Encode the text of `request`; then `done` or `failed`."""
        from bertviz_app.viewmodels.runs.shown import prepared

        def work(check: Check, progress: FractionDone, drawn: DrawnHeads) -> Shown:
            started = time.monotonic()

            def report(done: int, total: int) -> None:
                if time.monotonic() - started >= PATIENCE:
                    progress(_OF_PASS * done / total)

            return prepared(self._engine, self._engine.trace(request, check, report), drawn, check)

        def encoded(shown: Shown) -> None:
            self._last_pass = shown.result.seconds
            done(shown)

        self.start(work, encoded, failed)
        self._late.start(round(1000 * PATIENCE))

    def prepare(self, result: TraceResult, done: _Done, failed: _Failed) -> None:
        """Prepare a result that is there already for the views; then `done` or `failed`."""
        from bertviz_app.viewmodels.runs.shown import prepared

        self.start(lambda check, _, drawn: prepared(self._engine, result, drawn, check), done, failed)

    def start(
        self,
        work: Callable[[Check, FractionDone, DrawnHeads], _Made],
        done: Callable[[_Made], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Run `work(check, progress, drawn)` on the worker; then `done(value)` or `failed(error)`."""
        drawn = self.drawn()  # read here: panels and options change on this thread while the worker works
        self._timer.stop()
        self._late.stop()
        self.progress, self.is_given_up = None, False
        self._tasks.start(self._slot, lambda check, progress: work(check, progress, drawn), done, failed)

    def cancel(self) -> None:
        """Forget what is scheduled and what runs."""
        self._timer.stop()
        self.is_given_up = False
        self._tasks.cancel(self._slot)

    @Slot()
    def give_up(self) -> None:
        """Cancel what runs, at the user's request."""
        if self.is_busy:
            self.cancel()
            self.is_given_up = True
            self.busy_changed.emit()

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        if slot == self._slot:
            self._late.stop()
            self.busy_changed.emit()

    @Slot()
    def _on_late(self) -> None:
        """Report that nothing is done yet: the first layer of a long text takes long, too."""
        if self.progress is None:
            self.progress = 0.0
            self.progressed.emit(0.0)

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == self._slot:
            self.progress = fraction
            self.progressed.emit(fraction)


_SLOTS: dict[Run, str] = {"A": "encode", "B": "encode B"}


class EncodedRun(QObject):
    """Run A or B: what is requested of it, and the last good answer, which is `shown`.

    `changed`: something else is requested, or work on it begins or ends; `shown_changed`: another answer, or
    none, is shown; `problem_changed`: what is requested cannot be had, or can again. What is special about A
    is in `Workspace`, about B in `Comparison`.
    """

    changed = Signal()
    shown_changed = Signal()
    problem_changed = Signal()

    def __init__(self, engine: Engine, encoder: Tasks, name: Run, drawn: Callable[[], DrawnHeads]) -> None:
        """`drawn` returns what panels draw just now."""
        super().__init__(encoder)
        self.store: Store
        self._engine, self.name = engine, name
        self.shown: Shown | None = None
        self.problem: Problem | None = None
        self.encoding = Encoding(engine, encoder, _SLOTS[name], drawn)
        self.encoding.due.connect(self._encode)
        self.encoding.busy_changed.connect(self.changed)

    @property
    def request(self) -> TraceRequest | None:
        """What is to be encoded, None while there is nothing."""
        raise NotImplementedError

    @property
    def edits(self) -> Edits:
        """The requested ones."""
        raise NotImplementedError

    @property
    def checkpoint(self) -> str:
        """What tells the checkpoint from others, "" while there is none."""
        raise NotImplementedError

    @property
    def texts(self) -> Texts:
        """The requested text and pair."""
        raise NotImplementedError

    @property
    def saved(self) -> SavedResult | None:
        """What run A shows of a file."""
        raise NotImplementedError

    @property
    def is_current(self) -> bool:
        """Whether what is shown is what is requested."""
        raise NotImplementedError

    @property
    def is_busy(self) -> bool:
        """Whether the run is being encoded, or is about to be."""
        return self.encoding.is_busy

    def set_texts(self, text: str, pair: str | None = None, *, at_once: bool = False) -> None:
        """Encode another text, or pair, as soon as the typing pauses."""
        raise NotImplementedError

    def open_model(self, ref: str | None, edits: Edits | None = None) -> None:
        """Encode with another checkpoint, edited so; None: as it is, since its heads are others."""
        raise NotImplementedError

    def set_edits(self, edits: Edits) -> None:
        """Make these edits, and no others."""
        raise NotImplementedError

    @property
    def is_editable(self) -> bool:
        """Whether anything can be edited: a saved trace cannot be computed again."""
        return self.shown is not None and self.saved is None

    @property
    def tokens(self) -> Tokens | None:
        """The tokens that are shown, as they are read."""
        return None if self.shown is None else self.shown.result.trace.tokens

    def prepare_as(self, stamp: Stamp) -> bool:
        """Return whether these numbers are shown; else have them prepared, unless a text comes first."""
        shown = self.shown
        is_so = shown is None or shown.overview.stamp == stamp
        if shown is not None and self.is_current:  # what is under way is of the same text
            self.encoding.cancel()
            if not is_so:
                self._prepare(shown)
        return is_so

    def _prepare(self, shown: Shown) -> None:
        """Prepare what is shown once more, for the numbers that the options ask for."""
        raise NotImplementedError

    @Slot()
    def _encode(self) -> None:
        """Encode what is requested now."""
        raise NotImplementedError

    def _set_problem(self, problem: Problem | None) -> None:
        if problem != self.problem:
            self.problem = problem
            self.problem_changed.emit()


class Workspace(EncodedRun):
    """Run A: it has the device, opens checkpoints by itself, and may be read from a file.

    Signals say that something changed; the state is read from the properties. `cleared`: the text was
    deleted, which is no mistake: the window shows its start page, and the last result stays. `failed`: an
    unexpected error, of run B too.
    """

    facts_changed = Signal()
    device_changed = Signal()
    activity_changed = Signal()
    cleared = Signal()
    failed = Signal(object)

    def __init__(
        self,
        engine: Engine,
        tasks: Tasks,
        fetcher: Tasks | None = None,
        lister: Tasks | None = None,
        drawn: Callable[[], DrawnHeads] = DrawnHeads,
        store: Store | None = None,
    ) -> None:
        """`fetcher` downloads and `lister` lists checkpoints, each on a worker of its own.

        `drawn` returns what panels draw just now. `store` has the texts, the checkpoint and the edits.
        """
        super().__init__(engine, tasks, "A", drawn)
        self.store = store or Store(self)
        self.opening = Opening(engine, tasks, fetcher or tasks)
        for activity in (self.opening.changed, self.encoding.busy_changed, self.encoding.progressed):
            activity.connect(self.activity_changed)
        self.facts_changed.connect(self.changed)
        self.facts: ModelFacts | None = None
        self.available = Available(engine, tasks, lister or tasks, self.failed.emit)
        self._device = "auto"
        self._ref: str | None = None
        self._in_use = self.store.now
        """While another checkpoint is being opened: the state with the edits of the one in use."""
        self._at_once = False
        self._read: dict[int, SavedResult] = {}
        self._n_read = 0
        for names, slot in (
            (("text", "pair"), self._on_texts_changed),
            (("ref",), self.open_requested),
            (("edits",), self._on_edits_changed),
            (("dtype",), self._on_dtype_changed),
            (("saved",), self._on_saved_changed),
        ):
            self.store.watch(names, slot)

    @property
    def is_current(self) -> bool:
        """Whether what is shown belongs to the text, the checkpoint and the device that are requested."""
        if self.shown is None:
            return False
        result = self.shown.result
        if isinstance(result, SavedResult):  # which stays until what was typed after it is encoded
            return result is self.saved and self.texts == (result.request.text, result.request.pair)
        return result.request == self.request

    @property
    def request(self) -> TraceRequest | None:
        if self.facts is None:
            return None
        return TraceRequest(self._ref, self.device, self.text, self.pair, self.edits)

    @property
    def checkpoint(self) -> str:
        return "" if self.facts is None else self.facts.fingerprint or self.facts.name

    @property
    def saved(self) -> SavedResult | None:
        """What run A shows of a file."""
        return self._read.get(self.store.now.saved)

    @property
    def text(self) -> str:
        return self.store.now.text

    @property
    def pair(self) -> str | None:
        return self.store.now.pair

    @property
    def edits(self) -> Edits:
        """Those of the checkpoint in use; while another one is being opened the state has those of that."""
        return (self.store.now if self.opening.pending is None else self._in_use).edits

    @property
    def texts(self) -> Texts:
        return self.store.now.texts

    @property
    def device(self) -> str:
        """Where texts are encoded, and in which numbers: "cpu", "cuda:bfloat16" ..."""
        return device_name(self._device, self.store.now.dtype)

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
        return self.encoding.is_busy or self.opening.pending is not None

    def open_model(self, ref: str | None, edits: Edits | None = None) -> None:
        """Open another checkpoint (None: the default one); the old one stays until it is there."""
        now = self.store.now
        is_same = edits is None and self.saved is None and ref == now.ref
        if ref == now.ref:  # opened once more: the state does not change with it
            self._open(ref, now)
        if not is_same:
            self.store.assign(now.with_checkpoint(ref, edits or NO_EDITS))

    def expect_model(self, ref: str | None) -> None:
        """Take this checkpoint for the one in use before any is open: the program opens it when it starts."""
        self._ref = ref

    def cancel_opening(self) -> None:
        """Give up what is being opened; the checkpoint before stays."""
        if self.opening.pending is not None:
            self.opening.cancel()
            self._return_to_checkpoint()

    def set_device(self, name: str) -> None:
        """Encode on another device from now on; what was read from a file stays as it is."""
        before, self._device = self.device, device_name(name, "float32")
        self.store.change(dtype=dtype_of(name))
        if dtype_of(before) == dtype_of(name):
            self._on_dtype_changed()

    def set_texts(self, text: str, pair: str | None = None, *, at_once: bool = False) -> None:
        if (text, pair) == self.texts:
            return
        state = self.store.now.with_texts(text, pair)
        if self.store.is_restored:  # the tokens of the text before will never be known
            state = state.without_tokens()
        self._at_once = at_once
        self.store.assign(state, "typing")

    @Slot()
    def _on_texts_changed(self) -> None:
        self._in_use = self._in_use.with_texts(*self.texts)
        if self.problem is not None and self.problem.is_of_opening:
            self._set_problem(None)
        self.changed.emit()
        self.encoding.schedule(at_once=self._at_once or self.store.step != "typing")

    def set_edits(self, edits: Edits) -> None:
        if self.opening.pending is None:
            self.store.assign(self.store.now.with_edits(edits))
        elif edits != self.edits:
            self._in_use = self._in_use.with_edits(edits)
            self.changed.emit()
            self.encoding.schedule(at_once=True)

    @Slot()
    def _on_edits_changed(self) -> None:
        if self.opening.pending is not None:
            return  # they are for the checkpoint that is being opened
        self.changed.emit()
        if self.is_current:  # taken back before it was encoded: what is requested is on screen
            self.encoding.cancel()
            self.store.settle(self.store.now)
        else:
            self.encoding.schedule(at_once=True)

    @Slot()
    def _on_dtype_changed(self) -> None:
        self.device_changed.emit()
        if self.saved is None:
            self.encoding.schedule(at_once=True)

    @Slot()
    def open_requested(self) -> None:
        """Open the checkpoint of the state, unless it is in use or is being opened."""
        ref = self.store.now.ref
        in_use = self.ref if self.saved is None else self.saved.facts.ref or None
        if ref != in_use:
            self._open(ref, self.store.before)

    def _open(self, ref: str | None, in_use: WindowState) -> None:
        if self.opening.pending is None:
            self._in_use = in_use if in_use.texts == self.texts else in_use.with_texts(*self.texts)
        self.opening.start(Pending(ref), self._on_opened, self._on_open_failed)

    def show_saved(self, saved: SavedResult, state: WindowState | None = None) -> None:
        """Show what was read from a file, with its texts, until something is encoded.

        `state`: of the session that the file is, without its run B, which would have to be encoded.
        """
        in_steps = {step.saved for step in self.store.steps}
        self._n_read += 1
        self._read = {key: read for key, read in self._read.items() if key in in_steps}
        self._read[self._n_read] = saved
        self._set_problem(None)
        request, ref = saved.request, saved.facts.ref or None
        if state is None:
            now = self.store.now.with_texts(request.text, request.pair)
            self.store.assign(replace(now, ref=ref, edits=request.edits, saved=self._n_read))
            return
        state = replace(state, text=request.text, pair=request.pair, ref=ref, edits=request.edits)
        self.store.restore(replace(state, other=None, saved=self._n_read))

    @Slot()
    def _on_saved_changed(self) -> None:
        if self.saved is not None:  # which ends what another text has scheduled
            self.encoding.prepare(self.saved, self._on_encoded, self._on_encode_failed)
        else:
            self.encoding.schedule(at_once=True)

    def _prepare(self, shown: Shown) -> None:
        self.encoding.prepare(shown.result, self._on_encoded, self._on_encode_failed)

    def leave_saved(self, edits: Edits = NO_EDITS) -> None:
        """Encode the texts of what was read from a file with the checkpoint in use, and with these edits."""
        self.store.change(ref=self._ref, edits=edits, saved=0)
        self._encode()

    @Slot()
    def _encode(self) -> None:
        if (request := self.request) is None:
            if self.saved is not None and not self.is_current and self.opening.pending is None:
                self.open_model(None)  # something was typed over weights of a file
            return
        if self.saved is not None:
            ref = self._ref if self.opening.pending is None else self.store.now.ref
            self.store.change("amend", ref=ref, saved=0)
        if self.is_blank:
            self.encoding.cancel()
            if self.problem is not None and self.problem.field in ("text", "pair"):
                self._set_problem(None)
            self.cleared.emit()
            self.store.settle(self.store.now)
            return
        self.encoding.encode(request, self._on_encoded, self._on_encode_failed)

    def _on_encoded(self, shown: Shown) -> None:
        before, self.shown = self.shown, shown
        if self.problem is not None and not self.problem.is_of_opening:
            self._set_problem(None)
        if self.opening.pending is None:  # else it is not of the checkpoint of the state
            store = self.store
            store.settle(settled(store.now, before, shown, is_restored=store.is_restored))
        self.shown_changed.emit()

    def _on_encode_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            # An edit that cannot be made is taken back: each later request would be refused for it. It is one
            # where what failed differs from what is shown in nothing else.
            one, other, before = None if self.shown is None else self.shown.result.request, self.request, None
            if one is not None and other is not None and replace(other, edits=one.edits) == one:
                before = one.edits
            if self.opening.pending is None:
                self.store.settle(self.store.now if before is None else replace(self.store.now, edits=before))
            elif before is not None:
                self._in_use = replace(self._in_use, edits=before)
            self.activity_changed.emit()  # what is shown may belong to what is requested again
            self._set_problem(Problem(field_of(error), error))
        else:
            self.failed.emit(error)

    def _on_opened(self, opened: Pending, facts: ModelFacts) -> None:
        self._ref, self.facts = opened.ref, facts
        if self.saved is not None:  # its numbers are left for those of the checkpoint
            self.store.change("amend", ref=opened.ref)
        self._set_problem(None)
        self.facts_changed.emit()
        self._encode()
        self.available.look_for_sources()

    def _on_open_failed(self, pending: Pending, error: Exception) -> None:
        if isinstance(error, AppError):
            self._return_to_checkpoint()
            self._set_problem(Problem("model", error, is_of_opening=True, ref=pending.ref))
        else:
            self.failed.emit(error)

    def _return_to_checkpoint(self) -> None:
        """Have the checkpoint in use in the state again; where there is none what was requested stays."""
        if self.facts is not None or self.saved is not None:
            ref = self._ref if self.saved is None else self.saved.facts.ref or None
            now, before = self.store.now, self._in_use
            off, off_in_b = before.interventions.off, before.interventions.off_in_b
            saved = replace(now.interventions, off=off, off_in_b=off_in_b)
            self.store.settle(replace(now, ref=ref, edits=before.edits, interventions=saved))


def settled(state: WindowState, before: Shown | None, now: Shown, *, is_restored: bool) -> WindowState:
    """Return `state` once the run A that answers it is on screen, `before` being the one that was.

    What is pinned stays where the text has the same token, and the edits of run B stay where run A has what
    they name. A restored state is of the new run from the start.
    """
    trace = now.result.trace
    if before is not None and not is_restored:
        if state.pinned != NOTHING:
            state = replace(state, pinned=pair_in(state.pinned, before.result.trace, trace))
        if state.other is not None and (edits := _edits_left(state.other, before, now)) != state.other.edits:
            state = state.with_other(replace(state.other, edits=edits))
    return replace(state, pinned=state.pinned.within(trace.n_tokens, trace.n_keys))


def _edits_left(other: OtherRun, before: Shown, now: Shown) -> Edits:
    """Return the edits of run B that still apply after run A changed.

    Another checkpoint has other heads; an intervention on tokens stays as long as the text has the same where
    they are.
    """
    one, two = before.result.request, now.result.request
    if other.ref is None and two.ref != one.ref:
        return NO_EDITS
    if other.text is not None or (one.text, one.pair) == (two.text, two.pair):
        return other.edits
    old, new = before.result.trace.tokens, now.result.trace.tokens

    def stays(token: int) -> bool:
        then = _written(old, one.edits.position_read(token))
        return then is not None and then == _written(new, two.edits.position_read(token))

    return other.edits.where_tokens(stays)


def _written(tokens: Tokens, position: int | None) -> tuple[int, str] | None:
    """Return the sentence of a token and what is written there, None beyond the end and for no position."""
    if position is None or position >= len(tokens):
        return None
    return int(tokens.sentences[position]), written(tokens, position)
