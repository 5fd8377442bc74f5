"""Vectors as strips: a colour for each number, and the numbers themselves beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGlyphRun, QImage, QPainter, QTextLayout

from bertviz_app.types import Floats
from bertviz_app.views.kit.cached_picture import CachedTexts, FrameTexts, draws_pixels
from bertviz_app.views.kit.colour_maps import ink_on
from bertviz_app.views.kit.look import Look, colour_table
from bertviz_app.views.kit.numbers import MINUS, cell_number
from bertviz_app.views.steps.sheets.sheet_pen import SheetPen

_NUMBER = 54.0
_WIDEST_STRIP = 460.0
_NARROWEST_STRIP, _GAP = 44.0, 10.0
_WRITTEN = 11.5
"""The size of the numbers beside a strip."""
_CHARACTERS = f"0123456789.{MINUS}∞–"
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Lane:
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


def width_of_lane(look: Look, n_numbers: int) -> int:
    """Return the least width with which a lane has a strip and `n_numbers` numbers beside it."""
    return look.pixels(_NARROWEST_STRIP) + look.pixels(_GAP) + n_numbers * look.pixels(_NUMBER)


def lane(look: Look, left: float, width: float, n: int, first: int, *, has_window: bool) -> Lane:
    """Return the lane of vectors of `n` numbers in this room; the window begins near `first`."""
    pitch = look.pixels(_NUMBER)
    gap = look.pixels(_GAP)
    strip = width
    if has_window and width >= width_of_lane(look, 1):
        strip = min(max(look.pixels(_NARROWEST_STRIP), width * 0.38), look.pixels(_WIDEST_STRIP))
        if n * pitch <= width - strip - gap:
            strip = width - gap - n * pitch
    shown = min(n, int((width - strip - gap) / pitch)) if strip < width else 0
    first = max(0, min(first, n - shown))
    window = QRectF(left + strip + gap, 0, shown * pitch, 0)
    return Lane(QRectF(left, 0, math.floor(strip), 0), window, n, first, shown, pitch)


def dimension_word() -> str:
    """Return what stands before the numbers of dimensions."""
    return QCoreApplication.translate("Steps", "dim")


@dataclass(frozen=True)
class VectorStyle:
    """How a vector is drawn: where its colours are full, the colour of its numbers, and its frame.

    The strip is `inset` pixels lower than its row at either side.
    """

    bound: float
    colour: str = "text"
    inset: float = 3.0
    is_highlighted: bool = False


class NumberGlyphs:
    """Numbers in one font, each at the right end of its box, with the same pixels as `drawText` gives.

    To lay out a text takes longer than to draw it, and a picture of Steps has some two hundred numbers: their
    glyphs are looked up, and drawn in one call.
    """

    def __init__(self, font: QFont) -> None:
        self._font = font
        layout = QTextLayout(_CHARACTERS, font)
        layout.beginLayout()
        line = layout.createLine()
        layout.endLayout()
        self._baseline = line.ascent()
        self._height = line.ascent() + line.descent()  # as in `drawText`: `line.height()` is rounded
        self._run = QGlyphRun()
        self._glyphs: dict[str, tuple[int, float]] = {}  # of a character its glyph and its width
        runs = layout.glyphRuns()
        if len(runs) == 1 and len(runs[0].glyphIndexes()) == len(_CHARACTERS):  # one font has them all
            self._run.setRawFont(runs[0].rawFont())
            positions = runs[0].positions()
            ends = [*(position.x() for position in positions[1:]), line.horizontalAdvance()]
            for character, glyph, position, end in zip(
                _CHARACTERS, runs[0].glyphIndexes(), positions, ends, strict=True
            ):
                self._glyphs[character] = glyph, end - position.x()

    def draw(self, painter: QPainter, numbers: Iterable[tuple[QRectF, str]]) -> None:
        """Write each number into its box, in the colour of the painter's pen."""
        if not draws_pixels(painter):
            self._draw_as_texts(painter, list(numbers))
            return
        known, indexes, positions, others = self._glyphs, [], [], []
        for box, text in numbers:
            try:
                glyphs = [known[character] for character in text]
            except KeyError:
                others.append((box, text))
                continue
            x = box.right() - sum(width for _, width in glyphs)
            y = box.top() + (box.height() - self._height) / 2 + self._baseline
            for glyph, width in glyphs:
                indexes.append(glyph)
                positions.append(QPointF(x, y))
                x += width
        if indexes:
            self._run.setGlyphIndexes(indexes)
            self._run.setPositions(positions)
            painter.drawGlyphRun(QPointF(0, 0), self._run)
        self._draw_as_texts(painter, others)

    def _draw_as_texts(self, painter: QPainter, numbers: Sequence[tuple[QRectF, str]]) -> None:
        if numbers:
            painter.setFont(self._font)
            for box, text in numbers:
                painter.drawText(box, _RIGHT, text)


class Ink:
    """Draws strips and numbers in the colours of a look; made anew when these change."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.differences = colour_table(look.palette.differences)
        self._numbers: dict[float, NumberGlyphs] = {}
        self._pictures = CachedTexts(look)
        self._frame: FrameTexts | None = None

    @contextmanager
    def one_frame(self, painter: QPainter) -> Iterator[None]:
        """Write texts from pictures while one frame is drawn with `painter`."""
        self._frame = self._pictures.frame(painter)
        try:
            yield
        finally:
            self._frame = None

    def colour(self, value: float, bound: float) -> QColor:
        """Return the colour of one number on a scale from -bound to bound."""
        return QColor.fromRgb(int(self.differences[_colour_positions(np.array([value]), bound)[0]]))

    def numbers(self, pixels: float) -> NumberGlyphs:
        """Return what writes numbers in a size for the normal text size."""
        if pixels not in self._numbers:
            self._numbers[pixels] = NumberGlyphs(self.look.number_font(pixels))
        return self._numbers[pixels]

    def draw_strip(self, painter: QPainter, box: QRectF, values: Floats, bound: float) -> None:
        """Draw a colour for each of `values` [C]; where there are more than pixels, the largest of each."""
        self._draw_strips(painter, [box], values[None], bound)

    def _draw_strips(self, painter: QPainter, boxes: list[QRectF], values: Floats, bound: float) -> None:
        """Draw `values` [rows, C] as strips that are equally wide, one in each box."""
        n_pixels = max(1, round(boxes[0].width() * painter.device().devicePixelRatioF()))
        drawn = values if values.shape[1] <= n_pixels else _largest(values, n_pixels)
        pixels = np.ascontiguousarray(self.differences[_colour_positions(drawn, bound)])
        n_rows, n_columns = pixels.shape
        image = QImage(pixels.data, n_columns, n_rows, 4 * n_columns, QImage.Format.Format_RGB32)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for row, box in enumerate(boxes):
            # A copy of the row: the generator of SVG ignores which part of an image is to be drawn.
            painter.drawImage(box, image.copy(0, row, n_columns, 1))
        painter.restore()

    def draw_vectors(
        self, painter: QPainter, lane: Lane, values: Floats, rows: Sequence[QRectF], style: VectorStyle
    ) -> None:
        """Draw `values` [rows, C] as strips with their frames, and write those in the window of `lane`."""
        if not rows:
            return
        ratio = painter.device().devicePixelRatioF()
        left, inset = _on_pixel(lane.strip.left(), ratio), style.inset
        shift = left - lane.strip.left()
        tops = [_on_pixel(row.top(), ratio) for row in rows]
        strips = [
            QRectF(left, top + inset, lane.strip.width(), row.height() - 2 * inset)
            for row, top in zip(rows, tops, strict=True)
        ]
        self._draw_strips(painter, strips, values, style.bound)
        self._draw_frames(painter, strips, is_highlighted=style.is_highlighted)
        painter.setPen(self.look.colour(style.colour))
        first, width = lane.window.left() + shift, lane.pitch - 6
        shown = values[:, lane.first : lane.first + lane.shown].tolist()
        self.numbers(_WRITTEN).draw(
            painter,
            (
                (QRectF(first + index * lane.pitch, top, width, row.height()), cell_number(value))
                for row, top, numbers in zip(rows, tops, shown, strict=True)
                for index, value in enumerate(numbers)
            ),
        )

    def draw_vector(
        self, painter: QPainter, lane: Lane, values: Floats, row: QRectF, style: VectorStyle
    ) -> None:
        """Draw `values` [C] as a strip with its frame, and write those in the window of `lane`."""
        self.draw_vectors(painter, lane, values[None], [row], style)

    def write(self, painter: QPainter, text: str, box: QRectF, colour: str, *, bold: bool) -> None:
        """Write a text that comes again in many frames, shortened if it must be."""
        room = QRectF(0, 0, box.width(), box.height())

        def draw(painter: QPainter) -> None:
            SheetPen(self.look).write(painter, text, room, colour, bold=bold)

        made_from = text, room.width(), room.height(), colour, bold
        self._frame_of(painter).draw(room, [(box.topLeft(), made_from, draw)])

    def _frame_of(self, painter: QPainter) -> FrameTexts:
        return self._pictures.frame(painter) if self._frame is None else self._frame

    def draw_number(self, painter: QPainter, box: QRectF, value: float, bound: float) -> None:
        """Write a number on its colour."""
        colour = self.colour(value, bound)
        painter.fillRect(box, colour)
        painter.setFont(self.look.number_font(11.5))
        painter.setPen(ink_on(colour.rgb()))
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box.adjusted(0, 0, -5, 0), align, cell_number(value))

    def draw_frame(self, painter: QPainter, box: QRectF, *, is_highlighted: bool = False) -> None:
        """Draw the outline of a strip: numbers near zero have the colour of the card."""
        self._draw_frames(painter, [box], is_highlighted=is_highlighted)

    def _draw_frames(self, painter: QPainter, boxes: list[QRectF], *, is_highlighted: bool) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self.look.colour("accent" if is_highlighted else "rule"))
        painter.drawRects([box.adjusted(-1, -1, 0, 0) for box in boxes])
        painter.restore()

    def draw_dimensions(self, painter: QPainter, lane: Lane, top: float, height: float) -> None:
        """Write above the window of `lane` which dimensions its numbers are of."""
        if not lane.shown:
            return
        painter.setFont(self.look.number_font(10.5))
        painter.setPen(self.look.colour("secondary"))
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        name = QRectF(lane.strip.left(), top, lane.strip.width(), height)
        painter.drawText(name, align, dimension_word())
        for index in range(lane.shown):
            box = QRectF(lane.window.left() + index * lane.pitch, top, lane.pitch - 6, height)
            painter.drawText(box, align, str(lane.first + index))

    def draw_window(self, painter: QPainter, lane: Lane, top: float, height: float, values: Floats) -> None:
        """Write the numbers of `values` [C] that are in the window of `lane`."""
        width, shown = lane.pitch - 6, values[lane.first : lane.first + lane.shown].tolist()
        self.numbers(_WRITTEN).draw(
            painter,
            (
                (QRectF(lane.window.left() + index * lane.pitch, top, width, height), cell_number(value))
                for index, value in enumerate(shown)
            ),
        )


def _on_pixel(position: float, ratio: float) -> float:
    """Return the nearest whole pixel of a screen with `ratio` pixels of its own to one of Qt's."""
    return math.floor(ratio * position + 0.5) / ratio


def _colour_positions(values: NDArray[np.floating], bound: float) -> NDArray[np.intp]:
    """Return the positions of numbers in a table of 256 colours, zero in its middle."""
    positions: NDArray[np.intp] = np.rint((np.clip(values / bound, -1, 1) + 1) * 127.5).astype(np.intp)
    return positions


def _largest(values: Floats, count: int) -> Floats:
    """Return [rows, count]: of each part of `values` [rows, C] the number that is largest by size."""
    starts = (np.arange(count) * values.shape[1]) // count
    highest = np.maximum.reduceat(values, starts, axis=1)
    lowest = np.minimum.reduceat(values, starts, axis=1)
    return np.where(-lowest > highest, lowest, highest)
