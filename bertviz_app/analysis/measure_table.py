"""All heads as a table, a row for each: its measures, its name, and the weight it gives a pair of tokens.

It is sorted, and written as CSV or JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.analysis.head_names import NAME_RULES, Head, HeadName
from bertviz_app.analysis.measures import KEYS, MEASURES, Measure, MeasureKey
from bertviz_app.tables import Cell, Table, cell_text, table_as_csv, text_writer, write_file
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.trace.provenance import Dtype
from bertviz_app.types import Floats

Measures = dict[str, NDArray[np.float32]]
COLUMNS = ("layer", "head", *KEYS)
NAME = "name"
"""The column of the heads' names."""


@dataclass(frozen=True, eq=False)
class PairColumn:
    """A column with the weight that each head gives one pair of tokens.

    `weights` [L, H]: see `pair_weights`. `query` and `key` are the positions of the tokens, `labels` their
    names.
    """

    query: int
    key: int
    labels: tuple[str, str]
    weights: Floats

    @property
    def title(self) -> str:
        """What the column is called in a file."""
        return f"weight_{self.query}_{self.key}"


@dataclass(frozen=True, eq=False)
class Extras:
    """The columns of a table of heads besides the measures; each is left out at its default.

    `names`: the names of heads. `pair`: the weights of a pair of tokens. `stamp`: which numbers of attention
    the measures are computed from, None: the weights. `dtype`: the type of numbers in which the layers
    multiplied. `interventions`: those in the run, see `edits_text`.
    """

    names: Mapping[Head, HeadName] | None = None
    pair: PairColumn | None = None
    stamp: Stamp | None = None
    dtype: Dtype = "float32"
    interventions: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """The last columns, which are the same in each row, by title."""
        facts = {} if self.stamp is None else self.stamp.facts
        facts = facts if self.dtype == "float32" else facts | {"dtype": self.dtype}
        return facts | {"interventions": self.interventions} if self.interventions else facts

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of its columns."""
        pair = () if self.pair is None else (self.pair.title,)
        return (*pair, *(() if self.names is None else (NAME,)), *self.facts)

    def cells(self, at: Head) -> tuple[Cell, ...]:
        """Return the cells of these columns for a head; "" is the name of a head that has none."""
        pair: tuple[Cell, ...] = () if self.pair is None else (self.pair.weights[at],)
        facts = self.facts.values()
        if self.names is None:
            return (*pair, *facts)
        name = self.names.get(at)
        return (*pair, "" if name is None else name.rule.key, *facts)


NO_EXTRAS = Extras()


def heads_by(measures: Measures, key: MeasureKey | None = None) -> list[tuple[int, int]]:
    """Return all heads by a measure, the largest first, ties by layer and head; None: by these alone."""
    n_layers, n_heads = measures[KEYS[0]].shape
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    return heads if key is None else sorted(heads, key=lambda at: _from_largest(float(measures[key][at])))


def _from_largest(value: float) -> tuple[bool, float]:
    """Return a key for sorting: the largest value comes first, nan last."""
    return isnan(value), -value


def as_csv(measures: Measures, heads: list[Head], separator: str = ",", extras: Extras = NO_EXTRAS) -> str:
    """Return the rows of `heads` under COLUMNS and the titles of `extras`."""
    rows = [(*at, *(measures[key][at] for key in KEYS), *extras.cells(at)) for at in heads]
    return table_as_csv(Table((*COLUMNS, *extras.titles), rows), separator)


def as_json(measures: Measures, heads: list[Head], extras: Extras = NO_EXTRAS) -> str:
    """Return an object: `measures` (the meaning, unit and paper of each) and `heads` (COLUMNS of each).

    With names it has `names` too (the title and measure of each), with a pair `pair` (its tokens). A number
    that is not known is null.
    """
    found: dict[str, object] = {"measures": [_described(measure) for measure in MEASURES]}
    if extras.names is not None:
        found["names"] = [
            {"key": rule.key, "name": rule.title(BERT_NAMES), "measure": rule.measure} for rule in NAME_RULES
        ]
    if extras.pair is not None:
        query, key = extras.pair.labels
        tokens = {"query": extras.pair.query, "key": extras.pair.key, "query_token": query, "key_token": key}
        found["pair"] = tokens | {"column": extras.pair.title}
    found["heads"] = [
        {"layer": at[0], "head": at[1]}
        | {key: _json_value(measures[key][at]) for key in KEYS}
        | {title: _json_value(cell) for title, cell in zip(extras.titles, extras.cells(at), strict=True)}
        for at in heads
    ]
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _json_value(cell: Cell) -> str | float | None:
    """Return a cell as JSON has it: a number with the fewest digits that give it again, None for nan."""
    if isinstance(cell, str):
        return cell
    text = cell_text(cell)
    return float(text) if text else None


def save_measures(
    measures: Measures,
    path: str | Path,
    heads: list[Head] | None = None,
    extras: Extras = NO_EXTRAS,
) -> None:
    """Write the table of measures, see `head_measures`, to a file that ends in .csv or .json.

    It has a row for each of `heads`, by default all. Raises FileError for another ending, or a file that
    cannot be written.
    """
    rows = heads_by(measures) if heads is None else heads
    writers = {
        ".csv": text_writer(lambda: as_csv(measures, rows, extras=extras)),
        ".json": text_writer(lambda: as_json(measures, rows, extras)),
    }
    write_file(path, writers)


def _described(measure: Measure) -> dict[str, str]:
    words = measure.words(BERT_NAMES)
    return {
        "key": measure.key,
        "name": words.title,
        "meaning": words.meaning,
        "unit": measure.unit,
        "paper": measure.paper,
    }
