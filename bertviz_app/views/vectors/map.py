"""`MapView`: points on a plane, their labels clear of each other, gliding from one map to the next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEasingCurve, QPointF, QRectF, QSize, Qt, QTimer, QVariantAnimation, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.values import dataclass
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.look import Look, colour_table
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.axes import NumberAxis, Strip
from bertviz_app.views.plots.cells import Points
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing, Plot

Pixels = NDArray[np.float64]

GLIDE_MS = 110
SETTLE_MS = 100  # after the last turn of the wheel labels are placed anew
_NEAR = 16.0
_LABEL = 13.0
_LONGEST_LABEL = 160.0
_GRAIN = 2.0  # pixels: labels are kept apart on a grid this fine
_AWAY = 8.0
_MOST_TRIES = 3000
_MOST_LABELS = 400
_WIDEST, _CLOSEST = 5.0, 1 / 400  # of what is in sight as a whole
_MARGIN = 0.08


@dataclass(frozen=True, eq=False)
class MapPicture:
    """What is on a map: `points` [n, 2], nan where there is none, and what they are called.

    `colours` name a colour of the palette for each point; `is_ring`: points drawn as rings. `ratios` [2]:
    the explained variance of the axes. `extent` [m, 2] is what is in sight as a whole. `trails`
    [states, n, 2]: where each point is in every layer, or None. `partners` [k, 2]: points to be joined.
    `shades` [n], from 0 to 1: where a point's colour is between those of A and of B, in place of its own.
    `names`: what stands beside the points where that is shorter than `labels`, which are read out.
    """

    points: NDArray[np.float32]
    labels: tuple[str, ...]
    colours: Sequence[str]
    ratios: NDArray[np.float32]
    extent: NDArray[np.float32]
    is_ring: NDArray[np.bool_] | None = None
    trails: NDArray[np.float32] | None = None
    partners: NDArray[np.intp] | None = None
    shades: NDArray[np.float32] | None = None
    names: tuple[str, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """What is written beside the points."""
        return self.names or self.labels


class _MapBox(Box):
    """Both axes have one scale, so that distances on screen are distances on the map."""

    frames = False

    def __init__(self, plot: Plot) -> None:
        super().__init__(plot)
        self.setAspectLocked(True)

    def set_whole(self, whole: QRectF, fewest: float = 0.0, *, shows_all: bool = True) -> None:
        """Show all of `whole`, with what the shape of the box adds to it; one may go beyond it."""
        self.whole = QRectF(whole)
        size = max(whole.width(), whole.height(), 1e-9)
        self.setLimits(minXRange=_CLOSEST * size, maxXRange=_WIDEST * size, maxYRange=_WIDEST * size)
        if shows_all:
            self.show_all()

    @property
    def is_whole(self) -> bool:
        slack = 1e-6 * max(self.whole.width(), self.whole.height())
        return bool(self.viewRect().adjusted(-slack, -slack, slack, slack).contains(self.whole))


class MapView(PicturePlot[int]):
    """Draws a `MapPicture`. Its parts are the points; the arrows start from the first highlighted one."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.picture: MapPicture | None = None
        self.highlighted: frozenset[int] = frozenset()
        self._is_zoomed = False
        self._before: NDArray[np.float32] | None = None
        self.box = _MapBox(self)
        self.labels = _Labels(self)
        self._settled = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settled.timeout.connect(self.labels.forget_layout)
        self._glide = QVariantAnimation(self, duration=GLIDE_MS, startValue=0.0, endValue=1.0)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.valueChanged.connect(lambda _: self._place_points())
        self._glide.finished.connect(self._on_glided)
        self._build()
        self.box.range_chosen.connect(self._on_range_chosen)
        self.setMinimumSize(120, 100)
        self.recolour()

    def _build(self) -> None:
        self.left = NumberAxis(self, self.box, "left")
        self.bottom = NumberAxis(self, self.box, "bottom")
        self.item = self.plot_around(self.box, left=self.left, bottom=self.bottom)
        self.left.is_blank = self.bottom.is_blank = True
        self.left.apart = 3.0
        for axis in (self.left, self.bottom):
            axis.setGrid(255)
            axis.setZValue(-1)  # its lines go across the map, below the points
        self._across, self._up = (
            Strip(self, self.box, partial(self._draw_share, axis), is_of_rows=False) for axis in range(2)
        )
        for row, part in enumerate((self._up, self.item, self._across)):
            self.ci.addItem(part, row, 0)
        self.zeros = [pg.InfiniteLine(0, angle=angle) for angle in (0, 90)]
        self.ties = pg.PlotCurveItem(connect="pairs")
        self.ways = pg.PlotDataItem(symbol="o", symbolSize=4)
        self.rings = Points()
        self.points = Points()
        for part in (*self.zeros, self.ties, self.ways, self.rings, self.points):
            self.item.addItem(part, ignoreBounds=True)
        self.rings.setZValue(30)  # over the labels

    def show_picture(self, picture: MapPicture, *, glides: bool = False) -> None:
        """Show another map; with `glides` its points, the same as before, move to their new positions."""
        shown, self._before = self.picture, None
        if glides and shown is not None and shown.points.shape == picture.points.shape:
            self._before = self._from_pixels(self.pixels())
        is_same = shown is not None and shown.labels == picture.labels
        self._is_zoomed = self._is_zoomed and (glides or is_same)
        before = self.pixels() if self._before is not None else None
        self.picture = picture
        self.left.is_blank = self.bottom.is_blank = not len(picture.points)
        if not self._is_zoomed:
            self._show_all()
        if before is not None:  # they begin where they are on the screen, whatever its scale is now
            self._before = self._from_pixels(before)
        self._glide.stop()
        if self._before is not None and self.isVisible():
            self._glide.start()
        else:
            self._before = None
        self._place_points()
        self.labels.forget_layout()
        for strip in (self._up, self._across):
            strip.update()
        if is_same:
            self.read_again()
        else:
            self.forget_part()

    def _show_all(self) -> None:
        picture = self.picture
        there = np.zeros((0, 2)) if picture is None else picture.extent[~np.isnan(picture.extent).any(-1)]
        if len(there):
            low, high = there.min(0).astype(float), there.max(0).astype(float)
            size = max(*(high - low), 1e-6)
            margin = _MARGIN * size
            width, height = (high - low + 2 * margin).tolist()
            self.box.set_whole(QRectF(low[0] - margin, low[1] - margin, width, height))

    def highlight(self, points: frozenset[int]) -> None:
        if points != self.highlighted:
            self.highlighted = points
            self._place_marks()
            self.labels.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # where the points are

    @property
    def is_gliding(self) -> bool:
        """Whether the points are moving to their new positions."""
        return self._before is not None

    def _now(self) -> NDArray[np.float32]:
        """Return the points [n, 2] of the map as they are drawn now."""
        if self.picture is None:
            return np.zeros((0, 2), np.float32)
        if self._before is None:
            return self.picture.points
        share = float(self._glide.currentValue() or 0.0)
        glided: NDArray[np.float32] = self._before + (self.picture.points - self._before) * share
        return glided

    def pixels_of(self, points: NDArray[np.float32]) -> Pixels:
        """Return where points [..., 2] of the map lie, in pixels of the plot."""
        room, (across, up) = self.box.geometry_in_plot(), self.box.viewRange()
        scale = np.array((room.width() / (across[1] - across[0]), -room.height() / (up[1] - up[0])))
        pixels: Pixels = (points - (across[0], up[1])) * scale + (room.left(), room.top())
        return pixels

    def _from_pixels(self, pixels: Pixels) -> NDArray[np.float32]:
        room, (across, up) = self.box.geometry_in_plot(), self.box.viewRange()
        scale = np.array((room.width() / (across[1] - across[0]), -room.height() / (up[1] - up[0])))
        points: NDArray[np.float32] = np.asarray(
            (pixels - (room.left(), room.top())) / scale + (across[0], up[1]), np.float32
        )
        return points

    def pixels(self) -> Pixels:
        """Return where the points are drawn now, in pixels of the plot."""
        return self.pixels_of(self._now())

    # its parts

    @property
    def _placed(self) -> list[int]:
        """The points that have a place."""
        picture = self.picture
        return [] if picture is None else np.flatnonzero(~np.isnan(picture.points).any(-1)).tolist()

    @property
    def count(self) -> int:
        return len(self._placed)

    def numbered(self, number: int) -> int:
        return self._placed[number]

    def number_of(self, part: int) -> int:
        return self._placed.index(part)

    @property
    def current(self) -> int | None:
        return next((point for point in self._placed if point in self.highlighted), None)

    def part_at(self, at: QPointF) -> int | None:
        """Return the point of the map nearest to `at` in the plot, None if none is near."""
        pixels = self.pixels()
        if not len(pixels):
            return None
        away = np.hypot(*(pixels - (at.x(), at.y())).T)
        away[np.isnan(away)] = np.inf
        nearest = int(away.argmin())
        return nearest if away[nearest] <= _NEAR else None

    def extent_of(self, part: int) -> QRectF:
        assert self.picture is not None
        x, y = self.picture.points[part].tolist()
        return QRectF(x, y, 0, 0)

    def lines_of(self, part: int) -> list[str]:
        assert self.picture is not None
        x, y = self.picture.points[part].tolist()
        return [self.picture.labels[part], f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"]

    # drawing

    def _place_points(self) -> None:
        """Put the points where they are now: highlighted ones over the others."""
        picture, look, now = self.picture, self.look, self._now()
        there = np.flatnonzero(~np.isnan(now).any(-1))
        size = 8.0 if len(now) <= 1000 else 4.0
        if picture is None:
            return
        inks = {name: look.colour(name) for name in set(picture.colours)}
        card, is_ring = look.colour("card"), picture.is_ring
        shades = None
        if picture.shades is not None:  # from the colour of A to that of B
            table = colour_table((look.palette.accent, look.palette.sentence_b))
            numbers = np.rint(np.clip(picture.shades, 0, 1) * (len(table) - 1)).astype(int)
            shades = [QColor.fromRgb(int(table[number])) for number in numbers.tolist()]
        brushes, pens = [], []
        for point in there.tolist():
            ink = inks[picture.colours[point]] if shades is None else shades[point]
            hollow = is_ring is not None and bool(is_ring[point])
            brushes.append(pg.mkBrush(card if hollow else ink))
            pens.append(pg.mkPen(ink, width=2) if hollow else pg.mkPen(None))
        self.points.setData(pos=now[there], size=size, brush=brushes, pen=pens)
        partners = picture.partners
        if partners is not None:
            ends = now[partners.reshape(-1)].astype(np.float64)
            self.ties.setData(ends[:, 0], ends[:, 1], connect="pairs")
        self.ties.setVisible(partners is not None and len(partners) > 0)
        self._place_marks()
        self.labels.update()

    def _place_marks(self) -> None:
        """Ring the highlighted points, and draw their way through the layers."""
        picture, now = self.picture, self._now()
        marked = [point for point in self.highlighted if point < len(now) and not np.isnan(now[point]).any()]
        size = (8.0 if len(now) <= 1000 else 4.0) + 8
        self.rings.setData(
            pos=now[marked], size=size, brush=None, pen=pg.mkPen(self.look.colour("accent"), width=2)
        )
        trails = None if picture is None or self.is_gliding else picture.trails
        ways = [] if trails is None else [trails[:, point] for point in marked]
        # A gap between the ways of two points: curves are not drawn to what is not a number.
        parts = [np.vstack((way, np.full((1, 2), np.nan))) for way in ways if not np.isnan(way).any()]
        joined = np.vstack(parts) if parts else np.zeros((0, 2))
        self.ways.setData(joined[:, 0].astype(float), joined[:, 1].astype(float), connect="finite")

    def _draw_share(self, axis: int, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        """Write the share of the variance that an axis explains, at its end."""
        if self.picture is not None and len(self.picture.ratios) > axis:
            painter.setFont(self.look.font(12, bold=True))
            painter.setPen(self.look.colour("text"))
            share = f"PC{axis + 1} {fixed(100 * float(self.picture.ratios[axis]), 1)} %"
            middle = Qt.AlignmentFlag.AlignVCenter
            if axis:
                left = room.adjusted(8, 0, 0, 0)
                painter.drawText(left, middle | Qt.AlignmentFlag.AlignLeft, f"↑ {share}")
            else:
                right = room.adjusted(0, 0, -10, 0)
                painter.drawText(right, middle | Qt.AlignmentFlag.AlignRight, f"{share} →")

    def recolour(self) -> None:
        look = self.look
        height = math.ceil(QFontMetricsF(look.font(12)).height()) + 8
        for strip in (self._up, self._across):
            strip.set_thickness(height)
        self.left.fit_numbers("−00.00")
        for line in self.zeros:
            line.setPen(pg.mkPen(look.colour("secondary")))
        self.ties.setPen(pg.mkPen(look.colour("special", 0.6)))
        self.ways.setPen(pg.mkPen(look.colour("accent", 0.8), width=1.5))
        self.ways.setSymbolPen(pg.mkPen(look.colour("accent", 0.8), width=1.5))
        self.ways.setSymbolBrush(pg.mkBrush(look.colour("card")))
        self._place_points()
        self.labels.forget_texts()

    def on_range_changed(self) -> None:
        super().on_range_changed()
        self.labels.update()  # while the map is dragged or zoomed its labels go with their points
        if not self.scene().clickEvents:
            self._settled.start()

    def _on_range_chosen(self) -> None:
        self._is_zoomed = not self.box.is_whole

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Find labels that have room where a drag ended."""
        super().mouseReleaseEvent(event)
        self.labels.forget_layout()

    def resized(self) -> None:
        self._is_zoomed = False
        self._show_all()
        self.labels.forget_layout()

    @Slot()
    def _on_glided(self) -> None:
        self._before = None
        self._place_points()


class _Labels(Drawing):
    """The labels of a map: which of them have room is found once, and reused while the map is dragged."""

    def __init__(self, view: MapView) -> None:
        super().__init__(view.look, view.box)
        self._view = view
        self.setZValue(20)
        self._of: tuple[str, ...] | None = None
        self._widths: NDArray[np.float64] = np.zeros(0)
        self._labels: list[LabelPlace] | None = None
        self._anchors: Pixels = np.zeros((0, 2))

    def forget_layout(self) -> None:
        """Find anew which labels have room when they are next drawn."""
        self._labels = None
        self.update()

    def forget_texts(self) -> None:
        """Measure the labels again: the font is another one."""
        self._of = None
        self.forget_layout()

    def draw(self, painter: QPainter) -> None:
        """Write the labels that have room; those of highlighted points always, over the others."""
        picture, view, look = self._view.picture, self._view, self.look
        if picture is None or not len(picture.points):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        corner = view.box.geometry_in_plot().topLeft().toTuple()
        # Where the points are now, and where they will be at the end of their glide.
        pixels, ends = view.pixels() - corner, view.pixels_of(picture.points) - corner
        highlighted, plot = view.highlighted, self.rect()
        height = QFontMetricsF(look.font(_LABEL)).height()
        labels = self._placed(picture, ends, height, plot)
        # Where the points moved since, or still glide to where they belong, the labels go with them.
        shifts = pixels - self._anchors
        boxes: dict[int, QRectF] = {}
        painter.setFont(look.font(_LABEL))
        for label in labels:
            right, down = shifts[label.point].tolist()
            box = QRectF(label.left + right, label.top + down, self._widths[label.point], height)
            boxes[label.point] = box
            if label.point not in highlighted:
                is_faint = picture.colours[label.point] == "special"
                self._write(painter, picture.written[label.point], box, "secondary" if is_faint else "text")
        painter.setFont(look.font(_LABEL, bold=True))
        for point in highlighted:
            if point < len(pixels) and not np.isnan(pixels[point]).any():
                x, y = pixels[point]
                beside = QRectF(x + 10, y - height / 2, self._widths[point], height)
                box = boxes.get(point, beside)
                painter.fillRect(box.adjusted(-1, 0, 1, 0), look.colour("card", 0.85))
                self._write(painter, picture.written[point], box, "accent")

    def _write(self, painter: QPainter, label: str, box: QRectF, colour: str) -> None:
        painter.setPen(self.look.colour(colour))
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(label, Qt.TextElideMode.ElideRight, box.width() + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _placed(self, picture: MapPicture, ends: Pixels, height: float, plot: QRectF) -> list[LabelPlace]:
        if self._of != picture.written:
            metrics = QFontMetricsF(self.look.font(_LABEL, bold=True))  # a highlighted label needs more
            longest = self.look.pixels(_LONGEST_LABEL)
            widths = [min(metrics.horizontalAdvance(label) + 2, longest) for label in picture.written]
            self._of, self._widths = picture.written, np.array(widths, np.float64)
        if self._labels is None:
            self._labels = place_labels(ends, self._widths, height, (plot.width(), plot.height()))
            self._anchors = ends
        return self._labels


@dataclass(frozen=True)
class LabelPlace:
    """Where the label of one point begins: the left edge and the top of its box."""

    point: int
    left: float
    top: float


def place_labels(
    pixels: Pixels,
    widths: NDArray[np.float64],
    height: float,
    size: tuple[float, float],
    first: Iterable[int] = (),
) -> list[LabelPlace]:
    """Return places for as many labels as fit beside their points, clear of each other and of all points.

    `pixels` [n, 2] (nan: no such point), `widths` [n] and `height` of the labels, `size` of the plane.
    The points `first` have the first choice, then the others in their order.
    """
    grid = _Grid(size)
    inside = np.flatnonzero(((pixels >= 0) & (pixels < np.asarray(size))).all(-1))
    for x, y in pixels[inside].tolist():
        grid.take(x - 3, y - 3, 6, 6)
    placed: list[LabelPlace] = []
    there = set(inside.tolist())
    tried = [point for point in dict.fromkeys([*first, *inside.tolist()]) if point in there][:_MOST_TRIES]
    choices = _choices(pixels[tried], widths[tried], height)
    clear = grid.are_free(choices, widths[tried][:, None], height)  # of points: most places are not
    for index in np.flatnonzero(clear.any(-1)).tolist():
        width = float(widths[tried[index]])
        for left, top in choices[index, clear[index]].tolist():
            if grid.is_free(left, top, width, height):
                grid.take(left, top, width, height)
                placed.append(LabelPlace(tried[index], left, top))
                break
        if len(placed) == _MOST_LABELS:
            break
    return placed


def _choices(pixels: Pixels, widths: NDArray[np.float64], height: float) -> Pixels:
    """Return the corners [n, 4, 2] of the places beside points: right, left, above, below."""
    x, y = pixels.T
    corners = (
        (x + _AWAY, y - height / 2),
        (x - _AWAY - widths, y - height / 2),
        (x - widths / 2, y - _AWAY - height),
        (x - widths / 2, y + _AWAY),
    )
    return np.stack([np.stack(corner, -1) for corner in corners], 1)


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

    def are_free(self, corners: Pixels, widths: NDArray[np.float64], height: float) -> NDArray[np.bool_]:
        """Return which of the boxes [n, 4] at these corners lie in the plane where nothing is taken."""
        ends = corners + np.stack(np.broadcast_arrays(widths, height), -1)
        is_inside = ((corners >= 0) & (ends <= self._size)).all(-1)
        sums = np.pad(self._taken.cumsum(0, dtype=np.int32).cumsum(1, dtype=np.int32), ((1, 0), (1, 0)))
        last = np.array(self._taken.shape)[::-1]
        left, top = np.moveaxis(np.clip(np.floor(corners / _GRAIN).astype(np.intp), 0, last), -1, 0)
        right, bottom = np.moveaxis(np.clip(np.ceil(ends / _GRAIN).astype(np.intp), 0, last), -1, 0)
        n_taken = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        free: NDArray[np.bool_] = is_inside & (n_taken == 0)
        return free

    def _part(self, left: float, top: float, width: float, height: float) -> tuple[slice, slice]:
        rows = slice(max(0, math.floor(top / _GRAIN)), max(0, math.ceil((top + height) / _GRAIN)))
        columns = slice(max(0, math.floor(left / _GRAIN)), max(0, math.ceil((left + width) / _GRAIN)))
        return rows, columns
