"""`LessonList`: all lessons with how far each is, and the user's own with what is wrong with their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.viewmodels.learning.player import LessonProgress, OwnLesson, OwnLessons, unread_words
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language

_TOP = Qt.AlignmentFlag.AlignTop
_RIGHT = Qt.AlignmentFlag.AlignRight


class LessonList(QDialog):
    """Opens over the window; Escape closes it. `chosen(lesson, path)`: `path` is that of the user's own."""

    chosen = Signal(object, object)
    file_requested = Signal()
    folder_requested = Signal()

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
        self._lay_out()
        self._fill()
        own.changed.connect(self._fill)
        self.resize(min(look.pixels(760), parent.width() - 40), min(look.pixels(620), parent.height() - 40))

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addStretch(1)
        for words, tip, signal in (
            (
                self.tr("Folder of own lessons"),
                self.tr("Lesson files in it are listed here; the preferences name the folder"),
                self.folder_requested,
            ),
            (
                self.tr("Open a lesson file …"),
                self.tr("A lesson that is somewhere else"),
                self.file_requested,
            ),
        ):
            button = QPushButton(words)
            button.setToolTip(tip)
            button.setAutoDefault(False)
            button.clicked.connect(signal)
            foot.addWidget(button)
        self.file_requested.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.addWidget(self._area)
        column.addLayout(foot)

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
        number = 0
        for own in self._own.lessons:
            if own.lesson is not None:
                number += 1
                self._add(grid, str(number), own.lesson, own.path)
            else:
                self._add_problem(grid, own)
        grid.setRowStretch(grid.rowCount(), 1)
        self._area.setWidget(page)
        if self.buttons:
            self.buttons[min(self._next_index(), len(self.buttons) - 1)].setFocus()

    def _next_index(self) -> int:
        keys = [lesson.key for lesson in self._lessons]
        if self._after in keys:
            return keys.index(self._after) + 1
        unfinished = (
            index
            for index, lesson in enumerate(self._lessons)
            if self._progress.n_done(lesson) < len(lesson.stations)
        )
        return next(unfinished, 0)

    def _add(self, grid: QGridLayout, number: str, lesson: Lesson, path: Path | None) -> None:
        row, now, progress = grid.rowCount(), language(), self._progress
        words = ClickableWords()
        words.add(lesson.title.in_language(now), "title")
        words.add(lesson.summary.in_language(now), "secondary")
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
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(named(QLabel(own.path.name, wordWrap=True), "title"))
        problem = error_text(own.error) if own.error is not None else ""
        label = named(QLabel(problem, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "remark")
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(label)
        grid.addLayout(words, row, 1, 1, 3)

    def _choose(self, lesson: Lesson, path: Path | None) -> None:
        self.accept()
        self.chosen.emit(lesson, path)


class ClickableWords(QWidget):
    """The title and the summary of a lesson; a click on them does what the button of the row does."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._column = column

    def add(self, text: str, style: str) -> None:
        """Add a text below those that are there."""
        label = QLabel(text, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._column.addWidget(named(label, style))

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report a click with the left button."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()
