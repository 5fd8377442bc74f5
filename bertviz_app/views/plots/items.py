"""pyqtgraph's bars (`LevelBars` lying down, `SignedBars` standing), and its points for screen and files."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from bertviz_app.types import Doubles
from bertviz_app.views.kit.canvas import guarded

_NO_NUMBERS: tuple[Doubles, Doubles] = (np.zeros(0), np.zeros(0))


class LevelBars(pg.BarGraphItem):
    """pyqtgraph's bars lying down; `numbers` is what a file of numbers has of them: rows and values."""

    def __init__(self) -> None:
        super().__init__(x0=[], y=[], width=[], height=1)
        self.numbers = _NO_NUMBERS

    def show_bars(self, boxes: Sequence[QRectF], colours: Sequence[QColor], *, outlined: bool) -> None:
        """Show these bars; with `outlined` something is seen of the shortest, if only its outline."""
        self.setVisible(len(boxes) > 0)
        if not boxes:  # pyqtgraph does not draw none with colours of their own
            return
        ends = np.array([(box.left(), box.center().y(), box.width(), box.height()) for box in boxes])
        self.setOpts(
            x0=ends[:, 0],
            y=ends[:, 1],
            width=ends[:, 2],
            height=ends[:, 3],
            brushes=[pg.mkBrush(colour) for colour in colours],
            pens=[pg.mkPen(colour if outlined else None) for colour in colours],
        )

    @guarded(default=_NO_NUMBERS)
    def getData(self) -> tuple[Doubles, Doubles]:
        """Return rows and values, for pyqtgraph's exporter of CSV."""
        return self.numbers

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        super().paint(painter, option, widget)


class SignedBars(pg.BarGraphItem):
    """pyqtgraph's bars standing on zero, those below it in one colour and those above it in another.

    Bars with colours of their own are drawn by pyqtgraph one by one; these are drawn in two calls.
    """

    def __init__(self, width: float) -> None:
        super().__init__(x=[], height=[], width=width)
        self._halves: list[tuple[QColor, list[QRectF]]] = []

    def show_bars(self, x: Doubles, heights: Doubles, colours: tuple[QColor, QColor]) -> None:
        """Show bars at `x` [n], `heights` [n] high, in the colours below and above zero."""
        width = self.opts["width"]
        self._halves = []
        for colour, half in zip(colours, (heights < 0, heights > 0), strict=True):
            bars = zip(x[half].tolist(), heights[half].tolist(), strict=True)
            self._halves.append(
                (colour, [QRectF(at - width / 2, min(0.0, up), width, abs(up)) for at, up in bars])
            )
        self.setVisible(len(x) > 0)
        self.setOpts(x=x, height=heights)

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        for colour, bars in self._halves:
            painter.setPen(pg.mkPen(colour))
            painter.setBrush(pg.mkBrush(colour))
            painter.drawRects(bars)


class Points(pg.ScatterPlotItem):
    """pyqtgraph's round points: on screen copied from a picture of each, into files drawn as circles.

    pyqtgraph's own shapes have pens that are not scaled, which files do not know.
    """

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        engine, scale = painter.paintEngine(), painter.worldTransform().m11() / self.sceneTransform().m11()
        is_raster = engine is not None and engine.type() == QPaintEngine.Type.Raster
        if is_raster and math.isclose(scale, 1.0, rel_tol=1e-3):
            super().paint(painter, option, widget)
            return
        placed = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for spot in self.points():
            pen, radius = QPen(spot.pen()), spot.size() * scale / 2
            pen.setWidthF(pen.widthF() * scale)
            painter.setPen(pen)
            painter.setBrush(spot.brush())
            painter.drawEllipse(placed.map(QPointF(spot.pos())), radius, radius)
        painter.restore()
