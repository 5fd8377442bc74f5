"""`ChipPictures`: chips drawn once and copied from pictures in every later frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from bertviz_app.views.kit.look import Look, Palette
from bertviz_app.views.tokens.chip import Chip, draw_chip

_AROUND = 2.0
"""The room for the outline of a chip around its box."""
_MOST = 300
_Rows = Callable[[], Sequence[QRectF]]
_Key = tuple[Chip, float, float, float]


class ChipPictures:
    """Pictures of the last 300 chips, drawn anew where the colours, the text size or the screen differ.

    All boxes have the same top, and a chip of the same size has its rows at the same heights.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._made_for: tuple[Palette, float] | None = None
        self._pictures: dict[_Key, QPixmap] = {}

    def draw(self, painter: QPainter, chip: Chip, box: QRectF, rows: _Rows) -> None:
        """Draw a chip into `box`, which begins at a whole pixel; `rows()` are those of `draw_chip`."""
        picture = self.picture(chip, box, rows, painter.device().devicePixelRatioF())
        painter.drawPixmap(QPointF(box.left() - _AROUND, box.top() - _AROUND), picture)

    def picture(self, chip: Chip, box: QRectF, rows: _Rows, ratio: float) -> QPixmap:
        """Return the picture of a chip and of two pixels around it."""
        made_for = self._look.palette, self._look.scale
        if made_for != self._made_for:
            self._made_for = made_for
            self._pictures.clear()
        key = chip, box.width(), box.height(), ratio
        picture = self._pictures.get(key)
        if picture is None:
            if len(self._pictures) >= _MOST:
                del self._pictures[next(iter(self._pictures))]
            picture = self._pictures[key] = self._painted(chip, box, rows, ratio)
        return picture

    def _painted(self, chip: Chip, box: QRectF, rows: _Rows, ratio: float) -> QPixmap:
        width, height = box.width() + 2 * _AROUND, box.height() + 2 * _AROUND
        picture = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(_AROUND - box.left(), _AROUND - box.top())
            draw_chip(painter, self._look, chip, box, rows())
        finally:
            painter.end()
        return picture
