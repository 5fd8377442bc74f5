"""`Numbers`: what a panel or a card shows, as arrays with names, and as files: CSV, NPZ, JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO
from zipfile import ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.errors import FileError
from bertviz_app.paths import replacing
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.panels import Panel

ENDINGS = (".csv", ".npz", ".json")
Fact = str | int | float | bool | None | dict[str, object] | list[int]


@dataclass(frozen=True, eq=False)
class Numbers:
    """`facts`: what the arrays are of. `arrays`: by name. `labels`: names of rows, columns or heads."""

    facts: dict[str, Fact]
    arrays: dict[str, NDArray[np.float32]]
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)


def head_numbers(panel: Panel, pictures: tuple[HeadPicture, ...]) -> Numbers:
    """Return the weights that lines or a matrix show, [queries, keys], or [heads, queries, keys] of several.

    Where two runs are compared, nan stands where one of them lacks the token.
    """
    front = pictures[0]
    reading = front.reading
    weights = [picture.source.rows(0, len(reading.queries)) for picture in pictures]
    facts: dict[str, Fact] = {
        "model": front.trace.model,
        "text": front.trace.tokens.text,
        "pair": front.trace.tokens.pair,
        "run": panel.run,
        "layer": front.layer,
        "heads": [picture.head for picture in pictures],
        "options": asdict(front.options),
    }
    labels = {"queries": reading.queries.names, "keys": reading.keys.names}
    array = weights[0] if len(weights) == 1 else np.stack(weights)
    return Numbers(facts, {"weights": array}, labels)


def overview_numbers(overview: HeadOverview, model: str, text: str, pair: str | None) -> Numbers:
    """Return every measure of every head, [layers, heads] each."""
    return Numbers({"model": model, "text": text, "pair": pair}, dict(overview.measures))


def named_numbers(
    facts: dict[str, Fact], found: Mapping[str, NDArray[np.generic] | tuple[str, ...]]
) -> Numbers:
    """Return as Numbers what a view hands out as arrays and names in one dictionary."""
    arrays = {
        name: np.asarray(value, np.float32) for name, value in found.items() if not isinstance(value, tuple)
    }
    labels = {name: value for name, value in found.items() if isinstance(value, tuple)}
    return Numbers(facts, arrays, labels)


def save_numbers(numbers: Numbers, path: str | Path) -> None:
    """Write `numbers` to `path`: `.csv`, `.npz` or `.json` by its ending. Raises FileError.

    CSV and JSON write numbers so that reading them gives the same float32. A CSV of one matrix with names
    is that matrix under and beside its names; of anything else a line a number, under the columns
    `array,index,value`, an index being as "3.0.7"; it has no facts. JSON has null where there is no number.
    """
    path = Path(path)
    writers: dict[str, Callable[[Numbers, Path], None]] = {
        ".csv": _write_csv,
        ".npz": _write_npz,
        ".json": _write_json,
    }
    write = writers.get(path.suffix.lower())
    if write is None:
        message = f"Numbers cannot be written as “{path.suffix or path.name}”."
        raise FileError(message, "End the name in .csv, .npz or .json.")
    with replacing(path) as beside:
        write(numbers, beside)


def _write_npz(numbers: Numbers, path: Path) -> None:
    facts = np.array(json.dumps(numbers.facts, ensure_ascii=False))
    names = {name: np.array(names) for name, names in numbers.labels.items()}
    with ZipFile(path, "w") as archive:
        for name, array in {"facts": facts, **names, **numbers.arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                write_array(member, array, allow_pickle=False)


def _write_json(numbers: Numbers, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        facts = {"facts": numbers.facts, "labels": numbers.labels}
        file.write(json.dumps(facts, ensure_ascii=False)[:-1] + ', "arrays": {')
        for place, (name, array) in enumerate(numbers.arrays.items()):
            file.write((", " if place else "") + json.dumps(name) + ": ")
            _write_list(file, array)
        file.write("}}\n")


def _write_list(file: IO[str], array: NDArray[np.float32]) -> None:
    """Write nested lists row by row: all of a long text as Python floats would be ten times its size."""
    if array.ndim > 1:
        file.write("[")
        for place, part in enumerate(array):
            file.write(", " if place else "")
            _write_list(file, part)
        file.write("]")
    else:
        file.write("[" + ", ".join(digits or "null" for digits in _digits(array)) + "]")


def _write_csv(numbers: Numbers, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        rows, columns = numbers.labels.get("queries"), numbers.labels.get("keys")
        only = next(iter(numbers.arrays.values())) if len(numbers.arrays) == 1 else None
        if only is not None and rows is not None and columns is not None and only.ndim == 2:
            writer.writerow(("", *columns))
            writer.writerows((name, *_digits(row)) for name, row in zip(rows, only, strict=True))
            return
        writer.writerow(("array", "index", "value"))
        for name, names in numbers.labels.items():
            writer.writerows((name, place, label) for place, label in enumerate(names))
        for name, array in numbers.arrays.items():
            writer.writerows((name, *entry) for entry in _entries(array))


def _entries(array: NDArray[np.float32], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield (index, digits) of every number."""
    if array.ndim > 1:
        for place, part in enumerate(array):
            yield from _entries(part, f"{before}{place}.")
    else:
        yield from ((f"{before}{place}", digits) for place, digits in enumerate(_digits(array)))


def _digits(row: NDArray[np.float32]) -> list[str]:
    """Return the numbers of [n] with the fewest digits that give the same float32; "" for nan."""
    return ["" if number != number else f"{number:.9g}" for number in row.tolist()]
