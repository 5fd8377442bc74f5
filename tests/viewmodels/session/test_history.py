"""Going back and forth: a typed text is one step, every other change one, and results are none."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.inference.engine import Engine
from bertviz_app.text import Edits
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.overview_options import OverviewOptions
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs import workspace as workspace_module
from bertviz_app.viewmodels.runs.comparison import Comparison, OtherRun
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.session import history as module
from bertviz_app.viewmodels.session.history import History
from bertviz_app.viewmodels.session.snapshot import Snapshot, SnapshotTaker
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.fakes import FakeEngine, HeldJobs


class Desk:
    """The parts of a desk, whose worker runs when the test says so."""

    def __init__(self, engine: Engine) -> None:
        self.jobs = HeldJobs()
        tasks = Tasks(self.jobs)
        self.workspace = Workspace(engine, tasks)
        self.panels, self.selection = Panels(), Selection()
        self.options, self.overview = Options(), OverviewOptions()
        self.comparison = Comparison(engine, self.workspace, tasks, Results(tasks))
        selected = (self.panels, self.selection, self.options, self.overview)
        self.workspace.shown_changed.connect(self._on_shown_changed)
        self.scene = SnapshotTaker(self.workspace, self.comparison, *selected)
        self.history = History(self.scene, self.workspace)

    def _on_shown_changed(self) -> None:
        assert self.workspace.shown is not None
        trace = self.workspace.shown.result.trace
        self.selection.keep_within(trace.n_tokens)
        self.panels.set_size(trace.n_layers, trace.n_heads)

    def work(self) -> None:
        """Do what was asked for, and let it arrive."""
        for _ in range(6):
            QTest.qWait(1)
            waiting, self.jobs.submitted = self.jobs.submitted, []
            for held in waiting:
                held.run()
        QTest.qWait(1)

    def type(self, text: str) -> None:
        """Type a text, see it, and pause."""
        for end in range(1, len(text) + 1):
            self.workspace.set_texts(text[:end], None, at_once=True)
            self.work()
        self.pause()

    def pause(self) -> None:
        self.history._typing.timeout.emit()
        self.work()

    @property
    def texts(self) -> list[str]:
        return [snapshot.text for snapshot in self.history._states]


@pytest.fixture
def desk(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(module, "TYPING_ENDS_MS", 10**6)
    monkeypatch.setattr(workspace_module, "list_sources", list)
    monkeypatch.setattr(workspace_module, "preload_torch", lambda: None)
    desk = Desk(FakeEngine())
    desk.history._typing.setInterval(10**6)  # pauses are the test's
    desk.workspace.start(None)
    desk.work()
    desk.pause()
    return desk


def test_a_typed_text_is_one_step(desk: Desk) -> None:
    desk.type("cat")
    desk.type("dog")
    assert desk.texts == ["cat", "dog"]


def test_back_and_forth(desk: Desk) -> None:
    for text in ("one", "two", "three"):
        desk.type(text)
    desk.history.undo()
    desk.work()
    assert desk.workspace.text == "two"
    assert desk.workspace.is_current
    desk.history.undo()
    desk.work()
    desk.history.undo()  # there is no more
    assert desk.workspace.text == "one"
    assert not desk.history.can_undo
    desk.history.redo()
    desk.history.redo()
    desk.history.redo()
    desk.work()
    assert desk.workspace.text == "three"
    assert not desk.history.can_redo


def test_results_that_arrive_are_no_steps(desk: Desk) -> None:
    desk.type("one two three four")
    desk.selection.pin(query=5)
    desk.work()
    n_steps = len(desk.texts)
    desk.type("one")  # the pinned token is lost with the text
    assert len(desk.texts) == n_steps + 1
    assert not desk.selection.pinned
    desk.history.undo()
    desk.work()
    assert desk.workspace.text == "one two three four"
    assert desk.selection.pinned == Pair(5, None)


def test_a_new_step_ends_what_was_forth(desk: Desk) -> None:
    for text in ("one", "two"):
        desk.type(text)
    desk.history.undo()
    desk.work()
    desk.type("three")
    assert desk.texts == ["one", "three"]


def test_panels_options_edits_and_run_b_come_back(desk: Desk) -> None:
    desk.type("one two three")
    before = desk.scene.take()
    desk.panels.add(0, 1)
    desk.work()
    desk.options.change(threshold=0.5)
    desk.work()
    desk.workspace.set_edits(Edits(muted=((0, 0),)))
    desk.work()
    desk.comparison.set_other(OtherRun(text="another text"))
    desk.work()
    after = desk.scene.take()
    for _ in range(4):
        desk.history.undo()
        desk.work()
    assert desk.scene.take() == before
    for _ in range(4):
        desk.history.redo()
        desk.work()
    assert desk.scene.take() == after
    assert desk.comparison.shown is not None


def test_what_is_typed_and_undone_at_once_is_not_lost(desk: Desk) -> None:
    desk.type("one")
    desk.workspace.set_texts("two", None, at_once=True)
    desk.history.undo()
    desk.work()
    assert desk.workspace.text == "one"
    desk.history.redo()
    desk.work()
    assert desk.workspace.text == "two"


def test_another_checkpoint_comes_back_with_its_panels(desk: Desk) -> None:
    desk.type("one")
    desk.panels.show(0, 1)
    desk.work()
    desk.workspace.open_model("other")
    desk.work()
    desk.pause()
    desk.panels.show(1, 2)
    desk.work()
    desk.history.undo()
    desk.history.undo()
    assert desk.workspace.ref is None
    desk.work()
    assert desk.workspace.facts is not None
    assert desk.workspace.facts.name == "fake"
    assert desk.panels.open_heads() == [(0, 1), (0, 1)]


def test_steps_are_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 3)
    for text in ("a", "b", "c", "d", "e"):
        desk.type(text)
    assert desk.texts == ["c", "d", "e"]


def test_the_state_shown_at_first_is_the_first_step(desk: Desk) -> None:
    desk.scene.show(Snapshot(text="from last time", pinned=Pair(1, 2)))
    desk.work()
    desk.pause()
    assert desk.texts == ["from last time"]
    assert desk.selection.pinned == Pair(1, 2)
