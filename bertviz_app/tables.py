"""Tables and arrays as files: CSV, JSON and NPZ, for the whole program.

Every number is written with the fewest digits that give the same number again.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any
from zipfile import ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from bertviz_app.errors import FileError, Message
from bertviz_app.notebooks import NotebookTable
from bertviz_app.paths import replacing
from bertviz_app.types import Floats
from bertviz_app.values import dataclass

Cell = str | int | float | np.floating[Any] | None


Row = Sequence[Cell]


@dataclass(frozen=True, eq=False)
class RowSource:
    """Rows that are made one by one, anew whenever they are read."""

    made: Callable[[], Iterable[Row]]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.made())


@dataclass(frozen=True, repr=False)
class Table(NotebookTable):
    """Rows under named columns; they can be read any number of times, and may be made while they are read."""

    columns: tuple[str, ...]
    rows: Sequence[Row] | RowSource


def column_name(text: str) -> str:
    """Return a text as the name of a column, which may be written in code: of letters, digits and "_"."""
    return "_".join(re.findall(r"\w+", text))


def with_note(table: Table, column: str, note: str) -> Table:
    """Return `table` with one more column, which has `note` in each row; unchanged where that is ""."""
    if not note:
        return table
    return Table((*table.columns, column), RowSource(lambda: ((*row, note) for row in table.rows)))


def write_file(path: str | PathLike[str], writers: Mapping[str, Callable[[Path], object]]) -> Path:
    """Write a file in the format that its ending names, and return its path.

    It is replaced as a whole: after an error it is what it was before. `writers`: for each ending, such as
    ".csv", a function that writes the file. Raises FileError for another ending, or where it cannot be
    written.
    """
    path = Path(path).expanduser()
    if (write := writers.get(path.suffix.lower())) is None:
        *others, last = writers
        message = Message("This cannot be written as “{0}”.", path.suffix or path.name)
        raise FileError(message, Message("End the name in {0} or {1}.", ", ".join(others), last))
    with replacing(path) as beside:
        write(beside)
    return path


def text_writer(text: Callable[[], str]) -> Callable[[Path], object]:
    """Return a function that writes what `text()` returns to a file, in UTF-8."""
    return lambda path: path.write_text(text(), encoding="utf-8", newline="")


def table_as_csv(table: Table, separator: str = ",") -> str:
    """Return the rows under the names of their columns; an empty cell stands for None and for nan."""
    text = io.StringIO()
    _write_rows(table, text, separator)
    return text.getvalue()


def write_table_csv(table: Table, path: Path) -> None:
    """Write what `table_as_csv` returns to a file, row by row."""
    with path.open("w", encoding="utf-8", newline="") as file:
        _write_rows(table, file, ",")


def _write_rows(table: Table, file: IO[str], separator: str) -> None:
    writer = csv.writer(file, delimiter=separator, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([cell_text(cell) for cell in row] for row in table.rows)


def cell_text(cell: Cell) -> str:
    """Return a cell's text, "" for None and nan."""
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, np.float32):
        return f"{float(cell):.9g}"
    return repr(float(cell)) if isinstance(cell, float | np.floating) else str(cell)


def write_table_json(table: Table, path: Path, facts: Mapping[str, object]) -> None:
    """Write one object, row by row: the facts, "columns", and "rows".

    null stands for None, and for nan and infinite numbers, which JSON does not have.
    """
    with path.open("w", encoding="utf-8") as file:
        head = dict(facts) | {"columns": table.columns}
        file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "rows": [')
        for index, row in enumerate(table.rows):
            file.write(f"{',' if index else ''}\n[{', '.join(_json_cell(cell) for cell in row)}]")
        file.write("]}\n")


def _json_cell(cell: Cell) -> str:
    if isinstance(cell, str | bool):
        return json.dumps(cell, ensure_ascii=False)
    return (
        "null"
        if isinstance(cell, float | np.floating) and not np.isfinite(cell)
        else cell_text(cell) or "null"
    )


def write_npz(arrays: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write arrays by name as NPZ, without pickles, one by one."""
    with ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                write_array(member, np.asanyarray(array), allow_pickle=False)


def digits(row: Floats) -> list[str]:
    """Return the numbers of [n] as text, "" for nan."""
    return ["" if number != number else f"{number:.9g}" for number in row.tolist()]


def json_digits(row: Floats) -> list[str]:
    """Return the numbers of [n] as JSON has them, "null" for nan and infinite numbers."""
    return [f"{number:.9g}" if math.isfinite(number) else "null" for number in row.tolist()]
