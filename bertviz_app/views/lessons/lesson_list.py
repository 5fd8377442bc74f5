"""`LessonList`: all lessons with how far each is; a click opens one where it was left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.viewmodels.learning.progress import LessonProgress
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language


class LessonList(QDialog):
    """Opens over the window; Escape closes it. `chosen` tells the place of a lesson in the list."""

    chosen = Signal(int)
    folder_asked = Signal()

    def __init__(
        self, look: Look, lessons: Sequence[Lesson], progress: LessonProgress, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Lessons"))
        page = named(QWidget(), "clear")
        grid = QGridLayout(page)
        grid.setVerticalSpacing(look.pixels(8))
        grid.setHorizontalSpacing(look.pixels(14))
        grid.setColumnStretch(1, 1)
        self.buttons: list[QPushButton] = []
        for place, lesson in enumerate(lessons):
            self._add(grid, place, lesson, progress)
        grid.setRowStretch(len(lessons), 1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(page)
        area.setAccessibleName(self.windowTitle())
        own = QPushButton(self.tr("Open a lesson file …"))
        own.clicked.connect(self.folder_asked)
        own.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.addWidget(area)
        column.addWidget(own, 0, Qt.AlignmentFlag.AlignRight)
        self.resize(min(look.pixels(760), parent.width() - 40), min(look.pixels(620), parent.height() - 40))

    def _add(self, grid: QGridLayout, place: int, lesson: Lesson, progress: LessonProgress) -> None:
        now = language()
        number = named(QLabel(str(place + 1)), "number")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(named(QLabel(lesson.title.in_language(now), wordWrap=True), "title"))
        words.addWidget(named(QLabel(lesson.summary.in_language(now), wordWrap=True), "secondary"))
        n_done, n_stations = progress.n_done(lesson), len(lesson.stations)
        minutes = self.tr("{0} min").format(lesson.minutes)
        done = self.tr("{0} of {1}").format(n_done, n_stations) if n_done else minutes
        if n_done == n_stations:
            text = self.tr("Again")
        else:
            text = self.tr("Continue") if n_done or progress.place_of(lesson) else self.tr("Begin")
        button = QPushButton(text)
        button.setAccessibleName(f"{text}: {lesson.title.in_language(now)}")
        button.clicked.connect(lambda: self._choose(place))
        self.buttons.append(button)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(number, place, 0, top)
        grid.addLayout(words, place, 1)
        grid.addWidget(named(QLabel(done), "secondary"), place, 2, top | Qt.AlignmentFlag.AlignRight)
        grid.addWidget(button, place, 3, top)

    def _choose(self, place: int) -> None:
        self.accept()
        self.chosen.emit(place)
