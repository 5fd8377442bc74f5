"""The frame around a part of the window follows it, and survives its end."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app.views.kit.look import Look
from bertviz_app.views.lessons.pointer import Pointer
from tests.support.scene import on_screen


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 400, 300)


def _part(window: QWidget, x: int) -> QLabel:
    part = QLabel("part", window)
    part.setGeometry(x, 100, 60, 20)
    part.show()
    return part


def test_it_lies_around_its_target_and_hides_with_it(window: QWidget, look: Look) -> None:
    pointer, part = Pointer(look, window), _part(window, 50)
    pointer.point_at(part)
    assert pointer.geometry().contains(part.geometry())
    part.move(200, 30)
    assert pointer.geometry().contains(part.geometry())
    part.hide()
    assert pointer.isHidden()


def test_it_points_at_another_part_after_the_first_is_deleted(window: QWidget, look: Look) -> None:
    pointer, first, second = Pointer(look, window), _part(window, 50), _part(window, 200)
    pointer.point_at(first)
    delete(first)  # a panel was closed
    pointer.follow()
    assert pointer.isHidden()
    pointer.point_at(second)
    assert pointer.target is second
    assert pointer.geometry().contains(second.geometry())
