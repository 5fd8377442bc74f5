"""The dialog that asks how a picture is saved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.dialogs.export_dialog import ExportDialog, PictureChoice
from bertviz_app.views.kit.widgets import press_by_enter
from tests.support.scene import on_screen


@pytest.fixture
def _pressed_by_enter(qapp: QApplication) -> Iterator[None]:
    """Let Enter press the button that has the focus, as in the program."""
    qapp.focusChanged.connect(press_by_enter)
    yield
    qapp.focusChanged.disconnect(press_by_enter)


@pytest.mark.usefixtures("_pressed_by_enter")
def test_enter_saves_whatever_has_the_focus(qtbot: QtBot) -> None:
    window = on_screen(qtbot, QWidget(), 900, 700)
    dialog = ExportDialog("Layer 1 · Head 3", PictureChoice(), window)
    saved: list[PictureChoice] = []
    dialog.save_requested.connect(saved.append)
    dialog.open()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    choice = next(button for button in dialog.formats.findChildren(QPushButton) if button.text() == "SVG")
    choice.click()
    choice.setFocus()
    assert choice.hasFocus()
    QTest.keyClick(choice, Qt.Key.Key_Return)
    assert [one.ending for one in saved] == [".svg"]
    assert not dialog.isVisible()
