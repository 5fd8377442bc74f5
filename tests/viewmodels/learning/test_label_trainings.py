"""The trainings of a station: both run at once, can be stopped, and have their result when they are done."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.inference.training.labels import LabelTraining, train_labels
from bertviz_app.training.finetuning.settings import TuningEvaluation, TuningStep
from bertviz_app.viewmodels.learning.label_trainings import LabelTrainings
from tests.support.scene import turn_events
from tests.support.training_scene import FakeLaunch, tuning_report

TINY = LabelTraining(n_rows=16, epochs=1)


def step(number: int, accuracy: float) -> TuningStep:
    return TuningStep(number, 1 + number // 2, number / 3, 1.0, 10, 10.0, 0.5, accuracy, 1e-4)


def write_log(folder: Path, accuracies: tuple[float, ...], held_out: float) -> None:
    folder.mkdir()
    result = TuningEvaluation(3, 20, 0.6, held_out, 0.5, ("0", "1"), ((5, 5), (5, 5)))
    steps = [step(number, accuracy) for number, accuracy in enumerate(accuracies, start=1)]
    lines = [{"kind": "step", **asdict(one)} for one in steps] + [{"kind": "held-out", **asdict(result)}]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.fixture
def launch() -> FakeLaunch:
    return FakeLaunch()


@pytest.fixture
def trainings(qtbot: QtBot, launch: FakeLaunch) -> LabelTrainings:
    trainings = LabelTrainings()
    trainings.launch = launch
    return trainings


def test_both_are_trained_at_once(qtbot: QtBot, trainings: LabelTrainings, launch: FakeLaunch) -> None:
    trainings.start(TINY)
    assert [process.job.out.name for process in launch.processes] == ["real", "random"]
    assert all(process.is_started for process in launch.processes)
    real, dealt = launch.processes
    with qtbot.waitSignal(trainings.changed):
        real.received(tuning_report(1, share=0.25))
    assert (trainings.progress["real"].share, trainings.progress["random"].share) == (0.25, 0.0)
    write_log(real.job.out, (0.0, 0.5, 1.0), 0.75)
    write_log(dealt.job.out, (0.0, 1.0, 1.0), 0.45)
    with qtbot.waitSignal(trainings.changed):
        real.ended(0)
    assert trainings.is_running
    folder = dealt.job.out.parent
    with qtbot.waitSignal(trainings.finished):
        dealt.ended(0)
    results = trainings.results
    assert (results["real"].training_accuracy, results["real"].held_out_accuracy) == (0.75, 0.75)
    assert (results["random"].training_accuracy, results["random"].held_out_accuracy) == (1.0, 0.45)
    assert not trainings.is_running
    assert not folder.exists()


def test_they_are_stopped(qtbot: QtBot, trainings: LabelTrainings, launch: FakeLaunch) -> None:
    trainings.start(TINY)
    old = launch.processes[0]
    trainings.cancel()
    assert all(process.is_closed for process in launch.processes)
    assert not trainings.is_running
    assert trainings.progress == {}
    old.received(tuning_report(1))  # what still arrives is of the old ones
    old.ended(0)
    trainings.start(TINY)
    turn_events()
    assert len(launch.processes) == 4
    assert trainings.progress["real"].share == 0
    assert trainings.problem == ""
    trainings.close()
    assert not launch.newest.job.out.parent.exists()


def test_the_error_of_a_process_is_the_problem_and_there_are_no_results(
    qtbot: QtBot, trainings: LabelTrainings, launch: FakeLaunch
) -> None:
    trainings.start(TINY)
    real, dealt = launch.processes
    with qtbot.waitSignal(trainings.changed):
        real.received(
            {"kind": "error", "message": "There is not enough memory to train this model.", "hint": ""}
        )
    for process in (real, dealt):
        with qtbot.waitSignal(trainings.changed):
            process.ended(1)
    assert trainings.problem == "There is not enough memory to train this model."
    assert trainings.results == {}


@pytest.mark.slow
def test_the_real_thing_has_the_numbers_of_the_check(qtbot: QtBot) -> None:
    trainings = LabelTrainings()
    with qtbot.waitSignal(trainings.finished, timeout=120_000):
        trainings.start(TINY)
    assert trainings.problem == ""
    assert trainings.results == train_labels(TINY)


def test_without_room_for_its_files_there_is_a_problem(
    trainings: LabelTrainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(prefix: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    trainings.start(TINY)
    assert "No space left" in trainings.problem
    assert not trainings.is_running
