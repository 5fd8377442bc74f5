"""The kinds of results of analyses: each knows its axes, quantity and range, and is written the same way."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import (
    GAP,
    Alignment,
    DenseMatrix,
    MatrixDifference,
    MatrixSource,
    no_difference,
    refuse_large,
)
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.picture import (
    MOST_LISTED,
    SHARE_OF_ONE,
    Axis,
    Index,
    Picture,
    Quantity,
    counted,
    largest_first,
    picture_by_axes,
    plain_quantity,
)
from bertviz_app.errors import AnalysisError, Message, imported
from bertviz_app.figures import OfRuns
from bertviz_app.notebooks import ShownResult
from bertviz_app.tables import RowSource, Table, column_name
from bertviz_app.text.edits import MASKS
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.types import Doubles, Floats
from bertviz_app.typeset import fixed, general, probability, signed
from bertviz_app.values import dataclass, field, replace

ViewKey = Literal[
    "words",
    "lines",
    "matrix",
    "image",
    "picture",
    "grid",
    "table",
]
"""The views of panels that show results, by their keys; a table of the numbers stands beside most."""

_MOST_READ = 3
"""So many heads that one reads are named."""

MAX_BYTES = 8 << 30
"""More numbers than this are not put into one array."""


class Result(ShownResult, OfRuns, ABC):
    """What an analysis returns. Its main array is of floats; all its arrays are read-only."""

    identity_error: float | None = None
    """How far the identity that the analysis promises is off, the largest difference; None: it has none."""
    views: ClassVar[tuple[ViewKey, ...]] = ("picture",)
    """The views of a panel that show it, the one to begin with first."""
    study: str = ""
    """The key of the study that it is the result of; "" for the result of a trace."""
    study_title: str = ""
    study_paper: str = ""
    about: Mapping[str, Any] | None = None
    """Of the result of a study: the checkpoint, the file, how it was read, and how many of its texts were
    left out, by reason; None for the result of a trace."""

    @property
    @abstractmethod
    def axes(self) -> tuple[Axis, ...]:
        """The axes of `values`, in order."""

    @property
    def noise(self) -> float:
        """The size below which its changes may be rounding alone; 0: it has no changes."""
        return 0.0

    @property
    def n_bytes(self) -> int:
        """The memory that the result takes, in bytes."""
        return sum(array.nbytes for array in self.arrays().values())

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return its arrays by name; the main one is "values", with the axes `axes`."""

    @abstractmethod
    def as_table(self) -> Table:
        """Return its numbers as rows under named columns."""

    def brief_table(self) -> Table:
        """Return the table that a terminal shows: all, unless a kind of results has too many columns."""
        return self.as_table()

    @property
    def other_axes(self) -> Mapping[str, tuple[Axis, ...]]:
        """The axes, in order, of the arrays that have others than `axes`, by the names of the arrays."""
        return {}

    def pictures(self) -> tuple[Picture, ...]:
        """Return how its numbers are drawn, the first one first; none where a view of its own draws them."""
        return ()

    def findings(self) -> tuple[str, ...]:
        """Return what is to be said of the result as a whole, in sentences or parts of one."""
        return ()

    def story(self) -> tuple[Message, ...]:
        """Return the result in plain sentences, which stand above its picture; most kinds have none."""
        return ()

    def leave_out(self, present: NDArray[np.bool_]) -> None:
        """Set to nan the numbers of heads that are not `present` [L, H]; their matrices are nan already."""
        for name, axes in {"values": self.axes, **self.other_axes}.items():
            positions = {axis.name: at for at, axis in enumerate(axes)}
            if isinstance(self, _Matrices) or not {"layer", "head"} <= {*positions}:
                continue
            array = self.arrays()[name]
            if array.dtype.kind != "f" or axes[positions["head"]].labels[0] != "0":  # "all": means of layers
                continue
            array.flags.writeable = True
            heads = np.moveaxis(array, (positions["layer"], positions["head"]), (0, 1))
            n_layers, n_heads = heads.shape[:2]
            heads[~present[:n_layers, :n_heads]] = np.nan
            array.flags.writeable = False

    def remember_file(self, about: Mapping[str, Any], study: str, title: str, paper: str) -> None:
        """Note which study has computed this, by its key and its words, and of which texts of a file."""
        object.__setattr__(self, "about", dict(about))  # which can be pickled
        object.__setattr__(self, "study", study)
        object.__setattr__(self, "study_title", title)
        object.__setattr__(self, "study_paper", paper)

    def minus(self, other: Self, alignment: Alignment) -> Self:
        """Return the difference of the results of two runs, nan where one lacks a token.

        Raises AnalysisError where there is none, which is so unless a kind of results defines it.
        """
        raise no_difference()


SIGNIFICANT = "significant"
"""The key of the scalar that is 1 for heads which pictures mark, 0 for the others."""


@dataclass(frozen=True)
class Scalar:
    """One number of each head: its key, and what it measures.

    `categories`: where it is the number of one, the short and the full name of each.
    """

    key: str
    quantity: Quantity
    categories: tuple[tuple[Message, Message], ...] = ()


@dataclass(frozen=True, eq=False)
class HeadScalars(Result):
    """One or several numbers of each head: `values` [C, L, H], C being the `scalars`.

    `outcome`: what "change" is added to: the outcome of the unchanged run. `beside`: the keys of scalars of
    one quantity that are drawn side by side, each group with its title, None for that of its first scalar.
    """

    scalars: tuple[Scalar, ...]
    values: Floats
    identity_error: float | None = None
    outcome: float | None = None
    beside: tuple[tuple[Message | None, tuple[str, ...]], ...] = ()

    def __post_init__(self) -> None:
        _freeze(self.values, 3, len(self.scalars))

    @property
    def noise(self) -> float:
        return max((scalar.quantity.noise for scalar in self.scalars), default=0.0)

    @property
    def marked(self) -> NDArray[np.bool_]:
        """Which heads [L, H] are significant; none where that is not tested, or of a difference of runs."""
        keys = [scalar.key for scalar in self.scalars if not scalar.quantity.is_signed]
        shape = self.values.shape[1:]
        return self.of(SIGNIFICANT) == 1 if SIGNIFICANT in keys else np.zeros(shape, bool)

    def of(self, key: str) -> Floats:
        """Return the numbers [L, H] of the scalar with this key. Raises KeyError if none has it."""
        keys = [scalar.key for scalar in self.scalars]
        if key not in keys:
            raise KeyError(key)
        values: Floats = self.values[keys.index(key)]
        return values

    @property
    def axes(self) -> tuple[Axis, ...]:
        _, n_layers, n_heads = self.values.shape
        keys = Axis("scalar", tuple(scalar.key for scalar in self.scalars))
        return keys, counted("layer", n_layers), counted("head", n_heads)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"values": self.values}

    def pictures(self) -> tuple[Picture, ...]:
        marked, found = self.marked if self.marked.any() else None, []
        by_key = {scalar.key: scalar for scalar in self.scalars}
        for title, group in self.beside:
            keys = tuple(key for key in group if key in by_key)
            if len(keys) > 1:
                axes = Axis("scalar", keys), *self.axes[1:]
                values = np.stack([self.of(key) for key in keys])
                quantity = by_key[keys[0]].quantity
                found.append(Picture(keys[0], "cells", values, axes, quantity, title, beside="scalar"))
        together = {key for picture in found for key in picture.axes[0].labels}
        for scalar, values in zip(self.scalars, self.values, strict=True):
            if scalar.key in together:
                continue
            is_change = scalar.key == "change"
            picture = Picture(
                key=scalar.key,
                mark="cells",
                values=values,
                axes=self.axes[1:],
                quantity=scalar.quantity,
                title=Message("Change of the outcome") if is_change else None,
                marked=marked,
                categories=scalar.categories,
                details=no_details
                if self.outcome is None or not is_change
                else changes_from(self.outcome, values),
            )
            found.append(picture)
        return tuple(found)

    def findings(self) -> tuple[str, ...]:
        if not self.marked.any():
            return ()
        return (
            Message(
                "a dot: significant after correction, {0} of {1} heads",
                int(self.marked.sum()),
                self.marked.size,
            ),
        )

    def as_table(self) -> Table:
        """Return a row for each head: layer, head, and its numbers."""
        _, n_layers, n_heads = self.values.shape
        heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
        lines = RowSource(lambda: ((*at, *self.values[:, at[0], at[1]]) for at in heads))
        return Table(("layer", "head", *(column_name(scalar.key) for scalar in self.scalars)), lines)

    def minus(self, other: Self, alignment: Alignment | None = None) -> Self:
        """Return the differences of what both have but for categories. Raises AnalysisError."""
        keys = {scalar.key for scalar in other.scalars}
        both = [scalar for scalar in self.scalars if scalar.key in keys and not scalar.categories]
        if not both:
            raise no_difference()
        n_layers, n_heads = (min(self.values.shape[at], other.values.shape[at]) for at in (1, 2))
        at = np.s_[:n_layers, :n_heads]
        values = np.stack([self.of(scalar.key)[at] - other.of(scalar.key)[at] for scalar in both])
        scalars = tuple(replace(scalar, quantity=scalar.quantity.minus()) for scalar in both)
        found = replace(self, scalars=scalars, values=values, identity_error=None, outcome=None)
        return found.as_difference(self, other)


def no_details(index: Index) -> Sequence[str]:
    """Return nothing: the number of a part says all."""
    return ()


def changes_from(outcome: float, changes: Floats) -> Callable[[Index], Sequence[str]]:
    """Return the details of changes [L, H] or [L, N]: the outcome before and after each."""

    def details(index: Index) -> tuple[str, ...]:
        change = float(changes[tuple(index.values())])
        if change != change:
            return ()
        ends = fixed(outcome), fixed(outcome + change)
        return (Message("outcome {0} → {1}", *ends),)

    return details


@dataclass(frozen=True, eq=False)
class _Matrices(Result):
    """Matrices between tokens; `source` makes one, cheaply, when it is read.

    `held_bytes`: the memory of the arrays from which `source` makes the matrices, the trace's excepted.
    """

    n_layers: int
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    quantity: Quantity
    source: Callable[..., MatrixSource]
    held_bytes: int = 0
    identity_error: float | None = None
    views = ("lines", "words", "matrix", "image")

    @property
    def _counts(self) -> Mapping[str, int]:
        """How many matrices there are along each of the first axes, by its name."""
        return {"layer": self.n_layers}

    @property
    def axes(self) -> tuple[Axis, ...]:
        first = (counted(name, count) for name, count in self._counts.items())
        return *first, Axis("query", self.queries), Axis("key", self.keys)

    @property
    def n_bytes(self) -> int:
        return self.held_bytes

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return "values" [..., queries, keys]. Raises AnalysisError for more than fits into memory."""
        shape = tuple(map(len, self.axes))
        n_bytes = 4 * math.prod(shape)
        if n_bytes > MAX_BYTES:
            size = f"{n_bytes / 2**30:,.0f}"
            message = Message("All matrices together would take {0} GiB of memory.", size)
            raise AnalysisError(message, Message("Write a shorter text."))
        values = np.empty(shape, np.float32)
        for at in np.ndindex(*self._counts.values()):
            values[at] = self.source(*at).rows(slice(None))
        return {"values": values}

    def as_table(self) -> Table:
        """Return a row for each pair of tokens: layer, head where it has one, query, key, value."""
        every = tuple(self._counts.values())
        lines = RowSource(
            lambda: ((*at, *cell) for at in np.ndindex(every) for cell in _cells(self.source(*at)))
        )
        return Table((*self._counts, "query", "key", "value"), lines)

    def to_pandas(self) -> Any:
        """Return a row for each pair of tokens: layer, head where it has one, query, key, tokens and value.

        "query" and "key" are positions, "query_token" and "key_token" the tokens there, which are categories:
        each text is in memory once. Raises PackageError without pandas.
        """
        pandas = imported("pandas")
        values = self.arrays()["values"]

        def along(axis: int, of_each: NDArray[Any]) -> NDArray[Any]:
            shape = [-1 if at == axis else 1 for at in range(values.ndim)]
            return np.broadcast_to(of_each.reshape(shape), values.shape).reshape(-1)

        found = {
            axis.name: along(at, np.arange(len(axis), dtype=np.int32)) for at, axis in enumerate(self.axes)
        }
        for at, axis in enumerate(self.axes[-2:], values.ndim - 2):
            texts, codes = np.unique(np.array(axis.labels, object), return_inverse=True)
            few = codes.astype(np.min_scalar_type(-len(texts)))
            found[f"{axis.name}_token"] = pandas.Categorical.from_codes(along(at, few), texts)
        return pandas.DataFrame({**found, "value": values.reshape(-1)}, copy=False)

    def minus(self, other: Self, alignment: Alignment) -> Self:
        """Return the differences between aligned tokens, of the layers (and heads) that both have."""
        a, b = self.source, other.source
        found = replace(
            self,
            n_layers=min(self.n_layers, other.n_layers),
            queries=alignment.labels(self.queries, other.queries),
            keys=alignment.labels(self.keys, other.keys),
            quantity=self.quantity.minus(),
            source=lambda *at: MatrixDifference(a(*at), b(*at), alignment),
            held_bytes=self.held_bytes + other.held_bytes,
            identity_error=None,
        )
        return found.as_difference(self, other)


@dataclass(frozen=True, eq=False)
class HeadMatrices(_Matrices):
    """A matrix between tokens for each head, [L, H, queries, keys]: `source(layer, head)`."""

    n_heads: int = field(kw_only=True)

    @property
    def _counts(self) -> Mapping[str, int]:
        return {"layer": self.n_layers, "head": self.n_heads}

    def minus(self, other: Self, alignment: Alignment) -> Self:
        """Return the differences between aligned tokens, of the layers and heads that both have."""
        found = replace(super().minus(other, alignment), n_heads=min(self.n_heads, other.n_heads))
        return found.as_difference(self, other)


def _off_one(values: Floats) -> float:
    """Return how far the sums of the rows of `values` are from 1, the largest difference."""
    return float(np.abs(values.sum(-1, dtype=np.float64) - 1).max())


class TokenMatrices(_Matrices):
    """A matrix between tokens for each layer, without heads, [L, queries, keys]: `source(layer)`."""

    @classmethod
    def by_layer(
        cls,
        trace: Trace,
        layers: Iterable[Doubles | Floats],
        reporter: Reporter,
        quantity: Quantity = SHARE_OF_ONE,
        error: Callable[[Floats], float] = _off_one,
    ) -> Self:
        """Return the matrices [T, T] that `layers` yields between the tokens of a trace, one for each layer.

        `error` returns the `identity_error` of all of them together, [L, T, T]: by default how far sums of
        rows are from 1. Raises AnalysisError for a text whose matrices would take more than 2 GiB.
        """
        refuse_large(trace, 4 * trace.n_layers * trace.n_tokens**2)
        values = np.empty((trace.n_layers, trace.n_tokens, trace.n_tokens), np.float32)
        for layer, matrix in enumerate(layers):
            values[layer] = matrix
            reporter.progress((layer + 1) / trace.n_layers)
        tokens = trace.tokens.pieces
        return cls.dense(values, tokens, tokens, quantity, error(values))

    @classmethod
    def dense(
        cls, values: Floats, queries: tuple[str, ...], keys: tuple[str, ...], quantity: Quantity, error: float
    ) -> Self:
        """Return the matrices `values` [L, queries, keys]; `error` becomes the `identity_error`."""
        _freeze(values, 3)
        return cls(
            n_layers=len(values),
            queries=queries,
            keys=keys,
            quantity=quantity,
            source=lambda layer: DenseMatrix(values[layer]),
            held_bytes=values.nbytes,
            identity_error=error,
        )


class RunMatrix(TokenMatrices):
    """One matrix of the whole run, which is not of any layer: [1, queries, keys]."""


@dataclass(frozen=True, eq=False)
class TokenScalars(Result):
    """A number for each token: `values` [T], or [S, T] of S hidden states or layers.

    `states` names the first axis, "layer" or "state"; None for [T]. `standard_errors` [T] or [S, T] are those
    of values that are estimated by sampling.
    """

    tokens: tuple[str, ...]
    values: Floats
    quantity: Quantity
    states: str | None = None
    identity_error: float | None = None
    standard_errors: Floats | None = None

    def __post_init__(self) -> None:
        n_axes = 1 if self.states is None else 2
        _freeze(self.values, n_axes)
        if self.standard_errors is not None:
            _freeze(self.standard_errors, n_axes)
        if self.values.shape[-1] != len(self.tokens):
            raise ValueError("a number for each token is needed")

    @property
    def noise(self) -> float:
        return self.quantity.noise

    @property
    def axes(self) -> tuple[Axis, ...]:
        tokens = Axis("token", self.tokens)
        return (tokens,) if self.states is None else (counted(self.states, len(self.values)), tokens)

    def arrays(self) -> dict[str, NDArray[Any]]:
        errors = {} if self.standard_errors is None else {"standard_errors": self.standard_errors}
        return {"values": self.values} | errors

    def pictures(self) -> tuple[Picture, ...]:
        errors = self.standard_errors
        low, high = (None, None) if errors is None else (self.values - errors, self.values + errors)
        details = no_details if errors is None else self._error_at
        bars = Picture("value", "bars", self.values, self.axes, self.quantity, details=details)
        bars = replace(bars, low=low, high=high)
        if self.states is None:
            return (bars,)
        return bars, Picture("all", "cells", self.values, self.axes, self.quantity, Message("All layers"))

    def _error_at(self, index: Index) -> tuple[str, ...]:
        assert self.standard_errors is not None
        error = float(self.standard_errors[tuple(index.values())])
        if error != error:
            return (Message("standard error unknown: more orders are needed"),)
        return (Message("standard error {0}", general(float(f"{error:.4g}"))),)

    def as_table(self) -> Table:
        """Return a row for each number: its state or layer if it has one, position, token, value, error."""
        errors = self.standard_errors
        columns = (*(() if self.states is None else (self.states,)), "position", "token", "value")
        lines = RowSource(
            lambda: (
                (*at, self.tokens[at[-1]], value, *(() if errors is None else (errors[at],)))
                for at, value in np.ndenumerate(self.values)
            )
        )
        return Table(columns if errors is None else (*columns, "standard_error"), lines)

    def minus(self, other: Self, alignment: Alignment) -> Self:
        """Return the differences [..., N] of aligned tokens, nan at gaps."""
        positions = np.maximum(alignment.positions, 0)
        of_a, of_b = self.values, other.values
        if self.states is not None:
            n_states = min(len(of_a), len(of_b))
            of_a, of_b = of_a[:n_states], of_b[:n_states]
        values = of_a[..., positions[:, 0]] - of_b[..., positions[:, 1]]
        values[..., (alignment.positions == GAP).any(1)] = np.nan
        tokens = alignment.labels(self.tokens, other.tokens)
        found = replace(
            self,
            tokens=tokens,
            values=values,
            quantity=self.quantity.minus(),
            identity_error=None,
            standard_errors=None,
        )
        return found.as_difference(self, other)


@dataclass(frozen=True, eq=False)
class LayerRankings(Result):
    """The k likeliest pieces at each token of each hidden state, the likeliest first.

    `values` [L + 1, T, k] are their probabilities, `ids` int32 [L + 1, T, k] their numbers in the vocabulary,
    `pieces` the text of each number that occurs. `has_followed`: the last of the k pieces is one that the
    user follows, whatever its rank. `differences` [L + 1, T]: by how much the logit of that piece is above
    that of `against`, another one; None where it is set against none.
    """

    tokens: tuple[str, ...]
    ids: NDArray[np.int32]
    values: Floats
    pieces: Mapping[int, str]
    identity_error: float | None = None
    has_followed: bool = False
    against: str = ""
    differences: Floats | None = None

    def __post_init__(self) -> None:
        _freeze(self.values, 3)
        if self.differences is not None:
            _freeze(self.differences, 2, len(self.values))
        self.ids.flags.writeable = False
        if self.ids.shape != self.values.shape:
            raise ValueError("each probability needs an id")

    @property
    def axes(self) -> tuple[Axis, ...]:
        n_states, _, n_ranks = self.values.shape
        ranks = Axis("rank", tuple(str(rank + 1) for rank in range(n_ranks)))
        return counted("state", n_states), Axis("token", self.tokens), ranks

    @property
    def other_axes(self) -> Mapping[str, tuple[Axis, ...]]:
        return {} if self.differences is None else {"differences": self.axes[:2]}

    def pictures(self) -> tuple[Picture, ...]:
        """Return the likeliest pieces of each token in each state, the last on top, and one piece in all.

        That is the piece that is followed, whose picture comes first then, or that of the last state.
        """
        state, token, rank = self.axes
        states, ids = Axis("state", state.labels[::-1]), self.ids[::-1].swapaxes(0, 1)  # [T, S, k]
        names = np.array([self.pieces[number] for number in ids.ravel().tolist()], np.str_)
        names, values = names.reshape(ids.shape), self.values[::-1].swapaxes(0, 1)
        n_top, unit = ids.shape[2] - self.has_followed, Quantity("", 0, 1)
        start = {"token": first_masked(self.tokens), "state": 0}
        cells = Picture(
            key="pieces",
            mark="cells",
            values=values[..., 0].T,
            axes=(states, token),
            quantity=unit,
            title=Message("Probability"),
            text=names[..., 0].T,
            top=1.0,
            details=self._others_at,
            start=start,
        )
        likeliest = Picture(
            key="likeliest",
            mark="bars",
            values=values[..., :n_top],
            axes=(token, states, Axis(rank.name, rank.labels[:n_top])),
            quantity=unit,
            title=Message("Likeliest pieces"),
            text=names[..., :n_top],
            marked=(ids == self._followed[:, None, None])[..., :n_top],
            top=1.0,
            sets=lambda at: {
                "piece": str(names[at["token"], at["state"], at["rank"]]),
                "part": "followed",
            },
            start=start,
            meaning=Message("Click a piece to follow it through the layers."),
        )
        by_state = [replace(one, start=start) for one in self._by_state(token, states)]
        return (*by_state, cells, likeliest) if self.has_followed else (cells, likeliest, *by_state)

    @property
    def _followed(self) -> NDArray[np.int32]:
        """The piece of each token that is followed: the one that is chosen, else that of the last state."""
        found: NDArray[np.int32] = self.ids[-1, :, -1 if self.has_followed else 0]
        return found

    def _by_state(self, token: Axis, states: Axis) -> list[Picture]:
        """Return the probability of the followed piece in each state, and how far it is above another one."""
        followed, ids, values = self._followed, self.ids[::-1], self.values[::-1]
        is_followed = ids == followed[:, None]
        listed = np.where(is_followed.any(-1), np.where(is_followed, values, 0).max(-1), np.float32(np.nan))
        piece = self.pieces[int(followed[0])]
        of_last = Message("Probability of the last layer's piece")
        one = Picture(
            key="followed",
            mark="bars",
            values=listed.T,
            axes=(token, states),
            quantity=Quantity("", 0, 1),
            title=Message("Probability of “{0}”", piece) if self.has_followed else of_last,
            top=1.0,
            details=lambda at: [f"“{self.pieces[int(followed[at['token']])]}”"],
            meaning=Message(
                "The task head was trained on the last layer only. A state without a bar does not list the "
                "piece."
            ),
        )
        if self.differences is None:
            return [one]
        against = Picture(
            key="difference",
            mark="bars",
            values=self.differences[::-1].T,
            axes=(token, states),
            quantity=Quantity(""),
            title=Message("Logit of “{0}” less that of “{1}”", piece, self.against),
            meaning=Message("Above 0 the first piece is likelier, below 0 the second."),
        )
        return [against, one]

    def _others_at(self, index: Index) -> Sequence[str]:
        state, token = len(self.ids) - 1 - index["state"], index["token"]
        ids, values = self.ids[state, token, 1:].tolist(), self.values[state, token, 1:].tolist()
        return [
            f"{self.pieces[number]}  {probability(value)}" for number, value in zip(ids, values, strict=True)
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        found = {} if self.differences is None else {"differences": self.differences}
        return {"values": self.values, "ids": self.ids, **found}

    def as_table(self) -> Table:
        """Return a row for each piece: state, position, token, rank, piece, id, probability.

        Where a piece is set against another one, the difference of the two logits there stands last.
        """
        columns = ("state", "position", "token", "rank", "piece", "id", "probability")
        less, apart = (f"less “{self.against}”",), self.differences
        ids = self.ids.reshape(-1).tolist()
        lines = RowSource(
            lambda: (
                (state, at, self.tokens[at], rank + 1, self.pieces[number], number, value)
                + (() if apart is None else (apart[state, at],))
                for ((state, at, rank), value), number in zip(np.ndenumerate(self.values), ids, strict=True)
            )
        )
        return Table(columns if apart is None else columns + less, lines)


@dataclass(frozen=True, eq=False)
class Ranked:
    """The k pieces with the highest numbers for each of N pieces: `ids` int32 [N, k], `values` [N, k].

    `own_ranks` [N]: the rank of the piece itself, from 1.
    """

    ids: NDArray[np.int32]
    values: Floats
    own_ranks: Floats

    def __post_init__(self) -> None:
        _freeze(self.values, 2)
        _freeze(self.own_ranks, 1)
        self.ids.flags.writeable = False


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadCircuit(Result):
    """What a head does to pieces, see `head_circuit`.

    `values` [2, E]: singular values of OV and QK. `chosen` int32 [N]: the pieces that `keys` and `written`
    are of, `rows` [T] which of them each token is. `pairs` [k], `pair_ids` int32 [k, 2]: scores, query and
    key.
    `pieces`: the text of each number that occurs. `n_pieces`: so many there are.
    """

    layer: int
    head: int
    rows: tuple[int, ...]
    chosen: NDArray[np.int32]
    values: Floats
    keys: Ranked
    written: Ranked
    pairs: Floats
    pair_ids: NDArray[np.int32]
    pieces: Mapping[int, str]
    n_pieces: int
    ov_positive: float
    qk_positive: float
    identity_error: float | None = None

    def __post_init__(self) -> None:
        _freeze(self.values, 2)
        _freeze(self.pairs, 1)
        for ids in (self.chosen, self.pair_ids):
            ids.flags.writeable = False

    @property
    def axes(self) -> tuple[Axis, ...]:
        return Axis("matrix", ("OV", "QK")), counted("dimension", self.values.shape[1])

    @property
    def chosen_pieces(self) -> tuple[str, ...]:
        """The texts [N] of the pieces that `keys` and `written` are of."""
        return tuple(self.pieces[number] for number in self.chosen.tolist())

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "values": self.values,
            "chosen": self.chosen,
            "keys": self.keys.values,
            "key_ids": self.keys.ids,
            "written": self.written.values,
            "written_ids": self.written.ids,
            "own_ranks": np.stack([self.keys.own_ranks, self.written.own_ranks], axis=1),
            "pairs": self.pairs,
            "pair_ids": self.pair_ids,
        }

    def pictures(self) -> tuple[Picture, ...]:
        """Return what the head looks for and what it writes, for each token; its pairs; singular values."""
        found = [
            self._of_ranking(
                "looks for",
                self.keys,
                Message("Looks for: score by key"),
                Message(
                    "The highest scores of this piece as a query, of {0} pieces as keys, without their "
                    "positions. Click a piece to see its own.",
                    f"{self.n_pieces:,}",
                ),
            ),
            self._of_ranking(
                "writes",
                self.written,
                Message("Writes: logit by piece"),
                Message(
                    "The pieces whose logit rises most where the head looks at this one, by the embeddings "
                    "of the output."
                ),
            ),
        ]
        if len(self.pairs):
            names = [" → ".join(self.pieces[number] for number in pair) for pair in self.pair_ids.tolist()]
            axis, unit = Axis("pair", tuple(names)), plain_quantity(self.pairs)
            title = Message("Strongest pairs: query → key")
            meaning = Message("Of every piece with every other one, whatever the text.")
            found.append(Picture("pairs", "bars", self.pairs, (axis,), unit, title, meaning=meaning))
        matrices, dimensions = self.axes
        singular = Picture(
            key="singular values",
            mark="curves",
            values=self.values,
            axes=(Axis("series", matrices.labels), dimensions),
            quantity=Quantity("", 0),
            title=Message("Singular values"),
            meaning=Message(
                "OV is what the head writes, QK what it pairs. Positive: the sum of the eigenvalues over "
                "that of their sizes: OV {0}, QK {1}. +1 is a head that copies, or looks for its like.",
                f"{self.ov_positive:+.2f}",
                f"{self.qk_positive:+.2f}",
            ),
        )
        return (*found, singular)

    def _of_ranking(self, key: str, ranked: Ranked, title: Message, meaning: Message) -> Picture:
        """Return the pieces with the highest numbers for each token; a click chooses one of them."""
        rows = list(self.rows)
        ids = ranked.ids[rows]
        names = np.array([self.pieces[number] for number in ids.ravel().tolist()], np.str_).reshape(ids.shape)
        own = tuple(self.chosen_pieces[row] for row in rows)
        ranks = Axis("rank", tuple(str(rank + 1) for rank in range(ids.shape[1])))

        def rank_of(at: Index) -> tuple[str, ...]:
            rank = f"{ranked.own_ranks[rows[at['token']]]:,.0f}"
            return (Message("“{0}” itself has rank {1}", own[at["token"]], rank),)

        return Picture(
            key=key,
            mark="bars",
            values=ranked.values[rows],
            axes=(Axis("token", own), ranks),
            quantity=plain_quantity(ranked.values),
            title=title,
            text=names,
            marked=ids == self.chosen[rows][:, None],
            details=rank_of,
            sets=lambda at: {"piece": str(names[at["token"], at["rank"]])},
            start={"token": first_masked(own)},
            meaning=meaning,
        )

    def as_table(self) -> Table:
        """Return a row for each number: of which part, the piece, the rank, the other piece, the value."""
        return Table(("part", "piece", "rank", "other_piece", "value"), RowSource(self._lines))

    def _lines(self) -> Iterator[tuple[str, str, int, str, np.float32]]:
        for part, ranked in (("keys", self.keys), ("written", self.written)):
            for (row, rank), value in np.ndenumerate(ranked.values):
                other = self.pieces[int(ranked.ids[row, rank])]
                yield part, self.chosen_pieces[row], rank + 1, other, value
        for rank, value in enumerate(self.pairs):
            query, key = self.pair_ids[rank].tolist()
            yield "pairs", self.pieces[query], rank + 1, self.pieces[key], value
        for (matrix, rank), value in np.ndenumerate(self.values):
            yield f"singular values of {('OV', 'QK')[matrix]}", "", rank + 1, "", value


@dataclass(frozen=True, eq=False)
class HeadPairs(Result):
    """A number of each kind for each two heads: `values` [K, N, N], rows later heads, columns earlier ones.

    `heads` [N] are their names, such as "3.7", with `n_heads` in each layer. Where the head of the column is
    in no earlier layer the number is nan. `values` are less the `baseline`.
    """

    heads: tuple[str, ...]
    n_heads: int
    kinds: tuple[str, ...]
    values: Floats
    baseline: float
    identity_error: float | None = None

    def __post_init__(self) -> None:
        _freeze(self.values, 3, len(self.kinds))

    @property
    def axes(self) -> tuple[Axis, ...]:
        return Axis("kind", self.kinds), Axis("head", self.heads), Axis("earlier head", self.heads)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"values": self.values}

    @property
    def _names(self) -> tuple[str, ...]:
        """The names of the heads as they are on screen."""
        return tuple(name.replace(".", "·") for name in self.heads)

    def pictures(self) -> tuple[Picture, ...]:
        axes = Axis("head of all", self._names), Axis("earlier head", self._names)
        return tuple(
            Picture(kind, "cells", values, axes, Quantity(""), details=partial(self._read_most, at))
            for at, (kind, values) in enumerate(zip(self.kinds, self.values, strict=True))
        )

    def _read_most(self, kind: int, index: Index) -> tuple[str, ...]:
        """Return which earlier heads the head of a row reads most."""
        row, names = index["head of all"], self._names
        values = self.values[kind, row, : self.earlier(row)]
        if not len(values):
            return (Message("{0} is in the first layer: no head is earlier.", names[row]),)
        order = np.argsort(-values, kind="stable")[:_MOST_READ]
        most = order[~np.isnan(values[order])].tolist()
        if not most:  # a pruned head reads nothing
            return ()
        named = ", ".join(f"{names[at]} ({signed(float(values[at]), 3)})" for at in most)
        return (Message("{0} reads most of {1}", names[row], named),)

    def findings(self) -> tuple[str, ...]:
        return (Message("ratios, less {0}, that of random directions", fixed(self.baseline, 3)),)

    def earlier(self, head: int) -> int:
        """Return how many heads are in earlier layers than `head`: the first ones."""
        return head - head % self.n_heads

    def as_table(self) -> Table:
        """Return a row for each head and each earlier one: layer and head of both, the number of each kind.

        Layer and head are columns of their own: a program might read the names "0.1" and "0.10" as numbers.
        """
        lines = RowSource(
            lambda: (
                (*divmod(at, self.n_heads), *divmod(sender, self.n_heads), *self.values[:, at, sender])
                for at in range(len(self.heads))
                for sender in range(self.earlier(at))
            )
        )
        return Table(("layer", "head", "earlier_layer", "earlier_head", *self.kinds), lines)


@dataclass(frozen=True, eq=False)
class NamedArrays(Result):
    """Arrays of different shapes under names, each with its own axes; for what no other kind fits.

    `main`: the name of the array that is the "values" of the result.
    """

    named: Mapping[str, NDArray[Any]]
    axes_of: Mapping[str, tuple[Axis, ...]]
    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    identity_error: float | None = None
    main: str = field(default="values", kw_only=True)
    drawn: tuple[Picture, ...] = field(default=(), kw_only=True)
    """How it is drawn, where an analysis says so; else each of its arrays by its axes."""

    def __post_init__(self) -> None:
        if self.main not in self.named:
            raise ValueError(f"there is no array {self.main}")
        for name, array in self.named.items():
            array.flags.writeable = False
            if array.shape != tuple(map(len, self.axes_of[name])):
                raise ValueError(f"the axes of {name} are not those of its array")

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of the main array, in order."""
        return self.axes_of[self.main]

    @property
    def other_axes(self) -> Mapping[str, tuple[Axis, ...]]:
        """The axes, in order, of all arrays that are not named "values", by their names."""
        return {name: axes for name, axes in self.axes_of.items() if name != "values"}

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.named.values())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, as they are written to a file; the main one as "values", too."""
        return {"values": self.named[self.main], **self.named}

    def pictures(self) -> tuple[Picture, ...]:
        if "picture" not in self.views:  # a view of its own draws it
            return ()
        first = {self.main: self.named[self.main]}
        return self.drawn or tuple(
            picture_by_axes(name, array, self.axes_of[name])
            for name, array in {**first, **self.named}.items()
            if array.ndim and array.size and array.dtype.kind == "f"
        )

    def as_table(self) -> Table:
        """Return a row for each number: its array, its index as "3.0.7", what that is, and the value."""
        lines = RowSource(
            lambda: (
                (name, ".".join(map(str, at)), self.label_of(name, at), value)
                for name, array in self.named.items()
                for at, value in np.ndenumerate(array)
            )
        )
        return Table(("array", "index", "of", "value"), lines)

    def label_of(self, name: str, index: tuple[int, ...]) -> str:
        """Return what the number at `index` of an array is of: the labels on its axes."""
        return " · ".join(axis.labels[at] for axis, at in zip(self.axes_of[name], index, strict=True))


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreParts(NamedArrays):
    """What a score is made of, see `score_parts`; the facts "layer", "head", "query", "key" say of which.

    "key" counts among the keys that the head reaches; `positions`: of these in the text; `word`: the query.
    """

    positions: tuple[int, ...] = ()
    word: str = ""

    def pictures(self) -> tuple[Picture, ...]:
        """Return the weights of the keys, and the score by its parts, by what wrote them, by dimensions."""
        named, axes, at = self.named, self.axes_of, int(self.facts["key"])
        weights, scores = named["weights"], named["scores"]
        order = np.argsort(-weights, kind="stable").tolist()
        shown = order[:MOST_LISTED] if at in order[:MOST_LISTED] else [*order[: MOST_LISTED - 1], at]
        score, unit = f"{named['parts'].sum(dtype=np.float64):.4f}", Quantity("")
        keys = Picture(
            key="keys",
            mark="bars",
            values=weights[shown],
            axes=(Axis("key", tuple(axes["weights"][0].labels[key] for key in shown)),),
            quantity=SHARE_OF_ONE,
            title=Message("Weight by key"),
            marked=np.array(shown) == at,
            top=1.0,
            details=lambda index: [Message("score {0}", f"{scores[shown[index['key']]]:.3f}")],
            sets=lambda index: {"key": self.positions[shown[index["key"]]]},
            meaning=Message(
                "Score {0} gives weight {1}: rank {2} of {3}. The softmax shares a weight of 1 among these "
                "keys; the score of each decides its part. Click a key to explain its weight.",
                score,
                f"{weights[at]:.4f}",
                order.index(at) + 1,
                len(order),
            ),
        )
        found, total = [keys], Message("Together {0}, the score.", score)
        if len(named["parts"]) > 1:
            title = Message("Content and position")
            words = {
                CONTENT: Message("content"),
                DISTANCE: Message("bias of the distance"),
                TO_POSITION: Message("content → position"),
                TO_CONTENT: Message("position → content"),
            }
            parts = axes["parts"]
            found.append(
                Picture("parts", "bars", named["parts"], parts, unit, title, words=words, meaning=total)
            )
        if "writers" in named:
            found += self._of_writers()
        values, axis, words = largest_first(named["dimensions"], axes["dimensions"][0])
        title = Message("Score by dimension")
        meaning = Message("Each dimension of the query times that of the key, scaled. Together {0}.", score)
        found.append(Picture("dimensions", "bars", values, (axis,), unit, title, words, meaning=meaning))
        return tuple(found)

    def _of_writers(self) -> list[Picture]:
        """Return the score by what wrote the two vectors: in layer 0 by two embeddings."""
        table, (queries, keys) = self.named["writers"], self.axes_of["writers"]
        total, unit = f"{table.sum(dtype=np.float64):.4f}", Quantity("")
        if int(self.facts["layer"]) == 0:
            pairs = Axis("writer", tuple(f"{a} · {b}" for a in queries.labels for b in keys.labels))
            meaning = Message(
                "In layer 0 vectors are sums of embeddings. A bar is a part of the query with one of the "
                "key. Together {0}.",
                total,
            )
            values, axis, words = largest_first(table.reshape(-1), pairs)
            title = Message("By embeddings")
            return [Picture("embeddings", "bars", values, (axis,), unit, title, words, meaning=meaning)]
        meaning = Message(
            "Which earlier head or feed-forward part wrote what is read here. Exact at the given norms. "
            "Together {0}.",
            total,
        )
        found = []
        for key, title, side, other in (
            ("query writers", Message("What wrote the query"), queries, 1),
            ("key writers", Message("What wrote the key"), keys, 0),
        ):
            sums = table.sum(other, dtype=np.float64).astype(np.float32)
            values, axis, words = largest_first(sums, Axis("writer", side.labels))
            found.append(
                Picture(
                    key,
                    "bars",
                    values,
                    (axis,),
                    unit,
                    title,
                    words,
                    stands_for=partial(_head_named, axis),
                    meaning=meaning,
                )
            )
        return found

    def story(self) -> tuple[Message, ...]:
        """Return why the weight is what it is."""
        named, keys = self.named, self.axes_of["weights"][0].labels
        weights, scores, at = named["weights"], named["scores"], int(self.facts["key"])
        order = np.argsort(-scores, kind="stable").tolist()
        sentences = [
            Message(
                "“{0}” compares what it asks for (its query) with what each word offers (its key). “{1}” "
                "scores {2}.",
                self.word,
                keys[at],
                f"{scores[at]:.2f}",
            )
        ]
        if len(order) > 1:
            sentences.append(_beside_the_best(keys, scores, at, order))
        share = f"{100 * weights[at]:.0f}"
        sentences.append(
            Message(
                "All weights of “{0}” add up to 100 %; “{1}” gets {2} % of them.", self.word, keys[at], share
            )
        )
        if "writers" in named and int(self.facts["layer"]) > 0:
            by_query = named["writers"].sum(1, dtype=np.float64)
            writer = int(np.argmax(by_query))
            sentences.append(
                Message(
                    "The largest part of what “{0}” asks for here was written by {1}: {2} of the score.",
                    self.word,
                    self.axes_of["writers"][0].labels[writer],
                    f"{by_query[writer]:+.2f}",
                )
            )
        return tuple(sentences)


def _head_named(axis: Axis, index: Index) -> Index:
    """Return the layer and the head that a writer is, as "head 2.7" names them; nothing of other writers."""
    found = re.fullmatch(r"head (\d+)\.(\d+)", axis.labels[index[axis.name]])
    return {} if found is None else {"layer": int(found[1]), "head": int(found[2])}


def _beside_the_best(keys: tuple[str, ...], scores: Floats, at: int, order: list[int]) -> Message:
    """Return how the score compares with the best other one, and what the exponential makes of that."""
    other = next(key for key in order if key != at)
    difference = float(abs(scores[at] - scores[other]))
    factor = float(np.exp(min(difference, 700.0)))
    apart, times = f"{difference:.2f}", f"{factor:.2f}" if factor < 1000 else f"{factor:.1e}"
    if order[0] == at:
        return Message(
            "That is the best score. The next is “{0}”, {1} lower: its weight is {2} times smaller, "
            "since e to the power {1} is {2}.",
            keys[other],
            apart,
            times,
        )
    return Message(
        "The best score is that of “{0}”, {1} higher: its weight is {2} times larger, since e to the power "
        "{1} is {2}.",
        keys[other],
        apart,
        times,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class WordPair(NamedArrays):
    """How alike two tokens are in every layer, and what each looks at, see `word_cosines`.

    `words`: the two tokens.
    """

    words: tuple[str, str] = ("", "")

    def pictures(self) -> tuple[Picture, ...]:
        """Return the cosine through the layers; above it both texts, with the weights of the two tokens."""
        named, axes = self.named, self.axes_of
        cosine, texts = named["cosine"], [axes[name][0].labels for name in ("looks", "other_looks")]
        shape = 2, max(map(len, texts))
        text, weights = np.full(shape, "", object), np.full(shape, np.nan, np.float32)
        for row, name in enumerate(("looks", "other_looks")):
            text[row, : len(texts[row])], weights[row, : len(texts[row])] = texts[row], named[name]
        layer = int(self.facts["layer"])
        looks = Picture(
            key="looks",
            mark="words",
            values=weights,
            axes=(Axis("text", tuple(f"“{word}” →" for word in self.words)), counted("word", shape[1])),
            quantity=SHARE_OF_ONE,
            title=Message("Weight in layer {0}", layer),
            text=text.astype(np.str_),
            sets=lambda index: {("token", "beside")[index["text"]]: index["word"]},
        )
        angles = np.degrees(np.arccos(np.clip(cosine.astype(np.float64), -1, 1)))
        return (
            Picture(
                key="cosine",
                mark="curves",
                values=np.stack([cosine, named["mean"]]),
                axes=(Axis("series", ("cosine", "mean")), *axes["cosine"]),
                quantity=Quantity("", -1, 1),
                title=Message("Cosine"),
                words={
                    "cosine": Message("cosine of “{0}” and “{1}”", *self.words),
                    "mean": Message("mean of all pairs of words"),
                },
                levels=frozenset({"mean"}),
                top=1.0,
                details=lambda index: [Message("an angle of {0}°", f"{angles[index['state']]:.0f}")],
                meaning=Message(
                    "Above: what each of the two words looks at in layer {0}. State 0 is the embeddings. "
                    "Click a word of the texts to compare it.",
                    layer,
                ),
                above=looks,
            ),
        )

    def findings(self) -> tuple[str, ...]:
        ends = (fixed(float(self.named["cosine"][at]), 2) for at in (0, -1))
        return (
            Message(
                "“{0}” and “{1}”: cosine {2} as embeddings, {3} after the last layer", *self.words, *ends
            ),
        )


class LogitParts(NamedArrays):
    """What adds up to a logit, see `direct_logits`."""

    def pictures(self) -> tuple[Picture, ...]:
        """Return what each head adds, what each layer adds beside its heads, and the sums of the kinds."""
        named, axes, unit, facts = self.named, self.axes_of, Quantity(""), self.facts
        title = Message("Logit by head")
        beside = (
            ("feed_forward", Message("Logit by feed-forward part")),
            ("biases", Message("Logit by biases")),
        )
        kinds = {
            "heads": Message("all heads"),
            "feed-forward": Message("all feed-forward parts"),
            "biases": Message("biases of the layers"),
            "embeddings": Message("embeddings"),
            "task head": Message("task head's biases"),
            "sum": Message("sum = logit"),
        }
        parts = [float(named[name].sum(dtype=np.float64)) for name in ("heads", "feed_forward", "biases")]
        parts += [float(facts["embeddings"]), float(facts["task head"])]
        sums, axis = np.array([*parts, sum(parts)], np.float32), Axis("part of the logit", tuple(kinds))
        marked, of_kinds = np.arange(len(kinds)) == len(kinds) - 1, Message("Logit by kind of part")
        return (
            Picture("heads", "cells", named["heads"], axes["heads"], unit, title),
            *(Picture(key, "bars", named[key], axes[key], unit, words) for key, words in beside),
            Picture("kinds", "bars", sums, (axis,), unit, of_kinds, words=kinds, marked=marked),
        )

    def findings(self) -> tuple[str, ...]:
        facts = self.facts
        logit, token, against = f"{float(facts['logit']):.4f}", str(facts["token"]), facts.get("against")
        if against is None:
            return (
                Message("logit of “{0}” at {1}: {2}, the sum of all parts", facts["piece"], token, logit),
            )
        return (
            Message(
                "logit of “{0}” less that of “{1}” at {2}: {3}, the sum of all parts",
                facts["piece"],
                against,
                token,
                logit,
            ),
        )


class MethodAgreement(NamedArrays):
    """How alike methods rank the tokens, and how well each predicts what masking does, see `agreement`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OutcomeMap(NamedArrays):
    """By how much the outcome changes, "values" [L, H] or [L, N]; the fact "outcome" is that of the run.

    The facts "outcome_b": that of run B, where it has every token whose outcome is measured; "noise": what is
    nearer to 0 may be the rounding of the model's numbers.
    `positions`: of the N tokens in the run; none where the columns are heads. `sources`: of those of run B
    that were put in there.
    """

    positions: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    views = ("grid",)

    @property
    def noise(self) -> float:
        return float(self.facts.get("noise", 0.0))

    def pictures(self) -> tuple[Picture, ...]:
        changes = self.named["values"]
        details = changes_from(float(self.facts["outcome"]), changes)
        quantity = Quantity("", noise=self.noise)
        axes = self.axes_of["values"]
        return (
            Picture(
                key="change",
                mark="cells",
                values=changes,
                axes=axes,
                quantity=quantity,
                title=Message("Change of the outcome"),
                details=details,
                positions=self.positions,
            ),
        )

    def findings(self) -> tuple[str, ...]:
        ends = [fixed(float(self.facts[name])) for name in ("outcome", "outcome_b") if name in self.facts]
        found = [Message("the outcome is {0} in run A, {1} in run B", *ends)] if len(ends) > 1 else []
        if np.isnan(self.named["values"]).any():
            found.append(Message("grey without a number: in no earlier layer than a receiver"))
        return tuple(found)

    def normalised(self) -> Floats:
        """Return the share of the whole effect, [L, H] or [L, N]: 0 is the outcome of run A, 1 that of B.

        That is "values" / (outcome of B - outcome of A): Wang et al. 2022, arXiv:2211.00593, and Meng et al.
        2022, arXiv:2202.05262, report it. Raises AnalysisError where B has no such outcome, or the same.
        """
        whole = float(self.facts.get("outcome_b", math.nan)) - float(self.facts["outcome"])
        if math.isnan(whole):
            message = Message("Run B has no outcome to compare with: it lacks the predicted token.")
            raise AnalysisError(message, Message("Take the values as they are, or change another word of B."))
        if abs(whole) <= self.noise:
            raise AnalysisError(
                Message("Runs A and B have the same outcome: there is no difference to take a share of."),
                Message("Choose another outcome, or another text for B."),
            )
        shares: Floats = (self.named["values"] / whole).astype(np.float32)
        return shares


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

        def token_at(index: Index) -> tuple[int, int]:
            """Return 1 for a key, else 0, and the position of its token in the text."""
            role, at = divmod(index[points.name], n_tokens)
            return role, self.positions[at]

        def details(index: Index) -> tuple[str, ...]:
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


class SwapEffects(NamedArrays):
    """What exchanging words does: "values" [S], the mean change of each of S exchanges.

    Beside it "low" and "high" [S], the ends of its interval, nan where there are fewer than five texts or all
    changes are equal, and left out where that is so of all, and of distances; "texts" [S], of how many texts
    it is the mean; "before" and "after" [N] of each text, and what "exchange" [N] it had.
    """

    def pictures(self) -> tuple[Picture, ...]:
        """Return the mean change of each exchange that a text has, the largest first, with its interval."""
        named, names = self.named, self.axes_of["values"][0].labels
        order = np.argsort(-np.abs(np.nan_to_num(named["values"])), kind="stable")
        order = order[named["texts"][order] > 0]
        several = int(named["texts"].max(initial=0)) > 1
        title = Message("Mean change of the outcome") if several else Message("Change of the outcome")
        picture = Picture(
            key="changes",
            mark="bars",
            values=named["values"][order],
            axes=(Axis("exchange", tuple(names[at] for at in order.tolist())),),
            quantity=Quantity(""),
            title=title,
            low=named["low"][order] if "low" in named else None,
            high=named["high"][order] if "high" in named else None,
            details=lambda index: self._texts_of(int(order[index["exchange"]])),
        )
        return (picture,)

    def _texts_of(self, exchange: int) -> Sequence[str]:
        """Return of how many texts the change of an exchange is the mean, or the outcomes of the only one."""
        count = int(self.named["texts"][exchange])
        if count > 1:
            return [Message("over {0} texts", f"{count:,}")]
        own = int(np.flatnonzero(self.named["exchange"] == exchange)[0])
        before, after = float(self.named["before"][own]), float(self.named["after"][own])
        return [Message("outcome {0} → {1} ({2})", fixed(before), fixed(after), signed(after - before, 4))]

    def findings(self) -> tuple[str, ...]:
        found: list[str] = [Message("with the second word less with the first")]
        if "low" in self.named:
            found.append(
                Message("a line: the interval that holds the mean in 95 of 100 samples of the texts")
            )
        return tuple(found)

    def as_table(self) -> Table:
        """Return a row for each exchange: its words, mean change, interval, number of texts."""
        names = self.axes_of["values"][0].labels
        shown = [name for name in ("values", "low", "high", "texts") if name in self.named]
        columns = ("exchange", *("change" if name == "values" else name for name in shown))
        lines = [self.named[name] for name in shown]
        return Table(columns, RowSource(lambda: zip(names, *lines, strict=True)))


class HeadMap(NamedArrays):
    """Distances "values" [N, N] between heads, and "map" [N, 2]: points in a plane about as far apart."""

    def pictures(self) -> tuple[Picture, ...]:
        names = tuple(name.replace(".", "·") for name in self.axes_of["map"][0].labels)
        axes = Axis("head of all", names), Axis("component", ("x", "y"))
        layers, title = tuple(name.partition("·")[0] for name in names), Message("Map of heads")
        unit, points = Quantity(""), self.named["map"]
        return (Picture("map", "points", points, axes, unit, title, groups=layers, details=self._nearest_to),)

    def findings(self) -> tuple[str, ...]:
        return (Message("a colour for each layer; near: alike on these texts; axes have no unit"),)

    def _nearest_to(self, index: Index) -> Sequence[str]:
        head, names = index["head of all"], self.axes_of["map"][0].labels
        away = self.named["values"][head]
        nearest = [at for at in np.argsort(away, kind="stable").tolist() if at != head][:_MOST_READ]
        return [
            Message("{0}: {1} nats apart", names[at].replace(".", "·"), fixed(float(away[at]), 3))
            for at in nearest
        ]


def first_masked(tokens: Sequence[str]) -> int:
    """Return the position of the first masked token, else of the first word."""
    masked = (at for at, token in enumerate(tokens) if token in MASKS)
    return next(masked, min(1, len(tokens) - 1))


def _freeze(values: Floats, n_axes: int, n_first: int | None = None) -> None:
    """Make `values` read-only; ValueError if they are not float32 with so many axes and first entries."""
    if values.dtype != np.float32 or values.ndim != n_axes:
        raise ValueError(f"values must be float32 with {n_axes} axes, not {values.dtype} {values.shape}")
    if n_first is not None and len(values) != n_first:
        raise ValueError(f"values must have {n_first} rows, not {len(values)}")
    values.flags.writeable = False


def _cells(matrix: MatrixSource) -> Iterator[tuple[int, int, np.float32]]:
    """Yield (query, key, value) of every cell, row by row."""
    for query in range(matrix.n_queries):
        for key, value in enumerate(matrix.rows(slice(query, query + 1))[0]):
            yield query, key, value
