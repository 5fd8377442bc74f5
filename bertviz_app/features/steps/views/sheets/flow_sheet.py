"""The arithmetic of one head as a teacher would draw it, and the products of one query and key."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.features.steps.columns import (
    ROLES,
    PairProducts,
    column_word,
    columns_in_focus,
    columns_of,
    pair_products,
)
from bertviz_app.features.steps.views.sheets.sheet import (
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
    rows_in_sight,
)
from bertviz_app.types import Floats
from bertviz_app.viewmodels.stages.stage import EncoderPart, projection_index
from bertviz_app.viewmodels.stages.stops import STAGES, StopTensors, bound_of
from bertviz_app.views.kit.formula import fitting
from bertviz_app.views.kit.look import LEFT, RIGHT
from bertviz_app.views.kit.words import cell_number, fixed

_LINE, _LINK = 26.0, 20.0
_NAMES_WIDTH, _FOOT = 48.0, 32.0
_DIMENSION, _NUMBER, _GAP, _WIDEST_BARS = 44.0, 76.0, 14.0, 460.0
_FACTORS = ("q_i", "keys", "product")


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
        vectors = pair.query_row, pair.key_row, pair.products.astype(np.float32)
        self.columns = []
        for name, kind, values in zip(_FACTORS, ("number", "number", "tinted"), vectors, strict=True):
            column = PlacedColumn(name, kind, values, self.bound, (), left=left, width=width - 4)
            self.columns.append(replace(column, inset=5.0) if kind == "number" else column)
            left += width

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
            beside = cell.adjusted(0, 0, -made.box.width - 5, 0)
            pen.write(word, beside, self.look.font(12), "secondary", RIGHT)
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
        token = self.tensors.query if column.name == _FACTORS[0] else self.pair.key
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
        columns = columns_of(self.tensors)
        return [
            column.name
            for column in columns
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
                sign = box.translated(self.look.pixels(5) - self._layout.gap, 0)
                pen.label(column.sign, sign, "secondary")
            if column.axis is not None:
                pen.draw_dimensions(column.axis, box.bottom(), self.look.pixels(_DIMENSIONS))
            if column.name == "keys" and self.is_mixing:
                # The query over the keys: number stands over number, as they are multiplied.
                assert column.axis is not None
                label = QRectF(self.area.left(), self._query_top, self._labels, self.look.pixels(24))
                made = pen.write_formula(("q_i",), label, "query")
                word = label.adjusted(made.box.width + self.look.pixels(6), 0, 0, 0)
                query = self.tensors.trace.tokens.labels[self.tensors.query]
                pen.label(query, word, "accent", bold=True)
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
            metrics = QFontMetricsF(self.look.font(13, bold=True))
            if metrics.horizontalAdvance(pair.key_label) > word.width():
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
        text = translate("Steps", "As rows")
        text = translate("Steps", "… +{0} more").format(n_hidden) if n_hidden else text
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
        style = VectorStyle(bound_of(self.gathered), "output", frame="output")
        pen.draw_vector(axis, values, cell, style)

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
            needed = QFontMetricsF(self.look.number_font(12)).horizontalAdvance(text)
            if needed > column.width + gap / 2 - 4:
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
                bound = bound_of(self.tensors.queries)
                pen.draw_moving(strip, self.steps.query_row, bound, 0.85)
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
