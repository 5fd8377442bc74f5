"""`ModelMap`: a map of the whole model above the panels, and small pictures of what its blocks do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look, Pencil


class ModelMap(Canvas):
    """A room brings the one that draws.

    `heads_requested`: the predictions of the task heads are to be shown. `text_requested`: the text is to be
    edited. `lesson_requested(key)`: the lesson about a block is to be opened. `went`: the user went to a
    stop.
    """

    heads_requested = Signal()
    text_requested = Signal()
    lesson_requested = Signal(str)
    went = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.lesson_named: Callable[[str], str] = lambda key: ""
        """Returns what the lesson with a key is called, "" where there is none."""

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def highlight(self, *keys: str) -> None:
        """Highlight the blocks with these keys."""


# The boxes (x, y, width, height) of the thumbnails of blocks, in shares of their room.
_DRAWN: Mapping[str, tuple[tuple[float, ...], ...]] = MappingProxyType(
    {
        "text": ((0, 0.1, 0.9, 0.16), (0, 0.42, 0.7, 0.16), (0, 0.74, 0.8, 0.16)),
        "tokens": ((0, 0.2, 0.26, 0.6), (0.36, 0.2, 0.3, 0.6), (0.76, 0.2, 0.24, 0.6)),
        "embeddings": tuple((x / 8, y / 3 + 0.04, 0.1, 0.24) for y in range(3) for x in range(8)),
        "embedding_sum": tuple((x / 8, 0.36, 0.1, 0.28) for x in range(8)),
        "embedding_projection": tuple((x / 12, 0.36, 0.06, 0.28) for x in range(12)),
        "first": tuple((0, y / 4 + 0.03, 1.0, 0.18) for y in range(4)),
        "masked": ((0, 0.2, 0.28, 0.6), (0.36, 0.2, 0.28, 0.6), (0.72, 0.2, 0.28, 0.6)),
        "next_sentence": ((0, 0.12, 0.8, 0.3), (0.2, 0.58, 0.8, 0.3)),
        "classes": ((0, 0.14, 0.95, 0.28), (0, 0.58, 0.35, 0.28)),
        "token_labels": ((0, 0.2, 0.28, 0.6), (0.36, 0.2, 0.28, 0.6), (0.72, 0.2, 0.28, 0.6)),
        "replaced": ((0, 0.2, 0.28, 0.6), (0.36, 0.2, 0.28, 0.6), (0.72, 0.2, 0.28, 0.6)),
        "roles": ((0, 0.25, 0.24, 0.5), (0.38, 0.25, 0.24, 0.5), (0.76, 0.25, 0.24, 0.5)),
        "heads": tuple((x / 6 + 0.02, y / 3 + 0.03, 0.12, 0.26) for y in range(3) for x in range(6)),
        "stack": tuple((0.15, 0.78 - y / 4, 0.7, 0.18) for y in range(4)),
        "weights": tuple((0, y / 4 + 0.03, w, 0.18) for y, w in enumerate((0.9, 0.2, 0.5, 0.3))),
        "answer": ((0, 0.4, 0.3, 0.2), (0.32, 0.3, 0.4, 0.4), (0.74, 0.4, 0.26, 0.2)),
    }
)
# Which box of them stands out.
_STRONG = {
    "heads": 8,
    "weights": 0,
    "stack": 3,
    "masked": 1,
    "first": 0,
    "classes": 0,
    "next_sentence": 1,
    "answer": 1,
    "replaced": 2,
}
# The curves of others: from x to y, which grows downwards, both from 0 to 1.
_BENT: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {
        "scaled": lambda x: (
            1 - 0.4 * math.exp(-((x - 0.5) ** 2) * 6) - 0.6 * math.exp(-((x - 0.5) ** 2) * 90)
        ),
        "norm": lambda x: 1 - math.exp(-((x - 0.5) ** 2) * 24),
        "embedding_norm": lambda x: 1 - math.exp(-((x - 0.5) ** 2) * 24),
        "pooler": lambda x: 0.5 - 0.5 * math.tanh(8 * (x - 0.5)),
    }
)
_ICON = 46.0, 24.0


def draw_thumbnail(pencil: Pencil, key: str, colour: str, room: QRectF, scale: float = 1.0) -> None:
    """Draw what a block does, or a lesson is about, as a small picture in the middle of a rectangle."""
    look = pencil.look
    width, height = (
        min(side, look.pixels(most * scale))
        for side, most in zip((room.width() - 8, room.height()), _ICON, strict=True)
    )
    left, top = room.center().x() - width / 2, room.center().y() - height / 2
    for at, (x, y, w, h) in enumerate(_DRAWN.get(key, ())):
        is_strong = _STRONG.get(key, at) == at
        ink = "sentence_b" if key.startswith("embedding") and (at * 5) % 3 == 1 else colour
        box = QRectF(left + x * width, top + y * height, w * width, h * height)
        pencil.box(box, fill=look.colour(ink, 0.75 if is_strong else 0.25), rounding=2)
    if (curve := _BENT.get(key)) is not None:
        path = QPainterPath(QPointF(left, top + curve(0.0) * height))
        for step in range(1, 25):
            path.lineTo(left + step / 24 * width, top + curve(step / 24) * height)
        pencil.path(path, colour, look.pixels(2))
    if key == "attention":
        for start, end, weight in ((0.75, 0.1, 3.5), (0.75, 0.45, 1.5), (0.75, 0.98, 1.0)):
            path = QPainterPath(QPointF(left + start * width, top + height))
            bends = [QPointF(left + x * width, top) for x in (start, end)]
            path.cubicTo(bends[0], bends[1], QPointF(left + end * width, top + height))
            pencil.path(path, colour, look.pixels(weight))
    if key == "feed-forward":
        path = QPainterPath(QPointF(left, top + 0.3 * height))
        for x, y in ((0.42, 0.0), (0.58, 0.0), (1.0, 0.3), (1.0, 0.7), (0.58, 1.0), (0.42, 1.0), (0.0, 0.7)):
            path.lineTo(left + x * width, top + y * height)
        path.closeSubpath()
        pencil.painter.fillPath(path, look.colour(colour, 0.5))
