"""That what people read is found in the syntax trees, and that the translator's list of it is complete."""

from __future__ import annotations

import ast

import pytest

from bertviz_app.viewmodels.wording.error_words import TEMPLATES
from tests.architecture.shown_words import templates
from tests.architecture.write_templates import source
from tests.support.module_facts import modules_of, parse

ERRORS = "class AppError(Exception): ...\nclass FileError(AppError): ...\n"


def _found(text: str, name: str = "bertviz_app.trace.sample") -> tuple[str, ...]:
    return templates([parse("bertviz_app.errors", ERRORS), parse(name, text)])


def test_the_list_for_the_translator_is_complete() -> None:
    """Fails when an error was written or changed since: `make translations` writes the list anew."""
    assert tuple(map(str, TEMPLATES)) == templates(modules_of("bertviz_app"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('raise AppError("A b.", "Do c.")', ("A b.", "Do c.")),
        ('raise errors.FileError(message="A b.", hint="Do c.")', ("A b.", "Do c.")),
        ('def f(p, n):\n    raise FileError(f"{p.name} has {n:,} of {n + 1}.")', ("{0} has {1} of {2}.",)),
        ('def f(n):\n    message = f"No {n}."\n    raise FileError(message)', ("No {0}.",)),
        ('AGAIN = "Do it."\ndef f():\n    raise FileError("A.", f"So. {AGAIN}")', ("A.", "So. Do it.")),
        ('def f(a):\n    raise FileError("One." if a else "Two.")', ("One.", "Two.")),
        (
            'def f(a):\n    raise _e(f"Not {a}.")\ndef _e(m):\n    return FileError(m, "Go.")',
            ("Go.", "Not {0}."),
        ),
        ('def f():\n    raise FileError(_w())\ndef _w():\n    return "A."', ("A.",)),
        ('def f(n):\n    for k in ("a", "b"):\n        raise FileError(f"{k} {n}")', ()),
        (
            'def f():\n    for k, n in (("a", 1), ("b", 2)):\n        raise FileError(f"No {k} {n}: {k}s.")',
            ("No a {0}: as.", "No b {0}: bs."),
        ),
        ('notices = []\nnotices.append("Left out.")', ("Left out.",)),
        ('def f():\n    return Source(problem="It is gone.")', ("It is gone.",)),
        ('raise ValueError("no word for people")', ()),
        ("def f(m):\n    raise FileError(m)", ()),
    ],
)
def test_what_is_said_is_found(text: str, found: tuple[str, ...]) -> None:
    assert _found(text) == found


def test_what_only_the_command_line_says_is_left_out() -> None:
    assert _found('raise FileError("A b.")', "bertviz_app.cli.sample") == ()


def test_the_list_reads_back_as_it_was() -> None:
    texts = ('A "b" {0}', "long " * 60, "it's “c”\n")
    calls = [node for node in ast.walk(ast.parse(source(texts))) if isinstance(node, ast.Call)]
    assert tuple(ast.literal_eval(call.args[1]) for call in calls) == texts
