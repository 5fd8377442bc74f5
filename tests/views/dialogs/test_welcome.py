"""The start page in a small window: large text is scrolled, not cut."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from bertviz_app.learning.examples import example_words
from bertviz_app.views.dialogs.welcome import Welcome
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen


@pytest.fixture
def page(qtbot: QtBot, look: Look) -> Welcome:
    """The start page in the room that a window of 1024 x 700 leaves it, its text at 160 %."""
    for label in (page := Welcome(example_words())).findChildren(QLabel):
        label.setFont(look.font(16 * 1.6))
    page.offer_last("A cat ate the fish because it was hungry")
    return on_screen(qtbot, page, 1024, 560)


def test_in_a_small_window_every_line_of_large_text_has_its_height(page: Welcome) -> None:
    for label in page.findChildren(QLabel):
        assert label.isHidden() or label.height() >= label.heightForWidth(label.width()), label.text()
    (area,) = page.findChildren(QScrollArea)
    content = area.widget()
    assert content is not None
    assert content.width() <= area.viewport().width()
    assert area.verticalScrollBar().maximum() > 0


def test_of_a_long_text_that_was_shown_last_the_beginning_is_written(page: Welcome) -> None:
    height = page.last.sizeHint().height()
    page.offer_last("the cat sat on the mat and " * 200)
    (words,) = [label.text() for label in page.last.findChildren(QLabel) if "the cat" in label.text()]
    assert words.startswith("the cat sat on the mat and the cat")
    assert words.endswith((" the …", " cat …", " sat …", " on …", " mat …", " and …"))
    assert len(words) < 100
    assert page.last.sizeHint().height() <= 2 * height


def test_an_example_out_of_sight_comes_into_sight_by_tab(page: Welcome) -> None:
    (area,) = page.findChildren(QScrollArea)
    last = page.buttons[-1]
    assert last.mapTo(area, QPoint(0, last.height())).y() > area.height()
    page.buttons[-2].setFocus()
    QTest.keyClick(page.buttons[-2], Qt.Key.Key_Tab)
    assert last.hasFocus()
    assert last.mapTo(area, QPoint(0, last.height())).y() <= area.height()
