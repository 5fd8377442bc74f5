"""Tables and their headers in a recorded picture: cut off at their edges, as on screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from bertviz_app.views.kit.canvas import guarded


class ClippedTables(QObject):
    """Keeps the tables below a widget from being painted with it, and paints them into their own area.

    On screen Qt cuts a cell at the edge of its table; this is no command of the painter, so a recording of a
    table lacks it, and a cell that is half scrolled away would reach over the neighbouring card.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[QWidget] = []

    @contextmanager
    def left_out_of(self, widget: QWidget) -> Iterator[None]:
        """Leave the tables below `widget` out of what is painted in the block."""
        views = widget.findChildren(QAbstractItemView)
        if isinstance(widget, QAbstractItemView):
            views.append(widget)
        areas = [view.viewport() for view in views]
        for area in areas:
            area.installEventFilter(self)
        try:
            yield
        finally:
            for area in areas:
                area.removeEventFilter(self)

    def draw(self, painter: QPainter, widget: QWidget) -> None:
        """Draw the tables that were left out; the origin of `painter` is that of `widget`."""
        for area in self._waiting:
            painter.save()
            painter.translate(area.mapTo(widget, QPoint()))
            painter.setClipRect(area.rect())
            area.render(painter, QPoint(), QRegion(_drawn(area)), QWidget.RenderFlag.DrawChildren)
            painter.restore()
        self._waiting.clear()

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Put off the painting of a table."""
        if event.type() != QEvent.Type.Paint or not isinstance(watched, QWidget):
            return False
        if watched not in self._waiting:
            self._waiting.append(watched)
        return True


def _drawn(area: QWidget) -> QRect:
    """Return the part of a viewport that is drawn: of a header that without a section that would be cut.

    Qt's styles set a clip of their own for the words of a section, so the one around it has no effect there.
    """
    header, drawn = area.parentWidget(), area.rect()
    if not isinstance(header, QHeaderView) or header.orientation() != Qt.Orientation.Horizontal:
        return drawn
    sections = [number for number in range(header.count()) if not header.isSectionHidden(number)]
    starts = [(header.sectionViewportPosition(number), header.sectionSize(number)) for number in sections]
    cut = [start for start, size in starts if 0 < start < drawn.width() < start + size]
    drawn.setWidth(min(cut, default=drawn.width()))
    return drawn
