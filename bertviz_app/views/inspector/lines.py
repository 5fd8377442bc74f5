"""Lines of text and numbers that the inspector draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from bertviz_app.analysis.predictions import (
    TOP,
    Answer,
    Classes,
    Filling,
    LabelledToken,
    NextSentence,
    Suspect,
)
from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK
from bertviz_app.trace.provenance import MANY_LABELS, REGRESSION
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.runs.shown import RunPrediction
from bertviz_app.viewmodels.wording import error_text
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import probability

LineKind = Literal["run", "title", "sentence", "bar", "number", "gap"]
LEAST = 1
"""The number of rows of a list that are shown in however little room."""


@dataclass(frozen=True)
class Line:
    """A line of the predictions. A "gap" is half a line high.

    `note` stands at the right end of a title, and beside the text of a bar. `value` is a probability, or the
    number that a regression predicts. A click on a line with a `position` puts its `piece` there, or without
    one pins the token. `is_faint`: the head read the token that it predicts, or the token is special. `more`
    is the tool tip where it says more than the text and the value. One that `wraps` is as many lines high as
    its text needs beside the value.
    """

    kind: LineKind
    text: str = ""
    note: str = ""
    value: float | None = None
    position: int | None = None
    piece: str | None = None
    is_marked: bool = False
    is_faint: bool = False
    more: str = ""
    wraps: bool = False

    @property
    def shown_value(self) -> str:
        """The value as it is written at the end of the line."""
        return "" if self.value is None else probability(self.value)

    @property
    def description(self) -> str:
        return " ".join(part for part in (self.text, self.note, self.shown_value) if part)


def lines_of(
    prediction: RunPrediction,
    highlighted: int | None,
    most: int = TOP,
    first: int = 0,
    *,
    has_hints: bool = True,
) -> list[Line]:
    """Return the lines of one run, lists at most `most` rows long.

    A text's own mask has one piece more, in the row of what else was written there. `highlighted` is the
    token pointed at, `first` that from which on labels of tokens are listed. With `has_hints` a line says
    what a second sentence would show.
    """
    sentence = why_nothing(prediction)
    if sentence:
        return [Line("sentence", sentence)]
    found = prediction.found
    if found is None:
        return []
    lines: list[Line] = []
    if "masked" in prediction.task_heads:
        lines += _fillings(prediction, found.fillings, most)
    if "next_sentence" in prediction.task_heads and (has_hints or found.next_sentence is not None):
        lines += [Line("gap"), _next_sentence(found.next_sentence)]
    if found.classes is not None:
        lines += [Line("gap"), *_classes(found.classes, most)]
    if found.replaced:
        lines += [Line("gap"), *_suspects(prediction, found.replaced, highlighted, most)]
    if found.token_labels:
        lines += [Line("gap"), *_labels(prediction, found.token_labels[first : first + most], highlighted)]
    if found.answer is not None:
        lines += [Line("gap"), *_answer(prediction.tokens, found.answer, most, has_hints=has_hints)]
    return lines[1:] if lines and lines[0].kind == "gap" else lines


def n_fixed(prediction: RunPrediction, *, has_hints: bool = True) -> float:
    """Return how many lines there are beside the rows of lists."""
    is_pair = prediction.tokens.pair is not None
    fixed = 2.0 if "masked" in prediction.task_heads else 0.0  # title and what is written there
    if "next_sentence" in prediction.task_heads and (has_hints or is_pair):
        fixed += 1.5
    if "answer" in prediction.task_heads and has_hints and not is_pair:
        fixed += 1
    lists = ("classes", "replaced", "token_labels", "answer")
    return fixed + sum(1.5 for head in lists if head in prediction.task_heads)


def n_listed(prediction: RunPrediction) -> int:
    """Return how many rows the lists have if there is room."""
    classes = None if prediction.found is None else prediction.found.classes
    listed = TOP if {"masked", "replaced", "answer"} & set(prediction.task_heads) else 0
    return min(TOP, max(listed, n_labelled(prediction), 0 if classes is None else len(classes.labels)))


def n_labelled(prediction: RunPrediction) -> int:
    """Return how many tokens have labels."""
    return 0 if prediction.found is None else len(prediction.found.token_labels)


def why_nothing(prediction: RunPrediction) -> str:
    """Return the sentence that stands in the place of predictions, "" where there are some."""
    translate = QCoreApplication.translate
    if not prediction.tokens.has_ids:
        return translate("Predictions", "Weights alone: there is no model that predicts.")
    if prediction.is_saved:
        return translate("Predictions", "A saved trace: encode its text to see predictions.")
    if not prediction.task_heads:
        return translate("Predictions", "No task head: nothing is predicted.")
    return "" if prediction.problem is None else error_text(prediction.problem)


def _fillings(prediction: RunPrediction, fillings: tuple[Filling, ...], most: int) -> Iterator[Line]:
    translate = QCoreApplication.translate
    if not fillings:
        yield Line(
            "sentence", translate("Predictions", "Click a token to see which pieces are expected there.")
        )
    for filling in fillings:
        written = filling.written
        name = prediction.tokens.labels[filling.position]
        if filling.is_masked:
            name = MASK if written is None else prediction.tokens.label_of(written.piece)
        masked, seen = translate("Predictions", "masked"), translate("Predictions", "not masked")
        yield Line("title", name, masked if filling.is_masked else seen)
        for filler in filling.fillers[: most + (written is None)]:
            yield Line(
                "bar",
                prediction.tokens.label_of(filler.piece),
                value=filler.probability,
                position=filling.position,
                piece=filler.piece,
                is_marked=written is not None and filler.id == written.id,
                is_faint=not filling.is_masked,
            )
        if written is not None:
            words = translate("Predictions", "original “{1}”: rank {0}").format(
                f"{written.rank:,}", prediction.tokens.label_of(written.piece)
            )
            yield Line("number", words, value=written.probability, wraps=True)


def _next_sentence(found: NextSentence | None) -> Line:
    translate = QCoreApplication.translate
    if found is None:
        return Line("number", translate("Predictions", "Does 2 follow 1? Add sentence 2"), wraps=True)
    follows = translate("Predictions", "Sentence 2 follows 1")
    in_order = translate("Predictions", "Sentences 1 and 2 in order")
    return Line("bar", in_order if found.is_order else follows, value=found.probability, wraps=True)


def _classes(found: Classes, most: int) -> Iterator[Line]:
    translate = QCoreApplication.translate
    kind: LineKind = "number" if found.problem == REGRESSION else "bar"
    title = translate("Predictions", "Class")
    note = translate("Predictions", "one of {0}").format(len(found.labels))
    if found.problem == MANY_LABELS:
        title, note = translate("Predictions", "Classes"), translate("Predictions", "each by itself")
    if found.problem == REGRESSION:
        title, note = translate("Predictions", "Predicted number"), ""
    yield Line("title", title, note)
    for index, one in enumerate(found.labels[:most]):
        yield Line(kind, one.name, value=one.value, is_marked=index == 0 and kind == "bar")


def _suspects(
    prediction: RunPrediction, found: tuple[Suspect, ...], highlighted: int | None, most: int
) -> Iterator[Line]:
    """Yield the tokens that are likeliest to be replaced, the one that is pointed at among them."""
    translate = QCoreApplication.translate
    yield Line(
        "title", translate("Predictions", "Replaced tokens"), translate("Predictions", "likeliest first")
    )
    listed = sorted(found, key=lambda one: -one.probability)[:most]
    if highlighted is not None and highlighted < len(found) and found[highlighted] not in listed:
        listed[-1] = found[highlighted]
    for one in listed:
        name, at = prediction.tokens.labels[one.position], one.position
        yield Line("bar", name, value=one.probability, position=at, is_marked=at == highlighted)


def _labels(
    prediction: RunPrediction, listed: tuple[LabelledToken, ...], highlighted: int | None
) -> Iterator[Line]:
    """Yield the tokens with their likeliest labels; those of special tokens mean nothing."""
    translate = QCoreApplication.translate
    count, tokens = n_labelled(prediction), prediction.tokens
    all_shown = translate("Predictions", "likeliest of each")
    part = translate("Predictions", "tokens {0} to {1} of {2}")
    is_part = len(listed) < count
    note = part.format(listed[0].position, listed[-1].position, count) if is_part else all_shown
    yield Line("title", translate("Predictions", "Labels"), note)
    for token in listed:
        at = token.position
        yield Line(
            "bar",
            tokens.labels[at],
            note=token.labels[0].name,
            value=token.labels[0].value,
            position=at,
            is_marked=at == highlighted,
            is_faint=bool(tokens.is_special[at]),
            more="\n".join(f"{label.name}  {label.value:.6g}" for label in token.labels),
        )


def _answer(tokens: Tokens, found: Answer, most: int, *, has_hints: bool) -> Iterator[Line]:
    translate = QCoreApplication.translate
    if tokens.pair is None and has_hints:
        words = translate("Predictions", "The question in 1, its text in 2: add sentence 2")
        yield Line("number", words, wraps=True)
    nothing = translate("Predictions", "none: {0}").format(probability(found.nothing))
    yield Line("title", translate("Predictions", "Answers"), nothing)
    for index, span in enumerate(found.spans[:most]):
        where = translate("Predictions", "tokens {0} to {1}").format(span.first, span.last)
        yield Line(
            "bar",
            " ".join(span.text.split()),
            value=span.probability,
            position=span.first,
            is_marked=index == 0,
            more=f"{span.text}\n{where}: {span.probability:.6g}",
        )


_MARGIN = 14.0
_NARROW = 8.0  # where two runs stand side by side
_LINE = 18.0
_IN_BAR = 5.0
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NAME = 0.45
"""The share of a bar that a token's name has beside its label."""


class LinePen:
    """Draws lines one below the other in a widget `width` pixels wide; sentences are wrapped."""

    def __init__(self, look: Look, width: float, *, is_narrow: bool) -> None:
        self._look = look
        self._margin = _NARROW if is_narrow else _MARGIN
        self._room = max(1.0, width - 2 * self._margin)

    @property
    def pitch(self) -> float:
        """The height of a line that is no sentence."""
        return self._look.pixels(_LINE)

    def wrapped(self, text: str) -> float:
        """Return the height of a sentence."""
        metrics = QFontMetricsF(self._look.font(12))
        room = QRectF(0, 0, self._room, 1000)
        return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height() + 2

    def height(self, line: Line) -> float:
        if line.kind == "gap":
            return 0.5 * self.pitch
        if line.kind == "sentence":
            return max(self.pitch, self.wrapped(line.text))
        if not line.wraps:
            return self.pitch
        font, left = self._look.font(12), 0.0
        if line.kind == "bar":
            font, left = self._bar_font(line), _IN_BAR
        room = QRectF(0, 0, max(1.0, self._left_of(line.shown_value, self._room - left)), 1000)
        metrics = QFontMetricsF(font)
        n_lines = round(metrics.boundingRect(room, _WRAPPED, line.text).height() / metrics.lineSpacing())
        return max(1, n_lines) * self.pitch

    def _bar_font(self, line: Line) -> QFont:
        return self._look.font(13, bold=line.is_marked)

    def _left_of(self, right: str, width: float) -> float:
        """Return how much of a width is left beside a text at its right end."""
        return width - QFontMetricsF(self._right_font(right)).horizontalAdvance(right) - 6

    def _right_font(self, right: str) -> QFont:
        return self._look.number_font(12) if right[-1:].isdigit() else self._look.font(12)

    def boxes(self, lines: Sequence[Line]) -> list[QRectF]:
        boxes, top = [], 2.0
        for line in lines:
            height = self.height(line)
            boxes.append(QRectF(self._margin, top, self._room, height))
            top += height
        return boxes

    def draw(self, painter: QPainter, line: Line, box: QRectF, *, is_highlighted: bool) -> None:
        bold = self._look.font(13, bold=True)
        if line.kind == "bar":
            self._draw_bar(painter, line, box, is_highlighted=is_highlighted)
        elif line.kind == "sentence":
            painter.setFont(self._look.font(12))
            painter.setPen(self._look.colour("secondary"))
            painter.drawText(box, Qt.TextFlag.TextWordWrap, line.text)
        elif line.kind == "number":
            self._write(painter, line.text, line.shown_value, box, ("secondary", "text"))
        elif line.kind == "run":
            colour = "accent" if line.text == "A" else "sentence_b"
            self._write(painter, line.text, "", box, (colour, "text"), bold)
        elif line.kind == "title":
            self._write(painter, line.text, line.note, box, ("text", "secondary"), bold)

    def _draw_bar(self, painter: QPainter, line: Line, box: QRectF, *, is_highlighted: bool) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if is_highlighted:
            painter.setBrush(self._look.colour("raised"))
            painter.drawRoundedRect(box.adjusted(-6, 0, 6, -1), 4, 4)
        colour = "secondary" if line.is_faint else "accent"
        painter.setBrush(self._look.colour(colour, 0.42 if line.is_marked else 0.22))
        length = max(2.0, box.width() * (line.value or 0.0))
        painter.drawRoundedRect(QRectF(box.left(), box.top() + 1, length, box.height() - 3), 3, 3)
        if is_highlighted:
            painter.setPen(self._look.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-5.5, 0.5, 5.5, -1.5), 4, 4)
        font, inner = self._bar_font(line), box.adjusted(_IN_BAR, 0, 0, 0)
        if line.note:
            name = inner.adjusted(0, 0, -(1 - _NAME) * inner.width(), 0)
            self._write(painter, line.text, "", name, ("text", "text"), font)
            inner.setLeft(name.right() + 4)
        self._write(painter, line.note or line.text, line.shown_value, inner, ("text", "text"), font)

    def _write(
        self,
        painter: QPainter,
        text: str,
        right: str,
        box: QRectF,
        colours: tuple[str, str],
        font: QFont | None = None,
    ) -> None:
        """Write `text` at the left of `box`, shortened where `right` leaves it too little room.

        In a box of several lines it is wrapped, with `right` beside its first line.
        """
        painter.setFont(self._right_font(right))
        painter.setPen(self._look.colour(colours[1]))
        middle = Qt.AlignmentFlag.AlignVCenter
        first = QRectF(box.left(), box.top(), box.width(), self.pitch)
        painter.drawText(first, Qt.AlignmentFlag.AlignRight | middle, right)
        room = self._left_of(right, box.width())
        font = font or self._look.font(12)
        painter.setFont(font)
        painter.setPen(self._look.colour(colours[0]))
        if box.height() > 1.5 * self.pitch:
            painter.drawText(QRectF(box.left(), box.top(), room, box.height()), _WRAPPED, text)
            return
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, shown)


_FEW = 4
"""The number of rows below which a list takes the room of the lines that say what one could do."""


class ShownLines:
    """`lines` of a run; `at` is the index of the one under the pointer or chosen by keys."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._prediction: RunPrediction | None = None
        self._highlighted: int | None = None
        self._first = 0  # of the labelled tokens that are listed
        self._most = TOP  # rows of a list
        self._has_hints = True
        self.is_named = False
        self.lines: list[Line] = []
        self.at: int | None = None

    def show(self, prediction: RunPrediction | None, highlighted: int | None, *, is_named: bool) -> None:
        """Set the predictions of a run, shown under its name if `is_named`, and the highlighted token."""
        self._prediction, self._highlighted, self.is_named = prediction, highlighted, is_named

    def fit(self, pen: LinePen, height: float) -> None:
        """Limit lists to the rows that fit into `height`; where these are few, leave out the hints."""
        prediction = self._prediction
        self._has_hints = not self.is_named  # two runs beside each other have no room for them
        self._most = self._fitting(pen, height)
        if prediction is None or self._most >= _FEW:
            return
        # A list is worth more than hints, but an answer cannot be understood without them.
        if n_listed(prediction) > 0 and "answer" not in prediction.task_heads:
            self._has_hints = False
            self._most = self._fitting(pen, height)

    def _fitting(self, pen: LinePen, height: float) -> int:
        """Return how many rows of a list fit into `height`."""
        fixed = self.height(pen, 0, has_hints=self._has_hints)
        return min(max(int((height - fixed) / pen.pitch), LEAST), TOP)

    def scroll(self, by: int, into_view: int | None = None) -> bool:
        """Set the lines, scrolled by `by` labelled tokens or to one of them; return whether any moved."""
        prediction, before = self._prediction, self._first
        first = before + by
        if into_view is not None:
            first = min(max(first, into_view - self._most + 1), into_view)
        count = 0 if prediction is None else n_labelled(prediction)
        self._first = max(0, min(first, count - self._most))  # the list ends with the last token
        self.lines = [Line("run", self._run)] if self.is_named else []
        if prediction is not None:
            hints = self._has_hints
            self.lines += lines_of(prediction, self._highlighted, self._most, self._first, has_hints=hints)
        self.at = self.at if self.at in self.doing else None
        return self._first != before

    @property
    def doing(self) -> list[int]:
        """The indices of the lines that do something."""
        return [index for index, line in enumerate(self.lines) if line.position is not None]

    def step(self, by: int) -> int:
        """Return the index of the next line that does something; beyond an end the labels scroll."""
        doing = self.doing
        now = doing.index(self.at) + by if self.at in doing else 0
        if not 0 <= now < len(doing):
            self.scroll(by)
        return doing[min(max(now, 0), len(doing) - 1)]

    def height(self, pen: LinePen, most: int, *, has_hints: bool = True) -> int:
        """Return the height in which lists have `most` rows, if they have that many."""
        if self._prediction is None:
            return 0
        name, sentence = self.is_named * pen.pitch, why_nothing(self._prediction)
        if sentence:
            return math.ceil(name + pen.wrapped(sentence) + 10)
        hints = has_hints and not self.is_named
        count = n_fixed(self._prediction, has_hints=hints) + min(n_listed(self._prediction), most)
        lines = lines_of(self._prediction, None, 1, has_hints=hints)
        more = sum(pen.height(line) - pen.pitch for line in lines if line.wraps)
        # A sentence stands where a title, a list and what is written there will be.
        in_place = (2 + most) * pen.pitch
        more += sum(max(0.0, pen.height(line) - in_place) for line in lines if line.kind == "sentence")
        return math.ceil(name + count * pen.pitch + more + 10)
