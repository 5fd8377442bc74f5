"""What is painted of the lines view when another token is highlighted: no more than looks different."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.heads.pictures import HeadPicture, head_picture
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention import lines
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_tokens, random_trace
from tests.support.scene import on_screen, pixels_of, pixels_on_screen, turn_events

_FORMAT = QImage.Format.Format_RGB32
_WORDS = ("한국어", "##를", "because", "漢字", "i", "jg")
_PAIRS = (
    Pair(query=4),
    Pair(query=5),
    Pair(query=70),
    Pair(query=5, key=9),
    Pair(query=5, key=10),
    Pair(key=10),
    Pair(key=41),
    NOTHING,
    Pair(key=3),
    Pair(query=4),
)


def _trace(n_tokens: int = 90) -> Trace:
    tokens = make_tokens(n_tokens)
    pieces = (_WORDS[at % len(_WORDS)] for at in range(n_tokens - 2))
    return random_trace(replace(tokens, pieces=("[CLS]", *pieces, "[SEP]")), 1, 3)


def _shown(view: LinesView, pictures: tuple[HeadPicture, ...]) -> LinesView:
    view.viewport.fit(*pictures[0].token_order.counts)
    view.show_heads(pictures)
    view.show_picture(pictures[0])
    return view


def _settle(qtbot: QtBot, view: LinesView) -> None:
    turn_events()
    qtbot.waitUntil(lambda: view.is_complete)
    turn_events()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("n_heads", [1, 3])
def test_after_any_gestures_the_screen_shows_what_a_new_view_draws(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, theme: str, n_heads: int
) -> None:
    look.set_palette(read_palette(theme))
    trace = _trace()
    pictures = tuple(head_picture(trace, 0, head) for head in range(n_heads))
    view = on_screen(qtbot, _shown(LinesView(look, selection, viewport), pictures), 460, 700)
    anew = on_screen(qtbot, _shown(LinesView(look, selection, viewport), pictures), 460, 700)
    for number, pair in enumerate(_PAIRS):
        selection.hover(pair.query, pair.key)
        if number == 6:
            viewport.zoom(0.5, 40.0, 40.0)
        _settle(qtbot, view)
        anew.rebuild()
        anew.complete()
        np.testing.assert_array_equal(pixels_on_screen(view), pixels_of(anew), str(pair))


def test_blocks_that_cannot_be_seen_are_not_drawn(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = _trace()
    pictures = tuple(head_picture(trace, 0, head) for head in range(3))
    view = on_screen(qtbot, _shown(LinesView(look, selection, viewport), pictures), 460, 700)
    selection.hover(query=20)
    view.complete()
    drawn = pixels_of(view).copy()
    monkeypatch.setattr(lines, "_UNSEEN", 0.0)
    np.testing.assert_array_equal(drawn, pixels_of(view))
    monkeypatch.setattr(lines, "_UNSEEN", 0.01)
    assert (drawn != pixels_of(view)).any(), "a block of one in a hundred can be seen"
