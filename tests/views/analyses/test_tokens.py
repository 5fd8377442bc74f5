"""A number for each token: bars from zero beside names and numbers, what a hover and the keys read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pyqtgraph.exporters import CSVExporter
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.types import Floats
from bertviz_app.views.analyses.tokens import TokenBars
from bertviz_app.views.export.whole import shown_whole
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.context_menus import context_menu
from tests.support.scene import channels, leave, move, on_screen, pixels_of, wheel

TOKENS = ("[CLS]", "cat", "sat", "mat", "[SEP]")
VALUES = np.array([1, -0.5, 0, np.nan, 0.25], np.float32)


def _bars(
    qtbot: QtBot, look: Look, values: Floats = VALUES, *, is_signed: bool = True, errors: Floats | None = None
) -> TokenBars:
    bars = TokenBars(look)
    tokens = TOKENS if len(values) == len(TOKENS) else tuple(f"t{at}" for at in range(len(values)))
    bars.show_values(tokens, values, "value · layer 1", is_signed=is_signed, errors=errors)
    return on_screen(qtbot, bars, 420, 300)


def _length(bars: TokenBars, row: int, colour: QColor) -> tuple[int, int]:
    """Return where the bar of a row begins and how long it is."""
    room = bars.box.geometry_in_plot()
    y = round(room.top() + bars.box.rows().middle(row))
    line = pixels_of(bars)[y, round(room.left()) :]
    expected = channels(colour.rgb() & 0xFFFFFF)
    found = [
        x for x, pixel in enumerate(line) if np.abs(np.subtract(channels(int(pixel)), expected)).max() < 3
    ]
    return (found[0], len(found)) if found else (0, 0)


def test_bars_begin_at_zero_in_the_colour_of_their_sign_and_nan_has_none(qtbot: QtBot, look: Look) -> None:
    bars = _bars(qtbot, look)
    below, above = (QColor(look.palette.differences[end]) for end in (0, -1))
    zero, full = _length(bars, 0, above)
    start, half = _length(bars, 1, below)
    assert full == pytest.approx(2 * half, abs=3)
    assert start + half == pytest.approx(zero, abs=2)
    for row in (2, 3):
        assert _length(bars, row, below)[1] + _length(bars, row, above)[1] == 0
    texts = [text for _, text in drawn_texts(bars)]
    assert {*TOKENS, "value · layer 1", "1", "−0.5", "0", "–", "0.25"} <= set(texts)


def test_unsigned_bars_take_the_whole_width(qtbot: QtBot, look: Look) -> None:
    bars = _bars(qtbot, look, np.abs(VALUES), is_signed=False)
    start, length = _length(bars, 0, look.colour("accent"))
    assert start <= 1
    assert length > 0.95 * bars.box.width()
    assert _length(bars, 1, look.colour("accent"))[1] == pytest.approx(length / 2, abs=3)


def test_numbers_without_any_bar_are_shown(qtbot: QtBot, look: Look) -> None:
    for value in (0.0, np.nan):
        bars = _bars(qtbot, look, np.full(5, value, np.float32))
        assert not bars.bars.isVisible()
        assert TOKENS[1] in [text for _, text in drawn_texts(bars)]


def test_a_hover_and_the_arrows_read_a_row(qtbot: QtBot, look: Look) -> None:
    bars = _bars(qtbot, look, errors=np.full(5, 0.125, np.float32))
    move(bars, 200, bars.box.geometry_in_plot().top() + bars.box.rows().middle(1))
    expected = ("cat", "position 1", "value · layer 1 −0.5", "standard error 0.125")
    assert bars.read_out.lines == expected
    assert bars.left.marked == {1}
    leave(bars)
    assert not bars.read_out.lines
    read = []
    for key in (Qt.Key.Key_Down,) * 6 + (Qt.Key.Key_Up,):
        QTest.keyClick(bars, key)
        read.append(bars.read_out.lines[0])
    assert read == [*TOKENS, "[SEP]", "mat"]
    QTest.keyClick(bars, Qt.Key.Key_Escape)
    assert not bars.read_out.lines
    assert bars.left.marked == frozenset()


def test_rows_of_a_long_text_are_enlarged_by_the_wheel_and_come_into_sight_by_the_arrows(
    qtbot: QtBot, look: Look
) -> None:
    bars = _bars(qtbot, look, np.linspace(-1, 1, 512, dtype=np.float32))
    few = len(bars.left.labelled)
    whole = bars.box.viewRange()
    assert few < 40
    for _ in range(20):
        wheel(bars, 200, 60, 1)
    across, down = bars.box.viewRange()
    assert across == whole[0]
    assert down[1] - down[0] < 40
    assert len(bars.left.labelled) >= int(down[1] - down[0]) - 1
    for _ in range(60):
        QTest.keyClick(bars, Qt.Key.Key_Down)
    seen = bars.box.viewRange()[1]
    row = int(str(bars.read_out.lines[1]).split()[1])
    assert seen[0] <= row < seen[1]
    QTest.keyClick(bars, Qt.Key.Key_0)
    assert bars.box.viewRange() == whole


def test_the_menu_copies_the_rows_and_pyqtgraph_saves_the_numbers(
    qtbot: QtBot, look: Look, tmp_path: Path
) -> None:
    bars = _bars(qtbot, look)
    bars.interventions = "head 0·1 muted"
    context_menu(bars, QPoint(250, 100))["Copy the numbers"]()
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0] == "position\ttoken\tvalue · layer 1\tinterventions"
    assert rows[2] == "1\tcat\t−0.5\thead 0·1 muted"
    CSVExporter(bars.item).export(str(tmp_path / "bars.csv"))
    saved = (tmp_path / "bars.csv").read_text(encoding="utf-8").splitlines()
    assert saved[2] == "1.,-0.5"


def test_a_saved_picture_has_every_name_and_number(qtbot: QtBot, look: Look) -> None:
    bars, panel, values = TokenBars(look), QWidget(), np.linspace(-1, 1, 100, dtype=np.float32)
    bars.show_values(tuple(f"t{at}" for at in range(100)), values, "value", is_signed=True)
    QVBoxLayout(panel).addWidget(bars)
    on_screen(qtbot, panel, 420, 300)
    assert len(bars.left.labelled) < 100
    with shown_whole(panel):
        assert len(bars.left.labelled) == 100
        texts = [text for _, text in drawn_texts(bars)]
        assert {f"t{at}" for at in range(100)} <= set(texts)
    assert panel.height() == 300
