"""The last page of a lesson, with what the learner can now say, and the certificate of the course."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QBuffer,
    QDate,
    QIODevice,
    QLocale,
    QMarginsF,
    QSizeF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QPageLayout, QPageSize, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QTextBrowser, QWidget

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.state.player import LessonProgress
from bertviz_app.learning.pages import page_words, rendered
from bertviz_app.values import dataclass
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import TEXT_FAMILIES, Look, named
from bertviz_app.views.kit.words import language, write_prose

_LONGEST_NAME = 60


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


class LessonEnd(QWidget):
    """What the learner can now say, how far the course is, and what comes next: the last page of a card."""

    def __init__(self) -> None:
        super().__init__()
        self._said, self._progress = named(QWidget(), "clear"), named(QLabel(wordWrap=True), "secondary")
        self._following = QLabel(wordWrap=True)
        self.list_button = QPushButton(self.tr("All lessons"))
        self.certificate_button = QPushButton(self.tr("Certificate …"))
        self._column = in_column(
            self._said,
            self._progress,
            self._following,
            in_row(self.list_button, self.certificate_button, 1),
            of=self,
            margins=0,
            spacing=14,
        )

    def show_lesson(self, lesson: Lesson, course: CourseProgress) -> None:
        """Show the end of a lesson."""
        now, following = language(), course.after(lesson)
        self._said.hide()
        self._said.deleteLater()
        self._said = named(QWidget(), "clear")
        lines = (_line(words.in_language(now)) for words in lesson.learnt)
        in_column(*lines, of=self._said, margins=0, spacing=12)
        self._column.insertWidget(0, self._said)
        self._progress.setText(self._words(course, lesson))
        words = self.tr("Now a sentence of your own: see in it what you have learnt.")
        if following is not None:
            title, summary = (each.in_language(now) for each in (following.title, following.summary))
            words = self.tr("Next lesson: {0}").format(title) + f"\n{summary}"
        self._following.setText(words)
        self.certificate_button.setVisible(course.is_finished)

    def _words(self, course: CourseProgress, lesson: Lesson) -> str:
        """Return how many lessons are done, and how many stations of this one where some are not."""
        words = self.tr("{0} of {1} lessons are done.").format(course.n_finished, len(course.lessons))
        done = {each.key: n_done for each, n_done in zip(course.lessons, course.done, strict=True)}
        n_stations = len(lesson.stations)
        if (n_done := done.get(lesson.key, n_stations)) == n_stations:
            return words
        solved = self.tr("{0} of {1} stations of this lesson are solved; Back leads to them.")
        return f"{solved.format(n_done, n_stations)} {words}"


def _line(words: str) -> QHBoxLayout:
    """Return a sentence with a check mark before it."""
    sentence = named(QLabel(wordWrap=True), "pictureNote")
    write_prose(sentence, words)
    mark = named(QLabel("✓"), "pictureCheck")
    return in_row((mark, 0, Qt.AlignmentFlag.AlignTop), (sentence, 1), spacing=12)


class CertificateDialog(QDialog):
    """The certificate as it will be printed, with a field for the name. `save_requested(html)`."""

    save_requested = Signal(str)

    def __init__(self, look: Look, course: CourseProgress, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Certificate"))
        self._course = course
        self.name = QLineEdit(maxLength=_LONGEST_NAME)
        self.name.setPlaceholderText(self.tr("Your name"))
        self.name.setAccessibleName(self.tr("Your name"))
        self.page = QTextBrowser()
        self.page.setAccessibleName(self.tr("Certificate"))
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
