"""Plugins of pytest: the order of tests, where garbage is collected, and the tables that follow the tests."""

from __future__ import annotations

import gc
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.module_facts import Function, n_lines

_FULL_EVERY = 200  # tests
_n_tests = 0


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that finds a test which needs another one before it."""
    text = "run the modules, and the tests of each, in a random order; the same one for the same number"
    parser.addoption("--shuffle", type=int, metavar="SEED", help=text)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the modules, and the tests of each, where that is asked for: a window is one module's."""
    seed = config.getoption("shuffle")
    if seed is None:
        return
    shuffled = random.Random(seed)
    shuffled.shuffle(items)
    place = {path: at for at, path in enumerate(dict.fromkeys(item.path for item in items))}
    items.sort(key=lambda item: place[item.path])


def pytest_collection_finish() -> None:
    """Let nothing be collected but between tests, on the main thread, and spare that what is imported.

    A widget in a cycle that dies on a worker ends the process, perhaps only in a later test.
    """
    gc.collect()
    gc.freeze()
    gc.disable()


def release_values(request: pytest.FixtureRequest) -> None:
    """Drop what the fixtures of a test that ends have made: pytest holds it until the next test."""
    if request.node.funcargs is not None:  # as it is where pytest-qt has put off the end of a failed test
        request.node.funcargs.clear()


@pytest.fixture(autouse=True)
def garbage_of_main_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collect after each test what is young, and now and then everything."""
    global _n_tests
    yield
    _n_tests += 1
    release_values(request)  # else they survive this collection, and later ones of young objects
    gc.collect(2 if _n_tests % _FULL_EVERY == 0 else 1)
    was_enabled = gc.isenabled()
    gc.disable()
    assert not was_enabled, "a later test would end the process: the collector was left on"


FACTOR = 2
"""How many times as far from float64 as the other implementation ours may be."""
FLOOR = 8 * 2.0**-23
"""What is allowed beside that, eight float32 epsilons of the largest value: it may be exact by chance."""


def allowed(theirs: float) -> float:
    """Return how far from float64 ours may be where the other implementation is as far as `theirs`.

    Both distances are shares of the largest value (`tests.support.exactness`).
    """
    return FACTOR * theirs + FLOOR


@dataclass(frozen=True)
class Difference:
    """The largest absolute differences of a comparison.

    `ours` and `theirs` are the distances of both from float64, as shares of the largest value.
    """

    hidden: float
    attention: float
    pooled: float | None
    ours: float
    theirs: float
    logits: float | None = None

    @property
    def absolute(self) -> float:
        return max(self.hidden, self.attention, self.pooled or 0.0, self.logits or 0.0)

    @property
    def of_bound(self) -> float:
        """The distance of ours as a share of what it may be: 1 or less where both are equal."""
        return self.ours / allowed(self.theirs)


def largest(one: Difference, other: Difference) -> Difference:
    """Return the larger of each of two comparisons of the same model: both passes judged as one."""
    pooled = None if one.pooled is None or other.pooled is None else max(one.pooled, other.pooled)
    logits = None if one.logits is None or other.logits is None else max(one.logits, other.logits)
    return Difference(
        hidden=max(one.hidden, other.hidden),
        attention=max(one.attention, other.attention),
        pooled=pooled,
        ours=max(one.ours, other.ours),
        theirs=max(one.theirs, other.theirs),
        logits=logits,
    )


Note = Callable[[str, Difference], None]
_DIFFERENCES = pytest.StashKey[dict[str, Difference]]()
_NAME = "differences"
"""The key under which a test process of pytest-xdist hands its table over."""


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Note:
    """Call it with the name of a family of models and a difference: the table shows the largest of each."""
    config = request.config
    return lambda family, difference: _add(config, family, difference)


def _add(config: pytest.Config, family: str, difference: Difference) -> None:
    table = config.stash.setdefault(_DIFFERENCES, {})
    table[family] = largest(table[family], difference) if family in table else difference


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the table of this process over to the one that prints."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        table = session.config.stash.get(_DIFFERENCES, {})
        output[_NAME] = {family: asdict(difference) for family, difference in table.items()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over the table of a test process that has ended."""
    table: Mapping[str, dict[str, Any]] = getattr(node, "workeroutput", {}).get(_NAME, {})
    for family, difference in table.items():
        _add(node.config, family, Difference(**difference))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the tables."""
    _write_lengths(terminalreporter)
    _write_seconds(terminalreporter)
    table = config.stash.get(_DIFFERENCES, {})
    if not table:
        return
    terminalreporter.section("largest differences from transformers")
    terminalreporter.write_line(
        f"{'family':50}{'hidden':>10}{'attention':>12}{'pooled':>10}{'logits':>10}{'bound':>8}"
    )
    for family, difference in sorted(table.items()):
        tops = (difference.pooled, difference.logits)
        pooled, logits = ("-" if top is None else f"{top:.1e}" for top in tops)
        terminalreporter.write_line(
            f"{family:50}{difference.hidden:10.1e}{difference.attention:12.1e}{pooled:>10}{logits:>10}{difference.of_bound:8.0%}"
        )


SHORT = 15
PROPERTY = "function lengths"
"""The property of a test's report that holds the line: a test process of pytest-xdist sends its reports."""


def summary(functions: list[Function]) -> str:
    """Return how many functions there are, and the share that is longer than most should be."""
    lengths = [n_lines(function) for function in functions]
    n_long = sum(length > SHORT for length in lengths)
    return (
        f"{len(lengths)} functions, {n_long / max(1, len(lengths)):.1%} over {SHORT} lines, "
        f"the longest has {max(lengths, default=0)}"
    )


def _write_lengths(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the line of the test that counted."""
    for report in terminalreporter.stats.get("passed", []):
        for name, line in report.user_properties:
            if name == PROPERTY:
                terminalreporter.section("architecture")
                terminalreporter.write_line(line)


def _write_seconds(terminalreporter: pytest.TerminalReporter) -> None:
    """Write how long the tests of each folder took, with what they set up; of all test processes together."""
    seconds, tests = defaultdict[str, float](float), Counter[str]()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folder = "/".join(Path(report.nodeid.partition("::")[0]).parts[1:-1][:2]) or "."
                seconds[folder] += report.duration
                tests[folder] += report.when == "call"
    if len(seconds) < 2:
        return
    terminalreporter.section("seconds of each folder")
    for folder, each in sorted(seconds.items(), key=lambda item: -item[1]):
        terminalreporter.write_line(f"{each:8.1f} s{tests[folder]:7} tests  {folder}")
