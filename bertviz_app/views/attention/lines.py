"""The lines: queries on the left, keys on the right, a curve for each weight of one or several heads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.line_under import line_under
from bertviz_app.views.attention.lines_image import Brush, LinesImage, Strands, brush_for, gathered, least_of
from bertviz_app.views.attention.lines_values import BLOCK, draw_values, draw_weights, widest_number
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look

_MARGIN = 12.0
_LONGEST_PITCH = 56.0
_WIDEST_LABEL = 130.0
_BEHIND = 0.2
_MOST_HIGHLIGHTED = 200  # of a highlighted token's lines the strongest: a frame has time for no more

Weights = NDArray[np.float32]


class LinesView(HeadView):
    """Width and opacity of a line follow its weight, relative to the largest of the heads shown.

    The lines lie in a cached image; a highlighted token's own lines are drawn over it.
    """

    def __init__(
        self,
        look: Look,
        selection: Selection,
        viewport: Viewport,
        options: Options | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, selection, viewport, options, parent)
        self._image: LinesImage | None = None
        self._others: tuple[HeadPicture, ...] = ()
        self.pictures: tuple[HeadPicture, ...] = ()
        self._gathered: tuple[float, Strands] | None = None  # with the threshold they were gathered for
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._draw_more)
        self.setAccessibleName(self.tr("Attention lines: queries on the left, keys on the right"))

    def show_heads(self, pictures: tuple[HeadPicture, ...]) -> None:
        """Show several heads of one layer."""
        if pictures != self._others:
            self._others = pictures
            self._choose()
            self.rebuild()
            self.update()

    def show_picture(self, picture: HeadPicture) -> None:
        """Show the picture of a head."""
        super().show_picture(picture)
        self._choose()

    def _choose(self) -> None:
        """Draw those heads of `show_heads` that are of the same run and layer as the one in front."""
        picture = self.picture
        if picture is not None:
            same = tuple(other for other in self._others if _is_beside(other, picture))
            self.pictures = same if picture in same else (picture,)
        self._gathered = None

    def rebuild(self) -> None:
        """Compute the layout again."""
        super().rebuild()
        self._image = None
        self._timer.stop()

    @property
    def is_complete(self) -> bool:
        """Whether every line is in the image."""
        return self._image is not None and self._image.is_complete

    def complete(self) -> None:
        """Draw all lines now; for pictures that are saved."""
        image = self._started_image()
        while image is not None and not image.is_complete:
            image.draw_slice()

    # geometry

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of queries and keys."""
        room = self.height() - 2 * _MARGIN
        queries, keys = self.spans()
        # Zoomed in, the stretch in sight fills the height: beside it lines would end at no label.
        longest = self.look.pixels(_LONGEST_PITCH) if self.viewport.is_whole else room
        return fitted(queries, _MARGIN, room, longest), fitted(keys, _MARGIN, room, longest)

    def ends(self) -> tuple[float, float]:
        """Return where lines begin and end: the inner edges of the two columns of labels.

        The lines keep a third of the width; where that leaves no room for weights beside the
        labels, labels are shortened while weights are shown.
        """
        longest = self.look.pixels(_WIDEST_LABEL)
        widest = max(labels.widest(longest) for labels in self.labels)
        side = _MARGIN + widest + self._number_room() + 8
        side = min(side, self.width() / 3)
        return side, self.width() - side

    def pair_at(self, at: QPointF) -> Pair:
        """Return the query, the key or the line under a point."""
        queries, keys = self.axes()
        left, right = self.ends()
        if at.x() <= left + 12:
            return Pair(query=queries.token(at.y()))
        if at.x() >= right - 12:
            return Pair(key=keys.token(at.y()))
        return line_under(self._strands(), self._brush(), at.x(), at.y())

    def position(self, at: QPointF) -> tuple[float, float]:
        """Return the position of a point on both axes."""
        queries, keys = self.axes()
        return queries.place(at.y()), keys.place(at.y())

    def _number_room(self) -> float:
        """Return the room for what is written beside a label: a weight, or a block for each head."""
        widest = "0.00" if self.picture is None else widest_number(self.picture)
        number = QFontMetricsF(self.look.number_font(11)).horizontalAdvance(widest) + 8
        return max(number, BLOCK * len(self.pictures) + 6) if len(self.pictures) > 1 else number

    def _clip(self) -> QRectF:
        return QRectF(0, _MARGIN - 4, self.width(), self.height() - 2 * _MARGIN + 8)

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self.picture is None:
            return
        shown, opacity = self.shown, painter.opacity()
        of_queries, of_keys = _highlighted_weights(self.pictures, shown)
        painter.setOpacity(opacity * (_BEHIND if shown else 1.0))
        image = None if self.draws_vectors else self._started_image()
        if image is None:
            painter.save()
            painter.setClipRect(self._clip(), Qt.ClipOperation.IntersectClip)
            self._brush().draw(painter, self._strands(), len(self._strands()), is_exact=True)
            painter.restore()
        else:
            painter.drawImage(QPointF(0, 0), image.image)
        painter.setOpacity(opacity)
        if shown:
            self._draw_highlighted(painter, shown, of_queries or of_keys)
        elif self.options.value.writes_weights:
            draw_values(painter, self.look, self._strands(), self._brush(), self._clip())
        queries, keys = self.axes()
        left, right = self.ends()
        self._draw_column(painter, queries, of_queries, left, is_left=True)
        self._draw_column(painter, keys, of_keys, right, is_left=False)

    def _draw_highlighted(self, painter: QPainter, shown: Pair, of_heads: list[Weights]) -> None:
        """Draw the lines of the highlighted query, or of the highlighted key, in full colour."""
        largest, brush = max(picture.full for picture in self.pictures), self._brush()
        weights = np.nan_to_num(np.array(of_heads))  # [heads, tokens at the other end]
        least = least_of(self.pictures, self.options.value.threshold)
        heads, others = np.nonzero(np.abs(weights) >= least)
        order = np.argsort(np.abs(weights[heads, others]), kind="stable")[-_MOST_HIGHLIGHTED:]
        n_heads, is_signed = len(self.pictures), self.pictures[0].is_signed
        apart = min(2.0, 0.7 * brush.queries.pitch / n_heads)  # so that several heads' lines part
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.save()
        painter.setClipRect(self._clip(), Qt.ClipOperation.IntersectClip)
        for head, other in zip(heads[order].tolist(), others[order].tolist(), strict=True):
            # The highlighted token is at one end of every line: the query unless only a key is highlighted.
            query, key = (other, shown.key) if shown.query is None else (shown.query, other)
            assert key is not None
            weight = float(weights[head, other])
            share, is_both = abs(weight) / largest, (query, key) == (shown.query, shown.key)
            paint = int(weight > 0) if is_signed else head
            painter.setPen(_highlighted_pen(brush, paint, share, is_alone=n_heads == 1, is_both=is_both))
            painter.drawPath(brush.curve(query, key, (head - (n_heads - 1) / 2) * apart))
        painter.restore()

    def _draw_column(
        self, painter: QPainter, axis: Axis, weights: list[Weights], edge: float, *, is_left: bool
    ) -> None:
        """Write one column of labels, with weights beside them where a token of the other is highlighted."""
        labels = self.labels[0 if is_left else 1]
        height = labels.height_for(axis.pitch)
        highlighted = self.shown.query if is_left else self.shown.key
        first = frozenset() if highlighted is None else frozenset({highlighted})
        room = (edge if is_left else self.width() - edge) - _MARGIN - 8
        align = Qt.AlignmentFlag.AlignRight if is_left else Qt.AlignmentFlag.AlignLeft
        largest = max(picture.full for picture in self.pictures)
        written_from = 0.5 * 10 ** -self.pictures[0].digits  # less is a zero in so many digits
        for place in axis.labelled(height, first):
            left = _MARGIN if is_left else edge + 8
            label = QRectF(left, axis.middle(place) - height / 2, room, height)
            here = [float(of_head[place]) for of_head in weights]
            if any(abs(weight) >= written_from for weight in here):
                draw_weights(painter, self.look, label, (here, largest), self._brush(), is_left=is_left)
                number = self._number_room()
                label = label.adjusted(number, 0, 0, 0) if is_left else label.adjusted(0, 0, -number, 0)
            labels.draw(painter, place, label, align, is_highlighted=place == highlighted)

    # the cached image

    def _strands(self) -> Strands:
        if self._image is not None:
            return self._image.lines
        threshold = self.options.value.threshold
        if self._gathered is None or self._gathered[0] != threshold:
            self._gathered = threshold, gathered(self.pictures, threshold)
        return self._gathered[1].in_sight(*self.spans())

    def _brush(self) -> Brush:
        return brush_for(self.look, self.pictures, self.axes(), self.ends())

    def _started_image(self) -> LinesImage | None:
        if self._image is None and self.picture is not None:
            size, ratio = (self.width(), self.height()), self.devicePixelRatioF()
            self._image = LinesImage(size, ratio, self._clip(), self._strands(), self._brush())
            self._image.draw_slice()
            if not self._image.is_complete:
                self._timer.start()
        return self._image

    @Slot()
    @guarded
    def _draw_more(self) -> None:
        if self._image is None or self._image.is_complete:
            self._timer.stop()
            return
        self._image.draw_slice()
        self.update()


def _highlighted_weights(
    pictures: tuple[HeadPicture, ...], shown: Pair
) -> tuple[list[Weights], list[Weights]]:
    """Return each head's weights to write beside the queries (a key is highlighted) and the keys."""
    if shown.query is not None:
        return [], [picture.source.row(shown.query) for picture in pictures]
    if shown.key is not None:
        return [picture.source.column(shown.key) for picture in pictures], []
    return [], []


def _highlighted_pen(brush: Brush, paint: int, share: float, *, is_alone: bool, is_both: bool) -> QPen:
    """Return the pen of a highlighted line: among several heads only the strong ones stand out."""
    width = (0.8 + 3.2 * share if is_alone else 0.6 + 2.0 * share) + (1.5 if is_both else 0)
    return brush.pen(paint, 0.25 + 0.75 * share if is_alone else 0.05 + 0.95 * share, width)


def _is_beside(other: HeadPicture, picture: HeadPicture) -> bool:
    """Return whether two pictures are of heads of one layer of one run, read alike."""
    return (
        other.trace is picture.trace
        and other.layer == picture.layer
        and other.is_difference == picture.is_difference
        and other.quantity == picture.quantity
        and other.options.makes_picture == picture.options.makes_picture
    )
