"""`AnswerForm`: the questions that the files of a checkpoint leave open, in a form over the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.bars.question_list import QuestionList
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named

_WIDTH = 640
_EDGE = 10


class AnswerForm(QFrame):
    """Lies under the picker of checkpoints, without blocking the window; Enter opens, Escape cancels."""

    def __init__(self, look: Look, answering: Answering, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("form")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self._answering = answering
        self._field: QWidget | None = None
        self.title = named(QLabel(wordWrap=True), "title")
        self.questions = QuestionList(answering)
        self._error = named(QLabel(wordWrap=True), "wrong")
        self._where = named(QLabel(wordWrap=True), "secondary")
        self.give_up, self.open_button = QPushButton(), QPushButton()
        for label in (self.title, self._error, self._where):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._lay_out()
        self.give_up.clicked.connect(answering.cancel)
        self.open_button.clicked.connect(answering.answer)
        answering.changed.connect(self.refresh)
        look.changed.connect(self.follow)
        self.hide()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._where, 1)
        row.addWidget(self.give_up)
        row.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(12)
        column.addWidget(self.title)
        column.addWidget(self.questions, 1)
        column.addWidget(self._error)
        column.addLayout(row)

    def ask(self, field: QWidget) -> None:
        """Show the open questions under `field`, with the cursor in the first one."""
        self._field = field
        if not self.isVisible():
            self.refresh()
            self.show()
        self.follow()
        self.raise_()

    def take_cursor(self) -> None:
        """Put the cursor into the first question."""
        open_questions = self._answering.open_questions
        if open_questions is not None:
            self.questions.by_name[open_questions.names[0]].take_cursor()

    @property
    def message(self) -> str:
        """What is wrong with the checkpoint as it was answered, "" if nothing is."""
        return self._error.text()

    def retranslate(self) -> None:
        self.give_up.setText(self.tr("Cancel"))
        self.questions.retranslate()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the questions, what is typed and whether it can be used; hide without questions."""
        answering, open_questions = self._answering, self._answering.open_questions
        if open_questions is None:
            self.hide()
            return
        name = self.tr("the checkpoint") if open_questions.ref is None else _name_of(open_questions.ref)
        self.title.setText(
            self.tr("The files of {0} do not say everything").format(name)
            if open_questions.questions.unanswered
            else self.tr("Answers about {0}").format(name)
        )
        self.questions.show_questions(open_questions.names)
        self._error.setText("" if answering.error is None else error_text(answering.error))
        self._error.setVisible(answering.error is not None)
        self._where.setText(self._state())
        self.give_up.setText(self.tr("Cancel"))
        self.open_button.setText(self.tr("Open"))
        self.open_button.setEnabled(answering.typed.answers is not None)
        self.follow()

    def _state(self) -> str:
        open_questions = self._answering.open_questions
        if not self._answering.is_busy and open_questions is not None and open_questions.names == ("links",):
            return self.tr("Saved with the settings of this program.")
        if not self._answering.is_busy:
            return self.tr("Saved beside the checkpoint, in bertviz_app.json.")
        done = self._answering.progress
        return self.tr("opening …") if done is None else self.tr("opening … {0}").format(f"{done:.0%}")

    @Slot()
    def follow(self) -> None:
        """Lie under the field, within the window; what has no room is scrolled to."""
        window, field = self.parentWidget(), self._field
        if window is None or field is None:
            return
        corner = field.mapTo(window, QPoint(0, field.height() + 6))
        width = min(self._look.pixels(_WIDTH), window.width() - 2 * _EDGE)
        left = max(_EDGE, min(corner.x(), window.width() - width - _EDGE))
        room = window.height() - corner.y() - _EDGE
        self.setGeometry(left, corner.y(), width, min(self._height(width), room))

    def _height(self, width: int) -> int:
        """Return how high everything is at this width."""
        column = self.layout()
        assert column is not None
        margins = column.contentsMargins()
        within = width - margins.left() - margins.right()
        self.questions.setMinimumHeight(0)
        around = column.heightForWidth(width) - self.questions.sizeHint().height()
        return around + self.questions.height_of_all(within) + 2

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Take Escape before the shortcut of the window, which unpins what is pinned."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if key == Qt.Key.Key_Escape or (is_enter and self.give_up.hasFocus()):
            self._answering.cancel()
        elif is_enter:
            self._answering.answer()
        else:
            event.ignore()


def _name_of(ref: str) -> str:
    """Return what a checkpoint is called before it is open: a folder or a file by its own name."""
    return Path(ref).name if Path(ref).is_absolute() else ref
