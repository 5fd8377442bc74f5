"""The line of the strongest heads of the pinned pair: which they are, and where a click goes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.analysis.measure_table import PairColumn
from bertviz_app.viewmodels.heads.pinned_pair import PairInHeads
from bertviz_app.views.inspector.pair_heads import PairHeadsView
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.scene import on_screen

WEIGHTS = np.array([[0.1, 0.75, 0.2], [0.3, 0.5, 0.0]], np.float32)


@pytest.fixture
def view(qtbot: QtBot, look: Look) -> PairHeadsView:
    return on_screen(qtbot, PairHeadsView(look), 320, 30)


def _pair(weights: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = WEIGHTS) -> PairInHeads:
    return PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("it", "cat"), weights))


def test_the_three_strongest_heads_are_named_and_a_click_goes_there(view: PairHeadsView) -> None:
    chosen: list[tuple[int, int]] = []
    view.head_chosen.connect(lambda *at: chosen.append(at))
    view.show_pair(_pair())
    assert [button.text() for button in view.buttons] == ["0·1  .75", "1·1  .50", "1·0  .30"]
    assert "it → cat" in view.title.accessibleName()
    assert "0.7500" in view.buttons[0].toolTip()
    for button in view.buttons:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert chosen == [(0, 1), (1, 1), (1, 0)]


def test_without_a_pair_it_says_how_to_pin_one_in_the_same_height(view: PairHeadsView) -> None:
    assert view.title.text() == "Which head does this? Click a cell."
    assert not any(button.isVisible() for button in view.buttons)
    height = view.height()
    view.show_pair(_pair())
    assert all(button.isVisible() for button in view.buttons)
    assert view.height() == height
    view.show_pair(None)
    assert view.title.text() == "Which head does this? Click a cell."
    assert not any(button.isVisible() for button in view.buttons)


def test_a_model_of_two_heads_names_two(view: PairHeadsView) -> None:
    view.show_pair(_pair(WEIGHTS[:1, :2]))
    assert [button.isVisible() for button in view.buttons] == [True, True, False]


def test_in_little_room_the_question_stays_and_a_head_is_left_out(qtbot: QtBot, look: Look) -> None:
    view = on_screen(qtbot, PairHeadsView(look), 250, 30)
    view.show_pair(_pair())
    assert [button.isVisible() for button in view.buttons] == [True, True, False]
    assert view.why.isVisible()
    asked: list[bool] = []
    view.why_requested.connect(lambda: asked.append(True))
    QTest.mouseClick(view.why, Qt.MouseButton.LeftButton)
    assert asked == [True]


def test_without_a_pair_the_words_wrap_beside_the_question(qtbot: QtBot, look: Look) -> None:
    view = on_screen(qtbot, PairHeadsView(look), 230, 30)
    title = view.title
    assert title.heightForWidth(title.width()) > title.fontMetrics().lineSpacing()  # two lines
    assert title.heightForWidth(title.width()) <= title.height()
    assert title.geometry().right() < view.why.geometry().left()
