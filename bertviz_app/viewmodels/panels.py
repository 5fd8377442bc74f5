"""`Panels`: which panels are open, and what a user does to them; `Rooms`: what each room had open."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.options import RUNS as RUNS, Run
from bertviz_app.trace.indexing import SHOWS_ALL, FirstShown
from bertviz_app.values import replace
from bertviz_app.viewmodels.panel import IMAGE, MOST, SHOWS_ATTENTION, Content, Panel, PanelChoice
from bertviz_app.viewmodels.state import OpenPanels, Room, Step, Store, WindowState


def first_kinds(room: Room) -> tuple[str, ...]:
    """Return the views that a room begins with: one picture, but for Research."""
    return ("lines", "matrix") if room == "research" else ("words",)


def without_runs(panels: tuple[Panel, ...], active: int) -> OpenPanels:
    """Show run A in every panel, without those of other runs that another panel shows then already."""
    remaining: list[Panel] = []
    positions: list[int] = []  # of each panel that was open: where the one stands that shows the same now
    for panel in panels:
        now = replace(panel, run="A")
        twins = [at for at, other in enumerate(remaining) if replace(now, number=other.number) == other]
        if panel.run == "A" or not twins:
            positions.append(len(remaining))
            remaining.append(now)
        else:
            positions.append(twins[0])
    return tuple(remaining), positions[active] if positions else 0


class Panels(QObject):
    """The open panels, one to six, in their order on screen: those of the state, fitted to the model.

    Its signals say what the state does not. `changed`: heads, runs or views are to be drawn. That is so when
    the user chooses what there is already, which begins once more what was cancelled, and not when only the
    stop of Steps or the page of Vectors is another: the view that chose it shows it. `content_chosen(number)`
    comes before `changed` when the user chooses the content of a panel, be it the one that it has.
    `head_picked(layer, head)`: a head was clicked, not only passed by the arrow keys. `refused`: there are
    six panels already.
    """

    changed = Signal()
    content_chosen = Signal(int)
    head_picked = Signal(int, int)
    refused = Signal()

    def __init__(self, store: Store | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent or store)
        self.store = store or Store(self)
        self._size: tuple[int, int] | None = None
        self._notified: tuple[OpenPanels, FirstShown] = ((), 0), SHOWS_ALL
        self._cached: tuple[WindowState, OpenPanels] | None = None
        self.store.watch(("panels", "active", "included"), self._on_state_changed)

    @property
    def panels(self) -> tuple[Panel, ...]:
        return self._fitted[0]

    @property
    def active(self) -> Panel | None:
        panels, active = self._fitted
        return panels[active] if panels else None

    @property
    def included_layers(self) -> tuple[int, ...]:
        """The layers that there are to choose from."""
        return self.store.now.included.layers_of(self._size[0] if self._size else 1)

    @property
    def included_heads(self) -> tuple[int, ...]:
        """The heads of a layer that there are to choose from."""
        return self.store.now.included.heads_of(self._size[1] if self._size else 1)

    def open_heads(self) -> list[tuple[int, int]]:
        """Return (layer, head) of every head that a panel needs the picture of."""
        return [
            (panel.layer, head)
            for panel in self.panels
            if panel.kind.needs_picture and panel.content == SHOWS_ATTENTION
            for head in panel.shown_heads
        ]

    def position(self, number: int) -> int:
        return next(position for position, panel in enumerate(self.panels) if panel.number == number)

    def set_size(self, n_layers: int, n_heads: int, first: tuple[int, int] | None = None) -> None:
        """Fit the panels to a model of this size: they keep their heads as far as it has them.

        Where none is open yet, the first views of the room show `first`, (layer, head), or the last head.
        """
        self._size, self._cached = (n_layers, n_heads), None
        if not self.store.now.panels:
            layer, head = first or (n_layers - 1, n_heads - 1)
            panels = tuple(Panel(0, layer, head, kind) for kind in first_kinds(self.store.now.room))
            self._become(panels, len(panels) - 1, "amend")
        panels, active = self._fitted
        self._become(self._within(panels), active, "amend")
        self._on_state_changed()  # of a state that was restored other heads may be shown now

    def include(self, choice: FirstShown) -> None:
        """Offer the layers and heads of `choice` alone, and show those that it has as the first ones.

        The numbers of layers and heads stay what they are in the model.
        """
        panels, active = self.store.now.panels, self.active
        if active is not None and choice != SHOWS_ALL:
            n_layers, n_heads = self._size or (1, 1)
            layers, heads = choice.layers_of(n_layers), choice.heads_of(n_heads)
            chosen = choice.selected or (active.head if active.head in heads else heads[0],)
            layer = layers[0] if choice.layer is None else choice.layer
            panels = tuple(
                panel.moved(layer, chosen[0]).drawing({*chosen}, chosen[0]) for panel in self.panels
            )
        self.store.change(included=choice, panels=panels)

    def show_image(self, *, has_image: bool) -> None:
        """Show the image of a run that has one in the place of lines; a matrix where it has none."""
        kinds = [panel.kind.key for panel in self.panels]
        if has_image == (IMAGE in kinds):
            return
        first = kinds.index("lines") if "lines" in kinds else 0
        panels = list(self.panels)
        for at, panel in enumerate(panels):
            if has_image and at == first:
                panels[at] = replace(panel, view_kind=IMAGE)
            elif panel.kind.key == IMAGE:
                panels[at] = replace(panel, view_kind="matrix")
        self._become(tuple(panels), self._fitted[1])

    def include_all(self) -> None:
        """Offer all layers and heads."""
        self.include(SHOWS_ALL)

    def open(self, panels: Iterable[Panel], active: int = 0) -> None:
        """Open exactly these panels. Where as many were open, each keeps its number and so its position."""
        numbered, before = tuple(replace(panel, number=0) for panel in panels)[:MOST], self._notified
        self._become(numbered, min(active, max(0, len(numbered) - 1)))
        if self._notified != before and _drawn(self._notified) == _drawn(before):
            self.changed.emit()  # no view has chosen its other stop or page

    def show(self, layer: int, head: int, *, is_picked: bool = True) -> None:
        """Show a head in the active panel, and in every panel that showed the same head as that one.

        So a head drawn as lines and as a matrix, of run A and of run B, stays one head.
        """
        active = self.active
        if active is None:
            return
        at, (panels, number) = (active.layer, active.head), self._fitted
        moved = (one.moved(layer, head) if (one.layer, one.head) == at else one for one in panels)
        self._become(tuple(moved), number)
        if is_picked:
            self.head_picked.emit(layer, head)

    def add(self, layer: int, head: int) -> None:
        """Open one more panel, beside the active one and drawn like it; `refused` if there are six."""
        like = self.active or Panel(0, layer, head, "matrix")
        self.insert(replace(like.moved(layer, head), heads=()))

    def insert(self, panel: Panel) -> None:
        """Open one more panel beside the active one, which becomes active; `refused` if there are six."""
        panels, active = self._fitted
        if len(panels) >= MOST:
            self.refused.emit()
            return
        at = active + 1 if panels else 0
        self._become((*panels[:at], replace(panel, number=0), *panels[at:]), at)

    def close(self, number: int) -> None:
        """Close a panel, and make another one active if it was this one; the last one stays."""
        panels, active = self._fitted
        if len(panels) > 1:
            position = self.position(number)
            is_before = active > position or active == len(panels) - 1
            self._become((*panels[:position], *panels[position + 1 :]), active - 1 if is_before else active)

    def activate(self, number: int) -> None:
        """Make a panel the one that the overview, the inspector and the keys refer to."""
        if self.position(number) != self._fitted[1]:
            self._become(self.panels, self.position(number))

    def draw_as(self, number: int, view_kind: str) -> None:
        """Draw a panel as one of ALL_KINDS, see `Panel.drawn_as`."""
        self._put(self._get(number).drawn_as(view_kind))

    def show_run(self, number: int, run: Run) -> None:
        """Show another of RUNS in a panel; steps of a difference become its matrix."""
        self._put(self._get(number).of_run(run))

    def choose(self, number: int, choice: PanelChoice) -> None:
        """Show an analysis or attention in a panel, or note what one of its views shows now."""
        panel = self._get(number)
        if isinstance(choice, Content):
            self.content_chosen.emit(number)
            self._put(panel.showing(choice))
            return
        chosen = panel.with_choice(choice)
        # To walk through Steps or Vectors is no step of its own, but is restored with the one it belongs to.
        self._put(chosen, "amend" if chosen.steps.undone == panel.steps.undone else "new")

    def leave_runs(self) -> None:
        """There is no run B any more: its panels show A, unless another panel shows the same already."""
        self._become(*without_runs(*self._fitted))

    def toggle_head(self, number: int, head: int) -> None:
        """Draw the lines of one head more, or less; the last one stays."""
        panel = self._get(number)
        if heads := set(panel.shown_heads) ^ {head}:
            self._put(panel.drawing(heads, panel.head if panel.head in heads else min(heads)))

    def isolate_head(self, number: int, head: int) -> None:
        """Draw the lines of one head alone, or of all heads if it was alone already."""
        panel = self._get(number)
        heads = set(self.included_heads) if panel.shown_heads == (head,) else {head}
        self._put(panel.drawing(heads, head))
        self.head_picked.emit(panel.layer, head)

    def walk(self, layers: int, heads: int) -> None:
        """Show the neighbour of the active head, going round at the ends."""
        if self.active is not None:
            layer = _stepped(self.included_layers, self.active.layer, layers)
            self.show(layer, _stepped(self.included_heads, self.active.head, heads), is_picked=False)

    def _get(self, number: int) -> Panel:
        return self.panels[self.position(number)]

    def _put(self, panel: Panel, step: Step = "new") -> None:
        """Replace the panel that has the number of this one."""
        panels, active = self._fitted
        self._become(tuple(panel if panel.number == one.number else one for one in panels), active, step)

    def _become(self, panels: tuple[Panel, ...], active: int, step: Step = "new") -> None:
        before = self._notified
        self.store.change(step, panels=panels, active=active)
        # To choose the same again begins once more what was cancelled, and shows what was chosen for a view.
        if step == "new" and self._notified is before:
            self.changed.emit()

    def _within(self, panels: tuple[Panel, ...]) -> tuple[Panel, ...]:
        size = self._size
        return panels if size is None else tuple(one.within(*size) for one in panels)

    @property
    def _fitted(self) -> OpenPanels:
        """The panels of the state; of a model that is still opened, on heads that the one on screen has."""
        state = self.store.now
        if not self.store.is_restored:
            return state.panels, state.active
        if self._cached is None or self._cached[0] is not state:
            self._cached = state, (self._within(state.panels), state.active)
        return self._cached[1]

    @Slot()
    def _on_state_changed(self) -> None:
        is_restored, panels = self.store.step == "restore", self.panels
        if is_restored and self._within(panels) != panels:
            self._become(self._within(panels), self._fitted[1], "amend")
            return
        before, self._notified = self._notified, (self._fitted, self.store.now.included)
        # The view that makes a choice shows it already, but not one that is restored.
        if self._notified != before and (is_restored or _drawn(self._notified) != _drawn(before)):
            self.changed.emit()


def _drawn(notified: tuple[OpenPanels, FirstShown]) -> tuple[object, ...]:
    """Return what is notified without the stops and pages that the views of the panels show."""
    (panels, active), included = notified
    names = "number", "layer", "head", "view_kind", "run", "heads", "content"
    return [[getattr(one, name) for name in names] for one in panels], active, included


def _stepped(numbers: tuple[int, ...], number: int, step: int) -> int:
    """Return the one of `numbers` that is `step` after `number`, going round at the ends."""
    at = numbers.index(number) if number in numbers else 0
    return numbers[(at + step) % len(numbers)]


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
