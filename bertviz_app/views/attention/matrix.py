"""The matrix: one head as a heatmap, a row for each query and a column for each key."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QBrush, QPainter, QPen, QRegion
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.head_sources import RunsDifference
from bertviz_app.viewmodels.heads.pictures import LEAST, HeadPicture
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.pyramid import pyramid_of
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines_values import widest_number
from bertviz_app.views.attention.sums import draw_sums, room_for_sums
from bertviz_app.views.kit.cached_picture import CachedTexts
from bertviz_app.views.kit.colour_maps import table_for
from bertviz_app.views.kit.heatmaps.heatmap import (
    Cells,
    Heatmap,
    HeatmapLayout,
    Sight,
    draw_selection_frame,
    framed_spans,
    term_of_bar,
)
from bertviz_app.views.kit.heatmaps.marked_labels import Marks
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import MINUS, cell_difference, cell_weight, fixed, general, signed
from bertviz_app.views.kit.pill import Pill
from bertviz_app.views.kit.words import quantity_words

_DOT = 5.0


class MatrixView(HeadView):
    """Rows are queries, columns keys. Dragging over the whole matrix, or with Shift, zooms in."""

    def __init__(
        self,
        look: Look,
        selection: Selection,
        viewport: Viewport,
        options: Options | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, selection, viewport, options, parent)
        self.heatmap = Heatmap(look)
        self._sum_texts = CachedTexts(look)
        self._pill = Pill(look, self)
        self.term_at = partial(term_of_bar, self)
        self._cells: Cells | None = None
        self._made_from: tuple[object, ...] = ()
        self._highlighted: tuple[Marks, QRegion, HeatmapLayout | None] = (Marks(), QRegion(), None)
        selection.changed.connect(self.update_highlights)
        self.gestures.framed.connect(self._on_framed)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Attention matrix: rows look at columns"))

    # geometry

    @property
    def layout_of_cells(self) -> HeatmapLayout:
        """Where the cells lie, in the coordinates of the widget.

        It lays them out if need be: read it before the heatmap draws them or returns what changes.
        """
        sight = Sight(self.width(), self.height(), self.devicePixelRatioF(), *self.spans())
        return self.heatmap.lay_out(self._current_cells(), sight)

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of queries and keys."""
        layout = self.layout_of_cells
        return layout.rows, layout.columns

    def cell_rect(self, query: int, key: int) -> QRectF:
        """Return where the cell of a pair lies, in the coordinates of the widget."""
        return self.layout_of_cells.cell(query, key)

    def pair_at(self, at: QPointF) -> Pair:
        """Return the query and key under a point."""
        return Pair(*self.layout_of_cells.cell_at(at))

    def position(self, at: QPointF) -> tuple[float, float]:
        """Return the position of a point on both axes."""
        return self.layout_of_cells.position(at)

    def can_frame(self, at: QPointF, keys: Qt.KeyboardModifier) -> bool:
        """Return whether a drag that begins here selects a rectangle."""
        is_requested = self.viewport.is_whole or bool(keys & Qt.KeyboardModifier.ShiftModifier)
        return is_requested and self.layout_of_cells.plot.contains(at)

    def _on_framed(self, frame: QRectF) -> None:
        self.viewport.show(*framed_spans(self.layout_of_cells, frame))

    # the read-out

    def show_picture(self, picture: HeadPicture) -> None:
        """Show the picture of a head."""
        super().show_picture(picture)
        self._read()

    def _highlight(self, at: QPointF) -> None:
        super()._highlight(at)
        self._read()

    def _read(self) -> None:
        """Read the weight under the pointer: a row of attention is computed here, never while painting."""
        picture, pointer = self.picture, self.gestures.pointer
        if picture is None or pointer is None:
            self._pill.hide()
            return
        pair = self.pair_at(pointer)
        if pair.query is None or pair.key is None:
            self._pill.hide()
        else:
            self._pill.show(read_out(picture, pair.query, pair.key), pointer)

    @property
    def _marks(self) -> Marks:
        """The row and the column that are highlighted."""
        shown = self.shown
        return Marks(*(frozenset() if at is None else frozenset({at}) for at in (shown.query, shown.key)))

    @Slot()
    def update_highlights(self) -> None:
        """Repaint what is highlighted now and what was before, and nothing else."""
        marks, before, drawn_in = self._highlighted
        layout = self.layout_of_cells
        if layout is not drawn_in:  # the highlights have moved with the layout
            before = self.heatmap.changes(marks)
        now = self.heatmap.changes(self._marks)
        self._highlighted = self._marks, now, layout
        self.update_following(before + now)

    # the cells

    def _current_cells(self) -> Cells:
        made_from = self.picture, self.options.value, self.labels
        if self._cells is None or self._made_from != made_from:
            self._cells, self._made_from = self._new_cells(), made_from
        return self._cells

    def _new_cells(self) -> Cells:
        picture, look = self.picture, self.look
        queries, keys = self.labels
        if picture is None:
            nothing = pyramid_of(np.zeros((0, 0), np.uint8), is_signed=False)
            return Cells(nothing, look.weights, queries, keys, ("", "", ""), lambda rows, columns: [], "")
        right, below = room_for_sums(look) if self.options.value.shows_sums else (0, 0)
        return Cells(
            pyramid=picture.pyramid,
            table=table_for(look, picture, self.options.value.colours),
            rows=queries,
            columns=keys,
            bar=bar_texts(picture),
            mark=uniform_mark(picture),
            texts=lambda rows, columns: _written_weights(picture, rows, columns),
            widest_text=widest_text(picture),
            right=right,
            below=below,
        )

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        picture = self.picture
        if picture is None:
            return
        layout = self.layout_of_cells
        self.heatmap.draw(painter, partial(self._draw_base, picture, layout), self._marks)
        if self.gestures.frame is not None:
            draw_selection_frame(painter, self.look, self.gestures.frame)
        elif self.gestures.pointer is not None:
            self._pill.draw(painter)

    def _draw_base(self, picture: HeadPicture, layout: HeatmapLayout, painter: QPainter) -> None:
        """Draw what is the same wherever the pointer is."""
        heatmap = self.heatmap
        with heatmap.clipped(painter):
            heatmap.draw_cells(painter, as_rectangles=self.draws_vectors)
            self._draw_gaps(painter, picture, layout)
            heatmap.draw_grid(painter)
            if self.options.value.marks_maxima:
                self._draw_maxima(painter, picture, layout)
            heatmap.draw_numbers(painter)
        heatmap.draw_outline(painter)
        if self.options.value.shows_sums:
            draw_sums(painter, self._sum_texts, self.look, picture, layout)
        heatmap.draw_bar(painter)

    def _draw_gaps(self, painter: QPainter, picture: HeadPicture, layout: HeatmapLayout) -> None:
        """Hatch the rows and columns of tokens that only one of two runs has."""
        look, plot = self.look, layout.plot
        brushes = (
            QBrush(look.colour("raised")),
            QBrush(look.colour("special"), Qt.BrushStyle.BDiagPattern),
        )
        painter.setPen(Qt.PenStyle.NoPen)
        for axis, side in (
            (layout.rows, picture.token_order.queries),
            (layout.columns, picture.token_order.keys),
        ):
            if side.is_gap is None:
                continue
            for brush in brushes:
                painter.setBrush(brush)
                for number in axis.tokens():
                    if side.is_gap[number]:
                        edge, pitch = axis.edge(number), axis.pitch
                        of_row = QRectF(plot.left(), edge, plot.width(), pitch)
                        of_column = QRectF(edge, plot.top(), pitch, plot.height())
                        painter.drawRect(of_row if axis is layout.rows else of_column)

    def _draw_maxima(self, painter: QPainter, picture: HeadPicture, layout: HeatmapLayout) -> None:
        """Mark the strongest key of each row by a frame, of small cells by a dot."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for query in layout.rows.tokens():
            key = int(picture.maxima[query])
            box = layout.cell(query, key)
            if not layout.columns.span.first <= key + 0.5 <= layout.columns.span.last:
                continue
            if min(box.width(), box.height()) >= 3 * _DOT:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self.look.colour("sentence_b"), 2))
                painter.drawRect(box.adjusted(1.5, 1.5, -1.5, -1.5))
            else:
                size = max(1.0, min(_DOT, 0.45 * min(box.width(), box.height())))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self.heatmap.ink(query, key))
                painter.drawEllipse(box.center(), size / 2, size / 2)


def _written_weights(picture: HeadPicture, queries: range, keys: range) -> list[list[str]]:
    """Return the numbers between these queries and keys as cells have them; "" where there is none."""
    weights = picture.source.rows(queries.start, queries.stop)[:, keys.start : keys.stop]
    return [
        ["" if math.isnan(weight) else _in_cell(picture, weight) for weight in row]
        for row in weights.tolist()
    ]


def _in_cell(picture: HeadPicture, number: float) -> str:
    """Return a number as it is written in a cell and beside the colour bar."""
    if picture.is_of_weights:
        return cell_difference(number) if picture.is_signed else cell_weight(number)
    if picture.is_signed:
        return signed(number, picture.digits)
    least = 10.0**-picture.digits  # a small number is not called zero
    is_small = 0 < number < 0.5 * least
    return f"<{fixed(least, picture.digits).removeprefix('0')}" if is_small else fixed(number, picture.digits)


def widest_text(picture: HeadPicture) -> str:
    """Return the widest text that a cell may have."""
    if picture.is_of_weights:
        return "+0.00" if picture.is_signed else "0.00"
    return widest_number(picture)


def bar_texts(picture: HeadPicture) -> tuple[str, str, str]:
    """Return what is written at the top, the middle and the bottom of the colour bar: its ends, the unit."""
    unit = "" if picture.is_of_weights else quantity_words(picture.quantity)
    if picture.options.scale == "row":
        most = QCoreApplication.translate("Matrix", "row max")
        return (f"+{most}", "0", f"{MINUS}{most}") if picture.is_signed else (most, unit, "0")
    if picture.is_signed:
        return _at_end(picture, picture.full), "0", _at_end(picture, -picture.full)
    if picture.options.scale == "log":
        least = LEAST if picture.is_of_weights else LEAST * picture.full
        middle = _in_cell(picture, math.sqrt(picture.full * least))
        return _at_end(picture, picture.full), middle, general(float(f"{least:.1g}"))
    return _at_end(picture, picture.full), unit, "0"


def _at_end(picture: HeadPicture, number: float) -> str:
    """Return a number at an end of the bar: as in a cell, with one digit of a weight that is 0.00 there."""
    if not picture.is_of_weights or not 0 < abs(number) < 0.005:
        return _in_cell(picture, number)
    digit = general(float(f"{number:.1g}"))
    return f"+{digit}" if picture.is_signed and number > 0 else digit


def uniform_mark(picture: HeadPicture) -> tuple[float, str] | None:
    """Return where on the bar the weight of uniform attention is, and that weight; None on other scales."""
    if picture.is_signed or not picture.is_of_weights or picture.options.scale not in ("shared", "linear"):
        return None
    n_keys = len(picture.token_order.keys.tokens)
    return 1 / (n_keys * max(picture.full, 1e-30)), f"1/{n_keys}"


def read_out(picture: HeadPicture, query: int, key: int) -> list[str]:
    """Return the lines of the read-out of a cell."""
    token_order, translate = picture.token_order, QCoreApplication.translate
    title = f"{token_order.queries.labels[query]} → {token_order.keys.labels[key]}"
    number = float(picture.source.row(query)[key])
    if isinstance(picture.source, RunsDifference):
        if math.isnan(number):
            return [title, translate("Matrix", "only one of the two runs has this token")]
        parts = picture.source.parts(query, key)
        words = translate("Matrix", "A − B {0} · A {1} · B {2}")
        return [title, words.format(signed(number, 4), *map(fixed, parts))]
    positions = token_order.queries.token(query), token_order.keys.token(key)
    words = translate("Matrix", "{0} {1} · query {2} · key {3}")
    if token_order.keys_are_of_other_run:
        words = translate("Matrix", "{0} {1} · token {2} of this run · token {3} of the other run")
    return [title, words.format(quantity_words(picture.quantity), fixed(number), *positions)]
