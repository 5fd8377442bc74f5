"""`Predicted`: what the task heads say to the runs on screen, of the token that is pointed at or masked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceResult
from bertviz_app.inference.jobs import Check
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASKS
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.tasks import Progress, Tasks

RUNS = ("A", "B")


@dataclass(frozen=True, eq=False)
class Said:
    """What is known of one run, until something newer is.

    `found` is the last answer, of the `tokens` and of the `asked` token that it belongs to; None before
    there is one. `heads` are those of the checkpoint, as in Logits; `is_saved` says that the run was read
    from a file, without its checkpoint. `problem` is why there is no newer answer.
    """

    heads: tuple[str, ...]
    is_saved: bool
    tokens: Tokens
    asked: int | None = None
    found: Predictions | None = None
    problem: AppError | None = None


class Predicted(QObject):
    """Asks the engine on the encoder's worker, the newest question of each run alone.

    Nothing is asked while nobody watches. Of several tokens the one that is pointed at counts, else the
    pinned one, else the first that is masked.
    """

    changed = Signal()

    def __init__(
        self,
        engine: Engine,
        tasks: Tasks,
        selections: dict[str, Selection],
        failed: Callable[[Exception], None],
    ) -> None:
        super().__init__(tasks)
        self._engine = engine
        self._tasks = tasks
        self._selections = selections
        self._failed = failed
        self._is_watched = False
        self._results: dict[str, TraceResult] = {}
        self._said: dict[str, Said] = {}
        self._wanted: dict[str, tuple[TraceResult, int | None]] = {}
        for run in RUNS:
            selections[run].changed.connect(lambda run=run: self._ask(run))

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that there are."""
        return tuple(run for run in RUNS if run in self._results)

    def said(self, run: str) -> Said | None:
        """Return what is known of a run, None where there is no such run."""
        return self._said.get(run)

    def show(self, run: str, result: TraceResult, *, is_saved: bool = False) -> None:
        """From now on `run` is `result`; what was said of the one before stays until there is an answer."""
        if self._results.get(run) is result:
            return
        self._results[run] = result
        said = Said(result.facts.heads, is_saved, result.trace.tokens)
        before = self._said.get(run)
        if before is not None and before.heads == said.heads and not is_saved:
            said = replace(before, is_saved=False, problem=None)
        self._said[run] = said
        self._ask(run)
        self.changed.emit()

    def drop(self, run: str) -> None:
        """There is no such run any more."""
        if self._results.pop(run, None) is not None:
            self._tasks.cancel(_slot(run))
            self._said.pop(run)
            self._wanted.pop(run, None)
            self.changed.emit()

    def watch(self, is_watched: bool) -> None:
        """Answer from now on, or no longer."""
        self._is_watched = is_watched
        for run in self.runs:
            self._ask(run)

    def is_coming(self, run: str) -> bool:
        """Return whether there will be a newer answer."""
        return self._tasks.is_busy(_slot(run))

    def token(self, run: str) -> int | None:
        """Return the token of a run that the head for masked tokens is asked for."""
        tokens = self._results[run].trace.tokens
        shown = self._selections[run].shown.within(len(tokens))
        pointed = shown.key if shown.query is None else shown.query
        masked = (place for place, piece in enumerate(tokens.pieces) if piece in MASKS)
        return next(masked, None) if pointed is None else pointed

    def _ask(self, run: str) -> None:
        result, said = self._results.get(run), self._said.get(run)
        if result is None or said is None or said.is_saved or not said.heads or not self._is_watched:
            return
        position = self.token(run) if "masked" in said.heads else None
        wanted = result, position
        if self._wanted.get(run) == wanted:
            return
        self._wanted[run] = wanted

        def work(check: Check, _: Progress) -> Said:
            asked = [] if position is None else [position]
            found = self._engine.predict(result.request, result.trace, asked)
            return Said(result.facts.heads, False, result.trace.tokens, position, found)

        self._tasks.start(
            _slot(run), work, lambda said: self._keep(run, said), lambda error: self._fail(run, error)
        )

    def _keep(self, run: str, said: Said) -> None:
        self._said[run] = said
        self.changed.emit()

    def _fail(self, run: str, error: Exception) -> None:
        if not isinstance(error, AppError):
            self._failed(error)
            return
        self._said[run] = replace(self._said[run], problem=error)
        self.changed.emit()


def _slot(run: str) -> str:
    return f"predict {run}"
