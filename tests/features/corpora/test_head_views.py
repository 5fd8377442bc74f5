"""The page of a head: examples that are clicked, numbers, notes; and all heads by two measures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import bertviz_app
from bertviz_app import paths
from bertviz_app.analysis.measures import head_overview
from bertviz_app.features.corpora.state.corpus import CorpusStudy, FileStudy, MeasureOf
from bertviz_app.features.corpora.views.head_page import HeadPage, HeadStudy
from bertviz_app.features.corpora.views.page import CorpusPage
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.jobs import Jobs
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.views.kit.look import Look
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import click


@pytest.fixture(scope="module")
def trace(tiny_bert: Path) -> Trace:
    return bertviz_app.open_model(str(tiny_bert), "cpu").trace("the cat")


@pytest.fixture
def study(
    qtbot: QtBot, measured_table: Path, tmp_path: Path, trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> Iterator[HeadStudy]:
    """The study of a head, of a corpus whose examples are read."""
    monkeypatch.setattr(paths, "dossiers", lambda: tmp_path / "dossiers")
    workers = [Jobs(name) for name in ("corpus", "finder", "collector", "reader")]
    tasks = [Tasks(jobs) for jobs in workers]
    errors: list[Exception] = []
    for jobs in workers:
        jobs.start()
    corpus = CorpusStudy(tasks[0], tasks[1], errors.append)
    study = HeadStudy(corpus, Engine(), (tasks[2], tasks[3]), errors.append)
    corpus.show_current(head_overview(trace), trace)
    with qtbot.waitSignal(corpus.changed, timeout=120_000):
        corpus.open(measured_table, None)
    study.collect()
    qtbot.waitUntil(lambda: bool(study.groups) and study.dossier is not None, timeout=120_000)
    yield study
    for jobs in workers:
        jobs.close()
    assert errors == []


@pytest.fixture
def page(qtbot: QtBot, study: HeadStudy, look: Look) -> HeadPage:
    page = HeadPage(look, study)
    qtbot.addWidget(page)
    page.resize(1240, 700)
    page.show()
    return page


def corpus_page(look: Look, corpus: CorpusStudy) -> CorpusPage:
    files = FileStudy(Tasks(HeldJobs()), lambda error: None)
    return CorpusPage(look, corpus, files, VectorScene(look, HeldJobs()).tools)


def test_sentences_are_written_with_the_pair_marked_and_open_by_a_click(
    qtbot: QtBot, page: HeadPage, study: HeadStudy
) -> None:
    words = page.examples.words
    assert words.headings[0][1].startswith("The strongest of all sentences   ")
    first = study.groups[0].examples[0]
    assert first.text is not None
    assert words.text_of(0) in first.text
    spans = first.tokens.spans  # type: ignore[union-attr]
    begin, end = spans[first.example.query].tolist()
    assert words.picture is not None
    (at,) = np.flatnonzero(words.picture.values[0] == 0).tolist()
    line = f"Line {first.example.line}: show it with this head"
    assert words.lines_of((0, at)) == [first.text[begin:end], "query", f"{first.example.weight:.3f}", line]
    with qtbot.waitSignal(page.examples.sentence_chosen) as requested:
        words.part_chosen.emit((0, 0))
    assert requested.args == [first.text]


def test_sentences_that_cannot_be_cut_show_the_pair_first(page: HeadPage, study: HeadStudy) -> None:
    group = study.groups[0]
    without = [replace(one, tokens=None) for one in group.examples[:1]]
    missing = [replace(one, tokens=None, text=None) for one in group.examples[1:2]]
    study.groups = (replace(group, examples=(*without, *missing)),)
    study.groups_changed.emit()
    words = page.examples.words
    example = without[0].example
    assert words.text_of(0) == f"{example.query_piece} → {example.key_piece} · {without[0].text}"
    assert words.text_of(1).endswith(f"line {missing[0].example.line} (its file is not here)")
    words.part_chosen.emit((1, 0))  # there is nothing to open


def test_page_keys_go_through_all_heads(qtbot: QtBot, page: HeadPage, study: HeadStudy) -> None:
    page.setFocus()
    assert not page.before.isEnabled()
    QTest.keyClick(page, Qt.Key.Key_PageDown)
    assert study.head == (0, 1)
    assert page.card.title.text() == "Layer 0 · Head 1"
    page.before.click()
    assert study.head == (0, 0)
    study.show((1, 3))
    assert not page.after.isEnabled()
    qtbot.waitUntil(lambda: bool(study.groups))


def test_distances_and_pieces_are_read_out(page: HeadPage, study: HeadStudy) -> None:
    assert study.examples is not None
    shares = study.examples.distances((0, 0))
    at = [label for label, _ in shares].index("−1")
    assert page.distances.lines_of(at)[0] == f"1 before: {shares[at][1]:.1%} of the weight"
    assert page.distances.lines_of(at + 1)[0].startswith("the same token: ")
    assert page.distances.lines_of(0)[0].startswith("129+ before: ")
    assert page.distances.lines_of(len(shares) - 2)[0].startswith("65–128 after: ")
    assert page.distances.lines_of(at)[0] in page.distances.accessibleDescription()
    heavy = study.examples.heaviest((0, 0), "key")[0]
    _, of_keys = page.pieces
    assert (of_keys.title, of_keys.names[0]) == ("as key", heavy.piece)
    assert of_keys.lines_of(0)[-1] == f"each time {heavy.each:.2f}"


def test_notes_are_typed_and_undone(page: HeadPage, study: HeadStudy) -> None:
    notes = page.notes
    QTest.keyClicks(notes.note, "back")
    notes.tags.setText("syntax, previous")
    notes.tags.editingFinished.emit()
    assert (study.notes.note, study.notes.tags) == ("back", ("syntax", "previous"))
    study.show((0, 1))
    assert (notes.note.toPlainText(), notes.tags.text()) == ("", "")
    study.show((0, 0))
    assert notes.note.toPlainText() == "back"
    notes.undo.click()
    notes.undo.click()
    assert (notes.note.toPlainText(), notes.tags.text()) == ("", "")
    assert not notes.undo.isEnabled()


def test_pictures_are_listed_and_taken_out(page: HeadPage, study: HeadStudy) -> None:
    assert page.notes.pictures.isHidden()
    picture = study.new_picture()
    picture.write_bytes(b"no picture at all")
    study.add_evidence(picture, "the cat", None, "Matrix")
    assert page.notes.pictures.count() == 1
    assert page.notes.pictures.item(0).text() == "Matrix\nthe cat"
    page.notes.pictures.setCurrentRow(0)
    page.notes.remove.click()
    assert page.notes.pictures.count() == 0


def test_heads_are_drawn_by_two_measures(qtbot: QtBot, study: HeadStudy, look: Look, trace: Trace) -> None:
    corpus = study.corpus
    page = corpus_page(look, corpus)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    page.choices.form.chosen.emit("scatter")
    assert page.scatter.isVisible()
    assert not page.plots.isVisible()
    scatter = page.scatter
    choice = scatter.choices[1]
    choice.setCurrentIndex(corpus.offered_measures.index(MeasureOf("sentence", "first")))
    choice.activated.emit(choice.currentIndex())
    assert corpus.axes == (MeasureOf("corpus", "distance"), MeasureOf("sentence", "first"))
    expected = head_overview(trace).measures["first"]
    scatter.dots.lay_out()
    points = scatter.dots.pixels()
    assert np.argmin(points[:, 1]) == np.argmax(expected.reshape(-1)), "the highest is at the top"
    lines = scatter.dots.lines_of(5)
    assert lines[0] == "Layer 1 · Head 1"
    assert lines[2].endswith(f": {expected[1, 1]:.2f}")
    with qtbot.waitSignal(scatter.dots.part_chosen) as requested:
        click(scatter.dots, *points[5].tolist())
    assert requested.args == [5]


def test_a_click_above_the_bars_goes_to_the_head(qtbot: QtBot, study: HeadStudy, look: Look) -> None:
    page = corpus_page(look, study.corpus)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    page.plots.lay_out()
    tile = page.plots.tile_rect(6)
    at = QPointF(tile.center().x(), tile.top() + 6)
    with qtbot.waitSignal(page.plots.head_chosen) as requested:
        click(page.plots, at.x(), at.y())
    assert requested.args == [1, 2]
    assert study.corpus.bar is None
    QTest.keyClick(page.plots, Qt.Key.Key_Home)
    with qtbot.waitSignal(page.plots.head_chosen) as requested:
        QTest.keyClick(page.plots, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert requested.args == [0, 0]
    assert study.corpus.bar is None
