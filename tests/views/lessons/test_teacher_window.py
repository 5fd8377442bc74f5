"""The teacher's window: the list of stations with those that are done."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton, QWidget
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


def test_at_the_last_station_it_says_what_comes(qtbot: QtBot, look: Look) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    window, lesson = TeacherWindow(look, parent), shipped_lessons()[0]
    n_stations = len(lesson.stations)
    window.show_station(lesson, 0, [False] * n_stations, "5")
    button = next(each for each in window.findChildren(QPushButton) if each.text() == "Next")
    window.show_station(lesson, n_stations - 1, [False] * n_stations, "5")
    assert button.text() == "Finish"
    assert button.toolTip() == "The list of lessons (Page Down)"
    labels = [label.text() for label in window.findChildren(QLabel)]
    assert "Last station. The list of lessons comes next." in labels
    window.show_station(lesson, 0, [False] * n_stations, "5")
    assert (button.text(), button.toolTip()) == ("Next", "The next station (Page Down)")
