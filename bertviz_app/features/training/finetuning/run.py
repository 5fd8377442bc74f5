"""`finetune`: a classifier on top of an encoder: its data, targets, steps and model card."""

from __future__ import annotations

import math
import secrets
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.errors import Check, FileError, Message
from bertviz_app.features.training.finetuning.labelled import (
    NOT_COUNTED,
    ClassifierNetwork,
    HeldOut,
    Integers,
    Labelled,
    Predicted,
    Tagged,
    accuracy_of,
    correlation,
    dropout,
    flags_of,
    labelled,
    network_on,
    numbers_of,
    ranks,
    sample,
    split_rows,
    split_sentences,
    tagged,
    training_batches,
)
from bertviz_app.features.training.finetuning.settings import (
    THRESHOLD,
    MultiLabelEvaluation,
    Rows,
    ScoreEvaluation,
    SpanCounts,
    TagEvaluation,
    TuningEvaluation,
    TuningListener,
    TuningSettings,
    TuningStep,
    TuningVerdict,
    Unit,
    count_spans,
    label_names,
    label_notices,
    read_rows,
    scores_of,
)
from bertviz_app.features.training.loop import (
    LICENCE,
    LINEAR,
    Base,
    Computed,
    DataPosition,
    Loop,
    RunPosition,
    linear_rate,
    n_parameters,
    precision,
    save_model,
    settings_table,
    stored,
    table,
    trained_positions,
    write_card,
)
from bertviz_app.features.training.settings import STATE, WORK, TrainingError, check_folder
from bertviz_app.paths import examining
from bertviz_app.text_tables.table import BY_CONTENT, TARGETS, TableChoices
from bertviz_app.text_tables.token_labels import (
    TokenTable,
    has_token_labels,
    marks_of,
    only_known,
    read_token_table,
    spans_of,
    tag_names,
)
from bertviz_app.torch_operations import own_grad_mode
from bertviz_app.trace.provenance import MANY_LABELS
from bertviz_app.types import Floats
from bertviz_app.values import dataclass, replace


def _answers(held_out: HeldOut, examples: Tagged) -> tuple[Integers, float]:
    """Return the numbers of the predicted labels [n pieces], and the mean cross-entropy in nats.

    Those of sentences that are not evaluated mean nothing.
    """
    found = np.zeros(len(examples.ids), np.int64)
    loss, n_counted = 0.0, 0
    for chosen, predicted in held_out.predictions():
        best = predicted.logits.argmax(-1).cpu().numpy()  # [B, T]
        n_labels = 0
        for row, answer in zip(chosen.tolist(), best, strict=True):
            own = slice(examples.starts[row], examples.starts[row + 1])
            found[own] = answer[: own.stop - own.start]
            n_labels += int((examples.labels[own] != NOT_COUNTED).sum())
        loss += float(predicted.loss) * n_labels if n_labels else 0.0  # of none it is no number
        n_counted += n_labels
    return found, loss / max(1, n_counted)


def _span_counts(
    examples: Tagged, rows: Integers, answers: Integers, labels: Sequence[str]
) -> tuple[SpanCounts, ...] | None:
    """Return the counts of spans of each type; None where the labels mark none."""
    named = marks_of(labels)
    if named is None:
        return None
    marks, pairs = [named[label] for label in labels], []
    for units in map(examples.units, rows.tolist()):
        counted = examples.is_counted[units]
        true = [marks[label] for label in examples.unit_labels[units][counted].tolist()]
        pieces = examples.unit_pieces[units][counted].tolist()
        predicted = [marks[answers[piece]] if piece >= 0 else None for piece in pieces]
        pairs.append((spans_of(true), spans_of(predicted, examples.continues[units][counted].tolist())))
    return count_spans(pairs)


def _inside(labels: Sequence[str]) -> Integers:
    """Return, for each label, the one of the rest of a piece that begins with it: I-PS for B-PS, else itself.

    Park et al. 2021, arXiv:2105.09680, as KLUE's baseline evaluates KLUE-NER.
    """
    marks = marks_of(labels) or {}
    inside = {
        mark.type: number
        for number, label in enumerate(labels)
        if (mark := marks.get(label)) is not None and mark.letter == "I"
    }
    found = [
        inside.get(marks[label].type, number) if label in marks and marks[label].type else number
        for number, label in enumerate(labels)
    ]
    return np.array(found, np.int64)


def _confused(labels: tuple[str, ...], commonest: int, true: Integers, predicted: Integers) -> dict[str, Any]:
    """Return the fields of an evaluation of `labels`; the baseline always answers the commonest one."""
    confusion, count = np.zeros((len(labels), len(labels)), np.int64), max(1, len(true))
    np.add.at(confusion, (true, predicted), 1)
    return {
        "accuracy": float(np.trace(confusion)) / count,
        "baseline": float(confusion[commonest].sum()) / count,
        "labels": labels,
        "confusion": tuple(tuple(row) for row in confusion.tolist()),
    }


@dataclass(frozen=True)
class ClassTarget:
    """One of several labels for each text or part of it; `commonest`: the number of the most frequent one."""

    labels: tuple[str, ...]
    commonest: int

    @property
    def heads(self) -> TaskHeadsConfig:
        """A classifier that reads the pooled vector."""
        return TaskHeadsConfig(n_classes=len(self.labels))

    def evaluate(self, held_out: HeldOut, step: int) -> TuningVerdict:
        """Return the accuracy and the confusion of labels; the baseline always answers the commonest."""
        rows, answers, loss = held_out.answers(lambda logits: logits.argmax(-1))
        true = held_out.examples.labels[rows].astype(np.int64)
        found = _confused(self.labels, self.commonest, true, answers)
        return TuningEvaluation(step=step, n_rows=len(rows), loss=loss, **found)


class MultiLabelTarget(ClassTarget):
    """Any of several labels for each text."""

    def evaluate(self, held_out: HeldOut, step: int) -> TuningVerdict:
        """Return the counts of each label, with its F1; the baseline always answers the commonest alone."""
        rows, predicted, loss = held_out.answers(lambda logits: torch.sigmoid(logits) >= THRESHOLD)
        true = held_out.examples.labels[rows] > 0  # [R, C], as `predicted`
        numbers = (one.sum(0).tolist() for one in (true, predicted, true & predicted))
        counts = tuple(SpanCounts(*one) for one in zip(self.labels, *numbers, strict=True))
        return MultiLabelEvaluation(
            step=step,
            n_rows=len(rows),
            loss=loss,
            baseline=SpanCounts("", int(true.sum()), len(rows), counts[self.commonest].n_true).f1,
            counts=counts,
            thresholds=(THRESHOLD,) * len(counts),
        )


@dataclass(frozen=True)
class ScoreTarget:
    """A real number for each text, called `column`; `mean` is that of the training rows."""

    column: str
    mean: float

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of the only output."""
        return (self.column,)

    @property
    def heads(self) -> TaskHeadsConfig:
        """A classifier with one output that reads the pooled vector."""
        return TaskHeadsConfig(n_classes=1)

    def evaluate(self, held_out: HeldOut, step: int) -> ScoreEvaluation:
        """Return the mean squared error and the correlations; the baseline always answers the mean."""
        rows, found, _ = held_out.answers(lambda logits: logits[:, 0])
        expected, answers = (one.astype(np.float64) for one in (held_out.examples.labels[rows], found))
        return ScoreEvaluation(
            step=step,
            n_rows=len(held_out.rows),
            loss=float(((answers - expected) ** 2).mean()),
            baseline=float(((self.mean - expected) ** 2).mean()),
            pearson=correlation(expected, answers),
            spearman=correlation(ranks(expected), ranks(answers)),
        )


@dataclass(frozen=True)
class Tags(ClassTarget):
    """One of several labels for each word or character of a text."""

    unit: Unit

    @property
    def heads(self) -> TaskHeadsConfig:
        """A classifier that reads the vector of each token."""
        return TaskHeadsConfig(n_token_labels=len(self.labels))

    def evaluate(self, held_out: HeldOut, step: int) -> TagEvaluation:
        """Return the accuracy, the confusion of labels, and how many spans are found.

        Words and characters that no piece predicts have no answer: they are left out of the accuracy, and
        spans with one of them are not found. The baseline always answers the commonest label.
        """
        examples = held_out.examples
        assert isinstance(examples, Tagged)
        answers, loss = _answers(held_out, examples)
        chosen = examples.counted_in(held_out.rows) & (examples.unit_pieces >= 0)
        predicted = answers[examples.unit_pieces[chosen]]
        predicted = np.where(examples.continues[chosen], _inside(self.labels)[predicted], predicted)
        return TagEvaluation(
            step=step,
            n_rows=len(held_out.rows),
            n_units=len(predicted),
            unit=self.unit,
            loss=loss,
            **_confused(self.labels, self.commonest, examples.unit_labels[chosen], predicted),
            spans=_span_counts(examples, held_out.rows, answers, self.labels),
        )


FinetuningTarget = ClassTarget | ScoreTarget
"""The outputs of a fine-tuned model; the loss goes by the kind of numbers that the labels are: `loss_of`."""


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
    as_here = replace(choices, target=rows.kind)
    others = None if test is None else read_rows(test, as_here, () if rows.has_scores else names)
    if others is not None:
        base.validate(has_pairs=others.has_pairs)
    for notice in (*rows.notices, *label_notices(rows), *(() if others is None else others.notices)):
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
        kind = MultiLabelTarget if rows.kind == "multi_label" else ClassTarget
        target = kind(names, int(np.argmax(training.counts(trained_on, len(names)))))
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
    return (flags_of if trained_on.kind == "multi_label" else numbers_of)(rows.rows, names)


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


_RULES = MappingProxyType(
    {
        "words": "The label of a word is learnt, and predicted, at its first token.",
        "characters": (
            "A token has the label of the character that it begins with; in the evaluation the rest of its "
            "characters continue that label (I- after B-), and blanks are not counted, as in KLUE's baseline "
            "(Park et al. 2021, arXiv:2105.09680)."
        ),
    }
)


def _found(gathered: Gathered, result: TuningVerdict, rows: str) -> tuple[str, str, str]:
    """Return what the head is, the table of the labels, and the evaluation on `rows`, for the card."""
    labels = gathered.target.labels
    if isinstance(result, ScoreEvaluation):
        return f"an output that predicts the number `{labels[0]}`", "", _scores(result, rows)
    if isinstance(result, MultiLabelEvaluation):
        head = f"a classifier of {len(labels)} labels, any of which a text may have"
        n_evaluated, evaluated = [one.n_true for one in result.counts], _several(result, rows)
    else:
        n_evaluated = [sum(row) for row in result.confusion]
        names = [f"`{label}`" for label in labels]
        confusion = [
            (name, *(f"{count:,}" for count in counts), f"{counts[index] / max(1, sum(counts)):.1%}")
            for index, (name, counts) in enumerate(zip(names, result.confusion, strict=True))
        ]
        if isinstance(result, TagEvaluation):
            head, evaluated = f"a classifier of tokens with {len(labels)} labels", _tags(result, rows)
        else:
            head = f"a classifier of {len(labels)} labels"
            evaluated = (
                f"On {result.n_rows:,} {rows}: **{result.accuracy:.1%}** correct (loss {result.loss:.3f} "
                f"nats; always the most frequent label: {result.baseline:.1%})."
            )
        evaluated += "\n\nRows are the correct labels, columns the predicted ones.\n\n"
        evaluated += table(("", *names, "correct"), confusion)
    counts = [
        (f"`{label}`", f"{trained:,}", f"{count:,}")
        for label, trained, count in zip(labels, gathered.counts.tolist(), n_evaluated, strict=True)
    ]
    unit = result.unit if isinstance(result, TagEvaluation) else "rows"
    rule = f"\n\n{_RULES[unit]}" if unit in _RULES else ""
    titles = "label", f"{unit} trained on", f"{unit} evaluated on"
    return head, f"\n\n{table(titles, counts)}{rule}", evaluated


def _tags(result: TagEvaluation, sentences: str) -> str:
    about = (
        f"On {result.n_units:,} {result.unit} of {result.n_rows:,} {sentences}: **{result.accuracy:.1%}** "
        f"have the correct label (loss {result.loss:.3f} nats; always the most frequent label: "
        f"{result.baseline:.1%}; mean F1 of the labels: {result.label_f1:.1%})."
    )
    if result.spans is None or result.all_spans is None or result.macro_f1 is None:
        return about
    spans = [(f"`{one.type}`", *_span_numbers(one)) for one in result.spans]
    titles = ("type", "precision", "recall", "F1", "spans", "predicted", "right")
    return (
        f"{about}\n\nA span is found where its beginning, its end and its type are right (CoNLL 2000). "
        f"Mean F1 of the types: {result.macro_f1:.1%}.\n\n"
        + table(titles, [*spans, ("all", *_span_numbers(result.all_spans))])
    )


def _several(result: MultiLabelEvaluation, rows: str) -> str:
    titles = ("label", "precision", "recall", "F1", "rows", "predicted", "right", "threshold")
    found = [
        (f"`{one.type}`", *_span_numbers(one), f"{threshold:g}")
        for one, threshold in zip(result.counts, result.thresholds, strict=True)
    ]
    return (
        f"On {result.n_rows:,} {rows}: micro F1 **{result.micro_f1:.1%}**, macro F1 {result.macro_f1:.1%} "
        f"(loss {result.loss:.3f} nats; micro F1 of always "
        f"answering the most frequent label: {result.baseline:.1%}).\n\n"
        "A label is predicted where the sigmoid of its output is at its threshold or above. The thresholds "
        "are stated, and not chosen on any rows.\n\n" + table(titles, found)
    )


def _span_numbers(one: SpanCounts) -> tuple[str, ...]:
    shares = (one.precision, one.recall, one.f1)
    counts = (one.n_true, one.n_predicted, one.n_right)
    return (*(f"{share:.1%}" for share in shares), *(f"{count:,}" for count in counts))


def _scores(result: ScoreEvaluation, rows: str) -> str:
    numbers = (("Pearson", result.pearson), ("Spearman", result.spearman))
    found = [(name, "–" if value is None else f"{value:.3f}") for name, value in numbers]
    error = ("mean squared error", f"{result.loss:.3f}")
    mean = ("the same, of always answering the mean of the training rows", f"{result.baseline:.3f}")
    return f"On {result.n_rows:,} {rows}.\n\n" + table(("measure", "value"), [*found, error, mean])


_Loop = Loop[TuningStep, TuningVerdict, ClassifierNetwork]


@own_grad_mode()
def finetune(  # noqa: PLR0913 - each is named by its callers
    base: Base,
    data: Path,
    out: Path,
    settings: TuningSettings,
    listener: TuningListener,
    device: str = "cpu",
    *,
    test: Path | None = None,
    resume: bool = False,
    command: str = "",
    choices: TableChoices = BY_CONTENT,
) -> TuningVerdict:
    """Train a classifier of the labels in `data` on top of `base`, save it to `out`, and evaluate it.

    The labels are those of texts, or, in files such as CoNLL's and KLUE-NER's, those of words or characters.
    Labels that are real numbers are predicted as numbers: one output, mean squared error. Of several labels a
    text each has an output with a sigmoid, and the loss is the mean of their binary cross-entropies.
    `choices` are how the tables `data` and `test` are read.

    `base` is not changed; a classifier that it has is not used. The evaluation is on the rows of `test`, or
    on a share of those of `data` which is not trained on. The folder appears complete, and can be opened as a
    checkpoint whenever the run is stopped; `resume` continues it, with the rows in the same order. `command`
    is the line that the model card names. Raises TrainingError, FileError, and Cancelled where the
    listener does.
    """
    settings.validate()
    check_folder(out, is_resumed=resume)
    with examining(out, Message("Choose another folder.")):
        is_taken = not resume and out.exists()
        if is_taken and out.is_dir():  # an empty one is free, and one with nothing but the folder of a run
            is_taken = not {path.name for path in out.iterdir()} <= {WORK}
    if is_taken:
        message = Message("There is something at {0} already.", out)
        raise TrainingError(message, Message("Give the name of a new folder."))
    base.validate(has_pairs=False)
    gathered = gather_rows(base, data, test, settings, listener, choices)
    listener.on_stage("training")
    task = _Tuning(base, settings, gathered, torch.device(device))
    loop = Loop(task, settings, out, DataPosition(settings.length))
    if resume:
        loop.restore()
    else:
        _begin(loop, base, out)
    result = loop.run(listener)
    task.write_card(out, (data, test), result, loop.position, command)
    work = out / WORK
    with suppress(OSError):  # what others keep beside the state stays
        (work / STATE).unlink(missing_ok=True)
        work.rmdir()
    return result


def _begin(loop: _Loop, base: Base, out: Path) -> None:
    """Make the folder, with the model before its training: beside `out`, then renamed. Raises FileError.

    One that has the folder of a run already is filled where it is, the state of the run last.
    """
    beside = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
    try:
        if (out / WORK).is_dir():
            _fill(loop, base, out)
            return
        beside.mkdir(parents=True)
        _fill(loop, base, beside)
        if out.exists():
            out.rmdir()
        beside.rename(out)
    except OSError as error:
        raise FileError(
            Message("{0} could not be made: {1}.", out, error.strerror or error),
            Message("Give another folder."),
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _fill(loop: _Loop, base: Base, folder: Path) -> None:
    base.copy_tokenizer(folder)
    loop.save(folder)


class _Tuning:
    """The task: the labels of some rows."""

    def __init__(
        self, base: Base, settings: TuningSettings, gathered: Gathered, device: torch.device
    ) -> None:
        self._base = base
        self._settings = settings
        self._gathered = gathered
        self._device = device
        self._cast = precision(settings.precision, device)
        self.network = network_on(base.encoder, gathered.target.heads, settings.seed)
        if settings.freezes_encoder:
            self.network.freeze_encoder()
        self.network.to(device)
        self._batches: list[Integers] = []  # of the current epoch

    def resumable_settings(self) -> dict[str, object]:
        """Return the settings, and marks of the rows, that must be the same when the run is resumed."""
        gathered = self._gathered
        marks = {"rows": gathered.training.mark(), "rows to evaluate on": gathered.evaluation.mark()}
        return {**self._settings.resumable_settings(), **marks}

    def share(self, position: RunPosition) -> float:
        n_batches = math.ceil(len(self._gathered.trained_on) / self._settings.batch)
        return position.step / (self._settings.epochs * n_batches)

    def rate(self, position: RunPosition) -> float:
        return self._settings.rate * linear_rate(self.share(position), self._settings.warm_up)

    def compute(self, position: RunPosition) -> Computed[TuningStep]:
        settings, data, training = self._settings, position.data, self._gathered.training
        if not data.batch or not self._batches:
            seed = [settings.seed, data.turn]
            rows = self._gathered.trained_on
            self._batches = training_batches(rows, training.lengths, settings.batch, seed)
        batch = training.batch(self._batches[data.batch])
        is_last = data.batch + 1 == len(self._batches)
        turn, next_batch = (data.turn + 1, 0) if is_last else (data.turn, data.batch + 1)
        rows_of = batch.ids.shape if self.network.heads.token_labels is not None else batch.ids.shape[:1]
        shape = (*rows_of, self._base.encoder.config.width)  # [B, D], or of tokens [B, T, D]
        factors = dropout(shape, settings.dropout, [settings.seed, position.step])
        with self._cast():
            predicted: Predicted = self.network(batch.to(self._device), factors)
        torch.autograd.backward(predicted.loss)
        loss = float(predicted.loss.detach())
        accuracy = accuracy_of(predicted.logits.detach().cpu(), batch.labels)
        report = partial(TuningStep, epoch=position.data.turn + 1, loss=loss, accuracy=accuracy)
        return Computed(loss, batch.n_tokens, DataPosition(data.length, turn, next_batch), report)

    def evaluate(self, step: int, check: Check, *, is_last: bool) -> TuningVerdict:
        """Evaluate the network on all held-out rows at the end, on a sample of them before."""
        gathered = self._gathered
        rows = gathered.held_out if is_last else sample(gathered.held_out, self._settings.seed)
        return gathered.target.evaluate(
            HeldOut(self.network, gathered.evaluation, rows, self._cast, check), step
        )

    def save_model(self, folder: Path, position: RunPosition) -> None:
        del position  # a few rows do not train positions that the base had hardly trained
        encoder, dtype = self.network.encoder, stored(self._settings.stores)
        stated: dict[str, object] = {**trained_positions(encoder.config, self._base.n_trained_positions)}
        if isinstance(self._gathered.target, MultiLabelTarget):
            stated["problem_type"] = MANY_LABELS
        save_model(encoder, self.network.heads, folder, self._gathered.target.labels, dtype, stated)

    def write_card(
        self,
        out: Path,
        sources: tuple[Path, Path | None],
        result: TuningVerdict,
        position: RunPosition,
        command: str,
    ) -> None:
        """Write the model's card; `sources` are the training file and the test file. Raises FileError."""
        settings, base, (data, test) = self._settings, self._base, sources
        is_of_tokens = isinstance(result, TagEvaluation)
        unit = "sentences" if is_of_tokens else "rows"
        rows = f"held-out {unit} of {data.name}" if test is None else f"{unit} of {test.name}"
        head, counts, evaluated = _found(self._gathered, result, rows)
        about = (
            f"A BERT encoder with {head} ({n_parameters(self.network):,} numbers), fine-tuned from "
            f"{base.name} (Devlin et al. 2019, arXiv:1810.04805, section {'5.3' if is_of_tokens else '4.1'})."
        )
        own = [
            ("starts from", base.name),
            (
                "what is trained",
                ("the classifier" if is_of_tokens else "the pooler and the classifier")
                if settings.freezes_encoder
                else "everything",
            ),
            ("epochs", f"{settings.epochs}"),
            ("rows of a batch", f"{settings.batch}"),
            ("tokens of a row, at most", f"{settings.length}"),
            (
                "dropout of the vectors of the tokens" if is_of_tokens else "dropout of the pooled vector",
                f"{settings.dropout:g}",
            ),
        ]
        n_trained_on = f"{len(self._gathered.trained_on):,}"
        parts = [
            ("Training data", f"{n_trained_on} {unit} of {data.name}. Licence: {LICENCE}.{counts}"),
            ("Settings", settings_table(own, settings, LINEAR, position)),
            ("Evaluation", evaluated),
        ]
        write_card(
            out, "token-classification" if is_of_tokens else "text-classification", about, parts, command
        )
