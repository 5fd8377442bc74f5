"""What a pickle would make if it were opened: its objects by their classes, read without making any."""

from __future__ import annotations

import pickletools
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO

_LARGEST = 64 << 20
_MOST_STEPS = 5_000_000
_MARK = object()
_N_BEFORE = 3
"""The pickles before the object in torch's older format: its number, its version, and sizes of integers."""
_OF_TENSORS = ("torch._utils._rebuild", "torch._tensor._rebuild")
_PLAIN = ("collections.OrderedDict", "collections.defaultdict")


@dataclass(eq=False)
class OutlinedTable:
    """A dictionary, with what stands under its names; other keys are left out."""

    entries: dict[str, object] = field(default_factory=dict)

    def has_tensors(self) -> bool:
        """Return whether tensors stand in it."""
        return any(isinstance(entry, Made) and entry.is_tensor for entry in self.entries.values())

    def made(self) -> Iterator[tuple[str, Made]]:
        """Yield the objects in it that are neither tensors nor tables, with their names."""
        for name, entry in self.entries.items():
            if isinstance(entry, Made) and not entry.is_tensor:
                yield name, entry


@dataclass(eq=False)
class Made:
    """An object that a call of `name`, with its module, would make; `state` is what would fill it."""

    name: str
    state: object = None

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor or a parameter."""
        return self.name.startswith(_OF_TENSORS)

    @property
    def is_module(self) -> bool:
        """Whether it is a module of torch's, which has parameters or other modules."""
        return isinstance(self.state, OutlinedTable) and "_modules" in self.state.entries


@dataclass(frozen=True)
class _Named:
    """A class or a function that the pickle names."""

    name: str


def outline_of(path: Path) -> OutlinedTable | Made | None:
    """Return what a file of torch's holds on top; None if it cannot be told. Nothing of it is called."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                name = next(each for each in archive.namelist() if each.rpartition("/")[2] == "data.pkl")
                if archive.getinfo(name).file_size > _LARGEST:
                    return None
                with archive.open(name) as file:
                    found = _read(file)
        else:
            with path.open("rb") as file:
                for _ in range(_N_BEFORE):
                    _read(file)
                found = _read(file)
    # A damaged pickle can end in any of these, and a damaged archive in anything that its library raises.
    except Exception:  # noqa: BLE001 - it is read only to explain an error that is raised in any case
        return None
    return found if isinstance(found, OutlinedTable | Made) else None


def _read(file: IO[bytes]) -> object:
    """Return the outline of the next pickle in `file`."""
    stack: list[object] = []
    memo: dict[int, object] = {}
    for n_steps, (code, argument, _) in enumerate(pickletools.genops(file)):
        if n_steps > _MOST_STEPS:
            return None
        if code.name == "STOP":
            return stack.pop()
        _take(code, argument, stack, memo)
    return None


def _take(
    code: pickletools.OpcodeInfo, argument: object, stack: list[object], memo: dict[int, object]
) -> None:
    """Do with outlines what an opcode does with objects."""
    name = code.name
    if name in ("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"):
        memo[argument if isinstance(argument, int) else len(memo)] = stack[-1]
        return
    if name in ("GET", "BINGET", "LONG_BINGET"):
        assert isinstance(argument, int)
        stack.append(memo[argument])
        return
    if name == "MARK":
        stack.append(_MARK)
        return
    values = _popped(code, stack)
    if code.stack_after:
        stack += [_made(name, argument, values)] * len(code.stack_after)


def _popped(code: pickletools.OpcodeInfo, stack: list[object]) -> list[object]:
    """Take off the stack what an opcode takes: a count of values, or those down to the last mark."""
    before = [kind.name for kind in code.stack_before]
    if "mark" not in before:
        at = len(stack) - len(before)
        values = stack[at:]
        del stack[at:]
        return values
    at = max(index for index, value in enumerate(stack) if value is _MARK)
    first = at - before.index("mark")
    values = [*stack[first:at], *stack[at + 1 :]]
    del stack[first:]
    return values


def _made(name: str, argument: object, values: list[object]) -> object:
    """Return the outline of what an opcode leaves on the stack, None for what does not matter."""
    if isinstance(argument, str):
        found = _Named(argument.replace(" ", "."))
        return {"GLOBAL": found, "INST": Made(found.name)}.get(name, argument)
    if name == "STACK_GLOBAL":
        return _Named(f"{values[0]}.{values[1]}")
    make = _MAKERS.get(name)
    return None if make is None else make(values)


def _called(values: list[object]) -> object:
    called = values[0].name if isinstance(values[0], _Named) else "?"
    return OutlinedTable() if called in _PLAIN else Made(called)


def _built(values: list[object]) -> object:
    if isinstance(values[0], Made):
        values[0].state = values[1]
    return values[0]


def _stored_elsewhere(values: list[object]) -> object:
    """Return the class of a module, which torch's older format keeps with its source; None for a storage."""
    holds = values[0] if isinstance(values[0], tuple) else ()
    return holds[1] if len(holds) > 1 and holds[0] == "module" else None


def _filled(table: object, values: list[object]) -> object:
    if isinstance(table, OutlinedTable):
        pairs = zip(values[::2], values[1::2], strict=False)
        table.entries.update((key, value) for key, value in pairs if isinstance(key, str))
    return table


_MAKERS: Mapping[str, Callable[[list[object]], object]] = MappingProxyType(
    {
        **dict.fromkeys(("REDUCE", "NEWOBJ", "NEWOBJ_EX", "OBJ"), _called),
        "EMPTY_DICT": lambda _: OutlinedTable(),
        "DICT": lambda values: _filled(OutlinedTable(), values),
        **dict.fromkeys(("SETITEM", "SETITEMS"), lambda values: _filled(values[0], values[1:])),
        "BUILD": _built,
        **dict.fromkeys(("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"), tuple),
        **dict.fromkeys(("APPEND", "APPENDS", "ADDITEMS", "DUP"), lambda values: values[0]),
        "BINPERSID": _stored_elsewhere,
    }
)
"""By opcode: what it makes of the outlines that it takes off the stack."""
