"""`Recorder`: which functions of the program run on which thread, how often, and in which order."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from PySide6.QtCore import SignalInstance

import bertviz_app

OWN = str(Path(bertviz_app.__file__).parent)
_NUMBERED = re.compile(r"(-\d+)?_\d+$|-\d+(?= \()")
"""What differs between the threads of a pool, and between two runs of the program."""
_PARTS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


@dataclass(frozen=True)
class Entered:
    """A function that ran: its file below `bertviz_app`, and how often each thread called it.

    Comprehensions and generator expressions are a part of the function that they stand in. A lambda, and the
    body of a class or a module that is loaded, count as functions; going on with a generator is a call of it.
    """

    file: str
    name: str
    line: int
    calls: dict[str, int]
    calls_until_painted: int

    @property
    def n_calls(self) -> int:
        return sum(self.calls.values())


@dataclass
class _Counted:
    """How often a thread has run the code; `at` is the place of the first time among those of all threads."""

    code: CodeType
    at: int
    n: int = 0
    n_painted: int = 0


class Recorder:
    """Counts from `start` to `stop`, on the thread that calls `start` and on those that begin after `watch`.

    A thread alone can set its own profiler: those that work for the window get theirs when they begin, and
    count nothing before `start`.
    """

    def __init__(self) -> None:
        self._is_on = False
        self._places = count()
        self._counts: list[tuple[str, dict[int, _Counted]]] = []
        self._emitted: list[str] = []
        self._n_emitted_painted = 0
        self._count_here = self._counter("interface")

    def watch(self) -> None:
        """Count on each thread that begins from now on."""
        threading.setprofile(self._begin)

    def start(self) -> None:
        self._is_on = True
        sys.setprofile(self._count_here)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing on this thread in the block."""
        sys.setprofile(None)
        try:
            yield
        finally:
            sys.setprofile(self._count_here)

    def note_painted(self) -> None:
        """Note what was counted up to now."""
        for _, counted in self._counts:
            for each in list(counted.values()):
                each.n_painted = each.n
        self._n_emitted_painted = len(self._emitted)

    def stop(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)
        self._is_on = False

    def entered(self) -> list[Entered]:
        """Return the functions, the one first that ran first."""
        found: dict[int, list[tuple[str, _Counted]]] = {}
        for name, counted in self._counts:
            for key, each in list(counted.items()):
                code = each.code
                if code.co_filename.startswith(OWN) and code.co_name not in _PARTS:
                    found.setdefault(key, []).append((name, each))
        return [_merged(each) for each in sorted(found.values(), key=_first_place)]

    def emitted(self) -> tuple[list[str], int]:
        """Return the signals that own code emitted, and how many of them until the window was painted."""
        return self._emitted, self._n_emitted_painted

    def _begin(self, frame: FrameType, event: str, argument: object) -> None:
        """Take the place of the profiler of a thread that begins, until it has its own."""
        sys.setprofile(self._counter(_NUMBERED.sub("", threading.current_thread().name)))

    def _counter(self, name: str) -> Any:
        """Return a profiler for one thread."""
        counted: dict[int, _Counted] = {}
        self._counts.append((name, counted))
        places, emitted = self._places, self._emitted

        def note(frame: FrameType, event: str, argument: Any) -> None:
            if not self._is_on:
                return
            if event == "call":
                code = frame.f_code
                found = counted.get(id(code))  # a code object's own hash is that of all that it consists of
                if found is None:
                    found = counted[id(code)] = _Counted(code, next(places))
                found.n += 1
            elif event == "c_call" and argument.__name__ == "emit":
                by = argument.__self__
                if isinstance(by, SignalInstance) and frame.f_code.co_filename.startswith(OWN):
                    emitted.append(f"{_below(frame.f_code)}: {str(by).split()[2]}")

        return note


def _below(code: CodeType) -> str:
    return Path(code.co_filename).relative_to(OWN).as_posix()


def _first_place(counted: Sequence[tuple[str, _Counted]]) -> int:
    return min(each.at for _, each in counted)


def _merged(counted: list[tuple[str, _Counted]]) -> Entered:
    """Return one function of all threads, those of one name together."""
    code = counted[0][1].code
    by_name = groupby(sorted(counted, key=lambda pair: pair[0]), key=lambda pair: pair[0])
    calls = {name: sum(each.n for _, each in group) for name, group in by_name}
    painted = sum(each.n_painted for _, each in counted)
    return Entered(_below(code), code.co_qualname, code.co_firstlineno, calls, painted)
