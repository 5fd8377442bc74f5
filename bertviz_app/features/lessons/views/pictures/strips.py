"""Vectors as strips of colour: the sum of three embeddings, and a word that stands twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures, same_word_of
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    EMBEDDING_COLOURS,
    DrawnPlot,
    LessonPicture,
    colours_label,
)
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import LEFT, RIGHT, Pencil
from bertviz_app.views.kit.words import fixed

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

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.heads: tuple[str, ...] = ()
        self.rows: tuple[Strips, ...] = ()

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
