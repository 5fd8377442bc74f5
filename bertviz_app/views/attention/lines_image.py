"""Lines of heads: which are in sight, highlighted or pointed at, and how they are drawn, in slices."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from bertviz_app.values import dataclass
from bertviz_app.viewmodels.heads.pictures import HeadPicture, faintest
from bertviz_app.viewmodels.heads.places import MOST_LINES
from bertviz_app.viewmodels.options import NOTHING, Pair
from bertviz_app.viewmodels.viewport import PixelAxis, TokenSpan
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import fixed, signed

_SLICE = 0.002
_BINS = 32
_AT_ONCE = 50
_MOST_AT_ONCE = 150  # in a frame in which a new picture is shown, or a turn of its own: some 3 ms
_CURVES_AT_ONCE = 6  # a strong, wide one takes a quarter of a millisecond
_MOST_OF_THIN = 0.6  # the seams between thin lines of a higher opacity can be seen
_SLANTED = 1.2  # a pen of a pixel covers less the more a line is slanted
CURVED_UP_TO = 1500
"""More lines than these are straight."""
BEND = 0.45
"""The distance of the inner points of a curve from its ends, as a share of the width."""
_UNSEEN = 1.5 / 255
_TRUE_COLOUR = 4 / 255  # fainter, the rounding of premultiplied colours turns blue into green
_DASHES = (4.0, 3.0)
_MOST_HIGHLIGHTED = 200  # the strongest: all lines of 12 heads at once could not be told apart
_HIGHLIGHTED_SLICE = 0.001
_HIGHLIGHTED_AT_ONCE = 12
"""The least number of lines in the first frame, however slow the computer is."""
REACH = 4.0
"""The vertical distance, in pixels, up to which the pointer is on a line."""
FAINTEST = 0.1
"""The least share of full colour of a line that can be pointed at."""
Weights = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Strands:
    """The lines to draw, weakest first.

    `paints` [n] is the index in `pictures` of a line's head; of differences it is 0 below zero and 1 above.
    `shares` [n] is a line's weight divided by the weight that has full colour.
    """

    queries: NDArray[np.int32]
    keys: NDArray[np.int32]
    weights: NDArray[np.float32]
    shares: NDArray[np.float32]
    paints: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.queries)

    def at(self, index: slice | NDArray[np.intp]) -> Strands:
        """Return the lines at an index."""
        ends, paints = (self.queries[index], self.keys[index]), self.paints[index]
        return Strands(*ends, self.weights[index], self.shares[index], paints)

    def in_sight(self, queries: TokenSpan, keys: TokenSpan) -> Strands:
        """Return the lines that cross what is in sight."""
        above = (self.queries < queries.first - 1) & (self.keys < keys.first - 1)
        below = (self.queries > queries.last) & (self.keys > keys.last)
        return self.at(np.flatnonzero(~(above | below)))


def gathered(pictures: tuple[HeadPicture, ...], threshold: float) -> Strands:
    """Return the lines of these heads of at least `threshold`, at most the MOST_LINES strongest."""
    full, least = max(picture.full for picture in pictures), least_of(pictures, threshold)
    parts = []
    for number, picture in enumerate(pictures):
        # Weakest first: what is strong enough is the end of the list.
        at = slice(int(np.searchsorted(np.abs(picture.weights), least)), None)
        weights, is_signed = picture.weights[at], picture.quantity.is_signed
        paints = (weights > 0).astype(np.intp) if is_signed else np.full(len(weights), number)
        parts.append((picture.queries[at], picture.keys[at], weights, paints))
    queries, keys, weights, paints = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    sizes = np.abs(weights)
    if len(pictures) > 1:
        order = np.argsort(sizes, kind="stable")[-MOST_LINES:]
        queries, keys, weights, paints = queries[order], keys[order], weights[order], paints[order]
        sizes = sizes[order]
    return Strands(queries, keys, weights, (sizes / max(full, 1e-30)).astype(np.float32), paints)


def least_of(pictures: tuple[HeadPicture, ...], threshold: float) -> float:
    """Return the least number that has a line, where the option for it is `threshold`."""
    strongest = max(pictures, key=attrgetter("largest"))
    return max(strongest.threshold(threshold), faintest(strongest.largest, strongest.quantity))


@dataclass(frozen=True)
class Brush:
    """Where lines run and how they look: `colours` and `is_dashed` by paint, `digits` of numbers."""

    queries: PixelAxis
    keys: PixelAxis
    left: float
    right: float
    colours: tuple[QColor, ...]
    is_dashed: tuple[bool, ...]
    is_signed: bool = False
    digits: int = 2

    def curve(self, query: int, key: int, beside: float = 0.0) -> QPainterPath:
        """Return the curve from a query to a key, `beside` pixels below its place."""
        reach = (self.right - self.left) * BEND
        start, end = self.queries.middle(query) + beside, self.keys.middle(key) + beside
        path = QPainterPath(QPointF(self.left, start))
        path.cubicTo(self.left + reach, start, self.right - reach, end, self.right, end)
        return path

    def colour(self, paint: int, opacity: float) -> QColor:
        """Return the colour of a head's lines."""
        colour = QColor(self.colours[paint])
        colour.setAlphaF(min(1.0, opacity))
        return colour

    def pen(self, paint: int, opacity: float, width: float) -> QPen:
        """Return the pen of a head's lines."""
        pen = QPen(self.colour(paint, opacity), width)
        if self.is_dashed[paint]:
            pen.setDashPattern(_DASHES)
        return pen

    def draw_curve(
        self,
        painter: QPainter,
        ends: tuple[int, int],
        strength: tuple[float, float],
        paint: int,
        *,
        beside: float = 0.0,
        is_exact: bool = False,
    ) -> None:
        """Draw the curve from a query to a key; `strength`: its opacity and its width.

        Antialiased and translucent, a path wider than a pixel takes twenty times as long as one of a pixel,
        most of it to hand parts of it to other threads. So unless `is_exact`, a wide faint line is drawn as
        some thin ones side by side, half a pixel apart, that together cover as much.
        """
        opacity, width = strength
        path, thin = self.curve(*ends, beside), 1 / painter.device().devicePixelRatioF()
        n_thin = max(1, round(2 * width / thin - 1))
        if is_exact or width <= thin or (n_thin > 1 and opacity > _MOST_OF_THIN):
            painter.setPen(self.pen(paint, opacity, width))
            painter.drawPath(path)
            return
        of_each = opacity * width / thin / n_thin
        painter.setPen(self.pen(paint, of_each if n_thin == 1 else of_each * _SLANTED, thin))
        # Shifted down and across, thin lines lie up to 1.41 times as far apart and cover 0.71 times as much
        # where they are slanted; this far apart they are as wide as the line on average.
        rises = self.queries.middle(ends[0]) > self.keys.middle(ends[1])
        apart = (2 * width - 1.71 * thin) / 2.41 / max(1, n_thin - 1)
        for number in range(n_thin):
            down = (number - (n_thin - 1) / 2) * apart
            painter.drawPath(path.translated(down if rises else -down, down))

    def draw(
        self,
        painter: QPainter,
        lines: Strands,
        n_lines: int,
        *,
        is_exact: bool = False,
        is_below: bool = False,
    ) -> None:
        """Draw some of `n_lines` lines, weakest first, a pen for each head and each of 32 strengths.

        Thousands of faint lines would add up to a solid block that hides the strong ones: the more
        there are the fainter each is. `is_exact` keeps curves, whatever they cost. `is_below`: strongest
        first, for a `painter` that draws below what is there.
        """
        strengths = np.ceil(lines.shares * _BINS).astype(int).clip(1, _BINS)
        kinds = strengths * len(self.colours) + lines.paints
        for kind in sorted(set(kinds.tolist()), reverse=is_below):
            strength, paint = divmod(kind, len(self.colours))
            share, opacity = (strength - 0.5) / _BINS, _opacity(strength, n_lines)
            if opacity < _UNSEEN:
                continue
            same = kinds == kind
            pairs = list(zip(lines.queries[same].tolist(), lines.keys[same].tolist(), strict=True))
            if is_below:
                pairs.reverse()
            opacity = max(opacity, _TRUE_COLOUR)
            if is_exact or n_lines <= CURVED_UP_TO:
                strength = opacity, 0.6 + 2.6 * share
                for ends in pairs:
                    self.draw_curve(painter, ends, strength, paint, is_exact=is_exact)
                continue
            # A pen wider than a pixel costs 60 times as much: wide lines are made of thin ones.
            ratio = painter.device().devicePixelRatioF()
            painter.setPen(self.pen(paint, opacity, 1 / ratio))
            start_of, end_of, left, right = self.queries.middle, self.keys.middle, self.left, self.right
            straight = [QLineF(left, start_of(query), right, end_of(key)) for query, key in pairs]
            width = 1 + round(2 * share)
            n_thin = round(width * ratio)
            for number in range(n_thin):
                shift = (number - (n_thin - 1) / 2) * width / n_thin  # from the middle of the wide line
                painter.translate(0, shift)
                painter.drawLines(straight)
                painter.translate(0, -shift)


def _opacity(strength: int, n_lines: int) -> float:
    """Return the opacity of lines of one of the 32 strengths: less the more lines there are."""
    crowd = max(1.0, n_lines / 500)
    faintest, steepness = 0.1 / crowd, 0.9 + 0.5 * math.log10(crowd)
    return max(faintest, 0.9 * math.pow((strength - 0.5) / _BINS, steepness))


def brush_for(
    look: Look,
    pictures: tuple[HeadPicture, ...],
    axes: tuple[PixelAxis, PixelAxis],
    ends: tuple[float, float],
) -> Brush:
    """Return the brush for these heads: each in its colour, or signed numbers in two."""
    digits = pictures[0].digits
    if pictures[0].quantity.is_signed:
        differences = look.palette.differences
        colours = (QColor(differences[0]), QColor(differences[-1]))
        return Brush(*axes, *ends, colours, (False, False), is_signed=True, digits=digits)
    n_colours = len(look.palette.heads)
    return Brush(
        *axes,
        *ends,
        tuple(look.head_colour(picture.head) for picture in pictures),
        tuple(picture.head // n_colours % 2 == 1 for picture in pictures),
        digits=digits,
    )


@dataclass(frozen=True)
class Frame:
    """The size of a view in logical pixels, `ratio` device pixels to each, and where lines are drawn."""

    size: tuple[int, int]
    ratio: float
    clip: QRectF

    def transparent_image(self) -> QImage:
        """Return an image of the whole view with nothing in it."""
        width, height = (round(side * self.ratio) for side in self.size)
        image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self.ratio)
        image.fill(Qt.GlobalColor.transparent)
        return image

    @contextmanager
    def painter(self, image: QImage, *, is_below: bool) -> Iterator[QPainter]:
        """Return what draws lines into an image: below what is there, or over it."""
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(self.clip)
            if is_below:
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOver)
            yield painter


class LinesImage:
    """Lines in an image that is filled in slices of 2 ms, so that no frame waits for 20,000 of them.

    Of curves the strongest are drawn first and the others below them, which gives the picture that drawing
    all from the weakest to the strongest gives. Thousands of straight lines would take many times as
    long so: `image` has the strongest of them alone until another one has all, from the weakest on.
    `at_once`: how many seconds the first slice may take besides a few lines.
    """

    def __init__(self, frame: Frame, lines: Strands, brush: Brush, at_once: float = 0.0) -> None:
        self.image = frame.transparent_image()
        self.lines = lines
        self._brush = brush
        self._slice = at_once
        # The first lines are too faint to be drawn among so many, up to the share of full colour `last`.
        strengths = (number for number in range(1, _BINS) if _opacity(number, len(lines)) >= _UNSEEN)
        last = (next(strengths, _BINS) - 1) / _BINS
        self._first = int(np.searchsorted(lines.shares, np.float32(last), side="right")) if last else 0
        self._last = len(lines)
        self._is_curved = len(lines) <= CURVED_UP_TO
        self._frame = frame
        self._n_shown = 0
        self._whole: QImage | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every line is in the image."""
        return self._first >= self._last

    @property
    def may_wait(self) -> bool:
        """Whether only faint lines are missing: the strongest of thousands are in the image."""
        return self._n_shown == _MOST_AT_ONCE

    def draw_slice(self) -> bool:
        """Draw lines for about 2 ms; at first only a few, in a frame in which all else is drawn, too.

        Returns whether `image` has changed.
        """
        until, is_new = time.perf_counter() + self._slice, self._slice > 0
        self._slice = _SLICE
        if self._is_curved:
            self._draw_until(until, self.image)
            return True
        if not self.may_wait and not self.is_complete:
            self._n_shown = _AT_ONCE if self._n_shown == 0 and not is_new else _MOST_AT_ONCE
            strongest = self.lines.at(slice(max(self._first, self._last - self._n_shown), self._last))
            self.image = self._frame.transparent_image()
            with self._frame.painter(self.image, is_below=False) as painter:
                self._brush.draw(painter, strongest, len(self.lines))
            return True
        if self._whole is None:
            self._whole = self._frame.transparent_image()
        self._draw_until(until, self._whole)
        if self.is_complete:
            self.image = self._whole
        return self.is_complete

    def _draw_until(self, until: float, image: QImage) -> None:
        with self._frame.painter(image, is_below=self._is_curved) as painter:
            while not self.is_complete:
                if self._is_curved:
                    self._last, end = max(self._first, self._last - _CURVES_AT_ONCE), self._last
                    part = self.lines.at(slice(self._last, end))
                else:
                    start, self._first = self._first, min(self._last, self._first + _AT_ONCE)
                    part = self.lines.at(slice(start, self._first))
                self._brush.draw(painter, part, len(self.lines), is_below=self._is_curved)
                if time.perf_counter() >= until:
                    return


def widest_number(picture: HeadPicture) -> str:
    """Return the widest text of a number beside a label, or in a cell."""
    digits = picture.digits
    return signed(picture.largest, digits) if picture.quantity.is_signed else fixed(picture.largest, digits)


class LineStroke(NamedTuple):
    """One highlighted line; `beside`: how many pixels it lies below the line between its tokens."""

    query: int
    key: int
    paint: int
    opacity: float
    width: float
    beside: float


class Highlight(NamedTuple):
    """A highlighted pair and, for each head, the weights of its lines.

    `of_queries`: those of the queries that look at the highlighted key; `of_keys`: those of the keys that the
    highlighted query looks at. One of the two is empty.
    """

    shown: Pair
    of_queries: list[Weights]
    of_keys: list[Weights]

    def strokes(self, pictures: tuple[HeadPicture, ...], brush: Brush, least: float) -> Iterator[LineStroke]:
        """Yield the lines of at least `least`, strongest first.

        Of several heads only the strong lines stand out.
        """
        largest, (query, key) = max(picture.full for picture in pictures), (self.shown.query, self.shown.key)
        weights = np.array(self.of_queries or self.of_keys)  # [heads, tokens at the other end]
        sizes = np.abs(weights)
        heads, others = np.nonzero((sizes >= least) & np.isfinite(sizes))
        order = np.argsort(sizes[heads, others], kind="stable")[::-1][:_MOST_HIGHLIGHTED]
        heads, others = heads[order], others[order]
        n_heads, is_signed = len(pictures), pictures[0].quantity.is_signed
        apart = min(2.0, 0.7 * brush.queries.pitch / n_heads)  # so that several heads' lines part
        for head, other, weight in zip(
            heads.tolist(), others.tolist(), weights[heads, others].tolist(), strict=True
        ):
            # The highlighted token is at one end of every line: the query unless only a key is highlighted.
            at = (other, key) if query is None else (query, other)
            share, paint = abs(weight) / largest, int(weight > 0) if is_signed else head
            opacity, width = (0.25 + 0.75 * share, 0.8 + 3.2 * share)
            if n_heads > 1:
                opacity, width = 0.05 + 0.95 * share, 0.6 + 2.0 * share
            if at == (query, key):
                width += 1.5
            assert at[1] is not None
            yield LineStroke(at[0], at[1], paint, opacity, width, (head - (n_heads - 1) / 2) * apart)


def highlight_of(pictures: tuple[HeadPicture, ...], shown: Pair) -> Highlight:
    """Return the weights of the lines of a highlighted pair."""
    if shown.query is not None:
        return Highlight(shown, [], [picture.source.row(shown.query) for picture in pictures])
    if shown.key is not None:
        return Highlight(shown, [picture.source.column(shown.key) for picture in pictures], [])
    return Highlight(shown, [], [])


def draw_strokes(painter: QPainter, brush: Brush, strokes: Iterable[LineStroke], *, is_exact: bool) -> None:
    """Draw lines one over the other; `is_exact` as in `Brush.draw_curve`."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for query, key, paint, opacity, width, beside in strokes:
        strength = opacity, width
        brush.draw_curve(painter, (query, key), strength, paint, beside=beside, is_exact=is_exact)


class HighlightedLines:
    """Draws the strongest lines in the first frame and the others below them in the next ones.

    That gives the picture that drawing all from the weakest to the strongest gives.
    """

    def __init__(self, frame: Frame, brush: Brush) -> None:
        self._frame, self._brush = frame, brush
        self.image = frame.transparent_image()
        """The lines drawn so far."""
        self._waiting: Iterator[LineStroke] = iter(())
        self._next: list[LineStroke] = []
        """The first of those that wait; more of them are not found before there is time to draw them."""

    @property
    def is_complete(self) -> bool:
        """Whether every line is in the image."""
        return not self._next

    def show(self, strokes: Iterable[LineStroke]) -> None:
        """Draw these lines from now on; the strongest are the first."""
        self.image.fill(Qt.GlobalColor.transparent)
        self._waiting = iter(strokes)
        self._next = self._take()
        self.draw_slice()

    def draw_slice(self) -> None:
        """Draw lines for about 1 ms."""
        until = time.perf_counter() + _HIGHLIGHTED_SLICE
        with self._frame.painter(self.image, is_below=True) as painter:
            while self._next:
                draw_strokes(painter, self._brush, self._next, is_exact=False)
                self._next = self._take()
                if time.perf_counter() > until:
                    return

    def _take(self) -> list[LineStroke]:
        return list(islice(self._waiting, _HIGHLIGHTED_AT_ONCE))


def line_under(lines: Strands, brush: Brush, x: float, y: float) -> Pair:
    """Return the ends of the line under a point, of several the one with the largest weight.

    Nothing where there are so many lines that one cannot be told from the next.
    """
    if not 0 < len(lines) <= CURVED_UP_TO or not brush.left < x < brush.right:
        return NOTHING
    share = _rise((x - brush.left) / (brush.right - brush.left))
    starts = brush.queries.start + (lines.queries + 0.5 - brush.queries.span.first) * brush.queries.pitch
    ends = brush.keys.start + (lines.keys + 0.5 - brush.keys.span.first) * brush.keys.pitch
    is_near = np.abs(starts + (ends - starts) * share - y) <= REACH
    near = np.flatnonzero(is_near & (lines.shares >= FAINTEST))
    if not len(near):
        return NOTHING
    best = near[-1]  # the strongest is the last
    return Pair(int(lines.queries[best]), int(lines.keys[best]))


def _rise(across: float) -> float:
    """Return the share of its vertical distance that a line has covered at the share `across` of its width.

    Both are from 0 to 1. The inner points of the cubic are those of `Brush.curve`.
    """
    along = np.linspace(0.0, 1.0, 257)
    back = 1 - along
    x = 3 * back * along * (BEND * back + (1 - BEND) * along) + along**3
    return float(np.interp(across, x, along * along * (3 - 2 * along)))
