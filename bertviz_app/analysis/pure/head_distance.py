"""How different heads are: the Jensen-Shannon divergence between each two, and a map of them."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.axes import Axis
from bertviz_app.analysis.entry import Inputs, analysis
from bertviz_app.analysis.matrices import refuse_large
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadMap
from bertviz_app.errors import Message
from bertviz_app.types import Doubles, Floats

_NUMBERS_AT_ONCE = 1 << 20
"""So many logarithms are between two checks: some 10 ms."""


@analysis(
    key="head-distance",
    title=Message("Distances between heads"),
    summary=Message("How different the attention of each two heads is on this text, and a map of the heads."),
    limits=Message("It depends on the text: heads that differ elsewhere may look alike here."),
    paper="Clark et al. 2019, arXiv:1906.04341, section 6",
)
def head_distance(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadMap:
    """Return how far the attention of each head is from that of each other, and points for them on a map.

    The distance of two heads is the sum over queries of the Jensen-Shannon divergence of their rows, which
    are smoothed: 0.999 of the row and 0.001 of equal weights. On the map, made by classical scaling,
    distances are as near to these as two dimensions allow.

    "values" [L * H, L * H] in nats, from 0 to T ln 2; "map" [L * H, 2].

    The map is that of Torgerson 1952, doi:10.1007/BF02288916.
    """
    trace = inputs.trace
    n_heads, n_tokens = trace.n_layers * trace.n_heads, trace.n_tokens
    refuse_large(trace, 8 * n_heads * n_tokens**2)
    rows = np.empty((n_heads, n_tokens, n_tokens))
    for layer in range(trace.n_layers):
        reporter.check()
        rows[layer * trace.n_heads : (layer + 1) * trace.n_heads] = trace.attention(layer)
    rows *= 0.999
    rows += 0.001 / n_tokens
    found = _divergences(rows, reporter)
    names = tuple(f"{layer}.{head}" for layer in range(trace.n_layers) for head in range(trace.n_heads))
    heads = Axis("head", names)
    return HeadMap(
        {"values": found.astype(np.float32), "map": map_of(found)},
        {"values": (heads, Axis("other head", names)), "map": (heads, Axis("dimension", ("x", "y")))},
    )


def _divergences(rows: Doubles, reporter: Reporter) -> Doubles:
    """Return the sums of Jensen-Shannon divergences [N, N] of rows [N, T, T] without zeros."""
    n_heads = len(rows)
    entropies = np.empty(n_heads)
    for at, row in enumerate(rows):
        reporter.check()
        entropies[at] = -(row * np.log(row)).sum()
    found = np.zeros((n_heads, n_heads))
    at_once = max(1, _NUMBERS_AT_ONCE // rows[0].size)
    for a in range(n_heads):
        for first in range(a + 1, n_heads, at_once):
            reporter.check()
            some = slice(first, first + at_once)
            middle = (rows[a] + rows[some]) / 2
            of_middle = -(middle * np.log(middle)).sum((-1, -2))
            found[a, some] = np.maximum(of_middle - (entropies[a] + entropies[some]) / 2, 0)
        reporter.progress((a + 1) / n_heads)
    return found + found.T


def map_of(distances: Doubles) -> Floats:
    """Return a point [N, 2] for each of N things whose distances [N, N] are given, by classical scaling.

    The signs are chosen so that the largest coordinate of each axis is above 0.
    """
    squared = distances**2
    centred = squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    coordinates = np.zeros((len(distances), 2))
    for axis in range(min(2, len(distances))):
        column = vectors[:, -1 - axis] * np.sqrt(max(values[-1 - axis], 0))
        coordinates[:, axis] = column * np.sign(column[np.abs(column).argmax()] or 1)
    return coordinates.astype(np.float32)
