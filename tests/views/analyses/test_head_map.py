"""The map of heads: what a hover reads, where a click, the arrows and Enter go, which names have room."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from pyqtgraph.exporters import CSVExporter
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.types import Floats
from bertviz_app.views.analyses.head_map import HeadDots
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.context_menus import opened_menus
from tests.support.scene import channels, click, leave, move, on_screen, pixels_of

KEY = Qt.Key
POINTS = np.array([[0, 0], [1, 0], [3, 0.2], [0, 2], [1, 2], [3, 2]], np.float32)
N_HEADS = 3


def _distances(points: Floats) -> Floats:
    away: Floats = np.linalg.norm(points[:, None] - points[None], axis=-1).astype(np.float32)
    return away


@pytest.fixture
def dots(qtbot: QtBot, look: Look) -> HeadDots:
    """A map of two layers of three heads: the second layer above the first."""
    dots = HeadDots(look)
    dots.show_map(POINTS, _distances(POINTS), N_HEADS)
    dots.mark((0, 1))
    return on_screen(qtbot, dots, 500, 400)


@pytest.fixture
def heads(dots: HeadDots) -> list[tuple[int, int]]:
    """The heads that were asked for."""
    asked: list[tuple[int, int]] = []
    dots.head_clicked.connect(lambda *head: asked.append(head))
    return asked


def test_a_hover_reads_the_nearest_heads_and_a_click_shows_the_head(
    dots: HeadDots, heads: list[tuple[int, int]]
) -> None:
    at = dots.point(5)
    move(dots, at.x() + 4, at.y())
    assert dots.read_out.lines == (
        "Layer 1 · Head 2",
        "0·2: 1.800 nats apart",
        "1·1: 2.000 nats apart",
        "0·1: 2.828 nats apart",
    )
    click(dots, at.x() + 4, at.y())
    click(dots, at.x() - 60, at.y() + 40)
    assert heads == [(1, 2)]
    leave(dots)
    assert not dots.read_out.lines


def test_distances_are_comparable_and_all_dots_and_names_are_in_sight(dots: HeadDots) -> None:
    for size in ((500, 400), (200, 500), (900, 200)):
        dots.resize(*size)
        pixels = dots.pixels()
        scales = [
            np.hypot(*(pixels[b] - pixels[a])) / _distances(POINTS)[a, b] for a, b in ((0, 1), (0, 3), (2, 4))
        ]
        assert np.ptp(scales) < 0.01 * scales[0]
        texts = {text: box for box, text in drawn_texts(dots)}
        assert set(texts) >= {f"{layer}·{head}" for layer in range(2) for head in range(3)}
        room = dots.box.geometry_in_plot()
        assert all(room.contains(*pixel) for pixel in pixels.tolist())


def test_arrows_go_to_the_nearest_head_in_their_direction_and_enter_shows_it(
    dots: HeadDots, heads: list[tuple[int, int]]
) -> None:
    reached = []
    for key in (KEY.Key_Up, KEY.Key_Right, KEY.Key_Down, KEY.Key_Left, KEY.Key_Left, KEY.Key_Left):
        QTest.keyClick(dots, key)
        reached.append(dots.read_out.lines[0])
        QTest.keyClick(dots, KEY.Key_Return)
    assert heads == [(1, 1), (1, 2), (0, 2), (0, 1), (0, 0), (0, 0)]
    assert reached[0] == "Layer 1 · Head 1"
    assert dots.accessibleDescription().startswith("Layer 0 · Head 0, 0·1: 1.000")
    QTest.keyClick(dots, KEY.Key_Escape)
    assert not dots.read_out.lines


def test_page_keys_reach_every_head_also_one_that_is_hidden_by_another(
    dots: HeadDots, heads: list[tuple[int, int]]
) -> None:
    dots.show_map(np.zeros_like(POINTS), _distances(POINTS), N_HEADS)
    QTest.keyClick(dots, KEY.Key_Home)
    for _ in range(6):
        QTest.keyClick(dots, KEY.Key_Return)
        QTest.keyClick(dots, KEY.Key_PageDown)
    assert heads == [(layer, head) for layer in range(2) for head in range(3)]
    QTest.keyClick(dots, KEY.Key_PageUp)
    assert dots.read_out.lines[0] == "Layer 1 · Head 1"
    QTest.keyClick(dots, KEY.Key_End)
    assert dots.read_out.lines[0] == "Layer 1 · Head 2"


def test_a_head_that_is_reached_by_a_key_comes_into_sight(dots: HeadDots) -> None:
    for _ in range(6):
        QTest.keyClick(dots, KEY.Key_Plus)
    assert not dots.box.is_whole
    for index in range(6):
        QTest.keyClick(dots, KEY.Key_PageDown if index else KEY.Key_Home)
        assert dots.box.geometry_in_plot().adjusted(-1, -1, 1, 1).contains(dots.point(index))
    QTest.keyClick(dots, KEY.Key_0)
    assert dots.box.is_whole


def test_a_head_without_a_place_does_not_stop_the_map(qtbot: QtBot, look: Look) -> None:
    points = POINTS.copy()
    points[4] = np.nan
    dots = HeadDots(look)
    dots.show_map(points, _distances(POINTS), N_HEADS)
    on_screen(qtbot, dots, 500, 400)
    assert "1·1" not in [text for _, text in drawn_texts(dots)]
    dots.mark((1, 1))
    move(dots, *dots.point(5).toTuple())
    assert dots.read_out.lines[0] == "Layer 1 · Head 2"
    for key in (KEY.Key_Home, *(KEY.Key_PageDown,) * 4):
        QTest.keyClick(dots, key)
    assert dots.read_out.lines[0] == "Layer 1 · Head 1"
    QTest.keyClick(dots, KEY.Key_Right)
    assert dots.read_out.lines[0] != "Layer 1 · Head 1"


def test_names_of_many_heads_do_not_overlap_and_the_legend_has_every_layer(qtbot: QtBot, look: Look) -> None:
    points = np.random.default_rng(0).normal(size=(384, 2)).astype(np.float32)
    dots = HeadDots(look)
    dots.show_map(points, _distances(points), 16)
    dots.mark((3, 4))
    on_screen(qtbot, dots, 500, 400)
    drawn = drawn_texts(dots)
    names = [box for box, text in drawn if "·" in text and len(text) < 6]
    assert 25 < len(names) < 384
    assert not [
        1 for one, other in itertools.combinations(names, 2) if one.intersects(other.adjusted(1, 3, -1, -3))
    ]
    assert "3·4" in [text for _, text in drawn], "the marked head has its name whatever is near"
    layers = {text: box for box, text in drawn if text.isdigit()}
    assert set(layers) == set(map(str, range(24)))
    assert max(box.right() for box in layers.values()) <= 500


def test_the_dot_of_a_head_has_the_colour_of_its_layer(dots: HeadDots, look: Look) -> None:
    pixels = pixels_of(dots)
    for index in (0, 5):
        x, y = dots.point(index).toPoint().toTuple()
        expected = channels(look.head_colour(index // N_HEADS).rgb() & 0xFFFFFF)
        assert np.abs(np.subtract(channels(int(pixels[y, x])), expected)).max() <= 2


def test_the_right_button_opens_the_menu_and_the_points_can_be_saved_as_numbers(
    dots: HeadDots, tmp_path: Path
) -> None:
    (menu,) = opened_menus(dots, QPoint(250, 150))
    menu.close()
    CSVExporter(dots.item).export(str(tmp_path / "points.csv"))
    rows = (tmp_path / "points.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(POINTS)
    assert rows[3].startswith("3.,0.2")


def test_dots_are_circles_in_a_file(dots: HeadDots, look: Look, tmp_path: Path) -> None:
    write(record(dots, look, None), tmp_path / "map.svg")
    drawn = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert drawn.count("<circle") >= len(POINTS)
    assert "<image" not in drawn
    assert ">1·2<" in drawn
