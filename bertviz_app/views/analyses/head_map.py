"""The map of heads: a dot for each head, near those that attend alike; a click shows the head."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QVBoxLayout

from bertviz_app.analysis.results import HeadMap
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.pill import draw_pill

_RADIUS, _NEAR = 6.0, 12.0
_LISTED = 3


class HeadMapView(PanelView):
    """Draws a `HeadMap`."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.dots = HeadDots(tools.look)
        self.dots.head_clicked.connect(self.head_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.dots)

    def show_panel(self, panel: Panel) -> None:
        """Mark the head of the panel."""
        self.dots.mark((panel.layer, panel.head))

    def show_result(self, analysed: Analysed) -> None:
        """Show another result."""
        super().show_result(analysed)
        result = analysed.result
        if isinstance(result, HeadMap):
            trace = analysed.traces[0]
            self.dots.show_map(result.named["map"], result.named["values"], trace.n_heads)

    def set_stale(self, is_stale: bool) -> None:
        """Dim the dots while they are out of date."""
        super().set_stale(is_stale)
        self.dots.set_stale(is_stale)


class HeadDots(Canvas):
    """A dot for each head in the colour of its layer; beside the pointer its nearest heads."""

    head_clicked = Signal(int, int)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._points: Floats = np.zeros((0, 2), np.float32)
        self._distances: Floats = np.zeros((0, 0), np.float32)
        self._n_heads = 1
        self._marked = (0, 0)
        self._pointer: QPointF | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(160, 140)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Map of heads"))

    def mark(self, head: tuple[int, int]) -> None:
        """Frame the dot of a head."""
        self._marked = head
        self.update()

    def show_map(self, points: Floats, distances: Floats, n_heads: int) -> None:
        """Show other heads: `points` [N, 2], `distances` [N, N], `n_heads` in each layer."""
        self._points, self._distances, self._n_heads = points, distances, n_heads
        self.update()

    def point(self, index: int) -> QPointF:
        """Return where a head is drawn; both axes have the same scale, so that distances can be compared."""
        low, high = self._points.min(0), self._points.max(0)
        room = QRectF(self.rect()).adjusted(20, 16, -40, -72)
        span = np.maximum(high - low, 1e-9)
        scale = min(room.width() / float(span[0]), room.height() / float(span[1]))
        offset = (self._points[index] - (low + high) / 2) * scale
        return QPointF(room.center().x() + float(offset[0]), room.center().y() - float(offset[1]))

    def head_at(self, at: QPointF) -> int | None:
        """Return the index of the head nearest to a point, None where none is near."""
        if not len(self._points):
            return None
        gaps = [
            (point.x() - at.x()) ** 2 + (point.y() - at.y()) ** 2
            for point in map(self.point, range(len(self._points)))
        ]
        nearest = int(np.argmin(gaps))
        return nearest if gaps[nearest] <= _NEAR**2 else None

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if not len(self._points):
            return
        look, marked = self.look, self._marked[0] * self._n_heads + self._marked[1]
        painter.setFont(look.number_font(10))
        for index in range(len(self._points)):
            layer, head = divmod(index, self._n_heads)
            point, is_marked = self.point(index), index == marked
            painter.setBrush(look.head_colour(layer))
            painter.setPen(QPen(look.colour("text" if is_marked else "card"), 2 if is_marked else 1))
            radius = _RADIUS + 2 * is_marked
            painter.drawEllipse(point, radius, radius)
            painter.setPen(look.colour("text" if is_marked else "secondary"))
            painter.drawText(point + QPointF(radius + 2, 4), f"{layer}·{head}")
        self._draw_legend(painter)
        at = None if self._pointer is None else self.head_at(self._pointer)
        if at is not None and self._pointer is not None:
            draw_pill(painter, look, self.read_out(at), self._pointer, QRectF(self.rect()))

    def _draw_legend(self, painter: QPainter) -> None:
        look, bottom = self.look, float(self.height())
        painter.setFont(look.font(12))
        x = 14.0
        for layer in range(len(self._points) // self._n_heads):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.head_colour(layer))
            painter.drawEllipse(QPointF(x, bottom - 50), 4, 4)
            painter.setPen(look.colour("secondary"))
            painter.drawText(QPointF(x + 7, bottom - 46), str(layer))
            x += 28
            if x > self.width() - 40:
                break
        words = self.tr("a colour for each layer · near: alike on this text · axes have no unit")
        room = QRectF(12, bottom - 38, self.width() - 20, 36)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, words)

    def read_out(self, index: int) -> list[str]:
        """Return the lines of the read-out of a head: its nearest heads, and how far they are."""
        translate = QCoreApplication.translate
        title = translate("PanelCard", "Layer {0} · Head {1}").format(*divmod(index, self._n_heads))
        nearest = [at for at in np.argsort(self._distances[index], kind="stable").tolist() if at != index]
        words = self.tr("{0}·{1}: {2} nats apart")
        lines = (
            words.format(*divmod(at, self._n_heads), fixed(float(self._distances[index, at]), 3))
            for at in nearest[:_LISTED]
        )
        return [title, *lines]

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.head_at(event.position())
        if at is not None and event.button() == Qt.MouseButton.LeftButton:
            self.head_clicked.emit(*divmod(at, self._n_heads))
