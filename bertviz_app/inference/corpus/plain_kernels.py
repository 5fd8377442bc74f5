"""`plain_kernels`: lets torch compute on one thread and without oneDNN while blocks are measured."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def plain_kernels() -> Iterator[None]:
    """Let torch compute on one thread and without oneDNN.

    With more threads, sums of another order have other last digits. oneDNN compiles a kernel for each shape
    and keeps a thousand of them: for texts of all lengths that takes hundreds of megabytes, and more time
    than it saves. Both settings are those of the whole process, so they hold for other threads too, and end
    with the last of the contexts that threads are in at the same time: a worker of Dask's may have several.
    A thread that leaves before another computes on one thread from then on.
    """
    with _CONTEXTS.entered():
        yield


class _Contexts:
    """Counts the contexts that threads are in: the first one makes the settings, the last one ends them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_entered = 0
        self._settings = ExitStack()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Count one context more until it ends."""
        import torch

        with self._lock:
            if self._n_entered == 0:
                self._settings.enter_context(_settings())
            self._n_entered += 1
            torch.set_num_threads(1)  # a thread that has computed before keeps a number of its own
        try:
            yield
        finally:
            with self._lock:
                self._n_entered -= 1
                if self._n_entered == 0:
                    self._settings.close()


@contextmanager
def _settings() -> Iterator[None]:
    import torch

    n_threads, mkldnn = torch.get_num_threads(), torch.backends.mkldnn
    try:
        # Without these arguments `flags` would set the other two to its defaults.
        with mkldnn.flags(enabled=False, deterministic=mkldnn.deterministic, allow_tf32=mkldnn.allow_tf32):
            yield
    finally:
        torch.set_num_threads(n_threads)


_CONTEXTS = _Contexts()
