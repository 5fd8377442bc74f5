"""What the Steps panel draws: each number in its colour at its place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.viewmodels.steps.tensors import bound_of
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look, colour_table
from bertviz_app.views.kit.numbers import cell_number, exact
from bertviz_app.views.steps.formula import fitting
from bertviz_app.views.steps.sheets.equation_sheet import EquationSheet
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from bertviz_app.views.steps.sheets.strips import Ink, lane
from tests.support.context_menus import context_menu
from tests.support.scene import click, leave, move, pixels_of, pixels_on_screen
from tests.support.steps_scene import StepsScene
from tests.support.svg_text import lines_drawn_by


def _colour(look: Look, value: float, bound: float) -> int:
    table = colour_table(look.palette.differences)
    return int(table[round((min(max(value / bound, -1), 1) + 1) * 127.5)]) & 0xFFFFFF


@pytest.mark.parametrize("name", ["keys", "values", "weighted"])
def test_each_number_of_a_strip_has_its_colour(qtbot: QtBot, look: Look, name: str) -> None:
    scene = StepsScene(qtbot, look, size=(1320, 620))
    scene.view.walk.go(Stop(1, "weighted"))
    scene.finish()
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    column = next(column for column in sheet.columns if column.name == name)
    assert column.lane is not None
    drawn = pixels_of(scene.view.walking)
    for row in (0, 3, 6):
        if row == sheet.tensors.query:
            continue
        y = int(sheet.row_box(row, 0).center().y())
        for dimension in (0, 3, 7):
            x = int(column.lane.strip.left() + (dimension + 0.5) * column.lane.strip.width() / 8)
            expected = _colour(look, float(column.values[row, dimension]), bound_of(column.values))
            assert _near(int(drawn[y, x]), expected), (row, dimension)


def test_each_strip_of_an_svg_is_that_of_its_row(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    scene = StepsScene(qtbot, look, size=(1320, 620))
    scene.view.walk.go(Stop(1, "weighted"))
    scene.finish()
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    column = next(column for column in sheet.columns if column.name == "values")
    assert column.lane is not None
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
            x = column.lane.strip.left() + (dimension + 0.5) * column.lane.strip.width() / 8 + margin
            expected = _colour(look, float(column.values[row, dimension]), bound_of(column.values))
            assert _near(drawn.pixel(int(x), int(y)) & 0xFFFFFF, expected), (row, dimension)


def _near(one: int, other: int) -> bool:
    """Return whether two colours are the same but for rounding."""
    return all(abs((one >> shift & 255) - (other >> shift & 255)) <= 2 for shift in (0, 8, 16))


def test_the_bar_of_a_weight_is_as_long_as_the_weight(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walk.go(Stop(1, "softmax"))
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    column = next(column for column in sheet.columns if column.kind == "bar")
    drawn = pixels_of(scene.view.walking)
    accent = look.colour("accent").rgb() & 0xFFFFFF
    room = column.width - look.pixels(48) - 4
    for row, weight in enumerate(sheet.steps.weights.tolist()):
        line = drawn[int(sheet.row_box(row, 0).center().y()), int(column.left) : int(column.left + room)]
        assert int((line == accent).sum()) == pytest.approx(weight * room, abs=2)


def test_the_querys_line_in_an_equation_has_its_colours(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walk.go(Stop(1, "attention_sum"))
    scene.finish()
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, EquationSheet)
    values = sheet.tensors.row("attention_sum")
    assert values is not None
    own = next(index for index, term in enumerate(sheet.terms) if term.name == "attention_sum")
    box, bound = sheet.term_box(own), sheet.bounds[own]
    drawn = pixels_of(scene.view.walking)
    strip = sheet.lane_of(len(values)).strip
    for dimension in (0, 11, 23):
        x = int(strip.left() + (dimension + 0.5) * strip.width() / len(values))
        expected = _colour(look, float(values[dimension]), bound)
        assert _near(int(drawn[int(box.center().y()), x]), expected), dimension


def test_of_more_numbers_than_pixels_the_largest_is_seen(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look)
    ink = Ink(look)
    values = np.zeros(5000, np.float32)
    values[2500], values[4999] = -1, 1
    image = scene.view.grab().toImage()
    painter = QPainter(image)
    ink.draw_strip(painter, QRectF(0, 0, 100, 4), values, 1.0)
    painter.end()
    assert _near(image.pixel(50, 2) & 0xFFFFFF, _colour(look, -1, 1))
    assert _near(image.pixel(99, 2) & 0xFFFFFF, _colour(look, 1, 1))
    assert _near(image.pixel(20, 2) & 0xFFFFFF, _colour(look, 0, 1))


def test_the_window_of_numbers_begins_at_the_given_dimension(look: Look) -> None:
    whole = lane(look, 10, 400, 384, 0, has_window=True)
    later = lane(look, 10, 400, 384, 200, has_window=True)
    last = lane(look, 10, 400, 384, 10_000, has_window=True)
    assert (whole.first, later.first, last.first + last.shown) == (0, 200, 384)
    assert whole.dimension(whole.strip.left()) == 0
    assert whole.dimension(whole.strip.right() - 0.01) == 383
    assert later.dimension(later.window.left() + 1) == 200
    assert lane(look, 10, 60, 384, 0, has_window=True).shown == 0


@pytest.mark.parametrize(("stage", "is_drawn"), [("keys", False), ("weighted", True)])
def test_a_multiplication_sign_is_drawn_only_where_values_are_weighted(
    qtbot: QtBot, look: Look, tmp_path: Path, stage: str, is_drawn: bool
) -> None:
    scene = StepsScene(qtbot, look, size=(1230, 620))
    scene.view.walk.go(Stop(1, stage))
    scene.finish()
    lines = lines_drawn_by(scene.view.walking, look, tmp_path)
    assert [line for line in lines if "×" in line] == (["→→→×="] if is_drawn else [])


@pytest.mark.parametrize("width", [600, 900])
def test_the_query_above_the_keys_is_named_whole(qtbot: QtBot, look: Look, width: int) -> None:
    scene = StepsScene(qtbot, look, size=(width, 620))
    scene.view.followed.choose(6)  # [SEP], as wide as any here
    scene.view.walk.go(Stop(1, "scores"))
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    letter = fitting(look, ("q_i",), 99, 14).box.width + look.pixels(6)
    name = QFontMetricsF(look.font(13, bold=True)).horizontalAdvance("[SEP]")
    assert sheet.columns[0].left - sheet.area.left() >= letter + name


def test_the_narrowest_panel_shows_the_whole_softmax(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(326, 540))
    scene.view.walk.go(Stop(1, "softmax"))
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    assert [column.name for column in sheet.columns] == ["scaled", "exponential", "weight"]


def test_below_the_scores_stands_their_largest_named_m(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walk.go(Stop(1, "softmax"))
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    lines = lines_drawn_by(scene.view.walking, look, tmp_path)
    assert any(f"m = {cell_number(float(sheet.steps.scaled.max()))}" in line for line in lines)


def test_the_largest_score_stays_within_the_band_of_its_column(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(326, 540))
    scene.view.walk.go(Stop(1, "softmax"))
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    (box,) = [box for box, text in drawn_texts(scene.view.walking) if text.startswith(("m =", "m="))]
    column = next(column for column in sheet.columns if column.name == "scaled")
    assert box.left() >= column.left - look.pixels(8)


def test_a_low_panel_shows_whole_rows_rather_than_their_sums(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(400, 165))
    scene.view.setMinimumSize(1, 1)
    scene.view.resize(400, 165)
    QApplication.processEvents()
    scene.view.walk.go(Stop(1, "scaled"))
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    assert sheet.foot == 0
    assert sheet.rows_area.height() >= sheet.row_height


@pytest.mark.parametrize("width", [300, 420, 600])
@pytest.mark.parametrize("stage", ["queries", "keys", "values", "scores", "weighted", "mixed"])
def test_the_vector_that_a_stop_is_about_has_numbers_in_every_width(
    qtbot: QtBot, look: Look, stage: str, width: int
) -> None:
    scene = StepsScene(qtbot, look, n_tokens=27, size=(width, 420))
    scene.view.walk.go(Stop(1, stage))
    scene.finish()
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    lanes = [column.lane for column in sheet.columns if column.lane is not None]
    assert max(lane.shown for lane in lanes) >= 1
    assert sheet.columns[-1].left + sheet.columns[-1].width <= sheet.area.right() + 1


def test_a_narrow_panel_names_the_vectors_that_it_leaves_out(
    qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    scene = StepsScene(qtbot, look, size=(326, 540))
    scene.finish()
    lines = lines_drawn_by(scene.view.walking, look, tmp_path)
    assert any("wider panel: also key, value" in line for line in lines)
    scene.view.resize(1000, 540)
    lines = lines_drawn_by(scene.view.walking, look, tmp_path)
    assert not any("wider panel" in line for line in lines)


def test_numbers_beside_strips_have_their_dimensions_above(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walk.go(Stop(1, "scores"))
    lines = lines_drawn_by(scene.view.walking, look, tmp_path)
    assert any(line.startswith("dim012") for line in lines)


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look)


@pytest.mark.parametrize("stage", ["queries", "softmax", "weighted", "sum"])
def test_after_many_queries_the_vectors_are_those_of_the_last_one(
    scene: StepsScene, look: Look, stage: str
) -> None:
    scene.view.walk.go(Stop(1, stage))
    scene.finish()
    for number in range(100):
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


@pytest.mark.parametrize("stage", ["queries", "scores", "softmax", "sum", "normed"])
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


@pytest.mark.parametrize("stage", ["scaled", "expanded"])
def test_a_low_panel_gives_its_height_to_rows_that_are_whole(qtbot: QtBot, look: Look, stage: str) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.walking.setMinimumHeight(1)
    scene.view.table.setMinimumHeight(1)
    scene.view.resize(410, 240)  # there is no room for the formula
    scene.view.resize(410, 194)  # half of a window of 1024 by 700
    scene.view.walk.go(Stop(1, stage))
    scene.finish()
    picture, sheet = scene.view.walking, scene.view.walking.sheet
    assert sheet is not None
    assert picture.height() == 120
    assert sheet.rows_area.height() >= 2 * sheet.row_height or stage != "scaled"
    assert sheet.rows_area.height() >= sheet.row_height
    assert sheet.rows_area.height() % sheet.row_height == 0
    assert sheet.area.height() == picture.height()


def test_a_low_panel_says_what_it_is_too_narrow_for(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    scene = StepsScene(qtbot, look)
    scene.view.table.setMinimumHeight(1)
    scene.view.resize(326, 240)
    scene.view.resize(326, 194)
    scene.finish()
    lines = lines_drawn_by(scene.view.walking, look, tmp_path)
    assert any("wider panel" in line for line in lines)


def test_beside_the_lines_of_an_equation_stand_the_whole_names(
    qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    scene = StepsScene(qtbot, look, size=(553, 700))  # one of two panels of a window of 1920 pixels
    scene.view.walk.go(Stop(1, "expanded"))
    scene.finish()
    lines = " ".join(lines_drawn_by(scene.view.walking, look, tmp_path))
    assert "feed-forward: contract" in lines
    assert "add the input (residual)" in lines


def test_a_number_under_the_pointer_is_read_out_until_it_leaves(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "softmax"))
    picture, sheet = scene.view.walking, scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    column = next(column for column in sheet.columns if column.kind == "bar")
    move(picture, column.left + 4, sheet.row_box(3, 0).center().y())
    title, number = picture.read_out.lines
    assert str(title).startswith("w3 · ")
    assert number == exact(column.values[3])
    leave(picture)
    assert not picture.read_out.lines
    assert not scene.selection.shown


def test_keys_reach_every_number_that_the_pointer_reaches(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "weighted"))
    picture, sheet = scene.view.walking, scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    picture.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(picture, Qt.Key.Key_Down)
    assert scene.selection.shown.key == sheet.tensors.query
    read = []
    for _ in range(400):
        QTest.keyClick(picture, Qt.Key.Key_Right)
        read.append(picture.read_out.lines)
    y = sheet.row_box(sheet.tensors.query, 0).center().y()
    spots = [sheet.spot(QPointF(x, y), 0) for x in range(picture.width())]
    reached = {tuple(picture.words_of(spot)) for spot in spots if spot is not None and spot.value is not None}
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
    scene.view.walk.go(Stop(1, "attention_sum"))
    scene.finish()
    picture, sheet = scene.view.walking, scene.view.walking.sheet
    assert isinstance(sheet, EquationSheet)
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


def test_a_click_leaves_the_keys_to_the_panel(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "softmax"))
    picture = scene.view.walking
    scene.view.setFocus()
    click(picture, picture.width() / 2, picture.height() / 2)
    assert not picture.hasFocus()
    assert picture.focusPolicy() == Qt.FocusPolicy.TabFocus


def test_the_right_button_opens_the_menu_of_the_picture(scene: StepsScene) -> None:
    assert list(context_menu(scene.view.walking, QPoint(50, 50))) == ["Export..."]
