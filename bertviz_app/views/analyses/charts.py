"""Pictures of results as bars, as curves and as points of a plane."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QGraphicsRectItem

from bertviz_app.analysis.picture import Picture, places_of
from bertviz_app.tables import Cell
from bertviz_app.types import Doubles, Floats
from bertviz_app.typeset import fixed, magnitude
from bertviz_app.viewmodels.viewport import CLOSE, FEWEST, PixelAxis
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.table import (
    COUNT,
    CopiesNumbers,
    axis_word,
    colours_of,
    column_word,
    label_of,
    lines_of,
    number_of,
    part_word,
    text_of,
    title_of,
    unit_of,
)
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil
from bertviz_app.views.plots.axes import Strip, TokenAxis
from bertviz_app.views.plots.cells import BarsItem, Points
from bertviz_app.views.plots.charts import Curve, CurvePlot, PointsPlot
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
        longest = _LONGEST_TOKEN if self.picture.axes[0].name in ("token", "rank") else _LONGEST_NAME
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


_COLOURS = ("accent", "output")  # those of the first and the second series; of more each has that of a head
_BEYOND = 1.05  # times the number that is furthest from 0, at either end of the axis
_SHAPE_OF_CURVES, _LOWEST = 0.6, 260.0  # in print, of its width, or in pixels
_LEAST_WRITTEN = 0.0005  # smaller numbers are written by their power of ten


class PictureCurves(CopiesNumbers, CurvePlot):
    """Draws the last two axes of a `Picture`: a curve for each series, with intervals as bars of error."""

    def __init__(self, look: Look) -> None:
        self._errors: list[pg.ErrorBarItem] = []
        super().__init__(look)

    def show_picture(self, picture: Picture) -> None:
        self.picture = picture
        self.unit = "%" if picture.quantity.is_share else ""
        series, along = picture.axes
        steps = np.array(places_of(along))
        order = np.argsort(steps, kind="stable")
        levels = [name in picture.levels for name in series.labels]
        n_own = len(levels) - sum(levels)
        colours: Iterator[str | int] = iter(_COLOURS if n_own <= len(_COLOURS) else range(n_own))
        curves = []
        for at, is_level in enumerate(levels):
            values = picture.values[at].astype(np.float64)[order]
            is_there = np.isfinite(values)
            colour = "secondary" if is_level else next(colours)
            line = steps[order][is_there], values[is_there]
            name = part_word(picture, series, at)
            curves.append(Curve(name, colour, *line, is_marked=not is_level, is_level=is_level))
        self.setAccessibleName(colours_of(picture))
        self.show_curves(curves, axis_word(along.name))
        self._show_errors(picture, steps)

    def _show_errors(self, picture: Picture, steps: Doubles) -> None:
        for item in self._errors:
            self.item.removeItem(item)
        self._errors = []
        if picture.low is None or picture.high is None:
            return
        for curve, values, low, high in zip(
            self.curves, picture.values, picture.low, picture.high, strict=True
        ):
            there = np.isfinite(low) & np.isfinite(high) & np.isfinite(values)
            if there.any():
                below, above = (end[there].astype(np.float64) for end in (values - low, high - values))
                item = pg.ErrorBarItem(
                    x=steps[there],
                    y=values[there].astype(np.float64),
                    bottom=below,
                    top=above,
                    beam=0.012 * (self.box.whole.width() or 1.0),
                    pen=pg.mkPen(self.colour_of(curve)),
                )
                self._errors.append(item)
                self.item.addItem(item, ignoreBounds=True)

    def recolour(self) -> None:
        super().recolour()
        self._show_errors(self.picture, np.array(places_of(self.picture.axes[1])))

    # in print

    @property
    def printed_height(self) -> float:
        """The height beside the width of a figure."""
        return float(max(_LOWEST, _SHAPE_OF_CURVES * self.width()))

    def _numbers(self, picture: Picture) -> Floats:
        """Return all numbers that are drawn, the ends of intervals among them, and 0."""
        arrays = [each.ravel() for each in (picture.values, picture.low, picture.high) if each is not None]
        numbers = np.concatenate([np.zeros(1, np.float32), *arrays])
        there: Floats = numbers[np.isfinite(numbers)]
        return there

    def starts(self) -> tuple[float, float]:
        """Return 0 and 0, or the first step and a number below the least where those are below 0."""
        picture = self.picture
        least = float(self._numbers(picture).min())
        first = min([0.0, *places_of(picture.axes[1])])
        return first, -picture.top if picture.top and least < 0 else _BEYOND * least

    def ends(self) -> tuple[float, float]:
        """Return the last step, and the end of the axis of numbers that the picture names or needs."""
        picture = self.picture
        (first, low), steps = self.starts(), places_of(picture.axes[1])
        last, top = max(steps, default=first), picture.top or _BEYOND * float(self._numbers(picture).max())
        return last if last > first else first + 1, top if top > low else 1.0

    def written(self, value: float) -> str:
        """Return a number with its unit, as the legend shows it."""
        unit = "" if self.unit else unit_of(self.picture.quantity)
        return f"{self._number(value)} {unit}".rstrip()

    def _number(self, value: float) -> str:
        if self.unit:
            return super().written(value)
        if self.picture.quantity.unit == COUNT:
            return number_of(self.picture.quantity)(value)
        return magnitude(value) if 0 < abs(value) < _LEAST_WRITTEN else fixed(value, 3)

    def lines_of(self, part: float) -> list[str]:
        picture = self.picture
        series, along = picture.axes
        at = int(np.abs(np.array(places_of(along)) - part).argmin())
        title = f"{axis_word(along.name)} {along.labels[at]}"
        lines, low, high = [], picture.low, picture.high
        for one, value in enumerate(picture.values[:, at].tolist()):
            if not math.isnan(value):
                line = f"{part_word(picture, series, one)} {self.written(value)}"
                if low is not None and high is not None and not np.isnan(low[one, at]):
                    ends = (self._number(float(end[one, at])) for end in (low, high))
                    line += f" ({' … '.join(ends)})"
                lines.append(line)
        return [title, *lines, *map(translated, picture.details({along.name: at}))]


_SIZE = 12.0
_SHAPE_OF_POINTS = 0.8
_BESIDE = 20.0, 16.0, 40.0, 16.0  # pixels left of, above, right of and below the dots: names are at the right
_MARGIN = 0.07
_CLOSEST = 1 / 50  # of what is in sight as a whole
_LEGEND_PITCH, _LEGEND_LINE = 28.0, 18.0
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class PicturePoints(CopiesNumbers, PointsPlot):
    """Draws the last two axes of a `Picture`: a point for each row, in the colour of its group.

    Its parts are the points; some can be marked, from the first of which the arrows start. Arrows go to the
    nearest point in their direction, Page Up and Page Down through all of them in their order. Coordinates
    that have names have axes; else both have one scale, so that distances compare.
    """

    pages = True
    near, mark_room = 12.0, 3.0
    longest_name = 1000.0

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._points: Doubles = np.zeros((0, 2))
        self._marked: tuple[int | None, ...] = ()
        self.left.fit_numbers("000.00")
        self.legend = Strip(self, self.box, self._draw_legend, is_of_rows=False)
        self.ci.addItem(self.item, 0, 0)
        self.ci.addItem(self.legend, 1, 0)
        self.mark_dot = Points()
        for part in (self.points, self.mark_dot, self.rings):
            self.item.addItem(part, ignoreBounds=True)
        self.mark_dot.setZValue(30)  # over the names
        self.setMinimumSize(160, 140)
        self._set_axes()

    # what is shown

    def show_picture(self, picture: Picture) -> None:
        self.picture = picture
        self._points = np.where(np.isfinite(picture.values), picture.values, np.nan).astype(np.float64)
        self.setAccessibleName(title_of(picture))
        self._set_axes()
        self._fit()
        self.recolour()
        self.forget_part()
        self._describe()

    def _set_axes(self) -> None:
        has_axes = bool(self.axis_words)
        self.box.setAspectLocked(not has_axes)
        for side in ("left", "bottom"):
            self.item.showAxis(side, has_axes)

    @property
    def axis_words(self) -> tuple[str, ...]:
        """What is across and what is up; nothing where the coordinates have no meaning of their own."""
        labels = self.picture.axes[1].labels
        return () if labels in ((), ("x", "y")) else labels

    def mark(self, *parts: int | None) -> None:
        """Mark points, from the first of which the arrows start."""
        if parts != self._marked:
            self._marked = parts
            self.place_marks()
            self._describe()

    def name_of(self, part: int) -> str:
        """Return the name of a point, which is written beside it."""
        return self.picture.axes[0].labels[part]

    @property
    def count(self) -> int:
        return len(self._points)

    @property
    def marked(self) -> list[int]:
        """The marked points that the picture has; none in a saved picture."""
        there = [part for part in self._marked if part is not None and part < self.count]
        return [] if self.omits_hints else there

    def _describe(self) -> None:
        index = self.current
        self.setAccessibleDescription("" if index is None else ", ".join(self.lines_of(index)))

    def _fit(self) -> None:
        """Show all points with room for their names."""
        rows, words = self._legend_rows * self.look.pixels(_LEGEND_LINE), self._words_box(0.0)
        self.legend.set_thickness(math.ceil(rows + words.height()) + 8)
        self.lay_out()
        there = self._points[np.isfinite(self._points).all(-1)]
        if not len(there):
            return
        low, high = there.min(0), there.max(0)
        if self.axis_words:
            span = np.where(high > low, high - low, 1.0)
            whole = QRectF(*(low - _MARGIN * span).tolist(), *((1 + 2 * _MARGIN) * span).tolist())
        else:  # with room for their names, at one scale
            span = np.maximum(high - low, (high - low).max() * 1e-3 or 1.0)
            size, (left, above, right, below) = self.box.rect(), _BESIDE
            room = max(1.0, size.width() - left - right), max(1.0, size.height() - above - below)
            scale = min(room[0] / float(span[0]), room[1] / float(span[1]))
            x, y = ((low + high) / 2).tolist()
            corner = QPointF(x - (left + room[0] / 2) / scale, y - (below + room[1] / 2) / scale)
            whole = QRectF(corner, size.size() / scale)
        self.box.set_whole(whole, _CLOSEST * min(whole.width(), whole.height()))

    @property
    def groups(self) -> list[str]:
        """The groups in the order of their first points."""
        return [*dict.fromkeys(self.picture.groups)]

    def recolour(self) -> None:
        picture, look = self.picture, self.look
        colours = {group: look.head_colour(at) for at, group in enumerate(self.groups)}
        inks = [colours[group] for group in picture.groups] or [look.head_colour(0)] * self.count
        is_ring = [False] * self.count if picture.marked is None else picture.marked[:, 0].tolist()
        self.show_dots(inks, is_ring, _SIZE, look.colour("card"))
        self.place_marks()
        self._fit()
        self.names.forget_layout()

    def place_marks(self) -> None:
        marked = [part for part in self.marked if len(self._there(part))]
        self.highlighted = frozenset(marked)
        groups = self.picture.groups
        numbers = (self.groups.index(groups[part]) if groups else 0 for part in marked)
        self.mark_dot.setData(
            pos=self._points[marked],
            size=_SIZE + 4,
            brush=[pg.mkBrush(self.look.head_colour(number)) for number in numbers],
            pen=pg.mkPen(self.look.colour("text"), width=2),
        )
        self.names.update()

    def _there(self, index: int | None) -> Doubles:
        """Return a point [1, 2], or none [0, 2] where it has no place."""
        found = self._points[:0] if index is None else self._points[index : index + 1]
        return found[np.isfinite(found).all(-1)]

    # in print

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        super().set_omits_hints(omits_hints=omits_hints)
        self.place_marks()

    @property
    def printed_height(self) -> float:
        """The height beside the width of a figure: the points are about square, above their legend."""
        return float(self.width() * _SHAPE_OF_POINTS + self.legend.size().height())

    # the legend

    @property
    def _legend_columns(self) -> int:
        return max(1, int((self.width() - 14) // self._legend_pitch))

    @property
    def _legend_pitch(self) -> float:
        metrics = QFontMetricsF(self.look.font(12))
        return max(
            [
                self.look.pixels(_LEGEND_PITCH),
                *(metrics.horizontalAdvance(translated(one)) + 22 for one in self.groups),
            ]
        )

    @property
    def _legend_rows(self) -> int:
        return math.ceil(len(self.groups) / self._legend_columns)

    @property
    def _words(self) -> str:
        return self.tr("across: {0} · up: {1}").format(*self.axis_words) if self.axis_words else ""

    def _words_box(self, top: float) -> QRectF:
        """Return where the names of the axes are, in as many lines as they need."""
        if not self.axis_words:
            return QRectF(12, top, 0, 0)
        room = QRectF(12, top, max(80, self.width() - 20), 1000)
        return QFontMetricsF(self.look.font(12)).boundingRect(room, _WRAPPED, self._words)

    def _draw_legend(self, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        look, line = self.look, self.look.pixels(_LEGEND_LINE)
        pencil, font = Pencil(painter, look), look.font(12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, group in enumerate(self.groups):
            row, column = divmod(number, self._legend_columns)
            at = QPointF(14 + column * self._legend_pitch, (row + 0.5) * line)
            pencil.dot(at, 4, look.head_colour(number))
            box = QRectF(at.x() + 7, at.y() - line / 2, self._legend_pitch - 14, line)
            pencil.write(translated(group), box, font, "secondary", LEFT)
        below = self._words_box(self._legend_rows * line + 2)
        pencil.prose(self._words, below, font, "secondary", Qt.AlignmentFlag.AlignLeft)

    # where points are

    @property
    def places(self) -> Doubles:
        return self._points

    @property
    def written(self) -> Sequence[str]:
        return self.picture.axes[0].labels

    def name_font(self, *, bold: bool) -> QFont:
        is_of_heads = self.picture.axes[0].name == "head of all"
        return self.look.number_font(10, bold=bold) if is_of_heads else self.look.font(12, bold=bold)

    def name_colour(self, point: int) -> str:
        return "secondary"

    @property
    def first(self) -> int | None:
        return next(iter(self.marked), None)

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        """Return the nearest point in a direction: rather straight ahead than aside."""
        if part is None:
            return super().beside(part, rows, columns)
        pixels = self.pixels()
        away = pixels - (pixels[part] if len(self._there(part)) else self.place_of(part).toTuple())
        along, aside = away @ (columns, rows), np.abs(away @ (rows, columns))
        costs = np.where(along > 0, along + 2 * aside, np.inf)
        return int(costs.argmin()) if np.isfinite(costs).any() else None

    def lines_of(self, part: int) -> list[str]:
        """Return the name of a point, its coordinates where they have a meaning, and what else is known."""
        picture = self.picture
        numbers = zip(self.axis_words, picture.values[part].tolist(), strict=False)
        details = picture.details({picture.axes[0].name: part})
        return [
            part_word(picture, picture.axes[0], part),
            *(() if details else (f"{words}: {fixed(value)}" for words, value in numbers)),
            *map(translated, details),
        ]

    def mark_part(self, part: int | None) -> None:
        """Ring the point that the keys have come to."""
        if self.walked is not None or self.rings.data.size:
            pen = pg.mkPen(self.look.colour("accent"), width=2)
            self.rings.setData(pos=self._there(self.walked), size=_SIZE + 8, brush=pg.mkBrush(None), pen=pen)

    def on_range_changed(self) -> None:
        self.names.forget_layout()
        super().on_range_changed()

    def resized(self) -> None:
        self._fit()
        self.names.forget_layout()
