"""The map of the vectors: its points, how they glide, what keys and the mouse do; and two runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.vectors import cosines_between, token_maps
from bertviz_app.options import Page
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.runs.requests import beside
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import signed
from bertviz_app.views.vectors.map import MapPicture, MapView
from tests.support.factories import make_trace, random_trace
from tests.support.fakes import tokens_of
from tests.support.scene import drag, move, on_screen, pixels_of, wheel
from tests.support.svg_text import lines_drawn_by
from tests.support.vector_scene import VectorScene, array_of, point_of, press, read_outs, scene

__all__ = ["read_outs", "scene"]


# the map


def test_the_map_shows_the_principal_components(scene: VectorScene, read_outs: list[list[str]]) -> None:
    trace = make_trace(6)
    scene.show(trace)
    scene.view.show_page("map")
    for common in (False, True):
        expected = token_maps(trace.hidden, common=common)
        for state in (2, 1):
            scene.view.show_state(state)
            np.testing.assert_array_equal(array_of(scene, "points"), expected.points[state])
            np.testing.assert_array_equal(array_of(scene, "explained_variance"), expected.ratios[state])
        scene.view.stack.map.turn_axes()
    view = scene.view.stack.map.map
    move(view, *point_of(scene, 2))
    pixels_of(view)
    x, y = array_of(scene, "points")[2].tolist()
    assert read_outs[-1] == ["w2", f"PC1 {signed(x, 4)} · PC2 {signed(y, 4)}"]


def test_on_common_axes_the_plane_stands_still_while_one_steps(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    scene.view.stack.map.turn_axes()
    box = scene.view.stack.map.map.box
    before = box.viewRange()
    scene.view.step(-1)
    assert box.viewRange() == before


def test_points_glide_to_their_next_places(scene: VectorScene, qtbot: QtBot) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view = scene.view.stack.map.map
    before = view.pixels()
    scene.view.step(-1)
    np.testing.assert_allclose(view.pixels(), before, atol=1e-3)  # they begin where they were
    qtbot.waitUntil(lambda: not view.is_gliding)
    assert view.picture is not None
    for at, point in zip(view.pixels().tolist(), view.picture.points.tolist(), strict=True):
        mapped = view.box.mapViewToScene(QPointF(*point))
        assert at == pytest.approx((mapped.x(), mapped.y()), abs=0.01)
    assert np.abs(view.pixels() - before).max() > 5


def test_another_text_does_not_glide(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    scene.show(make_trace(6, seed=3))
    assert not scene.view.stack.map.map.is_gliding


def test_zooming_the_map_keeps_the_point_under_the_pointer_and_stepping_keeps_the_zoom(
    scene: VectorScene,
) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view, at = scene.view.stack.map.map, point_of(scene, 3)
    wheel(view, *at, 4)
    assert point_of(scene, 3) == pytest.approx(at, abs=1), "Qt gives the wheel whole pixels"
    before = view.box.viewRange()
    scene.view.step(-1)
    assert view.box.viewRange() == before


def test_dragging_moves_the_map_and_is_no_click(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    scene.view.show_page("map")
    view = scene.view.stack.map.map
    pixels_of(view)
    before, at = view.pixels(), point_of(scene, 3)
    drag(view, [at, (at[0] + 10, at[1]), (at[0] + 30, at[1] - 20)])
    np.testing.assert_allclose(view.pixels() - before, np.broadcast_to((30, -20), before.shape), atol=1e-3)
    assert scene.selection.pinned == Pair()


def test_arrows_walk_the_points_of_the_map(scene: VectorScene) -> None:
    scene.show(make_trace(4))
    scene.view.show_page("map")
    view = scene.view.stack.map.map
    for key, expected in (
        (Qt.Key.Key_Right, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_Left, 0),
    ):
        press(view, key)
        assert scene.selection.pinned == Pair(expected)


@pytest.mark.parametrize("key", ["tokens", "map"])
def test_focus_by_a_key_is_seen(scene: VectorScene, key: Page) -> None:
    scene.show(make_trace(4))
    scene.view.show_page(key)
    view = scene.view.stack.map.map if key == "map" else scene.view.stack.tokens.heat
    before = pixels_of(view)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    focused = pixels_of(view)
    accent = scene.tools.look.colour("accent").rgb() & 0xFFFFFF
    sides = focused[0, 20:-20], focused[-1, 20:-20], focused[20:-20, 0], focused[20:-20, -1]
    assert all((side == accent).all() for side in sides), "a frame along all four edges"
    np.testing.assert_array_equal(focused[8:-8, 8:-8], before[8:-8, 8:-8])
    view.clearFocus()
    view.setFocus(Qt.FocusReason.MouseFocusReason)
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
    np.testing.assert_array_equal(array_of(scene, "cosines")[:-1], expected)
    scene.tools.comparison.difference = None
    scene.tools.comparison.shown_changed.emit()
    assert "cosines" not in scene.view.numbers()


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
        "similar": "[CLS]theoldcatsat–up[SEP]",
    }
    for key, expected in words.items():
        scene.view.show_page(key)
        assert expected in lines_drawn_by(scene.view, scene.tools.look, tmp_path)
    scene.view.show_page("map")
    n_places = len(difference.alignment)
    assert array_of(scene, "points").shape == (2 * n_places, 2)
    scene.selection.hover(query=1)
    assert scene.view.stack.map.map.highlighted == {1, n_places + 1}


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


def _is_close(one: QColor, other: QColor) -> bool:
    """Return whether two colours are alike: pyqtgraph's points have antialiased edges."""
    channels = ((each.red(), each.green(), each.blue()) for each in (one, other))
    return all(abs(here - there) < 48 for here, there in zip(*channels, strict=True))
