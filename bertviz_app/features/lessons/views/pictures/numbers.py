"""Numbers of vectors: rows of tables, their sum, a word that stands twice, a norm, dropout."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QFontMetricsF, QImage
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QWidget

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.computed import (
    FIRST_ROW,
    Dots,
    Dropped,
    NumberLine,
    PickedRow,
    changed_row,
    norm_of,
    normed,
    same_word_of,
)
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    EMBEDDING_COLOURS,
    DrawnPlot,
    LessonPicture,
    colours_label,
    title_label,
)
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.words import fixed, signed, trimmed
from bertviz_app.views.plots.picture import follow_selection

_TOKEN, _ROW = 22.0, 15.0
_LONGEST_ROW, _BETWEEN = 52.0, 110.0


class PickedRowPlot(DrawnPlot[int]):
    """The tokens with their numbers at the left, rows of tables at the right, and lines to those picked.

    Its parts are the tokens: one that is pointed at or chosen, or that the arrows come to, picks its rows.
    """

    shows_words = True
    hint = 640, 480
    tokens: Tokens
    lookups: tuple[PickedRow, ...] = ()

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look)
        self._selection = selection
        follow_selection(self, selection, Pair)

    def show_lookups(self, tokens: Tokens, lookups: tuple[PickedRow, ...]) -> None:
        """Show which rows are picked: of the table of tokens, or of all three."""
        self.tokens, self.lookups = tokens, lookups
        self.setAccessibleDescription(". ".join(self.lines_of(lookups[0].positions[0])))
        limits = (usual_size(lookup.numbers) for lookup in lookups)
        rows = [
            row[None] / limit for lookup, limit in zip(lookups, limits, strict=True) for row in lookup.numbers
        ]
        self.show_numbers(*rows, limit=1.0)

    @property
    def count(self) -> int:
        return len(self.tokens) if self.lookups else 0

    @property
    def current(self) -> int | None:
        return self._selection.pinned.query

    def rect_of(self, part: int) -> QRectF:
        height = min(self.look.pixels(56), self.room.height() / self.count)
        top = (self.room.height() - self.count * height) / 2
        return QRectF(0, top + part * height, self._tokens_width(), height).adjusted(1, 3, 0, -3)

    def _number_width(self) -> float:
        return QFontMetricsF(self.look.number_font(_ROW, bold=True)).horizontalAdvance("00000")

    def _tokens_width(self) -> float:
        pieces = QFontMetricsF(self.look.font(_TOKEN, bold=True))
        numbers = self._number_width() * (1 if len(self.lookups) == 1 else 1.9)
        return max(map(pieces.horizontalAdvance, self.tokens.labels)) + numbers + 40

    def numbers_of(self, token: int) -> list[int]:
        """Return the numbers by which a token picks the rows that are shown."""
        tokens = self.tokens
        of_token = tokens.ids[token], tokens.segment_ids[token], tokens.position_ids[token]
        return [int(number) for number, _ in zip(of_token, self.lookups, strict=False)]

    def lines_of(self, part: int) -> list[str]:
        words, label = self.tr("“{0}” picks row {1} of {2}"), self.tokens.labels[part]
        numbers = zip(self.numbers_of(part), self.lookups, strict=True)
        return [words.format(label, row, f"{lookup.n_rows:,}") for row, lookup in numbers]

    def draw_with(self, pencil: Pencil) -> None:
        if not self.lookups:
            return
        for token in range(self.count):
            self._draw_token(pencil, token)
        height, first = self.room.height() / len(self.lookups), 0
        for at, lookup in enumerate(self.lookups):
            last = first + len(lookup.numbers)
            self._draw_table(pencil, at, self.images[first:last], QRectF(0, at * height, 0, height))
            first = last

    def _draw_table(self, pencil: Pencil, at: int, images: tuple[QImage, ...], room: QRectF) -> None:
        """Draw rows of a table within the height of `room`, and lines from the tokens to the picked one."""
        lookup, look, colour = self.lookups[at], self.look, EMBEDDING_COLOURS[at]
        height = min(look.pixels(_LONGEST_ROW), (room.height() - look.pixels(90)) / len(images))
        names = QFontMetricsF(look.number_font(_ROW)).horizontalAdvance("00000 " + "m" * 10)
        start = self._tokens_width() + look.pixels(_BETWEEN)  # of the names of the rows
        left, top = start + names, room.center().y() - len(images) * height / 2
        width = self.room.width() - left - 4
        for number, image in enumerate(images, lookup.first):
            row = QRectF(left, top + (number - lookup.first) * height, width, height).adjusted(0, 3, 0, -3)
            is_picked = number == lookup.row
            pencil.image(image, row, opacity=1.0 if is_picked else 0.45)
            name = QRectF(start, row.top(), row.left() - start - 10, row.height())
            font, ink = (
                look.number_font(_ROW, bold=is_picked),
                look.colour("text", 1 if is_picked else 0.45),
            )
            piece = lookup.pieces[number - lookup.first]
            pencil.write(f"{number} {piece}" if piece else str(number), name, font, ink, LEFT)
            if is_picked:
                pencil.box(row, colour, 3)
                for token in lookup.positions:
                    box, apart = self.rect_of(token), (at - (len(self.lookups) - 1) / 2) * look.pixels(9)
                    begin = QPointF(box.right(), box.center().y() + apart)
                    pencil.way(begin, QPointF(start - 8, row.center().y()), colour)
        beyond = lookup.n_rows - lookup.first - len(images)
        for n_rows, edge in ((lookup.first, top - look.pixels(37)), (beyond, top + len(images) * height - 3)):
            if n_rows > 0:
                words = self.tr("{0} more rows").format(f"{n_rows:,}")
                pencil.write(
                    f"⋮   {words}   ⋮",
                    QRectF(left, edge, width, look.pixels(40)),
                    look.font(_ROW),
                    "secondary",
                )
        if len(self.lookups) > 1:
            titles = self.tr("token table"), self.tr("segment table"), self.tr("position table")
            above = QRectF(start, top - look.pixels(37), names, look.pixels(40))
            pencil.write(titles[at], above, look.font(_ROW, bold=True), colour, LEFT)

    def _draw_token(self, pencil: Pencil, token: int) -> None:
        """Draw a token with its numbers, which stand out where they pick the rows that are shown."""
        look, box, tokens = self.look, self.rect_of(token), self.tokens
        inner = box.adjusted(12, 0, -12, 0)
        is_picked = token in self.lookups[0].positions
        if is_picked:
            pencil.box(box, "accent", 2, fill=look.colour("accent", 0.12), rounding=8)
        else:
            pencil.box(box, "rule", fill="raised", rounding=8)
        ink = "secondary" if tokens.is_special[token] else "text"
        pencil.write(tokens.labels[token], inner, look.font(_TOKEN, bold=True), ink, LEFT)
        font = look.number_font(_ROW, bold=is_picked)
        for at, number in reversed(list(enumerate(self.numbers_of(token)))):
            pencil.write(str(number), inner, font, EMBEDDING_COLOURS[at] if is_picked else "secondary", RIGHT)
            inner.setRight(inner.right() - 0.45 * self._number_width())


class LookupPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = PickedRowPlot(look, pictures.selection)
        self.lay_out(self.plot, self.tr("Tables of embeddings. Arrows choose a token"), colours_label())
        pictures.selection.changed.connect(self.refresh)

    def show_scene(self, scene: Scene) -> None:
        tokens, found = self.pictures.tokens, self.pictures.of_now(self.pictures.lookups)
        if not found or tokens is None:
            return
        self.plot.show_lookups(tokens, found)
        if len(found) > 1:
            words = self.tr(
                "“{0}” picks one row of each table: by its ID {1}, its segment {2}, its position {3}"
            )
            self.title.setText(
                words.format(tokens.labels[found[0].positions[0]], *(each.row for each in found))
            )
            return
        first = found[0]
        words = self.tr("The ID {0} picks row {0} of the table: {1} numbers. The table has {2} rows.")
        self.title.setText(words.format(first.row, first.numbers.shape[1], f"{first.n_rows:,}"))


_HEAD, _NAME, _NOTE, _LEAST = 19.0, 16.0, 13.0, 11.0
_TALLEST, _ABOVE, _GAP = 46.0, 44.0, 10.0
_FALL_MS = 700


@dataclass(frozen=True, eq=False)
class Strips:
    """A row of vectors, one in each column, with a `sign` and a name before them and notes below them.

    `is_result`: it comes of the rows above it.
    """

    name: str
    vectors: Sequence[Floats]
    notes: Sequence[str]
    colour: str = "secondary"
    sign: str = ""
    is_result: bool = False


class StripsPlot(DrawnPlot[int]):
    """Rows of strips below the names of the columns. Its parts are the strips, row by row."""

    shows_words = True

    heads: tuple[str, ...] = ()
    rows: tuple[Strips, ...] = ()

    def show_strips(self, heads: Sequence[str], rows: Sequence[Strips], limits: Sequence[float]) -> None:
        """Show rows of strips; in each column numbers of the size of its limit have full colour."""
        self.heads, self.rows = tuple(heads), tuple(rows)
        self.along = (len(self.heads), 1)
        vectors = [v[None] / limit for row in rows for v, limit in zip(row.vectors, limits, strict=True)]
        self.show_numbers(*vectors, limit=1.0)
        self.setAccessibleDescription(". ".join(" ".join(self.lines_of(at)) for at in range(self.count)))
        self.forget_part()
        self.play(_FALL_MS)

    @property
    def count(self) -> int:
        return len(self.heads) * len(self.rows)

    def lines_of(self, part: int) -> list[str]:
        row, column = divmod(part, len(self.heads))
        shown = self.rows[row]
        numbers = ", ".join(fixed(float(number), 3) for number in shown.vectors[column][:4])
        return [f"{self.heads[column]}: {shown.name}", *filter(None, [shown.notes[column]]), f"{numbers}, …"]

    def rect_of(self, part: int) -> QRectF:
        row, column = divmod(part, len(self.heads))
        names = QFontMetricsF(self.look.font(_NAME, bold=True))
        left = max(names.horizontalAdvance(each.name) for each in self.rows) + self.look.pixels(44)
        above, room = self.look.pixels(_ABOVE), self.room
        pitch = min((room.height() - above) / len(self.rows), self.look.pixels(2.6 * _TALLEST))
        top = (room.height() - above - pitch * len(self.rows)) / 2 + above
        wide, high = (room.width() - left) / len(self.heads), min(0.5 * pitch, self.look.pixels(_TALLEST))
        return QRectF(left + column * wide, top + row * pitch, wide - self.look.pixels(_GAP), high)

    def draw_with(self, pencil: Pencil) -> None:
        look, n_columns = self.look, len(self.heads)
        widest = max(map(QFontMetricsF(look.font(_HEAD, bold=True)).horizontalAdvance, self.heads), default=1)
        fit = min(1.0, self.rect_of(0).width() / widest) if self.count else 1.0
        font = look.font(max(_LEAST, fit * _HEAD), bold=True)
        for column, head in enumerate(self.heads):
            box = self.rect_of(column)
            above = QRectF(box.left(), box.top() - look.pixels(_ABOVE), box.width(), look.pixels(_ABOVE) - 8)
            pencil.write(head, above, font)
        for number, row in enumerate(self.rows):
            first = self.rect_of(number * n_columns)
            name = QRectF(0, first.top(), first.left() - look.pixels(14), first.height())
            pencil.write(row.name, name, look.font(_NAME, bold=True), row.colour, RIGHT)
            pencil.write(row.sign, name, look.font(1.5 * _NAME, bold=True), side=LEFT)
            for column in range(n_columns):
                self._draw_strip(pencil, number, column)

    def _draw_strip(self, pencil: Pencil, number: int, column: int) -> None:
        """Draw a strip; on the way of those above into a result, the result comes as they go."""
        at, row, look = number * len(self.heads) + column, self.rows[number], self.look
        box = self.rect_of(at)
        pencil.image(self.images[at], box, opacity=self.done if row.is_result else 1.0)
        pencil.box(box, row.colour, 3.0 if at == self.part else 2.0)
        note, font = row.notes[column], look.font(_NOTE)
        if QFontMetricsF(font).horizontalAdvance(note) <= box.width():  # else it is read out only
            below = QRectF(box.left(), box.bottom() + 2, box.width(), look.pixels(22))
            pencil.write(note, below, font, "secondary")
        result = next(
            (after for after in range(number, len(self.rows)) if self.rows[after].is_result), number
        )
        if result > number and self.done < 1:
            end = self.rect_of(result * len(self.heads) + column)
            falling = box.translated(QPointF(0, (end.top() - box.top()) * self.done))
            pencil.image(self.images[at], falling, opacity=0.8 * (1 - self.done))


class StripsPicture(LessonPicture):
    """The plot between a sentence on what is seen in it and one on its colours."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = StripsPlot(look)
        self._shown: Trace | None = None
        self.lay_out(self.plot, "", colours_label())

    def show_scene(self, scene: Scene) -> None:
        now = self.pictures.now
        if now is not None and now is not self._shown and self.show_trace(now):
            self._shown = now  # the strips fall into their sum once
            self.plot.setAccessibleName(self.title.text())

    def show_trace(self, trace: Trace) -> bool:
        """Show the vectors of another run; return whether it has them."""
        raise NotImplementedError


class SumPicture(StripsPicture):
    """The three embeddings of every token, and their sum."""

    def show_trace(self, trace: Trace) -> bool:
        tokens, segments, positions = trace.tokens, trace.segment_embeddings, trace.position_embeddings
        if segments is None or positions is None:
            return False
        row = self.tr("row {0}")
        names = self.tr("token"), self.tr("segment"), self.tr("position")
        numbers = tokens.ids, tokens.segment_ids, tokens.position_ids
        parts = zip(names, (trace.token_embeddings, segments, positions), numbers, strict=True)
        rows = [
            Strips(name, list(of), [row.format(each) for each in at], colour, "+" if index else "")
            for index, ((name, of, at), colour) in enumerate(zip(parts, EMBEDDING_COLOURS, strict=True))
        ]
        total = list(trace.embedding_sum)
        rows.append(Strips(self.tr("sum"), total, [""] * len(total), "text", "=", is_result=True))
        self.plot.show_strips(tokens.labels, rows, [usual_size(trace.embedding_sum)] * len(total))
        words = self.tr("Each token: three rows of {0} numbers fall into one vector of {0} numbers")
        self.title.setText(words.format(trace.embedding_sum.shape[1]))
        return True


class SameWordPicture(StripsPicture):
    """A word that stands twice: how its two vectors come to differ."""

    def show_trace(self, trace: Trace) -> bool:
        found = self.pictures.of(trace, same_word_of)
        if found is None:
            return False
        heads = self.tr("token embedding"), self.tr("sum of the three"), self.tr("normalised")
        limits = [usual_size(each) for each in found.stages]
        spread = self.tr("mean {0}, standard deviation {1}")
        place, length = self.tr("position {0}"), self.tr("length {0}")
        rows = []
        for which, position in enumerate(found.positions):
            vectors = [stage[which] for stage in found.stages]
            notes = [spread.format(fixed(float(v.mean()), 2), fixed(float(v.std()), 2)) for v in vectors]
            rows.append(Strips(place.format(position), vectors, notes, "value", "−" if which else ""))
        apart = [one - other for one, other in found.stages]
        notes = [length.format(fixed(float(np.linalg.norm(v)), 2)) for v in apart]
        rows.append(Strips(self.tr("difference"), apart, notes, "text", "=", is_result=True))
        self.plot.show_strips(heads, rows, limits)
        words = self.tr("“{0}” at position {1} and at position {2}")
        self.title.setText(words.format(found.label, *found.positions))
        return True


_MOVES_MS = 700
_TITLE, _NUMBER = 17.0, 14.0
_FEW = 12
"""So many dots of a line have their numbers beside them, and threads to the next line."""
_SPREAD = 16.0
"""How far many dots are from their line at most, so that they do not hide each other."""


class NumberLines(DrawnPlot[int]):
    """The lines from the top, on one scale. Dots with an origin move from there to their places.

    Its parts are the lines.
    """

    along = (1, 0)

    lines: tuple[NumberLine, ...] = ()
    span = 0.0, 1.0
    _key: object = None

    def show_lines(self, lines: Sequence[NumberLine], span: tuple[float, float], key: object) -> None:
        """Show lines between the two numbers of `span`; their dots move in where `key` is another one."""
        self.lines, self.span = tuple(lines), span
        self.setAccessibleDescription(". ".join(line.title for line in lines))
        self.forget_part()
        self.draw_anew()
        if key != self._key:
            self._key = key
            self.play(_MOVES_MS)

    @property
    def count(self) -> int:
        return len(self.lines)

    def rect_of(self, part: int) -> QRectF:
        high = min(self.room.height() / max(len(self.lines), 1), self.look.pixels(220))
        top = (self.room.height() - high * len(self.lines)) / 3
        return QRectF(0, top + part * high, self.room.width(), high)

    def lines_of(self, part: int) -> list[str]:
        line = self.lines[part]
        found = [self._moments(dots.numbers) for dots in line.dots]
        few = [
            ", ".join(trimmed(number, 2) for number in dots.numbers) for dots in line.dots if _is_few(dots)
        ]
        return [line.title, *few, *found]

    def _moments(self, numbers: Doubles) -> str:
        words = self.tr("mean {0}, standard deviation {1}")
        moments = (fixed(float(each), 2) for each in (numbers.mean(), numbers.std()))
        return str(words.format(*moments))

    def at(self, part: int, number: float, place: int = 0, n_dots: int = 1) -> QPointF:
        """Return where the number at a `place` of `n_dots` is on a line, in pixels of the box."""
        row, (low, high), aside = self.rect_of(part), self.span, self.look.pixels(24)
        share = (min(max(number, low), high) - low) / ((high - low) or 1.0)
        # The same golden angle that sunflowers have spreads neighbours evenly.
        off = 0.0 if n_dots <= _FEW else (place * 0.618034 % 1 - 0.5) * 2 * self.look.pixels(_SPREAD)
        return QPointF(aside + share * (row.width() - 2 * aside), row.top() + 0.62 * row.height() + off)

    def draw_with(self, pencil: Pencil) -> None:
        for part, line in enumerate(self.lines):
            for dots in line.dots:
                self._draw_threads(pencil, part, dots)
        for part, line in enumerate(self.lines):
            self._draw_line(pencil, part, line)
        for part, line in enumerate(self.lines):
            for which, dots in enumerate(line.dots):
                self._draw_dots(pencil, part, which, dots)

    def _draw_line(self, pencil: Pencil, part: int, line: NumberLine) -> None:
        look, row = self.look, self.rect_of(part)
        ends = self.at(part, self.span[0]), self.at(part, self.span[1])
        pencil.line(*ends, "secondary", 1.5)
        font = look.font(_TITLE, bold=True)
        title = QRectF(0, row.top(), QFontMetricsF(font).horizontalAdvance(line.title) + 6, look.pixels(26))
        pencil.box(title, fill="card")  # over the threads
        pencil.write(line.title, title, font, side=LEFT)
        far = self.span[1] - self.span[0]
        step = next(step for step in (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 1e3) if far / step <= 16)
        for number in (step * np.arange(np.ceil(self.span[0] / step), self.span[1] // step + 1)).tolist():
            at, low = self.at(part, number), self.look.pixels(_SPREAD)
            pencil.line(at - QPointF(0, 3), at + QPointF(0, 3), "secondary")
            _write_number(pencil, number, QPointF(at.x(), at.y() + low), _NUMBER - 2, "secondary")
        if line.has_moments:
            self._draw_moments(pencil, part, line.dots[0].numbers)

    def _draw_moments(self, pencil: Pencil, part: int, numbers: Doubles) -> None:
        """Draw the mean as an upright line, and the standard deviation to both sides of it as a band."""
        look, mean, spread = self.look, float(numbers.mean()), float(numbers.std())
        high = look.pixels(_SPREAD + 6)
        left, middle, right = (self.at(part, mean + each * spread) for each in (-1, 0, 1))
        band = QRectF(left.x(), left.y() - high, right.x() - left.x(), 2 * high)
        pencil.box(band, fill=look.colour("sentence_b", 0.18))
        pencil.line(middle - QPointF(0, high), middle + QPointF(0, high), "sentence_b", 2.5)
        words = QRectF(right.x() + 10, left.y() - high - look.pixels(22), look.pixels(420), look.pixels(22))
        words.moveRight(min(words.right(), self.room.width()))
        pencil.write(self._moments(numbers), words, look.font(_NUMBER), "sentence_b", LEFT)

    def _draw_dots(self, pencil: Pencil, part: int, which: int, dots: Dots) -> None:
        look, is_few, n_dots = self.look, _is_few(dots), len(dots.numbers)
        size = look.pixels(18 - 5 * which if is_few else 7)
        gap = min(
            (
                abs(self.at(part, number).x() - self.at(part, other).x())
                for number, other in pairwise(dots.numbers.tolist())
            ),
            default=0.0,
        )
        is_close = gap < look.pixels(52)
        starts = None if dots.origin is None else self._numbers_at(dots.origin, dots)
        for place, number in enumerate(dots.numbers.tolist()):
            at = self.at(part, number, place, n_dots)
            if starts is not None and dots.origin is not None:
                start = self.at(dots.origin, starts[place], place, n_dots)
                at = start + (at - start) * self.done
            dot = QRectF(at.x() - size / 2, at.y() - size / 2, size, size)
            pencil.box(dot, fill=look.colour(dots.colour, 1.0 if is_few else 0.5), rounding=size / 2)
            if is_few and which == 0:
                lift = look.pixels(16 + 17 * (place % 2 if is_close else 0))
                above = QPointF(at.x(), at.y() - size - lift)
                _write_number(pencil, number, above, _NUMBER, dots.colour, bold=True)

    def _draw_threads(self, pencil: Pencil, part: int, dots: Dots) -> None:
        """Draw where each of few dots comes from."""
        if dots.origin is None or not _is_few(dots):
            return
        for start, number in zip(self._numbers_at(dots.origin, dots), dots.numbers.tolist(), strict=True):
            ink = self.look.colour(dots.colour, 0.45)
            pencil.line(self.at(dots.origin, start), self.at(part, number), ink, 1.5)

    def _numbers_at(self, line: int, dots: Dots) -> list[float]:
        """Return the numbers of a line that those of `dots` come from: of the same colour, if it has any."""
        found = self.lines[line].dots
        own = next((each for each in found if each.colour == dots.colour), found[0])
        return [float(number) for number in own.numbers]


def _write_number(
    pencil: Pencil, number: float, top: QPointF, size: float, colour: str, *, bold: bool = False
) -> None:
    """Write a number around the middle of its upper edge, over the threads that pass there."""
    font, words = pencil.look.number_font(size, bold=bold), trimmed(number, 2)
    wide, high = QFontMetricsF(font).horizontalAdvance(words) + 4, pencil.look.pixels(size + 6)
    room = QRectF(top.x() - wide / 2, top.y(), wide, high)
    pencil.box(room, fill="card")
    pencil.write(words, room, font, colour)


def _is_few(dots: Dots) -> bool:
    return len(dots.numbers) <= _FEW


_SPAN = -4.0, 14.0
"""What the lines of the row of four numbers show: all that the sliders reach."""


class LinesPicture(LessonPicture):
    """The norm of a token; or of the row of four numbers and of one that two sliders make of it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = NumberLines(look)
        names = self.tr("Multiply the second row"), self.tr("Add a number to the second row")
        self.factor, self.shift = (named(QSlider(Qt.Orientation.Horizontal), title=name) for name in names)
        self.factor.setRange(1, 4)  # halves
        self.shift.setRange(-4, 6)
        self.changes = QWidget()
        words = QLabel(self.tr("times")), QLabel(self.tr("plus"))
        row = in_row(words[0], (self.factor, 1), words[1], (self.shift, 1), of=self.changes, spacing=12)
        row.setContentsMargins(0, 0, 0, 0)
        self.lay_out(self.plot, self.tr("Numbers on lines below each other"), self.changes, self.note)
        for slider in (self.factor, self.shift):
            slider.valueChanged.connect(
                lambda: pictures.change_row(self.factor.value() / 2, float(self.shift.value()))
            )

    def show_scene(self, scene: Scene) -> None:
        self.changes.setVisible(scene.part == "rows")
        if scene.part == "rows":
            self._show_rows()
            return
        found = self.pictures.of_layer(normed)
        if found is None:
            return
        words = self.tr("Layer {0}: the {1} numbers of “{2}” in the norm behind the attention")
        self.title.setText(words.format(found.layer, len(found.stages[0]), found.token))
        names = (
            self.tr("x + attention(x): what came in, and what the attention adds"),
            self.tr("less the mean"),
            self.tr("divided by the standard deviation"),
            self.tr("times γ, plus β"),
        )
        lines = [
            NumberLine(name, (Dots(numbers, origin=at - 1 if at else None),), has_moments=at in (0, 2))
            for at, (name, numbers) in enumerate(zip(names, found.stages, strict=True))
        ]
        most = float(np.quantile(np.abs(np.concatenate(found.stages)), 0.998))
        self.plot.show_lines(lines, (-most, most), (found.token, found.layer))
        n_beyond = int(sum((np.abs(numbers) > most).sum() for numbers in found.stages))
        words = self.tr("{0} dots lie farther out: they are drawn at the end of their line.")
        self.note.setText(words.format(n_beyond) if n_beyond else "")

    def _show_rows(self) -> None:
        factor, shift = self.pictures.factor, self.pictures.shift
        for slider, value in ((self.factor, 2 * factor), (self.shift, shift)):
            with QSignalBlocker(slider):
                slider.setValue(round(value))
        row = changed_row(factor, shift)
        self.title.setText(self.tr("Two rows of four numbers, and what the normalisation makes of both"))
        listed, other = (f"[{', '.join(trimmed(n, 2) for n in each)}]" for each in (FIRST_ROW, row))
        second = self.tr("{0} × {1}, then {2}: {3}").format(
            listed, trimmed(factor, 2), signed(shift, 0), other
        )
        lines = (
            NumberLine(listed, (Dots(FIRST_ROW),)),
            NumberLine(second, (Dots(row, "sentence_b"),)),
            NumberLine(
                self.tr("Both normalised: (x − mean) / standard deviation"),
                (Dots(norm_of(FIRST_ROW), "accent", 0), Dots(norm_of(row), "sentence_b", 1)),
            ),
        )
        self.plot.show_lines(lines, _SPAN, "rows")
        self.note.setText(self.tr("Move the sliders: the dots of the last line stay where they are."))


_COLUMNS, _GRID_GAP, _GRID_ABOVE = 16, 48.0, 30.0
_MOST_PERCENT = 90


class DropoutGrids(DrawnPlot[int]):
    """The numbers of a vector as squares, before dropout and after it; those that are dropped are empty."""

    along = (_COLUMNS, 1)
    usual = 640, 420
    dropped: Dropped

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.setAccessibleName(self.tr("The numbers of a vector before dropout and after it"))

    def show_dropped(self, dropped: Dropped) -> None:
        """Show what becomes of a vector."""
        self.dropped = dropped
        self.show_numbers(_grid(dropped.vector), _grid(dropped.result), limit=usual_size(dropped.vector))

    @property
    def count(self) -> int:
        return len(self.dropped.vector) if self.images else 0

    def grids(self) -> tuple[QRectF, QRectF]:
        """Return where the two grids are, of square cells, in pixels of the box."""
        room, n_rows = self.room, max(-(-self.count // _COLUMNS), 1)
        gap, above = self.look.pixels(_GRID_GAP), self.look.pixels(_GRID_ABOVE)
        side = min((room.width() - gap - 4) / 2 / _COLUMNS, (room.height() - above - 4) / n_rows)
        width, height = side * _COLUMNS, side * n_rows
        first = QRectF((room.width() - 2 * width - gap) / 2, above, width, height)
        return first, first.translated(width + gap, 0)

    def part_at(self, at: QPointF) -> int | None:
        for grid in map(self.in_plot, self.grids()):
            if self.count and grid.contains(at):
                side = grid.width() / _COLUMNS
                row, column = int((at.y() - grid.top()) / side), int((at.x() - grid.left()) / side)
                number = row * _COLUMNS + min(column, _COLUMNS - 1)
                return number if number < self.count else None
        return None

    def rect_of(self, part: int) -> QRectF:
        return _cell(self.grids()[0], part)

    def lines_of(self, part: int) -> list[str]:
        """Return the number before and after."""
        x, factor = float(self.dropped.vector[part]), float(self.dropped.factors[part])
        title = self.tr("number {0}").format(part)
        return [title, f"{fixed(x, 3)} × {fixed(factor, 3)} = {fixed(x * factor, 3)}"]

    def draw_with(self, pencil: Pencil) -> None:
        if not self.images:
            return
        look, (before, after) = self.look, self.grids()
        names = self.tr("before"), self.tr("after dropout")
        for image, grid, name in zip(self.images, (before, after), names, strict=True):
            pencil.image(image, grid)
            pencil.box(grid, "rule")
            title = QRectF(grid.left(), 0, grid.width(), look.pixels(_GRID_ABOVE) - 4)
            pencil.write(name, title, look.font(15, bold=True))
        side = before.width() / _COLUMNS
        for number in np.flatnonzero(self.dropped.factors == 0).tolist():
            cell = _cell(after, number)
            pencil.box(cell, "secondary", fill="card")
            pencil.cross(cell.adjusted(side / 4, side / 4, -side / 4, -side / 4), "secondary")
        if self.part is not None:
            for grid in (before, after):
                pencil.box(_cell(grid, self.part), "accent", 2)
        between = QRectF(before.right(), before.top(), after.left() - before.right(), before.height())
        pencil.write("→", between, look.font(15, bold=True))


def _cell(grid: QRectF, number: int) -> QRectF:
    """Return where a number is in one of the grids."""
    side, (row, column) = grid.width() / _COLUMNS, divmod(number, _COLUMNS)
    return QRectF(grid.left() + column * side, grid.top() + row * side, side, side)


def _grid(numbers: Floats) -> Floats:
    return np.concatenate([numbers, np.zeros(-len(numbers) % _COLUMNS, np.float32)]).reshape(-1, _COLUMNS)


class DropoutPicture(LessonPicture):
    """The grids, a slider for the share that is dropped, and a button that draws other numbers."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot, self.share = DropoutGrids(look), title_label()
        self.share.setWordWrap(False)
        name = self.tr("The share p of the numbers that is dropped")
        self.slider = named(QSlider(Qt.Orientation.Horizontal), title=name)
        self.slider.setRange(0, _MOST_PERCENT)
        self.again = QPushButton(self.tr("Draw again"))
        row = in_row(self.share, (self.slider, 1), self.again, spacing=16)
        in_column(self.title, (self.plot, 1), row, self.note, of=self, margins=AROUND, spacing=12)
        self.setFocusProxy(self.slider)
        self.slider.valueChanged.connect(lambda value: pictures.drop(value / 100))
        self.again.clicked.connect(lambda: pictures.draw_again())

    def show_scene(self, scene: Scene) -> None:
        found = self.pictures.of_now(self.pictures.dropped)
        if found is None:
            return
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(found.share * 100))
        self.plot.show_dropped(found)
        n_numbers, factor = len(found.vector), fixed(1 / (1 - found.share), 3)
        self.title.setText(self.tr("The last vector of “{0}”: {1} numbers").format(found.token, n_numbers))
        self.share.setText(f"p = {fixed(found.share, 2)}")
        words = self.tr(
            "{0} of {1} numbers are 0 now. The others are multiplied by 1 / (1 − p) = {2}, so that all "
            "sizes together stay about the same: {3} before, {4} after."
        )
        sums = [fixed(float(np.abs(part).sum()), 1) for part in (found.vector, found.result)]
        self.note.setText(words.format(found.n_dropped, n_numbers, factor, *sums))
        self.plot.setAccessibleDescription(f"{self.title.text()}. {self.note.text()}")
