"""The textbook's table: its numbers, its order, and what is copied from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.steps import head_steps
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.table import StepsTable
from tests.support.factories import biased_trace, disentangled_trace, make_trace
from tests.support.scene import on_screen, pixels_of
from tests.support.steps_scene import StepsScene

UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
TRACE = make_trace(6)
STEPS = head_steps(TRACE, 1, 0, 2)


@pytest.fixture
def table(qtbot: QtBot, look: Look) -> StepsTable:
    table = on_screen(qtbot, StepsTable(look), 800, 400)
    table.show_steps(STEPS, TRACE.tokens.labels)
    return table


def _cells(table: StepsTable, row: int) -> list[str]:
    return [str(table.steps.data(table.steps.index(row, column))) for column in range(5)]


@pytest.mark.parametrize(
    ("stage", "column"),
    [("scores", 2), ("scaled", 3), ("softmax", 4), ("values", 5), ("mixed", 6), ("keys", None)],
)
def test_the_column_of_the_stop_is_marked(qtbot: QtBot, look: Look, stage: str, column: int | None) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walk.show_form("table")
    scene.view.walk.go(Stop(1, stage))
    table = scene.view.table
    fonts = [
        table.steps.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.FontRole)
        for section in range(7)
    ]
    bold = [section for section, font in enumerate(fonts) if isinstance(font, QFont) and font.bold()]
    assert bold == ([] if column is None else [column])
    drawn = pixels_of(table.viewport())
    rectangles = [table.visualRect(table.steps.index(1, section)) for section in range(5)]
    corners = [int(drawn[box.top() + 2, box.left() + 2]) for box in rectangles]
    assert [corner != corners[0] for corner in corners[1:]] == [section == column for section in range(1, 5)]


@pytest.mark.parametrize(("stage", "column"), [("scores", 2), ("softmax", 4), ("weighted", 6)])
def test_the_column_of_the_stop_is_in_sight_in_a_narrow_table(
    table: StepsTable, stage: str, column: int
) -> None:
    table.resize(310, 400)
    for other in ("weighted", "scores", stage):
        table.mark(other)
    cell = table.visualRect(table.steps.index(0, column))
    assert table.viewport().rect().contains(cell)
    assert table.verticalHeader().isVisible() == (table.columnViewportPosition(1) < 0)
    name = table.steps.headerData(2, Qt.Orientation.Vertical)
    assert name == table.steps.data(table.steps.index(2, 1))


def test_a_row_is_the_way_from_the_product_to_the_weight(table: StepsTable) -> None:
    for key in range(6):
        query, name, *numbers = _cells(table, key)
        assert (query, name) == (TRACE.tokens.labels[2], TRACE.tokens.labels[key])
        found = [float(number.replace("−", "-")) for number in numbers]
        expected = [STEPS.products[key], STEPS.scaled[key], STEPS.weights[key]]
        np.testing.assert_allclose(found, expected, atol=5.1e-5)
        np.testing.assert_array_equal(table.steps.vector(key, 5), STEPS.values[key])
        np.testing.assert_array_equal(table.steps.vector(key, 6), STEPS.weighted[key])


@pytest.mark.parametrize("order", [UP, DOWN])
@pytest.mark.parametrize(
    ("column", "ranks"),
    [
        (1, np.arange(6)),
        (2, STEPS.products),
        (4, STEPS.weights),
        (5, np.linalg.norm(STEPS.values, axis=1)),
        (6, np.linalg.norm(STEPS.weighted, axis=1)),
    ],
)
def test_it_is_sorted_by_value(
    table: StepsTable, column: int, ranks: np.ndarray[tuple[int], np.dtype[np.float64]], order: Qt.SortOrder
) -> None:
    table.sortByColumn(column, order)
    expected = sorted(range(6), key=lambda key: float(ranks[key]), reverse=order == DOWN)
    assert [table.steps.key_of(row) for row in range(6)] == expected
    table.show_steps(head_steps(TRACE, 0, 0, 2), TRACE.tokens.labels)
    table.show_steps(STEPS, TRACE.tokens.labels)
    assert [table.steps.key_of(row) for row in range(6)] == expected


@pytest.mark.parametrize(("column", "order"), [(4, DOWN), (1, DOWN), (6, UP)])
def test_a_selected_key_stays_selected_when_the_rows_are_sorted(
    table: StepsTable, column: int, order: Qt.SortOrder
) -> None:
    table.selectRow(2)
    assert table.steps.key_of(2) == 2
    table.sortByColumn(column, order)
    (index,) = table.selectionModel().selectedRows()
    assert table.steps.key_of(index.row()) == 2
    assert table.copied().splitlines()[1].split("\t")[1] == TRACE.tokens.labels[2]


def test_a_bias_is_in_the_scores_and_in_their_name(table: StepsTable) -> None:
    trace = biased_trace(6)
    steps = head_steps(trace, 1, 0, 2)
    table.show_steps(steps, trace.tokens.labels)
    assert table.steps.headerData(3, Qt.Orientation.Horizontal) == "÷ √8 + b"
    for key in range(6):
        assert _cells(table, key)[3] == f"{steps.biased[key]:.4f}".replace("-", "−")


def test_content_and_position_are_in_the_scores_and_in_their_name(table: StepsTable) -> None:
    trace = disentangled_trace(6)
    steps = head_steps(trace, 1, 0, 2)
    table.show_steps(steps, trace.tokens.labels)
    assert table.steps.headerData(3, Qt.Orientation.Horizontal) == "(… + …) ÷ √24"
    for key in range(6):
        assert _cells(table, key)[3] == f"{steps.biased[key]:.4f}".replace("-", "−")


def test_all_is_copied_in_full_precision(table: StepsTable) -> None:
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().rstrip("\n").split("\n")]
    assert lines[0] == ["query", "key", "q · k", "÷ √8", "weight", "vⱼ", "weight × vⱼ"]
    assert len(lines) == 7
    for key, line in enumerate(lines[1:]):
        assert np.float32(line[2]) == STEPS.products[key]
        assert np.float32(line[4]) == STEPS.weights[key]
        np.testing.assert_array_equal(np.array(line[6].split(" "), np.float32), STEPS.weighted[key])


def test_of_a_selection_only_its_rows_are_copied(table: StepsTable) -> None:
    table.sortByColumn(4, DOWN)
    flags = QItemSelectionModel.SelectionFlag
    table.selectionModel().select(table.steps.index(0, 0), flags.Select | flags.Rows)
    lines = table.copied().rstrip("\n").split("\n")
    assert len(lines) == 2
    assert lines[1].split("\t")[1] == TRACE.tokens.labels[int(STEPS.weights.argmax())]


def test_the_table_follows_the_query_while_it_is_shown(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walk.show_form("table")
    scene.view.followed.choose(4)
    steps = scene.view.table.steps.steps
    assert steps is not None
    assert steps.query == 4
    scene.view.grab()


def test_a_narrow_table_shows_all_columns_but_the_query(qtbot: QtBot, table: StepsTable) -> None:
    title = str(table.steps.headerData(6, Qt.Orientation.Horizontal))
    for width, has_query in ((800, True), (500, True), (390, False)):
        table.resize(width, 400)
        header = table.horizontalHeader()
        qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
        assert header.isSectionHidden(0) != has_query
        assert header.sectionSize(6) >= header.fontMetrics().horizontalAdvance(title)
        assert header.sectionSize(5) >= 40
    assert table.copied().startswith("query\t")


@pytest.mark.parametrize("width", [395, 430, 800])
def test_no_number_is_cut(qtbot: QtBot, look: Look, width: int) -> None:
    large = replace(STEPS, biased=STEPS.biased - 12, products=STEPS.products - 100)
    table = on_screen(qtbot, StepsTable(look), width, 400)
    table.show_steps(large, TRACE.tokens.labels)
    metrics = QFontMetricsF(look.number_font(12))
    for column in (2, 3, 4):
        for row in range(6):
            text = str(table.steps.data(table.steps.index(row, column)))
            around = 8  # what the style leaves free beside a text
            assert metrics.horizontalAdvance(text) + around <= table.columnWidth(column), text
