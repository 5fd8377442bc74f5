"""`TickBar`: all tokens of a long text as ticks across the strip, with a frame around those in sight."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from bertviz_app.views.kit.look import Look


class TickBar:
    """Draws the ticks from an image, made anew only when the tokens, the width or the look change."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._image: QImage | None = None
        self._colours: list[str] = []

    def set_colours(self, colours: list[str]) -> None:
        """Set the palette name of the colour of each token."""
        self._colours = colours
        self._image = None

    def forget(self) -> None:
        """Drop the image: the width or the look changed."""
        self._image = None

    def draw(
        self, painter: QPainter, bar: QRectF, highlighted: Iterable[int], shares: tuple[float, float]
    ) -> None:
        """Draw into `bar`; `shares` is where the part in sight begins and how long it is, from 0 to 1."""
        if self._image is None:
            self._image = self._make(bar)
        painter.drawImage(bar, self._image)
        pitch = bar.width() / max(1, len(self._colours))
        for token in highlighted:
            tick = QRectF(bar.left() + token * pitch, bar.top() - 1, max(2.0, pitch), bar.height() + 2)
            painter.fillRect(tick, self._look.colour("text"))
        frame = QRectF(bar.left() + bar.width() * shares[0], bar.top() - 2, 0, bar.height() + 4)
        frame.setWidth(max(8.0, bar.width() * shares[1]))
        painter.setBrush(self._look.colour("accent", 0.18))
        painter.setPen(QPen(self._look.colour("accent"), 1))
        painter.drawRoundedRect(frame, 3, 3)

    def _make(self, bar: QRectF) -> QImage:
        image = QImage(bar.size().toSize(), QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        pitch = image.width() / max(1, len(self._colours))
        painter = QPainter(image)
        try:
            for token, colour in enumerate(self._colours):
                tick = QRectF(token * pitch, 0, max(1.0, pitch * 0.7), image.height())
                painter.fillRect(tick, self._look.colour(colour, 0.55))
        finally:
            painter.end()
        return image
