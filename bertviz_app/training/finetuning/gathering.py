"""The data of a fine-tuning: rows to train on and rows to evaluate on, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_app.errors import Message
from bertviz_app.training.base import Base
from bertviz_app.training.finetuning.labelled import Integers, Labelled, labelled, split_rows
from bertviz_app.training.finetuning.rows import Rows, label_names, read_rows
from bertviz_app.training.finetuning.settings import TuningListener, TuningSettings


@dataclass(frozen=True, eq=False)
class Gathered:
    """Where no file to evaluate on is given, both tables are the same one, and their rows different."""

    labels: tuple[str, ...]
    training: Labelled
    trained_on: Integers  # numbers of rows of `training`
    evaluation: Labelled
    held_out: Integers  # numbers of rows of `evaluation`

    @property
    def counts(self) -> Integers:
        """How many rows of each label are trained on: [N]."""
        return np.bincount(self.training.labels[self.trained_on], minlength=len(self.labels))


def gather_rows(
    base: Base, data: Path, test: Path | None, settings: TuningSettings, listener: TuningListener
) -> Gathered:
    """Return the rows of `data`, and those of `test` or a share of the former to evaluate on.

    Raises FileError for a file that cannot be used, TrainingError for rows of one label, or of pairs that
    `base` cannot read.
    """
    listener.on_stage("rows")
    rows = read_rows(data)
    names = label_names(rows)
    base.validate(has_pairs=rows.has_pairs)
    others = None if test is None else read_rows(test, names)
    if others is not None:
        base.validate(has_pairs=others.has_pairs)
    for notice in (*rows.notices, *(others.notices if others is not None else ())):
        listener.on_notice(notice)
    listener.on_stage("tokens")
    training = _numbered(base, rows, names, settings, listener)
    if others is None:
        trained_on, held_out = split_rows(training.labels, settings.held_out, settings.seed)
        return Gathered(names, training, trained_on, training, held_out)
    evaluation = _numbered(base, others, names, settings, listener)
    return Gathered(names, training, np.arange(len(training)), evaluation, np.arange(len(evaluation)))


def _numbered(
    base: Base, rows: Rows, names: tuple[str, ...], settings: TuningSettings, listener: TuningListener
) -> Labelled:
    tokenizer = base.tokenizer.limited(settings.length)
    found = labelled(rows.rows, names, tokenizer, listener.check)
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
