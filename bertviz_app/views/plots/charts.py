"""`CurvePlot`: curves over steps; `PointsPlot`: points of a plane, their names clear of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from bertviz_app.types import Bools, Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.look import LEFT, Look, Pencil
from bertviz_app.views.plots.axes import NumberAxis, Strip
from bertviz_app.views.plots.cells import Points
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing

_PLOT_GAP = 8.0
_MARK = 5.0
_FEWEST_STEPS, _CLOSEST = 4.0, 1e-3


@dataclass(frozen=True, eq=False)
class Curve:
    """`values` [N] over `steps` [N]; `raw` [N] lies faintly behind.

    `colour` is one of the palette's, or the number of a head, whose colour it has.
    `is_marked`: few values, each with a dot; `is_level`: a broken line to compare with.
    """

    name: str
    colour: str | int
    steps: Doubles
    values: Doubles
    raw: Doubles | None = None
    is_marked: bool = False
    is_level: bool = False


class CurvePlot(PicturePlot[float]):
    """Draws curves from step 0 on; `unit` names the numbers, which are shares of one with "%".

    Its parts are the steps, of which all curves are read out at once.
    """

    along = (0, 1)

    def __init__(self, look: Look, unit: str = "") -> None:
        super().__init__(look)
        self.unit = unit
        self.curves: tuple[Curve, ...] = ()
        self._words = ""
        self.items_of_curves: list[pg.PlotDataItem] = []
        self.box = _CurvesBox(self)
        self.left = NumberAxis(
            self,
            self.box,
            "left",
            write=lambda value: f"{round(100 * value, 6):g} %" if self.unit == "%" else f"{value:g}",
        )
        self.bottom = NumberAxis(self, self.box, "bottom", write=lambda step: f"{step:,.0f}")
        self.left.apart, self.bottom.is_whole = 2.5, True
        self.left.has_line = self.bottom.has_line = False
        self.item = self.plot_around(self.box, left=self.left, bottom=self.bottom)
        self.left.setGrid(255)
        self.left.setZValue(-1)  # its lines go across the plot, below the curves
        self.legend = Strip(self, self.box, self._draw_legend, is_of_rows=False)
        self.foot = Strip(self, self.box, self._draw_words, is_of_rows=False)
        for row, part in enumerate((self.legend, self.item, self.foot)):
            self.ci.addItem(part, row, 0)
        self.item.layout.setContentsMargins(_PLOT_GAP, 0, 3 * _PLOT_GAP, 0)
        self.line = pg.InfiniteLine(angle=90)  # at the step that is read out
        self.line.hide()
        self.box.addItem(self.line, ignoreBounds=True)
        self.recolour()

    def show_curves(self, curves: Sequence[Curve], words: str) -> None:
        """Draw these curves; `words` name the steps' axis. What is in sight stays, unless all was."""
        self.curves, self._words = tuple(curves), words
        latest = (f"{curve.name}: {self.written(curve.values[-1])}" for curve in curves if len(curve.values))
        self.setAccessibleDescription(", ".join(latest))
        (first, low), (last, top) = self.starts(), self.ends()
        self.box.set_whole(QRectF(first, low, last - first, top - low), shows_all=self.box.is_whole)
        self.box.setLimits(minXRange=min(_FEWEST_STEPS, last - first), minYRange=_CLOSEST * (top - low))
        self._set_data()
        self._fit()
        if self.part is not None:
            self.read(self._nearest(self.part), self.pointer)

    def written(self, value: float) -> str:
        """Return a value with its unit, as the legend shows it."""
        return f"{value:.1%}" if self.unit == "%" else f"{value:.3f}"

    def sizeHint(self) -> QSize:
        return QSize(360, 220)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 130)

    # where things lie

    def starts(self) -> tuple[float, float]:
        """Return the first step and the least value on the axes where all is in sight."""
        return 0.0, 0.0

    def ends(self) -> tuple[float, float]:
        """Return the last step and the largest value on the axes where all is in sight."""
        steps = max((float(one.steps[-1]) for one in self.curves if len(one.steps)), default=0.0)
        values = [one.values[np.isfinite(one.values)] for one in self.curves]
        top = max((float(found.max()) for found in values if len(found)), default=1.0)
        if self.unit == "%":
            return max(steps, 10.0), min(1.0, _rounded(max(top * 1.1, 0.1)))
        return max(steps, 10.0), _rounded(max(top * 1.04, 0.5))

    def _fit(self) -> None:
        metrics = QFontMetricsF(self.look.font(11))
        rows = self._legend()
        least = QFontMetricsF(self.look.font(12)).height()
        self.legend.set_thickness(max((box.bottom() for box, _ in rows), default=least) + 2 * _PLOT_GAP)
        self.foot.set_thickness(math.ceil(metrics.height()) + 4)
        for strip in (self.legend, self.foot):
            strip.update()
        self.lay_out()

    # drawing

    def _set_data(self) -> None:
        """Give each curve its line, and the numbers behind it theirs."""
        top = self.ends()[1]
        lines: list[tuple[Curve, Doubles, bool]] = []
        for curve in self.curves:
            if curve.raw is not None:
                lines.append((curve, np.minimum(curve.raw, top), True))
            lines.append((curve, curve.values, False))
        while len(self.items_of_curves) > len(lines):
            self.item.removeItem(self.items_of_curves.pop())
        while len(self.items_of_curves) < len(lines):
            self.items_of_curves.append(pg.PlotDataItem())
            self.item.addItem(self.items_of_curves[-1], ignoreBounds=True)
        for item, (curve, values, is_raw) in zip(self.items_of_curves, lines, strict=True):
            is_there = np.isfinite(values)  # a line with gaps takes pyqtgraph three times as long
            colour, is_marked = self.colour_of(curve), curve.is_marked and not is_raw
            pen = QPen(self.colour_of(curve, 0.3) if is_raw else colour, 1 if is_raw else 2)
            if curve.is_level:
                pen = QPen(colour, 1.5, Qt.PenStyle.DashLine)
            pen.setCosmetic(True)
            item.setData(
                curve.steps[is_there],
                values[is_there],
                name=None if is_raw else curve.name,
                pen=pen,
                antialias=not is_raw,  # half of a frame's time
                symbol="o" if is_marked else None,
                symbolSize=_MARK + 1,
                symbolPen=None,
                symbolBrush=colour,
                skipFiniteCheck=True,
                clipToView=True,
                autoDownsample=True,
                autoDownsampleFactor=0.5,
                downsampleMethod="peak" if is_raw else "subsample",
            )

    def colour_of(self, curve: Curve, alpha: float = 1.0) -> QColor:
        if isinstance(curve.colour, int):
            return self.look.head_colour(curve.colour, alpha)
        return self.look.colour(curve.colour, alpha)

    def recolour(self) -> None:
        self.left.recolour()
        self.bottom.recolour()
        self.left.fit_numbers("100 %")
        self.line.setPen(QPen(self.look.colour("secondary"), 0))
        self._set_data()
        self._fit()

    def _legend(self) -> list[tuple[QRectF, Curve]]:
        """Return where each curve is named; a name that does not fit beside another begins a row."""
        metrics, numbers = QFontMetricsF(self.look.font(12)), QFontMetricsF(self.look.number_font(12))
        height = metrics.height() + 4
        found: list[tuple[QRectF, Curve]] = []
        x, y = _PLOT_GAP * 1.5, _PLOT_GAP / 2
        for curve in self.curves:
            latest = self.written(curve.values[-1]) if len(curve.values) else ""
            number = max(map(numbers.horizontalAdvance, (" 00.000", f" {latest}")))
            width = 22 + metrics.horizontalAdvance(curve.name) + number + _PLOT_GAP
            if found and x + width > self.width() - _PLOT_GAP:
                x, y = _PLOT_GAP * 1.5, y + height
            found.append((QRectF(x, y, width, height), curve))
            x += width + _PLOT_GAP
        return found

    def _draw_legend(self, painter: QPainter, _axis: PixelAxis, _room: QRectF) -> None:
        pencil, font, numbers = Pencil(painter, self.look), self.look.font(12), self.look.number_font(12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for box, curve in self._legend():
            start, room = QPointF(box.left(), box.center().y()), box.adjusted(22, 0, 0, 0)
            pencil.line(start, start + QPointF(16, 0), self.colour_of(curve), 2, is_broken=curve.is_level)
            pencil.write(curve.name, room, font, "secondary", LEFT)
            if len(curve.values):
                room.setLeft(room.left() + QFontMetricsF(font).horizontalAdvance(curve.name) + _PLOT_GAP)
                pencil.write(self.written(curve.values[-1]), room, numbers, side=LEFT)

    def _draw_words(self, painter: QPainter, _axis: PixelAxis, room: QRectF) -> None:
        across = QRectF(self.box.sceneBoundingRect().left(), 0, self.box.width(), room.height())
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        Pencil(painter, self.look).write(self._words, across, self.look.font(11), "secondary", middle)

    # its parts are the steps

    def _read_curves(self) -> list[Curve]:
        return [curve for curve in self.curves if len(curve.steps) and not curve.is_level]

    @property
    def steps(self) -> Doubles:
        """The steps at which there are values, in order."""
        there = [curve.steps for curve in self._read_curves()]
        return np.unique(np.concatenate(there)) if there else np.empty(0)

    @property
    def count(self) -> int:
        return len(self.steps)

    def numbered(self, number: int) -> float:
        return float(self.steps[number])

    def number_of(self, part: float) -> int:
        return int(np.searchsorted(self.steps, part))

    def _nearest(self, step: float) -> float | None:
        """Return the step nearest to one at which any curve has a value."""
        nearest = (float(one.steps[np.abs(one.steps - step).argmin()]) for one in self._read_curves())
        return min(nearest, key=lambda one: abs(one - step), default=None)

    def part_at(self, at: QPointF) -> float | None:
        position = self.box.position_inside(at)
        return None if position is None else self._nearest(position.x())

    def extent_of(self, part: float) -> QRectF:
        seen = self.box.viewRect()
        return QRectF(part, seen.top(), 0, seen.height())

    def lines_of(self, part: float) -> list[str]:
        lines = [f"{self._words} {part:,.0f}"]
        for curve in self._read_curves():
            nearest = int(np.abs(curve.steps - part).argmin())
            lines.append(f"{curve.name} {self.written(curve.values[nearest])}")
        return lines

    def mark_part(self, part: float | None) -> None:
        self.line.setVisible(part is not None)
        if part is not None:
            self.line.setValue(part)

    # changes around it

    def resized(self) -> None:
        self._fit()


class _CurvesBox(Box):
    """A view box that shows the dots of the first and the last step whole where all is in sight."""

    def shape(self) -> QPainterPath:
        path, over = QPainterPath(), _MARK if self.is_whole else 0.0
        path.addRect(self.boundingRect().adjusted(-over, -over, over, over))
        return path


def _rounded(top: float) -> float:
    """Return `top`, up to a fifth more so that it is a round number."""
    # 1, 2 or 5 times a power of ten.
    power = 10.0 ** math.floor(math.log10(top / 10))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= top / 10 * (1 - 1e-9))
    return math.ceil(top / step - 1e-9) * step


def smoothed(values: Doubles) -> Doubles:
    """Return [N]: each value averaged with about 25 before it, of which recent ones count more."""
    result, mean, weight, decay = np.empty_like(values), 0.0, 0.0, 1 - 1 / 25
    for index, value in enumerate(values.tolist()):
        mean, weight = decay * mean + (1 - decay) * value, decay * weight + (1 - decay)
        result[index] = mean / weight  # corrected for the start at zero
    return result


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
