"""The run as the window sees it: led by a process that does what the test says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from bertviz_app.errors import AppError
from bertviz_app.inference.jobs import Jobs
from bertviz_app.inference.training.job import SNAPSHOTS, WATCHED, save_job
from bertviz_app.trace.archive import save_arrays
from bertviz_app.training.finetuning.settings import TuningSettings
from bertviz_app.training.pretraining.settings import PretrainingSettings
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.training.live_run import LiveRun
from bertviz_app.viewmodels.training.process_link import ProcessLink
from bertviz_app.viewmodels.training.training import Training
from tests.support.factories import random_trace
from tests.support.fakes import tokens_of
from tests.support.scene import turn_events
from tests.support.training_scene import (
    FakeLaunch,
    FakeProcess,
    evaluation,
    report,
    tiny_job,
    write_corpus,
)


@pytest.fixture
def launch() -> FakeLaunch:
    return FakeLaunch()


@pytest.fixture
def training(
    qtbot: QtBot, tmp_path: Path, launch: FakeLaunch, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Training]:
    """A training with a worker of its own, and a form that only wants to be started."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))
    errors: list[Exception] = []
    jobs = Jobs("test")
    made = Training(Tasks(jobs), errors.append, launch)
    jobs.start()
    made.change(files=(str(write_corpus(tmp_path / "a.txt")),), folder=str(tmp_path / "m"), text="the cat")
    yield made
    made.close()
    jobs.close()
    assert errors == []


def _begin(qtbot: QtBot, training: Training, launch: FakeLaunch) -> FakeProcess:
    training.start()
    return _started(qtbot, training, launch)


def _started(qtbot: QtBot, training: Training, launch: FakeLaunch) -> FakeProcess:
    """Return the process that was asked for, once the training knows of it."""
    tasks = training.parent()
    assert isinstance(tasks, Tasks)
    qtbot.waitUntil(lambda: not tasks.is_busy("begin"))
    return launch.newest


def _run(training: Training) -> LiveRun:
    assert training.run is not None
    return training.run


def _send(qtbot: QtBot, process: FakeProcess, *messages: dict[str, object]) -> None:
    for message in messages:
        process.received(message)
    turn_events()


def test_a_run_begins_with_the_settings_of_the_form(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    training.device = "cpu"
    training.change(end="steps", amount=40, every=3, size="own", n_layers=1, n_heads=2, width=32)
    process = _begin(qtbot, training, launch)
    settings = process.job.settings
    assert isinstance(settings, PretrainingSettings)
    assert (settings.n_layers, settings.n_heads, settings.width, settings.steps) == (1, 2, 32, 40)
    assert settings.minutes is None
    assert (process.job.watch.text, process.job.watch.every, process.job.device) == ("the cat", 3, "cpu")
    assert process.is_started
    assert _run(training).state == "starting"


def test_a_fine_tuning_begins_with_the_settings_of_the_form(
    qtbot: QtBot, training: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.tsv"
    rows.touch()
    training.change(task="finetune", rows=str(rows), test=str(rows), base="bert", base_name="BERT")
    training.change(epochs=5, rate=1e-4, freezes=True)
    job = _begin(qtbot, training, launch).job
    assert isinstance(job.settings, TuningSettings)
    assert (job.settings.epochs, job.settings.rate, job.settings.freezes_encoder) == (5, 1e-4, True)
    assert (job.files, job.test, job.base, job.base_name) == ((rows,), rows, "bert", "BERT")
    assert job.watch.text == "the cat"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"files": ()}, "no text to train on"),
        ({"folder": " "}, "no folder"),
        ({"text": " "}, "sentence to watch is empty"),
        ({"every": 0}, "steps between two pictures of the sentence is 0"),
        ({"amount": 0.0}, "when the run ends"),
        ({"size": "own", "width": 30}, "cannot be shared by 4 heads"),
    ],
)
def test_a_training_that_cannot_begin_shows_the_problem_and_the_form_stays(
    training: Training, launch: FakeLaunch, values: dict[str, object], words: str
) -> None:
    training.change(**values)
    before = training.form
    training.start()
    assert training.problem is not None
    assert words in training.problem.message
    assert training.problem.hint
    assert (training.form, training.run, launch.processes) == (before, None, [])
    training.change(text="another")
    assert training.problem is None


def test_a_folder_in_use_is_a_problem_and_the_form_stays(
    qtbot: QtBot, training: Training, tmp_path: Path
) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.doc").touch()
    training.start()
    qtbot.waitUntil(lambda: training.problem is not None)
    assert training.problem is not None
    assert "holds something else" in training.problem.message
    assert training.run is None
    assert training.form.folder == str(tmp_path / "m")


def test_a_folder_with_a_training_is_not_begun_anew(training: Training, tmp_path: Path) -> None:
    save_job(replace(tiny_job(tmp_path), out=tmp_path / "m"))
    training.start()
    assert training.problem is not None
    assert "There is a training in" in training.problem.message


def test_curves_grow_with_the_messages_of_the_process(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    process = _begin(qtbot, training, launch)
    stage: dict[str, object] = {"kind": "stage", "stage": "training"}
    with qtbot.waitSignal(training.advanced):
        _send(qtbot, process, stage, evaluation(0), report(1, 0.25), report(2, 0.5))
    run = _run(training)
    assert (run.state, run.stage) == ("running", "training")
    assert [one.step for one in run.steps] == [1, 2]
    assert [one.step for one in run.held_out] == [0]
    assert run.seconds_left == 4.0


def test_pause_and_going_on(qtbot: QtBot, training: Training, launch: FakeLaunch) -> None:
    process = _begin(qtbot, training, launch)
    _send(qtbot, process, {"kind": "stage", "stage": "training"})
    training.pause()
    assert _run(training).state == "pausing"
    _send(qtbot, process, {"kind": "paused"})
    assert _run(training).state == "paused"
    training.go_on()
    _send(qtbot, process, {"kind": "going on"})
    assert _run(training).state == "running"
    assert process.sent == [{"do": "pause"}, {"do": "go on"}]
    assert len(launch.processes) == 1


def test_stopping_keeps_the_run_and_going_on_launches_it_again(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    process = _begin(qtbot, training, launch)
    _send(qtbot, process, {"kind": "stage", "stage": "training"}, report(1))
    training.stop()
    assert process.sent == [{"do": "stop"}]
    _send(qtbot, process, {"kind": "stopped"})
    process.ended(0)
    qtbot.waitUntil(lambda: _run(training).state == "stopped")
    training.go_on()
    again = _started(qtbot, training, launch)
    assert again is not process
    assert again.job == process.job
    assert [one.step for one in _run(training).steps] == [1]


def test_a_stop_requested_during_the_start_is_not_lost(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    training.start()
    training.stop()
    assert _started(qtbot, training, launch).sent == [{"do": "stop"}]


def test_a_pause_requested_during_the_start_is_not_lost(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    training.start()
    training.pause()
    process = _started(qtbot, training, launch)
    assert process.sent == [{"do": "pause"}]
    _send(qtbot, process, {"kind": "stage", "stage": "vocabulary"}, {"kind": "paused"})
    assert _run(training).state == "paused"


@pytest.mark.parametrize(("code", "words"), [(-9, "ended from outside"), (1, "broke off unexpectedly")])
def test_a_process_that_ends_without_a_message_has_failed_and_can_be_resumed(
    qtbot: QtBot, training: Training, launch: FakeLaunch, code: int, words: str
) -> None:
    process = _begin(qtbot, training, launch)
    _send(qtbot, process, report(1))
    process.ended(code)
    qtbot.waitUntil(lambda: _run(training).state == "failed")
    problem = _run(training).problem
    assert problem is not None
    assert words in problem.message
    assert _run(training).can_go_on


def test_an_error_of_the_process_is_what_is_shown(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    process = _begin(qtbot, training, launch)
    _send(qtbot, process, {"kind": "error", "message": "No.", "hint": "Do this."})
    process.ended(0)
    turn_events()
    problem = _run(training).problem
    assert isinstance(problem, AppError)
    assert str(problem) == "No. Do this."


def test_messages_of_an_earlier_process_are_ignored(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    first = _begin(qtbot, training, launch)
    _send(qtbot, first, report(1), {"kind": "stopped"})
    first.ended(0)
    qtbot.waitUntil(lambda: _run(training).state == "stopped")
    training.go_on()
    _started(qtbot, training, launch)
    _send(qtbot, first, report(99), {"kind": "done"})
    first.ended(1)
    turn_events()
    assert [one.step for one in _run(training).steps] == [1]
    assert _run(training).state == "starting"


def test_the_end_tells_finished_and_another_can_be_asked_for(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    process = _begin(qtbot, training, launch)
    with qtbot.waitSignal(training.finished):
        _send(qtbot, process, report(2, 1.0), {"kind": "done"})
    process.ended(0)
    turn_events()
    training.leave()
    assert training.run is None
    assert training.form.text == "the cat"
    assert training.form.folder != str(process.job.out)


def test_a_run_cannot_be_left_while_it_is_alive(qtbot: QtBot, training: Training, launch: FakeLaunch) -> None:
    _begin(qtbot, training, launch)
    training.leave()
    training.start()
    assert training.run is not None
    assert len(launch.processes) == 1


def test_a_run_of_before_is_shown_and_gone_on_with(
    qtbot: QtBot, training: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    job = tiny_job(tmp_path)
    save_job(job)
    (job.out / SNAPSHOTS / "step-000001").mkdir(parents=True)
    training.open_run(job.out)
    qtbot.waitUntil(lambda: training.run is not None)
    assert _run(training).state == "stopped"
    assert [folder.name for folder in _run(training).snapshots] == ["step-000001"]
    training.go_on()
    assert _started(qtbot, training, launch).job == job


def test_runs_elsewhere_are_found_again(qtbot: QtBot, training: Training, launch: FakeLaunch) -> None:
    process = _begin(qtbot, training, launch)
    save_job(process.job)
    training.saved_runs.refresh()
    qtbot.waitUntil(lambda: bool(training.saved_runs.runs))
    assert [run.job.out for run in training.saved_runs.runs] == [process.job.out]


def test_a_suggested_sentence_does_not_take_the_place_of_a_typed_one(training: Training) -> None:
    training.suggest("another", None)
    assert training.form.text == "the cat"
    training.change(text="")
    training.suggest("first", "b")
    training.suggest("second", None)
    assert (training.form.text, training.form.pair) == ("second", None)


def test_another_sentence_is_sent_to_the_process(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    process = _begin(qtbot, training, launch)
    training.watch("   ", None)
    training.watch("a dog", None)
    assert process.sent == [{"do": "watch", "text": "a dog", "pair": None}]
    assert _run(training).job.watch.text == "a dog"


def test_the_watched_sentence_follows_the_newest_until_an_earlier_one_is_chosen(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    process = _begin(qtbot, training, launch)
    folder = process.job.work / WATCHED
    folder.mkdir(parents=True)
    watched = training.watched

    def add(step: int) -> None:
        save_arrays(random_trace(tokens_of("the cat"), seed=step), folder / f"step-{step:06d}.npz")
        with qtbot.waitSignal(watched.changed):
            process.received({"kind": "watched", "step": step})

    add(1)
    add(5)
    assert watched.shown is not None
    assert (watched.shown.steps, watched.shown.step) == ((1, 5), 5)
    with qtbot.waitSignal(watched.changed):
        watched.choose(1)
    add(9)
    assert (watched.shown.steps, watched.shown.step) == ((1, 5, 9), 1)
    with qtbot.waitSignal(watched.changed):
        watched.choose(9)
    add(12)
    assert watched.shown.step == 12
    active = watched.panels.active
    assert active is not None
    assert watched.side.pictures.get(active.layer, active.head) is not None


def test_a_damaged_step_leaves_the_one_before(qtbot: QtBot, training: Training, launch: FakeLaunch) -> None:
    process = _begin(qtbot, training, launch)
    folder = process.job.work / WATCHED
    folder.mkdir(parents=True)
    save_arrays(random_trace(tokens_of("the cat"), seed=1), folder / "step-000001.npz")
    with qtbot.waitSignal(training.watched.changed):
        process.received({"kind": "watched", "step": 1})
    (folder / "step-000002.npz").write_bytes(b"no trace")
    training.watched.refresh()
    qtbot.waitUntil(lambda: not training.watched.is_busy)
    assert training.watched.shown is not None
    assert training.watched.shown.step == 1


def test_the_end_of_the_program_closes_the_process(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    process = _begin(qtbot, training, launch)
    training.close()
    assert process.is_closed


def test_a_process_that_outlives_the_program_reports_to_nobody(
    qtbot: QtBot, training: Training, launch: FakeLaunch
) -> None:
    """A slow process ends after the wait at the end of the program; the link may be deleted by then."""
    job = _begin(qtbot, training, launch).job
    parent = QObject()
    link = ProcessLink(launch, parent)
    link.attach(link.starter(job)())
    link.close()
    shiboken6.delete(parent)
    assert not shiboken6.isValid(link)
    launch.newest.received({})
    launch.newest.ended(0)


def test_a_run_that_is_being_read_does_not_replace_one_that_was_started(
    qtbot: QtBot, training: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    job = tiny_job(tmp_path)
    save_job(job)
    training.open_run(job.out)
    _begin(qtbot, training, launch)
    tasks = training.parent()
    assert isinstance(tasks, Tasks)
    qtbot.waitUntil(lambda: not tasks.is_busy("open run"))
    assert _run(training).job.out == tmp_path / "m"
    assert _run(training).is_alive
