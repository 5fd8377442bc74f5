"""Predictions as a table, a row for each outcome, and the results of analyses that hold predictions."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.axes import Axis, counted
from bertviz_app.analysis.predictions import Predictions
from bertviz_app.analysis.results import Result
from bertviz_app.tables import Table, table_as_csv, text_writer, with_note, write_file
from bertviz_app.trace.provenance import REGRESSION

COLUMNS = ("head", "position", "rank", "name", "value", "last")


@dataclass(frozen=True)
class PredictionRow:
    """One line: `value` is a probability, or the number of a regression.

    `head` is the field of Logits; of a masked token's own piece, "written"; "no_answer" for the probability
    that there is none. `position` is a token's, or the first of an answer and `last` its last one; `rank` 1
    for the likeliest; None where there is no such thing.
    """

    head: str
    position: int | None
    rank: int | None
    name: str
    value: float
    last: int | None = None


def rows(found: Predictions) -> tuple[PredictionRow, ...]:
    """Return the outcomes of all task heads, row by row."""
    return (*_fillings(found), *_of_texts(found), *_of_tokens(found), *_answer(found))


def as_csv(found: Predictions, interventions: str = "") -> str:
    """Return the rows under COLUMNS, each number with all its digits; behind them `interventions`, if any."""
    return table_as_csv(with_note(as_table(found), "interventions", interventions))


def as_table(found: Predictions) -> Table:
    """Return the rows under COLUMNS."""
    lines = [(row.head, row.position, row.rank, row.name, row.value, row.last) for row in rows(found)]
    return Table(COLUMNS, lines)


def as_json(found: Predictions, interventions: str = "") -> str:
    """Return an object with the fields of Predictions, named as they are, and `interventions`, if any."""
    changed = {"interventions": interventions} if interventions else {}
    return json.dumps(asdict(found) | changed, ensure_ascii=False, indent=1) + "\n"


def save_predictions(found: Predictions, path: str | Path, interventions: str = "") -> None:
    """Write what the task heads predict to a file that ends in .csv or .json.

    `interventions`: those in the run, see `edits_text`; a file says nothing of them where there are none.
    Raises FileError for another ending, or a file that cannot be written.
    """
    writers = {
        ".csv": text_writer(lambda: as_csv(found, interventions)),
        ".json": text_writer(lambda: as_json(found, interventions)),
    }
    write_file(path, writers)


def _fillings(found: Predictions) -> Iterator[PredictionRow]:
    for filling in found.fillings:
        at = filling.position
        for filler in filling.fillers:
            yield PredictionRow("masked", at, filler.rank, filler.piece, filler.probability)
        if filling.written is not None:
            yield PredictionRow(
                "written", at, filling.written.rank, filling.written.piece, filling.written.probability
            )


def _of_texts(found: Predictions) -> Iterator[PredictionRow]:
    if found.next_sentence is not None:
        name = "in order" if found.next_sentence.is_order else "follows"
        yield PredictionRow("next_sentence", None, None, name, found.next_sentence.probability)
    if found.classes is not None:
        is_ranked = found.classes.problem != REGRESSION
        for rank, label in enumerate(found.classes.labels, start=1):
            yield PredictionRow("classes", None, rank if is_ranked else None, label.name, label.value)


def _of_tokens(found: Predictions) -> Iterator[PredictionRow]:
    for suspect in found.replaced:
        yield PredictionRow("replaced", suspect.position, None, suspect.piece, suspect.probability)
    for token in found.token_labels:
        for rank, label in enumerate(token.labels, start=1):
            yield PredictionRow("token_labels", token.position, rank, label.name, label.value)


def _answer(found: Predictions) -> Iterator[PredictionRow]:
    if found.answer is not None:
        for rank, span in enumerate(found.answer.spans, start=1):
            yield PredictionRow("answer", span.first, rank, span.text, span.probability, span.last)
        yield PredictionRow("no_answer", None, None, "", found.answer.nothing)


@dataclass(frozen=True, eq=False)
class Outcomes(Result):
    """What the task heads predict: see `analysis.predictions`."""

    predictions: Predictions

    @property
    def axes(self) -> tuple[Axis, ...]:
        return (Axis("outcome", tuple(_name(row) for row in rows(self.predictions))),)

    @property
    def n_bytes(self) -> int:
        return 200 * len(rows(self.predictions))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return "values" [N], a number for each row of the table."""
        return {"values": np.array([row.value for row in rows(self.predictions)], np.float64)}

    def as_table(self) -> Table:
        """Return a row for each prediction: head, position, rank, name, value, last."""
        return as_table(self.predictions)


@dataclass(frozen=True, eq=False)
class Effect(Result):
    """What the task heads predict before and after a change of the run."""

    before: Predictions
    after: Predictions

    @property
    def axes(self) -> tuple[Axis, ...]:
        return (Axis("outcome", tuple(_name(row) for row, _, _ in self._pairs())), counted("run", 2))

    @property
    def n_bytes(self) -> int:
        return 200 * (len(rows(self.before)) + len(rows(self.after)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return "values" [N, 2], before and after; nan where an outcome is not among those named."""
        pairs = [(before, after) for _, before, after in self._pairs()]
        return {"values": np.array(pairs, np.float64).reshape(-1, 2)}

    def as_table(self) -> Table:
        """Return a row for each outcome: head, position, name, before, after; by the rank before."""
        lines = [(row.head, row.position, row.name, before, after) for row, before, after in self._pairs()]
        return Table(("head", "position", "name", "before", "after"), lines)

    def _pairs(self) -> list[tuple[PredictionRow, float, float]]:
        before, after = ({_identity(row): row for row in rows(side)} for side in (self.before, self.after))
        named = before | {key: row for key, row in after.items() if key not in before}
        return [(row, _value(before.get(key)), _value(after.get(key))) for key, row in named.items()]


def _identity(row: PredictionRow) -> tuple[str, int | None, str]:
    return row.head, row.position, row.name


def _value(row: PredictionRow | None) -> float:
    return math.nan if row is None else row.value


def _name(row: PredictionRow) -> str:
    position: Iterable[str] = () if row.position is None else (str(row.position),)
    return " ".join((row.head, *position, row.name))
