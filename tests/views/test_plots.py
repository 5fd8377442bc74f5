"""A picture of data is pointed at, zoomed and walked alike everywhere; axes, menu, faults."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pyqtgraph.exporters import CSVExporter, ImageExporter
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFileDialog,
    QGraphicsItem,
    QMenu,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import getAllValidWrappers, isValid

from bertviz_app.shell.settings import read_palette
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import CHOSEN, Item, MenuOf
from bertviz_app.views.plots.axes import SMALL, NumberAxis
from bertviz_app.views.plots.plot import WHEEL, Box, BoxMenu, Drawing, ExportOfPlot, Plot
from bertviz_app.views.vectors.plots import BarsPlot
from tests.support.scene import (
    context_menu,
    drag,
    expect,
    not_none,
    on_screen,
    opened_menus,
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

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.box: Box = self.add_box(y_down=True)
        self.box.set_whole(WHOLE, 2.0)
        self.square = _Square(look, self.box)
        self.told: list[str] = []
        self.clicked = lambda _: self.told.append("clicked")
        self.box.range_chosen.connect(lambda: self.told.append("range_chosen"))
        self.n_recoloured = 0

    def on_walked(self, rows: int, columns: int) -> None:
        self.told.append(f"{rows} {columns}")

    def on_entered(self) -> None:
        self.told.append("entered")

    def on_let_go(self) -> None:
        self.told.append("let_go")

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


def _open_by_key(plot: Plot) -> None:
    QApplication.sendEvent(
        plot,
        QContextMenuEvent(
            QContextMenuEvent.Reason.Keyboard, plot.rect().center(), plot.mapToGlobal(plot.pos())
        ),
    )


def _open_by_button(plot: Plot) -> None:
    QTest.mousePress(plot.viewport(), Qt.MouseButton.RightButton)
    assert QApplication.activePopupWidget() is None
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.RightButton)


@pytest.fixture
def bare_plot(qtbot: QtBot, look: Look) -> Plot:
    bare_plot = Plot(look)
    bare_plot.add_box(0, 1)
    return on_screen(qtbot, bare_plot, 400, 300)


AT = QPoint(200, 150)


class _Cells(Plot):
    """A plot of tokens with items of its own."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.box = self.add_box(y_down=True)
        self.done: list[str] = []

    def menu_items(self) -> list[Item]:
        return [("Head 1·2", None), (CHOSEN + "mute & keep", lambda: self.done.append("mute"))]


class _Around(MenuOf):
    """The items of what is around a plot."""

    def items_at(self, at: QPoint) -> list[Item]:
        return [(f"at {at.x()}", lambda: None)]


@pytest.fixture
def bars(qtbot: QtBot, look: Look) -> BarsPlot:
    plot = BarsPlot(look)
    plot.show_vector(np.array([0.5, -1, np.nan, 0.25], np.float32))
    return on_screen(qtbot, plot, 400, 300)


def _menu(plot: Plot) -> QMenu:
    (menu,) = opened_menus(plot, AT)
    return menu


def _texts(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.isVisible() and action.text()]


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


def test_a_click_acts_when_the_button_is_released_and_not_after_a_drag(plot: _Sample) -> None:
    QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(50, 50).toPoint())
    assert "clicked" not in plot.told
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(50, 50).toPoint())
    assert plot.told == ["clicked"]
    drag(plot, [(100, 75), (150, 120), (200, 150)])
    assert plot.told == ["clicked", "range_chosen"]


@pytest.mark.parametrize("at", [(0, 0), (399, 299)])
def test_the_read_out_stays_within_the_plot(plot: _Sample, at: tuple[int, int]) -> None:
    plot.read_out.show_lines(("w1 → w2", "a weight of 0.25"), QPointF(*at))
    box = plot.read_out.boundingRect().adjusted(2, 2, -2, -2)
    assert QRectF(plot.rect()).contains(box)
    assert [text for _, text in drawn_texts(plot)] == ["w1 → w2", "a weight of 0.25"]
    QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton)
    assert not plot.read_out.lines
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton)  # else Qt holds it down in later tests


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
    assert pixels_of(plot)[plot.height() // 2, 0] == accent


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


def test_another_theme_reaches_the_plot(plot: _Sample, look: Look) -> None:
    look.set_palette(read_palette("dark"))
    assert plot.n_recoloured == 1
    drawn = pixels_of(plot)
    assert drawn[200, 200] == look.colour("card").rgb() & 0xFFFFFF
    assert drawn[20, 20] == look.colour("accent").rgb() & 0xFFFFFF


def test_nothing_of_a_deleted_plot_is_called(look: Look) -> None:
    plot = _Sample(look)
    plot.show()
    plot.update_soon(plot.square, [plot.square.rect()])
    plot.deleteLater()
    turn_events()
    assert not isValid(plot)
    look.set_palette(read_palette("dark"))
    turn_events()


@pytest.mark.parametrize("by", [_open_by_key, _open_by_button])
def test_the_menu_opens_by_the_right_button_and_by_keys(plot: _Sample, by: Callable[[Plot], None]) -> None:
    by(plot)
    menu = not_none(QApplication.activePopupWidget())
    assert menu.actions()[0].text() == "View All"
    menu.close()
    turn_events()
    assert not isValid(menu)


def test_a_plot_is_freed_after_its_menu_was_open(look: Look) -> None:
    plot = _Sample(look)
    plot.resize(400, 300)
    plot.show()
    _open_by_button(plot)
    menu = not_none(QApplication.activePopupWidget())
    found = weakref.ref(plot)
    plot.deleteLater()  # with its menu open
    turn_events()
    assert not isValid(menu)
    del plot, menu
    gc.collect()
    assert found() is None


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(-1e4, 1e4), st.floats(1e-3, 1e4), st.floats(60, 1500))
def test_numbers_are_round_and_apart(bare_plot: Plot, low: float, extent: float, size: float) -> None:
    axis = NumberAxis(bare_plot, bare_plot.boxes[0], "left")
    ((step, values),) = axis.tickValues(low, low + extent, size)
    digit = step / 10 ** math.floor(math.log10(step * (1 + 1e-9)))
    assert min(abs(digit - each) for each in (1, 2, 5, 10)) < 1e-6
    assert all(abs(value / step - round(value / step)) < 1e-3 for value in values)
    room = axis.apart * QFontMetricsF(bare_plot.look.number_font(SMALL)).height()
    assert all((after - before) / extent * size >= room * (1 - 1e-6) for before, after in pairwise(values))
    texts = axis.tickStrings(values, 1.0, step)
    assert len(set(texts)) == len(texts)


def test_numbers_are_in_the_theme_and_the_text_size_in_force(qtbot: QtBot, look: Look) -> None:
    bare_plot = Plot(look)
    box = bare_plot.add_box(0, 1)
    axis = NumberAxis(bare_plot, box, "left", write=lambda value: f"{value:g} %")
    axis.fit_numbers("100 %")
    bare_plot.ci.addItem(axis, 0, 0)
    box.set_whole(QRectF(0, 0, 1, 100))
    on_screen(qtbot, bare_plot, 400, 300)
    assert {"0 %", "100 %"} <= {text for _, text in drawn_texts(bare_plot)}
    before = axis.style["tickFont"].pixelSize()
    look.set_scale(1.5)
    assert axis.style["tickFont"].pixelSize() > before
    assert axis.textPen().color() == look.colour("secondary")


def test_pyqtgraph_comes_first_then_what_saves_then_the_plot_then_what_is_around_it(
    qtbot: QtBot, look: Look
) -> None:
    around = QWidget()
    column = QVBoxLayout(around)
    column.setContentsMargins(10, 0, 0, 0)
    plot = _Cells(look)
    column.addWidget(plot)
    _Around(around)
    on_screen(qtbot, around, 400, 300)
    menu = _menu(plot)
    texts = _texts(menu)
    assert texts == ["View All", "Mouse Mode", "Export...", "Head 1·2", "mute && keep", "at 210"]
    heading, muted = (action for action in menu.actions() if action.text() in texts[3:5])
    assert not heading.isEnabled()
    assert muted.isChecked()
    muted.trigger()
    assert plot.done == ["mute"]
    menu.close()


def test_axes_of_numbers_have_options_and_view_all_shows_all(bars: BarsPlot) -> None:
    bars.box.zoom(0.5)
    menu = _menu(bars)
    assert _texts(menu) == ["View All", "X axis", "Y axis", "Mouse Mode", "Export...", "Numbers as CSV …"]
    menu.actions()[0].trigger()
    assert bars.box.is_whole
    assert isinstance(menu, BoxMenu)
    told: list[str] = []
    bars.box.range_chosen.connect(lambda: told.append("range"))
    form = menu.ctrl[0]
    assert not form.linkCombo.isVisibleTo(form.linkCombo.parentWidget())
    form.minText.setText("1")
    form.maxText.setText("4")
    form.maxText.editingFinished.emit()
    assert bars.box.viewRange()[0] == pytest.approx([1, 4])
    assert told
    menu.close()


def test_the_numbers_of_bars_are_written_as_csv(bars: BarsPlot, tmp_path: Path) -> None:
    context_menu(bars, AT)["Numbers as CSV …"]()
    dialogs = [each for each in QApplication.topLevelWidgets() if isinstance(each, QFileDialog)]
    (dialog,) = (each for each in dialogs if each.isVisible())
    dialog.fileSelected.emit(str(tmp_path / "bars"))
    dialog.close()
    rows = (tmp_path / "bars.csv").read_text(encoding="utf-8").split()
    assert rows == ["x0000,y0000", "0.5,0.5", "1.5,-1.", "3.5,0.25"]


def test_pyqtgraphs_dialog_offers_the_exporters_that_work(bars: BarsPlot, tmp_path: Path) -> None:
    before = bars.grab().toImage()
    context_menu(bars, AT)["Export..."]()
    assert bars.grab().toImage() == before
    dialog = expect(ExportOfPlot, bars.window().findChild(ExportOfPlot))
    assert dialog.isVisible()
    assert isinstance(dialog.currentExporter, ImageExporter)
    turn_events()
    options = dialog.ui.paramTree
    assert not options.horizontalScrollBar().isVisible()
    assert not options.verticalScrollBar().isVisible()
    assert options.topLevelItem(0).text(0) == ""
    assert options.topLevelItem(0).child(0).text(0) == "width"
    dialog.currentExporter.export(str(tmp_path / "bars.png"))
    assert QImage(str(tmp_path / "bars.png")).width() == 400
    dialog.ui.itemTree.setCurrentItem(dialog.ui.itemTree.topLevelItem(1))
    assert isinstance(dialog.currentExporter, CSVExporter)
    assert dialog.ui.formatList.count() == 1
    dialog.ui.closeBtn.click()
    assert not dialog.isVisible()
    context_menu(bars, AT)["Export..."]()
    assert dialog.isVisible()
    dialog.close()


def test_an_option_of_pyqtgraphs_dialog_can_be_changed_before_the_next_collection(bars: BarsPlot) -> None:
    # Nothing is collected while a test runs (tests/support/plugins.py).
    context_menu(bars, AT)["Export..."]()
    dialog = expect(ExportOfPlot, bars.window().findChild(ExportOfPlot))
    turn_events()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    (box, _) = dialog.ui.paramTree.findChildren(QCheckBox)
    options = not_none(dialog.currentExporter).parameters()
    before = options["antialias"], options["invertValue"]
    box.click()  # an exception in a slot fails the test
    assert (options["antialias"], options["invertValue"]) != before
    dialog.close()


def test_the_dialog_goes_with_its_plot(qtbot: QtBot, look: Look) -> None:
    around = QWidget()
    column = QVBoxLayout(around)
    plot = BarsPlot(look)
    plot.show_vector(np.ones(4, np.float32))
    column.addWidget(plot)
    on_screen(qtbot, around, 400, 300)
    context_menu(plot, AT)["Export..."]()
    dialog = not_none(around.findChild(ExportOfPlot))
    plot.deleteLater()
    turn_events()
    assert not isValid(plot)
    assert not isValid(dialog)
    # What is made at the address of an item that is gone would be taken for it.
    assert not [one for one in getAllValidWrappers() if type(one) is QTreeWidgetItem]
    pixels_of(around)
