"""`PictureBars`: a picture of a result as bars."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsRectItem

from bertviz_app.analysis.picture import Picture
from bertviz_app.tables import Cell
from bertviz_app.types import Floats
from bertviz_app.viewmodels.viewport import CLOSE, FEWEST, PixelAxis
from bertviz_app.views.analyses.table import CopiesNumbers, text_of
from bertviz_app.views.analyses.titles import column_word, label_of, lines_of, part_word, title_of
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil
from bertviz_app.views.plots.axes import Strip, TokenAxis
from bertviz_app.views.plots.cells import BarsItem
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box

_PITCH = 24.0
_ROW_IN_PRINT = 18.0
_WRITTEN = 14.0  # pixels of a row with its name and number
_THICKNESS = 0.42  # of a bar, of the distance to the next one
_LONGEST_TOKEN, _LONGEST_NAME = 150.0, 230.0
_UNMARKED = 0.45  # the opacity of the other bars where one is marked


class PictureBars(CopiesNumbers, PicturePlot[int]):
    """A bar from zero for each number of a `Picture`, beside its name and its number; its parts are the bars.

    Signed numbers have two colours; bars shorter than the noise of the quantity are grey. What is not a
    number has no bar.
    """

    shows_words = True
    along = (1, 0)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.names: tuple[str, ...] = ()
        self.values: Floats = np.zeros(0, np.float32)
        self.title = ""
        self.box = Box(self, y_down=True)
        self.box.setMouseEnabled(x=False)
        self.box.zooms = (False, True)
        self.box.is_snapped, self.box.close = True, CLOSE
        self.item = self.plot_around(self.box)
        self.item.layout.setContentsMargins(0, 0, 0, 0)
        self.left = TokenAxis(self, self.box, "left")
        self.numbers = Strip(self, self.box, self._draw_numbers, is_of_rows=True)
        self.heading = Strip(self, self.box, self._draw_title, is_of_rows=False)
        self.add_rest(2, 2)
        for part, row, column in (
            (self.heading, 0, 2),
            (self.left, 1, 0),
            (self.numbers, 1, 1),
            (self.item, 1, 2),
        ):
            self.ci.layout.addItem(part, row, column)
        self.ci.layout.setContentsMargins(0, 0, 8, 6)
        self.ci.layout.setColumnStretchFactor(2, 1)
        self.ci.layout.setRowStretchFactor(1, 1)
        self.band = QGraphicsRectItem()
        self.band.setPen(pg.mkPen(None))
        self.band.hide()
        self.zero = pg.InfiniteLine(0, angle=90)
        self.bars = BarsItem()
        self.errors, self.baselines = pg.ErrorBarItem(), pg.ErrorBarItem()
        for part in (self.band, self.zero, self.bars, self.errors, self.baselines):
            self.item.addItem(part, ignoreBounds=True)
        self.recolour()

    # what is shown

    def show_picture(self, picture: Picture, title: str = "") -> None:
        """Draw a picture without menus, below its title; the zoom stays where there are as many bars."""
        (axis,) = picture.axes
        own, is_there = picture.text, np.isfinite(picture.values)
        # Of a ranking that is shorter than the others of a result the last places are empty.
        n_bars = len(axis) if own is None else int(is_there.nonzero()[0].max(initial=-1)) + 1
        is_same_size = n_bars == len(self.names)
        self.picture, self.values = picture, picture.values[:n_bars]
        self.names = tuple(
            part_word(picture, axis, at) if own is None else label_of(picture, str(own[at]))
            for at in range(n_bars)
        )
        self.title = title or title_of(picture)
        self.setAccessibleName(self.title)
        self.setAccessibleDescription(", ".join(f"{row[1]} {text_of(row[2])}" for row in self.rows))
        top, part = self._top, self.box.viewRange()[1]
        left, n_bars = (-top if self._is_signed else 0.0), max(1, n_bars)
        self.box.set_whole(QRectF(left, 0, top - left, n_bars), FEWEST, shows_all=not is_same_size)
        self.box.setLimits(minXRange=top - left)
        if is_same_size:
            self.box.show_part(QRectF(left, part[0], top - left, part[1] - part[0]))
        self.recolour()
        self.forget_part()

    @property
    def _is_signed(self) -> bool:
        return self.picture.quantity.is_signed

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """The position, the name and the number of each row."""
        return list(zip(range(len(self.names)), self.names, self.values.tolist(), strict=True))

    @property
    def _top(self) -> float:
        return 1.02 * (self.picture.top or self.picture.largest) or 1.0

    @property
    def hidden_height(self) -> int:
        """How many more pixels a saved picture needs to name each row, where it is not zoomed."""
        needed = len(self.names) * self.look.pixels(_WRITTEN)
        return math.ceil(max(0.0, needed - self.box.height())) if self.box.is_whole else 0

    # in print

    @property
    def printed_height(self) -> float:
        """The height at which every bar has a row."""
        rows = len(self.left.side.axis.tokens()) * self.look.pixels(_ROW_IN_PRINT)
        return float(self.height() - self.box.height() + rows)

    @property
    def lacks_room(self) -> bool:
        """Whether a bar in sight has no name."""
        return len(self.left.labelled) < len(self.left.side.axis.tokens())

    def recolour(self) -> None:
        look = self.look
        is_of_tokens = self.picture.axes[0].name in ("token", "rank")
        longest = _LONGEST_TOKEN if is_of_tokens else _LONGEST_NAME
        self.left.show_rows(Labels(look, self.names), look.pixels(longest))
        metrics = QFontMetricsF(look.number_font(12))
        widest = max((text_of(value) for value in self.values.tolist()), key=len, default="")
        self.numbers.set_thickness(math.ceil(metrics.horizontalAdvance(widest)) + 10)
        self.heading.set_thickness(math.ceil(QFontMetricsF(look.font(12)).height()) + 8)
        self.ci.layout.setRowMaximumHeight(1, max(20.0, len(self.names) * look.pixels(_PITCH)))
        self.zero.setPen(pg.mkPen(look.colour("rule")))
        self.band.setBrush(pg.mkBrush(look.colour("accent", 0.12)))
        self._show_bars()
        self.lay_out()

    def _show_bars(self) -> None:
        picture = self.picture
        at = np.flatnonzero(np.isfinite(self.values) & (self.values != 0))
        values = self.values[at].astype(np.float64)
        below, above = (QColor(self.look.palette.differences[end]) for end in (0, -1))
        plain, grey = self.look.colour("accent"), self.look.colour("rule")
        thick, noise = _THICKNESS, picture.quantity.noise
        boxes = [
            QRectF(min(0.0, value), row + (1 - thick) / 2, abs(value), thick)
            for row, value in zip(at.tolist(), values.tolist(), strict=True)
        ]
        ends = (above, below) if self._is_signed else (plain, plain)
        colours = [
            QColor(grey if abs(value) < noise else ends[0] if value > 0 else ends[1])
            for value in values.tolist()
        ]
        if picture.marked is not None and picture.marked.any():
            for colour, row in zip(colours, at.tolist(), strict=True):
                colour.setAlphaF(1.0 if picture.marked[row] else _UNMARKED)
        numbers = np.arange(len(self.values), dtype=np.float64), self.values.astype(np.float64)
        self.bars.show_bars(boxes, colours, numbers)
        compared, low, high = picture.baseline, picture.low, picture.high
        self.baselines.setVisible(compared is not None)
        if compared is not None:  # a line across each bar at the number that it is compared with
            there = np.flatnonzero(np.isfinite(compared[: len(self.values)]))
            half, x = np.full(len(there), _THICKNESS), compared[there].astype(np.float64)
            pen = pg.mkPen(self.look.colour("secondary"), width=2)
            self.baselines.setData(x=x, y=there + 0.5, top=half, bottom=half, beam=0.0, pen=pen)
        self.errors.setVisible(low is not None and len(at) > 0)
        if low is not None and high is not None:
            pen = pg.mkPen(self.look.colour("text"))
            left, right = (np.nan_to_num(np.abs(end[at] - values)).astype(np.float64) for end in (low, high))
            self.errors.setData(x=values, y=at + 0.5, left=left, right=right, beam=0.3, pen=pen)

    def _draw_numbers(self, painter: QPainter, axis: PixelAxis, room: QRectF) -> None:
        """Write the numbers of the rows that are named."""
        pencil, font, values = Pencil(painter, self.look), self.look.number_font(12), self.values.tolist()
        height = QFontMetricsF(font).height()
        for row in self.left.labelled if values else ():
            box = QRectF(0, axis.middle(row) - height / 2, room.width() - 8, height)
            pencil.write(text_of(values[row]), box, font, side=RIGHT)

    def _draw_title(self, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        Pencil(painter, self.look).write(self.title, room, self.look.font(12), "secondary", LEFT)

    # its parts are the rows

    @property
    def count(self) -> int:
        return len(self.names)

    def part_at(self, at: QPointF) -> int | None:
        room = self.box.geometry_in_plot()
        if not room.top() <= at.y() < room.bottom():
            return None
        row = math.floor(self.box.position(at).y())
        return row if 0 <= row < len(self.names) else None

    def extent_of(self, part: int) -> QRectF:
        return QRectF(self.box.whole.left(), part, self.box.whole.width(), 1)

    def place_of(self, part: int) -> QPointF:
        return QPointF(self.box.mapViewToScene(QPointF(0.0, part + 0.5)))

    def mark_part(self, part: int | None) -> None:
        self.update_soon(self.left, self.left.mark(frozenset() if part is None else frozenset({part})))
        self.band.setVisible(part is not None)
        if part is not None:
            self.band.setRect(self.extent_of(part))

    def lines_of(self, part: int) -> list[str]:
        name, *more = lines_of(self.picture, (part,))
        is_token = self.picture.axes[0].name == "token"
        return [name, *([f"{column_word('position')} {part}"] if is_token else []), *more]
