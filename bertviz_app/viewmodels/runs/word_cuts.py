"""`WordCuts`: why the words of a run were cut as they were, computed when it is requested."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.types import Check
from bertviz_app.viewmodels.runs.editing import Editing
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

_SLOT = "word cut"


class WordCuts(QObject):
    """Emits `explained` with a WhyCut, None where no steps can be shown; `failed` with an error."""

    explained = Signal(object)
    failed = Signal(object)

    def __init__(self, engine: Engine, editing: Editing, tasks: Tasks) -> None:
        super().__init__(editing)
        self._engine, self._editing, self._tasks = engine, editing, tasks
        editing.explanation_requested.connect(self._on_requested)

    @Slot(int, str)
    def _on_requested(self, position: int, run: str) -> None:
        """Explain what was typed there: a replaced token is written in another place than it is read."""
        editing = self._editing
        shown = editing.comparison.shown if run == "B" else editing.workspace.shown
        if shown is None:
            return
        request, tokens = shown.result.request, shown.result.trace.tokens

        def work(check: Check, progress: FractionDone) -> WhyCut | None:
            return self._engine.why_cut(request.ref, tokens, position, check)

        self._tasks.start(_SLOT, work, self.explained.emit, self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self.explained.emit(None)
        else:
            self.failed.emit(error)
