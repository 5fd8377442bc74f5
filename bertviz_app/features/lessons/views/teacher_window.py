"""The window of a teacher, and the black screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QWidget,
)
from shiboken6 import isValid

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.state.player import LessonProgress, OwnLesson, OwnLessons, unread_words
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.canvas import Canvas, Guarded
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.words import language

_KEYS = {
    "next": ("PgDown",),
    "back": ("PgUp",),
    "black": ("B", "."),
    "presentation": ("F11", "F5", "Shift+F5"),
}


class TeacherWindow(QDialog):
    """A window of its own, for another screen than the one that the class sees. Escape closes it."""

    station_chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget, orders: Mapping[str, Callable[[], None]]) -> None:
        """`orders`: what "next", "back" and "black" do, by button or key, and "presentation", by key."""
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.stations = QListWidget()
        self.notes = _text("")
        self._task, self._answer = _text("secondary"), _text("")
        self._next_title = named(QLabel(wordWrap=True), "secondary")
        self._task_title = named(QLabel(self.tr("Task and answer")), "title")
        self.buttons = {
            "black": QPushButton(self.tr("Black screen"), autoDefault=False),
            "back": QPushButton(self.tr("Back"), autoDefault=False),
            "next": QPushButton(autoDefault=False),
        }
        self.buttons["black"].setToolTip(self.tr("Nothing to look at, until a key is pressed (B)"))
        self.buttons["back"].setToolTip(self.tr("The station before (Page Up)"))
        self.stations.setAccessibleName(self.tr("Stations of the lesson"))
        page = named(QWidget(), "clear")
        notes_title = named(QLabel(self.tr("Teacher's notes")), "title")
        task = self._task_title, self._task, self._answer
        in_column(notes_title, self.notes, *task, 1, of=page, spacing=8)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        body = in_row((in_column(self.stations), 2), (area, 3))
        foot = in_row((self._next_title, 1), *self.buttons.values())
        in_column((body, 1), foot, of=self, margins=(16, 16, 16, 12))
        self.stations.currentRowChanged.connect(self.station_chosen)
        for name, order in orders.items():
            if name in self.buttons:
                self.buttons[name].clicked.connect(order)
            for keys in _KEYS[name]:
                QShortcut(QKeySequence(keys), self).activated.connect(order)
        self.resize(look.pixels(760), look.pixels(460))

    def show_station(self, lesson: Lesson, index: int, done: Sequence[bool], answer: str) -> None:
        """Show the notes and the answer of a station; `done` tells of each whether it is done."""
        now, station = language(), lesson.stations[index]
        self.setWindowTitle(self.tr("{0} · for the teacher").format(lesson.title.in_language(now)))
        with QSignalBlocker(self.stations):
            self.stations.clear()
            for number, (each, is_done) in enumerate(zip(lesson.stations, done, strict=True)):
                tick = "✓" if is_done else "  "
                QListWidgetItem(f"{number + 1}  {tick}  {each.title.in_language(now)}", self.stations)
            self.stations.setCurrentRow(index)
        none = self.tr("This station has no notes.")
        self.notes.setText(station.notes.in_language(now) if station.notes is not None else none)
        task = station.task
        self._task_title.setVisible(task is not None)
        self._task.setText("" if task is None else task.ask.in_language(now))
        why = "" if task is None else task.why.in_language(now)
        self._answer.setText("\n".join(part for part in (answer, why) if part))
        self.buttons["back"].setEnabled(index > 0)
        if rest := lesson.stations[index + 1 :]:
            self._next_title.setText(self.tr("Next: {0}").format(rest[0].title.in_language(now)))
            self.buttons["next"].setText(self.tr("Next"))
            self.buttons["next"].setToolTip(self.tr("The next station (Page Down)"))
        else:
            self._next_title.setText(self.tr("Last station. The end of the lesson comes next."))
            self.buttons["next"].setText(self.tr("Finish"))
            self.buttons["next"].setToolTip(self.tr("The end of the lesson (Page Down)"))


def _text(name: str) -> QLabel:
    label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return named(label, name) if name else label


class BlackScreen(Canvas):
    """Lies over everything in the window and takes the keys."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, window)
        self._window = window
        self._focus: QWidget | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def cover(self) -> None:
        self._focus = QApplication.focusWidget()
        self.setAccessibleName(self.tr("Black screen"))
        self.setGeometry(self._window.rect())
        self._window.installEventFilter(self)
        self.show()
        self.raise_()
        self.setFocus()

    def uncover(self) -> None:
        """Show the window again."""
        self._window.removeEventFilter(self)
        self.hide()
        # What had the focus may have been closed and deleted below the black screen.
        if self._focus is not None and isValid(self._focus) and self._focus.isVisible():
            self._focus.setFocus()
        self._focus = None

    def draw(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), Qt.GlobalColor.black)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.uncover()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.uncover()

    def event(self, event: QEvent) -> bool:
        """Take every key, before a shortcut does."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return bool(super().event(event))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the window."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        return False


_TOP = Qt.AlignmentFlag.AlignTop
_RIGHT = Qt.AlignmentFlag.AlignRight


class LessonList(QDialog):
    """Opens over the window; Escape closes it. `chosen(lesson, path)`: `path` is that of the user's own."""

    chosen = Signal(object, object)

    def __init__(
        self,
        look: Look,
        lessons: Sequence[Lesson],
        own: OwnLessons,
        progress: LessonProgress,
        parent: QWidget,
        after: str = "",
    ) -> None:
        """Give the keys to the lesson after the one with the key `after`, or to the first unfinished one."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Lessons"))
        self._look = look
        self._lessons = lessons
        self._own = own
        self._progress = progress
        self._after = after
        self.buttons: list[QPushButton] = []
        self._area = QScrollArea(widgetResizable=True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setAccessibleName(self.windowTitle())
        self.folder = QPushButton(self.tr("Folder of own lessons"))
        self.folder.setToolTip(self.tr("Lesson files in it are listed here; the preferences name the folder"))
        self.file = QPushButton(self.tr("Open a lesson file …"))
        self.file.setToolTip(self.tr("A lesson that is somewhere else"))
        self.file.clicked.connect(self.accept)
        for button in (self.folder, self.file):
            button.setAutoDefault(False)
        in_column(self._area, in_row(1, self.folder, self.file), of=self, margins=16)
        self._fill()
        own.changed.connect(self._fill)
        page = self._area.widget()
        assert page is not None
        height = page.sizeHint().height() + look.pixels(110)
        self.resize(min(look.pixels(760), parent.width() - 40), min(height, parent.height() - 60))

    @Slot()
    def _fill(self) -> None:
        page = named(QWidget(), "clear")
        grid = QGridLayout(page)
        grid.setVerticalSpacing(self._look.pixels(8))
        grid.setHorizontalSpacing(self._look.pixels(14))
        grid.setColumnStretch(1, 1)
        self.buttons = []
        for number, lesson in enumerate(self._lessons, start=1):
            self._add(grid, str(number), lesson, None)
        if self._own.lessons:
            grid.addWidget(named(QLabel(self.tr("Own lessons")), "headline"), grid.rowCount(), 0, 1, 4)
        if words := unread_words(self._own.n_unread):
            remark = named(QLabel(words, wordWrap=True), "remark")
            grid.addWidget(remark, grid.rowCount(), 1, 1, 3)
        numbers = count(1)
        for own in self._own.lessons:
            if own.lesson is not None:
                self._add(grid, str(next(numbers)), own.lesson, own.path)
            else:
                self._add_problem(grid, own)
        grid.setRowStretch(grid.rowCount(), 1)
        self._area.setWidget(page)
        keys, n_done = [lesson.key for lesson in self._lessons], self._progress.n_done
        unfinished = (at for at, each in enumerate(self._lessons) if n_done(each) < len(each.stations))
        first = keys.index(self._after) + 1 if self._after in keys else next(unfinished, 0)
        if self.buttons:
            self.buttons[min(first, len(self.buttons) - 1)].setFocus()

    def _add(self, grid: QGridLayout, number: str, lesson: Lesson, path: Path | None) -> None:
        row, now, progress = grid.rowCount(), language(), self._progress
        words = ClickableWords(lesson.title.in_language(now), lesson.summary.in_language(now))
        words.clicked.connect(lambda: self._choose(lesson, path))
        n_done, n_stations = progress.n_done(lesson), len(lesson.stations)
        minutes = self.tr("{0} min").format(lesson.minutes)
        done = self.tr("{0} of {1}").format(n_done, n_stations) if n_done else minutes
        if n_done == n_stations:
            text = self.tr("Again")
        else:
            text = self.tr("Continue") if n_done or progress.last_station(lesson) else self.tr("Begin")
        button = QPushButton(text)
        button.setAccessibleName(f"{text}: {lesson.title.in_language(now)}")
        button.clicked.connect(lambda: self._choose(lesson, path))
        self.buttons.append(button)
        grid.addWidget(named(QLabel(number), "number"), row, 0, _TOP)
        grid.addWidget(words, row, 1)
        grid.addWidget(named(QLabel(done), "secondary"), row, 2, _TOP | _RIGHT)
        grid.addWidget(button, row, 3, _TOP)

    def _add_problem(self, grid: QGridLayout, own: OwnLesson) -> None:
        row = grid.rowCount()
        problem = error_text(own.error) if own.error is not None else ""
        label = named(QLabel(problem, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "remark")
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = in_column(named(QLabel(own.path.name, wordWrap=True), "title"), label, spacing=2)
        grid.addLayout(words, row, 1, 1, 3)

    def _choose(self, lesson: Lesson, path: Path | None) -> None:
        self.accept()
        self.chosen.emit(lesson, path)


class ClickableWords(Guarded, QWidget):
    """The title and the summary of a lesson; a click on them does what the button of the row does."""

    clicked = Signal()

    def __init__(self, title: str, summary: str) -> None:
        super().__init__()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        plain = Qt.TextFormat.PlainText
        texts = (
            named(QLabel(title, wordWrap=True, textFormat=plain), "title"),
            named(QLabel(summary, wordWrap=True, textFormat=plain), "secondary"),
        )
        in_column(*texts, of=self, margins=0, spacing=2)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report a click with the left button."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()
