"""Drags and drops of files and text onto a widget, as the window system would send them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QLibraryInfo, QMimeData, QPointF, Qt, QVersionNumber
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

_ACTION, _BUTTON = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
_NO_KEYS = Qt.KeyboardModifier.NoModifier


def drag_into(widget: QWidget, data: QMimeData) -> bool:
    """Move data into a widget without dropping it; return whether the widget accepts it."""
    centre = QPointF(widget.rect().center())
    # Qt 6.12 deprecates the position in whole pixels, earlier releases have no other constructor.
    has_fractions = QLibraryInfo.version() >= QVersionNumber(6, 12)
    position: Any = centre if has_fractions else centre.toPoint()
    event = QDragEnterEvent(position, _ACTION, data, _BUTTON, _NO_KEYS)
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def drop_onto(widget: QWidget, data: QMimeData) -> None:
    """Drop data that was moved into a widget."""
    centre = QPointF(widget.rect().center())
    QApplication.sendEvent(widget, QDropEvent(centre, _ACTION, data, _BUTTON, _NO_KEYS))
