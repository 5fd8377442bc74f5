"""`import_gradually`: imports modules one by one on the interface thread, and handles events in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from PySide6.QtCore import QObject, QTimer


def import_gradually(modules: Sequence[str], done: Callable[[], None], context: QObject) -> None:
    """Import `modules` in this order, then call `done`; ends early if `context` is destroyed.

    No other thread may do this while events are handled. Each class derived from a class of Qt is entered
    into a table of PySide's (6.11, `PepType_SOTP`), in which the interface thread looks classes up without
    Python's lock whenever a signal arrives: if the table grows meanwhile, the process ends with a
    segmentation fault.
    """
    if not modules:
        done()
        return
    import_module(modules[0])
    QTimer.singleShot(0, context, lambda: import_gradually(modules[1:], done, context))
