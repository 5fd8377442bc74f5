"""What Qt's own widgets lack: tables that copy rows, buttons with a sentence or for Enter, numbered steps."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import grow_with_text, named


class CopyingTable(QTableView):
    """Puts `copied()` on the clipboard when the keys for copying are pressed.

    `interventions`: what was done to the model, added as a last column to what is copied; "" for nothing.
    """

    interventions = ""

    def copied(self) -> str:
        """Return what is to be copied, tab-separated."""
        raise NotImplementedError

    def _copied_with_interventions(self) -> str:
        copied = self.copied()
        if not self.interventions:
            return copied
        # Not `splitlines`: a token may have one of the other characters in it that end a line there.
        names, *rows = copied.removesuffix("\n").split("\n")
        lines = [f"{names}\tinterventions", *(f"{row}\t{self.interventions}" for row in rows)]
        return "\n".join(lines) + "\n"

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        """Take the keys before the window's shortcut does."""
        is_copy = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if event.type() == QEvent.Type.ShortcutOverride and is_copy:
            event.accept()
            return True
        return super().event(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._copied_with_interventions())
            event.accept()
        else:
            super().keyPressEvent(event)


def press_by_enter(_before: QWidget | None, now: QWidget | None) -> None:
    """Let Enter press `now`, which has just got the focus; Qt does so by itself only within a dialog.

    In a dialog that has a default button Enter presses that one.
    """
    if not isinstance(now, QPushButton) or now.autoDefault():
        return
    if not any(button.isDefault() for button in now.window().findChildren(QPushButton)):
        now.setAutoDefault(True)


def clear_menu(menu: QMenu) -> None:
    """Remove every item of a menu, and delete its submenus, which `QMenu.clear` does not."""
    for below in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        below.deleteLater()
    menu.clear()


def scrolled(content: QWidget) -> QScrollArea:
    """Return an area as wide as `content` that scrolls it vertically where it is too high."""
    area = QScrollArea(widgetResizable=True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Tab goes to its buttons, and scrolls to each
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidget(named(content, "clear"))
    area.viewport().setAutoFillBackground(False)
    return area


class BigButton(QPushButton):
    """A button with a title and a sentence."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "big")
        grow_with_text(self)
        self._title = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "title")
        self._words = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "secondary")
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(3)
        for label in (self._title, self._words):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(label)
        column.addStretch(1)

    def write(self, title: str, words: str) -> None:
        self._title.setText(title)
        self._words.setText(words)
        self.setAccessibleName(f"{title}. {words}")


class NumberedSteps(QWidget):
    """Sentences one below the other, each beside its number."""

    def __init__(self, n_steps: int) -> None:
        super().__init__()
        self._labels = [QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText) for _ in range(n_steps)]
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        for row, label in enumerate(self._labels):
            grid.addWidget(named(QLabel(str(row + 1)), "number"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, row, 1)

    def write(self, sentences: Sequence[str]) -> None:
        """Write the sentences, as many as there are steps."""
        for label, sentence in zip(self._labels, sentences, strict=True):
            label.setText(sentence)
