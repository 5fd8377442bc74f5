"""Errors, notices and remarks of the layers without Qt, in the language of the window.

Those layers write English and know of no translator: a `Message` remembers its template, which is translated
here and filled. Any other text is looked up as a whole; one that is not known stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from bertviz_app.errors import AppError, Message

SYSTEM_WORDS: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Errors", "File name too long"),
    QT_TRANSLATE_NOOP("Errors", "Input/output error"),
    QT_TRANSLATE_NOOP("Errors", "Is a directory"),
    QT_TRANSLATE_NOOP("Errors", "No such file or directory"),
    QT_TRANSLATE_NOOP("Errors", "No space left on device"),
    QT_TRANSLATE_NOOP("Errors", "Not a directory"),
    QT_TRANSLATE_NOOP("Errors", "Permission denied"),
    QT_TRANSLATE_NOOP("Errors", "Read-only file system"),
)
"""What the operating system most often reports of files."""
JSON_WORDS: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Errors", "Expecting value"),
    QT_TRANSLATE_NOOP("Errors", "Expecting ',' delimiter"),
    QT_TRANSLATE_NOOP("Errors", "Expecting ':' delimiter"),
    QT_TRANSLATE_NOOP("Errors", "Expecting property name enclosed in double quotes"),
    QT_TRANSLATE_NOOP("Errors", "Illegal trailing comma before end of object"),
    QT_TRANSLATE_NOOP("Errors", "Illegal trailing comma before end of array"),
    QT_TRANSLATE_NOOP("Errors", "Unterminated string starting at"),
    QT_TRANSLATE_NOOP("Errors", "Invalid control character at"),
    QT_TRANSLATE_NOOP("Errors", "Extra data"),
)
"""What Python's reader of JSON reports."""
_QUOTED_FIELD = re.compile(r"[“`]\{(\d+)\}")


def in_language(error: AppError) -> tuple[str, str]:
    """Return the message and the hint of an error in the language in force."""
    return translated(error.message), translated(error.hint)


def error_text(error: Exception) -> str:
    """Return an error as one text, in the language in force as far as it is the user's to put right."""
    return " ".join(in_language(error)).strip() if isinstance(error, AppError) else str(error)


def translated(text: str) -> str:
    """Return a message or a text of the layers below in the language in force."""
    if isinstance(text, Message):
        return _of_template(text)
    return QCoreApplication.translate("Errors", text) if text else text


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
    """Translate a message, or a text that is known as a whole; leave names and numbers as they are."""
    return translated(argument) if isinstance(argument, str) else argument
