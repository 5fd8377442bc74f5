"""The lines: queries on the left, keys on the right, a curve for each weight."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.pairs import attention_column, attention_row
from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.pictures import FAINTEST, HeadPicture
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.guard import guarded
from bertviz_app.views.head_view import HeadView
from bertviz_app.views.look import Look

_MARGIN = 12.0
_LONGEST_PITCH = 56.0
_WIDEST_LABEL = 130.0
_SLICE = 0.004
_BINS = 32
_AT_ONCE = 300
_CURVED_UP_TO = 1500
_UNSEEN = 1.5 / 255
_TRUE_COLOUR = 4 / 255  # fainter, the rounding of premultiplied colours turns blue into green
_SHIFTS = ((0.0,), (-0.5, 0.5), (-1.0, 0.0, 1.0))
_BEHIND = 0.2
_WRITTEN_FROM = 0.005


class LinesView(HeadView):
    """Width and opacity of a line follow its weight, relative to the head's largest.

    The lines lie in a cached image that is filled in slices of 4 ms, so that no frame waits for 20,000
    of them; a lit token's own lines are drawn over it.
    """

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, selection, viewport, parent)
        self._image: QImage | None = None
        self._drawn = 0
        self._visible: NDArray[np.intp] = np.zeros(0, np.intp)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._draw_more)
        self.setAccessibleName(self.tr("Attention lines: queries on the left, keys on the right"))

    def rebuild(self) -> None:
        super().rebuild()
        self._image = None
        self._timer.stop()

    @property
    def is_complete(self) -> bool:
        """Whether every line is in the image."""
        return self._image is not None and self._drawn >= len(self._visible)

    def complete(self) -> None:
        """Draw all lines now; for pictures that are saved."""
        self._start_image()
        while not self.is_complete:
            self._draw_slice()

    # geometry

    def axes(self) -> tuple[Axis, Axis]:
        room = self.height() - 2 * _MARGIN
        # Zoomed in, the stretch in sight fills the height: beside it lines would end at no label.
        longest = _LONGEST_PITCH if self.viewport.is_whole else room
        queries = fitted(self.viewport.queries, _MARGIN, room, longest)
        return queries, fitted(self.viewport.keys, _MARGIN, room, longest)

    def ends(self) -> tuple[float, float]:
        """Return where lines begin and end: the inner edges of the two columns of labels.

        The lines keep two fifths of the width; where that leaves no room for weights beside the
        labels, labels are shortened while weights are shown.
        """
        side = _MARGIN + self.widest_label(_WIDEST_LABEL) + self._number_room() + 8
        side = min(side, self.width() * 0.3)
        return side, self.width() - side

    def pair_at(self, at: QPointF) -> Pair:
        queries, keys = self.axes()
        left, right = self.ends()
        if at.x() <= left + 12:
            return Pair(query=queries.token(at.y()))
        return Pair(key=keys.token(at.y())) if at.x() >= right - 12 else Pair()

    def places(self, at: QPointF) -> tuple[float, float]:
        queries, keys = self.axes()
        return queries.place(at.y()), keys.place(at.y())

    def _number_room(self) -> float:
        return QFontMetricsF(self.look.number_font(11)).horizontalAdvance("0.000") + 8

    # drawing

    def draw_head(self, painter: QPainter, picture: HeadPicture) -> None:
        self._start_image()
        shown = self.shown
        opacity = painter.opacity()
        if self._image is not None:
            painter.setOpacity(opacity * (_BEHIND if shown else 1.0))
            painter.drawImage(QPointF(0, 0), self._image)
            painter.setOpacity(opacity)
        query_weights, key_weights = self._lit_weights(picture, shown)
        if shown:
            self._draw_lit(painter, picture, shown)
        queries, keys = self.axes()
        left, right = self.ends()
        self._draw_column(painter, queries, query_weights, left, picture, is_left=True)
        self._draw_column(painter, keys, key_weights, right, picture, is_left=False)

    def _lit_weights(
        self, picture: HeadPicture, shown: Pair
    ) -> tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]:
        """Return the weights to write beside the queries (a key is lit) and beside the keys (a query is)."""
        if shown.query is not None:
            return None, attention_row(picture.trace, picture.layer, picture.head, shown.query)
        if shown.key is not None:
            return attention_column(picture.trace, picture.layer, picture.head, shown.key), None
        return None, None

    def _draw_lit(self, painter: QPainter, picture: HeadPicture, shown: Pair) -> None:
        """Draw the lines of the lit query, or of the lit key, in full colour."""
        query_weights, key_weights = self._lit_weights(picture, shown)
        weights = key_weights if query_weights is None else query_weights
        if weights is None:
            return
        curve = _curves(*self.axes(), *self.ends())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.save()
        painter.setClipRect(QRectF(0, _MARGIN - 4, self.width(), self.height() - 2 * _MARGIN + 8))
        for other in np.flatnonzero(weights >= FAINTEST).tolist():
            # The lit token is at one end of every line: the query unless only a key is lit.
            query, key = (
                (other if shown.query is None else shown.query),
                (other if shown.query is not None else shown.key),
            )
            if query is None or key is None:
                continue
            share = float(weights[other]) / picture.largest
            width = 0.8 + 3.2 * share + (1.5 if (query, key) == (shown.query, shown.key) else 0)
            painter.setPen(QPen(self.look.colour("accent", min(1.0, 0.25 + 0.75 * share)), width))
            painter.drawPath(curve(query, key))
        painter.restore()

    def _draw_column(
        self,
        painter: QPainter,
        axis: Axis,
        weights: NDArray[np.float32] | None,
        edge: float,
        picture: HeadPicture,
        *,
        is_left: bool,
    ) -> None:
        """Write one column of labels, with weights beside them where a token of the other is lit."""
        height = QFontMetricsF(self.label_font()).height()
        lit = self.shown.query if is_left else self.shown.key
        first = frozenset() if lit is None else frozenset({lit})
        room = (edge if is_left else self.width() - edge) - _MARGIN - 8
        align = Qt.AlignmentFlag.AlignRight if is_left else Qt.AlignmentFlag.AlignLeft
        for token in axis.labelled(height, first):
            left = _MARGIN if is_left else edge + 8
            label = QRectF(left, axis.middle(token) - height / 2, room, height)
            weight = None if weights is None else float(weights[token])
            if weight is not None and weight >= _WRITTEN_FROM:
                self._draw_weight(painter, label, weight, weight / picture.largest, is_left=is_left)
                number = self._number_room()
                label = label.adjusted(number, 0, 0, 0) if is_left else label.adjusted(0, 0, -number, 0)
            self.draw_label(painter, token, label, align, is_lit=token == lit)

    def _draw_weight(
        self, painter: QPainter, row: QRectF, weight: float, share: float, *, is_left: bool
    ) -> None:
        """Tint the row of a label by its weight, and write the weight at its outer end."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.look.colour("accent", 0.06 + 0.34 * min(1.0, share)))
        painter.drawRoundedRect(row.adjusted(-4, -1, 4, 1), 4, 4)
        painter.setFont(self.look.number_font(11))
        painter.setPen(self.look.colour("text"))
        side = Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight
        painter.drawText(row, side | Qt.AlignmentFlag.AlignVCenter, f"{weight:.2f}")

    # the cached image

    def _start_image(self) -> None:
        picture = self.picture
        if self._image is not None or picture is None:
            return
        ratio = self.devicePixelRatioF()
        self._image = QImage(
            round(self.width() * ratio),
            round(self.height() * ratio),
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        self._image.setDevicePixelRatio(ratio)
        self._image.fill(Qt.GlobalColor.transparent)
        self._visible, self._drawn = self._in_sight(picture), 0
        self._draw_slice()
        if not self.is_complete:
            self._timer.start()

    def _in_sight(self, picture: HeadPicture) -> NDArray[np.intp]:
        """Return the lines that cross the widget, weakest first."""
        queries, keys = self.viewport.queries, self.viewport.keys
        above = (picture.queries < queries.first - 1) & (picture.keys < keys.first - 1)
        below = (picture.queries > queries.last) & (picture.keys > keys.last)
        return np.flatnonzero(~(above | below))

    @Slot()
    @guarded
    def _draw_more(self) -> None:
        self._draw_slice()
        if self.is_complete:
            self._timer.stop()
        self.update()

    def _draw_slice(self) -> None:
        """Draw lines into the image for about 4 ms."""
        picture, image = self.picture, self._image
        if picture is None or image is None:
            return
        until = time.perf_counter() + _SLICE
        painter = QPainter(image)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(QRectF(0, _MARGIN - 4, self.width(), self.height() - 2 * _MARGIN + 8))
            while not self.is_complete:
                self._draw_some(painter, picture, self._visible[self._drawn : self._drawn + _AT_ONCE])
                self._drawn += _AT_ONCE
                if time.perf_counter() > until:
                    return
        finally:
            painter.end()

    def _draw_some(self, painter: QPainter, picture: HeadPicture, lines: NDArray[np.intp]) -> None:
        """Draw some lines, weakest first, a pen for each of 32 strengths."""
        strengths = np.ceil(picture.weights[lines] / picture.largest * _BINS).astype(int).clip(1, _BINS)
        is_curved = len(self._visible) <= _CURVED_UP_TO
        # Thousands of faint lines would add up to a solid block that hides the strong ones.
        crowd = max(1.0, len(self._visible) / 500)
        faintest, steepness = 0.1 / crowd, 0.9 + 0.5 * math.log10(crowd)
        queries, keys = self.axes()
        left, right = self.ends()
        curve = _curves(queries, keys, left, right)
        for strength in np.unique(strengths):
            share = (strength - 0.5) / _BINS
            opacity = max(faintest, 0.9 * share**steepness)
            if opacity < _UNSEEN:
                continue
            colour = self.look.colour("accent", max(opacity, _TRUE_COLOUR))
            same = lines[strengths == strength]
            pairs = zip(picture.queries[same].tolist(), picture.keys[same].tolist(), strict=True)
            if is_curved:
                painter.setPen(QPen(colour, 0.6 + 2.6 * share))
                for query, key in pairs:
                    painter.drawPath(curve(query, key))
                continue
            # A pen wider than a pixel costs 60 times as much: wide lines are made of thin ones.
            painter.setPen(QPen(colour, 1))
            ends = [(queries.middle(query), keys.middle(key)) for query, key in pairs]
            for shift in _SHIFTS[round(share * (len(_SHIFTS) - 1))]:
                painter.drawLines([QLineF(left, start + shift, right, end + shift) for start, end in ends])


def _curves(queries: Axis, keys: Axis, left: float, right: float) -> Callable[[int, int], QPainterPath]:
    """Return what makes the curve from a query at `left` to a key at `right`."""
    reach = (right - left) * 0.45

    def curve(query: int, key: int) -> QPainterPath:
        start, end = queries.middle(query), keys.middle(key)
        path = QPainterPath(QPointF(left, start))
        path.cubicTo(left + reach, start, right - reach, end, right, end)
        return path

    return curve
