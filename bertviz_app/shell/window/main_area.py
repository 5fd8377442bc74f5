"""The window below its bar once there is a result: strip, overview, panels, inspector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from bertviz_app.analysis.attention.stamp import sink_layers
from bertviz_app.analysis.vectors import text_cosines
from bertviz_app.options import ENCODED_RUNS, RUNS, SIDES, Run
from bertviz_app.room_loader import brought
from bertviz_app.shell.window.docks import GAP, INTERVENTIONS, LEFT, NAMES, RIGHT, Dock, DockArea, DockColumn
from bertviz_app.text import Edits
from bertviz_app.text.edits import edits_text
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.analyses.analyses import Baselines, compare_word, follow_piece
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.run import Shown
from bertviz_app.viewmodels.vectors import card_vector
from bertviz_app.viewmodels.wording import brief_remark, sample_line, stamp_remark
from bertviz_app.views.attention.lines import FAINT_LINES
from bertviz_app.views.inspector.predictions import PredictionsSection
from bertviz_app.views.inspector.view import (
    InspectorPage,
    InspectorView,
    PairHeadsView,
    PairViews,
)
from bertviz_app.views.interventions import InspectorMenu, InterventionsView, PanelMenu
from bertviz_app.views.kit.canvas import Guarded, LaterWork, paint_in_turns
from bertviz_app.views.kit.card import HEADER, Card
from bertviz_app.views.kit.look import Look, in_column, in_row, named
from bertviz_app.views.kit.panel_view import Dimmed, MakeView, PanelTools
from bertviz_app.views.kit.words import signed
from bertviz_app.views.model_map import ModelMap
from bertviz_app.views.overview.card import OverviewCard, RunOverview
from bertviz_app.views.overview.heads_table import HeadsTable
from bertviz_app.views.overview.view import DivergenceView, OverviewView
from bertviz_app.views.panels.card import PanelArea
from bertviz_app.views.tokens.chip import Badges
from bertviz_app.views.tokens.edit_menus import ChipMenu, HeadMenu, WhyCutNote
from bertviz_app.views.tokens.strip import KeyStrip, OtherStrip, TokenStrip
from bertviz_app.views.vectors.plots import VectorPlot
from bertviz_app.weak_slots import slot_of


class EditViews(QObject):
    """Adds editing to the views of a stage; `badges` belongs at the end of the strip."""

    def __init__(
        self,
        app_state: AppState,
        strip: TokenStrip,
        grids: tuple[OverviewView, DivergenceView],
        heads: HeadsTable,
    ) -> None:
        super().__init__(strip)
        self._app_state, self._strip = app_state, strip
        self.badges = Badges(QBoxLayout.Direction.TopToBottom, 2)
        self.chip_menu = ChipMenu(strip, app_state.editing, app_state.interventions.of_run)
        panels, both = app_state.panels, (app_state.editing, app_state.interventions.of_run)
        self.head_menu = HeadMenu(heads.viewport(), *both, heads.head_at, panels.add)
        for grid in grids:
            grid.items_of_head = self.head_menu.items
        self.badges.edits_chosen.connect(self._on_edits_chosen)
        self.note: WhyCutNote | None = None
        app_state.word_cuts.explained.connect(self._on_explained)
        app_state.store.watch(("edits",), self._on_edits_changed)
        app_state.workspace.shown_changed.connect(self._on_edits_changed)
        self._on_edits_changed()

    @Slot(object)
    def _on_explained(self, why: object) -> None:
        """Show why a word was cut as it was."""
        if self.note is None:
            self.note = WhyCutNote(self._strip.look, self._strip.window())
        self.note.show_explanation(why if isinstance(why, WhyCut) else None)

    @Slot(object)
    def _on_edits_chosen(self, edits: Edits) -> None:
        """Make these edits; those of saved numbers cannot be changed."""
        if self._app_state.editing.is_possible:
            self._app_state.workspace.set_edits(edits)

    @Slot()
    def _on_edits_changed(self) -> None:
        workspace = self._app_state.workspace
        trace = None if workspace.shown is None else workspace.shown.result.trace
        read = (None,) if trace is None else (trace.tokens, trace.edits)
        self.badges.show_edits(workspace.edits, *read)


_PLOT_CARD = 166  # the height in which the plot of a vector has its whole scale


class Cards(NamedTuple):
    """The cards around the panels."""

    overview: OverviewCard
    heads: Card
    inspector: Card
    pooled: Card
    interventions: Card


class Middle(QStackedWidget):
    """The panels, or the large picture of a station of a lesson in their place."""

    def __init__(self, panels: PanelArea) -> None:
        super().__init__()
        self.setObjectName("ground")
        self._panels = panels
        self.picture: QWidget | None = None
        self.addWidget(panels)

    def show_picture(self, picture: QWidget | None) -> None:
        """Show a picture, which takes the place of the one before; None shows the panels."""
        before, self.picture = self.picture, picture
        if picture is not None:
            picture.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
            self.addWidget(named(picture, "card"))
        self.setCurrentWidget(self._panels if picture is None else picture)
        if before is not None:
            self.removeWidget(before)
            before.setParent(None)  # else who looks for the children of this widget until then keeps it alive
            before.deleteLater()


def panel_tools(
    app_state: AppState, look: Look, views: Mapping[str, MakeView] = MappingProxyType({})
) -> dict[str, PanelTools]:
    """Return what the panels of each run are drawn with; `views`: what makes those that rooms bring."""
    runs = app_state.shown_runs
    run_states = {run: runs.states[run] for run in RUNS}
    return {
        run: PanelTools(
            look=look,
            selection=state.selection,
            viewport=state.viewport,
            store=app_state.store,
            pictures=state.pictures,
            details=runs.details,
            vectors=app_state.vectors,
            shelf=app_state.kept_vectors,
            comparison=app_state.comparison,
            analyses=runs.analyses,
            matrices=runs.matrices,
            interventions=app_state.interventions.of_run.get(run),
            rooms=app_state.rooms,
            views=views,
        )
        for run, state in run_states.items()
    }


class ShownVector(QObject):
    """Shows the vector of run A, or of run B while the inspector is about that one, and names the run."""

    def __init__(self, app_state: AppState, card: Card) -> None:
        super().__init__(card)
        assert isinstance(card.body, VectorPlot)
        self._app_state, self._card = app_state, card
        self.plot = card.body
        self._run: Run | None = None
        self.plot.kinds.chosen.connect(app_state.vectors.choose_kind)
        app_state.vectors.kind_changed.connect(self.show)
        app_state.comparison.shown_changed.connect(self.show)
        app_state.shown_runs.inspected.changed.connect(self._on_inspected)

    @Slot()
    def _on_inspected(self) -> None:
        if self._app_state.shown_runs.inspected.run != self._run:  # it changes with the pointer, too
            self.show()

    @Slot()
    def show(self) -> None:
        """Show the vector of the inspected run, and how similar that of the other one is."""
        run = self._app_state.shown_runs.inspected.run
        shown, other = self._app_state.sides(run)
        if shown is None:
            return
        self._run = run
        beside = () if other is None else (run, other.result.trace)
        show_vector(self._card, self.plot, shown, self._app_state.vectors.kind, *beside)


def show_vector(
    card: Card,
    plot: VectorPlot,
    shown: Shown,
    kind: str = "pooled",
    run: Run | None = None,
    other: Trace | None = None,
) -> None:
    """Show the pooled vector of a run; for a model without pooler the last hidden state of [CLS], named so.

    Or the sentence vector, if it has one and `kind` is "sentence". `run`: its name, where there are two;
    `other` is the other one's trace.
    """
    trace, translate = shown.result.trace, QCoreApplication.translate
    name, vector = card_vector(trace, kind)
    titles = {
        "cls": translate("Stage", "{0} hidden state"),
        "pooled": translate("Stage", "{0} pooled"),
        "sentence": translate("Stage", "Sentence vector"),
    }
    size = (
        translate("Stage", "{0} · no pooler here") if name == "cls" else translate("Stage", "{0} dimensions")
    )
    parts = [size.format(len(vector))]
    if not trace.has_states:
        parts = [translate("Stage", "weights alone")]
    elif other is not None and other.has_states:
        cosine = text_cosines(trace, other).get(name)
        parts += [] if cosine is None else [translate("Stage", "cos A, B {0}").format(signed(cosine, 4))]
    title = titles[name].format(trace.tokens.special_names.first)
    if not trace.has_states:
        title = translate("Stage", "No vectors")
    card.title.setText(f"{title} · {run}" if run is not None else title)
    card.qualifier.setText(" · ".join(parts))
    plot.offer_sentence(trace.sentence_vector is not None, "sentence" if name == "sentence" else "pooled")
    plot.show_values(vector, name, run or "A")


AFTER_MS = 400
"""After this time the views are dimmed. Painting all of them takes the processors 10 to 20 ms from the text
that is encoded; with 0.2 s it came just before one of 128 tokens in BERT-base was there.
"""


class Staleness(QObject):
    """Dims all views while run A is out of date; while only run B is, the panels of B and of the difference.

    Most texts are encoded within a few frames: dimming at once would flicker with each key.
    """

    def __init__(self, views: Sequence[Dimmed], area: PanelArea, comparison: Comparison) -> None:
        """Dim `views`, those of run A besides the panels of `area`."""
        super().__init__(area)
        self._views = tuple(views)
        self._area, self._comparison = area, comparison
        self._stale: set[Run] = set()
        self._timers = {run: QTimer(self, singleShot=True, interval=AFTER_MS) for run in ENCODED_RUNS}
        for run, timer in self._timers.items():
            timer.timeout.connect(slot_of(self._on_late, run))
        comparison.changed.connect(self._on_comparison_changed)

    def set_stale(self, run: Run, is_stale: bool) -> None:
        """Dim what shows a run once it has been out of date for AFTER_MS; undo it when it is up to date."""
        timer = self._timers[run]
        if not is_stale:
            timer.stop()
            if run in self._stale:
                self._stale.discard(run)
                self._dim()
        elif not timer.isActive():  # else who keeps typing would never see that the views are out of date
            timer.start()

    @Slot()
    def _on_comparison_changed(self) -> None:
        self.set_stale("B", not self._comparison.is_current)

    def _on_late(self, run: Run) -> None:
        self._stale.add(run)
        self._dim()

    def _dim(self) -> None:
        is_a_stale = "A" in self._stale
        for view in self._views:
            view.set_stale(is_a_stale)
        for card in self._area.cards.values():
            card.set_stale(is_a_stale or (bool(self._stale) and card.panel.run != "A"))


class ExploreRow(QWidget):
    """A button for each thing that can be added, checked while it is there: its key is one of KEYS."""

    KEYS = ("inspector", "overview", "steps", "compare", "mask", "ids")

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        words = {
            "inspector": (self.tr("This pair"), self.tr("How the weight of the two words is computed")),
            "overview": (self.tr("All heads"), self.tr("Every head of every layer as a small picture")),
            "steps": (self.tr("Steps"), self.tr("The arithmetic from the text to the last vector")),
            "compare": (
                self.tr("Compare with another sentence"),
                self.tr("Read another text, too, and show what its heads do beside this one"),
            ),
            "ids": (
                self.tr("Token IDs"),
                self.tr("The number of each token in the vocabulary, its segment and its position"),
            ),
            "mask": (
                self.tr("A mask"),
                self.tr("Hide the clicked word, or the last one: what does the model expect there?"),
            ),
        }
        self.buttons: dict[str, QPushButton] = {}
        for key in self.KEYS:
            text, tip = words[key]
            button = QPushButton(text if key == "compare" else f"+ {text}")
            button.setCheckable(True)
            self.buttons[key] = named(button, "add", tip, f"{text}. {tip}")
        label = named(QLabel(self.tr("Add:")), "secondary")
        in_row(label, *self.buttons.values(), 1, of=self, margins=(12, 6, 12, 0), spacing=6)
        self.hide()


_LOW, _LOW_FOR_TWO = 480, 860  # with one strip, and with that of run B below it


class MainArea(Guarded, QWidget):
    """Builds the views of a result and their cards, places them, and hands each its part of a result.

    `docks`: the panels, with the cards around them.
    """

    def __init__(
        self,
        app_state: AppState,
        look: Look,
        panel_views: Mapping[str, MakeView],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("ground")
        self._app_state, self._look = app_state, look
        self._has_ids = True
        panels, runs = app_state.panels, app_state.shown_runs
        self.strip = TokenStrip(look, app_state.selection)
        of_b = runs.states["B"].selection
        self.other_strip = OtherStrip(look, of_b, app_state.comparison, app_state.workspace)
        self.key_strip = KeyStrip(look, app_state.selection)
        overview = OverviewCard(look, panels)
        divergence = DivergenceView(look, panels)
        self.heads = HeadsTable(look, panels)
        self.runs = RunOverview(app_state.comparison, overview, divergence)
        self.area = PanelArea(panels, panel_tools(app_state, look, panel_views))
        self.middle = Middle(self.area)
        page = self.inspector_page = InspectorPage(  # the numbers of what is pointed at, and the predictions
            InspectorView(look, runs.inspected),
            PairHeadsView(look),
            PredictionsSection(look, runs.predictions, app_state.editing, app_state.pointer),
        )
        self._build_cards(overview)
        self.edits = EditViews(app_state, self.strip, (overview.view, divergence), self.heads)
        self.vector = ShownVector(app_state, self.cards.pooled)
        of_a = page.numbers, page.predictions.views["A"], self.vector.plot, self.strip, self.key_strip
        self.staleness = Staleness((*of_a, overview.view, self.heads), self.area, app_state.comparison)
        self.heads.follow(Baselines(runs.analyses, app_state.workers.analysed, app_state.store, self.heads))
        self.explore = ExploreRow(self)
        self.explore.buttons["steps"].setVisible("steps" in panel_views)
        maps: list[Callable[[AppState, Look, QWidget], ModelMap]] = brought("model_map")
        self.flow = maps[0](app_state, look, self) if maps else ModelMap(look, self)
        self._lay_out()
        self._connect()
        PanelMenu(self.area, app_state.interventions.of_run, app_state.pointer)
        InspectorMenu(page.numbers, app_state.interventions.of_run, runs.inspected)
        PairViews(app_state, overview, self.heads, self.runs, page)
        self._on_comparison_changed()

    def _build_cards(self, overview: OverviewCard) -> None:
        app_state, translate = self._app_state, QCoreApplication.translate
        of_interventions = InterventionsView(app_state.interventions, app_state.outcomes)
        self.cards = Cards(
            overview,
            Card(translate("MainArea", "Heads"), self.heads),
            Card(translate("MainArea", "Inspector"), self.inspector_page),
            Card("", VectorPlot(self._look)),  # its title is the name of the vector
            Card(translate("MainArea", "Interventions"), of_interventions),
        )
        terms = "overview", "head", "inspector", "pooler", "interventions"
        for card, term in zip(self.cards, terms, strict=True):
            card.explain_with(term)
        upper, heads, inspector, vector, interventions = map(Dock, (*NAMES, INTERVENTIONS), self.cards)
        left, right = (upper, heads), (inspector, vector)
        columns = (  # a quarter of the window's width, and a fifth
            DockColumn(self._look, LEFT, left, 0.25, 330, 440, self._overview_height),
            DockColumn(self._look, RIGHT, right, 0.19, 250, 340, self._inspector_height),
        )
        self.docks = DockArea(self._look, self.middle, columns, interventions)

    def _overview_height(self, width: int, height: int) -> int:
        height_needed = self._look.pixels(HEADER) + self.runs.height_for(width - 2) + 6
        share = 0.6 if self.runs.row.isHidden() else 0.63  # a comparison has sentences below the cells
        return min(height_needed, round(height * share))

    def _inspector_height(self, width: int, height: int) -> int:
        frame = self._look.pixels(HEADER) + 5
        desired = frame + round(self.inspector_page.height_for(height * 0.75 - frame))
        least = frame + self.inspector_page.least_height
        return min(desired, max(least, height - self._look.pixels(_PLOT_CARD)))

    def _lay_out(self) -> None:
        strip = self._strip_row = named(QWidget(), "strip")
        strip.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        rows = QGridLayout(strip)
        rows.setContentsMargins(0, 0, GAP, 0)
        rows.setSpacing(0)
        rows.setColumnStretch(0, 1)
        rows.addWidget(self.strip, 0, 0)
        rows.addWidget(self.edits.badges, 0, 1, Qt.AlignmentFlag.AlignVCenter)
        rows.addWidget(self.key_strip, 1, 0)
        rows.addWidget(self.other_strip, 2, 0)
        ChipMenu(self.other_strip, self._app_state.editing, self._app_state.interventions.of_run)
        inner = in_row(self.docks, margins=GAP)
        in_column(strip, self.explore, self.flow, (inner, 1), of=self, margins=0, spacing=0)

    def _connect(self) -> None:
        panels, overview = self._app_state.panels, self.cards.overview.view
        for view in (overview, self.heads):
            view.part_chosen.connect(lambda cell: panels.show(*overview.head_of(cell)))
            view.part_added.connect(lambda cell: panels.add(*overview.head_of(cell)))
        compared = self._app_state.compared_panels
        self.runs.divergence.part_chosen.connect(lambda head: compared.show(*head))
        for changed in (self.runs.run_changed, self._app_state.refinement.changed):
            changed.connect(self._show_overviews)
        self.cards.overview.sample.button.clicked.connect(self._on_sample_clicked)
        self._app_state.comparison.shown_changed.connect(self._on_comparison_changed)
        for part in (self.runs, self.inspector_page.predictions, self.inspector_page.pair_heads):
            part.height_changed.connect(self.docks.share)
        for run, predictions in self.inspector_page.predictions.views.items():
            predictions.piece_chosen.connect(partial(follow_piece, panels, run))
        for of_run in self._app_state.interventions.of_run.values():
            of_run.opened.connect(slot_of(self.docks.bring, INTERVENTIONS))
        editing = self._app_state.editing
        for requested in (editing.prediction_requested, self.flow.heads_requested):
            requested.connect(self.show_predictions)
        editing.word_comparison_requested.connect(self._compare_word)
        self.flow.went.connect(lambda: self.show_picture(None))  # the stop is behind a lesson's picture
        self._app_state.workspace.encoding.busy_changed.connect(self._hold_faint_lines)
        self._look.changed.connect(self._give_room)
        self._app_state.shown_runs.inspected.changed.connect(self._name_inspected)

    @Slot()
    def _on_sample_clicked(self) -> None:
        refinement = self._app_state.refinement
        (refinement.go_on if refinement.is_stopped else refinement.stop)()

    @Slot()
    def _hold_faint_lines(self) -> None:
        """Draw none of thousands of faint lines while a text is encoded, which needs all processors.

        The next picture takes their place as soon as it is.
        """
        LaterWork.shared().hold(FAINT_LINES, self, is_held=self._app_state.workspace.encoding.is_running)

    @Slot()
    def _on_comparison_changed(self) -> None:
        self.area.show_runs(RUNS if self._app_state.comparison.difference is not None else RUNS[:1])
        self._give_room()
        self._name_inspected()

    @Slot()
    def _name_inspected(self) -> None:
        """Name the inspected head, which is not always the one under the pointer, and its run."""
        inspected, panel = self._app_state.shown_runs.inspected, self._app_state.panels.active
        self.cards.inspector.title.setText(_of_run(self.tr("Inspector"), inspected.run, self._app_state))
        head = QCoreApplication.translate("PanelCard", "Layer {0} · Head {1}")
        head = "" if panel is None else head.format(panel.layer, panel.head)
        self.cards.inspector.qualifier.setText(head)

    @Slot()
    def _show_overviews(self) -> None:
        """Show all heads of the run that the overview is of, and share the height with them."""
        self._fill_overviews()
        self.docks.share()

    def _fill_overviews(self) -> None:
        """Show all heads of the run that the overview is of; of a difference the table has those of A."""
        shown, beside = self._app_state.sides(self.runs.run)
        if shown is not None:
            run = SIDES[self.runs.run][0]
            is_stopped = self._app_state.refinement.is_stopped
            of_other = None if beside is None else beside.overview
            self.cards.overview.show_overview(shown.overview, of_other, run)
            self.cards.overview.sample.show_sample(shown.overview, is_stopped=is_stopped)
            self.cards.overview.view.show_edits(shown.result.trace.edits)
            self.edits.head_menu.run = run
            self.heads.interventions = edits_text(shown.result.trace.edits)
            self.heads.show_overview(shown.overview, run)
            parts = [self.tr("{0} heads · click to show one").format(self.heads.heads.rowCount())]
            if remark := stamp_remark(shown.overview.stamp):
                parts.insert(0, remark)
            if shown.overview.sample is not None:
                parts.insert(0, sample_line(shown.overview))
            # The run stands in the title, where there are two: what follows may not have room.
            self.cards.heads.title.setText(_of_run(self.tr("Heads"), self.runs.run, self._app_state))
            self.cards.heads.qualifier.brief = brief_remark(shown.overview.stamp)
            self.cards.heads.qualifier.setText(" · ".join(parts))

    @Slot()
    def show_picture(self, picture: QWidget | None) -> None:
        """Show the large picture of a station of a lesson instead of the panels."""
        self.middle.show_picture(picture)
        self.show_strip(is_shown=picture is None)

    def show_strip(self, *, is_shown: bool) -> None:
        """Show the strip of tokens, or leave its height to pictures which have the tokens."""
        self._strip_row.setVisible(is_shown)

    def show_predictions(self) -> None:
        """Open the predictions of the task heads, in the inspector; large pictures have their own."""
        if self.middle.picture is not None:
            return
        self.inspector_page.predictions.open(True)
        self.docks.bring("inspector")

    @Slot(int, str)
    def _compare_word(self, position: int, run: str) -> None:
        compare_word(self._app_state.panels, position, "B" if run == "B" else "A")

    def toggle_predictions(self) -> None:
        """Close the predictions of the task heads, or open them and bring them to the front."""
        if self.inspector_page.predictions.is_open and self.inspector_page.predictions.isVisible():
            self.inspector_page.predictions.open(False)
        else:
            self.show_predictions()

    def open_options(self) -> None:
        """Open the options of the drawing below the header of the active panel."""
        if (active := self._app_state.panels.active) is not None:
            self.area.cards[active.number].open_options()

    @Slot()
    def show_result(self, shown: Shown) -> None:
        trace, docks = shown.result.trace, self.docks.docks
        self.area.show_panels()
        paint_in_turns((self.strip, docks["overview"]))  # painted first: others are added below
        self.strip.set_side("queries" if trace.is_cross else "both")
        self.strip.show_tokens(trace.tokens, sink_layers(shown.overview.sinks))
        self.key_strip.show_keys(trace)
        self._give_room()
        self._fill_overviews()
        self._name_inspected()
        self.vector.show()
        self.docks.share()
        paint_in_turns((*self.area.cards.values(), *docks.values()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._give_room()

    @Slot()
    def _give_room(self) -> None:
        """Leave the height to the panels where there is little of it, as on a projector."""
        is_shared = self.other_strip.isVisibleTo(self)
        self.strip.run_name = "A" if is_shared else None
        self.strip.update()
        has_two = is_shared or self.key_strip.isVisibleTo(self)
        is_low = self.height() < self._look.pixels(_LOW_FOR_TWO if has_two else _LOW)
        self.strip.set_brief(is_low, has_ids=self._has_ids)
        self.other_strip.set_brief(True, has_ids=self._has_ids)

    def show_ids(self, has_ids: bool) -> None:
        """Show the ids, segments and positions of the tokens in the strip, or the tokens alone."""
        if has_ids != self._has_ids:
            self._has_ids = has_ids
            self._give_room()


def _of_run(title: str, run: Run, app_state: AppState) -> str:
    """Return a title with the run, where there are two; beside a difference are the numbers of run A."""
    return title if app_state.comparison.shown is None else f"{title} · {SIDES[run][0]}"
