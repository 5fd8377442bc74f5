"""Encoding on a worker: how much of a long text is done, and that it can be given up."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.support.fakes import HeldJobs
from tests.support.held_state import HeldState


@pytest.fixture
def open_state(qapp: QApplication, jobs: HeldJobs) -> HeldState:
    """A state on which a checkpoint is open and a text shown."""
    state = HeldState(qapp, jobs)
    state.open()
    state.type("a good text")
    return state


def test_how_much_of_a_text_is_encoded_is_known_once_that_takes_long(
    open_state: HeldState, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, seen = open_state.workspace, list[float | None]()
    workspace.activity_changed.connect(lambda: seen.append(workspace.encoding.progress))
    open_state.type("soon there")
    assert set(seen) == {None}
    monkeypatch.setattr("bertviz_app.viewmodels.runs.encoding.PATIENCE", 0.0)
    open_state.type("takes long")
    assert [one for one in dict.fromkeys(seen) if one] == [0.45, 0.9]
    workspace.set_texts("the next", None)
    assert workspace.encoding.progress is None, "of the next text nothing is done yet"


def test_that_nothing_is_encoded_yet_is_known_before_the_first_layer_is(
    open_state: HeldState, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = open_state.workspace
    open_state.type("soon there")
    assert workspace.encoding.progress is None
    monkeypatch.setattr("bertviz_app.viewmodels.runs.encoding.PATIENCE", 0.01)
    workspace.set_texts("takes long", None, at_once=True)
    qtbot.waitUntil(lambda: workspace.encoding.progress == 0.0)
    assert workspace.is_busy


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
    monkeypatch.setattr("bertviz_app.viewmodels.runs.encoding.DEBOUNCE_MS", 3_600_000)
    n_before = len(open_state.engine.requests)
    open_state.workspace.set_texts("unfinished", None)
    open_state.workspace.encoding.give_up()
    assert not open_state.workspace.is_busy
    open_state.work()
    assert len(open_state.engine.requests) == n_before
    open_state.type("another text")
    assert not open_state.workspace.encoding.is_given_up
