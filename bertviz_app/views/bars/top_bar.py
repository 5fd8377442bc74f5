"""The bar on top: checkpoint, device, the two sentences, and the way to every command."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QWidget

from bertviz_app.text.tokens import MAX_CHARACTERS
from bertviz_app.views.bars.numbers_picker import NumbersPicker
from bertviz_app.views.bars.picker_button import PickerButton
from bertviz_app.views.bars.prompt_button import PromptButton
from bertviz_app.views.bars.remarks_button import RemarksButton
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named, restyle
from bertviz_app.views.kit.words import plain

_PAD = 12.0
_SIDE, _SPACING = 10, 8
_LEAST_FOR_TEXT, _LEAST_FOR_PAIR = 340, 560
_KEYS = QKeySequence.StandardKey
_ENDS = (_KEYS.MoveToStartOfDocument, _KEYS.MoveToEndOfDocument)
_SELECTED_ENDS = (_KEYS.SelectStartOfDocument, _KEYS.SelectEndOfDocument)
_REASON = Qt.FocusReason
_LEFT_FOR_ANOTHER = (_REASON.MouseFocusReason, _REASON.TabFocusReason, _REASON.BacktabFocusReason)


class SentenceField(QLineEdit):
    """A sentence, with its letter before it and a remark after it."""

    def __init__(self, look: Look, letter: str, colour: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sentence")
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
        if bool(self.property("problem")) != has_problem:
            self.setProperty("problem", has_problem)
            restyle(self)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys for the ends of a document to the ends of the text: in one line Qt ignores them."""
        for selects, (start, end) in enumerate((_ENDS, _SELECTED_ENDS)):
            if event.matches(start):
                self.home(bool(selects))
                return
            if event.matches(end):
                self.end(bool(selects))
                return
        super().keyPressEvent(event)

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show the beginning of a text that is longer than the field once it is left."""
        super().focusOutEvent(event)
        if event.reason() in _LEFT_FOR_ANOTHER and not self.hasSelectedText():
            self.setCursorPosition(0)

    @Slot()
    def _set_margins(self) -> None:
        remark = QFontMetricsF(self._look.font(12)).horizontalAdvance(self._remark)
        self.setTextMargins(self._look.pixels(18), 0, round(remark + 8 if remark else 0), 0)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        try:
            painter.setFont(self._look.font(12, bold=True))
            painter.setPen(self._look.colour(self._colour))
            room = QRectF(self.rect()).adjusted(_PAD, 0, -_PAD, 0)
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, self._letter)
            painter.setFont(self._look.font(12))
            painter.setPen(self._look.colour("warning"))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, self._remark)
        finally:
            painter.end()


class TopBar(QWidget):
    """Everything that decides what is computed, in one row."""

    texts_edited = Signal(str, object)
    palette_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self.models = PickerButton(look, 420)
        self.remarks = RemarksButton(look)
        self.devices = PickerButton(look, 240)
        self.text = SentenceField(look, "1", "accent")
        self.pair = SentenceField(look, "2", "sentence_b")
        self.prompts = PromptButton(self.text)
        self.add_pair = QPushButton("+ 2")
        self.compare = named(QPushButton(), "compare_button")
        self.compare.setCheckable(True)
        self.commands = QPushButton("Ctrl+K")
        self.recent = named(QPushButton(), "recent")
        self.menu = named(QPushButton("☰"), "menu")
        for button in (self.recent, self.menu):
            button.setMenu(QMenu(button))
        row = QHBoxLayout(self)
        row.setContentsMargins(_SIDE, 8, _SIDE, 8)
        row.setSpacing(_SPACING)
        for widget, stretch in (
            (self.models, 0),
            (self.remarks, 0),
            (self.devices, 0),
            (self.prompts, 0),
            (self.text, 3),
            (self.recent, 0),
            (self.pair, 2),
            (self.add_pair, 0),
            (NumbersPicker(look), 0),
            (self.compare, 0),
            (self.commands, 0),
            (self.menu, 0),
        ):
            row.addWidget(widget, stretch)
        self.pair.hide()
        self.text.textChanged.connect(self._on_text_changed)
        self.pair.textChanged.connect(self._on_text_changed)
        self.add_pair.clicked.connect(self.open_pair)
        self.commands.clicked.connect(self.palette_requested)
        self.pair.installEventFilter(self)
        look.changed.connect(self._give_room)
        self.retranslate()

    @property
    def numbers(self) -> NumbersPicker:
        """What chooses the numbers of attention that all views show."""
        picker = self.findChild(NumbersPicker)
        assert picker is not None
        return picker

    def retranslate(self) -> None:
        self.models.setToolTip(
            self.tr("The checkpoint: choose another one, open a folder, or name one on the hub")
        )
        self.devices.setToolTip(self.tr("Where the encoder runs"))
        self.prompts.retranslate()
        self.numbers.retranslate()
        self.text.setPlaceholderText(self.tr("Type a sentence …"))
        self.pair.setPlaceholderText(self.tr("A second sentence …"))
        self.text.setAccessibleName(self.tr("Sentence 1"))
        self.pair.setAccessibleName(self.tr("Sentence 2"))
        self.add_pair.setToolTip(self.tr("Add sentence 2 (Ctrl+B)"))
        self.compare.setText(self.tr("Compare"))
        self.compare.setToolTip(
            self.tr("Compare with a second run: other texts, another checkpoint, edits (Ctrl+Shift+C)")
        )
        self.commands.setToolTip(self.tr("All commands and their keys (Ctrl+K)"))
        self.recent.setToolTip(self.tr("Recent texts, checkpoints and files (Ctrl+R)"))
        self.recent.setAccessibleName(self.tr("Recent texts"))
        self.menu.setToolTip(self.tr("Everything the program can do"))
        self.menu.setAccessibleName(self.tr("Menu"))

    def set_texts(self, text: str, pair: str | None) -> None:
        """Write both fields without emitting `texts_edited`."""
        for field, words in ((self.text, text), (self.pair, pair or "")):
            if field.text() != words:
                field.blockSignals(True)
                field.setText(words)
                is_typed = field.hasFocus() and len(words) <= 200
                field.setCursorPosition(len(words) if is_typed else 0)
                field.blockSignals(False)
        self.prompts.retranslate()
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
        self.pair.clear()
        self._show_pair(False)
        self.text.setFocus()

    def _show_pair(self, is_shown: bool) -> None:
        self.pair.setVisible(is_shown)
        self.add_pair.setVisible(not is_shown)
        self._give_room()

    @Slot()
    def _give_room(self) -> None:
        """Leave out the details of the pickers where the sentences need their room: first the remark."""
        least = self._look.pixels(_LEAST_FOR_PAIR if self.pair.isVisibleTo(self) else _LEAST_FOR_TEXT)
        pickers: tuple[PickerButton | RemarksButton, ...] = (
            self.remarks,
            self.devices,
            self.numbers,
            self.models,
        )
        room = self._room - least
        for index, picker in enumerate(pickers):
            rest = [one for one in pickers[index:] if one.isVisibleTo(self)]
            picker.set_brief(room < sum(one.full_width + _SPACING for one in rest))
            room -= picker.sizeHint().width() + _SPACING if picker.isVisibleTo(self) else 0
        # The button may be hidden: its key, and the menu beside it, open the palette as well.
        self.commands.setVisible(room >= -least // 3)

    @property
    def _room(self) -> int:
        """The width that the other buttons leave to the sentences and the pickers."""
        others = (self.prompts, self.recent, self.add_pair, self.compare, self.menu, self.commands)
        fields = (self.text, self.pair)
        shown = [one for one in (*others, *fields) if one is self.commands or one.isVisibleTo(self)]
        gaps = 2 * _SIDE + _SPACING * (len(shown) - 1)
        return self.width() - gaps - sum(one.sizeHint().width() for one in shown if one in others)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_room()

    @Slot()
    def _on_text_changed(self) -> None:
        self.texts_edited.emit(self.text.text(), self.pair.text() or None)

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Share the room anew when a button is shown, hidden, or has another text."""
        layout = self.layout()
        if event.type() == QEvent.Type.LayoutRequest and layout is not None:
            self._give_room()
            # The layout was activated by this request before the texts became shorter.
            layout.activate()
        return super().event(event)

    @guarded(default=False)
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Close the second field when it is left empty."""
        if event.type() == QEvent.Type.FocusOut and not self.pair.text():
            QTimer.singleShot(0, self._close_if_left)
        return False

    @Slot()
    def _close_if_left(self) -> None:
        if not self.pair.text() and not self.pair.hasFocus():
            self._show_pair(False)
