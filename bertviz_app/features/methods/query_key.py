"""A map of one head's queries and keys together: near each other where the score is high."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Choice, Index, Reporter
from bertviz_app.analysis.picture import (
    Axis,
    Index as CellIndex,
    Picture,
    Quantity,
    counted,
)
from bertviz_app.analysis.results import (
    NamedArrays,
)
from bertviz_app.analysis.vectors import pca
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Indices
from bertviz_app.typeset import fixed, signed
from bertviz_app.values import dataclass


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryKeyMap(NamedArrays):
    """Queries and keys of one head as points "values" [2 N, 2] of a plane, the N queries first.

    `labels` and `positions`: of the N tokens. `colours`: whether the picture colours points by their "role",
    query or key, or by their "position": the quarter of the text.
    """

    labels: tuple[str, ...] = ()
    positions: tuple[int, ...] = ()
    colours: str = "role"

    def pictures(self) -> tuple[Picture, ...]:
        """Return the points, those of keys as rings; a token that is selected is marked as both."""
        n_tokens, roles = len(self.labels), (Message("query"), Message("key"))
        quarters = (
            Message("first quarter"),
            Message("second quarter"),
            Message("third quarter"),
            Message("last quarter"),
        )
        of_role = [role for role in roles for _ in range(n_tokens)]
        of_place = [quarters[4 * at // n_tokens] for at in range(n_tokens)]
        points = Axis("query or key", self.labels * 2)
        is_key = np.arange(2 * n_tokens) >= n_tokens

        def token_at(index: CellIndex) -> tuple[int, int]:
            """Return 1 for a key, else 0, and the position of its token in the text."""
            role, at = divmod(index[points.name], n_tokens)
            return role, self.positions[at]

        def details(index: CellIndex) -> tuple[str, ...]:
            role, position = token_at(index)
            return (Message("{0} at position {1}", roles[role], position),)

        return (
            Picture(
                key="map",
                mark="points",
                values=self.named["values"],
                axes=(points, Axis("component", ("x", "y"))),
                quantity=Quantity(""),
                title=Message("Map of queries and keys"),
                marked=np.stack([is_key, is_key], 1),
                text=np.stack([np.where(is_key, "key", "query")] * 2, 1),
                groups=tuple(of_role if self.colours == "role" else of_place * 2),
                details=details,
                stands_for=lambda index: {("query", "key")[token_at(index)[0]]: token_at(index)[1]},
                meaning=Message(
                    "The nearer, the higher the score, as far as r is close to −1. Rings are keys."
                ),
            ),
        )

    def findings(self) -> tuple[str, ...]:
        across, up = (f"{share:.1%}" for share in self.named["ratios"].tolist())
        return (
            Message("r = {0}", signed(float(self.facts["correlation"]), 2)),
            Message("across {0}, up {1} of the variance", across, up),
            Message(
                "queries ÷ {0}, keys × {0}, and moved to the mean of the queries: the attention stays "
                "the same",
                fixed(float(self.facts["c"]), 2),
            ),
        )


_FACTORS = np.exp(np.linspace(-np.log(16), np.log(16), 161))
"""The values among which c is chosen: from 1/16 to 16, each by the same factor above the one before."""
_MOST_COMPARED = 512
"""From so many tokens on, c is chosen and the identity measured with some of them, evenly spaced."""


@dataclass(frozen=True)
class QueryKeyParameters:
    """`layer` and `head`: whose queries and keys. `colours`: by what points differ in the picture."""

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0
    head: Annotated[int, Index("head"), Message("Head")] = 0
    leaves_out_special: Annotated[bool, Message("Leave out special tokens")] = False
    colours: Annotated[str, Choice(("role", "position")), Message("Colours")] = "role"


@analysis(
    key="query-key-map",
    place=("heads", 8),
    title=Message("Map of queries and keys"),
    summary=Message(
        "The queries and keys of one head as points in one plane, scaled and moved so that pairs with a high "
        "score tend to be near."
    ),
    limits=Message(
        "Scaling and moving leave the attention as it is, but what all queries share is moved away: a key "
        "that every query looks at is not nearer; and the plane has two directions of many."
    ),
    paper="Yeh et al. 2023, arXiv:2305.03210, section 4 (AttentionViz); by principal components",
    needs=Needs.STATES,
)
def query_key_map(inputs: Inputs, parameters: QueryKeyParameters, reporter: Reporter) -> QueryKeyMap:
    """Return where queries and keys of a head lie in the plane of their first two principal components.

    Queries and keys stand in different parts of the space, with different lengths. Queries are divided by c
    and keys multiplied by it, which changes no score; all keys are then moved by the same vector, so that
    their mean is that of the queries, which adds the same number to all scores of a row and changes no
    weight. c is the one of 161 factors from 1/16 to 16 for which the squared distances of queries and keys
    follow the scores best: whose correlation with the scores, less the mean of their row, is lowest.

    "values" [2 N, 2] are the coordinates, the N queries first; "ratios" [2] the shares of the variance along
    the axes; "moved" [2 N, E] the vectors. The facts are c and the correlation. The identity: the attention
    of the moved vectors is the model's. Raises AnalysisError where there are fewer than two tokens.
    """
    trace, layer, head = inputs.trace, parameters.layer, parameters.head
    trace.scores(layer, head, slice(0, 1), slice(0, 1))  # raises SelectionError
    tokens = np.arange(trace.n_tokens)
    if parameters.leaves_out_special:
        tokens = np.flatnonzero(~trace.tokens.is_special)
    if len(tokens) < 2:
        message = Message("A map of queries and keys needs two tokens.")
        raise AnalysisError(message, Message("Type a longer text, or include special tokens."))
    queries, keys = (vectors[layer, head].astype(np.float64) for vectors in (trace.queries, trace.keys))
    reporter.check()
    own_queries, own_keys = queries[tokens], keys[tokens]
    some = _rows(len(tokens))
    factor, correlation = best_factor(own_queries[some], own_keys[some])
    shift = own_queries.mean(0) / factor - own_keys.mean(0) * factor
    moved = np.concatenate((own_queries / factor, own_keys * factor + shift)).astype(np.float32)
    reporter.check()
    found = pca(moved, check=reporter.check)
    error = _error(trace, (layer, head), queries / factor, keys * factor + shift)
    names = [trace.tokens.labels[at] for at in tokens.tolist()]
    points = Axis(
        "point",
        tuple(
            f"{role} {at} {name}" for role in ("query", "key") for at, name in zip(tokens, names, strict=True)
        ),
    )
    components = counted("component", 2)
    return QueryKeyMap(
        {"values": found.points, "ratios": found.ratios, "moved": moved},
        {
            "values": (points, components),
            "ratios": (components,),
            "moved": (points, counted("dimension", moved.shape[1])),
        },
        {"layer": layer, "head": head, "c": factor, "correlation": correlation},
        identity_error=error,
        labels=tuple(names),
        positions=tuple(tokens.tolist()),
        colours=parameters.colours,
    )


def best_factor(queries: Doubles, keys: Doubles) -> tuple[float, float]:
    """Return c, and the correlation of squared distances and scores, of queries and keys [N, E].

    With both centred, the squared distance of q / c and k c is |q|² / c² + c² |k|² - 2 q·k. The scores, less
    the mean of their row, are those of the queries as they are with centred keys.
    """
    keys = keys - keys.mean(0)
    scores = queries @ keys.T
    queries = queries - queries.mean(0)
    products = queries @ keys.T
    of_queries, of_keys = np.square(queries).sum(-1)[:, None], np.square(keys).sum(-1)
    found = [
        _correlation(of_queries / factor**2 + of_keys * factor**2 - 2 * products, scores)
        for factor in _FACTORS
    ]
    best = int(np.argmin(found))
    return float(_FACTORS[best]), found[best]


def _correlation(one: Doubles, other: Doubles) -> float:
    one, other = one - one.mean(), other - other.mean()
    lengths = float(np.sqrt(np.square(one).sum() * np.square(other).sum()))
    return float((one * other).sum()) / lengths if lengths > 0 else 0.0


def _rows(count: int) -> Indices:
    return np.linspace(0, count - 1, min(count, _MOST_COMPARED)).astype(np.intp)


def _error(trace: Trace, head: tuple[int, int], queries: Doubles, keys: Doubles) -> float:
    """Return by how much a weight of moved queries and keys [T, E] differs from the model's at most.

    Where a score has more than a product, such as a bias of the distance, that stays as it is.
    """
    worst = 0.0
    for row in _rows(trace.n_tokens).tolist():
        own = trace.scores(*head, slice(row, row + 1)).astype(np.float64)[0]
        product = trace.queries[(*head, row)].astype(np.float64) @ trace.keys[head].astype(np.float64).T
        rest = own - trace.scale * product
        moved = trace.scale * (queries[row] @ keys.T) + rest
        worst = max(worst, float(np.abs(_softmax(moved) - _softmax(own)).max()))
    return worst


def _softmax(scores: Doubles) -> Doubles:
    raised = np.exp(scores - scores.max())
    shares: Doubles = raised / raised.sum()
    return shares
