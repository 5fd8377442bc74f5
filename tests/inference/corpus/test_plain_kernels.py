"""`plain_kernels`: the settings of torch while blocks are measured, on one thread and on several."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from bertviz_app.inference.corpus.measuring import plain_kernels

N_THREADS = 3


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(N_THREADS)
    yield
    torch.set_num_threads(before)


def _settings() -> tuple[int, bool]:
    return torch.get_num_threads(), bool(torch.backends.mkldnn.enabled)


def test_the_settings_end_with_the_context() -> None:
    before = _settings()
    assert before[0] == N_THREADS

    def measure() -> None:
        with plain_kernels():
            assert _settings() == (1, False)
            raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        measure()
    assert _settings() == before


def test_a_thread_that_ends_first_leaves_the_settings_to_the_others() -> None:
    before = _settings()
    has_entered, may_leave, has_left = (threading.Event() for _ in range(3))

    def first() -> None:
        torch.get_num_threads()  # from now on this thread has a number of its own
        with plain_kernels():
            has_entered.set()
            may_leave.wait(10)
        has_left.set()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(first)
        assert has_entered.wait(10)
        assert _settings()[1] is False, "oneDNN is off for all threads"
        with plain_kernels():
            may_leave.set()
            assert has_left.wait(10)
            assert _settings() == (1, False)
        running.result()
    assert _settings() == before
