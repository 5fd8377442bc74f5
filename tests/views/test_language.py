"""Views of heads against language: relations and heads, probes, and the arcs of a parse over lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app import open_model
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.analysis.results import Result
from bertviz_app.api import Model
from bertviz_app.features.corpora.process.studies import READERS
from bertviz_app.features.corpora.state.corpus import QUESTION, AskedFile, FileStudy
from bertviz_app.features.corpora.studies.marked_texts import read_labelled_words, read_parses
from bertviz_app.features.corpora.studies.probe import ProbeParameters, ProbeResult, word_probe
from bertviz_app.features.corpora.studies.relations import HeadRelations, RelationParameters, head_relations
from bertviz_app.features.corpora.views.page import StudyPage
from bertviz_app.learning.words import EXAMPLE_FILES, LANGUAGES, copy_of_corpus
from bertviz_app.paths import resources
from bertviz_app.text_tables.items import ROOT, FileKind, Item
from bertviz_app.text_tables.table import TableChoices, TableError
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.state import DrawOptions, Store, change_options
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.analyses.cells_and_words import PictureCells, PictureWords
from bertviz_app.views.analyses.charts import PictureBars, PictureCurves
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.attention.lines import LinesView, ParseArc, parse_arcs
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from tests.support.fakes import HeldJobs
from tests.support.scene import expect, head_picture, on_screen, pixels_of
from tests.support.studied import measured_by, run_here

EXAMPLES = resources() / "examples"


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


@pytest.fixture(scope="module")
def relations(model: Model) -> HeadRelations:
    items = read_parses(EXAMPLES / "parses_en.conllu")
    found: HeadRelations = run_here(head_relations, measured_by(model, items), RelationParameters(), SILENT)
    return found


@pytest.fixture(scope="module")
def probes(model: Model) -> ProbeResult:
    items = [*read_labelled_words(EXAMPLES / "parses_en.conllu", TableChoices(label_column="UPOS"))][:60]
    found: ProbeResult = run_here(
        word_probe, measured_by(model, items), ProbeParameters(held_out=0.3), SILENT
    )
    return found


def _analysed(key: str, result: Result) -> Analysed:
    return Analysed(Content(key), (), result, shown_table(result))


@pytest.fixture
def view(qtbot: QtBot, tools: PanelTools, relations: HeadRelations) -> PictureView:
    view = on_screen(qtbot, PictureView(tools), 760, 560)
    view.show_result(_analysed("head-relations", relations))
    view.choose("found")
    return view


def _cells(view: PictureView) -> PictureCells:
    assert isinstance(view.plot, PictureCells)
    return view.plot


def test_rows_are_relations_and_columns_heads(view: PictureView, relations: HeadRelations) -> None:
    lines = _cells(view).lines_of((1, 5))
    assert lines[0] == f"{relations.relations[1]} · Layer 1 · Head 1"
    assert view.note.text() == "a dot: the head that finds most of the relation"
    assert lines[1] == f"Found {relations.named['accuracy'][1, 0, 1, 1]:.4f}"
    _cells(view).part_chosen.emit((1, 5))
    layer, head, best = relations.named["best"][1, 0, :3]
    assert f"head {layer:.0f}·{head:.0f} finds {best:.1%}" in view.note.text()


def test_click_shows_the_head_and_lists_sentences(
    view: PictureView, tools: PanelTools, relations: HeadRelations, qtbot: QtBot
) -> None:
    chosen: list[tuple[int, int]] = []
    view.head_requested.connect(lambda *head: chosen.append(head))
    row = relations.relations.index("obj")
    at = _cells(view).cell_rect(row, 6).center().toPoint()
    QTest.mouseClick(_cells(view).viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.waitUntil(lambda: bool(chosen))
    assert chosen == [(1, 2)]
    assert view.framed == (row, 6)
    expected = [one for one in relations.examples if one.relation == "obj"]
    opened: list[Item] = []
    view.text_requested.connect(opened.append)
    view.choose("sentences")
    words = expect(PictureWords, view.plot)
    assert {text for text, _ in words.places} == set(range(len(expected)))
    assert len(expected) > 1
    one = expected[1]
    first, end, _ = one.item.marks[one.dependent]
    assert words.lines_of((1, one.dependent)) == [one.item.text[first:end], "the dependent word"]
    assert words.lines_of((1, one.item.heads[one.dependent]))[1] == "its head"
    words.part_chosen.emit((1, 0))
    assert opened == [one.item]
    view.menus["relation"].activated.emit(0)
    assert words.places, "of all relations there is a sentence each"


def test_the_best_head_of_each_relation_stands_beside_the_best_offset(
    view: PictureView, relations: HeadRelations
) -> None:
    view.choose("best")
    bars, at = view.plot, relations.relations.index("obj")
    assert isinstance(bars, PictureBars)
    layer, head, share, low, high, _, of_offset = relations.named["best"][at, 0].tolist()
    lines = bars.lines_of(at)
    assert lines[0] == f"obj · {layer:.0f}·{head:.0f}"
    assert lines[1].endswith(f"{share:.4f} ({low:.4f} to {high:.4f})")
    assert lines[2] == f"compared with {of_offset:.4f}"
    chosen: list[tuple[int, int]] = []
    view.head_requested.connect(lambda *shown: chosen.append(shown))
    bars.part_chosen.emit(at)
    assert chosen == [(layer, head)]


def test_other_direction_and_shares_above_the_offset(view: PictureView, relations: HeadRelations) -> None:
    before = pixels_of(_cells(view))
    view.menus["direction"].activated.emit(1)
    assert view.menus["direction"].currentText() == "To the dependent"
    _cells(view).part_chosen.emit((1, 5))
    layer, head = relations.named["best"][1, 1, :2]
    assert f"head {layer:.0f}·{head:.0f} finds" in view.note.text()
    view.choose("above offset")
    assert _cells(view).cells.colours.is_signed
    assert not np.array_equal(before, pixels_of(_cells(view)))


def test_probes_have_curves_and_a_sentence(qtbot: QtBot, tools: PanelTools, probes: ProbeResult) -> None:
    view = on_screen(qtbot, PictureView(tools), 560, 400)
    view.show_result(_analysed("probe", probes))
    plot = expect(PictureCurves, view.plot)
    accuracy, control, majority = plot.curves
    np.testing.assert_allclose(accuracy.values, probes.named["accuracy"])
    np.testing.assert_allclose(control.values, probes.named["control"])
    assert majority.values.tolist() == pytest.approx([probes.facts["majority"]] * 3)
    assert f"of {probes.facts['held out']} held-out labels" in view.note.text()
    assert "occur again" not in view.note.text()
    facts = {**probes.facts, "sentences that occur again": 3}
    view.show_result(_analysed("probe", replace(probes, facts=facts)))
    assert "3 sentences occur again, in the same part" in view.note.text()
    assert plot.ends() == (2.0, 1.0)


# the parse over lines


def _item(text: str, *words: tuple[str, str, int]) -> Item:
    marks: list[tuple[int, int, str]] = []
    for word, relation, _ in words:
        start = text.index(word, marks[-1][1] if marks else 0)
        marks.append((start, start + len(word), relation))
    return Item(1, text, marks=tuple(marks), heads=tuple(head for *_, head in words))


CAT = _item(
    "the cat was hungrying",
    ("the", "det", 1),
    ("cat", "nsubj", 3),
    ("was", "aux", 3),
    ("hungrying", "root", ROOT),
)


def test_arcs_are_between_places(model: Model) -> None:
    picture = head_picture(model.trace(CAT.text), 0, 0)  # [CLS] the cat was hungry ##ing [SEP]
    assert parse_arcs(CAT, picture, "heads") == (
        ParseArc(1, 2, "det"),
        ParseArc(2, 5, "nsubj"),
        ParseArc(3, 5, "aux"),
    )
    assert parse_arcs(CAT, picture, "dependents")[1] == ParseArc(5, 2, "nsubj")
    assert parse_arcs(CAT, picture, "hidden") == ()
    assert parse_arcs(None, picture, "heads") == ()


def test_arcs_follow_joined_words_and_hidden_tokens(model: Model) -> None:
    options = DrawOptions(joins_words=True, hides_special=True)
    picture = head_picture(model.trace(CAT.text), 0, 0, options=options)
    assert parse_arcs(CAT, picture, "heads")[1] == ParseArc(1, 3, "nsubj")


def test_other_texts_have_no_arcs(model: Model) -> None:
    picture = head_picture(model.trace("the cat ate fish"), 0, 0)
    assert parse_arcs(CAT, picture, "heads") == ()


def test_lines_draw_the_arcs_and_only_those_of_a_highlighted_token(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport, model: Model
) -> None:
    store = Store()
    view = on_screen(qtbot, LinesView(look, selection, viewport, store), 420, 360)
    view.show_picture(head_picture(model.trace(CAT.text), 0, 0))
    view.complete()
    plain = pixels_of(view)
    store.change(parsed=CAT)
    view.complete()
    assert len(view.arcs) == 3
    parsed = pixels_of(view)
    assert not np.array_equal(plain, parsed)
    change_options(store, parse="dependents")
    view.complete()
    assert not np.array_equal(parsed, pixels_of(view))
    change_options(store, parse="hidden")
    view.complete()
    assert not view.arcs
    assert np.array_equal(plain, pixels_of(view))


# the page of a study


@pytest.fixture
def study(qapp: QApplication) -> FileStudy:
    return FileStudy(Tasks(HeldJobs()), lambda error: None)


@pytest.mark.parametrize(
    ("key", "is_offered"), [("probe", True), ("head-relations", True), ("text-probe", False)]
)
def test_examples_are_offered_where_there_is_one(
    qtbot: QtBot, look: Look, tools: PanelTools, study: FileStudy, key: str, is_offered: bool
) -> None:
    study.choose(key)
    page = on_screen(qtbot, StudyPage(look, study, tools), 900, 600)
    chosen: list[str] = []
    page.example_chosen.connect(chosen.append)
    assert page.examples["ko"].isVisible() is is_offered
    page.examples["ko"].click()
    assert chosen == ["ko"]


def test_columns_of_conllu_are_asked_for_and_the_label_is_enough(
    qtbot: QtBot, look: Look, tools: PanelTools, study: FileStudy
) -> None:
    study.choose("probe")
    page = on_screen(qtbot, StudyPage(look, study, tools), 900, 600)
    path = EXAMPLES / "parses_ko.conllu"
    with pytest.raises(TableError) as raised:
        list(read_labelled_words(path))
    study.asked = AskedFile(path, None, raised.value, dict.fromkeys(QUESTION, ""))
    study.busy_changed.emit()
    assert not page.question.measure.isEnabled()
    study.answer({**study.asked.values, "label_column": "UPOS"})
    assert page.question.measure.isEnabled()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", EXAMPLE_FILES)
def test_examples_are_copied_and_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: FileKind, language: str
) -> None:
    monkeypatch.setattr("bertviz_app.paths.corpora", lambda: tmp_path)
    copy = copy_of_corpus(language, kind)
    assert copy.parent == tmp_path
    assert copy.read_bytes() == (EXAMPLES / copy.name).read_bytes()
    if kind != "texts":
        items = list(READERS[kind](copy, TableChoices(label_column="UPOS" if kind == "words" else "")))
        assert len(items) >= 8
        assert not any(item.fault for item in items)
