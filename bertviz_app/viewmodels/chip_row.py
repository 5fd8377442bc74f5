"""`ChipRow`: where the chips of a token strip lie, and how far the strip is scrolled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

GAP = 4.0


class ChipRow:
    """Chips in a row from `start` on, of which `room` pixels are in sight from `offset` on."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.room = 1.0
        self.offset = 0.0
        self._lefts: NDArray[np.float64] = np.zeros(1)
        self._after = 0.0

    def __len__(self) -> int:
        return len(self._lefts) - 1

    @property
    def length(self) -> float:
        """The pixels that all chips take, with what follows them."""
        return float(self._lefts[-1]) + self._after

    @property
    def overflow(self) -> float:
        """How far the row can be scrolled."""
        return max(0.0, self.length - self.room)

    def lay_out(self, widths: Sequence[float], after: float = 0.0) -> None:
        """Place chips of these widths; `after` is the room for what follows the last one."""
        self._lefts = np.concatenate(([0.0], np.cumsum(np.asarray(widths, np.float64) + GAP)))
        self._after = after

    def chip(self, index: int) -> tuple[float, float]:
        """Return the left edge and the width of a chip; the `index` len(self) is what follows the last."""
        left = self.start + float(self._lefts[index]) - self.offset
        width = (
            self._after if index == len(self) else float(self._lefts[index + 1] - self._lefts[index]) - GAP
        )
        return left, width

    def in_sight(self) -> range:
        """Return the chips that are at least partly in sight."""
        first = int(np.searchsorted(self._lefts, self.offset, "right")) - 1
        last = int(np.searchsorted(self._lefts, self.offset + self.room, "left"))
        return range(max(0, first), min(last, len(self)))

    def at(self, x: float) -> int | None:
        """Return the chip under `x`, None beside the chips."""
        if x < self.start:
            return None
        index = int(np.searchsorted(self._lefts, x - self.start + self.offset, "right")) - 1
        return index if 0 <= index < len(self) else None

    def scroll_to(self, offset: float) -> None:
        """Scroll so that `offset` whole pixels lie left of the sight, as far as the row goes."""
        self.offset = float(round(min(max(0.0, offset), self.overflow)))

    def reveal(self, index: int) -> bool:
        """Scroll as little as brings a chip into sight; return whether that moved anything."""
        before, (left, width) = self.offset, self.chip(index)
        if left < self.start:
            self.scroll_to(self.offset - (self.start - left))
        elif left + width > self.start + self.room:
            self.scroll_to(self.offset + left + width - self.start - self.room)
        return self.offset != before
