"""Sub-commands made of functions: what the help says of their parameters, and what they are called with."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from bertviz_app.cli.signatures import add_parameters
from bertviz_app.values import dataclass

LANGUAGES = ("en", "ko")
_RECEIVED = list[dict[str, Any]]()


@dataclass(frozen=True)
class Size:
    """How large it is.

    Parameters
    ----------
    n_rows, n_columns : int
        Counted from 1. In Python `Size(3, 4)`.
    is_printed : bool
        For paper.
    """

    n_rows: int = 2
    n_columns: int = 3
    is_printed: bool = False
    margin: int = 0


def count(  # what a docstring does not describe of a dataclass is for Python
    file: Path,
    size: Size,
    scaled: partial[Size],
    *,
    words: Sequence[str] = (),
    language: Literal["en", "ko"] = "en",
    rate: float | None = None,
) -> int:
    """Count the words of a file.

    Parameters
    ----------
    file : FILE
        Text in one of {LANGUAGES}.
    words : WORD
        The words that are counted; repeatable.
    language
        That of the text.
    rate
        100 % unless given.
    """
    _RECEIVED.append(
        {"file": file, "size": size, "scaled": scaled(n_columns=9), "words": words, "rate": rate}
    )
    return len(language)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("count")
    add_parameters(parser, count)
    return parser


def test_the_help_has_what_the_docstrings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = [" ".join(line.split()) for line in _parser().format_help().splitlines()]
    assert lines[3:] == [
        "FILE text in one of en, ko",
        "",
        "options:",
        "-h, --help show this help message and exit",
        "--rows N counted from 1; 2 unless given",
        "--columns N counted from 1; 3 unless given",
        "--printed for paper",
        "--words WORD the words that are counted; repeatable",
        "--language {en,ko} that of the text; en unless given",
        "--rate R 100 % unless given",
    ]


def test_a_function_is_called_with_what_was_typed() -> None:
    options = _parser().parse_args(["a.txt", "--rows", "5", "--words", "cat", "--words", "dog", "--printed"])
    assert options.command(options) == 2
    received = _RECEIVED.pop()
    assert received["file"] == Path("a.txt")
    assert received["size"] == Size(5, is_printed=True)
    assert received["scaled"] == Size(5, 9, is_printed=True)
    assert (received["words"], received["rate"]) == (("cat", "dog"), None)


def test_a_language_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parser().parse_args(["a.txt", "--language", "de"])
    assert "invalid choice: 'de'" in capsys.readouterr().err
