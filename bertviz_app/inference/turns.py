"""`Turns`: a lock that work in a hurry gets before work that takes it again and again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """One caller at a time; between two turns of patient callers those in a hurry come first.

    A plain lock would let a thread that releases it and takes it again at once, as an analysis does from
    forward pass to forward pass, pass by a thread that has been waiting. A thread may enter again inside.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition()
        self._n_in_a_hurry = 0

    @property
    def is_awaited(self) -> bool:
        """Whether somebody in a hurry waits."""
        with self._changed:
            return self._n_in_a_hurry > 0

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """Wait for the caller whose turn it is, and for no patient one."""
        with self._changed:
            self._n_in_a_hurry += 1
        try:
            self._lock.acquire()
        finally:
            with self._changed:
                self._n_in_a_hurry -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Wait until nobody in a hurry waits, and for the caller whose turn it is."""
        with self._changed:
            self._changed.wait_for(lambda: self._n_in_a_hurry == 0)
        with self._lock:
            yield
