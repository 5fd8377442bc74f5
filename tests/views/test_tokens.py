"""The token strip and its chips, badges of edits, and the names of special tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QPainter, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QBoxLayout, QMenu, QPushButton, QToolTip
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.measures import KEYS, head_overview
from bertviz_app.shell.settings import read_palette
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import TokenIntervention, with_edits
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.comparison import Editing
from bertviz_app.viewmodels.state import Pair, change_overview
from bertviz_app.views.kit.canvas import STALE
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import tip_of
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.heads_table import HeadsModel
from bertviz_app.views.overview.view import numbers_of
from bertviz_app.views.tokens.chip import Badges, Chip, draw_chips
from bertviz_app.views.tokens.edit_menus import ChipMenu
from bertviz_app.views.tokens.strip import TokenStrip
from tests.support.factories import make_tokens, make_trace
from tests.support.fakes import tokens_of
from tests.support.panel_scenes import VectorScene, scene
from tests.support.scene import (
    blended,
    channels,
    click,
    drag,
    lines_drawn_by,
    move,
    on_screen,
    pixels_of,
    wheel,
)

__all__ = ["scene"]


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


def _with_other(tokens: Tokens, fact: str) -> Tokens:
    """Return `tokens` with one fact of token 4 changed."""
    more = (np.arange(9) == 4).astype(np.int32)
    return {
        "pieces": replace(tokens, pieces=(*tokens.pieces[:4], "v4", *tokens.pieces[5:])),
        "ids": replace(tokens, ids=tokens.ids + more),
        "segment_ids": replace(tokens, segment_ids=tokens.segment_ids + more),
        "position_ids": replace(tokens, position_ids=tokens.position_ids + more),
    }[fact]


_PIECES = (
    "한국어",
    "##를",
    "because",
    "漢字",
    "i",
    "[SEP]",
    "a-very-long-piece-that-has-no-room-in-its-chip",
)


def _all_kinds() -> list[Chip]:
    """Return chips of every sentence and state."""
    states = product(
        ("accent", "sentence_b", "special"), (False, True), (frozenset[int](), frozenset({0, 2}))
    )
    return [
        Chip((_PIECES[number % len(_PIECES)], "7", "0", "1"), *state[:2], state[0] == "special", state[2])
        for number, state in enumerate(states)
    ]


def _strip_of(qtbot: QtBot, look: Look, selection: Selection, tokens: Tokens) -> TokenStrip:
    strip = on_screen(qtbot, TokenStrip(look, selection), 900, 104)
    strip.show_tokens(tokens)
    return strip


def _other_theme(strip: TokenStrip) -> None:
    strip.look.set_palette(read_palette("dark"))


def _other_size(strip: TokenStrip) -> None:
    strip.look.set_scale(1.25)


def _other_tokens(strip: TokenStrip) -> None:
    tokens = make_tokens(100)
    strip.show_tokens(replace(tokens, pieces=tuple(f"{piece}를" for piece in tokens.pieces)))


def _other_edits(strip: TokenStrip) -> None:
    strip.show_edits({at: frozenset({0}) for at in range(0, 100, 3)})


TOKENS = tokens_of("the cat sat", "it slept")


@pytest.fixture
def badges(qtbot: QtBot) -> Badges:
    badges = Badges(QBoxLayout.Direction.LeftToRight, most=2)
    qtbot.addWidget(badges)
    return badges


@pytest.fixture
def chosen(badges: Badges) -> list[Edits]:
    edits: list[Edits] = []
    badges.edits_chosen.connect(edits.append)
    return edits


def _texts(badges: Badges) -> list[str]:
    return [button.text() for button in badges.buttons]


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


TIP, SHOWN = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.DisplayRole


@pytest.fixture
def roberta() -> Trace:
    trace = make_trace(6)
    pieces = {"[CLS]": "<s>", "[SEP]": "</s>"}
    tokens = replace(trace.tokens, pieces=tuple(pieces.get(piece, piece) for piece in trace.tokens.pieces))
    return replace(trace, tokens=tokens)


def _buttons(scene: VectorScene) -> list[str]:
    return [button.text() for button in scene.view.choice.findChildren(QPushButton)]


def test_every_token_is_found_under_the_pointer_in_its_order(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    found = _under(strip, selection)
    assert list(found) == list(range(9))
    move(strip, 10, 40)
    assert not selection.shown
    move(strip, strip.width() - 2, 40)
    assert not selection.shown


@pytest.mark.parametrize("fact", ["pieces", "position_ids"])
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


def test_a_click_pins_and_another_unpins(strip: TokenStrip, selection: Selection) -> None:
    strip.show_tokens(make_tokens(9))
    x = _under(strip, selection)[3] + 8
    click(strip, x, 40)
    assert selection.pinned == Pair(query=3)
    click(strip, x, 40)
    assert not selection.pinned


def test_the_arrows_walk_along_the_tokens_and_stop_at_the_ends(
    strip: TokenStrip, selection: Selection
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


@pytest.mark.parametrize("fact", ["pieces", "segment_ids"])
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


def test_shift_and_the_arrows_walk_the_key_beside_the_query(strip: TokenStrip, selection: Selection) -> None:
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


def test_every_kind_of_chip_looks_unlike_the_others(qapp: QApplication, look: Look) -> None:
    drawn = set()
    for chip in _all_kinds():
        image = QImage(80, 90, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        with QPainter(image) as painter:
            draw_chips(painter, look, [(chip, QRectF(2, 2, 76, 82))], [QRectF(0, 6, 0, 20)] * 4)
        drawn.add(bytes(image.constBits()))
    assert len(drawn) == len(_all_kinds())


@pytest.mark.parametrize("change", [_other_theme, _other_size, _other_tokens, _other_edits])
def test_what_was_drawn_before_is_not_shown_once_it_is_out_of_date(
    qtbot: QtBot, look: Look, selection: Selection, change: Callable[[TokenStrip], None]
) -> None:
    strip = _strip_of(qtbot, look, selection, make_tokens(100))
    strip.repaint()
    strip.repaint()
    change(strip)
    wheel(strip, 400, 40, -8)
    assert strip.tokens is not None
    anew = _strip_of(qtbot, look, selection, strip.tokens)
    anew.show_edits(strip.edited)
    wheel(anew, 400, 40, -8)
    np.testing.assert_array_equal(pixels_of(strip), pixels_of(anew))


def test_a_token_is_named_as_it_is_written_in_its_own_sentence(badges: Badges, chosen: list[Edits]) -> None:
    edits = Edits(((1, 2),), ((2, "[MASK]"), (6, "##ing")))
    badges.show_edits(edits, TOKENS)
    assert _texts(badges) == ["Muted: 1·2  ✕", "cat → [MASK]  ✕", "slept → ##ing  ✕"]
    badges.buttons[1].click()
    badges.buttons[0].click()
    assert chosen == [edits.with_token(2, None), Edits(replaced=edits.replaced)]
    assert all(button.toolTip() and button.accessibleName() for button in badges.buttons)


def test_an_ampersand_is_written_on_a_badge(badges: Badges) -> None:
    badges.show_edits(Edits(replaced=((2, "&"),)), TOKENS)
    assert _texts(badges) == ["cat → &&  ✕"]  # Qt would take a single one for the mark of a mnemonic
    assert badges.buttons[0].accessibleName().startswith("cat → &: ")


@pytest.mark.parametrize("positions", [(1, 2)])
def test_a_tip_does_not_take_a_token_for_a_tag(badges: Badges, positions: tuple[int, ...]) -> None:
    """Of "<s> (1): dropped" all the rest was struck through, and "<s>" was not to be read."""
    edits = Edits.of([TokenIntervention(position, "drop") for position in positions])
    badges.show_edits(edits, tokens_of("<s> cat"), Edits())
    (button,) = badges.buttons
    assert "<s> (1): dropped" in button.accessibleName()
    shown = QTextDocument()
    shown.setHtml(button.toolTip())
    assert "<s> (1): dropped" in shown.toPlainText()


def test_many_tokens_share_a_badge(badges: Badges, chosen: list[Edits]) -> None:
    edits = Edits(replaced=((1, "a"), (2, "b"), (3, "c")))
    badges.show_edits(edits, TOKENS)
    assert _texts(badges) == ["the → a  ✕", "2 more replaced  ✕"]
    badges.buttons[1].click()
    assert chosen == [Edits()]


def test_many_heads_share_a_badge_whose_menu_unmutes_them(badges: Badges, chosen: list[Edits]) -> None:
    edits = Edits(((0, 1), (2, 3), (4, 5)))
    badges.show_edits(edits, make_tokens(4))
    assert _texts(badges) == ["Muted: 0·1, 2·3 …  ✕"]
    assert "0·1, 2·3, 4·5" in badges.buttons[0].toolTip()
    badges.buttons[0].click()
    actions = badges.findChildren(QMenu)[-1].actions()
    assert [action.text() for action in actions if action.text()] == [
        *("Unmute 0·1", "Unmute 2·3", "Unmute 4·5"),
        "Unmute all",
    ]
    actions[1].trigger()
    actions[-1].trigger()
    assert chosen == [Edits(((0, 1), (4, 5))), Edits()]


def test_until_a_change_is_read_tokens_are_found_with_what_was_read(badges: Badges) -> None:
    drop, mask = TokenIntervention(1, "drop"), TokenIntervention(3)
    badges.show_edits(Edits.of([drop, mask]), TOKENS, Edits())
    assert _texts(badges) == ["sat → [MASK]  ✕", "the (1): dropped  ✕"]
    read = with_edits(TOKENS, Edits.of([drop]), lambda given: (given, 0))
    badges.show_edits(Edits.of([drop, mask]), read, Edits.of([drop]))
    assert _texts(badges) == ["sat → [MASK]  ✕", "the (1): dropped  ✕"]


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


def test_the_columns_of_the_table_follow_the_checkpoint(qtbot: QtBot, roberta: Trace) -> None:
    model, column = HeadsModel(), KEYS.index("first") + 1
    model.show_overview(head_overview(make_trace(6)))
    assert model.headerData(column, Qt.Orientation.Horizontal, SHOWN) == "[CLS]"
    with qtbot.waitSignal(model.headerDataChanged):
        model.show_overview(head_overview(roberta))
    assert model.headerData(column, Qt.Orientation.Horizontal, SHOWN) == "<s>"
    assert "&lt;s&gt;" in str(model.headerData(column, Qt.Orientation.Horizontal, TIP))


def test_the_overview_follows_the_checkpoint(qtbot: QtBot, look: Look, roberta: Trace) -> None:
    panels = Panels()
    panels.set_size(2, 3)
    card = on_screen(qtbot, OverviewCard(look, panels), 500, 420)
    change_overview(panels.store, shows="first")
    card.show_overview(head_overview(make_trace(6)))
    assert card.shows.text() == "Weight on [CLS]"
    card.show_overview(head_overview(roberta))
    assert card.shows.text() == "Weight on <s>"
    table = str(numbers_of(head_overview(roberta), (0, 0)))
    assert "Weight on <s>" in table
    assert "CLS" not in table


def test_vectors_name_the_first_token(roberta: Trace, scene: VectorScene) -> None:
    scene.show(make_trace(6))
    assert "[CLS]" in _buttons(scene)
    scene.show(roberta)
    assert "<s>" in _buttons(scene)
    assert "[CLS]" not in _buttons(scene)
    assert scene.view.cls.heat.accessibleName().startswith("<s> in every layer")


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
