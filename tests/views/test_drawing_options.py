"""What the options of the drawing do to lines, matrix and the strip of heads, at known cells and lines."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import LEAST, Colours, Scale
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import Store, change_options
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.head_view import HeadStrip
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.look import Look, table_for
from tests.support.factories import trace_of
from tests.support.scene import (
    blended,
    channels,
    click,
    ends_of,
    head_picture,
    lines_of_text,
    on_screen,
    pixels_of,
    random_attention,
    wheel,
)


@pytest.fixture
def store(qapp: object) -> Store:
    return Store()


def _picture(attention: Doubles, store: Store, head: int = 0) -> HeadPicture:
    trace = trace_of(attention if attention.ndim == 4 else attention[None, None])
    return head_picture(trace, 0, head, options=store.now.options)


def _matrix(qtbot: QtBot, look: Look, store: Store, attention: Doubles) -> tuple[MatrixView, HeadPicture]:
    view = MatrixView(look, Selection(), Viewport(), store)
    picture = _picture(attention, store)
    view.viewport.fit(*picture.token_order.counts)
    view.show_picture(picture)
    return on_screen(qtbot, view, 640, 560), picture


def _level(weights: Doubles, query: int, key: int, scale: str) -> int:
    """Return the level of a cell, computed in another way than the program's."""
    weight, top = float(weights[query, key]), float(weights.max())
    if scale == "row":
        return round(weight / float(weights[query].max()) * 255)
    if scale == "log":
        return round(max(0.0, math.log(weight / LEAST) / math.log(top / LEAST)) * 255)
    return round(weight / top * 255)


def _lines(
    qtbot: QtBot, look: Look, store: Store, attention: Doubles
) -> tuple[LinesView, tuple[HeadPicture, ...]]:
    trace = trace_of(attention)
    pictures = tuple(head_picture(trace, 0, head, options=store.now.options) for head in range(trace.n_heads))
    view = LinesView(look, Selection(), Viewport(), store)
    view.viewport.fit(*pictures[0].token_order.counts)
    view.show_picture(pictures[0])
    return on_screen(qtbot, view, 500, 500), pictures


def _one_to_one(keys: list[int]) -> Doubles:
    weights = np.zeros((len(keys), len(keys)))
    weights[np.arange(len(keys)), keys] = 1.0
    return weights


def _colour_beside_key(view: LinesView, key: int) -> int:
    view.complete()
    return int(pixels_of(view)[round(view.axes()[1].middle(key)), int(ends_of(view)[1]) - 4])


@pytest.mark.parametrize(
    ("scale", "colours"),
    [("linear", "theme"), ("log", "viridis"), ("row", "cividis"), ("linear", "diverging"), ("log", "magma")],
)
def test_a_cell_has_the_colour_of_its_weight_on_every_scale_and_map(
    qtbot: QtBot, look: Look, store: Store, scale: Scale, colours: Colours
) -> None:
    change_options(store, scale=scale, colours=colours)
    weights = random_attention(40)
    view, picture = _matrix(qtbot, look, store, weights)
    drawn = pixels_of(view)
    table = table_for(look, picture, colours)
    for query, key in [(0, 0), (3, 17), (39, 39), (20, 5), picture.strongest]:
        middle = view.plot.cell_rect(query, key).center()
        level = _level(weights, query, key, scale)
        found = int(drawn[int(middle.y()), int(middle.x())])
        assert found in {int(table[near]) & 0xFFFFFF for near in (level - 1, level, min(255, level + 1))}


def test_the_perceptual_maps_have_the_published_ends(look: Look, store: Store) -> None:
    picture = _picture(random_attention(4), store)
    ends: dict[Colours, tuple[int, int]] = {
        "viridis": (0x440154, 0xFDE725),
        "magma": (0x000004, 0xFCFDBF),
        "cividis": (0x00224E, 0xFFEA46),
    }
    for name, (low, high) in ends.items():
        table = table_for(look, picture, name) & np.uint32(0xFFFFFF)
        for found, published in ((int(table[0]), low), (int(table[255]), high)):
            apart = [abs((found >> shift & 255) - (published >> shift & 255)) for shift in (16, 8, 0)]
            assert max(apart) <= 2, (name, hex(found))


def test_sums_stand_beside_and_below_the_cells(qtbot: QtBot, look: Look, store: Store) -> None:
    weights = np.full((6, 6), 0.0)
    weights[:, 2] = 1.0
    view, _ = _matrix(qtbot, look, store, weights)
    bare = pixels_of(view)
    change_options(store, shows_sums=True)
    drawn = pixels_of(view)
    below = int(view.plot.cell_rect(5, 0).bottom()) + 8
    tint, ground = int(drawn[below, int(view.plot.cell_rect(0, 2).left()) + 6]), int(bare[1, 1])
    assert channels(tint) == pytest.approx(blended(look, "accent", 0.35, ground), abs=1)
    assert int(drawn[below, int(view.plot.cell_rect(0, 4).left()) + 6]) == ground  # receives nothing
    beside = int(view.plot.cell_rect(0, 5).right()) + 8
    assert int(drawn[int(view.plot.cell_rect(3, 0).top()) + 6, beside]) == tint


def test_the_maximum_of_each_row_is_marked(qtbot: QtBot, look: Look, store: Store) -> None:
    weights = np.full((8, 8), 0.05)
    weights[np.arange(8), [3, 1, 4, 1, 5, 2, 6, 5]] = 0.65
    view, picture = _matrix(qtbot, look, store, weights)
    before = pixels_of(view)
    change_options(store, marks_maxima=True)
    drawn = pixels_of(view)
    frame = look.colour("sentence_b").rgb() & 0xFFFFFF
    assert not (before == frame).any()
    for query in range(8):
        for key in range(8):
            box = view.plot.cell_rect(query, key).adjusted(1, 1, -1, -1).toRect()
            is_framed = (drawn[box.top() : box.bottom(), box.left() : box.right()] == frame).sum() > 100
            assert is_framed == (picture.maxima[query] == key)


def test_each_head_has_lines_in_its_own_colour(qtbot: QtBot, look: Look, store: Store) -> None:
    attention = np.stack([_one_to_one([0] * 8), _one_to_one([7] * 8)])[None]
    view, pictures = _lines(qtbot, look, store, attention)
    ground = int(pixels_of(view)[1, 1])
    assert _colour_beside_key(view, 7) == ground
    view.show_picture(pictures[0], pictures)
    first, second = _colour_beside_key(view, 0), _colour_beside_key(view, 7)
    for found, head in ((first, 0), (second, 1)):
        expected = look.head_colour(head)
        apart = (abs((found >> 16) - expected.red()), abs((found & 255) - expected.blue()))
        assert max(apart) < 60
    view.show_picture(pictures[0], pictures[1:])
    assert view.pictures == (pictures[0],)  # the head in front is always drawn


def test_weights_below_the_threshold_have_no_line(qtbot: QtBot, look: Look, store: Store) -> None:
    weights = np.tile([0.7, 0.2, 0.1, 0.0], (4, 1))
    view, _ = _lines(qtbot, look, store, weights[None, None])
    ground = int(pixels_of(view)[1, 1])
    assert [_colour_beside_key(view, key) != ground for key in range(4)] == [True, True, True, False]
    change_options(store, threshold=0.15)
    assert [_colour_beside_key(view, key) != ground for key in range(4)] == [True, True, False, False]


def test_the_strongest_weights_are_written_on_their_lines(
    qtbot: QtBot, look: Look, store: Store, tmp_path: Path
) -> None:
    weights = np.array([[0.75, 0.25, 0.0], [0.38, 0.0, 0.62], [0.0, 0.0, 1.0]])
    view, _ = _lines(qtbot, look, store, weights[None, None])
    written = re.compile(r"\d\.\d\d")
    write(record(view, look, None), tmp_path / "without.svg")
    assert written.findall("".join(lines_of_text(tmp_path / "without.svg"))) == []
    change_options(store, writes_weights=True)
    write(record(view, look, None), tmp_path / "with.svg")
    found = written.findall("".join(lines_of_text(tmp_path / "with.svg")))
    assert sorted(found) == ["0.25", "0.38", "0.62", "0.75", "1.00"]


@pytest.mark.parametrize("n_heads", [4, 24])
def test_a_square_for_each_head_toggles_it(qtbot: QtBot, look: Look, n_heads: int) -> None:
    strip = HeadStrip(look)
    strip.show_heads(range(n_heads), (1, 3))
    on_screen(qtbot, strip, 320, strip.heightForWidth(320))
    toggled: list[int] = []
    strip.acted.connect(lambda act, at: toggled.append(at) if act == "toggle" else None)
    for head in range(n_heads):
        click(strip, strip.box(head).center().x(), strip.box(head).center().y())
    assert toggled == list(range(n_heads))
    drawn = pixels_of(strip)
    for head in range(n_heads):
        box = strip.box(head)
        corner = int(drawn[int(box.top()) + 4, int(box.left()) + 4])
        is_full = corner == look.head_colour(head).rgb() & 0xFFFFFF
        assert is_full == (head in (1, 3))


def test_the_wheel_over_the_squares_changes_the_layer_but_sideways_it_does_not(
    qtbot: QtBot, look: Look
) -> None:
    strip = HeadStrip(look)
    strip.show_heads(range(4), (1,))
    on_screen(qtbot, strip, 320, strip.heightForWidth(320))
    walked: list[int] = []
    strip.acted.connect(lambda act, by: walked.append(by) if act == "walk" else None)
    wheel(strip, 20, 10, 1)
    wheel(strip, 20, 10, -1)
    wheel(strip, 20, 10, 1, sideways=True)
    assert walked == [-1, 1]
