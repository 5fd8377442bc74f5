"""Why two texts are similar: by pairs of their tokens, and by the heads that carried a pair."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import Alignment, no_difference
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index, NoParameters, Range, Reporter
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.probing.passes import worst
from bertviz_app.analysis.probing.targets import same_heads, vector_of
from bertviz_app.analysis.results import HeadScalars, RunMatrix, Scalar
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.methods.decomposition.decompx import (
    FollowedToken,
    decompositions,
    refuse_whole_layers,
)
from bertviz_app.features.methods.decomposition.stream import Writer, by_kind
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.typeset import signed
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


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
    mean = (sides[0] + sides[1]) / 2
    kinds = [by_kind(own.writers, side, trace) for side in (mean, *sides)]
    both, embedded = kinds[0]
    error = worst(*(abs(float(side.sum()) - contribution) for side in sides))
    return PairParts(
        tuple(Scalar(key, Quantity("")) for key in ("both", "own side", "other side")),
        np.array([named["heads"] for named, _ in kinds], np.float32),
        error,
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
