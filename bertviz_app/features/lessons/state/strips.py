"""Vectors as strips below each other, and numbers as dots on lines: what those pictures of lessons draw."""

from __future__ import annotations

import numpy as np

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.course.tasks import QuantityInputs
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.stages.activations import activation

STRONGEST = 8
"""So many detectors of a token are shown."""


@dataclass(frozen=True, eq=False)
class Strip:
    """The `numbers` [N] of a vector behind its `label`; with a `value`, that as a bar and a number.

    `origin`: the strip of the same picture that it comes out of. `letter`: the matrix or function on the way
    there, "" for none.
    """

    label: str
    numbers: Floats
    value: float | None = None
    origin: int | None = None
    letter: str = ""
    is_highlighted: bool = False
    is_faded: bool = False


@dataclass(frozen=True, eq=False)
class Detector:
    """One number of the widened vector of a layer: its weights [D], and what it is for each token [T]."""

    number: int
    n_detectors: int
    weights: Floats
    bias: float
    token: str
    strips: tuple[Strip, ...]


def detectors_of(details: LayerDetails, token: int) -> tuple[int, ...]:
    """Return the detectors, first the one that the token fires most above what any other token does."""
    fired = np.maximum(details.expanded, 0.0)
    others = np.delete(fired, token, 0)
    apart = fired[token] - (others.max(0) if len(others) else 0.0)
    return tuple(np.argsort(-apart, kind="stable").tolist())


def detector(trace: Trace, details: LayerDetails, weights: Floats, token: int, place: int) -> Detector:
    """Return the detector at a `place` of `detectors_of`; `weights` [F, D] are those of the first matrix."""
    order = detectors_of(details, token)
    number = order[place % len(order)]
    found = details.expanded[:, number]
    bias = float(found[token] - details.attention_norm[token] @ weights[number])
    strips = tuple(
        Strip(label, details.attention_norm[at], float(found[at]), is_highlighted=found[at] > 0)
        for at, label in enumerate(trace.tokens.labels)
    )
    return Detector(number, len(order), weights[number], bias, trace.tokens.labels[token], strips)


@dataclass(frozen=True, eq=False)
class Bent:
    """The numbers [F] of a token that go into the activation of a layer's feed-forward part, and come out.

    `activation`: its name in papers.
    """

    token: str
    activation: str
    given: Floats
    made: Floats


def bent(trace: Trace, details: LayerDetails, token: int) -> Bent:
    """Return what the activation makes of a token."""
    name = activation(details.activation).name
    return Bent(trace.tokens.labels[token], name, details.expanded[token], details.active[token])


@dataclass(frozen=True, eq=False)
class Narrowed:
    """What the strongest detectors of a token add to it; the last of the strips is the sum of all of them.

    `share`: how much of the length of the sum the strongest have alone.
    """

    token: str
    n_detectors: int
    n_active: int
    strips: tuple[Strip, ...]


def narrowed(trace: Trace, details: LayerDetails, weights: Floats, token: int) -> Narrowed:
    """Return what comes back from the detectors of a token; `weights` [D, F] are those of the second matrix.

    Active is a detector whose number is above a tenth.
    """
    active = details.active[token]
    added = active * np.linalg.norm(weights, axis=0)
    order = np.argsort(-np.abs(added), kind="stable")[:STRONGEST]
    strips = [
        Strip(str(number), weights[:, number] * active[number], abs(float(added[number])))
        for number in order.tolist()
    ]
    whole = Strip("Σ", details.contracted[token], is_highlighted=True)
    n_active = int((active > 0.1).sum())
    return Narrowed(trace.tokens.labels[token], len(active), n_active, (*strips, whole))


@dataclass(frozen=True, eq=False)
class Pooling:
    """The last hidden states [T, D] of a text, the one that is taken out, and what the pooler makes of it.

    `dense` [D] goes into tanh, `pooled` [D] comes out; both None where only the taking is shown.
    """

    labels: tuple[str, ...]
    states: Floats
    dense: Floats | None = None
    pooled: Floats | None = None


def pooling(trace: Trace, details: LayerDetails | None) -> Pooling:
    """Return what happens to the first of the last hidden states; `details` are those of the last layer."""
    labels, states = trace.tokens.labels, trace.hidden[-1]
    if details is None or details.pooler_dense is None:
        return Pooling(labels, states)
    return Pooling(labels, states, details.pooler_dense, trace.pooled)


@dataclass(frozen=True, eq=False)
class Dots:
    """Numbers [N] as dots in one of the palette's colours; `origin`: the line where they come from."""

    numbers: Doubles
    colour: str = "accent"
    origin: int | None = None


@dataclass(frozen=True, eq=False)
class NumberLine:
    """Dots on a line below its `title`. `has_moments`: mean and standard deviation are marked."""

    title: str
    dots: tuple[Dots, ...]
    has_moments: bool = False


@dataclass(frozen=True, eq=False)
class Normed:
    """The numbers [D] of a token in a norm: the sum, less its mean, divided, and with γ and β."""

    token: str
    layer: int
    stages: tuple[Doubles, Doubles, Doubles, Doubles]


def normed(trace: Trace, details: LayerDetails, token: int) -> Normed:
    """Return the way of a token through the norm behind the attention."""
    came = details.attention_sum[token].astype(np.float64)
    less = came - came.mean()
    left = details.attention_norm[token].astype(np.float64)
    return Normed(trace.tokens.labels[token], details.layer, (came, less, less / came.std(), left))


FIRST_ROW: Doubles = np.array([1.0, 2.0, 3.0, 4.0])
"""The row of four numbers that readers of notes on BERT know."""
FIRST_FACTOR, FIRST_SHIFT = 1.0, 4.0
"""With these it becomes 5, 6, 7, 8."""


def changed_row(factor: float, shift: float) -> Doubles:
    """Return that row times a factor, plus a number."""
    return FIRST_ROW * factor + shift


def norm_of(row: Doubles) -> Doubles:
    """Return a row less its mean, divided by its standard deviation."""
    return np.asarray((row - row.mean()) / row.std())


@dataclass(frozen=True, eq=False)
class Alike:
    """Cosines [L + 1] after the embeddings and each layer: of two tokens, and the mean of all pairs."""

    query: str
    key: str
    pair: Doubles
    mean: Doubles


def alike_of(trace: Trace, scene: Scene) -> Alike:
    """Return how alike the query and the key of a scene are after each layer. Raises MissingError."""
    run = QuantityInputs(trace)
    query, key = run.find(scene.query), run.find(scene.key)
    pair, mean = [], []
    for state in trace.hidden:
        unit = state.astype(np.float64)
        unit /= np.linalg.norm(unit, axis=-1, keepdims=True)
        cosines = unit @ unit.T
        pair.append(cosines[query, key])
        mean.append(cosines[~np.eye(len(unit), dtype=bool)].mean())
    labels = trace.tokens.labels
    return Alike(labels[query], labels[key], np.array(pair), np.array(mean))
