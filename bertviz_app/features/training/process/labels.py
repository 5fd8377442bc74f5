"""The jobs of a fine-tuning on real labels beside one on random labels, and their results. Loads no torch."""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bertviz_app import paths
from bertviz_app.errors import Check
from bertviz_app.features.training.finetuning.settings import (
    Row,
    TuningEvaluation,
    TuningSettings,
    TuningStep,
    read_rows,
)
from bertviz_app.features.training.process.job import TrainingJob, Watch, as_held_out, as_step
from bertviz_app.features.training.settings import read_record
from bertviz_app.learning.label_training import LABELS, ROWS_OF, LabelResult, Labels, LabelTraining

_NEVER = 1 << 30


def label_jobs(training: LabelTraining, folder: Path) -> dict[Labels, TrainingJob]:
    """Write the rows into `folder`, and return the jobs that train on them. Raises FileError."""
    files_of_rows = paths.resources() / "lessons" / (training.rows or ROWS_OF["ko"])
    rows = {name: read_rows(files_of_rows / f"{name}.tsv.xz").rows for name in ("train", "test")}
    settings = TuningSettings(
        epochs=training.epochs,
        batch=16,
        length=48,
        rate=3e-4,
        seed=training.seed,
        precision="float32",
        evaluate_every=_NEVER,
        save_every=1e9,
    )
    jobs: dict[Labels, TrainingJob] = {}
    for labels in LABELS:
        files = {name: folder / f"{labels}_{name}.tsv" for name in rows}
        for index, (name, file) in enumerate(files.items()):
            chosen = _balanced(
                rows[name], training.n_rows if name == "train" else round(training.n_rows * 1.25)
            )
            if labels == "random":
                chosen = with_random_labels(chosen, training.seed + index)
            lines = ["label\ttext", *(f"{row.label}\t{row.text}" for row in chosen)]
            with paths.replacing(file) as beside:
                beside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        watch = Watch(rows["test"][0].text, every=_NEVER)
        jobs[labels] = TrainingJob(
            (files["train"],), folder / labels, settings, watch, "cpu", test=files["test"]
        )
    return jobs


def with_random_labels(rows: Sequence[Row], seed: int) -> list[Row]:
    """Return the same texts with their labels shuffled, so that each label is as frequent as before."""
    labels = [row.label for row in rows]
    random.Random(seed).shuffle(labels)
    return [Row(label, row.text, row.pair) for label, row in zip(labels, rows, strict=True)]


def result_in(folder: Path) -> LabelResult | None:
    """Return the accuracies of the training in `folder`, None if it is not finished. Raises FileError."""
    lines = read_record(folder)
    steps = [step for line in lines if isinstance(step := as_step(line), TuningStep)]
    found = [result for line in lines if isinstance(result := as_held_out(line), TuningEvaluation)]
    if not steps or steps[-1].share < 1 or not found:
        return None
    last = [step.accuracy for step in steps if step.epoch == steps[-1].epoch and step.accuracy is not None]
    return LabelResult(sum(last) / len(last), found[-1].accuracy, found[-1].baseline)


def train_labels(training: LabelTraining, check: Check = lambda: None) -> Mapping[Labels, LabelResult]:
    """Run both trainings in this process, one after the other. Raises AppError."""
    from bertviz_app.features.training.process.child import train
    from bertviz_app.inference.child_process import Commands

    results: dict[Labels, LabelResult] = {}
    with tempfile.TemporaryDirectory() as name:
        for labels, job in label_jobs(training, Path(name)).items():
            check()
            train(job, Commands(io.StringIO(), _ignore), _ignore)
            result = result_in(job.out)
            assert result is not None
            results[labels] = result
    return results


def _ignore(**message: object) -> None:
    """Drop a message of the training: its log has all that is needed."""


def _balanced(rows: Sequence[Row], count: int) -> list[Row]:
    """Return the first rows, about `count` in all, with as many of each label, in their order."""
    left = dict.fromkeys(sorted({row.label for row in rows}), count // 2)
    chosen = []
    for row in rows:
        if left[row.label]:
            left[row.label] -= 1
            chosen.append(row)
    return chosen
