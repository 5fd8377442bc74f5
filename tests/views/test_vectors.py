"""Vectors: the pages of the panel, maps, bars and heat maps, and exact numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.vectors import cosine_matrix, token_maps
from bertviz_app.options import PAGES, Page
from bertviz_app.shell.settings import read_palette
from bertviz_app.viewmodels import vectors as vectors_module
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.runs.run import beside
from bertviz_app.viewmodels.state import Pair
from bertviz_app.viewmodels.viewport import CLOSE, TokenSpan, heat_picture
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import signed
from bertviz_app.views.plots.charts import place_labels
from bertviz_app.views.vectors.plots import BarsPlot, HeatTexts, HeatView, MapPicture, MapView, VectorPlot
from tests.support.factories import make_trace, random_trace
from tests.support.fakes import tokens_of
from tests.support.panel_scenes import VectorScene, array_of, middle_of, point_of, press, read_outs, scene
from tests.support.scene import (
    channels,
    click,
    double_click,
    leave,
    lines_drawn_by,
    move,
    not_none,
    on_screen,
    pixels_of,
    wheel,
)

__all__ = ["read_outs", "scene"]
WORDS_OF_PAGE = {
    "cls": "embeddings",
    "tokens": "w4",
    "map": "PC1 31.6 % →",
    "similar": "1.000.06−0.31−0.05−0.180.170.12",
    "shelf": "The shelf is empty.",
}
NO_MODIFIER, KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


def claims(scene: VectorScene, key: Qt.Key, modifier: Qt.KeyboardModifier) -> bool:
    """Return whether the view takes a key before the shortcuts of the window."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifier)
    event.ignore()
    QApplication.sendEvent(scene.view, event)
    return event.isAccepted()


def _box_of_token(scene: VectorScene, key: str, token: int) -> QRect:
    """Return the pixels of the view in which a page draws a token: its row with the label, or its point."""
    if key == "map":
        view: QWidget = (shown := scene.view.map.map)
        assert shown.picture is not None
        states = shown.picture.points[None] if shown.picture.trails is None else shown.picture.trails
        trail = np.array([shown.pixels_of(points)[token] for points in states])
        (left, top), (right, bottom) = trail.min(0), trail.max(0)
        box = QRectF(left, top, right - left, bottom - top).adjusted(-60, -24, 60, 24)
    else:
        view = heat = scene.view.tokens.heat if key == "tokens" else scene.view.similar.heat
        row = heat.axes()[0]
        box = QRectF(0, row.edge(token), view.width(), row.pitch).adjusted(0, -3, 0, 3)
    return box.toAlignedRect().translated(view.mapTo(scene.view, QPoint(0, 0))) & scene.view.rect()


def _is_close(one: QColor, other: QColor) -> bool:
    """Return whether two colours are alike: pyqtgraph's points have antialiased edges."""
    channels = ((each.red(), each.green(), each.blue()) for each in (one, other))
    return all(abs(here - there) < 48 for here, there in zip(*channels, strict=True))


# the shelf
@pytest.fixture
def shelved(scene: VectorScene) -> VectorScene:
    """A scene with three sentences on its shelf, which is shown."""
    for text in ("one cat", "two old dogs", "three"):
        scene.type(text)
        scene.tools.shelf.keep()
    shown = not_none(scene.workspace.shown)
    scene.show(shown.result.trace)
    scene.view.show_page("shelf")
    return scene


def _texts(scene: VectorScene) -> list[str]:
    return [item.text for item in scene.tools.shelf.items]


def test_every_page_is_shown_and_draws(scene: VectorScene, tmp_path: Path) -> None:
    scene.show(make_trace(7, pair=True))
    for key in PAGES:
        scene.view.show_page(key)
        assert scene.view.choice.chosen_key == key
        assert scene.view.page.isVisible()
        lines = lines_drawn_by(scene.view, scene.tools.look, tmp_path)  # fonts decide where they break
        assert any(WORDS_OF_PAGE[key] in line for line in lines)
        assert scene.view.layers.isVisible() == (key in ("tokens", "map", "similar"))


def test_the_state_follows_the_panels_layer_until_it_is_stepped(scene: VectorScene) -> None:
    trace = make_trace(5, n_layers=4)
    scene.show(trace, layer=1)
    assert scene.view.state == 2
    scene.view.step(-1)
    scene.show(make_trace(5, n_layers=4, seed=1), layer=1)  # the text changed, the layer did not
    assert scene.view.state == 1
    scene.show(trace, layer=3)
    assert scene.view.state == 4
    scene.view.step(5)
    assert scene.view.state == 4
    scene.show(make_trace(5, n_layers=2), layer=1)
    assert scene.view.state == 2


@pytest.mark.parametrize(("key", "by"), [(Qt.Key.Key_Comma, -1), (Qt.Key.Key_PageDown, 1)])
def test_keys_step_where_there_are_layers(scene: VectorScene, key: Qt.Key, by: int) -> None:
    scene.show(make_trace(5, n_layers=4), layer=1)
    scene.view.show_page("cls")
    press(scene.view.cls.heat, key)
    assert scene.view.state == 2
    scene.view.show_page("map")
    press(scene.view.map.map, key)
    assert scene.view.state == 2 + by
    if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):  # on the slider they mean the same
        press(scene.view.layers.slider, key)
        assert scene.view.state == 2 + 2 * by


def test_its_keys_are_claimed_before_the_windows_shortcuts(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    scene.view.show_page("map")
    assert claims(scene, Qt.Key.Key_Period, NO_MODIFIER)
    assert claims(scene, Qt.Key.Key_Comma, KEYPAD)
    assert claims(scene, Qt.Key.Key_Period, Qt.KeyboardModifier.ShiftModifier), "as on French keyboards"
    assert not claims(scene, Qt.Key.Key_Comma, CONTROL), "the key of the preferences"
    assert not claims(scene, Qt.Key.Key_PageDown, NO_MODIFIER), "the key of a lesson"
    QApplication.sendEvent(scene.view, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Comma, CONTROL))
    assert scene.view.state == 2
    scene.view.show_page("shelf")
    assert not claims(scene, Qt.Key.Key_Period, NO_MODIFIER)


def test_playing_goes_on_to_the_last_layer_and_stops(scene: VectorScene, qtbot: QtBot) -> None:
    trace = make_trace(5, n_layers=2)
    scene.show(trace)
    scene.view.play()
    assert scene.view.choice.chosen_key == "map"
    assert scene.view.state == 0  # it stood at the end: it begins again
    states = [scene.view.state]
    scene.view.layers.state_chosen.connect(states.append)
    qtbot.waitUntil(lambda: not scene.view.layers.is_playing)
    assert states == [0, 1, 2]


def test_playing_that_a_command_begins_where_nothing_is_visible_ends_at_once(
    scene: VectorScene, qtbot: QtBot
) -> None:
    scene.show(make_trace(5, n_layers=3))
    scene.view.hide()
    scene.view.play()
    chosen: list[int] = []
    scene.view.layers.state_chosen.connect(chosen.append)
    qtbot.waitUntil(lambda: not scene.view.layers.is_playing)
    assert chosen == []


# [CLS]
def test_the_vectors_of_cls_are_read_out_exactly_as_strips_and_as_bars(
    scene: VectorScene, read_outs: list[list[str]]
) -> None:
    trace = make_trace(6)
    scene.show(trace)
    assert scene.view.numbers()["rows"] == ("embeddings", "layer 0", "layer 1", "pooled")
    move(scene.view.cls.heat, *middle_of(scene.view.cls.heat, 3, 23))
    pixels_of(scene.view.cls.heat)
    assert read_outs[-1] == ["pooled · dimension 23", signed(float(not_none(trace.pooled)[23]), 6)]
    # the chosen row stands as bars and is read out there
    page = scene.view.cls
    click(page.heat, *middle_of(page.heat, 1, 4))
    columns = page.heat.axes()[1]
    move(page.bars, columns.middle(7), 30)
    pixels_of(page.bars)
    assert read_outs[-1] == ["dimension 7", signed(float(trace.hidden[1, 0, 7]), 6)]
    assert page.heat.marks.column == 7
    leave(page.bars)
    move(page.heat, *middle_of(page.heat, 1, 4))
    press(page.heat, Qt.Key.Key_Down)
    assert page.heat.marks.row == 2
    assert read_outs[-1] == ["layer 1 · dimension 4", signed(float(trace.hidden[2, 0, 4]), 6)]
    assert page.heat.marks.column == 4
    scene.show(make_trace(6, seed=1))  # another text keeps the chosen row
    assert page.heat.marks.row == 2


# tokens and their similarity
@pytest.mark.parametrize("key", ["tokens", "map"])
def test_a_token_is_hovered_pinned_and_unpinned(scene: VectorScene, key: Page) -> None:
    scene.show(make_trace(6))
    scene.view.show_page(key)
    pixels_of(scene.view)
    if key == "map":
        view: QWidget = scene.view.map.map
        at = point_of(scene, 4)
    else:
        heat = scene.view.tokens.heat if key == "tokens" else scene.view.similar.heat
        view, at = heat, middle_of(heat, 4, 2)
    expected = Pair(4, 2) if key == "similar" else Pair(4)
    move(view, *at)
    assert scene.selection.shown == expected
    click(view, *at)
    leave(view)
    assert scene.selection.pinned == expected
    assert scene.selection.shown == expected
    click(view, *at)
    assert scene.selection.pinned == Pair()


@pytest.mark.parametrize("key", ["similar", "map"])
def test_a_token_hovered_elsewhere_changes_only_its_own_pixels(scene: VectorScene, key: Page) -> None:
    scene.show(make_trace(6))
    scene.view.show_page(key)
    before = pixels_of(scene.view)
    scene.selection.hover(query=3)
    changed = pixels_of(scene.view) != before
    box = _box_of_token(scene, key, 3)
    inside = np.zeros_like(changed)
    inside[box.top() : box.bottom() + 1, box.left() : box.right() + 1] = True
    assert changed[inside].any()
    assert not changed[~inside].any()
    scene.selection.leave()
    np.testing.assert_array_equal(pixels_of(scene.view), before)
    scene.selection.hover(query=300)  # of a longer text, on its way out
    np.testing.assert_array_equal(pixels_of(scene.view), before)


def test_hidden_states_and_similarities_are_read_out(scene: VectorScene, read_outs: list[list[str]]) -> None:
    trace = make_trace(5, n_layers=3)
    scene.show(trace)
    scene.view.show_page("tokens")
    for state in range(4):
        scene.view.show_state(state)
        np.testing.assert_array_equal(array_of(scene, "hidden"), trace.hidden[state])
        heat = scene.view.tokens.heat
        move(heat, *middle_of(heat, 2, 9))
        pixels_of(heat)
        name = "after layer " + str(state - 1) if state else "embeddings"
        assert read_outs[-1] == ["w2 · dimension 9", signed(float(trace.hidden[state, 2, 9]), 6), name]
    # similarity is read out
    trace = make_trace(5)
    scene.show(trace)
    scene.view.show_page("similar")
    np.testing.assert_array_equal(array_of(scene, "cosine"), cosine_matrix(trace.hidden[2]))
    heat = scene.view.similar.heat
    move(heat, *middle_of(heat, 1, 3))
    pixels_of(heat)
    cosine = float(cosine_matrix(trace.hidden[2])[1, 3])
    assert read_outs[-1] == ["w1 · w3", f"cosine {signed(cosine, 4)}", "after layer 1"]


def test_the_token_vectors_of_a_colbert_follow_the_last_layer(
    scene: VectorScene, read_outs: list[list[str]]
) -> None:
    trace = make_trace(5, n_layers=3)
    vectors = np.random.default_rng(1).standard_normal((5, 7)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scene.show(replace(trace, token_vectors=vectors))
    scene.view.show_page("similar")
    scene.view.show_state(9)
    assert scene.view.state == 4
    np.testing.assert_allclose(array_of(scene, "cosine"), cosine_matrix(vectors))
    heat = scene.view.similar.heat
    move(heat, *middle_of(heat, 1, 3))
    pixels_of(heat)
    assert read_outs[-1][-1] == "projected (ColBERT)"
    scene.view.show_page("tokens")
    np.testing.assert_array_equal(array_of(scene, "hidden"), vectors)
    scene.view.show_page("map")
    assert scene.view.state == 3
    scene.show(trace)
    scene.view.show_page("similar")
    scene.view.show_state(9)
    assert scene.view.state == 3


def test_where_the_worker_makes_it_the_page_waits(
    scene: VectorScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "_LIGHT", 0)
    scene.show(make_trace(5))
    for key in ("tokens", "similar", "map"):
        scene.view.show_page(key)
        assert scene.view.is_waiting
        pixels_of(scene.view)
        scene.work()
        assert not scene.view.is_waiting
    assert scene.view.map.map.picture is not None
    assert scene.view.similar.heat.picture is not None


# accessibility and size


# the map
def test_the_map_shows_the_principal_components(scene: VectorScene, read_outs: list[list[str]]) -> None:
    trace = make_trace(6)
    scene.show(trace)
    scene.view.show_page("map")
    for common in (False, True):
        points = token_maps(trace.hidden, common=common).points
        np.testing.assert_array_equal(array_of(scene, "points"), points[scene.view.state])
        scene.view.map.turn_axes()
    view = scene.view.map.map
    move(view, *point_of(scene, 2))
    pixels_of(view)
    x, y = array_of(scene, "points")[2].tolist()
    assert read_outs[-1] == ["w2", f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"]


def test_points_glide_to_their_next_places(scene: VectorScene, qtbot: QtBot) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view = scene.view.map.map
    before = view.pixels()
    scene.view.step(-1)
    np.testing.assert_allclose(view.pixels(), before, atol=1e-3)  # they begin where they were
    qtbot.waitUntil(lambda: not view.is_gliding)
    for at, point in zip(view.pixels().tolist(), not_none(view.picture).points.tolist(), strict=True):
        mapped = view.box.mapViewToScene(QPointF(*point))
        assert at == pytest.approx((mapped.x(), mapped.y()), abs=0.01)
    assert np.abs(view.pixels() - before).max() > 5


def test_zooming_the_map_keeps_the_point_under_the_pointer_and_stepping_keeps_the_zoom(
    scene: VectorScene,
) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view, at = scene.view.map.map, point_of(scene, 3)
    wheel(view, *at, 4)
    assert point_of(scene, 3) == pytest.approx(at, abs=1), "Qt gives the wheel whole pixels"
    before = view.box.viewRange()
    scene.view.step(-1)
    assert view.box.viewRange() == before


def test_arrows_walk_the_tokens_of_strips_and_enter_picks_one(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    scene.view.show_page("similar")
    heat, picked = scene.view.similar.heat, []
    scene.selection.pointer.picked.connect(lambda run, pair: picked.append(pair))
    move(heat, *middle_of(heat, 1, 2))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Return):
        press(heat, key)
    assert heat.read_out.lines[0] == "w2 · w3"
    assert scene.selection.pinned == Pair(2, 3)
    assert picked == [Pair(2, 3)]


# two runs


def test_the_difference_of_two_runs(scene: VectorScene, tmp_path: Path) -> None:
    one, other = (
        random_trace(tokens_of(text), seed=seed)
        for seed, text in enumerate(("the cat sat down", "the old cat sat up"))
    )
    difference = beside(one, other)
    scene.tools.comparison.difference = difference
    scene.view.show_head(HeadOfRun(difference.traces, 1, 0))
    np.testing.assert_array_equal(array_of(scene, "vectors")[0], one.hidden[0, 0] - other.hidden[0, 0])
    words: dict[Page, str] = {
        "cls": "pooled · A − B",
        "tokens": "– | old",
        "map": "PC1 20.6 % →",
        "similar": "[CLS]theoldcatsatup[SEP]",
    }
    for key, expected in words.items():
        scene.view.show_page(key)
        assert expected in lines_drawn_by(scene.view, scene.tools.look, tmp_path)
    scene.view.show_page("map")
    n_places = len(difference.alignment)
    assert array_of(scene, "points").shape == (2 * n_places, 2)
    scene.selection.hover(query=1)
    assert scene.view.map.map.highlighted == {1, n_places + 1}


def test_runs_of_other_widths_have_no_difference_and_a_label_names_both_widths(scene: VectorScene) -> None:
    one, other = make_trace(5), make_trace(5, n_heads=2)
    difference = beside(one, other)
    scene.tools.comparison.difference = difference
    scene.view.show_head(HeadOfRun(difference.traces, 1, 0))
    labels = [label.text() for label in scene.view.findChildren(QLabel) if label.isVisible()]
    assert any("24 and 16 dimensions" in text for text in labels)


def test_points_are_drawn_at_their_places_in_the_colours_of_their_sentences(qtbot: QtBot, look: Look) -> None:
    points = np.array([[0, 0], [4, 1], [2, -2], [np.nan, np.nan]], np.float32)
    colours = ("special", "accent", "sentence_b", "accent")
    view = MapView(look)
    ratios = np.array([0.6, 0.3], np.float32)
    is_ring = np.array([False, False, True, False])
    labels = ("[CLS]", "cat", "dog", "nowhere")
    view.show_picture(MapPicture(points, labels, colours, ratios, points, is_ring))
    on_screen(qtbot, view, 500, 400)
    drawn, pixels = pixels_of(view), view.pixels()
    for point, colour in ((0, "special"), (1, "accent"), (2, "card")):
        x, y = pixels[point].tolist()
        found = QColor.fromRgb(int(drawn[round(y), round(x)]))
        assert _is_close(found, look.colour(colour)), point
    ring = QColor.fromRgb(int(drawn[round(pixels[2][1]), round(pixels[2][0] + 3.5)]))
    assert _is_close(ring, look.colour("sentence_b"))


@settings(max_examples=25)
@given(st.integers(1, 120), st.integers(0, 99), st.integers(20, 200))
def test_labels_overlap_neither_each_other_nor_points(n_points: int, seed: int, widest: int) -> None:
    random = np.random.default_rng(seed)
    pixels = random.uniform(-50, 450, (n_points, 2))
    widths = random.uniform(8, widest, n_points)
    placed = place_labels(pixels, widths, 17, (400, 300))
    taken = np.zeros((300, 400), int)
    for label in placed:
        left, top, width = label.left, label.top, widths[label.point]
        assert 0 <= left <= left + width <= 400
        assert 0 <= top <= top + 17 <= 300
        taken[int(np.ceil(top)) : int(top + 17), int(np.ceil(left)) : int(left + width)] += 1
        is_inside = (pixels > (left, top)) & (pixels < (left + width, top + 17))
        assert not is_inside.all(1).any()
    assert taken.max(initial=0) <= 1


def test_a_label_brings_its_sentence_back_a_cell_does_not(shelved: VectorScene) -> None:
    heat = shelved.view.shelf.heat
    pixels_of(heat)
    click(heat, *middle_of(heat, 1, 2))
    assert shelved.requests == []
    click(heat, 12, middle_of(heat, 0, 0)[1])
    assert [request[0] for request in shelved.requests] == ["one cat"]
    press(heat, Qt.Key.Key_Down)
    press(heat, Qt.Key.Key_Return)
    assert [request[0] for request in shelved.requests] == ["one cat", "two old dogs"]


def test_the_chosen_one_is_removed_by_key_and_by_button(shelved: VectorScene) -> None:
    page = shelved.view.shelf
    click(page.heat, *middle_of(page.heat, 0, 2))
    press(page.heat, Qt.Key.Key_Delete)
    assert _texts(shelved) == ["two old dogs", "three"]
    page.remove.click()
    assert _texts(shelved) == ["two old dogs"]
    page.clear.click()
    assert _texts(shelved) == []
    assert not page.clear.isEnabled()
    page.keep.click()
    assert _texts(shelved) == ["three"]


def test_of_a_model_without_pooler_other_vectors_are_offered(shelved: VectorScene) -> None:
    page, shelf = shelved.view.shelf, shelved.tools.shelf
    items = shelf.items
    others = ("cls", "mean")
    shelf.restore(replace(item, vectors={kind: item.vectors[kind] for kind in others}) for item in items)
    labels = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert labels == ["This model has no such vector: choose [CLS] or the mean."]
    page.kinds.choose("mean")
    page.refresh()
    assert page.heat.isVisible()


VALUES = np.random.default_rng(0).normal(size=384).astype(np.float32)


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> VectorPlot:
    plot = VectorPlot(look)
    plot.show_values(VALUES)
    return on_screen(qtbot, plot, 600, 260)


def _room(bars: BarsPlot) -> QRectF:
    """Return where the bars are, in pixels of their plot."""
    room: QRectF = bars.box.geometry_in_plot()
    return room


def _span(bars: BarsPlot) -> TokenSpan:
    return TokenSpan(*bars.box.viewRange()[0])


def _show(bars: BarsPlot, first: float, last: float) -> None:
    bars.box.setXRange(first, last, padding=0)


def _end_of(plot: VectorPlot, dimension: int, value: float = 0.0) -> QPointF:
    """Return where a bar of that value would end, computed in another way than pyqtgraph does."""
    span, room = _span(plot.bars), _room(plot.bars)
    across = (dimension + 0.5 - span.first) / span.length
    down = room.center().y() - value / plot.bars.top_value * room.height() / 2
    return QPointF(room.left() + across * room.width(), down)


def _colour_at(plot: VectorPlot, drawn: NDArray[np.uint32], dimension: int, value: float) -> int:
    at = plot.bars.mapTo(plot, _end_of(plot, dimension, value).toPoint())
    return int(drawn[at.y(), at.x()])


def _ends(plot: VectorPlot) -> tuple[int, int]:
    """Return the colours of bars below and above zero."""
    differences = plot.bars.look.palette.differences
    low, high = (QColor(differences[end]).rgb() & 0xFFFFFF for end in (0, -1))
    return low, high


def _numbers(n_rows: int, n_columns: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).normal(size=(n_rows, n_columns)).astype(np.float32)


def _heat(look: Look, values: NDArray[np.float32], *, has_columns: bool = False) -> HeatView:
    view = HeatView(look, lambda row, column: [])
    rows = tuple(f"w{row}" for row in range(len(values)))
    view.show_picture(heat_picture(values, 2.0), HeatTexts(rows, rows if has_columns else None))
    return view


def _check_cells(view: HeatView, values: NDArray[np.float32], limit: float, least: int) -> None:
    """Compare a pixel in the upper left of each cell in sight, clear of grid and number, with its colour.

    The colour is mixed anew from the theme's blue, card and orange.
    """
    axes, are_large = view.axes(), view.axes()[0].pitch > 9
    cells, pixels = [], []
    for axis in axes:
        tokens = np.array(axis.tokens())
        at = np.array(
            [axis.edge(token) + 0.18 * axis.pitch if are_large else axis.middle(token) for token in tokens]
        )
        is_in = (at >= axis.start) & (at < axis.end)
        cells.append(tokens[is_in])
        pixels.append(np.floor(at[is_in]).astype(int))
    drawn = pixels_of(view)[np.ix_(*pixels)]
    found = np.stack([drawn >> shift & 255 for shift in (16, 8, 0)], -1).astype(float)
    low, middle, high = (
        np.array(channels(QColor(stop).rgb() & 0xFFFFFF)) for stop in view.look.palette.differences
    )
    shown = values[np.ix_(*cells)][..., None]
    share = np.minimum(1.0, np.abs(shown) / limit)
    expected = (1 - share) * middle + share * np.where(shown > 0, high, low)
    assert np.abs(found - expected).max() <= 2.1
    assert shown.size >= least


def test_bars_reach_from_zero_to_their_values_and_nan_has_none(plot: VectorPlot) -> None:
    values = np.array([1.0, np.nan, -1.0, np.inf], np.float32)
    plot.show_values(values)
    drawn, ends = pixels_of(plot), _ends(plot)
    assert _colour_at(plot, drawn, 0, 0.5) in ends
    assert _colour_at(plot, drawn, 1, 0.5) not in ends
    assert _colour_at(plot, drawn, 2, -0.5) in ends
    at = _end_of(plot, 1)
    move(plot.bars, at.x(), at.y())
    assert plot.bars.read_out.lines[0] == "dimension 1"
    # bars reach from zero to their values in the colour of their sign
    values = np.zeros(20, np.float32)
    values[5], values[12] = 1.0, -0.5
    plot.show_values(values)
    drawn, (low, high) = pixels_of(plot), _ends(plot)
    assert _colour_at(plot, drawn, 5, 0.9) == high
    assert _colour_at(plot, drawn, 5, -0.2) not in (low, high)
    assert _colour_at(plot, drawn, 12, -0.4) == low
    assert _colour_at(plot, drawn, 12, -0.6) not in (low, high)
    assert _colour_at(plot, drawn, 12, 0.2) not in (low, high)


def test_the_dimension_that_the_keys_come_to_is_in_sight(plot: VectorPlot) -> None:
    bars = plot.bars
    QTest.keyClick(bars, Qt.Key.Key_Left)
    assert bars.part == 383, "the last one, where there was none"
    _show(bars, 0.0, 12.0)
    QTest.keyClick(bars, Qt.Key.Key_End)
    assert _span(bars) == TokenSpan(372.0, 384.0), "the bar that is read out is in sight"


@pytest.mark.parametrize(("n_rows", "n_columns", "theme"), [(5, 24, "light"), (100, 300, "dark")])
def test_every_cell_has_the_colour_of_its_number(
    qtbot: QtBot, look: Look, n_rows: int, n_columns: int, theme: str
) -> None:
    values = _numbers(n_rows, n_columns)
    view = on_screen(qtbot, _heat(look, values), 900, 500)
    look.set_palette(read_palette(theme))
    _check_cells(view, values, 2.0, n_rows * n_columns * 9 // 10)


def test_a_double_click_goes_close_to_a_cell_and_back(qtbot: QtBot, look: Look) -> None:
    view = on_screen(qtbot, _heat(look, _numbers(60, 300)), 700, 500)
    rows, columns = view.axes()
    double_click(view, columns.middle(200), rows.middle(50))
    for axis, cell in zip(view.axes(), (50, 200), strict=True):
        span = axis.span
        assert span.length == pytest.approx(CLOSE)
        assert span.first <= cell <= span.last
    double_click(view, columns.middle(200), rows.middle(50))
    assert view.box.is_whole


@pytest.mark.parametrize("size", [(300, 200)])
def test_one_number_of_many_is_seen_in_a_small_panel(qtbot: QtBot, look: Look, size: tuple[int, int]) -> None:
    for row, column in ((0, 0), (257, 400), (511, 767)):
        values = np.zeros((512, 768), np.float32)
        values[row, column] = -9
        view = on_screen(qtbot, _heat(look, values), *size)
        rows, columns = view.axes()
        plot = pixels_of(view)[: math.ceil(rows.end), math.floor(columns.start) : math.ceil(columns.end)]
        colour = int(QColor(look.palette.differences[0]).rgb()) & 0xFFFFFF
        highlighted = np.argwhere(plot == colour) + np.array((0, math.floor(columns.start)))
        assert len(highlighted)
        assert np.abs(highlighted - (rows.middle(row), columns.middle(column))).max() <= 3
