"""`OutcomeView`: by how much an outcome changes, and states of run B that are dragged into run A."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Slot

from bertviz_app.analysis.picture import Mark
from bertviz_app.analysis.results import OutcomeMap
from bertviz_app.trace.interventions import reached
from bertviz_app.views.analyses.cells import PictureCells
from bertviz_app.views.analyses.picture_view import PictureOf, PictureView
from bertviz_app.views.kit.panel_view import PanelTools


class OutcomeView(PictureView):
    """Draws an `OutcomeMap`. A cell of a token is dragged along its layer: that state of B is put into A."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools)
        self._interventions = tools.interventions

    def show_chosen(self) -> None:
        super().show_chosen()
        if isinstance(self.plot, PictureCells):
            analysed, self.plot.put = self.analysed, frozenset()
            if analysed is not None and isinstance(analysed.result, OutcomeMap) and analysed.traces:
                edits, positions = analysed.traces[0].edits, analysed.result.positions
                found = ((one.state - 1, edits.position_read(one.token)) for one in edits.states)
                there = ((layer, at) for layer, at in found if at in positions and layer >= 0)
                self.plot.put = frozenset((layer, positions.index(at)) for layer, at in there)
            self.plot.carries = self._can_put()
            self.mark()

    def make_plot(self, mark: Mark) -> PictureOf:
        plot = super().make_plot(mark)
        if isinstance(plot, PictureCells):
            plot.reached = self._reached
            plot.cell_carried.connect(self._on_cell_carried)
        return plot

    @property
    def hints(self) -> list[str]:
        is_dragged = isinstance(self.plot, PictureCells) and self.plot.carries
        return [self.tr("Drag a cell along its layer: that state of B is put into A and stays.")] * is_dragged

    def _can_put(self) -> bool:
        """Whether states of run B can be put into run A: those that its text alone gives."""
        analysed, changed = self.analysed, self._interventions
        if analysed is None or changed is None or not changed.run.is_editable or analysed.other is None:
            return False
        result = analysed.result
        return isinstance(result, OutcomeMap) and bool(result.sources) and not analysed.other.edits

    def _reached(self, layer: int, column: int) -> NDArray[np.bool_]:
        """Return the cells [L, N] of tokens that a state put in after a layer can change."""
        assert self.analysed is not None
        result, trace = self.analysed.result, self.analysed.traces[0]
        assert isinstance(result, OutcomeMap)
        return reached(trace, layer, result.positions[column])[:, list(result.positions)]

    @Slot(int, int, int)
    def _on_cell_carried(self, layer: int, source: int, column: int) -> None:
        """Put the state of a token of run B after a layer into run A, at a token of its own."""
        analysed = self.analysed
        if not self._can_put() or analysed is None or analysed.other is None or self._interventions is None:
            return
        result = analysed.result
        assert isinstance(result, OutcomeMap)
        tokens, at = analysed.other.tokens, result.positions[column]
        self._interventions.put_state(layer + 1, at, tokens, result.sources[source])
