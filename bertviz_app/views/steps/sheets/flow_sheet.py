"""The arithmetic of one head as a teacher would draw it, and the products of one query and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.columns import (
    ROLES,
    PairProducts,
    column_word,
    columns_in_focus,
    columns_of,
    pair_products,
)
from bertviz_app.viewmodels.steps.stage import EncoderPart
from bertviz_app.viewmodels.steps.stage_formulas import projection_index
from bertviz_app.viewmodels.steps.stops import STAGES, StopTensors, bound_of
from bertviz_app.views.kit.words import cell_number, fixed
from bertviz_app.views.steps.heading import fitting
from bertviz_app.views.steps.sheets.sheet import (
    LEFT,
    RIGHT,
    ColumnLayout,
    Hit,
    PlacedColumn,
    RowAxis,
    Sheet,
    SheetPen,
    StripPainter,
    VectorStyle,
    between,
    rows_in_sight,
)

_LINE, _LINK = 26.0, 20.0
_NAMES_WIDTH, _FOOT = 48.0, 32.0
_DIMENSION, _NUMBER, _GAP, _WIDEST_BARS = 44.0, 76.0, 14.0, 460.0


class ProductsLine:
    """The line below the keys: q_d k_d number under number, their sum, and what shows all of them."""

    def __init__(self, strips: StripPainter, pen: SheetPen) -> None:
        self._strips = strips
        self._pen = pen
        self.height = float(strips.look.pixels(_LINE) + strips.look.pixels(_LINK))
        self.link = QRectF()
        """Where a click shows the products of all dimensions."""

    def draw(
        self, painter: QPainter, label: QRectF, axis: RowAxis | None, score: QRectF, pair: PairProducts
    ) -> None:
        """Draw it beside `label`; `axis` is that of the keys, `score` the cell of the sum."""
        height = float(self._strips.look.pixels(_LINE))
        box = QRectF(label.left(), label.top(), label.width(), height)
        made = self._pen.write_formula(painter, ("q_d k_d",), box, "accent")
        word = box.adjusted(made.box.width + 6, 0, -4, 0)
        if (
            QFontMetricsF(self._strips.look.font(13, bold=True)).horizontalAdvance(pair.key_label)
            > word.width()
        ):
            link = self._strips.look.pixels(_LINK)
            word = QRectF(box.left(), box.bottom(), box.width() - 4, link)  # before the link
        self._pen.write(painter, pair.key_label, word, "accent", bold=True)
        if axis is not None:
            values = pair.products.astype(np.float32)
            self._strips.draw_vector(painter, axis, values, box, VectorStyle(pair.bound, "accent"))
        cell = QRectF(score.left(), box.top(), score.width(), height)
        self._pen.write_number(painter, f"= {cell_number(pair.score)}", cell, "accent", bold=True)
        n_hidden = len(pair.products) - (0 if axis is None else axis.shown)
        self._draw_link(painter, QPointF(label.right(), box.bottom()), n_hidden)

    def _draw_link(self, painter: QPainter, at: QPointF, n_hidden: int) -> None:
        translate = QCoreApplication.translate
        text = (
            translate("Steps", "… +{0} more").format(n_hidden) if n_hidden else translate("Steps", "As rows")
        )
        self.link = _draw_link(painter, self._strips, at, text if self._strips.omits_links else f"{text} ▸")


class ProductsSheet(Sheet):
    """A row for each dimension: q_d, k_d, their product, and a bar as long as it. The foot has the sum."""

    is_alone = True

    def place(self) -> None:
        self.head, self.foot = float(self.look.pixels(_NAMES_WIDTH)), float(self.look.pixels(_FOOT))
        self._link = QRectF()
        self.highlight(self.highlighted)
        self.n_rows = len(self.pair.products)

    def highlight(self, token: int | None) -> None:
        """Show the products of the query and another key."""
        super().highlight(token)
        assert self.tensors.steps is not None
        self.pair = pair_products(self.tensors.trace, self.tensors.steps, token)
        self.bound = self.pair.bound

    @property
    def _columns(self) -> tuple[Floats, ...]:
        pair = self.pair
        return pair.query_row, pair.key_row, pair.products.astype(np.float32)

    def _cell(self, column: int, box: QRectF) -> QRectF:
        """Return the cell of q_d, k_d or their product in a row."""
        room = (self.area.width() - self.look.pixels(_DIMENSION)) / 3
        width = min(float(self.look.pixels(_NUMBER)), room)
        left = box.left() + self.look.pixels(_DIMENSION) + column * width
        return QRectF(left, box.top(), width - 4, box.height())

    def draw_head(self, painter: QPainter) -> None:
        """Draw what shows the rows of the keys again, and the names of the columns."""
        link = self.look.pixels(_LINK)
        if not self.strips.omits_links:
            all_keys = QCoreApplication.translate("Steps", "All keys")
            self._link = _draw_link(painter, self.strips, self.area.topLeft(), f"◂ {all_keys}")
        names = QRectF(self.area.left(), self.area.top() + link, self.area.width(), self.head - link - 2)
        dimension = QRectF(names.left(), names.top(), self.look.pixels(_DIMENSION) - 12, names.height())
        self.strips.name_dimensions(painter, dimension)
        for column, formula in enumerate(("q_d", "k_d", "q_d k_d")):
            cell = self._cell(column, names).adjusted(0, 0, -5, 0)
            made = self.pen.write_formula(painter, (formula,), cell, "accent", is_right=True)
            word = (self.pair.query_label, self.pair.key_label, "")[column]
            room = cell.adjusted(0, 0, -made.box.width - 5, 0)
            painter.setFont(self.look.font(12))
            painter.setPen(self.look.colour("secondary"))
            text = QFontMetricsF(painter.font()).elidedText(word, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, RIGHT, text)
        self.pen.draw_rule(painter, self.area, self.rows_area.top() - 1)

    def draw_rows(self, painter: QPainter, rows: Mapping[int, QRectF]) -> None:
        columns = self._columns
        for row, box in rows.items():
            number = QRectF(box.left(), box.top(), self.look.pixels(_DIMENSION) - 12, box.height())
            self.pen.write_number(painter, str(row), number, "secondary")
            for column, values in enumerate(columns):
                cell, value = self._cell(column, box), float(values[row])
                if column == 2:
                    self.strips.draw_number(painter, cell.adjusted(0, 1, 0, -1), value, self.bound)
                else:
                    self.pen.write_number(painter, cell_number(value), cell.adjusted(0, 0, -5, 0))
            left = self._cell(2, box).right() + self.look.pixels(_GAP)
            width = min(self.area.right() - left, float(self.look.pixels(_WIDEST_BARS)))
            if width < self.look.pixels(_NUMBER):
                continue  # too narrow a panel has no bars
            # To the right of the middle if the product raises the score, else to the left.
            product, middle = float(self.pair.products[row]), left + width / 2
            bar = QRectF(middle, box.top() + 4, product / self.bound * width / 2, box.height() - 8)
            painter.fillRect(bar.normalized(), self.strips.colour(product, self.bound))
            painter.setPen(self.look.colour("rule"))
            painter.drawLine(QPointF(middle, box.top()), QPointF(middle, box.bottom()))

    def draw_foot(self, painter: QPainter) -> None:
        """Draw the sum of the products: the score."""
        self.pen.draw_rule(painter, self.area, self.foot_top)
        box = QRectF(self.area.left(), self.foot_top + 3, self.area.width(), self.foot - 3)
        total = self._cell(2, box)
        self.pen.write_number(painter, cell_number(self.pair.score), total.adjusted(0, 0, -5, 0), bold=True)
        words = QRectF(box.left() + 4, box.top(), total.left() - box.left(), box.height())
        self.pen.write_formula(painter, ("q_i · k_j = Σ_d q_d k_d", "Σ_d"), words, "accent")

    def action_at(self, at: QPointF) -> str:
        """Return "products" where a click shows the keys again."""
        return "products" if self._link.contains(at) else ""

    def is_in_window(self, x: float) -> bool:
        """Return false: all numbers are written."""
        return False

    def hit(self, at: QPointF, offset: int) -> Hit | None:
        row = self.row_at(at.y(), offset)
        if row is None:
            return None
        for column, (values, name) in enumerate(zip(self._columns, ("q_i", "keys", "product"), strict=True)):
            if self._cell(column, self.area).contains(QPointF(at.x(), self.area.center().y())):
                token = self.tensors.query if column == 0 else self.pair.key
                return Hit(token, name, np.float32(values[row]), row)
        return None


def _draw_link(painter: QPainter, strips: StripPainter, at: QPointF, text: str) -> QRectF:
    """Write what can be clicked from `at` on; return where it lies."""
    painter.setFont(strips.look.font(12))
    width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 6
    box = QRectF(at.x(), at.y(), width, strips.look.pixels(_LINK))
    painter.setPen(strips.look.colour("accent"))
    painter.drawText(box, LEFT, text)
    return box


_QUERY_SHARE = 0.24
_PRODUCTS_FROM, _SUMS_FROM = 190.0, 130.0  # less height is left to the rows
_NAMES, _DIMENSIONS, _SUMS = 24.0, 15.0, 32.0
_WORDS, _WORDS_FROM = 17.0, 190.0
_SUMMED = ("exponential", "weight", "weighted")
_WAYS: MappingProxyType[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "queries": (("input", "input_norm"), ("queries",)),
        "keys": (("input", "input_norm"), ("keys",)),
        "values": (("input", "input_norm"), ("values",)),
        "scores": (("keys",), ("scores",)),
        "scaled": (("scores",), ("scaled",)),
        "biased": (("distance",), ("biased",)),
        "disentangled": (("position_to_content", "content_to_position"), ("biased",)),
        "softmax": (("biased", "scaled"), ("exponential", "weight")),
        "weighted": (("values",), ("weighted",)),
    }
)
"""By stage the columns that are read, the first one shown counts, and those that are computed."""

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
        self.columns = self._layout.placed(self._fitted, self._labels, self.first)
        has_products = stage.key == "scores" and area.height() >= self.look.pixels(_PRODUCTS_FROM)
        self._products = ProductsLine(self.strips, self.pen) if has_products else None
        self.head = self._query_top - area.top() + (self.look.pixels(28) if has_query else 4)
        of_products = 0.0 if self._products is None else self._products.height
        of_sums = self.look.pixels(_SUMS) if self._has_sums else 0.0
        self.foot = of_products + of_sums if self.is_mixing else 0.0
        self.bound = next((column.bound for column in self.columns if column.name == stage.coloured), 0.0)

    def write_from(self, first: int) -> None:
        """Write the numbers from another dimension on, and place the columns for it."""
        super().write_from(first)
        self.columns = self._layout.placed(self._fitted, self._labels, first)

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

    def draw_head(self, painter: QPainter) -> None:
        line = self.look.pixels(_NAMES)
        top = self.area.top()
        for column in self.columns:
            is_focus = column.name in self.focus
            box = QRectF(column.left, top + self._words, column.width, line)
            if is_focus:
                below = self.foot_top + self.foot - top
                room = QRectF(column.left - self._layout.gap / 2, top, column.width + self._layout.gap, below)
                self.pen.draw_band(painter, room, 0.07)
            colour = ROLES.get(column.name, "accent" if is_focus else "secondary")
            if self._words:
                self._write_word(painter, column, QRectF(column.left, top, column.width, self._words))
            self.pen.write_formula(
                painter, column.formulas, box, colour, is_right=column.axis is None and column.kind != "bar"
            )
            if column.sign and self._layout.is_wide and column is not self.columns[0]:
                sign = box.translated(self.look.pixels(5) - self._layout.gap, 0)
                self.pen.write(painter, column.sign, sign, "secondary")
            if column.axis is not None:
                self.strips.draw_dimensions(painter, column.axis, box.bottom(), self.look.pixels(_DIMENSIONS))
            if column.name == "keys" and self.is_mixing:
                self._draw_query(painter, column, self._query_top)
        self.pen.draw_rule(painter, self.area, self.rows_area.top() - 1)

    def _write_word(self, painter: QPainter, column: PlacedColumn, box: QRectF) -> None:
        """Write above a letter what it stands for; a number's word may begin in the gap before it."""
        painter.setFont(self.look.font(12))
        painter.setPen(self.look.colour("secondary"))
        is_number = column.axis is None and column.kind != "bar"
        room = box.adjusted(4 - self._layout.gap, 0, 0, 0) if is_number else box
        word = QFontMetricsF(painter.font()).elidedText(
            column_word(column.name), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, RIGHT if is_number else LEFT, word)

    def _draw_query(self, painter: QPainter, column: PlacedColumn, top: float) -> None:
        """Draw the query over the keys: number stands over number, as they are multiplied."""
        assert column.axis is not None
        height = self.look.pixels(24)
        label = QRectF(self.area.left(), top, self._labels, height)
        made = self.pen.write_formula(painter, ("q_i",), label, "query")
        word = label.adjusted(made.box.width + self.look.pixels(6), 0, 0, 0)
        self.pen.write(
            painter, self.tensors.trace.tokens.labels[self.tensors.query], word, "accent", bold=True
        )
        style = VectorStyle(bound_of(self.tensors.queries), "query", frame="query")
        self.strips.draw_vector(painter, column.axis, self.steps.query_row, QRectF(0, top, 0, height), style)

    def draw_rows(self, painter: QPainter, rows: Mapping[int, QRectF]) -> None:
        """Draw these rows, each in its box: the tokens, then column by column."""
        for row, box in rows.items():
            if row == self.highlighted:
                self.pen.draw_band(painter, box, 0.14)
            elif row == self.tensors.query and not self.is_mixing:
                self.pen.draw_band(painter, box, 0.07)
            label = QRectF(box.left(), box.top(), self._labels - self.look.pixels(6), box.height())
            self.draw_token(painter, row, label)
        at = list(rows)
        for column in self.columns:
            cells = [QRectF(column.left, box.top(), column.width, box.height()) for box in rows.values()]
            values = column.values[at]
            if column.axis is not None:
                style = VectorStyle(column.bound, frame=ROLES.get(column.name, "rule"))
                self.strips.draw_vectors(painter, column.axis, values, cells, style)
            elif column.kind == "bar":
                self._draw_weights(painter, column, values, cells)
            elif column.kind == "tinted":
                for value, cell in zip(values.tolist(), cells, strict=True):
                    self.strips.draw_number(painter, cell.adjusted(0, 1, 0, -1), value, column.bound)
            else:
                self._write_numbers(painter, [cell_number(value) for value in values.tolist()], cells)

    def _write_numbers(self, painter: QPainter, texts: list[str], cells: list[QRectF]) -> None:
        painter.setPen(self.look.colour("text"))
        self.strips.numbers(12).draw(painter, zip(cells, texts, strict=True))

    def _draw_weights(
        self, painter: QPainter, column: PlacedColumn, weights: Floats, cells: list[QRectF]
    ) -> None:
        """Draw for each weight a bar from 0 to 1, and the number behind it."""
        number = self.look.pixels(48)
        ground = self.look.colour("raised")
        colour = self.look.colour("warning" if column.name == "what_if" else "accent")
        for weight, cell in zip(weights.tolist(), cells, strict=True):
            bar = cell.adjusted(0, 5, -number - 4, -5)
            painter.fillRect(bar, ground)
            painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * weight, bar.height()), colour)
        boxes = [QRectF(cell.right() - number, cell.top(), number, cell.height()) for cell in cells]
        self._write_numbers(painter, [fixed(weight, 3) for weight in weights.tolist()], boxes)

    def draw_foot(self, painter: QPainter) -> None:
        """Draw what is below the rows: the products of a pair, and the sums of the columns."""
        if not self.is_mixing:
            return
        top = self.foot_top
        self.pen.draw_rule(painter, self.area, top)
        if self._products is not None:
            label = QRectF(self.area.left(), top + 3, self._labels, 0)
            keys, score = self._column("keys"), self._column("scores")
            cell = QRectF() if score is None else QRectF(score.left, top, score.width, 0)
            self._products.draw(painter, label, None if keys is None else keys.axis, cell, self.pair)
        if not self._has_sums:
            return
        box = self.sums_box.adjusted(0, 3, 0, 0)
        label = QRectF(box.left(), box.top(), self._labels, box.height())
        self.pen.write_formula(painter, ("Σ",), label, "secondary")
        for column in self.columns:
            cell = QRectF(column.left, box.top(), column.width, box.height())
            if column.name == "weighted" and column.axis is not None:
                # On a scale of its own: of a long text the sum is many times as large as what is added.
                self._draw_sum(painter, column.axis, self.gathered, cell)
            elif column.name == "values" and self._column("weighted") is not None:
                self.pen.write_formula(painter, ("z_i = Σ_j α_{ij} v_j", "z_i"), cell, "output")
            else:
                self._draw_sum_of_numbers(painter, column, cell)

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

    def _draw_sum(self, painter: QPainter, axis: RowAxis, values: Floats, cell: QRectF) -> None:
        style = VectorStyle(bound_of(self.gathered), "output", frame="output")
        self.strips.draw_vector(painter, axis, values, cell, style)

    def _draw_sum_of_numbers(self, painter: QPainter, column: PlacedColumn, cell: QRectF) -> None:
        steps, name = self.steps, column.name
        sums = {
            "exponential": cell_number(steps.total),
            "weight": fixed(float(steps.weights.sum()), 3),
            "what_if": fixed(float(column.values.sum()), 3),
        }
        softmax_input = "biased" if steps.added else "scaled"
        if name in sums:
            self.pen.write_number(painter, sums[name], cell, bold=True)
        elif name == softmax_input and self._column("exponential") is not None:
            # Without spaces where it would reach beyond the band of the column.
            before = [one.left + one.width for one in self.columns if one.left < column.left]
            gap = column.left - max(before, default=column.left)
            text = f"m = {cell_number(steps.maximum)}"
            needed = QFontMetricsF(self.look.number_font(12)).horizontalAdvance(text)
            if needed > column.width + gap / 2 - 4:
                text = text.replace(" ", "")
            wider = cell.adjusted(-self.look.pixels(20), 0, 0, 0)  # into the gap before the column
            self.pen.write_number(painter, text, wider, "secondary")

    @property
    def gathered(self) -> Floats:
        """Z of the query, as the encoder has it where that is known: zero of a muted head."""
        known = self.tensors.row("mixed")
        return self.steps.gathered if known is None else known

    # while Steps plays

    def draw_motion(self, painter: QPainter, progress: float, offset: int) -> None:
        """Draw how the column of a stop comes about, row by row; a projection is made of all rows at once."""
        stage = self.tensors.stop.stage
        rows = rows_in_sight(self, offset)
        if stage == "mixed":
            self._draw_falling(painter, rows, progress, offset)
            return
        sources, targets = _WAYS.get(stage, ((), ()))
        shown = {column.name: column for column in self.columns}
        made = [shown[name] for name in targets if name in shown]
        source = next((shown[name] for name in sources if name in shown), None)
        painter.setClipRect(self.rows_area)
        for number, row in enumerate(rows):
            share = progress if not self.is_mixing else min(1.0, progress * len(rows) - number)
            if share >= 1:
                continue
            box = self.row_box(row, offset)
            for column in made:
                self.cover(painter, _with_frame(_cell(column, box)), 0.07)
            if share > 0 and made:
                self._draw_moving(painter, source, made[-1], row, box, share)

    def _draw_moving(
        self,
        painter: QPainter,
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
            self.strips.draw_moving(painter, strip, target.values[row], target.bound, 0.4 + 0.6 * share)
            return
        end = _cell(target, box)
        start = end if source is None else _cell(source, box)
        if target.name == "scores" and source is not None and source.axis is not None:
            if share < _MEETING:
                # The query is on its way from above the keys down to the key of this row.
                height, axis = box.height() - 6, source.axis
                top = between(self.rows_area.top() - height, box.top() + 3, share / _MEETING)
                strip = QRectF(axis.strip.left(), top, axis.strip.width(), height)
                painter.setClipping(False)
                bound = bound_of(self.tensors.queries)
                self.strips.draw_moving(painter, strip, self.steps.query_row, bound, 0.85)
                painter.setClipping(True)
                return
            start, share = _cell(source, box), (share - _MEETING) / (1 - _MEETING)
        value = target.values[row] if source is None or source.axis is not None else source.values[row]
        at = QRectF(
            between(start.right(), end.right(), share) - end.width(), box.top(), end.width(), box.height()
        )
        self.pen.write_number(painter, cell_number(float(value)), at, "accent", bold=True)

    def _draw_falling(self, painter: QPainter, rows: range, progress: float, offset: int) -> None:
        """Draw the weighted values falling into their sum, which grows with each of them."""
        column = self._column("weighted")
        if column is None or column.axis is None or not len(rows):
            return
        position = progress * len(rows)
        n_fallen = rows.start + int(position)
        foot = self.sums_box
        room = QRectF(column.left, foot.top(), column.width, foot.height())
        self.cover(painter, _with_frame(room), 0.07)
        partial = self.steps.weighted[:n_fallen].sum(axis=0) if n_fallen else np.zeros_like(self.gathered)
        self._draw_sum(painter, column.axis, partial, room)
        row, strip = rows.start + int(position), column.axis.strip
        top = between(self.row_box(row, offset).top(), room.top(), position - int(position))
        box = QRectF(strip.left(), top + 3, strip.width(), self.row_height - 6)
        self.strips.draw_moving(painter, box, column.values[row], column.bound)

    # what lies where

    def follow(self, tensors: StopTensors) -> bool:
        """Show another query: not where other projections are used for a token with global attention."""
        if tensors.steps is None or _indexes(tensors) != _indexes(self.tensors):
            return False
        if not super().follow(tensors):
            return False
        self.steps = tensors.steps
        return True

    def lines_above(self) -> list[float]:
        """Return the middle of the query above the keys."""
        has_query = self.is_mixing and self._column("keys") is not None
        return [self.rows_area.top() - self.look.pixels(14)] if has_query else []

    def lines_below(self) -> list[float]:
        """Return the middle of the sum below the weighted values."""
        has_sum = self.is_mixing and self._has_sums and self._column("weighted") is not None
        return [self.sums_box.center().y()] if has_sum else []

    def action_at(self, at: QPointF) -> str:
        """Return "products" where a click shows the products of all dimensions."""
        return "products" if self._products is not None and self._products.link.contains(at) else ""

    def is_in_window(self, x: float) -> bool:
        """Return whether a horizontal position is among the numbers beside a strip."""
        axes = (column.axis for column in self.columns if column.axis is not None)
        return any(axis.window.left() <= x < axis.window.right() for axis in axes)

    def hit(self, at: QPointF, offset: int) -> Hit | None:
        row = self.row_at(at.y(), offset)
        if row is None:
            return self._hit_beside(at)
        if at.x() < self.area.left() + self._labels:
            return Hit(row, is_label=True)
        for column in self.columns:
            if column.left <= at.x() < column.left + column.width:
                return _hit_in(column, row, at.x(), column.values[row])
        return Hit(row)

    def _hit_beside(self, at: QPointF) -> Hit | None:
        """Return what lies under a point above or below the rows: the query, or the sum."""
        above, sums = self.rows_area.top(), self.sums_box
        for column in self.columns if self.is_mixing else []:
            if not column.left <= at.x() < column.left + column.width:
                continue
            if column.name == "keys" and above - self.look.pixels(28) <= at.y() < above:
                return replace(_hit_in(column, self.tensors.query, at.x(), self.steps.query_row), name="q_i")
            if column.name == "weighted" and sums.top() <= at.y() < sums.bottom():
                return replace(_hit_in(column, self.tensors.query, at.x(), self.gathered), name="z_i")
        return None


def _hit_in(column: PlacedColumn, token: int, x: float, values: Floats | np.float32) -> Hit:
    if column.axis is None:
        return Hit(token, column.name, np.float32(values))
    dimension = column.axis.dimension(x)
    if dimension is None:
        return Hit(token)
    return Hit(token, column.name, np.atleast_1d(values)[dimension], dimension)


def _with_frame(box: QRectF) -> QRectF:
    return box.adjusted(-2, 0, 2, 0)


def _cell(column: PlacedColumn, box: QRectF) -> QRectF:
    return QRectF(column.left, box.top(), column.width, box.height())


def _indexes(tensors: StopTensors) -> list[str]:
    """Return the indexes of the projections, which differ for tokens with global attention."""
    return [projection_index(tensors.trace, tensors.query, letter) for letter in "QKV"]
