"""A pytest plugin: after the tests of the architecture, a line says how long the program's functions are."""

from __future__ import annotations

import pytest

from tests.support.module_facts import modules_of, n_lines

SHORT = 15


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write how many functions there are, and the share that is longer than most should be."""
    passed = terminalreporter.stats.get("passed", [])
    if not any(report.nodeid.startswith("tests/architecture/") for report in passed):
        return
    lengths = [n_lines(function) for module in modules_of("bertviz_app") for function in module.functions()]
    n_long = sum(length > SHORT for length in lengths)
    terminalreporter.section("architecture")
    terminalreporter.write_line(
        f"{len(lengths)} functions, {n_long / max(1, len(lengths)):.1%} over {SHORT} lines, "
        f"the longest has {max(lengths, default=0)}"
    )
