"""Results of tokens and explained numbers: bars, what a hover and the keys read, names of columns."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import LayerRankings, NamedArrays, TokenScalars
from bertviz_app.api import open_model
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.views.analyses.charts import PictureBars
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.analyses.table import RowsModel, axis_word, part_word, title_of
from bertviz_app.views.export.recording import shown_whole
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import channels, on_screen, pixels_of

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


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> VectorScene:
    return VectorScene(look, HeldJobs())


def _lens(qtbot: QtBot, scene: VectorScene, trace: Trace, part: str = "likeliest") -> PictureView:
    """Return a view of predictions by layer, in which each token has a likeliest piece of its own."""
    n_states, n_tokens = trace.n_layers + 1, len(trace.tokens)
    ids = np.broadcast_to(np.arange(n_tokens, dtype=np.int32)[:, None], (n_states, n_tokens, 1)).copy()
    pieces = {token: f"piece {token}" for token in range(n_tokens)}
    result = LayerRankings(trace.tokens.pieces, ids, np.full(ids.shape, 0.5, np.float32), pieces)
    view = PictureView(scene.tools)
    content = Content("logit-lens", (("piece", "old"), ("top", "1")), part)
    view.show_panel(Panel(0, 1, 0, "picture", content=content))
    view.show_result(Analysed(content, (trace,), result, result.as_table()))
    return on_screen(qtbot, view, 320, 640)


def _names(view: PictureView) -> tuple[str, ...]:
    assert isinstance(view.plot, PictureBars)
    return view.plot.names


def test_why_begins_in_plain_words_and_a_key_explains_its_own_weight(
    qtbot: QtBot, scene: VectorScene
) -> None:
    model, view = open_model(), PictureView(scene.tools)
    trace = model.trace("The cat sat on the [MASK].")
    result = model.analyse("score-parts", trace, layer=0, head=2, query=3, key=5)
    content = Content("score-parts", (("query", 3), ("key", 5)))
    view.show_panel(Panel(0, 0, 2, "picture", content=content))
    view.show_result(Analysed(content, (trace,), result, result.as_table()))
    on_screen(qtbot, view, 320, 640)
    assert "compares what it asks for" in view.story.text()
    choices: list[Content] = []
    view.choice_made.connect(choices.append)
    assert view.plot is not None
    QTest.keyClick(view.plot, Qt.Key.Key_Home)
    QTest.keyClick(view.plot, Qt.Key.Key_Return)
    (chosen,) = choices
    best = int(trace.attention(0, 2)[3].argmax())
    assert dict(chosen.parameters) == {"query": 3, "key": best}


HORIZONTAL = Qt.Orientation.Horizontal


def test_bars_begin_at_zero_in_the_colour_of_their_sign_and_nan_has_none(qtbot: QtBot, look: Look) -> None:
    bars = _token_bars(qtbot, look, errors=np.full(5, 0.125, np.float32))
    assert list(bars.lines_of(1))[2:] == ["value −0.5000 (−0.6250 to −0.3750)", "standard error 0.125"]
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


def test_predictions_are_of_the_selected_token_else_of_the_masked_one_else_of_the_first_word(
    qtbot: QtBot, scene: VectorScene
) -> None:
    trace = make_trace(6)
    masked = replace(trace.tokens, pieces=("[CLS]", "w1", "w2", "[MASK]", "w4", "[SEP]"))
    view = _lens(qtbot, scene, replace(trace, tokens=masked))
    assert _names(view) == ("piece 3",)
    scene.selection.hover(query=4)
    assert _names(view) == ("piece 4",)
    scene.selection.hover(key=2)
    assert _names(view) == ("piece 2",)
    scene.selection.leave()
    assert _names(view) == ("piece 3",)
    view.menus["token"].activated.emit(5)
    assert scene.selection.pinned.query == 5, "its menu selects the token everywhere"
    assert _names(view) == ("piece 5",)
    scene.selection.clear()
    assert _names(_lens(qtbot, scene, make_trace(6))) == ("piece 1",)


def test_a_followed_word_replaces_the_one_before_and_leaves_other_parameters(
    qtbot: QtBot, scene: VectorScene
) -> None:
    view = _lens(qtbot, scene, make_trace(6))
    choices: list[Content] = []
    view.choice_made.connect(choices.append)
    assert view.plot is not None
    view.plot.part_chosen.emit(0)
    assert choices == [Content("logit-lens", (("piece", "piece 1"), ("top", "1")), "followed")]


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
