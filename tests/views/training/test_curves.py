"""Which curves are drawn of a pre-training and of a fine-tuning, and where their baselines lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.viewmodels.training.live_run import LiveRun
from bertviz_app.views.training.curves import accuracy_curves, loss_curves
from tests.support.training_scene import (
    evaluation,
    report,
    tag_evaluation,
    tiny_job,
    tuning_evaluation,
    tuning_job,
    tuning_report,
)


@pytest.fixture
def pretraining(tmp_path: Path) -> LiveRun:
    run = LiveRun(tiny_job(tmp_path))
    for message in (evaluation(0, 0.0), report(1), report(2), evaluation(2, 0.25), report(3)):
        run.take(message)
    return run


@pytest.fixture
def tuning(tmp_path: Path) -> LiveRun:
    run = LiveRun(tuning_job(tmp_path, tmp_path, tmp_path / "rows.tsv"))
    for message in (
        tuning_evaluation(0, 0.5),
        tuning_report(1),
        tuning_report(2),
        tuning_evaluation(2, 0.75),
    ):
        run.take(message)
    return run


def test_the_losses_of_a_pretraining_are_those_of_both_tasks_smoothed(pretraining: LiveRun) -> None:
    masked, following = loss_curves(pretraining)
    assert (masked.name, following.name) == ("Masked tokens", "Next sentence")
    assert masked.steps.tolist() == following.steps.tolist() == [1, 2, 3]
    assert masked.raw is not None
    assert following.raw is not None
    assert masked.raw.tolist() == [4.99, 4.98, 4.97]
    assert following.raw.tolist() == [0.69] * 3
    assert masked.values[0] == pytest.approx(masked.raw[0])
    assert masked.colour != following.colour


def test_the_accuracies_of_a_pretraining_stand_beside_their_baselines(pretraining: LiveRun) -> None:
    masked, following, commonest, chance = accuracy_curves(pretraining)
    assert masked.steps.tolist() == [0, 2]
    assert masked.values.tolist() == [0.0, 0.25]
    assert following.values.tolist() == [0.5, 0.5]
    assert masked.is_marked
    assert following.is_marked
    for level, value in ((commonest, 0.06), (chance, 0.5)):
        assert level.is_level
        assert level.steps.tolist() == [0, 3], "from the first step to the last"
        assert level.values.tolist() == [value, value]
    assert chance.colour == following.colour


def test_a_baseline_is_that_of_the_newest_evaluation(tmp_path: Path) -> None:
    run = LiveRun(tiny_job(tmp_path))
    for step, baseline in ((0, 0.02), (1, 0.04), (2, 0.08)):
        run.take(evaluation(step) | {"baseline": baseline})
    commonest = accuracy_curves(run)[2]
    assert commonest.steps.tolist() == [0, 2], "no step has been reported"
    assert commonest.values.tolist() == [0.08, 0.08]


def test_before_anything_was_evaluated_there_is_no_baseline(tmp_path: Path) -> None:
    run = LiveRun(tiny_job(tmp_path))
    run.take(report(1))
    assert [len(curve.steps) for curve in accuracy_curves(run)] == [0, 0, 0, 0]


def test_a_fine_tuning_has_the_loss_and_accuracy_of_held_out_data(tuning: LiveRun) -> None:
    rows, held_out = loss_curves(tuning)
    assert (rows.name, held_out.name) == ("Training data", "Held-out data")
    assert rows.steps.tolist() == [1, 2]
    assert not rows.is_marked
    assert held_out.steps.tolist() == [0, 2]
    assert held_out.values.tolist() == [0.6, 0.6]
    accuracy, level = accuracy_curves(tuning)
    assert accuracy.values.tolist() == [0.5, 0.75]
    assert (level.name, level.steps.tolist()) == ("Baseline: most frequent label", [0, 2])
    assert set(level.values.tolist()) == {0.55}


def test_a_tagger_has_an_accuracy_of_words_and_the_f1_of_spans(tmp_path: Path) -> None:
    run = LiveRun(tuning_job(tmp_path, tmp_path, tmp_path / "words.txt"))
    for message in (tag_evaluation(0, 0.5), tuning_report(1), tag_evaluation(2)):
        run.take(message)
    words, spans, commonest = accuracy_curves(run)
    names = ("Accuracy of words", "F1 of the spans", "Baseline: most frequent label")
    assert (words.name, spans.name, commonest.name) == names
    assert words.values.tolist() == [0.5, 0.75]
    assert spans.values.tolist() == pytest.approx([2 * 3 / (6 + 5)] * 2)
    assert commonest.values.tolist() == [0.55, 0.55]
    assert words.colour != spans.colour
    run.take(tag_evaluation(3, has_spans=False))
    assert [curve.name for curve in accuracy_curves(run)] == [names[0], names[2]]
