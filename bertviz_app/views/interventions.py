"""The page of interventions: rows, references, menus and outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.analysis.probing.interventions import Outcome
from bertviz_app.options import Run
from bertviz_app.text.edits import Edits
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.interventions import Interventions, RunInterventions, RunOutcomes
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.state import NamedEdits
from bertviz_app.viewmodels.wording import error_text, intervention_text, token_text, translate
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Elided, Segments
from bertviz_app.views.kit.look import grid_of, in_column, in_row, named
from bertviz_app.views.kit.widgets import SignButton, empty
from bertviz_app.views.kit.words import Item, MenuOf, plain
from bertviz_app.views.panels.card import PanelArea
from bertviz_app.views.tokens.edit_menus import ask_for_weight, head_items, input_dialog, with_heading
from bertviz_app.weak_slots import slot_of


def ask_for_name(
    parent: QWidget, interventions: Interventions, edits: Edits, renamed: NamedEdits | None = None
) -> None:
    """Have the user name these edits, or give the set of them another name."""
    title = translate("InterventionsView", "Name this set")
    question = translate("InterventionsView", "Name of the interventions that are on:")
    taken = translate("InterventionsView", "This name replaces the set that has it.")
    if renamed is not None:
        title = translate("InterventionsView", "Rename the set")
        question = translate("InterventionsView", "New name of the set “{0}”:").format(renamed.name)
        taken = translate("InterventionsView", "Another set has this name.")

    def ask(name: str) -> None:
        remark = "" if interventions.set_named(name) in (None, renamed) else taken
        dialog.setLabelText(plain(f"{question}\n{remark}"))

    def take(name: str) -> None:
        if renamed is None:
            interventions.name(name, edits)
        else:
            interventions.rename_set(renamed, name)

    dialog = input_dialog(parent, title, question)
    dialog.setTextValue("" if renamed is None else renamed.name)  # makes the field
    if (field := dialog.findChild(QLineEdit)) is not None:
        named(field, "entry")
    dialog.finished.connect(lambda _: parent.setFocus())  # the button that opened it is made anew
    dialog.textValueChanged.connect(ask)
    dialog.textValueSelected.connect(take)
    ask(dialog.textValue())
    dialog.open()


def outcome_words(one: Outcome, where: str) -> tuple[str, str]:
    """Return what an outcome is called, and what it is; `where` names the token that it is of."""
    vectors = {
        "sentence": translate("Interventions", "sentence"),
        "pooled": translate("Interventions", "pooled"),
        "first": translate("Interventions", "first token"),
    }
    titles = {
        "masked": translate("Interventions", "“{0}” at {1}").format(one.name, where),
        "next-sentence": translate("Interventions", "Sentence 2 follows"),
        "order": translate("Interventions", "Sentences in their order"),
        "class": one.name,
        "vector": translate("Interventions", "Cosine ({0})").format(vectors.get(one.name)),
        "other": translate("Interventions", "Cosine with B ({0})").format(vectors.get(one.name)),
    }
    masked = translate(
        "Interventions",
        "Probability of this piece by the checkpoint's head for masked tokens. Before: the text with its "
        "masks and no other intervention.",
    )
    own_head = translate(
        "Interventions", "By the checkpoint's own task head. Before: the text without any intervention."
    )
    tips = {
        "masked": masked,
        "vector": translate(
            "Interventions", "Cosine of the vector with the one before: 1 where nothing changed."
        ),
        "other": translate("Interventions", "Run B with its own interventions. Before: run A without any."),
    }
    return titles[one.kind], tips.get(one.kind, own_head)


_LINES = 5


class ReferenceField(Guarded, QPlainTextEdit):
    """Emits `entered` with a new text when Enter is pressed or the field is left; an empty one is undone."""

    entered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        named(self, "entry")
        self.setTabChangesFocus(True)
        self.setFixedHeight(_LINES * self.fontMetrics().lineSpacing() + 16)
        self._shown = ""

    def show_text(self, text: str) -> None:
        """Show the text that is in use, unless another one is being typed."""
        if text != self._shown:
            self._shown = text
            self.setPlainText(text)

    def _enter(self) -> None:
        text = " ".join(self.toPlainText().split())
        if not text:
            self.setPlainText(self._shown)
        elif text != self._shown:
            self._shown = text
            self.entered.emit(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._enter()


class SwitchRow(QWidget):
    """One intervention, or one set of them, which is on or off and can be removed."""

    def __init__(
        self, text: str, tip: str, is_on: bool, switch: Callable[[bool], None], remove: Callable[[], None]
    ) -> None:
        super().__init__()
        self.switch = named(QCheckBox(), "", plain(tip), text)
        self.switch.setChecked(is_on)
        self.switch.toggled.connect(lambda checked: switch(checked))
        self.label = Elided(text, textFormat=Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.label.setToolTip(plain(tip))
        self.label.setEnabled(is_on)
        words = translate("InterventionsView", "Remove: {0}").format(text)
        self.remove = named(SignButton("✕"), "corner", plain(words), words)
        self.remove.clicked.connect(lambda: remove())
        self.rename = named(QPushButton("✎"), "corner")
        self.rename.hide()
        in_row(self.switch, (self.label, 1), self.rename, self.remove, of=self, margins=0, spacing=4)

    def add_rename(self, rename: Callable[[], None]) -> None:
        words = translate("InterventionsView", "Rename: {0}").format(self.label.text())
        named(self.rename, "corner", plain(words), words)
        self.rename.clicked.connect(lambda: rename())
        self.rename.show()


def add_outcome(grid: QGridLayout, name: str, tip: str, numbers: str) -> None:
    """Add a line to the table of outcomes: what it is, and its value before and after."""
    at = grid.rowCount()
    label = QLabel(name, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
    policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)  # as its word wrap has set it: without it a second line has no room
    label.setSizePolicy(policy)
    label.setToolTip(plain(f"{name}\n{tip}"))
    number = QLabel(numbers, textFormat=Qt.TextFormat.PlainText)
    value = named(number, "value", title=f"{name}: {numbers}")
    grid.addWidget(label, at, 0)
    grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignRight)


def heading(text: str) -> QLabel:
    """Return the title of a part of the card."""
    return named(QLabel(text, textFormat=Qt.TextFormat.PlainText), "heading")


def hint(text: str) -> QLabel:
    return named(QLabel(text, textFormat=Qt.TextFormat.PlainText, wordWrap=True), "hint")


class InterventionsView(Guarded, QScrollArea):
    """Switches, names and removes interventions, and says what they change; of run A, or of run B."""

    def __init__(self, interventions: Interventions, outcomes: Mapping[Run, RunOutcomes]) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        runs = interventions.of_run
        self._runs, self._of_both, self._all_outcomes = runs, interventions, outcomes
        self._run: Run = "A"
        self.rows: list[SwitchRow] = []
        words, tip = self.tr("Run {0}"), self.tr("Interventions in run {0}")
        self.choice = Segments([(run, words.format(run), tip.format(run)) for run in runs])
        self.choice.chosen.connect(self.show_run)
        tip = self.tr(
            "A head that is replaced by its mean has, at every token, the mean of its output over all tokens "
            "of this text, special ones among them. Enter takes another text."
        )
        self._reference_title = heading(self.tr("Reference text of means"))
        self.reference = named(ReferenceField(), "entry", tip, self._reference_title.text())
        self.reference.entered.connect(interventions.set_reference)
        self._page = named(QWidget(), "clear")
        self._column = QVBoxLayout()
        choice = self.choice, 0, Qt.AlignmentFlag.AlignLeft
        in_column(choice, self._column, self._reference_title, self.reference, 1, of=self._page)
        self.setWidget(self._page)
        self.buttons: dict[str, QPushButton] = {}
        for run, of_run in runs.items():
            of_run.opened.connect(slot_of(self.show_run, run))
            for changed in (of_run.changed, outcomes[run].changed):
                changed.connect(self._on_changed)
            of_run.run.shown_changed.connect(self._on_shown_changed)
        self._is_outdated = False
        self._write()

    @Slot()
    def _on_changed(self) -> None:
        """Write everything anew, or once the card is seen: every text that is typed changes what it shows."""
        if self.isVisible():
            self._write()
        else:
            self._is_outdated = True

    @Slot()
    def _on_shown_changed(self) -> None:
        """Another text is shown, or run B began or ended."""
        self._watch()
        self._on_changed()

    @Slot()
    def _write(self) -> None:
        self._is_outdated = False
        focused, height = self._focused(), self.verticalScrollBar().value()
        self.choice.choose(self.run)
        self.choice.setVisible(self._runs["B"].run.shown is not None)
        if self._focused():
            self.setFocus()  # otherwise the next widget gets it, and is scrolled to
        self.rows.clear()
        self.buttons.clear()
        empty(self._column)
        self._add_list()
        self._add_buttons()
        self._add_outcomes()
        self._add_sets()
        # The text over which means are taken, where a head is replaced by one.
        found, saved = self._interventions, self._of_both.saved
        sets = (one.edits for one in saved.sets)
        is_used = any(edits.references for edits in (found.edits, found.off, *sets))
        self._reference_title.setVisible(is_used)
        self.reference.setVisible(is_used)
        self.reference.show_text(saved.reference)
        if focused:
            of_rows = [one for row in self.rows for one in (row.switch, row.rename, row.remove)]
            for one in (*of_rows, *self.buttons.values()):
                if _name(one) == focused and (line := one.parentWidget()) is not None:
                    line.show()  # the layout would do so later, and what is hidden gets no focus
                    one.setFocus()
        self.verticalScrollBar().setValue(height)

    def _focused(self) -> str:
        """Return the name of the switch or button that has the focus: it is made anew, and keeps it."""
        widget = QApplication.focusWidget()
        is_here = isinstance(widget, QAbstractButton) and self._page.isAncestorOf(widget)
        return _name(widget) if is_here else ""

    @property
    def run(self) -> Run:
        """The run whose interventions are listed: A where there is no other."""
        return "A" if self._runs["B"].run.shown is None else self._run

    def show_run(self, run: Run) -> None:
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

    def _add_list(self) -> None:
        """Add a switch for each intervention, those that are off among them."""
        found = self._interventions
        edits = found.run.shown.result.trace.edits if found.run.shown is not None else Edits()
        entries = [(one, True) for one in found.edits.interventions] + [
            (one, False) for one in found.off.interventions
        ]
        for one, is_on in entries:
            text = intervention_text(one, edits, found.run.tokens, is_short=True)
            tip = intervention_text(one, edits, found.run.tokens)
            self._add_row(SwitchRow(text, tip, is_on, partial(found.switch, one), partial(found.remove, one)))
        if not entries:
            nothing = self.tr(
                "Nothing in run {0} is changed. Right-click a head, a token or a pair in a panel."
            )
            self._column.addWidget(hint(nothing.format(found.run.name)))
        constant = found.edits.constant_heads
        if any((one.layer, one.head) in constant for one in found.edits.cells):
            words = self.tr(
                "A weight that is set in a muted head, or in one replaced by its mean, changes nothing."
            )
            self._column.addWidget(hint(words))

    def _add_buttons(self) -> None:
        found = self._interventions
        name = partial(ask_for_name, self, self._of_both, found.edits)
        for key, text, do, is_possible in (
            ("name", self.tr("Name this set …"), name, bool(found.edits)),
            ("remove", self.tr("Remove all"), found.remove_all, bool(found.edits or found.off)),
        ):
            button = self.buttons[key] = named(QPushButton(text), "small")
            button.setEnabled(is_possible)
            button.clicked.connect(lambda _=False, do=do: do())
        line = QWidget()
        in_row(*self.buttons.values(), 1, of=line, margins=0)
        self._column.addWidget(line)

    def _add_sets(self) -> None:
        found, sets = self._interventions, self._of_both.saved.sets
        if sets:
            self._column.addWidget(heading(self.tr("Sets")))
        for one in sets:
            listed = "\n".join(intervention_text(each, one.edits, None) for each in one.edits.interventions)
            text = self.tr("{0} ({1})").format(one.name, len(one.edits.interventions))
            switch, remove = partial(found.switch_all, one.edits), partial(self._of_both.remove_set, one)
            row = SwitchRow(text, listed, one.is_within(found.edits), switch, remove)
            row.add_rename(partial(ask_for_name, self, self._of_both, one.edits, one))
            self._add_row(row)

    def _add_outcomes(self) -> None:
        """Add the outcomes before and after, or why there are none."""
        found, shown = self._all_outcomes[self.run], self._interventions.run.shown
        if not self._interventions.edits:
            return
        self._column.addWidget(heading(self.tr("Outcome: before → after")))
        if found.problem is not None:
            self._column.addWidget(hint(error_text(found.problem)))
        edits = Edits() if shown is None else shown.result.trace.edits
        page = QWidget()
        grid = grid_of(page, margins=0)
        grid.setColumnStretch(0, 1)
        for one in found.found:
            where = "" if one.token is None else token_text(one.token, edits, self._interventions.run.tokens)
            add_outcome(grid, *outcome_words(one, where), f"{one.before:.3f} → {one.after:.3f}")
        self._column.addWidget(page)
        if found.found and not {one.kind for one in found.found} & {
            "masked",
            "class",
            "next-sentence",
            "order",
        }:
            words = self.tr("Mask a token, or open a checkpoint with task heads, for more outcomes.")
            self._column.addWidget(hint(words))

    def _add_row(self, row: SwitchRow) -> None:
        is_possible = self._interventions.run.is_editable
        row.switch.setEnabled(is_possible)
        row.remove.setEnabled(is_possible)
        self.rows.append(row)
        self._column.addWidget(row)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin with run B where it alone has interventions, as after a comparison with a muted head."""
        one, other = self._runs["A"], self._runs["B"]
        if not (one.edits or one.off) and other.run.shown is not None and (other.edits or other.off):
            self.show_run("B")
        if self._is_outdated:
            self._write()
        self._watch()

    def hideEvent(self, event: QHideEvent) -> None:
        self._watch()


def _name(button: QWidget | None) -> str:
    assert isinstance(button, QAbstractButton)
    return button.accessibleName() or button.text()


class PanelMenu(MenuOf):
    """The pair is the one under the pointer, else the pinned one."""

    def __init__(
        self,
        area: PanelArea,
        interventions: Mapping[Run, RunInterventions],
        pointer: Pointer,
    ) -> None:
        super().__init__(area)
        self._area, self._interventions, self._pointer = area, interventions, pointer

    def items_at(self, at: QPoint) -> list[Item]:
        """Return what can be done in the panel at a position of the area."""
        cards = (card for card in self._area.cards.values() if card.geometry().contains(at))
        return [] if (card := next(cards, None)) is None else self.items(card.panel)

    def items(self, panel: Panel) -> list[Item]:
        """Return (text, what it does) of what can be done in a panel; nothing in one of a difference."""
        if panel.run not in self._interventions or not panel.kind.is_of_head:
            return []
        pair, at = self._pointer.selections[panel.run].shown, (panel.layer, panel.head)
        items = pair_items(self._area, self._interventions[panel.run], at, pair.query, pair.key)
        return with_heading(items, panel.run, self._interventions)


class InspectorMenu(MenuOf):
    """The head and the pair are those that the inspector explains."""

    def __init__(
        self, view: QWidget, interventions: Mapping[Run, RunInterventions], inspected: Inspected
    ) -> None:
        super().__init__(view)
        self._view, self._interventions, self._inspected = view, interventions, inspected

    def items_at(self, at: QPoint) -> list[Item]:
        """Return what can be done to the pair that is explained, anywhere in the view."""
        pair = self._inspected.pair
        if pair is None or pair.run not in self._interventions:
            return []
        of_head, of_run = (pair.layer, pair.head), self._interventions[pair.run]
        items = pair_items(self._view, of_run, of_head, pair.numbers.query, pair.numbers.key)
        return with_heading(items, pair.run, self._interventions)


def pair_items(
    view: QWidget, interventions: RunInterventions, at: tuple[int, int], query: int | None, key: int | None
) -> list[Item]:
    """Return what can be done to a (layer, head) of a run and, if there is one, to a pair of tokens in it."""
    tokens = interventions.run.tokens
    if not interventions.run.is_editable or tokens is None:
        return []
    items = head_items(interventions, *at)
    if query is None or key is None or max(query, key) >= len(tokens):
        return items
    names = tokens.labels[query], tokens.labels[key]

    def ask() -> None:
        weight = interventions.weight(*at, query, key)
        if weight is None:
            return
        words = translate(
            "PanelMenu",
            "Weight with which {0} attends to {1} in head {2}·{3}, from 0 to 1.\n"
            "The other weights of the row keep their proportions; the row still adds up to 1.",
        ).format(*names, *at)
        put = partial(interventions.set_weight, at, query, key)
        ask_for_weight(view, translate("PanelMenu", "Set this weight"), words, weight, put)

    return [(translate("PanelMenu", "Set the weight {0} → {1} …").format(*names), ask), ("", None), *items]
