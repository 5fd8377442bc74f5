"""`SegmentedChoice`: segments where there is room for them, else one button with a menu of the same."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Segments


class SegmentedChoice(Guarded, Segments):
    """One of several named things is chosen; never wider than there is room."""

    def __init__(self, keys: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__([(key, key, "") for key in keys], parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.chosen.connect(self.choose)  # the menu's actions put no button down by themselves
        self.choose(keys[0])

    @property
    def chosen_key(self) -> str:
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def set_choices(self, texts: dict[str, tuple[str, str]], name: str) -> None:
        """Write (text, tooltip) of each, and what the choice is of."""
        self.set_texts(texts)
        self.setAccessibleName(name)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        hints = [button.sizeHint() for button in self._buttons.values()]
        return QSize(sum(hint.width() for hint in hints), max(hint.height() for hint in hints))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._menu_button.sizeHint().width(), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        # All but a few pixels: the buttons share their borders.
        self.set_compact(self.width() < self.sizeHint().width() - len(self._buttons))
