"""The textbook's table of Steps, the slider at the softmax, and the line of statistics below a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QTextDocumentFragment
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.pairs import head_steps
from bertviz_app.features.steps.views.stop_sheets import statistics_texts
from bertviz_app.features.steps.views.table import StepsTable
from bertviz_app.features.steps.views.view import DivisorBar
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.viewmodels.stages.stops import Stop, StopTensors, statistics, stop_tensors
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import cell_number
from tests.support.factories import biased_trace, make_trace, windowed_trace
from tests.support.panel_scenes import StepsScene
from tests.support.scene import on_screen

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


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    shown = StepsScene(qtbot, look, size=(1100, 620))
    shown.view.walk.go(Stop(1, "softmax"))
    return shown


def _bar(scene: StepsScene) -> DivisorBar:
    return cast("DivisorBar", scene.view.findChild(DivisorBar))


def _columns(scene: StepsScene) -> dict[str, Floats]:
    sheet = scene.flow
    return {column.name: column.values for column in sheet.columns}


def _softmax(scores: Doubles) -> Doubles:
    exponentials = np.exp(scores - scores.max())
    weights: Doubles = exponentials / exponentials.sum()
    return weights


QUERY = 3


def _tensors(trace: Trace, stage: str, query: int = QUERY) -> StopTensors:
    return stop_tensors(trace, Stop(1, stage), 2, query, None, head_steps(trace, 1, 2, query))


@pytest.mark.parametrize(("stage", "column"), [("scores", 2), ("weighted", 6)])
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


def test_a_row_is_the_way_from_the_product_by_way_of_a_bias_to_the_weight(table: StepsTable) -> None:
    # a row is the way from the product to the weight
    for key in range(6):
        query, name, *numbers = _cells(table, key)
        assert (query, name) == (TRACE.tokens.labels[2], TRACE.tokens.labels[key])
        found = [float(number.replace("−", "-")) for number in numbers]
        expected = [STEPS.products[key], STEPS.scaled[key], STEPS.weights[key]]
        np.testing.assert_allclose(found, expected, atol=5.1e-5)
        np.testing.assert_array_equal(table.steps.vector(key, 5), STEPS.values[key])
        np.testing.assert_array_equal(table.steps.vector(key, 6), STEPS.weighted[key])
    # a bias is in the scores and in their name
    trace = biased_trace(6)
    steps = head_steps(trace, 1, 0, 2)
    table.show_steps(steps, trace.tokens.labels)
    assert table.steps.headerData(3, Qt.Orientation.Horizontal) == "÷ √8 + b"
    for key in range(6):
        assert _cells(table, key)[3] == f"{steps.biased[key]:.4f}".replace("-", "−")


@pytest.mark.parametrize(
    ("column", "ranks", "order"),
    [(4, STEPS.weights, DOWN), (6, np.linalg.norm(STEPS.weighted, axis=1), UP)],
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


def test_a_selected_key_stays_selected_when_the_rows_are_sorted(table: StepsTable) -> None:
    table.selectRow(2)
    assert table.steps.key_of(2) == 2
    table.sortByColumn(4, DOWN)
    (index,) = table.selectionModel().selectedRows()
    assert table.steps.key_of(index.row()) == 2
    assert table.copied().splitlines()[1].split("\t")[1] == TRACE.tokens.labels[2]


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


def test_no_number_is_cut(qtbot: QtBot, look: Look) -> None:
    large = replace(STEPS, biased=STEPS.biased - 12, products=STEPS.products - 100)
    table = on_screen(qtbot, StepsTable(look), 395, 400)
    table.show_steps(large, TRACE.tokens.labels)
    metrics = QFontMetricsF(look.number_font(12))
    for column in (2, 3, 4):
        for row in range(6):
            text = str(table.steps.data(table.steps.index(row, column)))
            around = 8  # what the style leaves free beside a text
            assert metrics.horizontalAdvance(text) + around <= table.columnWidth(column), text


def test_the_slider_moves_the_weights_of_the_row_beside_the_models_own(scene: StepsScene) -> None:
    row = slice(1, 2)
    products = scene.trace.scores(1, 2, row, scaled=False)[0].astype(float)
    own = scene.trace.attention(1, 2, row)[0]
    assert "what_if" not in _columns(scene)
    for step, divisor in ((-100, np.sqrt(8) / 10), (50, np.sqrt(80))):
        _bar(scene).slider.setValue(step)
        shown = _columns(scene)
        np.testing.assert_allclose(shown["what_if"], _softmax(products / divisor), rtol=1e-4, atol=1e-7)
        np.testing.assert_array_equal(shown["weight"], own)
        assert (
            "The model's own weights are α: ÷ √8 = 2.83"
            in QTextDocumentFragment.fromHtml(_bar(scene).note.text()).toPlainText()
        )
    scene.view.grab()
    _bar(scene).reset.click()
    assert "what_if" not in _columns(scene)
    assert "What if" in _bar(scene).note.text()
    assert not _bar(scene).reset.isEnabled()


def test_nothing_else_changes_and_the_next_stop_forgets_it(scene: StepsScene) -> None:
    steps = scene.tensors.steps
    assert steps is not None
    before = {field.name: getattr(steps, field.name) for field in fields(steps)}
    _bar(scene).slider.setValue(-60)
    tensors = scene.tensors
    for name, value in before.items():
        np.testing.assert_equal(getattr(tensors.steps, name), value)
    scene.view.walk.go(Stop(1, "weighted"))
    assert not _bar(scene).isVisible()
    assert "what_if" not in _columns(scene)
    scene.view.walk.go(Stop(1, "softmax"))
    assert _bar(scene).isVisible()
    assert _bar(scene).slider.value() == 0


def test_the_bias_of_the_distance_is_not_divided(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(1100, 620), trace=biased_trace(7, n_layers=3))
    scene.view.walk.go(Stop(1, "softmax"))
    _bar(scene).slider.setValue(100)
    tensors = scene.tensors
    steps = tensors.steps
    assert steps is not None
    expected = _softmax(steps.scaled.astype(float) / 10 + steps.added["distance"])
    np.testing.assert_allclose(_columns(scene)["what_if"], expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize(
    ("stage", "inside"),
    [
        ("softmax", lambda tensors: tensors.steps.weights[2:5]),
        ("weighted", lambda tensors: tensors.steps.weighted[2:5]),
    ],
)
@pytest.mark.usefixtures("qapp")
def test_what_is_beyond_the_window_does_not_count(
    stage: str, inside: Callable[[StopTensors], np.ndarray[tuple[int, ...], np.dtype[np.float32]]]
) -> None:
    tensors = _tensors(windowed_trace(9, reach=1), stage)
    within = inside(tensors)
    for form in statistics_texts(statistics(tensors))[:3]:
        assert cell_number(float(within.min())) in form
        assert cell_number(float(within.max())) in form
        assert "∞" not in form
        assert form.endswith("6 keys outside of the window")
    assert cell_number(float(within.mean())) in statistics_texts(statistics(tensors))[0]
    assert (
        statistics_texts(statistics(tensors))[3]
        == statistics_texts(statistics(tensors))[2].partition(" · ")[0]
    )
