"""`WeightsView`: the numbers of one matrix in colours, zoomed and pointed at, however many there are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, Signal, Slot
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.parameters import Matrix, Region, RegionPicture
from bertviz_app.viewmodels.viewport import CLOSE, ZERO, Texels, TokenSpan, signed_levels
from bertviz_app.views.kit.colour_maps import signed_table
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import MINUS, cell_number, signed
from bertviz_app.views.plots.cells import Cells, CellsPlot, Marks, no_cells

_LONGEST_PITCH = 64.0

ReadOut = Callable[[int, int, Region], list[str]]
"""Returns what is written beside the pointer on a cell (row, column) of what is drawn as a region."""


class _Region:
    """The colours of a matrix as far as a worker has made them: of the last region that was asked for."""

    is_signed = True

    def __init__(self, matrix: Matrix, picture: RegionPicture | None) -> None:
        self._matrix = matrix
        self._picture = picture

    @property
    def shape(self) -> tuple[int, int]:
        return self._matrix.shape

    def level(self, row: int, column: int) -> int:
        share = np.array([self._matrix.value(row, column) / self._matrix.limit])
        return int(signed_levels(np.clip(share, -1, 1))[0])

    def texels(self, rows: TokenSpan, columns: TokenSpan, pitches: tuple[float, float]) -> Texels:
        """Return the levels that there are, at their places: the part in sight may be another one by now."""
        if self._picture is None:
            return Texels(np.full((1, 1), ZERO, np.uint8), TokenSpan(0.0, 0.0), TokenSpan(0.0, 0.0))
        region, levels = self._picture.region, self._picture.levels
        ends = (
            TokenSpan(float(first), float(first + n_levels * step))
            for (first, _), n_levels, step in zip(
                (region.rows, region.columns), levels.shape, region.steps, strict=True
            )
        )
        return Texels(levels, *ends)


class WeightsView(CellsPlot):
    """Shows a `Matrix`; its colours come as a picture of the part in sight, which a worker makes.

    `region_requested(region)` asks for it whenever another part is in sight; until it is there the picture
    before it is drawn, stretched to its place. A click emits `cell_chosen(row, column)`; the arrow keys walk
    the cells, and Enter chooses the one they have come to.
    """

    names_rows = False
    walks = True

    region_requested = Signal(object)
    cell_chosen = Signal(int, int)

    def __init__(self, look: Look, read_out: ReadOut, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.matrix: Matrix | None = None
        self._picture: RegionPicture | None = None
        self._read_out = read_out
        self._walked: tuple[int, int] | None = None
        self._row: int | None = None
        self.box.close = CLOSE
        self.pointed.connect(self._read)
        self.clicked.connect(self._on_clicked)
        self.walked.connect(self._on_walked)
        self.entered.connect(self._on_entered)
        self.let_go.connect(lambda: self._walk_to(None))
        self.box.sigRangeChanged.connect(lambda *_: self._request())
        self.box.sigResized.connect(lambda *_: self._request())
        self.setMinimumSize(120, 80)

    def show_matrix(self, matrix: Matrix) -> None:
        """Show another matrix; one of the same shape in the same zoom."""
        if matrix is not self.matrix:
            self.matrix, self._picture, self._walked = matrix, None, None
            self._show()
            self._request()

    def show_picture(self, picture: RegionPicture) -> None:
        """Draw the colours of a region."""
        if picture is not self._picture:
            self._picture = picture
            self._show()

    def _show(self) -> None:
        matrix = self.matrix
        if matrix is None:
            self.show_cells(no_cells(self.look))
            return
        self.show_cells(
            Cells(
                colours=_Region(matrix, self._picture),
                table=signed_table(self.look),
                rows=None,
                columns=None,
                bar=_bar_texts(matrix),
                texts=lambda rows, columns: _written(matrix, rows, columns),
                widest_text=f"{MINUS}0.000",
                longest_pitch=_LONGEST_PITCH,
            )
        )
        self._read(self.pointer)

    def mark_row(self, row: int | None) -> None:
        """Frame a row: that of the chosen output."""
        self._row = row
        self._mark()

    def _mark(self) -> None:
        row, column = self._walked or (None, None)
        rows, columns = (frozenset() if at is None else frozenset({at}) for at in (row, column))
        self.show_marks(Marks(rows, columns, row=self._row))

    @property
    def has_own_picture(self) -> bool:
        """Whether the colours of the part in sight are there."""
        return self._picture is not None and self._picture.region == self.region

    @property
    def region(self) -> Region:
        """The part in sight, and its pixels."""
        ratio, (rows, columns) = self.devicePixelRatioF(), self.axes()
        down = math.floor(rows.span.first), math.ceil(rows.span.last)
        across = math.floor(columns.span.first), math.ceil(columns.span.last)
        return Region(
            down,
            across,
            max(1, math.floor((down[1] - down[0]) * rows.pitch * ratio + 0.5)),
            max(1, math.floor((across[1] - across[0]) * columns.pitch * ratio + 0.5)),
        )

    def _request(self) -> None:
        if self.matrix is not None and self.isVisible():
            self.region_requested.emit(self.region)

    def recolour(self) -> None:
        self._show()
        self._request()

    # gestures

    def pair_at(self, at: QPointF) -> tuple[int, int] | None:
        """Return the row and the column under a point of the plot."""
        row, column = self.cell_at(at)
        is_inside = self.plot_rect.contains(at) and row is not None and column is not None
        return (row, column) if is_inside and row is not None and column is not None else None

    @Slot(object)
    def _read(self, at: QPointF | None) -> None:
        cell = None if at is None else self.pair_at(at)
        if cell is None or at is None:
            self.read_out.hide_lines()
        else:
            self.read_out.show_lines(self._read_out(*cell, self.region), at)

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        cell = self.pair_at(at)
        if cell is not None:
            self.cell_chosen.emit(*cell)

    @Slot(int, int)
    def _on_walked(self, down: int, across: int) -> None:
        if self.matrix is None:
            return
        (rows, columns), (n_rows, n_columns) = self.axes(), self.matrix.shape
        at = self._walked
        if at is None:
            self._walk_to((math.ceil(rows.span.first), math.ceil(columns.span.first)))
        else:
            row, column = min(max(at[0] + down, 0), n_rows - 1), min(max(at[1] + across, 0), n_columns - 1)
            self._walk_to((row, column))

    def _walk_to(self, cell: tuple[int, int] | None) -> None:
        """Frame a cell, bring it into sight and read it out."""
        self._walked = cell
        if cell is None:
            self.read_out.hide_lines()
        else:
            rows, columns = self.axes()
            if not (rows.shows(cell[0]) and columns.shows(cell[1])):
                middle = self.box.viewRect().center()
                self.box.translateBy(x=cell[1] + 0.5 - middle.x(), y=cell[0] + 0.5 - middle.y())
            at = self.cell_rect(*cell).center()
            self.read_out.show_lines(self._read_out(*cell, self.region), at)
        self._mark()

    @Slot()
    def _on_entered(self) -> None:
        if self._walked is not None:
            self.cell_chosen.emit(*self._walked)


def _written(matrix: Matrix, rows: range, columns: range) -> list[list[str]]:
    part = matrix.block(slice(rows.start, rows.stop), slice(columns.start, columns.stop))
    return [[cell_number(number) for number in row] for row in part.tolist()]


def _bar_texts(matrix: Matrix) -> tuple[str, str, str]:
    """Return what is written at the top, in the middle and at the bottom of the colour bar."""
    above, below = ("≥", "≤") if matrix.goes_beyond else ("", "")
    return above + signed(matrix.limit, 3), "0", below + signed(-matrix.limit, 3)
