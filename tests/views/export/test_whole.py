"""A picture has every row of a view, also those that are scrolled away on screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QScrollBar
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.panel_choices import StepsForm
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.views.analyses.table import RowsModel, RowsTable
from bertviz_app.views.export.recording import PictureSheet, record, write
from bertviz_app.views.export.whole import hidden_height
from bertviz_app.views.kit.look import Look
from tests.support.images import difference_of
from tests.support.steps_scene import StepsScene
from tests.support.svg_text import lines_of_text


@pytest.mark.parametrize("stage", ["scaled", "attention_norm"])
@pytest.mark.parametrize("form", ["walk", "table"])
def test_a_saved_picture_of_steps_has_the_rows_of_all_tokens(
    stage: str, form: StepsForm, qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    scene = StepsScene(qtbot, look, n_tokens=40, size=(620, 340))
    scene.view.walk.go(next(stop for stop in scene.view.walk.stops if stop.stage == stage))
    scene.finish()
    scene.view.walk.show_form(form)
    assert hidden_height(scene.view) > 100
    path = tmp_path / "steps.svg"
    write(record(scene.view, look, PictureSheet("Steps")), path)
    drawn = "\n".join(lines_of_text(path))
    labels = scene.trace.tokens.labels
    assert [label for label in labels if label not in drawn] == []


def test_afterwards_the_view_has_its_size_and_shows_the_rows_it_showed(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, n_tokens=40, size=(620, 340))
    scene.view.walk.go(Stop(1, "scaled"))
    scene.finish()
    (bar,) = (bar for bar in scene.view.findChildren(QScrollBar) if bar.isVisible())
    bar.setValue(70)
    focused = QApplication.focusWidget()
    if focused is not None:  # a button that Enter presses is drawn otherwise the second time
        focused.clearFocus()
    before = scene.view.grab().toImage()
    record(scene.view, look, None)
    assert (scene.view.width(), scene.view.height()) == (620, 340)
    assert bar.value() == 70
    assert bar.isVisible()
    assert difference_of(scene.view.grab().toImage(), before) == ""


def test_what_is_in_sight_wholly_has_its_size_on_screen(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, n_tokens=5, size=(620, 500))
    assert record(scene.view, look, None).size.height() == 500


def test_a_saved_table_has_the_columns_that_are_scrolled_away(
    qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    model = RowsModel()
    columns = tuple(f"column number {index}" for index in range(30))
    model.show_rows(columns, (tuple(range(30)),))
    table = RowsTable(model)
    qtbot.addWidget(table)
    table.resize(400, 200)
    with qtbot.waitExposed(table):
        table.show()
    path = tmp_path / "table.svg"
    write(record(table, look, PictureSheet("Table")), path)
    drawn = "\n".join(lines_of_text(path))
    assert [column for column in columns if column not in drawn] == []
    assert (table.width(), table.height()) == (400, 200)
