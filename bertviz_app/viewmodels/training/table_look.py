"""`TableLook`: what the reader finds about the files of a fine-tuning, before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bertviz_app.errors import AppError
from bertviz_app.text_tables.table import Preview, TableChoices, TableError, column_value
from bertviz_app.text_tables.token_labels import has_token_labels, only_known, read_token_table, tag_names
from bertviz_app.training.finetuning.settings import label_names, label_notices, read_rows


@dataclass(frozen=True, eq=False)
class TableLook:
    """The first rows, the columns that are read by their names, notices, and what is unclear or wrong.

    `columns` has the fields of `TableChoices` that are columns. `preview` is None where nothing can be read.
    """

    preview: Preview | None
    columns: dict[str, str]
    notices: tuple[str, ...] = ()
    error: AppError | None = None

    @property
    def is_asking(self) -> bool:
        """Whether the file can be read once the user says how."""
        return isinstance(self.error, TableError)


def look_at(data: Path, test: Path | None, choices: TableChoices) -> TableLook:
    """Return what is found about the rows of `data`, and whether those of `test` can be read alike."""
    given = {
        "label_column": choices.label_column,
        "text_column": choices.text_column,
        "pair_column": choices.pair_column,
    }
    preview = None
    try:
        if has_token_labels(data, choices):
            return _look_at_tokens(data, test, choices)
        rows = read_rows(data, choices)
        preview = rows.preview
        given = dict(zip(given, rows.columns, strict=True))
        names = () if rows.has_scores else label_names(rows)
        others = None if test is None else read_rows(test, choices, names)
    except TableError as error:
        return TableLook(error.preview, given, error=error)
    except AppError as error:
        return TableLook(preview, given, error=error)
    of_test = () if others is None else others.notices
    return TableLook(preview, given, (*rows.notices, *label_notices(rows), *of_test))


def _look_at_tokens(data: Path, test: Path | None, choices: TableChoices) -> TableLook:
    """Return what is found about files with a label for each word or character. Raises TableError."""
    table = read_token_table(data, choices)
    columns = {
        "label_column": column_value(table.preview, table.form.label_column),
        "text_column": column_value(table.preview, table.form.unit_column),
        "pair_column": "",
    }
    notices = (table.about, *table.notices)
    try:
        names = tag_names(table)
        others = None if test is None else only_known(read_token_table(test, choices), names)
    except AppError as error:
        return TableLook(table.preview, columns, notices, error)
    of_test = () if others is None else (others.about, *others.notices)
    return TableLook(table.preview, columns, (*notices, *of_test))
