"""Where the garbage of tests is collected."""

from __future__ import annotations

import gc
import threading


def _threads_that_collect() -> set[threading.Thread]:
    """Return the threads that collect garbage while a worker allocates more than Python waits for."""
    found: set[threading.Thread] = set()
    gc.callbacks.append(lambda *_: found.add(threading.current_thread()))
    worker = threading.Thread(target=lambda: [[number] for number in range(10 * gc.get_threshold()[0])])
    worker.start()
    worker.join()
    gc.callbacks.pop()
    return found - {threading.current_thread()}


def test_a_worker_collects_nothing() -> None:
    assert _threads_that_collect() == set()


def test_it_would_where_the_collector_is_left_as_python_has_it() -> None:
    gc.collect()  # the worker is to find no widget of an earlier test
    gc.enable()
    try:
        assert len(_threads_that_collect()) == 1
    finally:
        gc.disable()
