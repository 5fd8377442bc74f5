"""The rows of the tables of embeddings that a token picks, their sum, and a word that stands twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QImage

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.computed import PickedRow, same_word_of
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    EMBEDDING_COLOURS,
    DrawnPlot,
    LessonPicture,
    colours_label,
)
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil
from bertviz_app.views.kit.words import fixed
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
