"""`BarsPlot`: one vector as bars from zero; `VectorPlot`: the vector that stands for a text."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFocusEvent, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bertviz_app.viewmodels.viewport import FEWEST, PixelAxis
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed, signed
from bertviz_app.views.plots.axes import NumberAxis, Strip
from bertviz_app.views.plots.cells import CellsPlot
from bertviz_app.views.plots.items import SignedBars
from bertviz_app.views.plots.plot import Box, Plot
from bertviz_app.views.vectors.choice import SegmentedChoice

_WIDTH = 0.62  # of a bar, of the distance to the next one; its outline adds a pixel
_RIGHT = 6.0
_WIDEST = "−0.000"
_NO_STRINGS: list[str] = []


class BarsPlot(Plot):
    """The numbers [D] of one vector, a bar each; what is not a number has none.

    `dimension_pointed` has the dimension under the pointer or that the arrow keys have come to, -1 for none;
    Home and End go to the first and the last. `has_numbers`: of the dimensions, below the bars.
    """

    walks = True

    dimension_pointed = Signal(int)

    def __init__(self, look: Look, *, has_numbers: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.values: NDArray[np.float32] = np.zeros(0, np.float32)
        self._title = ""
        self._mark: int | None = None
        self.box = Box(self)
        self.box.setMouseEnabled(y=False)
        self.left = _SignedAxis(self, self.box, "left")
        self.bottom = NumberAxis(self, self.box, "bottom", is_of_cells=True)
        self.item = self.plot_around(self.box, left=self.left, bottom=self.bottom)
        self.item.showAxis("bottom", has_numbers)
        self.title = Strip(self, self.box, self._draw_title, is_of_rows=False)
        self.ci.addItem(self.title, 0, 0)
        self.ci.addItem(self.item, 1, 0)
        self.zero = pg.InfiniteLine(0, angle=0)
        self.bars = SignedBars(_WIDTH)
        self.mark_line = pg.InfiniteLine(0, angle=90)
        self.mark_line.hide()
        for part in (self.zero, self.bars, self.mark_line):
            self.item.addItem(part, ignoreBounds=True)
        self.left.setGrid(255)
        self.left.setZValue(-1)  # its lines go across the plot, below the bars
        self.pointed.connect(self._on_pointed)
        self.walked.connect(lambda _, across: self._walk(across))
        self.let_go.connect(lambda: self._point(None, None))
        self.setMinimumHeight(56)
        self._has_numbers = has_numbers
        self._is_aligned = False
        self.left.is_blank = self.bottom.is_blank = True
        self.recolour()

    # what is shown

    def show_vector(self, values: NDArray[np.float32], title: str = "") -> None:
        """Show another vector [D]; the zoom stays where its size does."""
        is_same_size = len(values) == len(self.values)
        self.values, self._title = values, title
        there = values[np.isfinite(values)]
        if len(there):
            ends = (fixed(float(end)) for end in (there.min(), there.max()))
            described = self.tr("{0}: {1} values, from {2} to {3}")
            self.setAccessibleDescription(described.format(title, len(values), *ends))
        top = self.top_value
        part = self.box.viewRange()[0]
        self.box.set_whole(QRectF(0, -top, max(1, len(values)), 2 * top), FEWEST, shows_all=not is_same_size)
        self.box.setLimits(minYRange=2 * top)
        if is_same_size:
            self.box.show_part(QRectF(part[0], -top, part[1] - part[0], 2 * top))
        self._show_bars()
        self.left.is_blank = self.bottom.is_blank = not len(values)
        self.title.update()

    @property
    def top_value(self) -> float:
        """The value at the upper edge; its negative is at the lower one."""
        there = np.abs(self.values[np.isfinite(self.values)])
        return float(there.max(initial=0.0)) * 1.05 or 1.0

    def _show_bars(self) -> None:
        """Of what is 0 there is no bar; of all else something is seen, if only its outline of a pixel."""
        at = np.flatnonzero(np.isfinite(self.values) & (self.values != 0))
        middles, heights = (np.asarray(each, np.float64) for each in (at + 0.5, self.values[at]))
        ends = self.look.palette.differences
        self.bars.show_bars(middles, heights, (QColor(ends[0]), QColor(ends[-1])))

    def align_with(self, cells: CellsPlot) -> None:
        """Stand below `cells` in step with its columns: one zoom, and each bar below its column."""
        self._is_aligned = True
        self.box.setXLink(cells.box)
        cells.box.geometryChanged.connect(lambda: self._align(cells))
        cells.box.sigResized.connect(lambda *_: self._align(cells))

    def _align(self, cells: CellsPlot) -> None:
        geometry = cells.box.geometry()
        self.left.setWidth(geometry.left())
        self.ci.layout.setContentsMargins(0, 0, max(0.0, cells.width() - geometry.right()), 0)
        self.lay_out()

    # marks and the read-out

    def mark(self, dimension: int | None) -> None:
        """Mark a dimension that is pointed at elsewhere."""
        if dimension != self._mark:
            self._mark = dimension
            self.mark_line.setVisible(dimension is not None)
            if dimension is not None:
                self.mark_line.setValue(dimension + 0.5)

    def dimension_at(self, at: QPointF) -> int | None:
        """Return the dimension under a point of the plot; a vector may be shorter than the axis."""
        if not self.box.sceneBoundingRect().contains(at):
            return None
        dimension = math.floor(self.box.mapSceneToView(at).x())
        return dimension if 0 <= dimension < len(self.values) else None

    @Slot(object)
    def _on_pointed(self, at: QPointF | None) -> None:
        self._point(None if at is None else self.dimension_at(at), at)

    def _point(self, dimension: int | None, at: QPointF | None) -> None:
        """Mark a dimension and write its value beside a point; None: nothing is pointed at."""
        self.mark(dimension)
        if dimension is None or at is None:
            self.read_out.hide_lines()
        else:
            title = self.tr("dimension {0}").format(dimension)
            self.read_out.show_lines((title, signed(float(self.values[dimension]), 6)), at)
        self.dimension_pointed.emit(-1 if dimension is None else dimension)

    # keys

    def press(self, event: QKeyEvent) -> bool:
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: len(self.values) - 1}
        if Qt.Key(event.key()) in ends and len(self.values):
            self._go_to(ends[Qt.Key(event.key())])
            return True
        return super().press(event)

    def _walk(self, across: int) -> None:
        last = len(self.values) - 1
        if across and last >= 0:
            first = 0 if across > 0 else last
            self._go_to(first if self._mark is None else min(max(self._mark + across, 0), last))

    def _go_to(self, dimension: int) -> None:
        """Read out a dimension, and bring it into sight."""
        first, end = self.box.viewRange()[0]
        if not first <= dimension < end - 1:
            self.box.translateBy(x=dimension + 0.5 - (first + end) / 2)
        at = QPointF(self.box.mapViewToScene(QPointF(dimension + 0.5, 0.0)))
        self._point(dimension, at)

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Read out no dimension any more."""
        super().focusOutEvent(event)
        self._point(None, None)

    # looks

    def _draw_title(self, painter: QPainter, _: PixelAxis, room: QRectF) -> None:
        if not self._title:
            return
        painter.setFont(self.look.font(12))
        painter.setPen(self.look.colour("secondary"))
        box = room.adjusted(self.left.width(), 0, 0, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._title)

    def recolour(self) -> None:
        look = self.look
        height = QFontMetricsF(look.font(12)).height() + 4
        self.title.set_thickness(_RIGHT if self._has_numbers else math.ceil(height))
        if self._has_numbers:
            self.ci.layout.setContentsMargins(0, 0, _RIGHT, 0)
        self.zero.setPen(pg.mkPen(look.colour("secondary")))
        self.mark_line.setPen(pg.mkPen(look.colour("text")))
        if not self._is_aligned:
            self.left.fit_numbers(_WIDEST)
        self._show_bars()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, 110)


class _SignedAxis(NumberAxis):
    """Numbers above zero have a sign, too."""

    @guarded(default=_NO_STRINGS)
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        texts = super().tickStrings(values, scale, spacing)
        return [f"+{text}" if value > 0 else text for value, text in zip(values, texts, strict=True)]


class VectorPlot(QWidget):
    """The bars of one vector [D], and which vector it is: `kinds` is hidden where there is one alone."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars = BarsPlot(look, has_numbers=True)
        self.kinds = SegmentedChoice(("pooled", "sentence"))
        self.kinds.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 8, 4, 6)
        column.addWidget(self.kinds, 0, Qt.AlignmentFlag.AlignRight)
        column.addWidget(self.bars, 1)
        self.retranslate()

    def retranslate(self) -> None:
        self.bars.setAccessibleName(self.tr("Values of the vector, one bar each"))
        pooled = self.tr("The pooler's output, or else the last hidden state of [CLS]")
        sentence = self.tr("The sentence vector, as sentence-transformers computes it")
        texts = {
            "pooled": (self.tr("Pooled"), pooled),
            "sentence": (self.tr("Sentence"), sentence),
        }
        self.kinds.set_choices(texts, self.tr("Which vector is shown"))

    def offer_sentence(self, is_offered: bool, chosen: str) -> None:
        """Let the user choose the sentence vector, where there is one; `chosen` is what is shown."""
        self.kinds.setVisible(is_offered)
        self.kinds.choose(chosen)

    def show_values(self, values: NDArray[np.float32]) -> None:
        """Show another vector [D]; the zoom stays where the size does."""
        self.bars.show_vector(values)
        there = values[np.isfinite(values)]
        ends = (fixed(float(end)) for end in (there.min(initial=0.0), there.max(initial=0.0)))
        if len(there):
            ends = (fixed(float(end)) for end in (there.min(), there.max()))
        described = self.tr("{0} values, from {1} to {2}").format(len(values), *ends)
        for widget in (self, self.bars):
            widget.setAccessibleDescription(described)

    def set_stale(self, is_stale: bool) -> None:
        self.bars.set_stale(is_stale)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(180, 90)
