"""The rows and settings of a fine-tuning, and the numbers it reports. Loads no torch."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from bertviz_app.errors import FileError, Message
from bertviz_app.features.training.settings import (
    PRECISIONS,
    STORES,
    Listener,
    LoopSettings,
    StepFacts,
    TrainingError,
    check_counts,
    check_loop,
    check_share,
    refuse,
)
from bertviz_app.text_tables.columns import (
    LabelledColumns,
    has_several,
    label_reader,
    labelled_columns,
    listed,
    single,
)
from bertviz_app.text_tables.table import (
    BY_CONTENT,
    N_NAMED,
    Preview,
    Record,
    TableChoices,
    TextTable,
    column_value,
    form_words,
    is_number,
    left_out,
    read_table,
)
from bertviz_app.text_tables.token_labels import LabelledSpan
from bertviz_app.values import dataclass, explained

if TYPE_CHECKING:
    from bertviz_app.features.training.finetuning.labelled import ClassifierNetwork  # noqa: F401 - named in a string below


@dataclass(frozen=True)
class SpanCounts:
    """How many spans of a type there are, how many were predicted, and how many of these are right.

    Of several labels a text the type is a label, and texts that have it are counted.
    """

    type: str
    n_true: int
    n_predicted: int
    n_right: int

    @property
    def precision(self) -> float:
        """The share of the predicted spans that are right; 0 where none is predicted."""
        return self.n_right / self.n_predicted if self.n_predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the spans that are found; 0 where there is none."""
        return self.n_right / self.n_true if self.n_true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where nothing is right."""
        return 2 * self.n_right / (self.n_true + self.n_predicted) if self.n_right else 0.0


def count_spans(
    pairs: Iterable[tuple[Sequence[LabelledSpan], Sequence[LabelledSpan]]],
) -> tuple[SpanCounts, ...]:
    """Return the counts of each type, sorted, for the true and the predicted spans of each sentence."""
    n_true, n_predicted, n_right = Counter[str](), Counter[str](), Counter[str]()
    for true, predicted in pairs:
        n_true.update(span.type for span in true)
        n_predicted.update(span.type for span in predicted)
        n_right.update(span.type for span in set(true) & set(predicted))
    types = sorted(n_true.keys() | n_predicted.keys())
    return tuple(SpanCounts(name, n_true[name], n_predicted[name], n_right[name]) for name in types)


def in_all(counts: Sequence[SpanCounts]) -> SpanCounts:
    """Return the counts of all types together: their precision, recall and F1 are those of CoNLL."""
    return SpanCounts(
        "",
        sum(one.n_true for one in counts),
        sum(one.n_predicted for one in counts),
        sum(one.n_right for one in counts),
    )


def mean_f1(counts: Sequence[SpanCounts]) -> float:
    """Return the mean of the F1 of each type (macro F1, as KLUE reports); 0 without any type."""
    return sum(one.f1 for one in counts) / len(counts) if counts else 0.0


@dataclass(frozen=True)
class TuningSettings(LoopSettings):
    """How a classifier of texts or of words, or a model that predicts scores, is fine-tuned."""

    epochs: int = explained(3, "Times that all rows are read.")
    batch: int = explained(32, "Rows a step.")
    length: int = explained(128, "Tokens of a row at most, special ones included.")
    rate: float = explained(5e-5, "The highest learning rate.")
    warm_up: float = 0.1  # share of the run
    decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1  # of the vectors that the classifier reads
    freezes_encoder: bool = explained(
        False, "Only the pooler and the classifier learn; every head stays as it is."
    )
    held_out: float = 0.1  # share of the rows to evaluate on, where no file of such rows is given
    seed: int = explained(0, "Seed of everything random.")
    precision: str = explained("auto", "auto: bfloat16 where the device computes in it.", PRECISIONS)
    stores: str = explained("float32", "How the numbers are written; float16 takes half the space.", STORES)
    evaluate_every: int = 200  # steps
    save_every: float = 120.0  # seconds
    snapshot_every: int | None = explained(None, "Keep the model every N steps, too.")
    _changeable = ("epochs",)

    def validate(self) -> None:
        """Raise TrainingError for settings that no run can have."""
        check_counts((Message("epochs"), self.epochs), (Message("rows of a batch"), self.batch))
        refuse(
            (
                self.length < 8,
                Message("Texts cannot be read by {0} tokens.", self.length),
                Message("Give a length of 8 tokens or more."),
            ),
            (
                not (math.isfinite(self.rate) and self.rate > 0),
                Message("The rate cannot be {0}.", self.rate),
                Message("Give a small number above 0, as 5e-5."),
            ),
        )
        check_share("dropout", self.dropout)
        check_share("held_out", self.held_out)
        check_loop(self)


@dataclass(frozen=True, kw_only=True)
class TuningStep(StepFacts):
    """The numbers of one step."""

    epoch: int  # from 1
    loss: float  # nats, or the mean squared error of scores
    accuracy: float | None  # 0 to 1, of the labels of this step; None of scores


@dataclass(frozen=True)
class TuningEvaluation:
    """How well a classifier does on rows that it is not trained on."""

    step: int
    n_rows: int
    loss: float  # nats
    accuracy: float  # 0 to 1
    baseline: float  # accuracy of always answering the most frequent label of the training rows
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]  # rows of each label, by the label that was predicted


@dataclass(frozen=True)
class ScoreEvaluation:
    """How well scores, which are real numbers, are predicted of rows that are not trained on."""

    step: int
    n_rows: int
    loss: float  # mean squared error
    baseline: float  # that of always answering the mean of the training rows
    pearson: float | None  # -1 to 1; None where all predictions, or all scores, are the same
    spearman: float | None


Unit = Literal["words", "characters"]
"""What has a label of its own, where not each text has one."""


@dataclass(frozen=True)
class TagEvaluation:
    """How well the labels of words or characters are predicted in sentences that are not trained on.

    The accuracy is of those with a piece that predicts them; a span is found where its beginning, its end and
    its type are right, as in the CoNLL 2000 evaluation.
    """

    step: int
    n_rows: int  # sentences
    n_units: int  # words or characters
    unit: Unit
    loss: float  # nats, of the pieces that are counted
    accuracy: float  # 0 to 1
    baseline: float  # accuracy of always answering the most frequent label of the training sentences
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]  # words or characters of each label, by the predicted label
    spans: tuple[SpanCounts, ...] | None  # of each type; None where the labels mark no spans

    @property
    def all_spans(self) -> SpanCounts | None:
        """The counts of all types together, with their precision, recall and F1."""
        return None if self.spans is None else in_all(self.spans)

    @property
    def f1(self) -> float:
        """The F1 of all spans, or the mean F1 of the labels where these mark no spans."""
        whole = self.all_spans
        return self.label_f1 if whole is None else whole.f1

    @property
    def macro_f1(self) -> float | None:
        """The mean of the F1 of each type of span."""
        return None if self.spans is None else mean_f1(self.spans)

    @property
    def label_f1(self) -> float:
        """The mean of the F1 of each label that is there or predicted."""
        n_predicted = [sum(row[number] for row in self.confusion) for number in range(len(self.labels))]
        totals = [sum(row) + n_predicted[number] for number, row in enumerate(self.confusion)]
        found = [2 * self.confusion[at][at] / total for at, total in enumerate(totals) if total]
        return sum(found) / len(found) if found else 0.0


THRESHOLD = 0.5
"""From this probability on a label of several is predicted: of every label, and not chosen on any rows."""


@dataclass(frozen=True)
class MultiLabelEvaluation:
    """How well several labels a text are predicted, each by itself, of rows that are not trained on."""

    step: int
    n_rows: int
    loss: float  # nats, the mean of all rows and labels
    baseline: float  # the micro F1 of always answering the most frequent label of the training rows alone
    counts: tuple[SpanCounts, ...]  # of each label
    thresholds: tuple[float, ...]  # the probability from which on each label is predicted

    @property
    def micro_f1(self) -> float:
        """The F1 of all labels of all rows together."""
        return in_all(self.counts).f1

    @property
    def macro_f1(self) -> float:
        """The mean of the F1 of each label; that of one which is neither there nor predicted is 0."""
        return mean_f1(self.counts)


TuningVerdict = TuningEvaluation | ScoreEvaluation | TagEvaluation | MultiLabelEvaluation


class TuningListener(Listener[TuningStep, TuningVerdict, "ClassifierNetwork"], Protocol):
    """Follows a fine-tuning."""


MANY_CLASSES = 50
"""With more classes than these, the column may be another one than that of the labels."""
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_HINT = Message("Give a file of rows with a label and a text each.")


@dataclass(frozen=True)
class Row:
    """One text, or pair of texts, and its label, or its `labels` where it may have several, or none."""

    label: str
    text: str
    pair: str | None = None
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rows:
    """What can be used of a file; `notices` are sentences on how it is read, and on rows that cannot be."""

    name: str  # of the file
    rows: tuple[Row, ...]
    notices: tuple[str, ...] = ()
    label_column: str = "label"  # its name, or its number from 1
    columns: tuple[str, str, str] = ("label", "text", "")
    """How `TableChoices` give the columns of labels, texts and second texts, "" for no pairs."""
    preview: Preview | None = None
    flags: tuple[str, ...] = ()  # the columns of 0 and 1, whose names are the labels
    target: str = ""  # "classes", "scores" or "multi_label", where the user or the file says so

    @property
    def has_pairs(self) -> bool:
        """Whether any row has two texts."""
        return any(row.pair is not None for row in self.rows)

    @property
    def kind(self) -> str:
        """What the labels are, as `TableChoices.target` has it."""
        return self.target or ("scores" if self.has_scores else "classes")

    @property
    def has_scores(self) -> bool:
        """Whether the labels are real numbers, to be predicted as such, and not the names of classes."""
        if self.target:
            return self.target == "scores"
        numbers = [_score(label) for label in {row.label for row in self.rows}]
        return None not in numbers and any(
            number is not None and not number.is_integer() for number in numbers
        )


def read_rows(path: Path, choices: TableChoices = BY_CONTENT, known: Collection[str] = ()) -> Rows:
    """Return the rows of a file, whose columns are found by their names or given by `choices`.

    A row that lacks a cell, a label or a text, or has a label beyond those `known`, if any are, is left out,
    and counted in the notices. Raises FileError for a file that is missing, damaged, or without any good row,
    TableError where nothing shows which column is which.
    """
    table = read_table(path, choices)
    columns = labelled_columns(table, choices, of_training=True)
    several = label_reader(table, columns) if has_several(table, columns, choices) else None
    found = [_row_or_fault(record, table, columns, known, several) for record in table.records]
    bad = [row for row in found if not isinstance(row, Row)]
    rows = tuple(row for row in found if isinstance(row, Row))
    if not rows:
        if not bad:
            raise FileError(Message("{0} has no row to learn from.", path.name), _HINT)
        raise FileError(Message("{0} has no row to learn from. {1}", path.name, bad[0]), _HINT)
    indices = (columns.flags or (columns.label,), (columns.text,), (columns.pair,))
    label = ", ".join(table.columns[at] for at in indices[0])
    facts = table.name, form_words(table.encoding, table.layout), label, table.columns[columns.text]
    notices = [Message("{0} is read as {1}: label in column {2}, text in column {3}.", *facts)]
    if columns.pair is not None:
        texts = *facts, table.columns[columns.pair]
        notices = [Message("{0} is read as {1}: label in column {2}, texts in columns {3} and {4}.", *texts)]
    if columns.is_by_place:
        notices.append(
            Message(
                "{0} does not name its columns: column {1} has {2} different values and is taken for the "
                "labels.",
                *(table.name, label, f"{len(set(table.column(columns.label))):,}"),
            )
        )
    given = tuple(
        ", ".join("" if at is None else column_value(table.preview, at) for at in group) for group in indices
    )
    return Rows(
        path.name,
        rows,
        (*notices, *left_out(path.name, bad, len(found))),
        label,
        (given[0], given[1], given[2]),
        table.preview,
        tuple(table.columns[at] for at in columns.flags),
        choices.target if several is None else "multi_label",
    )


def label_names(rows: Rows) -> tuple[str, ...]:
    """Return the labels of `rows`, sorted: numbers by size. Raises TrainingError if there is but one."""
    names = {label for row in rows.rows for label in labels_of(row)} | set(rows.flags)
    if not names:
        message = Message("No row of {0} has a label.", rows.name)
        raise TrainingError(message, Message("Give rows with labels."))
    if len(names) == 1 and not (rows.kind == "multi_label" and any(not row.labels for row in rows.rows)):
        raise TrainingError(
            Message("All rows of {0} have the label “{1}”.", rows.name, min(names)),
            Message("Give rows of two labels or more: there is nothing to tell apart."),
        )
    if all(_NUMBER.fullmatch(name) for name in names):
        return tuple(sorted(names, key=lambda name: (float(name), name)))
    return tuple(sorted(names))


def labels_of(row: Row) -> tuple[str, ...]:
    """Return the labels of a row: one, or those of several that it has."""
    return (row.label,) if row.labels is None else row.labels


def label_notices(rows: Rows) -> tuple[str, ...]:
    """Return what people should know about the labels before a training: scores, many or rare classes."""
    if rows.has_scores:
        scores = sorted({float(row.label) for row in rows.rows})
        return (
            Message(
                "{0}: the labels of column {1} are numbers from {2} to {3}: they are predicted as numbers "
                "(regression).",
                *(rows.name, rows.label_column, f"{scores[0]:g}", f"{scores[-1]:g}"),
            ),
        )
    counts = Counter(label for row in rows.rows for label in labels_of(row))
    notices: list[str] = []
    if rows.kind == "multi_label":
        notices.append(
            Message(
                "{0}: {1} labels, of which a row may have several or none ({2} on average): each is learnt "
                "by itself, and predicted from a probability of {3} on, which is not chosen on any rows.",
                *(rows.name, f"{len(counts):,}", f"{counts.total() / len(rows.rows):.2g}", THRESHOLD),
            )
        )
    if len(counts) > MANY_CLASSES:
        notices.append(
            Message(
                "{0}: column {1} has {2} different labels: is it the column of the labels?",
                *(rows.name, rows.label_column, f"{len(counts):,}"),
            )
        )
    single = sorted(label for label, count in counts.items() if count == 1)
    if single and rows.kind != "multi_label":
        named = ", ".join(f"“{label}”" for label in single[:N_NAMED])
        notices.append(
            Message(
                "{0}: labels that one row only has, so that none of them can be held out: {1} ({2}{3}).",
                *(rows.name, f"{len(single):,}", named, ", …" if len(single) > N_NAMED else ""),
            )
        )
    return tuple(notices)


def scores_of(rows: Rows) -> list[float]:
    """Return the labels as numbers. Raises TrainingError where one is none, or all are the same."""
    scores = []
    for row in rows.rows:
        score = _score(row.label)
        if score is None:
            message = Message("The label “{0}” of {1} is no number.", row.label, rows.name)
            raise TrainingError(message, Message("Give rows whose labels are numbers."))
        scores.append(score)
    if len(set(scores)) == 1:
        message = Message("All rows of {0} have the label “{1}”.", rows.name, rows.rows[0].label)
        raise TrainingError(message, Message("Give rows with different numbers."))
    return scores


def _score(label: str) -> float | None:
    number = float(label) if is_number(label) else math.nan
    return number if math.isfinite(number) else None


def _row_or_fault(
    record: Record,
    table: TextTable,
    columns: LabelledColumns,
    known: Collection[str],
    several: Callable[[Record], tuple[str, ...] | str] | None,
) -> Row | str:
    """Return a row, or a sentence on why it cannot be used."""
    if record.fault:
        return record.fault
    number = f"{record.line:,}"
    if table.has_header and record.cells == table.columns:
        return Message("Line {0} repeats the names of the columns.", number)
    text = _text(record.cells[columns.text])
    pair = None if columns.pair is None else _text(record.cells[columns.pair])
    label = _text(single(record.cells[columns.label]))
    if several is not None:
        found = several(record)
    elif (lists := listed(label)) is not None:
        found = Message("Line {0} has {1} labels instead of one.", number, len(lists))
    else:
        found = (label,) if label else Message("Line {0} has no label.", number)
    if isinstance(found, str):
        return found
    if not text or pair == "":
        return Message("Line {0} has no text.", number)
    labels = tuple(map(_text, found))
    unknown = next((one for one in labels if known and one not in known), "")
    if unknown:
        return Message("Line {0} has the label “{1}”, which is not among those learnt.", number, unknown)
    return Row(", ".join(labels), text, pair, labels if several else None)


def _text(cell: str) -> str:
    return unicodedata.normalize("NFC", cell.strip())
