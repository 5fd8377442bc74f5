"""One run at a time in a folder: the training process holds a lock, which ends with the process."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bertviz_app.errors import FileError, Message
from bertviz_app.training.settings import TrainingError

LOCK = "lock"
"""The file in the folder of a run; it stays there."""
_IS_HELD = {errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK}
"""What a lock is refused with while another process holds it; else the disk has no locks."""


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Hold the lock in `folder` during the block.

    Raises TrainingError while another process holds it, and FileError where there can be no file, or files
    cannot be locked.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("ab")
    except OSError as error:
        raise _not_written(folder, error) from error
    with file:
        try:
            _lock(file.fileno())
        except OSError as error:
            if error.errno not in _IS_HELD:
                raise _not_written(file.name, error) from error
            message = Message("Another training is under way in {0}.", folder.parent)
            raise TrainingError(
                message, Message("Wait until it has ended, or choose another folder.")
            ) from error
        yield  # closing the file releases the lock


def _not_written(path: Path | str, error: OSError) -> FileError:
    message = Message("{0} could not be written: {1}.", path, error.strerror or error)
    return FileError(message, Message("Choose another folder."))


if sys.platform == "win32":
    import msvcrt

    def _lock(number: int) -> None:
        os.lseek(number, 0, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
