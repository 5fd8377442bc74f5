"""The lines: one where there is a weight, none where there is none, the same however they are drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.language import Language
from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.attention.lines import BLOCK, MARGIN, LinesView
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import retranslate_all
from tests.support.factories import diagonal, trace_of
from tests.support.scene import (
    channels,
    difference_picture,
    on_screen,
    picture_of,
    pixels_of,
    random_attention,
)
from tests.views.attention.conftest import Kind


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
    left, right = view.ends()
    return int((queries.middle(query) + keys.middle(key)) / 2), int((left + right) / 2)


@pytest.mark.parametrize(("query", "key"), [(6, 6), (2, 8), (7, 3)])
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


def test_a_token_that_is_not_looked_at_has_no_line(qtbot: QtBot, view: LinesView) -> None:
    _show(view, _looking(10, {4: 8}))
    on_screen(qtbot, view, 500, 500)
    drawn = _drawn(view)
    _, keys = view.axes()
    x = int(view.ends()[1]) - 3
    touched = {key for key in range(10) if drawn[int(keys.middle(key)), x] != _background(drawn)}
    assert touched == {0, 8}


def test_a_stronger_weight_is_a_stronger_line(qtbot: QtBot, view: LinesView) -> None:
    attention = diagonal(3)[0, 0]
    attention[1] = [0.3, 0.1, 0.6]
    attention[2] = [0.0, 0.0, 1.0]
    _show(view, attention)
    on_screen(qtbot, view, 500, 400)
    drawn = _drawn(view)
    background = QColor(_background(drawn))
    queries, keys = view.axes()
    left, right = (int(end) for end in view.ends())

    def darkness(query: int, key: int) -> int:
        """How far the darkest pixel of the middle of a line is from the background."""
        y, x = int((queries.middle(query) + keys.middle(key)) / 2), (left + right) // 2
        colours = [QColor(int(drawn[y + dy, x])) for dy in range(-3, 4)]
        return max(background.red() - colour.red() for colour in colours)

    assert darkness(2, 2) > darkness(0, 0) - 5 > darkness(1, 2) - 5 > darkness(1, 1)


@pytest.mark.parametrize("n_tokens", [20, 128])
def test_lines_drawn_in_slices_are_those_drawn_at_once(qtbot: QtBot, look: Look, n_tokens: int) -> None:
    at_once, in_slices = (LinesView(look, Selection(), Viewport()) for _ in range(2))
    for view in (at_once, in_slices):
        _show(view, random_attention(n_tokens, sharpness=1.0))
        on_screen(qtbot, view, 400, 500)
    at_once.complete()
    qtbot.waitUntil(lambda: in_slices.is_complete)
    np.testing.assert_array_equal(pixels_of(in_slices), pixels_of(at_once))


def test_a_large_set_takes_more_than_one_slice_and_then_nothing_more(qtbot: QtBot, view: LinesView) -> None:
    _show(view, random_attention(200, sharpness=0.5))
    view.resize(400, 600)
    view.grab()
    assert not view.is_complete
    view.show()
    qtbot.addWidget(view)
    qtbot.waitUntil(lambda: view.is_complete)
    before = pixels_of(view)
    np.testing.assert_array_equal(pixels_of(view), before)


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


def test_a_highlighted_key_draws_the_lines_of_the_queries_that_attend_to_it(
    qtbot: QtBot, view: LinesView
) -> None:
    _show(view, _looking(10, {4: 8, 6: 8, 1: 5}))
    on_screen(qtbot, view, 500, 500)
    view.selection.hover(key=8)
    drawn = _drawn(view)
    accent = QColor(view.look.palette.accent).rgb() & 0xFFFFFF
    assert drawn[_middle_of(view, 4, 8)] == drawn[_middle_of(view, 6, 8)] == accent
    assert drawn[_middle_of(view, 1, 5)] != accent


def test_of_a_new_picture_more_lines_are_drawn_at_once_than_of_a_zoom(qtbot: QtBot, view: LinesView) -> None:
    on_screen(qtbot, view, 400, 400)
    _show(view, random_attention(12))
    assert view.layers is not None
    assert view.layers.at_once > 0
    view.viewport.zoom(0.5, 3.0, 3.0)
    assert view.layers is not None
    assert view.layers.at_once == 0
    _show(view, random_attention(11))
    assert view.layers is not None
    assert view.layers.at_once > 0


def test_zoomed_in_the_lines_go_where_the_tokens_are(qtbot: QtBot, view: LinesView) -> None:
    _show(view, _looking(60, {40: 42}))
    on_screen(qtbot, view, 500, 500)
    view.viewport.show(Span(35.0, 50.0), Span(35.0, 50.0))
    drawn = _drawn(view)
    assert drawn[_middle_of(view, 40, 42)] != _background(drawn)
    queries, keys = view.axes()
    assert queries.token(queries.middle(40)) == 40
    assert keys.span == Span(35.0, 50.0)


def test_another_theme_recolours_the_lines(qtbot: QtBot, view: LinesView) -> None:
    _show(view, _looking(6, {3: 3}))
    on_screen(qtbot, view, 400, 400)
    view.selection.hover(query=3)
    for theme in ("light", "dark"):
        view.look.set_palette(read_palette(theme))
        expected = view.look.colour("accent").rgb() & 0xFFFFFF
        assert _drawn(view)[_middle_of(view, 3, 3)] == expected, theme


def test_a_long_text_looked_at_everywhere_alike_has_lines_too(qtbot: QtBot, view: LinesView) -> None:
    """Each of its weights is below what is drawn beside strong ones: 1/512 of a row."""
    flat = np.full((512, 512), 1 / 512)
    flat[:, 100] = 1.5 / 512
    _show(view, flat / flat.sum(1, keepdims=True))
    on_screen(qtbot, view, 420, 500)
    drawn = _drawn(view)
    left, right = (int(edge) for edge in view.ends())
    between = drawn[:, left + 20 : right - 20]
    assert (between != _background(drawn)).mean() > 0.3
    view.selection.hover(300, None)
    y = int(view.axes()[0].middle(300))
    highlighted = _drawn(view)[y - 2 : y + 3, left + 3 : left + 8]
    assert (highlighted == view.look.colour("accent").rgb() & 0xFFFFFF).any()


def _fresh(qtbot: QtBot, view: LinesView) -> LinesView:
    """Return another view of the same, in which nothing is prepared yet."""
    fresh = LinesView(view.look, view.selection, view.viewport)
    assert view.picture is not None
    fresh.show_picture(view.picture)
    return on_screen(qtbot, fresh, view.width(), view.height())


def test_a_highlighted_query_follows_theme_text_size_and_zoom(qtbot: QtBot, view: LinesView) -> None:
    _show(view, random_attention(30, sharpness=1.0))
    on_screen(qtbot, view, 500, 500)
    view.selection.hover(query=4)
    changes: tuple[Callable[[], None], ...] = (
        lambda: view.look.set_palette(read_palette("dark")),
        lambda: view.look.set_scale(1.25),
        lambda: view.viewport.show(Span(2.0, 20.0), Span(2.0, 20.0)),
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


@pytest.mark.parametrize("ratio", [1.5, 2.0])
def test_on_another_screen_the_lines_are_as_sharp_as_that(
    qtbot: QtBot, view: LinesView, monkeypatch: pytest.MonkeyPatch, ratio: float
) -> None:
    _show(view, random_attention(30, sharpness=1.0))
    on_screen(qtbot, view, 400, 400)
    view.selection.hover(query=4)
    _drawn(view)
    before = view.layers
    assert before is not None
    assert before.frame.ratio == 1.0
    monkeypatch.setattr(view, "devicePixelRatioF", lambda: ratio)
    assert view.layers is not None
    assert view.layers is not before
    assert view.layers.frame.ratio == ratio
    assert view.layers.frame.transparent_image().width() == 400 * ratio
    monkeypatch.undo()


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
    layers = view.layers
    assert layers is not None
    assert view.is_complete
    view.selection.hover(query=50)
    qtbot.waitUntil(lambda: layers.highlight.shown.query == 50 and view.is_complete)
    later = pixels_of(view).copy()
    np.testing.assert_array_equal(later, _drawn(_fresh(qtbot, view)))


def test_of_several_heads_of_a_difference_a_block_has_the_colour_of_its_sign(
    qtbot: QtBot, look: Look, view: LinesView
) -> None:
    weights = np.stack([random_attention(6, seed) for seed in range(6)]).reshape(2, 1, 3, 6, 6)
    one, other = trace_of(weights[0]), trace_of(weights[1])
    pictures = tuple(difference_picture(one, other, 0, head) for head in range(3))
    view.viewport.fit(6)
    view.show_heads(pictures)
    view.show_picture(pictures[0])
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


@pytest.mark.parametrize("kind", [LinesView, MatrixView])
def test_screen_readers_read_the_name_of_a_view_in_the_language_in_force(
    qtbot: QtBot, qapp: QApplication, look: Look, kind: Kind
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    view = kind(look, Selection(), Viewport(), parent=parent)
    assert view.plot.accessibleName().startswith("Attention")
    language = Language(qapp)
    language.choose("ko")
    retranslate_all(parent)
    korean = view.plot.accessibleName()
    language.choose("en")
    assert not korean.isascii()


def test_the_key_of_the_largest_weight_has_its_label_where_not_all_have_room(
    qtbot: QtBot, view: LinesView
) -> None:
    attention = np.full((40, 40), 0.6 / 39)
    attention[:, 0] = 0.4
    attention[13] = np.where(np.arange(40) == 39, 0.61, 0.01)
    _show(view, attention)
    on_screen(qtbot, view, 410, 200)
    layers = view.layers
    assert layers is not None
    _, right = layers.columns.labelled
    assert 39 in right
    assert len(right) < 20
