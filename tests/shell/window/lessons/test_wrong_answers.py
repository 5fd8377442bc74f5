"""A wrong answer in `lessons` is explained on the card by the numbers on screen, or by the hint."""

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

from bertviz_app.learning.lessons.reading import parse_lesson
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.lessons.station_form import ChoiceForm, WholeField
from bertviz_app.views.vectors.heat import BarsPlot
from tests.support.fakes import FakeEngine
from tests.support.lesson_scene import LESSON, card_of, form, station, words
from tests.support.training_scene import FakeLaunch
from tests.support.window_fixtures import Settle


def _verdict(window: MainWindow) -> str:
    labels = card_of(window).task.findChildren(QLabel)
    (words,) = [each.text() for each in labels if each.objectName() == "verdict" and not each.isHidden()]
    return words


def test_a_wrong_token_comes_with_its_weight_and_rank(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("token")
    shown = app_state.workspace.shown
    assert shown is not None
    row = shown.result.trace.attention(0, 1)[2]
    order = np.argsort(-row)
    app_state.selection.pin(query=int(order[2]))
    label = shown.result.trace.tokens.labels[order[2]]
    words = _verdict(window)
    assert f"“{label}” has {row[order[2]]:.4f}".rstrip("0") in words
    assert f"rank 3 of {len(row)}" in words


@pytest.mark.parametrize("rank", [2, 4])
def test_a_wrong_head_comes_with_its_number_and_rank(
    window: MainWindow, app_state: AppState, go: Callable[[str], None], rank: int
) -> None:
    go("head")
    shown = app_state.workspace.shown
    assert shown is not None
    entropy = shown.overview.measures["entropy"]
    at = int(np.argsort(-entropy, axis=None)[rank - 1])
    layer, head = divmod(at, entropy.shape[1])
    app_state.panels.show(layer, head)
    words = _verdict(window)
    assert f"“{layer} · {head}” has {entropy[layer, head]:.4f}".rstrip("0") in words
    assert f"rank {rank} of {entropy.size}" in words


def test_the_verdict_on_a_wrong_order_counts_the_items_that_are_where_they_belong(
    window: MainWindow, go: Callable[[str], None]
) -> None:
    go("order")
    window.lessons.player.answer((0.0, 1.0, 3.0, 2.0))
    assert "2 of 4 are where they belong" in _verdict(window)


def test_a_wrong_choice_is_explained_by_the_reason_of_that_option(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    go("token")
    options, reasons = [words(name) for name in "abc"], [words("not a"), None, words("not c")]
    task = {"kind": "choice", "options": options, "right": 1, "reasons": reasons}
    stations = [station("choice", {"views": ["matrix"]}, task)]
    window.lessons.open_lesson(parse_lesson(json.dumps(LESSON | {"stations": stations}), "a.json"))
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    buttons = form(window, ChoiceForm).buttons
    buttons[2].click()
    assert _verdict(window) == "Not yet. not c"
    buttons[0].click()
    assert _verdict(window) == "Not yet. not a"


def test_a_wrong_choice_brings_the_hint(window: MainWindow, go: Callable[[str], None]) -> None:
    go("token")
    go("choice")
    form(window, ChoiceForm)
    window.lessons.player.answer(0)
    assert "The hint" in _verdict(window)


def test_a_wrong_number_is_not_explained_by_the_order_before_it(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("order")
    window.lessons.player.answer((0.0, 1.0, 3.0, 2.0))
    go("numbers")
    window.lessons.player.answer((0.0, 0.0))
    assert "Not yet. Try again" in _verdict(window)


def _opened(qtbot: QtBot, window: MainWindow, one: dict[str, Any]) -> None:
    window.lessons.open_lesson(parse_lesson(json.dumps(LESSON | {"stations": [one]}), "a.json"))
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)


def test_numbers_of_a_training_that_is_not_done_are_not_missed_in_the_sentence(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    go("token")
    answers = [{"of": "held_out_accuracy", "labels": "real"}]
    one = station("numbers", {"views": ["matrix"]}, {"kind": "numbers", "answers": answers})
    _opened(qtbot, window, one | {"training": {"n_rows": 16, "epochs": 1, "seed": 0}})
    window.lessons.player.answer((0.5,))
    assert _verdict(window) == "Nothing is trained yet, so there are no numbers. Press “Train both” first."
    card_of(window).task.answer_button.click()
    assert "Nothing is trained yet" in _verdict(window)
    trainings = window.lessons.player.trainings
    trainings.launch = FakeLaunch()
    card_of(window).task.training.button.click()
    window.lessons.player.answer((0.5,))
    assert "wait for the two bars" in _verdict(window)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1", "the right number is larger"),
        ("7777", "the right number is smaller"),
        ("-5", "only the sign is wrong"),
    ],
)
def test_a_wrong_number_is_told_on_which_side_the_right_one_lies(
    qtbot: QtBot, window: MainWindow, typed: str, said: str
) -> None:
    scene = {"text": words("the cat sat"), "views": ["matrix"]}
    one = station("one", scene, {"kind": "numbers", "answers": [{"of": "n_tokens"}]})
    _opened(qtbot, window, one)
    window.lessons.player.answer((float(typed),))
    assert said in _verdict(window)
    card_of(window).task.answer_button.click()
    assert "The answer: 5.\n" in _verdict(window)


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
    assert window.lessons.player.is_solved == is_met
    window.lessons.leave()
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


def test_a_question_for_a_head_or_about_no_head_leaves_the_head_to_the_learner(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    for key in ("head", "choice"):
        go(key)
        app_state.panels.walk(1, 0)
        assert not card_of(window).task.head_button.isVisible()


def test_shift_tab_goes_from_the_answer_to_what_it_is_read_from(qtbot: QtBot, window: MainWindow) -> None:
    task = {"kind": "numbers", "answers": [{"of": "n_tokens"}]}
    scene = {"text": words("the cat sat"), "views": ["matrix"], "cards": ["vector"]}
    _opened(qtbot, window, station("one", scene, task) | {"points_at": "vector"})
    (field,) = card_of(window).findChildren(WholeField)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert window.focusWidget() is window.main_area.cards.pooled.findChild(BarsPlot)
