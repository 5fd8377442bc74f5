"""Python's garbage is collected on the thread of the widgets, and nowhere else."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer, Slot

_EVERY_MS = 1000
_FULL_EVERY = 30  # of the small collections


class Collector(QObject):
    """Replaces Python's automatic collection, which runs on whatever thread allocates.

    A widget or a timer that is part of a cycle and is freed on a worker ends the process (seen in Qt 6.11).
    So the automatic collection is off for as long as this lives. Nothing is collected before `freeze`: among
    all that the start makes even a collection of young objects took 90 ms.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._n_done = 0
        gc.disable()
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._collect)

    def freeze(self) -> None:
        """Exclude all objects that the start made from collection, and collect now and then from here on.

        The few cycles among the objects of the start stay in memory.
        """
        gc.freeze()
        self._timer.start()

    @Slot()
    def _collect(self) -> None:
        """Collect what is young; now and then everything, which costs some milliseconds."""
        self._n_done += 1
        gc.collect(2 if self._n_done % _FULL_EVERY == 0 else 1)


@contextmanager
def collected_here() -> Iterator[None]:
    """Turn Python's collector off for the block, and collect at its end: for widgets in somebody's script.

    Otherwise a worker that allocates would collect the widgets of an earlier drawing, on its own thread. At
    the end only young objects are looked at, which are all that the block has made. What is still held by a
    variable then is not collected: let a function make the widgets, and call it in the block.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if was_enabled:
            gc.enable()
