"""The dialog that asks how a picture is saved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.dialogs.export_dialog import ExportDialog, PictureChoice
from tests.support.scene import on_screen


def test_enter_saves_whatever_has_the_focus(qtbot: QtBot) -> None:
    window = on_screen(qtbot, QWidget(), 900, 700)
    dialog = ExportDialog("Layer 1 · Head 3", PictureChoice(), window)
    saved: list[PictureChoice] = []
    dialog.save_requested.connect(saved.append)
    dialog.open()
    choice = next(button for button in dialog.formats.findChildren(QPushButton) if button.text() == "SVG")
    choice.click()
    choice.setFocus()
    QTest.keyClick(choice, Qt.Key.Key_Return)
    assert [one.ending for one in saved] == [".svg"]
    assert not dialog.isVisible()
