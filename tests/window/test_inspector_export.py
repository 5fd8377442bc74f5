"""What is exported of the inspector is what it shows: the run, the head and the pair on screen."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bertviz_app.shell.window.export_subjects import ExportSubject
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.export import Numbers
from tests.support.scene import turn_events
from tests.support.window_fixtures import Settle


@pytest.fixture
def compared(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with "the cat sat" as run A and "a dog ran off" as run B, shown in the active panel."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    app_state.comparison.editor.set_texts("a dog ran off")
    settle()
    active = app_state.panels.active
    assert active is not None
    app_state.panels.show_run(active.number, "B")
    settle()
    return window


def _exported(window: MainWindow) -> ExportSubject:
    subject = window.export.subject(window.main_area.cards.inspector)
    assert subject is not None
    return subject


def _number(numbers: Numbers, name: str) -> int:
    fact = numbers.facts[name]
    assert isinstance(fact, int)
    return fact


def _title(window: MainWindow) -> str:
    turn_events()
    return window.main_area.inspector_page.numbers.accessibleDescription().split(",")[0]


def test_of_run_b_the_numbers_and_the_python_are_those_of_run_b(
    compared: MainWindow, app_state: AppState
) -> None:
    app_state.shown_runs.states["B"].selection.pin(1, 4)
    numbers = _exported(compared).numbers()
    shown = app_state.comparison.shown
    assert shown is not None
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


@pytest.mark.parametrize("query", [None, 3])
@pytest.mark.parametrize("key", [None, 2])
def test_without_a_whole_pair_the_exported_pair_is_the_one_on_screen(
    window: MainWindow, app_state: AppState, settle: Settle, query: int | None, key: int | None
) -> None:
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    if query is not None or key is not None:
        app_state.selection.pin(query, key)
    shown = app_state.workspace.shown
    assert shown is not None
    labels = shown.result.trace.tokens.labels
    numbers = _exported(window).numbers()
    pair = _number(numbers, "query"), _number(numbers, "key")
    assert _title(window) == f"{labels[pair[0]]} → {labels[pair[1]]}"
    if query is None and key is None:
        row = shown.result.trace.attention(_number(numbers, "layer"), _number(numbers, "head"))[1]
        assert pair == (1, int(np.argmax(row)))
