"""`SegmentedChoice`: segments where there is room for them, else one button with a menu of the same."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Segments


class SegmentedChoice(Guarded, Segments):
    """One of several things is chosen, each with (text, tooltip); never wider than there is room."""

    def __init__(self, texts: Mapping[str, tuple[str, str]], name: str) -> None:
        super().__init__([(key, *words) for key, words in texts.items()])
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.chosen.connect(self.choose)  # the menu's actions put no button down by themselves
        self.choose(next(iter(texts)))

    def sizeHint(self) -> QSize:
        return QSize(self.full_width, max(button.sizeHint().height() for button in self._buttons.values()))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._menu_button.sizeHint().width(), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        # All but a few pixels: the buttons share their borders.
        self.set_compact(self.width() < self.sizeHint().width() - len(self._buttons))
