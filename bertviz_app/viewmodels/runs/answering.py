"""The questions about a checkpoint, and what the user answered."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.checkpoint.question_table import QUESTIONS, TypedVerdict, as_typed
from bertviz_app.checkpoint.questions import (
    Answers,
    AnswersError,
    Questions,
    Value,
    answered,
)
from bertviz_app.errors import AppError, Check
from bertviz_app.inference.engine import Engine
from bertviz_app.options import Run
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace


class TypedAnswers(QObject):
    """The fields of the form as they are typed, and what was chosen. `changed` is emitted at each change.

    `texts` has what is typed, `chosen` the other answers, both by the names of their questions.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.texts: dict[str, str] = {}
        self.chosen: dict[str, Value] = {}
        self._names: tuple[str, ...] = ()
        self._asked = Questions()

    def begin(self, asked: Questions, names: tuple[str, ...]) -> None:
        """Begin with the answers in force; `names` are the fields of `Answers` that are requested."""
        self.texts, self.chosen = {}, {}
        self.widen(asked, names)
        self.changed.emit()

    def widen(self, asked: Questions, names: tuple[str, ...]) -> None:
        """Take other questions; what is typed stays, and what is in force fills the rest."""
        self._names, self._asked = names, asked
        given = cast("dict[str, Value]", asked.in_force.given())
        typed = {name: as_typed(value) for name, value in given.items() if QUESTIONS[name].is_typed}
        self.texts = typed | {name: text for name, text in self.texts.items() if text}
        self.chosen = {name: value for name, value in given.items() if name not in typed} | self.chosen

    def end(self) -> None:
        """Nothing is requested any more."""
        self._names = ()

    def write(self, name: str, text: str) -> None:
        """Set the text in the field of the question `name`."""
        self.texts[name] = text
        self.changed.emit()

    def choose(self, name: str, value: Value | None) -> None:
        """Set the answer to the question `name`, None for no answer."""
        self.chosen.pop(name, None)
        if value is not None:
            self.chosen[name] = value
        self.changed.emit()

    def verdict(self, name: str) -> TypedVerdict:
        """Return what is known of the text in the field of the question `name`."""
        return (
            QUESTIONS[name].judged(self.texts[name], self._asked)
            if name in self.texts
            else TypedVerdict("open")
        )

    @property
    def answers(self) -> Answers | None:
        """The answers, None as long as a question has none, or one that cannot be used."""
        given = self.so_far.given()
        lacks = any(name not in given and name not in self._asked.optional for name in self._names)
        if not self._names or lacks or any(self.verdict(name).kind == "wrong" for name in self._names):
            return None
        return Answers(**given)

    @property
    def so_far(self) -> Answers:
        """What is answered of the questions, without the answers that cannot be used."""
        given = {name: self.chosen.get(name, self.verdict(name).value) for name in self._names}
        return Answers(**answered(given))


_SLOT = "answer"


@dataclass(frozen=True)
class OpenQuestions:
    """The open questions about the checkpoint `ref` (None: the default one), for run "A" or run "B"."""

    ref: str | None
    questions: Questions
    names: tuple[str, ...]
    run: Run = "A"


class Answering(QObject):
    """Asks when a checkpoint cannot be opened otherwise, or when the user wants to answer anew.

    `changed` is emitted when the questions to show are others, or there are none any more; `remarked` with
    a sentence about where the answers are saved; `parts_requested` where the parts of the model are to be
    given. While `is_elsewhere` something else than the form asks for them.
    """

    changed = Signal()
    remarked = Signal(str)
    parts_requested = Signal()

    def __init__(self, engine: Engine, workspace: Workspace, comparison: Comparison, tasks: Tasks) -> None:
        super().__init__(workspace)
        self._engine, self._workspace, self._comparison, self._tasks = engine, workspace, comparison, tasks
        self.open_questions: OpenQuestions | None = None
        self.is_elsewhere = False
        self.typed = TypedAnswers(self)
        self.error: AppError | None = None
        self.progress: float | None = None
        self._remark = ""
        self.typed.changed.connect(self._on_typed)
        workspace.problem_changed.connect(self._on_problem_changed)
        workspace.facts_changed.connect(self._on_facts_changed)
        comparison.problem_changed.connect(self._on_other_problem_changed)
        tasks.progressed.connect(self._on_progressed)

    @property
    def is_busy(self) -> bool:
        """Whether the checkpoint is being opened with the answers."""
        return self._tasks.is_busy(_SLOT)

    @property
    def can_ask_again(self) -> bool:
        """Whether there is something to answer about the checkpoint of run A, or the one that failed."""
        facts = self._workspace.facts
        if self.open_questions is not None or (facts is not None and facts.questions is not None):
            return True
        return facts is None and self._unanswered is not None

    @property
    def _unanswered(self) -> AnswersError | None:
        problem = self._workspace.problem
        return problem.error if problem is not None and isinstance(problem.error, AnswersError) else None

    def ask_again(self) -> None:
        """Ask for everything about the checkpoint of run A, with what is in force filled in."""
        facts = self._workspace.facts
        if self.open_questions is not None:
            return
        if facts is None:
            self._on_problem_changed()
        elif facts.questions is not None:
            self._ask(self._workspace.ref, facts.questions, facts.questions.names)

    def ask_for_tokenizer(self) -> None:
        """Ask for the folder of another tokenizer for the checkpoint of run A."""
        facts = self._workspace.facts
        if facts is None or self.open_questions is not None:
            return
        now = Answers() if facts.questions is None else facts.questions.in_force
        self._ask(self._workspace.ref, Questions(in_force=now, names=("tokenizer",)), ("tokenizer",))

    def answer(self) -> None:
        """Open the checkpoint with what is answered; nothing happens while something is missing."""
        open_questions, answers = self.open_questions, self.typed.answers
        if open_questions is None or answers is None or self.is_busy:
            return

        def work(check: Check, progress: FractionDone) -> str:
            def report(done: int, total: int) -> None:
                progress(done / max(total, 1))

            return self._engine.answer(open_questions.ref, answers, report, check)

        def done(remark: str) -> None:
            self._end()
            self._remark = remark
            if open_questions.run == "A":
                # The heads and the pieces that were edited may be no longer what they were.
                self._workspace.open_model(open_questions.ref, NO_EDITS)
            else:
                self._comparison.encode_again()
                self._show_remark()

        self.error, self.progress = None, None
        self._tasks.start(_SLOT, work, done, self._on_failed)
        self.changed.emit()

    def ask_more(self, questions: Questions) -> None:
        """Ask the questions that what was answered opens; what is typed stays."""
        asked = self.open_questions
        if asked is None:
            return
        names = tuple(dict.fromkeys((*questions.names, "parts")))
        if (asked.names, asked.questions.choices) != (names, questions.choices):
            self.open_questions = OpenQuestions(asked.ref, questions, names, asked.run)
            self.typed.widen(questions, names)
            self.typed.changed.emit()

    def cancel(self) -> None:
        """Leave it unanswered; what was shown before stays."""
        is_of_b = self.open_questions is not None and self.open_questions.run == "B"
        self._end()
        if is_of_b:
            self._comparison.take_back_ref()

    def _show_remark(self) -> None:
        remark, self._remark = self._remark, ""
        if remark:
            self.remarked.emit(remark)

    def _ask(self, ref: str | None, questions: Questions, names: tuple[str, ...], run: Run = "A") -> None:
        self._tasks.cancel(_SLOT)
        self.open_questions = OpenQuestions(ref, questions, names, run)
        self.typed.begin(questions, names)

    def _end(self) -> None:
        if self.open_questions is not None:
            self.open_questions = self.error = self.progress = None
            self.typed.end()
            self._tasks.cancel(_SLOT)
            self.changed.emit()

    @Slot()
    def _on_typed(self) -> None:
        self.error = None
        self.changed.emit()

    @Slot()
    def _on_problem_changed(self) -> None:
        problem, unanswered = self._workspace.problem, self._unanswered
        if problem is None or not problem.is_of_opening:
            return
        if unanswered is None:
            self._end()
        else:
            questions = unanswered.questions
            self._ask(problem.ref, questions, questions.to_ask)

    @Slot()
    def _on_other_problem_changed(self) -> None:
        problem, other = self._comparison.problem, self._comparison.other
        if problem is not None and other is not None and isinstance(problem.error, AnswersError):
            questions = problem.error.questions
            self._ask(other.ref, questions, questions.to_ask, "B")
        elif self.open_questions is not None and self.open_questions.run == "B":
            self._end()

    @Slot()
    def _on_facts_changed(self) -> None:
        """Drop the open questions: another checkpoint has been opened."""
        if self.open_questions is not None and self.open_questions.run == "A":
            self._end()
        self._show_remark()

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self.error = error
        else:
            self._workspace.failed.emit(error)
        self.changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == _SLOT:
            self.progress = fraction
            self.changed.emit()
