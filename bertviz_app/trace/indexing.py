"""What selects layers, heads and tokens of a trace: numbers and positions, validated."""

from __future__ import annotations

import operator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bertviz_app.errors import ArgumentError, Message, SelectionError
from bertviz_app.types import Indices
from bertviz_app.values import dataclass


@dataclass(frozen=True)
class FirstShown:
    """What a view of weights shows at first: `layers` and `heads` of them, `selected` heads of `layer`.

    None: all of them; `layer` None: the first one shown.
    """

    layers: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    layer: int | None = None
    selected: tuple[int, ...] | None = None

    @property
    def is_partial(self) -> bool:
        """Whether there are layers or heads that are not shown."""
        return self.layers is not None or self.heads is not None

    def layers_of(self, n_layers: int) -> tuple[int, ...]:
        """Return the layers of `n_layers` that are shown; all where none of them is."""
        every = tuple(range(n_layers))
        return every if self.layers is None else tuple(sorted({*self.layers} & {*every})) or every

    def heads_of(self, n_heads: int) -> tuple[int, ...]:
        """Return the heads of `n_heads` that are shown; all where none of them is."""
        every = tuple(range(n_heads))
        return every if self.heads is None else tuple(sorted({*self.heads} & {*every})) or every


SHOWS_ALL = FirstShown()


def as_number(value: object, name: str) -> int:
    """Return `value`, an integer of Python or NumPy, as an int. Raises ArgumentError for anything else."""
    if not isinstance(value, bool | np.bool_):
        try:
            return operator.index(value)  # type: ignore[arg-type]  # raises TypeError for what is no integer
        except TypeError:
            pass
    message = Message("{0} is one number, not {1}.", name, described(value))
    raise ArgumentError(message, Message("Give an integer from 0, such as {0}=3.", name))


def as_positions(value: object, name: str, n_tokens: int) -> slice | Indices:
    """Return a slice, or the positions in a list or an array of integers or of true and false.

    Raises ArgumentError for another kind, SelectionError for positions that the trace does not have.
    """
    if isinstance(value, slice):
        return value
    hint = Message("Give a slice or a list of positions, such as {0}=[0, 3] or {0}=slice(0, 4).", name)
    try:
        found = np.asarray(value)
    except ValueError:  # lists of different lengths
        found = np.asarray(None)
    if found.ndim != 1 or (found.dtype.kind not in "iub" and found.size):
        raise ArgumentError(Message("{0} selects tokens, which {1} does not.", name, described(value)), hint)
    if found.dtype.kind == "b":
        if len(found) != n_tokens:
            message = Message("{0} has {1} values for {2} tokens.", name, len(found), n_tokens)
            raise SelectionError(message, hint)
        return np.flatnonzero(found)
    positions = found.astype(np.intp)
    if positions.size and not -n_tokens <= positions.min() <= positions.max() < n_tokens:
        raise _no_token(int(positions[(positions < -n_tokens) | (positions >= n_tokens)][0]), n_tokens)
    return positions


def validate_token(token: int, n_tokens: int) -> None:
    """Raise SelectionError for a position that a text of so many tokens does not have."""
    if not 0 <= token < n_tokens:
        raise _no_token(token, n_tokens)


def _no_token(token: int, n_tokens: int) -> SelectionError:
    message = Message("There is no token {0}: this text has tokens 0 to {1}.", token, n_tokens - 1)
    return SelectionError(message, Message("Tokens count from 0, special ones among them."))


def described(value: object) -> str:
    """Return a short name of a value's type, for a message: “list”, “None”."""
    return "None" if value is None else type(value).__name__


def pooled_size(n_tokens: int, cell: int) -> tuple[int, int]:
    """Return how many blocks cover `n_tokens`, at most `cell`, and how many tokens each block has."""
    block = -(-n_tokens // cell)
    return -(-n_tokens // block), block


_Number = TypeVar("_Number", np.float32, np.uint8)


def area_maximum(weights: NDArray[_Number], block: int | tuple[int, int]) -> NDArray[_Number]:
    """Return the maxima [..., r, c] over blocks of `weights` [..., rows, columns].

    `block`: the side of a square block, or the rows and columns of one.
    The last block of a side may be partly filled. Rows first: that pass runs over contiguous memory.
    """
    tall, wide = (block, block) if isinstance(block, int) else block
    if tall == wide == 1:
        return weights
    rows = weights[..., ::tall, :].copy()
    for offset in range(1, tall):
        others = weights[..., offset::tall, :]
        there = rows[..., : others.shape[-2], :]
        np.maximum(there, others, out=there)
    if wide >= 32:  # going through each row is then faster than through every 32nd column
        return np.maximum.reduceat(rows, np.arange(0, rows.shape[-1], wide), axis=-1)
    columns = rows[..., ::wide].copy()
    for offset in range(1, wide):
        others = rows[..., offset::wide]
        there = columns[..., : others.shape[-1]]
        np.maximum(there, others, out=there)
    return columns
