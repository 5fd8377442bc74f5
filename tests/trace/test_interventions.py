"""Rows of attention in which single weights are set."""

from __future__ import annotations

import numpy as np

from bertviz_app.trace.indexing import SetRow, _with_set


def test_the_other_weights_keep_their_proportions_and_add_up_to_the_rest() -> None:
    weights = np.array([0.5, 0.3, 0.2], np.float32)
    np.testing.assert_allclose(
        _with_set(weights, np.ones(3, bool), SetRow(0, 0, 0, (0,), (0.1,))), [0.1, 0.54, 0.36], rtol=1e-6
    )


def test_other_weights_that_are_all_zero_become_equal() -> None:
    weights = np.array([1, 0, 0], np.float32)
    np.testing.assert_allclose(
        _with_set(weights, np.ones(3, bool), SetRow(0, 0, 0, (0,), (0.4,))), [0.4, 0.3, 0.3], rtol=1e-6
    )


def test_a_key_out_of_reach_gets_nothing_of_the_rest() -> None:
    weights, reachable = np.array([1, 0, 0, 0], np.float32), np.array([True, True, True, False])
    found = _with_set(weights, reachable, SetRow(0, 0, 0, (0,), (0.4,)))
    np.testing.assert_allclose(found, [0.4, 0.3, 0.3, 0], rtol=1e-6)
