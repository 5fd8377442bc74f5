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

    Raises TrainingError while another process holds it, and FileError where files cannot be locked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("ab") as file:
        try:
            _lock(file.fileno())
        except OSError as error:
            if error.errno not in _IS_HELD:
                reason = error.strerror or str(error)
                message = Message("{0} could not be written: {1}.", file.name, reason)
                raise FileError(message, Message("Choose another folder.")) from error
            message = Message("Another training is under way in {0}.", folder.parent)
            raise TrainingError(
                message, Message("Wait until it has ended, or choose another folder.")
            ) from error
        yield  # closing the file releases the lock


if sys.platform == "win32":
    import msvcrt

    def _lock(number: int) -> None:
        os.lseek(number, 0, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
