"""Results of tokens and explained numbers: bars, what a hover and the keys read, names of columns."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pyqtgraph.exporters import CSVExporter
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.predictions import Outcomes, Predictions
from bertviz_app.analysis.results import LayerRankings, NamedArrays, TokenScalars
from bertviz_app.api import open_model
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed, Section, SectionRow, shown_table
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.analyses.bars import PictureBars
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.analyses.sections import SectionBars, SectionsView, row_label
from bertviz_app.views.analyses.table import RowsModel
from bertviz_app.views.analyses.titles import axis_word, part_word, title_of
from bertviz_app.views.export.recording import shown_whole
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import (
    blended,
    channels,
    context_menu,
    leave,
    move,
    on_screen,
    pixels_of,
    wheel,
)

TOKENS = ("[CLS]", "cat", "sat", "mat", "[SEP]")


VALUES = np.array([1, -0.5, 0, np.nan, 0.25], np.float32)


def _token_bars(
    qtbot: QtBot, look: Look, values: Floats = VALUES, *, is_signed: bool = True, errors: Floats | None = None
) -> PictureBars:
    bars = PictureBars(look)
    tokens = TOKENS if len(values) == len(TOKENS) else tuple(f"t{at}" for at in range(len(values)))
    result = TokenScalars(tokens, values, Quantity("", None if is_signed else 0), standard_errors=errors)
    bars.show_picture(result.pictures()[0], "value · layer 1")
    return on_screen(qtbot, bars, 420, 300)


def _length(bars: PictureBars, row: int, colour: QColor) -> tuple[int, int]:
    """Return where the bar of a row begins and how long it is."""
    room = bars.box.geometry_in_plot()
    y = round(room.top() + bars.box.rows().middle(row))
    line = pixels_of(bars)[y, round(room.left()) :]
    expected = channels(colour.rgb() & 0xFFFFFF)
    found = [
        x for x, pixel in enumerate(line) if np.abs(np.subtract(channels(int(pixel)), expected)).max() < 3
    ]
    return (found[0], len(found)) if found else (0, 0)


SECTIONS = (
    Section("by layer", (SectionRow("0", 0.25), SectionRow("1", 0.0, "below")), ("mat", "[MASK]"), 1.0),
    Section(
        "fillers",
        (SectionRow("mat", 0.5, piece="mat", is_marked=True), SectionRow("floor", 0.25, piece="floor")),
        ("1",),
        1.0,
    ),
    Section(
        "logit",
        (SectionRow("heads", 2.0), SectionRow("biases", -1.0), SectionRow("sum", 1.0, is_marked=True)),
        ("mat", "x", "1"),
        2.0,
    ),
)


@pytest.fixture
def bars(qtbot: QtBot, look: Look) -> SectionBars:
    bars = SectionBars(look)
    bars.show_sections(SECTIONS)
    return on_screen(qtbot, bars, 320, 640)


def _row_at(bars: SectionBars, x: int, y: int) -> SectionRow | None:
    part = bars.part_at(QPointF(x, y))
    return None if part is None else bars.row(part)


def _bar(bars: SectionBars, label: str) -> tuple[str, int, int]:
    """Return the colour, the left end and the width of the bar of a row."""
    middle = bars.width() // 2
    ys = [y for y in range(bars.height()) if (row := _row_at(bars, middle, y)) and row.label == label]
    line, ground = pixels_of(bars)[ys[len(ys) // 2]], int(pixels_of(bars)[0, 0])
    for name in ("accent", "sentence_b"):
        for alpha in (0.4, 0.75):
            colour = np.array(blended(bars.look, name, alpha, ground))
            found = [x for x, pixel in enumerate(line) if np.abs(channels(int(pixel)) - colour).max() < 2]
            if len(found) > 2:
                return f"{name} {alpha}", found[0], len(found)
    raise AssertionError(f"{label} has no bar")


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> VectorScene:
    return VectorScene(look, HeldJobs())


def _shown(qtbot: QtBot, scene: VectorScene, trace: Trace) -> SectionsView:
    """Return a view of predictions by layer, in which each token has a likeliest piece of its own."""
    n_states, n_tokens = trace.n_layers + 1, len(trace.tokens)
    ids = np.broadcast_to(np.arange(n_tokens, dtype=np.int32)[:, None], (n_states, n_tokens, 1)).copy()
    pieces = {token: f"piece {token}" for token in range(n_tokens)}
    result = LayerRankings(trace.tokens.pieces, ids, np.full(ids.shape, 0.5, np.float32), pieces)
    view = SectionsView(scene.tools)
    content = Content("logit-lens", (("piece", "old"), ("top", "1")))
    view.show_panel(Panel(0, 1, 0, "reasons", content=content))
    view.show_result(Analysed(content, (trace,), result, result.as_table()))
    return on_screen(qtbot, view, 320, 640)


def test_why_begins_in_plain_words_and_says_how_exact_it_is_behind_the_fold(
    qtbot: QtBot, scene: VectorScene
) -> None:
    model, view = open_model(), SectionsView(scene.tools)
    trace = model.trace("The cat sat on the [MASK].")
    result = model.analyse("score-parts", trace, layer=0, head=2, query=3, key=5)
    content = Content("score-parts")
    view.show_panel(Panel(0, 0, 2, "reasons", content=content))
    view.show_result(Analysed(content, (trace,), result, result.as_table()))
    on_screen(qtbot, view, 320, 640)
    assert "compares what it asks for" in view.story.text()
    assert view.writes_note, "so it is not written above the view"
    assert not view.note.isVisible()
    view.fold.click()
    assert view.note.isVisible()
    assert "identity holds to " in view.note.text()


def _words(view: SectionsView) -> tuple[str, ...]:
    return view.bars.sections[0].words


HORIZONTAL = Qt.Orientation.Horizontal


def test_bars_begin_at_zero_in_the_colour_of_their_sign_and_nan_has_none(qtbot: QtBot, look: Look) -> None:
    bars = _token_bars(qtbot, look)
    below, above = (QColor(look.palette.differences[end]) for end in (0, -1))
    zero, full = _length(bars, 0, above)
    start, half = _length(bars, 1, below)
    assert full == pytest.approx(2 * half, abs=3)
    assert start + half == pytest.approx(zero, abs=2)
    for row in (2, 3):
        assert _length(bars, row, below)[1] + _length(bars, row, above)[1] == 0
    texts = [text for _, text in drawn_texts(bars)]
    assert {*TOKENS, "value · layer 1", "1", "−0.5", "0", "–", "0.25"} <= set(texts)


def test_a_hover_and_the_arrows_read_a_row(qtbot: QtBot, look: Look) -> None:
    bars = _token_bars(qtbot, look, errors=np.full(5, 0.125, np.float32))
    move(bars, 200, bars.box.geometry_in_plot().top() + bars.box.rows().middle(1))
    expected = ("cat", "position 1", "value −0.5000 (−0.6250 to −0.3750)", "standard error 0.125")
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
    bars = _token_bars(qtbot, look, np.linspace(-1, 1, 512, dtype=np.float32))
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
    bars = _token_bars(qtbot, look)
    bars.interventions = "head 0·1 muted"
    context_menu(bars, QPoint(250, 100))["Copy the numbers"]()
    rows = QGuiApplication.clipboard().text().splitlines()
    assert rows[0] == "position\ttoken\tvalue · layer 1\tinterventions"
    assert rows[2] == "1\tcat\t−0.5\thead 0·1 muted"
    CSVExporter(bars.item).export(str(tmp_path / "bars.csv"))
    saved = (tmp_path / "bars.csv").read_text(encoding="utf-8").splitlines()
    assert saved[2] == "1.,-0.5"


def test_a_saved_picture_has_every_name_and_number(qtbot: QtBot, look: Look) -> None:
    bars, panel, values = PictureBars(look), QWidget(), np.linspace(-1, 1, 100, dtype=np.float32)
    names = tuple(f"t{at}" for at in range(100))
    bars.show_picture(TokenScalars(names, values, Quantity("")).pictures()[0])
    QVBoxLayout(panel).addWidget(bars)
    on_screen(qtbot, panel, 420, 300)
    assert len(bars.left.labelled) < 100
    with shown_whole(panel):
        assert len(bars.left.labelled) == 100
        texts = [text for _, text in drawn_texts(bars)]
        assert {f"t{at}" for at in range(100)} <= set(texts)
    assert panel.height() == 300


def test_every_row_is_read_out_and_its_bar_as_long_as_its_value(bars: SectionBars) -> None:
    # every row is read out
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
    # bars are as long as their values and end at zero
    (share, left, quarter), (marked, other_left, half) = _bar(bars, "floor"), _bar(bars, "mat")
    assert (share, marked) == ("accent 0.4", "accent 0.75")
    assert half == pytest.approx(2 * quarter, abs=2)
    assert left == other_left
    (positive, zero, full), (negative, start, length) = _bar(bars, "heads"), _bar(bars, "biases")
    assert (positive, negative) == ("accent 0.4", "sentence_b 0.4")
    assert full == pytest.approx(2 * length, abs=2), "2 and −1 on a scale up to 2"
    assert start + length == pytest.approx(zero, abs=2), "both end at zero"


@pytest.mark.parametrize("width", [220, 900])
def test_titles_labels_and_numbers_are_drawn_within_the_width(qtbot: QtBot, look: Look, width: int) -> None:
    bars = SectionBars(look)
    bars.show_sections(SECTIONS)
    drawn = drawn_texts(on_screen(qtbot, bars, width, 640))
    texts = [text for _, text in drawn]
    assert "Probability of “mat” at [MASK], if each layer were the last" in texts
    assert {"mat", "0.5000", "floor", "0.2500", "+2.0000", "−1.0000"} <= set(texts)
    for box, text in drawn:
        assert box.left() >= 0, text
        assert box.right() <= width, text


@pytest.mark.parametrize("width", [200])
def test_names_of_several_words_are_whole_in_any_width(qtbot: QtBot, look: Look, width: int) -> None:
    bars, keys = SectionBars(look), ("feed-forward", "task head", "biases")
    section = Section("logit", tuple(SectionRow(key, 0.5) for key in keys), ("mat", "[MASK]", "1.5"), 1.0)
    bars.show_sections((section,))
    drawn = drawn_texts(on_screen(qtbot, bars, width, 640))
    boxes = {text: box for box, text in drawn}
    numbers = [box for box, text in drawn if text == "0.5000"]
    names = [boxes[row_label(section, row)] for row in section.rows]
    for name, number in zip(names, numbers, strict=True):
        assert name.right() <= number.left()
        assert name.intersects(number.adjusted(-width, 0, 0, 0)), "they are of one row"
    for above, below in itertools.pairwise(names):
        assert above.bottom() <= below.top() + 1


def test_arrows_go_through_rows_and_sections_and_enter_chooses_one(qtbot: QtBot, bars: SectionBars) -> None:
    followed: list[str] = []
    bars.part_chosen.connect(lambda row: followed.append(bars.row(row).label))
    read = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(bars, key)
        read.append(bars.read_out.lines[0])
    assert read == ["embeddings", "after layer 0", "mat", "floor", "floor"]
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Return):
        QTest.keyClick(bars, key)
        read.append(bars.read_out.lines[0])
    assert read[5:] == ["all heads", "all heads", "all heads", "mat", "mat"]
    assert followed == ["floor", "heads", "mat"]
    QTest.keyClick(bars, Qt.Key.Key_Escape)
    assert not bars.read_out.lines


def test_a_hover_reads_a_row_with_its_whole_name(qtbot: QtBot, look: Look) -> None:
    name = "antidisestablishmentarianism"
    bars = SectionBars(look)
    bars.show_sections((Section("fillers", (SectionRow(name, 0.5, piece=name),), ("1",), 1.0),))
    on_screen(qtbot, bars, 240, 200)
    assert name not in [text for _, text in drawn_texts(bars)]
    y = next(y for y in range(bars.height()) if _row_at(bars, 100, y))
    move(bars, 100, y + 5)
    assert bars.read_out.lines == (name, "0.5000")
    assert bars.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    leave(bars)
    assert not bars.read_out.lines


def test_what_is_not_a_number_has_no_bar_and_does_not_change_the_others(qtbot: QtBot, look: Look) -> None:
    ends = []
    for value in (0.25, np.nan):
        bars, rows = SectionBars(look), (SectionRow("a", 0.5), SectionRow("b", value))
        bars.show_sections((Section("competitors", rows, ("1", "2", "3", "4"), 1.0),))
        on_screen(qtbot, bars, 320, 240)
        ends.append(_bar(bars, "a"))
        assert bars.accessibleDescription().endswith("b 0.2500" if value == 0.25 else "b –")
    assert ends[0] == ends[1]
    with pytest.raises(AssertionError, match="b has no bar"):
        _bar(bars, "b")


def test_the_page_scrolls_to_the_row_that_the_keys_come_to(qtbot: QtBot, scene: VectorScene) -> None:
    view = _shown(qtbot, scene, make_trace(6))
    view.bars.show_sections(SECTIONS * 4)
    view.resize(320, 200)
    area = view.findChildren(QScrollArea)[0]
    bar = area.verticalScrollBar()
    assert bar.value() == 0
    for _ in range(11):
        QTest.keyClick(view.bars, Qt.Key.Key_Right)
    assert bar.value() > 400


def test_predictions_are_of_the_selected_token_else_of_the_masked_one_else_of_the_first_word(
    qtbot: QtBot, scene: VectorScene
) -> None:
    trace = make_trace(6)
    masked = replace(trace.tokens, pieces=("[CLS]", "w1", "w2", "[MASK]", "w4", "[SEP]"))
    view = _shown(qtbot, scene, replace(trace, tokens=masked))
    assert _words(view) == ("piece 3", "[MASK]")
    scene.selection.hover(query=4)
    assert _words(view)[0] == "piece 4"
    scene.selection.hover(key=2)
    assert _words(view)[0] == "piece 2"
    assert _shown(qtbot, scene, make_trace(6)).position == 2
    scene.selection.leave()
    assert _words(view)[0] == "piece 3"
    assert _words(_shown(qtbot, scene, make_trace(6))) == ("piece 1", "w1")


def test_a_followed_word_replaces_the_one_before_and_leaves_other_parameters(
    qtbot: QtBot, scene: VectorScene
) -> None:
    view = _shown(qtbot, scene, make_trace(6))
    choices: list[Content] = []
    view.choice_made.connect(choices.append)
    rows = [view.bars.row(at) for at in range(view.bars.count)]
    without = next(at for at, row in enumerate(rows) if not row.piece)
    view.bars.part_chosen.emit(without)
    assert not choices, "there is nothing to follow in a row without a piece"
    at, piece = next((at, row.piece) for at, row in enumerate(rows) if row.piece)
    view.bars.part_chosen.emit(at)
    assert choices == [Content("logit-lens", (("top", "1"), ("piece", piece)))]


@pytest.mark.usefixtures("korean", "plain_lenses")
def test_every_column_and_picture_of_every_analysis_has_a_korean_name() -> None:
    model = open_model(None, "cpu")
    trace, other = model.trace("the cat ate it"), model.trace("the dog ate it")
    rows, unnamed = RowsModel(), set[str]()
    for analysis in CATALOGUE:
        if analysis.refuses(trace.form, model.facts.task_heads) is not None:
            continue
        found = model.analyse(analysis.key, trace, other)
        tables = [found.as_table(), shown_table(found)]
        for picture in found.pictures():
            words = [title_of(picture), *(axis_word(axis.name) for axis in picture.axes if len(axis) > 1)]
            for axis in picture.axes:
                if axis.name in ("check", "vector"):
                    words += [part_word(picture, axis, at) for at in range(len(axis))]
            unnamed |= {word for word in words if word.isascii() and re.search("[a-z]", word)}
        for columns in {table.columns for table in tables if not isinstance(found, NamedArrays)} | {
            table.columns for table in tables[1:]
        }:
            rows.show_rows(columns, ())
            heads = [str(rows.headerData(section, HORIZONTAL)) for section in range(len(columns))]
            unnamed |= {head for head in heads if head.isascii() and head != "ID"}
    assert unnamed == set()


def test_the_tool_tip_of_a_cell_does_not_take_a_token_for_a_tag() -> None:
    rows = RowsModel()
    rows.show_rows(("token",), (("<s>",),))
    assert rows.data(rows.index(0, 0), Qt.ItemDataRole.ToolTipRole) == "<qt>&lt;s&gt;</qt>"
    assert rows.data(rows.index(0, 0)) == "<s>"


def test_a_result_without_numbers_draws_nothing_of_the_one_before(qtbot: QtBot, look: Look) -> None:
    view = PictureView(VectorScene(look, HeldJobs(), Panels()).tools)
    on_screen(qtbot, view, 420, 300)
    empty = Outcomes(Predictions())
    for result in (empty, TokenScalars(TOKENS, VALUES, Quantity("")), empty):
        view.show_result(Analysed(Content("predictions"), (), result, shown_table(result)))
        is_empty = result is empty
        assert (view.plot is None, view.note.text() == "The result has no numbers for this text") == (
            is_empty,
            is_empty,
        )
        assert [plot.isVisible() for plots in view.plots.values() for plot in plots] == (
            [] if not view.plots else [not is_empty]
        )
        assert view.strip.isVisible() is not is_empty
        if is_empty:
            qtbot.waitUntil(lambda: view.note.geometry().bottom() < view.height() / 4)
