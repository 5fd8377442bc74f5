"""The logit lens: what the task head for masked tokens would predict from the vectors of every layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Range
from bertviz_app.analysis.probabilities import softmax
from bertviz_app.analysis.probing.masked_tokens import refuse_without_masked_head
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import LayerRankings
from bertviz_app.errors import Message
from bertviz_app.types import Doubles

TOKENS_AT_ONCE = 16
"""The logits of so many tokens are in memory at a time, and between two checks."""


@dataclass(frozen=True)
class LensParameters:
    """`top`: how many pieces are named; `piece`: one that is followed besides, whatever its rank."""

    top: Annotated[int, Range(1, 100), Message("Number of pieces")] = 5
    piece: Annotated[str | None, Message("Piece to follow")] = None


@analysis(
    key="logit-lens",
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
    """
    import torch

    trace, model = inputs.trace, inputs.opened
    followed = None if parameters.piece is None else model.piece_id(parameters.piece)
    top = min(parameters.top, model.config.vocabulary_size)
    n_pieces = top + (followed is not None)
    values = np.zeros((trace.n_layers + 1, trace.n_tokens, n_pieces), np.float32)
    ids = np.zeros(values.shape, np.int32)
    for state in range(trace.n_layers + 1):
        hidden = torch.from_numpy(trace.hidden[state].copy())[None].to(model.token_embeddings.device)
        if state < trace.n_layers:
            hidden = model.final_norm(hidden)
        for first in range(0, trace.n_tokens, TOKENS_AT_ONCE):
            reporter.check()
            positions = list(range(first, min(trace.n_tokens, first + TOKENS_AT_ONCE)))
            logits = model.task_logits(hidden, None, positions).masked
            assert logits is not None
            shares = softmax(logits[0].numpy())
            best = _largest(shares, top)
            if followed is not None:
                best = np.hstack([best, np.full((len(best), 1), followed)])
            ids[state, positions] = best
            values[state, positions] = np.take_along_axis(shares, best, -1)
        reporter.progress((state + 1) / (trace.n_layers + 1))
    numbers = np.unique(ids).tolist()
    pieces = dict(zip(numbers, model.pieces(numbers), strict=True))
    has_followed = followed is not None
    return LayerRankings(trace.tokens.pieces, ids, values, pieces, has_followed=has_followed)


def _largest(shares: Doubles, count: int) -> NDArray[np.intp]:
    """Return the indices [n, count] of the largest `shares` [n, V] of each row, the largest first."""
    some = np.argpartition(-shares, count - 1, axis=-1)[:, :count]
    order = np.argsort(-np.take_along_axis(shares, some, -1), axis=-1, kind="stable")
    found: NDArray[np.intp] = np.take_along_axis(some, order, -1)
    return found
