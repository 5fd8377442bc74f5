"""A sheet of Steps: its columns, and rows of numbers as strips."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from bertviz_app.features.steps.drawn import ROLES, Column
from bertviz_app.types import Floats, Indices
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.stages.stops import StopTensors
from bertviz_app.views.kit.canvas import CachedTexts
from bertviz_app.views.kit.formula import Formula, fitting
from bertviz_app.views.kit.look import CENTRE, LEFT, RIGHT, Colour, Look, Pencil, colour_table, ink_on
from bertviz_app.views.kit.words import cell_number, fixed


class SheetPen(Pencil):
    """Writes in the typefaces of a sheet."""

    def label(self, text: str, box: QRectF, colour: str = "text", *, bold: bool = False) -> None:
        """Write text from the left, shortened if it must be."""
        self.write(text, box, self.look.font(13, bold=bold), colour, LEFT)

    def write_number(
        self,
        text: str,
        box: QRectF,
        colour: Colour = "text",
        side: Qt.AlignmentFlag = RIGHT,
        pixels: float = 12,
        *,
        bold: bool = False,
    ) -> None:
        """Write in the face for numbers, in full even where the box is too narrow."""
        self.painter.setFont(self.look.number_font(pixels, bold=bold))
        self.painter.setPen(self.colour(colour))
        self.painter.drawText(box, side, text)

    def write_formula(
        self,
        formulas: tuple[str, ...],
        box: QRectF,
        colour: str = "text",
        side: Qt.AlignmentFlag = LEFT,
        pixels: float = 14,
    ) -> Formula:
        """Write the fullest of `formulas` that fits, the last one smaller if it must be."""
        made = fitting(self.look, formulas, box.width(), pixels)
        self.draw_formula(made, box, colour, side)
        return made

    def draw_formula(self, made: Formula, box: QRectF, colour: str, side: Qt.AlignmentFlag = LEFT) -> None:
        """Draw a formula at one side of a box."""
        self.painter.setPen(self.look.colour(colour))
        free = box.width() - made.box.width
        left = box.left() + {LEFT: 0.0, CENTRE: free / 2, RIGHT: free}[side]
        made.draw(self.painter, QPointF(left, box.center().y() + (made.box.above - made.box.below) / 2))

    def draw_band(self, box: QRectF, alpha: float) -> None:
        """Tint what is pointed at or explained."""
        self.painter.fillRect(box, self.look.colour("accent", alpha))

    def draw_rule(self, area: QRectF, y: float) -> None:
        self.line(QPointF(area.left(), y), QPointF(area.right(), y), "rule")


def along(row: QRectF, left: float, width: float) -> QRectF:
    """Return a part of a row, which is as high."""
    return QRectF(left, row.top(), width, row.height())


_NUMBER = 54.0
_WIDEST_STRIP = 460.0
_NARROWEST_STRIP, _GAP = 44.0, 10.0
_WRITTEN, _DIMENSION = 11.5, 10.5
"""The size of the numbers beside a strip, and of those of their dimensions."""


@dataclass(frozen=True)
class RowAxis:
    """Where vectors of `n` numbers are drawn from left to right: the strip, and the window of numbers.

    The window shows the numbers from `first` on, `shown` of them, each `pitch` wide.
    """

    strip: QRectF
    window: QRectF
    n: int
    first: int
    shown: int
    pitch: float

    def dimension(self, x: float) -> int | None:
        """Return the number under a horizontal position."""
        if self.strip.left() <= x < self.strip.right():
            return min(self.n - 1, int((x - self.strip.left()) / self.strip.width() * self.n))
        if self.shown and self.window.left() <= x < self.window.left() + self.shown * self.pitch:
            return self.first + int((x - self.window.left()) / self.pitch)
        return None


def width_of_row(look: Look, n_numbers: int) -> int:
    """Return the least width with which a row has a strip and `n_numbers` numbers beside it."""
    return look.pixels(_NARROWEST_STRIP) + look.pixels(_GAP) + n_numbers * look.pixels(_NUMBER)


def row_axis(look: Look, left: float, width: float, n: int, first: int, *, has_window: bool) -> RowAxis:
    """Return the axis of vectors of `n` numbers in this room; the window begins near `first`."""
    pitch = look.pixels(_NUMBER)
    gap = look.pixels(_GAP)
    strip = width
    if has_window and width >= width_of_row(look, 1):
        strip = min(max(look.pixels(_NARROWEST_STRIP), width * 0.38), look.pixels(_WIDEST_STRIP))
        if n * pitch <= width - strip - gap:
            strip = width - gap - n * pitch
    shown = min(n, int((width - strip - gap) / pitch)) if strip < width else 0
    first = max(0, min(first, n - shown))
    window = QRectF(left + strip + gap, 0, shown * pitch, 0)
    return RowAxis(QRectF(left, 0, math.floor(strip), 0), window, n, first, shown, pitch)


@dataclass(frozen=True)
class VectorStyle:
    """How a vector is drawn: where its colours are full, the colours of its numbers and of its frame.

    The strip is `inset` pixels lower than its row at either side.
    """

    bound: float
    colour: str = "text"
    inset: float = 3.0
    frame: str = "rule"


_differences = lru_cache(maxsize=4)(colour_table)
"""Return the table of colours between those of a palette, made once: each cell of a table asks for it."""


class StripPainter(SheetPen):
    """Draws strips and numbers, too; `texts`: pictures of those that come again in many frames."""

    omits_links = False
    """In print nothing can be clicked."""

    def __init__(self, painter: QPainter, look: Look, texts: CachedTexts | None = None) -> None:
        super().__init__(painter, look)
        self.differences = _differences(look.palette.differences)
        self._texts = (texts or CachedTexts(look)).frame(painter)

    def colour_of(self, value: float, bound: float) -> QColor:
        """Return the colour of one number on a scale from -bound to bound."""
        return QColor.fromRgb(int(self.differences[_colour_positions(np.array([value]), bound)[0]]))

    def write_numbers(
        self, numbers: Iterable[tuple[QRectF, str]], pixels: float, colour: str = "text"
    ) -> None:
        """Write each number into its box."""
        self.painter.setFont(self.look.number_font(pixels))
        self.painter.setPen(self.look.colour(colour))
        for box, text in numbers:
            self.painter.drawText(box, RIGHT, text)

    def draw_strip(self, box: QRectF, values: Floats, bound: float) -> None:
        """Draw a colour for each of `values` [C]; where there are more than pixels, the largest of each."""
        self._draw_strips([box], values[None], bound)

    def _draw_strips(self, boxes: list[QRectF], values: Floats, bound: float) -> None:
        """Draw `values` [rows, C] as strips that are equally wide, one in each box."""
        n_pixels = max(1, round(boxes[0].width() * self.painter.device().devicePixelRatioF()))
        if values.shape[1] > n_pixels:  # the number that is largest by size of each part
            starts = (np.arange(n_pixels) * values.shape[1]) // n_pixels
            highest = np.maximum.reduceat(values, starts, axis=1)
            lowest = np.minimum.reduceat(values, starts, axis=1)
            values = np.where(-lowest > highest, lowest, highest)
        image = image_of(self.differences[_colour_positions(values, bound)])
        with self._sharp():
            for row, box in enumerate(boxes):
                # A copy of the row: the generator of SVG ignores which part of an image is to be drawn.
                self.painter.drawImage(box, image.copy(0, row, image.width(), 1))

    @contextmanager
    def _sharp(self) -> Iterator[None]:
        """Draw on whole pixels, without mixing the colours of neighbours."""
        self.painter.save()
        self.painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        yield
        self.painter.restore()

    def draw_vectors(self, axis: RowAxis, values: Floats, rows: Sequence[QRectF], style: VectorStyle) -> None:
        """Draw `values` [rows, C] as strips with their frames, and write those in the window of `axis`."""
        if not rows:
            return
        ratio = self.painter.device().devicePixelRatioF()
        left, inset = _on_pixel(axis.strip.left(), ratio), style.inset
        shift = left - axis.strip.left()
        tops = [_on_pixel(row.top(), ratio) for row in rows]
        strips = [
            QRectF(left, top + inset, axis.strip.width(), row.height() - 2 * inset)
            for row, top in zip(rows, tops, strict=True)
        ]
        self._draw_strips(strips, values, style.bound)
        self.draw_frames(strips, style.frame)
        first, width = axis.window.left() + shift, axis.pitch - 6
        shown = values[:, axis.first : axis.first + axis.shown].tolist()
        numbers = (
            (QRectF(first + index * axis.pitch, top, width, row.height()), cell_number(value))
            for row, top, values_shown in zip(rows, tops, shown, strict=True)
            for index, value in enumerate(values_shown)
        )
        self.write_numbers(numbers, _WRITTEN, style.colour)

    def draw_vector(self, axis: RowAxis, values: Floats, row: QRectF, style: VectorStyle) -> None:
        """Draw `values` [C] as a strip with its frame, and write those in the window of `axis`."""
        self.draw_vectors(axis, values[None], [row], style)

    def label_again(self, text: str, box: QRectF, colour: str, *, bold: bool) -> None:
        """Write a text that comes again in many frames, shortened if it must be."""
        room = QRectF(0, 0, box.width(), box.height())

        def draw(painter: QPainter) -> None:
            SheetPen(painter, self.look).label(text, room, colour, bold=bold)

        made_from = text, room.width(), room.height(), colour, bold
        self._texts.draw(room, [(box.topLeft(), made_from, draw)])

    def draw_number(self, box: QRectF, value: float, bound: float) -> None:
        """Write a number on its colour."""
        colour = self.colour_of(value, bound)
        self.painter.fillRect(box, colour)
        room = box.adjusted(0, 0, -5, 0)
        self.write_number(cell_number(value), room, ink_on(colour.rgb()), pixels=_WRITTEN)

    def draw_moving(self, box: QRectF, values: Floats, bound: float, opacity: float = 1.0) -> None:
        """Draw a strip that is on its way while Steps plays."""
        self.painter.setOpacity(opacity)
        self.draw_strip(box, values, bound)
        self.draw_frames([box], "accent")
        self.painter.setOpacity(1.0)

    def draw_frames(self, boxes: list[QRectF], colour: str = "rule") -> None:
        """Draw the outlines of strips: numbers near zero have the colour of the card."""
        with self._sharp():
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            self.painter.setPen(self.look.colour(colour))
            self.painter.drawRects([box.adjusted(-1, -1, 0, 0) for box in boxes])

    def draw_dimensions(self, axis: RowAxis, top: float, height: float) -> None:
        """Write above the window of `axis` which dimensions its numbers are of."""
        if not axis.shown:
            return
        self.name_dimensions(QRectF(axis.strip.left(), top, axis.strip.width(), height))
        for index in range(axis.shown):
            box = QRectF(axis.window.left() + index * axis.pitch, top, axis.pitch - 6, height)
            self.write_number(str(axis.first + index), box, "secondary", pixels=_DIMENSION)

    def name_dimensions(self, box: QRectF) -> None:
        """Write what stands before, or above, the numbers of dimensions, in their font and colour."""
        self.write_number(QCoreApplication.translate("Steps", "dim"), box, "secondary", pixels=_DIMENSION)


def image_of(colours: NDArray[np.uint32]) -> QImage:
    """Return an image of colours 0xffRRGGBB [rows, columns]."""
    pixels = np.ascontiguousarray(colours)
    n_rows, n_columns = pixels.shape
    return QImage(pixels.data, n_columns, n_rows, 4 * n_columns, QImage.Format.Format_RGB32).copy()


def _on_pixel(position: float, ratio: float) -> float:
    """Return the nearest whole pixel of a screen with `ratio` pixels of its own to one of Qt's."""
    return math.floor(ratio * position + 0.5) / ratio


def _colour_positions(values: NDArray[np.floating], bound: float) -> Indices:
    """Return the positions of numbers in a table of 256 colours, zero in its middle."""
    positions: Indices = np.rint((np.clip(values / bound, -1, 1) + 1) * 127.5).astype(np.intp)
    return positions


MARGIN = 12.0
_LOWEST, _HIGHEST = 18.0, 60.0
_LINK = 20.0


@dataclass(frozen=True)
class Hit:
    """What lies under a point of a line: its token, a number and its name, what can be clicked, or nothing.

    `cell` is its position in the line, -1 beside all cells. `dimension`: the position of the number in its
    vector, and `is_written` whether its digits beside the strip are meant. `action`: what a click does.
    """

    line: int
    token: int | None
    cell: int = -1
    name: str = ""
    value: np.float32 | None = None
    dimension: int | None = None
    is_written: bool = False
    action: str = ""

    @property
    def is_label(self) -> bool:
        """Whether the name of the token is meant."""
        return self.cell >= 0 and self.value is None and not self.action


@dataclass(frozen=True, eq=False)
class Cell:
    """What lies in a line: a vector along `axis`, a number, perhaps of one `dimension`, a label or a link.

    A label has no `values`, a link an `action`.
    """

    left: float
    width: float
    token: int | None
    name: str = ""
    values: Floats | np.float32 | None = None
    axis: RowAxis | None = None
    dimension: int | None = None
    action: str = ""


@dataclass(frozen=True, eq=False)
class Line:
    """Cells beside each other in a box; elsewhere in it lies its `token`, if any."""

    box: QRectF
    token: int | None
    cells: tuple[Cell, ...]
    number: int = 0  # from the top of the sheet

    def hit(self, x: float) -> Hit | None:
        """Return what lies at a horizontal position."""
        nothing = None if self.token is None else Hit(self.number, self.token)
        for index, cell in enumerate(self.cells):
            if not cell.left - 1 <= x < cell.left + cell.width + 1:
                continue
            if cell.axis is None:
                return self._hit_in(index, cell.dimension)
            dimension = cell.axis.dimension(x)
            is_written = x >= cell.axis.window.left()
            return nothing if dimension is None else self._hit_in(index, dimension, is_written=is_written)
        return nothing

    def stops(self) -> list[Hit]:
        """Return all that the keys come to, from left to right."""
        return [
            self._hit_in(index, dimension)
            for index, cell in enumerate(self.cells)
            for dimension in ((cell.dimension,) if cell.axis is None else range(cell.axis.n))
        ]

    def _hit_in(self, index: int, dimension: int | None, *, is_written: bool = False) -> Hit:
        cell = self.cells[index]
        values = None if cell.values is None else np.asarray(cell.values, np.float32)
        value = None if values is None else np.float32(values if cell.axis is None else values[dimension])
        return Hit(self.number, cell.token, index, cell.name, value, dimension, is_written, cell.action)

    def extent(self, hit: Hit) -> QRectF:
        """Return where a hit lies; a number at its colour in the strip."""
        if hit.cell < 0:
            return self.box
        cell = self.cells[hit.cell]
        left, width = cell.left, cell.width
        if cell.axis is not None and hit.dimension is not None:
            width = cell.axis.strip.width() / cell.axis.n
            left = cell.axis.strip.left() + hit.dimension * width
        return QRectF(left, self.box.top(), width, self.box.height())


@dataclass(frozen=True)
class Link:
    """A text that shows the products of query and key in all dimensions, or no longer."""

    box: QRectF
    text: str

    @property
    def line(self) -> Line:
        """The line that it is alone in."""
        cell = Cell(self.box.left(), self.box.width(), None, self.text, action="products")
        return Line(self.box, None, (cell,))

    def draw(self, pen: StripPainter) -> None:
        pen.write(self.text, self.box, pen.look.font(12), "accent", LEFT)


class Sheet:
    """Draws a `StopTensors` into `area`; subclasses say what stands in head, rows and foot.

    `first` is the first dimension whose number is written. Heights are in pixels.
    """

    n_rows = 0
    is_alone = False
    """Whether the stage has one vector, not one for each token."""
    is_mixing = False
    """Whether a row is a key of the query, not a token by itself."""
    bound = 0.0
    """The size from which on the stage's colours are full; 0 where it has no colours."""
    head = 0.0
    foot = 0.0
    columns: list[PlacedColumn]
    """What stands beside each other in the rows."""

    def __init__(
        self, look: Look, tensors: StopTensors, area: QRectF, first: int, highlighted: int | None
    ) -> None:
        self.look = look
        self.tensors = tensors
        self.area = area
        self.first = first
        self.highlighted = highlighted
        self.row_height = float(self.look.pixels(_LOWEST))
        self.place()
        # The rows are as high as there is room for, in whole pixels.
        room = (area.height() - self.head - self.foot) / max(1, self.n_rows)
        low, high = self.look.pixels(_LOWEST), self.look.pixels(_HIGHEST)
        self.row_height = float(min(max(low, math.floor(room)), high))

    def place(self) -> None:
        """Say how many rows there are, and how high head and foot."""
        raise NotImplementedError

    def place_columns(self) -> None:
        """Place the columns of the rows, whose numbers are written from the dimension `first` on."""
        raise NotImplementedError

    def highlight(self, token: int | None) -> None:
        self.highlighted = token

    @property
    def rows_area(self) -> QRectF:
        """The room of the rows: between head and foot, which follows the last row if all are in sight."""
        height = max(0.0, self.area.height() - self.head - self.foot)
        if self.n_rows * self.row_height > height >= self.row_height:
            height -= height % self.row_height  # no row is cut where one scrolls by rows
        height = min(height, self.n_rows * self.row_height)
        return QRectF(self.area.left(), self.area.top() + self.head, self.area.width(), height)

    @property
    def foot_top(self) -> float:
        """The vertical position below the last row."""
        return self.rows_area.bottom()

    @property
    def hidden_height(self) -> int:
        """How far the rows can be scrolled."""
        return max(0, math.ceil(self.n_rows * self.row_height - self.rows_area.height()))

    def row_box(self, row: int, offset: int) -> QRectF:
        """Return where a row lies while `offset` pixels are scrolled away."""
        area = self.rows_area
        return QRectF(area.left(), area.top() + row * self.row_height - offset, area.width(), self.row_height)

    def offset_showing(self, row: int, offset: int) -> int:
        """Return the offset next to `offset` with which a row is wholly in sight."""
        top = row * self.row_height
        bottom = top + self.row_height - self.rows_area.height()
        return round(min(max(offset, bottom), top))

    def draw(self, pen: StripPainter, offset: int, is_dirty: Callable[[QRectF], bool]) -> None:
        """Draw head, rows and foot; of the rows those that `is_dirty`."""
        self.draw_head(pen)
        pen.painter.save()
        pen.painter.setClipRect(self.rows_area, Qt.ClipOperation.IntersectClip)
        boxes = {row: self.row_box(row, offset) for row in rows_in_sight(self, offset)}
        if rows := {row: box for row, box in boxes.items() if is_dirty(box)}:
            self.draw_rows(pen, rows)
        pen.painter.restore()
        self.draw_foot(pen)

    def draw_head(self, pen: StripPainter) -> None:
        """Draw what stays above the rows."""

    def draw_rows(self, pen: StripPainter, rows: Mapping[int, QRectF]) -> None:
        """Draw these rows, each in its box: their names, then column by column."""
        for row, box in rows.items():
            self.draw_label(pen, row, box)
        for column in self.columns:
            boxes = {row: column.cell(box) for row, box in rows.items() if row < len(column.values)}
            values, cells = column.values[list(boxes)], list(boxes.values())
            if column.axis is not None:
                pen.draw_vectors(column.axis, values, cells, VectorStyle(column.bound, frame=column.frame))
            elif column.kind == "bar":
                # For each weight a bar from 0 to 1, and the number behind it.
                number = self.look.pixels(48)
                colour = self.look.colour("warning" if column.name == "what_if" else "accent")
                for weight, cell in zip(values.tolist(), cells, strict=True):
                    bar = cell.adjusted(0, 5, -number - 4, -5)
                    pen.painter.fillRect(bar, self.look.colour("raised"))
                    pen.painter.fillRect(along(bar, bar.left(), bar.width() * weight), colour)
                rooms = [along(cell, cell.right() - number, number) for cell in cells]
                pen.write_numbers(
                    zip(rooms, [fixed(weight, 3) for weight in values.tolist()], strict=True), 12
                )
            elif column.kind == "tinted":
                for value, cell in zip(values.tolist(), cells, strict=True):
                    pen.draw_number(cell.adjusted(0, 1, 0, -1), value, column.bound)
            else:
                pen.write_numbers(zip(cells, map(cell_number, values.tolist()), strict=True), 12)

    def draw_label(self, pen: StripPainter, row: int, box: QRectF) -> None:
        """Draw the ground of a row and its name."""
        raise NotImplementedError

    def draw_foot(self, pen: StripPainter) -> None:
        """Draw what stays below the rows."""

    # what lies where

    def above(self) -> list[Line]:
        """Return the lines above the rows that have something to read out."""
        return []

    def below(self) -> list[Line]:
        """Return the lines below the rows that have something to read out."""
        return []

    def label_of(self, row: int) -> Cell | None:
        """Return where the token of a row is named, if it has one."""
        raise NotImplementedError

    def cell_of(self, column: PlacedColumn, row: int) -> Cell:
        return Cell(column.left, column.width, row, column.name, column.values[row], column.axis)

    @property
    def n_lines(self) -> int:
        """The number of lines, the rows among them."""
        return len(self.above()) + self.n_rows + len(self.below())

    def line(self, number: int, offset: int) -> Line:
        """Return a line by its number from the top, 0, while `offset` pixels are scrolled away."""
        above = self.above()
        row = number - len(above)
        if not 0 <= row < self.n_rows:
            return replace(above[number] if row < 0 else self.below()[row - self.n_rows], number=number)
        label = self.label_of(row)
        cells = [self.cell_of(column, row) for column in self.columns if row < len(column.values)]
        token = None if label is None else label.token
        return Line(self.row_box(row, offset), token, tuple([label, *cells] if label else cells), number)

    def hit(self, at: QPointF, offset: int) -> Hit | None:
        """Return what lies under a point."""
        area, n_above = self.rows_area, len(self.above())
        row = int((at.y() - area.top() + offset) / self.row_height)
        is_in_row = area.top() <= at.y() < area.bottom() and row < self.n_rows
        beside = (*range(n_above), *range(n_above + self.n_rows, self.n_lines))
        lines = (self.line(number, offset) for number in ((n_above + row,) if is_in_row else beside))
        line = next((line for line in lines if line.box.top() <= at.y() < line.box.bottom()), None)
        return None if line is None else line.hit(at.x())

    def extent(self, hit: Hit, offset: int) -> QRectF:
        """Return where a hit lies."""
        return self.line(hit.line, offset).extent(hit)

    def beside(self, hit: Hit | None, down: int, across: int) -> Hit | None:
        """Return what an arrow key leads to from a hit; from none to the row of the query."""
        if hit is None:
            row = 0 if self.is_alone else self.tensors.query
            return next(iter(self.line(len(self.above()) + row, 0).stops()), None)
        line = self.line(hit.line, 0)
        stops = line.stops()
        if across and stops:
            at = [(one.cell, one.dimension) for one in stops]
            here = (hit.cell, hit.dimension)
            position = at.index(here) + across if here in at else 0
            return stops[min(max(0, position), len(stops) - 1)]
        x, number = line.extent(hit).center().x(), hit.line + down
        while down and 0 <= number < self.n_lines:
            other = self.line(number, 0)
            found = min(other.stops(), key=lambda one: abs(other.extent(one).center().x() - x), default=None)
            if found is not None:
                return found
            number += down
        return None

    def follow(self, tensors: StopTensors) -> bool:
        """Show another query if the layout is the same then; return whether it is.

        What differs then are head and foot, and the rows of both queries.
        """
        at, at_before = (
            (one.trace, one.stop, one.layer, one.head, one.details, one.is_step_by_step)
            for one in (tensors, self.tensors)
        )
        if self.is_mixing or self.is_alone or at != at_before:
            return False
        self.tensors = tensors
        return True

    def draw_motion(self, pen: StripPainter, progress: float, offset: int) -> None:
        """Draw over the finished sheet how it comes about while Steps plays, `progress` from 0 to 1.

        What is not computed yet is covered, and what it is computed from moves to where it goes.
        """

    @property
    def left_out(self) -> list[str]:
        """The names of the quantities that the panel is too narrow for."""
        return []

    # what subclasses draw with

    def link(self, at: QPointF, text: str) -> Link:
        """Return what can be clicked from `at` on."""
        width = QFontMetricsF(self.look.font(12)).horizontalAdvance(text) + 6
        return Link(QRectF(at, QSizeF(width, self.look.pixels(_LINK))), text)

    def cover(self, pen: StripPainter, box: QRectF, band: float) -> None:
        """Paint over what is not computed yet, in the colours of what is in focus."""
        pen.painter.fillRect(box, self.look.colour("card"))
        if band:
            pen.draw_band(box, band)

    def draw_token(self, pen: StripPainter, token: int, box: QRectF) -> None:
        """Write a token: the query and the highlighted one in the accent colour, special ones paler."""
        tokens = self.tensors.trace.tokens
        colour = "secondary" if tokens.is_special[token] else "text"
        colour = "accent" if token in (self.highlighted, self.tensors.query) else colour
        pen.label_again(tokens.labels[token], box, colour, bold=token == self.tensors.query)

    def label_width(self) -> float:
        """Return the room that the tokens' names need, at most a fifth of the width."""
        metrics = QFontMetricsF(self.look.font(13, bold=True))
        # The longest strings decide: measuring all of a long text would take longer than a frame.
        longest = sorted(self.tensors.trace.tokens.labels, key=len)[-12:]
        widest = max(metrics.horizontalAdvance(label) for label in longest) + self.look.pixels(12)
        return math.ceil(min(max(widest, self.look.pixels(52)), 0.2 * self.area.width()))


def between(start: float, end: float, share: float) -> float:
    """Return a position on the way, which begins and ends slowly."""
    return start + (end - start) * share * share * (3 - 2 * share)


def rows_in_sight(sheet: Sheet, offset: int) -> range:
    """Return the rows of which something is in sight while `offset` pixels are scrolled away."""
    last = math.ceil((offset + sheet.rows_area.height()) / sheet.row_height)
    return range(int(offset / sheet.row_height), min(sheet.n_rows, last))


_ROOM = MappingProxyType({"strip": 74.0, "number": 60.0, "tinted": 60.0, "bar": 88.0})
_SHARES = MappingProxyType({("strip", True): 3.0, ("strip", False): 0.5, ("bar", True): 1.0})
"""Of the room that is left, by the kind of a column and whether it is in focus."""
_GAPS = (10.0, 22.0)
_WIDE = 620
_NUMBERS = 4
_WIDEST_FOCUS, _WIDEST = 520.0, 220.0


@dataclass(frozen=True, eq=False)
class PlacedColumn(Column):
    """A column where it is drawn; `axis` is that of its vectors, `frame` the colour of their frames.

    Numbers end `inset` pixels before its right end.
    """

    left: float = 0.0
    width: float = 0.0
    axis: RowAxis | None = None
    frame: str = "rule"
    inset: float = 0.0

    def cell(self, row: QRectF) -> QRectF:
        """Return its part of the box of a row."""
        return QRectF(self.left, row.top(), self.width - self.inset, row.height())


class ColumnLayout:
    """Lays columns out in `area`, right of the tokens' names; those in `focus` get their room first.

    The last vector in focus has at least one number beside its strip in the narrowest panel, and columns
    out of focus are drawn only where it has several.
    """

    def __init__(self, look: Look, area: QRectF, focus: tuple[str, ...]) -> None:
        self._look = look
        self._area = area
        self._focus = focus
        self.is_wide = area.width() >= look.pixels(_WIDE)
        self.gap = float(look.pixels(_GAPS[self.is_wide]))

    def fitting(self, columns: list[Column], labels: float) -> list[Column]:
        """Return the columns in focus and those about them that fit beside the `labels` pixels of names."""
        room = self._area.width() - labels
        positions = [position for position, column in enumerate(columns) if column.name in self._focus]
        first, last = positions[0], positions[-1]
        while first < last and self._needed(columns[first : last + 1], 1) > room:
            first += 1
        while True:
            wider = [
                (first - more, last + 1 - more)
                for more in (1, 0)
                if first - more >= 0 and last + 1 - more < len(columns)
            ]
            fitting = [
                ends for ends in wider if self._needed(columns[ends[0] : ends[1] + 1], _NUMBERS) <= room
            ]
            if not fitting:
                return columns[first : last + 1]
            first, last = fitting[0]

    def placed(self, columns: list[Column], labels: float, first: int) -> list[PlacedColumn]:
        """Return where the columns are drawn.

        The room that is left is given to the strips, most to those in focus. `first` is the first dimension
        whose number is written beside a strip.
        """
        left = self._area.left() + labels
        room = self._area.right() - left
        n_numbers = next((n for n in (_NUMBERS, 1) if self._needed(columns, n) <= room), 0)
        spare = room - self._needed(columns, n_numbers)
        own = self._own(columns)
        shares = [_SHARES.get((column.kind, column.name in self._focus), 0.0) for column in columns]
        if not any(shares):
            shares = [1.0] * len(columns)
        placed = []
        for column, share in zip(columns, shares, strict=True):
            is_bar_in_focus = column.kind == "bar" and column.name in self._focus
            most = self._look.pixels(_WIDEST_FOCUS if share > 1 or is_bar_in_focus else _WIDEST)
            width = self._room(column, n_numbers if column is own else 0)
            width = max(self._room(column, 0), min(width + spare * share / sum(shares), most)) - self.gap
            n, has_window = column.values.shape[-1], column.name in self._focus
            is_strip, frame = column.kind == "strip", ROLES.get(column.name, "rule")
            axis = row_axis(self._look, left, width, n, first, has_window=has_window) if is_strip else None
            placed.append(PlacedColumn(**vars(column), left=left, width=width, axis=axis, frame=frame))
            left += width + self.gap
        return placed

    def _own(self, columns: list[Column]) -> Column | None:
        """Return the vector whose numbers are written first: the last one in focus."""
        return next((c for c in reversed(columns) if c.kind == "strip" and c.name in self._focus), None)

    def _room(self, column: Column, n_numbers: int) -> float:
        """Return the width of a column with so many numbers beside its strip, and of the gap after it."""
        room = self._look.pixels(_ROOM[column.kind])
        if n_numbers and column.kind == "strip":
            room = max(room, width_of_row(self._look, min(n_numbers, column.values.shape[1])))
        return room + self.gap

    def _needed(self, columns: list[Column], n_numbers: int) -> float:
        own = self._own(columns)
        return sum(self._room(column, n_numbers if column is own else 0) for column in columns)
