"""The colours of a part of a matrix: those of each cell, or of the one farthest from zero in a pixel."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.errors import Cancelled
from bertviz_app.types import Floats
from bertviz_app.viewmodels.parameters import matrix_region
from bertviz_app.viewmodels.parameters.matrix_region import Matrix, Region, matrix_of, region_picture
from bertviz_app.viewmodels.pyramid import signed_levels


def _random(*shape: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _expected(matrix: Matrix, region: Region) -> np.ndarray:
    """Return the levels, found pixel by pixel."""
    down, across = region.steps
    part = matrix.block(slice(*region.rows), slice(*region.columns))
    rows = []
    for top in range(0, len(part), down):
        blocks = [part[top : top + down, left : left + across] for left in range(0, part.shape[1], across)]
        rows.append([block.flat[np.abs(block).argmax()] for block in blocks])
    return signed_levels(np.clip(np.array(rows, np.float32) / matrix.limit, -1, 1))


@pytest.mark.parametrize("at_once", [1 << 21, 50])
@pytest.mark.parametrize(
    "region",
    [
        Region((0, 97), (0, 31), 200, 200),
        Region((0, 97), (0, 31), 20, 7),
        Region((13, 90), (5, 6), 10, 10),
        Region((0, 1), (0, 31), 5, 4),
        Region((96, 97), (30, 31), 1, 1),
    ],
)
def test_each_pixel_has_the_number_farthest_from_zero(
    region: Region, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_region, "_CELLS_AT_ONCE", at_once)
    matrix = matrix_of((_random(97, 31),))
    found = region_picture(matrix, region)
    np.testing.assert_array_equal(found.levels, _expected(matrix, region))
    assert found.levels.shape[0] <= region.height
    assert found.levels.shape[1] <= region.width


def test_one_large_number_among_many_is_seen_at_any_size() -> None:
    numbers = np.zeros((30_522, 48), np.float32)
    numbers[12_345, 17] = -3
    matrix = matrix_of((numbers,))
    levels = region_picture(matrix, Region((0, 30_522), (0, 48), 600, 48)).levels
    found = np.argwhere(levels != 128).tolist()
    down, _ = Region((0, 30_522), (0, 48), 600, 48).steps
    assert found == [[12_345 // down, 17]]
    assert levels[tuple(found[0])] == 1


def test_the_range_is_that_of_all_numbers_and_the_limit_leaves_out_one_in_a_hundred() -> None:
    numbers = _random(200, 100)
    numbers[3, 4], numbers[5, 6] = 50, -60
    matrix = matrix_of((numbers,))
    assert (matrix.lowest, matrix.highest) == (-60, 50)
    assert matrix.goes_beyond
    assert matrix.limit == pytest.approx(float(np.quantile(np.abs(numbers), 0.99)), rel=0.01)


def test_a_vector_is_one_row_and_a_convolution_two_sides() -> None:
    assert matrix_of((_random(7),)).shape == (1, 7)
    assert matrix_of((_random(4, 3, 5),)).shape == (4, 15)
    assert matrix_of((np.zeros(3, np.float32),)).limit == 1


def test_a_difference_is_that_of_both_numbers() -> None:
    one, other = _random(20, 8), _random(20, 8, seed=1)
    matrix = matrix_of((one, other))
    assert matrix.value(3, 4) == one[3, 4] - other[3, 4]
    region = Region((0, 20), (0, 8), 5, 4)
    np.testing.assert_array_equal(region_picture(matrix, region).levels, _expected(matrix, region))


def test_a_picture_can_be_cancelled() -> None:
    def check() -> None:
        raise Cancelled

    matrix = matrix_of((_random(20, 8),))
    with pytest.raises(Cancelled):
        region_picture(matrix, Region((0, 20), (0, 8), 5, 4), check)


def test_cells_that_share_a_pixel_are_named() -> None:
    region = Region((10, 30), (0, 9), 5, 9)
    assert region.block_at(17, 3) == (slice(14, 18), slice(3, 4))
    assert Region((0, 10), (0, 9), 3, 9).block_at(9, 0)[0] == slice(8, 10)
