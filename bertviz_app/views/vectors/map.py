"""`MapView`: points on a plane, their labels clear of each other, gliding from one map to the next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEasingCurve, QRectF, QSize, QVariantAnimation, Slot
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter

from bertviz_app.timers import OneShot
from bertviz_app.types import Bools, Floats, Indices
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.axes import Strip
from bertviz_app.views.plots.plot import Box, Plot
from bertviz_app.views.plots.points import PointsPlot

GLIDE_MS = 110
SETTLE_MS = 100  # after the last turn of the wheel labels are placed anew
_WIDEST, _CLOSEST = 5.0, 1 / 400  # of what is in sight as a whole
_MARGIN = 0.08


@dataclass(frozen=True, eq=False)
class MapPicture:
    """What is on a map: `points` [n, 2], nan where there is none, and what they are called.

    `colours` name a colour of the palette for each point; `is_ring`: points drawn as rings. `ratios` [2]:
    the explained variance of the axes.
    `extent` [m, 2] is what is in sight as a whole. `trails` [states, n, 2]: where each point is in every
    layer, or None. `partners` [k, 2]: points to be joined.
    """

    points: Floats
    labels: tuple[str, ...]
    colours: Sequence[str]
    ratios: Floats
    extent: Floats
    is_ring: Bools | None = None
    trails: Floats | None = None
    partners: Indices | None = None


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


class MapView(PointsPlot):
    """Draws a `MapPicture`. Its parts are the points; the arrows start from the first highlighted one."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _MapBox)
        self.picture: MapPicture | None = None
        self._is_zoomed = False
        self._before: Floats | None = None
        self._settled = OneShot(self, self.names.forget_layout, SETTLE_MS)
        self._glide = QVariantAnimation(self, duration=GLIDE_MS, startValue=0.0, endValue=1.0)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.valueChanged.connect(lambda _: self._place_points())
        self._glide.finished.connect(self._on_glided)
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
        for part in (*self.zeros, self.ties, self.ways, self.rings, self.points):
            self.item.addItem(part, ignoreBounds=True)
        self.rings.setZValue(30)  # over the labels
        self.box.range_chosen.connect(self._on_range_chosen)
        self.setMinimumSize(120, 100)
        self.recolour()

    def show_picture(self, picture: MapPicture, *, glides: bool = False) -> None:
        """Show another map; with `glides` its points, the same as before, move to their new positions."""
        shown, self._before = self.picture, None
        if glides and shown is not None and shown.points.shape == picture.points.shape:
            self._before = self.from_pixels(self.pixels())
        is_same = shown is not None and shown.labels == picture.labels
        self._is_zoomed = self._is_zoomed and (glides or is_same)
        before = self.pixels() if self._before is not None else None
        self.picture = picture
        self.left.is_blank = self.bottom.is_blank = not len(picture.points)
        if not self._is_zoomed:
            self._show_all()
        if before is not None:  # they begin where they are on the screen, whatever its scale is now
            self._before = self.from_pixels(before)
        self._glide.stop()
        if self._before is not None and self.isVisible():
            self._glide.start()
        else:
            self._before = None
        self._place_points()
        self.names.forget_layout()
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

    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # where the points are

    @property
    def is_gliding(self) -> bool:
        return self._before is not None

    @property
    def places(self) -> Floats:
        return np.zeros((0, 2), np.float32) if self.picture is None else self.picture.points

    def now(self) -> Floats:
        if self._before is None:
            return self.places
        share = float(self._glide.currentValue() or 0.0)
        glided: Floats = self._before + (self.places - self._before) * share
        return glided

    @property
    def written(self) -> tuple[str, ...]:
        return () if self.picture is None else self.picture.labels

    def name_colour(self, point: int) -> str:
        is_faint = self.picture is not None and self.picture.colours[point] == "special"
        return "secondary" if is_faint else "text"

    # its parts

    @property
    def _placed(self) -> list[int]:
        placed: list[int] = np.flatnonzero(~np.isnan(self.places).any(-1)).tolist()
        return placed

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

    def lines_of(self, part: int) -> list[str]:
        assert self.picture is not None
        x, y = self.picture.points[part].tolist()
        return [self.picture.labels[part], f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"]

    # drawing

    @property
    def _size(self) -> float:
        return 8.0 if len(self.places) <= 1000 else 4.0

    def _place_points(self) -> None:
        """Put the points where they are now: highlighted ones over the others."""
        picture, now = self.picture, self.now()
        if picture is None:
            return
        colours = {name: self.look.colour(name) for name in set(picture.colours)}
        is_ring = [False] * len(now) if picture.is_ring is None else picture.is_ring.tolist()
        self.show_dots([colours[name] for name in picture.colours], is_ring, self._size)
        partners = picture.partners
        if partners is not None:
            ends = now[partners.reshape(-1)].astype(np.float64)
            self.ties.setData(ends[:, 0], ends[:, 1], connect="pairs")
        self.ties.setVisible(partners is not None and len(partners) > 0)
        self.place_marks()
        self.names.update()

    def place_marks(self) -> None:
        """Ring the highlighted points, and draw their way through the layers."""
        picture, now = self.picture, self.now()
        marked = [point for point in self.highlighted if point < len(now) and not np.isnan(now[point]).any()]
        pen = pg.mkPen(self.look.colour("accent"), width=2)
        self.rings.setData(pos=now[marked], size=self._size + 8, brush=None, pen=pen)
        trails = None if picture is None or self.is_gliding else picture.trails
        ways = [] if trails is None else [trails[:, point] for point in marked]
        # A gap between the ways of two points: curves are not drawn to what is not a number.
        parts = [np.vstack((way, np.full((1, 2), np.nan))) for way in ways if not np.isnan(way).any()]
        joined = np.vstack(parts) if parts else np.zeros((0, 2))
        self.ways.setData(joined[:, 0].astype(float), joined[:, 1].astype(float), connect="finite")

    def _draw_share(self, axis: int, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        """Write the share of the variance that an axis explains, at its end."""
        if self.picture is not None and len(self.picture.ratios) > axis:
            pencil, font = Pencil(painter, self.look), self.look.font(12, bold=True)
            share = f"PC{axis + 1} {fixed(100 * float(self.picture.ratios[axis]), 1)} %"
            if axis:
                pencil.write(f"↑ {share}", room.adjusted(8, 0, 0, 0), font, side=LEFT)
            else:
                pencil.write(f"{share} →", room.adjusted(0, 0, -10, 0), font, side=RIGHT)

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
        self.names.forget_layout()

    def on_range_changed(self) -> None:
        super().on_range_changed()
        self.names.update()  # while the map is dragged or zoomed its labels go with their points
        if not self.scene().clickEvents:
            self._settled.start()

    def _on_range_chosen(self) -> None:
        self._is_zoomed = not self.box.is_whole

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Find labels that have room where a drag ended."""
        super().mouseReleaseEvent(event)
        self.names.forget_layout()

    def resized(self) -> None:
        self._is_zoomed = False
        self._show_all()
        self.names.forget_layout()

    @Slot()
    def _on_glided(self) -> None:
        self._before = None
        self._place_points()
