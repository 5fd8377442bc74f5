"""Tests of arrays in files: their numbers stay, their memory does not."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.trace import memory as file_arrays
from bertviz_app.trace.memory import array_in_file, release_pages

SHAPE = (4, 1 << 20)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc; elsewhere arrays are in memory")


def _in_memory() -> int:
    """Return the bytes of this process that are in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@on_linux
def test_numbers_stay_when_their_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_arrays, "LARGE", 1000)
    array = array_in_file(SHAPE)
    before = _in_memory()
    for row in range(len(array)):
        array[row] = row
        release_pages(array[row])
        assert _in_memory() - before < array.nbytes / 2
    array.flags.writeable = False
    assert array.shape == SHAPE
    assert array.dtype == np.float32
    assert [array[row].min() for row in range(4)] == [array[row].max() for row in range(4)] == [0, 1, 2, 3]
    assert _in_memory() - before > array.nbytes / 2
    release_pages(array[2:, 5:])
    assert _in_memory() - before < array.nbytes / 2
    assert array[3, 7] == 3


@on_linux
def test_the_file_ends_with_the_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_arrays, "LARGE", 1000)
    before = len(list(Path("/proc/self/fd").iterdir()))
    array = array_in_file(SHAPE)
    array[:] = 1
    del array
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_small_arrays_are_in_memory() -> None:
    array = array_in_file((3, 5))
    array[:] = 2
    release_pages(array)
    release_pages(array[1])
    assert (array == 2).all()
    assert array.base is None


def test_without_room_in_a_file_the_array_is_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_arrays, "LARGE", 1000)
    monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    array = array_in_file(SHAPE)
    assert array.base is None
    assert array.shape == SHAPE
