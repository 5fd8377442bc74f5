"""The motions of one head's arithmetic: row by row what a column is computed from moves into it."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.tensors import bound_of
from bertviz_app.views.kit.numbers import cell_number
from bertviz_app.views.steps.sheets.column_layout import PlacedColumn
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from bertviz_app.views.steps.sheets.sheet import rows_in_sight
from bertviz_app.views.steps.sheets.strips import Lane

_WAYS: MappingProxyType[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "queries": (("input", "input_norm"), ("queries",)),
        "keys": (("input", "input_norm"), ("keys",)),
        "values": (("input", "input_norm"), ("values",)),
        "scores": (("keys",), ("scores",)),
        "scaled": (("scores",), ("scaled",)),
        "biased": (("distance",), ("biased",)),
        "disentangled": (("position_to_content", "content_to_position"), ("biased",)),
        "softmax": (("biased", "scaled"), ("exponential", "weight")),
        "weighted": (("values",), ("weighted",)),
    }
)
"""By stage the columns that are read, the first one shown counts, and those that are computed."""

_MEETING = 0.55
"""The part of a row's motion in which the query comes down to the key."""


def draw_flow_motion(painter: QPainter, sheet: FlowSheet, progress: float, offset: int) -> None:
    """Draw how the column of a stop comes about, row by row; a projection is made of all rows at once."""
    stage = sheet.tensors.stop.stage
    rows = rows_in_sight(sheet, offset)
    if stage == "mixed":
        _draw_sum(painter, sheet, rows, progress, offset)
        return
    sources, targets = _WAYS.get(stage, ((), ()))
    shown = {column.name: column for column in sheet.columns}
    made = [shown[name] for name in targets if name in shown]
    source = next((shown[name] for name in sources if name in shown), None)
    painter.setClipRect(sheet.rows_area)
    for number, row in enumerate(rows):
        share = progress if not sheet.is_mixing else min(1.0, progress * len(rows) - number)
        if share >= 1:
            continue
        box = sheet.row_box(row, offset)
        for column in made:
            _cover(painter, sheet, _cell(column, box))
        if share > 0 and made:
            _draw_moving(painter, sheet, source, made[-1], row, box, share)


def _cell(column: PlacedColumn, box: QRectF) -> QRectF:
    return QRectF(column.left, box.top(), column.width, box.height())


def _cover(painter: QPainter, sheet: FlowSheet, box: QRectF) -> None:
    """Paint over what is not computed yet, in the colours of a column in focus."""
    box = box.adjusted(-2, 0, 2, 0)  # with the frame of a strip
    painter.fillRect(box, sheet.look.colour("card"))
    sheet.pen.draw_band(painter, box, 0.07)


def _draw_moving(  # noqa: PLR0913 - what moves, from where, whereto, and how far it is
    painter: QPainter,
    sheet: FlowSheet,
    source: PlacedColumn | None,
    target: PlacedColumn,
    row: int,
    box: QRectF,
    share: float,
) -> None:
    end = _cell(target, box)
    start = end if source is None else _cell(source, box)
    if target.lane is not None:
        lane = target.lane if source is None or source.lane is None else source.lane
        _draw_strip_between(painter, sheet, lane, target.lane, target.values[row], target.bound, box, share)
        return
    if target.name == "scores" and source is not None and source.lane is not None:
        if share < _MEETING:
            _draw_query_coming(painter, sheet, source.lane, box, share / _MEETING)
            return
        start, share = _cell(source, box), (share - _MEETING) / (1 - _MEETING)
    value = target.values[row] if source is None or source.lane is not None else source.values[row]
    at = QRectF(
        _between(start.right(), end.right(), share) - end.width(), box.top(), end.width(), box.height()
    )
    sheet.pen.write_number(painter, cell_number(float(value)), at, "accent", bold=True)


def _draw_query_coming(painter: QPainter, sheet: FlowSheet, lane: Lane, box: QRectF, share: float) -> None:
    """Draw the query on its way from above the keys down to the key of a row."""
    height = box.height() - 6
    top = _between(sheet.rows_area.top() - height, box.top() + 3, share)
    strip = QRectF(lane.strip.left(), top, lane.strip.width(), height)
    painter.setClipping(False)
    painter.setOpacity(0.85)
    bound = bound_of(sheet.tensors.trace.queries[sheet.tensors.layer, sheet.tensors.head])
    sheet.ink.draw_strip(painter, strip, sheet.steps.query_row, bound)
    sheet.ink.draw_frame(painter, strip, is_highlighted=True)
    painter.setOpacity(1.0)
    painter.setClipping(True)


def _draw_strip_between(  # noqa: PLR0913 - what moves, from where, whereto, and how far it is
    painter: QPainter,
    sheet: FlowSheet,
    start: Lane,
    end: Lane,
    values: Floats,
    bound: float,
    box: QRectF,
    share: float,
) -> None:
    left = _between(start.strip.left(), end.strip.left(), share)
    width = _between(start.strip.width(), end.strip.width(), share)
    strip = QRectF(left, box.top() + 3, width, box.height() - 6)
    painter.setOpacity(0.4 + 0.6 * share)
    sheet.ink.draw_strip(painter, strip, values, bound)
    sheet.ink.draw_frame(painter, strip, is_highlighted=True)
    painter.setOpacity(1.0)


def _draw_sum(painter: QPainter, sheet: FlowSheet, rows: range, progress: float, offset: int) -> None:
    """Draw the weighted values falling into their sum, which grows with each of them."""
    column = next((column for column in sheet.columns if column.name == "weighted"), None)
    if column is None or column.lane is None or not len(rows):
        return
    position = progress * len(rows)
    n_fallen = rows.start + int(position)
    foot = sheet.sums_box
    room = QRectF(column.left, foot.top(), column.width, foot.height())
    _cover(painter, sheet, room)
    partial = sheet.steps.weighted[:n_fallen].sum(axis=0) if n_fallen else np.zeros_like(sheet.gathered)
    strip = QRectF(column.lane.strip.left(), room.top() + 3, column.lane.strip.width(), room.height() - 6)
    sheet.ink.draw_strip(painter, strip, partial, bound_of(sheet.gathered))
    sheet.ink.draw_frame(painter, strip, is_highlighted=True)
    painter.setPen(sheet.look.colour("accent"))
    sheet.ink.draw_window(painter, column.lane, room.top(), room.height(), partial)
    row = rows.start + int(position)
    top = _between(sheet.row_box(row, offset).top(), room.top(), position - int(position))
    box = QRectF(column.left, top, column.width, sheet.row_height)
    _draw_strip_between(painter, sheet, column.lane, column.lane, column.values[row], column.bound, box, 1.0)


def _between(start: float, end: float, share: float) -> float:
    """Return a position on the way, which begins and ends slowly."""
    eased = share * share * (3 - 2 * share)
    return start + (end - start) * eased
