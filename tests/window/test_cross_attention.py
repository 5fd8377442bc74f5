"""Attention from one text to another in the window: two strips, rectangular pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.measures import KEYS, NEEDS_ONE_TEXT
from bertviz_app.api import EncoderDecoderTraces, from_arrays, save_trace
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.trace import WeightsTrace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.state import Pair
from bertviz_app.views.kit.widgets import Notice
from tests.support.scene import expect, not_none

ENCODER, DECODER = ["the", "keys", "are", "lost", "</s>"], ["<pad>", "die", "weg"]


def numbers(seed: int = 0) -> Floats:
    found = np.random.default_rng(seed).random((2, 3, 3, 5)).astype(np.float32)
    weights: Floats = found / found.sum(-1, keepdims=True)
    return weights


def made(seed: int = 0, decoder: list[str] = DECODER) -> WeightsTrace:
    return from_arrays(cross_attention=numbers(seed), encoder_tokens=ENCODER, decoder_tokens=decoder)


def _is_shown(window: MainWindow, app_state: AppState) -> bool:
    """Return whether numbers of cross-attention are on screen: those of a session are prepared first."""
    shown = app_state.workspace.shown
    return shown is not None and shown.result.trace.is_cross and window.main_area.area.is_complete


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path) -> WeightsTrace:
    save_trace(made(), tmp_path / "cross.npz")
    window.files.open_path(tmp_path / "cross.npz")
    qtbot.waitUntil(lambda: _is_shown(window, app_state), timeout=20_000)
    return expect(WeightsTrace, not_none(app_state.workspace.shown).result.trace)


def _view(window: MainWindow, app_state: AppState, kind: str) -> Any:
    active = not_none(app_state.panels.active)
    app_state.panels.draw_as(active.number, kind)
    return window.main_area.area.cards[active.number].view


@pytest.mark.parametrize("kind", ["lines", "matrix"])
def test_queries_and_keys_are_of_their_own_texts(
    kind: str, qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    view = _view(window, app_state, kind)
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    picture = view.picture
    np.testing.assert_array_equal(picture.source.rows(0, 3), numbers()[picture.layer, picture.head])
    assert (picture.token_order.queries.names, picture.token_order.keys.names) == (
        tuple(DECODER),
        tuple(ENCODER),
    )
    assert [labels.texts for labels in view.labels] == [opened.tokens.labels, opened.key_tokens.labels]


def test_each_text_has_a_strip_and_a_click_in_each_pins_the_pair(
    opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    area = window.main_area
    assert area.key_strip.isVisibleTo(area)
    assert (area.strip.tokens, area.key_strip.tokens) == (opened.tokens, opened.key_tokens)
    for strip, token in ((area.strip, 1), (area.key_strip, 4)):
        x = next(x for x in range(60, strip.width()) if strip.token_at(x) == token)
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(x + 5, 20))
    assert app_state.selection.pinned == Pair(1, 4)
    pair = not_none(app_state.shown_runs.inspected.pair)
    assert pair.labels == ("die", "</s>")
    assert pair.numbers.weight == numbers()[pair.layer, pair.head, 1, 4]
    assert pair.numbers.n_keys == 5
    QTest.keyClick(area.key_strip, Qt.Key.Key_Left)
    assert app_state.selection.pinned == Pair(1, 3)
    QTest.keyClick(area.strip, Qt.Key.Key_Right)
    assert app_state.selection.pinned == Pair(2, 3)


def test_measures_of_positions_are_blank_and_say_why(
    opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    model = window.main_area.heads.heads
    texts = {key: model.text(0, column) for column, key in enumerate(KEYS, start=1)}
    assert {key for key, text in texts.items() if text != "–"} == {"entropy", "largest"}
    column = 1 + KEYS.index("distance")
    tip = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert NEEDS_ONE_TEXT in str(tip)
    described = window.main_area.cards.overview.view.lines_of((0, 0))
    assert str(NEEDS_ONE_TEXT) in described
    shown = not_none(app_state.workspace.shown)
    assert shown.overview.pictures.shape == (2, 3, 3, 5)


@pytest.mark.parametrize("treatment", ["hidden", "removed"])
def test_special_tokens_of_both_texts_are_left_out(
    treatment: Any, qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    view = _view(window, app_state, "matrix")
    app_state.store.change(options=app_state.store.now.options.with_special_tokens(treatment))
    shown = app_state.workspace
    qtbot.waitUntil(
        lambda: (
            shown.shown is not None
            and shown.shown.overview.stamp.special_tokens == treatment
            and window.main_area.area.is_complete
        )
    )
    picture = view.picture
    assert picture.token_order.counts == (2, 4)
    expected = numbers()[picture.layer, picture.head, 1:, :4]
    if treatment == "removed":
        expected = expected / expected.sum(-1, keepdims=True)
    np.testing.assert_allclose(picture.source.rows(0, 2), expected, rtol=1e-6)
    assert shown.shown is not None
    assert shown.shown.overview.pictures.shape == (2, 3, 2, 4)
    if treatment == "removed":
        largest = shown.shown.overview.measures["largest"][picture.layer, picture.head]
        assert largest == pytest.approx(expected.max(-1).mean(), rel=1e-6)


def test_runs_of_the_same_texts_are_compared_and_others_refused(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    comparison = app_state.comparison
    save_trace(made(1), tmp_path / "b.npz")
    window.files.compare_with_file(tmp_path / "b.npz")
    qtbot.waitUntil(lambda: comparison.difference is not None and window.main_area.area.is_complete)
    app_state.selection.pin(2, 4)
    assert app_state.shown_runs.states["B"].selection.pinned == Pair(2, 4)
    assert app_state.shown_runs.states["A-B"].selection.pinned == Pair(2, 4)
    cards = window.main_area.area.cards.values()
    card: Any = next(card for card in cards if card.panel.run == "A-B")
    picture = card.view.picture
    at = picture.layer, picture.head
    np.testing.assert_array_equal(picture.source.rows(0, 3), numbers()[at] - numbers(1)[at])
    difference = not_none(app_state.shown_runs.pinned_pair.difference())
    np.testing.assert_allclose(difference.values, (numbers() - numbers(1))[:, :, 2, 4], atol=1e-7)
    save_trace(made(1, [*DECODER[:2], "fort"]), tmp_path / "c.npz")
    window.files.compare_with_file(tmp_path / "c.npz")
    qtbot.waitUntil(lambda: comparison.problem is not None)
    assert "between the same tokens only" in not_none(comparison.problem).error.message


def test_a_session_keeps_it_and_a_typed_text_has_one_strip(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    app_state.selection.pin(1, 4)
    with qtbot.waitSignal(window.files.saved):
        window.files.save(tmp_path / "a.bva")
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.saved is None and app_state.workspace.is_current)
    assert not window.main_area.key_strip.isVisibleTo(window.main_area)
    assert window.main_area.strip.side == "both"
    window.files.open_path(tmp_path / "a.bva")
    qtbot.waitUntil(lambda: _is_shown(window, app_state))
    assert window.main_area.key_strip.isVisibleTo(window.main_area)
    assert app_state.selection.pinned == Pair(1, 4)


def test_the_window_opens_at_the_chosen_layer_and_heads_and_offers_the_included_ones(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    weights = np.full((4, 6, 5, 5), 0.2, np.float32)
    chosen: dict[str, Any] = {
        "include_layers": [1, 3],
        "include_heads": [0, 2, 5],
        "layer": 3,
        "heads": [2, 5],
    }
    save_trace(from_arrays(weights, [*"abcde"], **chosen), tmp_path / "a.npz")
    window.files.open_path(tmp_path / "a.npz")
    panels, area = app_state.panels, window.main_area
    qtbot.waitUntil(lambda: panels.store.now.included.is_partial and area.area.is_complete, timeout=20_000)
    (lines,) = (panel for panel in panels.panels if panel.kind.key == "lines")
    assert (lines.layer, lines.shown_heads) == (3, (2, 5))
    overview = area.cards.overview.view
    assert overview.heads == tuple((layer, head) for layer in (1, 3) for head in (0, 2, 5))
    assert overview.counts == (2, 3)
    assert set(area.heads.shown.heads_shown()) == {*overview.heads}
    walked = []
    for _ in range(3):
        panels.walk(1, 1)
        assert panels.active is not None
        walked.append((panels.active.layer, panels.active.head))
    assert walked == [(1, 5), (3, 0), (1, 2)]
    notice = next(one for one in window.findChildren(Notice) if one.isVisibleTo(window))
    button = next(one for one in notice.findChildren(QPushButton) if "all layers" in one.text())
    button.click()
    assert len(overview.heads) == area.heads.shown.rowCount() == 24


def test_an_encoder_decoder_offers_its_three_attentions(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    of_encoder, of_decoder = (from_arrays(np.full((2, 3, n, n), 1 / n, np.float32)) for n in (5, 3))
    save_trace(EncoderDecoderTraces(of_encoder, of_decoder, made()), tmp_path / "three.npz")
    window.files.open_path(tmp_path / "three.npz")

    def shows(part: str) -> bool:
        shown = app_state.workspace.shown
        trace = None if shown is None else shown.result.trace
        return getattr(trace, "part", "") == part and window.main_area.area.is_complete

    def choose(words: str) -> None:
        buttons = [
            button
            for notice in window.findChildren(Notice)
            if notice.isVisibleTo(window)
            for button in notice.findChildren(QPushButton)
        ]
        next(button for button in buttons if words in button.text()).click()

    qtbot.waitUntil(lambda: shows("cross"), timeout=20_000)
    choose("encoder's")
    qtbot.waitUntil(lambda: shows("encoder"))
    tokens = not_none(window.main_area.strip.tokens)
    assert len(tokens) == 5
    choose("decoder's")
    qtbot.waitUntil(lambda: shows("decoder"))
    assert not window.main_area.key_strip.isVisibleTo(window.main_area)
    choose("from decoder to encoder")
    qtbot.waitUntil(lambda: shows("cross"))
    assert window.main_area.key_strip.isVisibleTo(window.main_area)
