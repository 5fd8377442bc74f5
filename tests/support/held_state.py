"""`HeldState`: runs A and B on a fake engine, whose workers work when the test says so."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtWidgets import QApplication

from bertviz_app.inference.engine import TraceRequest
from bertviz_app.text import Edits
from bertviz_app.viewmodels.interventions import Interventions
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import Results, Tasks
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.viewmodels.runs.comparison import ComparedPanels, Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.state import OtherRun, Store
from tests.support.fakes import FakeEngine, HeldJobs


class HeldState:
    """`signals` has the names of those that were recorded, in order; `failures` what went wrong."""

    def __init__(self, application: QApplication, encoder: HeldJobs | None = None) -> None:
        self._application = application
        self.engine = FakeEngine()
        self.encoder, self.pictures, self.downloads = encoder or HeldJobs(), HeldJobs(), HeldJobs()
        self.tasks = Tasks(self.encoder)
        # The test decides when a pause ends the typing.
        self.store = Store(typing_ends_ms=10**6)
        self.workspace = Workspace(self.engine, self.tasks, Tasks(self.downloads), store=self.store)
        results = Results(Tasks(self.pictures))
        self.comparison = Comparison(self.engine, self.workspace, self.tasks, results)
        self.signals: list[str] = []
        self.failures: list[object] = []
        self.workspace.failed.connect(self.failures.append)

    def record(self, source: QObject, *names: str) -> None:
        """Note in `signals` whenever one of these signals is emitted."""
        for name in names:
            signal: SignalInstance = getattr(source, name)
            signal.connect(self._recorder(name))

    def _recorder(self, name: str) -> Callable[[], None]:
        return lambda: self.signals.append(name)

    def wait(self) -> None:
        """Let timers end, and what the workers finished arrive."""
        self._application.processEvents()

    def work(self, *workers: HeldJobs) -> None:
        """Let these workers, or all, do what was requested until nothing is left."""
        workers = workers or (self.encoder, self.pictures, self.downloads)
        self.wait()
        while any(jobs.submitted for jobs in workers):
            for jobs in workers:
                if jobs.submitted:
                    jobs.submitted.pop(0).run()
                    self.wait()

    def start(self, ref: str | None) -> None:
        """Look for devices and checkpoints, and open one, as the window does when it starts."""
        self.workspace.available.look_for_devices()
        self.workspace.open_model(ref)
        self.workspace.available.look_for_sources()

    def open(self, ref: str | None = None) -> None:
        """Open a checkpoint."""
        self.workspace.open_model(ref)
        self.work()

    def type(self, text: str, pair: str | None = None) -> None:
        """Set the texts of run A, and have them encoded."""
        self.workspace.set_texts(text, pair, at_once=True)
        self.work()

    def compare(self, other: OtherRun) -> None:
        """Compare with a run B."""
        self.comparison.set_other(other)
        self.work()

    @property
    def shown_text(self) -> str | None:
        """The text of run A that is shown."""
        shown = self.workspace.shown
        return None if shown is None else shown.result.request.text

    @property
    def problem(self) -> tuple[str, str] | None:
        """The field and the message of the problem of run A, if there is one."""
        problem = self.workspace.problem
        return None if problem is None else (problem.field, problem.error.message)

    @property
    def compared_with(self) -> TraceRequest | None:
        """The request of run B that is shown."""
        return None if self.comparison.shown is None else self.comparison.shown.result.request

    @property
    def edits(self) -> tuple[Edits, Edits]:
        """The edits of what is shown as A and as B."""
        assert self.workspace.shown is not None
        assert self.comparison.shown is not None
        return self.workspace.shown.result.request.edits, self.comparison.shown.result.request.edits


class HeldPanels(HeldState):
    """With panels, which are compared as the window does."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.panels = Panels(self.store)
        self.compared = ComparedPanels(self.comparison, self.panels)


class HeldQuestions(HeldState):
    """With the questions that the files of a checkpoint leave open; `remarks` has what was remarked."""

    def __init__(self, application: QApplication, encoder: HeldJobs) -> None:
        super().__init__(application, encoder)
        self.answering = Answering(self.engine, self.workspace, self.comparison, self.tasks)
        self.remarks: list[str] = []
        self.answering.remarked.connect(self.remarks.append)

    def answer(self, heads: str = "4", lower_case: bool = True) -> None:
        """Type the answers and give them."""
        self.answering.typed.write("n_heads", heads)
        self.answering.typed.choose("lower_case", lower_case)
        self.answering.answer()
        self.work()


class HeldHistory(HeldState):
    """With all that the state of a window holds, and its steps."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.panels, self.selection = Panels(self.store), Pointer(self.store).selections["A"]
        self.workspace.shown_changed.connect(self._on_shown_changed)
        self.interventions = Interventions((self.workspace, self.comparison))

    def _on_shown_changed(self) -> None:
        assert self.workspace.shown is not None
        trace = self.workspace.shown.result.trace
        with self.store.amending():
            self.panels.set_size(trace.n_layers, trace.n_heads)

    def type(self, text: str, pair: str | None = None) -> None:
        """Type a text letter by letter, see it, and pause."""
        for end in range(1, len(text) + 1):
            super().type(text[:end], pair)
        self.pause()

    def pause(self) -> None:
        """Pause in the typing."""
        self.store.end_typing()
        self.work()

    @property
    def texts(self) -> list[str]:
        """The text of each step of the history."""
        return [state.text for state in self.store.steps]
