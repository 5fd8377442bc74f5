"""The products of one query and one key: a line below the keys, and a sheet with a row for each dimension."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.columns import PairProducts, pair_products
from bertviz_app.viewmodels.steps.stops import StopTensors
from bertviz_app.views.kit.numbers import cell_number
from bertviz_app.views.steps.sheets.sheet import Sheet, Spot
from bertviz_app.views.steps.sheets.sheet_pen import SheetPen
from bertviz_app.views.steps.sheets.strips import Ink, Lane, dimension_word

_LINE, _LINK = 26.0, 20.0
_NAMES, _FOOT = 48.0, 32.0
_DIMENSION, _NUMBER, _GAP, _WIDEST_BARS = 44.0, 76.0, 14.0, 460.0
_FORMULAS = ("q_d", "k_d", "q_d k_d")


class ProductsLine:
    """The line below the keys: q_d k_d number under number, their sum, and what shows all of them."""

    def __init__(self, ink: Ink, pen: SheetPen) -> None:
        self._ink = ink
        self._pen = pen
        self.height = float(ink.look.pixels(_LINE) + ink.look.pixels(_LINK))
        self.link = QRectF()
        """Where a click shows the products of all dimensions."""

    def draw(
        self, painter: QPainter, label: QRectF, lane: Lane | None, score: QRectF, pair: PairProducts
    ) -> None:
        """Draw it beside `label`; `lane` is that of the keys, `score` the cell of the sum."""
        height = float(self._ink.look.pixels(_LINE))
        box = QRectF(label.left(), label.top(), label.width(), height)
        made = self._pen.write_formula(painter, ("q_d k_d",), box, "accent")
        word = box.adjusted(made.box.width + 6, 0, -4, 0)
        if QFontMetricsF(self._ink.look.font(13, bold=True)).horizontalAdvance(pair.key_label) > word.width():
            link = self._ink.look.pixels(_LINK)
            word = QRectF(box.left(), box.bottom(), box.width() - 4, link)  # before the link
        self._pen.write(painter, pair.key_label, word, "accent", bold=True)
        if lane is not None:
            strip = QRectF(lane.strip.left(), box.top() + 3, lane.strip.width(), height - 6)
            values = pair.products.astype(np.float32)
            self._ink.draw_strip(painter, strip, values, pair.bound)
            self._ink.draw_frame(painter, strip)
            painter.setPen(self._ink.look.colour("accent"))
            self._ink.draw_window(painter, lane, box.top(), height, values)
        cell = QRectF(score.left(), box.top(), score.width(), height)
        self._pen.write_number(painter, f"= {cell_number(pair.score)}", cell, "accent", bold=True)
        n_hidden = len(pair.products) - (0 if lane is None else lane.shown)
        self._draw_link(painter, QPointF(label.right(), box.bottom()), n_hidden)

    def _draw_link(self, painter: QPainter, at: QPointF, n_hidden: int) -> None:
        translate = QCoreApplication.translate
        text = (
            translate("Steps", "… +{0} more").format(n_hidden) if n_hidden else translate("Steps", "As rows")
        )
        self.link = _draw_link(painter, self._ink, at, f"{text} ▸")


class ProductsSheet(Sheet):
    """A row for each dimension: q_d, k_d, their product, and a bar as long as it. The foot has the sum."""

    is_alone = True

    def __init__(
        self, ink: Ink, tensors: StopTensors, area: QRectF, first: int, highlighted: int | None
    ) -> None:
        super().__init__(ink, tensors, area, first, highlighted)
        self.head, self.foot = float(self.look.pixels(_NAMES)), float(self.look.pixels(_FOOT))
        self._link = QRectF()
        self.highlight(highlighted)
        self.n_rows = len(self.pair.products)
        self.settle()

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

    def _bars(self, box: QRectF) -> QRectF:
        """Return the room of the bars; too narrow a panel has none."""
        left = self._cell(2, box).right() + self.look.pixels(_GAP)
        width = min(self.area.right() - left, float(self.look.pixels(_WIDEST_BARS)))
        return QRectF(left, box.top(), width if width >= self.look.pixels(_NUMBER) else 0.0, box.height())

    def draw_head(self, painter: QPainter) -> None:
        """Draw what shows the rows of the keys again, and the names of the columns."""
        link = self.look.pixels(_LINK)
        text = QCoreApplication.translate("Steps", "All keys")
        self._link = _draw_link(painter, self.ink, self.area.topLeft(), f"◂ {text}")
        names = QRectF(self.area.left(), self.area.top() + link, self.area.width(), self.head - link - 2)
        dimension = QRectF(names.left(), names.top(), self.look.pixels(_DIMENSION) - 12, names.height())
        painter.setFont(self.look.number_font(10.5))
        painter.setPen(self.look.colour("secondary"))
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(dimension, align, dimension_word())
        for column, formula in enumerate(_FORMULAS):
            cell = self._cell(column, names).adjusted(0, 0, -5, 0)
            made = self.pen.write_formula(painter, (formula,), cell, "accent", is_right=True)
            word = (self.pair.query_label, self.pair.key_label, "")[column]
            self._write_right(painter, word, cell.adjusted(0, 0, -made.box.width - 5, 0))
        self.pen.draw_rule(painter, self.area, self.rows_area.top() - 1)

    def _write_right(self, painter: QPainter, word: str, box: QRectF) -> None:
        painter.setFont(self.look.font(12))
        painter.setPen(self.look.colour("secondary"))
        text = QFontMetricsF(painter.font()).elidedText(word, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def draw_rows(self, painter: QPainter, rows: Mapping[int, QRectF]) -> None:
        columns = self._columns
        for row, box in rows.items():
            number = QRectF(box.left(), box.top(), self.look.pixels(_DIMENSION) - 12, box.height())
            self.pen.write_number(painter, str(row), number, "secondary")
            for column, values in enumerate(columns):
                cell, value = self._cell(column, box), float(values[row])
                if column == 2:
                    self.ink.draw_number(painter, cell.adjusted(0, 1, 0, -1), value, self.bound)
                else:
                    self.pen.write_number(painter, cell_number(value), cell.adjusted(0, 0, -5, 0))
            self._draw_bar(painter, float(self.pair.products[row]), self._bars(box).adjusted(0, 4, 0, -4))

    def _draw_bar(self, painter: QPainter, product: float, room: QRectF) -> None:
        """Draw a product to the right of the middle if it raises the score, else to the left."""
        if room.width() <= 0:
            return
        middle = room.center().x()
        length = product / self.bound * room.width() / 2
        bar = QRectF(middle, room.top(), length, room.height()).normalized()
        painter.fillRect(bar, self.ink.colour(product, self.bound))
        painter.setPen(self.look.colour("rule"))
        painter.drawLine(QPointF(middle, room.top() - 4), QPointF(middle, room.bottom() + 4))

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

    def spot(self, at: QPointF, offset: int) -> Spot | None:
        row = self.row_at(at.y(), offset)
        if row is None:
            return None
        for column, (values, name) in enumerate(zip(self._columns, ("q_i", "keys", "product"), strict=True)):
            if self._cell(column, self.area).contains(QPointF(at.x(), self.area.center().y())):
                token = self.tensors.query if column == 0 else self.pair.key
                return Spot(token, name, np.float32(values[row]), row)
        return None


def _draw_link(painter: QPainter, ink: Ink, at: QPointF, text: str) -> QRectF:
    """Write what can be clicked from `at` on; return where it lies."""
    painter.setFont(ink.look.font(12))
    width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 6
    box = QRectF(at.x(), at.y(), width, ink.look.pixels(_LINK))
    painter.setPen(ink.look.colour("accent"))
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    return box
