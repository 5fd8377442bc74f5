"""Whether heads differ from chance: permutation p-values, corrected for how many heads are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Choice, Range, Reporter, reported
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import SIGNIFICANT, HeadScalars, Scalar
from bertviz_app.errors import AnalysisError, ArgumentError, Message
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import word_numbers
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Doubles
from bertviz_app.values import dataclass

_CLOSE = 1e-12
"""Sums of the same numbers in another order differ by less, as a share: such a one counts as equal."""
_ROUNDED = 1e-6
"""The same of sums of weights, which are float32: equal ones may differ by their rounding."""
_NUMBERS_AT_ONCE = 1 << 22


def benjamini_hochberg(p: ArrayLike) -> Doubles:
    """Return p-values corrected for how many there are: by how small a share of false ones each would count.

    q_(i) = min over j >= i of m p_(j) / j for the m p-values in their order, 1 at most. Calling significant
    what has q <= 0.05, no more than 5 % of it is so by chance on average, if the p-values are independent or
    depend on each other positively.

    Parameters
    ----------
    p : array of any shape
        The p-values, of all of which it corrects for the number. nan, of what was not tested, stays nan.

    Returns
    -------
    float64 of the same shape

    Raises
    ------
    ArgumentError
        For a number below 0 or above 1.

    References
    ----------
    Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x; adjusted p-values as in Yekutieli and
    Benjamini 1999, doi:10.1016/S0378-3758(99)00041-5.
    """
    given = np.asarray(p, np.float64)
    is_tested = ~np.isnan(given)
    tested = given[is_tested]
    if ((tested < 0) | (tested > 1)).any():
        raise ArgumentError(Message("A p-value is a number from 0 to 1."), Message("Give p-values."))
    order = np.argsort(tested, kind="stable")
    scaled = tested[order] * len(tested) / np.arange(1, len(tested) + 1)
    adjusted = np.empty_like(tested)
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1].clip(max=1)
    found = np.full_like(given, np.nan)
    found[is_tested] = adjusted
    return found


def sign_flip_p(differences: ArrayLike, n: int = 9999, seed: int = 0) -> Doubles:
    """Return the p-value of the mean of paired differences, against any change of their signs.

    If it makes no difference which of a pair is which, each difference is as likely with the other sign. The
    p-value is how often |mean| is as large as it is, or larger: exactly, over all 2^N signs, where these are
    no more than n + 1; else (k + 1) / (n + 1), k of n random ones being as large.

    Parameters
    ----------
    differences : array [N, ...]
        One for each of N texts, such as a measure of each head in one checkpoint less that in another. All
        columns are tested by the same signs.
    n : int
        How many random signs are tried.
    seed : int
        Chooses them: the same gives the same.

    Returns
    -------
    float64 [...]
        From 1 / (n + 1), or 2 / 2^N, to 1.

    Raises
    ------
    ArgumentError
        Without any text, for numbers that are not finite, or for n below 1.

    References
    ----------
    Fisher 1935, The Design of Experiments, section 21; (k + 1) / (n + 1): Phipson and Smyth 2010,
    doi:10.2202/1544-6115.1585.
    """
    given = np.asarray(differences, np.float64)
    if given.ndim < 1 or not len(given) or not np.isfinite(given).all() or n < 1:
        raise ArgumentError(
            Message("A sign-flip test needs finite differences of one text or more, and n of 1 or more."),
            Message("Leave out texts that lack a number."),
        )
    n_texts = len(given)
    flat = given.reshape(n_texts, -1)  # [N, M]
    limit = np.abs(flat.mean(0)) * (1 - _CLOSE)
    is_exact = n_texts < 63 and 2**n_texts <= n + 1
    count, n_tried = np.zeros(flat.shape[1]), 2**n_texts if is_exact else n
    generator = np.random.default_rng(seed)
    at_once = max(1, _NUMBERS_AT_ONCE // max(n_texts, flat.shape[1]))
    for first in range(0, n_tried, at_once):
        numbers = np.arange(first, min(n_tried, first + at_once))
        if is_exact:
            bits = (numbers[:, None] >> np.arange(n_texts)) & 1
        else:
            bits = generator.integers(0, 2, (len(numbers), n_texts))
        means = np.abs((1.0 - 2 * bits) @ flat) / n_texts
        count += (means >= limit).sum(0)
    return (count / n_tried if is_exact else (count + 1) / (n_tried + 1)).reshape(given.shape[1:])


def _word(tokens: Tokens) -> Bools:
    words = word_numbers(tokens)
    cells: Bools = np.equal(words[:, None], words)
    np.fill_diagonal(cells, val=False)
    return cells


_CELLS: dict[str, Callable[[Tokens], Bools]] = {
    "previous": lambda tokens: np.eye(len(tokens), k=-1, dtype=bool),
    "next": lambda tokens: np.eye(len(tokens), k=1, dtype=bool),
    "same": lambda tokens: np.eye(len(tokens), dtype=bool),
    "word": _word,
    "first": lambda tokens: np.tile(np.arange(len(tokens)) == 0, (len(tokens), 1)),
    "separator": lambda tokens: np.tile(tokens.is_special & (np.arange(len(tokens)) != 0), (len(tokens), 1)),
}
"""Which weights [T, T] each measure is the sum of."""
_OF_KEYS = ("first", "separator")  # the measures whose keys are the same for all queries
MEASURES_TESTED = tuple(_CELLS)


@dataclass(frozen=True)
class SignificanceParameters:
    """`measure`: what is tested. `orders`: how many random orders of the keys are tried; `seed` chooses them.

    `level`: the share of false ones among the heads that count as significant.
    """

    measure: Annotated[str, Choice(MEASURES_TESTED), Message("Measure")] = "previous"
    orders: Annotated[int, Range(19, 99999), Message("Number of orders")] = 1999
    seed: Annotated[int, Range(0, 2**31 - 1), Message("Seed")] = 0
    level: Annotated[float, Range(0, 1), Message("False discovery rate")] = 0.05


MAX_TOKENS = 1024
"""The random orders of a longer text take minutes."""


def _refuse_long(trace: Trace) -> AnalysisError | None:
    if trace.n_tokens <= MAX_TOKENS:
        return None
    message = Message(
        "Heads are tested against chance in texts of up to {0} tokens; this one has {1}.",
        MAX_TOKENS,
        trace.n_tokens,
    )
    return AnalysisError(message, Message("Write a shorter text."))


@analysis(
    key="head-significance",
    place=("heads", 3),
    title=Message("Heads beside chance"),
    summary=Message(
        "Which heads look at the previous token, the same word and the like more than by chance: p-values, "
        "corrected for the number of heads."
    ),
    limits=Message(
        "Chance is this text with the keys in random order: it says nothing of other texts, and a small "
        "p-value not that the weight is large."
    ),
    paper="Benjamini & Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x; the permutations are ours",
    refuses_trace=_refuse_long,
    needs=Needs.ALL_HEADS,
)
def head_significance(inputs: Inputs, parameters: SignificanceParameters, reporter: Reporter) -> HeadScalars:
    """Return how much weight each head gives the tokens of a measure, and how likely as much is by chance.

    The weight is that of `head_measures`. "previous", "next", "same" and "word" say where a key is from the
    query: chance is one random order of the keys for all queries, so that each key keeps what it gets in
    all; a head that looks at [SEP] from everywhere is no next-token head because one query precedes it.
    "first" and "separator" say what a key is: chance is another order of each query's weights, so that a row
    keeps its weights. In layers where not all tokens reach each other, as in causal models and windows, it is
    the latter for every measure, among the keys that a query reaches. Of weights alone these are the keys
    that any head of the layer gives more than exactly 0.

    p = (k + 1) / (n + 1), k of n random orders giving as much weight or more, up to the rounding of float32;
    q corrects the p of all heads by `benjamini_hochberg`. Where no query has the measure, all are 1.

    [5, L, H]: "weight"; "significant", 1 where q <= `level`, else 0; "by chance", the mean of the weight over
    the random orders; "p"; "q".

    p-values of permutations: Fisher 1935; (k + 1) / (n + 1): Phipson and Smyth 2010.
    """
    trace = inputs.trace
    cells = _CELLS[parameters.measure](trace.tokens)
    found = np.full((5, trace.n_layers, trace.n_heads), np.nan, np.float32)
    for layer in reported(range(trace.n_layers), reporter):
        weights = trace.attention(layer).astype(np.float64)  # [H, T, T]
        null = _null(trace, layer, weights, cells, parameters, reporter)
        own = (weights * cells).sum((1, 2))
        count = (null >= own[:, None] * (1 - _ROUNDED)).sum(1)
        n_queries = max(1, int(cells.any(1).sum()))
        heads = slice(0, len(weights))
        found[0, layer, heads] = own / n_queries
        found[2, layer, heads] = null.mean(1) / n_queries
        found[3, layer, heads] = (count + 1) / (parameters.orders + 1)
    found[4] = benjamini_hochberg(found[3])
    found[1] = np.where(np.isnan(found[4]), np.nan, found[4] <= parameters.level)
    units = {"weight": "weight", SIGNIFICANT: "", "by chance": "weight", "p": "", "q": ""}
    return HeadScalars(tuple(Scalar(key, Quantity(unit, 0, 1)) for key, unit in units.items()), found)


def _null(
    trace: Trace,
    layer: int,
    weights: Doubles,
    cells: Bools,
    parameters: SignificanceParameters,
    reporter: Reporter,
) -> Doubles:
    """Return the sums of the weights [H, T, T] on `cells` in n random orders, [H, n]."""
    generator = np.random.default_rng([parameters.seed, layer])
    reached = _reached(trace, layer, weights)
    if reached is None and parameters.measure not in _OF_KEYS:
        # The key at each position is another one, the same for all queries. A sum is that of S[order[j], j]
        # over j, with S = A^T C: what each key gets from the queries whose cell is at j.
        n_tokens = len(cells)
        orders = generator.permuted(np.tile(np.arange(n_tokens), (parameters.orders, 1)), axis=1)  # [n, T]
        columns = np.arange(n_tokens)
        found = np.empty((len(weights), parameters.orders))
        for head, each in enumerate(weights):
            reporter.check()
            found[head] = (each.T @ cells)[orders, columns].sum(1)
        return found
    # Each query has its own order of the keys that it reaches.
    found = np.zeros((len(weights), parameters.orders))
    for query, wanted in enumerate(cells):
        reporter.check()
        keys = np.arange(len(wanted)) if reached is None else np.flatnonzero(reached[query])
        count = int(wanted[keys].sum())
        if 0 < count < len(keys):
            if count == 1:
                draws = generator.integers(0, len(keys), (parameters.orders, 1))
            else:
                numbers = generator.random((parameters.orders, len(keys)))
                draws = numbers.argpartition(count - 1, axis=1)[:, :count]
            found += weights[:, query][:, keys[draws]].sum(-1)
        elif count:
            found += weights[:, query, keys].sum(-1, keepdims=True)
    return found


def _reached(trace: Trace, layer: int, weights: Doubles) -> Bools | None:
    """Return which keys each query reaches in a layer [T, T]; None where it is all of them.

    Weights [H, T, T] alone do not say what was masked: a mask leaves exactly 0 in all heads. Where every
    query gives all to one key the zeros are what the heads prefer, and only what the trace says is masked.
    """
    if trace.has_states:
        if trace.bias is None:
            return None
        reached: Bools = np.isfinite(trace.scores(layer, 0))
    else:
        reached = weights.max(0) > 0
        if (reached.sum(1) <= 1).all():
            reached = np.ones(reached.shape, bool) if trace.mask is None else np.logical_not(trace.mask)
    return None if reached.all() else reached
