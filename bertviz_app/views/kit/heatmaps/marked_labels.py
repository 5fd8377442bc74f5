"""`MarkedLabels`: the labels of a heatmap; a highlighted one may take the room of its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPixmap, QRegion

from bertviz_app.views.kit.cached_picture import CachedTexts
from bertviz_app.views.kit.heatmaps.labelled_side import LabelledSide
from bertviz_app.views.kit.look import Look

_INTERSECT = Qt.ClipOperation.IntersectClip


@dataclass(frozen=True)
class Marks:
    """The rows and columns that are framed, and rows of which the label alone is highlighted."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()
    labelled: frozenset[int] = frozenset()

    @property
    def labels(self) -> tuple[frozenset[int], frozenset[int]]:
        """The rows and the columns whose labels are highlighted."""
        return self.rows | self.labelled, self.columns


class MarkedLabels:
    """Draws the labels of rows and, unless these are dimensions, of columns."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._texts = CachedTexts(look)
        self._sides: Sequence[LabelledSide] = ()
        self._changed: tuple[Marks, QRegion] = (Marks(), QRegion())

    def show(self, sides: Sequence[LabelledSide]) -> None:
        """Draw the labels of `sides` from now on."""
        self._sides, self._changed = sides, (Marks(), QRegion())

    def rows(self, marks: Marks) -> list[int]:
        """Return the rows that have a label while `marks` are highlighted."""
        return self._sides[0].labelled(marks.labels[0])

    def columns(self, marks: Marks) -> list[int]:
        """Return the columns that have a label while `marks` are highlighted."""
        return self._sides[1].labelled(marks.labels[1])

    def changed(self, marks: Marks) -> QRegion:
        """Return the areas of the labels that highlights change or leave no room for."""
        if self._changed[0] != marks:
            region = QRegion()
            for side, marked in zip(self._sides, marks.labels, strict=False):
                for number in side.changed(marked):
                    region += side.region(number)
            self._changed = marks, region
        return self._changed[1]

    def draw(self, painter: QPainter, marks: Marks) -> None:
        """Write all labels, first the highlighted ones."""
        texts = self._texts.frame(painter)
        for side, marked in zip(self._sides, marks.labels, strict=False):
            side.draw(texts, side.labelled(marked), marked)

    def draw_over(self, painter: QPainter, picture: QPixmap, marks: Marks) -> None:
        """Draw an opaque picture with all labels that are not highlighted, and over it those that are."""
        painter.drawPixmap(QPointF(0, 0), picture)
        changed = self.changed(marks)
        if changed.isEmpty():
            return
        painter.save()
        # The picture is drawn whole first, not clipped to the rest: on screens with a fractional ratio both
        # clips would leave out a row of pixels between them.
        painter.setClipRegion(changed, _INTERSECT)
        opacity = painter.opacity()
        painter.setOpacity(1.0)
        painter.fillRect(changed.boundingRect(), self._look.colour("card"))
        painter.setOpacity(opacity)
        texts = self._texts.frame(painter)
        for side, marked in zip(self._sides, marks.labels, strict=False):
            side.draw(texts, side.beside(side.changed(marked), marked), marked)
        painter.restore()
