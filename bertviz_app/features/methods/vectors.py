"""Vectors compared: of two words, of two texts by their tokens and heads, of one head's queries and keys."""

from __future__ import annotations

from collections import deque
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import GAP, Alignment, align_tokens, no_difference
from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, analysis
from bertviz_app.analysis.pairs import attention_row
from bertviz_app.analysis.parameters import Choice, Index, NoParameters, Range, Reporter, reported
from bertviz_app.analysis.picture import Axis, Index as CellIndex, Picture, Quantity, counted
from bertviz_app.analysis.predictions import softmax
from bertviz_app.analysis.probing.blocks import refuse_whole_layers
from bertviz_app.analysis.probing.passes import same_heads, vector_of, worst
from bertviz_app.analysis.results import HeadScalars, NamedArrays, RunMatrix, Scalar, WordPair
from bertviz_app.analysis.vectors import pca, text_cosines
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.methods.decomposition.decompx import FollowedToken, decompositions
from bertviz_app.features.methods.decomposition.stream import Writer, by_kind
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


@analysis(
    key="similarity-pairs",
    place=("two runs", 3),
    title=Message("Similarity by pairs of tokens"),
    summary=Message(
        "What each pair of tokens adds to the cosine of the two sentence vectors; all pairs add up to it."
    ),
    limits=Message(
        "The sum is exact, but the split is not the only one: it depends on how biases are divided."
    ),
    paper="Modarressi et al. 2023, arXiv:2306.02873, for the parts",
    needs=Needs.MODEL | Needs.SECOND_RUN,
    refuses=refuse_whole_layers,
)
def similarity_pairs(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> RunMatrix:
    """Return what each pair of tokens of runs A and B adds to the cosine of their sentence vectors.

    A sentence vector is a weighted sum of the last hidden states, and each of these by `decompositions` the
    sum of one part for each input token: so it is the sum of a part D_k of each input token k, and cos(a, b)
    = sum over k and m of <D_k, D_m> / (|a| |b|). How far the sum is off is the `identity_error`. Which
    pooling declares the checkpoint: that; without any, the mean over all tokens.

    [1, N, M]: rows are tokens of run A, columns those of run B; the sum of all is the cosine.

    Raises AnalysisError for runs of different checkpoints, and for a pooling that is no weighted sum.

    The sum over pairs is ours. Vasileiou & Eberle 2024, arXiv:2405.06604, and Moeller et al. 2023,
    arXiv:2310.05703, split the similarity by other rules.
    """
    trace, other, model = inputs.trace, same_heads(inputs.trace, inputs.second), inputs.opened
    parts = []
    for run in (trace, other):
        reporter.check()
        (last,) = deque(decompositions(run, model, reporter), maxlen=1)
        own: Doubles = np.zeros(last.shape[1:])
        for share, of_token in zip(model.pooling_shares(run).tolist(), last, strict=True):
            reporter.check()
            own += share * of_token
        parts.append(own)
        reporter.check()
    vectors = [vector_of(model, run) for run in (trace, other)]
    lengths = np.prod([np.linalg.norm(vector) for vector in vectors])
    products = parts[0] @ parts[1].T / lengths
    cosine = vectors[0] @ vectors[1] / lengths
    found = products.astype(np.float32)
    reporter.progress(1)
    return RunMatrix.dense(
        found[None],
        trace.tokens.pieces,
        other.tokens.pieces,
        Quantity(""),
        abs(float(products.sum() - cosine)),
    )


@dataclass(frozen=True)
class PairParameters:
    """The pair: `token` of the run itself, `partner` of the run that it is compared with."""

    token: Annotated[int, Index("token"), Message("Position of the token")] = 1
    partner: Annotated[int, Range(0), Message("Position of the token of the other run")] = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class PairParts(HeadScalars):
    """What each head carried of a pair: "both" [L, H] is the mean of "own side" and "other side".

    Together with `feed_forward` [L], `biases` [L] and `embeddings`, which are such means too, "both" adds up
    to `contribution`, what the pair of `tokens` adds to the cosine.
    """

    tokens: tuple[str, str]
    contribution: float
    feed_forward: Floats
    biases: Floats
    embeddings: float

    def findings(self) -> tuple[str, ...]:
        sums = (self.of("both"), self.feed_forward, self.biases)
        parts = [*(signed(float(each.sum()), 4) for each in sums), signed(self.embeddings, 4)]
        return (
            Message("“{0}” – “{1}” add {2} to the cosine", *self.tokens, signed(self.contribution, 4)),
            Message("heads {0}, feed-forward parts {1}, biases {2}, embeddings {3}", *parts),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        rest = {"feed_forward": self.feed_forward, "biases": self.biases}
        return super().arrays() | rest | {"embeddings": np.array(self.embeddings, np.float32)}

    def minus(self, other: Self, alignment: Alignment | None = None) -> Self:
        """Refuse: two pairs of tokens have no difference."""
        raise no_difference()


@analysis(
    key="similarity-heads",
    place=("two runs", 4),
    title=Message("Heads behind a pair of tokens"),
    summary=Message(
        "Which heads and layers carried what one pair of tokens adds to the cosine of the two sentence "
        "vectors."
    ),
    limits=Message(
        "The sum is exact, but only what a head adds directly counts for it: what later layers make of that "
        "counts for them."
    ),
    paper="Modarressi et al. 2023, arXiv:2306.02873; Elhage et al. 2021, for what a head adds directly",
    needs=Needs.MODEL | Needs.SECOND_RUN | Needs.OWN_STATES,
    refuses=refuse_whole_layers,
)
def similarity_heads(inputs: Inputs, parameters: PairParameters, reporter: Reporter) -> PairParts:
    """Return which parts of the model wrote what a pair of tokens adds to the cosine of two vectors.

    By `similarity_pairs` the pair adds <D_k, D_m> / (|a| |b|), D_k being the part of the sentence vector that
    came from token k. D_k is the sum of what heads, feed-forward parts, biases and the embedding wrote of it
    (`FollowedToken`): writer c added <D_kc, D_m> of the pair on the side of run A and <D_k, D_mc> on that of
    run B. Each side adds up to what the pair adds, and so does their mean: how far the sums are off is the
    `identity_error`.

    "both", "own side" and "other side" [L, H]; and what no head carried.

    Raises AnalysisError for runs of different checkpoints, a pooling that is no weighted sum, or a token that
    there is not.

    The product of the two papers' parts is ours.
    """
    trace, other, model = inputs.trace, same_heads(inputs.trace, inputs.second), inputs.opened
    _require_token(trace, parameters.token)
    _require_token(other, parameters.partner)
    own = _part_of(trace, model, parameters.token, _half(reporter, 0.0))
    others = _part_of(other, model, parameters.partner, _half(reporter, 0.5))
    lengths = float(np.prod([np.linalg.norm(vector_of(model, run)) for run in (trace, other)]))
    sides = own.by_writer @ others.whole / lengths, others.by_writer @ own.whole / lengths
    contribution = float(own.whole @ others.whole) / lengths
    kinds = [by_kind(own.writers, side, trace) for side in ((sides[0] + sides[1]) / 2, *sides)]
    both, embedded = kinds[0]
    return PairParts(
        tuple(Scalar(key, Quantity("")) for key in ("both", "own side", "other side")),
        np.array([named["heads"] for named, _ in kinds], np.float32),
        worst(*(abs(float(side.sum()) - contribution) for side in sides)),
        tokens=(trace.tokens.pieces[parameters.token], other.tokens.pieces[parameters.partner]),
        contribution=contribution,
        feed_forward=both["feed_forward"],
        biases=both["biases"],
        embeddings=embedded,
    )


class _TokenPart(NamedTuple):
    writers: list[Writer]
    by_writer: Doubles  # [W, D]: what each writer added to the token's part of the sentence vector
    whole: Doubles  # [D]: that part, computed by `decompositions`


def _require_token(trace: Trace, token: int) -> None:
    if token >= trace.n_tokens:
        message = Message("There is no token {0}: the text has tokens 0 to {1}.", token, trace.n_tokens - 1)
        raise AnalysisError(message, Message("Choose another pair."))


def _part_of(trace: Trace, model: ModelAccess, token: int, reporter: Reporter) -> _TokenPart:
    """Return the token's part of the sentence vector, and what each writer added to it."""
    followed = FollowedToken(token, trace.n_layers, trace.n_heads)
    shares = model.pooling_shares(trace)
    for layer, parts in enumerate(decompositions(trace, model, reporter, followed)):
        last = parts[:, token]
        reporter.progress((layer + 1) / trace.n_layers)
    return _TokenPart(followed.writers, np.einsum("t,wtd->wd", shares, followed.parts), shares @ last)


def _half(reporter: Reporter, begun: float) -> Reporter:
    """Return a reporter of one half of the progress, which begins at `begun`."""
    return Reporter(reporter.check, lambda done: reporter.progress(begun + done / 2))


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

        def token_of(index: CellIndex) -> tuple[int, int]:
            """Return 1 for a key, else 0, and the position of its token in the text."""
            role, at = divmod(index[points.name], n_tokens)
            return role, self.positions[at]

        def details(index: CellIndex) -> tuple[str, ...]:
            role, position = token_of(index)
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
                stands_for=lambda index: {("query", "key")[token_of(index)[0]]: token_of(index)[1]},
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
    largest = 0.0
    for row in _rows(trace.n_tokens).tolist():
        own = trace.scores(*head, slice(row, row + 1)).astype(np.float64)[0]
        product = trace.queries[(*head, row)].astype(np.float64) @ trace.keys[head].astype(np.float64).T
        rest = own - trace.scale * product
        moved = trace.scale * (queries[row] @ keys.T) + rest
        largest = max(largest, float(np.abs(softmax(moved) - softmax(own)).max()))
    return largest
