"""What was looked at last: after an end, after a crash, with a second window, and with a damaged file."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLockFile
from pytestqt.qtbot import QtBot

from bertviz_app.errors import Check, FileError, Message
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.inference.jobs import JobOutcome, Jobs
from bertviz_app.shell import session as module
from bertviz_app.shell.session import NAME, Autosave
from bertviz_app.trace.provenance import Identity
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.session.archive import Session, load_without_arrays, save_session
from bertviz_app.viewmodels.state import Store, WindowState
from tests.support.scene import not_none

_CRASH = """
import os, signal, sys
from PySide6.QtCore import QLockFile
lock = QLockFile(sys.argv[1])
lock.setStaleLockTime(0)
assert lock.tryLock(0)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def scene(app_state: AppState) -> Store:
    return app_state.store


def _ended(folder: Path, scene: Store, text: str) -> None:
    """Leave behind what a window with `text` does that was closed."""
    autosave = Autosave(folder, scene, Session)
    autosave.begin(restores=True)
    scene.restore(WindowState(text=text))
    autosave.end()


def test_what_was_shown_comes_back_after_an_end_unless_that_is_turned_off(
    tmp_path: Path, scene: Store
) -> None:
    _ended(tmp_path / "new", scene, "the cat")
    assert [file.name for file in (tmp_path / "new").iterdir()] == [NAME]
    autosave = Autosave(tmp_path / "new", scene, Session)
    last = not_none(autosave.begin(restores=True))
    assert last.state.text == "the cat"
    autosave.end()
    assert Autosave(tmp_path / "new", scene, Session).begin(restores=False) is None


def test_after_a_crash_it_comes_back_even_where_that_is_turned_off(tmp_path: Path, scene: Store) -> None:
    _ended(tmp_path, scene, "the cat")
    lock = str(tmp_path / "last.lock")
    killed = subprocess.run([sys.executable, "-c", _CRASH, lock], check=False)
    assert killed.returncode < 0
    assert Path(lock).exists()
    autosave = Autosave(tmp_path, scene, Session)
    last = not_none(autosave.begin(restores=False))
    assert last.state.text == "the cat"
    autosave.end()
    assert not Path(lock).exists()


def test_what_is_still_waited_for_is_not_lost_by_a_quick_end(tmp_path: Path, scene: Store) -> None:
    last = WindowState(text="the cat", ref="some/checkpoint", panels=(Panel(0, 5, 7, "matrix"),))
    autosave = Autosave(tmp_path, scene, Session)
    autosave.begin(restores=True)
    scene.restore(last)
    autosave.end()
    assert load_without_arrays(tmp_path / NAME).state == last


def test_the_identity_of_a_checkpoint_is_written_once_it_is_open(tmp_path: Path, scene: Store) -> None:
    """The state of the window is the same before and after: its checkpoint was the requested one."""
    known = SavedCheckpoint("toy", "/models/toy", Identity("c0ffee"))
    opening = SavedCheckpoint(ref="/models/toy")
    for session_of, written in ((opening, opening), (known, known), (opening, known)):
        autosave = Autosave(tmp_path, scene, partial(Session, trace=None, checkpoint=session_of))
        autosave.begin(restores=True)
        autosave.end()
        assert load_without_arrays(tmp_path / NAME).checkpoint == written


def test_the_interface_thread_does_not_wait_for_the_disk_and_the_newest_state_stays(
    qtbot: QtBot, tmp_path: Path, scene: Store, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY_MS", 1)
    may_write, threads = threading.Event(), list[threading.Thread]()

    def slow(path: Path, session: Session) -> None:
        threads.append(threading.current_thread())
        assert may_write.wait(120)
        save_session(path, session)

    monkeypatch.setattr(module, "save_session", slow)
    autosave = Autosave(tmp_path, scene, Session)
    autosave.begin(restores=True)
    for text in ("first", "second", "third"):
        app_state.workspace.set_texts(text, None)
        qtbot.wait(20)
    qtbot.waitUntil(lambda: len(threads) == 1)
    assert threads[0] is not threading.main_thread()
    app_state.workspace.set_texts("last", None)
    may_write.set()
    autosave.pause(True)
    assert load_without_arrays(tmp_path / NAME).state.text == "last"
    qtbot.wait(20)
    autosave.end()
    assert load_without_arrays(tmp_path / NAME).state.text == "last"
    assert threads[0] not in threading.enumerate()


def test_what_could_not_be_written_is_written_at_the_end(
    qtbot: QtBot, tmp_path: Path, scene: Store, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY_MS", 1)
    tries = []

    def full(path: Path, session: Session) -> None:
        tries.append(path)
        raise FileError(Message("The disk is full."), Message("Make room."))

    monkeypatch.setattr(module, "save_session", full)
    autosave = Autosave(tmp_path, scene, Session)
    autosave.begin(restores=True)
    app_state.workspace.set_texts("typed", None)
    qtbot.waitUntil(lambda: len(tries) == 1)
    monkeypatch.setattr(module, "save_session", save_session)
    autosave.end()
    assert load_without_arrays(tmp_path / NAME).state.text == "typed"


def test_what_waits_for_a_slow_disk_is_written_at_the_end(
    qtbot: QtBot, tmp_path: Path, scene: Store, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY_MS", 1)
    may_write, texts, submitted = threading.Event(), list[str](), list[str]()

    def slow(path: Path, session: Session) -> None:
        texts.append(session.state.text)
        assert may_write.wait(120)
        save_session(path, session)

    class ClosedJobs(Jobs):
        def submit(self, slot: str, work: Callable[[Check], Any], done: Callable[[JobOutcome], None]) -> None:
            super().submit(slot, work, done)
            submitted.append(slot)

        def _cancel(self, slot: str) -> None:
            super()._cancel(slot)
            if self._closed:  # what waits is dropped by now
                may_write.set()

    monkeypatch.setattr(module, "save_session", slow)
    monkeypatch.setattr(module, "Jobs", ClosedJobs)
    autosave = Autosave(tmp_path, scene, Session)
    autosave.begin(restores=True)
    app_state.workspace.set_texts("first", None)
    qtbot.waitUntil(lambda: texts == ["first"])
    app_state.workspace.set_texts("last", None)
    qtbot.waitUntil(lambda: len(submitted) == 2)
    autosave.end()
    assert load_without_arrays(tmp_path / NAME).state.text == "last"


def test_nothing_is_written_during_a_pause(
    qtbot: QtBot, tmp_path: Path, scene: Store, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY_MS", 1)
    autosave = Autosave(tmp_path, scene, Session)
    autosave.begin(restores=True)
    app_state.workspace.set_texts("own", None)
    autosave.pause(True)
    assert load_without_arrays(tmp_path / NAME).state.text == "own"
    app_state.workspace.set_texts("shown", None)
    autosave.pause(True)  # another station of the lesson
    qtbot.wait(20)
    assert load_without_arrays(tmp_path / NAME).state.text == "own"
    autosave.pause(False)
    app_state.workspace.set_texts("own again", None)
    qtbot.waitUntil(lambda: load_without_arrays(tmp_path / NAME).state.text == "own again")
    autosave.end()


def test_a_second_window_leaves_the_first_ones_alone(
    tmp_path: Path, scene: Store, app_state: AppState
) -> None:
    _ended(tmp_path, scene, "first")
    lock = QLockFile(str(tmp_path / "last.lock"))
    assert lock.tryLock(0)
    second = Autosave(tmp_path, scene, Session)
    assert second.begin(restores=True) is None
    app_state.workspace.set_texts("second", None)
    second.end()
    assert load_without_arrays(tmp_path / NAME).state.text == "first"
    lock.unlock()


def test_a_damaged_file_and_a_folder_that_cannot_be_made_are_no_reason_to_fail(
    tmp_path: Path, scene: Store
) -> None:
    for content in (b"", b"{", b"\xff", b"{}"):
        (tmp_path / NAME).write_bytes(content)
        autosave = Autosave(tmp_path, scene, Session)
        assert autosave.begin(restores=True) is None
        autosave.end()
        assert load_without_arrays(tmp_path / NAME).state == scene.now
    (tmp_path / "file").write_text("")
    autosave = Autosave(tmp_path / "file" / "folder", scene, Session)
    assert autosave.begin(restores=True) is None
    autosave.end()


def test_a_folder_that_may_not_be_read_keeps_nothing_from_being_shown(
    tmp_path: Path, scene: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, **_: object) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    autosave = Autosave(tmp_path / "new", scene, Session)
    monkeypatch.setattr(Path, "exists", refused)
    monkeypatch.setattr(Path, "mkdir", refused)
    assert autosave.begin(restores=True) is None
