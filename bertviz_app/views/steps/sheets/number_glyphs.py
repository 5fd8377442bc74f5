"""`NumberGlyphs`: writes many numbers at once, without laying out the text of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QGlyphRun, QPainter, QTextLayout

from bertviz_app.views.kit.cached_picture import draws_pixels
from bertviz_app.views.kit.numbers import MINUS

_CHARACTERS = f"0123456789.{MINUS}∞–"
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


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
