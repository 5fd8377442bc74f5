r"""Formulas drawn as in a book: letters in italics, subscripts, superscripts, fractions and roots.

The language is a small part of TeX: `_x`, `^x`, `_{...}`, `^{...}`, `\frac{a}{b}`, `\sqrt{a}`, and
`\t{words}` for upright letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Literal

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen

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


@lru_cache(maxsize=256)
def parse(formula: str) -> Node:
    pieces = _PIECE.findall(formula)
    nodes, _ = _row(pieces, 0)
    return Node("row", parts=tuple(nodes))


def _row(pieces: list[str], at: int) -> tuple[list[Node], int]:
    """Return the nodes up to a closing brace or the end, and the position after it."""
    nodes: list[Node] = []
    while at < len(pieces) and pieces[at] != "}":
        node, at = _node(pieces, at)
        nodes.append(node)
    return nodes, at + 1


def _node(pieces: list[str], at: int) -> tuple[Node, int]:
    piece = pieces[at]
    if piece == "\\frac":
        upper, at = _group(pieces, at + 1)
        lower, at = _group(pieces, at)
        return Node("frac", parts=(upper, lower)), at
    if piece in _KINDS:
        part, at = _group(pieces, at + 1)
        return Node(_KINDS[piece], parts=(part,)), at
    if piece == "{":
        nodes, at = _row(pieces, at + 1)
        return Node("row", parts=tuple(nodes)), at
    return Node("text", piece), at + 1


_KINDS: dict[str, NodeKind] = {"\\sqrt": "sqrt", "\\t": "upright", "_": "sub", "^": "sup"}


def _group(pieces: list[str], at: int) -> tuple[Node, int]:
    """Return what is in braces, or the one piece that stands without."""
    if at >= len(pieces):
        return Node("row"), at
    return _node(pieces, at)


@dataclass(frozen=True)
class FormulaBox:
    """The room of a part: its width, and how far it reaches above and below the line."""

    width: float
    above: float
    below: float


@dataclass(frozen=True)
class Letters:
    """Letters of a formula in their font; `at` is the left end of the line they stand on."""

    at: QPointF
    font: QFont
    text: str


@dataclass(frozen=True)
class Stroke:
    """A line of a formula, of a fraction or a root."""

    start: QPointF
    end: QPointF


class Formula:
    """One formula in one size, measured and laid out once, and drawn anywhere."""

    def __init__(self, look: Look, formula: str, pixels: float, *, is_full_size: bool = True) -> None:
        self.is_full_size = is_full_size
        self._look = look
        self._tree = parse(formula)
        self._boxes: dict[tuple[int, float, bool], FormulaBox] = {}
        self._parts: list[Letters | Stroke] = []
        self.box = self._measure(self._tree, pixels, upright=False)
        self._lay_out(self._tree, 0.0, 0.0, pixels, upright=False)

    def draw(self, painter: QPainter, at: QPointF) -> None:
        """Draw in the painter's pen; `at` is the left end of the line it stands on."""
        for part in self._parts:
            if isinstance(part, Letters):
                painter.setFont(part.font)
                painter.drawText(at + part.at, part.text)
            else:
                pen = painter.pen()
                painter.setPen(QPen(pen.color(), max(1.0, self._look.scale)))
                painter.drawLine(at + part.start, at + part.end)
                painter.setPen(pen)

    def _font(self, text: str, pixels: float, *, upright: bool) -> QFont:
        font = QFont(self._look.font(pixels))
        font.setItalic(text.isalpha() and not upright)
        return font

    def _measure(self, node: Node, pixels: float, *, upright: bool) -> FormulaBox:
        """Return the room of a part; the layout asks again for what was measured."""
        known = (id(node), pixels, upright)
        if known not in self._boxes:
            self._boxes[known] = self._measured(node, pixels, upright=upright)
        return self._boxes[known]

    def _measured(self, node: Node, pixels: float, *, upright: bool) -> FormulaBox:
        if node.kind == "text":
            metrics = QFontMetricsF(self._font(node.text, pixels, upright=upright))
            return FormulaBox(
                metrics.horizontalAdvance(node.text), 0.76 * metrics.ascent(), metrics.descent() * 0.7
            )
        inner = pixels * _SMALLER if node.kind in ("sub", "sup", "frac") else pixels
        upright = upright or node.kind == "upright"
        boxes = [self._measure(part, inner, upright=upright) for part in node.parts]
        size = self._look.pixels(pixels)
        if node.kind == "frac":
            axis, upper, lower = 0.3 * size, boxes[0], boxes[1]
            width = max(upper.width, lower.width) + 0.4 * size
            return FormulaBox(
                width, axis + 3 + upper.below + upper.above, lower.above + lower.below + 3 - axis
            )
        across = self._across(node, boxes)
        above, below = (max((getattr(box, end) for box in boxes), default=0.0) for end in ("above", "below"))
        if node.kind == "sub":
            return FormulaBox(across, above - 0.3 * size, below + 0.25 * size)
        if node.kind == "sup":
            return FormulaBox(across, above + 0.42 * size, below - 0.42 * size)
        if node.kind == "sqrt":
            return FormulaBox(across + 0.62 * size, above + 0.2 * size, below)
        return FormulaBox(across, above, below)

    @staticmethod
    def _across(node: Node, boxes: list[FormulaBox]) -> float:
        """Return the width of boxes in a row; a sub- and a superscript stand above each other."""
        width = 0.0
        for index, box in enumerate(boxes):
            pair = {node.parts[index - 1].kind, node.parts[index].kind} if index else set()
            if pair == {"sub", "sup"}:
                width += max(0.0, box.width - boxes[index - 1].width)
            else:
                width += box.width
        return width

    def _lay_out(self, node: Node, x: float, y: float, pixels: float, *, upright: bool) -> None:
        if node.kind == "text":
            font = self._font(node.text, pixels, upright=upright)
            self._parts.append(Letters(QPointF(x, y), font, node.text))
            return
        size = self._look.pixels(pixels)
        inner = pixels * _SMALLER if node.kind in ("sub", "sup", "frac") else pixels
        upright = upright or node.kind == "upright"
        boxes = [self._measure(part, inner, upright=upright) for part in node.parts]
        if node.kind == "frac":
            self._lay_out_fraction(node, boxes, x, y, pixels, upright=upright)
            return
        if node.kind == "sqrt":
            self._lay_out_root(boxes[0], x, y, size)
            x += 0.58 * size
        y += {"sub": 0.25, "sup": -0.42}.get(node.kind, 0.0) * size
        before = x
        for index, part in enumerate(node.parts):
            pair = {node.parts[index - 1].kind, part.kind} if index else set()
            start = before if pair == {"sub", "sup"} else x
            self._lay_out(part, start, y, inner, upright=upright)
            before, x = start, max(x, start + boxes[index].width)

    def _lay_out_fraction(
        self, node: Node, boxes: list[FormulaBox], x: float, y: float, pixels: float, *, upright: bool
    ) -> None:
        size, inner = self._look.pixels(pixels), pixels * _SMALLER
        width = max(box.width for box in boxes) + 0.4 * size
        bar = y - 0.3 * size
        upper, lower = boxes
        self._parts.append(Stroke(QPointF(x + 0.1 * size, bar), QPointF(x + width - 0.1 * size, bar)))
        for part, box, y in (
            (node.parts[0], upper, bar - 3 - upper.below),
            (node.parts[1], lower, bar + 3 + lower.above),
        ):
            self._lay_out(part, x + (width - box.width) / 2, y, inner, upright=upright)

    def _lay_out_root(self, box: FormulaBox, x: float, y: float, size: float) -> None:
        top = y - box.above - 0.14 * size
        points = [(0.06, y - 0.28 * size), (0.18, y - 0.36 * size), (0.34, y + box.below * 0.6)]
        corners = [QPointF(x + share * size, height) for share, height in points]
        corners += [QPointF(x + 0.54 * size, top), QPointF(x + 0.6 * size + box.width, top)]
        self._parts += [Stroke(start, end) for start, end in pairwise(corners)]


def fitting(look: Look, formulas: tuple[str, ...], width: float, pixels: float = 15) -> Formula:
    """Return the fullest of `formulas` that fits into `width`; the last one smaller if it must be."""
    for formula in formulas:
        made = look.measured((formula, pixels), partial(Formula, look, formula, pixels))
        if made.box.width <= width:
            return made
    smaller = max(7.0, pixels * width / max(1.0, made.box.width))
    return Formula(look, formulas[-1], smaller, is_full_size=False)
