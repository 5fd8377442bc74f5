"""The menu of a plot: pyqtgraph's entries, then what saves the picture and what can be done with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from pyqtgraph.exporters import CSVExporter, ImageExporter
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.menus import CHOSEN, Item, MenuOf, MenuRequest
from bertviz_app.views.plots.menu import BoxMenu, ExportOfPlot
from bertviz_app.views.plots.plot import Plot
from bertviz_app.views.vectors.bars import BarsPlot
from tests.support.context_menus import context_menu, opened_menus
from tests.support.scene import on_screen, pixels_of, turn_events

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


def test_the_menu_of_what_is_around_a_plot_opens_outside_of_it(qtbot: QtBot, look: Look) -> None:
    around = QWidget()
    _Around(around)
    on_screen(qtbot, around, 400, 300)
    assert list(context_menu(around, QPoint(30, 20))) == ["at 30"]


def test_axes_of_numbers_have_options_and_view_all_shows_all(bars: BarsPlot) -> None:
    bars.box.zoom(0.5)
    menu = _menu(bars)
    assert _texts(menu) == ["View All", "X axis", "Y axis", "Mouse Mode", "Export...", "Numbers as CSV …"]
    menu.actions()[0].trigger()
    assert bars.box.is_whole
    assert isinstance(menu, BoxMenu)
    told: list[str] = []
    bars.range_chosen.connect(lambda: told.append("range"))
    form = menu.ctrl[0]
    assert not form.linkCombo.isVisibleTo(form.linkCombo.parentWidget())
    form.minText.setText("1")
    form.maxText.setText("4")
    form.maxText.editingFinished.emit()
    assert bars.box.viewRange()[0] == pytest.approx([1, 4])
    assert told
    menu.close()


def test_the_mouse_mode_is_that_of_pyqtgraph(bars: BarsPlot) -> None:
    menu = _menu(bars)
    assert isinstance(menu, BoxMenu)
    _, one_button = menu.mouseModes
    one_button.trigger()
    assert bars.box.state["mouseMode"] == pg.ViewBox.RectMode
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
    dialog = bars.window().findChild(ExportOfPlot)
    assert isinstance(dialog, ExportOfPlot)
    assert dialog.isVisible()
    assert isinstance(dialog.currentExporter, ImageExporter)
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


def test_the_dialog_goes_with_its_plot(qtbot: QtBot, look: Look) -> None:
    around = QWidget()
    column = QVBoxLayout(around)
    plot = BarsPlot(look)
    plot.show_vector(np.ones(4, np.float32))
    column.addWidget(plot)
    on_screen(qtbot, around, 400, 300)
    context_menu(plot, AT)["Export..."]()
    dialog = around.findChild(ExportOfPlot)
    assert dialog is not None
    plot.deleteLater()
    turn_events()
    assert not isValid(plot)
    assert not isValid(dialog)
    pixels_of(around)


def test_a_plot_without_a_box_has_the_other_entries(qtbot: QtBot, look: Look) -> None:
    plot = on_screen(qtbot, Plot(look), 400, 300)
    assert list(context_menu(plot, AT)) == ["Export..."]


def test_who_is_asked_is_told_where(qtbot: QtBot, look: Look) -> None:
    around = QWidget()
    plot = _Cells(look)
    QVBoxLayout(around).addWidget(plot)
    _Around(around)
    on_screen(qtbot, around, 400, 300)
    request = MenuRequest(around.mapToGlobal(QPointF(70, 5)).toPoint())
    request.ask_around(plot)
    assert [text for text, _ in request.items] == ["at 70"]
