"""A row of widgets that goes on in further lines where it is too narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QPoint, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.canvas import Guarded

_LEFT, _TOP, _GAP = 8, 4, 4


_Line = list[tuple[QWidget, int, QSize]]


@runtime_checkable
class Yielding(Protocol):
    """A widget that is understood in less than its own width; a row has one at most."""

    @property
    def least_width(self) -> int:
        """The least width in which it is understood."""


class WrappingRow(Guarded, QWidget):
    """A row whose height is fixed to that of its lines at its width."""

    def __init__(self, widgets: tuple[QWidget, ...], *, is_centred: bool = False) -> None:
        super().__init__()
        self._widgets = widgets
        # Found once: `isinstance` with a protocol takes longer than to place all widgets of the row.
        self._yielding = {widget: widget for widget in widgets if isinstance(widget, Yielding)}
        self._is_centred = is_centred
        for widget in widgets:
            widget.setParent(self)
            widget.installEventFilter(self)

    def height_for(self, width: int) -> int:
        return max((corner.y() + size.height() for _, corner, size in self._arranged(width)), default=0)

    def _arranged(self, width: int) -> Iterator[tuple[QWidget, QPoint, QSize]]:
        """Yield the corner and the size of each widget that is shown, in the middle of its line."""
        top, left, line = _TOP, _LEFT, _Line()
        shown = [widget for widget in self._widgets if not widget.isHidden()]
        gives_way = 0  # pixels by which yielding widgets are narrower, where all fit into one line then
        if self._yielding:
            needed = sum(widget.sizeHint().width() for widget in shown) + _GAP * (len(shown) - 1)
            lacking = needed - (width - 2 * _LEFT)
            spare = sum(
                max(0, each.sizeHint().width() - self._yielding[each].least_width)
                for each in shown
                if each in self._yielding
            )
            gives_way = lacking if 0 < lacking <= spare else 0
        for widget in shown:
            size = widget.sizeHint().boundedTo(QSize(max(1, width - 2 * _LEFT), 1000))
            if gives_way and widget in self._yielding:
                size.setWidth(max(self._yielding[widget].least_width, size.width() - gives_way))
            if line and left + size.width() > width - _LEFT:
                yield from self._placed(line, top, width)
                top += _height(line) + _GAP
                left, line = _LEFT, []
            line.append((widget, left, size))
            left += size.width() + _GAP
        yield from self._placed(line, top, width)

    def _placed(self, line: _Line, top: int, width: int) -> Iterator[tuple[QWidget, QPoint, QSize]]:
        """Yield the widgets of a line, from the left or in the middle of `width`."""
        free = width - _LEFT - max((left + size.width() for _, left, size in line), default=0)
        shift = max(0, free // 2) if self._is_centred else 0
        for widget, left, size in line:
            yield widget, QPoint(left + shift, top + (_height(line) - size.height()) // 2), size

    def _arrange(self) -> None:
        height = 0
        for widget, corner, size in self._arranged(self.width()):
            widget.setGeometry(corner.x(), corner.y(), size.width(), size.height())
            height = max(height, corner.y() + size.height())
        self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height_for(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrange the widgets anew when one is shown or hidden: Qt notifies only layouts of that."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._arrange()
        return False

    def event(self, event: QEvent) -> bool:
        """Arrange the widgets anew when one needs another size."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)


def _height(line: _Line) -> int:
    return max((size.height() for _, _, size in line), default=0)
