"""The weights over an image: which numbers are drawn where, and what a pointer and a click choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from bertviz_app.trace import WeightsTrace, from_arrays
from bertviz_app.types import Floats
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import DrawOptions, Pair, Store
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.matrix import PatchesView
from bertviz_app.views.kit.look import Look
from tests.support.scene import click, head_picture, leave, move, not_none, on_screen, pixels_of

SIZE = 400


def _weights(*shape: int) -> Floats:
    found = np.random.default_rng(5).random(shape).astype(np.float32) ** 4
    weights: Floats = found / found.sum(-1, keepdims=True)
    return weights


IMAGE = np.full((40, 60, 3), 128, np.uint8)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def view(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, store: Store) -> PatchesView:
    view = PatchesView(look, selection, viewport, store)
    on_screen(qtbot, view, SIZE, SIZE)
    return view


def _own() -> WeightsTrace:
    return from_arrays(_weights(1, 2, 7, 7), patches=(2, 3), image=IMAGE)


def _cross() -> WeightsTrace:
    given: dict[str, Any] = {"cross_attention": _weights(1, 2, 4, 6), "decoder_tokens": [*"abcd"]}
    return from_arrays(**given, patches=(2, 3), image=IMAGE)


def _show(view: PatchesView, trace: WeightsTrace) -> Floats:
    picture = head_picture(trace, 0, 1, options=view.store.now.options)
    view.viewport.fit(*picture.token_order.counts)
    view.show_picture(picture)
    return trace.attention(0, 1)


def _values(view: PatchesView) -> Floats:
    return not_none(view.heat).values


def _middle(view: PatchesView, token: int) -> QPointF:
    square = not_none(view.square(token))
    return square.center()


def test_the_row_of_the_chosen_token_is_drawn_at_first_that_ahead(
    view: PatchesView, selection: Selection
) -> None:
    weights = _show(view, _own())
    np.testing.assert_array_equal(_values(view), weights[0])
    selection.pin(query=4)
    np.testing.assert_array_equal(_values(view), weights[4])
    selection.pin(query=2, key=5)
    np.testing.assert_array_equal(_values(view), weights[2])
    selection.clear()
    selection.hover(key=3)
    np.testing.assert_array_equal(_values(view), weights[:, 3])
    assert not_none(view.heat).caption == "What looks at 0,2"


def test_where_no_token_is_chosen_the_mean_is_drawn(view: PatchesView) -> None:
    trace = from_arrays(_weights(1, 2, 6, 6), patches=(2, 3), image=IMAGE)
    weights = _show(view, trace)
    np.testing.assert_allclose(_values(view), weights.mean(0), rtol=1e-6)


def test_patches_lie_row_by_row_in_the_proportions_of_the_image(view: PatchesView) -> None:
    _show(view, _own())
    squares = [view.square(token) for token in range(7)]
    assert all(square is not None for square in squares)
    first, second, below = (_middle(view, token) for token in (1, 2, 4))
    assert second.x() > first.x()
    assert second.y() == first.y()
    assert below.y() > first.y()
    assert below.x() == first.x()
    square = not_none(view.square(1))
    assert square.width() / square.height() == pytest.approx((60 / 3) / (40 / 2))
    assert [view.token_at(_middle(view, token)) for token in range(7)] == [*range(7)]
    assert view.token_at(QPointF(1, 1)) is None
    assert view.square(7) is None


def test_a_click_chooses_a_patch_and_the_pointer_reads_its_weight(
    view: PatchesView, selection: Selection
) -> None:
    weights = _show(view, _own())
    point = _middle(view, 5)
    click(view.plot, point.x(), point.y())
    assert selection.pinned == Pair(query=5)
    point = _middle(view, 3)
    move(view.plot, point.x(), point.y())
    assert selection.hovered == Pair(5, 3)
    np.testing.assert_array_equal(_values(view), weights[5])
    assert view.plot.read_out.lines[0] == "1,1 → 0,2"
    assert f"{weights[5, 3]:.4f}" in str(view.plot.read_out.lines[1])
    leave(view.plot)
    assert not selection.hovered


def test_patches_that_do_not_look_are_pinned_with_the_token_that_does(
    view: PatchesView, selection: Selection
) -> None:
    weights = _show(view, _cross())
    np.testing.assert_allclose(_values(view), weights.mean(0), rtol=1e-6)
    selection.pin(query=2)
    np.testing.assert_array_equal(_values(view), weights[2])
    point = _middle(view, 4)
    click(view.plot, point.x(), point.y())
    assert selection.pinned == Pair(2, 4)


def test_the_strongest_patch_has_the_strongest_colour(view: PatchesView, look: Look) -> None:
    weights = _show(view, _own())
    drawn = pixels_of(view.plot)
    patches = weights[0, 1:]
    at = _middle(view, 1 + int(patches.argmax()))
    strongest = int(drawn[int(at.y()), int(at.x())])
    assert view.heat is not None
    opacity = view.heat.colours[1 + int(patches.argmax())] >> 24
    whole = int(look.weights[round(255 * float(patches.max()) / view.heat.largest)])
    for shift in (0, 8, 16):
        expected = ((whole >> shift & 255) * opacity + 128 * (255 - opacity)) / 255
        assert (strongest >> shift & 255) == pytest.approx(expected, abs=3)


@pytest.mark.parametrize("treatment", ["hidden", "removed"])
def test_special_tokens_that_are_hidden_have_no_colour(
    view: PatchesView, store: Store, treatment: Any
) -> None:
    store.change(options=store.now.options.with_special_tokens(treatment))
    weights = _show(view, _own())
    assert np.isnan(_values(view)[0])
    assert not_none(view.heat).colours[0] >> 24 == 0
    rest = weights[1:, 1:]
    rest = rest / rest.sum(-1, keepdims=True) if treatment == "removed" else rest
    np.testing.assert_allclose(_values(view)[1:], rest.mean(0), rtol=1e-5)


def test_a_logarithmic_scale_shows_faint_patches(view: PatchesView, store: Store) -> None:
    _show(view, _own())
    assert view.heat is not None
    before = view.heat.colours >> 24
    store.change(options=DrawOptions(scale="log"))
    after = view.heat.colours >> 24
    assert after.sum() > before.sum()


def test_in_print_it_is_as_high_as_the_image_needs(view: PatchesView) -> None:
    _show(view, _own())
    height = view.printed_height
    view.resize(SIZE, round(height))
    square = not_none(view.square(1))
    assert 3 * square.width() == pytest.approx(SIZE - 24, abs=3)
    assert not view.lacks_room
    view.setMinimumSize(0, 0)
    view.resize(30, 60)
    view.plot.lay_out()
    assert view.lacks_room


def test_before_there_is_an_image_nothing_can_go_wrong(view: PatchesView, selection: Selection) -> None:
    pixels_of(view.plot)
    move(view.plot, 100, 100)
    click(view.plot, 100, 100)
    assert not selection.shown
