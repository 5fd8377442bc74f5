"""The sheets of the stops: the arithmetic of one head as a teacher would draw it, products, equations."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.features.steps.drawn import (
    ROLES,
    PairProducts,
    column_word,
    columns_in_focus,
    columns_of,
    pair_products,
)
from bertviz_app.features.steps.views.sheet import (
    Cell,
    ColumnLayout,
    Line,
    Link,
    PlacedColumn,
    RowAxis,
    Sheet,
    StripPainter,
    VectorStyle,
    along,
    between,
    image_of,
    row_axis,
    rows_in_sight,
)
from bertviz_app.types import Floats
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stage import EncoderPart, Term, projection_index
from bertviz_app.viewmodels.stages.stops import STAGES, Statistics, StopTensors, bound_of, equation, own_line
from bertviz_app.views.kit.formula import fitting
from bertviz_app.views.kit.look import LEFT, RIGHT
from bertviz_app.views.kit.words import cell_number, fixed

_LINE, _LINK = 26.0, 20.0
_NAMES_WIDTH, _FOOT = 48.0, 32.0
_DIMENSION, _NUMBER, _GAP, _WIDEST_BARS = 44.0, 76.0, 14.0, 460.0


class ProductsSheet(Sheet):
    """A row for each dimension: q_d, k_d, their product, and a bar as long as it. The foot has the sum."""

    is_alone = True

    def place(self) -> None:
        self.head, self.foot = float(self.look.pixels(_NAMES_WIDTH)), float(self.look.pixels(_FOOT))
        self.highlight(self.highlighted)
        self.n_rows = len(self.pair.products)

    def highlight(self, token: int | None) -> None:
        """Show the products of the query and another key."""
        super().highlight(token)
        assert self.tensors.steps is not None
        self.pair = pair_products(self.tensors.trace, self.tensors.steps, token)
        self.bound = self.pair.bound
        self.place_columns()

    def place_columns(self) -> None:
        """Place q_d, k_d and their product."""
        pair, left = self.pair, self.area.left() + self.look.pixels(_DIMENSION)
        width = min(float(self.look.pixels(_NUMBER)), (self.area.right() - left) / 3)
        self.columns = [
            PlacedColumn(name, kind, values, self.bound, (), "", left + index * width, width - 4, inset=inset)
            for index, (name, kind, values, inset) in enumerate(
                (
                    ("q_i", "number", pair.query_row, 5.0),
                    ("keys", "number", pair.key_row, 5.0),
                    ("product", "tinted", pair.products.astype(np.float32), 0.0),
                )
            )
        ]

    @property
    def _link(self) -> Link:
        """What shows the rows of the keys again."""
        text = QCoreApplication.translate("Steps", "All keys")
        return self.link(self.area.topLeft(), f"◂ {text}")

    def draw_head(self, pen: StripPainter) -> None:
        """Draw the link and the names of the columns."""
        if not pen.omits_links:
            self._link.draw(pen)
        link = self.look.pixels(_LINK)
        names = QRectF(self.area.left(), self.area.top() + link, self.area.width(), self.head - link - 2)
        dimension = QRectF(names.left(), names.top(), self.look.pixels(_DIMENSION) - 12, names.height())
        pen.name_dimensions(dimension)
        words, formulas = (self.pair.query_label, self.pair.key_label, ""), ("q_d", "k_d", "q_d k_d")
        for column, formula, word in zip(self.columns, formulas, words, strict=True):
            cell = QRectF(column.left, names.top(), column.width - 5, names.height())
            made = pen.write_formula((formula,), cell, "accent", RIGHT)
            pen.write(
                word, cell.adjusted(0, 0, -made.box.width - 5, 0), self.look.font(12), "secondary", RIGHT
            )
        pen.draw_rule(self.area, self.rows_area.top() - 1)

    def draw_label(self, pen: StripPainter, row: int, box: QRectF) -> None:
        """Write the dimension; draw the bar that stands behind the numbers, if there is room for it."""
        number = QRectF(box.left(), box.top(), self.look.pixels(_DIMENSION) - 12, box.height())
        pen.write_number(str(row), number, "secondary")
        last = self.columns[-1]
        left = last.left + last.width + self.look.pixels(_GAP)
        width = min(self.area.right() - left, float(self.look.pixels(_WIDEST_BARS)))
        if width < self.look.pixels(_NUMBER):
            return
        # To the right of the middle if the product raises the score, else to the left.
        product, middle = float(self.pair.products[row]), left + width / 2
        bar = QRectF(middle, box.top() + 4, product / self.bound * width / 2, box.height() - 8)
        pen.painter.fillRect(bar.normalized(), pen.colour_of(product, self.bound))
        pen.line(QPointF(middle, box.top()), QPointF(middle, box.bottom()), "rule")

    def draw_foot(self, pen: StripPainter) -> None:
        """Draw the sum of the products: the score."""
        pen.draw_rule(self.area, self.foot_top)
        box = QRectF(self.area.left(), self.foot_top + 3, self.area.width(), self.foot - 3)
        total = self.columns[-1].cell(box)
        pen.write_number(cell_number(self.pair.score), total.adjusted(0, 0, -5, 0), bold=True)
        words = QRectF(box.left() + 4, box.top(), total.left() - box.left(), box.height())
        pen.write_formula(("q_i · k_j = Σ_d q_d k_d", "Σ_d"), words, "accent")

    def above(self) -> list[Line]:
        return [self._link.line]

    def label_of(self, row: int) -> None:
        """Return nothing: a row is a dimension."""

    def cell_of(self, column: PlacedColumn, row: int) -> Cell:
        token = self.tensors.query if column.name == "q_i" else self.pair.key
        return replace(super().cell_of(column, row), token=token, dimension=row)


_QUERY_SHARE = 0.24
_PRODUCTS_FROM, _SUMS_FROM = 190.0, 130.0  # less height is left to the rows
_NAMES, _DIMENSIONS, _SUMS = 24.0, 15.0, 32.0
_WORDS, _WORDS_FROM = 17.0, 190.0
_SUMMED = ("exponential", "weight", "weighted")
_MEETING = 0.55
"""The part of a row's motion in which the query comes down to the key."""


class FlowSheet(Sheet):
    """Rows are the tokens. Above the keys stands the query, below the weighted values their sum."""

    def place(self) -> None:
        tensors, area = self.tensors, self.area
        steps, stage = tensors.steps, STAGES[tensors.stop.stage]
        assert steps is not None
        self.steps: HeadSteps = steps
        self.n_rows = tensors.trace.n_tokens
        self.focus = columns_in_focus(tensors)
        self.is_mixing = stage.part is EncoderPart.MIXING
        self._labels = self.label_width()
        self._layout = ColumnLayout(self.look, area, self.focus)
        self._fitted = self._layout.fitting(columns_of(tensors), self._labels)
        has_query = self.is_mixing and any(column.name == "keys" for column in self._fitted)
        if has_query:
            # Widen the column of tokens, in which the query's letter stands beside its name; not where that
            # would drive out the keys.
            letter = fitting(self.look, ("q_i",), 99, 14).box.width + self.look.pixels(6)
            wider = max(self._labels, min(self._labels + letter, _QUERY_SHARE * area.width()))
            fewer = self._layout.fitting(columns_of(tensors), wider)
            if any(column.name == "keys" for column in fewer):
                self._labels, self._fitted = wider, fewer
        self.place_columns()
        has_products = stage.key == "scores" and area.height() >= self.look.pixels(_PRODUCTS_FROM)
        self._products = float(self.look.pixels(_LINE) + self.look.pixels(_LINK)) if has_products else 0.0
        self.head = self._query_top - area.top() + (self.look.pixels(28) if has_query else 4)
        of_sums = self.look.pixels(_SUMS) if self._has_sums else 0.0
        self.foot = self._products + of_sums if self.is_mixing else 0.0
        self.bound = next((column.bound for column in self.columns if column.name == stage.coloured), 0.0)

    def place_columns(self) -> None:
        self.columns = self._layout.placed(self._fitted, self._labels, self.first)

    @property
    def _words(self) -> float:
        """The height of the words above the letters; in a low or a narrow panel there are none."""
        has_words = self._layout.is_wide and self.area.height() >= self.look.pixels(_WORDS_FROM)
        return float(self.look.pixels(_WORDS)) if has_words else 0.0

    @property
    def _query_top(self) -> float:
        """The vertical position below the names of the columns, and the numbers of the dimensions."""
        has_numbers = any(column.axis is not None and column.axis.shown for column in self.columns)
        return (
            self.area.top()
            + self._words
            + self.look.pixels(_NAMES)
            + (self.look.pixels(_DIMENSIONS) if has_numbers else 0)
        )

    @cached_property
    def left_out(self) -> list[str]:
        """The columns that a wider panel would show: of the projections all, else those in focus."""
        shown = {column.name for column in self.columns}
        return [
            column.name
            for column in columns_of(self.tensors)
            if column.name not in shown and (column.name in self.focus or not self.is_mixing)
        ]

    @property
    def pair(self) -> PairProducts:
        """The products of the query and the highlighted key, else the one with the largest weight."""
        return pair_products(self.tensors.trace, self.steps, self.highlighted)

    # drawing

    def draw_head(self, pen: StripPainter) -> None:
        line = self.look.pixels(_NAMES)
        top = self.area.top()
        for column in self.columns:
            is_focus, is_number = column.name in self.focus, column.axis is None and column.kind != "bar"
            box = QRectF(column.left, top + self._words, column.width, line)
            if is_focus:
                below = self.foot_top + self.foot - top
                room = QRectF(column.left - self._layout.gap / 2, top, column.width + self._layout.gap, below)
                pen.draw_band(room, 0.07)
            colour = ROLES.get(column.name, "accent" if is_focus else "secondary")
            if self._words:
                # A number's word may begin in the gap before it.
                room = QRectF(column.left, top, column.width, self._words)
                word = room.adjusted(4 - self._layout.gap, 0, 0, 0) if is_number else room
                side, text = RIGHT if is_number else LEFT, column_word(column.name)
                pen.write(text, word, self.look.font(12), "secondary", side)
            pen.write_formula(column.formulas, box, colour, RIGHT if is_number else LEFT)
            if column.sign and self._layout.is_wide and column is not self.columns[0]:
                pen.label(column.sign, box.translated(self.look.pixels(5) - self._layout.gap, 0), "secondary")
            if column.axis is not None:
                pen.draw_dimensions(column.axis, box.bottom(), self.look.pixels(_DIMENSIONS))
            if column.name == "keys" and self.is_mixing:
                # The query over the keys: number stands over number, as they are multiplied.
                assert column.axis is not None
                label = QRectF(self.area.left(), self._query_top, self._labels, self.look.pixels(24))
                made = pen.write_formula(("q_i",), label, "query")
                word = label.adjusted(made.box.width + self.look.pixels(6), 0, 0, 0)
                pen.label(self.tensors.trace.tokens.labels[self.tensors.query], word, "accent", bold=True)
                style = VectorStyle(bound_of(self.tensors.queries), "query", frame="query")
                pen.draw_vector(column.axis, self.steps.query_row, label, style)
        pen.draw_rule(self.area, self.rows_area.top() - 1)

    def draw_label(self, pen: StripPainter, row: int, box: QRectF) -> None:
        if row == self.highlighted:
            pen.draw_band(box, 0.14)
        elif row == self.tensors.query and not self.is_mixing:
            pen.draw_band(box, 0.07)
        label = QRectF(box.left(), box.top(), self._labels - self.look.pixels(6), box.height())
        self.draw_token(pen, row, label)

    def draw_foot(self, pen: StripPainter) -> None:
        """Draw what is below the rows: the products of a pair, and the sums of the columns."""
        if not self.is_mixing:
            return
        top = self.foot_top
        pen.draw_rule(self.area, top)
        if self._products:
            # Below the keys q_d k_d number under number, their sum, and what shows all of them.
            label = QRectF(self.area.left(), top + 3, self._labels, self.look.pixels(_LINE))
            pair, keys, scores = self.pair, self._column("keys"), self._column("scores")
            made = pen.write_formula(("q_d k_d",), label, "accent")
            word = label.adjusted(made.box.width + 6, 0, -4, 0)
            if QFontMetricsF(self.look.font(13, bold=True)).horizontalAdvance(pair.key_label) > word.width():
                # Before the link.
                word = QRectF(label.left(), label.bottom(), label.width() - 4, self.look.pixels(_LINK))
            pen.label(pair.key_label, word, "accent", bold=True)
            if keys is not None and keys.axis is not None:
                products, style = pair.products.astype(np.float32), VectorStyle(pair.bound, "accent")
                pen.draw_vector(keys.axis, products, label, style)
            cell = QRectF() if scores is None else scores.cell(label)
            pen.write_number(f"= {cell_number(pair.score)}", cell, "accent", bold=True)
            self._link(pen).draw(pen)
        if not self._has_sums:
            return
        box = self.sums_box.adjusted(0, 3, 0, 0)
        label = QRectF(box.left(), box.top(), self._labels, box.height())
        pen.write_formula(("Σ",), label, "secondary")
        for column in self.columns:
            cell = QRectF(column.left, box.top(), column.width, box.height())
            if column.name == "weighted" and column.axis is not None:
                # On a scale of its own: of a long text the sum is many times as large as what is added.
                self._draw_sum(pen, column.axis, self.gathered, cell)
            elif column.name == "values" and self._column("weighted") is not None:
                pen.write_formula(("z_i = Σ_j α_{ij} v_j", "z_i"), cell, "output")
            else:
                self._draw_sum_of_numbers(pen, column, cell)

    def _link(self, pen: StripPainter | None = None) -> Link:
        """Return what shows the products of all dimensions; drawn in print it is no link."""
        translate, keys = QCoreApplication.translate, self._column("keys")
        shown = 0 if keys is None or keys.axis is None else keys.axis.shown
        n_hidden = len(self.pair.products) - shown
        more = translate("Steps", "… +{0} more").format(n_hidden)
        text = more if n_hidden else translate("Steps", "As rows")
        at = QPointF(self.area.left() + self._labels, self.foot_top + 3 + self.look.pixels(_LINE))
        return self.link(at, text if pen is not None and pen.omits_links else f"{text} ▸")

    def _column(self, name: str) -> PlacedColumn | None:
        """Return a column if it is shown."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def _has_sums(self) -> bool:
        is_high = self.area.height() >= self.look.pixels(_SUMS_FROM)
        return is_high and any(column.name in _SUMMED for column in self.columns)

    @property
    def sums_box(self) -> QRectF:
        """Where the sums of the columns lie."""
        height = float(self.look.pixels(_SUMS))
        return QRectF(self.area.left(), self.foot_top + self.foot - height, self.area.width(), height)

    def _draw_sum(self, pen: StripPainter, axis: RowAxis, values: Floats, cell: QRectF) -> None:
        pen.draw_vector(axis, values, cell, VectorStyle(bound_of(self.gathered), "output", frame="output"))

    def _draw_sum_of_numbers(self, pen: StripPainter, column: PlacedColumn, cell: QRectF) -> None:
        steps, name = self.steps, column.name
        sums = {
            "exponential": cell_number(steps.total),
            "weight": fixed(float(steps.weights.sum()), 3),
            "what_if": fixed(float(column.values.sum()), 3),
        }
        softmax_input = "biased" if steps.added else "scaled"
        if name in sums:
            pen.write_number(sums[name], cell, bold=True)
        elif name == softmax_input and self._column("exponential") is not None:
            # Without spaces where it would reach beyond the band of the column.
            before = [one.left + one.width for one in self.columns if one.left < column.left]
            gap = column.left - max(before, default=column.left)
            text = f"m = {cell_number(steps.maximum)}"
            if QFontMetricsF(self.look.number_font(12)).horizontalAdvance(text) > column.width + gap / 2 - 4:
                text = text.replace(" ", "")
            wider = cell.adjusted(-self.look.pixels(20), 0, 0, 0)  # into the gap before the column
            pen.write_number(text, wider, "secondary")

    @property
    def gathered(self) -> Floats:
        """Z of the query, as the encoder has it where that is known: zero of a muted head."""
        known = self.tensors.row("mixed")
        return self.steps.gathered if known is None else known

    # while Steps plays

    def draw_motion(self, pen: StripPainter, progress: float, offset: int) -> None:
        """Draw how the column of a stop comes about, row by row; a projection is made of all rows at once."""
        stage, rows = STAGES[self.tensors.stop.stage], rows_in_sight(self, offset)
        if stage.key == "mixed":  # the weighted values fall into their sum, which grows with each of them
            column = self._column("weighted")
            if column is None or column.axis is None or not len(rows):
                return
            n_fallen = int(progress * len(rows))
            last, strip, foot = rows.start + n_fallen, column.axis.strip, self.sums_box
            room = along(foot, column.left, column.width)
            self.cover(pen, room.adjusted(-2, 0, 2, 0), 0.07)
            partial = self.steps.weighted[:last].sum(axis=0) if last else np.zeros_like(self.gathered)
            self._draw_sum(pen, column.axis, partial, room)
            top = between(self.row_box(last, offset).top(), foot.top(), progress * len(rows) - n_fallen)
            box = QRectF(strip.left(), top + 3, strip.width(), self.row_height - 6)
            pen.draw_moving(box, column.values[last], column.bound)
            return
        targets, shown = stage.quantities[-stage.n_made :], {column.name: column for column in self.columns}
        made = [shown[name] for name in targets if name in shown]
        read = reversed(self.focus[: self.focus.index(targets[0])])
        source = next((shown[name] for name in read if name in shown), None)
        pen.painter.setClipRect(self.rows_area)
        for number, row in enumerate(rows):
            share = progress if not self.is_mixing else min(1.0, progress * len(rows) - number)
            if share >= 1:
                continue
            box = self.row_box(row, offset)
            for column in made:
                self.cover(pen, column.cell(box).adjusted(-2, 0, 2, 0), 0.07)
            if share > 0 and made:
                self._draw_moving(pen, source, made[-1], row, box, share)

    def _draw_moving(
        self,
        pen: StripPainter,
        source: PlacedColumn | None,
        target: PlacedColumn,
        row: int,
        box: QRectF,
        share: float,
    ) -> None:
        if target.axis is not None:
            axis = target.axis if source is None else source.axis or target.axis
            left = between(axis.strip.left(), target.axis.strip.left(), share)
            width = between(axis.strip.width(), target.axis.strip.width(), share)
            strip = QRectF(left, box.top() + 3, width, box.height() - 6)
            pen.draw_moving(strip, target.values[row], target.bound, 0.4 + 0.6 * share)
            return
        end = target.cell(box)
        start = end if source is None else source.cell(box)
        if target.name == "scores" and source is not None and source.axis is not None:
            if share < _MEETING:
                # The query is on its way from above the keys down to the key of this row.
                height, axis = box.height() - 6, source.axis
                top = between(self.rows_area.top() - height, box.top() + 3, share / _MEETING)
                strip = QRectF(axis.strip.left(), top, axis.strip.width(), height)
                pen.painter.setClipping(False)
                pen.draw_moving(strip, self.steps.query_row, bound_of(self.tensors.queries), 0.85)
                pen.painter.setClipping(True)
                return
            start, share = source.cell(box), (share - _MEETING) / (1 - _MEETING)
        value = target.values[row] if source is None or source.axis is not None else source.values[row]
        at = along(box, between(start.right(), end.right(), share) - end.width(), end.width())
        pen.write_number(cell_number(float(value)), at, "accent", bold=True)

    # what lies where

    def follow(self, tensors: StopTensors) -> bool:
        """Show another query: not where other projections are used for a token with global attention."""
        if tensors.steps is None or _indexes(tensors) != _indexes(self.tensors):
            return False
        if not super().follow(tensors):
            return False
        self.steps = tensors.steps
        return True

    def above(self) -> list[Line]:
        """Return the query above the keys."""
        keys, height = self._column("keys"), self.look.pixels(28)
        box = QRectF(self.area.left(), self.rows_area.top() - height, self.area.width(), height)
        if keys is None or not self.is_mixing:
            return []
        return [self._line(box, keys, "q_i", self.steps.query_row)]

    def below(self) -> list[Line]:
        """Return what shows all products, and the sum below the weighted values."""
        weighted = self._column("weighted")
        lines = [self._link().line] if self._products else []
        if weighted is not None and self.is_mixing and self._has_sums:
            lines.append(self._line(self.sums_box, weighted, "z_i", self.gathered))
        return lines

    def _line(self, box: QRectF, column: PlacedColumn, name: str, values: Floats) -> Line:
        cell = Cell(column.left, column.width, self.tensors.query, name, values, column.axis)
        return Line(box, None, (cell,))

    def label_of(self, row: int) -> Cell:
        return Cell(self.area.left(), self._labels - 1, row)


def _indexes(tensors: StopTensors) -> list[str]:
    """Return the indexes of the projections, which differ for tokens with global attention."""
    return [projection_index(tensors.trace, tensors.query, letter) for letter in "QKV"]


_NUMBERED = 18.0
_CELL = 58.0
_FEWEST_ROWS = 4
_LINES_MEET = 0.5
"""The part of a motion in which the lines that are read move to the result."""


class EquationSheet(Sheet):
    """Head: an equation of the query's vectors. Rows: the stage's tensor, or all numbers of a lone vector."""

    def place(self) -> None:
        tensors, area = self.tensors, self.area
        values = tensors.tensor()
        assert values is not None
        self.values: Floats = values
        self.bound = bound_of(values)
        self.is_alone = len(values) == 1
        pixels = self.look.pixels
        self._dimensions, self._heading = float(pixels(_NUMBERED)), float(pixels(28))
        self._number_room = float(pixels(44))
        self._per_row = max(1, int((area.width() - self._number_room) / self.look.pixels(_CELL)))
        self.n_rows = -(-values.shape[1] // self._per_row) if self.is_alone else len(values)
        self._line = float(self.look.pixels(_LINE))
        # A wide panel also writes the names of the lines.
        names, share = (260, 0.42) if area.width() >= self.look.pixels(420) else (104, 0.34)
        self._left = min(self.look.pixels(names), share * area.width())
        rows = _FEWEST_ROWS * self.look.pixels(19)  # some stay in sight
        n_lines = int((area.height() - self._dimensions - self._heading - rows) / self._line)
        self.terms = equation(tensors.stop.stage, n_lines, tensors.absent, tensors.trace.form)
        if tensors.is_step_by_step:
            self.terms = self.terms[: own_line(self.terms, tensors.stop.stage) + 1]
        self.head = self._dimensions + len(self.terms) * self._line + self._heading
        # What is added and its sum have one scale, so that sizes can be compared.
        found = [tensors.tensor(term.name) for term in self.terms]
        own = [1.0 if tensor is None else bound_of(tensor) for tensor in found]
        added = {index for index, term in enumerate(self.terms) if term.sign in ("+", "=")}
        added |= {index - 1 for index in added if index and self.terms[index].sign == "+"}
        largest = max((own[index] for index in added), default=1.0)
        self.bounds = [largest if index in added else bound for index, bound in enumerate(own)]
        self.place_columns()

    def place_columns(self) -> None:
        """Place the strips of all tokens, or of a lone vector as many numbers as fit, each on its colour."""
        stage, values, area = self.tensors.stop.stage, self.values, self.area
        if not self.is_alone:
            left, axis = area.left() + self._left, self.axis_of(values.shape[1])
            width = area.right() - left
            self.columns = [PlacedColumn(stage, "strip", values, self.bound, (), "", left, width, axis)]
            return
        pitch = self.look.pixels(_CELL)
        left = area.left() + self._number_room + 1
        self.columns = [
            PlacedColumn(stage, "tinted", some, self.bound, (), "", left + index * pitch, pitch - 2)
            for index, some in enumerate(values[0, first :: self._per_row] for first in range(self._per_row))
        ]

    def axis_of(self, n: int) -> RowAxis:
        left = self.area.left() + self._left
        return row_axis(self.look, left, self.area.right() - left, n, self.first, has_window=True)

    # drawing

    def draw_head(self, pen: StripPainter) -> None:
        # The token of the equation, and the numbers of the dimensions.
        tokens = self.tensors.trace.tokens
        word = tokens.special_names.first if self.is_alone else tokens.labels[self.tensors.query]
        line = QRectF(self.area.left() + 8, self.area.top(), self.area.width(), self._dimensions)
        pen.label(word, line, "accent", bold=True)
        pen.draw_dimensions(self.axis_of(self.values.shape[1]), line.top(), line.height())
        own = own_line(self.terms, self.tensors.stop.stage)
        for index, term in enumerate(self.terms):
            box = self.term_box(index)
            if index == own:
                pen.draw_band(box, 0.1)
                pen.painter.fillRect(
                    QRectF(box.left(), box.top(), 3, box.height()), self.look.colour("accent")
                )
            self._draw_term(pen, term, box, self.bounds[index], is_own=index == own)
        bottom = self.area.top() + self.head
        pen.draw_rule(self.area, bottom - 1)
        # What the rows below are.
        top = bottom - self._heading + 6
        line = QRectF(self.area.left() + 8, top, self.area.width() - 16, bottom - top)
        symbol = step_words.symbol(self.tensors.stop.stage, self.tensors.absent)
        made = pen.write_formula((symbol,), line, "accent")
        text = line.adjusted(made.box.width + self.look.pixels(8), 0, 0, 0)
        pen.label(step_words.rows_title(is_alone=self.is_alone), text, "secondary")

    def term_box(self, index: int) -> QRectF:
        top = self.area.top() + self._dimensions + index * self._line
        return QRectF(self.area.left(), top, self.area.width(), self._line)

    def _draw_term(self, pen: StripPainter, term: Term, box: QRectF, bound: float, *, is_own: bool) -> None:
        sign = QRectF(box.left() + 8, box.top(), self.look.pixels(44), box.height())
        colour = ROLES.get(term.name, "accent") if is_own else "text"
        if term.sign:
            pen.write_formula((self._sign(term.sign),), sign, "secondary")
        rest = QRectF(sign.right(), box.top(), self._left - sign.width() - 14, box.height())
        made = pen.write_formula((step_words.symbol(term.name, self.tensors.absent),), rest, colour)
        name = rest.adjusted(made.box.width + self.look.pixels(8), 0, 0, 0)
        if name.width() > self.look.pixels(70):
            trace = self.tensors.trace
            title = step_words.title(term.name, trace.tokens.special_names.first, trace.form)
            pen.label(title, name, "secondary")
        values = self.tensors.row(term.name)
        if values is None:
            return
        drawn = self.axis_of(len(values))
        strip = QRectF(drawn.strip.left(), box.top() + 4, drawn.strip.width(), box.height() - 8)
        style = VectorStyle(bound, colour, inset=4.0, frame=colour if is_own else "rule")
        pen.draw_vector(drawn, values, box, style)
        if term.name == "concat":
            # Where one head ends and the next begins; the panel's own is framed.
            n_heads = self.tensors.trace.n_heads
            pitch = strip.width() / n_heads
            for head in range(1, n_heads):
                x = strip.left() + head * pitch
                pen.line(QPointF(x, strip.top()), QPointF(x, strip.bottom()), "secondary")
            own = QRectF(strip.left() + self.tensors.head * pitch, strip.top() - 2, pitch, strip.height() + 4)
            pen.box(own, "accent")

    def _sign(self, sign: str) -> str:
        if sign == "f":
            details = self.tensors.details
            return step_words.sign("active", "gelu" if details is None else details.activation)
        if sign == "norm" and self.tensors.trace.form.has_scaling_norms:
            return "⊙ γ"
        return f"· {sign}" if sign[0] == "W" else f"\\t{{{sign}}}" if len(sign) > 1 else sign

    def draw_label(self, pen: StripPainter, row: int, box: QRectF) -> None:
        if self.is_alone:
            number = QRectF(box.left(), box.top(), self._number_room - 8, box.height())
            pen.write_number(str(row * self._per_row), number, "secondary")
            return
        if row in (self.highlighted, self.tensors.query):
            pen.draw_band(box, 0.1)
        self.draw_token(pen, row, box.adjusted(8, 0, self._left - box.width(), 0))

    # while Steps plays

    def draw_motion(self, pen: StripPainter, progress: float, offset: int) -> None:
        """Draw how the result of an equation comes about, for the query's line and for the rows below."""
        stage = self.tensors.stop.stage
        own = own_line(self.terms, stage)
        first = max(0, own - STAGES[stage].n_operands)
        meeting = _LINES_MEET if own > first else 0.0
        filled = max(0.0, (progress - meeting) / (1 - meeting))
        box = self.term_box(own)
        self._cover_rest(pen, self.axis_of(self.values.shape[1]), box, filled, band=0.1)
        if not self.is_alone:
            pen.painter.save()
            pen.painter.setClipRect(self.rows_area)
            self._cover_rest(pen, self.axis_of(self.values.shape[1]), self.rows_area, filled)
            pen.painter.restore()
        if progress < meeting:
            for index in range(first, own):
                values = self.tensors.row(self.terms[index].name)
                if values is None:
                    continue
                start, strip = self.term_box(index), self.axis_of(len(values)).strip
                top = between(start.top(), box.top(), progress / meeting)
                moving = QRectF(strip.left(), top + 4, strip.width(), start.height() - 8)
                pen.draw_moving(moving, values, self.bounds[index], 0.8)

    def _cover_rest(
        self, pen: StripPainter, axis: RowAxis, box: QRectF, filled: float, *, band: float = 0.0
    ) -> None:
        """Paint over the part of strip and numbers that is not computed yet."""
        for part, end in ((axis.strip, axis.window.left()), (axis.window, box.right() + 2)):
            left = part.left() + filled * part.width() - 2
            self.cover(pen, along(box, left, end - left), band)

    # what lies where

    def above(self) -> list[Line]:
        token = 0 if self.is_alone else self.tensors.query
        left, lines = self.area.left() + self._left, []
        for index, term in enumerate(self.terms):
            values = self.tensors.row(term.name)
            axis = None if values is None else self.axis_of(len(values))
            cell = Cell(left, self.area.right() - left, token, term.name, values, axis)
            lines.append(Line(self.term_box(index), token, () if values is None else (cell,)))
        return lines

    def label_of(self, row: int) -> Cell | None:
        return None if self.is_alone else Cell(self.area.left(), self._left - 1, row)

    def cell_of(self, column: PlacedColumn, row: int) -> Cell:
        cell = super().cell_of(column, row)
        if not self.is_alone:
            return cell
        return replace(cell, token=0, dimension=row * self._per_row + self.columns.index(column))


_BAR, _STATISTICS = 90.0, 11.5


def statistics_texts(found: Statistics | None) -> tuple[str, ...]:
    """Return what there is to say of the numbers of a stop, the longest form first."""
    translate = QCoreApplication.translate
    if found is None:
        return ("",)
    numbers = [cell_number(number) for number in (found.minimum, found.maximum, found.mean)]
    shape = list(found.shape)
    count = found.n_outside
    one = translate("Steps", "1 key outside of the window")
    several = translate("Steps", "{0} keys outside of the window")
    if found.is_causal:
        one = translate("Steps", "1 later key that it does not see")
        several = translate("Steps", "{0} later keys that it does not see")
    more = f" · {one if count == 1 else several.format(count)}" if count else ""
    return (
        translate("Steps", "{0} · minimum {1} · maximum {2} · mean {3}").format(shape, *numbers) + more,
        translate("Steps", "{0} · min {1} · max {2} · mean {3}").format(shape, *numbers) + more,
        f"{numbers[0]} … {numbers[1]}{more}",
        f"{numbers[0]} … {numbers[1]}",
    )


def with_left_out(forms: tuple[str, ...], left_out: list[str]) -> tuple[str, ...]:
    """Return texts that also name the quantities that the panel is too narrow for, the longest form first."""
    if not left_out:
        return forms
    names = ", ".join(step_words.quantity(name) for name in left_out)
    note = QCoreApplication.translate("Steps", "wider panel: also {0}").format(names)
    return (*(f"{form} · {note}" for form in forms if form), note)


def draw_statistics(pen: StripPainter, forms: tuple[str, ...], box: QRectF, bound: float) -> None:
    """Write the longest of `forms` that fits into `box`; with a `bound` draw the colour bar beside it."""
    pen.line(box.topLeft(), box.topRight(), "rule")
    pen.painter.setFont(pen.look.number_font(_STATISTICS))
    metrics = QFontMetricsF(pen.painter.font())
    text = next((form for form in forms if metrics.horizontalAdvance(form) <= box.width()), forms[-1])
    pen.write_number(text, box, "secondary", LEFT, _STATISTICS)
    if bound <= 0:
        return
    # The colour bar at the right end, if there is room for it and its ends.
    room = box.adjusted(metrics.horizontalAdvance(text) + 16, 0, 0, 0)
    ends = cell_number(-bound), cell_number(bound)
    widths = [metrics.horizontalAdvance(end) + 6 for end in ends]
    length = pen.look.pixels(_BAR)
    if room.width() < length + sum(widths):
        return
    left = round(room.right() - widths[1] - length)  # on whole pixels its frame is sharp
    bar = QRectF(left, round(room.center().y() - 4), length, 8)
    pen.painter.drawImage(bar, image_of(pen.differences[None]))
    pen.draw_frames([bar])
    for end, width, start in zip(ends, widths, (bar.left() - widths[0], bar.right() + 6), strict=True):
        pen.write_number(end, along(room, start, width - 6), "secondary", pixels=_STATISTICS)
