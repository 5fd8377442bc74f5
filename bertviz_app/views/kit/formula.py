"""Formulas in a line: fractions, roots, sub- and superscripts, laid out and drawn with Qt's painter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

from bertviz_app.values import dataclass
from bertviz_app.views.kit.look import Look

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


# By kind how far down its parts are, and how much farther it reaches above and below, in letters.
_SHIFTS = MappingProxyType({"sub": (0.25, -0.3, 0.25), "sup": (-0.42, 0.42, -0.42), "sqrt": (0.0, 0.2, 0.0)})
_ROOT = (0.58, 0.04)  # the room before and behind what is under a root, likewise


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
