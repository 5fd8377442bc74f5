"""A pytest plugin: after the tests of the architecture, a line says how long the program's functions are."""

from __future__ import annotations

import pytest

from tests.support.module_facts import Function, n_lines

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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the line of the test that counted."""
    for report in terminalreporter.stats.get("passed", []):
        for name, line in report.user_properties:
            if name == PROPERTY:
                terminalreporter.section("architecture")
                terminalreporter.write_line(line)
