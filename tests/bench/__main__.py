"""`make bench`: every row of the table, the peer measured in the same run, on screen and in `bench.json`.

`python -m tests.bench [--only PART ...] [--out FILE] [--minutes N]`. Each part is a script of this folder,
in a process of its own; what it did not measure stands in the table with the reason. Where rounds take long
a part makes fewer of them, so that a machine a third as fast as most has every row in thirty minutes, too.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.machine import hand_on, machine, measure_speeds, versions
from tests.bench.rows import HEADER, ROWS_FILE, Row, emit, read_emitted, write_json, write_line

MINUTES = 30.0
_SPARE = 5.0
"""Seconds that are left for the end: processes that are stopped, and the file."""


@dataclass(frozen=True)
class Part:
    """A script with its arguments, the seconds that others leave for it, and what is missing without it."""

    name: str
    command: tuple[str, ...]
    kept: float
    what: str


PARTS = (
    Part("first-window", ("tests.bench.window", "first"), 90, "first window"),
    Part("frames", ("tests.bench.frames", "--table", "--frames", "120"), 300, "frames"),
    Part("letters", ("tests.bench.letters",), 90, "letter to painted overview"),
    Part("stalls", ("tests.bench.window", "stalls"), 40, "longest stall while texts are encoded"),
    Part("forward", ("tests.bench.forward", "--stages"), 240, "forward pass"),
    Part("cuda", ("tests.bench.cuda",), 30, "forward pass on cuda"),
    Part("overview", ("tests.bench.window", "overviews"), 150, "text to painted overview"),
    Part("corpus", ("tests.bench.corpus", "--rounds", "2"), 120, "measures of 1,000 texts"),
    Part("examples", ("tests.bench.examples", "--rounds", "1"), 60, "examples of heads over 1,000 texts"),
    Part("analyses", ("tests.bench.analyses", "--table"), 90, "an analysis, the slowest"),
    Part("figures", ("tests.bench.figures",), 30, "a figure, the slowest"),
    Part("data-frame", ("tests.bench.data_frame",), 40, "data frame of tokens x tokens"),
    Part("long", ("tests.bench.long",), 510, "8,192 tokens"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and write the file; return 1 if a part did not finish, held budgets or not."""
    options = _options(arguments)
    ends = time.monotonic() + 60 * options.minutes - _SPARE
    found = measure_speeds()
    hand_on(found)
    about, of_packages = machine(found), versions()
    write_line(
        "  ".join(f"{name} {value}" for name, value in (about | of_packages).items() if value is not None)
    )
    write_line(HEADER)
    with tempfile.TemporaryDirectory() as folder:
        rows_file = Path(folder, "rows.jsonl")
        os.environ[ROWS_FILE] = str(rows_file)
        parts = [part for part in PARTS if not options.only or part.name in options.only]
        for at, part in enumerate(parts):
            kept = sum(later.kept for later in parts[at + 1 :])  # a part that hangs leaves the others theirs
            run_part(part, ends - time.monotonic() - kept)
        rows = read_emitted(rows_file)
    write_json(options.out, about, of_packages, rows)
    return int(any(row.is_failure for row in rows))


def run_part(part: Part, limit: float) -> None:
    """Run a part, which appends its rows to the file; else append a row with the reason why there is none."""
    if limit <= 0:
        emit(Row(part.what, remark="not run: the time was up", is_failure=True))
        return
    command = [sys.executable, "-m", *part.command]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with the processes that it started
        process.communicate()
        emit(Row(part.what, remark=f"stopped after {limit:.0f} s; rows above are complete", is_failure=True))
        return
    if process.returncode:
        reason = (errors.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
        emit(Row(part.what, remark=f"failed: {reason}", is_failure=True))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names = [part.name for part in PARTS]
    parser.add_argument("--only", nargs="+", choices=names, default=[], metavar="PART", help=", ".join(names))
    parser.add_argument("--out", type=Path, default=Path("bench.json"), help="bench.json unless given")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="the most that all parts may take")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
