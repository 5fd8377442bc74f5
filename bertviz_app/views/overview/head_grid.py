"""`HeadGridView`: a plot with a cell for each head, layers down and heads across, and what is drawn on them.

All cells are one item: it draws in pixels where a `CellGrid` says, which is enlarged with the view box. The
numbers at the edges and what stands below the cells are items beside the box.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QTransform, QWheelEvent
from PySide6.QtWidgets import QSizePolicy

from bertviz_app.types import Floats
from bertviz_app.viewmodels.overview import GAP, CellGrid, largest, level_of
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.kit.canvas import CachedPicture
from bertviz_app.views.kit.labels import SMALLEST as SMALLEST_LETTER
from bertviz_app.views.kit.look import RIGHT, Look, Pencil, colour_table, ink_on
from bertviz_app.views.kit.words import Item, cell_change, cell_measure
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box, Drawing, DrawnBy

Head = tuple[int, int]
Rects = dict[Head, QRectF]
MenuItems = list[Item]

SMALLEST = 20
SAMPLED = "≈"
"""Stands before a layer whose pictures are of a sample of the queries."""

_SMALLEST_NAMED = 36  # a rearranged cell holds its name
_LARGEST = 120
_UNLIMITED = 100_000
# The side of a cell that is enlarged as far as it goes: three pixels for each one of its picture.
_ENLARGED = 192
_AROUND = 3  # the pixels around the cells in which their frames are drawn
_MARGIN = 1.5  # beside the number of a cell


class _HeadsBox(Box):
    """A view box that keeps the proportions of its cells, whatever part of them is framed."""

    def show_part(self, part: QRectF) -> None:
        """Show a part with as much around it as its proportions need."""
        whole = self.whole
        share = min(1.0, max(part.width() / whole.width(), part.height() / whole.height()))
        shown = QRectF(QPointF(), whole.size() * share)
        shown.moveCenter(part.center())
        super().show_part(shown)


class _Cells(Drawing):
    """Everything that is drawn on the cells."""

    def __init__(self, plot: HeadGridView) -> None:
        super().__init__(plot.look, plot.box)
        self._plot = plot
        self._cached = CachedPicture(plot.look)

    def draw(self, painter: QPainter) -> None:
        """Draw the cells in sight, from a picture of them where only a frame has changed."""
        plot = self._plot
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(-plot.box.pos())
        grid = plot.cell_grid()
        rects = plot.rects_in_sight(grid)
        if not rects:
            return

        def draw_all(painter: QPainter) -> None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            plot.draw_cells(painter, grid, rects)

        self._cached.draw(painter, plot.size(), (grid, plot.version), draw_all)
        plot.draw_marks(painter, grid, rects)

    def update_cells(self, heads: Iterable[Head | None]) -> None:
        grid, corner = self._plot.cell_grid(), self._plot.box.pos()
        for head in heads:
            if head in grid.heads:
                rect = QRectF(*grid.corner(grid.heads.index(head)), grid.side, grid.side)
                self.update(rect.adjusted(-4, -4, 4, 4).translated(-corner))


class HeadGridView(PicturePlot[Head]):
    """Its parts are the heads; arrows walk from the active panel's head.

    `whole`: where the cells lie with all of them in sight, in pixels of the plot. Subclasses say which there
    are, draw their cells and what stands below them.
    """

    adds = True

    is_rearranged = False
    """Whether the cells stand in another order than by layer and head: each then has the name of its head."""

    foot_term = "colour_scale"
    """The term of what stands below the cells."""

    def __init__(self, look: Look, panels: Panels) -> None:
        super().__init__(look)
        self.panels = panels
        self.hovered: Head | None = None
        self._most = _LARGEST
        self.least_number = 0.0
        """The size of the smallest numbers that are written into cells."""
        self.items_of_head: Callable[[int, int], MenuItems] = lambda layer, head: []
        """Returns what the context menu offers for a head."""
        self._head_of_menu: Head | None = None
        self.version = 0
        """Counts what the cells were drawn from."""
        self.setMinimumSize(0, 0)  # `minimumSizeHint` says it
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        # Placed by `lay_out`: a layout would follow a change of the heads one turn of the event loop later.
        self.box = _HeadsBox(self, y_down=True)
        self.box.setParentItem(self.ci)
        self.boxes.append(self.box)
        self.cells_item = _Cells(self)
        self.whole = CellGrid((), 1, SMALLEST, 0, 0)
        self._top = DrawnBy(look, self.ci, partial(self._draw_edge, is_top=True))
        self._left = DrawnBy(look, self.ci, partial(self._draw_edge, is_top=False))
        self._foot = DrawnBy(look, self.ci, self.draw_foot)
        panels.changed.connect(self._update_parts)

    # what a subclass shows

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of layers and of heads that there are; (0, 0) before there is anything."""
        raise NotImplementedError

    @property
    def included(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The layers and the heads that have cells."""
        (n_layers, n_heads), included = self.shape, self.panels.store.now.included
        return included.layers_of(n_layers), included.heads_of(n_heads)

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads (layer, head) in the order of their cells."""
        layers, heads = self.included
        return tuple((layer, head) for layer in layers for head in heads)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of layers and of heads in each that have cells."""
        layers, heads = self.included
        return len(layers), len(heads)

    def draw_cells(self, painter: QPainter, grid: CellGrid, rects: Rects) -> None:
        """Draw the cells that `rects` has, without what changes with the pointer."""
        raise NotImplementedError

    def draw_marks(self, painter: QPainter, grid: CellGrid, rects: Rects) -> None:
        """Draw what is over the cells: frames, crosses."""
        raise NotImplementedError

    def draw_foot(self, painter: QPainter) -> None:
        """Draw what stands below the cells, in pixels of the plot."""
        raise NotImplementedError

    def foot(self, width: int) -> int:
        """Return the height below the cells in a view `width` pixels wide."""
        return self.look.pixels(24)

    @property
    def grid(self) -> tuple[int, int]:
        """The numbers of rows and columns of cells."""
        return self.counts

    @property
    def corner(self) -> tuple[int, int]:
        """The left and the top edge of the first cell, with all in sight."""
        return (3, 4) if self.is_rearranged else (self.look.pixels(30), self.look.pixels(24))

    @property
    def smallest(self) -> int:
        """The smallest side of a cell in pixels, with all in sight."""
        return self.look.pixels(_SMALLEST_NAMED) if self.is_rearranged else SMALLEST

    @property
    def sampled_layers(self) -> Container[int]:
        """The layers whose pictures are of a sample of the queries."""
        return ()

    @property
    def unknown(self) -> str:
        """What is written in a cell that has no number."""
        return "–"

    # geometry

    def cell_grid(self) -> CellGrid:
        """Return where the cells lie, in pixels of the plot, as far as the box is zoomed in."""
        grid, box = self.whole, self.box
        if box.is_whole:
            return grid
        part, corner = box.viewRect(), box.pos()
        zoom = box.width() / part.width()
        left, top = (_AROUND - part.left()) * zoom, (_AROUND - part.top()) * zoom
        return grid.enlarged(zoom, round(corner.x() + left), round(corner.y() + top))

    def cell_rect(self, layer: int, head: int) -> QRectF:
        """Return where the cell of a head lies, in pixels of the plot; it must have one."""
        grid = self.cell_grid()
        return QRectF(*grid.corner(grid.heads.index((layer, head))), grid.side, grid.side)

    def rects_in_sight(self, grid: CellGrid) -> Rects:
        """Return where the cells lie of which a part is in sight."""
        (rows, columns), side, rects = grid.in_sight(self.box.geometry()), grid.side, {}
        lefts = [grid.corner(column)[0] for column in columns]
        for row in rows:
            first = row * grid.columns
            top, heads = grid.corner(first)[1], grid.heads[first + columns.start : first + columns.stop]
            for left, head in zip(lefts, heads, strict=False):  # the last row may be shorter
                rects[head] = QRectF(left, top, side, side)
        return rects

    # in print

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print: cells as large as there is room; or as on screen."""
        self._most = _UNLIMITED if is_printed else _LARGEST
        self.least_number = SMALLEST_LETTER if is_printed else 0.0
        self.lay_out()

    @property
    def printed_height(self) -> float:
        """The height at which the cells fill the width."""
        rows, columns = self.grid
        if (rows, columns) == self.counts:
            return float(self.heightForWidth(self.width()) - 2)
        left, top = self.corner
        pitch = int((self.width() - left - 2) / max(1, columns))
        return float(top + rows * pitch + self.foot(self.width()))

    @property
    def lacks_room(self) -> bool:
        """Whether the cells would be smaller than their numbers, or their names, need."""
        grid = self.whole
        return bool(grid.left + grid.columns * grid.pitch > self.width() + GAP)

    def lay_out(self) -> None:
        """Give all parts their places now; what is in sight stays in sight."""
        super().lay_out()
        (rows, columns), (left, top) = self.grid, self.corner
        across = int((self.width() - left - 2) / max(1, columns)) - GAP
        down = int((self.height() - top - self.foot(self.width())) / max(1, rows)) - GAP
        side = max(self.smallest, min(across, self._most, down))
        box, grid = self.box, CellGrid(self.heads, max(1, columns), side, left, top)
        self.whole = grid
        size = grid.columns * grid.pitch + _AROUND, grid.rows * grid.pitch + _AROUND
        room = QRectF(grid.left - _AROUND, grid.top - _AROUND, *size)
        if box.geometry() != room or box.whole.size() != room.size():
            part, before = box.viewRect(), box.whole
            shares = size[0] / before.width(), size[1] / before.height()
            is_whole = box.is_whole or not math.isclose(*shares, rel_tol=0.05)
            box.setGeometry(room)
            box.set_whole(QRectF(0, 0, *size))
            most = max(1.0, (_ENLARGED + GAP) / grid.pitch)
            box.setLimits(minXRange=size[0] / most, minYRange=size[1] / most)
            if not is_whole:
                box.show_part(QTransform.fromScale(*shares).mapRect(part))
            self.cells_item.prepareGeometryChange()
        room, below = box.geometry(), grid.bottom if grid.heads else 0.0
        self._top.place(QRectF(room.left(), 0, room.width(), grid.top))
        self._left.place(QRectF(0, room.top(), grid.left, room.height()))
        self._foot.place(QRectF(0, below, self.width(), max(0.0, self.height() - below)))

    def refresh(self) -> None:
        self.version += 1
        self.lay_out()
        self.cells_item.update()
        if self.walked in self.whole.heads:
            self.read(self.walked)
        else:
            self.forget_part()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height for all layers at this width; rearranging does not ask for another one."""
        n_layers, n_heads = self.counts
        if not n_layers:
            return 120
        room = (width - self.look.pixels(30) - 2) / n_heads - GAP
        side = min(max(SMALLEST, int(room)), self._most)
        return self.look.pixels(24) + n_layers * (side + GAP) + self.foot(width) + 4

    def sizeHint(self) -> QSize:
        return QSize(360, self.heightForWidth(360))

    def minimumSizeHint(self) -> QSize:
        (rows, columns), (left, top), step = self.grid, self.corner, self.smallest + GAP
        return QSize(left + columns * step + 4, top + rows * step + self.foot(self.width()))

    def recolour(self) -> None:
        self.updateGeometry()
        self.refresh()

    # drawing

    @property
    def highlighted(self) -> Head | None:
        """The head under the pointer, or that of the active panel; none in a saved picture."""
        return None if self.omits_hints else self.hovered or self.active

    def _draw_edge(self, painter: QPainter, *, is_top: bool) -> None:
        """Write the numbers of heads above the cells, or at their left the layers, ≈ before sampled ones."""
        look, grid, current = self.look, self.cell_grid(), self.highlighted
        if not grid.heads or self.is_rearranged:
            return
        if not self.box.is_whole:  # nothing of cells that are out of sight
            painter.setClipRect((self._top if is_top else self._left).rect(), Qt.ClipOperation.IntersectClip)
        rows, columns = grid.in_sight(self.box.geometry())
        pencil, font, inks = Pencil(painter, look), look.font(12), ("secondary", "accent")
        for column in columns if is_top else ():
            head = grid.heads[column][1]
            left = grid.corner(column)[0] - grid.side
            above = QRectF(left, 0, 3 * grid.side, self.whole.top - 4)  # wider than any number: none is cut
            pencil.write(str(head), above, font, inks[current is not None and current[1] == head])
        for row in () if is_top else rows:
            layer = grid.heads[row * grid.columns][0]
            top, width = grid.corner(row * grid.columns)[1], self.whole.left - 7
            beside = QRectF(-width, top, 2 * width, grid.side)
            name = f"{SAMPLED}{layer}" if layer in self.sampled_layers else str(layer)
            pencil.write(name, beside, font, inks[current is not None and current[0] == layer], RIGHT)

    def draw_frames(self, painter: QPainter, grid: CellGrid, rects: Rects, constant: Iterable[Head]) -> None:
        """Cross out heads whose output is constant; frame those in panels and the one under the pointer."""
        pencil, panels = Pencil(painter, self.look), self.panels
        for at in constant:
            if at in rects:
                pencil.cross(rects[at], "error", 1.5)
        if self.omits_hints:
            return  # a saved picture shows all heads alike
        last = max((head for _, head in grid.heads), default=0)  # 0 too where a layer has one cell
        for panel in panels.panels:
            rect = rects.get((panel.layer, min(panel.head, last)))
            if rect is not None:
                alpha, width = (1.0, 2.0) if panel == panels.active else (0.6, 1.5)
                pencil.box(rect.adjusted(-1, -1, 1, 1), self.look.colour("accent", alpha), width)
        if self.hovered in rects:
            pencil.box(rects[self.hovered].adjusted(-1, -1, 1, 1), "text")

    # its parts are the heads

    @property
    def active(self) -> Head | None:
        active = self.panels.active
        return None if active is None else (active.layer, active.head)

    @property
    def count(self) -> int:
        return len(self.whole.heads)

    def numbered(self, number: int) -> Head:
        return self.whole.heads[number]

    @property
    def current(self) -> Head | None:
        """The cell of the active panel's head; a layer may have one cell for all heads."""
        heads = self.whole.heads
        last = max((head for _, head in heads), default=0)
        cell = self.active and (self.active[0], min(self.active[1], last))
        return cell if cell in heads else None

    def part_at(self, at: QPointF) -> Head | None:
        return self.cell_grid().head_at(at.x(), at.y()) if self.box.geometry().contains(at) else None

    def beside(self, part: Head | None, rows: int, columns: int) -> Head | None:
        """Return the head a number of cells away, going round at the ends: of a row where it is a layer."""
        grid, heads = self.whole, self.whole.heads
        if part is None or self.is_rearranged:
            return grid.neighbour(part or (-1, -1), columns, rows)
        row, column = divmod(heads.index(part), grid.columns)
        n_rows = len(heads) // grid.columns
        return heads[(row + rows) % n_rows * grid.columns + (column + columns) % grid.columns]

    def extent_of(self, part: Head) -> QRectF:
        grid = self.whole
        x, y = grid.corner(grid.heads.index(part))
        return QRectF(x - grid.left + _AROUND, y - grid.top + _AROUND, grid.pitch, grid.pitch)

    def mark_part(self, part: Head | None) -> None:
        if part != self.hovered:
            touched = self.hovered, part, self.active
            self.hovered = part
            self.cells_item.update_cells(touched)
            self._top.update()
            self._left.update()

    def go_to(self, part: Head) -> None:
        """Come to a head by the keys, and show it in the active panel."""
        super().go_to(part)
        self.walk_to(part)

    def walk_to(self, head: Head) -> None:
        """Show the head that the keys have come to in the active panel."""
        self.part_chosen.emit(head)

    def on_entered(self) -> None:
        """Add a panel of the active head."""
        if self.active is not None:
            self.part_added.emit(self.active)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom over the cells; beside them the view is scrolled by what it is in."""
        if self.box.geometry().contains(event.position()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def on_range_changed(self) -> None:
        self._update_parts()
        super().on_range_changed()

    @Slot()
    def _update_parts(self) -> None:
        self.cells_item.update()
        self._top.update()
        self._left.update()

    # the menu and the terms

    def menu_point(self) -> QPointF:
        """Return where the menu opens by its key: at the pointer, or at the active head."""
        if self.pointer is None and self.active in self.whole.heads:
            return self.cell_rect(*self.active).center()
        return super().menu_point()

    def open_menu(self, on_screen: QPoint, at: QPointF) -> None:
        """Open the context menu; over a head it has what can be done to the head."""
        self._head_of_menu = self.part_at(at)
        super().open_menu(on_screen, at)

    def menu_items(self) -> MenuItems:
        """Return what can be done to the head that the menu was opened over."""
        return [] if self._head_of_menu is None else self.items_of_head(*self._head_of_menu)

    def term_at(self, position: QPoint) -> str:
        """Return the term of the numbers at the edges, or of what stands below the cells."""
        grid = self.whole
        if position.y() > grid.bottom:
            return self.foot_term
        return "head" if position.y() < grid.top else "layer" if position.x() < grid.left else ""


# what is drawn on and below the cells


def name_height(look: Look) -> float:
    """Return the height of the band with a head's name in a rearranged cell."""
    return look.pixels(14)


def draw_measure(
    plot: HeadGridView, painter: QPainter, rects: Rects, values: Floats, *, is_named: bool
) -> None:
    """Fill each cell of `plot` with the colour of its value; write it where it fits."""
    if not rects:
        return
    look, least = plot.look, plot.least_number
    top, side = largest(values), next(iter(rects.values())).width()
    size = min(_largest_letters(side / look.scale), 4.5 + side / look.scale / 5)
    painter.setFont(look.number_font(size))
    ground, written = look.colour("card").rgb(), {}
    for at in rects:
        value = float(values[at])
        is_known = not math.isnan(value)  # else it is still being computed, or there is none
        colour = int(look.weights[level_of(value, top)]) if is_known else ground
        written[at] = colour, "" if size < least else cell_measure(value) if is_known else plot.unknown
    _draw_values(painter, look, rects, written, name_height(look) if is_named else 0.0)


def draw_differences(painter: QPainter, look: Look, rects: Rects, values: Floats) -> None:
    """Fill each cell with the colour of its difference about zero, and write the difference where it fits."""
    if not rects:
        return
    side = next(iter(rects.values())).width()
    top, colours = float(np.nanmax(np.abs(values))) or 1.0, colour_table(look.palette.differences, 255)
    most = _largest_letters(side / look.scale)
    metrics = ((size, QFontMetricsF(look.number_font(size))) for size in (most, 10.0, 9.0, 8.0))
    widths = ((size, each.horizontalAdvance(cell_change(-0.25))) for size, each in metrics)
    size = next((size for size, width in widths if width <= side - _MARGIN), None)
    painter.setFont(look.number_font(size or 8.0))
    written = {}
    for at in rects:
        value = float(values[at])
        is_known = not math.isnan(value)  # else there is no such head
        colour = int(colours[round(((value if is_known else 0) / top + 1) * 127)])
        # A few zeros alone, where nothing else has room, would be taken for all that there is.
        written[at] = colour, cell_change(value) if size and is_known else ""
    _draw_values(painter, look, rects, written, 0.0)


def _largest_letters(side: float) -> float:
    """Return the size of the numbers in large cells: five of them take half of a cell."""
    return max(11.0, min(14.0, side / 6))


def _draw_values(
    painter: QPainter, look: Look, rects: Rects, written: dict[Head, tuple[int, str]], below: float
) -> None:
    """Fill cells with a colour each, and write into each where it fits, `below` its name."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("rule"))
    painter.drawRects([rect.adjusted(-1, -1, 1, 1) for rect in rects.values()])
    for at, rect in rects.items():
        painter.fillRect(rect, QColor.fromRgb(written[at][0]))
    metrics, room = QFontMetricsF(painter.font()), next(iter(rects.values())).width() - _MARGIN
    texts = {text for _, text in written.values() if text}
    fitting = {text for text in texts if metrics.horizontalAdvance(text) <= room}
    middle, inks = Qt.AlignmentFlag.AlignCenter, {colour: ink_on(colour) for colour, _ in written.values()}
    for at, rect in rects.items():
        colour, text = written[at]
        if text in fitting:
            painter.setPen(inks[colour])
            painter.drawText(rect.adjusted(0, below, 0, 0) if below else rect, middle, text)


def room_of_bar(plot: HeadGridView, grid: CellGrid) -> QRectF:
    """Return where the colours start below the cells, and how wide they may be with their ends."""
    return QRectF(grid.left, grid.bottom + plot.look.pixels(4), max(60.0, plot.width() - grid.left - 6), 0)
