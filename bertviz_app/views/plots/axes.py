"""Axes and what stands beside a view box: `TokenAxis`, `NumberAxis`, `ColourBar`, and strips of one's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cached_property, partial

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPainterPath, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from bertviz_app.values import dataclass
from bertviz_app.viewmodels.viewport import PixelAxis
from bertviz_app.views.kit.canvas import CachedTexts, FrameTexts, Guarded, draws_pixels
from bertviz_app.views.kit.labels import SIZE, Labels
from bertviz_app.views.kit.look import Look, Pencil, Table
from bertviz_app.views.kit.words import MINUS, fixed
from bertviz_app.views.plots.plot import Box, Painted, Plot

SMALL = 11.0
"""The size of the numbers beside a picture."""
MARGIN = 8.0
"""The room between the edge of a picture and the labels of its rows."""
_BESIDE = 8.0  # between labels of rows and their cells
ABOVE = 6.0
"""Between labels of columns and their cells."""
APART = 1.18
"""The least distance of slanted names, in letters."""
# The distance of slanted names, in letters, at which the end of one is not read as the next one.
_CLEAR = 1.25
_SLANTS = (45.0, 60.0, 75.0, 90.0)
_INTERSECT = Qt.ClipOperation.IntersectClip
_BAR = 12.0
AT_END = 5.0
"""The room between the numbers of a colour bar and the edge of the picture."""
_MOST_DIGITS = 6
_BESIDE_NUMBER = 15.0


@dataclass(frozen=True, eq=False)
class LabelledSide:
    """Labels along `axis`, each of which has `room` pixels of it.

    A label is written into `box` about its origin, around which it is turned by `slant` degrees.
    """

    labels: Labels
    axis: PixelAxis
    room: float
    box: QRectF
    align: Qt.AlignmentFlag
    slant: float = 0.0
    is_row: bool = True
    offset: float = 0.0
    across: float = 0.0

    def labelled(self, first: frozenset[int] = frozenset()) -> list[int]:
        """Return the numbers of the labels that have room; those in `first` get it before the others."""
        return self.axis.joined(self.without_marks, first, self.room) if first else self.without_marks

    @cached_property
    def without_marks(self) -> list[int]:
        """The numbers of the labels that are written where none is marked."""
        return self.axis.labelled(self.room, self.labels.first)

    def origin(self, number: int) -> QPointF:
        """Return the point about which a label is turned."""
        along = (
            self.axis.middle(number) if self.is_row or self.slant else self.axis.edge(number)
        ) + self.offset
        return QPointF(self.across, along) if self.is_row else QPointF(along, self.across)

    def box_of(self, number: int) -> QRectF:
        """Return where a level label is written."""
        return self.box.translated(self.origin(number))

    @cached_property
    def _turned(self) -> QTransform:
        return QTransform().rotate(-self.slant)

    def draw(self, texts: FrameTexts, numbers: Iterable[int], marked: frozenset[int]) -> None:
        """Write these labels, those `marked` highlighted."""
        labels, size = self.labels, (round(self.box.width()), round(10 * self.box.height()), self.slant)
        reach = self.box.height() / 2  # letters reach a little out of their box
        texts.draw(
            self._turned.mapRect(self.box.adjusted(-reach, -reach, reach, reach)),
            [
                (
                    self.origin(number),
                    (labels.texts[number], labels.is_faint[number], size, number in marked),
                    partial(self._draw, number, number in marked),
                )
                for number in numbers
            ],
        )

    def _draw(self, number: int, is_highlighted: bool, painter: QPainter) -> None:
        painter.rotate(-self.slant)
        self.labels.draw(
            painter, number, self.box, self.align, is_highlighted=is_highlighted, slant=self.slant
        )


@dataclass(frozen=True)
class Heading:
    """How names of columns are written: at a `share` of their usual size, `longest` pixels long at most.

    `slant`: 0 where they are level. `height`: the room they need. `margin`: the room above them. `apart`: the
    least distance of slanted ones, in letters.
    """

    share: float = 1.0
    longest: float = 120.0
    slant: float = 0.0
    height: float = 0.0
    margin: float = MARGIN
    apart: float = APART


class TokenAxis(Guarded, Painted, pg.AxisItem):
    """The names of the rows ("left") or of the columns ("top") of a box, as many as have room in sight.

    A name that is marked takes the room of its neighbours.
    Names of columns are level, or slanted where that gives more of them room.
    """

    def __init__(self, plot: Plot, box: Box, orientation: str) -> None:
        self.is_of_rows = orientation == "left"
        super().__init__(orientation, showValues=False)
        self.look = plot.look
        self._plot = plot
        self.labels = Labels(plot.look, ())
        self.heading = Heading()
        self.margin = MARGIN
        """The room between the edge of the picture and the names of rows."""
        self.marked: frozenset[int] = frozenset()
        self._box = box
        self._texts = CachedTexts(plot.look)
        self.linkToView(box)

    def show_rows(self, labels: Labels, longest: float) -> None:
        """Name the rows, with at most `longest` pixels for a name."""
        self.labels = labels
        self.setWidth(self._plot.whole_pixels(self.margin + labels.widest(longest) + _BESIDE))
        self.prepareGeometryChange()
        self.update()

    def show_columns(self, labels: Labels, heading: Heading) -> None:
        self.labels, self.heading = labels, heading
        self.setHeight(self._plot.whole_pixels(heading.height))
        self.prepareGeometryChange()
        self.update()

    def mark(self, numbers: frozenset[int]) -> list[QRectF]:
        """Highlight some names from now on; return what is to be painted then."""
        if numbers == self.marked:
            return []
        self.marked = numbers
        return [self.boundingRect()]

    @property
    def labelled(self) -> list[int]:
        """The rows or columns whose names are written."""
        return self.side.labelled(self.marked)

    @property
    def side(self) -> LabelledSide:
        """Where the names lie, for what is in sight."""
        axis = self._box.rows() if self.is_of_rows else self._box.columns()
        if self.is_of_rows:
            height, width = self.labels.height_for(axis.pitch), self.size().width()
            return LabelledSide(
                labels=self.labels,
                axis=axis,
                room=height,
                box=QRectF(0, 0, width - self.margin - _BESIDE, height),
                align=Qt.AlignmentFlag.AlignRight,
                offset=-height / 2,
                across=self.margin,
            )
        # Level names are centred on their columns.
        heading, slant, bottom = self.heading, self.heading.slant, self.size().height()
        height, lean = self.labels.height * heading.share, math.cos(math.radians(slant))
        room = slanted_room(self.look, slant, heading.apart) * heading.share if slant else 1.0
        slanted = QRectF(0, -height * (0.5 + 0.17 * lean), heading.longest, height)
        return LabelledSide(
            labels=self.labels,
            axis=axis,
            room=room,
            box=slanted if slant else QRectF(0, 0, axis.pitch - 4, height),
            align=Qt.AlignmentFlag.AlignLeft if slant else Qt.AlignmentFlag.AlignHCenter,
            slant=slant,
            is_row=False,
            offset=-height * 0.14 * lean if slant else 2.0,
            across=bottom - ABOVE if slant else bottom - ABOVE - height,
        )

    def boundingRect(self) -> QRectF:
        """Slanted names of the last columns reach beyond the box, high letters above and below it."""
        room = QRectF(QPointF(), self.size())
        if self.is_of_rows:
            return room.adjusted(0, -12, -5, 12)
        return room.adjusted(-4, 0, math.ceil(self.heading.longest), 0)

    def draw(self, painter: QPainter) -> None:
        side = self.side
        if side.labels.texts and side.axis.pitch:
            painter.setClipRect(self.boundingRect(), _INTERSECT)
            side.draw(self._texts.frame(painter), side.labelled(self.marked), self.marked)


def slanted_room(look: Look, slant: float, apart: float = APART) -> float:
    """Return the least pitch at which slanted names do not touch, even a bracket beside a "g"."""
    return look.font(look.word_size(SIZE)).pixelSize() * apart / math.sin(math.radians(slant))


def heading_for(
    look: Look, labels: Labels, columns: PixelAxis, longest: float, share: float = 1.0, margin: float = MARGIN
) -> Heading:
    """Return how names of columns are written at a `share` of their usual size.

    They are level where they have room, else slanted by 45 degrees or by what gives most columns a name; of
    several slants by the least at which the names are not close to each other, or by the steepest.
    """
    height, widest, slant = labels.height * share, labels.widest(longest / share) * share, 0.0

    def rank(slant: float) -> tuple[int, bool, float]:
        step = columns.step(slanted_room(look, slant) * share)
        apart = step * columns.pitch * math.sin(math.radians(slant))
        is_close = apart < _CLEAR * look.font(SIZE).pixelSize() * share
        return step, is_close, -slant if is_close else slant

    if columns.pitch < widest + 8:
        slant = min(_SLANTS, key=rank)
    slanted = (widest + height) * math.sin(math.radians(slant))
    return Heading(share, longest, slant, ABOVE + (slanted or height), margin)


class NumberAxis(Guarded, pg.AxisItem):
    """An axis of round numbers in the fonts and colours of the theme.

    `is_of_cells`: the numbers are those of cells, of which number i covers i to i + 1, and are whole.
    `write` returns the text of a number; else it has so many decimals that no two are written alike.
    """

    apart = 1.4
    """The distance of rows of numbers, in lines."""
    is_blank = False
    """Whether it has no numbers: there are no data yet."""
    is_whole = False
    """Whether it has whole numbers alone."""
    has_line = True
    """Whether there is a line along it."""

    def __init__(
        self,
        plot: Plot,
        box: Box,
        orientation: str,
        *,
        is_of_cells: bool = False,
        write: Callable[[float], str] | None = None,
    ) -> None:
        self.is_level = orientation in ("top", "bottom")
        """Whether it is above or below its box."""
        super().__init__(orientation, maxTickLength=4)
        self.look = plot.look
        self.is_of_cells = is_of_cells
        self._write = write
        self.linkToView(box)
        plot.look.changed.connect(self.recolour)
        self.enableAutoSIPrefix(False)
        self.setStyle(tickAlpha=1.0)
        self.recolour()

    def recolour(self) -> None:
        font = self.look.number_font(SMALL)
        rule = pg.mkPen(self.look.colour("rule"))
        self.setTickPen(rule)
        self.setPen(rule if self.has_line else pg.mkPen(None))
        self.setTextPen(self.look.colour("secondary"))
        self.setTickFont(font)
        if self.is_level:
            self.setHeight(math.ceil(QFontMetricsF(font).height()) + 6)

    def fit_numbers(self, widest: str) -> None:
        """Give a vertical axis the room for this text."""
        self.setWidth(math.ceil(QFontMetricsF(self.look.number_font(SMALL)).horizontalAdvance(widest)) + 12)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        """Return round numbers, as many as have room beside each other."""
        low, high = sorted((minVal, maxVal))
        metrics = QFontMetricsF(self.look.number_font(SMALL))
        if self.is_level:
            widest = str(math.ceil(high)) if self.is_of_cells else f"{MINUS}00.00"
            room = metrics.horizontalAdvance(widest) + (16 if self.is_of_cells else 28)
        else:
            room = (1.7 if self.is_of_cells else self.apart) * metrics.height()
        if self.is_blank or not high > low or size <= 0:
            return []
        least = room * (high - low) / size
        power = 10.0 ** math.floor(math.log10(least))
        step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least * (1 - 1e-9))
        step = max(1.0, step) if self.is_whole else step
        if not self.is_of_cells:
            numbers = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
            return [(step, [number * step for number in numbers])]
        whole = max(1, round(step))
        first = max(0, math.ceil((low - 0.5) / whole)) * whole
        return [(float(whole), [number + 0.5 for number in range(first, math.ceil(high - 0.5), whole)])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return the numbers with so many decimals that no two are written alike."""
        if self.is_of_cells:
            return [str(math.floor(value)) for value in values]
        if self._write is not None:
            return [self._write(value) for value in values]
        digits = max(0, -math.floor(round(math.log10(spacing), 9)))
        if digits > _MOST_DIGITS:
            return [f"{value:.3g}".replace("-", MINUS) for value in values]
        return [fixed(value, digits) for value in values]

    def boundingRect(self) -> QRectF:
        """Half of the first and of the last number lies beside the box."""
        room, beside = QRectF(super().boundingRect()), _BESIDE_NUMBER
        return room.adjusted(-beside, 0, beside, 0) if self.is_level else room.adjusted(0, -beside, 0, beside)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Draw the axis: on screen from a recorded picture, in files and for readers of texts itself."""
        if draws_pixels(painter):
            super().paint(painter, option, widget)
        elif (specs := self.generateDrawSpecs(painter)) is not None:
            painter.save()
            self.drawPicture(painter, *specs)
            painter.restore()


class Strip(Painted, pg.GraphicsWidget):
    """A stretch beside a box, `thickness` pixels wide (right of it) or high (below it), drawn in pixels.

    `draw` gets a painter whose origin is the corner of the strip, and the axis that it shares with the box.
    """

    def __init__(
        self, plot: Plot, box: Box, draw: Callable[[QPainter, PixelAxis, QRectF], None], *, is_of_rows: bool
    ) -> None:
        super().__init__()
        self._box, self._draw, self._is_of_rows = box, draw, is_of_rows
        box.followers.append(self.update)

    def set_thickness(self, pixels: float) -> None:
        """Take so much room; 0 hides it."""
        sides = (self.setMinimumWidth, self.setMaximumWidth)
        for setter in sides if self._is_of_rows else (self.setMinimumHeight, self.setMaximumHeight):
            setter(pixels)
        self.setVisible(pixels > 0)

    def draw(self, painter: QPainter) -> None:
        axis = self._box.rows() if self._is_of_rows else self._box.columns()
        self._draw(painter, axis, QRectF(QPointF(), self.size()))


# The share of its height from the other end that a drag of an end of the colour bar ends at.
_LEAST_SHARE = 0.02


class ColourBar(Guarded, Painted, pg.GraphicsWidget):
    """The colours of a picture from the highest value down, with its ends, its middle and a mark beside them.

    `mark`: a share of its height, and what is written there, a second line below the mark.
    `rescale(factor, is_low)` is called while the bar is dragged, with what the distance between its ends is
    to be multiplied by, and whether the low end is dragged or the high one; None, after a double click: both
    are to be those of all values again.
    """

    rescale: Callable[[float | None, bool], None] | None = None

    def __init__(self, plot: Plot) -> None:
        super().__init__()
        self._look = plot.look
        self._table: Table = np.zeros(256, np.uint32)
        self._texts: tuple[str, str, str] = ("", "", "")
        self._mark: tuple[float, str] | None = None
        self._drags_low = False
        self.most = 0.0
        """The height of the picture that it stands beside."""
        self.margin = AT_END
        """The room between its numbers and the edge of the picture."""

    def show_colours(
        self,
        table: Table,
        texts: tuple[str, str, str],
        mark: tuple[float, str] | None = None,
        least: float = 0.0,
    ) -> None:
        """Show the colours of `table`; the bar takes at least `least` pixels across."""
        self._table, self._texts, self._mark = table, texts, mark
        metrics = QFontMetricsF(self._look.number_font(SMALL))
        written = [*texts, *("" if mark is None else mark[1]).split("\n")]
        width = 10 + _BAR + 5 + max(map(metrics.horizontalAdvance, written)) + self.margin
        width = math.ceil(max(width, least))
        self.setMinimumWidth(width)
        self.setMaximumWidth(width)
        self.update()

    def set_rescale(self, rescale: Callable[[float | None, bool], None]) -> None:
        self.rescale = rescale
        self.setCursor(Qt.CursorShape.SizeVerCursor)

    def mouseDragEvent(self, ev: MouseDragEvent) -> None:
        """Let the value at the nearer end follow the pointer, as far as it is dragged along the bar."""
        if self.rescale is None or ev.button() != Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        ev.accept()
        height = self.bar.height()
        if ev.isStart():
            self._drags_low = ev.buttonDownPos().y() > height / 2
        shares = (at.y() / height for at in (ev.lastPos(), ev.pos()))
        before, now = (max(_LEAST_SHARE, share if self._drags_low else 1 - share) for share in shares)
        self.rescale(now / before, self._drags_low)

    def mouseClickEvent(self, ev: MouseClickEvent) -> None:
        """Show the colours of all values again after a double click."""
        if self.rescale is not None and ev.double():
            ev.accept()
            self.rescale(None, False)

    @property
    def bar(self) -> QRectF:
        height = max(min(self.most or self.size().height(), self._look.pixels(180)), self._look.pixels(64))
        return QRectF(10, 0, _BAR, height)

    def boundingRect(self) -> QRectF:
        return QRectF(0, -10, self.size().width(), max(self.size().height(), self.bar.height()) + 20)

    def draw(self, painter: QPainter) -> None:
        look, bar = self._look, self.bar
        pixels = np.ascontiguousarray(self._table[::-1, None])
        painter.drawImage(bar, QImage(pixels.data, 1, len(pixels), 4, QImage.Format.Format_RGB32))
        outline(painter, look, bar)
        line = QFontMetricsF(look.number_font(SMALL)).height()
        high, middle, low = self._texts
        centre = bar.center().y()
        rows = [(bar.top(), high), (centre - line / 2, middle), (bar.bottom() - line, low)]
        painter.setFont(look.number_font(SMALL))
        painter.setPen(look.colour("secondary"))
        if self._mark is not None:
            share, text = self._mark
            y = bar.bottom() - share * bar.height()
            if (
                bar.top() + 1.5 * line < y < bar.bottom() - (1.5 + text.count("\n")) * line
            ):  # else over one of the ends
                painter.drawLine(QLineF(bar.left(), y, bar.right() + 3, y))
                if -(1 + text.count("\n")) * line < y - centre < line:
                    del rows[1]  # it has the room of the middle
                rows += [(y + (number - 0.5) * line, part) for number, part in enumerate(text.split("\n"))]
        for top, text in rows:
            box = QRectF(bar.right() + 5, top, 200, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def outline(painter: QPainter, look: Look, box: QRectF) -> None:
    """Outline a box from outside, each pixel painted once: a thin pen blends the corners twice."""
    path = QPainterPath()
    path.addRect(box.adjusted(-1, -1, 1, 1))
    path.addRect(box)
    painter.fillPath(path, look.colour("rule"))


def draw_bar(
    painter: QPainter, look: Look, box: QRectF, ends: tuple[str, str], colours: NDArray[np.uint32]
) -> None:
    """Draw the 256 colours between what they start and end with, at the left of `box`."""
    corner, width, (start, end) = box.topLeft(), box.width(), ends
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(look.font(12))
    metrics = QFontMetricsF(painter.font())
    zero = metrics.horizontalAdvance(start) + 6
    room = width - zero - metrics.horizontalAdvance(end) - 6
    bar = QRectF(corner.x() + zero, corner.y() + 2, max(30.0, min(room, look.pixels(150))), look.pixels(10))
    pixels = np.ascontiguousarray(colours[None])
    painter.drawImage(bar, QImage(pixels.data, 256, 1, 256 * 4, QImage.Format.Format_RGB32))
    Pencil(painter, look).box(bar, "rule")
    painter.setPen(look.colour("secondary"))
    line = QRectF(0, bar.top() - 4, 1, bar.height() + 8)
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
    painter.drawText(line.translated(corner.x(), 0), flags, start)
    painter.drawText(line.translated(bar.right() + 6, 0), flags, end)


def signed_ends(end: str) -> tuple[str, str]:
    return f"{MINUS}{end}", f"+{end}"
