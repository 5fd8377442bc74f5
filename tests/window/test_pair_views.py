"""The pinned pair in the window: overview, table, inspector; with two runs, edits, undo and sessions."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.export_subjects import subject_of
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.overview.heads_table import PAIR
from tests.support.scene import click, drag, turn_events
from tests.support.window_fixtures import Settle


@pytest.fixture
def window_with_matrix(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    app_state.workspace.set_texts("the cat sat down", None, at_once=True)
    settle()
    app_state.panels.open([Panel(0, 1, 1, "matrix")])
    return window


def _weights(app_state: AppState, run: str, query: int, key: int) -> list[float]:
    """Return the weights of a pair, head by head, as the table writes them."""
    shown = app_state.workspace.shown if run == "A" else app_state.comparison.shown
    assert shown is not None
    trace = shown.result.trace
    found = trace.attention(rows=slice(query, query + 1))[:, :, 0, key]
    return [float(f"{weight:.4f}") for weight in found.ravel()]


def _column(window: MainWindow) -> list[float]:
    model = window.main_area.heads.heads
    return [float(str(model.index(row, PAIR).data())) for row in range(model.rowCount())]


def test_a_pinned_pair_is_in_the_overview_the_table_and_the_inspector(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    area = window_with_matrix.main_area
    assert area.cards.overview.view.shown_pair is None
    app_state.selection.pin(3, 2)
    pair = area.cards.overview.view.shown_pair
    assert pair is not None
    assert pair.title == "sat → cat"
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    assert not area.heads.isColumnHidden(PAIR)
    pair_heads = area.inspector_page.pair_heads
    best = np.argsort(_weights(app_state, "A", 3, 2))[::-1][:3]
    assert [(one.layer, one.head) for one in pair_heads.heads] == [divmod(int(index), 3) for index in best]
    QTest.mouseClick(pair_heads.buttons[0], Qt.MouseButton.LeftButton)
    active = app_state.panels.active
    assert active is not None
    assert (active.layer, active.head) == divmod(int(best[0]), 3)
    assert area.cards.overview.view.shown_pair is not None  # the pair is still there


def test_another_text_has_the_pair_of_the_same_positions(
    window_with_matrix: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.selection.pin(3, 2)
    app_state.workspace.set_texts("one dog ran off again", None, at_once=True)
    settle()
    pair = window_with_matrix.main_area.cards.overview.view.shown_pair
    assert pair is not None
    assert pair.title == "ran → dog"
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    app_state.workspace.set_texts("", None, at_once=True)
    app_state.workspace.set_texts("a", None, at_once=True)
    settle()
    assert window_with_matrix.main_area.cards.overview.view.shown_pair is None


def test_each_run_shows_its_own_weights_and_the_comparison_their_difference(
    window_with_matrix: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.selection.pin(3, 2)
    app_state.comparison.editor.set_texts("the old cat sat down", None)
    settle()
    runs, view = window_with_matrix.main_area.runs, window_with_matrix.main_area.cards.overview.view
    runs.show_run("A-B")
    difference = runs.divergence.shown_pair
    assert difference is not None
    more = np.subtract(_weights(app_state, "A", 3, 2), _weights(app_state, "B", 4, 3))
    assert difference.values.reshape(-1) == pytest.approx(more, abs=1e-4)
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    runs.show_run("B")
    assert view.shown_pair is not None
    assert view.shown_pair.tokens == Pair(4, 3)  # the aligned tokens of run B
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "B", 4, 3), abs=1e-4)
    runs.show_run("A")
    assert view.shown_pair.tokens == Pair(3, 2)
    app_state.comparison.end()
    assert view.shown_pair.tokens == Pair(3, 2)
    assert runs.divergence.shown_pair is None


def test_the_inspector_names_the_heads_of_the_run_that_it_explains(
    window_with_matrix: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.editor.set_texts("the old cat sat down", None)
    settle()
    app_state.selection.pin(3, 2)
    of_b = next(panel for panel in app_state.panels.panels if panel.run == "B")
    app_state.panels.activate(of_b.number)
    best = max(_weights(app_state, "B", 4, 3))
    assert window_with_matrix.main_area.inspector_page.pair_heads.heads[0].weight == pytest.approx(
        best, abs=1e-4
    )


def test_hidden_special_tokens_do_not_shift_the_pair(
    qtbot: QtBot, window_with_matrix: MainWindow, app_state: AppState
) -> None:
    app_state.options.change(hides_special=True)
    app_state.selection.pin(3, 2)
    assert _column(window_with_matrix) == pytest.approx(_weights(app_state, "A", 3, 2), abs=1e-4)
    assert window_with_matrix.main_area.cards.overview.pair.text() == "sat → cat"


def test_a_pair_is_pinned_by_a_drag_in_the_strip(window_with_matrix: MainWindow) -> None:
    strip, view = window_with_matrix.main_area.strip, window_with_matrix.main_area.cards.overview.view
    found = [x for x in range(0, strip.width(), 2) if strip.token_at(x) in (2, 3)]
    first = next(x for x in found if strip.token_at(x) == 3) + 6
    last = found[0] + 6
    drag(strip, [(first, 40), (last, 40)])
    assert view.shown_pair is not None
    assert view.shown_pair.tokens == Pair(3, 2)


def test_undo_takes_the_pair_and_the_button_back_one_by_one(
    qtbot: QtBot, window_with_matrix: MainWindow, app_state: AppState
) -> None:
    history, overview = window_with_matrix.session.history, app_state.overview
    history.end_typing()
    app_state.selection.pin(3, 2)
    turn_events()
    click(window_with_matrix.main_area.cards.overview.pair, 10, 10)
    turn_events()
    assert not overview.value.shows_pair
    history.undo()
    assert overview.value.shows_pair
    assert app_state.selection.pinned == Pair(3, 2)
    assert window_with_matrix.main_area.cards.overview.view.shown_pair is not None
    history.undo()
    assert not app_state.selection.pinned
    assert window_with_matrix.main_area.cards.overview.view.shown_pair is None


def test_the_numbers_and_lines_of_the_overview_have_the_pair(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    app_state.selection.pin(3, 2)
    subject = subject_of(app_state, window_with_matrix.main_area, window_with_matrix.main_area.cards.overview)
    assert subject is not None
    numbers = subject.numbers()
    assert numbers.arrays["pair_weight"].ravel().tolist() == pytest.approx(
        _weights(app_state, "A", 3, 2), abs=1e-4
    )
    assert (numbers.facts["query"], numbers.facts["key"]) == (3, 2)
    assert "pair_weights(trace, 3, 2)" in subject.python


def test_the_command_orders_the_heads_by_the_pair_that_is_shown(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    commands = {one.text: one for one in all_commands(window_with_matrix)}
    command = commands["Overview: sort by the measure, or by layer and head"]
    app_state.selection.pin(3, 2)
    command.run()
    heads = window_with_matrix.main_area.cards.overview.view.cells.heads
    weights = np.reshape(_weights(app_state, "A", 3, 2), (2, 3))
    assert [weights[at] for at in heads] == sorted(weights.ravel(), reverse=True)
    command.run()
    assert not window_with_matrix.main_area.cards.overview.view.cells.is_rearranged


def test_the_next_measure_is_shown_instead_of_the_pair(
    window_with_matrix: MainWindow, app_state: AppState
) -> None:
    commands = {one.text: one for one in all_commands(window_with_matrix)}
    commands["Overview: show the next measure"].run()
    assert app_state.overview.value.shows_pair
    app_state.selection.pin(3, 2)
    commands["Overview: show Entropy"].run()
    assert (app_state.overview.value.shows, app_state.overview.value.shows_pair) == ("entropy", False)
    commands["Overview: show the pinned pair in every head, or what was shown before"].run()
    assert window_with_matrix.main_area.cards.overview.view.shown_pair is not None
    app_state.selection.clear()
    assert app_state.overview.value.shows == "entropy"
