"""The line below the window: what was only done goes again, what must be read or clicked stays."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.views.bars.status_line import StatusLine
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen


@pytest.mark.parametrize(
    ("tone", "link", "stays"), [("", "", False), ("warning", "", True), ("", "Cancel", True)]
)
def test_a_message_about_something_done_does_not_stay(
    qtbot: QtBot, tone: str, link: str, stays: bool
) -> None:
    status = StatusLine()
    qtbot.addWidget(status)
    status.show_message("Saved a.json.", tone, link=link)
    assert status.words[1] == "Saved a.json."
    assert status.passing.isActive() != stays
    if not stays:
        status.passing.timeout.emit()
        assert status.words[1] == ""


def test_a_newer_message_is_not_taken_away_by_the_one_before(qtbot: QtBot) -> None:
    status = StatusLine()
    qtbot.addWidget(status)
    status.show_message("Saved a.json.")
    status.show_message("There can be six panels.", "warning")
    assert not status.passing.isActive()


def test_a_message_without_room_ends_in_dots_and_is_read_in_its_tool_tip(qtbot: QtBot, look: Look) -> None:
    status = StatusLine()
    on_screen(qtbot, status, 300, 30)
    words = "Opened on layer 1, head 6: there “ate” looks at “cat” as no other word does."
    status.show_message(words)
    QApplication.processEvents()
    (label,) = [each for each in status.findChildren(Elided) if each.text() == words]
    assert label.drawn_text.endswith("…")
    assert label.geometry().right() <= status.width()
    assert label.toolTip() == words
