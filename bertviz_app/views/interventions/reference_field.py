"""`ReferenceField`: the text over which means of heads are taken."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import named

_LINES = 5


class ReferenceField(QPlainTextEdit):
    """Emits `entered` with a new text when Enter is pressed or the field is left; an empty one is undone."""

    entered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        named(self, "entry")
        self.setTabChangesFocus(True)
        self.setFixedHeight(_LINES * self.fontMetrics().lineSpacing() + 16)
        self._shown = ""

    def show_text(self, text: str) -> None:
        """Show the text that is in use, unless another one is being typed."""
        if text != self._shown:
            self._shown = text
            self.setPlainText(text)

    def _enter(self) -> None:
        text = " ".join(self.toPlainText().split())
        if not text:
            self.setPlainText(self._shown)
        elif text != self._shown:
            self._shown = text
            self.entered.emit(text)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter()
        else:
            super().keyPressEvent(event)

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._enter()
