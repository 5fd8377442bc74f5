"""`Pencil`: draws texts, boxes and lines in the colours of a look."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from bertviz_app.views.kit.look import Look

CENTRE, LEFT, RIGHT = (
    Qt.AlignmentFlag.AlignVCenter | side
    for side in (Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
)
Colour = str | QColor
"""A colour, or the name of one of the palette's."""


class Pencil:
    """Draws with `painter`; each call says all of what it draws, whatever was drawn before."""

    def __init__(self, painter: QPainter, look: Look) -> None:
        self.painter = painter
        self.look = look

    def colour(self, colour: Colour) -> QColor:
        return self.look.colour(colour) if isinstance(colour, str) else colour

    def write(
        self,
        text: str,
        room: QRectF,
        font: QFont,
        colour: Colour = "text",
        side: Qt.AlignmentFlag = CENTRE,
    ) -> None:
        """Write a line of text at one side of a rectangle; what is too long for it ends in dots."""
        self.painter.setFont(font)
        self.painter.setPen(self.colour(colour))
        if QFontMetricsF(font).horizontalAdvance(text) > room.width() + 1:
            text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width() + 1)
        self.painter.drawText(room, side, text)

    def prose(
        self,
        text: str,
        room: QRectF,
        font: QFont,
        colour: Colour = "text",
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignTop,
    ) -> None:
        """Write a text in as many lines as it needs."""
        self.painter.setFont(font)
        self.painter.setPen(self.colour(colour))
        self.painter.drawText(room, Qt.TextFlag.TextWordWrap | side, text)

    def dot(self, at: QPointF, radius: float, colour: Colour) -> None:
        """Draw a filled circle around a point."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(self.colour(colour))
        self.painter.drawEllipse(at, radius, radius)

    def box(
        self,
        box: QRectF,
        line: Colour | None = None,
        width: float = 1.0,
        *,
        fill: Colour | None = None,
        rounding: float = 0.0,
        is_broken: bool = False,
    ) -> None:
        """Draw a rectangle with a frame of the colour `line`, filled with `fill`; None leaves it out."""
        self._set_pen(line, width, is_broken=is_broken)
        self.painter.setBrush(Qt.BrushStyle.NoBrush if fill is None else self.colour(fill))
        if rounding:
            self.painter.drawRoundedRect(box, rounding, rounding)
        else:
            self.painter.drawRect(box)

    def line(
        self, start: QPointF, end: QPointF, colour: Colour, width: float = 1.0, *, is_broken: bool = False
    ) -> None:
        self._set_pen(colour, width, is_broken=is_broken)
        self.painter.drawLine(start, end)

    def cross(self, box: QRectF, colour: Colour, width: float = 1.0) -> None:
        """Draw both diagonals of a rectangle."""
        self.line(box.topLeft(), box.bottomRight(), colour, width)
        self.line(box.topRight(), box.bottomLeft(), colour, width)

    def way(self, start: QPointF, end: QPointF, colour: Colour, width: float = 3.0) -> None:
        """Draw a curve that leaves its start and comes to its end horizontally."""
        middle = (start.x() + end.x()) / 2
        path = QPainterPath(start)
        path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
        self.path(path, colour, width)

    def path(self, path: QPainterPath, colour: Colour, width: float = 1.0) -> None:
        """Draw the outline of a path."""
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self._set_pen(colour, width)
        self.painter.drawPath(path)

    def image(self, image: QImage, box: QRectF, *, part: QRectF | None = None, opacity: float = 1.0) -> None:
        """Draw an image, or a `part` of it in its own pixels, as large as a rectangle."""
        self.painter.setOpacity(opacity)
        self.painter.drawImage(box, image, QRectF(image.rect()) if part is None else part)
        self.painter.setOpacity(1.0)

    def _set_pen(self, colour: Colour | None, width: float, *, is_broken: bool = False) -> None:
        style = Qt.PenStyle.DashLine if is_broken else Qt.PenStyle.SolidLine
        self.painter.setPen(Qt.PenStyle.NoPen if colour is None else QPen(self.colour(colour), width, style))
