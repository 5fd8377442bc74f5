"""What each head and each feed-forward part adds directly to the logit of one piece at one position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.axes import counted
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index
from bertviz_app.analysis.probing.decomposition.blocks import Norm, array, bias_of
from bertviz_app.analysis.probing.decomposition.chained import refuse_whole_layers
from bertviz_app.analysis.probing.decomposition.residual_stream import ResidualStream, Writer
from bertviz_app.analysis.probing.masked_tokens import predicted_token, refuse_without_masked_head
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import LogitParts
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Form
from bertviz_app.types import Doubles, Floats

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import MaskedHeadWeights


@dataclass(frozen=True)
class LogitParameters:
    """`position` None: the first masked token, else the first one; `answer` None: the likeliest piece."""

    position: Annotated[int | None, Index("token"), Message("Position of the predicted token")] = None
    answer: Annotated[str | None, Message("Piece; empty: the likeliest")] = None


def _refuses(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    return refuse_without_masked_head(form, task_heads) or refuse_whole_layers(form, task_heads)


@analysis(
    key="direct-logits",
    title=Message("Direct contributions to a logit"),
    summary=Message("What each head and each feed-forward part adds to the logit of a predicted piece."),
    limits=Message("What a part does through later parts is not counted as its own."),
    paper="Elhage et al. 2021, A Mathematical Framework for Transformer Circuits",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=_refuses,
)
def direct_logits(inputs: Inputs, parameters: LogitParameters, reporter: Reporter) -> LogitParts:
    """Return what each part of the model adds to one logit without going through any later part.

    The last vector of the token is the sum of what heads, feed-forward parts, embeddings and biases wrote
    (see `ResidualStream`); each is sent through the task head with its norm and activation taken as given.
    The parts add up to the logit: how far they are off is the `identity_error`.

    "heads" [L, H], "feed_forward" [L], "biases" [L]; the facts "embeddings", "task head" and "logit" are the
    rest and the sum.

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
    writers, parts = ResidualStream(trace, model, reporter).at(position, trace.n_layers)
    of_parts, of_head = _through(head, parts, piece)
    named, embedded = _by_kind(writers, of_parts, trace)
    layers = counted("layer", trace.n_layers)
    reporter.progress(1)
    return LogitParts(
        named,
        {"heads": (layers, counted("head", trace.n_heads)), "feed_forward": (layers,), "biases": (layers,)},
        {
            "token": trace.tokens.pieces[position],
            "piece": model.pieces([piece])[0],
            "embeddings": embedded,
            "task head": of_head,
            "logit": float(logits[0, piece]),
        },
        identity_error=abs(float(of_parts.sum() + of_head - logits[0, piece])),
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
    """Return what each part [N] adds to the logit of a piece, and what the task head's biases add."""
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
