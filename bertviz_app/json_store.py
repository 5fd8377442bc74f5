"""The program's own small JSON files (`JsonFile`), and dataclasses as JSON and back (`encode`, `decode`)."""

from __future__ import annotations

import json
import logging
import math
import threading
import types
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from bertviz_app.errors import AppError
from bertviz_app.paths import replacing

_log = logging.getLogger(__name__)

_Kind = TypeVar("_Kind")
Migrations = Mapping[int, Callable[[dict[str, object]], dict[str, object]]]
"""Version -> what makes content of that version content of the next one."""


class JsonFile:
    """One file with one JSON object and the version of its format, written as a whole, on another thread.

    A file that cannot be used never stops the program: it counts as empty, and the log says so. What is in it
    stays on disk: a damaged file, or one of a newer version, is renamed; one that could not be read is left
    as it is, and is therefore not written to either.
    """

    def __init__(self, path: Path, version: int = 1, migrations: Migrations | None = None) -> None:
        """`migrations` has one entry for each version before `version`; files without a version have 1."""
        self.path = path
        self._version = version
        self._migrations = migrations or {}
        self._is_readable = True

    def read(self) -> dict[str, object]:
        """Return the content in the form of this version; {} where there is none that can be used."""
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
        version = content.pop("version", 1) if isinstance(content, dict) else None
        if type(version) is not int or version < 1:
            return self._set_aside("damaged")
        if version > self._version:
            return self._set_aside(f"version-{version}")
        for older in range(version, self._version):
            content = self._migrations[older](content)
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
        """Return when all that was to be written until now is."""
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


def finish_writing() -> None:
    """Return when every `JsonFile` is on disk as it was last written."""
    _WRITER.finish()


def encode(value: object) -> Any:
    """Return `value` as JSON has it: dataclasses as objects, tuples as lists, paths as strings."""
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def decode(kind: type[_Kind], value: object, *, largest: int | None = None) -> _Kind:
    """Return the `kind`, a dataclass, that `encode` made `value` of.

    A field that `value` lacks has its default; a field that `kind` lacks is ignored. Types are exact: `true`
    is no integer; 1 is read as a float, 1.0 is no integer; numbers are finite, their absolute value is at
    most `largest`. Raises ValueError, which names the field, for anything else, and what `kind` raises.
    """
    found: _Kind = _Decoder(largest).dataclass(kind, value, kind.__name__)
    return found


def decode_or_keep(default: _Kind, content: Mapping[str, object]) -> _Kind:
    """Return `default`, a dataclass, with the fields of `content` that fit; the log names the others."""
    found: Any = default
    decoder = _Decoder(None)
    for name, hint in _hints(found.__class__).items():
        if name in content:
            try:
                found = replace(found, **{name: decoder.value(hint, content[name], name)})
            except ValueError as error:
                _log.info("the default is used: %s", error)
    value: _Kind = found
    return value


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind)


class _Decoder:
    """Reads values by the annotations they are meant for; `where` names a value in messages."""

    def __init__(self, largest: int | None) -> None:
        self._largest = largest

    def value(self, hint: Any, value: object, where: str) -> Any:
        """Return `value` as `hint` wants it. Raises ValueError."""
        origin = get_origin(hint)
        if origin in (Union, types.UnionType):
            return self._union(get_args(hint), value, where)
        if origin is Literal:
            return self._literal(get_args(hint), value, where)
        if origin is dict:
            return self._dict(get_args(hint), value, where)
        if origin is tuple:
            return self._tuple(get_args(hint), value, where)
        if isinstance(hint, type) and is_dataclass(hint):
            return self.dataclass(hint, value, where)
        return self._scalar(hint, value, where)

    def dataclass(self, kind: Any, value: object, where: str) -> Any:
        """Return the dataclass `kind` that `value` describes. Raises ValueError."""
        if not isinstance(value, dict):
            raise _unfit(where, value, "an object")
        values = {
            name: self.value(hint, value[name], f"{where}.{name}")
            for name, hint in _hints(kind).items()
            if name in value
        }
        for field in fields(kind):
            is_needed = field.default is MISSING and field.default_factory is MISSING
            if is_needed and field.name not in values:
                raise ValueError(f"{where} has no {field.name}")
        return kind(**values)

    def _union(self, hints: tuple[Any, ...], value: object, where: str) -> Any:
        errors = []
        for hint in hints:
            try:
                return self.value(hint, value, where)
            except ValueError as error:
                errors.append(str(error))
        raise ValueError("; ".join(dict.fromkeys(errors)))

    def _literal(self, choices: tuple[Any, ...], value: object, where: str) -> Any:
        for choice in choices:
            if type(choice) is type(value) and choice == value:
                return choice
        raise _unfit(where, value, f"one of {', '.join(map(repr, choices))}")

    def _dict(self, hints: tuple[Any, ...], value: object, where: str) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise _unfit(where, value, "an object")
        return {name: self.value(hints[1], item, f"{where}.{name}") for name, item in value.items()}

    def _tuple(self, hints: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _unfit(where, value, "a list")
        if len(hints) == 2 and hints[1] is Ellipsis:
            hints = (hints[0],) * len(value)
        if len(hints) != len(value):
            raise ValueError(f"{where} has {len(value)} items instead of {len(hints)}")
        return tuple(
            self.value(hint, item, f"{where}[{index}]")
            for index, (hint, item) in enumerate(zip(hints, value, strict=True))
        )

    def _scalar(self, hint: Any, value: object, where: str) -> Any:
        if hint is float and type(value) in (int, float):
            return self._float(value, where)
        if hint is Path and isinstance(value, str):
            return Path(value)
        if hint not in (int, float, str, bool, types.NoneType, Path):
            raise TypeError(f"{where}: {hint} is no type that JSON values are read as")
        if type(value) is not hint:
            raise _unfit(where, value, _NAMES[hint])
        if isinstance(value, str):
            value.encode()  # raises ValueError for half of a character, which JSON may hold
        elif self._largest is not None and isinstance(value, int) and abs(value) > self._largest:
            raise _unfit(where, value, f"an integer of at most {self._largest}")
        return value

    def _float(self, value: Any, where: str) -> float:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number) or (self._largest is not None and abs(number) > self._largest):
            raise _unfit(where, value, "a finite number")
        return number


_NAMES = types.MappingProxyType(
    {int: "an integer", float: "a number", str: "text", bool: "true or false", types.NoneType: "null"}
    | {Path: "a path"}
)


def _unfit(where: str, value: object, expected: str) -> ValueError:
    return ValueError(f"{where} is {str(value)[:40]!r}, not {expected}")
