"""`BlackScreen`: covers the window, so that a class looks at the teacher; any key or click takes it away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look


class BlackScreen(Canvas):
    """Lies over everything in the window and takes the keys."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, window)
        self._window = window
        self._focus: QWidget | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def cover(self) -> None:
        self._focus = QApplication.focusWidget()
        self.setAccessibleName(self.tr("Black screen"))
        self.setGeometry(self._window.rect())
        self._window.installEventFilter(self)
        self.show()
        self.raise_()
        self.setFocus()

    def uncover(self) -> None:
        """Show the window again."""
        self._window.removeEventFilter(self)
        self.hide()
        # What had the focus may have been closed and deleted below the black screen.
        if self._focus is not None and isValid(self._focus) and self._focus.isVisible():
            self._focus.setFocus()
        self._focus = None

    def draw(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), Qt.GlobalColor.black)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.uncover()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.uncover()

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Take every key, before a shortcut does."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return bool(super().event(event))

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the window."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        return False
