"""Importing torch without blocking a window that paints on another thread."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from bertviz_app.inference.jobs import n_processors

_RTLD_NOW_GLOBAL = 0x2 | 0x100
_LIBRARIES = ("libgomp*.so*", "libc10.so", "libtorch_cpu.so", "libtorch_python.so")
_ONE_BY_ONE = threading.Lock()


def preload_torch() -> None:
    """Import torch, with its libraries opened first by calls that release the interpreter's lock.

    `import torch` loads 400 MB of libraries while it holds the lock, which blocks every other thread; a
    ctypes call releases the lock. Does nothing where torch is imported already. Of several threads one does
    it and the others wait: if two opened libraries at once, the second would wait for the loader of the
    system, and hold the interpreter's lock meanwhile.
    """
    if "torch" in sys.modules:
        return
    with _ONE_BY_ONE:
        if "torch" not in sys.modules:
            _import_torch()


def _import_torch() -> None:
    # Threads that wait in a busy loop would take the processor from the window.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with suppress(ImportError):
        spec = importlib.util.find_spec("torch") if sys.platform == "linux" else None
        if folders := spec.submodule_search_locations if spec else None:
            loader = ctypes.CDLL(None)
            loader.dlopen.restype = ctypes.c_void_p
            loader.dlopen.argtypes = (ctypes.c_char_p, ctypes.c_int)
            for pattern in _LIBRARIES:
                for path in sorted(Path(folders[0], "lib").glob(pattern)):
                    loader.dlopen(os.fsencode(path), _RTLD_NOW_GLOBAL)
        import torch

        torch.set_num_threads(min(torch.get_num_threads(), n_processors()))
        if not gc.isenabled():  # as in the window, which collects itself: looking at all of torch takes 90 ms
            gc.freeze()
