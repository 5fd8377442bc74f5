"""The geometry of a map: one scale, what zooming keeps, and labels that keep clear of each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.viewmodels.plane import Plane, fitted, place_labels, ticks


def _cloud(n_points: int, seed: int = 0) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(seed).normal(size=(n_points, 2)).astype(np.float32)


@given(st.integers(1, 40), st.integers(0, 99), st.floats(60, 900), st.floats(60, 900))
def test_all_points_are_in_sight_within_the_margin(
    n_points: int, seed: int, width: float, height: float
) -> None:
    points = _cloud(n_points, seed) * 50
    pixels = fitted(points, width, height, 10).pixels(points)
    assert (pixels >= 10 - 1e-3).all()
    assert (pixels <= np.array((width - 10, height - 10)) + 1e-3).all()


def test_both_axes_have_one_scale_and_up_is_up() -> None:
    plane = fitted(np.array([[0, 0], [10, 1]], np.float32), 220, 220, 10)
    pixels = plane.pixels(np.array([[0, 0], [10, 1]], np.float32))
    np.testing.assert_allclose(pixels, [[10, 120], [210, 100]])


def test_points_without_a_place_count_for_nothing() -> None:
    points = np.array([[0, 0], [np.nan, np.nan], [4, 2]], np.float32)
    assert fitted(points, 100, 100, 10) == fitted(points[[0, 2]], 100, 100, 10)
    assert fitted(points[1:2], 100, 100, 10) == Plane(100, 100)
    assert fitted(points[:1], 100, 100, 10).scale == 1


@given(st.floats(0.3, 3), st.floats(0, 300), st.floats(0, 200))
def test_zooming_keeps_the_point_under_the_pointer(factor: float, x: float, y: float) -> None:
    plane = fitted(_cloud(9), 300, 200, 10)
    zoomed = plane.zoomed(factor, x, y)
    assert zoomed.point(x, y) == pytest.approx(plane.point(x, y), abs=1e-9)
    assert zoomed.scale == pytest.approx(plane.scale * factor)
    assert zoomed.pixels(np.array([plane.point(x, y)], np.float32))[0] == pytest.approx((x, y), abs=1e-3)


def test_zooming_ends() -> None:
    plane = fitted(_cloud(9), 300, 200, 10)
    assert plane.zoomed(1e9, 0, 0).scale == pytest.approx(400 * plane.scale)
    assert plane.zoomed(1e-9, 0, 0).scale == pytest.approx(0.2 * plane.scale)


def test_moving_moves_every_point_alike() -> None:
    plane, points = fitted(_cloud(9), 300, 200, 10), _cloud(9)
    np.testing.assert_allclose(plane.moved(7, -3).pixels(points), plane.pixels(points) + np.array((7, -3)))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-1.2, 1.1, [-1, -0.5, 0, 0.5, 1]), (0, 9, [0, 2, 4, 6, 8]), (90, 440, [100, 200, 300, 400])],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high, 100, 15 if high < 400 else 20) == pytest.approx(expected)


@given(st.floats(-1e4, 1e4), st.floats(1e-3, 1e4), st.floats(50, 1000), st.floats(10, 49))
def test_ticks_keep_their_distance(low: float, extent: float, room: float, apart: float) -> None:
    found = ticks(low, low + extent, room, apart)
    assert all(low - 1e-6 <= tick <= low + extent + 1e-6 for tick in found)
    assert (np.diff(found) * room / extent >= apart * (1 - 1e-6)).all()
    assert len(found) <= room / apart + 2


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
