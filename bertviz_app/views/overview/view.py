"""The overview: every head of every layer as one image; click a head to show it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.viewmodels.overview_options import (
    ATTENTION,
    GAP,
    Arrangement,
    CellGrid,
    OverviewOptions,
    arranged,
)
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview import marks
from bertviz_app.views.overview import tiles as overview_tiles
from bertviz_app.views.overview.marks import Head

_SMALLEST = 20
_SMALLEST_NAMED = 36  # a rearranged cell holds its name
_LARGEST = 120
_VEIL = 0.8


class OverviewView(Canvas):
    """A grid of heads, layers down and heads across, or by a measure from its largest value on.

    A cell shows its head's attention, as bright as its own largest weight, or one measure of it.
    """

    head_chosen = Signal(int, int)
    head_added = Signal(int, int)

    def __init__(
        self,
        look: Look,
        panels: Panels,
        options: OverviewOptions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self._panels = panels
        self.options = options or OverviewOptions(self)
        self._overview: HeadOverview | None = None
        self._cells = Arrangement((), frozenset(), False)
        self._atlas: QImage | None = None
        self._hovered: Head | None = None
        self._muted: frozenset[Head] = frozenset()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Overview of all heads"))
        panels.changed.connect(self.update)
        self.options.changed.connect(self._on_options_changed)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Overview of all heads"))

    @property
    def overview(self) -> HeadOverview | None:
        """What is shown; None before there is anything."""
        return self._overview

    @property
    def cells(self) -> Arrangement:
        """The heads in the order of their cells."""
        return self._cells

    def show_overview(self, overview: HeadOverview) -> None:
        """Show the heads of another result."""
        self._overview = overview
        self._hovered = None
        self._rebuild()
        self.updateGeometry()

    @property
    def is_per_head(self) -> bool:
        """Whether attention is scaled to each head's own largest weight."""
        return self.options.value.is_per_head

    def set_per_head(self, is_per_head: bool) -> None:
        """Scale each head to its own largest weight, or all alike to a weight of 1."""
        self.options.change(is_per_head=is_per_head)

    def set_muted(self, heads: frozenset[Head]) -> None:
        """Cross out the heads that hand over nothing."""
        self._muted = heads
        self.update()

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of cells: (layers, heads) unless rearranged; (0, 0) before there is anything."""
        if self._overview is None:
            return (0, 0)
        n_layers, n_heads = heads_of(self._overview)
        if not self._cells.is_rearranged:
            return n_layers, n_heads
        columns = max(1, min(n_heads, int((self.width() - 4) // (self._smallest() + GAP))))
        return -(-len(self._cells.heads) // columns), columns

    @guarded(default=False)
    def hasHeightForWidth(self) -> bool:
        return True

    @guarded(default=-1)
    def heightForWidth(self, width: int) -> int:
        """Return the height for all layers at this width; rearranging does not ask for another one."""
        if self._overview is None:
            return 120
        n_layers, n_heads = heads_of(self._overview)
        room = (width - self.look.pixels(30) - 2) / n_heads - GAP
        tile = min(max(_SMALLEST, int(room)), _LARGEST)
        return self.look.pixels(24) + n_layers * (tile + GAP) + self._foot() + 4

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(360, self.heightForWidth(360))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        rows, columns = self.grid
        step = self._smallest() + GAP
        width = 3 * step if self._cells.is_rearranged else int(self._left()) + columns * step
        return QSize(width + 4, int(self._top()) + rows * step + self._foot())

    # drawing

    def draw(self, painter: QPainter) -> None:
        if self._overview is None:
            return
        cells, look, grid = self._cells, self.look, self.cell_grid()
        measures, choice = self._overview.measures, self.options.value
        if self._atlas is not None:
            painter.drawImage(QPointF(grid.left, grid.top), self._atlas)
        elif choice.shows in measures:
            values = measures[choice.shows]
            marks.draw_measure(painter, look, grid, values, is_named=cells.is_rearranged)
        for at in cells.dimmed:
            painter.fillRect(self.tile_rect(*at), look.colour("card", _VEIL))
        draw_labels = marks.draw_names if cells.is_rearranged else marks.draw_edges
        draw_labels(painter, look, grid, self._hovered or self._active())
        marks.draw_frames(painter, look, grid, self._panels, self._hovered, self._muted)
        end = marks.end_of_bar(measures, choice.shows, is_per_head=choice.is_per_head)
        corner = QPointF(grid.left, grid.bottom + look.pixels(4))
        marks.draw_bar(painter, look, corner, max(60.0, self.width() - grid.left - 6), end)

    def read_out(self, layer: int, head: int) -> str:
        """Return the name of a head and its measures, for the tooltip."""
        assert self._overview is not None
        title = self.tr("Layer {0} · Head {1}").format(layer, head)
        muted = self.tr("muted: it hands over nothing") if (layer, head) in self._muted else ""
        return f"<b>{title}</b> {muted}{marks.table_of(self._overview, (layer, head))}"

    def _rebuild(self) -> None:
        overview, choice = self._overview, self.options.value
        if overview is not None:
            self._cells = arranged(overview.measures, choice)
            self._atlas = self._drawn_atlas(overview) if choice.shows == ATTENTION else None
        self.update()

    def _drawn_atlas(self, overview: HeadOverview) -> QImage:
        grid, ratio = self.cell_grid(), self.devicePixelRatioF()
        side = max(1, round(grid.side * ratio))
        is_per_head = self.options.value.is_per_head
        cells = overview_tiles.tiles(overview.pictures, side, per_head=is_per_head)
        picture = overview_tiles.atlas(cells, grid.heads, grid.columns, round(GAP * ratio))
        return overview_tiles.image(picture, self.look, ratio)

    # geometry

    def _left(self) -> float:
        return 3 if self._cells.is_rearranged else self.look.pixels(30)

    def _top(self) -> float:
        return 4 if self._cells.is_rearranged else self.look.pixels(24)

    def _foot(self) -> int:
        return self.look.pixels(24)

    def _smallest(self) -> int:
        return self.look.pixels(_SMALLEST_NAMED) if self._cells.is_rearranged else _SMALLEST

    def cell_grid(self) -> CellGrid:
        """Return where the cells lie, in the coordinates of the widget."""
        rows, columns = self.grid
        left, top = self._left(), self._top()
        across = int((self.width() - left - 2) / max(1, columns)) - GAP
        down = int((self.height() - top - self._foot()) / max(1, rows)) - GAP
        side = max(self._smallest(), min(across, _LARGEST, down))
        return CellGrid(self._cells.heads, max(1, columns), side, left, top)

    def tile_rect(self, layer: int, head: int) -> QRectF:
        """Return where the cell of a head lies, in the coordinates of the widget; it must have one."""
        grid = self.cell_grid()
        return QRectF(*grid.corner(grid.heads.index((layer, head))), grid.side, grid.side)

    def _active(self) -> Head | None:
        active = self._panels.active
        return None if active is None else (active.layer, active.head)

    # gestures

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self.cell_grid().head_at(event.position().x(), event.position().y())
        if self._hovered is None:
            QToolTip.hideText()
        else:
            # At once, not after the second that Qt waits for tooltips of its own.
            where = event.globalPosition().toPoint()
            QToolTip.showText(where, self.read_out(*self._hovered), self, self.rect(), 60_000)
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.cell_grid().head_at(event.position().x(), event.position().y())
        if at is not None and event.button() == Qt.MouseButton.LeftButton:
            is_more = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.head_added if is_more else self.head_chosen).emit(*at)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        step = steps.get(Qt.Key(event.key()))
        active = self._active()
        if step is not None:
            self._walk(*step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and active is not None:
            self.head_added.emit(*active)
        else:
            event.ignore()

    def _walk(self, rows: int, columns: int) -> None:
        active = self._active()
        if not self._cells.is_rearranged:
            self._panels.walk(rows, columns)
        elif active is not None and (at := self.cell_grid().neighbour(active, columns, rows)) is not None:
            self.head_chosen.emit(*at)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._rebuild()
        if self._cells.is_rearranged:
            self.updateGeometry()  # fewer columns need more rows

    @Slot()
    def _on_options_changed(self) -> None:
        self._hovered = None
        self._rebuild()
        self.updateGeometry()

    @Slot()
    def _on_look_changed(self) -> None:
        self._rebuild()
        super()._on_look_changed()


def heads_of(overview: HeadOverview) -> tuple[int, int]:
    """Return (layers, heads) of an overview."""
    n_layers, n_heads = overview.pictures.shape[:2]
    return int(n_layers), int(n_heads)
