"""A vector times a matrix as a grid with one line highlighted, and a row taken out of a table."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF

from bertviz_app.features.steps.columns import ROLES
from bertviz_app.features.steps.drawn import Joined
from bertviz_app.features.steps.views.sheets.sheet import StripPainter, along, between, image_of
from bertviz_app.features.steps.views.small_plots import D, SmallPlot
from bertviz_app.features.steps.weights import Lookup, Product
from bertviz_app.types import Floats
from bertviz_app.viewmodels.stages.stops import bound_of
from bertviz_app.viewmodels.viewport import Levels, signed_levels
from bertviz_app.views.kit.look import CENTRE, signed_table
from bertviz_app.views.kit.words import exact, fixed

_LETTERS, _RESULT = 58.0, 190.0
_STRIP, _GAP = 20.0, 5.0
_COLUMN = 20.0
_NUMBERED, _TALLEST, _CLOSE = 20.0, 46.0, 0.8
"""Of joined heads: the line of their numbers, the height of a strip, how much narrower they are then."""


class _MatrixPlot(SmallPlot[D]):
    """What both draw: pictures of many numbers."""

    def draw_levels(self, pen: StripPainter, levels: Levels | None, box: QRectF) -> None:
        """Draw the colours of a matrix; while they are on their way a plain ground."""
        pen.painter.fillRect(box, self.look.colour("raised"))
        if levels is not None:
            pen.painter.drawImage(box, image_of(signed_table(self.look)[levels]))
        pen.draw_frames([box])

    def draw_numbers(self, pen: StripPainter, values: Floats, box: QRectF, colour: str = "rule") -> None:
        """Draw a strip of numbers on a scale of their own, in a frame."""
        pen.draw_strip(box, values, bound_of(values))
        pen.box(box, colour, 1 if colour == "rule" else 2)


class ProductPlot(_MatrixPlot[Product]):
    """The vector above the matrix, whose lines lie as they are stored: each makes one number of the result.

    `highlighted` is the line read out below the grid. Up and down choose another one, left and right a
    number in it.
    """

    highlighted = 0

    def place(self, area: QRectF) -> None:
        super().place(area)
        pixels = self.look.pixels
        strip, gap = pixels(_STRIP), pixels(_GAP)
        left = area.left() + pixels(_LETTERS)
        width = area.width() - pixels(_LETTERS) - pixels(_RESULT)
        self.input_box = QRectF(left, area.top(), width, strip)
        below = 2 * (strip + gap) + gap
        top = self.input_box.bottom() + gap
        self.grid = QRectF(left, top, width, max(24.0, area.bottom() - below - top))
        self.line_box = QRectF(left, self.grid.bottom() + 2 * gap, width, strip)
        self.products_box = self.line_box.translated(0, strip + gap)
        self.result = QRectF(self.grid.right() + pixels(24), top, pixels(_COLUMN), self.grid.height())

    def highlight(self, place: int) -> None:
        self.highlighted = min(place // self.n_columns, self.n_rows - 1)
        self.describe()

    def describe(self) -> None:
        self.n_rows, self.n_columns = len(self.drawn.weights), len(self.drawn.inputs)
        self.n_places = self.n_rows * self.n_columns
        self.colour = ROLES.get(self.drawn.stage, "accent")
        letter = self.drawn.formulas[3].partition("_")[0]
        bias, total = self.drawn.bias, self.drawn.sum(self.highlighted)
        translate = QCoreApplication.translate
        made = fixed(float(self.drawn.outputs[self.highlighted]), 3)
        counts = f"{self.n_columns:,}", f"{self.n_rows:,}"
        if bias is None:
            words = translate(
                "Steps",
                "Out of {0} numbers come {1}: each line of the matrix makes one. {0} products add up to "
                "number {2} of {3}: {4}.",
            )
            self.sentence = words.format(*counts, self.highlighted, letter, made)
        else:
            words = translate(
                "Steps",
                "Out of {0} numbers come {1}: each line of the matrix makes one. {0} products add up to {2}, "
                "with the bias {3} to number {4} of {5}: {6}.",
            )
            numbers = fixed(total, 3), fixed(float(bias[self.highlighted]), 3)
            self.sentence = words.format(*counts, *numbers, self.highlighted, letter, made)

    def _row_box(self, box: QRectF) -> QRectF:
        """Return the box of the highlighted line in the grid or the result: high enough to be seen."""
        pitch = box.height() / self.n_rows
        height = max(3.0, pitch)
        top = box.top() + (self.highlighted + 0.5) * pitch - height / 2
        return QRectF(box.left(), min(max(top, box.top()), box.bottom() - height), box.width(), height)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        drawn, highlighted = self.drawn, self.highlighted
        eased = between(0, 1, progress)
        self.draw_numbers(pen, drawn.inputs, self.input_box)
        self.draw_levels(pen, drawn.levels, self.grid)
        frame = self._row_box(self.grid)
        pen.box(frame.adjusted(-2, -1, 2, 1), self.colour, 2)
        # From the highlighted line of the grid to the same line below it, where each number has its colour.
        pale = self.look.colour(self.colour, 0.5)
        pen.line(frame.bottomLeft(), self.line_box.topLeft(), pale)
        pen.line(frame.bottomRight(), self.line_box.topRight(), pale)
        self.draw_numbers(pen, drawn.weights[highlighted], self.line_box, self.colour)
        products = drawn.products(highlighted).astype(np.float32)
        if progress >= 1:
            self.draw_numbers(pen, products, self.products_box)
            outputs, box = drawn.outputs, self.result
            levels = signed_levels(np.clip(outputs / bound_of(outputs), -1, 1))[:, None]
            self.draw_levels(pen, levels, box)
            row = self._row_box(box)
            pen.box(row.adjusted(-2, -1, 2, 1), self.colour, 2)
            line = self.look.pixels(22)
            top = min(max(row.center().y() - line / 2, box.top()), box.bottom() - line)
            room = QRectF(box.right() + 8, top, self.area.right() - box.right() - 8, line)
            letter = drawn.formulas[3].partition("_")[0]
            text = f"{letter}_{{{highlighted}}} = {fixed(float(outputs[highlighted]), 3)}"
            pen.write_formula((text,), room, self.colour)
        else:
            shift = (self.products_box.top() - self.input_box.top()) * eased
            moving = self.input_box.translated(0, shift)
            pen.draw_moving(moving, drawn.inputs, bound_of(drawn.inputs), 0.85)
        self._write_letters(pen)
        if chosen is not None:
            x = self.grid.left() + (chosen % self.n_columns + 0.5) * self.grid.width() / self.n_columns
            top, bottom = self.input_box.top(), self.products_box.bottom()
            pen.line(QPointF(x, top), QPointF(x, bottom), "warning", 2)

    def _write_letters(self, pen: StripPainter) -> None:
        given, matrix, bias, made = self.drawn.formulas
        left, width = self.area.left(), self.look.pixels(_LETTERS) - 8
        letter = given.partition("_")[0]
        rows = (
            (given, self.input_box, "text"),
            (f"{matrix}^T", self.grid, "text"),
            (f"w_{{{self.highlighted}}}", self.line_box, self.colour),
            (f"{letter} ⊙ w", self.products_box, "secondary"),
        )
        for formula, box, colour in rows:
            pen.write_formula((formula,), along(box, left, width), colour)
        right = self.grid.right()
        before = along(self.grid, right + 4, self.result.left() - right - 8)
        pen.write_formula(("=",), before, "secondary")
        above = along(self.input_box, self.result.left(), self.look.pixels(60))
        pen.write_formula((made,), above, self.colour)
        total = along(self.products_box, right + 8, self.area.right() - right - 8)
        sums = f"Σ = {fixed(self.drawn.sum(self.highlighted), 3)}"
        with_bias = "" if self.drawn.bias is None else f"{sums},  + {bias}"
        forms = tuple(filter(None, (with_bias, sums)))
        pen.write_formula(forms, total, "text")

    def place_at(self, at: QPointF) -> int | None:
        if self.result.adjusted(-6, 0, 6, 0).contains(at):
            row = int((at.y() - self.result.top()) / self.result.height() * self.n_rows)
            return min(row, self.n_rows - 1) * self.n_columns
        if not self.grid.left() <= at.x() < self.grid.right():
            return None
        column = min(
            int((at.x() - self.grid.left()) / self.grid.width() * self.n_columns), self.n_columns - 1
        )
        if self.grid.top() <= at.y() < self.grid.bottom():
            row = int((at.y() - self.grid.top()) / self.grid.height() * self.n_rows)
            return min(row, self.n_rows - 1) * self.n_columns + column
        is_on_strip = self.input_box.top() <= at.y() <= self.products_box.bottom()
        return self.highlighted * self.n_columns + column if is_on_strip else None

    def walk(self, place: int | None, down: int, across: int) -> int:
        if place is None:
            return self.highlighted * self.n_columns
        row, column = divmod(place, self.n_columns)
        row = min(max(0, row + down), self.n_rows - 1)
        return row * self.n_columns + min(max(0, column + across), self.n_columns - 1)

    def point(self, place: int) -> QPointF:
        x = self.grid.left() + (place % self.n_columns + 0.5) * self.grid.width() / self.n_columns
        return QPointF(x, self._row_box(self.grid).center().y())

    def lines(self, place: int) -> list[str]:
        row, column = divmod(place, self.n_columns)
        given, weight = self.drawn.inputs[column], self.drawn.weights[row, column]
        product = fixed(float(self.drawn.products(row)[column]), 6)
        words = QCoreApplication.translate("Steps", "number {0} of the vector, line {1} of the matrix")
        return [f"{exact(given)} × {exact(weight)} = {product}", words.format(column, row)]


_TABLE_WIDTH, _NAMES, _OUT = 64.0, 150.0, 36.0


class JoinedPlot(_MatrixPlot[Joined]):
    """The outputs of the heads, each with its number; below them the same without gaps: one vector."""

    def describe(self) -> None:
        self.n_places, self.n_numbers = self.drawn.heads.shape
        words = QCoreApplication.translate(
            "Steps",
            "Each of the {0} heads wrote {1} numbers for “{2}”. Side by side they are one vector of {3} "
            "numbers.",
        )
        total = f"{self.n_places * self.n_numbers:,}"
        self.sentence = words.format(self.n_places, self.n_numbers, self.token, total)
        self._bound = bound_of(self.drawn.heads)

    def apart(self, head: int) -> QRectF:
        """Return where the numbers of a head are before they are joined."""
        gap = min(self.look.pixels(16), self.area.width() / (4 * self.n_places))
        wide = (self.area.width() - gap * (self.n_places - 1)) / self.n_places
        top = self.area.top() + self.look.pixels(_NUMBERED)
        return QRectF(self.area.left() + head * (wide + gap), top, wide, self._height())

    def joined(self, head: int) -> QRectF:
        """Return where they are afterwards."""
        wide = self.apart(0).width() * _CLOSE
        left = self.area.center().x() - wide * self.n_places / 2
        return QRectF(left + head * wide, self.area.bottom() - self._height() - 4, wide, self._height())

    def _height(self) -> float:
        return min(self.look.pixels(_TALLEST), (self.area.height() - self.look.pixels(_NUMBERED)) / 3.2)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        eased = between(0, 1, progress)
        for head, values in enumerate(self.drawn.heads):
            start, end = self.apart(head), self.joined(head)
            is_highlighted = head in (chosen, self.drawn.head)
            outline = ("output", 2) if is_highlighted else ("rule", 1)
            above = QRectF(start.left(), self.area.top(), start.width(), self.look.pixels(_NUMBERED) - 2)
            pen.painter.setFont(self.look.number_font(12))
            pen.painter.setPen(self.look.colour("output" if is_highlighted else "secondary"))
            pen.painter.drawText(above, CENTRE, str(head))
            below, over = (
                QPointF(start.center().x(), start.bottom() + 2),
                QPointF(end.center().x(), end.top() - 2),
            )
            pen.line(below, over, self.look.colour("output", 0.9 if is_highlighted else 0.3), outline[1])
            way = end.topLeft() - start.topLeft()
            shape = QRectF(start.topLeft() + way * eased, start.size() + (end.size() - start.size()) * eased)
            for box in (start, shape):
                pen.draw_strip(box, values, self._bound)
            pen.box(start, *outline)
        if progress >= 1:
            whole = self.joined(0).united(self.joined(self.n_places - 1))
            for box in (whole, self.joined(self.drawn.head)):
                pen.box(box, "output", 2)

    def boxes(self) -> list[QRectF]:
        return [box(head) for box in (self.apart, self.joined) for head in range(self.n_places)]

    def lines(self, place: int) -> list[str]:
        translate = QCoreApplication.translate
        first = place * self.n_numbers
        words = translate("Steps", "head {0}: dimensions {1} to {2}")
        length = float(np.linalg.norm(self.drawn.heads[place].astype(np.float64)))
        return [
            words.format(place, first, first + self.n_numbers - 1),
            translate("Steps", "length {0}").format(fixed(length, 4)),
        ]


class LookupPlot(_MatrixPlot[Lookup]):
    """The whole table as a tall strip with one row highlighted; beside it that row and those around it."""

    def describe(self) -> None:
        drawn = self.drawn
        self.n_places = drawn.rows.shape[1]
        words = QCoreApplication.translate(
            "Steps",
            "The table has {0} rows of {1} numbers. “{2}” has the number {3}, so row {3} is taken out: "
            "nothing is computed.",
        )
        self.sentence = words.format(f"{drawn.n_rows:,}", self.n_places, self.token, f"{drawn.index}")

    def place(self, area: QRectF) -> None:
        super().place(area)
        pixels = self.look.pixels
        self.table = QRectF(area.left() + 2, area.top(), pixels(_TABLE_WIDTH), area.height())
        n_rows = len(self.drawn.rows)
        self._pitch = min(area.height() / n_rows, float(pixels(34)))
        self._top = area.center().y() - n_rows * self._pitch / 2
        self._left = self.table.right() + pixels(_NAMES + 30)
        self._width = max(60.0, area.right() - self._left - pixels(_OUT) - 4)

    def row_box(self, row: int, out: float = 1.0) -> QRectF:
        """Return where a row of the excerpt lies; its own is drawn out to the right."""
        index = row - self.drawn.first
        shift = self.look.pixels(_OUT) * out if row == self.drawn.index else 0.0
        top = self._top + index * self._pitch
        return QRectF(self._left + shift, top + 4, self._width, self._pitch - 8)

    def draw(self, pen: StripPainter, chosen: int | None, progress: float) -> None:
        drawn, eased = self.drawn, between(0, 1, progress)
        self.draw_levels(pen, drawn.levels, self.table)
        y = self.table.top() + (drawn.index + 0.5) / drawn.n_rows * self.table.height()
        highlighted = QRectF(self.table.left(), y - 1.5, self.table.width(), 3)
        pen.painter.fillRect(highlighted.adjusted(-2, 0, 2, 0), self.look.colour("accent"))
        side = self._left - self.look.pixels(_NAMES)
        last = self._top + len(drawn.rows) * self._pitch
        pale = self.look.colour("accent", 0.5)
        pen.line(highlighted.topRight(), QPointF(side - 6, self._top), pale)
        pen.line(highlighted.bottomRight(), QPointF(side - 6, last), pale)
        bound = bound_of(drawn.rows)
        for index, values in enumerate(drawn.rows):
            row = drawn.first + index
            box, is_own = self.row_box(row, eased), row == drawn.index
            if is_own:
                pen.draw_moving(box, values, bound)
            else:
                pen.painter.setOpacity(0.45)
                pen.draw_strip(box, values, bound)
                pen.painter.setOpacity(1.0)
                pen.draw_frames([box])
            name = along(box.adjusted(0, -2, 0, 2), side, self.look.pixels(_NAMES) - 8)
            colour = "accent" if is_own else "secondary"
            number = along(name, side, self.look.pixels(52))
            pen.write_number(str(row), number, colour, bold=is_own)
            if drawn.name_of is not None:
                word = name.adjusted(self.look.pixels(62), 0, 0, 0)
                pen.label(drawn.name_of(row), word, colour, bold=is_own)
        if chosen is not None:
            at = self.point(chosen)
            box = self.row_box(drawn.index)
            pen.line(QPointF(at.x(), box.top() - 2), QPointF(at.x(), box.bottom() + 2), "warning", 2)

    def boxes(self) -> list[QRectF]:
        box = self.row_box(self.drawn.index)
        width = box.width() / self.n_places
        return [along(box, box.left() + index * width, width) for index in range(self.n_places)]

    def lines(self, place: int) -> list[str]:
        words = QCoreApplication.translate("Steps", "dimension {0}").format(place)
        return [exact(self.drawn.row[place]), f"{self.token} · {words}"]
