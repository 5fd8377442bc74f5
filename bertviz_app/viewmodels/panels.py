"""`Panels`: which heads of which run stand side by side, how each is drawn, and which one is active."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from bertviz_app.viewmodels.panel_kinds import PANEL_KINDS

MOST = 6
RUNS = ("A", "B", "A-B")
_FIRST = ("lines", "matrix")


@dataclass(frozen=True)
class Panel:
    """One head of one run, drawn one way. `number` tells panels apart for as long as they are open.

    `heads`: all heads that lines are drawn of, `head` among them, in order; () stands for `head` alone.
    """

    number: int
    layer: int
    head: int
    how: str
    run: str = "A"
    heads: tuple[int, ...] = ()

    @property
    def shown_heads(self) -> tuple[int, ...]:
        """The heads that are drawn: several only by a view that can."""
        return self.heads if self.heads and PANEL_KINDS[self.how].draws_many_heads else (self.head,)


class Panels(QObject):
    """The open panels, one to six, in their order on screen."""

    changed = Signal()
    refused = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._n_layers = 1
        self._n_heads = 1
        self._opened = 0
        self._panels: list[Panel] = []
        self._active = 0

    @property
    def panels(self) -> tuple[Panel, ...]:
        return tuple(self._panels)

    @property
    def active(self) -> Panel | None:
        return self._panels[self._active] if self._panels else None

    @property
    def n_heads(self) -> int:
        return self._n_heads

    def open_heads(self) -> list[tuple[int, int]]:
        """Return (layer, head) of every head that a panel draws."""
        return [(panel.layer, head) for panel in self._panels for head in panel.shown_heads]

    def set_size(self, n_layers: int, n_heads: int) -> None:
        """A model of this size is shown: panels keep their heads, as far as it has them."""
        first_time = not self._panels
        self._n_layers, self._n_heads = n_layers, n_heads
        if first_time:
            self._panels = [self._new(n_layers - 1, n_heads - 1, how) for how in _FIRST]
            self._active = 1
        self._panels = [self._within(panel) for panel in self._panels]
        self.changed.emit()

    def arrange(self, panels: list[tuple[int, int, str]], active: int = 0) -> None:
        """Open exactly these (layer, head, how) of run A."""
        self.open([Panel(0, *panel) for panel in panels], active)

    def open(self, panels: Iterable[Panel], active: int = 0) -> None:
        """Open exactly these panels, with numbers of their own."""
        self._panels = [self._numbered(panel) for panel in list(panels)[:MOST]]
        self._active = min(active, max(0, len(self._panels) - 1))
        self.changed.emit()

    def show(self, layer: int, head: int) -> None:
        """Show a head in the active panel, and in every panel that showed the same head as that one.

        So a head drawn as lines and as a matrix, of run A and of run B, stays one head.
        """
        active = self.active
        if active is None:
            return
        self._panels = [
            _moved(panel, layer, head) if (panel.layer, panel.head) == (active.layer, active.head) else panel
            for panel in self._panels
        ]
        self.changed.emit()

    def add(self, layer: int, head: int) -> None:
        """Open one more panel, beside the active one and drawn like it; `refused` if there are six."""
        like = self.active or Panel(0, layer, head, "matrix")
        self.insert(replace(like, layer=layer, head=head, heads=()))

    def insert(self, panel: Panel) -> None:
        """Open one more panel beside the active one; `refused` if there are six."""
        if len(self._panels) >= MOST:
            self.refused.emit()
            return
        self._active = self._active + 1 if self._panels else 0
        self._panels.insert(self._active, self._numbered(panel))
        self.changed.emit()

    def close(self, number: int) -> None:
        """Close a panel; the last one stays."""
        if len(self._panels) < 2:
            return
        place = self._place(number)
        del self._panels[place]
        if self._active > place or self._active == len(self._panels):
            self._active -= 1
        self.changed.emit()

    def activate(self, number: int) -> None:
        """Make a panel the one that the overview, the inspector and the keys speak of."""
        place = self._place(number)
        if place != self._active:
            self._active = place
            self.changed.emit()

    def draw_as(self, number: int, how: str) -> None:
        """Draw a panel as one of PANEL_KINDS; the difference of two runs has no steps."""
        panel = self._panels[self._place(number)]
        is_impossible = panel.run == "A-B" and not PANEL_KINDS[how].has_difference
        self._put(replace(panel, how=how, run="B" if is_impossible else panel.run))

    def show_run(self, number: int, run: str) -> None:
        """Show another of RUNS in a panel; steps of a difference become its matrix."""
        panel = self._panels[self._place(number)]
        is_impossible = run == "A-B" and not PANEL_KINDS[panel.how].has_difference
        self._put(replace(panel, run=run, how="matrix" if is_impossible else panel.how))

    def leave_runs(self) -> None:
        """There is no run B any more: its panels show A, unless another panel shows the same already."""
        kept: list[Panel] = []
        for panel in self._panels:
            now = replace(panel, run="A")
            is_there = any(replace(now, number=other.number) == replace(other, run="A") for other in kept)
            if panel.run == "A" or not is_there:
                kept.append(now)
        self._panels = kept
        self._active = min(self._active, len(kept) - 1)
        self.changed.emit()

    def toggle_head(self, number: int, head: int) -> None:
        """Draw the lines of one head more, or less; the last one stays."""
        panel = self._panels[self._place(number)]
        heads = set(panel.shown_heads) ^ {head}
        if heads:
            self._draw_heads(panel, heads, panel.head if panel.head in heads else min(heads))

    def isolate_head(self, number: int, head: int) -> None:
        """Draw the lines of one head alone, or of all heads if it was alone already."""
        panel = self._panels[self._place(number)]
        is_alone = panel.shown_heads == (head,)
        self._draw_heads(panel, set(range(self._n_heads)) if is_alone else {head}, head)

    def walk(self, layers: int, heads: int) -> None:
        """Show the neighbour of the active head, going round at the ends."""
        if self.active is not None:
            layer = (self.active.layer + layers) % self._n_layers
            self.show(layer, (self.active.head + heads) % self._n_heads)

    def _draw_heads(self, panel: Panel, heads: set[int], head: int) -> None:
        self._put(replace(panel, head=head, heads=tuple(sorted(heads)) if len(heads) > 1 else ()))

    def _put(self, panel: Panel) -> None:
        """Take this panel for the one with its number."""
        self._panels[self._place(panel.number)] = panel
        self.changed.emit()

    def _within(self, panel: Panel) -> Panel:
        heads = tuple(head for head in panel.heads if head < self._n_heads)
        head = min(panel.head, self._n_heads - 1)
        heads = heads if head in heads and len(heads) > 1 else ()
        return replace(panel, layer=min(panel.layer, self._n_layers - 1), head=head, heads=heads)

    def _new(self, layer: int, head: int, how: str) -> Panel:
        return self._numbered(Panel(0, layer, head, how))

    def _numbered(self, panel: Panel) -> Panel:
        self._opened += 1
        return replace(panel, number=self._opened)

    def _place(self, number: int) -> int:
        return next(place for place, panel in enumerate(self._panels) if panel.number == number)


def _moved(panel: Panel, layer: int, head: int) -> Panel:
    """Return `panel` on another head; lines of several heads stay those if it is one of them."""
    heads = panel.heads if head in panel.heads else ()
    return replace(panel, layer=layer, head=head, heads=heads)
