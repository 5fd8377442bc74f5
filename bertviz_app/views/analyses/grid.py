"""`GridView`: a number of each head, or of each token in each layer, as a cell; layers go down."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from bertviz_app.analysis.probing.decomposition.similarity import PairParts
from bertviz_app.analysis.pure.heads import PATTERNS
from bertviz_app.analysis.results import Axis, HeadScalars, OutcomeMap, Quantity, Result, Scalar, counted
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import quantised
from bertviz_app.viewmodels.panels import SHOWS_ATTENTION, Panel
from bertviz_app.viewmodels.viewport import CLOSE, pyramid_of
from bertviz_app.viewmodels.viewport import PixelAxis as Positions
from bertviz_app.views.analyses.column_words import scalar_title
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.colour_maps import signed_table
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import plain, quantity_words
from bertviz_app.views.plots.cells import Cells, CellsPlot, Marks, cell_of

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
        self._content = SHOWS_ATTENTION
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
        super().show_result(analysed)
        self._show()

    @property
    def caption(self) -> str:
        """The number of each head that is drawn."""
        return "" if self.parts is None else scalar_title(self.parts.chosen_key)

    def set_stale(self, is_stale: bool) -> None:
        super().set_stale(is_stale)
        self.cells.set_stale(is_stale)

    def retranslate(self) -> None:
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


class HeadCells(CellsPlot):
    """The cells, with layers and heads as names and a colour bar; `cell_clicked` has layer and column.

    The columns may be tokens instead of heads. Enter does what a click on the cell does that the arrows have
    come to, or else the framed one.
    """

    walks = True

    cell_clicked = Signal(int, int)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._values: Floats = np.zeros((0, 0), np.float32)
        self._scalar: Scalar | None = None
        self._framed = (0, 0)
        self._walked: tuple[int, int] | None = None
        self._columns = counted("head", 0)
        self._outcome: float | None = None
        self.box.close = CLOSE
        self.pointed.connect(self._on_pointed)
        self.clicked.connect(self._on_clicked)
        self.walked.connect(self._walk)
        self.entered.connect(self._on_entered)
        self.let_go.connect(lambda: self._read(None))
        self.box.sigRangeChanged.connect(lambda *_: self._point_again())
        self.setMinimumSize(120, 60)

    def mark(self, cell: tuple[int, int]) -> None:
        if cell != self._framed:
            self._framed, self._walked = cell, None
        self.setAccessibleDescription(", ".join(self.marked_words))
        self.items_of_cells.update()

    def show_values(
        self, values: Floats, scalar: Scalar, columns: Axis, outcome: float | None = None
    ) -> None:
        """Show other numbers [L, H], or [L, N] of tokens; `outcome` is what a change is added to."""
        self._values, self._scalar = values, scalar
        self._columns, self._outcome = columns, outcome
        words = self.tr("{0} of each head") if self._is_of_heads else self.tr("{0} of each token")
        self.setAccessibleName(words.format(scalar_title(scalar.key)))
        self.recolour()
        self._read(None)
        self._point_again()

    @property
    def marked_words(self) -> list[str]:
        """What the framed cell says; nothing where there is none."""
        return self.read_out_of(*self._framed) if self._has(self._framed) else []

    def _has(self, cell: tuple[int, int]) -> bool:
        n_layers, n_columns = self._values.shape
        return self._scalar is not None and cell[0] < n_layers and cell[1] < n_columns

    @property
    def _is_of_heads(self) -> bool:
        return self._columns.name == "head"

    def recolour(self) -> None:
        scalar = self._scalar
        if scalar is None:
            return
        is_signed = scalar.quantity.is_signed
        values = np.nan_to_num(self._values)
        scale = _Scale.of(scalar, float(np.abs(values).max(initial=0.0)))
        level = quantised(values, max(scale.largest, 1e-30), "linear", is_signed=is_signed)

        def texts(rows: range, columns: range) -> list[list[str]]:
            shown = self._values[rows.start : rows.stop, columns.start : columns.stop]
            return [[scale.write(number) for number in row] for row in shown.tolist()]

        self.show_cells(
            Cells(
                colours=pyramid_of(level, is_signed=is_signed),
                table=signed_table(self.look) if is_signed else self.look.weights,
                rows=Labels(self.look, [str(layer) for layer in range(len(values))]),
                columns=Labels(self.look, list(self._columns.labels)),
                bar=scale.bar,
                texts=texts,
                widest_text=scale.widest,
            )
        )

    def extras(self) -> tuple[object, ...]:
        return (self._framed,)

    def draw_above_grid(self, painter: QPainter, rows: Positions, columns: Positions) -> None:
        """Frame the cell of the panel's head, or of the selected token."""
        if self._has(self._framed):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.look.colour("accent"), 2))
            painter.drawRect(cell_of(rows, columns, *self._framed).adjusted(1, 1, -1, -1))

    def read_out_of(self, layer: int, column: int) -> list[str]:
        assert self._scalar is not None
        number = f"{fixed(float(self._values[layer, column]))} {_unit(self._scalar)}".rstrip()
        name = self._columns.labels[column]
        words = self.tr("Layer {0} · Head {1}") if self._is_of_heads else self.tr("Layer {0} · {1}")
        title = words.format(layer, name)
        if self._outcome is not None:
            before, change = self._outcome, float(self._values[layer, column])
            words = self.tr("outcome {0} → {1} ({2})")
            return [
                title,
                words.format(*(fixed(each, 4) for each in (before, before + change)), signed(change, 4)),
            ]
        if self._scalar.key == _PATTERN:
            kind = _pattern_words(float(self._values[layer, column]))
            number = self.tr("{0} (rule of this program)").format(kind)
        return [title, f"{scalar_title(self._scalar.key)} {number}"]

    # gestures

    def head_at(self, at: QPointF) -> tuple[int, int] | None:
        """Return the (layer, column) under a point, None beside the cells."""
        row, column = self.cell_at(at)
        return None if row is None or column is None or not self._has((row, column)) else (row, column)

    @Slot(object)
    def _on_pointed(self, at: QPointF | None) -> None:
        self._walked = None
        self._read(None if at is None else self.head_at(at), at)

    def _point_again(self) -> None:
        """Read what is under a pointer at rest: another cell may have come there."""
        if self.pointer is not None:
            self._on_pointed(self.pointer)

    def _read(self, cell: tuple[int, int] | None, at: QPointF | None = None) -> None:
        """Mark a cell and write its number beside a point, or beside the cell; None: no cell."""
        if cell is None:
            self._walked = None
            self.read_out.hide_lines()
            self.show_marks(Marks())
            return
        self.read_out.show_lines(
            self.read_out_of(*cell), self.cell_rect(*cell).center() if at is None else at
        )
        self.show_marks(Marks(frozenset({cell[0]}), frozenset({cell[1]})))

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        cell = self.head_at(at)
        if cell is not None:
            self.cell_clicked.emit(*cell)

    @Slot(int, int)
    def _walk(self, down: int, across: int) -> None:
        """Go to a cell beside the one that the arrows have come to, or beside the framed one."""
        row, column = self._walked or self._framed
        n_layers, n_columns = self._values.shape
        if n_layers and n_columns:
            cell = min(max(row + down, 0), n_layers - 1), min(max(column + across, 0), n_columns - 1)
            self.box.reveal(QRectF(cell[1], cell[0], 1, 1))
            self._read(cell)
            self._walked = cell
            self.setAccessibleDescription(", ".join(self.read_out_of(*cell)))

    @Slot()
    def _on_entered(self) -> None:
        cell = self._walked or self._framed
        if self._has(cell):
            self.cell_clicked.emit(*cell)


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
