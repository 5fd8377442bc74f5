"""What Qt's own widgets lack: a table that copies its rows as text, and the emptying of a menu."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QTableView

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


def empty(menu: QMenu) -> None:
    """Remove every item. `QMenu.clear` leaves the submenus behind: they own their items themselves."""
    for below in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        below.deleteLater()
    menu.clear()
