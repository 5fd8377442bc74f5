"""The bars of an explained number: all are drawn within the width, and a click on a word follows it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.analyses.sections import Row, Section
from bertviz_app.views.analyses.sections import SectionBars
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen, pixels_of

SECTIONS = (
    Section("by layer", (Row("0", 0.25), Row("1", 0.0, "below")), ("mat", "[MASK]"), 1.0),
    Section(
        "fillers",
        (Row("mat", 0.5, piece="mat", is_marked=True), Row("floor", 0.25, piece="floor")),
        ("1",),
        1.0,
    ),
    Section(
        "logit",
        (Row("heads", 2.0), Row("biases", -1.0), Row("sum", 1.0, is_marked=True)),
        ("mat", "x", "1"),
        2.0,
    ),
)


@pytest.fixture
def bars(qtbot: QtBot, look: Look) -> SectionBars:
    bars = SectionBars(look)
    bars.show_sections(SECTIONS)
    return on_screen(qtbot, bars, 320, 640)


def test_every_row_is_read_out(bars: SectionBars) -> None:
    words = bars.accessibleDescription()
    for part in (
        "embeddings 0.2500",
        "after layer 0 below the listed",
        "mat 0.5000",
        "all heads +2.0000",
        "sum = logit +1.0000",
    ):
        assert part in words
    assert bars.minimumHeight() > 7 * 20


def test_bars_differ_by_their_values(bars: SectionBars) -> None:
    drawn = pixels_of(bars)
    assert (drawn != drawn[0, 0]).any()


def test_a_click_on_a_word_follows_it(qtbot: QtBot, bars: SectionBars) -> None:
    followed: list[str] = []
    bars.piece_clicked.connect(followed.append)
    middle = bars.width() // 2
    rows = [(QPoint(middle, y), bars.row_at(QPointF(middle, y))) for y in range(bars.height())]
    for label in ("floor", "heads"):
        at = next(at for at, row in rows if row is not None and row.label == label)
        QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=at)
    assert followed == ["floor"]
