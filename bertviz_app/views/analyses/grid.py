"""A number of each head, or of each token in each layer, as cells; bars of a text's tokens."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel

from bertviz_app.analysis.probing.decomposition.similarity import PairParts
from bertviz_app.analysis.pure.heads import PATTERNS
from bertviz_app.analysis.results import (
    Axis,
    HeadMap,
    HeadPairs,
    HeadScalars,
    OutcomeMap,
    Quantity,
    Result,
    Scalar,
    counted,
)
from bertviz_app.analysis.studies.coreference import HeadCoreference
from bertviz_app.trace.interventions import reached
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import quantised
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Panel
from bertviz_app.viewmodels.viewport import CLOSE, PixelAxis, pyramid_of
from bertviz_app.viewmodels.viewport import PixelAxis as Positions
from bertviz_app.views.analyses.table import scalar_title
from bertviz_app.views.kit.canvas import CachedPicture
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, ink_on, named, signed_table
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.subject import AxisTitles
from bertviz_app.views.kit.words import fixed, plain, quantity_words, signed
from bertviz_app.views.plots.axes import Strip
from bertviz_app.views.plots.cells import Cells, CellsPlot, Points, cell_of
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing
from bertviz_app.views.vectors.map import LabelPlace, place_labels

_CHANGE = Scalar("change", Quantity(""))
_PATTERN = "pattern"
_MOST_READ = 3  # so many heads that one reads are named below the cells
_HIGH = 320  # below this the words have one line, and the cells the rest


class GridView(PanelView):
    """Draws one number of each head, chosen from a menu where there are several; a click shows the head.

    In a map of tokens a click selects the token and shows its layer. In one of pairs of heads rows are heads
    and columns earlier ones; a click shows the head of the row. The number of the marked cell is written
    below the cells.
    """

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.cells = HeadCells(tools.look)
        self.dimmed = (self.cells,)
        self.cells.part_chosen.connect(self._on_cell_chosen)
        self.cells.cell_carried.connect(self._on_cell_carried)
        self._interventions = tools.interventions
        self.note = named(QLabel(), "note")
        self._selection = tools.selection
        self._at = (0, 0)
        self._selection.changed.connect(self._mark)
        self.parts: Segments | None = None
        self._offered: tuple[str, ...] = ()
        self._content = SHOWS_ATTENTION
        self._top = in_row(1, margins=(8, 6, 8, 0))
        in_column(self._top, (self.cells, 1), self.note, of=self, margins=0, spacing=0)

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

    @property
    def axis_titles(self) -> AxisTitles:
        translate, result = (
            QCoreApplication.translate,
            None if self.analysed is None else self.analysed.result,
        )
        columns, colours = translate("AxisTitles", "head"), self._colours_of(result)
        if isinstance(result, HeadPairs):
            return AxisTitles(columns, translate("AxisTitles", "earlier head"), right=colours)
        if isinstance(result, OutcomeMap) and result.positions:
            columns = translate("AxisTitles", "token")
        return AxisTitles(translate("AxisTitles", "layer"), columns, right=colours)

    def _colours_of(self, result: Result | None) -> str:
        """Return what the colours stand for, with its unit."""
        translate = QCoreApplication.translate
        if isinstance(result, HeadPairs):
            words = translate("AxisTitles", "{0}: ratio, less that of random directions")
            return words.format(self.caption)
        scalar = None if self.analysed is None else self.cells.scalar
        if scalar is None or scalar.key == _CHANGE.key:
            return "" if scalar is None else translate("AxisTitles", "change of the outcome")
        unit = _unit(scalar)
        return f"{scalar_title(scalar.key)}, {unit}" if unit else scalar_title(scalar.key)

    def _show(self) -> None:
        result = None if self.analysed is None else self.analysed.result
        self.cells.dotted = result.marked if isinstance(result, HeadScalars) else np.zeros((0, 0), bool)
        if isinstance(result, OutcomeMap):
            before, of_map = float(result.facts["outcome"]), result.axes_of["values"][1]
            change = Scalar(_CHANGE.key, Quantity("", noise=result.noise))
            self.cells.show_values(result.named["values"], change, of_map, before)
            self.cells.carries, self.cells.put = self._can_put(), self._put_cells()
            self.cells.reached = self._reached
            self._mark()
        if isinstance(result, HeadPairs):
            at, chosen = self._choose(result.kinds)
            names = _names_of(result)
            rows, earlier = (replace(axis, labels=names) for axis in result.axes[1:])
            self.cells.show_values(result.values[at], Scalar(chosen, Quantity("")), earlier, rows=rows)
            self._mark()
        if not isinstance(result, HeadScalars):
            return
        self.cells.carries, self.cells.put = False, frozenset()
        at, chosen = self._choose(tuple(scalar.key for scalar in result.scalars))
        columns = counted("head", result.values.shape[2])
        outcome = result.outcome if chosen == _CHANGE.key else None
        self.cells.show_values(result.values[at], result.scalars[at], columns, outcome)
        self._mark()

    def _choose(self, keys: tuple[str, ...]) -> tuple[int, str]:
        """Offer several numbers, and return the index and the key of the one that is drawn."""
        chosen = self._content.part if self._content.part in keys else keys[0]
        offered = keys if len(keys) > 1 else ()
        if offered != self._offered:  # with a second sentence there may be others than without
            if self.parts is not None:
                self._top.removeWidget(self.parts)
                self.parts.deleteLater()
            self.parts, self._offered = None, offered
            if offered:
                self.parts = Segments([(key, scalar_title(key), "") for key in offered])
                self.parts.set_compact(True)
                self.parts.chosen.connect(lambda key: self.choice_made.emit(replace(self._content, part=key)))
                self._top.insertWidget(0, self.parts)
        if self.parts is not None:
            self.parts.choose(chosen)
        return keys.index(chosen), chosen

    @Slot()
    def _mark(self) -> None:
        """Mark the cell of the panel's head, or of the selected token, and write what it says."""
        result = None if self.analysed is None else self.analysed.result
        self.cells.omits_hints = self.omits_hints
        layer, column = self._at
        if isinstance(result, OutcomeMap) and result.positions:
            shown = self._selection.shown
            token = shown.query if shown.query is not None else shown.key
            column = result.positions.index(token) if token in result.positions else 0
        if isinstance(result, HeadPairs):
            layer, order = self._read_by_head(result)
            column = order[0] if order else 0
        self.cells.mark((layer, column))
        marked = [self._read_most(result)] if isinstance(result, HeadPairs) else self.cells.marked_words
        hint = self.tr("Drag a cell along its layer: that state of B is put into A and stays.")
        hints = [hint] if self.cells.carries else []
        words = " · ".join([*_facts(result), *([] if self.omits_hints else [*marked, *hints])])
        is_high = self.omits_hints or self.height() >= self.look.pixels(_HIGH)
        self.note.setWordWrap(is_high)
        room = self.note.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, self.width() - 28)
        self.note.setText(words if is_high else room)
        self.note.setToolTip("" if is_high else plain(words))
        self.note.setVisible(bool(words))

    def _read_by_head(self, result: HeadPairs) -> tuple[int, list[int]]:
        """Return the row of the panel's head, and the earlier heads, the one that it reads most first."""
        row = self._at[0] * result.n_heads + self._at[1]
        if self._at[1] >= result.n_heads or row >= len(result.heads):
            return 0, []
        kind = self._choose(result.kinds)[0]
        values = result.values[kind, row, : result.earlier(row)]
        return row, np.argsort(-values, kind="stable").tolist()

    def _read_most(self, result: HeadPairs) -> str:
        """Return which earlier heads the panel's head reads most."""
        row, order = self._read_by_head(result)
        names = _names_of(result)
        if not order:
            return self.tr("{0} is in the first layer: no head is earlier.").format(names[row])
        kind = self._choose(result.kinds)[0]
        named = (
            f"{names[at]} ({signed(float(result.values[kind, row, at]), 3)})" for at in order[:_MOST_READ]
        )
        words = self.tr("{0} reads most of {1} · less {2}, what random directions would share")
        return words.format(names[row], ", ".join(named), fixed(result.baseline, 3))

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without the frame of the marked cell and its words, or with them."""
        super().set_omits_hints(omits_hints=omits_hints)
        self._mark()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._mark()

    @Slot(object)
    def _on_cell_chosen(self, cell: tuple[int, int]) -> None:
        layer, column = cell
        result = None if self.analysed is None else self.analysed.result
        if isinstance(result, OutcomeMap) and result.positions:
            self._selection.walk_to(result.positions[column])
            column = self._at[1]
        if isinstance(result, HeadPairs):
            layer, column = divmod(layer, result.n_heads)
        self.head_requested.emit(layer, column)

    def _can_put(self) -> bool:
        """Whether states of run B can be put into run A: those that its text alone gives."""
        analysed, changed = self.analysed, self._interventions
        if analysed is None or changed is None or not changed.run.is_editable or analysed.other is None:
            return False
        result = analysed.result
        return isinstance(result, OutcomeMap) and bool(result.sources) and not analysed.other.edits

    def _reached(self, layer: int, column: int) -> NDArray[np.bool_]:
        """Return the cells [L, N] of tokens that a state put in after a layer can change."""
        assert self.analysed is not None
        result, trace = self.analysed.result, self.analysed.traces[0]
        assert isinstance(result, OutcomeMap)
        return reached(trace, layer, result.positions[column])[:, list(result.positions)]

    def _put_cells(self) -> frozenset[tuple[int, int]]:
        """Return the cells whose state is one of another text."""
        analysed = self.analysed
        if analysed is None or not isinstance(analysed.result, OutcomeMap) or not analysed.traces:
            return frozenset()
        edits, positions = analysed.traces[0].edits, analysed.result.positions
        found = ((one.state - 1, edits.position_read(one.token)) for one in edits.states)
        return frozenset(
            (layer, positions.index(at)) for layer, at in found if at in positions and layer >= 0
        )

    @Slot(int, int, int)
    def _on_cell_carried(self, layer: int, source: int, column: int) -> None:
        """Put the state of a token of run B after a layer into run A, at a token of its own."""
        analysed = self.analysed
        if not self._can_put() or analysed is None or analysed.other is None or self._interventions is None:
            return
        result = analysed.result
        assert isinstance(result, OutcomeMap)
        tokens, at = analysed.other.tokens, result.positions[column]
        self._interventions.put_state(layer + 1, at, tokens, result.sources[source])


def _names_of(result: HeadPairs) -> tuple[str, ...]:
    """Return the names of the heads as they are on screen: "3·7"."""
    return tuple("{}·{}".format(*divmod(at, result.n_heads)) for at in range(len(result.heads)))


def _facts(result: Result | None) -> list[str]:
    """Return what is about all cells: what a pair of tokens adds to the cosine, and the parts of no head."""
    translate = QCoreApplication.translate
    if isinstance(result, HeadCoreference):
        return _facts_of_coreference(result)
    if isinstance(result, OutcomeMap):
        words = translate("GridView", "the outcome is {0} in run A, {1} in run B")
        ends = [float(result.facts[name]) for name in ("outcome", "outcome_b") if name in result.facts]
        found = [words.format(*map(fixed, ends))] if len(ends) > 1 else []
        if np.isnan(result.named["values"]).any():
            found.append(translate("GridView", "grey without a number: in no earlier layer than a receiver"))
        return found
    if isinstance(result, HeadScalars) and result.marked.any():
        words = translate("GridView", "a dot: significant after correction, {0} of {1} heads")
        return [words.format(result.marked.sum(), result.marked.size)]
    if not isinstance(result, PairParts):
        return []
    pair = translate("GridView", "{0} – {1} add {2} to the cosine").format(
        *result.tokens, signed(result.contribution, 4)
    )
    sums = (result.of("both"), result.feed_forward, result.biases)
    parts = [*(signed(float(each.sum()), 4) for each in sums), signed(result.embeddings, 4)]
    words = translate("GridView", "heads {0}, feed-forward parts {1}, biases {2}, embeddings {3}")
    return [pair, words.format(*parts)]


def _facts_of_coreference(result: HeadCoreference) -> list[str]:
    """Return how many rows were counted, the best head, and what fixed rules reach."""
    translate = QCoreApplication.translate
    best = translate("GridView", "{0} rows; head {1}·{2} leads to the antecedent in {3}").format(
        f"{result.n_pairs:,}", result.best_layer, result.best_head, f"{result.best:.1%}"
    )
    rules = [
        (translate("GridView", "the nearest same word in {0}"), result.same_word),
        (translate("GridView", "the nearest candidate in {0}"), result.nearest_candidate),
        (
            translate("GridView", "the word at {0} in {1}").format(signed(result.offset, 0), "{0}"),
            result.at_offset,
        ),
        (translate("GridView", "chance in {0}"), result.by_chance),
    ]
    return [best, *(words.format(f"{share:.1%}") for words, share in rules if share == share)]


class HeadCells(CellsPlot):
    """The cells, with layers and heads as names and a colour bar; the parts are (layer, column).

    The columns may be tokens instead of heads, and the rows heads instead of layers. The arrows start from
    the framed cell.
    """

    cell_carried = Signal(int, int, int)
    """The layer, the column that was dragged, and the one where it was let go."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.carries = False
        """Whether cells can be dragged along their row."""
        self.put: frozenset[tuple[int, int]] = frozenset()
        """The cells that another text has given its state."""
        self.dotted: NDArray[np.bool_] = np.zeros((0, 0), bool)
        """The cells with a dot: those of significant heads."""
        self.reached: Callable[[int, int], NDArray[np.bool_]] = lambda layer, column: np.zeros((0, 0), bool)
        """Returns the cells [L, N] that a state put in at (layer, column) can change."""
        self._carried: tuple[int, int, int] | None = None
        self.box.carry = self._carry
        self._values: Floats = np.zeros((0, 0), np.float32)
        self._scalar: Scalar | None = None
        self._framed = (0, 0)
        self._columns = counted("head", 0)
        self._rows: Axis | None = None
        self._top = 0.0
        self._outcome: float | None = None
        self.box.close = CLOSE
        self.setMinimumSize(120, 60)

    def mark(self, cell: tuple[int, int]) -> None:
        if cell != self._framed:
            self._framed, self.walked = cell, None
        self.setAccessibleDescription(", ".join(self.marked_words))
        self.items_of_cells.update()

    def show_values(
        self,
        values: Floats,
        scalar: Scalar,
        columns: Axis,
        outcome: float | None = None,
        rows: Axis | None = None,
        top: float = 0.0,
    ) -> None:
        """Show other numbers [L, H], [L, N] of tokens, or of `rows`; `outcome`: what a change is added to.

        `top`: the number that the darkest colour stands for; 0: the largest of these.
        """
        self._top = top
        self._values, self._scalar, self._rows = values, scalar, rows
        self._columns, self._outcome = columns, outcome
        words = self.tr("{0} of each head") if self._is_of_heads else self.tr("{0} of each token")
        self.setAccessibleName(words.format(scalar_title(scalar.key)))
        self.recolour()
        self.forget_part()

    @property
    def scalar(self) -> Scalar | None:
        """What is drawn of each cell."""
        return self._scalar

    @property
    def marked_words(self) -> list[str]:
        """What the framed cell says; nothing where there is none."""
        return self.lines_of(self._framed) if self._has(self._framed) else []

    def _has(self, cell: tuple[int, int]) -> bool:
        n_layers, n_columns = self._values.shape
        is_there = self._scalar is not None and cell[0] < n_layers and cell[1] < n_columns
        return is_there and not np.isnan(self._values[cell])

    @property
    def _is_of_heads(self) -> bool:
        return self._columns.name == "head"

    def recolour(self) -> None:
        scalar = self._scalar
        if scalar is None:
            return
        rows = self._rows or counted("layer", len(self._values))
        is_signed = scalar.quantity.is_signed
        values = self._values if is_signed else np.nan_to_num(self._values)  # a signed gap is grey
        scale = _Scale.of(scalar, self._top or float(np.nanmax(np.abs(values), initial=0.0)))
        noise = scalar.quantity.noise
        if is_signed:
            values = np.where(np.abs(values) < noise, np.float32(np.nan), values)
        level = quantised(values, max(scale.largest, 1e-30), "linear", is_signed=is_signed)

        def text_of(number: float) -> str:
            if number != number:
                return ""
            return "≈0" if is_signed and abs(number) < noise else scale.write(number)

        def texts(rows: range, columns: range) -> list[list[str]]:
            shown = self._values[rows.start : rows.stop, columns.start : columns.stop]
            return [[text_of(number) for number in row] for row in shown.tolist()]

        self.show_cells(
            Cells(
                colours=pyramid_of(level, is_signed=is_signed),
                table=signed_table(self.look) if is_signed else self.look.weights,
                rows=Labels(self.look, rows.labels),
                columns=Labels(self.look, list(self._columns.labels)),
                bar=scale.bar,
                texts=texts,
                widest_text=scale.widest,
            )
        )

    def extras(self) -> tuple[object, ...]:
        return self._framed, self.omits_hints

    def draw_above_grid(self, painter: QPainter, rows: Positions, columns: Positions) -> None:
        """Frame the cell of the panel's head, or of the selected token; draw what is put in."""
        self._draw_put(painter, rows, columns)
        # The dots of significant heads.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        away = min(7.0, rows.pitch / 4, columns.pitch / 4)
        for row, column in np.argwhere(self.dotted).tolist():
            painter.setBrush(ink_on(int(self.cells.table[self.cells.colours.level(row, column)])))
            corner = cell_of(rows, columns, row, column).topRight()
            painter.drawEllipse(corner + QPointF(-away, away), away / 2, away / 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self._has(self._framed) and not self.omits_hints:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.look.colour("accent"), 2))
            painter.drawRect(cell_of(rows, columns, *self._framed).adjusted(1, 1, -1, -1))

    def _draw_put(self, painter: QPainter, rows: Positions, columns: Positions) -> None:
        accent = self.look.colour("accent")
        painter.setPen(QPen(self.look.colour("card"), 1.5))
        painter.setBrush(self.look.colour("text"))
        for cell in self.put:
            if self._has(cell):
                corner = cell_of(rows, columns, *cell).topRight()
                side = min(12.0, rows.pitch / 2, columns.pitch / 2)
                painter.drawPolygon([corner, corner - QPointF(side, 0), corner + QPointF(0, side)])
        if self._carried is None:
            return
        layer, source, column = self._carried
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("accent", 0.22))
        for row, token in np.argwhere(self.reached(layer, column)).tolist():
            painter.drawRect(cell_of(rows, columns, row, token))
        painter.setPen(QPen(accent, 2))
        ends = [cell_of(rows, columns, layer, at).center() for at in (source, column)]
        painter.drawLine(*ends)
        painter.setBrush(accent)
        painter.drawEllipse(ends[0], 4, 4)

    def _carry(self, start: QPointF, now: QPointF, is_over: bool) -> bool:
        """Drag a cell along its row; beyond the cells it is let go without anything."""
        first = self.part_at(start)
        if not self.carries or first is None:
            return False
        (layer, source), (_, column) = first, self.cell_at(now)
        self._carried = None if is_over or column is None else (layer, source, column)
        self.items_of_cells.update()
        if column is None or is_over:
            self.read_out.hide_lines()
        else:
            names = self._columns.labels
            lines = [
                self.tr("Layer {0}: “{1}” of B into “{2}” of A").format(layer, names[source], names[column]),
                self.tr("Shaded: what it can reach. Let go to put it in; Interventions takes it out again."),
            ]
            self.read_out.show_lines(lines, now)
        if is_over and column is not None:
            self.cell_carried.emit(layer, source, column)
        return True

    def menu_items(self) -> list[tuple[str, Callable[[], None] | None]]:
        """Offer what dragging does for the framed cell: its own token's state of run B."""
        if not (self.carries and self._has(self._framed)):
            return []
        layer, column = self._framed
        words = self.tr("Put the state of “{0}” after layer {1} of B into A")
        put = partial(self.cell_carried.emit, layer, column, column)
        return [(words.format(self._columns.labels[column], layer), put)]

    def lines_of(self, part: tuple[int, int]) -> list[str]:
        assert self._scalar is not None
        layer, column = part
        number = f"{fixed(float(self._values[layer, column]))} {_unit(self._scalar)}".rstrip()
        name = self._columns.labels[column]
        if self._rows is not None:
            words = self.tr("Head {0} reads head {1}").format(self._rows.labels[layer], name)
            return [
                words,
                f"{scalar_title(self._scalar.key)} {signed(float(self._values[layer, column]), 4)}",
            ]
        words = self.tr("Layer {0} · Head {1}") if self._is_of_heads else self.tr("Layer {0} · {1}")
        title = words.format(layer, name)
        if self._outcome is not None:
            before, change = self._outcome, float(self._values[layer, column])
            words = self.tr("outcome {0} → {1} ({2})")
            ends = (fixed(each, 4) for each in (before, before + change))
            is_noise = abs(change) < self._scalar.quantity.noise
            rounding = [self.tr("no more than rounding")] if is_noise else []
            return [title, words.format(*ends, signed(change, 4)), *rounding]
        if self._scalar.key == _PATTERN:
            kind = _pattern_words(float(self._values[layer, column]))
            number = self.tr("{0} (rule of this program)").format(kind)
        return [title, f"{scalar_title(self._scalar.key)} {number}"]

    @property
    def lacks_room(self) -> bool:
        """Whether a row or a column has no name; of pairs of heads, which count up, some may have none."""
        return self._rows is None and super().lacks_room

    def part_at(self, at: QPointF) -> tuple[int, int] | None:
        cell = super().part_at(at)
        return cell if cell is not None and self._has(cell) else None

    @property
    def first(self) -> tuple[int, int] | None:
        return self._framed if self._has(self._framed) else None


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
        if scalar.quantity.unit == COUNT:
            count = "{:,.0f}".format
            return cls(largest, count, (count(largest), "", "0"), count(largest))
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


COUNT = "texts"
"""The unit of numbers that count texts: they are written without decimals."""
_SIZE, _NEAR = 12.0, 12.0
_LISTED = 3
_SHAPE = 0.8
_BESIDE = (
    20.0,
    16.0,
    40.0,
    16.0,
)  # pixels left of, above, right of and below the dots: names are at the right
_CLOSEST = 1 / 50  # of what is in sight as a whole
_LEGEND_PITCH, _LEGEND_LINE = 28.0, 18.0
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap


class HeadMapView(PanelView):
    """Draws a `HeadMap`."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.dots = HeadDots(tools.look)
        self.dimmed = (self.dots,)
        self.dots.part_chosen.connect(lambda head: self.head_requested.emit(*self.dots.head(head)))
        in_column(self.dots, of=self, margins=0)

    def show_panel(self, panel: Panel) -> None:
        self.dots.mark((panel.layer, panel.head))

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if isinstance(result, HeadMap):
            labels = result.axes_of["map"][0].labels  # "3.7" of layer 3, head 7
            n_heads = 1 + max((int(label.rpartition(".")[2]) for label in labels), default=0)
            self.dots.show_map(result.named["map"], result.named["values"], n_heads)


class HeadDots(PicturePlot[int]):
    """A dot for each head in the colour of its layer; beside the pointer its nearest heads.

    The parts are the numbers of the heads. Arrows go to the nearest head in their direction, Page Up and Page
    Down through all heads in their order.
    """

    pages = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._points: Doubles = np.zeros((0, 2))
        self._distances: Floats = np.zeros((0, 0), np.float32)
        self._n_heads = 1
        self._marked = (0, 0)
        self.box = Box(self)
        self.names = _Names(self)
        self.item = self.around()
        self.legend = Strip(self, self.box, self._draw_legend, is_of_rows=False)
        self.ci.addItem(self.item, 0, 0)
        self.ci.addItem(self.legend, 1, 0)
        self.dots, self.mark_dot, self.ring = Points(), Points(), Points()
        for part in (self.dots, self.mark_dot, self.ring):
            self.item.addItem(part, ignoreBounds=True)
        self.setMinimumSize(160, 140)
        self.setAccessibleName(self.tr("Map of heads"))
        self._describe()
        self._fit()

    # what is shown

    def around(self) -> pg.PlotItem:
        """Return the plot around the dots: without axes, and with one scale, so that distances compare."""
        self.box.setAspectLocked(True)
        return self.plot_around(self.box)

    def head(self, part: int) -> tuple[int, int]:
        """Return the layer and the head of a dot."""
        return divmod(part, self._n_heads)

    def mark(self, head: tuple[int, int]) -> None:
        if head != self._marked:
            self._marked = head
            self.forget_part()
            self._show_mark()
            self._describe()

    def show_map(self, points: Floats, distances: Floats, n_heads: int) -> None:
        """Show other heads: `points` [N, 2], `distances` [N, N], `n_heads` in each layer."""
        self._points, self._distances, self._n_heads = points.astype(np.float64), distances, n_heads
        self._fit()
        self.recolour()
        self.forget_part()
        self._describe()

    def title_of(self, index: int) -> str:
        """Return the name of a head beside its dot."""
        return "{}·{}".format(*self.head(index))

    @property
    def count(self) -> int:
        return len(self._points)

    @property
    def marked(self) -> int | None:
        """The index of the marked head, None where the map does not have it, and in a saved picture."""
        if self.omits_hints:
            return None
        index = self._marked[0] * self._n_heads + self._marked[1]
        return index if index < self.count and self._marked[1] < self._n_heads else None

    def _describe(self) -> None:
        index = self.current
        self.setAccessibleDescription("" if index is None else ", ".join(self.lines_of(index)))

    def _fit(self) -> None:
        """Show all dots with room for their names."""
        rows = self._legend_rows * self.look.pixels(_LEGEND_LINE)
        self.legend.set_thickness(math.ceil(rows + self._words_box(rows + 2).height()) + 8)
        self.lay_out()
        there = self._points[np.isfinite(self._points).all(-1)]
        if not len(there):
            return
        whole = self.whole_of(there)
        self.box.set_whole(whole, _CLOSEST * min(whole.width(), whole.height()))

    def whole_of(self, there: Doubles) -> QRectF:
        """Return what shows all of the dots [N, 2] with room for their names, at one scale."""
        low, high = there.min(0), there.max(0)
        span = np.maximum(high - low, (high - low).max() * 1e-3 or 1.0)
        size, (left, above, right, below) = self.box.rect(), _BESIDE
        room = max(1.0, size.width() - left - right), max(1.0, size.height() - above - below)
        scale = min(room[0] / float(span[0]), room[1] / float(span[1]))
        x, y = ((low + high) / 2).tolist()
        return QRectF(
            x - (left + room[0] / 2) / scale,
            y - (below + room[1] / 2) / scale,
            size.width() / scale,
            size.height() / scale,
        )

    def recolour(self) -> None:
        look, there = self.look, np.flatnonzero(np.isfinite(self._points).all(-1))
        brushes = [pg.mkBrush(look.head_colour(int(index) // self._n_heads)) for index in there]
        self.dots.setData(
            pos=self._points[there], size=_SIZE, brush=brushes, pen=pg.mkPen(look.colour("card"))
        )
        self._show_mark()
        self._fit()
        self.names.forget()

    def _show_mark(self) -> None:
        brush = pg.mkBrush(self.look.head_colour(self._marked[0]))
        self.mark_dot.setData(
            pos=self._there(self.marked),
            size=_SIZE + 4,
            brush=brush,
            pen=pg.mkPen(self.look.colour("text"), width=2),
        )
        self.names.forget()

    def _there(self, index: int | None) -> Doubles:
        """Return the point of a head [1, 2], or none [0, 2] where it has no place on the map."""
        found = self._points[:0] if index is None else self._points[index : index + 1]
        return found[np.isfinite(found).all(-1)]

    # in print

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without the mark of the panel's head, or with it."""
        super().set_omits_hints(omits_hints=omits_hints)
        self._show_mark()

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print, which looks as on screen."""

    @property
    def printed_height(self) -> float:
        """The height beside the width of a figure: the map is about square, above its legend."""
        return float(self.width() * _SHAPE + self.legend.size().height())

    lacks_room = False

    # the legend

    @property
    def _legend_columns(self) -> int:
        return max(1, int((self.width() - 14) // self.look.pixels(_LEGEND_PITCH)))

    @property
    def _legend_rows(self) -> int:
        return math.ceil(self.count / self._n_heads / self._legend_columns)

    @property
    def legend_words(self) -> str:
        """What stands below the colours."""
        translate = QCoreApplication.translate
        return translate("HeadDots", "a colour for each layer · near: alike on this text · axes have no unit")

    def _words_box(self, top: float) -> QRectF:
        """Return where the words of the legend are, in as many lines as they need."""
        room = QRectF(12, top, max(80, self.width() - 20), 1000)
        return QFontMetricsF(self.look.font(12)).boundingRect(room, _WRAPPED, self.legend_words)

    def _draw_legend(self, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        look, line = self.look, self.look.pixels(_LEGEND_LINE)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(look.font(12))
        for layer in range(self.count // self._n_heads):
            row, column = divmod(layer, self._legend_columns)
            at = QPointF(14 + column * look.pixels(_LEGEND_PITCH), (row + 0.5) * line)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.head_colour(layer))
            painter.drawEllipse(at, 4, 4)
            painter.setPen(look.colour("secondary"))
            box = QRectF(at.x() + 7, at.y() - line / 2, 40, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, str(layer))
        painter.setPen(look.colour("secondary"))
        painter.drawText(self._words_box(self._legend_rows * line + 2), _WRAPPED, self.legend_words)

    # where heads are

    def pixels(self) -> Doubles:
        """Return where the heads [N, 2] are drawn, in pixels of the plot."""
        room, (across, up) = self.box.geometry_in_plot(), self.box.viewRange()
        scale = np.array((room.width() / (across[1] - across[0]), -room.height() / (up[1] - up[0])))
        pixels: Doubles = (self._points - (across[0], up[1])) * scale + (room.left(), room.top())
        return pixels

    @property
    def first(self) -> int | None:
        return self.marked

    def extent_of(self, part: int) -> QRectF:
        """Return the point of a head: in the middle where it has no place."""
        x, y = (
            self._points[part].tolist() if len(self._there(part)) else self.box.viewRect().center().toTuple()
        )
        return QRectF(x, y, 0, 0)

    def part_at(self, at: QPointF) -> int | None:
        """Return the head nearest to a point, None where none is near."""
        if not self.count or not self.box.sceneBoundingRect().contains(at):
            return None
        gaps = np.nan_to_num(np.hypot(*(self.pixels() - at.toTuple()).T), nan=np.inf)
        nearest = int(gaps.argmin())
        return nearest if gaps[nearest] <= _NEAR else None

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        """Return the nearest head in a direction: rather straight ahead than aside."""
        if part is None:
            return super().beside(part, rows, columns)
        pixels = self.pixels()
        away = pixels - (pixels[part] if len(self._there(part)) else self.place_of(part).toTuple())
        along, aside = away @ (columns, rows), np.abs(away @ (rows, columns))
        costs = np.where(along > 0, along + 2 * aside, np.inf)
        return int(costs.argmin()) if np.isfinite(costs).any() else None

    def lines_of(self, part: int) -> list[str]:
        """Return the head, its nearest heads, and how far they are."""
        translate = QCoreApplication.translate
        title = translate("PanelCard", "Layer {0} · Head {1}").format(*self.head(part))
        nearest = [at for at in np.argsort(self._distances[part], kind="stable").tolist() if at != part]
        words = self.tr("{0}·{1}: {2} nats apart")
        lines = (
            words.format(*self.head(at), fixed(float(self._distances[part, at]), 3))
            for at in nearest[:_LISTED]
        )
        return [title, *lines]

    def mark_part(self, part: int | None) -> None:
        """Ring the head that the keys have come to."""
        if self.walked is not None or self.ring.data.size:
            pen = pg.mkPen(self.look.colour("accent"), width=2)
            at = self._there(self.walked)
            self.ring.setData(pos=at, size=_SIZE + 8, brush=pg.mkBrush(None), pen=pen)

    def on_range_changed(self) -> None:
        self.names.forget()
        super().on_range_changed()

    def resized(self) -> None:
        self._fit()


class _Names(Drawing):
    """The names beside the dots, of as many heads as there is room for: a cached picture."""

    def __init__(self, plot: HeadDots) -> None:
        super().__init__(plot.look, plot.box)
        self._plot = plot
        self._base = CachedPicture(plot.look, is_opaque=False)
        self._places: tuple[LabelPlace, ...] | None = None
        self.setZValue(20)

    def forget(self) -> None:
        """Find anew which names have room when they are next drawn."""
        self._places = None
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Write the names that have room; that of the marked head always."""
        plot, room = self._plot, self.rect()
        if not plot.count:
            return
        if self._places is None:
            self._places = self._placed(room)
        places = self._places

        def write(painter: QPainter) -> None:
            painter.setFont(self.look.number_font(10))
            ascent = QFontMetricsF(painter.font()).ascent()
            for is_marked, colour in ((False, "secondary"), (True, "text")):
                painter.setPen(self.look.colour(colour))
                for place in places:
                    if (place.point == plot.marked) is is_marked:
                        at = QPointF(round(place.left), round(place.top + ascent))
                        painter.drawText(at, plot.title_of(place.point))

        size = QSize(math.ceil(room.width()), math.ceil(room.height()))
        picture = self._base.picture(painter, size, (places, plot.marked), write)
        if picture is None:
            write(painter)
        else:
            painter.drawPixmap(QPointF(0, 0), picture)

    def _placed(self, room: QRectF) -> tuple[LabelPlace, ...]:
        plot = self._plot
        metrics = QFontMetricsF(self.look.number_font(10))
        digit = metrics.horizontalAdvance("0")
        widths = np.array([digit * len(plot.title_of(index)) + 3 for index in range(plot.count)])
        pixels = plot.pixels() - plot.box.geometry_in_plot().topLeft().toTuple()
        height, marked = metrics.height(), plot.marked
        places = place_labels(pixels, widths, height, (room.width(), room.height()))
        if marked is None or np.isnan(pixels[marked]).any():
            return tuple(places)
        (x, y), away = pixels[marked].tolist(), _SIZE / 2 + 5
        width = float(widths[marked])
        left = x + away if x + away + width <= room.width() else x - away - width
        own = QRectF(left, y - height / 2, width, height)
        others = (
            place
            for place in places
            if place.point != marked
            and not own.intersects(QRectF(place.left, place.top, widths[place.point], height))
        )
        return (*others, LabelPlace(marked, own.left(), own.top()))
