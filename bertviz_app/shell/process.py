"""What concerns the whole process: how its threads wait, and where its log goes. Loads no numpy."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bertviz_app import paths


def prepare_process() -> None:
    """Set how threads wait and switch; call it before numpy or torch is imported.

    Measured on two processors: while others use them too, torch's threads that spin are 4 to 8 times
    slower, and OpenBLAS with two threads makes the many small products of an overview 6 to 60 times
    slower; on a quiet machine one thread of OpenBLAS costs nothing here. A switch interval of 0.5 ms
    lets the interface thread in ten times as often.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.setswitchinterval(0.0005)


def log_file() -> Path:
    """Return the file that tells what went wrong."""
    return paths.settings() / "bertviz-app.log"


@contextmanager
def logging_to_file() -> Iterator[Path]:
    """Send log records to the log file, whose path is yielded, else to standard error."""
    log = log_file()
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = logging.FileHandler(log, encoding="utf-8", errors="backslashreplace")
    except OSError:
        handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    try:
        yield log
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
