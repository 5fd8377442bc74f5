"""The page of all lessons, how far the learner is, and the end of a lesson, with what can now be said."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, pairwise
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QMouseEvent,
    QPainter,
    QPainterPath,
    QResizeEvent,
)
from PySide6.QtWidgets import (
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
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    GrowingPicture,
    note_label,
    title_label,
)
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.canvas import Canvas, Guarded
from bertviz_app.views.kit.look import Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.words import language, write_prose
from bertviz_app.views.model_map import draw_thumbnail

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
    "answer": ("answer", "secondary"),
}
"""The picture of each lesson and its colour, by its key; and that of the end of the way."""
_COLUMNS, _WIDE, _GAP, _TALL, _GROWN = 5, 230, 20, 26, 80
_HIGH = 44
_HEIGHTS = _HIGH, 32, 24
"""Of a picture, at least: as usual, and where there is less room."""
_BESIDE = 110
"""What a card needs of the width beside its picture: its margins, the gap to the next one, the minutes."""
_MARGINS = 14, 8, 14, 8
_DOT, _BETWEEN = 9.0, 5.0


class Thumbnail(Canvas):
    """The picture of a lesson, twice as wide as high."""

    def __init__(self, look: Look, key: str, name: str) -> None:
        super().__init__(look)
        self._key = key
        self.setAccessibleName(name)
        self.set_height(look.pixels(_HIGH))

    def set_height(self, height: int) -> None:
        """Set the height, in pixels, and the width, which is twice that."""
        self.setFixedSize(2 * height, height)

    def draw(self, painter: QPainter) -> None:
        picture, colour = _THUMBNAILS.get(self._key, ("text", "secondary"))
        scale = self.height() / self.look.pixels(_TALL)
        draw_thumbnail(Pencil(painter, self.look), picture, colour, QRectF(self.rect()), scale)


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
        named(self, tip=words)

    def sizeHint(self) -> QSize:
        return QSize(100, self.look.pixels(_DOT + 6))

    def draw(self, painter: QPainter) -> None:
        pencil, size = Pencil(painter, self.look), self.look.pixels(_DOT)
        for at, (is_seen, is_done) in enumerate(zip(self.is_seen, self.is_done, strict=True)):
            dot = QRectF(1 + at * (size + self.look.pixels(_BETWEEN)), 3, size, size)
            line = "right" if is_done else "accent" if is_seen else "rule"
            pencil.box(dot, line, 2, fill="right" if is_done else None, rounding=size / 2)


class CoursePath(Canvas):
    """Cards in rows; where `is_joined`, a line leads from each to the next one."""

    def __init__(self, look: Look, cards: Sequence[QWidget], *, is_joined: bool) -> None:
        super().__init__(look)
        self._cards, self._is_joined = cards, is_joined
        self.grid = QGridLayout(self)
        self.grid.setSpacing(look.pixels(_GAP))
        self.grid.setContentsMargins(0, 0, 8, 8)
        self.arrange(_COLUMNS)

    def arrange(self, n_columns: int) -> None:
        """Lay out the cards in this many columns."""
        for column in range(_COLUMNS):
            self.grid.setColumnStretch(column, int(column < n_columns))
        for at, card in enumerate(self._cards):
            self.grid.addWidget(card, at // n_columns, at % n_columns)

    def draw(self, painter: QPainter) -> None:
        pencil = Pencil(painter, self.look)
        for one, other in pairwise(self._cards if self._is_joined else ()):
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


class LessonList(Guarded, QWidget):
    """The way from a text to the answer, with all lessons along it; a click on `back` leaves the page.

    `chosen(lesson, path)`: `path` is that of the user's own.
    """

    chosen = Signal(object, object)

    def __init__(
        self, look: Look, lessons: Sequence[Lesson], own: OwnLessons, progress: LessonProgress
    ) -> None:
        super().__init__()
        self.setObjectName("ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self._lessons = lessons
        self._own = own
        self._progress = progress
        self.buttons: list[QPushButton] = []
        title = named(QLabel(self.tr("Lessons")), "headline")
        self._area = named(QScrollArea(widgetResizable=True), title=title.text())
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self.folder = QPushButton(self.tr("Folder of own lessons"))
        self.folder.setToolTip(self.tr("Lesson files in it are listed here; the preferences name the folder"))
        self.file = QPushButton(self.tr("Open a lesson file …"))
        self.file.setToolTip(self.tr("A lesson that is somewhere else"))
        self.back = named(QPushButton("✕"), "corner", self.tr("Leave the lessons (Esc)"))
        head = in_row((title, 1), self.folder, self.file, self.back, spacing=8)
        in_column(head, (self._area, 1), of=self, margins=(16, 10, 8, 8), spacing=8)
        self.fill()
        own.changed.connect(self.fill)

    @Slot()
    def fill(self, after: str = "") -> None:
        """Show the lessons as they are now, and give one of them the keyboard focus.

        It is the lesson that follows the one with the key `after`, or else the first that is not done.
        """
        page, progress = named(QWidget(), "clear"), self._progress
        self.buttons = []
        is_done = [progress.n_done(each) == len(each.stations) for each in self._lessons]
        words = self.tr("{0} of {1} lessons are done.").format(sum(is_done), len(is_done))
        cards = [
            self._end("text", self.tr("Text"), self.tr("Here a sentence goes in.")),
            *(self._card(str(at), lesson, None) for at, lesson in enumerate(self._lessons, 1)),
            self._end("answer", self.tr("Answer"), words),
        ]
        numbers = count(1)
        own = [
            self._problem(each)
            if each.lesson is None
            else self._card(str(next(numbers)), each.lesson, each.path)
            for each in self._own.lessons
        ]
        self._paths = [CoursePath(self._look, each, is_joined=each is cards) for each in (cards, own)]
        title = named(QLabel(self.tr("Own lessons")), "headline")
        for part in (title, self._paths[1]):
            part.setVisible(bool(own))
        remark = named(QLabel(unread_words(self._own.n_unread), wordWrap=True), "remark")
        remark.setVisible(bool(self._own.n_unread))
        in_column(self._paths[0], title, remark, self._paths[1], 1, of=page, margins=0, spacing=12)
        self._area.setWidget(page)
        self._arrange()
        QTimer.singleShot(0, self, self._arrange)  # a page gets its size and fonts when shown
        keys = [lesson.key for lesson in self._lessons]
        first = keys.index(after) + 1 if after in keys else [*is_done, False].index(False)
        if self.buttons:
            self.buttons[min(first, len(self.buttons) - 1)].setFocus()

    @Slot()
    def _arrange(self) -> None:
        """Place the cards; their pictures take the height that is left.

        Where not all lessons would be seen at once they are smaller, or what these are about is left out.
        """
        course, own = self._paths
        n_columns = max(2, min(_COLUMNS, self.width() // self._look.pixels(_WIDE)))
        for path in self._paths:
            path.arrange(n_columns)
        pictures, room, pixels = (
            course.findChildren(Thumbnail),
            self._area.viewport().size(),
            self._look.pixels,
        )
        for high, is_shown in (*((high, True) for high in _HEIGHTS), (_HIGH, False)):
            for card in course.findChildren(LessonFrame):
                card.summary.setVisible(is_shown)
            for picture in pictures:
                picture.set_height(pixels(high))
                around = picture.parentWidget()
                if around is not None and (layout := around.layout()) is not None:
                    layout.activate()  # now: its height is needed below
                    around.updateGeometry()
            spare = room.height() - course.grid.totalHeightForWidth(room.width())
            if spare >= 0:
                break
        n_rows = -(-len(pictures) // n_columns)
        widest = room.width() // n_columns - pixels(_BESIDE)
        more = min((spare - _GAP) // n_rows, widest // 2 - pixels(high), pixels(_GROWN))
        for picture in pictures if own.isHidden() else ():
            picture.set_height(pixels(high) + max(0, more))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _end(self, picture: str, title: str, words: str) -> QWidget:
        """Return what stands before the first lesson or behind the last one."""
        card = named(QFrame(), "card")
        in_column(
            in_row(Thumbnail(self._look, picture, title), 1),
            named(QLabel(title), "title"),
            named(QLabel(words, wordWrap=True), "secondary"),
            1,
            of=card,
            margins=_MARGINS,
            spacing=6,
        )
        return card

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
        button = named(QPushButton(text), title=f"{text}: {title}")
        button.setAccessibleDescription(summary)
        self.buttons.append(button)
        top = Qt.AlignmentFlag.AlignTop
        minutes = named(QLabel(self.tr("{0} min").format(lesson.minutes)), "secondary")
        card = LessonFrame(named(QLabel(wordWrap=True), "secondary"))
        write_prose(card.summary, summary)
        head = in_row(Thumbnail(self._look, lesson.key, title), 1, (minutes, 0, top))
        words = named(QLabel(wordWrap=True), "title")
        write_prose(words, title)
        in_column(
            head,
            in_row((named(QLabel(number), "number"), 0, top), (words, 1), spacing=8),
            card.summary,
            1,
            in_row((StationDots(self._look, lesson, progress), 1), button),
            of=card,
            margins=_MARGINS,
            spacing=6,
        )
        for clicked in (card.clicked, button.clicked):
            clicked.connect(lambda *_: self.chosen.emit(lesson, path))
        return card

    def _problem(self, own: OwnLesson) -> QWidget:
        """Return what is wrong with a file."""
        problem = error_text(own.error) if own.error is not None else ""
        label = named(QLabel(problem, wordWrap=True, textFormat=Qt.TextFormat.PlainText), "remark")
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        shown = named(QWidget(), "clear")
        in_column(named(QLabel(own.path.name, wordWrap=True), "title"), label, 1, of=shown, spacing=2)
        return shown


class LessonFrame(Guarded, QFrame):
    """The card of a lesson; a click on it does what its button does."""

    clicked = Signal()

    def __init__(self, summary: QLabel) -> None:
        super().__init__()
        self.summary = summary
        self.setObjectName("card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report a click with the left button."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()


_CHECK_MS, _LINE = 400, 26
_SHARE = 0.3  # of the width that the picture of the lesson takes


@dataclass(frozen=True)
class CourseProgress:
    """The lessons of the course in their order, and how many stations of each are done."""

    lessons: tuple[Lesson, ...]
    done: tuple[int, ...]

    @classmethod
    def of(cls, lessons: Sequence[Lesson], progress: LessonProgress) -> CourseProgress:
        """Return how far the learner is."""
        return cls(tuple(lessons), tuple(progress.n_done(lesson) for lesson in lessons))

    @property
    def n_finished(self) -> int:
        """How many lessons have all their stations done."""
        pairs = zip(self.lessons, self.done, strict=True)
        return sum(n_done == len(lesson.stations) for lesson, n_done in pairs)

    @property
    def is_finished(self) -> bool:
        """Whether all lessons are."""
        return self.n_finished == len(self.lessons)

    def after(self, lesson: Lesson) -> Lesson | None:
        """Return the lesson that follows, None after the last one and for a lesson of one's own."""
        keys = [each.key for each in self.lessons]
        rest = self.lessons[keys.index(lesson.key) + 1 :] if lesson.key in keys else ()
        return rest[0] if rest else None


class CheckMark(Canvas):
    """A check mark, of which a share is drawn."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.share = 1.0

    def draw_share(self, share: float) -> None:
        self.share = min(max(share, 0.0), 1.0)
        self.update()

    def draw(self, painter: QPainter) -> None:
        size = self.width()
        corners = [QPointF(x * size, y * size) for x, y in ((0.15, 0.5), (0.4, 0.75), (0.85, 0.2))]
        path = QPainterPath(corners[0])
        path.lineTo(corners[1])
        path.lineTo(corners[2])
        drawn = QPainterPath(corners[0])
        for step in range(1, 21):
            drawn.lineTo(path.pointAtPercent(self.share * step / 20))
        Pencil(painter, self.look).path(drawn, "right", 0.12 * size)


class EndPicture(GrowingPicture):
    """The picture of a lesson, what the learner can now say, and the way on: `next_button`."""

    def __init__(self, look: Look, lesson: Lesson, course: CourseProgress) -> None:
        super().__init__(look)
        now, following = language(), course.after(lesson)
        self._picture = Thumbnail(look, lesson.key, lesson.title.in_language(now))
        self._checks = [CheckMark(look) for _ in lesson.learnt]
        self.next_button = named(QPushButton(next_words(following)), "big")
        lines = []
        for check, words in zip(self._checks, lesson.learnt, strict=True):
            sentence = note_label()
            write_prose(sentence, words.in_language(now))
            lines.append(in_row((check, 0, Qt.AlignmentFlag.AlignTop), (sentence, 1), spacing=12))
        title, summary = self.tr("Now a sentence of your own: see in it what you have learnt."), ""
        key, top = "text", Qt.AlignmentFlag.AlignTop
        if following is not None:
            key, summary = following.key, following.summary.in_language(now)
            title = self.tr("Next lesson: {0}").format(following.title.in_language(now))
        texts = title_label(title), note_label(summary)
        texts[1].setVisible(bool(summary))
        beside = in_column(1, *texts, 1, spacing=4)
        self._next = Thumbnail(look, key, title)
        foot = in_row(self._next, (beside, 1), self.next_button, spacing=24)
        learnt = in_column(title_label(self.tr("What you can now say")), *lines, spacing=16)
        in_column(
            1, in_row((self._picture, 0, top), (learnt, 1), spacing=32), 2, foot, 1, of=self, margins=AROUND
        )
        self._motion = QVariantAnimation(self, startValue=0.0, endValue=float(len(lines)))
        self._motion.setDuration(0 if look.reduces_motion else _CHECK_MS * len(lines))
        self._motion.valueChanged.connect(self._draw_checks)
        self._motion.start()
        self._draw_checks()

    @Slot()
    def _draw_checks(self) -> None:
        for at, check in enumerate(self._checks):
            check.draw_share(float(self._motion.currentValue()) - at)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._picture.set_height(round(_SHARE * self.width() / 2))
        line = self.look.pixels(_LINE * self.grown)
        self._next.set_height(2 * line)
        for check in self._checks:
            check.setFixedSize(line, line)


def next_words(following: Lesson | None) -> str:
    """Return the words of the button to the next lesson, after the last one to a sentence of one's own."""
    if following is None:
        return QCoreApplication.translate("LessonEnd", "My own sentence")
    return QCoreApplication.translate("LessonEnd", "Next lesson")


class LessonEnd(QWidget):
    """How far the course is: the last page of a card, beside `EndPicture`."""

    def __init__(self) -> None:
        super().__init__()
        self._progress = QLabel(wordWrap=True)
        self.list_button = QPushButton(self.tr("All lessons"))
        self.certificate_button = QPushButton(self.tr("Certificate …"))
        buttons = in_row(self.list_button, self.certificate_button, 1)
        in_column(self._progress, buttons, of=self, margins=0, spacing=14)

    def show_lesson(self, lesson: Lesson, course: CourseProgress) -> None:
        """Show the end of a lesson."""
        words = self.tr("{0} of {1} lessons are done.").format(course.n_finished, len(course.lessons))
        done = {each.key: n_done for each, n_done in zip(course.lessons, course.done, strict=True)}
        n_stations = len(lesson.stations)
        if (n_done := done.get(lesson.key, n_stations)) < n_stations:
            solved = self.tr("{0} of {1} stations of this lesson are solved; Back leads to them.")
            words = f"{solved.format(n_done, n_stations)} {words}"
        self._progress.setText(words)
        self.certificate_button.setVisible(course.is_finished)
