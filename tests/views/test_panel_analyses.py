"""Results of entries that no view knows, in a panel: its card, its form and the views fit each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import HeadScalars, Result, Scalar
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.shell.settings.appearance import Language
from bertviz_app.viewmodels.panel import ALL_KINDS, SHOWS_ATTENTION, Content, Panel
from bertviz_app.viewmodels.panels import RUNS, Panels
from bertviz_app.viewmodels.wording import content_title
from bertviz_app.views.analyses.bars import PictureBars
from bertviz_app.views.analyses.cells import PictureCells
from bertviz_app.views.analyses.picture_view import PictureView
from bertviz_app.views.analyses.table import TableView
from bertviz_app.views.attention.head_view import read_out
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView, bar_texts
from bertviz_app.views.attention.words import WordsView
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.panels.area import PanelArea
from bertviz_app.views.panels.card import PanelCard
from bertviz_app.views.panels.options import AnalysisForm
from tests.support.fakes import HeldJobs
from tests.support.made_up import BARS, EXACT, GRID, MATRICES, PIECES, made_up
from tests.support.panel_scenes import VectorScene
from tests.support.scene import click, expect, not_none, on_screen

__all__ = ["made_up"]
pytestmark = pytest.mark.usefixtures("made_up")


class OnePanel:
    """One panel of layer 1, head 2 of a run of five tokens, on a worker that the test drives."""

    def __init__(self, qtbot: QtBot, look: Look) -> None:
        self.jobs, self.panels = HeldJobs(), Panels()
        self.scene = VectorScene(look, self.jobs, self.panels)
        self.panels.set_size(2, 3)
        self.panels.open([Panel(0, 1, 2, "matrix")])
        self.type("the cat sat")
        self.area = PanelArea(self.panels, dict.fromkeys(RUNS, self.scene.tools))
        self.area.refresh()
        on_screen(qtbot, self.area, 500, 400)

    def type(self, text: str) -> None:
        request = TraceRequest(None, "cpu", text)
        self.scene.runs.show("A", request, self.scene.engine.trace(request).trace)
        self.panels.set_size(2, 3)

    def choose(self, content: Content, *, finish: bool = True) -> None:
        self.panels.choose(self.card.panel.number, content)
        if finish:
            self.scene.work()

    @property
    def card(self) -> PanelCard:
        (card,) = self.area.cards.values()
        return card


@pytest.fixture
def panel(qtbot: QtBot, look: Look) -> OnePanel:
    return OnePanel(qtbot, look)


def test_the_button_beside_the_title_asks_for_the_gallery_of_its_panel(panel: OnePanel) -> None:
    asked: list[int] = []
    panel.area.gallery_requested.connect(asked.append)
    panel.card.switches.content.click()
    assert asked == [panel.card.panel.number]


def test_what_lacks_a_second_run_has_the_button_that_begins_one(panel: OnePanel) -> None:
    asked: list[str] = []
    panel.area.remedy_requested.connect(asked.append)
    panel.choose(Content("divergence"))
    assert panel.card.stack.message == "This analysis compares two runs. Give a second text or checkpoint."
    button = panel.card.stack.button
    assert button.isVisibleTo(panel.card)
    assert button.text() == "Compare with another sentence"
    button.click()
    assert asked == ["second run"]


@pytest.mark.parametrize(
    ("entry", "views"),
    [
        (MATRICES, {"words": WordsView, "lines": LinesView, "matrix": MatrixView}),
        (GRID, {"picture": PictureView, "table": TableView}),
        (PIECES, {"picture": PictureView, "table": TableView}),
    ],
    ids=lambda value: value.key if isinstance(value, Analysis) else "",
)
def test_views_are_picked_by_the_kind_of_the_result(
    panel: OnePanel, entry: Analysis[object, Result], views: dict[str, type]
) -> None:
    panel.choose(Content(entry.key))
    (menu,) = panel.card.switches.views.findChildren(QMenu)
    offered = [action.text() for action in menu.actions() if action.isVisible()]
    assert offered == [ALL_KINDS[key].title for key in views]
    for key, view in views.items():
        panel.panels.draw_as(panel.card.panel.number, key)
        panel.scene.work()
        assert type(panel.card.view) is view
        assert panel.area.is_complete
        assert panel.card.stack.message == ""


def test_other_numbers_have_their_unit_in_the_legend_and_the_read_out(panel: OnePanel) -> None:
    panel.choose(Content(MATRICES.key))
    picture = not_none(panel.card.view.picture)
    assert bar_texts(picture) == (f"{picture.largest:.2f}", "length", "0")
    assert read_out(picture, 1, 2)[1].startswith("length ")


def test_a_click_on_the_grid_shows_the_head_and_its_menu_another_number(panel: OnePanel) -> None:
    panel.choose(Content(GRID.key))
    view = expect(PictureView, panel.card.view)
    cells = expect(PictureCells, view.plot)
    cell = cells.cell_rect(0, 1).center().toTuple()
    click(cells, *cell)
    own, opened = panel.panels.panels
    assert [(one.layer, one.head) for one in (own, opened)] == [(0, 1), (0, 1)]
    assert own.content == Content(GRID.key)
    assert opened.content == SHOWS_ATTENTION, "the head's weights, which no panel showed"
    assert panel.panels.active == own
    click(cells, *cells.cell_rect(0, 1).center().toTuple())
    assert len(panel.panels.panels) == 2, "now one shows them"
    panel.panels.close(opened.number)
    assert cells.lines_of((1, 2)) == ["Layer 1 · Head 2", "Entropy 5.0000 bits"]
    assert cells.part_at(QPointF(1, 1)) is None
    parts = expect(Segments, view.parts)
    parts.chosen.emit("balance")
    assert panel.card.panel.content.part == "balance"
    assert cells.lines_of((1, 2)) == ["Layer 1 · Head 2", "balance +11.0000"]
    assert panel.jobs.submitted == []


def test_another_text_may_have_other_numbers_to_choose_from(panel: OnePanel) -> None:
    panel.choose(Content(GRID.key))
    view = expect(PictureView, panel.card.view)
    assert view.parts is not None
    view.parts.chosen.emit("balance")
    analysed = not_none(view.analysed)
    assert isinstance(analysed.result, HeadScalars)
    first, values = analysed.result.scalars[0], analysed.result.values
    view.show_result(replace(analysed, result=HeadScalars((first,), values[:1])))
    assert view.parts is None
    cells = expect(PictureCells, view.plot)
    assert cells.lines_of((1, 2))[1].startswith("Entropy")
    scalars = (Scalar("1 → 2", Quantity("")), Scalar("balance", Quantity("")))
    view.show_result(replace(analysed, result=HeadScalars(scalars, np.stack([values[0], 3 + values[0]]))))
    assert view.parts.chosen_key == "balance"
    assert cells.lines_of((1, 2))[1] == "balance +8.0000"


def test_bars_are_of_the_layer_of_the_panel(panel: OnePanel) -> None:
    panel.choose(Content(BARS.key))
    view, n_tokens = panel.card.view, 5
    assert isinstance(view, PictureView)
    bars = expect(PictureBars, view.plot)
    expected = np.linspace(-1, 1, 2 * n_tokens, dtype=np.float32)
    assert [row[2] for row in bars.rows] == pytest.approx(expected[n_tokens:].tolist())
    assert bars.title == "value · Layer 1"
    panel.panels.show(0, 0)
    assert [row[2] for row in bars.rows] == pytest.approx(expected[:n_tokens].tolist())
    assert view.strip.count == n_tokens
    assert "\t[CLS]\t" in bars.copied()


def test_pieces_are_the_likeliest_of_each_state_the_last_on_top(panel: OnePanel) -> None:
    panel.choose(Content(PIECES.key))
    panel.panels.draw_as(panel.card.panel.number, "picture")
    panel.scene.work()
    view = expect(PictureView, panel.card.view)
    cells = expect(PictureCells, view.plot)
    assert not_none(cells.picture).axes[0].labels == ("2", "1", "0")
    assert [cells.cells.texts(range(row, row + 1), range(1))[0][0] for row in range(3)] == [
        "p20",
        "p10",
        "p0",
    ]
    lines = cells.lines_of((2, 0))
    assert lines[0].endswith("· p0")
    assert lines[1:] == ["Probability 0.7500", "p1  0.2500"]


def test_a_long_analysis_shows_its_progress_and_can_be_cancelled(qtbot: QtBot, panel: OnePanel) -> None:
    panel.choose(Content(MATRICES.key), finish=False)
    qtbot.waitUntil(panel.card.waiting.isVisible)
    assert panel.card.waiting.computing.isVisible()
    assert panel.card.waiting.computing.text().startswith("Computing: ")
    assert not panel.area.is_complete
    panel.card.waiting.button.click()
    assert panel.card.stack.message == "Cancelled. Choose the analysis again to have it computed."
    panel.choose(Content(MATRICES.key))
    assert panel.card.stack.message == ""
    assert panel.area.is_complete


def test_a_bar_that_was_there_before_names_what_is_computed_now(qtbot: QtBot, panel: OnePanel) -> None:
    computing = panel.card.waiting.computing
    qtbot.waitUntil(panel.card.waiting.isVisible)
    assert not computing.isVisible(), "the picture of a head is soon there"
    for entry in (MATRICES, GRID):
        panel.choose(Content(entry.key), finish=False)
        assert computing.isVisible()
        assert computing.text() == f"Computing: {content_title(Content(entry.key))} …"
    panel.choose(SHOWS_ATTENTION, finish=False)
    assert panel.card.waiting.isVisible()
    assert not computing.isVisible()


def test_the_last_picture_stays_below_the_sentence_of_a_failure(panel: OnePanel) -> None:
    panel.choose(Content(MATRICES.key))
    before = panel.card.view.picture
    panel.choose(Content(MATRICES.key, (("factor", 99.0),)))
    assert panel.card.stack.message == ""
    assert panel.card.view.picture is before
    assert panel.card.view.is_stale
    assert panel.card.note.text() == "The parameter “factor” cannot be “99.0”. It is a number from 0 to 10."
    panel.choose(Content(MATRICES.key))
    assert not panel.card.view.is_stale
    assert panel.card.note.text().endswith("It says nothing. · Nobody et al. 2024")


def test_the_sentence_of_a_failure_above_the_last_picture_follows_the_language(
    qapp: QApplication, panel: OnePanel
) -> None:
    panel.choose(Content(MATRICES.key))
    panel.choose(Content(MATRICES.key, (("factor", 99.0),)))
    notes, language = [panel.card.note.text()], Language(qapp)
    for name in ("ko", "en"):
        language.choose(name)
        panel.area.refresh()
        notes.append(panel.card.note.text())
    assert notes[0] == notes[2]
    assert notes[1].startswith("매개변수 “factor”")
    assert panel.card.view.is_stale, "it is not begun again"


def test_the_header_of_a_matrix_of_two_runs_names_rows_and_columns(panel: OnePanel) -> None:
    assert panel.card.qualifier.text() == "rows look at columns"
    panel.choose(Content("similarity-pairs"), finish=False)
    assert panel.card.qualifier.text() == "rows: run A, columns: run B"
    panel.panels.show_run(panel.card.panel.number, "B")
    assert panel.card.qualifier.text() == "rows: run B, columns: run A"


def test_below_its_name_stand_how_exact_an_analysis_is_its_bound_limits_and_paper(panel: OnePanel) -> None:
    rest = "It says nothing. · Nobody et al. 2024"
    panel.choose(Content(EXACT.key), finish=False)
    assert panel.card.note.text() == rest, "while it is being computed, so that nothing jumps"
    panel.scene.work()
    assert panel.card.note.text() == f"identity holds to 2e-06 · 0 or more · {rest}"
    assert panel.card.note.toolTip() == panel.card.note.text()
    panel.choose(Content(GRID.key))
    assert panel.card.note.text().endswith(rest)
    assert "identity" not in panel.card.note.text()
    panel.choose(SHOWS_ATTENTION)
    assert rest not in panel.card.note.text()


def test_attention_is_not_drawn_below_the_name_of_an_analysis(panel: OnePanel) -> None:
    attention = panel.card.view
    panel.choose(Content(MATRICES.key), finish=False)
    assert panel.card.view is not attention
    assert panel.card.view.picture is None
    panel.choose(SHOWS_ATTENTION, finish=False)
    assert panel.card.view is attention
    assert panel.card.analysis.isHidden()


def test_the_form_is_made_of_the_parameters_and_refuses_what_they_cannot_be(
    qtbot: QtBot, panel: OnePanel
) -> None:
    panel.choose(Content(MATRICES.key))
    panel.card.analysis.button.click()
    (form,) = panel.card.findChildren(AnalysisForm)
    factor, mode, is_exact = form.fields["factor"], form.fields["mode"], form.fields["is_exact"]
    assert isinstance(factor, QLineEdit)
    assert isinstance(mode, Segments)
    assert isinstance(is_exact, QCheckBox)
    assert (factor.text(), mode.chosen_key, is_exact.isChecked()) == ("1", "mean", False)
    assert factor.accessibleName() == "Factor"
    factor.setText("11")
    factor.editingFinished.emit()
    assert form.problem.text() == "The parameter “factor” cannot be “11”. It is a number from 0 to 10."
    assert panel.card.panel.content == Content(MATRICES.key)
    factor.setText("2.5")
    factor.editingFinished.emit()
    mode.chosen.emit("largest")
    is_exact.setChecked(True)
    expected = (("factor", 2.5), ("mode", "largest"), ("is_exact", True))
    assert panel.card.panel.content == Content(MATRICES.key, expected)
    assert form.problem.isHidden()
    assert (
        panel.card.analysis.name.text() == "Made-up HeadMatrices · Factor 2.5 · mode largest · Exactly True"
    )
    is_exact.setChecked(False)
    assert ("is_exact", True) not in panel.card.panel.content.parameters, "a default is not kept"
    form.close()
    QApplication.processEvents()


def test_the_layer_and_head_of_the_panel_are_no_fields(panel: OnePanel) -> None:
    chosen: list[Content] = []
    content = Content("score-parts", (("layer", 1), ("head", 1), ("query", 2)))
    analysis = find_analysis("score-parts")
    form = AnalysisForm(analysis, analysis.parameters, content, panel.card)
    form.chosen.connect(chosen.append)
    assert list(form.fields) == ["query", "key"]
    assert any("those of the panel" in label.text() for label in form.findChildren(QLabel))
    field = expect(QLineEdit, form.fields["key"])
    field.setText("3")
    field.editingFinished.emit()
    assert chosen == [Content("score-parts", (("query", 2), ("key", 3)))]


def test_a_parameter_of_many_values_is_a_list_of_words(panel: OnePanel) -> None:
    chosen: list[Content] = []
    analysis = find_analysis("occlusion")
    form = AnalysisForm(analysis, analysis.parameters, Content("occlusion"), panel.card)
    form.chosen.connect(chosen.append)
    box = expect(QComboBox, form.fields["target"])
    assert [box.itemText(at) for at in range(3)] == ["sentence vector", "pooled vector", "cosine of A and B"]
    assert box.currentIndex() == 0
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert chosen == [Content("occlusion", (("target", "pooled"),))]
    assert content_title(chosen[0]) == "Occlusion · Outcome to explain pooled vector"
