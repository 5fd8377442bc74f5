"""The context menu of a plot: pyqtgraph's own entries first ("View All", axes, "Export..."), then ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from bertviz_app.views.kit.words import without_mnemonic

if TYPE_CHECKING:
    from bertviz_app.views.plots.plot import Box, Plot

_CHOSEN = "\N{CHECK MARK} "
"""The prefix of the text of an item that is in force."""


def open_menu(plot: Plot, box: Box | None, on_screen: QPoint) -> QMenu:
    """Open the menu of a view box of `plot` at a point of the screen, and return it."""
    menu = pg.ViewBoxMenu.ViewBoxMenu(box) if hasattr(pg, "ViewBoxMenu") else QMenu()
    menu.setParent(plot, Qt.WindowType.Popup)  # else Python deletes it at once
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.addActions(plot.scene().contextMenu)
    for text, work in plot.menu_items():
        if not text:
            menu.addSeparator()
            continue
        action = menu.addAction(without_mnemonic(text.removeprefix(_CHOSEN)))
        action.setCheckable(text.startswith(_CHOSEN))
        action.setChecked(action.isCheckable())
        action.setEnabled(work is not None)
        if work is not None:
            action.triggered.connect(lambda _=False, work=work: work())
    menu.popup(on_screen)
    return menu
