"""The inspector in the window: its room, what it exports, and the panels that explain its pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import Numbers
from bertviz_app.viewmodels.panel import MOST, Content, Panel
from bertviz_app.views.inspector.predictions import PredictionsSection
from bertviz_app.views.kit.subject import ExportSubject
from tests.support.scene import expect, lines_drawn_by, not_none, turn_events
from tests.support.window_fixtures import Settle


@pytest.mark.fresh_window
def test_the_steps_from_the_product_to_the_weight_are_written_or_announced(
    window_with_text: MainWindow,
    app_state: AppState,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window, page = window_with_text, window_with_text.main_area.inspector_page
    for is_pinned in (False, True):
        if is_pinned:
            app_state.selection.pin(query=1, key=2)
        for size in ((1280, 800), (1024, 700), (1920, 1080)):
            window.resize(*size)
            turn_events()
            words = "\n".join(lines_drawn_by(page.numbers, page.numbers.look, tmp_path))
            for name in ("query · key", "÷ √", "softmax over"):
                assert name in words
            for part in (page.numbers, page.pair_heads, page.predictions):
                assert part.geometry().bottom() <= page.height()
    long = QSize(180, 300)  # lines that wrap in the narrow columns of two runs
    monkeypatch.setattr(PredictionsSection, "minimumSizeHint", lambda _: long)
    lowest = page.minimumSizeHint().height()
    assert lowest < page.pair_heads.desired_height + long.height()
    page.setFixedHeight(lowest)
    turn_events()
    for part in (page.numbers, page.pair_heads, page.predictions):
        assert part.geometry().bottom() <= page.height(), "predictions end sooner"
    assert page.predictions.height() >= 94
    page.numbers.setFixedSize(260, 110)  # a picture of it would grow otherwise
    lines = lines_drawn_by(page.numbers, page.numbers.look, tmp_path)
    assert lines[-1] == "… 5 more: enlarge the card"
    page.setFixedHeight(page.least_height + page.numbers.look.pixels(18))
    turn_events()
    lines = lines_drawn_by(page.numbers, page.numbers.look, tmp_path)
    assert any(line.startswith("Enlarge the card: what ") for line in lines), "what is left out is announced"


@pytest.fixture
def compared(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with "the cat sat" as run A and "a dog ran off" as run B, shown in the active panel."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    app_state.comparison.set_texts("a dog ran off")
    settle()
    active = not_none(app_state.panels.active)
    app_state.panels.show_run(active.number, "B")
    settle()
    return window


def _exported(window: MainWindow) -> ExportSubject:
    return not_none(window.export.subject(window.main_area.cards.inspector))


def _number(numbers: Numbers, name: str) -> int:
    return expect(int, numbers.facts[name])


def _title(window: MainWindow) -> str:
    turn_events()
    return window.main_area.inspector_page.numbers.accessibleDescription().split(",")[0]


def test_of_run_b_the_numbers_and_the_python_are_those_of_run_b(
    compared: MainWindow, app_state: AppState
) -> None:
    app_state.shown_runs.states["B"].selection.pin(1, 4)
    numbers = _exported(compared).numbers()
    shown = not_none(app_state.comparison.shown)
    trace = shown.result.trace
    labels = trace.tokens.labels
    assert _title(compared) == f"{labels[1]} → {labels[4]}"
    assert (numbers.facts["run"], numbers.facts["text"]) == ("B", "a dog ran off")
    assert (numbers.facts["query"], numbers.facts["key"]) == (1, 4)
    assert numbers.labels["tokens"] == trace.tokens.pieces
    weights = trace.attention(_number(numbers, "layer"), _number(numbers, "head"))
    assert_array_equal(numbers.arrays["row"], weights[1])
    assert_array_equal(numbers.arrays["column"], weights[:, 4])
    assert "a dog ran off" in " ".join(_exported(compared).sheet.lines)
    assert "model.trace('a dog ran off')" in _exported(compared).python
    assert "the cat sat" not in _exported(compared).python


def test_without_a_whole_pair_the_exported_pair_is_the_one_on_screen(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    shown = not_none(app_state.workspace.shown)
    labels = shown.result.trace.tokens.labels
    for query, key in ((None, None), (None, 2), (3, None), (3, 2)):
        app_state.selection.clear()
        if query is not None or key is not None:
            app_state.selection.pin(query, key)
        numbers = _exported(window_with_text).numbers()
        pair = _number(numbers, "query"), _number(numbers, "key")
        assert _title(window_with_text) == f"{labels[pair[0]]} → {labels[pair[1]]}"
        if query is None and key is None:
            row = shown.result.trace.attention(_number(numbers, "layer"), _number(numbers, "head"))[1]
            assert pair == (1, int(np.argmax(row)))


@pytest.fixture
def window_with_pair(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    app_state.workspace.set_texts("the cat sat down", None, at_once=True)
    settle()
    app_state.panels.open([Panel(0, 1, 2, "matrix")])
    app_state.selection.pin(3, 2)
    return window


def explaining(app_state: AppState) -> list[dict[str, object]]:
    found = [one.shown_content for one in app_state.panels.panels if one.content.analysis == "score-parts"]
    return [dict(content.parameters) for content in found]


def test_the_inspector_opens_a_panel_for_its_pair_which_follows_the_pinned_pair(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    QTest.mouseClick(window_with_pair.main_area.inspector_page.pair_heads.why, Qt.MouseButton.LeftButton)
    assert explaining(app_state) == [{"layer": 1, "head": 2, "query": 3, "key": 2}]
    assert len(app_state.panels.panels) == 2
    app_state.selection.pin(1, 4)
    followed = [{"layer": 1, "head": 2, "query": 1, "key": 4}]
    assert explaining(app_state) == followed
    app_state.selection.hover(2, 2)  # the pointer alone changes nothing
    assert explaining(app_state) == followed
    app_state.selection.clear()
    assert explaining(app_state) == followed
    (command,) = [one for one in all_commands(window_with_pair) if one.text == "Why this weight?"]
    assert command.keys == "Shift+Y"
    command.run()
    assert len(explaining(app_state)) == 1


def test_where_no_panel_fits_the_active_one_explains(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    app_state.panels.open([Panel(0, 0, 1, "matrix")] * MOST)
    app_state.shown_runs.why_weight.ask()
    assert len(app_state.panels.panels) == MOST
    assert explaining(app_state) == [{"layer": 0, "head": 1, "query": 3, "key": 2}]


def test_predictions_by_layer_follow_a_piece_that_is_chosen_in_the_inspector(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    by_layer = Content("logit-lens", (("top", 3), ("piece", "dog")))
    app_state.panels.open([Panel(0, 0, 1, "reasons", content=by_layer), Panel(0, 0, 1, "lines")])
    window_with_pair.main_area.inspector_page.predictions.views["A"].piece_chosen.emit(2, "cat")
    followed, other = app_state.panels.panels
    assert followed.shown_content.parameters == (("top", 3), ("piece", "cat"))
    assert not other.content.analysis
    window_with_pair.main_area.inspector_page.predictions.views["B"].piece_chosen.emit(2, "mat")
    assert app_state.panels.panels[0] == followed, "it shows run A"
