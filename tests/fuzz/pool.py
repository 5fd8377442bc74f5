"""Several workers at once: hands out cases, and sees those that crash, hang, or take too much memory."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.kinds import KINDS

SECONDS = 10.0
SLACK = 200_000_000
Case = tuple[str, int]


@dataclass
class Report:
    """What came of all cases: how many of each kind ended how, and what went wrong in which."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[int, str] = (0, "")

    @property
    def n_cases(self) -> int:
        return self.outcomes.total()

    def add(self, case: Case, answer: dict[str, object]) -> None:
        """Count what a worker answered for `case`."""
        name = f"{case[0]}:{case[1]}"
        seconds, rise, size = (float(str(answer[key])) for key in ("seconds", "rise", "size"))
        self.outcomes[case[0], str(answer["outcome"])] += 1
        self.slowest = max(self.slowest, (seconds, name))
        self.largest = max(self.largest, (int(rise), name))
        if answer["trouble"]:
            self.faults.append(f"{name}: {answer['outcome']}: {answer['trouble']}")
        if answer["tried"]:
            self.faults.append(f"{name}: tried {answer['tried']}")
        if rise > 2 * size + SLACK:
            self.faults.append(f"{name}: took {rise / 1e6:.0f} MB of memory for a file of {size:.0f} bytes")

    def fail(self, case: Case, what: str, report: str = "") -> None:
        """Count a case that its worker did not survive."""
        self.outcomes[case[0], what] += 1
        self.faults.append(f"{case[0]}:{case[1]}: {what} {report[-1500:]}")


class Worker:
    """One process with copies of the sound checkpoints; started anew after a case that it did not survive."""

    def __init__(self, home: Path, copy: Path, module: str) -> None:
        self._home = home
        self._copy = copy
        self._module = module
        self._process: subprocess.Popen[str] | None = None

    def answer(self, case: Case, report: Report) -> None:
        """Have the worker do one case, and count what came of it."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{case[0]} {case[1]}\n")
            process.stdin.flush()
            is_there, _, _ = select.select([process.stdout], [], [], SECONDS)
            line = process.stdout.readline() if is_there else None
        except BrokenPipeError:
            line = ""
        if line:
            report.add(case, json.loads(line))
            return
        what = "hung" if line is None else "crashed"
        self.close()
        report.fail(case, what, (self._copy / "stderr").read_text(errors="replace"))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            shutil.rmtree(self._copy, ignore_errors=True)
            shutil.copytree(self._home, self._copy)
            command = [sys.executable, "-m", self._module, str(self._home), str(self._copy)]
            environment = os.environ | {"HF_HUB_CACHE": str(self._copy / "hub"), "OMP_NUM_THREADS": "1"}
            environment |= {"PYTHONFAULTHANDLER": "1", "TOKENIZERS_PARALLELISM": "false"}
            with (self._copy / "stderr").open("w") as errors:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    text=True,
                    env=environment,
                )
            self._wait_until_ready(self._process)
        return self._process

    def _wait_until_ready(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise RuntimeError((self._copy / "stderr").read_text(errors="replace"))


def cases(n_cases: int, first_seed: int = 0) -> Iterator[Case]:
    """Yield about `n_cases` (kind, seed), each kind by its share, the seeds of each from `first_seed` on."""
    total = sum(kind.share for kind in KINDS.values())
    for name, kind in KINDS.items():
        for number in range(-(-n_cases * kind.share // total)):
            yield name, first_seed + number


def run(
    home: Path,
    cases: Iterable[Case],
    n_workers: int,
    module: str = "tests.fuzz.worker",
    report: Report | None = None,
) -> Report:
    """Return what came of the `wanted` cases, done by `n_workers` processes at a time."""
    found, lock, remaining = report or Report(), threading.Lock(), iter(cases)

    def work(worker: Worker) -> None:
        try:
            while True:
                with lock:
                    case = next(remaining, None)
                if case is None:
                    return
                answer = Report()
                worker.answer(case, answer)
                with lock:
                    _join(found, answer)
        except RuntimeError as error:
            found.faults.append(f"a worker did not start: {error}")
        finally:
            worker.close()

    with tempfile.TemporaryDirectory() as made:
        workers = [Worker(home, Path(made) / str(number), module) for number in range(n_workers)]
        threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return found


def _join(report: Report, other: Report) -> None:
    report.outcomes += other.outcomes
    report.faults += other.faults
    report.slowest = max(report.slowest, other.slowest)
    report.largest = max(report.largest, other.largest)
