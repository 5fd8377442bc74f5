"""The menus of `numbers_picker` and `other_model_picker`: what they list, and what they leave behind."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from PySide6.QtGui import QActionGroup
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.views.bars.numbers_picker import NumbersPicker
from bertviz_app.views.bars.other_model_picker import OtherModelPicker
from bertviz_app.views.kit.look import Look
from tests.support.scene import turn_events


def test_a_menu_of_numbers_that_is_opened_often_has_two_groups(qtbot: QtBot, look: Look) -> None:
    picker = NumbersPicker(look)
    qtbot.addWidget(picker)
    for _ in range(3):
        picker.menu().aboutToShow.emit()
        turn_events(1)
    assert len(picker.menu().findChildren(QActionGroup)) == 2


def test_an_ampersand_of_a_folder_is_written_in_the_menu(qtbot: QtBot, look: Look) -> None:
    comparison = cast(Comparison, SimpleNamespace(other=None))
    workspace = cast(Workspace, SimpleNamespace(available=SimpleNamespace(sources=())))
    picker = OtherModelPicker(look, comparison, workspace, lambda: ["/models/R&D"])
    qtbot.addWidget(picker)
    picker.menu().aboutToShow.emit()
    assert picker.menu().actions()[1].text() == "R&&D"
