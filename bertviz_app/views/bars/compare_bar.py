"""`CompareBar`: the row of run B under the bar: its checkpoint, texts and edits where they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.shown import OtherRun, Shown
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.wording import all_translated, error_text, translated
from bertviz_app.views.bars.other_model_picker import OtherModelPicker, model_name
from bertviz_app.views.bars.prompt_button import PromptButton
from bertviz_app.views.bars.remarks_button import RemarksButton
from bertviz_app.views.bars.text_remark import text_remark
from bertviz_app.views.bars.top_bar import SentenceField
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.notice import Notice, notice_area
from bertviz_app.views.kit.style import named
from bertviz_app.views.tokens.badges import Badges

_NOTHING = OtherRun()


class PromptedField(SentenceField):
    """Sentence 1 of run B; `prompts` is the button beside it that writes a prompt of the checkpoint."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "1", "accent")
        self.prompts = PromptButton(self)


class CompareBar(QWidget):
    """Shown while run A is compared with a run B; everything left empty is as in A."""

    def __init__(
        self,
        look: Look,
        comparison: Comparison,
        workspace: Workspace,
        recent_models: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        super().__init__()
        self.setObjectName("compare")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._comparison = comparison
        self._workspace = workspace
        self._notice: Notice | None = None
        self.name = named(QLabel(), "run_b")
        self.models = OtherModelPicker(look, comparison, workspace, recent_models)
        self.text = PromptedField(look)
        self.pair = SentenceField(look, "2", "sentence_b")
        self.badges = Badges(QBoxLayout.Direction.LeftToRight, most=3)
        self.state = named(QLabel(), "secondary")
        self.swap = QPushButton("⇅")
        self.remarks = RemarksButton(look)
        self.remarks.set_brief(True)
        self.close_button = named(QPushButton("✕"), "plain")
        self._lay_out()
        self._connect()
        self.retranslate()
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 10, 7)
        row.setSpacing(8)
        for widget, stretch in (
            (self.name, 0),
            (self.models, 0),
            (self.remarks, 0),
            (self.text.prompts, 0),
            (self.text, 3),
            (self.pair, 2),
            (self.badges, 0),
            (self.state, 0),
            (self.swap, 0),
            (self.close_button, 0),
        ):
            row.addWidget(widget, stretch)

    def _connect(self) -> None:
        comparison, workspace = self._comparison, self._workspace
        for field in (self.text, self.pair):
            field.textChanged.connect(self._on_text_changed)
        self.badges.edits_chosen.connect(comparison.editor.set_edits)
        self.swap.clicked.connect(comparison.editor.swap)
        self.close_button.clicked.connect(comparison.end)
        comparison.changed.connect(self.refresh)
        comparison.shown_changed.connect(self.refresh)
        comparison.problem_changed.connect(self._on_problem_changed)
        workspace.shown_changed.connect(self.refresh)

    def retranslate(self) -> None:
        self.name.setText(self.tr("Run B"))
        self.name.setToolTip(
            self.tr("A second run, shown beside run A. An empty field means: same as in run A")
        )
        self.models.setToolTip(self.tr("The checkpoint of run B"))
        self.text.setAccessibleName(self.tr("Run B: sentence 1"))
        self.pair.setAccessibleName(self.tr("Run B: sentence 2"))
        self.text.prompts.retranslate()
        self.swap.setToolTip(self.tr("Swap run A and run B (Ctrl+Shift+X)"))
        self.swap.setAccessibleName(self.tr("Swap run A and run B"))
        self.close_button.setToolTip(self.tr("Stop comparing (Ctrl+Shift+C)"))
        self.close_button.setAccessibleName(self.tr("Stop comparing"))
        if self._notice is not None and self._notice.isVisible():
            self._notice.retranslate()
            self._on_problem_changed()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show how run B differs from run A."""
        self.setVisible(self._comparison.is_on)
        other, shown = self._comparison.other or _NOTHING, self._comparison.shown
        self._write(other)
        name = self.tr("same checkpoint") if other.ref is None else model_name(other.ref)
        remarks: tuple[str, ...] = ()
        if other.ref is not None and shown is not None and shown.result.request.ref == other.ref:
            name, remarks = shown.result.facts.name, shown.result.facts.remarks
        self.models.set_texts(name)
        self.remarks.set_remarks(tuple(map(translated, remarks)))
        self._offer_prompts(other, shown)
        self._show_left_out(other, shown)
        trace = self._trace(other)
        if trace is None:
            self.badges.show_edits(other.edits, None)
        else:
            self.badges.show_edits(other.edits, trace.tokens, trace.edits)
        self.state.setText(self._state())
        self.state.setVisible(bool(self.state.text()))

    def _offer_prompts(self, other: OtherRun, shown: Shown | None) -> None:
        """Offer the prompts of run B's checkpoint, once it is open."""
        facts, a = self._workspace.facts, self._workspace.shown
        if other.ref is not None:
            is_open = shown is not None and shown.result.request.ref == other.ref
            facts = shown.result.facts if shown is not None and is_open else None
        inherited = "" if a is None else a.result.request.text
        self.text.prompts.set_prompts(() if facts is None else facts.prompts, inherited)

    def _show_left_out(self, other: OtherRun, shown: Shown | None) -> None:
        """Show the remark on the text of run B, if it has one of its own."""
        remark, tip = "", ""
        if shown is not None and other.text is not None:
            remark = text_remark(shown.result.trace.tokens, shown.result.facts)
            tip = all_translated(shown.result.notices)
        self.text.set_remark(remark, tip)

    def _trace(self, other: OtherRun) -> Trace | None:
        """Return the trace whose tokens are edited: before run B has one, that of A of the same texts."""
        shown = self._comparison.shown
        if shown is None and other.text is None and other.pair is None:
            shown = self._workspace.shown
        return None if shown is None else shown.result.trace

    def _write(self, other: OtherRun) -> None:
        """Write the texts of run B that are its own; the placeholders show those of A."""
        shown = self._workspace.shown
        a = None if shown is None else shown.result.request
        for field, words in ((self.text, other.text or ""), (self.pair, other.pair or "")):
            if field.text() != words:
                with QSignalBlocker(field):  # written by the program, not by the user
                    field.setText(words)
        self.text.setPlaceholderText(self.tr("same as run A: {0}").format(a.text if a else ""))
        has_pair = bool(a and a.pair) and other.text is None
        words = (
            self.tr("same as run A: {0}").format(a.pair) if a and has_pair else self.tr("no second sentence")
        )
        self.pair.setPlaceholderText(words)
        self.pair.setVisible(bool(other.pair or (a and a.pair)) or self.pair.hasFocus())

    def _state(self) -> str:
        if self._comparison.is_opening:
            done = self._comparison.progress
            return self.tr("opening …") if done is None else self.tr("opening … {0}").format(f"{done:.0%}")
        if self._comparison.is_busy:
            return self.tr("encoding …")
        if self._comparison.problem is None and not self._comparison.is_other:
            return self.tr("same as run A: change a text, the checkpoint or a token")
        return ""

    @Slot()
    def _on_text_changed(self) -> None:
        self._comparison.editor.set_texts(self.text.text(), self.pair.text() or None)

    @Slot()
    def _on_problem_changed(self) -> None:
        problem = self._comparison.problem
        for name, field in (("text", self.text), ("pair", self.pair)):
            field.set_problem(problem is not None and problem.field == name)
        if problem is None or isinstance(problem.error, AnswersError):  # the form asks
            if self._notice is not None:
                self._notice.dismiss()
            return
        if self._notice is None:
            self._notice = Notice(notice_area(self.window()))
        self._notice.show_message(error_text(problem.error))

    @property
    def notice(self) -> str:
        """The sentence under the row, "" where there is none."""
        return self._notice.message if self._notice is not None and self._notice.isVisible() else ""
