"""The sub-command that a guide has the reader write, as it stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bertviz_app.cli import commands
from bertviz_app.cli.pretraining import add_corpus
from tests.cli.conftest import Run
from tests.support.guides import examples, run_example


def test_the_sub_command_of_the_guide_counts_tokens(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, test = examples("add_a_subcommand.md")
    names: dict[str, Any] = {"__name__": "count"}
    run_example(module, names)

    def both(add: Any) -> None:
        add_corpus(add)
        names["add_count"](add)

    monkeypatch.setattr(commands, "add_corpus", both)  # as if it stood in the list behind this one
    run_example(test, names)
    names["test_tokens_are_counted"](run, tmp_path)
