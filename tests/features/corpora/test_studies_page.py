"""Studies on the Corpus page: chosen, asked about, measured by a process, stopped, and drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import bertviz_app
from bertviz_app.features.corpora.state.corpus import CorpusStudy, FileStudy
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from bertviz_app.features.corpora.studies.outcomes import PruningCurve
from bertviz_app.features.corpora.studies.statistics import HeadStatistics
from bertviz_app.features.corpora.views.page import CorpusPage
from bertviz_app.inference.jobs import Jobs
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.analyses.charts import PictureCurves
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.kit.look import Look
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene

LINES = ("the cat ate the fish", "a cat was hungry", "it ate fish because it was hungry", "the fish", "cat")


@pytest.fixture
def errors() -> list[Exception]:
    return []


@pytest.fixture
def files(qtbot: QtBot, errors: list[Exception]) -> Iterator[FileStudy]:
    jobs = Jobs("study of a file")
    jobs.start()
    yield FileStudy(Tasks(jobs), errors.append)
    jobs.close()


@pytest.fixture
def page(qtbot: QtBot, files: FileStudy, look: Look, errors: list[Exception]) -> CorpusPage:
    table = CorpusStudy(Tasks(HeldJobs()), Tasks(HeldJobs()), errors.append)
    found = CorpusPage(look, table, files, VectorScene(look, HeldJobs()).tools)
    qtbot.addWidget(found)
    found.resize(1000, 700)
    found.show()
    return found


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join([*LINES, ""]), encoding="utf-8")
    return path


def test_all_studies_are_offered_and_the_table_of_measures_stays_the_first(page: CorpusPage) -> None:
    box = page.choice.box
    assert [box.itemData(at) for at in range(box.count())] == ["", *(study.key for study in STUDIES)]
    assert page.start.isVisible()
    assert not page.study.isVisible()
    for at, study in enumerate(STUDIES, 1):
        box.setCurrentIndex(at)
        box.activated.emit(at)
        assert page.study.isVisible()
        assert not page.start.isVisible()
        assert page.study.about.text().startswith(str(study.summary)[:20])
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert page.start.isVisible()
    assert not page.study.isVisible()


def test_a_study_is_measured_by_a_process_and_drawn(
    qtbot: QtBot, page: CorpusPage, files: FileStudy, texts: Path, tiny_bert: Path, errors: list[Exception]
) -> None:
    files.choose("attention-targets")
    files.set_content(Content("attention-targets", (("per", "layer"),)))
    files.open(texts, str(tiny_bert))
    assert page.study.cancel.isVisible()
    assert "texts.txt" in page.study.state.text()
    qtbot.waitUntil(lambda: not files.busy_with, timeout=60_000)
    assert errors == []
    assert files.shown is not None
    found = files.shown.result
    expected = bertviz_app.open_model(str(tiny_bert), "cpu").study("attention-targets", texts, per="layer")
    assert isinstance(found, HeadStatistics)
    np.testing.assert_array_equal(found.values, expected.arrays()["values"])
    assert isinstance(page.study.view, PictureView)
    assert "5 of 5 lines" in page.study.state.text()
    assert files.saved is not None
    assert files.saved.parent == texts.parent
    with np.load(files.saved) as saved:
        np.testing.assert_array_equal(saved["values"], found.values)
    files.choose("head-patterns")
    assert page.study.view is None, "the result is that of another study"
    files.choose("attention-targets")
    assert isinstance(page.study.view, PictureView)


@pytest.mark.usefixtures("in_this_process")
def test_a_table_is_asked_about_and_then_measured(
    qtbot: QtBot, page: CorpusPage, files: FileStudy, tiny_bert: Path, tmp_path: Path, errors: list[Exception]
) -> None:
    table = tmp_path / "rows.tsv"
    table.write_text("number\ttext\n1\tthe cat ate\n2\tit was hungry\n", "utf-8")
    files.choose("head-patterns")
    files.open(table, str(tiny_bert))
    qtbot.waitUntil(lambda: files.asked is not None, timeout=60_000)
    question = page.study.question
    assert question.isVisible()
    assert not question.measure.isEnabled()
    files.answer({**dict.fromkeys(question.question.boxes, ""), "text_column": "text"})
    assert question.measure.isEnabled()
    question.measure.click()
    qtbot.waitUntil(lambda: not files.busy_with, timeout=60_000)
    assert errors == []
    assert files.asked is None
    assert not question.isVisible()
    assert files.shown is not None
    assert (files.shown.result.about or {})["n_measured"] == 2
    files.open(table, str(tiny_bert))
    qtbot.waitUntil(lambda: files.asked is not None, timeout=60_000)
    question.cancel.click()
    assert not question.isVisible()
    assert page.study.view is not None


def test_a_study_that_is_stopped_shows_nothing(
    qtbot: QtBot, page: CorpusPage, files: FileStudy, texts: Path, tiny_bert: Path, errors: list[Exception]
) -> None:
    files.choose("head-patterns")
    files.open(texts, str(tiny_bert))
    page.study.cancel.click()
    assert files.busy_with == ""
    assert not page.study.cancel.isVisible()
    qtbot.wait(50)
    assert files.shown is None
    assert errors == []


def test_the_form_changes_the_parameters(page: CorpusPage, files: FileStudy) -> None:
    files.choose("head-patterns")
    assert not page.choice.parameters.isVisible()
    files.choose("pruning-curve")
    assert page.choice.parameters.isVisible()
    page.choice.open_form()
    assert page.choice.form is not None
    assert set(page.choice.form.fields) == {"steps", "order", "by_layer", "seed", "labels"}
    page.choice.form.chosen.emit(Content("pruning-curve", (("steps", 4),)))
    assert files.content.parameters == (("steps", 4),)
    page.choice.form.close()


def _analysed(model: bertviz_app.Model, key: str, texts: Path, **parameters: int) -> Analysed:
    (result,) = model.studies({key: parameters}, texts)
    return Analysed(Content(key), (), result, shown_table(result))


def test_statistics_in_cells(qtbot: QtBot, look: Look, texts: Path, tiny_bert: Path) -> None:
    model = bertviz_app.open_model(str(tiny_bert), "cpu")
    view = PictureView(VectorScene(look, HeldJobs()).tools)
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    analysed = _analysed(model, "head-patterns", texts)
    view.show_result(analysed)
    result = analysed.result
    assert isinstance(result, HeadStatistics)
    assert [one.key for one in result.pictures()[:2]] == ["share of heterogeneous", "share of vertical"]
    assert len(result.pictures()) == 5 + 3
    assert not view.menus
    view.choose("vertical")
    (menu,) = view.menus.values()
    menu.setCurrentIndex(menu.findText("Below it: 90 % of the texts"))
    menu.activated.emit(menu.currentIndex())
    cells = view.plot
    assert isinstance(cells, PictureCells)
    assert cells.picture is not None
    np.testing.assert_array_equal(cells.picture.values, result.of("vertical", "90 %"))
    with qtbot.waitSignal(view.head_requested) as requested:
        cells.part_chosen.emit((1, 2))
    assert requested.args == [1, 2]
    assert f"mean {result.of('vertical')[1, 2]:.4f}" in view.note.text()
    view.show_result(_analysed(model, "inter-sentence", texts))
    view.choose("1 → 2")
    assert view.shown_picture is not None
    alone = dict(view.shown_picture.side_by_side({"statistic": 0}))
    assert np.isnan(alone[1].values).all(), "a text alone has no second sentence"
    assert np.isfinite(alone[0].values).all()
    texts.write_text("fish\nthe cat\n", "utf-8")
    view.show_result(_analysed(model, "head-measures", texts))
    assert view.shown_picture.key == "entropy", "no shares of names"
    assert "every text is too short" in view.note.text()


def test_the_curve_of_pruning(qtbot: QtBot, look: Look, tmp_path: Path) -> None:
    model = bertviz_app.open_model(None, "cpu")
    view = PictureView(VectorScene(look, HeldJobs()).tools)
    qtbot.addWidget(view)
    view.resize(700, 500)
    view.show()
    texts = tmp_path / "texts.txt"
    texts.write_text("the cat ate fish\nit was hungry\nwhat a day", "utf-8")
    analysed = _analysed(model, "pruning-curve", texts, steps=3)
    view.show_result(analysed)
    result = analysed.result
    assert isinstance(result, PruningCurve)
    curves = view.plot
    assert isinstance(curves, PictureCurves)
    np.testing.assert_allclose(curves.curves[0].values, result.named["score"])
    assert "3 texts, 48 heads · score" in view.note.text()
    view.choose("loss")
    np.testing.assert_allclose(curves.curves[0].values, result.named["loss"])
    assert " … " in curves.lines_of(curves.numbered(1))[1], "the ends of its standard error"
    stars = replace(result, facts={**result.facts, "labels": "1=1 star, 2=2 stars"})
    view.show_result(replace(analysed, result=stars))
    assert view.note.text().endswith(" · labels: 1=1 star, 2=2 stars")
