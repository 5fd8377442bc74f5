"""The arithmetic of one head as a teacher would draw it: from x to Q, K and V, and from q and K to Z."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QPainter

from bertviz_app.analysis.steps import HeadSteps
from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.viewmodels.steps.stops import PROJECTIONS
from bertviz_app.viewmodels.steps.tensors import Place, bound_of
from bertviz_app.views.kit.numbers import cell_number, fixed
from bertviz_app.views.steps.formula import fitting
from bertviz_app.views.steps.sheet import Sheet, Spot
from bertviz_app.views.steps.strips import Ink, Lane, lane

Floats = NDArray[np.float32]
_ROOM = MappingProxyType({"strip": 74.0, "number": 60.0, "tinted": 60.0, "bar": 88.0})
_GAPS = (10.0, 22.0)
_SIGNS = MappingProxyType(
    {
        "scores": "→",
        "scaled": "→",
        CONTENT: "→",
        **dict.fromkeys((DISTANCE, TO_POSITION, TO_CONTENT), "+"),
        "biased": "=",
        "weight": "→",
        "values": "×",
        "weighted": "=",
    }
)
"""What leads from the column at the left to this one, drawn between them where there is room."""

_PARTS = MappingProxyType(
    {CONTENT: ("c → c",), TO_POSITION: ("c → p",), TO_CONTENT: ("p → c",), "biased": ("s_j",)}
)
"""What stands over what a score is the sum of: content and position, each looking at the other."""

_WIDEST = 520.0
_QUERY_SHARE = 0.24

FOCUS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "queries": ("input", "input_norm", "queries"),
        "keys": ("input", "input_norm", "keys"),
        "values": ("input", "input_norm", "values"),
        "scores": ("keys", "scores"),
        "scaled": ("scores", "scaled"),
        "biased": ("scaled", DISTANCE, "biased"),
        "disentangled": (CONTENT, TO_POSITION, TO_CONTENT, "biased"),
        "softmax": ("scaled", "biased", "maximum", "exponential", "weight"),
        "weighted": ("weight", "values", "weighted"),
        "mixed": ("weighted",),
    }
)
"""The columns that a stage is about."""

_SCALED = MappingProxyType(
    {name: name for name in ("queries", "keys", "values", "weighted")} | {"disentangled": "biased"}
)
"""The column whose colours the colour bar explains; where numbers are spoken of there is none."""


@dataclass(frozen=True, eq=False)
class Column:
    """One quantity for every token: a vector each ("strip"), a "number", one on its colour ("tinted"), or a
    weight ("bar").
    """

    name: str
    kind: str
    values: Floats  # [T, E], [T, D] or [T]
    bound: float
    formulas: tuple[str, ...]  # the fullest first
    left: float = 0.0
    width: float = 0.0
    lane: Lane | None = None


class FlowSheet(Sheet):
    """Rows are the tokens. Above the keys stands the query, below the weighted values their sum."""

    def __init__(self, ink: Ink, place: Place, area: QRectF, first: int, lit: int | None) -> None:
        super().__init__(ink, place, area, first, lit)
        steps = place.steps
        assert steps is not None
        self.steps: HeadSteps = steps
        self.n_rows = place.trace.n_tokens
        # With a bias the softmax is given the sum, which stands beside what it is made of.
        beside = {"scaled"} if place.stop.stage == "softmax" and steps.added else set()
        self.focus = tuple(name for name in FOCUS[place.stop.stage] if name not in beside)
        self.is_mixing = place.stop.stage not in PROJECTIONS
        self._labels = self.label_width()
        self._gap = float(self.look.pixels(_GAPS[area.width() >= self.look.pixels(620)]))
        columns = self._fitting(columns_of(place))
        has_query = self.is_mixing and any(column.name == "keys" for column in columns)
        if has_query:
            columns = self._with_room_for_query(columns)
        self.columns = self._placed(columns)
        line = self.look.pixels(24)
        self.head = line + (self.look.pixels(28) if has_query else 4)
        self.foot = self.look.pixels(32) if self.is_mixing else 0.0
        scaled = _SCALED.get(place.stop.stage)
        self.bound = next((column.bound for column in self.columns if column.name == scaled), 0.0)
        self.settle()

    def write_from(self, first: int) -> None:
        super().write_from(first)
        self.columns = self._placed(self.columns)

    # what there is room for

    def _with_room_for_query(self, columns: list[Column]) -> list[Column]:
        """Widen the column of tokens, in which the query's letter stands beside its name, and return the
        columns that fit then; if that drove the keys out, as it was.
        """
        names = self._labels
        letter = fitting(self.look, ("q_i",), 99, 14).box.width + self.look.pixels(6)
        self._labels = max(names, min(names + letter, _QUERY_SHARE * self.area.width()))
        fewer = self._fitting(columns_of(self.place))
        if any(column.name == "keys" for column in fewer):
            return fewer
        self._labels = names
        return columns

    def _room(self, column: Column) -> float:
        return self.look.pixels(_ROOM[column.kind]) + self._gap

    def _fitting(self, columns: list[Column]) -> list[Column]:
        """Return the columns that the stage is about, and those about them, as far as there is room."""
        room = self.area.width() - self._labels
        places = [place for place, column in enumerate(columns) if column.name in self.focus]
        first, last = places[0], places[-1]
        while first < last and self._needed(columns[first : last + 1]) > room:
            first += 1
        while True:
            wider = [
                (first - more, last + 1 - more)
                for more in (1, 0)
                if first - more >= 0 and last + 1 - more < len(columns)
            ]
            fitting = [ends for ends in wider if self._needed(columns[ends[0] : ends[1] + 1]) <= room]
            if not fitting:
                return columns[first : last + 1]
            first, last = fitting[0]

    def _needed(self, columns: list[Column]) -> float:
        return sum(self._room(column) for column in columns)

    def _placed(self, columns: list[Column]) -> list[Column]:
        """Give the columns their places; what room is left goes to the strips, most to those in focus."""
        left = self.area.left() + self._labels
        spare = self.area.right() - left - self._needed(columns)
        shares = [self._share(column) for column in columns]
        if not any(shares):
            shares = [1.0] * len(columns)
        placed = []
        for column, share in zip(columns, shares, strict=True):
            more = min(spare * share / sum(shares), self.look.pixels(_WIDEST if share > 1 else 220))
            width = self._room(column) - self._gap + more
            of_vector = None
            if column.kind == "strip":
                n, has_window = column.values.shape[1], column.name in self.focus
                of_vector = lane(self.look, left, width, n, self.first, has_window=has_window)
            placed.append(replace(column, left=left, width=width, lane=of_vector))
            left += width + self._gap
        return placed

    def _share(self, column: Column) -> float:
        if column.kind != "strip":
            return 1.0 if column.kind == "bar" and column.name in self.focus else 0.0
        return 3.0 if column.name in self.focus else 0.5

    # drawing

    def draw_head(self, painter: QPainter) -> None:
        line = self.look.pixels(24)
        top = self.area.top()
        for column in self.columns:
            is_focus = column.name in self.focus
            box = QRectF(column.left, top, column.width, line)
            if is_focus:
                below = self.foot_top + self.foot - top
                room = QRectF(column.left - self._gap / 2, top, column.width + self._gap, below)
                self.draw_band(painter, room, 0.07)
            colour = "accent" if is_focus else "secondary"
            self.write_formula(
                painter, column.formulas, box, colour, is_right=column.lane is None and column.kind != "bar"
            )
            self._draw_sign(painter, column, box)
            if column.name == "keys" and self.is_mixing:
                self._draw_query(painter, column, top + line)
        self.draw_rule(painter, self.rows_area.top() - 1)

    def _draw_sign(self, painter: QPainter, column: Column, box: QRectF) -> None:
        is_wide = self._gap >= self.look.pixels(_GAPS[1])
        if self.is_mixing and column.name in _SIGNS and is_wide and column is not self.columns[0]:
            sign = box.translated(self.look.pixels(5) - self._gap, 0)
            self.write(painter, _SIGNS[column.name], sign, "secondary")

    def _draw_query(self, painter: QPainter, column: Column, top: float) -> None:
        """Draw the query over the keys: number stands over number, as they are multiplied."""
        assert column.lane is not None
        height = self.look.pixels(24)
        label = QRectF(self.area.left(), top, self._labels, height)
        made = self.write_formula(painter, ("q_i",), label, "accent")
        word = label.adjusted(made.box.width + self.look.pixels(6), 0, 0, 0)
        self.write(painter, self.place.trace.tokens.labels[self.place.query], word, "accent", bold=True)
        bound = bound_of(self.place.trace.queries[self.place.layer, self.place.head])
        self._draw_vector(
            painter, column.lane, self.steps.query_row, bound, QRectF(0, top, 0, height), "accent"
        )

    def _draw_vector(
        self, painter: QPainter, lane: Lane, values: Floats, bound: float, row: QRectF, ink: str = "text"
    ) -> None:
        strip = QRectF(lane.strip.left(), row.top() + 3, lane.strip.width(), row.height() - 6)
        self.ink.draw_strip(painter, strip, values, bound)
        self.ink.draw_frame(painter, strip, is_lit=ink == "accent")
        painter.setPen(self.look.colour(ink))
        self.ink.draw_window(painter, lane, row.top(), row.height(), values)

    def draw_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        if row == self.lit:
            self.draw_band(painter, box, 0.14)
        elif row == self.place.query and not self.is_mixing:
            self.draw_band(painter, box, 0.07)
        label = QRectF(box.left(), box.top(), self._labels - self.look.pixels(6), box.height())
        self.draw_token(painter, row, label)
        for column in self.columns:
            self._draw_cell(painter, column, row, box)

    def _draw_cell(self, painter: QPainter, column: Column, row: int, box: QRectF) -> None:
        cell = QRectF(column.left, box.top(), column.width, box.height())
        if column.lane is not None:
            self._draw_vector(painter, column.lane, column.values[row], column.bound, cell)
            return
        value = float(column.values[row])
        if column.kind == "bar":
            self._draw_weight(painter, value, cell)
            return
        if column.kind == "tinted":
            self.ink.draw_number(painter, cell.adjusted(0, 1, 0, -1), value, column.bound)
            return
        is_new = column.name == "maximum" and (row == 0 or value > column.values[row - 1])
        pale = column.name == "maximum" and not is_new
        self.write_number(painter, cell_number(value), cell, "secondary" if pale else "text", bold=is_new)

    def _draw_weight(self, painter: QPainter, weight: float, cell: QRectF) -> None:
        """Draw a bar from 0 to 1, and the weight."""
        number = self.look.pixels(48)
        bar = cell.adjusted(0, 5, -number - 4, -5)
        painter.fillRect(bar, self.look.colour("raised"))
        painter.fillRect(
            QRectF(bar.left(), bar.top(), bar.width() * weight, bar.height()), self.look.colour("accent")
        )
        box = QRectF(cell.right() - number, cell.top(), number, cell.height())
        self.write_number(painter, fixed(weight, 3), box)

    def draw_foot(self, painter: QPainter) -> None:
        if not self.is_mixing:
            return
        top = self.foot_top
        self.draw_rule(painter, top)
        box = QRectF(self.area.left(), top + 3, self._labels, self.foot - 3)
        self.write_formula(painter, ("Σ",), box, "secondary")
        for column in self.columns:
            cell = QRectF(column.left, box.top(), column.width, box.height())
            if column.name == "weighted" and column.lane is not None:
                # On a scale of its own: of a long text the sum is many times as large as what is added.
                self._draw_vector(
                    painter, column.lane, self.gathered, bound_of(self.gathered), cell, "accent"
                )
            elif column.name == "values" and self._shows("weighted"):
                self.write_formula(painter, ("z_i = Σ_j α_{ij} v_j", "z_i"), cell, "accent")
            elif column.name in self._sums:
                self.write_number(painter, self._sums[column.name], cell, bold=True)

    def _shows(self, name: str) -> bool:
        return any(column.name == name for column in self.columns)

    @property
    def _sums(self) -> dict[str, str]:
        steps = self.steps
        return {
            "maximum": cell_number(steps.maximum),
            "exponential": cell_number(steps.total),
            "weight": fixed(float(steps.weights.sum()), 3),
        }

    @property
    def gathered(self) -> Floats:
        """Z of the query, as the encoder has it where that is known: zero of a muted head."""
        known = self.place.row("mixed")
        return self.steps.gathered if known is None else known

    def is_in_window(self, x: float) -> bool:
        lanes = (column.lane for column in self.columns if column.lane is not None)
        return any(lane.window.left() <= x < lane.window.right() for lane in lanes)

    def spot(self, at: QPointF, offset: int) -> Spot | None:
        row = self.row_at(at.y(), offset)
        if row is None:
            return self._spot_beside(at)
        if at.x() < self.area.left() + self._labels:
            return Spot(row, is_label=True)
        for column in self.columns:
            if column.left <= at.x() < column.left + column.width:
                return _spot_in(column, row, at.x(), column.values[row])
        return Spot(row)

    def _spot_beside(self, at: QPointF) -> Spot | None:
        """Return what lies under a point above or below the rows: the query, or the sum."""
        above, below = self.rows_area.top(), self.foot_top
        for column in self.columns if self.is_mixing else []:
            if not column.left <= at.x() < column.left + column.width:
                continue
            if column.name == "keys" and above - self.look.pixels(28) <= at.y() < above:
                return replace(_spot_in(column, self.place.query, at.x(), self.steps.query_row), name="q_i")
            if column.name == "weighted" and below <= at.y() < below + self.foot:
                return replace(_spot_in(column, self.place.query, at.x(), self.gathered), name="z_i")
        return None


def _spot_in(column: Column, token: int, x: float, values: Floats | np.float32) -> Spot:
    if column.lane is None:
        return Spot(token, column.name, np.float32(values))
    dimension = column.lane.dimension(x)
    if dimension is None:
        return Spot(token)
    return Spot(token, column.name, np.atleast_1d(values)[dimension], dimension)


def columns_of(place: Place) -> list[Column]:
    """Return all columns of a stop of one head, from left to right."""
    steps = place.steps
    assert steps is not None
    if place.stop.stage in PROJECTIONS:
        return _projection_columns(place)
    so_far = QCoreApplication.translate("Steps", "max so far")
    return [
        Column("keys", "strip", steps.keys, bound_of(steps.keys), ("k_j",)),
        Column("scores", "number", steps.products, 1.0, ("q_i · k_j",)),
        *_score_columns(steps),
        Column("maximum", "number", steps.maxima, 1.0, (f"\\t{{{so_far}}}", "\\t{max}")),
        Column("exponential", "number", steps.exponentials, 1.0, ("e^{s_j − m}",)),
        Column("weight", "bar", steps.weights, 1.0, ("α_j = e^{s_j − m} / Σ", "α_j")),
        Column("values", "strip", steps.values, bound_of(steps.values), ("v_j",)),
        Column("weighted", "strip", steps.weighted, bound_of(steps.weighted), ("α_j v_j",)),
    ]


def _projection_columns(place: Place) -> list[Column]:
    """Return what the attention reads, as far as it is known, and what the head's three layers make of it."""
    trace, at = place.trace, (place.layer, place.head)
    source = "input" if "input_norm" in place.absent else "input_norm"
    given, symbol = place.tensor(source), "x" if source == "input" else "n"
    read = [] if given is None else [(source, given, (symbol,))]
    arrays = {"queries": trace.queries, "keys": trace.keys, "values": trace.values}
    made = []
    for letter, (name, values) in zip("QKV", arrays.items(), strict=True):
        product = f"{symbol}W_{letter}"
        whole = f"{product} + b_{letter}" if trace.form.has_biases else product
        if trace.form.is_rotary and letter != "V":
            whole = product = f"R({whole})"
        made.append((name, values[at], (f"{letter.lower()} = {whole}", product, letter.lower())))
    return [Column(name, "strip", values, bound_of(values), signs) for name, values, signs in (*read, *made)]


def _score_columns(steps: HeadSteps) -> list[Column]:
    """Return the scaled products, and where the encoder adds something to them that and the sum."""
    divided = f"… ÷ \\sqrt{{{steps.radicand}}}"
    if not steps.added:
        return [Column("scaled", "number", steps.scaled, 1.0, (f"s_j = {divided}", "s_j"))]
    if DISTANCE in steps.added:
        return [
            Column("scaled", "number", steps.scaled, 1.0, (divided, "÷")),
            Column(DISTANCE, "number", steps.added[DISTANCE], 1.0, ("b_{j − i}", "b")),
            Column("biased", "number", steps.biased, 1.0, ("s_j",)),
        ]
    parts = {CONTENT: steps.scaled} | steps.added | {"biased": steps.biased}
    bound = max(bound_of(values) for values in parts.values())
    return [Column(name, "tinted", values, bound, _PARTS[name]) for name, values in parts.items()]
