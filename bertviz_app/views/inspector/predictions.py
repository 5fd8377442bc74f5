"""What the task heads of a checkpoint predict: its lines, and the section of the inspector that has them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolTip, QWidget

from bertviz_app.analysis.predictions import (
    TOP,
    Answer,
    Classes,
    Filling,
    LabelledToken,
    Suspect,
)
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK
from bertviz_app.trace.provenance import MANY_LABELS, REGRESSION
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.runs.comparison import Editing
from bertviz_app.viewmodels.runs.shown import RunPrediction, RunPredictions
from bertviz_app.viewmodels.wording import class_words, error_text, translate
from bertviz_app.views.kit.canvas import Canvas, Guarded, LaterWork
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, in_row, named
from bertviz_app.views.kit.words import general, plain, probability

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
        pair = found.next_sentence
        if pair is None:
            words = translate(
                "Predictions", "Add sentence 2 to see whether the model thinks that it follows."
            )
            lines += [Line("gap"), Line("number", words, wraps=True)]
        else:
            follows = translate("Predictions", "Sentence 2 follows 1")
            in_order = translate("Predictions", "Sentences 1 and 2 in order")
            words = in_order if pair.is_order else follows
            lines += [Line("gap"), Line("bar", words, value=pair.probability, wraps=True)]
    if found.classes is not None:
        lines += [Line("gap"), *_classes(found.classes, most, is_bundled=prediction.is_bundled)]
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
    return 0 if prediction.found is None else len(prediction.found.token_labels)


def why_nothing(prediction: RunPrediction) -> str:
    """Return the sentence that stands in the place of predictions, "" where there are some."""
    if not prediction.tokens.has_ids:
        return translate("Predictions", "Weights alone: there is no model that predicts.")
    if prediction.is_saved:
        return translate("Predictions", "A saved trace: encode its text to see predictions.")
    if not prediction.task_heads:
        return translate("Predictions", "No task head: nothing is predicted.")
    return "" if prediction.problem is None else error_text(prediction.problem)


def _fillings(prediction: RunPrediction, fillings: tuple[Filling, ...], most: int) -> Iterator[Line]:
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


def _classes(found: Classes, most: int, *, is_bundled: bool) -> Iterator[Line]:
    kind: LineKind = "number" if found.problem == REGRESSION else "bar"
    title = translate("Predictions", "Class")
    note = translate("Predictions", "one of {0}").format(len(found.labels))
    if found.problem == MANY_LABELS:
        title, note = translate("Predictions", "Classes"), translate("Predictions", "each by itself")
    if found.problem == REGRESSION:
        title, note = translate("Predictions", "Predicted number"), ""
    yield Line("title", title, note)
    for index, one in enumerate(found.labels[:most]):
        name = class_words(one.name, is_bundled=is_bundled)
        yield Line(kind, name, value=one.value, is_marked=index == 0 and kind == "bar")


def _suspects(
    prediction: RunPrediction, found: tuple[Suspect, ...], highlighted: int | None, most: int
) -> Iterator[Line]:
    """Yield the tokens that are likeliest to be replaced, the one that is pointed at among them."""
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
    count, tokens = n_labelled(prediction), prediction.tokens
    all_shown = translate("Predictions", "likeliest of each")
    part = translate("Predictions", "tokens {0} to {1} of {2}")
    ends = listed[0].position, listed[-1].position
    note = part.format(*ends, count) if len(listed) < count else all_shown
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
_NAME = 0.45  # the share of a bar that a token's name has beside its label
_FEW = 4  # the number of rows below which a list takes the room of the lines that say what one could do
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_NOTCH = 120  # how far a wheel turns by one notch, in Qt's unit
_ROWS_PER_NOTCH = 3


class PredictionsView(Canvas):
    """The lines of one run; arrows walk those that do something, Enter or a click does it.

    `piece_chosen` (position, piece) is to be put into the text, `token_chosen` to be pinned. The wheel and
    the arrows scroll through the labels of tokens, which follow the token that is pointed at elsewhere.
    """

    fills_ground = True

    piece_chosen = Signal(int, str)
    token_chosen = Signal(int)

    def __init__(self, look: Look, run: Run) -> None:
        super().__init__(look)
        self._run = run
        self._prediction: RunPrediction | None = None
        self._highlighted: int | None = None
        self._is_named = False
        self._first = 0  # of the labelled tokens that are listed
        self._most = TOP  # rows of a list
        self._has_hints = True
        self.lines: list[Line] = []
        self.at: int | None = None
        """The line under the pointer, or chosen by keys."""
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(self.tr("Predictions for run {0}").format(self._run))
        self._scroll(0)
        self.updateGeometry()  # other words take other lines

    def show_prediction(
        self, prediction: RunPrediction | None, highlighted: int | None, *, is_named: bool
    ) -> None:
        """Show the predictions of a run, under its name if `is_named`; `highlighted`: a token."""
        sizes = self.sizeHint(), self.minimumSizeHint()
        self._prediction, self._highlighted, self._is_named = prediction, highlighted, is_named
        self._scroll(0, highlighted)
        if sizes != (self.sizeHint(), self.minimumSizeHint()):
            self.updateGeometry()  # lays out the whole window anew

    def _scroll(self, by: int, into_view: int | None = None) -> bool:
        """Fit the lines to the height, scrolled by some labelled tokens or to one; return if any moved."""
        prediction, before = self._prediction, self._first
        # As many rows as fit. A list of few is worth more than what one could do, but an answer cannot be
        # understood without that; two runs beside each other have no room for it.
        self._has_hints = not self._is_named
        self._most = self._fitting()
        is_answer = prediction is not None and "answer" in prediction.task_heads
        if prediction is not None and self._most < _FEW and n_listed(prediction) > 0 and not is_answer:
            self._has_hints = False
            self._most = self._fitting()
        first = before + by
        if into_view is not None:
            first = min(max(first, into_view - self._most + 1), into_view)
        count = 0 if prediction is None else n_labelled(prediction)
        self._first = max(0, min(first, count - self._most))  # the list ends with the last token
        self.lines = [Line("run", self._run)] if self._is_named else []
        if prediction is not None:
            hints = self._has_hints
            self.lines += lines_of(prediction, self._highlighted, self._most, self._first, has_hints=hints)
        self.at = self.at if self.at in self.doing else None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if self.doing else Qt.FocusPolicy.NoFocus)
        described = (line.description for line in self.lines)
        self.setAccessibleDescription(", ".join(words for words in described if words))
        self.update_later()
        return self._first != before

    def _fitting(self) -> int:
        """Return how many rows of a list fit into the height."""
        fixed = self._height_of(0, has_hints=self._has_hints)
        return min(max(int((self.height() - fixed) / self._pitch), LEAST), TOP)

    @property
    def doing(self) -> list[int]:
        """The indices of the lines that do something."""
        return [index for index, line in enumerate(self.lines) if line.position is not None]

    # sizes

    def sizeHint(self) -> QSize:
        """Return the size in which all lists are whole."""
        return QSize(120, self._height_of(TOP))

    def minimumSizeHint(self) -> QSize:
        return QSize(90, self._height_of(LEAST, has_hints=False))

    def _height_of(self, most: int, *, has_hints: bool = True) -> int:
        """Return the height in which lists have `most` rows, if they have that many."""
        prediction, pitch = self._prediction, self._pitch
        if prediction is None:
            return 0
        name, sentence = self._is_named * pitch, why_nothing(prediction)
        if sentence:
            return math.ceil(name + self._wrapped(sentence) + 10)
        hints = has_hints and not self._is_named
        count = n_fixed(prediction, has_hints=hints) + min(n_listed(prediction), most)
        lines = lines_of(prediction, None, 1, has_hints=hints)
        more = sum(self._height_of_line(line) - pitch for line in lines if line.wraps)
        # A sentence stands where a title, a list and what is written there will be.
        in_place, sentences = (2 + most) * pitch, (line for line in lines if line.kind == "sentence")
        more += sum(max(0.0, self._height_of_line(line) - in_place) for line in sentences)
        return math.ceil(name + count * pitch + more + 10)

    @property
    def _pitch(self) -> float:
        """The height of a line that is no sentence."""
        return self.look.pixels(_LINE)

    @property
    def _margin(self) -> float:
        return _NARROW if self._is_named else _MARGIN

    @property
    def _room(self) -> float:
        return max(1.0, self.width() - 2 * self._margin)

    def _wrapped(self, text: str) -> float:
        metrics, room = QFontMetricsF(self.look.font(12)), QRectF(0, 0, self._room, 1000)
        return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height() + 2

    def _height_of_line(self, line: Line) -> float:
        if line.kind == "gap":
            return 0.5 * self._pitch
        if line.kind == "sentence":
            return max(self._pitch, self._wrapped(line.text))
        if not line.wraps:
            return self._pitch
        font, left = (self._bar_font(line), _IN_BAR) if line.kind == "bar" else (self.look.font(12), 0.0)
        room = QRectF(0, 0, max(1.0, self._left_of(line.shown_value, self._room - left)), 1000)
        metrics = QFontMetricsF(font)
        n_lines = round(metrics.boundingRect(room, _WRAPPED, line.text).height() / metrics.lineSpacing())
        return max(1, n_lines) * self._pitch

    def _bar_font(self, line: Line) -> QFont:
        return self.look.font(13, bold=line.is_marked)

    def _left_of(self, right: str, width: float) -> float:
        """Return how much of a width is left beside a text at its right end."""
        return width - QFontMetricsF(self._right_font(right)).horizontalAdvance(right) - 6

    def _right_font(self, right: str) -> QFont:
        return self.look.number_font(12) if right[-1:].isdigit() else self.look.font(12)

    def _boxes(self) -> list[QRectF]:
        heights = [self._height_of_line(line) for line in self.lines]
        tops = accumulate(heights, initial=2.0)
        return [
            QRectF(self._margin, top, self._room, height) for top, height in zip(tops, heights, strict=False)
        ]

    # drawing

    def draw(self, painter: QPainter) -> None:
        for index, (line, box) in enumerate(zip(self.lines, self._boxes(), strict=True)):
            if box.bottom() > self.height() + 1:  # half a line says nothing
                return
            bold = self.look.font(13, bold=True)
            if line.kind == "bar":
                self._draw_bar(painter, line, box, is_highlighted=index == self.at)
            elif line.kind == "sentence":
                Pencil(painter, self.look).prose(line.text, box, self.look.font(12), "secondary")
            elif line.kind == "number":
                self._write(painter, line.text, line.shown_value, box, ("secondary", "text"))
            elif line.kind == "run":
                colour = "accent" if line.text == "A" else "sentence_b"
                self._write(painter, line.text, "", box, (colour, "text"), bold)
            elif line.kind == "title":
                self._write(painter, line.text, line.note, box, ("text", "secondary"), bold)

    def _draw_bar(self, painter: QPainter, line: Line, box: QRectF, *, is_highlighted: bool) -> None:
        pencil, colour = Pencil(painter, self.look), "secondary" if line.is_faint else "accent"
        if is_highlighted:
            pencil.box(box.adjusted(-6, 0, 6, -1), fill="raised", rounding=4)
        length = max(2.0, box.width() * (line.value or 0.0))
        fill = self.look.colour(colour, 0.42 if line.is_marked else 0.22)
        pencil.box(QRectF(box.left(), box.top() + 1, length, box.height() - 3), fill=fill, rounding=3)
        if is_highlighted:
            pencil.box(box.adjusted(-5.5, 0.5, 5.5, -1.5), "accent", rounding=4)
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
        pencil, font = Pencil(painter, self.look), font or self.look.font(12)
        first = QRectF(box.left(), box.top(), box.width(), self._pitch)
        pencil.write(right, first, self._right_font(right), colours[1], RIGHT)
        room = QRectF(box.left(), box.top(), self._left_of(right, box.width()), box.height())
        if box.height() > 1.5 * self._pitch:
            pencil.prose(text, room, font, colours[0], LEFT)
        else:
            pencil.write(text, room, font, colours[0], LEFT)

    # gestures

    def line_at(self, at: QPointF) -> int | None:
        boxes = self._boxes()
        return next((index for index in self.doing if boxes[index].contains(at)), None)

    def _point(self, index: int | None) -> None:
        if index != self.at:
            self.at = index
            self.setCursor(Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.PointingHandCursor)
            if index is not None:
                self.setAccessibleDescription(self.lines[index].description)
            self.update()

    def _do(self, index: int) -> None:
        line = self.lines[index]
        if line.position is not None and line.piece is not None:
            self.piece_chosen.emit(line.position, line.piece)
        elif line.position is not None:
            self.token_chosen.emit(line.position)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.line_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.line_at(event.position())
        if index is not None and event.button() == Qt.MouseButton.LeftButton:
            self._do(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        rows = -event.angleDelta().y() * _ROWS_PER_NOTCH / _NOTCH
        event.setAccepted(self._scroll(math.ceil(rows) if rows > 0 else math.floor(rows)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        doing = self.doing
        if key in _STEPS and doing:
            to = doing.index(self.at) + _STEPS[key] if self.at in doing else 0
            if not 0 <= to < len(doing):
                self._scroll(_STEPS[key])  # beyond an end the labels scroll
                doing = self.doing
            self._point(doing[min(max(to, 0), len(doing) - 1)])
            self.update()
        elif key in _ENTER and self.at is not None:
            self._do(self.at)
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.line_at(QPointF(event.pos()))
            puts, pins = self.tr("Click: put it there"), self.tr("Click: pin this token")
            line = Line("gap") if index is None else self.lines[index]
            words = line.more or f"{line.text}  {general(line.value or 0.0)}"
            tip = plain(f"{words}\n{pins if line.piece is None else puts}")
            QToolTip.showText(event.globalPos(), "" if index is None else tip, self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QEvent) -> None:
        self._scroll(0)
        self.updateGeometry()  # sentences wrap


# The task heads whose lists follow the token that is pointed at.
_LISTING_TOKENS = {"replaced", "token_labels"}


class PredictionsSection(Guarded, QWidget):
    """A title that opens and closes it, what there is to do beside it, and the runs side by side.

    `remedy_requested`: open a checkpoint that predicts masked tokens, which that of run A does not.
    """

    height_changed = Signal()
    remedy_requested = Signal(str)

    def __init__(self, look: Look, predictions: RunPredictions, editing: Editing, pointer: Pointer) -> None:
        super().__init__()
        self._look = look
        self._predictions = predictions
        self._editing = editing
        self._pointer = pointer
        self.views = {run: PredictionsView(look, run) for run in ENCODED_RUNS}
        tip = self.tr("What the checkpoint's task heads predict: open or close")
        self.title = named(QPushButton(), "plain", tip, self.tr("Predictions: open or close"))
        self.title.setCheckable(True)
        self.title.setChecked(True)
        self.mask_button = named(QPushButton(), "small")
        self.open_button = named(QPushButton(self.tr("Open bert-mini-en-ko")), "link")
        tip = self.tr("Open the checkpoint of this program that predicts masked tokens")
        self.open_button.setToolTip(tip)
        self._height = 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        head = in_row(self.title, 1, self.open_button, self.mask_button, margins=(6, 2, 10, 2))
        self._body = QWidget()
        views = ((view, 1, Qt.AlignmentFlag.AlignTop) for view in self.views.values())
        in_row(*views, of=self._body, margins=0, spacing=0)
        in_column(head, (self._body, 1), of=self, margins=0, spacing=0)
        self.title.toggled.connect(self._on_toggled)
        self.mask_button.clicked.connect(self._on_mask)
        self.open_button.clicked.connect(lambda: self.remedy_requested.emit("task head"))
        predictions.changed.connect(self._refresh_later)
        editing.runs["A"].shown_changed.connect(self._refresh_mask)
        pointer.changed.connect(self._on_selection_changed)
        for run, view in self.views.items():
            view.piece_chosen.connect(partial(editing.put, run))
            view.token_chosen.connect(pointer.selections[run].pin)
        look.changed.connect(self._update_height)
        self._write()
        self._refresh()

    def _write(self) -> None:
        self.title.setText(("▾ " if self.is_open else "▸ ") + self.tr("Predictions"))
        self._refresh_mask()

    @property
    def is_open(self) -> bool:
        return self.title.isChecked()

    @property
    def found(self) -> dict[Run, RunPrediction]:
        """The predictions of each run on screen that has any."""
        found = {run: self._predictions.of(run) for run in self._predictions.runs}
        return {run: one for run, one in found.items() if one is not None and one.found is not None}

    def open(self, is_open: bool) -> None:
        """Show what the heads predict, or the title alone."""
        self.title.setChecked(is_open)

    @property
    def desired_height(self) -> int:
        """The height in which everything is shown whole."""
        views = max(view.sizeHint().height() for view in self.views.values()) if self.is_open else 0
        return self._look.pixels(30) + views

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        self._predictions.watch(is_open and self.isVisible())
        self._write()
        self._update_height()

    @Slot()
    def _refresh_later(self) -> None:
        """Show what is predicted in a later turn: the view under the pointer is painted first."""
        LaterWork.shared().add(self, "refresh", self._refresh)

    def _refresh(self) -> None:
        runs = self._predictions.runs
        found = [self._predictions.of(run) for run in runs]
        reasons = {"" if one is None else why_nothing(one) for one in found}
        if len(reasons) == 1 and "" not in reasons:
            runs = runs[:1]  # the other would repeat the sentence
        for run, view in self.views.items():
            view.setVisible(run in runs)
            highlighted = self._pointer.selections[run].shown.query
            view.show_prediction(self._predictions.of(run), highlighted, is_named=len(runs) > 1)
        self._refresh_mask()
        self._update_height()

    def _update_height(self) -> None:
        if self.desired_height != self._height:
            self._height = self.desired_height
            self.height_changed.emit()

    @Slot()
    def _on_selection_changed(self) -> None:
        predictions = [self._predictions.of(run) for run in self._predictions.runs]
        heads = {head for one in predictions if one is not None for head in one.task_heads}
        if self.is_open and heads & _LISTING_TOKENS:
            self._refresh_later()
        else:
            self._refresh_mask()

    @Slot()
    def _refresh_mask(self) -> None:
        """Let the button do what there is to do: mask the pinned token, or read it as written."""
        editing, pinned = self._editing, self._editing.pinned
        is_replaced = pinned is not None and editing.is_replaced(pinned, editing.run)
        self.mask_button.setVisible(editing.can_predict(editing.run) and self.is_open)
        self.mask_button.setEnabled(pinned is not None)
        predicts_nothing = editing.run == "A" and editing.is_possible and not editing.can_predict()
        self.open_button.setVisible(predicts_nothing and self.is_open)
        self.mask_button.setText(self.tr("As written") if is_replaced else self.tr("Mask"))
        tip = self.tr("Undo the edit of the pinned token")
        if not is_replaced:
            tip = self.tr("Mask the pinned token, and show what is expected in its place")
        if tip != self.mask_button.toolTip():
            self.mask_button.setToolTip(tip)
            self.mask_button.setAccessibleName(tip)

    @Slot()
    def _on_mask(self) -> None:
        if (pinned := self._editing.pinned) is not None:
            self._editing.toggle_mask(pinned, self._editing.run)

    def showEvent(self, event: QShowEvent) -> None:
        self._predictions.watch(self.is_open)

    def hideEvent(self, event: QHideEvent) -> None:
        self._predictions.watch(False)
