"""Predictions as a table: a row for each outcome, written as CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bertviz_app.analysis.predictions import Predictions
from bertviz_app.tables import Table, table_as_csv, text_writer, write_file
from bertviz_app.trace.logits import REGRESSION

COLUMNS = ("head", "position", "rank", "name", "value", "last")


@dataclass(frozen=True)
class Row:
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


def rows(found: Predictions) -> tuple[Row, ...]:
    """Return the outcomes of all task heads, row by row."""
    return (*_fillings(found), *_of_texts(found), *_of_tokens(found), *_answer(found))


def as_csv(found: Predictions) -> str:
    """Return the rows under COLUMNS, each number with all its digits."""
    return table_as_csv(as_table(found))


def as_table(found: Predictions) -> Table:
    """Return the rows under COLUMNS."""
    lines = ((row.head, row.position, row.rank, row.name, row.value, row.last) for row in rows(found))
    return Table(COLUMNS, lines)


def as_json(found: Predictions) -> str:
    """Return an object with the fields of Predictions, named as they are."""
    return json.dumps(asdict(found), ensure_ascii=False, indent=1) + "\n"


def save_predictions(found: Predictions, path: str | Path) -> None:
    """Write what the task heads predict to a file.

    Parameters
    ----------
    found : Predictions
    path : str or Path
        Ends in `.csv` or `.json`.

    Raises
    ------
    FileError
        For another ending, or a file that cannot be written.
    """
    writers = {
        ".csv": text_writer(lambda: as_csv(found)),
        ".json": text_writer(lambda: as_json(found)),
    }
    write_file(path, writers)


def _fillings(found: Predictions) -> Iterator[Row]:
    for filling in found.fillings:
        at = filling.position
        for filler in filling.fillers:
            yield Row("masked", at, filler.rank, filler.piece, filler.probability)
        if filling.written is not None:
            yield Row("written", at, filling.written.rank, filling.written.piece, filling.written.probability)


def _of_texts(found: Predictions) -> Iterator[Row]:
    if found.next_sentence is not None:
        name = "in order" if found.next_sentence.is_order else "follows"
        yield Row("next_sentence", None, None, name, found.next_sentence.probability)
    if found.classes is not None:
        is_ranked = found.classes.problem != REGRESSION
        for rank, label in enumerate(found.classes.labels, start=1):
            yield Row("classes", None, rank if is_ranked else None, label.name, label.value)


def _of_tokens(found: Predictions) -> Iterator[Row]:
    for suspect in found.replaced:
        yield Row("replaced", suspect.position, None, suspect.piece, suspect.probability)
    for token in found.token_labels:
        for rank, label in enumerate(token.labels, start=1):
            yield Row("token_labels", token.position, rank, label.name, label.value)


def _answer(found: Predictions) -> Iterator[Row]:
    if found.answer is not None:
        for rank, span in enumerate(found.answer.spans, start=1):
            yield Row("answer", span.first, rank, span.text, span.probability, span.last)
        yield Row("no_answer", None, None, "", found.answer.nothing)
