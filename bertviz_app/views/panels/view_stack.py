"""`ViewStack`: the views of a panel, of which one is on top, or a sentence in their place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from bertviz_app.views.kit.style import named


class ViewStack(QWidget):
    """Shows one of its views, or the sentence that says why there is nothing to draw."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        message = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        message.setTextFormat(Qt.TextFormat.PlainText)
        self._message = named(message, "secondary")
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._message)

    @property
    def message(self) -> str:
        """The sentence in the place of the views; "" while one of them is shown."""
        return self._message.text() if self._stack.currentWidget() is self._message else ""

    def add(self, view: QWidget) -> None:
        """Put a view below the others."""
        self._stack.addWidget(view)

    def show_view(self, view: QWidget) -> None:
        self._stack.setCurrentWidget(view)

    def show_message(self, message: str) -> None:
        """Show a sentence in the place of the views."""
        self._message.setText(message)
        self._stack.setCurrentWidget(self._message)
