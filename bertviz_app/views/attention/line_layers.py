"""`LineLayers`: what the lines view has prepared for one picture at one size."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap, QRegion

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.selection import NOTHING, Pair
from bertviz_app.views.attention.highlighted_lines import (
    Highlight,
    HighlightedLines,
    Stroke,
    draw_strokes,
    highlight_of,
)
from bertviz_app.views.attention.label_columns import LabelColumns
from bertviz_app.views.attention.lines_image import Brush, Frame, LinesImage, Strands
from bertviz_app.views.kit.cached_picture import CachedPicture

_AROUND = 4
"""The pixels left and right of the lines that the ends of wide ones may reach into."""

_SHOWN_EVERY = 0.06  # seconds


class LineLayers:
    """All lines in one image, those of the highlighted token in another, and the labels beside them.

    `least` is the least weight that has a line.
    """

    at_once = 0.0
    """How many seconds all lines are drawn for in the first frame, besides a few."""

    def __init__(
        self,
        pictures: tuple[HeadPicture, ...],
        strands: Strands,
        brush: Brush,
        columns: LabelColumns,
        frame: Frame,
        least: float,
    ) -> None:
        self.pictures = pictures
        self.strands = strands
        self.brush = brush
        self.columns = columns
        self.frame = frame
        self._faded = CachedPicture(columns.look)
        self._least = least
        self._all: LinesImage | None = None
        self._highlighted: HighlightedLines | None = None
        self._shown_at = 0.0
        self.highlight = Highlight(NOTHING, [], [])

    @property
    def is_complete(self) -> bool:
        """Whether every line is in its image."""
        highlighted = self._highlighted
        return (
            self._all is not None
            and self._all.is_complete
            and (highlighted is None or highlighted.is_complete)
        )

    @property
    def may_wait(self) -> bool:
        """Whether nothing is missing but faint lines of thousands."""
        is_missing = self._highlighted is not None and not self._highlighted.is_complete
        return self._all is not None and self._all.may_wait and not is_missing

    def show(self, shown: Pair) -> None:
        """Highlight a pair."""
        if shown != self.highlight.shown:
            self.highlight = highlight_of(self.pictures, shown)
            if shown:
                if self._highlighted is None:
                    self._highlighted = HighlightedLines(self.frame, self.brush)
                self._highlighted.show(self._strokes())
            elif self._highlighted is not None:
                self._highlighted.show([])

    def paint_all(self, painter: QPainter, *, as_vectors: bool) -> None:
        """Paint all lines, as far as they are drawn."""
        if as_vectors:
            painter.save()
            painter.setClipRect(self.frame.clip, Qt.ClipOperation.IntersectClip)
            self.brush.draw(painter, self.strands, len(self.strands), is_exact=True)
            painter.restore()
        else:
            lines = self._started()
            faded = self._faded_picture(painter, lines) if painter.opacity() < 1 else None
            self._paint(painter, lines.image if faded is None else faded)

    def paint_highlighted(self, painter: QPainter, *, as_vectors: bool) -> None:
        """Paint the lines of the highlighted pair."""
        if as_vectors:
            painter.save()
            painter.setClipRect(self.frame.clip, Qt.ClipOperation.IntersectClip)
            draw_strokes(painter, self.brush, reversed(list(self._strokes())), is_exact=True)
            painter.restore()
        elif self._highlighted is not None:
            self._paint(painter, self._highlighted.image)

    def draw_slice(self, clock: Callable[[], float] = time.perf_counter) -> bool:
        """Draw more lines for a part of a frame, first those of the highlighted pair.

        Returns whether they are to be shown now: all lines take hundreds of slices, and to paint the view
        takes longer than one.
        """
        if self._highlighted is not None and not self._highlighted.is_complete:
            self._highlighted.draw_slice()
            return True
        has_changed = self._started().draw_slice()
        if not self.is_complete and (not has_changed or clock() - self._shown_at < _SHOWN_EVERY):
            return False
        self._shown_at = clock()
        return True

    def draw_rest(self) -> None:
        """Draw all lines that are not drawn yet."""
        while not self.is_complete:
            self.draw_slice()

    @property
    def rectangle(self) -> QRect:
        """Where lines may lie: up to the tints of labels, whose edges are rounded to whole pixels, too."""
        left, right = math.ceil(self.brush.left) - _AROUND, math.floor(self.brush.right) + _AROUND
        return QRect(left, 0, right - left, self.frame.size[1])

    def changes(self, before: Pair, now: Pair) -> QRegion:
        """Return what looks different where another pair is highlighted: the lines, and some labels."""
        region = QRegion(self.rectangle)
        for part in self.columns.changes(before, now, self.frame.size[1]):
            region += part
        return region

    def _faded_picture(self, painter: QPainter, lines: LinesImage) -> QPixmap | None:
        """Return all lines on the ground with the opacity of `painter`: to blend them takes longer."""
        if not lines.is_complete:
            return None
        opacity, size = painter.opacity(), QSize(*self.frame.size)

        def draw(on_ground: QPainter) -> None:
            on_ground.setOpacity(opacity)
            on_ground.drawImage(QPointF(0, 0), lines.image)

        return self._faded.picture(painter, size, (lines, opacity), draw)

    def _paint(self, painter: QPainter, picture: QImage | QPixmap) -> None:
        painter.save()
        painter.setClipRect(self.rectangle, Qt.ClipOperation.IntersectClip)
        if isinstance(picture, QPixmap):
            painter.setOpacity(1.0)
            painter.drawPixmap(QPointF(0, 0), picture)
        else:
            painter.drawImage(QPointF(0, 0), picture)
        painter.restore()

    def _strokes(self) -> Iterator[Stroke]:
        return self.highlight.strokes(self.pictures, self.brush, self._least)

    def _started(self) -> LinesImage:
        if self._all is None:
            self._all = LinesImage(self.frame, self.strands, self.brush, self.at_once)
            self._all.draw_slice()
        return self._all
