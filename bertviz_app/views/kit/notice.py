"""`Notice`: one sentence under the bars, and what to do about it; `NoticeArea`: where a window has them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.views.kit.style import named, restyle

Action = tuple[str, Callable[[], None]]
"""The text of a button, and what it does."""

_MOST_ACTIONS = 3


class NoticeArea(QWidget):
    """Has no height without a notice; with one what is below moves down, so that a notice covers nothing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(10, 6, 10, 4)
        self._column.setSpacing(6)
        self.hide()

    def add(self, notice: Notice) -> None:
        """Put a notice below those that are there."""
        self._column.addWidget(notice)

    def refresh(self) -> None:
        """Show the area if one of its notices is shown, else hide it."""
        self.setVisible(any(not notice.isHidden() for notice in self.findChildren(Notice)))


def notice_area(window: QWidget) -> NoticeArea:
    """Return the area of a window; a window without one gets it."""
    return window.findChild(NoticeArea) or NoticeArea(window)


class Notice(QFrame):
    """A line of a `NoticeArea`: it stays until it is closed, or what it is about is solved."""

    def __init__(self, area: NoticeArea) -> None:
        super().__init__()
        self._area = area
        self.setObjectName("notice")
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._buttons = [named(QPushButton(), "link") for _ in range(_MOST_ACTIONS)]
        for index, button in enumerate(self._buttons):
            button.clicked.connect(lambda _=False, index=index: self._on_action(index))
        self._close = named(QPushButton("✕"), "plain")
        self._write_close_button()
        self._close.clicked.connect(self.dismiss)
        self._actions: tuple[Action, ...] = ()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        for button in self._buttons:
            row.addWidget(button)
        row.addWidget(self._close)
        self.setVisible(False)
        area.add(self)

    def retranslate(self) -> None:
        """Write the words in the language in force; the message is written by what shows it."""
        self._write_close_button()

    def _write_close_button(self) -> None:
        self._close.setAccessibleName(self.tr("Close the notice"))
        self._close.setToolTip(self.tr("Close the notice"))

    @property
    def message(self) -> str:
        return self._label.text()

    def show_message(
        self,
        message: str,
        action: Action | None = None,
        tone: str = "error",
        *,
        others: tuple[Action, ...] = (),
    ) -> None:
        """Show `message`, with a button (text, what it does) for each way out."""
        self.setProperty("tone", tone)
        restyle(self)
        self._label.setText(message)
        self._actions = (() if action is None else (action,)) + others
        for index, button in enumerate(self._buttons):
            words = self._actions[index][0] if index < len(self._actions) else ""
            button.setText(words)
            button.setVisible(bool(words))
        self.setVisible(True)
        self._area.refresh()

    @Slot()
    def dismiss(self) -> None:
        """Hide the notice, and give its room back."""
        self.setVisible(False)
        self._area.refresh()

    def _on_action(self, index: int) -> None:
        _, run = self._actions[index]
        self.dismiss()
        run()
