"""The teacher's window: the list of stations with those that are done."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.learning.lessons.reading import shipped_lessons
from bertviz_app.views.kit.look import Look
from bertviz_app.views.lessons.teacher_window import TeacherWindow


def test_the_stations_that_are_done_have_a_tick(qtbot: QtBot, look: Look) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    window, lesson = TeacherWindow(look, parent), shipped_lessons()[0]
    done = [index in (0, 3) for index in range(len(lesson.stations))]
    window.show_station(lesson, 2, done, "5")
    texts = [window.stations.item(row).text() for row in range(window.stations.count())]
    assert ["✓" in text for text in texts] == done
    assert window.stations.currentRow() == 2
