"""`EntryPage`: one entry of the glossary to read; `EntryPopup`: the same in a card over the window."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from bertviz_app.learning.example_facts import Entry
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language, write_prose

_WIDTH = 400
_OFFSET = 14  # from the pointer, so that what is explained stays in sight


class EntryPage(QWidget):
    """One entry to read: what it is, an example of the text shown, what it is not, where it is seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("clear")
        self._name = named(QLabel(wordWrap=True), "headline")
        self._other_name = named(QLabel(wordWrap=True), "secondary")
        self._parts = {part: _Part() for part in ("text", "example", "is_not", "where")}
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 12, 4)
        column.setSpacing(6)
        column.addWidget(self._name)
        column.addWidget(self._other_name)
        for part in self._parts.values():
            column.addWidget(part)
        column.addStretch(1)

    def show_entry(self, entry: Entry, facts: Mapping[str, str]) -> None:
        """Show `entry` in the language in force."""
        now = language()
        self._name.setText(entry.name.in_language(now))
        self._other_name.setText(entry.name.in_language("en" if now == "ko" else "ko"))
        self._parts["text"].write("", entry.text.in_language(now))
        self._parts["example"].write(self.tr("In what you see now"), entry.example_in(now, facts))
        self._parts["is_not"].write(self.tr("What it is not"), entry.is_not.in_language(now))
        self._parts["where"].write(self.tr("Where to see it"), entry.where.in_language(now))

    def clear(self) -> None:
        for label in (self._name, self._other_name):
            label.clear()
        for part in self._parts.values():
            part.write("", "")


class _Part(QWidget):
    """A title and a text below it; hidden without a text."""

    def __init__(self) -> None:
        super().__init__()
        self._title = named(QLabel(), "title")
        self._text = QLabel(wordWrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(3)
        column.addWidget(self._title)
        column.addWidget(self._text)

    def write(self, title: str, text: str) -> None:
        self._title.setText(title)
        self._title.setVisible(bool(title))
        write_prose(self._text, text)
        self.setVisible(bool(text))


class EntryPopup(QFrame):
    """Opens beside what it explains; a click elsewhere or Escape closes it."""

    def __init__(self, look: Look, entry: Entry, facts: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        page = EntryPage(self)
        page.show_entry(entry, facts)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 4, 12)
        column.addWidget(page)
        width = look.pixels(_WIDTH)
        self.setFixedSize(width, column.heightForWidth(width))
        self.setAccessibleName(entry.name.in_language(language()))

    def open_at(self, position: QPoint) -> None:
        """Open below and right of a position on the screen, or where the screen has room."""
        screen = self.screen().availableGeometry()
        left = min(position.x() + _OFFSET, screen.right() + 1 - self.width())
        below, above = position.y() + _OFFSET, position.y() - _OFFSET - self.height()
        fits = below + self.height() <= screen.bottom() + 1
        corner = QPoint(max(left, screen.left()), max(below if fits else above, screen.top()))
        self.setGeometry(QRect(corner, self.size()))
        self.show()
