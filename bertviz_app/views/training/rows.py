"""What the forms of a training lay out: widgets side by side, and fields for whole numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from bertviz_app.views.kit.number_field import NumberField
from bertviz_app.views.kit.style import named


def count_field(top: float) -> NumberField:
    """Return a field for a whole number up to `top`."""
    field = named(NumberField(step=1), "count")
    field.set_range(top)
    return field


def row_of(*widgets: QWidget | None) -> QHBoxLayout:
    """Return the widgets side by side; None takes the room that is left."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        if widget is None:
            row.addStretch(1)
        else:
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
    return row
