"""Views of what studies say of layers: cells of CKA, curves of lenses; and the sums of AttnLRP."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app import open_model
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.analysis.probing.lenses import Lens, TrainedLens
from bertviz_app.analysis.probing.relevance import TokenRelevance
from bertviz_app.features.corpora.studies.layer_similarity import LayerSimilarity
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.analyses.bars import PictureBars
from bertviz_app.views.analyses.cells import PictureCells
from bertviz_app.views.analyses.curves import PictureCurves
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import on_screen

VALUES = np.array([[1, 0.25], [0.25, 1], [-0.125, np.nan]], np.float32)


@pytest.fixture
def tools(look: Look) -> PanelTools:
    return VectorScene(look, HeldJobs(), Panels()).tools


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
    found = model.analyse("attn-lrp", model.trace("the cat ate"), target="pooled")
    assert isinstance(found, TokenRelevance)
    assert found.outcome is not None
    view = PictureView(tools)
    on_screen(qtbot, view, 600, 400)
    view.show_result(_analysed("attn-lrp", found))
    assert isinstance(view.plot, PictureBars)
    assert view.note.text().endswith(f"outcome +{found.outcome:.3f}")
    assert "biases and softmax" in view.note.text()
