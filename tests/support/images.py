"""What tests compare of two pictures: their pixels, with the place and size of what differs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage


def levels_of(image: QImage) -> NDArray[np.int16]:
    """Return the channels [height, width, 4] of all pixels."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    levels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return levels.astype(np.int16)


def difference_of(first: QImage, second: QImage, rounded: int = 0) -> str:
    """Return where two pictures of one size differ by more than `rounded` levels; "" where they do not."""
    distance = np.abs(levels_of(first) - levels_of(second)).max(axis=2)
    rows, columns = np.nonzero(distance > rounded)
    if not rows.size:
        return ""
    box = f"x {columns.min()} to {columns.max()}, y {rows.min()} to {rows.max()}"
    return f"{rows.size} pixels, by at most {distance.max()}, {box}"
