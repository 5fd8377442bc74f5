"""`PicturePoints`: a picture of a result as points of a plane."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from bertviz_app.analysis.picture import Picture
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.table import CopiesNumbers
from bertviz_app.views.analyses.titles import part_word, title_of
from bertviz_app.views.kit.look import LEFT, Look, Pencil
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.axes import Strip
from bertviz_app.views.plots.cells import Points
from bertviz_app.views.plots.points import PointsPlot

_SIZE = 12.0
_SHAPE = 0.8
_BESIDE = 20.0, 16.0, 40.0, 16.0  # pixels left of, above, right of and below the dots: names are at the right
_MARGIN = 0.07
_CLOSEST = 1 / 50  # of what is in sight as a whole
_LEGEND_PITCH, _LEGEND_LINE = 28.0, 18.0
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class PicturePoints(CopiesNumbers, PointsPlot):
    """Draws the last two axes of a `Picture`: a point for each row, in the colour of its group.

    Its parts are the points; some can be marked, from the first of which the arrows start. Arrows go to the
    nearest point in their direction, Page Up and Page Down through all of them in their order. Coordinates
    that have names have axes; else both have one scale, so that distances compare.
    """

    pages = True
    near, mark_room = 12.0, 3.0
    longest_name = 1000.0

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._points: Doubles = np.zeros((0, 2))
        self._marked: tuple[int | None, ...] = ()
        self.left.fit_numbers("000.00")
        self.legend = Strip(self, self.box, self._draw_legend, is_of_rows=False)
        self.ci.addItem(self.item, 0, 0)
        self.ci.addItem(self.legend, 1, 0)
        self.mark_dot = Points()
        for part in (self.points, self.mark_dot, self.rings):
            self.item.addItem(part, ignoreBounds=True)
        self.mark_dot.setZValue(30)  # over the names
        self.setMinimumSize(160, 140)
        self._set_axes()

    # what is shown

    def show_picture(self, picture: Picture) -> None:
        self.picture = picture
        self._points = np.where(np.isfinite(picture.values), picture.values, np.nan).astype(np.float64)
        self.setAccessibleName(title_of(picture))
        self._set_axes()
        self._fit()
        self.recolour()
        self.forget_part()
        self._describe()

    def _set_axes(self) -> None:
        has_axes = bool(self.axis_words)
        self.box.setAspectLocked(not has_axes)
        for side in ("left", "bottom"):
            self.item.showAxis(side, has_axes)

    @property
    def axis_words(self) -> tuple[str, ...]:
        """What is across and what is up; nothing where the coordinates have no meaning of their own."""
        labels = self.picture.axes[1].labels
        return () if labels in ((), ("x", "y")) else labels

    def mark(self, *parts: int | None) -> None:
        """Mark points, from the first of which the arrows start."""
        if parts != self._marked:
            self._marked = parts
            self.place_marks()
            self._describe()

    def name_of(self, part: int) -> str:
        """Return the name of a point, which is written beside it."""
        return self.picture.axes[0].labels[part]

    @property
    def count(self) -> int:
        return len(self._points)

    @property
    def marked(self) -> list[int]:
        """The marked points that the picture has; none in a saved picture."""
        there = [part for part in self._marked if part is not None and part < self.count]
        return [] if self.omits_hints else there

    def _describe(self) -> None:
        index = self.current
        self.setAccessibleDescription("" if index is None else ", ".join(self.lines_of(index)))

    def _fit(self) -> None:
        """Show all points with room for their names."""
        rows, words = self._legend_rows * self.look.pixels(_LEGEND_LINE), self._words_box(0.0)
        self.legend.set_thickness(math.ceil(rows + words.height()) + 8)
        self.lay_out()
        there = self._points[np.isfinite(self._points).all(-1)]
        if not len(there):
            return
        low, high = there.min(0), there.max(0)
        if self.axis_words:
            span = np.where(high > low, high - low, 1.0)
            whole = QRectF(*(low - _MARGIN * span).tolist(), *((1 + 2 * _MARGIN) * span).tolist())
        else:  # with room for their names, at one scale
            span = np.maximum(high - low, (high - low).max() * 1e-3 or 1.0)
            size, (left, above, right, below) = self.box.rect(), _BESIDE
            room = max(1.0, size.width() - left - right), max(1.0, size.height() - above - below)
            scale = min(room[0] / float(span[0]), room[1] / float(span[1]))
            x, y = ((low + high) / 2).tolist()
            corner = QPointF(x - (left + room[0] / 2) / scale, y - (below + room[1] / 2) / scale)
            whole = QRectF(corner, size.size() / scale)
        self.box.set_whole(whole, _CLOSEST * min(whole.width(), whole.height()))

    @property
    def groups(self) -> list[str]:
        """The groups in the order of their first points."""
        return [*dict.fromkeys(self.picture.groups)]

    def recolour(self) -> None:
        picture, look = self.picture, self.look
        colours = {group: look.head_colour(at) for at, group in enumerate(self.groups)}
        inks, is_ring = [look.head_colour(0)] * self.count, [False] * self.count
        if picture.groups:
            inks = [colours[group] for group in picture.groups]
        if picture.marked is not None:
            is_ring = picture.marked[:, 0].tolist()
        self.show_dots(inks, is_ring, _SIZE, look.colour("card"))
        self.place_marks()
        self._fit()
        self.names.forget_layout()

    def place_marks(self) -> None:
        marked = [part for part in self.marked if len(self._there(part))]
        self.highlighted = frozenset(marked)
        groups = self.picture.groups
        numbers = (self.groups.index(groups[part]) if groups else 0 for part in marked)
        self.mark_dot.setData(
            pos=self._points[marked],
            size=_SIZE + 4,
            brush=[pg.mkBrush(self.look.head_colour(number)) for number in numbers],
            pen=pg.mkPen(self.look.colour("text"), width=2),
        )
        self.names.update()

    def _there(self, index: int | None) -> Doubles:
        """Return a point [1, 2], or none [0, 2] where it has no place."""
        found = self._points[:0] if index is None else self._points[index : index + 1]
        return found[np.isfinite(found).all(-1)]

    # in print

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        super().set_omits_hints(omits_hints=omits_hints)
        self.place_marks()

    @property
    def printed_height(self) -> float:
        """The height beside the width of a figure: the points are about square, above their legend."""
        return float(self.width() * _SHAPE + self.legend.size().height())

    # the legend

    @property
    def _legend_columns(self) -> int:
        return max(1, int((self.width() - 14) // self._legend_pitch))

    @property
    def _legend_pitch(self) -> float:
        metrics = QFontMetricsF(self.look.font(12))
        return max(
            [
                self.look.pixels(_LEGEND_PITCH),
                *(metrics.horizontalAdvance(translated(one)) + 22 for one in self.groups),
            ]
        )

    @property
    def _legend_rows(self) -> int:
        return math.ceil(len(self.groups) / self._legend_columns)

    @property
    def _words(self) -> str:
        words = self.tr("across: {0} · up: {1}")
        return words.format(*self.axis_words) if self.axis_words else ""

    def _words_box(self, top: float) -> QRectF:
        """Return where the names of the axes are, in as many lines as they need."""
        if not self.axis_words:
            return QRectF(12, top, 0, 0)
        room = QRectF(12, top, max(80, self.width() - 20), 1000)
        return QFontMetricsF(self.look.font(12)).boundingRect(room, _WRAPPED, self._words)

    def _draw_legend(self, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        look, line = self.look, self.look.pixels(_LEGEND_LINE)
        pencil, font = Pencil(painter, look), look.font(12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, group in enumerate(self.groups):
            row, column = divmod(number, self._legend_columns)
            at = QPointF(14 + column * self._legend_pitch, (row + 0.5) * line)
            pencil.dot(at, 4, look.head_colour(number))
            box = QRectF(at.x() + 7, at.y() - line / 2, self._legend_pitch - 14, line)
            pencil.write(translated(group), box, font, "secondary", LEFT)
        below = self._words_box(self._legend_rows * line + 2)
        pencil.prose(self._words, below, font, "secondary", Qt.AlignmentFlag.AlignLeft)

    # where points are

    @property
    def places(self) -> Doubles:
        return self._points

    @property
    def written(self) -> Sequence[str]:
        return self.picture.axes[0].labels

    def name_font(self, *, bold: bool) -> QFont:
        is_of_heads = self.picture.axes[0].name == "head of all"
        return self.look.number_font(10, bold=bold) if is_of_heads else self.look.font(12, bold=bold)

    def name_colour(self, point: int) -> str:
        return "secondary"

    @property
    def first(self) -> int | None:
        return next(iter(self.marked), None)

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        """Return the nearest point in a direction: rather straight ahead than aside."""
        if part is None:
            return super().beside(part, rows, columns)
        pixels = self.pixels()
        away = pixels - (pixels[part] if len(self._there(part)) else self.place_of(part).toTuple())
        along, aside = away @ (columns, rows), np.abs(away @ (rows, columns))
        costs = np.where(along > 0, along + 2 * aside, np.inf)
        return int(costs.argmin()) if np.isfinite(costs).any() else None

    def lines_of(self, part: int) -> list[str]:
        """Return the name of a point, its coordinates where they have a meaning, and what else is known."""
        picture = self.picture
        numbers = zip(self.axis_words, picture.values[part].tolist(), strict=False)
        details = picture.details({picture.axes[0].name: part})
        return [
            part_word(picture, picture.axes[0], part),
            *(() if details else (f"{words}: {fixed(value)}" for words, value in numbers)),
            *map(translated, details),
        ]

    def mark_part(self, part: int | None) -> None:
        """Ring the point that the keys have come to."""
        if self.walked is not None or self.rings.data.size:
            pen = pg.mkPen(self.look.colour("accent"), width=2)
            at = self._there(self.walked)
            self.rings.setData(pos=at, size=_SIZE + 8, brush=pg.mkBrush(None), pen=pen)

    def on_range_changed(self) -> None:
        self.names.forget_layout()
        super().on_range_changed()

    def resized(self) -> None:
        self._fit()
        self.names.forget_layout()
