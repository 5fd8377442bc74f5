"""`Bars`: a bar for each of a few things; and pictures of lists of bars with words around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLayout, QWidget

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnPlot,
    LessonPicture,
    note_label,
    title_label,
)
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.widgets import show_words
from bertviz_app.views.kit.words import fixed

_GAP = 12.0
_LEAST, _MOST = 20.0, 52.0
_SHARE = 0.62  # of a row that its bar is high
_LABEL, _NUMBER, _LEVEL = 18.0, 16.0, 13.0
_ROUND = 4.0
_USUAL_WIDTH, _USUAL_ROW = 400, 32


@dataclass(frozen=True)
class ShownBar:
    """`label` before the bar of a `value`, `text` behind it. `colour` is one of the palette's.

    `is_highlighted`: it stands out. `before`: the value that it had, drawn as an outline.
    """

    label: str
    value: float
    text: str
    colour: str = "accent"
    is_highlighted: bool = False
    before: float | None = None


def value_bars(
    labels: Sequence[str], values: Floats | Doubles, highlighted: Collection[int], colour: str = "accent"
) -> list[ShownBar]:
    """Return a bar for each of the values [N], with two decimals; the `highlighted` places stand out."""
    return [
        ShownBar(label, value, fixed(value, 2), colour, at in highlighted)
        for at, (label, value) in enumerate(zip(labels, values.tolist(), strict=True))
    ]


@dataclass(frozen=True)
class Level:
    """A broken line at a `value` across all bars, with its `text`."""

    value: float
    text: str


class Bars(DrawnPlot[int]):
    """Rows from the top, the longest bar as long as there is room for."""

    along = (1, 0)
    shows_words = True

    bars: tuple[ShownBar, ...] = ()
    level: Level | None = None
    full = 1.0
    n_rows = 1

    def show_bars(
        self, bars: Sequence[ShownBar], full: float, level: Level | None = None, n_rows: int = 0
    ) -> None:
        """Show these bars; one of the value `full` is as long as there is room for.

        There is room for `n_rows` at least, as many as another picture beside this one has.
        """
        self.bars, self.full, self.level = tuple(bars), full or 1.0, level
        self.n_rows = max(n_rows, len(self.bars), 1)
        self.usual = _USUAL_WIDTH, _USUAL_ROW * self.n_rows
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
        """Return where a row is: from the top, as high as there is room for."""
        room, top = self.room, 0.0
        if self.level is not None:
            top = QFontMetricsF(self.look.font(_LEVEL)).height() + 8
        free = (room.height() - top) / self.n_rows
        height = min(self.look.pixels(_MOST), max(self.look.pixels(_LEAST), free))
        return QRectF(0, top + part * height, room.width(), height)

    def lines_of(self, part: int) -> list[str]:
        bar = self.bars[part]
        return [f"{bar.label}   {bar.text}"]

    def draw_with(self, pencil: Pencil) -> None:
        if not self.bars:
            return
        look, first = self.look, self.rect_of(0)
        most = max(11.0, 0.62 * first.height() / look.scale)  # letters fit the rows
        label, number = min(_LABEL, most), min(_NUMBER, most)
        labels = QFontMetricsF(look.font(label, bold=True))
        numbers = QFontMetricsF(look.number_font(number, bold=True))
        start = (
            min(max(labels.horizontalAdvance(bar.label) for bar in self.bars), 0.45 * first.width()) + _GAP
        )
        end = max(numbers.horizontalAdvance(bar.text) for bar in self.bars) + 2 * _GAP
        lowest = min(0.0, *(bar.value for bar in self.bars))
        per_value = max(20.0, first.width() - start - end) / (self.full - lowest)
        start -= lowest * per_value  # bars below 0 go to the left
        x = None if self.level is None else start + per_value * min(self.level.value, self.full)
        for index, bar in enumerate(self.bars):
            row, is_bold = self.rect_of(index), bar.is_highlighted
            ink = "text" if is_bold else "secondary"
            if index == self.part:
                pencil.box(row, fill="raised")
            room = QRectF(row.left(), row.top(), start + lowest * per_value - _GAP, row.height())
            pencil.write(bar.label, room, look.font(label, bold=is_bold), ink, RIGHT)
            high = _SHARE * row.height()
            longest = -lowest if bar.value < 0 else self.full
            shape = QRectF(start, row.center().y() - high / 2, _long(bar.value, longest, per_value), high)
            if bar.value < 0:
                shape.moveRight(start)
            pencil.box(shape, fill=look.colour(bar.colour, 1.0 if is_bold else 0.45), rounding=_ROUND)
            if bar.before is not None and max(bar.before * per_value, shape.width()) > 2 * _ROUND:
                before = QRectF(shape)
                before.setWidth(_long(bar.before, self.full, per_value))
                pencil.box(before, "text", 1.5, rounding=_ROUND, is_broken=True)
                shape = shape.united(before)
            left = shape.right() + _GAP / 2
            if x is not None and left - 4 < x < left + numbers.horizontalAdvance(bar.text) + 4:
                left = x + _GAP / 2  # not across the broken line
            room = QRectF(left, row.top(), row.width(), row.height())
            pencil.write(bar.text, room, look.number_font(number, bold=is_bold), ink, LEFT)
        if self.level is not None and x is not None:
            pencil.line(QPointF(x, first.top()), QPointF(x, row.bottom()), "text", 1.5, is_broken=True)
            font = look.font(_LEVEL)
            width = QFontMetricsF(font).horizontalAdvance(self.level.text)
            left = min(max(0.0, x - width / 2), first.width() - width)
            pencil.write(self.level.text, QRectF(left, 0, width + 2, first.top()), font, side=LEFT)


def _long(value: float, full: float, per_value: float) -> float:
    return max(2.0, per_value * min(abs(value), full))


@dataclass(frozen=True)
class BarList:
    """Bars below a `title` and above a `note`; for `full`, `level` and `n_rows` see `Bars.show_bars`."""

    title: str
    bars: Sequence[ShownBar]
    full: float = 1.0
    level: Level | None = None
    n_rows: int = 0
    note: str = ""


class TitledBars(QWidget):
    """A list of bars with the words above and below it; the title is its accessible name."""

    def __init__(self, look: Look, style: str = "pictureTitle") -> None:
        super().__init__()
        self.title, self.note = named(title_label(), style), note_label()
        self.bars = Bars(look)
        in_column(self.title, (self.bars, 1), self.note, of=self, margins=0, spacing=8)
        self.setFocusProxy(self.bars)

    def show_list(self, shown: BarList) -> None:
        """Show other bars and words."""
        show_words(self.title, shown.title)
        show_words(self.note, shown.note)
        self.bars.setAccessibleName(shown.title.lstrip("×= "))
        self.bars.show_bars(shown.bars, shown.full, shown.level, shown.n_rows)


class BarsPicture(LessonPicture):
    """Lists of bars beside each other, with words and controls above and below all of them."""

    def __init__(
        self,
        look: Look,
        pictures: LessonPictures,
        n_lists: int = 2,
        *,
        above: Sequence[QWidget | QLayout] = (),
        below: Sequence[QWidget | QLayout] = (),
        style: str = "pictureTitle",
    ) -> None:
        super().__init__(look, pictures)
        self.lists = [TitledBars(look, style) for _ in range(n_lists)]
        row = in_row(*((each, 1) for each in self.lists), spacing=28)
        in_column(self.title, *above, (row, 1), *below, self.note, of=self, margins=AROUND, spacing=12)
        self.setFocusProxy(self.lists[0])

    def show_scene(self, scene: Scene) -> None:
        for each, shown in zip(self.lists, self.lists_of(scene), strict=False):
            each.show_list(shown)
        self.title.setVisible(bool(self.title.text()))

    def lists_of(self, scene: Scene) -> Sequence[BarList]:
        """Return what the lists show; none where the numbers are not there. Writes title and note, too."""
        raise NotImplementedError
