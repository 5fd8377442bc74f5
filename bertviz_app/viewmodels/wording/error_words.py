"""Errors, notices and remarks of the layers without Qt, in the language of the window.

Those layers speak English and know of no translator. What they say is found again among the templates that
were read off their source; what is not found stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from bertviz_app.errors import AppError, Message
from bertviz_app.viewmodels.wording import error_templates

TEMPLATES = error_templates.TEMPLATES
"""What is said below the window, in order: fields are {0}, {1} …"""
_OTHERS: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Errors", "{0} thread"),
    QT_TRANSLATE_NOOP("Errors", "{0} threads"),
    QT_TRANSLATE_NOOP("Errors", "Apple GPU"),
    QT_TRANSLATE_NOOP("Errors", "File name too long"),
    QT_TRANSLATE_NOOP("Errors", "Input/output error"),
    QT_TRANSLATE_NOOP("Errors", "Is a directory"),
    QT_TRANSLATE_NOOP("Errors", "No such file or directory"),
    QT_TRANSLATE_NOOP("Errors", "No space left on device"),
    QT_TRANSLATE_NOOP("Errors", "Not a directory"),
    QT_TRANSLATE_NOOP("Errors", "Permission denied"),
    QT_TRANSLATE_NOOP("Errors", "Read-only file system"),
)
"""What devices are called, and what the system says of files most often."""
_FIELD = re.compile(r"\{(\d+)\}")
_QUOTED_FIELD = re.compile(r"[“`]\{(\d+)\}")
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z“])")


@dataclass(frozen=True)
class _Template:
    """`pattern` has a group for each field; `is_quoted` says of each whether it is a quoted name."""

    source: str
    pattern: re.Pattern[str]
    is_quoted: tuple[bool, ...]


def in_language(error: AppError) -> tuple[str, str]:
    """Return the message and the hint of an error in the language in force."""
    return translated(error.message), translated(error.hint)


def as_said(error: Exception) -> str:
    """Return an error as one text, in the language in force as far as it is the user's to put right."""
    return " ".join(in_language(error)).strip() if isinstance(error, AppError) else str(error)


def translated(text: str) -> str:
    """Return sentences of the layers below in the language in force."""
    if isinstance(text, Message):
        return _of_template(text)
    if " " not in text:  # a name or a single word: no pattern with fields fits it
        return QCoreApplication.translate("Errors", text) if text else text
    sentences = _SENTENCE_END.split(text)
    found = [_translated(sentence) for sentence in sentences]
    if None not in found:
        return " ".join(sentence for sentence in found if sentence is not None)
    whole = _translated(text) if len(sentences) > 1 else None
    if whole is not None:
        return whole
    return " ".join(known or sentence for known, sentence in zip(found, sentences, strict=True))


def all_translated(sentences: Iterable[str]) -> str:
    """Return several sentences of the layers below as one text in the language in force."""
    return " ".join(translated(sentence) for sentence in sentences)


def _of_template(message: Message) -> str:
    """Translate the template of a message and fill it; a name in quotation marks is never translated."""
    words = QCoreApplication.translate("Errors", message.template)
    quoted = {int(number) for number in _QUOTED_FIELD.findall(message.template)}
    arguments = (
        argument if position in quoted else _argument(argument)
        for position, argument in enumerate(message.arguments)
    )
    return words.format(*arguments)


def _argument(argument: object) -> object:
    """Translate a message, or a text that is one of the templates; leave names and numbers as they are."""
    if isinstance(argument, Message):
        return _of_template(argument)
    if isinstance(argument, str) and argument:
        return QCoreApplication.translate("Errors", argument)
    return argument


def _translated(text: str) -> str | None:
    for template in _templates():
        match = template.pattern.fullmatch(text)
        if match is not None:
            return _filled(template, match.groups())
    return None


def _filled(template: _Template, fields: tuple[str, ...]) -> str:
    said = [
        field if is_quoted else translated(field)
        for field, is_quoted in zip(fields, template.is_quoted, strict=True)
    ]
    words = QCoreApplication.translate("Errors", template.source)
    return _FIELD.sub(lambda place: said[int(place[1])], words)


@cache
def _templates() -> tuple[_Template, ...]:
    """Return the templates, those that say most first: "{0} cannot be read." fits too much."""
    found = [_template(str(source)) for source in (*TEMPLATES, *_OTHERS)]
    return tuple(sorted(found, key=lambda template: -len(_FIELD.sub("", template.source))))


def _template(source: str) -> _Template:
    words = _FIELD.split(source)[::2]
    pattern = "(.+?)".join(re.escape(part) for part in words)
    is_quoted = tuple(part.endswith(("“", "`")) for part in words[:-1])
    return _Template(source, re.compile(pattern, re.DOTALL), is_quoted)
