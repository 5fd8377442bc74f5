"""Parts of a drawing that are painted once and copied from a picture in every later frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPixmap

from bertviz_app.views.kit.look import Look

_MOST_PICTURES = 400
Draw = Callable[[QPainter], None]


def draws_pixels(painter: QPainter) -> bool:
    """Return whether `painter` paints pixels without scaling, so that a pixmap looks like what it replaces.

    It does on screen. SVG and PDF files, and `drawn_texts`, need the texts and lines themselves.
    """
    engine = painter.paintEngine()
    is_raster = engine is not None and engine.type() == QPaintEngine.Type.Raster
    return is_raster and not painter.worldTransform().isScaling()


class CachedPicture:
    """One part of a drawing, cached as a pixmap that is painted again only when its inputs change.

    While the inputs change with every frame, as during a zoom, nothing is cached. The pixmap is opaque, on
    the colour of cards, so the view must fill itself with that colour, too: translucent colours that are
    blended first within a pixmap and then with the view are rounded twice. With `is_opaque=False` it is
    transparent where nothing is drawn: for texts over other items.
    """

    def __init__(self, look: Look, *, is_opaque: bool = True) -> None:
        self._look = look
        self._is_opaque = is_opaque
        self._pixmap: QPixmap | None = None
        self._made_from: object = None
        self._drawn_from: object = None

    def picture(
        self, painter: QPainter, size: QSize, made_from: tuple[object, ...], draw: Draw
    ) -> QPixmap | None:
        """Return the pixmap of what `draw` paints in the upper left `size` pixels, or None: draw it directly.

        The pixmap is painted again where `made_from`, the size, the colours, the text size or the resolution
        of the screen are no longer those of the pixmap, but are those of the frame before.
        """
        if not draws_pixels(painter):
            return None
        ratio = painter.device().devicePixelRatioF()
        key = made_from, size, ratio, self._look.palette, self._look.scale
        if self._pixmap is None or key != self._made_from:
            if key != self._drawn_from:
                self._drawn_from = key
                return None
            room = QRectF(0, 0, size.width(), size.height())
            background = self._look.colour("card") if self._is_opaque else None
            self._pixmap, self._made_from = painted(room, ratio, draw, self._pixmap, background), key
        return self._pixmap


class CachedTexts:
    """A cache of small pixmaps of texts, of which a view draws many in each frame.

    The least recently drawn ones are dropped where there are too many.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        self._pixmaps: dict[Hashable, QPixmap] = {}
        self._made_with: Hashable = None

    def frame(self, painter: QPainter) -> FrameTexts:
        """Return what draws the texts of one frame with `painter`."""
        if not draws_pixels(painter):
            return FrameTexts(painter, None, {})
        ratio = painter.device().devicePixelRatioF()
        made_with = ratio, self._look.palette, self._look.scale
        if made_with != self._made_with:
            self._made_with = made_with
            self._pixmaps.clear()
        for _ in range(len(self._pixmaps) - _MOST_PICTURES):
            del self._pixmaps[next(iter(self._pixmaps))]
        return FrameTexts(painter, ratio, self._pixmaps)


@dataclass(frozen=True, eq=False)
class FrameTexts:
    """Draws texts from `pixmaps`, for a screen with `ratio` device pixels to one of Qt's logical pixels.

    Where `ratio` is None they are drawn as texts.
    """

    painter: QPainter
    ratio: float | None
    pixmaps: dict[Hashable, QPixmap]

    def draw(self, room: QRectF, texts: Iterable[tuple[QPointF, Hashable, Draw]]) -> None:
        """Draw texts that each cover at most `room` about a point, on whole pixels of the screen.

        Each has its point, what it is made from, and what draws it if there is no picture of that yet: it
        is called with a painter whose origin is the point.
        """
        painter, ratio, pixmaps = self.painter, self.ratio, self.pixmaps
        if ratio is None:
            for at, _, draw in texts:
                painter.save()
                painter.translate(at)
                draw(painter)
                painter.restore()
            return
        corner = _corner(room, ratio)
        left, top, floor = corner.x(), corner.y(), math.floor
        for at, made_from, draw in texts:
            pixmap = pixmaps.pop(made_from, None) or painted(room, ratio, draw)
            pixmaps[made_from] = pixmap  # put at the end: the most recently drawn
            x, y = floor(ratio * at.x() + 0.5) / ratio, floor(ratio * at.y() + 0.5) / ratio
            painter.drawPixmap(QPointF(x + left, y + top), pixmap)


def painted(
    room: QRectF, ratio: float, draw: Draw, pixmap: QPixmap | None = None, background: QColor | None = None
) -> QPixmap:
    """Return what `draw` paints in `room`, for a screen with `ratio` device pixels to one of Qt's.

    It is painted on `background`, or else on a transparent one, and into `pixmap` if that has the right size:
    making one takes longer than clearing it.
    """
    corner = _corner(room, ratio)
    far = room.bottomRight() - corner
    size = QSize(max(1, math.ceil(far.x() * ratio)), max(1, math.ceil(far.y() * ratio)))
    if pixmap is None or pixmap.size() != size:
        pixmap = QPixmap(size)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(background or Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(QRectF(0, 0, far.x() + 1, far.y() + 1))
        painter.translate(-corner)
        draw(painter)
    finally:
        painter.end()
    return pixmap


def _corner(room: QRectF, ratio: float) -> QPointF:
    """Return the upper left corner of `room`, moved outwards to a whole pixel of the screen."""
    return QPointF(math.floor(room.left() * ratio) / ratio, math.floor(room.top() * ratio) / ratio)
