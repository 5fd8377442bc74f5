"""Numbers as colours: the levels of cells, and what is kept of many cells in one pixel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.viewmodels.heads import heat_picture as module
from bertviz_app.viewmodels.heads.heat_picture import GAP, extremes, heat_picture, usual_size, visible_levels


def test_levels_are_shares_of_the_limit() -> None:
    values = np.array([[0, 1, -1, 0.5], [2, -3, np.nan, 0.004]], np.float32)
    picture = heat_picture(values, 1.0)
    np.testing.assert_array_equal(picture.levels[0], [[0, 127, -127, 64], [127, -127, GAP, 1]])
    assert picture.limit == 1
    assert picture.goes_beyond
    assert not heat_picture(values[:1], 1.0).goes_beyond


def test_each_row_may_have_its_own_limit() -> None:
    values = np.array([[1, -1], [10, -5]], np.float32)
    picture = heat_picture(values, np.array([1, 10], np.float32))
    np.testing.assert_array_equal(picture.levels[0], [[127, -127], [127, -64]])
    assert picture.limit is None
    assert not picture.goes_beyond


def test_a_picture_made_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=(90, 70)).astype(np.float32)
    at_once = heat_picture(values, 2.0)
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 71)
    in_blocks = heat_picture(values, 2.0)
    assert in_blocks.goes_beyond == at_once.goes_beyond
    for one, other in zip(at_once.levels, in_blocks.levels, strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_of_a_block_the_level_farthest_from_zero_is_kept(
    n_rows: int, n_columns: int, rows: int, columns: int, seed: int
) -> None:
    level = np.random.default_rng(seed).integers(-128, 128, (n_rows, n_columns)).astype(np.int8)
    found = extremes(level, rows, columns)
    for row in range(-(-n_rows // rows)):
        for column in range(-(-n_columns // columns)):
            block = level[row * rows : (row + 1) * rows, column * columns : (column + 1) * columns]
            assert abs(int(found[row, column])) == np.abs(block.astype(int)).max()
            assert found[row, column] in block
    assert found.shape == (-(-n_rows // rows), -(-n_columns // columns))


@given(st.integers(1, 300), st.integers(1, 300), st.floats(0.1, 40), st.floats(0.1, 40), st.integers(0, 99))
def test_texels_are_a_pixel_or_more_and_lose_no_bright_cell(
    n_rows: int, n_columns: int, tall: float, wide: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    values = np.zeros((n_rows, n_columns), np.float32)
    rows, columns = (sorted(random.integers(0, count + 1, 2).tolist()) for count in values.shape)
    down, across = (
        range(rows[0], max(rows[1], rows[0] + 1)),
        range(columns[0], max(columns[1], columns[0] + 1)),
    )
    bright = int(random.choice(down)) % n_rows, int(random.choice(across)) % n_columns
    values[bright] = -1
    down, across = range(min(down.start, bright[0]), n_rows), range(min(across.start, bright[1]), n_columns)
    levels, (high, broad) = visible_levels(heat_picture(values, 1.0), (tall, wide), down, across)
    assert high * tall >= 1 - 1e-6
    assert broad * wide >= 1 - 1e-6
    at = bright[0] // high - down.start // high, bright[1] // broad - across.start // broad
    assert levels[at] == -127


def test_large_cells_are_drawn_as_they_are() -> None:
    values = np.random.default_rng(0).normal(size=(200, 300)).astype(np.float32)
    picture = heat_picture(values, 1.0)
    levels, size = visible_levels(picture, (1.0, 3.5), range(7, 60), range(100, 200))
    assert size == (1, 1)
    np.testing.assert_array_equal(levels, picture.levels[0][7:60, 100:200])


def test_few_outliers_do_not_set_the_scale() -> None:
    values = np.full(1000, 0.5, np.float32)
    values[3] = -80
    assert usual_size(values) == 0.5
    assert usual_size(np.array([0, 0, 0, 7], np.float32)) == 7
    assert usual_size(np.array([0, np.nan], np.float32)) == 1
