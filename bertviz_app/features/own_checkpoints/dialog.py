"""The parts of a checkpoint while the user gives them, and the dialog with the table that asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFileDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from bertviz_app.checkpoint.question_table import QUESTIONS, saved_answers
from bertviz_app.checkpoint.questions import ROLES, Answers, AnswersError, FileModule
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import AppError, Check
from bertviz_app.features.own_checkpoints.check import OutputCase, PartsCheck, check_parts
from bertviz_app.inference.engine import Engine
from bertviz_app.values import replace
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.bars.questions import QuestionList
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_column, in_row, named, restyle

_SLOT = "parts"


class PartsForm(QObject):
    """The parts of the checkpoint that `answering` asks about, while it asks about its parts.

    `roles` has the part of each module, "" for none. `found` is what the last check found, None while the
    first one runs. `changed` is emitted at each change; `failed` with an unexpected error.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, engine: Engine, answering: Answering, tasks: Tasks) -> None:
        super().__init__(answering)
        self._engine = engine
        self._answering = answering
        self._tasks = tasks
        self.parts: tuple[FileModule, ...] = ()
        """Those that are asked about now; () while none are."""
        self.roles: dict[str, str] = {}
        self.case = OutputCase()
        self.found: PartsCheck | None = None
        self._checked: tuple[Answers, OutputCase] | None = None
        answering.changed.connect(self._on_asked)

    @property
    def is_checking(self) -> bool:
        return self._tasks.is_busy(_SLOT)

    def open(self) -> None:
        """Begin with the parts of the checkpoint that is asked about; nothing happens if it has none."""
        asked = self._answering.open_questions
        if asked is None or not asked.questions.parts:
            return
        self.parts = asked.questions.parts
        chosen = self._answering.typed.chosen.get("parts")
        known: Mapping[str, str] = chosen if isinstance(chosen, dict) else {}
        self.roles = {part.name: known.get(part.name, part.role) for part in self.parts}
        self.case, self.found, self._checked = OutputCase(), None, None
        self._answering.is_elsewhere = True
        self._take()

    def close(self) -> None:
        """Ask about the parts no more; what was chosen stays an answer."""
        self.parts, self.found, self._checked = (), None, None
        self._answering.is_elsewhere = False
        self._tasks.cancel(_SLOT)
        self.changed.emit()

    def choose(self, name: str, role: str) -> None:
        """Give the module `name` a part, one of ROLES, or none: ""."""
        if name in self.roles and (not role or role in ROLES) and self.roles[name] != role:
            self.roles[name] = role
            self._take()

    def set_output(self, path: Path | None) -> None:
        """Compare with the output saved at `path`; None: with none."""
        self.case = replace(self.case, path=path)
        self._check()

    def set_input(self, text: str) -> None:
        """Set what the output is of: ids with commas or spaces between them, or a text."""
        words = text.replace(",", " ").split()
        if words and all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
            self.case = replace(self.case, ids=tuple(map(int, words)))
        else:
            self.case = replace(self.case, ids=(), text=text.strip() or OutputCase().text)
        self._check()

    def _take(self) -> None:
        """Answer with the parts that are not certain, or are others than these."""
        certain = {part.name: part.role for part in self.parts if part.is_certain}
        chosen = {name: role for name, role in self.roles.items() if role and certain.get(name) != role}
        self._answering.typed.choose("parts", chosen)
        self.changed.emit()

    @Slot()
    def _on_asked(self) -> None:
        if self.parts and self._answering.open_questions is None:
            self.close()
        else:
            self._check()

    def _check(self) -> None:
        asked = self._answering.open_questions
        if asked is None or not self.parts:
            return
        answers, case, ref = self._answering.typed.so_far, self.case, asked.ref
        if self._checked == (answers, case):
            return
        self._checked = (answers, case)

        def work(check: Check, progress: FractionDone) -> PartsCheck:
            def checked(source: Source) -> PartsCheck:
                return check_parts(source, answers.over(saved_answers(source.folder)), case, check)

            return self._engine.with_source(ref, checked, check)

        self._tasks.start(_SLOT, work, self._on_found, self._on_failed)
        self.changed.emit()

    def _on_found(self, found: PartsCheck) -> None:
        self.found = found
        error = found.error
        if isinstance(error, AnswersError) and "n_heads" in error.questions.names:
            self._answering.ask_more(error.questions)
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self.found = PartsCheck(error)
        else:
            self.failed.emit(error)
        self.changed.emit()


_SIZE = (1080, 720)
_CLOSE = 1e-4  # the largest difference that rounding in float32 makes, of the largest number


class RoleBox(Guarded, QComboBox):
    """The parts to choose from; a turn of the wheel scrolls the table instead of choosing another."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class PartsDialog(Guarded, QDialog):
    """Shows the tensors with shapes and parts, the settings, and what a check found; it does not block."""

    def __init__(self, look: Look, answering: Answering, form: PartsForm, parent: QWidget) -> None:
        super().__init__(parent)
        self._answering = answering
        self._form = form
        self._shown: tuple[FileModule, ...] = ()
        labels = [QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText) for _ in range(4)]
        self.heading, self.help = named(labels[0], "title"), named(labels[1], "secondary")
        self.table = QTableWidget(0, 4)
        self.boxes: dict[str, RoleBox] = {}
        self.questions = QuestionList(answering)
        self.verdict, self.compared = (named(label, "verdict") for label in labels[2:])
        self.output = QPushButton(self.tr("Compare with an output …"))
        self.input = named(QLineEdit(), "answers")
        self.give_up, self.open_button = QPushButton(self.tr("Cancel")), QPushButton(self.tr("Open"))
        self.resize(*(look.pixels(side) for side in _SIZE))
        self._lay_out()
        self.output.clicked.connect(self._on_output_requested)
        self.input.editingFinished.connect(lambda: form.set_input(self.input.text()))
        self.give_up.clicked.connect(self.reject)
        self.open_button.clicked.connect(answering.answer)
        for part in (form, answering):
            part.changed.connect(self.refresh)
        self.setWindowTitle(self.tr("Which part is which?"))
        self.help.setText(
            self.tr(
                "Every tensor of the file has a place in the model. {0} stands for the number of a layer. "
                "What names and shapes decide is filled in; the rest is in the __init__ and forward of your "
                "code."
            ).format("{layer}")
        )
        self.table.setHorizontalHeaderLabels([self.tr("Tensors"), self.tr("Shape"), self.tr("Part"), ""])
        self.output.setToolTip(self.tr('A file that torch.save({"ids": ids, "output": model(ids)}) wrote'))
        self.input.setPlaceholderText(self.tr("Its ids or its text, where the file has no ids"))
        self.refresh()

    def _lay_out(self) -> None:
        table = self.table
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names differ at their ends
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        both = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=12)
        for number, (part, stretch) in enumerate(((table, 3), (self.questions, 2))):
            both.addWidget(part)
            both.setStretchFactor(number, stretch)
        both.setSizes([3 * self.width() // 5, 2 * self.width() // 5])
        in_column(
            self.heading,
            self.help,
            (both, 1),
            in_row(self.output, (self.input, 1)),
            self.compared,
            in_row((self.verdict, 1), self.give_up, self.open_button),
            of=self,
            margins=(16, 12, 16, 12),
            spacing=10,
        )

    @Slot()
    def refresh(self) -> None:
        """Show the parts, the settings, and what the check found; hide when nothing is asked."""
        form, asked = self._form, self._answering.open_questions
        if not form.parts or asked is None:
            self.hide()
            return
        if form.parts != self._shown:
            self._fill()
        for row, part in enumerate(form.parts):
            role = self._form.roles[part.name]
            if not role:
                words = self.tr("not known")
            elif role != part.role:
                words = self.tr("chosen")
            else:
                words = "" if part.is_certain else self.tr("a guess")
            item = self.table.item(row, 3)
            if item is not None:
                item.setText(words)
        name = "" if asked.ref is None else Path(asked.ref).name
        self.heading.setText(self.tr("Which part of the model is each tensor of {0}?").format(name))
        others = [name for name in asked.names if name != "parts"]
        self.questions.show_questions(others)
        self.questions.setVisible(bool(others))  # the table takes its room
        self._show_found()

    def _fill(self) -> None:
        form = self._form
        self._shown = form.parts
        self.boxes = {}
        self.table.setRowCount(len(form.parts))
        for row, part in enumerate(form.parts):
            shapes = ", ".join(" × ".join(map(str, shape)) for shape in part.shapes)
            for column, text in enumerate((part.name, shapes)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(row, column, item)
            box = RoleBox()
            box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            box.setAccessibleName(self.tr("Part of {0}").format(part.name))
            box.addItem(self.tr("choose …"), "")
            for key, role in ROLES.items():
                box.addItem(translated(role.words), key)
            box.setCurrentIndex(box.findData(form.roles[part.name]))
            box.activated.connect(
                lambda _=0, name=part.name, box=box: form.choose(name, str(box.currentData()))
            )
            self.boxes[part.name] = box
            self.table.setCellWidget(row, 2, box)
            self.table.setItem(row, 3, QTableWidgetItem())
        self.table.resizeRowsToContents()

    def _show_found(self) -> None:
        form, found = self._form, self._form.found
        n_open = sum(not role for role in form.roles.values())
        words, tone = self.tr("checking …"), ""
        if self._answering.error is not None:
            words, tone = error_text(self._answering.error), "error"
        elif n_open:
            words = self.tr("{0} of {1} rows have no part yet.").format(n_open, len(form.parts))
        elif found is not None and not form.is_checking:
            unanswered = found.error.questions.unanswered if isinstance(found.error, AnswersError) else ()
            if unanswered:
                titles = ", ".join(translated(QUESTIONS[name].title) for name in unanswered)
                words = self.tr("Still to be answered: {0}").format(titles)
            elif found.error is None:
                words = self.tr("Every tensor has a place, and a sentence gives finite numbers.")
            else:
                words, tone = error_text(found.error), "error"
        self._say(self.verdict, words, tone)
        opens = found is not None and not isinstance(found.error, AnswersError) and not n_open
        self.open_button.setEnabled(opens and self._answering.typed.answers is not None)
        path, words, tone = form.case.path, "", ""
        if found is not None and found.largest is not None and not form.is_checking:
            is_close = found.largest <= _CLOSE * max(1.0, found.size)
            kind = (
                self.tr("The same as {0}, but for rounding: the largest difference is {1}, at token {2}.")
                if is_close
                else self.tr("Not the numbers of {0}: the largest difference is {1}, at token {2}.")
            )
            name = "" if path is None else path.name
            words, tone = kind.format(name, f"{found.largest:.2g}", found.token), "" if is_close else "error"
        self._say(self.compared, words, tone)
        self.compared.setVisible(bool(words))

    def _say(self, label: QLabel, words: str, tone: str) -> None:
        label.setText(words)
        if label.property("tone") != tone:
            label.setProperty("tone", tone)
            restyle(label)

    @Slot()
    def _on_output_requested(self) -> None:
        kinds = self.tr("Outputs (*.pt *.pth *.bin);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, self.tr("An output of the model's own code"), "", kinds)
        if name:
            self._form.set_output(Path(name))

    def reject(self) -> None:
        """Leave it unanswered."""
        self._answering.cancel()
        super().reject()
