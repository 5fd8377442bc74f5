"""The three rooms of the window: learn, explore, research. Text and head go along, panels stay behind."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QObject, Signal

from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Panel
from bertviz_app.viewmodels.panels import FIRST_KINDS, OpenPanels, Panels, without_runs

Room = Literal["learn", "explore", "research"]


class Rooms(QObject):
    """Which room the window is, and what each room had open when it was left.

    `changed`: another room, or another choice of cards in Explore. `cards`: the cards that Explore shows
    beside its one picture. `is_lesson`: the panels are those of a lesson's station.
    """

    changed = Signal()

    def __init__(self, panels: Panels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panels = panels
        self.room: Room = "research"
        self.is_lesson = False
        self.cards: frozenset[str] = frozenset({"inspector"})
        self._left: dict[Room, OpenPanels] = {}

    def enter(self, room: Room) -> None:
        """Go to another room. Its panels come back, on the head that is looked at now."""
        if room == self.room:
            return
        self.note(room)
        active = self._panels.active
        if active is not None:
            self._bring_panels(active)
        self.changed.emit()

    def note(self, room: Room) -> None:
        """Be another room from now on, with the panels that are open: they are those of a scene."""
        panels = self._panels
        if panels.active is not None:
            self._left[self.room] = panels.panels, panels.position(panels.active.number)
        self.room = room
        panels.first_kinds = _first_kinds(room)

    def leave_runs(self) -> None:
        """Bring no panel of another run than A back: there is none any more."""
        self._left = {room: without_runs(*left) for room, left in self._left.items()}

    def show_card(self, name: str, *, is_shown: bool) -> None:
        """Show one of the cards in Explore, or put it away."""
        cards = self.cards | {name} if is_shown else self.cards - {name}
        if cards != self.cards:
            self.cards = cards
            self.changed.emit()

    def begin(self, room: Room, cards: Collection[str]) -> None:
        """Be a room from the start, with what Explore showed the last time."""
        self.room, self.cards = room, frozenset(cards)
        self._left.clear()
        self._panels.first_kinds = _first_kinds(room)
        self.changed.emit()

    def _bring_panels(self, active: Panel) -> None:
        one = replace(active, run="A", content=SHOWS_ATTENTION, heads=())
        first = tuple(replace(one, view_kind=kind) for kind in _first_kinds(self.room))
        panels, position = self._left.get(self.room, (first, 0))
        before = panels[position]
        self._panels.open([_following(panel, before, active) for panel in panels], position)


def _first_kinds(room: Room) -> tuple[str, ...]:
    """Return the views that a room begins with: one picture, but for Research."""
    return FIRST_KINDS if room == "research" else FIRST_KINDS[:1]


def _following(panel: Panel, before: Panel, now: Panel) -> Panel:
    """Return a panel of the room on the head of `now`, if it was on the head that was looked at before."""
    was_looked_at = (panel.layer, panel.head) == (before.layer, before.head)
    return panel.moved(now.layer, now.head) if was_looked_at else panel
