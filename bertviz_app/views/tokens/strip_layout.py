"""Where the chips of the token strip, their lines and the ticks below them lie."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF

from bertviz_app.viewmodels.chip_row import ChipRow
from bertviz_app.views.kit.look import Look

_LEFT = 72.0
"""The room for the names of the lines."""
_RIGHT = 8.0
_NARROWEST = 46.0
_WIDEST = 220.0
_TOP = 8.0
_BELOW = 14.0
_FIRST_LINE = 1.545  # its height, in heights of one of the other lines
_ALL, _BRIEF = 4, 2


class StripLayout:
    """The geometry of a strip of a certain size; `row` holds the chips and how far they are scrolled."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._size = QSize()
        self.n_lines = _ALL
        self.row = ChipRow(look.pixels(_LEFT))

    def resize(self, size: QSize) -> None:
        """Fit the row to a strip of this size, and to the size of the fonts."""
        self._size = size
        self.row.start = self._look.pixels(_LEFT)
        self.row.room = max(1.0, size.width() - self.row.start - _RIGHT)

    def set_brief(self, is_brief: bool) -> None:
        """Have two lines in each chip, or all four."""
        self.n_lines = _BRIEF if is_brief else _ALL

    def lay_out(self, labels: Sequence[str], ids: Sequence[int], left_out: str) -> None:
        """Give each token a chip as wide as its piece and its id need; `left_out` stands behind the last."""
        pieces = QFontMetricsF(self._look.font(14, bold=True))
        numbers = QFontMetricsF(self._look.number_font(12))
        least, most = self._look.pixels(_NARROWEST), self._look.pixels(_WIDEST)
        widths = [
            max(pieces.horizontalAdvance(label), numbers.horizontalAdvance(str(number))) + 16
            for label, number in zip(labels, ids, strict=True)
        ]
        after = QFontMetricsF(self._look.font(13)).horizontalAdvance(left_out) + 24 if left_out else 0.0
        self.row.lay_out([math.ceil(min(max(width, least), most)) for width in widths], after)

    def size_hint(self) -> QSize:
        """Return the size at which all lines can be read."""
        return QSize(400, self._look.pixels(36 + 17 * self.n_lines))

    def chip(self, token: int) -> QRectF:
        """Return the box of a chip; that of what follows the last one for the number of tokens."""
        left, width = self.row.chip(token)
        return QRectF(left, _TOP, width, self._chip_height())

    def is_cut(self, token: int) -> bool:
        """Return whether the texts of a chip may be wider than it is."""
        return self.row.chip(token)[1] >= self._look.pixels(_WIDEST)

    def lines(self) -> list[QRectF]:
        """Return the tops and the heights of the lines of a chip; left and width are 0."""
        rest = (self._chip_height() - 6) / (_FIRST_LINE + self.n_lines - 1)
        first = rest * _FIRST_LINE
        tops = [_TOP + 4, *(_TOP + 4 + first + number * rest for number in range(self.n_lines - 1))]
        return [QRectF(0, top, 0, rest if number else first) for number, top in enumerate(tops)]

    def tick_bar(self) -> QRectF:
        """Return where all tokens are shown as ticks."""
        return QRectF(self.row.start, self._size.height() - 9, self.row.room, 5)

    def offset_at(self, x: float) -> float:
        """Return how far to scroll so that what the ticks show at `x` is in the middle."""
        bar = self.tick_bar()
        share = (x - bar.left()) / bar.width()
        return share * self.row.length - self.row.room / 2

    def _chip_height(self) -> float:
        return self._size.height() - _TOP - _BELOW
