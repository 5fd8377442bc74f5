"""The context menu of a widget, opened as a click opens it, and where a token is clicked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from bertviz_app.views.plots.plot import Plot

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def context_menu(widget: QWidget, at: QPoint) -> dict[str, Callable[[], None]]:
    """Open the context menu of a widget; return its actions by their texts."""
    opened = opened_menus(widget, at)
    return {action.text(): action.trigger for menu in opened for action in menu.actions() if action.text()}


def opened_menus(widget: QWidget, at: QPoint) -> list[QMenu]:
    """Return the menus that open at a position of a widget by the right button."""
    reason = QContextMenuEvent.Reason.Mouse
    before = set(widget.findChildren(QMenu))
    if isinstance(widget, Plot):
        QTest.mouseClick(widget.viewport(), Qt.MouseButton.RightButton, pos=at)
    else:
        QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    return [menu for menu in widget.findChildren(QMenu) if menu not in before and menu.parent() is widget]


def chip_at(window: MainWindow, token: int) -> QPoint:
    """Return a position within the chip of a token of the strip."""
    strip = window.main_area.strip
    x = next(x for x in range(strip.width()) if strip.token_at(x) == token)
    return QPoint(x + 10, 30)
