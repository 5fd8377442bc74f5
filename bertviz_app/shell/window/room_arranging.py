"""What the bars and the cards around the panels show in each room, and while a lesson is open."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.frame import Presentation, WindowFrame
from bertviz_app.shell.window.part import Guide
from bertviz_app.text.edits import MASKS
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Panel
from bertviz_app.viewmodels.rooms import Rooms
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.state import Room
from bertviz_app.weak_slots import slot_of

if TYPE_CHECKING:
    from bertviz_app.shell.window.main_area import MainArea


_OVERVIEW_IN_EXPLORE = 0.36
"""Of the width: so the heads fill a card that has the column for itself."""


class RoomArranging(QObject):
    """The one place that decides it; others say that something changed by `arrange`."""

    def __init__(
        self,
        rooms: Rooms,
        workspace: Workspace,
        guide: Guide,
        presentation: Presentation,
        store: SettingsStore,
        frame: Callable[[], WindowFrame],
    ) -> None:
        super().__init__(guide)
        self._rooms = rooms
        self._workspace = workspace
        self._guide = guide
        self._presentation = presentation
        self._store = store
        self._frame = frame
        self._before_lesson: Room | None = None
        rooms.store.watch(("room", "cards"), self._on_room_changed)
        guide.changed.connect(self._on_guide_changed)
        presentation.changed.connect(self.arrange)
        workspace.shown_changed.connect(self._on_shown_changed)
        rooms.store.watch(("text", "pair"), self.arrange_bars)

    @Slot()
    def _on_room_changed(self) -> None:
        if self._guide.is_open and self._rooms.room != "learn":
            self._before_lesson = None
            self._guide.leave()
        if not self._rooms.is_lesson:  # a lesson is in Learn, which is not what the user has chosen
            self._store.change(room=self._rooms.room, explore_cards=tuple(sorted(self._rooms.cards)))
        self.arrange()

    @Slot()
    def _on_guide_changed(self) -> None:
        """Be in Learn for as long as a lesson is open, with its scenes in the place of one's own panels."""
        rooms = self._rooms
        rooms.is_lesson = self._guide.is_open
        if self._guide.is_open and rooms.room != "learn":
            self._before_lesson = rooms.room
            rooms.note("learn")
        elif not self._guide.is_open and self._before_lesson is not None:
            before, self._before_lesson = self._before_lesson, None
            rooms.note(before)
        self.arrange()

    @Slot()
    def _on_shown_changed(self) -> None:
        """In a presentation bring the card that answers, and put it away with its question."""
        if self._presentation.is_on and not self._guide.is_open:
            self.arrange()

    @Slot()
    def arrange_bars(self) -> None:
        """Show in the bars what belongs to the room and acts on something."""
        frame, room = self._frame(), self._rooms.store.now.room
        is_lesson = self._rooms.is_lesson
        needed = self._guide.points_at if is_lesson else ""
        is_blank = self._workspace.is_blank
        frame.bar.show_room(room, is_lesson=is_lesson, is_blank=is_blank, needed=needed)
        frame.arrange(is_presented=self._presentation.is_on, is_calm=room == "learn")

    @Slot()
    def arrange(self) -> None:
        """Show what belongs to the room now."""
        self.arrange_bars()
        frame, room = self._frame(), self._rooms.room
        if not frame.has_main_area:
            return
        frame.main_area.flow.setVisible(room == "learn")
        frame.main_area.show_ids(room != "explore" or "ids" in self._rooms.cards)
        frame.main_area.explore.setVisible(room == "explore" and not self._presentation.is_on)
        if self._guide.is_open:
            self._guide.arrange_cards()
        else:
            frame.main_area.docks.show_only(self._cards(), "overview", _OVERVIEW_IN_EXPLORE)
            if self._presentation.is_on and self._has_answer:
                frame.main_area.show_predictions()

    @property
    def _has_answer(self) -> bool:
        """Whether a word is masked, and the checkpoint names others for it: a class wants to see them."""
        shown = self._workspace.shown
        if shown is None or "masked" not in shown.result.facts.task_heads:
            return False
        return not {*MASKS}.isdisjoint(shown.result.trace.tokens.pieces)

    def _cards(self) -> Collection[str] | None:
        """Return the cards around the panels; None stands for those that the user has arranged."""
        room = self._rooms.room
        if self._presentation.is_on:
            return ("inspector",) if self._has_answer else ()
        if room == "learn":
            return ()
        return self._rooms.cards - {"ids"} if room == "explore" else None


class ExploreControls(QObject):
    """Adds to the one picture of Explore what the row above it offers, and shows there what is added."""

    def __init__(self, app_state: AppState, main_area: MainArea, frame: WindowFrame) -> None:
        super().__init__(main_area)
        self._app_state = app_state
        self._main_area = main_area
        self._frame = frame
        self._row = main_area.explore
        for key, button in self._row.buttons.items():
            button.clicked.connect(slot_of(self._on_switched, key))
        for dock in main_area.docks.docks.values():
            dock.closed.connect(slot_of(self._on_closed, dock.objectName()))
        shown_changed = app_state.workspace.shown_changed
        for signal in (shown_changed, app_state.comparison.changed, app_state.selection.changed):
            signal.connect(self._show)
        app_state.store.watch(("edits", "room", "cards", "panels"), self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        app_state, buttons = self._app_state, self._row.buttons
        if app_state.store.now.room != "explore":  # nobody sees the row
            return
        is_masked = bool(app_state.workspace.edits.replaced)
        for name in ("inspector", "overview", "ids"):
            buttons[name].setChecked(name in app_state.rooms.cards)
        buttons["steps"].setChecked(self._steps() is not None)
        buttons["compare"].setChecked(app_state.comparison.is_on)
        buttons["mask"].setChecked(is_masked)
        buttons["mask"].setEnabled(is_masked or app_state.editing.is_possible)

    def _steps(self) -> Panel | None:
        panels = self._app_state.panels.panels
        return next((panel for panel in panels if panel.kind.key == "steps"), None)

    def _on_switched(self, key: str) -> None:
        if key == "steps":
            panels, steps = self._app_state.panels, self._steps()
            if steps is not None:
                panels.close(steps.number)
            elif panels.active is not None:
                panels.insert(replace(panels.active, view_kind="steps", content=SHOWS_ATTENTION))
        elif key == "compare":
            self._frame.toggle_comparison()
        elif key == "mask":
            # Mask a word and show what is expected there; or read all words as they are written.
            editing, workspace = self._app_state.editing, self._app_state.workspace
            position = editing.token_to_mask()
            if workspace.edits.replaced:
                workspace.set_edits(replace(workspace.edits, replaced=()))
            elif position is not None:
                self._app_state.rooms.show_card("inspector", is_shown=True)
                if editing.can_predict():
                    editing.predict(position)
                else:
                    self._app_state.selection.pin(query=position)
                    editing.toggle_mask(position)
                    self._main_area.show_predictions()  # or rather what to open for some
        else:
            self._app_state.rooms.show_card(key, is_shown=self._row.buttons[key].isChecked())
        self._show()

    def _on_closed(self, name: str) -> None:
        if self._app_state.rooms.room == "explore":
            self._app_state.rooms.show_card(name, is_shown=False)
