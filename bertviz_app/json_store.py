"""JSON: the program's own small files (`JsonFile`), dataclasses (`encode`, `decode`), and `lines_of`."""

from __future__ import annotations

import json
import logging
import math
import re
import threading
import types
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from bertviz_app.errors import AppError, Message
from bertviz_app.paths import replacing
from bertviz_app.values import MISSING, Field, dataclass, field, fields, is_dataclass, replace

_log = logging.getLogger(__name__)

_Kind = TypeVar("_Kind")
JsonPath = tuple[str | int, ...]
"""The keys and indices that lead to a value."""


class JsonFile:
    """One file with one JSON object and the version of its format, written as a whole, on another thread.

    A file that cannot be used never stops the program: it counts as empty, and the log says so. What is in it
    stays on disk: a damaged file, or one of a newer version, is renamed; one that could not be read is left
    as it is, and is therefore not written to either.
    """

    def __init__(self, path: Path, version: int = 1) -> None:
        self.path, self._version = path, version
        self._is_readable = True

    def read(self) -> dict[str, object]:
        """Return the content as it was saved; {} where there is none that can be used."""
        finish_writing()
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._is_readable = False
            _log.info("%s could not be read: %s", self.path, error)
            return {}
        except (ValueError, RecursionError):
            return self._set_aside("damaged")
        # A file that states no version has 1.
        version = content.pop("version", 1) if isinstance(content, dict) else None
        if type(version) is not int or version < 1:
            return self._set_aside("damaged")
        if version > self._version:
            return self._set_aside(f"version-{version}")
        return dict(content)

    def write(self, content: Mapping[str, object]) -> None:
        """Replace the file soon; where that is impossible the log says so and the old file stays.

        What `content` is now is written, on a thread of its own: where the disk is busy, putting one file in
        the place of another takes up to half a second. `finish_writing` waits for it, as the end of the
        program does.
        """
        if not self._is_readable:
            _log.info("%s was not saved: it could not be read, and is left as it is", self.path)
            return
        _WRITER.write(self.path, json.dumps({"version": self._version, **content}, indent=1))

    def _set_aside(self, reason: str) -> dict[str, object]:
        aside = self.path.with_name(f"{self.path.stem}.{reason}{self.path.suffix}")
        try:
            self.path.replace(aside)
            _log.info("%s cannot be used and was renamed to %s", self.path, aside.name)
        except OSError as error:
            _log.info("%s cannot be used, and could not be renamed: %s", self.path, error)
        return {}


class _Writer:
    """Writes texts into files on one thread; of several texts for a file the newest."""

    def __init__(self) -> None:
        self._texts: dict[Path, str] = {}
        self._lock = threading.Lock()
        self._last: Future[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="settings")

    def write(self, path: Path, text: str) -> None:
        """Write `text` soon. It is what the file will hold, unless another one follows."""
        with self._lock:
            self._texts[path] = text
            self._last = self._thread.submit(self._write, path)

    def finish(self) -> None:
        if self._last is not None:
            self._last.result()

    def _write(self, path: Path) -> None:
        with self._lock:
            text = self._texts.pop(path, None)
        if text is None:
            return  # it was written by the job of an earlier text
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as beside:
                beside.write_text(text, encoding="utf-8")
        except (AppError, OSError) as error:
            _log.info("%s was not saved: %s", path, error)


_WRITER = _Writer()


finish_writing = _WRITER.finish
"""Returns when every `JsonFile` is on disk as it was last written."""


class UnfitError(ValueError):
    """A value that does not fit: `path` leads to it, `reason` says why, `words` name both."""

    def __init__(self, path: JsonPath, reason: str) -> None:
        self.path, self.reason = path, reason
        self.words = Message("{0}: {1}", ".".join(map(str, path)), reason) if path else reason
        super().__init__(self.words)


def encode(value: object) -> Any:
    """Return `value` as JSON has it: dataclasses as objects, tuples as lists, paths as strings.

    A field that has another name in files gives it as "key" in its `metadata`.
    """
    if is_dataclass(value):
        kind: Any = type(value)
        return {key: encode(getattr(value, each.name)) for key, (each, _) in _fields(kind).items()}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return str(value) if isinstance(value, Path) else value


Kinds = Mapping[type, Mapping[str, type]]
"""Base class -> the value of "kind" -> the dataclass that an object of that kind is read as."""


def decode(
    kind: type[_Kind],
    value: object,
    *,
    largest: int | None = None,
    is_strict: bool = False,
    kinds: Kinds | None = None,
) -> _Kind:
    """Return the `kind`, a dataclass, that `encode` made `value` of.

    A field that `value` lacks has its default; a key that no field has is ignored, unless `is_strict`. Types
    are exact: `true` is no integer; 1 is read as a float, 1.0 is no integer; numbers are finite, their
    absolute value is at most `largest`. Raises UnfitError for anything else and for a ValueError of `kind`,
    whose arguments may be the reason and the path from the object to what is meant; an `AppError` stays.
    """
    found: _Kind = _Decoder(largest, is_strict, kinds or {}).value(kind, value, ())
    return found


def decode_or_keep(default: _Kind, content: Mapping[str, object]) -> _Kind:
    """Return `default`, a dataclass, with the fields of `content` that fit; the log names the others."""
    found: Any = default
    for key, (each, hint) in _fields(found.__class__).items():
        if key in content:
            try:
                found = replace(found, **{each.name: _Decoder().value(hint, content[key], (key,))})
            except ValueError as error:
                _log.info("the default is used: %s", error)
    value: _Kind = found
    return value


@cache
def _fields(kind: Any) -> Mapping[str, tuple[Field[Any], Any]]:
    """Return the fields of a dataclass and what they are annotated with, by their keys in JSON."""
    hints = get_type_hints(kind)
    return {each.metadata.get("key", each.name): (each, hints[each.name]) for each in fields(kind)}


@dataclass(frozen=True)
class _Decoder:
    """Reads values by the annotations they are meant for. What does not fit raises UnfitError."""

    largest: int | None = None
    is_strict: bool = False
    kinds: Kinds = field(default_factory=dict)

    def value(self, hint: Any, value: object, path: JsonPath) -> Any:
        origin, choices = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            return self._union(choices, value, path)
        if origin is Literal:
            if not any(type(choice) is type(value) and choice == value for choice in choices):
                raise UnfitError(path, _not_one_of(value, map(str, choices)))
            return value
        if origin is dict:
            items = _object(value, path).items()
            return {key: self.value(choices[1], item, (*path, key)) for key, item in items}
        if origin is tuple:
            return self._tuple(choices, value, path)
        if is_dataclass(hint):
            return self._dataclass(hint, value, path)
        return self._scalar(hint, value, path)

    def _union(self, hints: tuple[Any, ...], value: object, path: JsonPath) -> Any:
        if value is None and types.NoneType in hints:
            return None
        errors = []
        for hint in hints:
            if hint is not types.NoneType:
                try:
                    return self.value(hint, value, path)
                except UnfitError as error:
                    errors.append(error)
        if len(errors) == 1:
            raise errors[0]
        raise UnfitError(path, Message.joined([error.reason for error in errors], "; "))

    def _dataclass(self, kind: Any, value: object, path: JsonPath) -> Any:
        if kind in self.kinds:
            kinds = self.kinds[kind]
            name = value.get("kind") if isinstance(value, dict) else None
            if not isinstance(value, dict) or not isinstance(name, str) or name not in kinds:
                raise UnfitError((*path, "kind"), _not_one_of(name, kinds))
            kind, value = kinds[name], {key: each for key, each in value.items() if key != "kind"}
        given, known = _object(value, path), _fields(kind)
        for key in given if self.is_strict else ():
            if key not in known:
                raise UnfitError((*path, key), _not_one_of(key, known))
        for key, (each, _) in known.items():
            if each.default is MISSING and each.default_factory is MISSING and key not in given:
                raise UnfitError(path, Message("“{0}” is missing", key))
        values = {
            each.name: self.value(hint, given[key], (*path, key))
            for key, (each, hint) in known.items()
            if key in given
        }
        try:
            return kind(**values)
        except AppError:
            raise
        except ValueError as error:
            reason, *where = error.args or ("",)
            inside = where[0] if where else _field_of(reason, given)
            raise UnfitError((*path, *inside), reason) from error

    def _tuple(self, hints: tuple[Any, ...], value: object, path: JsonPath) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise UnfitError(path, Message("{0} is not a list", _shown(value)))
        if len(hints) == 2 and hints[1] is Ellipsis:
            hints = (hints[0],) * len(value)
        if len(hints) != len(value):
            raise UnfitError(path, Message("it has {0} items instead of {1}", len(value), len(hints)))
        pairs = enumerate(zip(hints, value, strict=True))
        return tuple(self.value(hint, item, (*path, index)) for index, (hint, item) in pairs)

    def _scalar(self, hint: Any, value: object, path: JsonPath) -> Any:
        kind = str if hint is Path else hint
        if kind not in (int, float, str, bool):
            raise TypeError(f"{path}: {hint} is no type that JSON values are read as")
        if (found := _read_as(kind, value)) is None:
            raise UnfitError(path, _not_a(kind, value))
        if self.largest is not None and kind in (int, float) and abs(found) > self.largest:
            raise UnfitError(path, f"{_shown(value)} is beyond {self.largest}")
        return Path(found) if hint is Path else found


def _read_as(kind: Any, value: Any) -> Any:
    """Return a text, a number, true or false as `kind`; None for another type, and for what is none really.

    Python's reader of JSON accepts half of a character, nan, and 1e999 as infinite.
    """
    if kind is float and type(value) in (int, float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    is_half = kind is str and type(value) is str and any("\ud800" <= each <= "\udfff" for each in value)
    return value if type(value) is kind and not is_half else None


def _object(value: object, path: JsonPath) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UnfitError(path, Message("{0} is not an object", _shown(value)))
    return value


def _field_of(words: object, given: Mapping[str, object]) -> JsonPath:
    """Return the path to the field that a message begins with, () where it begins with none of `given`."""
    named = words.arguments[0] if isinstance(words, Message) and words.arguments else None
    is_first = isinstance(named, str) and str(words).startswith(f"“{named}”")
    return (named,) if isinstance(named, str) and is_first and named in given else ()


def _not_a(kind: type, value: object) -> Message:
    shown = _shown(value)
    return {
        int: Message("{0} is not a whole number", shown),
        float: Message("{0} is not a number", shown),
        bool: Message("{0} is not true or false", shown),
        str: Message("{0} is not a text", shown),
    }[kind]


def _not_one_of(value: object, choices: Iterable[str]) -> Message:
    return Message("{0} is not one of {1}", _shown(value), ", ".join(choices))


_LONGEST_SHOWN = 40  # characters of a value that does not fit


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str).encode(errors="backslashreplace").decode()
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class RepeatedKeyError(Exception):
    """An object has the same `key` twice, of which a reader of JSON takes the last; `line` is that one's."""

    def __init__(self, key: str, line: int) -> None:
        super().__init__(key, line)
        self.key, self.line = key, line


def lines_of(text: str) -> dict[JsonPath, int]:
    """Return the line, from 1, of each value of a valid JSON text, by the keys and indices to it.

    Raises `RepeatedKeyError` where two values have the same path.
    """
    found: dict[JsonPath, int] = {}
    _walk(_tokens(text), (), found)
    return found


def line_at(lines: dict[JsonPath, int], path: JsonPath) -> int:
    """Return the line of a value, or of the nearest one around it that is in the file."""
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path, 1)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield match.group(), line


def _walk(tokens: Iterator[tuple[str, int]], path: JsonPath, found: dict[JsonPath, int]) -> str:
    """Read one value; return the token that ended it if it was the end of a list around it, else ""."""
    token, line = next(tokens)
    if token in ("]", "}"):
        return token
    found[path] = line
    if token == "[":
        index = 0
        while _walk(tokens, (*path, index), found) != "]":
            index += 1
            if next(tokens)[0] == "]":
                break
    elif token == "{":
        while (token := next(tokens)[0]) != "}":
            if token == ",":
                continue
            key, (_, line) = str(json.loads(token)), next(tokens)  # the colon
            if (*path, key) in found:
                raise RepeatedKeyError(key, line)
            _walk(tokens, (*path, key), found)
    return ""
