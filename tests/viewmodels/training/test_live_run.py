"""One training as its messages tell it: its curves, and what is noted on the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bertviz_app.viewmodels.training.live_run import LiveRun, smoothed
from tests.support.training_scene import report, tiny_job, tuning_evaluation, tuning_job, tuning_report


def test_steps_that_are_done_again_take_the_place_of_those_before(tmp_path: Path) -> None:
    run = LiveRun(tiny_job(tmp_path))
    for step in (1, 2, 3, 2):
        run.take(report(step))
    assert [one.step for one in run.steps] == [1, 2]


def test_evaluations_that_are_done_again_take_the_place_of_those_before(tmp_path: Path) -> None:
    run = LiveRun(tuning_job(tmp_path, tmp_path, tmp_path / "rows.tsv"))
    for step in (0, 20, 40, 60, 40):
        run.take(tuning_evaluation(step))
    assert [one.step for one in run.held_out] == [0, 20, 40]


def test_curves_of_a_long_run_keep_their_ends(tmp_path: Path) -> None:
    run = LiveRun(tiny_job(tmp_path))
    for step in range(1, 9_001):
        run.take(report(step))
    assert len(run.steps) <= 4_000
    assert (run.steps[0].step, run.steps[-1].step) == (1, 9_000)


def test_a_smoothed_curve_begins_where_its_values_do_and_lags_behind_them() -> None:
    values = np.array([8.0, 8.0, 4.0, 4.0, 4.0])
    found = smoothed(values, 2)
    assert found[:2].tolist() == [8.0, 8.0]
    assert 4 < found[4] < found[3] < found[2] < 8


def test_a_live_fine_tuning_collects_its_curves_and_notices(tmp_path: Path) -> None:
    run = LiveRun(tuning_job(tmp_path, tmp_path, tmp_path / "rows.tsv"))
    notice: dict[str, object] = {"kind": "notice", "notice": "Line 3 has no text."}
    parts = [run.take(one) for one in (notice, tuning_evaluation(0), tuning_report(1), notice)]
    assert parts == ["state", "curves", "curves", "state"]
    assert run.notices == ["Line 3 has no text."]
    assert (len(run.steps), len(run.held_out)) == (1, 1)
