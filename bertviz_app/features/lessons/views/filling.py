"""A page of text that a presentation shows as large as its place allows."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look

_SIZES = (26, 24, 22, 20, 18, 17, 16, 15, 14)
_FILLED = 0.9  # of the height: an answer comes below the text, whose size does not change for it
_SHEET = "QLabel, QPushButton, QLineEdit, QListWidget { font-size: %dpx } #headline { font-size: %dpx }"


class FillingArea(Guarded, QScrollArea):
    """Scrolls its page; in a presentation the page has the largest type with which it need not."""

    def __init__(self, look: Look, page: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self._look = look
        self._page = page
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(page)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.fill)
        look.changed.connect(self.fill_later)

    @Slot()
    def fill_later(self) -> None:
        """Fit the type to another page or place, once that has its size."""
        self._later.start()

    @Slot()
    def fill(self) -> None:
        """Have the largest type that fits; outside of a presentation the usual one."""
        if not self._look.least_word:
            if self._page.styleSheet():
                self._page.setStyleSheet("")
            return
        for size in _SIZES:
            self._page.setStyleSheet(_SHEET % (self._look.pixels(size), self._look.pixels(size + 5)))
            layout = self._page.layout()
            assert layout is not None
            layout.invalidate()
            layout.activate()
            width, height = self.viewport().width(), self.viewport().height()
            if layout.totalMinimumSize().width() <= width and (
                layout.totalHeightForWidth(width) <= _FILLED * height
            ):
                return
        self._page.setStyleSheet("")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._look.least_word:
            self.fill_later()
