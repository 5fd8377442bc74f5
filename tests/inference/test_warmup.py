"""How torch is imported beside a window that paints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_TORCH = """
def get_num_threads(): return 1
def set_num_threads(number): pass
"""
_PROGRAM = """
import ctypes, sys, threading, time
from bertviz_app.inference.warmup import preload_torch
open_library, n_at_once, most = ctypes.CDLL, [0], [0]
def slow(name):
    n_at_once[0] += 1
    most[0] = max(most[0], n_at_once[0])
    time.sleep(0.2)
    n_at_once[0] -= 1
    return open_library(name)
ctypes.CDLL = slow
threads = [threading.Thread(target=preload_torch) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.stdout.write(f"{most[0]} {'torch' in sys.modules}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="libraries are opened beforehand on Linux alone")
def test_one_of_several_threads_opens_the_libraries(tmp_path: Path) -> None:
    assert _with_small_torch(_PROGRAM, tmp_path) == "1 True"


def _with_small_torch(program: str, folder: Path) -> str:
    """Return what `program` prints where a package of two functions is called torch."""
    package = folder / "torch"
    (package / "lib").mkdir(parents=True)
    (package / "__init__.py").write_text(_TORCH, encoding="utf-8")
    paths = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": paths},
    )
    return done.stdout
