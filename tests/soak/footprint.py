"""`Footprint`: what a process holds of the system: memory, threads, open files; on Linux alone."""

from __future__ import annotations

import ctypes
import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Footprint:
    """`held` and `mapped` in bytes; `threads` by the names that the system knows, `files` by what they are.

    `held` is memory of the process's own. `mapped` are the pages of libraries, fonts and weights that were
    read: the system takes them back when it needs room, and counts those of a font again for each time that
    Qt has mapped its file.
    """

    held: int
    mapped: int
    threads: tuple[str, ...]
    files: tuple[str, ...]

    def __str__(self) -> str:
        n_threads, n_files = len(self.threads), len(self.files)
        memory = f"{self.held / 1e6:.1f} MB and {self.mapped / 1e6:.1f} MB of files"
        return f"{memory}, {n_threads} threads, {n_files} open files"


def footprint() -> Footprint:
    """Return what this process holds, after all that can be freed is given back to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    values = dict(line.split(":", 1) for line in status.splitlines())
    held, mapped = (
        sum(1024 * int(values[name].split()[0]) for name in names)
        for names in (("RssAnon", "RssShmem"), ("RssFile",))
    )
    tasks = sorted(Path("/proc/self/task").iterdir())
    threads = tuple(sorted((task / "comm").read_text(encoding="utf-8").strip() for task in tasks))
    return Footprint(held, mapped, threads, tuple(sorted(_targets(Path("/proc/self/fd")))))


def _targets(folder: Path) -> Iterator[str]:
    for link in folder.iterdir():
        with suppress(OSError):  # the one that lists the folder is closed by now
            yield str(link.readlink())


def complaints(rests: Sequence[Footprint], *, most_growth: int = 20_000_000) -> list[str]:
    """Say what grew between the first and the last of the footprints taken at rest, after warm-up.

    Memory is compared by the smaller of the last two: a cache that is filled at one rest and given back at
    the next has not grown. Threads and files that are left over stay, so that the last one alone counts.
    """
    if len(rests) < 2:
        return []
    first, last = rests[0], rests[-1]
    growth = min(each.held for each in rests[-2:]) - first.held
    found = [f"memory grew by {growth / 1e6:.1f} MB"] if growth > most_growth else []
    for what, before, after in (
        ("threads", first.threads, last.threads),
        ("open files", first.files, last.files),
    ):
        if len(after) > len(before):
            more = ", ".join((Counter(after) - Counter(before)).elements())
            found.append(f"{len(after) - len(before)} {what} are left over: {more}")
    return found
