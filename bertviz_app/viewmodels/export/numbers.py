"""`Numbers`: what a panel or a card shows, as arrays with names, and as files: CSV, NPZ, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.analysis.entry import description, facts_of
from bertviz_app.analysis.measures import Extras, HeadOverview, as_csv, names_of
from bertviz_app.analysis.reporter import read_parameters
from bertviz_app.analysis.results import Quantity
from bertviz_app.errors import AppError, Message
from bertviz_app.tables import (
    Cell,
    RowSource,
    Table,
    digits,
    json_digits,
    with_note,
    write_file,
    write_npz,
    write_table_csv,
)
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.heads.pinned_pair import PairInHeads
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.panel_contents import analysis_of
from bertviz_app.viewmodels.panels import Panel

ENDINGS = (".csv", ".npz", ".json")
Fact = str | int | float | bool | None | dict[str, object] | list[int]
INTERVENTIONS = "interventions"
"""The fact, and the column of a table, that names what was done to the model; "" in a fact: nothing."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """`facts`: what the arrays are of. `arrays`: by name. `labels`: names of rows, columns or heads.

    `table`: what a CSV file has instead of the arrays; None: it has those. `stamp`: which numbers of
    attention they are; None: they are none. `described`: what an NPZ file of an analysis has beside these.
    """

    facts: dict[str, Fact]
    arrays: dict[str, NDArray[Any]]
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    table: Callable[[], Table] | None = None
    stamp: Stamp | None = None
    described: dict[str, NDArray[Any]] = field(default_factory=dict)


def head_numbers(panel: Panel, pictures: tuple[HeadPicture, ...]) -> Numbers:
    """Return the weights that lines or a matrix show, [queries, keys], or [heads, queries, keys] of several.

    Where two runs are compared, nan stands where one of them lacks the token.
    """
    front = pictures[0]
    token_order = front.token_order
    weights = [picture.source.rows(0, len(token_order.queries)) for picture in pictures]
    facts: dict[str, Fact] = {
        "model": front.trace.model,
        "text": front.trace.tokens.text,
        "pair": front.trace.tokens.pair,
        "run": panel.run,
        "layer": front.layer,
        "heads": [picture.head for picture in pictures],
        "options": asdict(front.options),
    }
    labels = {"queries": token_order.queries.names, "keys": token_order.keys.names}
    array = weights[0] if len(weights) == 1 else np.stack(weights)
    stamp, error = front.stamp, front.source.identity_error
    if not panel.content.analysis:
        name = "weights" if stamp.numbers == "weight" else stamp.numbers
        if error is not None:
            facts["identity_error"] = error
        return Numbers(facts | {**stamp.facts}, {name: array}, labels, stamp=stamp)
    facts["special_tokens"] = stamp.special_tokens
    facts |= _analysis_facts(panel.shown_content, front.quantity, error)
    axes = ("head", "query", "key")[-array.ndim :]
    described = description(axes, front.trace, facts["parameters"], error)
    return Numbers(facts, {"values": array}, labels, described=described)


def result_numbers(analysed: Analysed) -> Numbers:
    """Return the arrays of a result, the labels of its axes, and for a CSV file its table."""
    result = analysed.result
    labels = {axis.name: axis.labels for axis in result.axes}
    for name, axes in result.other_axes.items():
        labels |= {f"{name} {axis.name}": axis.labels for axis in axes}
    error, quantity = result.identity_error, getattr(result, "quantity", None)
    facts = _analysis_facts(analysed.content, quantity, error)
    facts["result"] = {**facts_of(result)}
    axis_names = tuple(axis.name for axis in result.axes)
    described = description(axis_names, analysed.traces[0], facts["parameters"], error)
    return Numbers(facts, result.arrays(), labels, result.as_table, described=described)


def _analysis_facts(content: Content, quantity: Quantity | None, error: float | None) -> dict[str, Fact]:
    analysis = analysis_of(content)
    parameters: dict[str, object] = dict(content.parameters)
    facts: dict[str, Fact] = {"analysis": content.analysis, "identity_error": error}
    if analysis is not None:
        parameters = {**vars(read_parameters(analysis.parameters, parameters))}
        facts |= {"paper": analysis.paper, "limits": str(analysis.limits)}
    facts["parameters"] = parameters
    return facts if quantity is None else facts | {"unit": quantity.unit}


def overview_numbers(
    overview: HeadOverview, model: str, text: str, pair: str | None, pinned: PairInHeads | None = None
) -> Numbers:
    """Return every measure of every head, [layers, heads] each, and the weights of the pinned pair.

    Raises AppError while measures of a long text are still being computed.
    """
    _refuse_sample(overview)
    facts: dict[str, Fact] = {"model": model, "text": text, "pair": pair, **overview.stamp.facts}
    arrays = dict(overview.measures)
    if pinned is not None:
        column = pinned.column
        facts |= {"query": column.query, "key": column.key, "query_key": " → ".join(column.labels)}
        arrays[f"pair_{pinned.stamp.numbers}"] = column.weights
    return Numbers(facts, arrays, stamp=overview.stamp)


def _refuse_sample(overview: HeadOverview) -> None:
    if overview.sample is not None:
        n_missing, n_layers = int(overview.sample.layers.sum()), overview.sample.layers.size
        message = Message("The numbers of {0} of {1} layers are still being computed.", n_missing, n_layers)
        raise AppError(message, Message("Try again when the overview is no longer a sample."))


def measures_as_text(
    overview: HeadOverview, heads: list[tuple[int, int]], pair: PairInHeads | None = None
) -> str:
    """Return the measures of `heads` as tab-separated lines, to be pasted into a spreadsheet.

    Behind them what each head is called, and the weights of the pinned pair. Measures that are still being
    computed are nan.
    """
    names = names_of(overview.measures, overview.n_queries)
    extras = Extras(names, None if pair is None else pair.column, overview.stamp, overview.dtype)
    return as_csv(overview.measures, heads, "\t", extras)


def named_numbers(
    facts: dict[str, Fact], found: Mapping[str, NDArray[np.generic] | tuple[str, ...]]
) -> Numbers:
    """Return Numbers of what a view has in one dictionary: arrays, and tuples of names."""
    arrays = {
        name: np.asarray(value, np.float32) for name, value in found.items() if not isinstance(value, tuple)
    }
    labels = {name: value for name, value in found.items() if isinstance(value, tuple)}
    return Numbers(facts, arrays, labels)


def save_numbers(numbers: Numbers, path: str | Path) -> None:
    """Write `numbers` to `path`: `.csv`, `.npz` or `.json` by its ending. Raises FileError.

    CSV and JSON write numbers so that reading them gives the same float32. A CSV of one matrix with names
    is that matrix under and beside its names; of anything else a line a number, under the columns
    `array,index,value`, an index being as "3.0.7"; of the facts it has which numbers of attention they are,
    in which numbers the layers multiplied if not in float32, and the interventions, if there are any. JSON
    has null where there is no number, and for infinite ones, which JSON does not have.
    """
    writers: dict[str, Callable[[Path], None]] = {
        ".csv": lambda path: write_table_csv(_rows(numbers), path),
        ".npz": lambda path: write_npz(_arrays(numbers), path),
        ".json": lambda path: _write_json(numbers, path),
    }
    write_file(path, writers)


def _arrays(numbers: Numbers) -> dict[str, NDArray[Any]]:
    facts = np.array(json.dumps(numbers.facts, ensure_ascii=False))
    names = {name: np.array(names) for name, names in numbers.labels.items()}
    return {"facts": facts, **names, **numbers.described, **numbers.arrays}


def _write_json(numbers: Numbers, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        facts = {"facts": numbers.facts, "labels": numbers.labels}
        file.write(json.dumps(facts, ensure_ascii=False)[:-1] + ', "arrays": {')
        for index, (name, array) in enumerate(numbers.arrays.items()):
            file.write((", " if index else "") + json.dumps(name) + ": ")
            _write_list(file, array)
        file.write("}}\n")


def _write_list(file: IO[str], array: NDArray[np.float32]) -> None:
    """Write nested lists row by row: all of a long text as Python floats would be ten times its size."""
    if array.ndim > 1:
        file.write("[")
        for index, part in enumerate(array):
            file.write(", " if index else "")
            _write_list(file, part)
        file.write("]")
    else:
        file.write("[" + ", ".join(json_digits(array)) + "]")


def _interventions(facts: Mapping[str, object]) -> str:
    """Return what was done to the model, in one line; of a difference in both runs; "" for nothing."""
    of_first, other = str(facts.get(INTERVENTIONS) or ""), facts.get("other")
    if not isinstance(other, Mapping):
        return of_first
    first, second = ("B", "A") if facts.get("run") == "B" else ("A", "B")
    of_runs = {first: of_first, second: str(other.get(INTERVENTIONS) or "")}
    return "; ".join(f"run {run}: {text}" for run, text in sorted(of_runs.items()) if text)


def _rows(numbers: Numbers) -> Table:
    if numbers.table is None:
        return _table(numbers)
    return with_note(numbers.table(), INTERVENTIONS, _interventions(numbers.facts))


def _table(numbers: Numbers) -> Table:
    rows, columns = numbers.labels.get("queries"), numbers.labels.get("keys")
    only = next(iter(numbers.arrays.values())) if len(numbers.arrays) == 1 else None
    if only is not None and rows is not None and columns is not None and only.ndim == 2:
        lines = RowSource(lambda: ((name, *digits(row)) for name, row in zip(rows, only, strict=True)))
        remarks = [] if numbers.stamp is None else [numbers.stamp.text]
        remarks += [f"computed in {dtype}" for dtype in _low_dtypes(numbers)]
        remarks += [text for text in (_interventions(numbers.facts),) if text]
        return Table((", ".join(remarks), *columns), lines)
    return Table(("array", "index", "value"), RowSource(lambda: _entries(numbers)))


def _entries(numbers: Numbers) -> Iterator[tuple[Cell, ...]]:
    """Yield (array, index, value) of every label and number, what they are before them."""
    if interventions := _interventions(numbers.facts):
        yield INTERVENTIONS, "", interventions
    if numbers.stamp is not None:
        yield from (("stamp", name, value) for name, value in numbers.stamp.facts.items())
    yield from (("dtype", "", dtype) for dtype in _low_dtypes(numbers))
    for name, names in numbers.labels.items():
        yield from ((name, index, label) for index, label in enumerate(names))
    for name, array in numbers.arrays.items():
        yield from ((name, ".".join(map(str, at)), value) for at, value in np.ndenumerate(array))


def _low_dtypes(numbers: Numbers) -> list[str]:
    """Return in which numbers the layers multiplied, of a difference those of both runs; not float32."""
    other = numbers.facts.get("other")
    of_runs = [numbers.facts.get("dtype"), other.get("dtype") if isinstance(other, dict) else None]
    return list(dict.fromkeys(str(dtype) for dtype in of_runs if dtype is not None))
