"""What the large pictures of lessons have in common: `LessonPicture`, `DrawnPlot` and `Bars`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, QVariantAnimation, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QLabel, QLayout, QWidget

from bertviz_app.features.lessons.course.lesson import Picture, Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.types import Bytes, Doubles, Floats
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.export import Runs
from bertviz_app.viewmodels.viewport import signed_levels, usual_size
from bertviz_app.views.kit.canvas import Guarded, guarded
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Part, Pencil, in_column, in_row, named, signed_table
from bertviz_app.views.kit.subject import ExportSubject, picture_alone, sheet_of
from bertviz_app.views.kit.widgets import show_words
from bertviz_app.views.kit.words import fixed, write_prose
from bertviz_app.views.plots.picture import PaintedPlot, Painting
from bertviz_app.views.plots.plot import stepped

_Part = TypeVar("_Part")
AROUND = (24, 16, 24, 16)
"""The margins of a picture."""
EMBEDDING_COLOURS = ("accent", "sentence_b", "value")
"""Of what a token, its segment and its position have in their tables."""
_USUAL = (880, 520)
_LEAST_GROWN, _MOST_GROWN = 0.75, 1.7
_LARGER = 1.4


class LargerLook(Look):
    """The look of the window with larger letters: plots that are made for panels have small ones."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look.palette, parent=parent)
        self._look = look
        look.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        self.reduces_motion = self._look.reduces_motion
        self.set_scale(_LARGER * self._look.scale, least_word=self._look.least_word / _LARGER)
        self.set_palette(self._look.palette)


def growth(look: Look, times: float) -> float:
    """Return how many times larger than usual is drawn what has `times` its usual pixels of room."""
    return min(max(_LEAST_GROWN, times / look.scale), _MOST_GROWN)


class GrowingPicture(Guarded, QWidget):
    """A picture whose words, above and below what is drawn, grow with it."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        look.changed.connect(self._size_words)

    @property
    def grown(self) -> float:
        """How many times as large as usual the words are."""
        return max(1.0, growth(self.look, min(self.width() / _USUAL[0], self.height() / _USUAL[1])))

    def subject(self, runs: Runs | None) -> ExportSubject | None:
        """Return what is exported of it, under the title of its station."""
        if runs is None:
            return None
        return picture_alone(self, "lesson", sheet_of(self.windowTitle(), runs, "A"))

    @Slot()
    def _size_words(self) -> None:
        sizes = (self.look.pixels(self.grown * size) for size in (17, 16))
        sheet = "QLabel#pictureTitle {{ font-size: {}px }} QLabel#pictureNote {{ font-size: {}px }}"
        if self.styleSheet() != (sized := sheet.format(*sizes)):
            self.setStyleSheet(sized)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._size_words()


class LessonPicture(GrowingPicture):
    """A picture of the numbers of `pictures`, which `show_scene` shows, again whenever they have changed.

    What lays out a `title` above what is drawn, or a `note` below, has one.
    """

    name: Picture | None = None
    """It shows the scenes that have this picture."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look)
        self.pictures = pictures
        pictures.changed.connect(self.refresh)

    @cached_property
    def title(self) -> QLabel:
        """The words above what is drawn."""
        return title_label()

    @cached_property
    def note(self) -> QLabel:
        """The words below it."""
        return note_label()

    def lay_out(self, plot: QWidget, name: str, *below: Part) -> None:
        """Place a plot, with this name, below the title and above other parts, such as the note."""
        in_column(self.title, (plot, 1), *below, of=self, margins=AROUND, spacing=12)
        plot.setAccessibleName(name)
        self.setFocusProxy(plot)

    @Slot()
    def refresh(self) -> None:
        """Show the numbers as they are now, if the station has this picture."""
        scene = self.pictures.scene
        if scene is not None and scene.picture == self.name:
            self.show_scene(scene)

    def show_scene(self, scene: Scene) -> None:
        """Show the numbers of a scene, as far as they are there."""
        raise NotImplementedError


class PictureWords(Guarded, QLabel):
    """A label that shows its text as the texts of lessons are shown, see `write_prose`."""

    @guarded
    def setText(self, text: str) -> None:
        write_prose(self, text)


def title_label(words: str = "", name: str = "pictureTitle") -> PictureWords:
    """Return a label for the words above a picture."""
    label = named(PictureWords(wordWrap=True), name)
    label.setText(words)
    return label


def note_label(words: str = "") -> PictureWords:
    """Return a label for the words below a picture."""
    return title_label(words, "pictureNote")


def colours_label() -> QLabel:
    """Return a label that says what the colours of strips mean."""
    words = QCoreApplication.translate(
        "LessonPicture", "Each line of a strip is a number: grey below 0, orange above, faint near 0."
    )
    return note_label(words)


class DrawnPlot(PaintedPlot[_Part]):
    """A picture, not to be zoomed, that draws all of itself, with `images` of the numbers that it shows.

    It grows with its card: what is drawn is scaled as a whole where there is other room than is `usual`.
    """

    usual = _USUAL
    """Width and height, in pixels of the normal text size, that it fills without being scaled."""
    hint = 640, 420
    """Width and height that it asks its layout for."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.images: tuple[QImage, ...] = ()
        self._numbers: tuple[Floats, ...] = ()
        self._limit: float | None = None
        self._drawing = _Drawn(self)
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._motion.valueChanged.connect(self.draw_anew)

    def play(self, milliseconds: int) -> None:
        """Draw again while `done` goes from 0 to 1; at once where nothing may move."""
        self._motion.stop()
        self._motion.setDuration(0 if self.look.reduces_motion else milliseconds)
        self._motion.start()

    @property
    def done(self) -> float:
        """How far the motion is, 1 at its end."""
        is_running = self._motion.state() == QVariantAnimation.State.Running
        return float(self._motion.currentValue()) if is_running else 1.0

    def draw_with(self, pencil: Pencil) -> None:
        """Draw everything, in pixels of `room`."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:
        return QSize(*self.hint)

    @property
    def growth(self) -> float:
        """How many times as large as usual everything is drawn."""
        room = self._drawing.rect()
        return growth(self.look, min(room.width() / self.usual[0], room.height() / self.usual[1]))

    @property
    def room(self) -> QRectF:
        """Where it draws: the box, in pixels that are `growth` times as large as those of the screen."""
        size = self._drawing.rect().size() / self.growth
        return QRectF(0, 0, size.width(), size.height())

    def in_plot(self, rect: QRectF) -> QRectF:
        return super().in_plot(QRectF(rect.topLeft() * self.growth, rect.size() * self.growth))

    @Slot()
    def draw_anew(self) -> None:
        """Draw again, what has changed."""
        self._drawing.update()

    def show_numbers(self, *numbers: Floats, limit: float | None = None) -> None:
        """Have an image of each of these matrices of numbers [rows, columns].

        `limit` and more has full colour; without one, what is usual in the matrix.
        """
        self._numbers, self._limit = numbers, limit
        self.recolour()

    def mark_part(self, part: _Part | None) -> None:
        self.draw_anew()

    def recolour(self) -> None:
        self.images = tuple(
            number_image(self.look, each, self._limit or usual_size(each)) for each in self._numbers
        )
        self.draw_anew()


class DrawnCells(DrawnPlot[tuple[int, int]]):
    """Cells in rows and columns, which are its parts: (row, column)."""

    shape = 0, 0
    """How many rows and columns there are."""

    @property
    def count(self) -> int:
        return self.shape[0] * self.shape[1]

    def numbered(self, number: int) -> tuple[int, int]:
        return divmod(number, self.shape[1])

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        (row, column), (n_rows, n_columns) = part or (None, None), self.shape
        return (stepped(row, rows, n_rows), stepped(column, columns, n_columns)) if self.count else None

    def grid(self) -> QRectF:
        """Return where all cells are, in pixels of the box."""
        raise NotImplementedError

    def rect_of(self, part: tuple[int, int]) -> QRectF:
        grid, (n_rows, n_columns) = self.grid(), self.shape
        width, height = grid.width() / n_columns, grid.height() / n_rows
        return QRectF(grid.left() + part[1] * width, grid.top() + part[0] * height, width, height)


class _Drawn(Painting[DrawnPlot[Any]]):
    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self._plot.growth, self._plot.growth)
        self._plot.draw_with(Pencil(painter, self.look))


def number_image(look: Look, numbers: Floats, limit: float) -> QImage:
    """Return numbers [rows, columns] in the colours of signed numbers; `limit` and more have full colour."""
    levels: Bytes = signed_levels(np.clip(np.asarray(numbers, np.float64) / limit, -1, 1))
    return image_of(signed_table(look)[levels])


def image_of(colours: NDArray[np.uint32]) -> QImage:
    """Return an image with a pixel for each of the colours [rows, columns]."""
    colours = np.ascontiguousarray(colours)
    height, width = colours.shape
    return QImage(colours.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


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
