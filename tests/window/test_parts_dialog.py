"""The dialog “Which part is which?”: reached where names say nothing, checked as it is filled in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from bertviz_app.inference.engine import Engine
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.bars.questions import ChoiceQuestion
from bertviz_app.views.dialogs.parts_dialog import PartsDialog
from tests.support.notebooks import random_notebook, write_notebook
from tests.support.own_berts import NAMELESS, PARTS, saved_output
from tests.support.window_fixtures import window_of_checkpoint

__all__ = ["window_of_checkpoint"]

CHOSEN = {
    "norm_first": "After the sums",
    "activation": "ReLU",
    "scales_tokens": "No",
    "sample_deviation": "x.std()",
    "transposed": "[out, in]",
}


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def nameless(tmp_path: Path) -> Path:
    return NAMELESS.write(tmp_path / "mine")


def _dialog(qtbot: QtBot, window: MainWindow, folder: Path) -> PartsDialog:
    """Open a checkpoint; return the dialog, once it asks."""
    window.files.open_model(str(folder))
    qtbot.waitUntil(lambda: window.questions.parts is not None and window.questions.parts.isVisible())
    assert window.questions.parts is not None
    return window.questions.parts


def _choose(dialog: PartsDialog, name: str, role: str) -> None:
    box = dialog.boxes[name]
    box.setCurrentIndex(box.findData(role))
    box.activated.emit(box.currentIndex())


def _settled(qtbot: QtBot, app_state: AppState) -> None:
    form = app_state.parts_form
    qtbot.waitUntil(lambda: form.found is not None and not form.is_checking)


def _fill(qtbot: QtBot, app_state: AppState, dialog: PartsDialog, parts: dict[str, str]) -> None:
    """Choose the parts, then answer what they open."""
    for name, role in parts.items():
        _choose(dialog, name, role)
    questions = dialog.questions.by_name
    qtbot.waitUntil(lambda: questions["n_heads"].isVisible())
    for name, text in CHOSEN.items():
        question = questions[name]
        assert isinstance(question, ChoiceQuestion)
        buttons = {button.text(): button for button in question.choice.findChildren(QPushButton)}
        QTest.mouseClick(buttons[text], Qt.MouseButton.LeftButton)
    QTest.keyClicks(dialog.questions.heads.field, "4")
    QTest.keyClicks(dialog.questions.epsilon.field, "1e-6")
    _settled(qtbot, app_state)


def test_a_model_opens_once_every_tensor_has_a_part(
    qtbot: QtBot, window: MainWindow, app_state: AppState, nameless: Path
) -> None:
    dialog = _dialog(qtbot, window, nameless)
    assert set(dialog.boxes) == set(PARTS)
    assert not dialog.open_button.isEnabled()
    assert window.questions.form is None or not window.questions.form.isVisible()
    _fill(qtbot, app_state, dialog, PARTS)
    qtbot.waitUntil(lambda: "finite numbers" in dialog.verdict.text())
    QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    workspace = app_state.workspace
    qtbot.waitUntil(lambda: workspace.facts is not None and workspace.facts.name == "mine")
    assert not dialog.isVisible()
    saved = json.loads((nameless / "bertviz_app.json").read_text("utf-8"))
    assert saved["parts"] == PARTS
    assert saved["sample_deviation"] is True


def test_an_output_shows_whether_the_parts_are_right(
    qtbot: QtBot,
    window: MainWindow,
    app_state: AppState,
    nameless: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved = saved_output(tmp_path, torch.load(nameless / "model.pt", weights_only=True))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(saved), ""))
    dialog = _dialog(qtbot, window, nameless)
    swapped = {**PARTS, "tower.{layer}.one": "value", "tower.{layer}.three": "query"}
    _fill(qtbot, app_state, dialog, swapped)
    QTest.mouseClick(dialog.output, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Not the numbers of output.pt" in dialog.compared.text())
    _choose(dialog, "tower.{layer}.one", "query")
    _choose(dialog, "tower.{layer}.three", "value")
    qtbot.waitUntil(lambda: "The same as output.pt" in dialog.compared.text())
    dialog.reject()
    assert not dialog.isVisible()
    assert not (nameless / "bertviz_app.json").exists()


def test_what_is_wrong_is_said_while_it_is_filled_in(
    qtbot: QtBot, window: MainWindow, app_state: AppState, nameless: Path
) -> None:
    dialog = _dialog(qtbot, window, nameless)
    for name, role in {**PARTS, "tower.{layer}.two": "query"}.items():
        _choose(dialog, name, role)
    qtbot.waitUntil(lambda: "have the same part" in dialog.verdict.text())
    _choose(dialog, "c", "")
    qtbot.waitUntil(lambda: "1 of 11 rows have no part" in dialog.verdict.text())
    dialog.close()
    assert app_state.answering.open_questions is None


def test_the_parts_of_a_model_that_opens_can_be_shown_and_changed(
    qtbot: QtBot, window: MainWindow, app_state: AppState, tmp_path: Path
) -> None:
    folder = write_notebook(tmp_path / "own", random_notebook("c"))
    window.files.open_model(str(folder))
    workspace = app_state.workspace
    qtbot.waitUntil(lambda: workspace.facts is not None and workspace.facts.name == "own")
    window.questions.ask_again()
    form = window.questions.form
    assert form is not None
    QTest.mouseClick(form.questions.parts.button, Qt.MouseButton.LeftButton)
    dialog = window.questions.parts
    assert dialog is not None
    assert dialog.isVisible()
    assert not form.isVisible()
    assert dialog.boxes["encoder.layers.{layer}.attn.weight_q"].currentData() == "query"
    _settled(qtbot, app_state)
    assert "finite numbers" in dialog.verdict.text()
    dialog.reject()
