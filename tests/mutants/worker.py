"""Runs tests in forked processes, which need not import libraries again; `tests.mutants` starts it.

Each line of the standard input is a job, each line of the standard output its answer, both JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import coverage
import pytest

BROKEN = 70
"""The status of a process in which pytest did not end."""
# Plugins of other packages are imported already, and assert nothing.
_OPTIONS = ("-q", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
_ANEW = ("bertviz_app", "tests", "pytest", "_pytest", "pluggy", "pytestqt", "xdist", "coverage")
"""What each process imports itself: what is tested, and what tests."""


class Watch:
    """Notes how long tests take and which lines they run, with those of the shared fixtures that they use."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self._measured, self._context = measured, ""
        self.seconds: dict[str, float] = {}
        self.passed, self.failed = set[str](), set[str]()
        self._contexts: dict[str, list[str]] = {}  # of each test

    def _switch(self, context: str) -> None:
        self._context = context
        self._measured.switch_context(context)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        started = time.perf_counter()
        self._switch(item.nodeid)
        result = yield
        self.seconds[item.nodeid] = time.perf_counter() - started
        names, place = getattr(item, "fixturenames", ()), item.nodeid.partition("[")[0]
        above = ["", *(place[:end] for end, letter in enumerate(place) if letter in "/:")]
        self._contexts[item.nodeid] = [item.nodeid, *(f"{at}|{name}" for name in names for at in above)]
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        before = self._context
        if fixturedef.scope != "function":
            self._switch(f"{fixturedef.baseid}|{fixturedef.argname}")
        try:
            return (yield)
        finally:
            self._switch(before)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.passed and report.when == "call":
            self.passed.add(report.nodeid)

    def tests(self) -> dict[str, dict[str, list[str]]]:
        """Return the tests that passed and cover each line of each file, the quickest first."""
        data, users = self._measured.get_data(), defaultdict[str, list[str]](list)
        for test in self.passed - self.failed:
            for context in self._contexts[test]:
                users[context].append(test)

        def of(contexts: list[str]) -> list[str]:
            tests = {test for context in contexts for test in users[context]}
            return sorted(tests, key=lambda test: (self.seconds[test], test))

        files = {file: data.contexts_by_lineno(file) for file in data.measured_files()}
        return {name: {str(line): of(each) for line, each in file.items()} for name, file in files.items()}


class Only:
    """Runs some of the collected tests."""

    def __init__(self, tests: list[str]) -> None:
        self._wanted = frozenset(tests)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self._wanted]


def _measure(job: dict[str, Any]) -> int:
    """Write which tests cover which lines of the job's files."""
    measured = coverage.Coverage(data_file=None, config_file=False, include=job["files"])
    watch = Watch(measured)
    measured.start()
    code = pytest.main([*_OPTIONS, f"--basetemp={job['temporary']}", *job["tests"]], plugins=[watch])
    measured.stop()
    paths = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
    others = [name for name, path in paths.items() if "site-packages" in path]
    libraries = [name for name in others if name.partition(".")[0] not in _ANEW]
    found = {"seconds": watch.seconds, "failed": sorted(watch.failed), "tests": watch.tests()}
    Path(job["out"]).write_text(json.dumps(found | {"libraries": libraries}), encoding="utf-8")
    return int(code)


def _run(job: dict[str, Any]) -> int:
    """Run the job's tests until one fails."""
    files = dict.fromkeys(test.partition("::")[0] for test in job["tests"])
    options = [*_OPTIONS, "-x", f"--basetemp={job['temporary']}", *files]
    return int(pytest.main(options, plugins=[Only(job["tests"])]))


def _answer(job: dict[str, Any]) -> int | None:
    """Return the exit status of pytest in a new process, negative for a signal; None after the limit."""
    if sys.platform == "win32":
        raise OSError("Windows does not fork")
    child = os.fork()
    if not child:
        os.setsid()
        with Path(job["log"]).open("wb") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        code = BROKEN
        try:
            code = _measure(job) if "out" in job else _run(job)
        finally:
            traceback.print_exc()
            sys.stdout.flush()
            os._exit(code)
    ends, status = time.monotonic() + job["limit"], None
    try:
        while status is None and time.monotonic() < ends:
            time.sleep(0.01)
            done, raw = os.waitpid(child, os.WNOHANG)
            status = os.waitstatus_to_exitcode(raw) if done else None
    finally:
        with suppress(ProcessLookupError):  # also what the tests have started
            os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status


def main() -> None:
    """Answer jobs until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # for what libraries print when they are imported
    for line in sys.stdin:
        job = json.loads(line)
        for name in job.get("libraries", ()):
            with suppress(Exception):  # it is tests that import it
                importlib.import_module(name)
        answers.write(json.dumps(_answer(job) if "tests" in job else 0) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
