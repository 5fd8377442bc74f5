"""The line of the strongest heads of the pinned pair: which they are, and where a click goes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.analysis.measure_table import PairColumn
from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.viewmodels.heads.pinned_pair import PairInHeads
from bertviz_app.views.inspector.pair_heads import PairHeadsView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import style_sheet
from tests.support.factories import make_trace
from tests.support.scene import on_screen, turn_events

WEIGHTS = np.array([[0.1, 0.75, 0.2], [0.3, 0.5, 0.0]], np.float32)


@pytest.fixture
def view(qtbot: QtBot, look: Look) -> PairHeadsView:
    return on_screen(qtbot, PairHeadsView(look), 400, 30)


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


def test_the_tool_tip_of_a_head_does_not_take_a_token_for_a_tag(view: PairHeadsView) -> None:
    view.show_pair(PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("<s>", "cat"), WEIGHTS)))
    assert "&lt;s&gt; → cat" in view.buttons[0].toolTip()
    assert view.buttons[0].accessibleName().startswith("<s> → cat")


def test_without_a_pair_it_shows_how_to_pin_one_in_the_same_height(view: PairHeadsView) -> None:
    assert view.title.text() == "Which head? Click a cell."
    assert not any(button.isVisible() for button in view.buttons)
    height = view.height()
    view.show_pair(_pair())
    assert all(button.isVisible() for button in view.buttons)
    assert view.height() == height
    view.show_pair(None)
    assert view.title.text() == "Which head? Click a cell."
    assert not any(button.isVisible() for button in view.buttons)


def test_the_hint_takes_one_line_in_a_narrow_card(view: PairHeadsView) -> None:
    view.resize(300, view.height())
    turn_events()
    assert view.title.fontMetrics().horizontalAdvance(view.title.text()) <= view.title.width()


def test_a_model_of_two_heads_names_two(view: PairHeadsView) -> None:
    view.show_pair(_pair(WEIGHTS[:1, :2]))
    assert [button.isVisible() for button in view.buttons] == [True, True, False]


@pytest.mark.parametrize(("width", "n_heads", "has_words"), [(300, 3, True), (250, 3, False), (220, 2, True)])
def test_in_little_room_the_words_give_way_before_a_head_does(
    qtbot: QtBot, look: Look, width: int, n_heads: int, has_words: bool
) -> None:
    view = PairHeadsView(look)
    view.setStyleSheet(style_sheet(look))
    on_screen(qtbot, view, width, 40)
    view.show_pair(_pair())
    QApplication.processEvents()
    assert [button.isVisible() for button in view.buttons] == [number < n_heads for number in range(3)]
    assert view.title.isVisible() == has_words
    shown = [each for each in (view.title, *view.buttons, view.why) if each.isVisible()]
    for before, after in pairwise(shown):
        assert before.geometry().right() < after.geometry().left()
    assert shown[-1].geometry().right() < view.width() == width
    requests: list[bool] = []
    view.why_requested.connect(lambda: requests.append(True))
    QTest.mouseClick(view.why, Qt.MouseButton.LeftButton)
    assert requests == [True]
    view.show_pair(None)
    assert view.title.isVisible()


def test_without_a_pair_the_words_wrap_beside_the_question(qtbot: QtBot, look: Look) -> None:
    view = PairHeadsView(look)
    view.setStyleSheet(style_sheet(look))  # the text of the window, not the desktop's
    on_screen(qtbot, view, 230, 30)
    view.show_pair(None)
    title = view.title
    assert title.heightForWidth(title.width()) > title.fontMetrics().lineSpacing()  # two lines
    assert title.heightForWidth(title.width()) <= title.height()
    assert title.geometry().right() < view.why.geometry().left()


@pytest.mark.parametrize("width", [230, 320])
def test_the_height_stays_when_the_theme_changes(qtbot: QtBot, look: Look, width: int) -> None:
    """The style sheet, which sets the font, holds for the first measurement too."""
    around = QWidget()
    around.setStyleSheet(style_sheet(look))
    column = QVBoxLayout(around)
    column.setContentsMargins(0, 0, 0, 0)
    view = PairHeadsView(look)
    column.addWidget(view)
    on_screen(qtbot, around, width, 100)
    height = view.height()
    look.set_palette(read_palette("dark"))
    around.setStyleSheet(style_sheet(look))
    turn_events()
    assert view.height() == height
    assert view.title.heightForWidth(view.title.width()) <= height


@pytest.mark.parametrize("width", range(236, 330, 6))
def test_the_words_beside_the_heads_are_on_one_line(qtbot: QtBot, look: Look, width: int) -> None:
    view = PairHeadsView(look)
    view.setStyleSheet(style_sheet(look))
    on_screen(qtbot, view, width, 40)
    view.show_pair(_pair())
    QApplication.processEvents()
    title = view.title
    if title.isVisible():
        assert title.width() >= title.fontMetrics().horizontalAdvance(title.text())
