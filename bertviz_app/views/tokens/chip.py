"""One chip of the token strip: a piece over its numbers, with a bar in the colour of its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from bertviz_app.views.kit.look import Look

_ROUND = 6.0


@dataclass(frozen=True)
class Chip:
    """What a chip says, from top to bottom, and how it stands out.

    `colour` is that of its sentence; `edited` has the numbers of the texts that are not as they are written;
    `is_cut` where a text may be wider than the chip.
    """

    texts: tuple[str, ...]
    colour: str
    is_highlighted: bool = False
    is_special: bool = False
    edited: frozenset[int] = frozenset()
    is_cut: bool = False


def draw_chip(painter: QPainter, look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF]) -> None:
    """Draw `chip` into `box`, its texts at the heights of `rows`."""
    painter.setPen(_outline(look, chip))
    painter.setBrush(look.colour("raised"))
    painter.drawRoundedRect(box, _ROUND, _ROUND)
    if chip.is_highlighted or chip.edited:
        tint = look.colour("accent", 0.16) if chip.is_highlighted else look.colour("warning", 0.12)
        painter.setBrush(tint)
        painter.drawRoundedRect(box, _ROUND, _ROUND)
    _draw_bar(painter, look, chip, box)
    for number, (text, row) in enumerate(zip(chip.texts, rows, strict=True)):
        painter.setFont(look.number_font(12) if number else look.font(14, bold=True))
        painter.setPen(look.colour(_ink(chip, number)))
        room = QRectF(box.left() + 5, row.top(), box.width() - 10, row.height())
        if chip.is_cut:
            metrics = QFontMetricsF(painter.font())
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() + 1)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)


def _outline(look: Look, chip: Chip) -> QPen:
    if chip.is_highlighted:
        return QPen(look.colour("accent"), 1.5)
    if chip.edited:
        return QPen(look.colour("warning"), 1.5, Qt.PenStyle.DashLine)
    return QPen(look.colour("rule"))


def _ink(chip: Chip, number: int) -> str:
    if number in chip.edited:
        return "warning"
    return "secondary" if number or chip.is_special else "text"


def _draw_bar(painter: QPainter, look: Look, chip: Chip, box: QRectF) -> None:
    """Draw the 3 px bar along the top of a chip, within its rounded corners."""
    path = QPainterPath()
    path.addRoundedRect(box, _ROUND, _ROUND)
    painter.save()
    painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
    painter.fillRect(QRectF(box.left(), box.top(), box.width(), 3), look.colour(chip.colour))
    painter.restore()
