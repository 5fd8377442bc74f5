"""One run at a time in a folder: the training process holds a lock, which ends with the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bertviz_app.errors import Message
from bertviz_app.training.settings import TrainingError

_LOCK = "lock"


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Hold the lock in `folder` during the block. Raises TrainingError while another process does."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("ab") as file:
        try:
            _lock(file.fileno())
        except OSError as error:
            message = Message("Another training is under way in {0}.", folder.parent)
            raise TrainingError(
                message, Message("Wait until it has ended, or choose another folder.")
            ) from error
        yield  # closing the file lets go of the lock


if sys.platform == "win32":
    import msvcrt

    def _lock(number: int) -> None:
        os.lseek(number, 0, os.SEEK_SET)
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
