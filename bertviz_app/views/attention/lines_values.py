"""Weights in words: on the strongest lines, and beside the labels while a token is highlighted."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.views.attention.lines_image import Brush, Strands
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed

BLOCK = 7.0
_MOST = 16
_SHARES = (0.5, 0.36, 0.64)


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


def draw_weights(
    painter: QPainter,
    look: Look,
    row: QRectF,
    weights: tuple[list[float], float],
    brush: Brush,
    *,
    is_left: bool,
) -> None:
    """Tint the row of a label by its weight, and write the weight at its outer end.

    Of several heads draw a block each. `weights`: one for each head, and the largest there is.
    """
    of_heads, largest = weights
    painter.setPen(Qt.PenStyle.NoPen)
    if len(of_heads) > 1:
        start = row.left() if is_left else row.right() - BLOCK * len(of_heads)
        for number, weight in enumerate(of_heads):
            painter.setBrush(brush.pen(number, min(1.0, weight / largest), 1).color())
            painter.drawRect(QRectF(start + BLOCK * number, row.top(), BLOCK, row.height()))
        return
    weight = of_heads[0]
    paint = int(weight > 0) if brush.is_signed else 0
    painter.setBrush(brush.pen(paint, 0.06 + 0.34 * min(1.0, abs(weight) / largest), 1).color())
    painter.drawRoundedRect(row.adjusted(-4, -1, 4, 1), 4, 4)
    painter.setFont(look.number_font(11))
    painter.setPen(look.colour("text"))
    outer = Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight
    text = signed(weight, brush.digits) if brush.is_signed else fixed(weight, brush.digits)
    painter.drawText(row, outer | Qt.AlignmentFlag.AlignVCenter, text)
