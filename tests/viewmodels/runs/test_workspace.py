"""What is asked and what is shown: the last good answer stays until a better one is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.measures import head_overview
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import CheckpointError, DeviceError, TextError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.viewmodels.runs import workspace as module
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.fakes import CPU, FACTS, FakeEngine, HeldJobs

SOURCE = Source("tiny", Path("/nowhere/tiny"), "folder", 1000)


class Desk:
    """A workspace on a fake engine whose worker does what it is told, and what it signalled."""

    def __init__(self, jobs: HeldJobs, application: QApplication) -> None:
        self.engine = FakeEngine()
        self.tasks = Tasks(jobs)
        self.workspace = Workspace(self.engine, self.tasks)
        self.signals: list[str] = []
        self.failures: list[object] = []
        self._jobs = jobs
        self._application = application
        for name in ("shown", "facts", "texts", "problem", "devices", "sources"):
            getattr(self.workspace, f"{name}_changed").connect(self._note(name))
        self.workspace.failed.connect(self.failures.append)

    def _note(self, name: str) -> Callable[[], None]:
        return lambda: self.signals.append(name)

    def work(self) -> None:
        """Let the debounce end and the worker do everything that was asked, until nothing is left."""
        self._application.processEvents()
        while self._jobs.submitted:
            self._jobs.submitted.pop(0).run()
            self._application.processEvents()

    def open(self, ref: str | None = None) -> None:
        self.workspace.open_model(ref)
        self.work()

    def type(self, text: str, pair: str | None = None) -> None:
        """Set the texts without waiting, and work."""
        self.workspace.set_texts(text, pair, at_once=True)
        self.work()

    @property
    def shown_text(self) -> str | None:
        shown = self.workspace.shown
        return None if shown is None else shown.result.request.text

    @property
    def problem(self) -> tuple[str, str] | None:
        """The field and the message of the problem, if there is one."""
        problem = self.workspace.problem
        return None if problem is None else (problem.field, problem.error.message)


@pytest.fixture
def desk(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(module, "list_sources", lambda: [SOURCE])
    monkeypatch.setattr(module, "preload_torch", lambda: None)
    return Desk(jobs, qapp)


@pytest.fixture
def open_desk(desk: Desk) -> Desk:
    """A desk on which a checkpoint is open and a text shown."""
    desk.open()
    desk.type("a good text")
    desk.signals.clear()
    return desk


def test_start_finds_devices_and_sources_and_opens_the_checkpoint(desk: Desk) -> None:
    desk.workspace.start("mine")
    desk.work()
    assert desk.workspace.devices == (CPU,)
    assert desk.workspace.sources == (SOURCE,)
    assert desk.workspace.facts is not None
    assert desk.workspace.facts.name == "mine"
    assert {"devices", "sources", "facts"} <= set(desk.signals)
    assert desk.workspace.shown is None


def test_a_text_is_shown_with_all_its_heads(desk: Desk) -> None:
    desk.open()
    desk.type("the cat sat", "it slept")
    shown = desk.workspace.shown
    assert shown is not None
    assert shown.result.request == TraceRequest(None, "auto", "the cat sat", "it slept")
    assert shown.result.trace.tokens.pieces == (
        *("[CLS]", "the", "cat", "sat", "[SEP]"),
        *("it", "slept", "[SEP]"),
    )
    np.testing.assert_array_equal(shown.overview.pictures, head_overview(shown.result.trace).pictures)
    assert desk.workspace.is_current


def test_while_one_types_nothing_is_encoded_and_then_the_last_text_only(
    desk: Desk, jobs: HeldJobs, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DEBOUNCE_MS", 3_600_000)
    desk.open()
    for text in ("a", "ab", "abc"):
        desk.workspace.set_texts(text, None)
        qapp.processEvents()
    assert jobs.of("encode") == []
    assert desk.workspace.is_busy
    desk.type("abcd")
    assert [request.text for request in desk.engine.asked] == ["abcd"]


def test_the_pause_in_typing_ends_by_itself(
    desk: Desk, jobs: HeldJobs, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DEBOUNCE_MS", 1)
    desk.open()
    for text in ("a", "ab"):
        desk.workspace.set_texts(text, None)
    qtbot.waitUntil(lambda: bool(jobs.of("encode")))
    desk.work()
    assert [request.text for request in desk.engine.asked] == ["ab"]


def test_the_same_text_again_is_not_encoded_again(open_desk: Desk) -> None:
    open_desk.type("a good text")
    assert len(open_desk.engine.asked) == 1
    assert open_desk.signals == []


def test_a_result_that_a_newer_text_overtook_is_not_shown(
    open_desk: Desk, jobs: HeldJobs, qapp: QApplication
) -> None:
    workspace = open_desk.workspace
    for text in ("older", "newer"):
        workspace.set_texts(text, None, at_once=True)
        qapp.processEvents()
    older, newer = jobs.of("encode")
    newer.run()
    older.run()
    qapp.processEvents()
    assert open_desk.shown_text == "newer"
    assert open_desk.signals.count("shown") == 1


def test_what_is_shown_is_not_current_while_a_newer_text_is_encoded(
    open_desk: Desk, qapp: QApplication
) -> None:
    open_desk.workspace.set_texts("newer", None, at_once=True)
    assert not open_desk.workspace.is_current
    assert open_desk.shown_text == "a good text"
    open_desk.work()
    assert open_desk.workspace.is_current
    assert not open_desk.workspace.is_busy


@pytest.mark.parametrize(
    ("text", "pair", "field"), [("", None, "text"), ("  ", None, "text"), ("good", "\x00", "pair")]
)
def test_a_problem_keeps_what_is_shown_and_the_text(
    open_desk: Desk, text: str, pair: str | None, field: str
) -> None:
    before = open_desk.workspace.shown
    open_desk.type(text, pair)
    assert open_desk.problem is not None
    assert open_desk.problem[0] == field
    assert open_desk.workspace.shown is before
    assert (open_desk.workspace.text, open_desk.workspace.pair) == (text, pair)
    assert not open_desk.workspace.is_current
    assert open_desk.signals == ["texts", "problem"]


def test_a_problem_goes_away_with_the_next_good_text(open_desk: Desk) -> None:
    open_desk.type("")
    open_desk.type("good again")
    assert open_desk.problem is None
    assert open_desk.shown_text == "good again"


def test_a_problem_goes_away_with_the_text_that_is_shown_already(open_desk: Desk) -> None:
    open_desk.type("")
    open_desk.type("a good text")
    assert open_desk.problem is None
    assert open_desk.workspace.is_current


def test_an_empty_field_at_the_start_is_no_problem(desk: Desk) -> None:
    desk.open()
    assert desk.workspace.text == ""
    assert desk.problem is None
    assert desk.workspace.shown is None
    assert desk.engine.asked == []
    assert not desk.workspace.is_busy


@pytest.mark.parametrize("typed", ["   ", "good"])
def test_emptied_before_anything_was_shown_is_the_start_again(
    desk: Desk, jobs: HeldJobs, qapp: QApplication, typed: str
) -> None:
    desk.open()
    desk.workspace.set_texts(typed, None, at_once=True)
    qapp.processEvents()
    if typed == "   ":
        desk.work()
        assert desk.problem is not None
    desk.type("")
    assert desk.problem is None
    assert desk.workspace.shown is None
    assert not desk.workspace.is_busy


def test_a_text_set_before_the_checkpoint_is_open_is_encoded_once_it_is(desk: Desk) -> None:
    desk.type("early")
    assert desk.engine.asked == []
    desk.open()
    assert desk.shown_text == "early"
    assert len(desk.engine.asked) == 1


def test_opening_another_keeps_the_old_until_it_is_there(
    open_desk: Desk, jobs: HeldJobs, qapp: QApplication
) -> None:
    workspace = open_desk.workspace
    old = workspace.facts
    workspace.open_model("other")
    assert (workspace.opening, workspace.facts) == ("other", old)
    workspace.set_texts("typed meanwhile", None, at_once=True)
    qapp.processEvents()
    jobs.of("encode")[0].run()
    qapp.processEvents()
    assert open_desk.engine.asked[-1].ref is None
    assert open_desk.shown_text == "typed meanwhile"
    jobs.of("open")[0].run()
    jobs.submitted.clear()
    open_desk.work()
    assert workspace.facts is not None
    assert workspace.facts.name == "other"
    assert workspace.opening is None
    assert open_desk.engine.asked[-1] == TraceRequest("other", "auto", "typed meanwhile", None)


def test_progress_of_opening_is_told_while_it_lasts(
    open_desk: Desk, jobs: HeldJobs, qapp: QApplication
) -> None:
    seen: list[float | None] = []
    workspace = open_desk.workspace
    workspace.activity_changed.connect(lambda: seen.append(workspace.progress))
    open_desk.open("other")
    assert 0.5 in seen
    assert workspace.progress is None


def test_failing_to_open_keeps_the_old(open_desk: Desk) -> None:
    workspace = open_desk.workspace
    before = (workspace.facts, workspace.shown)
    open_desk.engine.errors["broken"] = CheckpointError("This is no checkpoint.", "Choose another.")
    open_desk.open("broken")
    assert open_desk.problem == ("model", "This is no checkpoint.")
    assert (workspace.facts, workspace.shown) == before
    assert workspace.opening is None
    open_desk.type("goes on")
    assert open_desk.engine.asked[-1].ref is None
    assert open_desk.shown_text == "goes on"
    assert open_desk.problem is None


def test_a_text_that_waited_does_not_take_back_that_opening_failed(
    open_desk: Desk, jobs: HeldJobs, qapp: QApplication
) -> None:
    open_desk.engine.errors["broken"] = CheckpointError("This is no checkpoint.", "Choose another.")
    open_desk.workspace.set_texts("waited", None, at_once=True)
    open_desk.open("broken")
    assert open_desk.shown_text == "waited"
    assert open_desk.problem == ("model", "This is no checkpoint.")


def test_pictures_of_the_open_panels_come_with_the_result(open_desk: Desk) -> None:
    open_desk.workspace.heads_in_panels = lambda: [(0, 1), (0, 1), (99, 0)]
    open_desk.type("two panels of one head")
    shown = open_desk.workspace.shown
    assert shown is not None
    assert [(picture.layer, picture.head) for picture in shown.pictures] == [(0, 1)]
    assert shown.pictures[0].trace is shown.result.trace


def test_opening_can_be_given_up(open_desk: Desk, jobs: HeldJobs, qapp: QApplication) -> None:
    workspace = open_desk.workspace
    before = workspace.facts
    workspace.open_model("other")
    workspace.cancel_opening()
    assert jobs.cancelled == ["open"]
    assert (workspace.opening, workspace.is_busy) == (None, False)
    open_desk.work()
    assert workspace.facts == before


def test_of_two_checkpoints_the_one_chosen_last_is_opened(
    open_desk: Desk, jobs: HeldJobs, qapp: QApplication
) -> None:
    for ref in ("first", "second"):
        open_desk.workspace.open_model(ref)
    for held in reversed(jobs.of("open")):
        held.run()
    qapp.processEvents()
    assert open_desk.workspace.facts is not None
    assert open_desk.workspace.facts.name == "second"


def test_a_device_that_is_not_there_is_a_problem_of_the_device(open_desk: Desk) -> None:
    open_desk.workspace.set_device("cuda:7")
    open_desk.work()
    assert open_desk.problem == ("device", "This computer has no device “cuda:7”.")
    assert open_desk.shown_text == "a good text"
    open_desk.workspace.set_device("cpu")
    open_desk.work()
    assert open_desk.problem is None
    assert open_desk.workspace.is_current


@pytest.mark.parametrize(
    ("error", "field"),
    [
        (DeviceError("No memory.", ""), "device"),
        (TextError("Bad.", "", "pair"), "pair"),
        (CheckpointError("Gone.", ""), "model"),
    ],
)
def test_a_problem_stands_at_the_field_it_is_about(
    open_desk: Desk, error: TextError | DeviceError | CheckpointError, field: str
) -> None:
    open_desk.engine.errors["bad"] = error
    open_desk.type("bad")
    assert open_desk.problem == (field, error.message)


def test_a_defect_is_told_as_one_and_everything_stays(open_desk: Desk) -> None:
    defect = ZeroDivisionError("a defect")
    before = open_desk.workspace.shown
    open_desk.engine.errors["bad"] = defect
    open_desk.type("bad")
    assert open_desk.failures == [defect]
    assert open_desk.problem is None
    assert open_desk.workspace.shown is before
    open_desk.type("good")
    assert open_desk.shown_text == "good"


def test_a_defect_while_opening_is_told_as_one(open_desk: Desk) -> None:
    defect = ZeroDivisionError("a defect")
    open_desk.engine.errors["bad"] = defect
    open_desk.open("bad")
    assert open_desk.failures == [defect]
    assert open_desk.workspace.opening is None


def test_looking_for_sources_again_tells_only_what_is_new(
    open_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sources in ([], [], [SOURCE]):
        monkeypatch.setattr(module, "list_sources", lambda sources=sources: sources)
        open_desk.workspace.look_for_sources()
        open_desk.work()
    assert open_desk.signals == ["sources", "sources"]


def test_what_was_opened_lately_is_listed_after_the_others(
    open_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(SOURCE, folder=Path("/elsewhere"))
    asked: list[tuple[str, ...]] = []

    def at(refs: tuple[str, ...]) -> list[Source]:
        asked.append(refs)
        return [SOURCE, other]

    monkeypatch.setattr(module, "sources_at", at)
    open_desk.workspace.recent_refs = lambda: ["/elsewhere"]
    open_desk.workspace.look_for_sources()
    open_desk.work()
    assert asked == [("/elsewhere",)]
    assert open_desk.workspace.sources == (SOURCE, other), "each once"


def test_an_opening_tells_which_checkpoints_are_in_memory(open_desk: Desk) -> None:
    open_desk.engine.in_memory = {SOURCE.ref: FACTS}
    open_desk.open("other")
    assert open_desk.workspace.in_memory == {SOURCE.ref: FACTS}
    assert "sources" in open_desk.signals
