"""The command palette and the sheet of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from bertviz_app.values import dataclass
from bertviz_app.viewmodels.name_search import Names, NameSearch
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import RIGHT, Look, Pencil, grid_of, in_column, in_row, named, styled
from bertviz_app.views.kit.terms import explain_with, term_named
from bertviz_app.views.kit.widgets import ComposingEdit, TitledDialog, close_button

_KEYS = Qt.ItemDataRole.UserRole
_N_RECENT = 5


@dataclass(frozen=True)
class PaletteEntry:
    """A line of the palette: what it is called, its keys, what it does, and the title of its group.

    `also` is found by what people type, but not shown: what it is about. `title` is found as well as what is
    shown: its name in the other language, other names. `key` is
    its name among those used last, the same in every language. However well it fits, one with an `order` is
    listed after all that have a smaller one.
    """

    text: str
    keys: str
    run: Callable[[], object]
    also: str = ""
    group: str = ""
    key: str = ""
    order: int = 0
    title: str = ""


class CommandPalette(Guarded, QDialog):
    """Opens over the window; Escape closes it. Without a text it lists all, those used last first."""

    ran = Signal(str)
    """The key of the line that was chosen."""

    def __init__(
        self, look: Look, entries: Sequence[PaletteEntry], parent: QWidget, recent: Sequence[str] = ()
    ) -> None:
        """`recent`: the keys of the lines used last, the newest first."""
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        styled(self, "palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries = tuple(entries)
        numbers = {entry.key: number for number, entry in enumerate(self._entries)}
        self._recent = [numbers[key] for key in recent if key in numbers][:_N_RECENT]
        self._search = NameSearch([Names(f"{one.text} {one.title}", one.also) for one in self._entries])
        self._field = named(ComposingEdit(self.tr("Find a command …")), "entry")
        self._list = QListWidget()
        self._list.setItemDelegate(_KeysDelegate(look, self._list))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setMinimumHeight(1)  # the palette is as high as its lines
        self._nothing = named(QLabel(self.tr("No command or term matches."), wordWrap=True), "secondary")
        parts = self._field, self._nothing, self._list
        self._column = in_column(*parts, of=self, margins=10, spacing=8)
        self._highest = min(look.pixels(520), parent.height() - 120)
        self._field.read.connect(self._filter)
        self._field.installEventFilter(self)
        self._list.itemClicked.connect(self._run)
        width = min(look.pixels(560), parent.width() - 40)
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.setGeometry(corner.x() + (parent.width() - width) // 2, corner.y() + 60, width, self._highest)
        self._filter("")

    @property
    def offered(self) -> list[str]:
        """The texts of the commands that fit what was typed."""
        return [self._list.item(row).text() for row in self._rows()]

    def _rows(self) -> list[int]:
        """Return the rows of the list that can be chosen: all but the headings."""
        return [row for row in range(self._list.count()) if self._list.item(row).flags()]

    @Slot(str)
    def _filter(self, typed: str) -> None:
        found = sorted(self._search.find(typed), key=lambda number: self._entries[number].order)
        groups: dict[str, list[int]] = {}
        if self._recent and not typed.strip():
            groups[self.tr("Used last")] = self._recent
        for number in found:  # the group of the best one is first
            groups.setdefault(self._entries[number].group, []).append(number)
        self._list.clear()
        for title, numbers in groups.items():
            if title:
                QListWidgetItem(title, self._list).setFlags(Qt.ItemFlag.NoItemFlags)
            for number in numbers:
                entry = self._entries[number]
                QListWidgetItem(entry.text, self._list).setData(_KEYS, (entry.keys, number))
        self._step(0)
        n_lines = self._list.count()
        self._nothing.setVisible(n_lines == 0)
        self._list.setVisible(n_lines > 0)
        margins = self._column.contentsMargins()
        below = self._nothing.heightForWidth(self.width() - margins.left() - margins.right())
        if n_lines:
            below = sum(map(self._list.sizeHintForRow, range(n_lines))) + 2 * self._list.frameWidth()
        around = margins.top() + margins.bottom() + self._column.spacing() + self._field.sizeHint().height()
        self.resize(self.width(), min(self._highest, around + below))

    def _step(self, step: int) -> None:
        """Go to another line: 1 is the next, -1 the one before, 0 the first; after the last is the first."""
        rows = self._rows()
        if rows:
            at = rows.index(self._list.currentRow()) if step else 0
            row = rows[(at + step) % len(rows)]
            if row == rows[0]:
                self._list.scrollToTop()  # its heading, too
            self._list.setCurrentRow(row)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Let the arrows and Enter in the field move in the list."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if step is not None:
            self._step(step)
        elif is_enter:
            self._run(self._list.currentItem())
        return is_enter or step is not None

    @Slot(QListWidgetItem)
    def _run(self, item: QListWidgetItem | None) -> None:
        """Run a line; a heading does nothing."""
        if item is not None and item.flags():
            _, number = item.data(_KEYS)
            entry = self._entries[number]
            self.accept()
            self.ran.emit(entry.key)
            entry.run()


class _KeysDelegate(Guarded, QStyledItemDelegate):
    """Writes the keys of a command at the right end of its line, and the title of a group as a heading."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look, pencil, room = self._look, Pencil(painter, self._look), QRectF(option.rect)
        if index.flags():
            super().paint(painter, option, index)
            pencil.write(index.data(_KEYS)[0], room.adjusted(0, 0, -12, 0), look.font(12), "secondary", RIGHT)
        else:
            room.adjust(12, 0, -12, -look.pixels(4))
            at_bottom = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom
            pencil.write(index.data(), room, look.font(12, bold=True), "secondary", at_bottom)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, self._look.pixels(32 if index.flags() else 30))


_N_COLUMNS = 3
_MOST_WORDS = 16  # of what a command does: its terms are explained, however long it is
_AROUND = 100  # what the dialog, its scroll bar, its title bar and the window's edges take


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
        columns, room = list[list[SheetGroup]](), 0
        for group in groups:
            if not columns or room < group.height:
                columns.append([])
                room = height
            columns[-1].append(group)
            room -= group.height
        if len(columns) <= n_columns:
            return columns
    return []


class ShortcutSheet(TitledDialog):
    """Opens over the window; Escape closes it."""

    def __init__(self, look: Look, groups: Sequence[SheetGroup], parent: QWidget) -> None:
        super().__init__(parent, self.tr("Commands and their keys"))
        room = parent.width() - _AROUND
        sheets = (_sheet(look, groups, n_columns) for n_columns in range(_N_COLUMNS, 0, -1))
        sheet = next((sheet for sheet in sheets if sheet.sizeHint().width() <= room), None)
        sheet = sheet or _sheet(look, groups, 1)
        area = named(QScrollArea(widgetResizable=True), title=self.windowTitle())
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(sheet)
        close = (close_button(self, self.tr("Close")), 0, Qt.AlignmentFlag.AlignRight)
        in_column(area, close, of=self, margins=16)
        desired = sheet.sizeHint()
        width = max(look.pixels(1040), desired.width() + _AROUND - 40)
        height = desired.height() + look.pixels(90)
        self.resize(min(width, parent.width() - 40), min(height, parent.height() - _AROUND))


def _sheet(look: Look, groups: Sequence[SheetGroup], n_columns: int) -> QWidget:
    """Return the groups in this number of columns, without a place in any window yet."""
    sheet = named(QWidget(), "clear")
    row = in_row(of=sheet, margins=(8, 4, 8, 4), spacing=look.pixels(36))
    for column in in_columns(groups, n_columns):
        stack = in_column(spacing=look.pixels(18))
        row.addLayout(stack, 1)
        for group in column:
            grid = grid_of(spacing=(look.pixels(12), look.pixels(5)))
            grid.setColumnStretch(0, 1)
            grid.addWidget(named(QLabel(group.title), "title"), 0, 0, 1, 2)
            for line, (text, keys) in enumerate(group.lines, start=1):
                label = QLabel(text, wordWrap=n_columns == 1)  # there is nothing else to give way
                explain_with(label, term_named(text, _MOST_WORDS))
                grid.addWidget(label, line, 0)
                if keys:
                    grid.addWidget(named(QLabel(keys), "keys"), line, 1, Qt.AlignmentFlag.AlignRight)
            stack.addLayout(grid)
        stack.addStretch(1)
    return sheet
