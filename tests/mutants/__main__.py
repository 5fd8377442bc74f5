"""Which small changes of the program no test notices: `python -m tests.mutants`, or `--only` some groups.

Each mutant of `killed.txt` that is still found is made in a copy of the checkout, where the tests that cover
its line run until one fails: all of them where it was killed, else those that take 15 seconds together. What
was killed when the file was written and lives now is listed at the end; the exit status is 1 then. `--write`
chooses mutants anew, with a fixed seed, and writes the file. Some mutants compute what the program computes:
no test can notice them. Not on Windows, where processes do not fork.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutants import worker
from tests.mutants.changes import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
FILE = Path(__file__).with_name("killed.txt")
GROUPS = tomllib.loads(Path(__file__).with_name("groups.toml").read_text(encoding="utf-8"))
N_MUTANTS = 40  # of each group
OUTCOMES = ("killed", "timed out", "lived", "not covered", "gone")
_SECONDS = 15.0  # what the tests of a mutant take together at most, without it; the quickest are taken
_LONGEST = 1800.0  # seconds for all tests of the chosen groups
_Run = Callable[..., int | None]
"""Runs a job of the worker; returns the status of pytest, None where its time was over."""


@cache
def _of_file(root: Path, file: Path) -> list[Mutant]:
    return list(mutants_of(file.relative_to(root).as_posix(), file.read_bytes()))


def every(root: Path, *places: str) -> Iterator[Mutant]:
    """Yield the mutants of files and folders."""
    for place in places:
        path = root / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path] * path.exists():
            yield from _of_file(root, file)


def choose(root: Path, group: str) -> list[Mutant]:
    """Return mutants of different statements, the same ones of the same files."""
    seeded, chosen = random.Random(group), dict[tuple[str, ...], Mutant]()

    def place(each: Mutant) -> float:
        """Return a random number, larger where a whole result is missing, which nearly any test notices."""
        return seeded.random() * (4 if each.change.endswith(("removed", "-> None")) else 1)

    for each in sorted(every(root, *GROUPS[group]["changed"]), key=place):
        chosen.setdefault((each.file, each.function, each.statement), replace(each, group=group))
    return sorted(list(chosen.values())[:N_MUTANTS], key=lambda each: (each.file, each.line))


def find(root: Path, wanted: Mutant) -> Mutant:
    """Return `wanted` where it is today, also where one statement alone can be it; line 0 if gone."""

    def alike(each: Mutant) -> bool:
        return (each.statement, each.change, each.nth) == (wanted.statement, wanted.change, wanted.nth)

    found = [each for each in every(root, wanted.file) if each == wanted]
    if not found:
        found = [each for each in every(root, "bertviz_app") if alike(each)]
        name = wanted.function.rpartition(".")[2]
        found = [each for each in found if each.function.rpartition(".")[2] == name] or found
    now = found[0] if len(found) == 1 else replace(wanted, line=0)
    return replace(now, group=wanted.group, outcome=wanted.outcome)


class Tree:
    """A copy of the checkout in a temporary folder, and what runs tests there."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self._folder, self._n_written = folder / "tree", folder, 0
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=root, check=True, capture_output=True).stdout.decode().split("\0")
        for name in names:
            if (root / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, self.root / name)

    @contextmanager
    def worker(self) -> Iterator[_Run]:
        """Yield what runs a job. Raises SystemExit where pytest does not end by itself."""
        path = os.pathsep.join([str(self.root), *filter(None, [os.environ.get("PYTHONPATH")])])
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "CI"), "1")
        own = {"PYTHONPATH": path, "PYTHONHASHSEED": "0", "COVERAGE_CORE": "ctrace"}
        environment = os.environ | one | own | {"QT_QPA_PLATFORM": "offscreen"}
        places = {"log": str(self._folder / "log"), "temporary": str(self._folder / "temporary")}
        command, pipe = [sys.executable, "-P", worker.__file__], subprocess.PIPE
        with subprocess.Popen(
            command, cwd=self.root, env=environment, stdin=pipe, stdout=pipe, text=True
        ) as process:

            def run(**job: Any) -> int | None:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(json.dumps(places | job) + "\n")
                process.stdin.flush()
                status: int | None = json.loads(process.stdout.readline())
                if status == worker.BROKEN:
                    raise SystemExit(self.log())
                return status

            yield run

    def log(self) -> str:
        """Return what pytest has printed last."""
        return (self._folder / "log").read_text(encoding="utf-8", errors="replace")

    def covered(self, run: _Run, files: set[str], tests: Sequence[str]) -> dict[str, Any]:
        """Return how long each test takes, and the tests of each line of the files."""
        out, measured = self._folder / "covered.json", [str(self.root / file) for file in files]
        run(files=measured, tests=list(tests), out=str(out), limit=_LONGEST)
        found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        run(libraries=found["libraries"])
        return found

    def outcome(self, run: _Run, mutant: Mutant, tests: list[str], limit: float) -> str:
        """Return what becomes of a mutant: the file of the quickest test is tried by itself first."""
        path = self.root / mutant.file
        source = path.read_bytes()
        self._write(path, mutant.applied(source))
        first = [test for test in tests if test.partition("::")[0] == tests[0].partition("::")[0]]
        status: int | None = 0
        for part in (first, [test for test in tests if test not in first]):
            if part and status == 0:
                status = run(tests=part, limit=limit)
        self._write(path, source)
        return {0: "lived", 5: "not covered", None: "timed out"}.get(status, "killed")

    def _write(self, path: Path, source: bytes) -> None:
        """Write a file with a time of its own, by which Python knows that its bytecode is an old one's."""
        path.write_bytes(source)
        self._n_written += 1
        os.utime(path, (self._n_written, self._n_written))


def outcomes(mutants: Sequence[Mutant], root: Path, tests: Sequence[str]) -> Iterator[Mutant]:
    """Yield each mutant with its outcome today; raises SystemExit where tests fail without any change."""
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        tree, tried = Tree(root, Path(folder)), set[str]()
        with tree.worker() as run:
            covered = tree.covered(run, {each.file for each in mutants if each.line}, tests)
            for test in covered["failed"]:
                sys.stdout.write(f"left out, since it fails without any change: {test}\n")
            for each in mutants:
                lines = covered["tests"].get(str(tree.root / each.file), {})
                chosen, seconds = list[str](), 0.0
                for test in lines.get(str(each.line), ()):
                    seconds += covered["seconds"][test]
                    if chosen and seconds > _SECONDS and each.outcome != "killed":
                        break
                    chosen.append(test)
                limit = 30 + 5 * seconds
                if not chosen:
                    yield replace(each, outcome="not covered" if each.line else "gone")
                    continue
                if each.group not in tried and run(tests=chosen, limit=limit) != 0:
                    raise SystemExit(tree.log())
                tried.add(each.group)
                yield replace(each, outcome=tree.outcome(run, each, chosen, limit))


def told(each: Mutant) -> str:
    """Return the line that is printed."""
    place = f"{each.file}:{each.line} {each.function}"
    return f"{each.outcome:13}{each.group:13}{place}: {each.change} in {each.statement}\n"


def table(mutants: Sequence[Mutant]) -> Iterator[str]:
    """Yield the lines of the table of the groups."""
    counts = Counter((each.group, each.outcome) for each in mutants)
    yield "".join(f"{word:>12}" for word in ("", *OUTCOMES)) + "\n"
    for group in dict.fromkeys(each.group for each in mutants):
        yield f"{group:>12}" + "".join(f"{counts[group, outcome]:>12}" for outcome in OUTCOMES) + "\n"


def read() -> list[Mutant]:
    """Return the mutants of the file."""
    rows = [line.split("\t") for line in FILE.read_text("utf-8").splitlines()] if FILE.exists() else []
    return [
        Mutant(file, function, int(nth), change, statement, group, outcome)
        for outcome, group, file, function, nth, change, statement in rows
    ]


def write(mutants: Sequence[Mutant]) -> None:
    """Write the file."""
    rows = [(e.outcome, e.group, e.file, e.function, str(e.nth), e.change, e.statement) for e in mutants]
    FILE.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what becomes of each mutant; 1 if one lives that was killed."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tests.mutants", description=__doc__, formatter_class=formatter
    )
    parser.add_argument("--only", nargs="+", choices=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--list", action="store_true", help="print the mutants of the file and run nothing")
    parser.add_argument("--write", action="store_true", help="choose mutants anew and write the file")
    options = parser.parse_args(arguments)
    groups, written, after = options.only or list(GROUPS), read(), list[Mutant]()
    chosen = [each for group in groups for each in choose(ROOT, group)] if options.write else written
    before = [find(ROOT, each) for each in chosen if each.group in groups]
    if options.list:
        sys.stdout.writelines(told(each if each.line else replace(each, outcome="gone")) for each in before)
        return 0
    tests = dict.fromkeys(test for group in groups for test in GROUPS[group]["tests"])
    for each in outcomes(before, ROOT, list(tests)):
        after.append(each)
        sys.stdout.write(told(each))
        sys.stdout.flush()
    noticed, unnoticed = ("killed", "timed out"), ("lived", "not covered")
    pairs = list(zip(before, after, strict=True))
    lost = [new for old, new in pairs if old.outcome in noticed and new.outcome in unnoticed]
    sys.stdout.writelines(["\n", *table(after), *(f"was killed: {told(each)}" for each in lost)])
    if options.write:
        after += [each for each in read() if each.group not in groups]  # another run may have written it
        write(sorted(after, key=lambda each: list(GROUPS).index(each.group)))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
