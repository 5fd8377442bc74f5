"""`bertviz_app.values.dataclass` does what that of the standard library does."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, asdict, astuple, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import pytest

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from bertviz_app.values import dataclass

T = TypeVar("T")
STANDARD: Any = dataclasses.dataclass
OURS: Any = dataclass
NAN = math.nan


@dataclass(frozen=True)
class Kept:
    """At the top of a module, as pickle needs it."""

    one: int
    two: list[int] = field(default_factory=list)


def _plain(made: Any) -> Any:
    @made(frozen=True)
    class Plain:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list)
        d: float = field(default=1.0, compare=False, repr=False)
        e: int = field(default=7, init=False)
        shared: ClassVar[int] = 3

    return Plain


def _named(made: Any) -> Any:
    @made(frozen=True, kw_only=True)
    class Named:
        a: int
        b: tuple[int, ...] = ()

    return Named


def _half_named(made: Any) -> Any:
    @made(frozen=True)
    class Half:
        a: int
        _: KW_ONLY
        b: int = 2
        c: int

    return Half


def _below(made: Any) -> Any:
    @made(frozen=True)
    class Below(_plain(made)):  # type: ignore[misc]
        f: int = 4
        b: str = "other"

    return Below


def _changing(made: Any) -> Any:
    @made
    class Changing:
        a: int = 0

        def __post_init__(self) -> None:
            self.double = 2 * self.a

    return Changing


def _alone(made: Any) -> Any:
    @made(frozen=True, eq=False)
    class Alone:
        a: int = 0

    return Alone


def _own(made: Any) -> Any:
    @made(frozen=True, repr=False)
    class Own:
        a: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and abs(self.a) == abs(other.a)

        def __hash__(self) -> int:
            return abs(self.a)

        def __repr__(self) -> str:
            return "own"

    return Own


def _empty(made: Any) -> Any:
    @made(frozen=True)
    class Empty:
        pass

    return Empty


def _generic(made: Any) -> Any:
    @made(frozen=True)
    class Box(Generic[T]):
        value: T

    return Box[int]


KINDS = [_plain, _named, _half_named, _below, _changing, _alone, _own, _empty, _generic]
ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1,), {}),
    ((1, "x", [2], 3.0), {}),
    ((-1,), {"c": 5}),
    ((), {"a": 1, "b": (2,)}),
    ((1, 2, 3, 4, 5, 6, 7), {}),
    ((NAN,), {}),
    ((), {"unknown": 1}),
]


def _made(kind: Callable[[Any], Any], made: Any, arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
    given, named = arguments
    try:
        return kind(made)(*given, **named)
    except TypeError as error:
        return str(error)


def _facts(one: Any) -> dict[str, Any]:
    """What can be seen of an object from outside."""
    if isinstance(one, str):
        return {"error": one}
    found: dict[str, Any] = {
        "repr": repr(one),
        "fields": [(each.name, each.type, each.init, each.kw_only) for each in fields(one)],
        "values": astuple(one),
        "named": asdict(one),
        "match": type(one).__match_args__,
        "signature": str(inspect.signature(type(one))),
        "init": type(one).__init__.__qualname__,
        "vars": vars(one),
        "copies": (copy.copy(one) == one, copy.deepcopy(one) == one),
        "other": one == object(),
    }
    try:
        found["hash"] = "its own" if "__hash__" not in vars(type(one)) else hash(one)
    except TypeError as error:
        found["hash"] = str(error)
    for name in ("a", "unknown"):
        for change, value in ((setattr, (5,)), (delattr, ())):
            try:
                change(one, name, *value)
            except AttributeError as error:
                found[f"{change.__name__} {name}"] = type(error), str(error)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_it_is_as_the_standard_one(kind: Callable[[Any], Any], arguments: Any) -> None:
    ours, standard = _made(kind, OURS, arguments), _made(kind, STANDARD, arguments)
    # Of a class without a text of its own help() shows no signature in ours.
    assert str(_facts(ours)) == str(_facts(standard))


@pytest.mark.parametrize("kind", [_plain, _below, _changing, _alone, _own, _generic])
@pytest.mark.parametrize(("one", "two"), [(1, 1), (1, 2), (1, -1), (NAN, NAN), (NAN, float("nan")), (1, 1.0)])
def test_objects_are_equal_as_the_standard_ones_are(kind: Any, one: Any, two: Any) -> None:
    for made in (OURS, STANDARD):
        of = kind(made)
        found = of(one) == of(two), of(one) != of(two), of(one) in [of(two)]
        if made is OURS:
            ours = found
    assert ours == found


def test_replacing_pickling_and_caching() -> None:
    one = Kept(1, [2])
    assert replace(one, one=3) == Kept(3, [2])
    assert pickle.loads(pickle.dumps(one)) == one

    @dataclass(frozen=True)
    class Cached:
        one: int

        @cached_property
        def double(self) -> int:
            return 2 * self.one

    made = Cached(2)
    assert (made.double, made.double) == (4, 4)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'one'"):
        made.one = 3  # type: ignore[misc]


def test_a_class_below_without_fields_of_its_own_may_have_attributes() -> None:
    class Below(Kept):
        def __init__(self) -> None:
            super().__init__(1)
            self.other = 2

    below = Below()
    assert (below.one, below.other) == (1, 2)
    with pytest.raises(FrozenInstanceError):
        below.one = 3  # type: ignore[misc]
    assert below != Kept(1), "of another class"


def test_abstract_classes_stay_abstract() -> None:
    @dataclass(frozen=True)
    class Shape(ABC):
        side: int

        @abstractmethod
        def area(self) -> int:
            """Return the area."""

    @dataclass(frozen=True)
    class Square(Shape):
        def area(self) -> int:
            return self.side**2

    assert Square(3).area() == 9
    with pytest.raises(TypeError, match="abstract"):
        Shape(3)  # type: ignore[abstract]


def test_a_default_that_could_be_changed_is_refused() -> None:
    with pytest.raises(ValueError, match="mutable default"):

        @dataclass
        class Wrong:
            one: list[int] = []  # noqa: RUF012


def test_it_prints_what_contains_itself() -> None:
    one = Kept(1)
    one.two.append(one)  # type: ignore[arg-type]
    assert repr(one) == "Kept(one=1, two=[...])"
