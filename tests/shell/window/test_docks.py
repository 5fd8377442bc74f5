"""The cards around the panels, the pages above them, and what is dropped on the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.glossary import glossary
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.docks import NAMES, DockArea
from bertviz_app.shell.window.frame import Pages
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.inspector.view import InspectorPage
from bertviz_app.views.kit.terms import explain_with
from tests.support.scene import click, drag_into, drop_onto, not_none, turn_events

CTRL = Qt.KeyboardModifier.ControlModifier

Geometries = dict[str, tuple[int, int, int, int, bool]]


@pytest.fixture
def docks(qtbot: QtBot, window: MainWindow, app_state: AppState) -> DockArea:
    """The docks of a window that shows a text."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    window.setFocus()
    return window.main_area.docks


def _geometries(docks: DockArea) -> Geometries:
    turn_events()  # what was asked of the layout is done in the next turns
    return {
        name: (dock.x(), dock.y(), dock.width(), dock.height(), dock.isVisible())
        for name, dock in docks.docks.items()
    }


@pytest.mark.fresh_window
def test_docks_that_were_widened_in_a_wide_window_leave_room_in_a_narrow_one(
    docks: DockArea, window: MainWindow
) -> None:
    panels = not_none(docks.centralWidget())
    window.resize(1800, 800)
    turn_events()
    docks.is_arranged = True  # as by a drag of the gaps
    there = [docks.docks["overview"], docks.docks["inspector"]]
    docks.resizeDocks(there, [500, 480], Qt.Orientation.Horizontal)
    turn_events()
    widths = [dock.width() for dock in there]
    assert widths == [500, 480]
    window.resize(1700, 800)
    turn_events()
    assert [dock.width() for dock in there] == widths, "there is room for the panels"
    window.resize(1000, 800)
    turn_events()
    assert panels.width() > 0.35 * window.width()
    assert there[0].width() > there[1].width()


@pytest.mark.fresh_window
def test_the_terms_in_a_dock_are_explained_beside_the_window_as_in_it(docks: DockArea) -> None:
    dock, label = docks.docks["inspector"], docks.docks["inspector"].card.title
    explain_with(label, "softmax")
    label.setToolTip("")
    for floats in (False, True):
        dock.setFloating(floats)
        turn_events()
        at = QPoint(4, 4)
        QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, at, label.mapToGlobal(at)))
        assert glossary()["softmax"].name.en in QToolTip.text(), floats
        QToolTip.hideText()
        turn_events()


@pytest.mark.fresh_window
def test_at_first_there_are_two_columns_beside_the_panels_that_follow_the_window_alone(
    qtbot: QtBot, docks: DockArea, window: MainWindow, app_state: AppState
) -> None:
    assert tuple(docks.docks) == (*NAMES, "interventions")
    overview, heads, inspector, vector = (docks.docks[name].geometry() for name in NAMES)
    panels = not_none(docks.centralWidget())
    middle = panels.geometry()
    assert overview.left() == heads.left() < middle.left() < middle.right() < inspector.left()
    assert inspector.left() == vector.left()
    assert overview.width() == heads.width() == 330
    assert inspector.width() == vector.width() == 250
    assert overview.bottom() < heads.top()
    assert inspector.bottom() < vector.top()
    before = _geometries(docks)
    app_state.workspace.set_texts("another text that is longer", "with a pair", at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert _geometries(docks) == before, "a result moves nothing"
    window.resize(1800, 1000)
    turn_events()
    assert docks.docks["overview"].width() == 440
    assert docks.docks["inspector"].width() in range(330, 341)
    window.resize(1280, 800)
    assert _geometries(docks) == before
    assert not docks.is_arranged


def test_without_room_qt_is_asked_for_no_size_that_it_refuses(window: MainWindow) -> None:
    """Before the views are shown they are as small as Qt makes a new widget; a warning fails the test."""
    docks = window.main_area.docks
    for size in ((1280, 0), (0, 0), (1, 30)):
        docks.resize(*size)
        docks.share()
        turn_events()
        assert not docks.is_arranged


@pytest.mark.fresh_window
def test_cards_that_know_only_when_shown_what_they_need_have_it(
    docks: DockArea, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = docks.window()
    window.resize(1024, 700)
    # The style sheet gives the cards their fonts when they are shown, and higher letters need more room.
    needed = property(lambda page: 330 if page.isVisible() else 100)
    monkeypatch.setattr(InspectorPage, "least_height", needed)
    window.hide()
    docks.share()
    turn_events()
    window.show()
    turn_events()
    height = docks.docks["inspector"].height()
    docks.share()
    turn_events()
    assert docks.docks["inspector"].height() == height


def test_each_is_closed_and_brought_back_by_button_and_key_floats_and_keeps_the_size_of_a_gap(
    docks: DockArea, window: MainWindow
) -> None:
    for name in NAMES:
        before = _geometries(docks)
        docks.toggle(name)
        assert not docks.docks[name].isVisible()
        docks.toggle(name)
        assert _geometries(docks)[name][2:] == before[name][2:]
    _press_in_title(docks, "heads", "✕")
    assert not docks.docks["heads"].isVisible()
    assert docks.is_arranged
    QTest.keyClick(window, Qt.Key.Key_2, CTRL)
    assert docks.docks["heads"].isVisible()
    docks.reset()
    turn_events()
    dock = docks.docks["inspector"]
    place = dock.mapToGlobal(QPoint(0, 0))
    _press_in_title(docks, "inspector", "❐")
    assert dock.isFloating()
    assert docks.is_arranged
    moved = dock.pos() - place
    assert moved.x() < -20, "towards the middle: where it was it would hide the dock below"
    assert moved.y() > 20
    _press_in_title(docks, "inspector", "❐")
    assert not dock.isFloating()
    docks.reset()
    turn_events()
    overview = docks.docks["overview"].geometry()
    gap = QPointF(overview.right() + 5, overview.center().y())
    assert docks.isSeparator(gap.toPoint())
    click(docks, gap.x(), gap.y())
    assert docks.is_arranged
    width = docks.docks["overview"].width()
    window.resize(1800, 1000)
    turn_events()
    assert docks.docks["overview"].width() == width, "taking a gap keeps the sizes"


def _press_in_title(docks: DockArea, name: str, sign: str) -> None:
    titles = not_none(docks.docks[name].titleBarWidget())
    next(one for one in titles.findChildren(QPushButton) if one.text() == sign).click()


def test_what_was_arranged_is_there_the_next_time_and_can_be_reset(
    docks: DockArea, window: MainWindow, store: SettingsStore
) -> None:
    before = _geometries(docks)
    docks.toggle("vector")
    docks.tabifyDockWidget(docks.docks["overview"], docks.docks["heads"])
    window.close()
    saved = store.settings.layout
    assert saved
    docks.reset()
    window.show()
    assert _geometries(docks) == before
    docks.restore_layout(saved)
    assert not docks.docks["vector"].isVisible()
    assert docks.tabifiedDockWidgets(docks.docks["overview"]) == [docks.docks["heads"]]
    docks.reset()
    assert _geometries(docks) == before


def test_an_arrangement_of_nobody_is_not_kept_and_one_that_cannot_be_read_changes_nothing(
    docks: DockArea, window: MainWindow, store: SettingsStore
) -> None:
    before = _geometries(docks)
    for layout in ("nonsense", "AAAA", "////"):
        docks.restore_layout(layout)
        assert _geometries(docks) == before
        assert not docks.is_arranged
    window.resize(1500, 900)
    window.close()
    assert store.settings.layout == ""


def test_panels_stand_alone_and_everything_comes_back(docks: DockArea) -> None:
    before = _geometries(docks)
    docks.set_alone(True)
    assert not any(dock.isVisible() for dock in docks.docks.values())
    assert docks.layout_text == ""
    docks.set_alone(False)
    assert _geometries(docks) == before
    assert not docks.is_arranged
    docks.toggle("vector")
    docks.set_alone(True)
    docks.show_layout("")
    assert docks.is_alone
    assert not any(dock.isVisible() for dock in docks.docks.values())
    docks.set_alone(False)
    assert _geometries(docks) == before
    docks.set_alone(True)
    docks.reset()
    assert not docks.is_alone
    assert _geometries(docks) == before


@pytest.mark.fresh_window
def test_one_undo_brings_a_card_back_to_where_it_was(
    docks: DockArea, window: MainWindow, app_state: AppState
) -> None:
    history = window.app_state.store
    history.end_typing()
    app_state.panels.draw_as(app_state.panels.panels[0].number, "steps")  # the step before
    turn_events()
    before, dock = _geometries(docks), docks.docks["overview"]
    for sign in ("", "✕", "❐"):
        if sign:
            _press_in_title(docks, "overview", sign)
        else:
            QTest.keyClick(window, Qt.Key.Key_1, CTRL)
        assert _geometries(docks) != before
        history.undo()
        assert _geometries(docks) == before
        assert not dock.isFloating()
        assert app_state.panels.panels[0].view_kind == "steps"
        history.redo()
        assert _geometries(docks) != before
        history.undo()
        assert _geometries(docks) == before


def test_undo_brings_back_the_predictions(docks: DockArea, window: MainWindow) -> None:
    history, predictions = window.app_state.store, window.main_area.inspector_page.predictions
    history.end_typing()
    QTest.keyClick(window, Qt.Key.Key_5, CTRL)
    assert not predictions.is_open
    turn_events()
    history.undo()
    turn_events()
    assert predictions.is_open


def test_for_a_lesson_a_card_is_alone_and_wide_and_then_all_are_as_before(docks: DockArea) -> None:
    before = _geometries(docks)
    docks.show_only(("overview",), "overview")
    alone = _geometries(docks)
    assert [name for name in NAMES if alone[name][4]] == ["overview"]
    assert alone["overview"][2] == pytest.approx(docks.width() / 2, abs=20)
    docks.show_only(("inspector",), "overview")
    assert _geometries(docks)["inspector"][2] == 250
    docks.show_only(None)
    assert _geometries(docks) == before
    docks.show_only(("inspector",))
    shared = [dock.visibilityChanged.connect(lambda _: docks.share()) for dock in docks.docks.values()]
    docks.show_only(None)  # Qt warns of a dock that is not in the layout yet, and a warning fails the test
    assert all(geometry[4] for name, geometry in _geometries(docks).items() if name != "interventions")
    for connection in shared:  # which a card whose height changes has, too
        QObject.disconnect(connection)


def test_a_wide_card_is_wide_whatever_was_arranged_before_and_stays_as_the_user_drags_it(
    docks: DockArea,
) -> None:
    overview = docks.docks["overview"]

    def take_its_gap() -> None:
        gap = QPointF(overview.geometry().right() + 5, overview.geometry().center().y())
        assert docks.isSeparator(gap.toPoint())
        click(docks, gap.x(), gap.y())

    take_its_gap()
    assert docks.is_arranged
    docks.show_only(("overview",), "overview", 0.4)
    turn_events()
    assert overview.width() == pytest.approx(docks.width() * 0.4, abs=20)
    take_its_gap()
    docks.resizeDocks([overview], [300], Qt.Orientation.Horizontal)
    turn_events()
    assert overview.width() == 300
    docks.share()  # as with each result
    turn_events()
    assert overview.width() == 300
    docks.show_only(None)


def test_pages_are_left_in_the_order_they_were_opened(qtbot: QtBot) -> None:
    holder, pages = QWidget(), Pages()
    qtbot.addWidget(holder)
    holder.setLayout(pages)
    start, views, training, corpus = widgets = [QWidget(holder) for _ in range(4)]
    for widget in widgets:
        pages.addWidget(widget)
    pages.leave_page()
    pages.open_page(training)
    pages.open_page(training)
    pages.open_page(corpus)
    assert pages.currentWidget() is corpus
    pages.show_behind(views)
    assert pages.currentWidget() is corpus
    pages.leave_page()
    assert pages.currentWidget() is training
    pages.open_page(corpus)
    pages.open_page(training)
    assert pages.currentWidget() is training
    pages.leave_page()
    assert pages.currentWidget() is views
    assert not pages.has_page
    pages.open_page(training)
    pages.open_page(corpus)
    with qtbot.waitSignal(pages.page_changed):
        pages.leave_pages()
    assert pages.currentWidget() is views
    pages.show_behind(start)
    assert pages.currentWidget() is start


_ITEM = "application/x-qabstractitemmodeldatalist"


class _FromTheWindow(QDropEvent):
    """An event whose drag began in a widget of the window."""

    def source(self) -> QWidget:
        return self.widget

    widget: QWidget


def _refusals(window: MainWindow) -> list[str]:
    found: list[str] = []
    window.files.refused.connect(found.append)
    return found


def test_an_item_of_a_list_is_no_file(window: MainWindow) -> None:
    data = QMimeData()
    data.setData(_ITEM, b"item")
    refused = _refusals(window)
    event = _FromTheWindow(
        QPointF(window.rect().center()),
        Qt.DropAction.MoveAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.widget = window.frame.welcome
    event.setAccepted(False)
    window.dropEvent(event)
    assert not event.isAccepted()
    assert not window.drops.hint.isVisible()
    assert refused == []
    assert drag_into(window, data)
    drop_onto(window, data)
    assert len(refused) == 1, "from another program it is something that cannot be opened"
