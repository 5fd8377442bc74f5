"""What is pointed at, pinned and in sight: pointer, selection, viewport, axis and the row of chips."""

from __future__ import annotations

from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from PySide6.QtWidgets import QApplication

from bertviz_app.viewmodels.pointer import Pointer, Selection
from bertviz_app.viewmodels.state import NOTHING, Pair, Store
from bertviz_app.viewmodels.viewport import FEWEST, PixelAxis, TokenSpan, Viewport
from bertviz_app.views.tokens.strip import ChipRow

# A: w0 w1 w2, B: w0 x w1; "x" is new and w2 is gone
ALIGNED = np.array([[0, 0], [-1, 1], [1, 2], [2, -1]], np.int32)


@pytest.fixture
def pointer(qapp: QApplication) -> Pointer:
    return Pointer(Store(typing_ends_ms=0))


def test_a_gesture_in_one_run_is_told_once(pointer: Pointer) -> None:
    pointer.align(ALIGNED, ALIGNED)
    told: list[dict[str, Pair]] = []
    pointer.changed.connect(lambda: told.append({run: pointer.selections[run].shown for run in ("A", "B")}))
    pointer.selections["A"].hover(1, 0)
    pointer.selections["A"].hover(1, 0)
    pointer.selections["B"].pin(2)
    pointer.selections["A"].leave()
    assert told == [
        {"A": Pair(1, 0), "B": Pair(2, 0)},
        {"A": Pair(1, 0), "B": Pair(2, 0)},
        {"A": Pair(1), "B": Pair(2)},
    ]


def test_a_hover_takes_nothing_from_a_pin_on_a_token_that_the_other_run_lacks(pointer: Pointer) -> None:
    a, b = pointer.selections["A"], pointer.selections["B"]
    pointer.align(ALIGNED, ALIGNED)
    a.pin(2, 1)
    b.hover(0)
    assert (a.shown, a.pinned, b.pinned) == (Pair(0), Pair(2, 1), Pair(None, 2))
    b.leave()
    b.pin(1, 2)
    a.hover(0)
    assert (b.shown, b.pinned, a.pinned) == (Pair(0), Pair(1, 2), Pair(None, 1))


def test_what_is_hovered_and_pinned_in_run_a_is_so_in_a_new_run_b(pointer: Pointer) -> None:
    a, b = pointer.selections["A"], pointer.selections["B"]
    a.pin(1, 0)
    a.hover(1)
    pointer.align(ALIGNED, ALIGNED)
    assert (b.pinned, b.hovered) == (Pair(2, 0), Pair(2))
    same = ALIGNED[ALIGNED[:, 0] >= 0][:, :1].repeat(2, 1)
    pointer.align(same, same)
    assert (b.pinned, b.hovered) == (Pair(1, 0), Pair(1))


def test_a_hover_and_the_end_of_a_restoring_are_notified(qapp: QApplication) -> None:
    store = Store(typing_ends_ms=0)
    pointer = Pointer(store)
    store.change(text="w1 w2", pinned=Pair(1))
    for text in ("w1", "w1 w2"):
        store.restore(store.now.with_texts(text, None))
    shown: list[Pair] = []
    a = pointer.selections["A"]
    pointer.changed.connect(lambda: shown.append(a.shown))
    a.hover(0)
    a.leave()
    store.settle(store.now)
    assert shown == [Pair(0), NOTHING, Pair(1)], "the pin is that of the run that comes back"


def test_undo_moves_the_pin_of_every_run(qapp: QApplication) -> None:
    store = Store(typing_ends_ms=0)
    pointer = Pointer(store)
    store.change(text="w1 w2")
    pointer.align(ALIGNED, ALIGNED)
    for token in (0, 1):
        store.end_typing()
        pointer.selections["A"].pin(token)
    assert pointer.pinned("B") == Pair(2)
    store.undo()
    assert (pointer.pinned("A"), pointer.pinned("B"), pointer.pinned("A-B")) == (Pair(0), Pair(0), Pair(0))
    store.undo()
    assert (pointer.pinned("A"), pointer.pinned("B")) == (NOTHING, NOTHING)


def test_the_pin_of_a_text_that_is_being_restored_waits_for_it(qapp: QApplication) -> None:
    store = Store(typing_ends_ms=0)
    pointer = Pointer(store)
    store.change(text="w1 w2", pinned=Pair(1))
    store.end_typing()
    store.assign(store.now.with_texts("w1", None))
    store.change("amend", pinned=NOTHING)
    store.undo()
    assert pointer.pinned("A") == NOTHING, "the text on screen is still the other one"
    pointer.selections["A"].hover(0)
    pointer.selections["A"].leave()
    assert store.now.pinned == Pair(1), "to point at the old text takes nothing from the one that comes back"
    store.settle(store.now)
    assert pointer.pinned("A") == Pair(1)


def test_the_end_of_a_comparison_drops_what_was_of_run_b(pointer: Pointer) -> None:
    pointer.align(ALIGNED, ALIGNED)
    pointer.selections["A"].pin(1, partner=2)
    assert pointer.pinned("B") == Pair(2, partner=1)
    pointer.part()
    assert (pointer.pinned("A"), pointer.pinned("B")) == (Pair(1), NOTHING)
    pointer.selections["B"].hover(1)
    assert pointer.hovered["A"] == NOTHING


def test_a_shorter_text_of_run_b_takes_no_pin_from_run_a(pointer: Pointer) -> None:
    a, b = pointer.selections["A"], pointer.selections["B"]
    pointer.align(ALIGNED, ALIGNED)
    a.pin(1, 0)
    b.hover(2)
    pointer.keep_within("B", 1)
    assert (a.pinned, b.pinned) == (Pair(1, 0), Pair(None, 0))
    assert (a.hovered, b.hovered) == (NOTHING, NOTHING), "the token under the pointer is gone"
    shorter = np.array([[0, 0], [1, -1], [2, -1]], np.int32)
    pointer.align(shorter, shorter)
    assert (a.pinned, b.pinned) == (Pair(1, 0), Pair(None, 0))


lengths = st.floats(1.0, 4000.0)
starts = st.floats(-500.0, 500.0)


@st.composite
def spans(draw: st.DrawFn) -> TokenSpan:
    """A stretch that a viewport of up to 8,192 tokens may show."""
    n_tokens = draw(st.integers(1, 8192))
    first, length = draw(st.floats(0, n_tokens)), draw(st.floats(0.5, 8192))
    return TokenSpan(first, first + length).within(n_tokens)


@st.composite
def axes(draw: st.DrawFn) -> PixelAxis:
    return PixelAxis(draw(spans()), draw(starts), draw(lengths))


sizes = st.integers(1, 8192)
factors = st.floats(0.05, 20.0)


def _fitted(n_tokens: int) -> Viewport:
    viewport = Viewport()
    viewport.fit(n_tokens)
    return viewport


@st.composite
def moved(draw: st.DrawFn) -> Viewport:
    """A viewport after some zooming and panning."""
    viewport = _fitted(draw(sizes))
    for _ in range(draw(st.integers(0, 4))):
        position = st.floats(0, viewport.n_keys)
        viewport.zoom(draw(factors), draw(position), draw(position))
        viewport.show(
            *(_moved(span, draw(st.floats(-100, 100))) for span in (viewport.queries, viewport.keys))
        )
    return viewport


def _moved(span: TokenSpan, by: float) -> TokenSpan:
    return TokenSpan(span.first + by, span.last + by)


def _is_within(span: TokenSpan, n_tokens: int) -> bool:
    fewest = min(FEWEST, n_tokens)
    return span.first >= 0 and span.last <= n_tokens and span.length >= fewest * (1 - 1e-9)


@pytest.fixture
def row() -> ChipRow:
    """Five chips of 10, 20, 30, 40 and 50 pixels from 100 on, and 25 pixels after them; 80 are in sight."""
    row = ChipRow(100.0)
    row.lay_out([10.0, 20.0, 30.0, 40.0, 50.0], after=25.0)
    row.room = 80.0
    return row


@given(axes(), st.data())
def test_the_middle_of_a_token_is_on_it(axis: PixelAxis, data: st.DataObject) -> None:
    token = data.draw(st.sampled_from(axis.tokens()))
    middle = axis.middle(token)
    assert axis.edge(token) <= middle <= axis.edge(token + 1)
    if axis.start + 1e-6 < middle < axis.end - 1e-6:
        assert axis.token(middle) == token


@given(axes(), st.floats(4, 200), st.data())
def test_the_highlighted_token_is_labelled_and_nothing_overlaps_it(
    axis: PixelAxis, room: float, data: st.DataObject
) -> None:
    highlighted = data.draw(st.sampled_from(axis.tokens()))
    labelled = axis.labelled(room, frozenset({highlighted}))
    if axis.span.first <= highlighted + 0.5 <= axis.span.last:
        assert highlighted in labelled
    middles = [axis.middle(token) for token in labelled]
    for before, after in pairwise(middles):
        assert after - before >= room - 1e-6


@given(axes(), st.floats(4, 200))
def test_every_token_with_room_is_labelled(axis: PixelAxis, room: float) -> None:
    wide = PixelAxis(axis.span, axis.start, axis.span.length * room * 1.001)
    in_sight = [t for t in wide.tokens() if axis.span.first <= t + 0.5 <= axis.span.last]
    assert wide.labelled(room) == in_sight


@given(st.integers(20, 400), st.floats(0, 100), st.floats(10, 40))
def test_labels_stay_on_their_tokens_while_one_pans(n_tokens: int, by: float, room: float) -> None:
    span = TokenSpan(0.0, 20.0)
    before = set(PixelAxis(span, 0.0, 100.0).labelled(room))
    moved = TokenSpan(by, by + 20.0).within(n_tokens)
    after = set(PixelAxis(moved, 0.0, 100.0).labelled(room))
    in_both = {token for token in before if moved.first <= token}
    assert in_both <= after


@given(moved())
def test_what_is_in_sight_exists(viewport: Viewport) -> None:
    for span in (viewport.queries, viewport.keys):
        assert _is_within(span, viewport.n_keys)
        assert set(PixelAxis(span, 0.0, 100.0).tokens()) <= set(range(viewport.n_keys))


@given(moved(), factors, st.floats(0, 1), st.floats(0, 1))
def test_the_point_zoomed_about_stays_where_it_is(
    viewport: Viewport, factor: float, across: float, down: float
) -> None:
    before = (viewport.queries, viewport.keys)
    points = [span.first + share * span.length for span, share in zip(before, (down, across), strict=True)]
    viewport.zoom(factor, *points)
    for old, new, point, share in zip(
        before, (viewport.queries, viewport.keys), points, (down, across), strict=True
    ):
        # At an end of the sequence there is nothing further to show, and the point has to give way.
        if new.first > 1e-9 and new.last < viewport.n_keys - 1e-9:
            assert (point - new.first) / new.length == pytest.approx(share, abs=1e-6)
        assert new.length <= max(old.length, old.length * factor) * (1 + 1e-9)


@given(moved(), st.floats(-1000, 1000))
def test_panning_keeps_the_zoom_and_stops_at_the_ends(viewport: Viewport, by: float) -> None:
    before = viewport.keys
    viewport.show(viewport.queries, _moved(viewport.keys, by))
    assert viewport.keys.length == pytest.approx(before.length)
    expected = min(max(before.first + by, 0.0), viewport.n_keys - before.length)
    assert viewport.keys.first == pytest.approx(expected, abs=1e-6)


def test_a_viewport_notifies_once_and_fits_everything() -> None:
    viewport, changed = _fitted(100), Mock()
    viewport.changed.connect(changed)
    viewport.zoom_middle(0.5)
    assert changed.call_count == 1
    assert (viewport.queries, viewport.keys) == (TokenSpan(25.0, 75.0), TokenSpan(25.0, 75.0))
    viewport.show(TokenSpan(30.0, 80.0), TokenSpan(20.0, 70.0))
    assert changed.call_count == 2
    assert (viewport.queries, viewport.keys) == (TokenSpan(30.0, 80.0), TokenSpan(20.0, 70.0))
    # fit shows everything
    viewport = _fitted(20)
    viewport.zoom_middle(0.5)
    assert not viewport.is_whole
    viewport.fit()
    assert viewport.is_whole
    assert (viewport.queries, viewport.keys) == (TokenSpan(0.0, 20.0), TokenSpan(0.0, 20.0))


def test_a_click_picks_and_the_arrow_keys_do_not(qapp: QApplication) -> None:
    selection, picked = Selection(), list[Pair]()
    selection.pointer.picked.connect(lambda run, pair: picked.append(pair))
    selection.pin(query=1)
    selection.walk_to(query=2, key=4)
    assert (selection.pinned, picked) == (Pair(2, 4), [Pair(1)])
    selection.pick()
    assert picked == [Pair(1), Pair(2, 4)]
    selection.pin(query=2, key=4)
    assert (selection.pinned, picked[2:]) == (NOTHING, [Pair(2, 4)])
    selection.pick()
    assert len(picked) == 3, "there is nothing to pick"


def test_a_chip_is_revealed_by_scrolling_as_little_as_possible(row: ChipRow) -> None:
    assert not row.reveal(1)
    assert row.reveal(3)
    left, width = row.chip(3)
    assert left + width == 180
    assert not row.reveal(3)
    assert row.reveal(0)
    assert row.offset == 0
