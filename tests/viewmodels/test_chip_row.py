"""A row of chips: where each lies, which are in sight, and how far it is scrolled."""

from __future__ import annotations

import pytest

from bertviz_app.viewmodels.chip_row import GAP, ChipRow


@pytest.fixture
def row() -> ChipRow:
    """Five chips of 10, 20, 30, 40 and 50 pixels from 100 on, and 25 pixels after them; 80 are in sight."""
    row = ChipRow(100.0)
    row.lay_out([10.0, 20.0, 30.0, 40.0, 50.0], after=25.0)
    row.room = 80.0
    return row


def test_chips_lie_beside_each_other_with_a_gap(row: ChipRow) -> None:
    assert len(row) == 5
    assert [row.chip(index) for index in range(3)] == [(100, 10), (110 + GAP, 20), (130 + 2 * GAP, 30)]
    assert row.chip(5) == (250 + 5 * GAP, 25), "what follows the last chip"
    assert row.length == 150 + 5 * GAP + 25
    assert row.overflow == row.length - 80


def test_a_position_is_on_the_chip_drawn_there(row: ChipRow) -> None:
    assert row.at(99) is None
    assert (row.at(100), row.at(111), row.at(115)) == (0, 0, 1)
    row.scroll_to(40)
    for index in range(2, 5):
        left, width = row.chip(index)
        assert row.at(left + width / 2) == index
    assert row.at(row.chip(5)[0] + 1) is None


def test_it_is_scrolled_by_whole_pixels_and_to_its_ends(row: ChipRow) -> None:
    for requested, reached in ((12.4, 12), (-3, 0), (1_000, row.overflow)):
        row.scroll_to(requested)
        assert row.offset == reached
    row.room = 10_000
    row.scroll_to(5)
    assert (row.overflow, row.offset) == (0, 0)


@pytest.mark.parametrize("offset", [0, 9, 14, 38, 70, 115])
def test_chips_in_sight_are_those_that_overlap_the_room(row: ChipRow, offset: float) -> None:
    row.scroll_to(offset)
    seen = [index for index in range(5) if sum(row.chip(index)) > 100 and row.chip(index)[0] < 180]
    assert set(seen) <= set(row.in_sight())
    assert len(row.in_sight()) <= len(seen) + 1, "at most one more, whose gap is in sight"


def test_a_chip_is_revealed_by_scrolling_as_little_as_possible(row: ChipRow) -> None:
    assert not row.reveal(1)
    assert row.reveal(3)
    left, width = row.chip(3)
    assert left + width == 180
    assert not row.reveal(3)
    assert row.reveal(0)
    assert row.offset == 0
