"""A token's vector times a matrix: one column of the grid is highlighted, and the number that comes of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QLabel

from bertviz_app.types import Floats
from bertviz_app.viewmodels.learning.pictures import HeadProduct, LessonPictures
from bertviz_app.viewmodels.viewport import signed_levels, usual_size
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named, signed_table
from bertviz_app.views.kit.words import MINUS, fixed, signed
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.plots.picture import PaintedPlot, Painting
from bertviz_app.views.plots.plot import stepped

_STRIP, _GAP, _ABOVE, _RESULT = 36.0, 44.0, 30.0, 40.0
_N_TERMS = 8


class ColumnsPlot(PaintedPlot[tuple[int, int]]):
    """The vector upright at the left, beside it the columns of the matrix, below these the results.

    Its parts are the numbers of the matrix (row, column), of which the arrows go around from the last column
    to the first; they start from the column that is highlighted.
    """

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.product: HeadProduct | None = None
        self.images: tuple[QImage, ...] = ()
        self.drawing = _ProductDrawing(self)

    def show_product(self, product: HeadProduct) -> None:
        """Show how a number comes about."""
        self.product = product
        parts = product.product.inputs[:, None], product.grid, product.results[None, :]
        self.images = tuple(number_image(self.look, part, usual_size(part)) for part in parts)
        self.drawing.update()

    def sizeHint(self) -> QSize:
        return QSize(480, 480)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns of the matrix."""
        rows, columns = (0, 0) if self.product is None else self.product.grid.shape
        return rows, columns

    @property
    def count(self) -> int:
        return self.shape[0] * self.shape[1]

    def numbered(self, number: int) -> tuple[int, int]:
        return divmod(number, self.shape[1])

    @property
    def current(self) -> tuple[int, int] | None:
        row = -1 if self.walked is None else self.walked[0]
        return None if self.product is None else (row, self.product.column)

    def part_at(self, at: QPointF) -> tuple[int, int] | None:
        grid, (n_rows, n_columns) = self.drawing.grid(), self.shape
        inside = at - self.box.sceneBoundingRect().topLeft() - grid.topLeft()
        row = math.floor(inside.y() / grid.height() * n_rows)
        column = math.floor(inside.x() / grid.width() * n_columns)
        return (row, column) if 0 <= row < n_rows and 0 <= column < n_columns else None

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        if part is None:
            return None
        return stepped(part[0], rows, self.shape[0]), (part[1] + columns) % self.shape[1]

    def rect_of(self, part: tuple[int, int]) -> QRectF:
        column, height = self.drawing.column(part[1]), self.drawing.grid().height() / self.shape[0]
        return QRectF(column.left(), column.top() + part[0] * height, column.width(), height)

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        """Return the two numbers that are multiplied."""
        assert self.product is not None
        row, column = part
        x, w = self.product.product.inputs[row], self.product.grid[part]
        title = self.tr("number {0}, column {1}").format(row, column)
        return [title, f"{fixed(x, 4)} × {fixed(w, 4)} = {fixed(float(x) * w, 4)}"]

    def recolour(self) -> None:
        if self.product is not None:
            self.show_product(self.product)


class _ProductDrawing(Painting[ColumnsPlot]):
    """Draws the vector, the grid and the results of `plot` into its box."""

    def grid(self) -> QRectF:
        """Return where the grid is, in pixels of the box."""
        room, look = self.rect(), self.look
        left = look.pixels(_STRIP + _GAP)
        below = look.pixels(_RESULT + _GAP)
        top = look.pixels(_ABOVE)
        return QRectF(left, top, room.width() - left - 2, room.height() - top - below)

    def column(self, column: int) -> QRectF:
        """Return where a column of the grid is."""
        assert self._plot.product is not None
        grid = self.grid()
        width = grid.width() / self._plot.product.grid.shape[1]
        return QRectF(grid.left() + column * width, grid.top(), width, grid.height())

    def draw(self, painter: QPainter) -> None:
        plot, look = self._plot, self.look
        if plot.product is None:
            return
        grid = self.grid()
        strip = QRectF(2, grid.top(), look.pixels(_STRIP), grid.height())
        results = QRectF(grid.left(), grid.bottom() + look.pixels(_GAP), grid.width(), look.pixels(_RESULT))
        for image, rect in zip(plot.images, (strip, grid, results), strict=True):
            painter.drawImage(rect, image)
            painter.setPen(look.colour("rule"))
            painter.drawRect(rect)
        painter.setFont(look.font(15, bold=True))
        painter.setPen(look.colour("text"))
        centre = Qt.AlignmentFlag.AlignCenter
        columns = QCoreApplication.translate("ProductPlot", "the columns of this head in W")
        for rect, words in ((strip, "x"), (grid, columns)):
            painter.drawText(
                QRectF(rect.left() - 20, 0, rect.width() + 40, look.pixels(_ABOVE) - 4), centre, words
            )
        between = QRectF(strip.right(), grid.top(), grid.left() - strip.right(), grid.height())
        painter.drawText(between, centre, "×")
        painter.drawText(QRectF(2, results.top(), strip.width(), results.height()), centre, "q")
        self._draw_highlighted(painter, strip, results)

    def _draw_highlighted(self, painter: QPainter, strip: QRectF, results: QRectF) -> None:
        """Frame the vector, the column and the result of it, and dim the other columns."""
        product, look = self._plot.product, self.look
        assert product is not None
        column, grid = self.column(product.column), self.grid()
        dim = look.colour("card", 0.45)
        painter.fillRect(QRectF(grid.left(), grid.top(), column.left() - grid.left(), grid.height()), dim)
        painter.fillRect(
            QRectF(column.right(), grid.top(), grid.right() - column.right(), grid.height()), dim
        )
        result = QRectF(column.left(), results.top(), column.width(), results.height())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.colour("accent"), 3))
        for rect in (strip, column, result):
            painter.drawRect(rect)
        if self._plot.part is not None:  # the two numbers that are multiplied
            cell = self._plot.rect_of(self._plot.part)
            painter.setPen(QPen(look.colour("text"), 1))
            for rect in (cell, QRectF(strip.left(), cell.top(), strip.width(), cell.height())):
                painter.drawRect(rect)
            painter.setPen(QPen(look.colour("accent"), 3))
        x = column.center().x()
        painter.drawLine(QPointF(x, grid.bottom() + 4), QPointF(x, results.top() - 5))
        painter.setPen(look.colour("accent"))
        painter.setFont(look.font(15, bold=True))
        room = QRectF(x + 6, grid.bottom(), 200, results.top() - grid.bottom())
        is_right = room.right() > grid.right()
        if is_right:
            room.moveRight(x - 6)
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, "Σ + b")


def number_image(look: Look, numbers: Floats, limit: float) -> QImage:
    """Return numbers [rows, columns] in the colours of signed numbers; `limit` and more have full colour."""
    levels: NDArray[np.uint8] = signed_levels(np.clip(np.asarray(numbers, np.float64) / limit, -1, 1))
    colours = np.ascontiguousarray(signed_table(look)[levels])
    height, width = colours.shape
    return QImage(colours.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


class ProductPicture(LessonPicture):
    """The plot, and beside it the first products of the highlighted column and their sum."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(pictures)
        self.plot = ColumnsPlot(look)
        self.title, self.sum = named(QLabel(wordWrap=True), "pictureTitle"), QLabel(wordWrap=True)
        self.terms = named(QLabel(), "pictureNote")
        named(self.sum, "pictureTitle")
        right = in_column(1, self.title, self.terms, self.sum, 2)
        in_row((self.plot, 3), (right, 2), of=self, margins=(24, 16, 24, 16), spacing=28)
        self.plot.setAccessibleName(self.tr("A vector times the columns of a matrix. Arrows choose a column"))
        self.plot.part_chosen.connect(lambda cell: pictures.choose_column(cell[1]))
        self.plot.part_pointed.connect(self._on_pointed)
        self.setFocusProxy(self.plot)
        self.refresh()

    @Slot(object)
    def _on_pointed(self, cell: tuple[int, int] | None) -> None:
        """Highlight the column that the arrows have come to."""
        if cell is not None and cell == self.plot.walked:
            self._pictures.choose_column(cell[1])

    @Slot()
    def refresh(self) -> None:
        """Show the product of the column that is chosen."""
        scene = self._pictures.scene
        found = None if scene is None or scene.picture != "product" else self._pictures.product
        if found is None:
            return
        self.plot.show_product(found)
        product = found.product
        self.title.setText(self.tr("“{0}”: number {1} of its query").format(found.token, found.column))
        lines = [
            f"{fixed(product.inputs[at], 3)} × {fixed(product.weights[at], 3)} = "
            f"{signed(float(product.products[at]), 4)}"
            for at in range(min(_N_TERMS, len(product.inputs)))
        ]
        rest = float(product.products[_N_TERMS:].sum())
        words = self.tr("and {0} more products: {1}")
        lines.append(words.format(len(product.inputs) - len(lines), signed(rest, 4)))
        if product.bias is not None:
            lines.append(self.tr("bias b: {0}").format(signed(product.bias, 4)))
        self.terms.setText("\n".join(lines))
        self.sum.setText(f"= {fixed(product.computed, 4)}".replace("-", MINUS))
        self.plot.setAccessibleDescription(f"{self.title.text()}: {fixed(product.computed, 4)}")
