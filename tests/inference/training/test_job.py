"""A training as its folder keeps it: read back as it was written, and judged before it begins."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bertviz_app.errors import AppError, FileError
from bertviz_app.inference.training.job import (
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
    to_plain,
)
from bertviz_app.json_store import UnfitError
from bertviz_app.training.finetuning.settings import TuningEvaluation, TuningStep
from bertviz_app.training.settings import TrainingError
from tests.support.training_scene import (
    evaluation,
    report,
    tiny_job,
    tuning_evaluation,
    tuning_job,
    tuning_report,
)


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
    with pytest.raises(FileError, match=r"fills about 0\.\d MB; .* has 0\.0 MB left"):
        check_job(tiny_job(tmp_path))
