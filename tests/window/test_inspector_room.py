"""How a weight comes about is in sight in a small window, too; what is not is announced."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.inspector.view import PredictionsSection
from bertviz_app.views.kit.look import Look
from tests.support.scene import turn_events
from tests.support.svg_text import lines_drawn_by


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700), (1920, 1080)])
@pytest.mark.parametrize("is_pinned", [False, True])
def test_the_steps_from_the_product_to_the_weight_are_written(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    size: tuple[int, int],
    is_pinned: bool,
    tmp_path: Path,
) -> None:
    window.resize(*size)
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    if is_pinned:
        app_state.selection.pin(query=1, key=2)
    turn_events()
    page = window.main_area.inspector_page
    look: Look = window.main_area.inspector_page.numbers.look
    words = "\n".join(lines_drawn_by(page.numbers, look, tmp_path))
    for name in ("query · key", "÷ √", "softmax over"):
        assert name in words
    for part in (page.numbers, page.pair_heads, page.predictions):
        assert part.geometry().bottom() <= page.height()


def test_lines_without_room_are_announced(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    numbers = window.main_area.inspector_page.numbers
    numbers.setFixedSize(260, 110)  # a picture of it would grow otherwise
    assert lines_drawn_by(numbers, numbers.look, tmp_path)[-1] == "… 5 more: enlarge the card"


def test_in_the_lowest_card_the_predictions_end_sooner_instead_of_lying_below_the_next_card(
    qtbot: QtBot, window: MainWindow, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    turn_events()
    page = window.main_area.inspector_page
    long = QSize(180, 300)  # lines that wrap in the narrow columns of two runs
    monkeypatch.setattr(PredictionsSection, "minimumSizeHint", lambda _: long)
    lowest = page.minimumSizeHint().height()
    assert lowest < page.pair_heads.desired_height + long.height()
    page.setFixedHeight(lowest)
    turn_events()
    for part in (page.numbers, page.pair_heads, page.predictions):
        assert part.geometry().bottom() <= page.height()
    assert page.predictions.height() >= 94
