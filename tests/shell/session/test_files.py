"""What is opened and saved: sessions, traces, texts and checkpoints, and the names that are asked for."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QDragLeaveEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.shell.session import ask_where_to_save
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.trace import save_trace
from bertviz_app.trace.provenance import Identity
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.session import archive as opener
from bertviz_app.viewmodels.session.archive import Session, load_session, save_session
from bertviz_app.viewmodels.state import Pair, WindowState, state_to_plain
from bertviz_app.views.kit.widgets import DropHint
from tests.support.factories import random_trace
from tests.support.fakes import FakeEngine, tokens_of, wait_for
from tests.support.scene import drag_into, drop_onto, expect, not_none

TRACE = random_trace(tokens_of("saved words", "in pairs"), seed=7)

CHECKPOINT = SavedCheckpoint(
    "made by hand", "/models/gone", Identity("c0ffee", "0ff1ce", "me/toy", "a1b2c3"), 2, 3, 24
)

SESSION = Session(
    WindowState("saved words", "in pairs", "/models/gone", panels=(Panel(0, 0, 2, "matrix"),)),
    TRACE,
    CHECKPOINT,
)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The folders where the saved checkpoint is; the test adds them."""
    folders: set[str] = set()

    def find_saved(saved: SavedCheckpoint, *_: object) -> str | None:
        return saved.ref if saved.ref in folders else None

    monkeypatch.setattr(opener, "find", lambda ref: Source(Path(ref).name, Path(ref), "folder", 0))
    monkeypatch.setattr(opener, "find_saved", find_saved)
    monkeypatch.setattr(opener, "is_saved_at", lambda source, *_: source.ref in folders)
    return folders


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    save_trace(TRACE, tmp_path / "trace.npz")
    return tmp_path / "trace.npz"


def _drop(window: MainWindow, data: QMimeData, *, lets_go: bool = True) -> None:
    assert drag_into(window, data)
    if lets_go:
        drop_onto(window, data)


def _hint(window: MainWindow) -> DropHint:
    return expect(DropHint, window.findChild(DropHint))


def _of(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def _text(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def test_a_trace_is_shown_without_its_model_until_its_text_is_encoded_or_another_opened(
    qtbot: QtBot, window: MainWindow, app_state: AppState, engine: FakeEngine, trace_file: Path
) -> None:
    window.files.open_path(trace_file)
    qtbot.waitUntil(lambda: "not on this computer" in window.notice.message)
    qtbot.waitUntil(lambda: app_state.workspace.shown is not None)
    assert (not_none(app_state.workspace.shown).result.trace.attention(1, 1) == TRACE.attention(1, 1)).all()
    assert engine.requests == []
    assert app_state.workspace.is_current
    assert window.frame.bar.text.text() == "saved words"
    assert window.frame.bar.pair.text() == "in pairs"
    assert window.frame.bar.text.isReadOnly()
    assert "saved numbers of made by hand" in window.notice.message
    assert "opened from a file" in window.frame.status.words[0]
    assert window.session.recents.files == (str(trace_file),)
    _press(window, "Encode with fake")
    qtbot.waitUntil(lambda: app_state.workspace.is_current and app_state.workspace.saved is None)
    assert [request.text for request in engine.requests] == ["saved words"]
    assert not window.frame.bar.text.isReadOnly()
    window.files.open_path(trace_file)
    qtbot.waitUntil(lambda: "not on this computer" in window.notice.message)
    qtbot.waitUntil(lambda: app_state.workspace.saved is not None and app_state.workspace.is_current)
    window.files.open_texts("another", None)
    qtbot.waitUntil(lambda: app_state.workspace.saved is None and app_state.workspace.is_current)
    assert not window.frame.bar.text.isReadOnly()


def test_a_session_is_saved_and_opened_again(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    app_state.workspace.set_texts("one two three", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    app_state.panels.open([Panel(0, 0, 1, "matrix"), Panel(0, 1, 2, "lines")], 1)
    app_state.selection.show(Pair(2, 3))
    with qtbot.waitSignal(window.files.saved):
        window.files.save(tmp_path / "work.bva")
    assert "work.bva" in window.frame.status.words[1]
    before = window.app_state.store.now
    assert load_session(tmp_path / "work.bva").trace is not None
    app_state.workspace.set_texts("else", None, at_once=True)
    app_state.panels.show(0, 0)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    window.files.open_path(tmp_path / "work.bva")
    qtbot.waitUntil(lambda: app_state.workspace.text == "one two three" and app_state.workspace.is_current)
    assert window.app_state.store.now == before


def test_what_is_saved_in_a_row_is_written_one_after_the_other_and_before_the_window_is_gone(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    app_state.workspace.set_texts("one two three", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    is_free, saved = threading.Event(), list[str]()
    window.files.saved.connect(saved.append)
    window.files.write(tmp_path / "slow.csv", lambda: wait_for(is_free))
    window.files.save(tmp_path / "first.bva")
    window.files.save(tmp_path / "second.bva")
    for name in ("third.csv", "fourth.csv"):
        window.files.write(tmp_path / name, partial(_write_its_name, tmp_path / name))
    is_free.set()
    names = ["slow.csv", "first.bva", "second.bva", "third.csv", "fourth.csv"]
    qtbot.waitUntil(lambda: saved == [str(tmp_path / name) for name in names])
    for name in names[1:3]:
        assert load_session(tmp_path / name).state.text == "one two three"
    assert [(tmp_path / name).read_text() for name in names[3:]] == names[3:]
    is_free.clear()
    window.files.write(tmp_path / "slow.csv", lambda: wait_for(is_free))
    window.files.save(tmp_path / "work.bva")
    window.close()
    is_free.set()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert load_session(tmp_path / "work.bva").state.text == "one two three"


def _write_its_name(path: Path) -> None:
    path.write_text(path.name)


def test_a_session_whose_checkpoint_is_missing_shows_its_arrays_under_its_name(
    qtbot: QtBot, window: MainWindow, app_state: AppState, engine: FakeEngine, tmp_path: Path
) -> None:
    save_session(tmp_path / "work.bva", SESSION)
    window.files.open_path(tmp_path / "work.bva")
    qtbot.waitUntil(lambda: "which is not on this computer" in window.notice.message)
    qtbot.waitUntil(lambda: app_state.workspace.shown is not None)
    shown, frame = app_state.workspace.shown, window.frame
    assert shown is not None
    assert (shown.result.trace.attention(0, 2) == TRACE.attention(0, 2)).all()
    assert app_state.panels.open_heads() == [(0, 2)]
    assert engine.requests == []
    assert frame.bar.models.accessibleName() == "made by hand saved numbers · 2 layers × 3 heads · 24"
    assert frame.bar.text.isReadOnly()
    assert not frame.bar.compare.isEnabled()
    assert not frame.bar.devices.isEnabled()
    assert not app_state.editing.is_possible
    window.main_area.edits.badges.edits_chosen.emit(Edits(muted=((1, 1),)))
    app_state.editing.undo_all()
    assert app_state.workspace.edits == NO_EDITS
    assert app_state.workspace.saved is not None
    frame.toggle_comparison()
    assert not app_state.comparison.is_on
    assert _buttons(window) == ["Look for it …", "Download it", "Encode with fake"]
    qtbot.waitUntil(lambda: window.export.subject(None) is not None)
    subject = not_none(window.export.subject(None))
    assert subject.sheet.lines[0].startswith("made by hand")


@pytest.mark.fresh_window
def test_the_folder_that_is_looked_at_is_used_if_it_is_the_one(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    tmp_path: Path,
    here: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save_session(tmp_path / "work.bva", SESSION)
    window.files.open_path(tmp_path / "work.bva")
    qtbot.waitUntil(lambda: "which is not on this computer" in window.notice.message)
    qtbot.waitUntil(lambda: app_state.workspace.saved is not None)
    qtbot.waitUntil(lambda: "Look for it …" in _buttons(window))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/models/else")
    _press(window, "Look for it …")
    qtbot.waitUntil(lambda: "else is another checkpoint than the saved made by hand" in window.notice.message)
    assert app_state.workspace.saved is not None
    here.add("/models/moved")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/models/moved")
    _press(window, "Look for it …")
    qtbot.waitUntil(lambda: app_state.workspace.saved is None and app_state.workspace.is_current)
    assert app_state.workspace.ref == "/models/moved"
    assert app_state.panels.open_heads() == [(0, 2)]
    assert window.frame.bar.compare.isEnabled()


def test_a_session_without_a_checkpoint_opens_with_a_notice(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    content = {"kind": "bertviz-app session", "version": 1, "has_arrays": True}
    content |= {"snapshot": state_to_plain(replace(SESSION.state, ref=None))}
    (tmp_path / "work.bva").write_text(json.dumps(content))
    window.files.open_path(tmp_path / "work.bva")
    qtbot.waitUntil(lambda: app_state.workspace.text == "saved words" and app_state.workspace.is_current)
    assert "does not say which checkpoint" in window.notice.message


def test_a_session_without_arrays_offers_to_look_for_its_checkpoint(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    tmp_path: Path,
    here: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save_session(tmp_path / "work.bva", replace(SESSION, trace=None))
    window.files.open_path(tmp_path / "work.bva")
    qtbot.waitUntil(lambda: app_state.workspace.text == "saved words" and app_state.workspace.is_current)
    qtbot.waitUntil(lambda: "is encoded with the checkpoint in use" in window.notice.message)
    assert _buttons(window) == ["Look for it …", "Download it"]
    assert not window.frame.bar.text.isReadOnly()
    folder = tmp_path / "moved"
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: str(folder))
    _press(window, "Look for it …")
    qtbot.waitUntil(lambda: "is another checkpoint than the saved" in window.notice.message)
    assert _buttons(window) == ["Look for it …", "Download it"]
    here.add(str(folder))
    _press(window, "Look for it …")
    qtbot.waitUntil(lambda: app_state.workspace.ref == str(folder) and app_state.workspace.is_current)
    assert window.session.opener.checkpoint is None


def _buttons(window: MainWindow) -> list[str]:
    """Return the texts of the buttons of the notice, without the one that closes it."""
    buttons = window.notice.findChildren(QPushButton)
    return [button.text() for button in buttons if button.isVisible() and button.text() != "✕"]


def _press(window: MainWindow, text: str) -> None:
    next(button for button in window.notice.findChildren(QPushButton) if button.text() == text).click()


def test_what_cannot_be_opened_or_written_is_refused_with_a_sentence_until_the_next_step(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("the cat")
    steps: list[Callable[[str], object]] = [
        window.frame.bar.text.setText,
        window.files.open_model,
        lambda _: window.files.open_path(tmp_path / "text.txt"),
    ]
    refused: list[tuple[str, bytes | None, str]] = [
        ("gone.bva", None, "There is no file"),
        ("a.npz", b"PK", "not a trace"),
        ("a.bva", b"{}", "no session"),
        ("empty.txt", b"  \n ", "holds no text"),
        ("other.txt", b"\xff\xfe\xfd", "no text in UTF-8"),
        ("a.pdf", b"%PDF", "not a file of a kind that can be opened"),
        ("long.txt", b"w" * 1_000_001, "longer than"),
    ]
    for (name, content, words), step in zip(refused, cycle(steps), strict=False):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        window.files.open_path(tmp_path / name)
        qtbot.waitUntil(lambda words=words: window.notice.isVisible() and words in window.notice.message)  # type: ignore[misc]
        step(f"after {name}")
        assert not window.notice.isVisible()
        qtbot.waitUntil(lambda: not app_state.workspace.is_busy and not window.files.is_writing)
    window.files.save(tmp_path / "nowhere" / "work.bva")
    qtbot.waitUntil(lambda: window.notice.isVisible() and "could not be written" in window.notice.message)


def test_texts_files_and_folders_are_dropped_and_the_hint_names_what_a_drop_would_do(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path, trace_file: Path
) -> None:
    workspace, hint = app_state.workspace, _hint(window)
    for data in (_of(tmp_path / "a.pdf"), _of(tmp_path / "a.txt", tmp_path / "b.txt"), _text("   ")):
        _drop(window, data, lets_go=False)
        assert not hint.is_accepted
        _drop(window, data)
        assert not hint.isVisible()
        assert window.notice.isVisible()
        assert window.notice.message == hint.words
        assert workspace.text == ""
    _drop(window, _of(trace_file), lets_go=False)
    assert hint.isVisible()
    assert hint.words == "Open the trace trace.npz"
    assert hint.is_accepted
    assert hint.geometry() == window.rect()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not hint.isVisible()
    (tmp_path / "text.txt").write_bytes("\ufeffthe cat\n ate\tfish\n".encode())
    _drop(window, _of(tmp_path / "text.txt"))
    qtbot.waitUntil(lambda: workspace.is_current and workspace.text == "the cat ate fish")
    _drop(window, _text(" the cat\nsat "))
    qtbot.waitUntil(lambda: workspace.is_current and window.frame.bar.text.text() == "the cat sat")
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    _drop(window, _of(folder))
    qtbot.waitUntil(lambda: workspace.facts is not None and workspace.facts.name == str(folder))
    assert window.session.recents.checkpoints == (str(folder),)


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    parent = QWidget()
    qtbot.addWidget(parent)
    return parent


def test_a_file_with_the_ending_is_asked_about(
    parent: QWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answers = list[str](), ["Keep it", "Replace"]

    def choose(box: QMessageBox) -> int:
        asked.append(box.text())
        answer = answers.pop(0)
        next(button for button in box.buttons() if button.text() == answer).click()
        return 0

    def ask(typed: str, ending: str | None = ".bva") -> Path | None:
        given = typed, "CSV (*.csv)" if typed else ""
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: given)
        return ask_where_to_save(parent, "Save", "", "", ending)

    monkeypatch.setattr(QMessageBox, "exec", choose)
    saved = tmp_path / "lecture.bva"
    assert ask("") is None
    assert ask(str(saved)) == saved
    assert ask(str(tmp_path / "lecture")) == saved
    assert ask(str(tmp_path / "numbers"), None) == tmp_path / "numbers.csv"
    assert asked == [], "nothing would be replaced, or the dialog has asked"
    saved.touch()
    assert [ask(str(tmp_path / "lecture")) for _ in range(2)] == [None, saved]
    assert asked == ["lecture.bva exists already. Replace it?"] * 2
