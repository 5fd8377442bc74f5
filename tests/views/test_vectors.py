"""The Vectors panel: pages, layers, what is lit and read out, two runs, the shelf, and the exact numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.vectors import cosine_matrix, cosines_between, token_maps
from bertviz_app.viewmodels import vectors as vectors_module
from bertviz_app.viewmodels import workspace as workspace_module
from bertviz_app.viewmodels.head_sources import DifferenceSource
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.pictures import HeadPicture
from bertviz_app.viewmodels.pictures import picture_of as make_picture
from bertviz_app.viewmodels.runs import Difference, beside
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.viewmodels.sides import difference_reading
from bertviz_app.views import vectors_bars, vectors_drawing, vectors_layers, vectors_map_drawing
from bertviz_app.views.look import Look
from bertviz_app.views.style import style_sheet
from bertviz_app.views.vectors import PAGES
from bertviz_app.views.vectors_drawing import HeatDrawing
from bertviz_app.views.vectors_marks import signed
from tests.factories import make_trace, random_trace
from tests.fakes import HeldJobs, tokens_of
from tests.scene import click, drag, move, on_screen, pixels_of, wheel
from tests.vector_scene import VectorScene


@pytest.fixture
def scene(qtbot: QtBot, look: Look, monkeypatch: pytest.MonkeyPatch) -> VectorScene:
    monkeypatch.setattr(workspace_module, "preload_torch", lambda: None)
    monkeypatch.setattr(vectors_layers, "STEP_MS", 0)
    scene = VectorScene(look, HeldJobs())
    on_screen(qtbot, scene.view, 700, 520)
    return scene


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the read-outs draw, newest last."""
    lines: list[list[str]] = []
    for module in (vectors_drawing, vectors_bars, vectors_map_drawing):
        monkeypatch.setattr(module, "draw_pill", lambda painter, look, text, at, bounds: lines.append(text))
    return lines


def _array(scene: VectorScene, name: str) -> NDArray[np.float32]:
    """Return one array of the numbers that the view says it shows."""
    found = scene.view.numbers()[name]
    assert isinstance(found, np.ndarray)
    return found.astype(np.float32)


def _values(heat: HeatDrawing) -> NDArray[np.float32]:
    assert heat.picture is not None
    return heat.picture.values


def _middle(heat: HeatDrawing, row: int, column: int) -> tuple[float, float]:
    """Return the middle of a cell, in pixels."""
    rows, columns = heat.axes()
    return columns.middle(column), rows.middle(row)


def _point(scene: VectorScene, point: int) -> tuple[float, float]:
    """Return where a point of the map is drawn."""
    x, y = scene.view.map_page.map.pixels()[point].tolist()
    return x, y


def _press(widget: QWidget, key: Qt.Key) -> None:
    QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))


def test_every_page_is_shown_and_draws(scene: VectorScene) -> None:
    scene.show(make_trace(7, pair=True))
    for key in PAGES:
        scene.view.show_page(key)
        assert scene.view.choice.chosen_key == key
        assert scene.view.page.isVisible()
        assert len(np.unique(pixels_of(scene.view))) > 10
        assert scene.view.layers.isVisible() == (key in ("tokens", "map", "similar"))


def test_before_there_is_a_run_nothing_is_drawn_and_there_are_no_numbers(scene: VectorScene) -> None:
    for key in PAGES:
        scene.view.show_page(key)
        pixels_of(scene.view)
        assert scene.view.numbers() == {}


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


@pytest.mark.parametrize(
    ("key", "by"),
    [
        (Qt.Key.Key_Comma, -1),
        (Qt.Key.Key_PageUp, -1),
        (Qt.Key.Key_Period, 1),
        (Qt.Key.Key_PageDown, 1),
    ],
)
def test_keys_step_where_there_are_layers(scene: VectorScene, key: Qt.Key, by: int) -> None:
    scene.show(make_trace(5, n_layers=4), layer=1)
    scene.view.show_page("cls")
    _press(scene.view.cls_page.heat, key)
    assert scene.view.state == 2
    scene.view.show_page("map")
    _press(scene.view.map_page.map, key)
    assert scene.view.state == 2 + by
    if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):  # on the slider they mean the same
        _press(scene.view.layers.slider, key)
        assert scene.view.state == 2 + 2 * by


def test_its_keys_are_claimed_before_the_windows_shortcuts(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    scene.view.show_page("map")
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Period, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    QApplication.sendEvent(scene.view, event)
    assert event.isAccepted()
    scene.view.show_page("shelf")
    event.ignore()
    QApplication.sendEvent(scene.view, event)
    assert not event.isAccepted()


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


def test_playing_ends_when_another_page_is_shown(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    scene.view.play()
    scene.view.show_page("cls")
    assert not scene.view.layers.is_playing


# [CLS]


def test_the_read_out_of_cls_is_exact(scene: VectorScene, said: list[list[str]]) -> None:
    trace = make_trace(6)
    scene.show(trace)
    heat = scene.view.cls_page.heat
    vectors = _array(scene, "vectors")
    assert trace.pooled is not None
    np.testing.assert_array_equal(vectors, [*trace.hidden[:, 0], trace.pooled])
    assert scene.view.numbers()["rows"] == ("embeddings", "layer 0", "layer 1", "pooled")
    for row, name in ((0, "embeddings"), (1, "layer 0"), (3, "pooled")):
        for column in (0, 13, 23):
            move(heat, *_middle(heat, row, column))
            pixels_of(heat)
            assert said[-1] == [f"{name} · dimension {column}", signed(float(vectors[row, column]), 6)]


def test_the_chosen_row_stands_as_bars_and_is_read_out_there(
    scene: VectorScene, said: list[list[str]]
) -> None:
    trace = make_trace(6)
    scene.show(trace)
    page = scene.view.cls_page
    click(page.heat, *_middle(page.heat, 1, 4))
    columns = page.heat.axes()[1]
    move(page.bars, columns.middle(7), 30)
    pixels_of(page.bars)
    assert said[-1] == ["dimension 7", signed(float(trace.hidden[1, 0, 7]), 6)]
    assert page.heat.column_mark == 7
    _press(page.heat, Qt.Key.Key_Down)
    assert page.heat.chosen_row == 2
    scene.show(make_trace(6, seed=1))  # another text keeps the chosen row
    assert page.heat.chosen_row == 2


def test_the_bars_keep_in_step_with_the_strips(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    page = scene.view.cls_page
    pixels_of(scene.view)
    wheel(page.heat, *_middle(page.heat, 1, 12), 3)
    columns = page.heat.axes()[1]
    assert columns.span.length < 24
    assert page.heat.viewport.queries.length == 4  # over the dimensions only these are zoomed
    for dimension in (10, 12, 14):
        at = columns.middle(dimension)
        assert page.bars.dimension_at(QPointF(at, 30)) == dimension


def test_without_a_pooler_there_is_no_pooled_row(scene: VectorScene) -> None:
    scene.show(replace(make_trace(6), pooled=None))
    assert scene.view.numbers()["rows"] == ("embeddings", "layer 0", "layer 1")


def test_scaling_alike_or_per_row_changes_the_colours_not_the_numbers(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    page = scene.view.cls_page
    before = _values(page.heat)
    assert page.heat.picture is not None
    assert page.heat.picture.limit is None
    page.scales.choose("alike")
    page.refresh()
    assert page.heat.picture.limit is not None
    np.testing.assert_array_equal(_values(page.heat), before)


# tokens and their similarity


@pytest.mark.parametrize("key", ["tokens", "similar", "map"])
def test_a_token_is_lit_pinned_and_let_go(scene: VectorScene, key: str) -> None:
    scene.show(make_trace(6))
    scene.view.show_page(key)
    pixels_of(scene.view)
    if key == "map":
        view: QWidget = scene.view.map_page.map
        at = _point(scene, 4)
    else:
        heat = scene.view.tokens_page.heat if key == "tokens" else scene.view.similar_page.heat
        view, at = heat, _middle(heat, 4, 2)
    expected = Pair(4, 2) if key == "similar" else Pair(4)
    move(view, *at)
    assert scene.selection.shown == expected
    click(view, *at)
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert scene.selection.pinned == expected
    assert scene.selection.shown == expected
    click(view, *at)
    assert scene.selection.pinned == Pair()


@pytest.mark.parametrize("key", ["tokens", "similar", "map"])
def test_what_is_lit_elsewhere_is_drawn_otherwise(scene: VectorScene, key: str) -> None:
    scene.show(make_trace(6))
    scene.view.show_page(key)
    before = pixels_of(scene.view)
    scene.selection.hover(query=3)
    assert (pixels_of(scene.view) != before).any()
    scene.selection.leave()
    np.testing.assert_array_equal(pixels_of(scene.view), before)
    scene.selection.hover(query=300)  # of a longer text, on its way out
    np.testing.assert_array_equal(pixels_of(scene.view), before)


def test_hidden_states_are_the_traces_at_every_state(scene: VectorScene, said: list[list[str]]) -> None:
    trace = make_trace(5, n_layers=3)
    scene.show(trace)
    scene.view.show_page("tokens")
    for state in range(4):
        scene.view.show_state(state)
        np.testing.assert_array_equal(_array(scene, "hidden"), trace.hidden[state])
        heat = scene.view.tokens_page.heat
        move(heat, *_middle(heat, 2, 9))
        pixels_of(heat)
        name = "after layer " + str(state - 1) if state else "embeddings"
        assert said[-1] == ["w2 · dimension 9", signed(float(trace.hidden[state, 2, 9]), 6), name]


def test_similarity_is_read_out(scene: VectorScene, said: list[list[str]]) -> None:
    trace = make_trace(5)
    scene.show(trace)
    scene.view.show_page("similar")
    np.testing.assert_array_equal(_array(scene, "cosine"), cosine_matrix(trace.hidden[2]))
    heat = scene.view.similar_page.heat
    move(heat, *_middle(heat, 1, 3))
    pixels_of(heat)
    cosine = float(cosine_matrix(trace.hidden[2])[1, 3])
    assert said[-1] == ["w1 · w3", f"cosine {signed(cosine, 4)}", "after layer 1"]


def test_where_the_worker_makes_it_the_page_waits(
    scene: VectorScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "_LIGHT", 0)
    scene.show(make_trace(5))
    for key in ("tokens", "similar", "map"):
        scene.view.show_page(key)
        assert not scene.view.is_complete
        pixels_of(scene.view)
        scene.work()
        assert scene.view.is_complete
    assert scene.view.map_page.map.picture is not None
    assert scene.view.similar_page.heat.picture is not None


# the map


def test_the_map_shows_the_principal_components(scene: VectorScene, said: list[list[str]]) -> None:
    trace = make_trace(6)
    scene.show(trace)
    scene.view.show_page("map")
    for common in (False, True):
        expected = token_maps(trace.hidden, common=common)
        for state in (2, 1):
            scene.view.show_state(state)
            np.testing.assert_array_equal(_array(scene, "points"), expected.points[state])
            np.testing.assert_array_equal(_array(scene, "explained_variance"), expected.ratios[state])
        scene.view.map_page.turn_axes()
    view = scene.view.map_page.map
    move(view, *_point(scene, 2))
    pixels_of(view)
    x, y = _array(scene, "points")[2].tolist()
    assert said[-1] == ["w2", f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"]


def test_on_common_axes_the_plane_stands_still_while_one_steps(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    scene.view.map_page.turn_axes()
    plane = scene.view.map_page.map.plane
    scene.view.step(-1)
    assert scene.view.map_page.map.plane == plane


def test_points_glide_to_their_next_places(scene: VectorScene, qtbot: QtBot) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view = scene.view.map_page.map
    before = view.pixels()
    scene.view.step(-1)
    np.testing.assert_allclose(view.pixels(), before, atol=1e-6)  # they begin where they were
    qtbot.waitUntil(lambda: not view.is_gliding)
    assert view.picture is not None
    plot = view.plot()
    expected = view.plane.pixels(view.picture.points) + np.array((plot.left(), plot.top()))
    np.testing.assert_allclose(view.pixels(), expected)
    assert np.abs(view.pixels() - before).max() > 5


def test_another_text_does_not_glide(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    scene.show(make_trace(6, seed=3))
    assert not scene.view.map_page.map.is_gliding


def test_zooming_the_map_keeps_the_point_under_the_pointer_and_stepping_keeps_the_zoom(
    scene: VectorScene,
) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view, at = scene.view.map_page.map, _point(scene, 3)
    wheel(view, *at, 4)
    assert _point(scene, 3) == pytest.approx(at, abs=0.01)
    scale = view.plane.scale
    scene.view.step(-1)
    assert view.plane.scale == scale


def test_dragging_moves_the_map_and_is_no_click(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view = scene.view.map_page.map
    pixels_of(view)
    before, at = view.pixels(), _point(scene, 3)
    drag(view, [at, (at[0] + 10, at[1]), (at[0] + 30, at[1] - 20)])
    np.testing.assert_allclose(view.pixels() - before, np.broadcast_to((30, -20), before.shape), atol=1e-6)
    assert scene.selection.pinned == Pair()


def test_arrows_walk_the_points_of_the_map(scene: VectorScene) -> None:
    scene.show(make_trace(4))
    scene.view.show_page("map")
    view = scene.view.map_page.map
    for key, expected in (
        (Qt.Key.Key_Right, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_Left, 0),
    ):
        _press(view, key)
        assert scene.selection.pinned == Pair(expected)


@pytest.mark.parametrize("key", ["tokens", "map"])
def test_focus_by_a_key_is_seen(scene: VectorScene, key: str) -> None:
    scene.show(make_trace(4))
    scene.view.show_page(key)
    view = scene.view.map_page.map if key == "map" else scene.view.tokens_page.heat
    before = pixels_of(view)
    QApplication.sendEvent(view, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.TabFocusReason))
    assert (pixels_of(view) != before).any()
    QApplication.sendEvent(view, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.MouseFocusReason))
    np.testing.assert_array_equal(pixels_of(view), before)


# two runs


def test_two_runs_stand_beside_each_other(scene: VectorScene) -> None:
    one, other = (
        random_trace(tokens_of(text), seed=seed)
        for seed, text in enumerate(("the cat sat down", "the old cat sat up"))
    )
    scene.tools.comparison.difference = beside(one, other)
    scene.show(one)
    expected = cosines_between(one.hidden[:, 0], other.hidden[:, 0])
    np.testing.assert_array_equal(_array(scene, "cosines")[:-1], expected)
    scene.tools.comparison.difference = None
    scene.tools.comparison.shown_changed.emit()
    assert "cosines" not in scene.view.numbers()


def test_the_difference_of_two_runs(scene: VectorScene) -> None:
    one, other = (
        random_trace(tokens_of(text), seed=seed)
        for seed, text in enumerate(("the cat sat down", "the old cat sat up"))
    )
    difference = beside(one, other)
    scene.tools.comparison.difference = difference
    scene.view.show_picture(_difference_picture(difference))
    np.testing.assert_array_equal(_array(scene, "vectors")[0], one.hidden[0, 0] - other.hidden[0, 0])
    for key in ("cls", "tokens", "map", "similar"):
        scene.view.show_page(key)
        assert len(np.unique(pixels_of(scene.view))) > 10
    scene.view.show_page("map")
    n_places = len(difference.alignment)
    assert _array(scene, "points").shape == (2 * n_places, 2)
    scene.selection.hover(query=1)
    assert scene.view.map_page.map.lit == {1, n_places + 1}


def test_runs_of_other_widths_have_no_difference_and_it_is_said(scene: VectorScene) -> None:
    one, other = make_trace(5), make_trace(5, n_heads=2)
    difference = beside(one, other)
    scene.tools.comparison.difference = difference
    scene.view.show_picture(_difference_picture(difference))
    labels = [label.text() for label in scene.view.findChildren(QLabel) if label.isVisible()]
    assert any("24 and 16 dimensions" in text for text in labels)


def _difference_picture(difference: Difference) -> HeadPicture:
    """Return the picture of head 0 of layer 1, A minus B."""
    places = difference.alignment.places
    reading = difference_reading(difference.traces, places, DrawOptions())
    source = DifferenceSource(difference.traces, places, 1, 0, reading)
    return make_picture(source, 1, 0, DrawOptions(), lambda: None)


# the shelf


@pytest.fixture
def shelved(scene: VectorScene) -> VectorScene:
    """A scene with three sentences on its shelf, which is shown."""
    for text in ("one cat", "two old dogs", "three"):
        scene.type(text)
        scene.tools.shelf.keep()
    shown = scene.workspace.shown
    assert shown is not None
    scene.show(shown.result.trace)
    scene.view.show_page("shelf")
    return scene


def _kept(scene: VectorScene) -> list[str]:
    return [item.text for item in scene.tools.shelf.items]


@pytest.mark.parametrize("kind", ["pooled", "cls", "mean"])
def test_the_shelf_compares_what_it_keeps(shelved: VectorScene, kind: str) -> None:
    page = shelved.view.shelf_page
    page.kinds.choose(kind)
    page.refresh()
    kept = [item.vector(kind) for item in shelved.tools.shelf.items]
    vectors = np.stack([vector for vector in kept if vector is not None])
    np.testing.assert_array_equal(_array(shelved, "vectors"), vectors)
    np.testing.assert_array_equal(_array(shelved, "cosine"), cosine_matrix(vectors))
    assert shelved.view.numbers()["sentences"] == ("one cat", "two old dogs", "three")


def test_a_label_brings_its_sentence_back_a_cell_does_not(shelved: VectorScene) -> None:
    heat = shelved.view.shelf_page.heat
    pixels_of(heat)
    click(heat, *_middle(heat, 1, 2))
    assert shelved.asked == []
    click(heat, 12, _middle(heat, 0, 0)[1])
    assert [asked[0] for asked in shelved.asked] == ["one cat"]
    _press(heat, Qt.Key.Key_Down)
    _press(heat, Qt.Key.Key_Return)
    assert [asked[0] for asked in shelved.asked] == ["one cat", "two old dogs"]


def test_a_point_of_the_shelfs_map_brings_its_sentence_back(shelved: VectorScene) -> None:
    page = shelved.view.shelf_page
    page.ways.choose("map")
    page.refresh()
    assert page.map.isVisible()
    pixels_of(page.map)
    x, y = page.map.pixels()[1].tolist()
    click(page.map, x, y)
    assert [asked[0] for asked in shelved.asked] == ["two old dogs"]


def test_the_chosen_one_is_removed_by_key_and_by_button(shelved: VectorScene) -> None:
    page = shelved.view.shelf_page
    click(page.heat, *_middle(page.heat, 0, 2))
    _press(page.heat, Qt.Key.Key_Delete)
    assert _kept(shelved) == ["two old dogs", "three"]
    page.remove.click()
    assert _kept(shelved) == ["two old dogs"]
    page.clear.click()
    assert _kept(shelved) == []
    assert not page.clear.isEnabled()
    page.keep.click()
    assert _kept(shelved) == ["three"]


def test_of_a_model_without_pooler_other_vectors_are_offered(shelved: VectorScene) -> None:
    page, shelf = shelved.view.shelf_page, shelved.tools.shelf
    items = shelf.items
    shelf.restore(replace(item, pooled=None) for item in items)
    labels = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert labels == ["This model has no pooler: choose [CLS] or the mean."]
    page.kinds.choose("mean")
    page.refresh()
    assert page.heat.isVisible()


# what every widget owes


def test_every_control_has_a_name_a_tooltip_and_the_focus_of_the_tab_key(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    controls = [*scene.view.findChildren(QPushButton), *scene.view.findChildren(QSlider)]
    for control in controls:
        name = control.accessibleName() or getattr(control, "text", str)()
        assert name, control
        assert control.toolTip(), name
        if isinstance(control, QPushButton) and control.isCheckable() and not control.isChecked():
            continue  # of joined buttons Tab reaches the one that is down, and arrows the others
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, name
    for heat in scene.view.findChildren(HeatDrawing):
        assert heat.accessibleName()
        assert heat.focusPolicy() & Qt.FocusPolicy.TabFocus


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("size", [(330, 240), (420, 330), (1000, 850)])
def test_it_fits_every_panel(scene: VectorScene, size: tuple[int, int], scale: float) -> None:
    scene.view.look.set_scale(scale)
    scene.view.setStyleSheet(style_sheet(scene.view.look))
    scene.show(make_trace(40))
    scene.view.resize(*size)
    for key in PAGES:
        scene.view.show_page(key)
        QApplication.processEvents()
        pixels_of(scene.view)
        assert scene.view.minimumSizeHint().width() <= 330 * scale
