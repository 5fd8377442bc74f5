"""Reads lesson files: a mistake is an error that names the file, the line and what should be there."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from bertviz_app import paths
from bertviz_app.errors import FileError, Message
from bertviz_app.learning.lessons.json_lines import JsonPath, RepeatedKeyError, line_at, lines_of
from bertviz_app.learning.lessons.lesson import Example, ExampleFile, Lesson
from bertviz_app.learning.lessons.tasks import KINDS, Task

_LARGEST = 4 << 20
_LONGEST_SHOWN = 40  # characters of a value that does not fit
_KEYS = {"is_": "is"}
"""Field -> its key in the file, where the key is a reserved word of Python."""


@cache
def shipped_lessons() -> tuple[Lesson, ...]:
    """Return the lessons that come with the program, in the order of their files; they are read once."""
    return tuple(read_lesson(path) for path in sorted((paths.resources() / "lessons").glob("*.json")))


@cache
def shipped_examples() -> tuple[Example, ...]:
    """Return the examples of the start page."""
    path = paths.resources() / "examples" / "examples.json"
    found: ExampleFile = _parsed(ExampleFile, path.read_text(encoding="utf-8"), path.name)
    return found.examples


def read_lesson(path: FilePath) -> Lesson:
    """Read one lesson. Raises FileError that names the line of a mistake."""
    try:
        if path.stat().st_size > _LARGEST:
            raise FileError(Message("{0} is larger than a lesson can be.", path.name))
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(Message("{0} cannot be read: {1}", path.name, error.strerror or error)) from error
    except UnicodeDecodeError as error:
        raise FileError(Message("{0} is not UTF-8 text.", path.name)) from error
    return parse_lesson(text, path.name)


def parse_lesson(text: str, name: str) -> Lesson:
    """Return the lesson in `text`, the content of a file called `name`. Raises FileError."""
    lesson: Lesson = _parsed(Lesson, text, name)
    return lesson


def duplicate_key(path: FilePath, key: str) -> FileError:
    """Return the error for a lesson file whose key another lesson has already."""
    try:
        lines = lines_of(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RepeatedKeyError, StopIteration):  # it was written again after it was read
        lines = {}
    words = Message("the key “{0}” is that of another lesson: give it one of its own", key)
    return FileError(Message("{0}, line {1}: {2}", path.name, line_at(lines, ("key",)), words))


def _parsed(kind: Any, text: str, name: str) -> Any:
    try:
        content = json.loads(text)
        lines = lines_of(text)
    except RepeatedKeyError as error:
        words = Message("the key “{0}” is there twice", error.key)
        raise FileError(Message("{0}, line {1}: {2}", name, error.line, words)) from error
    except RecursionError as error:
        raise FileError(Message("{0} is nested too deeply.", name)) from error
    except json.JSONDecodeError as error:
        raise FileError(
            Message("{0}, line {1}: this is not JSON ({2}).", name, error.lineno, error.msg)
        ) from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise FileError(Message("{0} cannot be read: {1}", name, error)) from error
    try:
        return _value(kind, content, ())
    except _UnfitError as error:
        line = line_at(lines, error.path)
        raise FileError(Message("{0}, line {1}: {2}", name, line, error.words)) from error


class _UnfitError(Exception):
    """A value that does not fit, and where it is."""

    def __init__(self, path: JsonPath, words: str) -> None:
        super().__init__(words)
        self.path = path
        self.words = Message("{0}: {1}", ".".join(map(str, path)), words) if path else words


def _value(hint: Any, value: object, path: JsonPath) -> Any:
    origin, choices = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (kind,) = (choice for choice in choices if choice is not types.NoneType)
        return None if value is None else _value(kind, value, path)
    if origin is Literal:
        if value not in choices:
            raise _UnfitError(path, _not_one_of(value, map(str, choices)))
        return value
    if origin is tuple:
        return _tuple(choices, value, path)
    if hint is Task:
        return _task(value, path)
    if is_dataclass(hint):
        return _object(hint, value, path)
    return _scalar(hint, value, path)


def _task(value: object, path: JsonPath) -> Task:
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(kind, str) or kind not in KINDS:
        raise _UnfitError((*path, "kind"), _not_one_of(kind, KINDS))
    found: Task = _object(KINDS[kind], {key: each for key, each in value.items() if key != "kind"}, path)
    return found


def _object(kind: Any, value: object, path: JsonPath) -> Any:
    if not isinstance(value, dict):
        raise _UnfitError(path, Message("{0} is not an object", _shown(value)))
    hints = get_type_hints(kind)
    names = {_KEYS.get(field.name, field.name): field for field in fields(kind)}
    for key in value:
        if key not in names:
            raise _UnfitError((*path, key), _not_one_of(key, names))
    for key, field in names.items():
        if field.default is MISSING and field.default_factory is MISSING and key not in value:
            raise _UnfitError(path, Message("“{0}” is missing", key))
    given = {
        names[key].name: _value(hints[names[key].name], each, (*path, key)) for key, each in value.items()
    }
    try:
        return kind(**given)
    except ValueError as error:
        words, *where = error.args or ("",)
        inside = where[0] if where else _field_of(words, value)
        raise _UnfitError((*path, *inside), words) from error


def _field_of(words: str, value: dict[str, object]) -> JsonPath:
    """Return the path to the field that a message begins with, () where it begins with none of `value`."""
    named = words.arguments[0] if isinstance(words, Message) and words.arguments else None
    return (named,) if isinstance(named, str) and named in value and words.startswith(f"“{named}”") else ()


def _tuple(hints: tuple[Any, ...], value: object, path: JsonPath) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _UnfitError(path, Message("{0} is not a list", _shown(value)))
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = (hints[0],) * len(value)
    if len(hints) != len(value):
        raise _UnfitError(path, Message("it has {0} items instead of {1}", len(value), len(hints)))
    return tuple(
        _value(hint, item, (*path, index))
        for index, (hint, item) in enumerate(zip(hints, value, strict=True))
    )


def _not_a(kind: type, value: object) -> Message:
    shown = _shown(value)
    if kind is int:
        return Message("{0} is not a whole number", shown)
    if kind is float:
        return Message("{0} is not a number", shown)
    if kind is bool:
        return Message("{0} is not true or false", shown)
    return Message("{0} is not a text", shown)


def _not_one_of(value: object, choices: Iterable[str]) -> Message:
    return Message("{0} is not one of {1}", _shown(value), ", ".join(choices))


def _scalar(hint: Any, value: object, path: JsonPath) -> Any:
    if hint is float and type(value) in (int, float):
        return _finite(value, path)
    if type(value) is not hint:
        raise _UnfitError(path, _not_a(hint, value))
    return value


def _finite(value: Any, path: JsonPath) -> float:
    """Return a number of a file as a float. Python's reader of JSON accepts nan, and 1e999 as infinite."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _UnfitError(path, _not_a(float, value))
    return number


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
