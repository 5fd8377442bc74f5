"""Fixtures of a window on a fake engine, with real workers: a conftest imports those its folder uses."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app import paths
from bertviz_app.shell.settings.appearance import Language, Theme, read_palette
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs import workspace as available
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.kit.look import Look
from tests.support.fakes import FakeEngine
from tests.support.leftovers import collect, has_failed, living
from tests.support.quiet import quiet
from tests.support.scene import on_screen
from tests.support.training_scene import FakeLaunch, write_corpus

if TYPE_CHECKING:
    from bertviz_app.viewmodels.training.training import Training
    from bertviz_app.views.training.page import TrainingPage

__all__ = ["quiet"]

Settle = Callable[[], None]


@pytest.fixture(autouse=True)
def _collected_here(
    frozen_imports: None, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Let what a test leaves behind die on this thread: a timer that dies on a worker's crashes Qt.

    All of it has to die: each later collection would look at what stays, and a window takes megabytes. But a
    window that a whole module uses makes more of its views with each test.
    """
    gc.disable()
    before = living()
    yield
    left = collect(request, caplog)
    gc.enable()
    assert "application" not in request.fixturenames or has_failed() or not left - before


@pytest.fixture
def application(qapp: QApplication, frozen_imports: None) -> Iterator[QApplication]:
    """The application, as plain and as English as it was once the test is over, also where it fails."""
    with put_back(qapp):
        yield qapp


@contextmanager
def put_back(qapp: QApplication) -> Iterator[None]:
    """Give the application the font, the colours and the language of before, whatever a window changed.

    Tests of single views, which may come later in the same process, measure texts.
    """
    font, palette, sheet = qapp.font(), qapp.palette(), qapp.styleSheet()
    before = qapp.findChildren(Language)
    yield
    # Before the style sheet goes: what of a window dies later, Qt may style once more, and the process ends.
    gc.collect()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for language in qapp.findChildren(Language):
        language.choose("en")
        if language not in before:
            delete(language)
    for theme in qapp.findChildren(Theme):  # an application has one, so that none of them removes itself
        delete(theme)
    for work in qapp.findChildren(LaterWork):  # what waits, of views that are gone
        delete(work)
    qapp.setFont(font)
    qapp.setPalette(palette)
    # With an empty sheet Qt deletes the style that draws sheets, and the next window crashes with its own.
    qapp.setStyleSheet(sheet or "/* no rules */")


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def app_state(
    application: QApplication, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AppState]:
    """The state of a window, its workers running; no torch, no checkpoints of this computer."""
    monkeypatch.setattr(available, "list_sources", list)
    monkeypatch.setattr(available, "preload_torch", lambda: None)
    app_state = AppState(engine)
    yield app_state
    app_state.close()


@pytest.fixture
def store(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "settings" / "settings.json")


def light_window(
    qtbot: QtBot, application: QApplication, app_state: AppState, store: SettingsStore
) -> MainWindow:
    """Return a light window on the screen, before a checkpoint is opened."""
    look = Look(read_palette("light"))
    theme = Theme(application, look)
    window = MainWindow(app_state, look, theme, store)
    theme.choose("light")
    return on_screen(qtbot, window, 1280, 800)


@pytest.fixture
def window(qtbot: QtBot, application: QApplication, app_state: AppState, store: SettingsStore) -> MainWindow:
    """The window with an open checkpoint, before there is a text."""
    window = light_window(qtbot, application, app_state, store)
    app_state.start(None)
    qtbot.waitUntil(lambda: app_state.workspace.facts is not None and not app_state.workspace.is_busy)
    return window


@pytest.fixture
def window_with_text(qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with "the cat sat" encoded and drawn; keys go to the window, not to a field."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    window.setFocus()
    return window


@pytest.fixture(name="window")
def window_of_checkpoint(
    qtbot: QtBot,
    application: QApplication,
    app_state: AppState,
    store: SettingsStore,
    tiny_bert: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> MainWindow:
    """The window with the small checkpoint open and a text shown; for tests with a real engine."""
    monkeypatch.setattr(paths, "settings", lambda: tmp_path / "settings")
    window = light_window(qtbot, application, app_state, store)
    app_state.workspace.set_texts("The cat ate", None, at_once=True)
    app_state.start(str(tiny_bert))
    qtbot.waitUntil(lambda: app_state.workspace.is_current, timeout=20_000)
    return window


@pytest.fixture
def settle(qtbot: QtBot, app_state: AppState) -> Settle:
    """Wait until both runs are encoded and measured."""

    def is_settled() -> bool:
        comparison = app_state.comparison
        if app_state.workspace.is_busy or comparison.is_busy:
            return False
        difference = comparison.difference
        return (
            not comparison.is_on
            or comparison.problem is not None
            or (difference is not None and difference.divergence is not None and comparison.is_current)
        )

    return lambda: qtbot.waitUntil(is_settled, timeout=10_000)


@pytest.fixture
def launch() -> FakeLaunch:
    return FakeLaunch()


@pytest.fixture
def page(
    window: MainWindow, launch: FakeLaunch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TrainingPage]:
    """The page on screen, its form ready to be started."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))
    window.training.launch = launch
    window.training.open()
    training = window.training.training
    training.change(files=(str(write_corpus(tmp_path / "corpus.txt")),), folder=str(tmp_path / "model"))
    yield window.training.page
    window.training.close()


@pytest.fixture
def training(window: MainWindow, page: TrainingPage) -> Training:
    return window.training.training
