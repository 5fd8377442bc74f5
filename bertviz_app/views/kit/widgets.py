"""What Qt's own widgets lack: a table that copies its rows, buttons that Enter presses, empty menus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QPushButton, QTableView, QWidget

from bertviz_app.views.kit.canvas import guarded


class CopyingTable(QTableView):
    """Puts `copied()` on the clipboard when the keys for copying are pressed in it."""

    def copied(self) -> str:
        """Return what is to be copied, tab-separated."""
        raise NotImplementedError

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Take the keys before the window's shortcut does."""
        is_copy = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if event.type() == QEvent.Type.ShortcutOverride and is_copy:
            event.accept()
            return True
        return super().event(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
            event.accept()
        else:
            super().keyPressEvent(event)


def press_by_enter(_before: QWidget | None, now: QWidget | None) -> None:
    """Let Enter press `now`, which has just got the focus; Qt does so by itself only within a dialog."""
    if isinstance(now, QPushButton) and not now.autoDefault():
        now.setAutoDefault(True)


def empty(menu: QMenu) -> None:
    """Remove every item. `QMenu.clear` leaves the submenus behind: they own their items themselves."""
    for below in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        below.deleteLater()
    menu.clear()
