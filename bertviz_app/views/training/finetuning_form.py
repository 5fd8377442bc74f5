"""The part of the form for a fine-tuning: its checkpoint, its rows and its settings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.training.training import TABLE_FIELDS, Training
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.table_question import TableQuestion
from bertviz_app.views.training.base_line import BaseLine
from bertviz_app.views.training.rows import count_field

_MOST_EPOCHS = 1_000
_UNIT = 1e-5  # of rates: a field of them in full would be noughts
_TOP = 1_000


class TuningFields(QWidget):
    """Shows those fields of the form of `training` and changes them.

    `files_requested(name)`: let the user choose the files of that field.
    """

    files_requested = Signal(str)

    def __init__(self, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self.base = BaseLine(training)
        self._labels = {name: named(QLabel(), "secondary") for name in ("rows", "test")}
        self._drop = named(QLabel(wordWrap=True), "secondary")
        self.reading = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "secondary")
        self.unclear = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "problem")
        self.details = named(QPushButton(), "link")
        self.details.setCheckable(True)
        self.question = TableQuestion(TABLE_FIELDS)
        self.files = {name: _FileLine() for name in ("rows", "test")}
        self.epochs, self.rate = count_field(_MOST_EPOCHS), count_field(_TOP)
        self._epochs, self._rate = named(QLabel(), "secondary"), named(QLabel(), "secondary")
        self._unit = named(QLabel("× 10⁻⁵"), "secondary")
        self.freezes = QCheckBox()
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        about = (self._drop, self.unclear, self.reading, self.details, self.question)
        for widget in (self.base, self._labels["rows"], self.files["rows"], *about):
            column.addWidget(widget)
        column.addWidget(self._labels["test"])
        column.addWidget(self.files["test"])
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        numbers = ((self._epochs, self.epochs), (self._rate, self.rate, self._unit))
        for row, fields in enumerate(numbers):
            for index, field in enumerate(fields):
                grid.addWidget(field, row, index)
        grid.setColumnStretch(3, 1)
        column.addLayout(grid)
        column.addWidget(self.freezes)

    def _connect(self) -> None:
        change = self._training.change
        for name, line in self.files.items():
            line.choose.clicked.connect(lambda _=False, name=name: self.files_requested.emit(name))
            line.remove.clicked.connect(lambda _=False, name=name: change(**{name: ""}))
        self.base.choose.clicked.connect(lambda: self.files_requested.emit("base"))
        self.epochs.changed.connect(lambda value: change(epochs=round(value or 0)))
        self.rate.changed.connect(lambda value: change(rate=(value or 0) * _UNIT))
        self.freezes.toggled.connect(lambda is_on: change(freezes=is_on))
        self._training.form_changed.connect(self.show_form)
        self.details.toggled.connect(self.show_look)
        self.question.answered.connect(lambda values: change(**values))
        self._training.look_changed.connect(self.show_look)

    def retranslate(self) -> None:
        words = {
            "rows": self.tr("Training data"),
            "test": self.tr("Evaluation data"),
        }
        for name, label in self._labels.items():
            label.setText(words[name])
        self.base.retranslate()
        self._drop.setText(
            self.tr(
                "TSV, CSV or JSON: a label and a text, or two texts, in each row; "
                "CoNLL or KLUE-NER: a label for each word or character"
            )
        )
        self.details.setText(self.tr("First rows and columns …"))
        self.question.retranslate()
        for name, line in self.files.items():
            line.choose.setText(self.tr("Choose …"))
            line.choose.setAccessibleName(f"{line.choose.text()} {words[name]}")
            line.remove.setAccessibleName(self.tr("Leave out: {0}").format(words[name]))
            line.remove.setToolTip(line.remove.accessibleName())
        self._epochs.setText(self.tr("Epochs"))
        self.epochs.setAccessibleName(self._epochs.text())
        self.epochs.setToolTip(self.tr("Number of passes over the training data"))
        self._rate.setText(self.tr("Highest learning rate"))
        self.rate.setAccessibleName(f"{self._rate.text()} {self._unit.text()}")
        self.freezes.setText(self.tr("Freeze the encoder"))
        self.freezes.setToolTip(
            self.tr("Only the pooler and the classifier are trained; every head stays unchanged")
        )
        self.show_form()
        self.show_look()

    @Slot()
    def show_look(self) -> None:
        """Show how the file of rows is read, or the question how, with its first rows."""
        look = self._training.look
        is_asking = look is not None and look.is_asking
        self._drop.setVisible(look is None)
        self.unclear.setVisible(look is not None and look.error is not None)
        self.reading.setVisible(look is not None and bool(look.notices))
        self.details.setVisible(look is not None and look.preview is not None and not is_asking)
        is_open = is_asking or (self.details.isVisibleTo(self) and self.details.isChecked())
        self.question.setVisible(is_open)
        if look is None:
            return
        if look.error is not None:
            asked = self.tr("Choose the columns below, the first rows help.")
            hint = asked if is_asking else translated(look.error.hint)
            self.unclear.setText(f"{translated(look.error.message)} {hint}".strip())
        self.reading.setText("\n".join(map(translated, look.notices)))
        if look.preview is not None:
            form = self._training.form
            others = {"separator": form.separator, "encoding": form.encoding, "target": form.target}
            self.question.show_table(look.preview, {**look.columns, **others})

    @Slot()
    def show_form(self) -> None:
        form = self._training.form
        self.files["rows"].show_file(form.rows, self.tr("none yet; drop a file here"))
        self.files["test"].show_file(form.test, self.tr("a tenth of the data, held out"))
        self.epochs.show_value(float(form.epochs))
        self.rate.show_value(round(form.rate / _UNIT, 4))
        self.freezes.setChecked(form.freezes)


class _FileLine(QWidget):
    """One file, or what stands for none, with buttons to choose it and to leave it out."""

    def __init__(self) -> None:
        super().__init__()
        self.name = Elided("")
        self.choose, self.remove = named(QPushButton(), "small"), named(QPushButton("✕"), "corner")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.name, 1)
        row.addWidget(self.remove)
        row.addWidget(self.choose)

    def show_file(self, path: str, none: str) -> None:
        """Show the name of the file at `path`, or the words `none` for ""."""
        self.name.setText(Path(path).name if path else none)
        self.name.setToolTip(path)
        self.remove.setVisible(bool(path))
