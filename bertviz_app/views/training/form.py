"""The forms of a pre-training and a fine-tuning."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.inference.training.job import step_of
from bertviz_app.viewmodels.training.training import ENDS, SIZES, TABLE_FIELDS, TASKS, Training
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.kit.card import Elided, Segments
from bertviz_app.views.kit.look import named
from bertviz_app.views.kit.widgets import NumberField, TableQuestion, set_shown


class BaseLine(QWidget):
    """Shows the base of the form of `training`; `choose` is its button."""

    def __init__(self, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self._label = named(QLabel(self.tr("Starts from the checkpoint")), "secondary")
        self.base = named(QLabel(wordWrap=True), "value")
        self.choose = named(QPushButton(self.tr("Choose …")), "small")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self._label, 0, 0, 1, 2)
        grid.addWidget(self.base, 1, 0)
        grid.addWidget(self.choose, 1, 1, Qt.AlignmentFlag.AlignTop)
        training.form_changed.connect(self.show_form)
        self.choose.setAccessibleName(f"{self.choose.text()} {self._label.text()}")
        self.show_form()

    @Slot()
    def show_form(self) -> None:
        form = self._training.form
        lines = [form.base_name or self.tr("The default checkpoint")]
        if form.follows_run_a:
            lines.append(self.tr("that of run A"))
        if form.base is not None and step_of(Path(form.base)) >= 0:
            lines.append(self.tr("saved during a training, before its end"))
        self.base.setText(" · ".join(lines))


def count_field(top: float) -> NumberField:
    """Return a field for a whole number up to `top`."""
    field = named(NumberField(step=1), "count")
    field.set_range(top)
    return field


def row_of(*widgets: QWidget | None) -> QHBoxLayout:
    """Return the widgets side by side; None takes the room that is left."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        if widget is None:
            row.addStretch(1)
        else:
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
    return row


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
        self.details = named(QPushButton(self.tr("First rows and columns …")), "link")
        self.details.setCheckable(True)
        self.question = TableQuestion(TABLE_FIELDS)
        self.files = {name: _FileLine() for name in ("rows", "test")}
        self.epochs, self.rate = count_field(_MOST_EPOCHS), count_field(_TOP)
        self._epochs, self._rate = named(QLabel(), "secondary"), named(QLabel(), "secondary")
        self._unit = named(QLabel("× 10⁻⁵"), "secondary")
        self.freezes = QCheckBox(self.tr("Freeze the encoder"))
        self._lay_out()
        self._connect()
        words = {
            "rows": self.tr("Training data"),
            "test": self.tr("Evaluation data"),
        }
        for name, label in self._labels.items():
            label.setText(words[name])
        self._drop.setText(
            self.tr(
                "TSV, CSV or JSON: a label and a text, or two texts, in each row; "
                "CoNLL or KLUE-NER: a label for each word or character"
            )
        )
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
        self.freezes.setToolTip(
            self.tr("Only the pooler and the classifier are trained; every head stays unchanged")
        )
        self.show_form()
        self.show_look()

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
        self.add_files = QPushButton(self.tr("Add files …"))
        self.begins_at_base = QCheckBox(self.tr("Train a checkpoint further"))
        self.base = BaseLine(training)
        self.sizes = Segments([(size, size, "") for size in SIZES])
        self._sizes = named(QLabel(wordWrap=True), "secondary")
        self.numbers = {name: count_field(_TOPS[name]) for name in _NUMBERS}
        self._own = QWidget()
        self.amount = count_field(1e6)
        self.ends = Segments([(end, end, "") for end in ENDS])
        self._lay_out()
        self._connect()
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
        self.begins_at_base.setToolTip(
            self.tr("Start from the weights and the vocabulary of a checkpoint instead of random weights")
        )
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
        self.show_form()

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
        set_shown(self, bool(files))

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


class TrainingFormView(QWidget):
    """Shows the form of `training` and changes it; nothing of it is lost when a training cannot begin.

    `files_requested` names the field of the form that is to be chosen: files, rows, test or base.
    """

    files_requested = Signal(str)
    folder_requested = Signal()

    def __init__(self, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "clear")
        self._training = training
        self._labels = {
            name: named(QLabel(), "secondary") for name in ("folder", "watch", "before_every", "after_every")
        }
        self.tasks = Segments([(task, task, "") for task in TASKS])
        self.pretraining, self.tuning = PretrainingFields(training), TuningFields(training)
        self.folder = named(QLineEdit(), "entry")
        self.choose_folder = QPushButton("…")
        self.text = named(QLineEdit(), "entry")
        self.every = count_field(1e6)
        self.problem = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "problem")
        self.start = named(QPushButton(self.tr("Start the training")), "primary")
        self.foot = named(QWidget(), "clear")
        """What is wrong, and the button that starts the training: in sight also where the form scrolls."""
        self._lay_out()
        self._connect()
        words = {
            "folder": self.tr("Folder of the model"),
            "watch": self.tr("Sentence to watch during training"),
            "before_every": self.tr("Redraw the heads every"),
            "after_every": self.tr("steps"),
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
        self.every.setAccessibleName(f"{words['before_every']} … {words['after_every']}")
        self.folder.setAccessibleName(words["folder"])
        self.choose_folder.setAccessibleName(self.tr("Choose the folder"))
        self.choose_folder.setToolTip(self.tr("Choose the folder"))
        self.text.setAccessibleName(words["watch"])
        self._on_problem_changed()
        self._on_form_changed()
        self._on_problem_changed()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 4)
        column.setSpacing(8)
        column.addLayout(row_of(self.tasks, None))
        column.addSpacing(4)
        column.addWidget(self.pretraining)
        column.addWidget(self.tuning)
        column.addSpacing(4)
        column.addWidget(self._labels["folder"])
        column.addLayout(row_of(self.folder, self.choose_folder))
        column.addSpacing(4)
        column.addWidget(self._labels["watch"])
        column.addWidget(self.text)
        column.addLayout(row_of(self._labels["before_every"], self.every, self._labels["after_every"], None))
        foot = QVBoxLayout(self.foot)
        foot.setContentsMargins(14, 8, 14, 12)
        foot.setSpacing(8)
        foot.addWidget(self.problem)
        foot.addWidget(self.start)

    def _connect(self) -> None:
        training = self._training
        self.tasks.chosen.connect(lambda task: training.change(task=task))
        self.pretraining.files_requested.connect(self.files_requested)
        self.tuning.files_requested.connect(self.files_requested)
        self.choose_folder.clicked.connect(self.folder_requested)
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
        return self.tuning.files["rows"].choose if is_tuning else self.pretraining.add_files

    @Slot()
    def _on_form_changed(self) -> None:
        form = self._training.form
        self.tasks.choose(form.task)
        self.pretraining.setVisible(form.task == "pretrain")
        self.tuning.setVisible(form.task == "finetune")
        self.every.show_value(float(form.every))
        for entry, text in ((self.folder, form.folder), (self.text, form.text)):
            if entry.text() != text:
                entry.setText(text)
                if entry is self.text:  # of the folder the end tells, of the sentence its beginning
                    entry.setCursorPosition(0)

    @Slot()
    def _on_problem_changed(self) -> None:
        problem = self._training.problem
        self.problem.setText("" if problem is None else error_text(problem))
        self.problem.setVisible(problem is not None)
