"""The Corpus page before there is a corpus, in a small window: large text wraps and is scrolled."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from bertviz_app.learning.corpora import example_corpora
from bertviz_app.views.corpus.start import CorpusStart
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen


def test_in_a_small_window_large_text_stays_within_the_page(qtbot: QtBot, look: Look) -> None:
    page = CorpusStart(look, example_corpora())
    look.set_scale(1.6)
    for label in page.findChildren(QLabel):
        label.setFont(look.font(16))
    on_screen(qtbot, page, 700, 400)
    (area,) = page.findChildren(QScrollArea)
    assert area.verticalScrollBar().maximum() > 0
    for part in (*page.findChildren(QLabel), *page.findChildren(QPushButton)):
        assert part.mapTo(page, QPoint(part.width(), 0)).x() <= page.width(), part
    for label in page.findChildren(QLabel):
        assert label.height() >= label.heightForWidth(label.width()), label.text()


def test_in_a_large_window_the_text_is_as_wide_as_one_can_read(qtbot: QtBot, look: Look) -> None:
    page = on_screen(qtbot, CorpusStart(look, example_corpora()), 1600, 900)
    (area,) = page.findChildren(QScrollArea)
    assert area.verticalScrollBar().maximum() == 0
    widths = {label.width() for label in page.findChildren(QLabel)}
    assert max(widths) <= look.pixels(680)
    assert max(widths) > look.pixels(600)
