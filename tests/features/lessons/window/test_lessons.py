"""A lesson in the window: stations set it, answers are judged on its numbers, one's own work comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.features.lessons.course.lesson import TARGETS, Lesson
from bertviz_app.features.lessons.course.reading import parse_lesson, shipped_lessons
from bertviz_app.features.lessons.state.player import LessonProgress
from bertviz_app.features.lessons.views.card import ChoiceForm, NumbersForm, OrderForm
from bertviz_app.features.lessons.views.course import LessonFrame
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.lessons.window.targets import Pointer
from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.features.steps.walk import HOLD_MS, MOTION_MS
from bertviz_app.features.training.label_trainings import TrainedLabels
from bertviz_app.learning.label_training import LabelTraining
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text.edits import Edits
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.state import Pair, change_overview
from bertviz_app.views.dialogs.help import EntryPopup, GlossaryDialog
from bertviz_app.views.dialogs.palette import CommandPalette
from tests.support.fakes import FakeEngine
from tests.support.lesson_scene import LESSON, STATIONS, card_of, form, station, verdicts, words
from tests.support.training_scene import FakeLaunch
from tests.support.window_fixtures import Settle


def test_a_click_on_a_token_is_checked_against_the_weights(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("token")
    assert app_state.workspace.text == "the cat sat"
    (panel,) = app_state.panels.panels
    assert (panel.layer, panel.head, panel.view_kind) == (0, 1, "lines")
    shown = app_state.workspace.shown
    assert shown is not None
    row = shown.result.trace.attention(0, 1)[2]
    right, wrong = int(row.argmax()), int(row.argmin())
    assert verdicts(window, lambda: app_state.selection.pin(query=wrong)) == [False]
    assert not window.part(Lessons).player.is_solved
    assert verdicts(window, lambda: app_state.selection.pin(query=right)) == [True]
    assert window.part(Lessons).player.is_solved
    assert verdicts(window, lambda: app_state.selection.pin(query=wrong)) == []  # it is solved


def test_typed_numbers_are_checked(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("numbers")
    fields = form(window, NumbersForm).findChildren(QLineEdit)
    shown = app_state.workspace.shown
    assert shown is not None
    weight = float(shown.result.trace.attention(0, 1)[2, 1])
    for texts, expected in (
        (("five", "0"), []),
        (("5", f"{weight + 0.1:.3f}"), [False]),
        (("5", f"{weight:.2f}".replace(".", ",")), [True]),
    ):
        for field, text in zip(fields, texts, strict=True):
            field.setText(text)
        assert verdicts(window, lambda: QTest.keyClick(fields[0], "\r")) == expected  # type: ignore[call-overload]
        if expected:  # of two numbers the second one is wrong, or none
            assert [field.property("wrong") for field in fields] == [False, expected == [False]]
    pinned = app_state.selection.pinned
    assert (pinned.query, pinned.key) == (2, 3)
    (panel,) = app_state.panels.panels
    assert (panel.view_kind, panel.steps.stage) == ("steps", "softmax")


def test_items_are_put_in_order_and_checked_by_keys(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    go("order")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    items = form(window, OrderForm).list
    items.setFocus()
    assert verdicts(window, lambda: QTest.keyClick(items, Qt.Key.Key_Return)) == [False]
    for row in (1, 3):
        items.setCurrentRow(row)
        QTest.keyClick(items, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert verdicts(window, lambda: QTest.keyClick(items, Qt.Key.Key_Return)) == [True]


def test_the_run_before_does_not_count_for_the_text_that_is_typed(
    qtbot: QtBot, window: MainWindow, app_state: AppState, engine: FakeEngine, go: Callable[[str], None]
) -> None:
    engine.seconds = 1.0  # after such a pass the next key is waited for
    go("do")
    found: list[bool] = []
    workspace = app_state.workspace

    def note(is_right: bool) -> None:
        found.append(workspace.is_current)

    window.part(Lessons).player.answered.connect(note)
    workspace.set_texts("a dog", None)  # encoded once the typing pauses
    app_state.viewport.zoom_middle(0.7)
    app_state.panels.draw_as(app_state.panels.panels[0].number, "matrix")
    assert found == []
    qtbot.waitUntil(lambda: bool(found))
    window.part(Lessons).player.answered.disconnect(note)
    assert found == [True]


def test_a_scene_is_never_encoded_with_the_edits_of_another(
    window: MainWindow, app_state: AppState, engine: FakeEngine, go: Callable[[str], None]
) -> None:
    """A checkpoint may lack the head that is muted: that run would fail, and the scene wait for ever."""
    go("read")
    assert app_state.workspace.edits.muted == ((1, 2),)
    n_before = len(engine.requests)
    go("token")
    assert {request.edits for request in engine.requests[n_before:]} == {Edits()}


def test_a_text_that_is_typed_before_the_station_is_ready_stays_as_it_is(
    qtbot: QtBot, window: MainWindow, app_state: AppState, lesson: Lesson, go: Callable[[str], None]
) -> None:
    window.part(Lessons).leave()
    window.part(Lessons).open_lesson(lesson)
    app_state.workspace.set_texts("a dog ran off", None, at_once=True)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    assert app_state.workspace.text == "a dog ran off", "also before the first scene is there"
    go("order")
    window.part(Lessons).player.go(5)  # hides “cat”
    app_state.workspace.set_texts("one more cat", None, at_once=True)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    assert app_state.workspace.text == "one more cat"
    assert not app_state.workspace.edits


def test_everything_that_a_station_can_point_at_is_in_the_window(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    cards = ["overview", "heads", "inspector", "vector"]
    scene = {"text": words("the cat sat"), "pair": words("on a mat"), "cards": cards}
    stations = [station(name, scene) | {"points_at": name} for name in TARGETS]
    lesson = parse_lesson(json.dumps(LESSON | {"stations": stations}), "a.json")
    window.part(Lessons).open_lesson(lesson)
    targets = []
    for index, name in enumerate(TARGETS):
        window.part(Lessons).player.go(index)
        qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
        (pointer,) = window.findChildren(Pointer)
        assert pointer.target is not None, name
        assert pointer.isVisible() == (name != "compare"), name  # it is open while runs are compared
        targets.append(pointer.target)
    assert len(set(targets)) == len(TARGETS)


def test_a_station_ends_a_comparison(
    qtbot: QtBot, window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("choice")
    window.frame.toggle_comparison()
    qtbot.waitUntil(lambda: app_state.comparison.is_on)
    go("order")
    assert not app_state.comparison.is_on


def test_play_ends_with_the_stop_that_the_station_is_about(
    window: MainWindow, app_state: AppState, go: Callable[[str], None], qtbot: QtBot
) -> None:
    go("numbers")
    (view,) = (card.view for card in window.main_area.area.cards.values() if isinstance(card.view, StepsView))
    stop, playing = view.walk.stop, view.walk.playing
    assert stop.stage == "softmax"
    qtbot.waitUntil(lambda: playing.is_ready)
    playing.turn()
    assert playing.is_playing
    playing.advance(MOTION_MS)
    playing.advance(HOLD_MS)
    assert not playing.is_playing
    assert view.walk.stop == stop
    window.part(Lessons).leave()
    assert not app_state.rooms.is_lesson


def test_what_trains_ends_when_the_lesson_is_left_and_goes_on_at_another_station(
    window: MainWindow, go: Callable[[str], None]
) -> None:
    go("choice")
    trainings = window.part(Lessons).player.trainings
    assert isinstance(trainings, TrainedLabels)
    launch = trainings.launch = FakeLaunch()
    trainings.start(LabelTraining(n_rows=16, epochs=1))
    go("order")
    assert trainings.is_running
    window.part(Lessons).leave()
    assert not trainings.is_running
    assert all(process.is_closed for process in launch.processes)


def test_progress_is_kept_shown_on_the_card_and_damaged_counts_as_none(
    window: MainWindow, lesson: Lesson, store: SettingsStore, go: Callable[[str], None]
) -> None:
    go("choice")
    form(window, ChoiceForm).buttons[1].click()
    path = store.folder / "lessons.json"
    again = LessonProgress(path)
    assert again.n_done(lesson) == 1
    assert again.is_done(lesson, "choice")
    assert again.last_station(lesson) == 3
    player = window.part(Lessons).player
    for key, is_done in (("order", False), ("read", True)):  # one that asks nothing is done by going on
        go(key)
        player.next()
        assert player.progress.is_done(lesson, key) is is_done
    window.part(Lessons).open_lesson(lesson)
    go("order")
    stations = card_of(window).stations_button.menu().actions()[: len(STATIONS)]
    assert [index for index, each in enumerate(stations) if each.isChecked()] == [3, 6]
    path.write_text('{"version": 1, "done": 3, "left": {"lesson": 5}}')
    damaged = LessonProgress(path)
    assert (damaged.n_done(lesson), damaged.last_station(lesson)) == (0, 0)


def test_the_list_opens_a_lesson_by_its_button_or_title_and_gives_the_keys_to_the_first_not_done(
    window: MainWindow,
) -> None:
    lessons, first = window.part(Lessons), shipped_lessons()[0]

    lessons.open_list()
    shown = lessons.catalogue.page
    assert shown.buttons[0].text() == "Begin"
    shown.buttons[0].click()
    assert lessons.is_open
    lessons.leave()
    for each in first.stations:
        lessons.player.progress.note_done(first, each.key)
    lessons.open_list()
    assert window.focusWidget() is shown.buttons[1]
    assert shown.buttons[0].text() == "Again"
    named = shipped_lessons()[1].title.en
    (title,) = [label for label in shown.findChildren(QLabel) if label.text() == named]
    QTest.mouseClick(title, Qt.MouseButton.RightButton)
    assert not lessons.is_open
    QTest.mouseClick(title, Qt.MouseButton.LeftButton)
    assert lessons.player.lesson == shipped_lessons()[1]
    lessons.leave()


def test_escape_leaves_the_page_of_lessons_for_what_was_shown_before(
    window: MainWindow, go: Callable[[str], None]
) -> None:
    window.show()
    go("choice")
    lessons = window.part(Lessons)
    QTest.keyClick(
        window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert lessons.catalogue.is_shown
    assert not card_of(window).isVisible(), "the page has the whole width"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not lessons.catalogue.is_shown
    assert card_of(window).isVisible()
    assert lessons.is_open


@pytest.mark.parametrize("language", ["en", "ko"])
def test_all_lessons_are_seen_at_once_in_a_small_window(
    qtbot: QtBot, window: MainWindow, language: str
) -> None:
    window.resize(1280, 800)
    window.show()
    window.part(Lessons).open_list()
    window.appearance.choose_language(language)
    try:
        page = window.part(Lessons).catalogue.page
        (area,) = page.findChildren(QScrollArea)
        bars = area.verticalScrollBar(), area.horizontalScrollBar()
        qtbot.waitUntil(lambda: page.width() == 1280 and not any(bar.maximum() for bar in bars))
        assert window.part(Lessons).catalogue.is_shown, "another language shows the same"
        assert len(page.buttons) == len(shipped_lessons())
        frames = page.findChildren(LessonFrame)
        qtbot.waitUntil(lambda: all(frame.summary.isVisible() for frame in frames))
    finally:
        window.appearance.choose_language("en")


@pytest.mark.parametrize(
    ("typed", "place"), [("dropout", "8.4"), ("padding", "4.8"), ("패딩", "4.8"), ("pooler", "10.2")]
)
def test_the_palette_finds_the_station_about_a_word(window: MainWindow, typed: str, place: str) -> None:
    window.show()
    window.dialogs.open_palette()
    (palette,) = (each for each in window.findChildren(CommandPalette) if each.isVisible())
    (field,), (listed,) = palette.findChildren(QLineEdit), palette.findChildren(QListWidget)
    field.setText(typed)
    shown = [listed.item(row).text() for row in range(min(3, listed.count()))]
    assert any(f"(lesson {place})" in text for text in shown), shown
    palette.reject()


def found_in_palette(window: MainWindow, typed: str) -> tuple[CommandPalette, list[str]]:
    """Type into the palette; return it, and what it lists."""
    window.dialogs.open_palette()
    (palette,) = (each for each in window.findChildren(CommandPalette) if each.isVisible())
    (field,) = palette.findChildren(QLineEdit)
    field.setText(typed)
    return palette, palette.offered


def test_where_one_learns_a_station_comes_before_a_command_that_fits_as_well(
    window: MainWindow, app_state: AppState
) -> None:
    window.show()
    app_state.rooms.enter("learn")
    palette, listed = found_in_palette(window, "map of the tokens")
    assert "(lesson 9.3)" in listed[0]
    palette.reject()
    app_state.rooms.enter("research")
    palette, listed = found_in_palette(window, "map of the tokens")
    assert "(lesson 9.3)" not in listed[0]
    palette.reject()


def test_what_a_command_draws_behind_the_picture_of_a_lesson_is_shown_in_explore(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    window.show()
    lessons = window.part(Lessons)
    lessons.open_lesson(shipped_lessons()[3])
    lessons.player.go(1)  # the one behind it has the same text, so that it is there at once
    qtbot.waitUntil(lambda: lessons.player.is_ready)
    area = window.main_area.middle
    assert area.picture is not None
    commands = ("notes", "Next station of the lesson", "Vectors: map of the tokens")
    for number, typed in enumerate(commands):
        qtbot.waitUntil(lambda: lessons.player.is_ready)
        palette, listed = found_in_palette(window, typed)
        (field,) = palette.findChildren(QLineEdit)
        row = next(at for at, text in enumerate(listed) if typed.lower() in text.lower())
        for _ in range(row):
            QTest.keyClick(field, Qt.Key.Key_Down)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert lessons.is_open == (number < 2)
        if lessons.is_open:
            assert lessons.player.station_index == 1 + number
    assert area.picture is None
    assert app_state.rooms.room == "explore"
    assert app_state.panels.active is not None
    assert app_state.panels.active.view_kind == "vectors"


def test_a_title_in_the_other_language_comes_before_a_word_of_something_else(window: MainWindow) -> None:
    window.show()
    window.appearance.choose_language("ko")
    try:
        window.dialogs.open_palette()
        (palette,) = (each for each in window.findChildren(CommandPalette) if each.isVisible())
        (field,), (listed,) = palette.findChildren(QLineEdit), palette.findChildren(QListWidget)
        for typed, place in (("padding", "4.8"), ("패딩", "4.8"), ("dropout", "8.4"), ("드롭아웃", "8.4")):
            field.setText(typed)
            assert f"(수업 {place})" in listed.item(1).text(), "below the heading of the group"
        palette.reject()
    finally:
        window.appearance.choose_language("en")


def test_an_entry_of_the_glossary_leads_to_the_station_that_teaches_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.show()
    window.dialogs.open_glossary("pad")
    (glossary,) = window.findChildren(GlossaryDialog)
    (link,) = (each for each in glossary.findChildren(QPushButton) if each.isVisible())
    assert link.text() == "Lesson 4.8, Two texts at once: the padding mask"
    link.click()
    player = window.part(Lessons).player
    assert player.station is not None
    assert player.station.key == "padding"
    window.dialogs.open_glossary("bits")  # no station is about it
    assert not link.isVisible()
    glossary.close()


def test_a_lesson_opens_where_it_was_left_and_one_that_is_done_from_its_beginning(
    window: MainWindow, lesson: Lesson, go: Callable[[str], None]
) -> None:
    go("order")
    window.part(Lessons).leave()
    window.part(Lessons).open_lesson(lesson)
    assert window.part(Lessons).player.station_index == 4
    for each in lesson.stations:
        window.part(Lessons).player.progress.note_done(lesson, each.key)
    window.part(Lessons).leave()
    window.part(Lessons).open_lesson(lesson)
    assert window.part(Lessons).player.station_index == 0


def test_the_pinned_tokens_of_a_station_are_found_again_in_the_text_that_is_typed(
    app_state: AppState, go: Callable[[str], None], settle: Callable[[], None]
) -> None:
    go("numbers")
    for text, pinned in (
        ("the black cat sat", Pair(3, 4)),
        ("a", Pair()),
        ("a cat", Pair(2, None)),
        ("a cat that sat", Pair(2, 4)),
    ):
        app_state.workspace.set_texts(text, None, at_once=True)
        settle()
        assert app_state.selection.pinned == pinned, text
    app_state.selection.pin(query=1)
    app_state.workspace.set_texts("a cat sat", None, at_once=True)
    settle()
    assert app_state.selection.pinned == Pair(1), "what the learner pinned stays"
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    assert app_state.selection.pinned == Pair(2, 3), "its word is gone: the station's are pinned again"


def test_a_text_of_ones_own_is_followed_by_the_card(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    settle: Settle,
    go: Callable[[str], None],
) -> None:
    go("numbers")
    card = card_of(window)

    def texts() -> str:
        return " ".join(label.text() for label in card.findChildren(QLabel) if not label.isHidden())

    assert "There are 5 tokens." in texts()
    app_state.workspace.set_texts("something else", None, at_once=True)
    settle()
    assert "There are 4 tokens." in texts()
    window.part(Lessons).player.answer((4.0, 0.5))
    assert "Your sentence has no answer to this" in texts()
    card.again_button.click()
    qtbot.waitUntil(
        lambda: window.part(Lessons).player.is_ready and app_state.workspace.text == "the cat sat"
    )
    assert "There are 5 tokens." in texts()
    welcome = window.frame.welcome
    app_state.workspace.set_texts("", None, at_once=True)
    settle()
    assert "There are … tokens." in texts(), "without a text there are no tokens, not those of before"
    assert welcome.isVisible()
    assert not welcome.buttons[0].isVisible(), "a lesson is open: nothing else is offered"
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    assert "There are 5 tokens." in texts()
    before = card.width()
    window.appearance.set_text_size(2.0)
    for width, share in ((1280, 576), (960, 432)):
        window.resize(width, 800)
        qtbot.waitUntil(partial(lambda share: card.width() == share, share))
        assert before < card.width() < width / 2, "large words leave the larger share to the picture"
    window.appearance.set_text_size(1.0)
    window.resize(1280, 800)
    window.leave()
    app_state.workspace.set_texts("", None, at_once=True)
    settle()
    assert welcome.buttons[0].isVisible()


def test_a_checkpoint_is_missed_once_it_was_looked_for_named_and_opened_when_it_is_found(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    available, player = app_state.workspace.available, window.part(Lessons).player
    qtbot.waitUntil(lambda: available.is_searched)  # by the search of the start
    available.is_searched = False
    scene = {"text": words("the cat sat"), "model": "found-later"}
    lesson = parse_lesson(json.dumps(LESSON | {"stations": [station("one", scene)]}), "a.json")
    window.part(Lessons).open_lesson(lesson)
    settle()
    assert (player.is_ready, player.lacks) == (False, "")
    available.look_for_sources()
    qtbot.waitUntil(lambda: player.is_ready)
    assert player.lacks == "found-later"
    shown = [label.text() for label in card_of(window).findChildren(QLabel) if label.isVisible()]
    assert any("found-later, which is not on this computer" in text for text in shown)
    opened: list[str | None] = []
    monkeypatch.setattr(app_state.workspace, "open_model", opened.append)
    available.sources = (Source("found-later", Path("models/found-later"), "folder", 1),)
    available.sources_changed.emit()
    assert opened == [available.sources[0].ref]


@pytest.mark.parametrize(("overview", "is_pair"), [("attention", True), ("entropy", False)])
def test_a_pair_that_a_station_pins_is_shown_in_every_head_unless_it_shows_a_measure(
    qtbot: QtBot, window: MainWindow, app_state: AppState, overview: str, is_pair: bool
) -> None:
    scene = {"text": words("the cat sat"), "query": "sat", "key": "cat", "overview": overview}
    change_overview(app_state.store, shows_pair=not is_pair)
    window.part(Lessons).open_lesson(
        parse_lesson(json.dumps(LESSON | {"stations": [station("a", scene)]}), "a.json")
    )
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    view = window.main_area.cards.overview.view
    assert (view.shown_pair is not None) == is_pair
    assert app_state.store.now.overview.shows == overview


def test_f1_explains_what_is_under_the_pointer_else_opens_the_glossary(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    strip = window.main_area.strip
    at = strip.mapToGlobal(QPoint(10, strip.height() // 2))
    monkeypatch.setattr(QCursor, "pos", lambda: at)
    monkeypatch.setattr(QApplication, "widgetAt", lambda position: strip)
    window.term_help.explain()
    (popup,) = window.findChildren(EntryPopup)
    assert popup.accessibleName() in {"Token ID", "Segment ID"}
    popup.close()
    monkeypatch.setattr(QApplication, "widgetAt", lambda position: None)
    monkeypatch.setattr(QApplication, "focusWidget", lambda: None)
    window.term_help.explain()
    (dialog,) = window.findChildren(GlossaryDialog)
    assert dialog.isVisible()
    dialog.close()


def _of_any_sentence(*names: str) -> Lesson:
    """Return a lesson of which the stations with these keys are about any sentence, the last about “cat”."""
    stations = [station(name, {"text": words(f"the {name}")}) | {"own_text": True} for name in names]
    stations.append(station("cat", {"text": words("the cat sat"), "query": "cat"}) | {"own_text": True})
    return parse_lesson(json.dumps(LESSON | {"stations": stations}), "a.json")


def test_the_learners_own_sentence_stays_where_a_station_is_about_any(
    window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    workspace, player = app_state.workspace, window.part(Lessons).player
    workspace.set_texts("my own words", None, at_once=True)
    settle()
    window.part(Lessons).open_lesson(_of_any_sentence("dog", "fish"))
    settle()
    assert workspace.text == "my own words", "what was shown before the lesson"
    workspace.set_texts("others of mine", None, at_once=True)
    settle()
    player.next()
    settle()
    assert workspace.text == "others of mine", "what was typed in it"
    player.next()
    settle()
    assert workspace.text == "the cat sat"
    needs = "This station needs its own sentence. Yours comes back where it fits."
    assert needs in card_of(window).text.text()
    player.go(player.station_index - 1)
    settle()
    assert workspace.text == "others of mine"
    assert needs not in card_of(window).text.text()
    card_of(window).again_button.click()
    settle()
    assert workspace.text == "the fish", "reset to the sentence of the station"


def test_a_sentence_in_another_language_than_that_of_the_model_stays_behind(
    window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.workspace.set_texts("내 문장을 쓴다", None, at_once=True)
    settle()
    window.part(Lessons).open_lesson(_of_any_sentence("dog"))
    settle()
    assert app_state.workspace.text == "the dog"


def test_explore_goes_on_with_what_a_station_shows(
    window: MainWindow, app_state: AppState, settle: Settle, go: Callable[[str], None]
) -> None:
    go("token")
    card_of(window).explore_button.click()
    settle()
    assert not window.part(Lessons).is_open
    assert app_state.rooms.room == "explore"
    assert app_state.workspace.text == "the cat sat"
    (panel,) = app_state.panels.panels
    assert (panel.layer, panel.head, panel.view_kind) == (0, 1, "lines")


def test_the_focus_goes_to_what_the_task_is_done_with(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for name, kind in (
        ("token", "TokenStrip"),
        ("numbers", "WholeField"),
        ("choice", "ChoiceForm"),
        ("order", "_Items"),
    ):
        go(name)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert type(focus).__name__ == kind
    go("do")
    assert QApplication.focusWidget() is window.frame.bar.text
    assert not window.frame.bar.text.hasSelectedText(), "it is to be changed, not replaced"
    go("choice")
    card = card_of(window)
    choice = form(window, ChoiceForm)
    assert not any(button.hasFocus() for button in choice.buttons), "no option looks chosen"
    keys = [Qt.Key.Key_Down] * (1 + choice.shown.index(choice.buttons[1]))
    for key in (*keys, Qt.Key.Key_Return):
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, key)
    assert window.part(Lessons).player.is_solved
    assert QApplication.focusWidget() is card.next_button


def test_the_arrow_keys_look_round_and_enter_answers(
    qtbot: QtBot, window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    go("token")
    shown, strip = app_state.workspace.shown, window.frame.main_area.strip
    assert shown is not None
    assert QApplication.focusWidget() is strip
    right = int(shown.result.trace.attention(0, 1)[2].argmax())

    def walk() -> None:
        for _ in range(right + 1):
            QTest.keyClick(strip, Qt.Key.Key_Right)

    assert verdicts(window, walk) == []
    assert app_state.selection.pinned.query == right
    assert verdicts(window, lambda: QTest.keyClick(strip, Qt.Key.Key_Return)) == [True]
    assert QApplication.focusWidget() is card_of(window).next_button

    go("head")
    view = window.frame.main_area.cards.overview.view
    assert QApplication.focusWidget() is view
    assert verdicts(window, lambda: QTest.keyClick(view, Qt.Key.Key_Down)) == []
    n_panels = len(app_state.panels.panels)
    assert len(verdicts(window, lambda: QTest.keyClick(view, Qt.Key.Key_Return))) == 1
    assert len(app_state.panels.panels) == n_panels, "Enter answers, and opens no panel"
    go("choice")
    assert verdicts(window, lambda: QTest.keyClick(window, Qt.Key.Key_Return)) == []


def test_a_click_on_a_line_or_on_the_key_alone_answers_too(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("token")
    shown = app_state.workspace.shown
    assert shown is not None
    right = int(shown.result.trace.attention(0, 1)[2].argmax())
    other = (right + 1) % shown.result.trace.n_tokens
    assert verdicts(window, lambda: app_state.selection.pin(query=1, key=right)) == [], "not a line of “cat”"
    assert verdicts(window, lambda: app_state.selection.pin(key=other)) == [False]
    assert verdicts(window, lambda: app_state.selection.pin(query=2, key=right)) == [True]
    go("token")
    looked_at = verdicts(window, lambda: app_state.selection.pin(query=2))
    assert looked_at == ([True] if right == 2 else []), "a click on “cat” shows its lines"


def test_tab_goes_from_the_answer_to_the_hint_and_on(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    card = card_of(window)
    for name, n_before in (("token", 1), ("numbers", 3), ("choice", 3), ("order", 4)):
        go(name)
        for _ in range(n_before):
            focus = QApplication.focusWidget()
            assert focus is not None
            QTest.keyClick(focus, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is card.task.hint_button, name
    QTest.keyClick(card.task.hint_button, Qt.Key.Key_Return)
    assert any(label.text() == "The hint" and label.isVisible() for label in card.findChildren(QLabel))


def test_enter_presses_the_button_that_has_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button = window.frame.welcome.lessons
    button.setFocus()
    with qtbot.waitSignal(button.clicked):
        QTest.keyClick(button, Qt.Key.Key_Return)
