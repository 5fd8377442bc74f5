"""`LabelledSide`: the labels of the rows or of the columns of a heatmap, level or slanted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF, QRegion, QTransform

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.views.kit.cached_picture import FrameTexts
from bertviz_app.views.kit.labels import Labels

_APART = 1.4  # pixels from the cells: their outline is one wide, and clips are rounded to the screen's pixels
_OVER = 3.0  # pixels that letters may reach out of the room of their label
_WHOLE = 4  # pixels that are whole ones of a screen with 1.25, 1.5, 1.75 or 2 for each
MARGIN = 8.0
"""The room between the edge of a drawing and the labels of its rows."""


@dataclass(frozen=True, eq=False)
class LabelledSide:
    """Labels along `axis`, each of which has `room` pixels of it.

    A label is written into `box` about its origin, by which it is turned by `slant` degrees. `reach`: the
    pixels across the axis, from and to, in which there are labels and nothing else.
    """

    labels: Labels
    axis: Axis
    room: float
    box: QRectF
    align: Qt.AlignmentFlag
    slant: float
    is_row: bool
    offset: float
    across: float
    reach: tuple[float, float]

    def labelled(self, first: frozenset[int] = frozenset()) -> list[int]:
        """Return the numbers of the labels that have room; those in `first` get it before the others."""
        return self.axis.joined(self.without_marks, first, self.room) if first else self.without_marks

    @cached_property
    def without_marks(self) -> list[int]:
        """The numbers of the labels that are written where none is marked."""
        return self.axis.labelled(self.room, self.labels.first)

    def origin(self, number: int) -> QPointF:
        """Return the point about which a label is turned."""
        along = (
            self.axis.middle(number) if self.is_row or self.slant else self.axis.edge(number)
        ) + self.offset
        return QPointF(self.across, along) if self.is_row else QPointF(along, self.across)

    def changed(self, first: frozenset[int]) -> frozenset[int]:
        """Return the labels that are left out, or are drawn highlighted, where those in `first` get room."""
        return (frozenset(self.labelled()) - frozenset(self.labelled(first))) | first

    def beside(self, numbers: frozenset[int], first: frozenset[int]) -> list[int]:
        """Return the labels that may reach into the region of one of `numbers`; `first` as in `labelled`."""
        apart = (2 * self.room + 2 * (_OVER + _WHOLE)) / self.axis.pitch + 1 if numbers else 0.0
        return [
            label
            for label in (self.labelled(first) if numbers else ())
            if any(abs(label - number) <= apart for number in numbers)
        ]

    def region(self, number: int) -> QRegion:
        """Return the pixels that a label may cover, with a small margin."""
        start, end = self.reach
        if self.is_row:
            middle, half = self.axis.middle(number), self.room / 2 + _OVER
            top, bottom = _whole(middle - half, middle + half)
            return _pixels(QRectF(start, top, end - start, bottom - top))
        if not self.slant:
            left = self.axis.edge(number) - _OVER
            return _pixels(QRectF(left, start, self.axis.pitch + 2 * _OVER, end - start))
        half = self.room / 2 + _OVER / math.sin(math.radians(self.slant))
        lean = 1 / math.tan(math.radians(self.slant))
        centre = self.origin(number) + self._turned.map(QPointF(0, self.box.center().y()))
        above, below = (QPointF(centre.x() + (centre.y() - y) * lean, y) for y in (start, end))
        away = QPointF(half, 0)
        return QRegion(QPolygonF([below - away, below + away, above + away, above - away]).toPolygon())

    @cached_property
    def _turned(self) -> QTransform:
        return QTransform().rotate(-self.slant)

    @cached_property
    def _covered(self) -> QRectF:
        """What a label may cover about its origin: letters reach a little out of their box."""
        reach = self.box.height() / 2
        return self._turned.mapRect(self.box.adjusted(-reach, -reach, reach, reach))

    def draw(self, texts: FrameTexts, numbers: Iterable[int], marked: frozenset[int]) -> None:
        """Write these labels, those `marked` highlighted."""
        size = round(self.box.width()), round(10 * self.box.height()), self.slant
        texts.draw(
            self._covered,
            [
                (
                    self.origin(number),
                    (self.labels.appearance(number), size, number in marked),
                    partial(self._draw, number, number in marked),
                )
                for number in numbers
            ],
        )

    def _draw(self, number: int, is_highlighted: bool, painter: QPainter) -> None:
        painter.rotate(-self.slant)
        self.labels.draw(
            painter, number, self.box, self.align, is_highlighted=is_highlighted, slant=self.slant
        )


def _whole(start: float, end: float) -> tuple[int, int]:
    """Return a stretch around another one whose ends are no fractions of the screen's pixels.

    Letters that end in between would be drawn twice in the pixels that are cut.
    """
    return math.floor(start / _WHOLE) * _WHOLE, math.ceil(end / _WHOLE) * _WHOLE


def _pixels(part: QRectF) -> QRegion:
    return QRegion(part.toAlignedRect())


def row_side(labels: Labels, axis: Axis, plot: QRectF) -> LabelledSide:
    """Return the labels of rows, which stand left of `plot`."""
    height = labels.height_for(axis.pitch)
    box = QRectF(0, 0, plot.left() - MARGIN - 8, height)
    return LabelledSide(
        labels=labels,
        axis=axis,
        room=height,
        box=box,
        align=Qt.AlignmentFlag.AlignRight,
        slant=0.0,
        is_row=True,
        offset=-height / 2,
        across=MARGIN,
        reach=(0.0, math.floor(plot.left() - _APART)),
    )


@dataclass(frozen=True)
class Heading:
    """Labels of columns, at a `share` of their usual size: their slant, and the height that they need."""

    slant: float
    share: float
    height: float


def column_side(
    labels: Labels, axis: Axis, plot: QRectF, heading: Heading, room: float, longest: float
) -> LabelledSide:
    """Return the labels of columns above `plot`: level ones in the middle of their columns, or slanted."""
    height, slant, bottom = labels.height * heading.share, heading.slant, plot.top() - 6
    lean = math.cos(math.radians(slant))
    if slant:
        box = QRectF(0, -height * (0.5 + 0.17 * lean), longest, height)
    else:
        box = QRectF(0, 0, axis.pitch - 4, height)
    return LabelledSide(
        labels=labels,
        axis=axis,
        room=room,
        box=box,
        align=Qt.AlignmentFlag.AlignLeft if slant else Qt.AlignmentFlag.AlignHCenter,
        slant=slant,
        is_row=False,
        offset=-height * 0.14 * lean if slant else 2.0,
        across=bottom if slant else bottom - height,
        reach=(0.0, math.floor(plot.top() - _APART)),
    )
