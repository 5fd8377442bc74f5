"""Lanes: a strip of all dimensions, and beside it a window in which some are numbers."""

from __future__ import annotations

import pytest

from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.sheets.strips import lane, width_of_lane


def test_without_room_for_a_number_the_strip_takes_all(look: Look) -> None:
    narrow = width_of_lane(look, 1) - 1
    placed = lane(look, 10, narrow, 32, 0, has_window=True)
    assert (placed.shown, placed.strip.left(), placed.strip.width()) == (0, 10, narrow)


def test_the_window_begins_with_the_first_number_and_ends_with_the_last(look: Look) -> None:
    width = width_of_lane(look, 6)
    at_start = lane(look, 0, width, 32, -3, has_window=True)
    at_end = lane(look, 0, width, 32, 99, has_window=True)
    assert at_start.first == 0
    assert 0 < at_start.shown < 32
    assert at_end.first + at_end.shown == 32


@pytest.mark.parametrize("first", [0, 5])
def test_the_window_begins_where_it_is_scrolled_to(look: Look, first: int) -> None:
    assert lane(look, 0, width_of_lane(look, 6), 32, first, has_window=True).first == first


def test_the_numbers_fill_the_room_right_of_the_strip(look: Look) -> None:
    placed = lane(look, 5, width_of_lane(look, 6), 3, 0, has_window=True)
    assert placed.shown == 3
    assert placed.window.left() > placed.strip.right()
    assert placed.window.width() == pytest.approx(3 * placed.pitch)
    assert placed.window.right() <= 5 + width_of_lane(look, 6) + 0.01
