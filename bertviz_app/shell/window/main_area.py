"""`MainArea`: the window below its bar once there is a result: strip, overview, panels, inspector."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from bertviz_app.analysis.attention.stamp import sink_layers
from bertviz_app.options import ENCODED_RUNS, Run
from bertviz_app.shell.window.docks import GAP, INTERVENTIONS
from bertviz_app.shell.window.edit_views import EditViews
from bertviz_app.shell.window.main_views import MainViews
from bertviz_app.shell.window.shown_vector import ShownVector
from bertviz_app.shell.window.staleness import CanBeStale, Staleness
from bertviz_app.text.edits import edits_text
from bertviz_app.viewmodels.analyses.analyses import Baselines, follow_piece
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import RUNS, Panel
from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.viewmodels.wording import brief_remark, sample_line, stamp_remark
from bertviz_app.views.attention.lines import FAINT_LINES
from bertviz_app.views.inspector.view import PairViews
from bertviz_app.views.interventions import InspectorMenu, PanelMenu
from bertviz_app.views.kit.canvas import LaterWork, guarded, paint_in_turns
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.overview.view import OverviewView
from bertviz_app.views.tokens.edit_menus import ChipMenu
from bertviz_app.views.tokens.strip import OtherStrip
from bertviz_app.views.vectors.heat import VectorPlot
from bertviz_app.weak_slots import slot_of

_LOW, _LOW_FOR_TWO = 480, 860  # with one strip, and with that of run B below it


class MainArea(QWidget):
    """Places the views and hands each its part of a result."""

    def __init__(self, app_state: AppState, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        views = MainViews(app_state, look)
        self.setObjectName("ground")
        self._app_state = app_state
        self._look = look
        self.strip, self.heads, self.runs, self.area = views.strip, views.heads, views.runs, views.area
        self.inspector_page, self.cards, self.docks = views.inspector_page, views.cards, views.docks
        grids = views.overview.view, views.divergence
        self.edits = EditViews(app_state, self.strip, grids, self.heads)
        self.vector = ShownVector(app_state, self.cards.pooled)
        self._staleness = Staleness(self._views_of_a(), self.area, app_state.comparison)
        analyses, analysed = app_state.shown_runs.analyses, app_state.workers.analysed
        self.heads.follow(Baselines(analyses, analysed, app_state.overview))
        self._lay_out(views.other_strip)
        self._connect()
        selections = {run: app_state.shown_runs.states[run].selection for run in ENCODED_RUNS}
        PanelMenu(self.area, app_state.run_interventions, selections)
        InspectorMenu(
            self.inspector_page.numbers, app_state.run_interventions, app_state.shown_runs.inspected
        )
        PairViews(app_state, views.overview, self.heads, self.runs, self.inspector_page)
        self._on_comparison_changed()

    def _views_of_a(self) -> tuple[CanBeStale, ...]:
        """Return the views that show run A besides the panels."""
        page = self.inspector_page
        views = self.cards.overview.view, self.heads, page.numbers, page.predictions.views["A"], self.pooled
        return self.strip, *views

    @property
    def pooled(self) -> VectorPlot:
        """The plot of the vector that stands for the text."""
        return self.vector.plot

    def _lay_out(self, other_strip: OtherStrip) -> None:
        strip = named(QWidget(), "strip")
        strip.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        rows = QGridLayout(strip)
        rows.setContentsMargins(0, 0, GAP, 0)
        rows.setSpacing(0)
        rows.setColumnStretch(0, 1)
        rows.addWidget(self.strip, 0, 0)
        rows.addWidget(self.edits.badges, 0, 1, Qt.AlignmentFlag.AlignVCenter)
        rows.addWidget(other_strip, 1, 0)
        ChipMenu(other_strip, self._app_state.editing, self._app_state.run_interventions)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        inner = QVBoxLayout()
        inner.setContentsMargins(GAP, GAP, GAP, GAP)
        inner.addWidget(self.docks)
        column.addLayout(inner, 1)

    def _connect(self) -> None:
        panels = self._app_state.panels
        for view in (self.cards.overview, self.heads):
            view.head_chosen.connect(lambda *cell: panels.show(*_head_of(cell, self.cards.overview.view)))
            view.head_added.connect(lambda *cell: panels.add(*_head_of(cell, self.cards.overview.view)))
        self.runs.divergence.head_chosen.connect(self._app_state.compared_panels.show)
        self.runs.run_changed.connect(self._show_overviews)
        self.runs.height_changed.connect(self.docks.share)
        refinement, sample = self._app_state.refinement, self.cards.overview.sample
        refinement.changed.connect(self._show_overviews)
        sample.stop_requested.connect(refinement.stop)
        sample.go_on_requested.connect(refinement.go_on)
        self._app_state.comparison.shown_changed.connect(self._on_comparison_changed)
        self.inspector_page.predictions.height_changed.connect(self.docks.share)
        for run, predictions in self.inspector_page.predictions.views.items():
            predictions.piece_chosen.connect(partial(follow_piece, panels, run))
        for of_run in self._app_state.run_interventions.values():
            of_run.opened.connect(slot_of(self.docks.bring, INTERVENTIONS))
        self._app_state.editing.prediction_requested.connect(self.show_predictions)
        self._app_state.workspace.encoding.busy_changed.connect(self._hold_faint_lines)
        self._look.changed.connect(self._give_room)
        self._app_state.shown_runs.inspected.changed.connect(self._name_inspected)

    @Slot()
    def _hold_faint_lines(self) -> None:
        """Draw none of thousands of faint lines while a text is encoded, which needs all processors.

        The next picture takes their place as soon as it is.
        """
        is_held = self._app_state.workspace.encoding.is_running
        LaterWork.shared().hold(FAINT_LINES, self, is_held=is_held)

    @Slot()
    def _on_comparison_changed(self) -> None:
        is_there = self._app_state.comparison.difference is not None
        self.area.show_runs(RUNS if is_there else RUNS[:1])
        self._give_room()
        self._name_inspected()

    @Slot()
    def _name_inspected(self) -> None:
        """Write which head of which run the inspector is about."""
        inspected = self._app_state.shown_runs.inspected
        self.cards.inspector.title.setText(_of_run(self.tr("Inspector"), inspected.run, self._app_state))
        self.cards.inspector.qualifier.setText(_head_name(self._app_state.panels.active))

    @Slot()
    def _show_overviews(self) -> None:
        """Show all heads of the run that the overview is of; of a difference the table has those of A."""
        other = self._app_state.comparison.shown
        of_a = self._app_state.workspace.shown
        shown, beside = (other, of_a) if self.runs.run == "B" and other is not None else (of_a, other)
        if shown is not None:
            self.cards.overview.show_overview(shown.overview, None if beside is None else beside.overview)
            refinement = self._app_state.refinement
            self.cards.overview.sample.show_sample(shown.overview, is_stopped=refinement.is_stopped)
            self.cards.overview.view.show_edits(shown.result.trace.edits)
            self.edits.show_run("B" if shown is other else "A")
            self.heads.interventions = edits_text(shown.result.trace.edits)
            self.heads.show_overview(shown.overview, "B" if shown is other else "A")
            parts = [self.tr("{0} heads · click to show one").format(self.heads.heads.rowCount())]
            if remark := stamp_remark(shown.stamp):
                parts.insert(0, remark)
            if shown.overview.sample is not None:
                parts.insert(0, sample_line(shown.overview))
            self._title_heads()
            self.cards.heads.qualifier.brief = brief_remark(shown.stamp)
            self.cards.heads.qualifier.setText(" · ".join(parts))
        self.docks.share()

    def _title_heads(self) -> None:
        """Write which run the table of heads is of, where there are two: what follows may not have room."""
        self.cards.heads.title.setText(_of_run(self.tr("Heads"), self.runs.run, self._app_state))

    @Slot()
    def show_predictions(self) -> None:
        """Open the predictions of the task heads, in the inspector."""
        self.inspector_page.predictions.open(True)
        self.docks.bring("inspector")

    def toggle_predictions(self) -> None:
        """Close the predictions of the task heads, or open them and bring them to the front."""
        if self.inspector_page.predictions.is_open and self.inspector_page.predictions.isVisible():
            self.inspector_page.predictions.open(False)
        else:
            self.show_predictions()

    def open_options(self) -> None:
        """Open the options of the drawing below the header of the active panel."""
        active = self._app_state.panels.active
        if active is not None:
            self.area.cards[active.number].open_options()

    def retranslate(self) -> None:
        self._title_heads()
        self._name_inspected()
        self.cards.interventions.title.setText(self.tr("Interventions"))

    @Slot()
    def show_result(self, shown: Shown) -> None:
        trace = shown.result.trace
        self.strip.show_tokens(trace.tokens, sink_layers(shown.overview.sinks))
        self._show_overviews()
        self._name_inspected()
        self.vector.show()
        self.docks.share()
        docks = self.docks.docks
        paint_in_turns((self.strip, docks["overview"], *self.area.cards.values(), *docks.values()))

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._give_room()

    @Slot()
    def _give_room(self) -> None:
        """Leave the height to the panels where there is little of it, as on a projector."""
        other = self.findChild(OtherStrip)
        is_shared = other is not None and other.isVisibleTo(self)
        self.strip.run_name = "A" if is_shared else None
        self.strip.update()
        self.strip.set_brief(self.height() < self._look.pixels(_LOW_FOR_TWO if is_shared else _LOW))

    def set_stale(self, is_stale: bool) -> None:
        """Dim the views while they show another request than the newest, if that lasts."""
        self._staleness.set_stale(is_stale)


def _of_run(title: str, run: Run, app_state: AppState) -> str:
    """Return a title with the run, where there are two; beside a difference are the numbers of run A."""
    if app_state.comparison.shown is None:
        return title
    return f"{title} · {'B' if run == 'B' else 'A'}"


def _head_name(panel: Panel | None) -> str:
    """Return the name of the inspected head, which is not always the one under the pointer."""
    if panel is None:
        return ""
    translate = QCoreApplication.translate
    return translate("PanelCard", "Layer {0} · Head {1}").format(panel.layer, panel.head)


def _head_of(cell: tuple[int, int], view: OverviewView) -> tuple[int, int]:
    """Return the head that a cell of the overview stands for: of a whole layer that of the active panel."""
    layer, head = cell
    active = view.active
    is_of_layer = view.overview is not None and view.overview.stamp.numbers == "residual"
    return (layer, active[1]) if is_of_layer and active is not None else (layer, head)
