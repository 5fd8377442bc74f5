"""Why one weight, or one logit, is what it is: by dimension, and by what wrote the vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index, Reporter
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.analysis.probing.decomposition.blocks import Norm, ResidualStream, Writer, array, bias_of
from bertviz_app.analysis.probing.decomposition.decompx import refuse_whole_layers
from bertviz_app.analysis.probing.passes import predicted_token, refuse_without_masked_head, worst
from bertviz_app.analysis.results import LogitParts, ScoreParts
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT
from bertviz_app.trace.form import Form
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import MaskedHeadWeights, ModelAccess


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
    needs=Needs.MODEL | Needs.OWN_STATES,
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
    reporter.check()
    trace.scores(at.layer, at.head, slice(0, 1), slice(0, 1))  # raises SelectionError
    for token in (at.query, at.key):
        token_at(trace.tokens, token)  # raises SelectionError
    query, key = (vectors[at.layer, at.head].astype(np.float64) for vectors in (trace.queries, trace.keys))
    dimensions: Doubles = query[at.query] * key[at.key] * trace.scale  # [E]
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
    facts = {
        "layer": at.layer,
        "head": at.head,
        "query": at.query,
        "key": int(np.searchsorted(reached, at.key)),  # counted among the reached ones
    }
    return ScoreParts(
        found,
        axes,
        facts,
        identity_error=error,
        main="dimensions",
        positions=tuple(reached.tolist()),
        word=trace.tokens.labels[at.query],
    )


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
    """Return the labels of the writers of the query and the key, and the score [N, M] that each two add."""
    stream, weights = ResidualStream(trace, model, reporter), model.weights(at.layer)
    sides = []
    for token, dense in ((at.query, weights.query), (at.key, weights.key)):
        writers, parts = stream.read(token, at.layer)
        columns = slice(at.head * trace.head_width, (at.head + 1) * trace.head_width)
        weight: Doubles = array(dense.weight).T[:, columns]  # [D, E]
        bias = bias_of(dense, dense.weight.shape[0])[columns]
        sides.append(((*(writer.label for writer in writers), "bias"), np.vstack([parts @ weight, bias])))
    (names, queries), (others, keys) = sides
    table: Doubles = queries @ keys.T * trace.scale
    return (names, others), table


@dataclass(frozen=True)
class LogitParameters:
    """`position` None: the first masked token, else the first one; `answer` None: the likeliest piece.

    `against`: another piece, whose logit is taken off; the parts are then those of the difference.
    """

    position: Annotated[int | None, Index("token"), Message("Position of the predicted token")] = None
    answer: Annotated[str | None, Message("Piece; empty: the likeliest")] = None
    against: Annotated[str | None, Message("Less that of this piece; empty: none")] = None


def _refuses(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    return refuse_without_masked_head(form, task_heads) or refuse_whole_layers(form, task_heads)


@analysis(
    key="direct-logits",
    title=Message("Direct contributions to a logit"),
    summary=Message("What each head and each feed-forward part adds to the logit of a predicted piece."),
    limits=Message("What a part does through later parts is not counted as its own."),
    paper="Elhage et al. 2021, A Mathematical Framework for Transformer Circuits",
    needs=Needs.MODEL | Needs.TASK_HEAD | Needs.OWN_STATES,
    refuses=_refuses,
)
def direct_logits(inputs: Inputs, parameters: LogitParameters, reporter: Reporter) -> LogitParts:
    """Return what each part of the model adds to one logit without going through any later part.

    The last vector of the token is the sum of what heads, feed-forward parts, embeddings and biases wrote
    (see `ResidualStream`); each is sent through the task head with its norm and activation taken as given.
    The parts add up to the logit: how far they are off is the `identity_error`.

    "heads" [L, H], "feed_forward" [L], "biases" [L]; the facts "embeddings", "task head" and "logit" are the
    rest and the sum. Of the difference of two logits all of them are differences, and "against" is the other
    piece.

    Raises SelectionError for a token that the trace does not have, and TextError for a piece that is not in
    the vocabulary.

    Direct paths are those of Elhage et al.; the task head is read as by nostalgebraist 2020, "interpreting
    GPT: the logit lens".
    """
    trace, model = inputs.trace, inputs.opened
    head = model.masked_head
    assert head is not None, "without one the analysis is refused"
    position = predicted_token(inputs, parameters.position) or 0
    logits = model.logits(trace, [position]).masked
    assert logits is not None
    piece = int(logits[0].argmax()) if parameters.answer is None else model.piece_id(parameters.answer)
    against = None if parameters.against is None else model.piece_id(parameters.against)
    writers, parts = ResidualStream(trace, model, reporter).at(position, trace.n_layers)
    of_parts, of_head = _through(head, parts, piece)
    logit = float(logits[0, piece])
    if against is not None:
        less, less_of_head = _through(head, parts, against)
        of_parts, of_head, logit = of_parts - less, of_head - less_of_head, logit - float(logits[0, against])
    named, embedded = _by_kind(writers, of_parts, trace)
    layers = counted("layer", trace.n_layers)
    reporter.progress(1)
    return LogitParts(
        named,
        {"heads": (layers, counted("head", trace.n_heads)), "feed_forward": (layers,), "biases": (layers,)},
        {
            "token": trace.tokens.pieces[position],
            "piece": model.pieces([piece])[0],
            **({} if against is None else {"against": model.pieces([against])[0]}),
            "embeddings": embedded,
            "task head": of_head,
            "logit": logit,
        },
        identity_error=abs(float(of_parts.sum()) + of_head - logit),
        main="heads",
    )


def _by_kind(writers: list[Writer], values: Doubles, trace: Trace) -> tuple[dict[str, Floats], float]:
    """Return the values [N] of writers as arrays by kind, and the sum of those of the embeddings."""
    heads = np.zeros((trace.n_layers, trace.n_heads), np.float32)
    fed, biases = np.zeros(trace.n_layers, np.float32), np.zeros(trace.n_layers, np.float32)
    embedded = 0.0
    for writer, value in zip(writers, values.tolist(), strict=True):
        if writer.kind == "head":
            heads[writer.layer, writer.head] += value
        elif writer.kind == "feed-forward":
            fed[writer.layer] += value
        elif writer.layer >= 0:
            biases[writer.layer] += value
        else:
            embedded += value
    return {"heads": heads, "feed_forward": fed, "biases": biases}, embedded


def _through(head: MaskedHeadWeights, parts: Doubles, piece: int) -> tuple[Doubles, float]:
    """Return the contribution of each part [N] to a piece's logit, and that of the task head's biases."""
    import torch

    rest = np.zeros((1, parts.shape[1]))
    for layer in head.layers[:-1]:
        dense = array(layer.weight).T
        parts, rest = parts @ dense, rest @ dense + bias_of(layer, dense.shape[1])
        if head.activation is not None:
            total = parts.sum(0) + rest[0]
            active = array(head.activation(torch.from_numpy(total)))
            factors = np.divide(active, total, out=np.zeros_like(total), where=total != 0)
            parts, rest = parts * factors, rest * factors
    if head.norm is not None:
        norm = Norm.of(head.norm)
        spread = norm.spread((parts.sum(0) + rest[0])[None])
        parts, rest = norm.linear(parts, spread), norm.linear(rest, spread) + norm.bias
    last = head.layers[-1]
    row = array(last.weight[piece])
    of_head = float(rest[0] @ row) + float(bias_of(last, len(last.weight))[piece])
    return parts @ row, of_head
