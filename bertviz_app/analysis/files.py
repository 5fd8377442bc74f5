"""Results of analyses as files: NPZ, CSV and JSON, the same for every kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.results import Result
from bertviz_app.tables import with_note, write_file, write_npz, write_table_csv, write_table_json
from bertviz_app.text.edits import edits_text, edits_texts
from bertviz_app.trace import Trace

ENDINGS = (".npz", ".csv", ".json")
_WRITTEN_ELSEWHERE = {"identity_error", "main", "quantity"}


def save_result(
    result: Result,
    path: str | Path,
    analysis: Analysis[Any, Any],
    parameters: object,
    trace: Trace,
    other: Trace | None = None,
) -> None:
    """Write the result of an analysis, which ran with `parameters`, to a file.

    The ending of `path` says which. .npz: `values` (and what else the result has), `axes`, their names in
    order, `labels_NAME` of each axis, `tokens`, `parameters` as JSON, `facts` as JSON, and `identity_error`,
    nan where the analysis has no identity; an array with axes of its own has `axes_ARRAY` and
    `labels_ARRAY_NAME`. .csv: the rows of `result.as_table()`, and behind each the interventions, if any.
    .json: facts, parameters, columns and rows. Of `other`, the second run, text and interventions are among
    the facts where the result depends on it.

    Raises FileError for another ending, or where the file cannot be written, and AnalysisError where all
    numbers together do not fit into memory.
    """
    facts = _facts(result, analysis, parameters, trace)
    note = edits_text(trace.edits)
    if other is not None and analysis.reads_second_run(parameters):
        facts["other"] = _text_facts(other)
        note = edits_texts(trace.edits, other.edits)
    writers = {
        ".npz": lambda beside: write_npz(_arrays(result, facts, trace), beside),
        ".csv": lambda beside: write_table_csv(with_note(result.as_table(), "interventions", note), beside),
        ".json": lambda beside: write_table_json(result.as_table(), beside, facts),
    }
    write_file(path, writers)


def _facts(
    result: Result, analysis: Analysis[Any, Any], parameters: object, trace: Trace
) -> dict[str, object]:
    return {
        "analysis": analysis.key,
        "paper": analysis.paper,
        "limits": str(analysis.limits),
        **_text_facts(trace),
        "muted": [list(head) for head in trace.muted],
        "parameters": vars(parameters),
        "identity_error": _json_number(result.identity_error),
        "result": facts_of(result),
    }


def facts_of(result: Result) -> dict[str, str | int | float]:
    """Return the single numbers and words of a result by name, for a file.

    Such as the outcome from which changes are differences, or the token and the piece whose logit is added
    up: an analysis may have chosen them itself. "nan" stands for nan, which JSON does not have.
    """
    found = {name: getattr(result, name) for name in getattr(result, "__dataclass_fields__", {})}
    own = {
        name: value
        for name, value in found.items()
        if name not in _WRITTEN_ELSEWHERE and isinstance(value, str | int | float)
    }
    own |= dict(found.get("facts", {}))
    return {name: "nan" if value != value else value for name, value in own.items()}


def _json_number(number: float | None) -> float | str | None:
    """Return a number as JSON has it; "nan", which is none there, as text."""
    return str(number) if number is not None and number != number else number


def _text_facts(trace: Trace) -> dict[str, object]:
    """Return what identifies the run that the numbers are of."""
    return {
        "model": trace.model,
        "text": trace.tokens.text,
        "pair": trace.tokens.pair,
        "interventions": [str(one) for one in trace.edits.interventions],
    }


def _arrays(result: Result, facts: Mapping[str, object], trace: Trace) -> dict[str, NDArray[Any]]:
    """Return the arrays of an .npz file by name: the result's own in its units, and labels of their axes."""
    arrays: dict[str, NDArray[Any]] = dict(result.arrays())
    arrays |= {f"labels_{axis.name}": np.array(axis.labels) for axis in result.axes}
    for name, axes in result.other_axes.items():
        arrays[f"axes_{name}"] = np.array([axis.name for axis in axes])
        arrays |= {f"labels_{name}_{axis.name}": np.array(axis.labels) for axis in axes}
    arrays["facts"] = np.array(json.dumps(facts, ensure_ascii=False))
    names = tuple(axis.name for axis in result.axes)
    return arrays | description(names, trace, facts["parameters"], result.identity_error)


def description(
    axes: tuple[str, ...], trace: Trace, parameters: object, identity_error: float | None
) -> dict[str, NDArray[Any]]:
    """Return what every NPZ file of a result has beside its arrays and their labels.

    `axes`: the names of the axes of `values`, in order; `tokens`, the pieces of the run; `parameters` as
    JSON; `identity_error`, nan for None: the analysis has no identity.
    """
    return {
        "axes": np.array(axes),
        "tokens": np.array(trace.tokens.pieces),
        "parameters": np.array(json.dumps(parameters)),
        "identity_error": np.array(np.nan if identity_error is None else identity_error),
    }
