"""How traces, results and tables show themselves in a notebook, and become DataFrames and arrays.

A picture is a piece of SVG with the labels as text and the cells as a small PNG, a table the first rows; both
need no script. Colours are those of the light theme; texts have the colour of the notebook.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app import paths
from bertviz_app.errors import imported
from bertviz_app.types import Bytes, Floats

Numbers = NDArray[Any]
MOST_NUMBERS = 1 << 24
"""Of more numbers no picture is made while a notebook waits for it."""
_MOST_ROWS = 8  # of a table
_MOST_BARS = 32
_GRID, _MAP = 336, 120  # pixels of a large picture, and of one of several, along a side
_MOST_MAPS = 12
_LONGEST = 18  # characters of a label
_MOST_NAMES = 10


class NotebookTable:
    """What a `Table` is in a notebook: its first rows; a DataFrame or an array with named columns."""

    columns: tuple[str, ...]
    rows: Any

    def __repr__(self) -> str:
        first = next(iter(self.rows), None)
        row = "no rows" if first is None else f"first row {', '.join(map(_cell, first))}"
        return f"<Table of {_listed(self.columns)}: {row}>"

    def _repr_html_(self) -> str:
        return rows_html(self.columns, self.rows)

    def to_numpy(self) -> Numbers:
        """Return its rows [n] as a structured array: `array["value"]` is the column of that name."""
        rows = [[math.nan if cell is None else cell for cell in row] for row in self.rows]
        columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.empty(0)] * len(
            self.columns
        )
        kinds = [(name, column.dtype) for name, column in zip(self.columns, columns, strict=True)]
        found = np.empty(len(rows), kinds)
        for name, column in zip(self.columns, columns, strict=True):
            found[name] = column
        return found

    def to_pandas(self) -> Any:
        """Return its rows as a `pandas.DataFrame` with its columns. Raises PackageError without pandas."""
        return imported("pandas").DataFrame(self.to_numpy())


class HasTable:
    """What has `as_table`, and so can be a `pandas.DataFrame`."""

    if TYPE_CHECKING:

        def as_table(self) -> Any:
            """Return its numbers as rows under named columns: a `Table`."""

    def to_numpy(self) -> Numbers:
        """Return the rows of `as_table` as an array with named columns."""
        found: Numbers = self.as_table().to_numpy()
        return found

    def to_pandas(self) -> Any:
        """Return the rows of `as_table` as a `pandas.DataFrame`. Raises PackageError without pandas."""
        return self.as_table().to_pandas()


class ShownResult(HasTable):
    """What a result of an analysis is in a notebook: a line, or a picture of its values and some rows."""

    if TYPE_CHECKING:

        @property
        def axes(self) -> tuple[Any, ...]:
            """The axes of `values`, each with a name and labels."""

        def arrays(self) -> dict[str, Numbers]:
            """Return its arrays by name."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Keep dataclasses from writing whole arrays: one that finds a `__repr__` makes none."""
        super().__init_subclass__(**kwargs)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = ShownResult.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        names = next((axis.labels for axis in self.axes if not _is_counted(axis.labels)), ())
        sizes = " x ".join(f"{axis.name} {len(axis)}" for axis in self.axes)
        return f"<{type(self).__name__}: {sizes}{': ' if names else ''}{_listed(names)}>"

    def _repr_html_(self) -> str:
        sizes = " × ".join(f"{axis.name} {len(axis)}" for axis in self.axes)
        origin = getattr(self, "origin", None)
        of = "" if origin is None else f"<br>{escape(str(origin))}"
        title = f"<p><b>{type(self).__name__}</b> {escape(sizes)}{of}</p>"
        n_numbers = math.prod(map(len, self.axes))
        axes = [(axis.name, axis.labels) for axis in self.axes]
        picture = picture_html(self.arrays()["values"], axes) if 0 < n_numbers <= MOST_NUMBERS else ""
        table = self.as_table()
        return f"<div>{title}{picture}{rows_html(table.columns, table.rows)}</div>"

    def to_numpy(self) -> Numbers:
        """Return its main array, "values"; `axes` has the names of its axes, and the label of each index."""
        return self.arrays()["values"]

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of `axes`: the shape of its main array."""
        return tuple(map(len, self.axes))

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> Numbers:
        """Return its main array: `np.asarray(result)`."""
        return np.array(self.to_numpy(), dtype, copy=copy)

    def __getitem__(self, at: Any) -> Any:
        """Return a part of its main array, as `np.asarray(result)[at]` does."""
        return self.to_numpy()[at]

    def to_xarray(self) -> Any:
        """Return its main array as an `xarray.DataArray`, its dimensions named by `axes`.

        An axis of numbers has these as coordinates; one of names has the positions, and beside them the names
        ("query_token" and "key_token", or such as "scalar_label"): a token may be there more than once.
        Raises PackageError without xarray.
        """
        coordinates: dict[str, Any] = {axis.name: range(len(axis)) for axis in self.axes}
        for axis in self.axes:
            if not _is_counted(axis.labels):
                of = "token" if axis.name in ("query", "key") else "label"
                coordinates[f"{axis.name}_{of}"] = (axis.name, list(axis.labels))
        return imported("xarray").DataArray(self.to_numpy(), coordinates, [axis.name for axis in self.axes])


def rows_html(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the first rows as a table, and whether there are more."""
    first = list(islice(rows, _MOST_ROWS + 1))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = ("".join(f"<td>{escape(_short(_cell(cell)))}</td>" for cell in row) for row in first[:_MOST_ROWS])
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    more = "<p>… more rows: .as_table(), .to_pandas()</p>" if len(first) > _MOST_ROWS else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


def picture_html(values: Numbers, axes: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a picture of numbers: bars of [n], a heat map of [n, m], several of more axes.

    `axes`: the name and the labels of each; at most four.
    """
    values = values.astype(np.float32)
    if values.ndim == 1:
        return _bars(values, axes[0][1])
    if values.ndim == 2:
        return _heat_map(values, axes, _GRID)
    if values.ndim == 3:
        (name, labels), *others = axes
        beside = '<div style="display: inline-block; margin: 4px 12px 4px 0">'
        shown = (
            f"{beside}{escape(f'{name} {label}')}<br>{_heat_map(each, others, _MAP)}</div>"
            for label, each in zip(labels[:_MOST_MAPS], values[:_MOST_MAPS], strict=True)
        )
        more = f"<p>… {len(values) - _MOST_MAPS} more</p>" if len(values) > _MOST_MAPS else ""
        return f"<div>{''.join(shown)}</div>{more}"
    caption = f"{axes[2][0]} (down) × {axes[3][0]} (across) of each {axes[0][0]} and {axes[1][0]}"
    maps = [list(row) for row in values]
    return grid_html(maps, axes[0][1], axes[1][1], f"{caption}; each has its own scale.")


def grid_html(
    maps: Sequence[Sequence[Numbers]], rows: Sequence[str], columns: Sequence[str], caption: str
) -> str:
    """Return a grid of heat maps, each with its own scale from 0: one list of them for each row."""
    n_columns = max(map(len, maps))
    side = max(6, min(72, _GRID // max(len(maps), n_columns)))
    is_signed = any(_is_signed(values) for line in maps for values in line)
    cells = np.zeros((len(maps) * side, n_columns * side), np.uint8)
    for row, line in enumerate(maps):
        for column, values in enumerate(line):
            found = levels(_shrunk(values, side - 2), is_signed)
            rows_at, columns_at = (np.arange(side - 2) * count // (side - 2) for count in found.shape)
            place = np.s_[row * side + 1 : (row + 1) * side - 1, column * side + 1 : (column + 1) * side - 1]
            cells[place] = found[rows_at][:, columns_at]
    left, top = 8 + 7 * max((len(_short(name)) for name in rows), default=0), 16
    names = [_text(left - 4, top + (at + 0.5) * side, name, "end") for at, name in enumerate(rows)]
    if side > 7 * max((len(_short(name)) for name in columns), default=0):
        names += [_text(left + (at + 0.5) * side, 8, name, "middle") for at, name in enumerate(columns)]
    else:
        caption = f"{caption} Across: {_listed(columns)}."
    return _svg(png(cells, palette(is_signed)), cells.shape, (left, top), names) + f"<p>{escape(caption)}</p>"


def _heat_map(values: Numbers, axes: Sequence[tuple[str, Sequence[str]]], side: int) -> str:
    """Return a heat map of about `side` pixels, with labels where they have room."""
    (row_name, rows), (column_name, columns) = axes
    shown = _shrunk(values, side // 3)
    cell = max(3, min(20, side // max(shown.shape)))
    is_signed = _is_signed(values)
    cells = levels(shown, is_signed).repeat(cell, 0).repeat(cell, 1)
    has_rows, has_columns = (cell >= 10 and n == m for n, m in zip(shown.shape, values.shape, strict=True))
    left = 8 + 7 * max((len(_short(name)) for name in rows), default=0) if has_rows else 4
    top = 8 + 7 * max((len(_short(name)) for name in columns), default=0) if has_columns else 4
    names = [
        _text(left - 4, top + (at + 0.5) * cell, name, "end") for at, name in enumerate(rows) if has_rows
    ]
    names += [
        _text(left + (at + 0.5) * cell, top - 4, name, "start", turn=-90)
        for at, name in enumerate(columns)
        if has_columns
    ]
    known = values[np.isfinite(values)]
    ends = f", from {_cell(known.min())} to {_cell(known.max())}" if known.size else ""
    caption = f"{row_name} (down) × {column_name} (across){ends}"
    return _svg(png(cells, palette(is_signed)), cells.shape, (left, top), names) + f"<p>{escape(caption)}</p>"


def _bars(values: Numbers, labels: Sequence[str]) -> str:
    first = values[:_MOST_BARS]
    most = float(np.nanmax(np.abs(first), initial=0)) or 1.0
    left = 8 + 7 * max((len(_short(name)) for name in labels[:_MOST_BARS]), default=0)
    ends = (_stops("differences")[at].astype(int).tolist() for at in (0, -1))
    low, high = ("#{:02x}{:02x}{:02x}".format(*end) for end in ends)
    parts = []
    for at, value in enumerate(first.tolist()):
        y, width = 16 * at, 0 if value != value else 200 * abs(value) / most
        colour = low if value >= 0 else high
        parts += [
            _text(left - 4, y + 8, labels[at], "end"),
            f'<rect x="{left}" y="{y + 2}" width="{width:.1f}" height="12" fill="{colour}"/>',
            _text(left + width + 4, y + 8, _cell(value), "start"),
        ]
    size = f'width="{left + 280}" height="{16 * len(first) + 4}"'
    more = f"<p>… {len(values) - _MOST_BARS} more</p>" if len(values) > _MOST_BARS else ""
    return f"<svg {size}>{''.join(parts)}</svg>{more}"


def _svg(picture: bytes, size: tuple[int, int], at: tuple[int, int], names: Sequence[str]) -> str:
    """Return a PNG of a size (height, width) at a point, with texts around it."""
    (height, width), (left, top) = size, at
    source = base64.b64encode(picture).decode("ascii")
    box = f'x="{left}" y="{top}" width="{width}" height="{height}"'
    image = f'<image {box} href="data:image/png;base64,{source}"/>'
    frame = f'<rect {box} fill="none" stroke="#8888"/>'
    return f'<svg width="{left + width + 4}" height="{top + height + 4}">{image}{frame}{"".join(names)}</svg>'


def _text(x: float, y: float, text: str, anchor: str, turn: int = 0) -> str:
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    style = f'font-size="11" fill="currentColor" dominant-baseline="central" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}{turned}>{escape(_short(text))}</text>'


def palette(is_signed: bool) -> Bytes:
    """Return 256 colours [256, 3]: the first for what is no number, then from 0 up, or from below 0 up."""
    stops = _stops("differences" if is_signed else "weights")
    at, ends = np.linspace(0, 1, 255), np.linspace(0, 1, len(stops))
    channels = np.stack([np.interp(at, ends, stops[:, part]) for part in range(3)], -1)
    return np.concatenate((np.zeros((1, 3)), channels)).round().astype(np.uint8)


def levels(values: Numbers, is_signed: bool) -> Bytes:
    """Return which colours of `palette` the numbers have: the last one is the largest; 0: nan."""
    is_known = np.isfinite(values)
    known = np.where(is_known, values, 0)
    shares = known / (float(np.abs(known).max(initial=0)) or 1.0)
    shares = (shares + 1) / 2 if is_signed else shares
    return np.where(is_known, 1 + (254 * shares).round(), 0).astype(np.uint8)


def png(cells: Bytes, colours: Bytes | None = None) -> bytes:
    """Return cells [height, width, 3] as a PNG file (ISO/IEC 15948): no filter, compressed by zlib.

    With `colours` [256, 3] the cells are indices [height, width] of these, of which the first is transparent.
    """
    height, width = cells.shape[:2]
    rows = np.concatenate((np.zeros((height, 1), np.uint8), cells.reshape(height, -1)), axis=1)
    table = () if colours is None else ((b"PLTE", colours.tobytes()), (b"tRNS", b"\0"))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3 if table else 2, 0, 0, 0)),
        *table,
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in parts
    )


def _shrunk(values: Numbers, most: int) -> Numbers:
    """Return at most [most, most]: each number is the one that is furthest from 0 of those in its place."""
    values = values.astype(np.float32)
    for axis in (0, 1):
        count = values.shape[axis]
        if count > most:
            starts = np.arange(most) * count // most
            high, low = (each.reduceat(values, starts, axis) for each in (np.fmax, np.fmin))
            values = np.where(-low > high, low, high)
    return values


@cache
def _stops(name: str) -> Floats:
    """Return the colours [n, 3] of a map of the light theme, from 0 to 255."""
    content = json.loads((paths.resources() / "themes" / "light.json").read_text(encoding="utf-8"))
    return np.array(
        [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in content[name]], np.float32
    )


def _is_signed(values: Numbers) -> bool:
    return bool((values < 0).any())


def _cell(cell: object) -> str:
    """Return a cell for reading: 4 significant digits."""
    if cell is None or cell != cell:
        return ""
    return f"{float(cell):.4g}" if isinstance(cell, float | np.floating) else str(cell)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _is_counted(labels: Sequence[str]) -> bool:
    return all(label.isdecimal() for label in labels)


def _listed(names: Sequence[str]) -> str:
    more = ["…"] if len(names) > _MOST_NAMES else []
    return ", ".join([*map(_short, names[:_MOST_NAMES]), *more])
