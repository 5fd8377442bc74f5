"""Comparing two runs: the alignment of their tokens, and how differently heads attend."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from bertviz_app.analysis.pairs import attention_column
from bertviz_app.errors import AnalysisError, ComparisonWarning, Message
from bertviz_app.figures import HasFigures
from bertviz_app.notebooks import MOST_NUMBERS, HasTable, picture_html
from bertviz_app.tables import RowSource, Table
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import facts_html, is_same_text, shortened
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import as_trace
from bertviz_app.types import Floats, Indices, Ints
from bertviz_app.values import dataclass

GAP = -1
"""The position of a token that the run does not have."""

_CELLS_AT_ONCE = 1 << 18  # of one head: a block that is read several times stays in the processor's cache
_TINY = np.finfo(np.float32).tiny


@dataclass(frozen=True, eq=False)
class Alignment:
    """The correspondence of the tokens of run A to those of run B.

    `positions` int32 [N, 2]: the positions, in A and in B, of the tokens that correspond, in their order; GAP
    where a run has no such token. Each token of either run is in exactly one row.
    """

    positions: Ints

    def __repr__(self) -> str:
        n_both = int((self.positions != GAP).all(1).sum())
        return f"<Alignment: {n_both} tokens of both runs, {len(self.positions) - n_both} of one>"

    def __post_init__(self) -> None:
        if self.positions.dtype != np.int32 or self.positions.ndim != 2 or self.positions.shape[1] != 2:
            raise ValueError(
                f"positions must be int32 [N, 2], not {self.positions.dtype} {self.positions.shape}"
            )
        self.positions.flags.writeable = False

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def pairs(self) -> Ints:
        """[n, 2], the rows without a gap: the tokens that both runs have."""
        pairs: Ints = self.positions[(self.positions != GAP).all(1)]
        return pairs

    @cached_property
    def to_b(self) -> Ints:
        """[T of A], the position in B of the token that corresponds to each token of A, or GAP."""
        known = self.positions[self.positions[:, 0] != GAP]
        lookup = np.full(len(known), GAP, np.int32)
        lookup[known[:, 0]] = known[:, 1]
        lookup.flags.writeable = False
        return lookup

    def labels(self, a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
        """Return the labels [N] of the rows: run A's, run B's at a gap of A, both where they differ."""
        return tuple(
            b[of_b]
            if of_a == GAP
            else a[of_a]
            if of_b == GAP or a[of_a] == b[of_b]
            else f"{a[of_a]} | {b[of_b]}"
            for of_a, of_b in self.positions.tolist()
        )


def by_position(n_tokens: int) -> Alignment:
    """Return the alignment of two runs that read the same text: token i of A beside token i of B."""
    positions = np.arange(n_tokens, dtype=np.int32)
    return Alignment(np.stack((positions, positions), axis=1))


def align(pieces_a: Sequence[str], pieces_b: Sequence[str]) -> Alignment:
    """Return the alignment by position if the texts allow it, else by a longest common subsequence.

    They allow it if there are equally many pieces, at least half of them equal at their position, and the
    subsequence has no more equal ones: then a replaced word lies beside the word that replaces it. Else the
    tokens between two equal ones lie beside each other where there are equally many, or one more in one of
    the runs; all others have a GAP in the other run, those of A before those of B.
    """
    names = {piece: number for number, piece in enumerate(dict.fromkeys([*pieces_a, *pieces_b]))}
    a, b = (np.array([names[piece] for piece in pieces], np.int32) for pieces in (pieces_a, pieces_b))
    if np.array_equal(a, b):
        return by_position(len(a))
    alignment = _by_subsequence(a, b)
    n_equal = int((a == b).sum()) if len(a) == len(b) else -1
    of_a, of_b = alignment.pairs.T
    if n_equal >= int((a[of_a] == b[of_b]).sum()) and 2 * n_equal >= len(a):
        return by_position(len(a))
    return alignment


def align_tokens(a: Tokens, b: Tokens) -> Alignment:
    """Return the alignment of two runs: by position if they read the same text, whatever was replaced."""
    return by_position(len(a)) if is_same_text(a, b) else align(a.pieces, b.pieces)


def align_traces(a: Trace, b: Trace) -> Alignment:
    """Return the alignment of the queries of two runs, see `keys_of` for that of their keys.

    Raises AnalysisError where one of them attends to another text, unless the other does, and all tokens are
    the same.
    """
    if not (a.is_cross or b.is_cross):
        return align_tokens(a.tokens, b.tokens)
    sides = (a.tokens, b.tokens), (a.key_tokens, b.key_tokens)
    if a.is_cross and b.is_cross and all(one.pieces == other.pieces for one, other in sides):
        return by_position(a.n_tokens)
    message = Message("Attention from one text to another is compared between the same tokens only.")
    raise AnalysisError(message, Message("Give two runs of the same two texts, from the same one."))


def keys_of(trace: Trace, alignment: Alignment) -> Alignment:
    """Return the alignment of the keys: that of the queries, but where they are tokens of another text."""
    return by_position(trace.n_keys) if trace.is_cross else alignment


def _with_changed(positions: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the rows of an alignment with the tokens between two equal ones beside each other.

    Of one that has no counterpart the middle is left alone: "sat on" between "I" and "the" lies beside "put"
    and "in" of "put money in".
    """
    found: list[tuple[int, int]] = []
    edges = [-1, *(at for at, row in enumerate(positions) if GAP not in row), len(positions)]
    for first, last in pairwise(edges):
        between = positions[first + 1 : last]
        only_a = [a for a, b in between if b == GAP]
        only_b = [b for a, b in between if a == GAP]
        is_enclosed = first >= 0 and last < len(positions)
        if is_enclosed and abs(len(only_a) - len(only_b)) <= 1:
            # Of tokens of which one run has one more, that one lies before the last half.
            n_pairs = min(len(only_a), len(only_b))
            n_first = n_pairs // 2
            n_last = n_pairs - n_first
            heads = zip(only_a[:n_first], only_b[:n_first], strict=True)
            tails = zip(only_a[len(only_a) - n_last :], only_b[len(only_b) - n_last :], strict=True)
            alone = [(a, GAP) for a in only_a[n_first : len(only_a) - n_last]]
            alone += [(GAP, b) for b in only_b[n_first : len(only_b) - n_last]]
            between = [*heads, *alone, *tails]
        found += [*between, *positions[last : last + 1]]
    return found


def _by_subsequence(a: Ints, b: Ints) -> Alignment:
    """Align ids [T of A] and [T of B] along a longest common subsequence."""
    lengths = np.zeros((len(a) + 1, len(b) + 1), np.int16)  # of the longest of a[:i] and b[:j]
    for i, piece in enumerate(a):
        # The recurrence's maximum with the entry to the left, for a whole row at once.
        candidates = np.maximum(lengths[i, 1:], lengths[i, :-1] + (b == piece))
        np.maximum.accumulate(candidates, out=lengths[i + 1, 1:])
    positions = []
    i, j = len(a), len(b)
    while i or j:
        if i and j and a[i - 1] == b[j - 1]:
            i, j = i - 1, j - 1
            positions.append((i, j))
        elif j and (not i or lengths[i, j - 1] >= lengths[i - 1, j]):
            j -= 1
            positions.append((GAP, j))
        else:
            i -= 1
            positions.append((i, GAP))
    return Alignment(np.array(_with_changed(positions[::-1]), np.int32).reshape(-1, 2))


@dataclass(frozen=True, eq=False, repr=False)
class Compared(HasTable, HasFigures):
    """Two runs with their tokens aligned."""

    trace_a: Trace
    trace_b: Trace
    alignment: Alignment

    def __repr__(self) -> str:
        runs = (f"{one.n_tokens} tokens of {one.model}" for one in (self.trace_a, self.trace_b))
        missing = " ".join(("", *self.left_out))
        return f"<Compared: {' with '.join(runs)}, {len(self.alignment.pairs)} aligned.{missing}>"

    def _repr_html_(self) -> str:
        runs = (("run A", self.trace_a), ("run B", self.trace_b))
        facts = [(name, f"{one.model}: {shortened(one.tokens.labels)}") for name, one in runs]
        facts += [("aligned tokens", str(len(self.alignment.pairs)))]
        facts += [("not compared", sentence) for sentence in self.left_out]
        names = zip(("layer", "head"), self._sizes, strict=True)
        axes = [(name, list(map(str, range(count)))) for name, count in names]
        is_quick = self.trace_a.n_tokens * self.trace_b.n_keys * math.prod(self._sizes) <= MOST_NUMBERS
        picture = picture_html(self.divergence, axes) if is_quick else ""
        title = "<p>How differently each head attends, in bits:</p>" if picture else ""
        return facts_html("Compared runs", facts) + title + picture

    @property
    def _sizes(self) -> tuple[int, int]:
        """The numbers of layers and heads that are compared."""
        runs = self.trace_a, self.trace_b
        return min(run.n_layers for run in runs), min(run.n_heads for run in runs)

    def as_table(self) -> Table:
        """Return a row for each head: layer, head, and its `divergence`."""
        lines = RowSource(lambda: ((*at, value) for at, value in np.ndenumerate(self.divergence)))
        return Table(("layer", "head", "divergence"), lines)

    def to_numpy(self) -> Floats:
        """Return `divergence`, [layers, heads]."""
        return self.divergence

    @property
    def left_out(self) -> tuple[str, ...]:
        """Sentences on the layers, heads and tokens that are not compared; mostly none."""
        return left_out(self.trace_a, self.trace_b, self.alignment)

    @cached_property
    def divergence(self) -> Floats:
        """[L, H] in bits, how differently each head attends; computed when it is first read."""
        apart = divergence(self.trace_a, self.trace_b, self.alignment)
        apart.flags.writeable = False
        return apart

    def difference(self, layer: int, head: int) -> Floats:
        """Return the attention of run A less that of run B in one head.

        Parameters
        ----------
        layer, head : int
            Counted from 0.

        Returns
        -------
        ndarray of float32, shape [N, N]
            Differences of weights, from -1 to 1; nan where a run lacks a token; N: length of the alignment.
            Of cross-attention [T, K].

        Raises
        ------
        SelectionError
            For a layer or a head that one of the models does not have.
        """
        return difference(self.trace_a, self.trace_b, self.alignment, layer, head)


def compare(trace_a: Trace, trace_b: Trace) -> Compared:
    """Return two runs, of any texts and checkpoints, with their tokens aligned.

    Parameters
    ----------
    trace_a, trace_b : Trace
        Run A and run B.

    Returns
    -------
    Compared

    Raises
    ------
    ArgumentError
        For an argument that is no trace.
    AnalysisError
        For weights that go from one text to another, unless both do and all tokens are the same.

    Warns
    -----
    ComparisonWarning
        Where one of the models has more layers or heads: those are left out. See `Compared.left_out`.
    """
    call = 'compare(model.trace("one text"), model.trace("another"))'
    trace_a, trace_b = as_trace(trace_a, call), as_trace(trace_b, call)
    alignment = align_traces(trace_a, trace_b)
    for sentence in _missing_heads(trace_a, trace_b):
        warnings.warn(sentence, ComparisonWarning, stacklevel=2)
    return Compared(trace_a, trace_b, alignment)


def left_out(trace_a: Trace, trace_b: Trace, alignment: Alignment) -> tuple[Message, ...]:
    """Return sentences on the layers, heads and tokens of two runs that are not compared; mostly none."""
    found = _missing_heads(trace_a, trace_b)
    n_pairs = len(alignment.pairs)
    n_gaps = trace_a.n_tokens - n_pairs, trace_b.n_tokens - n_pairs
    if any(n_gaps):
        message = Message(
            "Only the {0} tokens that both runs have are compared; {1} of run A and {2} of run B are not.",
            n_pairs,
            *n_gaps,
        )
        found.append(message)
    return tuple(found)


def _missing_heads(trace_a: Trace, trace_b: Trace) -> list[Message]:
    """Return sentences on the layers and heads that only one of two runs has."""
    found = []
    for name, own, other in (("A", trace_a, trace_b), ("B", trace_b, trace_a)):
        if own.n_layers == other.n_layers + 1:
            layer = other.n_layers, name
            found.append(Message("Layer {0} of run {1} is left out: the other run has none.", *layer))
        elif own.n_layers > other.n_layers:
            layers = other.n_layers, own.n_layers - 1, name
            found.append(
                Message("Layers {0} to {1} of run {2} are left out: the other run has none.", *layers)
            )
        if own.n_heads == other.n_heads + 1:
            head = other.n_heads, name
            found.append(Message("Head {0} of run {1} is left out: the other run has none.", *head))
        elif own.n_heads > other.n_heads:
            heads = other.n_heads, own.n_heads - 1, name
            found.append(Message("Heads {0} to {1} of run {2} are left out: the other run has none.", *heads))
    return found


def difference(trace_a: Trace, trace_b: Trace, alignment: Alignment, layer: int, head: int) -> Floats:
    """Return [N, N], the attention of run A less that of run B in one head, from -1 to 1; nan at gaps.

    N is the length of the alignment; of cross-attention it is [T, K]. Raises SelectionError for a layer or a
    head that one of the models does not have.
    """
    sides = alignment, keys_of(trace_a, alignment)
    weights = np.full([len(side) for side in sides], np.nan, np.float32)
    known = [np.flatnonzero((side.positions != GAP).all(1)) for side in sides]
    of_a, of_b = (
        trace.attention(layer, head)[np.ix_(*(side.pairs[:, run] for side in sides))]
        for run, trace in enumerate((trace_a, trace_b))
    )
    weights[np.ix_(*known)] = of_a - of_b
    return weights


def last_head(traces: Sequence[Trace], layer: int | None = None, head: int | None = None) -> tuple[int, int]:
    """Return the last layer and the last of its heads that all `traces` have, or those that are given."""
    layers = range(min(trace.n_layers for trace in traces)) if layer is None else (layer,)
    for at in reversed(layers):
        if head is not None or not all(0 <= at < trace.n_layers for trace in traces):
            return at, 0 if head is None else head
        if shared := set.intersection(*(set(trace.heads_of(at)) for trace in traces)):
            return at, max(shared)
    return layers[-1], 0


def divergence(
    trace_a: Trace, trace_b: Trace, alignment: Alignment, check: Callable[[], None] | None = None
) -> Floats:
    """Return float32 [L, H] in bits, how differently each head attends in the two runs.

    It is the mean over the aligned queries of the Jensen-Shannon divergence of their two rows (Lin 1991,
    "Divergence measures based on the Shannon entropy"): from 0, the same rows, to 1, rows with no key in
    common; 1 without aligned tokens. The weights on keys without a counterpart are summed in one more cell,
    so that both rows remain distributions. L and H are those that both models have. `check` is called between
    blocks of rows; it may raise Cancelled.
    """
    n_layers = min(trace_a.n_layers, trace_b.n_layers)
    n_heads = min(trace_a.n_heads, trace_b.n_heads)
    totals = np.full((n_layers, n_heads), np.nan)
    pairs, keys = (one.pairs.astype(np.intp) for one in (alignment, keys_of(trace_a, alignment)))
    if not len(pairs):
        return np.ones_like(totals, np.float32)
    at_once = max(1, _CELLS_AT_ONCE // max(trace_a.n_keys, trace_b.n_keys))
    for layer, head in np.ndindex(n_layers, n_heads):
        if head not in trace_a.heads_of(layer) or head not in trace_b.heads_of(layer):
            continue  # which stays nan
        totals[layer, head] = 0
        for first in range(0, len(pairs), at_once):
            if check is not None:
                check()
            block = pairs[first : first + at_once]
            rows = [
                _rows(trace, (layer, head), block[:, run], keys[:, run])
                for run, trace in enumerate((trace_a, trace_b))
            ]
            # Of each row the entropy of the mean minus the mean of the entropies.
            width = max(one.shape[-1] for one in rows)
            one, other = (_widened(weights, width) for weights in rows)
            mean: Floats = (one + other) / np.float32(2)
            apart = (_negentropies(one) + _negentropies(other)) / 2 - _negentropies(mean)
            totals[layer, head] += np.clip(apart, 0, 1).sum(dtype=np.float64)
    return (totals / len(pairs)).astype(np.float32)


def largest_difference(one: Trace, other: Trace, check: Callable[[], None] = lambda: None) -> float:
    """Return the largest |weight - weight| between two traces of the same tokens and sizes.

    `check` is called between blocks of rows; it may raise to end the work.
    """
    largest, at_once = 0.0, max(1, _CELLS_AT_ONCE // one.n_tokens)
    for layer in range(one.n_layers):
        for head in one.heads_of(layer):
            for first in range(0, one.n_tokens, at_once):
                check()
                rows = slice(first, first + at_once)
                weights = one.attention(layer, head, rows)
                weights -= other.attention(layer, head, rows)
                largest = max(largest, float(weights.max()), float(-weights.min()))
    return largest


def _rows(trace: Trace, at: tuple[int, int], queries: Indices, keys: Indices) -> Floats:
    """Return [q, k] of the aligned keys or, where the run has more, [q, k + 1] with their weight."""
    weights = trace.attention(*at, rows=queries)
    if len(keys) == trace.n_keys:
        return weights
    known = weights[..., keys]
    return np.concatenate((known, np.maximum(1 - known.sum(-1, keepdims=True), 0)), axis=-1)


def _widened(rows: Floats, width: int) -> Floats:
    """Return rows [..., K] with `width` entries, K or K + 1, the last of which is 0 then."""
    if rows.shape[-1] == width:
        return rows
    return np.concatenate((rows, np.zeros((*rows.shape[:-1], 1), np.float32)), axis=-1)


def _negentropies(rows: Floats) -> Floats:
    """Return [q], the sum of p log2 p of each row of [q, k]."""
    logarithms = np.maximum(rows, _TINY)
    np.log2(logarithms, out=logarithms)
    sums: Floats = np.einsum("...k,...k->...", rows, logarithms)
    return sums


def no_difference() -> AnalysisError:
    """Return the error for results whose numbers cannot be subtracted."""
    return AnalysisError(
        Message("There is no difference of two such results."), Message("Show run A or run B.")
    )


Selection = slice | Indices
"""Some of the queries: a slice, or their positions."""

MAX_BYTES = 2 << 30
"""More numbers than this are not computed where they cannot be made again piece by piece."""

MOST_CACHED = 520**2
"""A matrix of at most this number of cells is computed once and cached: 1 MB."""


class MatrixSource:
    """A matrix of numbers between queries and keys; nan where one of two compared runs lacks the token.

    A subclass computes them; those of a small matrix are all computed once and cached. A column needs whole
    rows of attention, so without the cache each column would cost as much as the matrix.
    """

    def __init__(self, n_queries: int, n_keys: int) -> None:
        self.n_queries, self.n_keys = n_queries, n_keys
        self._cached: Floats | None = None

    def computed(self, queries: Selection) -> Floats:
        """Return the numbers [r, n_keys] of some queries."""
        raise NotImplementedError

    def rows(self, queries: Selection) -> Floats:
        """Return the numbers [r, n_keys] of some queries; nan where one of two runs lacks the token."""
        if self._cached is None and self.n_queries * self.n_keys <= MOST_CACHED:
            self._cached = self.computed(slice(None))
            self._cached.flags.writeable = False
        return self.computed(queries) if self._cached is None else self._cached[queries]

    def column(self, key: int) -> Floats:
        """Return the numbers [n_queries] of one key; nan where one of two runs lacks the token."""
        return self.rows(slice(None))[:, key]


class DenseMatrix(MatrixSource):
    """Numbers [queries, keys] that are in memory already."""

    def __init__(self, values: Floats) -> None:
        super().__init__(*values.shape)
        self._cached = values


class AttentionMatrix(MatrixSource):
    """The attention weights of one head, or these times a number for each key.

    `factors` [T], one for each key; None: the weights themselves.
    """

    def __init__(self, trace: Trace, layer: int, head: int, factors: Floats | None = None) -> None:
        super().__init__(trace.n_tokens, trace.n_keys)
        self._trace, self._at, self._factors = trace, (layer, head), factors

    def computed(self, queries: Selection) -> Floats:
        weights = self._trace.attention(*self._at, rows=queries)
        return weights if self._factors is None else weights * self._factors

    def column(self, key: int) -> Floats:
        if self.n_queries * self.n_keys <= MOST_CACHED:
            return super().column(key)
        column = attention_column(self._trace, *self._at, key)
        return column if self._factors is None else column * self._factors[key]


class LayerMatrix(MatrixSource):
    """The mean of the attention weights of all heads of a layer."""

    def __init__(self, trace: Trace, layer: int) -> None:
        super().__init__(trace.n_tokens, trace.n_keys)
        self._trace, self._layer = trace, layer

    def computed(self, queries: Selection) -> Floats:
        mean: Floats = np.nanmean(self._trace.attention(self._layer, rows=queries), 0)  # nan: a pruned head
        return mean


class MatrixDifference(MatrixSource):
    """A matrix of run A minus that of run B, between the tokens of their alignment; nan at gaps.

    `runs`: the two matrices. `positions` int32 [N, 2]: the aligned positions in A and in B, -1 for a gap, and
    `key_positions`: those of the columns, the same ones but in cross-attention.
    """

    def __init__(
        self, a: MatrixSource, b: MatrixSource, alignment: Alignment, keys: Alignment | None = None
    ) -> None:
        keys = keys or alignment
        super().__init__(len(alignment), len(keys))
        self.runs, self.positions, self.key_positions = (a, b), alignment.positions, keys.positions

    def computed(self, queries: Selection) -> Floats:
        rows, columns = self.positions[queries], self.key_positions  # [r, 2], [N, 2]
        of_a, of_b = (
            matrix.rows(np.maximum(rows[:, run], 0).astype(np.intp))[:, np.maximum(columns[:, run], 0)]
            for run, matrix in enumerate(self.runs)
        )
        difference: Floats = of_a - of_b
        difference[(rows == GAP).any(1)] = np.nan
        difference[:, (columns == GAP).any(1)] = np.nan
        return difference


def refuse_large(trace: Trace, n_bytes: int) -> None:
    """Raise AnalysisError if the arrays of an analysis of `trace` would take more than MAX_BYTES."""
    if (error := too_large(trace, n_bytes)) is not None:
        raise error


def too_large(trace: Trace, n_bytes: int) -> AnalysisError | None:
    """Return the error where arrays of an analysis of `trace` would take more than MAX_BYTES, else None."""
    if n_bytes <= MAX_BYTES:
        return None
    message = Message(
        "This analysis of {0} tokens would take {1} GiB of memory.",
        f"{trace.n_tokens:,}",
        f"{n_bytes / 2**30:.1f}",
    )
    return AnalysisError(message, Message("Write a shorter text."))


def large_matrices(trace: Trace) -> AnalysisError | None:
    """Return the error for a text whose matrices [L, T, T] would take more than MAX_BYTES, else None."""
    return too_large(trace, 4 * trace.n_layers * trace.n_tokens**2)
