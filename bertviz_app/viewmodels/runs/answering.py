"""`Answering`: what a checkpoint's files leave open, from the question to the checked answer."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.checkpoint.questions import MOST_HEADS, Answers, AnswersError, Questions
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.types import Check
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

Verdict = Literal["open", "fine", "unusual", "no number", "out of range", "not shared"]
"""Of what is typed: "unusual" can be answered too, what follows cannot."""

EPSILONS = (1e-12, 1e-5, 1e-6)
"""Of BERT's own code, of PyTorch, and of the others."""
_SLOT = "answer"
_LARGEST_EPSILON = 1e-3  # beyond this a norm is no longer one
_NARROWEST, _WIDEST = 8, 256
_ALL = tuple(field.name for field in fields(Answers))


@dataclass(frozen=True)
class Asked:
    """What is asked about the checkpoint `ref` (None: the default one), for run "A" or run "B"."""

    ref: str | None
    questions: Questions
    names: tuple[str, ...]
    run: str = "A"


class Answering(QObject):
    """Asks when a checkpoint cannot be opened otherwise, or when the user wants to answer anew.

    `changed` tells that there is something else to show, or nothing; `remarked` what is to be known of
    where the answers are; `failed` a defect.
    """

    changed = Signal()
    remarked = Signal(str)
    failed = Signal(object)

    def __init__(self, engine: Engine, workspace: Workspace, comparison: Comparison, tasks: Tasks) -> None:
        super().__init__(workspace)
        self._engine = engine
        self._workspace = workspace
        self._comparison = comparison
        self._tasks = tasks
        self.asked: Asked | None = None
        self.heads = ""
        self.epsilon = ""
        self.lower_case: bool | None = None
        self.error: AppError | None = None
        self.progress: float | None = None
        self._remark = ""
        workspace.problem_changed.connect(self._on_problem_changed)
        workspace.facts_changed.connect(self._on_facts_changed)
        comparison.problem_changed.connect(self._on_other_problem_changed)
        tasks.busy_changed.connect(self._on_busy_changed)
        tasks.progressed.connect(self._on_progressed)

    @property
    def is_busy(self) -> bool:
        """Whether the checkpoint is being opened with the answers."""
        return self._tasks.is_busy(_SLOT)

    @property
    def can_ask_again(self) -> bool:
        """Whether there is something to answer about the checkpoint of run A, or the one that failed."""
        facts = self._workspace.facts
        if self.asked is not None or (facts is not None and facts.questions is not None):
            return True
        return facts is None and self._unanswered is not None

    @property
    def _unanswered(self) -> AnswersError | None:
        problem = self._workspace.problem
        return problem.error if problem is not None and isinstance(problem.error, AnswersError) else None

    @property
    def heads_verdict(self) -> Verdict:
        """What is wrong with the typed number of heads, if anything."""
        if not self.heads.strip():
            return "open"
        n_heads, n_shared = _whole(self.heads), 0 if self.asked is None else self.asked.questions.n_shared
        if n_heads is None:
            return "no number"
        if not 1 <= n_heads <= MOST_HEADS:
            return "out of range"
        if n_shared % n_heads:
            return "not shared"
        return "fine" if _NARROWEST <= n_shared // n_heads <= _WIDEST else "unusual"

    @property
    def epsilon_verdict(self) -> Verdict:
        """What is wrong with the typed epsilon, if anything."""
        if not self.epsilon.strip():
            return "open"
        epsilon = _number(self.epsilon)
        if epsilon is None:
            return "no number"
        if not 0 < epsilon < 1:
            return "out of range"
        return "fine" if epsilon <= _LARGEST_EPSILON else "unusual"

    @property
    def answers(self) -> Answers | None:
        """What is answered, None as long as something that is asked has no answer."""
        if self.asked is None:
            return None
        names, good = self.asked.names, ("fine", "unusual")
        if ("n_heads" in names and self.heads_verdict not in good) or (
            "norm_eps" in names and self.epsilon_verdict not in good
        ):
            return None
        if "lower_case" in names and self.lower_case is None:
            return None
        return Answers(
            _whole(self.heads) if "n_heads" in names else None,
            _number(self.epsilon) if "norm_eps" in names else None,
            self.lower_case if "lower_case" in names else None,
        )

    def set_heads(self, text: str) -> None:
        """Set the number of heads as typed."""
        self.heads = text
        self._typed()

    def set_epsilon(self, text: str) -> None:
        """Set the epsilon as typed."""
        self.epsilon = text
        self._typed()

    def set_lower_case(self, is_lower_case: bool) -> None:
        """Set whether text is lower-cased."""
        self.lower_case = is_lower_case
        self._typed()

    def _typed(self) -> None:
        self.error = None
        self.changed.emit()

    def ask_again(self) -> None:
        """Ask for everything about the checkpoint of run A, with what is in force filled in."""
        facts = self._workspace.facts
        if self.asked is not None:
            return
        if facts is None:
            self._on_problem_changed()
        elif facts.questions is not None:
            self._ask(self._workspace.ref, facts.questions, _names(facts.questions))

    def answer(self) -> None:
        """Open the checkpoint with what is answered; nothing happens while something is missing."""
        asked, answers = self.asked, self.answers
        if asked is None or answers is None or self.is_busy:
            return

        def work(check: Check, progress: FractionDone) -> str:
            def tell(done: int, total: int) -> None:
                progress(done / max(total, 1))

            return self._engine.answer(asked.ref, answers, tell, check)

        def done(remark: str) -> None:
            self._end()
            self._remark = remark
            if asked.run == "A":
                # The heads and the pieces that were edited may be no longer what they were.
                self._workspace.open_model(asked.ref, NO_EDITS)
            else:
                self._comparison.encode_again()
                self._tell_remark()

        self.error, self.progress = None, None
        self._tasks.start(_SLOT, work, done, self._on_failed)

    def cancel(self) -> None:
        """Leave it unanswered; what was shown before stays."""
        is_of_b = self.asked is not None and self.asked.run == "B"
        self._end()
        if is_of_b:
            self._comparison.take_back_ref()

    def _tell_remark(self) -> None:
        remark, self._remark = self._remark, ""
        if remark:
            self.remarked.emit(remark)

    def _ask(self, ref: str | None, questions: Questions, names: tuple[str, ...], run: str = "A") -> None:
        self._tasks.cancel(_SLOT)
        self.asked = Asked(ref, questions, names, run)
        now = questions.in_force
        self.heads = "" if now.n_heads is None else str(now.n_heads)
        self.epsilon = "" if now.norm_eps is None else as_typed(now.norm_eps)
        self.lower_case, self.error = now.lower_case, None
        self.changed.emit()

    def _end(self) -> None:
        if self.asked is not None:
            self.asked = self.error = self.progress = None
            self._tasks.cancel(_SLOT)
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
            self._ask(problem.ref, questions, questions.unanswered or _names(questions))

    @Slot()
    def _on_other_problem_changed(self) -> None:
        problem, other = self._comparison.problem, self._comparison.other
        if problem is not None and other is not None and isinstance(problem.error, AnswersError):
            questions = problem.error.questions
            self._ask(other.ref, questions, questions.unanswered or _names(questions), "B")
        elif self.asked is not None and self.asked.run == "B":
            self._end()

    @Slot()
    def _on_facts_changed(self) -> None:
        """Another checkpoint is there: what was asked before is of no matter."""
        if self.asked is not None and self.asked.run == "A":
            self._end()
        self._tell_remark()

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self.error = error
        else:
            self.failed.emit(error)
        self.changed.emit()

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        if slot == _SLOT and self.asked is not None:
            self.changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == _SLOT:
            self.progress = fraction
            self.changed.emit()


def as_typed(epsilon: float) -> str:
    """Return a small number as people write it: 1e-5, not 1e-05."""
    return f"{epsilon:.12g}".replace("e-0", "e-")


def _names(questions: Questions) -> tuple[str, ...]:
    """Return everything that can be answered."""
    return _ALL if questions.asks_case else tuple(name for name in _ALL if name != "lower_case")


def _whole(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
