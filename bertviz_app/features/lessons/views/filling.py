"""A page of text whose type is as large as its place allows."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from bertviz_app.timers import OneShot
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look

_LARGEST, _SMALLEST, _LINES = 18, 13, 40
"""The sizes of type, and how many lines of it are as high as the place: all pages have the same one."""
_FILLED = 0.95  # of the height: an answer comes below the text, whose size does not change for it
_SHEET = (
    "QLabel, QPushButton, QLineEdit, QListWidget, QSpinBox { font-size: %dpx } #headline { font-size: %dpx }"
    "#secondary { font-size: %dpx }"
)


class FillingArea(Guarded, QScrollArea):
    """Scrolls its page; a long page has the largest type with which it need not."""

    def __init__(self, look: Look, page: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self._look = look
        self._page = page
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(page)
        self._later = OneShot(self, self.fill)
        look.changed.connect(self.fill_later)

    @Slot()
    def fill_later(self) -> None:
        """Fit the type to another page or place, once that has its size."""
        self._later.start()

    @Slot()
    def fill(self) -> None:
        """Have the type of this place, on a long page a smaller one that fits."""
        width, height, look = self.viewport().width(), self.viewport().height(), self._look
        usual = min(max(round(height / look.scale / _LINES), _SMALLEST), _LARGEST)
        for size in range(usual, _SMALLEST - 1, -1):
            self._page.setStyleSheet(_SHEET % tuple(map(look.pixels, (size, size * 1.4, size * 0.8))))
            layout = self._page.layout()
            assert layout is not None
            layout.invalidate()
            layout.activate()
            if layout.totalMinimumSize().width() <= width and (
                layout.totalHeightForWidth(width) <= _FILLED * height
            ):
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fill_later()
