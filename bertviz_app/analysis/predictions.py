"""The predictions of task heads for a trace: probabilities of named things, answers and a table."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.picture import Axis, Picture, plain_quantity
from bertviz_app.analysis.results import Result
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.notebooks import HasTable
from bertviz_app.tables import Table, table_as_csv, text_writer, with_note, write_file
from bertviz_app.text import Tokens
from bertviz_app.trace.indexing import validate_token
from bertviz_app.trace.provenance import MANY_LABELS, ONE_LABEL, REGRESSION, Logits, Meaning
from bertviz_app.types import Doubles, Floats, Indices, Ints
from bertviz_app.values import asdict, dataclass, fields


def softmax(logits: Floats | Doubles) -> Doubles:
    """Return the softmax over the last axis of logits [..., N], in float64."""
    powers: Doubles = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
    powers /= powers.sum(-1, keepdims=True)
    return powers


def sigmoid(logits: Floats) -> Doubles:
    """Return a probability for each logit by itself, in float64."""
    return 0.5 * (1 + np.tanh(0.5 * logits.astype(np.float64)))  # which no large number overflows


@dataclass(frozen=True)
class Span:
    """An answer: the tokens from `first` to `last`, their part of the text, and its probability.

    The probability that the answer begins at `first`, times that it ends at `last`.
    """

    first: int
    last: int
    text: str
    probability: float


@dataclass(frozen=True)
class Answer:
    """The likeliest spans, in order, and the probability `nothing` that the text has no answer.

    `nothing` is the probability that the answer begins and ends at the first token, [CLS] (Devlin et al.
    2019, section 4.3). It has a meaning only if the checkpoint was trained on questions without an answer.
    """

    spans: tuple[Span, ...]
    nothing: float


def likeliest_spans(logits: Floats, tokens: Tokens, top: int) -> Answer:
    """Return the `top` likeliest answers in sentence 2, or in sentence 1 if there is no other.

    `logits` [T, 2]: for each token, the logits that the answer begins, and that it ends there. The
    probabilities of where an answer begins are a softmax over the tokens of that sentence and the first token
    of the input; those of where it ends are another (Devlin et al. 2019, arXiv:1810.04805, sections 4.2 and
    4.3).
    """
    sentence = 0 if tokens.pair is None else 1
    positions = np.flatnonzero(tokens.sentences == sentence)
    allowed = np.union1d(positions, [0])
    begins, ends = (softmax(column[allowed]) for column in logits.T)
    nothing = float(begins[0] * ends[0]) if tokens.sentences[0] != sentence else 0.0
    is_inside = np.isin(allowed, positions)
    begins, ends = begins[is_inside], ends[is_inside]
    text = tokens.text if tokens.pair is None else tokens.pair
    spans = []
    for first, last in _best(begins, ends, top):
        begin, end = int(positions[first]), int(positions[last])
        part = text[tokens.spans[begin, 0] : tokens.spans[end, 1]]
        spans.append(Span(begin, end, part, float(begins[first] * ends[last])))
    return Answer(tuple(spans), nothing)


def _best(begins: Doubles, ends: Doubles, top: int) -> list[tuple[int, int]]:
    """Return the `top` pairs (i, j), i <= j, with the largest begins[i] * ends[j], the largest first.

    Only the `top` beginnings i whose best product is largest can be among them, so at most top * n products
    are computed, not n * n.
    """
    if not len(begins):
        return []
    largest = np.maximum.accumulate(ends[::-1])[::-1]  # of ends[i:]
    firsts: Indices = np.sort(np.argsort(-begins * largest, kind="stable")[:top])
    products = begins[firsts, None] * ends
    products[np.arange(len(ends)) < firsts[:, None]] = -1
    rows, lasts = np.unravel_index(np.argsort(-products, axis=None, kind="stable")[:top], products.shape)
    pairs = zip(firsts[rows].tolist(), lasts.tolist(), strict=True)
    return [(first, last) for first, last in pairs if first <= last]


TOP = 10
"""How many pieces are named for one token, by default."""

_TASKS: Mapping[str, tuple[str, str]] = {
    "masked": ("masked tokens", "BertForMaskedLM"),
    "next_sentence": ("next sentences", "BertForNextSentencePrediction"),
    "replaced": ("replaced tokens", "ElectraForPreTraining"),
    "classes": ("classes of texts", "BertForSequenceClassification"),
    "token_labels": ("labels of tokens", "BertForTokenClassification"),
    "answer": ("answers to questions", "BertForQuestionAnswering"),
}
"""Of each head what it is for, and what such a checkpoint may be saved as."""


@dataclass(frozen=True)
class Filler:
    """A piece of the vocabulary in one place: its probability there, and its rank, 1 being the likeliest."""

    piece: str
    id: int
    probability: float
    rank: int


@dataclass(frozen=True)
class Filling(HasTable):
    """The pieces that a head for masked tokens predicts for one token (Devlin et al. 2019, section 3.1).

    `fillers` are the likeliest, in order; `written` is what the text has there, None where it has the mask
    itself. Without `is_masked` the head sees the token that it predicts, and mostly predicts it again: it was
    trained for that too, on a tenth of the chosen tokens.
    """

    position: int
    is_masked: bool
    fillers: tuple[Filler, ...]
    written: Filler | None

    def __repr__(self) -> str:
        first = ", ".join(f"{one.piece} {one.probability:.3f}" for one in self.fillers[:3])
        return f"<Filling of token {self.position}: {first}{' …' if len(self.fillers) > 3 else ''}>"

    def as_table(self) -> Table:
        """Return a row for each piece under COLUMNS."""
        return Predictions(fillings=(self,)).as_table()


@dataclass(frozen=True)
class NextSentence:
    """The probability that sentence 2 follows sentence 1 (Devlin et al. 2019, section 3.1).

    With `is_order` it is the probability that the two are in their order, which ALBERT's head predicts (Lan
    et al. 2020, arXiv:1909.11942, section 3.1). In both cases class 0 is "yes".
    """

    probability: float
    is_order: bool


@dataclass(frozen=True)
class Label:
    """A class by its name. `value` is its probability; of a regression the number itself, of any size."""

    name: str
    value: float


@dataclass(frozen=True)
class Classes(HasTable):
    """The prediction of a classifier for a whole input (Devlin et al. 2019, section 4.1).

    `problem` is one of PROBLEMS: the probabilities of "single_label_classification" sum to 1, those of
    "multi_label_classification" stand each by itself. `labels` are the likeliest first; the numbers of a
    "regression" in the checkpoint's order.
    """

    problem: str
    labels: tuple[Label, ...]

    def as_table(self) -> Table:
        """Return a row for each class under COLUMNS."""
        return Predictions(classes=self).as_table()


@dataclass(frozen=True)
class Suspect:
    """A token, and the probability that it was replaced by another (Clark et al. 2020, arXiv:2003.10555)."""

    position: int
    piece: str
    probability: float


@dataclass(frozen=True)
class LabelledToken:
    """A token and its likeliest labels, in order; the probabilities of all labels sum to 1."""

    position: int
    piece: str
    labels: tuple[Label, ...]


@dataclass(frozen=True)
class Predictions(HasTable):
    """What all task heads of a checkpoint predict: empty, or None, for those it does not have.

    `next_sentence` is None without a second text. `replaced` and `token_labels` have all tokens, in their
    order.
    """

    fillings: tuple[Filling, ...] = ()
    next_sentence: NextSentence | None = None
    classes: Classes | None = None
    replaced: tuple[Suspect, ...] = ()
    token_labels: tuple[LabelledToken, ...] = ()
    answer: Answer | None = None

    def __repr__(self) -> str:
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        there = (
            f"{name} {len(value)}" if isinstance(value, tuple) else name
            for name, value in found.items()
            if value
        )
        return f"<Predictions: {', '.join(there) or 'none'}>"

    def as_table(self) -> Table:
        """Return a row for each outcome under COLUMNS."""
        return Table(COLUMNS, rows(self))


@dataclass(frozen=True, eq=False)
class PredictionInput:
    """How an input is read: its `tokens`, the ids of its texts as they are written, and the vocabulary.

    `name` returns the piece with an id; `mask` is the id that hides a token, None where there is none.
    """

    tokens: Tokens
    written: Ints  # [T]
    name: Callable[[int], str]
    mask: int | None

    def masked(self) -> tuple[int, ...]:
        """Return the positions of the tokens that are hidden."""
        return tuple(np.flatnonzero(self.tokens.ids == self.mask).tolist()) if self.mask is not None else ()

    def validate(self, positions: Sequence[int]) -> None:
        """Raise SelectionError for a position that the input does not have."""
        for position in positions:
            validate_token(position, len(self.tokens))


def predictions(
    logits: Logits, inputs: PredictionInput, positions: Sequence[int], top: int = TOP
) -> Predictions:
    """Return logits of all task heads as probabilities, from 0 to 1.

    `positions` are those of the rows of `logits.masked`. Of pieces, labels of a token, and spans the `top`
    likeliest are named.
    """
    rows = () if logits.masked is None else tuple(zip(positions, logits.masked, strict=True))
    return Predictions(
        fillings=tuple(_filling(row, position, inputs, top) for position, row in rows),
        next_sentence=NextSentence(float(softmax(logits.next_sentence)[0]), logits.meaning.orders_sentences)
        if inputs.tokens.pair is not None and logits.next_sentence is not None
        else None,
        classes=None if logits.classes is None else _classes(logits.classes, logits),
        replaced=()
        if logits.replaced is None
        else tuple(
            Suspect(position, piece, share)
            for position, (piece, share) in enumerate(
                zip(inputs.tokens.pieces, sigmoid(logits.replaced).tolist(), strict=True)
            )
        ),
        token_labels=() if logits.token_labels is None else _labelled(logits, inputs.tokens, top),
        answer=None if logits.answer is None else likeliest_spans(logits.answer, inputs.tokens, top),
    )


def lacking(model: str, head: str, heads: Sequence[str]) -> CheckpointError:
    """Return the error for a `model` that has the task heads `heads`, but not `head`; names as in Logits."""
    task, kind = _TASKS[head]
    there = ", ".join(_TASKS[name][0] for name in heads)
    has = Message("It has a head for: {0}.", there) if there else Message("It has no task head at all.")
    hint = Message("{0} Open one that was saved with such a head, as a {1}.", has, kind)
    return CheckpointError(Message("{0} has no head for {1}.", model, task), hint)


def _filling(logits: Floats, position: int, inputs: PredictionInput, top: int) -> Filling:
    """Return the `top` likeliest pieces at one position, by its logits [V]."""
    shares = softmax(logits)
    count = min(top, len(logits))
    first = np.argpartition(-logits, count - 1)[:count]
    fillers = [
        Filler(inputs.name(number), number, float(shares[number]), rank)
        for rank, number in enumerate(first[np.lexsort((first, -logits[first]))].tolist(), start=1)
    ]
    is_masked, written = inputs.tokens.ids[position] == inputs.mask, int(inputs.written[position])
    found = None
    if written != inputs.mask and written < len(logits):
        rank = 1 + int((logits > logits[written]).sum())
        found = Filler(inputs.name(written), written, float(shares[written]), rank)
    return Filling(position, bool(is_masked), tuple(fillers), found)


def _classes(numbers: Floats, logits: Logits) -> Classes:
    """Return the classes by the classifier's outputs [N]: probabilities, or the values of a regression."""
    problem, activation = problem_of(len(numbers), logits.meaning), logits.meaning.activation
    if activation == "Tanh":
        values = np.tanh(numbers.astype(np.float64))
    elif activation == "Sigmoid":
        values = sigmoid(numbers)
    elif problem == REGRESSION:
        values = numbers.astype(np.float64)
    else:
        values = softmax(numbers) if problem == ONE_LABEL else sigmoid(numbers)
    names = class_names(logits.labels, len(numbers))
    labels = [Label(name, value) for name, value in zip(names, values.tolist(), strict=True)]
    if problem != REGRESSION:
        labels.sort(key=lambda label: -label.value)
    return Classes(problem, tuple(labels))


def problem_of(count: int, meaning: Meaning) -> str:
    """Return what `count` outputs of a classifier are, one of PROBLEMS."""
    if (
        meaning.activation is not None
    ):  # sentence-transformers applies it whatever the task is, and no softmax
        return MANY_LABELS if meaning.activation == "Sigmoid" and count > 1 else REGRESSION
    if count == 1:  # as `transformers` decides it
        return REGRESSION if meaning.problem in (None, REGRESSION) else MANY_LABELS
    return meaning.problem or ONE_LABEL


def class_names(labels: Sequence[str], count: int) -> Sequence[str]:
    """Return the checkpoint's names of `count` classes, or those that `transformers` gives them."""
    return labels if len(labels) == count else [f"LABEL_{number}" for number in range(count)]


def _labelled(logits: Logits, tokens: Tokens, top: int) -> tuple[LabelledToken, ...]:
    assert logits.token_labels is not None
    names = class_names(logits.labels, logits.token_labels.shape[-1])
    shares = softmax(logits.token_labels)  # [T, N]
    order = np.argsort(-shares, axis=-1, kind="stable")[:, :top]
    return tuple(
        LabelledToken(position, piece, tuple(Label(names[at], float(row[at])) for at in best))
        for position, (piece, best, row) in enumerate(zip(tokens.pieces, order.tolist(), shares, strict=True))
    )


class PredictionRow(NamedTuple):
    """One line: `value` is a probability, or the number of a regression.

    `head` is the field of Logits; of a masked token's own piece, "written"; "no_answer" for the probability
    that there is none. `position` is a token's, or the first of an answer and `last` its last one; `rank` 1
    for the likeliest; None where there is no such thing.
    """

    head: str
    position: int | None
    rank: int | None
    name: str
    value: float
    last: int | None = None


COLUMNS = PredictionRow._fields


def rows(found: Predictions) -> tuple[PredictionRow, ...]:
    """Return the outcomes of all task heads, row by row."""
    lines: list[PredictionRow] = []
    for filling in found.fillings:
        at, own = filling.position, filling.written
        lines += [
            PredictionRow("masked", at, one.rank, one.piece, one.probability) for one in filling.fillers
        ]
        if own is not None:
            lines.append(PredictionRow("written", at, own.rank, own.piece, own.probability))
    lines += _of_texts(found)
    lines += [
        PredictionRow("replaced", one.position, None, one.piece, one.probability) for one in found.replaced
    ]
    lines += [
        PredictionRow("token_labels", token.position, rank, label.name, label.value)
        for token in found.token_labels
        for rank, label in enumerate(token.labels, start=1)
    ]
    if found.answer is not None:
        lines += [
            PredictionRow("answer", span.first, rank, span.text, span.probability, span.last)
            for rank, span in enumerate(found.answer.spans, start=1)
        ]
        lines.append(PredictionRow("no_answer", None, None, "", found.answer.nothing))
    return tuple(lines)


def as_csv(found: Predictions, interventions: str = "") -> str:
    """Return the rows under COLUMNS, each number with all its digits; behind them `interventions`, if any."""
    return table_as_csv(with_note(found.as_table(), "interventions", interventions))


def as_json(found: Predictions, interventions: str = "") -> str:
    """Return an object with the fields of Predictions, named as they are, and `interventions`, if any."""
    changed = {"interventions": interventions} if interventions else {}
    return json.dumps(asdict(found) | changed, ensure_ascii=False, indent=1) + "\n"


def save_predictions(found: Predictions, path: str | Path, interventions: str = "") -> None:
    """Write the predictions of the task heads to a file that ends in .csv or .json.

    `interventions`: those in the run, see `edits_text`; a file says nothing of them where there are none.
    Raises FileError for another ending, or a file that cannot be written.
    """
    writers = {
        ".csv": text_writer(lambda: as_csv(found, interventions)),
        ".json": text_writer(lambda: as_json(found, interventions)),
    }
    write_file(path, writers)


def _of_texts(found: Predictions) -> Iterator[PredictionRow]:
    if found.next_sentence is not None:
        name = "in order" if found.next_sentence.is_order else "follows"
        yield PredictionRow("next_sentence", None, None, name, found.next_sentence.probability)
    if found.classes is not None:
        is_ranked = found.classes.problem != REGRESSION
        for rank, label in enumerate(found.classes.labels, start=1):
            yield PredictionRow("classes", None, rank if is_ranked else None, label.name, label.value)


def _bars(head: str, places: Mapping[str, Sequence[tuple[str, float, bool]]]) -> Picture:
    """Return a task head's names with their numbers; several places stand side by side, or are in a menu.

    Of each place the likeliest is first, and the last of the three says whether a name is marked.
    """
    shape = len(places), max(map(len, places.values()))
    names, values = np.full(shape, "", object), np.full(shape, np.nan, np.float32)
    marked = np.zeros(shape, bool)
    for row, ranked in enumerate(places.values()):
        for at, cell in enumerate(ranked):
            names[row, at], values[row, at], marked[row, at] = cell
    picture = Picture(
        key=head,
        mark="bars",
        values=values,
        axes=(Axis("place", tuple(places)), Axis("rank", tuple(str(at + 1) for at in range(shape[1])))),
        quantity=plain_quantity(values),
        text=names.astype(np.str_),
        marked=marked if marked.any() else None,
        beside="place" if head == "masked" and len(places) > 1 else "",
    )
    return picture if len(places) > 1 else picture.at({})


@dataclass(frozen=True, eq=False)
class Outcomes(Result):
    """What the task heads predict: see `analysis.predictions`."""

    predictions: Predictions

    @property
    def axes(self) -> tuple[Axis, ...]:
        names = (
            (row.head, *(() if row.position is None else (str(row.position),)), row.name)
            for row in rows(self.predictions)
        )
        return (Axis("outcome", tuple(map(" ".join, names))),)

    @property
    def n_bytes(self) -> int:
        return 200 * len(rows(self.predictions))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return "values" [N], a number for each row of the table."""
        return {"values": np.array([row.value for row in rows(self.predictions)], np.float64)}

    def pictures(self) -> tuple[Picture, ...]:
        """Return what each task head predicts, the likeliest first: of each token, or of the whole text.

        The piece that stands at a place is marked, and comes last where it is not among the likeliest.
        """
        found = self.predictions
        bars: defaultdict[str, defaultdict[str, list[tuple[str, float, bool]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for filling in found.fillings:
            own, fillers = filling.written, filling.fillers
            named = fillers if own is None or own.rank <= len(fillers) else (*fillers, own)
            bars["masked"][str(filling.position)] += [
                (one.piece, one.probability, own is not None and one.id == own.id) for one in named
            ]
        for row in _of_texts(found):
            bars[row.head][""].append((row.name, row.value, False))
        for suspect in found.replaced:
            bars["replaced"][""].append((suspect.piece, suspect.probability, False))
        for token in found.token_labels:
            labels = [(label.name, label.value, False) for label in token.labels]
            bars["token_labels"][f"{token.position} {token.piece}"] += labels
        for span in () if found.answer is None else found.answer.spans:
            bars["answer"][""].append((span.text, span.probability, False))
        return tuple(_bars(head, places) for head, places in bars.items())

    def findings(self) -> tuple[str, ...]:
        if rows(self.predictions):
            return ()
        return (Message("No token is masked: mask one, or give positions under Parameters"),)

    def as_table(self) -> Table:
        """Return a row for each prediction: head, position, rank, name, value, last."""
        return self.predictions.as_table()
