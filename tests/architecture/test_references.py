"""PySide6 keeps its references: releases that lose some to True and None abort Python 3.11 in seconds."""

from __future__ import annotations

import subprocess
import sys

N_CALLS = 2_000
# What the interpreter itself gives and takes meanwhile.
SLACK = 200

PROGRAM = f"""
import sys
from PySide6.QtCore import QObject, Signal

class Sender(QObject):
    without = Signal()
    within = Signal(bool)

sender = Sender()
sender.without.connect(lambda: None)
sender.within.connect(lambda value: None)
before = sys.getrefcount(True), sys.getrefcount(None)
for _ in range({N_CALLS}):
    sender.without.emit()
    sender.within.emit(True)
    sender.setObjectName("a")
    sender.blockSignals(False)
after = sys.getrefcount(True), sys.getrefcount(None)
sys.stdout.write(f"{{after[0] - before[0]}} {{after[1] - before[1]}}")
"""


def test_signals_and_void_calls_lose_no_reference() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lost_true, lost_none = (int(change) for change in done.stdout.split())
    assert abs(lost_true) < SLACK
    assert abs(lost_none) < SLACK
