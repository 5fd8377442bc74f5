"""The plot of all heads under the hands: enlarged, moved, clicked, read out, walked, its menu."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QScrollArea
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.measures import head_overview
from bertviz_app.text import Edits
from bertviz_app.viewmodels.overview_options import OverviewOptions
from bertviz_app.viewmodels.panels import Panel, Panels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview.view import OverviewView
from tests.support.context_menus import context_menu
from tests.support.factories import trace_of
from tests.support.scene import (
    click,
    double_click,
    drag,
    leave,
    move,
    on_screen,
    pixels_of,
    turn_events,
    wheel,
)

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def panels() -> Panels:
    panels = Panels()
    panels.set_size(24, 16)
    panels.open([Panel(0, 0, 1, "matrix")])
    return panels


@pytest.fixture
def view(qtbot: QtBot, look: Look, panels: Panels) -> OverviewView:
    """24 layers of 16 heads: each looks from every token at one, another one in each head."""
    attention = np.zeros((24, 16, 8, 8))
    for layer, head in np.ndindex(24, 16):
        attention[layer, head, :, (layer + head) % 8] = 1
    view = OverviewView(look, panels)
    view.show_overview(head_overview(trace_of(attention)))
    view.head_chosen.connect(panels.show)
    return on_screen(qtbot, view, 420, 620)


@pytest.fixture
def heard(view: OverviewView) -> list[tuple[str, int, int]]:
    heard: list[tuple[str, int, int]] = []
    view.head_chosen.connect(lambda *at: heard.append(("chosen", *at)))
    view.head_added.connect(lambda *at: heard.append(("added", *at)))
    return heard


def test_all_heads_are_one_item_in_one_view_box(view: OverviewView) -> None:
    assert sum(isinstance(item, pg.ViewBox) for item in view.scene().items()) == 1
    assert len(view.scene().items()) < 30


def test_the_wheel_enlarges_the_cells_about_the_pointer_and_a_double_click_shows_all(
    view: OverviewView,
) -> None:
    side, at = view.cell_grid().side, view.cell_rect(10, 6).center()
    wheel(view, at.x(), at.y(), 6)
    assert view.cell_grid().side > 2 * side
    assert view.head_at(at) == (10, 6)
    wheel(view, at.x(), at.y(), 60)
    assert 180 <= view.cell_grid().side <= 200
    assert view.head_at(at) == (10, 6)
    double_click(view, at.x(), at.y())
    assert view.cell_grid().side == side
    wheel(view, at.x(), at.y(), -3)
    assert view.cell_grid().side == side


def test_enlarged_cells_have_the_colours_of_their_heads_to_the_pixel(view: OverviewView) -> None:
    at = view.cell_rect(10, 6).center()
    wheel(view, at.x(), at.y(), 9)
    side, full = view.cell_grid().side, int(view.look.weights[255]) & 0xFFFFFF
    drawn, room, n_whole = pixels_of(view), view.box.geometry(), 0
    for layer, head in view.heads:
        rect = view.cell_rect(layer, head)
        if not room.adjusted(3, 3, -3, -3).contains(rect):
            continue
        n_whole += 1
        tile = drawn[int(rect.top()) : int(rect.bottom()), int(rect.left()) : int(rect.right())]
        tokens = np.arange(side) * 8 // side
        expected = np.broadcast_to(tokens == (layer + head) % 8, (side, side))
        np.testing.assert_array_equal((tile == full)[2:-2, 2:-2], expected[2:-2, 2:-2])
    assert n_whole >= 6


def test_nothing_of_enlarged_cells_is_drawn_outside_of_the_box(view: OverviewView) -> None:
    before, room = pixels_of(view), view.box.geometry().toAlignedRect()
    view.panels.show(12, 8)
    wheel(view, *view.cell_rect(12, 8).center().toTuple(), 4)
    drag(view, [(200, 300), (190, 291), (183, 283)])
    after = pixels_of(view)
    for outside in (np.s_[room.bottom() + 2 :], np.s_[:, room.right() + 2 :]):
        np.testing.assert_array_equal(after[outside], before[outside])


def test_a_drag_moves_enlarged_cells_and_keeps_them_in_sight(view: OverviewView) -> None:
    wheel(view, 200, 300, 6)
    turn_events()
    before = view.cell_rect(10, 6).topLeft()
    drag(view, [(200, 300), (180, 290), (170, 280)])
    moved = view.cell_rect(10, 6).topLeft() - before
    assert (moved - QPointF(-30, -20)).manhattanLength() <= 2
    for _ in range(3):
        drag(view, [(60, 60), (300, 400), (390, 560)])
    assert view.cell_rect(0, 0).left() >= view.box.geometry().left()
    assert view.head_at(view.cell_rect(0, 0).center()) == (0, 0)


def test_a_framed_part_is_enlarged_and_cells_stay_square(view: OverviewView) -> None:
    first, last = view.cell_rect(4, 4), view.cell_rect(5, 11)
    drag(view, [first.topLeft().toTuple(), last.center().toTuple(), last.bottomRight().toTuple()])
    room = view.box.geometry()
    assert view.cell_rect(4, 4).left() >= room.left() - 1
    assert view.cell_rect(5, 11).right() <= room.right() + 4  # the gaps between cells do not grow
    part = view.box.viewRect()
    assert part.width() / room.width() == pytest.approx(part.height() / room.height())


def test_keys_enlarge_and_the_head_that_is_walked_to_comes_into_sight(
    view: OverviewView, panels: Panels
) -> None:
    panels.show(12, 8)
    for _ in range(4):
        QTest.keyClicks(view, "+")
    for _ in range(9):
        QTest.keyClick(view, Qt.Key.Key_Down)
        assert view.active is not None
        assert view.box.geometry().adjusted(-1, -1, 1, 1).contains(view.cell_rect(*view.active))
    assert view.active == (21, 8)
    QTest.keyClicks(view, "-0")
    assert view.box.is_whole


def test_what_is_enlarged_stays_so_in_another_size_and_with_another_text(view: OverviewView) -> None:
    wheel(view, 200, 300, 6)
    assert view.overview is not None
    middle, room = view.head_at(QPointF(200, 300)), view.box.geometry()
    shown = view.box.viewRect().height() / view.box.whole.height()
    view.show_overview(view.overview)
    assert view.head_at(QPointF(200, 300)) == middle
    view.resize(500, 760)
    assert view.box.geometry() != room
    assert view.box.viewRect().height() / view.box.whole.height() == pytest.approx(shown, rel=0.05)


@pytest.mark.parametrize(
    ("keys", "kind"), [(SHIFT, "added"), (CTRL, "added"), (Qt.KeyboardModifier(0), "chosen")]
)
def test_a_click_acts_when_the_button_is_released_and_a_drag_is_no_click(
    view: OverviewView, heard: list[tuple[str, int, int]], keys: Qt.KeyboardModifier, kind: str
) -> None:
    at = view.cell_rect(3, 5).center()
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, keys, at.toPoint())
    assert heard == []
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, keys, at.toPoint())
    assert heard == [(kind, 3, 5)]
    drag(view, [at.toTuple(), (at.x() + 40, at.y() + 40), (at.x() + 80, at.y() + 80)])
    click(view, view.box.geometry().left() + 5, view.cell_grid().bottom + 12)  # the colours
    click(view, 5, 5)
    assert len(heard) == 1


def test_enter_adds_a_panel_of_the_active_head(
    view: OverviewView, panels: Panels, heard: list[tuple[str, int, int]]
) -> None:
    panels.show(2, 3)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert heard == [("added", 2, 3)]


def test_the_pointer_reads_out_at_once_and_takes_it_away(view: OverviewView) -> None:
    at = view.cell_rect(2, 3).center()
    move(view, at.x(), at.y())
    assert view.read_out.lines == view.described(2, 3)
    assert view.read_out.lines[0] == "Layer 2 · Head 3"
    assert ("Entropy", "0.00 bits") in view.read_out.lines
    move(view, at.x(), view.cell_grid().bottom + 12)
    assert (view.hovered, view.read_out.lines) == (None, ())
    move(view, at.x(), at.y())
    leave(view)
    assert (view.hovered, view.read_out.lines) == (None, ())


def test_the_number_of_a_line_is_written_at_the_right(view: OverviewView) -> None:
    at = view.cell_rect(2, 3).center()
    bare = pixels_of(view)
    move(view, at.x(), at.y())
    box = view.read_out.rect().adjusted(4, 30, -4, -4).toAlignedRect()
    inside = np.s_[box.top() : box.bottom(), box.left() : box.right()]
    written = pixels_of(view)[inside] != view.look.colour("raised").rgb() & 0xFFFFFF
    assert not np.array_equal(bare[inside], pixels_of(view)[inside])
    columns = np.flatnonzero(written.any(axis=0))
    assert columns.min() < 8
    assert columns.max() > written.shape[1] - 8


def test_the_read_out_is_in_sight_where_the_view_is_scrolled(
    qtbot: QtBot, look: Look, view: OverviewView
) -> None:
    area = QScrollArea(widgetResizable=True)
    area.setWidget(view)
    on_screen(qtbot, area, 400, 300)
    area.verticalScrollBar().setValue(200)
    QApplication.processEvents()
    seen = QRectF(view.viewport().visibleRegion().boundingRect())
    assert seen.top() == 200
    for x, y in ((50, 210), (380, 490)):
        move(view, x, y)
        assert view.read_out.lines
        assert seen.adjusted(-1, -1, 1, 1).contains(view.read_out.rect().adjusted(2, 2, -2, -2))
    area.takeWidget()


@pytest.mark.parametrize(("x", "is_taken"), [(200, True), (8, False)])
def test_the_wheel_zooms_over_the_cells_and_scrolls_beside_them(
    view: OverviewView, x: int, *, is_taken: bool
) -> None:
    at, nothing = QPointF(x, 300), (Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier)
    where = QPointF(view.mapToGlobal(at.toPoint()))
    event = QWheelEvent(at, where, QPoint(), QPoint(0, 120), *nothing, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(view.viewport(), event)
    assert event.isAccepted() == is_taken  # else it goes on to the scroll area around the view
    assert view.box.is_whole != is_taken


def test_a_long_line_of_a_read_out_is_wrapped(view: OverviewView) -> None:
    view.read_out.show_lines(("A title", "a long line of several words " * 6), QPointF(100, 100))
    assert view.read_out.rect().width() <= view.width()
    assert view.read_out.rect().height() > 80


def test_the_menu_has_what_can_be_done_to_the_head(view: OverviewView, panels: Panels) -> None:
    done: list[tuple[int, int]] = []
    view.items_of_head = lambda layer, head: [
        (f"Head {layer}·{head}", None),
        ("", None),
        ("Do", lambda: done.append((layer, head))),
    ]
    context_menu(view, view.cell_rect(4, 6).center().toPoint())["Do"]()
    assert done == [(4, 6)]
    assert view.menu_items()[0] == ("Head 4·6", None)
    view.findChild(QMenu).close()
    turn_events()
    leave(view)
    panels.show(7, 9)
    here = view.cell_rect(7, 9).center().toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, here, view.mapToGlobal(here))
    QApplication.sendEvent(view, event)
    menu = next(each for each in view.findChildren(QMenu) if each.isVisible())
    next(action for action in menu.actions() if action.text() == "Do").trigger()
    assert done[-1] == (7, 9)
    menu.close()


def test_crosses_names_and_veils_are_drawn_on_enlarged_cells(
    qtbot: QtBot, look: Look, view: OverviewView
) -> None:
    options = OverviewOptions()
    options.change(ordered_by="entropy", shows="entropy")
    named = OverviewView(look, view.panels, options)
    assert view.overview is not None
    named.show_overview(view.overview)
    named.show_edits(Edits(((0, 0),)))
    on_screen(qtbot, named, 420, 620)
    wheel(named, *named.cell_rect(0, 0).center().toTuple(), 4)
    middle, drawn = named.cell_rect(0, 0).center(), pixels_of(named)
    assert drawn[int(middle.y()), int(middle.x())] == look.colour("error").rgb() & 0xFFFFFF
