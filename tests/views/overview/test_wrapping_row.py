"""A row of buttons is never cut: it is continued on another line, and closes up when a button is hidden."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.views.overview.wrapping_row import WrappingRow
from tests.support.scene import on_screen


@pytest.fixture
def buttons() -> tuple[QPushButton, ...]:
    return tuple(QPushButton(text) for text in ("it → cat", "Layer · head", "All heads", "Per head"))


def _is_whole(row: WrappingRow, buttons: tuple[QPushButton, ...]) -> bool:
    """Return whether every button has its size, lies within the row, and covers no other."""
    shown = [button for button in buttons if button.isVisible()]
    apart = all(not one.geometry().intersects(other.geometry()) for one, other in combinations(shown, 2))
    inside = all(row.rect().contains(button.geometry()) for button in shown)
    return apart and inside and all(button.size() == button.sizeHint() for button in shown)


def test_what_has_no_room_goes_into_a_further_line(qtbot: QtBot, buttons: tuple[QPushButton, ...]) -> None:
    row = WrappingRow(buttons)
    on_screen(qtbot, row, 1000, row.height_for(1000))
    one_line = row.height()
    assert _is_whole(row, buttons)
    row.resize(250, one_line)
    qtbot.waitUntil(lambda: _is_whole(row, buttons))
    assert row.height() == row.height_for(250) > one_line


def test_a_button_that_is_hidden_or_renamed_moves_the_others(
    qtbot: QtBot, buttons: tuple[QPushButton, ...]
) -> None:
    row = WrappingRow(buttons)
    on_screen(qtbot, row, 1000, row.height_for(1000))
    left = buttons[0].x()
    buttons[0].hide()
    assert buttons[1].x() == left
    buttons[0].setText("because → hungry")
    buttons[0].show()
    qtbot.waitUntil(lambda: _is_whole(row, buttons))
    buttons[0].setText("a")
    buttons[1].setText("by layer and by head")
    qtbot.waitUntil(lambda: _is_whole(row, buttons))
