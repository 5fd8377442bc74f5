"""Vectors compared: those of two words and of two texts, and the queries and keys of a head on one map."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from bertviz_app.analysis.compare import GAP, align_tokens
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.pairs import attention_row
from bertviz_app.analysis.parameters import Choice, Index, NoParameters, Range, Reporter, reported
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted
from bertviz_app.analysis.picture import Index as CellIndex
from bertviz_app.analysis.results import NamedArrays, WordPair
from bertviz_app.analysis.vectors import pca, text_cosines
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats, Indices
from bertviz_app.typeset import fixed, signed
from bertviz_app.values import dataclass


@dataclass(frozen=True)
class WordParameters:
    """`token` of the run itself, `beside` of the run that it is compared with, or of the same run.

    Without them it is the longest word that occurs in both runs, or twice in one. `layer`: whose attention is
    shown.
    """

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0
    token: Annotated[int | None, Index("token"), Message("Position of the token")] = None
    beside: Annotated[int | None, Range(0), Message("Position of the token it is compared with")] = None
    is_within: Annotated[bool, Message("Both tokens are of the same text")] = False


@analysis(
    key="word-cosines",
    place=("two runs", 1),
    title=Message("Two words compared"),
    summary=Message(
        "The cosine of the vectors of two tokens in every layer, of two texts or of one, and what each looks "
        "at."
    ),
    limits=Message(
        "All vectors of a layer may be alike: compare with the mean of all pairs of tokens. The attention is "
        "the mean of all heads."
    ),
    paper="Ethayarajh 2019, arXiv:1909.00512, section 3.3",
    needs=Needs.STATES,
    compares=lambda parameters: not parameters.is_within,
)
def word_cosines(inputs: Inputs, parameters: WordParameters, reporter: Reporter) -> WordPair:
    """Return "cosine" [L + 1] of the hidden states of two tokens, from -1 to 1; state 0 are the embeddings.

    Also "mean" [L + 1], that of all pairs of tokens of the two texts without special ones and without a token
    and itself; "looks" [T] and "other_looks", the weights of the two tokens in a layer, means over its heads.
    Without a second run the two tokens are of the same text. Raises AnalysisError for runs of another width
    or another number of layers.
    """
    is_within = parameters.is_within or inputs.other is None
    trace = inputs.trace
    other = trace if is_within else inputs.second
    if trace.hidden.shape[::2] != other.hidden.shape[::2]:
        message = Message("The hidden states of the two runs have no cosines: their models differ in size.")
        raise AnalysisError(message, Message("Compare two runs of one checkpoint."))
    at, there = _words(trace, other, parameters, is_within=is_within)
    cosine, mean = _cosines(trace, other, (at, there), reporter, is_within=is_within)
    layer = min(parameters.layer, trace.n_layers - 1)
    named = {
        "cosine": cosine,
        "mean": mean,
        "looks": _looks(trace, layer, at),
        "other_looks": _looks(other, layer, there),
    }
    states = (Axis("state", tuple(map(str, range(len(cosine))))),)
    axes = {
        "cosine": states,
        "mean": states,
        "looks": (Axis("token", trace.tokens.pieces),),
        "other_looks": (Axis("other_token", other.tokens.pieces),),
    }
    facts = {"token": at, "other": there, "layer": layer, "is_within": int(is_within)}
    words = trace.tokens.labels[at], other.tokens.labels[there]
    return WordPair(named, axes, facts, main="cosine", words=words)


def _words(trace: Trace, other: Trace, given: WordParameters, *, is_within: bool) -> tuple[int, int]:
    """Return the positions of the two tokens: those that are given, the others chosen.

    That is the longest token that both have; without one the first word of each, or the first two.
    """
    if given.token is not None:
        at = token_at(trace.tokens, given.token)
    else:
        words, pieces = np.flatnonzero(~trace.tokens.is_special).tolist(), trace.tokens.pieces
        of_both = (
            each
            for each in sorted(words, key=lambda each: -len(pieces[each]))
            if other.tokens.pieces[there := _counterpart(trace, other, each, is_within=is_within)]
            == pieces[each]
            and (there != each or not is_within)
        )
        at = next(of_both, words[0] if words else 0)
    if given.beside is not None:
        return at, token_at(other.tokens, given.beside)
    return at, _counterpart(trace, other, at, is_within=is_within)


def _counterpart(trace: Trace, other: Trace, at: int, *, is_within: bool) -> int:
    """Return the token that corresponds to one: aligned, else an equal one, else the first word."""
    piece, pieces = trace.tokens.pieces[at], other.tokens.pieces
    if not is_within:
        aligned = int(align_tokens(trace.tokens, other.tokens).to_b[at])
        if aligned != GAP:
            return aligned
    there = [each for each in range(len(pieces)) if not is_within or each != at]
    equal = [each for each in there if pieces[each] == piece]
    words = [each for each in there if not other.tokens.is_special[each]]
    return int((equal or words or there or [at])[0])


def _cosines(
    trace: Trace, other: Trace, pair: tuple[int, int], reporter: Reporter, *, is_within: bool
) -> tuple[Floats, Floats]:
    """Return the cosine of a pair and the mean of all pairs of words, in every state: [L + 1] each."""
    words = [np.flatnonzero(~run.tokens.is_special) for run in (trace, other)]
    cosine, mean = (np.zeros(len(trace.hidden), np.float32) for _ in range(2))
    for state in reported(range(len(trace.hidden)), reporter):
        wide = (run.hidden[state].astype(np.float64) for run in (trace, other))
        of_a, of_b = (each / np.maximum(np.linalg.norm(each, axis=-1, keepdims=True), 1e-30) for each in wide)
        cosine[state] = of_a[pair[0]] @ of_b[pair[1]]
        sides = of_a[words[0]].sum(0), of_b[words[1]].sum(0)
        same = len(words[0]) if is_within else 0  # a token is as itself
        n_pairs = len(words[0]) * len(words[1]) - same
        mean[state] = (sides[0] @ sides[1] - same) / n_pairs if n_pairs else np.nan
    return np.clip(cosine, -1, 1), mean


def _looks(trace: Trace, layer: int, token: int) -> Floats:
    rows = [attention_row(trace, layer, head, token) for head in trace.heads_of(layer)]
    found: Floats = np.stack(rows).mean(0, dtype=np.float64).astype(np.float32)
    return found


@analysis(
    key="text-cosines",
    place=("two runs", 5),
    title=Message("Similarity of two texts"),
    summary=Message("The cosine between two texts by each vector that may stand for a text."),
    limits=Message(
        "Only a vector that a checkpoint was trained to compare tells how alike two texts are in meaning: "
        "mostly the sentence vector of sentence-transformers."
    ),
    paper="Reimers and Gurevych 2019, arXiv:1908.10084, section 3",
    needs=Needs.SECOND_RUN | Needs.STATES,
)
def similarity_of_texts(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return "cosine" [N], from -1 to 1, by each of N vectors that both texts have: see `text_cosines`.

    Of a ColBERT also "mean MaxSim": the mean over the tokens of the first text of the largest cosine with a
    token of the second, by their `token_vectors`. Khattab & Zaharia 2020, arXiv:2004.12832, section 3.3, take
    the sum.
    """
    reporter.check()
    found, tokens = text_cosines(inputs.trace, inputs.second), inputs.trace.token_vectors
    reporter.check()
    others = inputs.second.token_vectors
    if tokens is not None and others is not None and tokens.shape[1] == others.shape[1]:
        found["mean MaxSim"] = float((tokens @ others.T).max(1).mean())
    cosines = np.array(list(found.values()), np.float32)
    axes = (Axis("vector", tuple(found)),)
    words = {
        "pooled": Message("pooled vector"),
        "mean": Message("mean of all tokens"),
        "sentence": Message("sentence vector"),
        "cls": Message("vector of [CLS]"),
    }
    unit, title = Quantity("", -1, 1), Message("Cosine")
    drawn = (Picture("cosine", "bars", cosines, axes, unit, title, words, top=1.0),)
    return NamedArrays({"cosine": cosines}, {"cosine": axes}, main="cosine", drawn=drawn)


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
