"""The picture of two words: its sentence, its curve, and the words that are chosen in it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.features.methods.cosines import WordParameters, word_cosines
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.analyses.curves import PictureCurves
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from tests.features.methods.test_words import CITY, RIVER
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import click, on_screen

CONTENT = Content("word-cosines")


@pytest.fixture
def scene(look: Look) -> VectorScene:
    return VectorScene(look, HeldJobs(), Panels())


@pytest.fixture
def tools(scene: VectorScene) -> PanelTools:
    return scene.tools


@pytest.fixture
def view(qtbot: QtBot, tools: PanelTools) -> PictureView:
    view = on_screen(qtbot, PictureView(tools), 700, 560)
    result = word_cosines(Inputs(RIVER, None, CITY), WordParameters(), SILENT)
    view.show_panel(Panel(1, 0, 0, "picture", content=CONTENT))
    view.show_result(Analysed(CONTENT, (RIVER,), result, shown_table(result), CITY))
    return view


def test_the_cosine_is_a_curve_below_both_texts_with_the_weights_of_the_two_words(view: PictureView) -> None:
    assert view.analysed is not None
    assert view.result is not None
    cosine = view.result.arrays()["cosine"]
    assert view.note.text().startswith("“bank” and “bank”: cosine ")
    assert f"{cosine[-1]:.2f} after the last layer" in view.note.text().replace("−", "-")
    assert isinstance(view.plot, PictureCurves)
    np.testing.assert_allclose(view.plot.curves[0].values, cosine, rtol=1e-6)
    assert view.plot.curves[1].is_level, "the mean of all pairs"
    looks = view.strip.picture
    assert looks is not None
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
    assert view.result is not None
    QTest.keyClick(view.plot, Qt.Key.Key_Home)
    angle = math.degrees(math.acos(float(view.result.arrays()["cosine"][0])))
    assert f"an angle of {angle:.0f}°" in view.plot.read_out.lines
