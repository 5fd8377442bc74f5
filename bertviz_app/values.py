"""`dataclass`: that of the standard library, for classes that cost little until they are used.

The standard one compiles up to six functions for each class, 0.5 ms: for the 240 classes that are defined
before the first window a fifth of its processor time. Here all classes share those that compare, hash, print
and refuse to change, and `__init__` is compiled when it is first asked for: 0.04 ms.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import (
    KW_ONLY as KW_ONLY,
    MISSING as MISSING,
    Field as Field,
    FrozenInstanceError,
    asdict as asdict,
    field as field,
    fields as fields,
    is_dataclass as is_dataclass,
    replace as replace,
)
from operator import attrgetter
from reprlib import recursive_repr
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

_T = TypeVar("_T")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        eq: bool = True,
        frozen: bool = False,
        repr: bool = True,  # noqa: A002 - as in the standard library
        kw_only: bool = False,
    ) -> type | Callable[[type], type]:
        """Do what `dataclasses.dataclass` does with the same arguments."""

        def made(of: type) -> type:
            return _completed(of, eq=eq, frozen=frozen, has_repr=repr, kw_only=kw_only)

        return made if cls is None else made(cls)


def explained(default: _T, about: str, choices: Sequence[str] = ()) -> _T:
    """Return the default of a field that is an option at a prompt, with its description and its values."""
    found: Any = field(default=default, metadata={"about": about, "choices": choices})
    return found  # type: ignore[no-any-return]  # as type checkers see a field


def _completed(cls: Any, *, eq: bool, frozen: bool, has_repr: bool, kw_only: bool) -> Any:
    """Return `cls` with its fields, and with the functions that it does not define itself."""
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    own: dict[str, Any] = {"__init__": _Init(cls, is_frozen=frozen)}
    if has_repr:
        own["__repr__"] = _repr
    if eq:
        own |= {"__eq__": _equal, "__compared__": _getter([one.name for one in fields(cls) if one.compare])}
        hashed = vars(cls).get("__hash__", MISSING)
        if hashed is MISSING or (hashed is None and "__eq__" in vars(cls)):  # Python's own None
            cls.__hash__ = _hash if frozen else None
    if frozen:
        own |= {"__setattr__": _refuse, "__delattr__": _refuse}
    for name, value in own.items():
        if name not in vars(cls):
            setattr(cls, name, value)
    return cls


class _Init:
    """The `__init__` of a class until it is first asked for, when the compiled one takes its place."""

    def __init__(self, cls: Any, *, is_frozen: bool) -> None:
        self._cls, self._is_frozen = cls, is_frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        compiled = _compiled(self._cls, is_frozen=self._is_frozen)
        self._cls.__init__ = compiled
        return compiled.__get__(instance, owner)


def _compiled(cls: Any, *, is_frozen: bool) -> FunctionType:
    """Return the `__init__` that the standard library compiles for a class with these fields."""
    namespace: dict[str, Any] = {"__doc__": "-"}  # without one it would be made of the signature, in 0.1 ms
    if hasattr(cls, "__post_init__"):
        namespace["__post_init__"] = None
    alike = dataclasses.make_dataclass(
        cls.__qualname__,
        [(one.name, one.type, _as_given(one)) for one in fields(cls)],
        namespace=namespace,
        frozen=is_frozen,
        eq=False,
        repr=False,
        match_args=False,
    )
    function: FunctionType = vars(alike)["__init__"]
    return function


def _as_given(one: Field[Any]) -> Any:
    return field(**{name: getattr(one, name) for name in ("default", "default_factory", "init", "kw_only")})


def _getter(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """Return a function that returns the values of these fields of an object."""
    if len(names) == 1:
        return lambda of: (getattr(of, names[0]),)
    return attrgetter(*names) if names else lambda of: ()


def _equal(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    values = type(self).__compared__
    return values(self) == values(other)  # tuples: one nan in both is the same value


def _hash(self: Any) -> int:
    return hash(type(self).__compared__(self))


@recursive_repr()
def _repr(self: Any) -> str:
    named = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(named)})"


def _refuse(self: Any, name: str, *value: object) -> None:
    """Refuse to set or delete a field; a class below that is no dataclass may have attributes of its own."""
    if "__dataclass_fields__" in vars(type(self)) or name in type(self).__dataclass_fields__:
        raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
    (object.__setattr__ if value else object.__delattr__)(self, name, *value)
