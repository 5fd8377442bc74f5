"""`Pill`: a read-out beside the pointer, painted by the view: a tool tip of Qt would come a second later."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.look import Look

_PADDING = 8.0
_AWAY = 14.0


class Pill:
    """The read-out of one view; when it moves, only its former and its new rectangle are repainted."""

    def __init__(self, look: Look, view: QWidget) -> None:
        self._look = look
        self._view = view
        self._lines: list[str] = []
        self._at = QPointF()

    @property
    def lines(self) -> list[str]:
        """What is written in it, none while it is hidden."""
        return self._lines

    def show(self, lines: list[str], at: QPointF) -> None:
        """Write `lines` beside `at`; without lines it is hidden."""
        if (lines, at) != (self._lines, self._at):
            self._update()
            self._lines, self._at = lines, at
            self._update()

    def hide(self) -> None:
        """Write nothing."""
        self.show([], self._at)

    def draw(self, painter: QPainter) -> None:
        """Draw it, if there is something to read."""
        if self._lines:
            draw_pill(painter, self._look, self._lines, self._at, QRectF(self._view.rect()))

    def _update(self) -> None:
        if self._lines:
            box, _ = _laid_out(self._look, self._lines, self._at, QRectF(self._view.rect()))
            self._view.update(box.adjusted(-2, -2, 2, 2).toAlignedRect())


def draw_pill(painter: QPainter, look: Look, lines: list[str], at: QPointF, bounds: QRectF) -> None:
    """Draw `lines`, if there are any, in a box beside `at` inside `bounds`; the first line is the title."""
    if not lines:
        return
    box, heights = _laid_out(look, lines, at, bounds)
    painter.setPen(look.colour("rule"))
    painter.setBrush(look.colour("raised"))
    painter.drawRoundedRect(box, 6, 6)
    top = box.top() + _PADDING
    for number, (line, font, height) in enumerate(zip(lines, _fonts(look, lines), heights, strict=True)):
        painter.setFont(font)
        painter.setPen(look.colour("secondary" if number else "text"))
        row = QRectF(box.left() + _PADDING, top, box.width() - 2 * _PADDING + 1, height)
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
        top += height


def _laid_out(look: Look, lines: list[str], at: QPointF, bounds: QRectF) -> tuple[QRectF, list[float]]:
    """Return the box about `lines`, and how high each of them is."""
    metrics = [QFontMetricsF(font) for font in _fonts(look, lines)]
    width = max(measure.horizontalAdvance(line) for measure, line in zip(metrics, lines, strict=True))
    heights = [measure.height() for measure in metrics]
    box = QRectF(0, 0, width + 2 * _PADDING, sum(heights) + 2 * _PADDING)
    box.moveTo(_placed(at, box, bounds))
    return box, heights


def _fonts(look: Look, lines: list[str]) -> list[QFont]:
    return [look.font(13, bold=True)] + [look.font(12)] * (len(lines) - 1)


def _placed(at: QPointF, box: QRectF, bounds: QRectF) -> QPointF:
    """Return the corner of `box`: below and right of `at`, on the other side where there is no room."""
    x = at.x() + _AWAY if at.x() + _AWAY + box.width() <= bounds.right() else at.x() - _AWAY - box.width()
    y = at.y() + _AWAY if at.y() + _AWAY + box.height() <= bounds.bottom() else at.y() - _AWAY - box.height()
    x = min(max(x, bounds.left()), max(bounds.left(), bounds.right() - box.width()))
    y = min(max(y, bounds.top()), max(bounds.top(), bounds.bottom() - box.height()))
    return QPointF(x, y)
