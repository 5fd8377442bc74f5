"""The state of a window as data, and how it is taken and put back."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.inference.engine import TraceRequest
from bertviz_app.inference.opened_checkpoint import device_name, dtype_of
from bertviz_app.json_store import decode, encode
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.trace.provenance import Dtype
from bertviz_app.values import dataclass, field, replace
from bertviz_app.viewmodels.interventions import Interventions, SavedInterventions
from bertviz_app.viewmodels.options import (
    NOTHING,
    DrawOptions,
    Options,
    OverviewChoice,
    OverviewOptions,
    Pair,
    Selection,
)
from bertviz_app.viewmodels.panels import MOST, Panel, Panels, ParametersChoice, VectorsChoice
from bertviz_app.viewmodels.runs.comparison import Comparison, OtherRun
from bertviz_app.viewmodels.runs.workspace import Workspace


@dataclass(frozen=True)
class Arranged:
    """`docks` is what the docks are restored from, "" while they are as at first."""

    docks: str = ""
    shows_predictions: bool = True


class Arrangement(QObject):
    """The arrangement on screen.

    `begun` is emitted when the window has arranged its cards for the first time, `changed` when the user has
    changed that, `restored` when the window is to take `value` again.
    """

    begun = Signal()
    changed = Signal()
    restored = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = Arranged()
        self.has_begun = False

    def begin(self, value: Arranged) -> None:
        """Store the arrangement in which the window opened."""
        self.value = value
        self.has_begun = True
        self.begun.emit()

    def note(self, *, docks: str | None = None, shows_predictions: bool | None = None) -> None:
        """Store what the user has changed."""
        value = self.value
        if docks is not None:
            value = replace(value, docks=docks)
        if shows_predictions is not None:
            value = replace(value, shows_predictions=shows_predictions)
        if value != self.value:
            self.value = value
            self.changed.emit()

    def restore(self, value: Arranged) -> None:
        """Ask the window to return to an earlier arrangement."""
        if value != self.value:
            self.value = value
            self.restored.emit()


_LARGEST = 2**31 - 1
"""No layer, head or position of a model comes near it; integers of Qt's signals end there."""


@dataclass(frozen=True)
class Snapshot:
    """Texts, checkpoint (None: the default one), edits, run B, panels, the pinned pair; not the zoom.

    `interventions` are those that are switched off, and the sets that have a name.

    The panels have no numbers of their own, so that equal snapshots are equal. The `arrangement` of the cards
    is that of the user's window: it can be undone, but is in no file.
    """

    text: str = ""
    pair: str | None = None
    ref: str | None = None
    edits: Edits = NO_EDITS
    other: OtherRun | None = None
    panels: tuple[Panel, ...] = ()
    active: int = 0
    pinned: Pair = NOTHING
    options: DrawOptions = field(default_factory=DrawOptions)
    overview: OverviewChoice = field(default_factory=OverviewChoice)
    arrangement: Arranged = field(default_factory=Arranged)
    dtype: Dtype = "float32"  # in which the layers multiply
    interventions: SavedInterventions = field(default_factory=SavedInterventions)

    def __post_init__(self) -> None:
        if len(self.panels) > MOST:
            raise ValueError(f"{len(self.panels)} panels are too many")
        for panel in self.panels:
            panel.validate()
        if not 0 <= self.active < max(1, len(self.panels)):
            raise ValueError(f"there is no panel {self.active}")
        pinned = self.pinned.query, self.pinned.key, self.pinned.partner
        if any(position is not None and position < 0 for position in pinned):
            raise ValueError("tokens count from 0")

    def without_choices(self) -> Snapshot:
        """Return this without where one walked in the Steps, Vectors and Parameters of the panels."""
        vectors, parameters = VectorsChoice(), ParametersChoice()
        plain = (
            replace(panel, steps=panel.steps.undone, vectors=vectors, parameters=parameters)
            for panel in self.panels
        )
        return replace(self, panels=tuple(plain))


def snapshot_to_plain(snapshot: Snapshot) -> dict[str, Any]:
    """Return `snapshot` as JSON has it."""
    plain: dict[str, Any] = encode(snapshot)
    del plain["arrangement"]
    return plain


def snapshot_from_plain(value: object) -> Snapshot:
    """Return the snapshot in `value`. Raises ValueError for anything else."""
    snapshot = decode(Snapshot, value, largest=_LARGEST)
    return replace(snapshot, panels=tuple(replace(panel, number=0) for panel in snapshot.panels))


@dataclass(frozen=True)
class Restoring:
    """What has to be there before the rest of a snapshot can be shown.

    `opens`: its checkpoint is another one and is being opened. `encodes`: its text, pair or edits are others,
    or its checkpoint is.
    """

    snapshot: Snapshot
    opens: bool
    encodes: bool

    def is_of(self, request: TraceRequest) -> bool:
        """Return whether `request` is what is awaited."""
        awaited = self.snapshot
        return (request.text, request.pair, request.ref) == (awaited.text, awaited.pair, awaited.ref)


class SnapshotTaker(QObject):
    """The parts of the window's state that a snapshot holds; `changed`: a new snapshot may be another one."""

    changed = Signal()

    def __init__(  # noqa: PLR0913 - each is named by its callers
        self,
        workspace: Workspace,
        comparison: Comparison,
        panels: Panels,
        selection: Selection,
        options: Options,
        overview: OverviewOptions,
        interventions: Interventions,
    ) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._comparison = comparison
        self._panels = panels
        self._selection = selection
        self._options = options
        self._overview = overview
        self._interventions = interventions
        self._restoring: Restoring | None = None
        self.arrangement = Arrangement(self)
        for signal in (
            self.arrangement.changed,
            workspace.texts_changed,
            workspace.facts_changed,
            workspace.edits_changed,
            comparison.changed,
            panels.changed,
            panels.choice_changed,
            selection.changed,
            options.changed,
            overview.changed,
            interventions.changed,
        ):
            signal.connect(self.changed)
        workspace.shown_changed.connect(self._on_shown_changed)
        workspace.texts_changed.connect(self._on_texts_changed)
        workspace.facts_changed.connect(self._on_facts_changed)
        workspace.problem_changed.connect(self._on_problem_changed)

    def take(self) -> Snapshot:
        """Return what is shown now, or will be when the snapshot that is being restored is there."""
        if self._restoring is not None:
            return replace(self._restoring.snapshot, arrangement=self.arrangement.value)
        workspace = self._workspace
        panels, active = self._panel_state()
        return Snapshot(
            text=workspace.text,
            pair=workspace.pair,
            ref=self._ref,
            edits=workspace.edits,
            other=self._comparison.other,
            panels=panels,
            active=active,
            pinned=self._selection.pinned,
            options=self._options.value,
            overview=self._overview.value,
            arrangement=self.arrangement.value,
            dtype=dtype_of(workspace.device),
            interventions=self._interventions.saved,
        )

    @property
    def _ref(self) -> str | None:
        """The checkpoint of what is shown: that of a saved trace, too, although it may not be here."""
        saved = self._workspace.saved
        return self._workspace.ref if saved is None else saved.facts.ref or None

    def _panel_state(self) -> tuple[tuple[Panel, ...], int]:
        """Return the panels without their numbers, and the index of the active one."""
        panels, active = self._panels.panels, self._panels.active
        index = 0 if active is None else panels.index(active)
        return tuple(replace(panel, number=0) for panel in panels), index

    def show(self, snapshot: Snapshot, *, opens: bool = True) -> None:
        """Show `snapshot` again; what needs its text or checkpoint is shown when they are there.

        Without `opens` somebody else opens its checkpoint.
        """
        workspace, restoring = self._workspace, self._begin(snapshot, opens=opens)
        # Nothing is restored while these are set: their signals would else have parts of it arranged now.
        self._restoring = None
        self._options.set(snapshot.options)
        self._overview.set(snapshot.overview)
        if snapshot.dtype != dtype_of(workspace.device):
            workspace.set_device(device_name(workspace.device, snapshot.dtype))
        workspace.set_texts(snapshot.text, snapshot.pair, at_once=True)
        if restoring.opens:
            workspace.open_model(snapshot.ref, snapshot.edits)
        else:
            workspace.set_edits(snapshot.edits)
        self._interventions.restore(snapshot.interventions)
        if not restoring.opens or workspace.shown is None:
            self._arrange(snapshot)
        if restoring.encodes:
            self._restoring = restoring

    def expect_saved(self, snapshot: Snapshot) -> None:
        """Arrange the panels as in `snapshot` once the saved run that the workspace shows is there.

        There is no run B, which would have to be encoded.
        """
        workspace = self._workspace
        self._restoring = None
        self._options.set(snapshot.options)
        self._overview.set(snapshot.overview)
        self._interventions.restore(snapshot.interventions)
        saved = workspace.saved
        assert saved is not None
        request = saved.request
        expected = replace(
            snapshot, text=request.text, pair=request.pair, ref=self._ref, edits=request.edits, other=None
        )
        self._restoring = Restoring(expected, opens=False, encodes=True)

    def _begin(self, snapshot: Snapshot, *, opens: bool) -> Restoring:
        workspace = self._workspace
        is_other_model = opens and snapshot.ref != self._ref
        now = workspace.text, workspace.pair, workspace.edits
        is_other_input = (snapshot.text, snapshot.pair, snapshot.edits) != now
        return Restoring(snapshot, is_other_model, is_other_model or is_other_input)

    def _arrange(self, snapshot: Snapshot) -> None:
        if snapshot.other is None:
            self._comparison.end()
        else:
            self._comparison.set_other(snapshot.other)
        self._interventions.restore(snapshot.interventions)  # another run B gives up those that are off
        panels, shown = snapshot.panels, self._workspace.shown
        if shown is not None:
            trace = shown.result.trace
            panels = tuple(panel.within(trace.n_layers, trace.n_heads) for panel in panels)
        now = self._panel_state()
        if panels and (panels, snapshot.active) != now:
            self._panels.open(panels, snapshot.active)
        self._selection.follow(NOTHING, snapshot.pinned)

    @Slot()
    def _on_texts_changed(self) -> None:
        """Await the text that was typed meanwhile, or nothing more where the rest has been arranged."""
        restoring, workspace = self._restoring, self._workspace
        if restoring is None:
            return
        if self._is_checkpoint_of(restoring.snapshot) and not restoring.opens:
            self._restoring = None
        else:
            typed = _with_texts(restoring.snapshot, workspace.text, workspace.pair)
            self._restoring = replace(restoring, snapshot=typed)

    def _is_checkpoint_of(self, snapshot: Snapshot) -> bool:
        """Return whether the checkpoint of a snapshot is in use."""
        workspace = self._workspace
        is_open = workspace.facts is not None and workspace.opening.pending is None
        return is_open and workspace.ref == snapshot.ref

    @Slot()
    def _on_facts_changed(self) -> None:
        restoring = self._restoring
        if restoring is not None and not self._is_checkpoint_of(restoring.snapshot):
            self._workspace.set_edits(NO_EDITS)  # those of the snapshot name heads of another checkpoint

    @Slot()
    def _on_problem_changed(self) -> None:
        """Arrange the rest where the text of the snapshot was refused: no result will come."""
        restoring, problem = self._restoring, self._workspace.problem
        if restoring is None or problem is None or not self._is_checkpoint_of(restoring.snapshot):
            return
        self._restoring = None
        self._arrange(restoring.snapshot)
        self.changed.emit()

    @Slot()
    def _on_shown_changed(self) -> None:
        restoring, shown = self._restoring, self._workspace.shown
        if restoring is not None and shown is not None:
            if restoring.is_of(shown.result.request) or shown.result is self._workspace.saved:
                self._restoring = None
                self._arrange(restoring.snapshot)
            elif self._workspace.opening.pending is None:  # another text was typed meanwhile: it counts
                self._restoring = None
        self.changed.emit()


def _with_texts(snapshot: Snapshot, text: str, pair: str | None) -> Snapshot:
    """Return `snapshot` with another text of run A, which has other tokens."""
    other, kept = snapshot.other, snapshot.interventions
    kept = replace(kept, off=kept.off.without_tokens())
    if other is not None and other.text is None:  # it has the text of run A
        other = replace(other, edits=other.edits.without_tokens())
        kept = replace(kept, off_in_b=kept.off_in_b.without_tokens())
    return replace(
        snapshot,
        text=text,
        pair=pair,
        edits=snapshot.edits.without_tokens(),
        other=other,
        pinned=NOTHING,
        interventions=kept,
    )


TYPING_ENDS_MS = 700
"""A pause in the typing of this length ends one step."""

_MOST = 200


class History(QObject):
    """Keeps a snapshot for each step: one for a text that was typed, one for each other change.

    What a result changes when it arrives, such as the panels of run B, belongs to the step before.
    """

    changed = Signal()

    def __init__(
        self,
        snapshot_taker: SnapshotTaker,
        workspace: Workspace,
        comparison: Comparison,
        typing_ends_ms: int = TYPING_ENDS_MS,
    ) -> None:
        super().__init__(snapshot_taker)
        self._snapshot_taker = snapshot_taker
        self._comparison = comparison
        self._states: list[Snapshot] = [snapshot_taker.take()]
        self._index = 0
        self._is_of_result = False
        self._typing = QTimer(self, singleShot=True, interval=typing_ends_ms)
        self._typing.timeout.connect(self._on_typing_ended)
        # Several signals of one turn of the event loop are one change.
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._on_turn_ended)
        workspace.texts_changed.connect(self._typing.start)
        workspace.facts_changed.connect(self._typing.start)
        workspace.shown_changed.connect(self._on_shown_changed)
        comparison.shown_changed.connect(self._on_run_b_changed)
        snapshot_taker.arrangement.begun.connect(self._on_arrangement_begun)
        snapshot_taker.changed.connect(self._turn.start)

    @property
    def current(self) -> Snapshot:
        return self._states[self._index]

    @property
    def can_redo(self) -> bool:
        """Whether a later snapshot can be restored."""
        return self._index + 1 < len(self._states)

    @property
    def steps(self) -> tuple[Snapshot, ...]:
        """The snapshots that can be restored, the oldest first, `current` among them."""
        return tuple(self._states)

    def end_typing(self) -> None:
        """Take what is typed now as a step, without waiting for a pause in the typing."""
        self._on_typing_ended()

    def undo(self) -> None:
        """Show what was shown before."""
        self.end_typing()
        if self._index > 0:
            self._go(self._index - 1)

    def redo(self) -> None:
        """Show again what `undo` left, unless something was typed since."""
        self.end_typing()
        if self.can_redo:
            self._go(self._index + 1)

    def _go(self, index: int) -> None:
        self._index = index
        self._snapshot_taker.arrangement.restore(self.current.arrangement)
        self._snapshot_taker.show(self.current)
        self._typing.stop()
        self._turn.stop()
        # What the new size of the model or the text takes away is no step of the user's.
        self._states[index] = self._snapshot_taker.take()
        self.changed.emit()

    @Slot()
    def _on_shown_changed(self) -> None:
        self._is_of_result = True
        self._turn.start()

    @Slot()
    def _on_run_b_changed(self) -> None:
        # To begin, change or end the comparison is a step of the user's, whose turn may not have ended yet.
        if self._comparison.other == self.current.other:
            self._on_shown_changed()

    @Slot()
    def _on_arrangement_begun(self) -> None:
        """Take the arrangement of a window that has just been built for that of all steps before."""
        now = self._snapshot_taker.arrangement.value
        self._states = [replace(state, arrangement=now) for state in self._states]

    @Slot()
    def _on_turn_ended(self) -> None:
        is_of_result, self._is_of_result = self._is_of_result, False
        if not self._typing.isActive():
            self._note(is_step=not is_of_result)

    @Slot()
    def _on_typing_ended(self) -> None:
        self._typing.stop()
        self._note(is_step=True)

    def _note(self, *, is_step: bool) -> None:
        """Take what is shown now as a new step, or as what the present step has become."""
        now = self._snapshot_taker.take()
        if now == self.current:
            return
        options = self.current.options
        # A result may come in the turn of the choice that it answers. A refusal alone, which has the weights
        # back, is no choice.
        is_chosen = now.options not in (options, replace(options, numbers="weight"))
        is_step = is_step or is_chosen
        # To walk through Steps or Vectors is no step of its own, but is restored with the one it belongs to.
        if is_step and now.without_choices() != self.current.without_choices():
            self._push(now)
        else:
            self._states[self._index] = now

    def _push(self, snapshot: Snapshot) -> None:
        # The window begins with nothing; there is no going back to before the first text.
        if not self.current.text and len(self._states) == 1:
            self._states = []
        del self._states[self._index + 1 :]
        self._states.append(snapshot)
        del self._states[:-_MOST]
        self._index = len(self._states) - 1
        self.changed.emit()
