"""`QuestionPrompt`: the form for what the files of a checkpoint leave open, shown when it is needed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow, QWidget

from bertviz_app.shell.window.problem_notice import ProblemNotice
from bertviz_app.viewmodels.runs.answering import Answering, PartsForm
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.bars.questions import AnswerForm
from bertviz_app.views.bars.top_bar import CompareBar, TopBar
from bertviz_app.views.dialogs.parts_dialog import PartsDialog
from bertviz_app.views.kit.look import Look


class QuestionPrompt(QObject):
    """Makes the form at the first use and places it under the picker of the run that it is about."""

    def __init__(
        self,
        window: QMainWindow,
        look: Look,
        forms: tuple[Answering, PartsForm],
        workspace: Workspace,
        bars: tuple[TopBar, CompareBar],
        notice: ProblemNotice,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._look = look
        self._answering, self._parts_form = forms
        self._workspace = workspace
        self._bar, self._compare = bars
        self._notice = notice
        self.form: AnswerForm | None = None
        self.parts: PartsDialog | None = None
        self._answering.changed.connect(self._on_changed)
        self._answering.remarked.connect(self._on_remarked)
        self._parts_form.changed.connect(self._on_parts_changed)

    def ask_again(self) -> None:
        """Ask about the checkpoint of run A, or go back to the form that is there."""
        if not self._answering.can_ask_again:
            self._notice.show_message(
                self.tr("This checkpoint's files say all that must be known: there is nothing to answer."),
                tone="warning",
            )
            return
        self._answering.ask_again()
        if self.form is not None:
            self.form.take_cursor()

    def ask_for_tokenizer(self) -> None:
        """Ask for the folder of another tokenizer for the checkpoint of run A."""
        self._answering.ask_for_tokenizer()
        if self.form is not None:
            self.form.take_cursor()

    def follow(self) -> None:
        """Stay under the picker when the window changes its size."""
        if self.form is not None and self.form.isVisible():
            self.form.follow()

    @Slot()
    def _on_changed(self) -> None:
        if self._answering.open_questions is None:
            self._end()
            return
        if self._answering.open_questions.names == ("parts",) and not self._parts_form.is_open:
            self._parts_form.open()
        if self._parts_form.is_open:
            return
        if self.form is None:
            self.form = AnswerForm(self._look, self._answering, self._window)
            self.form.questions.parts.asked.connect(self._parts_form.open)
        if not self.form.isVisible():
            self._notice.forget_remark()
            self.form.ask(self._field())
            if not self._workspace.is_busy and self._workspace.facts is not None:  # nobody is typing
                self.form.take_cursor()

    @Slot()
    def _on_parts_changed(self) -> None:
        if not self._parts_form.is_open:
            return
        if self.form is not None:
            self.form.hide()
        if self.parts is None:
            self.parts = PartsDialog(self._look, self._answering, self._parts_form, self._window)
        if not self.parts.isVisible():
            self._notice.forget_remark()
            self.parts.refresh()
            self.parts.show()

    def _end(self) -> None:
        """Return the focus to the text; without any checkpoint, show why and how to go on."""
        focused = self._window.focusWidget()
        if self.form is not None and focused is not None and self.form.isAncestorOf(focused):
            self._bar.text.setFocus()
        workspace = self._workspace
        if workspace.facts is None and workspace.opening.pending is None and self._answering.can_ask_again:
            words = self.tr("No checkpoint is open: this one leaves something open that must be answered.")
            self._notice.show_message(words, (self.tr("Answer …"), self.ask_again))

    def _field(self) -> QWidget:
        open_questions = self._answering.open_questions
        return (
            self._compare.models
            if open_questions is not None and open_questions.run == "B"
            else self._bar.models
        )

    @Slot(str)
    def _on_remarked(self, remark: str) -> None:
        self._notice.show_message(translated(remark), tone="warning")
