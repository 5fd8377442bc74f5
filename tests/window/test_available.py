"""Looking for checkpoints reads folders, which may take long: nothing that is typed waits for it."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs import workspace as available


def test_a_text_is_encoded_while_checkpoints_are_looked_for(
    qtbot: QtBot, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_searching, may_end = threading.Event(), threading.Event()

    def in_a_slow_folder() -> list[Source]:
        is_searching.set()
        assert may_end.wait(60)
        return []

    monkeypatch.setattr(available, "list_sources", in_a_slow_folder)
    workspace = app_state.workspace
    app_state.start(None)
    try:
        assert is_searching.wait(10)
        workspace.set_texts("one two three", None, at_once=True)
        qtbot.waitUntil(lambda: workspace.is_current)
        assert not workspace.available.is_searched
    finally:
        may_end.set()
    qtbot.waitUntil(lambda: workspace.available.is_searched)
