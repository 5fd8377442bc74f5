"""What must be set before numpy and torch start threads. Loads nothing."""

from __future__ import annotations

import os
import sys


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
