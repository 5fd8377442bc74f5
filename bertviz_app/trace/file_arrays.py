"""Arrays in temporary files: the rarely read arrays of a long text take no memory until they are read."""

from __future__ import annotations

import math
import mmap
import os
import tempfile

import numpy as np

from bertviz_app.types import Floats

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
