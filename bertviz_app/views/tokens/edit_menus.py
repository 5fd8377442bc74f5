"""Menus that edit tokens and intervene on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from html import escape

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QInputDialog,
    QLineEdit,
    QTextBrowser,
    QToolTip,
    QWidget,
)

from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.text.edits import MASK, HeadKind, TokenIntervention, TokenKind, edited_lines
from bertviz_app.text.tokens import label
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.viewmodels.interventions import RunInterventions
from bertviz_app.viewmodels.runs.comparison import EditedRun, Editing
from bertviz_app.viewmodels.runs.run import written
from bertviz_app.viewmodels.wording import translate
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_column, named
from bertviz_app.views.kit.terms import show_tip, tip_of
from bertviz_app.views.kit.words import CHOSEN, Item, MenuOf, open_menu, plain, wrapped
from bertviz_app.views.tokens.chip import piece_label
from bertviz_app.views.tokens.strip import TokenStrip, sink_words

_DECIMALS = 4


def with_heading(items: list[Item], run: Run, interventions: Mapping[Run, RunInterventions]) -> list[Item]:
    """Return the items below the name of the run that they change, where two are compared."""
    if not items or interventions["B"].run.shown is None:
        return items
    return [(translate("PanelMenu", "Run {0}").format(run), None), ("", None), *items]


def head_items(interventions: RunInterventions, layer: int, head: int) -> list[Item]:
    """Return an item for each thing that can stand for the output of a head; the one that holds is marked."""
    now = interventions.edits.head_at(layer, head)
    kinds: list[tuple[HeadKind | None, str]] = [
        (None, translate("HeadMenu", "Head {0}·{1}: on")),
        ("zero", translate("HeadMenu", "Head {0}·{1}: zero (mute)")),
        ("mean", translate("HeadMenu", "Head {0}·{1}: mean over the reference text")),
        ("uniform", translate("HeadMenu", "Head {0}·{1}: uniform (equal weights)")),
    ]
    holds = None if now is None else now.kind

    def item(kind: HeadKind | None, words: str) -> Item:
        text = words.format(layer, head)
        return CHOSEN + text if kind == holds else text, lambda: interventions.set_head(layer, head, kind)

    every = (translate("HeadMenu", "All interventions …"), interventions.opened.emit)
    return [*(item(*one) for one in kinds), every]


def token_items(parent: QWidget, interventions: RunInterventions, position: int) -> list[Item]:
    """Return what else can be done to the token that is read at a position."""
    ids = interventions.ids_at(position)

    def put(kind: TokenKind, value: int | None = None) -> None:
        interventions.set_token(position, TokenIntervention(0, kind, value))

    items: list[Item] = []
    if not ids.is_special:
        items.append((translate("ChipMenu", "Leave this token out"), lambda: put("drop")))
    if ids.segment is not None:
        other = 0 if ids.segment else 1
        words = translate("ChipMenu", "Give it segment {0}").format(other)
        items.append((words, lambda: put("segment", other)))
    if ids.position is not None:

        def ask() -> None:
            words = translate("ChipMenu", "Position ID of this token, from 0 to {0}:").format(
                ids.last_position
            )
            dialog = input_dialog(parent, translate("ChipMenu", "Another position"), words)
            dialog.setInputMode(QInputDialog.InputMode.IntInput)
            dialog.setIntRange(0, ids.last_position)
            dialog.setIntValue(ids.position or 0)
            dialog.intValueSelected.connect(partial(put, "position"))
            dialog.open()

        items.append((translate("ChipMenu", "Give it another position …"), ask))
    return items


def special_items(parent: QWidget, interventions: RunInterventions, position: int) -> list[Item]:
    """Return what can be done to a special token, what cannot, and why."""
    tokens = interventions.run.tokens
    if tokens is None or not interventions.run.is_editable:
        return []
    why = translate("ChipMenu", "{0} was added by the tokenizer and always stays:").format(
        tokens.labels[position]
    )
    items: list[Item] = [
        (why, None),
        (translate("ChipMenu", "Mask this token (Delete)"), None),
        (translate("ChipMenu", "Replace this token … (F2)"), None),
        (translate("ChipMenu", "Leave this token out"), None),
    ]
    possible = token_items(parent, interventions, position)
    return [*items, ("", None), *possible] if possible else items


def input_dialog(parent: QWidget, title: str, words: str) -> QInputDialog:
    """Return a dialog that asks for a value, and is deleted when it is closed."""
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(plain(words))
    return dialog


def ask_for_weight(
    parent: QWidget, title: str, words: str, weight: float, put: Callable[[float], None]
) -> None:
    """Ask the user for an attention weight, and call `put` with it."""
    dialog = input_dialog(parent, title, words)
    dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
    dialog.setDoubleDecimals(_DECIMALS)
    dialog.setDoubleRange(0, 1)
    dialog.setDoubleStep(0.1)
    dialog.setDoubleValue(weight)
    dialog.doubleValueSelected.connect(put)
    dialog.open()


class ChipMenu(Guarded, QObject):
    """On a chip: the right button, or the menu key, opens the menu; Delete masks, F2 replaces.

    A double click masks, too, where the checkpoint says what it expects there.
    """

    def __init__(
        self, strip: TokenStrip, editing: Editing, interventions: Mapping[Run, RunInterventions]
    ) -> None:
        super().__init__(strip)
        self._strip, self._run = strip, strip.run_name or ENCODED_RUNS[0]
        self._interventions = interventions
        self._editing = editing
        strip.installEventFilter(self)
        if self._run == ENCODED_RUNS[0]:
            editing.runs[self._run].shown_changed.connect(self._on_shown_changed)
            editing.replacement_requested.connect(self.ask)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QContextMenuEvent):
            return self._open_menu(event)
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            return event.button() == Qt.MouseButton.RightButton  # it opens the menu and pins nothing
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonDblClick:
            return self._predict(event)
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            return self._show_tip(event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._press(Qt.Key(event.key()))
        return False

    def items(self, position: int) -> list[Item]:
        """Return (text, what it does) of what can be done to a token."""
        editing, run, interventions = self._editing, self._run, self._interventions[self._run]
        if not editing.can_replace(position, run):
            return with_heading(special_items(self._strip, interventions, position), run, self._interventions)
        first = self.tr("Mask this token (Delete)")
        if editing.is_replaced(position, run):
            first = self.tr("Undo: back to {0} (Delete)").format(self._written(position))
        predict = (self.tr("Mask it and show what is expected there"), lambda: editing.predict(position, run))
        why = (self.tr("Why is it cut here?"), lambda: editing.explanation_requested.emit(position, run))
        items: list[Item] = [
            (first, lambda: editing.toggle_mask(position, run)),
            *((predict,) if editing.can_predict(run) else ()),
            (self.tr("Replace this token … (F2)"), lambda: editing.ask_for_replacement(position, run)),
            *(() if editing.is_replaced(position, run) else (why,)),
            (
                self.tr("Compare this word in every layer"),
                lambda: editing.word_comparison_requested.emit(position, run),
            ),
            *token_items(self._strip, interventions, position),
        ]
        compared: list[Item] = [
            ("", None),
            (self.tr("Compare with this token masked"), lambda: editing.compare_token(position)),
            (
                self.tr("Compare with this token replaced …"),
                lambda: editing.ask_for_replacement(position, "compared"),
            ),
        ]
        return with_heading(items if run == "B" else items + compared, run, self._interventions)

    def _open_menu(self, event: QContextMenuEvent) -> bool:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        position = self._editing.pinned_in(self._run) if is_by_key else self._strip.token_at(event.pos().x())
        items = [] if position is None else self.items(position)
        if items:
            open_menu(self._strip, items, event.globalPos())
        return True

    def _predict(self, event: QMouseEvent) -> bool:
        position = self._strip.token_at(event.position().x())
        editing, run = self._editing, self._run
        if position is None or not editing.can_predict(run) or not editing.can_replace(position, run):
            return False
        editing.predict(position, run)
        return True

    def _press(self, key: Qt.Key) -> bool:
        position = self._editing.pinned_in(self._run)
        if position is None:
            return False
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._editing.toggle_mask(position, self._run)
        elif key == Qt.Key.Key_F2:
            self._editing.ask_for_replacement(position, self._run)
        else:
            return False
        return True

    def _show_tip(self, event: QHelpEvent) -> bool:
        """Show why a token is marked, or what a piece of a word is, and what can be done to it.

        A whole word needs no explanation of its own: the name of its line has one.
        """
        position = self._strip.token_at(event.pos().x())
        sink = "" if position is None else sink_words(self._strip.sinks.get(position, ()))
        if position is None or not self._editing.can_replace(position, self._run):
            if not sink:
                return show_tip(event, self._strip.term_at(event.pos()), self._strip)
            QToolTip.showText(event.globalPos(), wrapped(sink), self._strip)
            return True
        tokens = self._editing.tokens(self._run)
        if self._editing.is_replaced(position, self._run):
            words = self.tr("Written: {0}. Right click for more").format(self._written(position))
        else:
            words = self.tr("Right click: mask or replace this token, or compare both versions")
            if self._editing.can_predict(self._run):
                words += "\n" + self.tr("Double click: mask it and show what is expected there")
            if tokens is not None and tokens.is_unknown[position]:
                unknown = self.tr("“{0}” is not in this checkpoint's vocabulary: it reads {1}")
                words = f"{unknown.format(self._written(position), tokens.labels[position])}\n{words}"
        if tokens is not None and tokens.spelling != "plain":  # its own pieces cannot be read
            piece = tokens.pieces[position]
            if piece != tokens.labels[position]:
                words += "\n" + self.tr("In the vocabulary: {0}").format(piece)
        term = self._strip.term_at(event.pos())
        if sink:
            tip = wrapped(f"{sink}\n{words}")
        else:
            tip = plain(words) if term in ("", "token") else tip_of(term, words)
        QToolTip.showText(event.globalPos(), tip, self._strip)
        return True

    def _written(self, position: int) -> str:
        tokens = self._editing.tokens(self._run)
        return "" if tokens is None else label(written(tokens, position))

    @Slot()
    def _on_shown_changed(self) -> None:
        shown = self._editing.runs[self._run].shown
        edits = shown.result.request.edits if shown is not None else None
        self._strip.show_edits(edited_lines(edits) if edits else {})

    @Slot(int, str)
    def ask(self, position: int, run: EditedRun) -> None:
        """Ask for the piece that replaces a token of run A or B, or of run A in a new run B."""
        tokens = self._editing.tokens("A" if run == "compared" else run)
        if tokens is None:
            return
        question = self.tr("Replace “{0}” (token {1}) by this piece of the vocabulary, or by {2}:")
        words = question.format(label(written(tokens, position)), position, MASK)
        dialog = input_dialog(self._strip.window(), self.tr("Replace a token"), words)
        dialog.setTextValue(piece_label(tokens.pieces[position], tokens))
        field = dialog.findChild(QLineEdit)
        if field is not None:
            named(field, "entry")
        editing = self._editing
        put = editing.compare_token if run == "compared" else partial(editing.put, run)
        dialog.textValueSelected.connect(lambda piece: put(position, piece) if piece.strip() else None)
        dialog.open()


class HeadMenu(MenuOf):
    """The context menu of a head in `view`; `head_at` returns the head under a point.

    `run`: the run whose heads are shown, and which the menu changes.
    """

    run: Run = "A"

    def __init__(
        self,
        view: QWidget,
        editing: Editing,
        interventions: Mapping[Run, RunInterventions],
        head_at: Callable[[QPoint], tuple[int, int] | None],
        add: Callable[[int, int], None],
    ) -> None:
        super().__init__(view)
        self._editing, self._interventions = editing, interventions
        self._head_at, self._add = head_at, add

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            return event.button() == Qt.MouseButton.RightButton  # it opens the menu and shows no head
        return super().eventFilter(watched, event) or isinstance(event, QContextMenuEvent)

    def items_at(self, at: QPoint) -> list[Item]:
        head = self._head_at(at)
        return [] if head is None else self.items(*head)

    def items(self, layer: int, head: int) -> list[Item]:
        editing = self._editing
        is_muted = editing.is_muted(layer, head)
        words = self.tr("Compare with it unmuted") if is_muted else self.tr("Compare with it muted")
        compare: list[Item] = [(words, lambda: editing.compare_head(layer, head)), ("", None)]
        more = (self.tr("Open in a new panel"), lambda: self._add(layer, head))
        if not editing.is_possible:
            return [more]
        items = head_items(self._interventions[self.run], layer, head)
        rest = [*([] if self.run == "B" else compare), more]
        return [*with_heading(items, self.run, self._interventions), ("", None), *rest]


_MOST_TRIES = 40


class WhyCutNote(QDialog):
    """Shows one explanation; a new one replaces it."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self.text = QTextBrowser()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        in_column(self.text, buttons, of=self)
        self.resize(520, 420)

    @Slot(object)
    def show_explanation(self, why: WhyCut | None) -> None:
        """Show `why`, or that the tokenizer does not show its steps."""
        self.setWindowTitle(self.tr("Why is it cut here?"))
        good, bad = (self._look.colour(name).name() for name in ("right", "secondary"))
        not_shown = self.tr(
            "The steps of this word cannot be shown: its tokenizer splits texts in code of its own, or the "
            "letters around the word changed what it is."
        )
        lines = [not_shown] if why is None else [*_steps_before(why), *_steps(why, good, bad)]
        self.text.setHtml("".join(f"<p>{line}</p>" for line in lines))
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.show()
        self.raise_()


def _steps_before(why: WhyCut) -> list[str]:
    """Return what happens to a word before it is looked up."""
    typed = translate("WhyCut", "Typed: {0}").format(_shown(why.typed))
    if why.kind == "added":
        whole = translate("WhyCut", "It is a token of its own, found whole before anything is split.")
        return [typed, whole]
    if why.typed == why.normal.strip():
        normal = translate("WhyCut", "Normalised: unchanged")
    else:
        normal = translate("WhyCut", "Normalised: {0}").format(_shown(why.normal.strip()))
    lines = [typed, normal]
    if why.syllables:
        apart = "; ".join(f"{escape(syllable)} = {escape(letters)}" for syllable, letters in why.syllables)
        words = translate(
            "WhyCut", "Removing accents takes Hangul syllables apart into their letters (jamo): {0}"
        )
        lines.append(words.format(apart))
    lines.append(translate("WhyCut", "Word that is looked up: {0}").format(_shown(why.word)))
    return lines


def _steps(why: WhyCut, good: str, bad: str) -> list[str]:
    """Return the steps of the model, and what they end in."""
    if why.kind == "pieces" and why.is_too_long:
        lines = [translate("WhyCut", "It has more characters than this tokenizer looks up: it is unknown.")]
    elif why.kind == "pieces":  # the candidates of a word from the left, the longest first
        words = translate("WhyCut", "The longest piece from the left is taken, then the longest of the rest:")
        found, absent = translate("WhyCut", "found"), translate("WhyCut", "not in the vocabulary")
        rows = [
            f'<span style="color: {good if one.is_found else bad}">{_shown(one.piece)}: '
            f"{found if one.is_found else absent}</span>"
            for one in why.tries
        ]
        if len(rows) > _MOST_TRIES:
            left_out = translate("WhyCut", "… {0} more …").format(len(rows) - _MOST_TRIES)
            rows = [*rows[: _MOST_TRIES // 2], left_out, *rows[-_MOST_TRIES // 2 :]]
        lines = [words, "<br>".join(rows)]
    elif why.kind == "merges":
        begins = translate("WhyCut", "It begins as: {0}").format(_row(why.begins))
        rule = translate("WhyCut", "Rule {0}: {1} + {2} gives {3}")
        merged = [rule.format(f"{one.rule:,}", *map(_shown, one.pair), _row(one.parts)) for one in why.merges]
        lines = [begins, "<br>".join(merged) or translate("WhyCut", "No rule joins any.")]
    elif why.kind == "scores":
        best = translate("WhyCut", "Of all ways to cut it, this one has the largest sum of scores, {0}:")
        total = best.format(f"{sum(one.score for one in why.path):.2f}")
        lines = [total, "<br>".join(f"{_shown(one.piece)} {one.score:.2f}" for one in why.path)]
    else:
        lines = []
    return [*lines, translate("WhyCut", "Pieces: {0}").format(f"<b>{_row(why.pieces)}</b>")]


def _shown(piece: str) -> str:
    return f"<code>{escape(piece)}</code>"


def _row(parts: tuple[str, ...]) -> str:
    return " ".join(map(_shown, parts))
