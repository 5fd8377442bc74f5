"""Frozen dataclasses to plain JSON values and back; what is read is judged by the annotations."""

from __future__ import annotations

import math
import types
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

_Kind = TypeVar("_Kind")
_LARGEST = 2**31 - 1
"""No layer, head, position or count of a model comes near it; numpy's ids end there."""


def to_plain(value: object) -> Any:
    """Return `value` as objects, lists, strings, numbers, true, false and null."""
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    return value


def from_plain(kind: type[_Kind], value: object) -> _Kind:
    """Return the `kind` that `to_plain` made `value` of. What a field lacks is its default.

    Fields that `kind` does not have are left out. Raises ValueError for anything else: a wrong type, an
    integer beyond 32 bits, a number that is not finite, half of a character, and what `kind` refuses.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{kind.__name__} is no object")
    hints = get_type_hints(kind)
    known = {name: _read(hint, value[name], name) for name, hint in hints.items() if name in value}
    try:
        return kind(**known)
    except TypeError as error:  # a field without a default is missing
        raise ValueError(str(error)) from error


def _read(hint: Any, value: object, name: str) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        return None if value is None else _read(_without_none(hint), value, name)
    if get_origin(hint) is tuple:
        return _read_tuple(get_args(hint), value, name)
    if is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, value)
    return _read_scalar(hint, value, name)


def _without_none(hint: Any) -> Any:
    (kind,) = (part for part in get_args(hint) if part is not type(None))
    return kind


def _read_tuple(hints: tuple[Any, ...], value: object, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{name} is no list")
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = (hints[0],) * len(value)
    if len(hints) != len(value):
        raise ValueError(f"{name} has {len(value)} parts instead of {len(hints)}")
    return tuple(_read(hint, item, name) for hint, item in zip(hints, value, strict=True))


def _read_scalar(hint: Any, value: object, name: str) -> Any:
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) <= _LARGEST else math.inf
        if math.isfinite(number):
            return number
    elif hint is int and isinstance(value, int) and not isinstance(value, bool):
        if abs(value) <= _LARGEST:
            return value
    elif hint is str and isinstance(value, str):
        value.encode()  # raises ValueError for half of a character
        return value
    elif hint is bool and isinstance(value, bool):
        return value
    raise ValueError(f"{name} cannot be {str(value)[:40]!r}")
