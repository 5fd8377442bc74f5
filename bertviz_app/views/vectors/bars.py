"""`BarsView`: one vector as bars from zero, below the strips and in step with their zoom."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.plane import ticks
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.heatmaps.heatmap import SMALL
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed
from bertviz_app.views.kit.pill import draw_pill

_MARGIN = 6.0


class BarsView(Canvas):
    """The numbers [D] of one vector along a given axis; `pointed` has the dimension, -1 for none."""

    fills_ground = True

    pointed = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._values: NDArray[np.float32] = np.zeros(0, np.float32)
        self._title = ""
        self._axis: Axis | None = None
        self._pointer: QPointF | None = None
        self._mark: int | None = None
        self.setMouseTracking(True)
        self.setMinimumHeight(56)

    def show_vector(self, values: NDArray[np.float32], title: str) -> None:
        """Show another vector [D]."""
        self._values, self._title = values, title
        if len(values):
            ends = (fixed(float(end)) for end in (values.min(), values.max()))
            described = self.tr("{0}: {1} values, from {2} to {3}")
            self.setAccessibleDescription(described.format(title, len(values), *ends))
        self.update_later()  # the views of the text come first

    def set_axis(self, axis: Axis) -> None:
        """Place the dimensions along `axis`."""
        if axis != self._axis:
            self._axis = axis
            self.update()

    def mark(self, dimension: int | None) -> None:
        """Mark a dimension that is pointed at elsewhere."""
        if dimension != self._mark:
            self._mark = dimension
            self.update()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, 110)

    @property
    def top_value(self) -> float:
        """The value at the upper edge; its negative is at the lower one."""
        return float(np.abs(self._values).max()) * 1.05 or 1.0

    def height_of(self, value: float) -> float:
        """Return where a value lies, in pixels from the top."""
        plot = self.plot
        return plot.center().y() - value / self.top_value * plot.height() / 2

    @property
    def plot(self) -> QRectF:
        """Where the bars are; only after `set_axis`."""
        axis = self._axis
        assert axis is not None
        head, foot = self.margins()
        return QRectF(axis.start, head, axis.length, max(10.0, self.height() - head - foot))

    def margins(self) -> tuple[float, float]:
        """Return the room above and below the bars: above is the title."""
        return QFontMetricsF(self.look.font(12)).height() + 4, _MARGIN

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self._axis is None or not len(self._values):
            return
        plot = self.plot
        self._draw_scale(painter, plot)
        painter.save()
        painter.setClipRect(plot, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._draw_bars(painter, self._axis, plot)
        painter.restore()
        self._draw_read_out(painter)

    def _draw_scale(self, painter: QPainter, plot: QRectF) -> None:
        look = self.look
        if self._title:
            painter.setFont(look.font(12))
            painter.setPen(look.colour("secondary"))
            box = QRectF(plot.left(), 0, max(plot.width(), 40), plot.top())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._title)
        painter.setFont(look.number_font(SMALL))
        height = QFontMetricsF(painter.font()).height()
        digits = max(0, 1 - math.floor(math.log10(self.top_value)))
        marked = ticks(-self.top_value, self.top_value, plot.height(), height * 1.4)
        if len(marked) > 1:  # in a high plot they are closer: no two are to be written alike
            digits = max(digits, -math.floor(round(math.log10(marked[1] - marked[0]), 9)))
        for value in marked:
            y = self.height_of(value)
            painter.setPen(QPen(look.colour("secondary" if not value else "rule"), 1))
            painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
            painter.setPen(look.colour("secondary"))
            box = QRectF(0, y - height / 2, plot.left() - 6, height)
            text = signed(value, min(digits, 6))
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_bars(self, painter: QPainter, axis: Axis, plot: QRectF) -> None:
        tokens = axis.tokens()
        first = max(0, tokens.start)
        values = self._values[first : tokens.stop]
        width, middle = max(1.0, axis.pitch * 0.74), plot.center().y()
        inset = axis.edge(first) + (axis.pitch - width) / 2
        ends = (middle - values / self.top_value * plot.height() / 2).astype(np.float64)
        # In NumPy but for the last step: they are drawn after each text, of up to thousands of dimensions.
        lefts = np.arange(len(values)) * axis.pitch + inset
        tops, heights = np.minimum(ends, middle), np.maximum(1.0, np.abs(ends - middle))
        painter.setPen(Qt.PenStyle.NoPen)
        # Of what is 0 there is no bar; of all else something is seen.
        for chosen, stop in ((values < 0, 0), (values > 0, -1)):
            numbers = (each[chosen].tolist() for each in (lefts, tops, heights))
            painter.setBrush(_colour(self.look, stop))
            painter.drawRects(
                [QRectF(left, top, width, height) for left, top, height in zip(*numbers, strict=True)]
            )
        if self._mark is not None:
            painter.setPen(QPen(self.look.colour("text"), 1))
            x = axis.middle(self._mark)
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))

    def _draw_read_out(self, painter: QPainter) -> None:
        dimension = None if self._pointer is None else self.dimension_at(self._pointer)
        if dimension is None or self._pointer is None:
            return
        painter.setOpacity(1.0)
        title = self.tr("dimension {0}").format(dimension)
        value = signed(float(self._values[dimension]), 6)
        draw_pill(painter, self.look, [title, value], self._pointer, QRectF(self.rect()))

    def dimension_at(self, at: QPointF) -> int | None:
        """Return the dimension under a point of the widget; a vector may be shorter than the axis."""
        dimension = None if self._axis is None else self._axis.token(at.x())
        return None if dimension is None or dimension >= len(self._values) else dimension

    @Slot(QPointF)
    def point_at(self, at: QPointF | None) -> None:
        """Mark the dimension under a point and write its value; None: the pointer is gone."""
        self._pointer = at
        dimension = None if at is None else self.dimension_at(at)
        self.mark(dimension)
        self.pointed.emit(-1 if dimension is None else dimension)
        self.update()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.point_at(event.position())

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.point_at(None)


def _colour(look: Look, stop: int) -> str:
    """Return an end of the map of differences: -1 for above zero, 0 for below."""
    return look.palette.differences[stop]
