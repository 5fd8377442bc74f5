"""`Panels`: which heads of which run stand side by side, how each is drawn, and which one is active."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal

from bertviz_app.options import RUNS, Run
from bertviz_app.viewmodels.panel_choices import (
    SHOWS_ATTENTION,
    Content,
    PanelChoice,
    ParametersChoice,
    StepsChoice,
    VectorsChoice,
)
from bertviz_app.viewmodels.panel_contents import apart_from_head, at_head, has_heads, kinds_of
from bertviz_app.viewmodels.panel_kinds import ALL_KINDS, PanelKind

__all__ = ["MOST", "RUNS", "Panel", "Panels", "Run"]

MOST = 6
_FIRST = ("lines", "matrix")


@dataclass(frozen=True)
class Panel:
    """One head of one run, drawn one way. `number` is that of no other panel for as long as this one is open.

    `content`: attention, or an analysis of the run. `view_kind`: one of ALL_KINDS, see `kind`. `heads`: all
    heads that lines are drawn of, `head` among them, in order; () stands for `head` alone. `steps`,
    `vectors` and `parameters`: what those views show, also while another one is shown.
    """

    number: int
    layer: int
    head: int
    view_kind: str
    run: Run = "A"
    heads: tuple[int, ...] = ()
    steps: StepsChoice = field(default_factory=StepsChoice)
    vectors: VectorsChoice = field(default_factory=VectorsChoice)
    content: Content = SHOWS_ATTENTION
    parameters: ParametersChoice = field(default_factory=ParametersChoice)

    @property
    def kind(self) -> PanelKind:
        """The view on screen: the one of `view_kind` if it can show the content, else the first that can."""
        kinds = kinds_of(self.content)
        return next((kind for kind in kinds if kind.key == self.view_kind), kinds[0])

    @property
    def shown_content(self) -> Content:
        """The content, of an analysis of one layer or one head with those of the panel."""
        return at_head(self.content, self.layer, self.head)

    @property
    def shown_heads(self) -> tuple[int, ...]:
        """The heads that are drawn: several only by a view that can."""
        draws_many = self.kind.draws_many_heads and has_heads(self.content)
        return self.heads if self.heads and draws_many else (self.head,)

    def validate(self) -> None:
        """Raise ValueError for what no panel can show."""
        if self.view_kind not in ALL_KINDS:
            raise ValueError(f"a panel cannot draw {self.run} as {self.view_kind}")
        if min(self.layer, self.head, *self.heads) < 0:
            raise ValueError("layers and heads count from 0")

    def within(self, n_layers: int, n_heads: int) -> Panel:
        """Return this panel for a model of this size: on the nearest head that it has."""
        heads = tuple(head for head in self.heads if head < n_heads)
        head = min(self.head, n_heads - 1)
        heads = heads if head in heads and len(heads) > 1 else ()
        return replace(self._in_layer(min(self.layer, n_layers - 1)), head=head, heads=heads)

    def moved(self, layer: int, head: int) -> Panel:
        """Return this panel on another head; lines of several heads stay those if it is one of them."""
        return replace(self._in_layer(layer), head=head, heads=self.heads if head in self.heads else ())

    def drawing(self, heads: set[int], head: int) -> Panel:
        """Return this panel with the lines of `heads`, of which `head` is in front."""
        return replace(self, head=head, heads=tuple(sorted(heads)) if len(heads) > 1 else ())

    def drawn_as(self, view_kind: str) -> Panel:
        """Return this panel in another view: of attention, where the view cannot show the analysis.

        The difference of two runs has no steps: then it is of run B.
        """
        can_show = any(kind.key == view_kind for kind in kinds_of(self.content))
        content = self.content if can_show else SHOWS_ATTENTION
        is_impossible = self.run == "A-B" and not ALL_KINDS[view_kind].has_difference
        return replace(self, view_kind=view_kind, content=content, run="B" if is_impossible else self.run)

    def showing(self, content: Content) -> Panel:
        """Return this panel with another content, on the layer and head that the content may name."""
        own, layer, head = apart_from_head(content)
        there = self.moved(self.layer if layer is None else layer, self.head if head is None else head)
        return replace(there, content=own)

    def of_run(self, run: Run) -> Panel:
        """Return this panel of another run; steps of a difference become its matrix."""
        is_impossible = run == "A-B" and not self.kind.has_difference
        return replace(self, run=run, view_kind="matrix" if is_impossible else self.view_kind)

    def with_choice(self, choice: StepsChoice | VectorsChoice | ParametersChoice) -> Panel:
        """Return this panel with what one of its views shows now."""
        if isinstance(choice, StepsChoice):
            return replace(self, steps=choice)
        if isinstance(choice, VectorsChoice):
            return replace(self, vectors=choice)
        return replace(self, parameters=choice)

    def _in_layer(self, layer: int) -> Panel:
        """Return this panel in another layer, which Steps and Vectors follow."""
        if layer == self.layer:
            return self
        steps = replace(self.steps, divisor=None)
        steps = steps if steps.part == "layer" else replace(steps, part="layer", stage=StepsChoice().stage)
        return replace(self, layer=layer, steps=steps, vectors=replace(self.vectors, state=None))


class OpenPanels:
    """The open panels in their order on screen, each with a number of its own, and the active one."""

    def __init__(self) -> None:
        self.panels: list[Panel] = []
        self.active = 0
        self._last_number = 0

    def position(self, number: int) -> int:
        return next(position for position, panel in enumerate(self.panels) if panel.number == number)

    def get(self, number: int) -> Panel:
        return self.panels[self.position(number)]

    def put(self, panel: Panel) -> None:
        """Replace the panel that has the number of this one."""
        self.panels[self.position(panel.number)] = panel

    def open(self, panels: list[Panel], active: int) -> None:
        """Open exactly these panels. Where as many were open, each keeps its number and so its position."""
        if len(panels) == len(self.panels):
            pairs = zip(panels, self.panels, strict=True)
            self.panels = [replace(panel, number=old.number) for panel, old in pairs]
        else:
            self.panels = [self._numbered(panel) for panel in panels]
        self.active = min(active, max(0, len(panels) - 1))

    def insert(self, panel: Panel) -> None:
        """Open one more panel beside the active one, and make it the active one."""
        self.active = self.active + 1 if self.panels else 0
        self.panels.insert(self.active, self._numbered(panel))

    def remove(self, number: int) -> None:
        """Close a panel; another one becomes active if it was this one."""
        position = self.position(number)
        del self.panels[position]
        if self.active > position or self.active == len(self.panels):
            self.active -= 1

    def leave_runs(self) -> None:
        """Show run A in every panel; close those of other runs that another panel shows then already."""
        remaining: list[Panel] = []
        positions: list[int] = []  # of each panel that was open: where the one stands that shows the same now
        for panel in self.panels:
            now = replace(panel, run="A")
            twins = [at for at, other in enumerate(remaining) if replace(now, number=other.number) == other]
            if panel.run == "A" or not twins:
                positions.append(len(remaining))
                remaining.append(now)
            else:
                positions.append(twins[0])
        self.active = positions[self.active] if positions else 0
        self.panels = remaining

    def _numbered(self, panel: Panel) -> Panel:
        self._last_number += 1
        return replace(panel, number=self._last_number)


class Panels(QObject):
    """The open panels, one to six, in their order on screen.

    `changed` is emitted when another head, run or view is shown, `choice_changed` when only the stop of Steps
    or the page of Vectors is another: the view that chose it shows it already. `content_chosen(number)` is
    emitted before `changed` when the user chooses the content of a panel, be it the one that it has.
    `head_picked(layer, head)`: a head was clicked, not only passed by the arrow keys.
    """

    changed = Signal()
    content_chosen = Signal(int)
    choice_changed = Signal()
    head_picked = Signal(int, int)
    refused = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._n_layers = 1
        self._n_heads = 1
        self._open = OpenPanels()

    @property
    def panels(self) -> tuple[Panel, ...]:
        """The panels, in order."""
        return tuple(self._open.panels)

    @property
    def active(self) -> Panel | None:
        """The active panel, or None."""
        return self._open.panels[self._open.active] if self._open.panels else None

    @property
    def n_heads(self) -> int:
        """The number of heads of a layer."""
        return self._n_heads

    def open_heads(self) -> list[tuple[int, int]]:
        """Return (layer, head) of every head that a panel needs the picture of."""
        drawn = [
            panel
            for panel in self._open.panels
            if panel.kind.needs_picture and panel.content == SHOWS_ATTENTION
        ]
        return [(panel.layer, head) for panel in drawn for head in panel.shown_heads]

    def set_size(self, n_layers: int, n_heads: int, first: tuple[int, int] | None = None) -> None:
        """Fit the panels to a model of this size: they keep their heads as far as it has them.

        Where none is open yet, two show `first`, (layer, head), or the last head.
        """
        self._n_layers, self._n_heads = n_layers, n_heads
        if not self._open.panels:
            layer, head = first or (n_layers - 1, n_heads - 1)
            panels = [Panel(0, layer, head, kind) for kind in _FIRST]
            self._open.open(panels, active=len(panels) - 1)
        self._open.panels = [panel.within(n_layers, n_heads) for panel in self._open.panels]
        self.changed.emit()

    def open(self, panels: Iterable[Panel], active: int = 0) -> None:
        """Open exactly these panels. Where as many were open, each keeps its number and so its position."""
        self._open.open(list(panels)[:MOST], active)
        self.changed.emit()

    def show(self, layer: int, head: int, *, is_picked: bool = True) -> None:
        """Show a head in the active panel, and in every panel that showed the same head as that one.

        So a head drawn as lines and as a matrix, of run A and of run B, stays one head.
        """
        active = self.active
        if active is None:
            return
        self._open.panels = [
            panel.moved(layer, head) if (panel.layer, panel.head) == (active.layer, active.head) else panel
            for panel in self._open.panels
        ]
        self.changed.emit()
        if is_picked:
            self.head_picked.emit(layer, head)

    def add(self, layer: int, head: int) -> None:
        """Open one more panel, beside the active one and drawn like it; `refused` if there are six."""
        like = self.active or Panel(0, layer, head, "matrix")
        self.insert(replace(like.moved(layer, head), heads=()))

    def insert(self, panel: Panel) -> None:
        """Open one more panel beside the active one; `refused` if there are six."""
        if len(self._open.panels) >= MOST:
            self.refused.emit()
            return
        self._open.insert(panel)
        self.changed.emit()

    def close(self, number: int) -> None:
        """Close a panel; the last one stays."""
        if len(self._open.panels) > 1:
            self._open.remove(number)
            self.changed.emit()

    def activate(self, number: int) -> None:
        """Make a panel the one that the overview, the inspector and the keys refer to."""
        position = self._open.position(number)
        if position != self._open.active:
            self._open.active = position
            self.changed.emit()

    def draw_as(self, number: int, view_kind: str) -> None:
        """Draw a panel as one of ALL_KINDS, see `Panel.drawn_as`."""
        self._put(self._open.get(number).drawn_as(view_kind))

    def show_run(self, number: int, run: Run) -> None:
        """Show another of RUNS in a panel; steps of a difference become its matrix."""
        self._put(self._open.get(number).of_run(run))

    def choose(self, number: int, choice: PanelChoice) -> None:
        """Show an analysis or attention in a panel, or note what one of its views shows now."""
        panel = self._open.get(number)
        if isinstance(choice, Content):
            self.content_chosen.emit(number)
            self._put(panel.showing(choice))
            return
        chosen = panel.with_choice(choice)
        if chosen != panel:
            self._open.put(chosen)
            self.choice_changed.emit()

    def leave_runs(self) -> None:
        """There is no run B any more: its panels show A, unless another panel shows the same already."""
        self._open.leave_runs()
        self.changed.emit()

    def toggle_head(self, number: int, head: int) -> None:
        """Draw the lines of one head more, or less; the last one stays."""
        panel = self._open.get(number)
        heads = set(panel.shown_heads) ^ {head}
        if heads:
            self._put(panel.drawing(heads, panel.head if panel.head in heads else min(heads)))

    def isolate_head(self, number: int, head: int) -> None:
        """Draw the lines of one head alone, or of all heads if it was alone already."""
        panel = self._open.get(number)
        is_alone = panel.shown_heads == (head,)
        self._put(panel.drawing(set(range(self._n_heads)) if is_alone else {head}, head))
        self.head_picked.emit(panel.layer, head)

    def walk(self, layers: int, heads: int) -> None:
        """Show the neighbour of the active head, going round at the ends."""
        if self.active is not None:
            layer = (self.active.layer + layers) % self._n_layers
            self.show(layer, (self.active.head + heads) % self._n_heads, is_picked=False)

    def _put(self, panel: Panel) -> None:
        """Replace the panel that has the number of this one."""
        self._open.put(panel)
        self.changed.emit()
