"""The heading of a stop, and its formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from bertviz_app.values import dataclass
from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.stops import StopTensors
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look, named

_SMALLER = 0.72
_PIECE = re.compile(r"\\frac|\\sqrt|\\t|[_^{}]|[^\\_^{}]")


NodeKind = Literal["row", "text", "upright", "sub", "sup", "frac", "sqrt"]


@dataclass(frozen=True)
class Node:
    """A part of a formula, such as a fraction, with its own parts."""

    kind: NodeKind
    text: str = ""
    parts: tuple[Node, ...] = ()


_KINDS: dict[str, NodeKind] = {
    "\\frac": "frac",
    "\\sqrt": "sqrt",
    "\\t": "upright",
    "_": "sub",
    "^": "sup",
    "{": "row",
}


@lru_cache(maxsize=256)
def parse(formula: str) -> Node:
    return Node("row", parts=_row(iter(_PIECE.findall(formula))))


def _row(pieces: Iterator[str]) -> tuple[Node, ...]:
    """Return the nodes up to a closing brace or the end."""
    return tuple(_node(piece, pieces) for piece in iter(lambda: next(pieces, "}"), "}"))


def _node(piece: str, pieces: Iterator[str]) -> Node:
    """Return the node that begins with a piece: what follows it is in braces, or one piece without."""
    kind = _KINDS.get(piece, "text")
    if kind == "text":
        return Node(kind, piece)
    if kind == "row":
        return Node(kind, parts=_row(pieces))
    n_parts = 2 if kind == "frac" else 1
    return Node(kind, parts=tuple(_node(next(pieces, "{"), pieces) for _ in range(n_parts)))


@dataclass(frozen=True)
class Letters:
    """Letters of a formula in their font."""

    font: QFont
    text: str


@dataclass(frozen=True)
class Stroke:
    """A line of a formula, of a fraction or a root, and the way from its start to its end."""

    way: QPointF


@dataclass(frozen=True)
class FormulaBox:
    """A part that is laid out: its width, how far it reaches above and below the line, and what is in it.

    `pieces` are at points from the left end of the line.
    """

    width: float
    above: float
    below: float
    pieces: tuple[tuple[QPointF, FormulaBox | Letters | Stroke], ...]


_SHIFTS = MappingProxyType({"sub": (0.25, -0.3, 0.25), "sup": (-0.42, 0.42, -0.42), "sqrt": (0.0, 0.2, 0.0)})
"""By kind how far down its parts are, and how much farther it reaches above and below, in letters."""
_ROOT = (0.58, 0.04)
"""The room before and behind what is under a root, likewise."""


class Formula:
    """One formula in one size, measured and laid out once, and drawn anywhere."""

    def __init__(self, look: Look, formula: str, pixels: float, *, is_full_size: bool = True) -> None:
        self.is_full_size = is_full_size
        self._look = look
        self.box = self._laid_out(parse(formula), pixels, upright=False)

    def draw(self, painter: QPainter, at: QPointF) -> None:
        """Draw in the painter's pen; `at` is the left end of the line it stands on."""
        self._draw(painter, self.box, at)

    def _draw(self, painter: QPainter, box: FormulaBox, at: QPointF) -> None:
        for offset, piece in box.pieces:
            if isinstance(piece, FormulaBox):
                self._draw(painter, piece, at + offset)
            elif isinstance(piece, Letters):
                painter.setFont(piece.font)
                painter.drawText(at + offset, piece.text)
            else:
                pen = painter.pen()
                painter.setPen(QPen(pen.color(), max(1.0, self._look.scale)))
                painter.drawLine(at + offset, at + offset + piece.way)
                painter.setPen(pen)

    def _laid_out(self, node: Node, pixels: float, *, upright: bool) -> FormulaBox:
        if node.kind == "text":
            font = QFont(self._look.font(pixels))
            font.setItalic(node.text.isalpha() and not upright)
            metrics = QFontMetricsF(font)
            pieces = ((QPointF(0, 0), Letters(font, node.text)),)
            width = metrics.horizontalAdvance(node.text)
            return FormulaBox(width, 0.76 * metrics.ascent(), metrics.descent() * 0.7, pieces)
        size = self._look.pixels(pixels)
        inner = pixels * _SMALLER if node.kind in ("sub", "sup", "frac") else pixels
        upright = upright or node.kind == "upright"
        boxes = [self._laid_out(part, inner, upright=upright) for part in node.parts]
        return _fraction(boxes, size) if node.kind == "frac" else _in_line(node, boxes, size)


def _fraction(boxes: list[FormulaBox], size: float) -> FormulaBox:
    upper, lower = boxes
    width = max(upper.width, lower.width) + 0.4 * size
    bar = -0.3 * size
    lines = bar - 3 - upper.below, bar + 3 + lower.above
    placed = [(QPointF((width - box.width) / 2, line), box) for box, line in zip(boxes, lines, strict=True)]
    stroke = QPointF(0.1 * size, bar), Stroke(QPointF(width - 0.2 * size, 0))
    return FormulaBox(width, upper.above - lines[0], lines[1] + lower.below, (stroke, *placed))


def _in_line(node: Node, boxes: list[FormulaBox], size: float) -> FormulaBox:
    """Return boxes in a row; a sub- and a superscript stand above each other."""
    down, more_above, more_below = (share * size for share in _SHIFTS.get(node.kind, (0.0, 0.0, 0.0)))
    above, below = (max((getattr(box, end) for box in boxes), default=0.0) for end in ("above", "below"))
    pieces: list[tuple[QPointF, FormulaBox | Letters | Stroke]] = []
    before, behind = (share * size if node.kind == "sqrt" else 0.0 for share in _ROOT)
    if node.kind == "sqrt":
        top = -boxes[0].above - 0.14 * size
        points = [(0.06, -0.28 * size), (0.18, -0.36 * size), (0.34, below * 0.6), (0.54, top)]
        corners = [QPointF(share * size, height) for share, height in points]
        corners.append(QPointF(0.6 * size + boxes[0].width, top))
        pieces = [(start, Stroke(end - start)) for start, end in pairwise(corners)]
    start = x = before
    for index, box in enumerate(boxes):
        pair = {node.parts[index - 1].kind, node.parts[index].kind} if index else set()
        start = start if pair == {"sub", "sup"} else x
        pieces.append((QPointF(start, down), box))
        x = max(x, start + box.width)
    return FormulaBox(x + behind, above + more_above, below + more_below, tuple(pieces))


def fitting(look: Look, formulas: tuple[str, ...], width: float, pixels: float = 15) -> Formula:
    """Return the fullest of `formulas` that fits into `width`; the last one smaller if it must be."""
    for formula in formulas:
        made = look.measured((formula, pixels), partial(Formula, look, formula, pixels))
        if made.box.width <= width:
            return made
    smaller = max(7.0, pixels * width / max(1.0, made.box.width))
    return Formula(look, formulas[-1], smaller, is_full_size=False)


_FORMULA, _SENTENCE, _SHAPES = 40.0, 22.0, 18.0
_TWO_CLOSE_LINES = 35.0
_MARGIN = 12.0


class StepsHead(Canvas):
    """The formula at the left, the shapes at the right, the sentence below if there is height for it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._tensors: StopTensors | None = None
        self._sentence = ""
        self._lines = 1
        self._is_close = False
        self._has_shapes_below = False
        self.why = named(QPushButton(self), "plain", self.tr("Why there is this stage (Y)"))
        """Shows the reason for the stage."""
        self.why.setCheckable(True)
        self.why.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.place_why()

    def sizeHint(self) -> QSize:
        below = self.look.pixels(_SHAPES) if self._has_shapes_below else 0
        return QSize(300, self.look.pixels(_FORMULA) + below + round(self._room_of_lines))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.place_why()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Leave out the button, or show it again: the layout of a saved picture must not bring it back."""
        super().set_omits_hints(omits_hints=omits_hints)
        self.place_why()

    def place_why(self) -> None:
        """Lay the button at the right end of the sentence, if there is one."""
        self.why.setVisible(self._lines > 0 and not self.omits_hints)
        text, arrow = self.tr("Why?"), "▴" if self.why.isChecked() else "▾"
        self.why.setText(f"{text} {arrow}")
        height = self.look.pixels(_SENTENCE)
        width = self.why.sizeHint().width()
        top = self.sizeHint().height() - round((self._sentence_height + height) / 2) - 2
        self.why.setGeometry(self.width() - width - 8, top, width, height)

    def show_stop(self, tensors: StopTensors, note: str = "") -> None:
        """Write the title, sentence and formulas of another stop, or of another query at it.

        A `note` stands instead of the sentence.
        """
        self._tensors = tensors
        stage, trace = tensors.stop.stage, tensors.trace
        self._sentence = sentence = note or step_words.sentence(stage, step_words.traits_of(tensors))
        title = step_words.title(stage, trace.tokens.special_names.first, trace.form)
        shapes = step_words.shapes(tensors)
        self.setToolTip(sentence)
        self.setAccessibleName(title)
        self.setAccessibleDescription(f"{sentence} {shapes}")
        self.update()

    def set_lines(self, lines: int, *, are_close: bool = False, has_shapes_below: bool = False) -> None:
        """Give the sentence `lines` lines, two of which may be close: with 0 it is only in the tool tip.

        With `has_shapes_below` the shapes have a line below the formula, which leaves no room beside it.
        """
        chosen = lines, are_close, has_shapes_below
        if chosen != (self._lines, self._is_close, self._has_shapes_below):
            self._lines, self._is_close, self._has_shapes_below = chosen
            self.updateGeometry()
            self.place_why()
            self.update()

    def draw(self, painter: QPainter) -> None:
        tensors = self._tensors
        if tensors is None:
            return
        box = QRectF(_MARGIN, 0, self.width() - 2 * _MARGIN, self.look.pixels(_FORMULA))
        shapes = step_words.shapes(tensors)
        painter.setFont(self.look.number_font(12))
        room = QFontMetricsF(painter.font()).horizontalAdvance(shapes)
        formulas = step_words.formulas(tensors)
        made = fitting(self.look, formulas, box.width(), 16)
        if not self._has_shapes_below and made.box.width + room + 20 > box.width():
            shorter = fitting(self.look, formulas, max(40.0, box.width() - room - 20), 16)
            made = shorter if shorter.is_full_size else made
        painter.setPen(self.look.colour("text"))
        middle = box.center().y() + (made.box.above - made.box.below) / 2
        made.draw(painter, QPointF(box.left(), middle))
        if self._has_shapes_below:
            box = QRectF(box.left(), box.bottom(), box.width(), self.look.pixels(_SHAPES))
            self._draw_shapes(painter, box, shapes, Qt.AlignmentFlag.AlignLeft)
        elif made.box.width + room + 20 <= box.width():
            self._draw_shapes(painter, box, shapes, Qt.AlignmentFlag.AlignRight)
        if self._lines:
            width = box.width() - self.why.width()
            box = QRectF(box.left(), box.bottom(), width, self._sentence_height)
            is_one_line = self._lines == 1
            font, text = fitting_sentence(self.look, self._sentence, box.size(), is_one_line=is_one_line)
            painter.setFont(font)
            painter.setPen(self.look.colour("secondary"))
            wrap = 0 if is_one_line else Qt.TextFlag.TextWordWrap.value
            flags = (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter).value
            painter.drawText(box, flags | wrap, text)

    def _draw_shapes(self, painter: QPainter, box: QRectF, shapes: str, side: Qt.AlignmentFlag) -> None:
        painter.setFont(self.look.number_font(12))
        painter.setPen(self.look.colour("secondary"))
        text = QFontMetricsF(painter.font()).elidedText(shapes, Qt.TextElideMode.ElideRight, box.width() + 1)
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, text)

    @property
    def _sentence_height(self) -> float:
        return self._room_of_lines - 2

    @property
    def _room_of_lines(self) -> float:
        if self._is_close and self._lines > 1:
            return self.look.pixels(_TWO_CLOSE_LINES)
        return self._lines * self.look.pixels(_SENTENCE)


def fitting_sentence(look: Look, sentence: str, room: QSizeF, *, is_one_line: bool) -> tuple[QFont, str]:
    """Return the font and as much of a sentence as fits into `room`: a little smaller, else with an ellipsis.

    It is wrapped at words unless `is_one_line`.
    """
    fonts = [look.font(pixels) for pixels in (13, 12, 11)]
    for font in fonts:
        if _fits(QFontMetricsF(font), sentence, room, is_one_line=is_one_line):
            return font, sentence
    if is_one_line:
        metrics = QFontMetricsF(fonts[0])
        return fonts[0], metrics.elidedText(sentence, Qt.TextElideMode.ElideRight, room.width())
    words = sentence.split()
    metrics = QFontMetricsF(fonts[-1])
    while len(words) > 1 and not _fits(metrics, f"{' '.join(words)} …", room, is_one_line=False):
        words.pop()
    return fonts[-1], f"{' '.join(words)} …"


def _fits(metrics: QFontMetricsF, text: str, room: QSizeF, *, is_one_line: bool) -> bool:
    if is_one_line:
        return metrics.horizontalAdvance(text) <= room.width()
    box = QRectF(0, 0, room.width(), 10_000)
    wrapped = metrics.boundingRect(box, Qt.TextFlag.TextWordWrap.value, text)
    return wrapped.height() <= room.height() and wrapped.width() <= room.width()
