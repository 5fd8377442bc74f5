"""`SheetPen`: the texts, numbers, formulas, bands and rules that every drawing of a stop is made of."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.formula import Formula, fitting


class SheetPen:
    """Draws in the colours and typefaces of a look."""

    def __init__(self, look: Look) -> None:
        self.look = look

    def write(
        self, painter: QPainter, text: str, box: QRectF, colour: str = "text", *, bold: bool = False
    ) -> None:
        """Write text from the left, shortened if it must be."""
        painter.setFont(self.look.font(13, bold=bold))
        painter.setPen(self.look.colour(colour))
        elided = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)

    def write_number(
        self, painter: QPainter, text: str, box: QRectF, colour: str = "text", *, bold: bool = False
    ) -> None:
        painter.setFont(self.look.number_font(12, bold=bold))
        painter.setPen(self.look.colour(colour))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def write_formula(
        self,
        painter: QPainter,
        formulas: tuple[str, ...],
        box: QRectF,
        colour: str = "text",
        *,
        is_right: bool = False,
    ) -> Formula:
        """Write the fullest of `formulas` that fits, the last one smaller if it must be."""
        made = fitting(self.look, formulas, box.width(), 14)
        painter.setPen(self.look.colour(colour))
        middle = box.center().y() + (made.box.above - made.box.below) / 2
        left = box.right() - made.box.width if is_right else box.left()
        made.draw(painter, QPointF(left, middle))
        return made

    def draw_band(self, painter: QPainter, box: QRectF, alpha: float) -> None:
        """Tint what is pointed at or explained."""
        painter.fillRect(box, self.look.colour("accent", alpha))

    def draw_rule(self, painter: QPainter, area: QRectF, y: float) -> None:
        """Draw a line across `area`."""
        painter.setPen(QPen(self.look.colour("rule"), 1))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
