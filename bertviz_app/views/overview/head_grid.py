"""`HeadGridView`: a cell for each head, layers down and heads across: where they lie, and the gestures."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from bertviz_app.viewmodels.heads.overview_cells import GAP, CellGrid
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview.marks import Head

SMALLEST = 20
_LARGEST = 120
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class HeadGridView(Canvas):
    """A click emits `head_chosen`, with Shift `head_added`; the arrow keys walk from the active panel's head.

    Subclasses say which heads there are and draw their cells.
    """

    fills_ground = True

    foot_term = "colour_scale"
    """The term of what stands below the cells."""

    head_chosen = Signal(int, int)
    head_added = Signal(int, int)

    def __init__(self, look: Look, panels: Panels, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.panels = panels
        self.term_at = partial(_term_at, self)
        self.hovered: Head | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        panels.changed.connect(self.update)

    # what a subclass shows

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads (layer, head) in the order of their cells."""
        raise NotImplementedError

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of layers and heads; (0, 0) before there is anything."""
        raise NotImplementedError

    def read_out(self, layer: int, head: int) -> str:
        """Return the tooltip of a head, as rich text."""
        raise NotImplementedError

    def foot(self, width: int) -> int:
        """Return the height below the cells in a view `width` pixels wide."""
        return self.look.pixels(24)

    @property
    def grid(self) -> tuple[int, int]:
        """The numbers of rows and columns of cells."""
        return self.counts

    @property
    def corner(self) -> tuple[float, float]:
        """The left and the top edge of the first cell."""
        return self.look.pixels(30), self.look.pixels(24)

    @property
    def smallest(self) -> int:
        """The smallest side of a cell."""
        return SMALLEST

    # geometry

    def cell_grid(self) -> CellGrid:
        """Return where the cells lie, in the coordinates of the widget."""
        rows, columns = self.grid
        left, top = self.corner
        across = int((self.width() - left - 2) / max(1, columns)) - GAP
        down = int((self.height() - top - self.foot(self.width())) / max(1, rows)) - GAP
        side = max(self.smallest, min(across, _LARGEST, down))
        return CellGrid(self.heads, max(1, columns), side, left, top)

    def cell_rect(self, layer: int, head: int) -> QRectF:
        """Return where the cell of a head lies, in the coordinates of the widget; it must have one."""
        grid = self.cell_grid()
        return QRectF(*grid.corner(grid.heads.index((layer, head))), grid.side, grid.side)

    @guarded(default=False)
    def hasHeightForWidth(self) -> bool:
        return True

    @guarded(default=0)
    def heightForWidth(self, width: int) -> int:
        """Return the height for all layers at this width; rearranging does not ask for another one."""
        n_layers, n_heads = self.counts
        if not n_layers:
            return 120
        room = (width - self.look.pixels(30) - 2) / n_heads - GAP
        side = min(max(SMALLEST, int(room)), _LARGEST)
        return self.look.pixels(24) + n_layers * (side + GAP) + self.foot(width) + 4

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(360, self.heightForWidth(360))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        (rows, columns), (left, top), step = self.grid, self.corner, self.smallest + GAP
        return QSize(int(left) + columns * step + 4, int(top) + rows * step + self.foot(self.width()))

    # gestures

    @property
    def active(self) -> Head | None:
        """The head of the active panel."""
        active = self.panels.active
        return None if active is None else (active.layer, active.head)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered = self.cell_grid().head_at(event.position().x(), event.position().y())
        if self.hovered is None:
            QToolTip.hideText()
        else:
            # Shown directly: Qt would wait for a second before a tool tip of its own.
            where = event.globalPosition().toPoint()
            QToolTip.showText(where, self.read_out(*self.hovered), self, self.rect(), 60_000)
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.hovered = None
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.cell_grid().head_at(event.position().x(), event.position().y())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            is_more = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.head_added if is_more else self.head_chosen).emit(*head)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self.active is None:
            event.ignore()
            return
        self.walk(*step)

    def walk(self, rows: int, columns: int) -> None:
        """Choose the head a number of cells from the active panel's, going round at the ends."""
        head = None if self.active is None else self.cell_grid().neighbour(self.active, columns, rows)
        if head is not None:
            self.head_chosen.emit(*head)


def _term_at(view: HeadGridView, position: QPoint) -> str:
    """Return the term of the numbers at the edges, or of what stands below the cells."""
    (left, top), grid = view.corner, view.cell_grid()
    if position.y() > top + view.grid[0] * (grid.side + GAP):
        return view.foot_term
    if position.y() < top:
        return "head"
    return "layer" if position.x() < left else ""
