"""What is in sight and pointed at: viewport, axis, selection and the row of chips."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.viewmodels.options import NOTHING, Pair
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.viewport import FEWEST, PixelAxis, TokenSpan, Viewport
from bertviz_app.views.tokens.strip import ChipRow

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


class CountedViewport(Viewport):
    """A viewport that counts how often it said that it changed."""

    def __init__(self, n_tokens: int) -> None:
        super().__init__()
        self.fit(n_tokens)
        self.n_changes = 0
        self.changed.connect(self._count)

    def _count(self) -> None:
        self.n_changes += 1


@st.composite
def moved(draw: st.DrawFn) -> CountedViewport:
    """A viewport after some zooming and panning."""
    viewport = CountedViewport(draw(sizes))
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


class CountedSelection(Selection):
    """A selection that counts how often it said that it changed."""

    def __init__(self) -> None:
        super().__init__()
        self.n_changes = 0
        self.changed.connect(self._count)

    def _count(self) -> None:
        self.n_changes += 1


@pytest.fixture
def selection() -> CountedSelection:
    return CountedSelection()


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
def test_what_is_in_sight_exists(viewport: CountedViewport) -> None:
    for span in (viewport.queries, viewport.keys):
        assert _is_within(span, viewport.n_keys)
        assert set(PixelAxis(span, 0.0, 100.0).tokens()) <= set(range(viewport.n_keys))


@given(moved(), factors, st.floats(0, 1), st.floats(0, 1))
def test_the_point_zoomed_about_stays_where_it_is(
    viewport: CountedViewport, factor: float, across: float, down: float
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
def test_panning_keeps_the_zoom_and_stops_at_the_ends(viewport: CountedViewport, by: float) -> None:
    before = viewport.keys
    viewport.show(viewport.queries, _moved(viewport.keys, by))
    assert viewport.keys.length == pytest.approx(before.length)
    expected = min(max(before.first + by, 0.0), viewport.n_keys - before.length)
    assert viewport.keys.first == pytest.approx(expected, abs=1e-6)


def test_a_viewport_notifies_once_and_fits_everything() -> None:
    # each change notifies once
    viewport = CountedViewport(100)
    viewport.zoom_middle(0.5)
    assert viewport.n_changes == 1
    assert (viewport.queries, viewport.keys) == (TokenSpan(25.0, 75.0), TokenSpan(25.0, 75.0))
    viewport.show(TokenSpan(30.0, 80.0), TokenSpan(20.0, 70.0))
    assert viewport.n_changes == 2
    assert (viewport.queries, viewport.keys) == (TokenSpan(30.0, 80.0), TokenSpan(20.0, 70.0))
    # fit shows everything
    viewport = CountedViewport(20)
    viewport.zoom_middle(0.5)
    assert not viewport.is_whole
    viewport.fit()
    assert viewport.is_whole
    assert (viewport.queries, viewport.keys) == (TokenSpan(0.0, 20.0), TokenSpan(0.0, 20.0))


def test_a_click_picks_and_the_arrow_keys_do_not(selection: CountedSelection) -> None:
    picked: list[Pair] = []
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
