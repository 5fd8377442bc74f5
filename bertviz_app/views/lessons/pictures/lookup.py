"""The row of the table of embeddings that a token picks by its ID."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QLabel

from bertviz_app.text import Tokens
from bertviz_app.viewmodels.learning.pictures import LessonPictures, PickedRow
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.lessons.pictures.product import number_image
from bertviz_app.views.plots.picture import PaintedPlot, Painting, follow_selection

_TOKEN, _NAME = 22.0, 15.0
_LONGEST_ROW, _BETWEEN = 52.0, 110.0


class PickedRowPlot(PaintedPlot[int]):
    """The tokens with their IDs at the left, rows of the table at the right, and lines to the row.

    Its parts are the tokens: one that is pointed at or chosen, or that the arrows come to, picks its row.
    """

    shows_words = True

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look)
        self._selection = selection
        self.tokens: Tokens | None = None
        self.lookup: PickedRow | None = None
        self.images: list[QImage] = []
        self.drawing = _LookupDrawing(self)
        follow_selection(self, selection, Pair)

    def show_lookup(self, tokens: Tokens, lookup: PickedRow) -> None:
        """Show which row is picked."""
        self.tokens, self.lookup = tokens, lookup
        limit = usual_size(lookup.numbers)
        self.images = [number_image(self.look, row[None, :], limit) for row in lookup.numbers]
        self.setAccessibleDescription(self.lines_of(lookup.positions[0])[0])
        self.drawing.update()

    def sizeHint(self) -> QSize:
        return QSize(640, 480)

    @property
    def count(self) -> int:
        return 0 if self.tokens is None else len(self.tokens)

    @property
    def current(self) -> int | None:
        return self._selection.pinned.query

    def rect_of(self, part: int) -> QRectF:
        return self.drawing.token(part)

    def lines_of(self, part: int) -> list[str]:
        assert self.tokens is not None
        assert self.lookup is not None
        words = self.tr("“{0}” picks row {1} of {2}")
        row = int(self.tokens.ids[part])
        return [words.format(self.tokens.labels[part], row, f"{self.lookup.n_rows:,}")]

    def recolour(self) -> None:
        if self.tokens is not None and self.lookup is not None:
            self.show_lookup(self.tokens, self.lookup)


class _LookupDrawing(Painting[PickedRowPlot]):
    """Draws the tokens, the rows and the lines of `plot` into its box."""

    def token(self, token: int) -> QRectF:
        """Return where a token is, in pixels of the box."""
        assert self._plot.tokens is not None
        count = len(self._plot.tokens)
        height = min(self.look.pixels(56), self.rect().height() / count)
        top = (self.rect().height() - count * height) / 2
        return QRectF(0, top + token * height, self._tokens_width(), height).adjusted(0, 3, 0, -3)

    def _tokens_width(self) -> float:
        assert self._plot.tokens is not None
        pieces = QFontMetricsF(self.look.font(_TOKEN, bold=True))
        ids = QFontMetricsF(self.look.number_font(_NAME))
        widest = max(pieces.horizontalAdvance(label) for label in self._plot.tokens.labels)
        return widest + ids.horizontalAdvance("00000") + 40

    def draw(self, painter: QPainter) -> None:
        plot = self._plot
        if plot.tokens is None or plot.lookup is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        count, look = len(plot.lookup.numbers), self.look
        height = min(look.pixels(_LONGEST_ROW), (self.rect().height() - look.pixels(90)) / count)
        names = QFontMetricsF(look.number_font(_NAME)).horizontalAdvance("00000 " + "m" * 10)
        left = self._tokens_width() + look.pixels(_BETWEEN) + names
        top = (self.rect().height() - count * height) / 2
        width = self.rect().width() - left - 4
        rows = [QRectF(left, top + at * height, width, height).adjusted(0, 3, 0, -3) for at in range(count)]
        highlighted = rows[plot.lookup.row - plot.lookup.first]
        for token in range(len(plot.tokens)):
            self._draw_token(painter, plot.tokens, token, highlighted)
        for at, (row, image) in enumerate(zip(rows, plot.images, strict=True)):
            self._draw_row(painter, plot.lookup, at, row, image)
        self._draw_rest(painter, plot.lookup, rows)

    def _draw_token(self, painter: QPainter, tokens: Tokens, token: int, highlighted: QRectF) -> None:
        look, box = self.look, self.token(token)
        assert self._plot.lookup is not None
        is_highlighted = token in self._plot.lookup.positions
        painter.setPen(QPen(look.colour("accent" if is_highlighted else "rule"), 2 if is_highlighted else 1))
        painter.setBrush(look.colour("accent", 0.12) if is_highlighted else look.colour("raised"))
        painter.drawRoundedRect(box, 8, 8)
        inner, middle = box.adjusted(12, 0, -12, 0), Qt.AlignmentFlag.AlignVCenter
        painter.setPen(look.colour("secondary" if tokens.is_special[token] else "text"))
        painter.setFont(look.font(_TOKEN, bold=True))
        painter.drawText(inner, middle, tokens.labels[token])
        painter.setPen(look.colour("accent" if is_highlighted else "secondary"))
        painter.setFont(look.number_font(_NAME, bold=is_highlighted))
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, str(tokens.ids[token]))
        if is_highlighted:
            end = QPointF(self._tokens_width() + look.pixels(_BETWEEN) - 8, highlighted.center().y())
            path, start = QPainterPath(QPointF(box.right(), box.center().y())), box.right()
            middle_x = (start + end.x()) / 2
            path.cubicTo(QPointF(middle_x, box.center().y()), QPointF(middle_x, end.y()), end)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.colour("accent"), 3))
            painter.drawPath(path)

    def _draw_row(self, painter: QPainter, lookup: PickedRow, at: int, row: QRectF, image: QImage) -> None:
        look, number = self.look, lookup.first + at
        is_highlighted = number == lookup.row
        painter.setOpacity(1.0 if is_highlighted else 0.45)
        painter.drawImage(row, image)
        left = self._tokens_width() + look.pixels(_BETWEEN)
        room = QRectF(left, row.top(), row.left() - left - 10, row.height())
        painter.setPen(look.colour("text"))
        font = look.number_font(_NAME, bold=is_highlighted)
        painter.setFont(font)
        words = f"{number} {lookup.pieces[at]}"
        fitted = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, fitted)
        painter.setOpacity(1.0)
        if is_highlighted:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.colour("accent"), 3))
            painter.drawRect(row)

    def _draw_rest(self, painter: QPainter, lookup: PickedRow, rows: list[QRectF]) -> None:
        """Write how many rows there are above and below those that are shown."""
        words = QCoreApplication.translate("LookupPlot", "{0} more rows")
        last = lookup.first + len(lookup.numbers)
        painter.setFont(self.look.font(_NAME))
        painter.setPen(self.look.colour("secondary"))
        high = self.look.pixels(40)
        for count, top in ((lookup.first, rows[0].top() - high), (lookup.n_rows - last, rows[-1].bottom())):
            room = QRectF(rows[0].left(), top, rows[0].width(), high)
            if count > 0:
                text = "⋮   " + words.format(f"{count:,}") + "   ⋮"
                painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)


class LookupPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    def __init__(self, look: Look, pictures: LessonPictures, selection: Selection) -> None:
        super().__init__(pictures)
        self.plot = PickedRowPlot(look, selection)
        self.title = named(QLabel(wordWrap=True), "pictureTitle")
        in_column(self.title, (self.plot, 1), of=self, margins=(24, 16, 24, 16))
        self.plot.setAccessibleName(self.tr("The table of token embeddings. Arrows choose a token"))
        self.setFocusProxy(self.plot)
        selection.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the row of the token that is pointed at."""
        scene, tokens = self._pictures.scene, self._pictures.tokens
        found = None if scene is None or scene.picture != "lookup" else self._pictures.lookup
        if found is None or tokens is None:
            return
        self.plot.show_lookup(tokens, found)
        words = self.tr("The ID {0} picks row {0} of the table: {1} numbers. The table has {2} rows.")
        self.title.setText(words.format(found.row, found.numbers.shape[1], f"{found.n_rows:,}"))
