"""Pictures of results as cells, as words that carry their numbers, and as arcs above words."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QScrollArea

from bertviz_app.analysis.picture import Picture, counted
from bertviz_app.types import Bools
from bertviz_app.values import replace
from bertviz_app.viewmodels.heads.pictures import quantised
from bertviz_app.viewmodels.viewport import CLOSE, PixelAxis, pyramid_of
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.table import (
    NO_PICTURE,
    CopiesNumbers,
    Scale,
    axis_word,
    colours_of,
    label_of,
    lines_of,
    number_line,
    part_word,
    title_of,
)
from bertviz_app.views.kit.arcs import Arcs, beside_in_lines
from bertviz_app.views.kit.labels import SIZE, Labels
from bertviz_app.views.kit.look import LEFT, Look, Pencil, ink_on, mixed, signed_table
from bertviz_app.views.kit.widgets import scrolled
from bertviz_app.views.kit.words import Item
from bertviz_app.views.plots.cells import Cells, CellsPlot, cell_of
from bertviz_app.views.plots.picture import ArcsPlot, PaintedPlot
from bertviz_app.views.plots.plot import DrawnBy, Line

Cell = tuple[int, int]
_MOST_NAMED = 64


class PictureCells(CopiesNumbers, CellsPlot):
    """Draws the last two axes of a `Picture`: rows, columns and a colour bar; its parts are the cells.

    One cell can be framed, from which the arrows start. Cells that can be dragged along their row emit
    `cell_carried`: the row, the column that was dragged, and the one where it was let go.
    """

    cell_carried = Signal(int, int, int)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.carries = False
        """Whether cells can be dragged along their row."""
        self.put: frozenset[Cell] = frozenset()
        """The cells that another text has given its state."""
        self.reached: Callable[[int, int], Bools] = lambda row, column: np.zeros((0, 0), bool)
        """Returns the cells that a state put in at a cell can change."""
        self._carried: tuple[int, int, int] | None = None
        self._framed: Cell | None = None
        # What no and full colour stand for since the colour bar was dragged; None: what the picture says.
        self._ends: tuple[float, float] | None = None
        self.bar.set_rescale(self._rescale)
        self.box.carry = self._carry
        self.box.close = CLOSE
        self.setMinimumSize(120, 60)

    def show_picture(self, picture: Picture) -> None:
        """Draw a picture without menus."""
        if self.picture.key != picture.key:
            self._ends = None
        self.picture = picture
        row, column = picture.axes
        parts = title_of(picture), axis_word(row.name), axis_word(column.name)
        self.setAccessibleName(self.tr("{0}: {1} down, {2} across").format(*parts))
        self.recolour()
        self.forget_part()

    def mark(self, cell: Cell | None) -> None:
        """Frame a cell, from which the arrows start; None: no cell."""
        if cell != self._framed:
            self._framed, self.walked = cell, None
        self.setAccessibleDescription(", ".join(self.marked_words))
        self.items_of_cells.update()

    @property
    def marked_words(self) -> list[str]:
        """What the framed cell says, if it has no number what is known beside it."""
        cell, picture = self._framed, self.picture
        if cell is None or cell[0] >= picture.values.shape[0] or cell[1] >= picture.values.shape[1]:
            return []
        if self.has(cell):
            return self.lines_of(cell)
        index = {axis.name: at for axis, at in zip(picture.axes, cell, strict=True)}
        return [translated(words) for words in picture.details(index)]

    def has(self, cell: Cell) -> bool:
        n_rows, n_columns = self.picture.values.shape
        return cell[0] < n_rows and cell[1] < n_columns and not np.isnan(self.picture.values[cell])

    def recolour(self) -> None:
        picture, look = self.picture, self.look
        if picture is NO_PICTURE:
            return
        is_signed, noise = picture.quantity.is_signed, picture.quantity.noise
        bottom, top = (0.0, picture.top) if self._ends is None else self._ends
        scale = Scale.of(replace(picture, top=top))
        high, middle, low = scale.bar
        if scale.largest < picture.largest:
            high, low = f"≥ {high}", f"≤ {low}" if is_signed else low
        low = f"≤ {scale.write(bottom)}" if bottom else low
        values = picture.values if is_signed else np.nan_to_num(picture.values)  # a signed gap is grey
        if is_signed:
            values = np.where(np.abs(values) < noise, np.float32(np.nan), values)
        values = np.clip(values, -scale.largest, scale.largest)  # infinite ones have the last colour
        values = values if is_signed else np.maximum(values - np.float32(bottom), 0)
        level = quantised(values, max(scale.largest - bottom, 1e-30), "linear", is_signed=is_signed)

        own, widest = picture.text, scale.widest
        if own is not None:
            widest = max((str(text) for text in own.ravel().tolist()), key=len, default="")

        def text_of(number: float) -> str:
            if number != number:
                return ""
            return "≈0" if is_signed and abs(number) < noise else scale.write(number)

        def texts(rows: range, columns: range) -> list[list[str]]:
            if own is not None:
                part = own[rows.start : rows.stop, columns.start : columns.stop]
                return [list(map(str, row)) for row in part.tolist()]
            shown = picture.values[rows.start : rows.stop, columns.start : columns.stop]
            return [[text_of(number) for number in row] for row in shown.tolist()]

        rows, columns = picture.axes
        names = [label_of(picture, label) for label in columns.labels]
        # Many labels that count up from 0: the axis has as many numbers as have room.
        is_numbered = len(columns) > _MOST_NAMED or columns.name == "dimension"
        is_numbered = is_numbered and columns.labels == counted(columns.name, len(columns)).labels
        self.show_cells(
            Cells(
                colours=pyramid_of(level, is_signed=is_signed),
                table=signed_table(look) if is_signed else look.weights,
                rows=Labels(look, [label_of(picture, label) for label in rows.labels]),
                columns=None if is_numbered else Labels(look, names),
                bar=(high, middle, low),
                texts=texts,
                widest_text=widest,
            )
        )

    def _rescale(self, factor: float | None, is_low: bool) -> None:
        """Move what no colour stands for, or full colour; of signed numbers both; None: as in the picture."""
        picture = self.picture
        if picture.categories:
            return
        whole = picture.top or picture.largest
        low, high = self._ends or (0.0, whole)
        width = max((high - low) * (factor or 1.0), whole / 1000)
        if is_low and not picture.quantity.is_signed:
            low = max(0.0, high - width)
        else:
            high = min(whole, low + width)
        self._ends = None if factor is None or (low, high) == (0.0, whole) else (low, high)
        self.recolour()

    def extras(self) -> tuple[object, ...]:
        return self._framed, self.omits_hints, self.put, self._carried

    def draw_below_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Hatch the cells without a number; those of signed numbers are grey."""
        picture = self.picture
        if picture.quantity.is_signed:
            return
        down, across = rows.tokens(), columns.tokens()
        missing = np.isnan(picture.values[down.start : down.stop, across.start : across.stop])
        self.hatch_cells(painter, rows, columns, missing)

    def draw_above_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Draw what is put in, the dots of marked cells, and the frame."""
        picture, pencil = self.picture, Pencil(painter, self.look)
        painter.setPen(QPen(self.look.colour("card"), 1.5))
        painter.setBrush(self.look.colour("text"))
        side = min(12.0, rows.pitch / 2, columns.pitch / 2)
        for cell in filter(self.has, self.put):
            corner = cell_of(rows, columns, *cell).topRight()
            painter.drawPolygon([corner, corner - QPointF(side, 0), corner + QPointF(0, side)])
        if self._carried is not None:
            row, source, column = self._carried
            for at in np.argwhere(self.reached(row, column)).tolist():
                pencil.box(cell_of(rows, columns, *at), fill=self.look.colour("accent", 0.22))
            start, end = (cell_of(rows, columns, row, at).center() for at in (source, column))
            pencil.line(start, end, "accent", 2)
            pencil.dot(start, 4, "accent")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        away = min(7.0, max(3.0, min(rows.pitch, columns.pitch) / 4))
        for row, column in np.argwhere(picture.marked).tolist() if picture.marked is not None else ():
            corner = cell_of(rows, columns, row, column).topRight()
            pencil.dot(corner + QPointF(-away, away), away / 2, self.ink(row, column))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.first is not None and not self.omits_hints:
            pencil.box(cell_of(rows, columns, *self.first).adjusted(1, 1, -1, -1), "accent", 2)

    def _carry(self, start: QPointF, now: QPointF, is_over: bool) -> bool:
        """Drag a cell along its row; beyond the cells it is let go without anything."""
        first = self.part_at(start)
        if not self.carries or first is None:
            return False
        (row, source), (_, column) = first, self.cell_at(now)
        self._carried = None if is_over or column is None else (row, source, column)
        self.items_of_cells.update()
        if column is None or is_over:
            self.read_out.hide_lines()
        else:
            names = self.picture.axes[1].labels
            lines = [
                self.tr("Layer {0}: “{1}” of B into “{2}” of A").format(row, names[source], names[column]),
                self.tr("Shaded: what it can reach. Let go to put it in; Interventions takes it out again."),
            ]
            self.read_out.show_lines(lines, now)
        if is_over and column is not None:
            self.cell_carried.emit(row, source, column)
        return True

    def menu_items(self) -> list[Item]:
        """Offer what dragging does for the framed cell: its own token's state of run B."""
        if not self.carries or self.first is None:
            return super().menu_items()
        (row, column), words = self.first, self.tr("Put the state of “{0}” after layer {1} of B into A")
        put = partial(self.cell_carried.emit, row, column, column)
        return [(words.format(self.picture.axes[1].labels[column], row), put), *super().menu_items()]

    @property
    def lacks_room(self) -> bool:
        """Whether a row or a column has no name; of all heads, which count up, some may have none."""
        return self.picture.axes[-1].name not in ("earlier head", "head of all") and super().lacks_room

    # its parts

    def part_at(self, at: QPointF) -> Cell | None:
        cell = super().part_at(at)
        return cell if cell is not None and self.has(cell) else None

    @property
    def first(self) -> Cell | None:
        return self._framed if self._framed is not None and self.has(self._framed) else None

    def lines_of(self, part: Cell) -> list[str]:
        return lines_of(self.picture, part)


_GAP, _PADDING, _BETWEEN = 3.0, 3.0, 6.0  # between words and lines, around a word, and between two texts
_WIDEST_NAME = 0.3  # the share of the width that the names of the texts have at most
_TINT = 0.32
_MOST_READ = 3  # so many arcs of a word are read out, the largest first
_CATEGORIES = ("query", "key")  # the colours of the first and the second category

Word = tuple[int, int]
"""The text, and the word in it."""


class PictureWords(CopiesNumbers, PaintedPlot[Word]):
    """Draws the last two axes of a `Picture`: a text for each row, a word in it for each column.

    A word is written on the colour of its number, without one where that is nan. Texts stand below each
    other, each with its name at the left, and below the name of its group where that is another one than the
    text's above it. The plot is as high as they need, and scrolled by `area`; `most_height`: it has that many
    pixels at most, and is no higher than it needs.
    """

    shows_words = True
    reads_at_pointer = False

    def __init__(self, look: Look, most_height: int = 0) -> None:
        super().__init__(look)
        self.places: dict[Word, QRectF] = {}
        self.headings: list[tuple[QRectF, str]] = []
        self.names: list[tuple[QRectF, str]] = []
        self._most_height = most_height
        self._height = 0.0
        self._painting = DrawnBy(look, self.box, self._draw_words)
        self._painting.follow(self.box)
        self.area: QScrollArea = scrolled(self)

    def show_picture(self, picture: Picture) -> None:
        self.picture = picture
        self.setAccessibleName(colours_of(picture))
        rows, _ = picture.axes
        self.setAccessibleDescription(
            ". ".join(f"{rows.labels[at]} {self.text_of(at)}".strip() for at in range(len(rows)))
        )
        self.resized()
        self.forget_part()

    def text_of(self, row: int) -> str:
        """Return the words of a text, with spaces between them."""
        return " ".join(word for word in self._words_of(row) if word)

    def _words_of(self, row: int) -> list[str]:
        picture = self.picture
        labels = picture.axes[1].labels
        return list(labels) if picture.text is None else [str(word) for word in picture.text[row].tolist()]

    # places

    def resized(self) -> None:
        """Give all words their places, and the plot the height that they need."""
        self.places, self.headings, self.names = {}, [], []
        picture, look = self.picture, self.look
        rows, size = picture.axes[0], QFontMetricsF(look.font(look.word_size(SIZE)))
        of_names = QFontMetricsF(look.font(12))
        names = [part_word(picture, rows, at) for at in range(len(rows))]
        widest = max(map(of_names.horizontalAdvance, names), default=0.0)
        left = min(widest + 12 if widest else 0.0, _WIDEST_NAME * self.width())
        line, top = size.height() + 4, 0.0
        advance = cache(size.horizontalAdvance)
        for row, name in enumerate(names):
            if not any(self._words_of(row)):  # behind the last of fewer texts
                continue
            group = picture.groups[row] if picture.groups else ""
            if group and (not row or picture.groups[row - 1] != group):
                top += _BETWEEN if row else 0
                self.headings.append((QRectF(0, top, self.width(), line), group))
                top += line
            self.names.append((QRectF(0, top, left - 8, line), name))
            x = left
            for number, word in enumerate(self._words_of(row)):
                if word:
                    wide = min(self.width() - left, advance(word) + 2 * _PADDING)
                    if x > left and x + wide > self.width():
                        x, top = left, top + line + _GAP
                    self.places[row, number] = QRectF(x, top, wide, line)
                    x += wide + _GAP
            top += line + _BETWEEN
        self._height = top
        needed = math.ceil(self._height)
        self.setMinimumHeight(needed)
        if self._most_height:
            self.area.setFixedHeight(min(needed, look.pixels(self._most_height)))
        self.viewport().update()

    def recolour(self) -> None:
        self.resized()

    # its parts are the words

    @property
    def count(self) -> int:
        return len(self.places)

    def numbered(self, number: int) -> Word:
        return list(self.places)[number]

    def number_of(self, part: Word) -> int:
        return list(self.places).index(part)

    def rect_of(self, part: Word) -> QRectF:
        return self.places[part]

    def beside(self, part: Word | None, rows: int, columns: int) -> Word | None:
        if not self.places or part is None:
            return next(iter(self.places), None)
        at = beside_in_lines(list(self.places.values()), self.number_of(part), rows, columns)
        return self.numbered(at)

    def lines_of(self, part: Word) -> list[Line]:
        picture = self.picture
        value, word = float(picture.values[part]), self._words_of(part[0])[part[1]]
        if not math.isnan(value) and not picture.categories:
            return [*lines_of(picture, part)]
        index = {axis.name: at for axis, at in zip(picture.axes, part, strict=True)}
        more = [part_word(picture, picture.axes[0], part[0]), *map(translated, picture.details(index))]
        role = "" if math.isnan(value) else translated(picture.categories[int(value)][1])
        return [word, *(line for line in (role, *more) if line)]

    # drawing

    def _draw_words(self, painter: QPainter) -> None:
        picture, look, pencil = self.picture, self.look, Pencil(painter, self.look)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for headings, font, colour in (
            (self.headings, look.font(13, bold=True), "text"),
            (self.names, look.font(12), "secondary"),
        ):
            painter.setFont(font)
            painter.setPen(look.colour(colour))
            for box, text in headings:
                painter.drawText(box, LEFT, text)
        painter.setFont(look.font(look.word_size(SIZE)))
        for word, box in self.places.items():
            ground = self._colour_of(picture, float(picture.values[word]))
            if ground is not None:
                pencil.box(box, fill=ground, rounding=4)
            painter.setPen(look.colour("text") if ground is None else ink_on(ground.rgb()))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._words_of(word[0])[word[1]])
            if word == self.part and not self.omits_hints:
                pencil.box(box.adjusted(0.5, 0.5, -0.5, -0.5), "text", rounding=4)

    def _colour_of(self, picture: Picture, value: float) -> QColor | None:
        """Return the colour of a number, None where it has none."""
        look = self.look
        if math.isnan(value):
            return None
        if picture.categories:
            return QColor(mixed(look, _CATEGORIES[int(value)], _TINT))
        largest = picture.top or picture.largest or 1.0
        share = 0.0 if abs(value) < picture.quantity.noise else min(1.0, max(-1.0, value / largest))
        if picture.quantity.is_signed:
            return QColor.fromRgb(int(signed_table(look)[128 + round(127 * share)]))
        return QColor.fromRgb(int(look.weights[round(255 * share)]))

    # in print

    @property
    def printed_height(self) -> float:
        """The height that all texts need."""
        return self._height

    @property
    def lacks_room(self) -> bool:
        """Whether it is too low for all texts."""
        return bool(self.height() < math.floor(self._height))


class PictureArcs(CopiesNumbers, ArcsPlot):
    """Draws the last two axes of a `Picture`: arcs from the words of the first to those of the second.

    Where both have the same words they stand once. Its parts are the words from which arcs start.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.arcs_of, self.lines_of_word = self._arcs_of, self._lines_of

    def show_picture(self, picture: Picture) -> None:
        """Draw a picture without menus, with the arcs of its first word that has any."""
        rows, columns = picture.axes
        is_same = picture is self.picture
        self.picture = picture
        self.setAccessibleName(colours_of(picture))
        self.setAccessibleDescription(
            ". ".join(", ".join(map(str, self._lines_of(word))) for word in range(len(rows)))
        )
        self.show_words(columns.labels, None if rows.labels == columns.labels else rows.labels)
        if not is_same:
            there = np.flatnonzero((np.nan_to_num(picture.values) != 0).any(1)).tolist()
            self.mark(next(iter(there), None))

    def _arcs_of(self, word: int) -> list[Arcs]:
        picture = self.picture
        values, ends = picture.values[word].tolist(), self.look.palette.differences
        write = Scale.of(picture).write
        texts = ["" if value != value else write(value) for value in values]
        full = picture.top or picture.largest
        if picture.quantity.is_signed:
            return [Arcs(values, QColor(ends[-1]), QColor(ends[0]), full, texts)]
        return [Arcs(values, self.look.colour("accent"), None, full, texts)]

    def _lines_of(self, word: int) -> list[Line]:
        """Return the word, and its largest numbers with the words that they lead to."""
        picture = self.picture
        (rows, columns), sizes = picture.axes, np.abs(np.nan_to_num(picture.values[word]))
        lines: list[Line] = [rows.labels[word]]
        for at in np.argsort(-sizes, kind="stable")[:_MOST_READ].tolist():
            if sizes[at]:
                lines.append((f"→ {columns.labels[at]}", number_line(picture, (word, at))))
        return lines
