"""The card of a lesson: its text, the forms of its tasks, pointer and training."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from bertviz_app.features.lessons.course.lesson import Lesson, Station, filled
from bertviz_app.features.lessons.course.tasks import (
    ChoiceTask,
    NumbersTask,
    OrderTask,
    Task,
    TokenTask,
    VoteTask,
)
from bertviz_app.features.lessons.state.player import MOST_HANDS, Miss
from bertviz_app.features.lessons.views.arrangement import MovableItems
from bertviz_app.features.lessons.views.course import CourseProgress, LessonEnd, next_words
from bertviz_app.learning.label_training import LABELS, NAMES, LabelProgress
from bertviz_app.learning.words import typed_number
from bertviz_app.timers import OneShot
from bertviz_app.viewmodels.label_trainings import LabelTrainings
from bertviz_app.viewmodels.wording import missing_words, translated
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, grow_with_text, in_column, in_row, named, restyle
from bertviz_app.views.kit.widgets import SignButton, show_words
from bertviz_app.views.kit.words import add_choice, language, without_mnemonic, write_prose


class StationsButton(QPushButton):
    """`chosen(index)`: another station is to be shown. Below the stations is what is done with the lesson.

    `own` are for lessons of one's own alone.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        named(self, "stations")
        self._menu = QMenu(self)
        self.setMenu(self._menu)
        self.notes = QAction(self.tr("Teacher's notes …"), self)
        self.all_lessons = QAction(self.tr("All lessons …"), self)
        self.change = QAction(self.tr("Change this station …"), self)
        self.arrange = QAction(self.tr("Arrange the stations …"), self)
        self.print = QAction(self.tr("Print the lesson …"), self)
        self.own = self.change, self.arrange

    def show_stations(self, titles: Sequence[str], index: int, done: Collection[int] = ()) -> None:
        """List the stations: the one at `index`, which is shown, in bold, and those that are done checked."""
        self.setText(self.tr("{0} of {1}").format(index + 1, len(titles)))
        words = self.tr("Stations of the lesson")
        self.setToolTip(words)
        self.setAccessibleName(f"{words}: {self.text()}")
        self._menu.clear()
        for number, title in enumerate(titles):
            text = without_mnemonic(f"{number + 1}   {title}")
            action = add_choice(self._menu, text, is_chosen=number in done)
            font = action.font()
            font.setBold(number == index)
            action.setFont(font)
            action.triggered.connect(lambda _=False, number=number: self.chosen.emit(number))
        self._menu.addSeparator()
        self._menu.addActions([self.notes, *self.own, self.print, self.all_lessons])


class TrainingBox(QFrame):
    """A button, and two bars with numbers beside them: real labels and random ones."""

    def __init__(self) -> None:
        super().__init__()
        self.is_running = False
        self.is_done = False
        self.button = QPushButton(self.tr("Train both"))
        self._names = {labels: QLabel() for labels in LABELS}
        self.bars = {labels: QProgressBar(textVisible=False, maximum=100) for labels in LABELS}
        self._numbers = {labels: named(QLabel(wordWrap=True), "secondary") for labels in LABELS}
        self._problem = named(QLabel(wordWrap=True), "remark")
        for bar in self.bars.values():
            bar.setFixedHeight(6)
        each = (part[labels] for labels in LABELS for part in (self._names, self.bars, self._numbers))
        in_column(self.button, *each, self._problem, of=self, margins=(0, 0, 0, 4), spacing=3)

    def show_trainings(self, trainings: LabelTrainings) -> None:
        """Show how far both are."""
        self.is_running = trainings.is_running
        self.is_done = len(trainings.results) == len(LABELS)
        if self.is_running:
            self.button.setText(self.tr("Stop"))
        else:
            self.button.setText(self.tr("Train again") if self.is_done else self.tr("Train both"))
        for labels, bar in self.bars.items():
            progress = trainings.progress.get(labels)
            self._names[labels].setText(translated(NAMES[labels]))
            self._numbers[labels].setText(self._words(progress))
            bar.setAccessibleName(translated(NAMES[labels]))
            bar.setValue(0 if progress is None else round(100 * progress.share))
            # At the end both would be full, as if the two models were equally good.
            bar.setVisible(progress is None or progress.result is None)
        show_words(self._problem, translated(trainings.problem))

    def _words(self, progress: LabelProgress | None) -> str:
        if progress is None:
            return self.tr("not trained yet")
        if progress.result is not None:
            words = self.tr("training rows {0:.1f} % · held-out rows {1:.1f} % · baseline {2:.1f} %")
            result = progress.result
            shares = (result.training_accuracy, result.held_out_accuracy, result.baseline)
            return words.format(*(100 * share for share in shares))
        if progress.accuracy is None:
            return self.tr("starting …")
        return self.tr("right in this step: {0:.0f} %").format(100 * progress.accuracy)


_LARGEST, _SMALLEST, _LINES = 18, 13, 40
"""The sizes of type, and how many lines of it are as high as the place: all pages have the same one."""
_FILLED = 0.95  # of the height: an answer comes below the text, whose size does not change for it
_SHEET = (
    "QLabel, QPushButton, QLineEdit, QListWidget, QSpinBox { font-size: %dpx } #headline { font-size: %dpx }"
    "#secondary { font-size: %dpx }"
)


class FillingArea(Guarded, QScrollArea):
    """Scrolls its page; a long page has the largest type with which it need not."""

    def __init__(self, look: Look, page: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self._look = look
        self._page = page
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(page)
        self._later = OneShot(self, self.fill)
        look.changed.connect(self.fill_later)

    @Slot()
    def fill_later(self) -> None:
        """Fit the type to another page or place, once that has its size."""
        self._later.start()

    @Slot()
    def fill(self) -> None:
        """Have the type of this place, on a long page a smaller one that fits."""
        width, height, look = self.viewport().width(), self.viewport().height(), self._look
        usual = min(max(round(height / look.scale / _LINES), _SMALLEST), _LARGEST)
        for size in range(usual, _SMALLEST - 1, -1):
            self._page.setStyleSheet(_SHEET % tuple(map(look.pixels, (size, size * 1.4, size * 0.8))))
            layout = self._page.layout()
            assert layout is not None
            layout.invalidate()
            layout.activate()
            if layout.totalMinimumSize().width() <= width and (
                layout.totalHeightForWidth(width) <= _FILLED * height
            ):
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fill_later()


WIDTH = 390
_USUAL, _SHARE = 0.23, 0.45  # of the width that it stands in; at most, where large text would take more
_LINE_HEIGHT = 107  # percent of that of the type, which is 1.5 times its size
_BELOW = 12  # pixels between an answer that was scrolled to and the edge
_BY_TAB = Qt.FocusPolicy.TabFocus


class LessonCard(QFrame):
    """Stands at the right of the window as long as a lesson is open."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("card")
        self._look = look
        self._is_in_english = self._lacks_own = False
        plain = Qt.TextFormat.PlainText
        self._lesson_name = named(QLabel(wordWrap=True, textFormat=plain), "secondary")
        self._title = named(QLabel(wordWrap=True, textFormat=plain), "headline")
        self.text = QLabel(wordWrap=True)
        self._remark = named(QLabel(wordWrap=True, textFormat=plain), "remark")
        self.task, self.end = TaskBox(), LessonEnd()
        words = self.tr("Leave the lesson and go back to your own work (Esc)")
        self.close_button = named(SignButton("✕"), "corner", words)
        self.stations_button = StationsButton()
        self.back_button = QPushButton(self.tr("Back"))
        self.again_button = QPushButton(self.tr("Reset the picture"))
        self.explore_button = named(QPushButton(self.tr("Open in Explore")), "link")
        self.next_button = QPushButton()
        top = Qt.AlignmentFlag.AlignTop
        head = in_row((self._lesson_name, 1), (self.stations_button, 0, top), (self.close_button, 0, top))
        page = named(QWidget(), "clear")
        explore = (self.explore_button, 0, Qt.AlignmentFlag.AlignLeft)
        parts = self._title, self.text, self._remark, self.task, self.end, explore, 1
        in_column(*parts, of=page, margins=(0, 0, 8, 0), spacing=10)
        self._area = FillingArea(self._look, page)
        foot = in_row(self.back_button, self.again_button, 1, self.next_button)
        in_column(head, (self._area, 1), foot, of=self, margins=(16, 12, 8, 12), spacing=8)
        # In the next turn of the event loop, when the layout has placed the answer:
        self.task.verdict_shown.connect(lambda: QTimer.singleShot(0, self._reveal))
        self.setAccessibleName(self.tr("Lesson"))
        self.again_button.setToolTip(self.tr("Reset the window to the beginning of this station"))
        self.explore_button.setToolTip(self.tr("Leave the lesson, and see what it shows with every number"))
        self.back_button.setToolTip(self.tr("The station before (Page Up)"))
        look.changed.connect(self.fit)
        self.fit()

    def show_station(
        self,
        lesson: Lesson,
        index: int,
        facts: Mapping[str, str],
        done: Collection[int] = (),
        *,
        lacks_own: bool = False,
    ) -> None:
        """Show a station, its text filled with `facts` as far as they are known; mark those in `done`.

        `lacks_own`: the learner has a sentence of their own, and the station needs another one.
        """
        self._lacks_own = lacks_own
        station, now = lesson.stations[index], language()
        write_prose(self._lesson_name, lesson.title.in_language(now))
        titles = [each.title.in_language(now) for each in lesson.stations]
        self.stations_button.show_stations(titles, index, done)
        write_prose(self._title, filled(station.title.in_language(now), facts))
        self._is_in_english = now == "ko" and index == 0 and is_english(station)
        self.show_facts(station, facts)
        self.task.show_task(station)
        self._set_end(is_end=False)
        self.back_button.setEnabled(index > 0)
        is_last = index == len(lesson.stations) - 1
        self.next_button.setText(self.tr("Finish") if is_last else self.tr("Next"))
        tips = self.tr("The next station (Page Down)"), self.tr("The end of the lesson (Page Down)")
        self.next_button.setToolTip(tips[is_last])
        self._order_keys()
        self.set_solved(station.task is None)
        self._area.verticalScrollBar().setValue(0)
        self._area.fill_later()

    def show_end(self, lesson: Lesson, course: CourseProgress) -> None:
        """Show how far the course is, in the place of text and task; `EndPicture` shows what was learnt."""
        self._title.setText(self.tr("The end of the lesson"))
        self.end.show_lesson(lesson, course)
        self._set_end(is_end=True)
        self.next_button.setText(next_words(course.after(lesson)))
        self.next_button.setToolTip("")
        self.back_button.setEnabled(True)
        self.set_solved(True)
        self._area.fill_later()
        self.next_button.setFocus()

    def _set_end(self, *, is_end: bool) -> None:
        self.end.setVisible(is_end)
        self.text.setVisible(not is_end)
        for part in (self._remark, self.task) if is_end else ():
            part.hide()
        self.again_button.setVisible(not is_end)

    def show_facts(self, station: Station, facts: Mapping[str, str]) -> None:
        """Fill the text with the numbers of the run, which may come later than the station."""
        parts = [filled(station.text.in_language(language()), facts)]
        if self._is_in_english:
            parts.append(self.tr("The sentence is English because this model was trained on English text."))
        if self._lacks_own:
            parts.append(self.tr("This station needs its own sentence. Yours comes back where it fits."))
        elif station.own_text and not station.typed:
            parts.append(self.tr("You may type a sentence of your own."))
        write_prose(self.text, "\n\n".join(parts), line_height=_LINE_HEIGHT)

    def show_missing_checkpoint(self, name: str) -> None:
        """Show that a checkpoint is not on this computer; "": all is there."""
        show_words(self._remark, missing_words(name) if name else "")

    def show_missing(self, token: str) -> None:
        """Show that the text of the station lacks a token that the station pins; "": it has all."""
        words = self.tr("The text of this station has no token “{0}”, so it is not pinned.")
        show_words(self._remark, words.format(token) if token else "")

    def show_problem(self, words: str) -> None:
        """Show what is wrong with the file of the lesson, whose last good version stays open."""
        shown = self.tr("The file has changed, and cannot be read. This is the version before.")
        show_words(self._remark, f"{words}\n{shown}")

    def set_solved(self, is_solved: bool) -> None:
        """Let the button to the next station stand out when the task is solved."""
        restyle(self.next_button, primary=is_solved)

    def focus_next_button(self) -> None:
        """Focus the button to the next station, if something on the card had the focus: Enter goes on."""
        if self.isAncestorOf(QApplication.focusWidget() or self):
            self.next_button.setFocus()

    def follow(self, target: QWidget) -> None:
        """Let Tab go from the part of the window that answers the task to the card."""
        QWidget.setTabOrder(target, self.task.focus_chain[0])
        self._order_keys()

    def _order_keys(self) -> None:
        """Let Tab go from the answer to the hint, and on to the next station."""
        chain = [*self.task.focus_chain, self.explore_button, self.next_button, self.back_button]
        chain.append(self.again_button)
        for before, after in pairwise([*chain, self.stations_button, self.close_button]):
            QWidget.setTabOrder(before, after)

    @Slot()
    def _reveal(self) -> None:
        """Scroll to what was answered, below the question."""
        self._area.ensureWidgetVisible(self.task.verdict, 0, _BELOW)

    @Slot()
    def fit(self) -> None:
        """Leave the views beside the card the larger share of the window."""
        width, beside = self._look.pixels(WIDTH), self.parentWidget()
        if beside is not None:
            width = min(max(width, int(_USUAL * beside.width())), int(_SHARE * beside.width()))
        self.setFixedWidth(width)


class TaskBox(QFrame):
    """The question, the form to answer it, the verdict, a hint, the answer.

    Of a vote `counted(option, hands)` is another count, and `revealed` a click on its button.
    """

    answered = Signal(object)
    counted = Signal(int, int)
    revealed = Signal()
    verdict_shown = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("task")
        self._task: Task | None = None
        self._form: QWidget | None = None
        self.training = TrainingBox()
        self._ask = QLabel(wordWrap=True)
        self._keys = named(QLabel(wordWrap=True), "secondary")
        self._missing_head = named(QLabel(wordWrap=True), "secondary")
        self._missing_head.hide()
        self.head_button = named(QPushButton(self.tr("Show that head again")), "link")
        self.head_button.hide()
        self.verdict = named(QLabel(wordWrap=True), "verdict")
        self.verdict.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.hint_button = named(QPushButton(self.tr("Hint")), "link")
        self.answer_button = named(QPushButton(self.tr("Show the answer")), "link")
        self._column = in_column(
            self._ask,
            self._keys,
            self.training,
            in_row(self.hint_button, self.answer_button, 1, spacing=18),
            self.verdict,  # below the links, which stay where they are
            self._missing_head,
            (self.head_button, 0, Qt.AlignmentFlag.AlignLeft),
            of=self,
            margins=(12, 10, 12, 10),
            spacing=8,
        )
        self.hint_button.clicked.connect(self._show_hint)

    def show_task(self, station: Station) -> None:
        """Show the task of a station; nothing where it asks nothing."""
        self._task = task = station.task
        if self._form is not None:
            self._form.hide()
            self._form.deleteLater()
            self._form = None
        self.setVisible(task is not None)
        words = {
            "token": self.tr("Keys: ← → to a token, then Enter."),
            "head": self.tr("Keys: arrows to a head, then Enter."),
        }
        # For other tasks the card itself shows the keys.
        show_words(self._keys, "" if task is None else words.get(task.kind, ""))
        self.training.setVisible(station.training is not None)
        self.verdict.hide()
        self.show_missing_head(None)
        if task is None:
            return
        write_prose(self._ask, task.ask.in_language(language()))
        self._form = self._form_of(task)
        # Where there is more to answer, the training is what the question is about: it stands above that.
        self._column.insertWidget(2 if self._form is None else 0, self.training)
        if self._form is not None:
            self._column.insertWidget(3, self._form)
            self._form.show()
        self.hint_button.show()
        self.answer_button.setVisible(task.kind not in ("do", "vote"))

    def _form_of(self, task: Task) -> QWidget | None:
        """Return the form of a task; None for one that is answered in the window itself."""
        if isinstance(task, VoteTask):
            vote = VoteForm(task)
            vote.counted.connect(self.counted)
            vote.button.clicked.connect(self.revealed)
            return vote
        forms: Mapping[str, Callable[[Any, Answered], QWidget]] = {
            "choice": ChoiceForm,
            "numbers": NumbersForm,
            "order": OrderForm,
        }
        return forms[task.kind](task, self.answered.emit) if task.kind in forms else None

    def show_hands(self, hands: Sequence[int]) -> None:
        """Show how many hands are counted for each option of a vote."""
        if isinstance(self._form, VoteForm):
            self._form.show_hands(hands)

    @property
    def focus_chain(self) -> list[QWidget]:
        """What takes the keyboard focus, in the order of the card."""
        form = [] if self._form is None else [self._form, *self._form.findChildren(QWidget)]
        if isinstance(self._form, ChoiceForm):
            form = [self._form, *self._form.shown]
        takers = [each for each in form if each.focusPolicy() & _BY_TAB]
        training = [] if self.training.isHidden() else [self.training.button]
        return [*training, *takers, self.hint_button, self.answer_button, self.head_button]

    def focus_form(self) -> bool:
        """Focus the form, or the button that trains; return whether there is one."""
        chain, training = self.focus_chain, self.training
        if self._form is None and training.isHidden():
            return False
        # Enter on the button would end the training that runs, or forget the one that is done.
        skips = self._form is not None and chain[0] is training.button
        chain[1 if skips and (training.is_running or training.is_done) else 0].setFocus()
        return True

    def show_verdict(
        self, is_right: bool, wrong_numbers: Sequence[int] = (), miss: Miss | None = None
    ) -> None:
        """Show whether the answer was right and why; if not, which numbers are wrong, and by how much."""
        if isinstance(self._form, NumbersForm):
            self._form.show_wrong(wrong_numbers)
        elif isinstance(self._form, ChoiceForm):
            self._form.show_verdict(is_right)
        task = self._task
        if isinstance(self._form, VoteForm):
            self._form.reveal()
            self.show_answer(self._form.right)
            self.hint_button.hide()
        elif task is not None and is_right:
            done = self.tr("Done.") if task.kind == "do" else self.tr("Right.")
            self._show_answer("right", f"✓ {done} {task.why.in_language(language())}")
            self.hint_button.hide()
            self.answer_button.hide()
        elif task is not None:
            self._show_answer("wrong", self._wrong_words(task, miss, len(wrong_numbers)))

    def _wrong_words(self, task: Task, miss: Miss | None, n_wrong: int) -> str:
        """Return what a wrong answer lacks: its number and rank; of a choice the reason, or else the hint."""
        if isinstance(task, ChoiceTask) and isinstance(self._form, ChoiceForm):
            reason = task.reason(self._form.chosen) or task.hint
            return self.tr("Not yet. {0}").format(reason.in_language(language()))
        if isinstance(task, NumbersTask) and 0 < n_wrong < len(task.answers):
            words = self.tr("Not yet: {0} of {1} numbers are right. The others are marked.")
            return words.format(len(task.answers) - n_wrong, len(task.answers))
        if miss is None:
            return self.tr("Not yet. Try again, or take the hint.")
        if miss.side:
            return {
                "larger": self.tr("Not yet: the right number is larger. Try again, or take the hint."),
                "smaller": self.tr("Not yet: the right number is smaller. Try again, or take the hint."),
                "other sign": self.tr("Not yet: only the sign is wrong."),
            }[miss.side]
        if not miss.name:
            words = self.tr("Not yet: {0} of {1} are where they belong. Move the others, or take the hint.")
            return words.format(miss.rank, miss.count)
        words = self.tr("Not yet: “{0}” has {1}, rank {2} of {3}. Try again, or take the hint.")
        return words.format(miss.name, miss.value, miss.rank, miss.count)

    def show_missing_head(self, at: tuple[int, int] | None) -> None:
        """Show that the head that the task is about, (layer, head), is not shown; None: it is."""
        if at is not None:
            words = self.tr("This question is about layer {0}, head {1}, but another head is shown now.")
            self._missing_head.setText(words.format(*at))
        for part in (self._missing_head, self.head_button):
            part.setVisible(at is not None)

    def show_no_answer(self) -> None:
        """Show why there is none: something is not computed, or the learner's own text lacks the tokens."""
        training, task = self.training, self._task
        if isinstance(task, TokenTask) and task.answer.analysis is not None:
            words = self.tr("The analysis has no result yet: wait until it is computed.")
        elif training.isHidden() or training.is_done:
            words = self.tr(
                "Your sentence has no answer to this: the tokens of the task are not in it. “{0}” brings "
                "back the sentence of the station."
            ).format(QCoreApplication.translate("LessonCard", "Reset the picture"))
        elif training.is_running:
            words = self.tr("The numbers come when both trainings are done: wait for the two bars.")
        else:
            words = self.tr("Nothing is trained yet, so there are no numbers. Press “{0}” first.")
            words = words.format(training.button.text())
        self._show_answer("wrong", words)

    def show_answer(self, answer: str) -> None:
        """Show the right answer and why it is right; "": that there is none."""
        if not answer:
            self.show_no_answer()
        elif self._task is not None:
            why = self._task.why.in_language(language())
            words = self.tr("The answer: {0}.").format(answer)
            self._show_answer("shown", f"{words}\n{why}")  # “2. 8 divided by 4” would read as 2.8

    def _show_hint(self) -> None:
        if self._task is not None:
            self._show_answer("hint", self._task.hint.in_language(language()))

    def _show_answer(self, tone: str, words: str) -> None:
        write_prose(self.verdict, words)
        self.verdict.show()
        restyle(self.verdict, tone=tone)
        self.verdict_shown.emit()


def is_english(station: Station) -> bool:
    """Return whether a station has an English sentence in every language."""
    text = station.scene.text
    return text is not None and text.ko == text.en and text.en.isascii()


Answered = Callable[[object], None]
"""Is called with the number of an option, or with a tuple of numbers or places."""
DIGITS = 9
"""So many options of a vote have a key."""
_MANY = 3
"""So many fields of numbers have their button below them: in a presentation they fill a line."""
_SESSION = random.SystemRandom().getrandbits(32)
"""The seed of the orders of options: others in each session, the same ones within it."""


class ChoiceForm(Guarded, QWidget):
    """A button for each option, in an order of this session.

    The form has the focus first, and not an option, which would look chosen; the arrows go to the options.
    """

    def __init__(self, task: ChoiceTask, answered: Answered) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(task.ask.in_language(language()))
        self._answered = answered
        self.chosen = 0
        """The number of the option that was chosen last."""
        self.buttons = [WrappedButton(option.in_language(language())) for option in task.options]
        group = QButtonGroup(self, exclusive=False)  # in a group the arrow keys do not leave the options
        order = list(range(len(task.options)))
        random.Random(f"{_SESSION} {task.ask.en}").shuffle(order)
        self.shown = [self.buttons[index] for index in order]
        """The buttons from the top."""
        for index, button in zip(order, self.shown, strict=True):
            group.addButton(button)
            button.clicked.connect(lambda _=False, index=index: self._choose(index))
        in_column(*self.shown, of=self, margins=0, spacing=6)

    def show_verdict(self, is_right: bool) -> None:
        """Mark the option that was chosen last; those that were wrong before stay marked."""
        self.buttons[self.chosen].mark(is_right)

    def _choose(self, index: int) -> None:
        self.chosen = index
        self._answered(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the first option, or to the last, from where the arrows go on."""
        ends = {Qt.Key.Key_Down: 0, Qt.Key.Key_Up: -1}
        if self.hasFocus() and (end := ends.get(Qt.Key(event.key()))) is not None:
            self.shown[end].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            event.ignore()


class WrappedButton(QPushButton):
    """A button whose text takes several lines where one is too long."""

    def __init__(self, text: str) -> None:
        super().__init__()
        named(self, "option")
        grow_with_text(self)
        self.setAccessibleName(text)
        label = QLabel(wordWrap=True)
        write_prose(label, text)
        self._mark = named(QLabel(), "mark")
        in_row((label, 1), self._mark, of=self, margins=(10, 7, 10, 7))
        for each in (label, self._mark):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def mark(self, is_right: bool) -> None:
        self._mark.setText("✓" if is_right else "✕")
        restyle(self, verdict="right" if is_right else "wrong")
        restyle(self._mark)


class VoteForm(QWidget):
    """A row for each option: its digit, its words, and a bar as long as the hands that are counted for it.

    `counted(option, hands)`: a number was typed.
    """

    counted = Signal(int, int)

    def __init__(self, task: VoteTask) -> None:
        super().__init__()
        translate, now = QCoreApplication.translate, language()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # not a field, into which the keys would type
        self.setAccessibleName(task.ask.in_language(now))
        self.right = task.options[task.right].in_language(now)
        self._right = task.right
        self.rows: list[QFrame] = []
        self.bars: list[QProgressBar] = []
        self.counts: list[QSpinBox] = []
        for index, option in enumerate(task.options):
            text = option.in_language(now)
            row, bar = named(QFrame(), "vote"), named(QProgressBar(textVisible=False), title=text)
            count = named(QSpinBox(), title=translate("Lessons", "Hands for: {0}").format(text))
            label = QLabel(wordWrap=True)
            write_prose(label, f"{index + 1}. {text}")
            count.setRange(0, MOST_HANDS)
            count.setAlignment(Qt.AlignmentFlag.AlignCenter)
            count.valueChanged.connect(lambda hands, index=index: self.counted.emit(index, hands))
            in_column(in_row((label, 1), count), bar, of=row, margins=(10, 6, 10, 8), spacing=4)
            self.rows.append(row)
            self.bars.append(bar)
            self.counts.append(count)
        keys = translate("Lessons", "Keys: 1 to {0} count a hand, Backspace takes the last one back.")
        self.button = QPushButton(translate("Lessons", "Reveal the answer"))
        self.button.setToolTip(translate("Lessons", "Show which answer is right (Shift+R)"))
        hint = named(QLabel(keys.format(min(len(self.rows), DIGITS)), wordWrap=True), "secondary")
        in_column(*self.rows, hint, self.button, of=self, margins=0, spacing=6)

    def show_hands(self, hands: Sequence[int]) -> None:
        """Show these counts; the longest bar is that of the most hands."""
        for bar, count, number in zip(self.bars, self.counts, hands, strict=True):
            with QSignalBlocker(count):
                count.setValue(number)
            bar.setRange(0, max(*hands, 1))
            bar.setValue(number)

    def reveal(self) -> None:
        """Highlight the right option."""
        restyle(self.rows[self._right], verdict="right")
        restyle(self.bars[self._right])
        self.button.setEnabled(False)


class WholeField(Guarded, QLineEdit):
    """A field in which a double click selects everything; Qt selects what is after the point of 0.25.

    B, which presenter remotes send, is no part of a number: it makes the screen black from here, too.
    """

    def event(self, event: QEvent) -> bool:
        """Leave B to the window."""
        if (
            isinstance(event, QKeyEvent)
            and (event.type(), event.key()) == (QEvent.Type.ShortcutOverride, Qt.Key.Key_B)
            and not event.modifiers()
        ):
            event.ignore()
            return False
        return bool(super().event(event))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select everything."""
        self.selectAll()


class NumbersForm(QWidget):
    """A field for each number; Enter or the button checks them."""

    def __init__(self, task: NumbersTask, answered: Answered) -> None:
        super().__init__()
        self._answered = answered
        translate = QCoreApplication.translate
        names = [translate("Lessons", "Number {0}").format(at) for at in range(1, len(task.answers) + 1)]
        self.fields = [named(WholeField(maxLength=24), "taskNumber", title=name) for name in names]
        self._problem = named(QLabel(wordWrap=True), "secondary")
        self._problem.hide()
        check = QPushButton(translate("Lessons", "Check"))
        for field in self.fields:
            field.returnPressed.connect(self._check)
        check.clicked.connect(self._check)
        row = in_row(*((field, 1) for field in self.fields), spacing=6)
        column = in_column(row, of=self, margins=0)
        if len(self.fields) < _MANY:
            row.addWidget(check)
        else:
            column.addWidget(check, 0, Qt.AlignmentFlag.AlignRight)
        column.addWidget(self._problem)

    def show_wrong(self, wrong: Sequence[int]) -> None:
        """Mark the fields of the wrong numbers; focus and select the first, to be typed over."""
        for index, field in enumerate(self.fields):
            restyle(field, wrong=index in wrong)
        if wrong:
            self.fields[wrong[0]].setFocus()
            self.fields[wrong[0]].selectAll()

    def _check(self) -> None:
        numbers = [number_in(field.text()) for field in self.fields]
        self._problem.setVisible(None in numbers)
        if None in numbers:
            words = QCoreApplication.translate("Lessons", "Type a number in each field, such as 0.25.")
            self._problem.setText(words)
            self.fields[numbers.index(None)].setFocus()
        else:
            self._answered(tuple(number for number in numbers if number is not None))


def number_in(text: str) -> float | None:
    """Return the number that was typed, with a decimal point or comma; None for anything else."""
    number = typed_number(text.strip().removesuffix("%"))
    if number is None or not -1e12 < number < 1e12:
        return None
    return number / 100 if text.strip().endswith("%") else number


class OrderForm(MovableItems):
    """Items to put in order; the third button, or Enter, checks the order."""

    def __init__(self, task: OrderTask, answered: Answered) -> None:
        super().__init__(QCoreApplication.translate("Lessons", "Items to put in order"))
        for index in task.shuffled:
            self.add(task.items[index].in_language(language()), index)
        check = QPushButton(QCoreApplication.translate("Lessons", "Check"))
        check.clicked.connect(lambda: answered(self.order))
        for enter in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.add_key(enter, check.click)
        self.row.addWidget(check)
