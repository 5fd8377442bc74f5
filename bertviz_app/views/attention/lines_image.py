"""Lines of heads: which there are, how they are drawn, in slices, and which is pointed at."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen

from bertviz_app.types import Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.heads.places import MOST_LINES
from bertviz_app.viewmodels.state import NOTHING, Pair
from bertviz_app.viewmodels.viewport import PixelAxis
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
REACH = 4.0
"""The vertical distance, in pixels, up to which the pointer is on a line."""
FAINTEST = 0.1
"""The least share of full colour of a line that can be pointed at."""

LINE = np.dtype(
    [
        ("query", np.int32),
        ("key", np.int32),
        ("weight", np.float32),
        ("share", np.float32),
        ("paint", np.int32),
        ("opacity", np.float64),
        ("width", np.float64),
        ("beside", np.float64),
    ]
)
Lines = NDArray[np.void]
"""Lines, weakest first; each has these fields.

`share`: its weight divided by the weight that has full colour. `paint`: the index of its head among those
that are drawn; of differences it is 0 below zero and 1 above. `beside`: how many pixels it lies below the
line between its tokens.
"""


def lines_of(pictures: tuple[HeadPicture, ...], least: float) -> Lines:
    """Return the lines of these heads of at least `least`, at most the MOST_LINES strongest."""
    parts = []
    for number, picture in enumerate(pictures):
        # Weakest first: what is strong enough is the end of the list.
        at = slice(int(np.searchsorted(np.abs(picture.weights), least)), None)
        part = np.zeros(len(picture.weights[at]), LINE)
        part["query"], part["key"] = picture.queries[at], picture.keys[at]
        part["weight"] = picture.weights[at]
        part["paint"] = part["weight"] > 0 if picture.quantity.is_signed else number
        parts.append(part)
    lines = np.concatenate(parts)
    if len(parts) > 1:
        lines = lines[np.argsort(np.abs(lines["weight"]), kind="stable")[-MOST_LINES:]]
    lines["share"] = np.abs(lines["weight"]) / max(1e-30, *(picture.full for picture in pictures))
    return lines


def styled(lines: Lines, *, is_curved: bool) -> Lines:
    """Return lines with an opacity and a width for each of 32 strengths.

    Thousands of faint lines would add up to a solid block that hides the strong ones: the more there are the
    fainter each is.
    """
    styled = lines.copy()
    share = (np.ceil(lines["share"].astype(float) * _BINS).clip(1, _BINS) - 0.5) / _BINS
    crowd = max(1.0, len(lines) / 500)
    steepness = 0.9 + 0.5 * math.log10(crowd)
    styled["opacity"] = np.maximum(0.1 / crowd, 0.9 * share**steepness)
    styled["width"] = 0.6 + 2.6 * share if is_curved else 1 + np.round(2 * share)
    return styled


class Highlight(NamedTuple):
    """A highlighted pair and, for each head, the weights of its lines.

    They are those of the keys that the highlighted query looks at; where a key alone is highlighted, of the
    queries that look at it.
    """

    shown: Pair
    weights: Sequence[Floats]

    def lines(self, pictures: tuple[HeadPicture, ...], pitch: float, least: float) -> Lines:
        """Return the lines of at least `least`; of several heads only the strong ones stand out.

        `pitch`: the pixels between two queries, in which the lines of all heads have room.
        """
        weights, (query, key) = np.array(self.weights), (self.shown.query, self.shown.key)
        sizes = np.abs(weights)  # [heads, tokens at the other end]
        heads, others = np.nonzero((sizes >= least) & np.isfinite(sizes))
        order = np.argsort(sizes[heads, others], kind="stable")[-_MOST_HIGHLIGHTED:]
        heads, others = heads[order], others[order]
        n_heads, lines = len(pictures), np.zeros(len(order), LINE)
        # The highlighted token is at one end of every line: the query unless only a key is highlighted.
        lines["query"], lines["key"] = (others, key) if query is None else (query, others)
        lines["weight"] = weights[heads, others]
        lines["share"] = share = sizes[heads, others] / max(picture.full for picture in pictures)
        lines["paint"] = lines["weight"] > 0 if pictures[0].quantity.is_signed else heads
        lines["opacity"], lines["width"] = 0.25 + 0.75 * share, 0.8 + 3.2 * share
        if n_heads > 1:
            lines["opacity"], lines["width"] = 0.05 + 0.95 * share, 0.6 + 2.0 * share
        lines["width"] += 1.5 * ((lines["query"] == query) & (lines["key"] == key))
        lines["beside"] = (heads - (n_heads - 1) / 2) * min(2.0, 0.7 * pitch / n_heads)  # so that they part
        return lines


NO_HIGHLIGHT = Highlight(NOTHING, ())


def highlight_of(pictures: tuple[HeadPicture, ...], shown: Pair) -> Highlight:
    """Return the weights of the lines of a highlighted pair."""
    if shown.query is not None:
        return Highlight(shown, [picture.source.row(shown.query) for picture in pictures])
    if shown.key is not None:
        return Highlight(shown, [picture.source.column(shown.key) for picture in pictures])
    return NO_HIGHLIGHT


@dataclass(frozen=True)
class Brush:
    """Where lines run and how they look: `colours` and `is_dashed` by paint, `digits` of numbers.

    `size`: of the view, in logical pixels with `ratio` device pixels to each. `clip`: where lines are drawn.
    """

    queries: PixelAxis
    keys: PixelAxis
    left: float
    right: float
    size: tuple[int, int]
    ratio: float
    clip: QRectF
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
        colour = QColor(self.colours[paint])
        colour.setAlphaF(min(1.0, opacity))
        return colour

    def pen(self, paint: int, opacity: float, width: float) -> QPen:
        pen = QPen(self.colour(paint, opacity), width)
        if self.is_dashed[paint]:
            pen.setDashPattern(_DASHES)
        return pen

    def draw_curves(self, painter: QPainter, lines: Lines, *, is_exact: bool = False) -> None:
        """Draw lines one after the other, as curves.

        Antialiased and translucent, a path wider than a pixel takes twenty times as long as one of a pixel,
        most of it to hand parts of it to other threads. So unless `is_exact`, a wide faint line is drawn as
        some thin ones side by side, half a pixel apart, that together cover as much.
        """
        painter.setBrush(Qt.BrushStyle.NoBrush)
        thin = 1 / painter.device().devicePixelRatioF()
        for query, key, _, _, paint, strength, width, beside in lines.tolist():
            path, opacity = self.curve(query, key, beside), max(strength, _TRUE_COLOUR)
            n_thin = max(1, round(2 * width / thin - 1))
            if is_exact or width <= thin or (n_thin > 1 and opacity > _MOST_OF_THIN):
                painter.setPen(self.pen(paint, opacity, width))
                painter.drawPath(path)
                continue
            of_each = opacity * width / thin / n_thin
            painter.setPen(self.pen(paint, of_each if n_thin == 1 else of_each * _SLANTED, thin))
            # Shifted down and across, thin lines lie up to 1.41 times as far apart and cover 0.71 times as
            # much where they are slanted; this far apart they are as wide as the line on average.
            rises = self.queries.middle(query) > self.keys.middle(key)
            apart = (2 * width - 1.71 * thin) / 2.41 / max(1, n_thin - 1)
            for number in range(n_thin):
                down = (number - (n_thin - 1) / 2) * apart
                painter.drawPath(path.translated(down if rises else -down, down))

    def draw_straight(self, painter: QPainter, lines: Lines) -> None:
        """Draw lines straight, those of one pen at once.

        A pen wider than a pixel costs 60 times as much: wide lines are made of thin ones.
        """
        for opacity, width, paint in np.unique(lines[["opacity", "width", "paint"]]).tolist():
            is_same = (lines["opacity"] == opacity) & (lines["width"] == width) & (lines["paint"] == paint)
            same = lines[is_same]
            painter.setPen(self.pen(paint, max(opacity, _TRUE_COLOUR), 1 / self.ratio))
            ends = zip(same["query"].tolist(), same["key"].tolist(), strict=True)
            start_of, end_of, left, right = self.queries.middle, self.keys.middle, self.left, self.right
            straight = [QLineF(left, start_of(query), right, end_of(key)) for query, key in ends]
            n_thin = round(width * self.ratio)
            for number in range(n_thin):
                shift = (number - (n_thin - 1) / 2) * width / n_thin  # from the middle of the wide line
                painter.translate(0, shift)
                painter.drawLines(straight)
                painter.translate(0, -shift)


class LinesImage:
    """Lines in an image that is filled in slices of 2 ms, so that no frame waits for 20,000 of them.

    Of curves the strongest are drawn first and the others below them, which gives the picture that drawing
    all from the weakest to the strongest gives. Thousands of straight lines would take many times as
    long so: `image` has the strongest of them alone until another one has all, from the weakest on.
    `at_once`: how many seconds the first slice may take besides a few lines, which is drawn at once.
    """

    def __init__(self, brush: Brush, lines: Lines, at_once: float = 0.0) -> None:
        self.is_curved = len(lines) <= CURVED_UP_TO
        self.lines = lines
        self._brush = brush
        # Among so many the first ones may be too faint to be drawn.
        self._first, self._last = int(np.searchsorted(lines["opacity"], _UNSEEN)), len(lines)
        self._n_shown = 0
        self._whole: QImage | None = None
        self.image = self._empty()
        self.draw_slice(at_once)

    @property
    def is_complete(self) -> bool:
        return self._first >= self._last

    @property
    def may_wait(self) -> bool:
        """Whether only faint lines are missing: the strongest of thousands are in the image."""
        return self._n_shown == _MOST_AT_ONCE

    def draw_slice(self, seconds: float = _SLICE) -> bool:
        """Draw lines for so many seconds, and at least some; return whether `image` has changed."""
        until = time.perf_counter() + seconds
        is_sample = not (self.is_curved or self.may_wait or self.is_complete)
        if is_sample:
            self._n_shown = _MOST_AT_ONCE if self._n_shown or seconds else _AT_ONCE
            self.image.fill(Qt.GlobalColor.transparent)
        elif not self.is_curved and self._whole is None:
            self._whole = self._empty()
        image = self.image if self.is_curved or is_sample or self._whole is None else self._whole
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(self._brush.clip)
            if is_sample:
                first = max(self._first, self._last - self._n_shown)
                self._brush.draw_straight(painter, self.lines[first : self._last])
                return True
            if self.is_curved:
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOver)
            while not self.is_complete:
                if self.is_curved:
                    self._last, end = max(self._first, self._last - _CURVES_AT_ONCE), self._last
                    self._brush.draw_curves(painter, self.lines[self._last : end][::-1])
                else:
                    start, self._first = self._first, min(self._last, self._first + _AT_ONCE)
                    self._brush.draw_straight(painter, self.lines[start : self._first])
                if time.perf_counter() >= until:
                    break
        if self.is_complete:
            self.image = image
        return self.is_curved or self.is_complete

    def _empty(self) -> QImage:
        width, height = (round(side * self._brush.ratio) for side in self._brush.size)
        image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._brush.ratio)
        image.fill(Qt.GlobalColor.transparent)
        return image


def line_under(lines: Lines, brush: Brush, x: float, y: float) -> Pair:
    """Return the ends of the line under a point, of several the one with the largest weight.

    Nothing where there are so many lines that one cannot be told from the next.
    """
    if not 0 < len(lines) <= CURVED_UP_TO or not brush.left < x < brush.right:
        return NOTHING
    # The share of its vertical distance that a line has covered there: its inner points are those of a curve.
    along = np.linspace(0.0, 1.0, 257)
    back = 1 - along
    across = 3 * back * along * (BEND * back + (1 - BEND) * along) + along**3
    risen = along * along * (3 - 2 * along)
    share = float(np.interp((x - brush.left) / (brush.right - brush.left), across, risen))
    starts = brush.queries.start + (lines["query"] + 0.5 - brush.queries.span.first) * brush.queries.pitch
    ends = brush.keys.start + (lines["key"] + 0.5 - brush.keys.span.first) * brush.keys.pitch
    is_near = np.abs(starts + (ends - starts) * share - y) <= REACH
    near = lines[is_near & (lines["share"] >= FAINTEST)]
    # The strongest is the last.
    return Pair(int(near["query"][-1]), int(near["key"][-1])) if len(near) else NOTHING


def widest_number(picture: HeadPicture) -> str:
    """Return the widest text of a number beside a label, or in a cell."""
    digits = picture.digits
    return signed(picture.largest, digits) if picture.quantity.is_signed else fixed(picture.largest, digits)
