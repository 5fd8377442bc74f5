"""The matrix: one head as a heatmap, a row for each query and a column for each key."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import DrawOptions, Pair, Store
from bertviz_app.viewmodels.viewport import LEAST, PixelAxis, Viewport
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines_image import widest_number
from bertviz_app.views.kit.look import Look, Pencil, table_for
from bertviz_app.views.kit.panel_view import ExportedPanel
from bertviz_app.views.kit.subject import AxisTitles
from bertviz_app.views.kit.words import (
    MINUS,
    cell_difference,
    cell_weight,
    fixed,
    general,
    quantity_words,
    signed,
)
from bertviz_app.views.plots.axes import Strip
from bertviz_app.views.plots.cells import Cells, CellsPlot, Marks, cell_of, no_cells
from bertviz_app.views.plots.plot import Plot

_DOT = 5.0
_SUM_ROOM = (38.0, 24.0)  # right of the cells and below them
_SUM_GAP = 4


class MatrixPlot(CellsPlot):
    """The cells of a head, hatched where a run has no token, and sums of rows and columns.

    Its view answers mouse and keys, as that of the lines does.
    """

    walks = False
    on_pointed, on_clicked = Plot.on_pointed, Plot.on_clicked

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.picture: HeadPicture | None = None
        self.marks_maxima = False
        self.row_sums = Strip(self, self.box, partial(self._draw_sums, is_row=True), is_of_rows=True)
        self.column_sums = Strip(self, self.box, partial(self._draw_sums, is_row=False), is_of_rows=False)
        self.ci.layout.addItem(self.row_sums, 1, 2)
        self.ci.layout.addItem(self.column_sums, 2, 1)
        self.show_sums(is_shown=False)

    def show_sums(self, *, is_shown: bool) -> None:
        """Show or hide the sums of the rows and of the columns."""
        self.right_room, self.below_room = (self.look.pixels(room) * is_shown for room in _SUM_ROOM)
        self.row_sums.set_thickness(self.right_room)
        self.column_sums.set_thickness(self.below_room)

    def extras(self) -> tuple[object, ...]:
        return self.picture, self.marks_maxima

    def draw_below_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Hatch the tokens that only one of two runs has, and the cells that no head can attend to."""
        picture = self.picture
        if picture is None:
            return
        masked = picture.source.masked(rows.tokens(), columns.tokens())
        if masked is not None:
            self.hatch_cells(painter, rows, columns, masked)
        order = picture.token_order
        for axis, side in ((rows, order.queries), (columns, order.keys)):
            gaps = () if side.is_gap is None else [at for at in axis.tokens() if side.is_gap[at]]
            of_rows = [QRectF(0, axis.edge(at), columns.length, axis.pitch) for at in gaps]
            of_columns = [QRectF(axis.edge(at), 0, axis.pitch, rows.length) for at in gaps]
            if gaps:
                self.hatch(painter, of_rows if axis is rows else of_columns)

    def draw_above_grid(self, painter: QPainter, rows: PixelAxis, columns: PixelAxis) -> None:
        """Mark the strongest key of each row by a frame, of small cells by a dot."""
        picture, pencil = self.picture, Pencil(painter, self.look)
        if picture is None or not self.marks_maxima:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for query in rows.tokens():
            key = int(picture.maxima[query])
            if not columns.shows(key):
                continue
            box = cell_of(rows, columns, query, key)
            if min(box.width(), box.height()) >= 3 * _DOT:
                pencil.box(box.adjusted(1.5, 1.5, -1.5, -1.5), "sentence_b", 2)
            else:
                size = max(1.0, min(_DOT, 0.45 * min(box.width(), box.height())))
                pencil.dot(box.center(), size / 2, self.ink(query, key))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _draw_sums(self, painter: QPainter, axis: PixelAxis, room: QRectF, *, is_row: bool) -> None:
        """Draw what each row holds, or what each column receives, as a bar with its number."""
        picture = self.picture
        if picture is None:
            return
        room = room.adjusted(_SUM_GAP, 0, 0, 0) if is_row else room.adjusted(0, _SUM_GAP, 0, 0)
        sums = picture.row_sums if is_row else picture.column_sums
        whole = 1.0 if is_row and picture.quantity.is_share else 0.0
        longest = max(whole, float(np.abs(np.nan_to_num(sums)).max()), 1e-30)
        pitch, inset = axis.pitch, min(2.0, axis.pitch * 0.15)
        bars, cells = [], []
        for number in axis.tokens():
            total = float(sums[number])
            if math.isnan(total):
                continue
            edge, share = axis.edge(number), abs(total) / longest
            if is_row:
                cell = QRectF(room.left(), edge, room.width(), pitch)
                bar = QRectF(room.left(), edge + inset, room.width() * share, pitch - 2 * inset)
            else:
                cell = QRectF(edge, room.top(), pitch, room.height())
                bar = QRectF(edge + inset, room.top(), pitch - 2 * inset, room.height() * share)
            cells.append((cell, total))
            bars.append(bar.intersected(room))  # of the first and the last token only a part may be in sight
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("accent", 0.35))
        painter.drawRects(bars)
        painter.setFont(self.look.number_font(10))
        painter.setPen(self.look.colour("text"))
        metrics = QFontMetricsF(painter.font())
        for cell, total in cells:
            text = fixed(total, picture.digits)
            has_room = cell.height() >= metrics.height() - 2
            if has_room and cell.width() >= metrics.horizontalAdvance(text) + 2:
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)


class MatrixView(HeadView):
    """Rows are queries, columns keys."""

    reads_out = True
    plot: MatrixPlot

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, store: Store | None = None
    ) -> None:
        plot = MatrixPlot(look)
        super().__init__(plot, plot.box, selection, viewport, store)
        self.plot.setAccessibleName(self.tr("Attention matrix: rows look at columns"))

    def axes(self) -> tuple[PixelAxis, PixelAxis]:
        return self.plot.axes()

    def pair_at(self, at: QPointF) -> Pair:
        return Pair(*self.plot.cell_at(at))

    def rebuild(self) -> None:
        picture, look = self.picture, self.look
        options = self.store.now.options
        self.plot.picture, self.plot.marks_maxima = picture, options.marks_maxima
        if options.shows_sums or self.plot.right_room:
            self.plot.show_sums(is_shown=options.shows_sums)
        if picture is None:
            self.plot.show_cells(no_cells(look))
            return
        queries, keys = self.labels
        widest, quantity, mark = widest_number(picture), picture.quantity, None
        if quantity.is_share:
            widest = "+0.00" if quantity.is_signed else "0.00"
            if not quantity.is_signed and picture.options.scale in ("shared", "linear"):
                # Where on the bar the weight of uniform attention is, and that weight.
                n_keys = len(picture.token_order.keys.tokens)
                even = QCoreApplication.translate("Matrix", "even")
                mark = 1 / (n_keys * max(picture.full, 1e-30)), f"1/{n_keys}\n{even}"

        def texts(rows: range, columns: range) -> list[list[str]]:
            """Return the numbers of these queries and keys as cells have them; "" where there is none."""
            weights = picture.source.rows(rows.start, rows.stop)[:, columns.start : columns.stop]
            masked = picture.source.masked(rows, columns)
            if masked is not None:
                weights = np.where(masked, np.float32(np.nan), weights)
            return [
                ["" if math.isnan(one) else _in_cell(picture, one) for one in row] for row in weights.tolist()
            ]

        self.plot.show_cells(
            Cells(
                colours=picture.pyramid,
                table=table_for(look, picture, options.colours),
                rows=queries,
                columns=keys,
                bar=bar_texts(picture),
                mark=mark,
                texts=texts,
                widest_text=widest,
                has_titled_bar=True,
            )
        )
        self._follow_viewport()
        self.show_selection()

    @property
    def meaning(self) -> str:
        words = self.tr("A row is a token that looks: the stronger a cell, the more it looks at that column.")
        return words if self.shows_weights else ""

    def scale_note(self, picture: HeadPicture, options: DrawOptions) -> str:
        translate = QCoreApplication.translate
        scales = {
            "log": translate("Notes", "logarithmic"),
            "row": translate("Notes", "each row by its largest"),
        }
        return scales.get(picture.options.scale, "")

    def titles_of(self, picture: HeadPicture, axes: tuple[str, str], exported: ExportedPanel) -> AxisTitles:
        translate = QCoreApplication.translate
        colours = quantity_words(picture.quantity)
        if picture.quantity.unit == "weight":
            is_of_analysis = bool(exported.panel.content.analysis)
            of_attention = translate("AxisTitles", "attention weight")
            colours = translate("AxisTitles", "share") if is_of_analysis else of_attention
        scales = {
            "log": translate("AxisTitles", "{0}, logarithmic scale"),
            "row": translate("AxisTitles", "{0}, each row by its largest"),
        }
        colours = scales.get(picture.options.scale, "{0}").format(colours)
        if picture.is_difference:
            colours = f"{colours}, A − B"
        return AxisTitles(left=axes[0], above=axes[1], right=colours)

    def show_selection(self) -> None:
        shown = self.shown
        query, key = (frozenset() if at is None else frozenset({at}) for at in (shown.query, shown.key))
        self.plot.show_marks(Marks(query, key))


def _in_cell(picture: HeadPicture, number: float) -> str:
    """Return a number as it is written in a cell and beside the colour bar."""
    if picture.quantity.is_share:
        return cell_difference(number) if picture.quantity.is_signed else cell_weight(number)
    if picture.quantity.is_signed:
        return signed(number, picture.digits)
    least = 10.0**-picture.digits  # a small number is not called zero
    is_small = 0 < number < 0.5 * least
    return f"<{fixed(least, picture.digits).removeprefix('0')}" if is_small else fixed(number, picture.digits)


def bar_texts(picture: HeadPicture) -> tuple[str, str, str]:
    """Return what is written at the top, the middle and the bottom of the colour bar: its ends, the unit."""
    unit = quantity_words(picture.quantity)
    if picture.options.scale == "row":
        most = QCoreApplication.translate("Matrix", "row max")
        return (f"+{most}", "0", f"{MINUS}{most}") if picture.quantity.is_signed else (most, unit, "0")
    if picture.quantity.is_signed:
        return _at_end(picture, picture.full), "0", _at_end(picture, -picture.full)
    if picture.options.scale == "log":
        least = LEAST if picture.quantity.is_share else LEAST * picture.full
        middle = _in_cell(picture, math.sqrt(picture.full * least))
        return _at_end(picture, picture.full), middle, general(float(f"{least:.1g}"))
    return _at_end(picture, picture.full), unit, "0"


def _at_end(picture: HeadPicture, number: float) -> str:
    """Return a number at an end of the bar: as in a cell, with one digit of a weight that is 0.00 there."""
    if not picture.quantity.is_share or not 0 < abs(number) < 0.005:
        return _in_cell(picture, number)
    digit = general(float(f"{number:.1g}"))
    return f"+{digit}" if picture.quantity.is_signed and number > 0 else digit
