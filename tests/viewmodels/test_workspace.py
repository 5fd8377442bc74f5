"""Run A: what is opened, asked, encoded and shown; the last good answer stays until a better one is there."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.questions import Answers, AnswersError, Questions
from bertviz_app.errors import CheckpointError, HubError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.text import Edits
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.viewmodels.runs.workspace import Pending, wait_after
from tests.support.fakes import FACTS, HeldJobs
from tests.support.held_state import HeldQuestions, HeldState
from tests.support.scene import not_none

MUTED = Edits(muted=((1, 2),))


@pytest.fixture
def state(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> HeldState:
    state = HeldState(qapp, jobs)
    state.record(state.workspace, "shown_changed", "facts_changed", "problem_changed")
    state.record(state.workspace.available, "devices_changed", "sources_changed")
    return state


@pytest.fixture
def open_state(state: HeldState) -> HeldState:
    """A state on which a checkpoint is open and a text shown."""
    state.open()
    state.type("a good text")
    state.signals.clear()
    return state


@pytest.fixture
def fetching(qapp: QApplication) -> HeldState:
    """A state on which a checkpoint is open and another one is fetched."""
    fetching = HeldState(qapp)
    fetching.workspace.open_model("old")
    fetching.work(fetching.encoder)
    fetching.workspace.open_model("org/new")
    return fetching


QUESTIONS = Questions(32, Answers(norm_eps=1e-5))
OPEN = AnswersError("The files do not say all.", "Say it.", QUESTIONS)


@pytest.fixture
def asked(qapp: QApplication, jobs: HeldJobs) -> HeldQuestions:
    """A state on which a checkpoint is open and a text shown."""
    asked = HeldQuestions(qapp, jobs)
    asked.engine.errors["mine"] = OPEN
    asked.open("old")
    asked.workspace.set_texts("the cat sat", None, at_once=True)
    asked.work()
    return asked


def test_the_wait_for_the_next_key_follows_the_last_pass(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = {0.0: 0, 0.020: 0, 0.028: 8, 0.033: 13, 0.034: 34, 0.048: 48, 0.1: 70, math.inf: 70}
    assert {seconds: wait_after(seconds) for seconds in waits} == waits
    held_down = 33  # ms between the repetitions of a key
    assert all(wait_after(ms / 1000) >= held_down for ms in range(held_down + 1, 200))
    monkeypatch.setattr("bertviz_app.viewmodels.runs.workspace.DEBOUNCE_MS", 3_600_000)
    # after a short pass each letter is encoded at once, and of those only the last is shown
    for text in ("a", "ab", "abc"):
        open_state.workspace.set_texts(text, None)
        qapp.processEvents()
    older, newest = jobs.of("encode")[:2], jobs.of("encode")[2]
    jobs.submitted.clear()
    for late in (older[0], newest, older[1]):
        late.run()
        qapp.processEvents()
    assert open_state.signals.count("shown_changed") == 1
    assert open_state.shown_text == "abc"
    # after a long one none is, until the typing pauses
    open_state.engine.seconds = 3_600
    open_state.type("abcd")
    open_state.workspace.set_texts("abcde", None)
    qapp.processEvents()
    assert (jobs.of("encode"), open_state.workspace.is_busy) == ([], True)
    # and again at once as soon as one was short
    open_state.engine.seconds = 0.0
    open_state.type("abcdef")
    open_state.workspace.set_texts("abcdefg", None)
    qapp.processEvents()
    assert len(jobs.of("encode")) == 1


def test_typing_without_a_pause_is_encoded_now_and_then(
    state: HeldState, jobs: HeldJobs, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.viewmodels.runs.workspace.DEBOUNCE_MS", 200)
    state.open()

    def type_a_letter() -> bool:
        state.workspace.set_texts(state.workspace.text + "a", None)
        return bool(jobs.of("encode"))

    qtbot.waitUntil(type_a_letter, timeout=20_000)  # a letter every 10 ms


def test_problems_come_and_go_and_the_last_result_stays(open_state: HeldState) -> None:
    open_state.type("a good text")
    assert len(open_state.engine.requests) == 1
    assert open_state.signals == []
    # a problem goes away with the text that is shown already
    open_state.type("\ud800")
    assert open_state.problem is not None
    open_state.type("a good text")
    assert open_state.problem is None
    assert open_state.workspace.is_current
    # a device that is not there is a problem of the device
    open_state.workspace.set_device("cuda:7")
    open_state.work()
    assert open_state.problem == ("device", "This computer has no device “cuda:7”.")
    assert open_state.shown_text == "a good text"
    open_state.workspace.set_device("cpu")
    open_state.work()
    assert open_state.problem is None
    assert open_state.workspace.is_current
    # a defect is reported as a failure and the last result stays
    defect = ZeroDivisionError("a defect")
    before = open_state.workspace.shown
    open_state.engine.errors["bad"] = defect
    open_state.type("bad")
    assert open_state.failures == [defect]
    assert open_state.problem is None
    assert open_state.workspace.shown is before
    open_state.type("good")
    assert open_state.shown_text == "good"


@pytest.mark.parametrize(("text", "pair", "field"), [("\ud800", None, "text"), ("good", "\ud800", "pair")])
def test_a_problem_keeps_what_is_shown_and_the_text(
    open_state: HeldState, text: str, pair: str | None, field: str
) -> None:
    before = open_state.workspace.shown
    open_state.type(text, pair)
    assert not_none(open_state.problem)[0] == field
    assert open_state.workspace.shown is before
    assert (open_state.workspace.text, open_state.workspace.pair) == (text, pair)
    assert not open_state.workspace.is_current
    assert open_state.signals == ["problem_changed"]


def test_an_emptied_field_is_no_problem_and_leads_to_the_start_page(open_state: HeldState) -> None:
    before = open_state.workspace.shown
    open_state.type("\ud800")
    assert open_state.problem is not None
    open_state.record(open_state.workspace, "cleared")
    open_state.type("   ")
    assert open_state.problem is None
    assert open_state.signals[-1] == "cleared"
    assert open_state.workspace.shown is before
    assert not open_state.workspace.is_busy


def test_opening_another_keeps_the_old_until_it_is_there(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication
) -> None:
    workspace = open_state.workspace
    old = workspace.facts
    workspace.open_model("other")
    assert (workspace.opening.pending, workspace.facts) == (Pending("other"), old)
    workspace.set_texts("typed meanwhile", None, at_once=True)
    qapp.processEvents()
    jobs.of("encode")[0].run()
    qapp.processEvents()
    assert open_state.engine.requests[-1].ref is None
    assert open_state.shown_text == "typed meanwhile"
    jobs.of("open")[0].run()
    jobs.submitted.clear()
    open_state.work()
    assert not_none(workspace.facts).name == "other"
    assert workspace.opening.pending is None
    assert open_state.engine.requests[-1] == TraceRequest("other", "auto", "typed meanwhile", None)


def test_failing_to_open_keeps_the_old(open_state: HeldState) -> None:
    workspace = open_state.workspace
    before = (workspace.facts, workspace.shown)
    open_state.engine.errors["broken"] = CheckpointError("This is no checkpoint.", "Choose another.")
    open_state.open("broken")
    assert open_state.problem == ("model", "This is no checkpoint.")
    assert (workspace.facts, workspace.shown) == before
    assert workspace.opening.pending is None
    open_state.type("goes on")
    assert open_state.engine.requests[-1].ref is None
    assert open_state.shown_text == "goes on"
    assert open_state.problem is None


def test_a_text_that_waited_does_not_take_back_that_opening_failed(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication
) -> None:
    open_state.engine.errors["broken"] = CheckpointError("This is no checkpoint.", "Choose another.")
    open_state.workspace.set_texts("waited", None, at_once=True)
    open_state.open("broken")
    assert open_state.shown_text == "waited"
    assert open_state.problem == ("model", "This is no checkpoint.")


def test_edits_are_encoded_at_once_and_notified_once(open_state: HeldState) -> None:
    workspace = open_state.workspace
    notified: list[Edits] = []
    workspace.store.watch(("edits",), lambda: notified.append(workspace.edits))
    workspace.set_edits(MUTED)
    assert not workspace.is_current
    open_state.work()
    assert workspace.is_current
    assert not_none(workspace.shown).result.trace.muted == ((1, 2),)
    workspace.set_edits(MUTED)
    assert notified == [MUTED]
    assert len(open_state.engine.requests) == 2


@pytest.mark.parametrize("opens", [True, False])
def test_what_is_edited_while_a_checkpoint_opens_is_of_the_one_in_use(
    open_state: HeldState, opens: bool
) -> None:
    workspace = open_state.workspace
    if not opens:
        open_state.engine.errors["other"] = CheckpointError("It is damaged.")
    workspace.open_model("other")
    workspace.set_edits(MUTED)
    assert (workspace.edits, open_state.store.now.edits) == (MUTED, NO_EDITS)
    assert workspace.request is not None
    assert (workspace.request.ref, workspace.request.edits) == (None, MUTED)
    open_state.work()
    shown = not_none(workspace.shown).result.request
    assert (shown.ref, shown.edits) == (("other", NO_EDITS) if opens else (None, MUTED))
    assert (open_state.store.now.ref, open_state.store.now.edits) == (shown.ref, shown.edits)


def test_edits_go_with_their_text_and_checkpoint_and_are_taken_back_where_they_cannot_be(
    open_state: HeldState,
) -> None:
    # another text keeps muted heads and another checkpoint no edit
    # another text keeps muted heads and no replaced token
    open_state.workspace.set_edits(replace(MUTED, replaced=((2, "[MASK]"),)))
    open_state.work()
    open_state.type("another text")
    assert open_state.workspace.edits == MUTED
    assert open_state.engine.requests[-1].edits == MUTED
    # another checkpoint is not edited
    open_state.workspace.set_edits(MUTED)
    open_state.open("other")
    assert open_state.workspace.edits == Edits()
    assert open_state.engine.requests[-1].edits == Edits()
    # a piece that is none is a problem and taken back
    open_state.workspace.set_edits(Edits(replaced=((2, "dog"),)))
    open_state.work()
    before = open_state.workspace.shown
    current: list[bool] = []
    open_state.workspace.activity_changed.connect(lambda: current.append(open_state.workspace.is_current))
    open_state.workspace.set_edits(Edits(replaced=((2, "nonsense"),)))
    open_state.work()
    assert current[-1], "or the views would stay dimmed"
    assert not_none(open_state.problem)[0] == "text"
    assert open_state.workspace.edits == Edits(replaced=((2, "dog"),))
    assert open_state.workspace.shown is before
    assert open_state.workspace.is_current


def test_how_much_of_a_text_is_encoded_is_known_once_that_takes_long(
    open_state: HeldState, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, seen = open_state.workspace, list[float | None]()
    workspace.activity_changed.connect(lambda: seen.append(workspace.encoding.progress))
    open_state.type("soon there")
    assert set(seen) == {None}
    monkeypatch.setattr("bertviz_app.viewmodels.runs.workspace.PATIENCE", 0.0)
    open_state.type("takes long")
    assert [one for one in dict.fromkeys(seen) if one] == [0.45, 0.9]
    workspace.set_texts("the next", None)
    assert workspace.encoding.progress is None, "of the next text nothing is done yet"


def test_encoding_can_be_cancelled_and_started_again(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication
) -> None:
    workspace, encoding = open_state.workspace, open_state.workspace.encoding
    encoding.give_up()
    assert not encoding.is_given_up, "nothing was under way"
    workspace.set_texts("a long text", None, at_once=True)
    qapp.processEvents()
    encoding.give_up()
    assert jobs.cancelled == ["encode"]
    assert (encoding.is_given_up, workspace.is_busy, workspace.is_current) == (True, False, False)
    open_state.work()
    assert open_state.shown_text == "a good text"
    encoding.schedule(at_once=True)
    qapp.processEvents()
    assert not encoding.is_given_up
    open_state.work()
    assert open_state.shown_text == "a long text"


def test_a_text_that_is_given_up_before_the_typing_paused_is_not_encoded(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.viewmodels.runs.workspace.DEBOUNCE_MS", 3_600_000)
    open_state.engine.seconds = 3_600
    open_state.type("a text that takes long")
    n_before = len(open_state.engine.requests)
    open_state.workspace.set_texts("unfinished", None)
    open_state.workspace.encoding.give_up()
    assert not open_state.workspace.is_busy
    open_state.work()
    assert len(open_state.engine.requests) == n_before
    open_state.type("another text")
    assert not open_state.workspace.encoding.is_given_up


def test_texts_are_encoded_while_it_is_fetched_which_is_then_opened(fetching: HeldState) -> None:
    fetching.workspace.set_texts("the cat sat", None, at_once=True)
    fetching.work(fetching.encoder)
    assert fetching.workspace.opening.is_fetching
    assert fetching.workspace.is_current
    assert [request.ref for request in fetching.engine.requests] == ["old"]
    # it is fetched and then opened
    assert fetching.workspace.opening.is_fetching
    assert fetching.encoder.of("open") == []
    fetching.work(fetching.downloads)
    assert fetching.engine.fetched == ["org/new"]
    assert fetching.workspace.opening.pending is not None
    assert fetching.workspace.opening.pending.progress == 0.25
    assert not fetching.workspace.opening.is_fetching
    fetching.work(fetching.encoder)
    assert not_none(fetching.workspace.facts).name == "org/new"
    assert fetching.workspace.opening.pending is None


def test_given_up_it_is_never_opened(fetching: HeldState) -> None:
    (late,) = fetching.downloads.of("fetch")
    fetching.workspace.opening.cancel()
    late.run()
    fetching.work(fetching.downloads)
    fetching.work(fetching.encoder)
    assert fetching.workspace.ref == "old"
    assert not fetching.workspace.is_busy


def test_the_newest_wins_over_what_is_fetched(fetching: HeldState) -> None:
    (late,) = fetching.downloads.of("fetch")
    fetching.workspace.open_model("/a/folder")
    late.run()
    fetching.work(fetching.downloads)
    fetching.work(fetching.encoder)
    assert fetching.workspace.ref == "/a/folder"
    assert not_none(fetching.workspace.facts).name == "/a/folder"


def test_a_failed_download_is_the_problem_of_the_workspace(
    fetching: HeldState, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = HubError("The hub has no model org/new.", "Check the spelling.")

    def fetch(*_: object) -> None:
        raise error

    monkeypatch.setattr(fetching.engine, "fetch", fetch)
    fetching.work(fetching.downloads)
    assert not_none(fetching.workspace.problem).error is error
    assert fetching.workspace.ref == "old"


def test_exactly_the_missing_answers_are_open_questions_and_open_it(asked: HeldQuestions) -> None:
    asked.open("mine")
    pending = not_none(asked.answering.open_questions)
    assert (pending.ref, pending.names, pending.run) == ("mine", ("n_heads", "lower_case"), "A")
    assert asked.answering.typed.answers is None
    # the answers open it
    asked.open("mine")
    asked.answer()
    assert asked.engine.answered == [("mine", Answers(n_heads=4, lower_case=True))]
    assert asked.answering.open_questions is None
    assert asked.workspace.ref == "mine"
    assert asked.workspace.problem is None
    assert asked.workspace.is_current


@pytest.mark.parametrize(
    ("name", "typed", "kind", "words", "value"),
    [
        ("n_heads", "", "open", "", None),
        ("n_heads", "٤", "wrong", "Enter a whole number.", None),
        ("n_heads", "1001", "wrong", "There are 1 to 1,000 heads.", None),
        ("n_heads", "7", "wrong", "7 heads cannot share 32 numbers.", None),
        ("n_heads", " 4 ", "fine", "Each 8 numbers wide.", 4),
        ("n_heads", "32", "unusual", "Each 1 numbers wide, which is unusual.", 32),
        ("norm_eps", "", "open", "", None),
        ("norm_eps", "small", "wrong", "This is no number such as 1e-5.", None),
        ("norm_eps", "nan", "wrong", "It is above 0 and below 1.", None),
        ("norm_eps", "0,00001", "fine", "", 1e-5),
        ("norm_eps", "0.1", "unusual", "This is unusually large.", 0.1),
        ("lora_alpha", "many", "wrong", "Enter a number of 0 or more.", None),
        ("lora_alpha", "-1", "wrong", "Enter a number of 0 or more.", None),
        ("lora_alpha", "2,5", "fine", "", 2.5),
        ("labels", " , ", "open", "", None),
        ("labels", "bad,,good", "wrong", "A name is missing between two commas.", None),
        ("labels", "bad, fair, good", "wrong", "There are 2 classes.", None),
        ("labels", "bad, good,", "fine", "", ("bad", "good")),
        ("base", " ", "open", "", None),
        ("base", "someone/base", "fine", "", "someone/base"),
        ("tokenizer", "", "open", "", ""),
        ("tokenizer", "/a folder", "fine", "", "/a folder"),
    ],
)
def test_an_answer_is_judged_as_it_is_typed(
    asked: HeldQuestions, name: str, typed: str, kind: str, words: str, value: object
) -> None:
    questions = Questions(32, names=(name,), n_classes=2)
    asked.engine.errors["mine"] = AnswersError("", "", questions)
    asked.open("mine")
    asked.answering.typed.write(name, typed)
    assert asked.answering.typed.verdict(name) == (kind, words, value)
    answers = asked.answering.typed.answers
    assert (None if answers is None else getattr(answers, name)) == value


def test_what_is_wrong_is_not_left_out(asked: HeldQuestions) -> None:
    questions = Questions(32, Answers(4), names=("n_heads", "labels"), optional=frozenset({"labels"}))
    asked.engine.errors["mine"] = AnswersError("", "", replace(questions, n_classes=2))
    asked.open("mine")
    assert asked.answering.typed.answers == Answers(4)
    asked.answering.typed.write("labels", "bad")
    assert asked.answering.typed.answers is None
    assert asked.answering.typed.so_far == Answers(4)


def test_an_error_of_the_checkpoint_itself_is_shown_until_an_answer_changes(asked: HeldQuestions) -> None:
    asked.open("mine")
    asked.engine.errors["mine"] = CheckpointError("It went away.", "Look for it.")
    asked.answer()
    assert asked.answering.error is not None
    assert asked.answering.error.message == "It went away."
    assert asked.answering.open_questions is not None
    asked.answering.typed.write("n_heads", "2")
    assert asked.answering.error is None


def test_answers_can_be_changed_later(asked: HeldQuestions) -> None:
    assert not asked.answering.can_ask_again
    questions = Questions(32, Answers(4, 1e-5, True))
    asked.workspace.facts = replace(FACTS, questions=questions)
    asked.workspace.set_edits(Edits(muted=((0, 2),)))
    asked.work()
    assert asked.answering.can_ask_again
    asked.answering.ask_again()
    pending = not_none(asked.answering.open_questions)
    assert pending.names == ("n_heads", "norm_eps", "lower_case")
    assert asked.answering.typed.texts == {"n_heads": "4", "norm_eps": "1e-5"}
    assert asked.answering.typed.chosen == {"lower_case": True}
    asked.answer("2", lower_case=False)
    assert asked.engine.answered == [("old", Answers(2, 1e-5, False))]
    assert not asked.workspace.edits, "the heads are no longer those that were muted"


def test_another_checkpoint_ends_the_questions(asked: HeldQuestions) -> None:
    asked.open("mine")
    asked.open("other")
    assert asked.answering.open_questions is None
    asked.open("mine")
    asked.engine.errors["broken"] = CheckpointError("Broken.")
    asked.open("broken")
    assert asked.answering.open_questions is None


def test_run_b_asks_too(asked: HeldQuestions) -> None:
    asked.comparison.open_model("mine")
    asked.work()
    pending = not_none(asked.answering.open_questions)
    assert (pending.ref, pending.run) == ("mine", "B")
    asked.answering.cancel()
    asked.work()
    assert not_none(asked.comparison.other).ref is None
    assert asked.comparison.problem is None
    # answered run b is encoded and run a stays
    asked.engine.remark = "They are elsewhere."
    asked.comparison.open_model("mine")
    asked.work()
    asked.answer()
    assert not_none(asked.comparison.shown).result.request.ref == "mine"
    assert asked.comparison.problem is None
    assert asked.workspace.ref == "old"
    assert asked.remarks == ["They are elsewhere."]
