"""The code of a part of the encoder: the lines of this stop are marked, and every line leads to its stop."""

from __future__ import annotations

import re
from types import MappingProxyType

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QTextEdit, QToolTip, QWidget

from bertviz_app.features.steps.code import CodeBlock, CodeLine
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.look import Look, in_column, in_row, named

_LARGEST, _SMALLEST, _WRAPPED, _HANGING = 20, 12, 11, 6
_COLUMNS, _ROWS = 72, 21
"""So many have room in every block, so that most have letters of one size."""
_USUAL = 14
"""Letters are larger than this only where all lines have room below each other, too."""
_ROLES = MappingProxyType(
    {
        r"\bQ\b|\bself\.query\b": "query",
        r"\bK\b|\bself\.key\b": "key",
        r"\bV\b|\bself\.value\b": "value",
        r"\bcontext\b|\bout\b|\bself\.dense\b": "output",
        r"\b(def|return|self|import|from)\b(?!\.)": "accent",
        r"#.*$": "secondary",
    }
)
"""What has a colour of its own: Q, K, V and what is made of them, as in the pictures; a comment last."""


class CodeText(Guarded, QTextEdit):
    """The lines. `stage_chosen`: a line of this stage was chosen; `stage_opened`: its picture is to be shown.

    Keys other than those for copying are left to the panel, whose arrows walk. Without a selection all of
    the block is copied.
    """

    stage_chosen = Signal(str)
    stage_opened = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(readOnly=True, lineWrapMode=QTextEdit.LineWrapMode.NoWrap)
        self._look = look
        self._marked: tuple[int, ...] = ()
        self._pointed = -1
        self.block: CodeBlock | None = None
        self.stage = ""
        self.titles: dict[str, str] = {}
        """Of the stages of the block, for the tool tips of their lines."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setMinimumSize(160, 80)
        named(self, "code")
        look.changed.connect(self._write)

    def show_block(self, block: CodeBlock, marked: tuple[int, ...]) -> None:
        """Show a block, and mark the lines of the stop."""
        if block != self.block:
            self.block = block
            self._write()
        if marked and self.textCursor().blockNumber() not in marked:
            self.setTextCursor(QTextCursor(self.document().findBlockByNumber(marked[0])))
        self._marked = marked
        self._mark()

    def copy_block(self) -> None:
        """Put the whole block on the clipboard."""
        if self.block is not None:
            QGuiApplication.clipboard().setText(self.block.text)

    def line_at(self, number: int) -> CodeLine | None:
        """Return the line of this number if it computes a stop."""
        lines = () if self.block is None else self.block.lines
        return lines[number] if 0 <= number < len(lines) and lines[number].stages else None

    # drawing

    def _mark(self) -> None:
        self.setExtraSelections(
            [
                *(self._row(line, self._look.colour("accent", 0.16)) for line in self._marked),
                *([self._row(self._pointed, self._look.colour("text", 0.06))] if self._pointed >= 0 else []),
            ]
        )

    def _row(self, number: int, colour: QColor) -> QTextEdit.ExtraSelection:
        row = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document().findBlockByNumber(number))
        if self.lineWrapMode() is not QTextEdit.LineWrapMode.NoWrap:  # else only its first row is marked
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        row.cursor = cursor
        row.format.setBackground(colour)
        row.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return row

    @Slot()
    def _write(self) -> None:
        """Write the block as large as the longest line has room for; in a narrow panel lines are wrapped."""
        if self.block is None:
            return
        longest = "0" * max(_COLUMNS, *map(len, self.block.text.splitlines()))
        room = self.viewport().width() - 2 * self.document().documentMargin() - 4
        height, n_rows = self.viewport().height() - 12, max(_ROWS, len(self.block.lines))
        for pixels in range(_LARGEST, _SMALLEST - 1, -1):
            font = self._look.number_font(pixels)
            metrics = QFontMetricsF(font)
            is_wrapped = metrics.horizontalAdvance(longest) > room
            if not is_wrapped and (pixels <= _USUAL or n_rows * metrics.lineSpacing() <= height):
                break
        if is_wrapped:
            font = self._look.number_font(_WRAPPED)
        text = (self.block.loose if is_wrapped else self.block.text).removesuffix("\n")
        at = self.textCursor().blockNumber()
        self.setPlainText(text)
        modes = QTextEdit.LineWrapMode
        self.setLineWrapMode(modes.WidgetWidth if is_wrapped else modes.NoWrap)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        plain = QTextCharFormat()
        plain.setFont(font)  # one of the widget's would be the style sheet's
        plain.setForeground(self._look.colour("text"))
        cursor.setCharFormat(plain)
        indent = QFontMetricsF(font).horizontalAdvance("0" * _HANGING) if is_wrapped else 0.0
        hanging = QTextBlockFormat()
        hanging.setLeftMargin(indent)
        hanging.setTextIndent(-indent)
        cursor.setBlockFormat(hanging)
        # Q, K, V and the output have the colours that they have in the pictures.
        cursor, form = QTextCursor(self.document()), QTextCharFormat()
        for pattern, colour in _ROLES.items():
            form.setForeground(self._look.colour(colour))
            for found in re.finditer(pattern, text, re.MULTILINE):
                cursor.setPosition(found.start())
                cursor.setPosition(found.end(), QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(form)
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(at)))
        self._mark()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write()

    # gestures

    def _number_at(self, event: QMouseEvent | QHelpEvent) -> int:
        """Return the number of the line under the pointer if it computes a stop; -1 elsewhere."""
        at = event.position().toPoint() if isinstance(event, QMouseEvent) else event.pos()
        cursor = self.cursorForPosition(at)
        is_below = at.y() > self.cursorRect(cursor).bottom() + 2
        number = cursor.blockNumber()
        return -1 if is_below or self.line_at(number) is None else number

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point(self._number_at(event))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point(-1)

    def _point(self, number: int) -> None:
        if number != self._pointed:
            self._pointed = number
            shape = Qt.CursorShape.PointingHandCursor if number >= 0 else Qt.CursorShape.IBeamCursor
            self.viewport().setCursor(shape)
            self._mark()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        number = self._number_at(event)
        if number >= 0 and not self.textCursor().hasSelection():
            self._choose(number, self.stage_chosen)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._choose(self._number_at(event), self.stage_opened)

    def _choose(self, number: int, signal: SignalInstance) -> None:
        """Emit the stage of a line; the one that is shown if the line is one of its own."""
        if (line := self.line_at(number)) is not None:
            signal.emit(self.stage if self.stage in line.stages else line.stages[-1])

    def step_line(self, count: int) -> bool:
        """Go to the next line that computes a stop, or to one before; False at the ends of the block."""
        if self.block is None:
            return False
        marked, lines = self.block.lines_of(self.stage), self.block.lines
        at = self.textCursor().blockNumber()
        at = at if at in marked or not marked else marked[0]
        at += count
        while 0 <= at < len(lines) and not lines[at].stages:
            at += count
        if not 0 <= at < len(lines):
            return False
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(at)))
        self._choose(at, self.stage_chosen)
        return True

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            line = self.line_at(self._number_at(event))
            words = " · ".join(self.titles.get(stage, stage) for stage in line.stages) if line else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().viewportEvent(event)

    def event(self, event: QEvent) -> bool:
        """Take the keys for copying before the window's shortcut does; leave all others to that."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            event.setAccepted(event.matches(QKeySequence.StandardKey.Copy))
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.SelectAll):
            super().keyPressEvent(event)
        elif not event.matches(QKeySequence.StandardKey.Copy):
            event.ignore()
        elif self.textCursor().hasSelection():
            super().keyPressEvent(event)
        else:
            self.copy_block()


class StepsCode(QWidget):
    """A block of code below its name and the button that copies it."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.text = CodeText(look)
        self.note = named(Elided(), "secondary")
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.copy = named(QPushButton(self.tr("Copy code")), "plain", self.tr("Copy these lines (Ctrl+C)"))
        above = in_row((self.note, 1), self.copy, margins=(12, 2, 8, 2))
        in_column(above, (in_row(self.text, margins=(8, 0, 4, 0)), 1), of=self, margins=0, spacing=2)
        self.copy.clicked.connect(self.text.copy_block)

    def show_stop(self, block: CodeBlock, stage: str, titles: dict[str, str], *, is_changed: bool) -> None:
        """Mark the lines of a stage of a block. `is_changed`: something was done to heads of this run."""
        self.text.stage, self.text.titles = stage, titles
        marked = block.lines_of(stage)
        self.text.show_block(block, marked)
        names = {
            "embeddings": self.tr("The embeddings in PyTorch."),
            "attention": self.tr("The attention in PyTorch."),
            "feed-forward": self.tr("The feed-forward part in PyTorch."),
            "pooler": self.tr("The top of the encoder in PyTorch."),
        }
        name = names[block.name]
        hint = (
            self.tr("What was done to heads or weights of this run is not in these lines.")
            if is_changed
            else self.tr("A click on a line goes to its stop, a double click to its picture.")
        )
        self.note.setText(hint if is_changed else f"{name} {hint}")
        self.note.brief = hint if is_changed else name
        self.note.setToolTip(f"{name} {hint}")
        lines = " ".join(block.written(block.lines[number]).strip() for number in marked)
        self.text.setAccessibleName(name)
        self.text.setAccessibleDescription(f"{titles.get(stage, stage)}: {lines}")
