"""What the buttons of the mouse do on a drawing that can be zoomed, and what ends a press."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.gestures import Gestures
from tests.support.scene import LEFT, NO_BUTTON, drag, move, on_screen

RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def widget(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 200, 200)


@pytest.fixture
def done(widget: QWidget) -> list[str]:
    """The names of the signals that were emitted."""
    done: list[str] = []
    gestures = Gestures(widget, lambda: True)
    for name in ("moved", "clicked", "dragged", "dropped"):
        getattr(gestures, name).connect(lambda *_, name=name: done.append(name))
    return done


def _press(widget: QWidget, kind: QEvent.Type, button: Qt.MouseButton, buttons: Qt.MouseButton) -> None:
    at = QPointF(20, 20)
    where = QPointF(widget.mapToGlobal(at.toPoint()))
    event = QMouseEvent(kind, at, where, button, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


def test_the_right_button_ends_no_press_of_the_left_one(widget: QWidget, done: list[str]) -> None:
    _press(widget, QEvent.Type.MouseButtonPress, LEFT, LEFT)
    _press(widget, QEvent.Type.MouseButtonPress, RIGHT, LEFT | RIGHT)
    _press(widget, QEvent.Type.MouseButtonRelease, RIGHT, LEFT)
    assert done == []
    _press(widget, QEvent.Type.MouseButtonRelease, LEFT, NO_BUTTON)
    assert done == ["clicked"]


def test_a_press_ends_when_the_drawing_is_hidden(widget: QWidget, done: list[str]) -> None:
    _press(widget, QEvent.Type.MouseButtonPress, LEFT, LEFT)
    widget.hide()  # as another panel is shown by a key: the button is released elsewhere
    widget.show()
    move(widget, 90, 90)
    assert done == ["moved"]
    drag(widget, [(20, 20), (60, 60), (90, 90)])
    assert done == ["moved", "dragged", "dragged", "dropped"]
