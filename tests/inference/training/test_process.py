"""A training in a process of its own: real, tiny, paused, killed, continued."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bertviz_app.api import open_model
from bertviz_app.errors import Message, from_json
from bertviz_app.inference.child_process import Report
from bertviz_app.inference.training.job import (
    SNAPSHOTS,
    WATCHED,
    TrainingJob,
    TrainingProcess,
    in_steps,
    run_in,
    saved_run,
    step_of,
)
from bertviz_app.text_tables.table import TableChoices
from bertviz_app.trace import load_trace
from bertviz_app.training.finetuning.settings import TagEvaluation
from tests.support.reviews import write_reviews
from tests.support.tagged_texts import write_conll
from tests.support.training_scene import tiny_job, tuning_job

_LONG = 120.0
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


def test_a_run_reports_its_progress_and_leaves_a_model_that_opens(tmp_path: Path, follow: Follow) -> None:
    job = tiny_job(tmp_path)
    run = follow(job)
    messages = run.until("done")
    assert run.end() == 0
    kinds = [message["kind"] for message in messages]
    assert [message["stage"] for message in messages if message["kind"] == "stage"] == [
        "vocabulary",
        "tokens",
        "training",
    ]
    assert kinds.count("held-out") == 3  # before the first step, at 6, and at the end
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
    assert saved_run(job.out).is_done


def test_a_pre_training_can_begin_with_a_model_that_is_there(tmp_path: Path, follow: Follow) -> None:
    first = tiny_job(tmp_path)
    learnt = [message for message in follow(first).until("done") if message["kind"] == "held-out"][-1]
    job = replace(
        first, out=tmp_path / "further", base=str(first.out), base_name="first", begins_at_base=True
    )
    run = follow(job)
    messages = run.until("done")
    assert run.end() == 0
    assert [message["stage"] for message in messages if message["kind"] == "stage"] == [
        "opening",
        "tokens",
        "training",
    ]
    begun = next(message for message in messages if message["kind"] == "held-out")
    assert begun["masked_loss"] == pytest.approx(learnt["masked_loss"], abs=1e-5)
    assert [step_of(folder) for folder in in_steps(job.out / SNAPSHOTS, "")] == [2, 5, 8]
    assert open_model(str(job.out)).encode("ab cd ef").trace.tokens.pieces
    assert saved_run(job.out).job == job


def test_a_pause_holds_it_between_two_steps(tmp_path: Path, follow: Follow) -> None:
    run = follow(tiny_job(tmp_path, steps=_ENDLESS))
    run.until("step")
    run.process.send(do="pause")
    run.until("paused")
    with pytest.raises(queue.Empty):
        run.messages.get(timeout=0.5)
    run.process.send(do="go on")
    assert [message["kind"] for message in run.until("going on")] == ["going on"]
    run.until("step")
    run.process.send(do="stop")
    run.until("stopped")
    assert run.end() == 0


def test_one_that_is_paused_can_be_stopped(tmp_path: Path, follow: Follow) -> None:
    run = follow(tiny_job(tmp_path, steps=_ENDLESS))
    run.until("step")
    run.process.send(do="pause")
    run.until("paused")
    run.process.send(do="stop")
    run.until("stopped")


def test_a_run_that_was_stopped_is_gone_on_with(tmp_path: Path, follow: Follow) -> None:
    job = tiny_job(tmp_path, steps=_ENDLESS)
    first = follow(job)
    first.until("watched")
    first.process.send(do="stop")
    first.until("stopped")
    first.end()
    stopped_at = saved_run(job.out).steps[-1].step
    second = follow(job)
    messages = second.until("step")
    assert messages[-1]["step"] == stopped_at + 1
    assert [message["stage"] for message in messages if message["kind"] == "stage"] == ["training"]


def test_the_end_of_the_window_stops_it_and_keeps_the_run(tmp_path: Path, follow: Follow) -> None:
    job = tiny_job(tmp_path, steps=_ENDLESS)
    run = follow(job)
    run.until("step")
    assert run.process.close(_LONG)
    assert run.end() == 0
    assert saved_run(job.out).steps[-1].step >= 1
    assert (job.work / "state.safetensors").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there a process is ended in another way")
def test_a_killed_run_ends_with_its_signal_and_resumes_from_its_last_saved_state(
    tmp_path: Path, follow: Follow
) -> None:
    job = tiny_job(tmp_path, steps=_ENDLESS, save_every=0.0)
    run = follow(job)
    for _ in range(3):
        run.until("step")
    assert run.process.number is not None
    os.kill(run.process.number, signal.SIGKILL)
    assert run.end() == -signal.SIGKILL
    again = follow(job)
    assert again.until("step")[-1]["step"] not in (1, 2)
    steps = [json.loads(line).get("step") for line in (job.out / "log.jsonl").read_text().splitlines()]
    assert steps == sorted(steps)


def test_another_sentence_is_watched_from_then_on(tmp_path: Path, follow: Follow) -> None:
    job = tiny_job(tmp_path, steps=_ENDLESS)
    run = follow(job)
    run.until("watched")
    run.process.send(do="watch", text="gh ij", pair="kl")
    run.until("watched")
    run.until("watched")
    run.process.send(do="stop")
    run.until("stopped")
    run.end()
    found = {load_trace(path).tokens.text for path in in_steps(job.work / WATCHED, ".npz")}
    assert found == {"gh ij"}


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


def test_a_second_one_in_the_same_folder_is_refused(tmp_path: Path, follow: Follow) -> None:
    job = tiny_job(tmp_path, steps=_ENDLESS)
    follow(job).until("step")
    second = follow(job)
    message = second.messages.get(timeout=_LONG)
    assert message["kind"] == "error"
    assert "under way" in str(from_json(message["message"]))


def test_a_sentence_that_cannot_be_read_is_remarked_and_does_not_end_the_run(
    tmp_path: Path, follow: Follow
) -> None:
    job = tiny_job(tmp_path)
    run = follow(replace(job, watch=replace(job.watch, text="\u200b")))
    remark = next(message for message in run.until("done") if message["kind"] == "remark")
    assert isinstance(from_json(remark["message"]), Message), "a text could not be translated"


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


def test_a_fine_tuning_that_was_stopped_is_gone_on_with(
    tmp_path: Path, tiny_bert: Path, follow: Follow
) -> None:
    job = tuning_job(tmp_path, tiny_bert, write_reviews(tmp_path / "rows.tsv"), _ENDLESS)
    first = follow(job)
    first.until("step")
    first.process.send(do="pause")
    first.until("paused")
    first.process.send(do="stop")
    first.until("stopped")
    first.end()
    stopped_at = saved_run(job.out).steps[-1].step
    second = follow(job)
    assert second.until("step")[-1]["step"] == stopped_at + 1


def test_rows_of_a_single_label_are_reported_and_the_run_starts_once_they_are_corrected(
    tmp_path: Path, tiny_bert: Path, follow: Follow
) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("good\tthe cat\ngood\tthe fish\n", encoding="utf-8")
    job = tuning_job(tmp_path, tiny_bert, rows)
    run = follow(job)
    message = run.messages.get(timeout=_LONG)
    while message["kind"] == "stage":
        message = run.messages.get(timeout=_LONG)
    assert message["kind"] == "error"
    assert from_json(message["message"]) == "All rows of rows.tsv have the label “good”."
    assert run.end() == 0
    write_reviews(rows)
    follow(job).until("done")
