"""The names of columns on screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import open_model
from bertviz_app.viewmodels.analyses.result_tables import shown_table
from bertviz_app.views.analyses.table import RowsModel

HORIZONTAL = Qt.Orientation.Horizontal


@pytest.mark.usefixtures("korean")
def test_every_column_of_every_analysis_has_a_korean_name() -> None:
    model = open_model(None, "cpu")
    trace, other = model.trace("the cat ate"), model.trace("the dog ate")
    rows, unnamed = RowsModel(), set[str]()
    for analysis in CATALOGUE:
        if analysis.refuses(trace.form, model.facts.task_heads) is not None:
            continue
        found = model.analyse(analysis.key, trace, other)
        tables = [found.as_table(), shown_table(found)]
        for columns in {table.columns for table in tables if not isinstance(found, NamedArrays)} | {
            table.columns for table in tables[1:]
        }:
            rows.show_rows(columns, ())
            heads = [str(rows.headerData(section, HORIZONTAL)) for section in range(len(columns))]
            unnamed |= {head for head in heads if head.isascii() and head != "ID"}
    assert unnamed == set()


def test_the_tool_tip_of_a_cell_does_not_take_a_token_for_a_tag() -> None:
    rows = RowsModel()
    rows.show_rows(("token",), (("<s>",),))
    assert rows.data(rows.index(0, 0), Qt.ItemDataRole.ToolTipRole) == "<qt>&lt;s&gt;</qt>"
    assert rows.data(rows.index(0, 0)) == "<s>"


@pytest.mark.usefixtures("korean")
def test_a_column_without_a_name_shows_its_key() -> None:
    rows = RowsModel()
    rows.show_rows(("made up",), ())
    assert rows.headerData(0, HORIZONTAL) == "made up"
