"""Why one weight is what it is: its score by dimension and by what wrote the vectors, and its competitors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.axes import Axis, counted
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index
from bertviz_app.analysis.probing.decomposition.blocks import array, bias_of
from bertviz_app.analysis.probing.decomposition.chained import refuse_whole_layers
from bertviz_app.analysis.probing.decomposition.residual_stream import ResidualStream
from bertviz_app.analysis.probing.identity_error import worst
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import ScoreParts
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT
from bertviz_app.types import Doubles, Floats

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import DenseWeights, ModelAccess


@dataclass(frozen=True)
class ScoreParameters:
    """The head, and the pair of tokens: `query` looks at `key`."""

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0
    head: Annotated[int, Index("head"), Message("Head")] = 0
    query: Annotated[int, Index("token"), Message("Position of the query")] = 0
    key: Annotated[int, Index("token"), Message("Position of the key")] = 0


@analysis(
    key="score-parts",
    title=Message("Why this weight?"),
    summary=Message(
        "The score of one query and one key by dimension and by what wrote the vectors, and its competitors."
    ),
    limits=Message("Norms are taken as given: without one of the parts they would divide by something else."),
    paper="Elhage et al. 2021, A Mathematical Framework for Transformer Circuits",
    needs=Needs.MODEL,
)
def score_parts(inputs: Inputs, parameters: ScoreParameters, reporter: Reporter) -> ScoreParts:
    """Return what the score of one query and key is made of.

    "dimensions" [E]: query times key in each dimension, scaled: they add up to the content of the score.
    "parts": the content, and what positions add. "scores" and "weights": of all keys that the head reaches,
    its competitors. "writers" [N, M]: the content by what wrote the query's vector and the key's, norms taken
    as given; not where queries are rotated or tokens global, nor after a convolution. `identity_error`: how
    far the sum of these is off.

    Raises SelectionError for a layer, head or token that the trace does not have, and AnalysisError for a key
    that the head does not reach.

    The score is that of Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1; the composition of heads that
    of Elhage et al., here at the norms' given spreads.
    """
    trace, at, rows = inputs.trace, parameters, slice(parameters.query, parameters.query + 1)
    _validate(trace, at, reporter)
    dimensions = _dimensions(trace, at)
    named = trace.score_parts(at.layer, at.head, rows, slice(at.key, at.key + 1))
    scores = trace.scores(at.layer, at.head, rows)[0]
    reached = _reached(scores, at)
    found: dict[str, Floats] = {
        "dimensions": dimensions.astype(np.float32),
        "parts": np.array([values[0, 0] for values in named.values()], np.float32),
        "scores": scores[reached],
        "weights": trace.attention(at.layer, at.head, rows)[0][reached],
    }
    axes: dict[str, tuple[Axis, ...]] = {
        "dimensions": (counted("dimension", trace.head_width),),
        "parts": (Axis("part", tuple(named)),),
    }
    tokens = tuple(trace.tokens.pieces[key] for key in reached)
    axes["scores"] = axes["weights"] = (Axis("key", tokens),)
    error = None if trace.bias is not None else abs(float(dimensions.sum() - named[CONTENT][0, 0]))
    if not trace.form.is_rotary and refuse_whole_layers(trace.form, ()) is None:
        (names, others), table = _by_writers(trace, inputs.opened, at, reporter)
        found["writers"] = table.astype(np.float32)
        axes["writers"] = (Axis("written by, in the query", names), Axis("written by, in the key", others))
        error = worst(error or 0.0, abs(float(table.sum() - dimensions.sum())))
    reporter.progress(1)
    found = {name: values.copy() for name, values in found.items()}
    return ScoreParts(found, axes, _facts(at, reached), identity_error=error, main="dimensions")


def _dimensions(trace: Trace, at: ScoreParameters) -> Doubles:
    """Return query times key in each dimension, scaled, [E]."""
    query, key = (array_[at.layer, at.head].astype(np.float64) for array_ in (trace.queries, trace.keys))
    found: Doubles = query[at.query] * key[at.key] * trace.scale
    return found


def _facts(at: ScoreParameters, reached: NDArray[np.intp]) -> dict[str, str | int | float]:
    """Return the head and the pair, the key counted among those that are `reached` [n]."""
    key = int(np.searchsorted(reached, at.key))
    return {"layer": at.layer, "head": at.head, "query": at.query, "key": key}


def _reached(scores: Floats, at: ScoreParameters) -> NDArray[np.intp]:
    """Return the keys [n] that the head reaches from the query, by its scores [T]: in a window not all.

    Raises AnalysisError where the key of the pair is not among them.
    """
    reached = np.flatnonzero(np.isfinite(scores))
    if at.key not in reached:
        message = Message("This head does not reach from token {0} to token {1}.", at.query, at.key)
        raise AnalysisError(message, Message("Choose a pair that has a weight."))
    return reached


def _by_writers(
    trace: Trace, model: ModelAccess, at: ScoreParameters, reporter: Reporter
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], Doubles]:
    """Return the labels of what wrote the query and the key, and the score [N, M] that each two add."""
    stream, weights = ResidualStream(trace, model, reporter), model.weights(at.layer)
    sides = []
    for token, dense in ((at.query, weights.query), (at.key, weights.key)):
        writers, parts = stream.read(token, at.layer)
        weight, bias = _of_head(dense, at.head, trace)
        sides.append(((*(writer.label for writer in writers), "bias"), np.vstack([parts @ weight, bias])))
    (names, queries), (others, keys) = sides
    table: Doubles = queries @ keys.T * trace.scale
    return (names, others), table


def _of_head(dense: DenseWeights, head: int, trace: Trace) -> tuple[Doubles, Doubles]:
    """Return the matrix [D, E] and the bias [E] of one head of a projection."""
    columns = slice(head * trace.head_width, (head + 1) * trace.head_width)
    weight: Doubles = array(dense.weight).T[:, columns]
    return weight, bias_of(dense, dense.weight.shape[0])[columns]


def _validate(trace: Trace, at: ScoreParameters, reporter: Reporter) -> None:
    reporter.check()
    trace.scores(at.layer, at.head, slice(0, 1), slice(0, 1))  # raises SelectionError
    for token in (at.query, at.key):
        token_at(trace.tokens, token)  # raises SelectionError
