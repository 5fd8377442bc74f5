"""`RowScroll`: scrolls the rows of a stop to the followed one, and leaves what the user has scrolled."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollBar

from bertviz_app.views.steps.sheets.sheet import Sheet


class RowScroll:
    """Moves a scroll bar; `bar` is at the offset of the rows, in pixels."""

    def __init__(self, bar: QScrollBar) -> None:
        self.bar = bar
        self._set_offset = 0

    def fit(self, sheet: Sheet) -> None:
        """Let the bar scroll the rows of a stop that are out of sight."""
        self.bar.setRange(0, sheet.hidden_height)
        self.bar.setPageStep(max(1, round(sheet.rows_area.height())))
        self.bar.setSingleStep(round(sheet.row_height))
        self.bar.setVisible(sheet.hidden_height > 0)

    def to(self, offset: int) -> None:
        """Scroll to an offset."""
        self._set_offset = offset
        self.bar.setValue(offset)

    def show_row(self, sheet: Sheet, row: int) -> None:
        """Bring a row into sight, from where the user scrolled to, else from the top.

        What was scrolled for a smaller picture does not stay scrolled in a larger one.
        """
        now = self.bar.value()
        is_by_user = now != min(self._set_offset, self.bar.maximum())
        self.to(sheet.offset_showing(row, now if is_by_user else 0))
