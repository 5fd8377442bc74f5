"""`InterventionsView`: all interventions in a run with switches, named sets, and the outcomes they change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.options import Run
from bertviz_app.text import Edits
from bertviz_app.viewmodels.interventions import Interventions, RunInterventions, RunOutcomes
from bertviz_app.viewmodels.wording import error_text, intervention_text, token_text
from bertviz_app.views.interventions.name_dialog import ask_for_new_name, ask_for_other_name
from bertviz_app.views.interventions.outcome_words import outcome_name, outcome_numbers, outcome_tip
from bertviz_app.views.interventions.reference_field import ReferenceField
from bertviz_app.views.interventions.rows import SwitchRow, add_outcome, heading, hint
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.style import named
from bertviz_app.weak_slots import slot_of


class InterventionsView(QScrollArea):
    """Switches, names and removes interventions, and says what they change; of run A, or of run B.

    `of_a` has the sets and the reference text of both runs.
    """

    def __init__(
        self,
        runs: Mapping[Run, RunInterventions],
        of_a: Interventions,
        outcomes: Mapping[Run, RunOutcomes],
    ) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._runs, self._of_a, self._all_outcomes = runs, of_a, outcomes
        self._run: Run = "A"
        self.rows: list[SwitchRow] = []
        self.choice = Segments([(run, "", "") for run in runs])
        self.choice.chosen.connect(self.show_run)
        self.reference = ReferenceField()
        self.reference.entered.connect(of_a.set_reference)
        self._reference_title = named(QLabel(textFormat=Qt.TextFormat.PlainText), "heading")
        self._page = QWidget()
        self._page.setObjectName("clear")
        self._column = QVBoxLayout()
        parts = QVBoxLayout(self._page)
        parts.addWidget(self.choice, 0, Qt.AlignmentFlag.AlignLeft)
        parts.addLayout(self._column)
        parts.addWidget(self._reference_title)
        parts.addWidget(self.reference)
        parts.addStretch(1)
        self.setWidget(self._page)
        self.buttons: dict[str, QPushButton] = {}
        for run, of_run in runs.items():
            of_run.opened.connect(slot_of(self.show_run, run))
            for changed in (of_run.changed, outcomes[run].changed):
                changed.connect(self._on_changed)
            of_run.shown_changed.connect(self._on_shown_changed)
        self._is_outdated = False
        self.retranslate()

    @Slot()
    def _on_changed(self) -> None:
        """Write everything anew, or once the card is seen: every text that is typed changes what it shows."""
        if self.isVisible():
            self.retranslate()
        else:
            self._is_outdated = True

    @Slot()
    def _on_shown_changed(self) -> None:
        """Another text is shown, or run B began or ended."""
        self._watch()
        self._on_changed()

    @Slot()
    def retranslate(self) -> None:
        """Write everything in the language in force."""
        self._is_outdated = False
        focused, height = self._focused(), self.verticalScrollBar().value()
        self._show_runs()
        self._clear()
        self._add_list()
        self._add_buttons()
        self._add_outcomes()
        self._add_sets()
        self._show_reference()
        if focused:
            self._focus(focused)
        self.verticalScrollBar().setValue(height)

    def _focus(self, name: str) -> None:
        of_rows = [one for row in self.rows for one in (row.switch, row.rename, row.remove)]
        for one in (*of_rows, *self.buttons.values()):
            if _name(one) == name and (line := one.parentWidget()) is not None:
                line.show()  # the layout would do so later, and what is hidden gets no focus
                one.setFocus()

    def _focused(self) -> str:
        """Return the name of the switch or button that has the focus: it is made anew, and keeps it."""
        widget = QApplication.focusWidget()
        is_here = isinstance(widget, QAbstractButton) and self._page.isAncestorOf(widget)
        return _name(widget) if is_here else ""

    def _clear(self) -> None:
        if self._focused():
            self.setFocus()  # otherwise the next widget gets it, and is scrolled to
        self.rows.clear()
        self.buttons.clear()
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    @property
    def run(self) -> Run:
        """The run whose interventions are listed: A where there is no other."""
        return "A" if self._runs["B"].shown is None else self._run

    def show_run(self, run: Run) -> None:
        """List the interventions of another run."""
        self._run = run
        self._watch()
        self._on_changed()

    def _watch(self) -> None:
        """Have the outcomes of the run that is listed computed, while they are seen."""
        for run, outcomes in self._all_outcomes.items():
            outcomes.watch(self.isVisible() and run == self.run)

    @property
    def _interventions(self) -> RunInterventions:
        return self._runs[self.run]

    def _show_runs(self) -> None:
        """Show the choice of a run, where two are compared."""
        words, tip = self.tr("Run {0}"), self.tr("Interventions in run {0}")
        self.choice.set_texts({run: (words.format(run), tip.format(run)) for run in self._runs})
        self.choice.choose(self.run)
        self.choice.setVisible(self._runs["B"].shown is not None)

    def _add_list(self) -> None:
        """Add a switch for each intervention, those that are off among them."""
        found = self._interventions
        edits = found.shown.result.trace.edits if found.shown is not None else Edits()
        entries = [(one, True) for one in found.edits.interventions] + [
            (one, False) for one in found.off.interventions
        ]
        for one, is_on in entries:
            text = intervention_text(one, edits, found.tokens, is_short=True)
            tip = intervention_text(one, edits, found.tokens)
            self._add_row(SwitchRow(text, tip, is_on, partial(found.switch, one), partial(found.remove, one)))
        if not entries:
            nothing = self.tr(
                "Nothing in run {0} is changed. Right-click a head, a token or a pair in a panel."
            )
            self._column.addWidget(hint(nothing.format(found.run)))
        constant = found.edits.constant_heads
        if any((one.layer, one.head) in constant for one in found.edits.cells):
            words = self.tr(
                "A weight that is set in a muted head, or in one replaced by its mean, changes nothing."
            )
            self._column.addWidget(hint(words))

    def _add_buttons(self) -> None:
        found = self._interventions
        name = partial(ask_for_new_name, self, self._of_a, found.edits)
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        for key, text, do, is_possible in (
            ("name", self.tr("Name this set …"), name, bool(found.edits)),
            ("remove", self.tr("Remove all"), found.remove_all, bool(found.edits or found.off)),
        ):
            button = self.buttons[key] = named(QPushButton(text), "small")
            button.setEnabled(is_possible)
            button.clicked.connect(lambda _=False, do=do: do())
            row.addWidget(button)
        row.addStretch(1)
        self._column.addWidget(line)

    def _add_sets(self) -> None:
        found, sets = self._interventions, self._of_a.saved.sets
        if sets:
            self._column.addWidget(heading(self.tr("Sets")))
        for one in sets:
            listed = "\n".join(intervention_text(each, one.edits, None) for each in one.edits.interventions)
            text = self.tr("{0} ({1})").format(one.name, len(one.edits.interventions))
            switch, remove = partial(found.switch_all, one.edits), partial(self._of_a.remove_set, one)
            row = SwitchRow(text, listed, one.is_within(found.edits), switch, remove)
            row.add_rename(partial(ask_for_other_name, self, self._of_a, one))
            self._add_row(row)

    def _show_reference(self) -> None:
        """Show the text over which means are taken, where a head is replaced by one."""
        found, saved = self._interventions, self._of_a.saved
        sets = (one.edits for one in saved.sets)
        is_used = any(edits.references for edits in (found.edits, found.off, *sets))
        self._reference_title.setText(self.tr("Reference text of means"))
        self._reference_title.setVisible(is_used)
        self.reference.setVisible(is_used)
        self.reference.show_text(saved.reference)
        tip = self.tr(
            "A head that is replaced by its mean has, at every token, the mean of its output over all tokens "
            "of this text, special ones among them. Enter takes another text."
        )
        self.reference.setToolTip(tip)
        self.reference.setAccessibleName(self.tr("Reference text of means"))

    def _add_outcomes(self) -> None:
        """Add the outcomes before and after, or why there are none."""
        found, shown = self._all_outcomes[self.run], self._interventions.shown
        if not self._interventions.edits:
            return
        self._column.addWidget(heading(self.tr("Outcome: before → after")))
        if found.problem is not None:
            self._column.addWidget(hint(error_text(found.problem)))
        edits = Edits() if shown is None else shown.result.trace.edits
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(0, 1)
        for one in found.found:
            where = "" if one.token is None else token_text(one.token, edits, self._interventions.tokens)
            add_outcome(grid, outcome_name(one, where), outcome_tip(one), outcome_numbers(one))
        self._column.addWidget(page)
        if found.found and not any(
            one.kind in ("masked", "class", "next-sentence", "order") for one in found.found
        ):
            self._column.addWidget(
                hint(self.tr("Mask a token, or open a checkpoint with task heads, for more outcomes."))
            )

    def _add_row(self, row: SwitchRow) -> None:
        is_possible = self._interventions.is_possible
        row.switch.setEnabled(is_possible)
        row.remove.setEnabled(is_possible)
        self.rows.append(row)
        self._column.addWidget(row)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        """Begin with run B where it alone has interventions, as after a comparison with a muted head."""
        one, other = self._runs["A"], self._runs["B"]
        if not (one.edits or one.off) and other.shown is not None and (other.edits or other.off):
            self.show_run("B")
        if self._is_outdated:
            self.retranslate()
        self._watch()

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self._watch()


def _name(button: QWidget | None) -> str:
    """Return what a switch or button is called."""
    assert isinstance(button, QAbstractButton)
    return button.accessibleName() or button.text()
