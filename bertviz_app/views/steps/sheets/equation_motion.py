"""The motions of whole vectors: the lines that an equation reads move to its result, which then fills."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.views.steps.sheets.equation_sheet import EquationSheet
from bertviz_app.views.steps.sheets.strips import Lane

_MEETING = 0.5
"""The part of the motion in which the lines that are read move to the result."""


def draw_equation_motion(painter: QPainter, sheet: EquationSheet, progress: float, offset: int) -> None:
    """Draw how the result of an equation comes about, for the query's line and for the rows below."""
    stage = sheet.tensors.stop.stage
    own = max(index for index, term in enumerate(sheet.terms) if term.name == stage)
    first = max(0, own - STAGES[stage].n_operands)
    meeting = _MEETING if own > first else 0.0
    filled = max(0.0, (progress - meeting) / (1 - meeting))
    box = sheet.term_box(own)
    _cover_rest(painter, sheet, sheet.lane_of(sheet.values.shape[1]), box, filled, band=0.1)
    if not sheet.is_alone:
        painter.save()
        painter.setClipRect(sheet.rows_area)
        _cover_rest(painter, sheet, sheet.lane_of(sheet.values.shape[1]), sheet.rows_area, filled)
        painter.restore()
    if progress < meeting:
        for index in range(first, own):
            _draw_line_moving(painter, sheet, index, box, progress / meeting)


def _cover_rest(
    painter: QPainter, sheet: EquationSheet, lane: Lane, box: QRectF, filled: float, *, band: float = 0.0
) -> None:
    """Paint over the part of strip and numbers that is not computed yet."""
    for part, end in ((lane.strip, lane.window.left()), (lane.window, box.right() + 2)):
        left = part.left() + filled * part.width() - 2
        rest = QRectF(left, box.top(), end - left, box.height())
        painter.fillRect(rest, sheet.look.colour("card"))
        if band:
            sheet.pen.draw_band(painter, rest, band)


def _draw_line_moving(painter: QPainter, sheet: EquationSheet, index: int, end: QRectF, share: float) -> None:
    values = sheet.tensors.row(sheet.terms[index].name)
    if values is None:
        return
    start = sheet.term_box(index)
    eased = share * share * (3 - 2 * share)
    strip = sheet.lane_of(len(values)).strip
    top = start.top() + (end.top() - start.top()) * eased
    box = QRectF(strip.left(), top + 4, strip.width(), start.height() - 8)
    painter.setOpacity(0.8)
    sheet.ink.draw_strip(painter, box, values, sheet.bounds[index])
    sheet.ink.draw_frame(painter, box, is_highlighted=True)
    painter.setOpacity(1.0)
