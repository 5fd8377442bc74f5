"""The products of a pair at the stop of the scores: below the keys, and in all dimensions on demand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.panel_choices import StepsChoice
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import cell_number
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from bertviz_app.views.steps.sheets.products import ProductsSheet
from tests.support.scene import click
from tests.support.steps_scene import StepsScene
from tests.support.svg_text import lines_drawn_by


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    shown = StepsScene(qtbot, look, size=(560, 620))
    shown.view.walk.go(Stop(1, "scores"))
    return shown


def _flow(scene: StepsScene) -> FlowSheet:
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    return sheet


def _rows(scene: StepsScene) -> ProductsSheet:
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, ProductsSheet)
    return sheet


def test_the_products_are_those_of_the_pinned_pair(scene: StepsScene) -> None:
    assert _flow(scene).pair.key == int(_flow(scene).steps.weights.argmax())
    scene.selection.pin(query=4, key=2)
    pair = _flow(scene).pair
    assert (pair.query_label, pair.key_label) == ("w4", "w2")
    expected = scene.trace.queries[1, 2, 4].astype(np.float64) * scene.trace.keys[1, 2, 2]
    np.testing.assert_array_equal(pair.products, expected)
    assert pair.score == scene.trace.scores(1, 2, slice(4, 5), scaled=False)[0, 2]


def test_below_the_keys_stand_products_and_their_sum(scene: StepsScene, look: Look, tmp_path: Path) -> None:
    scene.selection.pin(query=4, key=2)
    sheet = _flow(scene)
    keys = next(column.lane for column in sheet.columns if column.name == "keys")
    assert keys is not None
    products = "".join(cell_number(float(product)) for product in sheet.pair.products[: keys.shown])
    lines = lines_drawn_by(scene.view.walking, look, tmp_path)
    assert any(f"{products}= {cell_number(sheet.pair.score)}" in line for line in lines), lines
    assert any(f"… +{8 - keys.shown} more" in line for line in lines)


def test_all_products_are_unfolded_by_a_click_and_folded_by_another(
    scene: StepsScene, look: Look, tmp_path: Path
) -> None:
    scene.view.grab()
    at = next(
        QPointF(x, y)
        for y in range(int(_flow(scene).foot_top), scene.view.walking.height(), 4)
        for x in range(0, scene.view.walking.width(), 8)
        if _flow(scene).action_at(QPointF(x, y)) == "products"
    )
    click(scene.view.walking, at.x(), at.y())
    sheet = _rows(scene)
    assert sheet.n_rows == 8
    lines = "".join(lines_drawn_by(scene.view.walking, look, tmp_path))
    for product in sheet.pair.products:
        assert cell_number(float(product)) in lines
    assert cell_number(sheet.pair.score) in lines
    at = next(
        QPointF(x, y)
        for y in range(0, 30, 4)
        for x in range(0, 200, 8)
        if sheet.action_at(QPointF(x, y)) == "products"
    )
    click(scene.view.walking, at.x(), at.y())
    assert _flow(scene).n_rows == 7


def test_the_return_key_unfolds_and_the_sheet_follows_the_pair(scene: StepsScene) -> None:
    QTest.keyClick(scene.view, Qt.Key.Key_Return)
    scene.selection.pin(query=3, key=5)
    assert (_rows(scene).pair.query_label, _rows(scene).pair.key_label) == ("w3", "w5")
    scene.selection.pin(query=3, key=0)
    assert _rows(scene).pair.key == 0
    scene.view.walk.go(Stop(1, "scaled"))
    assert isinstance(scene.view.walking.sheet, FlowSheet)


def test_a_number_of_the_sheet_is_read_out_exactly(scene: StepsScene) -> None:
    scene.view.walk.turn_products()
    sheet = _rows(scene)
    row = sheet.row_box(3, 0)
    found = {}
    for x in range(int(row.left()), int(row.right()), 4):
        spot = sheet.spot(QPointF(x, row.center().y()), 0)
        if spot is not None:
            found[spot.name] = spot
    assert set(found) == {"q_i", "keys", "product"}
    assert found["keys"].value == scene.trace.keys[1, 2, sheet.pair.key, 3]
    assert scene.view.walking.words_of(found["product"])[2] == "dimension 3"


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_sheet_fits_into_the_narrowest_panel(qtbot: QtBot, look: Look, scale: float) -> None:
    big = Look(look.palette, scale)
    scene = StepsScene(qtbot, big, size=(300, 330), n_tokens=5)
    scene.view.walk.go(Stop(1, "scores"))
    scene.view.walk.turn_products()
    sheet = _rows(scene)
    y = sheet.row_box(3, 0).center().y()
    spots = [sheet.spot(QPointF(x, y), 0) for x in range(scene.view.width())]
    columns = [spot.name for spot in spots[: int(sheet.area.right()) + 1] if spot is not None]
    assert len(columns) == len([spot for spot in spots if spot is not None]), "nothing is beyond the sheet"
    assert columns.count("product") == pytest.approx(columns.count("keys"), abs=1), "nor cut"


@pytest.mark.parametrize("width", [300, 410])
def test_the_key_of_the_products_is_whole_in_a_narrow_panel(qtbot: QtBot, look: Look, width: int) -> None:
    scene = StepsScene(qtbot, look, size=(width, 540))
    scene.view.walk.go(Stop(1, "scores"))
    key = _flow(scene).tensors.trace.tokens.labels[0]
    scene.selection.pin(2, 0)
    QApplication.processEvents()
    assert [text for _, text in drawn_texts(scene.view.walking)].count(key) >= 2, "in its row and below"


def test_a_low_panel_leaves_its_height_to_the_rows(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, n_tokens=27, size=(410, 206))
    scene.view.walk.go(Stop(1, "scores"))
    sheet = _flow(scene)
    assert sheet.rows_area.height() >= 2 * sheet.row_height
    assert sheet.foot_top + sheet.foot <= sheet.area.bottom() + 1
    QTest.keyClick(scene.view, Qt.Key.Key_Return)
    assert _rows(scene).n_rows == 8


def test_what_is_unfolded_is_of_the_panel_and_stays_from_stop_to_stop(
    scene: StepsScene, qtbot: QtBot, look: Look
) -> None:
    choices: list[StepsChoice] = []
    scene.view.choice_made.connect(choices.append)
    QTest.keyClick(scene.view, Qt.Key.Key_Return)
    assert choices[-1] == StepsChoice("layer", "scores", shows_products=True)
    for stop in (Stop(1, "softmax"), Stop(1, "scores")):
        scene.view.walk.go(stop)
        assert choices[-1].shows_products
    assert _rows(scene).n_rows == 8
    again = StepsScene(qtbot, look, size=(560, 620))
    again.view.show_panel(Panel(0, 1, 2, "steps", steps=choices[-1]))
    assert _rows(again).n_rows == 8
    again.view.show_panel(Panel(0, 1, 2, "steps", steps=StepsChoice("layer", "scores")))
    assert isinstance(again.view.walking.sheet, FlowSheet)
