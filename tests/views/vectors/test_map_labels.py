"""The labels of the map of vectors keep clear of each other and of all points."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.views.vectors.map import place_labels


@given(st.integers(1, 120), st.integers(0, 99), st.integers(20, 200))
def test_labels_overlap_neither_each_other_nor_points(n_points: int, seed: int, widest: int) -> None:
    random = np.random.default_rng(seed)
    pixels = random.uniform(-50, 450, (n_points, 2))
    widths = random.uniform(8, widest, n_points)
    placed = place_labels(pixels, widths, 17, (400, 300))
    taken = np.zeros((300, 400), int)
    for label in placed:
        left, top, width = label.left, label.top, widths[label.point]
        assert 0 <= left <= left + width <= 400
        assert 0 <= top <= top + 17 <= 300
        taken[int(np.ceil(top)) : int(top + 17), int(np.ceil(left)) : int(left + width)] += 1
        for x, y in pixels:
            assert not (left < x < left + width and top < y < top + 17)
    assert taken.max(initial=0) <= 1


def test_a_lone_label_stands_right_of_its_point_and_at_the_edge_left_of_it() -> None:
    (label,) = place_labels(np.array([[100.0, 50.0]]), np.array([40.0]), 16, (200, 100))
    assert (label.left, label.top) == (108, 42)
    (label,) = place_labels(np.array([[190.0, 50.0]]), np.array([40.0]), 16, (200, 100))
    assert label.left == 142


def test_the_first_choice_is_given_to_those_who_have_it() -> None:
    pixels = np.array([[50.0, 50.0], [52.0, 50.0]])
    widths = np.array([90.0, 90.0])
    for first in (0, 1):
        placed = place_labels(pixels, widths, 16, (160, 60), first=[first])
        assert placed[0].point == first


def test_points_out_of_sight_or_without_a_place_have_no_label() -> None:
    pixels = np.array([[-5.0, 10.0], [np.nan, np.nan], [30.0, 30.0]])
    placed = place_labels(pixels, np.full(3, 20.0), 10, (100, 100))
    assert [label.point for label in placed] == [2]
