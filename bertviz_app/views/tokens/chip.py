"""One chip of the token strip: a piece over its numbers, with a bar in the colour of its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen

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
    draw_ground(painter, look, chip, box)
    painter.setFont(piece_font(look))
    write_piece(painter, look, chip, box, rows)
    painter.setFont(number_font(look))
    write_numbers(painter, look, chip, box, rows)


def draw_ground(painter: QPainter, look: Look, chip: Chip, box: QRectF) -> None:
    """Draw what is behind the texts of a chip: its outline, its tint and its bar."""
    painter.setPen(_outline(look, chip))
    painter.setBrush(look.colour("raised"))
    painter.drawRoundedRect(box, _ROUND, _ROUND)
    if chip.is_highlighted or chip.edited:
        tint = look.colour("accent", 0.16) if chip.is_highlighted else look.colour("warning", 0.12)
        painter.setBrush(tint)
        painter.drawRoundedRect(box, _ROUND, _ROUND)
    _draw_bar(painter, look, chip, box)


def piece_font(look: Look) -> QFont:
    """Return the font that `write_piece` needs."""
    return look.font(14, bold=True)


def number_font(look: Look) -> QFont:
    """Return the font that `write_numbers` needs."""
    return look.number_font(12)


def write_piece(painter: QPainter, look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF]) -> None:
    """Write the first text of a chip."""
    _write(painter, look, chip, box, 0, rows[0])


def write_numbers(painter: QPainter, look: Look, chip: Chip, box: QRectF, rows: Sequence[QRectF]) -> None:
    """Write the texts of a chip below the first."""
    for number in range(1, len(chip.texts)):
        _write(painter, look, chip, box, number, rows[number])


def _write(painter: QPainter, look: Look, chip: Chip, box: QRectF, number: int, row: QRectF) -> None:
    text, room = chip.texts[number], QRectF(box.left() + 5, row.top(), box.width() - 10, row.height())
    if chip.is_cut:
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width() + 1)
    painter.setPen(look.colour(_ink(chip, number)))
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
