"""Garbage of tests with Qt objects is collected on the main thread, as the window's `Collector` does it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def garbage_of_main_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no worker collect: a timer in a cycle that dies on another thread warns, or ends the process."""
    if not {"qapp", "qtbot"} & set(request.fixturenames):
        yield
        return
    gc.disable()
    yield
    gc.collect(1)
    gc.enable()
