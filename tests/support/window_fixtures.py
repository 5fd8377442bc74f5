"""Fixtures of a window on a fake engine, with real workers: a conftest imports those its folder uses."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app import paths
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from tests.support.fakes import FakeEngine
from tests.support.leftovers import collect, free, has_failed, living
from tests.support.patience import PatientBot
from tests.support.quiet import quiet
from tests.support.shared_window import SharedWindow, SharedWindows, light_window, put_back, state_of
from tests.support.training_scene import FakeLaunch, write_corpus

if TYPE_CHECKING:
    from bertviz_app.viewmodels.training.training import Training
    from bertviz_app.views.training.page import TrainingPage

__all__ = ["quiet"]

Settle = Callable[[], None]


@pytest.fixture(scope="module")
def shared_windows(
    qapp: QApplication,
    frozen_imports: None,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[SharedWindows]:
    """The window that the tests of a module share; once it is closed, nothing of it is left in memory."""
    before, bot = living(), PatientBot(request)
    windows = SharedWindows(lambda: SharedWindow(qapp, bot, tmp_path_factory.mktemp("window")))
    yield windows
    windows.end()
    free()
    left = living() - before
    assert has_failed() or not left, sorted(map(str, left))


def _shares(request: pytest.FixtureRequest) -> bool:
    """Whether a test uses the window of its module: not one marked `fresh_window`, or that trains."""
    names = set(request.fixturenames)
    own = request.node.get_closest_marker("fresh_window")
    return "window" in names and own is None and not {"page", "training"} & names


@pytest.fixture(autouse=True)
def _collected_here(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Let what a test leaves behind die on this thread: a timer that dies on a worker's crashes Qt.

    A window of its own has to die whole: each later collection would look at what stays, and a window takes
    megabytes. The window of the module has to be as it was at first.
    """
    windows: SharedWindows | None = None
    if "window" in request.fixturenames:
        windows = request.getfixturevalue("shared_windows")
    is_shared = _shares(request)
    if windows is not None and not is_shared:
        windows.end()
    gc.disable()
    before = Counter() if is_shared else living()
    yield
    if windows is not None and is_shared:
        left_over = windows.reset(is_spoilt=has_failed()) if windows.is_made else []
        gc.enable()
        assert not left_over, f"left over: {', '.join(left_over)}"
        return
    left = collect(request, caplog)
    gc.enable()
    assert "application" not in request.fixturenames or has_failed() or not left - before


@pytest.fixture
def application(
    qapp: QApplication, frozen_imports: None, request: pytest.FixtureRequest
) -> Iterator[QApplication]:
    """The application, as plain and as English as it was once the test is over, also where it fails."""
    if _shares(request):
        yield qapp
        return
    with put_back(qapp):
        yield qapp


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> FakeEngine:
    return _shared(request).engine if _shares(request) else FakeEngine()


@pytest.fixture
def app_state(
    application: QApplication, engine: FakeEngine, request: pytest.FixtureRequest
) -> Iterator[AppState]:
    """The state of a window, its workers running; no torch, no checkpoints of this computer."""
    if _shares(request):
        yield _shared(request).app_state
        return
    with state_of(engine) as app_state:
        yield app_state


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> SettingsStore:
    if _shares(request):
        return _shared(request).store
    return SettingsStore(tmp_path / "settings" / "settings.json")


def _shared(request: pytest.FixtureRequest) -> SharedWindow:
    windows: SharedWindows = request.getfixturevalue("shared_windows")
    return windows.now


@pytest.fixture
def window(
    qtbot: QtBot,
    application: QApplication,
    app_state: AppState,
    store: SettingsStore,
    request: pytest.FixtureRequest,
) -> MainWindow:
    """The window with an open checkpoint, before there is a text."""
    if _shares(request):
        return _shared(request).window
    window = light_window(application, app_state, store)
    qtbot.addWidget(window)
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
    window = light_window(application, app_state, store)
    qtbot.addWidget(window)
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
