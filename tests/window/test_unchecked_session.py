"""A session without the fingerprint of its checkpoint asks before it uses one, and has a remark for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.inference.engine import Engine
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.session.archive import Session, save_session
from bertviz_app.viewmodels.session.snapshot import Snapshot
from bertviz_app.views.kit.widgets import Notice
from tests.support.checkpoint_folders import copy_of
from tests.support.window_fixtures import window_of_checkpoint

__all__ = ["window_of_checkpoint"]


@pytest.fixture
def engine() -> Engine:
    return Engine()


def _notice(window: MainWindow, words: str) -> Notice | None:
    return next(
        (one for one in window.findChildren(Notice) if one.isVisible() and words in one.message), None
    )


def test_the_choice_of_a_folder_is_confirmed_and_remarked(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tiny_bert: Path, tmp_path: Path
) -> None:
    chosen = copy_of(tiny_bert, tmp_path / "chosen")
    file = tmp_path / "old.bva"
    save_session(file, Session(Snapshot("the fish"), None, SavedCheckpoint("toy", "/gone/toy")))
    window.files.open_path(file)
    missing = "toy is not on this computer: the text is encoded with the checkpoint in use."
    qtbot.waitUntil(lambda: _notice(window, missing) is not None, timeout=20_000)
    window.files.try_checkpoint(str(chosen))
    qtbot.waitUntil(lambda: _notice(window, "Nothing in it contradicts that.") is not None, timeout=20_000)
    assert app_state.workspace.ref != str(chosen.resolve())
    asking = _notice(window, "Nothing in it contradicts that.")
    assert asking is not None
    use = next(one for one in asking.findChildren(QPushButton) if one.text() == "Use it")
    QTest.mouseClick(use, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app_state.workspace.ref == str(chosen.resolve()), timeout=20_000)
    remarks = window.frame.bar.remarks
    qtbot.waitUntil(lambda: remarks.isVisible() and "fingerprint" in remarks.toolTip(), timeout=20_000)
    assert _notice(window, "Nothing in it contradicts that.") is None
    window.files.open_path(file)
    qtbot.waitUntil(lambda: _notice(window, missing) is not None, timeout=20_000)
    window.files.open_model(str(tiny_bert))
    qtbot.waitUntil(lambda: _notice(window, missing) is None, timeout=20_000)
    window.files.open_path(file)
    qtbot.waitUntil(lambda: _notice(window, missing) is not None, timeout=20_000)
    window.files.try_checkpoint(str(chosen))
    qtbot.waitUntil(lambda: app_state.workspace.problem is None, timeout=20_000)
    qtbot.waitUntil(lambda: _notice(window, "Nothing in it contradicts that.") is not None, timeout=20_000)
    window.files.opener.encode()
    qtbot.waitUntil(lambda: remarks.isVisible(), timeout=20_000)
    assert _notice(window, "Nothing in it contradicts that.") is None
    app_state.workspace.set_texts("another text", None, at_once=True)
    qtbot.waitUntil(lambda: not remarks.isVisible(), timeout=20_000)
