"""What a click lists of a classifier on a file, and what the slider of a training shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.features.corpora.process.history import TrainingHistory, TrainingStage
from bertviz_app.features.corpora.studies.classifier import JudgedParameters, JudgedTexts, _finish
from bertviz_app.features.corpora.studies.study import Part, as_lines
from bertviz_app.features.corpora.views.history import HistoryPage, TrainingTime
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.analyses.charts import PictureCurves
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from tests.support.fakes import HeldJobs
from tests.support.scene import click, expect, on_screen

ROWS = (
    (2, "what a film", None, "bad", 0, 4, (0.9, 0.1)),
    (3, "so good", None, "good", 1, 3, (0.7, 0.3)),
    (4, "very good", None, "good", 1, 3, (0.2, 0.8)),
    (5, "not good", None, "bad", 0, 9, (0.05, 0.95)),
)


class _Model:
    class_names = ("bad", "good")


def _result() -> JudgedTexts:
    part = Part(
        rows={
            "texts": as_lines([list(row[:6]) for row in ROWS]),
            "probabilities": np.array([row[6] for row in ROWS], np.float32),
        }
    )
    reporter = None
    return _finish(_Model(), part, JudgedParameters("bad=0,good=1", "not"), reporter)  # type: ignore[arg-type]


@pytest.fixture
def view(qtbot: QtBot, tools: PanelTools) -> PictureView:
    view = PictureView(tools)
    result = _result()
    view.show_result(Analysed(Content("classifier"), (), result, shown_table(result)))
    on_screen(qtbot, view, 700, 560)
    return view


def _listed(view: PictureView) -> list[int]:
    items = [view.texts.item(row) for row in range(view.texts.count())]
    return [item.data(Qt.ItemDataRole.UserRole).line for item in items]


def test_errors_are_listed_first_and_a_cell_lists_its_own(view: PictureView) -> None:
    assert "50.0% of 4 texts are right" in view.note.text()
    assert "labels: bad=bad, good=good" in view.note.text()
    cells = expect(PictureCells, view.plot)
    assert cells.lines_of((0, 1)) == ["Label “bad” · predicted “good”", "Texts 1"]
    assert _listed(view)[:2] == [5, 3], "the surest error first"
    at = cells.cell_rect(1, 0).center()
    click(cells.viewport(), at.x(), at.y())
    assert _listed(view) == [3]
    assert view.listed.text() == "Label “good” · predicted “bad”: 1 · list all texts"
    assert cells.first == (1, 0)
    view.listed.click()
    assert len(_listed(view)) == 4


def test_a_dot_of_the_calibration_and_a_slice_list_theirs(view: PictureView) -> None:
    result = expect(JudgedTexts, view.result)
    view.choose("calibration")
    curve = expect(PictureCurves, view.plot)
    counts, there = result.named["calibration"][:, 0], result.in_order
    for number, part in enumerate(np.flatnonzero(counts).tolist()):
        click(curve, *curve.place_of(curve.numbered(number)).toTuple())
        expected = [one.item.line for one in there if min(int(10 * one.confidence), 9) == part]
        assert len(expected) == counts[part]
        assert _listed(view) == expected, "those of a part of 0 to 1"
    view.choose("slices")
    assert len(_listed(view)) == 4
    assert view.plot is not None
    view.plot.part_chosen.emit(0)
    assert _listed(view) == [5]
    assert view.listed.text().startswith("“not”: 1")


@pytest.fixture
def page(qtbot: QtBot, look: Look) -> HistoryPage:
    study = TrainingTime(Tasks(HeldJobs()), lambda error: None)
    values = np.zeros((3, 1, 2, 2), np.float32)
    values[:, 0, 1, 0] = 0.1, 0.9, 1.0
    names = Axis("checkpoint", ("10", "20", "30")), Axis("measure", ("previous",))
    axes = (*names, counted("layer", 2), counted("head", 2))
    stages = tuple(TrainingStage(step, f"run/checkpoint-{step}") for step in (10, 20, 30))
    study.history = TrainingHistory(
        {"values": values},
        {"values": axes},
        {"texts": 7, "file": "a.txt"},
        stages=stages,
        measures=("previous",),
    )
    study.at, study.folder = 2, Path("run")
    page = HistoryPage(look, study)
    on_screen(qtbot, page, 900, 600)
    return page


def test_the_slider_shows_a_checkpoint_and_the_list_the_heads_that_form(page: HistoryPage) -> None:
    assert page.step.text() == "Step 30"
    assert page.heads.item(0).text() == "1·0   0.10 → 1.00   step 20"
    page.steps.setValue(0)
    assert page.step.text() == "Step 10"
    assert not page.compare.isEnabled(), "the first checkpoint is not compared with itself"
    assert "0.1" in page.cells.lines_of((1, 0))[1]


def test_a_head_that_was_pruned_leaves_the_colours_of_the_others(look: Look) -> None:
    values = np.array([[[[1.5, np.nan]]]], np.float32)
    axes = *(Axis(name, ("0",)) for name in ("checkpoint", "measure", "layer")), counted("head", 2)
    stages = (TrainingStage(10, ""),)
    (picture,) = TrainingHistory(
        {"values": values}, {"values": axes}, stages=stages, measures=("distance",)
    ).pictures()
    assert picture.top == 1.5
    cells = PictureCells(look)
    cells.show_picture(picture.at({}))


def test_two_checkpoints_are_asked_for(page: HistoryPage) -> None:
    asked: list[tuple[str, str]] = []
    page.compare_requested.connect(lambda *refs: asked.append(refs))
    page.steps.setValue(1)
    page.compare.click()
    assert asked == [("run/checkpoint-10", "run/checkpoint-20")]
    page.heads.itemActivated.emit(page.heads.item(0))
    assert page.curve.curves[0].name == "Layer 1 · Head 0"
