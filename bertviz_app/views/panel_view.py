"""`PanelView`: what every way of drawing a head in a panel can do."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.pictures import HeadPicture
from bertviz_app.views.guard import Canvas
from bertviz_app.views.look import Look

STALE = 0.45
"""How opaque a drawing is that is not of what was asked for."""


class PanelView(Canvas):
    """Draws one head; it may do so itself (`draw`) or by widgets in a layout."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.picture: HeadPicture | None = None
        self.is_stale = False

    def show_picture(self, picture: HeadPicture) -> None:
        """Draw another head, or the same one of another text; `picture.trace` has all its numbers."""
        self.picture = picture
        self.update()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the drawing while it is not of the text in the field."""
        if is_stale != self.is_stale:
            self.is_stale = is_stale
            self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw nothing: what is to be seen are the widgets in the layout."""
