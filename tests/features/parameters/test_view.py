"""The Parameters view: its table, the picture of a matrix, a row of the input times a row of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app.features.parameters import view as parameters
from bertviz_app.features.parameters.view import ParametersTable, ParametersView, read_out
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.panel import ParametersChoice
from bertviz_app.viewmodels.parameters import numbers_of_parameters
from bertviz_app.views.kit.look import Look, style_sheet
from tests.support.factories import make_trace
from tests.support.fakes import FakeParameters, HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import click, lines_drawn_by, move, on_screen, pixels_of, turn_events

QUERY = "layers.1.attention.query.weight"


class Scene(VectorScene):
    """A Parameters view of a run A, and of B − A if asked."""

    def __init__(self, look: Look, jobs: HeldJobs) -> None:
        super().__init__(look, jobs)
        self.parameters = ParametersView(self.tools)
        self.a, self.b = make_trace(5), make_trace(5, seed=1)
        self.choices: list[object] = []
        self.parameters.choice_made.connect(self.choices.append)

    def show_a(self) -> None:
        self.runs.show("A", TraceRequest(None, "cpu", "a"), self.a)
        self.parameters.show_head(HeadOfRun((self.a,), 1, 0))
        self.work()


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> Scene:
    scene = Scene(look, HeldJobs())
    on_screen(qtbot, scene.parameters, 640, 480)
    scene.show_a()
    return scene


def _lines(scene: Scene) -> list[tuple[str, ...]]:
    return [row.cells for row in scene.parameters.table.rows]


def _layout(table: ParametersTable) -> tuple[list[int], list[int], int]:
    """Return the heights of the rows, the widths of the columns, and how far names are indented."""
    model = table.model()
    indent = model.index(1, 0).data(Qt.ItemDataRole.DecorationRole)
    return (
        [table.rowHeight(row) for row in range(model.rowCount())],
        [table.columnWidth(column) for column in range(model.columnCount())],
        indent.width(),
    )


def test_the_table_has_groups_with_sums_and_every_parameter(scene: Scene) -> None:
    lines = _lines(scene)
    assert lines[0] == ("Embeddings", "", "7,200", "85.71%", "", "")
    assert [line[-1] for line in lines if line[-1]] == [entry.name for entry in FakeParameters().table]
    assert (lines[3][0].strip(), lines[3][1]) == ("Queries: weights", "W_Q")
    assert "8,400 parameters in 5 matrices and vectors" in scene.parameters.facts.text()
    assert "1.q.w" in scene.parameters.table.copied()


def test_the_sign_of_a_parameter_is_written_as_a_formula(scene: Scene, look: Look, tmp_path: Path) -> None:
    """The table wrote "W_Q" with its line."""
    written = " ".join(lines_drawn_by(scene.parameters, look, tmp_path))
    assert "W_Q" not in written
    assert " W Queries: weights" in written  # and its subscript on a baseline of its own


def test_a_click_shows_the_picture_of_a_parameter(scene: Scene) -> None:
    table = scene.parameters.table
    (row,) = (n for n, line in enumerate(_lines(scene)) if line[-1] == "1.q.w")
    at = table.visualRect(table.model().index(row, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    scene.work()
    assert scene.choices == [ParametersChoice("picture", QUERY)]
    assert "1.q.w" in scene.parameters.facts.text()
    weights = scene.parameters.weights
    assert weights.isVisible()
    assert weights.has_own_picture
    values = FakeParameters().values(QUERY)
    image = weights.grab().toImage()
    table_of = values / weights.matrix.limit if weights.matrix else values
    for cell in (
        np.unravel_index(values.argmax(), values.shape),
        np.unravel_index(values.argmin(), values.shape),
    ):
        middle = weights.cell_rect(int(cell[0]), int(cell[1])).center()
        ratio = image.devicePixelRatio()
        colour = image.pixelColor(int(middle.x() * ratio), int(middle.y() * ratio))
        assert (colour.red() > colour.blue()) == (table_of[cell] > 0), "warm above zero, cold below"


def test_the_number_under_the_pointer_is_exact_and_has_its_head(scene: Scene) -> None:
    scene.parameters.show_parameter(QUERY)
    scene.work()
    values = FakeParameters().values(QUERY)
    lines = read_out(scene.parameters.shown, 9, 4, scene.parameters.weights.region)
    assert np.float32(lines[0].replace("\N{MINUS SIGN}", "-")) == values[9, 4]
    assert lines[1:] == ["row 9, column 4", "head 1, dimension 1 of it"]
    scene.parameters.show_parameter("embeddings.token.weight")
    scene.work()
    region = scene.parameters.weights.region
    assert read_out(scene.parameters.shown, 7, 0, region)[2] == "piece7"


def test_nothing_is_read_out_of_a_picture_while_another_parameter_is_fetched(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.parameters.show_parameter(QUERY)
    scene.work()
    weights = scene.parameters.weights
    pointer = weights.plot_rect.center()
    move(weights, pointer.x(), pointer.y())
    assert weights.read_out.lines
    scene.parameters.shown.choose(key="embeddings.token.weight")
    assert weights.matrix is not None, "the last good picture stays"
    weights.grab()
    assert not caplog.records


def test_zooming_asks_for_the_part_in_sight_alone_and_the_newest_wins(scene: Scene) -> None:
    scene.parameters.show_parameter("embeddings.token.weight")
    scene.work()
    weights = scene.parameters.weights
    before = weights.region
    assert before.rows == (0, 300)
    for _ in range(3):
        weights.box.zoom(0.5, QPointF(10.0, 100.0))
    assert not weights.has_own_picture
    assert len(scene.jobs.cancelled) >= 2, "earlier parts are not computed any more"
    earlier, newest = scene.jobs.submitted[:-1], scene.jobs.submitted[-1]
    newest.run()
    QApplication.processEvents()
    assert weights.has_own_picture
    for held in earlier:  # what comes too late is not drawn
        held.run()
    scene.jobs.submitted.clear()
    QApplication.processEvents()
    weights.grab()
    assert weights.has_own_picture
    first, last = weights.region.rows
    assert last - first < 60


def test_a_row_is_multiplied_by_the_input_of_the_pinned_token(scene: Scene) -> None:
    scene.parameters.show_parameter(QUERY)
    scene.work()
    middle = scene.parameters.weights.cell_rect(9, 3).center()
    click(scene.parameters.weights, middle.x(), middle.y())
    scene.work()
    assert scene.choices[-1] == ParametersChoice("picture", QUERY, 9)
    assert "→ output 9" in scene.parameters.sum.text()
    scene.selection.pin(query=3)
    scene.parameters.show_page("product")
    scene.work()
    product = scene.parameters.product.product
    assert product is not None
    fake = FakeParameters()
    values, bias = fake.values(QUERY)[9], fake.values("layers.1.attention.query.bias")[9]
    expected = float(scene.a.hidden[1, 3].astype(float) @ values.astype(float)) + float(bias)
    assert product.total == pytest.approx(expected, abs=1e-6)
    picture = scene.parameters.product.heat.picture
    assert picture is not None
    np.testing.assert_array_equal(picture.values[0], scene.a.hidden[1, 3])
    np.testing.assert_array_equal(picture.values[1], values)
    scene.parameters.product.output.setValue(2)
    assert scene.choices[-1] == ParametersChoice("product", QUERY, 2)


def test_the_field_of_the_output_and_the_sum_stay_while_the_next_one_is_computed(scene: Scene) -> None:
    """Hidden meanwhile, the field lost the keyboard at each step, and the page below it jumped."""
    output, line = scene.parameters.product.output, scene.parameters.sum
    scene.parameters.show_parameter(QUERY)
    scene.parameters.show_page("product")
    assert not output.isVisible(), "there is no sum yet"
    assert not line.isVisible()
    scene.work()
    output.setFocus()
    for row in (1, 2):
        output.stepUp()
        assert scene.parameters.is_waiting
        assert output.isVisible()
        assert scene.parameters.window().focusWidget() is output
        assert line.isVisible()
        assert f"→ output {row - 1}:" in line.text()
        scene.work()
        assert f"→ output {row}:" in line.text()
    output.stepUp()
    scene.parameters.show_page("picture")
    assert not output.isVisible()
    scene.parameters.show_page("table")
    assert not line.isVisible()


def test_a_parameter_that_is_no_linear_map_has_no_product(scene: Scene) -> None:
    scene.parameters.show_parameter("embeddings.token.weight")
    scene.parameters.show_page("product")
    scene.work()
    assert "not the matrix of a linear map" in scene.parameters.message.text()
    assert scene.parameters.message.isVisible()
    assert not scene.parameters.sum.isVisible()


def test_a_difference_is_that_of_the_matrices_where_their_shapes_agree(scene: Scene) -> None:
    scene.runs.show("B", TraceRequest("other", "cpu", "a"), scene.b)
    scene.parameters.show_head(HeadOfRun((scene.a, scene.b), 1, 0))
    scene.parameters.show_parameter(QUERY)
    scene.work()
    matrix = scene.parameters.weights.matrix
    assert matrix is not None
    one, other = FakeParameters(), FakeParameters(sum(map(ord, "other")))
    np.testing.assert_array_equal(
        matrix.block(slice(None), slice(None)), one.values(QUERY) - other.values(QUERY)
    )
    scene.parameters.show_page("product")
    assert "Choose run A or run B" in scene.parameters.message.text()


def test_matrices_of_other_shapes_have_no_difference(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {None: 24, "other": 48}
    monkeypatch.setattr(
        scene.engine, "parameters", lambda ref, trace=None, check=None: FakeParameters(0, sizes[ref])
    )
    scene.runs.show("B", TraceRequest("other", "cpu", "a"), scene.b)
    scene.parameters.show_head(HeadOfRun((scene.a, scene.b), 1, 0))
    scene.parameters.show_parameter(QUERY)
    scene.work()
    assert "of the same shape" in scene.parameters.message.text()


def test_numbers_for_a_file_are_those_of_the_page(scene: Scene) -> None:
    shown = scene.parameters.shown
    table = numbers_of_parameters(shown)()
    assert table.facts == {"total": 8400}
    assert table.table is not None
    scene.parameters.show_parameter(QUERY)
    scene.work()
    picture = numbers_of_parameters(shown)()
    np.testing.assert_array_equal(picture.arrays["values"], FakeParameters().values(QUERY))
    scene.parameters.show_page("product")
    scene.work()
    product = numbers_of_parameters(shown)()
    assert set(product.arrays) == {"input", "weights", "products"}
    assert (product.facts["token"], product.facts["output"]) == (1, 0)


def test_a_view_that_was_closed_does_not_follow_the_selection(scene: Scene) -> None:
    view = ParametersView(scene.tools)
    view.show_head(HeadOfRun((scene.a,), 1, 0))
    view.show_page("picture")
    delete(view)
    scene.tools.selection.pin(1, 2)  # an exception in a slot fails the test


def test_every_name_of_the_table_is_readable_beside_the_counts(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is wider than its column is wrapped: two that differ at the end alone looked alike."""
    table = scene.parameters.table
    words = {"weight": "weights of the feed-forward part", "bias": "bias"}
    monkeypatch.setattr(parameters, "title_of", lambda key, _: (words[key.split(".")[-1]], "W_Q"))
    table.show_table(table.shown)
    scene.parameters.resize(240, 480)
    QApplication.processEvents()
    metrics, line = QFontMetrics(table.font()), table.verticalHeader().defaultSectionSize()
    room = table.columnWidth(0)
    names = [row.cells[0] for row in table.rows]
    wide = [number for number, name in enumerate(names) if metrics.horizontalAdvance(name) > room]
    assert wide
    assert {table.rowHeight(number) for number, name in enumerate(names) if name.endswith("bias")} == {line}
    assert all(table.rowHeight(number) >= 2 * metrics.height() for number in wide)
    cell = table.visualRect(table.model().index(wide[0], 0)).adjusted(4, 1, -1, -2)
    drawn = pixels_of(table.viewport())[cell.top() : cell.bottom(), cell.left() : cell.right()]
    is_written = (drawn != drawn[0, 0]).any(axis=1)
    assert np.count_nonzero(np.diff(is_written.astype(int)) == 1) == 2, "both lines are drawn"
    scene.parameters.resize(900, 480)
    QApplication.processEvents()
    assert {table.rowHeight(number) for number in range(len(names))} == {line}


def test_a_name_whose_last_word_just_fits_has_the_lines_that_it_is_drawn_in(
    qtbot: QtBot, look: Look, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt measures a text without the padding of the style sheet: its last word was left out."""
    table = ParametersTable(look)
    table.setStyleSheet(style_sheet(look))
    on_screen(qtbot, table, 240, 480)

    def n_lines(row: int) -> int:
        turn_events()
        cell = table.visualRect(table.model().index(row, 0))
        drawn = pixels_of(table.viewport())[cell.top() : cell.bottom() - 1, cell.left() + 12 : cell.right()]
        is_written = (drawn != drawn[0, 0]).any(axis=1)
        return int(np.count_nonzero(np.diff(is_written.astype(int)) == 1))

    for n_letters in range(1, 30):
        name = f"Norm of all embeddings: {'i' * n_letters}"
        monkeypatch.setattr(parameters, "title_of", lambda *_, name=name: (name, ""))
        table.show_table(scene.parameters.table.shown)
        row = next(number for number, row in enumerate(table.rows) if row.entry is not None)
        written = n_lines(row)
        table.setRowHeight(row, 120)
        assert written == n_lines(row), n_letters


def test_another_text_size_lays_the_table_out_anew(qtbot: QtBot, look: Look, scene: Scene) -> None:
    """Its rows, its wrapped names and their indent stayed those of the size at which it was made."""
    scene.parameters.resize(420, 480)
    table = scene.parameters.table
    table.choose(QUERY)
    chosen = table.currentIndex().row()
    look.set_scale(1.6)
    scene.parameters.setStyleSheet(style_sheet(look))  # after the signal, as the window does
    turn_events()
    made = ParametersTable(look)
    made.setStyleSheet(style_sheet(look))
    on_screen(qtbot, made, table.width(), table.height()).show_table(table.shown)
    turn_events()
    assert _layout(table) == _layout(made)
    assert table.currentIndex().row() == chosen
