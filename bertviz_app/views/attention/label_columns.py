"""The two columns of labels of the lines view, with weights beside those at the other end of a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.views.attention.highlighted_lines import Highlight, Weights
from bertviz_app.views.attention.lines_image import Brush
from bertviz_app.views.attention.lines_values import RowWeights, draw_weights
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look

MARGIN = 12.0
GAP = 8.0
"""Between a label and the lines."""
_BESIDE = 6.0
"""How far what is drawn of a row reaches to its left and right: the tint of a weight, a bold letter."""


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """One column: `room` pixels from `left` on for its labels, `number_room` of them for a weight."""

    axis: Axis
    labels: Labels
    left: float
    room: float
    number_room: float
    is_left: bool
    height: float
    labelled: tuple[int, ...]
    """The tokens that have a label while none of this column is highlighted."""

    def tokens(self, highlighted: int | None) -> list[int]:
        """Return the tokens that have a label; the highlighted one pushes its neighbours out."""
        if highlighted is None or not self.axis.shows(highlighted):
            return list(self.labelled)
        return [*self.axis.beside(self.labelled, highlighted, self.height), highlighted]

    def rows(self, height: float) -> QRectF:
        """Return where all rows lie in a view of this height."""
        return QRectF(self.left, 0, self.room, height)

    def box(self, token: int) -> QRectF:
        """Return the row of a token."""
        return self._boxes.get(token) or self._box(token)

    def inked(self, token: int) -> QRectF:
        """Return where the letters of a token lie: they may be higher than a low row."""
        around = 2 + self.height / 2
        return self.box(token).adjusted(0, -around, 0, around)

    def reach(self, token: int) -> QRectF:
        """Return what all that is drawn of a token lies in."""
        return self.inked(token).adjusted(-_BESIDE, 0, _BESIDE, 0)

    def narrowed(self, box: QRectF) -> QRectF:
        """Return what a weight leaves of a row for the label."""
        if self.is_left:
            return box.adjusted(self.number_room, 0, 0, 0)
        return box.adjusted(0, 0, -self.number_room, 0)

    @cached_property  # all of them are read in each frame
    def _boxes(self) -> dict[int, QRectF]:
        return {token: self._box(token) for token in self.labelled}

    def _box(self, token: int) -> QRectF:
        return QRectF(self.left, self.axis.middle(token) - self.height / 2, self.room, self.height)


class LabelColumns:
    """Both columns at one size of the view; made anew when that, the look or the texts change."""

    def __init__(
        self,
        look: Look,
        labels: tuple[Labels, Labels],
        brush: Brush,
        width: float,
        number_room: float,
    ) -> None:
        self.look = look
        self._brush = brush
        left = _column(brush.queries, labels[0], (MARGIN, brush.left - GAP), number_room, is_left=True)
        right = _column(
            brush.keys, labels[1], (brush.right + GAP, width - MARGIN), number_room, is_left=False
        )
        self._columns = left, right

    @property
    def labelled(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The queries and the keys that have a label while none is highlighted."""
        left, right = self._columns
        return left.labelled, right.labelled

    def changes(self, before: Pair, now: Pair, height: float) -> list[QRect]:
        """Return what of a view of this height looks different where another pair is highlighted."""
        changed = []
        for column in self._columns:
            was, token = (pair.query if column.is_left else pair.key for pair in (before, now))
            if _has_weights(column, before) or _has_weights(column, now):
                changed.append(column.rows(height).adjusted(-_BESIDE, 0, _BESIDE, 0).toAlignedRect())
            elif was != token:
                tokens = {*column.tokens(was)} ^ {*column.tokens(token)} | {was, token}
                changed += [column.reach(other).toAlignedRect() for other in tokens if other is not None]
        return changed

    def draw(
        self, painter: QPainter, highlight: Highlight, pictures: Sequence[HeadPicture], canvas: Canvas
    ) -> None:
        """Draw the labels, and the weights of the highlighted token's lines, in rows of `canvas` to paint."""
        shown, largest = highlight.shown, max(picture.full for picture in pictures)
        written_from = 0.5 * 10 ** -pictures[0].digits  # less is a zero in so many digits
        sides = (shown.query, highlight.of_queries), (shown.key, highlight.of_keys)
        for column, (token, weights) in zip(self._columns, sides, strict=True):
            room, tokens = column.rows(canvas.height()), column.tokens(token)
            if not canvas.is_dirty(room):
                continue
            if not canvas.is_wholly_dirty(room):
                tokens = [position for position in tokens if canvas.is_dirty(column.inked(position))]
            boxes = {position: column.box(position) for position in tokens}
            rows = _rows_with_weights(boxes, weights, written_from)
            draw_weights(painter, self.look, rows, largest, self._brush, is_left=column.is_left)
            narrowed = {row.position: column.narrowed(row.box) for row in rows}
            column.labels.draw_all(
                painter,
                {**boxes, **narrowed},
                Qt.AlignmentFlag.AlignRight if column.is_left else Qt.AlignmentFlag.AlignLeft,
                highlighted=token,
            )


def _has_weights(column: LabelColumn, pair: Pair) -> bool:
    """Return whether weights are drawn in a column: beside the tokens at the other end of the lines."""
    return (pair.query is None and pair.key is not None) if column.is_left else pair.query is not None


def _column(
    axis: Axis, labels: Labels, between: tuple[float, float], number_room: float, *, is_left: bool
) -> LabelColumn:
    start, end = between
    height = labels.height_for(axis.pitch)
    labelled = tuple(axis.labelled(height, labels.first))
    return LabelColumn(axis, labels, start, end - start, number_room, is_left, height, labelled)


def _rows_with_weights(
    boxes: dict[int, QRectF], weights: list[Weights], written_from: float
) -> list[RowWeights]:
    if not weights or not boxes:
        return []
    of_rows = np.array([of_head[list(boxes)] for of_head in weights]).T  # [rows, heads]
    is_written = (np.abs(of_rows) >= written_from).any(axis=1)
    each = zip(boxes.items(), of_rows.tolist(), is_written.tolist(), strict=True)
    return [RowWeights(position, box, of_heads) for (position, box), of_heads, written in each if written]
