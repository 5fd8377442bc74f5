"""Which looks at a sentence are kept when there are too many."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from bertviz_app.inference.training.job import in_steps, step_of
from bertviz_app.inference.training.watch import thin


@pytest.mark.parametrize("most", [2, 7, 12])
def test_the_ends_stay_and_what_is_left_is_spread_evenly(tmp_path: Path, most: int) -> None:
    for step in range(1, 40):
        (tmp_path / f"step-{step:06d}.npz").touch()
        thin(tmp_path, most)
    steps = [step_of(path) for path in in_steps(tmp_path, ".npz")]
    assert len(steps) == most
    assert (steps[0], steps[-1]) == (1, 39)
    gaps = [later - earlier for earlier, later in pairwise(steps)]
    assert max(gaps) <= 4 * min(gaps) + 4


def test_few_are_all_kept(tmp_path: Path) -> None:
    for step in (1, 2, 30):
        (tmp_path / f"step-{step:06d}.npz").touch()
    thin(tmp_path, 3)
    assert len(in_steps(tmp_path, ".npz")) == 3
