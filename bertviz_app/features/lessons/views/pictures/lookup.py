"""The rows of the tables of embeddings that a token picks by its ID, its segment and its position."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QImage

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures, PickedRow
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    EMBEDDING_COLOURS,
    DrawnPlot,
    LessonPicture,
    colours_label,
)
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import LEFT, RIGHT, Pencil
from bertviz_app.views.plots.picture import follow_selection

_TOKEN, _NAME = 22.0, 15.0
_LONGEST_ROW, _BETWEEN = 52.0, 110.0


class PickedRowPlot(DrawnPlot[int]):
    """The tokens with their numbers at the left, rows of tables at the right, and lines to those picked.

    Its parts are the tokens: one that is pointed at or chosen, or that the arrows come to, picks its rows.
    """

    shows_words = True
    hint = 640, 480

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look)
        self._selection = selection
        self.tokens: Tokens | None = None
        self.lookups: tuple[PickedRow, ...] = ()
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
        return 0 if self.tokens is None else len(self.tokens)

    @property
    def current(self) -> int | None:
        return self._selection.pinned.query

    def rect_of(self, part: int) -> QRectF:
        height = min(self.look.pixels(56), self.room.height() / self.count)
        top = (self.room.height() - self.count * height) / 2
        return QRectF(0, top + part * height, self._tokens_width(), height).adjusted(1, 3, 0, -3)

    def _number_width(self) -> float:
        return QFontMetricsF(self.look.number_font(_NAME, bold=True)).horizontalAdvance("00000")

    def _tokens_width(self) -> float:
        assert self.tokens is not None
        pieces = QFontMetricsF(self.look.font(_TOKEN, bold=True))
        numbers = self._number_width() * (1 if len(self.lookups) == 1 else 1.9)
        return max(map(pieces.horizontalAdvance, self.tokens.labels)) + numbers + 40

    def numbers_of(self, token: int) -> list[int]:
        """Return the numbers by which a token picks the rows that are shown."""
        tokens = self.tokens
        assert tokens is not None
        of_token = tokens.ids[token], tokens.segment_ids[token], tokens.position_ids[token]
        return [int(number) for number, _ in zip(of_token, self.lookups, strict=False)]

    def lines_of(self, part: int) -> list[str]:
        assert self.tokens is not None
        words, label = self.tr("“{0}” picks row {1} of {2}"), self.tokens.labels[part]
        numbers = zip(self.numbers_of(part), self.lookups, strict=True)
        return [words.format(label, row, f"{lookup.n_rows:,}") for row, lookup in numbers]

    def draw_with(self, pencil: Pencil) -> None:
        if self.tokens is None or not self.lookups:
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
        names = QFontMetricsF(look.number_font(_NAME)).horizontalAdvance("00000 " + "m" * 10)
        start = self._tokens_width() + look.pixels(_BETWEEN)  # of the names of the rows
        left, top = start + names, room.center().y() - len(images) * height / 2
        width = self.room.width() - left - 4
        for number, image in enumerate(images, lookup.first):
            row = QRectF(left, top + (number - lookup.first) * height, width, height).adjusted(0, 3, 0, -3)
            is_picked = number == lookup.row
            pencil.image(image, row, opacity=1.0 if is_picked else 0.45)
            name = QRectF(start, row.top(), row.left() - start - 10, row.height())
            font, ink = look.number_font(_NAME, bold=is_picked), look.colour("text", 1 if is_picked else 0.45)
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
                    look.font(_NAME),
                    "secondary",
                )
        if len(self.lookups) > 1:
            titles = self.tr("token table"), self.tr("segment table"), self.tr("position table")
            above = QRectF(start, top - look.pixels(37), names, look.pixels(40))
            pencil.write(titles[at], above, look.font(_NAME, bold=True), colour, LEFT)

    def _draw_token(self, pencil: Pencil, token: int) -> None:
        """Draw a token with its numbers, which stand out where they pick the rows that are shown."""
        look, box, tokens = self.look, self.rect_of(token), self.tokens
        assert tokens is not None
        inner = box.adjusted(12, 0, -12, 0)
        is_picked = token in self.lookups[0].positions
        if is_picked:
            pencil.box(box, "accent", 2, fill=look.colour("accent", 0.12), rounding=8)
        else:
            pencil.box(box, "rule", fill="raised", rounding=8)
        ink = "secondary" if tokens.is_special[token] else "text"
        pencil.write(tokens.labels[token], inner, look.font(_TOKEN, bold=True), ink, LEFT)
        font = look.number_font(_NAME, bold=is_picked)
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
