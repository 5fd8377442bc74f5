"""The bar at the top, and below it the row of run B."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QBoxLayout, QLabel, QMenu, QPushButton, QWidget

from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.text.tokens import MAX_CHARACTERS
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.state import OtherRun, Room
from bertviz_app.viewmodels.wording import all_translated, error_text, translate, translated
from bertviz_app.views.bars.buttons import NumbersPicker, PickerButton, PromptButton, RemarksButton
from bertviz_app.views.bars.status_line import text_remark
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look, in_row, named, restyle, styled
from bertviz_app.views.kit.widgets import (
    ComposingEdit,
    Notice,
    SignButton,
    notice_area,
    set_shown,
    show_words,
)
from bertviz_app.views.kit.words import add_choice, language, plain, without_mnemonic
from bertviz_app.views.tokens.chip import Badges


class OtherModelPicker(PickerButton):
    """Lists the checkpoint of run A, those of this computer, and others that were used lately.

    `recent_models()` returns the checkpoints that were used lately. `folder`, `file` and `hub` ask for
    another one.
    """

    def __init__(
        self,
        look: Look,
        comparison: Comparison,
        workspace: Workspace,
        recent_models: Callable[[], Sequence[str]],
    ) -> None:
        super().__init__(look, 300)
        self._comparison = comparison
        self._workspace = workspace
        self._recent_models = recent_models
        self.folder = QAction(self.tr("Open a folder …"), self)
        self.file = QAction(self.tr("Open a file of weights …"), self)
        self.hub = QAction(self.tr("From the hub …"), self)
        self.menu().aboutToShow.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        menu, comparison = self.menu(), self._comparison
        menu.clear()
        menu.setToolTipsVisible(True)
        other = comparison.other or OtherRun()
        sources = self._workspace.available.sources
        listed = [(source.ref, source.name, source.problem is None) for source in sources]
        known = {ref for ref, _, _ in listed}
        more = dict.fromkeys(([] if other.ref is None else [other.ref]) + list(self._recent_models()))
        for ref, name, is_usable in [
            (None, self.tr("same checkpoint as run A"), True),
            *listed,
            *((ref, model_name(ref), True) for ref in more if ref not in known),
        ]:
            choose, is_chosen = partial(comparison.open_model, ref), ref == other.ref
            action = add_choice(menu, without_mnemonic(name), choose, is_chosen=is_chosen)
            action.setToolTip(plain(ref or ""))
            action.setEnabled(is_usable)
        menu.addSeparator()
        menu.addActions([self.folder, self.file, self.hub])


def model_name(ref: str) -> str:
    """Return what a checkpoint is called before it is open: a folder or a file by its own name."""
    return Path(ref).name if Path(ref).is_absolute() else ref


_PAD = 12.0
_SIDE, _SPACING = 10, 8
_LEAST_FOR_TEXT, _LEAST_FOR_PAIR = 340, 560
# In a narrower window the rooms are one button with a menu: where a few parts stand beside them, or all.
_NARROW, _NARROW_ALL = 760, 1100
# What each room has beside the switch of rooms, the sentence and the menu.
_ROOM_PARTS: dict[Room, tuple[str, ...]] = {
    "learn": (),
    "explore": ("models", "remarks", "prompts", "recent", "pair", "add_pair", "commands"),
    "research": (
        *("models", "remarks", "devices", "prompts", "recent"),
        *("pair", "add_pair", "numbers", "compare", "commands"),
    ),
}
_KEYS = QKeySequence.StandardKey
_ENDS = (_KEYS.MoveToStartOfDocument, _KEYS.MoveToEndOfDocument)
_SELECTED_ENDS = (_KEYS.SelectStartOfDocument, _KEYS.SelectEndOfDocument)
_START_PAGE = Qt.KeyboardModifier.ControlModifier | Qt.Key.Key_Home
_REASON = Qt.FocusReason
_LEFT_FOR_ANOTHER = (_REASON.MouseFocusReason, _REASON.TabFocusReason, _REASON.BacktabFocusReason)


class SentenceField(ComposingEdit):
    """A sentence, with its letter before it and a remark after it."""

    def __init__(self, look: Look, letter: str, colour: str, title: str) -> None:
        super().__init__()
        named(self, "sentence", title=title)
        self._look = look
        self._letter = letter
        self._colour = colour
        self._remark = ""
        # Qt would cut at 32,767 without a word; what is too long is refused with a sentence instead.
        self.setMaxLength(MAX_CHARACTERS + 1)
        self._set_margins()
        look.changed.connect(self._set_margins)

    def set_remark(self, remark: str, tip: str = "") -> None:
        """Show a short remark at the right end, such as how many tokens were left out."""
        if remark != self._remark:
            self._remark = remark
            self._set_margins()
            self.update()
        self.setToolTip(plain(tip))

    def set_problem(self, has_problem: bool) -> None:
        """Draw the frame in the colour of errors, or not."""
        restyle(self, problem=has_problem)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys for the ends of a document to the ends of the text: in one line Qt ignores them.

        All but Ctrl+Home, which is the window's here as elsewhere in it.
        """
        if event.keyCombination() == _START_PAGE:
            event.ignore()
            return
        for selects, (start, end) in enumerate((_ENDS, _SELECTED_ENDS)):
            if event.matches(start):
                self.home(bool(selects))
                return
            if event.matches(end):
                self.end(bool(selects))
                return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the beginning of a text that is longer than the field once it is left."""
        super().focusOutEvent(event)
        if event.reason() in _LEFT_FOR_ANOTHER and not self.hasSelectedText():
            self.setCursorPosition(0)

    @Slot()
    def _set_margins(self) -> None:
        remark = QFontMetricsF(self._look.font(12)).horizontalAdvance(self._remark)
        self.setTextMargins(self._look.pixels(18), 0, round(remark + 8 if remark else 0), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setFont(self._look.font(12, bold=True))
            painter.setPen(self._look.colour(self._colour))
            room = QRectF(self.rect()).adjusted(_PAD, 0, -_PAD, 0)
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, self._letter)
            painter.setFont(self._look.font(12))
            painter.setPen(self._look.colour("warning"))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, self._remark)


class TopBar(Guarded, QWidget):
    """Everything that decides what is computed, in one row."""

    texts_edited = Signal(str, object)

    def __init__(self, look: Look) -> None:
        super().__init__()
        styled(self, "bar")
        self._look = look
        self._shown_room: Room = "research"
        self._needed = ""
        self._is_blank = False
        self._arranged: tuple[Room, bool, bool, str] | None = None
        self.rooms = Segments(_room_words())
        self.lessons = QPushButton(self.tr("Lessons"))
        self.offers_lessons = True
        self.models = PickerButton(look, 420)
        self.remarks = RemarksButton(look)
        self.devices = PickerButton(look, 240)
        self.text = SentenceField(look, "1", "accent", self.tr("Sentence 1"))
        self.pair = SentenceField(look, "2", "sentence_b", self.tr("Sentence 2"))
        self.prompts = PromptButton(self.text)
        self.add_pair = QPushButton(self.tr("+ Sentence 2"))
        self.compare = named(QPushButton(self.tr("Compare")), "compare_button")
        self.compare.setCheckable(True)
        self.language = named(QPushButton("English" if language() == "ko" else "한국어"), "link")
        self.commands = QPushButton("Ctrl+K")
        tip = self.tr("Recent texts, checkpoints and files (Ctrl+R)")
        self.recent = named(QPushButton(), "recent", tip, self.tr("Recent texts"))
        tip = self.tr("Everything the program can do")
        self.menu = named(SignButton("☰"), "menu", tip, self.tr("Menu"))
        self.numbers = NumbersPicker(look)
        self._gap = QWidget()
        for button in (self.recent, self.menu):
            button.setMenu(QMenu(button))
        before = self.rooms, self.models, self.remarks, self.devices, self.prompts
        texts = (self.text, 3), self.recent, (self.pair, 2), self.add_pair, (self._gap, 1)
        at_right = self.numbers, self.compare, self.lessons, self.language, self.commands, self.menu
        parts = *before, *texts, *at_right
        self._row = in_row(*parts, of=self, margins=(_SIDE, 8, _SIDE, 8), spacing=_SPACING)
        for part in (self.lessons, self.language, self._gap, self.pair):
            part.hide()
        for field in (self.text, self.pair):
            field.read.connect(self._on_text_changed)
        self.add_pair.clicked.connect(self.open_pair)
        self.pair.installEventFilter(self)
        look.changed.connect(self._give_room)
        self._write_words()

    def _write_words(self) -> None:
        models = self.tr("The checkpoint: choose another one, open a folder, or name one on the hub")
        compare = self.tr("Compare with a second run: other texts, another checkpoint, edits (Ctrl+Shift+C)")
        for button, tip in (
            (self.models, models),
            (self.devices, self.tr("Where the encoder runs")),
            (self.add_pair, self.tr("Add sentence 2: the model reads both as one pair (Ctrl+B)")),
            (self.compare, compare),
            (self.commands, self.tr("All commands and their keys (Ctrl+K)")),
        ):
            button.setToolTip(tip)
        self.text.setPlaceholderText(self.tr("Type a sentence …"))
        self.pair.setPlaceholderText(self.tr("A second sentence …"))

    def show_room(self, room: Room, *, is_lesson: bool, is_blank: bool, needed: str = "") -> None:
        """Show what belongs to a room; on the start page nothing that would act on no text.

        A lesson has the sentence alone: a station may ask to type it. `needed`: what the station points at.
        """
        arranged = room, is_lesson, is_blank, needed
        if arranged == self._arranged:
            return
        self._arranged = arranged
        self._shown_room, self._needed, self._is_blank = room, needed, is_blank
        self.rooms.choose(room)
        is_start = room == "learn" and is_blank and not is_lesson
        self.text.setVisible(not is_start)
        self._gap.setVisible(is_start)
        self.lessons.setVisible(self.offers_lessons and room == "learn" and not is_lesson and not is_blank)
        self.language.setVisible(is_blank and not is_lesson)
        for part in (self.models, self.devices, self.numbers, self.compare, self.recent):
            part.setVisible(self._belongs(part))
        self.remarks.set_quiet(room == "explore")
        for picker in (self.remarks, self.prompts):
            picker.allow(is_allowed=self._belongs(picker))
        self._show_pair(bool(self.pair.text()) or self.pair.hasFocus())
        self._give_room()

    def _belongs(self, part: QWidget) -> bool:
        """Whether a part of the bar belongs to the room, or a station points at it."""
        if part is self.models and self._needed == "picker":
            return True
        if self._is_blank and part in (self.numbers, self.compare, self.add_pair):
            return False  # there is nothing yet that it could act on
        return any(getattr(self, name) is part for name in _ROOM_PARTS[self._shown_room])

    def set_texts(self, text: str, pair: str | None) -> None:
        """Write both fields without emitting `texts_edited`."""
        for field, words in ((self.text, text), (self.pair, pair or "")):
            if field.whole_text != words:
                with QSignalBlocker(field):
                    field.write(words)
                    field.setCursorPosition(len(words) if field.hasFocus() and len(words) <= 200 else 0)
                self.prompts.refresh()
        # Emptied in order to type another, the field stays until it is left.
        self._show_pair(bool(pair) or self.pair.hasFocus())

    def set_editable(self, is_editable: bool) -> None:
        """Let the texts be typed, or only read: those of a saved trace are not encoded anew."""
        for field in (self.text, self.pair):
            field.setReadOnly(not is_editable)
        self.add_pair.setEnabled(is_editable)
        self.prompts.setEnabled(is_editable)

    def open_pair(self) -> None:
        """Show the second field and put the cursor into it, unless the texts can only be read."""
        if self.pair.isReadOnly():
            return
        self._show_pair(True)
        self.pair.setFocus()

    def close_pair(self) -> None:
        """Remove the second sentence, unless the texts can only be read."""
        if self.pair.isReadOnly():
            return
        self.pair.write("")
        self._show_pair(False)
        self.text.setFocus()

    def _show_pair(self, is_shown: bool) -> None:
        is_offered = not is_shown and self._belongs(self.add_pair)
        if (self.pair.isHidden(), self.add_pair.isHidden()) == (not is_shown, not is_offered):
            return
        self.pair.setVisible(is_shown)
        self.add_pair.setVisible(is_offered)
        self._give_room()

    @Slot()
    def _give_room(self) -> None:
        """Leave out the details of the pickers where the sentences need their room: first the remark."""
        narrow = _NARROW_ALL if self._shown_room == "research" else _NARROW
        self.rooms.set_compact(self.width() < self._look.pixels(narrow))
        least = self._look.pixels(_LEAST_FOR_PAIR if self.pair.isVisibleTo(self) else _LEAST_FOR_TEXT)
        pickers: tuple[PickerButton | RemarksButton, ...] = (
            self.remarks,
            self.devices,
            self.numbers,
            self.models,
        )
        # What the other buttons leave to the sentences and the pickers.
        others = (
            *(self.rooms, self.lessons, self.prompts, self.recent, self.language),
            *(self.add_pair, self.compare, self.menu, self.commands),
        )
        fields = (self.text, self.pair)
        shown = [one for one in (*others, *fields) if one is self.commands or one.isVisibleTo(self)]
        room = self.width() - 2 * _SIDE - _SPACING * (len(shown) - 1) - least
        room -= sum(one.sizeHint().width() for one in shown if one in others)
        for index, picker in enumerate(pickers):
            rest = [one for one in pickers[index:] if one.isVisibleTo(self)]
            picker.set_brief(room < sum(one.full_width + _SPACING for one in rest))
            room -= picker.sizeHint().width() + _SPACING if picker.isVisibleTo(self) else 0
        # The button may be hidden: its key, and the menu beside it, open the palette as well.
        self.commands.setVisible(self._belongs(self.commands) and room >= -least // 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_room()

    @Slot()
    def _on_text_changed(self) -> None:
        self.texts_edited.emit(self.text.whole_text, self.pair.whole_text or None)

    def event(self, event: QEvent) -> bool:
        """Share the room anew when a button is shown, hidden, or has another text."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._give_room()
            # The layout was activated by this request before the texts became shorter.
            self._row.activate()
        return super().event(event)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Close the second field when it is left empty."""
        if event.type() == QEvent.Type.FocusOut and not self.pair.text():
            QTimer.singleShot(0, self._close_if_left)
        return False

    @Slot()
    def _close_if_left(self) -> None:
        if not self.pair.text() and not self.pair.hasFocus():
            self._show_pair(False)


def _room_words() -> tuple[tuple[str, str, str], ...]:
    return (
        ("learn", translate("Rooms", "Learn"), translate("Rooms", "Lessons, and one picture (Ctrl+Alt+1)")),
        (
            "explore",
            translate("Rooms", "Explore"),
            translate("Rooms", "Your own sentence: one picture, and what you add to it (Ctrl+Alt+2)"),
        ),
        ("research", translate("Rooms", "Research"), translate("Rooms", "Everything (Ctrl+Alt+3)")),
    )


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
        styled(self, "compare")
        self._comparison = comparison
        self._workspace = workspace
        self._notice: Notice | None = None
        self.name = named(QLabel(self.tr("Run B")), "run_b")
        self.models = OtherModelPicker(look, comparison, workspace, recent_models)
        self.text = SentenceField(look, "1", "accent", self.tr("Run B: sentence 1"))
        self.prompts = PromptButton(self.text)
        self.pair = SentenceField(look, "2", "sentence_b", self.tr("Run B: sentence 2"))
        self.badges = Badges(QBoxLayout.Direction.LeftToRight, most=3)
        self.state = named(QLabel(), "secondary")
        tip = self.tr("Swap run A and run B (Ctrl+Shift+X)")
        self.swap = named(SignButton("⇅"), "", tip, self.tr("Swap run A and run B"))
        self.remarks = RemarksButton(look)
        self.remarks.set_brief(True)
        tip = self.tr("Stop comparing (Ctrl+Shift+C)")
        self.close_button = named(SignButton("✕"), "plain", tip, self.tr("Stop comparing"))
        texts = self.prompts, (self.text, 3), (self.pair, 2)
        at_right = self.badges, self.state, self.swap, self.close_button
        before = self.name, self.models, self.remarks
        in_row(*before, *texts, *at_right, of=self, margins=(10, 6, 10, 7), spacing=8)
        for field in (self.text, self.pair):
            field.read.connect(self._on_text_changed)
        self.badges.edits_chosen.connect(comparison.set_edits)
        self.swap.clicked.connect(comparison.swap)
        self.close_button.clicked.connect(comparison.end)
        comparison.changed.connect(self.refresh)  # also after each `shown_changed`
        comparison.problem_changed.connect(self._on_problem_changed)
        workspace.shown_changed.connect(self.refresh)
        tip = self.tr("A second run, shown beside run A. An empty field means: same as in run A")
        self.name.setToolTip(tip)
        self.models.setToolTip(self.tr("The checkpoint of run B"))
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show how run B differs from run A; the row of a run B that is no more is left empty."""
        other, shown = self._comparison.other, self._comparison.shown
        was_shown = not self.isHidden()
        set_shown(self, other is not None)
        if other is None and not was_shown:
            return
        other = other or OtherRun()
        for field, words in ((self.text, other.text or ""), (self.pair, other.pair or "")):
            if field.whole_text != words:
                with QSignalBlocker(field):  # written by the program, not by the user
                    field.write(words)
        name = self.tr("same checkpoint") if other.ref is None else model_name(other.ref)
        remarks: tuple[str, ...] = ()
        if other.ref is not None and shown is not None and shown.result.request.ref == other.ref:
            name, remarks = shown.result.facts.name, shown.result.facts.remarks
        self.models.set_texts(name)
        self.remarks.set_remarks(tuple(map(translated, remarks)))
        facts, a = self._workspace.facts, self._workspace.shown
        if other.ref is not None:  # the prompts of run B's checkpoint, once it is open
            is_open = shown is not None and shown.result.request.ref == other.ref
            facts = shown.result.facts if shown is not None and is_open else None
        of_a = None if a is None else a.result.request
        inherited = "" if of_a is None else of_a.text
        pair = None if of_a is None else of_a.pair
        same = self.tr("same as run A: {0}")
        self.text.setPlaceholderText(same.format(inherited))
        has_pair = bool(pair) and other.text is None
        self.pair.setPlaceholderText(same.format(pair) if has_pair else self.tr("no second sentence"))
        self.pair.setVisible(bool(other.pair or pair) or self.pair.hasFocus())
        self.prompts.set_prompts(() if facts is None else facts.prompts, inherited)
        remark, tip = "", ""
        if shown is not None and other.text is not None:
            remark = text_remark(shown.result.trace.tokens, shown.result.facts)
            tip = all_translated(shown.result.notices)
        self.text.set_remark(remark, tip)
        # Before run B has a trace, the tokens that are edited are those of A of the same texts.
        edited = a if shown is None and other.text is None and other.pair is None else shown
        trace = None if edited is None else edited.result.trace
        if trace is None:
            self.badges.show_edits(other.edits, None)
        else:
            self.badges.show_edits(other.edits, trace.tokens, trace.edits)
        show_words(self.state, self._state())

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
        self._comparison.set_texts(self.text.whole_text, self.pair.whole_text or None)

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
