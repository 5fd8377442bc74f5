"""Biases: what some encoders add to the scaled product of query and key, by the positions of the two tokens.

A local window is a bias, too: -inf is added to the scores beyond it. So is the global attention of
Longformer, which has a window, and other keys and values for some queries, and so are BigBird's blocks.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from bertviz_app.types import Bools, Floats, Indices, Longs
from bertviz_app.values import dataclass

CONTENT = "content"
"""The name of the scaled product, among the parts of a score."""
DISTANCE = "distance"
"""The name of the part that depends on the distance of the two tokens alone."""
TO_POSITION, TO_CONTENT = "content_to_position", "position_to_content"
"""The names of the parts of disentangled attention that are added to the product of two tokens."""


@dataclass(frozen=True, eq=False)
class Rectangle:
    """The scores requested of a trace: queries [..., r, E] against keys [..., c, E].

    `...` is [L, H] without `layer`, [H] without `head`. `rows` [r] and `columns` [c] are their positions.
    """

    layer: int | None
    head: int | None
    queries: Floats
    keys: Floats
    rows: Indices
    columns: Indices
    scale: float

    @property
    def at(self) -> tuple[int, ...]:
        """The index of `...` in arrays [L, H, ...]."""
        return tuple(number for number in (self.layer, self.head) if number is not None)

    @property
    def distances(self) -> Indices:
        """[r, c], key - query."""
        return self.columns - self.rows[:, None]


class Bias(Protocol):
    """The terms that are added to the scaled products of a trace."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the terms, in the order in which they are added."""

    @property
    def n_bytes(self) -> int:
        """The memory that the arrays take, in bytes."""

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Return whether the bias is one for a trace with queries of this shape, (L, H, T, E)."""

    def parts(self, rectangle: Rectangle) -> dict[str, Floats]:
        """Return the terms of a rectangle by name, in the order of `names`; they broadcast to [..., r, c]."""


@dataclass(frozen=True, eq=False)
class RelativeBias(Bias):
    """A number for each distance of query and key, instead of a [T, T] matrix for each head.

    `by_distance` [L, H, 2T - 1], or [L, 1, 2T - 1] where all heads of a layer share it, has the numbers of
    the distances key - query, from 1 - T (the last query, the first key) to T - 1. They are float32 and
    read-only; -inf shuts out a key, and the number of distance 0 is finite.
    """

    by_distance: Floats
    names = (DISTANCE,)

    def __post_init__(self) -> None:
        if self.by_distance.ndim != 3 or self.by_distance.dtype != np.float32:
            raise ValueError("by_distance must be float32 [L, H, 2T - 1]")
        at_itself = self.by_distance[..., self.by_distance.shape[-1] // 2]
        if not (self.by_distance < np.inf).all() or not np.isfinite(at_itself).all():
            raise ValueError("by_distance must be numbers or -inf")
        self.by_distance.flags.writeable = False

    def is_window(self, layer: int) -> bool:
        """Return whether each number of that layer is 0 or -inf, so that the bias is a window and no more."""
        numbers = self.by_distance[layer]
        return not bool(numbers[numbers > -np.inf].any())

    def reach(self, layer: int) -> int | None:
        """Return how far from a query the keys are, to either side, that any head of `layer` may attend to.

        None where that is the whole text.
        """
        distances = np.flatnonzero((self.by_distance[layer] > -np.inf).any(0))
        middle = self.by_distance.shape[-1] // 2
        farthest = int(np.abs(distances - middle).max())
        return farthest if farthest < middle else None

    @property
    def n_bytes(self) -> int:
        return self.by_distance.nbytes

    def fits(self, shape: tuple[int, ...]) -> bool:
        n_layers, n_heads, n_tokens, _ = shape
        layers, heads, distances = self.by_distance.shape
        return layers == n_layers and heads in (1, n_heads) and distances == 2 * n_tokens - 1

    def parts(self, rectangle: Rectangle) -> dict[str, Floats]:
        numbers = self.by_distance if rectangle.layer is None else self.by_distance[rectangle.layer]
        if rectangle.head is not None:
            numbers = numbers[min(rectangle.head, len(numbers) - 1)]
        rows, columns = rectangle.rows, rectangle.columns
        middle = numbers.shape[-1] // 2
        if not (_are_consecutive(rows) and _are_consecutive(columns)):
            return {DISTANCE: numbers[..., rectangle.distances + middle]}
        # A view: each row begins one number before the row above.
        first, last = middle + int(columns[0] - rows[-1]), middle + int(columns[-1] - rows[0])
        of_rows = sliding_window_view(numbers[..., first : last + 1], len(columns), axis=-1)
        return {DISTANCE: of_rows[..., ::-1, :]}  # the last row was first


@dataclass(frozen=True, eq=False)
class DisentangledBias(Bias):
    """The two parts of a score that depend on distances (He et al. 2021, arXiv:2006.03654, section 3.1).

    Content to position: the query of a token times the key of the distance. Position to content: the query of
    the distance times the key of a token. `position_keys` and `position_queries` [L, H, P, E], float32, are
    those of P buckets of distances, [L, 1, P, E] where all heads of a layer share them (Shaw et al. 2018,
    arXiv:1803.02155); one of them is None where the encoder does not have that part. `buckets` int64
    [2T - 1] is the bucket of each distance key - query, from 1 - T to T - 1. All become read-only.
    """

    position_keys: Floats | None
    position_queries: Floats | None
    buckets: Longs

    def __post_init__(self) -> None:
        tables = self._tables
        if not tables or any(table.ndim != 4 or table.dtype != np.float32 for table in tables):
            raise ValueError("position_keys and position_queries must be float32 [L, H, P, E]")
        if len({table.shape for table in tables}) > 1:
            raise ValueError("position_keys and position_queries must have the same shape")
        if self.buckets.ndim != 1 or self.buckets.dtype != np.int64:
            raise ValueError("buckets must be int64 [2T - 1]")
        if ((self.buckets < 0) | (self.buckets >= tables[0].shape[2])).any():
            raise ValueError("buckets must be rows of the tables of distances")
        self.buckets.flags.writeable = False
        for table in tables:
            table.flags.writeable = False

    @property
    def _tables(self) -> tuple[Floats, ...]:
        return tuple(table for table in (self.position_keys, self.position_queries) if table is not None)

    @property
    def names(self) -> tuple[str, ...]:
        tables = {TO_POSITION: self.position_keys, TO_CONTENT: self.position_queries}
        return tuple(name for name, table in tables.items() if table is not None)

    @property
    def n_bytes(self) -> int:
        return self.buckets.nbytes + sum(table.nbytes for table in self._tables)

    def fits(self, shape: tuple[int, ...]) -> bool:
        n_layers, n_heads, n_tokens, head_width = shape
        layers, heads, _, width = self._tables[0].shape
        is_as_long = len(self.buckets) == 2 * n_tokens - 1
        return is_as_long and (layers, width) == (n_layers, head_width) and heads in (1, n_heads)

    def parts(self, rectangle: Rectangle) -> dict[str, Floats]:
        buckets = self.buckets[rectangle.distances + len(self.buckets) // 2]  # [r, c]
        rows, columns = np.arange(len(buckets))[:, None], np.arange(buckets.shape[1])
        is_shared = self._tables[0].shape[1] == 1
        at = (*rectangle.at[:1], 0) if is_shared and rectangle.head is not None else rectangle.at
        scale = np.float32(rectangle.scale)
        found: dict[str, Floats] = {}
        if self.position_keys is not None:
            products = rectangle.queries @ self.position_keys[at].swapaxes(-1, -2)  # [..., r, P]
            found[TO_POSITION] = _picked(products, rows, buckets) * scale
        if self.position_queries is not None:
            products = rectangle.keys @ self.position_queries[at].swapaxes(-1, -2)  # [..., c, P]
            found[TO_CONTENT] = _picked(products, columns, buckets) * scale
        return found


@dataclass(frozen=True, eq=False)
class GlobalAttention(Bias):
    """The global tokens of a Longformer, which attend to all tokens and are attended to by all.

    They are the `n_global` tokens from `first` on; in most models these are at the beginning. Their queries
    are in `Trace.queries`, and attend with `keys` and `values` [L, H, T, E], float32, instead of those of the
    trace (Beltagy et al. 2020, arXiv:2004.05150, section 3.1). `window` is that of the other tokens: a pair
    beyond it is not computed unless one of its tokens is global. None: the window holds the whole text.
    """

    n_global: int
    keys: Floats
    values: Floats
    window: RelativeBias | None
    first: int = 0

    def __post_init__(self) -> None:
        if any(array.ndim != 4 or array.dtype != np.float32 for array in (self.keys, self.values)):
            raise ValueError("keys and values must be float32 [L, H, T, E]")
        ends = (0, self.first, self.first + self.n_global, self.keys.shape[2])
        if self.keys.shape != self.values.shape or list(ends) != sorted(ends):
            raise ValueError("keys and values must have the same shape, and a row for each global token")
        if not (np.isfinite(self.keys).all() and np.isfinite(self.values).all()):
            raise ValueError("keys and values must be finite")
        self.keys.flags.writeable = self.values.flags.writeable = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the terms: that of the window, where the text is longer than it."""
        return () if self.window is None else self.window.names

    @property
    def n_bytes(self) -> int:
        return self.keys.nbytes + self.values.nbytes + (0 if self.window is None else self.window.n_bytes)

    def fits(self, shape: tuple[int, ...]) -> bool:
        return self.keys.shape == shape and (self.window is None or self.window.fits(shape))

    def is_global(self, positions: Indices) -> Bools:
        """Return which of the tokens at `positions` are global."""
        return (self.first <= positions) & (positions < self.first + self.n_global)

    def products(self, rectangle: Rectangle, products: Floats) -> Floats:
        """Return `products` [..., r, c], query . key, with those of global queries in their rows."""
        at = self.is_global(rectangle.rows)
        if at.any():
            keys = self.keys[rectangle.at][..., rectangle.columns, :]
            products[..., at, :] = rectangle.queries[..., at, :] @ keys.swapaxes(-1, -2)
        return products

    def parts(self, rectangle: Rectangle) -> dict[str, Floats]:
        """Return the term of the window, 0 where one of the two tokens is global."""
        if self.window is None:
            return {}
        is_free = self.is_global(rectangle.rows)[:, None] | self.is_global(rectangle.columns)
        found = self.window.parts(rectangle)
        return {name: np.where(is_free, np.float32(0), numbers) for name, numbers in found.items()}


@dataclass(frozen=True, eq=False)
class BlockSparse(Bias):
    """The blocks of tokens that a token of a long text attends to (Zaheer et al. 2020, arXiv:2007.14062).

    Tokens in the first and the last block attend to all others. All others attend to these two, to their own
    block and to the two beside it; -inf is added for the rest. The first block stands for the `n_random`
    blocks of training, too, so that it counts 1 + `n_random` times: the logarithm of that is added for it.
    """

    size: int  # tokens of a block; the last one may have fewer
    n_random: int
    n_tokens: int  # T
    names = (DISTANCE,)
    n_bytes = 0

    def __post_init__(self) -> None:
        if not 1 <= self.size <= self.n_tokens or self.n_random < 0:
            raise ValueError("a block must have a token, and no more than there are")

    def fits(self, shape: tuple[int, ...]) -> bool:
        return shape[2] == self.n_tokens

    def parts(self, rectangle: Rectangle) -> dict[str, Floats]:
        queries, keys = rectangle.rows[:, None] // self.size, rectangle.columns // self.size
        last = (self.n_tokens - 1) // self.size
        is_seen = (keys == 0) | (keys == last) | (np.abs(keys - queries) <= 1)  # [r, c]
        times = np.where(keys == 0, np.float32(math.log(1 + self.n_random)), np.float32(0))
        bias = np.where(is_seen, times, np.float32(-np.inf))
        return {DISTANCE: np.where((queries == 0) | (queries == last), np.float32(0), bias)}


def _are_consecutive(positions: Indices) -> bool:
    """Return whether each position is the one before plus 1, and there is one."""
    return len(positions) > 0 and bool((np.diff(positions) == 1).all())


def _picked(numbers: Floats, rows: Indices, columns: Longs) -> Floats:
    """Return `numbers[..., rows, columns]`, faster than NumPy's own indexing."""
    n_columns = numbers.shape[-1]
    flat = numbers.reshape(*numbers.shape[:-2], -1)
    picked: Floats = flat.take(rows * n_columns + columns, axis=-1)
    return picked


def adds_window_alone(bias: Bias | None, layer: int) -> bool:
    """Return whether `bias` adds nothing to the scores of a layer but -inf beyond a window."""
    window = bias.window if isinstance(bias, GlobalAttention) else bias
    return isinstance(window, RelativeBias) and window.is_window(layer)


def reach_of(bias: Bias | None, layer: int) -> int | None:
    """Return how far from a query, to either side, the keys are that a layer attends to; None: no limit.

    The weights of keys that are farther away are 0.
    """
    return bias.reach(layer) if isinstance(bias, RelativeBias) else None
