"""A notice under the field it is about: one sentence, and what to do; it moves nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from bertviz_app.views.kit.style import named, restyle


class Notice(QFrame):
    """Lies over what is below the field, so that nothing jumps when it comes and goes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._action = named(QPushButton(), "link")
        self._action.clicked.connect(self._on_action)
        self._close = named(QPushButton("✕"), "plain")
        self.rename()
        self._close.clicked.connect(self.hide)
        self._run: Callable[[], None] | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self._action)
        row.addWidget(self._close)
        self.hide()

    def rename(self) -> None:
        """Name what has no words, in the language in force."""
        self._close.setAccessibleName(self.tr("Close the notice"))
        self._close.setToolTip(self.tr("Close the notice"))

    @property
    def message(self) -> str:
        """The text that is shown."""
        return self._label.text()

    def show_message(
        self,
        field: QWidget,
        message: str,
        action: tuple[str, Callable[[], None]] | None = None,
        tone: str = "error",
    ) -> None:
        """Show `message` under `field`, with a button (text, what it does) where there is a way out."""
        self.setProperty("tone", tone)
        restyle(self)
        self._label.setText(message)
        self._run = action[1] if action else None
        self._action.setText(action[0] if action else "")
        self._action.setVisible(action is not None)
        self.place(field)
        self.show()
        self.raise_()

    def place(self, field: QWidget) -> None:
        """Lie under `field`, within the window."""
        window = self.parentWidget()
        assert window is not None
        corner = field.mapTo(window, QPoint(0, field.height() + 6))
        width = min(max(field.width(), 680), window.width() - 20)
        left = max(10, min(corner.x(), window.width() - width - 10))
        height = max(38, self.heightForWidth(width))
        self.setGeometry(left, corner.y(), width, height)

    def _on_action(self) -> None:
        run = self._run
        self.hide()
        if run is not None:
            run()
