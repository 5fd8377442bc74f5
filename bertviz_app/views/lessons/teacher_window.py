"""`TeacherWindow`: what a teacher reads beside the class: notes, the answer, and the list of stations."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language

_PRESENTATION = ("F11", "F5", "Shift+F5")
_KEYS = {"next": ("PgDown",), "back": ("PgUp",), "black": ("B", ".")}


class TeacherWindow(QDialog):
    """A window of its own, for another screen than the one that the class sees. Escape closes it."""

    station_chosen = Signal(int)
    next_requested = Signal()
    back_requested = Signal()
    black_requested = Signal()
    presentation_requested = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.stations = QListWidget()
        self.notes = _text("")
        self._task, self._answer = _text("secondary"), _text("")
        self._next_title = named(QLabel(wordWrap=True), "secondary")
        self._titles = {name: named(QLabel(), "title") for name in ("notes", "task")}
        self._buttons = {name: QPushButton() for name in ("black", "back", "next")}
        self._lay_out()
        self._connect()
        self.resize(look.pixels(760), look.pixels(460))

    def _lay_out(self) -> None:
        page = named(QWidget(), "clear")
        inner = QVBoxLayout(page)
        inner.setSpacing(8)
        for widget in (self._titles["notes"], self.notes, self._titles["task"], self._task, self._answer):
            inner.addWidget(widget)
        inner.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        row = QHBoxLayout()
        row.addLayout(_framed(self.stations), 2)
        row.addWidget(area, 3)
        foot = QHBoxLayout()
        foot.addWidget(self._next_title, 1)
        for button in self._buttons.values():
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.addLayout(row, 1)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.stations.currentRowChanged.connect(self._on_row_changed)
        signals = {"next": self.next_requested, "back": self.back_requested, "black": self.black_requested}
        for name, signal in signals.items():
            self._buttons[name].clicked.connect(signal)
            self._buttons[name].setAutoDefault(False)
            for keys in _KEYS[name]:
                QShortcut(QKeySequence(keys), self).activated.connect(signal)
        for keys in _PRESENTATION:
            QShortcut(QKeySequence(keys), self).activated.connect(self.presentation_requested)

    def show_station(self, lesson: Lesson, index: int, done: Sequence[bool], answer: str) -> None:
        """Show the notes and the answer of a station; `done` tells of each whether it is done."""
        now, station = language(), lesson.stations[index]
        self.retranslate()
        self.setWindowTitle(self.tr("{0} · for the teacher").format(lesson.title.in_language(now)))
        self._list(lesson, index, done)
        none = self.tr("This station has no notes.")
        self.notes.setText(station.notes.in_language(now) if station.notes is not None else none)
        task = station.task
        self._titles["task"].setVisible(task is not None)
        self._task.setText("" if task is None else task.ask.in_language(now))
        why = "" if task is None else task.why.in_language(now)
        self._answer.setText("\n".join(part for part in (answer, why) if part))
        self._announce(lesson, index)
        self._buttons["back"].setEnabled(index > 0)

    def _announce(self, lesson: Lesson, index: int) -> None:
        """Write what comes after a station: the next one, or the list of lessons."""
        if rest := lesson.stations[index + 1 :]:
            self._next_title.setText(self.tr("Next: {0}").format(rest[0].title.in_language(language())))
            return
        self._next_title.setText(self.tr("Last station. The list of lessons comes next."))
        self._buttons["next"].setText(self.tr("Finish"))
        self._buttons["next"].setToolTip(self.tr("The list of lessons (Page Down)"))

    def retranslate(self) -> None:
        for names, words in (
            (self._titles, {"notes": self.tr("Teacher's notes"), "task": self.tr("Task and answer")}),
            (
                self._buttons,
                {"black": self.tr("Black screen"), "back": self.tr("Back"), "next": self.tr("Next")},
            ),
        ):
            for name, text in words.items():
                names[name].setText(text)
        tips = {
            "black": self.tr("Nothing to look at, until a key is pressed (B)"),
            "back": self.tr("The station before (Page Up)"),
            "next": self.tr("The next station (Page Down)"),
        }
        for name, text in tips.items():
            self._buttons[name].setToolTip(text)
        self.stations.setAccessibleName(self.tr("Stations of the lesson"))

    def _list(self, lesson: Lesson, index: int, done: Sequence[bool]) -> None:
        self.stations.blockSignals(True)
        self.stations.clear()
        for number, (station, is_done) in enumerate(zip(lesson.stations, done, strict=True)):
            tick = "✓" if is_done else "  "
            QListWidgetItem(f"{number + 1}  {tick}  {station.title.in_language(language())}", self.stations)
        self.stations.setCurrentRow(index)
        self.stations.blockSignals(False)

    @Slot(int)
    def _on_row_changed(self, row: int) -> None:
        if row >= 0:
            self.station_chosen.emit(row)


def _text(name: str) -> QLabel:
    label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return named(label, name) if name else label


def _framed(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.addWidget(widget)
    return column
