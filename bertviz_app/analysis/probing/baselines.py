"""Head measures beside what they would be by chance: of equal weights, and of the words in another order."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from bertviz_app.analysis.attention.row_block import BlockPositions, RowBlock
from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.measures import KEYS, MEASURES, MeasureKey, head_measures
from bertviz_app.analysis.parameters import Range
from bertviz_app.analysis.probing.batched_measures import EndOfPassError, MeasuringTap
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Message
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import word_numbers
from bertviz_app.trace import Trace

OWN, UNIFORM, SHUFFLED, BOUND = "", "_uniform", "_shuffled", "_bound"
"""What follows the key of a measure in the keys of the result."""


@dataclass(frozen=True)
class BaselineParameters:
    """`orders`: how many random orders of the words are averaged; `seed` chooses them."""

    orders: Annotated[int, Range(1, 100), Message("Number of orders")] = 8
    seed: Annotated[int, Range(0, 2**31 - 1), Message("Seed")] = 0


@analysis(
    key="head-baselines",
    title=Message("Measures beside null baselines"),
    summary=Message(
        "Each head measure, what it would be with equal weights and with the words in random order, and its "
        "bound."
    ),
    limits=Message("A shuffled sentence is unusual text: heads may do on it what they do on no real one."),
    paper="Measures as in Clark et al. 2019, arXiv:1906.04341, section 3; the baselines are ours",
    needs=Needs.MODEL,
)
def head_baselines(inputs: Inputs, parameters: BaselineParameters, reporter: Reporter) -> HeadScalars:
    """Return each measure of every head, with two null baselines and its bound.

    "_uniform": the measure if every query attended to all tokens alike. "_shuffled": its mean over random
    orders of the tokens of each sentence, special tokens staying where they are; what the head does there, it
    does without the order of this text. "_bound": the largest value that is possible.

    [4 * K, L, H] for the K measures of `MEASURES`, in their units.

    The measures are those of `head_measures`.
    """
    trace = inputs.trace
    shape = trace.n_layers, trace.n_heads
    own, shuffled = head_measures(trace, reporter.check), _shuffled(inputs, parameters, reporter)
    uniform, bounds = _uniform(trace), _bounds(trace)
    scalars, values = [], []
    for number, measure in enumerate(MEASURES):
        key = measure.key
        quantity = Quantity(measure.unit, 0, bounds[key])
        for ending, found in (
            (OWN, own[key]),
            (UNIFORM, np.full(shape, uniform[key])),
            (SHUFFLED, shuffled[:, :, number]),
            (BOUND, np.full(shape, bounds[key])),
        ):
            scalars.append(Scalar(f"{key}{ending}", quantity))
            values.append(found.astype(np.float32))
    return HeadScalars(tuple(scalars), np.stack(values))


def _uniform(trace: Trace) -> dict[MeasureKey, float]:
    """Return each measure of rows in which all weights are equal."""
    n_tokens, words = trace.n_tokens, word_numbers(trace.tokens)
    weights = np.full((1, n_tokens, n_tokens), 1 / n_tokens, np.float32)
    block = RowBlock(weights, np.log(weights), BlockPositions.of(trace.tokens, words, slice(None)))
    counts = {measure.key: measure.n_queries_in(trace.tokens) for measure in MEASURES}
    return {
        measure.key: float(measure.total(block)[0]) / counts[measure.key] if counts[measure.key] else 0.0
        for measure in MEASURES
    }


def _bounds(trace: Trace) -> dict[MeasureKey, float]:
    """Return the largest value that each measure can have on a text of so many tokens."""
    n_tokens = trace.n_tokens
    farthest = np.maximum(np.arange(n_tokens), np.arange(n_tokens)[::-1]).mean()
    largest = {"bits": math.log2(n_tokens), "tokens": float(farthest), "weight": 1.0}
    return {measure.key: largest[measure.unit] for measure in MEASURES}


def _shuffled(inputs: Inputs, parameters: BaselineParameters, reporter: Reporter) -> np.ndarray:
    """Return [L, H, K], the mean of each measure over random orders."""
    trace, model = inputs.trace, inputs.opened
    generator = np.random.default_rng(parameters.seed)
    total = np.zeros((trace.n_layers, trace.n_heads, len(KEYS)))
    for at in range(parameters.orders):
        reporter.check()
        tap = MeasuringTap(
            [in_random_order(trace.tokens, generator)],
            (trace.n_layers, trace.n_heads),
            KEYS,
            reporter.check,
        )
        with suppress(EndOfPassError):
            model.forward(tap.inputs, tap)
        total += tap.means()[0]
        reporter.progress((at + 1) / parameters.orders)
    return total / parameters.orders


def in_random_order(tokens: Tokens, generator: np.random.Generator) -> Tokens:
    """Return `tokens` with those of each sentence in a random order; special tokens stay in their places."""
    order = np.arange(len(tokens))
    for sentence in (0, 1):
        positions = np.flatnonzero((tokens.sentences == sentence) & ~tokens.is_special)
        order[positions] = generator.permutation(positions)
    return replace(
        tokens,
        pieces=tuple(tokens.pieces[at] for at in order.tolist()),
        ids=tokens.ids[order],
        words=tokens.words[order],
        spans=tokens.spans[order],
    )
