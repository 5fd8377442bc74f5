"""What moves while Steps plays: rows to a product, scores to weights, weights times values into a sum.

The motion is drawn over a finished sheet: what is not computed yet is covered, and what it is computed from
moves to where it goes.
"""

from __future__ import annotations

from PySide6.QtGui import QPainter

from bertviz_app.views.steps.sheets.equation_motion import draw_equation_motion
from bertviz_app.views.steps.sheets.equation_sheet import EquationSheet
from bertviz_app.views.steps.sheets.flow_motion import draw_flow_motion
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from bertviz_app.views.steps.sheets.sheet import Sheet


def draw_motion(painter: QPainter, sheet: Sheet, progress: float, offset: int) -> None:
    """Draw the motion of a stop over its sheet, `progress` from 0 to 1, `offset` pixels scrolled away."""
    if progress >= 1.0:
        return
    painter.save()
    if isinstance(sheet, FlowSheet):
        draw_flow_motion(painter, sheet, progress, offset)
    elif isinstance(sheet, EquationSheet):
        draw_equation_motion(painter, sheet, progress, offset)
    painter.restore()
