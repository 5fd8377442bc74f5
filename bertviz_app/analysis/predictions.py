"""What the task heads of a checkpoint predict of a trace, as probabilities of named things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.answers import Answer, likeliest_spans
from bertviz_app.analysis.probabilities import sigmoid, softmax
from bertviz_app.errors import CheckpointError, Message, SelectionError
from bertviz_app.text import Tokens
from bertviz_app.trace.provenance import MANY_LABELS, ONE_LABEL, REGRESSION, Logits
from bertviz_app.types import Floats

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
class Filling:
    """Which pieces a head for masked tokens predicts for one token (Devlin et al. 2019, section 3.1).

    `fillers` are the likeliest, in order; `written` is what the text has there, None where it has the mask
    itself. Without `is_masked` the head sees the token that it predicts, and mostly predicts it again: it was
    trained for that too, on a tenth of the chosen tokens.
    """

    position: int
    is_masked: bool
    fillers: tuple[Filler, ...]
    written: Filler | None


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
class Classes:
    """What a classifier predicts of a whole input (Devlin et al. 2019, section 4.1).

    `problem` is one of PROBLEMS: the probabilities of "single_label_classification" sum to 1, those of
    "multi_label_classification" stand each by itself. `labels` are the likeliest first; the numbers of a
    "regression" in the checkpoint's order.
    """

    problem: str
    labels: tuple[Label, ...]


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
class Predictions:
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


@dataclass(frozen=True, eq=False)
class PredictionInput:
    """How an input is read: its `tokens`, the ids of its texts as they are written, and the vocabulary.

    `name` returns the piece with an id; `mask` is the id that hides a token, None where there is none.
    """

    tokens: Tokens
    written: NDArray[np.int32]  # [T]
    name: Callable[[int], str]
    mask: int | None

    def masked(self) -> tuple[int, ...]:
        """Return the positions of the tokens that are hidden."""
        return tuple(np.flatnonzero(self.tokens.ids == self.mask).tolist()) if self.mask is not None else ()

    def validate(self, positions: Sequence[int]) -> None:
        """Raise SelectionError for a position that the input does not have."""
        for position in positions:
            if not 0 <= position < len(self.tokens):
                last = len(self.tokens) - 1
                message = Message("There is no token {0}: this text has tokens 0 to {1}.", position, last)
                raise SelectionError(message, Message("Tokens count from 0, special ones among them."))


def predictions(
    logits: Logits, inputs: PredictionInput, positions: Sequence[int], top: int = TOP
) -> Predictions:
    """Return logits of all task heads as probabilities, from 0 to 1.

    `positions` are those of the rows of `logits.masked`. Of pieces, labels of a token, and spans the `top`
    likeliest are named.
    """
    rows = () if logits.masked is None else tuple(zip(positions, logits.masked, strict=True))
    has_pair = inputs.tokens.pair is not None
    return Predictions(
        fillings=tuple(_filling(row, position, inputs, top) for position, row in rows),
        next_sentence=_next_sentence(logits) if has_pair else None,
        classes=None if logits.classes is None else _classes(logits.classes, logits),
        replaced=() if logits.replaced is None else _suspects(logits.replaced, inputs.tokens),
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
    order = first[np.lexsort((first, -logits[first]))]
    fillers = [
        Filler(inputs.name(number), number, float(shares[number]), rank)
        for rank, number in enumerate(order.tolist(), start=1)
    ]
    is_masked, written = inputs.tokens.ids[position] == inputs.mask, int(inputs.written[position])
    found = None
    if written != inputs.mask and written < len(logits):
        rank = 1 + int((logits > logits[written]).sum())
        found = Filler(inputs.name(written), written, float(shares[written]), rank)
    return Filling(position, bool(is_masked), tuple(fillers), found)


def _next_sentence(logits: Logits) -> NextSentence | None:
    if logits.next_sentence is None:
        return None
    return NextSentence(float(softmax(logits.next_sentence)[0]), logits.meaning.orders_sentences)


def _classes(numbers: Floats, logits: Logits) -> Classes:
    """Return the classes by the classifier's outputs [N]: probabilities, or the values of a regression."""
    problem = _problem(len(numbers), logits.meaning.problem)
    activation = logits.meaning.activation
    if activation is not None:  # sentence-transformers applies it whatever the task is, and no softmax
        problem = MANY_LABELS if activation == "Sigmoid" and len(numbers) > 1 else REGRESSION
    if activation == "Tanh":
        values = np.tanh(numbers.astype(np.float64))
    elif activation == "Sigmoid":
        values = sigmoid(numbers)
    elif problem == REGRESSION:
        values = numbers.astype(np.float64)
    else:
        values = softmax(numbers) if problem == ONE_LABEL else sigmoid(numbers)
    names = _names(logits, len(numbers))
    labels = [Label(name, value) for name, value in zip(names, values.tolist(), strict=True)]
    if problem != REGRESSION:
        labels.sort(key=lambda label: -label.value)
    return Classes(problem, tuple(labels))


def _names(logits: Logits, count: int) -> Sequence[str]:
    """Return the checkpoint's names of `count` classes, or those that `transformers` gives them."""
    is_named = len(logits.labels) == count
    return logits.labels if is_named else [f"LABEL_{number}" for number in range(count)]


def _labelled(logits: Logits, tokens: Tokens, top: int) -> tuple[LabelledToken, ...]:
    assert logits.token_labels is not None
    names = _names(logits, logits.token_labels.shape[-1])
    shares = softmax(logits.token_labels)  # [T, N]
    order = np.argsort(-shares, axis=-1, kind="stable")[:, :top]
    found = zip(tokens.pieces, order.tolist(), shares, strict=True)
    return tuple(
        LabelledToken(position, piece, tuple(Label(names[at], float(row[at])) for at in best))
        for position, (piece, best, row) in enumerate(found)
    )


def _problem(n_classes: int, stated: str | None) -> str:
    """Return the task of a classifier as `transformers` decides it: with one output it is a regression."""
    if n_classes == 1:
        return REGRESSION if stated in (None, REGRESSION) else MANY_LABELS
    return stated or ONE_LABEL


def _suspects(logits: Floats, tokens: Tokens) -> tuple[Suspect, ...]:
    """Return the probability of each token to be replaced, by the detector's logits [T]."""
    shares = sigmoid(logits).tolist()
    named = enumerate(zip(tokens.pieces, shares, strict=True))
    return tuple(Suspect(position, piece, share) for position, (piece, share) in named)
