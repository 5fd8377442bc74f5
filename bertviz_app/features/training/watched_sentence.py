"""`WatchedSentence`: the watched sentence at each saved step, and the picture of one of its heads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.measures import HeadOverview, head_overview
from bertviz_app.errors import Check, FileError
from bertviz_app.features.training.process.job import in_steps, step_of
from bertviz_app.trace import Trace, load_trace
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.heads.pictures import HeadPicture, Pictures, head_pictures
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import FractionDone, Results, Tasks
from bertviz_app.viewmodels.runs.shown import RunStates
from bertviz_app.viewmodels.state import Store

_WATCHED = "watched"


@dataclass(frozen=True, eq=False)
class WatchedStep:
    """The sentence as the model read it at one step, and which steps there are."""

    steps: tuple[int, ...]
    step: int
    trace: Trace
    overview: HeadOverview
    pictures: tuple[HeadPicture, ...]


class WatchedSentence(QObject):
    """Shows the sentence at one saved step: the newest as soon as it is there, or the one that was chosen.

    What is shown stays until the trace of the other step has been read.
    """

    changed = Signal()

    def __init__(self, tasks: Tasks, failed: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._tasks = tasks
        self._failed = failed
        self._folder: Path | None = None
        self._requested: int | None = None
        self._is_outdated = False  # a step was saved while another one was being read
        store = self.store = Store(self)
        self.panels = Panels(store)
        pictures = Pictures(Results(tasks, self._on_failed), store, "watched")
        self._run_states = RunStates({"A": pictures}, Pointer(store), store, self)
        self.side = self._run_states["A"]
        self.shown: WatchedStep | None = None

    @property
    def is_busy(self) -> bool:
        """Whether another one is being read."""
        return self._tasks.is_busy(_WATCHED)

    def show_folder(self, folder: Path | None) -> None:
        """Show the newest saved step of another folder; None for nothing."""
        self._folder, self._requested, self.shown = folder, None, None
        self._is_outdated = False
        self._tasks.cancel(_WATCHED)
        self.changed.emit()
        self.refresh()

    def choose(self, step: int) -> None:
        """Show the sentence at a step; the last one: and those that come after it."""
        is_last = self.shown is not None and step >= self.shown.steps[-1]
        self._requested = None if is_last else step
        self.refresh()

    def note_saved(self) -> None:
        """Look for new saved steps, as soon as the step that is being read is shown.

        Steps that are saved faster than they are read would otherwise cancel each other, and none be shown.
        """
        if self.is_busy:
            self._is_outdated = True
        else:
            self.refresh()

    def refresh(self) -> None:
        """Look for new saved steps, and show the requested one."""
        self._is_outdated = False
        folder, requested, heads = self._folder, self._requested, self.panels.open_heads()
        if folder is None:
            return

        options = self.store.now.options  # read here: the worker must not touch what this thread changes

        def work(check: Check, progress: FractionDone) -> WatchedStep | None:
            paths = in_steps(folder, ".npz")
            if not paths:
                return None
            path = (
                paths[-1] if requested is None else min(paths, key=lambda one: abs(step_of(one) - requested))
            )
            trace = load_trace(path)
            check()
            overview = head_overview(trace, check=check)
            numbers = AttentionNumbers(trace, sinks=overview.sinks)
            pictures = head_pictures(numbers, heads or [(0, 0)], check, options)
            return WatchedStep(tuple(map(step_of, paths)), step_of(path), trace, overview, pictures)

        self._tasks.start(_WATCHED, work, self._on_step_read, self._on_failed)

    def _on_step_read(self, watched: WatchedStep | None) -> None:
        if watched is not None:
            self.shown = watched
            numbers = AttentionNumbers(watched.trace, sinks=watched.overview.sinks)
            # Before the panels: one that is opened looks for the picture of its head, which is then there.
            self._run_states.show("A", numbers, watched.pictures)
            if not self.panels.panels:
                self.panels.open([Panel(0, 0, 0, "matrix")])
            self.panels.set_size(watched.trace.n_layers, watched.trace.n_heads)
            self.changed.emit()
        self._catch_up()

    def _catch_up(self) -> None:
        if self._is_outdated:
            self.refresh()

    def _on_failed(self, error: Exception) -> None:
        """Ignore a trace that cannot be read: it was removed meanwhile, or the next one is shown."""
        if not isinstance(error, FileError):
            self._failed(error)
        self._catch_up()
