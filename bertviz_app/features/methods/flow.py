"""Attention followed through the layers down to the input: rollout, and the maximum flow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.compare import large_matrices, refuse_large
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index, Range, Reporter, reported
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Picture
from bertviz_app.analysis.results import NamedArrays, TokenMatrices
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_PRODUCTS_AT_ONCE = 1 << 27  # multiplications between two checks: about 20 ms


@dataclass(frozen=True)
class RolloutParameters:
    """`residual`: the share of the residual connection in each layer; the paper takes a half."""

    residual: Annotated[float, Range(0, 1), Message("Share of the residual connection")] = 0.5


@analysis(
    key="attention-rollout",
    place=("layers", 3),
    title=Message("Attention rollout"),
    summary=Message(
        "How much of each input token reaches a token of a layer, if attention and residual connections are "
        "followed down to the input."
    ),
    limits=Message("It takes attention weights for flow: values, feed-forward parts and norms are left out."),
    paper="Abnar & Zuidema 2020, arXiv:2005.00928, section 3",
    refuses_trace=large_matrices,
    needs=Needs.OWN_STATES,
)
def rollout(inputs: Inputs, parameters: RolloutParameters, reporter: Reporter) -> TokenMatrices:
    """Return the rollout R of every layer l, a matrix between its tokens and those of the input.

    R_l = Â_l R_{l-1} with R_{-1} the identity and Â_l = (1 - r) mean_h A_lh + r I: the later layer stands on
    the left. The mean is over the heads whose output depends on their attention: not those that are muted or
    replaced by a mean; where all are, Â_l is the identity.

    [L, T, T], shares from 0 to 1; each row sums to 1.
    """
    trace, n_tokens = inputs.trace, inputs.trace.n_tokens
    at_once = max(1, _PRODUCTS_AT_ONCE // (n_tokens * max(n_tokens, trace.n_heads * trace.head_width)))

    def layers() -> Iterator[Doubles]:
        below: Doubles = np.eye(n_tokens)
        for layer in range(trace.n_layers):
            heads = [
                head for head in trace.heads_of(layer) if (layer, head) not in trace.edits.constant_heads
            ]
            share = parameters.residual if heads else 1.0
            found = np.empty_like(below)
            for first in range(0, n_tokens, at_once):
                reporter.check()
                rows = slice(first, min(n_tokens, first + at_once))
                mixed = np.zeros((rows.stop - first, n_tokens))
                if heads:
                    mixed = (1 - share) * trace.attention(layer, rows=rows)[heads].mean(0, dtype=np.float64)
                mixed[np.arange(len(mixed)), np.arange(first, rows.stop)] += share
                found[rows] = mixed @ below
            below = found
            yield below

    return TokenMatrices.by_layer(trace, layers(), reporter)


MAX_TOKENS = 48
"""For the rows of all tokens of a longer text it takes too long: each pair of tokens needs a maximum flow."""


_BYTES_OF_EDGE = 40
"""Its two nodes and its capacity, in lists by layer and as one array, while the graph is made."""


_UNITS = 1 << 24
"""Capacities are counted in units of 1 / 2 ** 24; int32 holds a flow, which is about 2 ** 24 at most."""


@dataclass(frozen=True)
class FlowParameters:
    """`query`: the token whose row is computed, None for all of up to 48 tokens; `layer` None: the last."""

    query: Annotated[int | None, Index("token"), Message("Position of the query; empty: all")] = None
    layer: Annotated[int | None, Index("layer"), Message("Layer; empty: the last")] = None
    residual: Annotated[float, Range(0, 1), Message("Share of the residual connection")] = 0.5


@analysis(
    key="attention-flow",
    place=("layers", 4),
    title=Message("Attention flow"),
    summary=Message(
        "How much could flow from each input token to a token of a layer, if attention weights were the "
        "widths of pipes."
    ),
    limits=Message(
        "In deep models nearly every token gets the same; values, feed-forward parts and norms are left out."
    ),
    paper="Abnar & Zuidema 2020, arXiv:2005.00928, section 3",
    extra="flow",
    needs=Needs.OWN_STATES,
)
def attention_flow(inputs: Inputs, parameters: FlowParameters, reporter: Reporter) -> NamedArrays:
    """Return the maximum flow from each token of a layer down to each token of the input.

    The edge from token i of layer l to token j of the layer below has the capacity (1 - r) mean_h A_lh[i, j],
    and r more where i = j. Rows are divided by their sums.

    "values" [N, T] for N queries, shares from 0 to 1; each row sums to 1.

    Raises AnalysisError for more than 48 tokens without a query, for a text whose graph would take more than
    2 GiB, and where SciPy is not installed, and SelectionError for a token or a layer that the trace does not
    have.
    """
    trace = inputs.trace
    last = trace.n_layers - 1 if parameters.layer is None else parameters.layer
    if parameters.query is None and trace.n_tokens > MAX_TOKENS:
        message = Message(
            "The flow of all tokens is computed of up to {0} tokens; this text has {1}.",
            MAX_TOKENS,
            trace.n_tokens,
        )
        raise AnalysisError(message, Message("Give the position of one query."))
    query = parameters.query
    queries = range(trace.n_tokens) if query is None else [token_at(trace.tokens, query)]
    trace.attention(last, None, slice(0, 1), slice(0, 1))  # raises SelectionError
    refuse_large(trace, _BYTES_OF_EDGE * (last + 1) * trace.n_tokens**2)
    if find_spec("scipy") is None:
        message = Message("Attention flow needs SciPy, which is not installed.")
        raise AnalysisError(message, Message("Install it: {0}.", "pip install scipy"))
    from scipy.sparse.csgraph import maximum_flow

    n_tokens = trace.n_tokens
    found = np.empty((len(queries), n_tokens))
    graph = _graph(trace, last, parameters.residual, reporter)
    for row, query in enumerate(reported(queries, reporter)):
        for key in range(n_tokens):
            reporter.check()
            source = (last + 1) * n_tokens + query
            found[row, key] = maximum_flow(graph, source, key, method="dinic").flow_value
    found /= found.sum(-1, keepdims=True)
    pieces = trace.tokens.pieces
    axes = (Axis("query", tuple(pieces[at] for at in queries)), Axis("key", pieces))
    shares = found.astype(np.float32)
    title, places = Message("Share of the flow"), tuple(queries)
    drawn = (Picture("flow", "cells", shares, axes, SHARE_OF_ONE, title, positions=places),)
    return NamedArrays({"values": shares}, {"values": axes}, {"layer": last}, drawn=drawn)


def _graph(trace: Trace, last: int, residual: float, reporter: Reporter) -> csr_array:
    """Return the capacities between all nodes: token t of state s, 0 being the input, is node s * T + t."""
    from scipy.sparse import csr_array

    n_tokens = trace.n_tokens
    starts, ends, units = [], [], []
    for layer in range(last + 1):
        reporter.check()
        heads = [head for head in trace.heads_of(layer) if (layer, head) not in trace.edits.constant_heads]
        shares: Doubles = np.eye(n_tokens)  # from the layer to the one below it
        if heads:
            mean: Doubles = trace.attention(layer)[heads].mean(0, dtype=np.float64)
            shares = (1 - residual) * mean + residual * shares
        capacities = np.rint(shares * _UNITS).astype(np.int32)
        above, below = np.nonzero(capacities)
        starts.append((layer + 1) * n_tokens + above)
        ends.append(layer * n_tokens + below)
        units.append(capacities[above, below])
    n_nodes = (last + 2) * n_tokens
    edges = (np.concatenate(starts), np.concatenate(ends))
    return csr_array((np.concatenate(units), edges), shape=(n_nodes, n_nodes), dtype=np.int32)
