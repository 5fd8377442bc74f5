"""`Heatmap`: cells in colours with labels, numbers and a colour bar, drawn at any zoom into a widget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QRegion

from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.pyramid import Pyramid
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.kit.cached_picture import CachedPicture, CachedTexts, FrameTexts
from bertviz_app.views.kit.colour_maps import Table, ink_on
from bertviz_app.views.kit.heatmaps.labelled_side import MARGIN, Heading, column_side, row_side
from bertviz_app.views.kit.heatmaps.marked_labels import MarkedLabels, Marks
from bertviz_app.views.kit.labels import SIZE, SMALLEST_SHARE, Labels
from bertviz_app.views.kit.look import Look

SMALL = 11.0
_BAR = 12.0
_LONGEST_PITCH = 96.0
_LONGEST_COLUMN_LABEL, _SHORTER_COLUMN_LABEL = 120.0, 34.0
_CLOSE = 1.0  # pixels between labels and the edge where rows need them
_GRID_FROM = 9.0
_SLANTS = (45.0, 60.0, 75.0, 90.0)
_MOST_RECTANGLES = 128**2  # more make a file slow to open
_INTERSECT = Qt.ClipOperation.IntersectClip


@dataclass(frozen=True, eq=False)
class Cells:
    """What a heatmap shows.

    `table`: the colours [256], 0xffRRGGBB, of the levels in `pyramid`. `columns`: their labels, or None for
    dimensions, which are numbered below. `bar`: what is written at the top, in the middle and at the bottom
    of the colour bar; `mark`: a share of its height, and what is written there. `texts` returns the numbers
    of some rows and columns, written; cells have them where `widest_text` fits. `right`, `below` and `above`:
    pixels left free for whatever else the view draws there.
    """

    pyramid: Pyramid
    table: Table
    rows: Labels
    columns: Labels | None
    bar: tuple[str, str, str]
    texts: Callable[[range, range], Sequence[Sequence[str]]]
    widest_text: str
    longest_row_label: float = 120.0
    right: float = 0.0
    below: float = 0.0
    above: float = 0.0
    mark: tuple[float, str] | None = None


@dataclass(frozen=True)
class Sight:
    """The size of a widget in logical pixels, `ratio` device pixels to each, and the cells in sight."""

    width: float
    height: float
    ratio: float
    rows: Span
    columns: Span


@dataclass(frozen=True)
class HeatmapLayout:
    """Where the cells lie in the widget.

    Labels of columns are written at `slant` degrees, 0 is level, and are at most `longest` pixels long.
    """

    rows: Axis
    columns: Axis
    plot: QRectF
    slant: float
    longest: float

    def cell(self, row: int, column: int) -> QRectF:
        """Return where a cell lies."""
        left, top = self.columns.edge(column), self.rows.edge(row)
        return QRectF(left, top, self.columns.pitch, self.rows.pitch)

    def cell_at(self, at: QPointF) -> tuple[int | None, int | None]:
        """Return the row and the column under a point, of which the labels are a part."""
        row, column = self.rows.token(at.y()), self.columns.token(at.x())
        return row if at.x() < self.plot.right() else None, column if at.y() < self.plot.bottom() else None

    def position(self, at: QPointF) -> tuple[float, float]:
        """Return the positions on the axes of rows and columns under a point."""
        return self.rows.position(at.y()), self.columns.position(at.x())

    def moved(self, start: QPointF, end: QPointF) -> tuple[float, float]:
        """Return by how many rows and columns a drag moves what is in sight."""
        before, now = self.position(start), self.position(end)
        return before[0] - now[0], before[1] - now[1]


class Heatmap:
    """Lays out `Cells` and draws them; prepares the image and the numbers of a part once.

    `lay_out` comes first; what is drawn after it is that layout. `bar`: where the colour bar is in it.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._laid_out: tuple[Cells, Sight, HeatmapLayout] | None = None
        self._image: tuple[QImage, QRectF] | None = None
        self._numbers: list[tuple[QRectF, str, QColor]] | None = None
        self._base = CachedPicture(look)
        self._bar_texts = CachedTexts(look)
        self.labels = MarkedLabels(look)
        self.bar, self.bar_with_numbers = QRectF(), QRectF()

    # geometry

    def lay_out(self, cells: Cells, sight: Sight) -> HeatmapLayout:
        """Return where the cells in sight lie."""
        if self._laid_out is not None and self._laid_out[0] is cells and self._laid_out[1] == sight:
            return self._laid_out[2]
        look = self._look
        longest_row = max(40.0, min(look.pixels(cells.longest_row_label), sight.width * 0.3))
        longest = max(40.0, min(look.pixels(_LONGEST_COLUMN_LABEL), sight.width * 0.3, sight.height * 0.35))
        # Whole pixels: else the image is drawn up to half a pixel away from the axes.
        left = math.ceil(MARGIN + cells.rows.widest(longest_row) + 8)
        across = max(20.0, math.floor(sight.width - left - self._right_room(cells, longest)))
        pitch = look.pixels(_LONGEST_PITCH)
        columns = fitted(sight.columns, left, across, pitch if cells.columns else across)
        heading, rows, longest = _heading_and_rows(look, cells, sight, columns, longest)
        slant = heading.slant
        plot = QRectF(left, rows.start, columns.length, rows.length)
        layout = HeatmapLayout(rows, columns, plot, slant, longest)
        height = max(min(plot.height(), look.pixels(180)), look.pixels(64))
        self.bar = QRectF(plot.right() + cells.right + 10, plot.top(), _BAR, height)
        metrics = QFontMetricsF(look.number_font(SMALL))
        widest = max(metrics.horizontalAdvance(text) for text in cells.bar)
        self.bar_with_numbers = self.bar.adjusted(0, 0, 5 + widest, 0)
        self._laid_out, self._image, self._numbers = (cells, sight, layout), None, None
        sides = [row_side(cells.rows, rows, plot)]
        if cells.columns is not None:
            room = self.slanted_room(slant) * heading.share if slant else 1.0
            sides.append(column_side(cells.columns, columns, plot, heading, room, longest))
        self.labels.show(sides)
        return layout

    def slanted_room(self, slant: float) -> float:
        """Return the least pitch at which slanted labels do not touch, even a bracket beside a "g"."""
        return _slanted_room(self._look, slant)

    def _right_room(self, cells: Cells, longest: float) -> float:
        metrics = QFontMetricsF(self._look.number_font(SMALL))
        room = 10 + _BAR + max(metrics.horizontalAdvance(text) for text in cells.bar) + 6
        if cells.columns is not None:  # slanted labels of the last columns reach over the bar
            room = max(room, cells.columns.widest(longest) * 0.72)
        return room + cells.right + 4

    def _current(self) -> tuple[Cells, Sight, HeatmapLayout]:
        assert self._laid_out is not None
        return self._laid_out

    # the cells

    @contextmanager
    def clipped(self, painter: QPainter) -> Iterator[None]:
        """Draw on the cells only, without antialiasing."""
        painter.save()
        painter.setClipRect(self._current()[2].plot, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        try:
            yield
        finally:
            painter.restore()

    def draw_cells(self, painter: QPainter, *, as_rectangles: bool = False) -> None:
        """Draw the colours of the cells; as rectangles for a file, whose viewer might blur an image."""
        cells, _, layout = self._current()
        rows, columns = layout.rows.tokens(), layout.columns.tokens()
        if as_rectangles and len(rows) * len(columns) <= _MOST_RECTANGLES:
            for row in rows:
                for column in columns:
                    colour = QColor.fromRgb(int(cells.table[cells.pyramid.level(row, column)]))
                    painter.fillRect(layout.cell(row, column), colour)
        else:
            image, target = self._made_image()
            painter.drawImage(target, image)

    def draw_grid(self, painter: QPainter) -> None:
        """Separate large cells by lines in the colour of the card."""
        _, _, layout = self._current()
        plot = layout.plot
        if min(layout.rows.pitch, layout.columns.pitch) < _GRID_FROM:
            return
        painter.setPen(QPen(self._look.colour("card"), 1))
        for row in layout.rows.tokens():
            y = round(layout.rows.edge(row))
            painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        for column in layout.columns.tokens():
            x = round(layout.columns.edge(column))
            painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))

    def draw_numbers(self, painter: QPainter) -> None:
        """Write the number into each cell in sight that has room for it."""
        painter.setFont(self._look.number_font(SMALL))
        if self._numbers is None:
            self._numbers = self._written_numbers()
        for box, text, ink in self._numbers:
            painter.setPen(ink)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def ink(self, row: int, column: int) -> QColor:
        """Return what is read best on the colour of a cell."""
        cells = self._current()[0]
        return ink_on(int(cells.table[cells.pyramid.level(row, column)]))

    def _made_image(self) -> tuple[QImage, QRectF]:
        if self._image is None:
            cells, sight, layout = self._current()
            pitches = layout.rows.pitch * sight.ratio, layout.columns.pitch * sight.ratio
            texels = cells.pyramid.texels(sight.rows, sight.columns, pitches)
            pixels = np.ascontiguousarray(cells.table[texels.levels])
            height, width = pixels.shape
            # QImage does not copy the pixels: it keeps a reference to the array.
            image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
            top, bottom = (layout.rows.edge(end) for end in (texels.rows.first, texels.rows.last))
            left, right = (layout.columns.edge(end) for end in (texels.columns.first, texels.columns.last))
            self._image = image, QRectF(left, top, right - left, bottom - top)
        return self._image

    def _written_numbers(self) -> list[tuple[QRectF, str, QColor]]:
        cells, _, layout = self._current()
        metrics = QFontMetricsF(self._look.number_font(SMALL))
        room = metrics.horizontalAdvance(cells.widest_text) + 4, metrics.height() + 4
        if layout.columns.pitch < room[0] or layout.rows.pitch < room[1]:
            return []
        rows, columns = layout.rows.tokens(), layout.columns.tokens()
        return [
            (layout.cell(row, column), text, self.ink(row, column))
            for row, of_row in zip(rows, cells.texts(rows, columns), strict=True)
            for column, text in zip(columns, of_row, strict=True)
            if text
        ]

    # what is drawn around the cells

    def draw_outline(self, painter: QPainter) -> None:
        """Outline all cells."""
        # Around the cells: on them it would hide the outermost ones of a long text.
        _outline(painter, self._look, self._current()[2].plot.adjusted(-0.5, -0.5, 0.5, 0.5))

    def draw(self, painter: QPainter, draw_cells: Callable[[QPainter], None], marks: Marks) -> None:
        """Draw the cells with what `draw_cells` adds, their labels, and what is highlighted.

        All but the highlights is a picture, in which their labels are left out.
        """
        cells, sight, layout = self._current()
        size = QSize(round(sight.width), round(sight.height))

        def draw(painter: QPainter) -> None:
            draw_cells(painter)
            self.labels.draw(painter, Marks())
            self._draw_dimensions(painter)

        picture = self._base.picture(painter, size, (cells, layout), draw)
        if picture is None:
            draw_cells(painter)
            self.labels.draw(painter, marks)
            self._draw_dimensions(painter)
        else:
            self.labels.draw_over(painter, picture, marks)
        self._draw_highlights(painter, marks.rows, marks.columns)

    def draw_plain(self, painter: QPainter, *, as_rectangles: bool = False) -> None:
        """Draw all that does not depend on the pointer, for a view that adds nothing to it."""
        with self.clipped(painter):
            self.draw_cells(painter, as_rectangles=as_rectangles)
            self.draw_grid(painter)
            self.draw_numbers(painter)
        self.draw_outline(painter)
        self.draw_bar(painter)

    def changes(self, marks: Marks) -> QRegion:
        """Return what looks different while `marks` are highlighted."""
        _, _, layout = self._current()
        changed, plot = QRegion(self.labels.changed(marks)), layout.plot.adjusted(-3, -3, 3, 3)
        for row in marks.rows:
            frame = QRectF(plot.left(), layout.rows.edge(row), plot.width(), layout.rows.pitch)
            changed += (frame.adjusted(0, -3, 0, 3) & plot).toAlignedRect()
        for column in marks.columns:
            frame = QRectF(layout.columns.edge(column), plot.top(), layout.columns.pitch, plot.height())
            changed += (frame.adjusted(-3, 0, 3, 0) & plot).toAlignedRect()
        return changed

    def _draw_highlights(self, painter: QPainter, rows: frozenset[int], columns: frozenset[int]) -> None:
        """Outline highlighted rows and columns, and the cells where these cross."""
        if not rows and not columns:
            return
        _, _, layout = self._current()
        plot = layout.plot
        painter.save()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2), _INTERSECT)
        painter.setPen(QPen(self._look.colour("accent", 0.75), 1))
        for row in rows:
            painter.drawRect(QRectF(plot.left(), layout.rows.edge(row), plot.width(), layout.rows.pitch))
        for column in columns:
            left = layout.columns.edge(column)
            painter.drawRect(QRectF(left, plot.top(), layout.columns.pitch, plot.height()))
        painter.setPen(QPen(self._look.colour("accent"), 2.5))
        for row in rows:
            for column in columns:
                painter.drawRect(layout.cell(row, column))
        painter.restore()

    def _draw_dimensions(self, painter: QPainter) -> None:
        """Write the numbers of the dimensions below the columns, at round steps."""
        cells, _, layout = self._current()
        if cells.columns is not None:
            return
        axis, top = layout.columns, layout.plot.bottom()
        font = self._look.number_font(SMALL)
        metrics = QFontMetricsF(font)
        last = max(0, math.ceil(axis.span.last) - 1)
        room = metrics.horizontalAdvance(str(last)) + 16
        steps = (step * 10**power for power in range(6) for step in (1, 2, 5))
        step = next((step for step in steps if step * axis.pitch >= room), 10**6)
        box = QRectF(-room / 2, 4, room, metrics.height())

        def write(number: int, painter: QPainter) -> None:
            painter.setFont(font)
            painter.setPen(self._look.colour("secondary"))
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, str(number))

        texts = []
        painter.setPen(QPen(self._look.colour("rule")))
        for number in range(math.ceil(axis.span.first / step) * step, last + 1, step):
            x = axis.middle(number)
            if axis.start <= x <= axis.end:
                painter.drawLine(QPointF(x, top), QPointF(x, top + 4))
                texts.append((QPointF(x, top), (number, room), partial(write, number)))
        self._bar_texts.frame(painter).draw(box, texts)

    def draw_bar(self, painter: QPainter) -> None:
        """Draw the colour bar, the highest value on top, with its texts beside it."""
        cells, _, _ = self._current()
        look, bar = self._look, self.bar
        colours = cells.table[int(cells.pyramid.is_signed) :]  # signed levels begin after the gap
        pixels = np.ascontiguousarray(colours[::-1, None])
        painter.drawImage(bar, QImage(pixels.data, 1, len(pixels), 4, QImage.Format.Format_RGB32))
        _outline(painter, look, bar)
        line = QFontMetricsF(look.number_font(SMALL)).height()
        tops = [bar.top(), bar.center().y() - line / 2, bar.bottom() - line]
        texts = list(cells.bar)
        if cells.mark is not None:
            share, text = cells.mark
            y = bar.bottom() - share * bar.height()
            if bar.top() + 1.5 * line < y < bar.bottom() - 1.5 * line:  # else over one of the ends
                painter.setPen(look.colour("secondary"))
                painter.drawLine(QPointF(bar.left(), y), QPointF(bar.right() + 3, y))
                tops.append(y - line / 2)
                texts.append(text)
        beside = zip(tops, texts, strict=True)
        _write_beside(self._bar_texts.frame(painter), look, bar.right() + 5, QRectF(0, 0, 200, line), beside)


def _write_beside(
    frame: FrameTexts, look: Look, left: float, room: QRectF, texts: Iterable[tuple[float, str]]
) -> None:
    """Write texts, each below a top, from small pictures.

    Letters that touch would otherwise be blended twice, and a cached picture rounds that differently.
    """

    def write(text: str, painter: QPainter) -> None:
        painter.setFont(look.number_font(SMALL))
        painter.setPen(look.colour("secondary"))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    frame.draw(room, ((QPointF(left, top), text, partial(write, text)) for top, text in texts))


def _outline(painter: QPainter, look: Look, box: QRectF) -> None:
    """Outline a box, each pixel painted once.

    A thin pen blends the corners twice, and a cached picture rounds that differently than the card itself.
    """
    outline = QPainterPath()
    outline.addRect(box.adjusted(-0.5, -0.5, 0.5, 0.5))
    outline.addRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    painter.fillPath(outline, look.colour("rule"))


def draw_selection_frame(painter: QPainter, look: Look, frame: QRectF) -> None:
    """Draw the rectangle that is being dragged open to zoom into."""
    painter.setPen(QPen(look.colour("accent"), 1.5, Qt.PenStyle.DashLine))
    painter.setBrush(look.colour("accent", 0.12))
    painter.drawRect(frame.normalized())


def framed_spans(layout: HeatmapLayout, frame: QRectF) -> tuple[Span, Span]:
    """Return the whole rows and columns that a rectangle touches."""
    (top, left), (bottom, right) = (
        layout.position(corner) for corner in (frame.topLeft(), frame.bottomRight())
    )
    return Span(math.floor(top), math.ceil(bottom)), Span(math.floor(left), math.ceil(right))


class _HasCells(Protocol):
    @property
    def layout_of_cells(self) -> HeatmapLayout:
        """Where the cells lie, in the coordinates of the widget."""


def term_of_bar(view: _HasCells, position: QPoint) -> str:
    """Return the term of the colour bar, which stands right of the cells."""
    return "colour_scale" if position.x() > view.layout_of_cells.plot.right() + 4 else ""


def _heading(look: Look, cells: Cells, columns: Axis, longest: float, share: float = 1.0) -> Heading:
    """Return how the labels of the columns are written, at a `share` of their usual size."""
    if cells.columns is None:
        return Heading(0.0, share, 0.0)
    widest, height = cells.columns.widest(longest / share) * share, cells.columns.height * share
    slant = 0.0 if columns.pitch >= widest + 8 else _slant(look, columns, share)
    return Heading(slant, share, 6 + ((widest + height) * math.sin(math.radians(slant)) or height))


def _heading_and_rows(
    look: Look, cells: Cells, sight: Sight, columns: Axis, longest: float
) -> tuple[Heading, Axis, float]:
    """Return the labels of the columns, the rows below them, and how long a label of a column may be.

    Where rows have no room for their labels otherwise, slanted ones are smaller, nearer to the edges and, as
    the last resort, shorter: the same tokens are beside the rows in full.
    """

    def tried(longest: float, share: float = 1.0, margin: float = MARGIN) -> tuple[Heading, Axis, float]:
        heading = _heading(look, cells, columns, longest, share)
        return heading, _rows(look, cells, sight, heading, margin), longest

    shorter = min(longest, look.pixels(_SHORTER_COLUMN_LABEL))
    closer = (
        tried(longest, SMALLEST_SHARE),
        tried(longest, SMALLEST_SHARE, _CLOSE),
        tried(shorter, SMALLEST_SHARE, _CLOSE),
    )
    usual = tried(longest)
    if not usual[0].slant:
        return usual
    fits = (each for each in (usual, *closer) if each[1].step(cells.rows.height_for(each[1].pitch)) == 1)
    return next(fits, usual)


def _rows(look: Look, cells: Cells, sight: Sight, heading: Heading, margin: float) -> Axis:
    """Return the rows below the labels of the columns, `margin` pixels from the upper and the lower edge."""
    top = math.ceil(margin + cells.above + heading.height)
    numbers = 0.0 if cells.columns is not None else QFontMetricsF(look.number_font(SMALL)).height()
    down = max(20.0, math.floor(sight.height - top - cells.below - numbers - margin))
    return fitted(sight.rows, top, down, look.pixels(_LONGEST_PITCH))


def _slant(look: Look, columns: Axis, share: float) -> float:
    """Return 45 degrees, or a steeper slant if that gives more columns their labels."""
    return min(_SLANTS, key=lambda slant: (columns.step(_slanted_room(look, slant) * share), slant))


def _slanted_room(look: Look, slant: float) -> float:
    return look.font(SIZE).pixelSize() * 1.18 / math.sin(math.radians(slant))
