"""`EditViews`: what is edited, marked in the strip and in the overview, and the menus that edit it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QBoxLayout

from bertviz_app.options import Run
from bertviz_app.text import Edits
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.overview.divergence import DivergenceView
from bertviz_app.views.overview.heads_table import HeadsTable
from bertviz_app.views.overview.view import OverviewView
from bertviz_app.views.tokens.chip import Badges
from bertviz_app.views.tokens.edit_menus import ChipMenu, HeadMenu, WhyCutNote
from bertviz_app.views.tokens.strip import TokenStrip

_MOST = 2


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
        self._app_state = app_state
        self._strip = strip
        self.badges = Badges(QBoxLayout.Direction.TopToBottom, _MOST)
        self.chip_menu = ChipMenu(strip, app_state.editing, app_state.run_interventions)
        panels, both = app_state.panels, (app_state.editing, app_state.run_interventions)
        self.head_menu = HeadMenu(heads.viewport(), *both, heads.head_at, panels.add)
        for grid in grids:
            grid.items_of_head = self.head_menu.items
        self.badges.edits_chosen.connect(self._on_edits_chosen)
        self.note: WhyCutNote | None = None
        app_state.word_cuts.explained.connect(self._on_explained)
        app_state.workspace.edits_changed.connect(self._on_edits_changed)
        app_state.workspace.shown_changed.connect(self._on_edits_changed)
        self._on_edits_changed()

    def show_run(self, run: Run) -> None:
        """Let the menus of heads be about the run that the overview and the table show; a difference: A."""
        self.head_menu.run = "B" if run == "B" else "A"

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
        if trace is None:
            self.badges.show_edits(workspace.edits, None)
        else:
            self.badges.show_edits(workspace.edits, trace.tokens, trace.edits)
