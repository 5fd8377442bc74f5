"""`SheetPen`: the pencil that writes in the typefaces of Steps."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from bertviz_app.views.kit.formula import Formula, fitting
from bertviz_app.views.kit.look import CENTRE, LEFT, RIGHT, Pencil


class SheetPen(Pencil):
    """Writes in the typefaces of a sheet."""

    def label(self, text: str, box: QRectF, colour: str = "text", *, bold: bool = False) -> None:
        """Write text from the left, shortened if it must be."""
        self.write(text, box, self.look.font(13, bold=bold), colour, LEFT)

    def write_number(self, text: str, box: QRectF, colour: str = "text", *, bold: bool = False) -> None:
        """Write a number at the right, in full even where the box is too narrow."""
        self.painter.setFont(self.look.number_font(12, bold=bold))
        self.painter.setPen(self.look.colour(colour))
        self.painter.drawText(box, RIGHT, text)

    def write_formula(
        self,
        formulas: tuple[str, ...],
        box: QRectF,
        colour: str = "text",
        side: Qt.AlignmentFlag = LEFT,
        pixels: float = 14,
    ) -> Formula:
        """Write the fullest of `formulas` that fits, the last one smaller if it must be."""
        made = fitting(self.look, formulas, box.width(), pixels)
        self.draw_formula(made, box, colour, side)
        return made

    def draw_formula(self, made: Formula, box: QRectF, colour: str, side: Qt.AlignmentFlag = LEFT) -> None:
        """Draw a formula at one side of a box."""
        self.painter.setPen(self.look.colour(colour))
        free = box.width() - made.box.width
        left = box.left() + {LEFT: 0.0, CENTRE: free / 2, RIGHT: free}[side]
        made.draw(self.painter, QPointF(left, box.center().y() + (made.box.above - made.box.below) / 2))

    def draw_band(self, box: QRectF, alpha: float) -> None:
        """Tint what is pointed at or explained."""
        self.painter.fillRect(box, self.look.colour("accent", alpha))

    def draw_rule(self, area: QRectF, y: float) -> None:
        self.line(QPointF(area.left(), y), QPointF(area.right(), y), "rule")
