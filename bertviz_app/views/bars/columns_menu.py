"""`ColumnsMenu`: a menu whose lines may be rows of a table, each cell in its column."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QStyleOptionMenuItem, QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import without_mnemonic

_GAP, _RIGHT = 18, 24
"""Between two columns, and right of the last: the padding of an item in the style sheet."""
_BETWEEN = "  "


class ColumnsMenu(QMenu):
    """A menu that draws some of its lines as rows of a table.

    The style draws the first cell of a row, beside the tick as in every menu. The other columns are drawn
    here, counted from the right edge: spaces in one text would not line up where fonts are hinted.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._cells: dict[QAction, tuple[str, ...]] = {}
        self._numbers: frozenset[int] = frozenset()
        self.aboutToShow.connect(self._fit)  # the size of the text may be another now

    def add_rows(self, rows: Sequence[tuple[str, ...]], numbers: Sequence[int]) -> list[QAction]:
        """Add a line for each of `rows`; the columns `numbers` are aligned at the right.

        Call it once after `clear`. The text of an action has all cells of its row, for screen readers.
        """
        self._numbers = frozenset(numbers)
        actions = [self.addAction(without_mnemonic(row[0])) for row in rows]
        self._cells = dict(zip(actions, rows, strict=True))
        self._fit()
        return actions

    def clear(self) -> None:
        """Remove every line."""
        self._cells = {}
        self.setMinimumWidth(0)
        super().clear()

    def cell_rects(self, action: QAction) -> list[QRectF]:
        """Return where the cells of a row after its first are drawn, the gap before each included."""
        line = QRectF(self.actionGeometry(action))
        widths = self._widths()
        left = line.right() - self._look.pixels(_RIGHT) - sum(widths)
        rects = []
        for width in widths:
            rects.append(QRectF(left, line.top(), width, line.height()))
            left += width
        return rects

    @guarded
    def initStyleOption(self, option: QStyleOptionMenuItem, action: QAction) -> None:
        super().initStyleOption(option, action)
        if (cells := self._cells.get(action)) is not None:
            option.text = without_mnemonic(cells[0])

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        try:
            self._draw_columns(painter)
        finally:
            painter.end()

    def _draw_columns(self, painter: QPainter) -> None:
        """Draw the cells after the first of each row."""
        palette = self._look.palette
        for action, cells in self._cells.items():
            is_current = action is self.activeAction() and action.isEnabled()
            painter.setPen(
                palette.colour("on_accent" if is_current else "text" if action.isEnabled() else "secondary")
            )
            for column, (cell, rect) in enumerate(zip(cells[1:], self.cell_rects(action), strict=False), 1):
                side = Qt.AlignmentFlag.AlignRight if column in self._numbers else Qt.AlignmentFlag.AlignLeft
                room = rect.adjusted(self._look.pixels(_GAP), 0, 0, 0)
                painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, cell)

    def _fit(self) -> None:
        """Make the menu as wide as its first column, by the style, and the other columns need.

        Qt measures an action by its text, so while it measures, that is the first cell alone; of a row of one
        cell it is "", as that cell may reach into the other columns.
        """
        self.ensurePolished()
        self.setMinimumWidth(0)
        for action, row in self._cells.items():
            action.setText(without_mnemonic(row[0] if len(row) > 1 else ""))
        self.setMinimumWidth(max(0, round(self.sizeHint().width() + sum(self._widths()))))
        for action, row in self._cells.items():
            action.setText(without_mnemonic(_BETWEEN.join(filter(None, row))))

    def _widths(self) -> list[float]:
        """Return how wide each column after the first is, with the gap before it; 0 without a text."""
        measure = QFontMetricsF(self.font()).horizontalAdvance
        columns = list(zip_longest(*self._cells.values(), fillvalue=""))[1:]
        widest = [max(map(measure, column)) for column in columns]
        return [wide + 1 + self._look.pixels(_GAP) if wide else 0.0 for wide in widest]
