"""`WordArcs`: words in lines, and arcs from one of them to those that it looks at; it needs no plot."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from bertviz_app.values import dataclass
from bertviz_app.views.kit.look import Look

LARGEST = 38.0
"""The size of the words where there is room for it."""
# Words that would be smaller in one line stand in several, in the largest of `_SIZES` that fits.
_SMALLEST_IN_ONE = 18.0
_SIZES = (22.0, 20.0, 18.0, 16.0, 14.0)
_SPECIAL = 0.5  # the size of [CLS] and [SEP] beside that of the words; no text is smaller than `_LEAST`
_LEAST = 11.0
_GAP, _JOINT = 0.42, 0.1  # between two words, and between two pieces of one, of the size of the words
_HIGH = 1.3
# The height below a line of words that their shares need, and the size of these, at most.
_BELOW_MOST, _SHARE_MOST = 50.0, 15.0
# The room above each line for arcs: at least so often the size, at most this share of the width.
_LEAST_BAND, _WIDEST_BAND = 1.7, 0.32
# The room above each line at most, of the width of the widest one: narrow arcs would be high.
_HIGHEST_BAND = 0.5
_FULL_BAND = 4.5  # how often the size the arcs of a single line are high where the height is free
# The shares of full width from which a word has an arc, and has its number below it.
_LEAST_DRAWN, _LEAST_NAMED = 0.004, 0.03
_THICK = 0.68  # the width of the arc of a whole, of the size of the words
_APART = 0.9  # how far apart the arcs of several heads end, all together, of the size of the words
_POINTS = 40
_REACH = 12.0


@dataclass(frozen=True, eq=False)
class Arcs:
    """The arcs of one head: a number of each word, nan where there is none.

    `full`: the number whose arc has full width. `below`: the colour of arcs of negative numbers.
    `texts`: what stands below each word, "" for nothing.
    """

    numbers: Sequence[float]
    colour: QColor
    below: QColor | None = None
    full: float = 1.0
    texts: Sequence[str] = ()


def written(word: str) -> str:
    """Return a word as it is written: a later piece of a word without the marks before it."""
    return word.removeprefix("##") or word


def beside_in_lines(boxes: Sequence[QRectF], at: int, rows: int, columns: int) -> int:
    """Return the box before or behind another one, or the nearest one of the line above or below."""
    if columns:
        return min(max(at + columns, 0), len(boxes) - 1)
    tops, middle = sorted({box.top() for box in boxes}), boxes[at].center().x()
    top = tops[min(max(tops.index(boxes[at].top()) + rows, 0), len(tops) - 1)]
    line = [other for other, box in enumerate(boxes) if box.top() == top]
    return min(line, key=lambda other: abs(boxes[other].center().x() - middle))


class WordArcs:
    """Lays out words in as many lines as they need, and draws them with the arcs from one of them.

    `sources`: the words from which arcs start, where these are those of another text; they stand above the
    words, and arcs lead down from them. `special`: the special tokens, such as [CLS], which are smaller.
    """

    def __init__(self, look: Look) -> None:
        self.look = look
        self.words: tuple[str, ...] = ()
        self.sources: tuple[str, ...] | None = None
        self.special: frozenset[str] = frozenset()
        self.size = LARGEST
        self.is_at_bottom = False
        """Whether what the words leave of the height is above them: the last line stays where it is."""
        self.boxes: tuple[QRectF, ...] = ()
        self.source_boxes: tuple[QRectF, ...] = ()
        self.height = self.full_height = 0.0
        """The height that all lines need, and the one at which the arcs of a single line are high."""
        self._band = 0.0
        self.n_lines = 1

    def show_words(
        self,
        words: Sequence[str],
        sources: Sequence[str] | None = None,
        special: frozenset[str] = frozenset(),
    ) -> None:
        self.words, self.special = tuple(words), special
        self.sources = None if sources is None else tuple(sources)

    # places

    def fit(self, width: float, height: float) -> None:
        """Lay out the words for this room: in one line where they stay large enough, else in several."""
        if not self.words:
            self.boxes = self.source_boxes = ()
            return
        texts = self.sources or (), self.words
        natural = [self._widths(words, LARGEST) for words in texts]  # of other sizes about in proportion
        wide = max(
            self._wrapped(words, widths, LARGEST, 0)[1] for words, widths in zip(texts, natural, strict=True)
        )
        size = min(LARGEST, LARGEST * width / (wide + 2 * LARGEST)) if wide else LARGEST
        if size < _SMALLEST_IN_ONE:
            size = next((size for size in _SIZES if self._needed(natural, size, width) <= height), _SIZES[-1])
        measured = [self._widths(words, size) for words in texts]
        self.size, self.height = size, self._needed(measured, size, width, of=size)
        self.full_height = max(self.height, self._line(size) + self.look.pixels(_FULL_BAND * size))
        blocks = [
            self._wrapped(words, widths, size, width) for words, widths in zip(texts, measured, strict=True)
        ]
        self.n_lines = blocks[1][2]
        n_bands = self.n_lines if self.sources is None else 1
        left_over = height - sum(n_lines for *_, n_lines in blocks) * self._line(size)
        least = self.look.pixels(_LEAST_BAND * size)
        most = min(_WIDEST_BAND * width, _HIGHEST_BAND * max(extent for _, extent, _ in blocks))
        self._band = max(least, min(left_over / n_bands, max(120.0, most)))
        top = max(0.0, (left_over - n_bands * self._band) / (1 if self.is_at_bottom else 2))
        if self.sources is None:
            self.source_boxes = self.boxes = self._placed(blocks[1][0], top + self._band, self._band, width)
        else:
            self.source_boxes = self._placed(blocks[0][0], top, 0, width)
            bottom = top + blocks[0][2] * self._line(size)
            self.boxes = self._placed(blocks[1][0], bottom + self._band, 0, width)

    def _line(self, size: float) -> float:
        """Return the height of a line of words with the numbers below it."""
        return self.look.pixels(_HIGH * size) + self._below(size)

    def _below(self, size: float) -> float:
        return self.look.pixels(min(_BELOW_MOST, 0.9 * size + 14))

    def _needed(
        self, widths: Sequence[Sequence[float]], size: float, width: float, of: float = LARGEST
    ) -> float:
        """Return the height that the words need in this size; `widths` are those in the size `of`."""
        band = self.look.pixels(_LEAST_BAND * size)
        of_sources, of_words = ([wide * size / of for wide in each] for each in widths)
        _, _, n_lines = self._wrapped(self.words, of_words, size, width)
        if self.sources is None:
            return n_lines * (self._line(size) + band)
        return (n_lines + self._wrapped(self.sources, of_sources, size, width)[2]) * self._line(size) + band

    def _widths(self, words: Sequence[str], size: float) -> list[float]:
        metrics = QFontMetricsF(self.look.font(size, bold=True))
        small = QFontMetricsF(self.look.font(self._special_size(size), bold=True))
        return [
            (small if word in self.special else metrics).horizontalAdvance(written(word)) for word in words
        ]

    def _wrapped(
        self, words: Sequence[str], widths: Sequence[float], size: float, width: float
    ) -> tuple[list[tuple[int, float, float]], float, int]:
        """Return (line, left, width) of each word, the width of the widest line, and the number of lines.

        A line is at most `width` wide; 0: all words are in one.
        """
        gap, joint, margin = (self.look.pixels(size * part) for part in (_GAP, _JOINT, 0.4))
        found: list[tuple[int, float, float]] = []
        line, left, widest = 0, 0.0, 0.0
        for word, wide in zip(words, widths, strict=True):
            before = left + (joint if word.startswith("##") else gap) if left else 0.0
            if width and left and before + wide + 2 * margin > width:
                line, before = line + 1, 0.0
            found.append((line, before, wide))
            left = before + wide
            widest = max(widest, left)
        return found, widest, line + 1 if found else 0

    def _placed(
        self, words: list[tuple[int, float, float]], top: float, band: float, width: float
    ) -> tuple[QRectF, ...]:
        """Return the boxes of wrapped words, whose first line begins at `top`; one line alone is centred."""
        high, pitch = self.look.pixels(_HIGH * self.size), self._line(self.size) + band
        ends = {line: left + wide for line, left, wide in words}
        is_wrapped = len(ends) > 1
        shifts = {
            line: self.look.pixels(self.size * 0.4) if is_wrapped else (width - end) / 2
            for line, end in ends.items()
        }
        return tuple(
            QRectF(shifts[line] + left, top + line * pitch, wide, high) for line, left, wide in words
        )

    def _special_size(self, size: float) -> float:
        return max(_LEAST, size * _SPECIAL)

    def word_at(self, at: QPointF) -> int | None:
        """Return the word from which arcs start that a point is on or near; None where there is none."""
        above, below = self.look.pixels(min(24.0, self.size * 0.7)), self._below(self.size)
        away = {
            word: max(box.left() - at.x(), at.x() - box.right(), 0.0)
            for word, box in enumerate(self.source_boxes)
            if box.top() - above <= at.y() <= box.bottom() + below
        }
        nearest = min(away, key=away.__getitem__, default=None)
        return nearest if nearest is not None and away[nearest] <= self.look.pixels(_REACH) else None

    def beside(self, word: int, rows: int, columns: int) -> int:
        """Return the word before or behind another one, or the nearest one of the line above or below."""
        return beside_in_lines(self.source_boxes, word, rows, columns)

    # drawing

    def draw(
        self,
        painter: QPainter,
        arcs: Sequence[Arcs],
        word: int | None,
        *,
        start: QPointF | None = None,
        done: float = 1.0,
        numbers: Arcs | None = None,
    ) -> None:
        """Draw the words, and arcs from `word`; None: it is not chosen.

        `start`: from where, while the arcs are on their way from another word. `done`: how much of each is
        drawn, from 0 to 1. `numbers`: the arcs whose numbers stand below the words, the first if None.
        """
        numbers = numbers or next(iter(arcs), None)
        texts: Sequence[str] = ()
        named: dict[int, float] = {}
        if numbers is not None:
            texts = numbers.texts
            shares = {at: abs(self._share(numbers, at)) for at, text in enumerate(texts) if text}
            named = {at: share for at, share in shares.items() if share >= _LEAST_NAMED}
        if word is not None and word < len(self.source_boxes):
            self._draw_arcs(painter, arcs, self.anchor(word) if start is None else start, word, done, named)
        if self.sources is not None:
            self._draw_words(painter, self.sources, self.source_boxes, word)
        self._draw_words(painter, self.words, self.boxes, word if self.sources is None else None)
        points, high = max(_LEAST, min(_SHARE_MOST, 0.7 * self.size)), self.look.pixels(1.35 * self.size)
        for at, share in named.items():
            box = self.boxes[at]
            painter.setFont(self.look.font(points, bold=share >= 0.2))
            painter.setPen(self.look.colour("text" if share >= 0.2 else "secondary"))
            room = QRectF(box.center().x() - 60, box.top() + high, 120, self._line(self.size) - high)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, texts[at])

    def anchor(self, word: int) -> QPointF:
        """Return where the arcs of a word start: above it, or below a word of another text."""
        box = self.source_boxes[word]
        if self.sources is None:
            return QPointF(box.center().x(), box.top() - self.look.pixels(0.2 * self.size))
        return QPointF(box.center().x(), box.bottom() + self.look.pixels(0.2 * self.size))

    def _draw_words(
        self, painter: QPainter, words: Sequence[str], boxes: Sequence[QRectF], chosen: int | None
    ) -> None:
        """Draw the words, those of one kind after the other: to choose a font takes longer than a word."""
        look, special = self.look, self.special
        up, below = look.pixels(self.size), look.pixels(self.size * 0.3)  # the tail of a "g" ends above it
        for is_small, points in ((False, self.size), (True, self._special_size(self.size))):
            painter.setFont(look.font(points, bold=True))
            for is_chosen in (False, True):
                colour = look.colour("accent" if is_chosen else "special" if is_small else "text")
                line = look.colour("accent" if is_chosen else "rule")
                painter.setPen(colour)
                for at, box in enumerate(boxes):
                    if (words[at] in special) is is_small and (at == chosen) is is_chosen:
                        painter.drawText(QPointF(box.left(), box.top() + up), written(words[at]))
                        painter.fillRect(
                            QRectF(box.left(), box.top() + up + below, box.width(), look.pixels(2)), line
                        )

    @staticmethod
    def _share(arcs: Arcs, word: int) -> float:
        number = float(arcs.numbers[word])
        return 0.0 if math.isnan(number) else number / (arcs.full or 1.0)

    def _draw_arcs(
        self,
        painter: QPainter,
        arcs: Sequence[Arcs],
        start: QPointF,
        word: int,
        done: float,
        named: Container[int],
    ) -> None:
        """Draw the arcs from a word; those to and from another line keep off the numbers of `named` words."""
        boxes, source, numbered = self.boxes, self.source_boxes[word], self._line(self.size)
        whole = [
            QRectF(box.left(), box.top(), box.width(), numbered) if at in named else box
            for at, box in enumerate(boxes)
        ]
        begin = whole[word] if self.sources is None else source
        reached = [box.center().x() for box in boxes if box.top() == source.top()]
        farthest = max((abs(x - start.x()) for x in reached), default=0.0) or 1.0
        apart = self.look.pixels(_APART * self.size / max(1, len(arcs)))
        found = [
            (share, number, at)
            for number, each in enumerate(arcs)
            for at in range(len(boxes))
            if abs(share := self._share(each, at)) >= _LEAST_DRAWN
        ]
        for share, number, at in sorted(found, key=lambda arc: abs(arc[0])):
            shift = apart * (number - (len(arcs) - 1) / 2)  # arcs of several heads end beside each other
            end = boxes[at].center().x() + shift
            if boxes[at].top() == source.top():
                path = self._arch(start + QPointF(shift, 0), end, farthest, min(1.0, abs(share)))
            else:
                path = self._curve(start.x() + shift, begin, whole[at], end)
            below = arcs[number].below
            colour = QColor(below if share < 0 and below is not None else arcs[number].colour)
            wide, tone = min(1.0, abs(share)), QColor(colour)
            tone.setAlphaF(0.22 + 0.68 * min(1.0, 1.6 * wide))
            pen = QPen(tone, self.look.pixels(1.5 + _THICK * self.size * wide))
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if done < 1:
                points = [path.pointAtPercent(done * part / _POINTS) for part in range(_POINTS + 1)]
                painter.drawPolyline(QPolygonF(points))
            else:
                painter.drawPath(path)
            if self.n_lines > 1:  # an arc from another line may be overlooked
                colour.setAlphaF(0.1 + 0.4 * wide)
                painter.fillRect(boxes[at].adjusted(-3, 0, 3, 0), colour)

    def _arch(self, start: QPointF, end_x: float, farthest: float, share: float) -> QPainterPath:
        """Return the arch to a word of the same line, or the loop to the word itself."""
        look, room = self.look, self._band - self.look.pixels(14)
        path = QPainterPath(start)
        if abs(start.x() - end_x) < 1:
            # A cubic reaches a third of the width of its control points: wide enough that its stroke, which
            # grows with the share, does not fill it.
            wide = look.pixels((2.2 + 2.4 * share) * self.size)
            high = min(1.3 * room, look.pixels((2.4 + 1.6 * share) * self.size))
            top = start.y() - high
            path.cubicTo(start.x() - wide, top, start.x() + wide, top, start.x(), start.y())
            return path
        # A cubic reaches three quarters of the height of its control points.
        least, most = min(look.pixels(40), room), room * 1.25
        top = start.y() - least - (most - least) * abs(end_x - start.x()) / farthest
        path.cubicTo(start.x(), top, end_x, top, end_x, start.y())
        return path

    def _curve(self, start_x: float, source: QRectF, box: QRectF, end_x: float) -> QPainterPath:
        """Return the curve to a word of another line, or of another text."""
        away, is_down = self.look.pixels(0.2 * self.size), box.top() > source.top()
        first = source.bottom() + away if is_down else source.top() - away
        last = box.top() - away if is_down else box.bottom() + away
        path, reach = QPainterPath(QPointF(start_x, first)), (last - first) / 2
        path.cubicTo(start_x, first + reach, end_x, last - reach, end_x, last)
        return path
