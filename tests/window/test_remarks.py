"""What is unusual about a checkpoint is seen in the bar, not only in a tool tip."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.inference.engine import Engine
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.shown import OtherRun
from bertviz_app.views.bars.top_bar import CompareBar
from bertviz_app.views.kit.widgets import Notice
from tests.support.checkpoint_folders import change_weights, copy_of
from tests.support.window_fixtures import window_of_checkpoint

__all__ = ["window_of_checkpoint"]

REMARK = "Unknown tensors that are not used: extra.weight."


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def unusual(tiny_bert: Path, tmp_path: Path) -> Path:
    """A checkpoint with a tensor too many."""
    folder = copy_of(tiny_bert, tmp_path)
    change_weights(folder, lambda tensors: tensors | {"extra.weight": torch.zeros(3)})
    return folder


def test_a_remark_stands_beside_the_name_of_the_checkpoint(
    qtbot: QtBot, window: MainWindow, app_state: AppState, unusual: Path
) -> None:
    button = window.frame.bar.remarks
    assert not button.isVisible()
    window.resize(1700, 800)  # room for the remark whatever the length of the folder's name
    window.files.open_model(str(unusual))
    qtbot.waitUntil(button.isVisible, timeout=20_000)
    qtbot.waitUntil(lambda: button.text().startswith("Unknown tensors"))  # once the bar is laid out
    assert button.toolTip() == REMARK
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert any(notice.isVisible() and notice.message == REMARK for notice in window.findChildren(Notice))
    window.resize(900, 800)
    qtbot.waitUntil(lambda: button.text() == "Remarks: 1")


def test_a_remark_about_the_checkpoint_of_run_b_stands_in_its_row(
    qtbot: QtBot, window: MainWindow, app_state: AppState, unusual: Path
) -> None:
    app_state.comparison.set_other(OtherRun(str(unusual), None, None))
    bar = window.findChild(CompareBar)
    assert bar is not None
    qtbot.waitUntil(bar.remarks.isVisible, timeout=20_000)
    assert bar.remarks.text() == "Remarks: 1"
    QTest.mouseClick(bar.remarks, Qt.MouseButton.LeftButton)
    assert any(notice.isVisible() and notice.message == REMARK for notice in window.findChildren(Notice))
    assert not window.frame.bar.remarks.isVisible()
