"""Tables as files: CSV and JSON, with the digits that give the same number again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Cell = str | int | float | np.floating[Any] | None


@dataclass(frozen=True)
class Table:
    """Rows under named columns; the rows may be made one by one while they are written."""

    columns: tuple[str, ...]
    rows: Iterable[Sequence[Cell]]


def as_csv(table: Table, separator: str = ",") -> str:
    """Return the rows under the names of their columns; an empty cell stands for None and for nan."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([cell_text(cell) for cell in row] for row in table.rows)
    return text.getvalue()


def cell_text(cell: Cell) -> str:
    """Return a cell's text; a number has the fewest digits that give the same number again."""
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, np.float32):
        return f"{float(cell):.9g}"
    return repr(float(cell)) if isinstance(cell, float | np.floating) else str(cell)
