"""What task heads predict of the last and of every layer (the logit lens), and the self-test."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import numpy as np

from bertviz_app.analysis.compare import refuse_large
from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, Refusal, analysis
from bertviz_app.analysis.parameters import Index, NoParameters, Range, Reporter, reported
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted, plain_quantity
from bertviz_app.analysis.predictions import TOP, Outcomes, PredictionInput, Predictions, predictions, softmax
from bertviz_app.analysis.probing.blocks import AttentionBlocks, refuse_blocks
from bertviz_app.analysis.probing.passes import refuse_without_masked_head, worst
from bertviz_app.analysis.results import LayerRankings, NamedArrays, first_masked
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point, TapAt
from bertviz_app.trace.provenance import HEADS
from bertviz_app.types import Doubles, Floats, Indices, Tensor
from bertviz_app.values import dataclass


@dataclass(frozen=True)
class PredictionParameters:
    """`positions`: the tokens for which pieces are named, the masked ones if it is None; `top`: how many."""

    positions: Annotated[tuple[int, ...] | None, Index("token"), Message("Positions of tokens")] = None
    top: Annotated[int, Range(1, 1000), Message("Number of pieces")] = TOP


def predict(
    model: ModelAccess, trace: Trace, positions: Sequence[int] | None = None, top: int = TOP
) -> Predictions:
    """Return what all task heads of the checkpoint that made a trace predict of it.

    For `positions`, by default the tokens that are masked, the `top` likeliest pieces are named.
    Probabilities are from 0 to 1; there is nothing of task heads that the checkpoint does not have. Raises
    SelectionError for a position that the trace does not have.
    """
    inputs = PredictionInput(
        trace.tokens, model.written_ids(trace), lambda number: model.pieces([number])[0], model.mask_id
    )
    chosen = inputs.masked() if positions is None else positions
    inputs.validate(chosen)
    return predictions(model.logits(trace, chosen), inputs, chosen, top)


@analysis(
    key="predictions",
    place=("predictions", 1),
    title=Message("Predictions"),
    summary=Message("What the task heads of the checkpoint expect, as probabilities."),
    limits=Message(
        "A probability is the model's own; how often the model is right at it is another question."
    ),
    paper="Devlin et al. 2019, arXiv:1810.04805, sections 3.1 and 4.1; Clark et al. 2020, arXiv:2003.10555",
    needs=Needs.MODEL | Needs.TASK_HEAD,
)
def task_predictions(inputs: Inputs, parameters: PredictionParameters, reporter: Reporter) -> Outcomes:
    """Return the outcomes of all task heads [N], probabilities from 0 to 1: see `predict`."""
    found = predict(inputs.opened, inputs.trace, parameters.positions, parameters.top)
    reporter.progress(1)
    return Outcomes(found)


@analysis(
    key="logits",
    place=("predictions", 2),
    title=Message("Logits"),
    summary=Message("The numbers of each task head before they become probabilities."),
    limits=Message("Logits of one task head can be compared with each other, not with those of another."),
    paper="Devlin et al. 2019, arXiv:1810.04805, sections 3.1 and 4.1; Clark et al. 2020, arXiv:2003.10555",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=Refusal(
        lambda form, task_heads: not task_heads,
        Message("This checkpoint has no task head, and so no logits."),
        Message("Open one that was saved with a task head."),
        "task head",
    ),
)
def task_logits(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return the logits of each task head by its name, such as "masked" [T, V] or "classes" [N]."""
    logits = inputs.opened.logits(inputs.trace)
    reporter.progress(1)
    tokens = Axis("token", inputs.trace.tokens.pieces)
    found = {name: array for name in HEADS if (array := getattr(logits, name)) is not None}
    last = {name: counted("class", array.shape[-1]) for name, array in found.items()}
    for name in ("classes", "token_labels"):
        if name in found and len(logits.labels) == found[name].shape[-1]:
            last[name] = Axis("class", tuple(logits.labels))
    if "answer" in found:
        last["answer"] = Axis("end of the answer", ("start", "end"))
    axes = {name: (tokens, last[name]) if array.ndim == 2 else (last[name],) for name, array in found.items()}
    if "replaced" in found:
        axes["replaced"] = (tokens,)
    drawn = tuple(_highest(inputs.opened, name, found[name], axes[name]) for name in found)
    return NamedArrays(found, axes, main=next(iter(found)), drawn=drawn)


def _highest(model: ModelAccess, name: str, logits: Floats, axes: tuple[Axis, ...]) -> Picture:
    """Return the logits of a task head as bars, the highest first: of each token, or of the text."""
    *of, last = axes
    if not of and last.name == "token":
        return Picture(name, "bars", logits, axes, plain_quantity(logits))
    order = np.argsort(-logits, axis=-1, kind="stable")[..., :TOP]
    names = (
        model.pieces(order.ravel().tolist()) if name == "masked" else [last.labels[at] for at in order.flat]
    )
    highest: Floats = np.take_along_axis(logits, order, -1)
    return Picture(
        key=name,
        mark="bars",
        values=highest,
        axes=(*of, Axis("rank", tuple(str(rank + 1) for rank in range(order.shape[-1])))),
        quantity=plain_quantity(highest),
        text=np.array(names, np.str_).reshape(order.shape),
        start={"token": first_masked(of[0].labels)} if of else {},
    )


TOKENS_AT_ONCE = 16
"""The logits of so many tokens are in memory at a time, and between two checks."""


@dataclass(frozen=True)
class LensParameters:
    """`top`: how many pieces are named; `piece`: one that is followed besides, whatever its rank.

    `against`: another piece; by how much the logit of `piece` is above its own is told for each state.
    """

    top: Annotated[int, Range(1, 100), Message("Number of pieces")] = 5
    piece: Annotated[str | None, Message("Piece to follow")] = None
    against: Annotated[str | None, Message("Piece that it is set against; empty: none")] = None


@analysis(
    key="logit-lens",
    place=("predictions", 3),
    title=Message("Logit lens"),
    summary=Message("Which pieces the task head would predict at each token from the vectors of each layer."),
    limits=Message(
        "The task head was trained on the last layer only: what it reads earlier need not be meant."
    ),
    paper="nostalgebraist 2020, interpreting GPT: the logit lens",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=refuse_without_masked_head,
)
def logit_lens(inputs: Inputs, parameters: LensParameters, reporter: Reporter) -> LayerRankings:
    """Return the likeliest pieces at each token, if the task head read each hidden state instead of the last.

    [L + 1, T, k], probabilities from 0 to 1; state 0 is that of the embeddings. A piece to follow comes last.
    In a model with a norm on top of its layers, earlier states go through that norm.

    Raises AnalysisError for a piece to set against none.
    """
    model = inputs.opened
    return read_by_layer(inputs, parameters, reporter, lambda state, hidden: model.final_norm(hidden))


def read_by_layer(
    inputs: Inputs,
    parameters: LensParameters,
    reporter: Reporter,
    translated: Callable[[int, Tensor], Tensor],
) -> LayerRankings:
    """Return the likeliest pieces at each token, by the task head on `translated` hidden states.

    [L + 1, T, k], probabilities from 0 to 1. `translated` returns what the head reads [1, T, D] for the
    number of a state and the state; the last state goes into the head as it is.

    Raises AnalysisError for a piece to set against none.
    """
    import torch

    trace, model = inputs.trace, inputs.opened
    followed = None if parameters.piece is None else model.piece_id(parameters.piece)
    against = None if parameters.against is None else model.piece_id(parameters.against)
    if against is not None and followed is None:
        message = Message("There is no piece to set against “{0}”.", parameters.against)
        raise AnalysisError(message, Message("Give the piece to follow, too."))
    top = min(parameters.top, model.config.vocabulary_size)
    values = np.zeros((trace.n_layers + 1, trace.n_tokens, top + (followed is not None)), np.float32)
    ids = np.zeros(values.shape, np.int32)
    apart = None if against is None else np.zeros(values.shape[:2], np.float32)
    for state in reported(range(trace.n_layers + 1), reporter):
        hidden = torch.from_numpy(trace.hidden[state].copy())[None].to(model.token_embeddings.device)
        if state < trace.n_layers:
            hidden = translated(state, hidden)
        for first in range(0, trace.n_tokens, TOKENS_AT_ONCE):
            reporter.check()
            positions = list(range(first, min(trace.n_tokens, first + TOKENS_AT_ONCE)))
            logits = model.task_logits(hidden, None, positions).masked
            assert logits is not None
            if apart is not None:
                apart[state, positions] = (logits[0][:, followed] - logits[0][:, against]).numpy()
            shares = softmax(logits[0].numpy())
            best = _largest(shares, top)
            if followed is not None:
                best = np.hstack([best, np.full((len(best), 1), followed)])
            ids[state, positions] = best
            values[state, positions] = np.take_along_axis(shares, best, -1)
    numbers = np.unique(ids).tolist()
    return LayerRankings(
        trace.tokens.pieces,
        ids,
        values,
        dict(zip(numbers, model.pieces(numbers), strict=True)),
        has_followed=followed is not None,
        against="" if against is None else model.pieces([against])[0],
        differences=apart,
    )


def _largest(shares: Doubles, count: int) -> Indices:
    """Return the indices [n, count] of the largest `shares` [n, V] of each row, the largest first."""
    some = np.argpartition(-shares, count - 1, axis=-1)[:, :count]
    order = np.argsort(-np.take_along_axis(shares, some, -1), axis=-1, kind="stable")
    return np.take_along_axis(some, order, -1)


ROWS, AGAIN, WEIGHTS, PARTS, EXACT = "rows", "again", "weights", "parts", "exact"
"""The names of the checks."""


LIMITS: Mapping[str, float] = {ROWS: 1e-6, AGAIN: 1e-4, WEIGHTS: 1e-5, PARTS: 1e-4, EXACT: 1e-3}
"""The largest difference that rounding explains in each check, in their order.

"parts" is left out where a token has two value vectors.
"""


@analysis(
    key="self-test",
    place=("numbers", 1),
    title=Message("Self-test"),
    summary=Message(
        "Whether the numbers of this run keep the identities that they must keep, and how far each is off."
    ),
    limits=Message("It tests the program's arithmetic, not whether the checkpoint is a good model."),
    paper="Vaswani et al. 2017, arXiv:1706.03762, section 3.2",
    needs=Needs.MODEL,
)
def self_test(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return how far the numbers of a run are from what they must be.

    Differences of hidden states and of parts are divided by the largest number of the state, and of the
    vectors that the attention block returns, since rounding grows with it.

    "values" [N], the differences, and "limits" [N], what is explained by rounding: "rows": each row of
    attention sums to 1; "again": a second pass with attention written out gives the same hidden states;
    "weights": and the same weights as the trace, which computes them from queries and keys; "parts": in each
    layer the parts of all tokens add up to what the attention block returns; "exact": a pass in float64 gives
    the same hidden states.

    Raises AnalysisError for a run in bfloat16, and for a text whose attention in one layer would take more
    than 2 GiB.

    The limits are ours.
    """
    trace, model = inputs.trace, inputs.opened
    if trace.provenance.dtype != "float32":
        message = Message("The self-test is of numbers in float32; this text was encoded in bfloat16.")
        raise AnalysisError(message, Message("Encode it in float32."))
    refuse_large(trace, 2 * 4 * trace.n_heads * trace.n_tokens**2)
    found = dict.fromkeys((ROWS, AGAIN, WEIGHTS), 0.0)

    def compare(point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Compare the weights and the output of a layer: those of all layers would fill the memory."""
        numbers = tensor[0].float().cpu().numpy()
        if point is Point.WEIGHTS:
            apart = np.abs(numbers - trace.attention(layer))[list(trace.heads_of(layer))].max(initial=0)
            found[WEIGHTS] = worst(found[WEIGHTS], float(apart))
        else:
            found[AGAIN] = worst(found[AGAIN], _difference(numbers, trace.hidden[layer + 1]))
            reporter.progress((layer + 1) / (2 * trace.n_layers))
        return tensor

    model.forward([trace.tokens], TapAt({Point.WEIGHTS, Point.OUTPUT}, compare))
    for layer in range(trace.n_layers):
        reporter.check()
        sums = trace.attention(layer).sum(-1, dtype=np.float64)[list(trace.heads_of(layer))]
        found[ROWS] = worst(found[ROWS], float(np.abs(sums - 1).max(initial=0)))
    if refuse_blocks(trace.form, model.task_heads) is None:
        found[PARTS], blocks = 0.0, AttentionBlocks(inputs)
        for layer in range(trace.n_layers):
            blocks.error = 0.0
            deque(blocks.normed(layer, reporter), maxlen=0)
            found[PARTS] = worst(found[PARTS], blocks.error / blocks.scale(layer))
    exact = model.exact_hidden(trace.tokens)
    found[EXACT] = worst(*(_difference(*states) for states in zip(exact, trace.hidden, strict=True)))
    reporter.progress(1)
    return _checked(found)


def _checked(found: dict[str, float]) -> NamedArrays:
    """Return the differences that were `found`, by the names of their checks, beside the limits of these."""
    checks = tuple(check for check in LIMITS if check in found)
    axis = (Axis("check", checks),)
    words = {
        ROWS: Message("Rows add up to 1"),
        AGAIN: Message("A second pass agrees"),
        WEIGHTS: Message("Weights agree with the pass"),
        PARTS: Message("Parts add up to the whole"),
        EXACT: Message("Float64 agrees"),
    }
    values = np.array([found[check] for check in checks], np.float32)
    limits = np.array([LIMITS[check] for check in checks], np.float32)
    return NamedArrays(
        {"values": values, "limits": limits},
        {"values": axis, "limits": axis},
        {"passed": int((values <= limits).sum()), "checks": len(checks)},
        identity_error=float(values.max()),
        drawn=(
            Picture(
                key="values",
                mark="bars",
                values=values / limits,
                axes=axis,
                quantity=Quantity("", 0),
                title=Message("Largest difference, as a share of the limit of rounding"),
                words=words,
                baseline=np.ones_like(values),
                marked=values > limits,
                top=max(1.0, float((values / limits).max(initial=0.0))),
                details=lambda at: [
                    Message(
                        "difference {0}, limit {1}",
                        *(f"{each[at['check']]:.1e}" for each in (values, limits)),
                    )
                ],
            ),
        ),
    )


def _difference(a: Doubles | Floats, b: Floats) -> float:
    """Return the largest difference of two arrays, as a share of the largest number if that is above 1."""
    return float(np.abs(a - b).max()) / max(1.0, float(np.abs(b).max()))
