"""A token's vector times a matrix, number by number; and its query, its key and its value."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLabel

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.computed import HeadProduct, Roles, roles_of
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnCells,
    DrawnPlot,
    LessonPicture,
    title_label,
)
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.words import MINUS, fixed, signed
from bertviz_app.views.plots.plot import stepped

_VECTOR, _GAP, _ABOVE, _RESULT = 36.0, 44.0, 30.0, 40.0
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
        room, left, top = self.room, self.look.pixels(_VECTOR + _GAP), self.look.pixels(_ABOVE)
        below = self.look.pixels(_RESULT + _GAP)
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
        results = QRectF(grid.left(), grid.bottom() + look.pixels(_GAP), grid.width(), look.pixels(_RESULT))
        for image, box in zip(self.images, (strip, grid, results), strict=True):
            pencil.image(image, box)
            pencil.box(box, "rule")
        for words, room in (
            ("x", QRectF(strip.left() - 20, 0, strip.width() + 40, look.pixels(_ABOVE) - 4)),
            (
                self.tr("this head's columns of the query matrix"),
                QRectF(grid.left(), 0, grid.width(), look.pixels(_ABOVE) - 4),
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
_WAY, _MATRIX, _STRIP, _ONE_HEAD, _BETWEEN_HEADS = 84.0, 116.0, 34.0, 320.0, 6.0
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
        height = self.look.pixels(_STRIP)
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
            end = QPointF(strip.left() - 6, middle)
            pencil.line(QPointF(matrix.right(), middle), end, colour, 3)
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
