"""Numbers as colours: the shares of full colour that they have."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.viewmodels import heat_picture as module
from bertviz_app.viewmodels.heat_picture import heat_picture, usual_size
from bertviz_app.viewmodels.pyramid import GAP


def test_levels_are_shares_of_the_limit() -> None:
    values = np.array([[0, 1, -1, 0.5], [2, -3, np.nan, 0.004]], np.float32)
    picture = heat_picture(values, 1.0)
    np.testing.assert_array_equal(picture.pyramid.levels[0], [[128, 255, 1, 192], [255, 1, GAP, 129]])
    assert picture.limit == 1
    assert picture.goes_beyond
    assert not heat_picture(values[:1], 1.0).goes_beyond


def test_each_row_may_have_its_own_limit() -> None:
    values = np.array([[1, -1], [10, -5]], np.float32)
    picture = heat_picture(values, np.array([1, 10], np.float32))
    np.testing.assert_array_equal(picture.pyramid.levels[0], [[255, 1], [255, 64]])
    assert picture.limit is None
    assert not picture.goes_beyond


def test_a_picture_made_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).normal(size=(90, 70)).astype(np.float32)
    at_once = heat_picture(values, 2.0)
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 71)
    in_blocks = heat_picture(values, 2.0)
    assert in_blocks.goes_beyond == at_once.goes_beyond
    for one, other in zip(at_once.pyramid.levels, in_blocks.pyramid.levels, strict=True):
        np.testing.assert_array_equal(one, other)


def test_few_outliers_do_not_set_the_scale() -> None:
    values = np.full(1000, 0.5, np.float32)
    values[3] = -80
    assert usual_size(values) == 0.5
    assert usual_size(np.array([0, 0, 0, 7], np.float32)) == 7
    assert usual_size(np.array([0, np.nan], np.float32)) == 1
