"""Attention weights under interventions: equal weights in a whole head, and rows with single weights set."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.errors import AppError, InterventionError, Message, SelectionError
from bertviz_app.text.edits import Edits, StateIntervention
from bertviz_app.trace.indexing import validate_token
from bertviz_app.types import Bools, Floats, Indices
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.trace.bias import Rectangle
    from bertviz_app.trace.trace import Trace


@dataclass(frozen=True)
class SetRow:
    """The weights that are set in one row of a head. Dropped tokens do not count in its positions."""

    layer: int
    head: int
    query: int
    keys: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def rest(self) -> float:
        """The share of the row that is left for the other weights, from 0 to 1."""
        return max(0.0, 1 - sum(self.weights))


def set_rows(edits: Edits) -> tuple[SetRow, ...]:
    """Return the rows in which weights are set, without the weights of dropped tokens."""
    rows: dict[tuple[int, int, int], dict[int, float]] = defaultdict(dict)
    for one in edits.cells:
        query, key = edits.position_read(one.query), edits.position_read(one.key)
        if query is not None and key is not None:
            rows[one.layer, one.head, query][key] = one.weight
    return tuple(SetRow(*at, tuple(found), tuple(found.values())) for at, found in rows.items())


def validate_heads(
    edits: Edits, n_layers: int, n_heads: int, pruned: Collection[tuple[int, int]] = ()
) -> None:
    """Raise SelectionError where `edits` name a head that a model of this size does not have."""
    named = [*edits.muted, *((one.layer, one.head) for one in edits.heads)]
    named += [(one.layer, one.head) for one in edits.cells]
    for layer, head in named:
        if not (0 <= layer < n_layers and 0 <= head < n_heads):
            message = Message(
                "There is no head {0} · {1}: this model's last is {2} · {3}.",
                layer,
                head,
                n_layers - 1,
                n_heads - 1,
            )
            raise SelectionError(message, Message("Layers and heads count from 0."))
        if (layer, head) in pruned:
            message = Message("Head {0} · {1} was pruned from this model.", layer, head)
            raise SelectionError(message, Message("Choose a head that it has."))


def validate_cells(edits: Edits, n_tokens: int) -> None:
    """Raise SelectionError or InterventionError unless the weights of `edits` can be set.

    `n_tokens` is the number of tokens that the encoder reads, without dropped ones.
    """
    n_written = n_tokens + len(edits.dropped)
    for one in edits.cells:
        for token in (one.query, one.key):
            validate_token(token, n_written)
            if token in edits.dropped:
                message = Message("Token {0} is dropped, and has no attention weight to set.", token)
                raise InterventionError(message, Message("Drop another token, or set another weight."))
    for row in set_rows(edits):
        if sum(row.weights) > 1 + 1e-6:
            message = Message(
                "The weights that are set in row {0} of head {1} · {2} add up to more than 1.",
                edits.position_written(row.query),
                row.layer,
                row.head,
            )
            raise InterventionError(message, Message("Give smaller ones."))


def validate_states(edits: Edits, n_layers: int, n_tokens: int) -> None:
    """Raise SelectionError for a state, or a token of this text, that a run of this size does not have."""
    for one in edits.states:
        if not 0 <= one.state <= n_layers:
            raise SelectionError(
                Message("There is no state {0}: this model has states 0 to {1}.", one.state, n_layers),
                Message("State 0 is the output of the embeddings, 1 that of layer 0."),
            )
        validate_token(one.token, n_tokens + len(edits.dropped))
        if one.token in edits.dropped:
            message = Message("Token {0} is dropped, and has no state.", one.token)
            raise InterventionError(message, Message("Drop another token, or put the state elsewhere."))


def validate_source(one: StateIntervention, n_tokens: int) -> None:
    """Raise SelectionError where the text whose state is put in, of `n_tokens`, lacks its token."""
    if not 0 <= one.source_token < n_tokens:
        message = Message(
            "There is no token {0} in “{1}”: it has tokens 0 to {2}.",
            one.source_token,
            one.source,
            n_tokens - 1,
        )
        raise SelectionError(message, Message("Tokens count from 0, special ones among them."))


def validate_edits(trace: Trace) -> None:
    """Raise ValueError for an intervention on a head, a token or a weight that `trace` does not have."""
    edits = trace.edits
    try:
        validate_heads(edits, trace.n_layers, trace.n_heads, trace.pruned)
        validate_cells(edits, trace.n_tokens)
        validate_states(edits, trace.n_layers, trace.n_tokens)
    except AppError as error:
        raise ValueError("a muted head, or a weight that is set, is none of this trace's") from error
    tokens = [at for at, _ in edits.replaced] + [one.token for one in edits.tokens]
    if not all(0 <= at < trace.n_tokens + len(edits.dropped) for at in tokens):
        raise ValueError("a replaced token is none of this trace's")


def validate_reach(trace: Trace) -> None:
    """Raise InterventionError where a weight is set that the encoder never computes."""
    for row in set_rows(trace.edits):
        reachable = trace.scores(row.layer, row.head, [row.query])[0] > -np.inf
        if not reachable[list(row.keys)].all():
            if trace.form.is_causal:
                message = Message(
                    "Head {0} · {1} sees no later tokens: a token of the weight comes after its query.",
                    row.layer,
                    row.head,
                )
                raise InterventionError(message, Message("Choose one that comes before."))
            message = Message(
                "Head {0} · {1} does not attend that far: a token of the weight is outside of its window.",
                row.layer,
                row.head,
            )
            raise InterventionError(message, Message("Choose a token nearby."))
        if len(row.keys) == reachable.sum():
            message = Message("No other weight of this row is left to take the rest.")
            raise InterventionError(message, Message("Leave at least one weight of the row as it is."))


def reached(trace: Trace, layer: int, token: int) -> Bools:
    """Return which states [L, T], after each layer, a change of a token's state after `layer` can reach.

    That of the token itself, and in each later layer all that attend to a token which is reached already: in
    a window those nearby.
    """
    found = np.zeros((trace.n_layers, trace.n_tokens), bool)
    found[layer, token] = True
    for at in range(layer + 1, trace.n_layers):
        if not (heads := trace.heads_of(at)):
            found[at] = found[at - 1]
        elif trace.bias is None:
            found[at] = True
        else:
            finite = (
                trace.scores(at, heads[0]) > -np.inf
            )  # windows are those of a layer, the same in its heads
            found[at] = found[at - 1] | finite[:, found[at - 1]].any(-1)
    return found


def apply_interventions(trace: Trace, weights: Floats, part: Rectangle) -> None:
    """Apply the trace's interventions to the `weights` [..., r, c] of a rectangle, in place."""
    for one in trace.heads:
        if one.kind == "uniform" and (at := index_in(part, one.layer, one.head)) is not None:
            weights[at] = _equal(trace, one.layer, one.head, part.rows)[:, part.columns]
    for row in set_rows(trace.edits):
        if (at := index_in(part, row.layer, row.head)) is not None:
            for index in np.flatnonzero(part.rows == row.query):
                weights[(*at, int(index))] = _with_set(*_row(trace, row), row)[part.columns]


def changes_weights(trace: Trace, layer: int) -> bool:
    """Return whether interventions change attention weights in `layer`."""
    uniform = {one.layer for one in trace.heads if one.kind == "uniform"}
    return layer in uniform | {one.layer for one in trace.cells}


def index_in(part: Rectangle, layer: int, head: int) -> tuple[int, ...] | None:
    """Return the index of a head in the leading axes of a rectangle, None if the head is not in it."""
    if part.layer not in (None, layer) or part.head not in (None, head):
        return None
    chosen = zip((part.layer, part.head), (layer, head), strict=True)
    return tuple(number for requested, number in chosen if requested is None)


def _equal(trace: Trace, layer: int, head: int, rows: Indices) -> Floats:
    """Return weights [r, T] that are equal over the keys that each query can attend to."""
    if trace.bias is None:
        return np.full((len(rows), trace.n_tokens), 1 / trace.n_tokens, np.float32)
    reachable = (trace.scores(layer, head, rows) > -np.inf).astype(np.float32)
    found: Floats = reachable / reachable.sum(-1, keepdims=True)
    return found


def _row(trace: Trace, row: SetRow) -> tuple[Floats, Bools]:
    """Return the weights [T] of a row before some are set, and which keys the query can attend to."""
    at = np.array([row.query])
    head = trace.edits.head_at(row.layer, row.head)
    scores = trace.scores(row.layer, row.head, at)[0]
    if head is not None and head.kind == "uniform":
        equal: Floats = _equal(trace, row.layer, row.head, at)[0]
        return equal, scores > -np.inf
    weights: Floats = np.exp(scores - scores.max())
    weights /= weights.sum()
    return weights, scores > -np.inf


def _with_set(weights: Floats, reachable: Bools, row: SetRow) -> Floats:
    """Return the weights [T] of a row with some set; the other reachable keys share the rest, as before."""
    is_other = reachable.copy()
    is_other[list(row.keys)] = False
    rest = np.where(is_other, weights, 0)
    if not rest.any():
        rest = is_other.astype(np.float32)
    found: Floats = (rest / rest.sum() * row.rest).astype(np.float32)
    found[list(row.keys)] = row.weights
    return found
