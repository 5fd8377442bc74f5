"""What is asked about a checkpoint: when, how what is typed is judged, and what comes of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.checkpoint.questions import Answers, AnswersError, Questions
from bertviz_app.errors import CheckpointError
from bertviz_app.text.edits import Edits
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs import workspace as module
from bertviz_app.viewmodels.runs.answering import Answering, as_typed
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.fakes import FACTS, FakeEngine, HeldJobs

QUESTIONS = Questions(32, Answers(norm_eps=1e-5))
OPEN = AnswersError("The files do not say all.", "Say it.", QUESTIONS)


class Desk:
    """The questions beside a workspace and a comparison, whose worker does what it is told."""

    def __init__(self, jobs: HeldJobs, application: QApplication) -> None:
        self.engine = FakeEngine()
        self.engine.errors["mine"] = OPEN
        self._jobs = jobs
        self._application = application
        tasks = Tasks(jobs)
        self.workspace = Workspace(self.engine, tasks)
        self.comparison = Comparison(self.engine, self.workspace, tasks, Results(tasks))
        self.answering = Answering(self.engine, self.workspace, self.comparison, tasks)
        self.remarks: list[str] = []
        self.answering.remarked.connect(self.remarks.append)

    def work(self) -> None:
        self._application.processEvents()
        while self._jobs.submitted:
            self._jobs.submitted.pop(0).run()
            self._application.processEvents()

    def open(self, ref: str | None) -> None:
        self.workspace.open_model(ref)
        self.work()

    def answer(self, heads: str = "4", lower_case: bool = True) -> None:
        self.answering.set_heads(heads)
        self.answering.set_lower_case(lower_case)
        self.answering.answer()
        self.work()


@pytest.fixture
def desk(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk on which a checkpoint is open and a text shown."""
    monkeypatch.setattr(module, "list_sources", list)
    monkeypatch.setattr(module, "preload_torch", lambda: None)
    desk = Desk(jobs, qapp)
    desk.open("old")
    desk.workspace.set_texts("the cat sat", None, at_once=True)
    desk.work()
    return desk


def test_exactly_what_is_missing_is_asked(desk: Desk) -> None:
    desk.open("mine")
    asked = desk.answering.asked
    assert asked is not None
    assert (asked.ref, asked.names, asked.run) == ("mine", ("n_heads", "lower_case"), "A")
    assert desk.answering.answers is None


def test_the_answers_open_it(desk: Desk) -> None:
    desk.open("mine")
    desk.answer()
    assert desk.engine.answered == [("mine", Answers(n_heads=4, lower_case=True))]
    assert desk.answering.asked is None
    assert desk.workspace.ref == "mine"
    assert desk.workspace.problem is None
    assert desk.workspace.is_current


def test_given_up_everything_stays_as_it_was(desk: Desk) -> None:
    before = desk.workspace.shown
    desk.open("mine")
    desk.answering.set_heads("4")
    desk.answering.cancel()
    desk.work()
    assert desk.answering.asked is None
    assert (desk.workspace.ref, desk.workspace.shown) == ("old", before)
    assert desk.engine.answered == []


def test_given_up_while_it_opens_nothing_comes_of_it(desk: Desk, jobs: HeldJobs) -> None:
    desk.open("mine")
    desk.answering.set_heads("4")
    desk.answering.set_lower_case(True)
    desk.answering.answer()
    assert desk.answering.is_busy
    (late,) = jobs.of("answer")
    desk.answering.cancel()
    late.run()
    desk.work()
    assert desk.workspace.ref == "old"


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("", "open"),
        ("x", "no number"),
        ("4.5", "no number"),
        ("-4", "no number"),
        ("٤", "no number"),
        ("0", "out of range"),
        ("1001", "out of range"),
        ("7", "not shared"),
        (" 4 ", "fine"),
        ("32", "unusual"),
    ],
)
def test_a_count_of_heads_is_judged_as_it_is_typed(desk: Desk, typed: str, verdict: str) -> None:
    desk.open("mine")
    desk.answering.set_lower_case(True)
    desk.answering.set_heads(typed)
    assert desk.answering.heads_verdict == verdict
    assert (desk.answering.answers is not None) == (verdict in ("fine", "unusual"))


@pytest.mark.parametrize(
    ("typed", "verdict", "value"),
    [
        ("", "open", None),
        ("small", "no number", None),
        ("0", "out of range", None),
        ("1", "out of range", None),
        ("nan", "out of range", None),
        ("1e-12", "fine", 1e-12),
        ("0,00001", "fine", 1e-5),
        ("0.1", "unusual", 0.1),
    ],
)
def test_an_epsilon_is_judged_as_it_is_typed(
    desk: Desk, typed: str, verdict: str, value: float | None
) -> None:
    desk.engine.errors["mine"] = AnswersError("", "", Questions(32, Answers(4), asks_case=False))
    desk.open("mine")
    desk.answering.set_epsilon(typed)
    assert desk.answering.epsilon_verdict == verdict
    answers = desk.answering.answers
    assert (None if answers is None else answers.norm_eps) == value


def test_an_epsilon_is_written_as_people_do() -> None:
    assert [as_typed(value) for value in (1e-12, 1e-5, 1.5e-7, 0.01)] == ["1e-12", "1e-5", "1.5e-7", "0.01"]


def test_what_is_wrong_with_the_checkpoint_itself_is_said_and_can_be_left(desk: Desk) -> None:
    desk.open("mine")
    desk.engine.errors["mine"] = CheckpointError("It went away.", "Look for it.")
    desk.answer()
    assert desk.answering.error is not None
    assert desk.answering.error.message == "It went away."
    assert desk.answering.asked is not None
    desk.answering.set_heads("2")
    assert desk.answering.error is None


def test_answers_can_be_changed_later(desk: Desk) -> None:
    assert not desk.answering.can_ask_again
    questions = Questions(32, Answers(4, 1e-5, True))
    desk.workspace.facts = replace(FACTS, questions=questions)
    desk.workspace.set_edits(Edits(muted=((0, 2),)))
    desk.work()
    assert desk.answering.can_ask_again
    desk.answering.ask_again()
    asked = desk.answering.asked
    assert asked is not None
    assert asked.names == ("n_heads", "norm_eps", "lower_case")
    assert (desk.answering.heads, desk.answering.epsilon, desk.answering.lower_case) == ("4", "1e-5", True)
    desk.answer("2", lower_case=False)
    assert desk.engine.answered == [("old", Answers(2, 1e-5, False))]
    assert not desk.workspace.edits, "the heads are no longer those that were muted"


def test_where_the_answers_are_is_told_when_it_is_open(desk: Desk) -> None:
    desk.engine.remark = "They are elsewhere."
    desk.open("mine")
    desk.answer()
    assert desk.remarks == ["They are elsewhere."]


def test_another_checkpoint_ends_the_questions(desk: Desk) -> None:
    desk.open("mine")
    desk.open("other")
    assert desk.answering.asked is None
    desk.open("mine")
    desk.engine.errors["broken"] = CheckpointError("Broken.")
    desk.open("broken")
    assert desk.answering.asked is None


def test_typing_does_not_end_them(desk: Desk) -> None:
    desk.open("mine")
    desk.workspace.set_texts("another text", None, at_once=True)
    desk.work()
    assert desk.answering.asked is not None
    desk.answer()
    assert desk.workspace.ref == "mine"


def test_run_b_asks_too_and_goes_back_if_nobody_answers(desk: Desk) -> None:
    desk.comparison.set_ref("mine")
    desk.work()
    asked = desk.answering.asked
    assert asked is not None
    assert (asked.ref, asked.run) == ("mine", "B")
    desk.answering.cancel()
    desk.work()
    assert desk.comparison.other is not None
    assert desk.comparison.other.ref is None
    assert desk.comparison.problem is None


def test_answered_run_b_is_encoded_and_run_a_stays(desk: Desk) -> None:
    desk.engine.remark = "They are elsewhere."
    desk.comparison.set_ref("mine")
    desk.work()
    desk.answer()
    assert desk.comparison.shown is not None
    assert desk.comparison.shown.result.request.ref == "mine"
    assert desk.comparison.problem is None
    assert desk.workspace.ref == "old"
    assert desk.remarks == ["They are elsewhere."]


def test_where_nothing_is_open_the_questions_can_be_asked_again(
    qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "list_sources", list)
    desk = Desk(jobs, qapp)
    desk.open("mine")
    desk.answering.cancel()
    assert desk.answering.can_ask_again
    desk.answering.ask_again()
    assert desk.answering.asked is not None
