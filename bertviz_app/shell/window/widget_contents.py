"""`WidgetContents`: what fields and lists hold that no state does, from one tree of widgets into another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

WidgetPath = tuple[tuple[str, int], ...]
"""The way to a widget: of each on the way the class, and how many siblings of it come before."""


class WidgetContents:
    """Typed texts with their cursors, where lists are scrolled to, and which widget has the keyboard focus.

    Two windows around the same state have the same widgets in the same order; what the other one lacks stays
    as it is there.
    """

    def __init__(self, root: QWidget) -> None:
        self._texts: dict[WidgetPath, tuple[str, int]] = {}
        self._scrolled: dict[WidgetPath, tuple[int, int]] = {}
        self._focused: WidgetPath | None = None
        focused = root.window().focusWidget()
        for path, widget in _below(root):
            if widget is focused:
                self._focused = path
            if isinstance(widget, QLineEdit) and not isinstance(widget.parent(), QAbstractSpinBox):
                self._texts[path] = widget.text(), widget.cursorPosition()
            elif isinstance(widget, QPlainTextEdit | QTextEdit) and not widget.isReadOnly():
                self._texts[path] = widget.toPlainText(), widget.textCursor().position()
            if isinstance(widget, QAbstractScrollArea):
                bars = widget.horizontalScrollBar(), widget.verticalScrollBar()
                self._scrolled[path] = bars[0].value(), bars[1].value()

    def put(self, root: QWidget) -> None:
        """Write it into the widgets below `root`."""
        for path, widget in _below(root):
            text, cursor = self._texts.get(path, ("", 0))
            if path in self._texts and isinstance(widget, QLineEdit):
                if widget.text() != text and not widget.isReadOnly():
                    widget.setText(text)
                widget.setCursorPosition(cursor)
            elif path in self._texts and isinstance(widget, QPlainTextEdit | QTextEdit):
                if widget.toPlainText() != text:
                    widget.setPlainText(text)
                place = widget.textCursor()
                place.setPosition(cursor)
                widget.setTextCursor(place)
            if isinstance(widget, QAbstractScrollArea) and path in self._scrolled:
                across, down = self._scrolled[path]
                widget.horizontalScrollBar().setValue(across)
                widget.verticalScrollBar().setValue(down)
            if path == self._focused:
                widget.setFocus()


def _below(root: QWidget, path: WidgetPath = ()) -> Iterator[tuple[WidgetPath, QWidget]]:
    """Yield every widget below `root` with the way to it; no windows of their own, such as menus."""
    n_before = Counter[str]()
    for child in root.children():
        if isinstance(child, QWidget) and not child.isWindow():
            name = type(child).__name__
            here = (*path, (name, n_before[name]))
            n_before[name] += 1
            yield here, child
            yield from _below(child, here)
