"""Going back and forth: a typed text is one step, every other change one, and results are none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.text import Edits
from bertviz_app.viewmodels.runs import available as available_module
from bertviz_app.viewmodels.runs.compared_panels import ComparedPanels
from bertviz_app.viewmodels.runs.comparison import OtherRun
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.viewmodels.session import history as module
from bertviz_app.viewmodels.session.arrangement import Arranged
from bertviz_app.viewmodels.session.snapshot import Snapshot, snapshot_from_plain, snapshot_to_plain
from tests.support.held_state import HeldHistory


@pytest.fixture
def state(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> HeldHistory:
    monkeypatch.setattr(available_module, "list_sources", list)
    monkeypatch.setattr(available_module, "preload_torch", lambda: None)
    state = HeldHistory(qapp)
    state.start(None)
    state.work()
    state.pause()
    return state


def test_a_typed_text_is_one_step(state: HeldHistory) -> None:
    state.type("cat")
    state.type("dog")
    assert state.texts == ["cat", "dog"]


def test_back_and_forth(state: HeldHistory) -> None:
    for text in ("one", "two", "three"):
        state.type(text)
    state.history.undo()
    state.work()
    assert state.workspace.text == "two"
    assert state.workspace.is_current
    state.history.undo()
    state.work()
    state.history.undo()  # there is no more
    assert state.workspace.text == "one"
    state.history.redo()
    state.history.redo()
    state.history.redo()
    state.work()
    assert state.workspace.text == "three"
    assert not state.history.can_redo


def test_results_that_arrive_are_no_steps(state: HeldHistory) -> None:
    state.type("one two three four")
    state.selection.pin(query=5)
    state.work()
    n_steps = len(state.texts)
    state.type("one")  # the pinned token is lost with the text
    assert len(state.texts) == n_steps + 1
    assert not state.selection.pinned
    state.history.undo()
    state.work()
    assert state.workspace.text == "one two three four"
    assert state.selection.pinned == Pair(5, None)


def test_a_new_step_ends_what_was_forth(state: HeldHistory) -> None:
    for text in ("one", "two"):
        state.type(text)
    state.history.undo()
    state.work()
    state.type("three")
    assert state.texts == ["one", "three"]


def test_panels_options_edits_and_run_b_come_back(state: HeldHistory) -> None:
    state.type("one two three")
    before = state.snapshot_taker.take()
    state.panels.add(0, 1)
    state.work()
    state.options.change(threshold=0.5)
    state.work()
    state.workspace.set_edits(Edits(muted=((0, 0),)))
    state.work()
    state.comparison.set_other(OtherRun(text="another text"))
    state.work()
    after = state.snapshot_taker.take()
    for _ in range(4):
        state.history.undo()
        state.work()
    assert state.snapshot_taker.take() == before
    for _ in range(4):
        state.history.redo()
        state.work()
    assert state.snapshot_taker.take() == after
    assert state.comparison.shown is not None


def test_what_is_typed_and_undone_at_once_is_not_lost(state: HeldHistory) -> None:
    state.type("one")
    state.workspace.set_texts("two", None, at_once=True)
    state.history.undo()
    state.work()
    assert state.workspace.text == "one"
    state.history.redo()
    state.work()
    assert state.workspace.text == "two"


def test_what_is_typed_before_an_undone_text_is_there_is_a_step(state: HeldHistory) -> None:
    state.type("one")
    state.type("two")
    state.history.undo()
    state.workspace.set_texts("three", None, at_once=True)
    assert state.snapshot_taker.take().text == "three", "what would be saved"
    state.pause()
    assert state.texts == ["one", "three"]
    state.history.undo()
    state.work()
    assert state.shown_text == "one"


def test_what_was_typed_is_not_lost_to_redo(state: HeldHistory) -> None:
    state.type("one")
    state.type("two")
    state.history.undo()
    state.work()
    state.workspace.set_texts("three", None, at_once=True)
    state.history.redo()
    state.work()
    assert state.shown_text == "three"
    assert state.texts == ["one", "three"]


def test_after_an_undone_text_is_refused_steps_are_taken_again(state: HeldHistory) -> None:
    state.type("one")
    state.panels.show(0, 1)
    state.pause()
    refused = replace(state.snapshot_taker.take(), text="\ud800")
    state.snapshot_taker.show(refused)
    state.work()
    assert state.problem is not None
    state.panels.show(1, 2)
    assert state.snapshot_taker.take().panels != refused.panels


def test_another_checkpoint_comes_back_with_its_panels(state: HeldHistory) -> None:
    state.type("one")
    state.panels.show(0, 1)
    state.work()
    state.workspace.open_model("other")
    state.work()
    state.pause()
    state.panels.show(1, 2)
    state.work()
    state.history.undo()
    state.history.undo()
    assert state.workspace.ref is None
    state.work()
    assert state.workspace.facts is not None
    assert state.workspace.facts.name == "fake"
    assert state.panels.open_heads() == [(0, 1), (0, 1)]


def test_steps_are_bounded(state: HeldHistory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 3)
    for text in ("a", "b", "c", "d", "e"):
        state.type(text)
    assert state.texts == ["c", "d", "e"]


def test_the_state_shown_at_first_is_the_first_step(state: HeldHistory) -> None:
    state.snapshot_taker.show(Snapshot(text="from last time", pinned=Pair(1, 2)))
    state.work()
    state.pause()
    assert state.texts == ["from last time"]
    assert state.selection.pinned == Pair(1, 2)


def test_a_comparison_is_one_step_with_the_panels_that_it_opens(state: HeldHistory) -> None:
    compared = ComparedPanels(state.comparison, state.panels)
    assert compared is not None
    state.type("one two three")
    state.selection.pin(query=2)
    state.work()
    before = state.snapshot_taker.take()
    edits = Edits((), ((2, "[MASK]"),))
    state.comparison.set_other(OtherRun(edits=edits))
    state.work()
    assert [panel.run for panel in state.panels.panels] == ["A", "B", "A-B"]
    state.history.undo()
    state.work()
    assert state.snapshot_taker.take() == before
    assert not state.comparison.is_on
    state.history.redo()
    state.work()
    assert [panel.run for panel in state.panels.panels] == ["A", "B", "A-B"]


def test_the_end_of_a_comparison_is_a_step(state: HeldHistory) -> None:
    compared = ComparedPanels(state.comparison, state.panels)
    assert compared is not None
    state.type("one two three")
    state.comparison.set_other(OtherRun(edits=Edits((), ((2, "[MASK]"),))))
    state.work()
    before = state.snapshot_taker.take()
    state.comparison.end()
    state.work()
    state.history.undo()
    state.work()
    assert state.snapshot_taker.take() == before


def test_how_the_cards_are_arranged_is_undone_and_redone(state: HeldHistory) -> None:
    arrangement = state.snapshot_taker.arrangement
    state.type("one two")
    arrangement.begin(Arranged("as saved"))  # the window was built later than the text was there
    for docks in ("overview closed", "inspector floats"):
        arrangement.note(docks=docks)
        state.work()
    arrangement.note(shows_predictions=False)
    state.work()
    seen = []
    arrangement.restored.connect(lambda: seen.append(arrangement.value))
    for _ in range(3):
        state.history.undo()
        state.work()
    assert seen == [Arranged("inspector floats"), Arranged("overview closed"), Arranged("as saved")]
    state.history.redo()
    assert arrangement.value == Arranged("overview closed")


def test_the_arrangement_of_the_window_is_in_no_file(state: HeldHistory) -> None:
    state.type("one two")
    state.snapshot_taker.arrangement.note(docks="mine")
    plain = snapshot_to_plain(state.snapshot_taker.take())
    assert "mine" not in str(plain)
    state.snapshot_taker.show(snapshot_from_plain(plain))
    state.work()
    assert state.snapshot_taker.take().arrangement == Arranged("mine")
