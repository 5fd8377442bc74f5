"""The table of heads, and the mosaic of their divergences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.compare import by_position
from bertviz_app.analysis.measures import KEYS, HeadOverview, MeasureKey, Measures, PairColumn
from bertviz_app.learning.glossary import glossary
from bertviz_app.text.edits import CellIntervention, HeadIntervention
from bertviz_app.viewmodels.inspected import PairDifference, PairInHeads
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.runs.run import Difference
from bertviz_app.viewmodels.state import Store, change_overview
from bertviz_app.views.kit.look import Look, colour_table, style_sheet
from bertviz_app.views.overview.heads_table import NAME, PAIR, HeadsTable
from bertviz_app.views.overview.view import DivergenceView
from tests.support.factories import make_trace
from tests.support.scene import click, leave, lines_drawn_by, move, on_screen, pixels_of, turn_events

WEIGHTS = np.array([[0.1, 0.75, 0.2], [0.3, 0.5, 0.0]], np.float32)


ENTROPIES = np.array([[2.0, 10.0, 9.5], [0.25, 100.0, 3.0]], np.float32)


@pytest.fixture
def table(qtbot: QtBot, look: Look, panels: Panels) -> HeadsTable:
    table = HeadsTable(look, panels)
    table.show_overview(_overview(ENTROPIES))
    return on_screen(qtbot, table, 360, 320)


def _overview(entropies: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> HeadOverview:
    measures: Measures = {name: np.full(entropies.shape, 0.125, np.float32) for name in KEYS}
    return HeadOverview(
        np.zeros((*entropies.shape, 4, 4), np.float32), measures | {"entropy": entropies}, 0.0
    )


def _column(table: HeadsTable, column: int) -> list[str]:
    model = table.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def _row_of(table: HeadsTable, name: str) -> QModelIndex:
    return table.model().index(_column(table, 0).index(name), 0)


def _pair(weights: np.ndarray[tuple[int, int], np.dtype[np.float32]] = WEIGHTS) -> PairInHeads:
    return PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, ("it", "cat"), weights))


def _named_overview() -> HeadOverview:
    """Return an overview of nine tokens: head 0·1 looks back, 1·0 at itself, 1·1 is broad."""
    previous, same = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
    previous[0, 1], same[1, 0] = 0.875, 0.625
    entropies = np.zeros((2, 3), np.float32)
    entropies[1, 1] = 3.0
    measures = {**_overview(entropies).measures, "previous": previous, "same": same, "entropy": entropies}
    n_queries: dict[MeasureKey, int] = dict.fromkeys(KEYS, 9)
    pictures = np.zeros((2, 3, 4, 4), np.float32)
    return HeadOverview(pictures, measures, 0.0, n_queries=n_queries)


def test_it_sorts_by_number_also_a_new_result(table: HeadsTable, qtbot: QtBot) -> None:
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert _column(table, 1) == ["0.25", "2.00", "3.00", "9.50", "10.00", "100.0"]
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert _column(table, 0)[0] == "1 · 1"
    # a new result keeps the order asked for
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    with qtbot.waitSignal(table.heads.dataChanged):
        table.show_overview(_overview(-ENTROPIES))
    assert _column(table, 0) == ["1 · 1", "0 · 1", "0 · 2", "1 · 2", "0 · 0", "1 · 0"]


def test_the_row_of_the_active_head_is_the_current_one(table: HeadsTable, panels: Panels) -> None:
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    for layer, head in ((0, 1), (1, 0), (0, 0)):
        panels.show(layer, head)
        assert table.currentIndex().row() == _row_of(table, f"{layer} · {head}").row()


def test_a_click_chooses_a_head_and_with_shift_adds_it(table: HeadsTable) -> None:
    chosen: list[tuple[int, int]] = []
    added: list[tuple[int, int]] = []
    table.part_chosen.connect(chosen.append)
    table.part_added.connect(added.append)
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    middle = table.visualRect(_row_of(table, "0 · 1")).center()
    click(table.viewport(), middle.x(), middle.y())
    assert (set(chosen), added) == ({(0, 1)}, [])
    click(table.viewport(), middle.x(), middle.y(), Qt.KeyboardModifier.ShiftModifier)
    assert added == [(0, 1)]


def test_the_bars_are_as_long_as_the_values(table: HeadsTable, look: Look) -> None:
    assert [table.heads.share(row, 1) for row in range(6)] == pytest.approx(
        [0.02, 0.1, 0.095, 0.0025, 1.0, 0.03]
    )
    assert table.heads.share(0, KEYS.index("previous") + 1) == 0.125  # of a whole
    assert table.heads.share(0, KEYS.index("distance") + 1) == 1  # of the largest there is
    assert table.heads.share(0, 0) is None
    table.resize(1100, 320)
    drawn, column = pixels_of(table.viewport()), KEYS.index("previous") + 1
    for head, share in (("0 · 0", 0.125), ("0 · 1", table.heads.share(1, column) or 0.0)):
        rect = table.visualRect(table.model().index(_row_of(table, head).row(), column))
        bar = drawn[rect.bottom() - 3, rect.left() : rect.right() + 1]
        length = int((bar == look.colour("accent").rgb() & 0xFFFFFF).sum())
        assert length == pytest.approx(share * (rect.width() - 12), abs=1)


def test_heads_that_the_filter_of_the_overview_leaves_out_are_left_out_here(
    table: HeadsTable, store: Store
) -> None:
    store.change(overview=store.now.overview.filtered("entropy"))
    change_overview(store, least=2.5)
    assert _column(table, 0) == ["0 · 1", "0 · 2", "1 · 1", "1 · 2"]
    change_overview(store, most=10)
    assert table.shown.heads_shown() == [(0, 1), (0, 2), (1, 2)]
    store.change(overview=store.now.overview.filtered(""))
    assert len(_column(table, 0)) == 6


def test_what_is_copied_is_what_is_shown_with_every_digit(table: HeadsTable, store: Store) -> None:
    store.change(overview=store.now.overview.filtered("entropy"))
    change_overview(store, most=3)
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["layer", "head", *KEYS, "name", "numbers", "special_tokens"]
    assert [line.split("\t")[:3] for line in lines[1:]] == [
        ["1", "2", "3"],
        ["0", "0", "2"],
        ["1", "0", "0.25"],
    ]


@pytest.mark.parametrize("scrolled", [3, 10_000])
def test_no_row_is_cut_however_far_it_is_scrolled(table: HeadsTable, scrolled: int) -> None:
    table.show_overview(_overview(np.arange(72, dtype=np.float32).reshape(6, 12)))
    table.resize(360, 233)
    turn_events()
    table.verticalScrollBar().setValue(scrolled)
    room = table.viewport().height()
    first = table.rowAt(0)
    assert table.rowViewportPosition(first) == 0
    last = table.rowAt(room - 1)
    assert last > first + 4
    assert table.rowViewportPosition(last) + table.rowHeight(last) == room


def test_the_column_of_the_pair_is_there_while_one_is_pinned(table: HeadsTable) -> None:
    assert table.isColumnHidden(PAIR)
    table.show_pair(_pair())
    assert not table.isColumnHidden(PAIR)
    assert table.horizontalHeader().visualIndex(PAIR) == 1  # beside the names
    assert table.model().headerData(PAIR, Qt.Orientation.Horizontal) == "it → cat"
    assert _column(table, PAIR) == ["0.1000", "0.7500", "0.2000", "0.3000", "0.5000", "0.0000"]
    assert table.heads.share(1, PAIR) == 0.75
    table.sortByColumn(PAIR, Qt.SortOrder.DescendingOrder)
    assert _column(table, 0)[:3] == ["0 · 1", "1 · 1", "1 · 0"]
    table.show_pair(None)
    assert table.isColumnHidden(PAIR)
    assert _column(table, 0)[0] == "0 · 0"  # nothing is sorted by a column that is not there


@pytest.mark.parametrize("labels", [("internationalization", "of"), ("wwwwwwwwwww", "mmmmmmmmmmm")])
def test_the_name_of_a_long_pair_is_not_cut_by_its_column(
    table: HeadsTable, look: Look, labels: tuple[str, str]
) -> None:
    table.setStyleSheet(style_sheet(look))
    table.show_pair(_pair())
    table.show_pair(
        PairInHeads(AttentionNumbers(make_trace(9)), PairColumn(7, 2, labels, np.zeros((2, 3), np.float32)))
    )
    header = table.horizontalHeader()
    shown = str(table.model().headerData(PAIR, Qt.Orientation.Horizontal))
    assert header.fontMetrics().horizontalAdvance(shown) + 8 <= header.sectionSize(PAIR)
    for part, label in zip(shown.split(" → "), labels, strict=True):
        assert part == label or (part.endswith("…") and label.startswith(part[:-1]) and len(part) > 2)
    tip = str(table.model().headerData(PAIR, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole))
    assert all(label in tip for label in labels)


def test_heads_are_named_with_the_number_behind_the_name(table: HeadsTable) -> None:
    table.show_overview(_named_overview())
    assert _column(table, NAME) == ["", "previous token 0.88", "", "itself 0.62", "broad 3.00 bits", ""]
    table.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    assert [name.split()[0] for name in _column(table, NAME)[:3]] == ["previous", "itself", "broad"]
    tip = str(table.model().headerData(NAME, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole))
    assert "50%" in tip
    assert "75%" in tip
    assert "this program's own" in tip


def test_what_is_copied_has_the_names_and_the_pair(table: HeadsTable) -> None:
    table.show_overview(_named_overview())
    table.show_pair(_pair())
    lines = [line.split("\t") for line in table.copied().splitlines()]
    assert lines[0] == ["layer", "head", *KEYS, "weight_7_2", "name", "numbers", "special_tokens"]
    assert lines[2][-4:] == ["0.75", "previous", "weight", "shown"]
    assert lines[1][-3] == ""


def test_each_column_has_its_term_in_the_glossary(table: HeadsTable) -> None:
    table.resize(1300, 320)
    table.show_pair(_pair())
    header = table.horizontalHeader()
    found = []
    for column in range(PAIR + 1):
        middle = header.sectionViewportPosition(column) + header.sectionSize(column) // 2
        found.append(table.term_at(header.mapTo(table, QPoint(middle, 5))))
    measures = {key: found[index] for index, key in enumerate(KEYS, start=1)}
    assert (found[0], found[NAME], found[PAIR]) == ("head", "head_name", "pair_weight")
    assert (measures["entropy"], measures["first"], measures["next"]) == ("entropy", "cls", "previous_next")
    assert all(term in glossary() for term in found)


def test_the_last_head_stays_in_sight_while_the_height_goes_to_and_fro(
    qtbot: QtBot, look: Look, panels: Panels
) -> None:
    table = HeadsTable(look, panels)
    on_screen(qtbot, table, 330, 200)
    panels.set_size(6, 8)
    table.show_overview(_overview(np.arange(48, dtype=np.float32).reshape(6, 8)))
    panels.show(5, 7)
    turn_events()
    header, room = table.horizontalHeader(), table.height() - table.horizontalHeader().height()
    around = room - table.viewport().height()
    for height in (139, 134, 135, 139, 134):  # as when a style sheet is replaced: six rows or five
        header.setFixedHeight(table.height() - around - height)
        turn_events()
    turn_events()
    assert table.viewport().rect().contains(table.visualRect(table.currentIndex()))


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
def test_every_cell_lies_within_the_height_it_asks_for(
    qtbot: QtBot, look: Look, panels: Panels, n_layers: int, n_heads: int, width: int
) -> None:
    look.scale = 1.5
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
