"""Which column of a table has the labels, and which the texts: by names, by the user's word, or asked."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Sequence

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.table import (
    LABELS,
    PAIRS,
    TEXTS,
    Layout,
    LayoutError,
    TableChoices,
    TableError,
    TextTable,
    damaged,
    last_part,
    normal,
    rows_of,
    shortened,
)
from bertviz_app.values import dataclass

_FEW = 50  # values of a column of labels


@dataclass(frozen=True)
class LabelledColumns:
    """The numbers of the columns from 0; `is_by_place`: the file does not name them, their values show it.

    `flags`: several columns that have 1 where a row has the label of that name; the first is `label`, too.
    """

    label: int
    text: int
    pair: int | None = None
    is_by_place: bool = False
    flags: tuple[int, ...] = ()


def labelled_columns(
    table: TextTable, choices: TableChoices, *, of_training: bool = False
) -> LabelledColumns:
    """Return which columns have the labels and the texts. Raises TableError where that is not plain.

    A training may learn labels of words, too, in another kind of file.
    """
    if len(table.columns) == 1:
        raise _one_column(table, of_training=of_training)
    flags: tuple[int, ...] = ()
    if "," in choices.label_column and normal(choices.label_column) not in map(normal, table.columns):
        flags = tuple(column_given(table, name, "label_column") for name in choices.label_column.split(","))
    label = flags[0] if flags else _given(table, choices, "label_column")
    text, pair = _given(table, choices, "text_column"), _given(table, choices, "pair_column")
    if label is None and text is None and not table.has_header:
        return _by_place(table)
    if text is None:
        text, pair = _texts_by_names(table, label, pair)
    if label is None:
        labels = _labels(table, (text, pair))
        if len(labels) == 1:
            label = labels[0]
        else:
            if labels:
                listed = ", ".join(table.columns[at] for at in labels)
                message = Message("In {0} several columns may be the label: {1}.", table.name, listed)
            else:
                message = Message("{0} does not show which column has the labels.", table.name)
            raise _asked(table, message, ("label_column",))
    for one in flags or (label,):
        _check_different(table, one, text, pair)
    return LabelledColumns(label, text, pair, flags=flags)


def paired_columns(table: TextTable, choices: TableChoices) -> tuple[int, int]:
    """Return which columns have two texts that are compared. Raises TableError where that is not plain."""
    if len(table.columns) == 1:
        raise _one_column(table)
    text, pair = _given(table, choices, "text_column"), _given(table, choices, "pair_column")
    if text is None and pair is None and len(table.columns) == 2:
        if table.has_header:
            return 0, 1  # whatever they are called: there are no others
        message = Message(
            "{0} has no names of columns that are known: its first row may be names, or texts.", table.name
        )
        raise _asked(table, message, ("text_column", "pair_column"))
    if text is None:
        text, pair = _texts_by_names(table, None, pair)
    if pair is None:
        message = Message("{0} does not show which column has the second texts.", table.name)
        raise _asked(table, message, ("pair_column",))
    _check_different(table, None, text, pair)
    return text, pair


def _given(table: TextTable, choices: TableChoices, field: str) -> int | None:
    return column_given(table, getattr(choices, field), field) if getattr(choices, field) else None


def column_given(table: TextTable, name: str, field: str) -> int:
    """Return the number from 0 of the column that the user gave by name, or by number from 1.

    Raises TableError.
    """
    names = [normal(column) for column in table.columns]
    if names.count(normal(name)) == 1:
        return names.index(normal(name))
    if name.strip().isdecimal() and 1 <= int(name) <= len(names) and normal(name) not in names:
        return int(name) - 1
    message = Message("{0} has no column “{1}”.", table.name, name)
    if normal(name) in names:
        message = Message("{0} has several columns “{1}”.", table.name, name)
    raise _asked(table, message, (field,))


def column_named(
    table: TextTable, given: str, field: str, names: Collection[str], possible: Collection[int] | None = None
) -> int:
    """Return the column that is given, or the only `possible` one with one of `names`. Raises TableError."""
    if given:
        return column_given(table, given, field)
    possible = range(len(table.columns)) if possible is None else possible
    named = [at for at in possible if last_part(table.columns[at]) in names]
    if len(named) == 1:
        return named[0]
    listed = ", ".join(table.columns[at] for at in named or possible)
    message = Message("{0} does not show which column has the texts.", table.name)
    if field != "label_column" and named:
        message = Message("In {0} several columns may be the text: {1}.", table.name, listed)
    elif field == "label_column" and len(named or possible) == 1:
        message = Message("{0} does not show which column has the labels.", table.name)
    elif field == "label_column":
        message = Message("In {0} several columns may be the label: {1}.", table.name, listed)
    hint = Message("Give {0}; the columns: {1}", f"--{field.replace('_', '-')}", shown_columns(table))
    raise TableError(message, hint, (field,), table.preview)


def is_like_table(table: TextTable) -> bool:
    """Return whether a file of texts has columns, one of which is meant to be read."""
    layout = table.layout
    if layout.kind == "rows" and layout.separator in (",", ";"):
        return table.has_header or layout.is_quoted  # prose has commas and semicolons, too
    return layout.kind != "lines"


def unclear_column(table: TextTable, kind: str) -> TableError:
    """Return the error for a table of which no column is given; `kind` says in words what it is."""
    message = Message(
        "{0} is a table ({1}), not a text a line; its columns: {2}.", table.name, kind, shown_columns(table)
    )
    hint = Message("Give {0} to measure the texts of one column.", "--column NAME")
    if table.preview.is_text:
        hint = Message(
            "Give {0} to measure the texts of one column, or {1} to measure whole lines as they stand.",
            *("--column NAME", "--prose"),
        )
    return TableError(message, hint, ("column",), table.preview)


def shown_columns(table: TextTable) -> str:
    """Return the columns as a message lists them: names, or numbers with their first cells."""
    if table.has_header:
        return ", ".join(table.columns)
    first = next((record.cells for record in table.records if not record.fault), ())
    return ", ".join(f"{name} “{shortened(cell)}”" for name, cell in zip(table.columns, first, strict=False))


def _texts_by_names(table: TextTable, label: int | None, pair: int | None) -> tuple[int, int | None]:
    names = [last_part(name) for name in table.columns]
    for first, second in PAIRS:
        if pair is None and names.count(first) == names.count(second) == 1:
            found = names.index(first), names.index(second)
            if label not in found:
                return found
    texts = [at for at, name in enumerate(names) if name in TEXTS and at not in (label, pair)]
    if len(texts) == 1:
        return texts[0], pair
    if texts:
        listed = ", ".join(table.columns[at] for at in texts)
        message = Message("In {0} several columns may be the text: {1}.", table.name, listed)
    else:
        message = Message("{0} does not show which column has the texts.", table.name)
    unclear = ("text_column",) if label is not None or _labels(table, ()) else ("label_column", "text_column")
    raise _asked(table, message, unclear)


def _labels(table: TextTable, taken: Sequence[int | None]) -> list[int]:
    # "label.y" has the place of a label, not its name.
    are_labels = [normal(name) == "y" or last_part(name) in LABELS - {"y"} for name in table.columns]
    return [at for at, is_label in enumerate(are_labels) if is_label and at not in taken]


def _by_place(table: TextTable) -> LabelledColumns:
    """Return the columns of a file that does not name them: two, of which one alone is like labels."""
    n_columns = len(table.columns)
    like_labels = [at for at in range(n_columns) if _is_like_labels(table.column(at))]
    if n_columns != 2 or len(like_labels) != 1 or _first_may_be_names(table, like_labels[0]):
        message = Message(
            "{0} has {1} columns, and no first line with names that are known.", table.name, n_columns
        )
        raise _asked(table, message, ("label_column", "text_column"))
    (label,) = like_labels
    return LabelledColumns(label, 1 - label, is_by_place=True)


def _is_like_labels(cells: Sequence[str]) -> bool:
    """Return whether there are few different cells, each of which stands in several rows or is one word."""
    values = {cell.strip() for cell in cells}
    is_of_words = not any(len(value.split()) > 1 for value in values)
    return 0 < len(values) <= _FEW and (is_of_words or 2 * len(values) <= len(cells))


def _first_may_be_names(table: TextTable, label: int) -> bool:
    """Return whether the label of the first row is of that row alone, and others are of several rows."""
    cells = [cell.strip() for cell in table.column(label)]
    if len(cells) < 10 or cells.count(cells[0]) > 1:
        return False
    return statistics.median(cells.count(value) for value in set(cells[1:])) > 1


def _check_different(table: TextTable, label: int | None, text: int, pair: int | None) -> None:
    for one, other, field in ((label, text, "text_column"), (label, pair, ""), (text, pair, "")):
        if one is not None and one == other:
            message = Message("“{0}” is given for two columns of {1}.", table.columns[one], table.name)
            raise _asked(table, message, (field or "pair_column",))


def _one_column(table: TextTable, *, of_training: bool = False) -> FileError:
    first = next((record.cells[0] for record in table.records if not record.fault), "")
    if first.lower().startswith(("<!doctype html", "<html", "version https://git-lfs")):
        message = Message("{0} is no table, but a web page or a pointer of Git LFS: {1}", table.name, first)
        return FileError(message, Message("Fetch the file itself: by its “raw” link, or with git lfs pull."))
    if table.layout.kind != "lines":
        message = Message("{0} has one column only: {1}.", table.name, table.columns[0])
        return FileError(message, Message("Give a file with two columns or more."))
    lines = [record.cells[0] for record in table.records]
    for separator in [one for one in ",;" if one in first]:
        rows: list[tuple[int, tuple[str, ...]]] = []
        try:
            rows.extend(rows_of(lines, Layout("rows", separator, is_quoted=True)))
        except LayoutError as error:
            return damaged(table.name, LayoutError(str(error), table.records[len(rows)].line))
    message = Message("The rows of {0} have one column: no separator is found.", table.name)
    given = "--separator “tab”, “,”, “;” …"
    hint = Message("Give it as {0}. The first row: {1}", given, shortened(first))
    if of_training:
        facts = given, "--task tokens", shortened(first)
        hint = Message("Give it as {0}, or {1} for a label for each word. The first row: {2}", *facts)
    return TableError(message, hint, ("separator",), table.preview)


def _asked(table: TextTable, message: str, unclear: tuple[str, ...]) -> TableError:
    options = ", ".join(f"--{field.replace('_', '-')}" for field in unclear)
    hint = Message("Give {0}; the columns: {1}", options, shown_columns(table))
    if unclear[-1] == "text_column":
        facts = options, "--pair-column", shown_columns(table)
        hint = Message("Give {0} (and of pairs {1}); the columns: {2}", *facts)
    if (flags := table.preview.flags) and "label_column" in unclear:
        given = f"--label-column {','.join(table.columns[at] for at in flags)}"
        hint = Message.joined([hint, Message("Columns of 0 and 1 are given together: {0}.", given)], ". ")
    return TableError(message, hint, unclear, table.preview)
