"""The big buttons of the start page."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.widgets import BigButton


def test_a_big_button_shows_its_title_over_its_sentence_and_reads_both_aloud(qtbot: QtBot) -> None:
    button = BigButton()
    qtbot.addWidget(button)
    button.write("Continue", "the last text")
    assert [label.text() for label in button.findChildren(QLabel)] == ["Continue", "the last text"]
    assert button.accessibleName() == "Continue. the last text"
