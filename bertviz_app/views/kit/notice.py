"""A notice under the field it is about: one sentence, and what to do; it moves nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from bertviz_app.views.kit.style import named, restyle

Action = tuple[str, Callable[[], None]]
"""The text of a button, and what it does."""

_MOST_ACTIONS = 3


class Notice(QFrame):
    """Lies over what is below the field, so that nothing jumps when it comes and goes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._buttons = [named(QPushButton(), "link") for _ in range(_MOST_ACTIONS)]
        for place, button in enumerate(self._buttons):
            button.clicked.connect(lambda _=False, place=place: self._on_action(place))
        self._close = named(QPushButton("✕"), "plain")
        self.rename()
        self._close.clicked.connect(self.hide)
        self._actions: tuple[Action, ...] = ()
        self._field: QWidget | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        for button in self._buttons:
            row.addWidget(button)
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
        action: Action | None = None,
        tone: str = "error",
        *,
        others: tuple[Action, ...] = (),
    ) -> None:
        """Show `message` under `field`, with a button (text, what it does) for each way out."""
        self.setProperty("tone", tone)
        restyle(self)
        self._label.setText(message)
        self._actions = (() if action is None else (action,)) + others
        for place, button in enumerate(self._buttons):
            words = self._actions[place][0] if place < len(self._actions) else ""
            button.setText(words)
            button.setVisible(bool(words))
        self.place(field)
        self.show()
        self.raise_()

    def place(self, field: QWidget) -> None:
        """Lie under `field`, within the window."""
        self._field = field
        window = self.parentWidget()
        assert window is not None
        corner = field.mapTo(window, QPoint(0, field.height() + 6))
        width = min(max(field.width(), 680), window.width() - 20)
        left = max(10, min(corner.x(), window.width() - width - 10))
        height = max(38, self.heightForWidth(width))
        self.setGeometry(left, corner.y(), width, height)

    def follow(self) -> None:
        """Stay under its field when the window changes its size."""
        if self._field is not None and self.isVisible():
            self.place(self._field)

    def _on_action(self, place: int) -> None:
        _, run = self._actions[place]
        self.hide()
        run()
