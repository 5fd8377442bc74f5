"""A training as the window sees it: its form, its rows, its process, its curves and its sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.errors import AppError
from bertviz_app.features.training.finetuning.settings import TuningSettings
from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.process.job import WATCHED, save_job
from bertviz_app.features.training.state import (
    LiveRun,
    ProcessLink,
    TableLook,
    Training,
    TrainingForm,
    from_plain,
    job_of,
    look_at,
    with_files,
)
from bertviz_app.features.training.watched_sentence import WatchedSentence
from bertviz_app.inference.jobs import Jobs
from bertviz_app.json_store import encode
from bertviz_app.paths import SNAPSHOTS
from bertviz_app.text_tables.table import TableChoices
from bertviz_app.trace.archive import save_arrays, save_trace
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.state import change_options
from tests.support.factories import make_trace, random_trace
from tests.support.fakes import HeldJobs, tokens_of
from tests.support.published_tables import TABLES
from tests.support.scene import turn_events
from tests.support.training_scene import (
    FakeLaunch,
    FakeProcess,
    report,
    tiny_job,
    training_alone,
    tuning_evaluation,
    tuning_job,
    tuning_report,
)
from tests.support.training_texts import write_conll

__all__ = ["training_alone"]


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


TUNED = TrainingForm(task="finetune", rows="rows.tsv", folder="model", text="the cat")


def _written(folder: Path, name: str, encoding: str = "utf-8") -> Path:
    path = folder / f"{name}.tsv"
    path.write_text(TABLES[name], encoding=encoding)
    return path


@pytest.fixture
def tuning(qtbot: QtBot, tmp_path: Path, launch: FakeLaunch) -> Iterator[Training]:
    errors: list[Exception] = []
    jobs = Jobs("test")
    made = Training(Tasks(jobs), errors.append, launch)
    jobs.start()
    made.change(task="finetune", folder=str(tmp_path / "m"), text="the cat")
    yield made
    made.close()
    jobs.close()
    assert errors == []


def _look(qtbot: QtBot, tuning: Training) -> TableLook:
    qtbot.waitUntil(lambda: tuning.look is not None)
    assert tuning.look is not None
    return tuning.look


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
        ({"every": 0}, "steps between two pictures of the sentence is 0"),
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


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"rows": ""}, "no rows to learn from"),
        ({"rate": 0.0}, "rate cannot be 0"),
        ({"folder": "~nobody-of-that-name/model"}, "home folder that ~nobody-of-that-name/model begins with"),
    ],
)
def test_a_fine_tuning_that_cannot_begin_is_refused_with_a_hint(values: dict[str, Any], words: str) -> None:
    assert job_of(TUNED, "cpu").is_tuning
    with pytest.raises(AppError, match=words) as caught:
        job_of(replace(TUNED, **values), "cpu")
    assert caught.value.hint


def test_a_form_is_filled_read_back_and_made_a_job() -> None:
    # a checkpoint is trained further by a lower rate and a new model has none
    form = TrainingForm(files=("a.txt",), folder="model", text="the cat", base="mine", base_name="Mine")
    new, further = job_of(form, "cpu"), job_of(replace(form, begins_at_base=True), "cpu")
    assert (new.base, new.has_base) == (None, False)
    assert (further.base, further.base_name, further.has_base) == ("mine", "Mine", True)
    assert not further.is_tuning
    assert isinstance(new.settings, PretrainingSettings)
    assert isinstance(further.settings, PretrainingSettings)
    assert further.settings.rate < new.settings.rate
    assert not job_of(replace(TUNED, begins_at_base=True), "cpu").begins_at_base
    # the first file of rows is for training and the second for evaluation
    form = TrainingForm(task="finetune")
    first = with_files(form, ["a.tsv"])
    assert (first.rows, first.test) == ("a.tsv", "")
    second = with_files(first, ["b.tsv"])
    assert (second.rows, second.test) == ("a.tsv", "b.tsv")
    assert with_files(second, ["c.tsv"]).rows == "c.tsv"
    both = with_files(form, ["a.tsv", "b.tsv"])
    assert (both.rows, both.test, both.files) == ("a.tsv", "b.tsv", ())
    # a form is read back as it was written
    form = TrainingForm(task="finetune", rows="a.tsv", base="bert", rate=1e-4, freezes=True)
    assert from_plain(encode(form)) == form
    assert from_plain({**encode(form), "base": None}).base is None
    assert from_plain({**encode(form), "task": "guess"}) == replace(form, task="pretrain")


def test_labels_of_a_file_are_described_or_asked_about(tmp_path: Path) -> None:
    # a file of one label is wrong and not unclear
    path = tmp_path / "rows.tsv"
    path.write_text("label\ttext\n1\ta cat\n1\ta fish\n", encoding="utf-8")
    look = look_at(path, None, TableChoices())
    assert look.error is not None
    assert not look.is_asking
    assert look.preview is not None
    assert look_at(tmp_path / "none.tsv", None, TableChoices()).preview is None
    # labels of words are told from those of texts
    data = write_conll(tmp_path / "words.txt")
    look = look_at(data, data, TableChoices())
    assert look.error is None
    assert look.columns == {"label_column": "4", "text_column": "1", "pair_column": ""}
    assert look.notices[0].startswith("words.txt is read as UTF-8, CoNLL: a label for each word, in column 4")
    assert len(look.notices) == 2
    assert look.preview is not None
    assert (look.preview.encoding, len(look.preview.columns), len(look.preview.rows)) == ("UTF-8", 4, 5)
    assert look_at(data, None, TableChoices(target="classes")).is_asking
    # what is wrong with labels of words can be answered
    path = tmp_path / "a.conllu"
    path.write_text("1\tcat\tcat\tNOUN\tNN\t_\t0\troot\t_\t_\n" * 2)
    look = look_at(path, None, TableChoices())
    assert look.is_asking
    assert look.preview is not None
    assert look.preview.columns[3] == "UPOS"
    look = look_at(path, None, TableChoices(label_column="UPOS"))
    assert look.error is not None
    assert look.error.message == "All words of a.conllu have the label “NOUN”."
    assert look.columns["label_column"] == "UPOS"
    path.write_text("some text\nand more\nof\n")
    assert look_at(path, None, TableChoices(target="tokens")).preview is not None


def test_answers_do_not_hold_for_another_file(qtbot: QtBot, tuning: Training, tmp_path: Path) -> None:
    tuning.change(rows=str(_written(tmp_path, "kor_hate")), label_column="hate")
    assert _look(qtbot, tuning).error is None
    tuning.change(test=str(_written(tmp_path, "kor_hate")))
    assert tuning.form.table == TableChoices("hate")
    tuning.change(rows=str(_written(tmp_path, "nsmc")), test="")
    assert tuning.form.table == TableChoices()
    assert _look(qtbot, tuning).error is None
    tuning.change(rows="")
    assert tuning.look is None


def test_a_live_run_collects_its_curves(tmp_path: Path) -> None:
    # steps that are done again take the place of those before
    run = LiveRun(tiny_job(tmp_path))
    for step in (1, 2, 3, 2):
        run.take(report(step))
    assert [one.step for one in run.steps] == [1, 2]
    # curves of a long run keep their ends
    run = LiveRun(tiny_job(tmp_path))
    for step in range(1, 9_001):
        run.take(report(step))
    assert len(run.steps) <= 4_000
    assert (run.steps[0].step, run.steps[-1].step) == (1, 9_000)
    # a live fine tuning collects its curves and notices
    run = LiveRun(tuning_job(tmp_path, tmp_path, tmp_path / "rows.tsv"))
    notice: dict[str, object] = {"kind": "notice", "notice": "Line 3 has no text."}
    parts = [run.take(one) for one in (notice, tuning_evaluation(0), tuning_report(1), notice)]
    assert parts == ["state", "curves", "curves", "state"]
    assert run.notices == ["Line 3 has no text."]
    assert (len(run.steps), len(run.held_out)) == (1, 1)


def test_a_picture_is_drawn_with_the_options_of_its_request(
    qapp: QApplication, jobs: HeldJobs, tmp_path: Path
) -> None:
    save_trace(make_trace(6, n_layers=2), tmp_path / "step-000010.npz")
    failures: list[Exception] = []
    watched = WatchedSentence(Tasks(jobs), failures.append)
    watched.show_folder(tmp_path)
    change_options(watched.store, hides_special=True)  # while the worker reads the file
    jobs.of("watched")[0].run()
    qapp.processEvents()
    assert failures == []
    assert watched.shown is not None
    (picture,) = watched.shown.pictures
    assert not picture.options.hides_special


def test_steps_that_are_saved_faster_than_they_are_read_are_shown_nevertheless(
    qapp: QApplication, jobs: HeldJobs, tmp_path: Path
) -> None:
    failures: list[Exception] = []
    watched = WatchedSentence(Tasks(jobs), failures.append)
    watched.show_folder(tmp_path)
    jobs.of("watched")[-1].run()
    qapp.processEvents()
    for step in (1, 2, 3):
        save_trace(make_trace(6, n_layers=2), tmp_path / f"step-{step:06d}.npz")
        watched.note_saved()
    _, first = jobs.of("watched")
    first.run()
    qapp.processEvents()
    assert watched.shown is not None
    assert watched.is_busy, "the steps that were saved meanwhile are looked for"
    jobs.of("watched")[-1].run()
    qapp.processEvents()
    assert watched.shown.steps == (1, 2, 3)
    assert not watched.is_busy
    assert failures == []
