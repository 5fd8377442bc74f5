"""`Turns`: a lock that urgent work gets before work that acquires it again and again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """A re-entrant lock with two priorities: a patient caller waits for every urgent one.

    With a plain lock, a thread that releases it and acquires it again at once, as an analysis does from one
    forward pass to the next, would mostly get it before a thread that has been waiting.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition()
        self._n_urgent = 0

    @property
    def is_awaited(self) -> bool:
        """Whether an urgent caller waits."""
        with self._changed:
            return self._n_urgent > 0

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Return a context that holds the lock; it is entered before any patient caller that waits."""
        with self._changed:
            self._n_urgent += 1
        try:
            self._lock.acquire()
        finally:
            with self._changed:
                self._n_urgent -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Return a context that holds the lock; it is entered once no urgent caller waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._n_urgent == 0)
        with self._lock:
            yield
