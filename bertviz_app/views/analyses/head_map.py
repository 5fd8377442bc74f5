"""The map of heads: a dot for each head, near those that attend alike; a click shows the head."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QVBoxLayout

from bertviz_app.analysis.results import HeadMap
from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.cached_picture import CachedPicture
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.plots.axes import Strip
from bertviz_app.views.plots.items import Points
from bertviz_app.views.plots.plot import Box, Drawing, Plot
from bertviz_app.views.vectors.map import LabelPlace, place_labels

_SIZE, _NEAR = 12.0, 12.0
_LISTED = 3
_BESIDE = (
    20.0,
    16.0,
    40.0,
    16.0,
)  # pixels left of, above, right of and below the dots: names are at the right
_CLOSEST = 1 / 50  # of what is in sight as a whole
_LEGEND_PITCH, _LEGEND_LINE = 28.0, 18.0
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
_ORDER = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}


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
        self.dots.mark((panel.layer, panel.head))

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if isinstance(result, HeadMap):
            trace = analysed.traces[0]
            self.dots.show_map(result.named["map"], result.named["values"], trace.n_heads)

    def set_stale(self, is_stale: bool) -> None:
        super().set_stale(is_stale)
        self.dots.set_stale(is_stale)


class HeadDots(Plot):
    """A dot for each head in the colour of its layer; beside the pointer its nearest heads.

    Arrows go to the nearest head in their direction, Page Up and Down through all heads in their order, Home
    and End to the first and the last. Enter does what a click on the head does.
    """

    walks = True

    head_clicked = Signal(int, int)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._points: Doubles = np.zeros((0, 2))
        self._distances: Floats = np.zeros((0, 0), np.float32)
        self._n_heads = 1
        self._marked = (0, 0)
        self._walked: int | None = None
        self.box = Box(self)
        self.box.setAspectLocked(True)
        self.item = self.plot_around(self.box)
        self.legend = Strip(self, self.box, self._draw_legend, is_of_rows=False)
        self.ci.addItem(self.item, 0, 0)
        self.ci.addItem(self.legend, 1, 0)
        self.dots, self.mark_dot, self.ring = Points(), Points(), Points()
        for part in (self.dots, self.mark_dot, self.ring):
            self.item.addItem(part, ignoreBounds=True)
        self.names = _Names(self)
        self.box.sigRangeChanged.connect(lambda *_: self._on_range_changed())
        self.pointed.connect(self._on_pointed)
        self.clicked.connect(self._on_clicked)
        self.walked.connect(self._walk)
        self.entered.connect(self._on_entered)
        self.let_go.connect(lambda: self._read(None))
        self.setMinimumSize(160, 140)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Map of heads"))
        self._describe()
        self._fit()

    # what is shown

    def mark(self, head: tuple[int, int]) -> None:
        if head != self._marked:
            self._marked = head
            self._read(None)
            self._show_mark()
            self._describe()

    def show_map(self, points: Floats, distances: Floats, n_heads: int) -> None:
        """Show other heads: `points` [N, 2], `distances` [N, N], `n_heads` in each layer."""
        self._points, self._distances, self._n_heads = points.astype(np.float64), distances, n_heads
        self._fit()
        self.recolour()
        self._read(None)
        self._describe()

    def title_of(self, index: int) -> str:
        """Return the name of a head beside its dot."""
        return "{}·{}".format(*divmod(index, self._n_heads))

    @property
    def count(self) -> int:
        return len(self._points)

    @property
    def marked(self) -> int | None:
        """The index of the marked head, None where the map does not have it."""
        index = self._marked[0] * self._n_heads + self._marked[1]
        return index if index < self.count and self._marked[1] < self._n_heads else None

    def _describe(self) -> None:
        index = self.marked if self._walked is None else self._walked
        self.setAccessibleDescription("" if index is None else ", ".join(self.read_out_of(index)))

    def _fit(self) -> None:
        """Show all dots with room for their names; both axes have one scale: distances can be compared."""
        rows = self._legend_rows * self.look.pixels(_LEGEND_LINE)
        self.legend.set_thickness(math.ceil(rows + self._words_box(rows + 2).height()) + 8)
        self.lay_out()
        there = self._points[np.isfinite(self._points).all(-1)]
        if not len(there):
            return
        low, high = there.min(0), there.max(0)
        span = np.maximum(high - low, (high - low).max() * 1e-3 or 1.0)
        size, (left, above, right, below) = self.box.rect(), _BESIDE
        room = max(1.0, size.width() - left - right), max(1.0, size.height() - above - below)
        scale = min(room[0] / float(span[0]), room[1] / float(span[1]))
        x, y = ((low + high) / 2).tolist()
        whole = QRectF(
            x - (left + room[0] / 2) / scale,
            y - (below + room[1] / 2) / scale,
            size.width() / scale,
            size.height() / scale,
        )
        self.box.set_whole(whole, _CLOSEST * min(whole.width(), whole.height()))

    def recolour(self) -> None:
        look, there = self.look, np.flatnonzero(np.isfinite(self._points).all(-1))
        brushes = [pg.mkBrush(look.head_colour(int(index) // self._n_heads)) for index in there]
        self.dots.setData(
            pos=self._points[there], size=_SIZE, brush=brushes, pen=pg.mkPen(look.colour("card"))
        )
        self._show_mark()
        self._fit()
        self.names.forget()

    def _show_mark(self) -> None:
        brush = pg.mkBrush(self.look.head_colour(self._marked[0]))
        self.mark_dot.setData(
            pos=self._there(self.marked),
            size=_SIZE + 4,
            brush=brush,
            pen=pg.mkPen(self.look.colour("text"), width=2),
        )
        self.names.forget()

    def _show_ring(self, index: int | None) -> None:
        if index is None and not self.ring.data.size:
            return
        pen = pg.mkPen(self.look.colour("accent"), width=2)
        self.ring.setData(pos=self._there(index), size=_SIZE + 8, brush=pg.mkBrush(None), pen=pen)

    def _there(self, index: int | None) -> Doubles:
        """Return the point of a head [1, 2], or none [0, 2] where it has no place on the map."""
        found = self._points[:0] if index is None else self._points[index : index + 1]
        return found[np.isfinite(found).all(-1)]

    # the legend

    @property
    def _legend_columns(self) -> int:
        return max(1, int((self.width() - 14) // self.look.pixels(_LEGEND_PITCH)))

    @property
    def _legend_rows(self) -> int:
        return math.ceil(self.count / self._n_heads / self._legend_columns)

    @property
    def _legend_words(self) -> str:
        translate = QCoreApplication.translate
        return translate("HeadDots", "a colour for each layer · near: alike on this text · axes have no unit")

    def _words_box(self, top: float) -> QRectF:
        """Return where the words of the legend are, in as many lines as they need."""
        room = QRectF(12, top, max(80, self.width() - 20), 1000)
        return QFontMetricsF(self.look.font(12)).boundingRect(room, _WRAPPED, self._legend_words)

    def _draw_legend(self, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        look, line = self.look, self.look.pixels(_LEGEND_LINE)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(look.font(12))
        for layer in range(self.count // self._n_heads):
            row, column = divmod(layer, self._legend_columns)
            at = QPointF(14 + column * look.pixels(_LEGEND_PITCH), (row + 0.5) * line)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.head_colour(layer))
            painter.drawEllipse(at, 4, 4)
            painter.setPen(look.colour("secondary"))
            box = QRectF(at.x() + 7, at.y() - line / 2, 40, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, str(layer))
        painter.setPen(look.colour("secondary"))
        painter.drawText(self._words_box(self._legend_rows * line + 2), _WRAPPED, self._legend_words)

    # where heads are

    def pixels(self) -> Doubles:
        """Return where the heads [N, 2] are drawn, in pixels of the plot."""
        room, (across, up) = self.box.geometry_in_plot(), self.box.viewRange()
        scale = np.array((room.width() / (across[1] - across[0]), -room.height() / (up[1] - up[0])))
        pixels: Doubles = (self._points - (across[0], up[1])) * scale + (room.left(), room.top())
        return pixels

    def point(self, index: int) -> QPointF:
        """Return where a head is drawn, in pixels of the plot: in its middle where it has no place."""
        if not len(self._there(index)):
            return self.box.geometry_in_plot().center()
        return QPointF(*self.pixels()[index].tolist())

    def head_at(self, at: QPointF) -> int | None:
        """Return the index of the head nearest to a point, None where none is near."""
        if not self.count or not self.box.sceneBoundingRect().contains(at):
            return None
        gaps = np.nan_to_num(np.hypot(*(self.pixels() - at.toTuple()).T), nan=np.inf)
        nearest = int(gaps.argmin())
        return nearest if gaps[nearest] <= _NEAR else None

    def read_out_of(self, index: int) -> list[str]:
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

    # gestures

    @Slot(object)
    def _on_pointed(self, at: QPointF | None) -> None:
        index = None if at is None else self.head_at(at)
        if index is not None or self.read_out.lines:
            self._read(index, at)

    def _on_range_changed(self) -> None:
        self.names.forget()
        if self.pointer is not None:
            self._on_pointed(self.pointer)

    def _read(self, index: int | None, at: QPointF | None = None) -> None:
        """Write the nearest heads of one beside a point, or beside its dot; None: no head."""
        self._walked = None
        self._show_ring(index if at is None else None)
        if index is None:
            self.read_out.hide_lines()
        else:
            self.read_out.show_lines(self.read_out_of(index), self.point(index) if at is None else at)

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        index = self.head_at(at)
        if index is not None:
            self.head_clicked.emit(*divmod(index, self._n_heads))

    @Slot(int, int)
    def _walk(self, down: int, across: int) -> None:
        """Go to the nearest head in a direction: rather straight ahead than aside."""
        start = self.marked if self._walked is None else self._walked
        if start is None:
            self._go_to(0)
            return
        away = self.pixels() - self.point(start).toTuple()
        along, aside = away @ (across, down), np.abs(away @ (down, across))
        costs = np.where(along > 0, along + 2 * aside, np.inf)
        if np.isfinite(costs).any():
            self._go_to(int(costs.argmin()))

    def _go_to(self, index: int) -> None:
        if not 0 <= index < self.count:
            return
        for x, y in self._there(index).tolist():
            self.box.reveal(QRectF(x, y, 0, 0))
        self._read(index)
        self._walked = index
        self._describe()

    @Slot()
    def _on_entered(self) -> None:
        index = self.marked if self._walked is None else self._walked
        if index is not None:
            self.head_clicked.emit(*divmod(index, self._n_heads))

    def press(self, event: QKeyEvent) -> bool:
        key, at = Qt.Key(event.key()), self.marked if self._walked is None else self._walked
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go_to(0 if key == Qt.Key.Key_Home else self.count - 1)
            return True
        if key in _ORDER:
            self._go_to(0 if at is None else at + _ORDER[key])
            return True
        return super().press(event)

    def resized(self) -> None:
        self._fit()


class _Names(Drawing):
    """The names beside the dots, of as many heads as there is room for: a cached picture."""

    def __init__(self, plot: HeadDots) -> None:
        super().__init__(plot.look, plot.box)
        self._plot = plot
        self._base = CachedPicture(plot.look, is_opaque=False)
        self._places: tuple[LabelPlace, ...] | None = None
        self.setZValue(20)

    def forget(self) -> None:
        """Find anew which names have room when they are next drawn."""
        self._places = None
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Write the names that have room; that of the marked head always."""
        plot, room = self._plot, self.rect()
        if not plot.count:
            return
        if self._places is None:
            self._places = self._placed(room)
        places = self._places

        def write(painter: QPainter) -> None:
            painter.setFont(self.look.number_font(10))
            ascent = QFontMetricsF(painter.font()).ascent()
            for is_marked, colour in ((False, "secondary"), (True, "text")):
                painter.setPen(self.look.colour(colour))
                for place in places:
                    if (place.point == plot.marked) is is_marked:
                        at = QPointF(round(place.left), round(place.top + ascent))
                        painter.drawText(at, plot.title_of(place.point))

        size = QSize(math.ceil(room.width()), math.ceil(room.height()))
        picture = self._base.picture(painter, size, (places, plot.marked), write)
        if picture is None:
            write(painter)
        else:
            painter.drawPixmap(QPointF(0, 0), picture)

    def _placed(self, room: QRectF) -> tuple[LabelPlace, ...]:
        plot = self._plot
        metrics = QFontMetricsF(self.look.number_font(10))
        digit = metrics.horizontalAdvance("0")
        widths = np.array([digit * len(plot.title_of(index)) + 3 for index in range(plot.count)])
        pixels = plot.pixels() - plot.box.geometry_in_plot().topLeft().toTuple()
        height, marked = metrics.height(), plot.marked
        places = place_labels(pixels, widths, height, (room.width(), room.height()))
        if marked is None or np.isnan(pixels[marked]).any():
            return tuple(places)
        (x, y), away = pixels[marked].tolist(), _SIZE / 2 + 5
        width = float(widths[marked])
        left = x + away if x + away + width <= room.width() else x - away - width
        own = QRectF(left, y - height / 2, width, height)
        others = (
            place
            for place in places
            if place.point != marked
            and not own.intersects(QRectF(place.left, place.top, widths[place.point], height))
        )
        return (*others, LabelPlace(marked, own.left(), own.top()))
