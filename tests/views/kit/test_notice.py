"""The notice covers nothing; its button does once what it offers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.notice import Notice, NoticeArea, notice_area
from tests.support.scene import on_screen


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 900, 700)


@pytest.fixture
def notice(window: QWidget) -> Notice:
    return Notice(NoticeArea(window))


def _button(notice: Notice, name: str) -> QPushButton:
    return next(button for button in notice.findChildren(QPushButton) if button.objectName() == name)


def test_it_covers_nothing(qtbot: QtBot, window: QWidget) -> None:
    area, below = NoticeArea(), QLabel("the tokens")
    column = QVBoxLayout(window)
    column.addWidget(area)
    column.addWidget(below, 1)
    notices = [Notice(area), Notice(area)]
    qtbot.waitUntil(lambda: below.geometry().top() < 20)
    for notice in notices:
        notice.show_message("The text has a control character. Take it out.")
    qtbot.waitUntil(lambda: below.geometry().top() > area.geometry().bottom() > 70)
    assert notices[0].geometry().bottom() < notices[1].geometry().top()
    assert area.geometry().right() <= window.width()
    for notice in notices:
        notice.dismiss()
    qtbot.waitUntil(lambda: below.geometry().top() < 20)


def test_a_window_has_one_area(window: QWidget) -> None:
    area = notice_area(window)
    assert notice_area(window) is area


def test_a_long_message_is_shown_whole(notice: Notice) -> None:
    notice.show_message("short")
    low = notice.sizeHint().height()
    notice.show_message("many words " * 40)
    assert notice.heightForWidth(600) > 2 * low


def test_its_button_runs_its_action_once(qtbot: QtBot, notice: Notice) -> None:
    ran: list[str] = []
    notice.show_message("No memory.", ("Use the CPU", lambda: ran.append("cpu")))
    button = _button(notice, "link")
    assert button.text() == "Use the CPU"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert ran == ["cpu"]
    assert not notice.isVisible()


def test_without_a_way_out_there_is_no_button(notice: Notice) -> None:
    notice.show_message("No memory.", ("Use the CPU", notice.dismiss))
    notice.show_message("The text is empty.")
    assert not _button(notice, "link").isVisible()


def test_it_can_be_closed(qtbot: QtBot, notice: Notice) -> None:
    notice.show_message("The text is empty.")
    QTest.mouseClick(_button(notice, "plain"), Qt.MouseButton.LeftButton)
    assert not notice.isVisible()
