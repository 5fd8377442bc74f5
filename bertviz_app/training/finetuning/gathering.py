"""The data of a fine-tuning: rows to train on and rows to evaluate on, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_app.errors import Message
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices
from bertviz_app.training.base import Base
from bertviz_app.training.finetuning.labelled import (
    Integers,
    Labelled,
    Scores,
    labelled,
    numbers_of,
    split_rows,
)
from bertviz_app.training.finetuning.rows import Rows, label_names, label_notices, read_rows, scores_of
from bertviz_app.training.finetuning.settings import TuningListener, TuningSettings


@dataclass(frozen=True, eq=False)
class Gathered:
    """Where no file to evaluate on is given, both tables are the same one, and their rows different.

    `labels` are the names of the classes; of scores the name of their column alone.
    """

    labels: tuple[str, ...]
    training: Labelled
    trained_on: Integers  # numbers of rows of `training`
    evaluation: Labelled
    held_out: Integers  # numbers of rows of `evaluation`

    @property
    def has_scores(self) -> bool:
        """Whether real numbers are predicted, and not classes."""
        return self.training.labels.dtype.kind == "f"

    @property
    def counts(self) -> Integers:
        """How many rows of each label are trained on: [N]."""
        labels = self.training.labels[self.trained_on].astype(np.int64)
        return np.bincount(labels, minlength=len(self.labels))

    @property
    def mean(self) -> float:
        """The mean of the scores that are trained on."""
        return float(self.training.labels[self.trained_on].mean())


def gather_rows(
    base: Base,
    data: Path,
    test: Path | None,
    settings: TuningSettings,
    listener: TuningListener,
    choices: TableChoices = BY_CONTENT,
) -> Gathered:
    """Return the rows of `data`, and those of `test` or a share of the former to evaluate on.

    `choices` are how both files are read. Raises FileError for a file that cannot be used, TrainingError for
    rows of one label, or of pairs that `base` cannot read.
    """
    listener.on_stage("rows")
    rows = read_rows(data, choices)
    names = (rows.label_column,) if rows.has_scores else label_names(rows)
    base.validate(has_pairs=rows.has_pairs)
    others = None if test is None else read_rows(test, choices, () if rows.has_scores else names)
    if others is not None:
        base.validate(has_pairs=others.has_pairs)
    of_test = () if others is None else others.notices
    for notice in (*rows.notices, *label_notices(rows), *of_test):
        listener.on_notice(notice)
    listener.on_stage("tokens")
    training = _numbered(base, rows, _labels(rows, rows, names), settings, listener)
    if others is None:
        trained_on, held_out = split_rows(
            training.labels, settings.held_out, settings.seed, rows.label_column
        )
        return Gathered(names, training, trained_on, training, held_out)
    evaluation = _numbered(base, others, _labels(others, rows, names), settings, listener)
    return Gathered(names, training, np.arange(len(training)), evaluation, np.arange(len(evaluation)))


def _labels(rows: Rows, trained_on: Rows, names: tuple[str, ...]) -> Integers | Scores:
    """Return the labels of `rows` as numbers, or as scores where those `trained_on` are."""
    if trained_on.has_scores:
        return np.array(scores_of(rows), np.float32)
    return numbers_of(rows.rows, names)


def _numbered(
    base: Base, rows: Rows, labels: Integers | Scores, settings: TuningSettings, listener: TuningListener
) -> Labelled:
    tokenizer = base.tokenizer.limited(settings.length)
    found = labelled(rows.rows, labels, tokenizer, listener.check)
    if found.n_cut:
        notices = [
            Message(
                "{0}: texts of more than {1} tokens, whose ends are not read: {2}.",
                rows.name,
                tokenizer.max_tokens,
                f"{found.n_cut:,}",
            )
        ]
        listener.on_notice(*notices)
    return found
