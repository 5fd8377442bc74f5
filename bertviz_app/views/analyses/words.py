"""A picture of a result as words that carry its numbers, or as arcs above words."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QScrollArea

from bertviz_app.analysis.picture import Picture
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.table import CopiesNumbers
from bertviz_app.views.analyses.titles import Scale, colours_of, lines_of, part_word
from bertviz_app.views.kit.arcs import Arcs, beside_in_lines
from bertviz_app.views.kit.labels import SIZE
from bertviz_app.views.kit.look import LEFT, Look, Pencil, ink_on, mixed, signed_table
from bertviz_app.views.kit.widgets import scrolled
from bertviz_app.views.plots.arcs import ArcsPlot
from bertviz_app.views.plots.picture import PaintedPlot
from bertviz_app.views.plots.plot import DrawnBy, Line

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
                _, number, *_ = lines_of(picture, (word, at))
                lines.append((f"→ {columns.labels[at]}", number))
        return lines
