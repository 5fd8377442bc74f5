"""Run B beside run A: what it is, how it is edited, and what is compared."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.compare import divergence
from bertviz_app.errors import AppError, Check, Message, SelectionError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.options import RUNS, SIDES, Run
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import MASK, NO_EDITS, HeadIntervention, Intervention, TokenIntervention
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Panel, reads_second_run
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import FractionDone, Latest, Request, Results, Tasks, Workers
from bertviz_app.viewmodels.runs.run import (
    Difference,
    DrawnHeads,
    Problem,
    SavedResult,
    Shown,
    beside,
    field_of,
)
from bertviz_app.viewmodels.runs.workspace import EncodedRun, Workspace
from bertviz_app.viewmodels.state import OtherRun, Pair

if TYPE_CHECKING:
    from bertviz_app.text.why_cut import WhyCut


def as_other(run: TraceRequest, than: TraceRequest, name: str) -> OtherRun:
    """Return `run`, whose checkpoint is called `name`, as what is other in it than in `than`."""
    ref = None if run.ref == than.ref else run.ref or name
    if (run.text, run.pair) == (than.text, than.pair):
        return OtherRun(ref, edits=run.edits)
    return OtherRun(ref, run.text, run.pair, run.edits)


class Comparison(EncodedRun):
    """Run B, encoded whenever A or what is other in B changes, and its difference from A.

    `measured` is emitted when the divergences of the heads are there. What begins a run B where there is none
    has the edits of A in it; another checkpoint has other heads, and none.
    """

    measured = Signal()

    def __init__(self, engine: Engine, workspace: Workspace, encoder: Tasks, results: Results) -> None:
        """`results` computes the divergence, on another worker than the `encoder`'s."""
        super().__init__(engine, encoder, "B", workspace.encoding.drawn)
        self._workspace = workspace
        self._divergence: Latest[Floats] = Latest(results, "divergence")
        self._saved: SavedResult | None = None
        self.store = workspace.store
        self.difference: Difference | None = None
        workspace.shown_changed.connect(self._encode)
        # Where A's text is refused the A before stays on screen: B, which waited, is encoded beside that.
        workspace.problem_changed.connect(self._encode)
        self.encoding.progressed.connect(self._on_progressed)
        self._divergence.changed.connect(self._on_measured)
        self.store.watch(("other",), self._on_other_changed)

    @property
    def other(self) -> OtherRun | None:
        """What is other in run B, None while there is none."""
        return self.store.now.other

    @property
    def is_on(self) -> bool:
        """Whether there is a run B."""
        return self.other is not None

    @property
    def is_other(self) -> bool:
        """Whether the request of run B differs from that of run A in anything."""
        shown = self._workspace.shown
        return shown is not None and self.request not in (None, shown.result.request)

    @property
    def is_current(self) -> bool:
        """Whether what is shown is the requested B, beside the A that is shown."""
        if self.shown is None or self.difference is None or self._workspace.shown is None:
            return self.other is None
        is_beside_a = self.difference.traces[0] is self._workspace.shown.result.trace
        return is_beside_a and self.shown.result.request == self.request

    @property
    def is_opening(self) -> bool:
        """Whether run B waits for a checkpoint that neither run was encoded with before."""
        a, request = self._workspace.shown, self.request
        if not self.is_busy or a is None or request is None:
            return False
        return request.ref not in {run.result.request.ref for run in (a, self.shown) if run is not None}

    @property
    def progress(self) -> float | None:
        """How much of its checkpoint is read, from 0 to 1, None while that is not known."""
        return self.encoding.progress if self.is_opening else None

    @property
    def request(self) -> TraceRequest | None:
        a = self._workspace.shown
        return None if a is None or self.other is None else self.other.request(a.result.request)

    @property
    def edits(self) -> Edits:
        return NO_EDITS if self.other is None else self.other.edits

    @property
    def checkpoint(self) -> str:
        return "" if self.other is None else self.other.ref or self._workspace.checkpoint

    @property
    def texts(self) -> tuple[str, str | None]:
        return ("", None) if self.other is None else self.other.texts(self._workspace.texts)

    @property
    def saved(self) -> SavedResult | None:
        """What run A shows of a file, or else what run B does: neither can be computed again."""
        return self._workspace.saved or self._saved_for(self.request)

    def _saved_for(self, request: TraceRequest | None) -> SavedResult | None:
        """Return the weights of a file that `request` is for, None where it is for a checkpoint."""
        saved = self._saved
        if saved is None or request is None:
            return None
        of_saved = saved.request
        is_saved = (request.ref, request.text, request.pair) == (of_saved.ref, of_saved.text, of_saved.pair)
        return replace(saved, request=request) if is_saved else None

    def begin(self) -> None:
        """Compare with a run B that, to begin with, is edited as A is."""
        if self.other is None:
            self.set_other(self._begun)

    @property
    def _begun(self) -> OtherRun:
        """What is other in run B, of a new one where there is none."""
        return self.other or OtherRun(edits=self._workspace.edits)

    def set_texts(self, text: str, pair: str | None = None, *, at_once: bool = False) -> None:
        """Compare with other texts; an empty one, or one of blanks alone, is that of A."""
        texts = [given if given and given.strip() else None for given in (text, pair)]
        other = self._begun
        if self._saved is not None and other.ref == self._saved.request.ref:
            other = OtherRun(None, other.text, other.pair)  # weights have no checkpoint that encodes a text
        if texts != [other.text, other.pair]:
            other = replace(other, text=texts[0], pair=texts[1], edits=other.edits.without_tokens())
            self.set_other(other, at_once=at_once)

    def open_model(self, ref: str | None, edits: Edits | None = None) -> None:
        """Compare with another checkpoint (None: the one of A)."""
        other = self.other or OtherRun()
        if ref != other.ref:
            self.set_other(replace(other, ref=ref, edits=edits or NO_EDITS))

    def show_saved(self, saved: SavedResult) -> None:
        """Compare with the weights of a file, which stay whatever run A becomes."""
        self._saved, request = saved, saved.request
        self.set_other(OtherRun(request.ref, request.text, request.pair))

    def set_edits(self, edits: Edits) -> None:
        self.set_other(replace(self.other or OtherRun(), edits=edits))

    def compare_token(self, position: int, piece: str) -> None:
        """Compare with a run of the same text in which this token too is replaced."""
        other = self._begun
        if other.ref is not None or other.text is not None:
            other = OtherRun(edits=self._workspace.edits)
        self.set_other(replace(other, edits=other.edits.with_token(position, piece)))

    def compare_head(self, layer: int, head: int) -> None:
        """Compare with a run in which this head too is muted or, where A changes it, as computed."""
        other, a = self._begun, self._workspace.edits
        if other.ref is not None:
            other = OtherRun(edits=a)
        mute = HeadIntervention(layer, head)
        is_changed = a.head_at(layer, head) is not None
        edits = other.edits.without_alike(mute) if is_changed else other.edits.with_intervention(mute)
        self.set_other(replace(other, edits=edits))

    def swap(self) -> None:
        """Make run A what B is, and B what A is."""
        a, b = self._workspace.shown, self.request
        if a is None or b is None:
            return
        before, store = a.result.request, self.store
        state = store.now.with_texts(b.text, b.pair)
        state = state.with_edits(b.edits) if b.ref == before.ref else state.with_checkpoint(b.ref, b.edits)
        store.assign(state.with_other(as_other(before, b, a.result.facts.name)))

    def take_back_ref(self) -> None:
        """Compare with the checkpoint that is shown, after another one was not opened."""
        a, b = self._workspace.shown, self.shown
        is_as_a = a is None or b is None or b.result.request.ref == a.result.request.ref
        self.open_model(None if is_as_a or b is None else b.result.request.ref)

    def end(self) -> None:
        """Compare no longer."""
        self.store.assign(self.store.now.with_other(None))

    def set_other(self, other: OtherRun, *, at_once: bool = True) -> None:
        """Change what is other in run B; with `at_once` false after a pause in typing."""
        self.store.assign(self.store.now.with_other(other), "new" if at_once else "typing")

    @Slot()
    def _on_other_changed(self) -> None:
        if self.other is not None:
            self.encoding.schedule(at_once=self.store.step != "typing")
            self.changed.emit()
            return
        self.encoding.cancel()
        self._divergence.forget()
        self.shown = self.difference = None
        self._set_problem(None)
        self.changed.emit()
        self.shown_changed.emit()

    def _prepare(self, shown: Shown) -> None:
        a, difference = self._workspace.shown, self.difference
        assert a is not None
        assert difference is not None
        is_a = shown.result.request == a.result.request
        from bertviz_app.viewmodels.runs.shown import prepared

        def work(check: Check, progress: FractionDone, drawn: DrawnHeads) -> tuple[Shown, Difference]:
            again = a if is_a else prepared(self._engine, shown.result, drawn, check, progress)
            return again, difference

        self.encoding.start(work, self._on_encoded, self._on_failed)

    def encode_again(self) -> None:
        """Try once more what went wrong."""
        self._encode()

    @Slot()
    def _encode(self) -> None:
        request, a = self.request, self._workspace.shown
        if request is None or a is None:
            return
        if self.is_current:
            self.encoding.cancel()  # what was requested in between
            self._set_problem(None)
            self.changed.emit()
            return
        if self._workspace.is_busy and not self._workspace.is_current:
            return  # another A is coming, and this is called again when it is there
        from bertviz_app.viewmodels.runs.shown import prepared

        saved = self._saved_for(request)

        def work(check: Check, progress: FractionDone, drawn: DrawnHeads) -> tuple[Shown, Difference]:
            of_a = a.result
            if saved is None and not of_a.trace.has_states and request.ref == of_a.request.ref:
                raise SelectionError(
                    Message("Run A is attention weights alone: no checkpoint is there to encode run B."),
                    Message("Choose a checkpoint for run B, or a file of weights."),
                )
            if saved is not None:
                shown = prepared(self._engine, saved, drawn, check)
                return shown, beside(a.result.trace, shown.result.trace)
            if request.ref != a.result.request.ref:
                self._engine.load(request.ref, lambda done, total: progress(done / max(total, 1)), check)
            if request == a.result.request:
                return a, beside(a.result.trace, a.result.trace)
            shown = prepared(self._engine, self._engine.trace(request, check), drawn, check)
            return shown, beside(a.result.trace, shown.result.trace)

        self.encoding.start(work, self._on_encoded, self._on_failed)

    def _on_encoded(self, found: tuple[Shown, Difference]) -> None:
        self.shown, self.difference = found
        self._set_problem(None)
        self.shown_changed.emit()
        self.changed.emit()
        # Last, and on another worker: the panels are drawn without the divergences, which take longer.
        traces, alignment = self.difference.traces, self.difference.alignment
        self._divergence.ask(
            Request(
                ("divergence", traces),
                traces,
                lambda check, _: divergence(*traces, alignment, check),
                shows_error=False,
            )
        )

    @Slot()
    def _on_measured(self) -> None:
        request, table = self._divergence.request, self._divergence.value
        if self.difference is not None and request is not None and request.traces == self.difference.traces:
            self.difference = replace(self.difference, divergence=table)
            self.measured.emit()

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self._set_problem(Problem(field_of(error), error))
        else:
            self._workspace.failed.emit(error)

    @Slot(float)
    def _on_progressed(self, fraction: float) -> None:
        if self.is_opening:
            self.changed.emit()


class ComparedPanels(QObject):
    """When the first run B that is other than A is there, its active head is shown of A, B and A-B.

    What the user opened or closed meanwhile stays as it is.
    """

    def __init__(self, comparison: Comparison, panels: Panels) -> None:
        super().__init__(comparison)
        self._comparison, self._panels = comparison, panels
        self._before: tuple[Panel, ...] = ()
        self._active: Panel | None = None
        self._opened: tuple[int, ...] = ()
        comparison.shown_changed.connect(self._on_shown_changed)
        panels.store.watch(("other",), self._on_other_changed)

    def show(self, layer: int, head: int) -> None:
        """Show the difference of a head: in the active panel, in another one, or in one more."""
        panels, active = self._panels, self._panels.active
        there = [panel for panel in panels.panels if panel.run == "A-B"]
        if there and (active is None or active.run != "A-B"):
            at = None if active is None else (active.layer, active.head)
            if all((panel.layer, panel.head) != at for panel in there):
                panels.activate(there[0].number)
        elif not there:
            panels.insert(Panel(0, layer, head, "matrix", "A-B"))
        panels.show(layer, head)

    @Slot()
    def _on_other_changed(self) -> None:
        """Keep the panels of a session, or of an undone step, that has a run B other than A already."""
        store = self._panels.store
        if store.step == "restore" and store.now.other not in (None, OtherRun(edits=store.now.edits)):
            self._opened = self._numbers()

    @Slot()
    def _on_shown_changed(self) -> None:
        panels, now = self._panels.panels, self._panels.active
        with self._panels.store.amending():
            if not self._comparison.is_on:
                before = self._active
                if before is not None and now is not None and self._opened == self._numbers():
                    looked_at = before.layer, before.head
                    opened = [
                        replace(panel, layer=now.layer, head=now.head, heads=())
                        if (panel.layer, panel.head) == looked_at
                        else panel
                        for panel in self._before
                    ]
                    self._panels.open(opened, [panel.number for panel in self._before].index(before.number))
                else:
                    self._panels.leave_runs()
                self._before, self._active, self._opened = (), None, ()
            elif now is None or self._opened or not self._comparison.is_other:
                return
            elif all(panel.run == "A" for panel in panels):
                self._before, self._active = panels, now
                # Who reads words goes on with words; other views show less of a difference than a matrix.
                view = now.view_kind if now.view_kind == "words" else "matrix"
                opened = [replace(now, view_kind=view, run=run, heads=()) for run in RUNS]
                if reads_second_run(now.content):  # that one panel compares A and B itself
                    opened = [now, replace(opened[-1], content=SHOWS_ATTENTION)]
                self._panels.open(opened)
                self._opened = self._numbers()

    def _numbers(self) -> tuple[int, ...]:
        return tuple(panel.number for panel in self._panels.panels)


EditedRun = Run | Literal["compared"]
"""The run whose token is edited; "compared" is a new run B, which differs from A by that edit."""


class Editing(QObject):
    """Replaces tokens and mutes heads, in run A or in a run B that is compared with it.

    `replacement_requested(position, run)` asks the user for a piece, `prediction_requested` to be shown what
    the checkpoint expects, `explanation_requested(position, run)` why a word was cut as it was,
    `word_comparison_requested(position, run)` how alike a word is to its counterpart in every layer.
    """

    replacement_requested = Signal(int, str)
    prediction_requested = Signal()
    explanation_requested = Signal(int, str)
    word_comparison_requested = Signal(int, str)

    def __init__(
        self, workspace: Workspace, comparison: Comparison, panels: Panels, pointer: Pointer
    ) -> None:
        super().__init__(workspace)
        self.runs: dict[Run, EncodedRun] = {run.name: run for run in (workspace, comparison)}
        self._comparison, self._panels = comparison, panels
        self._selections = pointer.selections

    @property
    def is_possible(self) -> bool:
        """Whether run A can be edited."""
        return self.runs["A"].is_editable

    def tokens(self, run: Run = "A") -> Tokens | None:
        return self.runs[run].tokens

    @property
    def run(self) -> Run:
        """The run that keys act on, "A" or "B": that of the active panel; of a difference A."""
        active = self._panels.active
        run = "A" if active is None else SIDES[active.run][0]
        return run if self.runs[run].shown is not None else "A"

    @property
    def pinned(self) -> int | None:
        """The token of `run` that is pinned, if it can be edited."""
        return self.pinned_in(self.run)

    def pinned_in(self, run: Run) -> int | None:
        """Return the token of a run that is pinned, if it can be edited."""
        position = self._selections[run].pinned.query
        return position if position is not None and self.can_replace(position, run) else None

    def can_replace(self, position: int, run: Run = "A") -> bool:
        """Return whether the token of a run at `position` is one of the text, not a special one."""
        tokens = self.tokens(run)
        if not self.runs[run].is_editable or tokens is None or not 0 <= position < len(tokens):
            return False
        return not bool(tokens.is_special[position])

    def is_replaced(self, position: int, run: Run = "A") -> bool:
        """Return whether the token of a run at `position` is replaced."""
        edits = self.runs[run].edits
        return edits.piece_at(edits.position_written(position)) is not None

    def is_muted(self, layer: int, head: int) -> bool:
        """Return whether the output of a head is replaced, by zeros or something else."""
        return self.runs["A"].edits.head_at(layer, head) is not None

    def put(self, run: Run, position: int, piece: str | None) -> None:
        """Read a token of run "A" or "B" as `piece`; None: as it is written."""
        if self.can_replace(position, run):
            edits = self.runs[run].edits
            self.runs[run].set_edits(edits.with_token(edits.position_written(position), piece))

    def can_predict(self, run: Run = "A") -> bool:
        """Return whether the checkpoint of a run names pieces for masked tokens."""
        shown, is_editable = self.runs[run].shown, self.runs[run].is_editable
        return is_editable and shown is not None and "masked" in shown.result.facts.task_heads

    def predict(self, position: int, run: Run = "A") -> None:
        """Mask a token of a run, pin it, and have what the checkpoint expects in its place shown."""
        if not self.can_predict(run) or not self.can_replace(position, run):
            return
        if self._selections[run].pinned != Pair(position):
            self._selections[run].pin(query=position)
        self.put(run, position, MASK)
        self.prediction_requested.emit()

    def token_to_mask(self) -> int | None:
        """Return the pinned token of run A; else its last word of one piece, as of a text with a gap."""
        tokens = self.tokens()
        pinned = self.pinned_in("A")
        if pinned is not None or tokens is None:
            return pinned
        words = list(zip(tokens.sentences.tolist(), tokens.words.tolist(), strict=True))
        n_pieces = Counter(words)
        possible = [at for at in range(len(tokens)) if self.can_replace(at)]
        letters = [at for at in possible if any(map(str.isalpha, tokens.labels[at]))]
        whole = [at for at in letters if n_pieces[words[at]] == 1]
        return next(reversed(whole or letters or possible), None)

    def toggle_mask(self, position: int, run: Run = "A") -> None:
        """Mask a token of a run, or read a replaced one as it is written."""
        self.put(run, position, None if self.is_replaced(position, run) else MASK)

    def compare_token(self, position: int, piece: str = MASK) -> None:
        """Compare with a run B in which the token at `position` is read as `piece`."""
        if self.can_replace(position):
            self._comparison.compare_token(self.runs["A"].edits.position_written(position), piece)

    def ask_for_replacement(self, position: int, run: EditedRun = "A") -> None:
        """Have the user name the piece for a token, in run A or B, or in a new run B."""
        if self.can_replace(position, "A" if run == "compared" else run):
            self.replacement_requested.emit(position, run)

    def toggle_mute(self, layer: int, head: int) -> None:
        """Mute or unmute a head of run A: the output of a muted one is zero."""
        if self.is_possible:
            self.runs["A"].set_edits(self.runs["A"].edits.with_head_toggled(layer, head))

    def compare_head(self, layer: int, head: int) -> None:
        """Compare with a run B that mutes this head, or unmutes it where run A mutes it."""
        if self.is_possible:
            self._comparison.compare_head(layer, head)

    def toggle_mute_active(self) -> None:
        """Mute or unmute the head of the active panel: the output of a muted one is zero."""
        active, run = self._panels.active, self.runs[self.run]
        if active is not None and run.is_editable:
            run.set_edits(run.edits.with_head_toggled(active.layer, active.head))

    def compare_active(self) -> None:
        """Compare with a run in which the head of the active panel is muted."""
        if (active := self._panels.active) is not None:
            self.compare_head(active.layer, active.head)

    def undo_all(self) -> None:
        """Read every token as it is written, and unmute every head."""
        if self.is_possible:
            self.runs["A"].set_edits(NO_EDITS)


@dataclass(frozen=True)
class Consequences:
    """`cosine`: between the pooled vectors of both runs, or the last hidden states of the first token.

    `sentence_cosine`: between their sentence vectors, where both have one. None where the widths differ, or
    one has no length. `muted`: the heads (layer, head) that one run alone mutes. `others`: all else that
    one run alone does to a head, a weight, a segment or a position, with that run. `first`: what the first
    token is called.
    """

    has_other_model: bool
    has_other_tokens: bool
    muted: tuple[tuple[int, int], ...]
    is_pooled: bool
    cosine: float | None
    first: str
    sentence_cosine: float | None = None
    others: tuple[tuple[Run, Intervention], ...] = ()

    @property
    def n_differences(self) -> int:
        """In how many ways the runs differ."""
        return sum((self.has_other_model, self.has_other_tokens, bool(self.muted), bool(self.others)))


def consequences(one: Trace, other: Trace) -> Consequences:
    """Return what `other` differs in from `one`, and what came of it."""
    is_pooled = one.pooled is not None and other.pooled is not None
    vectors = (
        None if not each.has_states else each.pooled if is_pooled else each.hidden[-1][0]
        for each in (one, other)
    )
    return Consequences(
        has_other_model=(one.model, one.fingerprint) != (other.model, other.fingerprint),
        has_other_tokens=one.tokens.pieces != other.tokens.pieces,
        muted=tuple(sorted(set(one.muted) ^ set(other.muted))),
        is_pooled=is_pooled,
        cosine=_cosine(*vectors),
        first=one.tokens.special_names.first,
        sentence_cosine=_cosine(one.sentence_vector, other.sentence_vector),
        others=(
            *(("A", each) for each in _others(one) if each not in _others(other)),
            *(("B", each) for each in _others(other) if each not in _others(one)),
        ),
    )


def _others(trace: Trace) -> tuple[Intervention, ...]:
    """Return the interventions of a run other than muted heads and replaced pieces."""
    edits = trace.edits
    ids: list[TokenIntervention] = [one for one in edits.tokens if one.kind in ("segment", "position")]
    return (*ids, *edits.heads, *edits.cells, *edits.states)


def _cosine(one: Floats | None, other: Floats | None) -> float | None:
    if one is None or other is None:
        return None
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    if one.shape != other.shape or not lengths:
        return None
    return float(one.astype(np.float64) @ other.astype(np.float64)) / lengths


_WORD_CUTS_SLOT = "word cut"


class WordCuts(QObject):
    """Emits `explained` with a WhyCut, None where no steps can be shown."""

    explained = Signal(object)

    def __init__(self, engine: Engine, editing: Editing, workers: Workers) -> None:
        super().__init__(editing)
        self._engine, self._editing, self._workers = engine, editing, workers
        editing.explanation_requested.connect(self._on_requested)

    @Slot(int, str)
    def _on_requested(self, position: int, run: Run) -> None:
        """Explain what was typed there: a replaced token is written in another place than it is read."""
        if (shown := self._editing.runs[run].shown) is None:
            return
        request, tokens = shown.result.request, shown.result.trace.tokens

        def work(check: Check, progress: FractionDone) -> WhyCut | None:
            return self._engine.why_cut(request.ref, tokens, position, check)

        def failed(error: Exception) -> None:
            if isinstance(error, AppError):
                self.explained.emit(None)
            else:
                self._workers.failed(error)

        self._workers.encoder.start(_WORD_CUTS_SLOT, work, self.explained.emit, failed)
