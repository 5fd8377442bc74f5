"""Vectors in the window: commands and keys reach them, Enter keeps a sentence, a click brings it back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.options import PAGES
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.vectors.view import VectorsView


def _show(qtbot: QtBot, app_state: AppState, text: str, pair: str | None = None) -> None:
    app_state.workspace.set_texts(text, pair, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)


def _run(window: MainWindow, text: str) -> None:
    """Run a command as from the palette."""
    (command,) = (command for command in window.commands() if command.text == text)
    command.run()


def _view(window: MainWindow, app_state: AppState, qtbot: QtBot) -> VectorsView:
    active = app_state.panels.active
    assert active is not None
    view = window.main_area.area.cards[active.number].view
    assert isinstance(view, VectorsView)
    qtbot.waitUntil(lambda: view.shown_head is not None)
    return view


def test_commands_show_every_page(qtbot: QtBot, window_with_text: MainWindow, app_state: AppState) -> None:
    pages = {
        "Vectors: [CLS] in every layer": "cls",
        "Vectors: hidden states of all tokens": "tokens",
        "Vectors: map of the tokens": "map",
        "Vectors: cosine similarity of the tokens": "similar",
        "Vectors: shelf of sentences": "shelf",
    }
    assert tuple(pages.values()) == PAGES
    for text, key in pages.items():
        _run(window_with_text, text)
        view = _view(window_with_text, app_state, qtbot)
        assert view.choice.chosen_key == key
        assert view.page.isVisible()
    assert [panel.view_kind for panel in app_state.panels.panels].count("vectors") == 1


def test_commands_step_through_the_layers_and_turn_the_axes(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    _run(window_with_text, "Map: common axes, or axes per layer")
    view = _view(window_with_text, app_state, qtbot)
    assert view.stack.map.is_common
    state = view.state
    _run(window_with_text, "Vectors: previous layer")
    assert view.state == state - 1
    _run(window_with_text, "Vectors: next layer")
    assert view.state == state


def test_a_comma_and_a_full_stop_in_the_panel_step_the_vectors_not_the_steps(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    _run(window_with_text, "Vectors: map of the tokens")
    view = _view(window_with_text, app_state, qtbot)
    view.stack.map.map.setFocus()
    state = view.state
    QTest.keyClick(window_with_text.windowHandle(), Qt.Key.Key_Comma)
    assert view.state == state - 1
    QTest.keyClick(window_with_text.windowHandle(), Qt.Key.Key_Period)
    assert view.state == state
    assert "steps" not in [panel.view_kind for panel in app_state.panels.panels]


def test_enter_keeps_the_sentence_and_the_shelf_brings_it_back(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text.frame.bar.text, Qt.Key.Key_Return)
    assert [item.text for item in app_state.kept_vectors.items] == ["the cat sat"]
    _show(qtbot, app_state, "a dog", "and a bird")
    _run(window_with_text, "Add the sentence to the shelf")
    assert [item.label for item in app_state.kept_vectors.items] == ["the cat sat", "a dog ‖ and a bird"]
    app_state.kept_vectors.bring_back(app_state.kept_vectors.items[0].number)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert (app_state.workspace.text, app_state.workspace.pair) == ("the cat sat", None)
    assert window_with_text.frame.bar.text.text() == "the cat sat"
    _run(window_with_text, "Clear the shelf")
    assert app_state.kept_vectors.items == ()


def test_the_difference_of_two_runs_has_vectors(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.comparison.editor.set_texts("the cat stood up")
    qtbot.waitUntil(lambda: app_state.comparison.shown is not None and app_state.comparison.is_current)
    active = app_state.panels.active
    assert active is not None
    app_state.panels.draw_as(active.number, "vectors")
    app_state.panels.show_run(active.number, "A-B")
    view = _view(window_with_text, app_state, qtbot)
    qtbot.waitUntil(lambda: "cosines" in view.numbers())
    app_state.comparison.end()
    assert [panel.run for panel in app_state.panels.panels] == ["A"] * len(app_state.panels.panels)


def test_a_click_on_a_head_of_another_layer_shows_that_layers_row(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    app_state.panels.show(1, 0)
    _run(window_with_text, "Vectors: [CLS] in every layer")
    page = _view(window_with_text, app_state, qtbot).stack.cls
    assert page.heat.marks.row == len(page.row_names) - 1, "what the layers lead to"
    overview = window_with_text.main_area.cards.overview.view
    at = overview.cell_rect(0, 1).center().toPoint()
    QTest.mouseClick(overview.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: page.heat.marks.row == 1)
    assert page.row_names[1] == "layer 0"
