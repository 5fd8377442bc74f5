"""The parts of a checkpoint while the user gives them, and what a check of them found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.checkpoint.question_table import saved_answers
from bertviz_app.checkpoint.questions import ROLES, Answers, AnswersError, FileModule
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import AppError, Check
from bertviz_app.features.own_checkpoints.check import OutputCase, PartsCheck, check_parts
from bertviz_app.inference.engine import Engine
from bertviz_app.values import replace
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.runs.answering import Answering

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
        self.roles: dict[str, str] = {}
        self.case = OutputCase()
        self.found: PartsCheck | None = None
        self._checked: tuple[Answers, OutputCase] | None = None
        answering.changed.connect(self._on_asked)

    @property
    def is_open(self) -> bool:
        """Whether the parts are asked about."""
        return bool(self.parts)

    @property
    def is_checking(self) -> bool:
        return self._tasks.is_busy(_SLOT)

    @property
    def n_open(self) -> int:
        """How many modules have no part yet."""
        return sum(not role for role in self.roles.values())

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
        if self.is_open and self._answering.open_questions is None:
            self.close()
        else:
            self._check()

    def _check(self) -> None:
        asked = self._answering.open_questions
        if asked is None or not self.is_open:
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
