"""`in_column`, `in_row`, `form`: widgets and layouts below or beside each other, as one expression."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QVBoxLayout,
    QWidget,
)


class Gap(int):
    """So many pixels of free room; a plain number is room that grows by that factor."""


_Item = QWidget | QLayout
Part = _Item | int | tuple[_Item, int] | tuple[QWidget, int, Qt.AlignmentFlag]
"""A widget or a layout, alone or with its stretch factor, a widget also with its alignment; or free room."""
Margins = int | tuple[int, int, int, int]
"""Pixels on all sides; or at the left, at the top, at the right, at the bottom."""
FormRow = tuple[str, _Item] | _Item
"""A label and its field, or what takes the whole row of a form."""
_Box = TypeVar("_Box", bound=QBoxLayout)


def in_column(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Return a layout of parts below each other, that of the widget `of`; None leaves what Qt has."""
    return filled(QVBoxLayout() if of is None else QVBoxLayout(of), *parts, margins=margins, spacing=spacing)


def in_row(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Return a layout of parts beside each other, that of the widget `of`; None leaves what Qt has."""
    return filled(QHBoxLayout() if of is None else QHBoxLayout(of), *parts, margins=margins, spacing=spacing)


def form(
    *rows: FormRow,
    of: QWidget | None = None,
    margins: Margins | None = None,
    spacing: tuple[int, int] = (24, 12),
    labels: str = "",
) -> QFormLayout:
    """Return a layout of rows below each other.

    `labels` names their style; the text of a label is also the accessible name of a field that has none.
    """
    box = QFormLayout(of, horizontalSpacing=spacing[0], verticalSpacing=spacing[1])
    box.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    for row in rows:
        if not isinstance(row, tuple):
            box.addRow(row)
            continue
        text, field = row
        inside = field.itemAt(0) if isinstance(field, QLayout) else None
        widget = field if inside is None else inside.widget()
        box.addRow(text, field)
        label = box.labelForField(field)
        if not isinstance(label, QLabel):  # of a row without a text
            continue
        label.setObjectName(labels)
        if isinstance(widget, QWidget):
            label.setBuddy(widget)
            if not widget.accessibleName() and not isinstance(widget, QAbstractButton | QLabel):
                widget.setAccessibleName(text)
    return box


def filled(box: _Box, *parts: Part, margins: Margins | None = None, spacing: int | None = None) -> _Box:
    """Add parts to a layout, which may change its direction later; None leaves what it has. Return it."""
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        item = part[0] if isinstance(part, tuple) else part
        how: tuple[Any, ...] = part[1:] if isinstance(part, tuple) else ()
        if isinstance(item, Gap):
            box.addSpacing(item)
        elif isinstance(item, int):
            box.addStretch(item)
        elif isinstance(item, QLayout):
            box.addLayout(item, *how)
        else:
            box.addWidget(item, *how)
    return box
