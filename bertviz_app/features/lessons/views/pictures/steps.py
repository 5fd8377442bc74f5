"""From a token's vector to what its head gathers: query, key and value, then step by step."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLabel

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.features.lessons.course.lesson import Scene, Stage
from bertviz_app.features.lessons.state.computed import HeadProduct, Roles, roles_of, steps_of
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnCells,
    DrawnPlot,
    LargerLook,
    LessonPicture,
    title_label,
)
from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.viewport import usual_size
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.words import MINUS, fixed, signed
from bertviz_app.views.plots.axes import NumberAxis
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.plots.plot import Box, Plot, stepped

_VECTOR, _GRID_GAP, _GRID_ABOVE, _RESULT = 36.0, 44.0, 30.0, 40.0
_N_TERMS = 8


class ColumnsPlot(DrawnCells):
    """The vector upright at the left, beside it the columns of the matrix, below these the results.

    Its parts are the numbers of the matrix (row, column), of which the arrows go around from the last column
    to the first; they start from the column that is highlighted.
    """

    usual = hint = 480, 480

    product: HeadProduct

    def show_product(self, product: HeadProduct) -> None:
        """Show how a number comes about."""
        self.product = product
        self.shape = len(product.grid), len(product.results)
        self.show_numbers(product.product.inputs[:, None], product.grid, product.results[None, :])

    @property
    def current(self) -> tuple[int, int] | None:
        row = -1 if self.walked is None else self.walked[0]
        return (row, self.product.column) if self.count else None

    def part_at(self, at: QPointF) -> tuple[int, int] | None:
        grid, (n_rows, n_columns) = self.in_plot(self.grid()), self.shape
        row = math.floor((at.y() - grid.top()) / grid.height() * n_rows)
        column = math.floor((at.x() - grid.left()) / grid.width() * n_columns)
        return (row, column) if 0 <= row < n_rows and 0 <= column < n_columns else None

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        if part is None:
            return None
        return stepped(part[0], rows, self.shape[0]), (part[1] + columns) % self.shape[1]

    def grid(self) -> QRectF:
        room, left, top = self.room, self.look.pixels(_VECTOR + _GRID_GAP), self.look.pixels(_GRID_ABOVE)
        below = self.look.pixels(_RESULT + _GRID_GAP)
        return QRectF(left, top, room.width() - left - 2, room.height() - top - below)

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        """Return the two numbers that are multiplied."""
        row, column = part
        x, w = self.product.product.inputs[row], self.product.grid[part]
        title = self.tr("number {0}, column {1}").format(row, column)
        return [title, f"{fixed(x, 4)} × {fixed(w, 4)} = {fixed(float(x) * w, 4)}"]

    def draw_with(self, pencil: Pencil) -> None:
        if not self.count:
            return
        look, grid = self.look, self.grid()
        strip = QRectF(2, grid.top(), look.pixels(_VECTOR), grid.height())
        results = QRectF(
            grid.left(), grid.bottom() + look.pixels(_GRID_GAP), grid.width(), look.pixels(_RESULT)
        )
        for image, box in zip(self.images, (strip, grid, results), strict=True):
            pencil.image(image, box)
            pencil.box(box, "rule")
        for words, room in (
            ("x", QRectF(strip.left() - 20, 0, strip.width() + 40, look.pixels(_GRID_ABOVE) - 4)),
            (
                self.tr("this head's columns of the query matrix"),
                QRectF(grid.left(), 0, grid.width(), look.pixels(_GRID_ABOVE) - 4),
            ),
            ("×", QRectF(strip.right(), grid.top(), grid.left() - strip.right(), grid.height())),
            ("q", QRectF(2, results.top(), strip.width(), results.height())),
        ):
            pencil.write(words, room, look.font(15, bold=True))
        self._draw_highlighted(pencil, strip, results)

    def _draw_highlighted(self, pencil: Pencil, strip: QRectF, results: QRectF) -> None:
        """Frame the vector, the column and the result of it, and dim the other columns."""
        look, grid, column = self.look, self.grid(), self.rect_of((0, self.product.column))
        column.setHeight(grid.height())
        for left, right in ((grid.left(), column.left()), (column.right(), grid.right())):
            pencil.box(QRectF(left, grid.top(), right - left, grid.height()), fill=look.colour("card", 0.45))
        for box in (strip, column, QRectF(column.left(), results.top(), column.width(), results.height())):
            pencil.box(box, "accent", 3)
        if self.part is not None:  # the two numbers that are multiplied
            cell = self.rect_of(self.part)
            for box in (cell, QRectF(strip.left(), cell.top(), strip.width(), cell.height())):
                pencil.box(box, "text")
        x = column.center().x()
        pencil.line(QPointF(x, grid.bottom() + 4), QPointF(x, results.top() - 5), "accent", 3)
        room = QRectF(x + 6, grid.bottom(), 200, results.top() - grid.bottom())
        is_right = room.right() > grid.right()
        if is_right:
            room.moveRight(x - 6)
        pencil.write("Σ + b", room, look.font(15, bold=True), "accent", RIGHT if is_right else LEFT)


class ProductPicture(LessonPicture):
    """The plot, and beside it the first products of the highlighted column and their sum."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = ColumnsPlot(look)
        self.terms, self.sum = named(QLabel(), "pictureNote"), title_label()
        right = in_column(1, self.title, self.terms, self.sum, 2)
        in_row((self.plot, 3), (right, 2), of=self, margins=AROUND, spacing=28)
        self.plot.setAccessibleName(self.tr("A vector times the columns of a matrix. Arrows choose a column"))
        self.plot.part_chosen.connect(lambda cell: pictures.choose_column(cell[1]))
        self.plot.part_pointed.connect(self._on_pointed)
        self.setFocusProxy(self.plot)

    @Slot(object)
    def _on_pointed(self, cell: tuple[int, int] | None) -> None:
        """Highlight the column that the arrows have come to."""
        if cell is not None and cell == self.plot.walked:
            self.pictures.choose_column(cell[1])

    def show_scene(self, scene: Scene) -> None:
        found = self.pictures.of_now(self.pictures.product)
        if found is None:
            return
        self.plot.show_product(found)
        product = found.product
        self.title.setText(self.tr("“{0}”: number {1} of its query").format(found.token, found.column))
        first = zip(product.inputs[:_N_TERMS], product.weights, product.products.tolist(), strict=False)
        lines = [f"{fixed(x, 3)} × {fixed(w, 3)} = {signed(each, 4)}" for x, w, each in first]
        rest = float(product.products[_N_TERMS:].sum())
        words = self.tr("and {0} more products: {1}")
        lines.append(words.format(len(product.inputs) - len(lines), signed(rest, 4)))
        if product.bias is not None:
            lines.append(self.tr("bias b: {0}").format(signed(product.bias, 4)))
        self.terms.setText("\n".join(lines))
        self.sum.setText(f"= {fixed(product.computed, 4)}".replace("-", MINUS))
        self.plot.setAccessibleDescription(f"{self.title.text()}: {fixed(product.computed, 4)}")


_TOKEN, _WORDS, _SIGN, _SMALL = 30.0, 17.0, 24.0, 13.0
_WAY, _MATRIX, _ROLE_STRIP, _ONE_HEAD, _BETWEEN_HEADS = 84.0, 116.0, 34.0, 320.0, 6.0
_WAYS = (("query", "Q"), ("key", "K"), ("value", "V"))
"""The colour of each of the three roles of a token, and the index of its matrix W."""


class RolesPlot(DrawnPlot[int]):
    """The token at the left, three matrices beside it, and what comes out of each as a strip of numbers.

    Of all heads where they are shown, each a block of its own; else of the one. Its parts are the rows.
    """

    along = (1, 0)
    shows_words = True

    roles: Roles
    words: tuple[str, ...] = ()
    """What each of the three is; () before there are any."""
    shows_heads = False

    def show_roles(self, roles: Roles, *, shows_heads: bool) -> None:
        """Show what a token has in its three roles."""
        self.roles, self.shows_heads = roles, shows_heads
        words = (
            self.tr("query: what “{0}” looks for"),
            self.tr("key: which queries “{0}” matches"),
            self.tr("value: what “{0}” passes on"),
        )
        self.words = tuple(text.format(roles.token) for text in words)
        self.setAccessibleDescription(". ".join(self.words))
        self.show_numbers(*roles.vectors)
        self.forget_part()

    @property
    def shown_heads(self) -> range:
        """The heads whose numbers are drawn: all of them, or the one."""
        head, n_heads = self.roles.head, len(self.roles.vectors[0])
        return range(n_heads) if self.shows_heads else range(head, head + 1)

    @property
    def count(self) -> int:
        return len(self.words)

    def rect_of(self, part: int) -> QRectF:
        left, height = self._token_box().right(), self.room.height() / 3
        return QRectF(left, part * height, self.room.width() - left, height)

    def place_of(self, part: int) -> QPointF:
        return self.in_plot(self.strip(part)).center()

    def lines_of(self, part: int) -> list[str]:
        head = self.roles.head
        own = self.roles.vectors[part][head]
        first = ", ".join(fixed(float(number), 3) for number in own[:4])
        return [self.words[part], self.tr("head {0}: {1} numbers, {2} …").format(head, len(own), first)]

    # where things lie, in pixels of the box

    def _token_box(self) -> QRectF:
        metrics, look = QFontMetricsF(self.look.font(_TOKEN, bold=True)), self.look
        width = max(metrics.horizontalAdvance(self.roles.token), look.pixels(70)) + look.pixels(28)
        return QRectF(1, (self.room.height() - look.pixels(76)) / 2, width, look.pixels(76))

    def matrix(self, at: int) -> QRectF:
        """Return where the matrix of a role is."""
        row, size = self.rect_of(at), self.look.pixels(_MATRIX)
        height = min(size, row.height() - self.look.pixels(16))
        return QRectF(row.left() + self.look.pixels(_WAY), row.center().y() - height / 2, size, height)

    def strip(self, at: int) -> QRectF:
        """Return where the numbers of a role are."""
        row, left = self.rect_of(at), self.matrix(at).right() + self.look.pixels(56)
        height = self.look.pixels(_ROLE_STRIP)
        return QRectF(left, row.center().y() - height / 2, max(40.0, row.right() - left - 6), height)

    # drawing

    def draw_with(self, pencil: Pencil) -> None:
        if not self.words:
            return
        look, box = self.look, self._token_box()
        for at, (colour, _) in enumerate(_WAYS):
            matrix, strip = self.matrix(at), self.strip(at)
            middle = matrix.center().y()
            pencil.way(QPointF(box.right(), box.center().y()), QPointF(matrix.left(), middle), colour)
            pencil.line(QPointF(matrix.right(), middle), QPointF(strip.left() - 6, middle), colour, 3)
            self._draw_matrix(pencil, matrix, at)
            self._draw_strip(pencil, strip, at)
        pencil.box(box, "text", 1.5, fill="card", rounding=8)
        upper = box.adjusted(0, 4, 0, -look.pixels(24))
        pencil.write(self.roles.token, upper, look.font(_TOKEN, bold=True))
        words = self.tr("{0} numbers").format(self.roles.width)
        lower = QRectF(box.left(), upper.bottom(), box.width(), look.pixels(20))
        pencil.write(words, lower, look.font(_SMALL), "secondary")

    def _draw_matrix(self, pencil: Pencil, box: QRectF, at: int) -> None:
        look, n_heads, (colour, letter) = self.look, len(self.roles.vectors[at]), _WAYS[at]
        pencil.box(box, fill="card")
        if self.shows_heads:
            wide = box.width() / n_heads
            for head in range(n_heads):
                column = QRectF(box.left() + head * wide, box.top(), wide, box.height())
                pencil.box(column, fill=look.colour(colour, 0.35 if head == self.roles.head else 0.1))
                pencil.line(column.topLeft(), column.bottomLeft(), look.colour(colour, 0.5))
        pencil.box(box, colour, 2, fill=None if self.shows_heads else look.colour(colour, 0.15))
        large, small = look.font(_SIGN), look.font(0.65 * _SIGN)
        wide = QFontMetricsF(large).horizontalAdvance("W")
        both = wide + QFontMetricsF(small).horizontalAdvance("Q")
        sign = QRectF(box.center().x() - both / 2, box.top(), wide + 1, box.height())
        pencil.write("W", sign, large, side=LEFT)
        index = QRectF(sign.left() + wide, box.top() + look.pixels(7), both, box.height())
        pencil.write(letter, index, small, side=LEFT)

    def _draw_strip(self, pencil: Pencil, strip: QRectF, at: int) -> None:
        look, shown, (colour, _) = self.look, self.shown_heads, _WAYS[at]
        n_heads, each = self.roles.vectors[at].shape
        gap = look.pixels(_BETWEEN_HEADS)
        whole = strip.width() if len(shown) > 1 else min(strip.width(), look.pixels(_ONE_HEAD))
        wide = (whole - gap * (len(shown) - 1)) / len(shown)
        for number, head in enumerate(shown):
            block = QRectF(strip.left() + number * (wide + gap), strip.top(), wide, strip.height())
            is_own = head == self.roles.head
            part = QRectF(0, head, each, 1)
            pencil.image(self.images[at], block, part=part, opacity=1.0 if is_own else 0.55)
            pencil.box(block, *((colour, 2.0) if is_own else ("rule", 1.0)))
        words = self.tr("{0} numbers in head {1}").format(each, self.roles.head)
        if self.shows_heads:
            words = self.tr("{0} heads with {1} numbers each: {2}").format(n_heads, each, n_heads * each)
        high = look.pixels(26)
        above = QRectF(strip.left(), strip.top() - high, strip.width(), high)
        pencil.write(self.words[at], above, look.font(_WORDS, bold=True), colour, LEFT)
        below = QRectF(strip.left(), strip.bottom(), strip.width(), high)
        pencil.write(words, below, look.font(_SMALL), "secondary", LEFT)


class RolesPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = RolesPlot(look)
        self.lay_out(self.plot, self.tr("Query, key and value of a token. Arrows read them out"))

    def show_scene(self, scene: Scene) -> None:
        roles = self.pictures.of_now(roles_of)
        if roles is None:
            return
        self.plot.show_roles(roles, shows_heads=scene.part == "heads")
        words = self.tr("One vector, three matrices: “{0}” in layer {1}")
        if scene.part == "heads":
            words = self.tr("Each head has its own columns of each matrix: “{0}” in layer {1}")
        self.title.setText(words.format(roles.token, roles.layer))


_STAGES: tuple[Stage, ...] = ("scores", "scaled", "softmax", "mixed")
_SHARES = (0.27, 0.18, 0.18, 0.16, 0.21)
"""Of the width: the keys, the scores, the scaled ones, the weights, the weighted values."""
_LABEL, _HEAD, _NUMBER, _TALLEST, _GAP, _ABOVE, _STRIP = 18.0, 16.0, 16.0, 40.0, 18.0, 34.0, 22.0
_GROW_MS = 450


class StepsPlot(DrawnPlot[int]):
    """A row for each key, above them the query, and a column for each step as far as `stage`.

    Its parts are the keys. In the row of the one that is meant the query lies on the key, and below all rows
    are the products of the two, whose sum is its score.
    """

    shows_words = True
    usual = 780, 480
    hint = 720, 480
    steps: HeadSteps
    labels: tuple[str, ...] = ()
    n_shown = 1
    """How many steps are shown; the last of them is the new one."""
    _key = 0

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look)
        self._selection = selection
        follow_selection(self, selection, lambda part: Pair(key=part))
        selection.changed.connect(self._show_key)

    def show_steps(self, steps: HeadSteps, labels: tuple[str, ...], stage: Stage | None, key: int) -> None:
        """Show the steps of a query as far as a stage; `key` is meant while no other is pointed at."""
        n_shown = _STAGES.index(stage) + 1 if stage in _STAGES else len(_STAGES)
        is_new = n_shown > self.n_shown
        self.steps, self.labels, self.n_shown, self._key = steps, labels, n_shown, key
        self._show_key()
        self.setAccessibleDescription(". ".join(" ".join(self.lines_of(at)) for at in range(self.count)))
        self.forget_part()
        if is_new:
            self.play(_GROW_MS)

    def _show_key(self) -> None:
        if not self.labels:
            return
        steps = self.steps
        vectors = np.concatenate([steps.query_row[None], steps.keys])
        products = steps.products_with(self.key)
        of_values = [steps.gathered, *steps.values]
        rows: list[Floats] = [each / usual_size(vectors) for each in vectors]
        rows += [each / usual_size(steps.values) for each in of_values]
        self.show_numbers(*(each[None] for each in (*rows, products / np.abs(products).max())), limit=1.0)

    @property
    def key(self) -> int:
        """The key that is pointed at or pinned, else the one of the station."""
        shown = self._selection.shown.key
        return self._key if shown is None or shown >= self.count else shown

    @property
    def count(self) -> int:
        return len(self.labels)

    @property
    def current(self) -> int | None:
        return self.key if self.walked is None else self.walked

    def lines_of(self, part: int) -> list[str]:
        steps = self.steps
        words = self.tr("score {0}"), self.tr("divided {0}"), self.tr("weight {0}")
        numbers = zip(words, (steps.products, steps.biased, steps.weights), strict=True)
        return [self.labels[part], *(text.format(fixed(float(of[part]), 2)) for text, of in numbers)][
            : 1 + self.n_shown
        ]

    # where things lie

    def rect_of(self, part: int) -> QRectF:
        top, room = self.look.pixels(_ABOVE + _STRIP + 14), self.room
        pitch = min(
            (room.height() - top - self.look.pixels(_TALLEST + 12)) / self.count, self.look.pixels(_TALLEST)
        )
        return QRectF(0, top + part * pitch, room.width(), pitch)

    def _column(self, at: int, row: QRectF) -> QRectF:
        """Return the part of a row that is in a column: of the keys, or of a step."""
        labels = QFontMetricsF(self.look.font(_LABEL, bold=True))
        start = max(map(labels.horizontalAdvance, self.labels)) + self.look.pixels(_GAP)
        free = row.width() - start
        left = start + free * sum(_SHARES[:at])
        return QRectF(left, row.top(), free * _SHARES[at] - self.look.pixels(_GAP), row.height())

    def _below(self, at: int) -> QRectF:
        """Return where what comes of a column is, below the last row."""
        last = self.rect_of(self.count - 1)
        return self._column(
            at, QRectF(0, last.bottom() + self.look.pixels(12), last.width(), self.look.pixels(_STRIP))
        )

    # drawing

    def draw_with(self, pencil: Pencil) -> None:
        if not self.labels:
            return
        steps, look = self.steps, self.look
        d = fixed(float(np.sqrt(steps.radicand)), 2)
        names = (self.tr("key"), self.tr("score"), f"÷ {d}", self.tr("softmax"), self.tr("weight × value"))
        for at, name in enumerate(names):
            head = self._column(at, QRectF(0, 0, self.room.width(), look.pixels(_ABOVE)))
            is_shown, font = at <= self.n_shown, look.font(_HEAD, bold=True)
            pencil.write(name, head, font, look.colour("text", 1.0 if is_shown else 0.35))
            if not is_shown:
                column = head.united(self._column(at, self.rect_of(self.count - 1)))
                pencil.box(
                    column.adjusted(0, look.pixels(_ABOVE), 0, 0),
                    look.colour("rule"),
                    rounding=8,
                    is_broken=True,
                )
        self._draw_keys(pencil, steps)
        bars = ((steps.products, True), (steps.biased, True), (steps.weights, False))
        for at, (numbers, is_signed) in enumerate(bars[: self.n_shown], 1):
            self._draw_bars(pencil, at, numbers, is_signed=is_signed)
        if self.n_shown > 1 + len(bars[1:]):
            self._draw_values(pencil, steps)

    def _draw_keys(self, pencil: Pencil, steps: HeadSteps) -> None:
        """Draw the query, the keys, and the products of the query and the key that is meant."""
        look, key = self.look, self.key
        above = self._column(0, QRectF(0, look.pixels(_ABOVE), self.room.width(), look.pixels(_STRIP)))
        below = self._below(0)
        for box, image, name, colour in (
            (above, 0, f"q: {self.labels[steps.query]}", "query"),
            (below, -1, "q × k", "text"),
        ):
            pencil.image(self.images[image], box)
            pencil.box(box, colour, 2)
            before = QRectF(0, box.top(), box.left() - look.pixels(10), box.height())
            pencil.write(name, before, look.font(_HEAD, bold=True), colour, RIGHT)
        for at, label in enumerate(self.labels):
            row, is_meant = self.rect_of(at), at == key
            if is_meant:
                row.setRight(self._column(self.n_shown, row).right())
                pencil.box(row.adjusted(0, 1, 0, -1), fill=look.colour("accent", 0.1), rounding=6)
            strip = self._column(0, self.rect_of(at))
            before = QRectF(0, row.top(), strip.left() - look.pixels(10), row.height())
            ink = "text" if is_meant else "secondary"
            pencil.write(label, before, look.font(_LABEL, bold=is_meant), ink, RIGHT)
            strip = strip.adjusted(0, 0.16 * row.height(), 0, -0.16 * row.height())
            if is_meant:  # the query lies on it
                upper = QRectF(strip.topLeft(), strip.size())
                upper.setHeight(0.42 * strip.height())
                pencil.image(self.images[0], upper)
                pencil.box(upper, "query", 2)
                strip.setTop(upper.bottom() + 3)
            pencil.image(self.images[1 + at], strip, opacity=1.0 if is_meant else 0.6)
            pencil.box(strip, "key", 2 if is_meant else 1)
        total = self._below(1)
        words = f"Σ = {fixed(float(steps.products[key]), 2)}"
        pencil.line(
            QPointF(below.right() + 3, below.center().y()),
            QPointF(total.left() - 3, below.center().y()),
            "text",
            2,
        )
        pencil.write(words, total, look.number_font(_HEAD, bold=True), side=LEFT)

    def _draw_bars(self, pencil: Pencil, at: int, numbers: Floats, *, is_signed: bool) -> None:
        """Draw the numbers of a step; scores and scaled scores have one scale."""
        look, steps = self.look, self.steps
        scale = steps.products if is_signed else numbers
        low, high = min(0.0, float(scale.min())), float(scale.max())
        font = look.number_font(_NUMBER)
        text = QFontMetricsF(font).horizontalAdvance("−00.00") + 6
        done = self.done if at == self.n_shown else 1.0
        for key, number in enumerate(numbers.tolist()):
            box, is_meant = self._column(at, self.rect_of(key)), key == self.key
            width = box.width() - text
            zero = box.left() + width * -low / ((high - low) or 1.0)
            long = width * number / ((high - low) or 1.0) * done
            bar = QRectF(min(zero, zero + long), box.top(), max(abs(long), 1.5), box.height())
            colour = look.colour("sentence_b" if number < 0 else "accent", 1.0 if is_meant else 0.45)
            pencil.box(bar.adjusted(0, 0.22 * box.height(), 0, -0.22 * box.height()), fill=colour, rounding=3)
            room = QRectF(box.right() - text, box.top(), text, box.height())
            font = look.number_font(_NUMBER, bold=is_meant)
            pencil.write(fixed(number, 2), room, font, "text" if is_meant else "secondary", RIGHT)
        if not is_signed:
            total = self._below(at)
            pencil.write(
                f"Σ = {fixed(float(numbers.sum()), 2)}", total, look.number_font(_HEAD, bold=True), side=LEFT
            )

    def _draw_values(self, pencil: Pencil, steps: HeadSteps) -> None:
        """Draw the values, the stronger the more weight they have, and what they add up to."""
        column, look, largest = len(_SHARES) - 1, self.look, float(steps.weights.max()) or 1.0
        for key, weight in enumerate(steps.weights.tolist()):
            row = self.rect_of(key)
            strip = self._column(column, row).adjusted(0, 0.2 * row.height(), 0, -0.2 * row.height())
            pencil.image(
                self.images[2 + self.count + key], strip, opacity=self.done * (0.06 + 0.94 * weight / largest)
            )
            pencil.box(
                strip, look.colour("value", 0.25 + 0.75 * weight / largest), 2 if key == self.key else 1
            )
        below = self._below(column)
        pencil.image(self.images[1 + self.count], below, opacity=self.done)
        pencil.box(below, "output", 2)
        before = QRectF(self._below(column - 1))
        before.setRight(below.left() - look.pixels(8))
        pencil.write("Σ", before, look.font(_HEAD, bold=True), "output", RIGHT)


class StepsPicture(LessonPicture):
    """The plot, below a sentence on what is seen in it."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = StepsPlot(look, pictures.selection)
        self.lay_out(self.plot, self.tr("The steps from a query to its output. Arrows go from key to key"))

    def show_scene(self, scene: Scene) -> None:
        now, steps = self.pictures.now, self.pictures.of_now(steps_of)
        if now is None or steps is None:
            return
        labels: Sequence[str] = now.tokens.labels
        key = next((at for at, label in enumerate(labels) if label == scene.key), steps.query)
        self.plot.show_steps(steps, tuple(labels), scene.stage, key)
        words = self.tr("What “{0}” looks at and gathers, in layer {1}, head {2}")
        self.title.setText(words.format(labels[steps.query], steps.layer, steps.head))


class ScoresHistogram(Plot):
    """How many numbers lie in each part of a range."""

    def __init__(self, look: Look, colour: str) -> None:
        super().__init__(look)
        self._colour = colour
        self.box = Box(self)
        self.bottom = NumberAxis(self, self.box, "bottom")
        self.item = self.plot_around(self.box, bottom=self.bottom)
        self.ci.addItem(self.item, 0, 0)
        self.box.setMouseEnabled(False, False)
        self.bars = pg.BarGraphItem(x0=[], x1=[], height=[], pen=None)
        self.item.addItem(self.bars, ignoreBounds=True)
        self.recolour()

    def show_counts(self, edges: Doubles, counts: Doubles) -> None:
        """Show so many numbers between each two of `edges`."""
        self.bars.setOpts(x0=edges[:-1], x1=edges[1:], height=counts / (float(counts.max()) or 1.0))
        self.box.set_whole(QRectF(edges[0], 0, edges[-1] - edges[0], 1.05))

    def recolour(self) -> None:
        self.bottom.recolour()
        self.bars.setOpts(brush=self.look.colour(self._colour))


class ScoresPicture(LessonPicture):
    """Two histograms on one scale: of all products of the run, and of all scores."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.titles = title_label(), title_label()
        look = LargerLook(look, self)
        self.plots = products, scores = ScoresHistogram(look, "sentence_b"), ScoresHistogram(look, "accent")
        column = self.titles[0], (products, 1), self.titles[1], (scores, 1)
        in_column(*column, of=self, margins=AROUND, spacing=10)
        products.setAccessibleName(self.tr("How far the products q · k spread"))
        scores.setAccessibleName(self.tr("How far the scores spread"))

    def show_scene(self, scene: Scene) -> None:
        trace, spread = self.pictures.now, self.pictures.of_now(self.pictures.spread)
        if spread is None or trace is None:
            return
        before, after = (fixed(each, 1) for each in spread.deviations)
        words = self.tr("q · k, all pairs in all {0} heads: standard deviation {1}")
        divided = self.tr("divided by √{0} = {1}: standard deviation {2}")
        texts = (
            words.format(trace.n_layers * trace.n_heads, before),
            divided.format(round(spread.divisor**2), fixed(spread.divisor, 2), after),
        )
        counts = spread.products, spread.scores
        for title, text, plot, each in zip(self.titles, texts, self.plots, counts, strict=True):
            title.setText(text)
            plot.show_counts(spread.edges, each)
            plot.setAccessibleDescription(text)
