"""Context menus of items (text, what it does), and how the widgets around a plot add theirs to its menu."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.words import without_mnemonic

Item = tuple[str, Callable[[], None] | None]
"""A text and its action, None for a disabled item; the text "" is a line between items."""
CHOSEN = "\N{CHECK MARK} "
"""The prefix of the text of the item that is in force."""


def add_items(menu: QMenu, items: Iterable[Item]) -> None:
    """Add items at the end of a menu."""
    for text, run in items:
        if not text:
            menu.addSeparator()
            continue
        action = menu.addAction(without_mnemonic(text.removeprefix(CHOSEN)))
        action.setCheckable(text.startswith(CHOSEN))
        action.setChecked(action.isCheckable())
        if run is None:
            action.setEnabled(False)
        else:
            action.triggered.connect(lambda _=False, run=run: run())


def open_menu(parent: QWidget, items: Iterable[Item], at: QPoint) -> QMenu:
    """Open a menu of these items at a point of the screen."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    add_items(menu, items)
    menu.popup(at)
    return menu


class MenuRequest(QEvent):
    """Asks the widgets around a plot for what its menu is to hold at a point of the screen.

    It is sent to each of them, from the nearest one on; event filters add to `items`, and to `savers` what
    saves the picture or its numbers.
    """

    TYPE = QEvent.Type(QEvent.registerEventType())

    def __init__(self, on_screen: QPoint) -> None:
        super().__init__(self.TYPE)
        self.on_screen = on_screen
        self.savers: list[Item] = []
        self.items: list[Item] = []

    def ask_around(self, plot: QWidget) -> None:
        """Ask the widgets around a plot in its window."""
        widget = plot
        while not widget.isWindow() and (around := widget.parentWidget()) is not None:
            QApplication.sendEvent(around, self)
            widget = around


class MenuOf(QObject):
    """The context menu of a widget, whose items are also in the menus of the plots in it.

    Subclasses say by `items_at` what can be done at a position; where that is nothing, there is no menu.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        widget.installEventFilter(self)

    def items_at(self, at: QPoint) -> list[Item]:
        """Return what can be done at a position of the widget."""
        raise NotImplementedError

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, MenuRequest):
            event.items += self.items_at(self._widget.mapFromGlobal(event.on_screen))
        elif isinstance(event, QContextMenuEvent) and (items := self.items_at(event.pos())):
            open_menu(self._widget, items, event.globalPos())
            return True
        return False
