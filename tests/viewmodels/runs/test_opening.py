"""Checkpoints of the hub are fetched on a worker of their own, and opened on the encoder's."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import HubError
from bertviz_app.viewmodels.runs import workspace as module
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.fakes import FakeEngine, HeldJobs


class Desk:
    """A workspace with two workers that do what they are told."""

    def __init__(self, application: QApplication) -> None:
        self.engine = FakeEngine()
        self.encoder, self.fetcher = HeldJobs(), HeldJobs()
        self.workspace = Workspace(self.engine, Tasks(self.encoder), Tasks(self.fetcher))
        self._application = application

    def work(self, jobs: HeldJobs) -> None:
        """Let one worker do everything that was asked of it."""
        self._application.processEvents()
        while jobs.submitted:
            jobs.submitted.pop(0).run()
            self._application.processEvents()


@pytest.fixture
def desk(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk on which a checkpoint is open and another one is fetched."""
    monkeypatch.setattr(module, "list_sources", list)
    monkeypatch.setattr(module, "preload_torch", lambda: None)
    desk = Desk(qapp)
    desk.workspace.open_model("old")
    desk.work(desk.encoder)
    desk.workspace.open_model("org/new")
    return desk


def test_what_is_here_is_not_fetched(desk: Desk) -> None:
    desk.workspace.open_model("/a/folder")
    assert len(desk.fetcher.of("fetch")) == 1, "that of before"
    desk.work(desk.encoder)
    assert desk.workspace.ref == "/a/folder"


def test_it_is_fetched_and_then_opened(desk: Desk) -> None:
    assert desk.workspace.is_fetching
    assert desk.encoder.of("open") == []
    desk.work(desk.fetcher)
    assert desk.engine.fetched == ["org/new"]
    assert desk.workspace.progress == 0.25
    assert not desk.workspace.is_fetching
    desk.work(desk.encoder)
    assert desk.workspace.facts is not None
    assert desk.workspace.facts.name == "org/new"
    assert desk.workspace.opening is None


def test_texts_are_encoded_while_it_is_fetched(desk: Desk) -> None:
    desk.workspace.set_texts("the cat sat", None, at_once=True)
    desk.work(desk.encoder)
    assert desk.workspace.is_fetching
    assert desk.workspace.is_current
    assert [request.ref for request in desk.engine.asked] == ["old"]


def test_given_up_it_is_never_opened(desk: Desk) -> None:
    (late,) = desk.fetcher.of("fetch")
    desk.workspace.cancel_opening()
    late.run()
    desk.work(desk.fetcher)
    desk.work(desk.encoder)
    assert desk.workspace.ref == "old"
    assert not desk.workspace.is_busy


def test_the_newest_wins_over_what_is_fetched(desk: Desk) -> None:
    (late,) = desk.fetcher.of("fetch")
    desk.workspace.open_model("/a/folder")
    late.run()
    desk.work(desk.fetcher)
    desk.work(desk.encoder)
    assert desk.workspace.ref == "/a/folder"
    assert desk.workspace.facts is not None
    assert desk.workspace.facts.name == "/a/folder"


def test_what_cannot_be_fetched_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    error = HubError("The hub has no model org/new.", "Check the spelling.")

    def fetch(*_: object) -> None:
        raise error

    monkeypatch.setattr(desk.engine, "fetch", fetch)
    desk.work(desk.fetcher)
    assert desk.workspace.problem is not None
    assert desk.workspace.problem.error is error
    assert desk.workspace.ref == "old"
