"""`Workspace`: the checkpoint, the device, the texts, and the last good result of the three."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.viewmodels.runs.available import Available
from bertviz_app.viewmodels.runs.encoding import Encoding
from bertviz_app.viewmodels.runs.opening import Opening, Pending
from bertviz_app.viewmodels.runs.problem import Problem, field_of
from bertviz_app.viewmodels.runs.saved_trace import SavedResult
from bertviz_app.viewmodels.runs.shown import DrawnHeads, Shown
from bertviz_app.viewmodels.tasks import Tasks


class Workspace(QObject):
    """Holds what the user requests, has the engine encode it on its worker, and shows the last good result.

    Signals say that something changed; the state is read from the properties. `cleared`: the text was
    deleted, which is no mistake: the window shows its start page, and the last result stays.
    """

    shown_changed = Signal()
    facts_changed = Signal()
    device_changed = Signal()
    texts_changed = Signal()
    edits_changed = Signal()
    problem_changed = Signal()
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
    ) -> None:
        """`fetcher` downloads and `lister` lists checkpoints, each on a worker of its own.

        `drawn` returns what panels draw just now.
        """
        super().__init__(tasks)
        self.opening = Opening(engine, tasks, fetcher or tasks)
        self.encoding = Encoding(engine, tasks, "encode", drawn)
        self.opening.changed.connect(self.activity_changed)
        self.encoding.due.connect(self._encode)
        self.encoding.busy_changed.connect(self.activity_changed)
        self.encoding.progressed.connect(self.activity_changed)
        self.text = ""
        self.pair: str | None = None
        self.edits = NO_EDITS
        self.device = "auto"
        self.facts: ModelFacts | None = None
        self.shown: Shown | None = None
        self.problem: Problem | None = None
        self.saved: SavedResult | None = None
        self.available = Available(engine, tasks, lister or tasks, self.failed.emit)
        self._ref: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether what is shown belongs to the text, the checkpoint and the device that are requested."""
        if self.shown is None:
            return False
        return self.shown.result is self.saved or self.shown.result.request == self._request()

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
        """Open another checkpoint (None: the default one); the old one stays until it is there.

        `edits` are made to it then; without them those of the old one are given up, whose heads and
        pieces they name.
        """
        self.opening.start(Pending(ref, edits), self._on_opened, self._on_open_failed)

    def set_device(self, name: str) -> None:
        """Encode on another device from now on; what was read from a file stays as it is."""
        self.device = name
        self.device_changed.emit()
        if self.saved is None:
            self._encode()

    def set_texts(self, text: str, pair: str | None, *, at_once: bool = False) -> None:
        """Encode another text, or pair, as soon as the typing pauses."""
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
        """Replace these tokens and mute these heads, and no others."""
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

    def prepare_as(self, stamp: Stamp) -> bool:
        """Return whether these numbers are shown; else have them prepared, unless a text comes first."""
        shown = self.shown
        is_so = shown is None or shown.stamp == stamp
        if shown is not None and self.is_current:  # what is under way is of the same text
            self.encoding.cancel()
            if not is_so:
                self.encoding.prepare(shown.result, self._on_encoded, self._on_encode_failed)
        return is_so

    def leave_saved(self, edits: Edits = NO_EDITS) -> None:
        """Encode the texts of what was read from a file with the checkpoint in use, and with these edits."""
        self.saved = None
        self._keep_edits(edits)
        self._encode()

    def _request(self) -> TraceRequest | None:
        if self.facts is None:
            return None
        return TraceRequest(self._ref, self.device, self.text, self.pair, self.edits)

    @Slot()
    def _encode(self) -> None:
        self.encoding.unschedule()
        request = self._request()
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
            before = _edits_before(self.shown, self._request())
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

    def _set_problem(self, problem: Problem | None) -> None:
        if problem != self.problem:
            self.problem = problem
            self.problem_changed.emit()


def _edits_before(shown: Shown | None, request: TraceRequest | None) -> Edits | None:
    """Return the edits of what is shown if `request`, which failed, differs from it in nothing else."""
    if shown is None or request is None:
        return None
    edits = shown.result.request.edits
    return edits if replace(request, edits=edits) == shown.result.request else None
