"""Collects garbage as the program does: not in what is imported, and Qt objects on the main thread."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


def pytest_collection_finish() -> None:
    """Spare later collections what is imported, as the program does it after its start."""
    gc.collect()
    gc.freeze()


def release_values(request: pytest.FixtureRequest) -> None:
    """Drop what the fixtures of a test that ends have made: pytest holds it until the next test."""
    if request.node.funcargs is not None:  # as it is where pytest-qt has put off the end of a failed test
        request.node.funcargs.clear()


@pytest.fixture(autouse=True)
def garbage_of_main_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no worker collect: a timer in a cycle that dies on another thread warns, or ends the process."""
    if not {"qapp", "qtbot"} & set(request.fixturenames):
        yield
        return
    gc.disable()
    yield
    release_values(request)  # else they survive this collection, and later ones of young objects
    gc.collect(1)
    gc.enable()
