"""The forms of a pre-training and a fine-tuning, and the dialogs that ask for their paths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QFileDialog, QFormLayout, QLabel, QMenu, QPushButton, QWidget

from bertviz_app.features.training.process.job import step_of
from bertviz_app.features.training.state import TABLE_FIELDS, TableLook, Training, free_folder, with_files
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.fields import Fields, TableQuestion
from bertviz_app.views.kit.look import Gap, form, in_column, in_row, named
from bertviz_app.views.kit.widgets import SignButton, empty, set_shown
from bertviz_app.views.kit.words import add_choice


class BaseLine(QWidget):
    """Shows the base of the form of `training`; `choose` is its button."""

    def __init__(self, training: Training) -> None:
        super().__init__()
        self._training = training
        self._label = named(QLabel(self.tr("Starts from the checkpoint")), "secondary")
        self.base = named(QLabel(wordWrap=True), "value")
        words = self.tr("Choose …")
        self.choose = named(QPushButton(words), "small", title=f"{words} {self._label.text()}")
        below = in_row((self.base, 1), (self.choose, 0, Qt.AlignmentFlag.AlignTop))
        in_column(self._label, below, of=self, margins=0)
        training.form_changed.connect(self.show_form)
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


def _label(text: str, *, wraps: bool = False) -> QLabel:
    return named(QLabel(text, wordWrap=wraps), "secondary")


class LookView(QWidget):
    """Shows how the tables of `training` are read, or the question how, with the first rows of one.

    `fields` are the fields of the form that are asked about.
    """

    def __init__(self, training: Training, fields: Sequence[str]) -> None:
        super().__init__()
        self._training = training
        self.reading = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "secondary")
        self.unclear = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "problem")
        self.details = named(QPushButton(self.tr("First rows and columns …")), "link")
        self.details.setCheckable(True)
        self.question = TableQuestion(fields)
        in_column(self.unclear, self.reading, self.details, self.question, of=self, margins=0, spacing=8)
        self.details.toggled.connect(self.show_look)
        self.question.answered.connect(lambda values: training.change(**values))
        training.look_changed.connect(self.show_look)
        self.show_look()

    @Slot()
    def show_look(self) -> None:
        look = self._training.look or TableLook(None, {})
        error = "" if look.error is None else error_text(look.error)
        set_shown(self, look.preview is not None or bool(error))
        for label, words in ((self.unclear, error), (self.reading, "\n".join(map(translated, look.notices)))):
            label.setText(words)
            label.setVisible(bool(words))
        self.details.setVisible(look.preview is not None and not look.is_asking)
        is_open = self.details.isVisibleTo(self) and self.details.isChecked()
        self.question.setVisible(look.is_asking or is_open)
        if look.preview is not None:
            form = self._training.form
            others = {"separator": form.separator, "encoding": form.encoding, "target": form.target}
            self.question.show_table(look.preview, {**look.columns, **others})


_MOST_EPOCHS = 1_000
_UNIT = 1e-5  # of rates: a field of them in full would be noughts
_TOP = 1_000


class TuningFields(QWidget):
    """Shows those fields of the form of `training` and changes them."""

    def __init__(self, training: Training) -> None:
        super().__init__()
        self._training = training
        self.fields = fields = Fields(training.change)
        self.base = BaseLine(training)
        self._drop = _label(
            self.tr(
                "TSV, CSV, JSON, Parquet or Excel: a label and a text, or two texts, in each row; "
                "CoNLL or KLUE-NER: a label for each word or character"
            ),
            wraps=True,
        )
        self.look = LookView(training, TABLE_FIELDS)
        self.files = {
            "rows": self._file("rows", self.tr("Training data"), self.tr("none yet; drop a file here")),
            "test": self._file("test", self.tr("Evaluation data"), self.tr("a tenth of the data, held out")),
        }
        words = self.tr("Highest learning rate")
        rate = fields.number("rate", _TOP, unit=_UNIT, is_whole=False)
        rate.setAccessibleName(f"{words} × 10⁻⁵")
        epochs = fields.number("epochs", _MOST_EPOCHS, self.tr("Number of passes over the training data"))
        numbers = form(
            (self.tr("Epochs"), in_row(epochs, 1)),
            (words, in_row(rate, _label("× 10⁻⁵"), 1, spacing=8)),
            spacing=(8, 8),
            labels="secondary",
        )
        freezes = fields.check(
            "freezes",
            self.tr("Freeze the encoder"),
            self.tr("Only the pooler and the classifier are trained; every head stays unchanged"),
        )
        rows, test = self.files.values()
        above = self.base, rows.label, rows, self._drop, self.look, test.label, test
        in_column(*above, numbers, freezes, of=self, margins=0, spacing=8)
        training.form_changed.connect(self.show_form)
        training.look_changed.connect(self.show_hint)
        self.show_form()
        self.show_hint()

    def _file(self, name: str, words: str, none: str) -> _FileLine:
        line = _FileLine(words, none, self.tr("Choose …"), self.tr("Leave out: {0}").format(words))
        self.fields.bind(name, line, line.remove.clicked, line.show_file, lambda *_: "")
        return line

    @Slot()
    def show_hint(self) -> None:
        """Show where to drop a file until one is looked at."""
        self._drop.setVisible(self._training.look is None)

    @Slot()
    def show_form(self) -> None:
        self.fields.show(self._training.form)


class _FileLine(QWidget):
    """One file, or what stands for none, with buttons to choose it and to leave it out."""

    def __init__(self, words: str, none: str, choose: str, leave_out: str) -> None:
        super().__init__()
        self._none = none
        self.label, self.name = _label(words), Elided("")
        self.choose = named(QPushButton(choose), "small", title=f"{choose} {words}")
        self.remove = named(SignButton("✕"), "corner", leave_out)
        in_row((self.name, 1), self.remove, self.choose, of=self, margins=0)

    def show_file(self, path: str) -> None:
        """Show the name of the file at `path`, or what stands for none for ""."""
        self.name.setText(Path(path).name if path else self._none)
        self.name.setToolTip(path)
        self.remove.setVisible(bool(path))


class PretrainingFields(QWidget):
    """Shows those fields of the form of `training` and changes them."""

    def __init__(self, training: Training) -> None:
        super().__init__()
        self._training = training
        self.fields = fields = Fields(training.change)
        self.files = _Files(training)
        self.look = LookView(training, ("column",))
        self.add_files = QPushButton(self.tr("Add files …"))
        further = fields.check(
            "begins_at_base",
            self.tr("Train a checkpoint further"),
            self.tr("Start from the weights and the vocabulary of a checkpoint instead of random weights"),
        )
        self.base = BaseLine(training)
        size = _label(self.tr("Size of the model"))
        bundled = self.tr("As large as the bundled model: takes hours")
        sizes = {
            "small": (self.tr("Small"), self.tr("First patterns within two minutes")),
            "bundled": (self.tr("Like the bundled model"), bundled),
            "own": (self.tr("Own"), self.tr("Choose the sizes yourself")),
        }
        chosen_size = fields.segments("size", sizes)
        self._sizes = _label("", wraps=True)
        own, columns = QWidget(), []
        for numbers in (
            (("n_layers", self.tr("Layers"), 48), ("width", self.tr("Width"), 4096)),
            (("n_heads", self.tr("Heads"), 64), ("vocabulary_size", self.tr("Pieces"), 200_000)),
        ):
            rows = ((words, fields.number(name, top)) for name, words, top in numbers)
            columns.append(form(*rows, spacing=(6, 6), labels="secondary"))
        in_row(*columns, of=own, margins=0)
        ends = {"minutes": self.tr("minutes"), "steps": self.tr("steps")}
        end = fields.number("amount", 1e6, is_whole=False), fields.segments("end", ends), 1
        fields.show_if(lambda form: form.begins_at_base, self.base)
        fields.show_if(lambda form: not form.begins_at_base, size, chosen_size)
        fields.show_if(lambda form: form.size == "own" and not form.begins_at_base, own)
        in_column(
            _label(self.tr("Training text")),
            self.files,
            self.look,
            in_row(self.add_files, _label(self.tr("or drop them here")), 1, spacing=8),
            Gap(4),
            further,
            self.base,
            size,
            in_row(chosen_size, 1),
            self._sizes,
            own,
            Gap(4),
            form((self.tr("Ends after"), in_row(*end, spacing=8)), spacing=(8, 8), labels="secondary"),
            of=self,
            margins=0,
            spacing=8,
        )
        training.form_changed.connect(self.show_form)
        self.show_form()

    @Slot()
    def show_form(self) -> None:
        shown = self._training.form
        self.fields.show(shown)
        self.files.show_files()
        preset = shown.preset
        if shown.begins_at_base:
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
        self._column = in_column(of=self, margins=0, spacing=2)

    def show_files(self) -> None:
        files = self._training.form.files
        if files == self._shown:
            return
        self._shown = files
        empty(self._column)
        for name in files:
            line, label = QWidget(), Elided(Path(name).name)
            label.setToolTip(name)
            remove = named(SignButton("✕"), "corner", self.tr("Leave out {0}").format(Path(name).name))
            others = tuple(other for other in files if other != name)
            remove.clicked.connect(lambda _=False, others=others: self._training.change(files=others))
            in_row((label, 1), remove, of=line, margins=0)
            self._column.addWidget(line)
        set_shown(self, bool(files))


class TrainingFormView(QWidget):
    """Shows the form of `training` and changes it; nothing of it is lost when a training cannot begin.

    `files_requested` names the field of the form that is to be chosen: files, rows, test or base.
    """

    files_requested = Signal(str)

    def __init__(self, training: Training) -> None:
        super().__init__()
        named(self, "clear")
        self._training = training
        self.fields = fields = Fields(training.change)
        tasks = {
            "pretrain": (self.tr("Pre-train on texts"), self.tr("A new model, trained from scratch")),
            "finetune": (
                self.tr("Fine-tune on labelled data"),
                self.tr("A classifier that starts from the checkpoint of run A"),
            ),
        }
        self.pretraining, self.tuning = PretrainingFields(training), TuningFields(training)
        fields.show_if(lambda form: form.task == "pretrain", self.pretraining)
        fields.show_if(lambda form: form.task == "finetune", self.tuning)
        self.choose_folder = named(QPushButton("…"), "", self.tr("Choose the folder"))
        self.text = fields.line("text", pair=None)
        self.problem = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "problem")
        self.start = named(QPushButton(self.tr("Start the training")), "primary")
        self.foot = named(QWidget(), "clear")
        """What is wrong, and the button that starts the training: in sight also where the form scrolls."""
        every = fields.number("every", 1e6)
        before, after = self.tr("Redraw the heads every"), self.tr("steps")
        every.setAccessibleName(f"{before} … {after}")
        folder = in_row((fields.line("folder"), 1), self.choose_folder, spacing=8)
        rows = form(
            (self.tr("Folder of the model"), folder),
            (self.tr("Sentence to watch during training"), self.text),
            spacing=(8, 8),
            labels="secondary",
        )
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        in_column(
            in_row(fields.segments("task", tasks), 1),
            Gap(4),
            self.pretraining,
            self.tuning,
            Gap(4),
            rows,
            in_row(_label(before), every, _label(after), 1, spacing=8),
            of=self,
            margins=(14, 12, 14, 4),
            spacing=8,
        )
        in_column(self.problem, self.start, of=self.foot, margins=(14, 8, 14, 12), spacing=8)
        for name, button in (
            ("files", self.pretraining.add_files),
            ("base", self.pretraining.base.choose),
            ("base", self.tuning.base.choose),
            *((name, line.choose) for name, line in self.tuning.files.items()),
        ):
            button.clicked.connect(lambda _=False, name=name: self.files_requested.emit(name))
        self.start.clicked.connect(training.start)
        self.text.returnPressed.connect(training.start)
        training.form_changed.connect(self._on_form_changed)
        training.problem_changed.connect(self._on_problem_changed)
        self._on_form_changed()
        self._on_problem_changed()

    @property
    def first(self) -> QWidget:
        """Where the files of the task are chosen."""
        is_tuning = self._training.form.task == "finetune"
        return self.tuning.files["rows"].choose if is_tuning else self.pretraining.add_files

    @Slot()
    def _on_form_changed(self) -> None:
        before = self.text.text()
        self.fields.show(self._training.form)
        if self.text.text() != before:  # of the folder the end tells, of the sentence its beginning
            self.text.setCursorPosition(0)

    @Slot()
    def _on_problem_changed(self) -> None:
        problem = self._training.problem
        self.problem.setText("" if problem is None else error_text(problem))
        self.problem.setVisible(problem is not None)


class FormDialogs(QObject):
    """Asks for paths over `page`, and writes them into the form of `training`.

    It keeps the form on the checkpoint of run A until the user chooses one.
    """

    def __init__(self, page: QWidget, training: Training, workspace: Workspace) -> None:
        super().__init__(page)
        self._page = page
        self._training = training
        self._workspace = workspace
        workspace.facts_changed.connect(self._follow)
        self._follow()

    @Slot(str)
    def ask_for_files(self, field: str) -> None:
        """Let the user choose the files of the field of this name, or the checkpoint of the base."""
        form = self._training.form
        if field == "base":
            self.menu().popup(QCursor.pos())
        elif field == "files":
            folder = str(Path(form.files[-1]).parent) if form.files else ""
            kinds = self.tr("Texts") + " (*.txt *.text *.md *.parquet *.xlsx *.xz *.gz)"
            names, _ = QFileDialog.getOpenFileNames(self._page, self.tr("Training text"), folder, kinds)
            self._training.change(files=with_files(form, names).files)
        else:
            titles = {"rows": self.tr("Training data"), "test": self.tr("Evaluation data")}
            folder = str(Path(form.rows).parent) if form.rows else ""
            kinds = (
                self.tr("Rows") + " (*.tsv *.csv *.txt *.json *.jsonl *.conllu *.parquet *.xlsx *.xz *.gz)"
            )
            name, _ = QFileDialog.getOpenFileName(self._page, titles[field], folder, kinds)
            if name:
                self._training.change(**{field: name})

    @Slot()
    def ask_for_folder(self) -> None:
        """Let the user choose where the model is saved: the folder itself if it is empty, else one in it."""
        title = self.tr("Folder of the model")
        name = QFileDialog.getExistingDirectory(
            self._page, title, str(Path(self._training.form.folder).parent)
        )
        if name:
            folder = Path(name)
            try:
                is_free = not any(folder.iterdir())
            except OSError:  # the start of the training says what is wrong with it
                is_free = True
            self._training.change(folder=str(folder if is_free else free_folder(folder)))

    def menu(self) -> QMenu:
        """Return the menu of what a training can start from."""
        menu, form = QMenu(self._page), self._training.form
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        words = QCoreApplication.translate("BaseChoice", "The checkpoint of run A")
        add_choice(menu, words, self._on_run_a_chosen, is_chosen=form.follows_run_a)
        menu.addSeparator()
        for source in self._workspace.available.sources:
            is_base = not form.follows_run_a and form.base == source.ref
            chosen = {"base": source.ref, "base_name": source.name, "follows_run_a": False}
            action = add_choice(
                menu, source.name, partial(self._training.change, **chosen), is_chosen=is_base
            )
            action.setToolTip(source.ref)
            action.setEnabled(source.problem is None)
        return menu

    @Slot()
    def _on_run_a_chosen(self) -> None:
        self._training.change(follows_run_a=True)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        workspace, follows = self._workspace, self._training.form.follows_run_a
        if follows and workspace.opening.pending is None and workspace.facts is not None:
            self._training.change(base=workspace.ref, base_name=workspace.facts.name)
