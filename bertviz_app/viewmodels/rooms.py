"""The three rooms of the window: learn, explore, research. Text and head go along, panels stay behind."""

from __future__ import annotations

from collections.abc import Collection

from bertviz_app.values import replace
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION
from bertviz_app.viewmodels.panels import Panels, first_kinds, without_runs
from bertviz_app.viewmodels.state import OpenPanels, Room


class Rooms:
    """Which room the window is, and what each room had open when it was left.

    `is_lesson`: the panels are those of a lesson's station.
    """

    def __init__(self, panels: Panels) -> None:
        self._panels = panels
        self.store = panels.store
        self.is_lesson = False

    @property
    def room(self) -> Room:
        return self.store.now.room

    @property
    def cards(self) -> frozenset[str]:
        """The cards that Explore shows beside its one picture."""
        return self.store.now.cards

    def enter(self, room: Room) -> None:
        """Go to another room. Its panels come back, on the head that is looked at now."""
        if room == self.room:
            return
        left, active = dict(self._left_with_this), self._panels.active
        if active is None:
            self.store.change("amend", room=room)
            return
        one = replace(active, run="A", content=SHOWS_ATTENTION, heads=())
        first = tuple(replace(one, view_kind=kind) for kind in first_kinds(room))
        panels, position = left.get(room, (first, 0))
        looked_at = panels[position].layer, panels[position].head
        moved = (  # those on the head that was looked at are on the one that is now
            panel.moved(active.layer, active.head) if (panel.layer, panel.head) == looked_at else panel
            for panel in panels
        )
        opened = tuple(replace(panel, number=0) for panel in moved)
        self.store.change(room=room, left=tuple(left.items()), panels=opened, active=position)

    def note(self, room: Room) -> None:
        """Be another room from now on, with the panels that are open: they are those of a scene."""
        self.store.change("amend", room=room, left=self._left_with_this)

    @property
    def _left_with_this(self) -> tuple[tuple[Room, OpenPanels], ...]:
        """What each room had open, this one now."""
        state = self.store.now
        if not state.panels:
            return state.left
        return tuple((dict(state.left) | {state.room: (state.panels, state.active)}).items())

    def leave_runs(self) -> None:
        """Bring no panel of another run than A back: there is none any more."""
        left = tuple((room, without_runs(*panels)) for room, panels in self.store.now.left)
        self.store.change("amend", left=left)

    def show_card(self, name: str, *, is_shown: bool) -> None:
        """Show one of the cards in Explore, or put it away."""
        self.store.change("amend", cards=self.cards | {name} if is_shown else self.cards - {name})

    def begin(self, room: Room, cards: Collection[str]) -> None:
        """Be a room from the start, with what Explore showed the last time."""
        self.store.change("amend", room=room, cards=frozenset(cards), left=())
