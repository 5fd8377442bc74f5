"""The parameters of a checkpoint in a panel: their table, one as a picture, and one product."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np
from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
    QShowEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QSpinBox,
    QStackedLayout,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from bertviz_app.checkpoint.parameters import (
    LinearProduct,
    ParameterTable,
    StoredParameter,
    group_title,
    title_of,
)
from bertviz_app.errors import Message, SelectionError
from bertviz_app.options import PanelPage
from bertviz_app.timers import OneShot
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.export import parameters_as_python
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.panel import PARAMETERS_PAGES, Panel, ParametersPage, page_named
from bertviz_app.viewmodels.parameters import (
    Matrix,
    Region,
    RegionPicture,
    ShownParameters,
    ShownTable,
    numbers_of_parameters,
    title,
)
from bertviz_app.viewmodels.results import Coming, Failed, Ready
from bertviz_app.viewmodels.viewport import (
    CLOSE,
    ZERO,
    Texels,
    TokenSpan,
    heat_picture,
    signed_levels,
    usual_size,
)
from bertviz_app.viewmodels.wording import all_translated, error_text
from bertviz_app.views.analyses.table import ModelIndex
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import SegmentedChoice
from bertviz_app.views.kit.formula import Formula, fitting
from bertviz_app.views.kit.look import Look, in_column, in_row, named, signed_table
from bertviz_app.views.kit.panel_view import ExportedPanel, PanelTools, PanelView
from bertviz_app.views.kit.subject import ExportSubject
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.kit.words import MINUS, cell_number, exact, fixed, signed
from bertviz_app.views.plots.cells import Cells, CellsPlot, Marks, no_cells
from bertviz_app.views.plots.plot import Line
from bertviz_app.views.vectors.plots import HeatTexts, HeatView


class ProductPage(QWidget):
    """Three rows, each with colours of its own; `output` is the field that asks for another sum."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.product: LinearProduct | None = None
        translate = QCoreApplication.translate
        self.output = QSpinBox(prefix=translate("ParametersView", "output") + " ")
        self.output.setKeyboardTracking(False)
        self.output.setAccessibleName(translate("ParametersView", "Output: row of the matrix"))
        words = translate(
            "ParametersView",
            "Each number of the input times the one below it is a product; all products and the bias add "
            "up to one number. The file has one row of the matrix for each output; this row is a column of W "
            "in x · W.",
        )
        self.formula = named(QLabel(words, wordWrap=True), "note")
        self.heat = HeatView(look, self._read_out)
        self.heat.setAccessibleName(translate("ParametersView", "Input, row of the matrix, products"))
        in_column(self.formula, (self.heat, 1), of=self, margins=0, spacing=0)

    def show_product(self, product: LinearProduct, n_outputs: int) -> None:
        """Show how one number is computed."""
        if product is not self.product:
            self.product = product
            rows = np.stack([product.inputs, product.weights, product.products.astype(np.float32)])
            limits = np.array([usual_size(row) for row in rows], np.float32)
            translate = QCoreApplication.translate
            names = (
                translate("ParametersView", "input x"),
                translate("ParametersView", "row of the matrix"),
                translate("ParametersView", "products"),
            )
            texts = HeatTexts(rows=names, full_colour=translate("ParametersView", "max"))
            self.heat.show_picture(heat_picture(rows, limits), texts)
        with QSignalBlocker(self.output):
            self.output.setRange(0, n_outputs - 1)
            self.output.setValue(product.output)

    def _read_out(self, row: int, column: int) -> list[str]:
        product = self.product
        if product is None:
            return []
        x, w = product.inputs[column], product.weights[column]
        words = QCoreApplication.translate("ParametersView", "dimension {0}").format(column)
        return [words, f"{exact(x)} × {exact(w)}", f"= {fixed(float(product.products[column]), 7)}"]


def facts_text(shown: ShownParameters) -> str:
    """Return what the chosen parameter is, its name in the file, its shape, and its range, as rich text."""
    entry, state = shown.entry, shown.matrix
    if entry is None:
        return ""
    parts = [entry.name] if entry.name else []
    parts.append(" × ".join(map(str, entry.shape)))
    if isinstance(state, Ready) and shown.choice.page == "picture":
        matrix = state.value.matrix
        words = QCoreApplication.translate("ParametersView", "from {0} to {1}, 99 of 100 within ±{2}")
        limit = signed(matrix.limit, 3).lstrip("+")
        parts.append(words.format(signed(matrix.lowest, 3), signed(matrix.highest, 3), limit))
    if entry.notes:
        parts.append(all_translated(entry.notes))
    return f"<b>{escape(title(entry))}</b><br>" + escape(" · ".join(parts), quote=False)


def read_out(shown: ShownParameters, row: int, column: int, region: Region) -> list[str]:
    """Return one number, exact, where it is, and whose colour its pixel has if several cells share it."""
    translate, state, entry = QCoreApplication.translate, shown.matrix, shown.entry
    if not isinstance(state, Ready) or entry is None:
        return []
    matrix, name = state.value.matrix, state.value.row_name
    at = translate("ParametersView", "row {0}, column {1}").format(row, column)
    if not entry.is_matrix:
        at = translate("ParametersView", "number {0}").format(column)
    lines = [exact(matrix.value(row, column)), at]
    if name is not None:
        lines.append(name(row))
    head = shown.head_of(row if entry.is_matrix else column)
    if head is not None:
        lines.append(translate("ParametersView", "head {0}, dimension {1} of it").format(*head))
    block = matrix.block(*region.block_at(row, column))
    if block.size > 1:
        farthest = block.flat[abs(block).argmax()]
        words = translate("ParametersView", "colour: {0}, the largest of {1} numbers here")
        lines.append(words.format(exact(farthest), block.size))
    return lines


_SIGN = 1
_NUMBERS = (2, 3)
_INDENT = 7
_AROUND = 24
"""Pixels around the text of a cell, rather too many: a row that fits has one line in any case."""


@dataclass(frozen=True)
class _Row:
    """A line of the table: a parameter, or the title of a group with the sums of it."""

    cells: tuple[str, ...]
    entry: StoredParameter | None
    notes: str = ""


class _SignDelegate(Guarded, QStyledItemDelegate):
    """Writes the sign of a parameter as formulas do: a subscript stands for what "W_Q" has after the line."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def initStyleOption(self, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""  # it is drawn as a formula instead

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        super().paint(painter, option, index)
        if index.data():
            made = self._sign(index)
            painter.setPen(self._look.colour("text"))
            middle = QRectF(option.rect).center().y() + (made.box.above - made.box.below) / 2
            made.draw(painter, QPointF(option.rect.left() + self._look.pixels(4), middle))

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        return QSize(math.ceil(self._sign(index).box.width) + self._look.pixels(10), self._look.pixels(20))

    def _sign(self, index: ModelIndex) -> Formula:
        return fitting(self._look, (str(index.data() or ""),), 1000, 13)


class ParametersTable(CopyingTable):
    """Emits `chosen(key)` for a click on a parameter, or Enter."""

    chosen = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.shown = ShownTable(ParameterTable(()))
        self.rows: list[_Row] = []
        self._natural_widths: list[int] = []
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setItemDelegateForColumn(_SIGN, _SignDelegate(look, self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setWordWrap(True)
        self.verticalHeader().setDefaultSectionSize(look.pixels(24))
        self.clicked.connect(self._on_clicked)
        # After a change of the text size the fonts come with the new style sheet.
        self._restyled = OneShot(self, self._follow_look)
        look.changed.connect(self._restyled.start)

    def show_table(self, shown: ShownTable) -> None:
        translate, table = QCoreApplication.translate, shown.table
        self.shown, self.rows = shown, []
        for (group, layers), entries in table.groups():
            count = sum(entry.n_numbers for entry in entries)
            share = count / table.total if table.total else 0.0
            cells = (group_title(group, layers, translate), "", f"{count:,}", f"{share:.2%}", "", "")
            self.rows += [_Row(cells, None), *(_row(entry, table) for entry in entries)]
        self._fill()

    def _fill(self) -> None:
        """Write all rows, in the fonts and colours in force."""
        look, items = self._look, self._items
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        indent = QPixmap(look.pixels(_INDENT), 1)  # before a name, so that wrapped lines are indented, too
        indent.fill(Qt.GlobalColor.transparent)
        bold = QFont()
        bold.setWeight(QFont.Weight.DemiBold)

        def item(text: str, column: int) -> QStandardItem:
            made = QStandardItem(text.lstrip())
            side = right if column in _NUMBERS else left
            made.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            return made

        items.clear()
        for column, name in enumerate(_columns()):
            items.setHorizontalHeaderItem(column, item(name, column))
        for row in self.rows:
            cells = [item(cell, column) for column, cell in enumerate(row.cells)]
            for made, cell in zip(cells, row.cells, strict=True):
                made.setToolTip(row.notes or cell)
                if row.entry is None:
                    made.setFont(bold)
                elif self.shown.comparable is not None and row.entry.key not in self.shown.comparable:
                    made.setForeground(look.colour("secondary"))
            if row.entry is not None:
                cells[0].setData(indent, Qt.ItemDataRole.DecorationRole)
            items.appendRow(cells)
        metrics = self._metrics
        self._natural_widths = [
            metrics[row.entry is not None].horizontalAdvance(row.cells[0].lstrip()) + self._around(row)
            for row in self.rows
        ]
        self._share_width()

    @Slot()
    def _follow_look(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._look.pixels(24))
        at = self.currentIndex().row()
        self._fill()
        if at >= 0:
            self.selectRow(at)

    @property
    def _metrics(self) -> tuple[QFontMetrics, QFontMetrics]:
        """The sizes of the titles of groups, and of the names below them."""
        return QFontMetrics(self._look.font(13, bold=True)), QFontMetrics(self._look.font(13))

    def _around(self, row: _Row) -> int:
        """Return what a cell has beside its text; the title of a group is not indented."""
        return self._look.pixels(_AROUND if row.entry is not None else _AROUND - _INDENT)

    def _share_width(self) -> None:
        """Show counts and shares beside the names, which are wrapped for it; the rest is scrolled to."""
        self.resizeColumnsToContents()
        left = self.viewport().width() - sum(map(self.columnWidth, (_SIGN, *_NUMBERS))) - 2
        wide, narrow = self.columnWidth(0), max(self._look.pixels(130), left)
        self.setColumnWidth(0, min(wide, narrow))
        # Each name that is wider than its column, if that is narrow, has the lines that it needs.
        width, line = self.columnWidth(0), self.verticalHeader().defaultSectionSize()
        metrics = self._metrics
        for number, natural in enumerate(self._natural_widths):
            height = line
            if narrow < wide and natural > width:
                row = self.rows[number]
                room = QRect(0, 0, width - self._around(row), 10_000)
                fold, words = Qt.TextFlag.TextWordWrap, row.cells[0].lstrip()
                wrapped = metrics[row.entry is not None].boundingRect(room, fold, words).height()
                height = max(line, wrapped + self._look.pixels(6))
            if self.rowHeight(number) != height:
                self.setRowHeight(number, height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def choose(self, key: str) -> None:
        """Select a parameter, and scroll to it, without emitting `chosen`."""
        for number, row in enumerate(self.rows):
            if row.entry is not None and row.entry.key == key:
                self.selectRow(number)
                self.scrollTo(self._items.index(number, 0))

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        rows = [_columns(), *(row.cells for row in self.rows)]
        return "\n".join("\t".join(row) for row in rows) + "\n"

    def _on_clicked(self, index: QModelIndex) -> None:
        entry = self.rows[index.row()].entry
        if entry is not None:
            self.chosen.emit(entry.key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses the selected row."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)


def _columns() -> tuple[str, ...]:
    translate = QCoreApplication.translate
    return (
        translate("ParametersView", "What it is"),
        "",  # its sign in the formulas
        translate("ParametersView", "Parameters"),
        translate("ParametersView", "Share"),
        translate("ParametersView", "Shape"),
        translate("ParametersView", "Name in the file"),
    )


def _row(entry: StoredParameter, table: ParameterTable) -> _Row:
    name, symbol = title_of(entry.key, QCoreApplication.translate)
    shape = " × ".join(map(str, entry.shape))
    notes = all_translated(entry.notes)
    in_file = entry.name or f"= {entry.tied_to}"
    if entry.part[1] > 1:
        in_file += f" [{entry.part[0]}/{entry.part[1]}]"
    count = f"{entry.n_numbers:,}" if entry.n_numbers else "–"
    share = table.share(entry)
    # What would be written as nothing is said to be less.
    percent = "–" if not entry.n_numbers else "<0.01%" if 0 < share < 0.00005 else f"{share:.2%}"
    return _Row((f"   {name}", symbol, count, percent, shape, in_file), entry, notes)


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
    before it is drawn, stretched to its place.
    """

    names_rows = False

    region_requested = Signal(object)

    def __init__(self, look: Look, read_out: ReadOut) -> None:
        super().__init__(look)
        self.matrix: Matrix | None = None
        self._picture: RegionPicture | None = None
        self._read_out = read_out
        self._row: int | None = None
        self.box.close = CLOSE
        self.box.sigResized.connect(lambda *_: self._request())
        self.setMinimumSize(120, 80)

    def show_matrix(self, matrix: Matrix) -> None:
        """Show another matrix; one of the same shape in the same zoom."""
        if matrix is not self.matrix:
            self.matrix, self._picture, self.walked = matrix, None, None
            self._show()
            self._request()

    def show_picture(self, picture: RegionPicture) -> None:
        """Draw the colours of a region."""
        if picture is not self._picture:
            self._picture = picture
            self._show()
            self.point_again()

    def _show(self) -> None:
        matrix = self.matrix
        if matrix is None:
            self.show_cells(no_cells(self.look))
            return

        def written(rows: range, columns: range) -> list[list[str]]:
            part = matrix.block(slice(rows.start, rows.stop), slice(columns.start, columns.stop))
            return [[cell_number(number) for number in row] for row in part.tolist()]

        above, below = ("≥", "≤") if matrix.goes_beyond else ("", "")
        cells = Cells(
            colours=_Region(matrix, self._picture),
            table=signed_table(self.look),
            rows=None,
            columns=None,
            bar=(above + signed(matrix.limit, 3), "0", below + signed(-matrix.limit, 3)),
            texts=written,
            widest_text=f"{MINUS}0.000",
            longest_pitch=_LONGEST_PITCH,
        )
        self.show_cells(cells)

    def mark_row(self, row: int | None) -> None:
        """Frame a row: that of the chosen output."""
        self._row = row
        self.mark_part(self.part)

    def mark_part(self, part: tuple[int, int] | None) -> None:
        """Frame the row and the column of the cell that the keys have come to."""
        row, column = self.walked or (None, None)
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

    def on_range_changed(self) -> None:
        super().on_range_changed()
        self._request()

    def _request(self) -> None:
        if self.matrix is not None and self.isVisible():
            self.region_requested.emit(self.region)

    def recolour(self) -> None:
        self._show()
        self._request()

    def part_at(self, at: QPointF) -> tuple[int, int] | None:
        return super().part_at(at) if self.plot_rect.contains(at) else None

    def beside(self, part: tuple[int, int] | None, rows: int, columns: int) -> tuple[int, int] | None:
        """Return the next cell, of all that are in sight the first one where there was none."""
        if part is not None or self.matrix is None:
            return super().beside(part, rows, columns)
        down, across = self.axes()
        return math.ceil(down.span.first), math.ceil(across.span.first)

    def lines_of(self, part: tuple[int, int]) -> Sequence[Line]:
        return self._read_out(*part, self.region)


class ParametersView(PanelView):
    """Three pages of which one is shown; the panel notes which, which parameter, and which of its rows."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self._tools = tools
        self.shown = ShownParameters(tools.matrices, tools.selection, f"parameters {id(self)}")
        texts = {
            "table": (self.tr("All"), self.tr("All matrices and vectors in a table")),
            "picture": (self.tr("Picture"), self.tr("The numbers of one of them in colours")),
            "product": (self.tr("Row × column"), self.tr("How one number comes out of a matrix")),
        }
        self.pages = SegmentedChoice(texts, self.tr("What is shown of the parameters"))
        self.facts = named(QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True), "note")
        plain, selectable = Qt.TextFormat.PlainText, Qt.TextInteractionFlag.TextSelectableByMouse
        self.sum = named(QLabel(textFormat=plain, wordWrap=True, textInteractionFlags=selectable), "note")
        self.table = named(ParametersTable(tools.look), title=self.tr("Parameters of the checkpoint"))
        self.weights = WeightsView(tools.look, lambda *cell: read_out(self.shown, *cell))
        self.product = ProductPage(tools.look)
        self.dimmed = self.weights, self.product.heat, self.table
        centre = Qt.AlignmentFlag.AlignCenter
        self.message = named(QLabel(textFormat=plain, wordWrap=True, alignment=centre), "secondary")
        self._stack = QStackedLayout()
        explain_with(self.facts, "parameters")
        explain_with(self.sum, "linear_map")
        top = in_row(self.pages, 1, self.product.output, margins=(8, 6, 8, 4), spacing=8)
        for widget in (self.sum, self.product.output):
            widget.hide()  # until there is a sum
        pages = QWidget()
        pages.setLayout(self._stack)
        in_column(top, self.facts, (pages, 1), self.sum, of=self, margins=(0, 0, 0, 4), spacing=0)
        for page in (self.table, self.weights, self.product, self.message):
            self._stack.addWidget(page)
        self.pages.chosen.connect(self.show_page)
        self.table.chosen.connect(self.show_parameter)
        self.weights.region_requested.connect(self._on_region_requested)
        self.weights.part_chosen.connect(lambda cell: self.choose_output(cell[0]))
        self.product.output.valueChanged.connect(self.choose_output)
        tools.matrices.arrived.connect(self.refresh)
        tools.selection.changed.connect(self._on_selection_changed)
        self.weights.setAccessibleName(self.tr("Numbers of a parameter"))
        self.refresh()

    @Slot()
    def _on_selection_changed(self) -> None:
        if self.shown.choice.page != "table":
            self.refresh()

    # what is shown

    def show_panel(self, panel: Panel) -> None:
        if panel.parameters != self.shown.choice:
            self.shown.choice = panel.parameters
            self.refresh()

    def show_head(self, head: HeadOfRun) -> None:
        super().show_head(head)
        self.shown.show(head.traces, head.layer)
        self.refresh()

    def go_to(self, page: PanelPage) -> None:
        shown = None if page.page is None else page_named(page.page, PARAMETERS_PAGES)
        if page.parameter is not None:
            # Called so in the file or in this program.
            table, name = self.shown.table, page.parameter
            entries = tuple(table.value.table) if isinstance(table, Ready) else ()
            entry = next((one for one in entries if name in (one.key, one.name)), None)
            if entry is None:
                message = Message("This checkpoint has no parameter “{0}”.", name)
                hint = Message("“bertviz-app parameters” and model.parameters() list all of them.")
                raise SelectionError(message, hint)
            self.show_parameter(entry.key)
            if page.output is not None:
                if not entry.is_matrix or not 0 <= page.output < entry.shape[0]:
                    message = Message("“{0}” has no row {1}.", name, page.output)
                    shape = " x ".join(map(str, entry.shape))
                    raise SelectionError(message, Message("Its shape is {0}.", shape))
                self.choose_output(page.output)
        if shown is not None:
            self.show_page(shown)

    @Slot(str)
    def show_page(self, page: ParametersPage) -> None:
        self._choose(page=page)

    @Slot(str)
    def show_parameter(self, key: str) -> None:
        self._choose(page="picture", key=key)

    @Slot(int)
    def choose_output(self, row: int) -> None:
        """Show how another row of the matrix is multiplied."""
        entry = self.shown.entry
        if entry is not None and entry.is_matrix:
            self._choose(key=entry.key, output=row)

    def _choose(self, page: ParametersPage | None = None, key: str = "", output: int | None = None) -> None:
        self.shown.choose(page, key, output)
        self.refresh()
        self.choice_made.emit(self.shown.choice)

    @Slot()
    def refresh(self) -> None:
        """Draw what there is now; what is not there yet is on its way."""
        if not self.shown.traces or not self.isVisible():
            return
        shown, page = self.shown, self.shown.choice.page
        self.pages.choose(page)
        table, entry = shown.table, shown.entry
        if isinstance(table, Ready) and table.value is not self.table.shown:
            self.table.show_table(table.value)
        if page == "table":
            self._show(table, self.table)
            self.table.choose(shown.choice.key)
        elif page == "picture":
            matrix = shown.matrix
            self._show(matrix, self.weights)
            if isinstance(matrix, Ready):
                self.weights.show_matrix(matrix.value.matrix)
                is_of_row = entry is not None and entry.is_linear
                self.weights.mark_row(shown.output if is_of_row else None)
                self._on_region_requested(self.weights.region)
        elif entry is not None:
            product = shown.product
            why = self.tr("This is not the matrix of a linear map: no input is multiplied by its rows.")
            if shown.is_difference:
                why = self.tr("Choose run A or run B: a difference of matrices is multiplied by nothing.")
            self._show(why if product is None else product, self.product)
            if isinstance(product, Ready):
                self.product.show_product(product.value, entry.shape[0])
        total = self.tr("Reading …") if isinstance(table, Coming) else ""
        if isinstance(table, Ready):
            words = self.tr("{0} parameters in {1} matrices and vectors – click to show one")
            total = words.format(f"{table.value.table.total:,}", len(table.value.table))
        self.facts.setText(total if page == "table" else facts_text(shown))
        self._show_sum()

    def _show_sum(self) -> None:
        """Show the sum below a page, and which output it is of; while it is on its way nothing changes."""
        page = self.shown.choice.page
        state = None if page == "table" else self.shown.product
        text = ""
        if isinstance(state, Ready):
            product, labels = state.value, self.shown.trace.tokens.labels
            of = self.tr("whole text") if product.token is None else f"“{labels[product.token]}”"
            words = self.tr("{0} → output {1}: {2} products add up to {3}")
            text = words.format(of, product.output, len(product.inputs), signed(product.sum, 6))
            if product.bias is not None:
                numbers = signed(product.bias, 6), signed(product.total, 6)
                text += self.tr(", with the bias {0} to {1}").format(*numbers)
            text += self.tr("; in the model {0}").format(exact(np.float32(product.computed)))
        if not isinstance(state, Coming):
            self.sum.setVisible(bool(text))
            self.sum.setText(text)
        # Hidden at each step it would lose the focus, and the key that is held down.
        if page != "product" or not isinstance(state, Coming):
            self.product.output.setVisible(page == "product" and bool(text))

    def _show(self, state: object, page: QWidget) -> None:
        """Show a page, or why there is nothing on it; while it is on its way nothing changes."""
        if isinstance(state, Ready):
            self._stack.setCurrentWidget(page)
        elif isinstance(state, Failed | str):
            self.message.setText(state if isinstance(state, str) else error_text(state.error))
            self._stack.setCurrentWidget(self.message)

    @Slot(object)
    def _on_region_requested(self, region: Region) -> None:
        if self.shown.choice.page == "picture" and region.height > 1:
            state = self.shown.picture(region)
            if isinstance(state, Ready):
                self.weights.show_picture(state.value)

    # the panel

    @property
    def not_drawn(self) -> str:
        """What it says instead of a page; "" while it shows one."""
        return self.message.text() if self._stack.currentWidget() is self.message else ""

    @property
    def is_waiting(self) -> bool:
        if not self.shown.traces:
            return False
        page = self.shown.choice.page
        if page == "table":
            return isinstance(self.shown.table, Coming)
        if page == "picture":
            return not (self.weights.has_own_picture or isinstance(self.shown.matrix, Failed))
        return isinstance(self.shown.table, Coming) or isinstance(self.shown.product, Coming)

    def subject(self, exported: ExportedPanel) -> ExportSubject | None:
        """Return the table of parameters, one of them, or a row of it with its input and the products."""
        shown = self.shown
        if self.shown_head is None:
            return None
        python = parameters_as_python(exported.panel, exported.runs, shown.drawn)
        entry = shown.entry
        caption = "" if entry is None or shown.choice.page == "table" else title(entry)
        return exported.subject(self, numbers_of_parameters(shown), python, (caption,))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
