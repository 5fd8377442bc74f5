"""The labels of a row: one, or several as a list, joined in a cell, or in a column of 0 and 1 for each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from bertviz_app.errors import Message
from bertviz_app.text_tables.columns import LabelledColumns
from bertviz_app.text_tables.packages import cell_of
from bertviz_app.text_tables.table import (
    FLAGS,
    Record,
    TableChoices,
    TableError,
    TextTable,
    is_number,
    json_or_none,
    last_part,
    shortened,
)

_SCORES = frozenset({"score", "similarity", "relatedness", "relatedness_score", "점수", "유사도"})
_LEAST_CLASSES, _LEAST_SCORES = 3, 4  # different values: of pairs NLI has three classes


def listed(cell: str) -> tuple[str, ...] | None:
    """Return the labels of a cell that is a list of texts or numbers, as ["pos"]; None for another cell."""
    if not (cell.startswith("[") and cell.endswith("]")):
        return None
    found = json_or_none(cell)
    if found is None:
        try:
            found = ast.literal_eval(cell)  # as pandas writes lists into CSV
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    if not isinstance(found, list) or any(isinstance(one, list | tuple | dict) for one in found):
        return None
    return tuple(cell_of(one).strip() for one in found)


def single(cell: str) -> str:
    """Return the label of a cell: a list of one label is that label."""
    found = listed(cell.strip())
    return found[0] if found is not None and len(found) == 1 else cell.strip()


def flagged(cell: str) -> dict[str, bool] | None:
    """Return whether a row has each label, of a cell that is an object of 0 and 1; None for another cell."""
    found = json_or_none(cell)
    if not isinstance(found, dict) or any(value not in (0, 1) for value in found.values()):
        return None
    return {name: bool(value) for name, value in found.items()}


def apart(cell: str, joint: str | None = None) -> tuple[str, ...]:
    """Return the labels of a cell: those of a list, those with a `joint` between them, or its only one."""
    found, joint = listed(cell), _joint([cell]) if joint is None else joint
    if found is None:
        found = tuple(label.strip() for label in (cell.split(joint) if joint else [cell]))
    return found


def has_several(table: TextTable, columns: LabelledColumns, choices: TableChoices) -> bool:
    """Return whether a row may have several labels, or none. Raises TableError where nothing shows that."""
    if choices.target:
        return choices.target == "multi_label"
    if columns.flags:
        return True
    cells = {cell.strip() for cell in table.column(columns.label)}
    structured = [cell for cell in cells if cell[:1] + cell[-1:] in ("[]", "{}") and listed(cell) is None]
    if structured:
        facts = table.name, table.columns[columns.label], shortened(min(structured))
        message = Message("In {0} column {1} has lists or objects that are no labels of texts: {2}.", *facts)
        ways_out = '["pos"]', '[0, 3, "PER"]'
        hint = Message("Give another column, or write labels as {0}, spans as {1}.", *ways_out)
        raise TableError(message, hint, ("label_column",), table.preview)
    if lists := [found for cell in cells if (found := listed(cell)) is not None]:
        return any(len(found) != 1 for found in lists)
    name = table.columns[columns.label]
    joined = next((cell for cell in sorted(cells) if _joint([cell])), "")
    are_whole = bool(cells) and all(is_number(cell) and float(cell).is_integer() for cell in cells)
    is_called_score = last_part(name) in _SCORES and len(cells) >= _LEAST_CLASSES
    if joined:
        facts = table.name, name, joined
        message = Message("In {0} column {1} has labels such as “{2}”: one label, or several.", *facts)
        hint = Message("Give {0} for several labels, {1} for one.", "--task multi_label", "--task classes")
    elif are_whole and (is_called_score or (columns.pair is not None and len(cells) >= _LEAST_SCORES)):
        numbers = table.name, name, len(cells)
        message = Message("In {0} column {1} has {2} whole numbers: classes, or scores.", *numbers)
        hint = Message("Give {0} for classes, {1} for scores.", "--task classes", "--task scores")
    else:
        return False
    raise TableError(message, hint, ("target",), table.preview)


def label_reader(table: TextTable, columns: LabelledColumns) -> Callable[[Record], tuple[str, ...] | str]:
    """Return a function for the labels of a row that may have several, or why they cannot be read."""
    cells = () if columns.flags else table.column(columns.label)
    joint = _joint([cell for cell in cells if listed(cell.strip()) is None])

    def read(record: Record) -> tuple[str, ...] | str:
        if columns.flags:
            flags = flags_of(record, table.columns, columns.flags)
            return flags if isinstance(flags, str) else tuple(name for name, has in flags.items() if has)
        found = apart(record.cells[columns.label].strip(), joint)
        if "" in found:
            return Message("Line {0} has no label.", f"{record.line:,}")
        return tuple(dict.fromkeys(found))

    return read


def _joint(cells: Sequence[str]) -> str:
    """Return what stands between the labels of a cell: the first that is in any cell of the column."""
    return next((joint for joint in "|;," if any(joint in cell.strip(joint) for cell in cells)), "")


def flags_of(record: Record, names: Sequence[str], flags: Sequence[int]) -> dict[str, bool] | str:
    """Return whether a row has each label, by its columns of 0 and 1, or why they cannot be read."""
    cells = {names[at]: record.cells[at].strip().lower() for at in flags}
    for name, cell in cells.items():
        if cell not in FLAGS:
            facts = f"{record.line:,}", cell, name
            return Message("Line {0}: “{1}” in column {2} is neither 0 nor 1.", *facts)
    return {name: FLAGS[cell] for name, cell in cells.items()}
