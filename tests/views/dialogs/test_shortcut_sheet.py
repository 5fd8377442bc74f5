"""The sheet of shortcuts has as many columns as the window has room for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.dialogs.shortcut_sheet import SheetGroup, ShortcutSheet
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen


@pytest.mark.parametrize(("width", "n_columns"), [(1920, 3), (1280, 2), (700, 1)])
def test_the_sheet_has_as_many_columns_as_the_window_has_room_for(
    qtbot: QtBot, look: Look, width: int, n_columns: int
) -> None:
    window = on_screen(qtbot, QWidget(), width, 800)
    lines = tuple(("What a command does, in as many words as it takes", "Ctrl+Shift+X") for _ in range(4))
    sheet = ShortcutSheet(look, [SheetGroup(title, lines) for title in "ABC"], window)
    sheet.open()
    titles = [label for label in sheet.findChildren(QLabel) if label.text() in tuple("ABC")]
    assert len({label.mapTo(sheet, QPoint()).x() for label in titles}) == n_columns
    (area,) = sheet.findChildren(QScrollArea)
    assert area.horizontalScrollBar().maximum() == 0


def test_in_a_narrow_window_the_only_column_wraps(qtbot: QtBot, look: Look) -> None:
    window = on_screen(qtbot, QWidget(), 400, 700)
    words = "What a command does, in far more words than a line of this window has room for"
    sheet = ShortcutSheet(look, [SheetGroup("A", ((words, "Ctrl+Shift+X"),))], window)
    sheet.open()
    (area,) = sheet.findChildren(QScrollArea)
    assert area.horizontalScrollBar().maximum() == 0
    (keys,) = [label for label in sheet.findChildren(QLabel) if label.text() == "Ctrl+Shift+X"]
    assert keys.mapTo(area.viewport(), QPoint(keys.width(), 0)).x() <= area.viewport().width()
    (text,) = [label for label in sheet.findChildren(QLabel) if label.text() == words]
    assert text.height() >= text.heightForWidth(text.width())
