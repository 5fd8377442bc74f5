"""`AskedNumber`: a number that a lesson asks for, computed from the run on screen and never written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import KEYS, head_measures
from bertviz_app.analysis.pairs import PairNumbers, pair_numbers
from bertviz_app.errors import Message
from bertviz_app.inference.training.labels import LabelResult, Labels
from bertviz_app.text.tokens import numbered, tokens_named
from bertviz_app.trace import Trace
from bertviz_app.types import Floats


class MissingError(ValueError):
    """The run does not have the quantity: another text was typed, or the model lacks a part."""


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
        if self.of not in QUANTITIES:
            raise ValueError(
                Message("“{0}” is “{1}”, which is not one of {2}", "of", self.of, ", ".join(QUANTITIES))
            )
        needed, _ = QUANTITIES[self.of]
        empty = [name for name in needed if getattr(self, name) in (None, ())]
        if empty:
            raise ValueError(Message("“{0}” also needs “{1}”", self.of, ", ".join(empty)))
        if self.measure is not None and self.measure not in KEYS:
            raise ValueError(
                Message("“{0}” is “{1}”, which is not one of {2}", "measure", self.measure, ", ".join(KEYS))
            )
        optional = {"layer", "head"} if self._is_of_a_head else set()
        given = {field.name for field in fields(self) if getattr(self, field.name) not in (None, ())}
        if more := given - {"of", *needed, *optional}:
            raise ValueError(Message("“{0}” cannot have “{1}”", self.of, ", ".join(sorted(more))))

    @property
    def _is_of_a_head(self) -> bool:
        return not {"query", "key", "measure"}.isdisjoint(QUANTITIES[self.of][0])

    @property
    def is_of_station_head(self) -> bool:
        """Whether it is a number of the head of the station."""
        return self._is_of_a_head and (self.layer is None or self.head is None)


@dataclass(frozen=True, eq=False)
class QuantityInputs:
    """What quantities are computed from: a trace, the head of the station, and what only the model knows.

    `measures` are those of every head, where somebody has computed them: they cost a pass over all weights.
    `trained` is what came of the trainings of the station, as far as they are done. `analysed` has a number
    for each token, by the key of the analysis, of those that the station shows and that are computed.
    """

    trace: Trace
    layer: int = 0
    head: int = 0
    n_parameters: int | None = None
    measures: Mapping[str, Floats] | None = None
    trained: Mapping[Labels, LabelResult] | None = None
    analysed: Mapping[str, Floats] = field(default_factory=dict)

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
    at = run.head_of(quantity)
    return pair_numbers(run.trace, *at, run.find(quantity.query), run.find(quantity.key))


def _entropy(run: QuantityInputs, quantity: AskedNumber) -> float:
    at, query = run.head_of(quantity), run.find(quantity.query)
    return pair_numbers(run.trace, *at, query, query).row_entropy


def _measure(run: QuantityInputs, quantity: AskedNumber) -> float:
    assert quantity.measure is not None
    return float(run.measure(quantity.measure)[run.head_of(quantity)])


def _softmax(run: QuantityInputs, quantity: AskedNumber) -> float:
    values = np.exp(np.array(quantity.numbers) - max(quantity.numbers))
    return float((values / values.sum())[_index(quantity)])


def _layer_norm(run: QuantityInputs, quantity: AskedNumber) -> float:
    values = np.array(quantity.numbers)
    return float(((values - values.mean()) / values.std())[_index(quantity)])


def _state(run: QuantityInputs, quantity: AskedNumber, token: str | None) -> NDArray[np.float64]:
    state = run.trace.hidden[quantity.state or 0]
    return np.asarray(state[run.find(token)], np.float64)


def _cosine(run: QuantityInputs, quantity: AskedNumber) -> float:
    first, second = _state(run, quantity, quantity.token), _state(run, quantity, quantity.other)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def _vector(name: str, token: str) -> _Compute:
    def compute(run: QuantityInputs, quantity: AskedNumber) -> float:
        at = (*run.head_of(quantity), run.find(getattr(quantity, token)))
        return float(getattr(run.trace, name)[at][_index(quantity)])

    return compute


def _product(run: QuantityInputs, quantity: AskedNumber) -> float:
    """Return one of the products that add up to the score: q_d times k_d."""
    return _vector("queries", "query")(run, quantity) * _vector("keys", "key")(run, quantity)


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


def _n_unknown(run: QuantityInputs, quantity: AskedNumber) -> float:
    return int(run.trace.tokens.is_unknown.sum())


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
        "number": (("value",), lambda run, quantity: quantity.value or 0.0),
        "n_tokens": ((), _size("n_tokens")),
        "n_unknown": ((), _n_unknown),
        "n_layers": ((), _size("n_layers")),
        "n_heads": ((), _size("n_heads")),
        "width": ((), _size("width")),
        "head_width": ((), _size("head_width")),
        "root_of_head_width": ((), lambda run, quantity: 1 / run.trace.scale),
        "n_parameters": ((), _n_parameters),
        "id": (("token",), _token_number("ids")),
        "segment": (("token",), _token_number("segment_ids")),
        "position": (("token",), _token_number("position_ids")),
        "query": (("query", "index"), _vector("queries", "query")),
        "key": (("key", "index"), _vector("keys", "key")),
        "value": (("key", "index"), _vector("values", "key")),
        "product": (("query", "key", "index"), _product),
        "sum_of_products": (("query", "key"), lambda run, quantity: _pair(run, quantity).product),
        "score": (("query", "key"), lambda run, quantity: _pair(run, quantity).score),
        "weight": (("query", "key"), lambda run, quantity: _pair(run, quantity).weight),
        "entropy": (("query",), _entropy),
        "measure": (("measure",), _measure),
        "softmax": (("numbers", "index"), _softmax),
        "layer_norm": (("numbers", "index"), _layer_norm),
        "hidden": (
            ("token", "state", "index"),
            lambda run, quantity: _state(run, quantity, quantity.token)[_index(quantity)],
        ),
        "length": (
            ("token", "state"),
            lambda run, quantity: float(np.linalg.norm(_state(run, quantity, quantity.token))),
        ),
        "cosine": (("token", "other", "state"), _cosine),
        "pooled": (("index",), _pooled),
        "training_accuracy": (("labels",), _accuracy("training_accuracy")),
        "held_out_accuracy": (("labels",), _accuracy("held_out_accuracy")),
        "baseline": (("labels",), _accuracy("baseline")),
    }
)
"""Name -> (the fields that it needs, how it is computed)."""
