"""Views of results of layers: cells of CKA, curves of lenses and of two words, and the sums of AttnLRP."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.features.corpora.studies.layer_similarity import LayerSimilarity
from bertviz_app.features.corpora.studies.lenses import Lens, TrainedLens
from bertviz_app.features.methods.attribution import TokenRelevance
from bertviz_app.features.methods.vectors import WordParameters, word_cosines
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.analyses.charts import PictureBars, PictureCurves
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.kit.panel_view import PanelTools
from tests.features.methods.test_words import CITY, RIVER
from tests.support.scene import click, expect, not_none, on_screen

VALUES = np.array([[1, 0.25], [0.25, 1], [-0.125, np.nan]], np.float32)


def _similarity(**facts: int) -> LayerSimilarity:
    axes = Axis("state", ("0", "2", "4")), Axis("other state", ("0", "1"))
    every = {"checkpoints": 2, "vectors": 1234, "without partner": 0, "constant": 0} | facts
    return LayerSimilarity({"values": VALUES.copy()}, {"values": axes}, every)


def _lens(**by_state: Floats) -> TrainedLens:
    lens = Lens("abc", "model", np.zeros((2, 3, 3), np.float32), np.zeros((2, 3), np.float32))
    named = {name.replace("_", " "): values for name, values in by_state.items()}
    axes = dict.fromkeys(named, (counted("state", 3),))
    facts: dict[str, str | int | float] = {"trained on": 90, "judged on": 10, "kept in": "x"}
    return TrainedLens(named=named, axes_of=axes, facts=facts, main=next(iter(named)), lens=lens)


def _analysed(key: str, result: LayerSimilarity | TrainedLens | TokenRelevance) -> Analysed:
    return Analysed(Content(key), (), result, shown_table(result))


def test_two_states_are_read_out_with_their_numbers(tools: PanelTools, qtbot: QtBot) -> None:
    view = PictureView(tools)
    on_screen(qtbot, view, 600, 400)
    view.show_result(_analysed("cka-checkpoints", _similarity(constant=1, **{"without partner": 3})))
    assert isinstance(view.plot, PictureCells)
    assert view.plot.lines_of((1, 0)) == ["State 2 · State 0", "CKA +0.2500"]
    for words in ("1,234 vectors", "columns those of the other", "3 tokens that", "1 states have"):
        assert words in view.note.text()
    assert view.axis_titles.left == "hidden state"
    view.show_result(_analysed("cka", _similarity(checkpoints=1)))
    assert view.note.text() == "Over 1,234 vectors"


def test_a_lens_is_drawn_beside_the_logit_lens(tools: PanelTools, qtbot: QtBot) -> None:
    view = PictureView(tools)
    on_screen(qtbot, view, 600, 400)
    tuned, plain = np.array([3, 1, 0], np.float32), np.array([5, 2, 0], np.float32)
    view.show_result(_analysed("tuned-lens", _lens(tuned_lens=tuned, logit_lens=plain)))
    assert isinstance(view.plot, PictureCurves)
    assert [curve.name for curve in view.plot.curves] == ["Tuned lens", "Logit lens"]
    assert view.plot.accessibleName() == "Divergence from the model, bits"
    assert view.plot.curves[1].values.tolist() == [5, 2, 0]
    assert view.plot.ends()[0] == 2
    assert "Trained on 90 tokens" in view.note.text()


def test_the_bars_of_attnlrp_say_what_adds_up(tools: PanelTools, qtbot: QtBot, tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    found = expect(TokenRelevance, model.analyse("attn-lrp", model.trace("the cat ate"), target="pooled"))
    assert found.outcome is not None
    view = PictureView(tools)
    on_screen(qtbot, view, 600, 400)
    view.show_result(_analysed("attn-lrp", found))
    assert isinstance(view.plot, PictureBars)
    assert view.note.text().endswith(f"outcome +{found.outcome:.3f}")
    assert "biases and softmax" in view.note.text()


CONTENT = Content("word-cosines")


@pytest.fixture
def view(qtbot: QtBot, tools: PanelTools) -> PictureView:
    view = on_screen(qtbot, PictureView(tools), 700, 560)
    result = word_cosines(Inputs(RIVER, None, CITY), WordParameters(), SILENT)
    view.show_panel(Panel(1, 0, 0, "picture", content=CONTENT))
    view.show_result(Analysed(CONTENT, (RIVER,), result, shown_table(result), CITY))
    return view


def test_the_cosine_is_a_curve_below_both_texts_with_the_weights_of_the_two_words(view: PictureView) -> None:
    assert view.analysed is not None
    cosine = not_none(view.result).arrays()["cosine"]
    assert view.note.text().startswith("“bank” and “bank”: cosine ")
    assert f"{cosine[-1]:.2f} after the last layer" in view.note.text().replace("−", "-")
    assert isinstance(view.plot, PictureCurves)
    np.testing.assert_allclose(view.plot.curves[0].values, cosine, rtol=1e-6)
    assert view.plot.curves[1].is_level, "the mean of all pairs"
    looks = not_none(view.strip.picture)
    for row, tokens in enumerate((RIVER.tokens, CITY.tokens)):
        assert view.strip.text_of(row) == " ".join(tokens.pieces)
        assert np.nansum(looks.values[row]) == pytest.approx(1, abs=1e-4)


def test_another_word_is_compared_by_choosing_it_in_its_text_or_by_picking_it(
    view: PictureView, tools: PanelTools
) -> None:
    chosen: list[object] = []
    view.choice_made.connect(chosen.append)
    for word in ((0, 4), (1, 2)):
        click(view.strip.viewport(), *view.strip.extent_of(word).center().toTuple())
    tools.selection.pin(3)
    expected = (("token", 4),), (("beside", 2),), (("token", 3),)
    assert chosen == [replace(CONTENT, parameters=parameters) for parameters in expected]


def test_a_state_is_read_out_with_its_angle(view: PictureView) -> None:
    assert view.plot is not None
    QTest.keyClick(view.plot, Qt.Key.Key_Home)
    angle = math.degrees(math.acos(float(not_none(view.result).arrays()["cosine"][0])))
    assert f"an angle of {angle:.0f}°" in view.plot.read_out.lines
