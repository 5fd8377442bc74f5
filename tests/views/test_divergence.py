"""The mosaic of divergences by its pixels: a cell has the colour of its number, the farthest a frame."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.compare import by_position
from bertviz_app.analysis.measures import PairColumn
from bertviz_app.text.edits import CellIntervention, HeadIntervention
from bertviz_app.viewmodels.inspected import PairDifference, PairInHeads
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.run import Difference
from bertviz_app.views.kit.look import Look, colour_table
from bertviz_app.views.overview.divergence import DivergenceView
from tests.support.factories import make_trace
from tests.support.scene import click, leave, lines_drawn_by, move, on_screen, pixels_of

TABLE = np.array([[0.0, 0.1, 0.2], [0.05, 0.4, 0.3]], np.float32)


def _difference(table: np.ndarray[tuple[int, int], np.dtype[np.float32]] | None = TABLE) -> Difference:
    trace = make_trace(4)
    return Difference((trace, trace), by_position(4), table)


def _rects(view: DivergenceView) -> dict[tuple[int, int], QRectF]:
    return {at: view.cell_rect(*at) for at in view.heads}


@pytest.fixture
def view(qtbot: QtBot, look: Look, panels: Panels) -> DivergenceView:
    view = DivergenceView(look, panels)
    view.show_difference(_difference())
    return on_screen(qtbot, view, 400, 340)


@pytest.fixture
def chosen(view: DivergenceView) -> list[tuple[int, int]]:
    """The heads that the view emitted."""
    heads: list[tuple[int, int]] = []
    view.part_chosen.connect(heads.append)
    return heads


# the pinned pair of tokens in both runs
@pytest.fixture
def pair() -> PairDifference:
    """w3 → w1 in two runs of 2 layers and 3 heads; −0.5 is the farthest, in head 1·2."""
    of_a = np.array([[0.5, 0.25, 0.4], [0.1, 0.1, 0.25]], np.float32)
    of_b = np.array([[0.25, 0.25, 0.3], [0.1, 0.1, 0.75]], np.float32)
    numbers = AttentionNumbers(make_trace(4))
    one, other = (PairInHeads(numbers, PairColumn(3, 1, ("w3", "w1"), table)) for table in (of_a, of_b))
    return PairDifference(one, other, of_a - of_b)


def test_cells_have_the_colours_of_their_numbers_and_the_farthest_a_frame(
    view: DivergenceView, look: Look
) -> None:
    # each cell has the colour of its number
    drawn, rects = pixels_of(view), _rects(view)
    for at, value in np.ndenumerate(TABLE):
        rect = rects[at[0], at[1]]
        expected = int(look.weights[round(float(value) / 0.4 * 255)]) & 0xFFFFFF
        corner = drawn[int(rect.top()) + 6, int(rect.left()) + 6]
        channels = [(int(corner) >> shift & 255) - (expected >> shift & 255) for shift in (0, 8, 16)]
        assert max(map(abs, channels)) <= 1, at
    # the farthest head is framed and named
    colour = look.colour("warning").rgb() & 0xFFFFFF
    rect = _rects(view)[1, 1]
    ys, xs = np.nonzero(pixels_of(view) == colour)
    assert len(ys) > 2 * rect.width()
    near = rect.adjusted(-4, -4, 4, 4)
    assert near.left() <= xs.min() <= xs.max() <= near.right()
    assert near.top() <= ys.min() <= ys.max() <= near.bottom()
    assert view.sentence == "Most different head: 1·1, 0.400 bits"
    assert view.accessibleDescription().startswith(view.sentence)


def test_what_the_runs_differ_in_is_written(view: DivergenceView, look: Look) -> None:
    # a muted head is crossed out and what it changed is written
    one = make_trace(4)
    muted = replace(one, muted=((0, 1),))
    view.show_difference(Difference((one, muted), by_position(4), TABLE))
    crossed = view.cell_rect(0, 1)
    drawn = pixels_of(view)
    rows = slice(int(crossed.top()), int(crossed.bottom()))
    columns = slice(int(crossed.left()), int(crossed.right()))
    cross = drawn[rows, columns] == view.look.colour("error").rgb() & 0xFFFFFF
    assert cross.any(axis=1).mean() > 0.6, "its lines reach from the top to the bottom"
    assert cross.any(axis=0).mean() > 0.6
    assert cross.mean() < 0.3
    assert view.remarks[0] == "Muted in one run only: 0·1."
    assert "1.0000" in view.remarks[1]
    other = replace(muted, model="another")
    view.show_difference(Difference((one, other), by_position(4), TABLE))
    assert view.remarks[0].endswith("the checkpoint, the muted heads (0·1).")
    # interventions that one run alone has are written
    one = make_trace(4)
    cells = tuple(CellIntervention(0, 1, 1, key, 0.1) for key in range(3))
    other = replace(one, heads=(HeadIntervention(0, 2, "mean", "a long text"),), cells=cells)
    view.show_difference(Difference((one, other), by_position(4), TABLE))
    assert view.remarks[0].startswith("One run only: B: Head 0·2: mean; B: 0·1: ")
    assert view.remarks[0].endswith(" = 0.1; 1 more.")
    other = replace(one, heads=(HeadIntervention(0, 2, "uniform"),), model="another")
    view.show_difference(Difference((one, other), by_position(4), TABLE))
    assert view.remarks[0].endswith("the checkpoint, interventions (B: Head 0·2: equal weights).")
    # runs alike have no farthest head
    view.show_difference(_difference(np.zeros((2, 3), np.float32)))
    assert view.sentence == "All heads attend identically in both runs."
    assert not (pixels_of(view) == look.colour("warning").rgb() & 0xFFFFFF).any()


def test_before_it_is_measured_the_view_shows_measuring(
    view: DivergenceView, look: Look, chosen: list[tuple[int, int]], tmp_path: Path
) -> None:
    view.show_difference(replace(_difference(), divergence=None))
    assert view.sentence == "measuring …"
    assert "measuring …" in lines_drawn_by(view, look, tmp_path)
    view.show_difference(None)
    assert "measuring …" in lines_drawn_by(view, look, tmp_path)
    click(view, 60, 60)
    assert chosen == []


def test_clicks_and_keys_choose_heads(
    view: DivergenceView, chosen: list[tuple[int, int]], panels: Panels
) -> None:
    # a click chooses the head under it and the sentence the farthest
    grid = view.cell_grid()
    for at, rect in _rects(view).items():
        click(view, rect.center().x(), rect.center().y())
        assert chosen[-1] == at
    click(view, grid.left + 30, grid.bottom + 30)
    assert chosen[-1] == (1, 1)
    count = len(chosen)
    for x, y in ((30, 10), (390 - grid.left, 30), (30, 60)):  # the colours, beside the sentence, below it
        click(view, grid.left + x, grid.bottom + y)
    click(view, 3, 3)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.RightButton, pos=QPoint(60, 60))
    assert len(chosen) == count
    # the keys walk and enter takes the farthest
    view.part_chosen.connect(lambda head: panels.show(*head))
    panels.show(0, 2)
    for key, at in (
        (Qt.Key.Key_Down, (1, 2)),
        (Qt.Key.Key_Left, (1, 1)),
        (Qt.Key.Key_Up, (0, 1)),
        (Qt.Key.Key_Right, (0, 2)),
        (Qt.Key.Key_Return, (1, 1)),
    ):
        QTest.keyClick(view, key)
        assert chosen[-1] == at


def test_the_read_out_has_the_exact_number(view: DivergenceView) -> None:
    rect = _rects(view)[1, 2]
    move(view, rect.center().x(), rect.center().y())
    title, number = view.read_out.lines
    assert title == "Layer 1 · Head 2"
    assert "0.3000 bits" in number
    leave(view)
    assert view.read_out.lines == ()


@pytest.mark.parametrize(("n_layers", "n_heads", "width"), [(24, 16, 440), (1, 1, 300)])
@pytest.mark.parametrize("scale", [1.5])
def test_every_cell_lies_within_the_height_it_asks_for(
    qtbot: QtBot, look: Look, panels: Panels, n_layers: int, n_heads: int, width: int, scale: float
) -> None:
    look.scale = scale
    view = DivergenceView(look, panels)
    view.show_difference(_difference(np.ones((n_layers, n_heads), np.float32)))
    width = max(width, view.minimumSizeHint().width())
    on_screen(qtbot, view, width, view.heightForWidth(width))
    rects = list(_rects(view).values())
    assert len(rects) == n_layers * n_heads
    assert max(rect.right() for rect in rects) <= width
    assert max(rect.bottom() for rect in rects) + look.pixels(46) <= view.height() + 4
    assert min(rect.width() for rect in rects) >= 20


def test_the_cells_have_the_colours_and_the_numbers_of_the_pairs_difference(
    view: DivergenceView, look: Look, pair: PairDifference, tmp_path: Path
) -> None:
    view.show_pair(pair.one, pair)
    drawn, rects = pixels_of(view), _rects(view)
    colours = colour_table(look.palette.differences, 255)
    for at, value in np.ndenumerate(pair.values):
        rect = rects[at[0], at[1]]
        expected = int(colours[round((float(value) / 0.5 + 1) * 127)]) & 0xFFFFFF
        assert int(drawn[int(rect.top()) + 6, int(rect.left()) + 6]) & 0xFFFFFF == expected, at
    lines = lines_drawn_by(view, look, tmp_path)
    assert [line for line in lines if "." in line][:2] == ["+.250+.10", "00−.50"]
    assert {"−0.5000+0.5000", "A − B of w3 → w1: the most in head 1·2, −0.5000"} <= set(lines)
    assert "w3 → w1: A 0.5000 − B 0.2500 = +0.2500" in view.lines_of((0, 0))


def test_a_head_that_does_not_exist_is_neither_the_farthest_nor_a_number(
    view: DivergenceView, look: Look, pair: PairDifference, tmp_path: Path
) -> None:
    table = TABLE.copy()
    table[0, 2] = np.nan
    view.show_difference(_difference(table))
    assert view.sentence == "Most different head: 1·1, 0.400 bits"
    assert "nan" not in " ".join(lines_drawn_by(view, look, tmp_path))
    lacking = replace(pair, values=pair.values.copy())
    lacking.values[0, 0] = np.nan
    assert lacking.farthest == (1, 2)
    view.show_pair(lacking.one, lacking)
    assert "nan" not in " ".join(lines_drawn_by(view, look, tmp_path))
    only_zeros = replace(pair, values=np.array([[np.nan, 0, 0], [0, 0, 0]], np.float32))
    assert only_zeros.farthest is None


def test_a_pair_that_run_b_lacks_is_named(view: DivergenceView, pair: PairDifference) -> None:
    view.show_pair(pair.one)
    assert view.remarks[-1] == "Run B has no counterpart of w3 → w1: choose A above to see its weights."
    assert view.sentence.endswith("0.400 bits")
    view.show_pair(pair.one, PairDifference(pair.one, pair.one, pair.values * 0))
    assert view.sentence == "w3 → w1: the same weight in both runs"


@pytest.mark.parametrize("width", [900, 130])
def test_the_colour_bar_says_what_it_is_of_as_far_as_there_is_room(
    view: DivergenceView, look: Look, tmp_path: Path, width: int
) -> None:
    view.resize(width, 340)
    words = {900: " of Jensen–Shannon divergence", 290: " (Jensen–Shannon)", 130: ""}
    assert f"00.400 bits{words[width]}" in lines_drawn_by(view, look, tmp_path)
