"""`History`: undo and redo of what the window shows."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.session.snapshot import Snapshot, SnapshotTaker

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
