"""`MapView`: points on a plane, their labels clear of each other, gliding from one map to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QLineF,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QVariantAnimation,
    Signal,
    Slot,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.plane import LabelPlace, Pixels, Plane, fitted, place_labels, ticks
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.gestures import Gestures
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, general, signed
from bertviz_app.views.kit.pill import draw_pill

GLIDE_MS = 110
_NEAR = 16.0
_SMALL = 11.0
_LABEL = 13.0
_LONGEST_LABEL = 160.0


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


class MapView(Canvas):
    """Draws a `MapPicture`; both axes have one scale.

    The wheel zooms about the pointer, dragging moves, a double click shows all again.

    `pointed` has the point under the pointer (-1: none), `chosen` the one that was clicked.
    """

    fills_ground = True

    pointed = Signal(int)
    chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.picture: MapPicture | None = None
        self.highlighted: frozenset[int] = frozenset()
        self._plane: Plane | None = None
        self._is_zoomed = False
        self._labels = _MapLabels(look)
        self._before: Pixels | None = None
        self._glide = QVariantAnimation(self, duration=GLIDE_MS, startValue=0.0, endValue=1.0)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.valueChanged.connect(lambda _: self.update())
        self._glide.finished.connect(self._on_glided)
        gestures = self.gestures = Gestures(self, lambda: True)
        gestures.moved.connect(self._on_moved)
        gestures.left.connect(self._on_moved)
        gestures.clicked.connect(self._on_clicked)
        gestures.dragged.connect(
            lambda start, end: self._move_to(
                self.plane.moved(end.x() - start.x(), end.y() - start.y()), keeps_labels=True
            )
        )
        gestures.dropped.connect(lambda: self._move_to(self.plane))  # labels have room where the drag ended
        gestures.scaled.connect(self._on_scaled)
        gestures.double_clicked.connect(lambda _: self._move_to(None))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 100)

    def show_picture(self, picture: MapPicture, *, glides: bool = False) -> None:
        """Show another map; with `glides` its points, the same as before, move to their new positions."""
        shown, self._before = self.picture, None
        if glides and shown is not None and shown.points.shape == picture.points.shape:
            self._before = self.pixels()
        if shown is None or shown.labels != picture.labels:
            self._is_zoomed = self._is_zoomed and glides
        self.picture = picture
        if not self._is_zoomed:
            self._plane = None
        self._labels.forget_layout()
        self._glide.stop()
        if self._before is not None and self.isVisible():
            self._glide.start()
        else:
            self._before = None
        self.update()

    def highlight(self, points: frozenset[int]) -> None:
        """Mark these points."""
        if points != self.highlighted:
            self.highlighted = points
            self.update()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # geometry

    @property
    def is_gliding(self) -> bool:
        """Whether the points are moving to their new positions."""
        return self._before is not None

    @property
    def plane(self) -> Plane:
        """The plane as it lies in `plot`."""
        plot, picture = self.plot(), self.picture
        if self._plane is None and picture is not None:
            margin = min(self.look.pixels(26), 0.12 * min(plot.width(), plot.height()))
            self._plane = fitted(picture.extent, plot.width(), plot.height(), margin)
        return self._plane or Plane(plot.width(), plot.height())

    def plot(self) -> QRectF:
        """Return the stretch of the widget that the points lie in."""
        metrics = QFontMetricsF(self.look.number_font(_SMALL))
        title = QFontMetricsF(self.look.font(12)).height()
        left, bottom = metrics.horizontalAdvance("−00.0") + 12, metrics.height() + title + 10
        top = title + 10
        return QRectF(left, top, max(40.0, self.width() - left - 10), max(40.0, self.height() - top - bottom))

    def pixels(self) -> Pixels:
        """Return where the points are drawn now, in pixels of the widget."""
        if self.picture is None:
            return np.zeros((0, 2))
        ends = self._pixels_of(self.picture.points)
        if self._before is None:
            return ends
        glided: Pixels = self._before + (ends - self._before) * float(self._glide.currentValue())
        return glided

    def point_at(self, at: QPointF) -> int | None:
        """Return the point of the map nearest to `at` in the widget, None if none is near."""
        pixels = self.pixels()
        if not len(pixels):
            return None
        away = np.hypot(*(pixels - (at.x(), at.y())).T)
        away[np.isnan(away)] = np.inf
        nearest = int(away.argmin())
        return nearest if away[nearest] <= _NEAR else None

    def _pixels_of(self, points: NDArray[np.float32]) -> Pixels:
        plot = self.plot()
        pixels: Pixels = self.plane.pixels(points) + np.array((plot.left(), plot.top()))
        return pixels

    def _move_to(self, plane: Plane | None, *, keeps_labels: bool = False) -> None:
        """Show this part of the map; None: all of it. With `keeps_labels` no others are looked for."""
        self._plane, self._is_zoomed = plane, plane is not None
        if not keeps_labels:
            self._labels.forget_layout()
        self.update()

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        picture = self.picture
        if picture is None or not len(picture.points):
            return
        plot, pixels = self.plot(), self.pixels()
        _draw_axes(painter, self.look, self.plane, plot, picture.ratios)
        painter.save()
        painter.setClipRect(plot, Qt.ClipOperation.IntersectClip)
        self._draw_ties(painter, picture, pixels)
        _draw_points(painter, self.look, picture, pixels, self.highlighted)
        ends = self._pixels_of(picture.points)
        self._labels.draw(painter, picture, (pixels, ends), plot, self.highlighted)
        painter.restore()
        point = None if self.gestures.pointer is None else self.point_at(self.gestures.pointer)
        if point is not None and self.gestures.pointer is not None:
            x, y = picture.points[point].tolist()
            lines = [picture.labels[point], f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"]
            painter.setOpacity(1.0)
            draw_pill(painter, self.look, lines, self.gestures.pointer, QRectF(self.rect()))

    def _draw_ties(self, painter: QPainter, picture: MapPicture, pixels: Pixels) -> None:
        """Join partners, and draw the way of the highlighted points through the layers."""
        painter.setPen(QPen(self.look.colour("special", 0.6), 1))
        for one, other in [] if picture.partners is None else picture.partners.tolist():
            painter.drawLine(QPointF(*pixels[one]), QPointF(*pixels[other]))
        if picture.trails is None or self.is_gliding:
            return
        for point in self.highlighted:
            way = self._pixels_of(picture.trails[:, point])
            if np.isnan(way).any():
                continue
            painter.setPen(QPen(self.look.colour("accent", 0.8), 1.5))
            painter.drawPolyline(QPolygonF([QPointF(*at) for at in way.tolist()]))
            painter.setBrush(self.look.colour("card"))
            for at in way.tolist():
                painter.drawEllipse(QPointF(*at), 2, 2)

    # gestures

    @Slot()
    def _on_moved(self) -> None:
        at = self.gestures.pointer
        point = None if at is None else self.point_at(at)
        self.pointed.emit(-1 if point is None else point)
        self.update()

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        point = self.point_at(at)
        if point is not None:
            self.chosen.emit(point)

    @Slot(float, QPointF)
    def _on_scaled(self, factor: float, at: QPointF) -> None:
        plot = self.plot()
        self._move_to(self.plane.zoomed(1 / factor, at.x() - plot.left(), at.y() - plot.top()))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the points, in their order."""
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None or self.picture is None:
            event.ignore()
            return
        placed = np.flatnonzero(~np.isnan(self.picture.points).any(-1)).tolist()
        current = [index for index, point in enumerate(placed) if point in self.highlighted]
        index = current[0] + by if current else 0
        if 0 <= index < len(placed) and placed[index] not in self.highlighted:
            self.chosen.emit(placed[index])

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self._move_to(None)

    @Slot()
    def _on_glided(self) -> None:
        self._before = None
        self.update()

    def _on_look_changed(self) -> None:
        self._plane = None
        self._labels = _MapLabels(self.look)
        super()._on_look_changed()


def _draw_axes(
    painter: QPainter, look: Look, plane: Plane, plot: QRectF, ratios: NDArray[np.float32]
) -> None:
    """Draw round numbers along both axes, and the share of the variance that each explains."""
    painter.setFont(look.number_font(_SMALL))
    metrics = QFontMetricsF(painter.font())
    low, high = plane.point(0, plot.height()), plane.point(plot.width(), 0)
    apart = metrics.horizontalAdvance("−00.00") + 28
    for value in ticks(low[0], high[0], plot.width(), apart):
        x = plot.left() + plot.width() / 2 + (value - plane.x) * plane.scale
        painter.setPen(QPen(look.colour("secondary" if not value else "rule"), 1))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        painter.setPen(look.colour("secondary"))
        box = QRectF(x - apart / 2, plot.bottom() + 3, apart, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, general(value))
    for value in ticks(low[1], high[1], plot.height(), metrics.height() * 3):
        y = plot.top() + plot.height() / 2 - (value - plane.y) * plane.scale
        painter.setPen(QPen(look.colour("secondary" if not value else "rule"), 1))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        painter.setPen(look.colour("secondary"))
        box = QRectF(0, y - metrics.height() / 2, plot.left() - 6, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, general(value))
    painter.setFont(look.font(12, bold=True))
    painter.setPen(look.colour("text"))
    height = QFontMetricsF(painter.font()).height()
    across, up = (f"PC{axis + 1} {fixed(100 * float(share), 1)} %" for axis, share in enumerate(ratios))
    painter.drawText(QRectF(8, 4, 200, height), Qt.AlignmentFlag.AlignLeft, f"↑ {up}")
    box = QRectF(plot.right() - 200, plot.bottom() + metrics.height() + 6, 200, height)
    painter.drawText(box, Qt.AlignmentFlag.AlignRight, f"{across} →")


def _draw_points(
    painter: QPainter, look: Look, picture: MapPicture, pixels: Pixels, highlighted: frozenset[int]
) -> None:
    radius = 4.0 if len(pixels) <= 1000 else 2.0
    card = look.colour("card")
    inks = {name: look.colour(name) for name in set(picture.colours)}
    away = radius + 2
    visible = painter.clipBoundingRect().adjusted(-away, -away, away, away)
    # nan is neither in a rectangle nor outside of it.
    points = np.flatnonzero(~np.isnan(pixels).any(-1)).tolist()
    for point in sorted(points, key=lambda point: point in highlighted):
        at = QPointF(*pixels[point].tolist())
        if not visible.contains(at):
            continue
        if point in highlighted:
            painter.setPen(QPen(look.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at, radius + 4, radius + 4)
        ink = inks[picture.colours[point]]
        is_ring = picture.is_ring is not None and bool(picture.is_ring[point])
        painter.setPen(QPen(ink, 2) if is_ring else QPen(Qt.PenStyle.NoPen))
        painter.setBrush(card if is_ring else ink)
        painter.drawEllipse(at, radius, radius)


class _MapLabels:
    """The labels of a map: which of them have room is found once, and reused while the plane moves."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._of: tuple[str, ...] | None = None
        self._widths: NDArray[np.float64] = np.zeros(0)
        self._labels: list[LabelPlace] | None = None
        self._anchors: Pixels = np.zeros((0, 2))

    def forget_layout(self) -> None:
        """Find anew which labels have room when they are next drawn."""
        self._labels = None

    def draw(
        self,
        painter: QPainter,
        picture: MapPicture,
        ways: tuple[Pixels, Pixels],
        plot: QRectF,
        highlighted: frozenset[int],
    ) -> None:
        """Write the labels that have room; those of highlighted points always, over the others.

        `ways`: where the points are now, and where they will be at the end of their glide.
        """
        pixels, ends = ways
        look = self._look
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
                self._write(painter, picture.labels[label.point], box, "secondary" if is_faint else "text")
        painter.setFont(look.font(_LABEL, bold=True))
        for point in highlighted:
            if point < len(pixels) and not np.isnan(pixels[point]).any():
                x, y = pixels[point]
                beside = QRectF(x + 10, y - height / 2, self._widths[point], height)
                box = boxes.get(point, beside)
                painter.fillRect(box.adjusted(-1, 0, 1, 0), look.colour("card", 0.85))
                self._write(painter, picture.labels[point], box, "accent")

    def _write(self, painter: QPainter, label: str, box: QRectF, colour: str) -> None:
        painter.setPen(self._look.colour(colour))
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(label, Qt.TextElideMode.ElideRight, box.width() + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _placed(self, picture: MapPicture, ends: Pixels, height: float, plot: QRectF) -> list[LabelPlace]:
        if self._of != picture.labels:
            metrics = QFontMetricsF(self._look.font(_LABEL, bold=True))  # a highlighted label needs more
            longest = self._look.pixels(_LONGEST_LABEL)
            widths = [min(metrics.horizontalAdvance(label) + 2, longest) for label in picture.labels]
            self._of, self._widths = picture.labels, np.array(widths, np.float64)
        if self._labels is None:
            size, corner = (plot.width(), plot.height()), np.array((plot.left(), plot.top()))
            self._labels = place_labels(ends - corner, self._widths, height, size)
            self._anchors = ends - corner
        return self._labels
