"""What a test leaves in memory of the program's windows and of their state: nothing."""

from __future__ import annotations

import gc
import sys
from collections import Counter

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject

from tests.support.collector import release_values


def living() -> Counter[str]:
    """Return how many Qt objects of the program's own classes there are, by the names of the classes.

    What is counted is what Python holds; Qt has deleted most of it long before.
    """
    kinds = Counter(map(type, gc.get_objects()))
    return Counter({kind.__qualname__: n for kind, n in kinds.items() if _is_of_program(kind)})


def _is_of_program(kind: type) -> bool:
    return issubclass(kind, QObject) and kind.__module__.startswith("bertviz_app.")


def collect(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Counter[str]:
    """Free all that the test of `request` no longer needs; return what of the program is left, as `living`.

    Qt holds until the next turn of its loop what it is to delete, pytest until the next test the values of
    fixtures and the tracebacks of log records. Where nothing is left, later collections need not look at what
    there is now: imported modules, and what pytest knows of its tests.
    """
    if QCoreApplication.instance() is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    release_values(request)
    for when in ("setup", "call"):
        caplog.get_records(when).clear()
    gc.collect()
    left = living()
    if not left:
        gc.freeze()
    return left


def free() -> None:
    """Free what nothing needs any more, with what Qt was to delete in the next turn of its loop."""
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def has_failed() -> bool:
    """Return whether the test that ends has failed: pytest holds its traceback, and so what it used."""
    return hasattr(sys, "last_value")
