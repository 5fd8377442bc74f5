"""What a Vectors panel is made of, on a worker that the test drives."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.comparison import Comparison
from bertviz_app.viewmodels.details import Details
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.pictures import HeadPicture, Pictures, head_picture
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.shelf import Shelf
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.vectors import VectorPictures
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.viewmodels.workspace import Workspace
from bertviz_app.views.look import Look
from bertviz_app.views.panel_view import PanelTools
from bertviz_app.views.vectors import VectorsView
from tests.fakes import FakeEngine, HeldJobs


class VectorScene:
    """A Vectors view with its tools. `failures`: what went wrong on the way."""

    def __init__(self, look: Look, jobs: HeldJobs) -> None:
        self.jobs = jobs
        self.failures: list[Exception] = []
        self.asked: list[tuple[str, str | None, Edits]] = []
        tasks, engine, options = Tasks(jobs), FakeEngine(), Options()
        self.workspace = Workspace(engine, tasks)
        self.selection = Selection()
        self.tools = PanelTools(
            look=look,
            selection=self.selection,
            viewport=Viewport(),
            options=options,
            pictures=Pictures(tasks, options, self.failures.append, "A"),
            details=Details(engine, tasks, self.failures.append),
            vectors=VectorPictures(tasks, self.failures.append),
            shelf=Shelf(self.workspace),
            comparison=Comparison(engine, self.workspace, tasks, tasks),
        )
        self.tools.shelf.wanted.connect(lambda *wanted: self.asked.append(wanted))
        self.view = VectorsView(self.tools)

    def show(self, trace: Trace, layer: int | None = None) -> HeadPicture:
        """Show a run in the view, at a layer (the last one)."""
        picture = head_picture(trace, trace.n_layers - 1 if layer is None else layer, 0)
        self.view.show_picture(picture)
        return picture

    def work(self) -> None:
        """Let the worker do everything that was asked, until nothing is left."""
        QApplication.processEvents()
        while self.jobs.submitted:
            self.jobs.submitted.pop(0).run()
            QApplication.processEvents()

    def type(self, text: str, pair: str | None = None) -> None:
        """Encode a text with the fake engine."""
        if self.workspace.facts is None:
            self.workspace.open_model(None)
        self.workspace.set_texts(text, pair, at_once=True)
        self.work()
