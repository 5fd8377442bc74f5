"""`ProblemNotice`: a sentence under the bars about what cannot be used, with a way to solve it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot

from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.text.tokens import is_unreadable
from bertviz_app.viewmodels.runs.shown import Problem
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.bars.top_bar import TopBar
from bertviz_app.views.kit.widgets import Notice, NoticeArea


class ProblemNotice(Notice):
    """Shows the workspace's problem, with a button where one click puts it right."""

    def __init__(self, area: NoticeArea, bar: TopBar, workspace: Workspace) -> None:
        super().__init__(area)
        self._bar = bar
        self._workspace = workspace
        workspace.problem_changed.connect(self._on_problem_changed)
        bar.texts_edited.connect(self.forget_remark)

    @Slot()
    def forget_remark(self) -> None:
        """Hide a remark about a file once the user goes on; a problem stays until it is solved."""
        if self._workspace.problem is None:
            self.dismiss()

    def retranslate(self) -> None:
        """Show what is still wrong in the language in force."""
        super().retranslate()
        if not self.isHidden() and self._workspace.problem is not None:
            self._on_problem_changed()

    @Slot()
    def _on_problem_changed(self) -> None:
        problem = self._workspace.problem
        self._bar.text.set_problem(problem is not None and problem.field == "text")
        self._bar.pair.set_problem(problem is not None and problem.field == "pair")
        if problem is None or isinstance(problem.error, AnswersError):  # the form asks
            self.dismiss()
        else:
            self.show_message(error_text(problem.error), self._way_out(problem))

    def _way_out(self, problem: Problem) -> tuple[str, Callable[[], None]] | None:
        workspace = self._workspace
        if problem.field == "device":
            return self.tr("Use the CPU"), lambda: workspace.set_device("cpu")
        if problem.field == "model":
            return self.tr("Choose another"), self._bar.models.showMenu
        texts = (workspace.text, workspace.pair or "")
        cleaned = ["".join(c for c in text if c != "\0" and not is_unreadable(c)) for text in texts]
        if cleaned == [*texts]:
            return None

        def clean() -> None:
            workspace.set_texts(cleaned[0], cleaned[1] or None, at_once=True)

        return self.tr("Take them out"), clean
