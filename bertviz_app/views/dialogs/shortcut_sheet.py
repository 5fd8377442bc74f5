"""The sheet of all commands and their keys, group by group, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import explain_with, term_named

_N_COLUMNS = 3
_MOST_WORDS = 16  # of what a command does: its terms are explained, however long it is
_AROUND = 100  # what the dialog, its scroll bar and the window's edges take of the width


@dataclass(frozen=True)
class SheetGroup:
    """A group of commands: its title, and (what it does, its keys) of each."""

    title: str
    lines: tuple[tuple[str, str], ...]

    @property
    def height(self) -> int:
        """How many lines it takes, title and gap included."""
        return len(self.lines) + 2


def in_columns(groups: Sequence[SheetGroup], n_columns: int = _N_COLUMNS) -> list[list[SheetGroup]]:
    """Return the groups, in their order, in columns of which the longest is as short as can be."""
    least = max((group.height for group in groups), default=0)
    for height in range(least, sum(group.height for group in groups) + 1):
        columns = _filled(groups, height)
        if len(columns) <= n_columns:
            return columns
    return []


def _filled(groups: Sequence[SheetGroup], height: int) -> list[list[SheetGroup]]:
    columns: list[list[SheetGroup]] = []
    room = 0
    for group in groups:
        if not columns or room < group.height:
            columns.append([])
            room = height
        columns[-1].append(group)
        room -= group.height
    return columns


class ShortcutSheet(QDialog):
    """Opens over the window; Escape closes it."""

    def __init__(self, look: Look, groups: Sequence[SheetGroup], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Commands and their keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        room = parent.width() - _AROUND
        sheets = (_sheet(look, groups, n_columns) for n_columns in range(_N_COLUMNS, 0, -1))
        sheet = next((sheet for sheet in sheets if sheet.sizeHint().width() <= room), None)
        sheet = sheet or _sheet(look, groups, 1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(sheet)
        area.setAccessibleName(self.windowTitle())
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.accept)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(16, 16, 16, 16)
        outer.addWidget(area)
        outer.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        desired = sheet.sizeHint()
        width = max(look.pixels(1040), desired.width() + _AROUND - 40)
        height = desired.height() + look.pixels(90)
        self.resize(min(width, parent.width() - 40), min(height, parent.height() - 40))


def _sheet(look: Look, groups: Sequence[SheetGroup], n_columns: int) -> QWidget:
    """Return the groups in this number of columns, without a place in any window yet."""
    sheet = named(QWidget(), "clear")
    row = QHBoxLayout(sheet)
    row.setContentsMargins(8, 4, 8, 4)
    row.setSpacing(look.pixels(36))
    for column in in_columns(groups, n_columns):
        stack = QVBoxLayout()
        stack.setSpacing(look.pixels(18))
        for group in column:
            stack.addLayout(_block(look, group, is_wrapped=n_columns == 1))
        stack.addStretch(1)
        row.addLayout(stack, 1)
    return sheet


def _block(look: Look, group: SheetGroup, is_wrapped: bool) -> QGridLayout:
    """Return the lines of a group; those of the only column wrap, as there is nothing else to give way."""
    grid = QGridLayout()
    grid.setVerticalSpacing(look.pixels(5))
    grid.setHorizontalSpacing(look.pixels(12))
    grid.setColumnStretch(0, 1)
    grid.addWidget(named(QLabel(group.title), "title"), 0, 0, 1, 2)
    for row, (text, keys) in enumerate(group.lines, start=1):
        label = QLabel(text, wordWrap=is_wrapped)
        explain_with(label, term_named(text, _MOST_WORDS))
        grid.addWidget(label, row, 0)
        if keys:
            grid.addWidget(named(QLabel(keys), "keys"), row, 1, Qt.AlignmentFlag.AlignRight)
    return grid
