"""A matrix between the tokens of two runs: its columns are no tokens of the run that it is a panel of."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.results import RunMatrix
from bertviz_app.viewmodels.analyses.result_pictures import pictures_of_result
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.attention.matrix import MatrixView, read_out
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.scene import click, move, on_screen


def test_a_column_of_a_matrix_of_two_runs_is_a_token_of_the_other_run(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport
) -> None:
    own, others = (tuple(f"{run}{at}" for at in range(n)) for run, n in (("a", 8), ("b", 6)))
    result = RunMatrix.dense(np.zeros((1, 8, 6), np.float32), own, others, Quantity(""), 0.0)
    picture = pictures_of_result(result, (make_trace(8),)).make(0, 0, DrawOptions(), lambda: None)
    view = MatrixView(look, selection, viewport)
    viewport.fit(8, 6)
    view.show_picture(picture)
    on_screen(qtbot, view, 500, 500)
    cell = view.cell_rect(3, 4).center()
    move(view, cell.x(), cell.y())
    assert selection.shown == Pair(3, partner=4), "no view reads it as a token of this run"
    assert view.shown == Pair(3, 4), "its column is highlighted here"
    words = read_out(picture, 3, 4)
    assert words == ["a3 → b4", "value 0.0000 · token 3 of this run · token 4 of the other run"]
    click(view, cell.x(), cell.y())
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert selection.pinned == Pair(3, partner=5)
