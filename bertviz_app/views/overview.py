"""The overview: every head of every layer as one image; click a head to show it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.trace.pooling import area_maximum, quantised
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.guard import Canvas, guarded
from bertviz_app.views.look import Look

_SMALLEST = 20
_LARGEST = 120
_GAP = 3


class OverviewView(Canvas):
    """A grid of thumbnails, layers down and heads across, each as bright as its own largest weight."""

    head_chosen = Signal(int, int)
    head_added = Signal(int, int)

    def __init__(self, look: Look, panels: Panels, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._panels = panels
        self._overview: HeadOverview | None = None
        self._atlas: QImage | None = None
        self._hovered: tuple[int, int] | None = None
        self.is_per_head = True
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Overview of all heads"))
        panels.changed.connect(self.update)

    def show_overview(self, overview: HeadOverview) -> None:
        """Show the heads of another result."""
        self._overview = overview
        self._hovered = None
        self._rebuild()
        self.updateGeometry()

    def set_per_head(self, is_per_head: bool) -> None:
        """Scale each head to its own largest weight, or all alike to a weight of 1."""
        self.is_per_head = is_per_head
        self._rebuild()

    @property
    def grid(self) -> tuple[int, int]:
        """(layers, heads) of what is shown; (0, 0) before there is anything."""
        if self._overview is None:
            return (0, 0)
        return self._overview.pictures.shape[0], self._overview.pictures.shape[1]

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        n_layers, n_heads = self.grid
        return (
            round(self._top() + n_layers * (self._tile_for(width, n_heads) + _GAP) + 4) if n_layers else 120
        )

    def sizeHint(self) -> QSize:
        return QSize(360, self.heightForWidth(360))

    def minimumSizeHint(self) -> QSize:
        n_layers, n_heads = self.grid
        step = _SMALLEST + _GAP
        return QSize(int(self._left()) + n_heads * step + 4, int(self._top()) + n_layers * step + 4)

    # drawing

    def draw(self, painter: QPainter) -> None:
        if self._atlas is None:
            return
        corner = QPointF(self._left(), self._top())
        painter.drawImage(corner, self._atlas)
        self._draw_numbers(painter)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for panel in self._panels.panels:
            is_active = panel == self._panels.active
            painter.setPen(
                QPen(self.look.colour("accent", 1.0 if is_active else 0.6), 2 if is_active else 1.5)
            )
            painter.drawRect(self.tile_rect(panel.layer, panel.head).adjusted(-1, -1, 1, 1))
        if self._hovered is not None:
            painter.setPen(QPen(self.look.colour("text"), 1))
            painter.drawRect(self.tile_rect(*self._hovered).adjusted(-1, -1, 1, 1))

    def _draw_numbers(self, painter: QPainter) -> None:
        n_layers, n_heads = self.grid
        painter.setFont(self.look.font(12))
        current = self._hovered or self._active()
        for head in range(n_heads):
            box = self.tile_rect(0, head)
            painter.setPen(self._number_colour(current is not None and current[1] == head))
            painter.drawText(
                QRectF(box.left(), 0, box.width(), self._top() - 4), Qt.AlignmentFlag.AlignCenter, str(head)
            )
        for layer in range(n_layers):
            box = self.tile_rect(layer, 0)
            painter.setPen(self._number_colour(current is not None and current[0] == layer))
            side = QRectF(0, box.top(), self._left() - 7, box.height())
            painter.drawText(side, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(layer))

    def _number_colour(self, is_current: bool) -> QColor:
        return self.look.colour("accent" if is_current else "secondary")

    def read_out(self, layer: int, head: int) -> str:
        """Return the name of a head and its measures, for the tooltip."""
        assert self._overview is not None
        values = {name: float(array[layer, head]) for name, array in self._overview.measures.items()}
        lines = (
            "<b>" + self.tr("Layer {0} · Head {1}").format(layer, head) + "</b>",
            self.tr("entropy {0:.2f} bits").format(values["entropy"]),
            self.tr("largest weight {0:.2f} (mean over rows)").format(values["largest"]),
            self.tr("previous token {0:.2f}, next token {1:.2f}").format(values["previous"], values["next"]),
            self.tr("[CLS] {0:.2f}, [SEP] {1:.2f}").format(values["first"], values["separator"]),
        )
        return "<br>".join(lines)

    def _rebuild(self) -> None:
        if self._overview is not None:
            ratio = self.devicePixelRatioF()
            side = max(1, round(self._tile() * ratio))
            gap = round(_GAP * ratio)
            levels = _tiles(self._overview.pictures, side, per_head=self.is_per_head)
            self._atlas = _image(_atlas(levels, side, gap), self.look, ratio)
        self.update()

    # geometry

    def _left(self) -> float:
        return self.look.pixels(30)

    def _top(self) -> float:
        return self.look.pixels(24)

    def _tile_for(self, width: float, n_heads: int) -> float:
        room = (width - self._left() - 2) / max(1, n_heads) - _GAP
        return min(max(_SMALLEST, int(room)), _LARGEST)

    def _tile(self) -> float:
        n_layers, n_heads = self.grid
        by_height = int((self.height() - self._top()) / max(1, n_layers)) - _GAP
        return max(_SMALLEST, min(self._tile_for(self.width(), n_heads), by_height))

    def tile_rect(self, layer: int, head: int) -> QRectF:
        """Return where the thumbnail of a head lies, in the coordinates of the widget."""
        side = self._tile()
        step = side + _GAP
        return QRectF(self._left() + head * step, self._top() + layer * step, side, side)

    def _head_at(self, at: QPointF) -> tuple[int, int] | None:
        step = self._tile() + _GAP
        head, layer = int((at.x() - self._left()) // step), int((at.y() - self._top()) // step)
        n_layers, n_heads = self.grid
        return (layer, head) if 0 <= layer < n_layers and 0 <= head < n_heads else None

    def _active(self) -> tuple[int, int] | None:
        active = self._panels.active
        return None if active is None else (active.layer, active.head)

    # gestures

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._head_at(event.position())
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
        at = self._head_at(event.position())
        if at is not None:
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
            self._panels.walk(*step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and active is not None:
            self.head_added.emit(*active)
        else:
            event.ignore()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._rebuild()

    @Slot()
    def _on_look_changed(self) -> None:
        self._rebuild()
        super()._on_look_changed()


def _tiles(pictures: NDArray[np.float32], side: int, *, per_head: bool) -> NDArray[np.uint8]:
    """Return uint8 [L, H, side, side]: the pictures made smaller by maxima, or larger by repeating."""
    block = -(-pictures.shape[-1] // side)
    levels = quantised(area_maximum(pictures, block), per_head=per_head)
    places = np.arange(side) * levels.shape[-1] // side
    return levels[:, :, places[:, None], places]


def _atlas(tiles: NDArray[np.uint8], side: int, gap: int) -> NDArray[np.int16]:
    """Return all tiles in one picture, -1 in the gaps between them."""
    n_layers, n_heads = tiles.shape[:2]
    step = side + gap
    atlas = np.full((n_layers * step - gap, n_heads * step - gap), -1, np.int16)
    for layer in range(n_layers):
        for head in range(n_heads):
            top, left = layer * step, head * step
            atlas[top : top + side, left : left + side] = tiles[layer, head]
    return atlas


def _image(atlas: NDArray[np.int16], look: Look, ratio: float) -> QImage:
    colours = np.append(look.weights, np.uint32(look.colour("rule").rgb()))
    # The zero of the light map is the card's own white: thumbnails need an edge to be seen.
    pixels = np.ascontiguousarray(colours[atlas], np.uint32)
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32).copy()
    image.setDevicePixelRatio(ratio)
    return image
