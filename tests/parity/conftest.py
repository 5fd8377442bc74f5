"""Collects the differences from `transformers` and prints them as a table after the tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.peers import Difference, largest

Note = Callable[[str, Difference], None]
DIFFERENCES = pytest.StashKey[dict[str, Difference]]()


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Note:
    """Call it with the name of a family of models and a difference: the table shows the largest of each."""
    table = request.config.stash.setdefault(DIFFERENCES, {})

    def keep(family: str, difference: Difference) -> None:
        table[family] = largest(table[family], difference) if family in table else difference

    return keep


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the table."""
    table = config.stash.get(DIFFERENCES, {})
    if not table:
        return
    terminalreporter.section("largest differences from transformers")
    terminalreporter.write_line(f"{'family':50}{'hidden':>10}{'attention':>12}{'pooled':>10}{'logits':>10}")
    for family, difference in table.items():
        tops = (difference.pooled, difference.logits)
        pooled, logits = ("-" if top is None else f"{top:.1e}" for top in tops)
        terminalreporter.write_line(
            f"{family:50}{difference.hidden:10.1e}{difference.attention:12.1e}{pooled:>10}{logits:>10}"
        )
