"""`Workspace`: the checkpoint, the device, the texts, and the last good result of the three."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.analysis.measures import HeadOverview, head_overview
from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.errors import AppError, DeviceError, TextError
from bertviz_app.inference.engine import Engine, TraceRequest, TraceResult
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.pictures import HeadPicture, head_pictures
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.runs.available import Available
from bertviz_app.viewmodels.runs.opening import Opened, Opening
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

DEBOUNCE_MS = 70
"""Typing waits this long for the next key before the text is encoded."""


@dataclass(frozen=True)
class DrawnHeads:
    """The heads (layer, head) that panels draw, and with which options; their pictures come with a result."""

    heads: tuple[tuple[int, int], ...] = ()
    options: DrawOptions = field(default_factory=DrawOptions)


@dataclass(frozen=True)
class Pending:
    """A checkpoint that is being opened (`ref` None: the default one), to be edited so; None: as it is.

    `progress` is from 0 to 1, None while it is not known.
    """

    ref: str | None
    edits: Edits | None = None
    progress: float | None = None


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

    That a checkpoint could not be opened (`is_of_opening`) is shown until the user goes on, not only until
    a text that was waiting is encoded with the old one; `ref` is then the checkpoint.
    """

    field: str
    error: AppError
    is_of_opening: bool = False
    ref: str | None = None


class Workspace(QObject):
    """Holds what the user requests, has the engine encode it on its worker, and shows the last good result.

    Signals say that something changed; the state is read from the properties.
    """

    shown_changed = Signal()
    facts_changed = Signal()
    device_changed = Signal()
    texts_changed = Signal()
    edits_changed = Signal()
    problem_changed = Signal()
    activity_changed = Signal()
    failed = Signal(object)

    def __init__(
        self,
        engine: Engine,
        tasks: Tasks,
        fetcher: Tasks | None = None,
        drawn: Callable[[], DrawnHeads] = DrawnHeads,
    ) -> None:
        """`fetcher` downloads on a worker of its own; `drawn` returns what panels draw just now."""
        super().__init__(tasks)
        self._engine = engine
        self._tasks = tasks
        self._opening = Opening(engine, tasks, fetcher or tasks)
        self._opening.progressed.connect(self._on_progressed)
        self._opening.changed.connect(self.activity_changed)
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._encode)
        self._tasks.busy_changed.connect(self._on_busy_changed)
        self.text = ""
        self.pair: str | None = None
        self.edits = NO_EDITS
        self.device = "auto"
        self.facts: ModelFacts | None = None
        self.shown: Shown | None = None
        self.problem: Problem | None = None
        self.saved: TraceResult | None = None
        self.opening: Pending | None = None
        self.available = Available(engine, tasks, self._fail)
        self.drawn = drawn
        self._ref: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether what is shown belongs to the text, the checkpoint and the device that are requested."""
        if self.shown is None:
            return False
        return self.shown.result is self.saved or self.shown.result.request == self._request()

    @property
    def ref(self) -> str | None:
        """The requested checkpoint, None for the default one: the one being opened, or else in use."""
        return self._ref if self.opening is None else self.opening.ref

    @property
    def is_busy(self) -> bool:
        """Whether a checkpoint is being opened or a text encoded, or is about to be."""
        return self._timer.isActive() or self._opening.is_busy or self._tasks.is_busy("encode")

    @property
    def is_fetching(self) -> bool:
        """Whether a checkpoint is being downloaded; texts are encoded with the old one meanwhile."""
        return self._opening.is_fetching

    def start(self, ref: str | None) -> None:
        """Load torch, look for devices and open a checkpoint, all on the worker."""
        self.available.look_for_devices()
        self.open_model(ref)
        self.available.look_for_sources()

    def open_model(self, ref: str | None, edits: Edits | None = None) -> None:
        """Open another checkpoint (None: the default one); the old one stays until it is there.

        `edits` are made to it then; without them those of the old one are given up, whose heads and
        pieces they name.
        """
        self.opening = Pending(ref, edits)
        self._opening.start(ref, self._on_opened, self._on_open_failed)
        self.activity_changed.emit()

    def cancel_opening(self) -> None:
        """Give up opening a checkpoint; the one before stays."""
        self.opening = None
        self._opening.cancel()
        self.activity_changed.emit()

    def set_device(self, name: str) -> None:
        """Encode on another device from now on."""
        self.device = name
        self.device_changed.emit()
        self._encode()

    def set_memory(self, gigabytes: int) -> None:
        """Let open checkpoints fill that much from the next opening on; those used longest ago go first."""
        self._engine.memory_limit = gigabytes * 10**9

    def set_texts(self, text: str, pair: str | None, *, at_once: bool = False) -> None:
        """Encode another text, or pair, as soon as the typing pauses."""
        if (text, pair) == (self.text, self.pair):
            return
        self.text, self.pair = text, pair
        self._keep_edits(self.edits.without_tokens())
        if self.problem is not None and self.problem.is_of_opening:
            self._set_problem(None)
        self.texts_changed.emit()
        self._timer.start(0 if at_once else DEBOUNCE_MS)

    def set_edits(self, edits: Edits) -> None:
        """Replace these tokens and mute these heads, and no others."""
        if edits != self.edits:
            self._keep_edits(edits)
            self._encode()

    def _keep_edits(self, edits: Edits) -> None:
        if edits != self.edits:
            self.edits = edits
            self.edits_changed.emit()

    def show_saved(self, saved: TraceResult) -> None:
        """Show what was read from a file, with its texts, until something is encoded."""
        self._timer.stop()
        self.saved = saved
        self.text, self.pair = saved.request.text, saved.request.pair
        self._set_problem(None)
        self.texts_changed.emit()
        self._start_encoding(lambda check: saved)

    def leave_saved(self) -> None:
        """Encode the texts of what was read from a file with the checkpoint in use."""
        self.saved = None
        self._encode()

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
        self.saved = None
        self._start_encoding(lambda check: self._engine.trace(request, check))

    def _start_encoding(self, trace: Callable[[Check], TraceResult]) -> None:
        drawn = self.drawn()

        def work(check: Check, progress: FractionDone) -> Shown:
            result = trace(check)
            pictures = head_pictures(result.trace, drawn.heads, check, drawn.options)
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
            self._take_back_edits()
            self._set_problem(Problem(field_of(error), error))
        else:
            self._fail(error)

    def _take_back_edits(self) -> None:
        """Undo edits that cannot be made, if the request differs from what is shown in nothing else."""
        shown, request = self.shown, self._request()
        if shown is not None and request is not None:
            edits = shown.result.request.edits
            if replace(request, edits=edits) == shown.result.request:
                self._keep_edits(edits)

    def _on_opened(self, opened: Opened) -> None:
        edits = None if self.opening is None else self.opening.edits
        if edits is not None or (self.facts is not None and opened[0] != self._ref):
            self._keep_edits(edits or NO_EDITS)
        self._ref, self.facts = opened
        self.opening = None
        self._set_problem(None)
        self.facts_changed.emit()
        self.activity_changed.emit()
        self._encode()
        self.available.look_for_sources()

    def _on_open_failed(self, error: Exception) -> None:
        ref = None if self.opening is None else self.opening.ref
        self.opening = None
        if isinstance(error, AppError):
            self._set_problem(Problem("model", error, is_of_opening=True, ref=ref))
        else:
            self._fail(error)
        self.activity_changed.emit()

    def _set_problem(self, problem: Problem | None) -> None:
        if problem != self.problem:
            self.problem = problem
            self.problem_changed.emit()

    def _fail(self, error: Exception) -> None:
        self.failed.emit(error)

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        self.activity_changed.emit()

    @Slot(float)
    def _on_progressed(self, fraction: float) -> None:
        if self.opening is not None:
            self.opening = replace(self.opening, progress=fraction)
            self.activity_changed.emit()


def field_of(error: AppError) -> str:
    """Return the field that `error` is about."""
    if isinstance(error, DeviceError):
        return "device"
    return error.field if isinstance(error, TextError) else "model"
