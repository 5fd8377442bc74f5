"""Objects as rows of a `Part`: a line of JSON each, all lines as one array of bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.text_tables.items import Item


def as_lines(values: Iterable[object]) -> NDArray[np.uint8]:
    """Return objects of JSON's kinds as bytes [n]: two such arrays end to end are those of all objects."""
    text = "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)
    return np.frombuffer(text.encode("utf-8"), np.uint8).copy()


def from_lines(lines: NDArray[np.uint8]) -> list[Any]:
    """Return the objects that `as_lines` made bytes of."""
    return [json.loads(line) for line in lines.tobytes().decode("utf-8").split("\n") if line]


def item_as_json(item: Item) -> Sequence[object]:
    """Return a parsed sentence as a value for JSON."""
    return [item.line, item.text, item.marks, item.heads]


def item_from_json(value: Sequence[Any]) -> Item:
    """Return the parsed sentence that `item_as_json` made a value of."""
    line, text, marks, heads = value
    return Item(line, text, marks=tuple((int(a), int(b), str(c)) for a, b, c in marks), heads=tuple(heads))
