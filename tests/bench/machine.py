"""What this machine is, and how fast its matrix products and memory copies are."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

_SPEEDS = "BENCH_SPEEDS"
"""The environment variable by which `make bench` hands the speeds to the processes of its parts."""
_PACKAGES = ("torch", "numpy", "PySide6-Essentials", "pyqtgraph", "tokenizers", "transformers", "bertviz")
_SIDE = 2048
_COPIED = 256 * 2**20
_ROUNDS = 7


@dataclass(frozen=True)
class Speeds:
    """Operations a second of a float32 matrix product, and bytes a second that a copy reads and writes.

    Both are given for as many threads as the forward passes use here, and for one thread.
    """

    n_threads: int
    product: float
    product_alone: float
    copy: float
    copy_alone: float


@cache
def speeds() -> Speeds:
    """Return the speeds of this machine: those that `make bench` measured before, else measured now."""
    known = os.environ.get(_SPEEDS)
    return Speeds(**json.loads(known)) if known else measure_speeds()


def hand_on(found: Speeds) -> None:
    """Let the processes that are started from here on use these speeds."""
    os.environ[_SPEEDS] = json.dumps(asdict(found))


def measure_speeds() -> Speeds:
    """Measure the speeds: the fastest of some products of 2,048 x 2,048 matrices and of copies of 256 MiB."""
    import torch

    before = torch.get_num_threads()
    left, right = torch.rand(_SIDE, _SIDE), torch.rand(_SIDE, _SIDE)
    source = torch.rand(_COPIED // 4)
    target = torch.empty_like(source)
    found = []
    try:
        # One thread is timed by the processor, as the rows of one thread are: a busy machine slows it less.
        for n_threads, clock in ((before, time.perf_counter), (1, time.thread_time)):
            torch.set_num_threads(n_threads)
            product = 2 * _SIDE**3 / _seconds(lambda: torch.mm(left, right), clock)
            found += [product, 2 * _COPIED / _seconds(lambda: target.copy_(source), clock)]
    finally:
        torch.set_num_threads(before)
    product, copy, product_alone, copy_alone = found
    return Speeds(before, product, product_alone, copy, copy_alone)


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    times = []
    for _ in range(_ROUNDS):
        started = clock()
        work()
        times.append(clock() - started)
    return min(times)


def machine(found: Speeds) -> dict[str, object]:
    """Return what `bench.json` says of the machine."""
    return {
        "processor": _processor(),
        "n_processors": os.cpu_count(),
        "memory_gb": round(_memory() / 1e9, 1),
        "system": platform.platform(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "n_threads": found.n_threads,
        "product_gflops": round(found.product / 1e9, 1),
        "product_gflops_one_thread": round(found.product_alone / 1e9, 1),
        "copy_gb_per_s": round(found.copy / 1e9, 2),
        "copy_gb_per_s_one_thread": round(found.copy_alone / 1e9, 2),
        "cuda": _cuda(),
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that are measured, those alone that are installed."""
    found = {"python": platform.python_version(), "bertviz-app": importlib.metadata.version("bertviz-app")}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def peak_memory() -> int:
    """Return the most bytes of memory that this process has had at once, on Linux.

    `getrusage` would count what the process had that started this one, too.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0


def _cuda() -> str | None:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else None
