"""`HeatMarks`: what is marked on a heatmap of vectors, and which of its pixels change with that."""

from __future__ import annotations

from PySide6.QtCore import QMarginsF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QRegion

from bertviz_app.views.kit.heatmaps.heatmap import Heatmap, HeatmapLayout
from bertviz_app.views.kit.heatmaps.marked_labels import Marks
from bertviz_app.views.kit.look import Look

_REACH = QMarginsF(3, 3, 3, 3)  # of pens out of what they draw


class HeatMarks:
    """Rows and columns that are framed, one chosen row, and one marked column."""

    def __init__(self, look: Look, heatmap: Heatmap) -> None:
        self._look = look
        self._heatmap = heatmap
        self.framed: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        self.chosen_row: int | None = None
        self.marked_column: int | None = None
        self._drawn: tuple[Marks, int | None] = (Marks(), None)
        self._drawn_in: HeatmapLayout | None = None
        self._region = QRegion()

    @property
    def of_labels(self) -> Marks:
        """The marks that labels show, too."""
        rows, columns = self.framed
        return Marks(rows, columns, frozenset() if self.chosen_row is None else frozenset({self.chosen_row}))

    def moved(self, layout: HeatmapLayout) -> QRegion:
        """Return the pixels of the marks that there are now, and of those that there were before."""
        before = self._region
        if layout is not self._drawn_in:  # in another size those before lie elsewhere
            before = self._region_of(layout, *self._drawn)
        self._drawn, self._drawn_in = (self.of_labels, self.marked_column), layout
        self._region = self._region_of(layout, *self._drawn)
        return before + self._region

    def _region_of(self, layout: HeatmapLayout, marks: Marks, column: int | None) -> QRegion:
        """Return the pixels of marks; the labelled row of these is the chosen one."""
        region, plot = QRegion(self._heatmap.changes(marks)), layout.plot
        for row in marks.labelled:
            region += self._frame(layout, row).marginsAdded(_REACH).toAlignedRect()
        if column is not None:
            x = layout.columns.middle(column)
            region += QRectF(x, plot.top(), 0, plot.height()).marginsAdded(_REACH).toAlignedRect()
        return region

    def draw(self, painter: QPainter, layout: HeatmapLayout) -> None:
        """Draw the chosen row and the marked column, over the cells."""
        plot = layout.plot
        painter.save()
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2), Qt.ClipOperation.IntersectClip)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.chosen_row is not None:
            painter.setPen(QPen(self._look.colour("accent"), 2))
            painter.drawRect(self._frame(layout, self.chosen_row))
        if self.marked_column is not None:
            painter.setPen(QPen(self._look.colour("text"), 1))
            x = layout.columns.middle(self.marked_column)
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.restore()

    def _frame(self, layout: HeatmapLayout, row: int) -> QRectF:
        return QRectF(layout.plot.left(), layout.rows.edge(row), layout.plot.width(), layout.rows.pitch)
