"""The pooled vector as a plot: a bar for each dimension, with axes, zoom, and the value under the pointer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bertviz_app.views.kit.canvas import STALE, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import MINUS, fixed, signed
from bertviz_app.views.kit.pill import draw_pill
from bertviz_app.views.vectors.choice import Choice

pg.setConfigOptions(imageAxisOrder="row-major", antialias=True)


class VectorPlot(QWidget):
    """Bars over the dimensions of one vector [D]; wheel zooms along the dimensions, drag moves.

    `kinds` chooses the vector; it is hidden where there is one alone.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self._values: NDArray[np.float32] = np.zeros(0, np.float32)
        self.plot = pg.PlotWidget(
            background=None, axisItems={side: _Axis(side) for side in ("left", "bottom")}
        )
        self.plot.setStyleSheet("background: transparent; border: none;")
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=True, y=False)
        self.plot.viewport().setMouseTracking(True)
        for part in (self.plot, self.plot.viewport()):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # no key does anything in it
        self.plot.viewport().installEventFilter(self)
        self._bars = _Bars()
        self.plot.addItem(self._bars)
        self._zero = pg.InfiniteLine(pos=0, angle=0)
        self.plot.addItem(self._zero)
        self._read_out = _ReadOut(look, self.plot)
        self.kinds = Choice(("pooled", "sentence"))
        self.kinds.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 8, 10, 6)
        column.addWidget(self.kinds, 0, Qt.AlignmentFlag.AlignRight)
        column.addWidget(self.plot)
        look.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.plot.setAccessibleName(self.tr("Values of the vector, one bar each"))
        pooled = self.tr("The pooler's output, or else the last hidden state of [CLS]")
        sentence = self.tr("The sentence vector, as sentence-transformers computes it")
        texts = {
            "pooled": (self.tr("Pooled"), pooled),
            "sentence": (self.tr("Sentence"), sentence),
        }
        self.kinds.set_choices(texts, self.tr("Which vector is shown"))

    def offer_sentence(self, is_offered: bool, chosen: str) -> None:
        """Let the user choose the sentence vector, where there is one; `chosen` is what is shown."""
        self.kinds.setVisible(is_offered)
        self.kinds.choose(chosen)

    def show_values(self, values: NDArray[np.float32]) -> None:
        """Show another vector [D], all of it."""
        same_size = len(values) == len(self._values)
        self._values = values
        self._bars.set_values(values)
        top = float(np.abs(values).max()) * 1.08 or 1.0
        self.plot.setYRange(-top, top, padding=0)
        self.plot.setLimits(xMin=-1, xMax=len(values), minXRange=8)
        if not same_size:
            self.plot.setXRange(-1, len(values), padding=0)
        self._read_out.hide()
        ends = (fixed(float(end)) for end in (values.min(), values.max()))
        described = self.tr("{0} values, from {1} to {2}")
        self.setAccessibleDescription(described.format(len(values), *ends))

    def set_stale(self, is_stale: bool) -> None:
        """Dim the bars while they are out of date."""
        self._bars.setOpacity(STALE if is_stale else 1.0)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(180, 120)

    def dimension_at(self, at: QPointF) -> int | None:
        """Return the dimension under a point of the plot's viewport."""
        position = self.plot.getViewBox().mapSceneToView(self.plot.mapToScene(at.toPoint())).x()
        dimension = round(float(position))
        return dimension if 0 <= dimension < len(self._values) else None

    @guarded(default=False)
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        self._on_plot_event(event)
        return False

    @guarded
    def _on_plot_event(self, event: QEvent) -> None:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            dimension = self.dimension_at(event.position())
            if dimension is None:
                self._read_out.hide()
            else:
                value = float(self._values[dimension])
                self._bars.mark(dimension)
                title = self.tr("dimension {0}").format(dimension)
                self._read_out.show_lines([title, signed(value, 6)], event.position())
        elif event.type() == QEvent.Type.Leave:
            self._bars.mark(None)
            self._read_out.hide()
        elif event.type() == QEvent.Type.MouseButtonDblClick:
            self.plot.setXRange(-1, len(self._values), padding=0)

    @Slot()
    def _restyle(self) -> None:
        look = self.look
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setTickFont(look.number_font(11))
            axis.setTextPen(look.colour("secondary"))
            axis.setPen(look.colour("rule"))
            axis.setStyle(tickLength=-4)
        self.plot.getAxis("left").setWidth(look.pixels(46))
        # The upper half of the number at the top of the axis is above the axis.
        self.plot.getPlotItem().layout.setContentsMargins(0, look.pixels(7), 0, 0)
        self._zero.setPen(QPen(look.colour("secondary"), 0))
        self._bars.set_colours(look)
        self._read_out.update()


_NO_TEXTS: Sequence[str] = ()


class _Axis(pg.AxisItem):
    """An axis whose numbers have the minus sign that all views have."""

    @guarded(default=_NO_TEXTS)
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> Sequence[str]:
        texts = super().tickStrings(values, scale, spacing)
        return [text.replace("-", MINUS) for text in texts]  # a list: pyqtgraph takes those outside out of it


class _Bars(pg.GraphicsObject):
    """One bar a dimension, from zero; bars narrower than a pixel are drawn a pixel wide."""

    def __init__(self) -> None:
        super().__init__()
        self._values: NDArray[np.float32] = np.zeros(0, np.float32)
        self._marked: int | None = None
        self._colours = (QColor(), QColor())

    def set_values(self, values: NDArray[np.float32]) -> None:
        self.prepareGeometryChange()
        self._values, self._marked = values, None
        self.update()

    def set_colours(self, look: Look) -> None:
        self._colours = (look.colour("accent"), look.colour("sentence_b"))
        self.update()

    def mark(self, dimension: int | None) -> None:
        """Draw one bar in another colour."""
        if dimension != self._marked:
            self._marked = dimension
            self.update()

    @guarded(default=QRectF())
    def boundingRect(self) -> QRectF:
        if not len(self._values):
            return QRectF()
        top = float(np.abs(self._values).max())
        return QRectF(-1, -top, len(self._values) + 1, 2 * top)

    @guarded
    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        pixel = abs(self.pixelLength(pg.Point(1, 0)) or 1.0)
        width = max(0.74, pixel)
        plain, marked = self._colours
        bars = [
            QRectF(index - width / 2, min(0.0, value), width, abs(value))
            for index, value in enumerate(self._values.tolist())
        ]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(plain)
        painter.drawRects(bars)
        if self._marked is not None:
            bar = bars[self._marked]
            painter.setBrush(marked)
            painter.drawRect(bar.adjusted(-pixel, 0, pixel, 0))


class _ReadOut(QWidget):
    """The value under the pointer, over the plot; lets the mouse through."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._lines: list[str] = []
        self._at = QPointF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_lines(self, lines: list[str], at: QPointF) -> None:
        parent = self.parentWidget()
        assert parent is not None
        self._lines, self._at = lines, at
        self.setGeometry(parent.rect())
        self.show()
        self.update()

    @guarded
    def paintEvent(self, event: QEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_pill(painter, self._look, self._lines, self._at, QRectF(self.rect()))
        finally:
            painter.end()
