"""`Editing`: what can be edited of run A just now, and the edits themselves, for menus and keys alike."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK, NO_EDITS
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.selection import Pair, Selection

UNKNOWN = ("[UNK]", "<unk>")
"""What tokenizers put where their vocabulary has nothing."""


class Editing(QObject):
    """Replaces tokens and mutes heads, in run A or in a run B that is compared with it.

    `replacement_asked(position, is_compared)` asks the user for a piece, `prediction_asked` to be shown what
    the checkpoint expects.
    """

    replacement_asked = Signal(int, bool)
    prediction_asked = Signal()

    def __init__(
        self, workspace: Workspace, comparison: Comparison, panels: Panels, selection: Selection
    ) -> None:
        super().__init__(workspace)
        self.workspace = workspace
        self.comparison = comparison
        self._panels = panels
        self._selection = selection

    @property
    def is_possible(self) -> bool:
        """Whether anything can be edited: a saved trace cannot be computed again."""
        return self.workspace.shown is not None and self.workspace.saved is None

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of run A as they are read."""
        return None if self.workspace.shown is None else self.workspace.shown.result.trace.tokens

    @property
    def pinned(self) -> int | None:
        """The token that is pinned, if it can be edited."""
        position = self._selection.pinned.query
        return position if position is not None and self.can_replace(position) else None

    def can_replace(self, position: int) -> bool:
        """Return whether the token at `position` is one of the text, not a special one."""
        tokens = self.tokens
        if not self.is_possible or tokens is None or not 0 <= position < len(tokens):
            return False
        return not bool(tokens.is_special[position])

    def is_replaced(self, position: int) -> bool:
        """Return whether the token at `position` is replaced."""
        return self.workspace.edits.piece_at(position) is not None

    def is_unknown(self, position: int) -> bool:
        """Return whether the vocabulary has nothing for what is written at `position`."""
        tokens = self.tokens
        return tokens is not None and tokens.pieces[position] in UNKNOWN and not self.is_replaced(position)

    def is_muted(self, layer: int, head: int) -> bool:
        """Return whether a head is muted."""
        return (layer, head) in self.workspace.edits.muted

    def replace(self, position: int, piece: str | None) -> None:
        """Read the token at `position` as `piece`; None: as it is written."""
        if self.can_replace(position):
            self.workspace.set_edits(self.workspace.edits.with_token(position, piece))

    def put(self, run: str, position: int, piece: str) -> None:
        """Read a token of run "A" or "B" as `piece`."""
        if run == "A":
            self.replace(position, piece)
            return
        other, shown = self.comparison.other, self.comparison.shown
        if other is None or shown is None or position >= shown.result.trace.n_tokens:
            return
        if not shown.result.trace.tokens.is_special[position]:
            self.comparison.editor.set_edits(other.edits.with_token(position, piece))

    @property
    def can_predict(self) -> bool:
        """Whether the checkpoint of run A names pieces for masked tokens."""
        shown = self.workspace.shown
        return self.is_possible and shown is not None and "masked" in shown.result.facts.task_heads

    def predict(self, position: int) -> None:
        """Mask a token, pin it, and have what the checkpoint expects in its place shown."""
        if not self.can_predict or not self.can_replace(position):
            return
        if self._selection.pinned != Pair(position):
            self._selection.pin(query=position)
        self.replace(position, MASK)
        self.prediction_asked.emit()

    def toggle_mask(self, position: int) -> None:
        """Mask a token, or read a replaced one as it is written."""
        self.replace(position, None if self.is_replaced(position) else MASK)

    def compare_token(self, position: int, piece: str = MASK) -> None:
        """Compare with a run B in which the token at `position` is read as `piece`."""
        if self.can_replace(position):
            self.comparison.editor.compare_token(position, piece)

    def ask_for_replacement(self, position: int, *, is_compared: bool = False) -> None:
        """Have the user name the piece that a token is to be read as."""
        if self.can_replace(position):
            self.replacement_asked.emit(position, is_compared)

    def toggle_mute(self, layer: int, head: int) -> None:
        """Let a head hand over nothing, or hear it again."""
        if self.is_possible:
            self.workspace.set_edits(self.workspace.edits.with_head_toggled(layer, head))

    def compare_head(self, layer: int, head: int) -> None:
        """Compare with a run B that mutes this head, or hears it where run A mutes it."""
        if self.is_possible:
            self.comparison.editor.compare_head(layer, head)

    def toggle_mute_active(self) -> None:
        """Mute, or hear again, the head of the active panel: in run B, if the panel shows that."""
        active, other = self._panels.active, self.comparison.other
        if active is None:
            return
        if active.run == "B" and other is not None:
            edits = other.edits.with_head_toggled(active.layer, active.head)
            self.comparison.set_other(replace(other, edits=edits))
        else:
            self.toggle_mute(active.layer, active.head)

    def compare_active(self) -> None:
        """Compare with a run in which the head of the active panel is muted."""
        active = self._panels.active
        if active is not None:
            self.compare_head(active.layer, active.head)

    def undo_all(self) -> None:
        """Read every token as it is written, and hear every head."""
        if self.is_possible:
            self.workspace.set_edits(NO_EDITS)
