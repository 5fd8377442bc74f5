"""`Editing`: what can be edited of run A just now, and the edits themselves, for menus and keys alike."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK, NO_EDITS
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.selection import Pair, Selection

EditedRun = Run | Literal["compared"]
"""The run whose token is edited; "compared" is a new run B, which differs from A by that edit."""


class Editing(QObject):
    """Replaces tokens and mutes heads, in run A or in a run B that is compared with it.

    `replacement_requested(position, run)` asks the user for a piece, `prediction_requested` to be shown what
    the checkpoint expects, `explanation_requested(position, run)` why a word was cut as it was.
    """

    replacement_requested = Signal(int, str)
    prediction_requested = Signal()
    explanation_requested = Signal(int, str)

    def __init__(
        self, workspace: Workspace, comparison: Comparison, panels: Panels, selections: dict[Run, Selection]
    ) -> None:
        super().__init__(workspace)
        self.workspace = workspace
        self.comparison = comparison
        self._panels = panels
        self._selections = selections

    @property
    def is_possible(self) -> bool:
        """Whether anything can be edited: a saved trace cannot be computed again."""
        return self.workspace.shown is not None and self.workspace.saved is None

    def tokens(self, run: Run = "A") -> Tokens | None:
        """Return the tokens of a run as they are read."""
        shown = self.comparison.shown if run == "B" else self.workspace.shown
        return None if shown is None else shown.result.trace.tokens

    @property
    def run(self) -> Run:
        """The run that keys act on, "A" or "B": that of the active panel; of a difference A."""
        active = self._panels.active
        is_b = active is not None and active.run == "B" and self.comparison.shown is not None
        return "B" if is_b else "A"

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
        if not self.is_possible or tokens is None or not 0 <= position < len(tokens):
            return False
        return not bool(tokens.is_special[position])

    def is_replaced(self, position: int, run: Run = "A") -> bool:
        """Return whether the token of a run at `position` is replaced."""
        other = self.comparison.other
        edits = other.edits if run == "B" and other is not None else self.workspace.edits
        return edits.piece_at(edits.position_written(position)) is not None

    def is_muted(self, layer: int, head: int) -> bool:
        """Return whether the output of a head is replaced, by zeros or something else."""
        return self.workspace.edits.head_at(layer, head) is not None

    def put(self, run: Run, position: int, piece: str | None) -> None:
        """Read a token of run "A" or "B" as `piece`; None: as it is written."""
        if not self.can_replace(position, run):
            return
        other = self.comparison.other
        if run == "A":
            edits = self.workspace.edits
            self.workspace.set_edits(edits.with_token(edits.position_written(position), piece))
        elif other is not None:
            token = other.edits.position_written(position)
            self.comparison.editor.set_edits(other.edits.with_token(token, piece))

    def can_predict(self, run: Run = "A") -> bool:
        """Return whether the checkpoint of a run names pieces for masked tokens."""
        shown = self.comparison.shown if run == "B" else self.workspace.shown
        return self.is_possible and shown is not None and "masked" in shown.result.facts.task_heads

    def predict(self, position: int, run: Run = "A") -> None:
        """Mask a token of a run, pin it, and have what the checkpoint expects in its place shown."""
        if not self.can_predict(run) or not self.can_replace(position, run):
            return
        if self._selections[run].pinned != Pair(position):
            self._selections[run].pin(query=position)
        self.put(run, position, MASK)
        self.prediction_requested.emit()

    def toggle_mask(self, position: int, run: Run = "A") -> None:
        """Mask a token of a run, or read a replaced one as it is written."""
        self.put(run, position, None if self.is_replaced(position, run) else MASK)

    def compare_token(self, position: int, piece: str = MASK) -> None:
        """Compare with a run B in which the token at `position` is read as `piece`."""
        if self.can_replace(position):
            token = self.workspace.edits.position_written(position)
            self.comparison.editor.compare_token(token, piece)

    def ask_for_replacement(self, position: int, run: EditedRun = "A") -> None:
        """Have the user name the piece for a token, in run A or B, or in a new run B."""
        if self.can_replace(position, "B" if run == "B" else "A"):
            self.replacement_requested.emit(position, run)

    def toggle_mute(self, layer: int, head: int) -> None:
        """Mute or unmute a head: the output of a muted one is zero."""
        if self.is_possible:
            self.workspace.set_edits(self.workspace.edits.with_head_toggled(layer, head))

    def compare_head(self, layer: int, head: int) -> None:
        """Compare with a run B that mutes this head, or unmutes it where run A mutes it."""
        if self.is_possible:
            self.comparison.editor.compare_head(layer, head)

    def toggle_mute_active(self) -> None:
        """Mute or unmute the head of the active panel: in run B, if the panel shows that."""
        active, other = self._panels.active, self.comparison.other
        if active is None:
            return
        if self.run == "B" and other is not None:
            self.comparison.editor.set_edits(other.edits.with_head_toggled(active.layer, active.head))
        else:
            self.toggle_mute(active.layer, active.head)

    def compare_active(self) -> None:
        """Compare with a run in which the head of the active panel is muted."""
        active = self._panels.active
        if active is not None:
            self.compare_head(active.layer, active.head)

    def undo_all(self) -> None:
        """Read every token as it is written, and unmute every head."""
        if self.is_possible:
            self.workspace.set_edits(NO_EDITS)
