"""How the rows of a text are written: separated cells, JSON, or a text a line; and the rows themselves."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

RECORD_SEPARATOR = "\u241e"
SEPARATORS = ("\t", RECORD_SEPARATOR, ";", ",")
_LEAST_SAME = {"\t": 0.5, RECORD_SEPARATOR: 0.5, ";": 0.9, ",": 0.9}
"""The share of the lines that have as many columns as most: prose has commas, too, but no fixed number."""
_SAMPLE = 1_000  # lines
_JSON_SAMPLE = 5
_LONGEST_CELL = 1 << 24  # characters
_ARRAY = re.compile(r'\s*\[\s*[\[{"]')
Kind = Literal["rows", "json lines", "json", "lines"]


class LayoutError(ValueError):
    """A row is not written as the others; `line` is the number of its line."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True)
class Layout:
    """`separator` and `is_quoted` are those of "rows"; "lines" have one column, the whole line."""

    kind: Kind
    separator: str = ""
    is_quoted: bool = False


def find_layout(lines: Sequence[str], separator: str = "", *, is_whole: bool = True) -> Layout:
    """Return how `lines`, without their ends, are written; `separator` is what the user says it is.

    Without `is_whole` they are the beginning of a file.
    """
    if not separator:
        kind = _json_kind(lines, is_whole=is_whole)
        if kind is not None:
            return Layout(kind)
    sample = [line for line in lines[:_SAMPLE] if line.strip()]
    for one in [separator] if separator else SEPARATORS:
        layout = _separated(sample, one, is_whole=is_whole and len(lines) <= _SAMPLE)
        counts = Counter(len(cells) for _, cells in rows_of(sample, layout, is_cut=True))
        most, n_most = max(counts.items(), key=lambda item: item[1], default=(1, 0))
        if separator or (most > 1 and n_most >= _LEAST_SAME[one] * counts.total()):
            return _separated(lines, one, is_whole=is_whole)
    return Layout("lines")


def rows_of(
    lines: Iterable[str], layout: Layout, *, is_cut: bool = False
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the cells of each row that is not blank, and the number of its last line.

    `is_cut`: the end of the lines may be within a row, which is then left out. Raises LayoutError.
    """
    if layout.kind == "rows" and layout.is_quoted:
        yield from _quoted(lines, layout.separator, is_cut=is_cut)
        return
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, tuple(line.split(layout.separator) if layout.separator else [line])


def objects_of(lines: Iterable[str], layout: Layout) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the values of each JSON object by their names, and the number of its line or of itself.

    A value within another has a name with a dot; a row that is an array has numbers for names, from 1.
    Raises LayoutError.
    """
    if layout.kind == "json lines":
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, _values(_parsed(line, number), number)
        return
    found = _parsed("\n".join(lines), 1)
    for number, value in enumerate(_rows_within(found), 1):
        yield number, _values(value, number)


def _quoted(
    lines: Iterable[str], separator: str, *, is_cut: bool = False
) -> Iterator[tuple[int, tuple[str, ...]]]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, tuple(cells)
    except csv.Error as error:
        if not (is_cut and "end of data" in str(error)):
            raise LayoutError(str(error), reader.line_num) from error


def _separated(lines: Sequence[str], separator: str, *, is_whole: bool) -> Layout:
    """Return whether quotes around cells belong to the format, or to the texts as in most files with tabs."""
    plain = Layout("rows", separator)
    if len(separator) != 1 or not any(line.startswith('"') or f'{separator}"' in line for line in lines):
        return plain
    quoted = replace(plain, is_quoted=True)
    try:
        rows = list(rows_of(lines, quoted, is_cut=not is_whole))
    except LayoutError:
        return plain
    n_lines = sum(bool(line.strip()) for line in lines)
    has_breaks = is_whole and len(rows) < n_lines
    if not has_breaks:
        return quoted
    # Lines that are whole rows as they stand: quotes at the beginning of one text and the end of a later one.
    counts = {len(cells) for _, cells in rows_of(lines, plain)}
    return plain if separator in ("\t", RECORD_SEPARATOR) or len(counts) == 1 else quoted


def _json_kind(lines: Sequence[str], *, is_whole: bool) -> Kind | None:
    filled = [line for line in lines[:_SAMPLE] if line.strip()][:_JSON_SAMPLE]
    if not filled or filled[0].lstrip()[0] not in "[{":
        return None
    found = [_json_or_none(line) for line in filled]
    has_rows = isinstance(found[0], dict) and any(_is_rows(value) for value in found[0].values())
    if all(isinstance(value, dict) for value in found) and not (len(filled) == 1 and has_rows):
        return "json lines"
    if len(found) > 1 and all(isinstance(value, list) for value in found):
        return "json lines"
    if not is_whole:
        is_object = filled[0].lstrip() == "{" or re.match(r'\s*\{\s*"[^"]*"\s*:', filled[0]) is not None
        return "json" if is_object or _ARRAY.match("\n".join(filled)) else None
    whole = _json_or_none("\n".join(lines))
    return "json" if isinstance(whole, dict | list) else None


def _json_or_none(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parsed(text: str, number: int) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LayoutError(str(error) or type(error).__name__, number) from error


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _rows_within(found: object) -> list[object]:
    """Return the rows of an array, or of the one array in an object, as {"version": …, "data": […]}."""
    if isinstance(found, dict):
        parts = [name for name, value in found.items() if _is_rows(value)]
        if len(parts) > 1:
            raise LayoutError(f"several tables: {', '.join(parts)}", 1)
        found = found[parts[0]] if parts else [found]
    if not isinstance(found, list):
        raise LayoutError("no array of rows", 1)
    return found


def _values(row: object, number: int) -> dict[str, str]:
    if isinstance(row, dict):
        return dict(_flat(row, ""))
    if isinstance(row, list):
        return {str(at): _cell(value) for at, value in enumerate(row, 1)}
    if isinstance(row, str):
        return {"1": row}
    raise LayoutError("a row that is no object", number)


def _flat(row: Mapping[str, object], within: str) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{within}{name}.")
        else:
            yield f"{within}{name}", _cell(value)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
