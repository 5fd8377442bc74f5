"""What part of the tokens is in sight, where units lie in pixels, and how much colour weights have."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from bertviz_app.errors import Check
from bertviz_app.trace.indexing import area_maximum
from bertviz_app.types import Bytes, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.state import Scale

FEWEST = 3.0
"""Zooming in stops at this many tokens a side."""
CLOSE = 40
"""About so many tokens have room for their names: a double click in a longer text shows that many."""
SINK = "▾"
"""Stands behind the label of a key that is an attention sink in the layer that is drawn."""


@dataclass(frozen=True)
class TokenSpan:
    """A stretch of the token axis; token i covers [i, i + 1)."""

    first: float
    last: float

    @property
    def length(self) -> float:
        return self.last - self.first

    def within(self, n_tokens: int) -> TokenSpan:
        """Return this span moved and, if it must, shortened to lie on an axis of `n_tokens`."""
        length = min(max(self.length, min(FEWEST, n_tokens)), n_tokens)
        first = min(max(self.first, 0.0), n_tokens - length)
        # The sum may be rounded up to beyond the last token.
        return TokenSpan(first, min(first + length, float(n_tokens)))

    def zoomed(self, factor: float, about: float, n_tokens: int) -> TokenSpan:
        """Return this span `factor` times as long, within `n_tokens` and FEWEST; `about` stays in place."""
        if not self.length:
            return self
        factor = min(max(factor, min(FEWEST, n_tokens) / self.length), n_tokens / self.length)
        return TokenSpan(about - (about - self.first) * factor, about + (self.last - about) * factor)


class Viewport(QObject):
    """The visible queries (rows) and keys (columns), of `n_queries` and `n_keys` there are."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_moved_by_gesture = False
        """Whether a gesture in one view is what changes it now: the other views may follow a little later."""
        self.n_queries = self.n_keys = 0
        self.queries = TokenSpan(0.0, 0.0)
        self.keys = TokenSpan(0.0, 0.0)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of queries and keys."""
        return self.n_queries, self.n_keys

    @property
    def is_whole(self) -> bool:
        return self.queries.length >= self.n_queries and self.keys.length >= self.n_keys

    def fit(self, n_queries: int | None = None, n_keys: int | None = None) -> None:
        """Show everything; with numbers, of so many queries and (unless given, as many) keys."""
        if n_queries is None:
            n_queries, n_keys = self.counts
        n_keys = n_queries if n_keys is None else n_keys
        self._set((n_queries, n_keys), TokenSpan(0.0, float(n_queries)), TokenSpan(0.0, float(n_keys)))

    def show(self, queries: TokenSpan, keys: TokenSpan) -> None:
        """Show these spans, as far as the sequence has them."""
        self._set(self.counts, queries.within(self.n_queries), keys.within(self.n_keys))

    def zoom(self, factor: float, query: float, key: float) -> None:
        """Show `factor` times as many places a side, keeping a point where it is."""
        queries = self.queries.zoomed(factor, query, self.n_queries)
        self.show(queries, self.keys.zoomed(factor, key, self.n_keys))

    def zoom_middle(self, factor: float) -> None:
        """Zoom about the middle of what is shown."""
        self.zoom(factor, *((span.first + span.last) / 2 for span in (self.queries, self.keys)))

    def follow(self, other: Viewport) -> None:
        """Show the same part as `other` of a sequence that may be longer or shorter."""
        if not (other.n_queries and other.n_keys and self.n_queries and self.n_keys):
            return
        down, across = self.n_queries / other.n_queries, self.n_keys / other.n_keys
        self.show(
            TokenSpan(other.queries.first * down, other.queries.last * down),
            TokenSpan(other.keys.first * across, other.keys.last * across),
        )

    def _set(self, counts: tuple[int, int], queries: TokenSpan, keys: TokenSpan) -> None:
        if (counts, queries, keys) != (self.counts, self.queries, self.keys):
            (self.n_queries, self.n_keys), self.queries, self.keys = counts, queries, keys
            self.changed.emit()


_ROUNDING = 1e-6  # what panning adds or takes must not change the step


@dataclass(frozen=True)
class PixelAxis:
    """The tokens of `span`, evenly spread over `length` pixels from `start` on."""

    span: TokenSpan
    start: float
    length: float

    @cached_property  # read thousands of times in a frame
    def pitch(self) -> float:
        """Pixels a token."""
        return self.length / self.span.length if self.span.length else 0.0

    @property
    def end(self) -> float:
        """The position after the last one."""
        return self.start + self.length

    def edge(self, token: float) -> float:
        """Return where token `token` begins, in pixels."""
        return self.start + (token - self.span.first) * self.pitch

    def middle(self, token: float) -> float:
        """Return the middle of token `token`, in pixels."""
        return self.edge(token + 0.5)

    def position(self, pixel: float) -> float:
        """Return the position on the token axis under `pixel`."""
        return self.span.first + (pixel - self.start) / self.pitch if self.pitch else 0.0

    def token(self, pixel: float) -> int | None:
        """Return the token under `pixel`, None outside the stretch."""
        if not self.pitch or not self.start <= pixel < self.end:
            return None
        # Rounding may put the last pixel on the end itself.
        return min(math.floor(self.position(pixel)), self.tokens().stop - 1)

    def tokens(self) -> range:
        """Return the tokens that are at least partly in sight."""
        return range(math.floor(self.span.first), math.ceil(self.span.last))

    def step(self, room: float) -> int:
        """Return the smallest power of two n such that every n-th token has `room` pixels.

        A power of two, so that labels stay where they are while one pans.
        """
        step = 1
        while self.pitch and step * self.pitch < room - _ROUNDING:
            step *= 2
        return step

    def labelled(self, room: float, also: frozenset[int] = frozenset()) -> list[int]:
        """Return the tokens whose labels, `room` pixels each, fit beside each other without overlap.

        Every n-th token, n of `step`; tokens in `also` come first and push their neighbours out.
        """
        if not self.pitch:
            return []
        step = self.step(room)
        tokens = self.tokens()
        labelled = [token for token in tokens[-tokens.start % step :: step] if self.shows(token)]
        return self.joined(labelled, also, room)

    def joined(self, labelled: Iterable[int], also: frozenset[int], room: float) -> list[int]:
        """Return some tokens and those of `also` that are in sight, which push their neighbours out."""
        fixed = [token for token in sorted(also) if self.shows(token)]
        for token in fixed:
            labelled = self.beside(labelled, token, room)
        return sorted([*labelled, *fixed])

    def beside(self, labelled: Iterable[int], token: int, room: float) -> list[int]:
        """Return those of some tokens whose labels, `room` pixels each, do not overlap that of `token`."""
        pitch, room = self.pitch, room - _ROUNDING
        return [other for other in labelled if abs(token - other) * pitch >= room]

    def shows(self, token: int) -> bool:
        """Return whether the middle of a token is in sight."""
        return self.span.first <= token + 0.5 <= self.span.last


Levels = Bytes

UNIFORM_TIMES = 5
"""Full colour is at least this multiple of the weight of uniform attention, which has a fifth of it then."""
LEAST = 1e-4
"""Where the logarithmic scale begins: of weights this one, of other numbers this share of the largest."""

ZERO = 128
"""The signed level of zero; 255 is full colour above zero, 1 below."""

FULL = 127
"""The number of signed levels between zero and full colour."""

GAP = 0
"""The signed level of a cell that has no number."""

_COARSEST = 16  # a small panel of a long text still has a level without cells below a pixel
_TEXEL_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Texels:
    """The levels [r, c] of a part of a table, each one texel of an image.

    The image covers the cells of `rows` and `columns`, all its texels alike.
    """

    levels: Levels
    rows: TokenSpan
    columns: TokenSpan


@dataclass(frozen=True, eq=False)
class Pyramid:
    """The levels of cells [R, C]: uint8, places in a table of 256 colours.

    `levels[n]` has of each block of 2^(first + n) cells a side the one farthest from zero: `first` is 0 where
    every cell has a level. Unsigned levels reach from 0 (zero) to 255 (full colour); signed ones from 1 to
    255 about ZERO, and a block is a GAP where all its cells are. `shape`: the numbers of rows and columns.
    """

    levels: tuple[Levels, ...]
    is_signed: bool
    shape: tuple[int, int]
    first: int = 0

    def level(self, row: int, column: int) -> int:
        """Return the level of a cell, or of the smallest block that holds it."""
        return int(self.levels[0][row >> self.first, column >> self.first])

    def texels(self, rows: TokenSpan, columns: TokenSpan, pitches: tuple[float, float]) -> Texels:
        """Return the texels of the cells in sight, none of them smaller than a pixel.

        `pitches`: the pixels of a row and of a column. What nearest sampling would skip is kept by the
        maxima of the level.
        """
        sides = [
            _Side(count, span, pitch)
            for count, span, pitch in zip(self.shape, (rows, columns), pitches, strict=True)
        ]
        last = self.first + len(self.levels) - 1
        number = min(last, max(self.first, min(side.fewest for side in sides).bit_length() - 1))
        steps = [side.steps(1 << number) for side in sides]  # so many blocks of the level in a texel
        while number < last and not any(step % 2 for step in steps):
            number, steps = number + 1, [step // 2 for step in steps]
        (down, rows_seen), (across, columns_seen) = (
            side.texels(step << number, goes_beyond=number == self.first > 0)
            for side, step in zip(sides, steps, strict=True)
        )
        part = self.levels[number - self.first][
            down.start * steps[0] : down.stop * steps[0], across.start * steps[1] : across.stop * steps[1]
        ]
        return Texels(extremes(part, *steps, is_signed=self.is_signed), rows_seen, columns_seen)


@dataclass(frozen=True)
class _Side:
    """The rows or the columns of a table: how many there are, which are in sight, how many pixels each has.

    The last block may hold fewer cells than the others. All texels in sight are drawn equally wide, so that
    a last row that is part of a block has its pixel too.
    """

    count: int
    span: TokenSpan
    pitch: float

    @property
    def fewest(self) -> int:
        """The fewest cells that fill a pixel."""
        return max(1, min(self.count, math.ceil(1 / max(self.pitch, _TEXEL_TOLERANCE) - _TEXEL_TOLERANCE)))

    def steps(self, size: int) -> int:
        """Return how many blocks of `size` cells a texel has, wherever the stretch in sight may lie."""
        steps = -(-self.fewest // size)
        while (block := steps * size) < self.count:
            # How many cells wide the texels are where the last block, the narrowest, is in sight.
            n_blocks = -(-self.count // block)
            in_last = self.count - (n_blocks - 1) * block
            n_in_sight = 1 + max(0, math.ceil((self.span.length - in_last) / block))  # the fewest with it
            if ((n_in_sight - 1) * block + in_last) / n_in_sight * self.pitch >= 1 - _TEXEL_TOLERANCE:
                break
            steps += 1
        return steps

    def texels(self, block: int, *, goes_beyond: bool) -> tuple[range, TokenSpan]:
        """Return the texels of `block` cells that are in sight, and the cells that these cover.

        Where blocks are many pixels wide, the last one `goes_beyond` the table unless that would hide it: so
        all are as wide as they should be.
        """
        n_blocks = -(-self.count // block)
        start = max(0, math.floor(self.span.first / block))
        texels = range(start, max(start, min(n_blocks, math.ceil(self.span.last / block))))
        first, last = texels.start * block, texels.stop * block
        if not goes_beyond or (self.count - last + block) * self.pitch < 1:
            last = min(last, self.count)
        return texels, TokenSpan(float(first), float(last))


def pyramid_of(
    finest: Levels,
    *,
    is_signed: bool,
    check: Callable[[], None] = lambda: None,
    shape: tuple[int, int] | None = None,
    first: int = 0,
) -> Pyramid:
    """Return the pyramid over these levels; `check` is called before each further one.

    They are those of the cells, or of blocks of 2^`first` cells a side of a table of that `shape`.
    """
    levels = [finest]
    while max(levels[-1].shape) > _COARSEST:
        check()
        levels.append(extremes(levels[-1], 2, 2, is_signed=is_signed))
    n_rows, n_columns = shape or finest.shape
    return Pyramid(tuple(levels), is_signed, (n_rows, n_columns), first)


def shares(weights: Floats, largest: float, scale: Scale) -> Floats:
    """Return how much of full colour each of `weights` [rows, keys] has, from 0 to 1.

    "shared" and "linear": the share of `largest`; "log": 0 at LEAST and 1 at `largest`, evenly between by
    ratios; "row": the share of the row's own largest.
    """
    if scale == "log":
        span = np.log10(max(largest, 10 * LEAST) / LEAST)
        decades = np.log10(np.maximum(weights, LEAST) / np.float32(LEAST))
        return np.clip(decades / np.float32(span), 0, 1).astype(np.float32)
    if scale == "row":
        tops = np.maximum(weights.max(1, keepdims=True, initial=0.0), np.float32(1e-30))
        return np.asarray(weights / tops, np.float32)
    return weights * np.float32(1 / max(largest, 1e-30))


def signed_levels(shares: NDArray[np.floating]) -> Levels:
    """Return the signed levels of `shares` of full colour, from -1 to 1; nan is a gap."""
    return np.where(np.isnan(shares), GAP, np.rint(ZERO + shares * FULL)).astype(np.uint8)


def extremes(level: Levels, rows: int, columns: int, *, is_signed: bool) -> Levels:
    """Return of each block of `rows` x `columns` levels the one farthest from zero."""
    highest = area_maximum(level, (rows, columns))
    if not is_signed:
        return highest
    # Modulo 256 the negative of a signed level is its reflection about zero, and that of a gap a gap.
    lowest = area_maximum(np.negative(level), (rows, columns))
    return np.where(highest >= lowest, highest, np.negative(lowest))


_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class HeatPicture:
    """Numbers [R, C] in colours: `values` themselves, exact; nan where there is none.

    `limits` [R]: what full colour stands for in each row. `goes_beyond`: a number lies beyond its row's
    limit, and has the limit's colour.
    """

    values: Floats
    limits: Floats
    pyramid: Pyramid
    goes_beyond: bool

    @property
    def shape(self) -> tuple[int, int]:
        return self.pyramid.shape

    @property
    def limit(self) -> float | None:
        """What full colour stands for, None where each row has its own."""
        first = float(self.limits[0]) if len(self.limits) else 1.0
        return first if bool((self.limits == self.limits[:1]).all()) else None


def heat_picture(values: Floats, limits: Floats | float, check: Check = lambda: None) -> HeatPicture:
    """Return the picture of `values` [R, C]; `limits` (> 0) is one for all rows, or one for each."""
    of_rows = np.broadcast_to(np.asarray(limits, np.float32), len(values)).copy()
    finest = np.empty(values.shape, np.uint8)
    at_once = max(1, _CELLS_AT_ONCE // max(1, values.shape[1]))
    goes_beyond = False
    for first in range(0, len(values), at_once):
        check()
        rows = slice(first, first + at_once)
        shares = values[rows] / of_rows[rows, None]
        # Dividing may round a number at the limit to a little more than 1.
        goes_beyond = goes_beyond or bool((np.abs(shares) > 1.000001).any())
        finest[rows] = signed_levels(np.clip(shares, -1, 1))
    return HeatPicture(values, of_rows, pyramid_of(finest, is_signed=True, check=check), goes_beyond)


def usual_size(values: Floats) -> float:
    """Return the size that 99 % of `values` do not exceed; a few outliers must not pale all others.

    Some dimensions of BERT's hidden states are many times larger than the rest (Kovaleva et al. 2021,
    arXiv:2105.06990). nan is left out; 1 where all is zero.
    """
    sizes = np.abs(values[~np.isnan(values)])
    if not len(sizes):
        return 1.0
    index = int(0.99 * (len(sizes) - 1))
    return float(np.partition(sizes, index)[index]) or float(sizes.max()) or 1.0
