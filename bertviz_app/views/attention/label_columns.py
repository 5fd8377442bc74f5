"""The two columns of labels of the lines view, with weights beside those at the other end of a token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.views.attention.highlighted_lines import Highlight, Weights
from bertviz_app.views.attention.lines_image import Brush
from bertviz_app.views.attention.lines_values import RowWeights, draw_weights
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look

MARGIN = 12.0
GAP = 8.0
"""Between a label and the lines."""
_FAR = 1e5


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

    @property
    def bounds(self) -> QRectF:
        """All that is drawn of it lies in here; without limits above and below."""
        return QRectF(self.left, -_FAR, self.room, 2 * _FAR)

    def box(self, token: int) -> QRectF:
        """Return the row of a token."""
        return QRectF(self.left, self.axis.middle(token) - self.height / 2, self.room, self.height)

    def narrowed(self, box: QRectF) -> QRectF:
        """Return what a weight leaves of a row for the label."""
        if self.is_left:
            return box.adjusted(self.number_room, 0, 0, 0)
        return box.adjusted(0, 0, -self.number_room, 0)


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
        self._look = look
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

    def draw(
        self,
        painter: QPainter,
        highlight: Highlight,
        pictures: Sequence[HeadPicture],
        is_dirty: Callable[[QRectF], bool],
    ) -> None:
        """Draw the labels, and the weights of the highlighted token's lines, in each column that is dirty."""
        shown, largest = highlight.shown, max(picture.full for picture in pictures)
        written_from = 0.5 * 10 ** -pictures[0].digits  # less is a zero in so many digits
        sides = (shown.query, highlight.of_queries), (shown.key, highlight.of_keys)
        for column, (token, weights) in zip(self._columns, sides, strict=True):
            if not is_dirty(column.bounds):
                continue
            tokens = column.tokens(token)
            boxes = {position: column.box(position) for position in tokens}
            rows = _rows_with_weights(boxes, weights, written_from)
            draw_weights(painter, self._look, rows, largest, self._brush, is_left=column.is_left)
            narrowed = {row.position: column.narrowed(row.box) for row in rows}
            column.labels.draw_all(
                painter,
                {**boxes, **narrowed},
                Qt.AlignmentFlag.AlignRight if column.is_left else Qt.AlignmentFlag.AlignLeft,
                highlighted=token,
            )


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
    if not weights:
        return []
    here = {position: [float(of_head[position]) for of_head in weights] for position in boxes}
    return [
        RowWeights(position, boxes[position], of_heads)
        for position, of_heads in here.items()
        if any(abs(weight) >= written_from for weight in of_heads)
    ]
