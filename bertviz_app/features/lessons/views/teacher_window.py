"""The window of a teacher, and the black screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QPainter, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QWidget,
)
from shiboken6 import isValid

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.course.tasks import VoteTask
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.words import language

_KEYS = {
    "next": ("PgDown",),
    "back": ("PgUp",),
    "black": ("B", "."),
    "presentation": ("F11", "F5", "Shift+F5"),
    "reveal": ("Shift+R",),
}


class TeacherWindow(QDialog):
    """A window of its own, for another screen than the one that the class sees. Escape closes it."""

    station_chosen = Signal(int)

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        orders: Mapping[str, Callable[[], None]],
        keys: Mapping[str, Callable[[], None]] = MappingProxyType({}),
    ) -> None:
        """`orders`: what "next", "back", "black" and "reveal" do, by button or key, "presentation" by key.

        `keys`: what other keys do.
        """
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.stations = named(QListWidget(), title=self.tr("Stations of the lesson"))
        self.notes = _text("")
        self._task, self._answer = _text("secondary"), _text("")
        self._next_title = named(QLabel(wordWrap=True), "secondary")
        self._task_title = named(QLabel(self.tr("Task and answer")), "title")
        self.buttons = {
            "reveal": QPushButton(self.tr("Reveal the answer"), autoDefault=False),
            "black": QPushButton(self.tr("Black screen"), autoDefault=False),
            "back": QPushButton(self.tr("Back"), autoDefault=False),
            "next": QPushButton(autoDefault=False),
        }
        self.buttons["black"].setToolTip(self.tr("Nothing to look at, until a key is pressed (B)"))
        self.buttons["reveal"].setToolTip(self.tr("Show the class which answer is right (Shift+R)"))
        self.buttons["back"].setToolTip(self.tr("The station before (Page Up)"))
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
            for key in _KEYS[name]:
                QShortcut(QKeySequence(key), self).activated.connect(order)
        for key, run in keys.items():
            QShortcut(QKeySequence(key), self).activated.connect(run)
        self.resize(look.pixels(760), look.pixels(460))

    def show_station(
        self, lesson: Lesson, index: int, done: Sequence[bool], answer: str, hands: Sequence[int] = ()
    ) -> None:
        """Show the notes and the answer of a station; `done` tells of each whether it is done.

        `hands` were counted for the options of a vote.
        """
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
        asked = [] if task is None else [task.ask.in_language(now)]
        if isinstance(task, VoteTask):
            options = zip(task.options, hands, strict=True)
            asked += [f"{n}. {each.in_language(now)}: {count}" for n, (each, count) in enumerate(options, 1)]
        self._task.setText("\n".join(asked))
        self.buttons["reveal"].setVisible(isinstance(task, VoteTask))
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
