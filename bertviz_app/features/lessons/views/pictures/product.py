"""A token's vector times a matrix: one column of the grid is highlighted, and the number that comes of it."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Slot
from PySide6.QtWidgets import QLabel

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import HeadProduct, LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    CellsPlot,
    LessonPicture,
    title_label,
)
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.pencil import LEFT, RIGHT, Pencil
from bertviz_app.views.kit.words import MINUS, fixed, signed
from bertviz_app.views.plots.plot import stepped

_STRIP, _GAP, _ABOVE, _RESULT = 36.0, 44.0, 30.0, 40.0
_N_TERMS = 8


class ColumnsPlot(CellsPlot):
    """The vector upright at the left, beside it the columns of the matrix, below these the results.

    Its parts are the numbers of the matrix (row, column), of which the arrows go around from the last column
    to the first; they start from the column that is highlighted.
    """

    usual = hint = 480, 480

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.product: HeadProduct | None = None

    def show_product(self, product: HeadProduct) -> None:
        """Show how a number comes about."""
        self.product = product
        self.shape = len(product.grid), len(product.results)
        self.show_numbers(product.product.inputs[:, None], product.grid, product.results[None, :])

    @property
    def current(self) -> tuple[int, int] | None:
        row = -1 if self.walked is None else self.walked[0]
        return None if self.product is None else (row, self.product.column)

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
        room, left, top = self.room, self.look.pixels(_STRIP + _GAP), self.look.pixels(_ABOVE)
        below = self.look.pixels(_RESULT + _GAP)
        return QRectF(left, top, room.width() - left - 2, room.height() - top - below)

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        """Return the two numbers that are multiplied."""
        assert self.product is not None
        row, column = part
        x, w = self.product.product.inputs[row], self.product.grid[part]
        title = self.tr("number {0}, column {1}").format(row, column)
        return [title, f"{fixed(x, 4)} × {fixed(w, 4)} = {fixed(float(x) * w, 4)}"]

    def draw_with(self, pencil: Pencil) -> None:
        if self.product is None:
            return
        look, grid = self.look, self.grid()
        strip = QRectF(2, grid.top(), look.pixels(_STRIP), grid.height())
        results = QRectF(grid.left(), grid.bottom() + look.pixels(_GAP), grid.width(), look.pixels(_RESULT))
        for image, box in zip(self.images, (strip, grid, results), strict=True):
            pencil.image(image, box)
            pencil.box(box, "rule")
        for words, room in (
            ("x", QRectF(strip.left() - 20, 0, strip.width() + 40, look.pixels(_ABOVE) - 4)),
            (
                self.tr("the columns of this head in W"),
                QRectF(grid.left(), 0, grid.width(), look.pixels(_ABOVE) - 4),
            ),
            ("×", QRectF(strip.right(), grid.top(), grid.left() - strip.right(), grid.height())),
            ("q", QRectF(2, results.top(), strip.width(), results.height())),
        ):
            pencil.write(words, room, look.font(15, bold=True))
        self._draw_highlighted(pencil, strip, results)

    def _draw_highlighted(self, pencil: Pencil, strip: QRectF, results: QRectF) -> None:
        """Frame the vector, the column and the result of it, and dim the other columns."""
        assert self.product is not None
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
