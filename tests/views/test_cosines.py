"""The view of two words: its sentence, its line, and the words that are chosen in it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.analysis.pure.words import WordParameters, word_cosines
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.analyses.cosines import CosinesView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from tests.analysis.test_words import CITY, RIVER
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import on_screen

CONTENT = Content("word-cosines")


@pytest.fixture
def scene(look: Look) -> VectorScene:
    return VectorScene(look, HeldJobs(), Panels())


@pytest.fixture
def tools(scene: VectorScene) -> PanelTools:
    return scene.tools


@pytest.fixture
def view(qtbot: QtBot, tools: PanelTools) -> CosinesView:
    view = on_screen(qtbot, CosinesView(tools), 700, 560)
    result = word_cosines(Inputs(RIVER, None, CITY), WordParameters(), SILENT)
    view.show_panel(Panel(1, 0, 0, "words", content=CONTENT))
    view.show_result(Analysed(CONTENT, (RIVER,), result, shown_table(result), CITY))
    return view


def test_a_sentence_a_line_and_what_each_word_looks_at(view: CosinesView) -> None:
    assert view.analysed is not None
    cosine = view.analysed.result.arrays()["cosine"]
    assert view.sentence.text().startswith("“bank” and “bank”: cosine ")
    assert f"{cosine[-1]:.2f} after the last layer" in view.sentence.text().replace("−", "-")
    assert (view.own.currentText(), view.other.currentText()) == ("bank  · 5", "bank  · 6")
    assert view.plot.accessibleDescription().startswith("embeddings: cosine ")
    for bars, tokens in zip(view.looks, (RIVER.tokens, CITY.tokens), strict=True):
        (section,) = bars.sections
        labels = [row.label for row in section.rows if not row.label.startswith("rest")]
        assert set(labels) <= set(tokens.labels)
        assert sum(row.value for row in section.rows) == pytest.approx(1, abs=1e-4)


def test_another_word_is_chosen_from_the_list_or_by_picking_it(view: CosinesView, tools: PanelTools) -> None:
    chosen: list[object] = []
    view.choice_made.connect(chosen.append)
    view.other.activated.emit(2)
    tools.selection.pin(3)
    assert chosen == [
        replace(CONTENT, parameters=(("beside", 2),)),
        replace(CONTENT, parameters=(("token", 3),)),
    ]


def test_the_arrow_keys_read_the_line(view: CosinesView) -> None:
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert view.plot.read_out.isVisible()
    (first,) = view.plot.read_out.lines
    assert str(first).startswith("embeddings: cosine ")
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert str(view.plot.read_out.lines[0]).startswith("after layer 0: cosine ")


def test_the_angle_is_that_of_the_cosine_that_is_read_or_of_the_last_one(view: CosinesView) -> None:
    assert view.analysed is not None
    cosine = view.analysed.result.arrays()["cosine"]
    assert math.cos(math.radians(view.angle.degrees)) == pytest.approx(float(cosine[-1]), abs=1e-6)
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert math.cos(math.radians(view.angle.degrees)) == pytest.approx(float(cosine[0]), abs=1e-6)
    assert view.angle.accessibleName() == f"embeddings: {view.angle.equation}"
    QTest.keyClick(view.plot, Qt.Key.Key_Escape)
    last = len(cosine) - 2
    assert view.angle.accessibleName() == f"after layer {last}: {view.angle.equation}"
    view.set_stale(True)
    assert view.angle.is_stale
    view.angle.show_angle(-0.5, ("one", "other"), "here")
    assert view.angle.equation.replace("−", "-") == "cos 120° = -0.50"


def test_it_fits_into_a_narrow_panel(view: CosinesView) -> None:
    view.resize(280, 200)
    assert view.width() == 280
    assert view.other.geometry().right() < 280
    assert not view.looks[0].isVisible()
    assert not view.angle.isVisible()
