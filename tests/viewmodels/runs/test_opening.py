"""Checkpoints of the hub are fetched on a worker of their own, and opened on the encoder's."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import HubError
from bertviz_app.viewmodels.runs import available as module
from tests.support.held_state import HeldState


@pytest.fixture
def state(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> HeldState:
    """A state on which a checkpoint is open and another one is fetched."""
    monkeypatch.setattr(module, "list_sources", list)
    monkeypatch.setattr(module, "preload_torch", lambda: None)
    state = HeldState(qapp)
    state.workspace.open_model("old")
    state.work(state.encoder)
    state.workspace.open_model("org/new")
    return state


def test_what_is_here_is_not_fetched(state: HeldState) -> None:
    state.workspace.open_model("/a/folder")
    assert len(state.downloads.of("fetch")) == 1, "that of before"
    state.work(state.encoder)
    assert state.workspace.ref == "/a/folder"


def test_it_is_fetched_and_then_opened(state: HeldState) -> None:
    assert state.workspace.opening.is_fetching
    assert state.encoder.of("open") == []
    state.work(state.downloads)
    assert state.engine.fetched == ["org/new"]
    assert state.workspace.opening.pending is not None
    assert state.workspace.opening.pending.progress == 0.25
    assert not state.workspace.opening.is_fetching
    state.work(state.encoder)
    assert state.workspace.facts is not None
    assert state.workspace.facts.name == "org/new"
    assert state.workspace.opening.pending is None


def test_texts_are_encoded_while_it_is_fetched(state: HeldState) -> None:
    state.workspace.set_texts("the cat sat", None, at_once=True)
    state.work(state.encoder)
    assert state.workspace.opening.is_fetching
    assert state.workspace.is_current
    assert [request.ref for request in state.engine.requests] == ["old"]


def test_given_up_it_is_never_opened(state: HeldState) -> None:
    (late,) = state.downloads.of("fetch")
    state.workspace.opening.cancel()
    late.run()
    state.work(state.downloads)
    state.work(state.encoder)
    assert state.workspace.ref == "old"
    assert not state.workspace.is_busy


def test_the_newest_wins_over_what_is_fetched(state: HeldState) -> None:
    (late,) = state.downloads.of("fetch")
    state.workspace.open_model("/a/folder")
    late.run()
    state.work(state.downloads)
    state.work(state.encoder)
    assert state.workspace.ref == "/a/folder"
    assert state.workspace.facts is not None
    assert state.workspace.facts.name == "/a/folder"


def test_a_failed_download_is_the_problem_of_the_workspace(
    state: HeldState, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = HubError("The hub has no model org/new.", "Check the spelling.")

    def fetch(*_: object) -> None:
        raise error

    monkeypatch.setattr(state.engine, "fetch", fetch)
    state.work(state.downloads)
    assert state.workspace.problem is not None
    assert state.workspace.problem.error is error
    assert state.workspace.ref == "old"
