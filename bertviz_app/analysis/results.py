"""The kinds of results of analyses: each knows its axes, quantity and range, and is written the same way."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    SHARE_OF_ONE,
    Axis,
    Index,
    Picture,
    Quantity,
    counted,
    picture_by_axes,
)
from bertviz_app.errors import AnalysisError, Message, imported
from bertviz_app.figures import OfRuns
from bertviz_app.notebooks import ShownResult
from bertviz_app.tables import RowSource, Table, column_name
from bertviz_app.text.edits import MASKS
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Doubles, Floats, Ints
from bertviz_app.typeset import fixed, general, probability
from bertviz_app.values import dataclass, field, replace

MOST_READ = 3
"""So many heads that one reads are named."""

MAX_BYTES = 8 << 30
"""More numbers than this are not put into one array."""


class Result(ShownResult, OfRuns, ABC):
    """What an analysis returns. Its main array is of floats; all its arrays are read-only."""

    identity_error: float | None = None
    """How far the identity that the analysis promises is off, the largest difference; None: it has none."""
    views: ClassVar[tuple[Literal["words", "lines", "matrix", "image", "picture", "grid", "table"], ...]] = (
        "picture",
    )
    """The views of a panel that show it, the one to begin with first; a table stands beside most."""
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

    def leave_out(self, present: Bools) -> None:
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
        noted = {"about": dict(about), "study": study, "study_title": title, "study_paper": paper}
        for name, value in noted.items():  # `about` as a dict, which can be pickled
            object.__setattr__(self, name, value)

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
        freeze(self.values, 3, len(self.scalars))

    @property
    def noise(self) -> float:
        return max((scalar.quantity.noise for scalar in self.scalars), default=0.0)

    @property
    def marked(self) -> Bools:
        """Which heads [L, H] are significant; none where that is not tested, or of a difference of runs."""
        keys = [scalar.key for scalar in self.scalars if not scalar.quantity.is_signed]
        return self.of(SIGNIFICANT) == 1 if SIGNIFICANT in keys else np.zeros(self.values.shape[1:], bool)

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
            found.append(
                Picture(
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
            )
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
        heads = tuple(np.ndindex(self.values.shape[1:]))
        lines = RowSource(lambda: ((*at, *self.values[:, *at]) for at in heads))
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
        return (Message("outcome {0} → {1}", fixed(outcome), fixed(outcome + change)),)

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
        return replace(
            self,
            n_layers=min(self.n_layers, other.n_layers),
            queries=alignment.labels(self.queries, other.queries),
            keys=alignment.labels(self.keys, other.keys),
            quantity=self.quantity.minus(),
            source=lambda *at: MatrixDifference(a(*at), b(*at), alignment),
            held_bytes=self.held_bytes + other.held_bytes,
            identity_error=None,
        ).as_difference(self, other)


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
        freeze(values, 3)
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
        freeze(self.values, n_axes)
        if self.standard_errors is not None:
            freeze(self.standard_errors, n_axes)
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
        numbers = self.values, self.axes, self.quantity
        bars = Picture("value", "bars", *numbers, low=low, high=high, details=details)
        if self.states is None:
            return (bars,)
        return bars, Picture("all", "cells", *numbers, Message("All layers"))

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
        return replace(
            self,
            tokens=alignment.labels(self.tokens, other.tokens),
            values=values,
            quantity=self.quantity.minus(),
            identity_error=None,
            standard_errors=None,
        ).as_difference(self, other)


@dataclass(frozen=True, eq=False)
class LayerRankings(Result):
    """The k likeliest pieces at each token of each hidden state, the likeliest first.

    `values` [L + 1, T, k] are their probabilities, `ids` int32 [L + 1, T, k] their numbers in the vocabulary,
    `pieces` the text of each number that occurs. `has_followed`: the last of the k pieces is one that the
    user follows, whatever its rank. `differences` [L + 1, T]: by how much the logit of that piece is above
    that of `against`, another one; None where it is set against none.
    """

    tokens: tuple[str, ...]
    ids: Ints
    values: Floats
    pieces: Mapping[int, str]
    identity_error: float | None = None
    has_followed: bool = False
    against: str = ""
    differences: Floats | None = None

    def __post_init__(self) -> None:
        freeze(self.values, 3)
        if self.differences is not None:
            freeze(self.differences, 2, len(self.values))
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
    def _followed(self) -> Ints:
        """The piece of each token that is followed: the one that is chosen, else that of the last state."""
        return self.ids[-1, :, -1 if self.has_followed else 0]

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
        return self.drawn or tuple(
            picture_by_axes(name, array, self.axes_of[name])
            for name, array in {self.main: self.named[self.main], **self.named}.items()
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
        return (
            Picture(
                key="change",
                mark="cells",
                values=changes,
                axes=self.axes_of["values"],
                quantity=Quantity("", noise=self.noise),
                title=Message("Change of the outcome"),
                details=changes_from(float(self.facts["outcome"]), changes),
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
        return (self.named["values"] / whole).astype(np.float32)


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
        nearest = [at for at in np.argsort(away, kind="stable").tolist() if at != head][:MOST_READ]
        return [
            Message("{0}: {1} nats apart", names[at].replace(".", "·"), fixed(float(away[at]), 3))
            for at in nearest
        ]


def first_masked(tokens: Sequence[str]) -> int:
    """Return the position of the first masked token, else of the first word."""
    return next((at for at, token in enumerate(tokens) if token in MASKS), min(1, len(tokens) - 1))


def freeze(values: Floats, n_axes: int, n_first: int | None = None) -> None:
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
