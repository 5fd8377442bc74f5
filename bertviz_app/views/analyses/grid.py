"""`GridView`: a number of each head as a cell, layers down and heads across."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from bertviz_app.analysis.results import HeadScalars, Scalar
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import quantised
from bertviz_app.viewmodels.panel_choices import ATTENTION
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.pyramid import pyramid_of
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.analyses.column_words import scalar_title
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.colour_maps import signed_table
from bertviz_app.views.kit.heatmaps.heatmap import Cells, Heatmap, Layout, Sight
from bertviz_app.views.kit.heatmaps.marked_labels import Marks
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.pill import draw_pill
from bertviz_app.views.kit.words import quantity_words


class GridView(PanelView):
    """Draws one of the numbers of each head; a click shows the head. Several numbers have a menu."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.cells = HeadCells(tools.look)
        self.cells.head_clicked.connect(self.head_requested)
        self.parts: Segments | None = None
        self._content = ATTENTION
        self._top = QHBoxLayout()
        self._top.setContentsMargins(8, 6, 8, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._top)
        column.addWidget(self.cells, 1)

    def show_panel(self, panel: Panel) -> None:
        """Mark the head of the panel, and show the number that it has chosen."""
        self._content = panel.content
        self.cells.mark((panel.layer, panel.head))
        self._show()

    def show_result(self, analysed: Analysed) -> None:
        """Show another result."""
        super().show_result(analysed)
        self._show()

    @property
    def caption(self) -> str:
        """The number of each head that is drawn."""
        return "" if self.parts is None else scalar_title(self.parts.chosen_key)

    def set_stale(self, is_stale: bool) -> None:
        """Dim the cells while they are out of date."""
        super().set_stale(is_stale)
        self.cells.set_stale(is_stale)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        if self.parts is not None:
            self.parts.deleteLater()
            self.parts = None
        self._show()

    def _show(self) -> None:
        result = None if self.analysed is None else self.analysed.result
        if not isinstance(result, HeadScalars):
            return
        keys = [scalar.key for scalar in result.scalars]
        chosen = self._content.part if self._content.part in keys else keys[0]
        self._offer(keys, chosen)
        at = keys.index(chosen)
        self.cells.show_values(result.values[at], result.scalars[at])

    def _offer(self, keys: Sequence[str], chosen: str) -> None:
        if len(keys) < 2:
            return
        if self.parts is None:
            self.parts = Segments([(key, scalar_title(key), "") for key in keys])
            self.parts.set_compact(True)
            self.parts.chosen.connect(self._on_part_chosen)
            self._top.addWidget(self.parts)
            self._top.addStretch(1)
        self.parts.choose(chosen)

    @Slot(str)
    def _on_part_chosen(self, key: str) -> None:
        self.choice_made.emit(replace(self._content, part=key))


class HeadCells(Canvas):
    """The cells, with layers and heads as labels and a colour bar; `head_clicked` has layer and head."""

    head_clicked = Signal(int, int)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._heatmap = Heatmap(look)
        self._cells: Cells | None = None
        self._values: Floats = np.zeros((0, 0), np.float32)
        self._scalar: Scalar | None = None
        self._marked: tuple[int, int] = (0, 0)
        self._pointer: QPointF | None = None
        self.setMouseTracking(True)
        self.setMinimumSize(160, 140)

    def mark(self, head: tuple[int, int]) -> None:
        """Frame the cell of a head."""
        self._marked = head
        self.update()

    def show_values(self, values: Floats, scalar: Scalar) -> None:
        """Show other numbers [L, H]."""
        self._values, self._scalar, self._cells = values, scalar, None
        self.setAccessibleName(self.tr("{0} of each head").format(scalar_title(scalar.key)))
        self.update()

    @property
    def layout_of_cells(self) -> Layout:
        """Where the cells lie, in the coordinates of the widget."""
        if self._cells is None:
            self._cells = self._made()
        n_layers, n_heads = self._values.shape
        spans = Span(0.0, float(n_layers)), Span(0.0, float(n_heads))
        return self._heatmap.lay_out(
            self._cells, Sight(self.width(), self.height(), self.devicePixelRatioF(), *spans)
        )

    def _made(self) -> Cells:
        assert self._scalar is not None
        is_signed = self._scalar.quantity.is_signed
        largest = float(np.abs(np.nan_to_num(self._values)).max(initial=0.0))
        level = quantised(np.nan_to_num(self._values), max(largest, 1e-30), "linear", is_signed=is_signed)
        digits = min(max(2 - math.floor(math.log10(largest)), 0), 6) if largest else 2
        write = signed if is_signed else fixed
        n_layers, n_heads = self._values.shape

        def texts(rows: range, columns: range) -> list[list[str]]:
            shown = self._values[rows.start : rows.stop, columns.start : columns.stop]
            return [[write(number, digits) for number in row] for row in shown.tolist()]

        least = write(-largest, digits) if is_signed else "0"
        middle = "0" if is_signed else _unit(self._scalar)
        return Cells(
            pyramid=pyramid_of(level, is_signed=is_signed),
            table=signed_table(self.look) if is_signed else self.look.weights,
            rows=Labels(self.look, [str(layer) for layer in range(n_layers)]),
            columns=Labels(self.look, [str(head) for head in range(n_heads)]),
            bar=(write(largest, digits), middle, least),
            texts=texts,
            widest_text=write(largest, digits),
        )

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self._scalar is None:
            return
        layout = self.layout_of_cells
        draw = partial(self._heatmap.draw_plain, as_rectangles=self.draws_vectors)
        self._heatmap.draw(painter, draw, Marks())
        layer, head = self._marked
        if layer < self._values.shape[0] and head < self._values.shape[1]:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.look.colour("accent"), 2))
            painter.drawRect(layout.cell(layer, head).adjusted(0, 0, -1, -1))
        at = self.head_at(self._pointer) if self._pointer is not None else None
        if at is not None and self._pointer is not None:
            draw_pill(painter, self.look, self.read_out(*at), self._pointer, QRectF(self.rect()))

    def read_out(self, layer: int, head: int) -> list[str]:
        """Return the lines of the read-out of a cell."""
        assert self._scalar is not None
        number = f"{fixed(float(self._values[layer, head]))} {_unit(self._scalar)}".rstrip()
        title = self.tr("Layer {0} · Head {1}").format(layer, head)
        if self._scalar.key == "pattern":
            kind = _pattern_words(float(self._values[layer, head]))
            number = self.tr("{0} (the rule is ours)").format(kind)
        return [title, f"{scalar_title(self._scalar.key)} {number}"]

    def head_at(self, at: QPointF) -> tuple[int, int] | None:
        """Return the (layer, head) under a point, None beside the cells."""
        layout = self.layout_of_cells
        row, column = layout.cell_at(at)
        is_inside = layout.plot.contains(at) and row is not None and column is not None
        return (row, column) if is_inside and row is not None and column is not None else None

    def _on_look_changed(self) -> None:
        self._cells = None
        super()._on_look_changed()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.head_at(event.position()) if self._scalar is not None else None
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.head_clicked.emit(*head)


def _pattern_words(number: float) -> str:
    """Return what a pattern is called."""
    translate = QCoreApplication.translate
    return (
        translate("Scalars", "heterogeneous"),
        translate("Scalars", "vertical"),
        translate("Scalars", "diagonal"),
        translate("Scalars", "vertical and diagonal"),
        translate("Scalars", "block"),
    )[int(number)]


def _unit(scalar: Scalar) -> str:
    return quantity_words(scalar.quantity) if scalar.quantity.unit not in ("", "weight") else ""
