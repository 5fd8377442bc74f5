"""`ChipPictures`: chips drawn once and copied from pictures in every later frame."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap, QTransform

from bertviz_app.views.kit.look import Look, Palette
from bertviz_app.views.tokens.chip import (
    Chip,
    draw_ground,
    number_font,
    piece_font,
    write_numbers,
    write_piece,
)

_AROUND = 2.0
"""The room for the outline of a chip around its box."""
_MOST_BYTES = 24 << 20
ChipBox = tuple[Chip, QRectF]


class ChipPictures:
    """Pictures of chips, drawn anew where the colours, the text size or the screen differ.

    Those that were needed last are kept, 24 MiB of them: at least 1,000 chips of usual width, or 300 on a
    screen with two device pixels to one of Qt's. All boxes have the same top and begin at a whole pixel, and
    a chip of the same size has its rows at the same heights.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._made_for: tuple[Palette, float] | None = None
        self._pictures: dict[Hashable, QPixmap] = {}
        self._n_bytes = 0

    def draw(self, painter: QPainter, chips: Sequence[ChipBox], rows: Sequence[QRectF]) -> None:
        """Draw chips into their boxes; `rows` are those of `draw_chip`."""
        pictures = self.pictures(chips, rows, painter.device().devicePixelRatioF())
        for (_, box), picture in zip(chips, pictures, strict=True):
            painter.drawPixmap(QPointF(box.left() - _AROUND, box.top() - _AROUND), picture)

    def pictures(self, chips: Sequence[ChipBox], rows: Sequence[QRectF], ratio: float) -> list[QPixmap]:
        """Return the pictures of chips, each with two pixels around it."""
        made_for = self._look.palette, self._look.scale
        if made_for != self._made_for:
            self._made_for = made_for
            self._pictures.clear()
            self._n_bytes = 0
        keys = [_key(chip, box, ratio) for chip, box in chips]
        found = {key: picture for key in keys if (picture := self._found(key)) is not None}
        missing = {key: chip for key, chip in zip(keys, chips, strict=True) if key not in found}
        if missing:
            found |= self._painted(missing, rows, ratio)
        return [found[key] for key in keys]

    def _found(self, key: Hashable) -> QPixmap | None:
        picture = self._pictures.pop(key, None)
        if picture is not None:
            self._pictures[key] = picture  # put at the end: the one that was needed last
        return picture

    def _keep(self, key: Hashable, picture: QPixmap) -> None:
        self._pictures[key] = picture
        self._n_bytes += _n_bytes(picture)
        while self._n_bytes > _MOST_BYTES:
            self._n_bytes -= _n_bytes(self._pictures.pop(next(iter(self._pictures))))

    def _painted(
        self, chips: Mapping[Hashable, ChipBox], rows: Sequence[QRectF], ratio: float
    ) -> dict[Hashable, QPixmap]:
        """Return pictures of chips, painted side by side on one sheet and cut out of it.

        A painter for each chip would take longer than its texts, and to change the font as long as to write
        one: so all pieces are written, then all numbers.
        """
        look = self._look
        grounds = [self._ground(chip, box, ratio) for chip, box in chips.values()]
        lefts = list(accumulate((ground.width() for ground in grounds[:-1]), initial=0))
        sheet = QPixmap(lefts[-1] + grounds[-1].width(), max(ground.height() for ground in grounds))
        sheet.fill(Qt.GlobalColor.transparent)
        painter = QPainter(sheet)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for left, ground in zip(lefts, grounds, strict=True):
                painter.drawPixmap(left, 0, ground)
            for font, write in ((piece_font(look), write_piece), (number_font(look), write_numbers)):
                painter.setFont(font)
                for left, (chip, box) in zip(lefts, chips.values(), strict=True):
                    painter.setTransform(_to_corner(box, ratio, left))
                    write(painter, look, chip, box, rows)
        finally:
            painter.end()
        made = {}
        for key, left, ground in zip(chips, lefts, grounds, strict=True):
            made[key] = sheet.copy(left, 0, ground.width(), ground.height())
            made[key].setDevicePixelRatio(ratio)
            self._keep(key, made[key])
        return made

    def _ground(self, chip: Chip, box: QRectF, ratio: float) -> QPixmap:
        """Return what is behind the texts, in device pixels: the same for most chips of this width."""
        key = _key((chip.colour, chip.is_highlighted, bool(chip.edited)), box, ratio)
        ground = self._found(key)
        if ground is None:
            ground = QPixmap(_size(box, ratio))
            ground.fill(Qt.GlobalColor.transparent)
            painter = QPainter(ground)
            try:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setTransform(_to_corner(box, ratio))
                draw_ground(painter, self._look, chip, box)
            finally:
                painter.end()
            self._keep(key, ground)
        return ground


def _to_corner(box: QRectF, ratio: float, left: int = 0) -> QTransform:
    """Return what moves a box to the upper left corner, and `left` device pixels to the right."""
    x, y = (_AROUND - box.left()) * ratio, (_AROUND - box.top()) * ratio
    return QTransform(ratio, 0, 0, ratio, left + x, y)


def _key(drawn: Hashable, box: QRectF, ratio: float) -> Hashable:
    return drawn, box.width(), box.height(), ratio


def _size(box: QRectF, ratio: float) -> QSize:
    """Return the device pixels of a chip and of what is around it."""
    width, height = box.width() + 2 * _AROUND, box.height() + 2 * _AROUND
    return QSize(math.ceil(width * ratio), math.ceil(height * ratio))


def _n_bytes(picture: QPixmap) -> int:
    return picture.width() * picture.height() * 4
