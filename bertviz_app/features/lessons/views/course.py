"""The page of all lessons: the thirteen of the program along a line, each with its picture, then own ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, pairwise
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.state.player import LessonProgress, OwnLesson, OwnLessons, unread_words
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.canvas import Canvas, Guarded
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.pencil import Pencil
from bertviz_app.views.kit.words import language
from bertviz_app.views.thumbnails import draw_thumbnail

_THUMBNAILS = {
    "what-goes-in": ("tokens", "accent"),
    "embeddings": ("embeddings", "accent"),
    "query-key-value": ("roles", "key"),
    "self-attention": ("attention", "query"),
    "why-divide": ("scaled", "query"),
    "many-heads": ("heads", "query"),
    "residual-and-norm": ("norm", "secondary"),
    "feed-forward": ("feed-forward", "value"),
    "the-stack": ("stack", "accent"),
    "output": ("first", "output"),
    "pre-training": ("masked", "output"),
    "fine-tuning": ("classes", "output"),
    "is-it-an-explanation": ("weights", "sentence_b"),
}
"""The picture of each lesson and its colour, by its key."""
_COLUMNS, _WIDE, _GAP, _LARGE = 5, 230, 20, 1.7
_DOT, _BETWEEN = 9.0, 5.0


class Thumbnail(Canvas):
    """The small picture of a lesson."""

    def __init__(self, look: Look, key: str, name: str) -> None:
        super().__init__(look)
        self._key = key
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        return QSize(self.look.pixels(92), self.look.pixels(48))

    def draw(self, painter: QPainter) -> None:
        picture, colour = _THUMBNAILS.get(self._key, ("text", "secondary"))
        draw_thumbnail(Pencil(painter, self.look), picture, colour, QRectF(self.rect()), _LARGE)


class StationDots(Canvas):
    """A dot for each station: empty, a ring where it was seen, filled where it was solved."""

    def __init__(self, look: Look, lesson: Lesson, progress: LessonProgress) -> None:
        super().__init__(look)
        keys = [station.key for station in lesson.stations]
        self.is_seen = [progress.is_seen(lesson, key) for key in keys]
        self.is_done = [progress.is_done(lesson, key) for key in keys]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        words = self.tr("{0} stations: {1} seen, {2} solved")
        words = words.format(len(keys), sum(self.is_seen), sum(self.is_done))
        self.setAccessibleName(words)
        self.setToolTip(words)

    def sizeHint(self) -> QSize:
        return QSize(100, self.look.pixels(_DOT + 6))

    def draw(self, painter: QPainter) -> None:
        pencil, size = Pencil(painter, self.look), self.look.pixels(_DOT)
        for at, (is_seen, is_done) in enumerate(zip(self.is_seen, self.is_done, strict=True)):
            dot = QRectF(1 + at * (size + self.look.pixels(_BETWEEN)), 3, size, size)
            line = "right" if is_done else "accent" if is_seen else "rule"
            pencil.box(dot, line, 2, fill="right" if is_done else None, rounding=size / 2)


class CoursePath(Canvas):
    """Cards in rows, and the line that leads from each to the next one."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.cards: list[QWidget] = []
        self.grid = QGridLayout(self)
        self.grid.setSpacing(look.pixels(_GAP))
        self.grid.setContentsMargins(0, 0, 8, 8)

    def draw(self, painter: QPainter) -> None:
        pencil = Pencil(painter, self.look)
        for one, other in pairwise(self.cards):
            start, end = (QRectF(card.geometry()) for card in (one, other))
            if start.top() == end.top():
                y = start.top() + self.look.pixels(36)
                pencil.line(QPointF(start.right(), y), QPointF(end.left(), y), "accent", 3)
                continue
            between = (start.bottom() + end.top()) / 2  # down, back below the row, and down to the next one
            ways = (
                QPointF(start.center().x(), start.bottom()),
                QPointF(start.center().x(), between),
                QPointF(end.center().x(), between),
                QPointF(end.center().x(), end.top()),
            )
            for before, after in pairwise(ways):
                pencil.line(before, after, "accent", 3)


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
        in_column((self._area, 1), in_row(1, self.folder, self.file), of=self, margins=16)
        self.resize(parent.width() - 24, parent.height() - 48)
        self._fill()
        own.changed.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        page, path = named(QWidget(), "clear"), CoursePath(self._look)
        self.buttons = []
        columns = max(2, min(_COLUMNS, self.width() // self._look.pixels(_WIDE)))
        for at, lesson in enumerate(self._lessons):
            path.cards.append(self._card(str(at + 1), lesson, None))
            path.grid.addWidget(path.cards[-1], at // columns, at % columns)
            path.grid.setColumnStretch(at % columns, 1)
        own, numbers = QGridLayout(), count(1)
        for at, each in enumerate(self._own.lessons):
            shown = self._problem(each)
            if each.lesson is not None:
                shown = self._card(str(next(numbers)), each.lesson, each.path)
            own.addWidget(shown, at // columns, at % columns)
        for column in range(columns):
            own.setColumnStretch(column, 1)
        title = named(QLabel(self.tr("Own lessons")), "headline")
        title.setVisible(bool(self._own.lessons))
        remark = named(QLabel(unread_words(self._own.n_unread), wordWrap=True), "remark")
        remark.setVisible(bool(self._own.n_unread))
        in_column(path, title, remark, own, 1, of=page, margins=0, spacing=12)
        self._area.setWidget(page)
        keys, n_done = [lesson.key for lesson in self._lessons], self._progress.n_done
        unfinished = (at for at, each in enumerate(self._lessons) if n_done(each) < len(each.stations))
        first = keys.index(self._after) + 1 if self._after in keys else next(unfinished, 0)
        if self.buttons:
            self.buttons[min(first, len(self.buttons) - 1)].setFocus()

    def _card(self, number: str, lesson: Lesson, path: Path | None) -> LessonFrame:
        """Return a lesson: its picture, what it is about, which stations were seen and solved, a button."""
        now, progress = language(), self._progress
        n_done, n_stations = progress.n_done(lesson), len(lesson.stations)
        if n_done == n_stations:
            text = self.tr("Again")
        else:
            is_begun = n_done or progress.last_station(lesson)
            text = self.tr("Continue") if is_begun else self.tr("Begin")
        title, summary = lesson.title.in_language(now), lesson.summary.in_language(now)
        button = QPushButton(text)
        button.setAccessibleName(f"{text}: {title}")
        self.buttons.append(button)
        plain, top = Qt.TextFormat.PlainText, Qt.AlignmentFlag.AlignTop
        minutes = named(QLabel(self.tr("{0} min").format(lesson.minutes)), "secondary")
        card = LessonFrame()
        head = in_row(Thumbnail(self._look, lesson.key, title), 1, (minutes, 0, top))
        words = named(QLabel(title, wordWrap=True, textFormat=plain), "title")
        in_column(
            head,
            in_row((named(QLabel(number), "number"), 0, top), (words, 1), spacing=8),
            named(QLabel(summary, wordWrap=True, textFormat=plain), "secondary"),
            1,
            in_row((StationDots(self._look, lesson, progress), 1), button),
            of=card,
            margins=(14, 10, 14, 10),
            spacing=8,
        )
        for clicked in (card.clicked, button.clicked):
            clicked.connect(lambda *_: self._choose(lesson, path))
        return card

    def _problem(self, own: OwnLesson) -> QWidget:
        """Return what is wrong with a file."""
        problem = error_text(own.error) if own.error is not None else ""
        label = named(QLabel(problem, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "remark")
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        shown = named(QWidget(), "clear")
        in_column(named(QLabel(own.path.name, wordWrap=True), "title"), label, 1, of=shown, spacing=2)
        return shown

    def _choose(self, lesson: Lesson, path: Path | None) -> None:
        self.accept()
        self.chosen.emit(lesson, path)


class LessonFrame(Guarded, QFrame):
    """The card of a lesson; a click on it does what its button does."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report a click with the left button."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()
