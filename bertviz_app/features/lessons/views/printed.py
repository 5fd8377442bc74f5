"""What is printed, as PDF: hand-outs of a head, a whole lesson, and the certificate of the course."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from PySide6.QtCore import (
    QBuffer,
    QCoreApplication,
    QDate,
    QIODevice,
    QLocale,
    QMarginsF,
    QPointF,
    QRectF,
    QSizeF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPageLayout,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QTextDocument,
)
from PySide6.QtWidgets import QDialog, QLineEdit, QPushButton, QTextBrowser, QWidget

from bertviz_app.features.lessons.course.lesson import Lesson, Station, filled
from bertviz_app.features.lessons.course.tasks import ChoiceTask, DoTask, NumbersTask, OrderTask, VoteTask
from bertviz_app.features.lessons.handouts import N_SUMMED, HandoutNumbers
from bertviz_app.json_store import decode
from bertviz_app.learning.words import Words, resource
from bertviz_app.paths import replacing, resources
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.wording import rest_texts
from bertviz_app.views.kit.look import TEXT_FAMILIES, Look, in_column, in_row, named
from bertviz_app.views.kit.words import fixed, language, prose_html

if TYPE_CHECKING:  # the command `handout` would wait for pyqtgraph
    from bertviz_app.features.lessons.views.course import CourseProgress
    from bertviz_app.views.export.recording import Recording

translate = QCoreApplication.translate

_RESOLUTION = 300
MM, _POINT = _RESOLUTION / 25.4, _RESOLUTION / 72
_WIDTH, HEIGHT, MARGIN = 210.0, 297.0, 18.0  # millimetres of A4
INNER = _WIDTH - 2 * MARGIN
_NAMES = 25.5  # millimetres that there are for the name of a row
_LONGEST_TEXT = 240  # characters: three lines
_JOINING = ("liga", "calt", "locl")
"""Features that put other glyphs for letters, from which the text of the file could not be read back."""
_INK, _PALE, _RULE, _BLUE = QColor("#1a1e26"), QColor("#5b6575"), QColor("#b9c0cc"), QColor("#1668d6")
_DEEP = QColor("#1f5fa8")
_DEEP_RGB = _DEEP.red(), _DEEP.green(), _DEEP.blue()


@cache
def _templates() -> Environment:
    folder = FileSystemLoader(resources() / "handouts")
    return Environment(loader=folder, autoescape=True, trim_blocks=True, undefined=StrictUndefined)


def rendered(template: str, **fields: object) -> str:
    """Return the page of HTML that a template makes of these fields."""
    return _templates().get_template(template).render(**fields)


def page_words(page: str, language: str, facts: Mapping[str, object]) -> dict[str, str]:
    """Return the texts of a page that is printed, filled with `facts`, by their names in its template."""
    found = resource("handouts", "words.json")[page].items()
    return {key: decode(Words, each).in_language(language).format_map(facts) for key, each in found}


def _font(points: float, *, bold: bool = False) -> QFont:
    font = QFont()
    font.setFamilies(list(TEXT_FAMILIES))
    font.setPixelSize(round(points * _POINT))
    font.setBold(bold)
    for feature in _JOINING:
        font.setFeature(QFont.Tag(feature), 0)
    return font


class Sheet:
    """Pages that are written from top to bottom; places and lengths are millimetres."""

    def __init__(self, painter: QPainter, writer: QPdfWriter) -> None:
        self.painter = painter
        self._writer = writer
        self._page = 1
        self.y = MARGIN

    def begin_page(self) -> None:
        """End this page, and go on at the top of the next."""
        self.foot()
        self._writer.newPage()
        self._page += 1
        self.y = MARGIN

    def have_room(self, height: float) -> None:
        """Begin a page where there is no room for so much, unless this one has just begun."""
        if self.y > MARGIN and self.y + height > HEIGHT - MARGIN:
            self.begin_page()

    def font(self, points: float, *, bold: bool = False) -> QFontMetricsF:
        """Choose the font of what is written next, and return its metrics."""
        font = _font(points, bold=bold)
        self.painter.setFont(font)
        return QFontMetricsF(font, self.painter.device())

    def write(self, html: str, left: float = MARGIN, width: float = INNER) -> None:
        """Write what a template has made, and go on below it."""
        document = self._document(html, width)
        self.painter.save()
        self.painter.translate(left * MM, self.y * MM)
        document.drawContents(self.painter)
        self.painter.restore()
        self.y += document.size().height() / MM

    def height_of(self, html: str) -> float:
        """Return the height of what a template has rendered, in millimetres."""
        return self._document(html, INNER).size().height() / MM

    def _document(self, html: str, width: float) -> QTextDocument:
        document = QTextDocument()
        document.documentLayout().setPaintDevice(self.painter.device())
        document.setDefaultFont(_font(9))
        document.setDocumentMargin(0)
        document.setHtml(html)
        document.setTextWidth(width * MM)
        return document

    def write_in(self, words: str, room: QRectF, side: Qt.AlignmentFlag) -> None:
        """Write one line at one side of a place, halfway down."""
        self.painter.drawText(_pixels(room), int(side | Qt.AlignmentFlag.AlignVCenter), words)

    def foot(self) -> None:
        """Write the number of the page."""
        self.font(8)
        self.painter.setPen(_PALE)
        self.write_in(str(self._page), QRectF(MARGIN, HEIGHT - MARGIN, INNER, 6), Qt.AlignmentFlag.AlignRight)


def _pixels(room: QRectF) -> QRectF:
    return QRectF(room.x() * MM, room.y() * MM, room.width() * MM, room.height() * MM)


def pdf_of(draw: Callable[[Sheet], None]) -> bytes:
    """Return pages of A4 that `draw` writes as the content of a PDF file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_RESOLUTION)
    layout = QPageLayout(QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, QMarginsF())
    writer.setPageLayout(layout)
    with QPainter(writer) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw(Sheet(painter, writer))
    del writer  # writes the end of the file
    return bytes(buffer.data().data())


def write_pdf(content: bytes, path: Path) -> None:
    """Write the content of a PDF file. Raises FileError."""
    with replacing(path) as beside:
        beside.write_bytes(content)


class _Handout:
    """Draws the three pages of one head, in the language in force."""

    def __init__(self, numbers: HandoutNumbers) -> None:
        self._numbers = numbers
        self._trace = numbers.trace
        self._labels = numbers.trace.tokens.labels
        self._query = self._labels[numbers.query]
        metrics, elided = QFontMetricsF(_font(9)), Qt.TextElideMode.ElideRight
        self._fields = {
            "numbers": numbers,
            "labels": self._labels,
            "words": self._words(),
            "edits": edits_of(numbers),
            "fixed": lambda value: fixed(float(value)),
            "in_one_line": lambda text: metrics.elidedText(text, elided, _NAMES * MM),
            "text": shorten(
                "  |  ".join(text for text in (self._trace.tokens.text, self._trace.tokens.pair) if text),
                _LONGEST_TEXT,
                placeholder=" …",
            ),
        }

    def _words(self) -> dict[str, str]:
        """Return the texts of the templates in the language in force, with numbers of the head in them."""
        trace, numbers = self._trace, self._numbers
        percent, line = 100 * float(numbers.weights[numbers.key]), "_" * 26
        facts = {
            "line": line,
            "short_line": line[:14],
            "model": trace.model,
            "layer": numbers.layer,
            "head": numbers.head,
            "query": self._query,
            "position": numbers.query,
            "key": self._labels[numbers.key],
            "share": f"{percent:.0f}" if percent >= 1 else f"{percent:.1g}",
            "n_shown": len(numbers.shown),
            "n_tokens": trace.n_tokens,
            "left": fixed(numbers.weight_left),
            "root": fixed(1 / trace.scale),
            "largest": fixed(float(numbers.given.max())),
            "n_summed": N_SUMMED,
            "n_left": trace.head_width - numbers.n_numbers,
            "n_others": len(numbers.others),
        }
        return page_words("handout", language(), facts)

    def draw_head(self, sheet: Sheet) -> None:
        """Draw the first page: the head as a picture, and the four formulas."""
        sheet.write(rendered("head.html", has_answers=False, **self._fields))
        sheet.y += 3
        self._draw_arcs(sheet)
        sheet.write(rendered("below_arcs.html", **self._fields))
        sheet.y += 3
        if self._numbers.matrix is not None:
            self._draw_matrix(sheet)
        sheet.write(rendered("formulas.html", **self._fields))

    def draw_rows(self, sheet: Sheet, *, has_answers: bool) -> None:
        """Draw the second page, to fill in, or the third one, with the answers."""
        sheet.write(rendered("rows.html", has_answers=has_answers, **self._fields))

    def _draw_arcs(self, sheet: Sheet) -> None:
        """Draw the words in a row, with a band from the query to each other one, as wide as its weight."""
        numbers, painter = self._numbers, sheet.painter
        centres, points = self._place_words(sheet)
        height = 38.0
        base = sheet.y + height
        from_x = centres[numbers.shown.index(numbers.query)]
        for at, x in zip(numbers.shown, centres, strict=True):
            weight = float(numbers.weights[at])
            colour = QColor(_BLUE)
            colour.setAlphaF(0.25 + 0.6 * weight)
            reach = 8 + (height - 12) * min(1.0, abs(x - from_x) / (0.7 * INNER))
            painter.setPen(QPen(colour, max(1.0, 6.0 * weight * MM)))
            spread = 5.0 if from_x == x else 0.0  # around above the word itself
            first, last = (QPointF(x * MM, base * MM) for x in (from_x - spread, x + spread))
            path = QPainterPath(first)
            up = QPointF(0, -reach * MM * 4 / 3)
            path.cubicTo(first + up, last + up, last)
            painter.drawPath(path)
        for at, x in zip(numbers.shown, centres, strict=True):
            room = QRectF(x - 20, base + 1, 40, 7)
            is_query = at == numbers.query
            sheet.font(points, bold=is_query or at == numbers.key)
            painter.setPen(_BLUE if is_query else _INK)
            sheet.write_in(self._labels[at], room, Qt.AlignmentFlag.AlignHCenter)
            sheet.font(min(7.5, points))
            painter.setPen(_PALE)
            sheet.write_in(
                f"{float(numbers.weights[at]):.2f}", room.translated(0, 6), Qt.AlignmentFlag.AlignHCenter
            )
        sheet.y = base + 15

    def _place_words(self, sheet: Sheet) -> tuple[list[float], float]:
        """Return the middle of each word that is drawn, and the size of the font in which all fit."""
        gap = 3.5
        for points in (14.0, 12.0, 10.5, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0):
            metrics = sheet.font(points, bold=True)
            widths = [
                max(8.0, metrics.horizontalAdvance(self._labels[at]) / MM) for at in self._numbers.shown
            ]
            whole = sum(widths) + gap * (len(widths) - 1)
            if whole <= INNER:
                break
        squeeze = min(1.0, INNER / whole)
        left, centres = MARGIN + (INNER - whole * squeeze) / 2, []
        for width in widths:
            centres.append(left + width * squeeze / 2)
            left += (width + gap) * squeeze
        return centres, points

    def _draw_matrix(self, sheet: Sheet) -> None:
        """Draw the weights of the whole head as a grid, and beside it what it is."""
        numbers, painter, matrix = self._numbers, sheet.painter, self._numbers.matrix
        assert matrix is not None
        n_tokens, top, left = len(matrix), sheet.y + 16, MARGIN + 24
        side = min(6.0, 62.0 / n_tokens)
        sheet.font(8)
        for at, label in enumerate(self._labels):
            painter.setPen(_BLUE if at == numbers.query else _INK)
            sheet.write_in(label, QRectF(MARGIN, top + at * side, 22, side), Qt.AlignmentFlag.AlignRight)
            painter.save()
            painter.translate((left + (at + 0.5) * side) * MM, (top - 1.5) * MM)
            painter.rotate(-60)
            sheet.write_in(label, QRectF(0, -3, 24, 6), Qt.AlignmentFlag.AlignLeft)
            painter.restore()
            for key in range(n_tokens):
                painter.setPen(QPen(_RULE, 1))
                depth = float(matrix[at, key]) ** 0.7  # white for 0, a deep blue for 1
                painter.setBrush(QColor(*(round(255 + (deep - 255) * depth) for deep in _DEEP_RGB)))
                painter.drawRect(_pixels(QRectF(left + key * side, top + at * side, side, side)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(_BLUE, 5))
        painter.drawRect(_pixels(QRectF(left, top + numbers.query * side, n_tokens * side, side)))
        x = left + n_tokens * side + 8
        sheet.y = top
        sheet.write(rendered("beside_matrix.html", **self._fields), x, _WIDTH - MARGIN - x)
        sheet.y = top + n_tokens * side + 7


def edits_of(numbers: HandoutNumbers) -> str:
    """Return what was changed in the run: its numbers are not those of the sentence alone."""
    trace = numbers.trace
    parts = [
        translate("Handout", "Position {0} is read as {1}.").format(at, piece)
        for at, piece in trace.provenance.replaced
    ]
    parts += [
        translate("Handout", "Head {0} of layer {1} is muted.").format(head, layer)
        for layer, head in trace.muted
    ]
    parts += [f"{text}." for text in rest_texts(trace.edits, trace.tokens)]
    return " ".join(parts)


def handout_pdf(numbers: HandoutNumbers) -> bytes:
    """Return the three pages of a head as the content of a PDF file; on the interface thread only."""
    handout = _Handout(numbers)

    def draw(sheet: Sheet) -> None:
        handout.draw_head(sheet)
        for has_answers in (False, True):
            sheet.begin_page()
            handout.draw_rows(sheet, has_answers=has_answers)
        sheet.foot()

    return pdf_of(draw)


_TALLEST_PICTURE = 130.0
"""A picture is at most so many millimetres high."""
_BELOW = 8.0


@dataclass(frozen=True, eq=False)
class PrintedStation:
    """A station with what the window shows of it: the picture, the numbers of its text, the right answer."""

    station: Station
    picture: Recording
    facts: Mapping[str, str]
    answer: str


@dataclass(frozen=True, eq=False)
class PrintedPages:
    """The HTML of the heading and of the answers, and of each station what is above and below a picture."""

    heading: str
    stations: Sequence[tuple[str, Recording, str]]
    answers: Sequence[str]


def printed_pages(lesson: Lesson, stations: Sequence[PrintedStation], language: str) -> PrintedPages:
    """Return what is printed of a lesson in a language."""
    line = "_" * 26
    words = page_words("lesson", language, {"line": line, "short_line": line[:14]})
    title = lesson.title.in_language(language)
    bodies, answers = [], [rendered("lesson_head.html", title=f"{words['answers']}: {title}", name="")]
    for number, each in enumerate(stations, 1):
        station, task = each.station, each.station.task
        listed = task.options if isinstance(task, ChoiceTask) else []
        if isinstance(task, OrderTask):
            listed = [task.items[index] for index in task.shuffled]  # as the card has them
        fields = {
            "words": words,
            "line": line,
            "number": number,
            "title": filled(station.title.in_language(language), each.facts),
            "text": prose_html(filled(station.text.in_language(language), each.facts)),
            "ask": "" if task is None else prose_html(task.ask.in_language(language)),
            "options": [prose_html(item.in_language(language)) for item in listed],
            "is_numbered": isinstance(task, VoteTask),
            # So many answers are written; none where something is to be done.
            "n_lines": len(task.answers) if isinstance(task, NumbersTask) else not isinstance(task, DoTask),
            "answer": each.answer,
            "why": "" if task is None else prose_html(task.why.in_language(language)),
        }
        above, below = (rendered(f"station_{part}.html", **fields) for part in ("above", "below"))
        bodies.append((above, each.picture, below))
        if task is not None:
            answers.append(rendered("station_answer.html", **fields))
    heading = rendered("lesson_head.html", title=title, name=words["name"])
    return PrintedPages(heading, bodies, answers if len(answers) > 1 else ())


def lesson_pdf(pages: PrintedPages) -> bytes:
    """Return the pages as the content of a PDF file; on any thread. What has no room begins a page."""

    def draw(sheet: Sheet) -> None:
        sheet.write(pages.heading)
        sheet.y += _BELOW / 2
        for above, picture, below in pages.stations:
            scale = min(INNER / picture.size.width(), _TALLEST_PICTURE / picture.size.height())
            height = picture.size.height() * scale
            sheet.have_room(sheet.height_of(above) + height + sheet.height_of(below) + _BELOW)
            sheet.write(above)
            sheet.y += 2
            sheet.painter.save()
            left = MARGIN + (INNER - picture.size.width() * scale) / 2
            sheet.painter.translate(left * MM, sheet.y * MM)
            # What is played on a device of more dots an inch is enlarged by Qt already.
            dots = picture.picture.logicalDpiX() / sheet.painter.device().logicalDpiX()
            sheet.painter.scale(dots * scale * MM, dots * scale * MM)
            sheet.painter.drawPicture(0, 0, picture.picture)
            sheet.painter.restore()
            sheet.y += height + 2
            sheet.write(below)
            sheet.y += _BELOW
        if pages.answers:
            sheet.begin_page()
        for answer in pages.answers:
            sheet.have_room(sheet.height_of(answer))
            sheet.write(answer)
            sheet.y += _BELOW / 2
        sheet.foot()

    return pdf_of(draw)


_LONGEST_NAME = 60


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
