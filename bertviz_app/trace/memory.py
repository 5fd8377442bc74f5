"""`TraceMemory`: arrays for traces, in memory that an earlier trace no longer uses."""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Floats

MOST_BYTES = 400_000_000
"""Of larger traces the memory goes back to the operating system."""
_SPARE = 0.25
"""The part by which a block is larger than needed, so that a text may grow by some words."""


class TraceMemory:
    """Lends arrays; the memory of those that nobody refers to any more is lent again.

    Memory that is new to a process is filled with zeros by the operating system when it is first written,
    which takes a part of the time of each pass, see the decisions. One block at most is held unused.
    """

    def __init__(self) -> None:
        self._unused: deque[NDArray[np.uint8]] = deque(maxlen=1)

    def arrays(self, shapes: Sequence[tuple[int, ...]]) -> list[Floats]:
        """Return float32 arrays of these shapes, next to each other; their numbers are arbitrary."""
        sizes = [math.prod(shape) for shape in shapes]
        numbers = self._lend(4 * sum(sizes)).view(np.float32)
        starts = [sum(sizes[:number]) for number in range(len(sizes))]
        lent = zip(starts, sizes, shapes, strict=True)
        return [numbers[start : start + size].reshape(shape) for start, size, shape in lent]

    def _lend(self, n_bytes: int) -> NDArray[np.uint8]:
        """Return at least `n_bytes` bytes, in a block that is used again once no array refers to it."""
        try:
            block = self._unused.pop()
        except IndexError:
            block = np.empty(0, np.uint8)
        if not n_bytes <= block.nbytes <= 4 * n_bytes:
            # NumPy requests large memory pages, which torch's allocator does not: the first write is cheaper.
            block = np.empty(round(n_bytes * (1 + _SPARE)) // 64 * 64 + 64, np.uint8)
        lease = _Lease(block)
        if block.nbytes <= MOST_BYTES:
            weakref.finalize(lease, self._unused.append, block).atexit = False
        return np.asarray(lease)


class _Lease:
    """What all arrays in a block refer to: it is deleted when the last of them is."""

    def __init__(self, block: NDArray[np.uint8]) -> None:
        self.__array_interface__ = block.__array_interface__
        self._block = block
