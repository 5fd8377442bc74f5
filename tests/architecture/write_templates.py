"""Writes the lists of what is said below the window, for the translator: `make translations` runs it."""

from __future__ import annotations

from pathlib import Path

from bertviz_app.viewmodels.wording import error_templates
from tests.architecture.shown_words import templates
from tests.support.module_facts import modules_of

_HEAD = '''\
"""What the layers without Qt say to people, for the translator. Written by `make translations`."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

TEMPLATES: tuple[object, ...] = (
'''
_WIDEST = 84


def source(texts: tuple[str, ...]) -> str:
    """Return the module that lists `texts`; long ones are in several pieces."""
    entries = (f'    QT_TRANSLATE_NOOP("Errors", {" ".join(_parts(text))}),\n' for text in texts)
    return f"{_HEAD}{''.join(entries)})\n"


def write(texts: tuple[str, ...]) -> None:
    """Write the list."""
    Path(error_templates.__file__).write_text(source(texts), encoding="utf-8")


def _parts(text: str) -> list[str]:
    parts = [text[start : start + _WIDEST] for start in range(0, len(text), _WIDEST)]
    return [repr(part) for part in parts]


if __name__ == "__main__":
    write(templates(modules_of("bertviz_app")))
