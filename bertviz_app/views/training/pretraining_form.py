"""The part of the form for a pre-training: its texts, the size of the model, and when it ends."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.training.training import ENDS, SIZES, Training
from bertviz_app.views.kit.card import Elided, Segments
from bertviz_app.views.kit.style import named
from bertviz_app.views.training.base_line import BaseLine
from bertviz_app.views.training.rows import count_field, row_of

_NUMBERS = ("n_layers", "n_heads", "width", "vocabulary_size")
_TOPS = {"n_layers": 48, "n_heads": 64, "width": 4096, "vocabulary_size": 200_000}


class PretrainingFields(QWidget):
    """Shows those fields of the form of `training` and changes them.

    `files_requested(name)`: let the user choose what that field of the form has, texts or a checkpoint.
    """

    files_requested = Signal(str)

    def __init__(self, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self._labels = {
            name: named(QLabel(), "secondary") for name in ("files", "drop", "size", "end", *_NUMBERS)
        }
        self.files = _Files(training)
        self.add_files = QPushButton()
        self.begins_at_base = QCheckBox()
        self.base = BaseLine(training)
        self.sizes = Segments([(size, size, "") for size in SIZES])
        self._sizes = named(QLabel(wordWrap=True), "secondary")
        self.numbers = {name: count_field(_TOPS[name]) for name in _NUMBERS}
        self._own = QWidget()
        self.amount = count_field(1e6)
        self.ends = Segments([(end, end, "") for end in ENDS])
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._labels["files"])
        column.addWidget(self.files)
        column.addLayout(row_of(self.add_files, self._labels["drop"], None))
        column.addSpacing(4)
        column.addWidget(self.begins_at_base)
        column.addWidget(self.base)
        column.addWidget(self._labels["size"])
        column.addLayout(row_of(self.sizes, None))
        column.addWidget(self._sizes)
        grid = QGridLayout(self._own)
        grid.setContentsMargins(0, 0, 0, 0)
        for position, name in enumerate(_NUMBERS):
            grid.addWidget(self._labels[name], position // 2, position % 2 * 2)
            grid.addWidget(self.numbers[name], position // 2, position % 2 * 2 + 1)
        column.addWidget(self._own)
        column.addSpacing(4)
        column.addLayout(row_of(self._labels["end"], self.amount, self.ends, None))

    def _connect(self) -> None:
        training = self._training
        self.add_files.clicked.connect(lambda: self.files_requested.emit("files"))
        self.base.choose.clicked.connect(lambda: self.files_requested.emit("base"))
        self.begins_at_base.toggled.connect(lambda is_on: training.change(begins_at_base=is_on))
        self.sizes.chosen.connect(lambda size: training.change(size=size))
        self.ends.chosen.connect(lambda end: training.change(end=end))
        for name, field in self.numbers.items():
            field.changed.connect(lambda value, name=name: training.change(**{name: round(value or 0)}))
        self.amount.changed.connect(lambda value: training.change(amount=float(value or 0)))
        training.form_changed.connect(self.show_form)

    def retranslate(self) -> None:
        words = {
            "files": self.tr("Training text"),
            "drop": self.tr("or drop them here"),
            "size": self.tr("Size of the model"),
            "end": self.tr("Ends after"),
            "n_layers": self.tr("Layers"),
            "n_heads": self.tr("Heads"),
            "width": self.tr("Width"),
            "vocabulary_size": self.tr("Pieces"),
        }
        for name, label in self._labels.items():
            label.setText(words[name])
        for name, field in self.numbers.items():
            field.setAccessibleName(words[name])
        self.amount.setAccessibleName(words["end"])
        self.add_files.setText(self.tr("Add files …"))
        self.begins_at_base.setText(self.tr("Train a checkpoint further"))
        self.begins_at_base.setToolTip(
            self.tr("Start from the weights and the vocabulary of a checkpoint instead of random weights")
        )
        self.base.retranslate()
        self.sizes.set_texts(
            {
                "small": (self.tr("Small"), self.tr("First patterns within two minutes")),
                "bundled": (
                    self.tr("Like the bundled model"),
                    self.tr("As large as the bundled model: takes hours"),
                ),
                "own": (self.tr("Own"), self.tr("Choose the sizes yourself")),
            }
        )
        self.ends.set_texts({"minutes": (self.tr("minutes"), ""), "steps": (self.tr("steps"), "")})
        self.files.retranslate()
        self.show_form()

    @Slot()
    def show_form(self) -> None:
        form = self._training.form
        self.sizes.choose(form.size)
        self.ends.choose(form.end)
        self.begins_at_base.setChecked(form.begins_at_base)
        self.base.setVisible(form.begins_at_base)
        for widget in (self._labels["size"], self.sizes):
            widget.setVisible(not form.begins_at_base)
        self._own.setVisible(form.size == "own" and not form.begins_at_base)
        for name, field in self.numbers.items():
            field.show_value(float(getattr(form, name)))
        self.amount.show_value(form.amount)
        self.files.show_files()
        preset = form.preset
        if form.begins_at_base:
            words = self.tr("Its sizes and its vocabulary, {0} tokens a step")
            self._sizes.setText(words.format(f"{preset.batch_tokens:,}"))
            return
        words = self.tr("{0} layers × {1} heads, width {2}, {3} pieces at most, {4} tokens a step")
        numbers = (preset.n_layers, preset.n_heads, preset.width)
        self._sizes.setText(words.format(*numbers, f"{preset.vocabulary_size:,}", f"{preset.batch_tokens:,}"))


class _Files(QWidget):
    """The files that were chosen, each with a button that leaves it out."""

    def __init__(self, training: Training) -> None:
        super().__init__()
        self._training = training
        self._shown: tuple[str, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)

    def retranslate(self) -> None:
        self._shown = ()
        self.show_files()

    def show_files(self) -> None:
        files = self._training.form.files
        if files == self._shown:
            return
        self._shown = files
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for name in files:
            self._column.addWidget(self._line(name))
        self.setVisible(bool(files))

    def _line(self, name: str) -> QWidget:
        line, label, remove = QWidget(), Elided(Path(name).name), named(QPushButton("✕"), "corner")
        label.setToolTip(name)
        remove.setAccessibleName(self.tr("Leave out {0}").format(Path(name).name))
        remove.setToolTip(remove.accessibleName())
        remove.clicked.connect(lambda: self._leave_out(name))
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label, 1)
        row.addWidget(remove)
        return line

    def _leave_out(self, name: str) -> None:
        others = tuple(other for other in self._training.form.files if other != name)
        self._training.change(files=others)
