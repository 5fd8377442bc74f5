"""Vectors in the window: commands and keys reach them, Enter keeps a sentence, a click brings it back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.shell.commands.catalogue import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import Desk
from bertviz_app.views.vectors.view import PAGES, VectorsView


@pytest.fixture
def shown(qtbot: QtBot, window: MainWindow, desk: Desk) -> MainWindow:
    """The window with a text shown."""
    _show(qtbot, desk, "the cat sat")
    return window


def _show(qtbot: QtBot, desk: Desk, text: str, pair: str | None = None) -> None:
    desk.workspace.set_texts(text, pair, at_once=True)
    qtbot.waitUntil(lambda: desk.workspace.is_current)


def _run(window: MainWindow, desk: Desk, text: str) -> None:
    """Run a command as from the palette."""
    (command,) = (command for command in all_commands(window, desk) if command.text == text)
    command.run()


def _view(window: MainWindow, desk: Desk, qtbot: QtBot) -> VectorsView:
    active = desk.panels.active
    assert active is not None
    view = window.stage.area.cards[active.number].view
    assert isinstance(view, VectorsView)
    qtbot.waitUntil(lambda: view.picture is not None)
    return view


def test_commands_show_every_page(qtbot: QtBot, shown: MainWindow, desk: Desk) -> None:
    pages = {
        "Vectors: [CLS] in every layer": "cls",
        "Vectors: hidden states of all tokens": "tokens",
        "Vectors: map of the tokens": "map",
        "Vectors: cosine similarity of the tokens": "similar",
        "Vectors: shelf of sentences": "shelf",
    }
    assert tuple(pages.values()) == PAGES
    for text, key in pages.items():
        _run(shown, desk, text)
        view = _view(shown, desk, qtbot)
        assert view.choice.chosen_key == key
        assert view.page.isVisible()
    assert [panel.how for panel in desk.panels.panels].count("vectors") == 1


def test_commands_step_through_the_layers_and_turn_the_axes(
    qtbot: QtBot, shown: MainWindow, desk: Desk
) -> None:
    _run(shown, desk, "Map: one plane for all layers, or each its own")
    view = _view(shown, desk, qtbot)
    assert view.map_page.is_common
    state = view.state
    _run(shown, desk, "Vectors: one layer back")
    assert view.state == state - 1
    _run(shown, desk, "Vectors: one layer on")
    assert view.state == state


def test_a_full_stop_in_the_panel_steps_the_vectors_not_the_steps(
    qtbot: QtBot, shown: MainWindow, desk: Desk
) -> None:
    _run(shown, desk, "Vectors: map of the tokens")
    view = _view(shown, desk, qtbot)
    view.map_page.map.setFocus()
    state = view.state
    QTest.keyClick(shown.windowHandle(), Qt.Key.Key_Comma)
    assert view.state == state - 1
    assert "steps" not in [panel.how for panel in desk.panels.panels]


def test_enter_keeps_the_sentence_and_the_shelf_brings_it_back(
    qtbot: QtBot, shown: MainWindow, desk: Desk
) -> None:
    QTest.keyClick(shown.bar.text, Qt.Key.Key_Return)
    assert [item.text for item in desk.shelf.items] == ["the cat sat"]
    _show(qtbot, desk, "a dog", "and a bird")
    _run(shown, desk, "Keep the sentence on the shelf")
    assert [item.label for item in desk.shelf.items] == ["the cat sat", "a dog ‖ and a bird"]
    desk.shelf.bring_back(desk.shelf.items[0].number)
    qtbot.waitUntil(lambda: desk.workspace.is_current)
    assert (desk.workspace.text, desk.workspace.pair) == ("the cat sat", None)
    assert shown.bar.text.text() == "the cat sat"
    _run(shown, desk, "Clear the shelf")
    assert desk.shelf.items == ()


def test_the_difference_of_two_runs_has_vectors(qtbot: QtBot, shown: MainWindow, desk: Desk) -> None:
    desk.comparison.set_texts("the cat stood up")
    qtbot.waitUntil(lambda: desk.comparison.shown is not None and desk.comparison.is_current)
    active = desk.panels.active
    assert active is not None
    desk.panels.draw_as(active.number, "vectors")
    desk.panels.show_run(active.number, "A-B")
    view = _view(shown, desk, qtbot)
    qtbot.waitUntil(lambda: "cosines" in view.numbers())
    desk.comparison.end()
    assert [panel.run for panel in desk.panels.panels] == ["A"] * len(desk.panels.panels)
