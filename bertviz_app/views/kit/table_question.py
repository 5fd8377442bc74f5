"""The first rows of a table, and the questions how it is to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from bertviz_app.text_tables.table import SEPARATORS, TARGETS, Preview, column_value, shown_separator
from bertviz_app.viewmodels.wording import field_words, translated
from bertviz_app.views.kit.look import form, in_column, named

_WIDEST = 150  # pixels of the widest column of the rows
_ENCODINGS = ("UTF-8", "CP949", "UTF-16", "GB18030", "CP932", "CP1252")
_COLUMNS = ("label_column", "text_column", "pair_column", "column")


class TableQuestion(QWidget):
    """Shows a `Preview`; `answered` has the value of each field, "" for what is found by the content.

    `fields` are names of `TableChoices`, and "column" of a corpus.
    """

    answered = Signal(dict)

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__()
        self.rows = named(QTableWidget(), title=self.tr("The first rows"))
        self.rows.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.rows.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.rows.verticalHeader().hide()
        self.rows.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.boxes = {name: QComboBox() for name in fields}
        words = field_words()
        for box in self.boxes.values():
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.activated.connect(self._on_activated)
        rows = ((words[name], box) for name, box in self.boxes.items())
        self._form = form(*rows, spacing=(6, 4), labels="secondary")
        in_column(self.rows, self._form, of=self, margins=0)

    def show_table(self, preview: Preview, values: Mapping[str, str]) -> None:
        """Show a table, and the `values` in force; "" for what is not chosen."""
        table = self.rows
        table.setColumnCount(len(preview.columns))
        table.setRowCount(len(preview.rows))
        table.setHorizontalHeaderLabels([self._title(preview, at) for at in range(len(preview.columns))])
        for row, cells in enumerate(preview.rows):
            for at, cell in enumerate(cells[: len(preview.columns)]):
                table.setItem(row, at, QTableWidgetItem(cell))
        table.resizeColumnsToContents()
        table.resizeRowsToContents()
        for at in range(len(preview.columns)):
            table.setColumnWidth(at, min(table.columnWidth(at), _WIDEST))
        table.horizontalHeader().setStretchLastSection(len(preview.columns) <= 2)
        heights = sum(table.rowHeight(row) for row in range(table.rowCount()))
        bar = table.horizontalScrollBar().sizeHint().height()
        table.setFixedHeight(table.horizontalHeader().sizeHint().height() + heights + bar + 6)
        for name, box in self.boxes.items():
            box.clear()
            for text, value in self._choices(name, preview):
                box.addItem(text, value)
            box.setCurrentIndex(max(0, box.findData(values.get(name, ""))))
            self._form.setRowVisible(box, preview.is_text or name not in ("separator", "encoding"))

    def _choices(self, name: str, preview: Preview) -> list[tuple[str, str]]:
        if name in _COLUMNS:
            first = self.tr("none") if name == "pair_column" else self.tr("Choose …")
            columns = range(len(preview.columns))
            titles = [(self._title(preview, at), column_value(preview, at)) for at in columns]
            if name == "label_column" and preview.flags:
                names, values = (", ".join(titles[at][part] for at in preview.flags) for part in (0, 1))
                titles.append((self.tr("0 or 1 each: {0}").format(names), values))
            return [(first, ""), *titles]
        if name == "target":
            words = {
                "classes": self.tr("classes of texts"),
                "scores": self.tr("numbers of texts"),
                "tokens": self.tr("of words or characters"),
                "multi_label": self.tr("several labels a text"),
            }
            return [(self.tr("as the content shows"), ""), *((words[one], one) for one in TARGETS)]
        if name == "separator":
            found = translated(shown_separator(preview.separator))
            others = [(translated(shown_separator(one)), str(shown_separator(one))) for one in SEPARATORS]
        else:
            found, others = preview.encoding, [(name, name) for name in _ENCODINGS]
        return [(self.tr("found: {0}").format(found or "–"), ""), *others]

    def _title(self, preview: Preview, at: int) -> str:
        column = preview.columns[at]
        return column if preview.has_header else self.tr("Column {0}").format(column)

    def _on_activated(self) -> None:
        self.answered.emit({name: str(box.currentData() or "") for name, box in self.boxes.items()})
