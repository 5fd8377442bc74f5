"""Pointing, clicking, zooming and keys on the drawings of a head: the same tokens in all views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, Pair, change_options
from bertviz_app.viewmodels.viewport import TokenSpan, Viewport
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines import LinesView, WordsView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.canvas import STALE
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.tokens.strip import TokenStrip
from tests.support.factories import make_tokens, make_trace, trace_of
from tests.support.scene import (
    click,
    difference_picture,
    drag,
    ends_of,
    head_picture,
    leave,
    lines_of_text,
    move,
    not_none,
    on_screen,
    picture_of,
    pixels_of,
    random_attention,
    turn_events,
    wheel,
)

N_TOKENS = 40


Kind = type[MatrixView] | type[LinesView] | type[WordsView]


Make = Callable[[Kind], HeadView]


@pytest.fixture
def make(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport) -> Make:
    """Make views of one head on the same selection and viewport."""
    picture = picture_of(random_attention(N_TOKENS))
    viewport.fit(N_TOKENS)

    def make(kind: Kind) -> HeadView:
        view = kind(look, selection, viewport)
        view.show_picture(picture)
        return on_screen(qtbot, view, 500, 500)

    return make


def cell(view: HeadView, query: int, key: int) -> tuple[float, float]:
    """Return the middle of a cell of the matrix."""
    assert isinstance(view, MatrixView)
    middle = view.plot.cell_rect(query, key).center()
    return middle.x(), middle.y()


def _lines_of(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, attention: Doubles
) -> LinesView:
    viewport.fit(len(attention))
    view = LinesView(look, selection, viewport)
    view.show_picture(picture_of(attention))
    return on_screen(qtbot, view, 500, 500)


def _point_on(view: LinesView, query: int, key: int, percent: float) -> tuple[float, float]:
    """Return a point of the curve that is drawn from a query to a key."""
    point = not_none(view.laid_out).brush.curve(query, key).pointAtPercent(percent)
    return point.x(), point.y()


def _only_the_cross_changes(
    view: HeadView | TokenStrip, before: NDArray[np.uint32], highlighted: NDArray[np.uint32], pair: Pair
) -> None:
    """Check that only the row of the query, the column of the key and labels are drawn otherwise."""
    assert isinstance(view, MatrixView)
    assert pair.query is not None
    assert pair.key is not None
    cell = view.plot.cell_rect(pair.query, pair.key).adjusted(-3, -3, 3, 3).toAlignedRect()
    is_cross = np.zeros(highlighted.shape, np.bool_)
    is_cross[cell.top() : cell.bottom() + 1] = True
    is_cross[:, cell.left() : cell.right() + 1] = True
    labels = view.plot.plot_rect
    is_cross[:, : int(labels.left())] = True  # the label of the query takes the room of its neighbours
    is_cross[: int(labels.top()), :] = is_cross[int(labels.bottom()) :, :] = True
    changed = highlighted != before
    assert changed[cell.top() : cell.bottom() + 1].any(axis=0).mean() > 0.5
    assert changed[:, cell.left() : cell.right() + 1].any(axis=1).mean() > 0.5
    assert not changed[~is_cross].any()


def _away_from(ground: np.uint32, drawn: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return how much each pixel [h, w] differs from the colour of the empty ground, over all channels."""
    channels = [np.abs((drawn >> s & 255).astype(int) - int(ground >> s & 255)) for s in (0, 8, 16)]
    apart: NDArray[np.int64] = np.sum(channels, axis=0)
    return apart


def _named(look: Look, viewport: Viewport, labels: list[str]) -> HeadPicture:
    """Return a picture of tokens with these labels."""
    viewport.fit(len(labels))
    tokens = replace(make_tokens(len(labels)), pieces=tuple(labels))
    return head_picture(trace_of(random_attention(len(labels))[None, None], tokens), 0, 0)


WORDS = ["[CLS]", "a", "cat", "ate", "the", "fish", "because", "it", "was", "hungry", "[SEP]"]


def test_labels_and_columns_are_a_query_or_a_key_alone(make: Make, selection: Selection) -> None:
    view = make(MatrixView)
    queries, keys = view.axes()
    move(view, 20, queries.middle(11))
    assert selection.shown == Pair(query=11)
    move(view, keys.middle(9), 14)
    assert selection.shown == Pair(key=9)
    move(view, view.width() - 3, view.height() - 3)
    assert selection.shown == NOTHING
    # the columns of the lines are queries and keys
    view = make(LinesView)
    queries, keys = view.axes()
    move(view, 20, queries.middle(11))
    assert selection.shown == Pair(query=11)
    move(view, view.width() - 20, keys.middle(30))
    assert selection.shown == Pair(key=30)


@pytest.mark.parametrize("percent", [0.2])
def test_a_line_under_the_pointer_is_its_query_and_key_and_a_click_pins_it(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, percent: float
) -> None:
    """Each query looks at one other key, so that there are twelve lines."""
    attention = np.roll(np.eye(12), 5, axis=1)
    view = _lines_of(qtbot, look, selection, viewport, attention)
    for query in (0, 3, 11):
        key = (query + 5) % 12
        at = _point_on(view, query, key, percent)
        move(view, *at)
        assert attention[selection.shown.query, selection.shown.key] == 1
        if percent != 0.5:  # where lines of both directions cross it may be either
            assert selection.shown == Pair(query, key)
    click(view, *at)
    assert selection.pinned == Pair(11, 4)
    click(view, *at)
    assert selection.pinned == NOTHING


def test_of_lines_at_a_point_the_stronger_and_beside_them_none_is_meant(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport
) -> None:
    attention = np.eye(4)
    attention[0] = [0, 0, 0, 1]
    attention[3] = [0.7, 0, 0, 0.3]
    view = _lines_of(qtbot, look, selection, viewport, attention)
    move(view, *_point_on(view, 0, 3, 0.5))
    assert selection.shown == Pair(0, 3)
    # beside the lines nothing is under the pointer
    view = _lines_of(qtbot, look, selection, viewport, np.eye(12))
    queries, _ = view.axes()
    move(view, view.width() / 2, queries.middle(5))
    assert selection.shown == Pair(5, 5)
    move(view, view.width() / 2, queries.edge(5))
    assert selection.shown == NOTHING
    faint = 0.97 * np.eye(12) + 0.03 / 11 * (1 - np.eye(12))
    view.show_picture(picture_of(faint))
    move(view, *_point_on(view, 0, 8, 0.3))
    assert selection.shown == NOTHING  # a line that can hardly be seen cannot be pointed at


def test_hovering_in_the_matrix_highlights_the_same_tokens_everywhere(
    qtbot: QtBot, make: Make, look: Look, selection: Selection
) -> None:
    hovered, lines = make(MatrixView), make(LinesView)
    strip = on_screen(qtbot, TokenStrip(look, selection), 1900, 104)
    strip.show_tokens(not_none(hovered.picture).trace.tokens)
    assert isinstance(lines, LinesView)
    lines.complete()
    others: list[HeadView | TokenStrip] = [lines, strip, make(MatrixView)]
    before = [pixels_of(view).copy() for view in others]
    move(hovered, *cell(hovered, 5, 17))
    assert lines.shown == Pair(5, 17)
    highlighted = [pixels_of(view).copy() for view in others]
    assert all((now != then).any() for now, then in zip(highlighted, before, strict=True))
    _only_the_cross_changes(others[2], before[2], highlighted[2], Pair(5, 17))
    leave(hovered)
    turn_events()
    assert selection.shown == NOTHING
    for view, as_before in zip(others, before, strict=True):
        np.testing.assert_array_equal(pixels_of(view), as_before)
    selection.hover(5, 17)  # what the tests of each view look at more closely
    for view, as_hovered in zip(others, highlighted, strict=True):
        np.testing.assert_array_equal(pixels_of(view), as_hovered)


def test_the_cell_that_zooming_brings_under_the_pointer_is_highlighted(
    make: Make, viewport: Viewport, selection: Selection
) -> None:
    view = make(MatrixView)
    queries, keys = view.axes()
    x, y = keys.middle(20), queries.middle(20)
    move(view, x, y)
    assert selection.shown == Pair(20, 20)
    viewport.show(TokenSpan(0.0, 8.0), TokenSpan(2.0, 10.0))
    under = view.pair_at(QPointF(x, y))
    assert under != Pair(20, 20)
    assert selection.shown == under


def test_the_read_out_names_the_pair_and_its_exact_weight(make: Make) -> None:
    view = make(MatrixView)
    move(view, *cell(view, 7, 21))
    pixels_of(view)
    weight = float(not_none(view.picture).trace.attention(0, 0)[7, 21])
    assert view.plot.read_out.lines == ("w7 → w21", f"weight {weight:.4f} · query 7 · key 21")


@pytest.mark.parametrize("kind", [MatrixView, LinesView])
def test_before_there_is_a_picture_nothing_can_go_wrong(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, kind: Kind
) -> None:
    view = on_screen(qtbot, kind(look, selection, viewport), 300, 300)
    pixels_of(view)
    move(view, 150, 150)
    click(view, 150, 150)
    wheel(view, 150, 150, 1)
    assert selection.shown == NOTHING


@pytest.mark.parametrize("kind", [MatrixView, LinesView])
@pytest.mark.parametrize("n_tokens", [1, 3])
def test_the_shortest_texts_are_drawn_with_every_token_as_query_and_key(
    qtbot: QtBot, look: Look, selection: Selection, tmp_path: Path, kind: Kind, n_tokens: int
) -> None:
    viewport = Viewport()
    viewport.fit(n_tokens)
    view = kind(look, selection, viewport)
    view.show_picture(picture_of(random_attention(n_tokens)))
    on_screen(qtbot, view, 400, 300)
    write(record(view, look, None), tmp_path / "a.svg")
    texts = "".join(lines_of_text(tmp_path / "a.svg"))
    assert [texts.count(label) for label in make_tokens(n_tokens).labels] == [2] * n_tokens


@pytest.mark.parametrize("kind", [MatrixView, LinesView])
def test_a_stale_picture_is_dimmed(make: Make, kind: Kind) -> None:
    view = make(kind)
    if isinstance(view, LinesView):
        view.complete()
    before = pixels_of(view).copy()
    ground = before[1, 1]
    view.set_stale(True)
    ink, dimmed = (_away_from(ground, drawn) for drawn in (before, pixels_of(view)))
    assert dimmed.sum() == pytest.approx(STALE * ink.sum(), rel=0.2)
    view.set_stale(False)
    np.testing.assert_array_equal(pixels_of(view), before)


@pytest.mark.parametrize("keypad", [Qt.KeyboardModifier.KeypadModifier])
@pytest.mark.parametrize("kind", [MatrixView, LinesView])
def test_keys_pin_the_next_query_and_key(
    make: Make, selection: Selection, kind: Kind, keypad: Qt.KeyboardModifier
) -> None:
    """On macOS the arrows are keys of the keypad."""
    view = make(kind)
    shift = Qt.KeyboardModifier.ShiftModifier | keypad
    QTest.keyClick(view.plot, Qt.Key.Key_Down, shift)
    assert selection.pinned == Pair(query=0)
    QTest.keyClick(view.plot, Qt.Key.Key_Down, shift)
    QTest.keyClick(view.plot, Qt.Key.Key_Right, shift)
    assert selection.pinned == Pair(1, 0)
    QTest.keyClick(view.plot, Qt.Key.Key_Left, shift)
    assert selection.pinned == Pair(1, N_TOKENS - 1)
    QTest.keyClick(view.plot, Qt.Key.Key_Up, shift)
    QTest.keyClick(view.plot, Qt.Key.Key_Up, shift)
    assert selection.pinned == Pair(N_TOKENS - 1, N_TOKENS - 1)


def test_in_a_narrow_panel_weights_leave_labels_whole(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport
) -> None:
    view = on_screen(qtbot, LinesView(look, selection, viewport), 328, 540)
    view.show_picture(_named(look, viewport, WORDS))
    selection.hover(query=3)
    written = [text for _, text in drawn_texts(view.plot)]
    assert "…" not in "".join(written)
    for word in WORDS:
        assert written.count(word) >= 2, f"{word} on both sides"


def test_the_highlighted_cell_is_the_one_under_the_pointer_when_the_drawing_changes(
    make: Make, selection: Selection
) -> None:
    view = make(MatrixView)
    at = cell(view, 5, 30)
    move(view, *at)
    change_options(view.store, shows_sums=True)  # which moves the cells
    highlighted = view.pair_at(QPointF(*at))
    assert selection.shown == highlighted != Pair(5, 30)
    view.resize(430, 420)
    assert selection.shown == NOTHING
    assert view.plot.pointer is None


@pytest.mark.parametrize("hovered", [Pair(3, 2)])
def test_a_token_of_two_equal_heads_is_highlighted_although_no_line_leaves_it(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, hovered: Pair
) -> None:
    trace = make_trace(8)
    picture = difference_picture(trace, trace)
    assert picture.largest == 0
    viewport.fit(*picture.token_order.counts)
    view = LinesView(look, selection, viewport)
    view.show_picture(picture)
    on_screen(qtbot, view, 500, 500)
    before = pixels_of(view)
    selection.hover(hovered.query, hovered.key)
    changed = before != pixels_of(view)
    left, right = (round(end) for end in ends_of(view))
    assert changed[:, :left].any() == (hovered.query is not None)
    assert changed[:, right:].any() == (hovered.key is not None)
    assert not changed[:, left:right].any()


@pytest.mark.parametrize("kind", [MatrixView, LinesView])
def test_the_wheel_zooms_all_panels_about_the_token_under_the_pointer(
    make: Make, viewport: Viewport, kind: Kind
) -> None:
    view, other = make(kind), make(MatrixView)
    queries, keys = view.axes()
    x, y = keys.middle(20), queries.middle(20)
    before = pixels_of(other).copy()
    wheel(view, x, y, 4)
    assert viewport.queries.length == pytest.approx(N_TOKENS * 0.85**4)
    assert view.axes()[0].token(y) == 20
    turn_events()  # the panel under the pointer comes first
    assert other.axes()[0].span == view.axes()[0].span == viewport.queries
    np.testing.assert_array_equal(pixels_of(other), pixels_of(make(MatrixView)))  # drawn anew from there
    assert (pixels_of(other) != before).mean() > 0.2
    wheel(view, x, y, -40)
    assert viewport.is_whole
    np.testing.assert_array_equal(pixels_of(other), before)


def test_a_drag_pans_all_panels_and_pins_nothing(
    make: Make, viewport: Viewport, selection: Selection
) -> None:
    view = make(MatrixView)
    make(LinesView)
    viewport.show(TokenSpan(10.0, 20.0), TokenSpan(10.0, 20.0))
    queries, keys = view.axes()
    x, y = keys.middle(15), queries.middle(15)
    drag(view, [(x, y), (x, y - queries.pitch), (x, y - 3 * queries.pitch)])
    assert viewport.queries.first == pytest.approx(13.0, abs=0.05)
    assert viewport.queries.length == pytest.approx(10.0)
    assert selection.pinned == NOTHING


def test_a_drag_over_the_whole_matrix_zooms_into_the_rectangle_and_pins_nothing(
    make: Make, viewport: Viewport, selection: Selection
) -> None:
    view = make(MatrixView)
    drag(view, [cell(view, 9, 12), cell(view, 7, 8), cell(view, 5, 4)])
    assert (viewport.queries, viewport.keys) == (TokenSpan(5.0, 10.0), TokenSpan(4.0, 13.0))
    assert not selection.pinned


def test_a_drag_of_a_few_pixels_is_a_click(make: Make, viewport: Viewport, selection: Selection) -> None:
    view = make(MatrixView)
    x, y = cell(view, 5, 5)
    drag(view, [(x, y), (x + 1, y + 1)])
    assert viewport.is_whole
    assert selection.pinned == Pair(5, 5)


@pytest.mark.parametrize("kind", [LinesView, MatrixView, WordsView])
def test_a_view_that_is_gone_follows_neither_the_selection_nor_the_viewport(
    look: Look, selection: Selection, viewport: Viewport, kind: Kind
) -> None:
    view = kind(look, selection, viewport)
    viewport.fit(N_TOKENS)
    view.show_picture(picture_of(random_attention(N_TOKENS)))
    shiboken6.delete(view)
    # An exception in a slot would fail the test.
    selection.hover(2, 3)
    viewport.zoom(0.5, 4.0, 4.0)
    selection.leave()
