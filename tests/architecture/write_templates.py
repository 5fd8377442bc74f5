"""Writes the list of what is said below the window, for the translator: `make translations` runs it."""

from __future__ import annotations

from pathlib import Path

from bertviz_app.viewmodels import error_templates
from tests.architecture.modules import modules_of
from tests.architecture.said import templates

_HEAD = '''\
"""What the layers without Qt say to people, for the translator. Written by `make translations`."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

TEMPLATES: tuple[object, ...] = (
'''
_WIDEST = 84


def source(texts: tuple[str, ...]) -> str:
    """Return the module that lists `texts`; long ones are written in several parts."""
    entries = (f'    QT_TRANSLATE_NOOP("Errors", {" ".join(_parts(text))}),\n' for text in texts)
    return f"{_HEAD}{''.join(entries)})\n"


def _parts(text: str) -> list[str]:
    parts = [text[start : start + _WIDEST] for start in range(0, len(text), _WIDEST)]
    return [repr(part) for part in parts]


if __name__ == "__main__":
    Path(error_templates.__file__).write_text(source(templates(modules_of("bertviz_app"))), encoding="utf-8")
