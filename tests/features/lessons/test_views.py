"""Lessons: the card of every station in both languages, the pointer, and the teacher's window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.state.player import LessonProgress, OwnLessons
from bertviz_app.features.lessons.views.card import WIDTH, ChoiceForm, LessonCard, number_in
from bertviz_app.features.lessons.views.course import LessonList, StationDots
from bertviz_app.features.lessons.views.teaching import TeacherWindow
from bertviz_app.features.lessons.window.targets import Pointer
from bertviz_app.features.training.label_trainings import TrainedLabels
from bertviz_app.learning.label_training import LABELS, LabelProgress, LabelResult, LabelTraining
from bertviz_app.learning.words import Words
from bertviz_app.views.kit.look import Look, style_sheet
from bertviz_app.views.kit.words import prose_html
from tests.support.scene import on_screen
from tests.support.training_scene import FakeLaunch

_HEIGHT = 680  # of 800 what the bars of the window leave


def _texts(card: LessonCard) -> str:
    """Return what all labels of the card say; some spaces in it are such that no line breaks there."""
    return "\n".join(label.text() for label in card.findChildren(QLabel)).replace("\xa0", " ")


def _verdict(card: LessonCard) -> str:
    return card.task.verdict.text()


def _fine_tuning(card: LessonCard, key: str) -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "fine-tuning")
    card.show_station(lesson, [each.key for each in lesson.stations].index(key), {})


def _ask_of(key: str) -> str:
    lesson = next(each for each in shipped_lessons() if each.key == "fine-tuning")
    (task,) = [each.task for each in lesson.stations if each.key == key]
    assert task is not None
    return task.ask.en


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 400, 300)


def _part(window: QWidget, x: int) -> QLabel:
    part = QLabel("part", window)
    part.setGeometry(x, 100, 60, 20)
    part.show()
    return part


def test_the_page_of_lessons_has_their_titles_as_written_and_tells_seen_from_solved(
    qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    first = shipped_lessons()[0]
    lesson = replace(first, title=Words(en="What <s> is for", ko="<s>의 쓸모"))
    progress = LessonProgress(tmp_path / "lessons.json")
    for at in range(4):
        progress.note_station(lesson, at)
    progress.note_done(lesson, lesson.stations[1].key)
    for each in (progress, LessonProgress(tmp_path / "lessons.json")):
        page = on_screen(qtbot, LessonList(look, [lesson], OwnLessons(tmp_path / "none"), each), 900, 700)
        (title,) = [label for label in page.findChildren(QLabel) if label.text() == "What <s> is for"]
        assert title.textFormat() == Qt.TextFormat.PlainText
        (dots,) = page.findChildren(StationDots)
        assert dots.accessibleName() == f"{len(first.stations)} stations: 4 seen, 1 solved"
        assert page.buttons[0].text() == "Continue"


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.key)
def test_every_station_fits(qtbot: QtBot, look: Look, lesson: Lesson) -> None:
    """In English; in Korean they are looked at where every station is done by clicks."""
    card = LessonCard(look)
    card.setStyleSheet(style_sheet(look))
    on_screen(qtbot, card, WIDTH, _HEIGHT)
    (area,) = card.findChildren(QScrollArea)
    trained = TrainedLabels()
    result = LabelResult(1.0, 0.725, 0.5)
    trained.progress = {labels: LabelProgress(1.0, 1.0, result) for labels in LABELS}
    for index, station in enumerate(lesson.stations):
        card.show_station(lesson, index, {})
        card.task.training.show_trainings(trained)
        qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)
        if station.task is not None:
            card.task.show_verdict(is_right=True)  # the longest that it becomes: the card scrolls to it
        QApplication.processEvents()
        for label in card.findChildren(QLabel):
            if label.isVisible() and label.wordWrap():
                assert label.height() >= label.heightForWidth(label.width()), label.text()
        for items in card.findChildren(QListWidget):
            assert not items.isVisible() or items.verticalScrollBar().maximum() == 0, station.key
        shown = [label.text() for label in card.findChildren(QLabel) if label.isVisible()]
        assert {station.title.en, prose_html(station.title.en)} & {*shown}, (
            "as it is, or with its root sign in another font"
        )
        assert card.back_button.isEnabled() == (index > 0)


def test_hints_answers_and_choices_are_shown(qtbot: QtBot, look: Look) -> None:
    # the hint and the answer are shown on request
    lesson = next(each for each in shipped_lessons() if each.key == "self-attention")
    card = on_screen(qtbot, LessonCard(look), WIDTH, _HEIGHT)
    card.show_station(lesson, 1, {})
    task = lesson.stations[1].task
    assert task is not None
    card.task.hint_button.click()
    assert task.hint.en in _texts(card)
    card.task.show_answer("7.0000")
    assert f"7.0000.\n{task.why.en}" in _texts(card)
    card.task.show_verdict(is_right=False)
    assert any("Not yet" in label.text() for label in card.findChildren(QLabel))
    assert not [button for button in card.findChildren(QPushButton) if button.text() == ""]
    # what was chosen is marked and the links stay where they are
    lesson = next(each for each in shipped_lessons() if each.key == "embeddings")
    card = on_screen(qtbot, LessonCard(look), WIDTH, _HEIGHT)
    card.show_station(lesson, 0, {})
    (choice,) = card.findChildren(ChoiceForm)
    given: list[object] = []
    card.task.answered.connect(given.append)
    QApplication.processEvents()
    before = card.task.hint_button.pos()
    choice.buttons[2].click()
    card.task.show_verdict(is_right=False)
    QApplication.processEvents()
    assert card.task.hint_button.pos() == before
    choice.buttons[1].click()
    card.task.show_verdict(is_right=True)
    assert given == [2, 1]
    assert [button.property("verdict") for button in choice.buttons] == [None, "right", "wrong"]
    marks = [[label.text() for label in button.findChildren(QLabel)][1] for button in choice.buttons]
    assert marks == ["", "✓", "✕"]


def test_keys_and_focus_stay_with_the_task(qtbot: QtBot, look: Look) -> None:
    # the arrow keys stay among the options
    lesson = next(each for each in shipped_lessons() if each.key == "embeddings")
    card = on_screen(qtbot, LessonCard(look), WIDTH, _HEIGHT)
    card.show_station(lesson, 0, {})
    (choice,) = card.findChildren(ChoiceForm)
    first, *_, last = choice.shown
    card.task.focus_form()
    assert choice.hasFocus()
    assert not any(button.hasFocus() for button in choice.buttons), "none looks chosen"
    for key, button in ((Qt.Key.Key_Up, first), (Qt.Key.Key_Down, last)):
        for _ in range(len(choice.buttons) + 1):
            QTest.keyClick(QApplication.focusWidget() or card, key)
        assert button.hasFocus()
    QTest.keyClick(last, Qt.Key.Key_Tab)
    assert card.task.hint_button.hasFocus()
    # the focus goes to the number that is missing
    lesson = next(each for each in shipped_lessons() if each.key == "embeddings")
    card = on_screen(qtbot, LessonCard(look), WIDTH, _HEIGHT)
    card.show_station(lesson, 2, {})
    fields = card.task.findChildren(QLineEdit)
    fields[0].setText("1.5")
    fields[2].setFocus()
    QTest.keyClicks(fields[2], "1")
    QTest.keyClick(fields[2], Qt.Key.Key_Return)
    assert fields[1].hasFocus()
    # some wrong numbers are counted
    lesson = next(each for each in shipped_lessons() if each.key == "embeddings")
    card = on_screen(qtbot, LessonCard(look), WIDTH, _HEIGHT)
    card.show_station(lesson, 2, {})
    card.task.show_verdict(is_right=False, wrong_numbers=(1,))
    assert _verdict(card) == "Not yet: 2 of 3 numbers are right. The others are marked."
    card.task.show_verdict(is_right=False, wrong_numbers=(0, 1, 2))
    assert _verdict(card) == "Not yet. Try again, or take the hint."


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        (" 0,25 ", 0.25),
        ("−3", -3.0),
        ("50 %", 0.5),
        ("1,024", 1024.0),
        ("−3,072.5", -3072.5),
        ("1,024 %", 10.24),
        ("a", None),
        ("nan", None),
    ],
)
def test_numbers_are_read_as_people_write_them(typed: str, number: float | None) -> None:
    assert number_in(typed) == number


def test_an_answer_below_the_edge_is_scrolled_to(qtbot: QtBot, look: Look) -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "embeddings")
    card = on_screen(qtbot, LessonCard(look), WIDTH, 300)
    card.show_station(lesson, 0, {})
    QApplication.processEvents()
    card.task.hint_button.click()
    verdict = card.task.verdict
    qtbot.waitUntil(lambda: verdict.visibleRegion().boundingRect() == verdict.rect())


def test_what_a_question_about_trainings_is_answered_with_stands_right_below_it(
    qtbot: QtBot, look: Look
) -> None:
    card = on_screen(qtbot, LessonCard(look), WIDTH, _HEIGHT)
    for key in ("memorise", "train", "memorise"):
        _fine_tuning(card, key)
        QApplication.processEvents()
        (ask,) = [
            each
            for each in card.task.findChildren(QLabel)
            if each.text() == _ask_of(key) and each.isVisible()
        ]
        assert (card.task.training.y() < ask.y()) == (key == "memorise")


def test_a_training_that_runs_or_is_done_does_not_get_the_focus(qtbot: QtBot, look: Look) -> None:
    card = on_screen(qtbot, LessonCard(look), WIDTH, _HEIGHT)
    trainings = TrainedLabels()
    _fine_tuning(card, "memorise")
    card.task.focus_form()
    assert card.task.training.button.hasFocus()
    (form,) = card.findChildren(ChoiceForm)
    trainings.launch = FakeLaunch()
    trainings.start(LabelTraining(n_rows=16, epochs=1))
    card.task.training.show_trainings(trainings)
    card.task.focus_form()
    assert form.hasFocus()
    trainings.cancel()
    result = LabelResult(1.0, 0.725, 0.5)
    trainings.progress = {labels: LabelProgress(1.0, 1.0, result) for labels in LABELS}
    card.task.training.show_trainings(trainings)
    card.task.training.button.setFocus()
    card.task.focus_form()
    assert form.hasFocus()
    _fine_tuning(card, "train")
    card.task.focus_form()
    assert card.task.training.button.hasFocus(), "there is nothing else"


def test_the_frame_follows_its_target_and_survives_its_end(window: QWidget, look: Look) -> None:
    # it lies around its target and hides with it
    pointer, part = Pointer(look, window), _part(window, 50)
    pointer.point_at(part)
    assert pointer.geometry().contains(part.geometry())
    part.move(200, 30)
    assert pointer.geometry().contains(part.geometry())
    part.hide()
    assert pointer.isHidden()
    # it points at another part after the first is deleted
    pointer, first, second = Pointer(look, window), _part(window, 50), _part(window, 200)
    pointer.point_at(first)
    delete(first)  # a panel was closed
    pointer.follow()
    assert pointer.isHidden()
    pointer.point_at(second)
    assert pointer.target is second
    assert pointer.geometry().contains(second.geometry())


def test_the_teachers_window_shows_what_is_done_and_what_comes(qtbot: QtBot, look: Look) -> None:
    # the stations that are done have a tick
    parent = QWidget()
    qtbot.addWidget(parent)
    window, lesson = TeacherWindow(look, parent, {}), shipped_lessons()[0]
    done = [index in (0, 3) for index in range(len(lesson.stations))]
    window.show_station(lesson, 2, done, "5")
    texts = [window.stations.item(row).text() for row in range(window.stations.count())]
    assert ["✓" in text for text in texts] == done
    assert window.stations.currentRow() == 2
    # at the last station it says what comes
    parent = QWidget()
    qtbot.addWidget(parent)
    window, lesson = TeacherWindow(look, parent, {}), shipped_lessons()[0]
    n_stations = len(lesson.stations)
    window.show_station(lesson, 0, [False] * n_stations, "5")
    button = next(each for each in window.findChildren(QPushButton) if each.text() == "Next")
    window.show_station(lesson, n_stations - 1, [False] * n_stations, "5")
    assert button.text() == "Finish"
    assert button.toolTip() == "The end of the lesson (Page Down)"
    labels = [label.text() for label in window.findChildren(QLabel)]
    assert "Last station. The end of the lesson comes next." in labels
    window.show_station(lesson, 0, [False] * n_stations, "5")
    assert (button.text(), button.toolTip()) == ("Next", "The next station (Page Down)")


def test_the_type_of_a_lesson_is_that_of_its_place_and_the_same_at_each_station(
    qtbot: QtBot, look: Look
) -> None:
    lesson, card = shipped_lessons()[0], LessonCard(look)
    card.setStyleSheet(style_sheet(look))
    on_screen(qtbot, card, WIDTH, _HEIGHT)
    (area,) = card.findChildren(QScrollArea)
    text = card.text
    card.show_station(lesson, 0, {})
    qtbot.waitUntil(lambda: text.fontInfo().pixelSize() == 14)
    usual = text.fontInfo().pixelSize()
    look.set_scale(1.5, least_word=19)
    card.resize(2 * WIDTH, 2 * _HEIGHT)
    qtbot.waitUntil(lambda: text.fontInfo().pixelSize() > 1.5 * usual)
    large = text.fontInfo().pixelSize()
    for index in range(len(lesson.stations)):
        card.show_station(lesson, index, {})
        qtbot.wait(20)
        assert text.fontInfo().pixelSize() == large
        assert area.verticalScrollBar().maximum() == 0
    look.set_scale(1)
    card.resize(WIDTH, _HEIGHT)
    card.show_station(lesson, 0, {})
    qtbot.waitUntil(lambda: text.fontInfo().pixelSize() == usual)


@pytest.mark.parametrize(("lesson", "key"), [(4, "softmax"), (1, "together")])
def test_a_presentation_cuts_nothing_of_a_station(qtbot: QtBot, look: Look, lesson: int, key: str) -> None:
    """Three fields in a row made the page wider than its place; items got more lines, and no more height."""
    shown, card = shipped_lessons()[lesson - 1], LessonCard(look)
    card.setStyleSheet(style_sheet(look))
    on_screen(qtbot, card, 2 * WIDTH, 2 * _HEIGHT)
    card.show_station(shown, [station.key for station in shown.stations].index(key), {})
    look.set_scale(1.1, least_word=19)
    for width in (2 * WIDTH, round(1.2 * WIDTH)):
        card.resize(width, 2 * _HEIGHT)
        qtbot.wait(60)
        (area,) = card.findChildren(QScrollArea)
        page = area.widget()
        assert page is not None
        assert page.width() <= area.viewport().width()
        for items in card.findChildren(QListWidget):
            metrics, room = items.fontMetrics(), items.viewport().width()
            for row in range(items.count()):
                item = items.item(row)
                place = QRect(0, 0, room, 10_000)
                text = metrics.boundingRect(place, Qt.TextFlag.TextWordWrap.value, item.text())
                assert items.visualItemRect(item).height() >= text.height()
