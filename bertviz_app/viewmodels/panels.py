"""`Panels`: which heads stand side by side, how each is drawn, and which one is active."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

MOST = 6
HOWS = ("lines", "matrix")


@dataclass(frozen=True)
class Panel:
    """One head, drawn one way. `number` tells panels apart for as long as they are open."""

    number: int
    layer: int
    head: int
    how: str


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

    def open_heads(self) -> list[tuple[int, int]]:
        """Return (layer, head) of each panel."""
        return [(panel.layer, panel.head) for panel in self._panels]

    def set_size(self, n_layers: int, n_heads: int) -> None:
        """A model of this size is shown: panels keep their heads, as far as it has them."""
        first_time = not self._panels
        self._n_layers, self._n_heads = n_layers, n_heads
        if first_time:
            self._panels = [self._new(n_layers - 1, n_heads - 1, how) for how in HOWS]
            self._active = 1
        self._panels = [
            replace(panel, layer=min(panel.layer, n_layers - 1), head=min(panel.head, n_heads - 1))
            for panel in self._panels
        ]
        self.changed.emit()

    def arrange(self, panels: list[tuple[int, int, str]], active: int = 0) -> None:
        """Open exactly these (layer, head, how)."""
        self._panels = [self._new(*panel) for panel in panels[:MOST]]
        self._active = active
        self.changed.emit()

    def show(self, layer: int, head: int) -> None:
        """Show a head in the active panel, and in every panel that showed the same head as that one.

        So a head drawn as lines and as a matrix stays one head.
        """
        active = self.active
        if active is None:
            return
        self._panels = [
            replace(panel, layer=layer, head=head)
            if (panel.layer, panel.head) == (active.layer, active.head)
            else panel
            for panel in self._panels
        ]
        self.changed.emit()

    def add(self, layer: int, head: int) -> None:
        """Open one more panel, beside the active one and drawn like it; `refused` if there are six."""
        if len(self._panels) >= MOST:
            self.refused.emit()
            return
        how = self.active.how if self.active else "matrix"
        self._active = self._active + 1 if self._panels else 0
        self._panels.insert(self._active, self._new(layer, head, how))
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
        """Draw a panel as "lines" or as a "matrix"."""
        place = self._place(number)
        self._panels[place] = replace(self._panels[place], how=how)
        self.changed.emit()

    def walk(self, layers: int, heads: int) -> None:
        """Show the neighbour of the active head, going round at the ends."""
        if self.active is not None:
            layer = (self.active.layer + layers) % self._n_layers
            self.show(layer, (self.active.head + heads) % self._n_heads)

    def _new(self, layer: int, head: int, how: str) -> Panel:
        self._opened += 1
        return Panel(self._opened, layer, head, how)

    def _place(self, number: int) -> int:
        return next(place for place, panel in enumerate(self._panels) if panel.number == number)
