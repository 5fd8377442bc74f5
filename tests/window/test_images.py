"""An image whose patches are tokens in the window: its panel, what other runs say, its figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.api import analyse, from_arrays, save_trace
from bertviz_app.errors import AppError
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.trace import WeightsTrace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import IMAGE, Content


def made() -> WeightsTrace:
    numbers = np.random.default_rng(0).random((2, 3, 10, 10)).astype(np.float32)
    image = np.full((30, 30, 3), 90, np.uint8)
    return from_arrays(numbers / numbers.sum(-1, keepdims=True), patches=(3, 3), image=image)


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path) -> WeightsTrace:
    trace = made()
    save_trace(trace, tmp_path / "a.npz")
    window.files.open_path(tmp_path / "a.npz")
    area = window.main_area
    qtbot.waitUntil(
        lambda: any(panel.kind.key == IMAGE for panel in app_state.panels.panels) and area.area.is_complete,
        timeout=20_000,
    )
    return trace


def _card(window: MainWindow) -> Any:
    cards = window.main_area.area.cards.values()
    return next(card for card in cards if card.panel.kind.key == IMAGE)


def test_the_window_opens_with_the_image_which_follows_the_strip(
    opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    card = _card(window)
    assert card.stack.message == ""
    view, panel = card.view, card.panel
    weights = opened.attention(panel.layer, panel.head)
    np.testing.assert_array_equal(view.heat.values, weights[0])
    app_state.selection.pin(query=7)
    np.testing.assert_array_equal(view.heat.values, weights[7])


def test_an_analysis_is_drawn_over_it(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    panel = _card(window).panel
    app_state.panels.choose(panel.number, Content("attention-rollout"))
    expected = analyse("attention-rollout", opened).arrays()["values"][panel.layer]
    qtbot.waitUntil(
        lambda: (
            _card(window).view.heat is not None
            and np.allclose(_card(window).view.heat.values, expected[0], atol=1e-6)
        )
    )


def test_a_text_has_no_panel_of_an_image(
    qtbot: QtBot, opened: WeightsTrace, window: MainWindow, app_state: AppState
) -> None:
    number = _card(window).panel.number
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.saved is None and app_state.workspace.is_current)
    qtbot.waitUntil(lambda: window.main_area.area.is_complete)
    assert all(panel.kind.key != IMAGE for panel in app_state.panels.panels)
    app_state.panels.draw_as(number, IMAGE)
    qtbot.waitUntil(lambda: "not the patches of an image" in _card(window).stack.message)


def test_its_figure_is_drawn_and_refused_without_an_image() -> None:
    assert made().figure(IMAGE, layer=1, head=2).svg.startswith("<?xml")
    with pytest.raises(AppError, match="not the patches of an image"):
        from_arrays(np.full((1, 1, 2, 2), 0.5)).figure(IMAGE)
