"""The bars of an explained number: all are drawn within the width, and a click on a word follows it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.results import LayerRankings
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.analyses.sections import Section, SectionRow
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.wording.analysis_words import content_title
from bertviz_app.views.analyses.section_words import row_label
from bertviz_app.views.analyses.sections import SectionBars, SectionsView
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.context_menus import opened_menus
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs
from tests.support.scene import blended, channels, click, leave, move, on_screen, pixels_of
from tests.support.vector_scene import VectorScene

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


@pytest.mark.parametrize("token", ["heads", "sum", "content", "task head", "rest (2)"])
def test_a_token_is_written_as_it_is_even_if_a_part_is_called_so(token: str) -> None:
    row = SectionRow(token, 0.5)
    assert row_label(Section("competitors", (row,)), row) == token


def _bar(bars: SectionBars, label: str) -> tuple[str, int, int]:
    """Return the colour, the left end and the width of the bar of a row."""
    middle = bars.width() // 2
    ys = [y for y in range(bars.height()) if (row := bars.row_at(QPointF(middle, y))) and row.label == label]
    line, ground = pixels_of(bars)[ys[len(ys) // 2]], int(pixels_of(bars)[0, 0])
    for name in ("accent", "sentence_b"):
        for alpha in (0.4, 0.75):
            colour = np.array(blended(bars.look, name, alpha, ground))
            found = [x for x, pixel in enumerate(line) if np.abs(channels(int(pixel)) - colour).max() < 2]
            if len(found) > 2:
                return f"{name} {alpha}", found[0], len(found)
    raise AssertionError(f"{label} has no bar")


def test_bars_are_as_long_as_their_values_and_end_at_zero(bars: SectionBars) -> None:
    (share, left, quarter), (marked, other_left, half) = _bar(bars, "floor"), _bar(bars, "mat")
    assert (share, marked) == ("accent 0.4", "accent 0.75")
    assert half == pytest.approx(2 * quarter, abs=2)
    assert left == other_left
    (positive, zero, full), (negative, start, length) = _bar(bars, "heads"), _bar(bars, "biases")
    assert (positive, negative) == ("accent 0.4", "sentence_b 0.4")
    assert full == pytest.approx(2 * length, abs=2), "2 and −1 on a scale up to 2"
    assert start + length == pytest.approx(zero, abs=2), "both end at zero"


@pytest.mark.parametrize("width", [220, 320, 900])
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


@pytest.mark.parametrize("width", [200, 320, 700])
def test_names_of_methods_are_whole_in_any_width(qtbot: QtBot, look: Look, width: int) -> None:
    bars, keys = SectionBars(look), ("chefer", "integrated-gradients", "occlusion")
    rows = tuple(SectionRow(key, 0.5) for key in keys)
    bars.show_sections((Section("agreement", rows, top=1.0),))
    drawn = drawn_texts(on_screen(qtbot, bars, width, 640))
    boxes = {text: box for box, text in drawn}
    numbers = [box for box, text in drawn if text == "0.5000"]
    names = [boxes[content_title(Content(key))] for key in keys]
    for name, number in zip(names, numbers, strict=True):
        assert name.right() <= number.left()
        assert name.intersects(number.adjusted(-width, 0, 0, 0)), "they are of one row"
    for above, below in itertools.pairwise(names):
        assert above.bottom() <= below.top() + 1


def test_a_click_on_a_word_follows_it(qtbot: QtBot, bars: SectionBars) -> None:
    followed: list[str] = []
    bars.piece_clicked.connect(followed.append)
    middle = bars.width() // 2
    rows = [(QPoint(middle, y), bars.row_at(QPointF(middle, y))) for y in range(bars.height())]
    for label in ("floor", "heads"):
        at = next(at for at, row in rows if row is not None and row.label == label)
        click(bars, *at.toTuple())
    assert followed == ["floor"]


def test_arrows_go_through_rows_and_sections_and_enter_follows_a_word(
    qtbot: QtBot, bars: SectionBars
) -> None:
    followed: list[str] = []
    bars.piece_clicked.connect(followed.append)
    read = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(bars, key)
        read.append(bars.read_out.lines[0])
    assert read == ["embeddings", "after layer 0", "mat", "floor", "floor"]
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Return, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Return):
        QTest.keyClick(bars, key)
        read.append(bars.read_out.lines[0])
    assert read[5:] == ["all heads", "all heads", "all heads", "mat", "mat"]
    assert followed == ["floor", "mat"], "there is nothing to follow in other rows"
    QTest.keyClick(bars, Qt.Key.Key_Escape)
    assert not bars.read_out.lines


def test_a_hover_reads_a_row_with_its_whole_name(qtbot: QtBot, look: Look) -> None:
    name = "antidisestablishmentarianism"
    bars = SectionBars(look)
    bars.show_sections((Section("fillers", (SectionRow(name, 0.5, piece=name),), ("1",), 1.0),))
    on_screen(qtbot, bars, 240, 200)
    assert name not in [text for _, text in drawn_texts(bars)]
    y = next(y for y in range(bars.height()) if bars.row_at(QPointF(100, y)))
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


def test_the_right_button_opens_the_menu(bars: SectionBars) -> None:
    (menu,) = opened_menus(bars, QPoint(100, 100))
    menu.close()


def test_fillers_are_titled_by_the_layer_that_wrote_their_state(qtbot: QtBot, look: Look) -> None:
    bars = SectionBars(look)
    bars.show_sections(tuple(replace(SECTIONS[1], words=(state,)) for state in ("2", "1", "0")))
    texts = [text for _, text in drawn_texts(on_screen(qtbot, bars, 320, 640))]
    titles = [text for text in texts if text.startswith("Likeliest")]
    assert titles == [
        "Likeliest after layer 1",
        "Likeliest after layer 0",
        "Likeliest from the embeddings alone",
    ]


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


def _words(view: SectionsView) -> tuple[str, ...]:
    return view.bars.sections[0].words


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
    view.bars.piece_clicked.emit("new")
    assert choices == [Content("logit-lens", (("top", "1"), ("piece", "new")))]
