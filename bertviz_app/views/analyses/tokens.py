"""`BarsView`: a number for each token, as a strip of tinted tokens and as bars."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from bertviz_app.analysis.results import TokenScalars
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.analyses.table import Index, RowsModel, RowsTable
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.colour_maps import ink_on, signed_table
from bertviz_app.views.kit.labels import SIZE
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.words import quantity_words

_GAP, _PADDING = 4.0, 5.0
_HIGHEST = 140


class BarsView(PanelView):
    """Shows the numbers of the tokens; of several layers or hidden states those of the panel's layer."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.strip = TintedTokens(tools.look)
        self.model = RowsModel(self)
        self.table = RowsTable(self.model)
        self._bars = _BarDelegate(tools.look, self.model, self.table)
        self.table.setItemDelegateForColumn(2, self._bars)
        self.table.horizontalHeader().setStretchLastSection(True)
        self._layer = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 0)
        column.setSpacing(8)
        column.addWidget(self.strip)
        column.addWidget(self.table, 1)

    def show_panel(self, panel: Panel) -> None:
        """Show the layer of the panel."""
        self._layer = panel.layer
        self._show()

    def show_result(self, analysed: Analysed) -> None:
        """Show another result."""
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        self._show()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self._show()

    def set_stale(self, is_stale: bool) -> None:
        """Dim strip and bars while they are out of date."""
        super().set_stale(is_stale)
        self.strip.set_stale(is_stale)
        self.table.setEnabled(not is_stale)

    def _show(self) -> None:
        result = None if self.analysed is None else self.analysed.result
        if not isinstance(result, TokenScalars):
            return
        values, name = result.values, quantity_words(result.quantity)
        if result.states is not None:
            state = min(self._layer, len(values) - 1)
            values, name = values[state], f"{name} · {self._state_words(result.states)} {state}"
        self._bars.is_signed = result.quantity.is_signed
        self.strip.show_values(result.tokens, values, is_signed=result.quantity.is_signed)
        cells = zip(range(len(values)), result.tokens, values.tolist(), strict=True)
        self.model.show_rows((self.tr("position"), self.tr("token"), name), tuple(cells))

    def _state_words(self, states: str) -> str:
        return self.tr("layer") if states == "layer" else self.tr("hidden state")


class _BarDelegate(QStyledItemDelegate):
    """Draws the number at the left of its cell, and beside it a bar from zero; signed ones in two colours."""

    is_signed = False

    def __init__(self, look: Look, model: RowsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._model = model

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        numbers = np.array([row[2] for row in self._model.rows], np.float64)
        number = float(numbers[index.row()])
        box = QRectF(option.rect)
        painter.setFont(self._look.number_font(12))
        width = QFontMetricsF(painter.font()).horizontalAdvance("−0.0000") + 8
        painter.setPen(self._look.colour("text"))
        text = str(self._model.data(index))
        aligned = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(box.left(), box.top(), width, box.height()), aligned, text)
        room = QRectF(box.left() + width + 8, box.center().y() - 5, max(8.0, box.width() - width - 16), 10)
        largest = float(np.abs(np.nan_to_num(numbers)).max(initial=0.0))
        if math.isnan(number) or not largest:
            return
        zero = room.center().x() if self.is_signed else room.left()
        length = number / largest * (room.width() / 2 if self.is_signed else room.width())
        bar = QRectF(min(zero, zero + length), room.top(), max(1.0, abs(length)), room.height())
        differences = self._look.palette.differences
        of_sign = QColor(differences[-1 if number > 0 else 0])
        painter.fillRect(bar, of_sign if self.is_signed else self._look.colour("accent"))


class TintedTokens(Canvas):
    """The tokens one behind the other, on as many lines as they need, each on the colour of its number."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._tokens: tuple[str, ...] = ()
        self._values: Floats = np.zeros(0, np.float32)
        self._is_signed = False

    def show_values(self, tokens: tuple[str, ...], values: Floats, *, is_signed: bool) -> None:
        """Show other tokens and numbers."""
        self._tokens, self._values, self._is_signed = tokens, values, is_signed
        self.setAccessibleName(" ".join(tokens))
        self._fit()
        self.update()

    def boxes(self, width: float) -> list[QRectF]:
        """Return where the tokens lie in a widget of this width."""
        metrics = QFontMetricsF(self.look.font(SIZE))
        height, left, top = metrics.height() + 4, 0.0, 0.0
        found = []
        for token in self._tokens:
            wide = min(width, metrics.horizontalAdvance(token) + 2 * _PADDING)
            if left and left + wide > width:
                left, top = 0.0, top + height + _GAP
            found.append(QRectF(left, top, wide, height))
            left += wide + _GAP
        return found

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _fit(self) -> None:
        """Take the height of all lines, as long as that leaves most of the panel to the bars."""
        boxes = self.boxes(self.width())
        self.setFixedHeight(min(math.ceil(boxes[-1].bottom()), self.look.pixels(_HIGHEST)) if boxes else 0)

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        self._fit()

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        largest = float(np.abs(np.nan_to_num(self._values)).max(initial=0.0)) or 1.0
        table = signed_table(self.look) if self._is_signed else self.look.weights
        painter.setFont(self.look.font(SIZE))
        tokens = zip(self.boxes(self.width()), self._tokens, self._values.tolist(), strict=True)
        for box, token, value in tokens:
            share = 0.0 if math.isnan(value) else value / largest
            colour = int(table[128 + round(127 * share)] if self._is_signed else table[round(255 * share)])
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor.fromRgb(colour))
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(ink_on(colour))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, token)
