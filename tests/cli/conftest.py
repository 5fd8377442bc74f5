"""The program, run in this process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bertviz_app import cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the program in this process; return its exit code, standard output and standard error."""

    def run_it(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        written = capsys.readouterr()
        return code, written.out, written.err

    return run_it
