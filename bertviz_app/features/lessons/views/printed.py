"""A lesson on paper: what each station says, shows and asks, and the answers at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertviz_app.features.lessons.course.lesson import Lesson, Station
from bertviz_app.features.lessons.course.tasks import ChoiceTask, DoTask, NumbersTask, OrderTask, VoteTask
from bertviz_app.features.lessons.pages import page_words, rendered
from bertviz_app.features.lessons.views.card import filled
from bertviz_app.features.lessons.views.handouts import INNER, MARGIN, MM, Sheet, pdf_of
from bertviz_app.values import dataclass
from bertviz_app.views.export.recording import Recording
from bertviz_app.views.kit.words import prose_html

_PICTURE = 130.0
"""A picture is at most so many millimetres high."""
_GAP = 8.0


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
        sheet.y += _GAP / 2
        for above, picture, below in pages.stations:
            scale = min(INNER / picture.size.width(), _PICTURE / picture.size.height())
            height = picture.size.height() * scale
            sheet.have_room(sheet.height_of(above) + height + sheet.height_of(below) + _GAP)
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
            sheet.y += _GAP
        if pages.answers:
            sheet.begin_page()
        for answer in pages.answers:
            sheet.have_room(sheet.height_of(answer))
            sheet.write(answer)
            sheet.y += _GAP / 2
        sheet.foot()

    return pdf_of(draw)
