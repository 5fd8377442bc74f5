"""The row of the table of embeddings that a token picks by its ID."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetricsF

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures, PickedRow
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnPlot,
    LessonPicture,
    title_label,
)
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import LEFT, RIGHT, Pencil
from bertviz_app.views.plots.picture import follow_selection

_TOKEN, _NAME = 22.0, 15.0
_LONGEST_ROW, _BETWEEN = 52.0, 110.0


class PickedRowPlot(DrawnPlot[int]):
    """The tokens with their IDs at the left, rows of the table at the right, and lines to the row.

    Its parts are the tokens: one that is pointed at or chosen, or that the arrows come to, picks its row.
    """

    shows_words = True

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look)
        self._selection = selection
        self.tokens: Tokens | None = None
        self.lookup: PickedRow | None = None
        follow_selection(self, selection, Pair)

    def show_lookup(self, tokens: Tokens, lookup: PickedRow) -> None:
        """Show which row is picked."""
        self.tokens, self.lookup = tokens, lookup
        self.setAccessibleDescription(self.lines_of(lookup.positions[0])[0])
        self.show_numbers(*(row[None, :] for row in lookup.numbers), limit=usual_size(lookup.numbers))

    def sizeHint(self) -> QSize:
        return QSize(640, 480)

    @property
    def count(self) -> int:
        return 0 if self.tokens is None else len(self.tokens)

    @property
    def current(self) -> int | None:
        return self._selection.pinned.query

    def rect_of(self, part: int) -> QRectF:
        height = min(self.look.pixels(56), self.room.height() / self.count)
        top = (self.room.height() - self.count * height) / 2
        return QRectF(0, top + part * height, self._tokens_width(), height).adjusted(0, 3, 0, -3)

    def _tokens_width(self) -> float:
        assert self.tokens is not None
        pieces = QFontMetricsF(self.look.font(_TOKEN, bold=True))
        ids = QFontMetricsF(self.look.number_font(_NAME))
        return max(map(pieces.horizontalAdvance, self.tokens.labels)) + ids.horizontalAdvance("00000") + 40

    def lines_of(self, part: int) -> list[str]:
        assert self.tokens is not None
        assert self.lookup is not None
        words = self.tr("“{0}” picks row {1} of {2}")
        row = int(self.tokens.ids[part])
        return [words.format(self.tokens.labels[part], row, f"{self.lookup.n_rows:,}")]

    def draw_with(self, pencil: Pencil) -> None:
        lookup, look = self.lookup, self.look
        if self.tokens is None or lookup is None:
            return
        count, high = len(lookup.numbers), self.room.height()
        height = min(look.pixels(_LONGEST_ROW), (high - look.pixels(90)) / count)
        names = QFontMetricsF(look.number_font(_NAME)).horizontalAdvance("00000 " + "m" * 10)
        start = self._tokens_width() + look.pixels(_BETWEEN)  # of the names of the rows
        left, top = start + names, (high - count * height) / 2
        width = self.room.width() - left - 4
        for at, image in enumerate(self.images):
            row = QRectF(left, top + at * height, width, height).adjusted(0, 3, 0, -3)
            number, is_picked = lookup.first + at, lookup.first + at == lookup.row
            pencil.image(image, row, opacity=1.0 if is_picked else 0.45)
            name = QRectF(start, row.top(), row.left() - start - 10, row.height())
            font, ink = look.number_font(_NAME, bold=is_picked), look.colour("text", 1 if is_picked else 0.45)
            pencil.write(f"{number} {lookup.pieces[at]}", name, font, ink, LEFT)
            if is_picked:
                pencil.box(row, "accent", 3)
                for token in range(self.count):
                    self._draw_token(pencil, token, QPointF(start - 8, row.center().y()))
        beyond = lookup.n_rows - lookup.first - count
        for n_rows, edge in ((lookup.first, top - look.pixels(37)), (beyond, top + count * height - 3)):
            if n_rows > 0:
                words = self.tr("{0} more rows").format(f"{n_rows:,}")
                room = QRectF(left, edge, width, look.pixels(40))
                pencil.write(f"⋮   {words}   ⋮", room, look.font(_NAME), "secondary")

    def _draw_token(self, pencil: Pencil, token: int, picked: QPointF) -> None:
        """Draw a token, and a line to the `picked` row if it picks that."""
        look, box, tokens = self.look, self.rect_of(token), self.tokens
        assert tokens is not None
        assert self.lookup is not None
        inner = box.adjusted(12, 0, -12, 0)
        is_picked = token in self.lookup.positions
        if is_picked:
            pencil.way(QPointF(box.right(), box.center().y()), picked, "accent")
            pencil.box(box, "accent", 2, fill=look.colour("accent", 0.12), rounding=8)
        else:
            pencil.box(box, "rule", fill="raised", rounding=8)
        ink = "secondary" if tokens.is_special[token] else "text"
        pencil.write(tokens.labels[token], inner, look.font(_TOKEN, bold=True), ink, LEFT)
        font, ink = look.number_font(_NAME, bold=is_picked), "accent" if is_picked else "secondary"
        pencil.write(str(tokens.ids[token]), inner, font, ink, RIGHT)


class LookupPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    name = "lookup"

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot, self.title = PickedRowPlot(look, pictures.selection), title_label()
        in_column(self.title, (self.plot, 1), of=self, margins=AROUND)
        self.plot.setAccessibleName(self.tr("The table of token embeddings. Arrows choose a token"))
        self.setFocusProxy(self.plot)
        pictures.selection.changed.connect(self.refresh)

    def show_scene(self, scene: Scene) -> None:
        tokens, found = self.pictures.tokens, self.pictures.lookup
        if found is None or tokens is None:
            return
        self.plot.show_lookup(tokens, found)
        words = self.tr("The ID {0} picks row {0} of the table: {1} numbers. The table has {2} rows.")
        self.title.setText(words.format(found.row, found.numbers.shape[1], f"{found.n_rows:,}"))
