"""The questions about a checkpoint, each with what it is answered with, and the form that asks them."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QPoint, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QLabel, QLineEdit, QPushButton, QScrollArea, QWidget

from bertviz_app.checkpoint.question_table import FOLDER, MOST_OFFERED, QUESTIONS, TypedVerdict
from bertviz_app.checkpoint.questions import Questions
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.bars.top_bar import model_name
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look, in_column, in_row, named, restyle, styled
from bertviz_app.views.kit.widgets import show_words


class QuestionRow(QWidget):
    """A name, the widgets to answer it with, the verdict on the answer, and what the question means."""

    def __init__(self, name: str, answering: Answering) -> None:
        super().__init__()
        self.question = QUESTIONS[name]
        self._name = name
        self._answering = answering
        self.title = named(QLabel(translated(self.question.title)), "title")
        self.verdict = named(QLabel(), "verdict")
        self.meaning = named(QLabel(wordWrap=True), "secondary")
        self.row = in_row(spacing=6)
        for part in (self.title, self.verdict, self.meaning):
            part.setTextFormat(Qt.TextFormat.PlainText)
        head = in_row(self.title, (self.verdict, 1), spacing=12)
        in_column(head, self.row, self.meaning, of=self, margins=0, spacing=4)

    @property
    def asked(self) -> Questions:
        """What is known of the checkpoint that is asked about."""
        open_questions = self._answering.open_questions
        return Questions() if open_questions is None else open_questions.questions

    def take_cursor(self) -> None:
        """Give the keyboard focus to the widget that answers the question."""

    def refresh(self) -> None:
        """Show what is typed, and whether it can be used."""
        meaning = self.question.meaning
        self.meaning.setText(translated(meaning if isinstance(meaning, str) else meaning(self.asked)))

    def show_verdict(self, verdict: TypedVerdict) -> None:
        """Write the verdict on the answer, in the colour of its kind."""
        tone = {"unusual": "warning", "wrong": "error"}.get(verdict.kind, "")
        self.verdict.setText(translated(verdict.words))
        restyle(self.verdict, tone=tone)


class TypedQuestion(QuestionRow):
    """A question that is answered by typing, or by a click on one of the answers that are offered."""

    def __init__(self, name: str, answering: Answering) -> None:
        super().__init__(name, answering)
        is_folder, placeholder = self.question.kind is FOLDER, self.question.placeholder
        is_wide = is_folder or bool(placeholder)
        field = QLineEdit(placeholderText=translated(placeholder))
        self.field = named(field, "answers" if is_wide else "answer", title=self.title.text())
        self.field.textEdited.connect(lambda text: answering.typed.write(name, text))
        self.row.addWidget(self.field, 8 if is_wide else 0)
        if is_folder:
            choose = named(QPushButton(self.tr("Choose a tokenizer folder …")), "small")
            choose.clicked.connect(self._on_choose_clicked)
            self.row.addWidget(choose)
        self.offers = [named(QPushButton(), "small") for _ in range(MOST_OFFERED)]
        for button in self.offers:
            button.clicked.connect(lambda _=False, button=button: answering.typed.write(name, button.text()))
            self.row.addWidget(button)
        self.row.addStretch(0 if placeholder else 1)

    def take_cursor(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def refresh(self) -> None:
        """Show what is typed, with the cursor where it is, and what is offered."""
        super().refresh()
        typed, offers = self._answering.typed, self.question.offers(self.asked)
        text = typed.texts.get(self._name, "")
        if self.field.text() != text:
            self.field.setText(text)
        for number, button in enumerate(self.offers):
            button.setVisible(number < len(offers))
            if number < len(offers):
                button.setText(offers[number][0])
                button.setToolTip(translated(offers[number][1]))
        self.show_verdict(typed.verdict(self._name))

    @Slot()
    def _on_choose_clicked(self) -> None:
        title = self.tr("Choose the folder of a tokenizer")
        folder = QFileDialog.getExistingDirectory(self, title, self.field.text())
        if folder:
            self._answering.typed.write(self._name, folder)


class ChoiceQuestion(QuestionRow):
    """A question with a button for each answer."""

    def __init__(self, name: str, answering: Answering) -> None:
        super().__init__(name, answering)
        choices = self.question.choices
        self._values = {str(value): value for value, _, _ in choices}
        self.choice = Segments(
            [(str(value), translated(words), translated(tip)) for value, words, tip in choices]
        )
        self.choice.chosen.connect(lambda key: answering.typed.choose(name, self._values[key]))
        self.row.addWidget(self.choice)
        self.row.addStretch(1)

    def take_cursor(self) -> None:
        self.choice.take_cursor()

    def refresh(self) -> None:
        """Show the current state; an answer that this checkpoint cannot have is disabled."""
        super().refresh()
        chosen = self._answering.typed.chosen.get(self._name)
        if chosen is None:
            self.choice.choose_none()
        elif str(chosen) in self._values:
            self.choice.choose(str(chosen))
        possible = self.asked.choices.get(self._name, tuple(self._values.values()))
        for key, value in self._values.items():
            self.choice.offer(key, is_offered=value in possible)
        self.show_verdict(TypedVerdict("open", self.question.remark(self.asked)))


class PartsQuestion(QuestionRow):
    """Which part of the model each tensor is: a button that opens a dialog of its own."""

    def __init__(self, answering: Answering) -> None:
        super().__init__("parts", answering)
        self.button = QPushButton(self.tr("Show the tensors …"))
        self.row.addWidget(self.button)
        self.row.addStretch(1)

    def take_cursor(self) -> None:
        self.button.setFocus()


class QuestionList(QScrollArea):
    """Shows the questions that are open; `by_name` has all questions, by the names of their answers."""

    def __init__(self, answering: Answering) -> None:
        super().__init__(widgetResizable=True)
        table = QUESTIONS.items()
        self.typed = {name: TypedQuestion(name, answering) for name, one in table if one.is_typed}
        self.choices = {name: ChoiceQuestion(name, answering) for name, one in table if one.choices}
        self.parts = PartsQuestion(answering)
        rows: dict[str, QuestionRow] = {**self.typed, **self.choices, "parts": self.parts}
        self.by_name = {name: rows[name] for name in QUESTIONS}
        body = named(QWidget(), "clear")
        self._column = in_column(*self.by_name.values(), of=body, margins=(0, 0, 8, 0), spacing=14)
        self.setWidget(body)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_questions(self, names: Collection[str]) -> None:
        """Show the questions of these names with what is typed; hide the others."""
        for name, question in self.by_name.items():
            question.setVisible(name in names)
            question.refresh()

    def height_of_all(self, width: int) -> int:
        """Return how high all visible questions are at this width."""
        return self._column.heightForWidth(width)


_WIDTH = 640
_EDGE = 10


class AnswerForm(Guarded, QFrame):
    """Lies under the picker of checkpoints, without blocking the window; Enter opens, Escape cancels."""

    def __init__(self, look: Look, answering: Answering, parent: QWidget) -> None:
        super().__init__(parent)
        styled(self, "form")
        self._look = look
        self._answering = answering
        self._field: QWidget | None = None
        self.title = named(QLabel(wordWrap=True), "title")
        self.questions = QuestionList(answering)
        self._error = named(QLabel(wordWrap=True), "wrong")
        self._where = named(QLabel(wordWrap=True), "secondary")
        self.give_up, self.open_button = QPushButton(self.tr("Cancel")), QPushButton(self.tr("Open"))
        for label in (self.title, self._error, self._where):
            label.setTextFormat(Qt.TextFormat.PlainText)
        row = in_row((self._where, 1), self.give_up, self.open_button, spacing=8)
        parts = self.title, (self.questions, 1), self._error, row
        self._column = in_column(*parts, of=self, margins=(16, 12, 16, 12), spacing=12)
        self.give_up.clicked.connect(answering.cancel)
        self.open_button.clicked.connect(answering.answer)
        answering.changed.connect(self.refresh)
        look.changed.connect(self.follow)
        self.hide()
        self.refresh()

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

    @Slot()
    def refresh(self) -> None:
        """Show the questions, what is typed and whether it can be used; hide without questions."""
        answering, open_questions = self._answering, self._answering.open_questions
        if open_questions is None:
            self.hide()
            return
        name = self.tr("the checkpoint") if open_questions.ref is None else model_name(open_questions.ref)
        self.title.setText(
            self.tr("The files of {0} do not say everything").format(name)
            if open_questions.questions.unanswered
            else self.tr("Answers about {0}").format(name)
        )
        self.questions.show_questions(open_questions.names)
        show_words(self._error, "" if answering.error is None else error_text(answering.error))
        done, where = answering.progress, self.tr("Saved beside the checkpoint, in bertviz_app.json.")
        if answering.is_busy:
            where = self.tr("opening …") if done is None else self.tr("opening … {0}").format(f"{done:.0%}")
        elif open_questions.names == ("links",):
            where = self.tr("Saved with the settings of this program.")
        self._where.setText(where)
        self.open_button.setEnabled(answering.typed.answers is not None)
        self.follow()

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
        margins = self._column.contentsMargins()
        within = width - margins.left() - margins.right()
        self.questions.setMinimumHeight(0)
        around = self._column.heightForWidth(width) - self.questions.sizeHint().height()
        self.setGeometry(
            left, corner.y(), width, min(around + self.questions.height_of_all(within) + 2, room)
        )

    def event(self, event: QEvent) -> bool:
        """Take Escape before the shortcut of the window, which unpins what is pinned."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if key == Qt.Key.Key_Escape or (is_enter and self.give_up.hasFocus()):
            self._answering.cancel()
        elif is_enter:
            self._answering.answer()
        else:
            event.ignore()
