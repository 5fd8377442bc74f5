"""`text_drawn_at`: the text that a widget draws at a position, found by drawing it once more."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPicture

from bertviz_app.views.kit.canvas import guarded

_SLACK = 3.0


@runtime_checkable
class DrawsTexts(Protocol):
    """A widget that draws its texts itself; `shows_words`: they are the user's, which name no terms."""

    shows_words: bool

    def draw_into(self, painter: QPainter) -> None:
        """Draw the widget with another painter, in its own pixels."""

    def rect(self) -> QRect:
        """Return its pixels."""


class _TextRecorder(QPainter):
    """A painter that records the texts it is given, and their rectangles, instead of drawing them."""

    def __init__(self, device: QPicture) -> None:
        super().__init__(device)
        self.texts: list[tuple[QRectF, str]] = []

    @guarded
    def drawText(self, *arguments: object) -> None:  # type: ignore[override]
        text = next((part for part in arguments if isinstance(part, str)), "")
        box = _box(self, arguments, text)
        if box is not None:
            self.texts.append((self.worldTransform().mapRect(box), text))


def _box(painter: QPainter, arguments: tuple[object, ...], text: str) -> QRectF | None:
    """Return where a call of `drawText` puts its text: in a rectangle, or from a point on the base line."""
    metrics, first = QFontMetricsF(painter.font()), arguments[0]
    if isinstance(first, QRectF):
        flags = next((part for part in arguments[1:] if isinstance(part, (int, Qt.AlignmentFlag))), 0)
        return metrics.boundingRect(
            first, flags.value if isinstance(flags, Qt.AlignmentFlag) else flags, text
        )
    if isinstance(first, (QPointF, QPoint)):
        return metrics.boundingRect(text).translated(QPointF(first))
    if len(arguments) == 3 and isinstance(first, (int, float)) and isinstance(arguments[1], (int, float)):
        return metrics.boundingRect(text).translated(float(first), float(arguments[1]))
    return None


def drawn_texts(widget: DrawsTexts) -> list[tuple[QRectF, str]]:
    """Return every text that `widget` draws, and where."""
    picture = QPicture()
    recorder = _TextRecorder(picture)
    try:
        recorder.setClipRect(widget.rect())
        widget.draw_into(recorder)
    finally:
        recorder.end()
    return recorder.texts


def text_drawn_at(widget: DrawsTexts, position: QPoint) -> str:
    """Return the text under a position, the last one drawn; "" for none."""
    at = QPointF(position)
    found = (
        text
        for box, text in reversed(drawn_texts(widget))
        if box.adjusted(-_SLACK, -_SLACK, _SLACK, _SLACK).contains(at)
    )
    return next(found, "")
