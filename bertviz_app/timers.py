"""`OneShot`: a timer with the one slot that it calls."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class OneShot(QTimer):
    """Calls `slot` once, so many ms after it was started last; 0: in the next turn of the event loop."""

    def __init__(self, parent: QObject, slot: Callable[[], object], ms: int = 0) -> None:
        super().__init__(parent, singleShot=True, interval=ms)
        self.timeout.connect(slot)
