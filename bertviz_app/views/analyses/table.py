"""What results, their axes and their parts are called, how their numbers are written, and their table."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QLineEdit,
)

from bertviz_app.analysis.names import AXES, BASELINES, COLUMNS, NUMBERS, PARTS
from bertviz_app.analysis.picture import Axis, Index, Picture, Quantity
from bertviz_app.tables import Cell, column_name, with_note
from bertviz_app.typeset import fixed, signed
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.analyses.analyses import MOST_ROWS, Analysed
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.stages.stops import STAGES, TASK_HEADS
from bertviz_app.viewmodels.wording import translate, translated
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import in_column, in_row, named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import CopyingTable, show_words
from bertviz_app.views.kit.words import Item, general, plain, quantity_words
from bertviz_app.views.overview.heads_table import measure_words

COUNT = "count"
"""The unit of numbers that count: they are written without decimals."""


def axis_word(name: str) -> str:
    """Return what an axis is called, in the language in force; an unknown one as the analysis calls it."""
    return translated(AXES[name]) if name in AXES else name


def column_word(key: str) -> str:
    """Return the name of a column in the language in force; a key that has none stands for itself."""
    if key in COLUMNS:
        return translated(COLUMNS[key])
    title = scalar_title(key)
    return axis_word(key) if title == key else title


def scalar_title(key: str) -> str:
    """Return the name of a number of a head: that of a measure in the language in force, else its key.

    `key`: that of the number, or the name of its column in a table.
    """
    titles = {str(measure): words.title for measure, words in measure_words().items()}
    if key in titles:
        return titles[key]
    base, _, ending = key.rpartition("_")
    if base in titles and ending in BASELINES:
        return translated(BASELINES[ending]).format(titles[base])
    named = (words for name, words in NUMBERS.items() if column_name(name) == column_name(key))
    return translated(next(named, "")) or re.sub("^([12])_([12])$", r"\1 → \2", key)  # of sentences


def part_word(picture: Picture, axis: Axis, index: int) -> str:
    """Return what an index of an axis is called: "Layer 3", a token, the name of a series."""
    label = axis.labels[index]
    if label in picture.words:
        return translated(picture.words[label])
    if axis.name == "scalar":
        return scalar_title(label)
    if axis.name == "head of all":
        return translate("PanelCard", "Layer {0} · Head {1}").format(*label.split("·"))
    return translated(PARTS[axis.name]).format(label) if axis.name in PARTS else label


def label_of(picture: Picture, label: str) -> str:
    """Return what is written for a label of an axis."""
    return translated(picture.words[label]) if label in picture.words else label


def title_of(picture: Picture) -> str:
    """Return what the numbers of a picture are."""
    if picture.title is not None:
        return translated(picture.title)
    if picture.key == "value":
        return quantity_words(picture.quantity)
    key, title = picture.key, scalar_title(picture.key)
    of_array = STAGES[key].title if key in STAGES else TASK_HEADS.get(key)
    return title if title != key or of_array is None else translated(of_array)


def unit_of(quantity: Quantity) -> str:
    """Return the unit as it stands behind a number, "" where the number says enough."""
    return quantity_words(quantity) if quantity.unit not in ("", "weight", COUNT) else ""


def colours_of(picture: Picture) -> str:
    """Return what the colours of a picture stand for, with its unit."""
    title, unit = title_of(picture), unit_of(picture.quantity)
    return f"{title}, {unit}" if unit and unit != title and not picture.categories else title


def lines_of(picture: Picture, part: tuple[int, ...]) -> list[str]:
    """Return what is read out of a part: what it is, its number with its interval, and what else is known."""
    index: Index = {axis.name: at for axis, at in zip(picture.axes, part, strict=True)}
    names = [part_word(picture, axis, at) for axis, at in zip(picture.axes, part, strict=True)]
    text = [] if picture.text is None else [str(picture.text[part])]
    names = [name for name in names if name and not (text and text[0].startswith(f"{name} · "))]
    name = " · ".join([*names, *text])
    lines = [name, number_line(picture, part)]
    if picture.baseline is not None and not math.isnan(picture.baseline[part]):
        words = translate("Pictures", "compared with {0}")
        lines.append(words.format(number_of(picture.quantity)(float(picture.baseline[part]))))
    return [*lines, *map(translated, picture.details(index))]


def number_line(picture: Picture, part: tuple[int, ...]) -> str:
    """Return the number of a part with what it is, its unit, and the ends of its interval."""
    value = float(picture.values[part])
    if picture.categories:
        name = translated(picture.categories[int(value)][1])
        return translate("Pictures", "{0} {1} (rule of this program)").format(title_of(picture), name)
    write = number_of(picture.quantity)
    line = f"{title_of(picture)} {write(value)} {unit_of(picture.quantity)}".rstrip()
    if picture.low is not None and picture.high is not None:
        ends = float(picture.low[part]), float(picture.high[part])
        if not any(map(math.isnan, ends)):
            line += translate("Pictures", " ({0} to {1})").format(*map(write, ends))
    if picture.quantity.is_signed and abs(value) < picture.quantity.noise:
        line += translate("Pictures", ", no more than rounding")
    return line


def number_of(quantity: Quantity) -> Callable[[float], str]:
    """Return what writes a number alone: counts without decimals, what can be negative with its sign."""
    if quantity.unit == COUNT:
        return lambda value: f"{value:,.0f}"
    return partial(signed, digits=4) if quantity.is_signed else fixed


@dataclass(frozen=True)
class Scale:
    """What full colour stands for, what is written in a cell and beside the colour bar."""

    largest: float
    write: Callable[[float], str]
    bar: tuple[str, str, str]
    widest: str

    @classmethod
    def of(cls, picture: Picture) -> Scale:
        """Return the scale of a picture: of categories each has its colour whichever others there are."""
        largest, quantity = picture.top or picture.largest, picture.quantity
        if picture.categories:
            marks = [translated(short) for short, _ in picture.categories]
            bar = (marks[-1], marks[len(marks) // 2], marks[0])
            return cls(float(len(marks) - 1), lambda value: marks[int(value)], bar, max(marks, key=len))
        if quantity.unit == COUNT:
            write = number_of(quantity)
            return cls(largest, write, (write(largest), "", "0"), write(largest))
        digits = min(max(2 - math.floor(math.log10(largest)), 0), 6) if largest else 2
        if quantity.is_signed:
            write = partial(signed, digits=digits)
            return cls(largest, write, (write(largest), "0", write(-largest)), write(largest))
        write = partial(fixed, digits=digits)
        return cls(largest, write, (write(largest), unit_of(quantity), "0"), write(largest))


def chosen_words(picture: Picture, chosen: Mapping[str, int]) -> list[str]:
    """Return what the menus of a picture have chosen, for what stands above a saved one."""
    menus = (axis for axis in picture.menus if len(axis) > 1 and axis.name != picture.beside)
    return [part_word(picture, axis, min(chosen.get(axis.name, 0), len(axis) - 1)) for axis in menus]


_NARROWEST = 80
_OF_HEADS = ("layer", "head")  # the first columns of a table of heads
_MANY = 20  # from so many rows on a table has a field to search it
SORTED_BY = Qt.ItemDataRole.UserRole
"""The role of what rows are sorted by: texts, or numbers."""
ModelIndex = QModelIndex | QPersistentModelIndex
Rows = tuple[tuple[Cell, ...], ...]


class RowsModel(Guarded, QAbstractTableModel):
    """Rows of texts and numbers under named columns."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[str, ...] = ()
        self.rows: Rows = ()

    def show_rows(self, columns: tuple[str, ...], rows: Rows) -> None:
        self.beginResetModel()
        self.columns, self.rows = columns, rows
        self.endResetModel()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        return len(self.rows)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        return len(self.columns)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if isinstance(cell, str) else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == SORTED_BY:
            return (
                cell if isinstance(cell, str) else -math.inf if cell is None or cell != cell else float(cell)
            )
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(cell) if isinstance(cell, str) else None  # a text may be shortened in its cell
        return text_of(cell) if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        is_name = role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal
        return column_word(self.columns[section]) if is_name else None


def text_of(cell: Cell) -> str:
    """Return a cell as a table shows it: numbers with four significant digits."""
    if cell is None:
        return ""
    return str(cell) if isinstance(cell, (str, int)) else general(float(f"{cell:.4g}"))


NO_PICTURE = Picture(
    "", "cells", np.zeros((0, 2), np.float32), (Axis("", ()), Axis("", ("x", "y"))), Quantity("", 0.0)
)
"""What a plot of pictures has before it is given one."""


class CopiesNumbers:
    """The part of a plot of a `Picture` that copies its numbers, by an entry of its menu.

    `interventions`: what was done to the model, which the numbers that are copied have in a last column; ""
    for nothing.
    """

    picture: Picture = NO_PICTURE
    title = ""
    """What the column of numbers is called; "": as the picture is."""
    interventions = ""

    def menu_items(self) -> list[Item]:
        """Return what the menu has below pyqtgraph's own entries."""
        words = translate("PictureBars", "Copy the numbers")
        return [(words, lambda: QGuiApplication.clipboard().setText(self.copied()))]

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        if self.picture is NO_PICTURE:
            return ""
        table = with_note(self.picture.as_table(), "interventions", self.interventions)
        title = self.title or title_of(self.picture)
        columns = [title if name == "value" else column_word(name) for name in table.columns]
        rows = [columns, *([text_of(cell) for cell in row] for row in table.rows)]
        return "\n".join("\t".join(row) for row in rows) + "\n"


class RowsTable(CopyingTable):
    """A table of rows, sorted by a click on a column's name; copying takes all rows that are shown."""

    def __init__(self, model: RowsModel) -> None:
        super().__init__()
        any_case = Qt.CaseSensitivity.CaseInsensitive
        self.rows = QSortFilterProxyModel(self, sortRole=SORTED_BY, filterCaseSensitivity=any_case)
        self.rows.setSourceModel(model)
        self.rows.setFilterKeyColumn(-1)  # all columns
        self._columns = model
        self.setModel(self.rows)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)  # as the result has them
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        numbers = range(self.rows.rowCount())
        shown = (self._columns.rows[self.rows.mapToSource(self.rows.index(at, 0)).row()] for at in numbers)
        rows = [self._columns.columns, *(tuple(map(text_of, row)) for row in shown)]
        return "\n".join("\t".join(row) for row in rows) + "\n"


class TableView(PanelView):
    """Shows the table of a result; a click on a row of a head, or Enter, shows that head.

    Texts take three quarters of the panel at most: numbers stay in sight.
    """

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = RowsModel(self)
        self.table = named(RowsTable(self.model), title=self.tr("Result of the analysis"))
        self.dimmed = (self.table,)
        self.table.activated.connect(self._on_row_chosen)
        self.table.clicked.connect(self._on_row_chosen)
        self._head = 0, 0
        self.remark = named(QLabel(wordWrap=True), "note")
        self.remark.hide()
        find = self.tr("Find in the table …")
        self.search = named(QLineEdit(clearButtonEnabled=True, placeholderText=find), "entry", title=find)
        self.search.textChanged.connect(self.table.rows.setFilterFixedString)
        search = in_row(self.search, margins=(8, 6, 8, 6))
        in_column(search, (self.table, 1), self.remark, of=self, margins=0, spacing=0)

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        rows = tuple(tuple(row) for row in analysed.table.rows)
        self.model.show_rows(analysed.table.columns, rows)
        is_of_heads = analysed.table.columns[:2] == _OF_HEADS
        mode = QAbstractItemView.SelectionMode
        self.table.setSelectionMode(mode.SingleSelection if is_of_heads else mode.NoSelection)
        first = self.tr("The first {0} rows; a file has all of them.").format(MOST_ROWS)
        said = [] if rows else [self.tr("The result has no rows.")]
        said += [first] if len(rows) >= MOST_ROWS else []
        said += map(translated, analysed.result.findings() if is_of_heads else ())
        show_words(self.remark, " · ".join(said))
        self.search.setVisible(len(rows) >= _MANY)
        self._select()

    def show_panel(self, panel: Panel) -> None:
        """Select the row of the panel's head."""
        self._head = panel.layer, panel.head
        self._select()

    def _select(self) -> None:
        rows = [row[:2] for row in self.model.rows] if self.model.columns[:2] == _OF_HEADS else []
        chosen, flags = self.table.selectionModel(), QItemSelectionModel.SelectionFlag
        chosen.clearSelection()
        if self._head in rows:  # which does not scroll to it: the first rows say most
            row = self.table.rows.mapFromSource(self.model.index(rows.index(self._head), 0))
            chosen.select(row, flags.Select | flags.Rows)

    @Slot(QModelIndex)
    def _on_row_chosen(self, index: QModelIndex) -> None:
        row = self.model.rows[self.table.rows.mapToSource(index).row()]
        if self.model.columns[:2] == _OF_HEADS and isinstance(row[0], int) and isinstance(row[1], int):
            self.head_requested.emit(row[0], row[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        header = self.table.horizontalHeader()
        n_texts = sum(isinstance(cell, str) for cell in next(iter(self.model.rows), ()))
        widest = self.width() // 2 if n_texts < 2 else 3 * self.width() // (4 * n_texts)
        header.setMaximumSectionSize(max(self.look.pixels(_NARROWEST), widest))
        header.resizeSections(QHeaderView.ResizeMode.ResizeToContents)
