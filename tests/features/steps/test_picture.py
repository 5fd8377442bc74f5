"""What the Steps panel draws: each number in its colour at its place, formulas, products of a pair."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.features.steps.views.sheet import StripPainter
from bertviz_app.features.steps.views.stop_sheets import FlowSheet, ProductsSheet
from bertviz_app.shell.settings import read_palette
from bertviz_app.viewmodels.panel import Panel, StepsChoice
from bertviz_app.viewmodels.stages.stops import Stop, bound_of
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.formula import Node, fitting, parse
from bertviz_app.views.kit.look import Look, colour_table
from bertviz_app.views.kit.words import cell_number
from tests.support.panel_scenes import StepsScene
from tests.support.scene import click, lines_drawn_by, move, pixels_of, pixels_on_screen


def _colour(look: Look, value: float, bound: float) -> int:
    table = colour_table(look.palette.differences)
    return int(table[round((min(max(value / bound, -1), 1) + 1) * 127.5)]) & 0xFFFFFF


def _near(one: int, other: int) -> bool:
    """Return whether two colours are the same but for rounding."""
    return all(abs((one >> shift & 255) - (other >> shift & 255)) <= 2 for shift in (0, 8, 16))


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look)


@pytest.fixture
def scores(qtbot: QtBot, look: Look) -> StepsScene:
    shown = StepsScene(qtbot, look, size=(560, 620))
    shown.view.walk.go(Stop(1, "scores"))
    return shown


def _rows(scores: StepsScene) -> ProductsSheet:
    sheet = scores.view.walking.sheet
    assert isinstance(sheet, ProductsSheet)
    return sheet


def _flat(node: Node) -> str:
    inner = "".join(_flat(part) for part in node.parts)
    return node.text if node.kind == "text" else inner if node.kind == "row" else f"<{node.kind} {inner}>"


def test_each_number_of_a_strip_has_its_colour(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(1320, 620))
    scene.at("weighted")
    sheet = scene.flow
    column = next(column for column in sheet.columns if column.name == "keys")
    assert column.axis is not None
    drawn = pixels_of(scene.view.walking)
    for row in (0, 3, 6):
        if row == sheet.tensors.query:
            continue
        y = int(sheet.row_box(row, 0).center().y())
        for dimension in (0, 3, 7):
            x = int(column.axis.strip.left() + (dimension + 0.5) * column.axis.strip.width() / 8)
            expected = _colour(look, float(column.values[row, dimension]), bound_of(column.values))
            assert _near(int(drawn[y, x]), expected), (row, dimension)


def test_each_strip_of_an_svg_is_that_of_its_row(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    scene = StepsScene(qtbot, look, size=(1320, 620))
    scene.at("weighted")
    sheet = scene.flow
    column = next(column for column in sheet.columns if column.name == "values")
    assert column.axis is not None
    recording = record(scene.view.walking, look, None)
    write(recording, tmp_path / "steps.svg")
    drawn = QImage(recording.size, QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    QSvgRenderer(str(tmp_path / "steps.svg")).render(painter)
    painter.end()
    margin = (recording.size.width() - scene.view.walking.width()) / 2
    for row in (0, 3, 6):
        y = sheet.row_box(row, 0).center().y() + margin
        for dimension in (0, 3, 7):
            x = column.axis.strip.left() + (dimension + 0.5) * column.axis.strip.width() / 8 + margin
            expected = _colour(look, float(column.values[row, dimension]), bound_of(column.values))
            assert _near(drawn.pixel(int(x), int(y)) & 0xFFFFFF, expected), (row, dimension)


def test_the_bar_of_a_weight_is_as_long_as_the_weight(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walk.go(Stop(1, "softmax"))
    sheet = scene.flow
    column = next(column for column in sheet.columns if column.kind == "bar")
    drawn = pixels_of(scene.view.walking)
    accent = look.colour("accent").rgb() & 0xFFFFFF
    room = column.width - look.pixels(48) - 4
    for row, weight in enumerate(sheet.steps.weights.tolist()):
        line = drawn[int(sheet.row_box(row, 0).center().y()), int(column.left) : int(column.left + room)]
        assert int((line == accent).sum()) == pytest.approx(weight * room, abs=2)


def test_of_more_numbers_than_pixels_the_largest_is_seen(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look)
    values = np.zeros(5000, np.float32)
    values[2500], values[4999] = -1, 1
    image = scene.view.grab().toImage()
    painter = QPainter(image)
    StripPainter(painter, look).draw_strip(QRectF(0, 0, 100, 4), values, 1.0)
    painter.end()
    assert _near(image.pixel(50, 2) & 0xFFFFFF, _colour(look, -1, 1))
    assert _near(image.pixel(99, 2) & 0xFFFFFF, _colour(look, 1, 1))
    assert _near(image.pixel(20, 2) & 0xFFFFFF, _colour(look, 0, 1))


@pytest.mark.parametrize(("stage", "width"), [("keys", 300), ("weighted", 300), ("weighted", 600)])
def test_the_vector_that_a_stop_is_about_has_numbers_in_every_width(
    qtbot: QtBot, look: Look, stage: str, width: int
) -> None:
    scene = StepsScene(qtbot, look, n_tokens=27, size=(width, 420))
    scene.at(stage)
    sheet = scene.flow
    axes = [column.axis for column in sheet.columns if column.axis is not None]
    assert max(axis.shown for axis in axes) >= 1
    assert sheet.columns[-1].left + sheet.columns[-1].width <= sheet.area.right() + 1


def test_after_many_queries_the_vectors_are_those_of_the_last_one(scene: StepsScene, look: Look) -> None:
    scene.at("softmax")
    for number in range(40):
        scene.selection.hover(query=number * 5 % 7, key=number % 4)
        if number % 3:
            pixels_of(scene.view.walking)
    drawn = pixels_of(scene.view)
    look.changed.emit()  # with which all pictures are dropped
    np.testing.assert_array_equal(drawn, pixels_of(scene.view))


def test_another_theme_and_text_size_are_seen_at_once(scene: StepsScene, look: Look) -> None:
    view = scene.view
    scene.finish()
    before = pixels_of(view)
    look.set_palette(read_palette("dark"))
    dark = pixels_of(view)
    assert (dark != before).mean() > 0.5
    look.set_scale(1.3)
    large = pixels_of(view)
    look.changed.emit()
    np.testing.assert_array_equal(large, pixels_of(view))


@pytest.mark.parametrize("stage", ["scores", "sum"])
def test_what_is_drawn_again_is_all_that_changed(scene: StepsScene, stage: str) -> None:
    """The screen, of which each gesture updates parts, is what a drawing of everything gives."""
    view = scene.view
    view.walk.go(Stop(1, stage))
    scene.finish()
    for number in range(8):
        if number < 5:
            scene.selection.hover(query=number * 5 % 7, key=None if number % 2 else number)
        else:
            view.walk.step(2)
        np.testing.assert_array_equal(pixels_on_screen(view), pixels_of(view))


def test_keys_reach_every_number_that_the_pointer_reaches(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "weighted"))
    picture, sheet = scene.view.walking, scene.flow
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(picture, Qt.Key.Key_Down)
    assert scene.selection.shown.key == sheet.tensors.query
    read = []
    for _ in range(400):
        QTest.keyClick(picture, Qt.Key.Key_Right)
        read.append(picture.read_out.lines)
    y = sheet.row_box(sheet.tensors.query, 0).center().y()
    hits = [sheet.hit(QPointF(x, y), 0) for x in range(picture.width())]
    reached = {tuple(picture.lines_of(hit)) for hit in hits if hit is not None and hit.value is not None}
    assert set(read) >= reached
    assert scene.view.walk.stop == Stop(1, "weighted"), "the arrows are those of the picture"
    for _ in range(10):
        QTest.keyClick(picture, Qt.Key.Key_Down)
    assert str(picture.read_out.lines[0]).startswith("w1 · "), "the sum below the rows is the query's"
    QTest.keyClick(picture, Qt.Key.Key_Escape)
    assert not picture.read_out.lines
    QTest.keyClick(picture, Qt.Key.Key_PageDown)
    assert scene.view.walk.stop == Stop(2, "weighted"), "other keys are the panel's"


def test_enter_does_what_a_click_does_at_a_number(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "softmax"))
    picture = scene.view.walking
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(picture, key)
    assert (scene.selection.pinned.query, scene.selection.pinned.key) == (1, 3)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Return):
        QTest.keyClick(picture, key)
    assert scene.selection.pinned.query == 3, "the name of a row makes it the query"


def test_keys_scroll_the_rows_and_reach_the_lines_of_an_equation(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, n_tokens=60, size=(420, 420))
    scene.at("attention_sum")
    picture, sheet = scene.view.walking, scene.equation
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(60):
        QTest.keyClick(picture, Qt.Key.Key_Down)
    assert sheet.rows_area.contains(sheet.row_box(59, picture.offset))
    assert sheet.rows_area.contains(picture.cursor_rect().center())
    for _ in range(80):
        QTest.keyClick(picture, Qt.Key.Key_Up)
    assert sheet.term_box(0).contains(picture.cursor_rect().center())
    for _ in range(4):
        QTest.keyClick(picture, Qt.Key.Key_Right)
    assert str(picture.read_out.lines[2]).startswith("dimension ")
    picture.grab()


def test_from_the_name_of_a_term_the_keys_come_to_its_first_number(scene: StepsScene) -> None:
    scene.at("attention_sum")
    picture, sheet = scene.view.walking, scene.equation
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    name = sheet.term_box(1)
    move(picture, name.left() + 2, name.center().y())
    assert not picture.read_out.lines
    QTest.keyClick(picture, Qt.Key.Key_Right)
    assert picture.read_out.lines[2] == "dimension 0"
    for _ in range(2):
        QTest.keyClick(picture, Qt.Key.Key_Up)
    assert sheet.term_box(0).contains(picture.cursor_rect().center())


def test_a_click_leaves_the_keys_to_the_panel(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "softmax"))
    picture = scene.view.walking
    scene.view.setFocus()
    click(picture, picture.width() / 2, picture.height() / 2)
    assert not picture.hasFocus()
    assert picture.focusPolicy() == Qt.FocusPolicy.TabFocus


def test_the_products_are_those_of_the_pinned_pair_and_unfold(scores: StepsScene) -> None:
    # the products are those of the pinned pair
    assert scores.flow.pair.key == int(scores.flow.steps.weights.argmax())
    scores.selection.pin(query=4, key=2)
    pair = scores.flow.pair
    assert (pair.query_label, pair.key_label) == ("w4", "w2")
    expected = scores.trace.queries[1, 2, 4].astype(np.float64) * scores.trace.keys[1, 2, 2]
    np.testing.assert_array_equal(pair.products, expected)
    assert pair.score == scores.trace.scores(1, 2, slice(4, 5), scaled=False)[0, 2]
    # the return key unfolds and the sheet follows the pair
    QTest.keyClick(scores.view, Qt.Key.Key_Return)
    scores.selection.pin(query=3, key=5)
    assert (_rows(scores).pair.query_label, _rows(scores).pair.key_label) == ("w3", "w5")
    scores.selection.pin(query=3, key=0)
    assert _rows(scores).pair.key == 0
    scores.view.walk.go(Stop(1, "scaled"))
    assert isinstance(scores.view.walking.sheet, FlowSheet)


def test_all_products_are_unfolded_by_a_click_and_folded_by_another(
    scores: StepsScene, look: Look, tmp_path: Path
) -> None:
    scores.view.grab()
    at = next(
        QPointF(x, y)
        for y in range(int(scores.flow.foot_top), scores.view.walking.height(), 4)
        for x in range(0, scores.view.walking.width(), 8)
        if (hit := scores.flow.hit(QPointF(x, y), 0)) is not None and hit.action
    )
    click(scores.view.walking, at.x(), at.y())
    sheet = _rows(scores)
    assert sheet.n_rows == 8
    lines = "".join(lines_drawn_by(scores.view.walking, look, tmp_path))
    for product in sheet.pair.products:
        assert cell_number(float(product)) in lines
    assert cell_number(sheet.pair.score) in lines
    at = next(
        QPointF(x, y)
        for y in range(0, 30, 4)
        for x in range(0, 200, 8)
        if (hit := sheet.hit(QPointF(x, y), 0)) is not None and hit.action
    )
    click(scores.view.walking, at.x(), at.y())
    assert scores.flow.n_rows == 7


def test_the_keys_reach_what_unfolds_all_products(scores: StepsScene) -> None:
    picture = scores.view.walking
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    for kind in (ProductsSheet, FlowSheet):
        QTest.keyClick(picture, Qt.Key.Key_Return)  # at nothing in the picture it is a key of the panel
        assert isinstance(picture.sheet, kind)
    for _ in range(10):
        QTest.keyClick(picture, Qt.Key.Key_Down)
    QTest.keyClick(picture, Qt.Key.Key_Return)
    assert isinstance(picture.sheet, ProductsSheet)


def test_a_number_of_the_sheet_is_read_out_exactly(scores: StepsScene) -> None:
    scores.view.walk.turn_products()
    sheet = _rows(scores)
    row = sheet.row_box(3, 0)
    found = {}
    for x in range(int(row.left()), int(row.right()), 4):
        hit = sheet.hit(QPointF(x, row.center().y()), 0)
        if hit is not None:
            found[hit.name] = hit
    assert set(found) == {"q_i", "keys", "product"}
    assert found["keys"].value == scores.trace.keys[1, 2, sheet.pair.key, 3]
    assert scores.view.walking.lines_of(found["product"])[2] == "dimension 3"


def test_the_sheet_fits_into_the_narrowest_panel(qtbot: QtBot, look: Look) -> None:
    big = Look(look.palette, 2.0)
    scores = StepsScene(qtbot, big, size=(300, 330), n_tokens=5)
    scores.view.walk.go(Stop(1, "scores"))
    scores.view.walk.turn_products()
    sheet = _rows(scores)
    y = sheet.row_box(3, 0).center().y()
    hits = [sheet.hit(QPointF(x, y), 0) for x in range(scores.view.width())]
    columns = [hit.name for hit in hits[: int(sheet.area.right()) + 1] if hit is not None]
    assert len(columns) == len([hit for hit in hits if hit is not None]), "nothing is beyond the sheet"
    assert columns.count("product") == pytest.approx(columns.count("keys"), abs=1), "nor cut"


def test_what_is_unfolded_is_of_the_panel_and_stays_from_stop_to_stop(
    scores: StepsScene, qtbot: QtBot, look: Look
) -> None:
    choices: list[StepsChoice] = []
    scores.view.choice_made.connect(choices.append)
    QTest.keyClick(scores.view, Qt.Key.Key_Return)
    assert choices[-1] == StepsChoice("layer", "scores", shows_products=True)
    for stop in (Stop(1, "softmax"), Stop(1, "scores")):
        scores.view.walk.go(stop)
        assert choices[-1].shows_products
    assert _rows(scores).n_rows == 8
    again = StepsScene(qtbot, look, size=(560, 620))
    again.view.show_panel(Panel(0, 1, 2, "steps", steps=choices[-1]))
    assert _rows(again).n_rows == 8
    again.view.show_panel(Panel(0, 1, 2, "steps", steps=StepsChoice("layer", "scores")))
    assert isinstance(again.view.walking.sheet, FlowSheet)


@pytest.mark.parametrize(
    ("formula", "tree"),
    [
        ("e^{s_j − m}", "e<sup s<sub j> − m>"),
        ("\\frac{a}{\\sqrt{b}}", "<frac a<sqrt b>>"),
        ("\\t{softmax}(x)_j", "<upright softmax>(x)<sub j>"),
    ],
)
def test_it_is_read_as_it_is_written(formula: str, tree: str) -> None:
    assert _flat(parse(formula)) == tree


@pytest.mark.usefixtures("qapp")
def test_a_measured_formula_does_not_keep_its_look_alive() -> None:
    look = Look(read_palette("light"))
    fitting(look, ("q_i · k_j",), 400)
    dead = weakref.ref(look)
    del look
    gc.collect()
    assert dead() is None


def test_a_formula_is_measured_once_for_each_text_size(look: Look) -> None:
    formulas = ("q_i · k_j",)
    first = fitting(look, formulas, 400)
    assert fitting(look, formulas, 400) is first
    look.set_scale(2.0)
    assert fitting(look, formulas, 400).box.width > 1.8 * first.box.width
