"""The window never has the attention of all heads in memory, nor anything that was closed."""

from __future__ import annotations

import gc
import tracemalloc
from collections import Counter
from dataclasses import replace
from weakref import ref

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from bertviz_app.errors import Check, Progress
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Panel
from tests.support.factories import long_trace
from tests.support.fakes import FACTS, FakeEngine
from tests.support.scene import turn_events
from tests.support.window_fixtures import light_window, living

pytestmark = pytest.mark.fresh_window

N_LAYERS, N_HEADS, N_TOKENS = 16, 12, 450


class LongText(FakeEngine):
    """Returns one trace of many tokens for every text."""

    def __init__(self) -> None:
        super().__init__()
        self.long = long_trace(N_TOKENS, N_LAYERS, N_HEADS)

    def trace(
        self, request: TraceRequest, check: Check | None = None, progress: Progress | None = None
    ) -> TraceResult:
        found = super().trace(request, check, progress)
        facts = replace(FACTS, n_layers=N_LAYERS, n_heads=N_HEADS)
        return replace(found, trace=replace(self.long, provenance=found.trace.provenance), facts=facts)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> FakeEngine:
    return getattr(request, "param", FakeEngine)()


@pytest.mark.parametrize("engine", [LongText], indirect=True)
def test_the_window_shows_a_long_text_without_the_attention_of_all_heads(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    """[L, H, T, T] of a long text is gigabytes."""
    one_byte_for_each_weight = N_LAYERS * N_HEADS * N_TOKENS**2
    tracemalloc.start()
    try:
        app_state.workspace.set_texts("a long text", None, at_once=True)
        # What counts memory makes the work ten times as slow.
        qtbot.waitUntil(lambda: _is_whole(app_state), timeout=1_200_000)
        app_state.panels.open([Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "lines")])
        qtbot.waitUntil(lambda: window.main_area.area.is_complete, timeout=1_200_000)
        app_state.selection.pin(query=3, key=5)
        window.grab()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < one_byte_for_each_weight


def _is_whole(app_state: AppState) -> bool:
    """Return whether the overview has every row of every layer, not only samples."""
    shown = app_state.workspace.shown
    return shown is not None and shown.overview.sample is None


def _count(window: MainWindow, app_state: AppState) -> tuple[Counter[str], Counter[str]]:
    """Return what there is of the program's classes in Python, and of all classes in Qt."""
    turn_events()
    gc.collect()
    turn_events()
    roots = [window, app_state, *(one for one in QApplication.topLevelWidgets() if one.parent() is None)]
    below = [one for root in dict.fromkeys(roots) for one in (root, *root.findChildren(QObject))]
    return living(), Counter(one.metaObject().className() for one in below)


def _run(window: MainWindow, name: str) -> None:
    """Run a command and close what it opens."""
    next(one for one in window.commands() if one.text == name).run()
    turn_events()
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QDialog) and dialog.isVisible():
            dialog.reject()
    turn_events()


OPENED = ("All commands", "All keys", "Preferences …", "Glossary", "Documents", "Lessons …")
TOGGLED = (
    "Train a model …",
    "Heads over a corpus …",
    "Inspector: show or close",
    "Predictions: show or close",
)
IN_TURN = (
    (
        "Draw the panel as a matrix",
        "Show the steps in the panel",
        "Show the vectors in the panel",
        "Show the parameters in the panel",
        "Draw the panel as lines",
    ),
    ("Add a panel", "Close the panel"),
)
CYCLES = (*((name,) for name in OPENED), *((name, name) for name in TOGGLED), *IN_TURN)


def test_what_is_opened_and_closed_again_and_again_is_there_no_more_often_than_after_one(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    left = {}
    for names in CYCLES:
        for name in 2 * names:  # what is made at the first use and stays
            _run(window_with_text, name)
        in_python, in_qt = _count(window_with_text, app_state)
        for name in 2 * names:
            _run(window_with_text, name)
        in_python_now, in_qt_now = _count(window_with_text, app_state)
        left[names] = in_python_now - in_python, in_qt_now - in_qt
    assert left == dict.fromkeys(CYCLES, (Counter(), Counter()))


def _open_and_close(
    qtbot: QtBot, application: QApplication, store: SettingsStore, engine: FakeEngine
) -> list[ref[QObject]]:
    """Return what there was of a window with a text, and of its state."""
    app_state = AppState(engine)
    window = light_window(application, app_state, store)
    qtbot.addWidget(window)
    app_state.start(None)
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current and window.main_area.area.is_complete)
    found: list[QObject] = [window, window.main_area, app_state, app_state.shown_runs]
    window.close()
    window.deleteLater()
    app_state.close()
    return list(map(ref, found))


def test_a_closed_window_and_its_state_are_freed(
    qtbot: QtBot, application: QApplication, store: SettingsStore, engine: FakeEngine, app_state: AppState
) -> None:
    """The fixture `app_state` only sees to it that no checkpoint of this computer is looked for."""
    found = _open_and_close(qtbot, application, store, engine)
    turn_events()
    gc.collect()
    assert [one() for one in found] == [None] * 4
