"""The tool tip of a chip: what can be done to the token, and why it is marked as an attention sink."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from bertviz_app.text import Tokens
from bertviz_app.viewmodels.runs.editing import Editing
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import tip_of
from bertviz_app.views.tokens.edit_menus import ChipMenu
from bertviz_app.views.tokens.strip import TokenStrip
from tests.support.factories import make_tokens
from tests.support.scene import on_screen


class OtherRunsStrip(TokenStrip):
    """A strip of run B, whose menu needs nothing but the tokens."""

    run_name = "B"


def _editing(tokens: Tokens) -> Editing:
    """Return an editing in which all tokens but the special ones can be replaced, and none is."""
    editing = SimpleNamespace(
        tokens=lambda run: tokens,
        can_replace=lambda position, run: not tokens.is_special[position],
        is_replaced=lambda position, run: False,
        can_predict=lambda run: False,
    )
    return cast(Editing, editing)


def _tip_of_token(strip: TokenStrip, token: int) -> str:
    at = next(x for x in range(strip.width()) if strip.token_at(x) == token) + 5
    event = QHelpEvent(QEvent.Type.ToolTip, QPoint(at, 40), strip.mapToGlobal(QPoint(at, 40)))
    QApplication.sendEvent(strip, event)
    text = QToolTip.text()
    QToolTip.hideText()
    return text


@pytest.mark.parametrize(("token", "also"), [(0, ""), (2, "Right click: mask or replace this token")])
def test_the_tool_tip_of_an_attention_sink_has_the_reason_why_it_is_marked(
    qtbot: QtBot, look: Look, token: int, also: str
) -> None:
    tokens = make_tokens(5)
    strip = on_screen(qtbot, OtherRunsStrip(look, Selection()), 700, 104)
    ChipMenu(strip, _editing(tokens), {})
    strip.show_tokens(tokens, {token: (1,)})
    tip = _tip_of_token(strip, token)
    assert "Attention sink in layer 1" in tip
    assert also in tip
    strip.show_tokens(tokens)
    assert _tip_of_token(strip, 0) == tip_of("cls")
    assert _tip_of_token(strip, 2).startswith("Right click")


def test_the_tool_tip_of_a_piece_of_a_word_says_what_one_is_and_what_can_be_done_to_it(
    qtbot: QtBot, look: Look
) -> None:
    tokens = replace(make_tokens(5), pieces=("[CLS]", "walk", "##ing", "[UNK]", "[SEP]"))
    strip = on_screen(qtbot, OtherRunsStrip(look, Selection()), 700, 104)
    ChipMenu(strip, _editing(tokens), {})
    strip.show_tokens(tokens)
    for token, term in ((2, "word_piece"), (3, "unk")):
        tip = _tip_of_token(strip, token)
        assert tip.startswith(tip_of(term).removesuffix("</qt>"))
        assert "Right click: mask or replace this token" in tip
    assert _tip_of_token(strip, 1).startswith("Right click")
