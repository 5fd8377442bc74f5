"""Names of tokens measured and drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPicture

from bertviz_app.viewmodels.viewport import SINK
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look

SIZE = 13.0
SMALLEST = 10.0
"""The size of letters below which labels are left out, in pixels."""
SMALLEST_SHARE = SMALLEST / SIZE
TIGHT = 1.06
"""The least distance of rows of letters, over the size of their font."""
_HEIGHT = 1.22  # of a bracket or a syllable, over the size of its font
_SIZES_A_PIXEL = 2  # few sizes of the font, so that a zoom comes back to those that there are
_HALFWAY_DOWN = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip


class Labels:
    """Texts with their measured widths; a view makes another object when the font of `look` changes.

    Where not all have room, those in `first` are written before the others; they must not be neighbours.
    """

    def __init__(
        self,
        look: Look,
        texts: Sequence[str],
        is_faint: Sequence[bool] = (),
        first: frozenset[int] = frozenset(),
    ) -> None:
        self.look = look
        self.texts = tuple(texts)
        self.first = first
        self.is_faint = tuple(is_faint) or (False,) * len(self.texts)
        self._widest: float | None = None
        # Fonts with Hangul leave half a line between lines; labels need no more than their letters are high.
        self._size = look.word_size(SIZE)
        self.height = min(QFontMetricsF(look.font(self._size)).height(), _HEIGHT * look.pixels(self._size))

    def widest(self, most: float) -> float:
        """Return the width that the labels need, also a highlighted one; at most `most` pixels."""
        if self._widest is None:
            metrics = QFontMetricsF(self.look.font(self._size, bold=True))
            # The longest strings decide: measuring all of 8,192 would take longer than a frame.
            longest = sorted(set(self.texts), key=len)[-40:]
            self._widest = max((metrics.horizontalAdvance(text) for text in longest), default=0.0) + 2
        return min(most, self._widest)

    def height_for(self, pitch: float) -> float:
        """Return the height of labels that stand `pitch` pixels apart: less than usual, if all then fit."""
        return pitch if TIGHT * self.look.pixels(SMALLEST) <= pitch < self.height else self.height

    def draw(
        self,
        painter: QPainter,
        number: int,
        box: QRectF,
        align: Qt.AlignmentFlag,
        *,
        is_highlighted: bool,
        slant: float = 0.0,
    ) -> None:
        """Write one label into `box`, smaller if that is low, and shortened if it must be.

        Its letters are never less than the smallest, however close the rows are.
        `slant`: the degrees by which `painter` is turned, which the sign of an attention sink is not.
        """
        size = max(SMALLEST, self._size * min(1.0, box.height() / self.height))
        size = math.floor(_SIZES_A_PIXEL * size) / _SIZES_A_PIXEL
        painter.setFont(self.look.font(size, bold=is_highlighted))
        metrics, faint = QFontMetricsF(painter.font()), self.is_faint[number]
        painter.setPen(self.look.colour("accent" if is_highlighted else "secondary" if faint else "text"))
        text = metrics.elidedText(self.texts[number], Qt.TextElideMode.ElideRight, box.width() + 1)
        if slant and text.endswith(f" {SINK}"):
            text, width = text.removesuffix(SINK), metrics.horizontalAdvance(SINK)
            painter.save()
            painter.translate(box.left() + metrics.horizontalAdvance(text) + width / 2, box.center().y())
            painter.rotate(slant)
            room = QRectF(-width, -box.height() / 2, 2 * width, box.height())
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, SINK)
            painter.restore()
        painter.drawText(box, align | _HALFWAY_DOWN, text)


_SLACK = 3.0


@runtime_checkable
class DrawsTexts(Protocol):
    """A widget that draws its texts itself; `shows_words`: they are the user's, which name no terms."""

    shows_words: bool

    def draw_into(self, painter: QPainter) -> None:
        """Draw the widget with another painter, in its own pixels."""

    def rect(self) -> QRect:
        """Return its pixels."""


class _TextRecorder(Guarded, QPainter):
    """A painter that records the texts it is given, and their rectangles, instead of drawing them."""

    def __init__(self, device: QPicture) -> None:
        super().__init__(device)
        self.texts: list[tuple[QRectF, str]] = []

    def drawText(self, *arguments: object) -> None:  # type: ignore[override]
        text = next((part for part in arguments if isinstance(part, str)), "")
        metrics, first, box = QFontMetricsF(self.font()), arguments[0], QRectF()
        if isinstance(first, QRectF):
            flags = next((part for part in arguments[1:] if isinstance(part, (int, Qt.AlignmentFlag))), 0)
            whole = flags.value if isinstance(flags, Qt.AlignmentFlag) else flags
            box = metrics.boundingRect(first, whole, text)
        elif isinstance(first, QPointF):  # from a point on the base line
            box = metrics.boundingRect(text).translated(first)
        if not box.isNull():
            self.texts.append((self.worldTransform().mapRect(box), text))


def drawn_texts(widget: DrawsTexts) -> list[tuple[QRectF, str]]:
    """Return every text that `widget` draws, and where."""
    picture = QPicture()
    recorder = _TextRecorder(picture)
    with recorder:
        recorder.setClipRect(widget.rect())
        widget.draw_into(recorder)
    return recorder.texts


def text_drawn_at(widget: DrawsTexts, position: QPoint) -> str:
    """Return the text under a position, the last one drawn; "" for none."""
    at = QPointF(position)
    found = (
        text
        for box, text in reversed(drawn_texts(widget))
        if box.adjusted(-_SLACK, -_SLACK, _SLACK, _SLACK).contains(at)
    )
    return next(found, "")
