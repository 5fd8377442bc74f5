"""The first screen: the ribbons of one head, its sentence, and the ways on from there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QToolTip
from pytestqt.qtbot import QtBot

from bertviz_app.learning.words import LANGUAGES, Words, example_words, first_picture
from bertviz_app.viewmodels.wording import share_words
from bertviz_app.views.kit.look import Look
from bertviz_app.views.start import HeadRibbons, StartPage
from tests.support.english_texts import painted_texts
from tests.support.first_picture import recorded
from tests.support.scene import move, not_none, on_screen, pixels_of


@pytest.fixture
def page(qtbot: QtBot, look: Look) -> StartPage:
    """The start page without motion, of a window of 1280 x 800."""
    look.reduces_motion = True
    return on_screen(qtbot, StartPage(look, example_words()), 1280, 700)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_recorded_weights_are_those_of_the_model_that_it_names(language: str) -> None:
    picture = first_picture(language)
    again = recorded(picture, picture.text)
    assert again.tokens == picture.tokens
    np.testing.assert_allclose(again.weights, picture.weights, atol=1e-4)
    (example,) = [each for each in example_words() if each.key == picture.example]
    assert example.texts[0].in_language(language) == picture.text


def test_it_names_the_open_model_where_the_picture_is_of_another_one(page: StartPage) -> None:
    def said() -> str:
        return " ".join(label.text() for label in page.findChildren(QLabel))

    for name in ("", first_picture("en").model):
        page.show_model(name)
        assert "has other heads" not in said()
    page.show_model("bert-mini-en-ko")
    assert f"Real weights of {first_picture('en').model}" in said()
    assert "The model that is open, bert-mini-en-ko, has other heads." in said()


def _said(page: StartPage) -> str:
    return page.ribbons.accessibleName().replace("\N{NO-BREAK SPACE}", " ")


def _sentence(query: str, weight: int, key: str, others: int) -> str:
    first = f"In this head, “{query}” puts {weight} % of its attention on {key}."
    return f"{first} The other tokens put {others} % there on average."


def _point_at(ribbons: HeadRibbons, token: int) -> None:
    middle = ribbons.arcs.boxes[token].center()
    move(ribbons, middle.x(), middle.y())


def test_pointing_at_a_word_says_what_it_looks_at(page: StartPage) -> None:
    assert _said(page) == _sentence("it", 45, "“cat”", 14)
    before = pixels_of(page.ribbons)
    _point_at(page.ribbons, 9)
    assert _said(page) == _sentence("hungry", 93, "“[CLS]”", 47)
    shown = {label.text() for label in page.findChildren(QLabel)}
    assert {*page.ribbons.accessibleName().split(". ")} <= {part.removesuffix(".") for part in shown} | shown
    assert (pixels_of(page.ribbons) != before).any()
    _point_at(page.ribbons, 2)
    assert _said(page) == _sentence("cat", 90, "“[CLS]”", 47)
    _point_at(page.ribbons, 0)
    assert _said(page) == _sentence("[CLS]", 99, "itself", 46)


def test_the_shares_are_those_of_the_word_also_while_the_arcs_move(qtbot: QtBot, look: Look) -> None:
    page = on_screen(qtbot, StartPage(look, example_words()), 1280, 700)
    page.ribbons.look_from(9)
    ribbons = page.ribbons
    shown = [share_words(weight) for weight in first_picture("en").weights[9] if weight >= 0.03]
    assert shown[0] == share_words(0.93), "the arcs begin elsewhere: “it” puts 10 % on [CLS]"
    assert [text for text in painted_texts(ribbons) if "%" in text] == shown


def test_of_the_pair_that_one_enters_on_is_spoken_first(page: StartPage) -> None:
    """It is the one that no other word explains; the same word may look more at [CLS], as most words do."""
    page.show_picture(replace(first_picture("en"), query=9, key=2))
    assert _said(page).startswith("In this head, “hungry” puts < 1 % of its attention on “cat”.")
    _point_at(page.ribbons, 7)
    assert _said(page) == _sentence("it", 45, "“cat”", 14)


def test_the_tool_tip_of_a_special_token_leaves_the_sentence_below_the_words(
    qtbot: QtBot, page: StartPage
) -> None:
    ribbons = page.ribbons
    at = ribbons.arcs.boxes[0].center().toPoint()
    QApplication.sendEvent(ribbons, QHelpEvent(QEvent.Type.ToolTip, at, ribbons.mapToGlobal(at)))
    qtbot.waitUntil(QToolTip.isVisible)
    (tip,) = [each for each in QApplication.topLevelWidgets() if each.objectName() == "qtooltip_label"]
    assert "tokenizer puts [CLS]" in QToolTip.text()
    assert tip.geometry().bottom() < ribbons.mapToGlobal(ribbons.arcs.boxes[0].topLeft().toPoint()).y()
    QToolTip.hideText()


def test_the_arrow_keys_walk_and_enter_goes_inside(qtbot: QtBot, page: StartPage) -> None:
    page.ribbons.setFocus()
    for _ in range(20):
        QTest.keyClick(page.ribbons, Qt.Key.Key_Right)
    assert page.ribbons.query == 10, "the last token"
    QTest.keyClick(page.ribbons, Qt.Key.Key_Left)
    assert page.ribbons.query == 9
    with qtbot.waitSignal(page.example_chosen) as chosen:
        QTest.keyClick(page.ribbons, Qt.Key.Key_Return)
    assert chosen.args == [[each.key for each in example_words()].index("pronoun")]


def test_an_empty_field_is_no_sentence(page: StartPage) -> None:
    heard: list[str] = []
    page.text_entered.connect(heard.append)
    page.field.setText("   ")
    page.enter.click()
    assert heard == []
    QTest.keyClicks(page.field, "the dog")
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    assert heard == ["the dog"]


def test_the_syllable_that_is_being_composed_is_drawn_with_the_others(page: StartPage) -> None:
    drawn: list[str] = []
    page.typed.connect(drawn.append)
    page.field.setText("안녕")
    QApplication.sendEvent(page.field, QInputMethodEvent("하", []))
    assert drawn == ["안녕", "안녕하"]
    assert page.field.text() == "안녕"


def test_the_longest_words_fit_at_every_width(qtbot: QtBot, look: Look) -> None:
    for width in (480, 960, 1900):
        ribbons = on_screen(qtbot, HeadRibbons(look), width, 300)
        ribbons.show_picture(first_picture("en"))
        boxes = ribbons.arcs.boxes
        assert boxes[0].left() >= 0, width
        assert boxes[-1].right() <= width
        assert all(one.right() < other.left() for one, other in pairwise(boxes))


def test_the_start_page_of_large_text_is_scrolled_in_a_small_window(qtbot: QtBot, look: Look) -> None:
    look.set_scale(1.6)
    page = StartPage(look, example_words())
    for label in page.findChildren(QLabel):
        label.setFont(look.font(16))
    page.offer_last("the cat sat on the mat and " * 200)
    on_screen(qtbot, page, 1024, 560)
    (area,) = page.findChildren(QScrollArea)
    content = not_none(area.widget())
    assert content.width() <= area.viewport().width()
    last = page.buttons[-1]
    page.buttons[-2].setFocus()
    QTest.keyClick(page.buttons[-2], Qt.Key.Key_Tab)
    assert last.hasFocus()
    assert last.mapTo(area, QPoint(0, last.height())).y() <= area.height()
    assert page.last.text().startswith("Continue: the cat sat on the mat and the cat")
    assert page.last.text().endswith((" the …", " cat …", " sat …", " on …", " mat …", " and …"))


def test_a_button_that_stands_for_no_lesson_does_nothing_with_the_focus(page: StartPage) -> None:
    chosen: list[int] = []
    page.own_chosen.connect(chosen.append)
    lesson = Words("Mine", "내 것"), Words("A lesson", "수업")
    page.offer_own([lesson, lesson])
    page.own[1].setFocus()
    page.hide()  # what is hidden as part of the window can keep the focus
    page.offer_own([lesson])
    QTest.keyClick(page.own[1], Qt.Key.Key_Space)
    assert chosen == []
    QTest.keyClick(page.own[0], Qt.Key.Key_Space)
    assert chosen == [0]
