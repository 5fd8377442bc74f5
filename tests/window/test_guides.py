"""What the guides have their readers write, as it stands there: a command, and a package with an analysis."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis import catalogue
from bertviz_app.shell.commands import views as panels
from bertviz_app.shell.commands.analyses import open_gallery
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.state import Pair
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.dialogs.gallery import AnalysisGallery
from bertviz_app.views.panels.options import AnalysisBar, AnalysisForm
from tests.support.module_facts import GUIDES, ROOT, examples, run_example
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


KEY, TEXT = "attention-rank", "A cat ate the fish"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip installed the two files of the guide, and a file that names no module."""
    source, target = tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("installed")
    page = (GUIDES / "bring_an_analysis.md").read_text("utf-8")
    (project,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (source / "pyproject.toml").write_text(f'{project}broken = "bertviz_rank:no_such"\n', encoding="utf-8")
    (source / "bertviz_rank.py").write_text(examples("bring_an_analysis.md")[0], encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    command = [*pip, "--no-build-isolation", "--target", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return target


def _run(installed: Path, *arguments: str) -> tuple[str, str]:
    """Run Python in an environment that has the package; return what it printed, and its errors."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(installed), str(ROOT)))}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=installed.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_commands_of_the_guide_list_it_and_run_it(installed: Path, tmp_path: Path) -> None:
    program = "-m", "bertviz_app"
    printed, errors = _run(installed, *program, "analyses")
    last = printed.rstrip().split("\n\n")[-1].splitlines()
    assert last[0] == KEY
    assert last[1] == "  Effective rank of attention: Roy & Vetterli 2007, EUSIPCO, “The effective rank”."
    assert "  --set least=1e-06: It is a number from 1e-06 to 1." in last
    (line,) = errors.splitlines()
    assert "“broken” of the package “bertviz-rank” is left out: AttributeError" in line
    table, picture = tmp_path / "rank.csv", tmp_path / "rank.svg"
    printed, _ = _run(installed, *program, "analyse", KEY, TEXT, "--set", "least=0.01", "--out", str(table))
    assert "Effective rank of attention [1 scalar x" in printed
    assert table.read_text("utf-8").startswith("layer,head,effective_rank")
    _run(installed, *program, "render", TEXT, "--view", KEY, "--out", str(picture))
    assert ">effective rank</text>" in picture.read_text("utf-8")


def test_the_python_of_the_guide_gives_the_numbers_of_the_definition(installed: Path) -> None:
    compared = """
import numpy as np
trace = model.trace("A cat ate the fish")
for layer, head in np.ndindex(result.values.shape[1:]):
    weights = trace.attention(layer, head).astype(float)
    values = np.sqrt(np.abs(np.linalg.eigvalsh(weights.T @ weights)))
    shares = values[values >= 0.01 * values.max()]
    shares /= shares.sum()
    np.testing.assert_allclose(result.values[0, layer, head], np.prod(shares ** -shares), rtol=1e-4)
print("compared", layer, head)
"""
    printed, errors = _run(installed, "-c", examples("bring_an_analysis.md")[1] + compared)
    assert printed.startswith("compared")
    assert errors.count("UserWarning") == 1
    assert "“broken” of the package “bertviz-rank” is left out" in errors


@pytest.fixture
def importable(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process has the package, too."""
    monkeypatch.syspath_prepend(installed)
    catalogue.installed.cache_clear()
    yield
    sys.modules.pop("bertviz_rank", None)
    catalogue.installed.cache_clear()


@pytest.mark.usefixtures("importable")
def test_the_gallery_has_a_card_of_it_and_a_panel_draws_it(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    open_gallery(window_with_text)
    (gallery,) = window_with_text.findChildren(AnalysisGallery)
    card = gallery.cards[-1]
    assert (card.item.content, card.item.theme) == (Content(KEY), "From other packages")
    assert card.button.question.text() == "In how many different ways do the tokens look?"
    assert (card.item.sketch, card.item.kind) == (None, "cells")
    lines = gallery.note.text().splitlines()
    assert lines[0].endswith("Grey ones show the kind of picture alone.")
    assert "“broken” of the package “bertviz-rank” is left out" in lines[1]
    card.button.click()
    active = not_none(app_state.panels.active)
    assert active.content == Content(KEY)
    qtbot.waitUntil(lambda: bool(window_with_text.main_area.findChildren(PictureView)))
    bar = not_none(window_with_text.main_area.area.cards[active.number].findChild(AnalysisBar))
    assert bar.name.text() == "Effective rank of attention"
    bar.button.click()
    (form,) = bar.findChildren(AnalysisForm)
    assert list(form.fields) == ["least"]
    form.close()


@pytest.mark.usefixtures("importable")
def test_the_palette_has_a_command_of_it(window_with_text: MainWindow, app_state: AppState) -> None:
    command = next(
        one for one in all_commands(window_with_text) if one.text.endswith("Effective rank of attention")
    )
    assert (command.group, command.subgroup) == ("Analyses", "From other packages")
    assert "In how many different ways" in command.also
    command.run()
    assert not_none(app_state.panels.active).content == Content(KEY)
