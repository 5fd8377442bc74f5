"""Panels: how they are tiled and closed, a view for every kind, and the results of analyses in them."""

from __future__ import annotations

import re
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QObject, QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.entry import Analysis
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import HeadScalars, Result, Scalar
from bertviz_app.errors import FileError, Message, SelectionError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.options import RUNS
from bertviz_app.shell.feature import features, panel_views
from bertviz_app.shell.settings import Language
from bertviz_app.viewmodels.analyses.analyses import DrawnPanel
from bertviz_app.viewmodels.heads import pictures
from bertviz_app.viewmodels.heads.pictures import pictures_of_numbers
from bertviz_app.viewmodels.heads.places import PictureSource
from bertviz_app.viewmodels.panel import (
    ALL_KINDS,
    PANEL_KINDS,
    SHOWS_ATTENTION,
    Content,
    Panel,
    VectorsChoice,
)
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.results import Coming, Failed
from bertviz_app.viewmodels.state import DrawOptions, change_options
from bertviz_app.viewmodels.wording import content_title, stamp_remark
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.analyses.charts import PictureBars
from bertviz_app.views.analyses.picture_view import PLOTS, PictureView
from bertviz_app.views.analyses.table import TableView
from bertviz_app.views.attention.head_view import read_out
from bertviz_app.views.attention.lines import LinesView, WordsView
from bertviz_app.views.attention.matrix import MatrixView, bar_texts
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import ExportedPanel, PanelView
from bertviz_app.views.panels.card import VIEWS, PanelArea, PanelCard, columns_for, view_of, view_sign
from bertviz_app.views.panels.options import AnalysisForm
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs, runs_of
from tests.support.made_up import BARS, EXACT, GRID, MATRICES, PIECES, made_up
from tests.support.module_facts import ROOT
from tests.support.panel_scenes import VectorScene
from tests.support.scene import click, expect, move, not_none, on_screen, picture_of, random_attention

__all__ = ["made_up"]


class _ActivatesWhenHidden(QObject):
    """Activates each panel in turn when a card it watches is hidden, as the card does that gets the focus."""

    def __init__(self, panels: Panels) -> None:
        super().__init__()
        self._panels = panels

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Hide:
            for panel in self._panels.panels:
                self._panels.activate(panel.number)
        return False


TABLES = frozenset({"table"})
"""Views that are a table of texts and numbers, in a QTableView."""

HEADS = ("lines", "matrix", "steps", "vectors", "parameters")


def _pixels(look: Look, view: str) -> bytes:
    image = view_sign(look, view).pixmap(14, 14).toImage().convertToFormat(QImage.Format.Format_RGBA8888)
    return bytes(image.constBits())


SLOT = "picture A 1 2"


class Waiting:
    """One panel with layer 1, head 2 of a run, whose picture is made when `jobs` are run."""

    def __init__(self, qtbot: QtBot, look: Look, kind: str = "matrix") -> None:
        self.jobs = HeldJobs()
        scene = VectorScene(look, self.jobs)
        self.tools = scene.tools
        self.failures = scene.failures
        self.error: Exception | None = None
        heads = pictures_of_numbers(AttentionNumbers(make_trace(5, n_layers=2)))

        def source(layer: int, head: int, options: DrawOptions) -> PictureSource:
            if self.error is not None:
                raise self.error
            return heads.source(layer, head, options)

        self.tools.pictures.show(replace(heads, source=source))
        self.panels = Panels()
        self.panels.set_size(2, 3)
        self.panels.open([Panel(0, 1, 2, kind)])
        self.area = PanelArea(self.panels, dict.fromkeys(RUNS, self.tools))
        self.area.refresh()
        on_screen(qtbot, self.area, 500, 400)

    @property
    def card(self) -> PanelCard:
        (card,) = self.area.cards.values()
        return card

    @property
    def message(self) -> str:
        return self.card.stack.message


@pytest.fixture
def waiting(qtbot: QtBot, look: Look) -> Waiting:
    return Waiting(qtbot, look)


@pytest.mark.parametrize(("kind", "words"), [("matrix", "A row is a token"), ("lines", "A line leads")])
def test_below_the_only_picture_a_sentence_says_what_is_seen(
    qtbot: QtBot, look: Look, kind: str, words: str
) -> None:
    one = Waiting(qtbot, look, kind)
    one.jobs.finish()
    meaning = one.card.meaning
    assert meaning.isVisibleTo(one.card)
    assert meaning.text().startswith(words)
    one.panels.add(0, 1)
    one.area.refresh()
    assert not any(card.meaning.isVisibleTo(card) for card in one.area.cards.values()), "beside others"


@pytest.mark.parametrize(
    ("count", "width", "height", "columns"),
    [(2, 880, 760, 2), (2, 500, 900, 1), (3, 1500, 500, 3), (6, 700, 900, 2)],
)
def test_panels_stand_in_rows_that_suit_the_room(count: int, width: int, height: int, columns: int) -> None:
    assert columns_for(count, width, height) == columns


def test_a_panel_that_changes_leaves_the_others_as_they_are_drawn(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting.panels.add(0, 1)
    first, second = (panel.number for panel in waiting.panels.panels)
    shown, show = list[int](), PanelCard.show_panel

    def noted(card: PanelCard, panel: Panel, *others: Any, is_alone: bool) -> None:
        shown.append(panel.number)
        show(card, panel, *others, is_alone=is_alone)

    monkeypatch.setattr(PanelCard, "show_panel", noted)
    waiting.panels.draw_as(second, "lines")
    assert shown == [second]
    waiting.panels.close(second)
    assert shown == [second, first], "it can no longer be closed"


def test_cards_are_closed_where_hiding_one_refreshes_the_area(qtbot: QtBot, look: Look) -> None:
    scene = VectorScene(look, HeldJobs())
    panels = Panels()
    panels.set_size(2, 3)
    panels.open([Panel(0, 1, 0, "vectors", run) for run in ("A", "A", "B", "B")])
    area = PanelArea(panels, dict.fromkeys(RUNS, scene.tools))
    area.refresh()
    on_screen(qtbot, area, 900, 700)
    activates = _ActivatesWhenHidden(panels)
    for card in area.cards.values():
        card.installEventFilter(activates)

    panels.leave_runs()

    assert list(area.cards) == [panel.number for panel in panels.panels]
    assert [panel.run for panel in panels.panels] == ["A", "A"]
    assert not any(card.isHidden() for card in area.cards.values())


def test_every_kind_has_a_view_and_words_of_its_own() -> None:
    of_rooms = panel_views(features())
    assert {*VIEWS, *of_rooms} == {*ALL_KINDS}
    assert {*of_rooms} == {key for key, kind in ALL_KINDS.items() if kind.is_of_room}
    # no two kinds share a title a command or a key
    for name in ("title", "command", "shortcut"):
        assert len({getattr(kind, name) for kind in PANEL_KINDS.values()}) == len(PANEL_KINDS)


def test_the_example_of_the_how_to_is_a_view_that_can_be_pointed_at(qtbot: QtBot, look: Look) -> None:
    page = (ROOT / "resources/docs/how-to/add_a_panel_view.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(\"\"\"`EntropyView`.*?)```", page, re.DOTALL)
    module = ModuleType("entropy")
    exec(compile(code, "entropy.py", "exec"), module.__dict__)
    scene = VectorScene(look, HeldJobs())
    view: PanelView = module.EntropyView(scene.tools)
    view.show_picture(picture_of(random_attention(8)))
    on_screen(qtbot, view, 500, 300)
    plot, box = module.__dict__["Plot"], view.findChild(pg.GraphicsView)
    assert isinstance(box, plot)
    middle = box.boxes[0].geometry().center()
    at = box.mapTo(view, middle.toPoint())
    move(view, at.x() + 5, at.y())
    title, number = box.read_out.lines
    assert title == "w4"
    assert number.endswith(" bits")
    runs = runs_of(TraceRequest(None, "cpu", "a"))
    subject = not_none(view.subject(ExportedPanel(Panel(0, 0, 0, "matrix"), runs, DrawOptions())))
    assert subject.numbers().arrays["weights"].shape == (8, 8)


def test_every_view_has_a_sign_of_its_own_in_the_colour_of_texts(look: Look) -> None:
    drawn = {view: _pixels(look, view) for view in HEADS}
    assert len(set(drawn.values())) == len(HEADS)
    # every view has a sign in the colour of texts
    colour = look.colour("text")
    for view in ALL_KINDS:
        pixels = np.frombuffer(_pixels(look, view), np.uint8).reshape(-1, 4)
        opaque = pixels[pixels[:, 3] > 120]
        assert len(opaque) > 4, view
        median = np.median(opaque[:, :3], axis=0)
        np.testing.assert_allclose(
            median, (colour.red(), colour.green(), colour.blue()), atol=8, err_msg=view
        )


def test_a_picture_that_takes_long_shows_a_bar_until_it_is_there(qtbot: QtBot, waiting: Waiting) -> None:
    qtbot.waitUntil(waiting.card.waiting.isVisible)
    assert waiting.card.view.is_stale
    assert not waiting.area.is_complete
    waiting.jobs.of(SLOT)[0].run()
    QApplication.processEvents()
    assert waiting.card.waiting.isHidden()
    assert not waiting.card.view.is_stale
    assert waiting.area.is_complete


def test_a_sample_is_drawn_and_labelled_until_the_picture_is_there(
    qtbot: QtBot, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "LONG", 4)
    waiting = Waiting(qtbot, look)
    waiting.jobs.of(f"sample {SLOT}")[0].run()
    QApplication.processEvents()
    sample = not_none(waiting.card.view.picture)
    assert sample.n_sampled == 5
    bar, note = waiting.card.waiting, waiting.card.note
    assert bar.isVisible()
    assert bar.sample.text() == "sample of 5 of 5 queries, the others follow"
    assert not note.isVisible(), "a line for a moment would move what is drawn"
    runs = runs_of(TraceRequest(None, "cpu", "a"))
    subject = not_none(waiting.card.subject(runs))
    assert subject.sheet.lines[-1] == bar.sample.text(), "a picture that is saved now says it"
    assert not waiting.area.is_complete
    waiting.card.show_drawn(DrawnPanel(state=Coming(0.5)))
    assert bar.sample.isVisible()
    assert not waiting.card.view.is_stale, "it is of the head that is coming"
    waiting.jobs.of(SLOT)[0].run()
    QApplication.processEvents()
    assert waiting.card.waiting.isHidden()
    picture = not_none(waiting.card.view.picture)
    assert picture.n_sampled is None
    assert waiting.area.is_complete


def test_another_view_chosen_while_the_bar_is_there_is_dimmed_at_once(qtbot: QtBot, look: Look) -> None:
    """It has the picture of an earlier head, below the title of the one that is coming."""
    waiting = Waiting(qtbot, look, "lines")
    waiting.jobs.of(SLOT)[0].run()
    QApplication.processEvents()
    number, lines = waiting.card.panel.number, waiting.card.view
    waiting.panels.draw_as(number, "matrix")
    waiting.panels.show(1, 1)
    qtbot.waitUntil(waiting.card.waiting.isVisible)
    assert not lines.is_stale
    waiting.panels.draw_as(number, "lines")
    assert waiting.card.view is lines
    assert lines.picture is not None
    assert lines.picture.head == 2
    assert lines.is_stale
    waiting.jobs.of("picture A 1 1")[-1].run()
    QApplication.processEvents()
    assert lines.picture.head == 1
    assert not lines.is_stale


def test_its_button_cancels_the_computation_and_choosing_the_head_begins_again(
    qtbot: QtBot, waiting: Waiting
) -> None:
    qtbot.waitUntil(waiting.card.waiting.isVisible)
    waiting.card.waiting.button.click()
    assert waiting.jobs.cancelled == [SLOT]
    assert waiting.message == "Cancelled. Choose the head again to have it computed."
    assert waiting.card.waiting.isHidden()
    waiting.jobs.of(SLOT)[0].run()  # too late
    QApplication.processEvents()
    assert waiting.card.view.picture is None
    waiting.panels.show(1, 2)
    assert waiting.message == ""
    waiting.jobs.of(SLOT)[-1].run()
    QApplication.processEvents()
    assert waiting.area.is_complete


def test_why_there_is_no_picture_is_written_in_its_place(waiting: Waiting) -> None:
    waiting.error = SelectionError("There is no such head.", "Choose another one.")
    waiting.jobs.of(SLOT)[0].run()
    QApplication.processEvents()
    assert waiting.message == "There is no such head. Choose another one."
    assert waiting.failures == [], "what the panel says is not reported a second time"


@pytest.mark.parametrize(
    ("drawn", "english", "korean"),
    [
        (
            DrawnPanel(missing=(6, 12)),
            "Run A has only 6 layers with 12 heads.",
            "실행 A에는 헤드가 12개씩인 레이어 6개만 있습니다.",
        ),
        (
            DrawnPanel(state=Failed(FileError(Message("Permission denied")))),
            "Permission denied",
            "권한이 없습니다",
        ),
    ],
)
def test_a_sentence_in_a_panel_follows_the_language_and_nothing_begins_again(
    qapp: QApplication, waiting: Waiting, drawn: DrawnPanel, english: str, korean: str
) -> None:
    waiting.card.show_drawn(drawn)
    n_jobs, messages, language = len(waiting.jobs.submitted), [waiting.message], Language(qapp)
    for name in ("ko", "en"):
        language.choose(name)
        waiting.card.show_drawn(drawn)
        messages.append(waiting.message)
    assert messages == [english, korean, english]
    assert len(waiting.jobs.submitted) == n_jobs


def test_a_defect_is_reported_and_the_panel_shows_that_nothing_was_computed(waiting: Waiting) -> None:
    waiting.error = ZeroDivisionError("a defect")
    waiting.jobs.of(SLOT)[0].run()
    QApplication.processEvents()
    assert waiting.message == "This could not be computed."
    assert [str(failure) for failure in waiting.failures] == ["a defect"]


def test_going_back_from_a_slow_picture_to_steps_ends_the_wait(qtbot: QtBot, waiting: Waiting) -> None:
    qtbot.waitUntil(waiting.card.waiting.isVisible)
    waiting.panels.draw_as(waiting.card.panel.number, "steps")
    assert waiting.card.waiting.isHidden()
    assert not waiting.card.view.is_stale
    assert waiting.area.is_complete


def test_steps_have_a_note_that_they_are_of_weights_where_other_views_show_something_else(
    qtbot: QtBot, look: Look
) -> None:
    waiting = Waiting(qtbot, look, "steps")
    assert waiting.card.note.isHidden()
    change_options(waiting.tools.store, numbers="norm")
    remark = stamp_remark(waiting.tools.store.now.options.stamp)
    assert remark
    words = "Steps are of the attention weights of all tokens, whatever other views show: {0}."
    assert waiting.card.note.text() == words.format(remark)
    assert waiting.card.note.isVisible()
    change_options(waiting.tools.store, numbers="weight")
    assert waiting.card.note.isHidden()


def test_a_closed_panel_that_is_not_deleted_yet_changes_nothing(qtbot: QtBot, look: Look) -> None:
    waiting = Waiting(qtbot, look)
    waiting.panels.insert(Panel(0, 0, 1, "vectors"))
    waiting.area.refresh()
    closed = waiting.panels.panels[-1]
    card = waiting.area.cards[closed.number]
    waiting.panels.close(closed.number)
    waiting.area.refresh()
    left = waiting.panels.panels
    card.view.choice_made.emit(VectorsChoice("similar", 1))  # as from a timer of it
    card.switches.views.chosen.emit("matrix")  # as from a menu that is open still
    click(card, 5, 5)
    assert waiting.panels.panels == left


def test_every_view_that_draws_data_holds_a_view_of_pyqtgraph(qtbot: QtBot, look: Look) -> None:
    scene = VectorScene(look, HeldJobs())
    without = []
    for key in ALL_KINDS:
        view = view_of(key, scene.tools)
        qtbot.addWidget(view)
        if not isinstance(view, PictureView) and not view.findChildren(pg.GraphicsView):
            without.append(key)
    assert set(without) == TABLES
    for make in PLOTS.values():
        plot = make(look)
        qtbot.addWidget(plot.outer)
        assert isinstance(plot, pg.GraphicsView)


def test_a_panel_lets_choose_a_run_as_soon_as_there_are_several(qtbot: QtBot, look: Look) -> None:
    scene = VectorScene(look, HeldJobs())
    panels = Panels()
    panels.set_size(2, 3)
    panels.open([Panel(0, 1, 0, "vectors", "A")])
    area = PanelArea(panels, dict.fromkeys(RUNS, scene.tools))
    area.refresh()
    on_screen(qtbot, area, 900, 700)
    (card,) = area.cards.values()
    assert not card.switches.runs.isVisibleTo(area)
    area.show_runs(RUNS)
    assert card.switches.runs.isVisibleTo(area)


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


def test_the_form_is_made_of_the_parameters_and_refuses_what_they_cannot_be(panel: OnePanel) -> None:
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
