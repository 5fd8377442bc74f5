"""`WhyWeight`: opens a panel that explains the weight of the inspected pair, and follows the pinned one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QObject

from bertviz_app.options import Run
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.panel_choices import Content, Value
from bertviz_app.viewmodels.panels import MOST, Panel, Panels
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.weak_slots import slot_of

KEY = "score-parts"


class WhyWeight(QObject):
    """The panel is one more beside the active one; where there are six, the active one shows it."""

    def __init__(self, panels: Panels, inspected: Inspected, selections: Mapping[Run, Selection]) -> None:
        super().__init__(panels)
        self._panels = panels
        self._inspected = inspected
        self._selections = selections
        for run, selection in selections.items():
            selection.changed.connect(slot_of(self._follow, run))

    def ask(self) -> None:
        """Explain the weight of the inspected pair, in the panel that explains one or in a new one."""
        pair, active = self._inspected.pair, self._panels.active
        if pair is None or active is None:
            return
        content = _content(pair.layer, pair.head, pair.numbers.query, pair.numbers.key)
        there = (one for one in self._panels.panels if one.content.analysis == KEY and one.run == pair.run)
        explaining = next(there, None)
        if explaining is not None:
            self._panels.choose(explaining.number, content)
        elif len(self._panels.panels) < MOST:
            self._panels.insert(
                replace(active, layer=pair.layer, head=pair.head, run=pair.run, heads=(), content=content)
            )
        else:
            self._panels.choose(active.number, content)

    def _follow(self, run: Run) -> None:
        """Explain the weight of the pair that is pinned now, in the head of the panel."""
        pinned = self._selections[run].pinned
        query, key = pinned.query, pinned.key
        if query is None or key is None:
            return
        for panel in self._panels.panels:
            if panel.content.analysis == KEY and panel.run == run:
                self._show(panel, query, key)

    def _show(self, panel: Panel, query: int, key: int) -> None:
        content = _content(panel.layer, panel.head, query, key)
        if content != panel.shown_content:
            self._panels.choose(panel.number, content)


def _content(layer: int, head: int, query: int, key: int) -> Content:
    at: tuple[tuple[str, Value], ...] = (("layer", layer), ("head", head))
    named: tuple[tuple[str, Value], ...] = (("query", query), ("key", key))
    return Content(KEY, (*at, *(one for one in named if one[1])))  # 0 is their default, which is left out
