"""The tasks of lessons, the numbers and conditions that they ask for, and how an answer is checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from bertviz_app.analysis.measures import KEYS, head_measures
from bertviz_app.analysis.pairs import (
    PairNumbers,
    attention_column,
    attention_row,
    head_steps,
    pair_numbers,
    pair_weights,
)
from bertviz_app.errors import Message
from bertviz_app.learning.label_training import LABELS, LabelResult, Labels
from bertviz_app.learning.words import LANGUAGES, TypedText, Words
from bertviz_app.text.edits import MASKS
from bertviz_app.text.tokens import numbered, tokens_named
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass, field, fields


class MissingError(ValueError):
    """The run does not have the quantity: another text was typed, or the model lacks a part."""


def check_one_of(name: str, value: str, known: Collection[str]) -> None:
    """Raise ValueError where the field `name` has a value that is none of those known."""
    if value not in known:
        raise ValueError(Message("“{0}” is “{1}”, which is not one of {2}", name, value, ", ".join(known)))


def _check_fields(
    asked: AskedNumber | Condition,
    known: Mapping[str, tuple[tuple[str, ...], object]],
    of_head: tuple[str, ...] = (),
) -> None:
    """Raise ValueError where a field is missing that `asked.of` needs, or given that it does not have.

    What is of a head may have the fields `of_head`.
    """
    check_one_of("of", asked.of, known)
    needed, _ = known[asked.of]
    given = {field.name for field in fields(asked) if getattr(asked, field.name) not in (None, ())}
    if empty := [name for name in needed if name not in given]:
        raise ValueError(Message("“{0}” also needs “{1}”", asked.of, ", ".join(empty)))
    optional = of_head if _OF_A_HEAD.intersection(needed) else ()
    if more := given - {"of", *needed, *optional}:
        raise ValueError(Message("“{0}” cannot have “{1}”", asked.of, ", ".join(sorted(more))))


_OF_A_HEAD = frozenset({"query", "key", "measure"})
"""A quantity that needs one of these fields is a number of one head."""


@dataclass(frozen=True)
class AskedNumber:
    """`of`: one of QUANTITIES, which says which of the other fields it needs.

    Tokens are named by their text, "it", or "it#2" for the second one. Without `layer` and `head` the ones
    of the station are meant. `state`: 0 the embeddings, l + 1 after layer l. `index`: a dimension, or a place
    in `numbers`. `labels`: those that a training of the station was on.
    """

    of: str
    layer: int | None = None
    head: int | None = None
    query: str | None = None
    key: str | None = None
    token: str | None = None
    other: str | None = None
    state: int | None = None
    index: int | None = None
    measure: str | None = None
    numbers: tuple[float, ...] = ()
    value: float | None = None
    labels: Labels | None = None

    def __post_init__(self) -> None:
        _check_fields(self, QUANTITIES, ("layer", "head"))
        if self.measure is not None:
            check_one_of("measure", self.measure, KEYS)

    @property
    def is_of_station_head(self) -> bool:
        """Whether it is a number of the head of the station."""
        is_of_a_head = bool(_OF_A_HEAD.intersection(QUANTITIES[self.of][0]))
        return is_of_a_head and (self.layer is None or self.head is None)


@dataclass(frozen=True, eq=False)
class QuantityInputs:
    """What quantities are computed from: a trace, the head of the station, and what only the model knows.

    `measures` are those of every head, where somebody has computed them: they cost a pass over all weights.
    `trained` is what came of the trainings of the station, as far as they are done. `analysed` has a number
    for each token, by the key of the analysis, of those that the station shows and that are computed.
    `divisor` is tried at the softmax instead of the model's own, None while none is. `output`: the number of
    the query of which the products are shown.
    """

    trace: Trace
    layer: int = 0
    head: int = 0
    n_parameters: int | None = None
    measures: Mapping[str, Floats] | None = None
    trained: Mapping[Labels, LabelResult] | None = None
    analysed: Mapping[str, Floats] = field(default_factory=dict)
    divisor: float | None = None
    output: int = 0

    def find(self, name: str | None) -> int:
        """Return the position of a token by its text, which a hidden one keeps. Raises MissingError."""
        text, number = numbered(name or "")
        found = tokens_named(self.trace.tokens, text)
        index = 0 if number is None else number - 1
        if not 0 <= index < len(found):
            raise MissingError(Message("there is no token “{0}”", name))
        return found[index]

    def measure(self, key: str) -> Floats:
        """Return a measure of every head, [L, H]."""
        return (head_measures(self.trace) if self.measures is None else self.measures)[key]

    def values_of(self, analysis: str) -> Floats:
        """Return the number that an analysis gives to each token, [T]. Raises MissingError."""
        if analysis not in self.analysed:
            raise MissingError(Message("there is no result of “{0}”", analysis))
        return self.analysed[analysis]

    def head_of(self, quantity: AskedNumber) -> tuple[int, int]:
        """Return the layer and the head that are meant. Raises MissingError."""
        layer = self.layer if quantity.layer is None else quantity.layer
        head = self.head if quantity.head is None else quantity.head
        if not (0 <= layer < self.trace.n_layers and 0 <= head < self.trace.n_heads):
            raise MissingError(Message("there is no layer {0}, head {1}", layer, head))
        return layer, head

    def number(self, quantity: AskedNumber) -> float:
        """Return the number. Raises MissingError where the run has none."""
        _, compute = QUANTITIES[quantity.of]
        try:
            return float(compute(self, quantity))
        except IndexError as error:
            raise MissingError(Message("“{0}”: {1}", quantity.of, error.args[0])) from error


_Compute = Callable[[QuantityInputs, AskedNumber], float]


def _pair(run: QuantityInputs, quantity: AskedNumber) -> PairNumbers:
    return pair_numbers(run.trace, *run.head_of(quantity), run.find(quantity.query), run.find(quantity.key))


def _others(run: QuantityInputs, quantity: AskedNumber) -> float:
    """Return the mean weight of the other tokens on the key."""
    others = _pair(run, quantity).others
    if others is None:
        raise MissingError(Message("no other token looks at “{0}”", quantity.key))
    return others


def _entropy(run: QuantityInputs, quantity: AskedNumber) -> float:
    at, query = run.head_of(quantity), run.find(quantity.query)
    return pair_numbers(run.trace, *at, query, query).row_entropy


def _tried(run: QuantityInputs, quantity: AskedNumber) -> Floats:
    """Return the row of weights with the divisor that is tried, [T]; with the model's own while none is."""
    steps = head_steps(run.trace, *run.head_of(quantity), run.find(quantity.query))
    return steps.weights if run.divisor is None else steps.weights_divided_by(run.divisor).astype(np.float32)


def entropy_of(weights: Floats) -> float:
    """Return the entropy of a row [T] in bits: 0 where one key has all, log2 T where all have the same."""
    row = weights.astype(np.float64)
    return float(-(row * np.log2(row, out=np.zeros_like(row), where=row > 0)).sum())


def _softmax(numbers: Doubles) -> Doubles:
    powers = np.exp(numbers - numbers.max())
    return np.asarray(powers / powers.sum())


def _numbers(compute: Callable[[Doubles], Doubles]) -> _Compute:
    """Return the quantity that is one of what `compute` makes of the numbers of the task."""
    return lambda run, it: float(compute(np.array(it.numbers, np.float64))[_index(it)])


def _state(run: QuantityInputs, quantity: AskedNumber, token: str | None) -> Doubles:
    return np.asarray(run.trace.hidden[quantity.state or 0][run.find(token)], np.float64)


def _cosine(run: QuantityInputs, quantity: AskedNumber) -> float:
    first, second = _state(run, quantity, quantity.token), _state(run, quantity, quantity.other)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def _vector(run: QuantityInputs, quantity: AskedNumber, name: str, token: str) -> Floats:
    """Return the queries, keys or values [E] of a token, which the field `token` names."""
    vector: Floats = getattr(run.trace, name)[(*run.head_of(quantity), run.find(getattr(quantity, token)))]
    return vector


def _component(run: QuantityInputs, quantity: AskedNumber, name: str, token: str) -> float:
    return float(_vector(run, quantity, name, token)[_index(quantity)])


def _pooled(run: QuantityInputs, quantity: AskedNumber) -> float:
    if run.trace.pooled is None:
        raise MissingError(Message("the model has no pooler"))
    return float(run.trace.pooled[_index(quantity)])


def _n_parameters(run: QuantityInputs, quantity: AskedNumber) -> float:
    if run.n_parameters is None:
        raise MissingError(Message("the number of parameters is not known"))
    return run.n_parameters


def _accuracy(name: str) -> _Compute:
    def compute(run: QuantityInputs, quantity: AskedNumber) -> float:
        result = (run.trained or {}).get(quantity.labels or "real")
        if result is None:
            raise MissingError(Message("nothing has been trained yet"))
        return float(getattr(result, name))

    return compute


def _n_repeated(run: QuantityInputs, quantity: AskedNumber) -> float:
    """Return how many tokens of the text have the ID of another one before them."""
    tokens = run.trace.tokens
    ids = tokens.ids[~tokens.is_special]
    return len(ids) - len(np.unique(ids))


def _token_number(name: str) -> _Compute:
    return lambda run, quantity: float(getattr(run.trace.tokens, name)[run.find(quantity.token)])


def _size(name: str) -> _Compute:
    return lambda run, quantity: float(getattr(run.trace, name))


def _index(quantity: AskedNumber) -> int:
    if quantity.index is None or quantity.index < 0:
        raise IndexError(Message("there is no index {0}", quantity.index))
    return quantity.index


QUANTITIES: Mapping[str, tuple[tuple[str, ...], _Compute]] = MappingProxyType(
    {
        "number": (("value",), lambda run, it: it.value or 0.0),
        "n_tokens": ((), _size("n_tokens")),
        "n_unknown": ((), lambda run, it: int(run.trace.tokens.is_unknown.sum())),
        "n_masked": ((), lambda run, it: sum(piece in MASKS for piece in run.trace.tokens.pieces)),
        "n_repeated": ((), _n_repeated),
        "n_layers": ((), _size("n_layers")),
        "n_heads": ((), _size("n_heads")),
        "width": ((), _size("width")),
        "head_width": ((), _size("head_width")),
        "root_of_head_width": ((), lambda run, it: 1 / run.trace.scale),
        "n_parameters": ((), _n_parameters),
        "id": (("token",), _token_number("ids")),
        "segment": (("token",), _token_number("segment_ids")),
        "position": (("token",), _token_number("position_ids")),
        "query": (("query", "index"), lambda run, it: _component(run, it, "queries", "query")),
        "key": (("key", "index"), lambda run, it: _component(run, it, "keys", "key")),
        "value": (("key", "index"), lambda run, it: _component(run, it, "values", "key")),
        "product": (
            ("query", "key", "index"),
            lambda run, it: _component(run, it, "queries", "query") * _component(run, it, "keys", "key"),
        ),
        "sum_of_products": (("query", "key"), lambda run, it: _pair(run, it).product),
        "score": (("query", "key"), lambda run, it: _pair(run, it).score),
        "weight": (("query", "key"), lambda run, it: _pair(run, it).weight),
        "others": (("query", "key"), _others),
        "entropy": (("query",), _entropy),
        "shown_query": (
            ("query",),
            lambda run, it: _vector(run, it, "queries", "query")[run.output % run.trace.head_width],
        ),
        "tried_weight": (("query", "key"), lambda run, it: _tried(run, it)[run.find(it.key)]),
        "tried_entropy": (("query",), lambda run, it: entropy_of(_tried(run, it))),
        "measure": (("measure",), lambda run, it: run.measure(it.measure or "")[run.head_of(it)]),
        "softmax": (("numbers", "index"), _numbers(_softmax)),
        "layer_norm": (("numbers", "index"), _numbers(lambda x: (x - x.mean()) / x.std())),
        "hidden": (("token", "state", "index"), lambda run, it: _state(run, it, it.token)[_index(it)]),
        "length": (("token", "state"), lambda run, it: float(np.linalg.norm(_state(run, it, it.token)))),
        "cosine": (("token", "other", "state"), _cosine),
        "pooled": (("index",), _pooled),
        "training_accuracy": (("labels",), _accuracy("training_accuracy")),
        "held_out_accuracy": (("labels",), _accuracy("held_out_accuracy")),
        "baseline": (("labels",), _accuracy("baseline")),
    }
)
"""Name -> (the fields that it needs, how it is computed)."""


@dataclass(frozen=True, eq=False)
class ShownWindow:
    """What the window shows, as far as tasks ask for it; tokens by their positions.

    `texts_before` are the texts with which the station began. `views`: what the panels are drawn as.
    `stage`: the stop of Steps in the active panel, "" where another view is there; `state`: the hidden state
    that Vectors show there, None where another view is there. `predicted_class`: the likeliest one of a
    classifier, "" where none is predicted, or not yet. `language`: of the lesson.
    `drawn`: how often the learner has rolled the dice of a picture, or drawn in it by chance.
    """

    run: QuantityInputs
    texts: tuple[str, str | None] = ("", None)
    texts_before: tuple[str, str | None] = ("", None)
    query: int | None = None
    key: int | None = None
    views: tuple[str, ...] = ()
    stage: str = ""
    replaced: tuple[tuple[int, str], ...] = ()
    muted: tuple[tuple[int, int], ...] = ()
    is_compared: bool = False
    predicted_class: str = ""
    state: int | None = None
    language: str = "en"
    drawn: int = 0


@dataclass(frozen=True)
class Condition:
    """`of`: one of CONDITIONS, which says which of the other fields it needs."""

    of: str
    text: str | TypedText | None = None
    token: str | None = None
    query: str | None = None
    key: str | None = None
    view: str | None = None
    stage: str | None = None
    number: int | None = None
    claim: Claim | None = None

    def __post_init__(self) -> None:
        _check_fields(self, CONDITIONS)

    def text_in(self, language: str) -> str:
        """Return the text that is asked for, "" for none."""
        return self.text.in_language(language) if isinstance(self.text, TypedText) else self.text or ""

    def is_met(self, window: ShownWindow) -> bool:
        try:
            return CONDITIONS[self.of][1](self, window)
        except MissingError:
            return False


_Check = Callable[[Condition, ShownWindow], bool]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _has_pieces(condition: Condition, window: ShownWindow) -> bool:
    tokens = window.run.trace.tokens
    of_text = [pair for pair in zip(tokens.sentences, tokens.words, strict=True) if pair[1] >= 0]
    return len(of_text) > len(set(of_text))


def _holds(condition: Condition, window: ShownWindow) -> bool:
    return condition.claim is not None and condition.claim.holds(window.run)


CONDITIONS: Mapping[str, tuple[tuple[str, ...], _Check]] = MappingProxyType(
    {
        "text changed": ((), lambda it, window: window.texts != window.texts_before),
        "text has": (
            ("text",),
            lambda it, window: (
                _plain(it.text_in(window.language)) in _plain(" ".join(filter(None, window.texts)))
            ),
        ),
        "a pair": ((), lambda it, window: bool(window.texts[1])),
        "at least tokens": (("number",), lambda it, window: window.run.trace.n_tokens >= (it.number or 0)),
        "a word in pieces": ((), _has_pieces),
        "an unknown token": ((), lambda it, window: bool(window.run.trace.tokens.is_unknown.any())),
        "pinned": (
            ("query", "key"),
            lambda it, window: (window.query, window.key) == tuple(map(window.run.find, (it.query, it.key))),
        ),
        "pinned query": (("query",), lambda it, window: window.query == window.run.find(it.query)),
        "masked": (
            ("token",),
            lambda it, window: dict(window.replaced).get(window.run.find(it.token)) in MASKS,
        ),
        "a token hidden": ((), lambda it, window: any(piece in MASKS for _, piece in window.replaced)),
        "a head muted": ((), lambda it, window: bool(window.muted)),
        "predicted class": (
            ("text",),
            lambda it, window: _plain(window.predicted_class) == _plain(it.text_in(window.language)),
        ),
        "drawn": (("number",), lambda it, window: window.drawn >= (it.number or 0)),
        "trained": ((), lambda it, window: len(window.run.trained or ()) == len(LABELS)),
        "compared": ((), lambda it, window: window.is_compared),
        "a claim": (("claim",), _holds),
        "text makes": (("claim",), _holds),
        "view": (("view",), lambda it, window: it.view in window.views),
        "state": (("number",), lambda it, window: it.number == window.state),
        "stage": (("stage",), lambda it, window: it.stage == window.stage),
    }
)
"""Name -> (the fields that it needs, how it is checked)."""
TYPED = frozenset(
    (
        *("text changed", "text has", "at least tokens", "a word in pieces", "an unknown token"),
        *("predicted class", "text makes"),
    )
)
"""The conditions that are met by typing a text."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What every task has: `ask` says what to do, `hint` helps, `why` explains the answer afterwards."""

    kind: ClassVar[str]
    ask: Words
    hint: Words
    why: Words

    @property
    def is_about_station_head(self) -> bool:
        """Whether the answer is a number of the head of the station, or follows from one."""
        return False

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield what is wrong with the task on this run: an answer that it lacks, a claim that is false."""
        yield from ()


_NEEDED = {
    **dict.fromkeys(("looked at most", "scores least"), "query"),
    "looks most": "key",
    "largest value": "analysis",
    "named": "token",
}
"""Rule for tokens -> the field that it needs."""


@dataclass(frozen=True, kw_only=True)
class TokenRule:
    """Which token is right.

    "looked at most": the key on which `query` puts most weight; "scores least": the key that has the smallest
    score with `query`; "looks most": the query that puts most on `key`; "largest value": the token to which
    `analysis`, which the station shows, gives its largest value; "named": `token`. `among`: all tokens, or
    those of the text.
    """

    of: Literal["looked at most", "scores least", "looks most", "largest value", "named"]
    query: str | None = None
    key: str | None = None
    token: str | None = None
    analysis: str | None = None
    among: Literal["all", "words"] = "all"

    def __post_init__(self) -> None:
        needed = _NEEDED[self.of]
        if getattr(self, needed) is None:
            raise ValueError(Message("“{0}” also needs “{1}”", self.of, needed))

    def positions(self, run: QuantityInputs) -> frozenset[int]:
        """Return the positions that are right: several only where weights are equal."""
        weights = self.weights(run)
        if weights is None:
            return frozenset({run.find(self.token)})
        left_out = run.trace.tokens.is_special if self.among == "words" else False
        values = np.where(left_out, -np.inf, -weights if self.is_least else weights)
        return frozenset(np.flatnonzero(values == values.max()).tolist())

    @property
    def is_least(self) -> bool:
        """Whether the smallest of the numbers is meant, not the largest."""
        return self.of == "scores least"

    def weights(self, run: QuantityInputs) -> Floats | None:
        """Return the numbers that decide, one for each token; None where the token is named.

        Raises MissingError.
        """
        at = run.trace, run.layer, run.head
        if self.of == "largest value":
            return run.values_of(self.analysis or "")
        if self.of == "looked at most":
            return attention_row(*at, run.find(self.query))
        if self.of == "scores least":
            query = run.find(self.query)
            row: Floats = run.trace.scores(run.layer, run.head, slice(query, query + 1), scaled=False)[0]
            return row
        return None if self.of == "named" else attention_column(*at, run.find(self.key))


@dataclass(frozen=True, kw_only=True)
class TokenTask(Task):
    """Click a token."""

    kind: ClassVar[str] = "token"
    answer: TokenRule

    @property
    def is_about_station_head(self) -> bool:
        """Whether the right token follows from the weights of that head."""
        return self.answer.of != "named"

    def is_right(self, run: QuantityInputs, position: int) -> bool:
        """Return whether the token at `position` is meant."""
        return position in self.answer.positions(run)

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that the answer is ambiguous."""
        if len(self.answer.positions(run)) > 1:
            yield Message("several tokens are equally right")


@dataclass(frozen=True, kw_only=True)
class HeadRule:
    """Which heads are right: the first `best` by a measure, or by the weight of `query` on `key`."""

    measure: str | None = None
    query: str | None = None
    key: str | None = None
    best: int = 1
    least: bool = False

    def __post_init__(self) -> None:
        if (self.measure is None) == (self.query is None or self.key is None):
            raise ValueError(Message("it needs either “measure”, or “query” and “key”"))
        if self.measure is not None:
            check_one_of("measure", self.measure, KEYS)
        if self.best < 1:
            raise ValueError(Message("“{0}” must be at least {1}", "best", 1))

    def values(self, run: QuantityInputs) -> Floats:
        """Return the number of every head, [L, H]."""
        if self.measure is not None:
            return run.measure(self.measure)
        return pair_weights(run.trace, run.find(self.query), run.find(self.key))

    def heads(self, run: QuantityInputs) -> tuple[tuple[int, int], ...]:
        """Return (layer, head) of the right ones, the best first."""
        values = self.values(run)
        order = np.argsort(values if self.least else -values, axis=None, kind="stable")[: self.best]
        layers, heads = np.unravel_index(order, values.shape)
        return tuple(zip(layers.tolist(), heads.tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class HeadTask(Task):
    """Click a head in the overview."""

    kind: ClassVar[str] = "head"
    answer: HeadRule

    def is_right(self, run: QuantityInputs, head: tuple[int, int]) -> bool:
        """Return whether (layer, head) is one of the right ones."""
        return head in self.answer.heads(run)

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that every head would be right."""
        if len(self.answer.heads(run)) == run.trace.n_layers * run.trace.n_heads:
            yield Message("every head is right")


@dataclass(frozen=True, kw_only=True)
class NumbersTask(Task):
    """Type one or more numbers, each within `within` of the right one.

    Where `unit` is "%", they are shares, which may be typed as percentages with or without the sign.
    """

    kind: ClassVar[str] = "numbers"
    answers: tuple[AskedNumber, ...]
    within: float = 0.01
    unit: Literal["", "%"] = ""

    def __post_init__(self) -> None:
        if not self.answers:
            raise ValueError(Message("“{0}” has fewer than {1} items", "answers", 1))
        if self.within <= 0:
            raise ValueError(Message("“{0}” must be greater than {1}", "within", 0))

    @property
    def is_about_station_head(self) -> bool:
        """Whether one of the numbers is of that head."""
        return any(answer.is_of_station_head for answer in self.answers)

    def right(self, run: QuantityInputs) -> tuple[float, ...]:
        return tuple(run.number(answer) for answer in self.answers)

    def wrong(self, run: QuantityInputs, numbers: Sequence[float]) -> tuple[int, ...]:
        """Return which of `numbers` are wrong, counted from 0."""
        # The last digit that is shown may be rounded, so a little more than `within` is let through.
        far = [
            min(abs(typed - each) for typed in self.meanings(given)) > self.within * 1.001
            for given, each in zip(numbers, self.right(run), strict=False)
        ]
        return tuple(np.flatnonzero(far).tolist())

    def meanings(self, typed: float) -> tuple[float, ...]:
        """Return what a number that was typed may mean: of shares, also a percentage."""
        return (typed, typed / 100) if self.unit == "%" and typed > 1 else (typed,)

    def is_right(self, run: QuantityInputs, numbers: Sequence[float]) -> bool:
        return len(numbers) == len(self.answers) and not self.wrong(run, numbers)

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that a right number cannot be typed."""
        if not all(map(math.isfinite, self.right(run))):
            yield Message("a right number is not finite")


_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda left, right: left < right,
    ">": lambda left, right: left > right,
    "=": lambda left, right: abs(left - right) <= 1e-6 * max(1.0, abs(left), abs(right)),
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement about the run on which a text or the right answer of a choice rests; the tests check it."""

    left: AskedNumber
    is_: Literal["<", ">", "="] = field(metadata={"key": "is"})
    right: AskedNumber

    def holds(self, run: QuantityInputs) -> bool:
        """Return whether it is true of `run`."""
        return _COMPARISONS[self.is_](run.number(self.left), run.number(self.right))


def false_claims(claims: Sequence[Claim], run: QuantityInputs) -> Iterator[str]:
    """Yield the claims that are not true of `run`."""
    for claim in claims:
        if not claim.holds(run):
            left, right = run.number(claim.left), run.number(claim.right)
            yield Message(
                "the claim “{0} {1} {2}” is false: {3}, {4}",
                claim.left.of,
                claim.is_,
                claim.right.of,
                f"{left:.6g}",
                f"{right:.6g}",
            )


@dataclass(frozen=True, kw_only=True)
class ChoiceTask(Task):
    """Choose one of several answers; `right` counts from 0.

    `reasons` say why an option is wrong, one for each option, null for the right one.
    """

    kind: ClassVar[str] = "choice"
    options: tuple[Words, ...]
    right: int
    reasons: tuple[Words | None, ...] = ()
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise ValueError(Message("“{0}” has fewer than {1} items", "options", 2))
        if not 0 <= self.right < len(self.options):
            raise ValueError(Message("“{0}” must be from {1} to {2}", "right", 0, len(self.options) - 1))
        if self.reasons and len(self.reasons) != len(self.options):
            raise ValueError(Message("“{0}” must have as many items as “{1}”", "reasons", "options"))
        if self.reasons and self.reasons[self.right] is not None:
            raise ValueError(Message("“{0}” must be null for the right option", "reasons"))

    @property
    def is_about_station_head(self) -> bool:
        """Whether a claim that makes the option right is about that head."""
        return any(side.is_of_station_head for claim in self.claims for side in (claim.left, claim.right))

    def reason(self, option: int) -> Words | None:
        """Return why `option` is wrong; None where the lesson does not say it."""
        return self.reasons[option] if self.reasons else None

    def is_right(self, run: QuantityInputs, option: int) -> bool:
        """Return whether `option` is the right one."""
        return option == self.right

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield the claims that are false."""
        yield from false_claims(self.claims, run)
        for language in LANGUAGES:
            if len({option.in_language(language) for option in self.options}) < len(self.options):
                yield Message("two options are the same")


@dataclass(frozen=True, kw_only=True)
class VoteTask(ChoiceTask):
    """A class votes on the options: hands are counted, and the teacher reveals which option is right."""

    kind: ClassVar[str] = "vote"


@dataclass(frozen=True, kw_only=True)
class OrderTask(Task):
    """Put items into their order, which is the one in the file; `values`, if given, must grow in it."""

    kind: ClassVar[str] = "order"
    items: tuple[Words, ...]
    values: tuple[AskedNumber, ...] = ()

    def __post_init__(self) -> None:
        if len(self.items) < 3:
            raise ValueError(Message("“{0}” has fewer than {1} items", "items", 3))
        if self.values and len(self.values) != len(self.items):
            raise ValueError(Message("“{0}” must have as many items as “{1}”", "values", "items"))

    @property
    def shuffled(self) -> tuple[int, ...]:
        """The order in which the items are shown at first: the same each time, never the right one."""
        n_items = len(self.items)
        return tuple((index * 2 + 1) % n_items if n_items % 2 else index ^ 1 for index in range(n_items))

    def is_right(self, run: QuantityInputs, order: Sequence[float]) -> bool:
        return list(order) == list(range(len(self.items)))

    def mistakes(self, run: QuantityInputs) -> Iterator[str]:
        """Yield that the order in the file is not that of the values."""
        values = [run.number(value) for value in self.values]
        if values != sorted(values):
            yield Message("the values do not grow: {0}", ", ".join(f"{value:.6g}" for value in values))


@dataclass(frozen=True, kw_only=True)
class DoTask(Task):
    """Do something in the window; it is noticed without a button."""

    kind: ClassVar[str] = "do"
    done: Condition

    def is_right(self, window: ShownWindow) -> bool:
        return self.done.is_met(window)


KINDS: dict[str, type[Task]] = {
    each.kind: each for each in (TokenTask, HeadTask, NumbersTask, ChoiceTask, VoteTask, OrderTask, DoTask)
}
