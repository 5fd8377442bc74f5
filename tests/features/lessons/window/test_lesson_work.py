"""The user's own work beside a lesson, wrong answers, and the examples of the start page."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.course.reading import parse_lesson, shipped_examples, shipped_lessons
from bertviz_app.features.lessons.views.card import ChoiceForm, WholeField
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.training.label_trainings import TrainedLabels
from bertviz_app.inference.fetching import NOT_KNOWN
from bertviz_app.shell import session as autosave, session as window_session
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.run import saved_result
from bertviz_app.viewmodels.session.archive import load_without_arrays
from bertviz_app.viewmodels.state import OtherRun, Pair, Room
from bertviz_app.views.vectors.plots import BarsPlot
from tests.support.factories import make_trace
from tests.support.fakes import FakeEngine
from tests.support.lesson_scene import LESSON, card_of, form, station, words
from tests.support.training_scene import FakeLaunch
from tests.support.window_fixtures import Settle


def _verdict(window: MainWindow) -> str:
    labels = card_of(window).task.findChildren(QLabel)
    (words,) = [each.text() for each in labels if each.objectName() == "verdict" and not each.isHidden()]
    return words


def test_the_picture_of_a_station_is_what_is_saved_under_its_title(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    lessons, (lesson, *_) = window.part(Lessons), shipped_lessons()
    app_state.workspace.set_texts("my own words here", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.shown is not None)
    lessons.open_lesson(lesson)
    qtbot.waitUntil(lambda: window.main_area.middle.picture is not None)
    subject = window.export.subject(None)
    assert subject is not None
    assert subject.widget is window.main_area.middle.picture
    assert subject.sheet.title == lesson.stations[0].title.en
    lessons.leave()


def test_a_wrong_answer_is_explained(
    qtbot: QtBot, window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    player = window.part(Lessons).player
    go("token")
    shown = app_state.workspace.shown
    assert shown is not None
    row = shown.result.trace.attention(0, 1)[2]
    third = int(np.argsort(-row)[2])
    app_state.selection.pin(query=third)
    assert f"“{shown.result.trace.tokens.labels[third]}” has {row[third]:.4f}".rstrip("0") in _verdict(window)
    assert f"rank 3 of {len(row)}" in _verdict(window)
    go("head")
    shown = app_state.workspace.shown
    assert shown is not None
    entropy = shown.overview.measures["entropy"]
    for rank in (2, 4):
        at = int(np.argsort(-entropy, axis=None)[rank - 1])
        layer, head = divmod(at, entropy.shape[1])
        app_state.panels.show(layer, head)
        assert f"“{layer} · {head}” has {entropy[layer, head]:.4f}".rstrip("0") in _verdict(window)
        assert f"rank {rank} of {entropy.size}" in _verdict(window)
    go("order")
    player.answer((0.0, 1.0, 3.0, 2.0))
    assert "2 of 4 are where they belong" in _verdict(window)
    go("numbers")
    player.answer((0.0, 0.0))
    assert "Not yet. Try again" in _verdict(window), "not by the order before it"
    go("choice")
    form(window, ChoiceForm)
    player.answer(0)
    assert "The hint" in _verdict(window)
    reasons = [words("not a"), None, words("not c")]
    options = {"options": [words(name) for name in "abc"], "right": 1, "reasons": reasons}
    _opened(qtbot, window, station("choice", {"views": ["matrix"]}, {"kind": "choice"} | options))
    for button, reason in ((2, "not c"), (0, "not a")):
        form(window, ChoiceForm).buttons[button].click()
        assert _verdict(window) == f"Not yet. {reason}"
    scene = {"text": words("the cat sat"), "views": ["matrix"]}
    _opened(qtbot, window, station("one", scene, {"kind": "numbers", "answers": [{"of": "n_tokens"}]}))
    for typed, said in (
        (1.0, "the right number is larger"),
        (7777.0, "the right number is smaller"),
        (-5.0, "only the sign is wrong"),
    ):
        player.answer((typed,))
        assert said in _verdict(window)
    card_of(window).task.answer_button.click()
    assert "The answer: 5.\n" in _verdict(window)


def _opened(qtbot: QtBot, window: MainWindow, one: dict[str, Any]) -> None:
    window.part(Lessons).open_lesson(parse_lesson(json.dumps(LESSON | {"stations": [one]}), "a.json"))
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)


def test_numbers_of_a_training_that_is_not_done_are_not_missed_in_the_sentence(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    go("token")
    answers = [{"of": "held_out_accuracy", "labels": "real"}]
    one = station("numbers", {"views": ["matrix"]}, {"kind": "numbers", "answers": answers})
    _opened(qtbot, window, one | {"training": {"n_rows": 16, "epochs": 1, "seed": 0}})
    window.part(Lessons).player.answer((0.5,))
    assert _verdict(window) == "Nothing is trained yet, so there are no numbers. Press “Train both” first."
    card_of(window).task.answer_button.click()
    assert "Nothing is trained yet" in _verdict(window)
    trainings = window.part(Lessons).player.trainings
    assert isinstance(trainings, TrainedLabels)
    trainings.launch = FakeLaunch()
    card_of(window).task.training.button.click()
    window.part(Lessons).player.answer((0.5,))
    assert "wait for the two bars" in _verdict(window)


def test_the_answer_is_not_shown_where_the_own_sentence_has_none(
    window: MainWindow, app_state: AppState, settle: Settle, go: Callable[[str], None]
) -> None:
    go("numbers")
    app_state.workspace.set_texts("something else", None, at_once=True)
    settle()
    card_of(window).task.answer_button.click()
    assert "Your sentence has no answer to this" in _verdict(window)


@pytest.mark.parametrize(("wanted", "is_met"), [("bad", False), ("good", True)])
def test_a_class_is_judged_by_what_the_model_predicts_of_the_text(
    qtbot: QtBot, window: MainWindow, app_state: AppState, engine: FakeEngine, wanted: str, is_met: bool
) -> None:
    engine.task_heads = ("classes",)
    section = window.main_area.inspector_page.predictions
    section.open(False)
    task = {"kind": "do", "done": {"of": "predicted class", "text": wanted}}
    scene = {"text": words("the cat sat"), "views": ["matrix"], "cards": ["inspector"]}
    _opened(qtbot, window, station("class", scene, task) | {"points_at": "predictions"})
    assert section.is_open
    predictions = app_state.shown_runs.predictions

    def is_predicted() -> bool:
        shown, prediction = app_state.workspace.shown, predictions.of("A")
        if shown is None or prediction is None or prediction.found is None:
            return False
        return prediction.tokens is shown.result.trace.tokens

    qtbot.waitUntil(is_predicted)
    assert window.part(Lessons).player.is_solved == is_met
    window.part(Lessons).leave()
    assert not section.is_open, "as it was before the lesson"


def test_a_question_about_a_head_that_is_not_shown_offers_to_show_it(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("token")  # about layer 0, head 1
    task, panels = card_of(window).task, app_state.panels
    assert not task.head_button.isVisible()
    panels.walk(1, 0)
    assert task.head_button.isVisible()
    assert any("about layer 0, head 1" in label.text() for label in task.findChildren(QLabel))
    task.head_button.click()
    assert panels.active is not None
    assert (panels.active.layer, panels.active.head) == (0, 1)
    assert not task.head_button.isVisible()
    for key in ("head", "choice"):  # a question for a head or about none leaves it to the learner
        go(key)
        panels.walk(1, 0)
        assert not card_of(window).task.head_button.isVisible()


def test_shift_tab_goes_from_the_answer_to_what_it_is_read_from(qtbot: QtBot, window: MainWindow) -> None:
    task = {"kind": "numbers", "answers": [{"of": "n_tokens"}]}
    scene = {"text": words("the cat sat"), "views": ["matrix"], "cards": ["vector"]}
    _opened(qtbot, window, station("one", scene, task) | {"points_at": "vector"})
    (field,) = card_of(window).findChildren(WholeField)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert window.focusWidget() is window.main_area.cards.pooled.findChild(BarsPlot)


def test_leaving_brings_back_ones_own_work(
    qtbot: QtBot, window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    before = [panel.view_kind for panel in app_state.panels.panels]
    go("read")
    assert app_state.workspace.edits.muted == ((1, 2),)
    another = parse_lesson(json.dumps(LESSON | {"key": "another"}), "another.json")
    window.part(Lessons).open_lesson(another)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    card = card_of(window)
    assert card.isVisible()
    card.close_button.click()
    qtbot.waitUntil(
        lambda: app_state.workspace.is_current and app_state.workspace.text == "my own words here"
    )
    assert card.isHidden()
    assert not app_state.workspace.edits
    qtbot.waitUntil(lambda: app_state.selection.pinned.query == 2)
    assert [panel.view_kind for panel in app_state.panels.panels] == before
    assert not window.main_area.docks.docks["heads"].isHidden()


def test_a_saved_run_comes_back_with_its_numbers(
    qtbot: QtBot, window: MainWindow, app_state: AppState, lesson: Lesson
) -> None:
    trace = make_trace(6)
    workspace = app_state.workspace
    saved = saved_result(trace, NOT_KNOWN)
    workspace.show_saved(saved)
    qtbot.waitUntil(lambda: workspace.shown is not None and workspace.shown.result is saved)
    window.part(Lessons).open_lesson(lesson)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    assert workspace.shown is not None
    assert workspace.shown.result is not saved
    window.part(Lessons).leave()
    qtbot.waitUntil(lambda: workspace.shown is not None and workspace.shown.result is saved)
    assert workspace.saved is saved


def test_the_panels_of_run_b_in_another_room_are_there_after_a_lesson(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState, lesson: Lesson
) -> None:
    window, panels = window_with_text, app_state.panels
    app_state.comparison.set_other(OtherRun(text="other words here"))
    qtbot.waitUntil(lambda: [panel.run for panel in panels.panels] == ["A", "B", "A-B"])
    app_state.rooms.enter("learn")
    window.part(Lessons).open_lesson(lesson)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready and not app_state.comparison.is_on)
    window.part(Lessons).leave()
    qtbot.waitUntil(lambda: app_state.comparison.is_on and app_state.comparison.is_current)
    app_state.rooms.enter("research")
    assert [panel.run for panel in panels.panels] == ["A", "B", "A-B"]


def test_closing_the_window_in_a_lesson_saves_ones_own_work(
    window: MainWindow, go: Callable[[str], None]
) -> None:
    go("read")
    window.close()
    assert window.app_state.store.now.text == "my own words here"


@pytest.fixture
def saves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "EVERY_MS", 1)


@pytest.fixture
def notes_texts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Note texts in the list of recent ones as soon as they are shown."""
    monkeypatch.setattr(window_session, "SETTLES_MS", 1)


@pytest.mark.usefixtures("notes_texts_at_once")
def test_the_sentence_of_a_lesson_is_not_offered_as_ones_last_text(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Callable[[], None], lesson: Lesson
) -> None:
    recents, own = window.session.recents, ("my own words here", None)
    app_state.workspace.set_texts("my own words here", None, at_once=True)
    settle()
    qtbot.waitUntil(lambda: recents.texts == (own,))
    window.part(Lessons).open_lesson(lesson)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    qtbot.wait(50)
    assert recents.texts == (own,)


@pytest.mark.usefixtures("saves_at_once")
def test_a_crash_in_a_lesson_leaves_ones_own_work(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Callable[[], None], lesson: Lesson
) -> None:
    last = window.session.store.folder / autosave.NAME
    window.session.autosave.begin(restores=True)
    app_state.workspace.set_texts("my own words here", None, at_once=True)
    settle()
    window.part(Lessons).open_lesson(lesson)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    assert app_state.workspace.text == "the cat sat"
    qtbot.wait(50)
    assert load_without_arrays(last).state.text == "my own words here"
    window.part(Lessons).leave()
    settle()
    app_state.workspace.set_texts("my other words", None, at_once=True)
    window.session.autosave.end()
    assert load_without_arrays(last).state.text == "my other words"


def test_escape_leaves_a_station_with_a_pinned_pair_at_once_and_unpins_ones_own_first(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("numbers")
    assert app_state.selection.pinned == Pair(2, 3)
    app_state.selection.pin(query=1)
    window.leave()
    assert window.part(Lessons).is_open
    assert not app_state.selection.pinned
    go("numbers")
    window.leave()
    assert not window.part(Lessons).is_open


def _open_example(window: MainWindow, key: str) -> None:
    index = [each.key for each in shipped_examples()].index(key)
    window.frame.welcome.example_chosen.emit(index)


@pytest.mark.parametrize(("example", "picture"), [("follows", "answer"), ("gap", "mask")])
def test_an_example_of_what_the_model_answers_opens_on_the_answer(
    qtbot: QtBot, window: MainWindow, example: str, picture: str
) -> None:
    _open_example(window, example)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    assert window.part(Lessons).player.scene.picture == picture


def test_the_whole_way_opens_beside_the_map(qtbot: QtBot, window: MainWindow, app_state: AppState) -> None:
    app_state.rooms.enter("learn")
    _open_example(window, "whole_way")
    qtbot.waitUntil(lambda: app_state.workspace.shown is not None)
    qtbot.waitUntil(lambda: [panel.kind.key for panel in app_state.panels.panels] == ["steps"])
    assert window.main_area.flow.isVisible()


def test_an_example_opens_on_the_head_that_puts_most_weight_on_its_pair(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    _open_example(window, "pronoun")
    workspace = app_state.workspace
    qtbot.waitUntil(lambda: app_state.selection.pinned.key is not None)
    assert workspace.shown is not None
    trace = workspace.shown.result.trace
    pinned, panel = app_state.selection.pinned, app_state.panels.active
    assert (trace.tokens.labels[pinned.query or 0], trace.tokens.labels[pinned.key or 0]) == ("it", "cat")
    weights = trace.attention()[:, :, pinned.query, pinned.key]
    assert panel is not None
    assert weights[panel.layer, panel.head] == weights.max()
    in_heads = window.main_area.cards.overview.view.shown_pair
    assert in_heads is not None  # one click on the start page, and every head has its number
    assert in_heads.title == "it → cat"
    best = window.main_area.inspector_page.pair_heads.heads[0]
    assert (best.layer, best.head) == (panel.layer, panel.head)


@pytest.mark.parametrize(("room", "views"), [("learn", ["words"]), ("research", ["words", "matrix"])])
def test_an_example_opens_one_picture_but_in_research(
    qtbot: QtBot, window: MainWindow, app_state: AppState, room: Room, views: list[str]
) -> None:
    """From Learn, where the first start begins, it goes to Explore."""
    app_state.rooms.enter(room)
    _open_example(window, "pronoun")
    qtbot.waitUntil(lambda: app_state.selection.pinned.key is not None)
    assert app_state.rooms.room == ("explore" if room == "learn" else room)
    assert [panel.kind.key for panel in app_state.panels.panels] == views


def test_an_example_does_not_pin_the_tokens_of_a_lesson(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    _open_example(window, "pronoun")
    qtbot.waitUntil(lambda: app_state.selection.pinned.key is not None)
    app_state.workspace.set_texts("a dog", None, at_once=True)
    settle()
    lesson = parse_lesson(
        json.dumps(LESSON | {"stations": [station("a", {"text": words("a dog")})]}), "a.json"
    )
    window.part(Lessons).open_lesson(lesson)
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    app_state.workspace.set_texts("the cat ate it", None, at_once=True)
    settle()
    assert app_state.selection.pinned == Pair()
