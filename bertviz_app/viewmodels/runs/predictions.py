"""`RunPredictions`: what the task heads predict of the runs on screen, of the token pointed at or masked."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceResult
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASKS
from bertviz_app.viewmodels.results import Failed, Ready, Request, Results
from bertviz_app.viewmodels.selection import Selection


@dataclass(frozen=True, eq=False)
class RunPrediction:
    """The newest predictions of one run.

    `found` belongs to the `tokens` and to the token at `position` that the head for masked tokens was run
    for; None before there is an answer. `task_heads` are those of the checkpoint, as in Logits; `is_saved`
    says that the run was read from a file, without its checkpoint. `problem` is why there is no newer answer.
    """

    task_heads: tuple[str, ...]
    is_saved: bool
    tokens: Tokens
    position: int | None = None
    found: Predictions | None = None
    problem: AppError | None = None


class RunPredictions(QObject):
    """Has predictions computed on the analyses' worker, the newest request of each run alone.

    Nothing is requested while no view watches. Of several tokens the one that is pointed at counts, else the
    pinned one, else the first that is masked. What failed is requested again with each move of the pointer
    to a token, and when a view begins to watch.
    """

    changed = Signal()

    def __init__(self, engine: Engine, results: Results, selections: dict[Run, Selection]) -> None:
        super().__init__(results)
        self._engine = engine
        self._results = results
        self._selections = selections
        self._is_watched = False
        self._shown: dict[Run, TraceResult] = {}
        self._predictions: dict[Run, RunPrediction] = {}
        self._keys: dict[Run, Hashable] = {}
        # The view under the pointer is painted before a worker takes a part of the processor.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._request_all)
        for run in ENCODED_RUNS:
            selections[run].changed.connect(self._request_soon)
        results.changed.connect(self._on_result)

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(run for run in ENCODED_RUNS if run in self._shown)

    def of(self, run: Run) -> RunPrediction | None:
        """Return what is predicted of a run, None where there is no such run."""
        return self._predictions.get(run)

    def show(self, run: Run, result: TraceResult, *, is_saved: bool = False) -> None:
        """From now on `run` is `result`; the predictions of the one before stay until there are new ones."""
        if self._shown.get(run) is result:
            return
        self._shown[run] = result
        self._results.hold(_slot(run), (result.trace,))
        now = RunPrediction(result.facts.task_heads, is_saved, result.trace.tokens)
        before = self._predictions.get(run)
        if before is not None and before.task_heads == now.task_heads and not is_saved:
            now = replace(before, is_saved=False, problem=None)
        self._predictions[run] = now
        self._request(run)
        self.changed.emit()

    def drop(self, run: Run) -> None:
        if self._shown.pop(run, None) is not None:
            self._results.release(_slot(run))
            self._results.hold(_slot(run), ())
            self._predictions.pop(run)
            self._keys.pop(run, None)
            self.changed.emit()

    def watch(self, is_watched: bool) -> None:
        """Keep the predictions up to date from now on, or no longer."""
        self._is_watched = is_watched
        self._request_all()

    def is_coming(self, run: Run) -> bool:
        """Return whether newer predictions are being computed, or are going to be asked for."""
        return self._soon.isActive() or self._results.is_coming(_slot(run))

    def token(self, run: Run) -> int | None:
        """Return the position of the token of a run that the head for masked tokens is run for."""
        tokens = self._shown[run].trace.tokens
        shown = self._selections[run].shown.within(len(tokens))
        pointed = shown.key if shown.query is None else shown.query
        masked = (position for position, piece in enumerate(tokens.pieces) if piece in MASKS)
        return next(masked, None) if pointed is None else pointed

    @Slot()
    def _request_soon(self) -> None:
        if self._is_watched:
            self._soon.start()

    @Slot()
    def _request_all(self) -> None:
        for run in self.runs:
            self._request(run)

    def _request(self, run: Run) -> None:
        shown, before = self._shown.get(run), self._predictions.get(run)
        if shown is None or before is None or not self._is_watched:
            return
        if before.is_saved or not shown.facts.task_heads:
            return
        position = self.token(run) if "masked" in shown.facts.task_heads else None
        positions = () if position is None else (position,)
        engine = self._engine
        request = Request(
            ("predictions", shown.trace, position),
            (shown.trace,),
            lambda check, _: engine.predict(shown.request, shown.trace, positions, check=check),
        )
        self._keys[run] = request.key
        self._show(run, position, self._results.get(request, _slot(run), again=True))

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        for run in [run for run, known in self._keys.items() if known == key]:
            state = self._results.state(key)
            assert isinstance(key, tuple)
            if isinstance(state, Ready | Failed):
                self._show(run, key[-1], state)

    def _show(self, run: Run, position: int | None, state: object) -> None:
        before, shown = self._predictions[run], self._shown[run]
        now = before
        if isinstance(state, Ready) and (state.value is not before.found or before.problem is not None):
            now = RunPrediction(shown.facts.task_heads, False, shown.trace.tokens, position, state.value)
        elif isinstance(state, Failed) and isinstance(state.error, AppError):
            now = replace(before, problem=state.error)
        if now is not before:
            self._predictions[run] = now
            self.changed.emit()


def _slot(run: Run) -> str:
    return f"predict {run}"
