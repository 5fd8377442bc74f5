"""`QueryKeyView`: the queries and keys of one head as points of one plane."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel

from bertviz_app.analysis.results import QueryKeyMap
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.words import fixed, signed
from bertviz_app.views.plots.picture import follow_selection
from bertviz_app.views.vectors.map import MapPicture, MapView


class QueryKeyView(PanelView):
    """Draws a `QueryKeyMap`: queries as discs, keys as rings; a token under the pointer lights up in both."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self._selection: Selection = tools.selection
        self._positions: tuple[int, ...] = ()
        self.map = MapView(tools.look)
        self.dimmed = (self.map,)
        self.legend = named(QLabel(wordWrap=True), "secondary")
        self.legend.setContentsMargins(12, 4, 12, 6)
        in_column((self.map, 1), self.legend, of=self, margins=0, spacing=0)
        self.map.setAccessibleName(self.tr("Map of queries and keys"))
        follow_selection(self.map, self._selection, self._pair)
        self._selection.changed.connect(self._highlight)

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if not isinstance(result, QueryKeyMap):
            return
        points, n_tokens = result.named["values"], len(result.labels)
        self._positions = result.positions
        is_key = np.arange(len(points)) >= n_tokens
        places = np.linspace(0, 1, n_tokens, dtype=np.float32) if n_tokens > 1 else np.zeros(1, np.float32)
        words = (self.tr("{0} · query {1}"), self.tr("{0} · key {1}"))
        labels = [
            words[role].format(label, at)
            for role in (0, 1)
            for label, at in zip(result.labels, result.positions, strict=True)
        ]
        picture = MapPicture(
            points=points,
            labels=tuple(labels),
            colours=["query"] * n_tokens + ["key"] * n_tokens,
            ratios=result.named["ratios"],
            extent=points,
            is_ring=is_key,
            shades=np.tile(places, 2) if result.colours == "position" else None,
            names=(*result.labels, *result.labels),
        )
        self.map.show_picture(picture)
        # What the marks mean, and how queries and keys were made comparable.
        near = self.tr(
            "● query  ○ key. The nearer, the higher the score, as far as r is close to −1: here {0}."
        )
        scaled = self.tr(
            "Queries ÷ {0}, keys × {0}, and moved to the mean of the queries: the attention stays the same."
        )
        parts = [near.format(signed(float(result.facts["correlation"]), 2))]
        if result.colours == "position":
            parts += [self.tr("Colours go from the first token to the last.")]
        self.legend.setText(" ".join([*parts, scaled.format(fixed(float(result.facts["c"]), 2))]))
        self._highlight()

    @property
    def caption(self) -> str:
        return self.legend.text()

    def _pair(self, point: int) -> Pair:
        """Return a point as the query or the key of a pair."""
        n_tokens = len(self._positions)
        position = self._positions[point % n_tokens]
        return Pair(position, None) if point < n_tokens else Pair(None, position)

    @Slot()
    def _highlight(self) -> None:
        """Ring what is hovered or pinned: the query of a pair as a query, its key as a key."""
        shown, n_tokens = self._selection.shown, len(self._positions)
        found = {
            self._positions.index(token) + first
            for token, first in ((shown.query, 0), (shown.key, n_tokens))
            if token in self._positions
        }
        self.map.highlight(frozenset(found))
