"""`Collector`: Python's garbage is collected on the interface thread, and nowhere else."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

_EVERY_MS = 1000
_FULL_EVERY = 30  # of the small collections


class Collector(QObject):
    """Left alone Python collects on whatever thread allocates.

    A widget or a timer in a cycle that dies on a worker ends the process (seen in Qt 6.11). So the
    automatic collection is off for as long as this lives.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._n_done = 0
        gc.disable()
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def freeze(self) -> None:
        """Take what start-up made out of the collector's sight: a full collection is 150 ms with it.

        That is also why none precedes it: the few cycles that start-up left stay in memory.
        """
        gc.freeze()

    @Slot()
    def _collect(self) -> None:
        """Collect what is young; now and then everything, which costs some milliseconds."""
        self._n_done += 1
        gc.collect(2 if self._n_done % _FULL_EVERY == 0 else 1)
