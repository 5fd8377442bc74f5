"""`Pages`: what stands between the bars of the window: the start page or the views, or a page above them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget


class Pages(QStackedLayout):
    """Shows one widget at a time. A page, such as Training, stands above another widget until it is left.

    `page_changed` is emitted when a page is opened or left.
    """

    page_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._below: list[QWidget] = []  # what is shown again as the pages above it are left

    @property
    def has_page(self) -> bool:
        return bool(self._below)

    def open_page(self, page: QWidget) -> None:
        """Show a page above what is shown now; nothing happens where it is shown already."""
        current = self.currentWidget()
        if current is page or current is None:
            return
        if page in self._below:
            self._below = self._below[: self._below.index(page)]
        else:
            self._below.append(current)
        self.setCurrentWidget(page)
        self.page_changed.emit()

    def leave_page(self) -> None:
        """Show again what is below the page; nothing happens where none is shown."""
        if self._below:
            self.setCurrentWidget(self._below.pop())
            self.page_changed.emit()

    def leave_pages(self) -> None:
        """Show what is below all pages."""
        if self._below:
            del self._below[1:]
            self.leave_page()

    def show_behind(self, widget: QWidget) -> None:
        """Show `widget`, at once or as soon as the pages are left."""
        if self._below:
            self._below[0] = widget
        else:
            self.setCurrentWidget(widget)
