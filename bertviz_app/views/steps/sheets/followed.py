"""Whether the sheet of one query can show another one, so that little of it is to be drawn again."""

from __future__ import annotations

from bertviz_app.viewmodels.steps.attention_stages import projection_index
from bertviz_app.viewmodels.steps.tensors import StopTensors
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from bertviz_app.views.steps.sheets.sheet import Sheet


def follow(sheet: Sheet, tensors: StopTensors) -> bool:
    """Let `sheet` show another query if its layout is the same then; return whether it is.

    What differs then are head and foot, and the rows of both queries.
    """
    at, at_before = (
        (one.trace, one.stop, one.layer, one.head, one.details) for one in (tensors, sheet.tensors)
    )
    if sheet.is_mixing or sheet.is_alone or at != at_before:
        return False
    if isinstance(sheet, FlowSheet):
        if tensors.steps is None or _indexes(tensors) != _indexes(sheet.tensors):
            return False
        sheet.steps = tensors.steps
    sheet.tensors = tensors
    return True


def _indexes(tensors: StopTensors) -> list[str]:
    """Return the indexes of the projections, which differ for tokens with global attention."""
    return [projection_index(tensors.trace, tensors.query, letter) for letter in "QKV"]
