"""Weights as numbers: on the strongest lines, and beside the labels while a token is highlighted."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.views.attention.lines_image import Brush, Strands
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed

BLOCK = 7.0
_MOST = 16
_UNSEEN = 0.0019
"""An opacity that changes no channel of a pixel: most blocks of many heads have less."""
_SHARES = (0.5, 0.36, 0.64)
_OUTER = (Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft)


def widest_number(picture: HeadPicture) -> str:
    """Return the widest text of a number beside a label, or in a cell."""
    digits = picture.digits
    return signed(picture.largest, digits) if picture.is_signed else fixed(picture.largest, digits)


def draw_values(painter: QPainter, look: Look, lines: Strands, brush: Brush, bounds: QRectF) -> None:
    """Write the weights of the strongest lines on them, as far as they keep clear of each other."""
    font = look.number_font(11)
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    taken: list[QRectF] = []
    for at in range(len(lines) - 1, max(-1, len(lines) - 1 - 4 * _MOST), -1):
        text = fixed(float(lines.weights[at]), brush.digits)
        curve = brush.curve(int(lines.queries[at]), int(lines.keys[at]))
        size = metrics.boundingRect(text).size()
        for share in _SHARES:
            box = QRectF(0, 0, size.width() + 8, size.height() + 2)
            box.moveCenter(curve.pointAtPercent(share))
            if bounds.contains(box) and not any(box.intersects(other) for other in taken):
                taken.append(box)
                painter.setPen(QPen(brush.colours[int(lines.paints[at])], 1))
                painter.setBrush(look.colour("card"))
                painter.drawRoundedRect(box, 4, 4)
                painter.setPen(look.colour("text"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                break
        if len(taken) == _MOST:
            return


class RowWeights(NamedTuple):
    """The row of a token in a column of labels, and each head's weight there."""

    position: int
    box: QRectF
    of_heads: list[float]


def draw_weights(
    painter: QPainter, look: Look, rows: list[RowWeights], largest: float, brush: Brush, *, is_left: bool
) -> None:
    """Tint the row of each label by its weight, and write the weight at its outer end.

    Of several heads draw a block each, in the colour of the head or, of differences, of the sign. `largest`
    is the weight that has full colour.
    """
    if not rows:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    if len(rows[0].of_heads) > 1:
        _draw_blocks(painter, rows, largest, brush, is_left=is_left)
        return
    for _, box, (weight,) in rows:
        paint = int(weight > 0) if brush.is_signed else 0
        painter.setBrush(brush.colour(paint, 0.06 + 0.34 * min(1.0, abs(weight) / largest)))
        painter.drawRoundedRect(box.adjusted(-4, -1, 4, 1), 4, 4)
    painter.setFont(look.number_font(11))
    painter.setPen(look.colour("text"))
    align = _OUTER[is_left] | Qt.AlignmentFlag.AlignVCenter
    written = signed if brush.is_signed else fixed
    for _, box, (weight,) in rows:
        painter.drawText(box, align, written(weight, brush.digits))


def _draw_blocks(
    painter: QPainter, rows: list[RowWeights], largest: float, brush: Brush, *, is_left: bool
) -> None:
    for _, box, of_heads in rows:
        start = box.left() if is_left else box.right() - BLOCK * len(of_heads)
        for number, weight in enumerate(of_heads):
            opacity = abs(weight) / largest
            if opacity < _UNSEEN:
                continue
            painter.setBrush(brush.colour(int(weight > 0) if brush.is_signed else number, opacity))
            painter.drawRect(QRectF(start + BLOCK * number, box.top(), BLOCK, box.height()))
