"""`PointsPlot`: points of a plane, their names beside them, clear of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from bertviz_app.types import Bools, Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.views.kit.look import LEFT, Look, Pencil
from bertviz_app.views.plots.axes import NumberAxis
from bertviz_app.views.plots.cells import Points
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing

Pixels = Doubles
Places = Doubles | Floats

_GRAIN = 2.0  # pixels: names are kept apart on a grid this fine
_AWAY = 8.0
_MOST_TRIES = 3000
_MOST_NAMES = 400


class PointsPlot(PicturePlot[int]):
    """A plot whose parts are points; a subclass says where they are, and what is written beside them."""

    near = 16.0
    """How many pixels from a point the pointer is still at it."""
    mark_room = 0.0
    """How many pixels further from a point its name is while it is marked."""
    longest_name = 160.0

    def __init__(self, look: Look, box: type[Box] = Box) -> None:
        super().__init__(look)
        self.highlighted: frozenset[int] = frozenset()
        self.box = box(self)
        self.names = _Names(self)
        self.left, self.bottom = NumberAxis(self, self.box, "left"), NumberAxis(self, self.box, "bottom")
        self.item = self.plot_around(self.box, left=self.left, bottom=self.bottom)
        self.points, self.rings = Points(), Points()

    @property
    def places(self) -> Places:
        """Where the points [n, 2] belong, nan where there is none."""
        raise NotImplementedError

    @property
    def written(self) -> Sequence[str]:
        raise NotImplementedError

    def now(self) -> Places:
        """Return where the points [n, 2] are drawn now."""
        return self.places

    def name_font(self, *, bold: bool) -> QFont:
        """Return the font of the names, and of those of highlighted points."""
        return self.look.font(bold=bold)

    def name_colour(self, point: int) -> str:
        """Return the colour of the name of a point that is not highlighted."""
        return "text"

    def show_dots(
        self, inks: Sequence[QColor], is_ring: Sequence[bool], size: float, edge: QColor | None = None
    ) -> None:
        """Draw each point that has a place as a dot with an edge, or as a ring, in its colour."""
        now, card, brushes, pens = self.now(), self.look.colour("card"), [], []
        there = np.flatnonzero(np.isfinite(now).all(-1))
        for at in there.tolist():
            brushes.append(pg.mkBrush(card if is_ring[at] else inks[at]))
            pens.append(pg.mkPen(inks[at], width=2) if is_ring[at] else pg.mkPen(edge))
        self.points.setData(pos=now[there], size=size, brush=brushes, pen=pens)

    def highlight(self, points: frozenset[int]) -> None:
        """Mark these points, and write their names over the others."""
        if points != self.highlighted:
            self.highlighted = points
            self.place_marks()
            self.names.update()

    def place_marks(self) -> None:
        raise NotImplementedError

    @property
    def _scale(self) -> tuple[Pixels, Pixels, Pixels]:
        """The pixels of a unit; a point, and where in the plot it is drawn."""
        room, (across, up) = self.box.geometry_in_plot(), self.box.viewRange()
        scale = np.array((room.width() / (across[1] - across[0]), -room.height() / (up[1] - up[0])))
        return scale, np.array((across[0], up[1])), np.array((room.left(), room.top()))

    def pixels_of(self, points: Places) -> Pixels:
        """Return where points [..., 2] lie, in pixels of the plot."""
        scale, start, corner = self._scale
        pixels: Pixels = (points - start) * scale + corner
        return pixels

    def from_pixels(self, pixels: Pixels) -> Floats:
        """Return the points [..., 2] that lie at these pixels."""
        scale, start, corner = self._scale
        return np.asarray((pixels - corner) / scale + start, np.float32)

    def pixels(self) -> Pixels:
        """Return where the points are drawn now, in pixels of the plot."""
        return self.pixels_of(self.now())

    def part_at(self, at: QPointF) -> int | None:
        """Return the point nearest to `at`, None if none is near."""
        pixels = self.pixels()
        if not len(pixels) or not self.box.sceneBoundingRect().contains(at):
            return None
        away = np.nan_to_num(np.hypot(*(pixels - at.toTuple()).T), nan=np.inf)
        nearest = int(away.argmin())
        return nearest if away[nearest] <= self.near else None

    def extent_of(self, part: int) -> QRectF:
        """Return where a point is: in the middle where it has no place."""
        x, y = self.places[part].tolist()
        is_placed = math.isfinite(x) and math.isfinite(y)
        return QRectF(QPointF(x, y) if is_placed else self.box.viewRect().center(), QSize(0, 0))


class _Names(Drawing):
    """The names of points: which of them have room is found once, and reused while the plot is dragged."""

    def __init__(self, plot: PointsPlot) -> None:
        super().__init__(plot.look, plot.box)
        self._plot = plot
        self.setZValue(20)
        self._measured: tuple[object, ...] = ()
        self._widths: Doubles = np.zeros(0)
        self._places: list[LabelPlace] | None = None
        self._anchors: Pixels = np.zeros((0, 2))

    def forget_layout(self) -> None:
        """Find anew which names have room when they are next drawn."""
        self._places = None
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Write the names that have room; those of highlighted points always, over the others."""
        plot, look, names = self._plot, self.look, self._plot.written
        if not names:
            return
        corner = plot.box.geometry_in_plot().topLeft().toTuple()
        plain, bold = (plot.name_font(bold=is_bold) for is_bold in (False, True))
        # Where the points are now, and where they belong: they may be on their way.
        pixels, ends = plot.pixels() - corner, plot.pixels_of(plot.places) - corner
        if self._measured != (names, bold):  # a highlighted name needs more room
            metrics, longest = QFontMetricsF(bold), look.pixels(plot.longest_name)
            widths = [min(metrics.horizontalAdvance(name) + 2, longest) for name in names]
            self._measured, self._widths, self._places = (names, bold), np.array(widths), None
        height = QFontMetricsF(plain).height()
        if self._places is None:
            room = self.rect().size().toTuple()
            self._places, self._anchors = place_labels(ends, self._widths, height, room), ends
        # Where the points moved since, or are on their way, the names go with them.
        shifts, boxes = pixels - self._anchors, dict[int, QRectF]()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pencil = Pencil(painter, look)
        for place in self._places:
            right, down = shifts[place.point].tolist()
            box = QRectF(place.left + right, place.top + down, self._widths[place.point], height)
            boxes[place.point] = box
            if place.point not in plot.highlighted:
                pencil.write(names[place.point], box, plain, plot.name_colour(place.point), LEFT)
        for point in plot.highlighted:
            if point < len(pixels) and not np.isnan(pixels[point]).any():
                x, y = pixels[point].tolist()
                beside = QRectF(x + 10, y - height / 2, self._widths[point], height)
                box = boxes.get(point, beside)
                aside = (box.left() > x) - (box.right() < x)  # 1 right of the point, -1 left of it
                box.translate(plot.mark_room * aside, 0)
                painter.fillRect(box.adjusted(-1, 0, 1, 0), look.colour("card", 0.85))
                pencil.write(names[point], box, bold, "accent", LEFT)


@dataclass(frozen=True)
class LabelPlace:
    """Where the label of one point begins: the left edge and the top of its box."""

    point: int
    left: float
    top: float


def place_labels(
    pixels: Pixels,
    widths: Doubles,
    height: float,
    size: tuple[float, float],
) -> list[LabelPlace]:
    """Return places for as many labels as fit beside their points, clear of each other and of all points.

    `pixels` [n, 2] (nan: no such point), `widths` [n] and `height` of the labels, `size` of the plane.
    The points have the first choice in their order.
    """
    grid = _Grid(size)
    inside = np.flatnonzero(((pixels >= 0) & (pixels < np.asarray(size))).all(-1))
    for left, top in (pixels[inside] - 3).tolist():
        grid.take(left, top, 6, 6)
    placed: list[LabelPlace] = []
    tried = inside.tolist()[:_MOST_TRIES]
    (x, y), wide = pixels[tried].T, widths[tried]
    corners = (  # right, left, above, below
        (x + _AWAY, y - height / 2),
        (x - _AWAY - wide, y - height / 2),
        (x - wide / 2, y - _AWAY - height),
        (x - wide / 2, y + _AWAY),
    )
    choices = np.stack([np.stack(corner, -1) for corner in corners], 1)  # [n, 4, 2]
    clear = grid.are_free(choices, wide[:, None], height)  # of points: most places are not
    for index in np.flatnonzero(clear.any(-1)).tolist():
        width = float(widths[tried[index]])
        for left, top in choices[index, clear[index]].tolist():
            if grid.is_free(left, top, width, height):
                grid.take(left, top, width, height)
                placed.append(LabelPlace(tried[index], left, top))
                break
        if len(placed) == _MOST_NAMES:
            break
    return placed


class _Grid:
    """Which parts of a plane are taken, in squares of _GRAIN pixels."""

    def __init__(self, size: tuple[float, float]) -> None:
        self._size = size
        columns, rows = (math.ceil(length / _GRAIN) for length in size)
        self._taken = np.zeros((max(1, rows), max(1, columns)), bool)

    def take(self, left: float, top: float, width: float, height: float) -> None:
        self._taken[self._part(left, top, width, height)] = True

    def is_free(self, left: float, top: float, width: float, height: float) -> bool:
        return not self._taken[self._part(left, top, width, height)].any()

    def are_free(self, corners: Pixels, widths: Doubles, height: float) -> Bools:
        """Return which of the boxes [n, 4] at these corners lie in the plane where nothing is taken."""
        ends = corners + np.stack(np.broadcast_arrays(widths, height), -1)
        is_inside = ((corners >= 0) & (ends <= self._size)).all(-1)
        sums = np.pad(self._taken.cumsum(0, dtype=np.int32).cumsum(1, dtype=np.int32), ((1, 0), (1, 0)))
        last = np.array(self._taken.shape)[::-1]
        left, top = np.moveaxis(np.clip(np.floor(corners / _GRAIN).astype(np.intp), 0, last), -1, 0)
        right, bottom = np.moveaxis(np.clip(np.ceil(ends / _GRAIN).astype(np.intp), 0, last), -1, 0)
        n_taken = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        free: Bools = is_inside & (n_taken == 0)
        return free

    def _part(self, left: float, top: float, width: float, height: float) -> tuple[slice, slice]:
        rows = slice(max(0, math.floor(top / _GRAIN)), max(0, math.ceil((top + height) / _GRAIN)))
        columns = slice(max(0, math.floor(left / _GRAIN)), max(0, math.ceil((left + width) / _GRAIN)))
        return rows, columns
