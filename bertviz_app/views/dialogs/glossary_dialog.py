"""The glossary: every term of the program at the left, its explanation at the right; type to find one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.learning.example_facts import Entry, Glossary
from bertviz_app.views.dialogs.entry_page import EntryPage
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import language

_KEY = Qt.ItemDataRole.UserRole
_MOVES = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: 10,
    Qt.Key.Key_PageUp: -10,
}


class GlossaryDialog(QDialog):
    """Stays open beside the window, so that the part it explains stays visible; Escape closes it."""

    def __init__(
        self,
        look: Look,
        glossary: Glossary,
        facts: Callable[[], Mapping[str, str]],
        parent: QWidget,
    ) -> None:
        """`facts()` returns the numbers of what the window shows now, for the examples."""
        super().__init__(parent)
        self._glossary = glossary
        self._facts = facts
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._field = named(QLineEdit(), "entry")
        self._list = QListWidget()
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._nothing = named(QLabel(wordWrap=True), "secondary")
        self._page = EntryPage()
        self._lay_out(look, parent.size())
        self._field.textChanged.connect(self._fill)
        self._field.installEventFilter(self)
        self._list.currentItemChanged.connect(self.update_example)
        self.retranslate()

    def _lay_out(self, look: Look, room: QSize) -> None:
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self._field)
        left.addWidget(self._nothing)
        left.addWidget(self._list, 1)
        area = QScrollArea(widgetResizable=True)
        area.setWidget(self._page)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 12, 12, 12)
        row.setSpacing(16)
        row.addLayout(left)
        row.addWidget(area, 1)
        self._list.setFixedWidth(look.pixels(270))
        self._field.setFixedWidth(look.pixels(270))
        self.resize(min(look.pixels(820), room.width() - 40), min(look.pixels(520), room.height() - 40))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Glossary"))
        self._field.setPlaceholderText(self.tr("Find a term, in English or Korean …"))
        self._field.setAccessibleName(self.tr("Find a term"))
        self._list.setAccessibleName(self.tr("Terms"))
        self._nothing.setText(self.tr("No term fits. Clear the field to see all of them."))
        self._fill(self._field.text())

    @property
    def offered(self) -> list[str]:
        """The keys of the entries that fit what was typed, in their order."""
        rows = (self._list.item(row) for row in range(self._list.count()))
        return [key for item in rows if (key := item.data(_KEY)) is not None]

    @property
    def shown(self) -> str:
        """The key of the entry at the right, "" for none."""
        item = self._list.currentItem()
        return str(item.data(_KEY)) if item is not None else ""

    def show_entry(self, key: str) -> None:
        self._field.clear()
        self._choose(key)

    def _choose(self, key: str) -> None:
        for row in range(self._list.count()):
            if self._list.item(row).data(_KEY) == key:
                self._list.setCurrentRow(row)
                self._list.scrollToItem(self._list.item(row), QListWidget.ScrollHint.PositionAtCenter)

    @Slot(str)
    def _fill(self, typed: str) -> None:
        """List what fits; all of them, theme by theme, if nothing is typed."""
        before = self.shown
        self._list.clear()
        if typed.strip():
            for entry in self._glossary.found(typed):
                self._add(entry)
        else:
            for theme in self._glossary.themes:
                title = QListWidgetItem(theme.theme.in_language(language()), self._list)
                title.setFlags(Qt.ItemFlag.NoItemFlags)
                for entry in theme.entries:
                    self._add(entry)
        offered = self.offered
        self._nothing.setVisible(not offered)
        if offered:
            self._choose(before if before in offered and not typed.strip() else offered[0])
        else:
            self._page.clear()

    def _add(self, entry: Entry) -> None:
        name, other = entry.name.in_language(language()), "en" if language() == "ko" else "ko"
        item = QListWidgetItem(f"   {name}", self._list)
        item.setData(_KEY, entry.key)
        item.setToolTip(entry.name.in_language(other))

    @Slot()
    def update_example(self) -> None:
        """Write the chosen entry with the numbers of what the window shows now."""
        key = self.shown
        if key in self._glossary:
            self._page.show_entry(self._glossary[key], self._facts())

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrows in the field move in the list."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        move = _MOVES.get(Qt.Key(event.key()))
        offered = self.offered
        if move is None or not offered:
            return False
        now = offered.index(self.shown) if self.shown in offered else 0
        self._choose(offered[min(max(now + move, 0), len(offered) - 1)])
        return True
