"""Another language: the window is built anew around its state, and all that was there goes on."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.preferences_dialog import Preferences
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.dialogs.documents import GlossaryDialog
from bertviz_app.views.lessons.station_form import NumbersForm
from bertviz_app.views.training.page import TrainingPage
from tests.support.leftovers import living
from tests.support.lesson_scene import form
from tests.support.scene import turn_events
from tests.support.training_page import LEARNING, send, start
from tests.support.training_scene import FakeLaunch, report
from tests.support.window_fixtures import Settle


class _Windows(QObject):
    """Which widgets appear as windows."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(type(watched).__name__)
        return False


@pytest.fixture
def windows(qapp: QApplication) -> Iterator[list[str]]:
    """The classes of the widgets that appear as windows from now on."""
    windows = _Windows()
    qapp.installEventFilter(windows)
    yield windows.seen
    qapp.removeEventFilter(windows)


@pytest.fixture
def choose(window: MainWindow) -> Iterator[Callable[[str], None]]:
    """Choose a language, and let what is to be deleted be deleted."""

    def chosen(language: str) -> None:
        window.appearance.choose_language(language)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        turn_events()

    yield chosen
    chosen("en")


def test_all_that_is_set_survives(
    qtbot: QtBot,
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    windows: list[str],
    choose: Callable[[str], None],
) -> None:
    window, panels = window_with_text, app_state.panels
    panels.open([Panel(0, 0, 1, "matrix"), Panel(1, 1, 0, "lines"), Panel(2, 0, 0, "steps", "B")])
    app_state.comparison.editor.begin()
    app_state.comparison.editor.set_texts("the cat slept", None)
    settle()
    app_state.selection.pin(query=2)
    panels.activate(panels.panels[1].number)
    docks = window.main_area.docks
    docks.toggle("heads")
    window.main_area.runs.show_run("B")
    window.main_area.inspector_page.predictions.open(False)
    window.frame.bar.text.setFocus()
    window.frame.bar.text.setCursorPosition(4)
    app_state.overview.filter_by("entropy")
    window.session.history.end_typing()
    panels.show(1, 1)
    window.session.history.end_typing()
    before = [panel.content for panel in panels.panels], window.geometry(), window.pos()
    facts, shown, trace = app_state.workspace.facts, app_state.workspace.shown, app_state.comparison.shown
    windows.clear()
    choose("ko")
    assert windows == []
    area, bar = window.main_area, window.frame.bar
    assert ([panel.content for panel in panels.panels], window.geometry(), window.pos()) == before
    assert [card.panel for card in area.area.cards.values()] == list(panels.panels)
    assert app_state.selection.pinned == Pair(2)
    assert (bar.text.text(), bar.text.cursorPosition()) == ("the cat sat", 4)
    assert window.focusWidget() is bar.text
    assert window.frame.compare.text.text() == "the cat slept"
    assert window.frame.compare.isVisible()
    assert area.runs.run == "B"
    assert area.docks.docks["heads"].isHidden()
    assert not area.docks.docks["overview"].isHidden()
    assert not area.inspector_page.predictions.is_open
    assert (app_state.workspace.facts, app_state.workspace.shown) == (facts, shown)
    assert app_state.comparison.shown is trace
    assert area.cards.heads.title.text() == "헤드 · B"
    window.session.history.undo()
    assert panels.panels[1].head == 0


def test_moving_a_card_in_the_new_window_is_undone(
    window_with_text: MainWindow, choose: Callable[[str], None]
) -> None:
    window, history = window_with_text, window_with_text.session.history
    history.end_typing()
    window.main_area.docks.toggle("heads")
    history.end_typing()
    choose("ko")
    docks = window.main_area.docks
    history.undo()
    assert not docks.docks["heads"].isHidden()
    history.redo()
    assert docks.docks["heads"].isHidden()


def test_a_lesson_goes_on_with_the_answer_that_is_being_typed(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    settle: Settle,
    go: Callable[[str], None],
    choose: Callable[[str], None],
) -> None:
    go("numbers")
    form(window, NumbersForm).findChildren(QLineEdit)[0].setText("5")
    choose("ko")
    card = window.lessons.card
    assert card is not None
    assert card.isVisible()
    assert card.stations_button.text() == "3/7"
    assert card.next_button.text() == "다음"
    assert [field.text() for field in form(window, NumbersForm).findChildren(QLineEdit)] == ["5", ""]
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    window.lessons.leave()
    settle()
    assert not card.isVisible()
    assert app_state.workspace.text == "my own words here"
    assert window.frame.bar.text.text() == "my own words here"


def test_a_training_goes_on_and_its_page_is_shown(
    qtbot: QtBot,
    window: MainWindow,
    page: TrainingPage,
    training: Training,
    launch: FakeLaunch,
    windows: list[str],
    choose: Callable[[str], None],
) -> None:
    process = start(qtbot, page, training, launch)
    windows.clear()
    choose("ko")
    assert windows == []
    assert window.training.is_shown
    assert window.training.page is not page
    send(process, LEARNING, report(1, 0.5))
    assert training.run is not None
    assert training.run.last is not None
    window.training.leave()
    assert "50%" in window.frame.status.training.text()


def test_it_is_chosen_in_the_preferences_which_stay_where_they_are(
    window_with_text: MainWindow, choose: Callable[[str], None]
) -> None:
    window = window_with_text
    window.dialogs.open_glossary("token")
    (glossary,) = window.findChildren(GlossaryDialog)
    glossary.move(window.pos() + QPoint(20, 30))
    window.dialogs.open_preferences()
    (dialog,) = window.findChildren(Preferences)
    dialog.move(window.pos() + QPoint(200, 100))
    at = dialog.pos(), glossary.pos()
    dialog.languages.setCurrentIndex(dialog.languages.findData("ko"))
    choose("ko")
    (dialog,) = window.findChildren(Preferences)
    (glossary,) = window.findChildren(GlossaryDialog)
    assert (dialog.pos(), glossary.pos()) == at
    assert (dialog.isVisible(), dialog.windowTitle()) == (True, "환경 설정")
    assert glossary.shown == "token"
    assert glossary.isVisible()
    assert not [box for box in dialog.findChildren(QComboBox) if box.currentText() == "System"]
    dialog.accept()


def test_nothing_of_the_window_before_is_left(
    qtbot: QtBot, window_with_text: MainWindow, choose: Callable[[str], None]
) -> None:
    window = window_with_text
    window.training.open()
    window.corpus.toggle()
    choose("ko")
    choose("en")
    gc.collect()
    before, n_actions = living(), len(window.actions())
    choose("ko")
    choose("en")
    gc.collect()
    assert living() - before == {}
    assert len(window.actions()) == n_actions


def test_keys_work_once(
    window_with_text: MainWindow, app_state: AppState, choose: Callable[[str], None]
) -> None:
    window = window_with_text
    choose("ko")
    n_panels = len(app_state.panels.panels)
    window.activateWindow()
    window.setFocus()
    QTest.keySequence(window, "Ctrl+D")
    assert len(app_state.panels.panels) == n_panels + 1
