"""Large tables at several resolutions: the cell farthest from zero is kept, whatever part is in sight."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.viewmodels.pyramid import GAP, ZERO, Levels, extremes, pyramid_of, signed_levels
from bertviz_app.viewmodels.viewport import Span


def _random_levels(n_rows: int, n_columns: int, seed: int) -> Levels:
    return np.random.default_rng(seed).integers(0, 256, (n_rows, n_columns)).astype(np.uint8)


def _farthest(block: Levels, *, is_signed: bool) -> int:
    """Return how far from zero a block reaches, computed one cell at a time; -1 where all are gaps."""
    cells = [int(level) for level in block.ravel() if level != GAP or not is_signed]
    return max((abs(level - ZERO) if is_signed else level for level in cells), default=-1)


@pytest.mark.parametrize("is_signed", [False, True])
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_of_a_block_the_level_farthest_from_zero_is_kept(
    is_signed: bool, n_rows: int, n_columns: int, rows: int, columns: int, seed: int
) -> None:
    level = _random_levels(n_rows, n_columns, seed)
    level[np.random.default_rng(seed).random(level.shape) < 0.5] = GAP
    found = extremes(level, rows, columns, is_signed=is_signed)
    assert found.shape == (-(-n_rows // rows), -(-n_columns // columns))
    for row, column in np.ndindex(found.shape):
        block = level[row * rows : (row + 1) * rows, column * columns : (column + 1) * columns]
        value = found[row : row + 1, column : column + 1]
        assert value.item() in block
        assert _farthest(value, is_signed=is_signed) == _farthest(block, is_signed=is_signed)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 3), st.floats(1, 40), st.integers(0, 99))
def test_blocks_whose_cells_are_not_known_are_drawn_as_if_all_of_their_cells_were_alike(
    n_rows: int, n_columns: int, first: int, pitch: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    levels = _random_levels(-(-n_rows // 2**first), -(-n_columns // 2**first), seed)
    cells = levels.repeat(2**first, 0).repeat(2**first, 1)[:n_rows, :n_columns]
    blocks = pyramid_of(levels, is_signed=False, shape=(n_rows, n_columns), first=first)
    assert blocks.shape == (n_rows, n_columns)
    for row, column in random.integers((n_rows, n_columns), size=(5, 2)).tolist():
        assert blocks.level(row, column) == cells[row, column]
    spans = [Span(random.uniform(0, count / 2), random.uniform(count / 2, count)) for count in cells.shape]
    found = blocks.texels(spans[0], spans[1], (pitch, pitch))
    exact = pyramid_of(cells, is_signed=False).texels(spans[0], spans[1], (pitch, pitch))
    middles = [
        [np.linspace(span.first, span.last, 2 * n + 1)[1::2] for span, n in zip(at, shape, strict=True)]
        for at, shape in (((texels.rows, texels.columns), texels.levels.shape) for texels in (found, exact))
    ]
    for row, level in zip(middles[1][0], exact.levels, strict=True):
        for column, expected in zip(middles[1][1], level, strict=True):
            of_row = int((row - found.rows.first) / found.rows.length * len(found.levels))
            of_column = int((column - found.columns.first) / found.columns.length * found.levels.shape[1])
            assert found.levels[of_row, of_column] >= expected  # of coarser texels the brightest


@given(st.integers(1, 300), st.integers(1, 300), st.floats(0.1, 40), st.floats(0.1, 40), st.integers(0, 99))
def test_texels_are_a_pixel_or_more_and_lose_no_bright_cell_in_sight(
    n_rows: int, n_columns: int, tall: float, wide: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    levels = np.full((n_rows, n_columns), ZERO, np.uint8)
    bright = int(random.integers(n_rows)), int(random.integers(n_columns))
    levels[bright] = 1
    spans = [
        Span(random.uniform(0, cell), random.uniform(cell + 1, count))
        for cell, count in zip(bright, levels.shape, strict=True)
    ]
    found = pyramid_of(levels, is_signed=True).texels(spans[0], spans[1], (tall, wide))
    for drawn, span, count, pitch, n_texels, n_cells in zip(
        (found.rows, found.columns),
        spans,
        levels.shape,
        (tall, wide),
        found.levels.shape,
        (n_rows, n_columns),
        strict=True,
    ):
        assert drawn.first <= span.first + 1e-6
        assert drawn.last >= span.last - 1e-6
        assert drawn.last <= count + 1e-6
        assert drawn.length / n_texels * pitch >= min(1.0, n_cells * pitch) - 1e-6
    (row, column) = (int(at[0]) for at in np.nonzero(found.levels == 1))
    texel = found.rows.length / found.levels.shape[0], found.columns.length / found.levels.shape[1]
    assert abs(found.rows.first + (row + 0.5) * texel[0] - bright[0] - 0.5) <= 1.5 * texel[0]
    assert abs(found.columns.first + (column + 0.5) * texel[1] - bright[1] - 0.5) <= 1.5 * texel[1]


def test_large_cells_are_drawn_as_they_are() -> None:
    levels = _random_levels(200, 300, 0)
    found = pyramid_of(levels, is_signed=False).texels(Span(7.5, 59.1), Span(100.0, 200.0), (1.0, 3.5))
    np.testing.assert_array_equal(found.levels, levels[7:60, 100:200])
    assert (found.rows, found.columns) == (Span(7.0, 60.0), Span(100.0, 200.0))


def test_rows_are_not_coarser_for_columns_that_are_narrow() -> None:
    levels = _random_levels(12, 768, 0)
    found = pyramid_of(levels, is_signed=False).texels(Span(0.0, 12.0), Span(0.0, 768.0), (30.0, 0.5))
    assert found.levels.shape == (12, 384)
    np.testing.assert_array_equal(found.levels, levels.reshape(12, 384, 2).max(2))


def test_the_check_stops_it_between_levels() -> None:
    calls: list[int] = []

    def check() -> None:
        calls.append(len(calls))
        if len(calls) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        pyramid_of(_random_levels(100, 100, 0), is_signed=True, check=check)


@given(st.lists(st.one_of(st.just(math.nan), st.floats(-1, 1)), min_size=1, max_size=9))
def test_signed_levels_lie_about_zero(shares: list[float]) -> None:
    levels = signed_levels(np.array([shares], np.float32))[0].tolist()
    for level, share in zip(levels, shares, strict=True):
        assert level == GAP if math.isnan(share) else abs(level - ZERO - 127 * share) <= 0.501
