"""`Snapshot`: what is looked at, as one value; `SnapshotTaker` takes it and shows it again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.json_store import decode, encode
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.viewmodels.options import DrawOptions, Options
from bertviz_app.viewmodels.overview_options import OverviewChoice, OverviewOptions
from bertviz_app.viewmodels.panel_kinds import PANEL_KINDS
from bertviz_app.viewmodels.panels import MOST, RUNS, Panel, Panels
from bertviz_app.viewmodels.runs.comparison import Comparison, OtherRun
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection

_LARGEST = 2**31 - 1
"""No layer, head or position of a model comes near it; integers of Qt's signals end there."""


@dataclass(frozen=True)
class Snapshot:
    """Texts, checkpoint (None: the default one), edits, run B, panels, the pinned pair; not the zoom.

    The panels have no numbers of their own, so that equal snapshots are equal.
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

    def __post_init__(self) -> None:
        if len(self.panels) > MOST:
            raise ValueError(f"{len(self.panels)} panels are too many")
        for panel in self.panels:
            _judge(panel)
        if not 0 <= self.active < max(1, len(self.panels)):
            raise ValueError(f"there is no panel {self.active}")
        if any(place is not None and place < 0 for place in (self.pinned.query, self.pinned.key)):
            raise ValueError("tokens count from 0")


def _judge(panel: Panel) -> None:
    if panel.how not in PANEL_KINDS or panel.run not in RUNS:
        raise ValueError(f"a panel cannot draw {panel.run} as {panel.how}")
    if min(panel.layer, panel.head, *panel.heads) < 0:
        raise ValueError("layers and heads count from 0")


def snapshot_to_plain(snapshot: Snapshot) -> dict[str, Any]:
    """Return `snapshot` as JSON has it."""
    plain: dict[str, Any] = encode(snapshot)
    return plain


def snapshot_from_plain(value: object) -> Snapshot:
    """Return the snapshot in `value`. Raises ValueError for anything else."""
    snapshot = decode(Snapshot, value, largest=_LARGEST)
    return replace(snapshot, panels=tuple(replace(panel, number=0) for panel in snapshot.panels))


class SnapshotTaker(QObject):
    """The parts of the window's state that a snapshot holds. `changed` tells that a new one may differ."""

    changed = Signal()

    def __init__(
        self,
        workspace: Workspace,
        comparison: Comparison,
        panels: Panels,
        selection: Selection,
        options: Options,
        overview: OverviewOptions,
    ) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._comparison = comparison
        self._panels = panels
        self._selection = selection
        self._options = options
        self._overview = overview
        self._waiting: Snapshot | None = None
        for signal in (
            workspace.texts_changed,
            workspace.facts_changed,
            workspace.edits_changed,
            comparison.changed,
            panels.changed,
            selection.changed,
            options.changed,
            overview.changed,
        ):
            signal.connect(self.changed)
        workspace.shown_changed.connect(self._on_shown_changed)

    def take(self) -> Snapshot:
        """Return what is looked at now, or will be when what was asked for is there."""
        if self._waiting is not None:
            return self._waiting
        workspace, panels = self._workspace, self._panels.panels
        active = self._panels.active
        return Snapshot(
            text=workspace.text,
            pair=workspace.pair,
            ref=workspace.ref,
            edits=workspace.edits,
            other=self._comparison.other,
            panels=tuple(replace(panel, number=0) for panel in panels),
            active=0 if active is None else panels.index(active),
            pinned=self._selection.pinned,
            options=self._options.value,
            overview=self._overview.value,
        )

    def show(self, snapshot: Snapshot, *, opens: bool = True) -> None:
        """Look at `snapshot` again; what its text or checkpoint must be there for waits for them.

        Without `opens` somebody else opens its checkpoint.
        """
        workspace = self._workspace
        is_other_model = opens and snapshot.ref != workspace.ref
        is_other_input = is_other_model or (snapshot.text, snapshot.pair, snapshot.edits) != (
            *(workspace.text, workspace.pair),
            workspace.edits,
        )
        self._waiting = None
        self._options.change(**vars(snapshot.options))
        self._overview.change(**vars(snapshot.overview))
        workspace.set_texts(snapshot.text, snapshot.pair, at_once=True)
        if is_other_model:
            workspace.open_model(snapshot.ref, snapshot.edits)
        else:
            workspace.set_edits(snapshot.edits)
        if not is_other_model or workspace.shown is None:
            self._arrange(snapshot)
        if is_other_input:
            self._waiting = snapshot

    def _arrange(self, snapshot: Snapshot) -> None:
        if snapshot.other is None:
            self._comparison.end()
        else:
            self._comparison.set_other(snapshot.other)
        panels, shown = snapshot.panels, self._workspace.shown
        if shown is not None:
            trace = shown.result.trace
            panels = tuple(_within(panel, trace.n_layers, trace.n_heads) for panel in panels)
        now = tuple(replace(panel, number=0) for panel in self._panels.panels)
        is_active = (
            self._panels.active is not None
            and now.index(replace(self._panels.active, number=0)) == snapshot.active
        )
        if panels and (panels != now or not is_active):
            self._panels.open(panels, snapshot.active)
        self._selection.follow(NOTHING, snapshot.pinned)

    @Slot()
    def _on_shown_changed(self) -> None:
        waiting, shown = self._waiting, self._workspace.shown
        if waiting is not None and shown is not None:
            request = shown.result.request
            if (request.text, request.pair, request.ref) == (waiting.text, waiting.pair, waiting.ref):
                self._waiting = None
                self._arrange(waiting)
            elif self._workspace.opening is None:
                self._waiting = None
        self.changed.emit()


def _within(panel: Panel, n_layers: int, n_heads: int) -> Panel:
    heads = tuple(head for head in panel.heads if head < n_heads)
    return replace(
        panel, layer=min(panel.layer, n_layers - 1), head=min(panel.head, n_heads - 1), heads=heads
    )
