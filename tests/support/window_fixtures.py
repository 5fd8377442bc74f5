"""A window on a fake engine, with real workers: a conftest imports the fixtures that its folder uses."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app import paths
from bertviz_app.features.lessons.state.player import LessonProgress
from bertviz_app.features.lessons.views.teaching import BlackScreen, TeacherWindow
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.lessons.window.station_maker import StationMaker
from bertviz_app.features.training.page import TrainingController
from bertviz_app.json_store import finish_writing
from bertviz_app.shell.feature import features
from bertviz_app.shell.settings import Language, Settings, SettingsStore, Theme, read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import ParametersChoice, VectorsChoice
from bertviz_app.viewmodels.runs import workspace as available
from bertviz_app.viewmodels.state import OtherRun, WindowState
from bertviz_app.views.interventions import InterventionsView
from bertviz_app.views.kit.canvas import LaterWork
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import Notice
from tests.support.fakes import FakeEngine
from tests.support.patience import PatientBot
from tests.support.plugins import release_values
from tests.support.scene import quiet
from tests.support.training_scene import FakeLaunch, write_corpus

if TYPE_CHECKING:
    from bertviz_app.features.training.state import Training
    from bertviz_app.features.training.views.page import TrainingPage


def living() -> Counter[str]:
    """Return how many Qt objects of the program's own classes there are, by the names of the classes.

    What is counted is what Python holds; Qt has deleted most of it long before.
    """
    kinds = Counter(map(type, gc.get_objects()))
    return Counter({kind.__qualname__: n for kind, n in kinds.items() if _is_of_program(kind)})


def _is_of_program(kind: type) -> bool:
    return issubclass(kind, QObject) and kind.__module__.startswith("bertviz_app.")


def collect(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture, before: Counter[str]
) -> Counter[str]:
    """Free all that the test of `request` no longer needs; return what is left beside `before`.

    Qt holds until the next turn of its loop what it is to delete, pytest until the next test the values of
    fixtures and the tracebacks of log records. Where nothing more is left, later collections need not look
    at what there is now: imported modules, what pytest knows of its tests, what an earlier one left for good;
    but for a window of the module, which is to be freed yet.
    """
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    release_values(request)
    for when in ("setup", "call"):
        caplog.get_records(when).clear()
    gc.collect()
    more = living() - before
    if not more and not any(isinstance(each, MainWindow) for each in QApplication.topLevelWidgets()):
        gc.freeze()
    return more


def free() -> None:
    """Free what nothing needs any more, with what Qt was to delete in the next turn of its loop."""
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def has_failed() -> bool:
    """Return whether the test that ends has failed: pytest holds its traceback, and so what it used."""
    return hasattr(sys, "last_value")


SIZE = 1280, 800


@contextmanager
def put_back(qapp: QApplication) -> Iterator[None]:
    """Give the application the font, the colours and the language of before, whatever a window changed.

    Tests of single views, which may come later in the same process, measure texts.
    """
    font, palette, sheet = qapp.font(), qapp.palette(), qapp.styleSheet()
    before = qapp.findChildren(Language)
    yield
    # Before the style sheet goes: what of a window dies later, Qt may style once more, and the process ends.
    free()
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


def _differing(one: Any, other: Any) -> list[str]:
    """Return the fields in which two values of a dataclass differ, with both values."""
    pairs = ((name, value, getattr(other, name)) for name, value in vars(one).items())
    return [f"{name}: {value} for {first}" for name, value, first in pairs if value != first]


@contextmanager
def state_of(engine: FakeEngine) -> Iterator[AppState]:
    """The state of a window, whose workers are ended; no torch, no checkpoints of this computer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(available, "list_sources", list)
        patch.setattr(available, "preload_torch", lambda: None)
        app_state = AppState(engine)
        yield app_state
        app_state.close()


def light_window(application: QApplication, app_state: AppState, store: SettingsStore) -> MainWindow:
    """Return a light window on the screen, before a checkpoint is opened."""
    look = Look(read_palette("light"))
    theme = Theme(application, look)
    window = MainWindow(app_state, look, theme, store, features())
    theme.choose("light")
    window.resize(*SIZE)
    window.show()
    return window


class SharedWindow:
    """A window with an open checkpoint and no text. `reset` makes it so again, and keeps what is built."""

    def __init__(self, application: QApplication, bot: PatientBot, folder: Path) -> None:
        self._bot = bot
        self._application = application
        self._open = ExitStack()
        self._open.enter_context(put_back(application))
        self.engine = FakeEngine()
        self.store = SettingsStore(folder / "settings" / "settings.json")
        self.app_state = self._open.enter_context(state_of(self.engine))
        self.window = light_window(application, self.app_state, self.store)
        self._theme = application.findChildren(Theme)[-1]  # a test that failed may still hold others
        self.app_state.start(None)
        self.app_state.workspace.set_texts("once", None, at_once=True)  # the views are built for it
        self._wait(lambda: self.app_state.workspace.is_current and self.window.main_area.area.is_complete)
        self._base = replace(self.window.app_state.store.now, text="")
        self.reset()

    def end(self) -> None:
        """Close the window, where a test has not done it, and end its workers."""
        self.window.close()
        self.window.deleteLater()
        del self.window
        self._open.close()
        gc.collect()  # the next test would be blamed for what was left

    def reset(self) -> list[str]:
        """Return to what the window was at first, and return what could not be brought back, in words."""
        self._close_what_is_open()
        self._forget()
        self._wait(lambda: True)
        self._show_first()
        self.engine.forget()  # what was requested on the way back
        finish_writing()
        for file in self.store.folder.iterdir():
            if file.is_file():
                file.unlink()
        return self._left_over()

    def _wait(self, is_so: Callable[[], bool]) -> None:
        """Wait for the workers, and until `is_so`."""
        workspace, comparison = self.app_state.workspace, self.app_state.comparison
        workers = self.app_state.workers
        tasks = workers.encoder, workers.downloads, workers.listings
        self._bot.waitUntil(
            lambda: (
                is_so()
                and not workspace.is_busy
                and not comparison.is_busy
                and not any(each.is_any_busy for each in tasks)
            )
        )

    def _close_what_is_open(self) -> None:
        window = self.window
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        for widget in [*QApplication.topLevelWidgets(), *window.findChildren(QDialog)]:
            if isinstance(widget, QDialog):
                widget.close()
                if not isinstance(widget, TeacherWindow):  # which the window keeps
                    widget.deleteLater()
        window.part(StationMaker).form = None  # it was deleted, too
        for black in window.findChildren(BlackScreen, options=Qt.FindChildOption.FindDirectChildrenOnly):
            black.uncover()
        window.presentation.leave()
        window.part(Lessons).leave()
        window.frame.pages.leave_pages()
        for notice in window.findChildren(Notice):
            notice.dismiss()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _forget(self) -> None:
        """Bring back what the engine, the settings and the state hold."""
        self.engine.forget()
        app_state = self.app_state
        interventions = self.window.main_area.cards.interventions.body
        assert isinstance(interventions, InterventionsView)
        if interventions.run != "A":
            interventions.choice.chosen.emit("A")
        app_state.comparison.end()
        app_state.kept_vectors.clear()
        workspace = app_state.workspace
        if workspace.saved is not None:
            workspace.leave_saved()
        workspace.set_edits(NO_EDITS)
        if workspace.device != "auto":
            workspace.set_device("auto")
        if workspace.ref is not None or workspace.problem is not None:
            workspace.open_model(None)
        workspace.set_texts("", None, at_once=True)
        app_state.selection.clear()
        app_state.rooms.begin("research", Settings().explore_cards)
        for progress in self.window.findChildren(LessonProgress):
            vars(progress).update(_done={}, _left={})
        QGuiApplication.clipboard().clear()

    def _show_first(self) -> None:
        window, store = self.window, self.store
        workspace = self.app_state.workspace
        workspace.shown = None  # as before the first text
        window.app_state.store.restore(self._base)
        window.session.recents.clear()
        workspace.cleared.emit()
        if window.appearance.language != "en":
            window.appearance.choose_language("en")
        store.change(**asdict(Settings()))
        window.appearance.restore()
        if self._theme.chosen != "light":
            self._theme.choose("light")
        window.showNormal()
        window.resize(*SIZE)
        main_area = window.main_area
        main_area.docks.reset()
        main_area.runs.show_run("A")
        main_area.inspector_page.predictions.open(True)
        self._base = replace(self._base, arrangement=self.app_state.store.now.arrangement)
        window.activateWindow()  # a dialog took the focus
        window.setFocus()
        self._wait(window.isActiveWindow)

    def _left_over(self) -> list[str]:
        """Return what differs from the window at first."""
        window, app_state = self.window, self.app_state
        shown = [
            type(widget).__name__
            for widget in QApplication.topLevelWidgets()
            if widget.isVisible() and widget is not window
        ]
        checks = {
            f"windows: {shown}": not shown,
            "notices": not any(notice.isVisible() for notice in window.findChildren(Notice)),
            "a problem": app_state.workspace.problem is None and app_state.workspace.saved is None,
            "run B": not app_state.comparison.is_on,
            "a page, a lesson or a presentation": not (
                window.frame.pages.has_page or window.part(Lessons).is_open or window.presentation.is_on
            ),
            "its size": (window.width(), window.height()) == SIZE,
            "a file that is written": not window.files.is_writing,
        }
        now, base = _without_choices(window.app_state.store.now), _without_choices(self._base)
        others = _differing(now, base) + _differing(self.store.settings, Settings())
        return [name for name, is_right in checks.items() if not is_right] + others

    @property
    def is_usable(self) -> bool:
        """Whether no test has closed the window, or begun a training in it."""
        return self.window.isVisible()


def _without_choices(state: WindowState) -> WindowState:
    """Return `state` without the numbers of its panels, and what nobody undoes of their views."""
    vectors, parameters = VectorsChoice(), ParametersChoice()
    panels = (
        replace(panel, steps=panel.steps.undone, vectors=vectors, parameters=parameters)
        for panel in state.panels
    )
    return replace(state, panels=tuple(panels)).without_numbers()


class SharedWindows:
    """The window of a module, made at its first use, and once more after a test that ended or spoilt it."""

    def __init__(self, make: Callable[[], SharedWindow]) -> None:
        self._make = make
        self._shared: SharedWindow | None = None

    @property
    def now(self) -> SharedWindow:
        if self._shared is None:
            self._shared = self._make()
        return self._shared

    @property
    def is_made(self) -> bool:
        """Whether there is a window now."""
        return self._shared is not None

    def end(self) -> None:
        """Close the window of now, if there is one."""
        shared, self._shared = self._shared, None
        if shared is not None:
            shared.end()

    def reset(self, *, is_spoilt: bool) -> list[str]:
        """Make the window as it was at first, or, after a test that failed or closed it, end it."""
        if is_spoilt or not self.now.is_usable:
            self.end()
            return []
        left = self.now.reset()
        if left:
            self.end()
        return left


__all__ = ["quiet"]


class Settle(Protocol):
    def __call__(self, text: str | None = None, other: str | None = None) -> None: ...


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
    """Let what a test with a window leaves behind die on this thread: a timer of it on another crashes Qt.

    A window of its own has to die whole: each later collection would look at what stays, and a window takes
    megabytes. The window of the module has to be as it was at first.
    """
    if "application" not in request.fixturenames:
        yield
        return
    windows: SharedWindows | None = None
    if "window" in request.fixturenames:
        windows = request.getfixturevalue("shared_windows")
    is_shared = _shares(request)
    if windows is not None and not is_shared:
        windows.end()
    before = Counter() if is_shared else living()
    yield
    if windows is not None and is_shared:
        left_over = windows.reset(is_spoilt=has_failed()) if windows.is_made else []
        assert not left_over, f"left over: {', '.join(left_over)}"
        return
    more = collect(request, caplog, before)
    assert has_failed() or not more, more


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
    settle("the cat sat")
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
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    return window


@pytest.fixture
def settle(qtbot: QtBot, app_state: AppState) -> Settle:
    """Run `text` at once and compare with `other`, if given; wait until all is encoded and measured."""

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

    def wait(text: str | None = None, other: str | None = None) -> None:
        if text is not None:
            app_state.workspace.set_texts(text, None, at_once=True)
        if other is not None:
            app_state.comparison.set_other(OtherRun(text=other))
        qtbot.waitUntil(is_settled)

    return wait


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
    window.part(TrainingController).launch = launch
    window.part(TrainingController).open()
    training = window.part(TrainingController).training
    training.change(files=(str(write_corpus(tmp_path / "corpus.txt")),), folder=str(tmp_path / "model"))
    yield window.part(TrainingController).page
    window.part(TrainingController).close()


@pytest.fixture
def training(window: MainWindow, page: TrainingPage) -> Training:
    return window.part(TrainingController).training
