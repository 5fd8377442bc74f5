"""The end of a lesson, with what the learner can now say, and the certificate of the course."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QBuffer,
    QCoreApplication,
    QDate,
    QIODevice,
    QLocale,
    QMarginsF,
    QPointF,
    QSizeF,
    Qt,
    QVariantAnimation,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFont,
    QPageLayout,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QResizeEvent,
    QTextDocument,
)
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QPushButton, QTextBrowser, QWidget

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.pages import page_words, rendered
from bertviz_app.features.lessons.state.player import LessonProgress
from bertviz_app.features.lessons.views.course import Thumbnail
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    GrowingPicture,
    note_label,
    title_label,
)
from bertviz_app.values import dataclass
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import TEXT_FAMILIES, Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.words import language, write_prose

_LONGEST_NAME = 60
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


class CertificateDialog(QDialog):
    """The certificate as it will be printed, with a field for the name. `save_requested(html)`."""

    save_requested = Signal(str)

    def __init__(self, look: Look, course: CourseProgress, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Certificate"))
        self._course = course
        name = self.tr("Your name")
        self.name = named(QLineEdit(maxLength=_LONGEST_NAME, placeholderText=name), title=name)
        self.page = named(QTextBrowser(), title=self.tr("Certificate"))
        self.save = named(QPushButton(self.tr("Save as PDF …")), "primary")
        in_column((self.page, 1), in_row((self.name, 1), self.save), of=self, margins=16)
        self.name.textChanged.connect(self._write)
        self.save.clicked.connect(lambda: self.save_requested.emit(self.html()))
        self._write()
        self.resize(min(look.pixels(640), parent.width() - 40), min(look.pixels(720), parent.height() - 40))

    def html(self) -> str:
        """Return the page with the name that was typed."""
        return certificate_html(self._course, self.name.text(), QDate.currentDate())

    @Slot()
    def _write(self) -> None:
        self.page.setHtml(self.html())


def certificate_html(course: CourseProgress, name: str, day: QDate) -> str:
    """Return the certificate in the language in force; without a name there is a line to write one on."""
    facts = {"n_finished": course.n_finished, "n_lessons": len(course.lessons)}
    return rendered(
        "certificate.html",
        words=page_words("certificate", language(), facts),
        name=name.strip(),
        lessons=list(zip(course.lessons, course.done, strict=True)),
        language=language(),
        date=QLocale(language()).toString(day, QLocale.FormatType.LongFormat),
    )


def certificate_pdf(html: str) -> bytes:
    """Return the certificate as the content of a PDF file of one page; on the interface thread only."""
    document = QTextDocument()
    font = QFont()
    font.setFamilies(list(TEXT_FAMILIES))
    document.setDefaultFont(font)
    document.setHtml(html)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(20, 20, 20, 20), QPageLayout.Unit.Millimeter)
    document.documentLayout().setPaintDevice(writer)
    document.setPageSize(QSizeF(writer.width(), writer.height()))  # one with pages gets no page numbers
    document.print_(writer)
    del writer  # writes the end of the file
    return bytes(buffer.data().data())
