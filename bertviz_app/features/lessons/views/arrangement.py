"""A list whose items are moved, and the dialog in which the stations of a lesson are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QPushButton, QWidget

from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.timers import OneShot
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.words import language

_VALUE = Qt.ItemDataRole.UserRole
_AROUND_ITEMS = 12
_BESIDE, _ABOVE_AND_BELOW = 1.6, 0.8
"""What an item has around its text, over the height of a line."""


class _Items(Guarded, QListWidget):
    """A list as high as its items, whose lines depend on the width."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        metrics, whole = self.fontMetrics(), _AROUND_ITEMS
        # Qt itself wraps an item at the whole width, and leaves out the padding.
        room = QRect(0, 0, self.viewport().width() - round(_BESIDE * metrics.height()), 10_000)
        for item in map(self.item, range(self.count())):
            wrapped = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap.value, item.text())
            height = wrapped.height() + round(_ABOVE_AND_BELOW * metrics.height())
            item.setSizeHint(QSize(1, height))
            whole += height
        self.setFixedHeight(whole)


class MovableItems(QWidget):
    """A list whose items are dragged, or moved by two buttons of `row`, or by Alt with an arrow."""

    def __init__(self, name: str, items: QListWidget | None = None) -> None:
        """`items`: a list that scrolls; without one it is as high as what is in it."""
        super().__init__()
        translate = QCoreApplication.translate
        self.list = items or _Items()
        self.list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(name)
        self.row = QHBoxLayout()
        for text, tip, key, step in (
            ("↑ Alt+↑", translate("Lessons", "Move up (Alt+↑)"), "Alt+Up", -1),
            ("↓ Alt+↓", translate("Lessons", "Move down (Alt+↓)"), "Alt+Down", 1),
        ):
            button = named(QPushButton(text, autoDefault=False), "", tip)
            button.clicked.connect(partial(self._move, step))
            self.add_key(key, partial(self._move, step))
            self.row.addWidget(button)
        self.row.addStretch(1)
        in_column((self.list, 1), self.row, of=self, margins=0)

    def add(self, text: str, value: object) -> None:
        """Add an item at the end."""
        QListWidgetItem(text, self.list).setData(_VALUE, value)

    def add_key(self, key: str | Qt.Key, run: Callable[[], object]) -> None:
        """Call `run` when a key is pressed while the list has the focus."""
        keys = QShortcut(QKeySequence(key), self.list, context=Qt.ShortcutContext.WidgetShortcut)
        keys.activated.connect(run)

    @property
    def order(self) -> tuple[Any, ...]:
        """The values of the items in the order in which they stand now."""
        return tuple(self.list.item(row).data(_VALUE) for row in range(self.list.count()))

    def _move(self, step: int, _: bool = False) -> None:
        row = self.list.currentRow()
        if row < 0:  # none is marked at first: it would look like an answer
            self.list.setCurrentRow(0)
            return
        to = row + step
        if 0 <= to < self.list.count():
            self.list.insertItem(to, self.list.takeItem(row))
            self.list.setCurrentRow(to)


class ArrangementDialog(QDialog):
    """The stations of a lesson in their order: `save_requested(keys)` has those that stay."""

    save_requested = Signal(object)

    def __init__(self, look: Look, lesson: Lesson, parent: QWidget) -> None:
        super().__init__(parent)
        now = language()
        self.setWindowTitle(self.tr("Stations of “{0}”").format(lesson.title.in_language(now)))
        self._titles = {each.key: each.title.in_language(now) for each in lesson.stations}
        self._undone: list[tuple[str, ...]] = []
        self.items = MovableItems(self.tr("Stations of the lesson"), QListWidget())
        self.remove = QPushButton(self.tr("Remove"), autoDefault=False)
        self.undo = QPushButton(self.tr("Undo"), autoDefault=False)
        self.save = named(QPushButton(self.tr("Write the lesson")), "primary")
        self.cancel = QPushButton(self.tr("Cancel"), autoDefault=False)
        self.problem = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "remark")
        self.problem.hide()
        self.remove.setToolTip(self.tr("Take the station out of the lesson (Delete)"))
        self.undo.setToolTip(self.tr("Bring back what was there before (Ctrl+Z)"))
        self.items.row.addWidget(self.remove)
        self.items.row.addWidget(self.undo)
        foot = in_row((self.problem, 100), 1, self.cancel, self.save)
        in_column((self.items, 1), foot, of=self, margins=(20, 18, 20, 16), spacing=16)
        self._show(tuple(self._titles), 0)
        self.remove.clicked.connect(self._remove)
        self.undo.clicked.connect(self._undo)
        self.items.add_key("Del", self._remove)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self).activated.connect(self._undo)
        # A move is a removal and an insertion: what it comes to is seen in the next turn of the event loop.
        self._later = OneShot(self, self._note)
        model = self.items.list.model()
        for signal in (model.rowsInserted, model.rowsRemoved):
            signal.connect(self._later.start)
        self.save.clicked.connect(lambda: self.save_requested.emit(self.items.order))
        self.cancel.clicked.connect(self.reject)
        self.resize(min(look.pixels(560), parent.width() - 20), min(look.pixels(520), parent.height() - 20))
        self._note()
        self.items.list.setFocus()

    def show_problem(self, words: str) -> None:
        """Show why the lesson could not be written."""
        self.problem.setText(words)
        self.problem.show()

    def _show(self, keys: tuple[str, ...], row: int) -> None:
        self._shown = keys
        self.items.list.clear()
        for key in keys:
            self.items.add(self._titles[key], key)
        self.items.list.setCurrentRow(row)

    @Slot()
    def _note(self) -> None:
        """Remember the previous order, for undo."""
        now = self.items.order
        if now != self._shown:
            self._undone.append(self._shown)
            self._shown = now
        self.undo.setEnabled(bool(self._undone))
        self.remove.setEnabled(len(now) > 1)
        self.save.setEnabled(now != tuple(self._titles))

    @Slot()
    def _remove(self) -> None:
        """Take the current station out; a lesson has at least one."""
        self._note()
        if self.items.list.count() > 1 and self.items.list.currentRow() >= 0:
            self.items.list.takeItem(self.items.list.currentRow())

    @Slot()
    def _undo(self) -> None:
        self._note()
        if self._undone:
            self._show(self._undone.pop(), max(0, self.items.list.currentRow()))
            self._note()
