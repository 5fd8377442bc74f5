"""The lines of a highlighted token: which they are, and an image of them that is filled in slices."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.views.attention.lines_image import Brush, Frame

_MOST = 200  # the strongest: all lines of 12 heads at once could not be told apart
_SLICE = 0.001
_AT_ONCE = 12
"""The least number of lines in the first frame, however slow the computer is."""

Weights = NDArray[np.float32]


class Stroke(NamedTuple):
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

    def strokes(self, pictures: tuple[HeadPicture, ...], brush: Brush, least: float) -> Iterator[Stroke]:
        """Yield the lines of at least `least`, strongest first.

        Of several heads only the strong lines stand out.
        """
        largest, (query, key) = max(picture.full for picture in pictures), (self.shown.query, self.shown.key)
        weights = np.array(self.of_queries or self.of_keys)  # [heads, tokens at the other end]
        sizes = np.abs(weights)
        heads, others = np.nonzero((sizes >= least) & np.isfinite(sizes))
        order = np.argsort(sizes[heads, others], kind="stable")[::-1][:_MOST]
        heads, others = heads[order], others[order]
        n_heads, is_signed = len(pictures), pictures[0].is_signed
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
            yield Stroke(at[0], at[1], paint, opacity, width, (head - (n_heads - 1) / 2) * apart)


def highlight_of(pictures: tuple[HeadPicture, ...], shown: Pair) -> Highlight:
    """Return the weights of the lines of a highlighted pair."""
    if shown.query is not None:
        return Highlight(shown, [], [picture.source.row(shown.query) for picture in pictures])
    if shown.key is not None:
        return Highlight(shown, [picture.source.column(shown.key) for picture in pictures], [])
    return Highlight(shown, [], [])


def draw_strokes(painter: QPainter, brush: Brush, strokes: Iterable[Stroke], *, is_exact: bool) -> None:
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
        self._clip = frame.clip
        self._brush = brush
        self._image = frame.transparent_image()
        self._waiting: Iterator[Stroke] = iter(())
        self._next: list[Stroke] = []
        """The first of those that wait; more of them are not found before there is time to draw them."""

    @property
    def image(self) -> QImage:
        """The lines drawn so far."""
        return self._image

    @property
    def is_complete(self) -> bool:
        """Whether every line is in the image."""
        return not self._next

    def show(self, strokes: Iterable[Stroke]) -> None:
        """Draw these lines from now on; the strongest are the first."""
        self._image.fill(Qt.GlobalColor.transparent)
        self._waiting = iter(strokes)
        self._next = self._take()
        self.draw_slice()

    def draw_slice(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Draw lines for about 1 ms."""
        until = clock() + _SLICE
        while self._next:
            self._draw(self._next)
            self._next = self._take()
            if clock() > until:
                return

    def _take(self) -> list[Stroke]:
        return list(islice(self._waiting, _AT_ONCE))

    def _draw(self, part: list[Stroke]) -> None:
        painter = QPainter(self._image)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(self._clip)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationOver)
            draw_strokes(painter, self._brush, part, is_exact=False)
        finally:
            painter.end()
