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
from bertviz_app.views.bars.picker_button import PickerButton
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import style_sheet
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


def test_one_arrow_is_drawn_not_one_over_another(qtbot: QtBot, look: Look) -> None:
    picker = PickerButton(look, 400)
    qtbot.addWidget(picker)
    picker.setStyleSheet(style_sheet(look))
    picker.set_texts("a")
    picker.show()
    picker.resize(picker.sizeHint())
    picture = picker.grab().toImage()
    right = range(picture.width() - 36, picture.width() - 4)
    ground = picture.pixelColor(right[0], 6).lightness()
    columns = [
        sum(abs(picture.pixelColor(x, y).lightness() - ground) > 40 for y in range(6, picture.height() - 6))
        for x in right
    ]
    arrow = [height for height in columns if height]
    assert arrow, "there is an arrow"
    middle = (len(arrow) - 1) / 2
    centre = sum(x * height for x, height in enumerate(arrow)) / sum(arrow)
    assert abs(centre - middle) < 0.4, f"it leans to a side: {arrow}"
