"""What is dropped on the window from outside is opened; what is dragged within it is left to its lists."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.shell.window.prompts import Drops
from bertviz_app.shell.window.window import MainWindow
from tests.support.drops import drag_into, drop_onto

_ITEM = "application/x-qabstractitemmodeldatalist"


class _FromTheWindow(QDropEvent):
    """An event whose drag began in a widget of the window."""

    def source(self) -> QWidget:
        return self.widget

    widget: QWidget


def _refusals(window: MainWindow) -> list[str]:
    found: list[str] = []
    window.files.refused.connect(found.append)
    return found


def test_an_item_of_a_list_is_no_file(window: MainWindow) -> None:
    data = QMimeData()
    data.setData(_ITEM, b"item")
    refused = _refusals(window)
    event = _FromTheWindow(
        QPointF(window.rect().center()),
        Qt.DropAction.MoveAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    event.widget = window.frame.welcome
    (drops,) = window.findChildren(Drops)
    assert not drops.eventFilter(window, event)
    assert not drops.hint.isVisible()
    assert refused == []
    assert drag_into(window, data)
    drop_onto(window, data)
    assert len(refused) == 1, "from another program it is something that cannot be opened"
