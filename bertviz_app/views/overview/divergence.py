"""How differently each head attends in two runs: all heads as cells, the farthest apart named."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from bertviz_app.viewmodels.overview_options import GAP, CellGrid
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.requests import Difference
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview import marks

_SMALLEST = 20
_LARGEST = 120


class DivergenceView(Canvas):
    """Layers down and heads across, coloured by the Jensen-Shannon divergence of runs A and B in bits."""

    head_chosen = Signal(int, int)

    def __init__(self, look: Look, panels: Panels, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._panels = panels
        self._difference: Difference | None = None
        self._hovered: tuple[int, int] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        panels.changed.connect(self.update)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("How far runs A and B are apart, head by head"))
        self.setAccessibleDescription(self.sentence)

    @property
    def values(self) -> NDArray[np.float32] | None:
        """[L, H] in bits, None until they are measured."""
        return None if self._difference is None else self._difference.divergence

    @property
    def sentence(self) -> str:
        """What there is to see, in one sentence."""
        if self._difference is None or self.values is None:
            return self.tr("measuring …")
        farthest = self._difference.farthest
        if farthest is None:
            return self.tr("All heads attend alike in both runs.")
        words = self.tr("Farthest apart: head {0}·{1}, {2:.3f} bits")
        return words.format(*farthest, float(self.values[farthest]))

    def show_difference(self, difference: Difference | None) -> None:
        """Show the divergences of two other runs."""
        self._difference = difference
        self._hovered = None
        self.setAccessibleDescription(self.sentence)
        self.updateGeometry()
        self.update()

    # drawing

    def draw(self, painter: QPainter) -> None:
        values, grid = self.values, self.cell_grid()
        if values is not None and self._difference is not None:
            marks.draw_measure(painter, self.look, grid, values, is_named=False)
            marks.draw_edges(painter, self.look, grid, self._hovered or self._active())
            self._draw_farthest(painter, grid, self._difference.farthest)
            marks.draw_frames(painter, self.look, grid, self._panels, self._hovered, ())
            corner = QPointF(grid.left, grid.bottom + self.look.pixels(4))
            end = self.tr("{0:.3f} bits").format(float(values.max()))
            marks.draw_bar(painter, self.look, corner, max(60.0, self.width() - grid.left - 6), end)
        painter.setFont(self.look.font(12))
        painter.setPen(self.look.colour("text"))
        top = grid.bottom + self.look.pixels(24) if values is not None else 8
        room = QRectF(grid.left, top, self.width() - grid.left - 6, self.look.pixels(20))
        elided = painter.fontMetrics().elidedText(
            self.sentence, Qt.TextElideMode.ElideRight, round(room.width())
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)

    def _draw_farthest(self, painter: QPainter, grid: CellGrid, at: tuple[int, int] | None) -> None:
        rect = marks.cell_rects(grid).get(at) if at is not None else None
        if rect is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.look.colour("warning"), 2.5))
            painter.drawRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5))

    def read_out(self, layer: int, head: int) -> str:
        """Return what the tooltip says of a head."""
        assert self.values is not None
        title = self.tr("Layer {0} · Head {1}").format(layer, head)
        words = self.tr("{0:.4f} bits apart (Jensen-Shannon divergence, mean over the queries)")
        return f"<b>{title}</b><br>{words.format(float(self.values[layer, head]))}"

    # geometry

    def _shape(self) -> tuple[int, int]:
        values = self.values
        return (0, 0) if values is None else (values.shape[0], values.shape[1])

    def _foot(self) -> int:
        return self.look.pixels(24 + 22)

    def cell_grid(self) -> CellGrid:
        """Return where the cells lie, in the coordinates of the widget."""
        n_layers, n_heads = self._shape()
        left, top = self.look.pixels(30), self.look.pixels(24)
        across = int((self.width() - left - 2) / max(1, n_heads)) - GAP
        down = int((self.height() - top - self._foot()) / max(1, n_layers)) - GAP
        side = max(_SMALLEST, min(across, _LARGEST, down))
        heads = tuple((layer, head) for layer in range(n_layers) for head in range(n_heads))
        return CellGrid(heads, max(1, n_heads), side, left, top)

    @guarded(default=-1)
    def heightForWidth(self, width: int) -> int:
        """Return the height for all layers at this width."""
        n_layers, n_heads = self._shape()
        if not n_layers:
            return 120
        room = (width - self.look.pixels(30) - 2) / n_heads - GAP
        tile = min(max(_SMALLEST, int(room)), _LARGEST)
        return round(self.look.pixels(24) + n_layers * (tile + GAP) + self._foot() + 4)

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(360, self.heightForWidth(360))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        n_layers, n_heads = self._shape()
        step = _SMALLEST + GAP
        height = self.look.pixels(24) + n_layers * step + self._foot()
        return QSize(self.look.pixels(30) + n_heads * step + 4, height)

    def _active(self) -> tuple[int, int] | None:
        active = self._panels.active
        return None if active is None else (active.layer, active.head)

    # gestures

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self.cell_grid().head_at(event.position().x(), event.position().y())
        if self._hovered is None:
            QToolTip.hideText()
        else:
            where = event.globalPosition().toPoint()
            QToolTip.showText(where, self.read_out(*self._hovered), self, self.rect(), 60_000)
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        grid, at = self.cell_grid(), event.position()
        head = grid.head_at(at.x(), at.y())
        if head is None and at.y() >= grid.bottom and self._difference is not None:
            head = self._difference.farthest  # its name stands there
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.head_chosen.emit(*head)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        step, active = steps.get(Qt.Key(event.key())), self._active()
        head = None
        if step is not None and active is not None:
            head = self.cell_grid().neighbour(active, *step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._difference is not None:
            head = self._difference.farthest
        if head is None:
            event.ignore()
        else:
            self.head_chosen.emit(*head)
