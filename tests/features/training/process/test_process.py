"""Training in a process of its own: the job, what is watched, and labels."""

from __future__ import annotations

import json
import os
import queue
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bertviz_app.api import open_model
from bertviz_app.errors import AppError, Cancelled, FileError, Message, from_json
from bertviz_app.features.training.finetuning.settings import (
    Row,
    Rows,
    TagEvaluation,
    TuningEvaluation,
    TuningStep,
    read_rows,
)
from bertviz_app.features.training.process.child import thin
from bertviz_app.features.training.process.job import (
    WATCHED,
    TrainingJob,
    TrainingProcess,
    Watch,
    as_step,
    check_job,
    from_plain,
    in_steps,
    run_in,
    runs_in,
    save_job,
    saved_job,
    saved_run,
    step_of,
    to_plain,
)
from bertviz_app.features.training.process.labels import (
    label_jobs,
    result_in,
    train_labels,
    with_random_labels,
)
from bertviz_app.features.training.settings import TrainingError
from bertviz_app.inference.child_process import Report
from bertviz_app.json_store import UnfitError
from bertviz_app.learning.label_training import LABELS, LabelTraining
from bertviz_app.paths import SNAPSHOTS
from bertviz_app.text_tables.table import TableChoices
from bertviz_app.trace import load_trace
from tests.support.training_scene import (
    evaluation,
    report,
    tiny_job,
    tuning_evaluation,
    tuning_job,
    tuning_report,
)
from tests.support.training_texts import write_conll, write_reviews

_LONG = 600.0
_ENDLESS = 100_000


class Followed:
    """A process whose messages are taken one by one."""

    def __init__(self, job: TrainingJob) -> None:
        self.messages: queue.Queue[Report] = queue.Queue()
        self.codes: queue.Queue[int] = queue.Queue()
        self.process = TrainingProcess(job, self.messages.put, self.codes.put)
        self.process.start()

    def until(self, kind: str) -> list[Report]:
        """Return the messages up to the first of this kind."""
        found = [self.messages.get(timeout=_LONG)]
        while found[-1]["kind"] != kind:
            assert found[-1]["kind"] not in ("error", "done", "stopped"), found
            found.append(self.messages.get(timeout=_LONG))
        return found

    def end(self) -> int:
        """Return the code that it ended with."""
        return self.codes.get(timeout=_LONG)


@pytest.fixture
def follow() -> Iterator[Callable[[TrainingJob], Followed]]:
    started: list[Followed] = []

    def start(job: TrainingJob) -> Followed:
        started.append(Followed(job))
        return started[-1]

    yield start
    for one in started:
        one.process.send(do="stop")
        assert one.process.close(_LONG)


Follow = Callable[[TrainingJob], Followed]


def test_a_run_reports_its_progress_and_another_begins_with_the_model_that_it_leaves(
    tmp_path: Path, follow: Follow
) -> None:
    job = tiny_job(tmp_path, length=16)
    run = follow(job)
    messages = run.until("done")
    assert run.end() == 0
    assert _stages(messages) == ["vocabulary", "tokens", "training"]
    held_out = [message for message in messages if message["kind"] == "held-out"]
    assert len(held_out) == 3  # before the first step, at 6, and at the end
    assert [message["step"] for message in messages if message["kind"] == "watched"] == [1, 4, 8, 12]
    watched = in_steps(job.work / WATCHED, ".npz")
    assert [step_of(path) for path in watched] == [1, 4, 8, 12]
    traces = [load_trace(path) for path in watched]
    assert traces[0].tokens.text == "ab cd ef"
    assert abs(traces[0].queries - traces[-1].queries).max() > 0
    opened = open_model(str(job.out)).encode("ab cd ef")
    assert abs(opened.trace.queries - traces[-1].queries).max() < 1e-5
    snapshots = in_steps(job.out / SNAPSHOTS, "")
    assert [step_of(folder) for folder in snapshots] == [1, 2, 5, 8]
    untrained = open_model(str(snapshots[0])).encode("ab cd ef").trace
    assert abs(untrained.queries - traces[0].queries).max() < 1e-5
    assert open_model(str(snapshots[0])).facts.n_trained_positions == 16
    assert saved_run(job.out).is_done

    job = replace(job, out=tmp_path / "further", base=str(job.out), base_name="first", begins_at_base=True)
    run = follow(job)
    messages = run.until("done")
    assert run.end() == 0
    assert _stages(messages) == ["opening", "tokens", "training"]
    begun = next(message for message in messages if message["kind"] == "held-out")
    assert begun["masked_loss"] == pytest.approx(held_out[-1]["masked_loss"], abs=1e-5)
    assert [step_of(folder) for folder in in_steps(job.out / SNAPSHOTS, "")] == [2, 5, 8]
    assert open_model(str(job.out)).encode("ab cd ef").trace.tokens.pieces
    assert saved_run(job.out).job == job


def _stages(messages: list[Report]) -> list[object]:
    return [message["stage"] for message in messages if message["kind"] == "stage"]


def test_a_run_watches_another_sentence_is_held_stopped_and_gone_on_with(
    tmp_path: Path, follow: Follow
) -> None:
    job = tiny_job(tmp_path, steps=_ENDLESS)
    run = follow(job)
    run.until("watched")
    run.process.send(do="watch", text="gh ij", pair="kl")
    run.until("watched")
    run.until("watched")
    run.process.send(do="pause")
    run.until("paused")
    with pytest.raises(queue.Empty):
        run.messages.get(timeout=0.5)
    run.process.send(do="go on")
    assert [message["kind"] for message in run.until("going on")] == ["going on"]
    run.until("step")
    run.process.send(do="pause")
    run.until("paused")
    run.process.send(do="stop")
    run.until("stopped")
    assert run.end() == 0
    found = {load_trace(path).tokens.text for path in in_steps(job.work / WATCHED, ".npz")}
    assert found == {"gh ij"}
    stopped_at = saved_run(job.out).steps[-1].step
    messages = follow(job).until("step")
    assert messages[-1]["step"] == stopped_at + 1
    assert _stages(messages) == ["training"]


def test_a_run_goes_on_beside_a_sentence_that_cannot_be_read_until_the_window_ends(
    tmp_path: Path, follow: Follow
) -> None:
    job = tiny_job(tmp_path, steps=_ENDLESS)
    run = follow(replace(job, watch=replace(job.watch, text="\u200b")))
    remark = run.until("remark")[-1]
    assert isinstance(from_json(remark["message"]), Message), "a text could not be translated"
    run.until("step")
    assert run.process.close(_LONG)
    assert run.end() == 0
    assert saved_run(job.out).steps[-1].step >= 1
    assert (job.work / "state.safetensors").exists()


def test_a_file_that_is_not_utf_8_is_reported_with_a_hint(tmp_path: Path, follow: Follow) -> None:
    job = tiny_job(tmp_path)
    job.files[0].write_bytes(b"\xff\xfe\x00")
    run = follow(job)
    message = run.messages.get(timeout=_LONG)
    while message["kind"] == "stage":
        message = run.messages.get(timeout=_LONG)
    assert message["kind"] == "error"
    assert "is not UTF-8 text" in str(from_json(message["message"]))
    assert from_json(message["hint"]) == "Save it as UTF-8."
    assert run.end() == 0
    assert run_in(job.out) is None, "a training that would fail again is not there to be resumed"


def test_a_fine_tuning_reports_its_progress_and_leaves_a_classifier_that_opens(
    tmp_path: Path, tiny_bert: Path, follow: Follow
) -> None:
    rows = write_reviews(tmp_path / "rows.tsv")
    rows.write_text(rows.read_text(encoding="utf-8") + "no tab\n", encoding="utf-8")
    job = tuning_job(tmp_path, tiny_bert, rows)
    run = follow(job)
    messages = run.until("done")
    assert run.end() == 0
    stages = [message["stage"] for message in messages if message["kind"] == "stage"]
    assert stages == ["opening", "rows", "tokens", "training"]
    notices = [from_json(message["notice"]) for message in messages if message["kind"] == "notice"]
    assert notices[1:] == ["rows.tsv: 1 of 61 rows cannot be used.", "Line 62 has 1 column instead of 2."]
    saved = saved_run(job.out)
    assert saved.is_done
    assert saved.job == job
    assert [one.step for one in saved.steps] == list(range(1, len(saved.steps) + 1))
    assert saved.held_out[-1].step == len(saved.steps)
    traces = [load_trace(path) for path in in_steps(job.work / WATCHED, ".npz")]
    assert traces[0].tokens.text == "the cat ate"
    model = open_model(str(job.out))
    assert model.facts.task_heads == ("classes",)
    assert abs(model.encode("the cat ate").trace.queries - traces[-1].queries).max() < 1e-5
    snapshots = in_steps(job.out / SNAPSHOTS, "")
    assert snapshots
    assert open_model(str(snapshots[0])).facts.task_heads == ("classes",)


def test_a_tagger_is_watched_and_its_snapshots_open(tmp_path: Path, tiny_bert: Path, follow: Follow) -> None:
    job = tuning_job(tmp_path, tiny_bert, write_conll(tmp_path / "words.txt"), epochs=4)
    job = replace(job, table=TableChoices(label_column="4"))
    run = follow(job)
    messages = run.until("done")
    assert run.end() == 0
    about = [from_json(message["notice"]) for message in messages if message["kind"] == "notice"]
    assert "CoNLL: a label for each word, in column 4 of 4" in about[0]
    last = saved_run(job.out).held_out[-1]
    assert isinstance(last, TagEvaluation)
    assert [one.type for one in last.spans or ()] == ["LOC", "PER"]
    snapshots = in_steps(job.out / SNAPSHOTS, "")
    assert snapshots
    for folder in (job.out, *snapshots):
        assert open_model(str(folder), "cpu").facts.task_heads == ("token_labels",)
    (first, *_) = in_steps(job.work / WATCHED, ".npz")
    assert load_trace(first).pooled is None  # a classifier of tokens needs no pooler


def _log(folder: Path, *lines: object) -> None:
    (folder / "log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_a_job_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    job = replace(tiny_job(tmp_path), watch=Watch("가나", "b", 7))
    assert from_plain(json.loads(json.dumps(to_plain(job)))) == job


def test_a_fine_tuning_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    job = replace(
        tuning_job(tmp_path, tmp_path / "base", tmp_path / "rows.tsv"), test=tmp_path / "others.tsv"
    )
    assert from_plain(json.loads(json.dumps(to_plain(job)))) == job
    assert job.is_tuning
    default = replace(job, base=None, test=None)
    assert from_plain(json.loads(json.dumps(to_plain(default)))) == default


def test_what_is_kept_of_a_fine_tuning_is_its_log(tmp_path: Path) -> None:
    job = tuning_job(tmp_path, tmp_path / "base", tmp_path / "rows.tsv")
    save_job(job)
    _log(
        job.out, tuning_evaluation(0), tuning_report(1, 0.5), tuning_report(2, 1.0), tuning_evaluation(2, 0.9)
    )
    saved = saved_run(job.out)
    assert [type(one) for one in (*saved.steps, *saved.held_out)] == [TuningStep] * 2 + [TuningEvaluation] * 2
    assert [one.step for one in saved.held_out] == [0, 2]
    assert saved.is_done
    found = run_in(job.out)
    assert found is not None
    assert found.last == saved.steps[-1]


def test_a_missing_evaluation_file_is_refused_by_name(tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.touch()
    job = replace(tuning_job(tmp_path, tmp_path / "base", rows), test=tmp_path / "gone.tsv")
    with pytest.raises(FileError, match=r"There is no file .*gone\.tsv"):
        check_job(job)
    check_job(replace(job, test=None))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("settings", {"width": "wide"}),
        ("settings", {"width": True}),
        ("settings", {"rate": False}),
        ("settings", {"steps": 10.0}),
        ("settings", None),
        ("files", "corpus.txt"),
        ("files", [1]),
        ("watch", {"text": 1}),
        ("watch", {"text": "the cat", "every": True}),
        ("watch", None),
    ],
)
def test_a_job_with_a_damaged_field_is_none(tmp_path: Path, name: str, value: object) -> None:
    plain = {**to_plain(tiny_job(tmp_path)), name: value}
    with pytest.raises(UnfitError, match=r"^(width|rate|steps|null is not an object|files|watch)"):
        from_plain(plain)


def test_a_line_of_a_log_with_true_for_a_number_is_no_step() -> None:
    assert as_step(report(1, 0.5)) is not None
    assert as_step({**report(1, 0.5), "step": True}) is None


def test_a_folder_that_was_moved_is_where_it_is_now(tmp_path: Path) -> None:
    save_job(tiny_job(tmp_path))
    shutil.move(tmp_path / "model", tmp_path / "moved")
    assert saved_job(tmp_path / "moved").out == tmp_path / "moved"


def test_a_folder_without_a_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no training"):
        saved_job(tmp_path)
    assert run_in(tmp_path) is None


def test_what_is_kept_of_a_run_is_its_log(tmp_path: Path) -> None:
    job = tiny_job(tmp_path)
    save_job(job)
    _log(job.out, evaluation(0), report(1, 0.1), {"kind": "other"}, report(2, 1.0))
    with (job.out / "log.jsonl").open("a") as file:
        file.write('{"kind": "step", "ste')  # cut short by a kill
    saved = saved_run(job.out)
    assert [one.step for one in saved.steps] == [1, 2]
    assert [one.step for one in saved.held_out] == [0]
    assert saved.is_done
    found = run_in(job.out)
    assert found is not None
    assert found.last == saved.steps[-1]


def test_runs_are_listed_the_one_begun_last_first(tmp_path: Path) -> None:
    for number, name in enumerate(("old", "new")):
        job = replace(tiny_job(tmp_path), out=tmp_path / "models" / name)
        save_job(job)
        os.utime(job.work / "job.json", (1000 + number, 1000 + number))
    (tmp_path / "models" / "other").mkdir()
    assert [run.job.out.name for run in runs_in(tmp_path / "models")] == ["new", "old"]
    assert runs_in(tmp_path / "nowhere") == []


def test_what_is_kept_of_steps_is_listed_by_step(tmp_path: Path) -> None:
    for name in ("step-000002.npz", "step-1000000.npz", "step-000010.npz", "other.npz", "step-x.npz"):
        (tmp_path / name).touch()
    assert [path.name for path in in_steps(tmp_path, ".npz")] == [
        "step-000002.npz",
        "step-000010.npz",
        "step-1000000.npz",
    ]


def test_validating_a_sound_job_raises_nothing_before_and_after_it_began(tmp_path: Path) -> None:
    job = tiny_job(tmp_path)
    check_job(job)
    save_job(job)
    check_job(job)


def test_a_job_that_cannot_begin_is_refused_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tiny_job(tmp_path)
    wrong: list[tuple[AppError, type[AppError]]] = []
    for spoilt in (
        replace(job, files=()),
        replace(job, files=(tmp_path / "gone.txt",)),
        replace(job, out=job.files[0]),
        replace(job, out=tmp_path),
        tiny_job(tmp_path, n_heads=3),
    ):
        with pytest.raises(AppError) as caught:
            check_job(spoilt)
        wrong.append((caught.value, type(caught.value)))
    assert [kind for _, kind in wrong] == [TrainingError, FileError, FileError, FileError, TrainingError]
    assert all(error.hint for error, _ in wrong)


def _refused(path: Path) -> bool:
    raise PermissionError(13, "Permission denied", str(path))


@pytest.mark.parametrize("name", ["exists", "is_file"])
def test_a_file_or_a_folder_that_may_not_be_read_is_refused_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    job = tiny_job(tmp_path)
    monkeypatch.setattr(Path, name, _refused)
    with pytest.raises(FileError, match=r"could not be read: Permission denied\.") as caught:
        check_job(job)
    assert str(job.out if name == "exists" else job.files[0]) in caught.value.message
    assert caught.value.hint


def test_too_little_disk_space_is_refused_before_the_training_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1))
    with pytest.raises(FileError, match=r"fills about \d+ kB; .* has 1 B left"):
        check_job(tiny_job(tmp_path))


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


TINY = LabelTraining(n_rows=16, epochs=2)


def rows_of(folder: Path, labels: str, name: str) -> Rows:
    return read_rows(folder / f"{labels}_{name}.tsv")


def test_both_jobs_have_the_same_texts(tmp_path: Path) -> None:
    jobs = label_jobs(LabelTraining(), tmp_path)
    assert tuple(jobs) == LABELS
    for name, count in (("train", 320), ("test", 400)):
        real, dealt = (rows_of(tmp_path, labels, name).rows for labels in LABELS)
        assert [row.text for row in real] == [row.text for row in dealt]
        assert (
            Counter(row.label for row in real)
            == Counter(row.label for row in dealt)
            == {
                "0": count // 2,
                "1": count // 2,
            }
        )
        n_same = sum(one.label == other.label for one, other in zip(real, dealt, strict=True))
        assert 0.35 < n_same / count < 0.65
    texts = {row.text for row in rows_of(tmp_path, "real", "train").rows}
    assert not texts & {row.text for row in rows_of(tmp_path, "real", "test").rows}
    assert jobs["real"].settings == jobs["random"].settings


def test_labels_are_dealt_out_the_same_way_each_time() -> None:
    rows = [Row(str(number % 2), f"text {number}") for number in range(40)]
    assert with_random_labels(rows, 1) == with_random_labels(rows, 1) != with_random_labels(rows, 2)


def test_a_tiny_training_has_shares_of_its_rows_that_are_right() -> None:
    for result in train_labels(TINY).values():
        assert result.training_accuracy * 16 == pytest.approx(round(result.training_accuracy * 16))
        assert result.held_out_accuracy * 20 == pytest.approx(round(result.held_out_accuracy * 20))
        assert result.baseline == 0.5


def test_a_training_that_was_not_done_has_no_result(tmp_path: Path) -> None:
    assert result_in(tmp_path) is None
    (tmp_path / "log.jsonl").write_text('{"kind": "step"}\n', encoding="utf-8")
    assert result_in(tmp_path) is None


def test_it_is_cancelled_between_the_two() -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        train_labels(TINY, check)


@pytest.mark.parametrize("change", [{"n_rows": 4}, {"n_rows": 321}, {"epochs": 0}])
def test_what_cannot_be_trained_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be from"):
        LabelTraining(**change)
