"""Teachers in a window: presenter keys, notes beside the class, a black screen, and lessons of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QProgressDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.course.reading import parse_lesson
from bertviz_app.features.lessons.state import player as own_lessons
from bertviz_app.features.lessons.views.card import VoteForm, WholeField
from bertviz_app.features.lessons.views.teaching import BlackScreen, TeacherWindow
from bertviz_app.features.lessons.window.lesson_print import LessonPrinter
from bertviz_app.features.lessons.window.lessons import LessonCatalogue, Lessons, LessonsFolderRow
from bertviz_app.features.lessons.window.station_maker import Handouts, Teaching
from bertviz_app.features.lessons.window.targets import Pointer
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.state import change_options
from tests.support.lesson_scene import card_of
from tests.support.scene import turn_events
from tests.support.window_fixtures import Settle


def words(text: str) -> dict[str, str]:
    return {"en": text, "ko": f"{text} 글"}


def station(key: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "title": words(key), "text": words("Look."), "scene": {}} | more


COUNT = {
    "kind": "numbers",
    "answers": [{"of": "n_tokens"}],
    "ask": words("How many?"),
    "hint": words("Count."),
    "why": words("Two are special."),
}
CONTENT: dict[str, Any] = {
    "key": "own",
    "title": words("My lesson"),
    "summary": words("About"),
    "minutes": 3,
    "stations": [
        station(
            "first", scene={"text": words("the cat sat")}, notes=words("Ask what they expect."), task=COUNT
        ),
        station("second"),
        station("third"),
    ],
}


@pytest.fixture
def lesson() -> Lesson:
    return parse_lesson(json.dumps(CONTENT), "own.json")


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, lesson: Lesson) -> MainWindow:
    """The window at the first station, with the focus."""
    window.part(Lessons).open_lesson(lesson)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.setFocus()
    return window


def show(qtbot: QtBot, window: MainWindow, *stations: dict[str, Any]) -> Lessons:
    """Open a lesson of these stations at the first."""
    lessons = window.part(Lessons)
    lessons.open_lesson(parse_lesson(json.dumps(CONTENT | {"stations": stations}), "own.json"))
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    return lessons


def press(window: QWidget, key: Qt.Key) -> None:
    QTest.keyClick(window, key)


def test_presenter_keys_go_through_a_lesson_and_start_the_presentation_wherever_the_focus_is(
    qtbot: QtBot, opened: MainWindow
) -> None:
    player, docks = opened.part(Lessons).player, opened.main_area.docks.docks

    def shown() -> set[str]:
        return {name for name, dock in docks.items() if not dock.isHidden()}

    for field in (opened.frame.bar.text, opened.main_area.strip):
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_PageDown)
        assert player.station_index == 1
        QTest.keyClick(opened.frame.bar.text, Qt.Key.Key_PageUp)
        assert player.station_index == 0
        qtbot.waitUntil(lambda: player.is_ready)
    opened.setFocus()
    press(opened, Qt.Key.Key_F5)
    assert opened.presentation.is_on
    assert shown() == {"overview"}
    press(opened, Qt.Key.Key_PageDown)
    assert player.station_index == 1
    press(opened, Qt.Key.Key_Escape)
    assert not opened.presentation.is_on
    assert opened.part(Lessons).is_open, "Escape ends the presentation, not the lesson"
    assert shown() == {"overview"}
    press(opened, Qt.Key.Key_PageDown)
    press(opened, Qt.Key.Key_PageDown)  # from the last one to the list
    assert not opened.part(Lessons).is_open
    assert opened.part(LessonCatalogue).is_shown
    keys = [action.shortcut().toString() for action in opened.actions() if action.isEnabled()]
    assert not {"PgDown", "PgUp", "B"} & {*keys}, "without a lesson the keys are left to the views"


def test_who_leaves_a_lesson_by_escape_is_told_how_it_goes_on(qtbot: QtBot, opened: MainWindow) -> None:
    press(opened, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not opened.part(Lessons).is_open)
    assert "You have left the lesson “My lesson”. All lessons: Ctrl+Shift+L" in visible_words(
        opened.frame.status
    )
    opened.part(Lessons).leave()
    opened.frame.status.show_message("")
    opened.part(Lessons).leave()
    assert "You have left" not in visible_words(opened.frame.status), "there was none to leave"


def test_b_makes_the_screen_black_while_an_answer_is_typed(opened: MainWindow) -> None:
    card = card_of(opened)
    (field,) = card.findChildren(WholeField)
    field.setFocus()
    QTest.keyClicks(field, "4")
    press(field, Qt.Key.Key_B)
    (black,) = opened.findChildren(BlackScreen)
    assert black.isVisible()
    press(black, Qt.Key.Key_B)
    assert not black.isVisible()
    assert field.hasFocus()
    assert field.text() == "4"


def test_b_is_a_letter_in_a_presentation_only_where_the_presenter_clicked(
    qtbot: QtBot, opened: MainWindow
) -> None:
    text = opened.frame.bar.text
    text.setFocus()
    opened.presentation.toggle()
    assert not text.hasFocus()
    text.setFocus()  # as a click does
    QTest.keyClicks(text, "b")
    assert text.text() == "bthe cat sat"
    opened.part(Lessons).player.go(1)
    qtbot.waitUntil(lambda: opened.part(Lessons).player.is_ready)
    assert not text.hasFocus()
    focused = opened.focusWidget()
    assert focused is not None
    press(focused, Qt.Key.Key_B)
    (black,) = opened.findChildren(BlackScreen)
    assert black.isVisible()


def test_a_presentation_shows_the_bar_at_the_stations_that_need_it(qtbot: QtBot, window: MainWindow) -> None:
    typing = {"kind": "do", "done": {"of": "text changed"}} | {
        name: words(name) for name in ("ask", "hint", "why")
    }
    stations = [
        station("read", scene={"text": words("the cat sat")}, points_at="strip"),
        station("type", task=typing, points_at="strip"),
        station("field", points_at="text"),
        station("again", points_at="panel"),
    ]
    window.part(Lessons).open_lesson(parse_lesson(json.dumps(CONTENT | {"stations": stations}), "own.json"))
    window.presentation.toggle()
    for index, is_shown in enumerate((False, True, True, False)):
        window.part(Lessons).player.go(index)
        qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
        assert (window.frame.bars.maximumHeight() > 0) == is_shown
    window.part(Lessons).player.go(1)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    window.part(Lessons).leave()
    assert window.frame.bars.maximumHeight() == 0


def test_a_lesson_left_in_a_presentation_gives_the_keys_to_the_panel_and_leaves_the_panels_alone(
    opened: MainWindow,
) -> None:
    docks = opened.main_area.docks.docks
    press(opened, Qt.Key.Key_F5)
    card = card_of(opened)
    card.next_button.setFocus()
    opened.part(Lessons).leave()
    focused = opened.focusWidget()
    assert focused is not None
    assert opened.main_area.area.isAncestorOf(focused)
    assert opened.frame.bars.maximumHeight() == 0
    assert all(dock.isHidden() for dock in docks.values())
    opened.presentation.leave()
    assert {name for name, dock in docks.items() if dock.isHidden()} == {"interventions"}  # closed at first


def test_a_pinned_token_that_the_text_lacks_is_said(qtbot: QtBot, window: MainWindow) -> None:
    show(qtbot, window, station("first", scene={"text": words("the cat sat"), "query": "zebra"}))
    card = card_of(window)
    assert "no token “zebra”" in visible_words(card)


def test_a_lesson_is_about_all_tokens_and_their_weights(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle, lesson: Lesson
) -> None:
    app_state.workspace.set_texts("my own words here", None, at_once=True)
    settle()
    change_options(app_state.store, hides_special=True, joins_words=True, shows_sums=True)
    window.part(Lessons).open_lesson(lesson)
    options = app_state.store.now.options
    assert (options.hides_special, options.joins_words, options.shows_sums) == (False, False, True)
    window.part(Lessons).leave()
    assert app_state.store.now.options.hides_special
    assert app_state.store.now.options.joins_words


def test_any_key_takes_the_black_screen_away(opened: MainWindow) -> None:
    press(opened, Qt.Key.Key_B)
    (black,) = opened.findChildren(BlackScreen)
    assert black.isVisible()
    assert black.size() == opened.size()
    assert black.grab().toImage().pixelColor(40, 40).lightness() == 0
    press(black, Qt.Key.Key_PageDown)
    assert not black.isVisible()
    assert opened.part(Lessons).player.station_index == 0, "the key only took the black away"
    press(opened, Qt.Key.Key_PageDown)
    assert opened.part(Lessons).player.station_index == 1


def test_what_had_the_focus_may_be_gone_when_the_black_screen_is_taken_away(
    qtbot: QtBot, opened: MainWindow
) -> None:
    field = QLineEdit(opened)
    field.show()
    opened.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    opened.part(Teaching).darken()
    with qtbot.waitSignal(field.destroyed):
        field.deleteLater()
    (black,) = opened.findChildren(BlackScreen)
    press(black, Qt.Key.Key_A)
    assert not black.isVisible()


def test_the_black_screen_ends_with_a_step_in_the_teachers_window_and_nothing_lies_over_it(
    qtbot: QtBot, opened: MainWindow
) -> None:
    opened.part(Teaching).show_notes()
    (notes,) = opened.findChildren(TeacherWindow)
    (pointer,) = opened.findChildren(Pointer)
    target = opened.main_area
    pointer.point_at(target)
    notes.buttons["black"].click()
    (black,) = opened.findChildren(BlackScreen)
    target.resize(target.width() - 10, target.height())
    assert pointer.isVisible()
    drawn = opened.grab().toImage()
    middle = pointer.geometry().center().x()
    assert {drawn.pixelColor(middle, y).lightness() for y in range(drawn.height())} == {0}
    notes.buttons["next"].click()
    assert not black.isVisible()
    assert opened.part(Lessons).player.station_index == 1
    notes.buttons["black"].click()
    opened.part(Lessons).leave()
    assert not black.isVisible()


def test_another_language_leaves_no_frame_around_what_was_pointed_at(opened: MainWindow) -> None:
    for language in ("ko", "en"):
        opened.appearance.choose_language(language)
        turn_events()
        assert len(opened.findChildren(Pointer)) == 1


def visible_words(window: QWidget) -> str:
    return "\n".join(label.text() for label in window.findChildren(QLabel) if not label.isHidden())


def test_notes_are_shown_on_demand_and_not_on_the_card(qtbot: QtBot, opened: MainWindow) -> None:
    card = card_of(opened)
    assert "Ask what they expect." not in visible_words(card)
    assert not any(each.isVisible() for each in opened.findChildren(TeacherWindow))
    opened.part(Teaching).show_notes()
    (notes,) = opened.findChildren(TeacherWindow)
    assert "Ask what they expect." in visible_words(notes)
    assert "5\nTwo are special." in visible_words(notes)
    assert "Next: second" in visible_words(notes)
    press(notes, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: opened.part(Lessons).player.is_ready)
    assert opened.part(Lessons).player.station_index == 1
    assert "This station has no notes." in visible_words(notes)
    notes.stations.setCurrentRow(2)
    assert opened.part(Lessons).player.station_index == 2
    assert "Last station" in visible_words(notes)
    assert [notes.stations.item(row).text().split()[-1] for row in range(3)] == ["first", "second", "third"]
    notes.activateWindow()
    qtbot.waitUntil(notes.isActiveWindow)
    for is_on in (True, False):
        press(notes, Qt.Key.Key_F5)  # as a remote sends it
        assert opened.presentation.is_on == is_on
    menu = card.stations_button.menu()
    titles = [action.text() for action in menu.actions() if action.isCheckable()]
    assert titles == ["1   first", "2   second", "3   third"]
    menu.actions()[0].trigger()
    assert opened.part(Lessons).player.station_index == 0
    assert card.stations_button.text() == "1 of 3"
    notes.close()
    card.stations_button.notes.trigger()
    assert notes.isVisible()
    opened.part(Lessons).leave()
    assert not notes.isVisible()


VOTE = {
    "kind": "vote",
    "options": [words("cat"), words("fish"), words("mat")],
    "right": 1,
    "ask": words("Which one?"),
    "hint": words("Look at the arcs."),
    "why": words("It was hungry."),
}


@pytest.fixture
def vote(qtbot: QtBot, window: MainWindow) -> VoteForm:
    """The form of a question that the class votes on, in a presentation."""
    show(qtbot, window, station("vote", scene={"text": words("the cat sat")}, task=VOTE), station("second"))
    window.presentation.toggle()
    card = card_of(window)
    (form,) = card.findChildren(VoteForm)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return form


def test_the_hands_of_a_vote_are_counted_by_keys_and_shown_as_bars(
    qtbot: QtBot, window: MainWindow, vote: VoteForm
) -> None:
    lessons = window.part(Lessons)
    assert vote.hasFocus(), "so that a digit is a hand, not a letter in a field"
    for key in (Qt.Key.Key_2, Qt.Key.Key_2, Qt.Key.Key_2, Qt.Key.Key_1, Qt.Key.Key_9):
        press(vote, key)
    assert [bar.value() for bar in vote.bars] == [1, 3, 0]
    assert {bar.maximum() for bar in vote.bars} == {3}, "the longest is that of the most hands"
    press(vote, Qt.Key.Key_Backspace)
    assert lessons.player.hands == (0, 3, 0)
    press(vote, Qt.Key.Key_Backspace)
    assert lessons.player.hands == (0, 3, 0), "no less than none"
    vote.counts[2].setValue(12)
    assert lessons.player.hands == (0, 3, 12)
    lessons.player.go(1)
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    press(window, Qt.Key.Key_1)
    lessons.player.go(0)
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    (again,) = [form for form in card_of(window).findChildren(VoteForm) if form.isVisible()]
    assert [count.value() for count in again.counts] == [0, 3, 12], "as they were when the class comes back"


def test_only_the_teacher_reveals_the_answer_of_a_vote(
    qtbot: QtBot, window: MainWindow, vote: VoteForm
) -> None:
    card, player = window.part(Lessons).card, window.part(Lessons).player
    assert card is not None
    assert card.task.answer_button.isHidden()
    assert "hungry" not in visible_words(card)
    press(vote, Qt.Key.Key_2)
    assert not player.is_solved, "a hand for the right one is no answer"
    window.part(Teaching).show_notes()
    (notes,) = window.findChildren(TeacherWindow)
    notes.activateWindow()
    qtbot.waitUntil(notes.isActiveWindow)
    press(notes, Qt.Key.Key_2)
    assert "2. fish: 2" in visible_words(notes), "hands are counted from there, too"
    QTest.keyClick(notes, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert player.is_solved
    assert "The answer: fish." in visible_words(card)
    assert "It was hungry." in visible_words(card)
    assert not vote.button.isEnabled()
    colours = [
        bar.grab().toImage().pixelColor(bar.width() // 2, bar.height() // 2).name() for bar in vote.bars
    ]
    assert colours[1] == window.look.colour("right").name()
    assert colours[1] not in (colours[0], colours[2])


def test_a_hand_out_is_of_the_pinned_pair_wherever_the_pointer_is(
    qtbot: QtBot, opened: MainWindow, app_state: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app_state.panels.show(1, 2)
    app_state.selection.pin(query=2)
    qtbot.waitUntil(lambda: app_state.shown_runs.inspected.pair is not None)
    pair = app_state.shown_runs.inspected.pair
    assert pair is not None
    app_state.selection.hover(query=1, key=3)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "page"), ""))
    with qtbot.waitSignal(opened.files.saved):
        opened.part(Handouts).ask()
    text = " ".join(" ".join(page.extract_text().split()) for page in PdfReader(tmp_path / "page.pdf").pages)
    assert "layer 1 · head 2" in text
    assert "followed token “cat”, position 2" in text
    assert f"{pair.numbers.weight:.4f}" in text


def pages_of(path: Path) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in PdfReader(path).pages]


def test_a_lesson_is_printed_with_its_pictures_and_the_answers_at_the_end(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = {"en": "“{query}” has {weight}.", "ko": "“{query}” {weight}."}
    pinned = {"query": "cat", "key": "sat", "layer": 0, "head": 1}
    stations = [
        station("arcs", scene={"text": words("the cat sat"), "picture": "arcs", **pinned}, text=text),
        station("panels", scene={"views": ["matrix"]}, task=COUNT),
        station("vote", scene={"picture": "chips"}, task=VOTE),
    ]
    lessons = show(qtbot, window, *stations)
    lesson = lessons.player.lesson
    assert lesson is not None
    seen = [lessons.player.progress.is_seen(lesson, each.key) for each in lesson.stations]
    window.appearance.choose_theme("dark")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "lesson"), ""))
    with qtbot.waitSignal(window.files.saved):
        window.part(LessonPrinter).ask()
    *pages, answers = pages_of(tmp_path / "lesson.pdf")
    printed = " ".join(pages)
    assert re.search(r"“cat” has 0\.\d+\.", printed), "the number of the run on screen"
    assert printed.count("[CLS]") >= 3, "each picture has the words"
    assert "How many? Answer: ____" in printed
    assert "1. cat 2. fish 3. mat" in printed
    assert "Two are special." not in printed
    assert answers.startswith("Answers: My lesson 2. panels 5 Two are special. 3. vote fish It was hungry.")
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    assert lessons.player.station_index == 0, "the station of before is shown again"
    assert [lessons.player.progress.is_seen(lesson, each.key) for each in lesson.stations] == seen


def test_a_station_about_the_overview_is_printed_with_that_and_without_switches(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = {"text": words("the cat sat"), "views": ["matrix"]}
    show(qtbot, window, station("all", scene=scene, points_at="overview"), station("one", points_at="panel"))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "lesson.pdf"), ""))
    with qtbot.waitSignal(window.files.saved):
        window.part(LessonPrinter).ask()
    first, second = pages_of(tmp_path / "lesson.pdf")
    assert "[CLS]" not in first, "no token of the panel"
    assert "each head's largest" in first
    assert "[CLS]" in second
    assert "Options" not in second
    assert "Parameters" not in second, "one of the views to switch to"


def test_printing_can_be_cancelled_and_needs_a_lesson(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "lesson.pdf"), ""))
    lessons = opened.part(Lessons)
    lessons.player.go(1)
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    opened.part(LessonPrinter).ask()
    (dialog,) = opened.findChildren(QProgressDialog)
    dialog.findChildren(QPushButton)[0].click()
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    assert lessons.player.station_index == 1
    lessons.leave()
    opened.part(LessonPrinter).ask()
    assert "Open the lesson that is to be printed first." in visible_words(opened.frame.status)
    assert not (tmp_path / "lesson.pdf").exists()


# lessons of one's own


@pytest.fixture
def folder(store: SettingsStore, tmp_path: Path) -> Path:
    folder = tmp_path / "lessons"
    folder.mkdir()
    store.change(lessons_folder=str(folder))
    return folder


def write(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps(CONTENT | changes, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def test_own_lessons_are_in_the_list_with_what_is_wrong(
    qtbot: QtBot, folder: Path, window: MainWindow
) -> None:
    write(folder / "good.json")
    write(folder / "bad.json", minutes=0, key="bad")
    window.part(Lessons).open_list()
    listed = window.part(LessonCatalogue).page
    assert "My lesson" in visible_words(listed)
    assert "bad.json, line 11: minutes: “minutes” must be from 1 to 60" in visible_words(listed)
    with qtbot.waitSignal(window.part(Lessons).catalogue.own.changed):
        write(folder / "bad.json", key="bad", title=words("Mended"))
    assert "Mended" in visible_words(listed)
    listed.buttons[-1].click()
    lesson = window.part(Lessons).player.lesson
    assert lesson is not None
    assert lesson.key == "own"


def test_own_lessons_have_numbers_and_what_is_not_read_is_said(
    folder: Path, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_lessons, "MOST", 3)
    write(folder / "a.json")
    write(folder / "b.json", key="bad", minutes=0)
    for name in "cde":
        write(folder / f"{name}.json", key=name)
    window.part(Lessons).open_list()
    listed = window.part(LessonCatalogue).page
    numbers = [each.text() for each in listed.findChildren(QLabel) if each.objectName() == "number"]
    assert numbers[-3:] == ["13", "1", "2"]
    assert "more files than the 3 that are read: the last 2 by name" in visible_words(listed)
    (folder / "d.json").unlink()
    (folder / "e.json").unlink()
    window.part(Lessons).catalogue.refresh()
    assert "more files" not in visible_words(listed)


def test_errors_of_lesson_files_are_shown_in_korean(folder: Path, window: MainWindow) -> None:
    write(folder / "bad.json", stations=[station("a", points_at="moon")])
    (folder / "worse.json").write_text("{\n 5", encoding="utf-8")
    window.appearance.choose_language("ko")
    try:
        window.part(Lessons).open_list()
        texts = visible_words(window.part(LessonCatalogue).page)
    finally:
        window.appearance.choose_language("en")
    assert "bad.json" in texts
    assert "“points_at” 값이 “moon”인데, 다음 중 하나여야 합니다" in texts
    assert "큰따옴표로 묶은 이름이 있어야 할 자리입니다" in texts


def test_an_open_lesson_follows_its_file(
    qtbot: QtBot, folder: Path, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder / "good.json")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    window.part(Lessons).catalogue.ask_for_file()
    player, catalogue = window.part(Lessons).player, window.part(Lessons).catalogue
    qtbot.waitUntil(lambda: player.is_ready)
    player.go(1)
    stations = [station("new"), *CONTENT["stations"]]
    stations[0]["scene"] = {"text": words("a dog")}
    with qtbot.waitSignal(catalogue.own.changed):
        write(path, stations=stations)
    assert player.station is not None
    assert (player.station.key, player.station_index) == ("second", 2)
    with qtbot.waitSignal(catalogue.own.changed):
        path.write_text("{", encoding="utf-8")
    card = card_of(window)
    assert "good.json, line 1: this is not JSON" in visible_words(card)
    assert player.station.key == "second"
    with qtbot.waitSignal(catalogue.own.changed):
        write(path)
    assert "not JSON" not in visible_words(card)


def test_the_start_page_offers_own_lessons_of_the_folder_that_the_preferences_choose(
    folder: Path, window: MainWindow, store: SettingsStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    welcome = window.frame.welcome
    window.part(Lessons).catalogue.refresh()
    assert not any(button.isVisible() for button in welcome.own)
    write(folder / "good.json")
    window.part(Lessons).catalogue.refresh()
    assert [button.isVisible() for button in welcome.own] == [True, False, False]
    assert "Own lesson: My lesson" in welcome.own[0].accessibleName()
    welcome.own[0].click()
    assert window.part(Lessons).is_open
    window.part(Lessons).leave()
    store.change(lessons_folder="")
    window.dialogs.open_preferences()
    row = window.findChildren(LessonsFolderRow)[-1]
    assert not row.usual.isEnabled()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    row.choose.click()
    assert store.settings.lessons_folder == str(folder)
    row.window().close()
    assert [own.path.name for own in window.part(Lessons).catalogue.own.lessons] == ["good.json"]
