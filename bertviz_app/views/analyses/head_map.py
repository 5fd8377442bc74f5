"""`HeadMapView`: all heads as points of a plane."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.analysis.results import HeadMap
from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.canvas import CachedPicture
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.words import fixed
from bertviz_app.views.plots.axes import Strip
from bertviz_app.views.plots.cells import Points
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing
from bertviz_app.views.vectors.map import LabelPlace, place_labels

_SIZE, _NEAR = 12.0, 12.0
_LISTED = 3
_SHAPE = 0.8
_BESIDE = (
    20.0,
    16.0,
    40.0,
    16.0,
)  # pixels left of, above, right of and below the dots: names are at the right
_CLOSEST = 1 / 50  # of what is in sight as a whole
_LEGEND_PITCH, _LEGEND_LINE = 28.0, 18.0
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class HeadMapView(PanelView):
    """Draws a `HeadMap`."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.dots = HeadDots(tools.look)
        self.dimmed = (self.dots,)
        self.dots.part_chosen.connect(lambda head: self.head_requested.emit(*self.dots.head(head)))
        in_column(self.dots, of=self, margins=0)

    def show_panel(self, panel: Panel) -> None:
        self.dots.mark((panel.layer, panel.head))

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if isinstance(result, HeadMap):
            labels = result.axes_of["map"][0].labels  # "3.7" of layer 3, head 7
            n_heads = 1 + max((int(label.rpartition(".")[2]) for label in labels), default=0)
            self.dots.show_map(result.named["map"], result.named["values"], n_heads)


class HeadDots(PicturePlot[int]):
    """A dot for each head in the colour of its layer; beside the pointer its nearest heads.

    The parts are the numbers of the heads. Arrows go to the nearest head in their direction, Page Up and Page
    Down through all heads in their order.
    """

    pages = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._points: Doubles = np.zeros((0, 2))
        self._distances: Floats = np.zeros((0, 0), np.float32)
        self._n_heads = 1
        self._marked = (0, 0)
        self.box = Box(self)
        self.names = _Names(self)
        self.item = self.around()
        self.legend = Strip(self, self.box, self._draw_legend, is_of_rows=False)
        self.ci.addItem(self.item, 0, 0)
        self.ci.addItem(self.legend, 1, 0)
        self.dots, self.mark_dot, self.ring = Points(), Points(), Points()
        for part in (self.dots, self.mark_dot, self.ring):
            self.item.addItem(part, ignoreBounds=True)
        self.setMinimumSize(160, 140)
        self.setAccessibleName(self.tr("Map of heads"))
        self._describe()
        self._fit()

    # what is shown

    def around(self) -> pg.PlotItem:
        """Return the plot around the dots: without axes, and with one scale, so that distances compare."""
        self.box.setAspectLocked(True)
        return self.plot_around(self.box)

    def head(self, part: int) -> tuple[int, int]:
        """Return the layer and the head of a dot."""
        return divmod(part, self._n_heads)

    def mark(self, head: tuple[int, int]) -> None:
        if head != self._marked:
            self._marked = head
            self.forget_part()
            self._show_mark()
            self._describe()

    def show_map(self, points: Floats, distances: Floats, n_heads: int) -> None:
        """Show other heads: `points` [N, 2], `distances` [N, N], `n_heads` in each layer."""
        self._points, self._distances, self._n_heads = points.astype(np.float64), distances, n_heads
        self._fit()
        self.recolour()
        self.forget_part()
        self._describe()

    def title_of(self, index: int) -> str:
        """Return the name of a head beside its dot."""
        return "{}·{}".format(*self.head(index))

    @property
    def count(self) -> int:
        return len(self._points)

    @property
    def marked(self) -> int | None:
        """The index of the marked head, None where the map does not have it, and in a saved picture."""
        if self.omits_hints:
            return None
        index = self._marked[0] * self._n_heads + self._marked[1]
        return index if index < self.count and self._marked[1] < self._n_heads else None

    def _describe(self) -> None:
        index = self.current
        self.setAccessibleDescription("" if index is None else ", ".join(self.lines_of(index)))

    def _fit(self) -> None:
        """Show all dots with room for their names."""
        rows = self._legend_rows * self.look.pixels(_LEGEND_LINE)
        self.legend.set_thickness(math.ceil(rows + self._words_box(rows + 2).height()) + 8)
        self.lay_out()
        there = self._points[np.isfinite(self._points).all(-1)]
        if not len(there):
            return
        whole = self.whole_of(there)
        self.box.set_whole(whole, _CLOSEST * min(whole.width(), whole.height()))

    def whole_of(self, there: Doubles) -> QRectF:
        """Return what shows all of the dots [N, 2] with room for their names, at one scale."""
        low, high = there.min(0), there.max(0)
        span = np.maximum(high - low, (high - low).max() * 1e-3 or 1.0)
        size, (left, above, right, below) = self.box.rect(), _BESIDE
        room = max(1.0, size.width() - left - right), max(1.0, size.height() - above - below)
        scale = min(room[0] / float(span[0]), room[1] / float(span[1]))
        x, y = ((low + high) / 2).tolist()
        return QRectF(
            x - (left + room[0] / 2) / scale,
            y - (below + room[1] / 2) / scale,
            size.width() / scale,
            size.height() / scale,
        )

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

    def _there(self, index: int | None) -> Doubles:
        """Return the point of a head [1, 2], or none [0, 2] where it has no place on the map."""
        found = self._points[:0] if index is None else self._points[index : index + 1]
        return found[np.isfinite(found).all(-1)]

    # in print

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without the mark of the panel's head, or with it."""
        super().set_omits_hints(omits_hints=omits_hints)
        self._show_mark()

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print, which looks as on screen."""

    @property
    def printed_height(self) -> float:
        """The height beside the width of a figure: the map is about square, above its legend."""
        return float(self.width() * _SHAPE + self.legend.size().height())

    lacks_room = False

    # the legend

    @property
    def _legend_columns(self) -> int:
        return max(1, int((self.width() - 14) // self.look.pixels(_LEGEND_PITCH)))

    @property
    def _legend_rows(self) -> int:
        return math.ceil(self.count / self._n_heads / self._legend_columns)

    @property
    def legend_words(self) -> str:
        """What stands below the colours."""
        translate = QCoreApplication.translate
        return translate("HeadDots", "a colour for each layer · near: alike on this text · axes have no unit")

    def _words_box(self, top: float) -> QRectF:
        """Return where the words of the legend are, in as many lines as they need."""
        room = QRectF(12, top, max(80, self.width() - 20), 1000)
        return QFontMetricsF(self.look.font(12)).boundingRect(room, _WRAPPED, self.legend_words)

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
        painter.drawText(self._words_box(self._legend_rows * line + 2), _WRAPPED, self.legend_words)

    # where heads are

    def pixels(self) -> Doubles:
        """Return where the heads [N, 2] are drawn, in pixels of the plot."""
        room, (across, up) = self.box.geometry_in_plot(), self.box.viewRange()
        scale = np.array((room.width() / (across[1] - across[0]), -room.height() / (up[1] - up[0])))
        pixels: Doubles = (self._points - (across[0], up[1])) * scale + (room.left(), room.top())
        return pixels

    @property
    def first(self) -> int | None:
        return self.marked

    def extent_of(self, part: int) -> QRectF:
        """Return the point of a head: in the middle where it has no place."""
        x, y = (
            self._points[part].tolist() if len(self._there(part)) else self.box.viewRect().center().toTuple()
        )
        return QRectF(x, y, 0, 0)

    def part_at(self, at: QPointF) -> int | None:
        """Return the head nearest to a point, None where none is near."""
        if not self.count or not self.box.sceneBoundingRect().contains(at):
            return None
        gaps = np.nan_to_num(np.hypot(*(self.pixels() - at.toTuple()).T), nan=np.inf)
        nearest = int(gaps.argmin())
        return nearest if gaps[nearest] <= _NEAR else None

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        """Return the nearest head in a direction: rather straight ahead than aside."""
        if part is None:
            return super().beside(part, rows, columns)
        pixels = self.pixels()
        away = pixels - (pixels[part] if len(self._there(part)) else self.place_of(part).toTuple())
        along, aside = away @ (columns, rows), np.abs(away @ (rows, columns))
        costs = np.where(along > 0, along + 2 * aside, np.inf)
        return int(costs.argmin()) if np.isfinite(costs).any() else None

    def lines_of(self, part: int) -> list[str]:
        """Return the head, its nearest heads, and how far they are."""
        translate = QCoreApplication.translate
        title = translate("PanelCard", "Layer {0} · Head {1}").format(*self.head(part))
        nearest = [at for at in np.argsort(self._distances[part], kind="stable").tolist() if at != part]
        words = self.tr("{0}·{1}: {2} nats apart")
        lines = (
            words.format(*self.head(at), fixed(float(self._distances[part, at]), 3))
            for at in nearest[:_LISTED]
        )
        return [title, *lines]

    def mark_part(self, part: int | None) -> None:
        """Ring the head that the keys have come to."""
        if self.walked is not None or self.ring.data.size:
            pen = pg.mkPen(self.look.colour("accent"), width=2)
            at = self._there(self.walked)
            self.ring.setData(pos=at, size=_SIZE + 8, brush=pg.mkBrush(None), pen=pen)

    def on_range_changed(self) -> None:
        self.names.forget()
        super().on_range_changed()

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
