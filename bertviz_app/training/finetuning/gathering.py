"""What a fine-tuning reads: rows to learn from, and rows to judge by, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_app.training.finetuning.base import Base
from bertviz_app.training.finetuning.labelled import Integers, Labelled, labelled, parted
from bertviz_app.training.finetuning.rows import Rows, label_names, read_rows
from bertviz_app.training.finetuning.settings import TuningListener, TuningSettings


@dataclass(frozen=True, eq=False)
class Gathered:
    """Where no file to judge by is given, both sides are of one table and have different rows of it."""

    labels: tuple[str, ...]
    learning: Labelled
    learnt: Integers  # numbers of rows of `learning`
    judging: Labelled
    kept: Integers  # numbers of rows of `judging`

    @property
    def counts(self) -> Integers:
        """How many rows of each label are learnt from: [N]."""
        return np.bincount(self.learning.labels[self.learnt], minlength=len(self.labels))


def gather_rows(
    base: Base, data: Path, test: Path | None, settings: TuningSettings, listener: TuningListener
) -> Gathered:
    """Return the rows of `data`, and those of `test` or a share of the former to judge by.

    Raises FileError for a file that cannot be used, TrainingError for rows of one label, or of pairs that
    `base` cannot read.
    """
    listener.on_stage("rows")
    rows = read_rows(data)
    names = label_names(rows)
    base.judge(has_pairs=rows.has_pairs)
    others = None if test is None else read_rows(test, names)
    if others is not None:
        base.judge(has_pairs=others.has_pairs)
    for notice in (*rows.notices, *(others.notices if others is not None else ())):
        listener.on_notice(notice)
    listener.on_stage("tokens")
    learning = _numbered(base, rows, names, settings, listener)
    if others is None:
        learnt, kept = parted(learning.labels, settings.held_out, settings.seed)
        return Gathered(names, learning, learnt, learning, kept)
    judging = _numbered(base, others, names, settings, listener)
    return Gathered(names, learning, np.arange(len(learning)), judging, np.arange(len(judging)))


def _numbered(
    base: Base, rows: Rows, names: tuple[str, ...], settings: TuningSettings, listener: TuningListener
) -> Labelled:
    tokenizer = base.tokenizer.limited(settings.length)
    found = labelled(rows.rows, names, tokenizer, listener.check)
    if found.n_cut:
        notices = [
            f"{rows.name}: texts of more than {tokenizer.max_tokens} tokens, whose ends are not read: "
            f"{found.n_cut:,}."
        ]
        listener.on_notice(*notices)
    return found
