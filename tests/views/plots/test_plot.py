"""A picture of data is pointed at, zoomed and walked alike everywhere, and a fault in it stops nothing."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsItem, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.plot import WHEEL, Box, Drawing, Plot
from tests.support.scene import (
    NO_KEYS,
    double_click,
    drag,
    leave,
    move,
    on_screen,
    pixels_of,
    turn_events,
    wheel,
)

WHOLE = QRectF(0, 0, 40, 30)


class _Square(Drawing):
    """A square that is drawn in the accent of the theme, or fails."""

    def __init__(self, look: Look, parent: QGraphicsItem) -> None:
        self.fails = False
        super().__init__(look, parent)

    def rect(self) -> QRectF:
        return QRectF(10, 10, 20, 20)

    def draw(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), self.look.colour("accent"))
        painter.translate(50, 50)
        painter.setClipRect(0, 0, 1, 1)
        if self.fails:
            raise ValueError("a defect in a drawing")


class _Sample(Plot):
    """A plot of one box with a square in it, which walks and has words."""

    walks = True

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.box: Box = self.add_box(y_down=True)
        self.box.set_whole(WHOLE, 2.0)
        self.square = _Square(look, self.box)
        self.told: list[str] = []
        for name in ("clicked", "double_clicked", "let_go", "entered", "range_chosen"):
            getattr(self, name).connect(lambda *_, name=name: self.told.append(name))
        self.walked.connect(lambda down, across: self.told.append(f"{down} {across}"))
        self.n_retranslated = self.n_recoloured = 0

    def retranslate(self) -> None:
        self.n_retranslated += 1

    def recolour(self) -> None:
        self.n_recoloured += 1


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> _Sample:
    return on_screen(qtbot, _Sample(look), 400, 300)


def _part(plot: _Sample) -> tuple[float, ...]:
    (left, right), (top, bottom) = plot.box.viewRange()
    return left, top, right, bottom


def _close_up(plot: _Sample) -> None:
    plot.box.show_part(QRectF(10, 10, 8, 6))
    pixels_of(plot)


ALL = (0, 0, 40, 30)


# the pointer


def test_the_wheel_zooms_about_the_pointer_and_nothing_beyond_the_whole_is_in_sight(plot: _Sample) -> None:
    at = plot.box.position(QPointF(100, 200))
    wheel(plot, 100, 200, 1)
    left, top, right, bottom = _part(plot)
    assert (right - left, bottom - top) == pytest.approx((40 * WHEEL, 30 * WHEEL))
    after = plot.box.position(QPointF(100, 200))
    assert (after.x(), after.y()) == pytest.approx((at.x(), at.y()), abs=0.2)
    assert plot.told == ["range_chosen"]
    wheel(plot, 100, 200, -20)
    assert _part(plot) == pytest.approx(ALL)
    wheel(plot, 100, 200, 60)
    left, top, right, bottom = _part(plot)
    assert right - left >= 2 - 1e-9
    assert bottom - top >= 2 - 1e-9


def test_a_wheel_that_turns_sideways_pans(plot: _Sample) -> None:
    _close_up(plot)
    wheel(plot, 100, 100, -1, sideways=True)
    left, top, right, bottom = _part(plot)
    assert left > 10
    assert (right - left, top, bottom) == pytest.approx((8, 10, 16))
    wheel(plot, 100, 100, 200, sideways=True)
    assert _part(plot) == pytest.approx((0, 10, 8, 16))


def test_a_drag_frames_a_part_while_all_is_in_sight_and_pans_afterwards(plot: _Sample) -> None:
    drag(plot, [(100, 75), (150, 120), (200, 150)])
    assert _part(plot) == pytest.approx((10, 7.5, 20, 15), abs=0.2)
    assert not plot.box.rbScaleBox.isVisible()
    assert plot.told == ["range_chosen"]
    before = _part(plot)
    drag(plot, [(200, 150), (180, 150), (160, 150)])
    left, top, right, _ = _part(plot)
    assert left > before[0]
    assert (right - left, top) == pytest.approx((before[2] - before[0], before[1]), abs=0.01)


def test_a_framed_part_is_widened_to_whole_tokens(plot: _Sample) -> None:
    plot.box.is_snapped = True
    drag(plot, [(104, 78), (150, 120), (196, 144)])
    assert _part(plot) == pytest.approx((10, 7, 20, 15))


@pytest.mark.parametrize("mode", [pg.ViewBox.PanMode, pg.ViewBox.RectMode])
def test_with_shift_or_in_the_mode_of_one_button_a_drag_frames_a_part_of_a_part(
    plot: _Sample, mode: int
) -> None:
    _close_up(plot)
    plot.box.setMouseMode(mode)
    keys = NO_KEYS if mode == pg.ViewBox.RectMode else Qt.KeyboardModifier.ShiftModifier
    drag(plot, [(100, 75), (150, 120), (200, 175)], keys)
    assert _part(plot) == pytest.approx((12, 11.5, 14, 13.5), abs=0.1)


def test_a_double_click_shows_all_and_then_a_part_about_the_pointer(plot: _Sample) -> None:
    _close_up(plot)
    double_click(plot, 200, 150)
    assert _part(plot) == pytest.approx(ALL)
    plot.box.close = 10
    double_click(plot, 200, 150)
    left, top, right, bottom = _part(plot)
    assert (right - left, bottom - top) == pytest.approx((10, 10))
    assert left < 20 < right
    assert top < 15 < bottom


def test_a_click_acts_when_the_button_is_released_and_not_after_a_drag(plot: _Sample) -> None:
    QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(50, 50).toPoint())
    assert "clicked" not in plot.told
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(50, 50).toPoint())
    assert plot.told == ["clicked"]
    drag(plot, [(100, 75), (150, 120), (200, 150)])
    assert plot.told == ["clicked", "range_chosen"]


def test_what_is_pointed_at_is_told_and_forgotten_where_the_pointer_leaves(plot: _Sample) -> None:
    pointed: list[QPointF | None] = []
    plot.pointed.connect(pointed.append)
    move(plot, 60, 70)
    assert plot.pointer == QPointF(60, 70)
    leave(plot)
    assert pointed == [QPointF(60, 70), None]


@pytest.mark.parametrize("at", [(0, 0), (399, 0), (0, 299), (399, 299), (200, 150)])
def test_the_read_out_stays_within_the_plot(plot: _Sample, at: tuple[int, int]) -> None:
    plot.read_out.show_lines(("w1 → w2", "a weight of 0.25"), QPointF(*at))
    box = plot.read_out.boundingRect().adjusted(2, 2, -2, -2)
    assert QRectF(plot.rect()).contains(box)
    assert [text for _, text in drawn_texts(plot)] == ["w1 → w2", "a weight of 0.25"]
    QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton)
    assert not plot.read_out.lines


# the keyboard


def test_keys_zoom_show_all_walk_choose_and_let_go(plot: _Sample) -> None:
    QTest.keyClicks(plot, "+")
    left, top, right, bottom = _part(plot)
    assert (right - left, bottom - top) == pytest.approx((28, 21))
    assert (left + right, top + bottom) == pytest.approx((40, 30))
    QTest.keyClicks(plot, "-")
    assert _part(plot) == pytest.approx(ALL)
    _close_up(plot)
    QTest.keyClicks(plot, "0")
    assert _part(plot) == pytest.approx(ALL)
    plot.told.clear()
    keys = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Return)
    for key in (*keys, Qt.Key.Key_Escape):
        QTest.keyClick(plot, key)
    assert plot.told == ["-1 0", "1 0", "0 -1", "0 1", "entered", "let_go"]


def test_the_frame_of_the_focus_is_drawn_where_it_came_by_tab(qtbot: QtBot, look: Look) -> None:
    around = QWidget()
    column = QVBoxLayout(around)
    plot = _Sample(look)
    column.addWidget(plot)
    on_screen(qtbot, around, 400, 300)
    without = pixels_of(plot)
    plot.setFocus(Qt.FocusReason.MouseFocusReason)
    assert (pixels_of(plot) == without).all()
    plot.clearFocus()
    plot.setFocus(Qt.FocusReason.TabFocusReason)
    accent = look.colour("accent").rgb() & 0xFFFFFF
    assert pixels_of(plot)[plot.height() // 2, 1] == accent


# faults and changes


def test_a_fault_in_a_drawing_is_logged_and_the_plot_lives_on(
    plot: _Sample, look: Look, caplog: pytest.LogCaptureFixture
) -> None:
    accent = look.colour("accent").rgb() & 0xFFFFFF
    plot.square.fails = True
    pixels_of(plot)
    assert {record.getMessage() for record in caplog.records} == {"Painted.paint failed"}
    plot.square.fails = False
    caplog.clear()
    assert pixels_of(plot)[20, 20] == accent


def test_the_painter_of_a_drawing_that_fails_is_left_as_it_was(
    plot: _Sample, look: Look, caplog: pytest.LogCaptureFixture
) -> None:
    other = _Square(look, plot.box)
    other.setPos(100, 100)
    plot.square.fails = True
    assert pixels_of(plot)[120, 120] == look.colour("accent").rgb() & 0xFFFFFF
    caplog.clear()


def test_a_drawing_that_is_out_of_date_is_dimmed(plot: _Sample) -> None:
    plain = pixels_of(plot)
    plot.set_stale(True)
    dimmed = pixels_of(plot)
    assert dimmed[20, 20] != plain[20, 20]
    assert dimmed[200, 200] == plain[200, 200]
    plot.set_stale(False)
    assert (pixels_of(plot) == plain).all()


def test_another_theme_and_another_language_reach_the_plot(plot: _Sample, look: Look) -> None:
    look.set_palette(read_palette("dark"))
    assert plot.n_recoloured == 1
    drawn = pixels_of(plot)
    assert drawn[200, 200] == look.colour("card").rgb() & 0xFFFFFF
    assert drawn[20, 20] == look.colour("accent").rgb() & 0xFFFFFF
    QCoreApplication.sendEvent(plot, QEvent(QEvent.Type.LanguageChange))
    assert plot.n_retranslated == 1


def test_a_plot_draws_itself_with_another_painter(plot: _Sample, look: Look) -> None:
    image = QImage(plot.size(), QImage.Format.Format_RGB32)
    image.fill(look.colour("card"))
    painter = QPainter(image)
    plot.draw_into(painter)
    painter.end()
    assert QImage(image).pixelColor(20, 20) == look.colour("accent")


def test_nothing_of_a_deleted_plot_is_called(qtbot: QtBot, look: Look) -> None:
    plot = _Sample(look)
    plot.show()
    plot.update_soon(plot.square, [plot.square.rect()])
    plot.deleteLater()
    turn_events()
    assert not isValid(plot)
    look.set_palette(read_palette("dark"))
    turn_events()


def _open_by_key(plot: Plot) -> None:
    QApplication.sendEvent(
        plot,
        QContextMenuEvent(
            QContextMenuEvent.Reason.Keyboard, plot.rect().center(), plot.mapToGlobal(plot.pos())
        ),
    )


def _open_by_keys(plot: Plot) -> None:
    QTest.keyClick(plot, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)


def _open_by_button(plot: Plot) -> None:
    QTest.mousePress(plot.viewport(), Qt.MouseButton.RightButton)
    assert QApplication.activePopupWidget() is None
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.RightButton)


@pytest.mark.parametrize("by", [_open_by_key, _open_by_keys, _open_by_button])
def test_the_menu_opens_by_the_right_button_and_by_keys(plot: _Sample, by: Callable[[Plot], None]) -> None:
    by(plot)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    assert menu.actions()[0].text() == "View All"
    menu.close()
    turn_events()
    assert not isValid(menu)


def test_a_plot_is_freed_after_its_menu_was_open(qtbot: QtBot, look: Look) -> None:
    plot = _Sample(look)
    plot.resize(400, 300)
    plot.show()
    _open_by_button(plot)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    found = weakref.ref(plot)
    plot.deleteLater()  # with its menu open
    turn_events()
    assert not isValid(menu)
    del plot, menu
    gc.collect()
    assert found() is None


def test_nan_and_infinity_leave_a_plot_of_curves_alive(qtbot: QtBot, look: Look) -> None:
    plot = Plot(look)
    box = plot.add_box()
    box.set_whole(QRectF(0, -2, 6, 4))
    box.addItem(pg.PlotDataItem([0, 1, 2, 3, 4], [0, np.nan, 1, np.inf, 1], pen="r"), ignoreBounds=True)
    on_screen(qtbot, plot, 400, 300)
    pixels_of(plot)
