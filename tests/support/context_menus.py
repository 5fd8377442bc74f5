"""The context menu of a widget, opened as a click opens it, and where a token is clicked."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from bertviz_app.shell.window.window import MainWindow


def context_menu(widget: QWidget, at: QPoint) -> dict[str, Callable[[], None]]:
    """Open the context menu of a widget; return its actions by their texts."""
    reason = QContextMenuEvent.Reason.Mouse
    before = set(widget.findChildren(QMenu))
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    opened = [menu for menu in widget.findChildren(QMenu) if menu not in before]
    return {action.text(): action.trigger for menu in opened for action in menu.actions() if action.text()}


def chip_at(window: MainWindow, token: int) -> QPoint:
    """Return a position within the chip of a token of the strip."""
    strip = window.main_area.strip
    x = next(x for x in range(strip.width()) if strip.token_at(x) == token)
    return QPoint(x + 10, 30)
