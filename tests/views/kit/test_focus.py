"""Where the keys go is seen by those who came there by key, and by nobody else."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look
from tests.support.scene import click, on_screen, pixels_of


class _Shape(Canvas):
    """Leaves the painter as views do: turned, faded and clipped."""

    def draw(self, painter: QPainter) -> None:
        painter.setOpacity(0.1)
        painter.rotate(30)
        painter.setClipRect(0, 0, 5, 5)


def _frame(widget: QWidget) -> set[str]:
    """Return the colours in the middles of the four edges."""
    pixels = pixels_of(widget)
    height, width = pixels.shape
    places = ((height // 2, 0), (height // 2, width - 1), (0, width // 2), (height - 1, width // 2))
    return {f"#{int(pixels[place]):06x}" for place in places}


def test_a_frame_is_drawn_for_keys_only(qtbot: QtBot, look: Look) -> None:
    window = QWidget()
    column = QVBoxLayout(window)
    field, shape = QLineEdit(), _Shape(look)
    shape.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    shape.setMinimumSize(80, 60)
    column.addWidget(field)
    column.addWidget(shape)
    on_screen(qtbot, window, 200, 150)
    field.setFocus()
    plain = pixels_of(shape)
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert shape.hasFocus()
    assert _frame(shape) == {look.palette.accent}
    QTest.keyClick(shape, Qt.Key.Key_Backtab)
    np.testing.assert_array_equal(pixels_of(shape), plain)
    click(shape, 40, 30)
    shape.setFocus(Qt.FocusReason.MouseFocusReason)
    assert shape.hasFocus()
    np.testing.assert_array_equal(pixels_of(shape), plain)
