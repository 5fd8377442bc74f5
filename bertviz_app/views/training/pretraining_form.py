"""The form of a training: its task, what that takes, its folder, and the sentence to watch."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.training.form import ENDS, SIZES, TASKS
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.viewmodels.wording.error_words import error_text
from bertviz_app.views.kit.card import Elided, Segments
from bertviz_app.views.kit.number_field import NumberField
from bertviz_app.views.kit.style import named
from bertviz_app.views.training.finetuning_form import TuningFields

_NUMBERS = ("n_layers", "n_heads", "width", "vocabulary_size")
_TOPS = {"n_layers": 48, "n_heads": 64, "width": 4096, "vocabulary_size": 200_000}


class TrainingFormView(QWidget):
    """Shows the form of `training` and changes it; nothing of it is lost when a training cannot begin.

    `files_asked` names the field of the form that they are for: files, rows or test.
    """

    files_asked = Signal(str)
    folder_asked = Signal()

    def __init__(self, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "clear")
        self._training = training
        self._labels = {
            name: named(QLabel(), "secondary") for name in ("files", "size", "end", "folder", "watch")
        }
        self.tasks = Segments([(task, task, "") for task in TASKS])
        self._pretraining, self.tuning = QWidget(), TuningFields(training)
        self.files = _Files(training)
        self.add_files = QPushButton()
        self._drop = named(QLabel(), "secondary")
        self.sizes = Segments([(size, size, "") for size in SIZES])
        self._sizes = named(QLabel(wordWrap=True), "secondary")
        self.numbers = {name: _count(_TOPS[name]) for name in _NUMBERS}
        self._number_labels = {name: named(QLabel(), "secondary") for name in _NUMBERS}
        self._own = QWidget()
        self.amount = _count(1e6)
        self.ends = Segments([(end, end, "") for end in ENDS])
        self.folder = named(QLineEdit(), "entry")
        self.choose_folder = QPushButton("…")
        self.text = named(QLineEdit(), "entry")
        self.every = _count(1e6)
        self._every = (named(QLabel(), "secondary"), named(QLabel(), "secondary"))
        self.problem = named(QLabel(wordWrap=True), "problem")
        self.start = named(QPushButton(), "primary")
        self._place()
        self._connect()
        self.retranslate()
        self._on_form_changed()
        self._on_problem_changed()

    def _place(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        column.addLayout(_row(self.tasks, None))
        column.addSpacing(4)
        column.addWidget(self._pretraining)
        column.addWidget(self.tuning)
        self._place_pretraining()
        column.addSpacing(4)
        column.addWidget(self._labels["folder"])
        column.addLayout(_row(self.folder, self.choose_folder))
        column.addSpacing(4)
        column.addWidget(self._labels["watch"])
        column.addWidget(self.text)
        column.addLayout(_row(self._every[0], self.every, self._every[1], None))
        column.addSpacing(4)
        column.addWidget(self.problem)
        column.addWidget(self.start)
        column.addStretch(1)

    def _place_pretraining(self) -> None:
        column = QVBoxLayout(self._pretraining)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._labels["files"])
        column.addWidget(self.files)
        column.addLayout(_row(self.add_files, self._drop, None))
        column.addSpacing(4)
        column.addWidget(self._labels["size"])
        column.addLayout(_row(self.sizes, None))
        column.addWidget(self._sizes)
        grid = QGridLayout(self._own)
        grid.setContentsMargins(0, 0, 0, 0)
        for place, name in enumerate(_NUMBERS):
            grid.addWidget(self._number_labels[name], place // 2, place % 2 * 2)
            grid.addWidget(self.numbers[name], place // 2, place % 2 * 2 + 1)
        column.addWidget(self._own)
        column.addSpacing(4)
        column.addLayout(_row(self._labels["end"], self.amount, self.ends, None))

    def _connect(self) -> None:
        training = self._training
        self.tasks.chosen.connect(lambda task: training.change(task=task))
        self.add_files.clicked.connect(lambda: self.files_asked.emit("files"))
        self.tuning.asked.connect(self.files_asked)
        self.choose_folder.clicked.connect(self.folder_asked)
        self.sizes.chosen.connect(lambda size: training.change(size=size))
        self.ends.chosen.connect(lambda end: training.change(end=end))
        for name, field in self.numbers.items():
            field.changed.connect(lambda value, name=name: training.change(**{name: round(value or 0)}))
        self.amount.changed.connect(lambda value: training.change(amount=float(value or 0)))
        self.every.changed.connect(lambda value: training.change(every=round(value or 0)))
        self.folder.textEdited.connect(lambda text: training.change(folder=text))
        self.text.textEdited.connect(lambda text: training.change(text=text, pair=None))
        self.start.clicked.connect(training.start)
        self.text.returnPressed.connect(training.start)
        training.form_changed.connect(self._on_form_changed)
        training.problem_changed.connect(self._on_problem_changed)

    @property
    def first(self) -> QWidget:
        """Where the files of the task are chosen."""
        is_tuning = self._training.form.task == "finetune"
        return self.tuning.files["rows"].choose if is_tuning else self.add_files

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        words = {
            "files": self.tr("Training text"),
            "size": self.tr("Size of the model"),
            "end": self.tr("Ends after"),
            "folder": self.tr("Folder of the model"),
            "watch": self.tr("Sentence to watch during training"),
        }
        for name, label in self._labels.items():
            label.setText(words[name])
        self.tasks.set_texts(
            {
                "pretrain": (
                    self.tr("Pre-train on texts"),
                    self.tr("A new model, trained from scratch"),
                ),
                "finetune": (
                    self.tr("Fine-tune on labelled data"),
                    self.tr("A classifier that starts from the checkpoint of run A"),
                ),
            }
        )
        self.add_files.setText(self.tr("Add files …"))
        self._drop.setText(self.tr("or drop them here"))
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
        numbers = (self.tr("Layers"), self.tr("Heads"), self.tr("Width"), self.tr("Pieces"))
        for name, text in zip(_NUMBERS, numbers, strict=True):
            self._number_labels[name].setText(text)
            self.numbers[name].setAccessibleName(text)
        before, after = self.tr("Redraw the heads every"), self.tr("steps")
        self._every[0].setText(before)
        self._every[1].setText(after)
        self.every.setAccessibleName(f"{before} … {after}")
        self.amount.setAccessibleName(words["end"])
        self.folder.setAccessibleName(words["folder"])
        self.choose_folder.setAccessibleName(self.tr("Choose the folder"))
        self.choose_folder.setToolTip(self.tr("Choose the folder"))
        self.text.setAccessibleName(words["watch"])
        self.start.setText(self.tr("Start the training"))
        self.files.retranslate()
        self.tuning.retranslate()
        self._describe()
        self._on_problem_changed()

    def _describe(self) -> None:
        preset = self._training.form.preset
        words = self.tr("{0} layers × {1} heads, width {2}, {3} pieces at most, {4} tokens a step")
        numbers = (preset.n_layers, preset.n_heads, preset.width)
        self._sizes.setText(words.format(*numbers, f"{preset.vocabulary_size:,}", f"{preset.batch_tokens:,}"))

    @Slot()
    def _on_form_changed(self) -> None:
        form = self._training.form
        self.tasks.choose(form.task)
        self._pretraining.setVisible(form.task == "pretrain")
        self.tuning.setVisible(form.task == "finetune")
        self.sizes.choose(form.size)
        self.ends.choose(form.end)
        self._own.setVisible(form.size == "own")
        for name, field in self.numbers.items():
            field.show_value(float(getattr(form, name)))
        self.amount.show_value(form.amount)
        self.every.show_value(float(form.every))
        for entry, text in ((self.folder, form.folder), (self.text, form.text)):
            if entry.text() != text:
                entry.setText(text)
                if entry is self.text:  # of the folder the end tells, of the sentence its beginning
                    entry.setCursorPosition(0)
        self.files.show_files()
        self._describe()

    @Slot()
    def _on_problem_changed(self) -> None:
        problem = self._training.problem
        self.problem.setText("" if problem is None else error_text(problem))
        self.problem.setVisible(problem is not None)


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
        """Write the words in the language in force."""
        self._shown = ()
        self.show_files()

    def show_files(self) -> None:
        """Show the files of the form."""
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
        kept = tuple(other for other in self._training.form.files if other != name)
        self._training.change(files=kept)


def _count(top: float) -> NumberField:
    field = named(NumberField(step=1), "count")
    field.set_range(top)
    return field


def _row(*widgets: QWidget | None) -> QHBoxLayout:
    """Return the widgets side by side; None takes the room that is left."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        if widget is None:
            row.addStretch(1)
        else:
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
    return row
