"""A wrong answer in `lessons` is explained on the card by the numbers on screen, or by the hint."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.learning.lessons.reading import parse_lesson
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.lessons.task_forms import ChoiceForm
from tests.support.lesson_scene import LESSON, card_of, form, station, words


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
