"""`ComparedPanels`: opens panels of both runs and their difference, and puts back what was there before."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from bertviz_app.viewmodels.panels import RUNS, Panel, Panels
from bertviz_app.viewmodels.runs.comparison import Comparison


class ComparedPanels(QObject):
    """When the first run B that is other than A is there, its active head is shown of A, B and A-B.

    What the user opened or closed meanwhile stays as it is.
    """

    def __init__(self, comparison: Comparison, panels: Panels) -> None:
        super().__init__(comparison)
        self._comparison = comparison
        self._panels = panels
        self._before: tuple[Panel, ...] = ()
        self._active: Panel | None = None
        self._opened: tuple[int, ...] = ()
        comparison.shown_changed.connect(self._on_shown_changed)

    def show(self, layer: int, head: int) -> None:
        """Show the difference of a head: in the active panel, in another one, or in one more."""
        panels, active = self._panels, self._panels.active
        there = [panel for panel in panels.panels if panel.run == "A-B"]
        if there and (active is None or active.run != "A-B"):
            is_beside = active is not None and (active.layer, active.head) in _heads(there)
            if not is_beside:
                panels.activate(there[0].number)
        elif not there:
            panels.insert(Panel(0, layer, head, "matrix", "A-B"))
        panels.show(layer, head)

    @Slot()
    def _on_shown_changed(self) -> None:
        if not self._comparison.is_on:
            self._put_back()
        elif not self._opened and self._comparison.is_other and not self._has_other_runs():
            self._open()

    def _has_other_runs(self) -> bool:
        return any(panel.run != "A" for panel in self._panels.panels)

    def _open(self) -> None:
        active = self._panels.active
        if active is None:
            return
        self._before, self._active = self._panels.panels, active
        self._panels.open([replace(active, view_kind="matrix", run=run, heads=()) for run in RUNS])
        self._opened = self._numbers()

    def _put_back(self) -> None:
        before, now = self._active, self._panels.active
        if before is not None and now is not None and self._opened == self._numbers():
            panels = [_followed(panel, before, now) for panel in self._before]
            self._panels.open(panels, self._before.index(before))
        else:
            self._panels.leave_runs()
        self._before, self._active, self._opened = (), None, ()

    def _numbers(self) -> tuple[int, ...]:
        return tuple(panel.number for panel in self._panels.panels)


def _followed(panel: Panel, before: Panel, now: Panel) -> Panel:
    """Return `panel` on the head of `now`, if it showed the same as the panel that was active then."""
    if (panel.layer, panel.head) != (before.layer, before.head):
        return panel
    return replace(panel, layer=now.layer, head=now.head, heads=())


def _heads(panels: list[Panel]) -> set[tuple[int, int]]:
    return {(panel.layer, panel.head) for panel in panels}
