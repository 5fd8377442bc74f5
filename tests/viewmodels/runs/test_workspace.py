"""What is asked and what is shown: the last good answer stays until a better one is there."""

from __future__ import annotations

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
from bertviz_app.text import Edits
from bertviz_app.viewmodels.runs import available as module
from bertviz_app.viewmodels.runs.opening import Pending
from bertviz_app.viewmodels.runs.shown import DrawnHeads
from tests.support.fakes import CPU, FACTS, HeldJobs
from tests.support.held_state import HeldState

SOURCE = Source("tiny", Path("/nowhere/tiny"), "folder", 1000)
MUTED = Edits(muted=((1, 2),))


@pytest.fixture
def state(qapp: QApplication, jobs: HeldJobs, monkeypatch: pytest.MonkeyPatch) -> HeldState:
    monkeypatch.setattr(module, "list_sources", lambda: [SOURCE])
    monkeypatch.setattr(module, "preload_torch", lambda: None)
    state = HeldState(qapp, jobs)
    state.record(state.workspace, "shown_changed", "facts_changed", "texts_changed", "problem_changed")
    state.record(state.workspace.available, "devices_changed", "sources_changed")
    return state


@pytest.fixture
def open_state(state: HeldState) -> HeldState:
    """A state on which a checkpoint is open and a text shown."""
    state.open()
    state.type("a good text")
    state.signals.clear()
    return state


def test_start_finds_devices_and_sources_and_opens_the_checkpoint(state: HeldState) -> None:
    state.start("mine")
    state.work()
    assert state.workspace.available.devices == (CPU,)
    assert state.workspace.available.sources == (SOURCE,)
    assert state.workspace.facts is not None
    assert state.workspace.facts.name == "mine"
    assert {"devices_changed", "sources_changed", "facts_changed"} <= set(state.signals)
    assert state.workspace.shown is None


def test_a_text_is_shown_with_all_its_heads(state: HeldState) -> None:
    state.open()
    state.type("the cat sat", "it slept")
    shown = state.workspace.shown
    assert shown is not None
    assert shown.result.request == TraceRequest(None, "auto", "the cat sat", "it slept")
    assert shown.result.trace.tokens.pieces == (
        *("[CLS]", "the", "cat", "sat", "[SEP]"),
        *("it", "slept", "[SEP]"),
    )
    np.testing.assert_array_equal(shown.overview.pictures, head_overview(shown.result.trace).pictures)
    assert state.workspace.is_current


def test_while_one_types_nothing_is_encoded_and_then_the_last_text_only(
    state: HeldState, jobs: HeldJobs, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.viewmodels.runs.encoding.DEBOUNCE_MS", 3_600_000)
    state.open()
    for text in ("a", "ab", "abc"):
        state.workspace.set_texts(text, None)
        qapp.processEvents()
    assert jobs.of("encode") == []
    assert state.workspace.is_busy
    state.type("abcd")
    assert [request.text for request in state.engine.requests] == ["abcd"]


def test_the_pause_in_typing_ends_by_itself(
    state: HeldState, jobs: HeldJobs, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.viewmodels.runs.encoding.DEBOUNCE_MS", 1)
    state.open()
    for text in ("a", "ab"):
        state.workspace.set_texts(text, None)
    qtbot.waitUntil(lambda: bool(jobs.of("encode")))
    state.work()
    assert [request.text for request in state.engine.requests] == ["ab"]


def test_typing_without_a_pause_is_encoded_now_and_then(
    state: HeldState, jobs: HeldJobs, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.viewmodels.runs.encoding.DEBOUNCE_MS", 200)
    state.open()

    def type_a_letter() -> bool:
        state.workspace.set_texts(state.workspace.text + "a", None)
        return bool(jobs.of("encode"))

    qtbot.waitUntil(type_a_letter, timeout=20_000)  # a letter every 10 ms


def test_the_same_text_again_is_not_encoded_again(open_state: HeldState) -> None:
    open_state.type("a good text")
    assert len(open_state.engine.requests) == 1
    assert open_state.signals == []


def test_a_result_that_a_newer_text_overtook_is_not_shown(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication
) -> None:
    workspace = open_state.workspace
    for text in ("older", "newer"):
        workspace.set_texts(text, None, at_once=True)
        qapp.processEvents()
    older, newer = jobs.of("encode")
    newer.run()
    older.run()
    qapp.processEvents()
    assert open_state.shown_text == "newer"
    assert open_state.signals.count("shown_changed") == 1


def test_what_is_shown_is_not_current_while_a_newer_text_is_encoded(
    open_state: HeldState, qapp: QApplication
) -> None:
    open_state.workspace.set_texts("newer", None, at_once=True)
    assert not open_state.workspace.is_current
    assert open_state.shown_text == "a good text"
    open_state.work()
    assert open_state.workspace.is_current
    assert not open_state.workspace.is_busy


@pytest.mark.parametrize(("text", "pair", "field"), [("\ud800", None, "text"), ("good", "\ud800", "pair")])
def test_a_problem_keeps_what_is_shown_and_the_text(
    open_state: HeldState, text: str, pair: str | None, field: str
) -> None:
    before = open_state.workspace.shown
    open_state.type(text, pair)
    assert open_state.problem is not None
    assert open_state.problem[0] == field
    assert open_state.workspace.shown is before
    assert (open_state.workspace.text, open_state.workspace.pair) == (text, pair)
    assert not open_state.workspace.is_current
    assert open_state.signals == ["texts_changed", "problem_changed"]


@pytest.mark.parametrize("empty", ["", "   "])
def test_an_emptied_field_is_no_problem_and_leads_to_the_start_page(
    open_state: HeldState, empty: str
) -> None:
    before = open_state.workspace.shown
    open_state.type("\ud800")
    assert open_state.problem is not None
    open_state.record(open_state.workspace, "cleared")
    open_state.type(empty)
    assert open_state.problem is None
    assert open_state.signals[-1] == "cleared"
    assert open_state.workspace.shown is before
    assert not open_state.workspace.is_busy


def test_a_problem_goes_away_with_the_next_good_text(open_state: HeldState) -> None:
    open_state.type("\ud800")
    assert open_state.problem is not None
    open_state.type("good again")
    assert open_state.problem is None
    assert open_state.shown_text == "good again"


def test_a_problem_goes_away_with_the_text_that_is_shown_already(open_state: HeldState) -> None:
    open_state.type("\ud800")
    assert open_state.problem is not None
    open_state.type("a good text")
    assert open_state.problem is None
    assert open_state.workspace.is_current


def test_an_empty_field_at_the_start_is_no_problem(state: HeldState) -> None:
    state.open()
    assert state.workspace.text == ""
    assert state.problem is None
    assert state.workspace.shown is None
    assert state.engine.requests == []
    assert not state.workspace.is_busy


@pytest.mark.parametrize("typed", ["   ", "good"])
def test_emptied_before_anything_was_shown_is_the_start_again(
    state: HeldState, jobs: HeldJobs, qapp: QApplication, typed: str
) -> None:
    state.open()
    state.workspace.set_texts(typed, None, at_once=True)
    qapp.processEvents()
    if typed == "   ":
        state.work()
    state.type("")
    assert state.problem is None
    assert state.workspace.shown is None
    assert not state.workspace.is_busy


def test_a_text_set_before_the_checkpoint_is_open_is_encoded_once_it_is(state: HeldState) -> None:
    state.type("early")
    assert state.engine.requests == []
    state.open()
    assert state.shown_text == "early"
    assert len(state.engine.requests) == 1


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
    assert workspace.facts is not None
    assert workspace.facts.name == "other"
    assert workspace.opening.pending is None
    assert open_state.engine.requests[-1] == TraceRequest("other", "auto", "typed meanwhile", None)


def test_progress_of_opening_is_shown_until_it_ends(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication
) -> None:
    seen: list[float | None] = []
    workspace = open_state.workspace

    def note() -> None:
        seen.append(None if workspace.opening.pending is None else workspace.opening.pending.progress)

    workspace.activity_changed.connect(note)
    open_state.open("other")
    assert 0.5 in seen
    assert workspace.opening.pending is None


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


def test_pictures_of_the_open_panels_come_with_the_result(open_state: HeldState) -> None:
    open_state.workspace.encoding.drawn = lambda: DrawnHeads(((0, 1), (0, 1), (99, 0)))
    open_state.type("two panels of one head")
    shown = open_state.workspace.shown
    assert shown is not None
    assert [(picture.layer, picture.head) for picture in shown.pictures] == [(0, 1)]
    assert shown.pictures[0].trace is shown.result.trace


def test_opening_can_be_given_up(open_state: HeldState, jobs: HeldJobs, qapp: QApplication) -> None:
    workspace = open_state.workspace
    before = workspace.facts
    workspace.open_model("other")
    workspace.opening.cancel()
    assert jobs.cancelled == ["open"]
    assert (workspace.opening.pending, workspace.is_busy) == (None, False)
    open_state.work()
    assert workspace.facts == before


def test_of_two_checkpoints_the_one_chosen_last_is_opened(
    open_state: HeldState, jobs: HeldJobs, qapp: QApplication
) -> None:
    for ref in ("first", "second"):
        open_state.workspace.open_model(ref)
    for held in reversed(jobs.of("open")):
        held.run()
    qapp.processEvents()
    assert open_state.workspace.facts is not None
    assert open_state.workspace.facts.name == "second"


def test_a_device_that_is_not_there_is_a_problem_of_the_device(open_state: HeldState) -> None:
    open_state.workspace.set_device("cuda:7")
    open_state.work()
    assert open_state.problem == ("device", "This computer has no device “cuda:7”.")
    assert open_state.shown_text == "a good text"
    open_state.workspace.set_device("cpu")
    open_state.work()
    assert open_state.problem is None
    assert open_state.workspace.is_current


@pytest.mark.parametrize(
    ("error", "field"),
    [
        (DeviceError("No memory.", ""), "device"),
        (TextError("Bad.", "", "pair"), "pair"),
        (CheckpointError("Gone.", ""), "model"),
    ],
)
def test_a_problem_stands_at_the_field_it_is_about(
    open_state: HeldState, error: TextError | DeviceError | CheckpointError, field: str
) -> None:
    open_state.engine.errors["bad"] = error
    open_state.type("bad")
    assert open_state.problem == (field, error.message)


def test_a_defect_is_reported_as_a_failure_and_the_last_result_stays(open_state: HeldState) -> None:
    defect = ZeroDivisionError("a defect")
    before = open_state.workspace.shown
    open_state.engine.errors["bad"] = defect
    open_state.type("bad")
    assert open_state.failures == [defect]
    assert open_state.problem is None
    assert open_state.workspace.shown is before
    open_state.type("good")
    assert open_state.shown_text == "good"


def test_a_defect_while_opening_is_reported_as_a_failure(open_state: HeldState) -> None:
    defect = ZeroDivisionError("a defect")
    open_state.engine.errors["bad"] = defect
    open_state.open("bad")
    assert open_state.failures == [defect]
    assert open_state.workspace.opening.pending is None


def test_looking_for_sources_again_notifies_only_of_changes(
    open_state: HeldState, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sources in ([], [], [SOURCE]):
        monkeypatch.setattr(module, "list_sources", lambda sources=sources: sources)
        open_state.workspace.available.look_for_sources()
        open_state.work()
    assert open_state.signals == ["sources_changed", "sources_changed"]


def test_what_was_opened_lately_is_listed_after_the_others(
    open_state: HeldState, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(SOURCE, folder=Path("/elsewhere"))
    requests: list[tuple[str, ...]] = []

    def at(refs: tuple[str, ...]) -> list[Source]:
        requests.append(refs)
        return [SOURCE, other]

    monkeypatch.setattr(module, "sources_at", at)
    open_state.workspace.available.set_recent(["/elsewhere"])
    open_state.workspace.available.look_for_sources()
    open_state.work()
    assert requests == [("/elsewhere",)]
    assert open_state.workspace.available.sources == (SOURCE, other), "each once"


def test_opening_updates_the_list_of_checkpoints_in_memory(open_state: HeldState) -> None:
    open_state.engine.in_memory = {SOURCE.ref: FACTS}
    open_state.open("other")
    assert open_state.workspace.available.in_memory == {SOURCE.ref: FACTS}
    assert "sources_changed" in open_state.signals


def test_edits_are_encoded_at_once_and_notified_once(open_state: HeldState) -> None:
    workspace = open_state.workspace
    notified: list[Edits] = []
    workspace.edits_changed.connect(lambda: notified.append(workspace.edits))
    workspace.set_edits(MUTED)
    assert not workspace.is_current
    open_state.work()
    assert workspace.is_current
    assert workspace.shown is not None
    assert workspace.shown.result.trace.muted == ((1, 2),)
    workspace.set_edits(MUTED)
    assert notified == [MUTED]
    assert len(open_state.engine.requests) == 2


def test_another_text_keeps_muted_heads_and_no_replaced_token(open_state: HeldState) -> None:
    open_state.workspace.set_edits(replace(MUTED, replaced=((2, "[MASK]"),)))
    open_state.work()
    open_state.type("another text")
    assert open_state.workspace.edits == MUTED
    assert open_state.engine.requests[-1].edits == MUTED


def test_another_checkpoint_is_not_edited(open_state: HeldState) -> None:
    open_state.workspace.set_edits(MUTED)
    open_state.open("other")
    assert open_state.workspace.edits == Edits()
    assert open_state.engine.requests[-1].edits == Edits()


def test_a_checkpoint_is_opened_with_its_edits(open_state: HeldState) -> None:
    open_state.workspace.open_model("other", MUTED)
    open_state.work()
    assert (open_state.engine.requests[-1].ref, open_state.engine.requests[-1].edits) == ("other", MUTED)


def test_edits_given_before_the_first_checkpoint_stay(state: HeldState) -> None:
    state.workspace.edits = MUTED
    state.open()
    state.type("a text")
    assert state.engine.requests[-1].edits == MUTED


def test_a_piece_that_is_none_is_a_problem_and_taken_back(open_state: HeldState) -> None:
    open_state.workspace.set_edits(Edits(replaced=((2, "dog"),)))
    open_state.work()
    before = open_state.workspace.shown
    current: list[bool] = []
    open_state.workspace.activity_changed.connect(lambda: current.append(open_state.workspace.is_current))
    open_state.workspace.set_edits(Edits(replaced=((2, "nonsense"),)))
    open_state.work()
    assert current[-1], "or the views would stay dimmed"
    assert open_state.problem is not None
    assert open_state.problem[0] == "text"
    assert open_state.workspace.edits == Edits(replaced=((2, "dog"),))
    assert open_state.workspace.shown is before
    assert open_state.workspace.is_current
