"""What concerns the whole process: what PySide's import hook reads, what oneDNN keeps of what it compiled."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from bertviz_app.torch_operations import has_onednn_product

_PROGRAM = """
import linecache, sys
from bertviz_app.shell.process import skip_source_search
skip_source_search()
import bertviz_app.shell.application
lines = [len(linecache.cache.get(module.__file__ or "", ((),) * 3)[2]) for name, module in sys.modules.items()
         if name.startswith("bertviz_app.")]
print(len(lines), sum(lines))
"""


def test_no_source_is_read_for_the_import_hook_of_pyside() -> None:
    """Of some 300 modules of ours that the window imports, no line stays in memory."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    n_modules, n_lines = map(int, done.stdout.split())
    assert n_modules > 100
    assert n_lines == 0


_PRODUCTS = """
import ctypes, re
from bertviz_app.shell.process import prepare_process
prepare_process()
import torch
from bertviz_app.torch_operations import onednn_product

def resident():
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\\s+(\\d+)", status.read())[1]) / 1024

weights = [torch.zeros(wide, narrow) for wide, narrow in ((64, 64), (256, 64), (64, 256))]

@torch.inference_mode()
def multiply(lengths):
    for n_tokens in lengths:
        for weight in weights:
            onednn_product(torch.zeros(1, n_tokens, weight.shape[1]), weight, None)
"""

_LENGTHS = """
multiply(range(1, 51))
before = resident()
multiply(range(51, 251))
print(resident() - before)
"""

_THREADS = """
from concurrent.futures import ThreadPoolExecutor

threads = [ThreadPoolExecutor(1) for _ in range(4)]
held = [thread.submit(multiply, range(1, 51)).result() or resident() for thread in threads]
print((held[-1] - held[0]) / 3)
"""


_COMPILES = has_onednn_product() and sys.platform == "linux" and platform.machine() == "x86_64"


@pytest.mark.skipif(not _COMPILES, reason="whether oneDNN compiles products here is not known")
@pytest.mark.parametrize(("program", "most_mb"), [(_LENGTHS, 20), (_THREADS, 10)])
def test_products_of_many_lengths_keep_little_memory(program: str, most_mb: float) -> None:
    """In MB, of 200 more lengths, and of each further thread.

    Without what `prepare_process` sets, torch keeps more than 60 of the lengths; of 64 products, 20 a thread.
    """
    environment = {name: value for name, value in os.environ.items() if "CACHE_CAPACITY" not in name}
    command = [sys.executable, "-c", _PRODUCTS + program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert float(done.stdout) < most_mb
