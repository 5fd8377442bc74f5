"""The data of a fine-tuning: rows to train on and rows to evaluate on, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bertviz_app.errors import Message
from bertviz_app.text_tables.table import BY_CONTENT, TARGETS, TableChoices
from bertviz_app.text_tables.token_labels import (
    TokenTable,
    has_token_labels,
    only_known,
    read_token_table,
    tag_names,
)
from bertviz_app.training.base import Base
from bertviz_app.training.finetuning.labelled import (
    Integers,
    Labelled,
    labelled,
    numbers_of,
    split_rows,
)
from bertviz_app.training.finetuning.rows import Rows, label_names, label_notices, read_rows, scores_of
from bertviz_app.training.finetuning.settings import TuningListener, TuningSettings, Unit
from bertviz_app.training.finetuning.tagged import Tagged, split_sentences, tagged
from bertviz_app.training.finetuning.targets import ClassTarget, FinetuningTarget, ScoreTarget, Tags
from bertviz_app.training.settings import TrainingError
from bertviz_app.types import Floats


@dataclass(frozen=True, eq=False)
class Gathered:
    """Where no file to evaluate on is given, both tables are the same one, and their rows different."""

    target: FinetuningTarget
    training: Labelled
    trained_on: Integers  # numbers of rows of `training`
    evaluation: Labelled
    held_out: Integers  # numbers of rows of `evaluation`

    @property
    def counts(self) -> Integers:
        """How many rows, words or characters of each label are trained on: [N]."""
        return self.training.counts(self.trained_on, len(self.target.labels))


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
    if choices.target not in ("", *TARGETS):
        message = Message("There is no target “{0}”.", choices.target)
        raise TrainingError(message, Message("Give one of {0}.", ", ".join(TARGETS)))
    if has_token_labels(data, choices):
        return _gather_tokens(base, data, test, settings, listener, choices)
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
        evaluation = training
        trained_on, held_out = split_rows(
            training.labels, settings.held_out, settings.seed, rows.label_column
        )
    else:
        evaluation = _numbered(base, others, _labels(others, rows, names), settings, listener)
        trained_on, held_out = np.arange(len(training)), np.arange(len(evaluation))
    target: FinetuningTarget
    if rows.has_scores:
        target = ScoreTarget(rows.label_column, float(training.labels[trained_on].mean()))
    else:
        target = ClassTarget(names, int(np.argmax(training.counts(trained_on, len(names)))))
    return Gathered(target, training, trained_on, evaluation, held_out)


def _gather_tokens(
    base: Base,
    data: Path,
    test: Path | None,
    settings: TuningSettings,
    listener: TuningListener,
    choices: TableChoices,
) -> Gathered:
    """Return the sentences of files with a label for each word or character."""
    base.validate(has_pairs=False)
    table = read_token_table(data, choices)
    names = tag_names(table)
    others = None if test is None else only_known(read_token_table(test, choices), names)
    for one in (table,) if others is None else (table, others):
        for notice in (one.about, *one.notices):
            listener.on_notice(notice)
    listener.on_stage("tokens")
    training = _tagged(base, table, names, settings, listener)
    if others is None:
        evaluation = training
        trained_on, held_out = split_sentences(training.learnable, settings.held_out, settings.seed)
    else:
        evaluation = _tagged(base, others, names, settings, listener)
        trained_on, held_out = training.learnable, np.arange(len(evaluation))
    commonest = int(np.argmax(training.counts(trained_on, len(names))))
    unit: Unit = "characters" if table.form.are_characters else "words"
    return Gathered(Tags(names, commonest, unit), training, trained_on, evaluation, held_out)


def _tagged(
    base: Base,
    table: TokenTable,
    names: tuple[str, ...],
    settings: TuningSettings,
    listener: TuningListener,
) -> Tagged:
    tokenizer = base.tokenizer.limited(settings.length)
    are_characters = table.form.are_characters
    found = tagged(table.sentences, names, tokenizer, listener.check, are_characters=are_characters)
    _note_cut(table.name, tokenizer.max_tokens, found.n_cut, listener)
    if found.n_unread:
        count = f"{found.n_unread:,}"
        listener.on_notice(
            Message("{0}: characters whose labels no token learns: {1}.", table.name, count)
            if are_characters
            else Message("{0}: words whose labels no token learns: {1}.", table.name, count)
        )
    return found


def _labels(rows: Rows, trained_on: Rows, names: tuple[str, ...]) -> Integers | Floats:
    """Return the labels of `rows` as numbers, or as scores where those `trained_on` are."""
    if trained_on.has_scores:
        return np.array(scores_of(rows), np.float32)
    return numbers_of(rows.rows, names)


def _numbered(
    base: Base, rows: Rows, labels: Integers | Floats, settings: TuningSettings, listener: TuningListener
) -> Labelled:
    tokenizer = base.tokenizer.limited(settings.length)
    found = labelled(rows.rows, labels, tokenizer, listener.check)
    _note_cut(rows.name, tokenizer.max_tokens, found.n_cut, listener)
    return found


def _note_cut(name: str, most: int, n_cut: int, listener: TuningListener) -> None:
    if n_cut:
        count = f"{n_cut:,}"
        listener.on_notice(
            Message("{0}: texts of more than {1} tokens, whose ends are not read: {2}.", name, most, count)
        )
