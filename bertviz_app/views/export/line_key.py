"""The key of a saved picture of lines: which colour is which head, or which sign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.views.kit.look import Look

_SIZE = 12.0
_LINE = 16
_GAP = 5
_BETWEEN = 12
_INDENT = 14


@dataclass(frozen=True)
class LineKey:
    """What colours stand for: `heads`, or `signs`, first what positive numbers are; empty where nothing."""

    heads: tuple[int, ...] = ()
    signs: tuple[str, ...] = ()


NO_KEY = LineKey()


@dataclass(frozen=True)
class _Entry:
    text: str
    pen: QPen | None = None


def key_of(picture: HeadPicture | None, heads: tuple[int, ...]) -> LineKey:
    """Return the key of lines of `heads`, of which `picture` is one; one head alone has one colour."""
    if picture is not None and picture.is_signed:
        return LineKey(signs=("A > B", "A < B") if picture.is_difference else ("> 0", "< 0"))
    return LineKey(heads=heads) if len(heads) > 1 else NO_KEY


def height_of_key(look: Look, key: LineKey, width: float) -> float:
    """Return how high the key is below a drawing of this width."""
    rows = {row for row, *_ in _positions(look, key, width)}
    return len(rows) * _height(look)


def draw_key(painter: QPainter, look: Look, key: LineKey, room: QRectF) -> None:
    """Draw the key at the bottom of `room`, in as many rows as it needs."""
    painter.save()
    painter.setFont(look.font(_SIZE))
    top = room.bottom() - height_of_key(look, key, room.width())
    line = look.pixels(_LINE)
    for row, left, entry in _positions(look, key, room.width()):
        y = top + (row + 0.5) * _height(look)
        x = room.left() + left
        if entry.pen is not None:
            painter.setPen(entry.pen)
            painter.drawLine(QLineF(x, y, x + line, y))
            x += line + look.pixels(_GAP)
        painter.setPen(look.colour("secondary"))
        painter.drawText(
            QRectF(x, y - _height(look) / 2, room.right() - x, _height(look)),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            entry.text,
        )
    painter.restore()


def _positions(look: Look, key: LineKey, width: float) -> Iterator[tuple[int, float, _Entry]]:
    """Yield the row, the left edge and the contents of each entry."""
    metrics = QFontMetricsF(look.font(_SIZE))
    start = x = float(look.pixels(_INDENT))
    row = 0
    for entry in _entries(look, key):
        mark = 0.0 if entry.pen is None else look.pixels(_LINE) + look.pixels(_GAP)
        length = mark + metrics.horizontalAdvance(entry.text)
        if x > start and x + length > width:
            row, x = row + 1, start
        yield row, x, entry
        x += length + look.pixels(_BETWEEN)


def _entries(look: Look, key: LineKey) -> list[_Entry]:
    thickness = float(look.pixels(3))
    if key.heads:
        title = QCoreApplication.translate("AxisTitles", "head")
        n_colours = len(look.palette.heads)
        return [
            _Entry(title),
            *(
                _Entry(str(head), _pen(look.head_colour(head), thickness, head // n_colours % 2 == 1))
                for head in key.heads
            ),
        ]
    colours = look.palette.differences[-1], look.palette.differences[0]
    return [
        _Entry(text, _pen(QColor(colour), thickness))
        for text, colour in zip(key.signs, colours, strict=False)
    ]


def _pen(colour: QColor, thickness: float, is_dashed: bool = False) -> QPen:
    style = Qt.PenStyle.DashLine if is_dashed else Qt.PenStyle.SolidLine
    return QPen(colour, thickness, style, Qt.PenCapStyle.FlatCap)


def _height(look: Look) -> float:
    return float(round(QFontMetricsF(look.font(_SIZE)).height() + look.pixels(_GAP)))
