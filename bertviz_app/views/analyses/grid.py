"""`GridView`: a number of each head, or of each token in each layer, as a cell; layers go down."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from bertviz_app.analysis.axes import Axis, Quantity, counted
from bertviz_app.analysis.probing.decomposition.similarity_heads import PairParts
from bertviz_app.analysis.pure.patterns import PATTERNS
from bertviz_app.analysis.results import HeadScalars, OutcomeMap, Result, Scalar
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import quantised
from bertviz_app.viewmodels.panel_choices import ATTENTION
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.pyramid import pyramid_of
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.analyses.column_words import scalar_title
from bertviz_app.views.kit.cached_picture import draws_pixels
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.colour_maps import signed_table
from bertviz_app.views.kit.heatmaps.heatmap import Cells, Heatmap, HeatmapLayout, Sight
from bertviz_app.views.kit.heatmaps.marked_labels import Marks
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.pill import draw_pill
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain, quantity_words

_CHANGE = Scalar("change", Quantity(""))
_PATTERN = "pattern"
_HIGH = 320  # below this the words have one line, and the cells the rest


class GridView(PanelView):
    """Draws one number of each head, chosen from a menu where there are several; a click shows the head.

    In a map of tokens a click selects the token and shows its layer. The number of the marked cell is
    written below the cells.
    """

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.cells = HeadCells(tools.look)
        self.cells.cell_clicked.connect(self._on_cell_clicked)
        self.note = named(QLabel(), "note")
        self._selection = tools.selection
        self._at = (0, 0)
        self._selection.changed.connect(self._mark)
        self.parts: Segments | None = None
        self._offered: tuple[str, ...] = ()
        self._content = ATTENTION
        self._top = QHBoxLayout()
        self._top.setContentsMargins(8, 6, 8, 0)
        self._top.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._top)
        column.addWidget(self.cells, 1)
        column.addWidget(self.note)

    def show_panel(self, panel: Panel) -> None:
        """Mark the head of the panel, and show the number that it has chosen."""
        self._content = panel.content
        self._at = (panel.layer, panel.head)
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
        self._offer(())
        self._show()

    def _show(self) -> None:
        result = None if self.analysed is None else self.analysed.result
        if isinstance(result, OutcomeMap):
            before, of_map = float(result.facts["outcome"]), result.axes_of["values"][1]
            self.cells.show_values(result.named["values"], _CHANGE, of_map, before)
            self._mark()
        if not isinstance(result, HeadScalars):
            return
        keys = [scalar.key for scalar in result.scalars]
        chosen = self._content.part if self._content.part in keys else keys[0]
        self._offer(tuple(keys) if len(keys) > 1 else ())
        if self.parts is not None:
            self.parts.choose(chosen)
        at = keys.index(chosen)
        columns = counted("head", result.values.shape[2])
        outcome = result.outcome if chosen == _CHANGE.key else None
        self.cells.show_values(result.values[at], result.scalars[at], columns, outcome)
        self._mark()

    @Slot()
    def _mark(self) -> None:
        """Mark the cell of the panel's head, or of the selected token, and write what it says."""
        result = None if self.analysed is None else self.analysed.result
        layer, column = self._at
        if isinstance(result, OutcomeMap) and result.positions:
            shown = self._selection.shown
            token = shown.query if shown.query is not None else shown.key
            column = result.positions.index(token) if token in result.positions else 0
        self.cells.mark((layer, column))
        words = " · ".join([*_facts(result), *self.cells.marked_words])
        is_high = self.height() >= self.look.pixels(_HIGH)
        self.note.setWordWrap(is_high)
        room = self.note.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, self.width() - 28)
        self.note.setText(words if is_high else room)
        self.note.setToolTip("" if is_high else plain(words))
        self.note.setVisible(bool(words))

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._mark()

    @Slot(int, int)
    def _on_cell_clicked(self, layer: int, column: int) -> None:
        result = None if self.analysed is None else self.analysed.result
        if isinstance(result, OutcomeMap) and result.positions:
            self._selection.walk_to(result.positions[column])
            column = self._at[1]
        self.head_requested.emit(layer, column)

    def _offer(self, keys: tuple[str, ...]) -> None:
        """Offer these numbers; where the text has a second sentence there may be others than without."""
        if keys == self._offered:
            return
        if self.parts is not None:
            self._top.removeWidget(self.parts)
            self.parts.deleteLater()
        self.parts, self._offered = None, keys
        if keys:
            self.parts = Segments([(key, scalar_title(key), "") for key in keys])
            self.parts.set_compact(True)
            self.parts.chosen.connect(self._on_part_chosen)
            self._top.insertWidget(0, self.parts)

    @Slot(str)
    def _on_part_chosen(self, key: str) -> None:
        self.choice_made.emit(replace(self._content, part=key))


def _facts(result: Result | None) -> list[str]:
    """Return what is about all cells: what a pair of tokens adds to the cosine, and the parts of no head."""
    if not isinstance(result, PairParts):
        return []
    translate = QCoreApplication.translate
    pair = translate("GridView", "{0} – {1} add {2} to the cosine").format(
        *result.tokens, signed(result.contribution, 4)
    )
    sums = (result.of("both"), result.feed_forward, result.biases)
    parts = [*(signed(float(each.sum()), 4) for each in sums), signed(result.embeddings, 4)]
    words = translate("GridView", "heads {0}, feed-forward parts {1}, biases {2}, embeddings {3}")
    return [pair, words.format(*parts)]


class HeadCells(Canvas):
    """The cells, with layers and heads as labels and a colour bar; `cell_clicked` has layer and column.

    The columns may be tokens instead of heads.
    """

    fills_ground = True

    cell_clicked = Signal(int, int)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._heatmap = Heatmap(look)
        self._cells: Cells | None = None
        self._values: Floats = np.zeros((0, 0), np.float32)
        self._scalar: Scalar | None = None
        self._marked: tuple[int, int] = (0, 0)
        self._pointer: QPointF | None = None
        self._columns = counted("head", 0)
        self._outcome: float | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 60)

    def mark(self, cell: tuple[int, int]) -> None:
        """Frame a cell."""
        self._marked = cell
        self.setAccessibleDescription(", ".join(self.marked_words))
        self.update()

    def show_values(
        self, values: Floats, scalar: Scalar, columns: Axis, outcome: float | None = None
    ) -> None:
        """Show other numbers [L, H], or [L, N] of tokens; `outcome` is what a change is added to."""
        self._values, self._scalar, self._cells = values, scalar, None
        self._columns, self._outcome = columns, outcome
        words = self.tr("{0} of each head") if self._is_of_heads else self.tr("{0} of each token")
        self.setAccessibleName(words.format(scalar_title(scalar.key)))
        self.update()

    @property
    def marked_words(self) -> list[str]:
        """What the framed cell says; nothing where there is none."""
        layer, column = self._marked
        is_there = layer < self._values.shape[0] and column < self._values.shape[1]
        return self.read_out(layer, column) if is_there and self._scalar is not None else []

    @property
    def _is_of_heads(self) -> bool:
        return self._columns.name == "head"

    @property
    def layout_of_cells(self) -> HeatmapLayout:
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
        values = np.nan_to_num(self._values)
        scale = _Scale.of(self._scalar, float(np.abs(values).max(initial=0.0)))
        level = quantised(values, max(scale.largest, 1e-30), "linear", is_signed=is_signed)
        n_layers, _ = self._values.shape

        def texts(rows: range, columns: range) -> list[list[str]]:
            shown = self._values[rows.start : rows.stop, columns.start : columns.stop]
            return [[scale.write(number) for number in row] for row in shown.tolist()]

        return Cells(
            pyramid=pyramid_of(level, is_signed=is_signed),
            table=signed_table(self.look) if is_signed else self.look.weights,
            rows=Labels(self.look, [str(layer) for layer in range(n_layers)]),
            columns=Labels(self.look, list(self._columns.labels)),
            bar=scale.bar,
            texts=texts,
            widest_text=scale.widest,
        )

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self._scalar is None:
            return
        layout = self.layout_of_cells
        draw = partial(self._heatmap.draw_plain, as_rectangles=not draws_pixels(painter))
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
        name = self._columns.labels[head]
        words = self.tr("Layer {0} · Head {1}") if self._is_of_heads else self.tr("Layer {0} · {1}")
        title = words.format(layer, name)
        if self._outcome is not None:
            before, change = self._outcome, float(self._values[layer, head])
            words = self.tr("outcome {0} → {1} ({2})")
            return [
                title,
                words.format(*(fixed(each, 4) for each in (before, before + change)), signed(change, 4)),
            ]
        if self._scalar.key == _PATTERN:
            kind = _pattern_words(float(self._values[layer, head]))
            number = self.tr("{0} (rule of this program)").format(kind)
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
            self.cell_clicked.emit(*head)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter does what a click on the framed cell does; the window uses the arrow keys to walk heads."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.marked_words:
            self.cell_clicked.emit(*self._marked)
        else:
            super().keyPressEvent(event)


@dataclass(frozen=True)
class _Scale:
    """What the darkest colour stands for, what is written in a cell and beside the colour bar."""

    largest: float
    write: Callable[[float], str]
    bar: tuple[str, str, str]
    widest: str

    @classmethod
    def of(cls, scalar: Scalar, largest: float) -> _Scale:
        """Return the scale of numbers of which the furthest from 0 is `largest`.

        Patterns have names instead of numbers, and each its colour whichever others there are.
        """
        if scalar.key == _PATTERN:
            marks = [_pattern_mark(number) for number in range(len(PATTERNS))]
            bar = (marks[-1], marks[len(marks) // 2], marks[0])
            return cls(float(len(marks) - 1), _pattern_mark, bar, max(marks, key=len))
        digits = min(max(2 - math.floor(math.log10(largest)), 0), 6) if largest else 2
        if scalar.quantity.is_signed:
            write = partial(signed, digits=digits)
            return cls(largest, write, (write(largest), "0", write(-largest)), write(largest))
        write = partial(fixed, digits=digits)
        return cls(largest, write, (write(largest), _unit(scalar), "0"), write(largest))


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


def _pattern_mark(number: float) -> str:
    """Return what stands in the cell of a head with a pattern."""
    translate = QCoreApplication.translate
    return (
        translate("Scalars", "het."),
        translate("Scalars", "vert."),
        translate("Scalars", "diag."),
        translate("Scalars", "v + d"),
        translate("Scalars", "block"),
    )[int(number)]


def _unit(scalar: Scalar) -> str:
    return quantity_words(scalar.quantity) if scalar.quantity.unit not in ("", "weight") else ""
