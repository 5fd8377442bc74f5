"""The lines of a head, and what the options of the drawing do to lines, matrix and the strip of heads."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings import read_palette
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, Colours, Pair, Scale, Store, change_options
from bertviz_app.viewmodels.viewport import LEAST, PixelAxis, TokenSpan, Viewport
from bertviz_app.views.attention.head_view import HeadStrip
from bertviz_app.views.attention.lines import BLOCK, MARGIN, LinesView
from bertviz_app.views.attention.lines_image import LINE, Brush, LinesImage
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.look import Look, table_for
from tests.support.factories import make_tokens, random_trace, trace_of
from tests.support.scene import (
    blended,
    channels,
    click,
    difference_picture,
    ends_of,
    head_picture,
    lines_of_text,
    not_none,
    on_screen,
    picture_of,
    pixels_of,
    pixels_on_screen,
    random_attention,
    turn_events,
    wheel,
)


@pytest.fixture
def view(look: Look, selection: Selection, viewport: Viewport) -> LinesView:
    return LinesView(look, selection, viewport)


def _show(view: LinesView, attention: Doubles) -> None:
    view.viewport.fit(len(attention))
    view.show_picture(picture_of(attention))


def _drawn(view: LinesView) -> NDArray[np.uint32]:
    view.complete()
    return pixels_of(view)


def _looking(n_tokens: int, pairs: dict[int, int]) -> Doubles:
    """Return attention in which each query of `pairs` looks at its key only, and all others at key 0."""
    attention = np.zeros((n_tokens, n_tokens))
    for query in range(n_tokens):
        attention[query, pairs.get(query, 0)] = 1.0
    return attention


def _background(drawn: NDArray[np.uint32]) -> int:
    return int(drawn[1, 1])


def _middle_of(view: LinesView, query: int, key: int) -> tuple[int, int]:
    """Return (y, x) of the middle of a line: the curves are the same from either end."""
    queries, keys = view.axes()
    left, right = ends_of(view)
    return int((queries.middle(query) + keys.middle(key)) / 2), int((left + right) / 2)


def _fresh(qtbot: QtBot, view: LinesView) -> LinesView:
    """Return another view of the same, in which nothing is prepared yet."""
    fresh = LinesView(view.look, view.selection, view.viewport)
    assert view.picture is not None
    fresh.show_picture(view.picture)
    return on_screen(qtbot, fresh, view.width(), view.height())


SIZE = 200


def _brush(ratio: float = 1.0) -> Brush:
    axis, colours = PixelAxis(TokenSpan(0.0, 20.0), 0.0, float(SIZE)), (QColor("#1060c0"), QColor("#c06010"))
    whole = QRectF(0, 0, SIZE, SIZE)
    return Brush(axis, axis, 10.0, SIZE - 10.0, (SIZE, SIZE), ratio, whole, colours, (False, False))


def _channels_of(image: QImage) -> NDArray[np.float64]:
    """Return [height, width, 4] blue, green, red and alpha, premultiplied."""
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4).astype(float)


def _curve(ratio: float, ends: tuple[int, int], strength: tuple[float, float], *, is_exact: bool) -> QImage:
    image = LinesImage(_brush(ratio), np.zeros(0, LINE)).image
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    lines = np.array([(*ends, 0.5, 0.5, 0, *strength, 0.0)], LINE)
    _brush(ratio).draw_curves(painter, lines, is_exact=is_exact)
    painter.end()
    return image


def _averaged(alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    down = alpha[2:] + alpha[1:-1] + alpha[:-2]
    averaged: NDArray[np.float64] = (down[:, 2:] + down[:, 1:-1] + down[:, :-2]) / 9
    return averaged


_WORDS = ("한국어", "##를", "because", "漢字", "i", "jg")


_PAIRS = (
    Pair(query=4),
    Pair(query=5),
    Pair(query=70),
    Pair(query=5, key=9),
    Pair(query=5, key=10),
    Pair(key=10),
    Pair(key=41),
    NOTHING,
    Pair(key=3),
    Pair(query=4),
)


def _trace(n_tokens: int = 90) -> Trace:
    tokens = make_tokens(n_tokens)
    pieces = (_WORDS[at % len(_WORDS)] for at in range(n_tokens - 2))
    return random_trace(replace(tokens, pieces=("[CLS]", *pieces, "[SEP]")), 1, 3)


def _shown(view: LinesView, pictures: tuple[HeadPicture, ...]) -> LinesView:
    view.viewport.fit(*pictures[0].token_order.counts)
    view.show_picture(pictures[0], pictures)
    return view


def _settle(qtbot: QtBot, view: LinesView) -> None:
    turn_events()
    qtbot.waitUntil(lambda: view.is_complete)
    turn_events()


@pytest.mark.parametrize(("query", "key"), [(2, 8), (7, 3)])
def test_a_strong_weight_is_a_line_through_the_middle_of_its_curve(
    qtbot: QtBot, view: LinesView, query: int, key: int
) -> None:
    _show(view, _looking(10, {query: key}))
    on_screen(qtbot, view, 500, 500)
    y, x = _middle_of(view, query, key)
    with_line = _drawn(view)
    assert with_line[y, x] != _background(with_line)
    _show(view, _looking(10, {}))
    without = _drawn(view)
    assert without[y, x] == _background(without)


def test_a_highlighted_query_draws_its_lines_in_the_accent_and_fades_the_others(
    qtbot: QtBot, view: LinesView
) -> None:
    _show(view, _looking(10, {4: 8, 6: 2}))
    on_screen(qtbot, view, 500, 500)
    all_alike = _drawn(view)
    view.selection.hover(query=4)
    highlighted = _drawn(view)
    accent = QColor(view.look.palette.accent).rgb() & 0xFFFFFF
    assert highlighted[_middle_of(view, 4, 8)] == accent
    y, x = _middle_of(view, 6, 2)
    background = _background(highlighted)
    faded, full = (
        abs(int(image[y, x] & 0xFF0000) - (background & 0xFF0000)) for image in (highlighted, all_alike)
    )
    assert 0 < faded < full / 2


def test_a_long_text_looked_at_everywhere_alike_has_lines_too(qtbot: QtBot, view: LinesView) -> None:
    """Each of its weights is below what is drawn beside strong ones: 1/512 of a row."""
    flat = np.full((512, 512), 1 / 512)
    flat[:, 100] = 1.5 / 512
    _show(view, flat / flat.sum(1, keepdims=True))
    on_screen(qtbot, view, 420, 500)
    drawn = _drawn(view)
    left, right = (int(edge) for edge in ends_of(view))
    between = drawn[:, left + 20 : right - 20]
    assert (between != _background(drawn)).mean() > 0.3
    view.selection.hover(300, None)
    y = int(view.axes()[0].middle(300))
    highlighted = _drawn(view)[y - 2 : y + 3, left + 3 : left + 8]
    assert (highlighted == view.look.colour("accent").rgb() & 0xFFFFFF).any()


def test_a_highlighted_query_follows_theme_text_size_and_zoom(qtbot: QtBot, view: LinesView) -> None:
    _show(view, random_attention(30, sharpness=1.0))
    on_screen(qtbot, view, 500, 500)
    view.selection.hover(query=4)
    changes: tuple[Callable[[], None], ...] = (
        lambda: view.look.set_palette(read_palette("dark")),
        lambda: view.look.set_scale(1.25),
        lambda: view.viewport.show(TokenSpan(2.0, 20.0), TokenSpan(2.0, 20.0)),
        lambda: view.selection.hover(query=6),
        lambda: view.selection.hover(key=9),
        lambda: view.selection.hover(query=6, key=9),
        view.selection.clear,
    )
    before = _drawn(view).copy()
    for change in changes:
        change()
        now = _drawn(view).copy()
        assert (now != before).any()
        np.testing.assert_array_equal(now, _drawn(_fresh(qtbot, view)))
        before = now


def test_a_line_is_highlighted_where_it_is_on_every_screen(qtbot: QtBot, view: LinesView) -> None:
    """The images of the lines are laid over the view without being moved or stretched."""
    _show(view, _looking(10, {4: 8, 6: 2}))
    on_screen(qtbot, view, 500, 500)
    view.selection.hover(query=4)
    y, x = _middle_of(view, 4, 8)
    for ratio in (1.0, 1.5, 2.0):
        image = QImage(round(500 * ratio), round(500 * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill("white")
        view.complete()
        view.render(image)
        column = [image.pixelColor(int(x * ratio), int(row * ratio)) for row in range(y - 12, y + 13)]
        dark = [row for row, colour in enumerate(column) if colour.red() < 128]
        assert dark
        assert abs(sum(dark) / len(dark) - 12) <= 2


def test_most_highlighted_lines_come_in_later_frames_until_all_are_drawn(
    qtbot: QtBot, view: LinesView
) -> None:
    _show(view, random_attention(200, sharpness=0.1))
    on_screen(qtbot, view, 400, 600)
    view.complete()
    assert view.is_complete
    view.selection.hover(query=50)
    qtbot.waitUntil(lambda: view.is_complete)
    later = pixels_of(view).copy()
    np.testing.assert_array_equal(later, _drawn(_fresh(qtbot, view)))


def test_of_several_heads_of_a_difference_a_block_has_the_colour_of_its_sign(
    qtbot: QtBot, look: Look, view: LinesView
) -> None:
    weights = np.stack([random_attention(6, seed) for seed in range(6)]).reshape(2, 1, 3, 6, 6)
    one, other = trace_of(weights[0]), trace_of(weights[1])
    pictures = tuple(difference_picture(one, other, 0, head) for head in range(3))
    view.viewport.fit(6)
    view.show_picture(pictures[0], pictures)
    on_screen(qtbot, view, 500, 400)
    view.selection.hover(query=2)
    drawn = _drawn(view)
    _, keys = view.axes()
    differences = weights[0, 0, :, 2] - weights[1, 0, :, 2]  # [heads, keys]
    less, more = (channels(QColor(look.palette.differences[end]).rgb() & 0xFFFFFF) for end in (0, -1))
    strong = np.argwhere(np.abs(differences) > 0.5 * np.abs(differences).max())
    assert len(strong) >= 3
    for head, key in strong.tolist():
        x = int(view.width() - MARGIN - BLOCK * (3 - head) + BLOCK / 2)
        pixel = np.array(channels(int(drawn[int(keys.middle(key)), x])))
        far = [np.abs(pixel - np.array(colour)).sum() for colour in (less, more)]
        assert (far[1] < far[0]) == (differences[head, key] > 0), (head, key)


def test_the_key_of_the_largest_weight_has_its_label_where_not_all_have_room(
    qtbot: QtBot, view: LinesView
) -> None:
    attention = np.full((40, 40), 0.6 / 39)
    attention[:, 0] = 0.4
    attention[13] = np.where(np.arange(40) == 39, 0.61, 0.01)
    _show(view, attention)
    on_screen(qtbot, view, 410, 200)
    right = not_none(view.laid_out).columns[1].without_marks
    assert 39 in right
    assert len(right) < 20


@pytest.mark.parametrize(
    ("ratio", "width", "ends"), [(1.0, 0.8, (10, 10)), (1.5, 1.5, (12, 8)), (2.0, 3.0, (2, 18))]
)
def test_a_line_of_thin_ones_covers_what_a_wide_one_covers_at_the_same_pixels(
    qtbot: QtBot, ratio: float, width: float, ends: tuple[int, int]
) -> None:
    thin, wide = (
        _channels_of(_curve(ratio, ends, (0.5, width), is_exact=is_exact))[:, :, 3]
        for is_exact in (False, True)
    )
    assert thin.sum() == pytest.approx(wide.sum(), rel=0.3)
    # Averaged over three pixels, which is less than an eye tells apart, no pixel is far from its colour;
    # only the ends, at the labels, are cut at a slant.
    apart = np.abs(_averaged(thin) - _averaged(wide))[:, int(14 * ratio) : int((SIZE - 14) * ratio)]
    assert apart.max() < 0.16 * 255


def test_after_any_gestures_the_screen_shows_what_a_new_view_draws(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport
) -> None:
    look.set_palette(read_palette("dark"))
    trace = _trace()
    pictures = tuple(head_picture(trace, 0, head) for head in range(3))
    view = on_screen(qtbot, _shown(LinesView(look, selection, viewport), pictures), 460, 700)
    anew = on_screen(qtbot, _shown(LinesView(look, selection, viewport), pictures), 460, 700)
    for number, pair in enumerate(_PAIRS):
        selection.hover(pair.query, pair.key)
        if number == 6:
            viewport.zoom(0.5, 40.0, 40.0)
        _settle(qtbot, view)
        anew.rebuild()
        anew.complete()
        np.testing.assert_array_equal(pixels_on_screen(view), pixels_of(anew), str(pair))


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
