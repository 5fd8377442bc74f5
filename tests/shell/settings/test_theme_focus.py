"""The style sheet of `theme`: only the border of a button shows that it has the focus."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.appearance import Theme
from bertviz_app.types import Doubles
from bertviz_app.views.kit.look import Look, named
from tests.support.scene import look

__all__ = ["look"]

NAMES = ("", "option", "primary", "plain")


@pytest.fixture
def theme(qapp: QApplication, look: Look) -> Iterator[Theme]:
    theme = Theme(qapp, look)
    before = qapp.style().name()
    qapp.setStyle("fusion")
    theme.choose("light")
    yield theme
    theme.remove()
    qapp.setStyle(before)


def _inside(button: QPushButton) -> Doubles:
    image = button.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return pixels[8:-8, 100:180].astype(np.float64)


@pytest.mark.parametrize("name", NAMES)
def test_the_inside_of_a_button_does_not_change_with_the_focus(qtbot: QtBot, theme: Theme, name: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    first, button = (named(QPushButton(), name) if name else QPushButton() for _ in range(2))
    for one in (first, button):
        one.setMinimumSize(200, 40)
        column.addWidget(one)
    window.show()
    window.activateWindow()
    qtbot.waitExposed(window)
    first.setFocus()
    before = _inside(button)
    QTest.keyClick(window, Qt.Key.Key_Tab)
    qtbot.waitUntil(button.hasFocus)
    window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)  # what a key of a real keyboard sets
    assert abs(_inside(button) - before).max() == 0
