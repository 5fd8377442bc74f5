"""`MapDrawing`: points on a plane, their labels clear of each other, gliding from one map to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEasingCurve, QPointF, QRectF, QSize, Qt, QVariantAnimation, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.plane import LabelPlace, Pixels, Plane, fitted, place_labels
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import signed
from bertviz_app.views.kit.pill import draw_pill
from bertviz_app.views.vectors.marks import SMALL, draw_axes, draw_focus, draw_point

GLIDE_MS = 110
_NEAR = 16.0
_STALE = 0.45
_LABEL = 13.0
_LONGEST = 160.0


@dataclass(frozen=True, eq=False)
class MapPicture:
    """What is on a map: `points` [n, 2], nan where there is none, and what they are called.

    `colours` name a colour of the palette for each point; `is_ring`: points drawn as rings. `ratios` [2]:
    the explained variance of the axes. `extent` [m, 2] is what is in sight as a whole. `trails`
    [states, n, 2]: where each point is in every layer, or None. `partners` [k, 2]: points to be joined.
    """

    points: NDArray[np.float32]
    labels: tuple[str, ...]
    colours: Sequence[str]
    ratios: NDArray[np.float32]
    extent: NDArray[np.float32]
    is_ring: NDArray[np.bool_] | None = None
    trails: NDArray[np.float32] | None = None
    partners: NDArray[np.intp] | None = None


class MapDrawing(Canvas):
    """Draws a `MapPicture`; both axes have one scale."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.picture: MapPicture | None = None
        self.pointer: QPointF | None = None
        self.is_zoomed = False
        self.shows_focus = False
        self._plane: Plane | None = None
        self.lit: frozenset[int] = frozenset()
        self._is_stale = False
        self._places: list[LabelPlace] | None = None
        self._anchors: Pixels = np.zeros((0, 2))
        self._widths: NDArray[np.float64] | None = None
        self._before: Pixels | None = None
        self._glide = QVariantAnimation(self, duration=GLIDE_MS, startValue=0.0, endValue=1.0)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.valueChanged.connect(lambda _: self.update())
        self._glide.finished.connect(self._on_glided)
        self.setMinimumSize(120, 100)

    def show_picture(self, picture: MapPicture | None, *, glides: bool = False) -> None:
        """Show another map; with `glides` the points, which are the same ones, move to their new places."""
        shown = self.picture
        self._before = None
        if (
            glides
            and shown is not None
            and picture is not None
            and shown.points.shape == picture.points.shape
        ):
            self._before = self.pixels()
        if shown is None or picture is None or shown.labels != picture.labels:
            self._widths = None
            self.is_zoomed = self.is_zoomed and glides
        self.picture = picture
        if not self.is_zoomed:
            self._plane = None
        self._places = None
        self._glide.stop()
        if self._before is not None and self.isVisible():
            self._glide.start()
        else:
            self._before = None
        self.update()

    def light(self, points: frozenset[int]) -> None:
        """Mark these points."""
        if points != self.lit:
            self.lit = points
            self.update()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the points while they are not of what was asked for."""
        if is_stale != self._is_stale:
            self._is_stale = is_stale
            self.update()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # geometry

    @property
    def is_gliding(self) -> bool:
        """Whether the points are on their way to new places."""
        return self._before is not None

    @property
    def plane(self) -> Plane:
        """The plane as it lies in `plot`."""
        plot = self.plot()
        picture = self.picture
        if self._plane is None and picture is not None:
            margin = min(self.look.pixels(26), 0.12 * min(plot.width(), plot.height()))
            self._plane = fitted(picture.extent, plot.width(), plot.height(), margin)
        return self._plane or Plane(plot.width(), plot.height())

    def plot(self) -> QRectF:
        """Return the stretch of the widget that the points lie in."""
        metrics = QFontMetricsF(self.look.number_font(SMALL))
        title = QFontMetricsF(self.look.font(12)).height()
        left, bottom = metrics.horizontalAdvance("−00.0") + 12, metrics.height() + title + 10
        top = title + 10
        return QRectF(left, top, max(40.0, self.width() - left - 10), max(40.0, self.height() - top - bottom))

    def pixels(self) -> Pixels:
        """Return where the points are drawn now, in pixels of the widget."""
        picture = self.picture
        if picture is None:
            return np.zeros((0, 2))
        plot = self.plot()
        there: Pixels = self.plane.pixels(picture.points) + np.array((plot.left(), plot.top()))
        if self._before is None:
            return there
        share = float(self._glide.currentValue())
        glided: Pixels = self._before + (there - self._before) * share
        return glided

    def point_at(self, at: QPointF) -> int | None:
        """Return the point nearest to a place of the widget, None if none is near."""
        pixels = self.pixels()
        if not len(pixels):
            return None
        away = np.hypot(*(pixels - (at.x(), at.y())).T)
        away[np.isnan(away)] = np.inf
        nearest = int(away.argmin())
        return nearest if away[nearest] <= _NEAR else None

    # drawing

    def draw(self, painter: QPainter) -> None:
        picture = self.picture
        if picture is None or not len(picture.points):
            return
        painter.setOpacity(_STALE if self._is_stale else 1.0)
        plot, pixels = self.plot(), self.pixels()
        draw_axes(painter, self.look, self.plane, plot, picture.ratios, self.height())
        painter.save()
        painter.setClipRect(plot, Qt.ClipOperation.IntersectClip)
        self._draw_ties(painter, picture, pixels)
        self._draw_points(painter, picture, pixels)
        self._draw_labels(painter, picture, pixels, plot)
        painter.restore()
        if self.shows_focus:
            draw_focus(painter, self.look, plot)
        self._draw_read_out(painter, picture)

    def _draw_ties(self, painter: QPainter, picture: MapPicture, pixels: Pixels) -> None:
        """Join partners, and draw the way of the lit points through the layers."""
        painter.setPen(QPen(self.look.colour("special", 0.6), 1))
        for one, other in [] if picture.partners is None else picture.partners.tolist():
            painter.drawLine(QPointF(*pixels[one]), QPointF(*pixels[other]))
        if picture.trails is None or self._before is not None:
            return
        plot = self.plot()
        for point in self.lit:
            way = self.plane.pixels(picture.trails[:, point]) + np.array((plot.left(), plot.top()))
            if np.isnan(way).any():
                continue
            painter.setPen(QPen(self.look.colour("accent", 0.8), 1.5))
            painter.drawPolyline(QPolygonF([QPointF(*place) for place in way.tolist()]))
            painter.setBrush(self.look.colour("card"))
            for place in way.tolist():
                painter.drawEllipse(QPointF(*place), 2, 2)

    def _draw_points(self, painter: QPainter, picture: MapPicture, pixels: Pixels) -> None:
        radius = 4.0 if len(pixels) <= 1000 else 2.0
        card = self.look.colour("card")
        inks = {name: self.look.colour(name) for name in set(picture.colours)}
        away = radius + 2
        there = self.plot().adjusted(-away, -away, away, away)
        # nan is neither in a rectangle nor outside of it.
        points = np.flatnonzero(~np.isnan(pixels).any(-1)).tolist()
        for point in sorted(points, key=lambda point: point in self.lit):
            at = QPointF(*pixels[point].tolist())
            if not there.contains(at):
                continue
            if point in self.lit:
                painter.setPen(QPen(self.look.colour("accent"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(at, radius + 4, radius + 4)
            is_ring = picture.is_ring is not None and bool(picture.is_ring[point])
            draw_point(painter, at, radius, (inks[picture.colours[point]], card if is_ring else None))

    def _draw_labels(self, painter: QPainter, picture: MapPicture, pixels: Pixels, plot: QRectF) -> None:
        """Write the labels that have room; those of lit points always, over the others."""
        height = QFontMetricsF(self.look.font(_LABEL)).height()
        if self._places is None:
            self._anchors = self.plane.pixels(picture.points)
            self._places = self._placed(picture, plot, height)
        # Where the points moved since, or still glide to their places, the labels go with them.
        shifts = pixels - self._anchors
        placed: dict[int, QRectF] = {}
        widths = self._label_widths(picture)
        painter.setFont(self.look.font(_LABEL))
        for place in self._places:
            right, down = shifts[place.point].tolist()
            box = QRectF(place.left + right, place.top + down, widths[place.point], height)
            placed[place.point] = box
            if place.point not in self.lit:
                self._draw_label(painter, picture, place.point, box)
        painter.setFont(self.look.font(_LABEL, bold=True))
        for point in self.lit:
            if point < len(pixels) and not np.isnan(pixels[point]).any():
                x, y = pixels[point]
                box = placed.get(point, QRectF(x + 10, y - height / 2, widths[point], height))
                painter.fillRect(box.adjusted(-1, 0, 1, 0), self.look.colour("card", 0.85))
                self._draw_label(painter, picture, point, box)

    def _draw_label(self, painter: QPainter, picture: MapPicture, point: int, box: QRectF) -> None:
        is_lit, is_faint = point in self.lit, picture.colours[point] == "special"
        painter.setPen(self.look.colour("accent" if is_lit else "secondary" if is_faint else "text"))
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(picture.labels[point], Qt.TextElideMode.ElideRight, box.width() + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _placed(self, picture: MapPicture, plot: QRectF, height: float) -> list[LabelPlace]:
        return place_labels(
            self.plane.pixels(picture.points),
            self._label_widths(picture),
            height,
            (plot.width(), plot.height()),
        )

    def _label_widths(self, picture: MapPicture) -> NDArray[np.float64]:
        if self._widths is None:
            metrics = QFontMetricsF(self.look.font(_LABEL, bold=True))  # a lit label needs more
            longest = self.look.pixels(_LONGEST)
            widths = [min(metrics.horizontalAdvance(label) + 2, longest) for label in picture.labels]
            self._widths = np.array(widths, np.float64)
        return self._widths

    def _draw_read_out(self, painter: QPainter, picture: MapPicture) -> None:
        point = None if self.pointer is None else self.point_at(self.pointer)
        if point is None or self.pointer is None:
            return
        x, y = picture.points[point].tolist()
        numbers = f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"
        painter.setOpacity(1.0)
        lines = [picture.labels[point], numbers]
        draw_pill(painter, self.look, lines, self.pointer, QRectF(self.rect()))

    def move_to(self, plane: Plane | None, *, keeps_labels: bool = False) -> None:
        """Show this part of the map; None: all of it. With `keeps_labels` no others are looked for."""
        self._plane, self.is_zoomed = plane, plane is not None
        self._places = self._places if keeps_labels else None
        self.update()

    @Slot()
    def _on_glided(self) -> None:
        self._before = None
        self.update()

    def _on_look_changed(self) -> None:
        self._plane = self._places = self._widths = None
        super()._on_look_changed()
