"""The Corpus page: distributions of all heads, the sentences of a bar, and a run that can be stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import bertviz_app
from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.analysis.measures import KEYS, head_overview
from bertviz_app.features.corpora.process.measuring import CorpusSettings
from bertviz_app.features.corpora.state.corpus import CorpusStudy, FileStudy
from bertviz_app.features.corpora.views.page import CorpusPage
from bertviz_app.inference.jobs import Jobs
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import click, drag, drag_into, drop_onto, move

LINES = ("the cat ate the fish", "a cat was hungry", "it ate fish because it was hungry", "the fish", "cat")


@pytest.fixture
def errors() -> list[Exception]:
    return []


@pytest.fixture
def study(qtbot: QtBot, errors: list[Exception]) -> Iterator[CorpusStudy]:
    workers = Jobs("corpus"), Jobs("sentences of a corpus")
    tasks, finder = map(Tasks, workers)
    for jobs in workers:
        jobs.start()
    yield CorpusStudy(tasks, finder, errors.append)
    for jobs in workers:
        jobs.close()


@pytest.fixture
def page(qtbot: QtBot, study: CorpusStudy, look: Look, errors: list[Exception]) -> CorpusPage:
    files = FileStudy(Tasks(HeldJobs()), errors.append)
    found = CorpusPage(look, study, files, VectorScene(look, HeldJobs()).tools)
    qtbot.addWidget(found)
    found.resize(1000, 700)
    found.show()
    return found


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return _written(tmp_path)


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> bertviz_app.Model:
    return bertviz_app.open_model(str(tiny_bert), device="cpu")


@pytest.fixture(scope="module")
def table(model: bertviz_app.Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of a file `texts.txt` beside it."""
    folder = tmp_path_factory.mktemp("measured")
    model.measure_corpus(_written(folder), folder / "heads.npz", CorpusSettings(block_lines=4))
    return folder / "heads.npz"


def _written(folder: Path) -> Path:
    path = folder / "texts.txt"
    path.write_text("\n".join([*LINES, ""]) * 3, encoding="utf-8")
    return path


def opened(qtbot: QtBot, study: CorpusStudy, path: Path, ref: str | None = None) -> None:
    with qtbot.waitSignal(study.changed, timeout=60_000):
        study.open(path, ref)


def middle_of(page: CorpusPage, tile: int, bar: int) -> QPointF:
    page.plots.lay_out()
    rect = page.plots.tile_rect(tile)
    bars = page.plots.bars_rect(rect)
    at = QPointF(
        bars.left() + (bar + 0.5) * bars.width() / len(page.plots.tiles[tile].bars), rect.center().y()
    )
    assert page.plots.part_at(at) == (tile, bar)
    return at


def dragged(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_a_click_on_a_bar_lists_its_sentences(
    qtbot: QtBot, study: CorpusStudy, page: CorpusPage, table: Path, model: bertviz_app.Model
) -> None:
    opened(qtbot, study, table)
    assert study.corpus is not None
    tile = 5
    bar = int(np.flatnonzero(page.plots.tiles[tile].bars)[-1])
    with qtbot.waitSignals([study.sentences_changed] * 2):
        at = middle_of(page, tile, bar)
        click(page.plots, at.x(), at.y())
    assert study.sentences is not None
    assert study.bar is not None
    layer, head = page.plots.tiles[tile].head
    low, high = study.corpus.summary.range_of(0, bar)
    expected = [
        (number, text)
        for number, text in enumerate(LINES * 3, 1)
        if low <= head_overview(model.trace(text)).measures["entropy"][layer, head] < high
    ]
    assert [(found.line, found.text) for found in study.sentences] == expected
    assert len(expected) == study.count_of(study.bar) > 0
    with qtbot.waitSignal(page.sentences.sentence_requested) as request:
        item = page.sentences.list.item(0)
        rect = page.sentences.list.visualItemRect(item)
        QTest.mouseClick(page.sentences.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert request.args == [expected[0][1]]


def test_keys_walk_bars_and_heads(qtbot: QtBot, study: CorpusStudy, page: CorpusPage, table: Path) -> None:
    """Up and Down go to the layer above and below, Left and Right to a bar beside, also of the next head."""
    opened(qtbot, study, table)
    page.plots.setFocus()
    walked = []
    keys = (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Left, *[Qt.Key.Key_Right] * 35, Qt.Key.Key_Up)
    for key in (*keys, Qt.Key.Key_Up):
        QTest.keyClick(page.plots, key)
        assert page.plots.part is not None
        walked.append((page.plots.tiles[page.plots.part[0]].head, page.plots.part[1]))
    n_bars = len(page.plots.tiles[0].bars)
    assert walked[:3] == [((0, 0), 0), ((1, 0), 0), ((1, 0), 0)]
    assert walked[3 : 3 + n_bars] == [*(((1, 0), bar) for bar in range(1, n_bars)), ((1, 1), 0)]
    assert walked[-3:] == [((1, 1), 35 - n_bars), ((0, 1), 35 - n_bars), ((0, 1), 35 - n_bars)]
    QTest.keyClick(page.plots, Qt.Key.Key_Return)
    assert study.bar is not None
    assert (study.bar.head, study.bar.number) == ((0, 1), 35 - n_bars)
    assert "0 · 1" in page.card.qualifier.text()
    assert str(page.plots.read_out.lines[0]).startswith("0 · 1")
    QTest.keyClick(page.plots, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert page.plots.part == (2, 35 - n_bars)
    QTest.keyClick(page.plots, Qt.Key.Key_Escape)
    assert page.card.qualifier.text() == ""
    assert not page.plots.read_out.lines


def test_a_bar_is_chosen_on_release(qtbot: QtBot, study: CorpusStudy, page: CorpusPage, table: Path) -> None:
    opened(qtbot, study, table)
    at = middle_of(page, 2, 4)
    drag(page.plots, [(at.x(), at.y()), (at.x() + 90, at.y() + 60)])
    assert study.bar is None
    page.plots.box.show_all()
    move(page.plots, at.x(), at.y())
    assert str(page.plots.read_out.lines[0]).startswith("0 · 2")
    click(page.plots, at.x(), at.y())
    assert study.bar is not None
    assert (study.bar.head, study.bar.number) == ((0, 2), 4)


def test_heads_are_sorted_by_their_mean(
    qtbot: QtBot, study: CorpusStudy, page: CorpusPage, table: Path
) -> None:
    opened(qtbot, study, table)
    assert [tile.head for tile in page.plots.tiles] == [(at // 4, at % 4) for at in range(8)]
    page.choices.measures.chosen.emit("previous")
    page.choices.order.chosen.emit("mean")
    assert study.corpus is not None
    means = study.corpus.summary.means[KEYS.index("previous")]
    shown = [float(means[tile.head]) for tile in page.plots.tiles]
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) > 1


def test_the_sentence_on_screen_stands_beside_the_mean(
    qtbot: QtBot, study: CorpusStudy, page: CorpusPage, table: Path, model: bertviz_app.Model
) -> None:
    opened(qtbot, study, table)
    assert {tile.current for tile in page.plots.tiles} == {None}
    assert "sentence on screen" not in page.rule.text(), "there is none yet"
    trace = model.trace(LINES[0])
    study.show_current(head_overview(trace), make_trace(4))
    assert study.current is None
    assert "another checkpoint" in page.rule.text()
    study.show_current(head_overview(trace), trace)
    assert study.current is not None
    np.testing.assert_array_equal(study.current, head_overview(trace).measures["entropy"])
    assert "▲" in page.plots.tiles[0].numbers
    assert "another checkpoint" not in page.rule.text()
    assert "interventions" not in page.rule.text()
    muted = model.trace(LINES[0], muted=[(1, 2)])
    study.show_current(head_overview(muted), muted)
    assert "▲ is the sentence on screen with interventions" in page.rule.text()
    assert "Head 1·2: zero" in page.rule.text()
    study.show_current(replace(head_overview(trace), stamp=Stamp("weight", "removed")), trace)
    assert study.current is None
    assert "other numbers of it than the attention weights" in page.rule.text()


def test_a_run_is_stopped(
    qtbot: QtBot, study: CorpusStudy, page: CorpusPage, texts: Path, tiny_bert: Path, errors: list[Exception]
) -> None:
    texts.write_text("the cat ate the fish because it was hungry\n" * 200_000, encoding="utf-8")
    with qtbot.waitSignal(study.progressed, timeout=60_000):
        study.open(texts, str(tiny_bert))
    assert page.choices.cancel.isVisible()
    assert "texts.txt" in page.choices.state.text()
    QTest.mouseClick(page.choices.cancel, Qt.MouseButton.LeftButton)
    assert study.busy_with == ""
    assert not page.choices.cancel.isVisible()
    assert (errors, study.corpus) == ([], None)


def test_a_file_with_columns_is_shown_and_asked_about(
    qtbot: QtBot, study: CorpusStudy, page: CorpusPage, tmp_path: Path
) -> None:
    path = tmp_path / "texts.csv"
    path.write_bytes("번호,문장\n1,고양이\n2,배\n".encode("cp949"))
    with qtbot.waitSignals([study.busy_changed] * 2):
        study.open(path, None)
    view, box = page.table, page.table.question.boxes["column"]
    assert (view.isVisible(), page.start.isVisible(), view.measure.isEnabled()) == (True, False, False)
    assert [box.itemText(at) for at in range(box.count())] == ["Choose …", "번호", "문장"]
    box.setCurrentIndex(2)
    box.activated.emit(2)
    assert view.measure.isEnabled()
    view.cancel.click()
    assert (view.isVisible(), page.start.isVisible()) == (False, True)


def test_sentences_whose_file_is_gone_are_numbers(
    qtbot: QtBot, study: CorpusStudy, page: CorpusPage, table: Path
) -> None:
    texts = (table.parent / "texts.txt").rename(table.parent / "elsewhere.txt")
    opened(qtbot, study, table)
    assert study.corpus is not None
    bar = int(np.flatnonzero(study.corpus.summary.bars[0, 0, 0])[0])
    with qtbot.waitSignals([study.sentences_changed] * 2):
        study.choose((0, 0), bar)
    texts.rename(table.parent / "texts.txt")
    assert study.sentences is not None
    assert {found.text for found in study.sentences} == {None}
    assert "not here" in page.sentences.list.item(0).text()


def test_a_file_is_dropped_and_other_folders_are_left_to_the_window(
    qtbot: QtBot, page: CorpusPage, texts: Path, tiny_bert: Path, model: bertviz_app.Model
) -> None:
    assert drag_into(page, dragged(texts))
    assert page.drops.hint.words == "Show the heads over texts.txt"
    with qtbot.waitSignal(page.file_dropped) as dropped:
        drop_onto(page, dragged(texts))
    assert dropped.args == [str(texts)]
    assert not page.drops.hint.isVisible()
    assert not drag_into(page, dragged(tiny_bert))
    assert not drag_into(page, dragged(texts, tiny_bert))
    assert not page.drops.hint.isVisible()
    table = texts.with_name("heads")
    model.measure_corpus(texts, table)
    assert drag_into(page, dragged(table))


def test_before_a_text_file_is_measured_and_shown_the_page_describes_itself_and_has_examples(
    qtbot: QtBot, study: CorpusStudy, page: CorpusPage, texts: Path, tiny_bert: Path, errors: list[Exception]
) -> None:
    assert page.start.isVisible()
    assert not page.choices.isVisible()
    assert not page.list_card.isVisible()
    with qtbot.waitSignal(page.file_requested):
        page.start.file.click()
    with qtbot.waitSignal(page.start.example_chosen) as chosen:
        QTest.mouseClick(page.start.buttons[1], Qt.MouseButton.LeftButton)
    assert chosen.args == ["ko"]
    study.open(texts, str(tiny_bert))
    assert page.choices.isVisible()  # how far it is, and a way to stop
    assert not page.choices.measures.isVisible()
    assert not page.start.isVisible()
    qtbot.waitUntil(lambda: study.corpus is not None, timeout=60_000)
    assert (errors, page.list_card.isVisible(), page.start.isVisible()) == ([], True, False)
    assert study.corpus is not None
    assert (study.corpus.summary.n_sentences, study.measures, len(page.plots.tiles)) == (15, KEYS, 8)
    assert study.corpus.table.path.parent == texts.parent
    assert "15 sentences, 8 heads" in page.choices.state.text()
    assert not page.choices.cancel.isVisible()


def test_another_file_leaves_the_bar_of_the_one_before(
    qtbot: QtBot, study: CorpusStudy, table: Path, tmp_path: Path, errors: list[Exception]
) -> None:
    opened(qtbot, study, table)
    study.choose((0, 0), 0)
    study.open(tmp_path / "missing.csv", None)
    qtbot.waitUntil(lambda: bool(errors))
    assert (study.bar, study.sentences) == (None, None)
