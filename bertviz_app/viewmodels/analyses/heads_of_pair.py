"""`HeadsOfPair`: opens a panel with the heads behind a pair of tokens that is picked in its matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QObject

from bertviz_app.viewmodels.panel_choices import Content, Value
from bertviz_app.viewmodels.panels import MOST, Panel, Panels, Run
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.weak_slots import slot_of

PAIRS, HEADS = "similarity-pairs", "similarity-heads"


class HeadsOfPair(QObject):
    """A pair picked in a panel of `PAIRS` is explained in the panel of `HEADS` of its run, or a new one."""

    def __init__(self, panels: Panels, selections: Mapping[Run, Selection]) -> None:
        super().__init__(panels)
        self._panels = panels
        for run, selection in selections.items():
            selection.picked.connect(slot_of(self._explain, run))

    def _explain(self, run: Run, pair: Pair) -> None:
        active = self._panels.active
        if active is None or pair.query is None or pair.partner is None:
            return
        if active.run != run or active.content.analysis != PAIRS:
            return
        at: tuple[tuple[str, Value], ...] = (("token", pair.query), ("partner", pair.partner))
        content = Content(HEADS, tuple(one for one in at if one[1] != 1))  # 1 is the default
        there = self._explaining(run)
        if there is not None:
            self._panels.choose(there.number, content)
        elif len(self._panels.panels) < MOST:
            self._panels.insert(replace(active, heads=(), content=content))
            self._panels.activate(active.number)  # the next pair is picked there
        else:
            self._panels.refused.emit()

    def _explaining(self, run: Run) -> Panel | None:
        there = (one for one in self._panels.panels if one.content.analysis == HEADS and one.run == run)
        return next(there, None)
