"""The pattern of each head's attention by a transparent rule of ours, and attention between sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, analysis
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message
from bertviz_app.text import Tokens
from bertviz_app.types import Doubles, Floats

VERTICAL, DIAGONAL, WITHIN, SPREAD = 0.6, 0.35, 0.9, 0.6
"""The shares from which the rule decides: of the two strongest columns; of the strongest of three diagonals;
of weights within a sentence; and of the entropy of equal weights on half the tokens."""

PATTERNS = ("heterogeneous", "vertical", "diagonal", "vertical and diagonal", "block")
"""The patterns by their numbers in the result."""


@analysis(
    key="head-patterns",
    title=Message("Pattern of each head"),
    summary=Message(
        "0 heterogeneous, 1 vertical, 2 diagonal, 3 both, 4 block; and the shares by which the rule decides."
    ),
    limits=Message(
        "The rule is this program's own. A longer text has fewer vertical heads: compare texts of one length."
    ),
    paper="Names of Kovaleva et al. 2019, arXiv:1908.08593, section 4.1; the rule is this program's own",
)
def head_patterns(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return the pattern of each head, and the shares that decide it.

    The names are those of Kovaleva et al.; they give no rule, so this one is ours: vertical if the two
    strongest columns hold at least 0.6 of the attention; diagonal if one of the offsets -1, 0, +1 holds at
    least 0.35; both; block, of pairs, if at least 0.9 stays within its sentence and the mean entropy is at
    least 0.6 ln(T / 2); else heterogeneous.

    [4, L, H]: "pattern", the number of one of PATTERNS; "vertical", "diagonal", "within": the shares.
    """
    trace = inputs.trace
    same = same_sentence(trace.tokens)
    found = np.zeros((4, trace.n_layers, trace.n_heads), np.float32)
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            reporter.check()
            weights = trace.attention(layer, head).astype(np.float64)
            found[:, layer, head] = _of_head(weights, same)
        reporter.progress((layer + 1) / trace.n_layers)
    share = Quantity("weight", 0, 1)
    kinds = Scalar("pattern", Quantity("", 0, len(PATTERNS) - 1), is_category=True)
    return HeadScalars((kinds, *(Scalar(key, share) for key in ("vertical", "diagonal", "within"))), found)


def pattern_of(number: float) -> str:
    """Return the name of a pattern from its number in the result."""
    return PATTERNS[int(number)]


def same_sentence(tokens: Tokens) -> NDArray[np.bool_] | None:
    """Return [T, T], whether two tokens are of one sentence, separators with the one before; None of one."""
    if tokens.pair is None:
        return None
    of_second = np.flatnonzero(tokens.sentences == 1)
    if not len(of_second):
        return None
    side = np.arange(len(tokens)) >= of_second[0]
    found: NDArray[np.bool_] = side[:, None] == side
    return found


def _of_head(weights: Doubles, same: NDArray[np.bool_] | None) -> tuple[float, float, float, float]:
    """Return the number of the pattern of one head's weights [T, T], and the three shares that decide it.

    `same` is what `same_sentence` returns.
    """
    n_tokens = len(weights)
    vertical = float(np.sort(weights.sum(0))[-2:].sum()) / n_tokens
    diagonal = max(float(np.trace(weights, offset)) for offset in (-1, 0, 1)) / n_tokens
    within = 1.0 if same is None else float(weights[same].sum()) / n_tokens
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    entropy = -float((weights * logarithms).sum()) / n_tokens
    is_block = same is not None and within >= WITHIN and entropy >= SPREAD * np.log(n_tokens / 2)
    kind = (vertical >= VERTICAL) + 2 * (diagonal >= DIAGONAL)
    return float(4 if not kind and is_block else kind), vertical, diagonal, within


@analysis(
    key="inter-sentence",
    title=Message("From one sentence to the other"),
    summary=Message(
        "How much of each head's attention stays in its sentence, crosses to the other, or goes to special "
        "tokens."
    ),
    limits=Message("Means over the queries of a sentence: one word may do all of the crossing."),
    paper="after Kovaleva et al. 2019, arXiv:1908.08593, section 4.4",
)
def inter_sentence(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return how much of each head's attention goes from each sentence to each, and to special tokens.

    [6, L, H], "1 → 1", "1 → 2", "1 → special" and the same of sentence 2: means over the queries of a
    sentence, shares of 1; the three of a sentence add up to 1. Of a lone sentence the two that there are. The
    `identity_error` is how far the sums are off.
    """
    trace, tokens = inputs.trace, inputs.trace.tokens
    sides = [np.flatnonzero((tokens.sentences == at) & ~tokens.is_special) for at in (0, 1)]
    named = {name: side for name, side in zip(("1", "2"), sides, strict=True) if len(side)}
    groups = named | {"special": np.flatnonzero(tokens.is_special)}
    keys = tuple(f"{a} → {b}" for a in named for b in groups)
    found: Floats = np.zeros((len(keys), trace.n_layers, trace.n_heads), np.float32)
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            reporter.check()
            shares = [
                weights[:, columns].sum(-1, dtype=np.float64).mean()
                for weights in (trace.attention(layer, head, rows=rows) for rows in named.values())
                for columns in groups.values()
            ]
            found[:, layer, head] = shares
        reporter.progress((layer + 1) / trace.n_layers)
    sums = found.reshape(len(named), len(groups), *found.shape[1:]).sum(1, dtype=np.float64)
    scalars = tuple(Scalar(key, Quantity("weight", 0, 1)) for key in keys)
    return HeadScalars(scalars, found, identity_error=float(np.abs(sums - 1).max(initial=0)))
