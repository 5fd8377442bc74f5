"""`Bars`: a bar for each of a few things, with its name before it and its number behind it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from bertviz_app.values import dataclass
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.picture import PaintedPlot, Painting

_GAP = 12.0
_LEAST, _MOST = 20.0, 52.0
_SHARE = 0.62  # of a row that its bar is high
_LABEL, _NUMBER = 18.0, 16.0
_ROUND = 4.0


@dataclass(frozen=True)
class ShownBar:
    """`label` before the bar of a `value`, `text` behind it. `colour` is one of the palette's.

    `is_highlighted`: it stands out. `before`: the value that it had, drawn as an outline. `note` is read out.
    """

    label: str
    value: float
    text: str
    colour: str = "accent"
    is_highlighted: bool = False
    before: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Level:
    """A broken line at a `value` across all bars, with its `text`."""

    value: float
    text: str


class Bars(PaintedPlot[int]):
    """Rows from the top, the longest bar as long as there is room for."""

    along = (1, 0)
    shows_words = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.bars: tuple[ShownBar, ...] = ()
        self.level: Level | None = None
        self.full = 1.0
        self.n_rows = 1
        self.drawing = _BarsDrawing(self)

    def show_bars(
        self, bars: Sequence[ShownBar], full: float, level: Level | None = None, n_rows: int = 0
    ) -> None:
        """Show these bars; one of the value `full` is as long as there is room for.

        There is room for `n_rows` at least, as many as another picture beside this one has.
        """
        self.bars, self.full, self.level = tuple(bars), full or 1.0, level
        self.n_rows = max(n_rows, len(self.bars), 1)
        words = [f"{bar.label} {bar.text}" for bar in self.bars] + ([level.text] if level else [])
        self.setAccessibleDescription(", ".join(words))
        self.forget_part()

    def sizeHint(self) -> QSize:
        return QSize(360, round(self.look.pixels(_MOST) * max(len(self.bars), 1)))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 100)

    @property
    def count(self) -> int:
        return len(self.bars)

    def rect_of(self, part: int) -> QRectF:
        return self.drawing.rows()[part]

    def lines_of(self, part: int) -> list[str]:
        bar = self.bars[part]
        return [f"{bar.label}   {bar.text}", *([bar.note] if bar.note else [])]


class _BarsDrawing(Painting[Bars]):
    """Draws the rows of `plot` into its box."""

    def rows(self) -> list[QRectF]:
        """Return where the rows are, in pixels of the box: from its top, as high as there is room for."""
        room, top = self.rect(), self._level_height()
        free = (room.height() - top) / self._plot.n_rows
        height = min(self.look.pixels(_MOST), max(self.look.pixels(_LEAST), free))
        return [QRectF(0, top + row * height, room.width(), height) for row in range(len(self._plot.bars))]

    def _level_height(self) -> float:
        return 0.0 if self._plot.level is None else QFontMetricsF(self.look.font(13)).height() + 8

    def _columns(self) -> tuple[float, float]:
        """Return where the bars begin, and how long they can be."""
        bars, look = self._plot.bars, self.look
        labels = QFontMetricsF(look.font(self._size(_LABEL), bold=True))
        numbers = QFontMetricsF(look.number_font(self._size(_NUMBER), bold=True))
        widest = max((labels.horizontalAdvance(bar.label) for bar in bars), default=0.0)
        start = min(widest, 0.45 * self.rect().width()) + _GAP
        end = max((numbers.horizontalAdvance(bar.text) for bar in bars), default=0.0) + 2 * _GAP
        return start, max(20.0, self.rect().width() - start - end)

    def _size(self, most: float) -> float:
        """Return the size of letters that fits the rows."""
        rows = self.rows()
        height = rows[0].height() / self.look.scale if rows else _MOST
        return min(most, max(11.0, 0.62 * height))

    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        start, length = self._columns()
        rows = self.rows()
        for index, (bar, row) in enumerate(zip(self._plot.bars, rows, strict=True)):
            if index == self._plot.part:
                painter.fillRect(row, self.look.colour("raised"))
            self._draw_bar(painter, bar, row, (start, length))
        if self._plot.level is not None and rows:
            x = start + length * min(self._plot.level.value / self._plot.full, 1.0)
            self._draw_level(painter, x, rows)

    def _draw_bar(self, painter: QPainter, bar: ShownBar, row: QRectF, columns: tuple[float, float]) -> None:
        start, length = columns
        look, middle = self.look, Qt.AlignmentFlag.AlignVCenter
        painter.setPen(look.colour("text" if bar.is_highlighted else "secondary"))
        font = look.font(self._size(_LABEL), bold=bar.is_highlighted)
        painter.setFont(font)
        room = QRectF(row.left(), row.top(), start - _GAP, row.height())
        label = QFontMetricsF(font).elidedText(bar.label, Qt.TextElideMode.ElideRight, room.width() + 1)
        painter.drawText(room, middle | Qt.AlignmentFlag.AlignRight, label)
        height = _SHARE * row.height()
        long = max(2.0, length * min(bar.value / self._plot.full, 1.0))
        shape = QRectF(start, row.center().y() - height / 2, long, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour(bar.colour, 1.0 if bar.is_highlighted else 0.45))
        painter.drawRoundedRect(shape, _ROUND, _ROUND)
        if bar.before is not None:
            before = max(2.0, length * min(bar.before / self._plot.full, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.colour("text"), 1.5, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(QRectF(start, shape.top(), before, height), _ROUND, _ROUND)
            long = max(long, before)
        painter.setPen(look.colour("text" if bar.is_highlighted else "secondary"))
        painter.setFont(look.number_font(self._size(_NUMBER), bold=bar.is_highlighted))
        painter.drawText(
            QRectF(start + long + _GAP / 2, row.top(), row.width(), row.height()), middle, bar.text
        )

    def _draw_level(self, painter: QPainter, x: float, rows: Sequence[QRectF]) -> None:
        assert self._plot.level is not None
        top = rows[0].top()
        painter.setPen(QPen(self.look.colour("text"), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, top), QPointF(x, rows[-1].bottom()))
        painter.setPen(self.look.colour("text"))
        painter.setFont(self.look.font(13))
        width = QFontMetricsF(self.look.font(13)).horizontalAdvance(self._plot.level.text)
        left = min(max(0.0, x - width / 2), self.rect().width() - width)
        room = QRectF(left, top - self._level_height(), width + 2, self._level_height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self._plot.level.text)
