"""The fields of a form, made from those of a frozen value, and the questions how a table is to be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from bertviz_app.text_tables.table import SEPARATORS, TARGETS, Preview, column_value, shown_separator
from bertviz_app.viewmodels.wording import field_words, translated
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import form, in_column, named
from bertviz_app.views.kit.widgets import NumberField

_IN_FIELD = 6
_Condition = Callable[[Any], bool]


class Fields:
    """Makes fields that are named as those of a dataclass; `change(name=value)` is called as the user works.

    `show` writes a value of the dataclass into all of them, which calls nothing, and enables and shows what
    depends on it. `fields["name"]` is the widget of a field; `look.form` lays them out beside their
    labels, which also name them for screen readers.
    """

    def __init__(self, change: Callable[..., object]) -> None:
        self._change = change
        self._shown: dict[str, tuple[QWidget, Callable[[Any], object]]] = {}
        self._conditions: list[tuple[_Condition, Callable[[bool], object]]] = []

    def __getitem__(self, name: str) -> Any:
        """Return the widget of a field."""
        return self._shown[name][0]

    def show(self, value: object) -> None:
        """Show `value`, which has all of the fields."""
        for name, (widget, write) in self._shown.items():
            with QSignalBlocker(widget):
                write(getattr(value, name))
        for holds, follow in self._conditions:
            follow(holds(value))

    def show_if(self, holds: _Condition, *widgets: QWidget) -> None:
        """Show the widgets where `holds(value)`, and hide them elsewhere."""
        self._conditions += [(holds, widget.setVisible) for widget in widgets]

    def enable_if(self, holds: _Condition, *widgets: QWidget) -> None:
        self._conditions += [(holds, widget.setEnabled) for widget in widgets]

    def bind(
        self,
        name: str,
        widget: QWidget,
        changed: SignalInstance,
        write: Callable[[Any], object],
        read: Callable[..., object] = lambda value: value,
    ) -> None:
        """Let `read` of what `changed` carries be the new value of a field; `write` shows a value."""
        changed.connect(lambda *carried: self._change(**{name: read(*carried)}))
        self._shown[name] = widget, write

    def check(self, name: str, text: str, tip: str = "") -> QCheckBox:
        """Return a check box for a bool."""
        box = QCheckBox(text)
        box.setToolTip(tip)
        self.bind(name, box, box.toggled, box.setChecked)
        return box

    def segments(self, name: str, choices: Mapping[Any, str | tuple[str, str]]) -> Segments:
        """Return a button for each of the choices, value -> text, or text and tool tip."""
        values = {str(value): value for value in choices}
        texts = ((words, "") if isinstance(words, str) else words for words in choices.values())
        segments = Segments([(key, *words) for key, words in zip(values, texts, strict=True)])
        self.bind(
            name, segments, segments.chosen, lambda value: segments.choose(str(value)), values.__getitem__
        )
        return segments

    def combo(self, name: str, choices: Mapping[str, str]) -> QComboBox:
        """Return a box with a list of the choices, value -> text."""
        box = QComboBox()
        for value, text in choices.items():
            box.addItem(text, value)
        self.bind(
            name,
            box,
            box.currentIndexChanged,
            lambda value: box.setCurrentIndex(box.findData(value)),
            lambda _: str(box.currentData()),
        )
        return box

    def number(
        self, name: str, top: float, tip: str = "", *, unit: float = 1.0, is_whole: bool = True
    ) -> NumberField:
        """Return a field for a number up to `top`, typed in `unit`; an empty one means 0."""
        field = named(NumberField(step=1), "count")
        field.set_range(top)
        field.setToolTip(tip)
        of_typed: Callable[[float], float] = round if is_whole else float
        self.bind(
            name,
            field,
            field.changed,
            lambda value: field.show_value(round(value / unit, 4)),
            lambda typed: of_typed((typed or 0) * unit),
        )
        return field

    def spin(
        self, name: str, ends: tuple[int, int], suffix: str = "", *, unit: float = 1, step: int = 1
    ) -> QSpinBox:
        """Return a spin box for a whole number of units, from one of the `ends` to the other."""
        box = QSpinBox(suffix=suffix, singleStep=step)
        box.setRange(*ends)
        # Qt leaves the padding of a style sheet out of the field of a spin box.
        box.lineEdit().setTextMargins(_IN_FIELD, 0, 0, 0)
        self.bind(
            name,
            box,
            box.valueChanged,
            lambda value: box.setValue(round(value / unit)),
            lambda number: number * unit,
        )
        return box

    def line(self, name: str, tip: str = "", **also: object) -> QLineEdit:
        """Return a field for a text; typing changes the fields `also` to those values, too."""
        field = named(QLineEdit(), "entry")
        field.setToolTip(tip)
        field.textEdited.connect(lambda text: self._change(**{name: text}, **also))
        self._shown[name] = field, lambda text: _write(field, text)
        return field


def _write(field: QLineEdit, text: str) -> None:
    """Show a text; where it is the one in the field, the cursor stays."""
    if field.text() != text:
        field.setText(text)


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
