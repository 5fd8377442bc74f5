"""Head measures of many texts in a batch, and beside what they would be by chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated

import numpy as np

from bertviz_app.analysis.attention.stamp import BlockPositions, RowBlock
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.measures import KEYS, MEASURES, MeasureKey, head_measures, n_queries_of
from bertviz_app.analysis.parameters import Range, Reporter, reported
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.errors import Check, Message
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import word_numbers
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point
from bertviz_app.types import Doubles, Floats, Ints, Tensor
from bertviz_app.values import dataclass, replace


class EndOfPassError(Exception):
    """Ends a forward pass once the last layer's attention is measured."""


class MeasuringTap:
    """A tap that sums the measures `keys` over the queries of a batch of texts of T tokens each.

    It raises EndOfPassError after the attention of the last layer. `check` is called once a layer and may
    raise `errors.Cancelled`.
    """

    def __init__(
        self,
        inputs: Sequence[Tokens],
        shape: tuple[int, int],
        keys: Sequence[MeasureKey],
        check: Check | None = None,
    ) -> None:
        lengths = {len(tokens) for tokens in inputs}
        if len(lengths) != 1:
            raise ValueError(f"texts of different lengths in one batch: {sorted(lengths)}")
        self.inputs = inputs
        self._words = [word_numbers(tokens) for tokens in inputs]
        self._keys = tuple(keys)
        self._check = check
        self._n_tokens = lengths.pop()
        self._n_layers, n_heads = shape
        self._sums = np.zeros((len(inputs), self._n_layers, n_heads, len(keys)), np.float64)
        self._first = 0
        self._patterns: dict[int, _Patterns] = {}

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether the tensor is needed: rows of weights, and what comes after all of a layer's."""
        return point is Point.WEIGHT_ROWS or point is Point.LSE

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Add the rows [B, H, r, T] to the sums and return them."""
        if point is Point.WEIGHT_ROWS:
            first, n_rows = self._first, tensor.shape[-2]
            if first not in self._patterns:
                rows, pairs = slice(first, first + n_rows), zip(self.inputs, self._words, strict=True)
                blocks = [BlockPositions.of(tokens, words, rows) for tokens, words in pairs]
                self._patterns[first] = _Patterns(blocks, self._keys, tensor)
            sums = self._sums[:, layer]
            for number, key in enumerate(self._keys):
                if key in _OF_ROWS:
                    sums[:, :, number] += _numbers(_OF_ROWS[key](tensor))
            self._patterns[first].add(tensor, sums)
            self._first += n_rows
            return tensor
        self._first = 0
        if self._check is not None:
            self._check()
        if layer == self._n_layers - 1:
            raise EndOfPassError
        return tensor

    def means(self) -> Floats:
        """Return [B, L, H, K], each sum divided by the number of queries that have the measure, else 0."""
        counts = np.stack([np.maximum(1, self.n_queries(key)) for key in self._keys], axis=-1)
        means = self._sums / counts.astype(np.float64)[:, None, None, :]
        # Rounding may make an entropy a little less than 0.
        return np.maximum(means, 0).astype(np.float32)

    def n_queries(self, key: MeasureKey) -> Ints:
        """Return how many queries of each text have a measure [B]."""
        measure = next(one for one in MEASURES if one.key == key)
        every = np.ones(self._n_tokens, bool)
        return np.array([measure.n_queries(words, every) for words in self._words], np.int32)


class _Patterns:
    """What each weight of a block of rows counts for the measures that are weighted sums of weights.

    Some are the same for all texts of a length, one [r * T, P]; the others [B, r * T, P].
    """

    def __init__(self, blocks: Sequence[BlockPositions], keys: Sequence[MeasureKey], like: Tensor) -> None:
        summed = [at for at, key in enumerate(keys) if key not in _OF_ROWS]
        self._own_at = [at for at in summed if keys[at] in _OF_TEXTS]
        self._shared_at = [at for at in summed if keys[at] not in _OF_TEXTS]
        size = len(blocks[0].queries) * len(blocks[0].keys)
        shared = np.zeros((size, len(self._shared_at)), np.float32)
        for column, at in enumerate(self._shared_at):
            shared[:, column] = _pattern(keys[at], blocks[0]).reshape(-1)
        own = np.zeros((len(blocks), size, len(self._own_at)), np.float32)
        for column, at in enumerate(self._own_at):
            for number, block in enumerate(blocks):
                own[number, :, column] = _pattern(keys[at], block).reshape(-1)
        self._shared, self._own = like.new_tensor(shared), like.new_tensor(own)

    def add(self, weights: Tensor, sums: Doubles) -> None:
        """Add the weighted sums of `weights` [B, H, r, T] to `sums` [B, H, K]."""
        flat = weights.flatten(2)  # [B, H, r * T]
        if self._shared_at:
            sums[:, :, self._shared_at] += _numbers(flat @ self._shared)
        if self._own_at:
            sums[:, :, self._own_at] += _numbers(flat @ self._own)


def _numbers(tensor: Tensor) -> Doubles:
    """Return a tensor as an array of float64 of the same shape."""
    return tensor.double().cpu().numpy()


def _entropy(weights: Tensor) -> Tensor:
    """Return the entropies of rows [B, H, r, T] in bits, summed over the rows, [B, H]."""
    import torch

    # Not `torch.special.entr`, which computes one logarithm at a time and takes four times as long.
    logarithms = weights.clamp(min=torch.finfo(weights.dtype).tiny).log_()
    return -(logarithms.mul_(weights)).sum((-2, -1)) / math.log(2)


def _pattern(key: MeasureKey, at: BlockPositions) -> Floats:
    """Return what each weight of some rows counts [r, T] for a measure that is a weighted sum of weights."""
    if key == "distance":
        return at.distances
    if key == "word":
        return at.same_word_shares
    found = np.zeros((len(at.queries), len(at.keys)), np.float32)
    if key in _OFFSETS:
        found[at.at(_OFFSETS[key])] = 1
    else:
        found[:, [0] if key == "first" else at.separators] = 1
    return found


_OFFSETS: Mapping[MeasureKey, int] = {"previous": -1, "same": 0, "next": 1}
"""How far after the query the key is whose weights these measures add up."""
_OF_ROWS: Mapping[MeasureKey, Callable[[Tensor], Tensor]] = {
    "entropy": _entropy,
    "largest": lambda weights: weights.amax(-1).sum(-1),
}
"""The measures that are sums over rows of another function of their weights: [B, H] of [B, H, r, T]."""
_OF_TEXTS = ("separator", "word")
"""The measures for which a weight counts by its text; for others, but _OF_ROWS, by its position alone."""


OWN, UNIFORM, SHUFFLED, BOUND = "", "_uniform", "_shuffled", "_bound"
"""What follows the key of a measure in the keys of the result."""


@dataclass(frozen=True)
class BaselineParameters:
    """`orders`: how many random orders of the words are averaged; `seed` chooses them."""

    orders: Annotated[int, Range(1, 100), Message("Number of orders")] = 8
    seed: Annotated[int, Range(0, 2**31 - 1), Message("Seed")] = 0


@analysis(
    key="head-baselines",
    place=("heads", 2),
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
    n_tokens = trace.n_tokens
    farthest = np.maximum(np.arange(n_tokens), np.arange(n_tokens)[::-1]).mean()
    # The largest values that the measures can have on a text of so many tokens.
    largest = {"bits": math.log2(n_tokens), "tokens": float(farthest), "weight": 1.0}
    uniform, bounds = _uniform(trace), {measure.key: largest[measure.unit] for measure in MEASURES}
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
    keys = [scalar.key for scalar in scalars]
    beside = tuple((None, tuple(keys[first : first + 4])) for first in range(0, len(keys), 4))
    return HeadScalars(tuple(scalars), np.stack(values), beside=beside)


def _uniform(trace: Trace) -> dict[MeasureKey, float]:
    """Return each measure of rows in which all weights are equal."""
    n_tokens, words = trace.n_tokens, word_numbers(trace.tokens)
    weights = np.full((1, n_tokens, n_tokens), 1 / n_tokens, np.float32)
    block = RowBlock(weights, np.log(weights), BlockPositions.of(trace.tokens, words, slice(None)))
    counts = n_queries_of(trace, words, np.ones(n_tokens, bool))
    return {
        measure.key: float(measure.total(block)[0]) / counts[measure.key] if counts[measure.key] else 0.0
        for measure in MEASURES
    }


def _shuffled(inputs: Inputs, parameters: BaselineParameters, reporter: Reporter) -> np.ndarray:
    """Return [L, H, K], the mean of each measure over random orders."""
    trace, model = inputs.trace, inputs.opened
    generator = np.random.default_rng(parameters.seed)
    total = np.zeros((trace.n_layers, trace.n_heads, len(KEYS)))
    for _ in reported(range(parameters.orders), reporter):
        tap = MeasuringTap(
            [in_random_order(trace.tokens, generator)], (trace.n_layers, trace.n_heads), KEYS, reporter.check
        )
        with suppress(EndOfPassError):
            model.forward(tap.inputs, tap)
        total += tap.means()[0]
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
