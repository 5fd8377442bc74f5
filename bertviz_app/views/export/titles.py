"""What a saved picture has around it: titles of axes, the key of lines."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QLineF, QMarginsF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil
from bertviz_app.views.kit.subject import AxisTitles, LineKey

_SIZE = 12.0
_LINE = 16
_KEY_GAP = 5
_BETWEEN = 12
_INDENT = 14


def height_of_key(look: Look, key: LineKey, width: float) -> float:
    """Return how high the key is below a drawing of this width."""
    return len({row for row, *_ in _positions(look, key, width)}) * _height(look)


def draw_key(painter: QPainter, look: Look, key: LineKey, room: QRectF) -> None:
    """Draw the key at the bottom of `room`, in as many rows as it needs."""
    painter.save()
    pencil, line = Pencil(painter, look), look.pixels(_LINE)
    top = room.bottom() - height_of_key(look, key, room.width())
    for row, left, text, pen in _positions(look, key, room.width()):
        y = top + (row + 0.5) * _height(look)
        x = room.left() + left
        if pen is not None:
            painter.setPen(pen)
            painter.drawLine(QLineF(x, y, x + line, y))
            x += line + look.pixels(_KEY_GAP)
        box = QRectF(x, y - _height(look) / 2, room.right() - x, _height(look))
        pencil.write(text, box, look.font(_SIZE), "secondary", LEFT)
    painter.restore()


def _positions(look: Look, key: LineKey, width: float) -> Iterator[tuple[int, float, str, QPen | None]]:
    """Yield the row and the left edge of each entry, its text and its line."""
    signs = zip(key.signs, (look.palette.differences[at] for at in (-1, 0)), strict=False)
    lines, n_colours = [(text, QColor(colour), False) for text, colour in signs], len(look.palette.heads)
    title: list[tuple[str, QPen | None]] = []
    if key.heads:
        lines = [(str(head), look.head_colour(head), head // n_colours % 2 == 1) for head in key.heads]
        title = [(QCoreApplication.translate("AxisTitles", "head"), None)]  # which has no line
    dash, solid, cap = Qt.PenStyle.DashLine, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap
    thick, metrics = float(look.pixels(3)), QFontMetricsF(look.font(_SIZE))
    entries = [(text, QPen(ink, thick, dash if is_broken else solid, cap)) for text, ink, is_broken in lines]
    start = x = float(look.pixels(_INDENT))
    row = 0
    for text, pen in [*title, *entries]:
        mark = 0.0 if pen is None else look.pixels(_LINE) + look.pixels(_KEY_GAP)
        length = mark + metrics.horizontalAdvance(text)
        if x > start and x + length > width:
            row, x = row + 1, start
        yield row, x, text, pen
        x += length + look.pixels(_BETWEEN)


def _height(look: Look) -> float:
    return float(round(QFontMetricsF(look.font(_SIZE)).height() + look.pixels(_KEY_GAP)))


_GAP = 6


def margins(look: Look, titles: AxisTitles, width: float) -> QMarginsF:
    """Return the room that the titles take at each side of a drawing of this width."""
    line = QFontMetricsF(look.font(_SIZE)).height() + look.pixels(_GAP)

    def room(*texts: str) -> float:
        return float(round(line)) if any(texts) else 0.0

    below = room(titles.below) + height_of_key(look, titles.key, width)
    return QMarginsF(room(titles.left), room(titles.above, *titles.ends), room(titles.right), below)


def draw_titles(
    painter: QPainter, look: Look, titles: AxisTitles, drawing: QRectF, bar: QRectF | None = None
) -> None:
    """Write the titles around `drawing`; that of the colours beside `bar`, where there is one."""
    around = margins(look, titles, drawing.width())
    painter.save()
    painter.setFont(look.font(_SIZE))
    painter.setPen(look.colour("secondary"))
    metrics, middle = QFontMetricsF(look.font(_SIZE)), Qt.AlignmentFlag.AlignCenter
    above = QRectF(drawing.left(), drawing.top() - around.top(), drawing.width(), around.top())
    painter.drawText(above, middle, titles.above)
    inner = above.adjusted(look.pixels(_INDENT), 0, -look.pixels(_INDENT), 0)
    for text, side in zip(titles.ends, (LEFT, RIGHT), strict=True):
        painter.drawText(inner, side, text)
    below = QRectF(drawing.left(), drawing.bottom(), drawing.width(), around.bottom())
    painter.drawText(below, middle, titles.below)
    draw_key(painter, look, titles.key, below)
    at_left = drawing.translated(-around.left(), 0)
    at_left.setWidth(around.left())
    at_right = QRectF(drawing.right(), drawing.top(), around.right(), drawing.height())
    if bar is not None and not bar.isEmpty():
        # The title of the colours stands beside their bar, which may end far from the margin.
        length = metrics.horizontalAdvance(titles.right) + 2
        height = min(max(bar.height(), length), at_right.height())
        top = max(at_right.top(), min(bar.top(), at_right.bottom() - height))
        at_right = QRectF(min(bar.right(), at_right.left()), top, at_right.width(), height)
    for text, room in ((titles.left, at_left), (titles.right, at_right)):
        painter.save()
        painter.translate(room.bottomLeft())
        painter.rotate(-90)
        # Smaller where the title is longer than its side: cut text is not drawn at all.
        share = max(room.height(), 1.0) / (metrics.horizontalAdvance(text) + 2)
        painter.setFont(look.font(_SIZE * min(1.0, share)))
        painter.drawText(QRectF(0, 0, room.height(), room.width()), middle, text)
        painter.restore()
    painter.restore()
