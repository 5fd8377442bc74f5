"""`LoadReport`: how a file's tensors match an encoder's parameters, and the error if they do not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bertviz_app.errors import CheckpointError, Message, shown

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
_SHOWN = 3


@dataclass(frozen=True)
class Mismatch:
    """A tensor whose shape differs from the one that config.json implies."""

    name: str
    expected: tuple[int, ...]
    found: tuple[int, ...]


@dataclass(frozen=True)
class LoadReport:
    """Which parameters and which tensors of a file do not match; without names if all of them do.

    `missing` and `mismatched` are names of our parameters, the others names in the file. Names that differ
    only in the layer are merged: "layers.{0..11}.attention.query.weight". `task_heads` are parameters of task
    heads that the encoder does not use; `not_computed` are unknown names inside the encoder, `unexpected`
    all other unknown names. `prefix` was removed from the names in the file; `adapter` is a sentence about
    the adapter that was added.
    """

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[Mismatch, ...] = ()
    task_heads: tuple[str, ...] = ()
    not_computed: tuple[str, ...] = ()
    prefix: str = ""
    adapter: str = ""

    def summary(self) -> str:
        """Return the differences in sentences; empty if everything matches."""
        sentences: list[Message] = []
        if self.missing:
            sentences.append(Message("Missing: {0}.", _listed(self.missing)))
        if self.mismatched:
            first = self.mismatched[0]
            sizes = first.name, list(first.found), list(first.expected)
            one = Message("Of another shape: {0} is {1} where config.json makes it {2}.", *sizes)
            others = len(self.mismatched) - 1
            many = Message(
                "Of another shape: {0} is {1} where config.json makes it {2}, and {3} more.", *sizes, others
            )
            sentences.append(many if others else one)
        if self.task_heads:
            sentences.append(Message("Task heads that are not used: {0}.", _listed(self.task_heads)))
        if self.not_computed:
            names = _listed(self.not_computed)
            sentences.append(Message("Parts of the encoder that are not computed: {0}.", names))
        if self.unexpected:
            sentences.append(Message("Unknown tensors that are not used: {0}.", _listed(self.unexpected)))
        return Message.joined(sentences)


class WeightsError(CheckpointError):
    """The weights do not match the configuration; `report` says where."""

    def __init__(self, message: str, hint: str, report: LoadReport) -> None:
        super().__init__(message, hint)
        self.report = report


def folded(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` in order; names that differ only in their first number are merged."""
    numbers: dict[tuple[str, str], list[int | None]] = {}
    for name in names:
        found = _NUMBER.search(name)
        around = (name[: found.start()], name[found.end() :]) if found else (name, "")
        numbers.setdefault(around, []).append(int(found[0][:9]) if found else None)
    return tuple(_joined(before, after, which) for (before, after), which in numbers.items())


def _joined(before: str, after: str, which: list[int | None]) -> str:
    layers = sorted({number for number in which if number is not None})
    if not layers:
        return before
    if len(layers) == 1:
        return f"{before}{layers[0]}{after}"
    if layers[-1] - layers[0] == len(layers) - 1:
        return f"{before}{{{layers[0]}..{layers[-1]}}}{after}"
    return f"{before}{{{','.join(map(str, layers))}}}{after}"


def _listed(names: tuple[str, ...]) -> str:
    """Return the first few names for a message."""
    first = ", ".join(shown(name, 100) for name in names[:_SHOWN])
    return first if len(names) <= _SHOWN else Message("{0} and {1} more", first, len(names) - _SHOWN)
