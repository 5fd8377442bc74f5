"""The context menu of a plot: pyqtgraph's own entries first ("View All", axes, "Export..."), then ours."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pyqtgraph as pg
from pyqtgraph.exporters import CSVExporter, ImageExporter
from pyqtgraph.graphicsItems.ViewBox.ViewBoxMenu import ViewBoxMenu
from pyqtgraph.GraphicsScene.exportDialog import ExportDialog, FormatExportListWidgetItem
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QMenu, QTreeWidgetItem, QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.menus import Item, MenuRequest, add_items


class BoxMenu(ViewBoxMenu):
    """pyqtgraph's menu of a view box: "View All", the options of its axes, the mouse mode.

    `has_axes`: axes of tokens and cells have no options; inverted they would not fit what is drawn.
    It is made each time it is opened: its forms take 10 ms, and it is in the language in force.
    """

    def __init__(self, box: pg.ViewBox, *, has_axes: bool) -> None:
        super().__init__(box)
        for form in self.ctrl:
            form.label.hide()  # no box has a name by which it could be linked
            form.linkCombo.hide()
            for field in (form.minText, form.maxText):
                field.editingFinished.connect(box.range_chosen)
        for action in () if has_axes else self.actions()[1:3]:
            self.removeAction(action)


class PlotExports:
    """The menus of one plot, and what pyqtgraph exports it with, which lives as long as the plot."""

    def __init__(self) -> None:
        self.dialog: ExportOfPlot | None = None
        self.exporter: CSVExporter | None = None

    def open_menu(
        self, plot: pg.GraphicsLayoutWidget, menu: QMenu, items: Iterable[Item], on_screen: QPoint
    ) -> None:
        """Complete `menu` by what exports the plot, by `items` and by what is around it, and open it."""
        menu.setParent(plot, menu.windowFlags())  # else Python deletes it at once
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        translate, request = QCoreApplication.translate, MenuRequest(on_screen)
        request.ask_around(plot)
        numbers = translate("PlotMenu", "Numbers as CSV …")
        entries: list[Item] = [
            (translate("GraphicsScene", "Export..."), partial(self._open_dialog, plot)),
            ("", None),
            *request.savers,
            *((numbers, partial(self._save_numbers, item)) for item in items_with_numbers(plot.scene())),
        ]
        add_items(menu, [*entries, ("", None), *items, ("", None), *request.items])
        menu.popup(on_screen)

    def _save_numbers(self, item: pg.PlotItem) -> None:
        """Ask for a file and write the numbers into it."""
        self.exporter = CSVExporter(item)
        self.exporter.export()

    def _open_dialog(self, plot: pg.GraphicsLayoutWidget) -> None:
        if self.dialog is None:
            self.dialog = ExportOfPlot(plot.scene(), plot.window())
            plot.destroyed.connect(self.dialog.deleteLater)
        self.dialog.open_for(plot.ci)


class ExportOfPlot(ExportDialog):
    """pyqtgraph's dialog, with those of its exporters that work here.

    SVG and PDF are written by the program: pyqtgraph's own SVG is broken (its issue 3495).
    """

    def __init__(self, scene: pg.GraphicsScene, window: QWidget) -> None:
        super().__init__(scene)
        self.setParent(window, Qt.WindowType.Dialog)
        self.selectBox.setPen(QPen(Qt.PenStyle.NoPen))  # else it frames the plot, in saved pictures too
        for short in (self.ui.itemTree, self.ui.formatList):
            short.setMaximumHeight(3 * short.fontMetrics().height())

    def open_for(self, item: pg.GraphicsObject) -> None:
        """Open the dialog in the language in force."""
        self.ui.retranslateUi(self)
        self.show(item)

    @guarded
    def updateItemList(self, select: object = None) -> None:
        """List the whole picture and the plots in it that have numbers."""
        tree, translate = self.ui.itemTree, QCoreApplication.translate
        tree.clear()
        parts = [(translate("PlotMenu", "The whole picture"), self.scene)]
        parts += [(translate("PlotMenu", "Its numbers"), item) for item in items_with_numbers(self.scene)]
        for text, part in parts:
            row = _Part([text])
            row.gitem = part
            tree.addTopLevelItem(row)
        tree.setCurrentItem(tree.topLevelItem(0))

    @guarded
    def updateFormatList(self) -> None:
        """List what the chosen part can be written as."""
        formats, row = self.ui.formatList, self.ui.itemTree.currentItem()
        formats.clear()
        if row is not None:
            exporter = CSVExporter if isinstance(row.gitem, pg.PlotItem) else ImageExporter
            name = QCoreApplication.translate("Exporter", exporter.Name)
            formats.addItem(FormatExportListWidgetItem(exporter, name))
            formats.setCurrentRow(0)


class _Part(QTreeWidgetItem):
    gitem: object = None
    """What of the scene it stands for, as pyqtgraph calls it."""


def items_with_numbers(scene: pg.GraphicsScene) -> list[pg.PlotItem]:
    """Return pyqtgraph's plots in a scene that have curves, points or bars."""
    plots = (item for item in scene.items() if isinstance(item, pg.PlotItem))
    return [plot for plot in plots if any(_has_numbers(item) for item in plot.items)]


def _has_numbers(item: pg.GraphicsObject) -> bool:
    return isinstance(item, pg.ErrorBarItem) or bool(
        hasattr(item, "implements") and item.implements("plotData")
    )
