"""`ParameterTable`: every matrix and vector of an open checkpoint: its name, shape and share of the total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Literal, overload

from bertviz_app.checkpoint.parameters.words import group_title, in_english, title_of
from bertviz_app.errors import Message, SelectionError
from bertviz_app.tables import Table, write_file, write_table_csv, write_table_json

Group = Literal["embeddings", "attention", "feed_forward", "norms", "top", "pooler", "task_heads", "sentence"]
"""The parts of a model. "top": what follows the last layer, or belongs to no single one."""

COLUMNS = ("group", "layer", "what", "symbol", "name", "shape", "parameters", "share", "note")


@dataclass(frozen=True)
class StoredParameter:
    """One matrix or vector of an open checkpoint.

    `key`: the name in this program, the same in every family. `name`: the one in the file; "" where the
    file has none, see `tied_to`. `part`: (number, count), where the tensor in the file holds several.
    `layers`: the layers that use it, several where they share their weights, none outside of the layers.
    `tied_to`: the key of the parameter whose numbers these are; they are counted there. `is_adapted`: an
    adapter beside the file changed the numbers. `is_linear`: it is the matrix of a linear map of tokens.
    """

    key: str
    name: str
    shape: tuple[int, ...]
    group: Group
    layers: tuple[int, ...] = ()
    part: tuple[int, int] = (1, 1)
    tied_to: str = ""
    is_adapted: bool = False
    is_linear: bool = False

    @property
    def n_numbers(self) -> int:
        """How many numbers it has; 0 where they are counted with another parameter."""
        return 0 if self.tied_to else _product(self.shape)

    @property
    def is_matrix(self) -> bool:
        """Whether it has rows and columns; else it is a vector."""
        return len(self.shape) > 1

    @property
    def title(self) -> str:
        """What it is, in English: "query weights"."""
        return title_of(self.key, in_english)[0]

    @property
    def symbol(self) -> str:
        """The letter that formulas have for it: "W_Q"; "" where there is none."""
        return title_of(self.key, in_english)[1]

    @property
    def notes(self) -> tuple[Message, ...]:
        """Sentences on what is unusual about it."""
        found = []
        if len(self.layers) > 1:
            found.append(Message("Used by {0} layers, counted once.", len(self.layers)))
        if self.tied_to:
            found.append(Message("The same numbers as {0}, counted there.", self.tied_to))
        if self.part[1] > 1:
            found.append(Message("Part {0} of {1} of the tensor in the file.", *self.part))
        if self.is_adapted:
            found.append(Message("With the adapter added."))
        return tuple(found)


class ParameterTable(Sequence[StoredParameter]):
    """All parameters of a checkpoint in the order in which they are used; one is found by its name, too."""

    def __init__(self, entries: Sequence[StoredParameter]) -> None:
        self.entries = tuple(entries)

    @overload
    def __getitem__(self, index: int | str) -> StoredParameter: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[StoredParameter, ...]: ...

    def __getitem__(self, index: int | str | slice) -> StoredParameter | tuple[StoredParameter, ...]:
        return self.find(index) if isinstance(index, str) else self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[StoredParameter]:
        return iter(self.entries)

    @cached_property
    def total(self) -> int:
        """How many numbers the model has; shared parameters count once."""
        return sum(entry.n_numbers for entry in self.entries)

    def share(self, entry: StoredParameter) -> float:
        """Return the share of the model's numbers that are in `entry`, from 0 to 1."""
        return entry.n_numbers / self.total if self.total else 0.0

    def find(self, name: str) -> StoredParameter:
        """Return the parameter with this name, in the file or in this program. Raises SelectionError."""
        for entry in self.entries:
            if name == entry.key:
                return entry
        named = [entry for entry in self.entries if name == entry.name]
        if len(named) == 1:
            return named[0]
        if named:
            keys = ", ".join(entry.key for entry in named)
            message = Message("The tensor {0} holds {1} parameters.", name, len(named))
            raise SelectionError(message, Message("Name one of them: {0}.", keys))
        message = Message("The checkpoint has no parameter “{0}”.", name)
        raise SelectionError(message, Message("`bertviz-app parameters` lists their names."))

    def sections(self) -> list[tuple[str, tuple[StoredParameter, ...]]]:
        """Return the groups in order, each with an English title: "Layer 0 · attention"."""
        return [(group_title(*at, in_english), entries) for at, entries in self.groups()]

    def groups(self) -> list[tuple[tuple[Group, tuple[int, ...]], tuple[StoredParameter, ...]]]:
        """Return ((group, layers), parameters) in order."""
        found: dict[tuple[Group, tuple[int, ...]], list[StoredParameter]] = {}
        for entry in self.entries:
            found.setdefault((entry.group, entry.layers), []).append(entry)
        return [(at, tuple(entries)) for at, entries in found.items()]

    def as_table(self) -> Table:
        """Return a row for each parameter, with the columns COLUMNS."""
        rows = [
            (
                entry.group,
                " ".join(map(str, entry.layers)),
                entry.title,
                entry.symbol,
                entry.name or entry.key,
                " x ".join(map(str, entry.shape)),
                entry.n_numbers,
                self.share(entry),
                " ".join(entry.notes),
            )
            for entry in self.entries
        ]
        return Table(COLUMNS, rows)

    def save(self, path: str | Path) -> None:
        """Write the table to a .csv or .json file; the latter has the total, too. Raises FileError."""
        table = self.as_table()
        writers = {
            ".csv": lambda at: write_table_csv(table, at),
            ".json": lambda at: write_table_json(table, at, {"total": self.total}),
        }
        write_file(path, writers)

    def __repr__(self) -> str:
        return f"<ParameterTable: {len(self)} matrices and vectors, {self.total:,} numbers>"

    def _repr_html_(self) -> str:
        table = self.as_table()
        head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(cell))}</td>" for cell in row) + "</tr>"
            for row in table.rows
        )
        return f"<b>{self.total:,}</b> parameters<table><tr>{head}</tr>{rows}</table>"


def _cell(cell: object) -> str:
    return f"{cell:.2%}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)


def _product(shape: Sequence[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total
