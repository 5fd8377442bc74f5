"""`CurvePlot`: curves over steps, with their names and newest values above them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from bertviz_app.types import Doubles
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.look import LEFT, Look, Pencil
from bertviz_app.views.plots.axes import NumberAxis, Strip
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box

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
