"""`PairButton`: a button with the title of a pair, as much of it as its width has room for."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPaintEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton, QStylePainter

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.kit.words import without_mnemonic

_ARROW = " → "
_LEAST = 9  # characters, the ellipsis in the middle included
_MOST = 44


class PairButton(QPushButton):
    """Prefers to show the whole title; `least_width` is enough for its beginning and its end."""

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        named(self, "segment")
        self.setProperty("place", "only")
        self.setCheckable(True)
        explain_with(self, "pair_weight")

    def show_title(self, title: str) -> None:
        """Show the title of another pair; a row around makes room for it."""
        self._title = shortened(title, _MOST)
        self.setText(without_mnemonic(self._title))

    @property
    def least_width(self) -> int:
        """The width of the button with a title of a few characters."""
        return self._around + self.fontMetrics().horizontalAdvance(shortened(self._title, _LEAST))

    @property
    def shown_text(self) -> str:
        """As much of the title as the width has room for: the beginnings of its tokens."""
        room = self.width() - self._around + 1  # which is rounded
        return fitted(self._title, QFontMetricsF(self.font()), room)

    @property
    def _around(self) -> int:
        """The width of the button but for its text."""
        return self.sizeHint().width() - self.fontMetrics().horizontalAdvance(self._title)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(self.least_width, self.sizeHint().height())

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button as Qt does, with the text that fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = without_mnemonic(self.shown_text)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()


def fitted(title: str, metrics: QFontMetricsF, room: float) -> str:
    """Return a pair's two tokens as wide as `room` at most: the longer one loses its end first."""
    if metrics.horizontalAdvance(title) <= room:
        return title
    query, arrow, key = title.partition(_ARROW)
    left = room - metrics.horizontalAdvance(arrow)
    widths = [metrics.horizontalAdvance(part) for part in (query, key)]
    of_query = max(left / 2, left - widths[1])
    if widths[0] > of_query:
        query = metrics.elidedText(query, Qt.TextElideMode.ElideRight, of_query)
    of_key = left - metrics.horizontalAdvance(query)
    if widths[1] > of_key + 0.5:  # the advance of several words is rounded otherwise than their sum
        key = metrics.elidedText(key, Qt.TextElideMode.ElideRight, of_key)
    return f"{query}{arrow}{key}"


def shortened(title: str, longest: int) -> str:
    """Return a title, the middle of a long one left out."""
    return title if len(title) <= longest else f"{title[: longest // 2]}…{title[-(longest // 2) :]}"
