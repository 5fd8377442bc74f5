"""The measures of all heads as a table: a row a head, sorted, written as CSV or JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import KEYS, MEASURES, Measure, MeasureKey
from bertviz_app.tables import Table, cell_text, table_as_csv, text_writer, write_file
from bertviz_app.text.tokens import BERT_NAMES

Measures = dict[str, NDArray[np.float32]]
COLUMNS = ("layer", "head", *KEYS)


def heads_by(measures: Measures, key: MeasureKey | None = None) -> list[tuple[int, int]]:
    """Return all heads in the order of a measure.

    Parameters
    ----------
    measures : dict of str to ndarray of float32 [L, H]
        See `head_measures`.
    key : MeasureKey, optional
        The measure, its largest value first, ties by layer and head; by default the order is that of the
        layers and heads.

    Returns
    -------
    list of (layer, head)
    """
    n_layers, n_heads = measures[KEYS[0]].shape
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    return heads if key is None else sorted(heads, key=lambda at: -float(measures[key][at]))


def as_csv(measures: Measures, heads: list[tuple[int, int]], separator: str = ",") -> str:
    """Return the rows of `heads` under COLUMNS."""
    rows = ((*at, *(measures[key][at] for key in KEYS)) for at in heads)
    return table_as_csv(Table(COLUMNS, rows), separator)


def as_json(measures: Measures, heads: list[tuple[int, int]]) -> str:
    """Return an object: `measures` (what each is, its unit, its paper) and `heads` (COLUMNS of each)."""
    catalogue = [_described(measure) for measure in MEASURES]
    rows = [
        {"layer": at[0], "head": at[1]} | {key: float(cell_text(measures[key][at])) for key in KEYS}
        for at in heads
    ]
    return json.dumps({"measures": catalogue, "heads": rows}, ensure_ascii=False, indent=1) + "\n"


def save_measures(measures: Measures, path: str | Path, heads: list[tuple[int, int]] | None = None) -> None:
    """Write the table of measures to a file.

    Parameters
    ----------
    measures : dict of str to ndarray of float32 [L, H]
        See `head_measures`.
    path : str or Path
        Ends in `.csv` or `.json`.
    heads : list of (layer, head), optional
        The rows of the table; by default all heads.

    Raises
    ------
    FileError
        For another ending, or a file that cannot be written.
    """
    rows = heads_by(measures) if heads is None else heads
    writers = {
        ".csv": text_writer(lambda: as_csv(measures, rows)),
        ".json": text_writer(lambda: as_json(measures, rows)),
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
