"""`CellsPlot`: a table of numbers as coloured cells between names, and pyqtgraph's bars and points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Protocol

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPaintEngine, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from bertviz_app.types import Bools, Doubles
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.viewport import FEWEST, PixelAxis, Texels, TokenSpan, pyramid_of
from bertviz_app.views.kit.canvas import CachedPicture, Guarded, draws_pixels
from bertviz_app.views.kit.labels import SMALLEST_SHARE, TIGHT, Labels
from bertviz_app.views.kit.look import Look, Pencil, Table, ink_on
from bertviz_app.views.plots.axes import (
    ABOVE,
    AT_END,
    MARGIN,
    SMALL,
    ColourBar,
    Heading,
    NumberAxis,
    TokenAxis,
    heading_for,
    outline,
    slanted_room,
)
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing, DrawnBy, stepped

_LONGEST_PITCH = 96.0
_LONGEST_COLUMN_LABEL, _SHORTER_COLUMN_LABEL = 120.0, 34.0
_CLOSE = 0.0  # pixels between names and the edge where rows need them
_GRID_FROM = 9.0
_NAMED_IN_PRINT = 200.0  # the longest name of a row or a column of a figure in print, in pixels
_TURNED = 90.0
_ROW_IN_PRINT, _MARGIN_IN_PRINT = 18.0, 2.0
_UNLIMITED = 16_777_215.0  # Qt's own largest size of a widget
_MOST_RECTANGLES = 128**2  # more make a file slow to open


class Colours(Protocol):
    """The levels of cells [rows, columns], such as a `Pyramid`: places in a table of 256 colours."""

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""

    @property
    def is_signed(self) -> bool:
        """Whether levels reach to both sides of zero."""

    def level(self, row: int, column: int) -> int:
        """Return the level of a cell."""

    def texels(self, rows: TokenSpan, columns: TokenSpan, pitches: tuple[float, float]) -> Texels:
        """Return the levels of the cells in sight; `pitches`: the pixels of a row and of a column."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What a `CellsPlot` shows.

    `table`: the colours [256], 0xffRRGGBB, of the levels. `rows`, `columns`: their names, or None for numbers
    from 0 on. `bar`: what is written at the top, in the middle and at the bottom of the colour bar; `mark`: a
    share of its height, and what is written there. `texts` returns the numbers of some rows and columns,
    written; cells have them where `widest_text` fits. `longest_pitch`: a cell is at most so many pixels wide.
    `has_titled_bar`: in print what the numbers are stands beside the bar, and so not in its middle.
    """

    colours: Colours
    table: Table
    rows: Labels | None
    columns: Labels | None
    bar: tuple[str, str, str] = ("", "", "")
    texts: Callable[[range, range], Sequence[Sequence[str]]] = lambda rows, columns: []
    widest_text: str = ""
    mark: tuple[float, str] | None = None
    longest_row_label: float = 120.0
    longest_pitch: float = _LONGEST_PITCH
    has_titled_bar: bool = False


def no_cells(look: Look) -> Cells:
    nothing = pyramid_of(np.zeros((0, 0), np.uint8), is_signed=False)
    return Cells(nothing, look.weights, Labels(look, ()), Labels(look, ()))


@dataclass(frozen=True)
class Marks:
    """What is highlighted: framed rows and columns.

    `row`: a chosen row, framed thickly. `column`: a column marked by a line.
    """

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    row: int | None = None
    column: int | None = None


class CellsItem(Drawing):
    """Draws the cells in sight: their colours, lines between large ones, their numbers, what a plot adds.

    All of it is a cached picture, of which a hover copies the changed part.
    """

    def __init__(self, plot: CellsPlot) -> None:
        super().__init__(plot.look, plot.box)
        self._plot = plot
        self._box: Box = plot.box
        self._base = CachedPicture(plot.look)
        self.follow(plot.box)

    def draw(self, painter: QPainter) -> None:
        cells, rows, columns = self._plot.cells, self._box.rows(), self._box.columns()
        if 0 in cells.colours.shape:
            return
        room, draw = self.rect(), partial(self._draw, cells, rows, columns)
        size = QSize(math.ceil(room.width()), math.ceil(room.height()))
        self._base.draw(painter, size, (cells, rows, columns, self._plot.extras()), draw)

    def _draw(self, cells: Cells, rows: PixelAxis, columns: PixelAxis, painter: QPainter) -> None:
        room = self.rect()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
        n_cells = len(rows.tokens()) * len(columns.tokens())
        if not draws_pixels(painter) and n_cells <= _MOST_RECTANGLES:
            # A viewer of a file might blur an image.
            for row, column in product(rows.tokens(), columns.tokens()):
                colour = QColor.fromRgb(int(cells.table[cells.colours.level(row, column)]))
                painter.fillRect(cell_of(rows, columns, row, column), colour)
        else:
            ratio = self._plot.devicePixelRatioF()
            texels = cells.colours.texels(
                rows.span, columns.span, (rows.pitch * ratio, columns.pitch * ratio)
            )
            pixels = np.ascontiguousarray(cells.table[texels.levels])
            height, width = pixels.shape
            image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
            top, bottom = (rows.edge(end) for end in (texels.rows.first, texels.rows.last))
            left, right = (columns.edge(end) for end in (texels.columns.first, texels.columns.last))
            painter.drawImage(QRectF(left, top, right - left, bottom - top), image)
        self._plot.draw_below_grid(painter, rows, columns)
        if min(rows.pitch, columns.pitch) >= _GRID_FROM:  # lines in the colour of the card between cells
            painter.setPen(QPen(self.look.colour("card"), 1))
            ys = [round(rows.edge(row)) for row in rows.tokens()]
            xs = [round(columns.edge(column)) for column in columns.tokens()]
            painter.drawLines([QLineF(0, y, room.width(), y) for y in ys])
            painter.drawLines([QLineF(x, 0, x, room.height()) for x in xs])
        self._plot.draw_above_grid(painter, rows, columns)
        painter.setFont(self.look.number_font(SMALL))
        metrics = QFontMetricsF(painter.font())
        least = metrics.horizontalAdvance(cells.widest_text) + 4, metrics.height() + 4
        if not cells.widest_text or columns.pitch < least[0] or rows.pitch < least[1]:
            return  # no cell in sight has room for its number
        shown = rows.tokens(), columns.tokens()
        for row, of_row in zip(shown[0], cells.texts(*shown), strict=True):
            for column, text in zip(shown[1], of_row, strict=True):
                if text:
                    painter.setPen(self._plot.ink(row, column))
                    painter.drawText(cell_of(rows, columns, row, column), Qt.AlignmentFlag.AlignCenter, text)


class MarksItem(Drawing):
    """Outlines highlighted rows and columns, and the cells where they cross, over the cells."""

    def __init__(self, plot: CellsPlot) -> None:
        super().__init__(plot.look, plot.box)
        self._box: Box = plot.box
        self.marks = Marks()
        self.setZValue(10)

    def show_marks(self, marks: Marks) -> list[QRectF]:
        """Draw these marks from now on; return what they cover, and what those before covered."""
        before, self.marks = self.marks, marks
        covered = (*self._covered(before), *self._covered(marks)) if marks != before else ()
        return [part.adjusted(-3, -3, 3, 3) for part in covered]

    def _covered(self, marks: Marks) -> list[QRectF]:
        rows, columns, room = self._box.rows(), self._box.columns(), self.rect()
        chosen = () if marks.row is None else (marks.row,)
        across = [QRectF(0, rows.edge(row), room.width(), rows.pitch) for row in (*marks.rows, *chosen)]
        down = [QRectF(columns.edge(at), 0, columns.pitch, room.height()) for at in marks.columns]
        if marks.column is not None:
            down.append(QRectF(columns.middle(marks.column), 0, 0, room.height()))
        return across + down

    def draw(self, painter: QPainter) -> None:
        marks, rows, columns, room = self.marks, self._box.rows(), self._box.columns(), self.rect()
        pencil, thin = Pencil(painter, self.look), self.look.colour("accent", 0.75)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row in marks.rows:
            pencil.box(QRectF(0, rows.edge(row), room.width(), rows.pitch), thin)
        for column in marks.columns:
            pencil.box(QRectF(columns.edge(column), 0, columns.pitch, room.height()), thin)
        for row, column in product(marks.rows, marks.columns):
            pencil.box(cell_of(rows, columns, row, column), "accent", 2.5)
        if marks.row is not None:
            pencil.box(QRectF(0, rows.edge(marks.row), room.width(), rows.pitch), "accent", 2)
        if marks.column is not None:
            x = columns.middle(marks.column)
            pencil.line(QPointF(x, 0), QPointF(x, room.height()), "text")


class CellsPlot(PicturePlot[tuple[int, int]]):
    """Cells between the names, or the numbers, of their rows and columns, and a bar of their colours.

    `names_rows`: rows have names, else numbers. Columns have names where the cells have some.

    `cells` is what is shown, `marks` what is highlighted. Subclasses add to the drawing by `draw_below_grid`
    and `draw_above_grid`, and what these depend on by `extras`; strips of their own go into column 2 right
    of the cells, and into row 2 below them.
    """

    names_rows = True
    right_room: float = 0.0
    """The room between the cells and the bar for what a subclass draws there."""
    top_room: float = 0.0
    """The room above cells without names of columns."""
    below_room: float = 0.0
    """The room below the cells."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.cells = no_cells(look)
        self.marks = Marks()
        self._is_printed = False
        self.box = self.add_box(1, 1, y_down=True)
        self.box.is_snapped = True
        self.left: TokenAxis | NumberAxis = (
            TokenAxis(self, self.box, "left")
            if self.names_rows
            else NumberAxis(self, self.box, "left", is_of_cells=True)
        )
        self.top = TokenAxis(self, self.box, "top")
        self.bottom = NumberAxis(self, self.box, "bottom", is_of_cells=True)
        self.bar = ColourBar(self)
        layout = self.ci.layout
        layout.setContentsMargins(0, MARGIN, 0, MARGIN)
        for item, row, column in (
            (self.left, 1, 0),
            (self.top, 0, 1),
            (self.bottom, 3, 1),
            (self.bar, 1, 3),
        ):
            layout.addItem(item, row, column)
        self.add_rest(4, 4)
        layout.setColumnStretchFactor(1, 1)
        layout.setRowStretchFactor(1, 1)
        self.items_of_cells = CellsItem(self)
        self.marks_item = MarksItem(self)
        # On the cells this line around them would hide the outermost ones of a long text.
        self._outline = DrawnBy(look, self.ci, lambda painter: outline(painter, look, self.plot_rect))
        self.box.followers.append(lambda: self._outline.place(self.plot_rect.adjusted(-1, -1, 1, 1)))

    # what is shown

    def show_cells(self, cells: Cells) -> None:
        """Show other cells; the zoom stays where there are as many."""
        is_same_shape = cells.colours.shape == self.cells.colours.shape
        self.cells = cells
        n_rows, n_columns = cells.colours.shape
        if not is_same_shape:
            self.box.set_whole(QRectF(0, 0, max(1, n_columns), max(1, n_rows)), FEWEST)
        self.fit()
        self.items_of_cells.update()

    def fit(self) -> None:
        """Give axes, bar and cells the room that they need in this size."""
        cells, look = self.cells, self.look
        n_rows, n_columns = cells.colours.shape
        pitch, layout = look.pixels(cells.longest_pitch), self.ci.layout
        is_limited = cells.columns is not None or cells.rows is None  # dimensions fill the width
        is_limited = is_limited and not self._is_printed
        layout.setColumnMaximumWidth(1, max(20.0, n_columns * pitch) if is_limited else _UNLIMITED)
        layout.setRowMaximumHeight(1, _UNLIMITED if self._is_printed else max(20.0, n_rows * pitch))
        table = cells.table[int(cells.colours.is_signed) :]
        # Slanted names of the last columns reach over the bar.
        names = None if self._is_printed else cells.columns
        room = 0.0 if names is None else names.widest(self._longest_column()) * 0.72
        high, middle, low = cells.bar
        if self._is_printed and cells.has_titled_bar and not any(map(str.isdigit, middle)):
            middle = ""
        self.bar.show_colours(table, (high, middle, low), cells.mark, room)
        if isinstance(self.left, NumberAxis):
            self.left.fit_numbers(str(n_rows))
        elif cells.rows is not None:
            most, share = (_NAMED_IN_PRINT, 0.45) if self._is_printed else (cells.longest_row_label, 0.3)
            self.left.show_rows(cells.rows, max(40.0, min(look.pixels(most), self.width() * share)))
        has_numbers = cells.columns is None
        self.bottom.setVisible(has_numbers)
        self.top.setVisible(not has_numbers)
        (self.top if has_numbers else self.bottom).setHeight(0)
        if has_numbers:
            self.bottom.recolour()
        self._fit_heading()

    def on_range_changed(self) -> None:
        self._fit_heading()
        super().on_range_changed()

    def _fit_heading(self) -> None:
        """Name the columns so that rows in sight have room for their names; what is in sight has changed."""
        columns = self.cells.columns
        if columns is not None:
            heading = self._heading(columns)
            if heading != self.top.heading or columns is not self.top.labels:
                margin = round(heading.margin)
                self.ci.layout.setContentsMargins(0, margin, 0, margin)
                self.top.show_columns(columns, heading)
        else:
            self.ci.layout.setContentsMargins(0, self.whole_pixels(MARGIN + self.top_room), 0, MARGIN)
        self.lay_out()
        self.bar.most = self.box.height()

    def _longest_column(self) -> float:
        look = self.look
        width, height = float(self.width()), float(self.height())
        return max(40.0, min(look.pixels(_LONGEST_COLUMN_LABEL), width * 0.3, height * 0.35))

    def _heading(self, columns: Labels) -> Heading:
        """Return how the columns are named.

        Where rows have no room for their names otherwise, slanted names of columns are smaller, nearer to the
        edge and, as the last resort, shorter: the same tokens are beside the rows in full.
        """
        look, cells = self.look, self.cells
        (n_rows, n_columns), ((left, right), (first, last)) = cells.colours.shape, self.box.viewRange()
        pitch = look.pixels(cells.longest_pitch)
        beside: float = self.left.minimumWidth() + self.bar.minimumWidth() + self.right_room
        across = min(max(20.0, self.width() - beside), n_columns * pitch)
        axis, rows = PixelAxis(TokenSpan(left, right), 0.0, across), cells.rows

        def fits(heading: Heading) -> bool:
            down = max(20.0, self.height() - heading.height - 2 * heading.margin - self.below_room)
            axis = PixelAxis(TokenSpan(first, last), 0.0, min(down, n_rows * pitch))
            return rows is None or axis.step(rows.height_for(axis.pitch)) == 1

        if self._is_printed:
            return self._printed_heading(columns, axis.pitch)
        longest = self._longest_column()
        usual = heading_for(look, columns, axis, longest)
        if not usual.slant:
            return usual
        shorter = min(longest, look.pixels(_SHORTER_COLUMN_LABEL))
        closer = ((longest, MARGIN), (longest, _CLOSE), (shorter, _CLOSE))
        smaller = (heading_for(look, columns, axis, most, SMALLEST_SHARE, margin) for most, margin in closer)
        return next((heading for heading in (usual, *smaller) if fits(heading)), usual)

    def _printed_heading(self, columns: Labels, pitch: float) -> Heading:
        """Return how columns are named in print: level, else turned, and smaller where they need it."""
        look, heading = self.look, Heading()
        longest = look.pixels(_NAMED_IN_PRINT)
        for share in (1.0, SMALLEST_SHARE):
            height, widest = columns.height * share, columns.widest(longest / share) * share
            if pitch >= widest + 8:
                return Heading(share, longest, 0.0, ABOVE + height, _MARGIN_IN_PRINT)
            heading = Heading(share, widest, _TURNED, ABOVE + widest + 2, _MARGIN_IN_PRINT, TIGHT)
            if pitch >= slanted_room(look, _TURNED, TIGHT) * share:
                break
        return heading

    # in print

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print: with every name, cells as large as there is room; or as on screen."""
        self._is_printed = is_printed
        self.bar.margin = _MARGIN_IN_PRINT if is_printed else AT_END
        if isinstance(self.left, TokenAxis):
            self.left.margin = _MARGIN_IN_PRINT if is_printed else MARGIN
        self.fit()

    @property
    def printed_height(self) -> float:
        """The height at which cells are square; where columns are dimensions, at which rows are named.

        Where rows are numbers, too, it is that of square cells, but at least a row and at most 1.5 times the
        width.
        """
        rows, columns = self.box.rows().span.length, self.box.columns().span.length
        high = self.box.width() * rows / max(columns, 1e-9)
        if self.cells.columns is None and self.cells.rows is None:
            high = min(max(high, 40.0), 1.5 * self.box.width())
        elif self.cells.columns is None:
            high = max(self.cells.colours.shape[0] * self.look.pixels(_ROW_IN_PRINT), 40.0)
        return float(self.height() - self.box.height() + high)

    @property
    def lacks_room(self) -> bool:
        """Whether a row or a column in sight has no name."""
        named = [part for part in (self.left, self.top) if isinstance(part, TokenAxis) and part.isVisible()]
        return any(len(part.labelled) < len(part.side.axis.tokens()) for part in named if part.labels.texts)

    def extras(self) -> tuple[object, ...]:
        """Return what `draw_below_grid` and `draw_above_grid` depend on, to be compared."""
        return ()

    def hatch(self, painter: QPainter, boxes: Sequence[QRectF]) -> None:
        """Hatch parts that have no number."""
        painter.setPen(Qt.PenStyle.NoPen)
        for brush in (
            QBrush(self.look.colour("raised")),
            QBrush(self.look.colour("special"), Qt.BrushStyle.BDiagPattern),
        ):
            painter.setBrush(brush)
            painter.drawRects(boxes)

    def hatch_cells(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis, is_missing: Bools) -> None:
        """Hatch those cells in sight that are missing; neighbours in a row have one box."""
        edges = np.diff(np.pad(is_missing, ((0, 0), (1, 1))).astype(np.int8))
        starts, ends = np.argwhere(edges == 1).tolist(), np.argwhere(edges == -1).tolist()
        top, left = rows.tokens().start, columns.tokens().start
        boxes = [
            cell_of(rows, columns, top + row, left + first).united(
                cell_of(rows, columns, top + row, left + end - 1)
            )
            for (row, first), (_, end) in zip(starts, ends, strict=True)
        ]
        if boxes:
            self.hatch(painter, boxes)

    def draw_below_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Draw on the colours, below the lines between cells; in pixels of the box."""

    def draw_above_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Draw over the lines between cells, below the numbers; in pixels of the box."""

    def ink(self, row: int, column: int) -> QColor:
        """Return what is read best on the colour of a cell."""
        return ink_on(int(self.cells.table[self.cells.colours.level(row, column)]))

    def show_marks(self, marks: Marks) -> None:
        if marks != self.marks:
            self.marks = marks
            self._draw_marks()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without the frame of the chosen row, which a saved picture does not choose; or with it."""
        super().set_omits_hints(omits_hints=omits_hints)
        self._draw_marks()

    def _draw_marks(self) -> None:
        marks = self.marks
        if self.omits_hints:
            marks = replace(marks, row=None)
        chosen = frozenset() if marks.row is None else frozenset({marks.row})
        self.update_soon(self.marks_item, self.marks_item.show_marks(marks))
        self.update_soon(self.top, self.top.mark(marks.columns))
        if isinstance(self.left, TokenAxis):
            self.update_soon(self.left, self.left.mark(marks.rows | chosen))

    # where cells lie

    def axes(self) -> tuple[PixelAxis, PixelAxis]:
        """Return where the rows and the columns lie, in pixels of the plot."""
        corner = self.box.geometry().topLeft()
        rows, columns = self.box.rows(), self.box.columns()
        return PixelAxis(rows.span, corner.y(), rows.length), PixelAxis(
            columns.span, corner.x(), columns.length
        )

    @property
    def plot_rect(self) -> QRectF:
        """Where the cells are, in pixels of the plot."""
        return QRectF(self.box.geometry())

    @property
    def colour_bar(self) -> QRectF:
        """Where the colour bar and its numbers are, in pixels of the plot."""
        bar = self.bar.mapRectToScene(self.bar.bar)
        return QRectF(bar.left(), bar.top(), self.bar.geometry().right() - bar.left() - 5, bar.height())

    def cell_rect(self, row: int, column: int) -> QRectF:
        return cell_of(*self.axes(), row, column)

    def cell_at(self, at: QPointF) -> tuple[int | None, int | None]:
        """Return the row and the column under a point of the plot, of which the names are a part."""
        rows, columns = self.axes()
        row, column = rows.token(at.y()), columns.token(at.x())
        plot = self.plot_rect
        return row if at.x() < plot.right() else None, column if at.y() < plot.bottom() else None

    # its parts are (row, column)

    @property
    def count(self) -> int:
        n_rows, n_columns = self.cells.colours.shape
        return n_rows * n_columns

    def numbered(self, number: int) -> tuple[int, int]:
        return divmod(number, self.cells.colours.shape[1])

    def number_of(self, part: tuple[int, int]) -> int:
        return part[0] * self.cells.colours.shape[1] + part[1]

    def part_at(self, at: QPointF) -> tuple[int, int] | None:
        row, column = self.cell_at(at)
        return None if row is None or column is None else (row, column)

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        (row, column), (n_rows, n_columns) = part or (None, None), self.cells.colours.shape
        return (stepped(row, rows, n_rows), stepped(column, columns, n_columns)) if self.count else None

    def extent_of(self, part: tuple[int, int]) -> QRectF:
        return QRectF(part[1], part[0], 1, 1)

    def mark_part(self, part: tuple[int, int] | None) -> None:
        """Frame the row and the column of a cell."""
        rows, columns = ((), ()) if part is None else ({part[0]}, {part[1]})
        self.show_marks(Marks(frozenset(rows), frozenset(columns)))

    def recolour(self) -> None:
        """Take the colours and fonts in force: a subclass shows its cells again."""
        self.fit()

    def term_at(self, position: QPointF) -> str:
        """Return the term of the colour bar, which stands right of the cells."""
        return "colour_scale" if position.x() > self.plot_rect.right() + self.right_room + 4 else ""

    # changes around it

    def resized(self) -> None:
        self.fit()


def cell_of(rows: PixelAxis, columns: PixelAxis, row: int, column: int) -> QRectF:
    """Return where a cell lies between two axes."""
    return QRectF(columns.edge(column), rows.edge(row), columns.pitch, rows.pitch)


class BarsItem(Guarded, pg.BarGraphItem):
    """pyqtgraph's bars: all of one colour are drawn at once, and something is seen of the shortest.

    pyqtgraph draws bars with colours of their own one by one. `numbers`: what a file of numbers has of them.
    """

    def __init__(self) -> None:
        self.numbers: tuple[Doubles, Doubles] = (np.zeros(0), np.zeros(0))
        self._bars: dict[int, list[QRectF]] = {}
        super().__init__(x0=[], y0=[], width=[], height=[])

    def show_bars(
        self, boxes: Sequence[QRectF], colours: Sequence[QColor], numbers: tuple[Doubles, Doubles]
    ) -> None:
        self.numbers, self._bars = numbers, {}
        for box, colour in zip(boxes, colours, strict=True):
            self._bars.setdefault(colour.rgba(), []).append(box)
        self.setVisible(bool(boxes))
        x0, y0, width, height = np.array([box.getRect() for box in boxes]).reshape(-1, 4).T
        self.setOpts(x0=x0, y0=y0, width=width, height=height)

    def getData(self) -> tuple[Doubles, Doubles]:
        """Return the numbers, for pyqtgraph's exporter of CSV."""
        return self.numbers

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        for colour, bars in self._bars.items():
            painter.setPen(pg.mkPen(QColor.fromRgba(colour)))
            painter.setBrush(QColor.fromRgba(colour))
            painter.drawRects(bars)


class Points(Guarded, pg.ScatterPlotItem):
    """pyqtgraph's round points: on screen copied from a picture of each, into files drawn as circles.

    pyqtgraph's own shapes have pens that are not scaled, which files do not know.
    """

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
