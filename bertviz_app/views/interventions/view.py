"""`InterventionsView`: all interventions in run A with switches, named sets, and the outcomes they change."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.text import Edits, Tokens
from bertviz_app.viewmodels.interventions.interventions import Interventions
from bertviz_app.viewmodels.interventions.outcomes import RunOutcomes
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.wording.error_words import error_text
from bertviz_app.viewmodels.wording.intervention_words import intervention_text, token_text
from bertviz_app.views.interventions.outcome_words import outcome_name, outcome_numbers, outcome_tip
from bertviz_app.views.interventions.reference_field import ReferenceField
from bertviz_app.views.interventions.rows import SwitchRow, add_outcome
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import named


class InterventionsView(QScrollArea):
    """Switches, names and removes interventions, and says what they change."""

    def __init__(self, interventions: Interventions, outcomes: RunOutcomes, workspace: Workspace) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._interventions, self._outcomes, self._workspace = interventions, outcomes, workspace
        self.rows: list[SwitchRow] = []
        self.reference = ReferenceField()
        self.reference.entered.connect(interventions.set_reference)
        self._page = QWidget()
        self._column = QVBoxLayout(self._page)
        self.setWidget(self._page)
        self._page.setObjectName("clear")
        self.buttons: dict[str, QPushButton] = {}
        for changed in (interventions.changed, outcomes.changed, workspace.shown_changed):
            changed.connect(self._on_changed)
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
    def retranslate(self) -> None:
        """Write everything in the language in force."""
        self._is_outdated = False
        self._clear()
        self._add_list()
        self._add_buttons()
        self._add_outcomes()
        self._add_sets()
        self._add_reference()
        self._column.addStretch(1)

    def _clear(self) -> None:
        self.rows.clear()
        self.buttons.clear()
        self.reference.setParent(None)
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    @property
    def _tokens(self) -> Tokens | None:
        shown = self._workspace.shown
        return None if shown is None else shown.result.trace.tokens

    def _add_list(self) -> None:
        """Add a switch for each intervention, those that are off among them."""
        found = self._interventions
        edits = self._workspace.shown.result.trace.edits if self._workspace.shown is not None else Edits()
        entries = [(one, True) for one in found.edits.interventions] + [
            (one, False) for one in found.kept.off.interventions
        ]
        for one, is_on in entries:
            text = intervention_text(one, edits, self._tokens, is_short=True)
            tip = intervention_text(one, edits, self._tokens)
            self._add_row(SwitchRow(text, tip, is_on, partial(found.switch, one), partial(found.remove, one)))
        if not entries:
            self._add_text(
                self.tr("Nothing in run A is changed. Right-click a head, a token or a pair in a panel.")
            )

    def _add_buttons(self) -> None:
        found = self._interventions
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        for key, text, do, is_possible in (
            ("name", self.tr("Name this set …"), self._on_name, bool(found.edits)),
            ("remove", self.tr("Remove all"), found.remove_all, bool(found.edits or found.kept.off)),
        ):
            button = self.buttons[key] = named(QPushButton(text), "small")
            button.setEnabled(is_possible)
            button.clicked.connect(lambda _=False, do=do: do())
            row.addWidget(button)
        row.addStretch(1)
        self._column.addWidget(line)

    def _add_sets(self) -> None:
        found = self._interventions
        if found.kept.sets:
            self._add_title(self.tr("Sets"))
        for one in found.kept.sets:
            listed = "\n".join(intervention_text(each, one.edits, None) for each in one.edits.interventions)
            text = self.tr("{0} ({1})").format(one.name, len(one.edits.interventions))
            switch, remove = partial(found.switch_set, one), partial(found.remove_set, one)
            self._add_row(SwitchRow(text, listed, one.is_within(found.edits), switch, remove))

    def _add_reference(self) -> None:
        """Add the text over which means are taken, where a head is replaced by one."""
        found = self._interventions
        sets = (one.edits for one in found.kept.sets)
        if not any(edits.references for edits in (found.edits, found.kept.off, *sets)):
            return
        self._add_title(self.tr("Reference text of means"))
        text = found.kept.reference
        self.reference.show_text(text)
        tip = self.tr(
            "A head that is replaced by its mean has, at every token, the mean of its output over all tokens "
            "of this text, special ones among them. Enter takes another text."
        )
        self.reference.setToolTip(tip)
        self.reference.setAccessibleName(self.tr("Reference text of means"))
        self._column.addWidget(self.reference)
        self.reference.show()

    def _add_outcomes(self) -> None:
        """Add the outcomes before and after, or why there are none."""
        found = self._outcomes
        if not self._interventions.edits:
            return
        self._add_title(self.tr("Outcome: before → after"))
        if found.problem is not None:
            self._add_text(error_text(found.problem))
        shown = self._workspace.shown
        edits = Edits() if shown is None else shown.result.trace.edits
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(0, 1)
        for one in found.found:
            where = "" if one.token is None else token_text(one.token, edits, self._tokens)
            add_outcome(grid, outcome_name(one, where), outcome_tip(one), outcome_numbers(one))
        self._column.addWidget(page)
        if found.found and not any(
            one.kind in ("masked", "class", "next-sentence", "order") for one in found.found
        ):
            self._add_text(self.tr("Mask a token, or open a checkpoint with task heads, for more outcomes."))

    def _add_row(self, row: SwitchRow) -> None:
        is_possible = self._interventions.is_possible
        row.switch.setEnabled(is_possible)
        row.remove.setEnabled(is_possible)
        self.rows.append(row)
        self._column.addWidget(row)

    def _add_title(self, text: str) -> None:
        self._column.addWidget(named(QLabel(text, textFormat=Qt.TextFormat.PlainText), "heading"))

    def _add_text(self, text: str) -> None:
        label = named(QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True), "hint")
        self._column.addWidget(label)

    def _on_name(self) -> None:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Name this set"))
        dialog.setLabelText(self.tr("Name of the interventions that are on:"))
        if (field := dialog.findChild(QLineEdit)) is not None:
            named(field, "entry")
        dialog.textValueSelected.connect(self._interventions.name)
        dialog.open()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        if self._is_outdated:
            self.retranslate()
        self._outcomes.watch(True)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self._outcomes.watch(False)
