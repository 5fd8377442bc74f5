"""`Workspace`: the checkpoint, the device, the texts, and the last good result of the three."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.analysis.measures import HeadOverview, head_overview
from bertviz_app.checkpoint.facts import ModelFacts
from bertviz_app.checkpoint.sources import Source, list_sources
from bertviz_app.errors import AppError, DeviceError, TextError
from bertviz_app.inference.engine import Device, Engine, TraceRequest, TraceResult
from bertviz_app.inference.jobs import Check
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.viewmodels.pictures import HeadPicture, head_pictures
from bertviz_app.viewmodels.tasks import Progress, Tasks

DEBOUNCE_MS = 70
"""Typing waits this long for the next key before the text is encoded."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What is on screen: one result, all its heads at a glance, and the pictures of the open panels.

    The pictures come with the result so that no panel is empty until its own is made.
    """

    result: TraceResult
    overview: HeadOverview
    pictures: tuple[HeadPicture, ...] = ()


@dataclass(frozen=True)
class Problem:
    """What the user gave cannot be used; `field` is where: "text", "pair", "model" or "device".

    That a checkpoint could not be opened (`is_of_opening`) is said until the user goes on, not only until
    a text that was waiting is encoded with the old one.
    """

    field: str
    error: AppError
    is_of_opening: bool = False


class Workspace(QObject):
    """Holds what the user asked for, asks the engine on its worker, and keeps the last good answer.

    Signals say that something changed; the state is read from the properties.
    """

    shown_changed = Signal()
    facts_changed = Signal()
    devices_changed = Signal()
    sources_changed = Signal()
    texts_changed = Signal()
    problem_changed = Signal()
    activity_changed = Signal()
    failed = Signal(object)

    def __init__(self, engine: Engine, tasks: Tasks) -> None:
        super().__init__(tasks)
        self._engine = engine
        self._tasks = tasks
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._encode)
        self._tasks.busy_changed.connect(self._on_busy_changed)
        self._tasks.progressed.connect(self._on_progressed)
        self.text = ""
        self.pair: str | None = None
        self.edits = NO_EDITS
        self.device = "auto"
        self.devices: tuple[Device, ...] = ()
        self.sources: tuple[Source, ...] = ()
        self.facts: ModelFacts | None = None
        self.shown: Shown | None = None
        self.problem: Problem | None = None
        self.opening: str | None = None
        self.progress: float | None = None
        self.heads_in_panels: Callable[[], list[tuple[int, int]]] = list
        self._ref: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether what is shown belongs to the text, the checkpoint and the device asked for."""
        return self.shown is not None and self.shown.result.request == self._request()

    @property
    def is_busy(self) -> bool:
        """Whether a checkpoint is being opened or a text encoded, or is about to be."""
        return self._timer.isActive() or self._tasks.is_busy("open") or self._tasks.is_busy("encode")

    def start(self, ref: str | None) -> None:
        """Load torch, look for devices and open a checkpoint, all on the worker."""
        self._tasks.start("devices", lambda check, _: self._look_for_devices(), self._on_devices, self._fail)
        self.open_model(ref)
        self.look_for_sources()

    def look_for_sources(self) -> None:
        """Find out again which checkpoints can be opened."""
        self._tasks.start("sources", lambda check, _: tuple(list_sources()), self._on_sources, self._fail)

    def open_model(self, ref: str | None) -> None:
        """Open another checkpoint (None: the default one); the old one stays until it is there."""

        def work(check: Check, progress: Progress) -> tuple[str | None, ModelFacts]:
            def tell(done: int, total: int) -> None:
                progress(done / max(total, 1))

            return ref, self._engine.load(ref, tell, check)

        self.opening, self.progress = ref or "", None
        self._tasks.start("open", work, self._on_opened, self._on_open_failed)
        self.activity_changed.emit()

    def cancel_opening(self) -> None:
        """Give up opening a checkpoint; the one before stays."""
        self.opening, self.progress = None, None
        self._tasks.cancel("open")
        self.activity_changed.emit()

    def set_device(self, name: str) -> None:
        """Encode on another device from now on."""
        self.device = name
        self.devices_changed.emit()
        self._encode()

    def set_texts(self, text: str, pair: str | None, *, at_once: bool = False) -> None:
        """Encode another text, or pair, as soon as the typing pauses."""
        if (text, pair) == (self.text, self.pair):
            return
        self.text, self.pair = text, pair
        if self.problem is not None and self.problem.is_of_opening:
            self._set_problem(None)
        self.texts_changed.emit()
        self._timer.start(0 if at_once else DEBOUNCE_MS)

    def _request(self) -> TraceRequest | None:
        if self.facts is None:
            return None
        return TraceRequest(self._ref, self.device, self.text, self.pair, self.edits)

    @Slot()
    def _encode(self) -> None:
        self._timer.stop()
        request = self._request()
        if request is None:
            return
        if self.shown is None and not self.text and self.pair is None:
            self._begin_again()
            return

        heads = self.heads_in_panels()

        def work(check: Check, progress: Progress) -> Shown:
            result = self._engine.trace(request, check)
            pictures = head_pictures(result.trace, heads, check)
            return Shown(result, head_overview(result.trace, check=check), pictures)

        self._tasks.start("encode", work, self._on_encoded, self._on_encode_failed)

    def _begin_again(self) -> None:
        """Nothing was shown and nothing is typed: that is how the window starts, and no mistake."""
        self._tasks.cancel("encode")
        if self.problem is not None and self.problem.field in ("text", "pair"):
            self._set_problem(None)

    def _on_encoded(self, shown: Shown) -> None:
        self.shown = shown
        if self.problem is not None and not self.problem.is_of_opening:
            self._set_problem(None)
        self.shown_changed.emit()

    def _on_encode_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self._set_problem(Problem(_field(error), error))
        else:
            self._fail(error)

    def _on_opened(self, opened: tuple[str | None, ModelFacts]) -> None:
        self._ref, self.facts = opened
        self.opening, self.progress = None, None
        self._set_problem(None)
        self.facts_changed.emit()
        self.activity_changed.emit()
        self._encode()

    def _on_open_failed(self, error: Exception) -> None:
        self.opening, self.progress = None, None
        if isinstance(error, AppError):
            self._set_problem(Problem("model", error, is_of_opening=True))
        else:
            self._fail(error)
        self.activity_changed.emit()

    def _look_for_devices(self) -> tuple[Device, ...]:
        preload_torch()
        return self._engine.devices()

    def _on_devices(self, devices: tuple[Device, ...]) -> None:
        self.devices = devices
        self.devices_changed.emit()

    def _on_sources(self, sources: tuple[Source, ...]) -> None:
        if sources != self.sources:
            self.sources = sources
            self.sources_changed.emit()

    def _set_problem(self, problem: Problem | None) -> None:
        if problem != self.problem:
            self.problem = problem
            self.problem_changed.emit()

    def _fail(self, error: Exception) -> None:
        self.failed.emit(error)

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        self.activity_changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == "open" and self.opening is not None:
            self.progress = fraction
            self.activity_changed.emit()


def _field(error: AppError) -> str:
    """Return the field that `error` is about."""
    if isinstance(error, DeviceError):
        return "device"
    return error.field if isinstance(error, TextError) else "model"
