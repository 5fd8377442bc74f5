"""Arrays for traces, in memory that an earlier trace no longer uses, or in files."""

from __future__ import annotations

import math
import mmap
import os
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from bertviz_app.types import Bytes, Floats

MOST_BYTES = 400_000_000
"""The memory of larger traces goes back to the operating system."""


def new_block(n_bytes: int) -> Bytes:
    """Return memory that is new to the process.

    NumPy requests large memory pages, which torch's allocator does not: the first write is cheaper.
    """
    return np.empty(n_bytes, np.uint8)


class TraceMemory:
    """Makes arrays in blocks of memory, and uses a block again once no array refers to it.

    The operating system fills memory that is new to a process with zeros when it is first written, which
    takes a noticeable part of each pass (`resources/docs/explanation/decisions.md`). All checkpoints of a
    device share one, so that what is held does not grow with their number. `make` returns a block of a number
    of bytes.
    """

    def __init__(self, make: Callable[[int], Bytes] = new_block) -> None:
        self._make = make
        # Blocks that no trace uses are held for two runs side by side.
        self._unused: deque[tuple[Bytes, int]] = deque(maxlen=2)
        """Blocks, the one unused for longest first, and how many traces had no use for each."""

    def arrays(self, shapes: Sequence[tuple[int, ...]]) -> list[Floats]:
        """Return float32 arrays of these shapes, next to each other; their numbers are arbitrary."""
        sizes = [math.prod(shape) for shape in shapes]
        n_bytes = 4 * sum(sizes)
        unused = []
        while self._unused:
            with suppress(IndexError):  # another thread took it
                unused.append(self._unused.popleft())
        fits = [block for block, _ in unused if n_bytes <= block.nbytes <= 4 * n_bytes]
        block = min(fits, key=lambda block: block.nbytes, default=None)
        # Of the others those are dropped that too many traces had no use for.
        others = ((other, n_passed + 1) for other, n_passed in unused if other is not block)
        self._unused.extend((other, n_passed) for other, n_passed in others if n_passed <= 2)
        if block is None:
            # A quarter larger than needed, so that the next text may be longer by some words.
            block = self._make(round(n_bytes * 1.25) // 64 * 64 + 64)
        lease = _Lease(block)
        if block.nbytes <= MOST_BYTES:
            weakref.finalize(lease, self._unused.append, (block, 0)).atexit = False
        numbers = np.asarray(lease).view(np.float32)
        starts = [sum(sizes[:number]) for number in range(len(sizes))]
        parts = zip(starts, sizes, shapes, strict=True)
        return [numbers[start : start + size].reshape(shape) for start, size, shape in parts]


class _Lease:
    """The owner of a block, to which all arrays in it refer: it is deleted with the last of them."""

    def __init__(self, block: Bytes) -> None:
        self.__array_interface__ = block.__array_interface__
        self._block = block


LARGE = 200 << 20
"""Arrays of more bytes than this may be in a file."""


def array_in_file(shape: tuple[int, ...]) -> Floats:
    """Return a float32 array of this shape in an unnamed temporary file, which is deleted with the array.

    It is in memory if it is not LARGE, or if the system cannot reserve that much room in a file.
    """
    n_bytes = 4 * math.prod(shape)
    if n_bytes > LARGE and hasattr(os, "posix_fallocate") and hasattr(mmap, "MADV_DONTNEED"):
        try:
            with tempfile.TemporaryFile() as file:
                # Room is reserved now: a disk that is full later would end the process at a write.
                os.posix_fallocate(file.fileno(), 0, n_bytes)
                pages = mmap.mmap(file.fileno(), n_bytes)
        except OSError:
            pass
        else:
            return np.frombuffer(pages, np.float32).reshape(shape)
    return np.empty(shape, np.float32)


def release_pages(array: Floats) -> None:
    """Give back the memory of an array in a file, or of the one that `array` is a part of.

    Its numbers stay in the file and are read again on the next access. Other arrays are left as they are.
    """
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview) and isinstance(owner.obj, mmap.mmap):
        owner.obj.madvise(mmap.MADV_DONTNEED)
