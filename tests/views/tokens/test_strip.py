"""The token strip: every token with its four facts, found under the pointer, walked by keys, revealed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.views.kit.canvas import STALE
from bertviz_app.views.kit.look import Look
from bertviz_app.views.tokens.chip import Chip, draw_chip
from bertviz_app.views.tokens.chip_pictures import ChipPictures
from bertviz_app.views.tokens.strip import TokenStrip
from bertviz_app.views.tokens.strip_drawing import StripDrawing
from bertviz_app.views.tokens.strip_layout import StripLayout
from tests.support.factories import make_tokens
from tests.support.scene import blended, channels, click, drag, move, on_screen, pixels_of, wheel
from tests.support.svg_text import lines_drawn_by

_FORMAT = QImage.Format.Format_ARGB32_Premultiplied


@pytest.fixture
def strip(qtbot: QtBot, look: Look, selection: Selection) -> TokenStrip:
    return on_screen(qtbot, TokenStrip(look, selection), 900, 104)


def _under(strip: TokenStrip, selection: Selection, y: int = 40) -> dict[int, int]:
    """Return token -> the first pixel under which it is found, hovering along the strip."""
    found: dict[int, int] = {}
    for x in range(0, strip.width(), 4):
        move(strip, x, y)
        query = selection.shown.query
        if query is not None:
            found.setdefault(query, x)
    selection.leave()
    return found


def _changed_columns(strip: TokenStrip, tokens: Tokens) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the columns of pixels that change when the strip shows `tokens` instead."""
    before = pixels_of(strip).copy()
    strip.show_tokens(tokens)
    return np.flatnonzero((pixels_of(strip) != before).any(axis=0))


def test_every_token_is_found_under_the_pointer_in_its_order(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    found = _under(strip, selection)
    assert list(found) == list(range(9))
    move(strip, 10, 40)
    assert not selection.shown
    move(strip, strip.width() - 2, 40)
    assert not selection.shown


def _with_other(tokens: Tokens, fact: str) -> Tokens:
    """Return `tokens` with one fact of token 4 changed."""
    more = (np.arange(9) == 4).astype(np.int32)
    return {
        "pieces": replace(tokens, pieces=(*tokens.pieces[:4], "v4", *tokens.pieces[5:])),
        "ids": replace(tokens, ids=tokens.ids + more),
        "segment_ids": replace(tokens, segment_ids=tokens.segment_ids + more),
        "position_ids": replace(tokens, position_ids=tokens.position_ids + more),
    }[fact]


@pytest.mark.parametrize("fact", ["pieces", "ids", "segment_ids", "position_ids"])
def test_all_four_facts_of_a_token_are_drawn_on_its_chip(
    strip: TokenStrip, selection: Selection, fact: str
) -> None:
    tokens = make_tokens(9)
    strip.show_tokens(tokens)
    lefts = _under(strip, selection)
    columns = _changed_columns(strip, _with_other(tokens, fact))
    assert len(columns) > 0
    assert lefts[4] - 4 <= columns.min() <= columns.max() <= lefts[5] + 4


@pytest.mark.parametrize(("has_segments", "segments"), [(True, "0" * 9), (False, "–" * 9)])
def test_where_there_are_no_segments_none_is_drawn(
    strip: TokenStrip, look: Look, tmp_path: Path, has_segments: bool, segments: str
) -> None:
    strip.show_tokens(replace(make_tokens(9), has_segments=has_segments))
    drawn = "|".join(lines_drawn_by(strip, look, tmp_path))  # on some fonts a name shares its row's baseline
    for row in ("[CLS]w1w2w3w4w5w6w7[SEP]", "".join(str(1000 + token) for token in range(9)), segments):
        assert row in drawn
    assert ("0" * 9 in drawn) == has_segments
    assert drawn.endswith(("012345678|position", "position012345678"))


def test_the_sentences_have_bars_of_their_own_colour(strip: TokenStrip, selection: Selection) -> None:
    tokens = make_tokens(9)
    strip.show_tokens(tokens)
    lefts = _under(strip, selection)
    sentences = tokens.sentences.copy()
    sentences[3] = 1
    columns = _changed_columns(strip, replace(tokens, sentences=sentences))
    assert lefts[3] - 4 <= columns.min() <= columns.max() <= lefts[4] + 4


def test_tokens_hovered_elsewhere_are_highlighted(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    lefts = _under(strip, selection)
    before = pixels_of(strip).copy()
    selection.hover(query=2, key=6)
    columns = set(np.flatnonzero((pixels_of(strip) != before).any(axis=0)).tolist())
    for token in (2, 6):
        assert columns & set(range(lefts[token], lefts[token + 1] - 8))
    for token in (1, 4, 5, 7):
        assert not columns & set(range(lefts[token] + 4, lefts[token + 1] - 8))


def test_hovering_sets_the_query_and_leaving_clears_it(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    move(strip, _under(strip, selection)[3] + 8, 40)
    assert selection.shown == Pair(query=3)
    move(strip, 5, 40)
    assert not selection.shown


def test_a_click_pins_and_another_unpins(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    x = _under(strip, selection)[3] + 8
    click(strip, x, 40)
    assert selection.pinned == Pair(query=3)
    click(strip, x, 40)
    assert not selection.pinned


def test_the_arrows_walk_along_the_tokens_and_stop_at_the_ends(
    qtbot: QtBot, strip: TokenStrip, selection: Selection
) -> None:
    strip.show_tokens(make_tokens(4))
    walked = []
    for key in [Qt.Key.Key_Right] * 6 + [Qt.Key.Key_Left] * 5:
        QTest.keyClick(strip, key)
        walked.append(selection.pinned.query)
    assert walked == [0, 1, 2, 3, 3, 3, 2, 1, 0, 0, 0]


def test_a_pinned_token_out_of_sight_is_scrolled_into_view(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(200))
    assert 150 not in _under(strip, selection)
    selection.pin(query=150)
    assert 150 in _under(strip, selection)
    selection.clear()
    selection.pin(query=3)
    assert 3 in _under(strip, selection)


def test_the_wheel_scrolls_as_far_as_there_are_tokens(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(60))
    wheel(strip, 400, 40, -3)
    assert 0 not in _under(strip, selection)
    wheel(strip, 400, 40, -1000)
    last = _under(strip, selection)
    assert max(last) == 59
    wheel(strip, 400, 40, -1)
    assert _under(strip, selection) == last
    wheel(strip, 400, 40, 1000)
    assert min(_under(strip, selection)) == 0


def test_dragging_along_the_ticks_scrolls(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(200))
    bottom = strip.height() - 6
    drag(strip, [(100, bottom), (500, bottom), (895, bottom)])
    assert max(_under(strip, selection)) == 199
    assert not selection.pinned
    drag(strip, [(895, bottom), (80, bottom)])
    assert min(_under(strip, selection)) == 0


def test_a_text_of_the_same_length_keeps_the_place_another_starts_at_the_front(
    strip: TokenStrip, selection: Selection
) -> None:
    strip.show_tokens(make_tokens(60))
    wheel(strip, 400, 40, -5)
    before = _under(strip, selection)
    strip.show_tokens(make_tokens(60))
    assert _under(strip, selection) == before
    strip.show_tokens(make_tokens(61))
    assert min(_under(strip, selection)) == 0


def test_what_was_left_out_stands_behind_the_last_token(strip: TokenStrip, selection: Selection) -> None:
    tokens = make_tokens(6)
    strip.show_tokens(tokens)
    last = _under(strip, selection)[5]
    columns = _changed_columns(strip, replace(tokens, n_left_out=7))
    assert len(columns) > 20
    assert columns.min() > last
    for x in columns.tolist():
        move(strip, x, 40)
        assert selection.shown.query in {None, 5}


def test_the_chip_of_what_was_left_out_can_be_scrolled_to(strip: TokenStrip, selection: Selection) -> None:
    tokens = replace(make_tokens(60), n_left_out=7)
    strip.show_tokens(tokens)
    wheel(strip, 400, 40, -1000)
    last = _under(strip, selection)[59]
    columns = _changed_columns(strip, replace(tokens, n_left_out=8))
    assert columns.max() > last + 46


def test_screen_readers_read_the_tokens(strip: TokenStrip) -> None:
    strip.show_tokens(make_tokens(4))
    assert strip.accessibleDescription() == "[CLS] w1 w2 [SEP]"


def test_stale_tokens_are_dimmed(strip: TokenStrip, look: Look) -> None:
    strip.show_tokens(make_tokens(4))
    before = pixels_of(strip).copy()
    strip.set_stale(True)
    dimmed, ground = pixels_of(strip), int(before[1, 1])
    bars = before == look.colour("accent").rgb() & 0xFFFFFF
    assert bars.any(), "the bars of sentence 1 on their chips"
    expected = blended(look, "accent", STALE, ground)
    for colour in np.unique(dimmed[bars]).tolist():
        assert channels(colour) == pytest.approx(expected, abs=12)  # there is a dimmed chip behind it
    text = look.colour("text").rgb() & 0xFFFFFF
    assert ((before == text).any(), (dimmed == text).any()) == (True, False)
    strip.set_stale(False)
    np.testing.assert_array_equal(pixels_of(strip), before)


def test_before_there_are_tokens_nothing_can_go_wrong(
    qtbot: QtBot, strip: TokenStrip, selection: Selection
) -> None:
    pixels_of(strip)
    move(strip, 100, 40)
    click(strip, 100, 40)
    wheel(strip, 100, 40, -1)
    QTest.keyClick(strip, Qt.Key.Key_Right)
    assert not selection.shown


@pytest.mark.parametrize("fact", ["pieces", "ids", "segment_ids", "position_ids"])
def test_where_it_is_low_it_shows_pieces_and_ids_alone(strip: TokenStrip, fact: str, look: Look) -> None:
    tokens = make_tokens(9)
    strip.show_tokens(tokens)
    whole = strip.sizeHint().height()
    strip.set_brief(True)
    assert strip.sizeHint().height() == whole - look.pixels(34)
    assert (len(_changed_columns(strip, _with_other(tokens, fact))) > 0) == (fact in ("pieces", "ids"))


def test_a_drag_from_one_token_to_another_pins_the_pair(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    at = {token: x + 8 for token, x in _under(strip, selection).items()}
    drag(strip, [(at[7], 40), (at[5], 40), (at[2], 40)])
    assert selection.pinned == Pair(query=7, key=2)
    drag(strip, [(at[7], 40), (at[2], 40)])  # the same once more lets it go, as a click does
    assert not selection.pinned
    drag(strip, [(at[1], 40), (at[4], 40), (at[1], 40)])  # back again: a click
    assert selection.pinned == Pair(query=1)


def test_while_a_token_is_dragged_the_pair_is_highlighted_and_nothing_is_pinned(
    strip: TokenStrip, selection: Selection
) -> None:
    strip.show_tokens(make_tokens(9))
    at = {token: x + 8 for token, x in _under(strip, selection).items()}
    pinned: list[Pair] = []
    shown: list[Pair] = []
    selection.changed.connect(lambda: pinned.append(selection.pinned))
    selection.changed.connect(lambda: shown.append(selection.shown))
    drag(strip, [(at[3], 40), (at[5], 40), (at[6], 40)])
    assert shown[:2] == [Pair(3, 5), Pair(3, 6)]
    assert pinned == [Pair(), Pair(), Pair(3, 6)]  # one change, one step of undo


def test_a_drag_that_ends_beside_the_tokens_pins_nothing(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    at = {token: x + 8 for token, x in _under(strip, selection).items()}
    drag(strip, [(at[3], 40), (10, 40)])
    assert not selection.pinned
    assert not selection.shown


def test_shift_and_the_arrows_walk_the_key_beside_the_query(
    qtbot: QtBot, strip: TokenStrip, selection: Selection
) -> None:
    strip.show_tokens(make_tokens(4))
    strip.setFocus()
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(strip, Qt.Key.Key_Right, shift)
    assert not selection.pinned  # there is no query yet
    selection.pin(query=2)
    walked = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        QTest.keyClick(strip, key, shift)
        walked.append(selection.pinned)
    assert walked == [Pair(2, 1), Pair(2, 0), Pair(2, 0), Pair(2, 1)]


def test_a_token_pinned_before_the_tokens_came_is_drawn_again_when_it_is_unpinned(
    strip: TokenStrip, selection: Selection
) -> None:
    selection.pin(2)
    strip.show_tokens(make_tokens(9))
    QApplication.processEvents()
    painted: list[QRect] = []
    strip.paintEvent = lambda event: painted.append(event.rect())  # type: ignore[method-assign]
    selection.clear()
    QApplication.processEvents()
    assert painted


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_chip_from_a_picture_is_the_chip_drawn_anew(qtbot: QtBot, look: Look, ratio: float) -> None:
    layout = StripLayout(look)
    layout.resize(QSize(900, 104))
    box, rows = QRectF(20, 8, 60, 82), layout.lines()
    chip = Chip(("cat", "4937", "0", "2"), "accent", is_highlighted=True)
    images = [QImage(round(100 * ratio), round(104 * ratio), _FORMAT) for _ in range(3)]
    pictures = ChipPictures(look)
    for number, image in enumerate(images):
        image.setDevicePixelRatio(ratio)
        image.fill("white")
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if number == 2:
            draw_chip(painter, look, chip, box, rows)
        else:
            pictures.draw(painter, [(chip, box)], rows)
        painter.end()
    assert images[0] == images[1]
    drawn, anew = (channels_of(image) for image in (images[0], images[2]))
    assert (anew < 200).any()
    assert np.abs(drawn - anew).max() <= 2  # the rounding of translucent edges


def channels_of(image: QImage) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    return np.frombuffer(image.constBits(), np.uint8).astype(np.intp)


def test_chips_follow_the_theme_the_text_size_and_the_tokens(
    qtbot: QtBot, strip: TokenStrip, look: Look, selection: Selection
) -> None:
    def fresh() -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
        return pixels_of(_shown_anew(qtbot, strip, look, selection))

    strip.show_tokens(make_tokens(9))
    first = pixels_of(strip).copy()
    look.set_palette(read_palette("dark"))
    dark = pixels_of(strip).copy()
    assert (dark != first).any()
    np.testing.assert_array_equal(dark, fresh())
    look.set_scale(1.25)
    large = pixels_of(strip).copy()
    assert (large != dark).any()
    np.testing.assert_array_equal(large, fresh())
    tokens = make_tokens(9)
    strip.show_tokens(_with_other(tokens, "ids"))
    assert (pixels_of(strip) != large).any()


def _shown_anew(qtbot: QtBot, strip: TokenStrip, look: Look, selection: Selection) -> TokenStrip:
    """Return another strip of the same tokens, which has no pictures yet."""
    anew = on_screen(qtbot, TokenStrip(look, selection), strip.width(), strip.height())
    assert strip.tokens is not None
    anew.show_tokens(strip.tokens)
    return anew


def test_only_what_changed_is_drawn_when_the_pointer_moves_on(
    qtbot: QtBot, strip: TokenStrip, selection: Selection, monkeypatch: pytest.MonkeyPatch
) -> None:
    strip.show_tokens(make_tokens(60))
    selection.hover(query=2)
    QApplication.processEvents()
    drawn: list[int] = []
    draw = StripDrawing.draw_chips

    def counted(drawing: StripDrawing, *arguments: Any, **options: Any) -> None:
        drawn.extend(arguments[1])
        draw(drawing, *arguments, **options)

    monkeypatch.setattr(StripDrawing, "draw_chips", counted)
    selection.hover(query=5)
    qtbot.waitUntil(lambda: len(drawn) > 0)
    assert drawn == [2, 5]
