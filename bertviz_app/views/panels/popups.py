"""`move_below`: the position on the screen of a card that opens below a button."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget


def move_below(card: QWidget, button: QWidget) -> None:
    """Move `card` below `button`, their right edges in line, so that all of it is on the screen."""
    card.adjustSize()
    corner = button.mapToGlobal(QPoint(button.width() - card.width(), button.height() + 4))
    screen = button.screen().availableGeometry()
    x = min(max(corner.x(), screen.left() + 4), screen.right() - card.width() - 4)
    card.move(x, min(corner.y(), max(screen.top(), screen.bottom() - card.height() - 4)))
