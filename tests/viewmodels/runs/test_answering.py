"""What is asked about a checkpoint: when, how what is typed is judged, and what comes of an answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.checkpoint.questions import Answers, AnswersError, Questions
from bertviz_app.errors import CheckpointError
from bertviz_app.text.edits import Edits
from bertviz_app.viewmodels.runs import available as module
from bertviz_app.viewmodels.runs.typed_answers import as_typed
from tests.support.fakes import FACTS, HeldJobs
from tests.support.held_state import HeldQuestions

QUESTIONS = Questions(32, Answers(norm_eps=1e-5))
OPEN = AnswersError("The files do not say all.", "Say it.", QUESTIONS)


@pytest.fixture
def state(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> HeldQuestions:
    """A state on which a checkpoint is open and a text shown."""
    monkeypatch.setattr(module, "list_sources", list)
    monkeypatch.setattr(module, "preload_torch", lambda: None)
    state = HeldQuestions(qapp, jobs)
    state.engine.errors["mine"] = OPEN
    state.open("old")
    state.workspace.set_texts("the cat sat", None, at_once=True)
    state.work()
    return state


def test_exactly_the_missing_answers_are_open_questions(state: HeldQuestions) -> None:
    state.open("mine")
    pending = state.answering.open_questions
    assert pending is not None
    assert (pending.ref, pending.names, pending.run) == ("mine", ("n_heads", "lower_case"), "A")
    assert state.answering.typed.answers is None


def test_the_answers_open_it(state: HeldQuestions) -> None:
    state.open("mine")
    state.answer()
    assert state.engine.answered == [("mine", Answers(n_heads=4, lower_case=True))]
    assert state.answering.open_questions is None
    assert state.workspace.ref == "mine"
    assert state.workspace.problem is None
    assert state.workspace.is_current


def test_given_up_everything_stays_as_it_was(state: HeldQuestions) -> None:
    before = state.workspace.shown
    state.open("mine")
    state.answering.typed.set_heads("4")
    state.answering.cancel()
    state.work()
    assert state.answering.open_questions is None
    assert (state.workspace.ref, state.workspace.shown) == ("old", before)
    assert state.engine.answered == []


def test_given_up_while_it_opens_nothing_comes_of_it(state: HeldQuestions, jobs: HeldJobs) -> None:
    state.open("mine")
    state.answering.typed.set_heads("4")
    state.answering.typed.choose("lower_case", True)
    state.answering.answer()
    assert state.answering.is_busy
    (late,) = jobs.of("answer")
    state.answering.cancel()
    late.run()
    state.work()
    assert state.workspace.ref == "old"


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
def test_a_count_of_heads_is_checked_as_it_is_typed(state: HeldQuestions, typed: str, verdict: str) -> None:
    state.open("mine")
    state.answering.typed.choose("lower_case", True)
    state.answering.typed.set_heads(typed)
    assert state.answering.typed.heads_verdict == verdict
    assert (state.answering.typed.answers is not None) == (verdict in ("fine", "unusual"))


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
def test_an_epsilon_is_checked_as_it_is_typed(
    state: HeldQuestions, typed: str, verdict: str, value: float | None
) -> None:
    state.engine.errors["mine"] = AnswersError(
        "", "", Questions(32, Answers(4), names=("n_heads", "norm_eps"))
    )
    state.open("mine")
    state.answering.typed.set_epsilon(typed)
    assert state.answering.typed.epsilon_verdict == verdict
    answers = state.answering.typed.answers
    assert (None if answers is None else answers.norm_eps) == value


def test_an_epsilon_is_written_as_people_do() -> None:
    assert [as_typed(value) for value in (1e-12, 1e-5, 1.5e-7, 0.01)] == ["1e-12", "1e-5", "1.5e-7", "0.01"]


def test_an_error_of_the_checkpoint_itself_is_shown_until_an_answer_changes(state: HeldQuestions) -> None:
    state.open("mine")
    state.engine.errors["mine"] = CheckpointError("It went away.", "Look for it.")
    state.answer()
    assert state.answering.error is not None
    assert state.answering.error.message == "It went away."
    assert state.answering.open_questions is not None
    state.answering.typed.set_heads("2")
    assert state.answering.error is None


def test_answers_can_be_changed_later(state: HeldQuestions) -> None:
    assert not state.answering.can_ask_again
    questions = Questions(32, Answers(4, 1e-5, True))
    state.workspace.facts = replace(FACTS, questions=questions)
    state.workspace.set_edits(Edits(muted=((0, 2),)))
    state.work()
    assert state.answering.can_ask_again
    state.answering.ask_again()
    pending = state.answering.open_questions
    assert pending is not None
    assert pending.names == ("n_heads", "norm_eps", "lower_case")
    assert (state.answering.typed.heads, state.answering.typed.epsilon) == ("4", "1e-5")
    assert state.answering.typed.chosen == {"lower_case": True}
    state.answer("2", lower_case=False)
    assert state.engine.answered == [("old", Answers(2, 1e-5, False))]
    assert not state.workspace.edits, "the heads are no longer those that were muted"


def test_the_remark_on_where_answers_are_saved_is_emitted_after_opening(state: HeldQuestions) -> None:
    state.engine.remark = "They are elsewhere."
    state.open("mine")
    state.answer()
    assert state.remarks == ["They are elsewhere."]


def test_another_checkpoint_ends_the_questions(state: HeldQuestions) -> None:
    state.open("mine")
    state.open("other")
    assert state.answering.open_questions is None
    state.open("mine")
    state.engine.errors["broken"] = CheckpointError("Broken.")
    state.open("broken")
    assert state.answering.open_questions is None


def test_typing_does_not_end_them(state: HeldQuestions) -> None:
    state.open("mine")
    state.workspace.set_texts("another text", None, at_once=True)
    state.work()
    assert state.answering.open_questions is not None
    state.answer()
    assert state.workspace.ref == "mine"


def test_run_b_asks_too_and_goes_back_if_nobody_answers(state: HeldQuestions) -> None:
    state.comparison.editor.set_ref("mine")
    state.work()
    pending = state.answering.open_questions
    assert pending is not None
    assert (pending.ref, pending.run) == ("mine", "B")
    state.answering.cancel()
    state.work()
    assert state.comparison.other is not None
    assert state.comparison.other.ref is None
    assert state.comparison.problem is None


def test_answered_run_b_is_encoded_and_run_a_stays(state: HeldQuestions) -> None:
    state.engine.remark = "They are elsewhere."
    state.comparison.editor.set_ref("mine")
    state.work()
    state.answer()
    assert state.comparison.shown is not None
    assert state.comparison.shown.result.request.ref == "mine"
    assert state.comparison.problem is None
    assert state.workspace.ref == "old"
    assert state.remarks == ["They are elsewhere."]


def test_where_nothing_is_open_the_questions_can_be_asked_again(
    qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "list_sources", list)
    state = HeldQuestions(qapp, jobs)
    state.engine.errors["mine"] = OPEN
    state.open("mine")
    state.answering.cancel()
    assert state.answering.can_ask_again
    state.answering.ask_again()
    assert state.answering.open_questions is not None
