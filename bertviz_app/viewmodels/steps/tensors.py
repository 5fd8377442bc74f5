"""What stands at a stop, as arrays: the tensor of all tokens, and the arithmetic of one of them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.steps import HeadSteps
from bertviz_app.trace import Trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.trace.form import BERT, Form
from bertviz_app.viewmodels.steps.stops import ATTENTION, BEFORE, EMBEDDINGS, FEED_FORWARD, TOP, Stop

Floats = NDArray[np.float32]
_SAMPLED = 1 << 16


@dataclass(frozen=True)
class Term:
    """One line of an equation: what is done (`sign`) to come to, or with, the vector called `name`.

    `name` is a stage, or "input": what came into the layer.
    """

    sign: str
    name: str


EQUATIONS: MappingProxyType[tuple[str, ...], tuple[Term, ...]] = MappingProxyType(
    {
        EMBEDDINGS: (
            Term("", "token"),
            Term("+", "segment"),
            Term("+", "position"),
            Term("=", "embedding_sum"),
            Term("norm", "embedding_norm"),
            Term("W_E", "embedding_projection"),
        ),
        BEFORE: (Term("", "input"), Term("norm", "input_norm")),
        ATTENTION: (
            Term("", "concat"),
            Term("W_O", "projected"),
            Term("+", "input"),
            Term("=", "attention_sum"),
            Term("norm", "attention_norm"),
        ),
        FEED_FORWARD: (
            Term("", "attention_norm"),
            Term("W_1", "expanded"),
            Term("f", "active"),
            Term("×", "gate"),
            Term("=", "gated"),
            Term("W_2", "contracted"),
            Term("+", "attention_norm"),
            Term("=", "output_sum"),
            Term("norm", "output"),
        ),
        TOP: (Term("", "first"), Term("W_P", "dense"), Term("tanh", "pooled")),
    }
)
"""How the stages of a part follow from each other; W stands for a dense layer, f for the activation."""

_ADDED_FIRST = (
    Term("", "concat"),
    Term("+", "input"),
    Term("=", "attention_sum"),
    Term("W_O", "projected"),
    Term("norm", "attention_norm"),
)
"""The lines of ATTENTION where a layer's input is added before the projection."""

_NEEDED = MappingProxyType({"embedding_sum": 3, "attention_sum": 2, "gated": 2, "output_sum": 2})
"""How many terms before it a stage is made of; one where it is not said."""

_IN_DETAILS = frozenset({"mixed", *BEFORE, *ATTENTION, *FEED_FORWARD}) - {"output"}


@dataclass(frozen=True, eq=False)
class Place:
    """A stop in a trace: all that its numbers are made of. `details` may not be there (yet)."""

    trace: Trace
    stop: Stop
    layer: int  # of the stop; on top the last one, in the embeddings the first
    head: int
    query: int
    details: LayerDetails | None
    steps: HeadSteps | None

    @property
    def absent(self) -> tuple[str, ...]:
        """The stages of the embeddings and of this layer that this model does without, and its top."""
        trace = self.trace
        parts = {
            "segment": trace.segment_embeddings,
            "position": trace.position_embeddings,
            "embedding_projection": trace.embedding_norm,
        }
        absent = [stage for stage, array in parts.items() if array is None]
        if not trace.form.has_embedding_norm:
            absent.append("embedding_norm")
        if {"segment", "position"} <= set(absent):
            absent.append("embedding_sum")
        if trace.pooled is None:
            absent += TOP[1:]
        return (*absent, *sorted(trace.form.absent(self.layer, trace.n_layers)))

    def row(self, name: str) -> Floats | None:
        """Return the vector of the query token at a stage of this section; None if it is not there."""
        values = self.tensor(name)
        if values is None:
            return None
        row: Floats = values[0 if len(values) == 1 else self.query]
        return row

    def tensor(self, name: str | None = None) -> Floats | None:
        """Return a stage's tensor [T, C], [1, C] where there is one row; None if it is not there.

        Of a head's scores and weights the row of the query is given.
        """
        name = name or self.stop.stage
        if name in _OF_DETAILS:
            if self.details is None:
                return None
            return _OF_DETAILS[name](self)
        return _OF_TRACE[name](self)


def equation(stage: str, most: int, absent: Collection[str] = (), form: Form = BERT) -> tuple[Term, ...]:
    """Return the lines that explain a stage: those of its whole part, if these are not more than `most`.

    Else its own line and those it is made of. The stages `absent` are not this model's. In
    a pre-norm layer the sum before the norm is added again.
    """
    part = next((lines for stages, lines in EQUATIONS.items() if stage in stages), ())
    if form.adds_before_projection and stage in ATTENTION:
        part = _ADDED_FIRST
    lines = tuple(line for line in part if line.name not in absent)
    if form.is_pre_norm:
        again = Term("+", "attention_norm")
        lines = tuple(Term("+", "attention_sum") if line == again else line for line in lines)
    if len(lines) <= most:
        return lines
    own = max(place for place, line in enumerate(lines) if line.name == stage)
    first = max(0, own - _NEEDED.get(stage, 1))
    # What led to the first of them is not there any more.
    return (replace(lines[first], sign=""), *lines[first + 1 : own + 1])


def bound_of(values: Floats) -> float:
    """Return the size from which on a colour is full: 99 of 100 numbers are smaller.

    A few dimensions of BERT are many times as large as the others (Kovaleva et al. 2021,
    arXiv:2105.06990): on a scale up to these nothing else would be seen. Of large tensors a sample counts.
    """
    flat = values.reshape(-1)
    sample = np.abs(flat[:: max(1, flat.size // _SAMPLED)])
    bound = float(np.partition(sample, int(0.99 * (sample.size - 1)))[int(0.99 * (sample.size - 1))])
    return bound if bound > 0 else float(sample.max()) or 1.0


def _pooler_dense(place: Place) -> Floats | None:
    details = place.details
    return None if details is None or details.pooler_dense is None else details.pooler_dense[None]


def _pooled(place: Place) -> Floats | None:
    return None if place.trace.pooled is None else place.trace.pooled[None]


def _embedding_norm(place: Place) -> Floats:
    normed = place.trace.embedding_norm
    return place.trace.hidden[0] if normed is None else normed


def _of_steps(name: str) -> Callable[[Place], Floats | None]:
    def values(place: Place) -> Floats | None:
        if place.steps is None:
            return None
        array: Floats = getattr(place.steps, name)
        return array if array.ndim == 2 else array[None]

    return values


def _of_details(name: str) -> Callable[[Place], Floats]:
    def values(place: Place) -> Floats:
        array: Floats = getattr(place.details, name)
        return array

    return values


_OF_DETAILS: MappingProxyType[str, Callable[[Place], Floats]] = MappingProxyType(
    {name: _of_details(name) for name in _IN_DETAILS}
    | {"mixed": lambda place: _of_details("mixed")(place)[place.head]}
)

_OF_TRACE: MappingProxyType[str, Callable[[Place], Floats | None]] = MappingProxyType(
    {
        "token": lambda place: place.trace.token_embeddings,
        "segment": lambda place: place.trace.segment_embeddings,
        "position": lambda place: place.trace.position_embeddings,
        "embedding_sum": lambda place: place.trace.embedding_sum,
        "embedding_norm": _embedding_norm,
        "embedding_projection": lambda place: (
            None if "embedding_projection" in place.absent else place.trace.hidden[0]
        ),
        "input": lambda place: place.trace.hidden[place.layer],
        "queries": lambda place: place.trace.queries[place.layer, place.head],
        "keys": lambda place: place.trace.keys[place.layer, place.head],
        "values": lambda place: place.trace.values[place.layer, place.head],
        "scores": _of_steps("products"),
        "scaled": _of_steps("scaled"),
        "biased": _of_steps("biased"),
        "disentangled": _of_steps("biased"),
        "softmax": _of_steps("weights"),
        "weighted": _of_steps("weighted"),
        "output": lambda place: place.trace.hidden[place.layer + 1],
        "first": lambda place: place.trace.hidden[-1, :1],
        "dense": _pooler_dense,
        "pooled": _pooled,
    }
)
