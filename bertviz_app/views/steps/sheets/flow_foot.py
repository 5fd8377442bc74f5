"""What stands below the rows of a head's arithmetic: the products of a pair, and the sums of the columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.analysis.steps import HeadSteps
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.pair_products import PairProducts
from bertviz_app.viewmodels.steps.tensors import bound_of
from bertviz_app.views.kit.numbers import cell_number, fixed
from bertviz_app.views.steps.sheets.column_layout import PlacedColumn
from bertviz_app.views.steps.sheets.products import ProductsLine
from bertviz_app.views.steps.sheets.sheet_pen import SheetPen
from bertviz_app.views.steps.sheets.strips import Ink, Lane

_SUMS = 32.0
_SUMMED = ("exponential", "weight", "weighted")

DrawVector = Callable[[QPainter, Lane, Floats, float, QRectF, str], None]


@dataclass(frozen=True, eq=False)
class Summed:
    """What the foot sums up: the columns, the steps they are of, and Z as the encoder has it."""

    columns: list[PlacedColumn]
    steps: HeadSteps
    gathered: Floats


class FlowFoot:
    """Draws the foot: `has_sums` gives it the sums, `has_products` the line of the products of a pair."""

    def __init__(self, ink: Ink, pen: SheetPen, *, has_sums: bool, has_products: bool) -> None:
        self._may_sum = has_sums
        self._look = ink.look
        self._pen = pen
        self._products = ProductsLine(ink, pen) if has_products else None

    @property
    def _sums_height(self) -> float:
        return float(self._look.pixels(_SUMS))

    def _has_sums(self, columns: list[PlacedColumn]) -> bool:
        return self._may_sum and any(column.name in _SUMMED for column in columns)

    def height(self, columns: list[PlacedColumn]) -> float:
        """Return the height of the foot below these columns."""
        of_products = 0.0 if self._products is None else self._products.height
        return of_products + (self._sums_height if self._has_sums(columns) else 0.0)

    def draw_products(
        self, painter: QPainter, label: QRectF, columns: list[PlacedColumn], pair: PairProducts
    ) -> None:
        """Draw the line of products, if it has one; `label` is the room of its name."""
        if self._products is None:
            return
        placed = {column.name: column for column in columns}
        keys, score = placed.get("keys"), placed.get("scores")
        cell = QRectF() if score is None else QRectF(score.left, label.top(), score.width, 0)
        self._products.draw(painter, label.translated(0, 3), None if keys is None else keys.lane, cell, pair)

    def sums_box(self, bottom: float, area: QRectF) -> QRectF:
        """Return where the sums lie in a foot that ends at `bottom`."""
        top = bottom - self._sums_height
        return QRectF(area.left(), top, area.width(), self._sums_height)

    def draw_sums(
        self, painter: QPainter, box: QRectF, labels: float, summed: Summed, draw_vector: DrawVector
    ) -> None:
        """Draw the sum of each column that has one; the names of the rows are `labels` wide."""
        if not self._has_sums(summed.columns):
            return
        box = box.adjusted(0, 3, 0, 0)
        self._pen.write_formula(
            painter, ("Σ",), QRectF(box.left(), box.top(), labels, box.height()), "secondary"
        )
        for column in summed.columns:
            cell = QRectF(column.left, box.top(), column.width, box.height())
            if column.name == "weighted" and column.lane is not None:
                # On a scale of its own: of a long text the sum is many times as large as what is added.
                bound = bound_of(summed.gathered)
                draw_vector(painter, column.lane, summed.gathered, bound, cell, "accent")
            elif column.name == "values" and _shows(summed.columns, "weighted"):
                self._pen.write_formula(painter, ("z_i = Σ_j α_{ij} v_j", "z_i"), cell, "accent")
            else:
                self._draw_number(painter, column, summed, cell)

    def _draw_number(self, painter: QPainter, column: PlacedColumn, summed: Summed, cell: QRectF) -> None:
        steps, name = summed.steps, column.name
        sums = {
            "exponential": cell_number(steps.total),
            "weight": fixed(float(steps.weights.sum()), 3),
            "what_if": fixed(float(column.values.sum()), 3),
        }
        softmax_input = "biased" if steps.added else "scaled"
        if name in sums:
            self._pen.write_number(painter, sums[name], cell, bold=True)
        elif name == softmax_input and _shows(summed.columns, "exponential"):
            text = self._largest(column, summed)
            wider = cell.adjusted(-self._look.pixels(20), 0, 0, 0)  # into the gap before the column
            self._pen.write_number(painter, text, wider, "secondary")

    def _largest(self, column: PlacedColumn, summed: Summed) -> str:
        """Return "m = 3.066", without the spaces where it would reach beyond the band of the column."""
        before = [one for one in summed.columns if one.left < column.left]
        gap = column.left - max((one.left + one.width for one in before), default=column.left)
        number = cell_number(summed.steps.maximum)
        needed = QFontMetricsF(self._look.number_font(12)).horizontalAdvance(f"m = {number}")
        return f"m = {number}" if needed <= column.width + gap / 2 - 4 else f"m={number}"

    def action_at(self, at: QPointF) -> str:
        """Return "products" where a click shows the products of all dimensions."""
        return "products" if self._products is not None and self._products.link.contains(at) else ""


def _shows(columns: list[PlacedColumn], name: str) -> bool:
    return any(column.name == name for column in columns)
