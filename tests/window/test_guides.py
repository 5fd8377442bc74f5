"""The command that a guide has the reader write, as it stands there."""

from __future__ import annotations

import ast
from typing import Any
from unittest.mock import Mock, call

import pytest

from bertviz_app.shell.commands import views as panels
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import Pair
from tests.support.module_facts import examples, run_example
from tests.support.scene import not_none


@pytest.fixture
def names() -> dict[str, Any]:
    """The names of the module of commands of panels, and the function of the guide."""
    names: dict[str, Any] = {**vars(panels)}
    run_example(examples("add_a_command.md")[1], names)
    return names


def _command(names: dict[str, Any], window: MainWindow) -> Command:
    """Return the command whose entry the guide shows in the list of commands."""
    (entry,) = (
        node
        for node in ast.walk(ast.parse(examples("add_a_command.md")[0]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Command"
    )
    command = eval(compile(ast.Expression(entry), "entry", "eval"), {**names, "window": window})
    assert isinstance(command, Command)
    return command


def test_the_command_of_the_guide_has_keys_of_its_own_and_pins_the_most_attended_token(
    window_with_text: MainWindow, app_state: AppState, names: dict[str, Any]
) -> None:
    command = _command(names, window_with_text)
    taken = all_commands(window_with_text)
    assert command.text not in {other.text for other in taken}
    assert command.keys not in {keys for other in taken for keys in (other.keys, *other.more_keys)}
    app_state.selection.pin(query=2)
    pair = not_none(app_state.shown_runs.inspected.pair)
    command.run()
    assert app_state.selection.pinned == Pair(int(pair.row.argmax()))


def test_without_a_text_the_command_of_the_guide_shows_a_warning(
    app_state: AppState, names: dict[str, Any]
) -> None:
    recorder = Mock(app_state=app_state)
    _command(names, recorder).run()
    assert recorder.mock_calls == [call.warn("Type a sentence first.")]
