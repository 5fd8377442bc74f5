"""The sentence above a stop fits into the lines that it has."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.words import sentence
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.heading import fitting_sentence
from tests.support.steps_scene import StepsScene


@pytest.mark.parametrize("width", [110, 150, 190, 230, 300])
def test_two_lines_hold_the_sentence_of_every_stage(look: Look, width: float) -> None:
    room = QSizeF(width, look.pixels(44) - 2)
    for stage in STAGES:
        font, text = fitting_sentence(look, sentence(stage), room, is_one_line=False)
        box = QFontMetricsF(font).boundingRect(
            QRectF(0, 0, width, 10_000), Qt.TextFlag.TextWordWrap.value, text
        )
        assert box.height() <= room.height(), (stage, text)
        assert text == sentence(stage) or (text.endswith(" …") and sentence(stage).startswith(text[:-2]))


def test_a_sentence_is_drawn_smaller_before_it_is_cut(look: Look) -> None:
    words = "Each token is normalised to mean 0 and standard deviation 1."
    whole = QFontMetricsF(look.font(13)).horizontalAdvance(words)
    assert fitting_sentence(look, words, QSizeF(whole + 1, 20), is_one_line=True) == (look.font(13), words)
    font, text = fitting_sentence(look, words, QSizeF(0.9 * whole, 20), is_one_line=True)
    assert (text, font.pixelSize() < look.font(13).pixelSize()) == (words, True)
    _, text = fitting_sentence(look, words, QSizeF(0.5 * whole, 20), is_one_line=True)
    assert text.endswith("…")


def test_two_close_lines_hold_the_sentence_about_queries_in_korean(look: Look, korean: None) -> None:
    words = sentence("queries")
    assert words.startswith("각 토큰")
    for width in (330, 280):
        _, text = fitting_sentence(look, words, QSizeF(width, look.pixels(35) - 2), is_one_line=False)
        assert text == words


def test_a_saved_picture_of_another_size_has_no_button(qtbot: QtBot, look: Look) -> None:
    heading = StepsScene(qtbot, look, size=(600, 540)).view.heading
    assert heading.why.isVisible()
    heading.set_omits_hints(omits_hints=True)
    heading.resize(heading.width() - 40, heading.height())
    assert not heading.why.isVisible()
    heading.set_omits_hints(omits_hints=False)
    assert heading.why.isVisible()
