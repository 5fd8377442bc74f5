"""`CurvePlot`: numbers over the steps of a training, as lines with axes, and what they are at the pointer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bertviz_app.types import Doubles
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pill import draw_pill

_GAP, _TICK = 8.0, 4.0
_MARK = 5.0
_MOST_POINTS = 600  # more than there are pixels across would be drawn for nothing


@dataclass(frozen=True, eq=False)
class Curve:
    """`values` [N] over `steps` [N]; `colour` is one of the palette's. `raw` [N] lies faintly behind.

    `is_marked`: few values, each with a dot; `is_level`: a broken line to compare with.
    """

    name: str
    colour: str
    steps: Doubles
    values: Doubles
    raw: Doubles | None = None
    is_marked: bool = False
    is_level: bool = False


class CurvePlot(Canvas):
    """Draws curves from step 0 on; `unit` names the numbers, which are shares of one with "%"."""

    def __init__(self, look: Look, unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._unit = unit
        self._curves: tuple[Curve, ...] = ()
        self._words = ""
        self._pointer: QPointF | None = None
        self.setMouseTracking(True)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves that are drawn."""
        return self._curves

    def show_curves(self, curves: Sequence[Curve], words: str) -> None:
        """Draw these curves; `words` name the steps' axis."""
        self._curves, self._words = tuple(curves), words
        latest = (f"{curve.name}: {self.written(curve.values[-1])}" for curve in curves if len(curve.values))
        self.setAccessibleDescription(", ".join(latest))
        self.update()

    def written(self, value: float) -> str:
        """Return a value with its unit, as the legend shows it."""
        return f"{value:.1%}" if self._unit == "%" else f"{value:.3f}"

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(360, 220)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(200, 130)

    # where things lie

    def plot_rect(self) -> QRectF:
        """Return where the curves are drawn."""
        numbers = QFontMetricsF(self.look.number_font(11))
        left = numbers.horizontalAdvance("100 %") + 3 * _GAP
        top = self._legend_height() + _GAP + numbers.height() / 2  # half of the topmost number is above it
        below = 2 * numbers.height() + 2 * _GAP
        return QRectF(
            left, top, max(10.0, self.width() - left - 2 * _GAP), max(10.0, self.height() - top - below)
        )

    def ends(self) -> tuple[float, float]:
        """Return the last step and the largest value on the axes."""
        steps = max((float(one.steps[-1]) for one in self._curves if len(one.steps)), default=0.0)
        values = [one.values[np.isfinite(one.values)] for one in self._curves]
        top = max((float(found.max()) for found in values if len(found)), default=1.0)
        if self._unit == "%":
            return max(steps, 10.0), min(1.0, _rounded(max(top * 1.1, 0.1)))
        return max(steps, 10.0), _rounded(max(top * 1.04, 0.5))

    def _point(self, step: float, value: float) -> QPointF:
        rect, (last, top) = self.plot_rect(), self.ends()
        return QPointF(rect.left() + step / last * rect.width(), rect.bottom() - value / top * rect.height())

    def _polygon(self, steps: Doubles, values: Doubles) -> QPolygonF:
        stride = max(1, -(-len(steps) // _MOST_POINTS))
        shown = np.unique(np.append(np.arange(0, len(steps), stride), len(steps) - 1))
        shown = shown[np.isfinite(values[shown])]
        # All points at once: `plot_rect` and `ends` cost more than a point.
        rect, (last, top) = self.plot_rect(), self.ends()
        x = rect.left() + steps[shown] / last * rect.width()
        y = rect.bottom() - values[shown] / top * rect.height()
        return QPolygonF([QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)])

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        rect = self.plot_rect()
        self._draw_legend(painter)
        self._draw_axes(painter, rect)
        painter.setClipRect(rect.adjusted(-_MARK, -_MARK, _MARK, _MARK))
        for curve in self._curves:
            self._draw_curve(painter, curve)
        painter.setClipRect(self.rect())
        if self._pointer is not None and rect.contains(self._pointer):
            self._draw_read_out(painter, rect, self._pointer)

    def _draw_curve(self, painter: QPainter, curve: Curve) -> None:
        if not len(curve.steps):
            return
        if curve.raw is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # half of a frame's time
            painter.setPen(QPen(self.look.colour(curve.colour, 0.3), 1))
            painter.drawPolyline(self._polygon(curve.steps, np.minimum(curve.raw, self.ends()[1])))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self.look.colour(curve.colour), 1.5 if curve.is_level else 2)
        pen.setStyle(Qt.PenStyle.DashLine if curve.is_level else Qt.PenStyle.SolidLine)
        painter.setPen(pen)
        points = self._polygon(curve.steps, curve.values)
        painter.drawPolyline(points)
        if curve.is_marked:
            painter.setBrush(self.look.colour(curve.colour))
            painter.setPen(Qt.PenStyle.NoPen)
            for point in points.toList():
                painter.drawEllipse(point, _MARK / 2 + 0.5, _MARK / 2 + 0.5)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_axes(self, painter: QPainter, rect: QRectF) -> None:
        last, top = self.ends()
        numbers = self.look.number_font(11)
        metrics = QFontMetricsF(numbers)
        painter.setFont(numbers)
        for value in ticks(top, 5 if rect.height() > 150 else 3):
            y = self._point(0, value).y()
            painter.setPen(QPen(self.look.colour("rule"), 1))
            painter.drawLine(QPointF(rect.left() - _TICK, y), QPointF(rect.right(), y))
            painter.setPen(self.look.colour("secondary"))
            box = QRectF(0, y - metrics.height() / 2, rect.left() - _GAP, metrics.height())
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._tick(value)
            )
        for value in ticks(last, max(2, int(rect.width() // 90))):
            x = self._point(value, 0).x()
            painter.setPen(QPen(self.look.colour("secondary"), 1))
            painter.drawLine(QPointF(x, rect.bottom()), QPointF(x, rect.bottom() + _TICK))
            box = QRectF(x - 50, rect.bottom() + _TICK + 1, 100, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, f"{value:,.0f}")
        painter.setFont(self.look.font(11))
        box = QRectF(
            rect.left(), rect.bottom() + _TICK + metrics.height(), rect.width(), metrics.height() + 4
        )
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter, self._words)

    def _tick(self, value: float) -> str:
        return f"{value * 100:.0f} %" if self._unit == "%" else f"{value:g}"

    def _legend(self) -> list[tuple[QRectF, Curve]]:
        """Return where each curve is named; a name that does not fit beside another begins a row."""
        metrics, numbers = QFontMetricsF(self.look.font(12)), QFontMetricsF(self.look.number_font(12))
        height = metrics.height() + 4
        found: list[tuple[QRectF, Curve]] = []
        x, y = _GAP * 1.5, _GAP / 2
        for curve in self._curves:
            width = 22 + metrics.horizontalAdvance(curve.name) + numbers.horizontalAdvance(" 00.000") + _GAP
            if found and x + width > self.width() - _GAP:
                x, y = _GAP * 1.5, y + height
            found.append((QRectF(x, y, width, height), curve))
            x += width + _GAP
        return found

    def _legend_height(self) -> float:
        return max(
            (box.bottom() for box, _ in self._legend()), default=QFontMetricsF(self.look.font(12)).height()
        )

    def _draw_legend(self, painter: QPainter) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        for box, curve in self._legend():
            pen = QPen(self.look.colour(curve.colour), 2)
            pen.setStyle(Qt.PenStyle.DashLine if curve.is_level else Qt.PenStyle.SolidLine)
            painter.setPen(pen)
            y = box.center().y()
            painter.drawLine(QPointF(box.left(), y), QPointF(box.left() + 16, y))
            painter.setPen(self.look.colour("secondary"))
            painter.setFont(self.look.font(12))
            room = box.adjusted(22, 0, 0, 0)
            painter.drawText(room, middle, curve.name)
            if len(curve.values):
                left = room.left() + QFontMetricsF(self.look.font(12)).horizontalAdvance(curve.name) + _GAP
                painter.setPen(self.look.colour("text"))
                painter.setFont(self.look.number_font(12))
                painter.drawText(
                    QRectF(left, box.top(), 90, box.height()), middle, self.written(curve.values[-1])
                )

    def _draw_read_out(self, painter: QPainter, rect: QRectF, at: QPointF) -> None:
        step = (at.x() - rect.left()) / rect.width() * self.ends()[0]
        there = [curve for curve in self._curves if len(curve.steps) and not curve.is_level]
        if not there:
            return
        nearest = [int(np.abs(curve.steps - step).argmin()) for curve in there]
        shown = float(there[0].steps[nearest[0]])
        x = self._point(shown, 0).x()
        painter.setPen(QPen(self.look.colour("secondary"), 1))
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()))
        lines = [f"{self._words} {shown:,.0f}"]
        lines += [
            f"{curve.name} {self.written(curve.values[index])}"
            for curve, index in zip(there, nearest, strict=True)
        ]
        draw_pill(painter, self.look, lines, at, QRectF(self.rect()))

    # gestures

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self.update()


def ticks(top: float, most: int) -> list[float]:
    """Return at most about `most` round numbers evenly from 0 to `top`."""
    step = _step(top / max(1, most))
    return [number * step for number in range(int(top / step + 1e-9) + 1)]


def _step(least: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _rounded(top: float) -> float:
    """Return `top`, up to a fifth more so that it is a round number."""
    step = _step(top / 10)
    return math.ceil(top / step - 1e-9) * step
