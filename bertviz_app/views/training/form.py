"""The form of a training: its task, what that takes, its folder, and the sentence to watch."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.training.training import TASKS, Training
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.style import named
from bertviz_app.views.training.finetuning_form import TuningFields
from bertviz_app.views.training.pretraining_form import PretrainingFields
from bertviz_app.views.training.rows import count_field, row_of


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
        self.start = named(QPushButton(), "primary")
        self.foot = named(QWidget(), "clear")
        """What is wrong, and the button that starts the training: in sight also where the form scrolls."""
        self._lay_out()
        self._connect()
        self.retranslate()
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

    def retranslate(self) -> None:
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
        self.start.setText(self.tr("Start the training"))
        self.pretraining.retranslate()
        self.tuning.retranslate()
        self._on_problem_changed()

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
